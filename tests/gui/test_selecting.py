"""Selecting with the pointer: clicks, the rectangle, the lasso; and all that can come between."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QApplication

from gradviz.gui.canvas.selecting import Lasso
from gradviz.gui.document import Selection
from gradviz.picture import geometry
from gradviz.picture.plane import Rect

CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)


def names(robot) -> set[str]:
    graph = robot.document.diagram.graph
    return {graph[id].name or graph[id].op for id in robot.document.selection.nodes}


def corners(robot, *cards: str) -> tuple[QPoint, QPoint]:
    """Points above left and below right of some cards."""
    looks = robot.canvas.sight.looks([robot.id(name) for name in cards])
    around = Rect.around(geometry.card_rect(look) for look in looks).grown(6)
    return robot.screen((around.x, around.y)), robot.screen((around.right, around.bottom))


def select(robot, *cards: str) -> None:
    robot.document.select(Selection(frozenset(map(robot.id, cards))))


def round_trip(robot, *cards: str) -> list[QPoint]:
    """The way round some cards."""
    a, b = corners(robot, *cards)
    return [a, QPoint(b.x(), a.y()), b, QPoint(a.x(), b.y()), a]


def lasso(robot, points: list[QPoint], modifiers=CTRL | ALT) -> None:
    robot.press(points[0], modifiers)
    robot.move(*points[1:], modifiers=modifiers)
    robot.release(points[-1], modifiers)


def test_shift_and_a_click_add_ctrl_and_a_click_toggle(robot) -> None:
    robot.click(robot.header("X"))
    robot.click(robot.header("s"), SHIFT)
    robot.click(robot.header("s"), SHIFT)
    assert names(robot) == {"X", "s"}
    robot.click(robot.header("s"), CTRL)
    assert names(robot) == {"X"}
    robot.click(robot.header("y"), CTRL)
    assert names(robot) == {"X", "y"}


@pytest.mark.parametrize(
    ("modifiers", "chosen"),
    [
        (Qt.KeyboardModifier.NoModifier, {"B"}),
        (SHIFT, {"B", "X"}),
        (CTRL, {"B", "X"}),
        (ALT, {"X"}),
    ],
)
def test_a_rectangle_selects_adds_toggles_removes(robot, modifiers, chosen) -> None:
    select(robot, "X")
    robot.drag(*corners(robot, "B"), modifiers)
    assert names(robot) == chosen


@pytest.mark.parametrize(
    ("modifiers", "chosen"), [(SHIFT, {"B", "X"}), (CTRL, {"X"}), (ALT, {"X"})]
)
def test_a_rectangle_round_what_is_selected(robot, modifiers, chosen) -> None:
    select(robot, "X", "B")
    robot.drag(*corners(robot, "B"), modifiers)
    assert names(robot) == chosen


def test_a_rectangle_is_dropped_by_esc_and_by_the_loss_of_the_focus(robot) -> None:
    select(robot, "X")
    a, b = corners(robot, "B")
    for drop in ("esc", "focus", "undo"):
        robot.press(a)
        robot.move((a + b) / 2, b)
        assert names(robot) == {"B"}
        if drop == "esc":
            robot.key(Qt.Key.Key_Escape)
        elif drop == "focus":
            QApplication.sendEvent(robot.canvas, QFocusEvent(QEvent.Type.FocusOut))
        else:
            robot.canvas.cancel_gesture()
        assert robot.canvas.tool is None
        robot.release(b)
        assert names(robot) == {"X"}, drop


def test_a_lasso_selects_what_it_goes_round(robot) -> None:
    select(robot, "X")
    lasso(robot, round_trip(robot, "B"))
    assert names(robot) == {"B"}
    assert robot.canvas.tool is None
    lasso(robot, round_trip(robot, "s"), CTRL | ALT | SHIFT)
    assert {"B", "s"} <= names(robot)
    assert "X" not in names(robot)


def test_a_lasso_leaves_out_what_lies_only_in_its_bounds(robot) -> None:
    """A narrow hook whose rectangle holds a card that the line does not go round."""
    (look,) = robot.canvas.sight.looks([robot.id("B")])
    around = geometry.card_rect(look).grown(10)
    a = robot.screen((around.x, around.y))
    b = robot.screen((around.x, around.bottom))
    c = robot.screen((around.right, around.bottom))
    lasso(robot, [a, b, c, b + QPoint(-3, 3), a + QPoint(-3, 0)])
    assert "B" not in names(robot)


def test_a_lasso_begins_anywhere_and_moves_nothing(robot) -> None:
    before = robot.document.diagram
    header = robot.header("X")
    lasso(robot, [header, header + QPoint(30, 0), header + QPoint(30, 8), header])
    assert names(robot) == {"X"}
    assert robot.document.diagram is before


def test_a_lasso_is_dropped_by_esc(robot) -> None:
    select(robot, "y")
    points = round_trip(robot, "B")
    robot.press(points[0], CTRL | ALT)
    robot.move(*points[1:3])
    assert isinstance(robot.canvas.tool, Lasso)
    robot.key(Qt.Key.Key_Escape)
    assert names(robot) == {"y"}
    robot.move(*points[3:])
    robot.release(points[-1])
    assert names(robot) == {"y"}


def test_a_click_with_the_lasso_selects_nothing(robot) -> None:
    select(robot, "y")
    robot.click(robot.empty(), CTRL | ALT)
    assert names(robot) == set()


def test_a_lasso_needs_no_keys_that_the_desktop_takes(robot) -> None:
    robot.canvas.armed = "lasso"
    lasso(robot, round_trip(robot, "B"), Qt.KeyboardModifier.NoModifier)
    assert names(robot) == {"B"}
    # One lasso only: the next drag is a rectangle again.
    assert robot.canvas.armed == ""
    robot.canvas.armed = "lasso"
    robot.key(Qt.Key.Key_Escape)
    assert robot.canvas.armed == ""
    assert names(robot) == {"B"}
