"""Any number answers: its terms add up to it, and what contributes is what moves it, for every op."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradviz as gv
from gradviz.engine import explain
from gradviz.engine.answer import Answer, answer
from gradviz.engine.derive import Cell, Derivation, Kind, alone, derive, number_of, slot_of
from gradviz.graph.model import Array, Diagram, InPort, Node, OutPort
from gradviz.ops import registry
from gradviz.ops.op import Example, Op
from gradviz.text import same
from tests.support.symbols import operand, weights

CELLS = 4
CASES = [
    pytest.param(op, shown, id=f"{op.name}-{number}")
    for op in registry.every()
    for number, shown in enumerate(op.examples)
    if not op.is_source
]


def asked(op: Op, shown: Example, dtype: Any = np.float64) -> tuple[Answer, Node]:
    """The op on its example, below a sum with weights that hides nothing."""
    names = op.port_names(len(shown.inputs))
    inputs = []
    for name, given_ in zip(names, shown.inputs, strict=True):
        array = np.asarray(given_)
        inputs.append(operand(array.astype(dtype) if array.dtype.kind == "f" else array, name))
    found = op(*inputs, **shown.attributes)
    outputs = found if isinstance(found, tuple) else (found,)
    total: Any = None
    for number, out in enumerate(o for o in outputs if o.dtype.kind == "f"):
        part = gv.sum(out * gv.constant(weights(out.shape, number).astype(out.dtype)))
        total = part if total is None else total + part
    diagram = gv.diagram(total if total is not None else outputs[0], inputs)
    found_answer = answer(diagram)
    return found_answer, next(node for node in diagram.graph if node.op == op.name)


def cells_of(found: Answer, node: Node) -> Iterator[Cell]:
    """The first cells of the op's outputs, and of what each input gets back."""
    record = found.run.records[node.id]
    for output, array in enumerate(record.outputs):
        for index in list(np.ndindex(array.shape))[:CELLS]:
            yield Cell(OutPort(node.id, output), "value", index)
    for number in range(len(node.inputs)):
        slot = slot_of(found, InPort(node.id, number))
        if slot is not None:
            shape = cast(Array, number_of(found, Cell(slot[0], "slot", (), slot[1]))).shape
            for index in list(np.ndindex(shape))[:CELLS]:
                yield Cell(slot[0], "slot", index, slot[1])


def adds_up(found: Derivation) -> None:
    """What is shown is the cell: the terms and the rest as one number."""
    if found.added is None:
        return
    shown = [term.product for term in found.terms]
    total = sum(shown) + (found.rest or 0.0)
    sizes = sum(map(abs, shown)) + abs(found.rest or 0.0)
    assert abs(total - found.added) <= 1e-12 * max(sizes, abs(found.added)) + 1e-300
    for term in found.terms:
        assert term.product == term.amount * term.slope
        assert term.slope != 0


@pytest.mark.parametrize(("op", "shown"), CASES)
def test_the_terms_of_every_op_add_up_to_the_cell(op: Op, shown: Example) -> None:
    found, node = asked(op, shown)
    for cell in cells_of(found, node):
        derived = derive(found, cell)
        assert derived is not None
        assert derived.total == cast(Array, number_of(found, cell))[cell.index] or np.isnan(
            derived.total
        )
        adds_up(derived)
        if not op.helper:
            # Rules of rules may cancel; what a person can place may not.
            assert derived.exact, (cell, derived.added, derived.total)
        words = explain.cell_words(found, derived)
        assert words.text(same).startswith(f"{words.title} = ")
        assert words.markdown(same)


@pytest.mark.parametrize(("op", "shown"), CASES)
def test_in_float32_the_terms_are_worked_out_in_float64(op: Op, shown: Example) -> None:
    if op.helper:
        return
    found, node = asked(op, shown, np.float32)
    for cell in cells_of(found, node):
        derived = derive(found, cell)
        assert derived is not None
        adds_up(derived)
        if derived.added is not None and not derived.exact:
            # Steps that round each in float32 may lose more than one sum does; then it is said.
            array = cast(Array, number_of(found, cell))
            largest = float(np.max(np.abs(array)))
            assert abs(derived.added - float(derived.total)) <= 1e-4 * largest
            notes = [str(note) for note in explain.cell_words(found, derived).notes]
            assert any("steps that each round" in note for note in notes)


