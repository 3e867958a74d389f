"""Cross entropies: how far the shares softmax(logits) are from a class, or from target shares."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.errors import IndexRangeError, ShapeError
from gradviz.graph.model import Array
from gradviz.ops import shapes
from gradviz.ops.calls import Calls, computed, float_of, number
from gradviz.ops.composed import back
from gradviz.ops.elementwise import multiply, negative, subtract
from gradviz.ops.loss import (
    REDUCE,
    Reduction,
    Rule,
    check_reduction,
    examples,
    reduced,
    share,
)
from gradviz.ops.neural import log_softmax, log_softmax_calls, softmax, softmax_back, softmax_calls
from gradviz.ops.op import GRADIENT, LOSSES, example, op
from gradviz.ops.reduction import sum_
from gradviz.ops.reshaping import expand_dims
from gradviz.ops.shapes import Shape
from gradviz.ops.spec import BOOL, INT64, Spec
from gradviz.text import mark, shape_words

_LOGITS = [[1.0, 2.0, 0.5], [0.0, -1.0, 1.0]]
_SHARES = [[0.0, 1.0, 0.0], [0.25, 0.25, 0.5]]
_CLASSES = [2, 0]


def _rows(logits: Shape, reduction: str) -> Shape:
    return logits[:-1] if reduction == "none" else ()


def _check_logits(logits: Spec, reduction: str) -> None:
    if len(logits.shape) < 1:
        raise ShapeError(mark("ops", "Logits need at least one axis: one number per class."))
    if logits.dtype == BOOL:
        raise ShapeError(mark("ops", "Logits are numbers, not truth values."))
    check_reduction(reduction)


def _cross_entropy_spec(logits: Spec, target: Spec, *, reduction: str) -> Spec:
    _check_logits(logits, reduction)
    if logits.shape != target.shape:
        raise ShapeError(
            mark("ops", "logits is {logits}, target is {target}: they must have the same shape."),
            logits=shape_words(logits.shape),
            target=shape_words(target.shape),
        )
    dtype = shapes.float_dtype(logits, target)
    return shapes.checked(_rows(logits.shape, reduction), dtype)


def _classes_spec(logits: Spec, target: Spec, *, reduction: str) -> Spec:
    _check_logits(logits, reduction)
    if target.dtype != INT64:
        raise ShapeError(
            mark(
                "ops",
                "The target holds the number of the right class of each row (whole numbers from 0), not {dtype}; for "
                "target shares use softmax_cross_entropy.",
            ),
            dtype=target.dtype,
        )
    if target.shape != logits.shape[:-1]:
        raise ShapeError(
            mark(
                "ops",
                "The scores are {logits}, the target is {target}: it needs one class for each row, {rows}.",
            ),
            logits=shape_words(logits.shape),
            target=shape_words(target.shape),
            rows=shape_words(logits.shape[:-1]),
        )
    return shapes.checked(_rows(logits.shape, reduction), shapes.float_dtype(logits))


def _check_classes(target: Array, count: int) -> None:
    if target.size and not 0 <= int(target.min()) <= int(target.max()) < count:
        worst = int(target.min()) if target.min() < 0 else int(target.max())
        raise IndexRangeError(
            mark(
                "ops",
                "The target has the class {worst}, but there are {count} classes, counted from 0.",
            ),
            worst=worst,
            count=count,
        )


def _take(flat: Array, places: Any, out: Array) -> None:
    np.take(flat, places, out=out, mode="clip")


def _places(calls: Calls, scratch: Any, target: Array, count: int) -> Array:
    """The places of the right classes in the flat scores; computed again with each new target."""
    starts = np.arange(target.size).reshape(target.shape) * count
    places: Array = scratch(target.shape, INT64)
    calls += [(_check_classes, (target, count)), (np.add, (starts, target, places))]
    return places


def _reduce(calls: Calls, rows: Array, out: Array, reduction: Reduction) -> Calls:
    """The last steps: `rows`, negative, added up or averaged into out."""
    if reduction == "none":
        return [*calls, (np.negative, (rows, out))]
    calls += [(np.add.reduce, (rows, None, None, out)), (np.negative, (out, out))]
    if reduction == "mean":
        calls.append((np.divide, (out, number(float(rows.size), out.dtype), out)))
    return calls


_PICKED = "np.take_along_axis({scores}, np.expand_dims({target}, -1), -1)[..., 0]"
_NUMPY_LOG = (
    "({logits} - np.max({logits}, axis=-1, keepdims=True) - np.log(np.sum(np.exp({logits} - "
    "np.max({logits}, axis=-1, keepdims=True)), axis=-1, keepdims=True)))"
)


@op(
    sign="−ln p",
    category=LOSSES,
    family="reduce",
    summary=mark("ops", "Minus the log-probability of the right class, which a number names."),
    text="nll_loss({log_probs}, {target}{attributes})",
    formula=r"-log\_probs_{target}",
    code={
        "numpy": f"{REDUCE['numpy']}(-{_PICKED.replace('{scores}', '{log_probs}')})",
        "tf": f"{REDUCE['tf']}(-tf.gather({{log_probs}}, {{target}}, axis=-1, batch_dims=1))",
        "torch": "torch.nn.functional.nll_loss({log_probs}, {target}, reduction={reduction})",
        "jax": f"{REDUCE['jax']}(-jnp.take_along_axis({{log_probs}}, {{target}}[..., None], -1)[..., 0])",
    },
    aliases={"torch": "nll_loss NLLLoss", "math": "nll negative_log_likelihood"},
    spec=_classes_spec,
    linear_in=("log_probs",),
    examples=examples(_LOGITS, _CLASSES),
)
def nll_loss(log_probs: Any, target: Any, *, reduction: Reduction = "mean") -> Any:
    """-log_probs[i, target_i], then `reduction` over the rows."""
    _check_classes(target, np.shape(log_probs)[-1])
    chosen = np.take_along_axis(log_probs, np.expand_dims(target, -1), -1)[..., 0]
    return reduced(np.negative(chosen.astype(float_of(log_probs), copy=False)), reduction)


@nll_loss.vjp
def _(g: Any, out: Any, log_probs: Any, target: Any, *, reduction: Reduction) -> Rule:
    each = negative(share(g, target.shape, reduction))
    return to_class(each, target, classes=log_probs.shape[-1]), None


def _to_class_spec(g: Spec, target: Spec, *, classes: int) -> Spec:
    shapes.broadcast(g.shape, target.shape, names=("g", "target"))
    if target.dtype != INT64 or classes < 0:
        raise ShapeError(mark("ops", "Classes are counted in whole numbers from 0."))
    return shapes.checked((*target.shape, classes), shapes.cotangent(g))


@op(
    sign="⇠",
    category=GRADIENT,
    family="route",
    summary=mark("ops", "Sends g to the right class of each row, and 0 to the others."),
    text="{g} to the class {target} of {classes}",
    formula=r"g \cdot [i = target]",
    code={
        "numpy": "np.where(np.expand_dims({target}, -1) == np.arange({classes}), "
        "np.reshape({g}, np.shape({g}) + (1,) * (np.ndim({g}) > 0)), 0.0)",
        "tf": "tf.expand_dims({g}, -1) * tf.one_hot({target}, {classes}, dtype={g}.dtype)",
        "torch": "{g}[..., None] * torch.nn.functional.one_hot({target}, {classes})",
        "jax": "jnp.expand_dims({g}, -1) * jax.nn.one_hot({target}, {classes})",
    },
    aliases={},
    spec=_to_class_spec,
    linear_in=("g",),
    examples=[example([1.0, 2.0], [2, 0], classes=3), example(2.0, [1, 1], classes=2)],
    helper=True,
)
def to_class(g: Any, target: Any, *, classes: int) -> Any:
    """g at the class each row's target names, 0 at the others."""
    amount = np.asarray(g)
    chosen = np.equal(np.expand_dims(target, -1), np.arange(classes))
    rows = np.expand_dims(amount, -1) if amount.ndim else amount
    return np.where(chosen, rows, np.zeros((), amount.dtype))


