"""The lines of the problems bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gradviz.engine.answer import Answer
from gradviz.engine.diagnose import rounding
from gradviz.engine.explain.missing import reason
from gradviz.engine.explain.troubles import origin
from gradviz.engine.explain.words import array_words, name, partial
from gradviz.engine.explain.zeros import rounded, zeros
from gradviz.text import Message, mark, message, shape_words

ZERO_NODES: Final = 300
"""In a larger graph, why a gradient is 0 is worked out only when it is asked for."""


@dataclass(frozen=True, slots=True)
class Note:
    """One line of the problems bar. `severity` is "info", "warning" or "error"; `nodes` are those it is about.

    `about` is "error", "missing", "value" (a number that is not finite), "gradient" (the same going backwards), "zero"
    or "remark".
    """

    severity: str
    text: Message
    nodes: tuple[str, ...] = ()
    about: str = "remark"


def notes(answer: Answer) -> tuple[Note, ...]:
    """What a person should know about this answer: errors first, then what is missing or not finite, then remarks."""
    return (
        *_errors(answer),
        *_missing_notes(answer),
        *_troubles(answer),
        *_zeros(answer),
        *_remarks(answer),
    )


def _troubles(answer: Answer) -> list[Note]:
    """The first number that is not finite and matters, each way; if none does, the first that does not."""
    found = []
    ways = (("value", answer.troubles.forward), ("gradient", answer.troubles.backward))
    for about, origins in ways:
        used = [one for one in origins if one.used]
        for one in (used or origins)[:1]:
            node = one.port.node if one.step is None else one.step.address.node
            nodes = tuple(dict.fromkeys((node, one.port.node) if one.step is not None else (node,)))
            severity = "warning" if used else "info"
            found.append(Note(severity, origin(answer, one), nodes, about))
    return found


def _zeros(answer: Answer) -> list[Note]:
    """The reported gradients that are 0 in every cell, exactly or up to rounding."""
    found = []
    for port in answer.question.wrt if len(answer.graph) <= ZERO_NODES else ():
        slope = answer.adjoint(port)
        if slope is not None and slope.size and not slope.any():
            zero = answer.zeros(port)
            if zero is not None:
                nodes = tuple(dict.fromkeys((port.node, *(p.zero.node for p in zero.parts))))
                found.append(Note("info", zeros(answer, zero), nodes, "zero"))
            continue
        near = rounding(answer, port)
        if near:
            nodes = tuple(dict.fromkeys((port.node, *(one.node for one in near))))
            found.append(Note("info", rounded(answer, port, near), nodes, "zero"))
    return found


def _errors(answer: Answer) -> list[Note]:
    found = []
    for id in answer.specs.order:
        problem = answer.specs.problems.get(id)
        text = problem.message if problem is not None else answer.run.error(id)
        if text is not None:
            severity = "warning" if problem is not None and problem.kind == "open" else "error"
            line = message(mark("engine", "{name}: {reason}"), name=name(answer, id), reason=text)
            found.append(Note(severity, line, (id,), "error"))
    if answer.setup.failure is not None:
        found.append(Note("error", answer.setup.failure, answer.unusable, "error"))
    return found


def _missing_notes(answer: Answer) -> list[Note]:
    found = []
    for port in answer.question.wrt:
        missing = answer.missing(port)
        if missing is not None:
            why = reason(answer, missing)
            line = message(
                mark("engine", "{partial} is None: {sentence}."),
                partial=partial(answer, port.node),
                sentence=why.sentence,
            )
            found.append(Note("warning", line, (port.node, *missing.nodes), "missing"))
    return found


def _remarks(answer: Answer) -> list[Note]:
    found = []
    question = answer.question
    if answer.coincidence is not None:
        y, x = answer.coincidence
        text = mark(
            "engine",
            "{y} and {slope} are the same number here, {number}: a coincidence. Change {x} and see.",
        )
        words = {
            "y": name(answer, y.node),
            "slope": partial(answer, x.node),
            "x": name(answer, x.node),
        }
        found.append(
            Note(
                "info",
                Message(text, {**words, "number": array_words(answer.value(y))}),
                (y.node, x.node),
            )
        )
    if question.chosen == "last":
        text = mark(
            "engine", "Nothing says which result to differentiate: the last one, {y}, was taken."
        )
        found.append(
            Note("info", message(text, y=name(answer, question.of[0].node)), (question.of[0].node,))
        )
    for port in question.of:
        array = answer.value(port)
        if array is not None and array.ndim > 0 and answer.diagram.query.seed is None:
            text = mark(
                "engine",
                "{y} is {shape}, not one number: this is the gradient of the sum of its {count} cells.",
            )
            line = message(
                text, y=name(answer, port.node), shape=shape_words(array.shape), count=array.size
            )
            found.append(Note("info", line, (port.node,)))
    return found
