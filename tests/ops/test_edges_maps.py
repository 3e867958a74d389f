"""Conventions of element-wise functions at kinks, poles and infinities (engine research, section 3, last column)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.errors import GradvizError
from gradviz.ops.expr import Expr, constant, variable
from tests.support.edges import INF, NAN, call, holds, op, row

SMALL = np.log1p(np.exp(-25.0))

ROWS = [
    row("relu6 at 0 and 6", call("relu6"), [[0.0, 6.0, 7.0]], [0.0, 6.0, 6.0], [[0.0, 0.0, 0.0]]),
    row("leaky_relu(0.1) at 0", call("leaky_relu", alpha=0.1), [[0.0]], [0.0], [[0.1]]),
    row("elu at 0", call("elu"), [[0.0]], [0.0], [[1.0]]),
    row("elu far below 0", call("elu"), [[-800.0, -40.0]], [-1.0, -1.0], [[0.0, np.exp(-40.0)]]),
    row("celu at 0", call("celu", alpha=0.5), [[0.0]], [0.0], [[1.0]]),
    row("abs at 0 and at -0.0", call("abs"), [[0.0, -0.0, -2.0]], [0.0, 0.0, 2.0], [[0.0, 0.0, -1.0]]),
    row("abs of infinities and NaN", call("abs"), [[-INF, INF, NAN]], [INF, INF, NAN], [[-1.0, 1.0, NAN]]),
    row("sign at 0", call("sign"), [[0.0, -3.0, NAN]], [0.0, -1.0, NAN], [[0.0, 0.0, 0.0]]),
    row("floor+round+ceil", lambda x: op("floor", x) + op("round", x) + op("ceil", x), [[0.5, 1.5]], [1.0, 5.0],
        [[0.0, 0.0]]),
    row("round half to even", call("round"), [[0.5, 1.5, -2.5]], [0.0, 2.0, -2.0], [[0.0, 0.0, 0.0]]),
    row("trunc", call("trunc"), [[-1.5, 1.5]], [-1.0, 1.0], [[0.0, 0.0]]),
    row("floor_divide", call("floor_divide"), [[7.0, -7.0], [2.0, 2.0]], [3.0, -4.0], [[0.0, 0.0], [0.0, 0.0]]),
    row("remainder(4, 2)", call("remainder"), [[4.0], [2.0]], [0.0], [[1.0], [-2.0]]),
    row("remainder of a negative", call("remainder"), [[-1.0], [3.0]], [2.0], [[1.0], [1.0]]),
    row("minimum tie", call("minimum"), [[1.0], [1.0]], [1.0], [[0.5], [0.5]]),
    row("minimum with NaN", call("minimum"), [[NAN, 1.0], [1.0, NAN]], [NAN, NAN], [[1.0, 0.0], [0.0, 1.0]]),
    row("clip(-1,1) at -2,-1,0,1,2", call("clip", min=-1, max=1), [[-2.0, -1.0, 0.0, 1.0, 2.0]],
        [-1.0, -1.0, 0.0, 1.0, 1.0], [[0.0, 1.0, 1.0, 1.0, 0.0]]),
    row("clip(NaN)", call("clip", min=-1, max=1), [[NAN]], [NAN], [[0.0]]),
    row("clip of infinities", call("clip", min=-1, max=1), [[-INF, INF]], [-1.0, 1.0], [[0.0, 0.0]]),
    row("hard_tanh at -1, 1", call("hard_tanh"), [[-1.0, 1.0]], [-1.0, 1.0], [[1.0, 1.0]]),
    row("hard_sigmoid at -3, 0, 3", call("hard_sigmoid"), [[-3.0, 0.0, 3.0]], [0.0, 0.5, 1.0], [[0.0, 1 / 6, 0.0]]),
    row("hinge at the kink", lambda x: op("relu", 1.0 - x), [[1.0]], [0.0], [[0.0]]),
    row("xlogy at (0, 0)", call("xlogy"), [[0.0], [0.0]], [0.0], [[0.0], [0.0]]),
    row("xlogy at (0, 2) and (2, 0)", call("xlogy"), [[0.0, 2.0], [2.0, 0.0]], [0.0, -INF],
        [[np.log(2.0), -INF], [0.0, INF]]),
    row("xlogy at (0, NaN)", call("xlogy"), [[0.0], [NAN]], [NAN], [[NAN], [0.0]]),
    row("atan2(0, 0)", call("atan2"), [[0.0], [0.0]], [0.0], [[0.0], [0.0]]),
    row("atan2 on the axes", call("atan2"), [[0.0, 1.0], [-1.0, 0.0]], [np.pi, np.pi / 2], [[-1.0, 0.0], [0.0, -1.0]]),
    row("hypot(0, 0)", call("hypot"), [[0.0], [0.0]], [0.0], [[0.0], [0.0]]),
    row("hypot without overflow", call("hypot"), [[3e200], [4e200]], [5e200], [[0.6], [0.8]]),
    row("sinc at 0", call("sinc"), [[0.0]], [1.0], [[0.0]]),
    row("where(x == 0, 0, sin(x)/x) at 0", lambda x: op("where", op("equal", x, 0.0), 0.0, op("sin", x) / x), [[0.0]],
        [0.0], [[NAN]]),
    row("softplus at 25", call("softplus"), [[25.0]], [25.0 + SMALL], [[1 / (1 + np.exp(-25.0))]]),
    row("softplus at ±800", call("softplus"), [[-800.0, 800.0]], [0.0, 800.0], [[0.0, 1.0]]),
    row("log_sigmoid at ±800", call("log_sigmoid"), [[-800.0, 800.0]], [-800.0, 0.0], [[1.0, 0.0]]),
    row("logaddexp at a tie", call("logaddexp"), [[1000.0], [1000.0]], [1000.0 + np.log(2.0)], [[0.5], [0.5]]),
    row("logaddexp far apart", call("logaddexp"), [[-800.0], [800.0]], [800.0], [[0.0], [1.0]]),
    row("log1p at -1", call("log1p"), [[-1.0]], [-INF], [[INF]]),
    row("expm1 near 0", call("expm1"), [[1e-20]], [1e-20], [[1.0]]),
    row("reciprocal at 0", call("reciprocal"), [[0.0]], [INF], [[-INF]]),
    row("rsqrt at 0", call("rsqrt"), [[0.0]], [INF], [[-INF]]),
    row("cbrt at 0", call("cbrt"), [[0.0, -8.0]], [0.0, -2.0], [[INF, 1 / 12]]),
    row("asin and acos at 1", lambda x: op("asin", x) + op("acos", x), [[1.0]], [np.pi / 2], [[NAN]]),
    row("acosh at 1", call("acosh"), [[1.0]], [0.0], [[INF]]),
    row("atanh at 1", call("atanh"), [[1.0]], [INF], [[INF]]),
    row("tan near a pole", call("tan"), [[0.0]], [0.0], [[1.0]]),
    row("erf at ±inf", call("erf"), [[-INF, INF]], [-1.0, 1.0], [[0.0, 0.0]]),
    row("erfinv at ±1", call("erfinv"), [[-1.0, 1.0]], [-INF, INF], [[INF, INF]]),
    row("erfc where erf is 1", call("erfc"), [[10.0]], [2.088487583762545e-45], [[-2 / np.sqrt(np.pi) * np.exp(-100.0)]]),
    row("copysign", call("copysign"), [[-2.0, 2.0], [3.0, -3.0]], [2.0, -2.0], [[-1.0, -1.0], [0.0, 0.0]]),
    row("silu at -800", call("silu"), [[-800.0, 0.0]], [0.0, 0.0], [[0.0, 0.5]]),
    row("gelu at 0 and far away", call("gelu"), [[0.0, -40.0, 40.0]], [0.0, 0.0, 40.0], [[0.5, 0.0, 1.0]]),
    row("mish far away", call("mish"), [[-800.0, 800.0]], [0.0, 800.0], [[0.0, 1.0]]),
    row("softsign", call("softsign"), [[0.0, -1.0]], [0.0, -0.5], [[1.0, 0.25]]),
    row("double where", lambda x: op("where", x > 0, op("sqrt", op("where", x > 0, x, 1.0)), 0.0), [[-1.0, 0.0, 4.0]],
        [0.0, 0.0, 2.0], [[0.0, 0.0, 0.25]]),
    row("untaken branch is constant NaN", lambda x: op("where", x > 0, x, NAN), [[1.0]], [1.0], [[1.0]]),
    row("functions of nothing", call("gelu"), [np.zeros((2, 0))], np.zeros((2, 0)), [np.zeros((2, 0))]),
    row("functions of one number", call("mish"), [0.0], 0.0, [np.tanh(np.log(2.0))]),
]  # fmt: skip


@pytest.mark.parametrize(("make", "inputs", "value", "grads"), ROWS)
def test_convention(
    make: Callable[..., Expr], inputs: Sequence[Any], value: Any, grads: Sequence[Any]
) -> None:
    holds(make, inputs, value, grads)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda x: op("clip", x), "needs a bound"),
        (lambda x: op("clip", x, min=2.0, max=1.0), "above the upper bound"),
        (lambda x: op("logical_and", x, x), "compare first"),
        (lambda x: op("abs", x > 0), "truth values"),
    ],
)
def test_what_does_not_fit_is_told(make: Callable[[Expr], Expr], words: str) -> None:
    with pytest.raises(GradvizError, match=words):
        make(variable([1.0, 2.0]))


def test_operators_of_python() -> None:
    x = variable([-7.5, 2.0], "x")
    assert abs(x).value.tolist() == [7.5, 2.0]
    assert (x % 2).value.tolist() == [0.5, 0.0]
    assert (x // 2).value.tolist() == [-4.0, 1.0]
    assert (7 % constant([2.0, 4.0])).value.tolist() == [1.0, 3.0]
    assert (x >= 2).value.tolist() == [False, True]
    assert (x <= -7.5).value.tolist() == [True, False]
    assert (~(x < 0) & (x > 1)).value.tolist() == [False, True]
    assert ((x < 0) | (x > 1)).value.tolist() == [True, True]
    assert round(x).value.tolist() == [-8.0, 2.0]
    assert math.floor(x).value.tolist() == [-8.0, 2.0]
    assert math.ceil(x).value.tolist() == [-7.0, 2.0]
    assert math.trunc(x).value.tolist() == [-7.0, 2.0]


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0, 3.0])
def test_whole_powers_have_second_derivatives_at_0(exponent: float) -> None:
    """x**0 and x**1 are flat and straight there; the slope of their slopes is 0, not 0 × ∞."""
    x = variable([0.0, 2.0], "x")
    (slope,) = gv.gradients(op("power", x, exponent), x)
    assert slope is not None
    (bend,) = gv.gradients(slope, x)
    wanted = (
        exponent * (exponent - 1) * np.array([0.0 ** max(exponent - 2, 0), 2.0 ** (exponent - 2)])
    )
    assert bend is not None
    assert np.allclose(bend.value, wanted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x >= 2", True),
        ("x <= 1", False),
        ("x < 3", True),
        ("x != 2", False),
        ("x // 0.75", 2.0),
        ("x % 0.75", 0.5),
    ],
)
def test_signs_in_typed_mathematics(text: str, wanted: object) -> None:
    assert gv.parse(text, {"x": 2.0}).value == wanted