@to_class.vjp
def _(g: Any, out: Any, given: Any, target: Any, *, classes: int) -> Rule:
    return negative(nll_loss(g, target, reduction="none")), None


@op(
    sign="H",
    category=LOSSES,
    family="reduce",
    summary=mark(
        "ops", "How little softmax(logits) gives to the right class, which a number names."
    ),
    text="cross_entropy({logits}, {target}{attributes})",
    formula=r"-\log \mathrm{softmax}(logits)_{target}",
    code={
        "numpy": f"{REDUCE['numpy']}(-{_PICKED.replace('{scores}', _NUMPY_LOG)})",
        "tf": f"{REDUCE['tf']}(tf.nn.sparse_softmax_cross_entropy_with_logits(labels={{target}}, logits={{logits}}))",
        "torch": "torch.nn.functional.cross_entropy({logits}, {target}, reduction={reduction})",
        "jax": f"{REDUCE['jax']}(-jnp.take_along_axis(jax.nn.log_softmax({{logits}}), {{target}}[..., None], -1)[..., 0])",
    },
    aliases={
        "tf": "sparse_softmax_cross_entropy_with_logits sparse_categorical_crossentropy",
        "torch": "cross_entropy CrossEntropyLoss",
        "jax": "softmax_cross_entropy_with_integer_labels",
        "math": "cross_entropy",
    },
    spec=_classes_spec,
    examples=examples(_LOGITS, _CLASSES),
)
def cross_entropy(logits: Any, target: Any, *, reduction: Reduction = "mean") -> Any:
    """-log_softmax(logits)[i, target_i] along the last axis, then `reduction` over the rows."""
    shape = _rows(np.shape(logits), reduction)
    dtype = float_of(logits)
    return computed(_cross_entropy_calls, shape, dtype, logits, target, reduction=reduction)


