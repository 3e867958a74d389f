"""A user at the canvas: real mouse and key events, in words. It owns all waiting, and never sleeps."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
    QImage,
    QMouseEvent,
    QNativeGestureEvent,
    QPointingDevice,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from gradviz.graph.model import InPort, OutPort
from gradviz.gui import paste
from gradviz.gui.canvas.view import Canvas
from gradviz.gui.player import Player
from gradviz.picture import geometry
from gradviz.picture.hit import Hit, Part, where
from gradviz.text import Message

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


class Robot:
    """Acts on a canvas; nodes are called by their names."""

    def __init__(self, canvas: Canvas, player: Player) -> None:
        self.canvas = canvas
        self.player = player
        self.document = canvas.document

    def id(self, name: str) -> str:
        return self.document.diagram.node_called(name).id

    def screen(self, point: tuple[float, float]) -> QPoint:
        return self.canvas.sight.camera.to_screen(point).toPoint()

    def output(self, name: str, index: int = 0) -> QPoint:
        return self.screen(self.canvas.sight.port_point(OutPort(self.id(name), index)))

    def input(self, name: str, index: int = 0) -> QPoint:
        return self.screen(self.canvas.sight.port_point(InPort(self.id(name), index)))

    def part(self, name: str, hit: Hit) -> QPoint:
        look = self.canvas.sight.look(self.id(name))
        assert look is not None
        return self.screen(where(look, hit).center)

    def header(self, name: str) -> QPoint:
        return self.part(name, Hit(Part.HEADER))

    def value(self, name: str, row: int = 0, column: int = 0) -> QPoint:
        return self.part(name, Hit(Part.VALUE, 0, row, column))

    def gradient(self, name: str, row: int = 0, column: int = 0) -> QPoint:
        return self.part(name, Hit(Part.GRADIENT, 0, row, column))

    def empty(self) -> QPoint:
        """A point with nothing under it."""
        size = self.canvas.size()
        for y in range(size.height() - 12, 0, -12):
            for x in range(size.width() - 12, 0, -12):
                at = QPoint(x, y)
                if (
                    self.canvas.sight.node_at(at.toPointF()) is None
                    and self.canvas.sight.wire_at(at.toPointF()) is None
                ):
                    return at
        raise AssertionError("the canvas is full")

    def click(
        self, at: QPoint, modifiers: Qt.KeyboardModifier = NONE, button: Qt.MouseButton = LEFT
    ) -> None:
        QTest.mouseClick(self.canvas, button, modifiers, at)

    def double_click(self, at: QPoint) -> None:
        QTest.mouseDClick(self.canvas, LEFT, NONE, at)

    def press(
        self, at: QPoint, modifiers: Qt.KeyboardModifier = NONE, button: Qt.MouseButton = LEFT
    ) -> None:
        QTest.mousePress(self.canvas, button, modifiers, at)

    def move(self, *points: QPoint, modifiers: Qt.KeyboardModifier = NONE) -> None:
        for point in points:
            if modifiers is NONE:
                QTest.mouseMove(self.canvas, point)
                continue
            # Qt's robot moves without keys.
            event = QMouseEvent(
                QEvent.Type.MouseMove,
                QPointF(point),
                QPointF(self.canvas.mapToGlobal(point)),
                Qt.MouseButton.NoButton,
                LEFT,
                modifiers,
            )
            QApplication.sendEvent(self.canvas, event)

    def release(
        self, at: QPoint, modifiers: Qt.KeyboardModifier = NONE, button: Qt.MouseButton = LEFT
    ) -> None:
        QTest.mouseRelease(self.canvas, button, modifiers, at)

    def drag(
        self,
        start: QPoint,
        end: QPoint,
        modifiers: Qt.KeyboardModifier = NONE,
        button: Qt.MouseButton = LEFT,
    ) -> None:
        """Press, move in two steps, release."""
        self.press(start, modifiers, button)
        self.move((start + end) / 2, end, modifiers=modifiers)
        self.release(end, modifiers, button)

    def wire(self, source: str, target: str, index: int = 0) -> None:
        """Draw a wire from an output to an input."""
        self.drag(self.output(source), self.input(target, index))

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
        """A key for whatever is typed into, else for the canvas."""
        QTest.keyClick(self.focus(), key, modifiers)
        QApplication.processEvents()

    def type(self, text: str) -> None:
        """Type where the focus is; the first character may open an editor that the others go to."""
        for character in text:
            focus = self.focus()
            if character.isascii():
                QTest.keyClicks(focus, character)
            else:
                # Qt's robot knows no key for such a character; an input method would insert it like this.
                assert isinstance(focus, QLineEdit)
                focus.insert(character)

    def focus(self) -> QWidget:
        entry = self.canvas.entry
        if entry.add_box is not None:
            return entry.add_box.line
        return entry.editor if entry.editor is not None else self.canvas

    def type_value(self, name: str, text: str, row: int = 0, column: int = 0) -> None:
        """Double-click a cell, type, Enter."""
        self.double_click(self.value(name, row, column))
        editor = self.canvas.entry.editor
        assert editor is not None
        editor.selectAll()
        self.type(text)
        self.key(Qt.Key.Key_Return)

    def add(self, text: str, at: QPoint | None = None) -> str:
        """Double-click on nothing, type a name, Enter; the id of the new node."""
        self.double_click(at if at is not None else self.empty())
        self.type(text)
        before = set(self.document.diagram.graph.nodes)
        self.key(Qt.Key.Key_Return)
        (new,) = set(self.document.diagram.graph.nodes) - before
        return new

    def wheel(
        self,
        at: QPoint,
        turn: int,
        modifiers: Qt.KeyboardModifier = NONE,
        *,
        pixels: QPoint | None = None,
    ) -> None:
        """Turn the wheel by eighths of a degree; with `pixels`, two fingers on a touchpad."""
        phase = Qt.ScrollPhase.NoScrollPhase if pixels is None else Qt.ScrollPhase.ScrollUpdate
        event = QWheelEvent(
            QPointF(at),
            QPointF(self.canvas.mapToGlobal(at)),
            pixels if pixels is not None else QPoint(),
            QPoint(0, turn),
            Qt.MouseButton.NoButton,
            modifiers,
            phase,
            False,
        )
        QApplication.sendEvent(self.canvas, event)

    def pinch(self, at: QPoint, by: float, kind: Qt.NativeGestureType | None = None) -> None:
        """Two fingers move apart (or another gesture of the touchpad)."""
        gesture = kind if kind is not None else Qt.NativeGestureType.ZoomNativeGesture
        device = QPointingDevice.primaryPointingDevice()
        place, everywhere = QPointF(at), QPointF(self.canvas.mapToGlobal(at))
        event = QNativeGestureEvent(gesture, device, 2, place, place, everywhere, by, QPointF())
        QApplication.sendEvent(self.canvas, event)

    def drop(self, at: QPoint, data: QMimeData) -> bool:
        """Drag something in from elsewhere and let it go; False if it was not taken."""
        actions, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
        enter = QDragEnterEvent(at, actions, data, button, NONE)
        QApplication.sendEvent(self.canvas, enter)
        if not enter.isAccepted():
            return False
        QApplication.sendEvent(self.canvas, QDragMoveEvent(at, actions, data, button, NONE))
        event = QDropEvent(QPointF(at), actions, data, button, NONE)
        QApplication.sendEvent(self.canvas, event)
        return event.isAccepted()

    def paste(self, *, keep_inputs: bool = False) -> Message | None:
        """Put in what the clipboard holds; what is said if it cannot be used."""
        canvas = self.canvas
        data, land = QGuiApplication.clipboard().mimeData(), canvas.landing.at(canvas.pointer.place)
        return paste.paste(self.document, data, land, canvas.sight.sizes, keep_inputs=keep_inputs)

    def shown(self) -> QImage:
        """What is on the screen, as it came there part by part."""
        QApplication.processEvents()
        screen = self.canvas.screen()
        assert screen is not None
        return screen.grabWindow(self.canvas.winId()).toImage()

    def card(self, name: str) -> tuple[float, float]:
        look = self.canvas.sight.look(self.id(name))
        assert look is not None
        return geometry.card_rect(look)[:2]
