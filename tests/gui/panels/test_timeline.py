"""The film: sentence, transport, strip."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QAction, QKeySequence
from PySide6.QtWidgets import QToolButton

import gradviz as gv
from gradviz.edit import edits
from gradviz.engine import explain
from gradviz.gui.document import Document
from gradviz.gui.panels.film_strip import FilmStrip
from gradviz.gui.panels.timeline import Timeline
from gradviz.gui.player import MOTION_S, PAUSE_S, Player
from gradviz.gui.translate import render
from gradviz.text import mark
from tests.gui.panels.conftest import Clock, texts, tip_at

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(document: Document, player: Player, show) -> Timeline:
    return show(Timeline(document, player), 1280, 104)


def button(panel: Timeline, name: str) -> QToolButton:
    return next(b for b in panel.findChildren(QToolButton) if b.accessibleName().startswith(name))


def middle(strip: FilmStrip, position: int) -> QPoint:
    return strip.place_of(position).toPoint()


def test_it_says_step_half_and_sentence(panel: Timeline, player: Player) -> None:
    player.seek(9)
    assert texts(panel) == [
        "Step 9 of 12",
        "Backward",
        "square passes its gradient 1 back to s, multiplied by its local derivative 2·s = 6.",
    ]
    player.seek(1)
    assert texts(panel) == ["Step 1 of 12", "Forward", "s = sum(X) = 3"]


def test_the_start_asks_the_question(panel: Timeline, player: Player) -> None:
    player.to_start()
    assert texts(panel)[0] == "Start"
    assert texts(panel)[1].startswith("The question: if X changes a little")


def test_the_buttons_move_the_player(panel: Timeline, player: Player, qtbot) -> None:
    places = []
    for name in ("To the start", "One step on", "One step on", "One step back", "To the end"):
        qtbot.mouseClick(button(panel, name), LEFT)
        places.append(player.position)
    assert places == [0, 1, 2, 1, 12]


def test_play_becomes_pause_and_back(panel: Timeline, player: Player, clock: Clock, qtbot) -> None:
    player.to_start()
    qtbot.mouseClick(button(panel, "Play"), LEFT)
    assert player.playing
    clock.now += MOTION_S + PAUSE_S
    player.tick()
    qtbot.mouseClick(button(panel, "Pause"), LEFT)
    assert not player.playing
    assert button(panel, "Play").isVisible()


def test_at_the_ends_only_what_works_is_enabled(panel: Timeline, player: Player) -> None:
    player.to_end()
    names = ("To the start", "One step back", "Play", "One step on", "To the end")
    assert [button(panel, name).isEnabled() for name in names] == [True, True, True, False, False]
    player.to_start()
    assert [button(panel, name).isEnabled() for name in names] == [False, False, True, True, True]


def test_the_keyboard_does_not_lose_its_place_at_an_end(
    panel: Timeline, player: Player, qtbot
) -> None:
    player.seek(11)
    step = button(panel, "One step on")
    step.setFocus()
    qtbot.keyClick(step, Qt.Key.Key_Space)
    assert player.position == 12
    assert panel.strip.hasFocus()


def test_the_speed_is_chosen_from_a_menu(panel: Timeline, player: Player) -> None:
    speed = button(panel, "Speed")
    fast = next(action for action in speed.menu().actions() if action.text() == "4×")
    fast.trigger()
    assert player.speed == 4
    assert speed.text().startswith("4×")
    assert [action.text() for action in speed.menu().actions() if action.isChecked()] == ["4×"]


def test_a_click_on_the_strip_goes_there_and_pauses(panel: Timeline, player: Player, qtbot) -> None:
    player.play()
    qtbot.mouseClick(panel.strip, LEFT, pos=middle(panel.strip, 7))
    assert (player.position, player.playing, player.progress) == (7, False, 1)
    qtbot.mouseClick(panel.strip, LEFT, pos=QPoint(3, 20))
    assert player.position == 0


def test_dragging_scrubs(panel: Timeline, player: Player, qtbot) -> None:
    strip, places = panel.strip, []
    player.arrived.connect(lambda: places.append(player.position))
    qtbot.mousePress(strip, LEFT, pos=middle(strip, 2))
    for position in (3, 4, 8):
        qtbot.mouseMove(strip, middle(strip, position))
    qtbot.mouseMove(strip, QPoint(strip.width() + 50, 20))
    qtbot.mouseRelease(strip, LEFT, pos=QPoint(strip.width() + 50, 20))
    assert places == [2, 3, 4, 8, 12]


def test_the_strip_has_keys(panel: Timeline, player: Player, qtbot) -> None:
    strip, keys, places = panel.strip, Qt.Key, []
    strip.setFocus()
    for key in (
        *(keys.Key_Home, keys.Key_Right, keys.Key_Right, keys.Key_Left),
        *(keys.Key_M, keys.Key_End, keys.Key_PageUp),
    ):
        qtbot.keyClick(strip, key)
        places.append(player.position)
    assert places == [0, 1, 2, 1, 4, 12, 2]
    qtbot.keyClick(strip, keys.Key_Space)
    assert player.playing


def test_home_is_the_start_although_it_fits_the_canvas(
    panel: Timeline, player: Player, qtbot
) -> None:
    fitted: list[bool] = []
    action = QAction("Fit all", panel)
    action.setShortcut(QKeySequence("Home"))
    action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    action.triggered.connect(lambda: fitted.append(True))
    panel.addAction(action)
    panel.strip.setFocus()
    qtbot.keyClick(panel.strip, Qt.Key.Key_Home)
    assert (player.position, fitted) == (0, [])


@pytest.mark.qt_log_ignore("does not support raise", extend=True)
def test_each_step_has_a_tool_tip_with_its_sentence(panel: Timeline, document: Document) -> None:
    strip = panel.strip
    shown = tip_at(strip, middle(strip, 10))
    step = document.answer.timeline.step(10)
    assert shown == f"10  {render(explain.sentence(document.answer, step))}"


def test_every_step_of_a_short_film_is_labelled(panel: Timeline, player: Player) -> None:
    strip = panel.strip
    shown = strip.shown_labels()
    assert [strip.label(step) for step in sorted(shown)] == [
        *("s", "square", "add", "y", "seed 1", "→ add", "→ square", "→ s", "→ s"),
        *("Σ s", "→ X", "done"),
    ]
    boxes = [shown[step] for step in sorted(shown)]
    assert not any(a.intersects(b) for a, b in pairwise(boxes))


def test_a_long_film_still_fits(document: Document, player: Player, show) -> None:
    y = x = gv.variable(0.5, name="x")
    for _ in range(90):
        y = gv.sin(y) * y
    document.start(gv.diagram(y, x))
    panel = show(Timeline(document, player), 1280, 104)
    strip = panel.strip
    assert len(player.timeline) > 500
    player.seek(300)
    shown = strip.shown_labels()
    assert 300 in shown
    boxes = sorted(shown.values(), key=lambda box: box.left())
    assert not any(a.intersects(b) for a, b in pairwise(boxes))
    assert all(box.left() >= 0 and box.right() <= strip.width() for box in boxes)
    assert all(
        strip.position_at(strip.place_of(n).x()) == n for n in range(len(player.timeline) + 1)
    )
    assert not strip.grab().isNull()


def test_the_strip_does_not_move_when_a_sentence_is_long(
    document: Document, player: Player, show
) -> None:
    panel = show(Timeline(document, player), 700, 110)
    places = set()
    for position in range(13):
        player.seek(position)
        panel.layout().activate()
        places.add((panel.strip.y(), panel.strip.width()))
    assert len(places) == 1


def test_an_empty_film_says_so(qtbot, show) -> None:
    document = Document()
    panel = show(Timeline(document, Player(document)), 1000, 104)
    assert texts(panel) == [
        "There is no number to ask about yet: add a node or type an expression."
    ]
    assert not button(panel, "Play").isEnabled()
    assert not panel.strip.grab().isNull()
    document.close()


def test_after_an_edit_the_sentence_is_the_new_one(
    panel: Timeline, player: Player, document: Document
) -> None:
    player.seek(1)
    document.edit(mark("edit", "Set"), edits.set_cell, "X", (0, 0), 5.0)
    assert texts(panel)[-1] == "s = sum(X) = 7"


def test_a_screen_reader_is_told_each_step(panel: Timeline, player: Player) -> None:
    QAccessible.setActive(True)
    try:
        player.seek(9)
    finally:
        QAccessible.setActive(False)
    assert panel.strip.accessibleDescription().startswith("square passes its gradient 1 back")


def test_a_step_is_gone_to_by_its_number(panel: Timeline, player: Player, qtbot) -> None:
    qtbot.mouseClick(panel.number.label, LEFT)
    line = panel.number.line
    assert line.hasFocus()
    qtbot.keyClicks(line, "7")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert (player.position, panel.strip.hasFocus()) == (7, True)
    # With the strip in focus, the digits are enough.
    qtbot.keyClick(panel.strip, Qt.Key.Key_1)
    qtbot.keyClicks(line, "1")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert player.position == 11
    assert texts(panel)[0] == "Step 11 of 12"


@pytest.mark.parametrize("typed", ["99", "-1", "x", "", "1.5", "²", "9" * 40])
def test_what_is_no_step_stays_to_be_corrected(
    panel: Timeline, player: Player, qtbot, typed: str
) -> None:
    player.seek(3)
    panel.type_step()
    line = panel.number.line
    line.clear()
    line.insert(typed)
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert (line.isVisible(), line.property("faulty"), player.position) == (True, "true", 3)
    assert line.toolTip() == "A number from 0 to 12"
    qtbot.keyClick(line, Qt.Key.Key_Escape)
    assert not line.isVisible()
    assert texts(panel)[0] == "Step 3 of 12"


def test_typing_a_number_ends_when_the_focus_goes(panel: Timeline, player: Player) -> None:
    player.seek(3)
    panel.type_step("1")
    panel.strip.setFocus()
    assert not panel.number.line.isVisible()
    assert player.position == 3


def halts(panel: Timeline):
    menu = button(panel, "Halt at").menu()
    menu.aboutToShow.emit()
    return {action.text(): action for action in menu.actions() if action.text()}


def test_the_halts_are_switched_in_a_menu(
    panel: Timeline, player: Player, document: Document, monkeypatch
) -> None:
    asked: list[str] = []
    answers = iter([("two", True), ("-3", True), ("6,5", True)])

    def ask(*given: object, **_: object) -> tuple[str, bool]:
        asked.append(str(given[2]))
        return next(answers)

    monkeypatch.setattr("gradviz.gui.panels.halts.QInputDialog.getText", ask)
    halts(panel)["the first NaN or ∞"].trigger()
    halts(panel)["a gradient larger than…"].trigger()
    assert len(asked) == 3
    assert "above 0" in asked[2]
    document.edit(mark("edit", "Breakpoint"), edits.toggle_breakpoint, ["s"])
    shown = halts(panel)
    assert shown["the first NaN or ∞"].isChecked()
    assert shown["a gradient larger than 6.5"].isChecked()
    assert shown["s"].isChecked()
    assert button(panel, "Halt at").text().startswith("Halt at 3")
    assert player.stops.positions == (1, 10)
    shown["s"].trigger()
    assert player.stops.positions == (10,)
    halts(panel)["Halt nowhere"].trigger()
    assert document.diagram.breakpoints == ()
    document.undo()
    assert len(document.diagram.breakpoints) == 2


def test_halts_and_the_first_bad_number_are_marked_on_the_strip(
    document: Document, player: Player, panel: Timeline
) -> None:
    before = panel.strip.grab().toImage()
    document.edit(mark("edit", "Breakpoint"), edits.toggle_breakpoint, ["s"])
    with_stops = panel.strip.grab().toImage()
    assert with_stops != before
    x = gv.variable([4.0, 0.0], name="x")
    document.start(gv.diagram(gv.sum(gv.sqrt(x)), [x]))
    assert player.stops.first_bad is not None
    good = gv.variable([4.0, 1.0], name="x")
    bad_picture = panel.strip.grab().toImage()
    document.start(gv.diagram(gv.sum(gv.sqrt(good)), [good]))
    assert panel.strip.grab().toImage() != bad_picture
