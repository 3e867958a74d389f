"""Putting in order, and finding the largest and the smallest: what is equal stays in the order in which it came."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.errors import InputError, ShapeError
from gradviz.ops import shapes
from gradviz.ops.adjoint import broadcast_to
from gradviz.ops.elementwise import multiply
from gradviz.ops.op import INDEXING, REDUCTIONS, example, op
from gradviz.ops.picking import put_along
from gradviz.ops.reduction import spread
from gradviz.ops.reshaping import reshape
from gradviz.ops.selection import equal, where
from gradviz.ops.shapes import Axis
from gradviz.ops.spec import INT64, Spec
from gradviz.ops.statistics import folded, unfolded
from gradviz.text import mark

Rule = tuple[Any, ...]
_MIXED = [[3.0, 1.0, 2.0], [0.5, -1.0, 4.0]]
_EXAMPLES = [
    example([2.0, 3.0, 1.0]),
    example(_MIXED, axis=0),
    example(_MIXED, descending=True),
]


def _sort_spec(x: Spec, *, axis: int, descending: bool) -> Spec:
    shapes.one_axis(axis, len(x.shape))
    return shapes.checked(x.shape, x.dtype)


def _order(x: Any, axis: int, descending: bool) -> Any:
    """The places of the entries in order; equal ones in the order of their places. NaN is the largest."""
    array = np.asarray(x)
    if not descending:
        return np.argsort(array, axis=axis, kind="stable").astype(INT64, copy=False)
    # Read from the end and turned round, equal entries come out in their own order again.
    backwards = np.argsort(np.flip(array, axis), axis=axis, kind="stable")
    return np.flip(array.shape[axis] - 1 - backwards, axis).astype(INT64, copy=False)


@op(
    sign="↑",
    category=INDEXING,
    family="move",
    summary=mark("ops", "Puts the entries along an axis in order; equal ones keep theirs."),
    text="sort({x}{attributes})",
    formula=r"\mathrm{sort}(x)",
    code={
        "numpy": "(np.flip(np.sort({x}, axis={axis}, kind='stable'), {axis}) if {descending} "
        "else np.sort({x}, axis={axis}, kind='stable'))",
        "tf": "tf.sort({x}, axis={axis}, direction='DESCENDING' if {descending} else 'ASCENDING')",
        "torch": "torch.sort({x}, dim={axis}, descending={descending}, stable=True).values",
        "jax": "jnp.sort({x}, axis={axis}, descending={descending})",
    },
    aliases={"numpy": "sort", "tf": "sort", "torch": "sort msort", "jax": "sort", "math": "sorted"},
    spec=_sort_spec,
    examples=_EXAMPLES,
)
def sort(x: Any, *, axis: int = -1, descending: bool = False) -> Any:
    """x in order along the axis; NaN counts as the largest."""
    found = np.sort(np.asarray(x), axis=axis, kind="stable")
    return np.flip(found, axis) if descending else found


@sort.vjp
def _(g: Any, out: Any, x: Any, *, axis: int, descending: bool) -> Rule:
    order = argsort(x, axis=axis, descending=descending)
    return (put_along(g, order, axis=axis, shape=x.shape),)


@op(
    sign="↑#",
    category=INDEXING,
    family="map",
    summary=mark("ops", "The places of the entries in order. Places have no gradient."),
    text="argsort({x}{attributes})",
    formula=r"\mathrm{argsort}(x)",
    code={
        "numpy": "(np.flip(np.shape({x})[{axis}] - 1 - np.argsort(np.flip({x}, {axis}), axis={axis}, kind='stable'), {axis}) "
        "if {descending} else np.argsort({x}, axis={axis}, kind='stable'))",
        "tf": "tf.argsort({x}, axis={axis}, direction='DESCENDING' if {descending} else 'ASCENDING', stable=True)",
        "torch": "torch.argsort({x}, dim={axis}, descending={descending}, stable=True)",
        "jax": "jnp.argsort({x}, axis={axis}, descending={descending}, stable=True)",
    },
    aliases={"numpy": "argsort", "tf": "argsort", "torch": "argsort", "jax": "argsort"},
    spec=lambda x, *, axis, descending: Spec(
        _sort_spec(x, axis=axis, descending=descending).shape, INT64
    ),
    examples=[*_EXAMPLES, example([1.0, 2.0, 1.0], descending=True)],
    differentiable=False,
)
def argsort(x: Any, *, axis: int = -1, descending: bool = False) -> Any:
    """The places along the axis, in the order of the entries there."""
    return _order(x, axis, descending)


def _middle_spec(x: Spec, *, axis: Axis, keepdims: bool) -> Spec:
    shapes.numbers(x)
    if 0 in (x.shape[i] for i in shapes.axes_of(axis, len(x.shape))):
        raise ShapeError(mark("ops", "There is no middle of nothing: the axis is empty."))
    return shapes.checked(shapes.reduced(x.shape, axis, keepdims), shapes.float_dtype(x))


@op(
    sign="½",
    category=REDUCTIONS,
    family="route",
    summary=mark("ops", "The entry in the middle of the order; of two, halfway between them."),
    text="median({x}{attributes})",
    formula=r"\mathrm{median}(x)",
    code={
        "numpy": "np.median({x}, axis={axis}, keepdims={keepdims})",
        "tf": "tfp.stats.percentile({x}, 50.0, axis={axis}, interpolation='midpoint', keepdims={keepdims})",
        "torch": "torch.quantile({x}, 0.5, dim={axis}, keepdim={keepdims})",
        "jax": "jnp.median({x}, axis={axis}, keepdims={keepdims})",
    },
    aliases={"numpy": "median", "torch": "median quantile", "jax": "median", "math": "median"},
    spec=_middle_spec,
    examples=[
        example([[3.0, 1.0, 2.0, 7.0], [0.5, -1.0, 4.0, 5.0]]),
        example([[3.0, 1.0], [2.0, 0.5], [-1.0, 4.0]], axis=0),
        example(_MIXED, axis=(-1,), keepdims=True),
    ],
)
def median(x: Any, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The median along the axes, the mean of the two middle ones; NaN where there is one."""
    array = np.asarray(x)
    axes = shapes.axes_of(axis, array.ndim)
    order = (*(i for i in range(array.ndim) if i not in axes), *axes)
    rest = tuple(n for i, n in enumerate(array.shape) if i not in axes)
    count = math.prod(array.shape[i] for i in axes)
    cells = np.sort(np.transpose(array, order).reshape((*rest, count)), axis=-1)
    cells = cells if cells.dtype.kind == "f" else cells.astype(float)
    low, high = cells[..., (count - 1) // 2], cells[..., count // 2]
    # Equal ones are their own middle, infinite ones too.
    middle = np.where(low == high, low, low * 0.5 + high * 0.5)
    # NaN is sorted to the end.
    middle = np.where(np.isnan(cells[..., -1]), cells[..., -1], middle)
    return middle.reshape(shapes.reduced(array.shape, axis, keepdims))


@median.vjp
def _(g: Any, out: Any, x: Any, *, axis: Axis, keepdims: bool) -> Rule:
    axes = shapes.axes_of(axis, len(x.shape))
    if not axes or 0 in x.shape:
        return (spread(g, shape=x.shape, axis=axis, keepdims=keepdims) if axes else g,)
    cells = folded(x, axes)
    count = cells.shape[-1]
    places = argsort(cells, axis=-1)[..., (count - 1) // 2 : count // 2 + 1]
    share = g if count % 2 else multiply(g, 0.5)
    share = where(equal(out, out), share, np.nan)
    column = reshape(share, shape=(*cells.shape[:-1], 1))
    back = put_along(broadcast_to(column, shape=places.shape), places, axis=-1, shape=cells.shape)
    return (unfolded(back, x, axes),)


def _top_spec(x: Spec, *, k: int) -> Spec:
    if isinstance(k, bool) or not isinstance(k, int) or k < 0:
        raise InputError(
            mark("ops", "k is how many are wanted, a whole number from 0, not {k}."), k=repr(k)
        )
    shapes.one_axis(-1, len(x.shape))
    if k > x.shape[-1]:
        raise ShapeError(
            mark("ops", "There are no {k} largest of {length} entries."), k=k, length=x.shape[-1]
        )
    return shapes.checked((*x.shape[:-1], k), x.dtype)


@op(
    sign="↓k",
    category=INDEXING,
    family="move",
    summary=mark("ops", "The k largest of every row, the largest first; of equal ones the first."),
    text="top_k({x}{attributes})",
    formula=r"\mathrm{top}_k(x)",
    code={
        "numpy": "np.flip(np.sort({x}, axis=-1), -1)[..., :{k}]",
        "tf": "tf.math.top_k({x}, {k}).values",
        "torch": "torch.topk({x}, {k}).values",
        "jax": "jax.lax.top_k({x}, {k})[0]",
    },
    aliases={"tf": "top_k", "torch": "topk", "jax": "top_k", "math": "largest"},
    spec=_top_spec,
    examples=[example([2.0, 3.0, 1.0], k=2), example(_MIXED, k=1)],
)
def top_k(x: Any, *, k: int) -> Any:
    """The k largest along the last axis; NaN counts as the largest."""
    return np.flip(np.sort(np.asarray(x), axis=-1), -1)[..., :k]


@top_k.vjp
def _(g: Any, out: Any, x: Any, *, k: int) -> Rule:
    places = argsort(x, axis=-1, descending=True)[..., :k]
    return (put_along(g, places, axis=-1, shape=x.shape),)


def _place_spec(x: Spec, *, axis: int | None, keepdims: bool) -> Spec:
    if axis is not None:
        shapes.one_axis(axis, len(x.shape))
    if 0 in (x.shape[i] for i in shapes.axes_of(axis, len(x.shape))):
        raise ShapeError(mark("ops", "Nothing has no place: the axis is empty."))
    return shapes.checked(shapes.reduced(x.shape, axis, keepdims), INT64)


def _place_code(name: str) -> dict[str, str]:
    one = "({axis} if ({axis},) != (None,) else 0)"
    return {
        "numpy": f"np.{name}({{x}}, axis={{axis}}, keepdims={{keepdims}})",
        "tf": f"(lambda i: tf.expand_dims(i, {one}) if {{keepdims}} else i)(tf.{name}({{x}}, axis={{axis}}))",
        "torch": f"torch.{name}({{x}}, dim={{axis}}, keepdim={{keepdims}})",
        "jax": f"jnp.{name}({{x}}, axis={{axis}}, keepdims={{keepdims}})",
    }


_PLACE_EXAMPLES = [
    example([2.0, 3.0, 1.0]),
    example(_MIXED, axis=-1),
    example(_MIXED, axis=0, keepdims=True),
    example(_MIXED),
]


@op(
    sign="max#",
    category=INDEXING,
    family="reduce",
    summary=mark("ops", "The place of the largest entry, the first of equals. It has no gradient."),
    text="argmax({x}{attributes})",
    formula=r"\arg\max x",
    code=_place_code("argmax"),
    aliases={"numpy": "argmax", "tf": "argmax", "torch": "argmax", "jax": "argmax"},
    spec=_place_spec,
    examples=_PLACE_EXAMPLES,
    differentiable=False,
)
def argmax(x: Any, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """The number of the largest entry along the axis, or in the order in which all are read."""
    return np.asarray(np.argmax(x, axis=axis, keepdims=keepdims), INT64)


@op(
    sign="min#",
    category=INDEXING,
    family="reduce",
    summary=mark(
        "ops", "The place of the smallest entry, the first of equals. It has no gradient."
    ),
    text="argmin({x}{attributes})",
    formula=r"\arg\min x",
    code=_place_code("argmin"),
    aliases={"numpy": "argmin", "tf": "argmin", "torch": "argmin", "jax": "argmin"},
    spec=_place_spec,
    examples=_PLACE_EXAMPLES,
    differentiable=False,
)
def argmin(x: Any, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """The number of the smallest entry along the axis, or in the order in which all are read."""
    return np.asarray(np.argmin(x, axis=axis, keepdims=keepdims), INT64)
