"""Which part of a card is under a point, and where a part is."""

from __future__ import annotations

import math
from enum import Enum
from typing import Final, NamedTuple

from gradviz.picture.boxes import Arrangement, BandBox
from gradviz.picture.geometry import arrange
from gradviz.picture.look import NodeLook
from gradviz.picture.plane import Point, Rect

PORT_REACH: Final = 11.0
"""Ports are easier to hit than they look, most of all from outside of the card."""
REACH_INSIDE: Final = 8.0
"""Inside, the cells beside a port must be reachable too."""


class Part(Enum):
    """A part of a card that can be pointed at."""

    HEADER = "header"
    INPUT = "input"
    OUTPUT = "output"
    VALUE = "value"
    GRADIENT = "gradient"
    SLOT = "slot"
    ACTION = "action"
    BODY = "body"


class Hit(NamedTuple):
    """A part: the number of a port, slot or action, or row and column of a cell.

    Rows and columns count the cells that are shown; a heatmap may have left some out.
    """

    part: Part
    number: int = 0
    row: int = 0
    column: int = 0


def hit(look: NodeLook, point: Point) -> Hit | None:
    """The part of `look` under `point` (canvas pixels), `None` beside the card."""
    arrangement = arrange(look.card)
    at = Point(point.x - look.place.x, point.y - look.place.y)
    inside = Rect(0, 0, arrangement.width, arrangement.height).contains(at)
    port = _port(arrangement, at, REACH_INSIDE if inside else PORT_REACH)
    if port or not inside:
        return port
    return _inside(arrangement, at) or Hit(Part.BODY)


def _port(arrangement: Arrangement, at: Point, reach: float) -> Hit | None:
    ports = [(Part.INPUT, i, p) for i, p in enumerate(arrangement.inputs)]
    ports += [(Part.OUTPUT, i, p) for i, p in enumerate(arrangement.outputs)]
    near = [(math.dist(p, at), part, i) for part, i, p in ports]
    distance, part, index = min(near, key=lambda port: port[0], default=(math.inf, Part.BODY, 0))
    return Hit(part, index) if distance <= reach else None


def _inside(arrangement: Arrangement, at: Point) -> Hit | None:
    if arrangement.header and arrangement.header.contains(at):
        return Hit(Part.HEADER)
    for number, slot in enumerate(arrangement.slots):
        if slot.contains(at):
            return Hit(Part.SLOT, number)
    for number, (_, action) in enumerate(_actions(arrangement)):
        if action.contains(at):
            return Hit(Part.ACTION, number)
    return _in_band(arrangement.value, Part.VALUE, at) or _in_band(
        arrangement.gradient, Part.GRADIENT, at
    )


def _in_band(band: BandBox | None, part: Part, at: Point) -> Hit | None:
    cell = band.cell_at(at) if band else None
    return Hit(part, 0, *cell) if cell else None


def where(look: NodeLook, found: Hit) -> Rect:
    """The rectangle of a part, on the canvas: the inverse of `hit`."""
    return _where(arrange(look.card), found).moved(look.place)


def _where(arrangement: Arrangement, found: Hit) -> Rect:
    whole = Rect(0, 0, arrangement.width, arrangement.height)
    band = arrangement.value if found.part is Part.VALUE else arrangement.gradient
    if found.part in (Part.INPUT, Part.OUTPUT):
        ports = arrangement.inputs if found.part is Part.INPUT else arrangement.outputs
        return Rect(*ports[found.number], 0, 0).grown(PORT_REACH / 2)
    if found.part is Part.SLOT:
        return arrangement.slots[found.number]
    if found.part is Part.ACTION:
        return _actions(arrangement)[found.number][1]
    if found.part in (Part.VALUE, Part.GRADIENT) and band:
        return band.cell_rect(found.row, found.column)
    return arrangement.header or whole if found.part is Part.HEADER else whole


def _actions(arrangement: Arrangement) -> tuple[tuple[str, Rect], ...]:
    bands = (arrangement.value, arrangement.gradient)
    return tuple(action for band in bands if band and band.note for action in band.note.actions)
