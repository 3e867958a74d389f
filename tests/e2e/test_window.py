"""The whole window, as a person meets it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QPushButton, QTabBar

import gradviz as gv
from gradviz.edit import layout
from gradviz.files import native
from gradviz.graph.model import OutPort
from gradviz.gui.app import Application
from gradviz.gui.document import Selection
from gradviz.gui.main_window import MainWindow
from gradviz.gui.panels.sheet import Absence, Table
from gradviz.ops import registry
from gradviz.picture.look import State
from gradviz.resources import example_files
from tests.support.robot import Robot


def start(application: Application, qtbot, *files: Path, film: bool = False) -> MainWindow:
    application.start(files, film=film)
    window = application.windows[0]
    with qtbot.waitActive(window):
        window.activateWindow()
    window.canvas.setFocus()
    QApplication.processEvents()
    return window


def node(window: MainWindow, name: str) -> OutPort:
    return OutPort(window.document.diagram.node_called(name).id)


def gradient(window: MainWindow, name: str) -> np.ndarray | None:
    return window.document.answer.adjoint(node(window, name))


def test_the_first_start_shows_nine_sevens_and_plays(application: Application, qtbot) -> None:
    window = start(application, qtbot, film=True)
    assert "Nine sevens" in window.windowTitle()
    assert window.is_opening
    assert window.player.position == 0
    window._opening.timeout.emit()
    assert window.player.playing
    QTest.keyClick(window.canvas, Qt.Key.Key_Space)
    assert not window.player.playing
    QTest.keyClick(window.canvas, Qt.Key.Key_Space)
    assert window.player.playing
    window.player.to_end()
    assert (gradient(window, "X") == 7).all()
    assert gradient(window, "B") is None
    assert window.is_untouched


def test_the_first_click_pauses_and_acts(application: Application, qtbot) -> None:
    window = start(application, qtbot, film=True)
    window._opening.timeout.emit()
    robot = Robot(window.canvas, window.player)
    robot.click(robot.header("B"))
    assert not window.player.playing
    assert window.document.selection.only == "B"


def test_later_starts_show_the_files_of_last_time(
    application: Application, qtbot, tmp_path: Path
) -> None:
    application.settings.note_start()
    gv.save(tmp_path / "mine.gradviz", gv.variable(1.0, name="x") * 2)
    application.settings.files = [tmp_path / "mine.gradviz"]
    window = start(application, qtbot, film=True)
    assert window.document.path == tmp_path / "mine.gradviz"
    assert not window.is_opening


def test_every_example_opens_as_an_untitled_copy(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    for path in example_files():
        application.open(path)
        assert window.document.path is None
        assert window.document.failure is None
        assert not window.isWindowModified()
        assert not window.grab().isNull()
    assert len(application.windows) == 1


def test_before_backward_no_gradient_band_holds_a_digit(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    for position in range(window.player.timeline.forward + 1):
        window.player.seek(position)
        frame = window.canvas.sight.frame()
        assert all(look.gradient.state is State.WAITING for look in frame.nodes)


def test_n_steps_on_and_n_back_restores_the_picture(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    window.player.to_start()
    first = window.canvas.grab().toImage()
    steps = len(window.player.timeline)
    for _ in range(steps):
        QTest.keyClick(window.canvas, Qt.Key.Key_Period)
        window.player._rest()
    assert window.player.position == steps
    for _ in range(steps):
        QTest.keyClick(window.canvas, Qt.Key.Key_Comma)
    assert window.player.position == 0
    assert window.canvas.grab().toImage() == first


def test_scrubbing_to_a_step_equals_stepping_to_it(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    window.player.to_start()
    for _ in range(9):
        window.player.forward()
        window.player._rest()
    stepped = window.canvas.grab().toImage()
    window.player.to_end()
    window.player.seek(9)
    assert window.canvas.grab().toImage() == stepped


def test_drawing_the_missing_wire_turns_none_into_numbers(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    robot = Robot(window.canvas, window.player)
    robot.wire("B", "s")
    assert (gradient(window, "B") == 21).all()
    assert gradient(window, "X") is None
    window.do("undo")
    assert gradient(window, "B") is None


def test_a_typed_expression_is_built_in_one_step(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    window.do("new")
    window.do("type_expression")
    line = window.expression.line
    line.setText("")
    QTest.keyClicks(line, "y = x**2 + x - 1")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert {n.op for n in window.document.diagram.graph} == {
        "variable",
        "square",
        "add",
        "constant",
        "subtract",
    }
    robot = Robot(window.canvas, window.player)
    robot.type_value("x", "2")
    assert window.document.answer.value(node(window, "y")) == 5
    assert gradient(window, "x") == 5
    assert window.document.answer.coincidence is not None
    window.do("undo")
    window.do("undo")
    assert not len(window.document.diagram.graph)


def test_a_faulty_expression_changes_nothing_and_stays(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    before = window.document.diagram
    line = window.expression.line
    line.setText("y = sum(X")
    line.setFocus()
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert window.document.diagram is before
    assert line.text() == "y = sum(X"


def test_save_open_and_the_unsaved_mark(
    application: Application, qtbot, tmp_path: Path, monkeypatch
) -> None:
    window = start(application, qtbot)
    robot = Robot(window.canvas, window.player)
    robot.type_value("X", "4")
    assert window.isWindowModified()
    path = tmp_path / "mine"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    assert window.do("save")
    assert not window.isWindowModified()
    assert native.load(tmp_path / "mine.gradviz").values["X"][0, 0] == 4
    robot.type_value("X", "5")
    QTest.keyClick(window, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert native.load(tmp_path / "mine.gradviz").values["X"][0, 0] == 5


@pytest.mark.parametrize(
    ("button", "closes"),
    [
        (QMessageBox.StandardButton.Cancel, False),
        (QMessageBox.StandardButton.Discard, True),
    ],
)
def test_closing_asks_about_changes(
    application: Application, qtbot, monkeypatch, button, closes: bool
) -> None:
    window = start(application, qtbot)
    asked = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: asked.append(box.text()) or button)
    Robot(window.canvas, window.player).type_value("X", "4")
    assert window.close() is closes
    assert len(asked) == 1


def test_an_untouched_copy_closes_without_a_question(
    application: Application, qtbot, monkeypatch
) -> None:
    window = start(application, qtbot)
    monkeypatch.setattr(QMessageBox, "exec", lambda _: pytest.fail("a question was asked"))
    window.player.play()
    window.canvas.zoom_by(1.2)
    assert window.close()


def test_a_file_that_cannot_be_read_is_told_in_words(
    application: Application, qtbot, monkeypatch, tmp_path
) -> None:
    window = start(application, qtbot)
    bad = tmp_path / "bad.gradviz"
    bad.write_text("{")
    said = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: said.append(box.informativeText()))
    application.open(bad)
    assert "bad.gradviz" in said[0]
    assert "Nine sevens" in window.windowTitle()


def test_a_failed_save_keeps_the_document(
    application: Application, qtbot, monkeypatch, tmp_path
) -> None:
    window = start(application, qtbot)
    Robot(window.canvas, window.player).type_value("X", "4")
    said = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: said.append(box.informativeText()))
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "no" / "a.gradviz"), "")
    )
    assert not window.do("save")
    assert said
    assert window.isWindowModified()


def test_check_shows_its_verdict(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    with qtbot.waitSignal(window.command("check").__self__.checker.done, timeout=20_000):
        window.do("check")
    assert "agree" in window.problems._verdict.whole


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_export(application: Application, qtbot, monkeypatch, tmp_path: Path, kind: str) -> None:
    window = start(application, qtbot)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "picture"), ""))
    window.do(f"export_{kind}")
    assert (tmp_path / f"picture.{kind}").stat().st_size > 3000


def test_an_exception_is_one_line_and_the_document_can_be_saved(
    application: Application, qtbot, tmp_path
) -> None:
    window = start(application, qtbot)
    try:
        raise ZeroDivisionError("a bug")
    except ZeroDivisionError as error:
        for _ in range(5):
            application._reporter._report(type(error), error, error.__traceback__)
    assert window.fault.isVisible()
    assert "ZeroDivisionError" in window.fault.report
    assert str(Path.home()) not in window.fault.report
    window.document.save(tmp_path / "saved.gradviz")
    assert (tmp_path / "saved.gradviz").exists()


def test_choosing_target_and_wrt(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    window.document.select(Selection(frozenset({node(window, "square").node})))
    window.do("make_target")
    assert (gradient(window, "X") == 6).all()
    window.document.select(Selection(frozenset({"s"})))
    window.do("toggle_wrt")
    assert "s" in [port.node for port in window.document.answer.question.wrt]
    window.do("undo")
    window.do("undo")
    assert (gradient(window, "X") == 7).all()


def test_themes_follow_the_choice(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    light = window.canvas.grab().toImage()
    window.theme_chosen.emit("dark")
    assert window.canvas.grab().toImage() != light
    assert application.settings.theme == "dark"


def test_less_motion_is_a_choice_that_is_remembered(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    (view,) = [m for m in window.menuBar().actions() if m.text() == "&View"]
    (item,) = [a for a in view.menu().actions() if a.text() == "&Less motion"]
    assert not item.isChecked()
    item.trigger()
    window.player.to_start()
    window.player.forward()
    assert (window.player.position, window.player.progress) == (1, 1.0)
    assert application.settings.reduced_motion
    assert application.new_window().player.reduced_motion


def test_draw_again_is_one_step_and_the_gradient_is_still_two_s_plus_one(
    application: Application, qtbot
) -> None:
    window = start(application, qtbot)
    application.open(next(p for p in example_files() if "random" in p.stem))
    before = window.document.answer.value(node(window, "X"))
    window.do("draw_again")
    after = window.document.answer.value(node(window, "X"))
    s = window.document.answer.value(node(window, "s"))
    assert not np.array_equal(before, after)
    found = gradient(window, "X")
    assert found is not None
    assert found.dtype == np.float32
    assert (found == np.float32(2) * s + np.float32(1)).all()
    window.do("undo")
    assert np.array_equal(before, window.document.answer.value(node(window, "X")))


def test_closing_while_playing_leaves_nothing_running(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    window.player.to_start()
    window.player.play()
    assert window.close()
    assert application.windows == []


def test_show_blocks_until_the_window_is_closed(application: Application, qtbot) -> None:
    shown = []

    def close() -> None:
        for window in list(application.windows):
            shown.append(window.document.answer.value(node(window, "y")))
            window.close()

    QTimer.singleShot(0, close)
    gv.show(gv.variable(2.0, name="x") ** 2 + 1)
    assert shown == [5]


def test_the_inspector_goes_along_with_the_film(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    window.player.seek(9)
    texts = [getattr(block, "text", "") for block in window.inspector.blocks]
    assert "s = sum(X)" in texts
    window.player.to_start()
    assert not any(isinstance(block, Table) for block in window.inspector.blocks)


def test_choosing_does_not_touch_an_untitled_copy(
    application: Application, qtbot, monkeypatch
) -> None:
    window = start(application, qtbot)
    monkeypatch.setattr(QMessageBox, "exec", lambda _: pytest.fail("a question was asked"))
    window.document.select(Selection(frozenset({node(window, "square").node})))
    window.do("make_target")
    assert window.document.undo_text == "Choose the target"
    assert not window.isWindowModified()
    assert window.close()


def test_a_new_table_is_open_for_typing(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    window.do("new")
    window.expression.submitted.emit("y = sum(M)")
    editor = window.canvas.entry.editor
    assert editor is not None
    QTest.keyClicks(editor, "5")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert window.document.diagram.values[node(window, "M").node][0, 0] == 5


def test_what_is_typed_is_asked_and_covers_nothing(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    window.expression.submitted.emit("L = mean((W @ X - 1)**2)")
    diagram = window.document.diagram
    assert [diagram.graph[id].name for id in diagram.query.wrt] == ["X", "B", "W"]
    cards = layout.card_boxes(diagram, window.framer.sizes(window.document.answer)).values()
    for note in layout.note_boxes(diagram):
        for card in cards:
            beside = card.left >= note.right or card.right <= note.left
            assert beside or card.top >= note.bottom or card.bottom <= note.top


def test_use_zeros_and_none_again(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    window.document.select(Selection(frozenset({"B"})))
    (absence,) = [b for b in window.inspector.blocks if isinstance(b, Absence)]
    (zeros,) = absence.remedies

    def shown() -> list[QPushButton]:
        buttons = window.inspector.findChildren(QPushButton)
        return [b for b in buttons if b.isVisible() and b.text() == zeros.text]

    qtbot.waitUntil(lambda: len(shown()) == 1)
    QTest.mouseClick(shown()[0], Qt.MouseButton.LeftButton)
    result = window.document.answer.result(OutPort("B"))
    assert result is not None
    assert result.tolist() == [[0, 0], [0, 0]]
    window.do("undo")
    assert window.document.answer.result(OutPort("B")) is None


ROOT = Path(__file__).parents[2]
LEAN = """
import sys
from PySide6.QtCore import QTimer
from gradviz.gui import app
def look():
    heavy = [m for m in ("networkx", "PIL", "scipy", "ziamath") if m in sys.modules]
    print("heavy:", heavy)
    for window in qt.findChild(app.Application).windows:
        window.close()
