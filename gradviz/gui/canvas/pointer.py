"""The pointer on the canvas: what it is over, and the gesture that a press of it begins.

Which gesture, the table in `gestures.py` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QHelpEvent, QMouseEvent, QNativeGestureEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip

from gradviz import digits
from gradviz.graph.model import Place
from gradviz.gui.canvas.gestures import Press, begin, double_click
from gradviz.gui.document import Selection
from gradviz.picture import hit as hits
from gradviz.picture.hit import Hit, Part

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

_CTRL = Qt.KeyboardModifier.ControlModifier


class Pointer:
    """`hover` is the card and the part of it under the pointer; `is_last` whether a key was used since."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._sight = canvas.sight
        self._at: QPointF | None = None
        self._is_last = True
        self.hover: tuple[str, Hit] | None = None
        self.on_handle = False

    @property
    def is_last(self) -> bool:
        """Whether the pointer was used last, and not a key: Tab adds then, else it leaves."""
        return self._is_last

    @is_last.setter
    def is_last(self, last: bool) -> None:
        if last != self._is_last:
            self._is_last = last
            self._canvas.update()

    @property
    def point(self) -> QPointF:
        """Where it is; the middle of the view, if it is elsewhere."""
        at = self._at
        over = at is not None and self._canvas.rect().contains(at.toPoint())
        return at if over and at is not None else QPointF(self._canvas.rect().center())

    @property
    def place(self) -> Place:
        """Where something new goes: under the pointer, or in the middle of the view."""
        return Place(*self._sight.camera.to_canvas(self.point))

    def put(self, at: QPointF) -> None:
        """It is there, though it has not moved: something was dropped."""
        self._at = at

    def press(self, event: QMouseEvent) -> None:
        self.is_last = True
        canvas = self._canvas
        if not canvas.entry.settle():
            # What was typed cannot be used, and stays until it is corrected or given up.
            return
        if canvas.tool is not None:
            # A click ends what goes on without a button; anything else drops the gesture.
            if not (event.button() is Qt.MouseButton.LeftButton and canvas.tool.ends_by_click):
                canvas.drop_tool()
            return
        tool = begin(canvas, self._press_of(event))
        if tool is not None:
            canvas.begin(tool)

    def _press_of(self, event: QMouseEvent) -> Press:
        at = event.position()
        found = self._sight.node_at(at)
        wire = self._sight.wire_at(at) if found is None else None
        pin = self._sight.pin_at(at) if found is None else None
        handle = self._canvas.document.selection.cell if self._is_on_handle(at) else None
        return Press(at, event.button(), event.modifiers(), found, wire, pin, handle)

    def move(self, event: QMouseEvent) -> None:
        self._at = event.position()
        self.is_last = True
        if self._canvas.tool is not None:
            self._canvas.move_tool(event.position(), event.modifiers())
            self._canvas.edge_pan.follow(event.position(), event.modifiers())
            return
        self._watch_handle(event.position())
        found = self._sight.node_at(event.position())
        self._go_over((found[0].id, found[1]) if found is not None else None)

    def _watch_handle(self, at: QPointF) -> None:
        on_handle = self._is_on_handle(at)
        if on_handle != self.on_handle:
            self.on_handle = on_handle
            self._canvas.show_cursor()

    def _is_on_handle(self, at: QPointF) -> bool:
        handle = self._canvas.handle()
        return handle is not None and handle.contains(self._sight.camera.to_canvas(at))

    def leave(self) -> None:
        self._go_over(None)

    def _go_over(self, hover: tuple[str, Hit] | None) -> None:
        if hover == self.hover:
            return
        touched = []
        for part in (self.hover, hover):
            look = self._sight.look(part[0]) if part is not None else None
            if part is not None and look is not None and part[1].part in (Part.INPUT, Part.OUTPUT):
                touched.append(hits.where(look, part[1]).grown(4))
        self.hover = hover
        self._canvas.touch(touched)
        self._canvas.show_cursor()

    def release(self, event: QMouseEvent) -> None:
        tool = self._canvas.tool
        if tool is None:
            return
        if event.button() is Qt.MouseButton.RightButton and not tool.dragging:
            # Its drag is a gesture, its click asks for the menu.
            self._canvas.drop_tool()
            self._ask_context(event.position())
        else:
            self._canvas.end(event.position(), event.modifiers())

    def double_click(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self._canvas.tool is None:
            double_click(self._canvas, self._press_of(event))

    def wheel(self, event: QWheelEvent) -> None:
        touchpad = (
            not event.pixelDelta().isNull() or event.phase() is not Qt.ScrollPhase.NoScrollPhase
        )
        if touchpad and not event.modifiers() & _CTRL:
            by = event.pixelDelta() if not event.pixelDelta().isNull() else event.angleDelta() / 4
            self._canvas.camera = self._sight.camera.panned(by.x(), by.y())
        else:
            self._canvas.zoom_by(1.0015 ** event.angleDelta().y(), event.position())
        event.accept()

    def native(self, event: QNativeGestureEvent) -> bool:
        """A gesture that the touchpad has understood itself."""
        if event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture:
            self._canvas.zoom_by(1 + event.value(), event.position())
        elif event.gestureType() is Qt.NativeGestureType.SmartZoomNativeGesture:
            self._canvas.fit_selection()
        return True

    def _ask_context(self, at: QPointF) -> None:
        document = self._canvas.document
        found = self._sight.node_at(at)
        wire = self._sight.wire_at(at) if found is None else None
        if found is not None and found[0].id not in document.selection.nodes:
            document.select(Selection(frozenset({found[0].id}), None, self._sight.cell_at(*found)))
        elif found is None:
            document.select(Selection(wire=wire))
        self._at = at
        self._canvas.context_requested.emit(self._canvas.mapToGlobal(at.toPoint()))

    def tip(self, event: QHelpEvent) -> None:
        """A cell in full precision."""
        found = self._sight.node_at(QPointF(event.pos()))
        cell = self._sight.cell_at(*found) if found is not None else None
        array = self._sight.array(cell.node, cell.band) if cell is not None else None
        if cell is None or array is None:
            QToolTip.hideText()
            return
        place = f"[{', '.join(map(str, cell.index))}]  " if cell.index else ""
        QToolTip.showText(
            event.globalPos(), f"{place}{digits.full(array[cell.index])}", self._canvas
        )
