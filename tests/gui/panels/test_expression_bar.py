"""Typed mathematics, and what can be asked."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt

import gradviz as gv
from gradviz.edit import edits
from gradviz.engine.answer import Answer
from gradviz.errors import ExpressionError, InputError
from gradviz.graph.model import OutPort
from gradviz.gui import paste
from gradviz.gui.document import Document, Selection
from gradviz.gui.panels.expression_bar import ExpressionBar
from gradviz.gui.player import Player
from gradviz.text import mark
from tests.gui.panels.conftest import nine_sevens, texts

LEFT = Qt.MouseButton.LeftButton
SET = mark("edit", "Set")
TEXT = "y = sum(X)**2 + sum(X) - 1"


@pytest.fixture
def bar(document: Document, player: Player, show) -> ExpressionBar:
    return show(ExpressionBar(document, player), 1280, 44)


def type_text(bar: ExpressionBar, qtbot, text: str) -> None:
    bar.focus()
    qtbot.keyClicks(bar.line, text)


def menu_texts(button) -> list[str]:
    button.menu().aboutToShow.emit()
    return [action.text() for action in button.menu().actions() if not action.isSeparator()]


def choose(button, text: str) -> None:
    button.menu().aboutToShow.emit()
    next(action for action in button.menu().actions() if action.text() == text).trigger()


def checked(button) -> list[str]:
    return [action.text() for action in button.menu().actions() if action.isChecked()]


def test_it_shows_the_target_as_text(bar: ExpressionBar) -> None:
    assert bar.line.text() == TEXT
    assert bar.line.hint == "Enter builds the graph"
    assert texts(bar)[-1] == "y: float64"


def test_it_shows_a_selected_output(bar: ExpressionBar, document: Document) -> None:
    x = gv.variable(2.0, name="x")
    a, b = x * 2, x * 3
    a.name, b.name = "a", "b"
    document.start(gv.diagram([a, b], x))
    document.select(Selection(frozenset({"a"})))
    assert bar.line.text() == "a = x * 2"
    document.select(Selection(frozenset({"b"})))
    assert bar.line.text() == "b = x * 3"
    document.select(Selection(frozenset({"x"})))
    assert bar.line.text() == "a = x * 2"


def test_enter_says_what_to_build(bar: ExpressionBar, qtbot) -> None:
    type_text(bar, qtbot, "z = X + 1")
    assert bar.line.hint == "Enter builds the graph  ·  Esc takes it back"
    with qtbot.waitSignal(bar.submitted) as told:
        qtbot.keyClick(bar.line, Qt.Key.Key_Return)
    assert told.args == ["z = X + 1"]


def test_what_was_built_is_shown_as_the_graph_writes_it(
    bar: ExpressionBar, document: Document, qtbot
) -> None:
    x = gv.variable(2.0, name="x")
    bar.submitted.connect(lambda _: document.edit(SET, lambda _: gv.diagram(x * 2 + 1, x)))
    type_text(bar, qtbot, "x*2+1")
    qtbot.keyClick(bar.line, Qt.Key.Key_Return)
    assert bar.line.text() == "y = x * 2 + 1"


def test_typing_is_never_overwritten(bar: ExpressionBar, document: Document, qtbot) -> None:
    type_text(bar, qtbot, "z = X +")
    document.edit(SET, edits.set_cell, "X", (0, 0), 5.0)
    document.edit(SET, edits.rename, "s", "total")
    document.select(Selection(frozenset({"s"})))
    assert bar.line.text() == "z = X +"
    bar.setFocus()
    document.undo()
    assert bar.line.text() == "z = X +"


def test_escape_takes_it_back(bar: ExpressionBar, qtbot) -> None:
    type_text(bar, qtbot, "nonsense(")
    bar.show_error(ExpressionError(mark("code", "Not so."), position=8))
    qtbot.keyClick(bar.line, Qt.Key.Key_Escape)
    assert (bar.line.text(), bar.fault_text, bar.line.fault) == (TEXT, "", None)
    qtbot.keyClick(bar.line, Qt.Key.Key_Escape)
    assert not bar.line.hasFocus()


def test_another_document_takes_its_place(bar: ExpressionBar, document: Document, qtbot) -> None:
    type_text(bar, qtbot, "z = X +")
    x = gv.variable(2.0, name="x")
    document.start(gv.diagram(x * 2, x))
    assert bar.line.text() == "y = x * 2"


def test_a_faulty_text_stays_with_the_caret_at_the_fault(
    bar: ExpressionBar, document: Document, qtbot
) -> None:
    before = document.diagram
    error = ExpressionError(mark("code", "{name} is not known."), position=4, length=4, name="summ")
    bar.submitted.connect(lambda _: bar.show_error(error))
    type_text(bar, qtbot, "y = summ(X)")
    qtbot.keyClick(bar.line, Qt.Key.Key_Return)
    assert bar.line.text() == "y = summ(X)"
    assert bar.line.cursorPosition() == 4
    assert bar.line.fault == (4, 4)
    assert bar.line.hasFocus()
    assert bar.fault_text == "summ is not known."
    assert "summ is not known." in texts(bar)
    assert document.diagram is before
    assert not bar.line.grab().isNull()
    document.edit(SET, edits.set_cell, "X", (0, 0), 5.0)
    assert bar.line.text() == "y = summ(X)"
    qtbot.keyClicks(bar.line, "x")
    assert (bar.fault_text, bar.line.fault) == ("", None)


def test_a_refused_edit_keeps_the_text_too(bar: ExpressionBar, document: Document, qtbot) -> None:
    def refuse(diagram):
        raise InputError(mark("edit", "That cannot be."))

    bar.submitted.connect(lambda _: document.edit(SET, refuse))
    type_text(bar, qtbot, "y = y")
    qtbot.keyClick(bar.line, Qt.Key.Key_Return)
    assert (bar.line.text(), bar.fault_text) == ("y = y", "That cannot be.")


def test_refusals_of_others_are_not_its_business(bar: ExpressionBar, document: Document) -> None:
    document.edit(SET, edits.set_attributes, "s", axis=9)
    assert bar.fault_text == ""


def test_a_graph_without_a_text_says_where_to_edit(bar: ExpressionBar, document: Document) -> None:
    y = gv.variable(0.5, name="x")
    for _ in range(90):
        y = gv.sin(y)
    y.name = "deep"
    document.start(gv.diagram(y))
    assert bar.line.text() == ""
    assert bar.line.placeholderText() == "deep = …  edit on the canvas"


def test_run_check_and_export_are_told(bar: ExpressionBar, qtbot) -> None:
    with qtbot.waitSignal(bar.run_requested):
        qtbot.mouseClick(bar.run_button, LEFT)
    with qtbot.waitSignal(bar.check_requested):
        qtbot.mouseClick(bar.check_button, LEFT)
    for text, kind in (("As a PNG picture…", "png"), ("As an SVG drawing…", "svg")):
        with qtbot.waitSignal(bar.export_requested) as told:
            choose(bar.export_button, text)
        assert told.args == [kind]


def test_the_target_is_chosen_in_one_undoable_step(bar: ExpressionBar, document: Document) -> None:
    assert bar.target.text() == "∇ Gradients of y ▾"
    assert menu_texts(bar.target)[:3] == [
        "The last result, whatever it is",
        "y = add − 1",
        "B",
    ]
    assert checked(bar.target) == ["y = add − 1"]
    choose(bar.target, "square = s²")
    assert document.diagram.query.of == ("square",)
    assert bar.target.text() == "∇ Gradients of square ▾"
    assert document.undo_text == "Choose the target"
    document.undo()
    assert bar.target.text() == "∇ Gradients of y ▾"


def test_several_can_be_differentiated_by(bar: ExpressionBar, document: Document) -> None:
    assert bar.wrt.text() == "with respect to X, B ▾"
    assert menu_texts(bar.wrt)[:3] == ["All variables and random numbers", "X", "B"]
    choose(bar.wrt, "B")
    assert document.diagram.query.wrt == ("X",)
    choose(bar.wrt, "s = sum(X)")
    assert document.diagram.query.wrt == ("X", "s")
    assert checked(bar.wrt) == ["X", "s = sum(X)"]
    choose(bar.wrt, "All variables and random numbers")
    assert document.diagram.query.wrt == ()
    assert bar.wrt.text() == "with respect to X, B ▾"


@pytest.mark.qt_log_ignore("does not support (raise|grabbing)", extend=True)
def test_the_menu_stays_open_while_several_are_chosen(
    bar: ExpressionBar, document: Document, qtbot
) -> None:
    menu = bar.wrt.menu()
    menu.popup(bar.wrt.mapToGlobal(bar.wrt.rect().bottomLeft()))
    action = next(a for a in menu.actions() if a.text() == "B")
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
    assert menu.isVisible()
    assert document.diagram.query.wrt == ("X",)
    assert not action.isChecked()
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
    assert document.diagram.query.wrt == ("X", "B")
    qtbot.keyClick(menu, Qt.Key.Key_Escape)
    assert not menu.isVisible()


def test_literals_and_whole_numbers_are_no_choice(bar: ExpressionBar) -> None:
    assert "1" not in menu_texts(bar.wrt)
    assert "1" not in menu_texts(bar.target)


def test_a_long_menu_says_how_to_choose_the_rest(bar: ExpressionBar, document: Document) -> None:
    xs = [gv.variable(1.0, name=f"x{i}") for i in range(40)]
    document.start(gv.diagram(sum(xs[1:], xs[0]), xs))
    found = menu_texts(bar.wrt)
    assert "10 more: select one and press W" in found
    assert bar.wrt.width() < 400


def test_names_with_an_ampersand_are_shown_whole(bar: ExpressionBar, document: Document) -> None:
    document.edit(SET, edits.rename, "y", "R&D")
    assert bar.target.text() == "∇ Gradients of R&&D ▾"
    assert "R&&D = add − 1" in menu_texts(bar.target)


def test_a_narrow_bar_is_short_of_words_not_of_room(bar: ExpressionBar) -> None:
    bar.resize(620, 44)
    bar.layout().activate()
    assert bar.target.text() == "∇ y ▾"
    assert bar.run_button.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonIconOnly
    assert bar.line.width() >= 176
    assert bar.export_button.geometry().right() < bar.width()
    bar.resize(1280, 44)
    assert bar.target.text() == "∇ Gradients of y ▾"


def test_an_empty_document_can_only_be_typed_into(qtbot, show) -> None:
    document = Document()
    bar = show(ExpressionBar(document, Player(document)), 1280, 44)
    assert bar.line.placeholderText().startswith("Type an expression")
    buttons = (bar.run_button, bar.target, bar.wrt, bar.check_button, bar.export_button)
    assert not any(button.isEnabled() for button in buttons)
    document.start(nine_sevens())
    assert all(button.isEnabled() for button in buttons)
    document.close()


def test_every_control_has_a_name(bar: ExpressionBar) -> None:
    controls = (bar.line, bar.run_button, bar.target, bar.wrt, bar.check_button, bar.export_button)
    assert all(control.accessibleName() for control in controls)


def test_truth_values_choose_among_the_numbers_that_are_there(document: Document) -> None:
    """How many are chosen is known from the numbers of the diagram, and followed when they change."""

    def sizes(found: Answer) -> dict[str, tuple[float, float]]:
        return {node.id: (120.0, 60.0) for node in found.graph}

    x = gv.variable([1.0, -2.0, 3.0], name="x")
    document.start(gv.diagram(gv.sum(x), x))
    paste.build_expression(document, "z = sum(x[x > 0] ** 2)", sizes)
    answer = document.answer
    z, source = (OutPort(answer.graph.id_of_name[name]) for name in "zx")
    assert answer.value(z) == 10.0
    assert answer.adjoint(source).tolist() == [2.0, 0.0, 6.0]
    changed = edits.set_value(document.diagram, source.node, np.array([1.0, 2.0, 3.0]))
    document.start(changed)
    assert document.answer.value(z) == 14.0
