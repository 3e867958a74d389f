"""What an edited graph takes over from the one before is what it would find out by itself."""

import random
import subprocess
import sys

import hypothesis
import hypothesis.strategies as st
import pytest

from gradviz.errors import GraphError
from gradviz.graph import kept
from gradviz.graph.model import Graph, InPort, Node, OutPort
from gradviz.graph.walk import find_cycle, topological_order, would_close_cycle

IDS = [f"n{number}" for number in range(9)]


@st.composite
def edits(draw):
    """Nodes put in place, several at once, or taken out; cycles, loops, double and dangling wires included."""
    if draw(st.integers(0, 3)) == 0:
        return "without", draw(st.lists(st.sampled_from(IDS), max_size=3))
    wires = st.lists(
        st.none() | st.builds(OutPort, st.sampled_from(IDS), st.integers(0, 1)), max_size=3
    )
    nodes = st.builds(lambda id, inputs: Node(id, "f", tuple(inputs)), st.sampled_from(IDS), wires)
    return "with", draw(st.lists(nodes, max_size=3))


def edited(graph, edit):
    kind, what = edit
    return graph.without(what) if kind == "without" else graph.with_nodes(*what)


def check(graph):
    fresh = Graph(graph.nodes)
    assert dict(graph.index.ends) == dict(fresh.index.ends)
    assert graph.consumers == fresh.consumers
    cycle = find_cycle(fresh)
    assert (graph.order is None) == bool(cycle)
    if cycle:
        with pytest.raises(GraphError, match="cycle"):
            topological_order(graph)
        return
    order = topological_order(graph)
    assert sorted(order) == sorted(graph.nodes)
    rank = {id: number for number, id in enumerate(order)}
    for node in graph:
        for source in kept.sources_of(node, graph.nodes):
            assert rank[source] < rank[node.id]


@hypothesis.given(st.lists(edits(), max_size=12), st.data())
def test_index_and_order_hold_after_any_edits(steps, data):
    graph = Graph()
    seen = [graph]
    for step in steps:
        check(graph)
        after = edited(graph, step)
        # A wire that would close a cycle is left out most of the time, so that orders are kept on.
        if find_cycle(Graph(after.nodes)) and data.draw(st.integers(0, 4)):
            check(after)
            continue
        graph = after
        seen.append(graph)
    for each in seen:  # undo finds the old ones as they were
        check(each)


@hypothesis.given(st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=60))
def test_a_wire_is_refused_iff_it_closes_a_cycle(wires):
    graph = Graph({f"n{i}": Node(f"n{i}", "f") for i in range(15)})
    assert graph.order is not None
    for start, end in wires:
        source, target = f"n{start}", f"n{end}"
        node = graph[target]
        changed = Node(target, "f", (*node.inputs, OutPort(source)))
        closes = bool(find_cycle(Graph({**graph.nodes, target: changed})))
        assert would_close_cycle(graph, source, target) == closes
        if not closes:
            graph = graph.with_nodes(changed)
            assert "order" in graph.__dict__, "the order was not taken over"
            check(graph)


def test_several_nodes_rewired_at_once():
    """Wires against the order must not be followed before their turn, which few examples show."""
    for seed in range(600):
        draw = random.Random(seed)
        graph = Graph({node.id: node for node in acyclic(draw, 0.2)})
        assert graph.order is not None
        check(graph.with_nodes(*draw.sample(acyclic(draw, 0.25), 4)))


def acyclic(draw, wired):
    order = draw.sample(IDS, 8)
    return [
        Node(id, "f", tuple(OutPort(other) for other in order[:number] if draw.random() < wired))
        for number, id in sorted(enumerate(order), key=lambda pair: pair[1])
    ]


def chain(count):
    return Graph(
        {
            f"n{i}": Node(f"n{i}", "f", (OutPort(f"n{i - 1}"),) if i else (None,))
            for i in range(count)
        }
    )


def test_what_stays_valid_is_shared():
    graph = chain(20)
    order = graph.order
    assert graph.with_nodes(Node("n9", "f", (OutPort("n3"),))).order is order
    assert graph.without(["n4", "n7"]).order is order
    named = graph.with_nodes(Node("n9", "f", (OutPort("n8"),), name="y"))
    assert named.order is order
    assert named.index.ends is graph.index.ends


def test_only_what_lies_between_the_ends_of_a_wire_moves():
    graph = chain(5).with_nodes(Node("a", "f", (None,)), Node("b", "f", (OutPort("a"),)))
    assert topological_order(graph) == ("n0", "a", "n1", "b", "n2", "n3", "n4")
    wired = graph.with_nodes(Node("n2", "f", (OutPort("n1"), OutPort("n3"))))
    assert wired.order is None
    backward = graph.with_nodes(Node("a", "f", (OutPort("n3"),)))
    assert topological_order(backward) == ("n0", "n1", "n2", "n3", "a", "b", "n4")
    assert topological_order(graph) == ("n0", "a", "n1", "b", "n2", "n3", "n4")


def test_ends_stay_in_the_order_of_the_file():
    graph = chain(4)
    assert graph.consumers_of("n0") == (InPort("n1", 0),)
    more = graph.with_nodes(Node("n3", "f", (OutPort("n0"), OutPort("n0", 1))))
    more = more.with_nodes(Node("n2", "f", (OutPort("n0"),)))
    assert more.consumers_of("n0") == (
        InPort("n1", 0),
        InPort("n2", 0),
        InPort("n3", 0),
        InPort("n3", 1),
    )
    assert more.ends_of(OutPort("n0", 1)) == (InPort("n3", 1),)


def test_places_do_not_pile_up():
    graph = chain(3)
    for _ in range(500):
        check(graph)
        graph = graph.without(["n2"]).with_nodes(Node("n2", "f", (OutPort("n1"),)))
    assert graph.index.size < 200


def test_the_first_refusal_of_a_cycle_is_told_without_networkx():
    program = (
        "import sys, gradviz as gv\n"
        "from gradviz.edit.wires import refusal\n"
        "from gradviz.graph.model import InPort, OutPort\n"
        "diagram = gv.diagram(gv.exp(gv.exp(gv.variable(1.0, name='x'))))\n"
        "first, last = [node.id for node in diagram.graph if node.op == 'exp']\n"
        "told = refusal(diagram, OutPort(last), InPort(first, 0))\n"
        "assert 'cycle' in str(told), told\n"
        "assert 'networkx' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
