"""Type to add: a line and a list at the pointer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from gradviz.gui.translate import tr
from gradviz.ops.op import Op
from gradviz.ops.search import search

WIDTH: Final = 288
ROWS: Final = 8
Offered = Callable[[Op], bool]


class AddBox(QFrame):
    """Offers the ops that fit; a number offers a constant.

    chosen(op, number)  `number` is the text of the constant, else empty
    closed()            gone, whatever was chosen
    """

    chosen = Signal(str, str)
    closed = Signal()

    def __init__(self, parent: QWidget, at: QPoint, offered: Offered, text: str = "") -> None:
        super().__init__(parent)
        self._parent = parent
        self._offered = offered
        self.setObjectName("addbox")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self._line = QLineEdit(self)
        self._line.setPlaceholderText(self.tr("Name, sign, or a number"))
        self._line.setAccessibleName(self.tr("Operation to add"))
        self._list = QListWidget(self)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setUniformItemSizes(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(4)
        layout.addWidget(self._line)
        layout.addWidget(self._list)
        self._line.installEventFilter(self)
        self._line.textChanged.connect(self._fill)
        self._list.itemClicked.connect(self._choose)
        self._done = False
        self._line.setText(text)
        self._fill(text)
        self._place(at)
        self.show()
        self.raise_()
        self._line.setFocus()

    @property
    def line(self) -> QLineEdit:
        """Where one types."""
        return self._line

    @property
    def offers(self) -> list[str]:
        """The names in the list, as shown."""
        return [
            self._list.item(row).data(Qt.ItemDataRole.UserRole) for row in range(self._list.count())
        ]

    def _place(self, at: QPoint) -> None:
        row = max(self._list.sizeHintForRow(0), 20)
        self.resize(WIDTH, self._line.sizeHint().height() + ROWS * row + 32)
        parent = self._parent
        x = min(max(at.x(), 8), max(parent.width() - self.width() - 8, 8))
        y = min(max(at.y(), 8), max(parent.height() - self.height() - 8, 8))
        self.move(x, y)

    def _fill(self, text: str) -> None:
        self._list.clear()
        if _is_number(text):
            self._append("constant", self.tr("constant"), text)
        for op in search(text):
            if self._offered(op):
                sign = f"{op.sign}   " if op.sign else ""
                self._append(op.name, f"{sign}{op.name.replace('_', ' ')}", "", tr(op.summary))
        if not self._list.count():
            item = QListWidgetItem(self.tr("nothing of that name fits"))
            item.setFlags(Qt.ItemFlag.NoItemFlags)
            self._list.addItem(item)
        self._list.setCurrentRow(0)

    def _append(self, name: str, words: str, number: str, tip: str = "") -> None:
        item = QListWidgetItem(f"{words}   {number}" if number else words)
        item.setData(Qt.ItemDataRole.UserRole, name)
        item.setData(Qt.ItemDataRole.UserRole + 1, number)
        item.setToolTip(tip)
        item.setSizeHint(QSize(0, 24))
        self._list.addItem(item)

    def _choose(self, item: QListWidgetItem | None) -> None:
        name = item.data(Qt.ItemDataRole.UserRole) if item is not None else None
        if name:
            number = item.data(Qt.ItemDataRole.UserRole + 1)  # type: ignore[union-attr]
            self.close_box()
            self.chosen.emit(name, number or "")

    def close_box(self) -> None:
        """Go away, once."""
        if not self._done:
            self._done = True
            self.hide()
            self.deleteLater()
            self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self.close_box()
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._on_key(event)
        return False

    def _on_key(self, event: QKeyEvent) -> bool:
        moves = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: ROWS,
            Qt.Key.Key_PageUp: -ROWS,
        }
        key = Qt.Key(event.key())
        if key in moves:
            row = self._list.currentRow() + moves[key]
            self._list.setCurrentRow(min(max(row, 0), self._list.count() - 1))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab):
            self._choose(self._list.currentItem())
        elif key == Qt.Key.Key_Escape:
            self.close_box()
        else:
            return False
        return True


def _is_number(text: str) -> bool:
    from gradviz.code.numbers import parse_number
    from gradviz.errors import GradvizError

    try:
        parse_number(text)
    except GradvizError:
        return False
    return bool(text.strip())
