"""The one validator: what each rule refuses, and that it says where."""

from types import MappingProxyType

import numpy as np
import pytest

from gradviz.errors import GradvizError, GraphError, LimitError
from gradviz.graph.model import Diagram, Graph, Node, OutPort, Place, Query, frozen_array
from gradviz.graph.validate import DiagramError, check_node, check_value, validate, validate_graph
from gradviz.limits import VALUES_BYTES

X = Node("x", "variable", (), {"dtype": "float64", "shape": (2,)}, "X")
Y = Node("y", "sum", (OutPort("x"),), name="y")
GRAPH = Graph({"x": X, "y": Y})


def with_nodes(*nodes):
    return Diagram(GRAPH.with_nodes(*nodes))


def with_value(value, **attributes):
    node = Node("x", "variable", (), {"dtype": "float64", "shape": (2,), **attributes}, "X")
    return Diagram(Graph({"x": node}), {"x": value})


class Odd:
    """No plain data."""


def endless():
    found = []
    found.extend([found, found])
    return found


def nested(depth):
    data = 1
    for _ in range(depth):
        data = (data,)
    return data


BAD = {
    "id": (with_nodes(Node("a b", "f")), ("graph", "nodes", "a b", "id"), "cannot be an id"),
    "id of a derived graph": (
        with_nodes(Node("a/b'", "f")),
        ("graph", "nodes", "a/b'", "id"),
        "an id",
    ),
    "misfiled": (Diagram(Graph({"z": X})), ("graph", "nodes", "z"), 'node "x" is filed under "z"'),
    "op": (
        with_nodes(Node("z", "")),
        ("graph", "nodes", "z", "op"),
        "cannot be an op: it is empty",
    ),
    "name": (with_nodes(Node("z", "f", name="a\u200b")), ("graph", "nodes", "z", "name"), "a name"),
    "name twice": (
        with_nodes(Node("z", "f", name="y")),
        ("graph", "nodes", "z", "name"),
        "Two nodes",
    ),
    "dangling": (
        with_nodes(Node("z", "f", (None, OutPort("q")))),
        ("graph", "nodes", "z", "inputs", 1),
        'Input 2 of "z" comes from "q": there is no such node',
    ),
    "output": (
        with_nodes(Node("z", "f", (OutPort("x", -1),))),
        ("graph", "nodes", "z", "inputs", 0),
        'output -1 of "X"',
    ),
    "object": (
        with_nodes(Node("z", "f", attributes={"a": [1, {"b": Odd()}]})),
        ("graph", "nodes", "z", "attributes", "a", 1, "b"),
        "Odd is not plain data",
    ),
    "array": (
        with_nodes(Node("z", "f", attributes={"a": np.zeros(2)})),
        ("graph", "nodes", "z", "attributes", "a"),
        "ndarray is not plain data",
    ),
    "infinity": (
        with_nodes(Node("z", "f", attributes={"a": float("inf")})),
        ("graph", "nodes", "z", "attributes", "a"),
        "inf cannot stand here",
    ),
    "65 bits": (
        with_nodes(Node("z", "f", attributes={"a": 2**63})),
        ("graph", "nodes", "z", "attributes", "a"),
        "more than 64 bits",
    ),
    "number as key": (
        with_nodes(Node("z", "f", attributes={"a": {1: 2}})),
        ("graph", "nodes", "z", "attributes", "a"),
        "a key is not a text",
    ),
    "surrogate": (
        with_nodes(Node("z", "f", attributes={"a": "\ud800"})),
        ("graph", "nodes", "z", "attributes", "a"),
        "U+D800, which cannot be stored",
    ),
    "deep": (
        with_nodes(Node("z", "f", attributes={"a": nested(10**5)})),
        None,
        "nested more than 48 levels",
    ),
    "endless": (with_nodes(Node("z", "f", attributes={"a": endless()})), None, "nested more than"),
    "rank": (
        with_nodes(Node("z", "f", attributes={"shape": (1,) * 9})),
        ("graph", "nodes", "z", "attributes", "shape"),
        "9 axes cannot be shown",
    ),
    "huge": (
        with_nodes(Node("z", "f", attributes={"shape": (2**32, 2**32)})),
        ("graph", "nodes", "z", "attributes", "shape"),
        "too large: 10,000,000 numbers",
    ),
    "value of nobody": (Diagram(GRAPH, {"q": frozen_array(1.0)}), ("values", "q"), "no node"),
    "value of a sum": (
        Diagram(GRAPH, {"y": frozen_array(1.0)}),
        ("values", "y"),
        "from its inputs",
    ),
    "shape": (with_value(frozen_array([1.0])), ("values", "x"), '"X" is a list of 1, but the node'),
    "dtype": (with_value(frozen_array([1, 2])), ("values", "x"), "is int64, but the node declares"),
    "list": (with_value([1.0, 2.0]), ("values", "x"), "is list, but the node declares float64"),
    "objects": (
        with_value(np.array([None, 1]), dtype="object"),
        ("graph", "nodes", "x", "attributes", "dtype"),
        "must be one of float64, float32, int64, bool, weak",
    ),
    "undeclared": (
        Diagram(Graph({"x": Node("x", "f")}), {"x": frozen_array(1.0)}),
        ("graph", "nodes", "x", "attributes", "dtype"),
        "so its dtype must be",
    ),
    "shape declared as text": (
        with_value(frozen_array([1.0]), shape="1"),
        ("graph", "nodes", "x", "attributes", "shape"),
        "a list of sizes",
    ),
    "weak array": (
        with_value(frozen_array([1.0, 2.0]), dtype="weak"),
        ("graph", "nodes", "x", "attributes", "shape"),
        "is weak, so it holds one number",
    ),
    "current": (Diagram(GRAPH, current=1), ("queries",), "number 2, but there are 0"),
    "target": (Diagram(GRAPH, queries=(Query(of=("q",)),)), ("queries", 0, "of", 0), "no node"),
    "unconnected": (
        Diagram(GRAPH, queries=(Query(unconnected="0"),)),
        ("queries", 0, "unconnected"),
        '"none" or "zero"',
    ),
    "seeds": (
        Diagram(GRAPH, queries=(Query(of=("y",), seed=(1.0, 2.0)),)),
        ("queries", 0, "seed"),
        "2 seeds for 1 targets",
    ),
    "seed": (
        Diagram(GRAPH, queries=(Query(seed=((1.0, None),)),)),
        ("queries", 0, "seed", 0, 1),
        "A seed is a number",
    ),
    "deep seed": (Diagram(GRAPH, queries=(Query(seed=(nested(9),)),)), None, "A seed is a number"),
    "place of nobody": (Diagram(GRAPH, places={"q": Place(0, 0)}), ("places", "q"), "no node"),
    "NaN place": (
        Diagram(GRAPH, places={"x": Place(0, float("nan"))}),
        ("places", "x"),
        "±1,000,000",
    ),
    "far place": (Diagram(GRAPH, places={"x": Place(-1e308, 0)}), ("places", "x"), '"X" lies off'),
    "note": (Diagram(GRAPH, notes=({"text": "x" * 4097},)), ("notes", 0, "text"), "at most 4096"),
    "group": (
        Diagram(GRAPH, groups=({"members": ("q",)},)),
        ("groups", 0, "members", 0),
        "no node",
    ),
    "odd member": (
        Diagram(GRAPH, groups=({"members": ([],)},)),
        ("groups", 0, "members", 0),
        "no node",
    ),
    "group id": (Diagram(GRAPH, groups=({"id": 1},)), ("groups", 0, "id"), "cannot be an id"),
    "breakpoint": (
        Diagram(GRAPH, breakpoints=({"node": "q"},)),
        ("breakpoints", 0, "node"),
        "no node",
    ),
    "range": (Diagram(GRAPH, ranges={"q": 1}), ("ranges", "q"), "no node"),
    "source": (
        Diagram(GRAPH, sources=({"text": "x" * 200_001},)),
        ("sources", 0, "text"),
        "200000",
    ),
}


