"""Whole arrays in the window: filled, in a table, from files and to files."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMessageBox

import gradviz as gv
from gradviz.gui.app import Application
from gradviz.gui.document import CellRef, Selection
from gradviz.gui.table.window import TableWindow
from tests.e2e.test_window import gradient, start
from tests.support.robot import Robot

Key = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier


def id_of(window, name: str) -> str:
    return window.document.diagram.node_called(name).id


def value(window, name: str) -> np.ndarray:
    return window.document.diagram.values[id_of(window, name)]


def select(window, name: str) -> None:
    window.document.select(Selection(frozenset({id_of(window, name)})))


def steps(window) -> list[str]:
    return [str(entry.text) for entry in window.document.history.entries]


def table(window, name: str, qtbot) -> TableWindow:
    select(window, name)
    window.do("open_table")
    found = window.command("open_table").__self__.tables[-1]
    with qtbot.waitActive(found):
        found.activateWindow()
    return found


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("fill_zeros", np.zeros((3, 3))),
        ("fill_ones", np.ones((3, 3))),
        ("fill_identity", np.eye(3)),
        ("fill_arange", np.arange(9.0).reshape(3, 3)),
    ],
)
def test_filling_recomputes_at_once(application: Application, qtbot, command, expected) -> None:
    window = start(application, qtbot)
    window.player.seek(9)
    select(window, "X")
    window.do(command)
    np.testing.assert_array_equal(value(window, "X"), expected)
    assert (gradient(window, "X") == 2 * expected.sum() + 1).all()
    assert window.player.position == 9
    assert steps(window) == ["Fill"]


def test_random_numbers_tell_their_seed(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    select(window, "X")
    for command, draw in (
        ("fill_uniform", lambda rng: rng.random((3, 3))),
        ("fill_normal", lambda rng: rng.standard_normal((3, 3))),
    ):
        window.do(command)
        seed = int(window.problems._hint.text().split("seed ")[1].split(";")[0])
        np.testing.assert_array_equal(value(window, "X"), draw(np.random.default_rng(seed)))


def test_one_number_for_every_cell_is_asked_for_until_it_is_one(
    application: Application, qtbot, monkeypatch
) -> None:
    window = start(application, qtbot)
    select(window, "X")
    answers = iter([("many", True), ("1/4", True)])
    asked = []

    def ask(*given, **_):
        asked.append(given[2])
        return next(answers)

    monkeypatch.setattr("gradviz.gui.commands.values.QInputDialog.getText", ask)
    window.do("fill_number")
    assert (value(window, "X") == 0.25).all()
    assert "not a number" in asked[1]


def test_filling_what_is_computed_is_said(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    before = window.document.diagram
    select(window, "s")
    for command in ("fill_ones", "fill_number"):
        window.do(command)
        assert "Select a variable" in window.problems._hint.text()
    assert window.document.diagram is before


def test_the_table_edits_moves_copies_pastes_and_clears(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    found = table(window, "X", qtbot)
    assert found.windowTitle().startswith("X  3×3")
    view = found.view
    QTest.keyClick(view, Key.Key_Down)
    QTest.keyClick(view, Key.Key_Right)
    QTest.keyClick(view, Key.Key_5)
    editor = view.findChild(QLineEdit)
    QTest.keyClicks(editor, ".5")
    QTest.keyClick(editor, Key.Key_Return)
    # Qt hands the text over once it is back in its loop.
    QApplication.processEvents()
    assert value(window, "X")[1, 1] == 5.5
    assert gradient(window, "X")[0, 0] == 2 * value(window, "X").sum() + 1
    found.select((0, 0), (1, 1))
    QTest.keyClick(view, Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "1\t0\n2\t5.5"
    QGuiApplication.clipboard().setText("7\t8\n9\t10")
    view.setCurrentIndex(found.model.index(1, 1))
    QTest.keyClick(view, Key.Key_V, CTRL)
    assert value(window, "X")[1:, 1:].tolist() == [[7, 8], [9, 10]]
    found.select((1, 1), (2, 2))
    QTest.keyClick(view, Key.Key_Delete)
    assert value(window, "X")[1:, 1:].tolist() == [[0, 0], [0, 0]]
    QTest.keyClick(view, Key.Key_Z, CTRL)
    assert value(window, "X")[2, 2] == 10
    assert steps(window) == ["Change a value", "Paste numbers", "Set to 0"]


def test_rubbish_in_the_table_is_told_and_changes_nothing(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    found = table(window, "X", qtbot)
    before = window.document.diagram
    assert not found.model.setData(found.model.index(0, 0), "seven")
    assert "not a number" in found._facts.text()
    QGuiApplication.clipboard().setText("1\t2\t3\t4\t5")
    found.view.setCurrentIndex(found.model.index(1, 1))
    found.paste()
    assert "no room" in found._facts.text()
    QGuiApplication.clipboard().setText("words")
    found.paste()
    assert "not a number" in found._facts.text()
    assert window.document.diagram is before


def test_computed_numbers_are_shown_and_follow_but_are_not_typed(
    application: Application, qtbot
) -> None:
    window = start(application, qtbot)
    window.command("open_table_at")(CellRef(id_of(window, "X"), "gradient", (0, 0)))
    found = window.command("open_table").__self__.tables[-1]
    assert found.windowTitle().startswith("∂y/∂X")
    assert found.model.index(2, 2).data() == "7"
    assert not found.model.flags(found.model.index(0, 0)) & Qt.ItemFlag.ItemIsEditable
    select(window, "X")
    window.do("fill_ones")
    assert found.model.index(2, 2).data() == "19"


def test_the_table_goes_with_its_node_and_with_the_window(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    found = table(window, "B", qtbot)
    with qtbot.waitSignal(found.closed):
        window.document.select(Selection(frozenset({id_of(window, "B")})))
        window.do("delete")
    assert window.command("open_table").__self__.tables == []
    window.do("undo")
    table(window, "B", qtbot)
    window.document._history.mark_clean()
    window.close()
    assert window.command("open_table").__self__.tables == []


def test_a_large_array_opens_in_a_table_by_a_double_click_and_by_enter(
    application: Application, qtbot
) -> None:
    window = start(application, qtbot)
    big = gv.variable(np.arange(2400.0).reshape(40, 60), name="big")
    window.open_diagram(gv.diagram(gv.sum(big)))
    robot = Robot(window.canvas, window.player)
    tables = window.command("open_table").__self__.tables
    robot.double_click(robot.value("big", 0, 0))
    assert len(tables) == 1
    assert (tables[0].model.rowCount(), tables[0].model.columnCount()) == (40, 60)
    tables[0].close()
    select(window, "big")
    QTest.keyClick(window.canvas, Key.Key_Return)
    assert len(tables) == 1
    # A million cells are asked for only as far as they are seen.
    million = gv.variable(np.zeros((1000, 1000)), name="million")
    window.open_diagram(gv.diagram(gv.sum(million)))
    found = table(window, "million", qtbot)
    asked = []
    inner = found.model.data
    found.model.data = lambda *given: asked.append(given) or inner(*given)
    found.view.viewport().repaint()
    assert len(asked) < 20_000


def test_higher_ranks_are_shown_slice_by_slice(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    cube = gv.variable(np.arange(24.0).reshape(2, 3, 4), name="cube")
    window.open_diagram(gv.diagram(gv.sum(cube)))
    found = table(window, "cube", qtbot)
    assert found.model.index(2, 3).data() == "11"
    found._spins[0].setValue(1)
    assert found.model.index(2, 3).data() == "23"
    assert found.model.cell(found.model.index(2, 3)) == (1, 2, 3)
    assert found.model.setData(found.model.index(0, 0), "99")
    assert value(window, "cube")[1, 0, 0] == 99


def test_vectors_and_single_numbers_have_tables_too(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    v, x = gv.variable([1.0, 2.0, 3.0], name="v"), gv.variable(4.0, name="x")
    window.open_diagram(gv.diagram(gv.sum(v) * x))
    found = table(window, "v", qtbot)
    assert (found.model.rowCount(), found.model.columnCount()) == (1, 3)
    assert found.model.setData(found.model.index(0, 2), "30")
    assert value(window, "v").tolist() == [1, 2, 30]
    found = table(window, "x", qtbot)
    assert found.model.setData(found.model.index(0, 0), "5")
    assert value(window, "x") == 5


def choose(monkeypatch, path) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))


def test_numbers_are_imported_into_the_selected_source(
    application: Application, qtbot, monkeypatch, tmp_path
) -> None:
    window = start(application, qtbot)
    (tmp_path / "a.csv").write_text("p,q\n1,2\n3,4\n", encoding="utf-8")
    choose(monkeypatch, tmp_path / "a.csv")
    select(window, "X")
    window.do("import_numbers")
    assert value(window, "X").tolist() == [[1, 2], [3, 4]]
    assert window.problems._hint.text() == "The first line was taken for names: p, q."
    assert (gradient(window, "X") == 21).all()
    assert steps(window) == ["Import numbers"]


def test_without_a_source_a_file_becomes_a_new_variable(
    application: Application, qtbot, monkeypatch, tmp_path
) -> None:
    window = start(application, qtbot)
    np.save(tmp_path / "my weights.npy", np.eye(4, dtype="float32"))
    choose(monkeypatch, tmp_path / "my weights.npy")
    window.document.select(Selection())
    window.do("import_numbers")
    assert value(window, "my_weights").dtype == "float32"
    assert window.document.selection.nodes == {id_of(window, "my_weights")}


def test_a_file_of_numbers_can_be_dropped_on_the_window(
    application: Application, qtbot, tmp_path
) -> None:
    window = start(application, qtbot)
    np.save(tmp_path / "w.npy", np.ones((2, 2)))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "w.npy"))])
    at, copy, left = QPoint(300, 300), Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    for event in (
        QDragEnterEvent(at, copy, data, left, none),
        QDragMoveEvent(at, copy, data, left, none),
        QDropEvent(QPointF(at), copy, data, left, none),
    ):
        QApplication.sendEvent(window, event)
    assert value(window, "w").tolist() == [[1, 1], [1, 1]]


def test_what_cannot_be_read_is_told_with_file_and_line(
    application: Application, qtbot, monkeypatch, tmp_path
) -> None:
    window = start(application, qtbot)
    said = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: said.append(box.informativeText()))
    (tmp_path / "bad.csv").write_text("1,2\n3,x\n", encoding="utf-8")
    (tmp_path / "bad.npy").write_bytes(b"no")
    (tmp_path / "latin.csv").write_bytes(b"1,2\n\xff")
    before = window.document.diagram
    for name, words in (
        ("bad.csv", "Line 2, column 2"),
        ("bad.npy", "not an .npy file"),
        ("latin.csv", "UTF-8: byte 4"),
        ("none.csv", "no such file"),
    ):
        choose(monkeypatch, tmp_path / name)
        window.do("import_numbers")
        assert words in said[-1]
        assert name in said[-1]
    assert window.document.diagram is before


def test_numbers_are_exported_and_come_back(
    application: Application, qtbot, monkeypatch, tmp_path
) -> None:
    window = start(application, qtbot)
    window.document.select(
        Selection(
            frozenset({id_of(window, "X")}), None, CellRef(id_of(window, "X"), "gradient", (0, 0))
        )
    )
    choose(monkeypatch, tmp_path / "g")
    window.do("export_numbers")
    np.testing.assert_array_equal(np.load(tmp_path / "g.npy"), np.full((3, 3), 7.0))
    select(window, "X")
    choose(monkeypatch, tmp_path / "x.csv")
    window.do("export_numbers")
    assert (tmp_path / "x.csv").read_text(encoding="utf-8").splitlines()[0] == "1,0,-1"
    window.do("fill_zeros")
    window.do("import_numbers")
    assert value(window, "X")[0].tolist() == [1, 0, -1]
