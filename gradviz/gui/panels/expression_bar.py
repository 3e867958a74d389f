"""The selected output as text, and what can be asked: run, gradients of what by what, check, export."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from gradviz.code import write
from gradviz.engine import explain
from gradviz.errors import ExpressionError, GradvizError
from gradviz.graph.model import Diagram, OutPort
from gradviz.gui import icons
from gradviz.gui.document import Document
from gradviz.gui.panels.expression_line import ExpressionLine
from gradviz.gui.panels.parts import SMALL, Panel, label, set_property
from gradviz.gui.panels.questions import TargetChooser, WrtChooser
from gradviz.gui.player import Player
from gradviz.gui.theme import palette
from gradviz.gui.translate import render
from gradviz.ops import registry
from gradviz.text import Message, shape_words

WIDEST_LINE: Final = 720
NARROWEST: Final = 560
ROOM_FOR_TEXT: Final = 300
"""With less room for the line, the buttons become short."""


class ExpressionBar(Panel):
    """What is typed is told by a signal; it is never overwritten by what happens elsewhere.

    submitted(text)          Enter: build this
    run_requested()          play the film from its start
    check_requested()        compare with finite differences
    export_requested(kind)   "png" or "svg"
    """

    submitted = Signal(str)
    run_requested = Signal()
    check_requested = Signal()
    export_requested = Signal(str)

    def __init__(self, document: Document, player: Player, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._submitting = self._failed = False
        self.line = ExpressionLine(self)
        self._fault = label("", "note", SMALL)
        self.run_button = self._button("play", self.tr("Run"))
        self.target = TargetChooser(document, self)
        self.wrt = WrtChooser(document, self)
        self.check_button = self._button("check", self.tr("Check"))
        self.export_button = self._button("export", self.tr("Export"))
        self._spec = label("", "dim", SMALL, wrap=False)
        self._build()
        self._connect()
        self.recolour()
        self._refresh()

    def _button(self, icon: str, text: str) -> QToolButton:
        button = QToolButton(self)
        button.setProperty("icon-name", icon)
        button.setIconSize(QSize(icons.SIDE, icons.SIDE))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setText(text)
        button.setAccessibleName(text)
        button.setProperty("strong", "true")
        return button

    @property
    def _buttons(self) -> tuple[QToolButton, ...]:
        return self.run_button, self.check_button, self.export_button

    def _build(self) -> None:
        self.line.setAccessibleName(self.tr("Expression"))
        self.line.setMaximumWidth(WIDEST_LINE)
        self.line.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        set_property(self.run_button, "flow", "forward")
        self.run_button.setToolTip(self.tr("Play the film from its start (F5)"))
        self.check_button.setToolTip(self.tr("Compare the gradients with finite differences (F7)"))
        self.export_button.setToolTip(self.tr("Save the canvas as a picture"))
        self._build_export()
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.line, 1)
        for button in (
            self.run_button,
            self.target,
            self.wrt,
            self.check_button,
            self.export_button,
        ):
            row.addWidget(button)
        row.addStretch(0)
        row.addWidget(self._spec)
        self._fault.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 6, 12, 6)
        column.setSpacing(4)
        # The short buttons decide how narrow the bar may become, not those that stand there now.
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        column.addLayout(row)
        column.addWidget(self._fault)

    def _build_export(self) -> None:
        menu = QMenu(self.export_button)
        for kind, text in (
            ("png", self.tr("As a PNG picture…")),
            ("svg", self.tr("As an SVG drawing…")),
        ):
            menu.addAction(text).triggered.connect(partial(self.export_requested.emit, kind))
        self.export_button.setMenu(menu)
        self.export_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def _connect(self) -> None:
        document = self._document
        self.line.returnPressed.connect(self._submit)
        self.line.textEdited.connect(self._on_typing)
        self.line.escaped.connect(self._escape)
        self.run_button.clicked.connect(self.run_requested)
        self.check_button.clicked.connect(self.check_requested)
        document.changed.connect(self._on_changed)
        document.answered.connect(self._on_answered)
        document.selected.connect(self._refresh)
        document.refused.connect(self._on_refused)

    def recolour(self) -> None:
        """Icons in the colours of the theme."""
        colours = palette(self._theme)
        for button in self._buttons:
            ink = self._theme.forward if button is self.run_button else None
            button.setIcon(icons.icon(str(button.property("icon-name")), colours, ink))
        self.line.theme = self._theme
        self.line.update()

    def focus(self) -> None:
        """Go to the line; its text is selected, so that typing replaces it."""
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.line.selectAll()

    def output(self) -> str | None:
        """The node that is shown: the selected one if nothing uses it, else the target, else the last one."""
        document = self._document
        graph, only = document.diagram.graph, document.selection.only
        if only is not None and not graph.consumers_of(only):
            op = registry.find(graph[only].op)
            if op is None or not op.is_source:
                return only
        asked = document.diagram.query.of or tuple(p.node for p in document.answer.question.of)
        return next((id for id in asked if id in graph), None)

    def _refresh(self) -> None:
        """Show the graph's text, unless somebody is typing."""
        self._show_spec()
        self._show_enabled()
        if self.line.isModified():
            self._show_hint()
            return
        diagram, id = self._document.diagram, self.output()
        text = write.expression(diagram.graph, id, diagram.values) if id is not None else None
        if id is None:
            self.line.setPlaceholderText(self.tr("Type an expression, such as y = x**2 + x - 1"))
        elif text is None:
            name = explain.name(self._document.answer, id) if self._is_known(id) else "y"
            here = self.tr("{name} = …  edit on the canvas").replace("{name}", name)
            self.line.setPlaceholderText(here)
        if self.line.text() != (text or ""):
            self.line.setText(text or "")
            self.line.setCursorPosition(0)
        self.line.setModified(False)
        self._show_fault("")
        self._show_hint()

    def _is_known(self, id: str) -> bool:
        return id in self._document.answer.graph

    def _show_hint(self) -> None:
        typing = self.line.isModified()
        written = bool(self.line.text())
        text = self.tr("Enter builds the graph  ·  Esc takes it back") if typing else ""
        if not typing and written:
            text = self.tr("Enter builds the graph")
        self.line.show_hint(text)

    def _show_spec(self) -> None:
        id = self.output()
        spec = self._document.answer.specs[OutPort(id)] if id and self._is_known(id) else None
        if id is None or spec is None:
            self._spec.setText("")
            return
        shape = f"{shape_words(spec.shape)} " if spec.shape else ""
        self._spec.setText(f"{explain.name(self._document.answer, id)}: {shape}{spec.dtype}")

    def _show_enabled(self) -> None:
        filled = len(self._document.diagram.graph) > 0
        asked = bool(self._document.answer.question.of)
        for button in (self.run_button, self.target, self.wrt, self.export_button):
            button.setEnabled(filled)
        self.check_button.setEnabled(filled and asked)

    def _on_answered(self) -> None:
        self._refresh()
        self._share_room()

    def _on_changed(self, old: Diagram, new: Diagram) -> None:
        if self._document.undo_text is None and self._document.redo_text is None:
            # Another document: what was typed belonged to the one before.
            self.line.setModified(False)
        self._refresh()

    def _on_typing(self) -> None:
        self.line.clear_fault()
        self._show_fault("")
        self._show_hint()

    def _escape(self) -> None:
        """Take back what was typed; with nothing to take back, leave the line."""
        if self.line.isModified():
            self.line.setModified(False)
            self.line.clear_fault()
            self._refresh()
        else:
            self.line.deselect()
            self.line.clearFocus()

    def _submit(self) -> None:
        text = self.line.text()
        if not text.strip():
            return
        self._submitting, self._failed = True, False
        self.line.clear_fault()
        self._show_fault("")
        try:
            self.submitted.emit(text)
        finally:
            self._submitting = False
        if not self._failed:
            self.line.setModified(False)
            self._refresh()

    def _on_refused(self, message: Message) -> None:
        if self._submitting:
            self._fail(render(message))

    def show_error(self, error: GradvizError) -> None:
        """Say what cannot be read, and mark where; the text stays as it is."""
        if isinstance(error, ExpressionError):
            self.line.show_fault(error.position, error.length)
        self._fail(render(error.message))
        self.line.setFocus()

    def _fail(self, text: str) -> None:
        self._failed = True
        self.line.setModified(True)
        self._show_fault(text)
        self._show_hint()

    def _show_fault(self, text: str) -> None:
        self._fault.setText(text)
        self._fault.setVisible(bool(text))
        set_property(self.line, "faulty", "true" if text else "false")
        self.line.setAccessibleDescription(text)

    @property
    def fault_text(self) -> str:
        """What is said about a faulty text."""
        return self._fault.text()

    def minimumSizeHint(self) -> QSize:
        return QSize(NARROWEST, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        """Short buttons where the line would have too little room."""
        style = Qt.ToolButtonStyle
        self._set_compact(compact=False, style=style.ToolButtonTextBesideIcon)
        buttons = (*self._buttons, self.target, self.wrt)
        needed = sum(button.sizeHint().width() + 8 for button in buttons)
        needed += self._spec.sizeHint().width() + 32
        if self.width() - needed < ROOM_FOR_TEXT:
            self._set_compact(compact=True, style=style.ToolButtonIconOnly)

    def _set_compact(self, *, compact: bool, style: Qt.ToolButtonStyle) -> None:
        self.target.compact = self.wrt.compact = compact
        self._spec.setVisible(not compact)
        for button in self._buttons:
            button.setToolButtonStyle(style)
