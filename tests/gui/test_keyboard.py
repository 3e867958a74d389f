"""Everything without a pointer: going from card to card, to ports and wires; and what a screen reader is told."""

from __future__ import annotations

import gc

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible

from gradviz.graph.model import InPort, OutPort
from gradviz.gui.document import CellRef, Selection
from tests.support.robot import Robot

Key = Qt.Key
ALT, SHIFT, CTRL = (
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)


def select(robot: Robot, *names: str) -> None:
    robot.document.select(Selection(frozenset(map(robot.id, names))))


def selected(robot: Robot) -> set[str]:
    graph = robot.document.diagram.graph
    return {graph[id].name or graph[id].op for id in robot.document.selection.nodes}


def test_ctrl_and_arrows_follow_wires(robot: Robot) -> None:
    select(robot, "X")
    seen = []
    for _ in range(5):
        robot.key(Key.Key_Right, CTRL)
        seen.append(*selected(robot))
    assert seen[0] == "s"
    assert seen[-2:] == ["y", "y"]
    for _ in range(5):
        robot.key(Key.Key_Left, CTRL)
    assert selected(robot) <= {"X", "constant"}


def test_shift_takes_along_what_is_walked_over(robot: Robot) -> None:
    select(robot, "X")
    robot.key(Key.Key_Right, CTRL | SHIFT)
    robot.key(Key.Key_Right, CTRL | SHIFT)
    assert {"X", "s"} < selected(robot)


def test_alt_and_arrows_go_to_the_nearest_card_that_way(robot: Robot) -> None:
    robot.document.select(Selection())
    robot.key(Key.Key_Right, ALT)
    assert len(selected(robot)) == 1
    select(robot, "X")
    robot.key(Key.Key_Down, ALT)
    assert selected(robot) == {"B"}
    robot.key(Key.Key_Up, ALT)
    assert selected(robot) == {"X"}
    robot.key(Key.Key_Left, ALT)
    assert selected(robot) == {"X"}
    robot.key(Key.Key_Right, ALT)
    assert selected(robot) == {"s"}


def test_every_card_can_be_reached_by_arrows_from_any_other(robot: Robot) -> None:
    everyone = {look.id for look in robot.canvas.sight.frame().nodes}
    reached = {robot.id("X")}
    waiting = [robot.id("X")]
    while waiting:
        here = waiting.pop()
        for key in (Key.Key_Left, Key.Key_Right, Key.Key_Up, Key.Key_Down):
            robot.document.select(Selection(frozenset({here})))
            robot.key(key, ALT)
            (there,) = robot.document.selection.nodes
            if there not in reached:
                reached.add(there)
                waiting.append(there)
    assert reached == everyone


def test_arrows_still_nudge_cards_and_move_the_chosen_cell(robot: Robot) -> None:
    select(robot, "B")
    before = robot.document.diagram.places[robot.id("B")]
    robot.key(Key.Key_Right)
    assert robot.document.diagram.places[robot.id("B")].x > before.x
    id = robot.id("X")
    robot.document.select(Selection(frozenset({id}), None, CellRef(id, "value", (0, 0))))
    robot.key(Key.Key_Down)
    assert robot.document.selection.cell.index == (1, 0)


def test_p_goes_round_the_ports_and_shows_which(robot: Robot) -> None:
    select(robot, "add")
    at_rest = robot.canvas.grab().toImage()
    ports = []
    for _ in range(4):
        robot.key(Key.Key_P)
        ports.append(robot.canvas.walk.port)
        assert robot.canvas.grab().toImage() != at_rest
    id = robot.id("add")
    assert ports == [InPort(id, 0), InPort(id, 1), OutPort(id, 0), InPort(id, 0)]
    robot.key(Key.Key_Escape)
    assert robot.canvas.walk.port is None
    assert selected(robot) == {"add"}
    robot.key(Key.Key_P)
    select(robot, "X")
    assert robot.canvas.walk.port is None


