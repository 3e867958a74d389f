"""The history as a list: names, the present step, jumping."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from gradviz.edit import edits
from gradviz.edit.history import History
from gradviz.files import native
from gradviz.graph.model import Place
from gradviz.gui.document import Document, Selection
from gradviz.gui.panels.history_list import HistoryList
from gradviz.text import mark


@pytest.fixture
def panel(document: Document, show) -> HistoryList:
    return show(HistoryList(document), 280, 400)


def rows(panel: HistoryList) -> list[str]:
    return [panel.model.index(row).data() for row in range(panel.model.rowCount())]


def edit_thrice(document: Document) -> list[bytes]:
    states = [native.dumps(document.diagram)]
    for step in (
        (mark("edit", "Move"), edits.move, {"s": Place(400, 40)}),
        (mark("edit", "Change a value"), edits.set_cell, "X", (0, 0), 5.0),
        (mark("edit", "Delete"), edits.delete, ["B"]),
    ):
        assert document.edit(*step)
        states.append(native.dumps(document.diagram))
    return states


def test_it_lists_the_steps_and_marks_where_we_are(panel: HistoryList, document: Document) -> None:
    assert rows(panel) == ["Start"]
    edit_thrice(document)
    assert rows(panel) == ["Start", "Move", "Change a value", "Delete"]
    assert panel.view.currentIndex().row() == 3
    document.undo()
    assert panel.view.currentIndex().row() == 2
    spoken = panel.model.index(3).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Delete, undone"
    assert panel.model.index(3).data(Qt.ItemDataRole.ForegroundRole) == panel.theme.dim
    assert panel.model.index(2).data(Qt.ItemDataRole.FontRole).bold()


def test_a_click_goes_there_exactly(panel: HistoryList, document: Document, qtbot) -> None:
    states = edit_thrice(document)
    for row in (1, 3, 0, 2):
        place = panel.view.visualRect(panel.model.index(row)).center()
        qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert native.dumps(document.diagram) == states[row]
        assert panel.view.currentIndex().row() == row
    assert rows(panel) == ["Start", "Move", "Change a value", "Delete"]


def test_keys_choose_and_enter_goes_there(panel: HistoryList, document: Document, qtbot) -> None:
    states = edit_thrice(document)
    panel.view.setFocus()
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up):
        qtbot.keyClick(panel.view, key)
    assert native.dumps(document.diagram) == states[3]
    qtbot.keyClick(panel.view, Qt.Key.Key_Return)
    assert native.dumps(document.diagram) == states[1]


def test_an_edit_after_going_back_drops_what_was_undone(
    panel: HistoryList, document: Document
) -> None:
    edit_thrice(document)
    document.jump(1)
    document.edit(mark("edit", "Rename"), edits.rename, "s", "total")
    assert rows(panel) == ["Start", "Move", "Rename"]


def test_jumping_brings_the_selection_back(panel: HistoryList, document: Document) -> None:
    document.select(Selection(frozenset({"B"})))
    document.edit(mark("edit", "Delete"), edits.delete, ["B"], select=Selection())
    document.edit(mark("edit", "Rename"), edits.rename, "s", "total")
    document.jump(0)
    assert document.selection == Selection(frozenset({"B"}))
    document.jump(7)
    assert document.history.cursor == 0


def test_a_saved_step_keeps_its_mark(panel: HistoryList, document: Document, tmp_path) -> None:
    edit_thrice(document)
    document.jump(2)
    document.save(tmp_path / "a.gradviz")
    document.jump(3)
    assert rows(panel) == ["Start", "Move", "Change a value · saved", "Delete"]


def test_what_was_let_go_is_said(panel: HistoryList, document: Document, monkeypatch) -> None:
    document._history = History(document.diagram, Selection(), limit=1)
    edit_thrice(document)
    assert rows(panel)[0] == "2 older steps were let go to save memory"
    assert rows(panel)[1:] == ["Delete"]


def test_ten_thousand_steps_are_shown_as_quickly_as_ten(
    panel: HistoryList, document: Document
) -> None:
    history = document.history
    for number in range(10_000):
        history.push(
            "Move", edits.move(document.diagram, {"s": Place(number, 1)}), Selection(), Selection()
        )
    asked = []
    inner = panel.model._words
    panel.model._words = lambda row: asked.append(row) or inner(row)
    document.status.emit()
    panel.view.repaint()
    # Only what is in view is asked for.
    assert panel.model.rowCount() == 10_001
    assert len(set(asked)) < 100
