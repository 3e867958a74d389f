"""What is selected, in words, formulas and numbers: what arrived from where, how it was added, what is passed on."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gradviz.edit import edits
from gradviz.engine.gradient import Role
from gradviz.gui.document import BandName, CellRef, Document, Selection
from gradviz.gui.panels.array_view import ArrayView, Index
from gradviz.gui.panels.inside_sheet import inside_blocks
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
    has_settings,
    sheet,
)
from gradviz.gui.panels.slider import ValueSlider
from gradviz.gui.player import Player
from gradviz.gui.translate import render
from gradviz.picture.look import Arrival, Flow

SIZES: Final = {"small": SMALL, "normal": NORMAL, "large": LARGE}
BOXES: Final = {Arrival.NOW: "now", Arrival.ARRIVED: "soft", Arrival.PENDING: "waiting"}
WIDTH: Final = 376


class Inspector(Panel):
    """Shows only what is known at the player's position; what stays the same is not made anew.

    node_requested(ids)  show these nodes
    """

    node_requested = Signal(object)

    def __init__(self, document: Document, player: Player, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._player = player
        self._shown: list[tuple[Block, QWidget]] = []
        self._state: tuple[object, ...] = ()
        self._selection = Selection()
        self._area = QScrollArea(self)
        self._page = QWidget()
        self._column = QVBoxLayout()
        self._waiting = label(self.tr("computing…"), "note", SMALL)
        self.slider = ValueSlider(document)
        self.form = SettingsForm(document)
        self._build()
        for signal in (document.answered, document.selected, document.changed):
            signal.connect(self._refresh)
        for signal in (player.arrived, player.moved):
            signal.connect(self._refresh)
        self._refresh()

    def _build(self) -> None:
        self._column.setSpacing(0)
        self._column.setContentsMargins(0, 0, 0, 0)
        page = QVBoxLayout(self._page)
        page.setContentsMargins(16, 8, 12, 16)
        page.setSpacing(0)
        page.addWidget(self._waiting)
        page.addLayout(self._column)
        page.addWidget(self.slider)
        page.addWidget(self.form)
        page.addStretch(1)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidget(self._page)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self.tr("Inspector"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._area)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 560)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 120)

    @property
    def blocks(self) -> list[Block]:
        """What is shown, top to bottom."""
        return [block for block, _ in self._shown]

    def recolour(self) -> None:
        """Tables in the colours of the theme."""
        for table in self._page.findChildren(ArrayView):
            table.theme = self._theme

    def _refresh(self) -> None:
        document, player = self._document, self._player
        rests = player.progress >= 1
        inside = player.inside
        state = (
            document.answer,
            document.diagram,
            document.selection,
            player.position,
            rests,
            inside,
        )
        if len(state) == len(self._state) and all(
            a is b or (i >= 2 and a == b)
            for i, (a, b) in enumerate(zip(state, self._state, strict=True))
        ):
            return
        self._state = state
        subject = self._subject()
        moment = Moment(document.answer, player.position, rests)
        blocks = inside_blocks(inside, player.inner_count) + sheet(subject, moment)
        self._show(blocks, subject)

    def _subject(self) -> Selection:
        """The selection; with none, while the film is under way, the node that it is at."""
        selection, step = self._document.selection, self._player.step
        if selection == Selection() and step is not None and step.address.role is not Role.DONE:
            return Selection(frozenset({step.port.node}))
        return selection

    def _show(self, blocks: list[Block], subject: Selection) -> None:
        document = self._document
        other = (subject.nodes, subject.wire) != (self._selection.nodes, self._selection.wire)
        self._selection = subject
        self.setUpdatesEnabled(False)
        try:
            self._waiting.setVisible(document.computing)
            self._replace(self._with_failure(blocks))
            self._show_form()
        finally:
            self.setUpdatesEnabled(True)
        if other:
            self._area.verticalScrollBar().setValue(0)

    def _with_failure(self, blocks: list[Block]) -> list[Block]:
        failure = self._document.failure
        if failure is None:
            return blocks
        return [Absence(self.tr("The graph cannot be computed"), render(failure)), *blocks]

    def _show_form(self) -> None:
        document = self._document
        id = has_settings(document.answer, document.selection)
        graph = document.diagram.graph
        self.slider.show_node(id)
        self.form.show_node(graph[id] if id is not None and id in graph else None)

    def _replace(self, blocks: list[Block]) -> None:
        """Make what is new, keep what is the same."""
        kept = []
        for number, block in enumerate(blocks):
            old = self._shown[number] if number < len(self._shown) else None
            if old is not None and old[0] == block:
                kept.append(old)
                continue
            widget = self._made(block)
            if old is not None:
                self._column.replaceWidget(old[1], widget)
                _drop(old[1])
            else:
                self._column.addWidget(widget)
            # A layout shows what is new only later; until then there would be a gap.
            widget.show()
            kept.append((block, widget))
        for _, widget in self._shown[len(blocks) :]:
            self._column.removeWidget(widget)
            _drop(widget)
        self._shown = kept

    def _made(self, block: Block) -> QWidget:
        match block:
            case Line():
                return _line(block)
            case Heading():
                return _heading(block)
            case Road():
                return _road(block)
            case Facts():
                return _facts(block)
            case Absence():
                return self._absence(block)
            case Table():
                return self._table(block)

    def _table(self, block: Table) -> QWidget:
        view = ArrayView(block.array, block.name, block.caption, block.flow)
        view.theme = self._theme
        view.chosen = block.chosen
        if block.node:
            band: BandName = "value" if block.flow is Flow.FORWARD else "gradient"
            view.cell_clicked.connect(partial(self._choose_cell, block.node, band))
        return _spaced(view, 4)

    def _choose_cell(self, node: str, band: BandName, index: Index) -> None:
        """Select a cell; its table, made anew, gets the focus, so that the keys go on from there."""
        cell = CellRef(node, band, index)
        self._document.select(Selection(frozenset({node}), None, cell))
        for view in self._page.findChildren(ArrayView):
            if view.chosen == index and view.isVisible():
                view.setFocus()
                return

    def _absence(self, block: Absence) -> QWidget:
        box = QFrame()
        box.setProperty("box", "note")
        column = QVBoxLayout(box)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(4)
        column.addWidget(label(block.title, "note", NORMAL, bold=True, select=True))
        column.addWidget(label(block.sentence, "", SMALL, select=True))
        if block.advice:
            column.addWidget(label(block.advice, "dim", SMALL))
        for remedy in block.remedies:
            column.addWidget(self._remedy(remedy), 0, Qt.AlignmentFlag.AlignLeft)
        for words, id in block.show:
            button = QPushButton(literal(words))
            button.clicked.connect(partial(self._go_to, id))
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        return _spaced(box, 8)

    def _remedy(self, remedy: Remedy) -> QPushButton:
        button = QPushButton(literal(remedy.text))
        query = dict(remedy.query)
        button.clicked.connect(lambda: self._document.edit(remedy.step, edits.set_query, **query))
        return button

    def _go_to(self, id: str) -> None:
        self.node_requested.emit((id,))


def _drop(widget: QWidget) -> None:
    widget.hide()
    widget.deleteLater()


def _spaced(widget: QWidget, above: int) -> QWidget:
    """A widget with space above it."""
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, above, 0, 0)
    column.setSpacing(0)
    column.addWidget(widget)
    return holder


def _line(block: Line) -> QWidget:
    made = label(
        block.text, block.role, SIZES[block.size], bold=block.bold, mono=block.mono, select=True
    )
    made.setToolTip(hint(block.detail))
    return _spaced(made, block.gap)


def _heading(block: Heading) -> QWidget:
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 12, 0, 0)
    column.setSpacing(8)
    column.addWidget(line())
    column.addWidget(label(block.text, bold=True))
    return holder


def _road(block: Road) -> QWidget:
    """From where, the line of arithmetic, and whether it is there."""
    box = QFrame()
    box.setProperty("box", BOXES[block.arrival])
    row = QHBoxLayout(box)
    row.setContentsMargins(8, 4, 8, 4)
    row.setSpacing(12)
    row.addWidget(label(block.road, "", SMALL, wrap=False), 0)
    arithmetic = label(block.line, "backward", SMALL, bold=True, mono=True, select=True)
    arithmetic.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    row.addWidget(arithmetic, 1)
    row.addWidget(label(block.word, "dim", SMALL, wrap=False), 0)
    return _spaced(box, 4)


def _facts(block: Facts) -> QWidget:
    holder = QWidget()
    grid = QGridLayout(holder)
    grid.setContentsMargins(0, 4, 0, 0)
    grid.setHorizontalSpacing(12)
    grid.setVerticalSpacing(4)
    grid.setColumnStretch(1, 1)
    for row, (name, value, role) in enumerate(block.rows):
        grid.addWidget(label(name, "dim", SMALL, mono=True, wrap=False), row, 0)
        grid.addWidget(label(value, role, NORMAL, bold=True, mono=True, select=True), row, 1)
    return holder
