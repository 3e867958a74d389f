"""What happens at kinks, ties, singular points, in empty arrays and between dtypes: one row per convention.

The conventions are those of the engine research, section 3, last column: where JAX, PyTorch and TensorFlow disagree, it
says which is right. A value or gradient is given in full; `None` is no gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from gradviz.errors import GradvizError, IndexRangeError, LimitError, ShapeError
from gradviz.ops.expr import Expr, constant, variable
from tests.support.edges import INF, NAN, call, gradients, holds, op, row


def sharp(x: Expr) -> Expr:
    """sqrt(x) where x > 0, else 0: the branch that is not taken has an infinite or undefined slope."""
    return op("where", x > 0, op("sqrt", x), 0.0)


def safe(x: Expr) -> Expr:
    """The same with the input chosen first."""
    inside = op("where", x > 0, x, 1.0)
    return op("where", x > 0, op("sqrt", inside), 0.0)


def norm(x: Expr) -> Expr:
    return op("sqrt", op("sum", x**2))


ROWS = [
    row("relu at 0", call("relu"), [[0.0]], [0.0], [[0.0]]),
    row("relu of NaN", call("relu"), [[NAN, 1.0]], [NAN, 1.0], [[0.0, 1.0]]),
    row("relu of infinities", call("relu"), [[-INF, INF]], [0.0, INF], [[0.0, 1.0]]),
    row("where(x > 0, x, 0) at 0", lambda x: op("where", x > 0, x, 0.0), [[0.0]], [0.0], [[0.0]]),
    row("maximum(x, 0) at 0", lambda x: op("maximum", x, 0.0), [[0.0]], [0.0], [[0.5]]),
    row("maximum tie", call("maximum"), [[1.0], [1.0]], [1.0], [[0.5], [0.5]]),
    row("maximum NaN in x", call("maximum"), [[NAN], [1.0]], [NAN], [[1.0], [0.0]]),
    row("maximum NaN in y", call("maximum"), [[1.0], [NAN]], [NAN], [[0.0], [1.0]]),
    row("maximum NaN in both", call("maximum"), [[NAN], [NAN]], [NAN], [[0.5], [0.5]]),
    row("maximum infinities", call("maximum"), [[INF, -INF], [INF, 0.0]], [INF, 0.0], [[0.5, 0.0], [0.5, 1.0]]),
    row("max ties", call("max"), [[1.0, 3.0, 3.0]], 3.0, [[0.0, 0.5, 0.5]]),
    row("max ties by row", call("max", axis=1), [[[3.0, 3.0], [1.0, 2.0]]], [3.0, 2.0], [[[0.5, 0.5], [0.0, 1.0]]]),
    row("max with NaN", call("max"), [[1.0, NAN, 3.0]], NAN, [[NAN, NAN, NAN]]),
    row("max with NaN in one row", call("max", axis=1), [[[1.0, NAN], [1.0, 2.0]]], [NAN, 2.0],
        [[[NAN, NAN], [0.0, 1.0]]]),
    row("max of one number", call("max"), [4.0], 4.0, [1.0]),
    row("max of infinities", call("max"), [[INF, INF, 1.0]], INF, [[0.5, 0.5, 0.0]]),
    row("where, NaN not taken", lambda x: op("where", [True, True], x, [NAN, NAN]), [[1.0, 2.0]], [1.0, 2.0],
        [[1.0, 1.0]]),
    row("where, both branches", call("where"), [[True, False], [1.0, NAN], [NAN, 2.0]], [1.0, 2.0],
        [None, [1.0, 0.0], [0.0, 1.0]]),
    row("where(x > 0, sqrt x, 0)", sharp, [[-1.0, 0.0, 4.0]], [0.0, 0.0, 2.0], [[NAN, NAN, 0.25]]),
    row("where twice", safe, [[-1.0, 0.0, 4.0]], [0.0, 0.0, 2.0], [[0.0, 0.0, 0.25]]),
    row("sqrt at 0", call("sqrt"), [[0.0]], [0.0], [[INF]]),
    row("sqrt at -1", call("sqrt"), [[-1.0]], [NAN], [[NAN]]),
    row("sqrt(sum(x²)) at zeros", norm, [[0.0, 0.0]], 0.0, [[NAN, NAN]]),
    row("x**0 at 0, constant exponent", lambda x: op("power", x, 0.0), [[0.0]], [1.0], [[0.0]]),
    row("x**1 at 0, constant exponent", lambda x: op("power", x, 1.0), [[0.0]], [0.0], [[1.0]]),
    row("x**2 at 0, constant exponent", lambda x: op("power", x, 2.0), [[0.0]], [0.0], [[0.0]]),
    row("x**2 at -2, constant exponent", lambda x: op("power", x, 2.0), [[-2.0]], [4.0], [[-4.0]]),
    row("x**0.5 at 0", lambda x: op("power", x, 0.5), [[0.0]], [0.0], [[INF]]),
    row("pow at (0, 0)", call("power"), [[0.0], [0.0]], [1.0], [[0.0], [0.0]]),
    row("pow at (0, 1)", call("power"), [[0.0], [1.0]], [0.0], [[1.0], [0.0]]),
    row("pow at (0, 2)", call("power"), [[0.0], [2.0]], [0.0], [[0.0], [0.0]]),
    row("pow at (0, 0.5)", call("power"), [[0.0], [0.5]], [0.0], [[INF], [0.0]]),
    row("pow at (0, -1)", call("power"), [[0.0], [-1.0]], [INF], [[-INF], [-INF]]),
    row("pow at (-2, 2)", call("power"), [[-2.0], [2.0]], [4.0], [[-4.0], [NAN]]),
    row("pow at (-2, 0.5)", call("power"), [[-2.0], [0.5]], [NAN], [[NAN], [NAN]]),
    row("log at 0", call("log"), [[0.0]], [-INF], [[INF]]),
    row("log at -1", call("log"), [[-1.0]], [NAN], [[-1.0]]),
    row("x log x at 0", lambda x: x * op("log", x), [[0.0]], [NAN], [[NAN]]),
    row("1/x at 0", lambda x: 1.0 / x, [[0.0]], [INF], [[-INF]]),
    row("x/y at (0, 0)", call("divide"), [[0.0], [0.0]], [NAN], [[INF], [NAN]]),
    row("x/y at (1, 0)", call("divide"), [[1.0], [0.0]], [INF], [[INF], [-INF]]),
    row("exp at 710", call("exp"), [[710.0]], [INF], [[INF]]),
    row("sigmoid at ±800", call("sigmoid"), [[-800.0, 800.0]], [0.0, 1.0], [[0.0, 0.0]]),
    row("sigmoid of infinities and NaN", call("sigmoid"), [[-INF, INF, NAN]], [0.0, 1.0, NAN], [[0.0, 0.0, NAN]]),
    row("1/(1 + exp(-x)) at ±800", lambda x: 1.0 / (1.0 + op("exp", -x)), [[-800.0, 800.0]], [0.0, 1.0],
        [[NAN, 0.0]]),
    row("log(sigmoid(-800))", lambda x: op("log", op("sigmoid", x)), [[-800.0]], [-INF], [[NAN]]),
    row("log(1 + exp(800))", lambda x: op("log", 1.0 + op("exp", x)), [[800.0]], [INF], [[NAN]]),
    row("log(sum(exp)) at 1000", lambda x: op("log", op("sum", op("exp", x))), [[1000.0, 1000.0]], INF, [[NAN, NAN]]),
    row("tanh at ±800", call("tanh"), [[-800.0, 800.0]], [-1.0, 1.0], [[0.0, 0.0]]),
    row("softmax at 1000, 0", lambda x: op("softmax", x) * [1.0, 2.0], [[1000.0, 0.0]], [1.0, 0.0], [[0.0, 0.0]]),
    row("softmax at -1000, 0", lambda x: op("softmax", x) * [1.0, 2.0], [[-1000.0, 0.0]], [0.0, 2.0], [[0.0, 0.0]]),
    row("softmax of all -inf", call("softmax"), [[-INF, -INF]], [NAN, NAN], [[NAN, NAN]]),
    row("softmax of one -inf", lambda x: op("softmax", x) * [1.0, 2.0], [[-INF, 0.0]], [0.0, 2.0], [[0.0, 0.0]]),
    row("log(softmax) at 1000, 0", lambda x: op("log", op("softmax", x))[1], [[1000.0, 0.0]], -INF, [[NAN, NAN]]),
    row("log_softmax at 1000, 0", lambda x: op("log_softmax", x)[1], [[1000.0, 0.0]], -1000.0, [[-1.0, 1.0]]),
    row("cross entropy, sure and right", call("softmax_cross_entropy"), [[[1000.0, 0.0]], [[1.0, 0.0]]], 0.0,
        [[[0.0, 0.0]], [[0.0, 1000.0]]]),
    row("sum of nothing", call("sum"), [np.zeros(0)], 0.0, [np.zeros(0)]),
    row("sum along an empty axis", call("sum", axis=0), [np.zeros((0, 2))], [0.0, 0.0], [np.zeros((0, 2))]),
    row("mean of nothing", call("mean"), [np.zeros(0)], NAN, [np.zeros(0)]),
    row("max beside an empty axis", call("max", axis=1), [np.zeros((0, 2))], np.zeros(0), [np.zeros((0, 2))]),
    row("sum of one number", call("sum"), [2.0], 2.0, [1.0]),
    row("reshape of one number", call("reshape", shape=(1,)), [2.0], [2.0], [1.0]),
    row("softmax of nothing", call("softmax"), [np.zeros((2, 0))], np.zeros((2, 0)), [np.zeros((2, 0))]),
    row("concat with nothing", call("concat"), [np.zeros(0), [1.0]], [1.0], [np.zeros(0), [1.0]]),
    row("(1,) + (0,)", call("add"), [[1.0], np.zeros(0)], np.zeros(0), [[0.0], np.zeros(0)]),
    row("one number + (0,)", call("add"), [1.0, np.zeros(0)], np.zeros(0), [0.0, np.zeros(0)]),
    row("(3, 1) + (1, 2)", call("add"), [np.ones((3, 1)), np.ones((1, 2))], np.full((3, 2), 2.0),
        [[[2.0]] * 3, [[3.0, 3.0]]]),
    row("(1, 1) · (2, 3)", call("multiply"), [[[2.0]], np.ones((2, 3))], np.full((2, 3), 2.0),
        [[[6.0]], np.full((2, 3), 2.0)]),
    row("(2, 0) @ (0, 2)", call("matmul"), [np.zeros((2, 0)), np.zeros((0, 2))], np.zeros((2, 2)),
        [np.zeros((2, 0)), np.zeros((0, 2))]),
    row("(0, 2) @ (2,)", call("matmul"), [np.zeros((0, 2)), [1.0, 2.0]], np.zeros(0), [np.zeros((0, 2)), [0.0, 0.0]]),
    row("index -1", lambda x: x[-1], [[1.0, 2.0, 3.0]], 3.0, [[0.0, 0.0, 1.0]]),
    row("index [1, 1]", lambda x: x[[1, 1]], [[1.0, 2.0, 3.0]], [2.0, 2.0], [[0.0, 2.0, 0.0]]),
    row("index [-1, 2, 0]", lambda x: x[[-1, 2, 0]], [[1.0, 2.0, 3.0]], [3.0, 3.0, 1.0], [[1.0, 0.0, 2.0]]),
    row("two lists of indices", lambda x: x[[0, 0], [1, 1]], [[[1.0, 2.0]]], [2.0, 2.0], [[[0.0, 2.0]]]),
    row("truth values as an index", lambda x: x[np.array([True, False, True])], [[1.0, 2.0, 3.0]], [1.0, 3.0],
        [[1.0, 0.0, 1.0]]),
    row("no index", lambda x: x[[]], [[1.0, 2.0]], np.zeros(0), [[0.0, 0.0]]),
    row("a slice backwards", lambda x: x[::-1] * [1.0, 10.0], [[1.0, 2.0]], [2.0, 10.0], [[10.0, 1.0]]),
    row("whole numbers times floats", call("multiply"), [[3, 2], [0.5, 0.25]], [1.5, 0.5], [None, [3.0, 2.0]]),
    row("whole numbers divided", call("divide"), [[3], [2]], [1.5], [None, None]),
    row("whole numbers as exponents", call("power"), [[-2.0, 0.0], [2, 0]], [4.0, 1.0], [[-4.0, 0.0], None]),
    row("floats to whole numbers and back", lambda x: op("cast", op("cast", x, dtype="int64"), dtype="float64"),
        [[1.5, 2.0]], [1.0, 2.0], [None]),
    row("mean of truth values", lambda x: op("mean", x > 0), [[1.0, -1.0]], 0.5, [None]),
    row("where(x == 0, 0, sin(x)/x) at 0", lambda x: op("where", op("equal", x, 0.0), 0.0, op("sin", x) / x), [[0.0]],
        [0.0], [[NAN]]),
    row("x · 0 · (1/x) at 0", lambda x: x * 0.0 * (1.0 / x), [[0.0]], [NAN], [[NAN]]),
    row("hinge relu(1 - x) at 1", lambda x: op("relu", 1.0 - x), [[1.0]], [0.0], [[0.0]]),
    row("pow at (1, 3)", call("power"), [[1.0], [3.0]], [1.0], [[3.0], [0.0]]),
    row("whole numbers times themselves", lambda x: x * x, [[3]], [9], [None]),
    row("cosine with a zero vector, by hand", lambda x, y: op("sum", x * y) / (norm(x) * norm(y)),
        [[0.0, 0.0], [1.0, 2.0]], NAN, [[NAN, NAN], [NAN, NAN]]),
    row("attention row fully masked, by hand", lambda x: op("softmax", op("where", [[False, False]], x, -INF)),
        [[[1.0, 2.0]]], [[NAN, NAN]], [[[0.0, 0.0]]]),
    row("x - x", lambda x: x - x, [[2.0]], [0.0], [[0.0]]),
    row("sum of a softmax", lambda x: op("sum", op("softmax", x)), [[0.0, 0.0]], 1.0, [[0.0, 0.0]]),
]  # fmt: skip


@pytest.mark.parametrize(("make", "inputs", "value", "grads"), ROWS)
def test_convention(
    make: Callable[..., Expr], inputs: Sequence[Any], value: Any, grads: Sequence[Any]
) -> None:
    holds(make, inputs, value, grads)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: op("max", variable(np.zeros(0))), "no largest entry of nothing"),
        (lambda: op("max", variable(np.zeros((2, 0))), axis=1), "no largest entry of nothing"),
        (lambda: op("sum", variable(2.0), axis=0), "no axis 0"),
        (lambda: op("sum", variable([[1.0]]), axis=(0, -2)), "name one axis twice"),
        (lambda: variable([1.0, 1.0]) + variable([1.0, 1.0, 1.0]), "x is 2 numbers, y is 3 numbers: on axis -1"),
        (lambda: op("matmul", variable(np.ones((2, 3))), variable(np.ones((2, 3)))), "inner sizes 3 and 2"),
        (lambda: op("matmul", variable(1.0), variable([1.0])), "use × for one number"),
        (lambda: op("where", variable([1.0]), 1.0, 2.0), "compare first"),
        (lambda: op("sqrt", variable([1.0]) > 0), "truth values"),
        (lambda: op("reshape", variable([1.0, 2.0]), shape=(3, 1)), "cannot become 3×1"),
        (lambda: op("squeeze", variable([1.0, 2.0]), axis=0), "only axes of length 1"),
        (lambda: op("concat", variable([1.0]), variable([[1.0]])), "same number of axes"),
        (lambda: op("concat", variable([[1.0]]), variable([[1.0, 2.0]])), "apart from axis 0"),
        (lambda: op("softmax_cross_entropy", variable([[1.0]]), variable([[1.0, 2.0]])), "same shape"),
        (lambda: op("transpose", variable([[1.0]]), axes=(0, 0)), "name each of the 2 axes once"),
        (lambda: op("broadcast_to", variable([1.0, 2.0]), shape=(3,)), "on axis -1"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_with_its_shapes(make: Callable[[], Expr], words: str) -> None:
    with pytest.raises(ShapeError) as caught:
        make()
    assert words in str(caught.value)


@pytest.mark.parametrize("index", [5, -4, (0, 0), [3], np.array([True, False])])
def test_an_index_outside_is_an_index_error(index: Any) -> None:
    with pytest.raises(IndexRangeError):
        variable([1.0, 2.0, 3.0])[index]
    with pytest.raises(IndexError):
        variable([1.0, 2.0, 3.0])[index]


@pytest.mark.parametrize(
    "make",
    [
        lambda x: op("broadcast_to", x, shape=(10**4, 10**4)),
        lambda x: op("broadcast_to", x, shape=(0, 10**30)),
        lambda x: op("broadcast_to", x, shape=(1,) * 9),
        lambda x: op("expand_dims", x, axis=tuple(range(9))),
        lambda x: op("broadcast_to", x, shape=(10**4, 1)) + op("broadcast_to", x, shape=(1, 10**4)),
        lambda x: op("random_normal", shape=(10**9,)),
    ],
)
def test_what_is_too_large_is_not_made(make: Callable[[Expr], Expr]) -> None:
    with pytest.raises(LimitError):
        make(variable([1.0]))


@pytest.mark.parametrize("x_dtype", ["float32", "float64"])
@pytest.mark.parametrize("y_dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "name", ["add", "subtract", "multiply", "divide", "power", "maximum", "matmul", "concat"]
)
def test_a_gradient_has_the_dtype_of_its_value(name: str, x_dtype: str, y_dtype: str) -> None:
    x, y = variable([1.5, 2.0], "x", x_dtype), variable([0.5, 2.5], "y", y_dtype)
    value, slopes = gradients(call(name), x, y)
    assert value.dtype == np.result_type(x.dtype, y.dtype)
    assert [slope.dtype for slope in slopes if slope is not None] == [x.dtype, y.dtype]


def test_a_weak_number_leaves_float32_alone() -> None:
    x = variable([1.5, 2.0], "x", "float32")
    value, (slope,) = gradients(lambda x: 2 * x**3 - 1 / x + 0.1, x)
    assert slope is not None
    assert (value.dtype, slope.dtype) == (np.float32, np.float32)
    strong = constant(np.float64(0.1))
    assert (x + strong).dtype == np.float64


def test_float32_overflows_and_rounds_as_float32() -> None:
    value, (slope,) = gradients(call("exp"), variable([89.0], dtype="float32"))
    assert slope is not None
    assert (value[0], slope[0]) == (INF, INF)
    value, (slope,) = gradients(call("sum"), variable([1e8, 1.0], dtype="float32"))
    assert value == np.float32(1e8)
    value, _ = gradients(
        call("add"), variable(0.1, dtype="float32"), variable(0.2, dtype="float32")
    )
    assert value == np.float32(0.1) + np.float32(0.2)
    _, (slope,) = gradients(call("tanh"), variable([20.0], dtype="float32"))
    assert slope == [0.0]


def test_whole_numbers_for_a_variable_become_floats() -> None:
    assert variable(3).dtype == np.float64
    with pytest.raises(GradvizError):
        variable(3, dtype="int64")


def test_whole_numbers_to_a_negative_power_are_an_error_of_the_node() -> None:
    made = op("power", constant([2, 3]), constant([-1, 1]))
    with pytest.raises(GradvizError, match="negative integer power"):
        _ = made.value