SOME = [
    "matmul",
    "multiply",
    "sum",
    "mean",
    "softmax",
    "layer_norm",
    "conv2d",
    "max",
    "sort",
    "where",
    "relu",
    "prod",
    "inv",
    "cumsum",
    "getitem",
    "einsum",
]


@pytest.mark.parametrize("name", SOME)
def test_what_contributes_is_what_moves_the_cell(name: str) -> None:
    op = registry.get(name)
    found, node = asked(op, op.examples[0])
    for cell in cells_of(found, node):
        if cell.band != "value":
            continue
        derived = derive(found, cell)
        assert derived is not None
        read = {(r.port, int(flat)) for r in derived.reads for flat in r.flat}
        for port in dict.fromkeys(node.inputs):
            assert port is not None
            array = cast(Array, found.value(port))
            if array.dtype.kind != "f":
                continue
            for flat in range(array.size):
                moved = array.copy()
                moved.ravel()[flat] += 1e-6
                again = answer(_with_value(found.diagram, port.node, moved), found)
                change = cast(Array, again.value(cell.port))[cell.index] != derived.total
                assert ((port, flat) in read) == bool(change), (cell, port, flat)


def _with_value(diagram: Diagram, id: str, value: Array) -> Diagram:
    from dataclasses import replace

    value.flags.writeable = False
    return replace(diagram, values={**diagram.values, id: value})


sizes = st.integers(1, 4)


@settings(max_examples=25, deadline=None)
@given(n=sizes, m=sizes, k=sizes, seed=st.integers(0, 10**6))
def test_random_shapes_add_up_in_a_network(n: int, m: int, k: int, seed: int) -> None:
    random = np.random.RandomState(seed)
    x = gv.variable(random.randn(n, m), name="x")
    W = gv.variable(random.randn(m, k), name="W")
    b = gv.variable(random.randn(k), name="b")
    h = gv.tanh(x @ W + b)
    y = gv.sum(gv.softmax(h) * h) + gv.mean(gv.relu(h) ** 2) + gv.max(h)
    found = answer(gv.diagram(y))
    for node in found.graph:
        port = OutPort(node.id)
        for band in ("value", "gradient"):
            array = number_of(found, Cell(port, band, ()))
            if array is None:
                continue
            index = tuple(int(random.randint(length)) for length in array.shape)
            derived = derive(found, Cell(port, band, index))
            assert derived is not None
            adds_up(derived)
            assert derived.exact


def network() -> Answer:
    x = gv.variable([[1.0, 2.0], [-1.0, 0.5]], name="x")
    W = gv.variable([[0.5, -0.25], [0.25, 0.75]], name="W")
    h = x @ W
    h.name = "h"
    return answer(gv.diagram(gv.sum(h * h)))


def words(found: Answer, name: str, band: str, *index: int) -> explain.CellWords:
    port = OutPort(found.diagram.node_called(name).id)
    derived = derive(found, Cell(port, band, index))
    assert derived is not None
    return explain.cell_words(found, derived)


def test_the_transpose_before_it_is_written() -> None:
    found = network()
    said = words(found, "W", "gradient", 0, 1)
    assert said.names == "∂y/∂W[0, 1] = ∂y/∂h[0, 1]·x[0, 0] + ∂y/∂h[1, 1]·x[1, 0]"
    assert said.numbers == "2.5·1 + 1.25·(−1) = 1.25"
    derived = derive(found, Cell(OutPort(found.diagram.node_called("W").id), "gradient", (0, 1)))
    assert derived is not None
    read = {(found.graph[r.port.node].name, r.band): r.flat.tolist() for r in derived.reads}
    # A column of the gradient, and a column of x.
    assert read == {("h", "gradient"): [1, 3], ("x", "value"): [0, 2]}


