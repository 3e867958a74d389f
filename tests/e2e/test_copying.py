"""Copying, cutting, pasting and duplicating, within a window and between two."""

from __future__ import annotations

import networkx as nx
import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from gradviz.edit import edits
from gradviz.edit.layout import card_boxes
from gradviz.files import fragment
from gradviz.graph.model import InPort, Place
from gradviz.graph.validate import validate
from gradviz.gui.app import Application
from gradviz.gui.copying import FRAGMENT_MIME
from gradviz.gui.document import Selection
from gradviz.networks import to_networkx
from gradviz.text import mark
from tests.e2e.test_window import start
from tests.support.robot import Robot

Key = Qt.Key
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def select(window, *names: str) -> None:
    ids = (window.document.diagram.node_called(name).id for name in names)
    window.document.select(Selection(frozenset(ids)))


def press(window, key: Key, modifiers=CTRL) -> None:
    QTest.keyClick(window.canvas, key, modifiers)


def names(window) -> set[str]:
    return {node.name for node in window.document.diagram.graph if node.name}


def inputs(window, name: str) -> list[str | None]:
    graph = window.document.diagram.graph
    return [p and graph[p.node].name for p in window.document.diagram.node_called(name).inputs]


def steps(window) -> list[str]:
    return [str(entry.text) for entry in window.document.history.entries]


def alike(a, b) -> bool:
    """Whether two diagrams are the same up to ids, names and places."""
    same = nx.algorithms.isomorphism
    return same.is_isomorphic(
        to_networkx(a),
        to_networkx(b),
        node_match=lambda m, n: m.get("op") == n.get("op"),
    )


def overlapping(window) -> list[tuple[str, str]]:
    boxes = list(card_boxes(window.document.diagram, window.canvas.sight.sizes()).items())
    return [
        (i, j)
        for n, (i, a) in enumerate(boxes)
        for j, b in boxes[n + 1 :]
        if a.left < b.right and b.left < a.right and a.top < b.bottom and b.top < a.bottom
    ]


