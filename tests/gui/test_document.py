"""The bridge: edits, undo, selection, files, and the worker for large graphs."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv
from gradviz.edit import edits
from gradviz.errors import FileError
from gradviz.files import native
from gradviz.graph.model import InPort, OutPort, Place
from gradviz.gui.document import WORKER_NODES, CellRef, Document, Selection
from gradviz.text import mark

MOVE = mark("edit", "Move")


@pytest.fixture
def document(qtbot):
    made = Document()
    x = gv.variable(3.0, name="x")
    made.start(gv.diagram(x**2 + x - 1, x))
    yield made
    made.close()


def test_it_starts_clean_and_without_history(document: Document) -> None:
    assert document.is_clean
    assert document.undo_text is None
    assert document.redo_text is None


def test_a_new_document_is_empty_and_nothing_is_computed(qtbot) -> None:
    document = Document()
    assert not document.computing
    assert len(document.diagram.graph) == 0
    document.close()


def test_an_edit_is_one_step_with_a_name(document: Document) -> None:
    before = document.diagram
    assert document.edit(MOVE, edits.move, {"x": Place(8, 8)})
    assert document.undo_text == "Move"
    assert not document.is_clean
    document.undo()
    assert document.diagram is before
    assert document.is_clean
    document.redo()
    assert document.diagram.places["x"] == Place(8, 8)


def test_an_edit_that_changes_nothing_is_no_step(document: Document) -> None:
    assert not document.edit(MOVE, lambda diagram: diagram)
    assert document.undo_text is None


def test_a_refused_edit_says_why_and_changes_nothing(document: Document, qtbot) -> None:
    before = document.diagram
    with qtbot.waitSignal(document.refused) as blocker:
        assert not document.edit(MOVE, edits.connect, OutPort("y"), InPort("square", 0))
    assert "cycle" in str(blocker.args[0])
    assert document.diagram is before


def test_undo_at_the_bottom_does_nothing(document: Document) -> None:
    before = document.diagram
    document.undo()
    document.redo()
    assert document.diagram is before


def test_steps_with_one_key_merge_until_sealed(document: Document) -> None:
    for number in range(3):
        document.edit(MOVE, edits.move, {"x": Place(number * 4 + 4, 0)}, merge="drag")
    document.seal()
    document.edit(MOVE, edits.move, {"x": Place(100, 0)}, merge="drag")
    document.undo()
    assert document.diagram.places["x"] == Place(12, 0)
    document.undo()
    assert document.is_clean


def test_selection_comes_back_with_the_step(document: Document) -> None:
    document.select(Selection(frozenset({"x"})))
    document.edit(mark("edit", "Delete"), edits.delete, ["x"], select=Selection())
    assert document.selection == Selection()
    document.undo()
    assert document.selection.only == "x"


def test_what_is_not_there_cannot_be_selected(document: Document) -> None:
    document.select(
        Selection(frozenset({"nothing"}), InPort("x", 7), CellRef("nothing", "value", ()))
    )
    assert document.selection == Selection()


def test_the_answer_belongs_to_the_diagram(document: Document) -> None:
    document.edit(mark("edit", "Set"), edits.set_value, "x", np.array(2.0))
    assert not document.computing
    assert document.answer.value(OutPort("y")) == 5
    assert document.answer.adjoint(OutPort("x")) == 5


def test_changing_a_number_keeps_the_setup(document: Document) -> None:
    setup = document.answer.setup
    document.edit(mark("edit", "Set"), edits.set_value, "x", np.array(2.0))
    assert document.answer.setup is setup


def test_save_marks_clean_and_writes_the_diagram(document: Document, tmp_path) -> None:
    document.edit(MOVE, edits.move, {"x": Place(8, 8)})
    document.save(tmp_path / "a.gradviz")
    assert document.is_clean
    assert native.load(tmp_path / "a.gradviz").places["x"] == Place(8, 8)
    document.undo()
    assert not document.is_clean


def test_a_failed_save_leaves_the_document_dirty(document: Document, tmp_path) -> None:
    document.edit(MOVE, edits.move, {"x": Place(8, 8)})
    with pytest.raises(FileError):
        document.save(tmp_path / "no folder" / "a.gradviz")
    assert not document.is_clean
    assert document.path is None


def test_a_large_graph_is_computed_beside_the_window(document: Document, qtbot) -> None:
    y = x = gv.variable(0.5, name="x")
    for _ in range(10 * WORKER_NODES):
        y = gv.sin(y)
    with qtbot.waitSignal(document.answered, timeout=20_000):
        document.start(gv.diagram(y, x))
        assert document.computing
    assert not document.computing
    assert document.answer.adjoint(OutPort("x")) is not None


def test_an_answer_that_came_too_late_is_dropped(document: Document, qtbot) -> None:
    y = x = gv.variable(0.5, name="x")
    for _ in range(WORKER_NODES):
        y = gv.sin(y)
    document.start(gv.diagram(y, x))
    small = gv.diagram(gv.variable(1.0, name="z") * 2)
    document.start(small)
    qtbot.wait(0)
    assert document.answer.diagram is small


def test_a_run_that_is_too_large_says_so_and_keeps_the_diagram(document: Document) -> None:
    x = gv.random_normal((3000, 3000), name="X")
    y = x
    for _ in range(8):
        y = y * 2
    document.start(gv.diagram(gv.sum(y)))
    assert document.failure is not None
    assert "MiB" in str(document.failure)
    assert len(document.diagram.graph) > 8
