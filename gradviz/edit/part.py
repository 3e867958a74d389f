"""A part of a graph, by itself."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from gradviz.graph.model import Graph


def part(graph: Graph, ids: Collection[str]) -> Graph:
    """The nodes `ids` and the wires between them; wires from outside are gone."""
    kept = set(ids)
    nodes = {}
    for id, node in graph.nodes.items():
        if id not in kept:
            continue
        if all(port is None or port.node in kept for port in node.inputs):
            nodes[id] = node
            continue
        inputs = tuple(p if p is not None and p.node in kept else None for p in node.inputs)
        nodes[id] = replace(node, inputs=inputs)
    return Graph(nodes)
