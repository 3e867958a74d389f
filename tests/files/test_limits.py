"""Whatever a diagram may hold can be saved, and what is saved can be read."""

import numpy as np
import pytest

from gradviz.errors import FileError, LimitError
from gradviz.files import native
from gradviz.graph.model import Diagram, Graph, Node, Place, frozen_array
from gradviz.graph.validate import validate
from gradviz.limits import ARRAY_ELEMENTS, VALUES_BYTES


def sources(*shapes, dtype="float64"):
    """A diagram of variables, `dtype` numbers of these shapes."""
    values = {f"n{i}": frozen_array(np.full(shape, 1.5), dtype) for i, shape in enumerate(shapes)}
    nodes = {
        id: Node(id, "variable", (), {"dtype": dtype, "shape": value.shape})
        for id, value in values.items()
    }
    return Diagram(Graph(nodes), values)


FULL = {
    "one array": sources((VALUES_BYTES // 8,)),
    "many rows": sources(*[(1000,)] * (VALUES_BYTES // 8000)),
    "many columns": sources(*[(1000, 1)] * (VALUES_BYTES // 8000)),
    "many grids": sources(*[(10, 10)] * (VALUES_BYTES // 800)),
    "many numbers": sources(*[()] * 100_000),
    "truth": sources((ARRAY_ELEMENTS,), (ARRAY_ELEMENTS,), dtype="bool"),
}


@pytest.mark.parametrize("diagram", FULL.values(), ids=FULL)
def test_values_up_to_the_limit_are_saved_and_read(diagram):
    validate(diagram)
    data = native.dumps(diagram)
    back = native.loads(data)
    assert all(np.array_equal(back.values[id], value) for id, value in diagram.values.items())


def test_one_number_more_is_refused_on_entry_and_on_save(tmp_path):
    diagram = sources((VALUES_BYTES // 8,), ())
    with pytest.raises(LimitError, match="may take 20 MiB together; use a random node, or keep"):
        validate(diagram)
    with pytest.raises(FileError, match="20 MiB"):
        native.save(tmp_path / "d.gradviz", diagram)
    assert list(tmp_path.iterdir()) == []


def test_a_document_that_could_not_be_read_is_not_written(tmp_path):
    nodes = {f"n{i}": Node(f"n{i}", "f", (None,), {"a": ((), (), ())}) for i in range(101_000)}
    with pytest.raises(FileError, match=r"d\.gradviz.*more than 600,000 lists and objects"):
        native.save(tmp_path / "d.gradviz", Diagram(Graph(nodes)))
    assert list(tmp_path.iterdir()) == []


def test_places_up_to_the_limit_are_kept():
    node = Node("x", "f")
    corner = Place(-1e6, 1e6)
    back = native.loads(native.dumps(Diagram(Graph({"x": node}), places={"x": corner})))
    assert back.places["x"] == corner
