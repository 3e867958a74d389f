"""Wires by the dozen: cut, moved, healed, joined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gradviz as gv
from gradviz.edit import edits
from gradviz.engine.check import infer
from gradviz.errors import GraphError, ShapeError
from gradviz.graph.model import Diagram, InPort, OutPort, Place
from gradviz.graph.validate import validate
from tests.edit.made import add, inputs, nine_sevens, wired


def test_several_wires_are_cut_at_once():
    diagram = nine_sevens()
    after = edits.cut(diagram, [InPort("square", 0), InPort("add", 1), InPort("y", 0)])
    validate(after)
    assert inputs(after, "square") == [None]
    assert inputs(after, "add")[1] is None
    assert inputs(after, "y") == [None, "c"]
    assert edits.cut(after, [InPort("square", 0)]) is after
    assert edits.cut(after, []) is after


def test_all_inputs_of_a_variadic_node_can_be_cut():
    diagram = wired("concat", [1.0], [2.0], [3.0], [4.0])
    after = edits.cut(diagram, edits.wires_of(diagram.graph, ["n"]))
    validate(after)
    assert inputs(after, "n") == [None, None]


def test_the_wires_of_some_nodes():
    graph = nine_sevens().graph
    assert set(edits.wires_of(graph, ["s"])) == {
        InPort("s", 0),
        *graph.consumers_of("s"),
    }
    assert edits.wires_of(graph, ["B"]) == ()


def test_all_wires_of_a_port_move_to_another():
    diagram = nine_sevens()
    diagram, t = add(diagram, "variable", value=2.0, name="t")
    after = edits.move_wires(diagram, OutPort("s"), OutPort(t))
    validate(after)
    assert inputs(after, "square") == ["t"]
    assert "t" in inputs(after, "add")
    assert after.graph.consumers_of("s") == ()
    assert edits.move_wires(after, OutPort("s"), OutPort("t")) is after


def test_wires_move_all_or_none():
    diagram = wired("matmul", np.ones((3, 4)).tolist(), np.ones((4, 5)).tolist())
    diagram, c = add(diagram, "variable", value=[[1.0] * 7], name="c")
    with pytest.raises(ShapeError, match="inner sizes 4 and 1"):
        edits.move_wires(diagram, OutPort("b"), OutPort(c))
    diagram = nine_sevens()
    with pytest.raises(GraphError, match="would close a cycle"):
        edits.move_wires(diagram, OutPort("s"), OutPort("y"))


def test_a_node_is_pulled_out_and_its_wires_close_behind_it():
    diagram = nine_sevens()
    after = edits.pull_out(diagram, ["square"])
    validate(after)
    assert inputs(after, "square") == [None]
    assert after.graph.consumers_of("square") == ()
    assert inputs(after, "add").count("s") == 2
    assert after.places == diagram.places
    assert edits.pull_out(after, ["square"]) is after
    assert edits.pull_out(after, ["B"]) is after


def test_nodes_pulled_out_together_keep_the_wires_between_them():
    diagram = nine_sevens()
    after = edits.pull_out(diagram, ["square", "add"])
    validate(after)
    assert "square" in inputs(after, "add")
    assert inputs(after, "y") == ["s", "c"]


def test_deleting_heals_where_it_fits_and_says_what_stays_open():
    diagram = nine_sevens()
    after = edits.delete_and_heal(diagram, ["square", "add"])
    validate(after)
    assert inputs(after, "y") == ["s", "c"]
    assert edits.left_open(diagram, after) == ()
    # The sum of a matrix cannot be replaced by the matrix in a product that needs 4 rows.
    diagram = wired("transpose", np.ones((3, 4)).tolist())
    diagram, b = add(diagram, "variable", value=np.ones((3, 2)).tolist(), name="b")
    diagram, m = add(diagram, "matmul")
    diagram = edits.connect(diagram, OutPort("n"), InPort(m, 0))
    diagram = edits.connect(diagram, OutPort(b), InPort(m, 1))
    after = edits.delete_and_heal(diagram, ["n"])
    validate(after)
    assert edits.left_open(diagram, after) == (InPort(m, 0),)
    assert edits.delete_and_heal(after, []) is after


def test_a_source_is_deleted_like_any_other():
    diagram = nine_sevens()
    after = edits.delete_and_heal(diagram, ["X"])
    validate(after)
    assert edits.left_open(diagram, after) == (InPort("s", 0),)


def placed(**places: tuple[float, float]) -> Diagram:
    """Unwired nodes by op; `matmul=(200, 0)` at a place."""
    diagram = Diagram()
    for name, place in places.items():
        op = name.rstrip("0123456789")
        value = np.ones((2, 2)) if op == "variable" else None
        diagram, _ = edits.add_node(diagram, op, Place(*place), value=value, name=name)
    return diagram


def test_joining_wires_from_left_to_right():
    diagram = placed(variable1=(0, 0), variable2=(0, 100), matmul=(200, 50), relu=(400, 50))
    after = edits.join(diagram, list(diagram.graph.nodes))
    validate(after)
    assert inputs(after, "matmul") == ["variable1", "variable2"]
    assert inputs(after, "relu") == ["matmul"]
    with pytest.raises(GraphError, match="open inputs"):
        edits.join(after, ["variable1", "variable2"])


def test_joining_says_why_nothing_fits():
    diagram = placed(matmul=(200, 0))
    diagram, a = edits.add_node(diagram, "variable", Place(0, 0), value=np.ones((2, 3)), name="a")
    diagram, b = edits.add_node(diagram, "variable", Place(100, 0), value=np.ones((2, 2)), name="b")
    diagram = edits.connect(diagram, OutPort(a), InPort("matmul", 0))
    with pytest.raises(ShapeError, match="inner sizes"):
        edits.join(diagram, [b, "matmul"])


@st.composite
def graphs(draw) -> Diagram:
    """Chains and meetings of element-wise ops over numbers and vectors."""
    x = gv.variable(draw(st.sampled_from([1.0, [1.0, 2.0], [1.0, 2.0, 3.0]])), name="x")
    y = gv.variable(draw(st.sampled_from([2.0, [3.0, 4.0]])), name="y")
    made = [x, y]
    for _ in range(draw(st.integers(1, 7))):
        a, b = draw(st.sampled_from(made)), draw(st.sampled_from(made))
        op = draw(st.sampled_from(["exp", "sum", "multiply", "add"]))
        try:
            made.append(
                gv.exp(a)
                if op == "exp"
                else gv.sum(a)
                if op == "sum"
                else a * b
                if op == "multiply"
                else a + b
            )
        except ShapeError:
            continue
    return edits.arrange(gv.diagram(made))


@settings(max_examples=60, deadline=None)
@given(graphs(), st.data())
def test_any_rewiring_leaves_a_sound_graph_with_no_new_problem(diagram, data):
    ids = sorted(diagram.graph.nodes)
    some = data.draw(st.lists(st.sampled_from(ids), unique=True))
    broken = set(infer(diagram.graph).problems)
    for edit in (edits.pull_out, edits.delete_and_heal):
        after = edit(diagram, some)
        validate(after)
        found = infer(after.graph).problems
        assert all(p.kind == "open" for id, p in found.items() if id not in broken)
    ends = edits.wires_of(diagram.graph, ids)
    if ends:
        validate(edits.cut(diagram, data.draw(st.lists(st.sampled_from(ends)))))
