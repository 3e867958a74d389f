"""Reductions that weigh many cells: smallest, product, logarithm of a sum of powers of e, spread and length."""

from __future__ import annotations

from math import prod as product
from typing import Any

import numpy as np

from gradviz.errors import InputError, ShapeError
from gradviz.ops import shapes
from gradviz.ops.adjoint import full_like
from gradviz.ops.cumulative import backwards, before, cumprod
from gradviz.ops.elementwise import divide, multiply, negative, power, subtract
from gradviz.ops.functions import abs_, sign
from gradviz.ops.neural import softmax
from gradviz.ops.op import REDUCTIONS, example, op
from gradviz.ops.reduction import count_of, max_share, mean, spread
from gradviz.ops.reshaping import reshape, transpose
from gradviz.ops.selection import equal, where
from gradviz.ops.shapes import Axis
from gradviz.ops.spec import BOOL, INT64, Spec
from gradviz.text import mark

Rule = tuple[Any, ...]
_ROWS = [[1.0, 2.5, 3.0], [4.0, 5.5, -6.0]]
_EXAMPLES = [example(_ROWS), example(_ROWS, axis=0), example(_ROWS, axis=(-1,), keepdims=True)]


_NO_LARGEST = mark("ops", "There is no largest entry of nothing: the axis is empty.")
_NO_SMALLEST = mark("ops", "There is no smallest entry of nothing: the axis is empty.")


def _float_reduced(x: Spec, *, axis: Axis, keepdims: bool, **_: Any) -> Spec:
    shapes.numbers(x)
    return shapes.checked(shapes.reduced(x.shape, axis, keepdims), shapes.float_dtype(x))


def _kept(g: Any, x: Any, axis: Axis) -> Any:
    """A reduced value with the reduced axes put back as length 1."""
    wanted = shapes.reduced(x.shape, axis, True)
    return g if g.shape == wanted else reshape(g, shape=wanted)


def _min_spec(x: Spec, *, axis: Axis, keepdims: bool) -> Spec:
    if any(x.shape[i] == 0 for i in shapes.axes_of(axis, len(x.shape))):
        raise ShapeError(_NO_SMALLEST)
    return shapes.checked(shapes.reduced(x.shape, axis, keepdims), x.dtype)


