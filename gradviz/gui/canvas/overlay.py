"""What is painted over the picture: selection, hover, focus, arrows to what is out of view, hints where nothing is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QPainter, QPolygonF

from gradviz.gui.canvas.sight import Sight
from gradviz.gui.canvas.targets import AnyPort
from gradviz.gui.document import Selection
from gradviz.picture import fonts, geometry, labels, node
from gradviz.picture.colours import Theme
from gradviz.picture.hit import Hit, Part
from gradviz.picture.look import Arrow, WireLook
from gradviz.picture.pen import Detail, detail_at, fill, line_pen, stroke
from gradviz.picture.plane import Rect
from gradviz.picture.wire import wire_path

PORT_RING: Final = 10.0
HALT: Final = 7.0
"""Half the height of the sign of a breakpoint."""


def paint_selection(painter: QPainter, sight: Sight, selection: Selection, theme: Theme) -> None:
    """Rings around the selected cards, the selected cell, the selected wire."""
    scale = sight.camera.scale
    for look in sight.looks(selection.nodes):
        if detail_at(scale) is Detail.FULL:
            node.paint_selection(painter, look, theme)
        else:
            # Far out, the usual ring would be too thin to be seen.
            ring = geometry.card_rect(look).grown(2 / scale)
            stroke(painter, ring, line_pen(theme.ink, 2 / scale))
    if selection.cell is not None:
        cell_look = sight.look(selection.cell.node)
        found = sight.hit_of_cell(cell_look, selection.cell) if cell_look is not None else None
        if cell_look is not None and found is not None:
            node.paint_part(painter, cell_look, found, theme.ink)
    if selection.wire is not None:
        wire = sight.wire(selection.wire)
        if wire is not None:
            _paint_wire(painter, wire, theme)


def _paint_wire(painter: QPainter, wire: WireLook, theme: Theme) -> None:
    path = wire_path(wire.curve)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(line_pen(theme.ink, 4))
    painter.drawPath(path)
    painter.setPen(line_pen(theme.canvas, 1.5))
    painter.drawPath(path)


def paint_handle(painter: QPainter, rect: Rect, scale: float, theme: Theme) -> None:
    """Two arrows, left and right: the number under them can be dragged."""
    fill(painter, rect, theme.panel, rect.height / 2)
    stroke(painter, rect, line_pen(theme.ink, 1.5 / scale), rect.height / 2)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.ink)
    x, y = rect.center
    for side in (-1, 1):
        tip, foot, half = 7.5 / scale * side, 2.5 / scale * side, 3 / scale
        corners = ((tip, 0), (foot, -half), (foot, half))
        painter.drawPolygon(QPolygonF([QPointF(x + a, y + b) for a, b in corners]))


def paint_port(painter: QPainter, sight: Sight, port: AnyPort, theme: Theme) -> None:
    """A double ring around the port that keys are for."""
    at, scale = QPointF(*sight.port_point(port)), sight.camera.scale
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((theme.canvas, 6.0), (theme.forward, 3.0)):
        painter.setPen(line_pen(colour, width / scale))
        painter.drawEllipse(at, PORT_RING / scale, PORT_RING / scale)


def paint_halts(painter: QPainter, sight: Sight, nodes: Iterable[str], theme: Theme) -> None:
    """A diamond at the corner of each card at which the film halts, as on the film's strip."""
    scale = sight.camera.scale
    side = HALT / min(scale, 1.0)
    painter.setPen(line_pen(theme.canvas, 1.5 / min(scale, 1.0)))
    painter.setBrush(theme.ink)
    for look in sight.looks(nodes):
        x, y = geometry.card_rect(look)[:2]
        corners = ((0, -side), (side, 0), (0, side), (-side, 0))
        painter.drawPolygon(QPolygonF([QPointF(x + a, y + b) for a, b in corners]))


def paint_hover(painter: QPainter, sight: Sight, hover: tuple[str, Hit], theme: Theme) -> None:
    """A ring around the port under the pointer."""
    look = sight.look(hover[0])
    if look is not None and hover[1].part in (Part.INPUT, Part.OUTPUT):
        node.paint_part(painter, look, hover[1], theme.forward)


def arrows(sight: Sight) -> tuple[Arrow, ...]:
    """Active cards out of view are pointed at from the edge; in pixels of the screen, so that they can be read."""
    found = []
    for look in sight.frame().nodes:
        if look.active is not None:
            rect = geometry.card_rect(look)
            corner, end = (
                sight.camera.to_screen(point) for point in (rect[:2], (rect.right, rect.bottom))
            )
            shown = Rect(corner.x(), corner.y(), end.x() - corner.x(), end.y() - corner.y())
            words = sight.name(look)
            found.append(labels.edge_arrow(Rect(0, 0, *sight.size), shown, look.active, words))
    return tuple(arrow for arrow in found if arrow is not None)


def paint_focus(painter: QPainter, rect: QRect, theme: Theme) -> None:
    """A frame that tells where keys go, for those who use keys."""
    stroke(painter, Rect(0, 0, rect.width(), rect.height()), line_pen(theme.forward, 2))


def paint_hints(painter: QPainter, rect: QRect, theme: Theme, hints: Sequence[str]) -> None:
    """How to begin, where nothing is yet."""
    painter.setPen(theme.dim)
    painter.setFont(fonts.text_font(13))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, "\n\n".join(hints))
