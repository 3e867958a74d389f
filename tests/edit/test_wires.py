"""Connecting: what is refused, and in which words."""

import pytest

from gradviz.edit import edits
from gradviz.engine.check import infer
from gradviz.errors import GraphError, ShapeError
from gradviz.graph.model import Diagram, InPort, OutPort
from gradviz.graph.validate import validate
from tests.edit.made import add, inputs, nine_sevens, wired


def test_a_wire_replaces_the_one_that_ends_there():
    diagram = nine_sevens()
    after = edits.connect(diagram, OutPort("s"), InPort("y", 0))
    validate(after)
    assert inputs(after, "y") == ["s", "c"]
    assert after.graph["add"] is diagram.graph["add"]
    assert edits.connect(after, OutPort("s"), InPort("y", 0)) is after


def test_a_cycle_is_refused_by_its_path():
    diagram = nine_sevens()
    with pytest.raises(GraphError, match="would close a cycle: s → add → y"):
        edits.connect(diagram, OutPort("y"), InPort("s", 0))
    with pytest.raises(GraphError, match="square would be computed from itself"):
        edits.connect(diagram, OutPort("square"), InPort("square", 0))


def test_a_long_cycle_shows_its_ends():
    diagram, first = add(Diagram(), "exp", name="first")
    last = first
    for _ in range(20):
        diagram, id = add(diagram, "exp")
        diagram = edits.connect(diagram, OutPort(last), InPort(id))
        last = id
    said = str(edits.refusal(diagram, OutPort(last), InPort(first)))
    assert said == (
        "This wire would close a cycle: first → exp → exp_2 → … → exp_18 → exp_19 → exp_20."
    )


def test_a_misfit_is_refused_in_shapes_and_words():
    diagram = wired("matmul", [[1.0] * 4] * 3, [[1.0] * 5] * 4)
    diagram, c = add(diagram, "variable", value=[[1.0] * 2] * 3, name="c")
    words = "a is 3×4, b is 3×2: inner sizes 4 and 3 must be equal"
    with pytest.raises(ShapeError, match=words):
        edits.connect(diagram, OutPort(c), InPort("n", 1))
    assert words in str(edits.refusal(diagram, OutPort(c), InPort("n", 1)))


def test_a_first_misfit_is_found_when_the_last_input_is_wired():
    diagram, id = add(wired("sum", [[1.0, 2.0]]), "add")
    diagram, other = add(diagram, "variable", value=[1.0, 2.0, 3.0])
    diagram = edits.connect(diagram, OutPort("a"), InPort(id, 0))
    with pytest.raises(ShapeError, match="1×2"):
        edits.connect(diagram, OutPort(other), InPort(id, 1))


def test_an_old_misfit_keeps_nobody_from_wiring():
    """Changing a shape upstream may break a node; it must still be possible to repair it."""
    diagram = wired("add", [1.0, 2.0], [1.0, 2.0])
    diagram = edits.set_value(diagram, "a", [1.0, 2.0, 3.0])
    assert "n" in infer(diagram.graph).problems
    diagram, three = add(diagram, "variable", value=[4.0, 5.0, 6.0])
    repaired = edits.connect(diagram, OutPort(three), InPort("n", 1))
    assert not infer(repaired.graph).problems


def test_a_misfit_further_on_does_not_refuse_a_wire():
    diagram = wired("sum", [[1.0, 2.0]])
    diagram, total = add(diagram, "matmul")
    diagram = edits.connect(diagram, OutPort("n"), InPort(total, 0))
    assert edits.refusal(diagram, OutPort("a"), InPort(total, 1)) is not None
    assert edits.refusal(diagram, OutPort("a"), InPort("n", 0)) is None


