"""Paints whole frames: ground, wires, cards, packets, labels, in this order."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from gradviz.picture import curve, text
from gradviz.picture.colours import Theme, ink_on
from gradviz.picture.geometry import arrange, outer_rect
from gradviz.picture.look import (
    Arrow,
    Flow,
    Frame,
    Kind,
    NoteLook,
    PacketLook,
    Phase,
    WireLook,
)
from gradviz.picture.node import box_colour, paint_node
from gradviz.picture.pen import Detail, detail_at, fill, line_pen, stroke
from gradviz.picture.plane import Rect
from gradviz.picture.text import Align, Piece
from gradviz.picture.wire import paint_label, paint_packet, paint_tie, paint_wire, wire_pen

DOT_STEP: Final = 24
DOT: Final = 1.4
DOTS_APART: Final = 14.0
"""Dots come no closer on the screen; far out every second, fourth, … remains."""
NOTE_PADDING: Final = 12.0


def paint_frame(
    painter: QPainter, frame: Frame, theme: Theme, visible_rect: Rect | None = None
) -> None:
    """Paint `frame`, or the part of it that touches `visible_rect`, in canvas pixels."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    scale = painter.transform().m11()
    detail = detail_at(scale)
    view = visible_rect or frame.bounds
    paint_ground(painter, view, theme, scale)
    for note in frame.notes:
        paint_note(painter, note, theme)
    if detail is Detail.BOX:
        _paint_far(painter, frame, theme)
        return
    wires = [wire for wire in frame.wires if _wire_rect(wire).touches(view)]
    # Active wires lie over the others, where they cross.
    for wire in sorted(wires, key=lambda wire: wire.phase.active):
        paint_wire(painter, wire, theme, detail)
    for node in frame.nodes:
        if outer_rect(node).touches(view):
            paint_node(painter, node, theme, detail)
    for wire in frame.wires:
        paint_tie(painter, wire, theme)
    _paint_packets(painter, frame.packets, frame.wires, theme)
    for wire in frame.wires:
        paint_label(painter, wire, theme)
    for arrow in frame.arrows:
        paint_arrow(painter, arrow, theme)


def _paint_far(painter: QPainter, frame: Frame, theme: Theme) -> None:
    """Lines and rectangles, in as few calls as there are colours; a thousand of them cost what ten cards do."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    lines: dict[Phase, list[QLineF]] = {}
    for wire in frame.wires:
        places = (wire.start, *wire.via, wire.end)
        lines.setdefault(wire.phase, []).extend(
            QLineF(a.x, a.y, b.x, b.y) for a, b in pairwise(places)
        )
    for phase in sorted(lines, key=lambda phase: phase.active):
        painter.setPen(wire_pen(phase, theme))
        painter.drawLines(lines[phase])
    painter.setPen(Qt.PenStyle.NoPen)
    boxes: dict[tuple[Kind, Flow | None], list[QRectF]] = {}
    for look in frame.nodes:
        x, y, width, height = arrange(look.card).body
        place = look.place
        boxes.setdefault((look.card.kind, look.active), []).append(
            QRectF(place.x + x, place.y + y, width, height)
        )
    for (kind, active), rects in boxes.items():
        painter.setBrush(box_colour(kind, active, theme))
        painter.drawRects(rects)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def _wire_rect(wire: WireLook) -> Rect:
    return curve.bounds(wire.curve).grown(6)


def _paint_packets(
    painter: QPainter, packets: tuple[PacketLook, ...], wires: tuple[WireLook, ...], theme: Theme
) -> None:
    if not packets:
        return
    by_id = {wire.id: wire for wire in wires}
    for packet in packets:
        wire = by_id.get(packet.wire)
        if wire:
            paint_packet(painter, packet, wire, theme)


def paint_ground(painter: QPainter, rect: Rect, theme: Theme, scale: float = 1.0) -> None:
    """The canvas and, where pixels are painted, its grid of dots."""
    fill(painter, rect, theme.canvas)
    if text.is_vector(painter):
        return
    step = DOT_STEP
    while step * scale < DOTS_APART:
        step *= 2
    left, top = rect.x // step * step, int(rect.y // step) * step
    side = DOT / scale
    pen = line_pen(theme.line, side)
    # Dashes as long as they are wide: a hundred lines cost less than thousands of points.
    pen.setDashPattern([1, step / side - 1])
    painter.setPen(pen)
    rows = range(top, int(rect.bottom) + 1, step)
    painter.drawLines([QLineF(left - side / 2, y, rect.right, y) for y in rows])


def paint_note(painter: QPainter, note: NoteLook, theme: Theme) -> None:
    """A note of the person who made the diagram."""
    place = note.place
    fill(painter, place, theme.note_ground, 8)
    stroke(painter, place, line_pen(theme.note), 8)
    text.draw(painter, note_pieces(note, theme))


def note_pieces(note: NoteLook, theme: Theme) -> list[Piece]:
    """The lines of a note, as many as fit."""
    inside = note.place.grown(-NOTE_PADDING)
    paragraphs = note.text.split("\n")
    wrapped = [line for part in paragraphs for line in text.wrap(part, text.PLAIN, inside.width)]
    count = int(inside.height // 16)
    return [
        Piece(line, Rect(inside.x, inside.y + 16 * i, inside.width, 16), text.PLAIN, theme.ink)
        for i, line in enumerate(wrapped[:count])
    ]


def paint_arrow(painter: QPainter, arrow: Arrow, theme: Theme) -> None:
    """Points from the edge of the view to an active node outside."""
    colour = theme.flow(arrow.flow)
    painter.save()
    painter.translate(QPointF(*arrow.point))
    painter.rotate(arrow.angle)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(
        QPolygonF([QPointF(14, 0), QPointF(-8, -11), QPointF(-3, 0), QPointF(-8, 11)])
    )
    painter.restore()
    if arrow.text:
        _paint_arrow_text(painter, arrow, theme)


def _paint_arrow_text(painter: QPainter, arrow: Arrow, theme: Theme) -> None:
    colour = theme.flow(arrow.flow)
    width = text.width(arrow.text, text.STRONG) + 16
    left = arrow.point.x - 16 - width if abs(arrow.angle) < 90 else arrow.point.x + 16
    box = Rect(left, arrow.point.y - 10, width, 20)
    fill(painter, box, colour, 10)
    text.draw(painter, [Piece(arrow.text, box, text.STRONG, ink_on(colour), Align.CENTER)])
