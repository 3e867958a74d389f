"""Why a gradient that is there is 0, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradviz import digits
from gradviz.engine.answer import Answer
from gradviz.engine.diagnose import Kind, Zero, Zeros
from gradviz.engine.explain.wires import local_text
from gradviz.engine.explain.words import ends, joined, name, partial
from gradviz.engine.gradient import Address, Role
from gradviz.graph.model import OutPort
from gradviz.ops import registry
from gradviz.text import Message, Text, mark, message

REASONS_NAMED = 3

_TITLES = {
    Kind.GATED: mark("engine", "Zero: shut off"),
    Kind.MULTIPLIED: mark("engine", "Zero: multiplied by 0"),
    Kind.CANCELLED: mark("engine", "Zero: it cancels"),
    Kind.FLAT: mark("engine", "Zero: flat everywhere"),
    Kind.SATURATED: mark("engine", "Zero: saturated"),
    Kind.NOT_SELECTED: mark("engine", "Zero: not taken"),
    Kind.UNDERFLOW: mark("engine", "Zero: too small"),
    Kind.SEED: mark("engine", "Zero: by the question"),
}
_SENTENCES = {
    Kind.GATED: mark("engine", "{node} lets nothing through there"),
    Kind.MULTIPLIED: mark("engine", "the slope of {node} is 0 at these numbers"),
    Kind.CANCELLED: mark("engine", "inside {node} the terms add up to 0"),
    Kind.FLAT: mark("engine", "{node} is flat: its slope is 0 everywhere"),
    Kind.SATURATED: mark("engine", "{node} is so flat there that its slope is 0 in {dtype}"),
    Kind.NOT_SELECTED: mark("engine", "{node} does not take it"),
    Kind.UNDERFLOW: mark("engine", "what {node} hands back is too small for {dtype}"),
    Kind.SEED: mark("engine", "the question gives {node} the weight 0 there"),
}


def zero_title(kind: Kind) -> Text:
    """The kind in a word or two."""
    return _TITLES[kind]


def zero(answer: Answer, found: Zero) -> Message:
    """One reason: the node that made it 0, and how."""
    node = answer.graph[found.node]
    values: dict[str, object] = {"node": name(answer, found.node), "dtype": _dtype(answer, found)}
    if found.kind is Kind.CANCELLED and found.wire is None:
        roads = " + ".join(ends([name(answer, id) for id in found.by]))
        text = mark("engine", "what comes back to {node} from {roads} adds up to 0")
        return Message(text, {**values, "roads": roads})
    if found.kind is Kind.MULTIPLIED and found.wire is not None:
        op = registry.get(node.op)
        port = op.inputs[min(found.wire.index, len(op.inputs) - 1)]
        if port in op.linear_in and len(found.by) == 1 and op.family != "solve":
            text = mark("engine", "{node} multiplies it by {by}, which gives 0 there")
            return Message(text, {**values, "by": name(answer, found.by[0])})
        address = Address(
            found.node, found.wire.index, Role.CONTRIBUTION, answer.gradient.occurrence
        )
        local = local_text(answer, answer.steps[address])
        if local:
            text = mark("engine", "the slope of {node}, {local}, is 0 there")
            return Message(text, {**values, "local": local})
    return Message(_SENTENCES[found.kind], values)


def _dtype(answer: Answer, found: Zero) -> str:
    spec = answer.specs.outputs[found.node][0]
    return "?" if spec is None else str(spec.dtype)


def rounded(answer: Answer, port: OutPort, found: Sequence[Zero]) -> Message:
    """A gradient that is 0 up to rounding, and why."""
    slope = answer.adjoint(port)
    largest = 0.0 if slope is None else float(np.max(np.abs(np.asarray(slope, np.float64))))
    return message(
        mark("engine", "{x} is 0 up to rounding (at most {size}): {reasons}."),
        x=partial(answer, port.node),
        size=digits.number(largest, 2),
        reasons=joined([zero(answer, one) for one in found[:REASONS_NAMED]]),
    )


def zeros(answer: Answer, found: Zeros) -> Message:
    """All of a gradient's zeros: in how many cells, and by which nodes."""
    parts = found.parts[:REASONS_NAMED]
    whole = all(part.count == found.count for part in found.parts)
    lines: list[Message | str] = []
    for part in parts:
        line = zero(answer, part.zero)
        if not whole:
            line = message(mark("engine", "{count} because {line}"), count=part.count, line=line)
        lines.append(line)
    if len(found.parts) > len(parts):
        lines.append("…")
    values = {
        "x": partial(answer, found.port.node),
        "count": found.count,
        "size": found.size,
        "reasons": joined(lines),
    }
    if not found.parts:
        return Message(mark("engine", "{x} is 0 in {count} of {size} cells."), values)
    if found.size == 1:
        return Message(mark("engine", "{x} is 0: {reasons}."), values)
    if found.whole:
        return Message(mark("engine", "{x} is 0 in every cell: {reasons}."), values)
    return Message(mark("engine", "{x} is 0 in {count} of {size} cells: {reasons}."), values)
