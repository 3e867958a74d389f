"""What there is of one number and its node."""

from __future__ import annotations

from typing import Final, cast

from gradviz.engine.answer import Answer
from gradviz.engine.derive.alone import Alone
from gradviz.engine.derive.facts import Cell, Index
from gradviz.errors import GradvizError
from gradviz.graph.model import Array, InPort, OutPort
from gradviz.ops import registry
from gradviz.ops.expr import UNCOMPUTABLE

MOST_CELLS: Final = 4_000_000
"""An op that reads and writes more cells is not taken apart: it would take seconds."""


def number_of(answer: Answer, cell: Cell) -> Array | None:
    """The array a cell is in."""
    if cell.band == "value":
        return answer.value(cell.port)
    if cell.band == "gradient":
        return answer.adjoint(cell.port)
    arrived = answer.gradient.arrived.get(cell.port, ())
    return answer.run[arrived[cell.number].result] if 0 <= cell.number < len(arrived) else None


def slot_of(answer: Answer, wire: InPort) -> tuple[OutPort, int] | None:
    """The port that gets back what comes over a wire, and the number of its slot."""
    source = answer.graph[wire.node].inputs[wire.index]
    if source is None:
        return None
    for number, contribution in enumerate(answer.gradient.arrived.get(source, ())):
        if contribution.wire == wire:
            return source, number
    return None


def fits(array: Array, index: Index) -> bool:
    """Whether the array has a cell of that index."""
    return len(index) == array.ndim and all(
        0 <= i < n for i, n in zip(index, array.shape, strict=True)
    )


def alone(answer: Answer, id: str) -> Alone | None:
    """A node on its own; None if it was not computed, is not known, or is too large to be taken apart."""
    node = answer.graph[id]
    record = answer.run.records.get(id)
    inputs = [answer.value(port) if port is not None else None for port in node.inputs]
    if registry.find(node.op) is None or record is None or not record.outputs:
        return None
    if any(array is None for array in inputs):
        return None
    known = cast("list[Array]", inputs)
    if sum(array.size for array in (*known, *record.outputs)) > MOST_CELLS:
        return None
    weak = [
        (spec := answer.specs[port]) is not None and spec.weak
        for port in cast("tuple[OutPort, ...]", node.inputs)
    ]
    try:
        return Alone(node, known, record.outputs, weak)
    except (GradvizError, *UNCOMPUTABLE):
        return None
