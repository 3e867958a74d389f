"""What is painted over the picture: selection, hover, arrows to what is out of view, hints where nothing is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter

from gradviz.gui.canvas.sight import Sight
from gradviz.gui.document import Selection
from gradviz.picture import curve, fonts, geometry, labels, node
from gradviz.picture.colours import Theme
from gradviz.picture.frame import wire_end
from gradviz.picture.hit import Hit, Part
from gradviz.picture.look import Frame, WireLook
from gradviz.picture.pen import line_pen
from gradviz.picture.plane import Rect
from gradviz.picture.scene import paint_arrow
from gradviz.picture.wire import wire_path


def paint_selection(painter: QPainter, sight: Sight, selection: Selection, theme: Theme) -> None:
    """Rings around the selected cards, the selected cell, the selected wire."""
    for look in sight.looks(selection.nodes):
        node.paint_selection(painter, look, theme)
        if selection.cell is not None and selection.cell.node == look.id:
            found = sight.hit_of_cell(look, selection.cell)
            if found is not None:
                node.paint_part(painter, look, found, theme.ink)
    if selection.wire is not None:
        for wire in sight.frame().wires:
            if wire_end(wire.id) == selection.wire:
                _paint_wire(painter, wire, theme)


def _paint_wire(painter: QPainter, wire: WireLook, theme: Theme) -> None:
    path = wire_path(curve.curve(wire.start, wire.end))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(line_pen(theme.ink, 4))
    painter.drawPath(path)
    painter.setPen(line_pen(theme.canvas, 1.5))
    painter.drawPath(path)


def paint_hover(painter: QPainter, sight: Sight, hover: tuple[str, Hit], theme: Theme) -> None:
    """A ring around the port under the pointer."""
    look = sight.look(hover[0])
    if look is not None and hover[1].part in (Part.INPUT, Part.OUTPUT):
        node.paint_part(painter, look, hover[1], theme.forward)


def paint_arrows(painter: QPainter, view: Rect, frame: Frame, theme: Theme) -> None:
    """Active cards out of view are pointed at from the edge."""
    for look in frame.nodes:
        if look.active is not None:
            words = look.card.name or look.card.title
            arrow = labels.edge_arrow(view, geometry.card_rect(look), look.active, words)
            if arrow is not None:
                paint_arrow(painter, arrow, theme)


def paint_hints(painter: QPainter, rect: QRect, theme: Theme, hints: Sequence[str]) -> None:
    """How to begin, where nothing is yet."""
    painter.setPen(theme.dim)
    painter.setFont(fonts.text_font(13))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, "\n\n".join(hints))
