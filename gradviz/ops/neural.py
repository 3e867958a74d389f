"""Softmax and its logarithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.ops import shapes
from gradviz.ops.elementwise import exp, multiply, subtract
from gradviz.ops.op import NEURAL, example, op
from gradviz.ops.reduction import sum_
from gradviz.ops.spec import Spec
from gradviz.text import mark

Rule = tuple[Any, ...]
_EXAMPLES = [
    example([[1.0, 2.0, 0.5], [0.0, -1.0, 1.0]]),
    example([[1.0, 2.0], [0.5, -1.0]], axis=0),
]


def _along_axis(x: Spec, *, axis: int) -> Spec:
    shapes.one_axis(axis, len(x.shape))
    return shapes.elementwise_function(x)


@op(
    sign="p",
    category=NEURAL,
    family="map",
    summary=mark("ops", "Turns numbers into shares that add up to 1 along an axis."),
    text="softmax({x}{attributes})",
    formula=r"\frac{e^{x_i}}{\sum_j e^{x_j}}",
    code={
        "numpy": "np.exp({x} - np.max({x}, axis={axis}, keepdims=True)) / "
        "np.sum(np.exp({x} - np.max({x}, axis={axis}, keepdims=True)), axis={axis}, keepdims=True)",
        "tf": "tf.nn.softmax({x}, axis={axis})",
        "torch": "torch.softmax({x}, dim={axis})",
        "jax": "jax.nn.softmax({x}, axis={axis})",
    },
    aliases={"tf": "softmax", "torch": "softmax", "jax": "softmax", "math": "softmax"},
    spec=_along_axis,
    examples=_EXAMPLES,
)
def softmax(x: Any, *, axis: int = -1) -> Any:
    """exp(x) / sum(exp(x)), shifted by the maximum."""
    raised = np.exp(_shifted(x, axis))
    return raised / np.sum(raised, axis=axis, keepdims=True)


def _shifted(x: Any, axis: int) -> Any:
    array = np.asarray(x)
    if array.shape[axis] == 0:
        return array
    return array - np.max(array, axis=axis, keepdims=True)


@softmax.vjp
def _(g: Any, out: Any, x: Any, *, axis: int) -> Rule:
    mean = sum_(multiply(g, out), axis=axis, keepdims=True)
    return (multiply(out, subtract(g, mean)),)


@op(
    sign="ln p",
    category=NEURAL,
    family="map",
    summary=mark("ops", "The logarithm of softmax, computed so that it does not overflow."),
    text="log_softmax({x}{attributes})",
    formula=r"x_i - \log \sum_j e^{x_j}",
    code={
        "numpy": "{x} - np.max({x}, axis={axis}, keepdims=True) - np.log(np.sum(np.exp("
        "{x} - np.max({x}, axis={axis}, keepdims=True)), axis={axis}, keepdims=True))",
        "tf": "tf.nn.log_softmax({x}, axis={axis})",
        "torch": "torch.log_softmax({x}, dim={axis})",
        "jax": "jax.nn.log_softmax({x}, axis={axis})",
    },
    aliases={
        "tf": "log_softmax",
        "torch": "log_softmax",
        "jax": "log_softmax",
        "math": "log_softmax",
    },
    spec=_along_axis,
    examples=_EXAMPLES,
)
def log_softmax(x: Any, *, axis: int = -1) -> Any:
    """x - log(sum(exp(x))), shifted by the maximum."""
    shifted = _shifted(x, axis)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


@log_softmax.vjp
def _(g: Any, out: Any, x: Any, *, axis: int) -> Rule:
    return (subtract(g, multiply(exp(out), sum_(g, axis=axis, keepdims=True))),)
