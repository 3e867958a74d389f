"""Losses."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from gradviz.errors import InputError, ShapeError
from gradviz.ops import shapes
from gradviz.ops.elementwise import divide, multiply, negative, subtract
from gradviz.ops.neural import log_softmax, softmax
from gradviz.ops.op import NEURAL, example, op
from gradviz.ops.reduction import sum_
from gradviz.ops.reshaping import expand_dims
from gradviz.ops.spec import BOOL, Spec
from gradviz.text import mark, shape_words

Rule = tuple[Any, ...]
Reduction = Literal["mean", "sum", "none"]
_LOGITS = [[1.0, 2.0, 0.5], [0.0, -1.0, 1.0]]
_TARGET = [[0.0, 1.0, 0.0], [0.25, 0.25, 0.5]]


def _cross_entropy_spec(logits: Spec, target: Spec, *, reduction: str) -> Spec:
    if len(logits.shape) < 1:
        raise ShapeError(mark("ops", "Logits need at least one axis: one number per class."))
    if logits.shape != target.shape:
        raise ShapeError(
            mark("ops", "logits is {logits}, target is {target}: they must have the same shape."),
            logits=shape_words(logits.shape),
            target=shape_words(target.shape),
        )
    if logits.dtype == BOOL:
        raise ShapeError(mark("ops", "Logits are numbers, not truth values."))
    if reduction not in ("mean", "sum", "none"):
        raise InputError(
            mark("ops", "reduction is mean, sum or none, not {given}."), given=reduction
        )
    return shapes.checked(
        logits.shape[:-1] if reduction == "none" else (), shapes.float_dtype(logits, target)
    )


@op(
    sign="H",
    category=NEURAL,
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
        "tf": "softmax_cross_entropy_with_logits",
        "torch": "cross_entropy",
        "jax": "softmax_cross_entropy",
        "math": "softmax_cross_entropy cross_entropy",
    },
    spec=_cross_entropy_spec,
    linear_in=("target",),
    examples=[
        example(_LOGITS, _TARGET),
        example(_LOGITS, _TARGET, reduction="sum"),
        example(_LOGITS, _TARGET, reduction="none"),
    ],
)
def softmax_cross_entropy(logits: Any, target: Any, *, reduction: Reduction = "mean") -> Any:
    """-sum(target * log_softmax(logits)) along the last axis, then `reduction` over the rows."""
    rows = np.negative(np.sum(target * log_softmax.forward(logits), axis=-1))
    if reduction == "none":
        return rows
    return np.sum(rows) if reduction == "sum" else np.divide(np.sum(rows), float(rows.size))


@softmax_cross_entropy.vjp
def _(g: Any, out: Any, logits: Any, target: Any, *, reduction: Reduction) -> Rule:
    # The target need not add up to 1: the general form has its sum.
    slope = subtract(multiply(softmax(logits), sum_(target, axis=-1, keepdims=True)), target)
    if reduction == "none":
        share = expand_dims(g, axis=-1)
    else:
        count = logits.size // logits.shape[-1] if logits.shape[-1] else 0
        share = divide(g, float(count)) if reduction == "mean" and count != 1 else g
    return multiply(share, slope), multiply(share, negative(log_softmax(logits)))
