"""The window with the table of one node: its value, or its gradient."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QSpinBox,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from gradviz import digits
from gradviz.edit import edits
from gradviz.engine import explain
from gradviz.errors import GradvizError
from gradviz.graph.model import Array, Diagram, OutPort
from gradviz.gui import paste
from gradviz.gui.document import CellRef, Document
from gradviz.gui.panels.parts import font
from gradviz.gui.table.model import Cell, Cells
from gradviz.gui.translate import render, tr
from gradviz.text import Message, mark, shape_words

CELL_WIDTH: Final = 84
CELL_HEIGHT: Final = 24
COPIED_CELLS: Final = 1_000_000
_DELETE: Final = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class TableWindow(QWidget):
    """Follows the document: when the node goes, the window goes.

    closed(window)
    """

    closed = Signal(object)

    def __init__(self, document: Document, cell: CellRef, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._document = document
        self._node, self._band = cell.node, cell.band
        self.model = Cells(self)
        self.view = _View(self)
        self.view.setModel(self.model)
        self._spins: list[QSpinBox] = []
        self._slices = QHBoxLayout()
        self._facts = QLabel(self)
        self._facts.setTextFormat(Qt.TextFormat.PlainText)
        self._facts.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(8)
        column.addLayout(self._slices)
        column.addWidget(self.view)
        column.addWidget(self._facts)
        document.answered.connect(self._follow)
        document.changed.connect(self._follow)
        document.refused.connect(self._refuse)
        self.resize(720, 480)
        self._follow()
        self._go_to(cell.index)

    @property
    def array(self) -> Array | None:
        """The numbers at this moment; a source's own even before they are computed with."""
        diagram = self._document.diagram
        if self._node not in diagram.graph:
            return None
        if self._band == "value" and self._node in diagram.values:
            return diagram.values[self._node]
        answer, port = self._document.answer, OutPort(self._node)
        if self._node not in answer.graph:
            return None
        return answer.value(port) if self._band == "value" else answer.adjoint(port)

    @property
    def is_editable(self) -> bool:
        """Whether its numbers are typed and not computed."""
        return self._band == "value" and self._node in self._document.diagram.values

    def _follow(self) -> None:
        array = self.array
        if array is None:
            self.close()
            return
        if len(self._spins) != max(array.ndim - 2, 0):
            self._make_spins(array.ndim - 2)
        for spin, length in zip(self._spins, array.shape, strict=False):
            spin.setRange(0, max(length - 1, 0))
            spin.setSuffix(self.tr(" of {count}").replace("{count}", str(length)))
        self.model.put = self._put if self.is_editable else None
        self.model.show(array, tuple(spin.value() for spin in self._spins))
        self._say_facts(array)

    def _make_spins(self, count: int) -> None:
        while (item := self._slices.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        self._spins = []
        for axis in range(max(count, 0)):
            words = self.tr("axis {axis}").replace("{axis}", str(axis))
            caption, spin = QLabel(words, self), QSpinBox(self)
            spin.setAccessibleName(words)
            caption.setBuddy(spin)
            spin.valueChanged.connect(self._follow)
            self._slices.addWidget(caption)
            self._slices.addWidget(spin)
            self._spins.append(spin)
        self._slices.addStretch(1)

    def _say_facts(self, array: Array) -> None:
        answer = self._document.answer
        known = self._node in answer.graph
        name = explain.name(answer, self._node) if known else self._node
        if self._band == "gradient" and known:
            name = explain.partial(answer, self._node)
        self.setWindowTitle(f"{name}  {shape_words(array.shape)} {array.dtype}")
        words = digits.summary(array, tr)
        if not self.is_editable:
            words += "\n" + self.tr("These numbers are computed; they can be copied.")
        self._facts.setText(words)

    def _refuse(self, message: Message) -> None:
        self._facts.setText(render(message))

    def _go_to(self, cell: Cell) -> None:
        for spin, position in zip(self._spins, cell, strict=False):
            spin.setValue(position)
        place = self.model.place(cell)
        self.view.setCurrentIndex(place)
        self.view.scrollTo(place)

    def _put(self, cell: Cell, text: str) -> bool:
        from gradviz.code.numbers import parse_number

        try:
            number = parse_number(text)
        except GradvizError as error:
            self._refuse(error.message)
            return False
        return self._document.edit(
            mark("edit", "Change a value"), edits.set_cell, self._node, cell, number
        )

    def selected(self) -> Array | None:
        """The selected rectangle of numbers; the present cell, if nothing is."""
        chosen = self.view.selectionModel().selection()
        if chosen.isEmpty():
            return None
        bounds = chosen.first()
        rows = slice(bounds.top(), bounds.bottom() + 1)
        return self.model.slice[rows, bounds.left() : bounds.right() + 1]

    def copy(self) -> None:
        """The selected rectangle as rows with tabs, as spreadsheets take them."""
        block = self.selected()
        if block is None or block.size > COPIED_CELLS:
            return
        rows = ("\t".join(digits.full(n).replace("−", "-") for n in row) for row in block)
        QGuiApplication.clipboard().setText("\n".join(rows))

    def paste(self) -> None:
        """A block from the clipboard, from the present cell on."""
        from gradviz.code.numbers import parse_block

        if not self.is_editable:
            return
        try:
            block = np.asarray(parse_block(QGuiApplication.clipboard().text()))
        except GradvizError as error:
            self._refuse(error.message)
            return
        cell = CellRef(self._node, "value", self.model.cell(self.view.currentIndex()))
        self._document.edit(mark("edit", "Paste numbers"), paste.set_cells, cell, block)

    def clear(self) -> None:
        """The selected cells become 0."""
        chosen = self.view.selectionModel().selection()
        if self.is_editable and not chosen.isEmpty():
            cells = [self.model.cell(index) for index in chosen.indexes()]
            self._document.edit(
                mark("edit", "Set to 0"), partial(_zeroed, node=self._node, cells=cells)
            )

    def undo(self) -> None:
        """Take back the last step of the document."""
        self._document.undo()

    def redo(self) -> None:
        """Do it again."""
        self._document.redo()

    def select(self, first: tuple[int, int], last: tuple[int, int]) -> None:
        """Select a rectangle."""
        ends = self.model.index(*first), self.model.index(*last)
        flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.view.selectionModel().select(QItemSelection(*ends), flag)

    def closeEvent(self, event: object) -> None:
        for signal in (self._document.answered, self._document.changed):
            signal.disconnect(self._follow)
        self._document.refused.disconnect(self._refuse)
        self.closed.emit(self)


def _zeroed(diagram: Diagram, *, node: str, cells: list[Cell]) -> Diagram:
    changed = diagram.values[node].copy()
    for cell in cells:
        changed[cell] = 0
    return edits.set_value(diagram, node, changed)


class _View(QTableView):
    """The keys of a spreadsheet."""

    def __init__(self, window: TableWindow) -> None:
        super().__init__(window)
        self._window = window
        self.setFont(font(mono=True))
        self.setAccessibleName(window.tr("Numbers"))
        self.setSelectionMode(QTableView.SelectionMode.ContiguousSelection)
        self.setEditTriggers(
            QTableView.EditTrigger.DoubleClicked
            | QTableView.EditTrigger.EditKeyPressed
            | QTableView.EditTrigger.AnyKeyPressed
        )
        for header, side in (
            (self.horizontalHeader(), CELL_WIDTH),
            (self.verticalHeader(), CELL_HEIGHT),
        ):
            header.setSectionResizeMode(header.ResizeMode.Fixed)
            header.setDefaultSectionSize(side)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        window = self._window
        for key, action in (
            (QKeySequence.StandardKey.Copy, window.copy),
            (QKeySequence.StandardKey.Paste, window.paste),
            (QKeySequence.StandardKey.Undo, window.undo),
            (QKeySequence.StandardKey.Redo, window.redo),
        ):
            if event.matches(key):
                action()
                return
        if event.key() in _DELETE:
            window.clear()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._edit_or_go_down()
        elif event.key() == Qt.Key.Key_Escape:
            window.close()
        else:
            super().keyPressEvent(event)

    def _edit_or_go_down(self) -> None:
        here: QModelIndex = self.currentIndex()
        if self.state() == QTableView.State.EditingState:
            return
        if self._window.is_editable and here.isValid():
            self.edit(here)
