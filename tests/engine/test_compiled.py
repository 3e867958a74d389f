"""The fast path gives the bits of the recorded run: every op, random graphs, new inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gradviz as gv
from gradviz.engine import batch
from gradviz.engine import compiled as compiled_module
from gradviz.engine.compiled import Compiled, compile_gradients, compile_values
from gradviz.engine.kinds import PART_BYTES
from gradviz.engine.program import COPIED_SIZE
from gradviz.errors import GradvizError
from gradviz.graph.model import Array, frozen_array
from gradviz.ops import registry
from gradviz.ops.expr import Expr
from gradviz.ops.op import Example, Op
from tests.support.symbols import operand

# What has a shape that depends on the numbers cannot be compiled (test_open_shapes).
OPEN = {"masked_select"}
CASES = [
    pytest.param(declared, shown, id=f"{declared.name}-{number}")
    for declared in registry.every()
    for number, shown in enumerate(declared.examples)
    if not declared.is_source and declared.name not in OPEN
]


def same(found: Array | None, wanted: Array | None) -> None:
    """Equal to the last bit; a NaN is a NaN."""
    if wanted is None:
        assert found is None
        return
    assert found is not None
    found = np.asarray(found)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    assert np.array_equal(found, wanted, equal_nan=wanted.dtype.kind == "f")


def near(found: Array | None, wanted: Array | None) -> None:
    """Equal to 4 units in the last place: Python's functions are not NumPy's."""
    if wanted is None:
        assert found is None
        return
    assert found is not None
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    assert np.allclose(found, wanted, rtol=1e-12, atol=1e-300, equal_nan=True)


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


@pytest.fixture
def batched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches even where they do not pay."""
    monkeypatch.setattr(batch, "LEAST_NODES", 0)
    monkeypatch.setattr(batch, "LEAST_GROUP", 0.0)


@pytest.mark.usefixtures("batched")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graphs())
def test_random_graphs_in_batches(made: tuple[list[Expr], list[Expr]]) -> None:
    ys, xs = made
    values = [x.value for x in xs]
    compiled = compile_gradients(ys, xs)
    agrees(compiled, ys, xs, values)
    compiled(*[v + 1.0 for v in values])
    agrees(compiled, ys, xs, values)
    agrees(compile_gradients(ys, xs, every=False), ys, xs, values)


@pytest.mark.usefixtures("batched")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("declared", "shown"), CASES)
def test_every_op_in_batches(declared: Op, shown: Example, dtype: str) -> None:
    """Three applications side by side, on different numbers."""
    if declared.name == "lstsq":
        pytest.skip("LAPACK's last bits depend on where in memory an array lies")
    inputs = [inputs_of(shown, dtype) for _ in range(3)]
    ys: list[Expr] = []
    xs: list[Expr] = []
    for number, each in enumerate(inputs):
        for e in each:
            if e.call.op is not None and e.call.op.name == "variable":
                e.call.outputs = (frozen_array(e.value * (1 + number / 8)),)
                xs.append(e)
        try:
            made = declared(*each, **shown.attributes)
            ys += [gv.tanh(y) if y.dtype.kind == "f" else y for y in _listed(made)]
        except GradvizError:
            continue
    agrees(compile_gradients(ys, xs), ys, xs, [x.value for x in xs])


def _listed(made: Any) -> list[Expr]:
    return list(made) if isinstance(made, tuple) else [made]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(1, 3))
def test_sums_of_many_terms_in_batches(chosen: list[int], rank: int) -> None:
    generator = np.random.default_rng(len(chosen))
    xs = [gv.variable(generator.normal(size=(2,) * rank), f"x{i}") for i in range(6)]
    terms = [
        xs[i] * float(c) for i, c in zip(chosen, generator.normal(size=len(chosen)), strict=True)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch, "LEAST_NODES", 0)
        patch.setattr(batch, "LEAST_GROUP", 0.0)
        agrees(compile_gradients(terms, xs), terms, xs, [x.value for x in xs])


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


