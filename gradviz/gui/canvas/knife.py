"""Strokes across wires: the knife cuts them, the other one takes hold of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from gradviz.edit import edits
from gradviz.graph.model import InPort, Place
from gradviz.graph.routes import routes_of
from gradviz.gui.canvas.tools import Modifiers, Tool
from gradviz.picture.colours import clear
from gradviz.picture.pen import dashed_pen, line_pen
from gradviz.picture.plane import Point
from gradviz.picture.wire import wire_path
from gradviz.text import mark

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

CROSS = 5.0


class Stroke(Tool):
    """A line drawn by hand; `met` are the wires it has crossed: where, and before which of their points."""

    cursor = Qt.CursorShape.CrossCursor
    is_everywhere = True

    def __init__(self, canvas: Canvas, press: QPointF) -> None:
        super().__init__(canvas, press)
        self._points = [canvas.camera.to_canvas(press)]
        self.met: dict[InPort, tuple[Point, int]] = {}

    def drag(self, at: QPointF, modifiers: Modifiers) -> None:
        point = self.canvas.camera.to_canvas(at)
        for end, where, number in self.canvas.sight.crossed(self._points[-1], point):
            self.met.setdefault(end, (where, number))
        self._points.append(point)
        self.canvas.update()

    def release(self, at: QPointF, modifiers: Modifiers) -> bool:
        self.drag(at, modifiers)
        self.canvas.armed = ""
        if self.met:
            self.apply()
        return True

    def apply(self) -> None:
        """Do to the wires that were crossed what the stroke is for."""

    def cancel(self) -> None:
        self.canvas.armed = ""

    def _paint_stroke(self, painter: QPainter, *, cuts: bool) -> None:
        theme, scale = self.canvas.theme, self.canvas.camera.scale
        colour = theme.note if cuts else theme.forward
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(line_pen(clear(colour, 0.4), 6 / scale))
        for end in self.met:
            wire = self.canvas.sight.wire(end)
            if wire is not None:
                painter.drawPath(wire_path(wire.curve))
        painter.setPen(dashed_pen(colour, 2 / scale) if cuts else line_pen(colour, 2 / scale))
        painter.drawPolyline(QPolygonF([QPointF(*point) for point in self._points]))


class Knife(Stroke):
    """Cuts the wires it crosses, in one step."""

    def apply(self) -> None:
        text = mark("edit", "Cut wires") if len(self.met) > 1 else mark("edit", "Remove a wire")
        self.canvas.document.edit(text, edits.cut, tuple(self.met))

    def paint(self, painter: QPainter) -> None:
        self._paint_stroke(painter, cuts=True)
        scale = self.canvas.camera.scale
        painter.setPen(line_pen(self.canvas.theme.note, 2.5 / scale))
        side = CROSS / scale
        for (x, y), _ in self.met.values():
            for sign in (1, -1):
                painter.drawLine(
                    QPointF(x - side, y - sign * side), QPointF(x + side, y + sign * side)
                )


class Thread(Stroke):
    """Gives each wire it crosses a point there to be led by."""

    def apply(self) -> None:
        present = routes_of(self.canvas.document.diagram)
        routes = {}
        for end, (where, number) in self.met.items():
            points = list(present.get(end, ()))
            points.insert(number, Place(round(where.x), round(where.y)))
            routes[end] = tuple(points)
        self.canvas.document.edit(mark("edit", "Lead wires"), edits.set_routes, routes)

    def paint(self, painter: QPainter) -> None:
        self._paint_stroke(painter, cuts=False)
        scale = self.canvas.camera.scale
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.canvas.theme.forward)
        for (x, y), _ in self.met.values():
            painter.drawEllipse(QPointF(x, y), CROSS / scale, CROSS / scale)
