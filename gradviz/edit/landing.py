"""Where something new lands: near where it is wanted, in view if there is room, on nothing else."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from gradviz.edit import grid
from gradviz.edit.columns import Sizes, size_of
from gradviz.edit.layout import MARGIN, Box, card_boxes, note_boxes
from gradviz.edit.nodes import move
from gradviz.graph.model import Diagram, Place
from gradviz.graph.walk import ancestors, descendants
from gradviz.limits import PLACE

MANY: Final = 200
"""With more cards in view than this, the place straight beside what is there is taken, which is found at once."""
NEAR: Final = 16.0
"""Cards that are nearer than this hide the wire between them."""
EVERYWHERE: Final = Box(-PLACE, -PLACE, 2 * PLACE, 2 * PLACE)


def block(diagram: Diagram, ids: Iterable[str], sizes: Sizes) -> Box:
    """The rectangle around some cards; those without a place are at the origin."""
    boxes = [
        Box(*diagram.places.get(id, Place(0, 0)), *size_of(diagram.graph[id], sizes)) for id in ids
    ]
    left, top = min(box.left for box in boxes), min(box.top for box in boxes)
    right, bottom = max(box.right for box in boxes), max(box.bottom for box in boxes)
    return Box(left, top, right - left, bottom - top)


def offset(
    diagram: Diagram, ids: Collection[str], corner: Place, sizes: Sizes, view: Box = EVERYWHERE
) -> Place:
    """How far to move the cards `ids` together so that their corner is as near to `corner` as can be.

    They cover no other card and no note, and lie in `view`, if it has room for them.
    """
    body = block(diagram, ids, sizes)
    others = [box for id, box in card_boxes(diagram, sizes).items() if id not in ids]
    place = free_corner([*others, *note_boxes(diagram)], corner, body, view)
    return Place(place.x - body.left, place.y - body.top)


def free_corner(taken: Collection[Box], corner: Place, body: Box, view: Box) -> Place:
    """The corner nearest to a wanted one at which something of the size of `body` covers nothing."""
    if body.width <= view.width and body.height <= view.height:
        near = [box for box in taken if _overlap(box, view)]
        found = _nearest(near, corner, body, view) if len(near) <= MANY else None
        if found is not None:
            return found
    return _nearest(taken, corner, body, EVERYWHERE, across=len(taken) <= MANY) or corner


def make_room(diagram: Diagram, id: str, sizes: Sizes) -> Diagram:
    """Where a card was put in between and covers others: it goes right of what it reads, and what reads it makes way.

    Nothing is moved that need not be. Other cards stay: it goes beside them.
    """
    boxes, notes = card_boxes(diagram, sizes), note_boxes(diagram)
    body = boxes[id]
    after = descendants(diagram.graph, [id]) - {id}
    before = ancestors(diagram.graph, [id]) - {id}
    covered = {other for other, box in boxes.items() if other != id and _overlap(box, body, NEAR)}
    if not covered and not any(_overlap(note, body, 0) for note in notes):
        return diagram
    left = max((boxes[other].right + MARGIN for other in covered & before), default=body.left)
    fixed = [*notes, *(box for other, box in boxes.items() if other not in after | {id})]
    corner = Place(max(left, body.left), body.top)
    if covered - after or any(_overlap(note, body, 0) for note in notes):
        corner = free_corner(fixed, corner, body, EVERYWHERE)
    body = body._replace(left=corner.x, top=corner.y)
    return move(diagram, {id: corner, **_made_way(after, boxes, body, fixed)})


def make_way(diagram: Diagram, grown: Iterable[str], sizes: Sizes) -> Diagram:
    """Where cards have grown over what is computed from them, that makes way to the right."""
    for id in sorted(grown, key=lambda id: diagram.places[id].x):
        boxes = card_boxes(diagram, sizes)
        after = descendants(diagram.graph, [id]) - {id}
        fixed = [box for other, box in boxes.items() if other not in after | {id}]
        fixed += note_boxes(diagram)
        diagram = move(diagram, _made_way(after, boxes, boxes[id], fixed, near=0))
    return diagram


def _made_way(
    after: Collection[str],
    boxes: Mapping[str, Box],
    body: Box,
    fixed: Collection[Box],
    near: float = NEAR,
) -> dict[str, Place]:
    """Where the cards behind `body` go, all by as much, so that none is covered by it, or by what stays."""
    covered = [boxes[id] for id in after if id in boxes and _overlap(boxes[id], body, near)]
    if not covered:
        return {}
    first = min(box.left for box in covered)
    behind = {id: boxes[id] for id in after if id in boxes and boxes[id].left >= first}
    stay = [*fixed, body, *(boxes[id] for id in after if id in boxes and id not in behind)]
    by = grid.up(body.right + MARGIN - first)
    # Each round goes past one more of the cards that stay.
    for _ in range(len(stay)):
        moved = [box._replace(left=box.left + by) for box in behind.values()]
        hit = [
            (other.right + MARGIN - box.left)
            for box in moved
            for other in stay
            if _overlap(box, other, 0)
        ]
        if not hit:
            break
        by = grid.up(by + max(hit))
    return {id: Place(box.left + by, box.top) for id, box in behind.items()}


def _overlap(a: Box, b: Box, margin: float = MARGIN) -> bool:
    return (
        a.left < b.right + margin
        and b.left < a.right + margin
        and a.top < b.bottom + margin
        and b.top < a.bottom + margin
    )


def _nearest(
    taken: Collection[Box], wanted: Place, body: Box, room: Box, *, across: bool = True
) -> Place | None:
    """The nearest free corner in `room`; None if there is none. Rather below than beside."""
    left, right = grid.up(room.left), grid.down(room.right - body.width)
    top, bottom = grid.up(room.top), grid.down(room.bottom - body.height)
    if left > right or top > bottom:
        return None
    x0 = grid.nearest(min(max(wanted.x, left), right))
    y0 = grid.nearest(min(max(wanted.y, top), bottom))
    columns = {x0}
    if across:
        columns |= {grid.up(box.right + MARGIN) for box in taken}
        columns |= {grid.down(box.left - MARGIN - body.width) for box in taken}
    else:
        columns |= {left, right}
    best, found = math.inf, None
    for x in sorted(columns, key=lambda x: (abs(x - x0), x)):
        if 2 * abs(x - x0) >= best:
            break
        if left <= x <= right:
            y = _free_height(taken, x, y0, body, top, bottom)
            cost = 2 * abs(x - x0) + abs(y - y0)
            if cost < best:
                best, found = cost, Place(x, y)
    return found


def _free_height(
    taken: Collection[Box], x: float, wanted: float, body: Box, top: float, bottom: float
) -> float:
    """The height nearest to `wanted` where, at `x`, nothing is covered; infinity if there is none."""
    blocked = [
        (box.top - MARGIN - body.height, box.bottom + MARGIN)
        for box in taken
        if box.left - MARGIN - body.width < x < box.right + MARGIN
    ]
    below = above = wanted
    for start, end in sorted(blocked):
        if start < below < end:
            below = grid.up(end)
    for start, end in sorted(blocked, key=lambda interval: -interval[1]):
        if start < above < end:
            above = grid.down(start)
    found = [y for y in (below, above) if top <= y <= bottom]
    return min(found, key=lambda y: abs(y - wanted), default=math.inf)
