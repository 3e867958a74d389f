"""The fast path gives the bits of the recorded run: every op, random graphs, new inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradviz as gv
from gradviz.engine.compiled import Compiled, compile_gradients, compile_values
from gradviz.engine.program import COPIED_SIZE
from gradviz.graph.model import Array
from gradviz.ops import registry
from gradviz.ops.expr import Expr
from gradviz.ops.op import Example, Op
from tests.support.symbols import operand

CASES = [
    pytest.param(declared, shown, id=f"{declared.name}-{number}")
    for declared in registry.every()
    for number, shown in enumerate(declared.examples)
    if not declared.is_source
]


def same(found: Array | None, wanted: Array | None) -> None:
    """Equal to the last bit; a NaN is a NaN."""
    if wanted is None:
        assert found is None
        return
    assert found is not None
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    assert np.array_equal(found, wanted, equal_nan=wanted.dtype.kind == "f")


def agrees(
    compiled: Compiled, ys: Sequence[Expr], xs: Sequence[Expr], values: Sequence[Any]
) -> None:
    """Run with `values` of xs, twice, and compare with expressions that are built on those values."""
    for _ in range(2):
        found = compiled(*values)
        for y, value in zip(ys, found.values, strict=True):
            same(value, y.value)
        for slope, wanted in zip(found.gradients, gv.gradients(list(ys), list(xs)), strict=True):
            same(slope, None if wanted is None else wanted.value)


def inputs_of(shown: Example, dtype: str) -> list[Expr]:
    return [
        operand(np.asarray(v, dtype if np.asarray(v).dtype.kind == "f" else None), f"in{i}")
        for i, v in enumerate(shown.inputs)
    ]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("declared", "shown"), CASES)
def test_every_op(declared: Op, shown: Example, dtype: str) -> None:
    inputs = inputs_of(shown, dtype)
    made = declared(*inputs, **shown.attributes)
    ys = list(made) if isinstance(made, tuple) else [made]
    xs = [e for e in inputs if e.call.op is not None and e.call.op.name == "variable"]
    agrees(compile_gradients(ys, xs), ys, xs, [x.value for x in xs])
    # Between other nodes, where memory is shared and results are views.
    wrapped = [gv.sin(y) * y + y for y in ys if y.dtype.kind == "f"]
    if wrapped and xs:
        agrees(compile_gradients(wrapped, xs), wrapped, xs, [x.value for x in xs])


def numbers(size: int) -> st.SearchStrategy[list[float]]:
    some = st.floats(-3, 3, width=32) | st.sampled_from([0.0, -0.0, np.inf, np.nan, 1e300])
    return st.lists(some, min_size=size, max_size=size)


UNARY = ("sin", "tanh", "exp", "relu", "square", "negative", "sigmoid", "stop_gradient", "sqrt")
BINARY = ("add", "subtract", "multiply", "divide", "maximum", "greater_where")


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Expr], list[Expr]]:
    """Targets and variables of a graph with much sharing, of one shape or broadcast."""
    shapes = draw(st.sampled_from([[()], [(3,)], [(2, 3)], [(), (3,), (2, 3)]]))
    xs = []
    for i in range(draw(st.integers(1, 3))):
        shape = draw(st.sampled_from(shapes))
        flat = draw(numbers(int(np.prod(shape))))
        xs.append(gv.variable(np.reshape(flat, shape), name=f"x{i}"))
    known = list(xs)
    for _ in range(draw(st.integers(1, 12))):
        a, b = draw(st.sampled_from(known)), draw(st.sampled_from([*known, 0.5, -2.0]))
        name = draw(st.sampled_from(UNARY + BINARY))
        if name == "greater_where":
            known.append(gv.where(gv.greater(a, b), a, b))
        else:
            known.append(gv.apply(name, a) if name in UNARY else gv.apply(name, a, b))  # type: ignore[arg-type]
    ys = [draw(st.sampled_from(known[len(xs) :])) for _ in range(draw(st.integers(1, 2)))]
    return ys, xs


def test_what_is_read_afterwards_keeps_the_memory_it_lies_in() -> None:
    """A view that is a result: nothing else may be written into the memory of the value it looks at."""
    x = gv.variable(0.0, name="x")
    ys = [gv.sin(x), gv.stop_gradient(gv.sin(x))]
    agrees(compile_gradients(ys, [x], every=False), ys, [x], [x.value])


@given(graphs())
def test_random_graphs(made: tuple[list[Expr], list[Expr]]) -> None:
    ys, xs = made
    values = [x.value for x in xs]
    for every in (True, False):
        compiled = compile_gradients(ys, xs, every=every)
        agrees(compiled, ys, xs, values)
        compiled(*[v + 1.0 for v in values])
        agrees(compiled, ys, xs, values)


@given(graphs())
def test_every_value_and_gradient_can_be_read(made: tuple[list[Expr], list[Expr]]) -> None:
    ys, xs = made
    compiled = compile_gradients(ys, xs)
    found = compiled(*[x.value for x in xs])
    between = [Expr(call) for call in compiled.collected.calls.values()]
    floats = [e for e in between if e.dtype.kind == "f" and not e.spec.weak]
    for expression, slope in zip(floats, gv.gradients(ys, floats), strict=True):
        same(found[expression], expression.value)
        same(found.gradient(expression), None if slope is None else slope.value)


def test_a_large_input_is_used_where_it_lies() -> None:
    rows = COPIED_SIZE // 4
    x, w = gv.variable(np.ones((rows, 8)), "x"), gv.variable(np.ones((8, 2)), "w")
    y = gv.sum(gv.tanh(gv.matmul(x, w)) * gv.reshape(gv.transpose(x)[:2], shape=(rows, 2)))
    compiled = compile_gradients(y, [x, w])
    generator = np.random.default_rng(0)
    for order in ("C", "F"):
        a = np.asarray(generator.normal(size=(rows, 8)), order=order)
        b = generator.normal(size=(8, 2))
        found = compiled(a, b)
        p, q = gv.variable(a, "x"), gv.variable(b, "w")
        again = gv.sum(gv.tanh(gv.matmul(p, q)) * gv.reshape(gv.transpose(p)[:2], shape=(rows, 2)))
        same(found.values[0], again.value)
        for slope, wanted in zip(found.gradients, gv.gradients(again, [p, q]), strict=True):
            assert wanted is not None
            same(slope, wanted.value)


def test_values_alone() -> None:
    x = gv.variable([1.0, 2.0], "x")
    (g,) = gv.gradients(gv.sum(x**3), x)
    assert g is not None
    f = compile_values([g], [x])
    assert f([2.0, 3.0]).values[0].tolist() == [12.0, 27.0]


def test_what_is_not_connected_has_no_gradient() -> None:
    x, z = gv.variable(1.0, "x"), gv.variable(1.0, "z")
    found = compile_gradients(2 * x, [x, z])(3.0, 1.0)
    assert found.values == [6.0]
    assert found.gradients == [2.0, None]


def test_memory_between_is_shared() -> None:
    """Beside values and gradients, no more than twice the largest array."""
    x = gv.variable(np.ones((64, 64)), "x")
    y = x
    for _ in range(20):
        y = gv.tanh(gv.sigmoid(y) * x)
    compiled = compile_gradients(gv.sum(y), [x])
    arrays = {id(_owner(a)): _owner(a).nbytes for a in compiled.program.arrays.values()}
    kept = [*compiled.collected.calls, *compiled.adjoints]
    assert sum(arrays.values()) <= (len(kept) + 2) * x.value.nbytes


def _owner(array: Any) -> Any:
    while array.base is not None:
        array = array.base
    return array
