"""Where mathematics is typed: marks the place of a fault, and says what Enter does."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from gradviz.gui.panels.parts import NORMAL, SMALL, font, label
from gradviz.picture.colours import LIGHT, Theme

WAVE: Final = 2.0


class ExpressionLine(QLineEdit):
    """A line of text in the font of numbers.

    escaped()  Esc was pressed
    """

    escaped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme: Theme = LIGHT
        self._fault: tuple[int, int] | None = None
        self._hint = label("", "dim", SMALL, wrap=False)
        self._hint.setParent(self)
        self._hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFont(font(NORMAL, mono=True))
        self.setMinimumWidth(176)
        self.textChanged.connect(self._place_hint)

    @property
    def fault(self) -> tuple[int, int] | None:
        """Where the text is faulty: first character and how many."""
        return self._fault

    def show_fault(self, position: int, length: int) -> None:
        """Underline the faulty characters and put the caret there; the text stays."""
        self._fault = (position, max(length, 1))
        self.setCursorPosition(position)
        self.update()

    def clear_fault(self) -> None:
        """Nothing is faulty."""
        self._fault = None
        self.update()

    def show_hint(self, text: str) -> None:
        """What stands at the right, while there is room for it."""
        self._hint.setText(text)
        self._hint.adjustSize()
        self._place_hint()

    @property
    def hint(self) -> str:
        """What stands at the right; empty if there is no room."""
        return self._hint.text() if not self._hint.isHidden() else ""

    def _place_hint(self) -> None:
        width = self._hint.width()
        written = self.text() or self.placeholderText()
        needed = self.fontMetrics().horizontalAdvance(written) + width + 40
        self._hint.setVisible(bool(self._hint.text()) and needed <= self.width())
        y = (self.height() - self._hint.height()) // 2
        self._hint.move(self.width() - width - 12, y)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_hint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._fault is None:
            return
        position, length = self._fault
        metrics, text = self.fontMetrics(), self.text()
        before = metrics.horizontalAdvance(text[: self.cursorPosition()])
        origin = self.cursorRect().center().x() - before
        left = origin + metrics.horizontalAdvance(text[:position])
        width = metrics.horizontalAdvance(text[position : position + length]) or 8
        # Ended whatever happens: a traceback that keeps an active painter ends the process later.
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setClipRect(self.rect().adjusted(6, 0, -6, 0))
            painter.setPen(QPen(self.theme.note, 1.6))
            painter.drawPolyline(_wave(left, self.height() - 6.0, width))


def _wave(left: float, y: float, width: float) -> QPolygonF:
    count = max(int(width / (2 * WAVE)), 2)
    return QPolygonF(
        [
            QPointF(left + i * 2 * WAVE, y + (WAVE / 2 if i % 2 else -WAVE / 2))
            for i in range(count + 1)
        ]
    )
