"""Selecting, tidying and aligning in the whole window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton

from gradviz.edit import edits
from gradviz.graph.model import Diagram, Place
from gradviz.gui.app import Application
from gradviz.gui.commands.arranging import Arranging
from gradviz.gui.document import Selection
from gradviz.gui.main_window import MainWindow
from gradviz.text import mark
from tests.layouts import rows
from tests.support.robot import Robot

CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)


@pytest.fixture
def window(application: Application, qtbot) -> MainWindow:
    application.start((), film=False)
    (made,) = application.windows
    with qtbot.waitActive(made):
        made.activateWindow()
    made.canvas.setFocus()
    QApplication.processEvents()
    return made


@pytest.fixture
def robot(window: MainWindow) -> Robot:
    return Robot(window.canvas, window.player)


def arranging(window: MainWindow) -> Arranging:
    (found,) = (commands for commands in window._commands if isinstance(commands, Arranging))
    return found


def tidied(window: MainWindow, qtbot, robot: Robot, key: Qt.Key = Qt.Key.Key_L) -> None:
    """Press the key and wait until the thread is done."""
    with qtbot.waitSignal(arranging(window).tidying.done):
        robot.key(key)


def names(window: MainWindow) -> set[str]:
    graph = window.document.diagram.graph
    return {graph[id].name or graph[id].op for id in window.document.selection.nodes}


def shaken(window: MainWindow, **places: tuple[float, float]) -> None:
    diagram = window.document.diagram
    moved = {diagram.node_called(name).id: Place(*at) for name, at in places.items()}
    window.document.edit(mark("edit", "Move"), edits.move, moved)


def test_l_tidies_all_in_one_step_and_again_changes_nothing(window, robot, qtbot) -> None:
    tidied(window, qtbot, robot)
    before = window.document.diagram.places
    shaken(window, s=(500, 700), B=(40, 600))
    steps = window.document.history.cursor
    tidied(window, qtbot, robot)
    assert window.document.history.cursor == steps + 1
    assert window.document.undo_text == mark("edit", "Tidy")
    places = window.document.diagram.places
    ways = {(places[id].x - at.x, places[id].y - at.y) for id, at in before.items()}
    assert len(ways) == 1
    tidied(window, qtbot, robot)
    assert window.document.history.cursor == steps + 1
    assert "tidy already" in window.problems._hint.text()
    robot.key(Qt.Key.Key_Z, CTRL)
    assert window.document.diagram.places[robot.id("s")] == Place(500, 700)


def test_a_selection_is_tidied_and_the_rest_stays(window, robot, qtbot) -> None:
    shaken(window, s=(500, 700), square=(300, 730))
    chosen = frozenset({robot.id("s"), robot.id("square")})
    window.document.select(Selection(chosen))
    before = window.document.diagram.places
    tidied(window, qtbot, robot)
    after = window.document.diagram.places
    assert {id for id in after if after[id] != before[id]} <= chosen
    assert robot.card("s")[0] < robot.card("square")[0]
    assert window.document.selection.nodes == chosen


def test_the_view_moves_only_to_keep_in_sight_what_was_seen(window, robot, qtbot) -> None:
    tidied(window, qtbot, robot)
    window.canvas.fit_all()
    shaken(window, square=(Place(*robot.card("square")).x + 60, robot.card("square")[1]))
    camera = window.canvas.camera
    tidied(window, qtbot, robot)
    assert window.canvas.camera == camera
    # Zoomed in on one card, the others may land where they like.
    window.document.undo()
    window.canvas.zoom_to(4.0)
    camera = window.canvas.camera
    tidied(window, qtbot, robot)
    assert window.canvas.camera == camera


def test_esc_stops_a_long_tidying_at_once(window, robot, qtbot) -> None:
    window.open_diagram(
        Diagram(rows(4000, 1), places=dict.fromkeys(rows(4000, 1).nodes, Place(0, 0)))
    )
    task = arranging(window).tidying
    before = window.document.diagram
    robot.key(Qt.Key.Key_L)
    qtbot.waitUntil(lambda: "Esc stops it" in window.problems._hint.text())
    assert task.running
    robot.key(Qt.Key.Key_Escape)
    assert not task.running
    assert "stopped" in window.problems._hint.text()
    assert window.document.diagram is before
    # The thread ends too: the window can close.
    task.close()


def test_what_was_tidied_is_dropped_when_the_diagram_has_moved_on(window, robot, qtbot) -> None:
    window.open_diagram(
        Diagram(rows(400, 1), places=dict.fromkeys(rows(400, 1).nodes, Place(0, 0)))
    )
    task = arranging(window).tidying
    robot.key(Qt.Key.Key_L)
    assert task.running
    window.document.edit(mark("edit", "Move"), edits.move, {"n0": Place(8, 8)})
    assert not task.running
    moved = window.document.diagram
    task._pool.submit(lambda: None).result()
    QApplication.processEvents()
    assert window.document.diagram is moved


def test_tidying_ends_the_gesture_under_way(window, robot, qtbot) -> None:
    robot.press(robot.header("s"))
    robot.move(robot.header("s") + QPoint(40, 40))
    with qtbot.waitSignal(arranging(window).tidying.done):
        robot.key(Qt.Key.Key_L)
    assert window.canvas.tool is None
    assert not window.canvas.moved
    robot.release(robot.header("s"))


def test_all_none_and_the_others(window, robot) -> None:
    robot.key(Qt.Key.Key_A, CTRL)
    assert len(window.document.selection.nodes) == len(window.document.diagram.graph)
    robot.key(Qt.Key.Key_A, CTRL | SHIFT)
    assert window.document.selection == Selection()
    robot.click(robot.header("X"))
    robot.key(Qt.Key.Key_I, CTRL)
    assert names(window) == {"B", "s", "square", "add", "y", "constant"}
    robot.key(Qt.Key.Key_I, CTRL)
    assert names(window) == {"X"}


def test_upstream_and_downstream(window, robot) -> None:
    robot.click(robot.header("s"))
    robot.key(Qt.Key.Key_U)
    assert names(window) == {"X", "s"}
    robot.click(robot.header("square"))
    robot.key(Qt.Key.Key_U, SHIFT)
    assert names(window) == {"square", "add", "y"}
    robot.key(Qt.Key.Key_A, CTRL | SHIFT)
    robot.key(Qt.Key.Key_U)
    assert names(window) == set()
    assert "start from" in window.problems._hint.text()


def test_g_carries_the_selection(window, robot) -> None:
    robot.click(robot.header("B"))
    before = window.document.diagram.places[robot.id("B")]
    robot.key(Qt.Key.Key_G)
    robot.key(Qt.Key.Key_Right, SHIFT)
    robot.key(Qt.Key.Key_Return)
    assert window.document.diagram.places[robot.id("B")] == (before.x + 40, before.y)
    robot.key(Qt.Key.Key_A, CTRL | SHIFT)
    robot.key(Qt.Key.Key_G)
    assert window.canvas.tool is None
    assert "Select the cards" in window.problems._hint.text()


def test_undo_while_cards_are_carried_drops_them(window, robot) -> None:
    robot.click(robot.header("B"))
    before = window.document.diagram
    robot.key(Qt.Key.Key_G)
    robot.key(Qt.Key.Key_Right, SHIFT)
    robot.key(Qt.Key.Key_Z, CTRL)
    assert window.canvas.tool is None
    assert window.document.diagram is before


def test_snapping_is_remembered(window, robot) -> None:
    window.do("toggle_snapping")
    assert not window.canvas.snapping
    assert not window.settings.snapping
    assert "Shift+Tab" in window.problems._hint.text()
    window.do("toggle_snapping")
    assert window.settings.snapping


def test_q_is_a_lasso(window, robot) -> None:
    robot.key(Qt.Key.Key_Q)
    assert window.canvas.armed == "lasso"
    robot.key(Qt.Key.Key_Q)
    assert window.canvas.armed == ""


def choose(window: MainWindow, robot: Robot, letter: Qt.Key, *cards: str, modifiers=None) -> None:
    """Alt+A, then a letter."""
    window.document.select(Selection(frozenset(map(robot.id, cards))))
    robot.key(Qt.Key.Key_A, ALT)
    bar = arranging(window)._choices
    assert bar.isVisible()
    assert bar.hasFocus()
    QTest.keyClick(bar, letter, modifiers or Qt.KeyboardModifier.NoModifier)
    assert not bar.isVisible()
    assert window.canvas.hasFocus()


@pytest.mark.parametrize(
    ("letter", "axis", "share"),
    [
        (Qt.Key.Key_L, 0, 0.0),
        (Qt.Key.Key_C, 0, 0.5),
        (Qt.Key.Key_R, 0, 1.0),
        (Qt.Key.Key_T, 1, 0.0),
        (Qt.Key.Key_M, 1, 0.5),
        (Qt.Key.Key_B, 1, 1.0),
    ],
)
def test_two_keys_line_cards_up_in_one_step(window, robot, letter, axis, share) -> None:
    steps = window.document.history.cursor
    choose(window, robot, letter, "B", "s", "y")
    places, sizes = window.document.diagram.places, window.canvas.sight.sizes()
    ids = [robot.id(name) for name in ("B", "s", "y")]
    assert len({places[id][axis] + share * sizes[id][axis] for id in ids}) == 1
    assert window.document.history.cursor == steps + 1
    assert window.document.undo_text == mark("edit", "Align")


def test_two_keys_distribute_cards(window, robot) -> None:
    shaken(window, X=(0, 0), s=(300, 500), y=(1200, 40))
    choose(window, robot, Qt.Key.Key_H, "X", "s", "y", modifiers=ALT)
    places, sizes = window.document.diagram.places, window.canvas.sight.sizes()
    x, s, y = (robot.id(name) for name in ("X", "s", "y"))
    assert places[s].x - sizes[x][0] == pytest.approx(places[y].x - places[s].x - sizes[s][0])
    assert window.document.undo_text == mark("edit", "Distribute")
    choose(window, robot, Qt.Key.Key_V, "X", "s", "y")
    assert places[x].y != window.document.diagram.places[x].y


def test_the_bar_of_choices_goes_without_a_choice(window, robot, qtbot) -> None:
    before = window.document.diagram
    for key in (Qt.Key.Key_Escape, Qt.Key.Key_Z, Qt.Key.Key_Space):
        choose(window, robot, key, "B", "s")
    window.document.select(Selection(frozenset({robot.id("B"), robot.id("s")})))
    robot.key(Qt.Key.Key_A, ALT)
    bar = arranging(window)._choices
    QTest.keyClick(bar, Qt.Key.Key_Alt)
    assert bar.isVisible()
    robot.click(robot.empty())
    assert not bar.isVisible()
    assert window.document.diagram is before


def test_the_bar_can_be_clicked(window, robot) -> None:
    window.document.select(Selection(frozenset({robot.id("B"), robot.id("s")})))
    robot.key(Qt.Key.Key_A, ALT)
    bar = arranging(window)._choices
    button = bar.findChildren(QToolButton)[0]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not bar.isVisible()
    assert robot.card("B")[0] == robot.card("s")[0]


def test_aligning_says_what_it_needs(window, robot) -> None:
    window.document.select(Selection(frozenset({robot.id("B")})))
    robot.key(Qt.Key.Key_A, ALT)
    assert not arranging(window)._choices.isVisible()
    assert "two cards" in window.problems._hint.text()
    window.document.select(Selection(frozenset({robot.id("B"), robot.id("s")})))
    window.do("distribute_down")
    assert "three cards" in window.problems._hint.text()
    window.do("align_left")
    window.do("align_left")
    assert "already" in window.problems._hint.text()


def test_the_menu_has_them_too(window) -> None:
    texts = {action.text() for action in window.findChildren(QAction)}
    assert {"&Left edges\tAlt+A L", "Same room down (&vertically)\tAlt+A V"} <= texts
