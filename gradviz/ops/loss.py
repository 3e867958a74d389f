"""Losses that compare two arrays cell by cell."""

from __future__ import annotations

from math import prod
from typing import Any, Literal

import numpy as np

from gradviz.errors import InputError, ShapeError
from gradviz.ops import shapes
from gradviz.ops.adjoint import broadcast_to
from gradviz.ops.calls import float_of
from gradviz.ops.composed import back
from gradviz.ops.elementwise import add, divide, log, multiply, negative, sigmoid, sqrt, subtract
from gradviz.ops.op import LOSSES, example, op
from gradviz.ops.reduction import sum_
from gradviz.ops.selection import equal, greater, where
from gradviz.ops.shapes import Shape
from gradviz.ops.spec import Spec
from gradviz.text import mark, shape_words

Rule = tuple[Any, ...]
Reduction = Literal["mean", "sum", "none"]
_PRED, _TARGET = [[1.0, -2.0, 0.5], [0.0, 3.0, 1.0]], [[0.5, 1.0, 0.75], [-1.0, 0.25, 3.5]]
_SHARES, _ONES = [[0.5, 0.25, 0.75], [0.125, 0.375, 0.875]], [[1.0, 0.0, 0.25], [0.5, 1.0, 0.75]]
_SIDES = [[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]]
REDUCE = {
    "numpy": "({{'mean': np.mean, 'sum': np.sum, 'none': np.asarray}}[{reduction}])",
    "tf": "({{'mean': tf.reduce_mean, 'sum': tf.reduce_sum, 'none': tf.identity}}[{reduction}])",
    "torch": "({{'mean': torch.mean, 'sum': torch.sum, 'none': torch.clone}}[{reduction}])",
    "jax": "({{'mean': jnp.mean, 'sum': jnp.sum, 'none': jnp.asarray}}[{reduction}])",
}
_MODULES = {"numpy": "np", "tf": "tf", "torch": "torch", "jax": "jnp"}


def code(text: str, **given: str) -> dict[str, str]:
    """The code of a loss, whose cells are `text` where the framework has no word for it; `{m}` is the module."""
    written = {
        framework: f"{REDUCE[framework]}({text.replace('{m}', m)})"
        for framework, m in _MODULES.items()
    }
    return {**written, **given}


def examples(left: Any, right: Any, **attributes: float) -> list[Any]:
    """One example for each reduction."""
    return [
        example(left, right, **attributes),
        example(left, right, reduction="sum", **attributes),
        example(left, right, reduction="none", **attributes),
    ]


def check_reduction(reduction: str) -> None:
    """InputError for a word that is none of the three."""
    if reduction not in ("mean", "sum", "none"):
        raise InputError(
            mark("ops", "reduction is mean, sum or none, not {given}."), given=reduction
        )


def _spec(pred: Spec, target: Spec, *, reduction: str, **settings: float) -> Spec:
    check_reduction(reduction)
    for name, value in settings.items():
        if not value > 0:
            raise InputError(
                mark("ops", "{name} must be larger than 0, not {value}."), name=name, value=value
            )
    if target.shape not in (pred.shape, ()):
        raise ShapeError(
            mark(
                "ops",
                "The prediction is {pred}, the target is {target}: they must have the same shape; reshape one of them.",
            ),
            pred=shape_words(pred.shape),
            target=shape_words(target.shape),
        )
    shapes.numbers(pred)
    shape = pred.shape if reduction == "none" else ()
    return shapes.checked(shape, shapes.float_dtype(pred, target))


def reduced(cells: Any, reduction: Reduction) -> Any:
    """The cells, their sum, or their mean; that of no cells is NaN."""
    if reduction == "none":
        return cells
    total = np.sum(cells)
    return total if reduction == "sum" else np.divide(total, float(np.size(cells)))


def share(g: Any, shape: Shape, reduction: Reduction) -> Any:
    """What arrives at each of the cells that were reduced."""
    count = prod(shape)
    return divide(g, float(count)) if reduction == "mean" and count != 1 else g


