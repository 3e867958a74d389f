"""The canvas: paints the present moment, hands events to the tool at work, and owns the camera.

The camera moves only on command: a step of the film never moves it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
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
from PySide6.QtWidgets import QLabel, QWidget

from gradviz.edit import edits
from gradviz.engine.stops import stopped_nodes
from gradviz.graph.model import Diagram, InPort, OutPort, Place
from gradviz.gui import paste
from gradviz.gui.canvas import accessible
from gradviz.gui.canvas.adding import Adding
from gradviz.gui.canvas.camera import LARGEST, SMALLEST, Camera
from gradviz.gui.canvas.carry import Carry
from gradviz.gui.canvas.culling import wire_rect
from gradviz.gui.canvas.dragging import is_draggable
from gradviz.gui.canvas.drops import Drops
from gradviz.gui.canvas.edge_pan import EdgePan
from gradviz.gui.canvas.editor import refusal_sheet
from gradviz.gui.canvas.entry import Entry
from gradviz.gui.canvas.keys import Keys
from gradviz.gui.canvas.landing import Landing
from gradviz.gui.canvas.overlay import (
    arrows,
    paint_focus,
    paint_halts,
    paint_handle,
    paint_hints,
    paint_hover,
    paint_port,
    paint_selection,
)
from gradviz.gui.canvas.pointer import Pointer
from gradviz.gui.canvas.sight import Sight
from gradviz.gui.canvas.targets import AnyPort
from gradviz.gui.canvas.tools import Tool
from gradviz.gui.canvas.walking import Walk
from gradviz.gui.canvas.wiring import Wire
from gradviz.gui.document import Document, Selection
from gradviz.gui.player import Player
from gradviz.gui.translate import render
from gradviz.picture import geometry
from gradviz.picture import hit as hits
from gradviz.picture.colours import LIGHT, Theme
from gradviz.picture.frame import Framer
from gradviz.picture.hit import Part
from gradviz.picture.look import Arrow
from gradviz.picture.pen import Detail, detail_at
from gradviz.picture.plane import Rect
from gradviz.picture.scene import paint_arrow, paint_frame
from gradviz.text import Message, Text, mark, message

_BY_KEY: Final = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)


HANDLE: Final = (22.0, 14.0)
"""The handle of a number, in pixels of the screen."""
HINT_WIDTH: Final = 320
HINT_EDGES: Final = 30


class Canvas(QWidget):
    """What is drawn, and every gesture on it.

    space_tapped()            Space was pressed and released without moving the view
    status_hint(text)         a line for the foot of the window
    context_requested(point)  a menu is wanted at a point of the screen
    snapping_changed(on)      cards that are moved take the grid, or no longer
    expression_typed(text)    mathematics was typed into the add box
    table_requested(cell)     an array larger than its card shall be shown whole
    """

    space_tapped = Signal()
    status_hint = Signal(str)
    context_requested = Signal(QPoint)
    expression_typed = Signal(str)
    table_requested = Signal(object)
    snapping_changed = Signal(bool)

    def __init__(
        self, document: Document, player: Player, framer: Framer, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.document = document
        self.sight = Sight(document, player, framer)
        self._theme: Theme = LIGHT
        self._tool: Tool | None = None
        self._armed = ""
        self._selection = document.selection
        self._arrows: tuple[Arrow, ...] = ()
        self._fit_later = False
        self._is_stale = False
        self._hint = QLabel(self)
        self._hint.setObjectName("refusal")
        self._hint.setTextFormat(Qt.TextFormat.PlainText)
        self._hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._hint.setWordWrap(True)
        self._hint.hide()
        self.landing = Landing(document, self.sight)
        self._snapping = True
        self.gives_up: list[Callable[[], bool]] = []
        """What Esc stops first, outside the canvas: each tells whether there was something to stop."""
        self.types_to_add = False
        """Whether a letter typed on the canvas adds, and is no command."""
        self.adding = Adding(self)
        self.entry = Entry(self)
        self.walk = Walk(self)
        self.pointer = Pointer(self)
        self.edge_pan = EdgePan(self)
        self._drops = Drops(self)
        self._keys = Keys(self)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setMinimumSize(240, 160)
        self.setAccessibleName(self.tr("Canvas"))
        self.setAccessibleDescription(
            self.tr("The computation graph. Arrow keys move, Shift+A adds, C draws a wire.")
        )
        accessible.install()
        document.changed.connect(self._on_changed)
        document.answered.connect(self._refresh)
        document.selected.connect(self._on_selected)
        player.moved.connect(self._on_moved)

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
            self.entry.follow()
            self.update()

    @property
    def moved(self) -> Mapping[str, Place]:
        """Where the cards that are being dragged are now."""
        return self.sight.moved

    @moved.setter
    def moved(self, places: Mapping[str, Place]) -> None:
        if places or self.sight.moved:
            self.sight.moved = places
            self._repaint_changes()

    def touch(self, rects: Iterable[Rect] | None) -> None:
        """Paint some rectangles of the canvas again, and nothing else; None: all of it."""
        region = self.sight.region(rects) if rects is not None else None
        if region is None:
            self.update()
        elif not region.isEmpty():
            self.update(region)

    def _refresh(self) -> None:
        self.sight.invalidate()
        self._is_stale = True
        self.update()

    def _repaint_changes(self) -> None:
        if self._is_stale or not self.isVisible():
            # All of it is painted again in any case.
            return
        shown, self._arrows = self._arrows, arrows(self.sight)
        changes = self.sight.changes()
        self.touch(changes if shown == self._arrows else None)

    def _on_moved(self) -> None:
        self.sight.invalidate()
        self._repaint_changes()

    def _on_changed(self, old: Diagram, new: Diagram) -> None:
        # What was under the pointer may be gone, or have fewer ports; its next move tells.
        self.pointer.leave()
        if self._tool is None or not self._tool.outlives_changes:
            self.drop_tool()
        self.entry.on_changed()
        self._refresh()

    def _on_selected(self) -> None:
        before, self._selection = self._selection, self.document.selection
        now = self._selection
        touched = before.nodes ^ now.nodes
        touched |= {c.node for c in (before.cell, now.cell) if c is not None}
        rects = [geometry.outer_rect(look) for look in self.sight.looks(touched)]
        for end in {before.wire, now.wire} - {None}:
            wire = self.sight.wire(end) if end is not None else None
            if wire is not None:
                rects.append(wire_rect(wire))
        self.touch(rects)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._is_stale = False
        painter = QPainter(self)
        try:
            self._paint(painter, event)
        finally:
            # The traceback of a fault would keep the painter active beyond this event, and that crashes later.
            painter.end()

    def _paint(self, painter: QPainter, event: QPaintEvent) -> None:
        camera, theme = self.sight.camera, self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(camera.scale, camera.scale)
        painter.translate(-camera.x, -camera.y)
        rects = [camera.rect(rect) for rect in cast("Iterable[QRect]", event.region())]
        paint_frame(painter, self.sight.part(rects), theme, camera.rect(event.rect()))
        paint_selection(painter, self.sight, self.document.selection, theme)
        if self.walk.port is not None:
            paint_port(painter, self.sight, self.walk.port, theme)
        handle = self.handle()
        if handle is not None:
            paint_handle(painter, handle, camera.scale, theme)
        paint_halts(painter, self.sight, stopped_nodes(self.document.diagram), theme)
        if self.pointer.hover is not None:
            paint_hover(painter, self.sight, self.pointer.hover, theme)
        if self._tool is not None:
            self._tool.paint(painter)
        self._drops.paint(painter)
        painter.resetTransform()
        self._arrows = arrows(self.sight)
        for arrow in self._arrows:
            paint_arrow(painter, arrow, theme)
        if not self.sight.frame().nodes:
            paint_hints(painter, self.rect(), theme, self._hints())
        if self.hasFocus() and not self.pointer.is_last:
            paint_focus(painter, self.rect(), theme)

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
        return self.drop_tool() | self.entry.cancel()

    def finish_gesture(self) -> None:
        """By a key: the wire that is being drawn ends at the port that was chosen."""
        tool = self._tool
        if isinstance(tool, Wire):
            self._leave(tool)
            tool.finish()

    @property
    def armed(self) -> str:
        """The mode that a key has put the canvas in: what a press begins now; empty for the usual."""
        return self._armed

    @armed.setter
    def armed(self, mode: str) -> None:
        self._armed = mode
        self.show_cursor()

    def panned(self) -> None:
        """The view is moved by hand: if Space is held for it, releasing it does not play."""
        self._keys.panned()

    @property
    def snapping(self) -> bool:
        """Whether cards that are moved take the grid and line up with others."""
        return self._snapping

    @snapping.setter
    def snapping(self, snapping: bool) -> None:
        if snapping != self._snapping:
            self._snapping = snapping
            self.snapping_changed.emit(snapping)

    def carry(self) -> None:
        """The selected cards follow the pointer until the next click."""
        self.begin(Carry(self, self.pointer.point))

    def take_wire(self) -> AnyPort | None:
        """Stop drawing a wire, and tell where it starts."""
        tool = self._tool
        self.drop_tool()
        return tool.start if isinstance(tool, Wire) and tool.picked is None else None

    def drop_tool(self) -> bool:
        """Drop the gesture under way; False if there is none."""
        tool = self._tool
        if tool is None:
            return False
        self._leave(tool)
        tool.cancel()
        return True

    def begin(self, tool: Tool) -> None:
        """A gesture begins; another one that is under way is dropped."""
        self.drop_tool()
        self._enter(tool)

    def _enter(self, tool: Tool) -> None:
        self._tool = tool
        self._show_tool(tool)

    def _leave(self, tool: Tool) -> None:
        self._tool = None
        self.edge_pan.stop()
        self._show_tool(tool)

    def _show_tool(self, tool: Tool) -> None:
        self.show_cursor()
        if tool.is_everywhere:
            self.update()

    def show_cursor(self) -> None:
        """The cursor that tells what a press would do."""
        on_port = self.pointer.hover is not None and self.pointer.hover[1].part in (
            Part.INPUT,
            Part.OUTPUT,
        )
        if self._tool is not None:
            self.setCursor(self._tool.cursor)
        elif self.pointer.on_handle:
            self.setCursor(Qt.CursorShape.SizeHorCursor)
        elif self.armed:
            pans = self.armed == "pan"
            self.setCursor(Qt.CursorShape.OpenHandCursor if pans else Qt.CursorShape.CrossCursor)
        elif on_port:
            self.setCursor(Qt.CursorShape.CrossCursor)
        else:
            self.unsetCursor()

    def move_tool(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """The pointer moves; a gesture that fails in this is dropped, so that it fails once only."""
        if self._tool is not None:
            try:
                self._tool.move(at, modifiers)
            except BaseException:
                self.drop_tool()
                raise

    def end(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """The button is let go: the gesture ends, if it is not one of several clicks."""
        tool = self._tool
        if tool is not None:
            # The edit that ends a gesture must not find it still under way.
            self._leave(tool)
            try:
                goes_on = not tool.release(at, modifiers)
            except BaseException:
                # What it meant to do is not done, so nothing of it may stay in view.
                tool.cancel()
                raise
            if goes_on:
                self._enter(tool)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.pointer.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.pointer.double_click(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointer.leave()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.pointer.wheel(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self._drops.enter(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._drops.leave()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self._drops.move(event)

    def dropEvent(self, event: QDropEvent) -> None:
        self._drops.drop(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        # A click of the right button is asked about on release, since its drag moves the view.
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            only = self.document.selection.only
            look = self.sight.look(only) if only is not None else None
            at = QPointF(self.rect().center())
            if look is not None:
                at = self.sight.camera.to_screen(geometry.card_rect(look).center)
            self.context_requested.emit(self.mapToGlobal(at.toPoint()))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            self.pointer.tip(event)
            return True
        if isinstance(event, QNativeGestureEvent):
            return self.pointer.native(event)
        if (
            isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.ShortcutOverride
            and self._keys.adds(event)
        ):
            # Typed, it is no longer the key of a command.
            event.accept()
            return True
        if (
            isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.KeyPress
            and self._tabs(event)
        ):
            return True
        return super().event(event)

    def _tabs(self, event: QKeyEvent) -> bool:
        """Tab adds, with Shift it snaps, while the pointer moved last; after a key it moves the focus, as everywhere."""
        if not self.pointer.is_last:
            return False
        if event.key() == Qt.Key.Key_Backtab:
            self.snapping = not self.snapping
            return True
        if event.key() != Qt.Key.Key_Tab or event.modifiers():
            return False
        self.entry.offer()
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._keys.press(event):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not self._keys.release(event):
            super().keyReleaseEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in _BY_KEY:
            self.pointer.is_last = False
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._keys.forget()
        self.update()
        # A menu only borrows the focus.
        if event.reason() is not Qt.FocusReason.PopupFocusReason:
            self.drop_tool()

    def paste(self, data: QMimeData, at: Place, *, keep_inputs: bool = False) -> None:
        """Put in what was copied or dropped, at a place of the canvas; say so if it cannot be used."""
        said = paste.paste(
            self.document, data, self.landing.at(at), self.sight.sizes, keep_inputs=keep_inputs
        )
        if said is not None:
            self.say(said)
        else:
            self.say_if_out_of_view()

    def say_if_out_of_view(self) -> None:
        """The view stays as it is: tell where the selection went, if there was no room for it in view."""
        view = self.sight.view()
        rects = [
            geometry.card_rect(look) for look in self.sight.looks(self.document.selection.nodes)
        ]
        if rects and not any(rect.touches(view) for rect in rects):
            self.say(mark("canvas", "There was no room in view for it: F shows where it is."))

    def say(self, text: Text | Message) -> None:
        """A line for the foot of the window."""
        self.status_hint.emit(render(text if isinstance(text, Message) else message(text)))

    def hint_at(self, at: QPointF, why: Message | None) -> None:
        """Say at the pointer why something is refused; None takes it away."""
        if why is None:
            self._hint.hide()
            return
        self._hint.setText(render(why))
        natural = self._hint.fontMetrics().horizontalAdvance(self._hint.text()) + HINT_EDGES
        self._hint.setFixedWidth(min(natural, HINT_WIDTH, self.width() - 16))
        self._hint.adjustSize()
        x = min(int(at.x()) + 16, self.width() - self._hint.width() - 8)
        y = min(int(at.y()) + 20, self.height() - self._hint.height() - 8)
        self._hint.move(max(x, 8), max(y, 8))
        self._hint.show()

    @property
    def refusal(self) -> str:
        """The reason that is shown at the pointer."""
        return "" if self._hint.isHidden() else self._hint.text()

    def delete_selection(self) -> None:
        """Delete what is selected: nodes with their wires, or one wire; at a port, its wires."""
        selection = self.document.selection
        port = self.walk.port
        if port is not None and selection.wire is None:
            graph = self.document.diagram.graph
            self.break_wires(graph.ends_of(port) if isinstance(port, OutPort) else [port])
            return
        if selection.wire is not None:
            self.document.edit(
                mark("edit", "Remove a wire"), edits.disconnect, selection.wire, select=Selection()
            )
        elif selection.nodes:
            self.document.edit(
                mark("edit", "Delete"), edits.delete, selection.nodes, select=Selection()
            )

    def break_wires(self, ends: Iterable[InPort]) -> None:
        """Remove the wires that end there, in one step."""
        wired = list(ends)
        text = mark("edit", "Remove wires") if len(wired) > 1 else mark("edit", "Remove a wire")
        kept = Selection(self.document.selection.nodes)
        self.document.edit(text, edits.cut, wired, select=kept)

    def handle(self) -> Rect | None:
        """Where the selected number can be taken hold of, to be dragged to another one."""
        cell = self.document.selection.cell
        if cell is None or detail_at(self.sight.camera.scale) is not Detail.FULL:
            return None
        look = self.sight.look(cell.node) if is_draggable(self, cell) else None
        found = self.sight.hit_of_cell(look, cell) if look is not None else None
        if look is None or found is None:
            return None
        rect, scale = hits.where(look, found), self.sight.camera.scale
        width, height = HANDLE[0] / scale, HANDLE[1] / scale
        # Not over the corner: the port of a card may be there.
        return Rect(rect.right - width - 2 / scale, rect.bottom - height / 2, width, height)

    @property
    def tool(self) -> Tool | None:
        """The gesture under way."""
        return self._tool
