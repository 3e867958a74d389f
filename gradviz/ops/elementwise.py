"""Element-wise arithmetic and functions. Each declares its local derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.ops import registry, shapes
from gradviz.ops.op import (
    ACTIVATIONS,
    ADDED,
    ARITHMETIC,
    DIVIDED,
    FUNCTIONS,
    GRADIENT,
    MULTIPLIED,
    NEGATED,
    RAISED,
    example,
    op,
)
from gradviz.text import mark

Rule = tuple[Any, ...]


@op(
    sign="+",
    category=ARITHMETIC,
    family="map",
    summary=mark("ops", "Adds cell by cell."),
    text="{x} + {y}",
    binding=ADDED,
    formula="x + y",
    code=dict.fromkeys(("numpy", "tf", "torch", "jax"), "{x} + {y}"),
    aliases={"numpy": "add", "tf": "add", "torch": "add", "jax": "add", "math": "+ plus"},
    spec=shapes.elementwise,
    linear_in=("x", "y"),
    examples=[example([1.0, 2.0], [[10.0], [20.0]]), example(2.0, 3.0)],
)
def add(x: Any, y: Any) -> Any:
    """x + y."""
    return np.add(x, y)


@add.local
def _(out: Any, x: Any, y: Any) -> Rule:
    return 1, 1


@op(
    sign="−",
    category=ARITHMETIC,
    family="map",
    summary=mark("ops", "Subtracts the second from the first, cell by cell."),
    text="{x} − {y}",
    binding=ADDED,
    formula="x - y",
    code=dict.fromkeys(("numpy", "tf", "torch", "jax"), "{x} - {y}"),
    aliases={
        "numpy": "subtract",
        "tf": "subtract sub",
        "torch": "subtract sub",
        "jax": "subtract",
        "math": "- − minus",
    },
    spec=shapes.elementwise_number,
    linear_in=("x", "y"),
    examples=[example([1.0, 2.0], [[10.0], [20.0]]), example(2.0, 3.0)],
)
def subtract(x: Any, y: Any) -> Any:
    """x - y."""
    return np.subtract(x, y)


@subtract.local
def _(out: Any, x: Any, y: Any) -> Rule:
    return 1, -1


@op(
    sign="×",
    category=ARITHMETIC,
    family="map",
    summary=mark("ops", "Multiplies cell by cell."),
    text="{x}·{y}",
    binding=MULTIPLIED,
    formula=r"x \cdot y",
    code=dict.fromkeys(("numpy", "tf", "torch", "jax"), "{x} * {y}"),
    aliases={
        "numpy": "multiply",
        "tf": "multiply mul",
        "torch": "multiply mul",
        "jax": "multiply",
        "math": "* × · times",
    },
    spec=shapes.elementwise,
    linear_in=("x", "y"),
    examples=[example([1.0, 2.0], [[10.0], [20.0]]), example(2.0, 3.0)],
)
def multiply(x: Any, y: Any) -> Any:
    """x * y."""
    return np.multiply(x, y)


@multiply.local
def _(out: Any, x: Any, y: Any) -> Rule:
    return y, x


@op(
    sign="÷",
    category=ARITHMETIC,
    family="map",
    summary=mark("ops", "Divides the first by the second, cell by cell."),
    text="{x} / {y}",
    binding=DIVIDED,
    formula=r"\frac{x}{y}",
    code=dict.fromkeys(("numpy", "tf", "torch", "jax"), "{x} / {y}"),
    aliases={
        "numpy": "divide true_divide",
        "tf": "divide truediv div",
        "torch": "divide div",
        "jax": "divide",
        "math": "/ ÷ over",
    },
    spec=shapes.elementwise_float,
    linear_in=("x",),
    examples=[example([1.0, 2.0], [[10.0], [20.0]]), example(2.0, 3.0)],
)
def divide(x: Any, y: Any) -> Any:
    """x / y."""
    return np.divide(x, y)


@divide.local
def _(out: Any, x: Any, y: Any) -> Rule:
    return divide(1, y), negative(divide(out, y))


@op(
    sign="xʸ",
    category=ARITHMETIC,
    family="map",
    summary=mark("ops", "Raises the first to the power of the second, cell by cell."),
    text="{x}^{y}",
    binding=RAISED,
    formula="x^{y}",
    code=dict.fromkeys(("numpy", "tf", "torch", "jax"), "{x} ** {y}"),
    aliases={
        "numpy": "power float_power",
        "tf": "pow",
        "torch": "pow",
        "jax": "power",
        "math": "** ^ pow",
    },
    spec=shapes.elementwise_number,
    examples=[example([1.5, 2.0, 0.5], 3.0), example([1.5, 2.0], [[0.5], [-1.25]])],
)
def power(x: Any, y: Any) -> Any:
    """x ** y."""
    return np.power(x, y)


@power.local
def _(out: Any, x: Any, y: Any) -> Rule:
    return power_slope(x, y), power_log(x, y)


@op(
    sign="∂xʸ",
    category=GRADIENT,
    family="map",
    summary=mark("ops", "The slope of xʸ by x: y·x^(y − 1), and 0 where y is 0."),
    text="{y}·{x}^({y} − 1)",
    binding=MULTIPLIED,
    formula="y x^{y - 1}",
    code={
        "numpy": "np.where(np.equal({y}, 0), 0.0, {y} * np.power({x}, np.subtract({y}, 1.0)))",
        "tf": "tf.where(tf.equal({y}, 0), 0.0, {y} * {x} ** ({y} - 1.0))",
        "torch": "torch.where({y} == 0, 0.0, {y} * {x} ** ({y} - 1.0))",
        "jax": "jnp.where({y} == 0, 0.0, {y} * {x} ** ({y} - 1.0))",
    },
    aliases={},
    spec=shapes.elementwise_float,
    examples=[example([1.5, 2.0, 0.5], 3.0)],
    helper=True,
)
def power_slope(x: Any, y: Any) -> Any:
    """y * x**(y - 1) without 0 * inf at y = 0."""
    dtype = np.result_type(x, y, 1.0)
    base, exponent = np.asarray(x, dtype), np.asarray(y, dtype)
    return np.where(exponent == 0, dtype.type(0), exponent * np.power(base, exponent - 1))


@power_slope.local
def _(out: Any, x: Any, y: Any) -> Rule:
    below = subtract(y, 1)
    # The second power of an exponent of 0 is 0 at 0 too, not 0 × ∞.
    bent = registry.get("where")(registry.get("equal")(y, 0), 0, power_slope(x, below))
    return multiply(y, bent), add(power(x, below), multiply(y, power_log(x, below)))


@op(
    sign="xʸ ln x",
    category=GRADIENT,
    family="map",
    summary=mark(
        "ops", "The slope of xʸ by y: xʸ·log x, and 0 where x is 0 and y is not negative."
    ),
    text="{x}^{y}·log({x})",
    binding=MULTIPLIED,
    formula=r"x^{y} \log x",
    code={
        "numpy": "np.where(np.equal({x}, 0) & np.greater_equal({y}, 0), 0.0, np.power({x}, {y}) * np.log({x}))",
        "tf": "tf.where(({x} == 0) & ({y} >= 0), 0.0, {x} ** {y} * tf.math.log({x}))",
        "torch": "torch.where(({x} == 0) & ({y} >= 0), 0.0, {x} ** {y} * torch.log({x}))",
        "jax": "jnp.where(({x} == 0) & ({y} >= 0), 0.0, {x} ** {y} * jnp.log({x}))",
    },
    aliases={},
    spec=shapes.elementwise_float,
    examples=[example([1.5, 2.0, 0.5], 3.0)],
    helper=True,
)
def power_log(x: Any, y: Any) -> Any:
    """x**y * log(x) without 0 * -inf at x = 0."""
    dtype = np.result_type(x, y, 1.0)
    base, exponent = np.asarray(x, dtype), np.asarray(y, dtype)
    nothing = (base == 0) & (exponent >= 0)
    return np.where(nothing, dtype.type(0), np.power(base, exponent) * np.log(base))


@power_log.local
def _(out: Any, x: Any, y: Any) -> Rule:
    below = subtract(y, 1)
    return add(multiply(y, power_log(x, below)), power(x, below)), multiply(out, log(x))


@op(
    sign="−",
    category=ARITHMETIC,
    family="map",
    summary=mark("ops", "Turns the sign of every cell."),
    text="−{x}",
    binding=NEGATED,
    formula="-x",
    code=dict.fromkeys(("numpy", "tf", "torch", "jax"), "-{x}"),
    aliases={
        "numpy": "negative",
        "tf": "negative",
        "torch": "negative neg",
        "jax": "negative",
        "math": "neg",
    },
    spec=shapes.elementwise_number,
    linear_in=("x",),
    examples=[example([1.0, -2.0])],
)
def negative(x: Any) -> Any:
    """-x."""
    return np.negative(x)


@negative.local
def _(out: Any, x: Any) -> Rule:
    return (-1,)


@op(
    sign="x²",
    category=ARITHMETIC,
    family="map",
    summary=mark("ops", "Multiplies every cell by itself."),
    text="{x}²",
    binding=RAISED,
    formula="x^{2}",
    code={
        "numpy": "np.square({x})",
        "tf": "tf.square({x})",
        "torch": "torch.square({x})",
        "jax": "jnp.square({x})",
    },
    aliases={
        "numpy": "square",
        "tf": "square",
        "torch": "square",
        "jax": "square",
        "math": "sq squared",
    },
    spec=shapes.elementwise_number,
    examples=[example([1.5, -2.0]), example(3.0)],
)
def square(x: Any) -> Any:
    """x * x."""
    return np.square(x)


@square.local
def _(out: Any, x: Any) -> Rule:
    return (multiply(2, x),)


@op(
    sign="√",
    category=FUNCTIONS,
    family="map",
    summary=mark("ops", "The square root of every cell."),
    text="√({x})",
    formula=r"\sqrt{x}",
    code={
        "numpy": "np.sqrt({x})",
        "tf": "tf.sqrt({x})",
        "torch": "torch.sqrt({x})",
        "jax": "jnp.sqrt({x})",
    },
    aliases={"numpy": "sqrt", "tf": "sqrt", "torch": "sqrt", "jax": "sqrt", "math": "sqrt √"},
    spec=shapes.elementwise_function,
    examples=[example([1.5, 2.0, 9.0])],
)
def sqrt(x: Any) -> Any:
    """The square root."""
    return np.sqrt(x)


@sqrt.local
def _(out: Any, x: Any) -> Rule:
    return (divide(0.5, out),)


@op(
    sign="eˣ",
    category=FUNCTIONS,
    family="map",
    summary=mark("ops", "e to the power of every cell."),
    text="exp({x})",
    formula="e^{x}",
    code={
        "numpy": "np.exp({x})",
        "tf": "tf.exp({x})",
        "torch": "torch.exp({x})",
        "jax": "jnp.exp({x})",
    },
    aliases={"numpy": "exp", "tf": "exp", "torch": "exp", "jax": "exp", "math": "exp"},
    spec=shapes.elementwise_function,
    examples=[example([0.5, -1.0, 2.0])],
)
def exp(x: Any) -> Any:
    """e**x."""
    return np.exp(x)


@exp.local
def _(out: Any, x: Any) -> Rule:
    return (out,)


@op(
    sign="ln",
    category=FUNCTIONS,
    family="map",
    summary=mark("ops", "The natural logarithm of every cell."),
    text="log({x})",
    formula=r"\log x",
    code={
        "numpy": "np.log({x})",
        "tf": "tf.math.log({x})",
        "torch": "torch.log({x})",
        "jax": "jnp.log({x})",
    },
    aliases={"numpy": "log", "tf": "log", "torch": "log", "jax": "log", "math": "log ln"},
    spec=shapes.elementwise_function,
    examples=[example([0.5, 1.0, 2.0])],
)
def log(x: Any) -> Any:
    """The natural logarithm."""
    return np.log(x)


@log.local
def _(out: Any, x: Any) -> Rule:
    return (divide(1, x),)


@op(
    sign="sin",
    category=FUNCTIONS,
    family="map",
    summary=mark("ops", "The sine of every cell, in radians."),
    text="sin({x})",
    formula=r"\sin x",
    code={
        "numpy": "np.sin({x})",
        "tf": "tf.sin({x})",
        "torch": "torch.sin({x})",
        "jax": "jnp.sin({x})",
    },
    aliases={"numpy": "sin", "tf": "sin", "torch": "sin", "jax": "sin", "math": "sin"},
    spec=shapes.elementwise_function,
    examples=[example([0.5, -1.0, 2.0])],
)
def sin(x: Any) -> Any:
    """The sine."""
    return np.sin(x)


@sin.local
def _(out: Any, x: Any) -> Rule:
    return (cos(x),)


@op(
    sign="cos",
    category=FUNCTIONS,
    family="map",
    summary=mark("ops", "The cosine of every cell, in radians."),
    text="cos({x})",
    formula=r"\cos x",
    code={
        "numpy": "np.cos({x})",
        "tf": "tf.cos({x})",
        "torch": "torch.cos({x})",
        "jax": "jnp.cos({x})",
    },
    aliases={"numpy": "cos", "tf": "cos", "torch": "cos", "jax": "cos", "math": "cos"},
    spec=shapes.elementwise_function,
    examples=[example([0.5, -1.0, 2.0])],
)
def cos(x: Any) -> Any:
    """The cosine."""
    return np.cos(x)


@cos.local
def _(out: Any, x: Any) -> Rule:
    return (negative(sin(x)),)


@op(
    sign="tanh",
    category=FUNCTIONS,
    family="map",
    summary=mark("ops", "Squeezes every cell smoothly between −1 and 1."),
    text="tanh({x})",
    formula=r"\tanh x",
    code={
        "numpy": "np.tanh({x})",
        "tf": "tf.tanh({x})",
        "torch": "torch.tanh({x})",
        "jax": "jnp.tanh({x})",
    },
    aliases={"numpy": "tanh", "tf": "tanh", "torch": "tanh", "jax": "tanh", "math": "tanh"},
    spec=shapes.elementwise_function,
    examples=[example([0.5, -1.0, 2.0])],
)
def tanh(x: Any) -> Any:
    """The hyperbolic tangent."""
    return np.tanh(x)


@tanh.local
def _(out: Any, x: Any) -> Rule:
    return (subtract(1, square(out)),)


@op(
    sign="σ",
    category=ACTIVATIONS,
    family="map",
    summary=mark("ops", "Squeezes every cell smoothly between 0 and 1."),
    text="sigmoid({x})",
    formula=r"\sigma(x)",
    code={
        "numpy": "np.exp(-np.logaddexp(0.0, np.negative({x})))",
        "tf": "tf.sigmoid({x})",
        "torch": "torch.sigmoid({x})",
        "jax": "jax.nn.sigmoid({x})",
    },
    aliases={
        "tf": "sigmoid",
        "torch": "sigmoid",
        "jax": "sigmoid",
        "numpy": "expit",
        "math": "sigmoid logistic σ",
    },
    spec=shapes.elementwise_function,
    examples=[example([0.5, -1.0, 2.0])],
)
def sigmoid(x: Any) -> Any:
    """1 / (1 + e**-x), in the form that does not overflow on either side."""
    small = np.exp(np.negative(np.abs(x)))
    share = np.divide(1.0, np.add(small, 1.0))
    return np.where(np.greater_equal(x, 0), share, small * share)


@sigmoid.local
def _(out: Any, x: Any) -> Rule:
    return (multiply(out, subtract(1, out)),)