@pytest.mark.parametrize(("diagram", "place", "words"), BAD.values(), ids=BAD)
def test_a_broken_rule_is_told_with_its_place(diagram, place, words):
    with pytest.raises(DiagramError) as caught:
        validate(diagram)
    assert place is None or caught.value.place == place
    assert words in str(caught.value)
    assert len(str(caught.value)) < 300
    assert str(caught.value).isprintable()


GOOD = {
    "empty": Diagram(),
    "plain": Diagram(GRAPH, {"x": frozen_array([1.0, 2.0])}, places={"y": Place(1e6, -1e6)}),
    "weak": Diagram(
        Graph({"c": Node("c", "constant", (), {"dtype": "weak", "shape": ()})}),
        {"c": frozen_array(2.0)},
    ),
    "unknown op": with_nodes(
        Node("z", "conv9", (None, OutPort("y", 3)), MappingProxyType({"k": (1, ("a",))}))
    ),
    "shape of another op": with_nodes(Node("z", "reshape", (OutPort("x"),), {"shape": (-1, 2)})),
    "shape by an unknown op": with_nodes(Node("z", "conv9", attributes={"shape": "round"})),
    "unnamed": with_nodes(Node("z", "f"), Node("w", "f")),
    "numbers that are not finite": with_value(frozen_array([np.nan, np.inf])),
    "seed": Diagram(GRAPH, queries=(Query(of=("y",), seed=(None,)), Query(seed=(((1, 2.0),),)))),
    "groups in groups": Diagram(
        GRAPH, groups=({"id": "g", "members": ("x",)}, {"members": ("g", "y")})
    ),
    "wire order": Diagram(Graph({"y": Y, "x": X})),
}


