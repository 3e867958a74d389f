"""Which kind of zero a gradient is, cell by cell, and which node made it so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import gradviz as gv
from gradviz.engine import explain
from gradviz.engine.answer import Answer, answer
from gradviz.engine.diagnose import Kind, Zeros, rounding
from gradviz.graph.model import OutPort, Query
from gradviz.ops import registry
from gradviz.ops.op import FRAMEWORKS, example, op
from gradviz.text import mark
from tests.engine.random_graphs import Recipe, recipes

X = OutPort("x")


def ask(y: Any, *xs: Any) -> Answer:
    return answer(gv.diagram(y, list(xs)))


def var(*values: float, name: str = "x", dtype: object = None) -> Any:
    return gv.variable(list(values), name=name, dtype=dtype)


def zeros(found: Answer, port: OutPort = X) -> Zeros:
    zero = found.zeros(port)
    assert zero is not None
    return zero


def at(zero: Zeros, *cell: int) -> set[tuple[str, str]]:
    return {(one.kind.value, one.node) for one in zero.at(cell)}


@pytest.fixture(autouse=True)
def _steps():
    """An op that is flat everywhere, as floor is."""

    def stairs(x):
        """The whole number below."""
        return np.floor(x)

    made = op(
        sign="t", category=mark("test", "Test"), family="map", summary=mark("test", "A test."), text="f({x})",
        formula="x", code=dict.fromkeys(FRAMEWORKS, "{x}"), aliases={}, spec=lambda x: x, examples=[example([1.5])],
    )(stairs)  # fmt: skip
    made.local(lambda out, x: (0,))
    yield
    registry.unregister("stairs")


WHOLE = {
    "gated by relu": (lambda x: gv.sum(gv.relu(x)), [-1.0, 0.0], "gated", "relu"),
    "gated by where": (lambda x: gv.sum(gv.where(x > 5, x, 1.0)), [1.0, 2.0], "gated", "where"),
    "multiplied by a literal": (lambda x: gv.sum(x * 0.0), [1.0, 2.0], "multiplied", "multiply"),
    "a matrix of zeros": (lambda x: gv.sum(x @ np.zeros((2, 3))), [1.0, 2.0], "multiplied", "matmul"),
    "a slope of 0": (lambda x: gv.sum(x**2), [0.0, 0.0], "multiplied", "square"),
    "x − x": (lambda x: gv.sum(x - x), [1.0, 2.0], "cancelled", "x"),
    "a softmax that is added up": (lambda x: gv.sum(gv.softmax(x)), [0.0, 0.0], "cancelled", "softmax"),
    "a row and its negative": (
        lambda x: gv.sum(gv.reshape(x, (2, 1)) * np.array([[1.0, -1.0]])), [1.0, 2.0], "cancelled", "multiply",
    ),
    "flat": (lambda x: gv.sum(gv.apply("stairs", x)), [1.5, 2.0], "flat", "stairs"),
    "a softmax of one": (lambda x: gv.sum(gv.softmax(gv.reshape(x, (2, 1)))), [1.5, 2.0], "flat", "softmax"),
    "saturated sigmoid": (lambda x: gv.sum(gv.sigmoid(x)), [800.0, -800.0], "saturated", "sigmoid"),
    "saturated tanh": (lambda x: gv.sum(gv.tanh(x)), [30.0, -30.0], "saturated", "tanh"),
    "saturated softmax": (lambda x: gv.sum(gv.softmax(x) * [1.0, 2.0]), [900.0, 0.0], "saturated", "softmax"),
    "not the largest": (lambda x: gv.max(gv.concat(x, np.array([9.0]))) * 2, [1.0, 2.0], "not-selected", "max"),
    "not the larger": (lambda x: gv.sum(gv.maximum(x, 9.0)), [1.0, 2.0], "not-selected", "maximum"),
    "too small": (lambda x: gv.sum(x * 1e-200) * 1e-200, [1.0, 2.0], "underflow", "multiply"),
}  # fmt: skip


@pytest.mark.parametrize(("make", "values", "kind", "node"), WHOLE.values(), ids=WHOLE)
def test_a_gradient_that_is_zero_everywhere(make: Any, values: Any, kind: str, node: str) -> None:
    x = var(*values)
    found = ask(make(x), x)
    zero = zeros(found)
    assert zero.whole
    assert {(part.zero.kind.value, part.zero.node) for part in zero.parts} == {(kind, node)}
    assert zero.parts[0].count == 2
    (note,) = (n for n in explain.notes(found) if n.about == "zero")
    assert str(note.text).startswith("∂y/∂x is 0 in every cell: ")
    assert note.nodes[0] == "x"


def test_mixed_arrays_are_told_cell_by_cell() -> None:
    x = gv.variable([[-1.0, 2.0, 0.0], [3.0, 4.0, 5.0]], name="x")
    w = gv.constant([[1.0, 0.0, 0.0], [1.0, 1.0, 2.0]], name="w")
    zero = zeros(ask(gv.sum(gv.relu(x) * w), x))
    assert (zero.count, zero.size, zero.whole) == (3, 6, False)
    assert at(zero, 0, 0) == {("gated", "relu")}
    assert at(zero, 0, 1) == {("multiplied", "multiply")}
    assert at(zero, 0, 2) == {("gated", "relu")}
    assert at(zero, 1, 1) == set()
    assert [(p.zero.kind.value, p.count, p.first) for p in zero.parts] == [
        ("gated", 2, (0, 0)),
        ("multiplied", 1, (0, 1)),
    ]
    assert str(explain.zeros(ask(gv.sum(gv.relu(x) * w), x), zero)) == (
        "∂y/∂x is 0 in 3 of 6 cells: 2 because relu lets nothing through there; "
        "1 because multiply multiplies it by w, which gives 0 there."
    )


def test_every_road_is_named() -> None:
    x = var(-1.0, 2.0)
    zero = zeros(ask(gv.sum(gv.relu(x)) + gv.sum(gv.where(x > 9, x, 0.0)), x))
    assert at(zero, 0) == {("gated", "relu"), ("gated", "where")}
    assert at(zero, 1) == set()


def test_a_zero_is_followed_to_where_it_was_made() -> None:
    x = var(1.0, 2.0, 3.0)
    y = gv.exp(gv.sin(x)) * 2 + 1
    picked = y[np.array([2, 2])]
    zero = zeros(ask(gv.sum(picked), x))
    assert [at(zero, i) for i in range(3)] == [{("not-selected", "getitem")}] * 2 + [set()]
    mixed = gv.variable([[1.0, 2.0], [3.0, 4.0]], name="M") @ (x[:2] * 1)
    zero = zeros(ask(gv.sum(gv.relu(mixed) * [0.0, 1.0]), x), OutPort("M"))
    assert at(zero, 0, 0) == at(zero, 0, 1) == {("multiplied", "multiply_2")}
    assert at(zero, 1, 0) == set()


def test_rows_and_columns_that_meet_in_a_product() -> None:
    a = gv.variable(np.ones((2, 2)), name="a")
    b = gv.constant([[0.0, 0.0], [1.0, -1.0]], name="b")
    zero = zeros(ask(gv.sum(a @ b), a), OutPort("a"))
    assert at(zero, 0, 0) == at(zero, 1, 0) == {("multiplied", "matmul")}
    assert at(zero, 0, 1) == at(zero, 1, 1) == {("cancelled", "matmul")}


def test_a_seed_of_zero() -> None:
    from dataclasses import replace

    x = var(1.0, 2.0)
    diagram = replace(
        gv.diagram(x * 2), queries=(Query(of=("y",), wrt=("x",), seed=((0.0, 3.0),)),)
    )
    zero = zeros(answer(diagram))
    assert (at(zero, 0), at(zero, 1)) == ({("seed", "y")}, set())


def test_without_zeros_and_without_a_gradient() -> None:
    x, w = var(1.0, 2.0), var(1.0, name="w")
    found = ask(gv.sum(x), x, w)
    assert (zeros(found).count, zeros(found).parts) == (0, ())
    assert found.zeros(OutPort("w")) is None
    assert not any(n.about == "zero" for n in explain.notes(found))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_saturated_names_the_dtype(dtype: str) -> None:
    x = gv.variable(30.0, name="x", dtype=dtype)
    found = ask(gv.tanh(x), x)
    assert (
        str(explain.zeros(found, zeros(found)))
        == f"∂y/∂x is 0: y is so flat there that its slope is 0 in {dtype}."
    )


def test_every_kind_has_its_words() -> None:
    assert {kind for _, _, kind, _ in WHOLE.values()} | {"seed"} == set(Kind)
    assert all(str(explain.zero_title(kind)) for kind in Kind)


def test_a_long_chain_is_followed_in_a_loop() -> None:
    x = var(1.0, 2.0)
    y = x
    for _ in range(3000):
        y = y + 1.0
    zero = zeros(ask(gv.sum(gv.relu(y) * [0.0, 1.0]), x))
    assert (at(zero, 0), at(zero, 1)) == ({("multiplied", "multiply")}, set())


NEARLY = {
    "a softmax that is added up": (lambda x: gv.sum(gv.softmax(x)), {"softmax"}),
    "behind other nodes": (lambda x: gv.sum(gv.softmax(gv.sin(x) * 1.7 + 1)) * 5, {"softmax"}),
    "two of them": (lambda x: gv.sum(gv.softmax(x)) + gv.sum(gv.softmax(x * 2)), {"softmax", "softmax_2"}),
    "roads that cancel": (lambda x: gv.sum(x * 0.1 + x * 0.2 - x * 0.3), {"x"}),
}  # fmt: skip


@pytest.mark.parametrize(("make", "nodes"), NEARLY.values(), ids=NEARLY)
def test_what_cancels_up_to_rounding_is_told(make: Any, nodes: set[str]) -> None:
    x = var(0.3, 1.2, 2.0, 0.1, 0.7)
    found = ask(make(x), x)
    slope = found.adjoint(X)
    assert slope is not None
    (note,) = (n for n in explain.notes(found) if n.about == "zero")
    if slope.any():
        assert {one.node for one in rounding(found, X)} == nodes
        assert str(note.text).startswith("∂y/∂x is 0 up to rounding (at most ")
    else:
        # Another machine's exp may round the other way, to exactly 0.
        assert {part.zero.node for part in zeros(found).parts} == nodes


@pytest.mark.parametrize("make", [
    lambda x: gv.sum(x) * 1e-12, lambda x: gv.sum(gv.softmax(x) * [1.0, 2.0, 3.0, 4.0, 5.0]) * 1e-12,
    lambda x: gv.sum(gv.sigmoid(x - 40)), lambda x: gv.sum(gv.softmax(x)) + gv.sum(x) * 1e-12,
    lambda x: gv.sum(gv.softmax(x) ** 2),
])  # fmt: skip
def test_what_is_only_small_is_not(make: Any) -> None:
    x = var(0.3, 1.2, 2.0, 0.1, 0.7)
    found = ask(make(x), x)
    assert rounding(found, X) == ()
    assert not any(n.about == "zero" for n in explain.notes(found))


SLOPES: dict[str, Any] = {
    "add": lambda a, b: (1, 1),
    "subtract": lambda a, b: (1, -1),
    "multiply": lambda a, b: (b, a),
    "divide": lambda a, b: (1 / b, -a / b / b),
    "maximum": lambda a, b: (float(a > b) + 0.5 * (a == b), float(b > a) + 0.5 * (a == b)),
    "where": lambda c, a, b: (0, float(bool(c)), float(not c)),
    "negative": lambda a: (-1,),
    "square": lambda a: (2 * a,),
    "sqrt": lambda a: (0.5 / np.sqrt(a),),
    "exp": lambda a: (np.exp(a),),
    "log": lambda a: (1 / a,),
    "relu": lambda a: (float(a > 0),),
    "tanh": lambda a: (1 - np.tanh(a) ** 2,),
    "sigmoid": lambda a: (1 / (1 + np.exp(-a)) / (1 + np.exp(a)),),
    "sum": lambda a: (1,),
}
KINDS = {
    "where": {"gated"}, "relu": {"gated"}, "maximum": {"not-selected"}, "multiply": {"multiplied"},
}  # fmt: skip


def expected(found: Answer, port: OutPort, cell: int) -> set[tuple[str, str]]:
    """The reasons of one zero cell, from the derivatives written down above; ops work cell by cell."""
    roads = found.gradient.arrived[port]
    values = [_cell(found.run[road.result], cell) for road in roads]
    if any(values):
        return {("cancelled", port.node)}
    reasons = set()
    for road in roads:
        if road.wire is None:
            reasons.add(("seed", port.node))
            continue
        node = found.graph[road.wire.node]
        inputs = [_cell(found.value(p), cell) for p in node.inputs if p is not None]
        if np.isnan(inputs).any():
            raise LookupError  # which of two a NaN takes the place of is the rule's business too
        with np.errstate(all="ignore"):
            slope = np.float64(SLOPES[node.op](*map(np.float64, inputs))[road.wire.index])
        if not np.isfinite(slope) or (node.op in ("tanh", "sigmoid") and abs(inputs[0]) > 15):
            raise LookupError  # how flat they are to the last bit is their rule's business
        if slope == 0:
            reasons |= {(kind, node.id) for kind in KINDS.get(node.op, {"slope"})}
        elif _cell(found.adjoint(OutPort(node.id)), cell) == 0:
            reasons |= expected(found, OutPort(node.id), cell)
        else:
            reasons.add(("underflow", node.id))
    return reasons


def _cell(array: Any, cell: int) -> float:
    return float(array if array.ndim == 0 else array[cell])


@settings(max_examples=200, deadline=None)
@given(recipes())
def test_the_reasons_are_those_of_the_derivatives(recipe: Recipe) -> None:
    found = recipe.answer()
    skipped = {"softmax", "power", "stop_gradient"}
    if any(node.op in skipped for node in found.graph):
        return
    for port in found.question.wrt:
        slope = found.adjoint(port)
        if slope is None:
            continue
        zero = zeros(found, port)
        assert zero.count == np.count_nonzero(slope == 0)
        for cell in range(3):
            if slope[cell] != 0:
                assert at(zero, cell) == set()
                continue
            try:
                wanted = expected(found, port, cell)
            except LookupError:
                continue
            given = {
                (
                    kind
                    if kind not in ("multiplied", "saturated", "flat") or _is_named(found, node)
                    else "slope",
                    node,
                )
                for kind, node in at(zero, cell)
            }
            assert given == wanted


def _is_named(found: Answer, node: str) -> bool:
    return found.graph[node].op in KINDS


@settings(max_examples=100, deadline=None)
@given(recipes())
def test_every_zero_of_a_finite_pass_has_a_reason(recipe: Recipe) -> None:
    found = recipe.answer()
    arrays = [found.run[port] for port in map(OutPort, found.run.records)]
    if not all(a is None or a.dtype.kind != "f" or np.isfinite(a).all() for a in arrays):
        return
    for port in found.question.wrt:
        slope = found.adjoint(port)
        if slope is not None:
            zero = zeros(found, port)
            assert ((zero.codes > 0) == (slope == 0)).all()
            assert str(explain.zeros(found, zero))
