"""Where a NaN or an infinity began, in sentences: the cell, the numbers that met there, the rule, and what to do."""

from __future__ import annotations

import numpy as np

from gradviz import digits
from gradviz.engine.answer import Answer
from gradviz.engine.diagnose import Kind, Made, Origin
from gradviz.engine.diagnose.stable import stable
from gradviz.engine.explain.words import NAMED, ends, name, partial
from gradviz.graph.model import OutPort
from gradviz.text import Message, Text, mark, message

HOW = {
    Made.GIVEN: mark("engine", "it was given so"),
    Made.ZERO_TIMES_INFINITY: mark("engine", "0 × ∞ is no number"),
    Made.ZERO_TIMES_NAN: mark("engine", "0 × NaN is NaN, not 0"),
    Made.INFINITY_MINUS_INFINITY: mark("engine", "∞ − ∞ is no number"),
    Made.INFINITY_BY_INFINITY: mark("engine", "∞ / ∞ is no number"),
    Made.ZERO_BY_ZERO: mark("engine", "0 / 0 is no number"),
    Made.BY_ZERO: mark("engine", "the divisor is 0"),
    Made.LOG_OF_ZERO: mark("engine", "the logarithm of 0 is −∞"),
    Made.LOG_OF_NEGATIVE: mark("engine", "a negative number has no real logarithm"),
    Made.ROOT_OF_NEGATIVE: mark("engine", "a negative number has no real root"),
    Made.OVERFLOW: mark("engine", "the result is larger than {dtype} can hold"),
    Made.POLE: mark("engine", "{op} is infinite there"),
    Made.OUTSIDE: mark("engine", "{op} is not defined there"),
    Made.OF_NOTHING: mark("engine", "it is computed from nothing"),
    Made.FROM_INFINITY: mark("engine", "∞ leaves no number there"),
    Made.STEEP: mark("engine", "the derivative of {op} is infinite there"),
    Made.FROM_VALUE: mark("engine", "a value that the derivative of {op} needs is not finite"),
}

_ZERO_TIMES = (Made.ZERO_TIMES_INFINITY, Made.ZERO_TIMES_NAN)
_BEYOND_HELP = (Made.GIVEN, Made.LOG_OF_NEGATIVE, Made.ROOT_OF_NEGATIVE, Made.OUTSIDE)


def cell_words(cell: tuple[int, ...]) -> str:
    """`[0, 1]`; nothing for a single number."""
    return f"[{', '.join(map(str, cell))}]" if cell else ""


def origin(answer: Answer, found: Origin) -> Message:
    """Where it began and why, with the remedy if one is known."""
    line = _forward(answer, found) if found.step is None else _backward(answer, found)
    advice = remedy(answer, found)
    if advice is None:
        return line
    return message(mark("engine", "{line} {advice}"), line=line, advice=advice)


def _how(answer: Answer, found: Origin, node: str) -> Message:
    array = answer.run[found.port]
    dtype = array.dtype if array is not None else "?"
    return Message(HOW[found.made], {"op": name(answer, node), "dtype": dtype})


def _inputs(answer: Answer, found: Origin) -> str:
    """`x[0] = −1, y = 0`; literals are plain numbers and need no word."""
    parts = []
    for one in dict.fromkeys(found.inputs):
        if one.port.node in answer.graph:
            spec = answer.specs[one.port]
            label, weak = name(answer, one.port.node), spec is not None and spec.weak
        elif one.port.node in answer.gradient.origin:
            label, weak = "g", one.port.node in answer.gradient.values
        else:
            continue
        if not weak:
            parts.append(f"{label}{cell_words(one.cell)} = {digits.number(np.float64(one.value))}")
    return ", ".join(ends(parts)) if len(parts) > NAMED else ", ".join(parts)


def _because(answer: Answer, found: Origin, node: str) -> Message:
    how = _how(answer, found, node)
    inputs = _inputs(answer, found)
    if not inputs:
        return how
    return message(mark("engine", "{how} ({inputs})"), how=how, inputs=inputs)


def _forward(answer: Answer, found: Origin) -> Message:
    at = f"{name(answer, found.port.node)}{cell_words(found.cell)}"
    number = digits.number(np.float64(found.value))
    because = _because(answer, found, found.port.node)
    values = {"at": at, "number": number, "because": because, "count": found.count}
    if found.stopped is not None:
        text = mark("engine", "{at} is {number}, because {because}; {stopped} does not pass it on.")
        return Message(text, {**values, "stopped": name(answer, found.stopped)})
    if not found.used:
        text = mark(
            "engine", "{at} is {number}, because {because}; nothing that is asked needs it."
        )
        return Message(text, values)
    if found.count > 1:
        text = mark(
            "engine",
            "The first number that is not finite: {at} is {number}, because {because}; {count} of its cells are not finite.",
        )
        return Message(text, values)
    text = mark(
        "engine", "The first number that is not finite: {at} is {number}, because {because}."
    )
    return Message(text, values)


def _backward(answer: Answer, found: Origin) -> Message:
    assert found.step is not None
    node = found.step.address.node
    values: dict[str, object] = {
        "consumer": name(answer, node),
        "x": name(answer, found.port.node),
        "at": f"{partial(answer, found.port.node)}{cell_words(found.cell)}",
        "result": digits.number(np.float64(found.value)),
        "because": _because(answer, found, node),
    }
    if node == found.port.node:
        text = mark(
            "engine", "The first gradient that is not finite: {at} is {result}, because {because}."
        )
        return Message(text, values)
    if found.amount is None or found.local is None:
        text = mark(
            "engine",
            "The first gradient that is not finite: {consumer} hands {result} back to {x}{cell}, because {because}.",
        )
        return Message(text, {**values, "cell": cell_words(found.cell)})
    if found.made in _ZERO_TIMES:
        # The product says it all: 0 × ∞ = NaN.
        inputs = _inputs(answer, found)
        values["because"] = message(mark("engine", "at {inputs}"), inputs=inputs)
    text = mark(
        "engine",
        "The first gradient that is not finite: {consumer} hands back to {x}{cell} what arrived times its derivative, {amount} × {local} = {result}; {because}.",
    )
    more = {
        "cell": cell_words(found.cell),
        "amount": digits.number(np.float64(found.amount)),
        "local": digits.number(np.float64(found.local)),
    }
    return Message(text, {**values, **more})


_STABLE: Text = mark("engine", "{op} computes {node} in one go and stays finite.")
_DOUBLE: Text = mark(
    "engine",
    "Choose the input first: let {consumer} read where(condition, {x}, 1), so that the branch {gate} does not take is harmless.",
)


def remedy(answer: Answer, found: Origin) -> Message | None:
    """What would help: an op that does the same in one go, or choosing before computing (the double where)."""
    node = found.port.node if found.step is None else found.step.address.node
    if found.step is not None and found.made in _ZERO_TIMES:
        gate = _gate(answer, node)
        if gate is not None:
            words = {"consumer": node, "x": found.port.node, "gate": gate}
            return Message(_DOUBLE, {key: name(answer, id) for key, id in words.items()})
    better = stable(answer.graph, node)
    if better is None or not found.used or found.made in _BEYOND_HELP:
        return None
    return message(_STABLE, op=better.op, node=name(answer, better.node))


def _gate(answer: Answer, node: str) -> str | None:
    """The gate that shut off what arrives at a node."""
    zeros = answer.zeros(OutPort(node))
    if zeros is None:
        return None
    return next((part.zero.node for part in zeros.parts if part.zero.kind is Kind.GATED), None)
