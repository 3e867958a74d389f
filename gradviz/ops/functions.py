"""Element-wise functions of one array: roots, exponentials, logarithms, trigonometry, hyperbolics, rounding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.ops import shapes
from gradviz.ops.comparing import less
from gradviz.ops.elementwise import add, cos, divide, exp, multiply, negative, square, subtract
from gradviz.ops.named import function
from gradviz.ops.op import ARITHMETIC, FRAMEWORKS, SHAPE
from gradviz.ops.selection import where
from gradviz.ops.spec import Spec
from gradviz.text import mark

Rule = tuple[Any, ...]


@function(
    "id",
    mark("ops", "Passes every cell on as it is."),
    "x",
    dict.fromkeys(FRAMEWORKS, "{x}"),
    aliases={"tf": "identity", "torch": "clone", "math": "copy"},
    category=SHAPE,
    spec=lambda x: Spec(x.shape, x.dtype),
    linear_in=("x",),
)
def identity(x: Any) -> Any:
    """x."""
    return np.asarray(x)


@identity.local
def _(out: Any, x: Any) -> Rule:
    return (1,)


@function(
    "sgn",
    mark("ops", "−1, 0 or 1: the sign of every cell. It is flat, so its gradient is 0 everywhere."),
    r"\mathrm{sgn}(x)",
    "np.sign tf.sign torch.sign jnp.sign",
    math="sgn",
    spec=shapes.elementwise_number,
)
def sign(x: Any) -> Any:
    """-1, 0 or 1; NaN stays NaN."""
    return np.sign(x)


@sign.vjp
def _(g: Any, out: Any, x: Any) -> Rule:
    return (0.0,)


@function(
    "|x|",
    mark("ops", "The size of every cell, without its sign."),
    r"\lvert x \rvert",
    "np.abs tf.abs torch.abs jnp.abs",
    math="absolute magnitude fabs",
    category=ARITHMETIC,
    spec=shapes.elementwise_number,
    text="|{x}|",
    at=[0.5, -1.0, -2.5],
)
def abs_(x: Any) -> Any:
    """The absolute value; its slope at 0 is 0."""
    return np.absolute(x)


@abs_.local
def _(out: Any, x: Any) -> Rule:
    return (sign(x),)


@function(
    "1/x",
    mark("ops", "One divided by every cell."),
    r"\frac{1}{x}",
    {
        "numpy": "np.divide(1.0, {x})",
        "tf": "tf.math.reciprocal({x})",
        "torch": "torch.reciprocal({x})",
        "jax": "jnp.reciprocal({x})",
    },
    aliases={
        "numpy": "reciprocal",
        "tf": "reciprocal",
        "torch": "reciprocal",
        "jax": "reciprocal",
        "math": "inverse",
    },
    category=ARITHMETIC,
)
def reciprocal(x: Any) -> Any:
    """1 / x."""
    return np.divide(1.0, x)


@reciprocal.local
def _(out: Any, x: Any) -> Rule:
    return (negative(square(out)),)


@function(
    "1/√",
    mark("ops", "One divided by the square root of every cell."),
    r"\frac{1}{\sqrt{x}}",
    {
        "numpy": "np.divide(1.0, np.sqrt({x}))",
        "tf": "tf.math.rsqrt({x})",
        "torch": "torch.rsqrt({x})",
        "jax": "jax.lax.rsqrt({x})",
    },
    aliases={"tf": "rsqrt", "torch": "rsqrt", "jax": "rsqrt"},
    at=[0.5, 1.0, 4.0],
)
def rsqrt(x: Any) -> Any:
    """1 / sqrt(x)."""
    return np.divide(1.0, np.sqrt(x))


@rsqrt.local
def _(out: Any, x: Any) -> Rule:
    return (multiply(-0.5, multiply(out, square(out))),)


@function(
    "∛",
    mark("ops", "The cube root of every cell, of negative ones too."),
    r"\sqrt[3]{x}",
    {
        "numpy": "np.cbrt({x})",
        "tf": "(tf.sign({x}) * tf.abs({x}) ** (1 / 3))",
        "torch": "(torch.sign({x}) * torch.abs({x}) ** (1 / 3))",
        "jax": "jnp.cbrt({x})",
    },
    math="cuberoot",
)
def cbrt(x: Any) -> Any:
    """The cube root."""
    return np.cbrt(x)


@cbrt.local
def _(out: Any, x: Any) -> Rule:
    return (divide(1 / 3, square(out)),)


@function(
    "2ˣ",
    mark("ops", "2 to the power of every cell."),
    "2^{x}",
    {
        "numpy": "np.exp2({x})",
        "tf": "2.0 ** {x}",
        "torch": "torch.exp2({x})",
        "jax": "jnp.exp2({x})",
    },
)
def exp2(x: Any) -> Any:
    """2**x."""
    return np.exp2(x)


@exp2.local
def _(out: Any, x: Any) -> Rule:
    return (multiply(math.log(2), out),)


@function(
    "eˣ−1",
    mark("ops", "e to the power of every cell, less 1; exact near 0."),
    "e^{x} - 1",
    "np.expm1 tf.math.expm1 torch.expm1 jnp.expm1",
)
def expm1(x: Any) -> Any:
    """exp(x) - 1 without loss near 0."""
    return np.expm1(x)


@expm1.local
def _(out: Any, x: Any) -> Rule:
    return (exp(x),)


@function(
    "ln(1+x)",
    mark("ops", "The natural logarithm of 1 plus every cell; exact near 0."),
    r"\ln(1 + x)",
    "np.log1p tf.math.log1p torch.log1p jnp.log1p",
    at=[0.5, 1.0, -0.5],
)
def log1p(x: Any) -> Any:
    """log(1 + x) without loss near 0."""
    return np.log1p(x)


@log1p.local
def _(out: Any, x: Any) -> Rule:
    return (divide(1, add(1, x)),)


@function(
    "log₂",
    mark("ops", "The logarithm to base 2 of every cell."),
    r"\log_2 x",
    {
        "numpy": "np.log2({x})",
        "tf": "(tf.math.log({x}) / np.log(2.0))",
        "torch": "torch.log2({x})",
        "jax": "jnp.log2({x})",
    },
    math="lb",
    at=[0.5, 1.0, 4.0],
)
def log2(x: Any) -> Any:
    """The logarithm to base 2."""
    return np.log2(x)


@log2.local
def _(out: Any, x: Any) -> Rule:
    return (divide(1 / math.log(2), x),)


@function(
    "log₁₀",
    mark("ops", "The logarithm to base 10 of every cell."),
    r"\log_{10} x",
    {
        "numpy": "np.log10({x})",
        "tf": "(tf.math.log({x}) / np.log(10.0))",
        "torch": "torch.log10({x})",
        "jax": "jnp.log10({x})",
    },
    math="lg",
    at=[0.5, 1.0, 4.0],
)
def log10(x: Any) -> Any:
    """The logarithm to base 10."""
    return np.log10(x)


@log10.local
def _(out: Any, x: Any) -> Rule:
    return (divide(1 / math.log(10), x),)


@function(
    "tan",
    mark("ops", "The tangent of every cell, in radians."),
    r"\tan x",
    "np.tan tf.tan torch.tan jnp.tan",
    math="tan",
)
def tan(x: Any) -> Any:
    """The tangent."""
    return np.tan(x)


@tan.local
def _(out: Any, x: Any) -> Rule:
    return (add(1, square(out)),)


_INSIDE = (0.5, -0.25, 0.75)


@function(
    "asin",
    mark("ops", "The angle, in radians, whose sine is the cell."),
    r"\arcsin x",
    "np.arcsin tf.asin torch.asin jnp.arcsin",
    math="arcsin",
    at=_INSIDE,
)
def asin(x: Any) -> Any:
    """The inverse sine, from -π/2 to π/2."""
    return np.arcsin(x)


@asin.local
def _(out: Any, x: Any) -> Rule:
    return (rsqrt(multiply(subtract(1, x), add(1, x))),)


@function(
    "acos",
    mark("ops", "The angle, in radians, whose cosine is the cell."),
    r"\arccos x",
    "np.arccos tf.acos torch.acos jnp.arccos",
    math="arccos",
    at=_INSIDE,
)
def acos(x: Any) -> Any:
    """The inverse cosine, from 0 to π."""
    return np.arccos(x)


@acos.local
def _(out: Any, x: Any) -> Rule:
    return (negative(rsqrt(multiply(subtract(1, x), add(1, x)))),)


@function(
    "atan",
    mark("ops", "The angle, in radians, whose tangent is the cell."),
    r"\arctan x",
    "np.arctan tf.atan torch.atan jnp.arctan",
    math="arctan",
)
def atan(x: Any) -> Any:
    """The inverse tangent, from -π/2 to π/2."""
    return np.arctan(x)


@atan.local
def _(out: Any, x: Any) -> Rule:
    return (divide(1, add(1, square(x))),)


@function(
    "sinh",
    mark("ops", "The hyperbolic sine of every cell."),
    r"\sinh x",
    "np.sinh tf.sinh torch.sinh jnp.sinh",
    math="sinh",
)
def sinh(x: Any) -> Any:
    """The hyperbolic sine."""
    return np.sinh(x)


@sinh.local
def _(out: Any, x: Any) -> Rule:
    return (cosh(x),)


@function(
    "cosh",
    mark("ops", "The hyperbolic cosine of every cell."),
    r"\cosh x",
    "np.cosh tf.cosh torch.cosh jnp.cosh",
    math="cosh",
)
def cosh(x: Any) -> Any:
    """The hyperbolic cosine."""
    return np.cosh(x)


@cosh.local
def _(out: Any, x: Any) -> Rule:
    return (sinh(x),)


@function(
    "asinh",
    mark("ops", "The number whose hyperbolic sine is the cell."),
    r"\mathrm{arsinh}\, x",
    "np.arcsinh tf.asinh torch.asinh jnp.arcsinh",
    math="arcsinh arsinh",
)
def asinh(x: Any) -> Any:
    """The inverse hyperbolic sine."""
    return np.arcsinh(x)


@asinh.local
def _(out: Any, x: Any) -> Rule:
    return (rsqrt(add(1, square(x))),)


@function(
    "acosh",
    mark("ops", "The number whose hyperbolic cosine is the cell, which is at least 1."),
    r"\mathrm{arcosh}\, x",
    "np.arccosh tf.acosh torch.acosh jnp.arccosh",
    math="arccosh arcosh",
    at=[1.5, 2.0, 4.0],
)
def acosh(x: Any) -> Any:
    """The inverse hyperbolic cosine, at least 0."""
    return np.arccosh(x)


@acosh.local
def _(out: Any, x: Any) -> Rule:
    return (rsqrt(multiply(subtract(x, 1), add(x, 1))),)


@function(
    "atanh",
    mark("ops", "The number whose hyperbolic tangent is the cell, which is between −1 and 1."),
    r"\mathrm{artanh}\, x",
    "np.arctanh tf.atanh torch.atanh jnp.arctanh",
    math="arctanh artanh",
    at=_INSIDE,
)
def atanh(x: Any) -> Any:
    """The inverse hyperbolic tangent."""
    return np.arctanh(x)


@atanh.local
def _(out: Any, x: Any) -> Rule:
    return (divide(1, multiply(subtract(1, x), add(1, x))),)


def _rounding_spec(x: Spec) -> Spec:
    return shapes.elementwise_number(x)


@function(
    "⌊x⌋",
    mark("ops", "Rounds every cell down. It is flat, so its gradient is 0 everywhere."),
    r"\lfloor x \rfloor",
    "np.floor tf.floor torch.floor jnp.floor",
    spec=_rounding_spec,
    at=[0.5, -1.25, 2.75],
)
def floor(x: Any) -> Any:
    """The largest whole number not above x."""
    return np.floor(x)


@function(
    "⌈x⌉",
    mark("ops", "Rounds every cell up. It is flat, so its gradient is 0 everywhere."),
    r"\lceil x \rceil",
    "np.ceil tf.math.ceil torch.ceil jnp.ceil",
    math="ceiling",
    spec=_rounding_spec,
    at=[0.5, -1.25, 2.75],
)
def ceil(x: Any) -> Any:
    """The smallest whole number not below x."""
    return np.ceil(x)


@function(
    "[x]",
    mark(
        "ops",
        "Rounds every cell to the nearest whole number, halves to the even one. Its gradient is 0 everywhere.",
    ),
    r"\mathrm{round}(x)",
    "np.round tf.round torch.round jnp.round",
    math="rint",
    spec=_rounding_spec,
    at=[0.25, -1.25, 2.75],
)
def round_(x: Any) -> Any:
    """The nearest whole number; halves go to the even one."""
    return np.rint(x) if np.asarray(x).dtype.kind == "f" else np.asarray(x)


@function(
    "x→0",
    mark(
        "ops", "Cuts off what stands after the point. It is flat, so its gradient is 0 everywhere."
    ),
    r"\mathrm{trunc}(x)",
    {
        "numpy": "np.trunc({x})",
        "tf": "tf.sign({x}) * tf.floor(tf.abs({x}))",
        "torch": "torch.trunc({x})",
        "jax": "jnp.trunc({x})",
    },
    math="fix",
    spec=_rounding_spec,
    at=[0.5, -1.25, 2.75],
)
def trunc(x: Any) -> Any:
    """x without its decimals."""
    return np.trunc(x)


@floor.vjp
@ceil.vjp
@round_.vjp
@trunc.vjp
def _(g: Any, out: Any, x: Any) -> Rule:
    return (0.0,)


@function(
    "sinc",
    mark("ops", "sin(πx) divided by πx, and 1 at 0."),
    r"\frac{\sin \pi x}{\pi x}",
    {
        "numpy": "np.sinc({x})",
        "tf": "tf.where({x} == 0, 1.0, tf.sin(np.pi * {x}) / (np.pi * tf.where({x} == 0, 1.0, {x})))",
        "torch": "torch.sinc({x})",
        "jax": "jnp.sinc({x})",
    },
    math="sinc",
)
def sinc(x: Any) -> Any:
    """sin(πx) / (πx), 1 at 0."""
    return np.sinc(x)


# The derivative of the power series of sinc: the sum of c·x^(2k − 1).
_SERIES = [(-1) ** k * math.pi ** (2 * k) * 2 * k / math.factorial(2 * k + 1) for k in range(1, 8)]


@sinc.local
def _(out: Any, x: Any) -> Rule:
    # Near 0, where cos πx − sinc x is lost in rounding, the series; both branches are finite everywhere.
    near = less(abs_(x), 0.25)
    squared = square(where(near, x, 0))
    series: Any = _SERIES[-1]
    for factor in reversed(_SERIES[:-1]):
        series = add(factor, multiply(squared, series))
    away = divide(subtract(cos(multiply(math.pi, x)), out), where(near, 1, x))
    return (where(near, multiply(x, series), away),)


@function(
    "°",
    mark("ops", "Turns degrees into radians."),
    r"\frac{\pi}{180} x",
    {
        "numpy": "np.deg2rad({x})",
        "tf": "{x} * (np.pi / 180.0)",
        "torch": "torch.deg2rad({x})",
        "jax": "jnp.deg2rad({x})",
    },
    math="radians",
    linear_in=("x",),
)
def deg2rad(x: Any) -> Any:
    """x · π / 180."""
    return np.deg2rad(x)


@deg2rad.local
def _(out: Any, x: Any) -> Rule:
    return (math.pi / 180,)
