"""What is dragged in from elsewhere: an operation of the palette, or text. Files are for the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QDragMoveEvent, QDropEvent, QPainter

from gradviz.graph.model import Place
from gradviz.gui.canvas.adding import middle_of_header, only
from gradviz.gui.canvas.between import Between
from gradviz.picture.plane import Rect

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

OP_MIME: Final = "application/x-gradviz-op"


def _is_taken(data: QMimeData) -> bool:
    return data.hasFormat(OP_MIME) or (data.hasText() and not data.hasUrls())


def _op(data: QMimeData) -> str:
    return bytes(data.data(OP_MIME).data()).decode("utf-8", "replace")


class Drops:
    """Takes what is let go over the canvas; meanwhile, an operation lights the wire it would go on."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._between: Between | None = None
        self._card = Rect(0, 0, 0, 0)

    def enter(self, event: QDragMoveEvent) -> None:
        """Something is dragged in."""
        self.leave()
        if event.mimeData().hasFormat(OP_MIME):
            self._try(_op(event.mimeData()))
        self.move(event)

    def _try(self, op: str) -> None:
        """A new card, as it would be: around the point where it is held."""
        between = self._canvas.adding.tried(op)
        arranged = between.arranged() if between is not None else {}
        if arranged:
            held = middle_of_header(arranged)
            self._card = Rect(-held.x, -held.y, *only(arranged).size)
            self._between = between

    def move(self, event: QDragMoveEvent) -> None:
        """It is dragged over the canvas."""
        if _is_taken(event.mimeData()):
            self._seek(event)
            event.acceptProposedAction()

    def _seek(self, event: QDropEvent) -> None:
        if self._between is not None:
            at = self._canvas.camera.to_canvas(event.position())
            self._between.seek(self._card.moved(at), event.position(), event.modifiers())

    def leave(self) -> None:
        """It is dragged away, or was let go."""
        if self._between is not None:
            self._between.clear()
            self._between = None

    def drop(self, event: QDropEvent) -> None:
        """It is let go."""
        data, canvas = event.mimeData(), self._canvas
        self._seek(event)
        end = self._between.end if self._between is not None else None
        self.leave()
        if not _is_taken(data) or not canvas.entry.settle():
            return
        at = canvas.sight.camera.to_canvas(event.position())
        canvas.pointer.put(event.position())
        if data.hasFormat(OP_MIME):
            canvas.adding.drop(_op(data), at, end)
        else:
            canvas.paste(data, Place(*at))
        event.acceptProposedAction()
        canvas.setFocus()

    def paint(self, painter: QPainter) -> None:
        """The wire that takes the card."""
        if self._between is not None:
            self._between.paint(painter)
