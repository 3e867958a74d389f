"""Where cards stand: all of them, those without a place, or one that must not cover others.

`sizes` are those of the cards on the canvas, by id; a card that is not among them is taken to be of usual size.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from gradviz.edit import grid
from gradviz.edit.columns import Size, Sizes, is_literal, size_of
from gradviz.edit.layered import COLUMN_GAP, PART_GAP, ROW_GAP, layered
from gradviz.edit.nodes import checked_place
from gradviz.edit.part import part
from gradviz.graph import paths
from gradviz.graph.model import Diagram, Graph, Place
from gradviz.limits import PLACE

MARGIN: Final = 32.0
"""The room that stays free round a card for which a place is looked for."""
UNKNOWN: Final[Sizes] = {}


def arrange(diagram: Diagram, sizes: Sizes = UNKNOWN) -> Diagram:
    """Lay out the whole diagram anew."""
    return _placed(diagram, layered(diagram.graph, sizes))


def place_missing(diagram: Diagram, sizes: Sizes = UNKNOWN) -> Diagram:
    """Place the nodes that have no place: beside what they are wired to, on nothing else."""
    missing = [id for id in diagram.graph.nodes if id not in diagram.places]
    if len(missing) == len(diagram.graph):
        return arrange(diagram, sizes)
    return _placed(diagram, _beside(diagram, missing, sizes)) if missing else diagram


def free_place(diagram: Diagram, wanted: Place, size: Size, sizes: Sizes = UNKNOWN) -> Place:
    """The place nearest to `wanted` where a card of that size covers no other."""
    return _Room(card_boxes(diagram, sizes).values()).free(wanted, [Box(0, 0, *size[:2])])


def _placed(diagram: Diagram, places: Mapping[str, Place]) -> Diagram:
    """`diagram` with these places; the same one if they are the old ones."""
    checked = {id: checked_place(place) for id, place in places.items()}
    if all(diagram.places.get(id) == place for id, place in checked.items()):
        return diagram
    return replace(diagram, places={**diagram.places, **checked})


class Box(NamedTuple):
    """A rectangle on the canvas; its wires are `line` below the upper edge."""

    left: float
    top: float
    width: float
    height: float
    line: float = 0.0

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def wires(self) -> float:
        return self.top + self.line


def card_boxes(diagram: Diagram, sizes: Sizes) -> dict[str, Box]:
    """The cards that have a place."""
    graph = diagram.graph
    return {
        id: Box(*place, *size_of(graph[id], sizes))
        for id, place in diagram.places.items()
        if id in graph
    }


def _beside(diagram: Diagram, missing: Collection[str], sizes: Sizes) -> dict[str, Place]:
    graph = diagram.graph
    boxes = card_boxes(diagram, sizes)
    room = _Room(boxes.values())
    places: dict[str, Place] = {}
    alone: list[str] = []
    for ids in paths.parts(part(graph, missing)):
        if next(_outer(graph, ids, boxes), None) is not None:
            _put(_Block(graph, ids, sizes), room, places, graph, boxes)
        else:
            alone.extend(ids)
    if alone:
        _put(_Block(graph, alone, sizes), room, places, graph, boxes)
    return places


def _outer(
    graph: Graph, ids: Collection[str], boxes: Mapping[str, Box]
) -> Iterator[tuple[str, str, bool]]:
    """The wires between new nodes and placed ones: the new one, the other one, whether that is read."""
    for id in ids:
        for port in graph[id].inputs:
            if port is not None and port.node in boxes:
                yield id, port.node, True
        for end in graph.consumers_of(id):
            if end.node in boxes:
                yield id, end.node, False


class _Block:
    """New nodes that are laid out together and put down as one. Its corner is that of its cards."""

    def __init__(self, graph: Graph, ids: Collection[str], sizes: Sizes) -> None:
        places = layered(part(graph, ids), sizes)
        boxes = {id: Box(*places[id], *size_of(graph[id], sizes)) for id in ids}
        literals = [id for id in ids if is_literal(graph[id])]
        self.only_literals = len(literals) == len(boxes)
        cards = _around(boxes[id] for id in ids if self.only_literals or id not in literals)
        self.boxes = {
            id: box._replace(left=box.left - cards.left, top=box.top - cards.top)
            for id, box in boxes.items()
        }
        body = Box(0, 0, cards.width, cards.height)
        # A literal stands in a nook between other cards; it needs no more than its own room.
        self.shapes = [body, *(self.boxes[id] for id in literals if not self.only_literals)]

    def wanted(self, graph: Graph, boxes: Mapping[str, Box]) -> Place:
        """Where the corner should be: right of what the block reads, else left of what reads it."""
        wires = list(_outer(graph, self.boxes, boxes))
        read = [(self.boxes[id], boxes[other]) for id, other, reads in wires if reads]
        if read:
            left = max(other.right for _, other in read) + COLUMN_GAP
            return Place(left, _mean(other.wires - box.wires for box, other in read))
        feeding = [(self.boxes[id], boxes[other]) for id, other, _ in wires]
        if not feeding:
            everything = _around(boxes.values())
            return Place(everything.left, everything.bottom + PART_GAP)
        left = min(other.left for _, other in feeding) - COLUMN_GAP - self.shapes[0].width
        if self.only_literals:
            # To the left of their consumer there is what else it reads.
            return Place(left, max(other.bottom for _, other in feeding) + ROW_GAP)
        return Place(left, _mean(other.wires - box.wires for box, other in feeding))


def _around(boxes: Iterable[Box]) -> Box:
    """The smallest rectangle that holds all of them."""
    found = list(boxes)
    left, top = min(box.left for box in found), min(box.top for box in found)
    right, bottom = max(box.right for box in found), max(box.bottom for box in found)
    return Box(left, top, right - left, bottom - top)


def _put(
    block: _Block, room: _Room, places: dict[str, Place], graph: Graph, boxes: Mapping[str, Box]
) -> None:
    corner = room.free(block.wanted(graph, boxes), block.shapes)
    for id, box in block.boxes.items():
        places[id] = Place(corner.x + box.left, corner.y + box.top)
        room.take(Box(*places[id], box.width, box.height))


def _mean(numbers: Iterable[float]) -> float:
    found = list(numbers)
    return sum(found) / len(found)


class _Room:
    """What stands on the canvas, and how near to a wanted place something else fits."""

    def __init__(self, boxes: Iterable[Box]) -> None:
        self._boxes = list(boxes)

    def take(self, box: Box) -> None:
        self._boxes.append(box)

    def free(self, wanted: Place, shapes: Collection[Box]) -> Place:
        """The free place nearest to the wanted one, straight above, below, left or right of it, on the grid.

        `shapes` are relative to the place.
        """
        across, down = _reach(shape.left for shape in shapes), _reach(shape.top for shape in shapes)
        x, y = across.nearest(wanted.x), down.nearest(wanted.y)
        for shape in shapes:
            for box in self._boxes:
                lefts = box.left - MARGIN - shape.right, box.right + MARGIN - shape.left
                tops = box.top - MARGIN - shape.bottom, box.bottom + MARGIN - shape.top
                if lefts[0] < x < lefts[1]:
                    down.taken.append(tops)
                if tops[0] < y < tops[1]:
                    across.taken.append(lefts)
        free_x, free_y = across.free(x), down.free(y)
        if math.isinf(free_x) and math.isinf(free_y):
            return Place(x, y)
        # Rather below than beside: columns are read from top to bottom.
        return Place(x, free_y) if abs(free_y - y) <= 2 * abs(free_x - x) else Place(free_x, y)


@dataclass(slots=True)
class _Axis:
    """The numbers from `low` to `high` without those in the open intervals `taken`."""

    low: float
    high: float
    taken: list[tuple[float, float]] = field(default_factory=list)

    def nearest(self, wanted: float) -> float:
        """The number on the grid nearest to `wanted`, taken or not."""
        return grid.nearest(min(max(wanted, self.low), self.high))

    def free(self, wanted: float) -> float:
        """The number on the grid nearest to `wanted` that is not taken; infinity if all are."""
        up = down = wanted
        for start, end in sorted(self.taken):
            if start < up < end:
                up = grid.up(end)
        for start, end in sorted(self.taken, key=lambda interval: -interval[1]):
            if start < down < end:
                down = grid.down(start)
        found = [x for x in (up, down) if self.low <= x <= self.high]
        return min(found, key=lambda x: abs(x - wanted), default=math.inf)


def _reach(starts: Iterable[float]) -> _Axis:
    """Where a place can be so that nothing that starts there leaves the canvas."""
    found = list(starts)
    return _Axis(-PLACE - min(found), PLACE - max(found))
