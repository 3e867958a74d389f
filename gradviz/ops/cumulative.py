"""Running totals along an axis.

Products are never divided out: the gradient of a running product is a recurrence that goes backwards, and so is the
gradient of that, so zeros are exact at every order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.errors import ShapeError
from gradviz.ops import shapes
from gradviz.ops.adjoint import full_like
from gradviz.ops.elementwise import divide, exp, multiply, subtract
from gradviz.ops.indexing import put
from gradviz.ops.op import CUMULATIVE, GRADIENT, example, op
from gradviz.ops.reshaping import concat, transpose
from gradviz.ops.selection import equal, where
from gradviz.ops.spec import BOOL, FLOAT64, INT64, Spec
from gradviz.text import mark, shape_words

Rule = tuple[Any, ...]
_ROWS = [[1.0, 2.0, 0.5], [-1.0, 0.25, 3.0]]
_EXAMPLES = [example([1.0, 2.0, -3.0]), example(_ROWS, axis=0), example(_ROWS, axis=-1)]
_FEW_ROWS = 16
_ALL = {"slice": (None, None, None)}


def _along(
    axis: int, rank: int, start: int | None, stop: int | None, step: int | None = None
) -> Any:
    """The index of a slice of one axis."""
    return (*(_ALL,) * (axis % rank), {"slice": (start, stop, step)})


def _part(x: Any, start: int | None, stop: int | None, step: int | None = None) -> Any:
    """x[..., start:stop:step], in symbols."""
    return x[..., slice(start, stop, step)]


def backwards(x: Any, axis: int) -> Any:
    """The order along the axis turned round."""
    return x[(*(slice(None),) * (axis % len(x.shape)), slice(None, None, -1))]


def before(x: Any, fill: float) -> Any:
    """The cell before each along the last axis; `fill` before the first."""
    first = full_like(_part(x, 0, 1), fill=fill)
    return concat(first, _part(x, 0, -1), axis=-1) if x.shape[-1] > 1 else first


def _last(x: Any, axis: int) -> Any:
    """x with `axis` and the last axis exchanged; done twice, x again."""
    rank = len(x.shape)
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return x if order == sorted(order) else transpose(x, axes=tuple(order))


def _total_spec(x: Spec, *, axis: int) -> Spec:
    shapes.one_axis(axis, len(x.shape))
    return shapes.checked(x.shape, INT64 if x.dtype == BOOL else x.dtype)


def _float_spec(x: Spec, *, axis: int) -> Spec:
    shapes.one_axis(axis, len(x.shape))
    return shapes.elementwise_function(x)


@op(
    sign="Σ…",
    category=CUMULATIVE,
    family="map",
    summary=mark("ops", "The running total: each entry is the sum of those up to it."),
    text="cumsum({x}{attributes})",
    formula=r"\sum_{j \le i} x_j",
    code={
        "numpy": "np.cumsum({x}, axis={axis})",
        "tf": "tf.cumsum({x}, axis={axis})",
        "torch": "torch.cumsum({x}, dim={axis})",
        "jax": "jnp.cumsum({x}, axis={axis})",
    },
    aliases={"numpy": "cumsum cumulative_sum", "tf": "cumsum", "torch": "cumsum", "jax": "cumsum"},
    spec=_total_spec,
    linear_in=("x",),
    examples=_EXAMPLES,
)
def cumsum(x: Any, *, axis: int = 0) -> Any:
    """The running sum along the axis."""
    return np.cumsum(x, axis=axis)


@cumsum.vjp
def _(g: Any, out: Any, x: Any, *, axis: int) -> Rule:
    return (backwards(cumsum(backwards(g, axis), axis=axis), axis),)


@op(
    sign="Π…",
    category=CUMULATIVE,
    family="map",
    summary=mark("ops", "The running product: each entry is the product of those up to it."),
    text="cumprod({x}{attributes})",
    formula=r"\prod_{j \le i} x_j",
    code={
        "numpy": "np.cumprod({x}, axis={axis})",
        "tf": "tf.math.cumprod({x}, axis={axis})",
        "torch": "torch.cumprod({x}, dim={axis})",
        "jax": "jnp.cumprod({x}, axis={axis})",
    },
    aliases={
        "numpy": "cumprod cumulative_prod",
        "tf": "cumprod",
        "torch": "cumprod",
        "jax": "cumprod",
    },
    spec=_total_spec,
    examples=[*_EXAMPLES, example([2.0, 0.0, 3.0, 0.0, 1.5])],
)
def cumprod(x: Any, *, axis: int = 0) -> Any:
    """The running product along the axis."""
    return np.cumprod(x, axis=axis)


@cumprod.vjp
def _(g: Any, out: Any, x: Any, *, axis: int) -> Rule:
    axis %= len(x.shape)
    return (_last(cumprod_back(_last(g, axis), _last(out, axis), _last(x, axis)), axis),)


def cumprod_back(g: Any, out: Any, x: Any) -> Any:
    """What comes back through out = cumprod(x) along the last axis, without a division."""
    if 0 in x.shape:
        return g
    return multiply(recurrence_back(g, x), before(out, 1.0))


def _recurrence_spec(a: Spec, b: Spec) -> Spec:
    if a.shape != b.shape or not a.shape:
        raise ShapeError(
            mark("ops", "A recurrence needs two arrays of the same shape, not {a} and {b}."),
            a=shape_words(a.shape),
            b=shape_words(b.shape),
        )
    return shapes.checked(a.shape, shapes.float_dtype(a, b))


def _solve_code(a: str, b: str, turned: bool) -> dict[str, str]:
    """The recurrence as what it solves: a matrix with 1 on the diagonal and -a below it."""
    code = {}
    for framework, m, below in (
        ("numpy", "np", "{a}[..., None] * np.eye({a}.shape[-1], k=-1)"),
        ("tf", "tf", "tf.linalg.diag({a}[..., 1:], k=-1)"),
        ("torch", "torch", "torch.diag_embed({a}[..., 1:], -1)"),
        ("jax", "jnp", "{a}[..., None] * jnp.eye({a}.shape[-1], k=-1)"),
    ):
        matrix = f"{m}.eye({{a}}.shape[-1]) - {below}"
        if turned:
            matrix = (
                f"tf.linalg.matrix_transpose({matrix})"
                if m == "tf"
                else f"{m}.swapaxes({matrix}, -1, -2)"
            )
        code[framework] = f"{m}.linalg.solve({matrix}, {{b}}[..., None])[..., 0]"
    return {
        f: text.replace("{a}", f"{{{a}}}").replace("{b}", f"{{{b}}}") for f, text in code.items()
    }


@op(
    sign="→",
    category=GRADIENT,
    family="map",
    summary=mark("ops", "Each entry is a times the entry before, plus b, along the last axis."),
    text="recurrence of {a}, {b}",
    formula=r"y_i = a_i y_{i-1} + b_i",
    code=_solve_code("a", "b", turned=False),
    aliases={},
    spec=_recurrence_spec,
    linear_in=("b",),
    examples=[
        example([9.0, 2.0, 0.5], [1.0, -1.0, 3.0]),
        example([[9.0, 0.0], [1.0, -2.0]], [[1.0, 2.0], [3.0, 4.0]]),
    ],
    helper=True,
)
def recurrence(a: Any, b: Any) -> Any:
    """y[i] = a[i]·y[i-1] + b[i] along the last axis, from y[-1] = 0."""
    return _run(a, b, range(1, np.shape(b)[-1]), 0, -1)


@recurrence.vjp
def _(g: Any, out: Any, a: Any, b: Any) -> Rule:
    if 0 in a.shape:
        return g, g
    back = recurrence_back(g, a)
    return multiply(back, before(out, 0.0)), back


@op(
    sign="←",
    category=GRADIENT,
    family="map",
    summary=mark("ops", "The same from the end: g plus the next a times the next entry."),
    text="recurrence of {a}, {g} from the end",
    formula=r"y_i = g_i + a_{i+1} y_{i+1}",
    code=_solve_code("a", "g", turned=True),
    aliases={},
    spec=lambda g, a: _recurrence_spec(a, g),
    linear_in=("g",),
    examples=[
        example([1.0, -1.0, 3.0], [9.0, 2.0, 0.5]),
        example([[1.0, 2.0], [3.0, 4.0]], [[9.0, 0.0], [1.0, -2.0]]),
    ],
    helper=True,
)
def recurrence_back(g: Any, a: Any) -> Any:
    """y[i] = g[i] + a[i+1]·y[i+1] along the last axis, from 0 after the end."""
    return _run(a, g, range(np.shape(g)[-1] - 2, -1, -1), 1, 1)


def _run(a: Any, b: Any, places: range, offset: int, neighbour: int) -> Any:
    factors = np.asarray(a)
    result = np.array(
        b, dtype=shapes.float_dtype(*(Spec(np.shape(v), np.asarray(v).dtype) for v in (a, b)))
    )
    if result.dtype == FLOAT64 and result.size < _FEW_ROWS * result.shape[-1]:
        # A step is one number of each row; for few rows, Python's numbers are faster than arrays, and the same.
        length = result.shape[-1]
        rows = []
        for own, row in zip(
            factors.reshape(-1, length).tolist(), result.reshape(-1, length).tolist(), strict=True
        ):
            for i in places:
                row[i] += own[i + offset] * row[i + neighbour]
            rows.append(row)
        return np.array(rows, FLOAT64).reshape(result.shape)
    for i in places:
        result[..., i] += factors[..., i + offset] * result[..., i + neighbour]
    return result


@recurrence_back.vjp
def _(g: Any, out: Any, given: Any, a: Any) -> Rule:
    if 0 in a.shape:
        return g, g
    forward = recurrence(a, g)
    return forward, multiply(out, before(forward, 0.0))


@op(
    sign="ln Σe…",
    category=CUMULATIVE,
    family="map",
    summary=mark("ops", "The logarithm of the running sum of powers of e; it does not overflow."),
    text="cumlogsumexp({x}{attributes})",
    formula=r"\log \sum_{j \le i} e^{x_j}",
    code={
        "numpy": "np.logaddexp.accumulate({x}, axis={axis})",
        "tf": "tf.math.cumulative_logsumexp({x}, axis={axis})",
        "torch": "torch.logcumsumexp({x}, dim={axis})",
        "jax": "jax.lax.cumlogsumexp({x}, axis={axis})",
    },
    aliases={"tf": "cumulative_logsumexp", "torch": "logcumsumexp", "jax": "cumlogsumexp"},
    spec=_float_spec,
    examples=_EXAMPLES,
)
def cumlogsumexp(x: Any, *, axis: int = 0) -> Any:
    """log(cumsum(exp(x))) along the axis, one sum at a time."""
    array = np.asarray(x)
    return np.logaddexp.accumulate(
        array if array.dtype.kind == "f" else array.astype(float), axis=axis
    )


@cumlogsumexp.vjp
def _(g: Any, out: Any, x: Any, *, axis: int) -> Rule:
    if 0 in x.shape:
        return (g,)
    axis %= len(x.shape)
    given, y = _last(x, axis), _last(out, axis)
    # What a total hands on to the one before it is that one's share; no share is above 1.
    share = exp(subtract(before(y, 0.0), y))
    back = multiply(recurrence_back(_last(g, axis), share), exp(subtract(given, y)))
    return (_last(back, axis),)


def _same_spec(x: Spec, *, axis: int) -> Spec:
    shapes.one_axis(axis, len(x.shape))
    return shapes.checked(x.shape, x.dtype)


@op(
    sign="max…",
    category=CUMULATIVE,
    family="route",
    summary=mark("ops", "The largest entry so far; equal largest ones share the gradient."),
    text="cummax({x}{attributes})",
    formula=r"\max_{j \le i} x_j",
    code={
        "numpy": "np.maximum.accumulate({x}, axis={axis})",
        "tf": "tfp.math.scan_associative(tf.maximum, {x}, axis={axis})",
        "torch": "torch.cummax({x}, dim={axis}).values",
        "jax": "jax.lax.cummax({x}, axis={axis} % {x}.ndim)",
    },
    aliases={"numpy": "maximum.accumulate", "torch": "cummax", "jax": "cummax"},
    spec=_same_spec,
    examples=[*_EXAMPLES, example([1.0, 3.0, -2.0, 3.5, 2.0])],
)
def cummax(x: Any, *, axis: int = 0) -> Any:
    """The running maximum along the axis; NaN wins."""
    return np.maximum.accumulate(np.asarray(x), axis=axis)


@cummax.vjp
def _(g: Any, out: Any, x: Any, *, axis: int) -> Rule:
    if 0 in x.shape:
        return (g,)
    axis %= len(x.shape)
    given, top = _last(x, axis), _last(out, axis)
    largest = equal(given, top)
    ones = full_like(top, fill=1.0)
    # From entry to entry the maximum goes on, or a new one begins; those equal to it so far share what arrives.
    onward = where(equal(top, before(top, np.nan)), ones, 0.0)
    count = where(equal(top, top), recurrence(onward, where(largest, ones, 0.0)), 1.0)
    back = where(largest, recurrence_back(divide(_last(g, axis), count), onward), 0.0)
    return (_last(where(equal(top, top), back, np.nan), axis),)


def _diff_spec(x: Spec, *, axis: int) -> Spec:
    at = shapes.one_axis(axis, len(x.shape))
    shapes.numbers(x)
    return shapes.checked(
        tuple(max(n - 1, 0) if i == at else n for i, n in enumerate(x.shape)), x.dtype
    )


@op(
    sign="Δ",
    category=CUMULATIVE,
    family="map",
    summary=mark("ops", "The difference of each entry from the one before it."),
    text="diff({x}{attributes})",
    formula=r"x_{i+1} - x_i",
    code={
        "numpy": "np.diff({x}, axis={axis})",
        "tf": "tf.experimental.numpy.diff({x}, axis={axis})",
        "torch": "torch.diff({x}, dim={axis})",
        "jax": "jnp.diff({x}, axis={axis})",
    },
    aliases={"numpy": "diff", "torch": "diff", "jax": "diff", "math": "Δ"},
    spec=_diff_spec,
    linear_in=("x",),
    examples=_EXAMPLES,
)
def diff(x: Any, *, axis: int = -1) -> Any:
    """x[i+1] - x[i] along the axis."""
    return np.diff(x, axis=axis)


@diff.vjp
def _(g: Any, out: Any, x: Any, *, axis: int) -> Rule:
    rank = len(x.shape)
    if 0 in g.shape:
        return (full_like(x, fill=0.0),)
    return (
        subtract(
            put(g, index=_along(axis, rank, 1, None), shape=x.shape),
            put(g, index=_along(axis, rank, None, -1), shape=x.shape),
        ),
    )
