"""Max and average pooling in one and two dimensions."""

from __future__ import annotations

from math import prod
from typing import Any, cast

import numpy as np

from gradviz.errors import ShapeError
from gradviz.graph.model import Array
from gradviz.ops import shapes
from gradviz.ops.calls import Calls, Dtype, blocks, computed, float_of, maximum, number, view
from gradviz.ops.convolution import PADS
from gradviz.ops.op import GRADIENT, NEURAL, example, op
from gradviz.ops.shapes import Shape
from gradviz.ops.spec import BOOL, FLOAT64, Spec
from gradviz.ops.windows import Pads, each, pads_of, windows
from gradviz.text import mark, shape_words

Rule = tuple[Any, ...]
Size = int | tuple[int, ...]
_LINE = [[[1.0, 2.0, -0.5, 0.25, 3.0], [0.0, -1.0, 3.5, 1.25, -2.0]]]
_IMAGE = [[[[1.0, 2.0, -0.5, 4.0], [0.0, -1.0, 3.0, 0.5], [0.25, 1.5, -2.0, 0.75]]]]


class _Pool:
    """The sizes of a pooling of x (…, space), with two spatial axes, and the views of its windows."""

    def __init__(self, x: Shape, window: Any, stride: Any, padding: Any) -> None:
        rank = self.rank = len(x) - 2
        if rank not in (1, 2):
            raise ShapeError(
                mark("ops", "x is {x}; it needs the axes examples, channels, then space."),
                x=shape_words(x),
            )
        first = (1,) * (2 - rank)
        wide = each(window, rank, "window", 1)
        steps = wide if stride is None else each(stride, rank, "stride", 1)
        pads = pads_of(padding, rank)
        result = windows(x[len(x) - rank :], wide, steps, pads, (1,) * rank)
        self.lead = x[: len(x) - rank]
        self.result = (*self.lead, *result)
        self.window, self.stride = first + wide, first + steps
        self.pads = ((0, 0),) * (2 - rank) + pads
        self.image = first + x[len(x) - rank :]
        self.counts = first + result
        self.offsets = list(np.ndindex(self.window))
        self.padded = any(map(any, self.pads))
        self.apart = all(s >= k for s, k in zip(self.stride, self.window, strict=True))

    def flat(self, calls: Calls, scratch: Any, x: Array, space: Shape) -> Array:
        """x as images: (how many, rows, columns)."""
        return view(calls, scratch, x, (prod(self.lead), *space))

    def room(self, calls: Calls, scratch: Any, x: Array, dtype: Dtype, fill: float) -> Array:
        """x with its padding, which is `fill`; x itself where there is none."""
        if not self.padded and x.dtype == dtype:
            return x
        wide, inside = self.margin(scratch, dtype)
        calls += [(wide.fill, (fill,)), (np.copyto, (inside, x))]
        return wide

    def margin(self, scratch: Any, dtype: Dtype) -> tuple[Array, Array]:
        """An array with room for the padding, and its inside."""
        tall, broad = (n + sum(p) for n, p in zip(self.image, self.pads, strict=True))
        wide = scratch((prod(self.lead), tall, broad), dtype)
        (top, _), (left, _) = self.pads
        return wide, wide[:, top : top + self.image[0], left : left + self.image[1]]

    def cells(self, wide: Array) -> list[Array]:
        """For each offset in the window, the cells that all windows have there."""
        (rows, columns), (s, t) = self.counts, self.stride
        return [
            wide[:, i : i + (rows - 1) * s + 1 : s, j : j + (columns - 1) * t + 1 : t]
            for i, j in self.offsets
        ]


def _pool_of(rank: int) -> Any:
    def spec(x: Spec, *, window: Any, stride: Any, padding: Any) -> Spec:
        shapes.numbers(x)
        if len(x.shape) != rank + 2:
            raise ShapeError(
                mark("ops", "x is {x}; it needs {rank} axes: examples, channels, then space."),
                x=shape_words(x.shape),
                rank=rank + 2,
            )
        return shapes.checked(_pooled(x.shape, window, stride, padding), shapes.float_dtype(x))

    return spec


def _pooled(x: Shape, window: Any, stride: Any, padding: Any) -> Shape:
    pool = _Pool(x, window, stride, padding)
    room = (n + sum(p) for n, p in zip(pool.image, pool.pads, strict=True))
    shapes.checked((*pool.lead, *room), FLOAT64)
    return pool.result


