"""Activations of neural networks, in forms that neither overflow nor lose digits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.ops.comparing import less, less_equal
from gradviz.ops.elementwise import (
    add,
    divide,
    exp,
    multiply,
    negative,
    sigmoid,
    square,
    subtract,
    tanh,
)
from gradviz.ops.functions import abs_
from gradviz.ops.named import function
from gradviz.ops.op import ACTIVATIONS, example
from gradviz.ops.selection import greater, where
from gradviz.ops.special import erfc
from gradviz.text import mark

Rule = tuple[Any, ...]
SELU_ALPHA = 1.6732632423543772
SELU_SCALE = 1.0507009873554805
ROOT_2 = math.sqrt(2)
ROOT_2PI = math.sqrt(2 * math.pi)
GELU_SCALE = math.sqrt(2 / math.pi)
GELU_CUBE = 0.044715


@function(
    "ln(1+eˣ)",
    mark("ops", "A smooth ramp: near 0 for very negative cells, near x for large ones."),
    r"\ln(1 + e^{x})",
    {
        "numpy": "np.logaddexp(0.0, {x})",
        "tf": "tf.nn.softplus({x})",
        "torch": "torch.nn.functional.softplus({x}, threshold=1000)",
        "jax": "jax.nn.softplus({x})",
    },
    aliases={"tf": "softplus", "torch": "softplus", "jax": "softplus", "math": "softplus"},
    category=ACTIVATIONS,
)
def softplus(x: Any) -> Any:
    """log(1 + exp(x)), without overflow."""
    return np.logaddexp(0.0, x)


@softplus.local
def _(out: Any, x: Any) -> Rule:
    return (sigmoid(x),)


@function(
    "ln σ",
    mark("ops", "The logarithm of the sigmoid, computed so that it does not overflow."),
    r"\ln \sigma(x)",
    {
        "numpy": "-np.logaddexp(0.0, np.negative({x}))",
        "tf": "tf.math.log_sigmoid({x})",
        "torch": "torch.nn.functional.logsigmoid({x})",
        "jax": "jax.nn.log_sigmoid({x})",
    },
    aliases={
        "tf": "log_sigmoid",
        "torch": "logsigmoid",
        "jax": "log_sigmoid",
        "math": "log_sigmoid",
    },
    category=ACTIVATIONS,
)
def log_sigmoid(x: Any) -> Any:
    """log(1 / (1 + exp(-x))) = -softplus(-x)."""
    return np.negative(np.logaddexp(0.0, np.negative(x)))


@log_sigmoid.local
def _(out: Any, x: Any) -> Rule:
    return (sigmoid(negative(x)),)


@function(
    "relu6",
    mark("ops", "Lets cells between 0 and 6 through, and holds the others at these two."),
    r"\min(\max(x, 0), 6)",
    {
        "numpy": "np.minimum(np.maximum({x}, 0.0), 6.0)",
        "tf": "tf.nn.relu6({x})",
        "torch": "torch.nn.functional.relu6({x})",
        "jax": "jax.nn.relu6({x})",
    },
    aliases={"tf": "relu6", "torch": "relu6", "jax": "relu6", "math": "relu6"},
    category=ACTIVATIONS,
    family="gate",
    at=[0.5, -1.0, 7.5],
)
def relu6(x: Any) -> Any:
    """min(max(x, 0), 6); the gradient at 0 and 6 is 0."""
    return np.minimum(np.maximum(x, 0.0), 6.0)


@relu6.vjp
def _(g: Any, out: Any, x: Any) -> Rule:
    return (where(greater(x, 0), where(less(x, 6), g, 0), 0),)


@function(
    "leaky",
    mark("ops", "Lets positive cells through and makes negative ones smaller instead of 0."),
    r"\begin{cases} x & x > 0 \\ alpha\, x & x \le 0 \end{cases}",
    {
        "numpy": "np.where(np.greater({x}, 0), {x}, {alpha} * {x})",
        "tf": "tf.nn.leaky_relu({x}, alpha={alpha})",
        "torch": "torch.nn.functional.leaky_relu({x}, {alpha})",
        "jax": "jax.nn.leaky_relu({x}, {alpha})",
    },
    aliases={"tf": "leaky_relu", "torch": "leaky_relu", "jax": "leaky_relu", "math": "leaky_relu"},
    category=ACTIVATIONS,
    family="gate",
    text="leaky_relu({x}{attributes})",
    examples=[example([0.5, -1.0, 2.0]), example([0.5, -1.0], alpha=0.2)],
)
def leaky_relu(x: Any, *, alpha: float = 0.01) -> Any:
    """x where positive, else alpha·x; the slope at 0 is alpha."""
    return np.where(np.greater(x, 0), x, np.multiply(x, float(alpha)))


@leaky_relu.vjp
def _(g: Any, out: Any, x: Any, *, alpha: float) -> Rule:
    return (where(greater(x, 0), g, multiply(g, float(alpha))),)


@function(
    "elu",
    mark("ops", "Lets positive cells through; negative ones bend smoothly towards −alpha."),
    r"\begin{cases} x & x > 0 \\ alpha\, (e^{x} - 1) & x \le 0 \end{cases}",
    {
        "numpy": "np.where(np.greater({x}, 0), {x}, {alpha} * np.expm1(np.minimum({x}, 0.0)))",
        "tf": "tf.where({x} > 0, {x}, {alpha} * tf.math.expm1(tf.minimum({x}, 0.0)))",
        "torch": "torch.nn.functional.elu({x}, {alpha})",
        "jax": "jax.nn.elu({x}, {alpha})",
    },
    aliases={"tf": "elu", "torch": "elu", "jax": "elu", "math": "elu"},
    category=ACTIVATIONS,
    family="gate",
    text="elu({x}{attributes})",
    examples=[example([0.5, -1.0, 2.0]), example([0.5, -1.0], alpha=0.2)],
)
def elu(x: Any, *, alpha: float = 1.0) -> Any:
    """x where positive, else alpha·(exp(x) - 1)."""
    bent = np.multiply(np.expm1(np.minimum(x, 0.0)), float(alpha))
    return np.where(np.greater(x, 0), x, bent)


@elu.vjp
def _(g: Any, out: Any, x: Any, *, alpha: float) -> Rule:
    # The other branch is finite where it is not taken.
    bent = multiply(exp(where(greater(x, 0), 0, x)), float(alpha))
    return (where(greater(x, 0), g, multiply(g, bent)),)


@function(
    "celu",
    mark("ops", "Like elu, but with a slope of 1 at 0 for every alpha."),
    r"\begin{cases} x & x > 0 \\ alpha\, (e^{x / alpha} - 1) & x \le 0 \end{cases}",
    {
        "numpy": "np.where(np.greater({x}, 0), {x}, {alpha} * np.expm1(np.minimum({x}, 0.0) / {alpha}))",
        "tf": "tf.where({x} > 0, {x}, {alpha} * tf.math.expm1(tf.minimum({x}, 0.0) / {alpha}))",
        "torch": "torch.nn.functional.celu({x}, {alpha})",
        "jax": "jax.nn.celu({x}, {alpha})",
    },
    aliases={"torch": "celu", "jax": "celu", "math": "celu"},
    category=ACTIVATIONS,
    family="gate",
    text="celu({x}{attributes})",
    examples=[example([0.5, -1.0, 2.0]), example([0.5, -1.0], alpha=0.2)],
)
def celu(x: Any, *, alpha: float = 1.0) -> Any:
    """x where positive, else alpha·(exp(x / alpha) - 1)."""
    bent = np.expm1(np.divide(np.minimum(x, 0.0), float(alpha)))
    return np.where(np.greater(x, 0), x, np.multiply(bent, float(alpha)))


@celu.vjp
def _(g: Any, out: Any, x: Any, *, alpha: float) -> Rule:
    bent = exp(divide(where(greater(x, 0), 0, x), float(alpha)))
    return (where(greater(x, 0), g, multiply(g, bent)),)


@function(
    "selu",
    mark("ops", "An elu scaled so that layers of it keep mean 0 and spread 1."),
    r"\lambda \begin{cases} x & x > 0 \\ \alpha (e^{x} - 1) & x \le 0 \end{cases}",
    {
        "numpy": "np.where(np.greater({x}, 0), 1.0507009873554805 * {x}, 1.7580993408473766 * np.expm1(np.minimum({x}, 0.0)))",
        "tf": "tf.nn.selu({x})",
        "torch": "torch.nn.functional.selu({x})",
        "jax": "jax.nn.selu({x})",
    },
    aliases={"tf": "selu", "torch": "selu", "jax": "selu", "math": "selu"},
    category=ACTIVATIONS,
    family="gate",
)
def selu(x: Any) -> Any:
    """λ·x where positive, else λ·α·(exp(x) - 1)."""
    bent = np.multiply(np.expm1(np.minimum(x, 0.0)), SELU_SCALE * SELU_ALPHA)
    return np.where(np.greater(x, 0), np.multiply(x, SELU_SCALE), bent)


@selu.vjp
def _(g: Any, out: Any, x: Any) -> Rule:
    bent = multiply(exp(where(greater(x, 0), 0, x)), SELU_SCALE * SELU_ALPHA)
    return (where(greater(x, 0), multiply(g, SELU_SCALE), multiply(g, bent)),)


@function(
    "gelu",
    mark("ops", "Weighs every cell by the share of a bell curve that lies below it."),
    r"x\, \Phi(x)",
    {
        "numpy": "(0.5 * {x} * (1.0 + np.tanh(np.sqrt(2 / np.pi) * ({x} + 0.044715 * {x} * {x} * {x}))) "
        "if {approximate} else 0.5 * {x} * scipy.special.erfc(-{x} / np.sqrt(2.0)))",
        "tf": "tf.nn.gelu({x}, approximate={approximate})",
        "torch": "torch.nn.functional.gelu({x}, approximate='tanh' if {approximate} else 'none')",
        "jax": "jax.nn.gelu({x}, approximate={approximate})",
    },
    aliases={"tf": "gelu", "torch": "gelu", "jax": "gelu", "math": "gelu"},
    category=ACTIVATIONS,
    text="gelu({x}{attributes})",
    examples=[example([0.5, -1.0, 2.0]), example([0.5, -1.0], approximate=True)],
)
def gelu(x: Any, *, approximate: bool = False) -> Any:
    """x·Φ(x); with `approximate`, Φ by a tanh."""
    if approximate:
        bent = np.tanh(np.multiply(_bend_over_x(np.multiply(x, x)), x))
        return np.multiply(np.multiply(np.add(bent, 1.0), x), 0.5)
    return np.multiply(np.multiply(erfc.forward(np.multiply(x, -1 / ROOT_2)), x), 0.5)


def _bend_over_x(squared: Any) -> Any:
    """√(2/π)·(1 + 0.044715·x²); times x it is the tanh's argument."""
    return np.add(np.multiply(squared, GELU_SCALE * GELU_CUBE), GELU_SCALE)