@pytest.mark.parametrize("diagram", GOOD.values(), ids=GOOD)
def test_a_good_diagram_passes(diagram):
    validate(diagram)


def test_a_cycle_is_named():
    ring = Graph(
        {"a": Node("a", "f", (OutPort("b"),), name="A"), "b": Node("b", "f", (OutPort("a"),))}
    )
    with pytest.raises(GraphError, match=r"The wires form a cycle: (A → b → A|b → A → b)\."):
        validate_graph(ring)


def test_derived_graphs_may_have_ids_with_slash_and_prime():
    validate_graph(Graph({"a/b''": Node("a/b''", "f")}), derived_ids=True)
    with pytest.raises(DiagramError):
        validate_graph(Graph({"a b": Node("a b", "f")}), derived_ids=True)


def test_limits_are_limit_errors_too():
    for diagram in (BAD["huge"][0], BAD["rank"][0]):
        with pytest.raises(LimitError):
            validate(diagram)
    assert issubclass(DiagramError, GradvizError)


def test_values_together_are_bounded():
    count = VALUES_BYTES // 2 // 8
    attributes = {"dtype": "float64", "shape": (count,)}
    nodes = {id: Node(id, "variable", (), attributes) for id in "abc"}
    half = frozen_array(np.zeros(count))
    validate(Diagram(Graph(nodes), {"a": half, "b": half}))
    with pytest.raises(LimitError, match="20 MiB together"):
        validate(Diagram(Graph(nodes), {"a": half, "b": half, "c": half}))


def test_one_node_or_value_can_be_checked_alone():
    check_node(X)
    check_value(X, frozen_array([1.0, 2.0]))
    with pytest.raises(DiagramError):
        check_node(Node("z", "f", name="\n"))
    with pytest.raises(DiagramError):
        check_value(X, frozen_array([1.0]))


@pytest.mark.parametrize("first", [None, 99_999], ids=["line", "ring"])
def test_a_hundred_thousand_nodes(first):
    sources = [first, *range(99_999)]
    graph = Graph(
        {
            f"n{i}": Node(f"n{i}", "f", () if source is None else (OutPort(f"n{source}"),))
            for i, source in enumerate(sources)
        }
    )
    if first is None:
        validate_graph(graph)
        return
    with pytest.raises(DiagramError, match="more"):
        validate_graph(graph)


def test_a_complete_graph():
    nodes = [Node(f"n{i}", "f", tuple(OutPort(f"n{j}") for j in range(i))) for i in range(400)]
    validate_graph(Graph({node.id: node for node in nodes}))
