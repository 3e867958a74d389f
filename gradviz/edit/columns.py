"""Which column of a layered picture a node stands in, and at which rank there.

Columns come from the longest way to a node. A wire that passes a column has a lane in it, so that cards make way.
Ranks come from barycentre sweeps; the order with the fewest crossings stays.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from gradviz.edit.values import is_weak
from gradviz.graph import paths
from gradviz.graph.model import Graph, Node
from gradviz.ops import registry

Size = tuple[float, ...]
"""Width, height and, where it is known, how far below the upper edge wires leave and arrive."""
Sizes = Mapping[str, Size]

CARD: Final[Size] = (180.0, 116.0)
PILL: Final[Size] = (48.0, 32.0)
PORT: Final = 48.0
"""Where wires leave a card that shows one number, and most others too."""
LITERAL, LEAF, INNER, LANE = 0.02, 0.1, 1.0, 8.0
"""How much an item pulls at what it is wired to: what passes many columns is straight, the rest makes way."""
SWEEPS: Final = 8
LANES_PER_NODE: Final = 4
"""Beyond this many lanes, the longest wires get none: they may pass behind cards."""


@dataclass(eq=False, slots=True)
class Item:
    """A card, or a lane, which has no id.

    `y` is where its wires leave and arrive; `above` and `below` are what it takes on either side of it. A link is a
    neighbour and the height of the input port at its right end, from −½ to ½; `open` are the heights of inputs
    without a wire.
    """

    id: str = ""
    width: float = 0.0
    above: float = 0.0
    below: float = 0.0
    pull: float = LANE
    y: float = 0.0
    rank: float = 0.0
    before: list[tuple[Item, float]] = field(default_factory=list)
    after: list[tuple[Item, float]] = field(default_factory=list)
    open: tuple[float, ...] = ()

    @property
    def is_literal(self) -> bool:
        """Whether this is a plain number, which stands beside what it is used by."""
        return self.pull == LITERAL

    @property
    def height(self) -> float:
        """That of the card."""
        return self.above + self.below


Columns = list[list[Item]]


def columns(graph: Graph, levels: Mapping[str, int], ids: Collection[str], sizes: Sizes) -> Columns:
    """The columns of one connected part of `graph`, each from top to bottom; `levels` are those of the graph."""
    first = min(levels[id] for id in ids)
    items = {id: _item(graph[id], graph, sizes) for id in ids}
    found: Columns = [[] for _ in range(max(levels[id] for id in ids) - first + 1)]
    for id in ids:
        found[levels[id] - first].append(items[id])
    _link(graph, levels, items, lambda level: found[level - first])
    _order(found)
    return found


def _item(node: Node, graph: Graph, sizes: Sizes) -> Item:
    width, height, above = size_of(node, sizes)
    pull = INNER
    if not any(node.inputs) and len(graph.consumers_of(node.id)) == 1:
        pull = LITERAL if is_literal(node) else LEAF
    unwired = tuple(_height(node, index) for index, port in enumerate(node.inputs) if port is None)
    return Item(node.id, width, above, height - above, pull, open=unwired)


def _height(node: Node, index: int) -> float:
    return (index + 0.5) / len(node.inputs) - 0.5


def size_of(node: Node, sizes: Sizes) -> tuple[float, float, float]:
    """Width, height, and how far below the upper edge the wires are; guessed where nobody knows."""
    width, height, *line = sizes.get(node.id) or (PILL if is_literal(node) else CARD)
    return width, height, line[0] if line else min(height / 2, PORT)


def is_literal(node: Node) -> bool:
    """Whether the node is a plain number, which stands beside what it is used by."""
    op = registry.find(node.op)
    return op is not None and is_weak(op, node.attributes) and not node.name


def levels(graph: Graph) -> dict[str, int]:
    """The column of each node: after all it reads, and what only sources lead to just before it is needed."""
    generations = paths.generations(graph)
    found = {id: level for level, ids in enumerate(generations) for id in ids}
    order = [id for ids in generations for id in ids]
    sources = {id: {p.node for p in graph[id].inputs if p is not None} for id in order}
    consumers = {id: {end.node for end in graph.consumers_of(id)} for id in order}
    floating: set[str] = set()
    for id in order:
        if all(source in floating and len(consumers[source]) == 1 for source in sources[id]):
            floating.add(id)
    for id in reversed(order):
        if id in floating and consumers[id]:
            found[id] = min(found[consumer] for consumer in consumers[id]) - 1
    return found


def _link(
    graph: Graph,
    levels: Mapping[str, int],
    items: Mapping[str, Item],
    column: Callable[[int], list[Item]],
) -> None:
    wires = [
        (port.node, id, _height(graph[id], index))
        for id in items
        for index, port in enumerate(graph[id].inputs)
        if port is not None
    ]
    reach = {source: levels[source] for source, _, _ in wires}
    for source, consumer, _ in wires:
        reach[source] = max(reach[source], levels[consumer])
    # All wires that leave a node share its lanes.
    lanes: dict[str, list[Item]] = {}
    room = LANES_PER_NODE * len(items)
    for source in sorted(reach, key=lambda id: reach[id] - levels[id]):
        passed = range(levels[source] + 1, reach[source])
        room -= len(passed)
        if room < 0:
            break
        lanes[source] = [Item() for _ in passed]
        for level, lane in zip(passed, lanes[source], strict=True):
            column(level).append(lane)
        for left, right in pairwise([items[source], *lanes[source]]):
            _join(left, right, 0.0)
    for source, consumer, height in wires:
        passed_lanes = lanes.get(source, [])[: levels[consumer] - levels[source] - 1]
        _join(passed_lanes[-1] if passed_lanes else items[source], items[consumer], height)


def _join(left: Item, right: Item, height: float) -> None:
    left.after.append((right, height))
    right.before.append((left, height))


def _order(found: Columns) -> None:
    for column in found:
        _rank(column)
    best = [list(column) for column in found]
    fewest = _all_crossings(found)
    for sweep in range(SWEEPS):
        if not fewest:
            break
        if sweep % 2:
            _sort(found, _by_inputs)
        else:
            _sort(reversed(found), _by_consumers)
        crossings = _all_crossings(found)
        if crossings < fewest:
            fewest = crossings
            best = [list(column) for column in found]
    found[:] = best
    for column in found:
        _rank(column)


def _rank(column: list[Item]) -> None:
    for rank, item in enumerate(column):
        item.rank = rank


def _sort(found: Iterable[list[Item]], key: Callable[[Item], float]) -> None:
    for column in found:
        column.sort(key=key)
        _rank(column)


def _by_inputs(item: Item) -> float:
    if not item.before:
        return item.rank
    return sum(source.rank for source, _ in item.before) / len(item.before)


def _by_consumers(item: Item) -> float:
    if not item.after:
        return item.rank
    return sum(end.rank + height for end, height in item.after) / len(item.after)


def _all_crossings(found: Columns) -> int:
    return sum(_crossings(left, right) for left, right in pairwise(found))


def _crossings(left: list[Item], right: list[Item]) -> int:
    """How many pairs of links between two neighbouring columns cross."""
    near = set(map(id, right))
    above: list[float] = []
    count = 0
    for item in left:
        ends = sorted(end.rank + height for end, height in item.after if id(end) in near)
        count += sum(len(above) - bisect_right(above, end) for end in ends)
        for end in ends:
            insort(above, end)
    return count
