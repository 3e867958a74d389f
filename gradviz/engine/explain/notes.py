"""The lines of the problems bar."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.engine.answer import Answer
from gradviz.engine.explain.missing import reason
from gradviz.engine.explain.words import array_words, name, partial
from gradviz.text import Message, mark, message, shape_words


@dataclass(frozen=True, slots=True)
class Note:
    """One line of the problems bar. `severity` is "info", "warning" or "error"; `nodes` are those it is about."""

    severity: str
    text: Message
    nodes: tuple[str, ...] = ()


def notes(answer: Answer) -> tuple[Note, ...]:
    """What a person should know about this answer: errors first, then missing gradients, then remarks."""
    return (*_errors(answer), *_missing_notes(answer), *_remarks(answer))


def _errors(answer: Answer) -> list[Note]:
    found = []
    for id in answer.specs.order:
        problem = answer.specs.problems.get(id)
        text = problem.message if problem is not None else answer.run.error(id)
        if text is not None:
            severity = "warning" if problem is not None and problem.kind == "open" else "error"
            line = message(mark("engine", "{name}: {reason}"), name=name(answer, id), reason=text)
            found.append(Note(severity, line, (id,)))
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
            found.append(Note("warning", line, (port.node, *missing.nodes)))
    return found


def _remarks(answer: Answer) -> list[Note]:
    found = []
    question = answer.question
    if answer.first_not_finite is not None:
        port, count = answer.first_not_finite
        text = mark(
            "engine", "The first number that is NaN or ∞ appears in {name}: {count} of its cells."
        )
        line = message(text, name=name(answer, port.node), count=count)
        found.append(Note("warning", line, (port.node,)))
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
