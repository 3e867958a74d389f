"""Everything one does to wires by the dozen, by pointer and by key, and what must be left behind: nothing."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QApplication

from gradviz.edit import edits
from gradviz.graph.model import InPort, Place
from gradviz.graph.routes import routes_of
from gradviz.graph.validate import validate
from gradviz.gui.canvas.edge_pan import FASTEST
from gradviz.gui.document import Selection
from gradviz.picture import curve
from gradviz.text import mark
from tests.support.robot import Robot

ALT, SHIFT, CTRL = (
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)
RIGHT = Qt.MouseButton.RightButton


def inputs(robot: Robot, name: str) -> list[str | None]:
    graph = robot.document.diagram.graph
    return [port and graph[port.node].name for port in graph[robot.id(name)].inputs]


def on_wire(robot: Robot, name: str, index: int = 0, share: float = 0.5) -> QPoint:
    wire = robot.canvas.sight.wire(InPort(robot.id(name), index))
    assert wire is not None
    return robot.screen(curve.point_at(wire.curve, share))


def across(robot: Robot, name: str, index: int = 0) -> tuple[QPoint, QPoint]:
    """A short stroke across one wire only."""
    at = on_wire(robot, name, index)
    return at + QPoint(0, -14), at + QPoint(0, 14)


def steps(robot: Robot) -> list[str]:
    return [str(entry.text) for entry in robot.document.history.entries]


@pytest.mark.parametrize(
    ("button", "modifiers"), [(RIGHT, CTRL), (Qt.MouseButton.LeftButton, ALT | SHIFT)]
)
def test_the_knife_cuts_what_it_crosses_in_one_step(robot: Robot, button, modifiers) -> None:
    robot.drag(*across(robot, "square"), modifiers, button)
    assert inputs(robot, "square") == [None]
    assert steps(robot) == ["Remove a wire"]
    robot.document.undo()
    assert inputs(robot, "square") == ["s"]


def test_one_stroke_cuts_several_wires(robot: Robot) -> None:
    left = on_wire(robot, "add", 0).x()
    ys = [on_wire(robot, "add", i, 0.9).y() for i in (0, 1)]
    x = robot.input("add").x() - 6
    robot.drag(QPoint(x, min(ys) - 20), QPoint(x, max(ys) + 20), CTRL, RIGHT)
    assert left
    assert inputs(robot, "add") == [None, None]
    assert steps(robot) == ["Cut wires"]


def test_k_takes_the_knife_for_one_stroke_and_esc_puts_it_away(robot: Robot) -> None:
    robot.canvas.armed = "knife"
    robot.drag(*across(robot, "square"))
    assert inputs(robot, "square") == [None]
    assert robot.canvas.armed == ""
    robot.document.undo()
    robot.canvas.armed = "knife"
    robot.key(Qt.Key.Key_Escape)
    assert robot.canvas.armed == ""
    robot.drag(*across(robot, "square"))
    assert inputs(robot, "square") == ["s"]


def test_a_stroke_that_meets_nothing_is_no_step(robot: Robot) -> None:
    at = robot.empty()
    robot.drag(at, at + QPoint(-30, 5), CTRL, RIGHT)
    assert steps(robot) == []
    assert robot.canvas.tool is None


@pytest.mark.parametrize("end", ["esc", "focus", "undo", "change"])
def test_a_stroke_that_is_broken_off_cuts_nothing(robot: Robot, end: str) -> None:
    start, stop = across(robot, "square")
    robot.press(start, CTRL, RIGHT)
    robot.move(stop)
    if end == "esc":
        robot.key(Qt.Key.Key_Escape)
    elif end == "focus":
        QApplication.sendEvent(
            robot.canvas, QFocusEvent(QFocusEvent.Type.FocusOut, Qt.FocusReason.OtherFocusReason)
        )
    elif end == "undo":
        assert robot.canvas.cancel_gesture()
    else:
        robot.document.edit(mark("edit", "Rename"), edits.rename, robot.id("s"), "total")
    robot.release(stop, CTRL, RIGHT)
    assert inputs(robot, "square")[0] in ("s", "total")
    assert robot.canvas.tool is None
    assert robot.canvas.armed == ""


def test_alt_and_a_click_break_a_wire_and_all_wires_of_a_port(robot: Robot) -> None:
    robot.click(on_wire(robot, "square"), ALT)
    assert inputs(robot, "square") == [None]
    robot.document.undo()
    robot.click(robot.output("s"), ALT)
    assert inputs(robot, "square") == [None]
    assert "s" not in inputs(robot, "add")
    assert steps(robot) == ["Remove wires"]
    robot.document.undo()
    robot.click(robot.input("square"), ALT)
    assert inputs(robot, "square") == [None]
    # A port without wires: nothing happens.
    robot.click(robot.output("B"), ALT)
    assert steps(robot) == ["Remove a wire"]


def test_ctrl_and_a_drag_move_all_wires_of_a_port(robot: Robot) -> None:
    robot.drag(robot.output("s"), robot.output("X"), CTRL)
    assert inputs(robot, "square") == ["X"]
    assert steps(robot) == ["Move wires"]
    robot.document.undo()
    assert inputs(robot, "square") == ["s"]


def test_moving_wires_says_why_not_and_leaves_them(robot: Robot) -> None:
    robot.press(robot.output("s"), CTRL)
    robot.move(robot.output("y") + QPoint(-20, 20), robot.output("y"))
    assert "would close a cycle" in robot.canvas.refusal
    robot.release(robot.output("y"), CTRL)
    assert inputs(robot, "square") == ["s"]
    assert robot.canvas.refusal == ""
    robot.drag(robot.output("s"), robot.empty(), CTRL)
    assert inputs(robot, "square") == ["s"]
    assert steps(robot) == []


def test_alt_and_a_drag_pull_a_card_out_of_its_wires(robot: Robot) -> None:
    before = robot.document.diagram.places[robot.id("square")]
    robot.drag(robot.header("square"), robot.header("square") + QPoint(40, 120), ALT)
    assert inputs(robot, "square") == [None]
    assert inputs(robot, "add").count("s") == 2
    assert robot.document.diagram.places[robot.id("square")].y > before.y
    assert steps(robot) == ["Pull out of the wires"]
    robot.document.undo()
    assert robot.document.diagram.places[robot.id("square")] == before
    assert inputs(robot, "square") == ["s"]


def test_a_wire_is_led_through_a_point_and_no_longer(robot: Robot) -> None:
    end = InPort(robot.id("square"), 0)
    at = on_wire(robot, "square")
    robot.double_click(at)
    (point,) = routes_of(robot.document.diagram)[end]
    assert robot.document.selection == Selection(wire=end)
    pin = robot.screen(point)
    assert (pin - at).manhattanLength() < 8
    robot.drag(pin, pin + QPoint(0, 80))
    (moved,) = routes_of(robot.document.diagram)[end]
    assert moved.y > point.y
    assert steps(robot) == ["Lead a wire", "Lead a wire"]
    # Painted, and hit, where it is now.
    assert robot.canvas.sight.wire_at(robot.screen(moved).toPointF()) == end
    robot.double_click(robot.screen(moved))
    assert routes_of(robot.document.diagram) == {}
    for _ in range(3):
        robot.document.undo()
    assert routes_of(robot.document.diagram) == {}


def test_esc_leaves_a_point_where_it_was(robot: Robot) -> None:
    end = InPort(robot.id("square"), 0)
    robot.double_click(on_wire(robot, "square"))
    before = routes_of(robot.document.diagram)
    pin = robot.screen(before[end][0])
    robot.press(pin)
    robot.move(pin + QPoint(0, 60))
    robot.key(Qt.Key.Key_Escape)
    robot.release(pin + QPoint(0, 60))
    assert routes_of(robot.document.diagram) == before
    assert robot.canvas.sight.wire(end).via == tuple(before[end])


def test_shift_and_a_right_drag_take_hold_of_every_wire_they_cross(robot: Robot) -> None:
    x = robot.input("add").x() - 6
    ys = [on_wire(robot, "add", i, 0.9).y() for i in (0, 1)]
    robot.drag(QPoint(x, min(ys) - 20), QPoint(x, max(ys) + 20), SHIFT, RIGHT)
    led = routes_of(robot.document.diagram)
    assert set(led) == {InPort(robot.id("add"), 0), InPort(robot.id("add"), 1)}
    assert steps(robot) == ["Lead wires"]


def test_points_of_the_selected_wire_move_by_arrows_as_one_step(robot: Robot) -> None:
    end = InPort(robot.id("square"), 0)
    robot.double_click(on_wire(robot, "square"))
    (before,) = routes_of(robot.document.diagram)[end]
    for _ in range(3):
        robot.key(Qt.Key.Key_Down)
    robot.key(Qt.Key.Key_Right, SHIFT)
    (after,) = routes_of(robot.document.diagram)[end]
    assert after == Place(before.x + 40, before.y + 12)
    robot.document.undo()
    assert routes_of(robot.document.diagram)[end] == (before,)


def test_a_busy_input_says_what_would_be_replaced_and_undo_brings_it_back(robot: Robot) -> None:
    robot.press(robot.output("X"))
    robot.move(robot.input("square") + QPoint(-30, 10), robot.input("square"))
    assert robot.canvas.refusal == "replaces s → square"
    robot.release(robot.input("square"))
    assert inputs(robot, "square") == ["X"]
    assert robot.canvas.refusal == ""
    robot.document.undo()
    assert inputs(robot, "square") == ["s"]


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_view_moves_while_something_is_dragged_at_its_edge(robot: Robot) -> None:
    clock = robot.canvas.edge_pan.clock = Clock()
    robot.press(robot.header("B"))
    edge = QPoint(robot.canvas.width() + 10, robot.header("B").y())
    robot.move(robot.header("B") + QPoint(20, 0), edge)
    assert robot.canvas.edge_pan.is_on
    camera = robot.canvas.camera
    place = robot.canvas.moved[robot.id("B")]
    clock.now += 0.04
    robot.canvas.edge_pan.tick()
    by = robot.canvas.camera.x - camera.x
    assert by == pytest.approx(FASTEST * 0.04 / camera.scale)
    # The card stays under the pointer.
    assert robot.canvas.moved[robot.id("B")].x == pytest.approx(place.x + by, abs=2)
    # After a pause the view does not leap.
    clock.now += 60
    robot.canvas.edge_pan.tick()
    assert robot.canvas.camera.x - camera.x < FASTEST * 0.1 / camera.scale
    robot.move(QPoint(400, 300))
    assert not robot.canvas.edge_pan.is_on
    robot.move(edge)
    robot.release(edge)
    assert not robot.canvas.edge_pan.is_on
    robot.document.undo()
    assert robot.canvas.camera.x > camera.x


def test_the_edge_does_not_pull_without_a_drag_or_while_panning(robot: Robot) -> None:
    edge = QPoint(2, 300)
    robot.move(edge)
    assert not robot.canvas.edge_pan.is_on
    robot.press(QPoint(300, 300), button=Qt.MouseButton.MiddleButton)
    robot.move(edge)
    assert not robot.canvas.edge_pan.is_on
    robot.release(edge, button=Qt.MouseButton.MiddleButton)


def test_the_wheel_works_while_a_wire_is_drawn(robot: Robot) -> None:
    robot.press(robot.output("B"))
    robot.move(QPoint(500, 400))
    robot.wheel(QPoint(500, 400), 120)
    robot.wheel(QPoint(500, 400), 0, pixels=QPoint(40, 20))
    assert robot.canvas.tool is not None
    target = robot.input("s")
    robot.move(target)
    robot.release(target)
    assert inputs(robot, "s") == ["B"]
    validate(robot.document.diagram)
