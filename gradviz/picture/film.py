"""How things move: durations, and what travels on a wire at each moment, as pure functions.

Motion belongs to the family of an op: a reduction sends its rows one after the other and piles them
up, a spread unfolds a number into a sheet, a gate shuts cells, a route lets what arrives fly to the
cells it came from. Going back, reduce and spread change roles, and a broadcast folds its rows.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple, TypeGuard

import numpy as np

from gradviz.picture.look import Cells, Content, Flow, Heat, Number, PacketLook
from gradviz.picture.plane import Point

PACKET_MS: Final = 450.0
MERGE_MS: Final = 300.0
PAUSE_MS: Final = 900.0
STAGGER: Final = 0.45
"""The share of a journey by which the last row starts after the first."""
TURNING: Final = (0.35, 0.65)
"""The part of a journey in which a packet becomes what it will be."""
MOST_PARTS: Final = 6
NEAR_PORT: Final = 0.25
SMALL: Final = 0.5
FIT: Final = "fit"
"""What is broadcast forward is added up backward, whatever the family of the op."""


class Timing(NamedTuple):
    """How long each part of a step takes, in milliseconds."""

    packet: float
    merge: float
    pause: float


def timing(speed: float = 1.0, *, reduced: bool = False) -> Timing:
    """Durations at `speed`. With reduced motion nothing moves, and only the pauses remain."""
    if reduced:
        return Timing(0.0, 0.0, (PACKET_MS + PAUSE_MS) / speed)
    return Timing(PACKET_MS / speed, MERGE_MS / speed, PAUSE_MS / speed)


def ease(progress: float) -> float:
    """Slow, fast, slow."""
    t = min(max(progress, 0.0), 1.0)
    return t * t * (3 - 2 * t)


def packets(
    family: str, flow: Flow, wire: str, before: Content, after: Content, progress: float
) -> tuple[PacketLook, ...]:
    """What is on `wire` at `progress` (0 to 1) of its journey.

    `before` leaves and `after` arrives: the amount and the contribution of a backward step.
    `family` is that of the op whose rule is shown.
    """
    if not 0.0 <= progress <= 1.0:
        return ()
    return tuple(map(_small_at_ports, _moving(family, flow, wire, before, after, progress)))


def _small_at_ports(packet: PacketLook) -> PacketLook:
    """Sheets come out of a port and go into one, so that they hide little of the cards there."""
    if isinstance(packet.content, Number):
        return packet
    inside = ease(min(packet.along, 1.0 - packet.along) / NEAR_PORT)
    return replace(packet, size=packet.size * (SMALL + (1.0 - SMALL) * inside))


def _moving(
    family: str, flow: Flow, wire: str, before: Content, after: Content, progress: float
) -> tuple[PacketLook, ...]:
    motion = _motion(family, flow)
    if motion == "source":
        return ()
    if motion == "reduce" and isinstance(before, Cells | Heat) and not _same_size(before, after):
        return _rows(wire, flow, before, after, progress)
    if motion == "spread" and isinstance(after, Cells | Heat):
        return _unfolding(wire, flow, before, after, progress)
    if motion == "gate" and _same_shape(before, after):
        return _shutting(wire, flow, before, after, progress)
    if motion == "route" and flow is Flow.BACKWARD and isinstance(after, Cells | Heat):
        return _scattering(wire, flow, before, after, progress)
    if motion in ("move", "route") and _same_size(before, after):
        return _turning(wire, flow, before, after, progress)
    if motion == "contract" and isinstance(after, Cells | Heat):
        return _row_by_row(wire, flow, before, after, progress)
    return _changing(wire, flow, before, after, progress)


def _same_shape(before: Content, after: Content) -> TypeGuard[Cells | Heat]:
    return (
        isinstance(before, Cells | Heat)
        and isinstance(after, Cells | Heat)
        and before.values.shape == after.values.shape
    )


def _same_size(before: Content, after: Content) -> bool:
    return _cells_of(before) == _cells_of(after)


def _cells_of(content: Content) -> int:
    return 1 if isinstance(content, Number) else content.values.size


def _motion(family: str, flow: Flow) -> str:
    if family == FIT:
        return "reduce"
    if flow is Flow.BACKWARD:
        return {"reduce": "spread", "spread": "reduce"}.get(family, family)
    return family


def _along(progress: float, flow: Flow) -> float:
    return ease(progress) if flow is Flow.FORWARD else 1.0 - ease(progress)


def _part(progress: float, start: float, end: float) -> float:
    """How far `progress` is between `start` and `end`, 0 to 1."""
    return min(max((progress - start) / (end - start), 0.0), 1.0)


def _changing(
    wire: str, flow: Flow, before: Content, after: Content, progress: float
) -> tuple[PacketLook, ...]:
    """One packet that becomes the result half-way, and swells as it does (map, gate, solve)."""
    swell = math.sin(math.pi * _part(progress, *TURNING)) * 0.25
    content = before if progress < 0.5 else after
    return (PacketLook(wire, content, _along(progress, flow), flow, size=1.0 + swell),)


def _shutting(
    wire: str, flow: Flow, before: Cells | Heat, after: Content, progress: float
) -> tuple[PacketLook, ...]:
    """Half-way, shutters close over the cells that do not pass (gate)."""
    assert isinstance(after, Cells | Heat)
    stopped = np.argwhere((after.values == 0) & (before.values != 0))
    shut = tuple((int(row), int(column)) for row, column in stopped)
    closed = _part(progress, TURNING[0], 0.55)
    content = before if progress < TURNING[1] else after
    along = _along(progress, flow)
    return (PacketLook(wire, content, along, flow, shut=shut, shutter=closed),)


def _scattering(
    wire: str, flow: Flow, before: Content, after: Cells | Heat, progress: float
) -> tuple[PacketLook, ...]:
    """What comes back flies to the cells it was taken from; the others stay 0 (route)."""
    along = _along(progress, flow)
    if progress < TURNING[0]:
        return (PacketLook(wire, before, along, flow),)
    flown = ease(_part(progress, TURNING[0], 0.9))
    return (PacketLook(wire, after, along, flow, size=0.8 + 0.2 * flown, spread=flown),)


def _turning(
    wire: str, flow: Flow, before: Content, after: Content, progress: float
) -> tuple[PacketLook, ...]:
    """A sheet that is turned over: the same cells in another order (move, route)."""
    turn = abs(math.cos(math.pi * _part(progress, *TURNING)))
    content = before if progress < 0.5 else after
    return (PacketLook(wire, content, _along(progress, flow), flow, turn=max(turn, 0.05)),)


def _rows(
    wire: str, flow: Flow, before: Cells | Heat, after: Content, progress: float
) -> tuple[PacketLook, ...]:
    """The rows leave one after the other, and pile up into the result."""
    parts = _split(before)
    if progress >= 1.0 or len(parts) == 1:
        return _changing(wire, flow, before, after, progress)
    found = []
    for number, part in enumerate(parts):
        start = STAGGER * number / (len(parts) - 1)
        own = _part(progress, start, start + 1 - STAGGER)
        lane = (number - (len(parts) - 1) / 2) * 20.0 * (1 - ease(own))
        gone = _part(own, 0.9, 1.0)
        found.append(
            PacketLook(
                wire, part, _along(own, flow), flow, Point(0.0, lane), opacity=1.0 - 0.9 * gone
            )
        )
    arrived = _part(progress, 0.85, 1.0)
    if arrived:
        end = _along(1.0, flow)
        found.append(PacketLook(wire, after, end, flow, opacity=arrived, size=0.7 + 0.3 * arrived))
    return tuple(found)


def _unfolding(
    wire: str, flow: Flow, before: Content, after: Cells | Heat, progress: float
) -> tuple[PacketLook, ...]:
    """What was small goes first, then unfolds row by row into the sheet it becomes."""
    along = _along(progress, flow)
    if progress < TURNING[0]:
        return (PacketLook(wire, before, along, flow),)
    unfolded = ease(_part(progress, TURNING[0], 0.9))
    rows = len(after.values)
    reveal = max(1, math.ceil(unfolded * rows)) / rows
    return (PacketLook(wire, after, along, flow, reveal=reveal, size=0.8 + 0.2 * unfolded),)


def _row_by_row(
    wire: str, flow: Flow, before: Content, after: Cells | Heat, progress: float
) -> tuple[PacketLook, ...]:
    """The sheet leaves, and its product builds up below it, row by row (contract)."""
    along = _along(progress, flow)
    if progress < TURNING[0]:
        return (PacketLook(wire, before, along, flow),)
    reveal = _part(progress, TURNING[0], 0.85)
    fading = 1.0 - _part(progress, *TURNING)
    leaving = PacketLook(wire, before, along, flow, opacity=fading, size=0.9)
    coming = PacketLook(wire, after, along, flow, reveal=max(reveal, 1e-3))
    return (leaving, coming) if fading else (coming,)


def _split(content: Cells | Heat) -> list[Content]:
    """The rows of `content`; of many rows a few equal parts."""
    count = min(len(content.values), MOST_PARTS)
    edges = np.linspace(0, len(content.values), count + 1).astype(int)
    return [_slice(content, int(a), int(b)) for a, b in pairwise(edges)]


def _slice(content: Cells | Heat, start: int, stop: int) -> Content:
    values = content.values[start:stop]
    if isinstance(content, Heat):
        return replace(content, values=values, row_gap=0)
    return replace(content, values=values, rows=content.rows[start:stop])
