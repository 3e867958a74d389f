"""Moving cards without a button held: they follow the pointer, or the arrow keys, until a click or Enter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from gradviz.edit import edits
from gradviz.graph.model import Place
from gradviz.gui.canvas.guides import Guides
from gradviz.gui.canvas.tools import Modifiers, Tool
from gradviz.picture.plane import Point
from gradviz.text import mark

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas


class Carry(Tool):
    """The selected cards hang on the pointer."""

    cursor = Qt.CursorShape.SizeAllCursor
    ends_by_click = True

    def __init__(self, canvas: Canvas, at: QPointF) -> None:
        super().__init__(canvas, at)
        self._moving = canvas.document.selection.nodes
        self._guides = Guides(canvas, self._moving)
        self._by = Point(0, 0)
        self._keyed = Point(0, 0)
        """What the arrow keys have added to the way of the pointer."""

    def drag(self, at: QPointF, modifiers: Modifiers) -> None:
        now = self.canvas.camera.to_canvas(at)
        by = Point(now.x - self.origin.x + self._keyed.x, now.y - self.origin.y + self._keyed.y)
        free = bool(modifiers & Qt.KeyboardModifier.ControlModifier) or not self.canvas.snapping
        self._put(self._guides.way(by, free=free))

    def nudge(self, x: float, y: float) -> None:
        """Go on by that much, whatever lies there."""
        self._guides.hide()
        self._keyed = self._keyed.moved((x, y))
        self._put(self._by.moved((x, y)))

    def _put(self, by: Point) -> None:
        self._by = by
        places = self.canvas.document.diagram.places
        self.canvas.moved = {
            id: Place(places[id].x + by.x, places[id].y + by.y)
            for id in self._moving
            if id in places
        }

    def release(self, at: QPointF, modifiers: Modifiers) -> bool:
        self._guides.hide()
        moved, self.canvas.moved = self.canvas.moved, {}
        self.canvas.document.edit(mark("edit", "Move"), edits.move, moved)
        return True

    def cancel(self) -> None:
        self._guides.hide()
        self.canvas.moved = {}

    def paint(self, painter: QPainter) -> None:
        self._guides.paint(painter)
