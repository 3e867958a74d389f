"""The canvas: paints the present moment, hands events to the tool at work, and owns the camera.

The camera moves only on command: a step of the film never moves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QLabel, QToolTip, QWidget

from gradviz import digits
from gradviz.edit import edits
from gradviz.graph.model import Diagram, InPort, OutPort, Place
from gradviz.gui.canvas import cells
from gradviz.gui.canvas.camera import LARGEST, SMALLEST, Camera
from gradviz.gui.canvas.editor import refusal_sheet
from gradviz.gui.canvas.entry import Entry
from gradviz.gui.canvas.overlay import paint_arrows, paint_hints, paint_hover, paint_selection
from gradviz.gui.canvas.sight import Sight
from gradviz.gui.canvas.tools import Box, Move, Pan, Tool, Wire
from gradviz.gui.document import CellRef, Document, Selection
from gradviz.gui.player import Player
from gradviz.gui.translate import render
from gradviz.ops import registry
from gradviz.picture import geometry
from gradviz.picture.colours import LIGHT, Theme
from gradviz.picture.frame import Framer
from gradviz.picture.hit import Hit, Part
from gradviz.picture.look import Frame
from gradviz.picture.plane import Rect
from gradviz.picture.scene import paint_frame
from gradviz.text import Message, Text, mark, message

OP_MIME: Final = "application/x-gradviz-op"
WIRE_REACH: Final = 7.0
PORT_REACH: Final = 18.0
NUDGE: Final = 4
FAR_NUDGE: Final = 40
USUAL_SIZE: Final = (180.0, 116.0)
_ARROWS: Final = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}
_CTRL: Final = Qt.KeyboardModifier.ControlModifier
_SHIFT: Final = Qt.KeyboardModifier.ShiftModifier


class Canvas(QWidget):
    """What is drawn, and every gesture on it.

    space_tapped()            Space was pressed and released without moving the view
    status_hint(text)         a line for the foot of the window
    context_requested(point)  a menu is wanted at a point of the screen
    """

    space_tapped = Signal()
    status_hint = Signal(str)
    context_requested = Signal(QPoint)

    def __init__(
        self, document: Document, player: Player, framer: Framer, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.document = document
        self.sight = Sight(document, player, framer)
        self.entry = Entry(self)
        self._theme: Theme = LIGHT
        self._tool: Tool | None = None
        self._hover: tuple[str, Hit] | None = None
        self._pointer: QPointF | None = None
        self._pointer_last = True
        self._space: bool | None = None
        self._fit_later = False
        self._hint = QLabel(self)
        self._hint.setObjectName("refusal")
        self._hint.setTextFormat(Qt.TextFormat.PlainText)
        self._hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._hint.setWordWrap(True)
        self._hint.hide()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setMinimumSize(240, 160)
        self.setAccessibleName(self.tr("Canvas"))
        self.setAccessibleDescription(
            self.tr("The computation graph. Arrow keys move, Shift+A adds, C draws a wire.")
        )
        document.changed.connect(self._on_changed)
        document.answered.connect(self._refresh)
        document.selected.connect(self.update)
        player.moved.connect(self._refresh)

    @property
    def theme(self) -> Theme:
        """The colours in use."""
        return self._theme

    @theme.setter
    def theme(self, theme: Theme) -> None:
        self._theme = theme
        self._hint.setStyleSheet(refusal_sheet(theme))
        self.update()

    @property
    def camera(self) -> Camera:
        """Which part is in view."""
        return self.sight.camera

    @camera.setter
    def camera(self, camera: Camera) -> None:
        if camera != self.sight.camera:
            self.sight.camera = camera
            self.update()

    @property
    def moved(self) -> Mapping[str, Place]:
        """Where the cards that are being dragged are now."""
        return self.sight.moved

    @moved.setter
    def moved(self, places: Mapping[str, Place]) -> None:
        self.sight.moved = places
        self._refresh()

    def _refresh(self) -> None:
        self.sight.invalidate()
        self.update()

    def _on_changed(self, old: Diagram, new: Diagram) -> None:
        if self._tool is not None:
            self.cancel_gesture()
        self._refresh()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(self.sight.camera.scale, self.sight.camera.scale)
        painter.translate(-self.sight.camera.x, -self.sight.camera.y)
        view = self.sight.view()
        frame = self.sight.frame()
        seen = Frame(
            tuple(self.sight.in_view(view)),
            frame.wires,
            frame.packets,
            frame.notes,
            (),
            frame.bounds,
        )
        paint_frame(painter, seen, self._theme, view)
        paint_selection(painter, self.sight, self.document.selection, self._theme)
        if self._hover is not None:
            paint_hover(painter, self.sight, self._hover, self._theme)
        if self._tool is not None:
            self._tool.paint(painter)
        paint_arrows(painter, view, frame, self._theme)
        painter.resetTransform()
        if not frame.nodes:
            paint_hints(painter, self.rect(), self._theme, self._hints())

    def _hints(self) -> tuple[str, ...]:
        return (
            self.tr("Type an expression above, such as  y = x**2 + x - 1"),
            self.tr("Paste numbers or an expression here"),
            self.tr("Open an example from the list on the left, or press Tab to add an operation"),
        )

    def view_state(self) -> dict[str, Any]:
        """What of the view is saved with the document."""
        camera = self.sight.camera
        return {"camera": {"scale": camera.scale, "x": camera.x, "y": camera.y}}

    def restore(self, state: Mapping[str, Any]) -> None:
        """The view as it was saved; all of the graph, if that would not show every card."""
        camera = state.get("camera")
        if isinstance(camera, Mapping) and self.isVisible():
            numbers = [camera.get(name) for name in ("scale", "x", "y")]
            if all(isinstance(n, int | float) for n in numbers):
                scale, x, y = (float(cast(Any, n)) for n in numbers)
                self.camera = Camera(min(max(scale, SMALLEST), LARGEST), x, y)
                if self.sight.view().contains_rect(self.sight.frame().bounds):
                    return
        self.fit_all()

    def fit_all(self) -> None:
        """Bring everything into view."""
        self._fit_later = not self.isVisible()
        bounds = self.sight.frame().bounds
        if self.sight.frame().nodes:
            self.camera = self.sight.camera.fitted(bounds, self.width(), self.height())

    def fit_selection(self) -> None:
        """Bring the selection into view; without one, everything."""
        rects = [
            geometry.outer_rect(look) for look in self.sight.looks(self.document.selection.nodes)
        ]
        if rects:
            self.camera = self.sight.camera.fitted(Rect.around(rects), self.width(), self.height())
        else:
            self.fit_all()

    def zoom_to(self, scale: float) -> None:
        """That scale, around the middle."""
        middle = QPointF(self.width() / 2, self.height() / 2)
        self.camera = self.sight.camera.zoomed_to(scale, middle)

    def zoom_by(self, factor: float, around: QPointF | None = None) -> None:
        """Larger by `factor`, around the middle or a point."""
        centre = QPointF(self.width() / 2, self.height() / 2) if around is None else around
        self.camera = self.sight.camera.zoomed(factor, centre)

    def ensure_visible(self, ids: Iterable[str]) -> None:
        """Move as little as possible so that these cards are in view."""
        rects = [geometry.outer_rect(look) for look in self.sight.looks(ids)]
        if rects:
            self.camera = self.sight.camera.shown(Rect.around(rects), self.width(), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.sight.size = (self.width(), self.height())
        if self._fit_later and self.isVisible():
            self._fit_later = False
            QTimer.singleShot(0, self, self.fit_all)

    def cancel_gesture(self) -> bool:
        """Drop what is under way: a gesture, an editor, the add box. True if there was something."""
        tool, self._tool = self._tool, None
        if tool is not None:
            tool.cancel()
            self.unsetCursor()
            self.update()
        if self.entry.add_box is not None:
            self.entry.add_box.close_box()
            return True
        return tool is not None

    def _begin(self, tool: Tool) -> None:
        self.cancel_gesture()
        self._tool = tool
        self.setCursor(tool.cursor)
        self.update()

    def _end(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        tool = self._tool
        if tool is None:
            return
        # The edit that ends a gesture must not find it still under way.
        self._tool = None
        if tool.release(at, modifiers):
            self.unsetCursor()
        else:
            self._tool = tool
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pointer_last = True
        at, button = event.position(), event.button()
        if isinstance(self._tool, Wire):
            # The second click of a wire drawn by two clicks; another button drops it.
            if button is not Qt.MouseButton.LeftButton:
                self.cancel_gesture()
            return
        if self._tool is not None:
            self.cancel_gesture()
            return
        if button is Qt.MouseButton.LeftButton and self._space is None:
            self._press(at, event.modifiers())
        elif button in (
            Qt.MouseButton.LeftButton,
            Qt.MouseButton.MiddleButton,
            Qt.MouseButton.RightButton,
        ):
            if self._space is not None:
                self._space = True
            self._begin(Pan(self, at))

    def _press(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        found = self.sight.node_at(at)
        if found is None:
            wire = self.sight.wire_at(at)
            if wire is not None:
                self.document.select(Selection(wire=wire))
            else:
                self._begin(Box(self, at, modifiers))
            return
        look, part = found
        if part.part is Part.OUTPUT:
            self._begin(Wire(self, at, OutPort(look.id, part.number)))
        elif part.part is Part.INPUT:
            self._begin(Wire(self, at, InPort(look.id, part.number)))
        else:
            self._begin(Move(self, at, look, part, modifiers))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer = event.position()
        self._pointer_last = True
        if self._tool is not None:
            self._tool.move(event.position(), event.modifiers())
            return
        found = self.sight.node_at(event.position())
        hover = (found[0].id, found[1]) if found is not None else None
        if hover != self._hover:
            self._hover = hover
            on_port = hover is not None and hover[1].part in (Part.INPUT, Part.OUTPUT)
            self.setCursor(Qt.CursorShape.CrossCursor if on_port else Qt.CursorShape.ArrowCursor)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        tool = self._tool
        if (
            isinstance(tool, Pan)
            and event.button() is Qt.MouseButton.RightButton
            and not tool.dragging
        ):
            self.cancel_gesture()
            self._ask_context(event.position())
            return
        self._end(event.position(), event.modifiers())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton or self._tool is not None:
            return
        found = self.sight.node_at(event.position())
        if found is None:
            if self.sight.wire_at(event.position()) is None:
                self.entry.offer(event.position())
        elif found[1].part is Part.VALUE:
            self.entry.edit_cell(found[0], self.sight.cell_at(*found))
        elif found[1].part in (Part.HEADER, Part.BODY):
            self.entry.edit_header(found[0])

    def wheelEvent(self, event: QWheelEvent) -> None:
        touchpad = (
            not event.pixelDelta().isNull() or event.phase() is not Qt.ScrollPhase.NoScrollPhase
        )
        if touchpad and not event.modifiers() & _CTRL:
            by = event.pixelDelta() if not event.pixelDelta().isNull() else event.angleDelta() / 4
            self.camera = self.sight.camera.panned(by.x(), by.y())
        else:
            self.zoom_by(1.0015 ** event.angleDelta().y(), event.position())
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        # A click of the right button is asked about on release, since its drag moves the view.
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            only = self.document.selection.only
            look = self.sight.look(only) if only is not None else None
            at = QPointF(self.rect().center())
            if look is not None:
                at = self.sight.camera.to_screen(geometry.card_rect(look).center)
            self.context_requested.emit(self.mapToGlobal(at.toPoint()))

    def _ask_context(self, at: QPointF) -> None:
        found = self.sight.node_at(at)
        wire = self.sight.wire_at(at) if found is None else None
        if found is not None and found[0].id not in self.document.selection.nodes:
            self.document.select(
                Selection(frozenset({found[0].id}), None, self.sight.cell_at(*found))
            )
        elif found is None:
            self.document.select(Selection(wire=wire))
        self._pointer = at
        self.context_requested.emit(self.mapToGlobal(at.toPoint()))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            self._tip(event)
            return True
        if isinstance(event, QNativeGestureEvent):
            return self._native(event)
        if (
            isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.KeyPress
            and self._tabs(event)
        ):
            return True
        return super().event(event)

    def _tabs(self, event: QKeyEvent) -> bool:
        """Tab adds while the pointer moved last; after a key it moves the focus, as everywhere."""
        if event.key() != Qt.Key.Key_Tab or event.modifiers() or not self._pointer_last:
            return False
        self.entry.offer()
        return True

    def _native(self, event: QNativeGestureEvent) -> bool:
        if event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture:
            self.zoom_by(1 + event.value(), event.position())
        elif event.gestureType() is Qt.NativeGestureType.SmartZoomNativeGesture:
            self.fit_selection()
        return True

    def _tip(self, event: QHelpEvent) -> None:
        """A cell in full precision."""
        found = self.sight.node_at(QPointF(event.pos()))
        cell = self.sight.cell_at(*found) if found is not None else None
        array = self.sight.array(cell.node, cell.band) if cell is not None else None
        if cell is None or array is None:
            QToolTip.hideText()
            return
        place = f"[{', '.join(map(str, cell.index))}]  " if cell.index else ""
        QToolTip.showText(event.globalPos(), f"{place}{digits.full(array[cell.index])}", self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if isinstance(self._tool, Wire) and self._wire_key(self._tool, key):
            return
        if key is Qt.Key.Key_Escape:
            if not self.cancel_gesture():
                self.document.select(Selection())
        elif key is Qt.Key.Key_Space:
            if not event.isAutoRepeat() and self._space is None:
                self._space = False
        elif key in _ARROWS:
            self._arrow(_ARROWS[key], event.modifiers())
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entry.edit_selection()
        elif key is Qt.Key.Key_C and not event.modifiers():
            self._wire_by_keys()
        elif not self._type(event):
            super().keyPressEvent(event)

    def _wire_key(self, tool: Wire, key: Qt.Key) -> bool:
        if key in _ARROWS:
            tool.choose(sum(_ARROWS[key]))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._end(tool.press, Qt.KeyboardModifier.NoModifier)
        elif key is Qt.Key.Key_Escape:
            self.cancel_gesture()
        else:
            return False
        return True

    def _wire_by_keys(self) -> None:
        only = self.document.selection.only
        if only is None:
            self.say(mark("canvas", "Select the node a wire shall start from, then press C."))
            return
        start = OutPort(only)
        self._begin(
            Wire(self, self.sight.camera.to_screen(self.sight.port_point(start)), start, keyed=True)
        )
        assert isinstance(self._tool, Wire)
        self._tool.choose(1)
        self.say(mark("canvas", "Arrows choose where the wire ends, Enter connects, Esc drops it."))

    def _arrow(self, by: tuple[int, int], modifiers: Qt.KeyboardModifier) -> None:
        self._pointer_last = False
        selection = self.document.selection
        if selection.cell is not None:
            array = self.sight.array(selection.cell.node, selection.cell.band)
            if array is not None:
                index = cells.neighbour(array.shape, selection.cell.index, by)
                cell = CellRef(selection.cell.node, selection.cell.band, index)
                self.document.select(Selection(selection.nodes, None, cell))
        elif selection.nodes:
            step = FAR_NUDGE if modifiers & _SHIFT else NUDGE
            places = self.document.diagram.places
            moved = {
                id: Place(places[id].x + by[1] * step, places[id].y + by[0] * step)
                for id in selection.nodes
                if id in places
            }
            self.document.edit(mark("edit", "Move"), edits.move, moved, merge="nudge")
        else:
            self.camera = self.sight.camera.panned(-by[1] * FAR_NUDGE, -by[0] * FAR_NUDGE)

    def _type(self, event: QKeyEvent) -> bool:
        """Typing into a selected source cell edits it; digits on the canvas open the add box."""
        text = event.text()
        if (
            not text.isprintable()
            or not text
            or event.modifiers() & (_CTRL | Qt.KeyboardModifier.AltModifier)
        ):
            return False
        only = self.document.selection.only
        cell = self.document.selection.cell
        look = self.sight.look(only) if only is not None else None
        if look is not None and cell is not None and cell.band == "value":
            if text in "0123456789-−+.[(iInN":
                self.entry.edit_cell(look, cell, text)
                return True
            return False
        if text.isdigit():
            self.entry.offer(text=text)
            return True
        return False

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat() and self._space is not None:
            panned, self._space = self._space, None
            if not panned:
                self.space_tapped.emit()
            return
        super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._space = None
        # A menu only borrows the focus.
        if event.reason() is not Qt.FocusReason.PopupFocusReason and self._tool is not None:
            self.cancel_gesture()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(OP_MIME):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if event.mimeData().hasFormat(OP_MIME):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        name = bytes(event.mimeData().data(OP_MIME).data()).decode("utf-8", "replace")
        if registry.find(name) is not None:
            at = self.sight.camera.to_canvas(event.position())
            self.entry.add(name, "", Place(at.x - USUAL_SIZE[0] / 2, at.y - 14), None)
            event.acceptProposedAction()
            self.setFocus()

    def say(self, text: Text | Message) -> None:
        """A line for the foot of the window."""
        self.status_hint.emit(render(text if isinstance(text, Message) else message(text)))

    def hint_at(self, at: QPointF, why: Message | None) -> None:
        """Say at the pointer why something is refused; None takes it away."""
        if why is None:
            self._hint.hide()
            return
        self._hint.setText(render(why))
        self._hint.setFixedWidth(min(320, self.width() - 16))
        self._hint.adjustSize()
        x = min(int(at.x()) + 16, self.width() - self._hint.width() - 8)
        y = min(int(at.y()) + 20, self.height() - self._hint.height() - 8)
        self._hint.move(max(x, 8), max(y, 8))
        self._hint.show()

    @property
    def refusal(self) -> str:
        """The reason that is shown at the pointer."""
        return "" if self._hint.isHidden() else self._hint.text()

    def pointer_place(self) -> Place:
        """Where something new goes: under the pointer, or in the middle of the view."""
        over = self._pointer is not None and self.rect().contains(self._pointer.toPoint())
        at = self._pointer if over and self._pointer is not None else QPointF(self.rect().center())
        point = self.sight.camera.to_canvas(at)
        return Place(point.x, point.y)

    def delete_selection(self) -> None:
        """Delete what is selected: nodes with their wires, or one wire."""
        selection = self.document.selection
        if selection.wire is not None:
            self.document.edit(
                mark("edit", "Remove a wire"), edits.disconnect, selection.wire, select=Selection()
            )
        elif selection.nodes:
            self.document.edit(
                mark("edit", "Delete"), edits.delete, selection.nodes, select=Selection()
            )

    @property
    def tool(self) -> Tool | None:
        """The gesture under way."""
        return self._tool