def _floats(*given: Any) -> list[Any]:
    """The arrays in their common float dtype."""
    dtype = float_of(*given)
    return [np.asarray(x, dtype) for x in given]


def _difference(pred: Any, target: Any) -> Any:
    return np.subtract(*_floats(pred, target))


@op(
    sign="(−)²",
    category=LOSSES,
    family="reduce",
    summary=mark("ops", "The mean of the squared differences: far misses count most."),
    text="mse_loss({pred}, {target}{attributes})",
    formula=r"\frac{1}{n} \sum (pred - target)^2",
    code=code(
        "({pred} - {target}) ** 2",
        torch="torch.nn.functional.mse_loss({pred}, {target}, reduction={reduction})",
    ),
    aliases={"tf": "mean_squared_error", "torch": "mse_loss MSELoss", "math": "mse squared_error"},
    spec=_spec,
    examples=examples(_PRED, _TARGET),
)
def mse_loss(pred: Any, target: Any, *, reduction: Reduction = "mean") -> Any:
    """(pred - target)², then `reduction`."""
    return reduced(np.square(_difference(pred, target)), reduction)


@mse_loss.vjp
def _(g: Any, out: Any, pred: Any, target: Any, *, reduction: Reduction) -> Rule:
    slope = multiply(share(multiply(g, 2), pred.shape, reduction), subtract(pred, target))
    return slope, negative(slope)


@op(
    sign="|−|",
    category=LOSSES,
    family="reduce",
    summary=mark("ops", "The mean distance: every miss counts by its size."),
    text="l1_loss({pred}, {target}{attributes})",
    formula=r"\frac{1}{n} \sum |pred - target|",
    code=code(
        "{m}.abs({pred} - {target})",
        torch="torch.nn.functional.l1_loss({pred}, {target}, reduction={reduction})",
    ),
    aliases={"tf": "mean_absolute_error", "torch": "l1_loss L1Loss", "math": "mae absolute_error"},
    spec=_spec,
    examples=examples(_PRED, _TARGET),
)
def l1_loss(pred: Any, target: Any, *, reduction: Reduction = "mean") -> Any:
    """|pred - target|, then `reduction`."""
    return reduced(np.abs(_difference(pred, target)), reduction)


@l1_loss.vjp
def _(g: Any, out: Any, pred: Any, target: Any, *, reduction: Reduction) -> Rule:
    each, difference = share(g, pred.shape, reduction), subtract(pred, target)
    # Where both are equal the difference is 0; a NaN stays one.
    below = where(greater(0, difference), negative(each), multiply(difference, 0))
    slope = where(greater(difference, 0), each, below)
    return slope, negative(slope)


def _bent(difference: Any, at: float) -> Any:
    """The difference, held between -at and at: the slope of a parabola that goes on as a line."""
    return where(greater(difference, at), at, where(greater(-at, difference), -at, difference))


@op(
    sign="∪",
    category=LOSSES,
    family="reduce",
    summary=mark(
        "ops", "Squared for small differences, straight beyond delta: far misses pull less."
    ),
    text="huber_loss({pred}, {target}{attributes})",
    formula=r"\begin{cases} \frac{1}{2} d^2 & |d| \le delta \\ delta (|d| - \frac{delta}{2}) & otherwise \end{cases}"
    r",\; d = pred - target",
    code=code(
        "{m}.where({m}.abs({pred} - {target}) <= {delta}, 0.5 * ({pred} - {target}) ** 2, "
        "{delta} * ({m}.abs({pred} - {target}) - 0.5 * {delta}))",
        torch="torch.nn.functional.huber_loss({pred}, {target}, reduction={reduction}, delta={delta})",
    ),
    aliases={"tf": "huber Huber", "torch": "huber_loss HuberLoss", "jax": "huber_loss"},
    spec=_spec,
    examples=examples(_PRED, _TARGET, delta=0.75),
)
def huber_loss(pred: Any, target: Any, *, delta: float = 1.0, reduction: Reduction = "mean") -> Any:
    """d²/2 where |d| ≤ delta, else delta (|d| - delta/2), with d = pred - target; then `reduction`."""
    difference = _difference(pred, target)
    distance = np.abs(difference)
    inside = np.multiply(np.square(difference), 0.5)
    outside = np.multiply(np.subtract(distance, 0.5 * delta), float(delta))
    return reduced(np.where(np.greater(distance, delta), outside, inside), reduction)


