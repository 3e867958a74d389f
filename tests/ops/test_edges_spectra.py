"""What eigenvalues, singular values, QR and functions of matrices do at ties, zeros, NaN and in empty arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.errors import GradvizError, InputError, ShapeError
from gradviz.ops.expr import Expr
from tests.support.edges import INF, NAN, call, gradients, holds, op, row

EYE, ZERO, EMPTY, NONE = np.eye(2), np.zeros((2, 2)), np.zeros((0, 0)), np.zeros((0, 2, 2))
LOST = np.full((2, 2), NAN)
TALL = [[1.0, 2.0], [3.0, -1.0], [0.5, 1.0]]
WIDE = [[1.0, 0.5, 2.0], [-1.0, 3.0, 1.0]]
NILPOTENT = [[0.0, 1.0], [0.0, 0.0]]
# Of [[2, 0.3], [0.3, 1]]: the angle of its axes, and how the sum of WEIGHTS times the sizes of the vectors turns with it.
WEIGHTS = np.array([[1.0, 2.0], [3.0, 5.0]])
ANGLE = np.arctan(0.6) / 2
SIZES = np.array([[np.sin(ANGLE), np.cos(ANGLE)], [np.cos(ANGLE), np.sin(ANGLE)]])
TURN = (6 * np.cos(ANGLE) - 5 * np.sin(ANGLE)) / 2.72


def output(name: str, number: int) -> Callable[..., Expr]:
    return lambda x: op(name, x)[number]


def put_together(name: str) -> Callable[..., Expr]:
    """The product of what an op takes a matrix apart into: the matrix, with the gradient of the identity."""

    def make(x: Any) -> Any:
        parts = op(name, x)
        if name == "qr":
            return parts[0] @ parts[1]
        if name == "svd":
            return (parts[0] * op("expand_dims", parts[1], axis=-2)) @ parts[2]
        scaled = parts[1] * op("expand_dims", parts[0], axis=-2)
        return scaled @ op("matrix_transpose", parts[1])

    return make


ROWS = [
    row("eigvalsh, repeated", call("eigvalsh"), [EYE], [1.0, 1.0], [EYE]),
    row("eigvalsh, asymmetric", call("eigvalsh"), [[[1.0, 2.0], [0.0, 1.0]]], [0.0, 2.0], [EYE]),
    row("eigvalsh of no cells", call("eigvalsh"), [EMPTY], np.zeros(0), [EMPTY]),
    row("eigvalsh of no matrices", call("eigvalsh"), [NONE], np.zeros((0, 2)), [NONE]),
    row("eigvalsh of a batch with NaN", call("eigvalsh"), [[[[NAN]], [[2.0]], [[INF]]]], [[NAN], [2.0], [NAN]],
        [[[[NAN]], [[1.0]], [[NAN]]]]),
    row("eigh, values, repeated", output("eigh", 0), [EYE], [1.0, 1.0], [EYE]),
    row("eigh, vectors, repeated", lambda x: op("abs", op("eigh", x)[1]), [EYE], EYE, [LOST]),
    row("eigh, vectors", lambda x: op("multiply", op("abs", op("eigh", x)[1]), WEIGHTS), [[[2.0, 0.3], [0.3, 1.0]]],
        WEIGHTS * SIZES, [[[-0.6 * TURN, TURN], [TURN, 0.6 * TURN]]]),
    row("eigh puts together", put_together("eigh"), [[[2.0, 0.5], [0.5, -1.0]]], [[2.0, 0.5], [0.5, -1.0]],
        [np.ones((2, 2))]),
    row("eigh of no matrices", output("eigh", 1), [NONE], NONE, [NONE]),
    row("gaps, equal", call("one_over_gaps"), [[1.0, 1.0]], [[0.0, NAN], [NAN, 0.0]], [[NAN, NAN]]),
    row("gaps of one number", call("one_over_gaps"), [[INF]], [[0.0]], [[0.0]]),
    row("gaps of none", call("one_over_gaps"), [[]], EMPTY, [[]]),
    row("svdvals, repeated", call("svdvals"), [EYE], [1.0, 1.0], [EYE]),
    row("svdvals of a column", call("svdvals"), [[[3.0], [4.0]]], [5.0], [[[0.6], [0.8]]]),
    row("svdvals of no rows", call("svdvals"), [np.zeros((0, 3))], np.zeros(0), [np.zeros((0, 3))]),
    row("svdvals of a batch with infinity", call("svdvals"), [[[[INF]], [[-2.0]]]], [[NAN], [2.0]],
        [[[[NAN]], [[-1.0]]]]),
    row("svd, values, repeated", output("svd", 1), [EYE], [1.0, 1.0], [EYE]),
    row("svd, vectors, repeated", lambda x: op("abs", op("svd", x)[0]), [EYE], EYE, [LOST]),
    row("svd puts together, tall", put_together("svd"), [TALL], TALL, [np.ones((3, 2))]),
    row("svd puts together, wide", put_together("svd"), [WIDE], WIDE, [np.ones((2, 3))]),
    row("svd of no rows", output("svd", 2), [np.zeros((0, 3))], np.zeros((0, 3)), [np.zeros((0, 3))]),
    row("svd of no matrices", output("svd", 0), [NONE], NONE, [NONE]),
    row("qr of 1x1", output("qr", 1), [[[2.0]]], [[2.0]], [[[1.0]]]),
    row("qr puts together, tall", put_together("qr"), [TALL], TALL, [np.ones((3, 2))]),
    row("qr puts together, wide", put_together("qr"), [WIDE], WIDE, [np.ones((2, 3))]),
    row("qr, the first factor of a square one does not see its last column", output("qr", 0),
        [[[3.0, 1.0], [4.0, -2.0]]], [[-0.6, -0.8], [-0.8, 0.6]], [[[0.192, 0.0], [-0.144, 0.0]]]),
    row("qr of no cells", output("qr", 0), [EMPTY], EMPTY, [EMPTY]),
    row("qr of no matrices", output("qr", 1), [NONE], NONE, [NONE]),
    row("qr of NaN", output("qr", 1), [[[NAN]]], [[NAN]], [[[NAN]]]),
    row("matrix_power 0", call("matrix_power", n=0), [ZERO], EYE, [ZERO]),
    row("matrix_power 1", call("matrix_power", n=1), [NILPOTENT], NILPOTENT, [np.ones((2, 2))]),
    row("matrix_power of a nilpotent one", call("matrix_power", n=2), [NILPOTENT], ZERO, [[[1.0, 0.0], [2.0, 1.0]]]),
    row("matrix_power of zeros", call("matrix_power", n=3), [ZERO], ZERO, [ZERO]),
    row("matrix_power, large", call("matrix_power", n=1000), [[[1.0]]], [[1.0]], [[[1000.0]]]),
    row("matrix_power of no cells", call("matrix_power", n=2), [EMPTY], EMPTY, [EMPTY]),
    row("matrix_power -1 of NaN", call("matrix_power", n=-1), [[[NAN]]], [[NAN]], [[[NAN]]]),
    row("expm of zeros", call("expm"), [ZERO], EYE, [np.ones((2, 2))]),
    row("expm of a nilpotent one", call("expm"), [NILPOTENT], [[1.0, 1.0], [0.0, 1.0]],
        [[[1.5, 1.0], [13 / 6, 1.5]]]),
    row("expm of a batch with NaN", call("expm"), [[[[NAN]], [[0.0]]]], [[[NAN]], [[1.0]]], [[[[NAN]], [[1.0]]]]),
    row("expm of no cells", call("expm"), [EMPTY], EMPTY, [EMPTY]),
    row("expm of no matrices", call("expm"), [NONE], NONE, [NONE]),
    row("Frobenius norm of zeros", call("matrix_norm"), [ZERO], 0.0, [ZERO]),
    row("Frobenius norm of no cells", call("matrix_norm"), [EMPTY], 0.0, [EMPTY]),
    row("Frobenius norm, large and small", call("matrix_norm"), [[[[3e200, 4e200]], [[3e-200, -4e-200]], [[INF, 1.0]]]],
        [5e200, 5e-200, INF], [[[[0.6, 0.8]], [[0.6, -0.8]], [[NAN, 0.0]]]]),
    row("Frobenius norm of a batch", call("matrix_norm", keepdims=True), [[[[3.0, 4.0]], [[0.0, 0.0]]]],
        [[[5.0]], [[0.0]]], [[[[0.6, 0.8]], [[0.0, 0.0]]]]),
    row("Frobenius norm of NaN", call("matrix_norm"), [[[NAN, 1.0]]], NAN, [[[NAN, NAN]]]),
    row("nuclear norm of zeros", call("matrix_norm", ord="nuc"), [ZERO], 0.0, [ZERO]),
    row("nuclear norm of the identity", call("matrix_norm", ord="nuc"), [EYE], 2.0, [EYE]),
    row("2-norm, tie", call("matrix_norm", ord=2), [EYE], 1.0, [EYE / 2]),
    row("-2-norm, tie", call("matrix_norm", ord=-2), [EYE], 1.0, [EYE / 2]),
    row("2-norm of a batch with NaN", call("matrix_norm", ord=2), [[[[NAN]], [[-2.0]]]], [NAN, 2.0],
        [[[[NAN]], [[-1.0]]]]),
    row("1-norm with a zero cell", call("matrix_norm", ord=1), [[[0.0, 1.0], [3.0, -1.0]]], 3.0,
        [[[0.0, 0.0], [1.0, 0.0]]]),
    row("inf-norm, tie", call("matrix_norm", ord="inf"), [[[3.0, -3.0], [1.0, 5.0]]], 6.0,
        [[[0.5, -0.5], [0.5, 0.5]]]),
    row("-inf-norm, tie", call("matrix_norm", ord="-inf"), [[[3.0, -3.0], [1.0, 5.0], [9.0, 9.0]]], 6.0,
        [[[0.5, -0.5], [0.5, 0.5], [0.0, 0.0]]]),
    row("-1-norm", call("matrix_norm", ord=-1), [[[3.0, -1.0], [1.0, 1.0]]], 2.0, [[[0.0, -1.0], [0.0, 1.0]]]),
    row("1-norm of no matrices", call("matrix_norm", ord=1), [NONE], np.zeros(0), [NONE]),
]  # fmt: skip


@pytest.mark.parametrize(("make", "inputs", "value", "grads"), ROWS)
def test_edges(
    make: Callable[..., Expr], inputs: Sequence[Any], value: Any, grads: Sequence[Any]
) -> None:
    holds(make, inputs, value, grads)


SINGULAR = [[1.0, 2.0], [2.0, 4.0]]
ERRORS: list[Any] = [
    ("matrix_power", [SINGULAR], {"n": -1}, InputError, "a is singular"),
    ("matrix_power", [EYE], {"n": 0.5}, ShapeError, "whole number"),
    ("matrix_power", [EYE], {"n": True}, ShapeError, "whole number"),
    ("matrix_power", [EYE], {"n": 10**10}, ShapeError, "at most"),
    ("matrix_power", [TALL], {"n": 2}, ShapeError, "square"),
    ("eigh", [TALL], {}, ShapeError, "square"),
    ("eigvalsh", [[1.0]], {}, ShapeError, "needs a matrix"),
    ("svd", [[1.0]], {}, ShapeError, "needs a matrix"),
    ("svdvals", [EYE.astype(bool)], {}, ShapeError, "truth values"),
    ("qr", [1.0], {}, ShapeError, "needs a matrix"),
    ("expm", [WIDE], {}, ShapeError, "square"),
    ("matrix_norm", [EYE], {"ord": "spectral"}, InputError, "There is no matrix norm 'spectral' here; there are: 'fro'"),
    ("matrix_norm", [EYE], {"ord": 3}, InputError, "no matrix norm 3"),
    ("matrix_norm", [EYE], {"ord": [1]}, InputError, "no matrix norm"),
    ("matrix_norm", [EMPTY], {"ord": 2}, ShapeError, "largest or least"),
    ("matrix_norm", [np.zeros((0, 2))], {"ord": "-inf"}, ShapeError, "largest or least"),
    ("matrix_norm", [[1.0]], {}, ShapeError, "needs a matrix"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "inputs", "settings", "kind", "said"), ERRORS)
def test_what_cannot_be_is_said(
    name: str,
    inputs: Sequence[Any],
    settings: dict[str, Any],
    kind: type[GradvizError],
    said: str,
) -> None:
    with pytest.raises(kind, match=said):
        op(name, *[np.asarray(i) for i in inputs], **settings).value  # noqa: B018


def test_the_gradient_of_qr_needs_independent_columns() -> None:
    value, _ = gradients(lambda x: op("stop_gradient", op("qr", x)[1]), ZERO)
    assert not value.any()
    with pytest.raises(AssertionError, match="0 on its diagonal"):
        gradients(lambda x: op("qr", x)[1], ZERO)


@pytest.mark.parametrize("name", ["eigvalsh", "svdvals"])
def test_the_hessian_through_the_values(name: str) -> None:
    """The sum of the squares of all values is that of the cells, so its Hessian is twice the identity."""
    x = gv.variable([[2.0, 0.5], [0.5, -1.0]], name="x")
    found = gv.hessian(op("sum", op(name, x) ** 2), x)
    wanted = np.einsum("ik,jl->ijkl", EYE, EYE)
    if name == "eigvalsh":
        wanted = (wanted + np.swapaxes(wanted, 2, 3)) / 2
    assert np.allclose(found, 2 * wanted, atol=1e-12)
