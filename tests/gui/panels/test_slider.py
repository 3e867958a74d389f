"""The slider of one number, and the menus of axes."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt

import gradviz as gv
from gradviz.edit import edits
from gradviz.edit.ranges import Range, range_of
from gradviz.graph.model import Diagram, Graph, Node, OutPort, Place
from gradviz.gui.document import Document, Selection
from gradviz.gui.panels.axis_button import AxisButton, is_axis
from gradviz.gui.panels.inspector import Inspector
from gradviz.gui.panels.settings_text import choices
from gradviz.gui.player import Player
from gradviz.ops import registry
from gradviz.ops.expr import array_of
from gradviz.text import mark


@pytest.fixture
def number(document: Document, player: Player, show) -> Inspector:
    x = gv.variable(2.0, name="x")
    document.start(gv.diagram(x**2 + x - 1, [x]))
    panel = show(Inspector(document, player), 340, 640)
    document.select(Selection(frozenset({"x"})))
    return panel


def steps(document: Document) -> list[str]:
    return [str(entry.text) for entry in document.history.entries]


def test_sliding_recomputes_and_is_one_step(number: Inspector, document: Document, qtbot) -> None:
    slider = number.slider
    qtbot.mouseClick(slider.add, Qt.MouseButton.LeftButton)
    assert range_of(document.diagram, "x") == Range(-4, 4, 0.08)
    assert slider.slider.hasFocus()
    for _ in range(3):
        qtbot.keyClick(slider.slider, Qt.Key.Key_Right)
    assert float(document.diagram.values["x"]) == pytest.approx(2.24)
    assert float(document.answer.adjoint(OutPort("x"))) == pytest.approx(5.48)
    assert steps(document) == ["Change a range", "Change a value"]
    document.undo()
    assert document.diagram.values["x"] == 2
    assert slider.slider.value() == 75


def test_the_range_is_typed_and_faults_are_told(
    number: Inspector, document: Document, qtbot
) -> None:
    slider = number.slider
    slider.add.click()
    for line, text in ((slider.low, "0"), (slider.high, "1/2")):
        line.setFocus()
        line.selectAll()
        qtbot.keyClicks(line, text)
        qtbot.keyClick(line, Qt.Key.Key_Return)
    assert range_of(document.diagram, "x") == Range(0, 0.5, 0.005)
    assert slider.slider.value() == slider.slider.maximum()
    assert document.diagram.values["x"] == 2
    slider.low.selectAll()
    qtbot.keyClicks(slider.low, "many")
    qtbot.keyClick(slider.low, Qt.Key.Key_Return)
    assert "not a number" in slider._fault.text()
    assert slider.low.property("faulty") == "true"
    slider.remove.click()
    assert document.diagram.ranges == {}


def test_it_is_for_one_number_only(number: Inspector, document: Document) -> None:
    assert number.slider.isVisible()
    document.select(Selection(frozenset({"y"})))
    assert not number.slider.isVisible()
    document.select(Selection(frozenset({"x"})))
    document.edit(mark("edit", "Set"), edits.set_value, "x", [1.0, 2.0])
    document.select(Selection())
    document.select(Selection(frozenset({"x"})))
    assert not number.slider.isVisible()


def diagram_of(name: str, example) -> Diagram | None:
    """One node of an op on its example's inputs."""
    nodes, values = {}, {}
    op = registry.get(name)
    for index, given in enumerate(example.inputs):
        array = array_of(given)
        id = f"v{index}"
        settings = {"shape": array.shape, "dtype": array.dtype.name}
        nodes[id] = Node(id, "constant", (), settings, id)
        values[id] = array
    wires = tuple(OutPort(id) for id in nodes)
    nodes["n"] = Node("n", name, wires, dict(op.trimmed(example.attributes)), "n")
    places = {id: Place(0, 0) for id in nodes}
    return Diagram(Graph(nodes), values, places=places)


SETTINGS = [
    (op.name, number)
    for op in registry.palette()
    for number, example in enumerate(op.examples[:2])
    if op.attributes and not op.is_source
]


@pytest.mark.parametrize(("name", "number"), SETTINGS)
def test_every_choice_offered_is_taken(
    document: Document, player: Player, qtbot, name: str, number: int
) -> None:
    """Axes and words: whatever a menu offers, the edit accepts, as one step."""
    op = registry.get(name)
    document.start(diagram_of(name, op.examples[number]))
    panel = Inspector(document, player)
    qtbot.addWidget(panel)
    document.select(Selection(frozenset({"n"})))
    assert set(op.attributes) <= set(panel.form.editors)
    for attribute in op.attributes.values():
        editor = panel.form.editors[attribute.name]
        if not isinstance(editor, AxisButton):
            continue
        assert is_axis(attribute)
        editor.menu().aboutToShow.emit()
        for row in range(len(editor.menu().actions())):
            before = document.diagram
            editor.menu().aboutToShow.emit()
            actions = editor.menu().actions()
            if row >= len(actions) or not actions[row].isEnabled():
                continue
            actions[row].trigger()
            assert "n" not in document.answer.specs.problems, (name, actions[row].text())
            while document.diagram is not before:
                document.undo()


def test_words_of_a_few_are_offered_in_full() -> None:
    offered = [
        choices(op, attribute.name)
        for op in registry.palette()
        for attribute in op.attributes.values()
        if attribute.kind == "Reduction"
    ]
    assert offered
    assert all(set(words) >= {"mean", "sum", "none"} for words in offered)


def test_the_menu_of_axes_tells_their_lengths(document: Document, player: Player, qtbot) -> None:
    x = gv.variable(np.zeros((2, 3)), name="x")
    s = gv.sum(x)
    s.name = "s"
    document.start(gv.diagram(gv.sum(s), [x]))
    panel = Inspector(document, player)
    qtbot.addWidget(panel)
    document.select(Selection(frozenset({"s"})))
    editor = panel.form.editors["axis"]
    editor.menu().aboutToShow.emit()
    assert [a.text() for a in editor.menu().actions()] == [
        "all",
        "axis 0  ·  2 long",
        "axis 1  ·  3 long",
    ]
    editor.menu().actions()[2].trigger()
    assert document.diagram.graph["s"].attributes["axis"] == 1
    editor.menu().aboutToShow.emit()
    editor.menu().actions()[1].trigger()
    assert document.diagram.graph["s"].attributes["axis"] == (0, 1)
    assert editor.text() == "0, 1 ▾"


def test_an_open_input_has_no_axes_yet(document: Document, player: Player, qtbot) -> None:
    diagram, id = edits.add_node(Diagram(), "sum", Place(0, 0))
    document.start(diagram)
    panel = Inspector(document, player)
    qtbot.addWidget(panel)
    document.select(Selection(frozenset({id})))
    editor = panel.form.editors["axis"]
    editor.menu().aboutToShow.emit()
    (only,) = editor.menu().actions()
    assert not only.isEnabled()
