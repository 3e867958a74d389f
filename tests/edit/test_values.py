"""Numbers and settings in place."""

import math

import numpy as np
import pytest

from gradviz.edit import edits
from gradviz.engine.answer import answer
from gradviz.errors import GraphError, IndexRangeError, InputError, LimitError, ShapeError
from gradviz.graph.model import Diagram, OutPort
from gradviz.graph.validate import validate
from tests.edit.made import add, nine_sevens, wired


def test_other_numbers_leave_the_graph_as_it_is():
    diagram = nine_sevens()
    after = edits.set_value(diagram, "X", np.ones((3, 3)))
    validate(after)
    assert after.graph is diagram.graph
    assert not after.values["X"].flags.writeable
    assert after.values["B"] is diagram.values["B"]


def test_a_typed_block_changes_the_shape():
    after = edits.set_value(nine_sevens(), "X", [[1, 2], [3, 4]])
    validate(after)
    assert after.graph["X"].attributes["shape"] == (2, 2)
    assert after.values["X"].dtype == np.float64
    assert answer(after).value(OutPort("s")) == 10


def test_the_same_numbers_are_no_edit_but_minus_zero_is_one():
    diagram, id = add(Diagram(), "variable", value=[0.0, math.nan])
    assert edits.set_value(diagram, id, [0.0, math.nan]) is diagram
    assert math.copysign(1, edits.set_cell(diagram, id, [0], -0.0).values[id][0]) == -1


def test_a_variable_keeps_its_dtype_unless_another_is_named():
    diagram, id = add(Diagram(), "variable", value=np.ones(2, np.float32))
    after = edits.set_value(diagram, id, [1, 2, 3])
    assert after.values[id].dtype == np.float32
    after = edits.set_value(diagram, id, [1, 2, 3], dtype="float64")
    validate(after)
    assert after.values[id].dtype == np.float64
    with pytest.raises(InputError, match="float64 or float32"):
        edits.set_value(diagram, id, [1, 2, 3], dtype="int64")


def test_a_number_too_large_for_the_dtype_is_refused():
    diagram, id = add(Diagram(), "variable", value=np.ones(2, np.float32))
    with pytest.raises(InputError, match="float32"):
        edits.set_value(diagram, id, [1.0, 1e300])


@pytest.mark.parametrize(
    ("start", "given", "dtype"),
    [
        (1, 2, "weak"),
        (1, True, "bool"),
        (1, [1, 2], "int64"),
        ([1, 2], 7, "int64"),
        ([1, 2], [1.0, 2.0], "int64"),
        ([1, 2], [1.5, 2.0], "float64"),
        ([1, 2], [math.nan, 2.0], "float64"),
        ([True, False], [1, 0], "bool"),
        ([True, False], [1, 2], "int64"),
        ([1.5], [2], "float64"),
    ],
)
def test_a_constant_keeps_its_dtype_while_that_can_hold_the_numbers(start, given, dtype):
    diagram, id = add(Diagram(), "constant", value=start)
    after = edits.set_value(diagram, id, given)
    validate(after)
    assert after.graph[id].attributes["dtype"] == dtype


def test_a_literal_that_becomes_an_array_gets_a_name():
    after = edits.set_value(nine_sevens(), "c", [1, 2])
    validate(after)
    assert after.graph["c"].name == "constant"


def test_a_cell_changes_alone():
    diagram = nine_sevens()
    after = edits.set_cell(diagram, "X", (0, 2), 5)
    assert after.values["X"][0, 2] == 5
    assert np.count_nonzero(after.values["X"] != diagram.values["X"]) == 1
    assert edits.set_cell(diagram, "X", (0, 2), -1) is diagram
    assert edits.set_cell(diagram, "c", (), 4).values["c"] == 4


def test_a_fraction_in_a_cell_of_whole_numbers_makes_floats_of_them():
    diagram, id = add(Diagram(), "constant", value=[1, 2**60 + 1])
    assert edits.set_cell(diagram, id, [0], 3.0).values[id].tolist() == [3, 2**60 + 1]
    assert edits.set_cell(diagram, id, [0], 0.5).values[id].dtype == np.float64


