"""Every step that was made, by name; a click goes back or forth to it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QListView, QVBoxLayout, QWidget

from gradviz.gui.document import Document
from gradviz.gui.panels.parts import Panel, font
from gradviz.gui.translate import tr
from gradviz.text import Text

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class Steps(QAbstractListModel):
    """Row n is the document after n steps; row 0 is where it began."""

    def __init__(self, panel: HistoryList, document: Document) -> None:
        super().__init__(panel)
        self._panel = panel
        self._history = document.history
        self._has_file = False

    def follow(self, document: Document) -> None:
        """Steps have come, gone, or been undone."""
        self.beginResetModel()
        self._history = document.history
        self._has_file = document.path is not None
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._history) + 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = index.row()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(row)
        if role == Qt.ItemDataRole.FontRole:
            bold: QFont = font(bold=row == self._history.cursor)
            return bold
        if role == Qt.ItemDataRole.ForegroundRole and row > self._history.cursor:
            return self._panel.theme.dim
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(row)
        return None

    def _words(self, row: int) -> str:
        name = self._name(row)
        saved = self._has_file and self._history.is_clean_at(row)
        return self._panel.tr("{step} · saved").replace("{step}", name) if saved else name

    def _name(self, row: int) -> str:
        if row:
            text = self._history.text(row)
            return tr(text) if isinstance(text, Text) else text
        if self._history.forgotten:
            gone = self._panel.tr("{count} older steps were let go to save memory")
            return gone.replace("{count}", str(self._history.forgotten))
        return self._panel.tr("Start")

    def _spoken(self, row: int) -> str:
        cursor, words = self._history.cursor, self._words(row)
        if row == cursor:
            return self._panel.tr("{step}, here").replace("{step}", words)
        if row > cursor:
            return self._panel.tr("{step}, undone").replace("{step}", words)
        return words


class _View(QListView):
    """A list in which Enter, on every platform, means the current row.

    entered_key(index)
    """

    entered_key = Signal(QModelIndex)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.entered_key.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)


class HistoryList(Panel):
    """The list; the present step is current, undone ones are grey."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.model = Steps(self, document)
        self.view = _View(self)
        self.view.setModel(self.model)
        self.view.setUniformItemSizes(True)
        self.view.setAccessibleName(self.tr("History"))
        self.view.setToolTip(self.tr("Click a step, or press Enter on it, to go there"))
        self.view.clicked.connect(self._go)
        self.view.entered_key.connect(self._go)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 4, 4)
        column.addWidget(self.view)
        document.status.connect(self._follow)
        self._follow()

    def recolour(self) -> None:
        """Undone steps in the grey of the theme."""
        self.view.viewport().update()

    def _follow(self) -> None:
        self.model.follow(self._document)
        here = self.model.index(self._document.history.cursor)
        self.view.setCurrentIndex(here)
        self.view.scrollTo(here)

    def _go(self, index: QModelIndex) -> None:
        self._document.jump(index.row())
