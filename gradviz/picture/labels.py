"""Finds room for the labels beside wires, and composes frames."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from gradviz.picture import curve as curves
from gradviz.picture import text
from gradviz.picture.geometry import card_rect, outer_rect
from gradviz.picture.look import (
    Arrow,
    Flow,
    Frame,
    Label,
    NodeLook,
    NoteLook,
    PacketLook,
    WireLook,
)
from gradviz.picture.matrix import thumb_size
from gradviz.picture.plane import Point, Rect

PADDING: Final = 10.0
LINE: Final = 16.0
DISTANCE: Final = 20.0
"""Between a wire and its label, so that a packet passes."""
SHARES: Final = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)
DISTANCES: Final = (DISTANCE, 2 * DISTANCE, 4 * DISTANCE, 7 * DISTANCE)


def label_size(lines: Sequence[str]) -> tuple[float, float]:
    """Width and height of a label with these lines."""
    widest = max(text.width(line, text.STRONG_NUMBER) for line in lines)
    return math.ceil(widest) + 2 * PADDING, len(lines) * LINE + PADDING


def line_rect(label: Label, number: int) -> Rect:
    """Where a line of a placed label stands."""
    place = label.place or Rect(0, 0, 0, 0)
    top = place.y + PADDING / 2 + number * LINE
    return Rect(place.x + PADDING, top, place.width - 2 * PADDING, LINE)


def place_label(
    wire: WireLook, lines: Sequence[str], cards: Iterable[Rect], others: Iterable[WireLook] = ()
) -> Label:
    """`lines` as a label beside `wire`, where it covers no card and as little of wires as can be.

    `cards` also holds whatever else must stay visible, such as labels placed before.
    """
    size = label_size(lines)
    obstacles = list(cards)
    points = wire.curve
    busy = [p for other in others for p in _points(other)] + list(curves.polyline(points))
    best: tuple[float, Rect, Point] | None = None
    for rank, (anchor, place) in enumerate(_candidates(points, size)):
        cost = rank * 0.5 + _cost(place, obstacles, busy)
        if best is None or cost < best[0]:
            best = (cost, place, anchor)
    assert best is not None
    return Label(tuple(lines), best[1], best[2])


def _points(wire: WireLook) -> tuple[Point, ...]:
    return curves.polyline(wire.curve)


def _candidates(points: curves.Curve, size: tuple[float, float]) -> Iterable[tuple[Point, Rect]]:
    """Places above and below the wire, the nearest and most central ones first."""
    for distance in DISTANCES:
        for share in SHARES:
            anchor = curves.point_at(points, share)
            for side in (-1, 1):
                middle = anchor.y + side * (distance + size[1] / 2)
                place = Rect(round(anchor.x - size[0] / 2), round(middle - size[1] / 2), *size)
                yield anchor, place


def _cost(place: Rect, obstacles: Sequence[Rect], busy: Sequence[Point]) -> float:
    near = place.grown(6)
    covered = sum(near.overlap(card) for card in obstacles)
    crossed = sum(1 for point in busy if near.contains(point))
    return covered + 4.0 * crossed


def compose(
    nodes: Sequence[NodeLook],
    wires: Sequence[WireLook] = (),
    packets: Sequence[PacketLook] = (),
    notes: Sequence[NoteLook] = (),
    arrows: Sequence[Arrow] = (),
) -> Frame:
    """A frame of these looks: labels without a place get one, and the bounds are computed."""
    wires = _with_labels(nodes, wires, notes)
    rects = [outer_rect(node) for node in nodes]
    rects += [curves.bounds(wire.curve).grown(2) for wire in wires]
    rects += [wire.label.place for wire in wires if wire.label and wire.label.place]
    rects += [note.place for note in notes]
    rects += list(_packet_rects(packets, wires))
    return Frame(
        tuple(nodes),
        tuple(wires),
        tuple(packets),
        tuple(notes),
        tuple(arrows),
        Rect.around(rects),
    )


def _with_labels(
    nodes: Sequence[NodeLook], wires: Sequence[WireLook], notes: Sequence[NoteLook]
) -> Sequence[WireLook]:
    if not any(wire.label and not wire.label.place for wire in wires):
        return wires
    taken = [card_rect(node) for node in nodes] + [note.place for note in notes]
    placed = []
    for wire in wires:
        label = wire.label
        if label and not label.place:
            label = place_label(wire, label.lines, taken, wires)
            placed.append(replace(wire, label=label))
        else:
            placed.append(wire)
        if label and label.place:
            taken.append(label.place)
    return placed


def _packet_rects(packets: Sequence[PacketLook], wires: Sequence[WireLook]) -> Iterable[Rect]:
    by_id = {wire.id: wire for wire in wires}
    for packet in packets:
        wire = by_id.get(packet.wire)
        if wire:
            at = curves.point_at(wire.curve, packet.along)
            width, height = thumb_size(packet.content)
            x, y = at.moved(packet.offset)
            yield Rect(x - width / 2, y - height / 2, width, height)


def edge_arrow(view: Rect, node: Rect, flow: Flow, words: str = "") -> Arrow | None:
    """An arrow at the edge of `view` towards `node`, `None` if the node is in view."""
    if view.touches(node):
        return None
    inner = view.grown(-24)
    middle, goal = view.center, node.center
    dx, dy = goal.x - middle.x, goal.y - middle.y
    reach = min(
        inner.width / 2 / abs(dx) if dx else math.inf,
        inner.height / 2 / abs(dy) if dy else math.inf,
    )
    point = Point(middle.x + dx * reach, middle.y + dy * reach)
    return Arrow(point, math.degrees(math.atan2(dy, dx)), flow, words)
