"""Cards get their size from what they will ever show, so nothing moves while a film plays."""

from __future__ import annotations

import dataclasses
from itertools import combinations

import pytest

from gradviz.picture import geometry
from gradviz.picture.boxes import HEADER, TAB_HEIGHT
from gradviz.picture.look import Card, Form, Kind, Room
from gradviz.picture.plane import Rect
from tests.picture import samples

pytestmark = pytest.mark.usefixtures("qapp")


def cards():
    return [node.card for make in samples.FRAMES.values() for node in make().nodes]


def test_no_card_and_no_port_moves_between_the_steps_of_a_film():
    places = []
    for make in samples.STEPS.values():
        frame = make()
        ports = {wire.id: (wire.start, wire.end) for wire in frame.wires}
        places.append(({node.id: geometry.card_rect(node) for node in frame.nodes}, ports))
    assert all(place == places[0] for place in places)


def test_everything_is_inside_of_its_card():
    for card in cards():
        arrangement = geometry.arrange(card)
        whole = Rect(0, 0, *arrangement.size).grown(0.01)
        rects = [arrangement.body, arrangement.title, arrangement.words, *arrangement.slots]
        for band in filter(None, (arrangement.value, arrangement.gradient)):
            rects += [band.box, band.caption, band.scale, *band.summary]
            if band.note:
                rects += [rect for _, rect in (*band.note.lines, *band.note.actions)]
        for rect in rects:
            assert whole.overlap(rect) == pytest.approx(rect.width * rect.height), (card, rect)


def test_bands_slots_and_name_do_not_overlap():
    for card in cards():
        arrangement = geometry.arrange(card)
        bands = [band.box for band in (arrangement.value, arrangement.gradient) if band]
        names = [arrangement.name] if arrangement.name else []
        for a, b in combinations([*bands, *arrangement.slots, *names], 2):
            assert a.overlap(b) == 0, card


def test_sizes_are_multiples_of_four():
    for card in cards():
        width, height = geometry.arrange(card).size
        assert width % 4 == 0
        assert height % 4 == 0


def test_ports_stand_on_the_edges_below_the_header():
    for card in cards():
        arrangement = geometry.arrange(card)
        body = arrangement.body
        assert {point.x for point in arrangement.inputs} <= {body.x}
        assert {point.x for point in arrangement.outputs} <= {body.right}
        if arrangement.header:
            assert all(point.y > HEADER for point in (*arrangement.inputs, *arrangement.outputs))
        assert all(point.y < body.bottom for point in (*arrangement.inputs, *arrangement.outputs))


def test_cells_fill_their_box_without_overlap():
    for card in cards():
        band = geometry.arrange(card).value
        if band is None or band.room.form is Form.NUMBER or band.note:
            continue
        rows, columns = band.room.rows, band.room.columns
        cells = [band.cell_rect(row, column) for row in range(rows) for column in range(columns)]
        around = Rect.around(cells)
        assert around == pytest.approx(band.box)
        if len(cells) <= 36:
            assert not any(a.overlap(b) > 1e-6 for a, b in combinations(cells, 2))


def test_value_and_gradient_have_equal_columns():
    wide = Room(Form.GRID, 2, 2, characters=10)
    narrow = dataclasses.replace(wide, characters=1)
    arrangement = geometry.arrange(Card(Kind.OP, "exp", value=narrow, gradient=wide))
    assert arrangement.value.cell == arrangement.gradient.cell


def test_many_roads_take_no_more_room_than_a_few():
    few = Card(Kind.OP, "x", slots=("a",) * geometry.SLOTS_SHOWN, more="and 95 more")
    many = Card(Kind.OP, "x", slots=("a",) * 100, more="and 95 more")
    assert geometry.arrange(few).size == geometry.arrange(many).size


def test_one_digit_more_seldom_changes_the_size():
    sizes = {
        geometry.arrange(Card(Kind.OP, "x", value=Room(Form.GRID, 3, 3, n))).size for n in range(12)
    }
    assert len(sizes) <= len(geometry.CHARACTERS)


def test_what_is_painted_stays_inside_of_the_outer_rectangle():
    frame = samples.done()
    node = next(node for node in frame.nodes if node.tab)
    outer, card = geometry.outer_rect(node), geometry.card_rect(node)
    assert outer.overlap(card) == card.width * card.height
    assert outer.y <= card.y - TAB_HEIGHT
