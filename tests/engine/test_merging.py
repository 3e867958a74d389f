"""What is merged in large arrays: repeated nodes, and element-wise nodes that only one other reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.engine.compiled import Compiled, compile_gradients, compile_values
from gradviz.engine.kinds import LARGE
from gradviz.engine.merging import MOST_CALLS
from gradviz.engine.plan import plan
from gradviz.engine.run import run
from gradviz.errors import InputError
from gradviz.ops.expr import Collected, Expr

AT = np.random.default_rng(0).standard_normal(LARGE + 3)


def _same(compiled: Compiled, y: Expr, x: Expr) -> None:
    found = compiled(AT)
    assert np.array_equal(found.values[0], y.value)
    if found.gradients:
        (slope,), (wanted,) = found.gradients, gv.gradients(y, [x])
        assert slope is not None
        assert wanted is not None
        assert np.array_equal(slope, wanted.value)


def _chain(x: Expr, length: int) -> Expr:
    y = x
    for _ in range(length):
        y = gv.tanh(y * x) - y
    return y


@pytest.mark.parametrize("length", [1, 3, MOST_CALLS])
def test_chains_have_the_bits_of_the_recorded_run(length: int) -> None:
    x = gv.variable(AT, "x")
    y = _chain(x, length)
    _same(compile_gradients(y, [x]), y, x)
    _same(compile_gradients(y, [x], every=False), y, x)
    _same(compile_values(y, [x]), y, x)


def test_a_place_of_an_operand_is_minded() -> None:
    x = gv.variable(AT, "x")
    y = gv.where(gv.greater(x, 0.5), 2.0 - gv.exp(x), x / (1.0 + gv.square(x)))
    _same(compile_values(y, [x]), y, x)
    z = gv.square(x)
    _same(compile_values(z - z / (z + 1.0), [x]), z - z / (z + 1.0), x)


def test_what_is_read_afterwards_is_written_out() -> None:
    x = gv.variable(AT, "x")
    inner = gv.exp(x)
    y = gv.tanh(inner + 1.0)
    found = compile_gradients(y, [x])(AT)
    assert np.array_equal(found[inner], inner.value)


def test_what_lies_between_is_not_written_out() -> None:
    x = gv.variable(AT, "x")
    inner = gv.exp(x)
    found = compile_values(gv.tanh(inner + 1.0), [x])(AT)
    with pytest.raises(InputError, match="was not kept"):
        found[inner]


def test_a_repeated_node_is_computed_once() -> None:
    """y·y gives the same contribution twice."""
    x = gv.variable(AT, "x")
    y = gv.tanh(x)
    loss = gv.sum(y * y * y)
    _same(compile_gradients(loss, [x]), loss, x)
    repeated = compile_values(gv.sum(gv.exp(x)) + gv.sum(gv.exp(x)), [x])
    assert sum(function is np.exp for function, _ in repeated.program.calls) == 1


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_large_recorded_result_has_the_bits_of_the_forward(dtype: str) -> None:
    at = AT.astype(dtype)
    at[:4] = np.nan, np.inf, -0.0, 0.0
    x = gv.variable(at, "x")
    cases: list[Expr] = [
        gv.where(gv.greater(x, 0), x, -0.0),
        gv.where(gv.greater(x, 0), x, gv.exp(x)),
        gv.gelu(x, approximate=True),
        gv.elu(x, alpha=0.5),
        gv.log_sigmoid(x),
    ]
    for y in cases:
        collected = Collected([y])
        outputs: Any = {id: call.specs for id, call in collected.calls.items()}
        found = run(plan(collected.graph, outputs), collected.values)[collected.port(y)]
        assert found is not None
        assert not found.flags.writeable
        assert found.dtype == y.dtype
        assert found.tobytes() == y.value.tobytes()