@gelu.local
def _(out: Any, x: Any, *, approximate: bool) -> Rule:
    return (gelu_slope(x, approximate=approximate),)


@function(
    "gelu′",
    mark("ops", "The slope of gelu."),
    r"\Phi(x) + x\, \varphi(x)",
    {
        framework: f"(0.5 * (1.0 + {tanh}) + 0.5 * {{x}} * (1.0 - {tanh} ** 2) * {GELU_SCALE} "
        f"* (1.0 + {3 * GELU_CUBE} * {{x}} * {{x}}) if {{approximate}} else 0.5 * {erfc_}(-{{x}} / {ROOT_2}) "
        f"+ {{x}} * {m}.exp(-0.5 * {{x}} * {{x}}) / {ROOT_2PI})"
        for framework, m, erfc_ in (
            ("numpy", "np", "scipy.special.erfc"),
            ("tf", "tf", "tf.math.erfc"),
            ("torch", "torch", "torch.erfc"),
            ("jax", "jnp", "jax.scipy.special.erfc"),
        )
        for tanh in [f"{m}.tanh({GELU_SCALE} * ({{x}} + {GELU_CUBE} * {{x}} * {{x}} * {{x}}))"]
    },
    aliases={},
    category=ACTIVATIONS,
    text="slope of gelu at {x}",
    helper=True,
    examples=[example([0.5, -1.0, 2.0]), example([0.5, -1.0], approximate=True)],
)
def gelu_slope(x: Any, *, approximate: bool = False) -> Any:
    """The derivative of gelu."""
    if not approximate:
        share = np.multiply(erfc.forward(np.multiply(x, -1 / ROOT_2)), 0.5)
        bell = np.multiply(np.exp(np.multiply(np.multiply(x, x), -0.5)), 1 / ROOT_2PI)
        return np.add(share, np.multiply(bell, x))
    # With t = tanh(b): (1 + t)/2 + (1 - t²) x b′(x)/2 = (1 + t) (1/2 + (1 - t) x b′(x)/2).
    squared = np.multiply(x, x)
    bent = np.tanh(np.multiply(_bend_over_x(squared), x))
    steep = np.add(np.multiply(squared, 1.5 * GELU_SCALE * GELU_CUBE), 0.5 * GELU_SCALE)
    half = np.add(np.multiply(np.subtract(1.0, bent), np.multiply(steep, x)), 0.5)
    return np.multiply(half, np.add(bent, 1.0))


