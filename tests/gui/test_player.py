"""The cursor over the film, with a clock of our own: no test waits for real time."""

from __future__ import annotations

import pytest

import gradviz as gv
from gradviz.edit import edits
from gradviz.engine.gradient import Role
from gradviz.gui.document import Document
from gradviz.gui.player import MOTION_S, PAUSE_S, Player
from gradviz.text import mark


class Clock:
    """Time that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def document(qtbot):
    made = Document()
    x = gv.variable([[1, 0, -1], [2, 1, 0], [0, -1, 1]], name="X")
    s = gv.sum(x)
    s.name = "s"
    made.start(gv.diagram(s**2 + s - 1, x))
    yield made
    made.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def player(document: Document, clock: Clock) -> Player:
    made = Player(document, clock=clock)
    made.to_start()
    return made


def pass_time(player: Player, clock: Clock, seconds: float) -> None:
    clock.now += seconds
    player.tick()


def test_a_file_is_shown_at_its_end(document: Document, clock: Clock) -> None:
    player = Player(document, clock=clock)
    assert player.position == len(player.timeline)
    assert player.progress == 1


def test_stepping_shows_the_motion_and_then_rests(player: Player, clock: Clock) -> None:
    player.forward()
    assert (player.position, player.progress) == (1, 0)
    pass_time(player, clock, MOTION_S / 2)
    assert player.progress == pytest.approx(0.5)
    pass_time(player, clock, MOTION_S)
    assert player.progress == 1
    pass_time(player, clock, 100)
    assert player.position == 1


def test_n_steps_on_and_n_back_is_where_it_was(player: Player) -> None:
    for _ in range(len(player.timeline) + 3):
        player.forward()
    assert player.position == len(player.timeline)
    for _ in range(len(player.timeline) + 3):
        player.back()
    assert (player.position, player.progress) == (0, 1)


def test_playing_goes_to_the_end_and_stops_there(player: Player, clock: Clock) -> None:
    player.play()
    assert player.playing
    for _ in range(500):
        pass_time(player, clock, 0.1)
    assert not player.playing
    assert player.position == len(player.timeline)


def test_playing_from_the_end_begins_anew(player: Player) -> None:
    player.to_end()
    player.play()
    assert player.position <= 1


def test_pause_finishes_the_picture(player: Player, clock: Clock) -> None:
    player.play()
    pass_time(player, clock, MOTION_S / 3)
    assert player.progress < 1
    player.pause()
    assert player.progress == 1


def test_speed_scales_every_duration(player: Player, clock: Clock) -> None:
    player.speed = 4
    player.play()
    start = player.position
    pass_time(player, clock, (MOTION_S + PAUSE_S) / 4 + 0.001)
    assert player.position == start + 1


def test_reduced_motion_cuts(player: Player) -> None:
    player.reduced_motion = True
    player.forward()
    assert player.progress == 1


def test_scrubbing_beyond_the_ends_stays_inside(player: Player) -> None:
    player.seek(-5)
    assert player.position == 0
    player.seek(999)
    assert player.position == len(player.timeline)


def test_the_film_keeps_its_place_when_a_number_changes(player: Player, document: Document) -> None:
    merge = next(i for i, s in enumerate(player.timeline.steps, 1) if s.address.role is Role.MERGE)
    player.seek(merge)
    assert document.edit(mark("edit", "Set"), edits.set_cell, "X", (0, 0), 5.0)
    assert player.position == merge
    assert player.step is not None
    assert player.step.address.role is Role.MERGE


def test_at_the_end_it_stays_at_the_end_of_a_longer_film(
    player: Player, document: Document
) -> None:
    player.to_end()
    longer = gv.variable(2.0, name="z")
    document.start(gv.diagram(gv.sin(longer * longer) + longer))
    assert player.position == len(player.timeline)


def test_an_empty_document_cannot_be_played(qtbot, clock: Clock) -> None:
    document = Document()
    player = Player(document, clock=clock)
    player.play()
    player.forward()
    player.back()
    assert (player.position, player.playing) == (0, False)
    document.close()


def test_arrived_is_told_once_a_step(player: Player, qtbot) -> None:
    told = []
    player.arrived.connect(lambda: told.append(player.position))
    player.forward()
    player.tick()
    player.back()
    assert told == [1, 0]


def test_playing_backwards_runs_the_picture_back_and_stops_at_the_start(
    player: Player, clock: Clock
) -> None:
    player.to_end()
    player.play(backwards=True)
    pass_time(player, clock, MOTION_S / 3)
    assert player.position == len(player.timeline)
    assert player.progress == pytest.approx(2 / 3)
    pass_time(player, clock, MOTION_S)
    assert (player.position, player.progress) == (len(player.timeline) - 1, 1)
    seen = {player.position}
    for _ in range(500):
        pass_time(player, clock, 0.1)
        seen.add(player.position)
    assert seen == set(range(len(player.timeline)))
    assert (player.position, player.progress, player.playing) == (0, 1, False)
    player.play(backwards=True)
    assert player.position == len(player.timeline)


def test_turning_round_while_it_plays(player: Player, clock: Clock) -> None:
    player.seek(4)
    player.play()
    pass_time(player, clock, MOTION_S / 2)
    assert (player.position, player.progress) == (5, pytest.approx(0.5))
    player.play(backwards=True)
    assert player.backwards
    pass_time(player, clock, MOTION_S / 4)
    assert player.progress == pytest.approx(0.25)
    player.play()
    assert not player.backwards
    pass_time(player, clock, MOTION_S / 4)
    assert player.progress == pytest.approx(0.5)
    player.toggle()
    assert not player.playing


def test_it_halts_at_breakpoints_both_ways_and_goes_on(
    player: Player, document: Document, clock: Clock
) -> None:
    document.edit(mark("edit", "Breakpoint"), edits.toggle_breakpoint, ["s"])
    (first, second) = player.stops.positions
    halts = []
    for _ in range(3):
        player.play()
        while player.playing:
            pass_time(player, clock, 0.1)
        halts.append((player.position, player.progress))
    assert halts == [(first, 1), (second, 1), (len(player.timeline), 1)]
    halts.clear()
    for _ in range(3):
        player.play(backwards=True)
        while player.playing:
            pass_time(player, clock, 0.1)
        halts.append((player.position, player.progress))
    assert halts == [(second, 1), (first, 1), (0, 1)]


def test_it_halts_where_the_first_nan_comes_up(qtbot, clock: Clock) -> None:
    document = Document()
    x = gv.variable([4.0, 1.0, 0.0], name="x")
    document.start(gv.diagram(gv.sum(gv.where(x > 0, gv.sqrt(x), 0.0)), [x]))
    document.edit(mark("edit", "Halt"), edits.stop_at_nan, on=True)
    player = Player(document, clock=clock)
    player.to_start()
    player.play()
    while player.playing:
        pass_time(player, clock, 0.1)
    assert player.step is not None
    assert player.step.address.node == "sqrt"
    assert player.position > player.timeline.forward
    document.close()


def test_running_to_a_node_goes_to_its_value_then_to_its_gradient(player: Player) -> None:
    places = []
    for _ in range(3):
        assert player.run_to("s")
        places.append(player.position)
    assert places == [1, 10, 1]
    assert not player.run_to("nobody")
    assert player.position == 1


def test_stops_are_jumped_between(player: Player, document: Document) -> None:
    assert not player.to_next_stop()
    document.edit(mark("edit", "Breakpoint"), edits.toggle_breakpoint, ["s", "add"])
    places = []
    while player.to_next_stop():
        places.append(player.position)
    assert places == list(player.stops.positions)
    back = []
    while player.to_last_stop():
        back.append(player.position)
    assert back == places[-2::-1]


def test_stepping_over_an_operation_and_back(player: Player) -> None:
    there = []
    while player.position < len(player.timeline):
        player.over()
        there.append(player.position)
    assert 7 not in there
    back = []
    while player.position:
        player.under()
        back.append(player.position)
    assert back == [*there[-2::-1], 0]


def test_going_into_a_step_shows_what_its_rule_is_made_of(qtbot, clock: Clock) -> None:
    document = Document()
    x = gv.variable([[1.0, 2.0]], name="x")
    w = gv.variable([[1.0], [3.0]], name="w")
    document.start(gv.diagram(gv.sum(x @ w), [x, w]))
    player = Player(document, clock=clock)
    player.to_start()
    assert not player.into()
    back = next(
        i
        for i, step in enumerate(player.timeline.steps, 1)
        if step.address[:3] == ("matmul", 0, Role.CONTRIBUTION)
    )
    player.seek(back)
    assert player.into()
    assert [inner.line for inner in player.inside] == ["t₁ = wᵀ = 1×2"]
    player.forward()
    assert [inner.line for inner in player.inside] == ["t₁ = wᵀ = 1×2", "g @ t₁ = 1×2"]
    assert player.inside[-1].array is not None
    assert player.inside[-1].array.tolist() == [[1.0, 3.0]]
    player.back()
    assert len(player.inside) == 1
    # An edit keeps the place, inside too, with the new numbers.
    document.edit(mark("edit", "Set"), edits.set_cell, "w", (0, 0), 8.0)
    assert len(player.inside) == 1
    assert player.inside[0].array is not None
    assert player.inside[0].array.tolist() == [[8.0, 3.0]]
    player.back()
    assert (player.inside, player.position) == ((), back)
    assert player.into()
    player.forward()
    player.forward()
    assert (player.inside, player.position) == ((), back + 1)
    player.seek(back)
    assert player.into()
    assert player.out()
    assert not player.out()
    document.close()
