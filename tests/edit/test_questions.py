"""What is asked."""

from dataclasses import replace

import pytest

from gradviz.edit import edits
from gradviz.errors import GraphError, InputError
from gradviz.graph.model import Diagram, Query
from gradviz.graph.validate import validate
from tests.edit.made import nine_sevens


def test_what_is_not_given_stays():
    diagram = edits.set_query(nine_sevens(), of=["s"], wrt=["B"], unconnected="zero")
    assert diagram.query == Query(("s",), ("B",), unconnected="zero")
    assert edits.set_query(diagram, wrt=["X"]).query == Query(("s",), ("X",), unconnected="zero")
    assert edits.set_query(diagram, wrt=[]).query.wrt == ()


def test_the_same_question_is_no_edit():
    diagram = nine_sevens()
    assert edits.set_query(diagram, of=["y"], wrt=["X", "B", "X"]) is diagram
    assert edits.set_query(Diagram(), of=[], wrt=[]).queries == ()


def test_seeds_go_with_their_targets():
    diagram = edits.set_query(nine_sevens(), of=["B"], seed=[[[1, 0], [0, 0]]])
    validate(diagram)
    assert diagram.query.seed == (((1, 0), (0, 0)),)
    assert edits.set_query(diagram, wrt=["X"]).query.seed is not None
    assert edits.set_query(diagram, of=["y"]).query.seed is None
    assert edits.set_query(diagram, seed=None).query.seed is None


@pytest.mark.parametrize(
    "asked",
    [
        {"seed": [1, 2]},
        {"seed": ["one"]},
        {"seed": [True]},
        {"unconnected": "maybe"},
    ],
)
def test_what_cannot_be_asked_is_refused(asked):
    with pytest.raises(InputError):
        edits.set_query(nine_sevens(), **asked)


def test_nobody_cannot_be_asked_about():
    with pytest.raises(GraphError):
        edits.set_query(nine_sevens(), of=["nobody"])


def test_only_the_current_question_changes():
    diagram = replace(nine_sevens(), queries=(Query(("s",)), Query(("y",))), current=1)
    after = edits.set_query(diagram, wrt=["X"])
    assert after.queries == (Query(("s",)), Query(("y",), ("X",)))
