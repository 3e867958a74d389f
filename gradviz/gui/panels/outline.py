"""The graph as a tree of text: every node with its value, gradient, state and wires. For those who do not see the canvas."""

from __future__ import annotations

from typing import Any, Final

from PySide6.QtCore import (
    QAbstractItemModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QTreeView, QVBoxLayout, QWidget

from gradviz.edit import edits
from gradviz.engine import explain
from gradviz.engine.explain import OutlineLine
from gradviz.gui.document import Document, Selection
from gradviz.gui.panels.parts import SMALL, Panel, font, label
from gradviz.gui.translate import render
from gradviz.text import mark

Index = QModelIndex | QPersistentModelIndex
_NOWHERE: Final = QModelIndex()
_TOP: Final = 0
"""The internal id of a node's row; that of a line below it is the node's row and 1."""


class Tree(QAbstractItemModel):
    """Nodes in the order of the file; the lines of a node are made when it is opened."""

    def __init__(self, document: Document, parent: QWidget) -> None:
        super().__init__(parent)
        self._document = document
        self._wanted = ""
        self.ids: list[str] = []
        self._rows: dict[str, int] = {}
        self._lines: dict[str, tuple[OutlineLine, ...]] = {}
        self.follow()

    def narrow(self, wanted: str) -> None:
        """Only nodes in whose line this stands."""
        self._wanted = wanted.strip().lower()
        self.follow()

    def follow(self) -> None:
        """The answer is another one. Rows that stay are only asked about again."""
        answer = self._document.answer
        ids = [id for id in answer.graph.nodes if self._is_wanted(id)]
        self._lines.clear()
        if ids == self.ids:
            if ids:
                self.dataChanged.emit(self.index(0, 0), self.index(len(ids) - 1, 0))
                self.layoutChanged.emit()
            return
        self.beginResetModel()
        self.ids, self._rows = ids, {id: row for row, id in enumerate(ids)}
        self.endResetModel()

    def _is_wanted(self, id: str) -> bool:
        if not self._wanted:
            return True
        return self._wanted in render(explain.node_line(self._document.answer, id)).lower()

    def row(self, id: str) -> QModelIndex:
        """The row of a node; nowhere, if it is not listed."""
        place = self._rows.get(id)
        return self.index(place, 0) if place is not None else QModelIndex()

    def line(self, index: Index) -> OutlineLine | None:
        """What a line below a node is about."""
        if not index.isValid() or index.internalId() == _TOP:
            return None
        return self._of(self.ids[index.internalId() - 1])[index.row()]

    def node(self, index: Index) -> str:
        """The node that a row is, or is below."""
        place = index.row() if index.internalId() == _TOP else index.internalId() - 1
        return self.ids[place]

    def _of(self, id: str) -> tuple[OutlineLine, ...]:
        if id not in self._lines:
            self._lines[id] = explain.node_lines(self._document.answer, id)
        return self._lines[id]

    def index(self, row: int, column: int, parent: Index = _NOWHERE) -> QModelIndex:
        if row < 0 or column:
            return QModelIndex()
        if not parent.isValid():
            return self.createIndex(row, 0, _TOP) if row < len(self.ids) else QModelIndex()
        if parent.internalId() != _TOP or row >= self.rowCount(parent):
            return QModelIndex()
        return self.createIndex(row, 0, parent.row() + 1)

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        if not index.isValid() or index.internalId() == _TOP:
            return QModelIndex()
        return self.createIndex(index.internalId() - 1, 0, _TOP)

    def hasChildren(self, parent: Index = _NOWHERE) -> bool:
        return not parent.isValid() or parent.internalId() == _TOP

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        if not parent.isValid():
            return len(self.ids)
        return len(self._of(self.ids[parent.row()])) if parent.internalId() == _TOP else 0

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        top = index.isValid() and index.internalId() == _TOP
        return flags | Qt.ItemFlag.ItemIsEditable if top else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line, id = self.line(index), self.node(index)
        if role == Qt.ItemDataRole.EditRole:
            return self._document.answer.graph[id].name
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            said = line.text if line is not None else explain.node_line(self._document.answer, id)
            return render(said)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        step = mark("edit", "Rename")
        return self._document.edit(step, edits.rename, self.node(index), str(value))


class Outline(Panel):
    """In step with the selection, both ways.

    value_requested()        Enter: the value of what is selected shall be edited
    delete_requested()       Delete
    node_requested(ids)      go to a node that a line names
    """

    value_requested = Signal()
    delete_requested = Signal()
    node_requested = Signal(object)

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._following = False
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText(self.tr("Only nodes with…"))
        self.filter.setFont(font(SMALL))
        self.filter.setAccessibleName(self.tr("Only nodes with these words"))
        self.filter.setClearButtonEnabled(True)
        self.model = Tree(document, self)
        self.view = _View(self)
        self.view.setModel(self.model)
        self._nothing = label(
            self.tr("Every node of the graph is listed here, with its value, gradient and wires."),
            "dim",
            SMALL,
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 4, 4)
        column.setSpacing(8)
        column.addWidget(self.filter)
        column.addWidget(self._nothing)
        column.addWidget(self.view, 1)
        self.filter.textChanged.connect(self._narrow)
        self.view.selectionModel().selectionChanged.connect(self._choose)
        document.answered.connect(self._follow)
        document.selected.connect(self._follow_selection)
        self._follow()

    def _narrow(self, text: str) -> None:
        self.model.narrow(text)
        self._follow_selection()

    def _follow(self) -> None:
        opened = [id for id in self.model.ids if self.view.isExpanded(self.model.row(id))]
        before = self.model.ids
        self._following = True
        try:
            self.model.follow()
        finally:
            self._following = False
        if self.model.ids is not before:
            for id in opened:
                self.view.expand(self.model.row(id))
        self._nothing.setVisible(not len(self._document.answer.graph))
        self._follow_selection()

    def _follow_selection(self) -> None:
        if self._following:
            return
        chosen = self.view.selectionModel()
        selected = {self.model.node(index) for index in chosen.selectedIndexes()}
        wanted = self._document.selection.nodes
        if selected == wanted:
            return
        ranges = QItemSelection()
        rows = [row for id in wanted if (row := self.model.row(id)).isValid()]
        for row in rows:
            ranges.select(row, row)
        self._following = True
        try:
            chosen.select(ranges, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            if len(rows) == 1:
                chosen.setCurrentIndex(rows[0], QItemSelectionModel.SelectionFlag.NoUpdate)
                self.view.scrollTo(rows[0])
        finally:
            self._following = False

    def _choose(self, *_: object) -> None:
        if self._following:
            return
        indexes = self.view.selectionModel().selectedIndexes()
        line = self.model.line(indexes[0]) if len(indexes) == 1 else None
        self._following = True
        try:
            if line is not None and line.wire is not None:
                self._document.select(Selection(wire=line.wire))
            else:
                self._document.select(Selection(frozenset(map(self.model.node, indexes))))
        finally:
            self._following = False

    def enter(self) -> None:
        """On a node, edit its value; on a line about another one, go there."""
        index = self.view.currentIndex()
        line = self.model.line(index) if index.isValid() else None
        if line is not None and line.node:
            self.node_requested.emit((line.node,))
            self.view.setFocus()
        else:
            self.value_requested.emit()


class _View(QTreeView):
    """A tree with the keys of the graph."""

    def __init__(self, outline: Outline) -> None:
        super().__init__(outline)
        self._outline = outline
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setAccessibleName(outline.tr("Outline of the graph"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._outline.enter()
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._outline.delete_requested.emit()
        else:
            super().keyPressEvent(event)
