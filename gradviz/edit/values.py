"""Numbers and settings of nodes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from gradviz import digits, limits
from gradviz.edit.misfit import refuse_misfit
from gradviz.edit.naming import Names
from gradviz.errors import IndexRangeError, InputError, LimitError
from gradviz.graph.model import Array, Diagram, Node, freeze, frozen_array
from gradviz.graph.plain import plain_fault
from gradviz.graph.validate import check_node
from gradviz.ops import registry
from gradviz.ops.expr import array_of, dtype_of
from gradviz.ops.op import Op
from gradviz.ops.shapes import checked, shape_attribute
from gradviz.ops.spec import FLOAT64, INT64
from gradviz.text import mark, shape_words


def set_value(diagram: Diagram, id: str, value: object, *, dtype: str | None = None) -> Diagram:
    """Give a source its numbers; their shape becomes the source's shape.

    The source keeps its dtype as long as that can hold the numbers (a variable always does, so whole numbers
    become floats), unless `dtype` names one. A literal stays a literal while it is one number.
    """
    node = diagram.graph[id]
    op = _holder(node)
    given = array_of(value)
    name = dtype if dtype is not None else _kept(str(op.bind(node.attributes)["dtype"]), given)
    return with_numbers(diagram, node, cast_to(name, given), name)


def set_cell(diagram: Diagram, id: str, cell: Sequence[int], number: object) -> Diagram:
    """Change one number of a source; `cell` has one index per axis."""
    node = diagram.graph[id]
    _holder(node)
    old = diagram.values.get(id)
    if old is None:
        raise InputError(mark("edit", "{name} has no numbers yet."), name=node.name or node.op)
    given = array_of(number)
    if given.ndim:
        raise InputError(mark("edit", "A cell holds one number."))
    index = tuple(cell)
    if len(index) != old.ndim or any(
        not 0 <= i < n for i, n in zip(index, old.shape, strict=False)
    ):
        raise IndexRangeError(
            mark("edit", "There is no cell {cell} in {shape}."),
            cell=list(index),
            shape=shape_words(old.shape),
        )
    dtype = old.dtype if _survives(given, old.dtype) else np.result_type(old.dtype, given.dtype)
    changed = old.astype(dtype)
    changed[index] = cast_to(dtype.name, given)
    return set_value(diagram, id, changed)


def draw_again(diagram: Diagram, id: str, seed: int) -> Diagram:
    """Give a random source another seed."""
    node = diagram.graph[id]
    if "seed" not in known_op(node).attributes:
        text = mark("edit", "{name} is not random: there is nothing to draw.")
        raise InputError(text, name=node.name or node.op)
    return set_attributes(diagram, id, seed=seed)


def set_attributes(diagram: Diagram, id: str, /, **attributes: object) -> Diagram:
    """Change settings of a node. A source's numbers follow its shape and dtype.

    Raises InputError for a setting the op does not have, ShapeError if the node could no longer be computed.
    """
    node = diagram.graph[id]
    op = known_op(node)
    stored = op.trimmed({**node.attributes, **checked_attributes(attributes)})
    if holds_numbers(op):
        return _reshape_numbers(diagram, node, op.bind(stored))
    if settings_of(op, stored) == settings_of(op, node.attributes):
        return diagram
    changed = replace(node, attributes=MappingProxyType(stored))
    check_node(changed)
    check_source(op, stored)
    refuse_misfit(diagram.graph, changed)
    return replace(diagram, graph=diagram.graph.with_nodes(changed))


def _reshape_numbers(diagram: Diagram, node: Node, settings: Mapping[str, object]) -> Diagram:
    shape = checked_shape(settings["shape"])
    name = str(settings["dtype"])
    old = diagram.values.get(node.id)
    numbers = np.zeros(shape) if old is None else _resized(old, shape)
    return with_numbers(diagram, node, cast_to(name, numbers), name)


def checked_shape(shape: object) -> tuple[int, ...]:
    """A shape as given by a person, before anything so large is made."""
    return checked(shape_attribute(shape), FLOAT64).shape


def _resized(array: Array, shape: tuple[int, ...]) -> Array:
    """The same cells in another shape; what is new is 0."""
    if array.size == math.prod(shape):
        return array.reshape(shape)
    result = np.zeros(shape, array.dtype)
    if array.ndim == result.ndim:
        common = tuple(slice(min(n, m)) for n, m in zip(array.shape, shape, strict=True))
        result[common] = array[common]
    else:
        count = min(array.size, result.size)
        result.reshape(-1)[:count] = array.reshape(-1)[:count]
    return result


def with_numbers(diagram: Diagram, node: Node, numbers: Array, dtype: str) -> Diagram:
    """`diagram` where the source `node` holds `numbers`, its shape and dtype as they are."""
    op = known_op(node)
    settings = {"shape": numbers.shape, "dtype": dtype}
    check_source(op, settings)
    # Defaults are written out: a value is checked against its node without asking the op.
    stored = {**op.trimmed({**node.attributes, **settings}), **settings}
    graph = diagram.graph
    if settings_of(op, stored) != settings_of(op, node.attributes):
        name = node.name
        if not name and dtype != "weak":
            # Only a literal can do without a name: it is shown by its number.
            name = Names(graph).free(op.name)
        graph = graph.with_nodes(replace(node, attributes=MappingProxyType(stored), name=name))
    values = diagram.values
    if not same_numbers(values.get(node.id), numbers):
        values = checked_values({**values, node.id: frozen_array(numbers)})
    if graph is diagram.graph and values is diagram.values:
        return diagram
    return replace(diagram, graph=graph, values=values)


def checked_values(values: Mapping[str, Array]) -> Mapping[str, Array]:
    """`values`, if a document may hold them together; LimitError says what to do otherwise."""
    needed = sum(array.nbytes for array in values.values())
    if needed > limits.VALUES_BYTES:
        raise LimitError(
            mark(
                "edit",
                "The numbers of this diagram would take {needed} MiB; at most {limit} MiB are allowed. "
                "Use a random node, or keep them in an .npy file.",
            ),
            needed=-(-needed // 2**20),
            limit=limits.VALUES_BYTES // 2**20,
        )
    return values


def checked_attributes(attributes: Mapping[str, object]) -> dict[str, object]:
    """Settings as a file can hold them; InputError if it cannot."""
    frozen = {name: freeze(value) for name, value in attributes.items()}
    fault = plain_fault(frozen)
    if fault is not None:
        text = mark("edit", "The setting {name} cannot be used: {reason}.")
        raise InputError(text, name=".".join(map(str, fault[1])), reason=fault[0])
    return frozen


def check_source(op: Op, settings: Mapping[str, object]) -> None:
    """Raise an error for settings with which a source could not be; what has inputs is checked with them."""
    if not op.is_source:
        return
    try:
        op.spec(**op.bind(settings))
    except (TypeError, ValueError) as error:
        text = mark("edit", "The settings of {op} cannot be used: {reason}.")
        raise InputError(text, op=op.name, reason=error) from error


def settings_of(op: Op, attributes: Mapping[str, object]) -> str:
    """Equal for two sets of attributes that mean the same: 1, 1.0 and True are three things."""
    filled = {**op.defaults, **attributes}
    return repr(sorted((name, freeze(value)) for name, value in filled.items()))


def holds_numbers(op: Op) -> bool:
    """Whether the numbers of such a node lie beside the graph: a variable or a constant."""
    return op.is_source and "seed" not in op.attributes


def is_weak(op: Op, attributes: Mapping[str, object]) -> bool:
    """Whether such a node is a literal: a plain number, without a dtype of its own."""
    return holds_numbers(op) and {**op.defaults, **attributes}.get("dtype") == "weak"


def known_op(node: Node) -> Op:
    """The op of a node; InputError if it is not known here."""
    op = registry.find(node.op)
    if op is None:
        raise InputError(mark("edit", "{op} is not known here."), op=node.op)
    return op


def _holder(node: Node) -> Op:
    op = known_op(node)
    if holds_numbers(op):
        return op
    name = node.name or node.op
    if op.is_source:
        raise InputError(
            mark("edit", "The numbers of {name} are drawn at random: draw again for other ones."),
            name=name,
        )
    text = mark(
        "edit",
        "{name} is computed, so its numbers cannot be typed: change what it is computed from.",
    )
    raise InputError(text, name=name)


def _kept(dtype: str, given: Array) -> str:
    """The dtype of a source of that dtype once it is given these numbers."""
    if dtype == "weak":
        return "weak" if not given.ndim and given.dtype in (FLOAT64, INT64) else given.dtype.name
    return dtype if _survives(given, dtype_of(dtype)) else given.dtype.name


def _survives(given: Array, dtype: np.dtype[np.generic]) -> bool:
    if dtype.kind == "f":
        return True
    with np.errstate(all="ignore"):
        return bool(np.all(given.astype(dtype) == given))


def cast_to(dtype: str, given: Array) -> Array:
    """The numbers in that dtype; InputError for a number it has no room for."""
    if dtype == "weak" and given.ndim:
        raise InputError(mark("edit", "Only one number can be without a dtype of its own."))
    wanted = FLOAT64 if dtype == "weak" else dtype_of(dtype)
    with np.errstate(all="ignore"):
        result = given.astype(wanted)
    lost = np.isfinite(given) != np.isfinite(result)
    if np.any(lost):
        raise InputError(
            mark("edit", "{number} has no place in {dtype}."),
            number=digits.number(given[lost].flat[0]),
            dtype=wanted,
        )
    return result


def same_numbers(old: Array | None, new: Array) -> bool:
    """Whether the arrays are the same to the last bit: −0 is not 0."""
    if old is None or old.dtype != new.dtype or old.shape != new.shape:
        return False
    return old is new or old.tobytes() == new.tobytes()
