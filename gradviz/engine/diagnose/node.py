"""Which numbers that are not finite a node made itself, and which only pass through it.

A number was made by a node if the numbers it was computed from are finite; or if it is NaN and none of them is, as
∞ − ∞. For element-wise ops those are the same cells of the inputs. For all others, what is not finite (what is NaN)
among the inputs is replaced by ordinary numbers: what comes out bad all the same was made there.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gradviz.engine.diagnose import rules
from gradviz.engine.diagnose.again import filled
from gradviz.engine.diagnose.origin import (
    Cell,
    Input,
    Mask,
    Origin,
    first_cell,
    is_bad,
    is_elementwise,
    is_nan,
    not_finite,
    own_cell,
)
from gradviz.engine.diagnose.rules import Made
from gradviz.errors import GradvizError
from gradviz.graph.model import Array, OutPort, frozen_array
from gradviz.ops import registry
from gradviz.ops.expr import UNCOMPUTABLE
from gradviz.ops.op import Op

if TYPE_CHECKING:
    from gradviz.engine.answer import Answer

ORDINARY: Final = (0.5, 2.0)
"""Where one of them is outside a function's domain (acosh of 0.5, a root of a negative number), the other is not."""
NEAR: Final = 1e-6
MET: Final = 3
TRIED: Final = 24


def inputs_of(answer: Answer, id: str) -> list[Any]:
    """The recorded values of a node's inputs, in the primal or in the backward graph."""
    ports = answer.gradient.graph[id].inputs
    return [None if port is None else answer.run[port] for port in ports]


def made_by(answer: Answer, id: str) -> list[Mask]:
    """For each output of a node, the cells that are not finite and that the node itself made so."""
    planned = answer.setup.plan.nodes[answer.position[id]]
    outputs = answer.run.records[id].outputs
    inputs = inputs_of(answer, id)
    if planned.op is not None and is_elementwise(planned.op) and planned.op.family != "gate":
        (output,) = outputs
        bad = _any_of(inputs, not_finite, output.shape)
        nan = _any_of(inputs, is_nan, output.shape)
        return [(not_finite(output) & ~bad) | (is_nan(output) & ~nan)]

    def evaluate(arrays: Sequence[Array]) -> Sequence[Any] | None:
        assert planned.op is not None
        specs: Any = planned.specs
        try:
            return planned.op.evaluate(arrays, specs, planned.attributes)
        except (GradvizError, *UNCOMPUTABLE):
            return None

    return newly_made(inputs, outputs, evaluate)


def _any_of(inputs: Sequence[Any], which: Callable[[Any], Mask], shape: Cell) -> Mask:
    """The cells where some input is so."""
    found = np.zeros(shape, np.bool_)
    for array in inputs:
        found |= which(array)
    return found


def newly_made(
    inputs: Sequence[Any], outputs: Sequence[Any], evaluate: Callable[[Sequence[Array]], Any]
) -> list[Mask]:
    """For each output, the cells that `evaluate` makes not finite by itself; `inputs` are the numbers it was given."""
    found = [not_finite(output) for output in outputs]
    if not any(map(is_bad, inputs)):
        return found
    clean = _replaced(inputs, outputs, not_finite, evaluate)
    nothing = [np.zeros(output.shape, np.bool_) for output in outputs]
    made = [bad & left for bad, left in zip(found, clean or nothing, strict=True)]
    if any(a is not None and a.dtype.kind == "f" and np.isinf(a).any() for a in inputs):
        still = _replaced(inputs, outputs, is_nan, evaluate, is_nan)
        nans = [
            is_nan(output) & left for output, left in zip(outputs, still or nothing, strict=True)
        ]
        made = [m | n for m, n in zip(made, nans, strict=True)]
    return made


def _replaced(
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    which: Callable[[Any], Mask],
    evaluate: Callable[[Sequence[Array]], Any],
    left: Callable[[Any], Mask] | None = None,
) -> list[Mask] | None:
    """The cells of each output that stay bad with ordinary numbers in place of some inputs' cells."""
    stay = [np.ones(output.shape, np.bool_) for output in outputs]
    for number in ORDINARY:
        again = evaluate(
            [filled(a, which(a), number) if a.dtype.kind == "f" else a for a in inputs]
        )
        if again is None:
            return None
        stay = [s & (left or not_finite)(a) for s, a in zip(stay, again, strict=True)]
    return stay


