"""Element-wise functions of two or three arrays, beside arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.ops import shapes
from gradviz.ops.comparing import logical_and
from gradviz.ops.elementwise import add, divide, log, multiply, negative, sigmoid, square, subtract
from gradviz.ops.functions import sign
from gradviz.ops.op import ARITHMETIC, DIVIDED, FUNCTIONS, example, op
from gradviz.ops.selection import equal, where
from gradviz.ops.spec import Spec
from gradviz.text import mark

Rule = tuple[Any, ...]
_PAIR = [example([1.0, -2.0], [[0.5], [3.0]])]
_POSITIVE = [example([1.2, 2.6], [[0.5], [3.0]])]


def _over(x: Any, y: Any) -> Any:
    """x / y, and 0 where y is 0."""
    nothing = equal(y, 0)
    return where(nothing, 0, divide(x, where(nothing, 1, y)))


@op(
    sign="∠",
    category=FUNCTIONS,
    family="map",
    summary=mark("ops", "The angle of the point (y, x), in radians from −π to π."),
    text="atan2({x}, {y})",
    formula=r"\mathrm{atan2}(x, y)",
    code={
        "numpy": "np.arctan2({x}, {y})",
        "tf": "tf.atan2({x}, {y})",
        "torch": "torch.atan2({x}, {y})",
        "jax": "jnp.arctan2({x}, {y})",
    },
    aliases={
        "numpy": "arctan2",
        "tf": "atan2",
        "torch": "atan2",
        "jax": "arctan2",
        "math": "atan2",
    },
    spec=shapes.elementwise_floats,
    examples=_PAIR,
)
def atan2(x: Any, y: Any) -> Any:
    """The angle whose tangent is x / y, in the right quadrant; its slopes at (0, 0) are 0."""
    return np.arctan2(x, y)


@atan2.local
def _(out: Any, x: Any, y: Any) -> Rule:
    squared = add(square(x), square(y))
    return _over(y, squared), negative(_over(x, squared))


@op(
    sign="hyp",
    category=FUNCTIONS,
    family="map",
    summary=mark("ops", "The length of the hypotenuse: the root of x² + y²."),
    text="hypot({x}, {y})",
    formula=r"\sqrt{x^{2} + y^{2}}",
    code={
        "numpy": "np.hypot({x}, {y})",
        "tf": "tf.sqrt({x} ** 2 + {y} ** 2)",
        "torch": "torch.hypot({x}, {y})",
        "jax": "jnp.hypot({x}, {y})",
    },
    aliases={"numpy": "hypot", "torch": "hypot", "jax": "hypot", "math": "hypot"},
    spec=shapes.elementwise_floats,
    examples=_PAIR,
)
def hypot(x: Any, y: Any) -> Any:
    """sqrt(x² + y²) without overflow; its slopes at (0, 0) are 0."""
    return np.hypot(x, y)


@hypot.local
def _(out: Any, x: Any, y: Any) -> Rule:
    return _over(x, out), _over(y, out)


@op(
    sign="ln(eˣ+eʸ)",
    category=FUNCTIONS,
    family="map",
    summary=mark("ops", "The logarithm of eˣ + eʸ, computed so that it does not overflow."),
    text="logaddexp({x}, {y})",
    formula=r"\ln(e^{x} + e^{y})",
    code={
        "numpy": "np.logaddexp({x}, {y})",
        "tf": "tf.reduce_logsumexp(tf.stack(tf.broadcast_static_shape({x}, {y})), 0)",
        "torch": "torch.logaddexp({x}, {y})",
        "jax": "jnp.logaddexp({x}, {y})",
    },
    aliases={"numpy": "logaddexp", "torch": "logaddexp", "jax": "logaddexp", "math": "logaddexp"},
    spec=shapes.elementwise_floats,
    examples=_PAIR,
)
def logaddexp(x: Any, y: Any) -> Any:
    """log(exp(x) + exp(y)); at x = y the slopes are 1/2 each."""
    return np.logaddexp(x, y)


@logaddexp.local
def _(out: Any, x: Any, y: Any) -> Rule:
    return sigmoid(subtract(x, y)), sigmoid(subtract(y, x))


@op(
    sign="⌊÷⌋",
    category=ARITHMETIC,
    family="map",
    summary=mark("ops", "Divides and rounds down. It is flat, so its gradient is 0 everywhere."),
    text="floor_divide({x}, {y})",
    formula=r"\left\lfloor \frac{x}{y} \right\rfloor",
    code=dict.fromkeys(("numpy", "tf", "torch", "jax"), "{x} // {y}"),
    aliases={
        "numpy": "floor_divide",
        "tf": "floordiv",
        "torch": "floor_divide",
        "jax": "floor_divide",
        "math": "//",
    },
    spec=shapes.elementwise_number,
    examples=_POSITIVE,
)
def floor_divide(x: Any, y: Any) -> Any:
    """floor(x / y)."""
    return np.floor_divide(x, y)


@floor_divide.vjp
def _(g: Any, out: Any, x: Any, y: Any) -> Rule:
    return 0.0, 0.0


@op(
    sign="mod",
    category=ARITHMETIC,
    family="map",
    summary=mark("ops", "What is left over after dividing; it has the sign of the divisor."),
    text="{x} mod {y}",
    binding=DIVIDED,
    formula=r"x \bmod y",
    code={
        "numpy": "np.remainder({x}, {y})",
        "tf": "tf.math.floormod({x}, {y})",
        "torch": "torch.remainder({x}, {y})",
        "jax": "jnp.remainder({x}, {y})",
    },
    aliases={
        "numpy": "remainder mod",
        "tf": "floormod mod",
        "torch": "remainder",
        "jax": "remainder",
        "math": "% mod",
    },
    spec=shapes.elementwise_number,
    examples=_POSITIVE,
)
def remainder(x: Any, y: Any) -> Any:
    """x - y·floor(x / y)."""
    return np.remainder(x, y)


@remainder.local
def _(out: Any, x: Any, y: Any) -> Rule:
    return 1, negative(floor_divide(x, y))


@op(
    sign="x ln y",
    category=FUNCTIONS,
    family="map",
    summary=mark("ops", "x times the logarithm of y, and 0 where x is 0."),
    text="xlogy({x}, {y})",
    formula=r"x \ln y",
    code={
        "numpy": "scipy.special.xlogy({x}, {y})",
        "tf": "tf.math.xlogy({x}, {y})",
        "torch": "torch.xlogy({x}, {y})",
        "jax": "jax.scipy.special.xlogy({x}, {y})",
    },
    aliases={"numpy": "xlogy", "tf": "xlogy", "torch": "xlogy", "jax": "xlogy", "math": "xlogy"},
    spec=shapes.elementwise_floats,
    linear_in=("x",),
    examples=_POSITIVE,
)
def xlogy(x: Any, y: Any) -> Any:
    """x·log(y), 0 where x is 0 and y is a number."""
    nothing = np.logical_and(np.equal(x, 0.0), np.logical_not(np.isnan(y)))
    return np.where(nothing, 0.0, np.multiply(x, np.log(y)))


@xlogy.local
def _(out: Any, x: Any, y: Any) -> Rule:
    nothing = equal(x, 0)
    both = logical_and(nothing, equal(y, 0))
    return where(both, 0, log(y)), where(nothing, 0, divide(x, where(nothing, 1, y)))


@op(
    sign="±",
    category=FUNCTIONS,
    family="map",
    summary=mark("ops", "The size of the first with the sign of the second."),
    text="copysign({x}, {y})",
    formula=r"\lvert x \rvert\, \mathrm{sgn}(y)",
    code={
        "numpy": "np.copysign({x}, {y})",
        "tf": "tf.abs({x}) * tf.where({y} >= 0, 1.0, -1.0)",
        "torch": "torch.copysign({x}, {y})",
        "jax": "jnp.copysign({x}, {y})",
    },
    aliases={"numpy": "copysign", "torch": "copysign", "jax": "copysign", "math": "copysign"},
    spec=shapes.elementwise_floats,
    examples=_PAIR,
)
def copysign(x: Any, y: Any) -> Any:
    """|x| with the sign of y."""
    return np.copysign(x, y)


@copysign.vjp
def _(g: Any, out: Any, x: Any, y: Any) -> Rule:
    return multiply(g, multiply(sign(x), copysign(1, y))), 0.0


@op(
    sign="(x−y)²",
    category=ARITHMETIC,
    family="map",
    summary=mark("ops", "The square of the difference, cell by cell."),
    text="squared_difference({x}, {y})",
    formula="(x - y)^{2}",
    code={
        "numpy": "np.square({x} - {y})",
        "tf": "tf.math.squared_difference({x}, {y})",
        "torch": "torch.square({x} - {y})",
        "jax": "jnp.square({x} - {y})",
    },
    aliases={"tf": "squared_difference", "math": "squared_difference"},
    spec=shapes.elementwise_number,
    examples=_PAIR,
)
def squared_difference(x: Any, y: Any) -> Any:
    """(x - y)²."""
    return np.square(np.subtract(x, y))


@squared_difference.local
def _(out: Any, x: Any, y: Any) -> Rule:
    twice = multiply(2, subtract(x, y))
    return twice, negative(twice)


def _lerp_spec(x: Spec, y: Spec, w: Spec) -> Spec:
    return shapes.elementwise(*shapes.numbers(x), *shapes.numbers(y), w)


@op(
    sign="lerp",
    category=ARITHMETIC,
    family="map",
    summary=mark("ops", "A point on the way from x to y: x at w = 0, y at w = 1."),
    text="lerp({x}, {y}, {w})",
    formula="x + w (y - x)",
    code=dict.fromkeys(("numpy", "tf", "torch", "jax"), "{x} + {w} * ({y} - {x})"),
    aliases={"torch": "lerp", "math": "lerp mix"},
    spec=_lerp_spec,
    examples=[example([1.0, 2.0], [3.0, -1.0], 0.25)],
)
def lerp(x: Any, y: Any, w: Any) -> Any:
    """x + w·(y - x)."""
    return np.add(x, np.multiply(w, np.subtract(y, x)))


@lerp.local
def _(out: Any, x: Any, y: Any, w: Any) -> Rule:
    return subtract(1, w), w, subtract(y, x)
