"""Adding, deleting, moving and naming."""

from dataclasses import replace

import numpy as np
import pytest

from gradviz import limits
from gradviz.edit import edits
from gradviz.engine.check import infer
from gradviz.errors import GraphError, InputError, LimitError, ShapeError
from gradviz.graph.model import Diagram, InPort, OutPort, Place, Query, freeze
from gradviz.graph.validate import validate
from gradviz.ops import registry
from tests.edit.made import ORIGIN, add, inputs, nine_sevens


def test_a_new_variable_is_one_zero():
    diagram, id = add(Diagram(), "variable")
    assert diagram.values[id].dtype == np.float64
    assert diagram.values[id].shape == ()
    assert diagram.values[id] == 0
    assert diagram.graph[id].name == "variable"
    assert diagram.places[id] == ORIGIN


def test_a_new_constant_is_a_literal_one_without_a_name():
    diagram, id = add(Diagram(), "constant")
    assert diagram.values[id] == 1
    assert diagram.graph[id].attributes["dtype"] == "weak"
    assert diagram.graph[id].name == ""


def test_a_new_random_source_is_3_by_3_with_the_seed_it_is_given():
    diagram, id = add(Diagram(), "random_normal", attributes={"seed": 7})
    assert diagram.graph[id].attributes == {"shape": (3, 3), "seed": 7}
    assert id not in diagram.values
    with pytest.raises(InputError, match="seed"):
        add(Diagram(), "random_normal", attributes={"seed": -1})


def test_whole_numbers_given_to_a_variable_become_floats():
    diagram, id = add(Diagram(), "variable", value=[[1, 2], [3, 4]])
    assert diagram.values[id].dtype == np.float64
    assert infer(diagram.graph)[OutPort(id)].shape == (2, 2)


def test_a_float32_array_keeps_its_dtype():
    diagram, id = add(Diagram(), "variable", value=np.ones(3, np.float32))
    assert diagram.values[id].dtype == np.float32


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(2, "weak"), (2.5, "weak"), ([1, 2], "int64"), (True, "bool"), (np.float32(2), "float32")],
)
def test_a_constant_has_the_dtype_of_its_numbers(value, dtype):
    diagram, id = add(Diagram(), "constant", value=value)
    assert diagram.graph[id].attributes["dtype"] == dtype
    assert diagram.graph[id].name == ("" if dtype == "weak" else "constant")


def test_every_op_can_be_added_and_has_open_inputs():
    diagram = Diagram()
    for op in registry.every():
        diagram, id = add(diagram, op.name)
        wanted = 2 if op.variadic else op.fewest
        assert inputs(diagram, id) == [None] * wanted
    kinds = {problem.kind for problem in infer(diagram.graph).problems.values()}
    assert kinds <= {"open"}


def test_what_a_new_node_is_set_to_fits_any_matrix():
    for name in ("reshape", "expand_dims", "getitem"):
        diagram, x = add(Diagram(), "variable", value=np.ones((3, 4)))
        diagram, id = add(diagram, name)
        diagram = edits.connect(diagram, OutPort(x), InPort(id))
        assert not infer(diagram.graph).problems


def test_a_computed_node_is_given_no_numbers():
    with pytest.raises(InputError, match="computes its numbers"):
        add(Diagram(), "sum", value=3)


def test_an_unknown_op_is_named_with_the_nearest():
    with pytest.raises(InputError, match="sum"):
        add(Diagram(), "summ")


def test_names_are_unique_and_count_on():
    diagram = Diagram()
    names = []
    for _ in range(3):
        diagram, id = add(diagram, "sum")
        names.append(diagram.graph[id].name)
    assert names == ["sum", "sum_2", "sum_3"]


@pytest.mark.parametrize("name", ["", "\u200b", "a\nb", " ", "x" * 81, "\u202eabc"])
def test_a_name_that_cannot_be_seen_is_refused(name):
    with pytest.raises(InputError):
        add(Diagram(), "sum", name=name)
    diagram = nine_sevens()
    with pytest.raises(InputError):
        edits.rename(diagram, "s", name)


def test_a_name_is_never_longer_than_it_may_be():
    long = "x" * limits.NAME_CHARACTERS
    diagram, first = add(Diagram(), "sum", name=long)
    diagram, second = add(diagram, "sum", name=long)
    assert diagram.graph[first].name == long
    assert diagram.graph[second].name.startswith("x" * 60)