@huber_loss.vjp
def _(g: Any, out: Any, pred: Any, target: Any, *, delta: float, reduction: Reduction) -> Rule:
    difference = subtract(pred, target)
    slope = multiply(share(g, pred.shape, reduction), _bent(difference, float(delta)))
    return slope, negative(slope)


@op(
    sign="|∪|",
    category=LOSSES,
    family="reduce",
    summary=mark("ops", "The distance, with the kink at 0 rounded within beta."),
    text="smooth_l1_loss({pred}, {target}{attributes})",
    formula=r"\begin{cases} \frac{d^2}{2 beta} & |d| < beta \\ |d| - \frac{beta}{2} & otherwise \end{cases}"
    r",\; d = pred - target",
    code=code(
        "{m}.where({m}.abs({pred} - {target}) < {beta}, 0.5 * ({pred} - {target}) ** 2 / {beta}, "
        "{m}.abs({pred} - {target}) - 0.5 * {beta})",
        torch="torch.nn.functional.smooth_l1_loss({pred}, {target}, reduction={reduction}, beta={beta})",
    ),
    aliases={"torch": "smooth_l1_loss SmoothL1Loss"},
    spec=_spec,
    examples=examples(_PRED, _TARGET, beta=0.75),
)
def smooth_l1_loss(
    pred: Any, target: Any, *, beta: float = 1.0, reduction: Reduction = "mean"
) -> Any:
    """d²/(2 beta) where |d| < beta, else |d| - beta/2, with d = pred - target; then `reduction`."""
    difference = _difference(pred, target)
    distance = np.abs(difference)
    inside = np.divide(np.multiply(np.square(difference), 0.5), float(beta))
    outside = np.subtract(distance, 0.5 * beta)
    return reduced(np.where(np.greater_equal(distance, beta), outside, inside), reduction)


@smooth_l1_loss.vjp
def _(g: Any, out: Any, pred: Any, target: Any, *, beta: float, reduction: Reduction) -> Rule:
    difference = divide(subtract(pred, target), float(beta))
    slope = multiply(share(g, pred.shape, reduction), _bent(difference, 1.0))
    return slope, negative(slope)


def _bits(amount: Any, probability: Any) -> Any:
    """amount × log(probability), and 0 where the amount is 0."""
    return np.where(np.equal(amount, 0), 0.0, np.multiply(amount, np.log(probability)))


@op(
    sign="H",
    category=LOSSES,
    family="reduce",
    summary=mark("ops", "How badly probabilities foresee yes (1) and no (0); 0 is perfect."),
    text="binary_cross_entropy({prob}, {target}{attributes})",
    formula=r"-\left(target \log prob + (1 - target) \log(1 - prob)\right)",
    code=code(
        "-{target} * {m}.log({prob}) - (1 - {target}) * {m}.log(1 - {prob})",
        torch="torch.nn.functional.binary_cross_entropy({prob}, {target}, reduction={reduction})",
    ),
    aliases={
        "tf": "binary_crossentropy",
        "torch": "binary_cross_entropy BCELoss",
        "math": "bce log_loss",
    },
    spec=_spec,
    linear_in=(),
    examples=examples(_SHARES, _ONES),
)
def binary_cross_entropy(prob: Any, target: Any, *, reduction: Reduction = "mean") -> Any:
    """-(target log prob + (1 - target) log(1 - prob)), then `reduction`; a term whose factor is 0 is 0."""
    given, wanted = _floats(prob, target)
    other = np.log(np.subtract(1.0, given))
    no = np.subtract(1.0, wanted)
    missed = np.where(np.equal(no, 0), 0.0, np.multiply(no, other))
    return reduced(np.negative(np.add(_bits(wanted, given), missed)), reduction)


