"""Where a film halts, and what an operation of it is."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv
from gradviz.edit import edits
from gradviz.engine.answer import Answer, answer
from gradviz.engine.stops import Stops, bound_of, stopped_nodes, stops_at_nan
from gradviz.errors import GraphError, InputError
from gradviz.files import native
from gradviz.graph.model import Diagram


def nine_sevens() -> Diagram:
    X = gv.variable([[1, 0, -1], [2, 1, 0], [0, -1, 1]], name="X")
    s = gv.sum(X)
    s.name = "s"
    return gv.diagram(s**2 + s - 1, [X])


def dead_branch() -> Answer:
    x = gv.variable([4.0, 1.0, 0.0], name="x")
    return answer(gv.diagram(gv.sum(gv.where(x > 0, gv.sqrt(x), 0.0)), [x]))


def test_stepping_over_goes_from_operation_to_operation_and_back() -> None:
    film = answer(nine_sevens()).timeline
    there = [0]
    while there[-1] < len(film):
        there.append(film.over(there[-1]))
    # add passes back to two nodes in two steps: one operation.
    assert there == [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12]
    back = [len(film)]
    while back[-1]:
        back.append(film.under(back[-1]))
    assert back == there[::-1]
    assert (film.over(len(film)), film.under(0)) == (len(film), 0)
    # From the midst of an operation to its ends.
    assert (film.over(7), film.under(7)) == (8, 6)


def test_a_breakpoint_halts_at_the_value_and_at_the_gradient() -> None:
    diagram = edits.toggle_breakpoint(nine_sevens(), ["s"])
    stops = Stops(answer(diagram))
    film = answer(diagram).timeline
    assert stops.positions == (film.value_at["s"], 10)
    assert film.steps[9].address.role == "merge"
    assert (stops.after(0), stops.after(1), stops.after(10)) == (1, 10, None)
    assert (stops.before(12), stops.before(10), stops.before(1)) == (10, 1, None)


def test_a_source_halts_where_its_gradient_is_complete() -> None:
    assert Stops(answer(edits.toggle_breakpoint(nine_sevens(), ["X"]))).positions == (11,)


def test_breakpoints_come_and_go_as_edits() -> None:
    first = nine_sevens()
    both = edits.toggle_breakpoint(edits.toggle_breakpoint(first, ["s"]), ["s", "add"])
    assert stopped_nodes(both) == {"s", "add"}
    assert stopped_nodes(edits.toggle_breakpoint(both, ["s", "add"])) == set()
    assert stopped_nodes(edits.delete(both, ["s"])) == {"add"}
    assert edits.clear_breakpoints(both).breakpoints == ()
    assert edits.clear_breakpoints(first) is first
    with pytest.raises(GraphError):
        edits.toggle_breakpoint(first, ["nobody"])


def test_conditions_are_kept_in_the_file() -> None:
    diagram = edits.stop_above(edits.stop_at_nan(nine_sevens(), on=True), 3)
    diagram = edits.toggle_breakpoint(diagram, ["s"])
    again = native.loads(native.dumps(diagram))
    assert (stops_at_nan(again), bound_of(again), stopped_nodes(again)) == (True, 3.0, {"s"})
    assert edits.stop_at_nan(again, on=True) is again
    assert edits.stop_above(again, 3.0) is again
    assert not stops_at_nan(edits.stop_at_nan(again, on=False))
    assert bound_of(edits.stop_above(again, None)) is None
    assert bound_of(edits.stop_above(again, 5)) == 5


@pytest.mark.parametrize("bound", [0, -1.0, float("nan"), float("inf")])
def test_a_bound_is_a_number_above_0(bound: float) -> None:
    with pytest.raises(InputError, match="above 0"):
        edits.stop_above(nine_sevens(), bound)


def test_what_is_no_breakpoint_stops_nothing() -> None:
    from dataclasses import replace

    strange = (
        {"when": "above", "bound": True},
        {"when": "above"},
        {"node": 3},
        {"when": "full moon"},
    )
    assert Stops(answer(replace(nine_sevens(), breakpoints=strange))).positions == ()


def test_the_first_bad_number_of_a_dead_branch() -> None:
    found = dead_branch()
    at = Stops(found).first_bad
    assert at is not None
    step = found.timeline.step(at)
    assert step is not None
    assert (step.address.node, at > found.timeline.forward) == ("sqrt", True)
    assert Stops(answer(nine_sevens())).first_bad is None


def test_a_gradient_beyond_a_bound() -> None:
    found = answer(nine_sevens())
    stops = Stops(found)
    sizes = []
    for step in found.timeline.steps[found.timeline.forward : -1]:
        array = found.run[step.result] if isinstance(step.result, tuple) else step.result
        sizes.append(np.abs(array).max())
    for bound in (0.5, 1.0, 6.0, 6.5, 7.0):
        larger = [i for i, size in enumerate(sizes, found.timeline.forward + 1) if size > bound]
        assert stops.first_above(bound) == (larger[0] if larger else None)
