"""Moving cards: by drag, with the grid and what they line up with, and without a button held."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QApplication

from gradviz.edit import edits
from gradviz.graph.model import InPort, OutPort, Place
from gradviz.gui.canvas.carry import Carry
from gradviz.gui.document import Selection
from gradviz.picture import geometry
from gradviz.text import mark

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def robot(robot):
    """At 100 %, so that pixels of the screen are those of the canvas; B alone in the lower middle."""
    robot.canvas.zoom_to(1.0)
    place(robot, B=(400, 400))
    robot.canvas.fit_all()
    robot.canvas.zoom_to(1.0)
    return robot


def place(robot, **places: tuple[float, float]) -> None:
    moved = {robot.id(name): Place(*at) for name, at in places.items()}
    robot.document.edit(mark("edit", "Move"), edits.move, moved)


def at(robot, name: str) -> Place:
    return robot.document.diagram.places[robot.id(name)]


def drag(robot, name: str, x: int, y: int, modifiers=Qt.KeyboardModifier.NoModifier) -> None:
    start = robot.header(name)
    robot.press(start)
    robot.move(start + QPoint(x // 2, y // 2), start + QPoint(x, y), modifiers=modifiers)


def lines(robot) -> int:
    return len(robot.canvas.tool._guides.lines)


def end(robot) -> None:
    robot.release(QPoint(10, 10))


def far_from_all(robot) -> tuple[int, int]:
    """A way for B on which nothing is near a line."""
    return 37, 113


def test_a_card_takes_the_grid(robot) -> None:
    before = at(robot, "B")
    x, y = far_from_all(robot)
    drag(robot, "B", x, y)
    assert lines(robot) == 0
    end(robot)
    assert at(robot, "B") == (before.x + 36, before.y + 112)
    assert robot.document.undo_text == mark("edit", "Move")


def test_with_ctrl_it_goes_where_it_is_dragged(robot) -> None:
    before = at(robot, "B")
    x, y = far_from_all(robot)
    drag(robot, "B", x, y, CTRL)
    end(robot)
    assert at(robot, "B") == (before.x + x, before.y + y)


def test_shift_and_tab_switch_snapping_off_and_on(robot) -> None:
    x, y = far_from_all(robot)
    robot.move(QPoint(5, 5))
    robot.key(Qt.Key.Key_Backtab, SHIFT)
    assert not robot.canvas.snapping
    before = at(robot, "B")
    drag(robot, "B", x, y)
    end(robot)
    assert at(robot, "B") == (before.x + x, before.y + y)
    robot.key(Qt.Key.Key_Backtab, SHIFT)
    assert robot.canvas.snapping


def test_an_edge_takes_that_of_another_card(robot) -> None:
    """The left edge of B, dragged near that of s."""
    s, b = at(robot, "s"), at(robot, "B")
    drag(robot, "B", round(s.x - b.x) + 3, 57)
    assert lines(robot) >= 1
    end(robot)
    assert at(robot, "B").x == s.x


def test_ctrl_takes_no_edge(robot) -> None:
    s, b = at(robot, "s"), at(robot, "B")
    drag(robot, "B", round(s.x - b.x) + 3, 57, CTRL)
    assert lines(robot) == 0
    end(robot)
    assert at(robot, "B").x == s.x + 3


def test_a_wire_becomes_straight(robot) -> None:
    """s is put off its wire; dragged back, not quite, its wire to the sum is straight again."""
    place(robot, s=(at(robot, "s").x, at(robot, "s").y + 61))
    drag(robot, "s", 0, -58)
    assert lines(robot) >= 1
    end(robot)
    sight = robot.canvas.sight
    heights = {
        round(sight.port_point(port).y - sight.port_point(other).y, 6)
        for port, other in (
            (InPort(robot.id("s"), 0), OutPort(robot.id("X"))),
            (OutPort(robot.id("s")), InPort(robot.id("square"), 0)),
            (OutPort(robot.id("s")), InPort(robot.id("add"), 1)),
        )
    }
    assert 0 in heights


def test_several_cards_line_up_as_one(robot) -> None:
    robot.document.select(Selection(frozenset({robot.id("B"), robot.id("square")})))
    before = at(robot, "B"), at(robot, "square")
    drag(robot, "B", 30, 21)
    end(robot)
    moved = at(robot, "B"), at(robot, "square")
    assert moved[0].x - before[0].x == moved[1].x - before[1].x
    assert moved[0].y - before[0].y == moved[1].y - before[1].y


@pytest.mark.parametrize("drop", ["esc", "focus"])
def test_a_drag_that_is_dropped_leaves_no_line_and_no_step(robot, drop) -> None:
    s, b = at(robot, "s"), at(robot, "B")
    before = robot.document.diagram
    drag(robot, "B", round(s.x - b.x) + 3, 57)
    tool = robot.canvas.tool
    assert tool._guides.lines
    if drop == "esc":
        robot.key(Qt.Key.Key_Escape)
    else:
        QApplication.sendEvent(robot.canvas, QFocusEvent(QEvent.Type.FocusOut))
    assert not tool._guides.lines
    end(robot)
    assert robot.document.diagram is before


def test_the_lines_are_painted_where_they_are(robot) -> None:
    """What comes on the screen part by part is what a whole picture shows."""
    from tests.gui.test_canvas_paint import assert_up_to_date

    s, b = at(robot, "s"), at(robot, "B")
    assert_up_to_date(robot)
    plain = robot.shown()
    drag(robot, "B", round(s.x - b.x) + 3, 57)
    assert_up_to_date(robot)
    robot.move(robot.header("B") + QPoint(90, 70))
    assert_up_to_date(robot)
    robot.key(Qt.Key.Key_Escape)
    assert_up_to_date(robot)
    assert robot.shown() == plain
    end(robot)


def test_arrows_move_by_one_grid_or_ten(robot) -> None:
    robot.click(robot.header("B"))
    before = at(robot, "B")
    robot.key(Qt.Key.Key_Right)
    robot.key(Qt.Key.Key_Down, SHIFT)
    assert at(robot, "B") == (before.x + 4, before.y + 40)
    robot.document.undo()
    assert at(robot, "B") == before


def carry(robot, *names: str) -> None:
    robot.document.select(Selection(frozenset(map(robot.id, names))))
    robot.move(robot.header(names[0]))
    robot.canvas.carry()


def test_cards_follow_the_pointer_without_a_button_until_a_click(robot) -> None:
    before = at(robot, "B")
    carry(robot, "B")
    start = robot.header("B")
    robot.move(start + QPoint(20, 50), start + QPoint(37, 113))
    assert robot.document.diagram.places[robot.id("B")] == before
    robot.click(start + QPoint(37, 113))
    assert at(robot, "B") == (before.x + 36, before.y + 112)
    assert robot.canvas.tool is None
    assert robot.document.selection.nodes == {robot.id("B")}


def test_cards_follow_the_arrows_until_enter_in_one_step(robot) -> None:
    before = at(robot, "B")
    steps = robot.document.history.cursor
    carry(robot, "B")
    for key, modifiers in (
        (Qt.Key.Key_Right, SHIFT),
        (Qt.Key.Key_Right, None),
        (Qt.Key.Key_Up, None),
    ):
        robot.key(key, modifiers or Qt.KeyboardModifier.NoModifier)
    robot.key(Qt.Key.Key_Return)
    assert at(robot, "B") == (before.x + 44, before.y - 4)
    assert robot.document.history.cursor == steps + 1


@pytest.mark.parametrize("drop", ["esc", "right click", "focus"])
def test_carried_cards_go_back(robot, drop) -> None:
    before = robot.document.diagram
    carry(robot, "B")
    start = robot.header("B")
    robot.move(start + QPoint(20, 50), start + QPoint(37, 113))
    if drop == "esc":
        robot.key(Qt.Key.Key_Escape)
    elif drop == "focus":
        QApplication.sendEvent(robot.canvas, QFocusEvent(QEvent.Type.FocusOut))
    else:
        robot.click(start, button=Qt.MouseButton.RightButton)
    assert not isinstance(robot.canvas.tool, Carry)
    assert robot.document.diagram is before
    assert not robot.canvas.moved


def test_in_a_crowd_only_wires_are_straightened(robot, monkeypatch) -> None:
    from gradviz.gui.canvas import guides

    monkeypatch.setattr(guides, "MOST", 1)
    s, b = at(robot, "s"), at(robot, "B")
    drag(robot, "B", round(s.x - b.x) + 3, 57)
    assert lines(robot) == 0
    end(robot)
    assert geometry.card_rect(robot.canvas.sight.look(robot.id("B"))).x % 4 == 0
