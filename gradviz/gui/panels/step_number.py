"""Where the film is, as a number; click it, and another one can be typed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QSizePolicy, QStackedLayout, QWidget

from gradviz.gui.panels.parts import font, set_property
from gradviz.gui.player import Player

DIGITS_WIDTH = 72


class StepNumber(QWidget):
    """`Step 9 of 12`.

    left()  typing has ended: somebody else should have the focus
    """

    left = Signal()

    def __init__(self, player: Player, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._player = player
        self.label = QLabel(self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setFont(font(bold=True))
        self.label.setCursor(Qt.CursorShape.PointingHandCursor)
        self.label.setToolTip(self.tr("Click to type the number of a step (S)"))
        self.line = QLineEdit(self)
        self.line.setMinimumWidth(DIGITS_WIDTH)
        self.line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.line.setAccessibleName(self.tr("Number of a step"))
        self.line.installEventFilter(self)
        self.line.textEdited.connect(self._unmark)
        self.line.hide()
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._stack.addWidget(self.label)
        self._stack.addWidget(self.line)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        player.arrived.connect(self._show)
        self._show()

    def _show(self) -> None:
        length, here = len(self._player.timeline), self._player.position
        counted = self.tr("Step {here} of {length}") if here else self.tr("Start")
        self.label.setText(counted.replace("{here}", str(here)).replace("{length}", str(length)))
        self.setVisible(length > 0)

    def type(self, begun: str = "") -> None:
        """Take a number, of which `begun` was typed already."""
        if not len(self._player.timeline):
            return
        self._player.pause()
        self.line.setText(begun or str(self._player.position))
        self._unmark()
        self._stack.setCurrentWidget(self.line)
        self.line.setFocus()
        if begun:
            self.line.end(False)
        else:
            self.line.selectAll()

    def _unmark(self) -> None:
        set_property(self.line, "faulty", "false")
        length = str(len(self._player.timeline))
        self.line.setToolTip(self.tr("A number from 0 to {length}").replace("{length}", length))

    def _take(self) -> None:
        typed, length = self.line.text().strip(), len(self._player.timeline)
        if typed.isascii() and typed.isdigit() and int(typed[:9]) <= length:
            self._player.seek(int(typed))
            self._leave()
            return
        set_property(self.line, "faulty", "true")
        self.line.selectAll()

    def _leave(self) -> None:
        if self._stack.currentWidget() is self.line:
            self._stack.setCurrentWidget(self.label)
            self.left.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.type()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.FocusOut:
            self._stack.setCurrentWidget(self.label)
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                self._leave()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take()
                return True
        return False
