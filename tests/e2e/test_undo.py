"""Undo, as a person meets it: one step for each change, with a name; never the view, never the film."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from gradviz.edit import edits
from gradviz.files import native
from gradviz.graph.model import Diagram, InPort, Place
from gradviz.gui import paste
from gradviz.gui.canvas.gestures import GESTURES, NONE, Ground
from gradviz.gui.document import CellRef, Selection
from gradviz.gui.main_window import MainWindow
from gradviz.text import mark
from tests.support.robot import Robot

KEY = Qt.Key
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def press_undo(robot: Robot) -> None:
    """Ctrl+Z, wherever the focus is."""
    focus = QApplication.focusWidget()
    QTest.keyClick(focus if focus is not None else robot.canvas, KEY.Key_Z, CTRL)
    QApplication.processEvents()


def saved(window: MainWindow) -> bytes:
    return native.dumps(window.document.diagram)


def nudge(robot: Robot, name: str = "s") -> None:
    robot.document.select(Selection(frozenset({robot.id(name)})))
    robot.key(KEY.Key_Right)


def move(robot: Robot) -> None:
    robot.drag(robot.header("B"), robot.header("B") + QPoint(40, 40))


def add(robot: Robot) -> None:
    robot.add("exp")


def connect(robot: Robot) -> None:
    robot.wire("B", "s")


def remove_wire(robot: Robot) -> None:
    robot.document.select(Selection(wire=InPort(robot.id("s"), 0)))
    robot.key(KEY.Key_Delete)


def change_value(robot: Robot) -> None:
    robot.type_value("X", "4")


def rename(robot: Robot) -> None:
    robot.document.select(Selection(frozenset({robot.id("B")})))
    robot.key(KEY.Key_F2)
    robot.focus().selectAll()
    robot.type("bias")
    robot.key(KEY.Key_Return)


def delete(robot: Robot) -> None:
    robot.click(robot.header("s"))
    robot.key(KEY.Key_Delete)


def cut(robot: Robot) -> None:
    robot.click(robot.header("s"))
    robot.key(KEY.Key_X, CTRL)


def paste_nodes(robot: Robot) -> None:
    QTest.keyClick(robot.canvas, KEY.Key_A, CTRL)
    QTest.keyClick(robot.canvas, KEY.Key_C, CTRL)
    QTest.keyClick(robot.canvas, KEY.Key_V, CTRL)


def breakpoint_(robot: Robot) -> None:
    robot.click(robot.header("s"))
    robot.key(KEY.Key_B)


def target(robot: Robot) -> None:
    robot.click(robot.header("s"))
    robot.key(KEY.Key_T)


def by_node(robot: Robot) -> None:
    robot.click(robot.header("s"))
    robot.key(KEY.Key_W)


STEPS: dict[str, Callable[[Robot], None]] = {
    "Move": move,
    "Add": add,
    "Connect": connect,
    "Remove a wire": remove_wire,
    "Change a value": change_value,
    "Rename": rename,
    "Delete": delete,
    "Paste": paste_nodes,
    "Breakpoint": breakpoint_,
    "Choose the target": target,
    "Choose what to differentiate by": by_node,
}


@pytest.mark.parametrize("name", STEPS)
def test_each_change_is_one_step_with_a_name_and_undo_is_exact(
    name: str, robot: Robot, window: MainWindow
) -> None:
    first = saved(window)
    STEPS[name](robot)
    last, selection = saved(window), window.document.selection
    assert last != first
    assert len(window.document.history) == 1
    assert window._actions["undo"].text() == f"&Undo {name}"
    assert not window._actions["redo"].isEnabled()
    for _ in range(2):
        press_undo(robot)
        assert saved(window) == first
        assert window._actions["redo"].text() == f"&Redo {name}"
        assert not window._actions["undo"].isEnabled()
        QTest.keyClick(robot.canvas, KEY.Key_Y, CTRL)
        assert saved(window) == last
        assert window.document.selection.nodes == selection.nodes


def test_any_undos_redos_and_jumps_show_the_very_bytes(robot: Robot, window: MainWindow) -> None:
    states = [saved(window)]
    for do in (move, add, connect, change_value, delete, paste_nodes):
        do(robot)
        states.append(saved(window))
    at = len(states) - 1
    for step in (-1, -1, 1, -1, -1, -1, 1, -1, -1, -1, 1, 1):
        window.do("undo" if step < 0 else "redo")
        at = min(max(at + step, 0), len(states) - 1)
        assert saved(window) == states[at]
    for at in (6, 0, 4, 1, 5):
        window.document.jump(at)
        assert saved(window) == states[at]


def test_the_selection_comes_back_with_the_step(robot: Robot, window: MainWindow) -> None:
    document = window.document
    robot.click(robot.header("B"))
    before = document.selection
    new = robot.add("exp")
    assert document.selection == Selection(frozenset({new}))
    robot.click(robot.header("X"))
    press_undo(robot)
    assert document.selection == before
    QTest.keyClick(robot.canvas, KEY.Key_Y, CTRL)
    assert document.selection == Selection(frozenset({new}))


def test_choosing_is_no_step(robot: Robot, window: MainWindow) -> None:
    for name in ("B", "s", "X"):
        robot.click(robot.header(name))
    QTest.keyClick(robot.canvas, KEY.Key_A, CTRL)
    robot.drag(QPoint(2, 2), QPoint(900, 500))
    robot.key(KEY.Key_Escape)
    assert len(window.document.history) == 0


def test_neither_the_view_nor_the_film_is_undone(robot: Robot, window: MainWindow) -> None:
    window.player.seek(4)
    nudge(robot)
    robot.wheel(QPoint(300, 200), 240)
    window.player.seek(7)
    address, camera = window.player.step.address, window.canvas.camera
    for id in ("undo", "redo", "undo"):
        window.do(id)
        assert window.player.step.address == address
        assert window.canvas.camera == camera
    assert len(window.document.history) == 1


def test_the_film_returns_to_the_step_that_undo_brings_back(
    robot: Robot, window: MainWindow
) -> None:
    steps = range(len(window.player.timeline) + 1)
    last = robot.id("y")
    of_y = [n for n in steps[1:] if window.player.timeline.step(n).address.node == last]
    window.player.seek(of_y[0])
    address = window.player.step.address
    robot.click(robot.header("y"))
    robot.key(KEY.Key_Delete)
    assert window.player.step is None or window.player.step.address != address
    press_undo(robot)
    assert window.player.step.address == address
    # Unless somebody went elsewhere meanwhile.
    window.do("redo")
    window.player.to_start()
    window.do("undo")
    assert window.player.position == 0


def test_the_view_is_saved_apart(robot: Robot, window: MainWindow) -> None:
    plain, path = saved(window), window.canvas.view_state()
    nudge(robot)
    robot.wheel(QPoint(300, 200), 240)
    window.do("undo")
    document = json.loads(native.dumps(window.document.diagram, window.canvas.view_state()))
    assert document.pop("view") != path
    again = json.loads(plain)
    again.pop("view", None)
    assert document == again


def spots(robot: Robot) -> dict[Ground, QPoint]:
    """Where each kind of thing is under the pointer."""
    canvas = robot.canvas
    handle = canvas.handle()
    assert handle is not None
    wire = canvas.sight.wire(InPort(robot.id("y"), 0))
    assert wire is not None
    between = ((wire.start.x + wire.end.x) / 2, (wire.start.y + wire.end.y) / 2)
    return {
        Ground.NOTHING: robot.empty(),
        Ground.WIRE: robot.screen(between),
        Ground.PIN: robot.screen(PIN),
        Ground.HANDLE: robot.screen(handle.center),
        Ground.PORT: robot.output("s"),
        Ground.CARD: robot.header("B"),
    }


PIN = Place(300, -60)
ROWS = [(number, ground) for number, row in enumerate(GESTURES) for ground in row.ground]


@pytest.mark.parametrize("key", [KEY.Key_Z, KEY.Key_Y])
@pytest.mark.parametrize("done", [0, 1])
def test_undo_during_any_gesture_drops_the_gesture_only(
    key: KEY, done: int, robot: Robot, window: MainWindow
) -> None:
    """Every row of the table of gestures, on all that it begins on."""
    document, canvas = window.document, window.canvas
    document.edit(mark("edit", "Lead"), edits.set_route, InPort(robot.id("square"), 0), [PIN])
    window.resize(1800, 1100)
    QApplication.processEvents()
    window.open_diagram(document.diagram)
    move(robot)
    document.jump(done)
    dragged = set()
    for number, ground in ROWS:
        row = GESTURES[number]
        document.select(Selection(frozenset({"X"}), None, CellRef("X", "value", (0, 0))))
        at = spots(robot)[ground]
        before = (saved(window), document.selection, canvas.camera)
        steps = len(document.history)
        canvas.armed = row.armed
        modifiers = row.modifiers if row.modifiers is not None else NONE
        robot.press(at, modifiers, row.button)
        if canvas.tool is None:
            # A click only; what it has done is a step of its own, or none.
            robot.release(at, modifiers, row.button)
            document.jump(done)
            continue
        dragged.add(number)
        robot.move(at + QPoint(60, 30), at + QPoint(120, 80))
        QTest.keyClick(canvas, key, CTRL)
        assert canvas.tool is None, row
        assert (saved(window), document.selection, canvas.camera) == before, row
        robot.release(at + QPoint(120, 80), modifiers, row.button)
        assert (saved(window), document.selection, canvas.camera) == before, row
        assert (document.history.cursor, len(document.history)) == (done, steps), row
        canvas.armed = ""
    # All but choosing a wire and breaking one.
    assert len(dragged) == len(GESTURES) - 2


def test_in_an_editor_undo_takes_back_typing_then_the_editor_then_the_step(
    robot: Robot, window: MainWindow
) -> None:
    nudge(robot)
    moved = saved(window)
    robot.double_click(robot.value("X"))
    robot.type("42")
    editor = window.canvas.entry.editor
    assert editor is not None
    press_undo(robot)
    assert editor.text() == "1"
    assert saved(window) == moved
    assert window.canvas.entry.editor is editor
    press_undo(robot)
    assert window.canvas.entry.editor is None
    assert saved(window) == moved
    press_undo(robot)
    assert window.document.is_clean
    # What was taken is one step, and gone with one.
    first = saved(window)
    robot.type_value("X", "42")
    press_undo(robot)
    assert saved(window) == first


def test_the_add_box_that_is_open_is_all_that_undo_closes(robot: Robot, window: MainWindow) -> None:
    nudge(robot)
    robot.double_click(robot.empty())
    robot.type("ex")
    press_undo(robot)
    press_undo(robot)
    assert window.canvas.entry.add_box is None
    assert len(window.document.history) == 1
    assert not window.document.is_clean


def test_a_setting_that_was_typed_is_undone_from_where_it_was_typed(
    robot: Robot, window: MainWindow
) -> None:
    robot.click(robot.header("s"))
    QApplication.processEvents()
    form = next(c for c in window.inspector.findChildren(QLineEdit) if c.text() == "s")
    form.setFocus()
    form.selectAll()
    QTest.keyClicks(form, "total")
    QTest.keyClick(form, KEY.Key_Return)
    assert "total" in window.document.diagram.graph.id_of_name
    press_undo(robot)
    assert "s" in window.document.diagram.graph.id_of_name
    assert window.document.is_clean
    # What is not taken yet is undone as text.
    QTest.keyClicks(form, "x")
    press_undo(robot)
    assert form.text() == "s"
    assert window.document.is_clean


def test_nudges_are_one_step_until_a_pause_or_another_choice(
    robot: Robot, window: MainWindow
) -> None:
    now = 100.0
    window.canvas._keys.clock = lambda: now
    nudge(robot)
    robot.key(KEY.Key_Down)
    robot.key(KEY.Key_Down, SHIFT)
    assert len(window.document.history) == 1
    now += 1.5
    robot.key(KEY.Key_Down)
    assert len(window.document.history) == 2
    nudge(robot, "B")
    nudge(robot, "s")
    assert len(window.document.history) == 4
    for _ in range(4):
        press_undo(robot)
    assert window.document.is_clean


@pytest.mark.parametrize("what", ["a number", "the points of a wire"])
def test_whatever_arrows_change_is_parted_by_a_pause(
    what: str, robot: Robot, window: MainWindow
) -> None:
    document, now, end = window.document, 100.0, InPort(robot.id("square"), 0)
    window.canvas._keys.clock = lambda: now
    document.edit(mark("edit", "Lead"), edits.set_route, end, [PIN])
    document.select(
        Selection(frozenset({"X"}), None, CellRef("X", "value", (0, 0)))
        if what == "a number"
        else Selection(wire=end)
    )
    for passed, steps in ((0.0, 2), (0.2, 2), (1.5, 3), (0.2, 3)):
        now += passed
        # Alt and an arrow step a number; an arrow alone moves points.
        modifiers = Qt.KeyboardModifier
        robot.key(KEY.Key_Up, modifiers.AltModifier if what == "a number" else modifiers.NoModifier)
        assert len(document.history) == steps


def test_nudges_that_lead_back_are_no_step(robot: Robot, window: MainWindow) -> None:
    nudge(robot)
    robot.key(KEY.Key_Left)
    assert len(window.document.history) == 0
    assert not window.isWindowModified()
    nudge(robot)
    assert len(window.document.history) == 1


def test_a_drag_of_several_is_one_step_and_one_back_to_the_start_none(
    robot: Robot, window: MainWindow
) -> None:
    QTest.keyClick(robot.canvas, KEY.Key_A, CTRL)
    start = robot.header("B")
    robot.press(start)
    robot.move(*(start + QPoint(10 * n, 7 * n) for n in range(1, 8)))
    robot.release(start + QPoint(70, 49))
    assert len(window.document.history) == 1
    press_undo(robot)
    assert window.document.is_clean
    robot.press(start)
    robot.move(start + QPoint(80, 80), start)
    robot.release(start)
    assert window.document.is_clean
    assert len(window.document.history) == 1  # what was undone can still be done again


def test_what_is_refused_or_changes_nothing_is_no_step(robot: Robot, window: MainWindow) -> None:
    robot.wire("y", "square")  # a cycle
    robot.type_value("X", "1")  # the number it has
    robot.click(robot.header("B"))
    robot.key(KEY.Key_F2)
    robot.key(KEY.Key_Return)  # the name it has
    robot.document.select(Selection())
    robot.key(KEY.Key_Delete)
    assert paste.paste_text(window.document, "{", Place(0, 0), window.framer.sizes) is not None
    assert len(window.document.history) == 0


def test_a_paste_of_many_is_one_step(robot: Robot, window: MainWindow) -> None:
    first = saved(window)
    paste_nodes(robot)
    pasted = window.document.selection.nodes
    assert len(pasted) == len(window.document.diagram.graph) // 2
    press_undo(robot)
    assert saved(window) == first


def test_undo_at_the_bottom_and_redo_at_the_top_do_nothing(
    robot: Robot, window: MainWindow
) -> None:
    for diagram in (window.document.diagram, Diagram()):
        window.open_diagram(diagram)
        first = saved(window)
        for id in ("undo", "redo", "undo"):
            window.do(id)
            QTest.keyClick(robot.canvas, KEY.Key_Z, CTRL)
            QTest.keyClick(robot.canvas, KEY.Key_Y, CTRL)
        assert saved(window) == first
        assert not window._actions["undo"].isEnabled()
        assert not window._actions["redo"].isEnabled()


def test_a_canvas_after_undo_is_the_one_of_a_fresh_load(robot: Robot, window: MainWindow) -> None:
    """No look, no wire, no port of what was undone stays behind."""
    connect(robot)
    add(robot)
    delete(robot)
    window.document.jump(1)
    window.document.select(Selection())
    window.player.to_end()
    window.canvas.camera = camera = window.canvas.camera
    shown = window.canvas.grab().toImage()
    window.open_diagram(native.loads(saved(window)))
    window.player.to_end()
    window.canvas.camera = camera
    assert window.canvas.grab().toImage() == shown


def test_what_goes_wrong_in_computing_leaves_document_and_undo_whole(
    robot: Robot, window: MainWindow, monkeypatch
) -> None:
    first = saved(window)

    def broken(*_: object) -> None:
        raise RuntimeError("the engine is broken")

    with monkeypatch.context() as patch:
        patch.setattr("gradviz.gui.document._answer", broken)
        with pytest.raises(RuntimeError):
            window.canvas.adding.drop("exp", window.canvas.sight.view().center, None)
        assert len(window.document.diagram.graph) == 8
        window.canvas.grab()
    window.do("undo")
    assert saved(window) == first
    assert not window.document.computing
    window.do("redo")
    assert window.document.answer.diagram is window.document.diagram
    robot.wire("B", "s")
    assert window.document.undo_text == "Connect"


def test_an_edit_that_breaks_changes_nothing(window: MainWindow) -> None:
    first = window.document.diagram

    def broken(diagram: Diagram) -> Diagram:
        raise RuntimeError("the edit is broken")

    with pytest.raises(RuntimeError):
        window.document.edit(mark("edit", "Break"), broken)
    assert window.document.diagram is first
    assert len(window.document.history) == 0


@pytest.mark.parametrize("when", ["move", "release"])
def test_a_gesture_that_breaks_is_dropped_at_once(
    when: str, robot: Robot, window: MainWindow, monkeypatch
) -> None:
    first = saved(window)

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the gesture is broken")

    with monkeypatch.context() as patch:
        patch.setattr(f"gradviz.gui.canvas.wiring.Wire.{when}", broken)
        with pytest.raises(RuntimeError):
            robot.wire("B", "s")
    assert window.canvas.tool is None
    assert not window.canvas.refusal
    assert saved(window) == first
    robot.wire("B", "s")
    assert window.document.undo_text == "Connect"


def test_an_editor_whose_edit_breaks_keeps_what_was_typed(
    robot: Robot, window: MainWindow, monkeypatch
) -> None:
    first = saved(window)

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the edit is broken")

    with monkeypatch.context() as patch:
        patch.setattr(edits, "set_cell", broken)
        with pytest.raises(RuntimeError):
            robot.type_value("X", "5")
    editor = window.canvas.entry.editor
    assert editor is not None
    assert editor.text() == "5"
    assert saved(window) == first
    robot.key(KEY.Key_Return)
    assert window.document.diagram.values["X"][0, 0] == 5
    assert window.canvas.entry.editor is None


def test_a_view_that_breaks_does_not_stop_the_others(
    robot: Robot, window: MainWindow, monkeypatch, capture_faults
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the list is broken")

    monkeypatch.setattr(window.history.model, "follow", broken)
    connect(robot)
    assert capture_faults
    assert window.document.undo_text == "Connect"
    assert window._actions["undo"].isEnabled()
    press_undo(robot)
    assert window.document.is_clean
