"""Where cards stand: all of them, those without a place, or one that must not cover others.

`sizes` are those of the cards on the canvas, by id; a card that is not among them is taken to be of usual size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from statistics import median
from typing import Final, NamedTuple

from gradviz.edit import grid
from gradviz.edit.columns import Size, Sizes, is_literal, size_of
from gradviz.edit.grid import checked_place
from gradviz.edit.layered import COLUMN_GAP, PART_GAP, ROW_GAP, layered
from gradviz.edit.nodes import move
from gradviz.edit.part import part
from gradviz.edit.routes import straightened
from gradviz.graph import paths
from gradviz.graph.model import Diagram, Graph, Place
from gradviz.limits import PLACE

MARGIN: Final = 32.0
"""The room that stays free round a card for which a place is looked for."""
PUSHED: Final = 2_000
"""Larger diagrams are left as they are: looking at every pair would take too long."""
PAIRS: Final = 200_000
"""So many pairs of cards are looked at one by one; beyond that the others keep clear of the whole block."""
UNKNOWN: Final[Sizes] = {}


class _CancelledError(Exception):
    """Nobody waits for the layout any longer."""


def arrange(
    diagram: Diagram,
    sizes: Sizes = UNKNOWN,
    ids: Collection[str] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Diagram:
    """Lay out these cards anew, or all, near where they are. What stands above what stays where that is as good.

    Of some cards, those that wires join are laid out together, the others stay if they cover nothing; what is not among
    them stays, and is not covered. When `cancelled` (asked every few milliseconds) the diagram as it is.
    """

    def stop() -> None:
        if cancelled():
            raise _CancelledError

    graph = diagram.graph
    chosen = graph if ids is None or graph.nodes.keys() <= {*ids} else part(graph, ids)
    try:
        places = _tidied(diagram, chosen, sizes, stop)
    except _CancelledError:
        return diagram
    return straightened(move(diagram, places), diagram, chosen.nodes)


def _tidied(
    diagram: Diagram, chosen: Graph, sizes: Sizes, stop: Callable[[], None]
) -> dict[str, Place]:
    """New places for all cards, or for a part of the graph."""
    old = {id: diagram.places[id] for id in chosen.nodes if id in diagram.places}
    if chosen is diagram.graph:
        places = layered(chosen, sizes, old, stop)
        return _moved_to(places, _near(chosen, places, old, sizes, _Room([])))
    others = {id: box for id, box in card_boxes(diagram, sizes).items() if id not in chosen}
    room = _Room([*others.values(), *note_boxes(diagram)])
    found: dict[str, Place] = {}
    tops = {id: place.y for id, place in old.items()}
    parts = sorted(paths.parts(chosen), key=lambda ids: min(tops.get(id, math.inf) for id in ids))
    for ids in parts:
        stop()
        piece = part(chosen, ids)
        there = {id: old[id] for id in ids if id in old}
        places = layered(piece, sizes, there, stop)
        places = _moved_to(places, _near(piece, places, there, sizes, room))
        found.update(places)
        for box in _boxes(piece, places, sizes).values():
            room.take(box)
    return found


def _near(
    graph: Graph, places: Mapping[str, Place], old: Mapping[str, Place], sizes: Sizes, room: _Room
) -> tuple[float, float]:
    """How far to move what was laid out so that most cards are as near as can be to where they were, on nothing else."""
    if not old:
        return 0.0, 0.0
    block = _boxes(graph, places, sizes)
    body = around(block.values())
    x = body.left + median(place.x - places[id].x for id, place in old.items())
    y = body.top + median(place.y - places[id].y for id, place in old.items())
    corner = room.free(Place(x, y), body, block.values())
    return corner.x - body.left, corner.y - body.top


def _moved_to(places: Mapping[str, Place], by: tuple[float, float]) -> dict[str, Place]:
    return {id: Place(place.x + by[0], place.y + by[1]) for id, place in places.items()}


def place_missing(diagram: Diagram, sizes: Sizes = UNKNOWN) -> Diagram:
    """Place the nodes that have no place: beside what they are wired to, on nothing else."""
    missing = [id for id in diagram.graph.nodes if id not in diagram.places]
    if len(missing) == len(diagram.graph):
        return arrange(diagram, sizes)
    return _placed(diagram, _beside(diagram, missing, sizes)) if missing else diagram


def free_place(diagram: Diagram, wanted: Place, size: Size, sizes: Sizes = UNKNOWN) -> Place:
    """The place nearest to `wanted` where a card of that size covers no other."""
    width, height, *_ = size
    card = Box(0.0, 0.0, width, height)
    return _Room([*card_boxes(diagram, sizes).values(), *note_boxes(diagram)]).free(wanted, card)


def push_apart(diagram: Diagram, sizes: Sizes = UNKNOWN) -> Diagram:
    """Move cards down that another one has come to cover because it grew; all others stay."""
    boxes = card_boxes(diagram, sizes)
    if len(boxes) > PUSHED:
        return diagram
    settled: list[Box] = []
    moved: dict[str, Place] = {}
    for id in sorted(boxes, key=lambda id: boxes[id].top):
        box = boxes[id]
        while (above := next((b for b in settled if _overlap(b, box)), None)) is not None:
            box = box._replace(top=grid.up(above.bottom + ROW_GAP))
            moved[id] = Place(box.left, box.top)
        settled.append(box)
    return _placed(diagram, moved) if moved else diagram


def _overlap(a: Box, b: Box) -> bool:
    return a.left < b.right and b.left < a.right and a.top < b.bottom and b.top < a.bottom


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
    return _boxes(diagram.graph, diagram.places, sizes)


def _boxes(graph: Graph, places: Mapping[str, Place], sizes: Sizes) -> dict[str, Box]:
    return {
        id: Box(*place, *size_of(graph[id], sizes)) for id, place in places.items() if id in graph
    }


def note_boxes(diagram: Diagram) -> list[Box]:
    """The notes that lie on the canvas: nothing new shall cover them."""
    found = []
    for note in diagram.notes:
        place = note.get("place")
        if (
            isinstance(place, tuple)
            and len(place) == 4
            and all(isinstance(n, int | float) for n in place)
        ):
            found.append(Box(*place))
    return found


def _beside(diagram: Diagram, missing: Collection[str], sizes: Sizes) -> dict[str, Place]:
    graph = diagram.graph
    placing = _Placing(graph, card_boxes(diagram, sizes), sizes, note_boxes(diagram))
    alone: list[str] = []
    for ids in paths.parts(part(graph, missing)):
        if placing.reads(ids):
            core = [id for id in ids if not _hangs(graph, id)]
            placing.put_right(core)
            placing.hang([id for id in ids if _hangs(graph, id)])
        elif not placing.feeds(ids):
            alone.extend(ids)
        elif all(_hangs(graph, id) for id in ids):
            placing.hang(ids)
        else:
            placing.put_left(ids)
    placing.put_below(alone)
    return {id: Place(box.left, box.top) for id, box in placing.boxes.items() if id in missing}


def _hangs(graph: Graph, id: str) -> bool:
    """Whether a node is a source with one consumer: it finds a place once that one has."""
    return not any(graph[id].inputs) and len(graph.consumers_of(id)) == 1


class _Placing:
    """Finds places beside what stands on the canvas already; `boxes` grows with each."""

    def __init__(
        self, graph: Graph, boxes: dict[str, Box], sizes: Sizes, notes: Iterable[Box]
    ) -> None:
        self.boxes = boxes
        self._graph = graph
        self._sizes = sizes
        self._room = _Room([*boxes.values(), *notes])

    def reads(self, ids: Iterable[str]) -> list[tuple[str, str]]:
        """The wires from placed nodes to `ids`: the new end, then the placed one."""
        return [
            (id, port.node)
            for id in ids
            for port in self._graph[id].inputs
            if port is not None and port.node in self.boxes
        ]

    def feeds(self, ids: Iterable[str]) -> list[tuple[str, str]]:
        """The wires from `ids` to placed nodes: the new end, then the placed one."""
        return [
            (id, end.node)
            for id in ids
            for end in self._graph.consumers_of(id)
            if end.node in self.boxes
        ]

    def put_right(self, ids: Collection[str]) -> None:
        """Put `ids` right of what they read."""
        wires = self.reads(ids)
        left = max(self.boxes[other].right for _, other in wires) + COLUMN_GAP
        self._put(ids, wires, lambda _: left)

    def put_left(self, ids: Collection[str]) -> None:
        """Put `ids` left of what reads them."""
        wires = self.feeds(ids)
        right = min(self.boxes[other].left for _, other in wires) - COLUMN_GAP
        self._put(ids, wires, lambda width: right - width)

    def _put(
        self, ids: Collection[str], wires: list[tuple[str, str]], left: Callable[[float], float]
    ) -> None:
        block = self._laid_out(ids)
        body = around(block.values())
        drops = [self.boxes[other].wires - block[id].wires for id, other in wires]
        self._take(block, body, Place(left(body.width), sum(drops) / len(drops)))

    def put_below(self, ids: Collection[str]) -> None:
        """Put `ids`, which have no wire to what stands there, below everything."""
        if ids:
            block, everything = self._laid_out(ids), around(self.boxes.values())
            wanted = Place(everything.left, everything.bottom + PART_GAP)
            self._take(block, around(block.values()), wanted)

    def hang(self, ids: Iterable[str]) -> None:
        """Put sources left of the one that reads them, and below what stands there."""
        for id in ids:
            (consumer,) = (self.boxes[other] for _, other in self.feeds([id]))
            box = Box(0, 0, *size_of(self._graph[id], self._sizes))
            top = consumer.wires - box.line
            if is_literal(self._graph[id]):
                top = consumer.bottom + ROW_GAP
            self._take({id: box}, box, Place(consumer.left - COLUMN_GAP - box.width, top))

    def _laid_out(self, ids: Collection[str]) -> dict[str, Box]:
        return _boxes(self._graph, layered(part(self._graph, ids), self._sizes), self._sizes)

    def _take(self, block: Mapping[str, Box], body: Box, wanted: Place) -> None:
        corner = self._room.free(wanted, body)
        for id, box in block.items():
            left, top = corner.x + box.left - body.left, corner.y + box.top - body.top
            self.boxes[id] = box._replace(left=left, top=top)
            self._room.take(self.boxes[id])


def around(boxes: Iterable[Box]) -> Box:
    """The smallest rectangle that holds all of them."""
    found = list(boxes)
    left, top = min(box.left for box in found), min(box.top for box in found)
    right, bottom = max(box.right for box in found), max(box.bottom for box in found)
    return Box(left, top, right - left, bottom - top)


class _Room:
    """What stands on the canvas, and how near to a wanted place something else fits."""

    def __init__(self, boxes: Iterable[Box]) -> None:
        self._boxes = list(boxes)

    def take(self, box: Box) -> None:
        self._boxes.append(box)

    def free(self, wanted: Place, body: Box, cards: Collection[Box] = ()) -> Place:
        """Where the upper left corner of `body` goes: nearest to the wanted place, straight above, below, left or right.

        On the grid. `cards` are those in the body: what lies between them may stay there.
        """
        if len(cards) * len(self._boxes) > PAIRS:
            cards = ()
        last_x, last_y = PLACE - body.width, PLACE - body.height
        x, y = _within(wanted.x, last_x), _within(wanted.y, last_y)
        across, down = [], []
        for card in cards or [body]:
            left, top = card.left - body.left + x, card.top - body.top + y
            right, bottom = left + card.width + MARGIN, top + card.height + MARGIN
            left, top = left - MARGIN, top - MARGIN
            for box in self._boxes:
                if top < box.bottom and box.top < bottom:
                    across.append((x + box.left - right, x + box.right - left))
                if left < box.right and box.left < right:
                    down.append((y + box.top - bottom, y + box.bottom - top))
        free_x, free_y = _outside(across, x, last_x), _outside(down, y, last_y)
        if math.isinf(free_x) and math.isinf(free_y):
            return Place(x, y)
        # Rather below than beside: columns are read from top to bottom.
        return Place(x, free_y) if abs(free_y - y) <= 2 * abs(free_x - x) else Place(free_x, y)


def _within(x: float, last: float) -> float:
    return grid.nearest(min(max(x, -PLACE), last))


def _outside(intervals: list[tuple[float, float]], wanted: float, last: float) -> float:
    """The number on the grid nearest to `wanted` that lies in no open interval; infinity if there is none."""
    up = down = wanted
    for start, end in sorted(intervals):
        if start < up < end:
            up = grid.up(end)
    for start, end in sorted(intervals, key=lambda interval: -interval[1]):
        if start < down < end:
            down = grid.down(start)
    found = [x for x in (up, down) if -PLACE <= x <= last]
    return min(found, key=lambda x: abs(x - wanted), default=math.inf)
