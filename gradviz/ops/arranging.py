"""Moving, repeating, joining and taking apart cells: their gradients move, add up and join them the other way."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from gradviz import limits
from gradviz.errors import InputError, LimitError, ShapeError
from gradviz.ops import shapes
from gradviz.ops.indexing import getitem
from gradviz.ops.op import FRAMEWORKS, GRADIENT, LINEAR_ALGEBRA, SHAPE, example, op
from gradviz.ops.reduction import sum_
from gradviz.ops.reshaping import concat, reshape
from gradviz.ops.shapes import Axis, Shape
from gradviz.ops.spec import Spec
from gradviz.text import mark, shape_words

Rule = tuple[Any, ...]
Widths = tuple[tuple[int, int], ...]
PadMode = Literal["constant", "reflect", "edge"]
_ALL = {"slice": (None, None, None)}
_MATRIX = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def _along(axis: int, item: Any) -> tuple[Any, ...]:
    """The index that picks `item` on one axis and everything on those before it."""
    return (*[_ALL] * axis, item)


def _same(x: Spec, **_: Any) -> Spec:
    return shapes.checked(x.shape, x.dtype)


def _whole(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(
            mark("ops", "{name} is a whole number, not {value}."), name=name, value=repr(value)
        )
    return value


def _stack_spec(*xs: Spec, axis: int) -> Spec:
    first = xs[0]
    for x in xs:
        if x.shape != first.shape:
            raise ShapeError(
                mark("ops", "Only arrays of the same shape can be stacked, not {a} and {b}."),
                a=shape_words(first.shape),
                b=shape_words(x.shape),
            )
    place = shapes.one_axis(axis, len(first.shape) + 1)
    shape = (*first.shape[:place], len(xs), *first.shape[place:])
    return shapes.checked(shape, shapes.result_dtype(*xs))


@op(
    sign="▤",
    category=SHAPE,
    family="move",
    summary=mark("ops", "Lays arrays of one shape on top of each other, along a new axis."),
    text="stack({xs}{attributes})",
    formula=r"\mathrm{stack}(xs)",
    code={
        "numpy": "np.stack([{xs}], axis={axis})",
        "tf": "tf.stack([{xs}], axis={axis})",
        "torch": "torch.stack([{xs}], dim={axis})",
        "jax": "jnp.stack([{xs}], axis={axis})",
    },
    aliases={"numpy": "stack", "tf": "stack", "torch": "stack", "jax": "stack", "math": "stack"},
    spec=_stack_spec,
    linear_in=("xs",),
    examples=[example([1.0, 2.0], [3.0, 4.0]), example([1.0, 2.0], [3.0, 4.0], axis=-1)],
)
def stack(*xs: Any, axis: int = 0) -> Any:
    """The arrays side by side along a new axis."""
    return np.stack([np.asarray(x) for x in xs], axis=axis)


@stack.vjp
def _(g: Any, out: Any, *xs: Any, axis: int) -> Rule:
    place = shapes.one_axis(axis, len(out.shape))
    return tuple(getitem(g, index=_along(place, i)) for i in range(len(xs)))


def _unstack_spec(x: Spec, *, axis: int) -> tuple[Spec, ...]:
    place = shapes.one_axis(axis, len(x.shape))
    if x.shape[place] == 0:
        raise ShapeError(mark("ops", "There is nothing to take apart: the axis is empty."))
    part = shapes.checked((*x.shape[:place], *x.shape[place + 1 :]), x.dtype)
    return (part,) * _outputs(x.shape[place])


def _outputs(count: int) -> int:
    if count > limits.OUTPUTS:
        raise LimitError(
            mark("ops", "This would have {count} outputs; at most {limit} are allowed."),
            count=f"{count:,}",
            limit=f"{limits.OUTPUTS:,}",
        )
    return count


@op(
    sign="▥",
    category=SHAPE,
    family="move",
    summary=mark("ops", "Takes an array apart along an axis: one output for each layer."),
    text="unstack({x}{attributes})",
    formula=r"\mathrm{unstack}(x)",
    code={
        "numpy": "tuple(np.moveaxis({x}, {axis}, 0))",
        "tf": "tf.unstack({x}, axis={axis})",
        "torch": "torch.unbind({x}, {axis})",
        "jax": "tuple(jnp.moveaxis({x}, {axis}, 0))",
    },
    aliases={"numpy": "unstack", "tf": "unstack", "torch": "unbind", "math": "unstack"},
    spec=_unstack_spec,
    linear_in=("x",),
    examples=[example(_MATRIX), example(_MATRIX, axis=-1)],
)
def unstack(x: Any, *, axis: int = 0) -> Any:
    """The layers along an axis, as outputs of their own."""
    return tuple(np.moveaxis(np.asarray(x), axis, 0)[...])


@unstack.vjp
def _(g: Any, out: Any, x: Any, *, axis: int) -> Rule:
    return (stack(*_several(g), axis=axis),)


def _several(g: Any) -> tuple[Any, ...]:
    """The cotangents of the outputs; an op with one output gets it by itself."""
    return g if isinstance(g, tuple) else (g,)


def _split_spec(x: Spec, *, sections: Shape, axis: int) -> tuple[Spec, ...]:
    place = shapes.one_axis(axis, len(x.shape))
    lengths = shapes.shape_attribute(sections)
    if sum(lengths) != x.shape[place] or not lengths:
        raise ShapeError(
            mark("ops", "The parts {sections} add up to {total}, but the axis has {length}."),
            sections=", ".join(map(str, lengths)) or "()",
            total=sum(lengths),
            length=x.shape[place],
        )
    _outputs(len(lengths))
    return tuple(
        shapes.checked((*x.shape[:place], n, *x.shape[place + 1 :]), x.dtype) for n in lengths
    )


@op(
    sign="≡",
    category=SHAPE,
    family="move",
    summary=mark("ops", "Cuts an array into parts along an axis: one output for each part."),
    text="split({x}{attributes})",
    formula=r"\mathrm{split}(x)",
    code={
        "numpy": "np.split({x}, np.cumsum({sections})[:-1], axis={axis})",
        "tf": "tf.split({x}, {sections}, axis={axis})",
        "torch": "torch.split({x}, {sections}, dim={axis})",
        "jax": "jnp.split({x}, np.cumsum({sections})[:-1], axis={axis})",
    },
    aliases={"numpy": "split", "tf": "split", "torch": "split", "jax": "split", "math": "split"},
    spec=_split_spec,
    linear_in=("x",),
    examples=[example(_MATRIX, sections=(1, 2), axis=1), example(_MATRIX, sections=(1, 1))],
)
def split(x: Any, *, sections: Shape, axis: int = 0) -> Any:
    """Parts of the given lengths along an axis, as outputs of their own."""
    ends = np.cumsum(np.asarray(sections))[:-1]
    return tuple(np.split(np.asarray(x), ends, axis=axis))


@split.vjp
def _(g: Any, out: Any, x: Any, *, sections: Shape, axis: int) -> Rule:
    parts = _several(g)
    return (parts[0] if len(parts) == 1 else concat(*parts, axis=axis),)


def _flip_spec(x: Spec, *, axis: Axis) -> Spec:
    shapes.axes_of(axis, len(x.shape))
    return _same(x)


@op(
    sign="⇋",
    category=SHAPE,
    family="move",
    summary=mark("ops", "Turns the order of the cells round, along all axes or some."),
    text="flip({x}{attributes})",
    formula=r"\mathrm{flip}(x)",
    code={
        "numpy": "np.flip({x}, axis={axis})",
        "tf": "tf.reverse({x}, range(len({x}.shape)) if {axis} is None else np.ravel({axis}))".replace(
            "{axis} is None", "({axis},) == (None,)"
        ),
        "torch": "torch.flip({x}, tuple(range({x}.ndim)) if ({axis},) == (None,) else tuple(np.ravel({axis})))",
        "jax": "jnp.flip({x}, axis={axis})",
    },
    aliases={"numpy": "flip", "tf": "reverse", "torch": "flip", "jax": "flip", "math": "flip"},
    spec=_flip_spec,
    linear_in=("x",),
    examples=[example(_MATRIX), example(_MATRIX, axis=-1)],
)
def flip(x: Any, *, axis: Axis = None) -> Any:
    """The cells in reverse order along the axes."""
    return np.flip(np.asarray(x), axis=axis)


@flip.vjp
def _(g: Any, out: Any, x: Any, *, axis: Axis) -> Rule:
    return (flip(g, axis=axis),)


def _roll_spec(x: Spec, *, shift: int, axis: int | None) -> Spec:
    _whole(shift, "shift")
    if axis is not None:
        shapes.one_axis(axis, len(x.shape))
    return _same(x)


@op(
    sign="↻",
    category=SHAPE,
    family="move",
    summary=mark(
        "ops", "Shifts the cells along an axis; what falls off comes back at the other end."
    ),
    text="roll({x}{attributes})",
    formula=r"\mathrm{roll}(x)",
    code={
        "numpy": "np.roll({x}, {shift}, axis={axis})",
        "tf": "(tf.reshape(tf.roll(tf.reshape({x}, [-1]), {shift}, 0), {x}.shape) if ({axis},) == (None,) "
        "else tf.roll({x}, {shift}, {axis}))",
        "torch": "torch.roll({x}, {shift}, {axis})",
        "jax": "jnp.roll({x}, {shift}, axis={axis})",
    },
    aliases={"numpy": "roll", "tf": "roll", "torch": "roll", "jax": "roll", "math": "roll"},
    spec=_roll_spec,
    linear_in=("x",),
    examples=[example(_MATRIX, shift=1, axis=1), example(_MATRIX, shift=-2)],
)
def roll(x: Any, *, shift: int, axis: int | None = None) -> Any:
    """The cells shifted round; with no axis, in the order in which they are read."""
    return np.roll(np.asarray(x), shift, axis=axis)


@roll.vjp
def _(g: Any, out: Any, x: Any, *, shift: int, axis: int | None) -> Rule:
    return (roll(g, shift=-shift, axis=axis),)


def _widths(pad_width: Any, rank: int) -> Widths:
    if isinstance(pad_width, int) and not isinstance(pad_width, bool):
        pairs = [(pad_width, pad_width)] * rank
    else:
        try:
            pairs = [(int(low), int(high)) for low, high in pad_width]
        except (TypeError, ValueError) as error:
            raise InputError(
                mark("ops", "pad_width is a pair (before, after) for each axis, not {given}."),
                given=repr(pad_width)[:60],
            ) from error
    if len(pairs) != rank or any(n < 0 for pair in pairs for n in pair):
        raise InputError(
            mark("ops", "pad_width needs a pair of numbers from 0 for each of the {rank} axes."),
            rank=rank,
        )
    return tuple(pairs)


def _pad_spec(x: Spec, *, pad_width: Any, mode: str, value: float) -> Spec:
    widths = _widths(pad_width, len(x.shape))
    if mode not in ("constant", "reflect", "edge"):
        raise InputError(mark("ops", "mode is constant, reflect or edge, not {given}."), given=mode)
    for n, pair in zip(x.shape, widths, strict=True):
        least = {"constant": 0, "edge": 1, "reflect": max(pair) + 1}[mode] if any(pair) else 0
        if n < least:
            raise ShapeError(
                mark("ops", "An axis of {n} cannot be padded by {pair} in the mode {mode}."),
                n=n,
                pair=pair,
                mode=mode,
            )
    shape = tuple(low + n + high for n, (low, high) in zip(x.shape, widths, strict=True))
    return shapes.checked(shape, x.dtype)


@op(
    sign="⊡",
    category=SHAPE,
    family="move",
    summary=mark(
        "ops", "Puts a border round an array: a number, the mirrored cells, or the edge again."
    ),
    text="pad({x}{attributes})",
    formula=r"\mathrm{pad}(x)",
    code={
        "numpy": "np.pad({x}, {pad_width}, mode={mode}, **({{'constant_values': {value}}} if {mode} == 'constant' else {{}}))",
        "tf": "tf.pad({x}, {pad_width}, {mode}, {value})",
        "torch": "torch.nn.functional.pad({x}, [n for pair in reversed({pad_width}) for n in pair], "
        "{{'edge': 'replicate'}}.get({mode}, {mode}), {value})",
        "jax": "jnp.pad({x}, {pad_width}, mode={mode}, **({{'constant_values': {value}}} if {mode} == 'constant' else {{}}))",
    },
    aliases={"numpy": "pad", "tf": "pad", "torch": "pad", "jax": "pad", "math": "pad"},
    spec=_pad_spec,
    linear_in=("x",),
    examples=[
        example([1.0, 2.0, 3.0], pad_width=((1, 2),)),
        example(_MATRIX, pad_width=((1, 0), (2, 1)), mode="reflect"),
        example(_MATRIX, pad_width=((0, 1), (2, 1)), mode="edge"),
    ],
)
def pad(x: Any, *, pad_width: Widths | int, mode: PadMode = "constant", value: float = 0.0) -> Any:
    """x with a border of the widths (before, after) of each axis."""
    array = np.asarray(x)
    widths = _widths(pad_width, array.ndim)
    if not widths:
        return array.copy()
    if mode == "constant":
        return np.pad(array, widths, constant_values=value)
    return np.pad(array, widths, mode=mode)


@pad.vjp
def _(g: Any, out: Any, x: Any, *, pad_width: Any, mode: str, value: float) -> Rule:
    widths = _widths(pad_width, len(x.shape))
    if mode == "constant":
        index = tuple(
            {"slice": (low, low + n, None)} for n, (low, _) in zip(x.shape, widths, strict=True)
        )
        return (getitem(g, index=index) if index else g,)
    return (fold_border(g, shape=x.shape, pad_width=widths, mode=mode),)


def _fold_spec(g: Spec, *, shape: Shape, pad_width: Widths, mode: str) -> Spec:
    wanted = _pad_spec(Spec(tuple(shape), g.dtype), pad_width=pad_width, mode=mode, value=0.0)
    if g.shape != wanted.shape:
        raise ShapeError(
            mark("ops", "{given} is not what padding {shape} gives."),
            given=shape_words(g.shape),
            shape=shape_words(tuple(shape)),
        )
    return shapes.checked(tuple(shape), shapes.cotangent(g))


@op(
    sign="⊟",
    category=GRADIENT,
    family="move",
    summary=mark("ops", "Adds what came back to a border to the cells it was copied from."),
    text="fold the border of {g} into {shape}",
    formula=r"\mathrm{pad}^{T}(g)",
    code=dict.fromkeys(
        FRAMEWORKS,
        "np.bincount(np.ravel(np.pad(np.arange(int(np.prod({shape}))).reshape({shape}), {pad_width}, mode={mode})), "
        "np.ravel({g}), int(np.prod({shape}))).reshape({shape}).astype(np.asarray({g}).dtype)",
    ),
    aliases={},
    spec=_fold_spec,
    linear_in=("g",),
    examples=[
        example([1.0, 2.0, 3.0, 4.0, 5.0], shape=(3,), pad_width=((1, 1),), mode="reflect"),
        example([1.0, 2.0, 3.0, 4.0, 5.0], shape=(2,), pad_width=((1, 2),), mode="edge"),
    ],
    helper=True,
)
def fold_border(g: Any, *, shape: Shape, pad_width: Widths, mode: PadMode = "reflect") -> Any:
    """The reverse of `pad`: every cell gets what came back to its copies."""
    array = np.asarray(g)
    cells = math.prod(tuple(shape))
    where = np.pad(
        np.arange(cells).reshape(tuple(shape)), _widths(pad_width, array.ndim), mode=mode
    )
    found = np.zeros(cells, array.dtype)
    np.add.at(found, where.ravel(), array.ravel())
    return found.reshape(tuple(shape))


@fold_border.vjp
def _(g: Any, out: Any, given: Any, *, shape: Shape, pad_width: Widths, mode: str) -> Rule:
    return (pad(g, pad_width=pad_width, mode=mode),)


def _reps(reps: Any, rank: int) -> tuple[Shape, int]:
    """The repetitions for each axis, and how many axes are new."""
    found = shapes.shape_attribute(reps)
    new = max(len(found) - rank, 0)
    return (1,) * (rank - len(found)) + found, new


def _tile_spec(x: Spec, *, reps: Any) -> Spec:
    found, new = _reps(reps, len(x.shape))
    lengths = (1,) * new + x.shape
    return shapes.checked(tuple(n * r for n, r in zip(lengths, found, strict=True)), x.dtype)


@op(
    sign="▩",
    category=SHAPE,
    family="spread",
    summary=mark("ops", "Lays copies of an array side by side, so many along each axis."),
    text="tile({x}, {reps})",
    formula=r"\mathrm{tile}(x)",
    code={
        "numpy": "np.tile({x}, {reps})",
        "tf": "tf.tile({x}, {reps})",
        "torch": "torch.tile({x}, {reps})",
        "jax": "jnp.tile({x}, {reps})",
    },
    aliases={"numpy": "tile", "tf": "tile", "torch": "tile", "jax": "tile", "math": "tile"},
    spec=_tile_spec,
    linear_in=("x",),
    examples=[example([1.0, 2.0], reps=(2, 2)), example(_MATRIX, reps=(2,))],
)
def tile(x: Any, *, reps: Shape) -> Any:
    """Copies of x, so many along each axis; missing axes are put in front."""
    return np.tile(np.asarray(x), tuple(reps) if isinstance(reps, tuple | list) else reps)


@tile.vjp
def _(g: Any, out: Any, x: Any, *, reps: Any) -> Rule:
    found, new = _reps(reps, len(x.shape))
    lengths = (1,) * new + x.shape
    apart = tuple(n for pair in zip(found, lengths, strict=True) for n in pair)
    copies = tuple(range(0, len(apart), 2))
    if not copies:
        return (g,)
    return (reshape(sum_(reshape(g, shape=apart), axis=copies), shape=x.shape),)


def _counts(repeats: Any, layers: int) -> tuple[Shape | int, int]:
    """How often the layers are repeated (one number for all, or one each), and how many there are then."""
    counts = shapes.shape_attribute(repeats)
    if len(counts) == 1:
        return counts[0], counts[0] * layers
    if len(counts) != layers:
        raise ShapeError(
            mark(
                "ops",
                "There are {given} repetitions for {wanted} layers: give one number, or one each.",
            ),
            given=len(counts),
            wanted=layers,
        )
    return counts, sum(counts)


def _in_line(shape: Shape, axis: int | None) -> tuple[Shape, int]:
    """The shape in which layers are repeated, and along which axis."""
    if axis is None:
        return (math.prod(shape),), 0
    return shape, shapes.one_axis(axis, len(shape))


def _repeat_spec(x: Spec, *, repeats: Any, axis: int | None) -> Spec:
    shape, place = _in_line(x.shape, axis)
    _, length = _counts(repeats, shape[place])
    return shapes.checked((*shape[:place], length, *shape[place + 1 :]), x.dtype)


@op(
    sign="∷",
    category=SHAPE,
    family="spread",
    summary=mark("ops", "Repeats every layer along an axis, right after itself."),
    text="repeat({x}{attributes})",
    formula=r"\mathrm{repeat}(x)",
    code={
        "numpy": "np.repeat({x}, {repeats}, axis={axis})",
        "tf": "tf.repeat({x}, {repeats}, axis={axis})",
        "torch": "torch.repeat_interleave({x}, torch.tensor({repeats}), dim={axis})",
        "jax": "jnp.repeat({x}, np.array({repeats}), axis={axis})",
    },
    aliases={
        "numpy": "repeat",
        "tf": "repeat",
        "torch": "repeat_interleave",
        "jax": "repeat",
        "math": "repeat",
    },
    spec=_repeat_spec,
    linear_in=("x",),
    examples=[
        example(_MATRIX, repeats=2, axis=1),
        example(_MATRIX, repeats=(1, 3), axis=0),
        example([1.0, 2.0], repeats=2),
    ],
)
def repeat(x: Any, *, repeats: int | Shape, axis: int | None = None) -> Any:
    """Every layer so many times; with no axis, every cell in the order in which they are read."""
    counts = repeats if isinstance(repeats, int) else np.asarray(repeats)
    return np.repeat(np.asarray(x), counts, axis=axis)


@repeat.vjp
def _(g: Any, out: Any, x: Any, *, repeats: Any, axis: int | None) -> Rule:
    shape, place = _in_line(x.shape, axis)
    back = add_repeats(g, shape=shape, repeats=repeats, axis=place)
    return (back if shape == x.shape else reshape(back, shape=x.shape),)


def _add_repeats_spec(g: Spec, *, shape: Shape, repeats: Any, axis: int) -> Spec:
    wanted = _repeat_spec(Spec(tuple(shape), g.dtype), repeats=repeats, axis=axis)
    if g.shape != wanted.shape:
        raise ShapeError(
            mark("ops", "{given} is not what repeating {shape} gives."),
            given=shape_words(g.shape),
            shape=shape_words(tuple(shape)),
        )
    return shapes.checked(tuple(shape), shapes.cotangent(g))


@op(
    sign="∷→",
    category=GRADIENT,
    family="reduce",
    summary=mark("ops", "Adds up what came back to the repetitions of every layer."),
    text="add up the repetitions in {g}",
    formula=r"\mathrm{repeat}^{T}(g)",
    code=dict.fromkeys(
        FRAMEWORKS,
        "np.stack([part.sum({axis}) for part in np.split({g}, np.cumsum(np.broadcast_to({repeats}, "
        "{shape}[{axis}]))[:-1], {axis})], {axis})",
    ),
    aliases={},
    spec=_add_repeats_spec,
    linear_in=("g",),
    examples=[
        example([1.0, 2.0, 3.0, 4.0], shape=(2,), repeats=2, axis=0),
        example([[1.0, 2.0, 3.0]], shape=(1, 2), repeats=(1, 2), axis=1),
    ],
    helper=True,
)
def add_repeats(g: Any, *, shape: Shape, repeats: int | Shape, axis: int = 0) -> Any:
    """The reverse of `repeat` along an axis."""
    array = np.asarray(g)
    counts, _ = _counts(repeats, shape[axis])
    if isinstance(counts, int):
        apart = (*shape[: axis + 1], counts, *shape[axis + 1 :])
        return np.sum(array.reshape(apart), axis=axis + 1)
    result = np.zeros(tuple(shape), array.dtype)
    layers = np.repeat(np.arange(shape[axis]), counts)
    np.add.at(np.moveaxis(result, axis, 0), layers, np.moveaxis(array, axis, 0))
    return result


@add_repeats.vjp
def _(g: Any, out: Any, given: Any, *, shape: Shape, repeats: Any, axis: int) -> Rule:
    return (repeat(g, repeats=repeats, axis=axis),)


def _moved(rank: int, source: Any, destination: Any) -> tuple[int, ...]:
    """The permutation that moves the source axes to their destinations."""
    given = [v if isinstance(v, tuple | list) else (v,) for v in (source, destination)]
    starts, ends = ([shapes.one_axis(a, rank) for a in axes] for axes in given)
    if len(starts) != len(ends) or len(set(starts)) != len(starts) or len(set(ends)) != len(ends):
        raise ShapeError(
            mark("ops", "source and destination must name the same number of different axes.")
        )
    order = [axis for axis in range(rank) if axis not in starts]
    for end, start in sorted(zip(ends, starts, strict=True)):
        order.insert(end, start)
    return tuple(order)


@op(
    sign="⇌",
    category=SHAPE,
    family="move",
    summary=mark("ops", "Moves axes to other places; the others keep their order."),
    text="moveaxis({x}{attributes})",
    formula=r"\mathrm{moveaxis}(x)",
    code={
        "numpy": "np.moveaxis({x}, {source}, {destination})",
        "tf": "tf.transpose({x}, np.moveaxis(np.arange(len({x}.shape)), {source}, {destination}))",
        "torch": "torch.movedim({x}, {source}, {destination})",
        "jax": "jnp.moveaxis({x}, {source}, {destination})",
    },
    aliases={
        "numpy": "moveaxis",
        "torch": "movedim moveaxis",
        "jax": "moveaxis",
        "math": "moveaxis",
    },
    spec=lambda x, *, source, destination: shapes.checked(
        tuple(x.shape[i] for i in _moved(len(x.shape), source, destination)), x.dtype
    ),
    linear_in=("x",),
    examples=[
        example([_MATRIX], source=0, destination=-1),
        example([_MATRIX], source=(0, 1), destination=(1, 2)),
    ],
)
def moveaxis(x: Any, *, source: int | Shape, destination: int | Shape) -> Any:
    """x with the source axes at the destinations."""
    array = np.asarray(x)
    return np.transpose(array, _moved(array.ndim, source, destination))


@moveaxis.vjp
def _(g: Any, out: Any, x: Any, *, source: Any, destination: Any) -> Rule:
    return (moveaxis(g, source=destination, destination=source),)


def _swapped(x: Spec, *, axis1: int, axis2: int) -> Spec:
    lengths = list(x.shape)
    i, j = (shapes.one_axis(a, len(lengths)) for a in (axis1, axis2))
    lengths[i], lengths[j] = lengths[j], lengths[i]
    return shapes.checked(tuple(lengths), x.dtype)


@op(
    sign="⇄",
    category=SHAPE,
    family="move",
    summary=mark("ops", "Swaps two axes of an array."),
    text="swapaxes({x}{attributes})",
    formula=r"\mathrm{swapaxes}(x)",
    code={
        "numpy": "np.swapaxes({x}, {axis1}, {axis2})",
        "tf": "tf.experimental.numpy.swapaxes({x}, {axis1}, {axis2})",
        "torch": "torch.swapaxes({x}, {axis1}, {axis2})",
        "jax": "jnp.swapaxes({x}, {axis1}, {axis2})",
    },
    aliases={"numpy": "swapaxes", "torch": "swapaxes", "jax": "swapaxes", "math": "swapaxes"},
    spec=_swapped,
    linear_in=("x",),
    examples=[example([_MATRIX], axis1=0, axis2=-1)],
)
def swapaxes(x: Any, *, axis1: int, axis2: int) -> Any:
    """x with two axes swapped."""
    return np.swapaxes(np.asarray(x), axis1, axis2)


@swapaxes.vjp
def _(g: Any, out: Any, x: Any, *, axis1: int, axis2: int) -> Rule:
    return (swapaxes(g, axis1=axis1, axis2=axis2),)


def _matrices(x: Spec, **settings: Any) -> Spec:
    for name, value in settings.items():
        _whole(value, name)
    if len(x.shape) < 2:
        raise ShapeError(
            mark("ops", "x is {x}: this needs a matrix, or several."), x=shape_words(x.shape)
        )
    return shapes.checked(x.shape, x.dtype)


@op(
    sign="◣",
    category=LINEAR_ALGEBRA,
    family="move",
    summary=mark("ops", "Keeps the cells on and below a diagonal and makes the others 0."),
    text="tril({x}{attributes})",
    formula=r"\mathrm{tril}(x)",
    code={
        "numpy": "np.tril({x}, {k})",
        "tf": "tf.experimental.numpy.tril({x}, {k})",
        "torch": "torch.tril({x}, {k})",
        "jax": "jnp.tril({x}, {k})",
    },
    aliases={"numpy": "tril", "tf": "band_part", "torch": "tril", "jax": "tril", "math": "tril"},
    spec=_matrices,
    linear_in=("x",),
    examples=[example(_MATRIX), example(_MATRIX, k=1)],
)
def tril(x: Any, *, k: int = 0) -> Any:
    """The lower triangle, up to the k-th diagonal above the main one."""
    return np.tril(np.asarray(x), k)


@tril.vjp
def _(g: Any, out: Any, x: Any, *, k: int) -> Rule:
    return (tril(g, k=k),)


@op(
    sign="◥",
    category=LINEAR_ALGEBRA,
    family="move",
    summary=mark("ops", "Keeps the cells on and above a diagonal and makes the others 0."),
    text="triu({x}{attributes})",
    formula=r"\mathrm{triu}(x)",
    code={
        "numpy": "np.triu({x}, {k})",
        "tf": "tf.experimental.numpy.triu({x}, {k})",
        "torch": "torch.triu({x}, {k})",
        "jax": "jnp.triu({x}, {k})",
    },
    aliases={"numpy": "triu", "torch": "triu", "jax": "triu", "math": "triu"},
    spec=_matrices,
    linear_in=("x",),
    examples=[example(_MATRIX), example(_MATRIX, k=1)],
)
def triu(x: Any, *, k: int = 0) -> Any:
    """The upper triangle, from the k-th diagonal above the main one on."""
    return np.triu(np.asarray(x), k)


@triu.vjp
def _(g: Any, out: Any, x: Any, *, k: int) -> Rule:
    return (triu(g, k=k),)


def _diagonal_length(rows: int, columns: int, offset: int) -> int:
    return max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)


def _diagonal_spec(x: Spec, *, offset: int) -> Spec:
    _matrices(x, offset=offset)
    *batch, rows, columns = x.shape
    return shapes.checked((*batch, _diagonal_length(rows, columns, offset)), x.dtype)


@op(
    sign="╲",
    category=LINEAR_ALGEBRA,
    family="move",
    summary=mark("ops", "The cells on a diagonal of a matrix."),
    text="diagonal({x}{attributes})",
    formula=r"\mathrm{diagonal}(x)",
    code={
        "numpy": "np.diagonal({x}, {offset}, -2, -1)",
        "tf": "tf.linalg.diag_part({x}, k={offset})",
        "torch": "torch.diagonal({x}, {offset}, -2, -1)",
        "jax": "jnp.diagonal({x}, {offset}, -2, -1)",
    },
    aliases={
        "numpy": "diagonal",
        "tf": "diag_part",
        "torch": "diagonal",
        "jax": "diagonal",
        "math": "diagonal",
    },
    spec=_diagonal_spec,
    linear_in=("x",),
    examples=[example(_MATRIX), example(_MATRIX, offset=1)],
)
def diagonal(x: Any, *, offset: int = 0) -> Any:
    """The cells on a diagonal of the last two axes; `offset` counts from the main one to the right."""
    return np.diagonal(np.asarray(x), offset, -2, -1)


@diagonal.vjp
def _(g: Any, out: Any, x: Any, *, offset: int) -> Rule:
    return (on_diagonal(g, shape=x.shape, offset=offset),)


def _on_diagonal_spec(g: Spec, *, shape: Shape, offset: int) -> Spec:
    wanted = _diagonal_spec(Spec(tuple(shape), g.dtype), offset=offset)
    if g.shape != wanted.shape:
        raise ShapeError(
            mark("ops", "{given} does not fit on the diagonal of {shape}."),
            given=shape_words(g.shape),
            shape=shape_words(tuple(shape)),
        )
    return shapes.checked(tuple(shape), g.dtype)


@op(
    sign="╲+0",
    category=GRADIENT,
    family="move",
    summary=mark("ops", "Zeros with the given cells on a diagonal."),
    text="{g} on the diagonal of {shape}",
    formula=r"\mathrm{diagonal}^{T}(g)",
    code=dict.fromkeys(
        FRAMEWORKS,
        "np.where(np.eye(*{shape}[-2:], {offset}, dtype=bool), np.pad({g}, [(0, 0)] * (np.ndim({g}) - 1) + "
        "[(max(-{offset}, 0), {shape}[-2] - np.shape({g})[-1] - max(-{offset}, 0))])[..., None], "
        "0.0).astype(np.asarray({g}).dtype)",
    ),
    aliases={},
    spec=_on_diagonal_spec,
    linear_in=("g",),
    examples=[example([1.0, 2.0], shape=(2, 3)), example([1.0, 2.0], shape=(2, 3), offset=1)],
    helper=True,
)
def on_diagonal(g: Any, *, shape: Shape, offset: int = 0) -> Any:
    """The reverse of `diagonal`."""
    array = np.asarray(g)
    result = np.zeros(tuple(shape), array.dtype)
    rows = np.arange(array.shape[-1])
    result[..., rows + max(-offset, 0), rows + max(offset, 0)] = array
    return result


@on_diagonal.vjp
def _(g: Any, out: Any, given: Any, *, shape: Shape, offset: int) -> Rule:
    return (diagonal(g, offset=offset),)


def _diag_spec(v: Spec, *, k: int) -> Spec:
    _whole(k, "k")
    if len(v.shape) != 1:
        raise ShapeError(
            mark(
                "ops",
                "v is {v}: this makes a matrix of a vector; for the cells of a matrix use diagonal.",
            ),
            v=shape_words(v.shape),
        )
    side = v.shape[0] + abs(k)
    return shapes.checked((side, side), v.dtype)


@op(
    sign="diag",
    category=LINEAR_ALGEBRA,
    family="move",
    summary=mark("ops", "A matrix with a vector on its diagonal and 0 elsewhere."),
    text="diag({v}{attributes})",
    formula=r"\mathrm{diag}(v)",
    code={
        "numpy": "np.diag({v}, {k})",
        "tf": "tf.linalg.diag({v}, k={k})",
        "torch": "torch.diag({v}, {k})",
        "jax": "jnp.diag({v}, {k})",
    },
    aliases={
        "numpy": "diag diagflat",
        "tf": "diag",
        "torch": "diag",
        "jax": "diag",
        "math": "diag",
    },
    spec=_diag_spec,
    linear_in=("v",),
    examples=[example([1.0, 2.0]), example([1.0, 2.0], k=-1)],
)
def diag(v: Any, *, k: int = 0) -> Any:
    """The matrix with v on its k-th diagonal."""
    return np.diag(np.asarray(v), k)


@diag.vjp
def _(g: Any, out: Any, v: Any, *, k: int) -> Rule:
    return (diagonal(g, offset=k),)
