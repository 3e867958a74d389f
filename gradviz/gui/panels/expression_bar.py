"""The bar above the canvas: the target as text, and what is asked of it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QToolButton, QVBoxLayout, QWidget

from gradviz.code import write
from gradviz.edit import edits
from gradviz.engine import explain
from gradviz.errors import ExpressionError
from gradviz.graph.model import OutPort
from gradviz.gui import icons
from gradviz.gui.document import Document
from gradviz.gui.panels.parts import SMALL, Panel, font, label, literal
from gradviz.gui.player import Player
from gradviz.gui.translate import render
from gradviz.text import mark


class ExpressionBar(Panel):
    """Shows the selected target as text; what is being typed is never overwritten.

    submitted(text)          Enter was pressed
    run_requested()          play the film from the start
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
        self._shown = ""
        self.line = QLineEdit(self)
        self.line.setFont(font(mono=True))
        self.line.setAccessibleName(self.tr("Expression"))
        self.line.setClearButtonEnabled(False)
        self.line.returnPressed.connect(self._submit)
        self.line.textEdited.connect(self._clear_fault)
        self.line.textChanged.connect(self._show_hint)
        self.line.installEventFilter(self)
        self._hint = label(self.tr("Enter builds the graph"), "dim", SMALL, wrap=False)
        self._hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.run_button = self._button(self.tr("Run"), "forward", self.run_requested.emit)
        self.run_button.setToolTip(self.tr("Play the film from the start (F5)"))
        self.target_button = self._menu_button("backward")
        self.wrt_button = self._menu_button("backward")
        self.check_button = self._button(self.tr("Check"), "", self.check_requested.emit)
        self.check_button.setToolTip(self.tr("Compare the gradients with finite differences (F7)"))
        self.export_button = self._menu_button("")
        self.export_button.setText(self.tr("Export"))
        self._spec = label("", "dim", SMALL, wrap=False)
        self._fault = label("", "note", SMALL)
        self._fault.hide()
        self._lay_out()
        self._fill_export()
        document.answered.connect(self._refresh)
        self._refresh()

    def _button(self, text: str, flow: str, slot: object) -> QToolButton:
        made = QToolButton(self)
        made.setText(text)
        made.setProperty("flow", flow)
        made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        made.clicked.connect(slot)
        return made

    def _menu_button(self, flow: str) -> QToolButton:
        made = QToolButton(self)
        made.setProperty("flow", flow)
        made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(made)
        menu.aboutToShow.connect(partial(self._fill, made))
        made.setMenu(menu)
        return made

    def _lay_out(self) -> None:
        inside = QHBoxLayout(self.line)
        inside.setContentsMargins(8, 0, 12, 0)
        inside.addStretch(1)
        inside.addWidget(self._hint)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.line, 1)
        for button in (
            self.run_button,
            self.target_button,
            self.wrt_button,
            self.check_button,
            self.export_button,
        ):
            row.addWidget(button)
        row.addWidget(self._spec)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 16, 8)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self._fault)

    def _show_hint(self) -> None:
        """The hint gives way to a long text."""
        used = self.line.fontMetrics().horizontalAdvance(self.line.text())
        self._hint.setVisible(used + self._hint.sizeHint().width() + 48 < self.line.width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_hint()

    def recolour(self) -> None:
        self.run_button.setIcon(icons.icon("play", self.palette(), self.theme.forward))
        self.check_button.setIcon(icons.icon("check", self.palette(), self.theme.ink))
        self.export_button.setIcon(icons.icon("export", self.palette(), self.theme.ink))

    def focus(self) -> None:
        """Begin to type."""
        self.line.setFocus()
        self.line.selectAll()

    def show_error(self, error: ExpressionError) -> None:
        """The text stays; the caret goes to the fault, and its reason stands below."""
        self._fault.setText(render(error.message))
        self._fault.show()
        self.line.setFocus()
        position = min(error.position, len(self.line.text()))
        length = min(error.length, len(self.line.text()) - position)
        if length > 0:
            self.line.setSelection(position, length)
        else:
            self.line.setCursorPosition(position)

    @property
    def fault(self) -> str:
        """The reason that is shown."""
        return "" if self._fault.isHidden() else self._fault.text()

    def _clear_fault(self) -> None:
        self._fault.hide()

    def _submit(self) -> None:
        if self.line.text().strip():
            self._clear_fault()
            self._shown = self.line.text()
            self.submitted.emit(self.line.text())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            watched is self.line
            and isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.KeyPress
        ) and event.key() == Qt.Key.Key_Escape:
            self._clear_fault()
            self.line.setText(self._text())
            self._shown = self.line.text()
            parent = self.parentWidget()
            if parent is not None:
                parent.setFocus()
            return True
        return False

    def _text(self) -> str:
        answer = self._document.answer
        if not answer.question.of:
            return ""
        return (
            write.expression(answer.graph, answer.question.of[0].node, answer.diagram.values) or ""
        )

    def _refresh(self) -> None:
        text = self._text()
        typing = self.line.hasFocus() and self.line.text() != self._shown
        if not typing and text != self.line.text():
            self.line.setText(text)
            self.line.setCursorPosition(0)
            self._clear_fault()
        if not typing:
            self._shown = self.line.text()
        self._show_question()

    def _show_question(self) -> None:
        answer = self._document.answer
        of = [explain.name(answer, port.node) for port in answer.question.of]
        wrt = [explain.name(answer, port.node) for port in answer.question.wrt]
        name = of[0] if of else "?"
        self.line.setPlaceholderText(
            self.tr("{name} = …   edit on the canvas").replace("{name}", name)
            if of
            else self.tr("y = x**2 + x - 1")
        )
        self.target_button.setText(
            literal(self.tr("∇ Gradients of {name}").replace("{name}", _few(of)))
        )
        self.wrt_button.setText(
            literal(self.tr("with respect to {names}").replace("{names}", _few(wrt)))
        )
        for button in (self.run_button, self.check_button, self.export_button):
            button.setEnabled(len(answer.graph) > 0)
        spec = answer.specs[answer.question.of[0]] if answer.question.of else None
        self._spec.setText(f"{name}: {spec.dtype}" if spec is not None else "")

    def _fill_export(self) -> None:
        self._fill(self.export_button)

    def _fill(self, button: QToolButton) -> None:
        menu = button.menu()
        menu.clear()
        if button is self.export_button:
            menu.addAction(self.tr("Picture as PNG…")).triggered.connect(
                partial(self.export_requested.emit, "png")
            )
            menu.addAction(self.tr("Picture as SVG…")).triggered.connect(
                partial(self.export_requested.emit, "svg")
            )
            return
        answer = self._document.answer
        is_target = button is self.target_button
        chosen = {port.node for port in (answer.question.of if is_target else answer.question.wrt)}
        for node in answer.graph:
            spec = answer.specs[OutPort(node.id)]
            if spec is None or not spec.is_float or not node.name:
                continue
            action = menu.addAction(literal(node.name))
            action.setCheckable(True)
            action.setChecked(node.id in chosen)
            action.triggered.connect(partial(self._choose, node.id, is_target))
        if menu.isEmpty():
            menu.addAction(self.tr("nothing to choose yet")).setEnabled(False)

    def _choose(self, id: str, is_target: bool) -> None:
        if is_target:
            self._document.edit(mark("edit", "Choose the target"), edits.set_query, of=(id,))
            return
        present = [port.node for port in self._document.answer.question.wrt]
        wrt = [other for other in present if other != id] if id in present else [*present, id]
        self._document.edit(
            mark("edit", "Choose what to differentiate by"), edits.set_query, wrt=wrt
        )


def _few(names: list[str]) -> str:
    """`X`; `X, b`; `W1, b1, …`."""
    return ", ".join(names[:2]) + (", …" if len(names) > 2 else "") if names else "?"
