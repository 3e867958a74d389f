"""Any use of the window in any order: what is shown is what is there, and undo is exact."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from PySide6.QtCore import QPoint, Qt, QtMsgType, qInstallMessageHandler
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMenu, QMessageBox

from gradviz.files import native
from gradviz.graph.model import InPort
from gradviz.graph.validate import validate
from gradviz.gui.app import Application, qt_application
from gradviz.gui.document import Selection
from gradviz.gui.panels.sheet import Table
from gradviz.gui.tasks import Task
from gradviz.picture import geometry
from gradviz.picture.frame import wire_id
from gradviz.resources import example_files
from tests.support.robot import Robot

KEY = Qt.Key
NONE = Qt.KeyboardModifier.NoModifier
CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
MOST_NODES = 16
ELSEWHERE = {
    "new",
    "open",
    "save",
    "save_as",
    "export_png",
    "export_svg",
    "close",
    "quit",
    "undo",
    "redo",
}
"""Actions that are rules of their own, or that end the scene."""
NAMES = st.sampled_from(["y", "s", "", " ", "sum_2", "x" * 80, "x" * 81, "a b", "-"])
VALUES = st.sampled_from(
    ["2", "-0", "1/3", "nan", "inf", "[1, 2]", "[[1, 2], [3, 4]]", "[]", "x", "", "1,2", "1e400"]
)
CLIPS = st.sampled_from(
    ["y = x**2", "sum(X) * q", "1 2\n3 4", "7", "rubbish (", "", "{", '{"gradviz": 99}', "a\x00b"]
)
BUTTONS = st.sampled_from(
    [Qt.MouseButton.LeftButton] * 3 + [Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton]
)
MODIFIERS = st.sampled_from([NONE, NONE, CTRL, SHIFT, ALT, ALT | SHIFT, CTRL | SHIFT])
BREAKS = st.sampled_from(
    [None, None, None, KEY.Key_Escape, KEY.Key_Z, KEY.Key_Space, KEY.Key_Delete]
)
NUMBER = st.integers(0, 10**6)


class Hand(Robot):
    """A robot that calls nodes by their ids: names change here."""

    def id(self, name):
        return name


class Using(RuleBasedStateMachine):
    """Somebody at the window, with mouse and keys."""

    def __init__(self):
        super().__init__()
        self.faults = []
        self._hook, sys.excepthook = (
            sys.excepthook,
            lambda kind, error, _: self.faults.append(error),
        )
        self._handler = qInstallMessageHandler(self._hear)
        self._patch = pytest.MonkeyPatch()
        for dialog in (QDialog, QMessageBox, QMenu):
            self._patch.setattr(dialog, "exec", lambda *_: 0)
        for ask in ("getOpenFileName", "getSaveFileName"):
            self._patch.setattr(QFileDialog, ask, lambda *_: ("", ""))
        self._folder = tempfile.TemporaryDirectory()
        self.path = Path(self._folder.name) / "a.gradviz"
        self.application = Application(qt_application())
        self.window = self.application.new_window()
        self.window.show()
        self.window.open_example(next(p for p in example_files() if p.stem.endswith("nine-sevens")))
        self.window.activateWindow()
        assert QTest.qWaitForWindowActive(self.window)
        self.canvas, self.document = self.window.canvas, self.window.document
        self.robot = Hand(self.canvas, self.window.player)
        # No clock but ours: what the film shows depends on the rules alone.
        self.now = 0.0
        self.window.player._clock = lambda: self.now
        self.canvas._keys.clock = lambda: self.now
        self._begin()

    def _hear(self, kind, context, message):
        if kind is not QtMsgType.QtDebugMsg and not message.startswith(
            "This plugin does not support"
        ):
            self.faults.append(message)

    def _begin(self):
        """From here on undo goes back to here."""
        self.first = native.dumps(self.document.diagram)
        self.seen = [(self.document.diagram, self.first)]

    # What there is to act on.

    def node(self, number):
        ids = list(self.document.diagram.graph.nodes)
        return ids[number % len(ids)]

    def point(self, number):
        """A port, a header, the middle of a wire, or nothing."""
        graph = self.document.diagram.graph
        spots = [self.robot.empty(), QPoint(3, 3)]
        for id in graph.nodes:
            look = self.canvas.sight.look(id)
            middle = geometry.card_rect(look).center
            spots += [self.robot.screen(middle), self.robot.output(id)]
            spots += [self.robot.input(id, i) for i in range(len(look.card.inputs))]
        for wire in self.canvas.sight.frame().wires:
            spots.append(
                self.robot.screen(
                    ((wire.start.x + wire.end.x) / 2, (wire.start.y + wire.end.y) / 2)
                )
            )
        return spots[number % len(spots)]

    def key(self, key, modifiers=NONE):
        QTest.keyClick(self.canvas, key, modifiers)
        QApplication.processEvents()

    def choose(self, numbers):
        ids = {self.node(number) for number in numbers}
        self.document.select(Selection(frozenset(ids)))
        return ids

    def give_up(self):
        """Esc until nothing is open."""
        for _ in range(4):
            if (
                self.canvas.tool is None
                and not self.canvas.armed
                and self.robot.focus() is self.canvas
            ):
                return
            self.robot.key(KEY.Key_Escape)
        raise AssertionError("Esc does not end what is open")

    def one_step(self, before):
        """At most one step came."""
        assert self.document.history.cursor <= before + 1

    # What is done.

    @precondition(lambda self: len(self.document.diagram.graph) < MOST_NODES)
    @rule(
        text=st.sampled_from(
            ["exp", "sum", "+", "matmul", "var", "3", "concat", "nothing like it", ""]
        )
    )
    def add(self, text):
        before = self.document.history.cursor
        self.key(KEY.Key_Home)
        self.robot.double_click(self.robot.empty())
        self.robot.type(text)
        self.robot.key(KEY.Key_Return)
        self.give_up()
        self.one_step(before)

    @precondition(lambda self: self.document.diagram.graph.nodes)
    @rule(numbers=st.lists(NUMBER, min_size=1, max_size=3))
    def delete(self, numbers):
        before = self.document.history.cursor
        ids = self.choose(numbers)
        self.key(KEY.Key_Delete)
        assert not ids & self.document.diagram.graph.nodes.keys()
        assert self.document.selection == Selection()
        self.one_step(before)

    @precondition(lambda self: self.document.diagram.graph.nodes)
    @rule(source=NUMBER, end=NUMBER, index=st.integers(0, 2))
    def connect(self, source, end, index):
        before = self.document.history.cursor
        self.key(KEY.Key_Home)
        ids = self.node(source), self.node(end)
        count = len(self.canvas.sight.look(ids[1]).card.inputs)
        at = self.robot.input(ids[1], index % count) if count else self.robot.header(ids[1])
        self.robot.drag(self.robot.output(ids[0]), at)
        self.give_up()
        self.one_step(before)

    @precondition(lambda self: self.document.diagram.graph.nodes)
    @rule(node=NUMBER, x=st.integers(-300, 300), y=st.integers(-300, 300))
    def move(self, node, x, y):
        before = self.document.history.cursor
        self.key(KEY.Key_Home)
        start = self.robot.header(self.node(node))
        self.robot.drag(start, start + QPoint(x, y))
        self.one_step(before)

    @rule(
        start=NUMBER,
        way=st.lists(NUMBER, min_size=1, max_size=3),
        button=BUTTONS,
        modifiers=MODIFIERS,
        halfway=BREAKS,
    )
    def gesture(self, start, way, button, modifiers, halfway):
        """Any press anywhere, with something else in the midst of it."""
        before = self.document.history.cursor
        self.key(KEY.Key_Home)
        at = self.point(start)
        self.robot.press(at, modifiers, button)
        for number in way:
            at = self.point(number)
            self.robot.move(at)
        if halfway is not None:
            self.robot.key(halfway, CTRL if halfway is KEY.Key_Z else NONE)
        self.robot.release(at, modifiers, button)
        popup = QApplication.activePopupWidget()
        if popup is not None:
            popup.close()
        self.give_up()
        self.one_step(before)

    @precondition(lambda self: self.document.diagram.values)
    @rule(number=NUMBER, text=VALUES)
    def set_value(self, number, text):
        before = self.document.history.cursor
        ids = list(self.document.diagram.values)
        self.document.select(Selection(frozenset({ids[number % len(ids)]})))
        self.canvas.setFocus()
        self.robot.key(KEY.Key_Return)
        self.robot.focus().selectAll()
        self.robot.type(text)
        self.robot.key(KEY.Key_Return)
        self.give_up()
        self.one_step(before)

    @precondition(lambda self: self.document.diagram.graph.nodes)
    @rule(number=NUMBER, text=NAMES)
    def rename(self, number, text):
        before = self.document.history.cursor
        self.choose([number])
        self.canvas.setFocus()
        self.robot.key(KEY.Key_F2)
        assert self.robot.focus() is not self.canvas, QApplication.focusWidget()
        self.robot.focus().selectAll()
        self.robot.type(text)
        self.robot.key(KEY.Key_Return)
        self.give_up()
        self.one_step(before)

    @precondition(lambda self: 0 < len(self.document.diagram.graph) < MOST_NODES)
    @rule(numbers=st.lists(NUMBER, min_size=1, max_size=3))
    def copy_and_paste(self, numbers):
        before, count = self.document.history.cursor, len(self.document.diagram.graph)
        ids = self.choose(numbers)
        self.key(KEY.Key_C, CTRL)
        self.key(KEY.Key_V, CTRL)
        assert len(self.document.diagram.graph) == count + len(ids)
        assert len(self.document.selection.nodes) == len(ids)
        self.one_step(before)

    @precondition(lambda self: len(self.document.diagram.graph) < MOST_NODES)
    @rule(text=CLIPS)
    def paste_text(self, text):
        before = self.document.history.cursor
        QApplication.clipboard().setText(text)
        self.key(KEY.Key_V, CTRL)
        self.give_up()
        self.one_step(before)

    @precondition(lambda self: len(self.document.diagram.graph) < MOST_NODES)
    @rule(
        text=st.sampled_from(
            ["y = x**2", "z = exp(X) @ B", "y = ", "w = sum(X) + s", "matmul(X, B)"]
        )
    )
    def type_expression(self, text):
        before = self.document.history.cursor
        line = self.window.expression.line
        line.setFocus()
        line.setText(text)
        QTest.keyClick(line, KEY.Key_Return)
        self.give_up()
        self.canvas.setFocus()
        self.one_step(before)

    @rule(number=NUMBER, chosen=st.lists(NUMBER, max_size=3))
    def command(self, number, chosen):
        """Any command of the menus, on any selection."""
        if self.document.diagram.graph.nodes:
            self.choose(chosen)
        ids = sorted(self.window._actions.keys() - ELSEWHERE)
        before, cursor = self.document.diagram, self.document.history.cursor
        if len(before.graph) < MOST_NODES:
            self.window._actions[ids[number % len(ids)]].trigger()
            # What runs beside the window comes to its end first: else it would be luck which rule finds it.
            while any(task.running for task in self.window.findChildren(Task)):
                QTest.qWait(2)
            self.canvas.setFocus()
            self.give_up()
            self.one_step(cursor)

    @rule(
        keys=st.lists(
            st.sampled_from(
                [KEY.Key_Period, KEY.Key_Comma, KEY.Key_F10, KEY.Key_M, KEY.Key_F5, KEY.Key_Space]
            ),
            max_size=3,
        ),
        passed=st.floats(0, 3),
    )
    def run(self, keys, passed):
        """The film goes on, or is left playing."""
        before = self.document.diagram
        for key in keys:
            self.key(key)
            self.now += passed
            self.window.player.tick()
        assert self.document.diagram is before

    @rule(times=st.integers(1, 3))
    def undo(self, times):
        for _ in range(times):
            self.key(KEY.Key_Z, CTRL)

    @rule(times=st.integers(1, 3))
    def redo(self, times):
        for _ in range(times):
            self.key(KEY.Key_Y, CTRL)

    @rule(number=NUMBER)
    def jump(self, number):
        view = self.window.history.view
        row = number % (len(self.document.history) + 1)
        view.setCurrentIndex(self.window.history.model.index(row))
        QTest.keyClick(view, KEY.Key_Return)
        assert self.document.history.cursor == row

    @rule()
    def fail(self):
        """A save to where nothing can be saved."""
        before, path = self.document.diagram, self.document.path
        self.document.path = self.path / "no folder" / "a.gradviz"
        assert not self.window.do("save")
        self.document.path = path
        assert self.document.diagram is before

    @rule()
    def save_and_reopen(self):
        self.document.path = self.path
        assert self.window.do("save")
        assert not self.window.isWindowModified()
        present = native.dumps(self.document.diagram)
        self.all_the_way()
        assert native.load(self.path) is not None
        assert self.window.open_file(self.path)
        assert native.dumps(self.document.diagram) == present
        self._begin()

    # What is true at any time.

    @invariant()
    def nothing_broke(self):
        QApplication.processEvents()
        assert self.faults == []
        assert self.canvas.tool is None
        assert self.canvas.entry.editor is None
        assert self.canvas.entry.add_box is None
        assert not self.canvas.armed
        assert not self.canvas.moved

    @invariant()
    def the_diagram_is_whole(self):
        diagram = self.document.diagram
        validate(diagram)
        assert self.document.answer.diagram is diagram
        saved = native.dumps(diagram)
        known = next((bytes for old, bytes in self.seen if old is diagram), None)
        assert known in (None, saved)
        if known is None:
            self.seen.append((diagram, saved))

    @invariant()
    def the_canvas_shows_the_model(self):
        diagram, sight = self.document.diagram, self.canvas.sight
        looks = {look.id: look for look in sight.frame().nodes}
        assert len(looks) == len(sight.frame().nodes)
        assert looks.keys() == diagram.graph.nodes.keys()
        for id, look in looks.items():
            assert tuple(look.place) == tuple(diagram.places[id])
        wires = {wire.id: wire for wire in sight.frame().wires}
        assert len(wires) == len(sight.frame().wires)
        ends = {
            InPort(node.id, index): port
            for node in diagram.graph
            for index, port in enumerate(node.inputs)
            if port is not None
        }
        assert wires.keys() == {wire_id(end) for end in ends}
        for end, port in ends.items():
            wire = wires[wire_id(end)]
            assert wire.start == geometry.output_point(looks[port.node], port.index)
            assert wire.end == geometry.input_point(looks[end.node], end.index)

    @invariant()
    def nothing_shows_what_is_gone(self):
        graph, window = self.document.diagram.graph, self.window
        selection = self.document.selection
        assert selection.nodes <= graph.nodes.keys()
        assert selection.wire is None or selection.wire.node in graph
        assert selection.cell is None or selection.cell.node in selection.nodes
        assert self.canvas.pointer.hover is None or self.canvas.pointer.hover[0] in graph
        assert window.inspector.form._node is None or window.inspector.form._node in list(graph)
        tables = [block for block in window.inspector.blocks if isinstance(block, Table)]
        assert {table.node for table in tables if table.node} <= graph.nodes.keys()
        assert 0 <= window.player.position <= len(window.player.timeline)

    @invariant()
    def the_history_is_what_it_says(self):
        window, history = self.window, self.document.history
        assert window.history.model.rowCount() == len(history) + 1
        assert window.history.view.currentIndex().row() == history.cursor
        assert window._actions["undo"].isEnabled() == (history.cursor > 0)
        assert window._actions["redo"].isEnabled() == (history.cursor < len(history))
        assert window.isWindowModified() == window.has_changes

    def all_the_way(self):
        """Undo to the first bytes, redo to the last, each step as it was."""
        history = self.document.history
        cursor, last = history.cursor, native.dumps(self.document.diagram)
        for id, end in (("undo", 0), ("redo", len(history))):
            while history.cursor != end:
                self.window.do(id)
                self.the_diagram_is_whole()
            if end == 0:
                assert native.dumps(self.document.diagram) == self.first
        self.document.jump(cursor)
        assert native.dumps(self.document.diagram) == last

    def teardown(self):
        try:
            self.give_up()
            self.all_the_way()
            self.nothing_broke()
        finally:
            self.document.history.mark_clean()
            self.window._first = self.document.diagram
            self.window.close()
            QApplication.instance().removeEventFilter(self.application)
            self.application.deleteLater()
            QApplication.processEvents()
            self._patch.undo()
            self._folder.cleanup()
            qInstallMessageHandler(self._handler)
            sys.excepthook = self._hook


@pytest.mark.usefixtures("qapp")
class TestUsing(Using.TestCase):
    """200 actions."""

    settings = settings(max_examples=10, stateful_step_count=20, derandomize=True)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.usefixtures("qapp")
class TestManyUses(Using.TestCase):
    """The full figure: 10,000 actions."""

    settings = settings(max_examples=200, stateful_step_count=50)
