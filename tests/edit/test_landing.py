"""A card put in between covers nothing, and moves only what it must."""

from hypothesis import given
from hypothesis import strategies as st

import gradviz as gv
from gradviz.edit import edits, landing
from gradviz.graph.model import InPort, Place
from gradviz.graph.walk import descendants
from tests.edit.made import overlaps

WIRES = [("s", 0), ("square", 0), ("add", 0), ("add", 1), ("y", 0), ("y", 1)]


def diagram():
    X = gv.variable([[1.0, 2.0]], name="X")
    s = gv.sum(X)
    s.name = "s"
    return edits.arrange(gv.diagram(s**2 + s - 1, [X, gv.variable(1.0, name="B")]))


@given(
    st.sampled_from(WIRES),
    st.integers(-200, 1200),
    st.integers(-300, 500),
    st.sampled_from([(180.0, 116.0), (320.0, 300.0), (48.0, 32.0)]),
)
def test_in_between_covers_nothing_and_moves_only_what_is_behind(wire, x, y, size):
    before, id = edits.add_node(diagram(), "exp", Place(x, y))
    wired = edits.insert_on_wire(before, id, InPort(*wire))
    sizes = {id: size}
    after = landing.make_room(wired, id, sizes)
    assert after.graph is wired.graph
    assert overlaps(after, sizes) == []
    moved = {other for other, place in wired.places.items() if after.places[other] != place}
    assert moved <= descendants(wired.graph, [id]) | {id}
    if not overlaps(wired, sizes, gap=landing.NEAR):
        assert not moved


def test_a_card_on_a_short_wire_stays_near_and_the_rest_makes_way():
    before, id = edits.add_node(diagram(), "exp", Place(0, 0))
    x = before.places["X"]
    start = edits.move(before, {id: Place(x.x + 100, x.y)})
    after = landing.make_room(edits.insert_on_wire(start, id, InPort("s", 0)), id, {})
    assert after.places["X"] == x
    assert after.places[id].y == x.y
    assert x.x + 180 < after.places[id].x <= x.x + 180 + landing.MARGIN + 4
    assert after.places["s"].x >= after.places[id].x + 180


@given(st.sampled_from(["X", "s", "square", "add"]), st.integers(180, 700))
def test_what_a_grown_card_covers_makes_way(id, width):
    before = diagram()
    sizes = {id: (float(width), 116.0)}
    after = landing.make_way(before, [id], sizes)
    moved = {other for other, place in before.places.items() if after.places[other] != place}
    behind = descendants(before.graph, [id]) - {id}
    assert moved <= behind
    assert [pair for pair in overlaps(after, sizes) if id in pair and set(pair) & behind] == []
    if not overlaps(before, sizes):
        assert after is before
