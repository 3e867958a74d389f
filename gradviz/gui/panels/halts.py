"""The menu that says where the film halts."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QInputDialog, QMenu, QToolButton, QWidget

from gradviz import digits
from gradviz.edit import edits
from gradviz.engine import explain
from gradviz.engine.stops import bound_of, stopped_nodes, stops_at_nan
from gradviz.errors import GradvizError
from gradviz.gui.document import Document
from gradviz.gui.panels.parts import literal
from gradviz.gui.translate import render
from gradviz.text import mark


class HaltButton(QToolButton):
    """Its text counts the halts; its menu, made when it opens, switches them."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        menu = QMenu(self)
        menu.aboutToShow.connect(self._fill)
        self.setMenu(menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setProperty("quiet", "true")
        self.setToolTip(
            self.tr("Where the film halts when it plays (F8 goes to the next such place)")
        )
        document.changed.connect(self._count)
        self._count()

    def _count(self) -> None:
        count = len(self._document.diagram.breakpoints)
        text = (
            self.tr("Halt at {count}").replace("{count}", str(count))
            if count
            else self.tr("Halt at")
        )
        self.setText(f"{text} ▾")
        self.setAccessibleName(text)

    def _fill(self) -> None:
        menu, diagram = self.menu(), self._document.diagram
        menu.clear()
        nan = menu.addAction(self.tr("the first NaN or ∞"))
        nan.setCheckable(True)
        nan.setChecked(stops_at_nan(diagram))
        nan.triggered.connect(self._switch_nan)
        bound = bound_of(diagram)
        words = self.tr("a gradient larger than…")
        if bound is not None:
            words = self.tr("a gradient larger than {bound}").replace("{bound}", digits.full(bound))
        above = menu.addAction(words)
        above.setCheckable(True)
        above.setChecked(bound is not None)
        above.triggered.connect(self._switch_bound)
        menu.addSeparator()
        nodes = [node.id for node in diagram.graph if node.id in stopped_nodes(diagram)]
        for id in nodes:
            item = menu.addAction(literal(explain.name(self._document.answer, id)))
            item.setCheckable(True)
            item.setChecked(True)
            item.triggered.connect(partial(self._forget, id))
        if not nodes:
            item = menu.addAction(self.tr("a node: select it and press B"))
            item.setEnabled(False)
        menu.addSeparator()
        clear = menu.addAction(self.tr("Halt nowhere"))
        clear.setEnabled(bool(diagram.breakpoints))
        clear.triggered.connect(self._clear)

    def _switch_nan(self, on: bool) -> None:
        self._document.edit(mark("edit", "Halt at NaN"), edits.stop_at_nan, on=on)

    def _switch_bound(self, on: bool) -> None:
        step = mark("edit", "Halt at a large gradient")
        if not on:
            self._document.edit(step, edits.stop_above, None)
            return
        typed, taken = "1000", True
        ask = self.tr("Halt where a gradient is larger than")
        while taken:
            typed, taken = QInputDialog.getText(self, self.tr("Halt"), ask, text=typed)
            if taken:
                try:
                    bound = _number(typed)
                    edits.stop_above(self._document.diagram, bound)
                except GradvizError as error:
                    ask = render(error.message)
                    continue
                self._document.edit(step, edits.stop_above, bound)
                return

    def _forget(self, id: str) -> None:
        self._document.edit(mark("edit", "Breakpoint"), edits.toggle_breakpoint, [id])

    def _clear(self) -> None:
        self._document.edit(mark("edit", "Halt nowhere"), edits.clear_breakpoints)


def _number(typed: str) -> float:
    from gradviz.code.numbers import parse_number

    return float(parse_number(typed))
