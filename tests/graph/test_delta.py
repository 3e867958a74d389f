"""What an observer of one diagram must redraw to show another."""

from dataclasses import replace

from gradviz.graph.delta import delta
from gradviz.graph.model import Diagram, Graph, Node, OutPort, Place, frozen_array

X = Node("x", "variable")
Y = Node("y", "negative", (OutPort("x"),))
OLD = Diagram(Graph({"x": X, "y": Y}), {"x": frozen_array(1.0)}, places={"x": Place(0, 0)})
NOTHING = (frozenset(),) * 5


def parts(old, new):
    found = delta(old, new)
    return found.added, found.removed, found.changed, found.revalued, found.moved


def test_a_diagram_differs_in_nothing_from_itself():
    assert parts(OLD, OLD) == NOTHING
    assert parts(OLD, replace(OLD, graph=Graph(OLD.graph.nodes))) == NOTHING


def test_added_and_removed_nodes():
    more = replace(OLD, graph=OLD.graph.with_nodes(Node("z", "f")))
    assert parts(OLD, more)[:3] == ({"z"}, frozenset(), frozenset())
    assert parts(more, OLD)[:3] == (frozenset(), {"z"}, frozenset())


def test_a_node_that_lost_its_wire_is_changed():
    less = replace(OLD, graph=OLD.graph.without(["x"]))
    assert parts(OLD, less)[:3] == (frozenset(), {"x"}, {"y"})


def test_an_equal_node_that_is_another_object_is_changed():
    other = replace(OLD, graph=OLD.graph.with_nodes(Node("x", "variable")))
    assert delta(OLD, other).changed == {"x"}


def test_values_are_compared_by_identity():
    assert delta(OLD, replace(OLD, values={"x": OLD.values["x"]})).revalued == set()
    assert delta(OLD, replace(OLD, values={"x": frozen_array(1.0)})).revalued == {"x"}
    assert delta(OLD, replace(OLD, values={})).revalued == {"x"}


def test_places_are_compared_by_value():
    assert delta(OLD, replace(OLD, places={"x": Place(0, 0)})).moved == set()
    assert delta(OLD, replace(OLD, places={"x": Place(0, 1)})).moved == {"x"}
    assert delta(OLD, replace(OLD, places={**OLD.places, "y": Place(5, 5)})).moved == {"y"}