@gelu_slope.local
def _(out: Any, x: Any, *, approximate: bool) -> Rule:
    squared = square(x)
    if not approximate:
        bell = multiply(exp(multiply(squared, -0.5)), 1 / ROOT_2PI)
        return (multiply(bell, subtract(2, squared)),)
    bent = tanh(multiply(add(multiply(squared, GELU_SCALE * GELU_CUBE), GELU_SCALE), x))
    steep = subtract(1, square(bent))
    inner = add(multiply(squared, 3 * GELU_SCALE * GELU_CUBE), GELU_SCALE)
    curved = subtract(
        multiply(6 * GELU_SCALE * GELU_CUBE * 0.5, squared),
        multiply(multiply(x, bent), square(inner)),
    )
    return (multiply(steep, add(inner, curved)),)


@function(
    "silu",
    mark("ops", "Weighs every cell by its own sigmoid."),
    r"x\, \sigma(x)",
    {
        "numpy": "{x} * np.exp(-np.logaddexp(0.0, np.negative({x})))",
        "tf": "tf.nn.silu({x})",
        "torch": "torch.nn.functional.silu({x})",
        "jax": "jax.nn.silu({x})",
    },
    aliases={"tf": "silu swish", "torch": "silu", "jax": "silu", "math": "silu swish"},
    category=ACTIVATIONS,
)
def silu(x: Any) -> Any:
    """x·sigmoid(x)."""
    return np.multiply(x, sigmoid.forward(x))


