"""The canvas: paints the present moment, hands events to the tool at work, and owns the camera.

The camera moves only on command: a step of the film never moves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt, QTimer, Signal
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
from shiboken6 import isValid

from gradviz import digits
from gradviz.edit import edits
from gradviz.graph.model import Array, Diagram, InPort, OutPort, Place
from gradviz.gui.canvas import cells
from gradviz.gui.canvas.addbox import AddBox
from gradviz.gui.canvas.camera import Camera
from gradviz.gui.canvas.editor import Editor, refusal_sheet
from gradviz.gui.canvas.targets import AnyPort, Targets
from gradviz.gui.canvas.tools import Box, Move, Pan, Tool, Wire, is_cell
from gradviz.gui.document import CellRef, Document, Selection
from gradviz.gui.player import Player
from gradviz.gui.translate import render
from gradviz.ops import registry
from gradviz.ops.op import Op
from gradviz.picture import curve, geometry, labels
from gradviz.picture import hit as hits
from gradviz.picture.colours import LIGHT, Theme
from gradviz.picture.frame import Framer, wire_end
from gradviz.picture.hit import Hit, Part
from gradviz.picture.look import Frame, NodeLook, WireLook
from gradviz.picture.node import paint_part, paint_selection
from gradviz.picture.pen import line_pen
from gradviz.picture.plane import Point, Rect
from gradviz.picture.scene import paint_arrow, paint_frame
from gradviz.picture.wire import wire_path
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
        self._player = player
        self._framer = framer
        self._theme: Theme = LIGHT
        self._camera = Camera()
        self._frame = Frame()
        self._rects: npt.NDArray[np.float64] = np.zeros((0, 4))
        self._rects_of: object = None
        self._stale = True
        self._moved: Mapping[str, Place] = {}
        self._tool: Tool | None = None
        self._editor: Editor | None = None
        self._add_box: AddBox | None = None
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
        return self._camera

    @camera.setter
    def camera(self, camera: Camera) -> None:
        if camera != self._camera:
            self._camera = camera
            self.update()

    @property
    def moved(self) -> Mapping[str, Place]:
        """Where the cards that are being dragged are now."""
        return self._moved

    @moved.setter
    def moved(self, places: Mapping[str, Place]) -> None:
        self._moved = places
        self._refresh()

    def _refresh(self) -> None:
        self._stale = True
        self.update()

    def _on_changed(self, old: Diagram, new: Diagram) -> None:
        if self._tool is not None:
            self.cancel_gesture()
        self._refresh()

    def current_frame(self) -> Frame:
        """The picture of the present moment."""
        if self._stale:
            document = self.document
            self._frame = self._framer.frame(
                document.answer,
                self._player.position,
                self._player.progress,
                dimmed=document.computing,
                moved=self._moved or None,
            )
            self._stale = False
        return self._frame

    def _node_rects(self) -> npt.NDArray[np.float64]:
        """Left, top, right, bottom of every card with its glow, one row a card."""
        nodes = self.current_frame().nodes
        if self._rects_of is not nodes:
            rects = [geometry.outer_rect(look) for look in nodes]
            self._rects = np.array([(r.x, r.y, r.right, r.bottom) for r in rects]).reshape(-1, 4)
            self._rects_of = nodes
        return self._rects

    def _in_view(self, view: Rect) -> list[NodeLook]:
        rects = self._node_rects()
        seen = (
            (rects[:, 0] < view.right)
            & (rects[:, 2] > view.x)
            & (rects[:, 1] < view.bottom)
            & (rects[:, 3] > view.y)
        )
        nodes = self.current_frame().nodes
        return [nodes[i] for i in np.flatnonzero(seen)]

    def _view(self) -> Rect:
        return self._camera.view(self.width(), self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(self._camera.scale, self._camera.scale)
        painter.translate(-self._camera.x, -self._camera.y)
        view = self._view()
        frame = self.current_frame()
        seen = Frame(
            tuple(self._in_view(view)), frame.wires, frame.packets, frame.notes, (), frame.bounds
        )
        paint_frame(painter, seen, self._theme, view)
        self._paint_selection(painter, seen)
        if self._tool is not None:
            self._tool.paint(painter)
        self._paint_arrows(painter, view, frame)
        painter.resetTransform()
        if not frame.nodes:
            self._paint_hints(painter)

    def _paint_selection(self, painter: QPainter, seen: Frame) -> None:
        selection = self.document.selection
        for look in seen.nodes:
            if look.id in selection.nodes:
                paint_selection(painter, look, self._theme)
                if selection.cell is not None and selection.cell.node == look.id:
                    self._paint_cell(painter, look, selection.cell)
            if (
                self._hover is not None
                and self._hover[0] == look.id
                and self._hover[1].part in (Part.INPUT, Part.OUTPUT)
            ):
                paint_part(painter, look, self._hover[1], self._theme.forward)
        if selection.wire is not None:
            self._paint_wire_selection(painter, seen, selection.wire)

    def _paint_cell(self, painter: QPainter, look: NodeLook, cell: CellRef) -> None:
        found = self._hit_of_cell(look, cell)
        if found is not None:
            paint_part(painter, look, found, self._theme.ink)

    def _paint_wire_selection(self, painter: QPainter, seen: Frame, end: InPort) -> None:
        for wire in seen.wires:
            if wire_end(wire.id) == end:
                painter.setPen(line_pen(self._theme.ink, 4))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawPath(wire_path(curve.curve(wire.start, wire.end)))
                painter.setPen(line_pen(self._theme.canvas, 1.5))
                painter.drawPath(wire_path(curve.curve(wire.start, wire.end)))

    def _paint_arrows(self, painter: QPainter, view: Rect, frame: Frame) -> None:
        """Active cards out of view are pointed at from the edge."""
        for look in frame.nodes:
            if look.active is not None:
                words = look.card.name or look.card.title
                arrow = labels.edge_arrow(view, geometry.card_rect(look), look.active, words)
                if arrow is not None:
                    paint_arrow(painter, arrow, self._theme)

    def _paint_hints(self, painter: QPainter) -> None:
        painter.setPen(self._theme.dim)
        painter.setFont(self.font())
        text = "\n\n".join(
            (
                self.tr("Type an expression above, such as  y = x**2 + x - 1"),
                self.tr("Paste numbers or an expression here"),
                self.tr(
                    "Open an example from the list on the left, or press Tab to add an operation"
                ),
            )
        )
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, text)

    def view_state(self) -> dict[str, Any]:
        """What of the view is saved with the document."""
        camera = self._camera
        return {"camera": {"scale": camera.scale, "x": camera.x, "y": camera.y}}

    def fit_all(self) -> None:
        """Bring everything into view."""
        self._fit_later = not self.isVisible()
        bounds = self.current_frame().bounds
        if self.current_frame().nodes:
            self.camera = self._camera.fitted(bounds, self.width(), self.height())

    def fit_selection(self) -> None:
        """Bring the selection into view; without one, everything."""
        rects = [geometry.outer_rect(look) for look in self._looks(self.document.selection.nodes)]
        if rects:
            self.camera = self._camera.fitted(Rect.around(rects), self.width(), self.height())
        else:
            self.fit_all()

    def zoom_to(self, scale: float) -> None:
        """That scale, around the middle."""
        self.zoom_by(scale / self._camera.scale)

    def zoom_by(self, factor: float, around: QPointF | None = None) -> None:
        """Larger by `factor`, around the middle or a point."""
        centre = QPointF(self.width() / 2, self.height() / 2) if around is None else around
        self.camera = self._camera.zoomed(factor, centre)

    def ensure_visible(self, ids: Iterable[str]) -> None:
        """Move as little as possible so that these cards are in view."""
        rects = [geometry.outer_rect(look) for look in self._looks(ids)]
        if rects:
            self.camera = self._camera.shown(Rect.around(rects), self.width(), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._fit_later and self.isVisible():
            self._fit_later = False
            QTimer.singleShot(0, self, self.fit_all)

    def _looks(self, ids: Iterable[str]) -> list[NodeLook]:
        wanted = set(ids)
        return [look for look in self.current_frame().nodes if look.id in wanted]

    def look(self, id: str) -> NodeLook | None:
        """The card of a node."""
        return next(iter(self._looks([id])), None)

    def nodes_in(self, rect: Rect) -> list[str]:
        """The ids of the cards that a rectangle touches."""
        return [look.id for look in self._in_view(rect) if geometry.card_rect(look).touches(rect)]

    def node_at(self, screen: QPointF) -> tuple[NodeLook, Hit] | None:
        """The uppermost card under a point of the screen, and its part."""
        at = self._camera.to_canvas(screen)
        near = Rect(at.x - PORT_REACH, at.y - PORT_REACH, 2 * PORT_REACH, 2 * PORT_REACH)
        for look in reversed(self._in_view(near)):
            found = hits.hit(look, at)
            if found is not None:
                return look, found
        return None

    def wire_at(self, screen: QPointF) -> InPort | None:
        """The end of the wire under a point of the screen."""
        at = self._camera.to_canvas(screen)
        reach = WIRE_REACH / self._camera.scale
        best: tuple[float, WireLook] | None = None
        for wire in self.current_frame().wires:
            path = curve.curve(wire.start, wire.end)
            if curve.bounds(path).grown(reach).contains(at):
                distance = curve.distance(path, at)
                if distance <= reach and (best is None or distance < best[0]):
                    best = (distance, wire)
        return wire_end(best[1].id) if best is not None else None

    def visible_ports(self, *, wants_input: bool) -> list[AnyPort]:
        """The inputs (or outputs) of the cards in view."""
        found: list[AnyPort] = []
        for look in self._in_view(self._view()):
            ports = look.card.inputs if wants_input else look.card.outputs
            found += [(InPort if wants_input else OutPort)(look.id, i) for i in range(len(ports))]
        return found

    def port_point(self, port: AnyPort) -> Point:
        """Where a port is, in canvas pixels."""
        look = self.look(port.node)
        if look is None:
            return Point(0, 0)
        if isinstance(port, InPort):
            count = len(look.card.inputs)
            return geometry.input_point(look, min(port.index, count - 1))
        return geometry.output_point(look, port.index)

    def port_at(self, screen: QPointF, *, wants_input: bool) -> AnyPort | None:
        """The nearest input (or output) within reach of a point; a card with one is reached anywhere."""
        at = self._camera.to_canvas(screen)
        reach = PORT_REACH / self._camera.scale
        ports = self.visible_ports(wants_input=wants_input)
        near = [(_apart(self.port_point(port), at), number) for number, port in enumerate(ports)]
        distance, number = min(near, default=(reach + 1, -1))
        if distance <= reach:
            return ports[number]
        under = self.node_at(screen)
        if under is None:
            return None
        own = [port for port in ports if port.node == under[0].id]
        return min(own, key=lambda port: _apart(self.port_point(port), at), default=None)

    def cell_at(self, look: NodeLook, found: Hit) -> CellRef | None:
        """The cell of a value or gradient that a part of a card stands for."""
        if not is_cell(found):
            return None
        band = "value" if found.part is Part.VALUE else "gradient"
        array = self._array(look.id, band)
        room = look.card.value if found.part is Part.VALUE else look.card.gradient
        if array is None or room is None or not array.size:
            return None
        return CellRef(look.id, band, cells.index_of(array.shape, room, found.row, found.column))  # type: ignore[arg-type]

    def _hit_of_cell(self, look: NodeLook, cell: CellRef) -> Hit | None:
        array = self._array(cell.node, cell.band)
        part = Part.VALUE if cell.band == "value" else Part.GRADIENT
        room = look.card.value if cell.band == "value" else look.card.gradient
        if array is None or room is None or len(cell.index) != array.ndim:
            return None
        return cells.hit_of(array.shape, room, cell.index, part)

    def _array(self, node: str, band: str) -> Array | None:
        """What a band shows at the present moment."""
        timeline, position = self._player.timeline, self._player.position
        port = OutPort(node)
        return (
            timeline.value(port, position) if band == "value" else timeline.adjoint(port, position)
        )

    def cancel_gesture(self) -> bool:
        """Drop what is under way: a gesture, an editor, the add box. True if there was something."""
        tool, self._tool = self._tool, None
        if tool is not None:
            tool.cancel()
            self.unsetCursor()
            self.update()
        if self._add_box is not None:
            self._add_box.close_box()
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
        found = self.node_at(at)
        if found is None:
            wire = self.wire_at(at)
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
        found = self.node_at(event.position())
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
        found = self.node_at(event.position())
        if found is None:
            if self.wire_at(event.position()) is None:
                self.open_add_box(event.position())
        elif found[1].part is Part.VALUE:
            self._edit_cell(found[0], self.cell_at(*found))
        elif found[1].part in (Part.HEADER, Part.BODY):
            self._edit_header(found[0])

    def wheelEvent(self, event: QWheelEvent) -> None:
        touchpad = (
            not event.pixelDelta().isNull() or event.phase() is not Qt.ScrollPhase.NoScrollPhase
        )
        if touchpad and not event.modifiers() & _CTRL:
            by = event.pixelDelta() if not event.pixelDelta().isNull() else event.angleDelta() / 4
            self.camera = self._camera.panned(by.x(), by.y())
        else:
            self.zoom_by(1.0015 ** event.angleDelta().y(), event.position())
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        # A click of the right button is asked about on release, since its drag moves the view.
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            only = self.document.selection.only
            look = self.look(only) if only is not None else None
            at = QPointF(self.rect().center())
            if look is not None:
                at = self._camera.to_screen(geometry.card_rect(look).center)
            self.context_requested.emit(self.mapToGlobal(at.toPoint()))

    def _ask_context(self, at: QPointF) -> None:
        found = self.node_at(at)
        wire = self.wire_at(at) if found is None else None
        if found is not None and found[0].id not in self.document.selection.nodes:
            self.document.select(Selection(frozenset({found[0].id}), None, self.cell_at(*found)))
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
        self.open_add_box()
        return True

    def _native(self, event: QNativeGestureEvent) -> bool:
        if event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture:
            self.zoom_by(1 + event.value(), event.position())
        elif event.gestureType() is Qt.NativeGestureType.SmartZoomNativeGesture:
            self.fit_selection()
        return True

    def _tip(self, event: QHelpEvent) -> None:
        """A cell in full precision."""
        found = self.node_at(QPointF(event.pos()))
        cell = self.cell_at(*found) if found is not None else None
        array = self._array(cell.node, cell.band) if cell is not None else None
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
            self.edit_selection()
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
        self._begin(Wire(self, self._camera.to_screen(self.port_point(start)), start, keyed=True))
        assert isinstance(self._tool, Wire)
        self._tool.choose(1)
        self.say(mark("canvas", "Arrows choose where the wire ends, Enter connects, Esc drops it."))

    def _arrow(self, by: tuple[int, int], modifiers: Qt.KeyboardModifier) -> None:
        self._pointer_last = False
        selection = self.document.selection
        if selection.cell is not None:
            array = self._array(selection.cell.node, selection.cell.band)
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
            self.camera = self._camera.panned(-by[1] * FAR_NUDGE, -by[0] * FAR_NUDGE)

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
        look = self.look(only) if only is not None else None
        if look is not None and cell is not None and cell.band == "value":
            if text in "0123456789-−+.[(iInN":
                self._edit_cell(look, cell, text)
                return True
            return False
        if text.isdigit():
            self.open_add_box(text=text)
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
        if event.reason() not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.OtherFocusReason):
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
            at = self._camera.to_canvas(event.position())
            self._add(name, "", Place(at.x - USUAL_SIZE[0] / 2, at.y - 14), None)
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

    def pointer_place(self) -> Place:
        """Where something new goes: under the pointer, or in the middle of the view."""
        over = self._pointer is not None and self.rect().contains(self._pointer.toPoint())
        at = self._pointer if over and self._pointer is not None else QPointF(self.rect().center())
        point = self._camera.to_canvas(at)
        return Place(point.x, point.y)

    def open_add_box(
        self, at: QPointF | None = None, port: AnyPort | None = None, text: str = ""
    ) -> None:
        """Offer operations at a point (the pointer's, if none is given); from a port, only what fits."""
        self.cancel_gesture()
        screen = at if at is not None else self._camera.to_screen(self.pointer_place())
        point = self._camera.to_canvas(screen)
        targets = Targets(self.document, port) if port is not None else None
        offered = _any_op if targets is None else targets.takes
        box = AddBox(self, screen.toPoint(), offered, text)
        box.chosen.connect(
            lambda op, number: self._add(op, number, Place(point.x, point.y - 14), port)
        )
        box.closed.connect(partial(self._box_closed, box))
        self._add_box = box

    def _box_closed(self, box: AddBox) -> None:
        # A window that is closed takes the focus from the box after the canvas is gone.
        if self._add_box is box and isValid(self):
            self._add_box = None
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            self.update()

    def add_in_view(self, op: str) -> None:
        """Add a node in the middle of the view, where there is room."""
        middle = self._view().center
        self._add(op, "", Place(middle.x - USUAL_SIZE[0] / 2, middle.y - USUAL_SIZE[1] / 2), None)

    def _add(self, op: str, number: str, place: Place, port: AnyPort | None) -> None:
        value: object = None
        if number:
            from gradviz.code.numbers import parse_number

            value = parse_number(number)
        sizes = self._framer.sizes(self.document.answer)
        if port is not None and isinstance(port, InPort):
            place = Place(place.x - USUAL_SIZE[0], place.y)
        added: list[str] = []

        def build(diagram: Diagram) -> Diagram:
            free = edits.free_place(diagram, place, USUAL_SIZE, sizes)
            found, id = edits.add_node(diagram, op, free, value=value)
            added.append(id)
            if isinstance(port, OutPort):
                return edits.connect(found, port, InPort(id, 0))
            return edits.connect(found, OutPort(id), port) if port is not None else found

        if self.document.edit(mark("edit", "Add"), build):
            self.document.select(Selection(frozenset(added)))
            self.ensure_visible(added)

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

    def edit_selection(self) -> None:
        """Edit the selected cell, or the value or the name of the selected node."""
        only = self.document.selection.only
        look = self.look(only) if only is not None else None
        if look is None:
            self.say(mark("canvas", "Select a card or a cell to edit."))
        elif self.document.selection.cell is not None:
            self._edit_cell(look, self.document.selection.cell)
        else:
            self._edit_header(look)

    def _edit_cell(self, look: NodeLook, cell: CellRef | None, typed: str | None = None) -> None:
        if cell is None:
            return
        if cell.node not in self.document.diagram.values or cell.band != "value":
            self._say_computed(cell)
            return
        found = self._hit_of_cell(look, cell)
        rect = hits.where(look, found) if found is not None else geometry.card_rect(look)
        array = self.document.diagram.values[cell.node]
        text = typed if typed is not None else _plain(array, cell.index)
        self.document.select(Selection(frozenset({cell.node}), None, cell))
        self._open_editor(rect, text, partial(self._set_cell, cell), selected=typed is None)
        assert self._editor is not None
        self._editor.closed.connect(partial(self._go_on, cell))

    def _say_computed(self, cell: CellRef) -> None:
        name = self.document.diagram.graph[cell.node].name or cell.node
        if cell.band == "gradient":
            self.say(
                message(
                    mark("canvas", "The gradient of {name} is computed; change a source instead."),
                    name=name,
                )
            )
        elif self.document.diagram.graph[cell.node].op == "random_normal":
            self.say(
                message(
                    mark("canvas", "{name} is drawn at random; press R to draw again."), name=name
                )
            )
        else:
            self.say(
                message(
                    mark("canvas", "{name} is computed from its inputs; change a source instead."),
                    name=name,
                )
            )

    def _set_cell(self, cell: CellRef, text: str) -> bool:
        from gradviz.code.numbers import parse_block, parse_number

        # A table in brackets replaces the whole value, and may change its shape.
        if "[" in text or "\t" in text or "\n" in text:
            value = parse_block(text)
            return self._edit_value(partial(edits.set_value, id=cell.node, value=value))
        number = parse_number(text)
        return self._edit_value(
            partial(edits.set_cell, id=cell.node, cell=cell.index, number=number)
        )

    def _edit_value(self, function: Any) -> bool:
        # Refusals must reach the editor, so the edit is tried before it is made.
        function(self.document.diagram)
        return self.document.edit(mark("edit", "Change a value"), function)

    def _go_on(self, cell: CellRef, moved: str) -> None:
        self._editor = None
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        array = self.document.diagram.values.get(cell.node)
        if (
            moved not in ("next", "previous")
            or array is None
            or len(cell.index) != array.ndim
            or not array.ndim
        ):
            return
        index = cells.following(array.shape, cell.index, 1 if moved == "next" else -1)
        look = self.look(cell.node)
        if look is not None:
            self._edit_cell(look, CellRef(cell.node, "value", index))

    def _edit_header(self, look: NodeLook) -> None:
        node = self.document.diagram.graph[look.id]
        if look.id in self.document.diagram.values and not node.name:
            self._edit_cell(look, CellRef(look.id, "value", ()))
            return
        header = geometry.arrange(look.card).header
        rect = header.moved(look.place) if header is not None else geometry.card_rect(look)
        self.document.select(Selection(frozenset({look.id})))
        self._open_editor(rect, node.name, partial(self._rename, look.id))
        assert self._editor is not None
        self._editor.closed.connect(self._editor_closed)

    def _rename(self, id: str, text: str) -> bool:
        edits.rename(self.document.diagram, id, text)
        return self.document.edit(mark("edit", "Rename"), edits.rename, id, text)

    def _editor_closed(self, moved: str) -> None:
        self._editor = None
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _open_editor(self, rect: Rect, text: str, commit: Any, *, selected: bool = True) -> None:
        if self._editor is not None:
            self._editor.cancel()
        corner, end = (
            self._camera.to_screen(rect[:2]),
            self._camera.to_screen((rect.right, rect.bottom)),
        )
        box = QRect(corner.toPoint(), end.toPoint())
        self._editor = Editor(
            self, box, text, commit, refusal_sheet(self._theme), selected=selected
        )

    @property
    def editor(self) -> Editor | None:
        """What is being typed into."""
        return self._editor

    @property
    def add_box(self) -> AddBox | None:
        """What is offered."""
        return self._add_box

    @property
    def tool(self) -> Tool | None:
        """The gesture under way."""
        return self._tool


def _any_op(op: Op) -> bool:
    return True


def _apart(a: tuple[float, float], b: tuple[float, float]) -> float:
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))


def _plain(array: Array, index: tuple[int, ...]) -> str:
    """A number as it is typed: in full, without typographic signs."""
    return digits.full(array[index]).replace("−", "-").replace("∞", "inf").replace("NaN", "nan")
