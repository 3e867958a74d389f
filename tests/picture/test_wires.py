"""Curves, and the labels that find their place beside them."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.picture import curve as curves
from gradviz.picture import geometry, labels
from gradviz.picture.look import Flow
from gradviz.picture.plane import Point, Rect
from tests.picture import samples

pytestmark = pytest.mark.usefixtures("qapp")
points = st.builds(Point, st.integers(-2000, 2000), st.integers(-2000, 2000))


@given(points, points, st.floats(0, 1))
def test_a_curve_joins_its_ends_and_stays_in_its_bounds(start, end, share):
    curve = curves.curve(start, end)
    assert curves.point_at(curve, 0) == pytest.approx(start)
    assert curves.point_at(curve, 1) == pytest.approx(end)
    at = curves.point_at(curve, share)
    assert curves.bounds(curve).grown(1).contains(at)
    assert curves.distance(curve, at) < 0.5


@given(points, points)
def test_a_curve_leaves_to_the_right_and_enters_from_the_left(start, end):
    curve = curves.curve(start, end)
    assert curve[1].y == start.y
    assert curve[1].x > start.x
    assert curve[-2].y == end.y
    assert curve[-2].x < end.x


def test_packets_travel_at_an_even_speed():
    curve = curves.curve(Point(0, 0), Point(300, 200))
    steps = [curves.point_at(curve, i / 50) for i in range(51)]
    lengths = [math.dist(a, b) for a, b in pairwise(steps)]
    assert max(lengths) < 1.1 * min(lengths)


def test_a_straight_wire_points_to_the_right():
    curve = curves.curve(Point(0, 50), Point(200, 50))
    assert curves.angle_at(curve, 0.5) == pytest.approx(0)
    assert curves.distance(curve, Point(100, 57)) == pytest.approx(7)


@pytest.mark.parametrize("name", samples.FRAMES)
def test_labels_cover_no_card_and_not_their_own_wire(name):
    frame = samples.FRAMES[name]()
    cards = [geometry.card_rect(node) for node in frame.nodes]
    for wire in frame.wires:
        if wire.label:
            place = wire.label.place
            assert not any(place.overlap(card) for card in cards)
            curve = curves.curve(wire.start, wire.end)
            assert not any(place.contains(point) for point in curves.polyline(curve))


def test_labels_do_not_cover_each_other():
    wire = samples.through_square().wires[0]
    first = labels.place_label(wire, ("= 6",), [])
    second = labels.place_label(wire, ("= 6",), [first.place])
    assert first.place.overlap(second.place) == 0


def test_a_label_finds_a_place_where_there_is_none():
    wire = samples.through_square().wires[0]
    everywhere = [Rect(-5000, -5000, 10_000, 10_000)]
    assert labels.place_label(wire, ("= 6",), everywhere).place


def test_a_frame_knows_its_bounds():
    frame = samples.through_square()
    for node in frame.nodes:
        card = geometry.card_rect(node)
        assert frame.bounds.overlap(card) == pytest.approx(card.width * card.height)


def test_an_arrow_points_to_what_is_out_of_view():
    view = Rect(0, 0, 800, 600)
    assert labels.edge_arrow(view, Rect(100, 100, 50, 50), Flow.FORWARD) is None
    arrow = labels.edge_arrow(view, Rect(2000, 275, 50, 50), Flow.BACKWARD, "sum")
    assert arrow.angle == pytest.approx(0)
    assert view.contains(arrow.point)
    assert arrow.text == "sum"
