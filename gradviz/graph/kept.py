"""What a graph keeps about itself, and how an edit takes it over from the graph before.

`Index` says where each node's wires end, `Order` in which order nodes can be computed. Both are built once, with plain loops, and never
change: an edited graph shares them with its parent or gets copies in which only what the edit touches is new.
The order is kept as in Pearce and Kelly, "A dynamic topological sort algorithm for directed acyclic graphs" (2006): a wire that
points forward changes nothing, one that points backward moves only nodes between its ends.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gradviz.graph.ports import InPort, OutPort

if TYPE_CHECKING:
    from gradviz.graph.model import Node

Nodes = Mapping[str, "Node"]
Edge = tuple[str, str]

MANY: Final = 50
"""An edit of more nodes than this is cheaper to index and sort anew."""


@dataclass(frozen=True, eq=False, slots=True)
class Index:
    """The place of each node in the file, and by node where the wires that leave it end, in file order.

    A place is a number that only grows: it may be of a node that is gone, and then means nothing.
    """

    places: Mapping[str, int]
    size: int
    ends: Mapping[str, tuple[InPort, ...]]


@dataclass(frozen=True, eq=False, slots=True)
class Order:
    """The ids in an order in which they can be computed, and the number there of each place of the index.

    A slot of a node that is gone keeps its id or is empty.
    """

    ids: tuple[str, ...]
    ranks: list[int]


def index_of(nodes: Nodes) -> Index:
    """The index of `nodes`, from nothing."""
    ends: dict[str, list[InPort]] = {}
    for node in nodes.values():
        for number, source in enumerate(node.inputs):
            if source is not None:
                ends.setdefault(source.node, []).append(InPort(node.id, number))
    places = dict(zip(nodes, range(len(nodes)), strict=True))
    return Index(places, len(nodes), {id: tuple(found) for id, found in ends.items()})


def order_of(nodes: Nodes, index: Index) -> Order | None:
    """An order of `nodes`, that of the file where it is free; None if there is a cycle."""
    missing = {id: len(sources_of(node, nodes)) for id, node in nodes.items()}
    ids = [id for id, count in missing.items() if count == 0]
    # A stack of ready nodes would be depth first; the queue keeps the file's order among equals.
    for id in ids:
        for consumer in dict.fromkeys(end.node for end in index.ends.get(id, ())):
            missing[consumer] -= 1
            if missing[consumer] == 0:
                ids.append(consumer)
    if len(ids) != len(nodes):
        return None
    ranks = [0] * index.size
    for rank, id in enumerate(ids):
        ranks[index.places[id]] = rank
    return Order(tuple(ids), ranks)


def sources_of(node: Node, nodes: Nodes) -> set[str]:
    """The nodes that `node` reads, each once."""
    return {port.node for port in node.inputs if port is not None and port.node in nodes}


def edited_index(old: Index, before: Nodes, changed: Iterable[Node]) -> Index:
    """The index once `changed` are added to the nodes `before`, or replace those of their ids."""
    nodes = {node.id: node for node in changed}
    added = [id for id in nodes if id not in before]
    places, size = old.places, old.size
    if added:
        # An id that was there before stands at the end of the file now, as any other that is new.
        places = {**places, **dict(zip(added, range(size, size + len(added)), strict=True))}
        size += len(added)
    rewired = [
        node
        for id, node in nodes.items()
        if (before[id].inputs if id in before else ()) != node.inputs
    ]
    if not any(port for node in rewired for port in _ports(before, node)):
        return Index(places, size, old.ends)
    ends = {**old.ends}
    for node in rewired:
        for source in {port.node for port in _ports(before, node) if port is not None}:
            found = [end for end in ends.get(source, ()) if end.node != node.id]
            for number, port in enumerate(node.inputs):
                if port is not None and port.node == source:
                    insort(
                        found,
                        InPort(node.id, number),
                        key=lambda end: (places[end.node], end.index),
                    )
            _put(ends, source, found)
    return Index(places, size, ends)


def _ports(before: Nodes, node: Node) -> tuple[OutPort | None, ...]:
    """What the inputs of `node` were wired to before, and are now."""
    was = before.get(node.id)
    return node.inputs if was is None else (*was.inputs, *node.inputs)


def reduced_index(old: Index, before: Nodes, gone: Collection[str]) -> Index:
    """The index once the nodes `gone`, and the wires that came from them, are out of the nodes `before`."""
    ends = {**old.ends}
    for source in {p.node for id in gone for p in before[id].inputs if p is not None}:
        if source not in gone:
            _put(ends, source, [end for end in ends[source] if end.node not in gone])
    for id in gone:
        ends.pop(id, None)
    return Index(old.places, old.size, ends)


def _put(ends: dict[str, tuple[InPort, ...]], source: str, found: list[InPort]) -> None:
    if found:
        ends[source] = tuple(found)
    else:
        ends.pop(source, None)


def edited_order(
    old: Order, known: Index, before: Nodes, index: Index, after: Nodes, changed: Collection[Node]
) -> Order | None:
    """An order of the nodes `after`, where `changed` were added to or replaced in `before`; None if there is a cycle.

    `old` and `known` belong to `before`, `index` to `after`.
    """
    order = old
    added = [node.id for node in changed if node.id not in before]
    if added:
        ids: Sequence[str] = old.ids
        again = {id for id in added if id in known.places}
        if again:
            # Their old slots are empty from now on.
            slots = {old.ranks[known.places[id]] for id in again}
            ids = ["" if slot in slots and id in again else id for slot, id in enumerate(old.ids)]
        ranks = [*old.ranks, *range(len(ids), len(ids) + len(added))]
        order = Order((*ids, *added), ranks)
    backward = {
        edge: None
        for edge in _new_edges(before, index, after, changed)
        if order.ranks[index.places[edge[0]]] >= order.ranks[index.places[edge[1]]]
    }
    while backward:
        edge = next(iter(backward))
        del backward[edge]
        # Wires whose turn has not come yet are looked through: they would lead astray.
        moved = _with_edge(order, index, after, edge, backward)
        if moved is None:
            return None
        order = moved
    return order


def _new_edges(
    before: Nodes, index: Index, after: Nodes, changed: Collection[Node]
) -> Iterable[Edge]:
    for node in changed:
        was = before.get(node.id)
        known = set() if was is None else sources_of(was, before)
        for source in sources_of(node, after) - known:
            yield source, node.id
        if was is None:
            # A wire may have waited for this id.
            for end in index.ends.get(node.id, ()):
                yield node.id, end.node


def _with_edge(
    order: Order, index: Index, nodes: Nodes, edge: Edge, barred: Collection[Edge]
) -> Order | None:
    source, target = edge
    ranks, places = order.ranks, index.places
    first, last = ranks[places[target]], ranks[places[source]]
    if first > last:
        return order
    later = {target}
    waiting = [target]
    while waiting:
        id = waiting.pop()
        if id == source:
            return None
        for end in index.ends.get(id, ()):
            if end.node in later or (id, end.node) in barred:
                continue
            if ranks[places[end.node]] <= last:
                later.add(end.node)
                waiting.append(end.node)
    earlier = {source}
    waiting = [source]
    while waiting:
        id = waiting.pop()
        for reads in sources_of(nodes[id], nodes):
            if reads in earlier or (reads, id) in barred:
                continue
            if ranks[places[reads]] >= first:
                earlier.add(reads)
                waiting.append(reads)
    # What the source needs comes first, then what needs the target, in the slots that all of them have now.
    by_rank = [(ranks[places[id]], id) for id in earlier], [(ranks[places[id]], id) for id in later]
    moved = [id for group in by_rank for _, id in sorted(group)]
    slots = sorted(rank for group in by_rank for rank, _ in group)
    ids, ranks = list(order.ids), ranks.copy()
    for slot, id in zip(slots, moved, strict=True):
        ids[slot] = id
        ranks[places[id]] = slot
    return Order(tuple(ids), ranks)


def leads_to(order: Order, index: Index, nodes: Nodes, start: str, end: str) -> bool:
    """Whether wires lead from `start` to `end`: only what lies between them in the order is looked at.

    The search goes from both sides in turn, so that many readers on one side do not make it long.
    """
    ranks, places = order.ranks, index.places
    first, last = ranks[places[start]], ranks[places[end]]
    if first >= last:
        return start == end
    down, up = {start}, {end}
    below, above = [start], [end]
    while below and above:
        for follower in {e.node for e in index.ends.get(below.pop(), ())}:
            if follower in up:
                return True
            if follower not in down and ranks[places[follower]] < last:
                down.add(follower)
                below.append(follower)
        for reads in sources_of(nodes[above.pop()], nodes):
            if reads in down:
                return True
            if reads not in up and ranks[places[reads]] > first:
                up.add(reads)
                above.append(reads)
    return False
