"""Gestures with the wrong things: pressed early, dragged off, undone halfway, with the other hand, by keys alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.edit import edits
from gradviz.graph.model import Diagram, InPort, OutPort, Place
from gradviz.gui.canvas.wiring import Wire
from gradviz.gui.document import CellRef, Selection
from gradviz.text import mark
from tests.support.robot import Robot

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
KEY = Qt.Key
MIDDLE, RIGHT = Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton


@pytest.fixture
def large(robot: Robot, qtbot) -> Robot:
    """A document that a worker computes."""
    diagram = robot.document.diagram
    for number in range(320):
        diagram, _ = edits.add_node(diagram, "exp", Place(40.0 * number, 3000.0))
    with qtbot.waitSignal(robot.document.answered):
        robot.document.start(diagram)
    robot.canvas.zoom_to(0.9)
    return robot


@contextmanager
def no_answer(robot: Robot, qtbot) -> Iterator[None]:
    """The worker is busy meanwhile; afterwards, the answer comes."""
    go_on = Event()
    robot.document._worker.submit(go_on.wait)
    with qtbot.waitSignal(robot.document.answered):
        try:
            yield
            assert robot.document.computing
        finally:
            go_on.set()


def test_cards_that_are_gone_while_the_answer_is_awaited_are_no_more_for_gestures(
    large: Robot, qtbot
) -> None:
    robot = large
    places = (robot.output("B"), robot.header("s"), robot.input("s"), robot.value("B", 1, 1))
    with no_answer(robot, qtbot):
        robot.document.edit(mark("edit", "Delete"), edits.delete, ["B", "s"])
        for at in places:
            robot.drag(at, at + QPoint(60, 60))
            robot.canvas.cancel_gesture()
            robot.double_click(at)
            robot.canvas.cancel_gesture()
            robot.click(at, button=RIGHT)
        robot.click(robot.output("X"))
        robot.move(*places)
        robot.canvas.cancel_gesture()
        robot.canvas.grab()
    assert robot.document.undo_text == "Delete"


def test_a_card_stays_where_it_was_put_while_the_answer_is_awaited(large: Robot, qtbot) -> None:
    before = large.card("X")
    with no_answer(large, qtbot):
        large.drag(large.header("X"), large.header("X") + QPoint(36, 36))
        moved = large.card("X")
    assert moved != before
    assert large.card("X") == moved


def test_a_shape_that_changes_while_the_answer_is_awaited_is_edited_from_its_first_cell(
    large: Robot, qtbot
) -> None:
    with no_answer(large, qtbot):
        large.document.edit(mark("edit", "x"), edits.set_value, "X", [[5.0]])
        large.double_click(large.value("X", 2, 2))
        assert large.document.selection.cell == CellRef("X", "value", (0, 0))
        large.key(KEY.Key_Escape)


def test_a_value_without_numbers_can_be_given_some(robot: Robot) -> None:
    robot.document.select(Selection(frozenset({"B"})))
    robot.document.edit(mark("edit", "x"), edits.set_value, "B", [[]])
    robot.key(KEY.Key_Return)
    editor = robot.canvas.entry.editor
    assert editor is not None
    robot.type("3")
    robot.key(KEY.Key_Return)
    assert editor.reason
    editor.setText("[[3]]")
    robot.key(KEY.Key_Return)
    assert robot.document.diagram.values["B"].tolist() == [[3]]


@pytest.mark.parametrize("gesture", ["move", "box", "wire", "pan", "add", "edit", "key wire"])
def test_another_diagram_ends_whatever_is_under_way(robot: Robot, gesture: str) -> None:
    start = {"move": robot.header("s"), "wire": robot.output("B")}.get(gesture, robot.empty())
    if gesture == "add":
        robot.canvas.entry.offer()
    elif gesture == "edit":
        robot.double_click(robot.value("X"))
    elif gesture == "key wire":
        robot.document.select(Selection(frozenset({"s"})))
        robot.key(KEY.Key_C)
    else:
        robot.press(start, button=MIDDLE if gesture == "pan" else Qt.MouseButton.LeftButton)
        robot.move(start + QPoint(30, 30))
    robot.document.start(Diagram())
    robot.canvas.grab()
    assert robot.canvas.tool is None
    robot.move(QPoint(100, 100))
    robot.release(QPoint(100, 100))
    robot.key(KEY.Key_Return)
    assert robot.document.is_clean
    assert not robot.document.diagram.graph.nodes


def test_undo_in_the_midst_of_a_gesture_ends_the_gesture_only(robot: Robot) -> None:
    robot.click(robot.value("X", 0, 0))
    robot.type("5")
    robot.key(KEY.Key_Return)
    for at in (robot.header("s"), robot.output("B"), robot.empty()):
        robot.press(at)
        robot.move(at + QPoint(20, 20), at + QPoint(40, 40))
        # What the window does for Ctrl+Z.
        assert robot.canvas.cancel_gesture()
        robot.release(at + QPoint(40, 40))
        assert robot.document.undo_text == "Change a value"
    assert not robot.canvas.cancel_gesture()


@pytest.mark.parametrize("button", [MIDDLE, RIGHT])
def test_another_button_in_the_midst_of_a_gesture_ends_it(robot: Robot, button) -> None:
    camera = robot.canvas.camera
    for at in (robot.header("s"), robot.output("B"), robot.empty()):
        robot.press(at)
        robot.move(at + QPoint(20, 20))
        robot.press(at + QPoint(20, 20), button=button)
        assert robot.canvas.tool is None
        robot.move(at + QPoint(90, 90))
        robot.release(at + QPoint(90, 90), button=button)
        robot.release(at + QPoint(90, 90))
    assert robot.document.is_clean
    assert robot.canvas.camera == camera


def test_two_clicks_draw_a_wire_and_a_third_button_drops_it(robot: Robot) -> None:
    robot.click(robot.output("B"))
    assert isinstance(robot.canvas.tool, Wire)
    robot.click(robot.input("square"))
    assert robot.document.diagram.graph["square"].inputs == (OutPort("B"),)
    robot.document.undo()
    robot.click(robot.output("B"))
    robot.click(robot.empty(), button=RIGHT)
    assert robot.canvas.tool is None
    assert robot.document.is_clean


def test_a_wire_let_go_over_a_card_without_inputs_says_so(robot: Robot, qtbot) -> None:
    robot.press(robot.output("s"))
    at = robot.header("X")
    robot.move(at)
    said = "X is not computed from anything: no wire can end there."
    assert robot.canvas.refusal == said
    with qtbot.waitSignal(robot.canvas.status_hint) as hint:
        robot.release(at)
    assert hint.args == [said]
    assert robot.canvas.entry.add_box is None
    assert robot.canvas.refusal == ""
    assert robot.document.is_clean


def test_a_wire_let_go_over_its_own_card_is_nothing(robot: Robot) -> None:
    robot.drag(robot.output("B"), robot.header("B"))
    assert robot.canvas.entry.add_box is None
    assert robot.canvas.tool is None
    assert robot.document.is_clean


def test_a_wire_picked_up_and_put_back_is_no_step(robot: Robot) -> None:
    robot.press(robot.input("square"))
    robot.move(robot.empty(), robot.input("square"))
    robot.release(robot.input("square"))
    assert robot.document.is_clean


def test_a_busy_input_is_taken_over(robot: Robot) -> None:
    robot.wire("X", "square")
    assert robot.document.diagram.graph["square"].inputs == (OutPort("X"),)
    assert robot.document.undo_text == "Connect"


def test_lost_focus_ends_a_gesture_but_a_menu_does_not(robot: Robot) -> None:
    robot.press(robot.header("s"))
    robot.move(robot.header("s") + QPoint(30, 30))
    popup = QFocusEvent(QEvent.Type.FocusOut, Qt.FocusReason.PopupFocusReason)
    QApplication.sendEvent(robot.canvas, popup)
    assert robot.canvas.tool is not None
    other = QFocusEvent(QEvent.Type.FocusOut, Qt.FocusReason.ActiveWindowFocusReason)
    QApplication.sendEvent(robot.canvas, other)
    assert robot.canvas.tool is None
    robot.release(QPoint(5, 5))
    assert robot.document.is_clean


def test_the_wheel_zooms_and_two_fingers_pan(robot: Robot) -> None:
    at = QPoint(300, 200)
    under = robot.canvas.camera.to_canvas(QPointF(at))
    scale = robot.canvas.camera.scale
    robot.wheel(at, 120)
    assert robot.canvas.camera.scale > scale
    assert robot.canvas.camera.to_canvas(QPointF(at)) == pytest.approx(under)
    scale = robot.canvas.camera.scale
    robot.wheel(at, 0, pixels=QPoint(30, -20))
    assert robot.canvas.camera.scale == scale
    assert robot.canvas.camera.to_screen(under).toPoint() == at + QPoint(30, -20)
    robot.wheel(at, 40, CTRL, pixels=QPoint(0, 10))
    assert robot.canvas.camera.scale > scale
    scale = robot.canvas.camera.scale
    robot.pinch(at, 0.2)
    assert robot.canvas.camera.scale == pytest.approx(1.2 * scale)
    robot.pinch(at, 0, Qt.NativeGestureType.SmartZoomNativeGesture)
    assert robot.canvas.sight.view().contains_rect(robot.canvas.sight.frame().bounds)


def test_zoom_has_ends(robot: Robot) -> None:
    for turn in (12000, -12000, 0):
        for _ in range(20):
            robot.wheel(QPoint(600, 300), turn)
        assert 0.04 < robot.canvas.camera.scale < 9
        robot.canvas.grab()
    robot.canvas.fit_all()
    robot.pinch(QPoint(5, 5), -2.0)
    assert robot.canvas.camera.scale > 0.04


def test_a_dragged_card_stays_under_the_pointer_while_the_wheel_turns(robot: Robot) -> None:
    start = robot.header("s")
    robot.press(start)
    robot.move(start + QPoint(40, 40))
    robot.wheel(start + QPoint(40, 40), 240)
    robot.move(start + QPoint(44, 44))
    robot.release(start + QPoint(44, 44))
    robot.document.undo()
    assert robot.document.is_clean


def test_keys_alone_draw_a_wire_or_add_what_takes_it(robot: Robot, qtbot) -> None:
    with qtbot.waitSignal(robot.canvas.status_hint) as hint:
        robot.key(KEY.Key_C)
    assert "Select the node" in hint.args[0]
    robot.document.select(Selection(frozenset({"B"})))
    robot.key(KEY.Key_C)
    tool = robot.canvas.tool
    assert isinstance(tool, Wire)
    seen = set()
    for _ in range(12):
        assert tool.over is not None
        assert tool.targets.refusal(tool.over) is None
        seen.add(tool.over)
        robot.key(KEY.Key_Down)
    assert len(seen) > 2
    robot.key(KEY.Key_Up)
    robot.key(KEY.Key_Escape)
    assert robot.document.is_clean
    robot.key(KEY.Key_C)
    robot.key(KEY.Key_Tab)
    robot.type("relu")
    robot.key(KEY.Key_Return)
    assert robot.document.diagram.graph[robot.id("relu")].inputs == (OutPort("B"),)
    robot.document.undo()
    assert robot.document.is_clean


def test_keys_can_end_a_wire_that_the_mouse_began(robot: Robot) -> None:
    robot.click(robot.output("B"))
    robot.move(robot.input("square"))
    robot.key(KEY.Key_Return)
    assert robot.canvas.tool is None
    assert robot.document.diagram.graph["square"].inputs == (OutPort("B"),)
    robot.document.undo()
    robot.press(robot.input("square"))
    robot.move(robot.empty())
    robot.canvas.entry.offer()
    robot.key(KEY.Key_Escape)
    robot.release(robot.empty())
    assert robot.document.is_clean


def test_a_wire_with_nothing_to_end_at_says_so(robot: Robot, qtbot) -> None:
    robot.document.select(Selection(frozenset({"y"})))
    for id in ("s", "add", "square", "y"):
        robot.document.edit(mark("edit", "x"), edits.delete, [id] if id != "y" else [])
    robot.document.select(Selection(frozenset({robot.id("y")})))
    with qtbot.waitSignal(robot.canvas.status_hint) as hint:
        robot.key(KEY.Key_C)
    assert "Nothing in view takes this wire" in hint.args[0]
    robot.key(KEY.Key_Down)
    robot.key(KEY.Key_Return)
    assert robot.canvas.tool is None


def test_nudges_of_other_nodes_are_other_steps(robot: Robot) -> None:
    for name in ("B", "s"):
        robot.document.select(Selection(frozenset({name})))
        robot.key(KEY.Key_Right)
        robot.key(KEY.Key_Right, SHIFT)
    robot.document.undo()
    assert not robot.document.is_clean
    robot.document.undo()
    assert robot.document.is_clean


def test_tab_leaves_a_canvas_that_was_come_to_by_tab(robot: Robot) -> None:
    robot.canvas.clearFocus()
    robot.canvas.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(robot.canvas, KEY.Key_Tab)
    assert robot.canvas.entry.add_box is None
    robot.canvas.setFocus()
    robot.move(robot.empty())
    QTest.keyClick(robot.canvas, KEY.Key_Tab)
    assert robot.canvas.entry.add_box is not None
    robot.key(KEY.Key_Escape)


def test_typing_is_no_walk_by_tab(robot: Robot) -> None:
    robot.add("exp")
    assert robot.canvas.pointer.is_last
    assert robot.canvas.hasFocus()
    robot.type_value("X", "5")
    assert robot.canvas.pointer.is_last
    assert robot.canvas.hasFocus()
    robot.key(KEY.Key_Down)
    assert not robot.canvas.pointer.is_last


def test_space_that_began_in_a_gesture_or_lost_the_focus_does_not_play(robot: Robot, qtbot) -> None:
    with qtbot.assertNotEmitted(robot.canvas.space_tapped):
        robot.press(robot.header("s"))
        robot.move(robot.header("s") + QPoint(20, 20))
        QTest.keyPress(robot.canvas, KEY.Key_Space)
        QTest.keyRelease(robot.canvas, KEY.Key_Space)
        robot.key(KEY.Key_Escape)
        robot.release(QPoint(5, 5))
        QTest.keyPress(robot.canvas, KEY.Key_Space)
        robot.canvas.clearFocus()
        robot.canvas.setFocus()
        QTest.keyRelease(robot.canvas, KEY.Key_Space)
    with qtbot.waitSignal(robot.canvas.space_tapped):
        robot.key(KEY.Key_Space)
    assert robot.document.is_clean


def test_a_right_click_asks_for_a_menu_and_a_right_drag_pans(robot: Robot, qtbot) -> None:
    with qtbot.waitSignal(robot.canvas.context_requested):
        robot.click(robot.header("s"), button=RIGHT)
    assert robot.document.selection.only == "s"
    with qtbot.waitSignal(robot.canvas.context_requested):
        robot.click(robot.empty(), button=RIGHT)
    assert robot.document.selection == Selection()
    camera = robot.canvas.camera
    with qtbot.assertNotEmitted(robot.canvas.context_requested):
        robot.drag(robot.header("s"), robot.header("s") + QPoint(50, 20), button=RIGHT)
    assert robot.canvas.camera != camera
    assert robot.document.is_clean


def test_the_pointer_that_left_marks_nothing(robot: Robot) -> None:
    robot.move(robot.output("B"))
    assert robot.canvas.cursor().shape() is Qt.CursorShape.CrossCursor
    QApplication.sendEvent(robot.canvas, QEvent(QEvent.Type.Leave))
    assert robot.canvas.cursor().shape() is Qt.CursorShape.ArrowCursor


def test_the_pointer_is_over_nothing_that_is_gone(robot: Robot) -> None:
    robot.move(robot.input("s"))
    assert robot.canvas.pointer.hover is not None
    robot.document.edit(mark("edit", "Delete"), edits.delete, ["s"])
    assert robot.canvas.pointer.hover is None
    assert robot.canvas.cursor().shape() is Qt.CursorShape.ArrowCursor
    robot.document.undo()
    robot.move(robot.input("s") + QPoint(2, 0))
    assert robot.canvas.pointer.hover is not None


def test_escape_on_nothing_is_nothing(robot: Robot) -> None:
    for key in (KEY.Key_Escape, KEY.Key_Return, KEY.Key_C, KEY.Key_Up, KEY.Key_F5, KEY.Key_A):
        robot.key(key)
    robot.canvas.delete_selection()
    assert robot.canvas.tool is None
    assert robot.document.is_clean


def test_a_selected_wire_survives_what_happens_to_its_end(robot: Robot) -> None:
    robot.document.select(Selection(wire=InPort("square", 0)))
    robot.document.edit(mark("edit", "x"), edits.delete, ["square"])
    robot.canvas.grab()
    robot.canvas.delete_selection()
    robot.document.undo()
    assert robot.document.is_clean