def origin_of(answer: Answer, port: OutPort, mask: Mask) -> Origin:
    """The facts about numbers that the node of `port` made, in the primal or in the backward graph."""
    cell = first_cell(mask)
    array: Any = answer.run[port]
    value, count = float(array[cell]), int(np.count_nonzero(mask))
    node = answer.gradient.graph[port.node]
    op = registry.get(node.op)
    if op.is_source:
        return Origin(port, cell, value, count, Made.GIVEN)
    arrays = inputs_of(answer, port.node)
    if is_elementwise(op):
        inputs = tuple(
            Input(source, own, float(a[own]))
            for source, a in zip(node.inputs, arrays, strict=True)
            if source is not None
            for own in (own_cell(cell, a.shape),)
        )
        numbers = [one.value for one in inputs]

        def near() -> list[float]:
            return _near(op, node.attributes, [np.float64(n) for n in numbers], ())

        return Origin(
            port, cell, value, count, rules.at_cell(op.name, numbers, value, near), inputs
        )
    made = _whole(answer, port, op, arrays, value, cell)
    return Origin(port, cell, value, count, made, _met(answer, port, arrays, value, cell))


def _met(
    answer: Answer, port: OutPort, arrays: Sequence[Any], value: float, cell: Cell
) -> tuple[Input, ...]:
    """The numbers behind a cell that comes from many others: those without which it would be another.

    Tried are cells that are not finite, or the largest, and zeros beside infinities.
    """
    planned = answer.setup.plan.nodes[answer.position[port.node]]
    specs: Any = planned.specs
    found: list[Input] = []
    for number, own in itertools.islice(_suspects(arrays), TRIED):
        changed = list(arrays)
        here = np.zeros(arrays[number].shape, np.bool_)
        here[own] = True
        changed[number] = filled(arrays[number], here, ORDINARY[0])
        try:
            again: Any = planned.op.evaluate(changed, specs, planned.attributes)  # type: ignore[union-attr]
        except (GradvizError, *UNCOMPUTABLE):
            continue
        if not np.array_equal(again[port.index][cell], value, equal_nan=True):
            source = answer.gradient.graph[port.node].inputs[number]
            assert source is not None
            found.append(Input(source, own, float(arrays[number][own])))
        if len(found) == MET:
            break
    return tuple(found)


def _suspects(arrays: Sequence[Any]) -> Iterator[tuple[int, Cell]]:
    """Inputs and their cells, the likeliest first."""
    floats = [(i, a) for i, a in enumerate(arrays) if a.dtype.kind == "f" and a.size]
    bad = any(map(is_bad, arrays))
    for number, array in floats:
        if bad:
            order = np.flatnonzero(not_finite(array))
        else:
            order = np.argsort(-np.abs(array), axis=None, kind="stable")
        yield from ((number, _cell_of(array, i)) for i in order[:TRIED])
    if bad:
        for number, array in floats:
            yield from ((number, _cell_of(array, i)) for i in np.flatnonzero(array == 0)[:TRIED])


def _cell_of(array: Any, flat: Any) -> Cell:
    return tuple(int(i) for i in np.unravel_index(int(flat), array.shape))


def _whole(
    answer: Answer, port: OutPort, op: Op, arrays: Sequence[Any], value: float, cell: Cell
) -> Made:
    """The rule where a cell comes from many others."""
    floats = [a for a in arrays if a is not None and a.dtype.kind == "f"]
    attributes = answer.gradient.graph[port.node].attributes
    if any(a.size == 0 for a in floats):
        return Made.OF_NOTHING
    if any(np.isinf(a).any() for a in floats):
        if np.isnan(value) and len(floats) > 1:
            ones = [filled(a, a == 0, 1.0) for a in floats]
            again = _near(op, attributes, ones, cell, moved=False)
            if again and not np.isnan(again[0]):
                return Made.ZERO_TIMES_INFINITY
        return Made.INFINITY_MINUS_INFINITY if op.linear_in else Made.FROM_INFINITY
    if op.linear_in:
        return Made.OVERFLOW
    near = _near(op, attributes, floats, cell) if len(floats) == len(arrays) else []
    if np.isnan(value):
        return Made.ZERO_BY_ZERO if np.isfinite(near).any() else Made.OUTSIDE
    return rules.infinite(near)


def _near(
    op: Op, attributes: Any, arrays: Sequence[Any], cell: Cell, *, moved: bool = True
) -> list[float]:
    """What the op gives at the cell for inputs close by."""
    found = []
    random = np.random.RandomState(3)
    for sign in (1, -1) if moved else (0,):
        inputs = []
        for a in arrays:
            shift = sign * NEAR * random.uniform(0.5, 1, np.shape(a)) * np.maximum(1, np.abs(a))
            inputs.append(frozen_array(np.where(np.isfinite(a), a + shift, a)))
        try:
            result: Any = op.forward(*inputs, **op.bind(attributes))
            found.append(float(np.asarray(result)[cell]))
        except (GradvizError, *UNCOMPUTABLE):
            continue
    return found
