"""The commands for wires, by their keys, in the window."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gradviz.graph.model import InPort
from gradviz.graph.routes import routes_of
from gradviz.gui.app import Application
from gradviz.gui.document import Selection
from tests.e2e.test_window import start
from tests.support.robot import Robot

Key = Qt.Key
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def select(window, *names: str) -> None:
    ids = (window.document.diagram.node_called(name).id for name in names)
    window.document.select(Selection(frozenset(ids)))


def inputs(window, name: str) -> list[str | None]:
    graph = window.document.diagram.graph
    return [p and graph[p.node].name for p in window.document.diagram.node_called(name).inputs]


def press(window, key: Key, modifiers=Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(window.canvas, key, modifiers)


def test_joining_breaking_and_pulling_out_by_key(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    select(window, "square")
    press(window, Key.Key_O)
    assert inputs(window, "square") == [None]
    assert inputs(window, "add").count("s") == 2
    select(window, "B", "square")
    press(window, Key.Key_J)
    assert inputs(window, "square") == ["B"]
    window.do("undo")
    window.do("undo")
    select(window, "s")
    press(window, Key.Key_K, SHIFT)
    assert inputs(window, "s") == [None]
    assert inputs(window, "square") == [None]
    assert window.document.selection.nodes == {window.document.diagram.node_called("s").id}


def test_deleting_closes_the_gap_and_tells_what_stays_open(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    select(window, "square")
    press(window, Key.Key_Delete, CTRL)
    assert inputs(window, "add").count("s") == 2
    select(window, "X")
    press(window, Key.Key_Backspace, CTRL)
    assert inputs(window, "s") == [None]
    said = window.problems._hint.text()
    assert said == "One input is open now: nothing that was left fits there."


def test_the_knife_is_taken_by_key(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    press(window, Key.Key_K)
    assert window.canvas.armed == "knife"
    press(window, Key.Key_K)
    assert window.canvas.armed == ""


def test_the_selected_wire_is_led_and_straightened_by_command(
    application: Application, qtbot
) -> None:
    window = start(application, qtbot)
    robot = Robot(window.canvas, window.player)
    end = InPort(robot.id("square"), 0)
    window.document.select(Selection(wire=end))
    press(window, Key.Key_R, SHIFT)
    (point,) = routes_of(window.document.diagram)[end]
    press(window, Key.Key_Up)
    (moved,) = routes_of(window.document.diagram)[end]
    assert moved.y < point.y
    window.do("straighten_wire")
    assert routes_of(window.document.diagram) == {}


def test_commands_that_find_nothing_say_so(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    window.document.select(Selection())
    before = window.document.diagram
    for id in (
        "break_wires",
        "pull_out",
        "delete_and_heal",
        "join",
        "lead_wire",
        "straighten_wire",
    ):
        window.do(id)
    select(window, "B")
    for id in ("break_wires", "pull_out"):
        window.do(id)
    assert window.document.diagram is before