def test_a_port_takes_wires_adds_what_fits_and_loses_its_wires(robot: Robot) -> None:
    select(robot, "square")
    robot.key(Key.Key_P)
    robot.canvas.delete_selection()
    assert robot.document.diagram.graph[robot.id("square")].inputs == (None,)
    assert selected(robot) == {"square"}
    robot.document.undo()
    # The output: Enter offers what takes it.
    select(robot, "square")
    robot.key(Key.Key_P)
    assert isinstance(robot.canvas.walk.port, OutPort)
    robot.key(Key.Key_Return)
    assert robot.canvas.entry.add_box is not None
    robot.type("exp")
    robot.key(Key.Key_Return)
    assert robot.document.diagram.graph[robot.id("exp")].inputs == (OutPort(robot.id("square")),)


def test_a_wire_is_drawn_from_an_input_by_keys(robot: Robot) -> None:
    select(robot, "square")
    robot.key(Key.Key_P)
    robot.canvas.delete_selection()
    robot.key(Key.Key_C)
    for _ in range(20):
        tool = robot.canvas.tool
        if tool.over == OutPort(robot.id("X")):
            break
        robot.key(Key.Key_Down)
    robot.key(Key.Key_Return)
    assert robot.document.diagram.graph[robot.id("square")].inputs == (OutPort(robot.id("X")),)


def test_wires_of_a_port_are_selected_one_after_the_other_and_deleted(robot: Robot) -> None:
    select(robot, "s")
    robot.key(Key.Key_P)
    robot.key(Key.Key_P)
    wires = []
    for _ in range(2):
        robot.key(Key.Key_P, SHIFT)
        wires.append(robot.document.selection.wire)
    assert len(set(wires)) >= 1
    assert all(wire.node in (robot.id("square"), robot.id("add")) for wire in wires)
    robot.canvas.delete_selection()
    inputs = robot.document.diagram.graph[wires[-1].node].inputs
    assert inputs[wires[-1].index] is None


def interface(robot: Robot):
    return QAccessible.queryAccessibleInterface(robot.canvas)


def test_each_card_in_view_is_told_with_value_and_gradient(robot: Robot) -> None:
    found = interface(robot)
    assert found.role() == QAccessible.Role.List
    names = [found.child(i).text(QAccessible.Text.Name) for i in range(found.childCount())]
    assert len(names) == 7
    assert "s: value 3, gradient 7; sum, one number  float64" in names
    (b,) = [name for name in names if name.startswith("B: ")]
    assert "value 2×2 [1, 2; 3, 4]" in b
    described = [
        found.child(i).text(QAccessible.Text.Description) for i in range(found.childCount())
    ]
    assert any("no gradient: No path" in text for text in described)
    assert any("input x: from s" in text or "from s" in text for text in described)


def test_a_card_tells_its_place_and_whether_it_is_selected(robot: Robot) -> None:
    select(robot, "s")
    found = interface(robot)
    cards = [found.child(i) for i in range(found.childCount())]
    (chosen,) = [card for card in cards if card.state().selected]
    assert chosen.text(QAccessible.Text.Name).startswith("s: ")
    assert chosen.state().focused == robot.canvas.hasFocus()
    at = robot.canvas.mapToGlobal(robot.header("s"))
    assert chosen.rect().contains(at)
    assert found.childAt(at.x(), at.y()).text(QAccessible.Text.Name).startswith("s: ")
    assert found.indexOfChild(chosen) == cards.index(chosen)


def test_what_has_gone_is_no_longer_valid_and_nothing_crashes(robot: Robot) -> None:
    found = interface(robot)
    card = next(
        found.child(i)
        for i in range(found.childCount())
        if found.child(i).text(QAccessible.Text.Name).startswith("B: ")
    )
    select(robot, "B")
    robot.canvas.delete_selection()
    assert not card.isValid()
    assert card.text(QAccessible.Text.Name) == ""
    assert found.childCount() == 6
    gc.collect()


@pytest.mark.parametrize("key", [Key.Key_Right, Key.Key_P, Key.Key_Return, Key.Key_C])
def test_keys_on_an_empty_canvas_do_no_harm(robot: Robot, key) -> None:
    from gradviz.graph.model import Diagram

    robot.document.start(Diagram())
    for modifiers in (Qt.KeyboardModifier.NoModifier, ALT, CTRL, SHIFT):
        robot.key(key, modifiers)
    assert not len(robot.document.diagram.graph)