def test_a_sum_of_roads_and_a_square() -> None:
    s = gv.variable(3.0, name="s")
    found = answer(gv.diagram(s**2 + s))
    said = words(found, "s", "gradient")
    assert said.numbers in {"6 + 1 = 7", "1 + 6 = 7"}
    port = OutPort(found.diagram.node_called("s").id)
    slots = [derive(found, Cell(port, "slot", (), number)) for number in (0, 1)]
    names = {explain.cell_words(found, slot).names for slot in slots if slot is not None}
    assert "∂y/∂s = ∂y/∂square·2·s" in names


def test_zero_times_infinity_names_the_term() -> None:
    x = gv.variable([4.0, 1.0, 0.0], name="x")
    found = answer(gv.diagram(gv.sum(gv.where(x > 0, gv.sqrt(x), 0.0))))
    port = OutPort(found.diagram.node_called("x").id)
    for number, contribution in enumerate(found.gradient.arrived[port]):
        assert contribution.wire is not None
        derived = derive(found, Cell(port, "slot", (2,), number))
        assert derived is not None
        assert not derived.finite
        assert [(t.amount, t.slope) for t in derived.terms] == [(0.0, np.inf)]
        fine = derive(found, Cell(port, "slot", (0,), number))
        assert fine is not None
        assert fine.finite
        assert len(fine.terms) == 1


def test_long_sums_are_shortened_and_can_be_opened() -> None:
    x = gv.variable(np.arange(1.0, 101.0), name="x")
    y = gv.sum(x)
    y.name = "y"
    found = answer(gv.diagram(y))
    cell = Cell(OutPort(found.diagram.node_called("y").id), "value", ())
    short = derive(found, cell)
    assert short is not None
    assert [t.product for t in short.terms] == [100.0, 99.0, 98.0, 97.0, 96.0, 95.0, 94.0, 93.0]
    assert (short.count, short.rest) == (100, 5050.0 - 772.0)
    assert str(explain.cell_words(found, short).left_out).startswith("and 92 smaller terms")
    opened = derive(found, cell, 200)
    assert opened is not None
    assert len(opened.terms) == 100
    assert opened.rest is None


def test_a_solution_is_computed_as_one_and_checked() -> None:
    A = gv.variable([[2.0, 1.0], [1.0, 3.0]], name="A")
    b = gv.variable([1.0, 2.0], name="b")
    z = gv.solve(A, b)
    z.name = "z"
    found = answer(gv.diagram(gv.sum(z)))
    port = OutPort(found.diagram.node_called("z").id)
    derived = derive(found, Cell(port, "value", (0,)))
    assert derived is not None
    assert derived.kind is Kind.TOGETHER
    assert derived.check is not None
    assert derived.check.residual < 1e-12
    assert "A @ z = b" in explain.cell_words(found, derived).text(same)


@pytest.mark.parametrize(
    "name",
    [
        "softmax",
        "log_softmax",
        "logsumexp",
        "var",
        "std",
        "layer_norm",
        "rms_norm",
        "batch_norm",
        "group_norm",
    ],
)
def test_the_named_steps_end_at_the_cell(name: str) -> None:
    op = registry.get(name)
    for shown in op.examples:
        found, node = asked(op, shown)
        for cell in cells_of(found, node):
            derived = derive(found, cell) if cell.band == "value" else None
            if derived is not None:
                assert derived.parts
                assert derived.parts[-1][2] == pytest.approx(
                    float(derived.total), rel=1e-9, abs=1e-12
                )


def test_an_op_alone_has_the_jacobian_of_the_api() -> None:
    x = gv.variable([0.3, -1.0, 2.0], name="x")
    p = gv.softmax(x)
    p.name = "p"
    found = answer(gv.diagram(gv.sum(p)))
    id = found.diagram.node_called("p").id
    apart = alone(found, id)
    assert apart is not None
    rows = [apart.row(0, (i,))[0] for i in range(3)]
    expected = np.diag(p.value) - np.outer(p.value, p.value)
    assert np.allclose(np.array(rows), expected, rtol=0, atol=1e-15)
