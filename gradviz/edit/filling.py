"""Numbers for a whole source at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from gradviz.edit.values import known_op, set_value
from gradviz.errors import InputError
from gradviz.graph.model import Array, Diagram
from gradviz.text import mark, shape_words

Shape = tuple[int, ...]


def _identity(shape: Shape, _: int) -> Array:
    if len(shape) < len(("rows", "columns")):
        text = mark("edit", "An identity matrix has rows and columns; this is {shape}.")
        raise InputError(text, shape=shape_words(shape))
    filled = np.zeros(shape)
    rows, columns = shape[-2:]
    filled[...] = np.eye(rows, columns)
    return filled


def _counted(shape: Shape, _: int) -> Array:
    return np.arange(math.prod(shape), dtype=np.float64).reshape(shape)


def _uniform(shape: Shape, seed: int) -> Array:
    return np.random.default_rng(seed).random(shape)


def _normal(shape: Shape, seed: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape)


FILLS: Final[Mapping[str, Callable[[Shape, int], Array]]] = {
    "zeros": lambda shape, _: np.zeros(shape),
    "ones": lambda shape, _: np.ones(shape),
    "identity": _identity,
    "arange": _counted,
    "uniform": _uniform,
    "normal": _normal,
}
"""Each makes an array of a shape; the random ones from a seed: the same seed gives the same numbers."""


def fill(diagram: Diagram, id: str, kind: str, *, seed: int = 0) -> Diagram:
    """Fill a source with numbers of a kind in `FILLS`, in its shape; InputError where the shape does not go with them."""
    return set_value(diagram, id, FILLS[kind](_shape(diagram, id), seed))


def fill_number(diagram: Diagram, id: str, number: float) -> Diagram:
    """Fill a source with one number."""
    return set_value(diagram, id, np.full(_shape(diagram, id), number))


def _shape(diagram: Diagram, id: str) -> Shape:
    node = diagram.graph[id]
    value = diagram.values.get(id)
    if value is None:
        known_op(node)
        text = mark("edit", "{name} is computed or drawn: there is nothing to fill.")
        raise InputError(text, name=node.name or node.op)
    return value.shape
