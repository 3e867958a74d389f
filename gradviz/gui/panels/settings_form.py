"""Name and settings of one node. What cannot be is refused in words below its line."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.edit import edits
from gradviz.errors import InputError
from gradviz.graph.model import Node
from gradviz.gui.document import Document
from gradviz.gui.panels import settings_text
from gradviz.gui.panels.axis_button import AxisButton, is_axis
from gradviz.gui.panels.parts import SMALL, hint, label, line, literal, set_property
from gradviz.gui.translate import render
from gradviz.ops import registry
from gradviz.ops.op import Attribute, Op
from gradviz.text import Message, mark

NAME: Final = ""
RENAME: Final = mark("edit", "Rename")
SET: Final = mark("edit", "Change a setting")
DRAW: Final = mark("edit", "Draw again")


class SettingsForm(QWidget):
    """One row a setting; made anew only when another node is shown, so that typing is not disturbed."""

    refused = Signal(str)

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._node: Node | None = None
        self._made_for: tuple[str, str] | None = None
        self._editing = False
        self._refusal: Message | None = None
        self.editors: dict[str, QWidget] = {}
        self._faults: dict[str, QLabel] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 16, 0, 0)
        self._column.setSpacing(8)
        self._body = QWidget(self)
        self._column.addWidget(line())
        self._column.addWidget(label(self.tr("Name and settings"), bold=True))
        self._column.addWidget(self._body)
        document.refused.connect(self._note_refusal)

    def show_node(self, node: Node | None) -> None:
        """The node to edit; None for nothing."""
        self.setVisible(node is not None)
        if node is None:
            self._node = self._made_for = None
            return
        changed = node is not self._node
        self._node = node
        if (node.id, node.op) != self._made_for:
            self._made_for = (node.id, node.op)
            self._make(node)
        if changed:
            self._fill(node)

    def _make(self, node: Node) -> None:
        old, self._body = self._body, QWidget(self)
        self.editors.clear()
        self._faults.clear()
        grid = QGridLayout(self._body)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        self._add_row(grid, NAME, self.tr("name"), self._line_editor(NAME, self._rename))
        op = registry.get(node.op)
        for attribute in op.attributes.values():
            self._add_row(grid, attribute.name, attribute.name, self._editor(op, node, attribute))
        if "seed" in op.attributes:
            self._add_draw_again(grid)
        self._column.replaceWidget(old, self._body)
        old.hide()
        old.deleteLater()
        self._body.show()

    def _add_row(self, grid: QGridLayout, name: str, words: str, editor: QWidget) -> None:
        row = grid.rowCount()
        caption = label(words, "dim", SMALL, wrap=False)
        caption.setBuddy(editor)
        editor.setAccessibleName(words)
        fault = label("", "note", SMALL)
        fault.hide()
        grid.addWidget(caption, row, 0)
        grid.addWidget(editor, row, 1)
        grid.addWidget(fault, row + 1, 1)
        self.editors[name] = editor
        self._faults[name] = fault

    def _add_draw_again(self, grid: QGridLayout) -> None:
        button = QPushButton(self.tr("Draw again"))
        button.setToolTip(hint(self.tr("Other random numbers, from another seed (R)")))
        button.clicked.connect(self._draw_again)
        grid.addWidget(button, grid.rowCount(), 1, Qt.AlignmentFlag.AlignLeft)
        self.editors["draw again"] = button

    def _editor(self, op: Op, node: Node, attribute: Attribute) -> QWidget:
        options = settings_text.choices(op, attribute.name)
        if options:
            return self._choice_editor(attribute.name, options)
        if attribute.kind == "bool":
            box = QCheckBox()
            box.toggled.connect(partial(self._set, attribute.name))
            return box
        if is_axis(attribute):
            return AxisButton(self._document, attribute, partial(self._set, attribute.name))
        editor = self._line_editor(attribute.name, partial(self._type, attribute))
        value = op.bind(node.attributes)[attribute.name]
        editor.setReadOnly(not settings_text.is_editable(attribute.kind, value))
        return editor

    def _line_editor(self, name: str, action: Callable[[str], None]) -> QLineEdit:
        editor = QLineEdit()
        editor.setMaxLength(settings_text.LONGEST)

        def finish() -> None:
            if editor.isModified():
                editor.setModified(False)
                action(editor.text())

        editor.editingFinished.connect(finish)
        editor.textEdited.connect(lambda _: self._show_fault(name, ""))
        return editor

    def _choice_editor(self, name: str, options: tuple[str, ...]) -> QToolButton:
        button = QToolButton()
        menu = QMenu(button)
        for option in options:
            action = menu.addAction(literal(self._option_words(option)))
            action.setCheckable(True)
            action.setData(option)
            action.triggered.connect(lambda _=False, chosen=option: self._set(name, chosen))
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return button

    def _option_words(self, option: str) -> str:
        return self.tr("a plain number, without dtype") if option == "weak" else option

    def _fill(self, node: Node) -> None:
        """Show what the node has; a line that is being typed in keeps its text."""
        bound = registry.get(node.op).bind(node.attributes)
        for name, editor in self.editors.items():
            value = node.name if name == NAME else bound.get(name)
            if isinstance(editor, QLineEdit):
                self._fill_line(name, editor, value, node)
            elif isinstance(editor, AxisButton):
                editor.show_value(node, value)
            elif isinstance(editor, QCheckBox):
                with QSignalBlocker(editor):
                    editor.setChecked(bool(value))
            elif isinstance(editor, QToolButton):
                editor.setText(f"{literal(self._option_words(str(value)))} ▾")
                for action in editor.menu().actions():
                    action.setChecked(action.data() == value)

    def _fill_line(self, name: str, editor: QLineEdit, value: object, node: Node) -> None:
        if editor.isModified() and editor.hasFocus():
            return
        kind = "str" if name == NAME else registry.get(node.op).attributes[name].kind
        editor.setText(str(value) if name == NAME else settings_text.text_of(kind, value))
        editor.setCursorPosition(0)
        self._show_fault(name, "")

    def _rename(self, text: str) -> None:
        if self._node is not None:
            self._apply(NAME, RENAME, edits.rename, self._node.id, text)

    def _type(self, attribute: Attribute, text: str) -> None:
        try:
            value = settings_text.value_of(attribute.kind, text)
        except InputError as error:
            self._show_fault(attribute.name, render(error.message))
            return
        self._set(attribute.name, value)

    def _set(self, name: str, value: object) -> None:
        if self._node is not None:
            self._apply(name, SET, edits.set_attributes, self._node.id, **{name: value})

    def _draw_again(self) -> None:
        if self._node is not None:
            self._apply("seed", DRAW, edits.draw_again, self._node.id, secrets.randbelow(2**32))

    def _apply(self, name: str, step: Any, function: Any, *arguments: Any, **keywords: Any) -> None:
        """One undoable step; a refusal is shown below the row, and the row keeps what was typed."""
        self._editing, self._refusal = True, None
        try:
            done = self._document.edit(step, function, *arguments, **keywords)
        finally:
            self._editing = False
        if self._refusal is not None:
            if self._node is not None and not isinstance(self.editors[name], QLineEdit):
                self._fill(self._node)
            self._show_fault(name, render(self._refusal))
        elif not done and self._node is not None:
            self._fill(self._node)

    def _note_refusal(self, message: Message) -> None:
        if self._editing:
            self._refusal = message

    def _show_fault(self, name: str, text: str) -> None:
        fault = self._faults[name]
        fault.setText(text)
        fault.setVisible(bool(text))
        set_property(self.editors[name], "faulty", "true" if text else "false")
        self.editors[name].setAccessibleDescription(text)