def _ratio(amount: Any, probability: Any) -> Any:
    """amount / probability, and 0 for 0/0: what was not expected costs nothing."""
    quotient = divide(amount, probability)
    return where(equal(probability, 0), where(equal(amount, 0), 0, quotient), quotient)


@binary_cross_entropy.vjp
def _(g: Any, out: Any, prob: Any, target: Any, *, reduction: Reduction) -> Rule:
    each, no = share(g, prob.shape, reduction), subtract(1, prob)
    missed, hit = _ratio(subtract(1, target), no), _ratio(target, prob)
    return (
        multiply(each, subtract(missed, hit)),
        multiply(each, subtract(log(no), log(prob))),
    )


@op(
    sign="H∘σ",
    category=LOSSES,
    family="reduce",
    summary=mark(
        "ops", "Binary cross entropy of sigmoid(logits), computed so that it does not overflow."
    ),
    text="binary_cross_entropy_with_logits({logits}, {target}{attributes})",
    formula=r"\log(1 + e^{logits}) - target \cdot logits",
    code=code(
        "{m}.maximum({logits}, 0.0) - {logits} * {target} + {m}.log1p({m}.exp(-{m}.abs({logits})))",
        tf=REDUCE["tf"]
        + "(tf.nn.sigmoid_cross_entropy_with_logits(labels={target}, logits={logits}))",
        torch="torch.nn.functional.binary_cross_entropy_with_logits({logits}, {target}, reduction={reduction})",
    ),
    aliases={
        "tf": "sigmoid_cross_entropy_with_logits",
        "torch": "binary_cross_entropy_with_logits BCEWithLogitsLoss",
        "jax": "sigmoid_binary_cross_entropy",
        "math": "bce_with_logits",
    },
    spec=_spec,
    examples=examples(_PRED, _ONES),
)
def binary_cross_entropy_with_logits(
    logits: Any, target: Any, *, reduction: Reduction = "mean"
) -> Any:
    """max(z, 0) - z·target + log(1 + exp(-|z|)) for the logits z, then `reduction`."""
    z, wanted = _floats(logits, target)
    bent = np.log1p(np.exp(np.negative(np.abs(z))))
    cells = np.add(np.subtract(np.maximum(z, 0), np.multiply(z, wanted)), bent)
    return reduced(cells, reduction)


@binary_cross_entropy_with_logits.vjp
def _(g: Any, out: Any, logits: Any, target: Any, *, reduction: Reduction) -> Rule:
    each = share(g, logits.shape, reduction)
    return multiply(each, subtract(sigmoid(logits), target)), multiply(each, negative(logits))


@op(
    sign="KL",
    category=LOSSES,
    family="reduce",
    summary=mark(
        "ops", "How many nats more the shares exp(log_pred) need than the target shares themselves."
    ),
    text="kl_div({log_pred}, {target}{attributes})",
    formula=r"target \cdot (\log target - log\_pred)",
    code=code(
        "{target} * ({m}.log({target}) - {log_pred})",
        torch="torch.nn.functional.kl_div({log_pred}, {target}, reduction={reduction})",
    ),
    aliases={"tf": "kl_divergence KLDivergence", "torch": "kl_div KLDivLoss", "math": "kl"},
    spec=_spec,
    examples=examples(_PRED, _SHARES),
)
def kl_div(log_pred: Any, target: Any, *, reduction: Reduction = "mean") -> Any:
    """target × (log target - log_pred), 0 log 0 being 0; then `reduction` (mean: over all cells)."""
    logs, wanted = _floats(log_pred, target)
    cells = np.subtract(_bits(wanted, wanted), np.multiply(wanted, logs))
    return reduced(cells, reduction)


@kl_div.vjp
def _(g: Any, out: Any, log_pred: Any, target: Any, *, reduction: Reduction) -> Rule:
    each = share(g, log_pred.shape, reduction)
    return (
        multiply(each, negative(target)),
        multiply(each, add(subtract(log(target), log_pred), 1)),
    )