@cross_entropy.kernel
def _cross_entropy_calls(
    scratch: Any, out: Array, logits: Array, target: Array, *, reduction: Reduction
) -> Calls:
    calls: Calls = []
    shifted = scratch(logits.shape, out.dtype)
    rows, largest = (scratch(target.shape, out.dtype) for _ in range(2))
    places = _places(calls, scratch, target, logits.shape[-1])
    if logits.size:
        wide = (*target.shape, 1)
        top = largest.reshape(wide)
        calls += [
            (np.maximum.reduce, (logits, -1, None, top, True)),
            (np.subtract, (logits, top, shifted)),
            (_take, (shifted.reshape(-1), places, rows)),
            (np.exp, (shifted, shifted)),
            (np.add.reduce, (shifted, -1, None, top, True)),
            (np.log, (largest, largest)),
            (np.subtract, (rows, largest, rows)),
        ]
    return _reduce(calls, rows, out, reduction)


@cross_entropy.vjp
def _(g: Any, out: Any, logits: Any, target: Any, *, reduction: Reduction) -> Rule:
    each = share(g, target.shape, reduction)
    return cross_entropy_back(each, logits, target), None


_TO_ROWS = "np.reshape({g}, np.shape({g}) + (1,) * (np.ndim({g}) > 0))"


def _back_spec(g: Spec, logits: Spec, target: Spec) -> Spec:
    rows = target.shape if target.dtype == INT64 else target.shape[:-1]
    shapes.broadcast(g.shape, rows, names=("g", "the rows"))
    dtype = shapes.float_dtype(g, logits)
    if target.dtype != INT64:
        _cross_entropy_spec(logits, target, reduction="none")
        dtype = shapes.float_dtype(g, logits, target)
    else:
        _classes_spec(logits, target, reduction="none")
    return shapes.checked(logits.shape, dtype)


