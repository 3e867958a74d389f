"""Execute a plan, node by node, and record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from gradviz import limits
from gradviz.bulk import bulk
from gradviz.engine.kinds import made_of_calls
from gradviz.engine.plan import Plan, PlannedNode
from gradviz.errors import GradvizError, LimitError
from gradviz.graph.model import Array, OutPort
from gradviz.ops import shapes
from gradviz.ops.expr import UNCOMPUTABLE, UNUSABLE
from gradviz.ops.spec import Spec
from gradviz.text import Message, mark, message, shape_words

Cancelled = Callable[[], bool]
# The array of a node by its id; a tuple of them for a node with several outputs.
Values = Mapping[str, Array | tuple[Array, ...]]


@dataclass(frozen=True, slots=True)
class Record:
    """What one node gave: its outputs, or the error that kept it from being computed.

    `waits_for` are the nodes that must be put right first: those with an error, or without a wire or a value; the node
    itself if it is one of them.
    """

    node: str
    outputs: tuple[Array, ...] = ()
    error: Message | None = None
    waits_for: tuple[str, ...] = ()

    @property
    def waiting(self) -> bool:
        """Whether the node could not be tried."""
        return bool(self.waits_for)


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

    Any other node with an entry in `values` holds it instead of being computed. The specs of a node that were unknown
    because a shape depends on the numbers are worked out from the arrays that have come out.
    Raises LimitError before anything is computed when the results would not fit in memory.
    """
    if plan.bytes > limits.ALIVE_BYTES:
        raise LimitError(
            mark("engine", "This run would need {needed} MiB; at most {limit} MiB are allowed."),
            needed=plan.bytes // 2**20,
            limit=limits.ALIVE_BYTES // 2**20,
        )
    records: dict[str, Record] = {}
    room = limits.ALIVE_BYTES - plan.bytes
    with np.errstate(all="ignore"), bulk():
        for count, node in enumerate(plan.nodes):
            if cancelled():
                return Run(records, cancelled=True)
            if progress is not None:
                progress(count, len(plan.nodes))
            records[node.id] = record = _record(node, records, values)
            if None in node.outputs:
                room -= sum(array.nbytes for array in record.outputs)
                if room < 0:
                    records[node.id] = Record(node.id, error=_no_room(room))
    return Run(records)


def _no_room(room: int) -> Message:
    return message(
        mark("engine", "This run would need {needed} MiB; at most {limit} MiB are allowed."),
        needed=(limits.ALIVE_BYTES - room) // 2**20,
        limit=limits.ALIVE_BYTES // 2**20,
    )


def _causes(node: str, record: Record | None) -> tuple[str, ...]:
    """Whom a node waits for that does not get an input from this record; itself if the wire is what is missing."""
    if record is None or record.outputs:
        return (node,)
    return record.waits_for or (record.node,)


def _record(node: PlannedNode, records: Mapping[str, Record], values: Values) -> Record:
    if node.id in values:
        given = values[node.id]
        return Record(node.id, given if isinstance(given, tuple) else (given,))
    if node.op is None:
        return Record(node.id, error=message(mark("engine", "This operation is not known here.")))
    arrays: list[Array] = []
    missing: dict[str, None] = {}
    for port in node.inputs:
        record = records[port.node] if port is not None else None
        if port is not None and record is not None and port.index < len(record.outputs):
            arrays.append(record.outputs[port.index])
        else:
            missing.update(dict.fromkeys(_causes(node.id, record)))
    if missing:
        return Record(node.id, waits_for=tuple(missing))
    specs = cast("tuple[Spec, ...]", node.specs)
    wanted = node.outputs
    if None in node.specs or None in node.outputs:
        specs = tuple(
            [s or Spec(a.shape, a.dtype) for s, a in zip(node.specs, arrays, strict=True)]
        )
        try:
            found = node.op.spec(*specs, **node.op.bind(node.attributes))
        except (GradvizError, *UNUSABLE) as error:
            if None not in node.specs:
                # What does not fit is not tried: NumPy might find a way that no rule knows, or fill the memory.
                return Record(node.id, waits_for=(node.id,))
            return Record(node.id, error=_reason(error))
        wanted = (found,) if isinstance(found, Spec) else found or node.outputs
    try:
        whole = None
        if None not in wanted:
            known = cast("tuple[Spec, ...]", wanted)
            whole = made_of_calls(node.op, arrays, specs, known, node.attributes)
        if whole is not None:
            return Record(node.id, (whole,))
        outputs = node.op.evaluate(arrays, specs, node.attributes)
        for array, spec in zip(outputs, wanted, strict=False):
            if spec is None:
                shapes.checked(array.shape, array.dtype)
            elif array.shape != spec.shape:
                return Record(node.id, error=_changed(array, spec))
        return Record(node.id, outputs)
    except (GradvizError, *UNCOMPUTABLE) as error:
        return Record(node.id, error=_reason(error))


def _changed(array: Array, spec: Spec) -> Message:
    return message(
        mark("engine", "It is {found} for these numbers, {expected} was expected."),
        found=shape_words(array.shape),
        expected=shape_words(spec.shape),
    )


def _reason(error: BaseException) -> Message:
    if isinstance(error, GradvizError):
        return error.message
    reason = str(error) or type(error).__name__
    return message(mark("engine", "It cannot be computed: {reason}."), reason=reason)
