"""Reductions: many cells become fewer. Their gradients spread one number over many cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.errors import ShapeError
from gradviz.ops import shapes
from gradviz.ops.elementwise import divide
from gradviz.ops.op import GRADIENT, REDUCTIONS, example, op
from gradviz.ops.shapes import Axis, Shape
from gradviz.ops.spec import BOOL, FLOAT64, INT64, Spec
from gradviz.text import mark

Rule = tuple[Any, ...]
_EXAMPLES = [
    example([[1.0, 2.0, 3.0], [4.0, 5.5, 6.0]]),
    example([[1.0, 2.0, 3.0], [4.0, 5.5, 6.0]], axis=0),
    example([[1.0, 2.0, 3.0], [4.0, 5.5, 6.0]], axis=(-1,), keepdims=True),
]


def _reduction_code(name: str, torch: str | None = None, tf: str | None = None) -> dict[str, str]:
    return {
        "numpy": f"np.{name}({{x}}, axis={{axis}}, keepdims={{keepdims}})",
        "tf": f"tf.{tf or 'reduce_' + name}({{x}}, axis={{axis}}, keepdims={{keepdims}})",
        "torch": f"torch.{torch or name}({{x}}, dim={{axis}}, keepdim={{keepdims}})",
        "jax": f"jnp.{name}({{x}}, axis={{axis}}, keepdims={{keepdims}})",
    }


_MODULES = {"numpy": "np", "tf": "tf", "torch": "torch", "jax": "jnp"}


def _kept(module: str) -> str:
    """Code for the shape after a reduction that keeps its axes."""
    if module == "tf":
        return "tf.reduce_sum(tf.zeros({shape}), axis={axis}, keepdims=True).shape"
    keep = "dim={axis}, keepdim=True" if module == "torch" else "axis={axis}, keepdims=True"
    return f"{module}.sum({module}.zeros({{shape}}), {keep}).shape"


def _share_code(arriving: str) -> dict[str, str]:
    """Code that keeps what arrives at the largest cells, in equal shares."""
    code = {}
    for framework, m in _MODULES.items():
        keep = "dim={axis}, keepdim=True" if m == "torch" else "axis={axis}, keepdims=True"
        peak, total = {"tf": ("reduce_max", "reduce_sum"), "torch": ("amax", "sum")}.get(
            m, ("max", "sum")
        )
        top = f"{m}.{peak}({{x}}, {keep})"
        cells = f"({{x}} == {top})"
        count = f"{m}.{total}({cells} * 1.0, {keep})"
        filled = arriving.replace("{m}", m).replace("{top}", top)
        code[framework] = f"{m}.where({cells}, {filled} / {count}, 0.0)"
    return code


def _sum_spec(x: Spec, *, axis: Axis, keepdims: bool) -> Spec:
    dtype = INT64 if x.dtype == BOOL else x.dtype
    return shapes.checked(shapes.reduced(x.shape, axis, keepdims), dtype)


@op(
    sign="Σ",
    category=REDUCTIONS,
    family="reduce",
    summary=mark("ops", "Adds every entry, or every entry along an axis."),
    text="sum({x}{attributes})",
    formula=r"\sum x",
    code=_reduction_code("sum"),
    aliases={"numpy": "sum", "tf": "reduce_sum", "torch": "sum", "jax": "sum", "math": "sum Σ"},
    spec=_sum_spec,
    linear_in=("x",),
    examples=_EXAMPLES,
)
def sum_(x: Any, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The sum along the axes; all of them for None."""
    return np.sum(x, axis=axis, keepdims=keepdims)


@sum_.vjp
def _(g: Any, out: Any, x: Any, *, axis: Axis, keepdims: bool) -> Rule:
    return (_spread(g, out, x, axis, keepdims),)


