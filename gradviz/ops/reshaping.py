"""Moving cells without computing: their gradients move back the same way."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.errors import ShapeError
from gradviz.ops import shapes
from gradviz.ops.indexing import getitem
from gradviz.ops.op import LINEAR_ALGEBRA, SHAPE, example, op
from gradviz.ops.shapes import Axis, Shape
from gradviz.ops.spec import Spec
from gradviz.text import mark

Rule = tuple[Any, ...]


@op(
    sign="▦",
    category=SHAPE,
    family="move",
    summary=mark("ops", "Writes the same cells, row by row, into another shape."),
    text="reshape({x}, {shape})",
    formula=r"\mathrm{reshape}(x)",
    code={
        "numpy": "np.reshape({x}, {shape})",
        "tf": "tf.reshape({x}, {shape})",
        "torch": "torch.reshape({x}, {shape})",
        "jax": "jnp.reshape({x}, {shape})",
    },
    aliases={
        "numpy": "reshape",
        "tf": "reshape",
        "torch": "reshape view",
        "jax": "reshape",
        "math": "reshape",
    },
    spec=lambda x, *, shape: shapes.checked(shapes.reshaped(x.shape, shape), x.dtype),
    linear_in=("x",),
    examples=[
        example([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], shape=(3, 2)),
        example([1.0, 2.0], shape=(-1, 1)),
    ],
)
def reshape(x: Any, *, shape: Shape) -> Any:
    """The same cells in C order; one length may be -1."""
    return np.reshape(x, shape)


@reshape.vjp
def _(g: Any, out: Any, x: Any, *, shape: Shape) -> Rule:
    return (g if out.shape == x.shape else reshape(g, shape=x.shape),)


def _permutation(axes: Any, rank: int) -> tuple[int, ...]:
    if axes is None:
        return tuple(reversed(range(rank)))
    found = tuple(shapes.one_axis(a, rank) for a in axes)
    if sorted(found) != list(range(rank)):
        raise ShapeError(
            mark("ops", "The axes {axes} must name each of the {rank} axes once."),
            axes=tuple(axes),
            rank=rank,
        )
    return found


@op(
    sign="ᵀ",
    category=LINEAR_ALGEBRA,
    family="move",
    summary=mark("ops", "Swaps rows and columns; for more axes, reverses or reorders them."),
    text="transpose({x}{attributes})",
    formula="x^{T}",
    code={
        "numpy": "np.transpose({x}, {axes})",
        "tf": "tf.transpose({x}, {axes})",
        "torch": "{x}.permute({axes})",
        "jax": "jnp.transpose({x}, {axes})",
    },
    aliases={
        "numpy": "transpose permute_dims",
        "tf": "transpose",
        "torch": "permute",
        "jax": "transpose",
        "math": "T transpose",
    },
    spec=lambda x, *, axes: shapes.checked(
        tuple(x.shape[i] for i in _permutation(axes, len(x.shape))), x.dtype
    ),
    linear_in=("x",),
    examples=[
        example([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
        example([[[1.0, 2.0]], [[3.0, 4.0]]], axes=(2, 0, 1)),
    ],
)
def transpose(x: Any, *, axes: Shape | None = None) -> Any:
    """The axes reversed, or in the order given."""
    return np.transpose(x, axes)


@transpose.vjp
def _(g: Any, out: Any, x: Any, *, axes: Shape | None) -> Rule:
    order = _permutation(axes, len(x.shape))
    if order == tuple(range(len(order))):
        return (g,)
    if axes is None:
        return (transpose(g),)
    return (transpose(g, axes=tuple(order.index(i) for i in range(len(order)))),)


def _matrix_transpose_spec(x: Spec) -> Spec:
    if len(x.shape) < 2:
        raise ShapeError(mark("ops", "Only a matrix has rows and columns to swap."))
    return shapes.checked((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)


@op(
    sign="ᵀ",
    category=LINEAR_ALGEBRA,
    family="move",
    summary=mark("ops", "Swaps the last two axes: rows become columns, in each matrix of a batch."),
    text="{x}ᵀ",
    formula="x^{T}",
    code={
        "numpy": "np.swapaxes({x}, -1, -2)",
        "tf": "tf.linalg.matrix_transpose({x})",
        "torch": "{x}.mT",
        "jax": "jnp.matrix_transpose({x})",
    },
    aliases={
        "numpy": "matrix_transpose",
        "tf": "matrix_transpose",
        "torch": "mT",
        "jax": "matrix_transpose",
    },
    spec=_matrix_transpose_spec,
    linear_in=("x",),
    examples=[example([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])],
)
def matrix_transpose(x: Any) -> Any:
    """The last two axes swapped."""
    return np.swapaxes(x, -1, -2)


@matrix_transpose.vjp
def _(g: Any, out: Any, x: Any) -> Rule:
    return (matrix_transpose(g),)


def _new_axes(rank: int, axis: Any) -> tuple[int, ...]:
    given = axis if isinstance(axis, tuple | list) else (axis,)
    return shapes.axes_of(tuple(given), rank + len(given))


def _expanded(shape: Shape, axis: Any) -> Shape:
    new = _new_axes(len(shape), axis)
    rest = iter(shape)
    return tuple(1 if i in new else next(rest) for i in range(len(shape) + len(new)))


@op(
    sign="+1",
    category=SHAPE,
    family="move",
    summary=mark("ops", "Adds an axis of length 1."),
    text="expand_dims({x}, axis={axis})",
    formula=r"\mathrm{expand}(x)",
    code={
        "numpy": "np.expand_dims({x}, {axis})",
        "tf": "tf.expand_dims({x}, {axis})",
        "torch": "torch.unsqueeze({x}, {axis})",
        "jax": "jnp.expand_dims({x}, {axis})",
    },
    aliases={
        "numpy": "expand_dims",
        "tf": "expand_dims",
        "torch": "unsqueeze",
        "jax": "expand_dims",
    },
    spec=lambda x, *, axis: shapes.checked(_expanded(x.shape, axis), x.dtype),
    linear_in=("x",),
    examples=[example([1.0, 2.0], axis=0), example([1.0, 2.0], axis=-1)],
)
def expand_dims(x: Any, *, axis: Axis) -> Any:
    """One more axis, of length 1, at the place given."""
    return np.expand_dims(x, axis)  # type: ignore[arg-type]


@expand_dims.vjp
def _(g: Any, out: Any, x: Any, *, axis: Axis) -> Rule:
    new = _new_axes(len(x.shape), axis)
    return (squeeze(g, axis=new) if new else g,)


def _squeezed(shape: Shape, axis: Axis) -> Shape:
    if axis is None:
        return tuple(n for n in shape if n != 1)
    gone = shapes.axes_of(axis, len(shape))
    long = [i for i in gone if shape[i] != 1]
    if long:
        raise ShapeError(
            mark("ops", "Axis {axis} has length {length}; only axes of length 1 can go."),
            axis=long[0],
            length=shape[long[0]],
        )
    return tuple(n for i, n in enumerate(shape) if i not in gone)


@op(
    sign="−1",
    category=SHAPE,
    family="move",
    summary=mark("ops", "Removes axes of length 1."),
    text="squeeze({x}{attributes})",
    formula=r"\mathrm{squeeze}(x)",
    code={
        "numpy": "np.squeeze({x}, {axis})",
        "tf": "tf.squeeze({x}, {axis})",
        "torch": "torch.squeeze({x}, {axis})",
        "jax": "jnp.squeeze({x}, {axis})",
    },
    aliases={"numpy": "squeeze", "tf": "squeeze", "torch": "squeeze", "jax": "squeeze"},
    spec=lambda x, *, axis: shapes.checked(_squeezed(x.shape, axis), x.dtype),
    linear_in=("x",),
    examples=[example([[1.0, 2.0]]), example([[[1.0], [2.0]]], axis=(0,))],
)
def squeeze(x: Any, *, axis: Axis = None) -> Any:
    """Without the axes given, or without all of length 1."""
    return np.squeeze(x, axis)


@squeeze.vjp
def _(g: Any, out: Any, x: Any, *, axis: Axis) -> Rule:
    return (g if out.shape == x.shape else reshape(g, shape=x.shape),)


def _concat_spec(*xs: Spec, axis: int) -> Spec:
    ranks = {len(x.shape) for x in xs}
    if len(ranks) > 1 or ranks == {0}:
        raise ShapeError(mark("ops", "All parts need the same number of axes, at least one."))
    joined = shapes.one_axis(axis, ranks.pop())
    others = {x.shape[:joined] + x.shape[joined + 1 :] for x in xs}
    if len(others) > 1:
        raise ShapeError(
            mark(
                "ops", "The parts are {parts}: apart from axis {axis} their lengths must be equal."
            ),
            parts=", ".join("×".join(map(str, x.shape)) for x in xs),
            axis=joined,
        )
    length = sum(x.shape[joined] for x in xs)
    shape = xs[0].shape
    return shapes.checked((*shape[:joined], length, *shape[joined + 1 :]), shapes.result_dtype(*xs))


@op(
    sign="⧺",
    category=SHAPE,
    family="move",
    summary=mark("ops", "Puts arrays one after the other along an axis."),
    text="concat({xs}{attributes})",
    formula="[xs]",
    code={
        "numpy": "np.concatenate([{xs}], axis={axis})",
        "tf": "tf.concat([{xs}], axis={axis})",
        "torch": "torch.cat([{xs}], dim={axis})",
        "jax": "jnp.concatenate([{xs}], axis={axis})",
    },
    aliases={
        "numpy": "concatenate concat",
        "tf": "concat",
        "torch": "cat concat",
        "jax": "concatenate",
    },
    spec=_concat_spec,
    linear_in=("xs",),
    examples=[
        example([[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]),
        example([[1.0, 2.0]], [[3.0]], axis=1),
    ],
)
def concat(*xs: Any, axis: int = 0) -> Any:
    """The arrays joined along an existing axis."""
    return np.concatenate(xs, axis=axis)


@concat.vjp
def _(g: Any, out: Any, *xs: Any, axis: int) -> Rule:
    if len(xs) == 1:
        return (g,)
    joined = shapes.one_axis(axis, len(out.shape))
    before = ({"slice": (None, None, None)},) * joined
    parts = []
    start = 0
    for x in xs:
        stop = start + x.shape[joined]
        parts.append(getitem(g, index=(*before, {"slice": (start, stop, None)})))
        start = stop
    return tuple(parts)
