"""What is selected, in words and numbers, and nothing before its time."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QLineEdit, QPushButton

import gradviz as gv
from gradviz import digits
from gradviz.edit import edits
from gradviz.engine import explain
from gradviz.graph.model import Diagram, Graph, InPort, Node, OutPort, Query
from gradviz.gui.document import CellRef, Document, Selection
from gradviz.gui.panels.array_view import ArrayView
from gradviz.gui.panels.inspector import Inspector
from gradviz.gui.panels.sheet import Absence, Facts, Road, Table
from gradviz.gui.player import MOTION_S, Player
from gradviz.picture.look import Arrival, Flow
from gradviz.text import mark
from tests.gui.panels.conftest import Clock, texts, tip_at

LEFT = Qt.MouseButton.LeftButton
SET = mark("edit", "Set")


@pytest.fixture
def panel(document: Document, player: Player, show) -> Inspector:
    return show(Inspector(document, player), 376, 640)


def select(document: Document, *ids: str, wire: InPort | None = None) -> None:
    document.select(Selection(frozenset(ids), wire))


def select_cell(document: Document, node: str, band: str, *index: int) -> None:
    document.select(Selection(frozenset({node}), None, CellRef(node, band, index)))


def of_kind(panel: Inspector, kind: type):
    return [block for block in panel.blocks if isinstance(block, kind)]


def button(panel: Inspector, text: str) -> QPushButton:
    (found,) = [b for b in panel.findChildren(QPushButton) if b.text() == text and b.isVisible()]
    return found


def table(panel: Inspector, name: str) -> ArrayView:
    (found,) = [
        view
        for view in panel.findChildren(ArrayView)
        if view.accessibleName() == name and view.isVisible()
    ]
    return found


def test_a_node_with_two_roads(panel: Inspector, document: Document, player: Player) -> None:
    select(document, "s")
    player.seek(10)
    assert texts(panel) == [
        "s = sum(X)",
        "Adds every entry, or every entry along an axis.",
        "one number  float64",
        "Value",
        "s = sum(X) = 3",
        "What arrives here",
        *("from add", "1 × 1 = 1", "arrived"),
        *("from square", "1 × 2·s = 6", "arrived"),
        "gradient = 1 + 6 = 7",
        "s is used 2 times, so what came back by each road is added: 1 + 6 = 7.",
        "What it passes on to X",
        "not yet",
        "Name and settings",
        *("name", "axis", "keepdims"),
    ]


def test_the_roads_say_where_they_are(panel: Inspector, document: Document, player: Player) -> None:
    select(document, "s")
    found = {}
    for position in (7, 8, 9, 10):
        player.seek(position)
        found[position] = [(road.line, road.arrival) for road in of_kind(panel, Road)]
    pending, now, arrived = Arrival.PENDING, Arrival.NOW, Arrival.ARRIVED
    assert found[7] == [("", pending), ("", pending)]
    assert found[8] == [("1 × 1 = 1", now), ("", pending)]
    assert found[9] == [("1 × 1 = 1", arrived), ("1 × 2·s = 6", now)]
    assert found[10] == [("1 × 1 = 1", arrived), ("1 × 2·s = 6", arrived)]


def test_before_the_backward_half_no_gradient_is_told(
    panel: Inspector, document: Document, player: Player
) -> None:
    forward = document.answer.timeline.forward
    for node in document.diagram.graph.nodes:
        select(document, node)
        for position in range(forward + 1):
            player.seek(position)
            assert not of_kind(panel, Absence)
            assert all(road.line == "" for road in of_kind(panel, Road))
            assert all(t.flow is Flow.FORWARD for t in of_kind(panel, Table))
            said = " ".join(texts(panel))
            after = said.partition("What arrives here")[2].partition("Name and settings")[0]
            assert not re.search(r"\d", after), after


def test_a_value_is_told_when_its_step_has_come(
    panel: Inspector, document: Document, player: Player
) -> None:
    select(document, "square")
    player.seek(1)
    assert "square = s² = 3² = 9" not in texts(panel)
    player.seek(2)
    assert "square = s² = 3² = 9" in texts(panel)


def test_while_a_step_moves_what_it_brings_is_not_there(
    panel: Inspector, document: Document, player: Player, clock: Clock
) -> None:
    select(document, "s")
    player.seek(9)
    player.forward()
    assert "gradient = 1 + 6 = 7" not in texts(panel)
    clock.now += MOTION_S
    player.tick()
    assert "gradient = 1 + 6 = 7" in texts(panel)


def test_a_matrix_and_its_gradient(panel: Inspector, document: Document) -> None:
    select(document, "X")
    assert [(t.name, t.flow) for t in of_kind(panel, Table)] == [
        ("X", Flow.FORWARD),
        ("∂y/∂X", Flow.BACKWARD),
    ]
    assert "spread 7 over 3×3 = 3×3, each 7" in texts(panel)
    assert (table(panel, "∂y/∂X").array == 7).all()


def test_hovering_shows_every_digit(panel: Inspector, document: Document) -> None:
    number = 0.1 + 0.2
    document.edit(SET, edits.set_cell, "X", (1, 2), number)
    select(document, "X")
    view = table(panel, "X")
    assert view.cell_text((1, 2)) == f"X[1, 2] = {digits.full(np.float64(number))}"
    assert "0.30000000000000004" in view.cell_text((1, 2))


@pytest.mark.qt_log_ignore("does not support raise", extend=True)
def test_the_tool_tip_is_that_of_the_cell_under_the_pointer(
    panel: Inspector, document: Document
) -> None:
    select(document, "X")
    view = table(panel, "X")
    assert tip_at(view, QPoint(100, 30)) == "X[0, 1] = 0"


def test_numbers_can_be_copied(panel: Inspector, document: Document, qtbot) -> None:
    select_cell(document, "X", "value", 0, 2)
    view = table(panel, "X")
    view.setFocus()
    qtbot.keySequence(view, QKeySequence.StandardKey.Copy)
    assert QGuiApplication.clipboard().text() == "-1"
    copy_all = next(a for a in view.copy_actions((0, 2)) if a.text() == "Copy all numbers")
    copy_all.trigger()
    assert QGuiApplication.clipboard().text() == "1\t0\t-1\n2\t1\t0\n0\t-1\t1"


def test_a_click_on_a_cell_explains_it(panel: Inspector, document: Document, qtbot) -> None:
    select(document, "X")
    qtbot.mouseClick(table(panel, "∂y/∂X"), LEFT, pos=QPoint(200, 50))
    assert document.selection.cell == CellRef("X", "gradient", (1, 2))
    (facts,) = of_kind(panel, Facts)
    assert facts.rows == (("X[1, 2]", "0", "forward"), ("∂y/∂X[1, 2]", "7", "backward"))
    assert table(panel, "∂y/∂X").chosen == (1, 2)
    assert table(panel, "X").chosen is None


def test_the_keys_walk_over_the_cells(panel: Inspector, document: Document, qtbot) -> None:
    select_cell(document, "X", "value", 0, 0)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down):
        view = table(panel, "X")
        view.setFocus()
        qtbot.keyClick(view, key)
    assert document.selection.cell == CellRef("X", "value", (2, 1))
    assert table(panel, "X").hasFocus()


def test_a_cell_hides_its_gradient_until_it_is_known(
    panel: Inspector, document: Document, player: Player
) -> None:
    select_cell(document, "X", "value", 0, 0)
    player.seek(3)
    (facts,) = of_kind(panel, Facts)
    assert facts.rows == (("X[0, 0]", "1", "forward"),)


def test_a_missing_gradient_says_why_and_offers_zeros(
    panel: Inspector, document: Document, qtbot
) -> None:
    select(document, "B")
    (absence,) = of_kind(panel, Absence)
    assert absence.title == "∂y/∂B = None  ·  No path"
    assert absence.sentence == "Nothing leads from B to y, so changing B cannot change y."
    qtbot.mouseClick(button(panel, "Use zeros"), LEFT)
    assert document.diagram.query.unconnected == "zero"
    assert (table(panel, "∂y/∂B").array == np.zeros((2, 2))).all()
    assert document.undo_text == "Show missing gradients as zeros"
    qtbot.mouseClick(button(panel, "Show None again"), LEFT)
    assert document.diagram.query.unconnected == "none"
    assert of_kind(panel, Absence) == [absence]


def test_swapped_ends_can_be_swapped(panel: Inspector, document: Document, qtbot) -> None:
    document.edit(SET, edits.set_query, of=("X",), wrt=("y",))
    select(document, "y")
    (absence,) = of_kind(panel, Absence)
    assert "look swapped" in absence.sentence
    qtbot.mouseClick(button(panel, "Swap them"), LEFT)
    query = document.diagram.query
    assert (query.of, query.wrt) == (("y",), ("X",))


def test_a_stop_can_be_gone_to(panel: Inspector, document: Document, qtbot) -> None:
    x = gv.variable([1.0, 2.0], name="x")
    stopped = gv.stop_gradient(x)
    stopped.name = "gate"
    document.start(gv.diagram(gv.sum(stopped), x))
    select(document, "x")
    (absence,) = of_kind(panel, Absence)
    assert "where the gradient is stopped" in absence.sentence
    with qtbot.waitSignal(panel.node_requested) as asked:
        qtbot.mouseClick(button(panel, "Go to gate"), LEFT)
    assert asked.args == [("gate",)]


def test_without_a_remedy_there_is_no_button(panel: Inspector, document: Document) -> None:
    document.edit(SET, edits.set_query, wrt=("X",))
    select(document, "B")
    (absence,) = of_kind(panel, Absence)
    assert absence.remedies == ()


def test_a_wire_shows_what_goes_both_ways(
    panel: Inspector, document: Document, player: Player
) -> None:
    select(document, wire=InPort("square", 0))
    player.seek(9)
    assert texts(panel) == [
        "s → square",
        "A wire. It carries one number  float64.",
        "Forward",
        "Backward",
        "∂square/∂s = 2·s = 6",
        "1 × 2·s = 6",
    ]
    player.seek(8)
    assert texts(panel)[-1] == "not yet"


def test_a_wire_that_carries_nothing_back_says_why(panel: Inspector, document: Document) -> None:
    x = gv.variable([1.0, -2.0], name="x")
    document.start(gv.diagram(gv.sum(gv.where(x > 0, x, 0.0)), x))
    select(document, wire=InPort("where", 0))
    assert "truth values" in texts(panel)[-1]


def test_copies_that_are_added_up_are_told(panel: Inspector, document: Document) -> None:
    x = gv.variable(np.ones((2, 3)), name="x")
    b = gv.variable([1.0, 2.0, 3.0], name="b")
    z = x + b
    z.name = "z"
    document.start(gv.diagram(gv.sum(z), [x, b]))
    select(document, "z")
    said = texts(panel)
    assert "to b" in said
    assert any("what comes back is added up: 2×3 → 3 numbers" in line for line in said)


def test_nothing_selected_shows_question_and_answer(
    panel: Inspector, document: Document, player: Player
) -> None:
    assert texts(panel)[:4] == [
        "The graph",
        "7 nodes, 6 wires",
        "The question: if X changes a little, how much does y change?",
        "The answer",
    ]
    assert [t.name for t in of_kind(panel, Table)] == ["∂y/∂X"]
    assert [a.title for a in of_kind(panel, Absence)] == ["∂y/∂B = None  ·  No path"]
    player.to_start()
    assert of_kind(panel, Table) == of_kind(panel, Absence) == []


def test_with_nothing_selected_it_goes_along_with_the_film(
    panel: Inspector, document: Document, player: Player
) -> None:
    titles = {}
    for position in (1, 3, 9, 11):
        player.seek(position)
        titles[position] = texts(panel)[0]
    assert titles == {1: "s = sum(X)", 3: "add = square + s", 9: "s = sum(X)", 11: "X"}
    assert "Name and settings" not in texts(panel)
    select(document, "B")
    player.seek(3)
    assert texts(panel)[0] == "B"


def test_of_very_many_roads_the_first_and_the_present_one_are_shown(
    panel: Inspector, document: Document, player: Player
) -> None:
    x = gv.variable(2.0, name="x")
    y = gv.sin(x)
    for _ in range(250):
        y = y + x
    document.start(gv.diagram(y, x))
    select(document, "x")
    assert len(of_kind(panel, Road)) == 12
    assert "and 239 more" in texts(panel)
    position = document.answer.timeline.arrivals[OutPort("x")][200][1]
    player.seek(position)
    roads = of_kind(panel, Road)
    assert len(roads) == 13
    assert roads[-1].arrival is Arrival.NOW


def test_of_very_many_answers_the_first_are_shown(panel: Inspector, document: Document) -> None:
    xs = [gv.variable(float(i), name=f"x{i}") for i in range(40)]
    document.start(gv.diagram(sum(xs[1:], xs[0]), xs))
    said = texts(panel)
    assert sum(line.startswith("∂y/∂x") for line in said) == 12
    assert "and 28 more" in said


def test_several_nodes_are_named(panel: Inspector, document: Document) -> None:
    select(document, "X", "s", "y")
    assert texts(panel)[:2] == ["3 nodes selected", "X, s, y"]


def test_an_empty_graph_says_how_to_begin(qtbot, show) -> None:
    document = Document()
    panel = show(Inspector(document, Player(document)))
    assert texts(panel)[0] == "Nothing here yet"
    document.close()


def test_a_node_that_cannot_be_computed_says_why(panel: Inspector, document: Document) -> None:
    nodes = [
        Node("A", "variable", (), {"shape": (3, 4), "dtype": "float64"}, "A"),
        Node("p", "matmul", (OutPort("A"), OutPort("A")), {}, "p"),
        Node("u", "conv9", (OutPort("A"),), {}, "u"),
    ]
    document.start(Diagram(Graph({n.id: n for n in nodes}), {"A": np.ones((3, 4))}))
    select(document, "p")
    assert "a is 3×4, b is 3×4: inner sizes 4 and 3 must be equal." in texts(panel)
    select(document, "u")
    assert any("conv9 is not known here" in line for line in texts(panel))
    assert "Name and settings" not in texts(panel)


def test_every_example_can_be_inspected_at_every_step(
    panel: Inspector, document: Document, player: Player
) -> None:
    from gradviz.files import native
    from gradviz.resources import example_files

    for path in example_files():
        document.start(native.load(path))
        for id, node in document.diagram.graph.nodes.items():
            for selection in (
                Selection(frozenset({id})),
                *(Selection(wire=InPort(id, i)) for i in range(len(node.inputs))),
            ):
                document.select(selection)
                for position in range(len(player.timeline) + 1):
                    player.seek(position)
                    assert panel.blocks


def test_nothing_is_cut_off(panel: Inspector, document: Document) -> None:
    x = gv.random_normal((40, 60), seed=3, name="X")
    document.start(gv.diagram(gv.mean(x * x)))
    select(document, "X")
    for width in (280, 376, 520):
        panel.resize(width, 620)
        panel.layout().activate()
        for view in panel.findChildren(ArrayView):
            if view.isVisible():
                assert view.height() >= view.heightForWidth(view.width())
                assert view.width() <= panel.width()


def test_what_stays_the_same_is_not_made_anew(
    panel: Inspector, document: Document, player: Player
) -> None:
    select(document, "X")
    player.seek(5)
    view = table(panel, "X")
    player.seek(6)
    assert table(panel, "X") is view


def test_a_name_is_shown_as_it_is_written(panel: Inspector, document: Document) -> None:
    document.edit(SET, edits.rename, "B", "<b>B</b> & Co")
    select(document, "B")
    assert texts(panel)[0] == "<b>B</b> & Co"


def name_line(panel: Inspector, name: str = "") -> QLineEdit:
    editor = panel.form.editors[name]
    assert isinstance(editor, QLineEdit)
    return editor


def type_in(qtbot, editor: QLineEdit, text: str) -> None:
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClicks(editor, text)
    qtbot.keyClick(editor, Qt.Key.Key_Return)


def test_a_name_can_be_changed(panel: Inspector, document: Document, qtbot) -> None:
    select(document, "s")
    type_in(qtbot, name_line(panel), "total")
    assert document.diagram.graph["s"].name == "total"
    assert document.undo_text == "Rename"
    assert texts(panel)[0] == "total = sum(X)"


def test_a_name_that_is_taken_gets_a_number(panel: Inspector, document: Document, qtbot) -> None:
    select(document, "s")
    type_in(qtbot, name_line(panel), "X")
    assert name_line(panel).text() == document.diagram.graph["s"].name == "X_2"


def test_a_setting_can_be_changed(panel: Inspector, document: Document, qtbot) -> None:
    select(document, "s")
    menu = panel.form.editors["axis"].menu()
    menu.aboutToShow.emit()
    next(a for a in menu.actions() if a.text().startswith("axis 0")).trigger()
    assert document.diagram.graph["s"].attributes["axis"] == 0
    qtbot.mouseClick(panel.form.editors["keepdims"], LEFT, pos=QPoint(8, 14))
    assert document.diagram.graph["s"].attributes["keepdims"] is True
    assert document.undo_text == "Change a setting"


def test_a_setting_that_cannot_be_is_refused_in_words(
    panel: Inspector, document: Document, qtbot
) -> None:
    r = gv.reshape(gv.variable(np.zeros((2, 3)), name="M"), (6,))
    r.name = "r"
    document.start(gv.diagram(gv.sum(r)))
    select(document, "r")
    before = document.diagram
    type_in(qtbot, name_line(panel, "shape"), "7")
    assert document.diagram is before
    assert any("6" in line and "7" in line for line in texts(panel))
    assert name_line(panel, "shape").text() == "7"
    type_in(qtbot, name_line(panel, "shape"), "left")
    assert any("A shape is written" in line for line in texts(panel))
    type_in(qtbot, name_line(panel, "shape"), "3x2")
    assert document.diagram.graph["r"].attributes["shape"] == (3, 2)
    assert not any("A shape is written" in line for line in texts(panel))


def test_a_shape_and_a_dtype_can_be_changed(panel: Inspector, document: Document, qtbot) -> None:
    select(document, "X")
    type_in(qtbot, name_line(panel, "shape"), "2x3")
    assert document.diagram.values["X"].shape == (2, 3)
    menu = panel.form.editors["dtype"].menu()
    next(a for a in menu.actions() if a.text() == "float32").trigger()
    assert document.diagram.values["X"].dtype == np.float32
    assert panel.form.editors["dtype"].text() == "float32 ▾"


def test_random_numbers_can_be_drawn_again(panel: Inspector, document: Document, qtbot) -> None:
    x = gv.random_normal((2, 2), seed=7, name="R")
    document.start(gv.diagram(gv.sum(x), x))
    select(document, "R")
    assert name_line(panel, "seed").text() == "7"
    before = document.answer.value(OutPort("R"))
    qtbot.mouseClick(button(panel, "Draw again"), LEFT)
    after = document.answer.value(OutPort("R"))
    assert before is not None
    assert not np.array_equal(before, after)
    assert document.undo_text == "Draw again"
    assert name_line(panel, "seed").text() != "7"
    type_in(qtbot, name_line(panel, "seed"), "7")
    assert np.array_equal(document.answer.value(OutPort("R")), before)


def test_playing_does_not_disturb_typing(
    panel: Inspector, document: Document, player: Player, qtbot
) -> None:
    select(document, "s")
    editor = name_line(panel)
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClicks(editor, "tot")
    for position in range(12):
        player.seek(position)
    qtbot.keyClicks(editor, "al")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert document.diagram.graph["s"].name == "total"


def test_every_editor_has_a_name_for_those_who_cannot_see(
    panel: Inspector, document: Document
) -> None:
    for node in ("X", "s", "y"):
        select(document, node)
        for editor in panel.form.editors.values():
            assert editor.accessibleName() or editor.text()  # type: ignore[attr-defined]


def test_a_target_with_a_seed_is_told(panel: Inspector, document: Document) -> None:
    x = gv.variable([1.0, 2.0], name="x")
    made = gv.diagram(x * 2, x)
    document.start(replace(made, queries=(Query(("y",), ("x",), ((1.0, 10.0),)),)))
    select(document, "y")
    assert [road.road for road in of_kind(panel, Road)] == ["start"]
    assert (table(panel, "∂y/∂y").array == [1, 10]).all()


def test_the_numbers_are_those_of_the_engine(panel: Inspector, document: Document) -> None:
    select(document, "s")
    sum_line = explain.sum_line(document.answer, OutPort("s"))
    assert f"gradient = {sum_line}" in texts(panel)