_STRIDE = "np.broadcast_to({stride} or {window}, {r})"
_SLICES = f"(..., *[slice(None, None, s) for s in {_STRIDE}])"


def _windows_text(fill: str, rank: str) -> str:
    """The windows of x in NumPy: an array with the windows' own axes last."""
    text = (
        f"np.moveaxis(np.lib.stride_tricks.sliding_window_view(np.pad({{x}}, ((0, 0), (0, 0), *{PADS}), constant_values="
        f"{fill}), np.broadcast_to({{window}}, {{r}}), tuple(range(2, 2 + {{r}}))), tuple(range(2, 2 + {{r}})), "
        f"tuple(range(-{{r}}, 0)))[{_SLICES}]"
    )
    # The positions of the windows come last for a moment, so that they can be cut.
    return f"np.moveaxis({text}, tuple(range(-{{r}}, 0)), tuple(range(2, 2 + {{r}})))".replace(
        "{r}", rank
    )


_CHOICES = (
    "*[(np.arange(k)[:, None, None] + np.arange((n + p[0] + p[1] - k) // s + 1)[:, None] * s - p[0] == np.arange(n)) * 1.0 "
    "for n, k, s, p in zip({image}[2:], np.broadcast_to({window}, {r}), "
    f"{_STRIDE}, {PADS})]"
)


def _sent_text(texts: dict[int, str], first: str, image: str, rank: str) -> str:
    choices = _CHOICES.replace("{image}", image).replace("{r}", rank)
    letters = repr(texts).replace("{", "{{").replace("}", "}}")
    return f"np.einsum({letters}[{rank}], {first}, {choices})"


def _first_text(rank: str) -> str:
    """1 at the first cell of each window that is its largest, else 0."""
    view = _windows_text("np.nan", rank)
    return (
        f"(lambda w, y: (lambda q: (np.arange(q.shape[-1]) == np.argmax(q, -1)[..., None]).reshape(w.shape) * 1.0)(("
        f"w == y[(..., *[None] * {rank})]).reshape(*y.shape, -1)))({view}, {{y}})"
    )


_RANK_X = "({x}.ndim - 2)"


def _torch_code(rank: int, kind: str, more: str = "") -> str:
    fill = "float('-inf')" if kind == "max" else "0.0"
    pads = f"({{padding}} if isinstance({{padding}}, tuple) else ({{padding}},) * {rank})"
    padded = (
        f"torch.nn.functional.pad({{x}}, [n for p in reversed({pads}) for n in ((p, p) if isinstance(p, int) else p)], "
        f"value={fill})"
    )
    return f"torch.nn.functional.{kind}_pool{rank}d({padded}, {{window}}, {{stride}}{more})"


def _code(rank: int, kind: str) -> dict[str, str]:
    """The code of a pooling."""
    inside = f"tuple(range(-{rank}, 0))"
    whole = _windows_text("-np.inf" if kind == "max" else "0.0", str(rank))
    torch = _torch_code(rank, kind)
    size = f"(1, 1, *np.broadcast_to({{window}}, {rank}))"
    step = f"(1, 1, *np.broadcast_to({{stride}} or {{window}}, {rank}))"
    pads = "((0, 0), (0, 0), *" + PADS.replace("{r}", str(rank)) + ")"
    reducer = (
        f"jax.lax.reduce_window({{x}}, -jnp.inf, jax.lax.max, {size}, {step}, {pads})"
        if kind == "max"
        else f"jax.lax.reduce_window({{x}}, 0.0, jax.lax.add, {size}, {step}, {pads}) / np.prod({size})"
    )
    name = "max" if kind == "max" else "mean"
    tf = f"tf.numpy_function(lambda x: np.{name}({whole.replace('{x}', 'x')}, axis={inside}), [{{x}}], {{x}}.dtype)"
    return {"numpy": f"np.{name}({whole}, axis={inside})", "tf": tf, "torch": torch, "jax": reducer}


def _max_calls(
    scratch: Any, out: Array, x: Array, *, window: Any, stride: Any, padding: Any
) -> Calls:
    pool = _Pool(x.shape, window, stride, padding)
    calls: Calls = []
    if not out.size:
        return calls
    x = pool.flat(calls, scratch, x, pool.image)
    into = out.reshape(-1, *pool.counts)
    first, *others = pool.cells(pool.room(calls, scratch, x, out.dtype, -np.inf))
    for part in blocks(x.shape, (1, 2), out.dtype):
        rows = into[part]
        calls.append((np.copyto, (rows, first[part])))
        calls += [(maximum, (rows, other[part], rows)) for other in others]
    return calls


