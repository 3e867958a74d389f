"""Gestures that select several cards: the rectangle and the lasso."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from gradviz.gui.canvas.tools import Modifiers, Tool
from gradviz.gui.document import Selection
from gradviz.picture import geometry
from gradviz.picture.colours import clear
from gradviz.picture.pen import line_pen
from gradviz.picture.plane import Rect

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

SHIFT: Final = Qt.KeyboardModifier.ShiftModifier
CTRL: Final = Qt.KeyboardModifier.ControlModifier
ALT: Final = Qt.KeyboardModifier.AltModifier


def combined(before: frozenset[str], found: frozenset[str], modifiers: Modifiers) -> frozenset[str]:
    """The selection when `found` is chosen: Shift adds, Ctrl toggles, Alt removes, else it is that alone."""
    if modifiers & ALT:
        return before - found
    if modifiers & CTRL:
        return before ^ found
    return before | found if modifiers & SHIFT else found


class Box(Tool):
    """Drag on empty ground: select what the rectangle touches. Shift adds, Ctrl toggles, Alt removes."""

    def __init__(self, canvas: Canvas, press: QPointF, modifiers: Modifiers) -> None:
        super().__init__(canvas, press)
        self._before = canvas.document.selection
        self._rect: Rect | None = None
        if not modifiers & (SHIFT | CTRL | ALT):
            canvas.document.select(Selection())

    def drag(self, at: QPointF, modifiers: Modifiers) -> None:
        a, b = self.origin, self.canvas.camera.to_canvas(at)
        old, new = self._rect, Rect(min(a.x, b.x), min(a.y, b.y), abs(a.x - b.x), abs(a.y - b.y))
        self._rect = new
        found = frozenset(self.canvas.sight.nodes_in(new))
        self.canvas.document.select(Selection(combined(self._before.nodes, found, modifiers)))
        self.canvas.touch([new] if old is None else _between(old, new))

    def release(self, at: QPointF, modifiers: Modifiers) -> bool:
        self.canvas.touch([self._rect] if self._rect is not None else [])
        return True

    def cancel(self) -> None:
        self.canvas.touch([self._rect] if self._rect is not None else [])
        self.canvas.document.select(self._before)

    def paint(self, painter: QPainter) -> None:
        if self._rect is None:
            return
        colour = self.canvas.theme.forward
        painter.setPen(line_pen(colour, 1 / self.canvas.camera.scale))
        painter.setBrush(clear(colour, 0.08))
        painter.drawRect(QRectF(*self._rect))


def _between(a: Rect, b: Rect) -> list[Rect]:
    """Four strips that hold the edges of both rectangles and all that lies in one of them only."""
    left, right = min(a.x, b.x), max(a.right, b.right)
    top, bottom = min(a.y, b.y), max(a.bottom, b.bottom)
    return [
        *(
            Rect(min(x), top, abs(x[0] - x[1]), bottom - top)
            for x in ((a.x, b.x), (a.right, b.right))
        ),
        *(
            Rect(left, min(y), right - left, abs(y[0] - y[1]))
            for y in ((a.y, b.y), (a.bottom, b.bottom))
        ),
    ]


class Lasso(Tool):
    """Drag round cards: select what the line goes round or touches. Shift adds."""

    cursor = Qt.CursorShape.CrossCursor
    is_everywhere = True

    def __init__(self, canvas: Canvas, press: QPointF, modifiers: Modifiers) -> None:
        super().__init__(canvas, press)
        self._before = canvas.document.selection
        self._kept = self._before.nodes if modifiers & SHIFT else frozenset[str]()
        self._path = QPainterPath(QPointF(*self.origin))
        canvas.armed = ""

    def drag(self, at: QPointF, modifiers: Modifiers) -> None:
        self._path.lineTo(QPointF(*self.canvas.camera.to_canvas(at)))
        around = self._path.boundingRect()
        bounds = Rect(around.x(), around.y(), around.width(), around.height())
        sight = self.canvas.sight
        found = [
            look.id
            for look in sight.looks(sight.nodes_in(bounds))
            if self._path.intersects(QRectF(*geometry.card_rect(look)))
        ]
        self.canvas.document.select(Selection(self._kept | frozenset(found)))
        self.canvas.touch([bounds])

    def release(self, at: QPointF, modifiers: Modifiers) -> bool:
        if not self.dragging and not self._kept:
            self.canvas.document.select(Selection())
        return True

    def cancel(self) -> None:
        self.canvas.document.select(self._before)

    def paint(self, painter: QPainter) -> None:
        colour = self.canvas.theme.forward
        painter.setPen(line_pen(colour, 1 / self.canvas.camera.scale))
        painter.setBrush(clear(colour, 0.08))
        closed = QPainterPath(self._path)
        closed.closeSubpath()
        painter.drawPath(closed)