def test_large_inputs_are_exchanged_where_they_are_read() -> None:
    """Turned, cut into blocks, next to a constant that was made of the same numbers."""
    start = np.random.default_rng(1).standard_normal((96, 512))
    x, w = gv.variable(start, name="x"), gv.variable(start, name="w")
    c = gv.constant(start)
    normed = gv.layer_norm(x, gv.constant(np.ones(512)), gv.constant(np.zeros(512)))
    y = gv.sum(gv.gelu(x * c + w) * normed) + gv.sum(gv.tanh(gv.matmul(x, gv.transpose(w))))
    compiled = compile_gradients(y, [x, w])
    rng = np.random.default_rng(2)
    for _ in range(3):
        given = rng.standard_normal((2, 96, 512))
        turned = np.asfortranarray(given[1])
        found = compiled(given[0], turned)
        a, b = gv.variable(given[0]), gv.variable(given[1])
        normed = gv.layer_norm(a, gv.constant(np.ones(512)), gv.constant(np.zeros(512)))
        wanted = gv.sum(gv.gelu(a * c + b) * normed) + gv.sum(
            gv.tanh(gv.matmul(a, gv.transpose(b)))
        )
        same(found.values[0], wanted.value)
        for slope, expected in zip(found.gradients, gv.gradients(wanted, [a, b]), strict=True):
            assert expected is not None
            same(slope, expected.value)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_large_element_wise_ops_piece_by_piece(dtype: str) -> None:
    """Pieces, the last of them shorter, have the bits of the whole."""
    at = np.random.default_rng(0).standard_normal(3 * PART_BYTES // 8 + 5).astype(dtype)
    x = gv.variable(at, name="x")
    for make in (lambda a: gv.gelu(a, approximate=True), gv.elu, gv.celu, gv.log_sigmoid):
        y = make(x)
        found = compile_gradients(y, [x])(at)
        same(found.values[0], y.value)
        same(found.gradients[0], _first(gv.gradients(y, [x])).value)


def _first(found: Sequence[Expr | None]) -> Expr:
    (first,) = found
    assert first is not None
    return first


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


@given(graphs())
def test_source_gives_the_same_numbers(made: tuple[list[Expr], list[Expr]]) -> None:
    ys, xs = made
    values = [x.value for x in xs]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled_module, "CALLS_BEFORE_SOURCE", 1)
        compiled = compile_gradients(ys, xs)
        compiled(*values)
        compiled(*[v + 1.0 for v in values])
    floats = [
        e
        for e in map(Expr, compiled.collected.calls.values())
        if e.dtype.kind == "f" and not e.spec.weak
    ]
    found = compiled(*values)
    agree = same if all(_is_exact(e) for e in floats) else near
    for expression, slope in zip(floats, gv.gradients(ys, floats), strict=True):
        agree(found[expression], expression.value)
        agree(found.gradient(expression), None if slope is None else slope.value)


def _is_exact(expression: Expr) -> bool:
    assert expression.call.op is not None
    return expression.call.op.name not in ("sin", "tanh", "exp", "sigmoid")