def _average_calls(
    scratch: Any, out: Array, x: Array, *, window: Any, stride: Any, padding: Any
) -> Calls:
    pool = _Pool(x.shape, window, stride, padding)
    calls: Calls = []
    if not out.size:
        return calls
    x = pool.flat(calls, scratch, x, pool.image)
    into, count = out.reshape(-1, *pool.counts), number(float(prod(pool.window)), out.dtype)
    first, *others = pool.cells(pool.room(calls, scratch, x, out.dtype, 0.0))
    for part in blocks(x.shape, (1, 2), out.dtype):
        rows = into[part]
        calls.append((np.copyto, (rows, first[part])))
        calls += [(np.add, (rows, other[part], rows)) for other in others]
        calls.append((np.divide, (rows, count, rows)))
    return calls


_MAX_TEXT = mark(
    "ops", "The largest number of each window; of equal ones the first gets the gradient."
)
_MEAN_TEXT = mark("ops", "The mean of each window; cells of the padding count as 0.")


@op(
    sign="max",
    category=NEURAL,
    family="route",
    summary=_MAX_TEXT,
    text="max_pool1d({x}{attributes})",
    formula=r"\max_k x_{n,c,i \cdot stride + k}",
    code=_code(1, "max"),
    aliases={"tf": "max_pool1d MaxPool1D", "torch": "max_pool1d MaxPool1d"},
    spec=_pool_of(1),
    examples=[
        example(_LINE, window=2),
        example(_LINE, window=(3,), stride=(1,), padding=((1, 0),)),
    ],
)
def max_pool1d(x: Any, *, window: Size, stride: Size | None = None, padding: Pads = 0) -> Any:
    """The maximum of each window along the last axis; stride: the window's length if None; padding is -inf."""
    return _max(x, window, stride, padding)


@op(
    sign="max",
    category=NEURAL,
    family="route",
    summary=_MAX_TEXT,
    text="max_pool2d({x}{attributes})",
    formula=r"\max_{k,l} x_{n,c,i \cdot stride + k,j \cdot stride + l}",
    code=_code(2, "max"),
    aliases={
        "tf": "max_pool max_pool2d MaxPool2D",
        "torch": "max_pool2d MaxPool2d",
        "jax": "max_pool reduce_window",
    },
    spec=_pool_of(2),
    examples=[
        example(_IMAGE, window=2),
        example(_IMAGE, window=(2, 3), stride=(2, 1), padding=((0, 1), (1, 1))),
    ],
)
def max_pool2d(x: Any, *, window: Size, stride: Size | None = None, padding: Pads = 0) -> Any:
    """The maximum of each window of the last two axes; stride: the window's size if None; padding is -inf."""
    return _max(x, window, stride, padding)


def _max(x: Any, window: Any, stride: Any, padding: Any) -> Any:
    shape = _Pool(np.shape(x), window, stride, padding).result
    return computed(
        _max_calls, shape, float_of(x), x, window=window, stride=stride, padding=padding
    )


def _max_rule(g: Any, out: Any, x: Any, **settings: Any) -> Rule:
    return (max_pool_back(g, out, x, **settings),)


for _op in (max_pool1d, max_pool2d):
    _op.kernel(_max_calls)
    _op.vjp(_max_rule)


def _back_spec(g: Spec, y: Spec, x: Spec, *, window: Any, stride: Any, padding: Any) -> Spec:
    _fits(g.shape, y.shape)
    _fits(y.shape, _pooled(x.shape, window, stride, padding))
    return shapes.checked(x.shape, shapes.float_dtype(g, x))


def _fits(given: Shape, wanted: Shape) -> None:
    if given != wanted:
        raise ShapeError(
            mark("ops", "{given} does not fit {wanted}."),
            given=shape_words(given),
            wanted=shape_words(wanted),
        )


_BACK_TORCH = {
    kind: f"torch.autograd.grad({_torch_code(2, kind)}, {{x}}, {{g}}{more})[0]"
    for kind, more in (("max", " + 0 * {y}"), ("avg", ""))
}
_AWAY = {1: "ncik,nci,kip->ncp", 2: "ncijkl,ncij,kip,ljq->ncpq"}
_TOWARDS = {1: "ncik,ncp,kip->nci", 2: "ncijkl,ncpq,kip,ljq->ncij"}
_EVEN = {1: "nci,kip->ncp", 2: "ncij,kip,ljq->ncpq"}


