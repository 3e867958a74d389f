"""Cards in line, and with the same room between them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.edit import edits
from gradviz.edit.layout import card_boxes
from gradviz.graph.model import Diagram, Graph, Node, Place
from gradviz.graph.validate import validate

SIZES = {"a": (100.0, 60.0), "b": (180.0, 116.0), "c": (48.0, 32.0)}
PLACES = {"a": Place(0, 0), "b": Place(300, 200), "c": Place(120, 500)}


def three(places=PLACES):
    nodes = {id: Node(id, "exp", (None,)) for id in "abc"} | {
        "other": Node("other", "exp", (None,))
    }
    return Diagram(Graph(nodes), places={**places, "other": Place(-500, -500)})


def of(box, side):
    return {
        "left": box.left,
        "right": box.right,
        "top": box.top,
        "bottom": box.bottom,
        "centre": box.left + box.width / 2,
        "middle": box.top + box.height / 2,
    }[side]


@pytest.mark.parametrize(
    ("side", "at"),
    [("left", 0), ("right", 480), ("top", 0), ("bottom", 532), ("centre", 240), ("middle", 266)],
)
def test_cards_get_in_line_along_one_axis(side, at):
    before = three()
    after = edits.align(before, {"a", "b", "c"}, side, SIZES)
    boxes, old = card_boxes(after, SIZES), card_boxes(before, SIZES)
    assert {of(boxes[id], side) for id in "abc"} == {at}
    kept = 1 if side in ("left", "right", "centre") else 0
    assert all(boxes[id][kept] == old[id][kept] for id in "abc")
    assert after.places["other"] == before.places["other"]
    assert edits.align(after, {"a", "b", "c"}, side, SIZES) is after
    validate(after)


@pytest.mark.parametrize("across", [True, False])
def test_the_room_between_is_the_same_and_the_ends_stay(across):
    places = {"a": Place(0, 0), "b": Place(110, 90), "c": Place(700, 400)}
    after = edits.distribute(three(places), {"a", "b", "c"}, across=across, sizes=SIZES)
    a, b, c = (card_boxes(after, SIZES)[id] for id in "abc")
    if across:
        assert b.left - a.right == pytest.approx(c.left - b.right)
        assert b.top == 90
    else:
        assert b.top - a.bottom == pytest.approx(c.top - b.bottom)
        assert b.left == 110
    assert (a.left, a.top, c.left, c.top) == (0, 0, 700, 400)


def test_too_few_cards_are_left_as_they_are():
    diagram = three()
    assert edits.align(diagram, {"a"}, "left", SIZES) is diagram
    assert edits.align(diagram, (), "left", SIZES) is diagram
    assert edits.distribute(diagram, {"a", "b"}, across=True, sizes=SIZES) is diagram


@given(st.data())
def test_distributing_twice_changes_nothing_more(data):
    number = st.integers(-2000, 2000).map(float)
    places = {id: Place(data.draw(number), data.draw(number)) for id in "abc"}
    once = edits.distribute(three(places), {"a", "b", "c"}, across=True, sizes=SIZES)
    twice = edits.distribute(once, {"a", "b", "c"}, across=True, sizes=SIZES)
    for id in "abc":
        assert twice.places[id] == pytest.approx(once.places[id])
