"""Dragging a point that a wire is led through."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt

from gradviz.edit import edits
from gradviz.edit.grid import GRID
from gradviz.graph.model import InPort, Place
from gradviz.graph.routes import routes_of
from gradviz.gui.canvas.tools import Modifiers, Tool
from gradviz.gui.document import Selection
from gradviz.picture import curve
from gradviz.picture.plane import Point
from gradviz.text import mark

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas


class Lead(Tool):
    """A press on a point selects its wire; a drag moves the point."""

    cursor = Qt.CursorShape.SizeAllCursor
    is_everywhere = True

    def __init__(self, canvas: Canvas, press: QPointF, end: InPort, number: int) -> None:
        super().__init__(canvas, press)
        self._end = end
        self._number = number
        self._points = list(routes_of(canvas.document.diagram).get(end, ()))
        self._before = canvas.document.selection
        canvas.document.select(Selection(wire=end))

    def drag(self, at: QPointF, modifiers: Modifiers) -> None:
        point = self.canvas.camera.to_canvas(at)
        step = 1 if modifiers & Qt.KeyboardModifier.ControlModifier else GRID
        self._points[self._number] = Place(
            round(point.x / step) * step, round(point.y / step) * step
        )
        self.canvas.sight.led = {self._end: tuple(self._points)}
        self.canvas.update()

    def release(self, at: QPointF, modifiers: Modifiers) -> bool:
        self.canvas.sight.led = {}
        if self.dragging:
            self.canvas.document.edit(
                mark("edit", "Lead a wire"), edits.set_route, self._end, tuple(self._points)
            )
        return True

    def cancel(self) -> None:
        self.canvas.sight.led = {}
        self.canvas.document.select(self._before)
        self.canvas.update()


def add_point(canvas: Canvas, end: InPort, at: Point) -> None:
    """Lead a wire through a point near it."""
    wire = canvas.sight.wire(end)
    if wire is None:
        return
    points = list(routes_of(canvas.document.diagram).get(end, ()))
    number = curve.nearest(wire.curve, at) if points else 0
    points.insert(number, Place(round(at.x / GRID) * GRID, round(at.y / GRID) * GRID))
    canvas.document.edit(
        mark("edit", "Lead a wire"), edits.set_route, end, tuple(points), select=Selection(wire=end)
    )


def remove_point(canvas: Canvas, end: InPort, number: int) -> None:
    """Lead a wire no longer through one of its points."""
    points = list(routes_of(canvas.document.diagram).get(end, ()))
    del points[number : number + 1]
    canvas.document.edit(mark("edit", "Lead a wire"), edits.set_route, end, tuple(points))
