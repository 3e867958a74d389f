"""What is dragged in from elsewhere: an operation of the palette, or text. Files are for the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QDragMoveEvent, QDropEvent

from gradviz.graph.model import Place

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

OP_MIME: Final = "application/x-gradviz-op"


def _is_taken(data: QMimeData) -> bool:
    return data.hasFormat(OP_MIME) or (data.hasText() and not data.hasUrls())


class Drops:
    """Takes what is let go over the canvas."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas

    def move(self, event: QDragMoveEvent) -> None:
        """Something is dragged in, or over the canvas."""
        if _is_taken(event.mimeData()):
            event.acceptProposedAction()

    def drop(self, event: QDropEvent) -> None:
        """It is let go."""
        data, canvas = event.mimeData(), self._canvas
        if not _is_taken(data) or not canvas.entry.settle():
            return
        at = canvas.sight.camera.to_canvas(event.position())
        canvas.pointer.put(event.position())
        if data.hasFormat(OP_MIME):
            canvas.entry.drop(bytes(data.data(OP_MIME).data()).decode("utf-8", "replace"), at)
        else:
            canvas.paste(data, Place(*at))
        event.acceptProposedAction()
        canvas.setFocus()
