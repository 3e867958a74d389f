"""Execute a plan, node by node, and record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from gradviz import limits
from gradviz.engine.plan import Plan, PlannedNode
from gradviz.errors import GradvizError, LimitError
from gradviz.graph.model import Array, OutPort
from gradviz.ops.expr import UNCOMPUTABLE
from gradviz.ops.spec import Spec
from gradviz.text import Message, mark, message

Cancelled = Callable[[], bool]
# The array of a node by its id; a tuple of them for a node with several outputs.
Values = Mapping[str, Array | tuple[Array, ...]]


@dataclass(frozen=True, slots=True)
class Record:
    """What one node gave: its outputs, or the error that kept it from being computed."""

    node: str
    outputs: tuple[Array, ...] = ()
    error: Message | None = None
    waiting: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Run:
    """The records of a run by node. A node without outputs has an error, or waits for one that has."""

    records: Mapping[str, Record]
    cancelled: bool = False

    def __getitem__(self, port: OutPort) -> Array | None:
        record = self.records.get(port.node)
        if record is None or port.index >= len(record.outputs):
            return None
        return record.outputs[port.index]

    def error(self, node: str) -> Message | None:
        """Why the node itself could not be computed."""
        record = self.records.get(node)
        return None if record is None else record.error


def run(
    plan: Plan,
    values: Values,
    cancelled: Cancelled = lambda: False,
    progress: Callable[[int, int], None] | None = None,
) -> Run:
    """Compute every node of the plan that can be computed; `values` are those of the sources.

    Any other node with an entry in `values` holds it instead of being computed.
    Raises LimitError before anything is computed when the results would not fit in memory.
    """
    if plan.bytes > limits.ALIVE_BYTES:
        raise LimitError(
            mark("engine", "This run would need {needed} MiB; at most {limit} MiB are allowed."),
            needed=plan.bytes // 2**20,
            limit=limits.ALIVE_BYTES // 2**20,
        )
    records: dict[str, Record] = {}
    with np.errstate(all="ignore"):
        for count, node in enumerate(plan.nodes):
            if cancelled():
                return Run(records, cancelled=True)
            if progress is not None:
                progress(count, len(plan.nodes))
            records[node.id] = _record(node, records, values)
    return Run(records)


def _record(node: PlannedNode, records: Mapping[str, Record], values: Values) -> Record:
    if node.id in values:
        given = values[node.id]
        return Record(node.id, given if isinstance(given, tuple) else (given,))
    if node.op is None:
        return Record(node.id, error=message(mark("engine", "This operation is not known here.")))
    arrays: list[Array] = []
    for port in node.inputs:
        outputs = records[port.node].outputs if port is not None else ()
        if port is None or port.index >= len(outputs):
            return Record(node.id, waiting=True)
        arrays.append(outputs[port.index])
    if None in node.specs or None in node.outputs:
        # What does not fit is not tried: NumPy might find a way that no rule knows, or fill the memory.
        return Record(node.id, waiting=True)
    try:
        return Record(
            node.id, node.op.evaluate(arrays, cast("tuple[Spec, ...]", node.specs), node.attributes)
        )
    except GradvizError as error:
        return Record(node.id, error=error.message)
    except UNCOMPUTABLE as error:
        reason = str(error) or type(error).__name__
        return Record(
            node.id,
            error=message(mark("engine", "It cannot be computed: {reason}."), reason=reason),
        )
