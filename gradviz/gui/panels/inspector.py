"""The inspector: shows the blocks of `sheet` for what is selected, at the moment of the film."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gradviz.edit import edits
from gradviz.engine.gradient import Role
from gradviz.gui.document import BandName, CellRef, Document, Selection
from gradviz.gui.panels import sheet as sheets
from gradviz.gui.panels.array_view import ArrayView
from gradviz.gui.panels.parts import LARGE, NORMAL, SMALL, Panel, hint, label, line, literal
from gradviz.gui.panels.settings_form import SettingsForm
from gradviz.gui.panels.sheet import (
    Absence,
    Block,
    Facts,
    Heading,
    Line,
    Moment,
    Remedy,
    Road,
    Table,
)
from gradviz.gui.player import Player
from gradviz.picture.look import Arrival, Flow

SIZES = {"small": SMALL, "normal": NORMAL, "large": LARGE}


class Inspector(Panel):
    """What arrived, from where, how it was added up, and what is passed on; never more than is known now.

    node_requested(ids)  a node that the text speaks of shall be shown
    """

    node_requested = Signal(object)

    def __init__(self, document: Document, player: Player, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._player = player
        self._blocks: list[Block] = []
        self._views: list[ArrayView] = []
        self._settings = SettingsForm(document)
        self._refusal = label("", "note", SMALL)
        self._refusal.hide()
        self._settings.refused.connect(self._refuse)
        self._content = QWidget()
        self._column = QVBoxLayout(self._content)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setAccessibleName(self.tr("Inspector"))
        self._area.setWidget(self._page())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._area)
        self.setMinimumWidth(240)
        document.answered.connect(self._refresh)
        document.selected.connect(self._refresh)
        player.moved.connect(self._refresh)
        self._refresh()

    def _page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(16, 12, 16, 16)
        column.setSpacing(8)
        column.addWidget(self._content)
        column.addWidget(self._settings)
        column.addWidget(self._refusal)
        column.addStretch(1)
        return page

    def recolour(self) -> None:
        for view in self._views:
            view.theme = self.theme

    @property
    def blocks(self) -> list[Block]:
        """What is shown, top to bottom."""
        return self._blocks

    def _refuse(self, text: str) -> None:
        self._refusal.setText(text)
        self._refusal.setVisible(bool(text))

    def _refresh(self) -> None:
        answer, selection = self._document.answer, self._document.selection
        step = self._player.step
        # While the film is under way and nothing is selected, the inspector goes along with it.
        if selection == Selection() and step is not None and step.address.role is not Role.DONE:
            shown = Selection(frozenset({step.port.node}))
        else:
            shown = selection
        moment = Moment(answer, self._player.position, self._player.progress >= 1)
        blocks = sheets.sheet(shown, moment)
        node = sheets.has_settings(answer, selection)
        self._settings.show_node(answer.graph[node] if node is not None else None)
        if node is None:
            self._refuse("")
        if blocks != self._blocks:
            self._blocks = blocks
            self._show()

    def _show(self) -> None:
        focused = next((i for i, view in enumerate(self._views) if view.hasFocus()), None)
        self._clear()
        for block in self._blocks:
            self._column.addWidget(self._widget(block))
        if focused is not None and focused < len(self._views):
            self._views[focused].setFocus()

    def _clear(self) -> None:
        self._views = []
        while self._column.count():
            item = self._column.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _widget(self, block: Block) -> QWidget:
        match block:
            case Line():
                return self._line(block)
            case Heading(text=text):
                return self._heading(text)
            case Road():
                return self._road(block)
            case Table():
                return self._table(block)
            case Facts():
                return self._facts(block)
            case Absence():
                return self._absence(block)

    def _line(self, block: Line) -> QWidget:
        made = label(
            block.text, block.role, SIZES[block.size], bold=block.bold, mono=block.mono, select=True
        )
        made.setContentsMargins(0, block.gap, 0, 0)
        if block.detail and block.detail not in block.text:
            made.setToolTip(hint(block.detail))
        return made

    def _heading(self, text: str) -> QWidget:
        made, column = _boxed()
        column.setContentsMargins(0, 8, 0, 0)
        column.addWidget(line())
        column.addWidget(label(text, bold=True))
        return made

    def _road(self, block: Road) -> QWidget:
        made = QFrame()
        kind = {Arrival.NOW: "now", Arrival.PENDING: "waiting"}.get(block.arrival, "soft")
        made.setProperty("box", kind)
        row = QHBoxLayout(made)
        row.setContentsMargins(8, 6, 8, 6)
        row.setSpacing(8)
        row.addWidget(label(block.road, "", SMALL, wrap=False))
        number = label(block.line, "backward", SMALL, bold=True, mono=True, select=True)
        row.addWidget(number, 1)
        row.addWidget(label(block.word, "dim", SMALL, wrap=False))
        return made

    def _table(self, block: Table) -> QWidget:
        made = ArrayView(block.array, block.name, block.caption, block.flow)
        made.theme = self.theme
        made.chosen = block.chosen
        if block.node:
            made.cell_clicked.connect(partial(self._choose, block))
        self._views.append(made)
        return made

    def _choose(self, block: Table, index: tuple[int, ...]) -> None:
        band: BandName = "value" if block.flow is Flow.FORWARD else "gradient"
        cell = CellRef(block.node, band, tuple(index))
        self._document.select(Selection(frozenset({block.node}), None, cell))

    def _facts(self, block: Facts) -> QWidget:
        made = QFrame()
        made.setProperty("box", "soft")
        grid = QGridLayout(made)
        grid.setContentsMargins(8, 6, 8, 6)
        for row, (name, value, role) in enumerate(block.rows):
            grid.addWidget(label(name, "dim", SMALL, mono=True, wrap=False), row, 0)
            grid.addWidget(label(value, role, SMALL, bold=True, mono=True, select=True), row, 1)
        grid.setColumnStretch(1, 1)
        return made

    def _absence(self, block: Absence) -> QWidget:
        made = QFrame()
        made.setProperty("box", "note")
        column = QVBoxLayout(made)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(6)
        column.addWidget(label(block.title, "note", NORMAL, bold=True))
        column.addWidget(label(block.sentence, select=True))
        if block.advice:
            column.addWidget(label(block.advice, "dim", SMALL))
        row = QHBoxLayout()
        row.setSpacing(8)
        for remedy in block.remedies:
            row.addWidget(self._button(remedy.text, partial(self._ask, remedy)))
        for text, id in block.show:
            row.addWidget(self._button(text, partial(self.node_requested.emit, (id,))))
        row.addStretch(1)
        if row.count() > 1:
            column.addLayout(row)
        return made

    def _button(self, text: str, action: object) -> QPushButton:
        made = QPushButton(literal(text))
        made.clicked.connect(action)
        return made

    def _ask(self, remedy: Remedy) -> None:
        self._document.edit(remedy.step, partial(edits.set_query, **cast(Any, remedy.query)))


def _boxed() -> tuple[QWidget, QVBoxLayout]:
    made = QWidget()
    column = QVBoxLayout(made)
    column.setSpacing(8)
    return made, column
