"""Motion is a function of the progress alone, and carries what flows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.picture import film
from gradviz.picture.content import content
from gradviz.picture.look import Cells, Flow, Number
from tests.picture.samples import SEVENS, X

FAMILIES = ("source", "map", "reduce", "spread", "move", "route", "gate", "contract", "solve")
SHEET, NUMBER = content(X), Number("3")
contents = st.sampled_from([SHEET, NUMBER, content(SEVENS[:1])])


@given(st.sampled_from(FAMILIES), st.sampled_from(Flow), contents, contents, st.floats(0, 1))
def test_packets_stay_on_their_wire(family, flow, before, after, progress):
    for packet in film.packets(family, flow, "w", before, after, progress):
        assert packet.wire == "w"
        assert packet.flow is flow
        assert 0 <= packet.along <= 1
        assert 0 <= packet.opacity <= 1
        assert 0 < packet.size <= 1.5
        assert 0 < packet.reveal <= 1
        assert 0 < packet.turn <= 1


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "source"])
@pytest.mark.parametrize("flow", Flow)
def test_what_leaves_is_there_at_the_start_and_what_arrives_at_the_end(family, flow):
    first = film.packets(family, flow, "w", NUMBER, SHEET, 0.0)
    last = film.packets(family, flow, "w", NUMBER, SHEET, 1.0)
    assert first[0].content is NUMBER
    assert last[-1].content is SHEET
    start, end = (0.0, 1.0) if flow is Flow.FORWARD else (1.0, 0.0)
    assert first[0].along == start
    assert last[-1].along == end


def test_a_sum_sends_its_rows_one_after_the_other():
    packets = film.packets("reduce", Flow.FORWARD, "w", SHEET, NUMBER, 0.5)
    rows = [packet for packet in packets if isinstance(packet.content, Cells)]
    assert [packet.content.rows for packet in rows] == [(row,) for row in SHEET.rows]
    places = [packet.along for packet in rows]
    assert places == sorted(places, reverse=True)
    assert len(set(places)) == 3


def test_going_back_through_a_sum_unfolds_a_sheet():
    revealed = []
    for progress in (0.1, 0.4, 0.6, 0.95):
        (packet,) = film.packets("reduce", Flow.BACKWARD, "w", NUMBER, SHEET, progress)
        revealed.append(packet.reveal if packet.content is SHEET else 0.0)
    assert revealed == sorted(revealed)
    assert revealed[0] == 0.0
    assert revealed[-1] == 1.0


def test_a_source_sends_nothing():
    assert film.packets("source", Flow.FORWARD, "w", NUMBER, NUMBER, 0.5) == ()


def test_nothing_moves_before_and_after_the_journey():
    assert film.packets("map", Flow.FORWARD, "w", NUMBER, NUMBER, -0.1) == ()
    assert film.packets("map", Flow.FORWARD, "w", NUMBER, NUMBER, 1.1) == ()


def test_speed_scales_all_times_and_reduced_motion_cuts():
    assert film.timing() == (450.0, 300.0, 900.0)
    assert film.timing(2.0) == (225.0, 150.0, 450.0)
    still = film.timing(reduced=True)
    assert still.packet == still.merge == 0
    assert still.pause > 0


@given(st.floats(0, 1), st.floats(0, 1))
def test_easing_never_goes_back(a, b):
    low, high = sorted((a, b))
    assert 0 <= film.ease(low) <= film.ease(high) <= 1


def test_a_gate_lets_blinds_down_over_the_cells_that_do_not_pass():
    before, after = (
        content(np.array([[1.0, -2.0], [-3.0, 0.0]])),
        content(np.array([[1.0, 0], [0, 0]])),
    )
    closed = []
    for progress in (0.1, 0.45, 0.6, 0.9):
        (packet,) = film.packets("gate", Flow.BACKWARD, "w", before, after, progress)
        # A cell that was 0 already has nothing to be shut off.
        assert packet.shut == ((0, 1), (1, 0))
        closed.append(packet.shutter)
        assert packet.content is (before if progress < 0.65 else after)
    assert closed[0] == 0
    assert closed == sorted(closed)
    assert closed[-1] == 1


def test_what_comes_back_through_a_route_flies_to_its_cells():
    before, after = content(np.array([5.0, 7.0])), content(np.array([[0, 5.0], [7.0, 0]]))
    flown = []
    for progress in (0.1, 0.4, 0.6, 1.0):
        (packet,) = film.packets("route", Flow.BACKWARD, "w", before, after, progress)
        flown.append(packet.spread if packet.content is after else 0.0)
    assert flown == sorted(flown)
    assert (flown[0], flown[-1]) == (0, 1)


def test_a_broadcast_folds_its_rows_going_back_and_a_cast_does_not():
    packets = film.packets(film.FIT, Flow.BACKWARD, "w", SHEET, content(X.sum(0)), 0.5)
    rows = [p.content.rows for p in packets if isinstance(p.content, Cells)]
    assert [(row,) for row in SHEET.rows] == rows[:3]
    assert len(film.packets(film.FIT, Flow.BACKWARD, "w", SHEET, content(X * 1.0), 0.5)) == 1