@op(
    sign="min",
    category=REDUCTIONS,
    family="route",
    summary=mark(
        "ops",
        "The smallest entry, overall or along an axis; equal smallest ones share the gradient.",
    ),
    text="min({x}{attributes})",
    formula=r"\min x",
    code={
        "numpy": "np.min({x}, axis={axis}, keepdims={keepdims})",
        "tf": "tf.reduce_min({x}, axis={axis}, keepdims={keepdims})",
        "torch": "torch.amin({x}, dim={axis}, keepdim={keepdims})",
        "jax": "jnp.min({x}, axis={axis}, keepdims={keepdims})",
    },
    aliases={
        "numpy": "min amin",
        "tf": "reduce_min",
        "torch": "amin",
        "jax": "amin",
        "math": "min",
    },
    spec=_min_spec,
    examples=_EXAMPLES,
)
def min_(x: Any, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The minimum along the axes; NaN wins."""
    return np.min(x, axis=axis, keepdims=keepdims)


@min_.vjp
def _(g: Any, out: Any, x: Any, *, axis: Axis, keepdims: bool) -> Rule:
    # The smallest of x are the largest of -x.
    return (max_share(g, negative(out), negative(x), axis=axis, keepdims=keepdims),)


@op(
    sign="ln Σe",
    category=REDUCTIONS,
    family="reduce",
    summary=mark(
        "ops", "The logarithm of a sum of powers of e, computed so that it does not overflow."
    ),
    text="logsumexp({x}{attributes})",
    formula=r"\log \sum e^{x}",
    code={
        "numpy": "np.log(np.sum(np.exp({x} - np.max({x})), axis={axis}, keepdims={keepdims})) + np.max({x})",
        "tf": "tf.reduce_logsumexp({x}, axis={axis}, keepdims={keepdims})",
        "torch": "torch.logsumexp({x}, dim={axis}, keepdim={keepdims})",
        "jax": "jax.nn.logsumexp({x}, axis={axis}, keepdims={keepdims})",
    },
    aliases={"tf": "reduce_logsumexp", "torch": "logsumexp", "jax": "logsumexp"},
    spec=_float_reduced,
    examples=_EXAMPLES,
)
def logsumexp(x: Any, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """log(sum(exp(x))), shifted by the maximum; -inf of nothing."""
    array = np.asarray(x)
    array = array if array.dtype.kind == "f" else array.astype(float)
    peak = np.max(array, axis=axis, keepdims=True, initial=-np.inf)
    # An infinite shift would make NaN of inf - inf.
    shift = np.where(np.isfinite(peak), peak, np.zeros((), array.dtype))
    total = np.sum(np.exp(array - shift), axis=axis, keepdims=keepdims)
    return np.log(total) + (shift if keepdims else np.reshape(shift, total.shape))


@logsumexp.vjp
def _(g: Any, out: Any, x: Any, *, axis: Axis, keepdims: bool) -> Rule:
    axes = shapes.axes_of(axis, len(x.shape))
    if not axes:
        return (g,)
    if len(axes) == 1:
        shares = softmax(x, axis=axes[0])
    else:
        shares = unfolded(softmax(folded(x, axes)), x, axes)
    return (multiply(_kept(g, x, axis), shares),)


def _order(x: Any, axes: tuple[int, ...]) -> tuple[int, ...]:
    return (*(i for i in range(len(x.shape)) if i not in axes), *axes)


def folded(x: Any, axes: tuple[int, ...]) -> Any:
    """x with `axes` moved to the end and made one."""
    rest = tuple(n for i, n in enumerate(x.shape) if i not in axes)
    order = _order(x, axes)
    moved = x if order == tuple(range(len(x.shape))) else transpose(x, axes=order)
    return reshape(moved, shape=(*rest, product(x.shape[i] for i in axes)))


def unfolded(folded: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """The reverse of `_folded`, to the shape of x."""
    order = _order(x, axes)
    apart = reshape(folded, shape=tuple(x.shape[i] for i in order))
    if order == tuple(range(len(order))):
        return apart
    return transpose(apart, axes=tuple(order.index(i) for i in range(len(order))))


@op(
    sign="Π",
    category=REDUCTIONS,
    family="reduce",
    summary=mark("ops", "Multiplies every entry, or every entry along an axis."),
    text="prod({x}{attributes})",
    formula=r"\prod x",
    code={
        "numpy": "np.prod({x}, axis={axis}, keepdims={keepdims})",
        "tf": "tf.reduce_prod({x}, axis={axis}, keepdims={keepdims})",
        "torch": "torch.prod({x}, dim={axis}, keepdim={keepdims})",
        "jax": "jnp.prod({x}, axis={axis}, keepdims={keepdims})",
    },
    aliases={"numpy": "prod", "tf": "reduce_prod", "torch": "prod", "math": "product Π"},
    spec=lambda x, *, axis, keepdims: shapes.checked(
        shapes.reduced(x.shape, axis, keepdims), INT64 if x.dtype == BOOL else x.dtype
    ),
    examples=[*_EXAMPLES, example([2.0, 0.0, 3.0]), example([[2.0, 0.0], [0.0, 3.0]])],
)
def prod(x: Any, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The product along the axes; 1 of nothing."""
    return np.prod(x, axis=axis, keepdims=keepdims)


@prod.vjp
def _(g: Any, out: Any, x: Any, *, axis: Axis, keepdims: bool) -> Rule:
    axes = shapes.axes_of(axis, len(x.shape))
    count = count_of(x.shape, axis)
    if not axes or product(x.shape) == 0:
        return (spread(g, shape=x.shape, axis=axis, keepdims=keepdims) if axes else g,)
    # The product of those before it and of those behind it: nothing is divided by, so zeros are no trouble.
    cells = folded(x, axes)
    others = before(cumprod(cells, axis=-1), 1.0)
    if count > 1:
        behind = before(cumprod(backwards(cells, -1), axis=-1), 1.0)
        others = multiply(others, backwards(behind, -1))
    return (multiply(_kept(g, x, axis), unfolded(others, x, axes)),)


def _spread_code(name: str) -> dict[str, str]:
    return {
        "numpy": f"np.{name}({{x}}, axis={{axis}}, keepdims={{keepdims}}, ddof={{correction}})",
        "tf": f"tf.math.reduce_{'variance' if name == 'var' else name}({{x}}, axis={{axis}}, keepdims={{keepdims}})",
        "torch": f"torch.{name}({{x}}, dim={{axis}}, keepdim={{keepdims}}, correction={{correction}})",
        "jax": f"jnp.{name}({{x}}, axis={{axis}}, keepdims={{keepdims}}, ddof={{correction}})",
    }


_SPREAD_EXAMPLES = [
    *_EXAMPLES,
    example(_ROWS, axis=1, correction=1),
]


def _spread_spec(x: Spec, *, axis: Axis, keepdims: bool, correction: float) -> Spec:
    _number(correction, "correction")
    return _float_reduced(x, axis=axis, keepdims=keepdims)


def _number(value: Any, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e15:
        raise InputError(
            mark("ops", "{name} is a number, not {value}."), name=name, value=repr(value)[:60]
        )


def _freedom(x: Any, axis: Axis, correction: float) -> float:
    return max(float(count_of(x.shape, axis) - correction), 0.0)


@op(
    sign="σ²",
    category=REDUCTIONS,
    family="reduce",
    summary=mark("ops", "The mean squared distance from the mean, overall or along an axis."),
    text="var({x}{attributes})",
    formula=r"\frac{1}{n - correction} \sum (x - \bar{x})^2",
    code=_spread_code("var"),
    aliases={
        "numpy": "var",
        "tf": "reduce_variance",
        "torch": "var",
        "jax": "var",
        "math": "variance",
    },
    spec=_spread_spec,
    examples=_SPREAD_EXAMPLES,
)
def var(x: Any, *, axis: Axis = None, keepdims: bool = False, correction: float = 0) -> Any:
    """The variance along the axes, divided by n - correction; NaN where that is 0."""
    array = np.asarray(x)
    array = array if array.dtype.kind == "f" else array.astype(float)
    if array.size:
        # Measured from the first cell, the variance of equal cells is exactly 0.
        axes = shapes.axes_of(axis, array.ndim)
        array = (
            array
            - array[tuple(slice(0, 1) if i in axes else slice(None) for i in range(array.ndim))]
        )
    count = float(count_of(array.shape, axis))
    centred = array - np.divide(np.sum(array, axis=axis, keepdims=True), count)
    total = np.sum(np.square(centred), axis=axis, keepdims=keepdims)
    return np.divide(total, _freedom(array, axis, correction))


@var.vjp
def _(g: Any, out: Any, x: Any, *, axis: Axis, keepdims: bool, correction: float) -> Rule:
    centred = subtract(x, mean(x, axis=axis, keepdims=True))
    slope = divide(multiply(centred, 2.0), _freedom(x, axis, correction))
    return (multiply(_kept(g, x, axis), slope),)


@op(
    sign="σ",
    category=REDUCTIONS,
    family="reduce",
    summary=mark("ops", "The standard deviation: the root of the variance, overall or by axis."),
    text="std({x}{attributes})",
    formula=r"\sqrt{\frac{1}{n - correction} \sum (x - \bar{x})^2}",
    code=_spread_code("std"),
    aliases={"numpy": "std", "tf": "reduce_std", "torch": "std", "jax": "std", "math": "stdev"},
    spec=_spread_spec,
    examples=_SPREAD_EXAMPLES,
)
def std(x: Any, *, axis: Axis = None, keepdims: bool = False, correction: float = 0) -> Any:
    """The root of `var`."""
    return np.sqrt(var.forward(x, axis=axis, keepdims=keepdims, correction=correction))


@std.vjp
def _(g: Any, out: Any, x: Any, *, axis: Axis, keepdims: bool, correction: float) -> Rule:
    centred = subtract(x, mean(x, axis=axis, keepdims=True))
    # Equal cells have no spread: the slope there is 0, as at the tip of a norm.
    size = multiply(_nonzero(_kept(out, x, axis)), _freedom(x, axis, correction))
    return (multiply(_kept(g, x, axis), divide(centred, size)),)


def _nonzero(y: Any) -> Any:
    return where(equal(y, 0.0), 1.0, y)


def _order_of(ord: Any) -> float:
    if ord in ("inf", "-inf"):
        return float(ord)
    if isinstance(ord, float) and abs(ord) == np.inf:
        return ord
    _number(ord, "ord")
    return float(ord)


def _norm_spec(x: Spec, *, axis: Axis, keepdims: bool, ord: float | str) -> Spec:
    order = _order_of(ord)
    if abs(order) == np.inf and 0 in (x.shape[i] for i in shapes.axes_of(axis, len(x.shape))):
        raise ShapeError(_NO_LARGEST if order > 0 else _NO_SMALLEST)
    return _float_reduced(x, axis=axis, keepdims=keepdims)


@op(
    sign="‖x‖",
    category=REDUCTIONS,
    family="reduce",
    summary=mark("ops", "The length of a vector, overall or along an axis; 2 is the usual one."),
    text="vector_norm({x}{attributes})",
    formula=r"\lVert x \rVert_{ord}",
    code={
        "numpy": "np.linalg.vector_norm({x}, axis={axis}, keepdims={keepdims}, ord=float({ord}))",
        "tf": "tf.norm({x}, axis={axis}, keepdims={keepdims}, ord=float({ord}))",
        "torch": "torch.linalg.vector_norm({x}, dim={axis}, keepdim={keepdims}, ord=float({ord}))",
        "jax": "jnp.linalg.vector_norm({x}, axis={axis}, keepdims={keepdims}, ord=float({ord}))",
    },
    aliases={"numpy": "vector_norm", "tf": "norm", "torch": "norm", "math": "‖‖"},
    spec=_norm_spec,
    examples=[
        *_EXAMPLES,
        example(_ROWS, axis=1, ord=3),
        example(_ROWS, ord=1),
        example(_ROWS, axis=0, ord="inf"),
        example(_ROWS, axis=0, ord="-inf"),
    ],
)
def vector_norm(x: Any, *, axis: Axis = None, keepdims: bool = False, ord: float | str = 2) -> Any:
    """sum(|x|^ord)^(1/ord); the largest |x| for inf, the smallest for -inf, the number of entries that are not 0 for 0."""
    array = np.asarray(x)
    size = np.abs(array if array.dtype.kind == "f" else array.astype(float))
    order = _order_of(ord)
    if abs(order) == np.inf:
        return (np.max if order > 0 else np.min)(size, axis=axis, keepdims=keepdims)
    if order == 0:
        return np.sum(size != 0, axis=axis, keepdims=keepdims, dtype=size.dtype)
    total = np.sum(size**order, axis=axis, keepdims=keepdims)
    limits = np.finfo(size.dtype)
    if np.all((total > limits.tiny / limits.eps) & (total <= limits.max)):
        return total ** (1 / order)
    # Powers too small or too large to be held are taken of shares of the largest.
    peak = np.max(size, axis=axis, keepdims=True, initial=0.0)
    unit = np.where((peak > 0) & (peak <= limits.max), peak, np.ones((), size.dtype))
    shares = np.sum((size / unit) ** order, axis=axis, keepdims=keepdims) ** (1 / order)
    return shares * np.reshape(unit, shares.shape)


@vector_norm.vjp
def _(g: Any, out: Any, x: Any, *, axis: Axis, keepdims: bool, ord: float | str) -> Rule:
    order = _order_of(ord)
    if order == 0:
        return (full_like(x, fill=0.0),)
    if order == 2:
        return (multiply(_kept(g, x, axis), divide(x, _nonzero(_kept(out, x, axis)))),)
    size, side = abs_(x), sign(x)
    if abs(order) == np.inf:
        if order < 0:
            out, size = negative(out), negative(size)
        return (multiply(max_share(g, out, size, axis=axis, keepdims=keepdims), side),)
    if order == 1:
        return (multiply(_kept(g, x, axis), side),)
    share = power(divide(size, _nonzero(_kept(out, x, axis))), order - 1)
    if order < 1:
        # The slope at 0 is infinite to both sides; between them it is 0, as for every other order.
        share = where(equal(x, 0.0), 0.0, share)
    return (multiply(_kept(g, x, axis), multiply(side, share)),)