@silu.local
def _(out: Any, x: Any) -> Rule:
    share = sigmoid(x)
    return (multiply(share, add(1, multiply(x, sigmoid(negative(x))))),)


@function(
    "mish",
    mark("ops", "Weighs every cell by the tanh of its softplus."),
    r"x \tanh(\ln(1 + e^{x}))",
    {
        "numpy": "{x} * np.tanh(np.logaddexp(0.0, {x}))",
        "tf": "{x} * tf.tanh(tf.nn.softplus({x}))",
        "torch": "torch.nn.functional.mish({x})",
        "jax": "jax.nn.mish({x})",
    },
    aliases={"torch": "mish", "jax": "mish", "math": "mish"},
    category=ACTIVATIONS,
)
def mish(x: Any) -> Any:
    """x·tanh(softplus(x))."""
    return np.multiply(x, np.tanh(np.logaddexp(0.0, x)))


@mish.local
def _(out: Any, x: Any) -> Rule:
    weight = tanh(softplus(x))
    return (add(weight, multiply(multiply(x, sigmoid(x)), subtract(1, square(weight)))),)


@function(
    "softsign",
    mark("ops", "Squeezes every cell between −1 and 1, more gently than tanh."),
    r"\frac{x}{1 + \lvert x \rvert}",
    {
        "numpy": "{x} / (1.0 + np.abs({x}))",
        "tf": "tf.nn.softsign({x})",
        "torch": "torch.nn.functional.softsign({x})",
        "jax": "jax.nn.soft_sign({x})",
    },
    aliases={"tf": "softsign", "torch": "softsign", "jax": "soft_sign", "math": "softsign"},
    category=ACTIVATIONS,
)
def softsign(x: Any) -> Any:
    """x / (1 + |x|)."""
    return np.divide(x, np.add(np.absolute(x), 1.0))


