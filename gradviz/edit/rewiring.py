"""Wires by the dozen: cut, moved to another port, led around nodes that go, drawn between what is selected."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gradviz.edit.nodes import delete
from gradviz.edit.routes import rewired
from gradviz.edit.wires import connect, disconnect
from gradviz.errors import GradvizError, GraphError, ShapeError
from gradviz.graph.model import Diagram, Graph, InPort, OutPort
from gradviz.text import mark


def cut(diagram: Diagram, ends: Iterable[InPort]) -> Diagram:
    """Remove the wires that end there."""
    # From the last input on: what a variadic node no longer needs is trimmed there.
    for end in sorted(set(ends), key=lambda end: -end.index):
        if end.index < len(diagram.graph[end.node].inputs):
            diagram = disconnect(diagram, end)
    return diagram


def wires_of(graph: Graph, nodes: Collection[str]) -> tuple[InPort, ...]:
    """The ends of all wires that lead to or from these nodes."""
    into = [InPort(id, i) for id in nodes for i, port in enumerate(graph[id].inputs) if port]
    return tuple(dict.fromkeys([*into, *(end for id in nodes for end in graph.consumers_of(id))]))


def move_wires(diagram: Diagram, source: OutPort, to: OutPort) -> Diagram:
    """Let every wire that leaves `source` leave `to` instead; GraphError or ShapeError if one of them cannot."""
    ends = diagram.graph.ends_of(source)
    if source == to or not ends:
        return diagram
    # All come off first: a wire may be possible only when the others have gone.
    moved = cut(diagram, ends)
    for end in ends:
        moved = connect(moved, to, end)
    return moved


def pull_out(diagram: Diagram, nodes: Collection[str]) -> Diagram:
    """Take nodes out of their wires; what fed them feeds what they fed, as far as that fits."""
    ids = {diagram.graph[id].id for id in nodes}
    outer = _outer(diagram.graph, ids)
    if not outer:
        return diagram
    return _healed(cut(diagram, outer), diagram.graph, ids)


def delete_and_heal(diagram: Diagram, nodes: Collection[str]) -> Diagram:
    """Delete nodes; what fed them feeds what they fed, as far as that fits."""
    ids = {diagram.graph[id].id for id in nodes}
    return _healed(delete(diagram, ids), diagram.graph, ids) if ids else diagram


def left_open(before: Diagram, after: Diagram) -> tuple[InPort, ...]:
    """The inputs that had a wire and have none now, of nodes that are still there."""
    return tuple(
        InPort(node.id, index)
        for node in after.graph
        if node.id in before.graph and node is not before.graph[node.id]
        for index, port in enumerate(before.graph[node.id].inputs)
        if port is not None and (index >= len(node.inputs) or node.inputs[index] is None)
    )


def _outer(graph: Graph, ids: Collection[str]) -> list[InPort]:
    """The wires between these nodes and the others."""
    return [
        end
        for end in wires_of(graph, ids)
        if (port := graph[end.node].inputs[end.index]) is not None
        and (port.node in ids) != (end.node in ids)
    ]


def _healed(cut_off: Diagram, graph: Graph, ids: Collection[str]) -> Diagram:
    """`cut_off` with wires around `ids`, where `graph` is how it was."""
    healed = cut_off
    for end in _outer(graph, ids):
        port = graph[end.node].inputs[end.index]
        if end.node in ids or port is None:
            continue
        for source in _sources_behind(graph, ids, port.node):
            try:
                healed = connect(healed, source, end)
            except (GraphError, ShapeError):
                continue
            break
    return rewired(cut_off, healed.graph) if healed is not cut_off else cut_off


def _sources_behind(graph: Graph, ids: Collection[str], node: str) -> list[OutPort]:
    """What feeds `node` from outside of `ids`, the first inputs first."""
    found: dict[OutPort, None] = {}
    waiting, seen = [node], {node}
    while waiting:
        for port in graph[waiting.pop(0)].inputs:
            if port is None:
                continue
            if port.node not in ids:
                found.setdefault(port)
            elif port.node not in seen:
                seen.add(port.node)
                waiting.append(port.node)
    return list(found)


def join(diagram: Diagram, nodes: Collection[str]) -> Diagram:
    """Wire the open inputs of these nodes to those left of them, each used once; raises with a reason if nothing fits."""
    order = sorted((diagram.graph[id].id for id in nodes), key=lambda id: diagram.places[id])
    free: list[str] = []
    fault: GradvizError | None = None
    joined = diagram
    for id in order:
        for index in [i for i, port in enumerate(diagram.graph[id].inputs) if port is None]:
            for source in free:
                try:
                    joined = connect(joined, OutPort(source), InPort(id, index))
                except (GraphError, ShapeError) as error:
                    fault = fault or error
                    continue
                free.remove(source)
                break
        if not any(end.node in nodes for end in diagram.graph.consumers_of(id)):
            free.append(id)
            free.sort(key=lambda id: (diagram.places[id].y, diagram.places[id].x))
    if joined is diagram:
        text = mark(
            "edit", "Select nodes to join: the open inputs of those on the right are wired."
        )
        raise fault or GraphError(text)
    return joined