def test_refusing_changes_nothing_and_agrees_with_connecting():
    diagram = nine_sevens()
    specs = infer(diagram.graph)
    for source in diagram.graph.nodes:
        for target in diagram.graph:
            for index in range(len(target.inputs) + 1):
                ends = OutPort(source), InPort(target.id, index)
                said = edits.refusal(diagram, *ends, specs)
                if said is None:
                    validate(edits.connect(diagram, *ends))
                else:
                    with pytest.raises((GraphError, ShapeError)) as caught:
                        edits.connect(diagram, *ends)
                    assert str(caught.value) == str(said)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (OutPort("nobody"), InPort("s")),
        (OutPort("X"), InPort("nobody")),
        (OutPort("X", 1), InPort("s")),
        (OutPort("X"), InPort("s", 1)),
        (OutPort("X"), InPort("s", -1)),
        (OutPort("X"), InPort("B", 0)),
    ],
)
def test_ports_that_do_not_exist_are_refused(source, target):
    with pytest.raises(GraphError):
        edits.connect(nine_sevens(), source, target)


def test_a_wire_to_the_end_of_concat_adds_an_input():
    diagram = wired("concat", [1.0], [2.0])
    after = edits.connect(diagram, OutPort("a"), InPort("n", 2))
    assert inputs(after, "n") == ["a", "b", "a"]
    with pytest.raises(GraphError):
        edits.connect(diagram, OutPort("a"), InPort("n", 3))


def test_open_inputs_at_the_end_of_concat_go():
    diagram = wired("concat", [1.0], [2.0], [3.0], [4.0])
    opened = edits.disconnect(diagram, InPort("n", 1))
    assert inputs(opened, "n") == ["a", None, "c", "d"]
    assert inputs(edits.disconnect(opened, InPort("n", 3)), "n") == ["a", None, "c"]
    assert inputs(edits.delete(diagram, ["b", "c", "d"]), "n") == ["a", None]


def test_a_bias_is_wired_to_the_end_and_goes_again():
    diagram = wired("linear", [[1.0, 2.0]], [[1.0], [2.0]])
    assert inputs(diagram, "n") == ["a", "b"]
    diagram, bias = add(diagram, "variable", value=[3.0], name="bias")
    biased = edits.connect(diagram, OutPort(bias), InPort("n", 2))
    assert inputs(biased, "n") == ["a", "b", bias]
    with pytest.raises(GraphError):
        edits.connect(biased, OutPort(bias), InPort("n", 3))
    assert inputs(edits.disconnect(biased, InPort("n", 2)), "n") == ["a", "b"]
    assert inputs(edits.disconnect(biased, InPort("n", 1)), "n") == ["a", None, bias]


def test_disconnecting_an_open_input_is_no_edit():
    diagram = nine_sevens()
    opened = edits.disconnect(diagram, InPort("add", 0))
    assert inputs(opened, "add") == [None, "s"]
    assert edits.disconnect(opened, InPort("add", 0)) is opened


def test_a_node_goes_into_a_wire_by_the_first_input_that_fits():
    diagram, id = add(nine_sevens(), "exp")
    after = edits.insert_on_wire(diagram, id, InPort("add", 1))
    assert inputs(after, id) == ["s"]
    assert inputs(after, "add") == ["square", id]
    diagram, id = add(nine_sevens(), "matmul")
    with pytest.raises(ShapeError, match="matrices or vectors"):
        edits.insert_on_wire(edits.connect(diagram, OutPort("B"), InPort(id, 1)), id, InPort("y"))


def test_a_node_cannot_go_into_its_own_wire_or_into_none():
    diagram = nine_sevens()
    with pytest.raises(GraphError, match="no open input"):
        edits.insert_on_wire(diagram, "X", InPort("y", 0))
    opened = edits.disconnect(diagram, InPort("y", 0))
    with pytest.raises(GraphError, match="no wire"):
        edits.insert_on_wire(opened, "B", InPort("y", 0))
    diagram, id = add(diagram, "add")
    diagram = edits.connect(diagram, OutPort(id), InPort("y", 0))
    with pytest.raises(GraphError, match="computed from itself"):
        edits.insert_on_wire(diagram, id, InPort("y", 0))
