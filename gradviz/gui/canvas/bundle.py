"""Taking all wires off an output, to put them on another one; and a card out of its wires."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from gradviz.edit import edits
from gradviz.errors import GradvizError
from gradviz.graph.model import Diagram, OutPort, Place
from gradviz.gui.canvas.targets import AnyPort
from gradviz.gui.canvas.tools import Modifiers, Move, Tool
from gradviz.gui.canvas.wiring import CHOSEN
from gradviz.picture import curve
from gradviz.picture.pen import dashed_pen, line_pen
from gradviz.picture.wire import wire_path
from gradviz.text import Message, mark

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradviz.gui.canvas.view import Canvas


class Bundle(Tool):
    """All wires that leave `start` follow the pointer to another output; let go on nothing, they stay where they were."""

    cursor = Qt.CursorShape.CrossCursor
    is_everywhere = True

    def __init__(self, canvas: Canvas, press: QPointF, start: OutPort) -> None:
        super().__init__(canvas, press)
        self.start = start
        self._ends = canvas.document.diagram.graph.ends_of(start)
        self._at = canvas.camera.to_canvas(press)
        self._over: AnyPort | None = None
        self._known: dict[AnyPort, Message | None] = {}

    def _refusal(self, port: AnyPort) -> Message | None:
        if port not in self._known:
            try:
                edits.move_wires(self.canvas.document.diagram, self.start, _out(port))
                self._known[port] = None
            except GradvizError as error:
                self._known[port] = error.message
        return self._known[port]

    def drag(self, at: QPointF, modifiers: Modifiers) -> None:
        self._at = self.canvas.camera.to_canvas(at)
        over = self.canvas.sight.port_at(at, wants_input=False)
        self._over = over if over != self.start else None
        self.canvas.hint_at(at, self._refusal(self._over) if self._over is not None else None)
        self.canvas.update()

    def release(self, at: QPointF, modifiers: Modifiers) -> bool:
        self.canvas.hint_at(at, None)
        if self.dragging and self._over is not None:
            text = mark("edit", "Move wires")
            self.canvas.document.edit(text, edits.move_wires, self.start, _out(self._over))
        return True

    def cancel(self) -> None:
        self.canvas.hint_at(self.press, None)

    def paint(self, painter: QPainter) -> None:
        if not self.dragging:
            return
        theme, sight = self.canvas.theme, self.canvas.sight
        width = max(2.5, 1.5 / self.canvas.camera.scale)
        refused = self._over is not None and self._refusal(self._over) is not None
        colour = theme.backward if refused else theme.forward
        painter.setPen(dashed_pen(colour, width) if refused else line_pen(colour, width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        start = sight.port_point(self._over) if self._over is not None else self._at
        for end in self._ends:
            painter.drawPath(wire_path(curve.curve(start, sight.port_point(end))))
        if self._over is not None:
            painter.drawEllipse(QPointF(*start), CHOSEN, CHOSEN)


def _out(port: AnyPort) -> OutPort:
    assert isinstance(port, OutPort)
    return port


class PullOut(Move):
    """Drag cards away from their wires, which close behind them."""

    def finish(self, moved: Mapping[str, Place]) -> None:
        text = mark("edit", "Pull out of the wires")
        self.canvas.document.edit(text, _pulled_out, dict(moved))


def _pulled_out(diagram: Diagram, moved: Mapping[str, Place]) -> Diagram:
    return edits.move(edits.pull_out(diagram, moved.keys()), moved)
