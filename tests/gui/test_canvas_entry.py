"""Typing, pasting and dropping on the canvas: what is meant, and rubbish."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz import limits
from gradviz.edit import edits
from gradviz.graph.model import Diagram, InPort
from gradviz.gui import paste
from gradviz.gui.canvas.drops import OP_MIME
from gradviz.gui.document import BandName, CellRef, Selection
from gradviz.text import mark
from tests.support.robot import Robot

CTRL = Qt.KeyboardModifier.ControlModifier
KEY = Qt.Key


def select_cell(robot: Robot, name: str, *index: int, band: BandName = "value") -> None:
    id = robot.id(name)
    robot.document.select(Selection(frozenset({id}), None, CellRef(id, band, index)))


def put(robot: Robot, text: str) -> str:
    """Paste a text; what is said."""
    QGuiApplication.clipboard().setText(text)
    said = robot.paste()
    return "" if said is None else str(said)


def test_a_copied_cell_is_pasted_into_another_cell(robot: Robot) -> None:
    select_cell(robot, "X", 1, 0)
    assert paste.copy(robot.document)
    select_cell(robot, "X", 2, 2)
    assert put(robot, QGuiApplication.clipboard().text()) == ""
    assert robot.document.diagram.values["X"].tolist() == [[1, 0, -1], [2, 1, 0], [0, -1, 2]]
    assert robot.document.undo_text == "Paste numbers"


@pytest.mark.parametrize(
    ("cell", "text", "wanted"),
    [
        ((1, 1), "8\t9\n6\t7", [[1, 0, -1], [2, 8, 9], [0, 6, 7]]),
        ((0, 1), "8\t9", [[1, 8, 9], [2, 1, 0], [0, -1, 1]]),
        ((0, 0), "1\t2\t3\t4", [1, 2, 3, 4]),
        ((1, 1), "[[5, 6], [7, 8]]", [[5, 6], [7, 8]]),
        ((1, 1), "np.array([[5, 6]])", [[5, 6]]),
    ],
)
def test_a_block_goes_into_the_cells(robot: Robot, cell, text: str, wanted) -> None:
    select_cell(robot, "X", *cell)
    assert put(robot, text) == ""
    assert robot.document.diagram.values["X"].tolist() == wanted
    robot.document.undo()
    assert robot.document.is_clean


def test_a_block_without_room_is_refused_in_words(robot: Robot, qtbot) -> None:
    select_cell(robot, "X", 2, 2)
    with qtbot.waitSignal(robot.document.refused) as refused:
        assert put(robot, "1\t2\n3\t4") == ""
    assert str(refused.args[0]) == "2×2 numbers have no room in X (3×3) from this cell on."
    assert robot.document.is_clean


def test_a_block_goes_into_a_list(robot: Robot) -> None:
    robot.document.select(Selection(frozenset({"X"})))
    put(robot, "[1, 2, 3, 4]")
    select_cell(robot, "X", 1)
    assert put(robot, "8\t9") == ""
    assert robot.document.diagram.values["X"].tolist() == [1, 8, 9, 4]
    select_cell(robot, "X", 0)
    put(robot, "1\n2")
    assert robot.document.diagram.values["X"].shape == (2, 1)


def test_what_is_there_already_is_understood_all_the_same(robot: Robot) -> None:
    robot.document.select(Selection(frozenset({"B"})))
    assert put(robot, "1\t2\n3\t4") == ""
    robot.document.select(Selection())
    assert put(robot, "s") == ""
    assert robot.document.is_clean


def test_pasted_numbers_are_a_new_variable_that_is_selected(robot: Robot) -> None:
    robot.document.select(Selection(frozenset({"s"})))
    assert put(robot, "1\t2\n3\t4") == ""
    only = robot.document.selection.only
    assert only is not None
    assert robot.document.diagram.values[only].tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "There is no text to put in."),
        ("  \n ", "There is no text to put in."),
        ("1\t2\n3", "These are neither nodes nor numbers."),
        ("{not json", "neither nodes nor numbers"),
        ("y = sum(", "These are neither nodes nor numbers, and as mathematics: "),
        ("y = nosuch(X)", "nosuch"),
        ("x" * (limits.EXPRESSION_CHARACTERS + 1), "This is too much text"),
        ("dear sir\nplease find attached", "neither nodes nor numbers"),
    ],
)
def test_rubbish_is_answered_with_what_was_tried(robot: Robot, text: str, said: str) -> None:
    assert said in put(robot, text)
    assert robot.document.is_clean


def test_text_is_dropped_where_it_is_let_go(robot: Robot) -> None:
    data = QMimeData()
    data.setText("[[1, 2]]")
    at = robot.empty()
    assert robot.drop(at, data)
    only = robot.document.selection.only
    assert only is not None
    assert robot.document.diagram.values[only].tolist() == [[1, 2]]
    data.setText("?? not anything")
    hints: list[str] = []
    robot.canvas.status_hint.connect(hints.append)
    robot.drop(at, data)
    assert "neither nodes nor numbers" in hints[0]


def test_an_op_is_dropped_and_a_file_is_left_to_the_window(robot: Robot) -> None:
    data = QMimeData()
    data.setData(OP_MIME, b"exp")
    assert robot.drop(robot.empty(), data)
    assert "exp" in robot.document.diagram.graph.id_of_name
    data.setData(OP_MIME, b"\xff no such thing")
    count = len(robot.document.diagram.graph)
    robot.drop(robot.empty(), data)
    assert len(robot.document.diagram.graph) == count
    file = QMimeData()
    file.setUrls([QUrl.fromLocalFile("/tmp/a.gradviz")])
    assert not robot.drop(robot.empty(), file)


def test_enter_goes_down_and_arrows_leave_what_was_typed(robot: Robot) -> None:
    robot.click(robot.value("X", 0, 0))
    robot.type("7")
    robot.key(KEY.Key_Return)
    robot.type("8")
    robot.key(KEY.Key_Right)
    robot.type("9")
    robot.key(KEY.Key_Up)
    assert robot.document.diagram.values["X"].tolist() == [[7, 0, -1], [8, 9, 0], [0, -1, 1]]
    assert robot.document.selection.cell == CellRef("X", "value", (0, 1))
    assert robot.canvas.entry.editor is None


def test_while_a_number_is_edited_left_and_right_move_in_its_text(robot: Robot) -> None:
    robot.double_click(robot.value("X", 1, 1))
    robot.key(KEY.Key_End)
    robot.key(KEY.Key_Left)
    robot.type("5")
    robot.key(KEY.Key_Down)
    assert robot.document.diagram.values["X"][1, 1] == 51
    assert robot.document.selection.cell == CellRef("X", "value", (2, 1))


def test_rows_from_a_spreadsheet_are_pasted_into_an_open_editor(robot: Robot) -> None:
    robot.double_click(robot.value("X"))
    QGuiApplication.clipboard().setText("1\t2\r\n3\t4\r\n")
    robot.key(KEY.Key_V, CTRL)
    robot.key(KEY.Key_Return)
    assert robot.document.diagram.values["X"].tolist() == [[1, 2], [3, 4]]
    robot.document.undo()
    assert robot.document.is_clean


def test_an_editor_follows_its_cell(robot: Robot) -> None:
    robot.double_click(robot.value("X", 0, 0))
    editor = robot.canvas.entry.editor
    assert editor is not None
    for turn in (240, -600):
        robot.wheel(QPoint(10, 10), turn)
        assert editor.geometry().contains(robot.value("X", 0, 0))


def test_a_reason_at_the_lower_edge_is_above_the_text(robot: Robot) -> None:
    robot.canvas.zoom_to(1.0)
    by = robot.canvas.height() - 10 - robot.value("X", 0, 0).y()
    robot.canvas.camera = robot.canvas.camera.panned(0, by)
    robot.type_value("X", "rubbish")
    editor = robot.canvas.entry.editor
    assert editor is not None
    assert editor.reason
    assert editor._reason.geometry().bottom() < editor.geometry().top()
    robot.key(KEY.Key_Escape)


def test_a_click_elsewhere_uses_what_was_typed_unless_it_is_rubbish(robot: Robot) -> None:
    robot.double_click(robot.value("X", 0, 0))
    robot.type("4")
    robot.click(robot.header("s"))
    assert robot.document.diagram.values["X"][0, 0] == 4
    assert robot.document.selection.only == "s"
    robot.type_value("X", "rubbish")
    robot.click(robot.header("s"))
    editor = robot.canvas.entry.editor
    assert editor is not None
    assert editor.text() == "rubbish"
    assert robot.document.selection.only == "X"
    robot.drag(robot.header("X"), robot.header("X") + QPoint(50, 50))
    robot.double_click(robot.empty())
    robot.canvas.entry.offer()
    assert robot.canvas.entry.add_box is None
    assert robot.canvas.entry.editor is editor
    robot.key(KEY.Key_Escape)
    assert robot.canvas.entry.editor is None


def test_what_is_open_closes_when_the_diagram_becomes_another_one(robot: Robot) -> None:
    robot.double_click(robot.value("X"))
    assert robot.canvas.cancel_gesture()
    assert robot.canvas.entry.editor is None
    assert not robot.canvas.cancel_gesture()
    robot.double_click(robot.value("X"))
    robot.document.start(Diagram())
    assert robot.canvas.entry.editor is None
    robot.document.undo()
    assert robot.document.is_clean


def test_an_add_box_closes_when_its_node_goes(robot: Robot) -> None:
    robot.drag(robot.output("B"), robot.empty())
    assert robot.canvas.entry.add_box is not None
    robot.document.edit(mark("edit", "Delete"), edits.delete, ["B"])
    assert robot.canvas.entry.add_box is None


def test_digits_on_a_gradient_say_that_it_is_computed(robot: Robot, qtbot) -> None:
    robot.click(robot.gradient("X", 0, 0))
    with qtbot.waitSignal(robot.canvas.status_hint) as hint:
        robot.type("5")
    assert hint.args == ["The gradient of X is computed; change a source instead."]
    assert robot.canvas.entry.add_box is None


@pytest.mark.parametrize("typed", ["inf", "nan", "pi", "1/3", "2e-3", "-1", "−1", "0,5"])
def test_numbers_are_typed_as_people_do(robot: Robot, typed: str) -> None:
    robot.type_value("X", typed)
    assert robot.canvas.entry.editor is None
    assert robot.document.undo_text == "Change a value"


def test_a_name_that_is_taken_is_numbered_and_a_bad_one_stays(robot: Robot) -> None:
    robot.double_click(robot.header("s"))
    robot.type("X")
    robot.key(KEY.Key_Return)
    assert robot.document.diagram.graph["s"].name == "X_2"
    robot.document.undo()
    robot.double_click(robot.header("s"))
    editor = robot.canvas.entry.editor
    assert editor is not None
    editor.setText("a" * (limits.NAME_CHARACTERS + 1))
    robot.key(KEY.Key_Return)
    assert editor.reason
    robot.key(KEY.Key_Escape)
    assert robot.document.is_clean


def test_from_a_port_only_what_fits_is_offered(robot: Robot) -> None:
    robot.drag(robot.output("s"), robot.empty())
    box = robot.canvas.entry.add_box
    assert box is not None
    assert "exp" in box.offers
    for op in ("softmax", "matrix_transpose", "random_normal", "variable"):
        assert op not in box.offers
    robot.type("soft")
    assert "softmax" not in box.offers
    robot.key(KEY.Key_Escape)
    robot.drag(robot.output("B"), robot.empty())
    box = robot.canvas.entry.add_box
    assert box is not None
    assert "softmax" in box.offers
    robot.key(KEY.Key_Escape)


def test_a_constant_is_typed_into_an_open_input(robot: Robot) -> None:
    robot.document.edit(mark("edit", "x"), edits.disconnect, InPort("add", 1))
    robot.drag(robot.input("add", 1), robot.empty())
    robot.type("7")
    robot.key(KEY.Key_Return)
    source = robot.document.diagram.graph["add"].inputs[1]
    assert source is not None
    assert robot.document.diagram.values[source.node] == 7
    robot.document.undo()
    assert robot.document.diagram.graph["add"].inputs[1] is None


def test_the_add_box_lies_in_view_and_its_keys_stay_in_the_list(robot: Robot) -> None:
    corner = QPoint(robot.canvas.width() - 3, robot.canvas.height() - 3)
    robot.move(corner)
    robot.key(KEY.Key_Tab)
    box = robot.canvas.entry.add_box
    assert box is not None
    assert robot.canvas.rect().contains(box.geometry())
    for key in (KEY.Key_Up, KEY.Key_PageDown, KEY.Key_PageUp, KEY.Key_Down, KEY.Key_Down):
        robot.key(key)
    before = set(robot.document.diagram.graph.nodes)
    robot.key(KEY.Key_Tab)
    (new,) = set(robot.document.diagram.graph.nodes) - before
    assert robot.document.diagram.graph[new].op == box.offers[2]
    robot.document.undo()
    robot.canvas.entry.offer()
    robot.type("no such thing")
    robot.key(KEY.Key_Return)
    assert robot.canvas.entry.add_box is not None
    robot.click(robot.empty())
    assert robot.canvas.entry.add_box is None
    assert robot.document.is_clean


def test_the_window_borrows_the_focus_and_the_text_stays(robot: Robot) -> None:
    robot.double_click(robot.value("X"))
    robot.type("12")
    editor = robot.canvas.entry.editor
    assert editor is not None
    QTest.qWaitForWindowActive(robot.canvas)
    QApplication.sendPostedEvents()
    editor.clearFocus()
    assert robot.canvas.entry.editor is editor
    assert editor.text() == "12"
    editor.setFocus()
    robot.key(KEY.Key_Return)
    assert robot.document.diagram.values["X"][0, 0] == 12


def test_a_card_that_grows_covers_no_other_and_it_is_one_step(robot: Robot) -> None:
    from gradviz.edit.layout import card_boxes

    first = robot.add("variable", robot.header("B") + QPoint(320, -40))
    second = robot.add("variable", robot.header("B") + QPoint(320, 80))
    before = dict(robot.document.diagram.places)
    count = len(robot.document.history)
    robot.document.select(Selection(frozenset({first}), None, CellRef(first, "value", ())))
    robot.key(KEY.Key_Return)
    robot.focus().selectAll()
    robot.type("[[1,2,3],[4,5,6],[7,8,9]]")
    robot.key(KEY.Key_Return)
    boxes = card_boxes(robot.document.diagram, robot.canvas.sight.sizes())
    a, b = boxes[first], boxes[second]
    assert not (a.left < b.right and b.left < a.right and a.top < b.bottom and b.top < a.bottom)
    assert len(robot.document.history) == count + 1
    robot.document.undo()
    assert robot.document.diagram.places == before
