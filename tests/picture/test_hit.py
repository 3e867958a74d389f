"""What is under the pointer: pointing at a part finds just that part."""

from __future__ import annotations

import pytest

from gradviz.picture import geometry
from gradviz.picture.hit import Hit, Part, hit, where
from gradviz.picture.look import Form
from gradviz.picture.plane import Point
from tests.picture import samples

pytestmark = pytest.mark.usefixtures("qapp")


def nodes():
    return [node for make in samples.FRAMES.values() for node in make().nodes]


def parts(node):
    arrangement = geometry.arrange(node.card)
    found = [Hit(Part.INPUT, i) for i in range(len(arrangement.inputs))]
    found += [Hit(Part.OUTPUT, i) for i in range(len(arrangement.outputs))]
    found += [Hit(Part.SLOT, i) for i in range(len(arrangement.slots))]
    for part, band in (
        (Part.VALUE, arrangement.value),
        (Part.GRADIENT, arrangement.gradient),
    ):
        if band and band.note:
            found += [Hit(Part.ACTION, i) for i in range(len(band.note.actions))]
        elif band:
            rows = range(band.room.rows if band.room.form is not Form.NUMBER else 1)
            columns = range(band.room.columns if band.room.form is not Form.NUMBER else 1)
            found += [Hit(part, 0, row, column) for row in rows for column in columns]
    return [*found, Hit(Part.HEADER)] if arrangement.header else found


def test_the_middle_of_each_part_is_that_part():
    for node in nodes():
        for part in parts(node):
            assert hit(node, where(node, part).center) == part, node.id


def test_ports_are_hit_where_wires_end():
    for node in nodes():
        for i in range(len(node.card.inputs)):
            assert hit(node, geometry.input_point(node, i)) == Hit(Part.INPUT, i)
        for i in range(len(geometry.arrange(node.card).outputs)):
            assert hit(node, geometry.output_point(node, i)) == Hit(Part.OUTPUT, i)


def test_ports_are_hit_from_a_little_outside():
    node = next(node for node in samples.start().nodes if node.id == "sum")
    x, y = geometry.input_point(node, 0)
    assert hit(node, Point(x - 9, y)) == Hit(Part.INPUT, 0)
    assert hit(node, Point(x - 30, y)) is None


def test_the_rest_of_a_card_is_its_body():
    node = next(node for node in samples.start().nodes if node.id == "X")
    rect = geometry.card_rect(node)
    assert hit(node, Point(rect.x + 2, rect.bottom - 2)) == Hit(Part.BODY)
    assert hit(node, Point(rect.right + 40, rect.y)) is None
