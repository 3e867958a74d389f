"""To networkx and back."""

import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from gradviz.engine.answer import answer
from gradviz.errors import GradvizError, GraphError, InputError
from gradviz.graph.model import Diagram, OutPort
from gradviz.networks import from_networkx, to_networkx
from tests.edit.made import nine_sevens
from tests.files.diagrams import content, diagrams


@given(diagrams())
def test_there_and_back_nothing_is_lost(diagram):
    back = from_networkx(to_networkx(diagram))
    assert content(back) == content(diagram)
    assert list(back.graph.nodes) == list(diagram.graph.nodes)


def test_nodes_and_wires_say_what_they_are():
    network = to_networkx(nine_sevens())
    assert isinstance(network, nx.MultiDiGraph)
    assert network.nodes["s"]["name"] == "s"
    assert network.nodes["s"]["op"] == "sum"
    assert network.nodes["X"]["shapes"] == [(3, 3)]
    assert network.nodes["X"]["dtypes"] == ["float64"]
    assert network.nodes["c"]["dtypes"] == ["weak"]
    (wire,) = network.get_edge_data("s", "add").values()
    assert wire == {"output": 0, "input": 1, "shape": (), "dtype": "float64"}
    assert list(nx.topological_sort(network))[-1] == "y"


def test_two_wires_between_two_nodes_are_two_edges():
    network = nx.MultiDiGraph()
    network.add_node("x", op="variable", value=3.0)
    network.add_node("y", op="multiply")
    network.add_edge("x", "y")
    network.add_edge("x", "y")
    diagram = from_networkx(network)
    assert answer(diagram).value(OutPort("y")) == 9
    assert to_networkx(diagram).number_of_edges() == 2


def test_a_plain_network_becomes_a_diagram():
    network = nx.DiGraph()
    network.add_node("X", op="variable", value=np.ones((2, 2)))
    network.add_node("s", op="sum", name="total", attributes={"axis": 0})
    network.add_node("y", op="subtract")
    network.add_edge("X", "s")
    network.add_edge("s", "y", input=1)
    diagram = from_networkx(network)
    assert diagram.graph["X"].name == "X"
    assert diagram.graph["s"].name == "total"
    assert diagram.graph["y"].inputs == (None, OutPort("s"))
    assert answer(diagram).value(OutPort("s")).tolist() == [2, 2]


def test_what_is_unknown_stays_unknown():
    network = nx.DiGraph()
    network.add_node("a", op="conv9", attributes={"kernel": [3, 3]})
    assert to_networkx(from_networkx(network)).nodes["a"]["shapes"] == [None]


@pytest.mark.parametrize(
    "nodes",
    [
        {1: {"op": "sum"}},
        {"a": {}},
        {"a": {"op": 3}},
        {"a": {"op": "sum", "name": 3}},
        {"a": {"op": "sum", "attributes": [1]}},
        {"a": {"op": "sum", "attributes": {"axis": object()}}},
        {"a": {"op": "variable", "value": "text"}},
        {"a": {"op": "sum", "name": "x"}, "b": {"op": "sum", "name": "x"}},
        {"a b": {"op": "sum"}},
    ],
)
def test_what_is_no_diagram_is_refused(nodes):
    network = nx.MultiDiGraph()
    network.add_nodes_from(nodes.items())
    with pytest.raises(GradvizError):
        from_networkx(network)


def test_wires_that_cannot_be_are_refused():
    network = nx.MultiDiGraph()
    network.add_nodes_from(["a", "b"], op="exp")
    network.add_edge("a", "b", input=0)
    network.add_edge("a", "b", input=0)
    with pytest.raises(GraphError, match="two wires end there"):
        from_networkx(network)
    cycle = nx.DiGraph([("a", "b"), ("b", "a")])
    nx.set_node_attributes(cycle, "exp", "op")
    with pytest.raises(GraphError, match="cycle"):
        from_networkx(cycle)
    with pytest.raises(InputError, match="no directions"):
        from_networkx(nx.Graph())


def test_the_empty_diagram():
    assert content(from_networkx(to_networkx(Diagram()))) == content(Diagram())


def test_networkx_is_only_loaded_when_it_is_asked():
    code = (
        "import sys, gradviz.networks, gradviz.edit.edits, gradviz.graph.paths;"
        "assert 'networkx' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