@softsign.local
def _(out: Any, x: Any) -> Rule:
    return (divide(1, square(add(1, abs_(x)))),)


def _within(x: Any, low: float, high: float, g: Any) -> Any:
    """g where low ≤ x ≤ high, else 0."""
    return where(less_equal(low, x), where(less_equal(x, high), g, 0), 0)


@function(
    "hard tanh",
    mark("ops", "Lets cells between −1 and 1 through and holds the others at these two."),
    r"\min(\max(x, -1), 1)",
    {
        "numpy": "np.minimum(np.maximum({x}, -1.0), 1.0)",
        "tf": "tf.clip_by_value({x}, -1.0, 1.0)",
        "torch": "torch.nn.functional.hardtanh({x})",
        "jax": "jax.nn.hard_tanh({x})",
    },
    aliases={"torch": "hardtanh", "jax": "hard_tanh", "math": "hard_tanh"},
    category=ACTIVATIONS,
    family="gate",
    at=[0.5, -1.5, 2.0],
)
def hard_tanh(x: Any) -> Any:
    """x between -1 and 1, else the bound; the slope at the bounds is 1."""
    return np.minimum(np.maximum(x, -1.0), 1.0)


@hard_tanh.vjp
def _(g: Any, out: Any, x: Any) -> Rule:
    return (_within(x, -1, 1, g),)


@function(
    "hard σ",
    mark("ops", "A sigmoid made of straight lines: 0 below −3, 1 above 3."),
    r"\frac{\min(\max(x + 3, 0), 6)}{6}",
    {
        "numpy": "np.minimum(np.maximum({x} + 3.0, 0.0), 6.0) / 6.0",
        "tf": "tf.nn.relu6({x} + 3.0) / 6.0",
        "torch": "torch.nn.functional.hardsigmoid({x})",
        "jax": "jax.nn.hard_sigmoid({x})",
    },
    aliases={"torch": "hardsigmoid", "jax": "hard_sigmoid", "math": "hard_sigmoid"},
    category=ACTIVATIONS,
    family="gate",
    at=[0.5, -1.0, 4.0],
)
def hard_sigmoid(x: Any) -> Any:
    """(x + 3) / 6 between -3 and 3, else 0 or 1."""
    return np.divide(np.minimum(np.maximum(np.add(x, 3.0), 0.0), 6.0), 6.0)


@hard_sigmoid.vjp
def _(g: Any, out: Any, x: Any) -> Rule:
    return (where(less(-3, x), where(less(x, 3), divide(g, 6), 0), 0),)


@function(
    "hard swish",
    mark("ops", "Weighs every cell by its hard sigmoid."),
    r"x \frac{\min(\max(x + 3, 0), 6)}{6}",
    {
        "numpy": "{x} * np.minimum(np.maximum({x} + 3.0, 0.0), 6.0) / 6.0",
        "tf": "{x} * tf.nn.relu6({x} + 3.0) / 6.0",
        "torch": "torch.nn.functional.hardswish({x})",
        "jax": "jax.nn.hard_swish({x})",
    },
    aliases={"torch": "hardswish", "jax": "hard_swish hard_silu", "math": "hard_swish"},
    category=ACTIVATIONS,
    at=[0.5, -1.0, 4.0],
)
def hard_swish(x: Any) -> Any:
    """x · hard_sigmoid(x)."""
    return np.divide(np.multiply(x, np.minimum(np.maximum(np.add(x, 3.0), 0.0), 6.0)), 6.0)


@hard_swish.vjp
def _(g: Any, out: Any, x: Any) -> Rule:
    sloped = where(less(x, 3), multiply(g, divide(add(multiply(2, x), 3), 6)), g)
    return (where(less(-3, x), sloped, 0),)