def _spread(g: Any, out: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
    """`spread`, unless there was nothing to add up."""
    same = out.shape == x.shape
    return g if same else spread(g, shape=x.shape, axis=axis, keepdims=keepdims)


@op(
    sign="x̄",
    category=REDUCTIONS,
    family="reduce",
    summary=mark("ops", "The average of every entry, or along an axis."),
    text="mean({x}{attributes})",
    formula=r"\frac{1}{n} \sum x",
    code=_reduction_code("mean"),
    aliases={
        "numpy": "mean average",
        "tf": "reduce_mean",
        "torch": "mean",
        "jax": "mean",
        "math": "mean avg",
    },
    spec=lambda x, *, axis, keepdims: shapes.checked(
        shapes.reduced(x.shape, axis, keepdims), shapes.float_dtype(x)
    ),
    linear_in=("x",),
    examples=_EXAMPLES,
)
def mean(x: Any, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The mean along the axes; NaN where there is nothing to average."""
    total = np.sum(
        x, axis=axis, keepdims=keepdims, dtype=None if np.asarray(x).dtype.kind == "f" else FLOAT64
    )
    return np.divide(total, float(count_of(np.shape(x), axis)))


@mean.vjp
def _(g: Any, out: Any, x: Any, *, axis: Axis, keepdims: bool) -> Rule:
    count = count_of(x.shape, axis)
    share = g if count == 1 else divide(g, float(count))
    return (_spread(share, out, x, axis, keepdims),)


def count_of(shape: Shape, axis: Axis) -> int:
    """How many cells of an array of that shape a reduction takes together."""
    count = 1
    for i in shapes.axes_of(axis, len(shape)):
        count *= shape[i]
    return count


def _max_spec(x: Spec, *, axis: Axis, keepdims: bool) -> Spec:
    if any(x.shape[i] == 0 for i in shapes.axes_of(axis, len(x.shape))):
        raise ShapeError(mark("ops", "There is no largest entry of nothing: the axis is empty."))
    return shapes.checked(shapes.reduced(x.shape, axis, keepdims), x.dtype)


@op(
    sign="max",
    category=REDUCTIONS,
    family="route",
    summary=mark(
        "ops", "The largest entry, overall or along an axis; equal largest ones share the gradient."
    ),
    text="max({x}{attributes})",
    formula=r"\max x",
    code=_reduction_code("max", torch="amax"),
    aliases={
        "numpy": "max amax",
        "tf": "reduce_max",
        "torch": "amax max",
        "jax": "max amax",
        "math": "max",
    },
    spec=_max_spec,
    examples=_EXAMPLES,
)
def max_(x: Any, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The maximum along the axes; NaN wins."""
    return np.max(x, axis=axis, keepdims=keepdims)


@max_.vjp
def _(g: Any, out: Any, x: Any, *, axis: Axis, keepdims: bool) -> Rule:
    return (max_share(g, out, x, axis=axis, keepdims=keepdims),)


@op(
    sign="⇠",
    category=GRADIENT,
    family="route",
    summary=mark("ops", "Sends g to the largest entries, in equal shares, and 0 to the others."),
    text="{g} to the largest of {x}",
    formula=r"g \cdot \frac{[x = \max x]}{n}",
    code=_share_code("{m}.reshape({g}, {top}.shape)"),
    aliases={},
    spec=lambda g, y, x, *, axis, keepdims: shapes.checked(x.shape, shapes.cotangent(g)),
    linear_in=("g",),
    examples=[
        example(6.0, 3.0, [1.0, 3.0, 3.0]),
        example([1.0, 2.0], [3.0, 4.0], [[1.0, 3.0], [4.0, 4.0]], axis=1),
    ],
    helper=True,
)
def max_share(g: Any, y: Any, x: Any, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """g at the cells where x equals its maximum y, divided by their number; NaN where y is NaN."""
    return _shared(_with_axes(np.asarray(g), np.shape(x), axis, keepdims), y, x, axis, keepdims)


@max_share.vjp
def _(g: Any, out: Any, given: Any, y: Any, x: Any, *, axis: Axis, keepdims: bool) -> Rule:
    # The same cells in the same shares: gather them where g was sent.
    return (
        sum_(max_share_like(g, y, x, axis=axis, keepdims=keepdims), axis=axis, keepdims=keepdims),
        None,
        None,
    )


@op(
    sign="⇢",
    category=GRADIENT,
    family="route",
    summary=mark(
        "ops", "Keeps the cells that are the largest, in equal shares, and makes the others 0."
    ),
    text="{g} at the largest of {x}",
    formula=r"g \cdot \frac{[x = \max x]}{n}",
    code=_share_code("{g}"),
    aliases={},
    spec=lambda g, y, x, *, axis, keepdims: shapes.checked(x.shape, shapes.cotangent(g)),
    linear_in=("g",),
    examples=[example([1.0, 5.0, 7.0], 3.0, [1.0, 3.0, 3.0])],
    helper=True,
)
def max_share_like(g: Any, y: Any, x: Any, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """g, of x's shape, at the cells where x equals its maximum y, divided by their number."""
    return _shared(np.asarray(g), y, x, axis, keepdims)


def _shared(g: Any, y: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
    largest = _with_axes(np.asarray(y), np.shape(x), axis, keepdims)
    chosen = np.equal(x, largest)
    count = np.sum(chosen, axis=axis, keepdims=True, dtype=g.dtype)
    nothing = np.where(np.isnan(largest), np.full((), np.nan, g.dtype), np.zeros((), g.dtype))
    return np.where(chosen, np.divide(g, count), nothing)


@max_share_like.vjp
def _(g: Any, out: Any, given: Any, y: Any, x: Any, *, axis: Axis, keepdims: bool) -> Rule:
    return max_share_like(g, y, x, axis=axis, keepdims=keepdims), None, None


def _with_axes(array: Any, shape: Shape, axis: Axis, keepdims: bool) -> Any:
    """A reduced array with the reduced axes put back, as length 1."""
    if keepdims:
        return array
    return np.reshape(array, shapes.reduced(shape, axis, True))


def _spread_spec(g: Spec, *, shape: Shape, axis: Axis, keepdims: bool) -> Spec:
    wanted = shapes.reduced(tuple(shape), axis, keepdims)
    if g.shape != wanted:
        raise ShapeError(
            mark("ops", "{given} cannot be spread over {shape} along {axis}."),
            given=g.shape,
            shape=shape,
            axis=axis,
        )
    return shapes.checked(tuple(shape), g.dtype)


@op(
    sign="⇲",
    category=GRADIENT,
    family="spread",
    summary=mark("ops", "Copies each number over the cells it was added up from."),
    text="spread {g} over {shape}",
    formula=r"g \cdot \mathbf{1}",
    code={
        framework: f"{m}.broadcast_to({m}.reshape({{g}}, {_kept(m)}), {{shape}})"
        for framework, m in _MODULES.items()
    },
    aliases={},
    spec=_spread_spec,
    linear_in=("g",),
    examples=[example(7.0, shape=(2, 3)), example([1.0, 2.0], shape=(2, 3), axis=1)],
    helper=True,
)
def spread(g: Any, *, shape: Shape, axis: Axis = None, keepdims: bool = False) -> Any:
    """The reverse of a sum: the reduced axes are put back and filled with copies."""
    return np.broadcast_to(_with_axes(np.asarray(g), tuple(shape), axis, keepdims), tuple(shape))


@spread.vjp
def _(g: Any, out: Any, given: Any, *, shape: Shape, axis: Axis, keepdims: bool) -> Rule:
    return (sum_(g, axis=axis, keepdims=keepdims),)
