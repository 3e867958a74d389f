"""Places for a whole graph, from left to right in the order of computation. `columns` decides who stands where."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final

from gradviz.edit import grid
from gradviz.edit.columns import (
    INNER,
    LANE,
    LITERAL,
    Columns,
    Item,
    Sizes,
    columns,
    size_of,
)
from gradviz.edit.crossings import Stop
from gradviz.edit.levels import levels
from gradviz.edit.ordering import order
from gradviz.graph import paths
from gradviz.graph.model import Graph, Place
from gradviz.limits import PLACE

COLUMN_GAP: Final = 72.0
ROW_GAP: Final = 36.0
LANE_GAP: Final = 24.0
LANES_APART: Final = 12.0
BUNDLED: Final = 4.0
"""Between two cards, a card and a wire that passes it, two such wires, and two such wires from one card."""
PART_GAP: Final = 48.0
WIDEST: Final = 800_000.0
"""Beyond it the columns go on below, so that every place stays within `limits.PLACE`."""
ROUNDS: Final = 4
NOWHERE: Final[Mapping[str, Place]] = {}
FEW: Final = 6
"""Up to this many unwired nodes stand below each other; more make a block."""


def _go_on() -> None:
    """Nobody wants it to stop."""


def layered(
    graph: Graph, sizes: Sizes, old: Mapping[str, Place] = NOWHERE, stop: Stop = _go_on
) -> dict[str, Place]:
    """A place for every node, beginning at the origin. Parts with no wire between them lie below each other.

    What stands above another in `old` does so again where that crosses no more wires. `stop` is called before each
    piece of work, of far less than 200 ms: an exception that it raises ends the layout.
    """
    # Parts one below the other as before, single cards row by row.
    found = sorted(paths.parts(graph), key=lambda ids: _corner(ids, old))
    stop()
    level = levels(graph, stop)
    lines = {id: place.y + size_of(graph[id], sizes)[2] for id, place in old.items() if id in graph}
    parts, single = [], []
    for ids in found:
        stop()
        made = columns(graph, level, ids, sizes, stop)
        if len(ids) == 1:
            single.append(made[0][0])
            continue
        order(made, lines, stop)
        parts.append(_Part(made, stop))
    places: dict[str, Place] = {}
    top = 0.0
    for part in parts:
        top = part.place(places, top) + PART_GAP
    lowest = _place_rows(single, places, top)
    if lowest <= PLACE:
        return places
    # Too high for the half of the canvas below the origin.
    return {id: Place(x, y - grid.down(lowest / 2)) for id, (x, y) in places.items()}


def _corner(ids: Collection[str], old: Mapping[str, Place]) -> tuple[float, float]:
    places = [old[id] for id in ids if id in old]
    if not places:
        return math.inf, math.inf
    return min(place.y for place in places), min(place.x for place in places)


def _place_rows(items: Sequence[Item], places: dict[str, Place], top: float) -> float:
    """Put unwired cards below each other, many of them side by side; gives where they end."""
    across = 1 if len(items) <= FEW else math.ceil(math.sqrt(len(items)))
    for start in range(0, len(items), across):
        row = items[start : start + across]
        left = 0.0
        for item in row:
            places[item.id] = Place(left, top)
            left = grid.up(left + item.width + COLUMN_GAP)
        top = grid.up(top + max(item.height for item in row) + PART_GAP)
    return top


class _Part:
    """One connected part."""

    def __init__(self, found: Columns, stop: Stop) -> None:
        self._columns = found
        self._stop = stop
        for column in found:
            _settle(column, [0.0] * len(column), [1.0] * len(column))
        for _ in range(ROUNDS):
            for column in reversed(found):
                self._align(column, to_inputs=False)
            for column in found:
                self._align(column, to_inputs=True)

    def _align(self, column: list[Item], *, to_inputs: bool) -> None:
        self._stop()
        wanted, weights = zip(*(_wish(item, to_inputs=to_inputs) for item in column), strict=True)
        _settle(column, wanted, weights)

    def place(self, places: dict[str, Place], top: float) -> float:
        """Put the cards into `places`, the highest at `top`; gives where the lowest ends."""
        start = 0
        while start < len(self._columns):
            lefts = [0.0]
            for column in self._columns[start:]:
                lefts.append(grid.up(lefts[-1] + max(i.width for i in column) + COLUMN_GAP))
                if lefts[-1] > WIDEST:
                    break
            band = self._columns[start : start + len(lefts) - 1]
            top = _place_band(band, lefts, places, top)
            start += len(band)
            top += PART_GAP
        return top - PART_GAP


def _place_band(
    band: Columns, lefts: Sequence[float], places: dict[str, Place], top: float
) -> float:
    cards = [[item for item in column if item.id] for column in band]
    highest = min(_top(column[0]) for column in cards)
    lowest = top
    for column, left, width in zip(cards, lefts, _widths(cards), strict=False):
        free = top
        for item in column:
            y = max(grid.nearest(_top(item) - highest + top), free)
            # A literal stands close to its consumer, in the column to the right.
            x = left + width - item.width if item.is_literal else left
            places[item.id] = Place(grid.down(x), y)
            lowest = max(lowest, y + item.height)
            free = grid.up(y + item.height + ROW_GAP - grid.GRID)
    return grid.up(lowest)


def _widths(cards: Columns) -> list[float]:
    return [max(item.width for item in column) for column in cards]


def _top(item: Item) -> float:
    return item.y - item.above


def _wish(item: Item, *, to_inputs: bool) -> tuple[float, float]:
    """Where an item would like to be, and how much."""
    beside = _beside_consumer(item)
    if beside is not None:
        return beside, item.pull
    links = item.before if to_inputs else item.after
    pulls = [(end.y, _pull(item, end)) for end, _ in links]
    # Weights hang where there is room; the main line does not bend for them.
    pulls = [(y, pull) for y, pull in pulls if pull >= INNER] or pulls
    weight = sum(pull for _, pull in pulls)
    if not weight:
        return item.y, LITERAL
    return sum(y * pull for y, pull in pulls) / weight, weight


def _pull(item: Item, end: Item) -> float:
    if LANE in (item.pull, end.pull):
        return LANE
    # What stands beside a card follows it.
    return 0.0 if _beside_consumer(end) is not None else min(item.pull, end.pull)


def _beside_consumer(item: Item) -> float | None:
    """For a literal whose consumer has other inputs: below it, or above it if the literal is its first input."""
    if not item.is_literal:
        return None
    consumer, height = item.after[0]
    others = [h for source, h in consumer.before if not source.is_literal] + [*consumer.open]
    if not others:
        return None
    if height > min(others):
        return consumer.y + consumer.below + ROW_GAP + item.above
    return consumer.y - consumer.above - ROW_GAP - item.below


def _settle(column: list[Item], wanted: Sequence[float], weights: Sequence[float]) -> None:
    """Heights as near to the wanted ones as order and gaps allow: least squares, by pooling neighbours."""
    offsets = [0.0]
    for above, below in pairwise(column):
        offsets.append(offsets[-1] + _distance(above, below))
    # Each pool: mean of wanted − offset over its members, their weight, their number.
    pools: list[tuple[float, float, int]] = []
    for wish, offset, weight in zip(wanted, offsets, weights, strict=True):
        pool = (wish - offset, weight, 1)
        while pools and pools[-1][0] >= pool[0]:
            mean, heavy, count = pools.pop()
            total = heavy + pool[1]
            pool = ((mean * heavy + pool[0] * pool[1]) / total, total, count + pool[2])
        pools.append(pool)
    levels = [mean for mean, _, count in pools for _ in range(count)]
    for item, level, offset in zip(column, levels, offsets, strict=True):
        item.y = level + offset


def _distance(above: Item, below: Item) -> float:
    gap = (LANES_APART, LANE_GAP, ROW_GAP)[bool(above.id) + bool(below.id)]
    if above.of and above.of == below.of:
        gap = BUNDLED
    return above.below + gap + below.above