def _routed(texts: dict[int, str]) -> dict[str, str]:
    numpy = _sent_text(texts, f"{_first_text(_RANK_X)}, {{g}}", "{x}.shape", _RANK_X)
    inner = numpy
    for name in ("g", "y", "x"):
        inner = inner.replace(f"{{{name}}}", name)
    inputs = "[{g}, {y}, {x}], {g}.dtype"
    jax = numpy.replace("np.einsum", "jnp.einsum")
    return {
        "numpy": numpy,
        "tf": f"tf.numpy_function(lambda g, y, x: {inner}, {inputs})",
        "torch": _BACK_TORCH["max"],
        "jax": jax,
    }


@op(
    sign="⇠",
    category=GRADIENT,
    family="route",
    summary=mark("ops", "Sends g to the first largest cell of each window, and 0 to the others."),
    text="{g} to the cells of {x} that are the {y} of their windows",
    formula=r"g \cdot [x = y]",
    code=_routed(_AWAY),
    aliases={},
    spec=_back_spec,
    linear_in=("g",),
    examples=[
        example([[[[1.0, -2.0]]]], [[[[2.0, 4.0]]]], _IMAGE, window=2),
        example([[[1.0, -2.0, 0.5], [3.0, 1.0, 2.0]]], [[[2.0, 2.0, 3.0], [0.0, 3.5, 1.25]]], _LINE,
                window=3, stride=2, padding=1),
    ],
    helper=True,
)  # fmt: skip
def max_pool_back(
    g: Any, y: Any, x: Any, *, window: Size, stride: Size | None = None, padding: Pads = 0
) -> Any:
    """g at the first cell of each window that equals its maximum y (the first NaN where y is one)."""
    return computed(
        _max_back_calls, np.shape(x), float_of(g, x), g, y, x,
        window=window, stride=stride, padding=padding,
    )  # fmt: skip


def _as(calls: Calls, scratch: Any, x: Array, dtype: Dtype) -> Array:
    """x in that dtype."""
    if x.dtype == dtype:
        return x
    copied: Array = scratch(x.shape, dtype)
    calls.append((np.copyto, (copied, x)))
    return copied


@max_pool_back.kernel
def _max_back_calls(
    scratch: Any, out: Array, g: Array, y: Array, x: Array,
    *, window: Any, stride: Any, padding: Any,
) -> Calls:  # fmt: skip
    pool = _Pool(x.shape, window, stride, padding)
    calls: Calls = [(out.fill, (0.0,))]
    if not out.size or not g.size:
        return calls
    # A cell of the padding equals nothing.
    wide = pool.room(calls, scratch, pool.flat(calls, scratch, x, pool.image), out.dtype, np.nan)
    amount, top = (_as(calls, scratch, a, out.dtype) for a in (g, y))
    amount, top = (pool.flat(calls, scratch, a, pool.counts) for a in (amount, top))
    into = out.reshape(-1, *pool.image)
    room, inside = pool.margin(scratch, out.dtype) if pool.padded else (into, into)
    if pool.padded:
        calls.append((room.fill, (0.0,)))
    bits = np.dtype(f"i{out.dtype.itemsize}")
    parts = list(blocks(wide.shape, (1, 2), out.dtype))
    some = amount[parts[0]].shape
    equal, free = (scratch(some, BOOL) for _ in range(2))
    mask = scratch(some, bits)
    sent = mask.view(out.dtype)
    minus = np.asarray(-1, np.int8)
    for part in parts:
        values, largest = amount[part], top[part]
        count = len(values)
        found, left, bit, share = equal[:count], free[:count], mask[:count], sent[:count]
        calls.append((left.fill, (True,)))
        cells = [
            (a[part], b[part]) for a, b in zip(pool.cells(wide), pool.cells(room), strict=True)
        ]
        for cell, target in cells:
            calls += [
                (np.equal, (cell, largest, found)),
                (np.logical_and, (found, left, found)),
                (np.logical_xor, (left, found, left)),
                # All bits of g, or none: a gate selects.
                (np.multiply, (found.view(np.int8), minus, bit)),
            ]
            if pool.apart:
                calls.append((np.bitwise_and, (values.view(bits), bit, target.view(bits))))
            else:
                calls += [
                    (np.bitwise_and, (values.view(bits), bit, bit)),
                    (np.add, (target, share, target)),
                ]
        calls.append((_to_nan, (left, cells, values, pool, part)))
    if pool.padded:
        calls.append((np.copyto, (into, inside)))
    return calls


