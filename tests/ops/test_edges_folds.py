"""What reductions, running totals, picking and sorting do at ties, zeros, NaN, infinities and in empty arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.errors import IndexRangeError, InputError, ShapeError
from gradviz.ops.expr import Expr, constant, variable
from tests.support.edges import INF, NAN, call, gradients, holds, op, row

EMPTY = np.zeros(0)
R2 = np.sqrt(0.5)


def weighed(name: str, *scale: float, **attributes: Any) -> Callable[..., Expr]:
    """The op, its cells weighed: the sum of those of a running total would tell little."""
    return lambda *inputs: op(name, *inputs, **attributes) * list(scale)


ROWS = [
    row("min ties", call("min"), [[1.0, 1.0, 3.0]], 1.0, [[0.5, 0.5, 0.0]]),
    row("min ties by row", call("min", axis=1), [[[3.0, 3.0], [1.0, 2.0]]], [3.0, 1.0], [[[0.5, 0.5], [1.0, 0.0]]]),
    row("min with NaN", call("min"), [[1.0, NAN]], NAN, [[NAN, NAN]]),
    row("min of infinities", call("min"), [[-INF, 2.0, -INF]], -INF, [[0.5, 0.0, 0.5]]),
    row("min of one number", call("min"), [4.0], 4.0, [1.0]),
    row("min of whole numbers", call("min"), [[4, 2]], 2, [None]),
    row("min beside an empty axis", call("min", axis=1), [np.zeros((0, 2))], EMPTY, [np.zeros((0, 2))]),
    row("prod, a zero", call("prod"), [[2.0, 0.0, 3.0]], 0.0, [[0.0, 6.0, 0.0]]),
    row("prod, two zeros", call("prod"), [[2.0, 0.0, 0.0]], 0.0, [[0.0, 0.0, 0.0]]),
    row("prod, zeros by row", call("prod", axis=1), [[[2.0, 0.0], [0.0, 0.0]]], [0.0, 0.0], [[[0.0, 2.0], [0.0, 0.0]]]),
    row("prod over two axes", call("prod", axis=(0, 2)), [[[[2.0, 0.0], [1.0, 2.0]]]], [0.0, 2.0],
        [[[[0.0, 2.0], [2.0, 1.0]]]]),
    row("prod of nothing", call("prod"), [EMPTY], 1.0, [EMPTY]),
    row("prod along an empty axis", call("prod", axis=0), [np.zeros((0, 2))], [1.0, 1.0], [np.zeros((0, 2))]),
    row("prod of one number", call("prod"), [0.0], 0.0, [1.0]),
    row("prod with infinity", call("prod"), [[2.0, INF]], INF, [[INF, 2.0]]),
    row("prod of truth values", call("prod"), [[True, True]], 1, [None]),
    row("logsumexp at 1000", call("logsumexp"), [[1000.0, 1000.0]], 1000.0 + np.log(2.0), [[0.5, 0.5]]),
    row("logsumexp of all -inf", call("logsumexp"), [[-INF, -INF]], -INF, [[NAN, NAN]]),
    row("logsumexp, one row all -inf", call("logsumexp", axis=1), [[[-INF, -INF], [0.0, -INF]]], [-INF, 0.0],
        [[[NAN, NAN], [1.0, 0.0]]]),
    row("logsumexp with -inf", call("logsumexp"), [[-INF, 2.0]], 2.0, [[0.0, 1.0]]),
    row("logsumexp with inf", call("logsumexp"), [[INF, 2.0]], INF, [[NAN, NAN]]),
    row("logsumexp of NaN", call("logsumexp"), [[NAN, 2.0]], NAN, [[NAN, NAN]]),
    row("logsumexp of nothing", call("logsumexp"), [EMPTY], -INF, [EMPTY]),
    row("logsumexp of one number", call("logsumexp"), [3.0], 3.0, [1.0]),
    row("logsumexp of whole numbers", call("logsumexp"), [[0, 0]], np.log(2.0), [None]),
    row("var of equal cells", call("var"), [[0.1, 0.1, 0.1]], 0.0, [[0.0, 0.0, 0.0]]),
    row("var of one cell, correction 1", call("var", correction=1), [[2.0]], NAN, [[NAN]]),
    row("var of one number", call("var"), [2.0], 0.0, [0.0]),
    row("var of nothing", call("var"), [EMPTY], NAN, [EMPTY]),
    row("var far from 0", call("var"), [[1e9, 1e9 + 2.0]], 1.0, [[-1.0, 1.0]]),
    row("var of truth values as numbers", call("var"), [[0, 1]], 0.25, [None]),
    row("std of equal cells", call("std"), [[0.1, 0.1, 0.1]], 0.0, [[0.0, 0.0, 0.0]]),
    row("std, a constant row", call("std", axis=1), [[[2.0, 2.0], [0.0, 2.0]]], [0.0, 1.0], [[[0.0, 0.0], [-0.5, 0.5]]]),
    row("std of one cell, correction 1", call("std", correction=1), [[2.0]], NAN, [[NAN]]),
    row("std with NaN", call("std"), [[NAN, 1.0]], NAN, [[NAN, NAN]]),
    row("norm at zeros", call("vector_norm"), [[0.0, 0.0]], 0.0, [[0.0, 0.0]]),
    row("norm, a row of zeros", call("vector_norm", axis=1), [[[0.0, 0.0], [3.0, 4.0]]], [0.0, 5.0],
        [[[0.0, 0.0], [0.6, 0.8]]]),
    row("norm squared at zeros", lambda x: op("vector_norm", x) ** 2, [[0.0, 0.0]], 0.0, [[0.0, 0.0]]),
    row("norm of one number", call("vector_norm"), [-3.0], 3.0, [-1.0]),
    row("norm of nothing", call("vector_norm"), [EMPTY], 0.0, [EMPTY]),
    row("norm of whole numbers", call("vector_norm"), [[3, 4]], 5.0, [None]),
    row("norm with infinity", call("vector_norm"), [[INF, 1.0]], INF, [[NAN, 0.0]]),
    row("norm of large numbers", call("vector_norm"), [[3e200, 4e200]], 5e200, [[0.6, 0.8]]),
    row("norm of small numbers", call("vector_norm"), [[3e-200, 4e-200]], 5e-200, [[0.6, 0.8]]),
    row("1-norm, a zero", call("vector_norm", ord=1), [[0.0, -2.0]], 2.0, [[0.0, -1.0]]),
    row("3-norm at zeros", call("vector_norm", ord=3), [[0.0, 0.0]], 0.0, [[0.0, 0.0]]),
    row("1.5-norm, a zero", call("vector_norm", ord=1.5), [[0.0, 2.0]], 2.0, [[0.0, 1.0]]),
    row("0.5-norm, a zero", call("vector_norm", ord=0.5), [[0.0, 4.0]], 4.0, [[0.0, 1.0]]),
    row("inf-norm, ties", call("vector_norm", ord="inf"), [[3.0, -3.0, 1.0]], 3.0, [[0.5, -0.5, 0.0]]),
    row("inf-norm at zeros", call("vector_norm", ord="inf"), [[0.0, 0.0]], 0.0, [[0.0, 0.0]]),
    row("-inf-norm, ties", call("vector_norm", ord="-inf"), [[1.0, -1.0, 3.0]], 1.0, [[0.5, -0.5, 0.0]]),
    row("0-norm", call("vector_norm", ord=0), [[0.0, 2.0, -1.0]], 2.0, [[0.0, 0.0, 0.0]]),
    row("cumsum", weighed("cumsum", 1.0, 10.0, 100.0), [[1.0, 2.0, 3.0]], [1.0, 30.0, 600.0], [[111.0, 110.0, 100.0]]),
    row("cumsum of nothing", call("cumsum"), [EMPTY], EMPTY, [EMPTY]),
    row("cumsum with NaN", call("cumsum"), [[1.0, NAN]], [1.0, NAN], [[2.0, 1.0]]),
    row("cumprod, a zero", call("cumprod"), [[2.0, 0.0, 3.0]], [2.0, 0.0, 0.0], [[1.0, 8.0, 0.0]]),
    row("cumprod, two zeros", call("cumprod"), [[2.0, 0.0, 0.0]], [2.0, 0.0, 0.0], [[1.0, 2.0, 0.0]]),
    row("cumprod of nothing", call("cumprod"), [EMPTY], EMPTY, [EMPTY]),
    row("cumprod beside an empty axis", call("cumprod", axis=0), [np.zeros((2, 0))], np.zeros((2, 0)),
        [np.zeros((2, 0))]),
    row("cumlogsumexp at 1000", call("cumlogsumexp"), [[1000.0, 1000.0]], [1000.0, 1000.0 + np.log(2.0)],
        [[1.5, 0.5]]),
    row("cumlogsumexp, small after large", call("cumlogsumexp"), [[1000.0, -1000.0]], [1000.0, 1000.0], [[2.0, 0.0]]),
    row("cumlogsumexp of nothing", call("cumlogsumexp"), [EMPTY], EMPTY, [EMPTY]),
    row("cumlogsumexp from -inf", call("cumlogsumexp"), [[-INF, 0.0]], [-INF, 0.0], [[NAN, 1.0]]),
    row("cummax, ties", weighed("cummax", 1.0, 10.0, 100.0), [[2.0, 2.0, 1.0]], [2.0, 20.0, 200.0],
        [[1.0 + 5.0 + 50.0, 5.0 + 50.0, 0.0]]),
    row("cummax, three ties", weighed("cummax", 0.0, 0.0, 3.0), [[2.0, 2.0, 2.0]], [0.0, 0.0, 6.0], [[1.0, 1.0, 1.0]]),
    row("cummax, a new one", weighed("cummax", 1.0, 10.0, 100.0), [[1.0, 3.0, 2.0]], [1.0, 30.0, 300.0],
        [[1.0, 110.0, 0.0]]),
    row("cummax with NaN", call("cummax"), [[1.0, NAN, 2.0]], [1.0, NAN, NAN], [[1.0, NAN, NAN]]),
    row("cummax of infinities", call("cummax"), [[-INF, -INF, INF]], [-INF, -INF, INF], [[1.5, 0.5, 1.0]]),
    row("cummax of nothing", call("cummax"), [EMPTY], EMPTY, [EMPTY]),
    row("diff of one cell", call("diff"), [[2.0]], EMPTY, [[0.0]]),
    row("diff of nothing", call("diff"), [EMPTY], EMPTY, [EMPTY]),
    row("take index -1", call("take"), [[1.0, 2.0, 3.0], -1], 3.0, [[0.0, 0.0, 1.0], None]),
    row("take twice", call("take"), [[1.0, 2.0, 3.0], [1, 1]], [2.0, 2.0], [[0.0, 2.0, 0.0], None]),
    row("take nothing", call("take"), [[1.0, 2.0], np.zeros(0, int)], EMPTY, [[0.0, 0.0], None]),
    row("take from columns", call("take", axis=-1), [[[1.0, 2.0], [3.0, 4.0]], [0, -2]], [[1.0, 1.0], [3.0, 3.0]],
        [[[2.0, 0.0], [2.0, 0.0]], None]),
    row("take from a long axis of nothing", call("take", axis=1), [np.zeros((0, 2)), [0, 1, 1]], np.zeros((0, 3)),
        [np.zeros((0, 2)), None]),
    row("take NaN", call("take"), [[NAN, 2.0], [0]], [NAN], [[1.0, 0.0], None]),
    row("take_along_axis, twice", call("take_along_axis"), [[[1.0, 2.0], [3.0, 4.0]], [[1, 1], [0, -1]]],
        [[2.0, 2.0], [3.0, 4.0]], [[[0.0, 2.0], [1.0, 1.0]], None]),
    row("take_along_axis, one row of x", call("take_along_axis"), [[[1.0, 2.0]], [[1], [0], [-1]]],
        [[2.0], [1.0], [2.0]], [[[1.0, 2.0]], None]),
    row("take_along_axis, one row of indices", call("take_along_axis", axis=1), [[[1.0, 2.0], [3.0, 4.0]], [[1]]],
        [[2.0], [4.0]], [[[0.0, 1.0], [0.0, 1.0]], None]),
    row("embedding, twice", call("embedding"), [[[1.0, 2.0], [3.0, 4.0]], [1, 1]], [[3.0, 4.0], [3.0, 4.0]],
        [[[0.0, 0.0], [2.0, 2.0]], None]),
    row("scatter_add, twice and from the end", call("scatter_add"), [[1.0, 2.0], [1, -1], [10.0, 20.0]], [1.0, 32.0],
        [[1.0, 1.0], None, [1.0, 1.0]]),
    row("scatter_add of one number", call("scatter_add"), [[1.0, 2.0], [0, 1], 10.0], [11.0, 12.0],
        [[1.0, 1.0], None, 2.0]),
    row("scatter_add of nothing", call("scatter_add"), [[1.0], np.zeros(0, int), EMPTY], [1.0], [[1.0], None, EMPTY]),
    row("scatter_set over NaN", call("scatter_set"), [[NAN, 2.0], [0], [5.0]], [5.0, 2.0], [[0.0, 1.0], None, [1.0]]),
    row("scatter_set, the last stays", call("scatter_set"), [[1.0, 2.0], [1, -1], [10.0, 20.0]], [1.0, 20.0],
        [[1.0, 0.0], None, [0.0, 1.0]]),
    row("scatter_set of one number", call("scatter_set"), [[1.0, 2.0], [0, 1], 5.0], [5.0, 5.0],
        [[0.0, 0.0], None, 2.0]),
    row("mask, NaN not chosen", call("masked_select"), [[1.0, NAN, 3.0], [True, False, True]], [1.0, 3.0],
        [[1.0, 0.0, 1.0], None]),
    row("mask of rows", call("masked_select"), [[[1.0, 2.0], [3.0, 4.0]], [False, True]], [[3.0, 4.0]],
        [[[0.0, 0.0], [1.0, 1.0]], None]),
    row("mask of nothing", call("masked_select"), [[1.0, 2.0], [False, False]], EMPTY, [[0.0, 0.0], None]),
    row("mask of an empty array", call("masked_select"), [EMPTY, np.zeros(0, bool)], EMPTY, [EMPTY, None]),
    row("mask of one number", call("masked_select"), [3.0, True], [3.0], [1.0, None]),
    row("x[x > 1]", lambda x: x[x > 1.0], [[1.0, 2.0, NAN, 3.0]], [2.0, 3.0], [[0.0, 1.0, 0.0, 1.0]]),
    row("x[i]", lambda x: x[op("argmax", x)], [[1.0, 3.0, 3.0]], 3.0, [[0.0, 1.0, 0.0]]),
    row("median of 4", call("median"), [[4.0, 1.0, 3.0, 2.0]], 2.5, [[0.0, 0.0, 0.5, 0.5]]),
    row("median of 3", call("median"), [[4.0, 1.0, 3.0]], 3.0, [[0.0, 0.0, 1.0]]),
    row("median, ties", call("median"), [[2.0, 2.0, 2.0, 5.0]], 2.0, [[0.0, 0.5, 0.5, 0.0]]),
    row("median by two axes", call("median", axis=(0, 2)), [[[[1.0, 3.0], [5.0, 5.0]]]], [2.0, 5.0],
        [[[[0.5, 0.5], [0.5, 0.5]]]]),
    row("median with NaN", call("median", axis=1), [[[NAN, 1.0, 0.0], [1.0, 2.0, 3.0]]], [NAN, 2.0],
        [[[0.0, NAN, 0.0], [0.0, 1.0, 0.0]]]),
    row("median of infinities", call("median"), [[INF, INF, 1.0, INF]], INF, [[0.5, 0.5, 0.0, 0.0]]),
    row("median of one number", call("median"), [3.0], 3.0, [1.0]),
    row("median beside an empty axis", call("median", axis=1), [np.zeros((0, 2))], EMPTY, [np.zeros((0, 2))]),
    row("any and all of nothing", lambda x: op("stack", op("any", x), op("all", x)), [EMPTY], [False, True], [None]),
    row("any and all of NaN", lambda x: op("stack", op("any", x), op("all", x)), [[NAN, 0.0]], [True, False], [None]),
    row("count_nonzero", call("count_nonzero", axis=0), [[[0.0, NAN], [0.0, -1.0]]], [0, 2], [None]),
    row("sort, ties", weighed("sort", 1.0, 10.0, 100.0), [[2.0, 1.0, 1.0]], [1.0, 10.0, 200.0], [[100.0, 1.0, 10.0]]),
    row("sort down, ties", weighed("sort", 1.0, 10.0, 100.0, descending=True), [[1.0, 2.0, 1.0]], [2.0, 10.0, 100.0],
        [[10.0, 1.0, 100.0]]),
    row("sort, NaN last", weighed("sort", 1.0, 10.0, 100.0), [[NAN, INF, -INF]], [-INF, INF, NAN],
        [[100.0, 10.0, 1.0]]),
    row("sort down, NaN first", weighed("sort", 1.0, 10.0, 100.0, descending=True), [[-INF, NAN, INF]],
        [NAN, INF, -INF], [[100.0, 1.0, 10.0]]),
    row("sort of nothing", call("sort"), [EMPTY], EMPTY, [EMPTY]),
    row("sort along an axis beside nothing", call("sort", axis=0), [np.zeros((2, 0))], np.zeros((2, 0)),
        [np.zeros((2, 0))]),
    row("sort of whole numbers", call("sort", descending=True), [[1, 3, 2]], [3, 2, 1], [None]),
    row("top_k, ties", weighed("top_k", 1.0, 10.0, k=2), [[1.0, 3.0, 3.0, 3.0]], [3.0, 30.0], [[0.0, 1.0, 10.0, 0.0]]),
    row("top_k, none", call("top_k", k=0), [[1.0, 3.0]], EMPTY, [[0.0, 0.0]]),
    row("top_k, all", weighed("top_k", 1.0, 10.0, k=2), [[1.0, 3.0]], [3.0, 10.0], [[10.0, 1.0]]),
    row("x[argmax(x)], ties", lambda x: op("take", x, op("argmax", x)), [[1.0, 3.0, 3.0]], 3.0, [[0.0, 1.0, 0.0]]),
    row("argmax, ties", call("argmax"), [[1.0, 3.0, 3.0]], 1, [None]),
    row("argmin, ties by row", call("argmin", axis=1), [[[1.0, 1.0], [2.0, 0.0]]], [0, 1], [None]),
    row("argmax with NaN", call("argmax"), [[1.0, NAN, INF]], 1, [None]),
    row("argmax of one number", call("argmax"), [2.0], 0, [None]),
    row("argsort down, ties", call("argsort", descending=True), [[1.0, 2.0, 1.0]], [1, 0, 2], [None]),
    row("diff of infinities", call("diff"), [[INF, INF]], [NAN], [[-1.0, 1.0]]),
]  # fmt: skip


@pytest.mark.parametrize(("make", "inputs", "value", "grads"), ROWS)
def test_convention(
    make: Callable[..., Expr], inputs: Sequence[Any], value: Any, grads: Sequence[Any]
) -> None:
    holds(make, inputs, value, grads)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: op("min", variable(EMPTY)), "no smallest entry of nothing"),
        (lambda: op("vector_norm", variable(EMPTY), ord="inf"), "no largest entry of nothing"),
        (lambda: op("vector_norm", variable(EMPTY), ord="-inf"), "no smallest entry of nothing"),
        (lambda: op("cumsum", variable(1.0)), "no axis 0"),
        (lambda: op("cummax", variable([1.0]), axis=1), "no axis 1"),
        (lambda: op("diff", variable(1.0)), "no axis -1"),
        (lambda: op("var", variable([1.0]) > 0), "truth values"),
        (lambda: op("median", variable(EMPTY)), "no middle of nothing"),
        (lambda: op("argmax", variable(EMPTY)), "the axis is empty"),
        (lambda: op("argmin", variable(np.zeros((2, 0))), axis=1), "the axis is empty"),
        (lambda: op("take", variable([1.0]), [0.0]), "whole numbers, not float64"),
        (lambda: op("take", variable([1.0]), [True]), "whole numbers, not bool"),
        (lambda: op("take", variable(1.0), [0]), "no axis 0"),
        (lambda: op("take_along_axis", variable([[1.0]]), [0]), "as many axes"),
        (
            lambda: op("take_along_axis", variable(np.ones((2, 1))), np.zeros((3, 1), int)),
            "x is 2×1, indices is 3×1",
        ),
        (
            lambda: op("scatter_add", variable([1.0, 2.0]), [0], [1.0, 2.0]),
            "The updates are 2 numbers",
        ),
        (lambda: op("masked_select", variable([1.0, 2.0]), [True]), "the mask is a list of 1"),
        (lambda: op("masked_select", variable([1.0]), [1.0]), "truth values, not float64"),
        (lambda: op("top_k", variable([1.0]), k=2), "no 2 largest of 1"),
        (lambda: op("sort", variable(1.0)), "no axis -1"),
    ],
)
def test_what_does_not_fit_is_told(make: Callable[[], Expr], words: str) -> None:
    with pytest.raises(ShapeError, match=words):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: op("vector_norm", variable([1.0]), ord="two"),
        lambda: op("vector_norm", variable([1.0]), ord=NAN),
        lambda: op("var", variable([1.0]), correction="one"),
    ],
)
def test_settings_that_are_no_numbers_are_told(make: Callable[[], Expr]) -> None:
    with pytest.raises(InputError, match="is a number, not"):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda x: op("take", x, [0, 5]),
        lambda x: op("take", x, -4),
        lambda x: op("take", x, 0.5),
        lambda x: op("take_along_axis", x, [3]),
        lambda x: op("embedding", x, [3]),
        lambda x: op("scatter_add", x, [3], [1.0]),
        lambda x: op("scatter_set", x, [-4], [1.0]),
        lambda x: op("take", op("reshape", x[:0], shape=(0,)), [0]),
    ],
)
def test_an_index_outside_is_an_error_of_the_node(make: Callable[[Expr], Expr]) -> None:
    made = make(variable([1.0, 2.0, 3.0]))
    with pytest.raises(IndexRangeError):
        _ = made.value


def test_k_is_a_whole_number() -> None:
    for k in (-1, 1.5, True):
        with pytest.raises(InputError, match="a whole number from 0"):
            op("top_k", variable([1.0, 2.0]), k=k)


def second(name: str, values: list[float], **attributes: Any) -> Any:
    x = variable(values, "x")
    return np.asarray(gv.hessian(op("sum", op(name, x, **attributes)), x))


def test_products_with_zeros_are_exact_at_second_order() -> None:
    assert second("prod", [2.0, 0.0, 3.0]).tolist() == [[0, 3, 0], [3, 0, 2], [0, 2, 0]]
    assert second("prod", [0.0, 0.0, 3.0]).tolist() == [[0, 3, 0], [3, 0, 0], [0, 0, 0]]
    # x₀ + x₀x₁ + x₀x₁x₂
    assert second("cumprod", [2.0, 0.0, 3.0]).tolist() == [[0, 4, 0], [4, 0, 2], [0, 2, 0]]


def test_a_long_product_is_told_apart_from_its_factors() -> None:
    """No logarithm, no division: negative and tiny factors are as exact as others."""
    x = np.array([-1e-3, 2.0, -5e-1, 1e3, 7.0])
    _, (slope,) = gradients(call("prod"), variable(x))
    assert np.allclose(slope, [np.prod(np.delete(x, i)) for i in range(5)], rtol=1e-15, atol=0)


@pytest.mark.parametrize("name", ["prod", "var", "std", "vector_norm", "logsumexp", "min"])
def test_float32_stays_float32(name: str) -> None:
    value, (slope,) = gradients(call(name), variable([1.0, 2.5], dtype="float32"))
    assert slope is not None
    assert (value.dtype, slope.dtype) == (np.float32, np.float32)


def test_running_totals_of_whole_numbers_stay_whole() -> None:
    for name in ("cumsum", "cumprod", "cummax", "diff"):
        assert op(name, constant([3, 4, 5])).value.dtype == np.int64
    assert op("cumsum", constant([True, True])).value.tolist() == [1, 2]


@pytest.mark.parametrize("name", ["cumprod", "cummax", "cumlogsumexp"])
def test_few_rows_and_many_give_the_same_bits(name: str) -> None:
    """Few rows are worked on number by number."""
    rows = np.random.RandomState(3).normal(size=(40, 7))
    _, (many,) = gradients(call(name, axis=-1), variable(rows))
    for i in (0, 39):
        _, (one,) = gradients(call(name, axis=-1), variable(rows[i]))
        assert one is not None
        assert many is not None
        assert np.array_equal(one, many[i])