def sourced(ys: Expr | list[Expr], xs: list[Expr]) -> Compiled:
    """Compiled, and called until it runs by source."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch, "LEAST_NODES", 1 << 30)
        compiled = compile_gradients(ys, xs)
    for _ in range(compiled_module.CALLS_BEFORE_SOURCE):
        compiled(*[x.value for x in xs])
    assert compiled._run != compiled._by_list
    return compiled


def test_source_of_the_three_cases() -> None:
    x = gv.variable(2.0, name="x")
    y = x**2 + x - 1
    compiled = sourced(y, [x])
    assert (compiled(2.0).values, compiled(2.0).gradients) == ([5.0], [5.0])
    assert compiled(np.array(3.0)).gradients == [7.0]
    assert compiled(3.0)[x] == 3.0
    matrix = gv.variable(np.ones((3, 3)), name="X")
    s = gv.sum(matrix)
    compiled = sourced(s**2 + s - 1, [matrix])
    for value in (np.arange(9.0).reshape(3, 3), np.full((3, 3), 0.5)):
        found = compiled(value)
        assert found[s] == value.sum()
        (slope,) = found.gradients
        assert slope is not None
        assert slope.tolist() == [[2 * value.sum() + 1] * 3] * 3


@pytest.mark.parametrize(
    ("make", "at"),
    [
        (lambda x: 1.0 / x, 0.0),
        (gv.log, -1.0),
        (gv.sqrt, -1.0),
        (gv.exp, 1000.0),
        (lambda x: x * x, 1e300),
        (lambda x: gv.maximum(x, 0.0) * 2.0, np.nan),
        (lambda x: gv.relu(x) + 1.0 / x, 0.0),
    ],
)
def test_source_hands_over_where_python_and_numpy_part(make: Any, at: float) -> None:
    x = gv.variable(0.5, name="x")
    compiled = sourced(make(x), [x])
    there = gv.variable(at, name="x")
    found = compiled(at)
    same(found.values[0], make(there).value)
    same(found.gradients[0], gv.gradients(make(there), there)[0].value)  # type: ignore[union-attr]
    assert compiled(0.5).values == [make(x).value]


@pytest.mark.parametrize("length", [10, 299, 300, 301, 1000])
def test_long_chains_are_cut_into_functions(length: int) -> None:
    v = x = gv.variable(1.25, name="x")
    for i in range(length):
        v = v * 1.01 if i % 3 == 0 else v + 0.5 if i % 3 == 1 else gv.relu(v)
    compiled = sourced(v, [x])
    agrees(compiled, [v], [x], [x.value])
    agrees(compiled, [v], [x], [x.value])


def test_a_wide_sum_adds_in_the_order_of_the_recorded_run() -> None:
    x = gv.variable(1.25, name="x")
    terms = [x * float(c) for c in np.random.default_rng(0).normal(size=200)]
    compiled = sourced(terms, [x])
    agrees(compiled, terms, [x], [x.value])


@pytest.mark.parametrize("given", [[1.0, 2.0], np.ones((2, 2)), "two", None])
def test_a_wrong_input_is_told(given: Any) -> None:
    x = gv.variable(1.25, name="x")
    for compiled in (compile_gradients(x * x, [x]), sourced(x * x, [x])):
        with pytest.raises(GradvizError):
            compiled(given)
        with pytest.raises(GradvizError, match="takes 1 arrays, not 2"):
            compiled(1.0, 2.0)
        with pytest.raises(GradvizError, match="takes 1 arrays, not 0"):
            compiled()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("other", [0.0, -0.0, 2.5, "array", "row"])
def test_where_on_bits(dtype: str, other: Any) -> None:
    generator = np.random.default_rng(0)
    values = np.asarray(generator.normal(size=(20, 30)), dtype)
    values[0, :6] = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40]
    x = gv.variable(values, "x", dtype)
    y = {
        "array": gv.variable(generator.normal(size=(20, 30)), "y", dtype),
        "row": gv.variable(generator.normal(size=30), "y", dtype),
    }.get(other, other)
    chosen = [
        gv.where(x > 0.0, x, y),
        gv.where(x > 0.0, y, x),
        gv.where(x[0] > 0.0, x, y),
        gv.relu(x) * x,
    ]
    agrees(compile_gradients(chosen, [x]), chosen, [x], [values])
    for made in chosen:
        found = compile_values(made, [x])(values).values[0]
        assert np.array_equal(np.signbit(found), np.signbit(made.value))


def test_sums_have_the_bits_of_the_recorded_run_however_arrays_lie() -> None:
    generator = np.random.default_rng(0)
    x = gv.variable(generator.normal(size=(37, 53)), "x")
    for make in (
        lambda x: gv.sum(gv.tanh(gv.transpose(x))),
        lambda x: gv.sum(gv.transpose(gv.tanh(x)) * 3.0),
        lambda x: gv.sum(gv.exp(gv.transpose(x)), axis=0) * gv.sum(x[::2, ::-1] ** 2),
        lambda x: gv.sum(gv.matmul(gv.transpose(x), gv.tanh(x)) + gv.transpose(x)[:, :1]),
    ):
        agrees(compile_gradients(make(x), [x]), [make(x)], [x], [x.value])


def test_what_cannot_be_compiled_is_told() -> None:
    x = gv.variable([1.0, 2.0], "x")
    with pytest.raises(GradvizError, match="computed from others"):
        gv.compiled(x * 2, [x * 2])
    with pytest.raises(GradvizError, match="Give expressions"):
        gv.compiled(x * 2, [3.0])  # type: ignore[list-item]


def test_what_was_not_kept_is_told() -> None:
    x = gv.variable(np.ones((256, 256)), "x")
    s = gv.tanh(x) * 2.0
    compiled = gv.compiled(gv.sum(gv.exp(s) * 3.0), [x], every=False)
    found = compiled(x.value)
    with pytest.raises(GradvizError, match="was not kept"):
        [found[Expr(call)] for call in compiled.collected.calls.values()]


def test_what_depends_on_no_input_is_computed_once() -> None:
    a, b = gv.constant(np.ones((3, 3)), "a"), gv.constant(np.full((3, 3), 2.0), "b")
    x = gv.variable(np.eye(3), "x")
    still = gv.matmul(a, b)
    y = gv.sum(gv.matmul(still, x) * still)
    compiled = gv.compiled(y, [x])
    agrees(compiled, [y], [x], [x.value])
    same(compiled(x.value)[still], still.value)
    compiled = gv.compiled(y, [x], every=False)
    agrees(compiled, [y], [x], [x.value])
    # y is linear in x: its gradient is a constant too.
    assert sum(f is np.matmul for f, _ in compiled.program.calls) == 1


def test_what_nobody_needs_is_not_computed() -> None:
    """The seed of a gradient has the shape of the target, not its numbers."""
    x = gv.variable(np.eye(3), "x")
    (g,) = gv.gradients(gv.sum(gv.exp(x) @ gv.exp(x)) + 1.0, x)
    assert g is not None
    f = compile_values(g, [x])
    same(f(x.value).values[0], g.value)
    assert all(getattr(function, "__name__", "") != "reduce" for function, _ in f.program.calls)
