"""A whole source at once."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.edit import edits
from gradviz.errors import InputError
from gradviz.graph.model import Diagram, Place
from gradviz.graph.validate import validate
from tests.edit.made import add, nine_sevens


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("zeros", np.zeros((3, 3))),
        ("ones", np.ones((3, 3))),
        ("identity", np.eye(3)),
        ("arange", np.arange(9.0).reshape(3, 3)),
        ("normal", np.random.default_rng(7).standard_normal((3, 3))),
        ("uniform", np.random.default_rng(7).random((3, 3))),
    ],
)
def test_a_source_is_filled_in_its_shape(kind: str, expected: np.ndarray) -> None:
    diagram = nine_sevens()
    after = edits.fill(diagram, "X", kind, seed=7)
    validate(after)
    np.testing.assert_array_equal(after.values["X"], expected)
    assert after.graph is diagram.graph
    assert edits.fill(after, "X", kind, seed=7) is after


def test_it_is_filled_with_one_number() -> None:
    assert (edits.fill_number(nine_sevens(), "X", 2.5).values["X"] == 2.5).all()


def test_a_stack_of_matrices_becomes_identities_and_a_wide_one_keeps_its_shape() -> None:
    diagram, id = add(Diagram(), "variable", value=np.ones((2, 3, 4)))
    filled = edits.fill(diagram, id, "identity").values[id]
    np.testing.assert_array_equal(filled, np.broadcast_to(np.eye(3, 4), (2, 3, 4)))


def test_what_cannot_be_filled_says_why() -> None:
    diagram = nine_sevens()
    with pytest.raises(InputError, match="computed or drawn"):
        edits.fill(diagram, "s", "ones")
    diagram, id = add(diagram, "random_normal")
    with pytest.raises(InputError, match="computed or drawn"):
        edits.fill(diagram, id, "ones")
    diagram, vector = edits.add_node(diagram, "variable", Place(0, 0), value=[1.0, 2.0])
    with pytest.raises(InputError, match="rows and columns; this is 2"):
        edits.fill(diagram, vector, "identity")


def test_whole_numbers_and_booleans_keep_their_dtype_where_they_can() -> None:
    diagram, id = add(Diagram(), "constant", value=np.array([[5, 6], [7, 8]]))
    assert diagram.values[id].dtype == "int64"
    assert edits.fill(diagram, id, "identity").values[id].dtype == "int64"
    assert edits.fill(diagram, id, "normal").values[id].dtype == "float64"
