"""Special functions, computed by SciPy, which is loaded when the first of them is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.ops.elementwise import exp, multiply, negative, square
from gradviz.ops.named import function
from gradviz.ops.op import example
from gradviz.text import mark

Rule = tuple[Any, ...]


def _special() -> Any:
    import scipy.special

    return scipy.special


def _bell(x: Any) -> Any:
    """2/√π · exp(−x²), the slope of erf."""
    return multiply(2 / math.sqrt(math.pi), exp(negative(square(x))))


@function(
    "erf",
    mark("ops", "The error function: the share of a bell curve between −x and x."),
    r"\mathrm{erf}(x)",
    "scipy.special.erf tf.math.erf torch.erf jax.scipy.special.erf",
    math="erf",
)
def erf(x: Any) -> Any:
    """2/√π times the integral of exp(-t²) from 0 to x."""
    return _special().erf(x)


@erf.local
def _(out: Any, x: Any) -> Rule:
    return (_bell(x),)


@function(
    "erfc",
    mark("ops", "1 less the error function, exact where that is tiny."),
    r"\mathrm{erfc}(x)",
    "scipy.special.erfc tf.math.erfc torch.erfc jax.scipy.special.erfc",
    math="erfc",
)
def erfc(x: Any) -> Any:
    """1 - erf(x), without loss for large x."""
    return _special().erfc(x)


@erfc.local
def _(out: Any, x: Any) -> Rule:
    return (negative(_bell(x)),)


@function(
    "erf⁻¹",
    mark("ops", "The number whose error function is the cell, which is between −1 and 1."),
    r"\mathrm{erf}^{-1}(x)",
    "scipy.special.erfinv tf.math.erfinv torch.erfinv jax.scipy.special.erfinv",
    math="erfinv",
    at=(0.5, -0.25, 0.75),
)
def erfinv(x: Any) -> Any:
    """The inverse of erf."""
    return _special().erfinv(x)


@erfinv.local
def _(out: Any, x: Any) -> Rule:
    return (multiply(math.sqrt(math.pi) / 2, exp(square(out))),)


@function(
    "ln Γ",
    mark("ops", "The logarithm of the gamma function, which continues the factorial."),
    r"\ln \lvert \Gamma(x) \rvert",
    "scipy.special.gammaln tf.math.lgamma torch.lgamma jax.scipy.special.gammaln",
    math="lgamma loggamma",
    at=(0.5, 2.5, 4.0),
)
def lgamma(x: Any) -> Any:
    """log |Γ(x)|."""
    return _special().gammaln(x)


@lgamma.local
def _(out: Any, x: Any) -> Rule:
    return (digamma(x),)


@function(
    "ψ",
    mark("ops", "The slope of the logarithm of the gamma function."),
    r"\psi(x)",
    "scipy.special.digamma tf.math.digamma torch.digamma jax.scipy.special.digamma",
    math="psi ψ",
    at=(0.5, 2.5, 4.0),
)
def digamma(x: Any) -> Any:
    """The derivative of lgamma."""
    return _special().psi(x)


@digamma.local
def _(out: Any, x: Any) -> Rule:
    return (polygamma(x, order=1),)


@function(
    "ψ⁽ⁿ⁾",
    mark("ops", "A derivative of the digamma function."),
    r"\psi^{(order)}(x)",
    {
        "numpy": "scipy.special.polygamma({order}, {x})",
        "tf": "tf.math.polygamma(tf.constant({order}, {x}.dtype), {x})",
        "torch": "torch.polygamma({order}, {x})",
        "jax": "jax.scipy.special.polygamma({order}, {x})",
    },
    text="polygamma({x}{attributes})",
    aliases={"numpy": "polygamma", "math": "trigamma"},
    examples=[example([0.5, 2.5, 4.0], order=1), example([0.5, 2.5], order=2)],
)
def polygamma(x: Any, *, order: int = 1) -> Any:
    """The derivative of that order of digamma; order 1 is called trigamma."""
    return np.asarray(_special().polygamma(order, x), np.result_type(x, 1.0))


@polygamma.local
def _(out: Any, x: Any, *, order: int) -> Rule:
    return (polygamma(x, order=order + 1),)