qt = app.qt_application()
application = app.Application(qt)
application.start([], film=True)
QTimer.singleShot(50, look)
sys.exit(qt.exec())
"""


def test_the_program_starts_lean_and_ends_clean() -> None:
    command = [sys.executable, "-c", LEAN]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert found.stdout.strip() == "heavy: []"
    assert found.returncode == 0
    assert [line for line in found.stderr.splitlines() if "propagateSizeHints" not in line] == []


def test_an_op_of_ones_own_is_at_home_in_the_window(
    application: Application, qtbot, tmp_path: Path
) -> None:
    @gv.op(summary="The third power.")
    def cube(x):
        return x**3

    @cube.local
    def _(out, x):
        return 3 * x**2

    try:
        window = start(application, qtbot)
        tree = window.palette_panel.tree
        (item,) = tree.findItems("cube", Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)
        assert item.parent().text(0) == "Own operations"
        window.do("new")
        window.do("type_expression")
        window.expression.line.setText("y = cube(x) + 1")
        QTest.keyClick(window.expression.line, Qt.Key.Key_Return)
        Robot(window.canvas, window.player).type_value("x", "2")
        assert window.document.answer.value(node(window, "y")) == 9
        assert gradient(window, "x") == 12
        for position in range(len(window.player.timeline) + 1):
            window.player.seek(position)
            assert not window.canvas.grab().isNull()
        for placed in window.document.diagram.graph:
            window.document.select(Selection(frozenset({placed.id})))
            QApplication.processEvents()
        native.save(tmp_path / "own.gradviz", window.document.diagram)
    finally:
        registry.unregister("cube")
    application.open(tmp_path / "own.gradviz")
    window = application.windows[-1]
    assert window.document.failure is None
    assert not window.canvas.grab().isNull()
    assert window.document.answer.value(node(window, "y")) is None
    (problem,) = window.document.answer.specs.problems.values()
    assert str(problem.message) == "cube is not known here."


def test_keys_are_chosen_and_remembered(application: Application, qtbot, home) -> None:
    window = start(application, qtbot)
    window.keys_chosen.emit("blender")
    QTest.keyClick(window.canvas, Qt.Key.Key_A)
    assert len(window.document.selection.nodes) == 7
    QTest.keyClick(window.canvas, Qt.Key.Key_A, Qt.KeyboardModifier.AltModifier)
    assert not window.document.selection.nodes
    assert application.new_window().keys_in_use["select_all"] == ("A",)
    path = window.settings.keys_file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("[keys]\nselect_all = 'Ctrl+Alt+A'\nnonsense = 'F'\n", encoding="utf-8")
    window.keys_chosen.emit("own")
    assert "no command nonsense" in window.problems._hint.text()
    assert window.keys_in_use["select_all"] == ("Ctrl+Alt+A",)
    window.keys_chosen.emit("gradviz")
    assert window.keys_in_use["select_all"] == ("Ctrl+A",)


def tabs(window: MainWindow) -> list[list[str]]:
    """The bars of tabs that can be seen, by their words."""
    bars = window.findChildren(QTabBar)
    seen = [bar for bar in bars if bar.isVisible() and window.rect().intersects(bar.geometry())]
    return [[bar.tabText(i) for i in range(bar.count())] for bar in seen if bar.count() > 1]


def test_panels_that_share_a_place_show_tabs_only_while_they_do(
    application: Application, qtbot
) -> None:
    window = start(application, qtbot)
    QApplication.processEvents()
    assert tabs(window) == []
    window.do("show_outline")
    window.do("show_history")
    QApplication.processEvents()
    assert sorted(tabs(window)) == [["Inspector", "History"], ["Operations", "Outline"]]
    for name in ("outline", "history"):
        window._docks[name].hide()
    QApplication.processEvents()
    assert tabs(window) == []
    window.document._history.mark_clean()
    window.close()
    again = application.new_window()
    again.show()
    QApplication.processEvents()
    assert tabs(again) == []
