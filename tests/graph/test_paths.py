"""Paths by name, and what can reach what."""

import pytest

from gradviz.errors import GraphError
from gradviz.graph import paths
from gradviz.graph.model import Graph, Node, OutPort
from tests.edit.made import nine_sevens

GRAPH = nine_sevens().graph


def test_a_path_is_told_by_names():
    assert paths.path(GRAPH, "X", "y") == ("X", "s", "add", "y")
    assert paths.path_words(GRAPH, "X", "y") == "X → s → add → y"
    assert paths.path_words(GRAPH, "X", "X") == "X"


def test_no_path_is_empty():
    assert paths.path(GRAPH, "B", "y") == ()
    assert paths.path_words(GRAPH, "y", "X") == ""


def test_a_long_path_shows_its_ends():
    nodes = {"n0": Node("n0", "exp", (None,))}
    for number in range(1, 20):
        nodes[f"n{number}"] = Node(f"n{number}", "exp", (OutPort(f"n{number - 1}"),))
    graph = Graph(nodes)
    assert paths.path_words(graph, "n0", "n19") == "exp → exp → exp → … → exp → exp → exp"
    assert len(paths.path_words(graph, "n0", "n6").split(" → ")) == 7


def test_what_is_reached():
    assert paths.reached(GRAPH, "s") == {"square", "add", "y"}
    assert paths.reaching(GRAPH, "s") == {"X"}
    assert paths.reached(GRAPH, "B") == frozenset()


def test_parts_and_generations():
    assert paths.parts(GRAPH) == [["X", "s", "square", "add", "c", "y"], ["B"]]
    assert paths.generations(GRAPH)[:2] == [["X", "B", "c"], ["s"]]
    assert paths.parts(Graph()) == []
    assert paths.generations(Graph()) == []


@pytest.mark.parametrize("ask", [paths.path, paths.path_words])
def test_nobody_is_on_no_path(ask):
    with pytest.raises(GraphError):
        ask(GRAPH, "nobody", "y")
    with pytest.raises(GraphError):
        ask(GRAPH, "y", "nobody")
