"""Building on the canvas with real mouse and key events, the wrong things too."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from gradviz.graph.model import Diagram, InPort, OutPort, Place
from gradviz.gui import paste
from gradviz.gui.canvas.wiring import Wire
from gradviz.gui.document import CellRef, Selection
from tests.support.robot import Robot

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
RIGHT = Qt.MouseButton.RightButton


def test_a_click_selects_and_a_click_on_nothing_selects_nothing(robot: Robot) -> None:
    robot.click(robot.header("s"))
    assert robot.document.selection == Selection(frozenset({"s"}))
    robot.click(robot.empty())
    assert robot.document.selection == Selection()


def test_ctrl_toggles_and_shift_adds(robot: Robot) -> None:
    robot.click(robot.header("s"))
    robot.click(robot.header("X"), SHIFT)
    assert robot.document.selection.nodes == {"s", "X"}
    robot.click(robot.header("s"), CTRL)
    assert robot.document.selection.nodes == {"X"}


def test_a_click_on_a_cell_selects_the_cell(robot: Robot) -> None:
    robot.click(robot.value("X", 1, 2))
    assert robot.document.selection.cell == CellRef("X", "value", (1, 2))
    robot.click(robot.gradient("X", 2, 0))
    assert robot.document.selection.cell == CellRef("X", "gradient", (2, 0))
    robot.key(Qt.Key.Key_Up)
    assert robot.document.selection.cell == CellRef("X", "gradient", (1, 0))


def test_dragging_moves_all_selected_cards_on_the_grid_in_one_step(robot: Robot) -> None:
    robot.click(robot.header("s"))
    robot.click(robot.header("B"), SHIFT)
    before = {name: robot.card(name) for name in ("s", "B", "X")}
    robot.drag(robot.header("B"), robot.header("B") + QPoint(37, 21))
    assert robot.document.undo_text == "Move"
    moved = {
        name: (robot.card(name)[0] - before[name][0], robot.card(name)[1] - before[name][1])
        for name in before
    }
    assert moved["X"] == (0, 0)
    assert moved["s"] == moved["B"] != (0, 0)
    assert moved["s"][0] % 4 == 0
    robot.document.undo()
    assert robot.card("s") == before["s"]
    assert robot.document.is_clean


@pytest.mark.parametrize("stop", ["escape", "right click", "focus"])
def test_a_drag_that_is_dropped_leaves_nothing(robot: Robot, stop: str) -> None:
    start = robot.header("s")
    robot.press(start)
    robot.move(start + QPoint(40, 40), start + QPoint(60, 60))
    if stop == "escape":
        robot.key(Qt.Key.Key_Escape)
    elif stop == "right click":
        robot.press(start + QPoint(60, 60), button=RIGHT)
    else:
        robot.canvas.clearFocus()
    assert robot.canvas.tool is None
    robot.release(start + QPoint(60, 60))
    assert robot.document.is_clean


def test_dragging_off_the_edge_and_back_is_one_move(robot: Robot) -> None:
    start = robot.header("s")
    robot.press(start)
    robot.move(QPoint(-500, -500), QPoint(5000, 5000), start + QPoint(8, 0))
    robot.release(start + QPoint(8, 0))
    assert robot.document.undo_text == "Move"
    robot.document.undo()
    assert robot.document.is_clean


def test_box_selection(robot: Robot) -> None:
    robot.press(QPoint(2, 2))
    robot.move(QPoint(600, 400), QPoint(1198, 718))
    assert robot.document.selection.nodes == frozenset(robot.document.diagram.graph.nodes)
    robot.key(Qt.Key.Key_Escape)
    assert robot.document.selection == Selection()


def test_a_wire_is_drawn_and_turns_none_into_numbers(robot: Robot) -> None:
    robot.wire("B", "s")
    assert robot.document.diagram.graph["s"].inputs == (OutPort("B"),)
    assert robot.document.undo_text == "Connect"
    assert (robot.document.answer.adjoint(OutPort("B")) == 21).all()
    robot.document.undo()
    assert robot.document.is_clean


def test_a_wire_may_be_drawn_from_its_end_and_by_two_clicks(robot: Robot) -> None:
    new = robot.add("sum")
    robot.drag(robot.input(new), robot.output("B"))
    assert robot.document.diagram.graph[new].inputs == (OutPort("B"),)
    other = robot.add("exp")
    robot.click(robot.output("B"))
    assert isinstance(robot.canvas.tool, Wire)
    robot.move(robot.input(other))
    robot.click(robot.input(other))
    assert robot.canvas.tool is None
    assert robot.document.diagram.graph[other].inputs == (OutPort("B"),)


def test_a_refused_wire_says_why_and_changes_nothing(robot: Robot, qtbot) -> None:
    with qtbot.waitSignal(robot.document.refused) as refused:
        robot.wire("y", "s")
    assert "cycle: s → add → y" in str(refused.args[0])
    assert robot.document.is_clean


def test_while_a_wire_is_held_over_a_bad_port_the_reason_is_shown(robot: Robot) -> None:
    product = robot.add("matmul")
    robot.wire("X", product)
    robot.press(robot.output("B"))
    robot.move(robot.output("B") + QPoint(30, 0), robot.input(product, 1))
    assert robot.canvas.refusal == "a is 3×3, b is 2×2: inner sizes 3 and 2 must be equal."
    robot.key(Qt.Key.Key_Escape)
    assert robot.canvas.refusal == ""
    robot.release(QPoint(5, 5))


def test_an_end_is_moved_and_dropped_on_nothing_removed(robot: Robot) -> None:
    robot.drag(robot.input("add", 0), robot.empty())
    assert robot.document.diagram.graph["add"].inputs[0] is None
    assert robot.document.undo_text == "Remove a wire"
    robot.document.undo()
    new = robot.add("exp")
    robot.drag(robot.input("add", 0), robot.input(new))
    assert robot.document.diagram.graph[new].inputs == (OutPort("square"),)
    assert robot.document.diagram.graph["add"].inputs[0] is None
    assert robot.document.undo_text == "Move a wire"


def test_a_wire_dropped_on_nothing_offers_what_fits_and_connects_it(robot: Robot) -> None:
    robot.drag(robot.output("B"), robot.empty())
    box = robot.canvas.entry.add_box
    assert box is not None
    assert "sum" in box.offers
    assert "variable" not in box.offers
    steps = robot.document.undo_text
    robot.type("relu")
    robot.key(Qt.Key.Key_Return)
    assert robot.document.undo_text != steps
    assert robot.document.diagram.graph["relu"].inputs == (OutPort("B"),)
    robot.document.undo()
    assert robot.document.is_clean


def test_a_selected_wire_is_deleted(robot: Robot) -> None:
    wire = next(w for w in robot.canvas.sight.frame().wires if w.id == "y:0")
    from gradviz.picture.curve import curve, point_at

    robot.click(robot.screen(point_at(curve(wire.start, wire.end), 0.5)))
    assert robot.document.selection.wire == InPort("y", 0)
    robot.canvas.delete_selection()
    assert robot.document.diagram.graph["y"].inputs[0] is None
    assert robot.document.selection == Selection()


def test_deleting_nodes_and_undoing_brings_all_back(robot: Robot) -> None:
    before = robot.document.diagram
    robot.click(robot.header("s"))
    robot.canvas.delete_selection()
    assert "s" not in robot.document.diagram.graph
    robot.document.undo()
    assert robot.document.diagram is before
    assert robot.document.selection.only == "s"


def test_typing_into_a_cell(robot: Robot) -> None:
    robot.type_value("X", "5", 0, 1)
    assert robot.document.diagram.values["X"][0, 1] == 5
    assert robot.document.undo_text == "Change a value"
    assert (robot.document.answer.adjoint(OutPort("X")) == 17).all()


def test_a_selected_cell_takes_the_first_digit_and_tab_goes_on(robot: Robot) -> None:
    robot.click(robot.value("X", 0, 0))
    robot.type("7")
    robot.key(Qt.Key.Key_Tab)
    robot.type("8")
    robot.key(Qt.Key.Key_Return)
    assert robot.document.diagram.values["X"][0].tolist() == [7, 8, -1]


def test_typing_a_table_changes_the_shape_in_one_step(robot: Robot) -> None:
    robot.type_value("X", "[[1,2],[3,4]]")
    assert robot.document.diagram.values["X"].tolist() == [[1, 2], [3, 4]]
    robot.document.undo()
    assert robot.document.diagram.values["X"].shape == (3, 3)


def test_rubbish_stays_with_its_reason_and_escape_gives_up(robot: Robot) -> None:
    robot.type_value("X", "rubbish")
    editor = robot.canvas.entry.editor
    assert editor is not None
    assert editor.text() == "rubbish"
    assert "rubbish is not a number" in editor.reason
    robot.key(Qt.Key.Key_Escape)
    assert robot.canvas.entry.editor is None
    assert robot.document.is_clean


def test_a_computed_cell_says_that_it_is_computed(robot: Robot, qtbot) -> None:
    with qtbot.waitSignal(robot.canvas.status_hint) as hint:
        robot.double_click(robot.value("s"))
    assert "computed" in hint.args[0]
    assert robot.canvas.entry.editor is None


def test_renaming_by_double_click_on_the_header(robot: Robot) -> None:
    robot.double_click(robot.header("s"))
    editor = robot.canvas.entry.editor
    assert editor is not None
    editor.selectAll()
    robot.type("total")
    robot.key(Qt.Key.Key_Return)
    assert robot.document.diagram.graph["s"].name == "total"
    robot.double_click(robot.header("total"))
    assert robot.canvas.entry.editor is not None
    robot.canvas.entry.editor.setText("")
    robot.key(Qt.Key.Key_Return)
    assert robot.canvas.entry.editor is not None
    robot.key(Qt.Key.Key_Escape)
    assert robot.document.diagram.graph["s"].name == "total"


def test_a_literal_is_edited_in_place(robot: Robot) -> None:
    (literal,) = (n.id for n in robot.document.diagram.graph if n.op == "constant")
    look = robot.canvas.sight.look(literal)
    assert look is not None
    robot.double_click(robot.screen((look.place.x + 20, look.place.y + 14)))
    assert robot.canvas.entry.editor is not None
    robot.canvas.entry.editor.selectAll()
    robot.type("4")
    robot.key(Qt.Key.Key_Return)
    assert robot.document.diagram.values[literal] == 4
    assert robot.document.answer.value(OutPort("y")) == 8


def test_tab_adds_after_the_pointer_and_leaves_after_a_key(robot: Robot) -> None:
    robot.move(robot.empty())
    robot.key(Qt.Key.Key_Tab)
    assert robot.canvas.entry.add_box is not None
    robot.key(Qt.Key.Key_Escape)
    assert robot.canvas.entry.add_box is None
    robot.key(Qt.Key.Key_Left)
    QTest.keyClick(robot.canvas, Qt.Key.Key_Tab)
    assert robot.canvas.entry.add_box is None


@pytest.mark.parametrize(
    ("typed", "op"),
    [
        ("reduce_sum", "sum"),
        ("mm", "matmul"),
        ("@", "matmul"),
        ("ReLU", "relu"),
        ("Σ", "sum"),
        ("pow", "power"),
    ],
)
def test_an_op_is_found_by_name_sign_and_alias(robot: Robot, typed: str, op: str) -> None:
    new = robot.add(typed)
    assert robot.document.diagram.graph[new].op == op


def test_digits_make_a_constant(robot: Robot) -> None:
    robot.click(robot.empty())
    robot.type("2")
    assert robot.canvas.entry.add_box is not None
    robot.type(".5")
    robot.key(Qt.Key.Key_Return)
    (new,) = (
        n.id
        for n in robot.document.diagram.graph
        if n.op == "constant" and robot.document.diagram.values[n.id] == 2.5
    )
    assert robot.document.selection.only == new


def test_new_nodes_never_land_on_others(robot: Robot) -> None:
    at = robot.empty()
    made = [robot.add("exp", at) for _ in range(3)]
    assert len({robot.document.diagram.places[id] for id in made}) == 3


def test_wiring_by_keys_alone(robot: Robot) -> None:
    robot.document.select(Selection(frozenset({"B"})))
    robot.key(Qt.Key.Key_C)
    robot.key(Qt.Key.Key_Down)
    robot.key(Qt.Key.Key_Return)
    assert robot.document.undo_text == "Connect"
    assert robot.document.diagram.graph.consumers.get(OutPort("B"))


def test_arrows_nudge_and_merge_into_one_step(robot: Robot) -> None:
    robot.document.select(Selection(frozenset({"B"})))
    x = robot.document.diagram.places["B"].x
    for _ in range(3):
        robot.key(Qt.Key.Key_Right)
    assert robot.document.diagram.places["B"].x == x + 12
    robot.document.undo()
    assert robot.document.is_clean


def test_the_wheel_zooms_at_the_pointer_and_the_middle_button_pans(robot: Robot) -> None:
    camera = robot.canvas.sight.camera
    at = QPointF(300, 200)
    before = camera.to_canvas(at)
    robot.canvas.zoom_by(1.5, at)
    assert robot.canvas.sight.camera.to_canvas(at) == pytest.approx(before)
    robot.drag(QPoint(300, 200), QPoint(350, 240), button=Qt.MouseButton.MiddleButton)
    assert robot.canvas.sight.camera.to_screen(before).toPoint() == QPoint(350, 240)
    robot.canvas.zoom_to(1.0)
    assert robot.canvas.sight.camera.scale == 1
    robot.canvas.fit_all()
    assert robot.document.is_clean


def test_space_taps_unless_it_pans(robot: Robot, qtbot) -> None:
    with qtbot.waitSignal(robot.canvas.space_tapped):
        robot.key(Qt.Key.Key_Space)
    QTest.keyPress(robot.canvas, Qt.Key.Key_Space)
    before = robot.canvas.sight.camera
    robot.drag(QPoint(100, 100), QPoint(140, 100))
    with qtbot.assertNotEmitted(robot.canvas.space_tapped):
        QTest.keyRelease(robot.canvas, Qt.Key.Key_Space)
    assert robot.canvas.sight.camera != before


def test_a_step_of_the_film_never_moves_the_camera(robot: Robot) -> None:
    camera = robot.canvas.sight.camera
    player = robot.player
    for position in range(len(player.timeline) + 1):
        player.seek(position)
        robot.canvas.grab()
    assert robot.canvas.sight.camera == camera


def test_pasting_numbers_nodes_and_mathematics(robot: Robot) -> None:
    clipboard = QGuiApplication.clipboard()
    clipboard.setText("1\t2\n3\t4")
    assert robot.paste() is None
    assert robot.document.undo_text == "Paste numbers"
    robot.document.undo()
    robot.document.select(Selection(frozenset({"X"})))
    clipboard.setText("[[5, 6]]")
    robot.paste()
    assert robot.document.diagram.values["X"].tolist() == [[5, 6]]
    robot.document.undo()
    robot.document.select(Selection(frozenset({"s", "square"})))
    assert paste.copy(robot.document)
    count = len(robot.document.diagram.graph)
    assert robot.paste() is None
    assert len(robot.document.diagram.graph) == count + 2
    robot.document.undo()
    robot.document.select(Selection())
    clipboard.setText("z = sin(x)")
    assert robot.paste() is None
    assert robot.document.diagram.node_called("z").op == "sin"
    robot.document.undo()
    assert robot.document.is_clean
    clipboard.setText("not ; anything [ known")
    assert robot.paste() is not None
    assert robot.document.is_clean


def test_expressions_build_and_rebuild(robot: Robot) -> None:
    place = robot.document.diagram.places["s"]
    sizes = lambda _: {}  # noqa: E731
    paste.build_expression(robot.document, "y = sum(X)**2 + 3*sum(X)", sizes)
    assert robot.document.diagram.places["s"] == place
    assert robot.document.answer.value(OutPort(robot.id("y"))) == 18
    robot.document.undo()
    assert robot.document.is_clean
    paste.build_expression(robot.document, "w = A @ B2", sizes)
    assert robot.document.answer.specs[OutPort(robot.id("A"))] is not None
    assert robot.document.diagram.values[robot.id("A")].shape == (3, 3)


def test_a_fragment_of_places_is_kept_inside_the_limits(robot: Robot) -> None:
    from gradviz.edit import edits
    from gradviz.text import mark

    robot.document.edit(mark("edit", "Move"), edits.move, {"X": Place(1e9, 0)})
    assert robot.document.diagram.places["X"].x <= 1e6


def test_everything_paints_at_every_zoom(robot: Robot) -> None:
    for scale in (0.06, 0.3, 1.0, 6.0):
        robot.canvas.zoom_to(scale)
        assert not robot.canvas.grab().isNull()
    robot.document.start(Diagram())
    assert not robot.canvas.grab().isNull()
    assert np.isfinite(robot.canvas.sight.camera.x)