@pytest.mark.parametrize("cell", [(3, 0), (-1, 0), (0,), (0, 0, 0)])
def test_a_cell_that_is_not_there_is_refused(cell):
    with pytest.raises(IndexRangeError, match="3×3"):
        edits.set_cell(nine_sevens(), "X", cell, 1)


def test_only_sources_that_hold_numbers_are_given_some():
    diagram, id = add(nine_sevens(), "random_normal")
    with pytest.raises(InputError, match="drawn at random"):
        edits.set_value(diagram, id, 1)
    with pytest.raises(InputError, match="s is computed"):
        edits.set_value(diagram, "s", 1)
    with pytest.raises(InputError, match="s is computed"):
        edits.set_cell(diagram, "s", (), 1)
    with pytest.raises(GraphError):
        edits.set_value(diagram, "nobody", 1)


@pytest.mark.parametrize("bad", ["abc", [[1], [1, 2]], 1j, None])
def test_what_is_no_number_is_refused(bad):
    with pytest.raises(InputError):
        edits.set_value(nine_sevens(), "X", bad)


def test_too_many_numbers_are_refused_before_they_are_kept():
    with pytest.raises(LimitError):
        edits.set_value(nine_sevens(), "X", np.zeros(3 * 10**6))
    with pytest.raises((LimitError, ShapeError)):
        edits.set_attributes(nine_sevens(), "X", shape=(10**6, 10**6))


def test_draw_again_changes_the_seed_alone():
    diagram, id = add(nine_sevens(), "random_normal", attributes={"seed": 1})
    after = edits.draw_again(diagram, id, 2)
    validate(after)
    assert after.graph[id].attributes == {"shape": (3, 3), "seed": 2}
    assert edits.draw_again(after, id, 2) is after
    with pytest.raises(InputError, match="seed"):
        edits.draw_again(diagram, id, 2**32)
    with pytest.raises(InputError, match="not random"):
        edits.draw_again(diagram, "X", 1)


def test_settings_are_kept_without_their_defaults():
    diagram = wired("sum", [[1.0, 2.0], [3.0, 4.0]])
    after = edits.set_attributes(diagram, "n", axis=0, keepdims=False)
    assert after.graph["n"].attributes == {"axis": 0}
    assert edits.set_attributes(after, "n", axis=0) is after
    assert edits.set_attributes(after, "n", axis=None).graph["n"].attributes == {}


def test_one_and_true_are_two_settings():
    diagram = edits.set_attributes(wired("sum", [[1.0, 2.0]]), "n", axis=1)
    assert edits.set_attributes(diagram, "n", keepdims=True) is not diagram


def test_a_setting_that_breaks_the_node_is_refused():
    diagram = wired("sum", [[1.0, 2.0]])
    with pytest.raises(ShapeError, match="axis 5"):
        edits.set_attributes(diagram, "n", axis=5)
    with pytest.raises(InputError, match="no setting"):
        edits.set_attributes(diagram, "n", axes=0)
    with pytest.raises(InputError, match="cannot be used"):
        edits.set_attributes(diagram, "n", axis=np.arange(2))


def test_numbers_follow_the_shape_and_the_dtype():
    diagram = nine_sevens()
    larger = edits.set_attributes(diagram, "X", shape=(2, 4))
    validate(larger)
    assert larger.values["X"].tolist() == [[1, 0, -1, 0], [2, 1, 0, 0]]
    flat = edits.set_attributes(diagram, "X", shape=(9,))
    assert flat.values["X"].tolist() == [1, 0, -1, 2, 1, 0, 0, -1, 1]
    grown = edits.set_attributes(edits.set_value(diagram, "X", 5), "X", shape=(2, 2))
    assert grown.values["X"].tolist() == [[5, 0], [0, 0]]
    single = edits.set_attributes(diagram, "X", dtype="float32")
    validate(single)
    assert single.values["X"].dtype == np.float32
    with pytest.raises(InputError, match="float64 or float32"):
        edits.set_attributes(diagram, "X", dtype="int64")
    with pytest.raises(InputError, match="without a dtype"):
        edits.set_attributes(edits.set_value(diagram, "c", [1, 2]), "c", dtype="weak")
