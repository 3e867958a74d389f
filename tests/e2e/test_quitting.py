"""Start, edit, delete, quit: the exit code is 0 and nothing is said. What is closed is gone."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QMessageBox

from gradviz.edit import edits
from gradviz.files import native
from gradviz.graph.model import Place
from gradviz.gui.app import Application
from gradviz.gui.document import Selection
from gradviz.gui.main_window import MainWindow
from gradviz.picture.look import NodeLook
from gradviz.resources import example_files
from gradviz.text import mark
from tests.support.robot import Robot

ROOT = Path(__file__).parents[2]


def quits_cleanly(number: int) -> None:
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.e2e.quitting", str(number)]
    found = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=60
    )
    said = [line for line in found.stderr.splitlines() if "This plugin does not" not in line]
    assert (found.returncode, said, found.stdout) == (0, [], "")


@pytest.mark.parametrize("number", range(3))
def test_start_edit_delete_quit(number: int) -> None:
    quits_cleanly(number)


@pytest.mark.long
@pytest.mark.parametrize("number", range(20))
def test_start_edit_delete_quit_twenty_times(number: int) -> None:
    quits_cleanly(number)


def settle() -> None:
    """What is to be deleted is deleted."""
    for _ in range(2):
        QApplication.processEvents()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.collect()


TIMES = pytest.mark.parametrize("times", [10, pytest.param(100, marks=pytest.mark.long)])


@TIMES
@pytest.mark.timeout(600)
def test_windows_that_were_closed_are_gone_and_the_last_one_works(
    times: int, application: Application, qtbot, monkeypatch
) -> None:
    monkeypatch.setattr(QMessageBox, "exec", lambda _: QMessageBox.StandardButton.Discard)
    application.start((), film=False)
    gone = []
    for number in range(times):
        (window,) = application.windows
        window.document.edit(
            mark("edit", "Add"), lambda d: edits.add_node(d, "exp", Place(0, 0))[0]
        )
        application.open(example_files()[number % len(example_files())])
        assert len(application.windows) == 2
        window.asked_new.emit()
        gone += [weakref.ref(part) for part in (window, window.canvas, window.document)]
        window.close()
    del window
    settle()
    assert [ref() for ref in gone if ref() is not None] == []
    _works(application, qtbot)


@TIMES
def test_files_that_were_opened_in_one_window_are_gone_too(
    times: int, application: Application, window: MainWindow, qtbot
) -> None:
    gone = []
    for number in range(times):
        application.open(example_files()[number % len(example_files())])
        gone.append(weakref.ref(window.document.diagram))
        window.asked_new.emit()
    assert application.windows == [window]
    settle()
    assert [ref() for ref in gone if ref() is not None] == []
    _works(application, qtbot)


def _works(application: Application, qtbot) -> None:
    (window,) = application.windows
    application.open(next(p for p in example_files() if p.stem.endswith("nine-sevens")))
    with qtbot.waitActive(window):
        window.activateWindow()
    window.canvas.setFocus()
    first = native.dumps(window.document.diagram)
    Robot(window.canvas, window.player).wire("B", "s")
    assert window.document.undo_text == "Connect"
    window.do("undo")
    assert native.dumps(window.document.diagram) == first


def test_what_showed_a_node_is_freed_with_it(robot: Robot, window: MainWindow) -> None:
    robot.click(robot.header("s"))
    robot.double_click(robot.header("s"))
    QApplication.processEvents()
    parts = [window.canvas.entry.editor, *window.inspector.form.editors.values()]
    refs = [weakref.ref(part) for part in parts]
    assert len(refs) > 1
    del parts
    id = robot.id("s")
    window.document.edit(mark("edit", "Delete"), edits.delete, [id], select=Selection())
    robot.click(robot.header("B"))  # the form shows another node
    window.canvas.grab()
    settle()
    assert [ref() for ref in refs if ref() is not None] == []
    looks = [o for o in gc.get_objects() if isinstance(o, NodeLook) and o.id == id]
    assert looks == []


def test_the_history_holds_plain_data(robot: Robot, window: MainWindow) -> None:
    robot.wire("B", "s")
    robot.add("exp")
    robot.key(Qt.Key.Key_Delete)
    window.do("undo")
    waiting: list[object] = list(window.document.history.entries)
    seen = {id(item) for item in waiting}
    while waiting:
        item = waiting.pop()
        assert not isinstance(item, QObject | NodeLook), item
        for part in gc.get_referents(item):
            if id(part) not in seen and not isinstance(part, type) and not callable(part):
                seen.add(id(part))
                waiting.append(part)
    assert len(seen) > 50