def _to_nan(
    left: Array, cells: list[tuple[Array, Array]], g: Array, pool: _Pool, part: slice
) -> None:
    """Where nothing equals the maximum it is a NaN: g goes to the first one."""
    if not left.any():
        return
    _, inside = room = pool.margin(np.zeros, BOOL)
    inside[...] = True
    for (cell, target), real in zip(cells, pool.cells(room[0]), strict=True):
        chosen = left & np.isnan(cell) & real[part]
        target[chosen] += g[chosen]
        left[chosen] = False


@max_pool_back.vjp
def _(g: Any, out: Any, given: Any, y: Any, x: Any, **settings: Any) -> Rule:
    return max_pool_at(g, y, x, **settings), None, None


def _at_spec(g: Spec, y: Spec, x: Spec, *, window: Any, stride: Any, padding: Any) -> Spec:
    _fits(g.shape, x.shape)
    _fits(y.shape, _pooled(x.shape, window, stride, padding))
    return shapes.checked(y.shape, shapes.float_dtype(g))


@op(
    sign="⇢",
    category=GRADIENT,
    family="route",
    summary=mark("ops", "Takes the cell of g where the first largest of each window stands."),
    text="{g} at the cells of {x} that are the {y} of their windows",
    formula=r"\sum g \cdot [x = y]",
    code=_routed(_TOWARDS),
    aliases={},
    spec=_at_spec,
    linear_in=("g",),
    examples=[example([[[1.0, -2.0, 0.5, 3.0, 1.0], [2.0, 0.25, -1.0, 1.5, 4.0]]], [[[2.0, 2.0, 3.0], [0.0, 3.5, 1.25]]],
                      _LINE, window=3, stride=2, padding=1)],
    helper=True,
)  # fmt: skip
def max_pool_at(
    g: Any, y: Any, x: Any, *, window: Size, stride: Size | None = None, padding: Pads = 0
) -> Any:
    """The cell of g for each window, where `max_pool_back` would send."""
    pool = _Pool(np.shape(x), window, stride, padding)
    calls: Calls = []
    wide = pool.room(calls, np.empty, np.reshape(x, (-1, *pool.image)), float_of(x), np.nan)
    amounts = pool.room(calls, np.empty, np.reshape(g, (-1, *pool.image)), float_of(g), 0)
    for function, arguments in calls:
        function(*arguments)
    top = np.reshape(y, (-1, *pool.counts))
    found = np.zeros(top.shape, float_of(g))
    left: Array = np.ones(top.shape, BOOL)
    _, inside = room = pool.margin(np.zeros, BOOL)
    inside[...] = True
    sources = list(zip(pool.cells(wide), pool.cells(amounts), pool.cells(room[0]), strict=True))
    for nan in (False, True):
        for cell, amount, real in sources:
            chosen = left & cast(Any, real) & (np.isnan(cell) if nan else np.equal(cell, top))
            found = np.where(chosen, amount, found)
            left[chosen] = False
    return found.reshape(pool.result)


@max_pool_at.vjp
def _(g: Any, out: Any, given: Any, y: Any, x: Any, **settings: Any) -> Rule:
    return max_pool_back(g, y, x, **settings), None, None


@op(
    sign="x̄",
    category=NEURAL,
    family="reduce",
    summary=_MEAN_TEXT,
    text="avg_pool1d({x}{attributes})",
    formula=r"\frac{1}{n} \sum_k x_{n,c,i \cdot stride + k}",
    code=_code(1, "avg"),
    aliases={"tf": "avg_pool1d AveragePooling1D", "torch": "avg_pool1d AvgPool1d"},
    spec=_pool_of(1),
    linear_in=("x",),
    examples=[
        example(_LINE, window=2),
        example(_LINE, window=(3,), stride=(2,), padding=((1, 1),)),
    ],
)
def avg_pool1d(x: Any, *, window: Size, stride: Size | None = None, padding: Pads = 0) -> Any:
    """The mean of each window along the last axis; stride: the window's length if None; the padding's zeros count."""
    return _average(x, window, stride, padding)


