"""The outline: all of the graph as text, in step with the selection."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

import gradviz as gv
from gradviz.edit import edits
from gradviz.graph.model import Diagram, InPort
from gradviz.gui.document import Document, Selection
from gradviz.gui.panels.outline import Outline
from gradviz.text import mark
from tests.gui.panels.conftest import texts


@pytest.fixture
def panel(document: Document, show) -> Outline:
    return show(Outline(document), 320, 480)


def tops(panel: Outline) -> list[str]:
    return [panel.model.index(row, 0).data() for row in range(panel.model.rowCount())]


def below(panel: Outline, id: str) -> list[str]:
    parent = panel.model.row(id)
    return [panel.model.index(row, 0, parent).data() for row in range(panel.model.rowCount(parent))]


def test_every_node_is_a_line_with_its_numbers(panel: Outline) -> None:
    assert len(tops(panel)) == 7
    assert "s: value 3, gradient 7; sum, one number  float64" in tops(panel)
    assert set(below(panel, "s")) == {
        "value = 3",
        "gradient ∂y/∂s = 7",
        "input x: from X",
        "goes to square",
        "goes to add",
    }
    assert any(line.startswith("no gradient: No path") for line in below(panel, "B"))


def test_the_selection_goes_both_ways(panel: Outline, document: Document) -> None:
    document.select(Selection(frozenset({"s"})))
    assert panel.view.currentIndex() == panel.model.row("s")
    panel.view.setCurrentIndex(panel.model.row("X"))
    assert document.selection.nodes == {"X"}
    panel.view.selectAll()
    assert document.selection.nodes == set(document.diagram.graph.nodes)


def test_a_line_about_a_wire_selects_it_and_enter_goes_on(
    panel: Outline, document: Document, qtbot
) -> None:
    parent = panel.model.row("s")
    panel.view.expand(parent)
    row = below(panel, "s").index("input x: from X")
    panel.view.setCurrentIndex(panel.model.index(row, 0, parent))
    assert document.selection.wire == InPort("s", 0)
    with qtbot.waitSignal(panel.node_requested) as asked:
        qtbot.keyClick(panel.view, Qt.Key.Key_Return)
    assert asked.args == [("X",)]


def test_enter_edits_and_delete_deletes(panel: Outline, qtbot) -> None:
    panel.view.setCurrentIndex(panel.model.row("X"))
    with qtbot.waitSignal(panel.value_requested):
        qtbot.keyClick(panel.view, Qt.Key.Key_Return)
    with qtbot.waitSignal(panel.delete_requested):
        qtbot.keyClick(panel.view, Qt.Key.Key_Delete)


def test_f2_renames_in_place(panel: Outline, document: Document, qtbot) -> None:
    panel.view.setCurrentIndex(panel.model.row("s"))
    panel.view.setFocus()
    qtbot.keyClick(panel.view, Qt.Key.Key_F2)
    editor = panel.view.findChild(QLineEdit)
    editor.selectAll()
    qtbot.keyClicks(editor, "total")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: document.diagram.graph["s"].name == "total")
    assert any(line.startswith("total: ") for line in tops(panel))


def test_words_narrow_it(panel: Outline, document: Document) -> None:
    panel.filter.setText("variable")
    assert {line.split(":")[0] for line in tops(panel)} == {"X", "B"}
    panel.filter.setText("no such words")
    assert tops(panel) == []
    document.select(Selection(frozenset({"s"})))
    panel.filter.clear()
    assert panel.view.currentIndex() == panel.model.row("s")


def test_it_follows_edits_and_keeps_what_is_open(panel: Outline, document: Document) -> None:
    panel.view.expand(panel.model.row("X"))
    document.edit(mark("edit", "Set"), edits.set_cell, "X", (0, 0), 5.0)
    assert "s: value 7, gradient 15; sum, one number  float64" in tops(panel)
    assert panel.view.isExpanded(panel.model.row("X"))
    document.edit(mark("edit", "Delete"), edits.delete, ["B"])
    assert panel.view.isExpanded(panel.model.row("X"))
    assert not panel.model.row("B").isValid()
    document.undo()
    assert panel.model.row("B").isValid()


def test_an_empty_graph_says_what_would_be_here(panel: Outline, document: Document) -> None:
    document.start(Diagram())
    assert texts(panel) == [
        "Every node of the graph is listed here, with its value, gradient and wires."
    ]


def test_only_what_is_in_view_is_asked_for(panel: Outline, document: Document) -> None:
    x = y = gv.variable(0.5, name="x")
    for _ in range(250):
        y = gv.sin(y)
    document.start(gv.diagram(y, x))
    asked = []
    inner = panel.model.data
    panel.model.data = lambda *given: asked.append(given) or inner(*given)
    document.edit(mark("edit", "Set"), edits.set_value, "x", 0.25)
    panel.view.viewport().repaint()
    assert len(asked) < 600
