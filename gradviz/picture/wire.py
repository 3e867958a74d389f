"""Paints wires, the labels beside them and the packets on them."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF

from gradviz.picture import labels, text
from gradviz.picture.colours import Theme, clear
from gradviz.picture.curve import Curve, angle_at, point_at
from gradviz.picture.look import Flow, Label, PacketLook, Phase, WireLook
from gradviz.picture.matrix import paint_thumb
from gradviz.picture.pen import Detail, dashed_pen, fill, line_pen, shadow, stroke
from gradviz.picture.plane import Point
from gradviz.picture.text import Piece

IDLE_WIDTH: Final = 1.6
DONE_WIDTH: Final = 2.0
ACTIVE_WIDTH: Final = 3.0
HALO_WIDTH: Final = 10.0
PIN: Final = 3.5
ARROW_FROM: Final = 40.0
"""Wires shorter than this carry no arrow head."""


def wire_path(points: Curve) -> QPainterPath:
    """The curve as Qt draws it."""
    path = QPainterPath(QPointF(*points[0]))
    for i in range(1, len(points), 3):
        path.cubicTo(*(QPointF(*point) for point in points[i : i + 3]))
    return path


def wire_pen(phase: Phase, theme: Theme) -> QPen:
    """The pen of a wire."""
    colour = theme.flow(phase.flow)
    if phase.dashed:
        return dashed_pen(colour if phase.flow else theme.dim, DONE_WIDTH, 6, 5)
    if phase.active:
        return line_pen(colour, ACTIVE_WIDTH)
    return line_pen(colour, DONE_WIDTH if phase.flow else IDLE_WIDTH)


def paint_wire(
    painter: QPainter, look: WireLook, theme: Theme, detail: Detail = Detail.FULL
) -> None:
    """Paint the wire of `look`, without its label."""
    pen = wire_pen(look.phase, theme)
    painter.setPen(pen)
    if detail is Detail.BOX:
        places = (look.start, *look.via, look.end)
        painter.drawPolyline([QPointF(*place) for place in places])
        return
    points = look.curve
    path = wire_path(points)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if look.phase.active:
        painter.setPen(QPen(clear(pen.color(), 0.16), HALO_WIDTH))
        painter.drawPath(path)
        painter.setPen(pen)
    painter.drawPath(path)
    if detail is Detail.FULL:
        _pins(painter, look)
        if look.phase.flow and not look.phase.dashed:
            _arrow(painter, points, look, theme)


def _pins(painter: QPainter, look: WireLook) -> None:
    """Dots where the wire is led through a point, so that it can be seen where to take hold of it."""
    if look.via:
        painter.setBrush(painter.pen().color())
        painter.setPen(Qt.PenStyle.NoPen)
        for place in look.via:
            painter.drawEllipse(QPointF(*place), PIN, PIN)


def _arrow(painter: QPainter, points: Curve, look: WireLook, theme: Theme) -> None:
    """Says the direction without colour."""
    if abs(look.end.x - look.start.x) + abs(look.end.y - look.start.y) < ARROW_FROM:
        return
    forward = look.phase.flow is Flow.FORWARD
    size = 5.5 if look.phase.active else 4.5
    painter.save()
    painter.translate(QPointF(*point_at(points, 0.5)))
    painter.rotate(angle_at(points, 0.5) + (0 if forward else 180))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.flow(look.phase.flow))
    painter.drawPolygon(
        QPolygonF(
            [QPointF(size, 0), QPointF(-size, -size), QPointF(-size * 0.6, 0), QPointF(-size, size)]
        )
    )
    painter.restore()


def paint_label(painter: QPainter, look: WireLook, theme: Theme) -> None:
    """The box beside a wire."""
    label = look.label
    if label is None or label.place is None:
        return
    colour = theme.flow(look.phase.flow)
    shadow(painter, label.place, theme, 6)
    fill(painter, label.place, theme.panel, 6)
    stroke(painter, label.place, line_pen(colour, 1.2), 6)
    text.draw(painter, label_pieces(label, look, theme))


def paint_tie(painter: QPainter, look: WireLook, theme: Theme) -> None:
    """The thin line from a wire to its label."""
    label = look.label
    if label is None or label.place is None or label.anchor is None:
        return
    place, anchor = label.place, label.anchor
    near = Point(
        min(max(anchor.x, place.x + 8), place.right - 8),
        min(max(anchor.y, place.y), place.bottom),
    )
    painter.setPen(dashed_pen(theme.flow(look.phase.flow), 1.2, 2.5, 2.5))
    painter.drawLine(QLineF(QPointF(*anchor), QPointF(*near)))


def label_pieces(label: Label, look: WireLook, theme: Theme) -> list[Piece]:
    """The lines of a label; the last one is the result."""
    last = len(label.lines) - 1
    return [
        Piece(
            line,
            labels.line_rect(label, i),
            text.STRONG_NUMBER if i == last else text.NUMBER,
            theme.flow(look.phase.flow) if i == last else theme.ink,
        )
        for i, line in enumerate(label.lines)
    ]


def paint_packet(painter: QPainter, packet: PacketLook, wire: WireLook, theme: Theme) -> None:
    """A thumbnail on its wire."""
    at = point_at(wire.curve, packet.along).moved(packet.offset)
    painter.save()
    painter.setOpacity(painter.opacity() * packet.opacity)
    painter.translate(QPointF(*at))
    painter.scale(packet.size * packet.turn, packet.size)
    paint_thumb(painter, packet, theme)
    painter.restore()