def test_nodes_are_copied_as_a_type_of_our_own_and_as_text(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    select(window, "s", "square")
    press(window, Key.Key_C)
    data = QGuiApplication.clipboard().mimeData()
    assert data.hasFormat(FRAGMENT_MIME)
    assert '"gradviz"' in data.text()
    found = fragment.find(data.text())
    assert found is not None
    assert sorted(found.part.graph.nodes) == sorted(window.document.selection.nodes)


def test_paste_is_one_step_lands_at_the_pointer_and_covers_nothing(
    application: Application, qtbot
) -> None:
    window = start(application, qtbot)
    select(window, "s", "square")
    part = edits.cut_out(window.document.diagram, window.document.selection.nodes)
    press(window, Key.Key_C)
    at = QPoint(500, 460)
    QTest.mouseMove(window.canvas, at)
    camera = window.canvas.camera
    press(window, Key.Key_V)
    assert steps(window) == ["Paste"]
    assert {"s_2", "square_2"} <= names(window)
    new = edits.cut_out(window.document.diagram, window.document.selection.nodes)
    assert alike(part, new)
    assert overlapping(window) == []
    assert window.canvas.camera == camera
    view = window.canvas.sight.view()
    for place in new.places.values():
        assert view.contains(place)
    window.do("undo")
    assert {"s_2", "square_2"}.isdisjoint(names(window))


def test_cutting_is_one_step_and_the_clipboard_keeps_it(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    select(window, "B")
    press(window, Key.Key_X)
    assert "B" not in names(window)
    assert steps(window) == ["Cut"]
    press(window, Key.Key_V)
    assert "B" in names(window)
    assert steps(window) == ["Cut", "Paste"]


def test_duplicates_are_beside_and_read_what_they_read_if_asked(
    application: Application, qtbot
) -> None:
    window = start(application, qtbot)
    select(window, "square")
    press(window, Key.Key_D)
    assert inputs(window, "square_2") == [None]
    window.do("undo")
    select(window, "square")
    press(window, Key.Key_D, CTRL | SHIFT)
    assert inputs(window, "square_2") == ["s"]
    assert overlapping(window) == []
    assert steps(window) == ["Duplicate"]


def test_pasting_with_outer_wires_draws_those_whose_node_is_here(
    application: Application, qtbot
) -> None:
    window = start(application, qtbot)
    select(window, "square")
    press(window, Key.Key_C)
    press(window, Key.Key_V, CTRL | SHIFT)
    assert inputs(window, "square_2") == ["s"]
    window.do("undo")
    window.document.edit(mark("edit", "Rename"), edits.rename, "s", "total")
    press(window, Key.Key_V, CTRL | SHIFT)
    assert inputs(window, "square_2") == [None]
    assert "1 of 1 wires" in window.problems._hint.text()


def test_it_works_between_windows_and_after_the_first_is_closed(
    application: Application, qtbot
) -> None:
    window = start(application, qtbot)
    select(window, "s", "square")
    press(window, Key.Key_C)
    other = application.new_window()
    other.show()
    window.document._history.mark_clean()
    window.close()
    other.do("paste")
    assert {"s", "square"} == names(other)
    validate(other.document.diagram)


@pytest.mark.parametrize(
    "journey",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\n".join("> " + line for line in text.split("\n")),
        lambda text: text.replace(" ", "\u00a0"),
        lambda text: text.replace("\n", "   \n"),
    ],
)
def test_text_alone_is_enough_however_it_travelled(
    application: Application, qtbot, journey
) -> None:
    window = start(application, qtbot)
    select(window, "s", "square")
    press(window, Key.Key_C)
    QGuiApplication.clipboard().setText(journey(QGuiApplication.clipboard().text()))
    press(window, Key.Key_V)
    assert {"s_2", "square_2"} <= names(window)


def test_a_hard_wrapped_text_is_refused_with_the_line(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    select(window, "X")
    press(window, Key.Key_C)
    text = QGuiApplication.clipboard().text()
    at = text.index("float64")
    QGuiApplication.clipboard().setText(text[: at - 3] + "\n" + text[at - 3 :])
    before = window.document.diagram
    press(window, Key.Key_V)
    line = text.count("\n", 0, at) + 1
    assert f"Line {line} was broken in two" in window.problems._hint.text()
    assert window.document.diagram is before


def test_nothing_selected_makes_no_step_and_is_said(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    QGuiApplication.clipboard().setText("untouched")
    window.document.select(Selection())
    for key in (Key.Key_C, Key.Key_X, Key.Key_D):
        press(window, key)
        assert window.problems._hint.text().startswith("Select the nodes")
    assert steps(window) == []
    assert QGuiApplication.clipboard().text() == "untouched"


def test_text_is_dropped_like_pasted(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    robot = Robot(window.canvas, window.player)
    select(window, "s", "square")
    press(window, Key.Key_C)
    data = QMimeData()
    data.setText(QGuiApplication.clipboard().text())
    assert robot.drop(QPoint(500, 460), data)
    assert {"s_2", "square_2"} <= names(window)


def test_pasting_changes_neither_view_nor_questions(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    window.player.seek(5)
    before = window.document.diagram
    camera, position = window.canvas.camera, window.player.position
    select(window, "X", "s")
    press(window, Key.Key_C)
    press(window, Key.Key_V)
    after = window.document.diagram
    assert after.query.of == before.query.of
    assert after.notes == before.notes
    assert (window.canvas.camera, window.player.step.address) == (
        camera,
        window.player.timeline.step(window.player.position).address,
    )
    assert position <= window.player.position
    for id, place in before.places.items():
        assert after.places[id] == place


def test_routes_are_copied_with_their_wire(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    end = InPort(window.document.diagram.node_called("square").id, 0)
    window.document.edit(mark("edit", "Lead"), edits.set_route, end, [Place(100, 100)])
    select(window, "s", "square")
    press(window, Key.Key_C)
    press(window, Key.Key_V)
    assert len(window.document.diagram.routes) == 2
    validate(window.document.diagram)


def test_an_empty_clipboard_is_told(application: Application, qtbot) -> None:
    window = start(application, qtbot)
    QGuiApplication.clipboard().clear()
    press(window, Key.Key_V)
    assert "no text to put in" in window.problems._hint.text()
    assert window.document.is_clean