@op(
    sign="x̄",
    category=NEURAL,
    family="reduce",
    summary=_MEAN_TEXT,
    text="avg_pool2d({x}{attributes})",
    formula=r"\frac{1}{n} \sum_{k,l} x_{n,c,i \cdot stride + k,j \cdot stride + l}",
    code=_code(2, "avg"),
    aliases={
        "tf": "avg_pool avg_pool2d AveragePooling2D",
        "torch": "avg_pool2d AvgPool2d",
        "jax": "avg_pool",
    },
    spec=_pool_of(2),
    linear_in=("x",),
    examples=[
        example(_IMAGE, window=2),
        example(_IMAGE, window=(2, 3), stride=(2, 1), padding=((0, 1), (1, 1))),
    ],
)
def avg_pool2d(x: Any, *, window: Size, stride: Size | None = None, padding: Pads = 0) -> Any:
    """The mean of each window of the last two axes; stride: the window's size if None; the padding's zeros count."""
    return _average(x, window, stride, padding)


def _average(x: Any, window: Any, stride: Any, padding: Any) -> Any:
    shape = _Pool(np.shape(x), window, stride, padding).result
    return computed(
        _average_calls, shape, float_of(x), x, window=window, stride=stride, padding=padding
    )


def _average_rule(g: Any, out: Any, x: Any, **settings: Any) -> Rule:
    return (avg_pool_back(g, shape=x.shape, **settings),)


for _op in (avg_pool1d, avg_pool2d):
    _op.kernel(_average_calls)
    _op.vjp(_average_rule)


def _spread_spec(g: Spec, *, shape: Any, window: Any, stride: Any, padding: Any) -> Spec:
    wanted = shapes.shape_attribute(shape)
    _fits(g.shape, _pooled(wanted, window, stride, padding))
    return shapes.checked(wanted, shapes.cotangent(g))


_RANK_G = "({g}.ndim - 2)"
_SPREAD = (
    _sent_text(_EVEN, "{g}", "{shape}", _RANK_G)
    + f" / np.prod(np.broadcast_to({{window}}, {_RANK_G}))"
)


@op(
    sign="⇲",
    category=GRADIENT,
    family="spread",
    summary=mark("ops", "Shares g out evenly among the cells of each window."),
    text="{g} shared out over windows of {shape}",
    formula=r"\frac{1}{n} \sum g",
    code={
        "numpy": _SPREAD,
        "tf": f"tf.numpy_function(lambda g: {_SPREAD.replace('{g}', 'g')}, [{{g}}], {{g}}.dtype)",
        "torch": f"torch.from_numpy({_SPREAD.replace('{g}', '{g}.numpy()')})",
        "jax": _SPREAD.replace("np.einsum", "jnp.einsum"),
    },
    aliases={},
    spec=_spread_spec,
    linear_in=("g",),
    examples=[
        example([[[[1.0, -2.0]]]], shape=(1, 1, 3, 4), window=2),
        example([[[1.0, -2.0, 0.5]]], shape=(1, 1, 5), window=3, stride=2, padding=1),
    ],
    helper=True,
)
def avg_pool_back(
    g: Any, *, shape: Shape, window: Size, stride: Size | None = None, padding: Pads = 0
) -> Any:
    """What comes back to an input of `shape` when g arrives at the means of its windows."""
    settings: dict[str, Any] = {"window": window, "stride": stride, "padding": padding}
    return computed(_average_back_calls, tuple(shape), float_of(g), g, shape=shape, **settings)


@avg_pool_back.kernel
def _average_back_calls(
    scratch: Any, out: Array, g: Array, *, shape: Shape, window: Any, stride: Any, padding: Any
) -> Calls:
    pool = _Pool(tuple(shape), window, stride, padding)
    calls: Calls = [(out.fill, (0.0,))]
    if not out.size or not g.size:
        return calls
    share = scratch((prod(pool.lead), *pool.counts), out.dtype)
    count = number(float(prod(pool.window)), out.dtype)
    calls.append((np.divide, (pool.flat(calls, scratch, g, pool.counts), count, share)))
    into = out.reshape(-1, *pool.image)
    room, inside = pool.margin(scratch, out.dtype) if pool.padded else (into, into)
    if pool.padded:
        calls.append((room.fill, (0.0,)))
    calls += [(np.add, (cell, share, cell)) for cell in pool.cells(room)]
    if pool.padded:
        calls.append((np.copyto, (into, inside)))
    return calls


@avg_pool_back.vjp
def _(g: Any, out: Any, given: Any, *, shape: Shape, **settings: Any) -> Rule:
    return ((avg_pool1d if len(shape) == 3 else avg_pool2d)(g, **settings),)
