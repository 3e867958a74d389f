"""The handle of a number: drag it, or step it by keys; one step to undo, and everything follows at once."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt

from gradviz.edit import edits
from gradviz.graph.model import OutPort
from gradviz.gui.canvas.dragging import step_of, stepped
from gradviz.text import mark
from tests.support.robot import Robot

ALT, SHIFT, CTRL = (
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)


def handle(robot: Robot) -> QPoint:
    rect = robot.canvas.handle()
    assert rect is not None
    return robot.screen(rect.center)


def x(robot: Robot) -> float:
    return float(robot.document.diagram.values[robot.id("X")][1, 0])


def choose(robot: Robot) -> None:
    robot.click(robot.value("X", 1, 0))


def steps(robot: Robot) -> list[str]:
    return [str(entry.text) for entry in robot.document.history.entries]


def test_a_selected_number_has_a_handle_and_what_is_computed_has_none(robot: Robot) -> None:
    assert robot.canvas.handle() is None
    choose(robot)
    assert robot.canvas.handle() is not None
    robot.click(robot.gradient("X", 1, 0))
    assert robot.canvas.handle() is None


def test_dragging_recomputes_at_every_move_and_is_one_step(robot: Robot) -> None:
    robot.player.seek(9)
    choose(robot)
    at = handle(robot)
    robot.press(at)
    seen = []
    for by in (12, 60, 120):
        robot.move(at + QPoint(by, 0))
        total = float(robot.document.answer.value(OutPort(robot.id("s"))))
        seen.append((x(robot), total))
    assert [n for n, _ in seen] == [2.2, 3.0, 4.0]
    assert all(total == pytest.approx(n + 1) for n, total in seen)
    robot.release(at + QPoint(120, 0))
    assert steps(robot) == ["Change a value"]
    assert robot.player.position == 9
    robot.document.undo()
    assert x(robot) == 2


def test_shift_is_fine_and_ctrl_is_coarse(robot: Robot) -> None:
    choose(robot)
    at = handle(robot)
    for modifiers, wanted in ((SHIFT, 2.1), (CTRL, 12.0)):
        robot.drag(at, at + QPoint(60, 0), modifiers)
        assert x(robot) == pytest.approx(wanted)
        robot.document.undo()


def test_esc_gives_the_number_back_and_leaves_no_step(robot: Robot) -> None:
    choose(robot)
    at = handle(robot)
    before = robot.document.diagram
    robot.press(at)
    robot.move(at + QPoint(30, 0), at + QPoint(60, 0))
    assert x(robot) != 2
    robot.key(Qt.Key.Key_Escape)
    robot.release(at + QPoint(60, 0))
    assert robot.document.diagram is before
    assert steps(robot) == []


def test_two_drags_are_two_steps(robot: Robot) -> None:
    choose(robot)
    for _ in range(2):
        at = handle(robot)
        robot.drag(at, at + QPoint(60, 0))
    assert steps(robot) == ["Change a value", "Change a value"]


def test_keys_step_the_number_too(robot: Robot) -> None:
    choose(robot)
    for _ in range(3):
        robot.key(Qt.Key.Key_Up, ALT)
    assert x(robot) == pytest.approx(2.3)
    robot.key(Qt.Key.Key_Down, ALT | CTRL)
    assert x(robot) == pytest.approx(1.3)
    assert steps(robot) == ["Change a value"]
    robot.document.undo()
    assert x(robot) == 2


def test_a_node_that_goes_meanwhile_ends_the_drag(robot: Robot) -> None:
    choose(robot)
    at = handle(robot)
    robot.press(at)
    robot.move(at + QPoint(30, 0))
    robot.document.edit(mark("edit", "Delete"), edits.delete, [robot.id("X")])
    robot.move(at + QPoint(60, 0))
    robot.release(at + QPoint(60, 0))
    assert robot.canvas.tool is None


@pytest.mark.parametrize(
    ("number", "step"), [(2.0, 0.1), (0.0, 0.1), (0.05, 0.001), (-350.0, 10.0), (float("inf"), 0.1)]
)
def test_a_step_is_a_tenth_of_the_leading_digit(number: float, step: float) -> None:
    assert step_of(number, whole=False) == pytest.approx(step)
    assert step_of(number, whole=True) == 1


def test_steps_leave_no_dust() -> None:
    assert stepped(0.1, 2, 0.1, whole=False) == 0.3
    assert stepped(2, 3, 1, whole=True) == 5
