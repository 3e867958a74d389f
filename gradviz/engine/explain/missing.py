"""Why a gradient is missing, in sentences, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gradviz.engine.answer import Answer
from gradviz.engine.diagnose import Cut, Missing, State
from gradviz.engine.explain.words import NAMED, ends, enumerated, joined, name
from gradviz.graph.model import OutPort
from gradviz.text import Message, Text, mark, message


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a gradient is missing: the state's title, the sentence, and what to do."""

    state: State
    title: Text
    sentence: Message
    remedy: Message


def reason(answer: Answer, missing: Missing) -> Reason:
    """State, sentence and remedy of a missing gradient."""
    title, sentence, remedy = _REASONS[missing.state]
    values: dict[str, object] = {
        "x": name(answer, missing.wrt),
        "y": enumerated([name(answer, id) for id in missing.of]) if missing.of else "?",
        "node": _listed(answer, missing.nodes) or "?",
    }
    if missing.state is State.NO_PATH:
        sentence, remedy = _apart(answer, missing, values)
    elif missing.state is State.INTEGER_SOURCE and _is_bool(answer, missing.wrt):
        sentence = _TRUTH_VALUES
    elif missing.state is State.NOT_RUN and not missing.nodes:
        sentence, remedy = _NO_ROOM
    elif len(missing.cuts) > 1:
        sentence = mark("engine", "every way from {x} to {y} is cut: {cuts}")
        cuts: list[Message | str] = [_cut(answer, cut) for cut in missing.cuts[:NAMED]]
        values["cuts"] = joined(cuts if len(missing.cuts) <= NAMED else [*cuts, "…"])
    elif missing.cuts and missing.cuts[0].asked:
        sentence, remedy = _ASKED
    return Reason(missing.state, title, Message(sentence, values), Message(remedy, values))


def _listed(answer: Answer, nodes: Sequence[str]) -> Message | str:
    shown = ends([name(answer, id) for id in nodes])
    last = mark("engine", "{first} and {last}")
    if len(shown) < 2:
        return "".join(shown)
    return message(last, first=", ".join(shown[:-1]), last=shown[-1])


def _is_bool(answer: Answer, id: str) -> bool:
    spec = answer.specs[OutPort(id)]
    return spec is not None and spec.dtype.kind == "b"


def _apart(answer: Answer, missing: Missing, values: dict[str, object]) -> tuple[Text, Text]:
    """No path: because it is a copy, because it leads elsewhere, or because nothing uses it."""
    _, sentence, remedy = _REASONS[State.NO_PATH]
    if missing.twin is not None:
        values["twin"] = name(answer, missing.twin)
        if answer.graph[missing.wrt].op != "constant":
            return _LOOKALIKE, _DID_YOU_MEAN
        spec = answer.specs[OutPort(missing.wrt)]
        return (_SAME_NUMBERS if spec is not None and spec.shape else _NEW_CONSTANT), _DID_YOU_MEAN
    if missing.ends:
        values["ends"] = _listed(answer, missing.ends)
        return mark(
            "engine",
            "nothing leads from {x} to {y} (it leads to {ends} only), so changing {x} cannot change {y}",
        ), remedy
    return sentence, _UNUSED


def _cut(answer: Answer, cut: Cut) -> Message:
    text = _CUTS[cut.state] if not cut.asked else _CUT_BY_QUESTION
    return message(text, node=name(answer, cut.node))


_NEW_CONSTANT = mark("engine", "this {x} is a new constant, not the {twin} that {y} uses")
_SAME_NUMBERS = mark(
    "engine", "this {x} holds the same numbers, but it is not the {twin} that {y} uses"
)
_LOOKALIKE = mark("engine", "{x} looks like {twin}, which {y} uses, but it is another node")
_DID_YOU_MEAN = mark(
    "engine", "Did you mean {twin}? Ask for the gradient with respect to it, or ask for zeros."
)
_UNUSED = mark(
    "engine",
    "Draw a wire from {x} towards {y} if it should matter (in Python, an if that went another way leaves no wire), or ask for zeros.",
)
_TRUTH_VALUES = mark(
    "engine", "{x} holds truth values: they cannot change a little, so they have no gradient"
)
_ASKED = (
    mark("engine", "the question stops the gradient at {node}, on the only way from {x} to {y}"),
    mark("engine", "Take {node} out of the stopped nodes of the question, or ask for zeros."),
)
_NO_ROOM = (
    mark("engine", "the gradients of this graph could not be computed"),
    mark("engine", "Make the arrays smaller, or ask about a smaller part of the graph."),
)
_CUT_BY_QUESTION = mark("engine", "the question stops the gradient at {node}")
_CUTS = {
    State.STOPPED: mark("engine", "the gradient is stopped at {node}"),
    State.NON_DIFFERENTIABLE_OP: mark("engine", "{node} has no derivative"),
    State.INTEGER_ON_PATH: mark("engine", "{node} holds whole numbers"),
    State.NO_RULE: mark("engine", "there is no derivative rule for {node}"),
}


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
            "{x} holds whole numbers: they cannot change a little, so they have no gradient",
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