@op(
    sign="p−1",
    category=GRADIENT,
    family="map",
    summary=mark("ops", "What comes back to the logits: the shares, less 1 at the right class."),
    text="{g} × (softmax({logits}) − 1 at {target})",
    formula=r"g \left(\mathrm{softmax}(logits)_i - [i = target]\right)",
    code={
        "numpy": f"{_TO_ROWS} * (np.exp({_NUMPY_LOG}) - (np.expand_dims({{target}}, -1) == "
        "np.arange(np.shape({logits})[-1])))",
        "tf": "tf.expand_dims({g}, -1) * (tf.nn.softmax({logits}) - tf.one_hot({target}, {logits}.shape[-1], "
        "dtype={logits}.dtype))",
        "torch": "{g}[..., None] * (torch.softmax({logits}, -1) - torch.nn.functional.one_hot({target}, "
        "{logits}.shape[-1]))",
        "jax": "jnp.expand_dims({g}, -1) * (jax.nn.softmax({logits}) - jax.nn.one_hot({target}, {logits}.shape[-1]))",
    },
    aliases={},
    spec=_back_spec,
    linear_in=("g",),
    examples=[example([1.0, -2.0], _LOGITS, _CLASSES), example(0.5, _LOGITS, _CLASSES)],
    helper=True,
)
def cross_entropy_back(g: Any, logits: Any, target: Any) -> Any:
    """g × (softmax(logits) - 1 at the class of target), row by row."""
    return computed(
        _cross_entropy_back_calls, np.shape(logits), float_of(g, logits), g, logits, target
    )


@cross_entropy_back.kernel
def _cross_entropy_back_calls(
    scratch: Any, out: Array, g: Array, logits: Array, target: Array
) -> Calls:
    calls: Calls = []
    places = _places(calls, scratch, target, logits.shape[-1])
    if not out.size:
        return calls
    # The shares are built in an array of our own: out may lie in pieces.
    shares = out if out.flags.c_contiguous else scratch(out.shape, out.dtype)
    calls += softmax_calls(scratch, shares, logits, axis=-1)
    calls.append((_less_one, (shares.reshape(-1), places)))
    rows = g[..., None] if g.ndim else g
    return [*calls, (np.multiply, (shares, rows, out))]


def _less_one(flat: Array, places: Array) -> None:
    flat[places.reshape(-1)] -= 1.0


@cross_entropy_back.vjp
def _(g: Any, out: Any, given: Any, logits: Any, target: Any) -> Rule:
    shares = softmax(logits)
    change = sum_(multiply(g, shares), axis=-1)
    rows = expand_dims(given, axis=-1) if given.shape else given
    return (
        subtract(change, negative(nll_loss(g, target, reduction="none"))),
        softmax_back(multiply(g, rows), shares),
        None,
    )


@op(
    sign="H",
    category=LOSSES,
    family="reduce",
    summary=mark(
        "ops", "How far the shares softmax(logits) are from the target shares; 0 is perfect."
    ),
    text="softmax_cross_entropy({logits}, {target}{attributes})",
    formula=r"-\sum_i target_i \log \mathrm{softmax}(logits)_i",
    code={
        "numpy": "({{'mean': np.mean, 'sum': np.sum, 'none': np.asarray}}[{reduction}])(-np.sum({target} * ({logits} - "
        "np.max({logits}, axis=-1, keepdims=True) - np.log(np.sum(np.exp({logits} - "
        "np.max({logits}, axis=-1, keepdims=True)), axis=-1, keepdims=True))), axis=-1))",
        "tf": "({{'mean': tf.reduce_mean, 'sum': tf.reduce_sum, 'none': tf.identity}}[{reduction}])("
        "tf.nn.softmax_cross_entropy_with_logits(labels={target}, logits={logits}))",
        "torch": "torch.nn.functional.cross_entropy({logits}, {target}, reduction={reduction})",
        "jax": "({{'mean': jnp.mean, 'sum': jnp.sum, 'none': jnp.asarray}}[{reduction}])("
        "-jnp.sum({target} * jax.nn.log_softmax({logits}, axis=-1), axis=-1))",
    },
    aliases={
        "tf": "softmax_cross_entropy_with_logits categorical_crossentropy",
        "jax": "softmax_cross_entropy",
        "math": "softmax_cross_entropy",
    },
    spec=_cross_entropy_spec,
    linear_in=("target",),
    examples=examples(_LOGITS, _SHARES),
)
def softmax_cross_entropy(logits: Any, target: Any, *, reduction: Reduction = "mean") -> Any:
    """-sum(target * log_softmax(logits)) along the last axis, then `reduction` over the rows."""
    shape = _rows(np.shape(logits), reduction)
    dtype = float_of(logits, target)
    return computed(_shares_calls, shape, dtype, logits, target, reduction=reduction)


