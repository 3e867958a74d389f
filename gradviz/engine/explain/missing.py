"""Why a gradient is missing, in sentences, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.engine.answer import Answer
from gradviz.engine.diagnose import Missing, State
from gradviz.engine.explain.words import enumerated, name
from gradviz.text import Message, Text, mark


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a gradient is missing: the state's title, the sentence, and what to do."""

    state: State
    title: Text
    sentence: Message
    remedy: Message


def reason(answer: Answer, missing: Missing) -> Reason:
    """State, sentence and remedy of a missing gradient."""
    x = name(answer, missing.wrt)
    y = enumerated([name(answer, id) for id in missing.of]) if missing.of else "?"
    at = enumerated([name(answer, id) for id in missing.nodes[:3]]) if missing.nodes else "?"
    title, sentence, remedy = _REASONS[missing.state]
    values = {"x": x, "y": y, "node": at}
    return Reason(missing.state, title, Message(sentence, values), Message(remedy, values))


_REASONS = {
    State.NO_PATH: (
        mark("engine", "No path"),
        mark("engine", "nothing leads from {x} to {y}, so changing {x} cannot change {y}"),
        mark("engine", "Draw a wire from {x} towards {y} if it should matter, or ask for zeros."),
    ),
    State.SWAPPED: (
        mark("engine", "Swapped?"),
        mark(
            "engine",
            "{y} is not computed from {x}, but {x} is computed from {y}: the two look swapped",
        ),
        mark(
            "engine", "Ask for the gradient of {x} with respect to {y} instead, or ask for zeros."
        ),
    ),
    State.STOPPED: (
        mark("engine", "Stopped"),
        mark(
            "engine",
            "the only way from {x} to {y} goes through {node}, where the gradient is stopped",
        ),
        mark("engine", "Remove the stop at {node}, or ask for zeros."),
    ),
    State.NON_DIFFERENTIABLE_OP: (
        mark("engine", "No derivative"),
        mark(
            "engine",
            "the way from {x} to {y} goes through {node}, which has no derivative: it jumps or stays flat",
        ),
        mark(
            "engine",
            "Replace {node} by something smooth (softmax for a choice, sigmoid for a threshold), or ask for zeros.",
        ),
    ),
    State.INTEGER_ON_PATH: (
        mark("engine", "Whole numbers on the way"),
        mark(
            "engine",
            "the way from {x} to {y} goes through {node}, which holds whole numbers: they carry no gradient",
        ),
        mark("engine", "Keep {node} in floating point, or ask for zeros."),
    ),
    State.INTEGER_SOURCE: (
        mark("engine", "Not a float"),
        mark(
            "engine",
            "{x} holds whole numbers or truth values: they cannot change a little, so they have no gradient",
        ),
        mark("engine", "Make {x} a float, or ask for zeros."),
    ),
    State.INTEGER_TARGET: (
        mark("engine", "The target is not a float"),
        mark("engine", "{y} holds whole numbers or truth values: it jumps, so it has no gradient"),
        mark("engine", "Ask about a float instead."),
    ),
    State.NO_RULE: (
        mark("engine", "No rule"),
        mark(
            "engine",
            "gradviz has no derivative rule for {node}, and the way from {x} to {y} goes through it",
        ),
        mark("engine", "Replace {node} by operations that have one, or ask for zeros."),
    ),
    State.NO_TARGETS: (
        mark("engine", "No target"),
        mark("engine", "nothing was asked about: there is no target"),
        mark("engine", "Choose a number to differentiate."),
    ),
    State.NOT_ASKED: (
        mark("engine", "Not asked"),
        mark("engine", "the gradient of {x} was not asked for"),
        mark("engine", "Add {x} to the nodes to differentiate by."),
    ),
    State.NOT_RUN: (
        mark("engine", "Not run"),
        mark("engine", "the gradient of {x} waits for {node}, which cannot be computed yet"),
        mark("engine", "Complete {node} first."),
    ),
}
