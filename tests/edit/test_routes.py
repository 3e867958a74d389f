"""Points that a wire is led through: they live and die with it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from gradviz.edit import edits
from gradviz.errors import GraphError, InputError
from gradviz.files import native
from gradviz.graph.model import InPort, OutPort, Place
from gradviz.graph.routes import routes_of
from gradviz.graph.validate import validate
from tests.edit.made import nine_sevens

END = InPort("square", 0)
POINTS = (Place(100, 20), Place(140, -8))


def routed():
    return edits.set_route(nine_sevens(), END, POINTS)


def test_a_route_is_set_changed_and_taken_away():
    diagram = routed()
    validate(diagram)
    assert routes_of(diagram) == {END: POINTS}
    assert edits.set_route(diagram, END, POINTS) is diagram
    assert routes_of(edits.set_route(diagram, END, POINTS[:1])) == {END: POINTS[:1]}
    assert edits.set_route(diagram, END, ()).routes == ()
    with pytest.raises(GraphError, match="no wire"):
        edits.set_route(diagram, InPort("X", 0), POINTS)


def test_it_is_kept_in_the_file():
    again = native.loads(native.dumps(routed()))
    assert routes_of(again) == {END: POINTS}


@pytest.mark.parametrize(
    "gone",
    [
        lambda d: edits.disconnect(d, END),
        lambda d: edits.connect(d, OutPort("X"), END),
        lambda d: edits.delete(d, ["s"]),
        lambda d: edits.delete(d, ["square"]),
        lambda d: edits.pull_out(d, ["square"]),
        lambda d: edits.cut(d, [END]),
    ],
)
def test_it_goes_with_its_wire(gone):
    after = gone(routed())
    validate(after)
    assert after.routes == ()


def test_it_stays_when_another_wire_changes():
    after = edits.disconnect(routed(), InPort("y", 0))
    assert routes_of(after) == {END: POINTS}
    assert routes_of(edits.delete_and_heal(routed(), ["add"])) == {END: POINTS}


def test_it_moves_with_both_cards_and_stays_when_one_moves():
    diagram = routed()
    s, square = diagram.places["s"], diagram.places["square"]
    both = {"s": Place(s.x + 40, s.y - 4), "square": Place(square.x + 40, square.y - 4)}
    moved = routes_of(edits.move(diagram, both))[END]
    assert moved == tuple(Place(p.x + 40, p.y - 4) for p in POINTS)
    assert routes_of(edits.move(diagram, {"s": both["s"]})) == {END: POINTS}


def test_it_is_copied_with_its_wire():
    diagram = routed()
    part = edits.cut_out(diagram, ["s", "square"])
    validate(part)
    assert routes_of(part) == {END: POINTS}
    assert edits.cut_out(diagram, ["square"]).routes == ()
    after, new = edits.insert(diagram, part, Place(8, 8))
    validate(after)
    assert routes_of(after)[InPort(new["square"], 0)] == tuple(
        Place(p.x + 8, p.y + 8) for p in POINTS
    )


def test_what_is_no_route_is_kept_and_leads_nothing():
    strange = (
        {"node": "square"},
        {"node": "square", "input": True, "points": [[1, 2]]},
        {"node": "square", "input": 7, "points": [[1, 2]]},
        {"node": "square", "input": 0, "points": [[1], "x", [float("nan"), 2], [1e9, 0]]},
        {"words": "hello"},
    )
    diagram = replace(nine_sevens(), routes=strange)
    assert routes_of(diagram) == {}
    # A node with no such input cannot lose its wire later: that entry goes with the first change of wires.
    after = edits.disconnect(diagram, InPort("y", 0))
    assert after.routes == (strange[0], strange[1], strange[3], strange[4])


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_point_that_no_file_can_hold_is_refused(number):
    with pytest.raises(InputError, match="two finite numbers"):
        edits.set_route(nine_sevens(), InPort("s", 0), [Place(0, number)])
    with pytest.raises(InputError, match="two finite numbers"):
        edits.move(nine_sevens(), {"s": Place(number, 0)})
