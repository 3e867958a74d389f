"""Order, reach and cycles, at any depth."""

from itertools import pairwise

import hypothesis
import hypothesis.strategies as st
import pytest

from gradviz.errors import GraphError
from gradviz.graph.model import Graph, Node, OutPort
from gradviz.graph.walk import (
    ancestors,
    cycle_words,
    descendants,
    find_cycle,
    topological_order,
    would_close_cycle,
)


def graph(**sources):
    """A graph of nodes and what each reads: `graph(x="", y="xx")`."""
    return Graph(
        {
            id: Node(id, "f", tuple(None if s == "-" else OutPort(s) for s in named))
            for id, named in sources.items()
        }
    )


def line(count, first=None):
    sources = [first, *range(count - 1)]
    return Graph(
        {
            f"n{i}": Node(f"n{i}", "f", () if source is None else (OutPort(f"n{source}"),))
            for i, source in enumerate(sources)
        }
    )


@st.composite
def any_graphs(draw):
    """Nodes and wires as they come: cycles, loops and double wires included."""
    ids = [f"n{i}" for i in range(draw(st.integers(0, 7)))]
    wires = st.lists(st.none() | st.builds(OutPort, st.sampled_from(ids or ["n"])), max_size=3)
    return Graph({id: Node(id, "f", tuple(draw(wires))) for id in ids})


def edges(graph):
    return {(p.node, node.id) for node in graph for p in node.inputs if p is not None}


def reachable(graph, start):
    """By the definition: the closure of the edges."""
    found, size = {start}, 0
    while size != len(found):
        size = len(found)
        found |= {target for source, target in edges(graph) if source in found}
    return found


def test_each_node_comes_after_what_it_reads_and_else_as_in_the_file():
    assert topological_order(graph(d="bc", c="a", b="a", a="", e="")) == ("a", "e", "c", "b", "d")
    assert topological_order(graph(b="", a="")) == ("b", "a")
    assert topological_order(graph(y="xx", x="-")) == ("x", "y")
    assert topological_order(Graph()) == ()


@hypothesis.given(any_graphs())
def test_there_is_an_order_or_a_cycle(graph):
    cycle = find_cycle(graph)
    if not cycle:
        order = topological_order(graph)
        assert sorted(order) == sorted(graph.nodes)
        assert all(order.index(source) < order.index(target) for source, target in edges(graph))
        return
    assert cycle[0] == cycle[-1]
    assert len(set(cycle)) == len(cycle) - 1
    assert set(pairwise(cycle)) <= edges(graph)
    with pytest.raises(GraphError, match="The wires form a cycle"):
        topological_order(graph)


@hypothesis.given(any_graphs())
def test_reach_is_the_closure_of_the_wires(graph):
    for id in graph.nodes:
        assert descendants(graph, [id]) == reachable(graph, id)
        assert ancestors(graph, [id]) == {
            other for other in graph.nodes if id in reachable(graph, other)
        }
        for other in graph.nodes:
            assert would_close_cycle(graph, id, other) == (id in reachable(graph, other))


def test_descendants_along_some_wires_only():
    crossed = graph(x="", y="xx", z="y", w="x")
    assert descendants(crossed, ["x"], lambda _, end: end != ("w", 0)) == {"x", "y", "z"}
    assert descendants(crossed, ["x"], lambda _, end: end.index == 1) == {"x", "y"}
    assert descendants(crossed, ["x"], lambda *_: False) == {"x"}


def test_a_cycle_is_named_along_its_wires():
    ring = graph(a="c", b="a", c="b", d="c")
    assert cycle_words(ring, find_cycle(ring)) in (
        "a → b → c → a",
        "b → c → a → b",
        "c → a → b → c",
    )
    loop = graph(a="a")
    assert find_cycle(loop) == ("a", "a")
    named = Graph({"a": Node("a", "f", (OutPort("a"),), name="loss\u202e")})
    assert cycle_words(named, find_cycle(named)) == "loss\\u202e → loss\\u202e"


def test_a_line_of_a_hundred_thousand_nodes():
    deep = line(100_000)
    assert topological_order(deep)[-1] == "n99999"
    assert find_cycle(deep) == ()
    assert len(ancestors(deep, ["n99999"])) == len(descendants(deep, ["n0"])) == 100_000
    assert would_close_cycle(deep, "n99999", "n0")


def test_a_ring_of_a_hundred_thousand_nodes_gives_a_short_message():
    ring = line(100_000, first=99_999)
    with pytest.raises(GraphError) as caught:
        topological_order(ring)
    assert "… (99993 more) …" in str(caught.value)
    assert len(str(caught.value)) < 200


def test_diamonds_are_walked_once():
    """2^60 paths: a walk that does not remember what it has seen never ends."""
    nodes = {"n0": Node("n0", "f")}
    for i in range(1, 61):
        nodes[f"n{i}"] = Node(f"n{i}", "f", (OutPort(f"n{i - 1}"), OutPort(f"n{max(0, i - 2)}")))
    diamonds = Graph(nodes)
    assert len(topological_order(diamonds)) == 61
    assert len(descendants(diamonds, ["n0"])) == 61


def test_many_wires_into_and_out_of_one_node():
    nodes = {f"n{i}": Node(f"n{i}", "f", (OutPort("n0"),) if i else ()) for i in range(50_000)}
    nodes["sum"] = Node("sum", "f", tuple(OutPort(id) for id in nodes))
    assert topological_order(Graph(nodes))[-1] == "sum"
