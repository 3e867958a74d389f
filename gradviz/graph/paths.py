"""Questions about a graph as a whole. networkx answers most of them; it is imported on first use.

Named paths and reachable sets are for sentences, parts and generations for the layout. What runs at every edit is a
loop: here the path that a refused wire is explained by, the others in `walk`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gradviz.graph.model import Graph

if TYPE_CHECKING:
    import networkx as nx

SHOWN: Final = 7
"""Longer paths show their ends."""


def wires(graph: Graph) -> nx.DiGraph:
    """Which node feeds which, without ports: nodes and edges in the order of the file."""
    import networkx as nx

    found = nx.DiGraph()
    found.add_nodes_from(graph.nodes)
    found.add_edges_from(
        (port.node, node.id)
        for node in graph
        for port in node.inputs
        if port is not None and port.node in graph
    )
    return found


def path(graph: Graph, start: str, end: str) -> tuple[str, ...]:
    """The ids along a shortest path of wires, both ends included; empty if nothing leads there."""
    start, end = graph[start].id, graph[end].id
    came = {start: start}
    waiting = [start]
    for id in waiting:
        if id == end:
            break
        for follower in graph.consumers_of(id):
            if follower.node not in came:
                came[follower.node] = id
                waiting.append(follower.node)
    if end not in came:
        return ()
    found = [end]
    while found[-1] != start:
        found.append(came[found[-1]])
    return tuple(reversed(found))


def path_words(graph: Graph, start: str, end: str) -> str:
    """`X → s → y`, with `…` inside a long path; empty if nothing leads from `start` to `end`."""
    names = [graph[id].name or graph[id].op for id in path(graph, start, end)]
    if len(names) > SHOWN:
        side = SHOWN // 2
        names = [*names[:side], "…", *names[-side:]]
    return " → ".join(names)


def reached(graph: Graph, start: str) -> frozenset[str]:
    """Every other node that a change of `start` can change."""
    import networkx as nx

    return frozenset(nx.descendants(wires(graph), graph[start].id))


def reaching(graph: Graph, end: str) -> frozenset[str]:
    """Every other node whose change can change `end`."""
    import networkx as nx

    return frozenset(nx.ancestors(wires(graph), graph[end].id))


def parts(graph: Graph) -> list[list[str]]:
    """The ids of each part of the graph that no wire joins to the rest, all in the order of the file."""
    import networkx as nx

    position = {id: number for number, id in enumerate(graph.nodes)}
    found = nx.weakly_connected_components(wires(graph))
    return sorted(
        (sorted(ids, key=position.__getitem__) for ids in found), key=lambda ids: position[ids[0]]
    )


def generations(graph: Graph) -> list[list[str]]:
    """The ids by the length of the longest way to them: first what is read from nothing."""
    import networkx as nx

    return [list(ids) for ids in nx.topological_generations(wires(graph))]
