"""Order, reach and cycles. Plain loops: a chain of 100,000 nodes is no deeper than one of ten."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gradviz.errors import GraphError
from gradviz.graph.kept import leads_to, sources_of
from gradviz.graph.model import Graph, InPort, OutPort
from gradviz.graph.names import shown
from gradviz.text import mark

WireFilter = Callable[[OutPort, InPort], bool]


def topological_order(graph: Graph) -> tuple[str, ...]:
    """All ids, each after the nodes it reads; the order of the file where it is free.

    Raises GraphError, naming one cycle, if there is one.
    """
    order = graph.order
    if order is None:
        raise GraphError(
            mark("graph", "The wires form a cycle: {path}."),
            path=cycle_words(graph, find_cycle(graph)),
        )
    if len(order.ids) == len(graph):
        return order.ids
    # Slots of nodes that are gone are only cleared away here.
    return tuple(id for id in order.ids if id in graph.nodes)


def ancestors(graph: Graph, starts: Iterable[str]) -> set[str]:
    """The starts and every node they are computed from."""
    found = set(starts)
    waiting = list(found)
    while waiting:
        for port in graph[waiting.pop()].inputs:
            if port is not None and port.node not in found:
                found.add(port.node)
                waiting.append(port.node)
    return found


def descendants(graph: Graph, starts: Iterable[str], along: WireFilter | None = None) -> set[str]:
    """The starts and every node computed from them; `along` may bar wires."""
    found = set(starts)
    waiting = list(found)
    while waiting:
        id = waiting.pop()
        for end in graph.consumers_of(id):
            if end.node in found:
                continue
            source = graph[end.node].inputs[end.index]
            if source is not None and (along is None or along(source, end)):
                found.add(end.node)
                waiting.append(end.node)
    return found


def find_cycle(graph: Graph) -> tuple[str, ...]:
    """The ids along one cycle, the first repeated at the end; empty if there is none."""
    alive = {node.id: len(sources_of(node, graph.nodes)) for node in graph}
    ready = [id for id, count in alive.items() if count == 0]
    while ready:
        id = ready.pop()
        del alive[id]
        for consumer in {port.node for port in graph.consumers_of(id)}:
            alive[consumer] -= 1
            if alive[consumer] == 0:
                ready.append(consumer)
    if not alive:
        return ()
    # Every node left has a source among those left: following sources must come round.
    position: dict[str, int] = {}
    path: list[str] = []
    id = next(iter(alive))
    while id not in position:
        position[id] = len(path)
        path.append(id)
        id = next(p.node for p in graph[id].inputs if p is not None and p.node in alive)
    loop = path[position[id] :]
    return (*reversed(loop), loop[-1])


def cycle_words(graph: Graph, cycle: tuple[str, ...]) -> str:
    """`y → z → y`, by names; a long cycle is shortened in the middle: a message is one line."""
    names = [shown(graph[id].name or id, 20) for id in cycle]
    if len(names) > 8:
        names[4:-3] = [f"… ({len(names) - 8} more) …"]
    return " → ".join(names)


def would_close_cycle(graph: Graph, source: str, target: str) -> bool:
    """Whether a wire from `source` to `target` would close a cycle.

    In a graph without one, a wire that agrees with the kept order needs no search.
    """
    if graph.order is None or source not in graph or target not in graph:
        return target in ancestors(graph, [source])
    return leads_to(graph.order, graph.index, graph.nodes, target, source)
