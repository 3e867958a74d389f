"""What stands in the columns of a layered picture: cards, and lanes for the wires that pass, so that cards make way.

`levels` decides about the column, `ordering` about the rank in it, `layered` about the place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from gradviz.edit.crossings import Stop
from gradviz.edit.values import is_weak
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
LANES_PER_NODE: Final = 4
"""Beyond this many lanes, the longest wires get none: they may pass behind cards."""


@dataclass(eq=False, slots=True)
class Item:
    """A card, or a lane, which has no id but that of the card whose wires it is for.

    `y` is where its wires leave and arrive; `above` and `below` are what it takes on either side of it. A link is a
    neighbour and the height of the input port at its right end, from −½ to ½; `open` are the heights of inputs
    without a wire.
    """

    id: str = ""
    of: str = ""
    width: float = 0.0
    above: float = 0.0
    below: float = 0.0
    pull: float = LANE
    y: float = 0.0
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


def columns(
    graph: Graph, levels: Mapping[str, int], ids: Collection[str], sizes: Sizes, stop: Stop
) -> Columns:
    """The columns of one connected part of `graph`, in no order; `levels` are those of the graph."""
    first = min(levels[id] for id in ids)
    items = {id: _item(graph[id], graph, sizes) for id in ids}
    found: Columns = [[] for _ in range(max(levels[id] for id in ids) - first + 1)]
    for id in ids:
        found[levels[id] - first].append(items[id])
    _link(graph, levels, items, lambda level: found[level - first], stop)
    return found


def _item(node: Node, graph: Graph, sizes: Sizes) -> Item:
    width, height, above = size_of(node, sizes)
    pull = INNER
    if not any(node.inputs) and len(graph.consumers_of(node.id)) == 1:
        pull = LITERAL if is_literal(node) else LEAF
    unwired = tuple(_height(node, index) for index, port in enumerate(node.inputs) if port is None)
    return Item(node.id, "", width, above, height - above, pull, open=unwired)


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


def _link(
    graph: Graph,
    levels: Mapping[str, int],
    items: Mapping[str, Item],
    column: Callable[[int], list[Item]],
    stop: Stop,
) -> None:
    # The wires from a node to those in one column share their lanes.
    bundles: dict[tuple[str, int], list[tuple[Item, float]]] = {}
    for id, item in items.items():
        for index, port in enumerate(graph[id].inputs):
            if port is not None:
                bundle = bundles.setdefault((port.node, levels[id]), [])
                bundle.append((item, _height(graph[id], index)))
    room = LANES_PER_NODE * len(items)
    for source, end in sorted(bundles, key=lambda bundle: bundle[1] - levels[bundle[0]]):
        stop()
        passed = range(levels[source] + 1, end)
        room -= len(passed)
        lanes = [Item(of=source) for _ in passed] if room >= 0 else []
        for level, lane in zip(passed, lanes, strict=bool(lanes)):
            column(level).append(lane)
        way = [items[source], *lanes]
        for left, right in pairwise(way):
            _join(left, right, 0.0)
        for item, height in bundles[source, end]:
            _join(way[-1], item, height)


def _join(left: Item, right: Item, height: float) -> None:
    left.after.append((right, height))
    right.before.append((left, height))
