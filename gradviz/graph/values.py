"""What the value of a source may be: dtype, shape, size."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from gradviz.graph.fault import DiagramError, DiagramLimitError, Way, check_exists
from gradviz.graph.model import Array, Graph, Node
from gradviz.graph.names import shown
from gradviz.limits import ARRAY_ELEMENTS, RANK, VALUES_BYTES
from gradviz.text import mark, shape_words

WEAK: Final = "weak"
# A weak value is a Python number, kept as one float64.
STORED_AS: Final = {
    "float64": "float64",
    "float32": "float32",
    "int64": "int64",
    "bool": "bool",
    WEAK: "float64",
}


def check_values(values: Mapping[str, Array], graph: Graph) -> None:
    """Raise DiagramError for the first value that does not fit its node; for all if too large."""
    total = 0
    for id, value in values.items():
        check_exists(id, graph, ("values", id))
        check_value(graph[id], value)
        total += value.nbytes
        if total > VALUES_BYTES:
            raise DiagramLimitError(
                mark(
                    "graph",
                    "The values of a document may take {limit} MiB together; use a random node, "
                    "or keep the large array in an .npy file beside it.",
                ),
                place=("values", id),
                limit=VALUES_BYTES // 2**20,
            )


def check_value(node: Node, value: Array) -> None:
    """Raise DiagramError unless `value` has the shape and dtype that the source `node` declares."""
    place = ("values", node.id)
    if node.inputs:
        raise DiagramError(
            mark("graph", "{node} is computed from its inputs, so it cannot be given a value."),
            place=place,
            node=called(node),
        )
    dtype, shape = declared(node)
    if not isinstance(value, np.ndarray) or value.dtype.name != STORED_AS[dtype]:
        raise DiagramError(
            mark("graph", "The value of {node} is {given}, but the node declares {dtype}."),
            place=place,
            node=called(node),
            given=str(value.dtype) if isinstance(value, np.ndarray) else type(value).__name__,
            dtype=dtype,
        )
    if value.shape != shape:
        raise DiagramError(
            mark("graph", "The value of {node} is {given}, but the node declares {shape}."),
            place=place,
            node=called(node),
            given=shape_words(value.shape),
            shape=shape_words(shape),
        )


def declared(node: Node) -> tuple[str, tuple[int, ...]]:
    """The dtype (a key of `STORED_AS`) and shape that a source with a value declares."""
    place = ("graph", "nodes", node.id, "attributes")
    dtype = node.attributes.get("dtype")
    if not isinstance(dtype, str) or dtype not in STORED_AS:
        raise DiagramError(
            mark("graph", "{node} has a value, so its dtype must be one of {names}."),
            place=(*place, "dtype"),
            node=called(node),
            names=", ".join(STORED_AS),
        )
    shape = whole_numbers(node.attributes.get("shape"))
    if shape is None or any(axis < 0 for axis in shape):
        raise DiagramError(
            mark("graph", "{node} has a value, so its shape must be a list of sizes, like [3, 3]."),
            place=(*place, "shape"),
            node=called(node),
        )
    if dtype == WEAK and shape:
        raise DiagramError(
            mark("graph", "{node} is weak, so it holds one number; for more, declare float64."),
            place=(*place, "shape"),
            node=called(node),
        )
    return dtype, shape


def whole_numbers(shape: object) -> tuple[int, ...] | None:
    """`shape` as a tuple, if it is a list of whole numbers."""
    if isinstance(shape, list | tuple) and all(type(axis) is int for axis in shape):
        return tuple(shape)
    return None


def check_shape(shape: tuple[int, ...], *, place: Way = ()) -> None:
    """Raise DiagramLimitError for an array that is too large, before anything is allocated."""
    if len(shape) > RANK:
        raise DiagramLimitError(
            mark("graph", "An array with {count} axes cannot be shown; at most {limit} can."),
            place=place,
            count=len(shape),
            limit=RANK,
        )
    # Python's own integers: NumPy's product of [2**32, 2**32] is 0. Each axis is looked at too, for
    # the sake of [0, 2**63]. An axis of -1 is what reshape calls the rest.
    sizes = [abs(axis) for axis in shape]
    if max(math.prod(sizes), *sizes, 0) > ARRAY_ELEMENTS:
        raise DiagramLimitError(
            mark("graph", "An array of {shape} is too large: {limit} numbers are allowed."),
            place=place,
            shape=shown(shape_words(shape)),
            limit=f"{ARRAY_ELEMENTS:,}",
        )


def called(node: Node) -> str:
    """How a message names a node: its name, else its id, with what cannot be seen escaped."""
    return f'"{shown(node.name or node.id)}"'
