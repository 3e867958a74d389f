"""The bottom line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

from gradviz.edit import edits
from gradviz.engine import gradcheck
from gradviz.gui.document import Document
from gradviz.gui.panels.parts import ElidedButton
from gradviz.gui.panels.problems import Problems
from gradviz.gui.player import Player
from gradviz.text import mark
from tests.gui.panels.conftest import texts

LEFT = Qt.MouseButton.LeftButton
B_IS_NONE = "∂y/∂B is None: nothing leads from B to y, so changing B cannot change y."


@pytest.fixture
def panel(document: Document, player: Player, show) -> Problems:
    return show(Problems(document, player), 1280, 30)


def notes(panel: Problems) -> list[str]:
    found = [b for b in panel.findChildren(ElidedButton) if b.isVisible()]
    return [button.whole for button in sorted(found, key=lambda b: b.x())]


def count(panel: Problems) -> QToolButton:
    return next(b for b in panel.findChildren(QToolButton) if b.menu() is not None)


def test_a_missing_gradient_is_a_note(panel: Problems) -> None:
    assert notes(panel) == [B_IS_NONE]
    assert count(panel).text().strip() == "1 note"


def test_a_note_leads_to_its_nodes(panel: Problems, qtbot) -> None:
    button = next(b for b in panel.findChildren(ElidedButton) if b.isVisible())
    with qtbot.waitSignal(panel.node_requested) as asked:
        qtbot.mouseClick(button, LEFT)
    assert asked.args == [("B",)]


def test_all_notes_stand_in_the_menu(panel: Problems, document: Document, qtbot) -> None:
    document.edit(mark("edit", "Set"), edits.set_query, of=("add",))
    menu = count(panel).menu()
    assert [action.text() for action in menu.actions()] == [
        "∂add/∂B is None: nothing leads from B to add, so changing B cannot change add."
    ]
    with qtbot.waitSignal(panel.node_requested) as asked:
        menu.actions()[0].trigger()
    assert asked.args == [("B",)]


def test_without_notes_it_says_so(panel: Problems, document: Document) -> None:
    document.edit(mark("edit", "Set"), edits.set_query, wrt=("X",))
    assert notes(panel) == []
    assert count(panel).text().strip() == "No problems"
    assert not count(panel).isEnabled()


def test_a_name_with_signs_is_shown_as_it_is(panel: Problems, document: Document) -> None:
    document.edit(mark("edit", "Rename"), edits.rename, "B", "a&b <i>")
    button = next(b for b in panel.findChildren(ElidedButton) if b.isVisible())
    assert "a&b <i>" in button.whole
    assert "a&&b" in button.text()
    assert "&lt;i&gt;" in button.toolTip()


def test_what_the_check_found(panel: Problems, document: Document, qtbot) -> None:
    found = gradcheck.check(document.answer)
    panel.show_verdicts(document.answer, found)
    assert notes(panel)[-1].startswith("✓  All gradients agree with finite differences")
    wrong = (replace(found[0], wrong=1), found[1])
    panel.show_verdicts(document.answer, wrong)
    assert notes(panel)[-1].startswith("✗  ∂y/∂X is WRONG")
    verdict = next(b for b in panel.findChildren(ElidedButton) if b.whole.startswith("✗"))
    with qtbot.waitSignal(panel.node_requested) as asked:
        qtbot.mouseClick(verdict, LEFT)
    assert asked.args == [("X",)]
    panel.set_verdict("")
    assert notes(panel) == [B_IS_NONE]


def test_a_hint_takes_the_place_of_the_keys_for_a_while(panel: Problems) -> None:
    keys = "Space plays  ·  , . step  ·  F fits  ·  Tab adds  ·  F1 keys"
    assert texts(panel) == [keys, "12 steps"]
    panel.show_hint("Saved a.gradviz")
    assert texts(panel) == ["Saved a.gradviz", "12 steps"]
    panel._fading.timeout.emit()
    assert panel.hint == ""
    assert texts(panel) == [keys, "12 steps"]


def test_the_keys_make_room_for_a_verdict(panel: Problems, document: Document, qtbot) -> None:
    panel.show_verdicts(document.answer, gradcheck.check(document.answer))
    panel.resize(900, 30)
    assert texts(panel) == ["12 steps"]
    panel.resize(1900, 30)
    assert len(texts(panel)) == 2


def test_nothing_reaches_over_the_edge(panel: Problems, document: Document) -> None:
    panel.show_verdicts(document.answer, gradcheck.check(document.answer))
    for width in (640, 900, 1280):
        panel.resize(width, 30)
        panel.layout().activate()
        children = [b for b in panel.findChildren(QToolButton) if b.isVisible()]
        assert all(child.geometry().right() < panel.width() for child in children)
