"""Conventions and refusals of moving, joining, taking apart, and of products."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.errors import GradvizError
from gradviz.ops.expr import Expr, variable
from tests.support.edges import INF, NAN, call, gradients, holds, op, row

A = np.arange(6.0).reshape(2, 3)
V3 = [[1.0], [10.0], [100.0]]

ROWS = [
    row("pad of nothing by 0", call("pad", pad_width=((0, 0),)), [np.zeros(0)], np.zeros(0), [np.zeros(0)]),
    row("pad one number", call("pad", pad_width=()), [2.0], 2.0, [1.0]),
    row("pad by NaN", lambda x: op("pad", x, pad_width=((1, 0),), value=NAN), [[2.0]], [NAN, 2.0], [[1.0]]),
    row("pad with the edge twice", call("pad", pad_width=((2, 1),), mode="edge"), [[1.0, 5.0]], [1.0, 1.0, 1.0, 5.0, 5.0],
        [[3.0, 2.0]]),
    row("pad mirrored", call("pad", pad_width=((2, 2),), mode="reflect"), [[1.0, 2.0, 3.0]],
        [3.0, 2.0, 1.0, 2.0, 3.0, 2.0, 1.0], [[2.0, 3.0, 2.0]]),
    row("tile by 0", call("tile", reps=(0,)), [[1.0, 2.0]], np.zeros(0), [[0.0, 0.0]]),
    row("tile one number", call("tile", reps=(2, 2)), [3.0], np.full((2, 2), 3.0), [4.0]),
    row("repeat by 0 and 2", call("repeat", repeats=(0, 2)), [[1.0, 2.0]], [2.0, 2.0], [[0.0, 2.0]]),
    row("repeat one number", call("repeat", repeats=3), [3.0], [3.0, 3.0, 3.0], [3.0]),
    row("flip of one number", call("flip"), [3.0], 3.0, [1.0]),
    row("roll by more than the length", lambda x: op("roll", x, shift=7) * [1.0, 10.0], [[1.0, 2.0]], [2.0, 10.0],
        [[10.0, 1.0]]),
    row("tril of a wide matrix", call("tril", k=-1), [A], [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]],
        [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]]),
    row("tril lets no NaN through", call("tril"), [[[1.0, NAN], [2.0, 3.0]]], [[1.0, 0.0], [2.0, 3.0]],
        [[[1.0, 0.0], [1.0, 1.0]]]),
    row("diagonal outside", call("diagonal", offset=5), [A], np.zeros(0), [np.zeros((2, 3))]),
    row("diag below", call("diag", k=-1), [[7.0]], [[0.0, 0.0], [7.0, 0.0]], [[1.0]]),
    row("trace of a wide matrix", call("trace"), [A], 4.0, [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]),
    row("trace of nothing", call("trace"), [np.zeros((0, 0))], 0.0, [np.zeros((0, 0))]),
    row("stack of one number", call("stack"), [1.0, 2.0], [1.0, 2.0], [1.0, 1.0]),
    row("vecdot of nothing", call("vecdot"), [np.zeros(0), np.zeros(0)], 0.0, [np.zeros(0), np.zeros(0)]),
    row("vecdot, one row for all", call("vecdot"), [[1.0, 2.0], A[:, :2]], [2.0, 11.0], [[3.0, 5.0], [[1.0, 2.0]] * 2]),
    row("outer with ∞", call("outer"), [[INF, 0.0], [1.0]], [[INF], [0.0]], [[1.0, 1.0], [INF]]),
    row("kron of numbers", call("kron"), [2.0, 3.0], 6.0, [3.0, 2.0]),
    row("cross of parallel vectors", call("cross"), [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]], [0.0, 0.0, 0.0],
        [[-2.0, 4.0, -2.0], [1.0, -2.0, 1.0]]),
    row("einsum ii->", call("einsum", subscripts="ii->"), [[[1.0, 2.0], [3.0, 4.0]]], 5.0, [np.eye(2)]),
    row("einsum, an axis of its own", call("einsum", subscripts="ij,k->k"), [A, [1.0, 2.0]], [15.0, 30.0],
        [np.full((2, 3), 3.0), [15.0, 15.0]]),
    row("einsum of a number", call("einsum", subscripts=",i->i"), [2.0, [1.0, 3.0]], [2.0, 6.0], [4.0, [2.0, 2.0]]),
    row("einsum implicit", call("einsum", subscripts="ba"), [A], A.T, [np.ones((2, 3))]),
    row("tensordot over nothing", call("tensordot", axes=0), [[1.0, 2.0], [3.0]], [[3.0], [6.0]], [[3.0, 3.0], [3.0]]),
]  # fmt: skip


@pytest.mark.parametrize(("make", "inputs", "value", "grads"), ROWS)
def test_convention(
    make: Callable[..., Expr], inputs: Sequence[Any], value: Any, grads: Sequence[Any]
) -> None:
    holds(make, inputs, value, grads)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda x: op("split", x, sections=(1, 1), axis=1), "add up to 2, but the axis has 3"),
        (lambda x: op("unstack", x, axis=2), "no axis 2"),
        (lambda x: op("stack", x, x[0]), "same shape"),
        (lambda x: op("pad", x, pad_width=((1, 1),)), "each of the 2 axes"),
        (lambda x: op("pad", x, pad_width=((2, 0), (0, 0)), mode="reflect"), "cannot be padded"),
        (lambda x: op("repeat", x, repeats=(1, 2, 3), axis=0), "3 repetitions for 2 layers"),
        (lambda x: op("diag", x), "for the cells of a matrix use diagonal"),
        (lambda x: op("tril", x[0]), "needs a matrix"),
        (lambda x: op("vecdot", x, x[:, :2]), "lengths 3 and 2"),
        (lambda x: op("cross", x[:, :2], x), "vectors of 3"),
        (lambda x: op("tensordot", x, x, axes=1), "differ"),
        (lambda x: op("einsum", x, subscripts="ijk"), "does not fit an operand with 2 axes"),
        (lambda x: op("einsum", x, subscripts="ij,jk"), "2 operands"),
        (lambda x: op("einsum", x, subscripts="ij->ik"), "must name labels"),
        (lambda x: op("einsum", x, x, subscripts="ij,jk"), "stands for axes of"),
        (lambda x: op("moveaxis", x, source=(0, 1), destination=0), "same number"),
        (lambda x: op("unstack", op("broadcast_to", x[0, 0], shape=(5000,))), "at most 1,000"),
    ],
)
def test_what_does_not_fit_is_told(make: Callable[[Expr], Any], words: str) -> None:
    with pytest.raises(GradvizError, match=words):
        make(variable(A, "x"))


def test_outputs_that_nobody_used_count_as_zeros() -> None:
    x = variable(A, "x")
    first, _, third = op("unstack", x, axis=1)
    (slope,) = gv.gradients(gv.sum(first * first) + 2 * gv.sum(third), x)
    assert slope is not None
    assert slope.value.tolist() == [[0.0, 0.0, 2.0], [6.0, 0.0, 2.0]]
    left, right = op("split", x, sections=(1, 2), axis=1)
    (bend,) = gv.gradients(gv.gradients(gv.sum(left**3) + gv.sum(right), x)[0], x)  # type: ignore[arg-type]
    assert bend is not None
    assert bend.value.tolist() == [[0.0, 0.0, 0.0], [18.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    ("subscripts", "given"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("...ij,...jk->...ik", [(5, 2, 3), (3, 4)]),
        ("...ij,...jk->...ik", [(5, 2, 3), (1, 3, 4)]),
        ("i...,i...->...", [(3, 2), (3, 2)]),
        ("iij,j->i", [(2, 2, 3), (3,)]),
        ("ijk,jl,kl->il", [(2, 3, 4), (3, 5), (4, 5)]),
        ("ij,ij,i->", [(2, 3), (2, 3), (2,)]),
        ("ij->", [(2, 3)]),
        ("i,j,k", [(2,), (3,), (2,)]),
    ],
)
def test_einsum_of_every_kind(subscripts: str, given: list[tuple[int, ...]]) -> None:
    generator = np.random.default_rng(0)
    arrays = [generator.normal(size=shape) for shape in given]
    value, slopes = gradients(call("einsum", subscripts=subscripts), *arrays)
    assert np.allclose(value, np.einsum(subscripts, *arrays))
    seed = np.ones(value.shape)
    for number, slope in enumerate(slopes):
        assert slope is not None
        for cell in np.ndindex(arrays[number].shape):
            moved = [a.copy() for a in arrays]
            moved[number][cell] += 1.0
            rise = np.sum(seed * (np.einsum(subscripts, *moved) - value))
            # Where an operand is named once, it enters linearly.
            assert np.isclose(slope[cell], rise)
