"""Frozen values: an edit makes a new one and leaves the old one as it was."""

import dataclasses

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

from gradviz.errors import GraphError
from gradviz.graph.model import (
    Diagram,
    Graph,
    InPort,
    Node,
    OutPort,
    Query,
    free_id,
    free_name,
    freeze,
    frozen_array,
)
from gradviz.graph.names import ID


def graph(*nodes):
    return Graph({node.id: node for node in nodes})


X = Node("x", "variable", name="X")
S = Node("s", "sum", (OutPort("x"),))
Y = Node("y", "add", (OutPort("s"), OutPort("s")), name="y")
LINE = graph(X, S, Y)


def test_nodes_graphs_and_diagrams_are_told_apart_by_identity():
    assert Node("x", "variable", name="X") != X
    assert graph(X) != graph(X)
    assert Diagram() != Diagram()


@pytest.mark.parametrize(("value", "field"), [(X, "name"), (LINE, "nodes"), (Diagram(), "graph")])
def test_nothing_can_be_assigned(value, field):
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, field, None)


def test_changing_a_node_leaves_the_old_one():
    other = Y.with_input(1, None)
    assert (Y.inputs[1], other.inputs) == (OutPort("s"), (OutPort("s"), None))
    axis = S.with_attributes(axis=0).with_attributes(keepdims=True)
    assert (dict(S.attributes), dict(axis.attributes)) == ({}, {"axis": 0, "keepdims": True})
    with pytest.raises(TypeError):
        axis.attributes["axis"] = 1


def test_adding_replacing_and_removing_nodes():
    more = LINE.with_nodes(Node("z", "negative", (OutPort("y"),)), S.with_input(0, None))
    assert list(more.nodes) == ["x", "s", "y", "z"]
    assert more["s"].inputs == (None,)
    assert LINE["s"] is S


def test_removing_a_node_opens_the_inputs_it_fed():
    less = LINE.without(["s"])
    assert list(less.nodes) == ["x", "y"]
    assert less["y"].inputs == (None, None)
    assert less["x"] is X
    assert list(LINE.without(["x", "y"]).nodes) == ["s"]
    assert LINE.without(["nobody"]).nodes == LINE.nodes


def test_consumers_are_listed_by_port_and_by_node():
    split = graph(
        X, Node("a", "add", (OutPort("x", 1), OutPort("x"))), Node("b", "f", (OutPort("x", 1),))
    )
    assert split.consumers[OutPort("x", 1)] == (InPort("a", 0), InPort("b", 0))
    assert set(split.consumers_of("x")) == {InPort("a", 0), InPort("a", 1), InPort("b", 0)}
    assert split.consumers_of("b") == ()


def test_asking_for_a_node_that_is_not_there():
    with pytest.raises(GraphError, match="no node with the id q"):
        LINE["q"]
    with pytest.raises(GraphError, match="no node called q"):
        Diagram(LINE).node_called("q")
    assert "q" not in LINE
    assert "x" in LINE


def test_a_node_is_found_by_name_else_by_id():
    assert Diagram(LINE).node_called("X") is X
    assert Diagram(LINE).node_called("s") is S


def test_the_current_question():
    queries = (Query(of=("y",)), Query(wrt=("x",)))
    assert Diagram(LINE, queries=queries, current=1).query is queries[1]
    assert Diagram(LINE).query == Query()


@pytest.mark.parametrize(
    ("wanted", "taken", "free"),
    [
        ("y", (), "y"),
        ("y", ("y",), "y_2"),
        ("y", ("y", "y_2"), "y_3"),
        ("y_2", ("y_2",), "y_3"),
        ("y_9", ("y_9", "y_10"), "y_11"),
        ("y_", ("y_",), "y__2"),
    ],
)
def test_a_free_name_counts_up(wanted, taken, free):
    assert free_name(wanted, set(taken)) == free


@hypothesis.given(st.text(max_size=100), st.sets(st.text("ab_123", max_size=4)))
def test_a_free_id_is_an_id_that_is_not_taken(wanted, taken):
    id = free_id(wanted, taken)
    assert ID.fullmatch(id)
    assert id not in taken


def test_frozen_data_cannot_be_changed():
    data = freeze({"a": [1, {"b": [2]}]})
    assert data["a"][1]["b"] == (2,)
    with pytest.raises(TypeError):
        data["a"][1]["b"] = 3


def test_a_frozen_array_is_a_read_only_copy():
    source = np.zeros(3)
    array = frozen_array(source)
    source[0] = 1
    assert array[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
