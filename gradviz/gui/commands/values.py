"""Numbers of a whole source: filled, tabulated, read from files and written to them."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QFileDialog, QInputDialog

from gradviz.edit import edits
from gradviz.engine import explain
from gradviz.errors import GradvizError
from gradviz.graph.model import Array, Diagram, OutPort, Place
from gradviz.gui import arrays, copying
from gradviz.gui.commands.base import Commands
from gradviz.gui.document import CellRef
from gradviz.gui.table.window import TableWindow
from gradviz.gui.translate import render
from gradviz.text import mark, message

if TYPE_CHECKING:
    from gradviz.gui.main_window import MainWindow

ORIGIN = Place(0, 0)


class Values(Commands):
    """Numbers of a whole source: filled, tabulated, read from files and written to them."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.tables: list[TableWindow] = []
        self.canvas.table_requested.connect(self.open_table_at)

    def stop(self) -> None:
        """The tables go with the window."""
        for table in list(self.tables):
            table.close()

    def _chosen(self) -> str | None:
        """The one source that is selected; without one, it is said."""
        only = self.document.selection.only
        if only is not None and only in self.document.diagram.values:
            return only
        self.canvas.say(mark("canvas", "Select a variable or a constant first."))
        return None

    def _fill(self, kind: str) -> None:
        id = self._chosen()
        if id is not None:
            seed = secrets.randbelow(2**32)
            self.document.edit(mark("edit", "Fill"), edits.fill, id, kind, seed=seed)
            if kind in ("uniform", "normal"):
                said = mark("canvas", "Drawn with seed {seed}; a random node can be drawn again.")
                self.window.say(message(said, seed=seed))

    def fill_zeros(self) -> None:
        """Every number becomes 0."""
        self._fill("zeros")

    def fill_ones(self) -> None:
        """Every number becomes 1."""
        self._fill("ones")

    def fill_identity(self) -> None:
        """1 on the diagonal, else 0."""
        self._fill("identity")

    def fill_arange(self) -> None:
        """0, 1, 2, … in reading order."""
        self._fill("arange")

    def fill_uniform(self) -> None:
        """Random numbers between 0 and 1."""
        self._fill("uniform")

    def fill_normal(self) -> None:
        """Random numbers from a bell curve."""
        self._fill("normal")

    def fill_number(self) -> None:
        """Every number becomes one that is typed."""
        from gradviz.code.numbers import parse_number

        id = self._chosen()
        ask, typed, taken = self.tr("The number for every cell:"), "1", True
        while id is not None and taken:
            typed, taken = QInputDialog.getText(self.window, self.tr("Fill"), ask, text=typed)
            if taken:
                try:
                    number = parse_number(typed)
                except GradvizError as error:
                    ask = render(error.message)
                    continue
                self.document.edit(mark("edit", "Fill"), edits.fill_number, id, number)
                return

    def open_table(self) -> None:
        """The numbers of the selected node in a table."""
        selection = self.document.selection
        if selection.only is None:
            self.canvas.say(mark("canvas", "Select the node whose numbers you want to see."))
            return
        self.open_table_at(selection.cell or CellRef(selection.only, "value", ()))

    def open_table_at(self, cell: CellRef) -> None:
        """A table of a node's value or gradient, at a cell."""
        table = TableWindow(self.document, cell, self.window)
        if table.array is None:
            table.deleteLater()
            self.canvas.say(mark("canvas", "There are no numbers here yet."))
            return
        self.tables.append(table)
        table.closed.connect(self.tables.remove)
        table.show()
        table.view.setFocus()

    def import_numbers(self) -> None:
        """Numbers from a file, into the selected source or a new variable."""
        name, _ = QFileDialog.getOpenFileName(
            self.window,
            self.tr("Import numbers"),
            self.window.settings.folder,
            self.tr("Numbers (*.npy *.csv *.tsv *.txt)"),
        )
        if name:
            self.window.settings.folder = str(Path(name).parent)
            self.import_file(Path(name))

    def import_file(self, path: Path) -> None:
        """Numbers from that file, into the selected source or a new variable."""
        try:
            found = arrays.read(path)
        except GradvizError as error:
            self.window.warn(self.tr("These numbers cannot be read"), str(error))
            return
        step = mark("edit", "Import numbers")
        only = self.document.selection.only
        if only is not None and only in self.document.diagram.values:
            self.document.edit(step, edits.set_value, only, found.array)
        else:
            self._add(found.array, path.stem)
        if found.header:
            said = mark("canvas", "The first line was taken for names: {names}.")
            self.window.say(message(said, names=", ".join(found.header)[:80]))

    def _add(self, array: Array, name: str) -> None:
        def put(diagram: Diagram, offset: Place = ORIGIN) -> tuple[Diagram, dict[str, str]]:
            made, id = edits.add_node(diagram, "variable", offset, value=array, name=_named(name))
            return made, {id: id}

        at = self.canvas.landing.at(self.canvas.pointer.place)
        copying.put_in(self.document, mark("edit", "Import numbers"), put, at)
        self.canvas.say_if_out_of_view()

    def export_numbers(self) -> None:
        """The value of the selected node (or its gradient, if a cell of that is selected) to a file."""
        selection = self.document.selection
        array = self._selected_array()
        if selection.only is None or array is None:
            self.canvas.say(mark("canvas", "Select the node whose numbers you want to export."))
            return
        name = explain.name(self.document.answer, selection.only)
        start = Path(self.window.settings.folder) / f"{_named(name)}.npy"
        chosen, _ = QFileDialog.getSaveFileName(
            self.window, self.tr("Export numbers"), str(start), "NumPy (*.npy);;CSV (*.csv)"
        )
        if not chosen:
            return
        try:
            path = arrays.write(Path(chosen), array)
        except GradvizError as error:
            self.window.warn(self.tr("The numbers were not written"), str(error))
            return
        self.window.settings.folder = str(path.parent)
        self.window.say(message(mark("canvas", "Exported {name}."), name=path.name))

    def _selected_array(self) -> Array | None:
        selection, answer = self.document.selection, self.document.answer
        if selection.only is None or selection.only not in answer.graph:
            return None
        port = OutPort(selection.only)
        if selection.cell is not None and selection.cell.band == "gradient":
            return answer.adjoint(port)
        found = answer.value(port)
        return np.asarray(found) if found is not None else None


def _named(stem: str) -> str:
    """A file's name as one for a node, or the other way round."""
    kept = "".join(c if c.isalnum() or c in "_-" else "_" for c in stem).strip("_")
    return kept[:40] or "numbers"