@op(
    sign="∠0",
    category=LOSSES,
    family="reduce",
    summary=mark(
        "ops", "Nothing for a score on the right side by at least 1, else what is missing."
    ),
    text="hinge_loss({score}, {target}{attributes})",
    formula=r"\max(0, 1 - target \cdot score)",
    code=code("{m}.maximum(1 - {target} * {score}, {m}.zeros_like({score}))"),
    aliases={"tf": "hinge", "jax": "hinge_loss", "math": "hinge"},
    spec=_spec,
    examples=examples([[2.0, -2.0, 0.5], [0.0, 3.0, 1.5]], _SIDES),
)
def hinge_loss(score: Any, target: Any, *, reduction: Reduction = "mean") -> Any:
    """max(0, 1 - target·score) for targets +1 and -1, then `reduction`."""
    margin = np.subtract(1.0, np.multiply(*_floats(target, score)))
    return reduced(np.maximum(margin, 0), reduction)


@hinge_loss.vjp
def _(g: Any, out: Any, score: Any, target: Any, *, reduction: Reduction) -> Rule:
    each = negative(share(g, score.shape, reduction))
    missing = greater(subtract(1, multiply(target, score)), 0)
    return where(missing, multiply(each, target), 0), where(missing, multiply(each, score), 0)


def _cosine_spec(a: Spec, b: Spec, *, axis: int) -> Spec:
    shape = shapes.broadcast(a.shape, b.shape, names=("a", "b"))
    shapes.numbers(a, b)
    gone = shapes.one_axis(axis, len(shape))
    return shapes.checked(shape[:gone] + shape[gone + 1 :], shapes.float_dtype(a, b))


@op(
    sign="cos∠",
    category=LOSSES,
    family="reduce",
    summary=mark("ops", "The cosine of the angle between two vectors: 1 for the same direction."),
    text="cosine_similarity({a}, {b}{attributes})",
    formula=r"\frac{\sum a \, b}{\lVert a \rVert \lVert b \rVert}",
    code={
        "numpy": "np.sum({a} * {b}, axis={axis}) / (np.sqrt(np.sum({a} ** 2 + 0 * {b}, axis={axis})) * "
        "np.sqrt(np.sum({b} ** 2 + 0 * {a}, axis={axis})))",
        "tf": "-tf.keras.losses.cosine_similarity({a}, {b}, axis={axis})",
        "torch": "torch.nn.functional.cosine_similarity({a}, {b}, dim={axis})",
        "jax": "jnp.sum({a} * {b}, axis={axis}) / (jnp.linalg.norm({a}, axis={axis}) * "
        "jnp.linalg.norm({b}, axis={axis}))",
    },
    aliases={
        "tf": "cosine_similarity",
        "torch": "cosine_similarity CosineSimilarity",
        "jax": "cosine_similarity",
        "math": "cosine",
    },
    spec=_cosine_spec,
    examples=[
        example([[1.0, 2.0, 0.5], [0.0, 3.0, 1.0]], [[0.5, 1.0, 0.75], [-1.0, 0.25, 3.5]]),
        example([[1.0, 2.0], [0.5, 3.0]], [[0.5, -1.0], [2.0, 0.75]], axis=0),
    ],
)
def cosine_similarity(a: Any, b: Any, *, axis: int = -1) -> Any:
    """sum(a·b) / (|a|·|b|) along the axis; NaN where a vector is zero."""
    left, right = np.broadcast_arrays(*_floats(a, b))
    lengths = [np.sqrt(np.sum(np.square(v), axis=axis)) for v in (left, right)]
    return np.divide(np.sum(np.multiply(left, right), axis=axis), np.multiply(*lengths))


@cosine_similarity.vjp
def _(g: Any, out: Any, a: Any, b: Any, *, axis: int) -> Rule:
    product = multiply(a, b)
    rank = product.ndim

    def length(v: Any) -> Any:
        # A number that broadcasting copies along the axis counts as often.
        whole = v if v.shape == product.shape else broadcast_to(v, shape=product.shape)
        return sqrt(sum_(multiply(whole, whole), axis=axis % rank))

    value = divide(sum_(product, axis=axis % rank), multiply(length(a), length(b)))
    return back(g, value, a, b)