@softmax_cross_entropy.kernel
def _shares_calls(
    scratch: Any, out: Array, logits: Array, target: Array, *, reduction: Reduction
) -> Calls:
    logs = scratch(logits.shape, out.dtype)
    rows = scratch(logits.shape[:-1], out.dtype)
    calls: Calls = [
        *log_softmax_calls(scratch, logs, logits, axis=-1),
        (np.multiply, (target, logs, logs)),
        (np.add.reduce, (logs, -1, None, rows)),
    ]
    return _reduce(calls, rows, out, reduction)


@softmax_cross_entropy.vjp
def _(g: Any, out: Any, logits: Any, target: Any, *, reduction: Reduction) -> Rule:
    each = share(g, logits.shape[:-1], reduction)
    rows = expand_dims(each, axis=-1) if each.shape else each
    return (
        softmax_cross_entropy_back(each, logits, target),
        multiply(rows, negative(log_softmax(logits))),
    )


@op(
    sign="p−t",
    category=GRADIENT,
    family="map",
    summary=mark("ops", "What comes back to the logits: the shares, less the target shares."),
    text="{g} × (softmax({logits}) × Σ{target} − {target})",
    formula=r"g \left(\mathrm{softmax}(logits)_i \sum_j target_j - target_i\right)",
    code={
        "numpy": f"{_TO_ROWS} * (np.exp({_NUMPY_LOG}) * np.sum({{target}}, axis=-1, keepdims=True) - {{target}})",
        "tf": "tf.expand_dims({g}, -1) * (tf.nn.softmax({logits}) * tf.reduce_sum({target}, -1, keepdims=True) - "
        "{target})",
        "torch": "{g}[..., None] * (torch.softmax({logits}, -1) * {target}.sum(-1, keepdim=True) - {target})",
        "jax": "jnp.expand_dims({g}, -1) * (jax.nn.softmax({logits}) * {target}.sum(-1, keepdims=True) - {target})",
    },
    aliases={},
    spec=_back_spec,
    linear_in=("g", "target"),
    examples=[example([1.0, -2.0], _LOGITS, _SHARES), example(0.5, _LOGITS, _SHARES)],
    helper=True,
)
def softmax_cross_entropy_back(g: Any, logits: Any, target: Any) -> Any:
    """g × (softmax(logits) × sum(target) - target), row by row: the target need not add up to 1."""
    return computed(
        _shares_back_calls, np.shape(logits), float_of(g, logits, target), g, logits, target
    )


@softmax_cross_entropy_back.kernel
def _shares_back_calls(scratch: Any, out: Array, g: Array, logits: Array, target: Array) -> Calls:
    total = scratch((*logits.shape[:-1], 1), out.dtype)
    rows = g[..., None] if g.ndim else g
    return [
        *softmax_calls(scratch, out, logits, axis=-1),
        (np.add.reduce, (target, -1, out.dtype, total, True)),
        (np.multiply, (out, total, out)),
        (np.subtract, (out, target, out)),
        (np.multiply, (out, rows, out)),
    ]


@softmax_cross_entropy_back.vjp
def _(g: Any, out: Any, given: Any, logits: Any, target: Any) -> Rule:
    rows = expand_dims(given, axis=-1) if given.shape else given
    whole = sum_(target, axis=-1, keepdims=True)
    value = multiply(rows, subtract(multiply(softmax(logits), whole), target))
    return back(g, value, given, logits, target)