def test_numbers_beyond_the_limit_of_a_document_are_refused_with_the_way_out():
    with pytest.raises(LimitError, match=r"random node.*\.npy"):
        add(Diagram(), "variable", value=np.zeros(limits.VALUES_BYTES // 8 + 1))


def test_a_place_is_brought_within_reach_and_must_be_a_number():
    diagram, id = edits.add_node(Diagram(), "sum", Place(1e9, -1e9))
    assert diagram.places[id] == (limits.PLACE, -limits.PLACE)
    with pytest.raises(InputError):
        edits.move(diagram, {id: Place(float("nan"), 0)})


def test_deleting_takes_everything_that_speaks_of_the_node():
    diagram = nine_sevens()
    query = Query(("y", "s"), ("X", "B"), (1.0, 2.0), ("square",))
    diagram = replace(
        diagram,
        queries=(query,),
        notes=freeze([{"text": "look", "node": "s"}]),
        groups=freeze([{"id": "g", "members": ["s", "y"]}]),
        routes=freeze([{"node": "s", "input": 0}, {"node": "y", "input": 1}]),
        ranges=freeze({"X": [0, 1], "s": [1, 2]}),
        breakpoints=freeze([{"node": "s"}, {"node": "y"}]),
    )
    validate(diagram)
    after = edits.delete(diagram, ["s", "X", "square"])
    validate(after)
    assert after.queries == (Query(("y",), ("B",), (1.0,), ()),)
    assert set(after.places) == {"add", "c", "y", "B"}
    assert set(after.values) == {"c", "B"}
    assert inputs(after, "add") == [None, None]
    assert after.notes == ({"text": "look"},)
    assert after.groups[0]["members"] == ("y",)
    assert [route["node"] for route in after.routes] == ["y"]
    assert dict(after.ranges) == {}
    assert [stop["node"] for stop in after.breakpoints] == ["y"]


def test_deleting_changes_nothing_else():
    diagram = nine_sevens()
    after = edits.delete(diagram, ["B"])
    for id in after.graph.nodes:
        assert after.graph[id] is diagram.graph[id]
        assert after.places[id] is diagram.places[id]


def test_deleting_nothing_is_no_edit():
    diagram = nine_sevens()
    assert edits.delete(diagram, []) is diagram
    with pytest.raises(GraphError):
        edits.delete(diagram, ["nobody"])


def test_moving_leaves_the_graph_as_it_is():
    diagram = nine_sevens()
    after = edits.move(diagram, {"X": Place(8, 12)})
    assert after.graph is diagram.graph
    assert after.places["X"] == (8, 12)
    assert edits.move(after, {"X": Place(8, 12)}) is after


def test_renaming_to_a_taken_name_counts_on():
    diagram = nine_sevens()
    assert edits.rename(diagram, "s", "y").graph["s"].name == "y_2"
    assert edits.rename(diagram, "s", " s ") is diagram
    twice = edits.rename(edits.rename(diagram, "s", "y"), "s", "y")
    assert twice.graph["s"].name == "y_2"


def test_names_that_look_the_same_are_the_same():
    diagram = edits.rename(nine_sevens(), "s", "é")
    after = edits.rename(diagram, "B", "e\u0301")
    validate(after)
    assert after.graph["B"].name == "é_2"


def test_only_a_literal_can_lose_its_name():
    diagram = edits.rename(nine_sevens(), "c", "one")
    assert diagram.graph["c"].name == "one"
    assert edits.rename(diagram, "c", "").graph["c"].name == ""


def test_a_bad_setting_is_refused():
    with pytest.raises((InputError, ShapeError)):
        add(Diagram(), "variable", attributes={"shape": (-1,)})
    with pytest.raises(InputError, match="no setting"):
        add(Diagram(), "sum", attributes={"axes": 0})
    with pytest.raises(InputError, match="without a dtype"):
        add(Diagram(), "constant", value=[1, 2], attributes={"dtype": "weak"})
    with pytest.raises(LimitError):
        add(Diagram(), "constant", attributes={"shape": (10**5, 10**5), "dtype": "weak"})
