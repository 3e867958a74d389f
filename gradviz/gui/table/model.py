"""The cells of one slice of an array, as Qt asks for them; nothing is made for what is not in view."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gradviz import digits
from gradviz.graph.model import Array

Index = QModelIndex | QPersistentModelIndex
Cell = tuple[int, ...]
_NOWHERE = QModelIndex()


class Cells(QAbstractTableModel):
    """The last two axes are rows and columns; `lead` picks the place on the axes before them.

    `put(cell, text)` is what typing does: True if the number was taken. None: the cells are computed.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._array: Array = np.zeros((0, 0))
        self._lead: Cell = ()
        self.put: Callable[[Cell, str], bool] | None = None

    @property
    def array(self) -> Array:
        """All of it."""
        return self._array

    @property
    def lead(self) -> Cell:
        """The place on the axes before the last two."""
        return self._lead

    def show(self, array: Array, lead: Cell) -> None:
        """Other numbers, or another slice of them."""
        same = array.shape == self._array.shape and lead == self._lead
        if same:
            self._array = array
            if array.size:
                end = self.index(self.rowCount() - 1, self.columnCount() - 1)
                self.dataChanged.emit(self.index(0, 0), end)
            return
        self.beginResetModel()
        self._array, self._lead = array, lead
        self.endResetModel()

    @property
    def slice(self) -> Array:
        """What is shown, as rows and columns."""
        part = self._array[self._lead] if self._lead else self._array
        return np.atleast_2d(part)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else int(self.slice.shape[0])

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else int(self.slice.shape[1])

    def cell(self, index: Index) -> Cell:
        """The cell of the array that a place of the table stands for."""
        place = (*self._lead, index.row(), index.column())
        return place[len(place) - self._array.ndim :]

    def place(self, cell: Cell) -> QModelIndex:
        """Where a cell of the shown slice is."""
        row, column = (0, 0, *cell)[-2:]
        return self.index(row, column)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        number = self._array[self.cell(index)]
        if role == Qt.ItemDataRole.DisplayRole:
            return digits.number(number)
        if role in (Qt.ItemDataRole.EditRole, Qt.ItemDataRole.ToolTipRole):
            return digits.full(number)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        return str(section) if role == Qt.ItemDataRole.DisplayRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if self.put is not None else flags

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if self.put is None or role != Qt.ItemDataRole.EditRole:
            return False
        return self.put(self.cell(index), str(value))
