"""What inverses, systems and determinants do at singular matrices, with batches and in empty arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.errors import GradvizError, InputError, ShapeError
from gradviz.ops.expr import Expr
from tests.support.edges import INF, NAN, call, holds, op, row

ONES3 = np.ones((3, 3))
RANK_ONE3 = np.outer([1.0, 2.0, -1.0], [2.0, 1.0, 3.0])
RANK_TWO3 = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
EMPTY, NONE = np.zeros((0, 0)), np.zeros((0, 2, 2))

ROWS = [
    row("det at rank n-1", call("det"), [[[1.0, 2.0], [2.0, 4.0]]], 0.0, [[[4.0, -2.0], [-2.0, 1.0]]]),
    row("det at rank n-1 of 3", lambda x: op("det", x) + 1, [RANK_TWO3], 1.0,
        [[[-3.0, 6.0, -3.0], [6.0, -12.0, 6.0], [-3.0, 6.0, -3.0]]]),
    row("det at rank n-2", call("det"), [RANK_ONE3], 0.0, [np.zeros((3, 3))]),
    row("det of zeros 2x2", call("det"), [np.zeros((2, 2))], 0.0, [np.zeros((2, 2))]),
    row("det of zeros 3x3", call("det"), [np.zeros((3, 3))], 0.0, [np.zeros((3, 3))]),
    row("det of 1x1 zero", call("det"), [[[0.0]]], 0.0, [[[1.0]]]),
    row("det of a reflection", call("det"), [[[0.0, 1.0], [1.0, 0.0]]], -1.0, [[[0.0, -1.0], [-1.0, 0.0]]]),
    row("det of a batch with a singular one", call("det"), [[[[1.0, 2.0], [2.0, 4.0]], [[2.0, 0.0], [0.0, 3.0]]]],
        [0.0, 6.0], [[[[4.0, -2.0], [-2.0, 1.0]], [[3.0, 0.0], [0.0, 2.0]]]]),
    row("det of no cells", call("det"), [EMPTY], 1.0, [EMPTY]),
    row("det of no matrices", call("det"), [NONE], np.zeros(0), [NONE]),
    row("det of NaN", call("det"), [[[NAN, 1.0], [1.0, 1.0]]], NAN, [np.full((2, 2), NAN)]),
    row("det of a batch with NaN", call("det"), [[[[NAN, 1.0], [1.0, 1.0]], [[2.0, 0.0], [0.0, 3.0]]]], [NAN, 6.0],
        [[[[NAN, NAN], [NAN, NAN]], [[3.0, 0.0], [0.0, 2.0]]]]),
    row("inv of no cells", call("inv"), [EMPTY], EMPTY, [EMPTY]),
    row("inv of no matrices", call("inv"), [NONE], NONE, [NONE]),
    row("inv of a batch with NaN", call("inv"), [[[[NAN, 1.0], [1.0, 1.0]], [[2.0, 0.0], [0.0, 1.0]]]],
        [[[NAN, NAN], [NAN, NAN]], [[0.5, 0.0], [0.0, 1.0]]],
        [[[[NAN, NAN], [NAN, NAN]], [[-0.25, -0.5], [-0.5, -1.0]]]]),
    row("solve with NaN in a", call("solve"), [[[NAN, 1.0], [1.0, 1.0]], [1.0, 2.0]], [NAN, NAN],
        [np.full((2, 2), NAN), [NAN, NAN]]),
    row("solve with NaN in b", call("solve"), [[[2.0]], [NAN]], [NAN], [[[NAN]], [0.5]]),
    row("inv of 1x1", call("inv"), [[[4.0]]], [[0.25]], [[[-0.0625]]]),
    row("inv of a batch", call("inv"), [[[[2.0]], [[-1.0]]]], [[[0.5]], [[-1.0]]], [[[[-0.25]], [[-1.0]]]]),
    row("solve, one vector for a batch", call("solve"), [[[[2.0]], [[4.0]]], [8.0]], [[4.0], [2.0]],
        [[[[-2.0]], [[-0.5]]], [0.75]]),
    row("solve, one matrix for a batch of b", call("solve"), [[[2.0]], [[[2.0]], [[4.0]]]], [[[1.0]], [[2.0]]],
        [[[-1.5]], [[[0.5]], [[0.5]]]]),
    row("solve, no right-hand sides", call("solve"), [np.eye(2), np.zeros((2, 0))], np.zeros((2, 0)),
        [np.zeros((2, 2)), np.zeros((2, 0))]),
    row("solve with infinity in b", call("solve"), [[[2.0]], [INF]], [INF], [[[-INF]], [0.5]]),
    row("solve with whole numbers", lambda b: op("solve", np.array([[2, 0], [0, 4]]), b), [[2.0, 2.0]], [1.0, 0.5],
        [[0.5, 0.25]]),
    row("pinv of zeros", call("pinv"), [np.zeros((2, 3))], np.zeros((3, 2)), [np.zeros((2, 3))]),
    row("pinv of a batch with infinity", call("pinv"), [[[[INF]], [[2.0]], [[NAN]]]], [[[NAN]], [[0.5]], [[NAN]]],
        [[[[NAN]], [[-0.25]], [[NAN]]]]),
    row("pinv of no matrices", call("pinv"), [np.zeros((0, 2, 3))], np.zeros((0, 3, 2)), [np.zeros((0, 2, 3))]),
    row("pinv of no rows", call("pinv"), [np.zeros((0, 3))], np.zeros((3, 0)), [np.zeros((0, 3))]),
    row("pinv of a column", call("pinv"), [[[2.0], [0.0]]], [[0.5, 0.0]], [[[-0.25], [0.25]]]),
    row("lstsq of one column", call("lstsq"), [[[1.0], [1.0]], [1.0, 3.0]], [2.0], [[[-1.5], [-0.5]], [0.5, 0.5]]),
    row("lstsq, the shortest", call("lstsq"), [[[3.0, 4.0]], [5.0]], [0.6, 0.8], [[[-0.136, -0.248]], [0.28]]),
    row("lstsq, a batch of a and a vector", call("lstsq"), [[[[2.0]], [[4.0]]], [8.0]], [[4.0], [2.0]],
        [[[[-2.0]], [[-0.5]]], [0.75]]),
    row("lstsq of zeros", call("lstsq"), [np.zeros((2, 1)), [1.0, 2.0]], [0.0], [np.zeros((2, 1)), [0.0, 0.0]]),
    row("lstsq of no rows", call("lstsq"), [np.zeros((0, 2)), np.zeros(0)], [0.0, 0.0],
        [np.zeros((0, 2)), np.zeros(0)]),
    row("lstsq with NaN in b", call("lstsq"), [[[2.0]], [NAN]], [NAN], [[[NAN]], [0.5]]),
    row("slogdet, singular", lambda x: op("slogdet", x)[1], [[[1.0, 2.0], [2.0, 4.0]]], -INF,
        [[[INF, -INF], [-INF, INF]]]),
    row("slogdet, of a diagonal with a 0", lambda x: op("slogdet", x)[1], [[[2.0, 0.0], [0.0, 0.0]]], -INF,
        [[[0.0, 0.0], [0.0, INF]]]),
    row("slogdet of zeros", lambda x: op("slogdet", x)[1], [np.zeros((3, 3))], -INF, [np.zeros((3, 3))]),
    row("slogdet, the sign is flat", lambda x: op("slogdet", x)[0], [[[0.0, 1.0], [1.0, 0.0]]], -1.0,
        [np.zeros((2, 2))]),
    row("slogdet of a batch with a singular one and NaN", lambda x: op("slogdet", x)[1],
        [[[[0.0]], [[-2.0]], [[NAN]]]], [-INF, np.log(2.0), NAN], [[[[INF]], [[-0.5]], [[NAN]]]]),
    row("slogdet of no cells", lambda x: op("slogdet", x)[1], [EMPTY], 0.0, [EMPTY]),
    row("slogdet of no matrices", lambda x: op("slogdet", x)[1], [NONE], np.zeros(0), [NONE]),
    row("slogdet, large", lambda x: op("slogdet", x)[1], [[[1e300, 0.0], [0.0, 1e300]]], 600 * np.log(10.0),
        [[[1e-300, 0.0], [0.0, 1e-300]]]),
    row("triangular_solve, the other triangle is not looked at", call("triangular_solve", lower=True),
        [[[2.0, NAN], [1.0, 4.0]], [2.0, 5.0]], [1.0, 1.0], [[[-0.375, 0.0], [-0.25, -0.25]], [0.375, 0.25]]),
    row("triangular_solve with ones for a diagonal", call("triangular_solve", unit_diagonal=True),
        [[[0.0, 2.0], [NAN, NAN]], [3.0, 1.0]], [1.0, 1.0], [[[0.0, -1.0], [0.0, 0.0]], [1.0, -1.0]]),
    row("triangular_solve, one matrix for a batch of b", call("triangular_solve"),
        [[[2.0]], [[[2.0]], [[4.0]]]], [[[1.0]], [[2.0]]], [[[-1.5]], [[[0.5]], [[0.5]]]]),
    row("triangular_solve, one vector for a batch", call("triangular_solve", trans=True),
        [[[[2.0]], [[4.0]]], [8.0]], [[4.0], [2.0]], [[[[-2.0]], [[-0.5]]], [0.75]]),
    row("triangular_solve of no cells", call("triangular_solve"), [EMPTY, np.zeros((0, 2))], np.zeros((0, 2)),
        [EMPTY, np.zeros((0, 2))]),
    row("triangular_solve of no matrices", call("triangular_solve"), [NONE, np.zeros((2, 1))],
        np.zeros((0, 2, 1)), [NONE, np.zeros((2, 1))]),
    row("triangular_solve with NaN in b", call("triangular_solve"), [[[2.0]], [NAN]], [NAN], [[[NAN]], [0.5]]),
    row("triangular_solve with whole numbers", lambda b: op("triangular_solve", np.array([[2, 0], [0, 4]]), b),
        [[2.0, 2.0]], [1.0, 0.5], [[0.5, 0.25]]),
    row("cholesky, asymmetric", call("cholesky"), [[[4.0, 3.0], [1.0, 2.0]]], [[2.0, 0.0], [1.0, 1.0]],
        [[[0.25, 0.0], [0.0, 0.5]]]),
    row("cholesky of 1x1", call("cholesky"), [[[4.0]]], [[2.0]], [[[0.25]]]),
    row("cholesky of no cells", call("cholesky"), [EMPTY], EMPTY, [EMPTY]),
    row("cholesky of no matrices", call("cholesky"), [NONE], NONE, [NONE]),
    row("cholesky of a batch with NaN", call("cholesky"), [[[[NAN]], [[4.0]]]], [[[NAN]], [[2.0]]],
        [[[[NAN]], [[0.25]]]]),
    row("cholesky, large", call("cholesky"), [[[1e308]]], [[1e154]], [[[0.5e-154]]]),
]  # fmt: skip


@pytest.mark.parametrize(("make", "inputs", "value", "grads"), ROWS)
def test_edges(
    make: Callable[..., Expr], inputs: Sequence[Any], value: Any, grads: Sequence[Any]
) -> None:
    holds(make, inputs, value, grads)


@pytest.mark.parametrize(
    "a", [RANK_TWO3, RANK_ONE3, np.zeros((2, 2)), ONES3, np.diag([1.0, 2.0, 0.0])]
)
def test_the_hessian_of_det_is_exact_at_a_singular_matrix(a: Any) -> None:
    """det is a polynomial of degree one in each cell, so that differences of it are exact too."""
    x = gv.variable(a, name="x")
    found = gv.hessian(op("det", x), x)
    n = len(a)
    cells = list(np.ndindex(n, n))
    for p in cells:
        for q in cells:
            corners = []
            for s, t in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
                moved = a.copy()
                moved[p] += s
                moved[q] += t
                corners.append(s * t * np.linalg.det(moved))
            wanted = 0.0 if p == q else sum(corners) / 4
            assert abs(found[(*p, *q)] - wanted) < 1e-12


SINGULAR = [[1.0, 2.0], [2.0, 4.0]]
ERRORS: list[Any] = [
    ("inv", [SINGULAR], InputError, "a is singular"),
    ("inv", [[np.eye(2), SINGULAR]], InputError, "Matrix 1 of a is singular"),
    ("solve", [SINGULAR, [1.0, 2.0]], InputError, "a is singular"),
    ("solve", [[[np.eye(2), SINGULAR]], [1.0, 2.0]], InputError, "Matrix 0, 1 of a is singular"),
    ("inv", [[[1.0, 2.0]]], ShapeError, "square"),
    ("inv", [[1.0, 2.0]], ShapeError, "needs a matrix"),
    ("det", [3.0], ShapeError, "needs a matrix"),
    ("pinv", [[1.0]], ShapeError, "needs a matrix"),
    ("solve", [np.eye(2), [1.0, 2.0, 3.0]], ShapeError, "b must have 2 rows"),
    ("solve", [np.eye(2), 3.0], ShapeError, "b is one number"),
    (
        "triangular_solve",
        [[[1.0, 2.0], [0.0, 0.0]], [1.0, 2.0]],
        InputError,
        "0 on its diagonal, at 1, 1",
    ),
    ("triangular_solve", [[np.eye(2), np.zeros((2, 2))], [1.0, 2.0]], InputError, "at 1, 0, 0"),
    ("triangular_solve", [[[1.0, 2.0]], [1.0, 2.0]], ShapeError, "square"),
    (
        "cholesky",
        [[[1.0, 2.0], [2.0, 1.0]]],
        InputError,
        "a is not positive definite: its least eigenvalue is -1,",
    ),
    ("cholesky", [np.zeros((2, 2))], InputError, "least eigenvalue is 0,"),
    ("cholesky", [[np.eye(2), -np.eye(2)]], InputError, "Matrix 1 of a is not positive definite"),
    ("cholesky", [[[1.0, 2.0]]], ShapeError, "square"),
    ("slogdet", [[[1.0, 2.0]]], ShapeError, "square"),
    ("lstsq", [np.eye(2), [1.0, 2.0, 3.0]], ShapeError, "with 2 rows"),
    ("lstsq", [np.eye(2), 3.0], ShapeError, "b is one number"),
    ("inv", [np.eye(2, dtype=bool)], ShapeError, "truth values"),
]


@pytest.mark.parametrize(("name", "inputs", "kind", "said"), ERRORS)
def test_what_cannot_be_is_said(
    name: str, inputs: Sequence[Any], kind: type[GradvizError], said: str
) -> None:
    with pytest.raises(kind, match=said):
        op(name, *[np.asarray(i) for i in inputs]).value  # noqa: B018


def test_the_rank_of_a_pseudoinverse_is_that_of_the_precision() -> None:
    found = op("pinv", np.array([[1.0, 2.0], [2.0, 4.0]], np.float32)).value
    assert np.allclose(found, np.array([[1.0, 2.0], [2.0, 4.0]]) / 25, atol=1e-6)
