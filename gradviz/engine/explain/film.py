"""The steps of the film, each in one sentence."""

from __future__ import annotations

from gradviz import digits
from gradviz.engine import formula
from gradviz.engine.answer import Answer
from gradviz.engine.explain.wires import local_text, rule_text, sum_line
from gradviz.engine.explain.words import NAMED, array_of, array_words, enumerated, name, partial
from gradviz.engine.gradient import Role, Step, Term
from gradviz.graph.model import OutPort
from gradviz.text import Message, mark, message, shape_words


def sentence(answer: Answer, step: Step | None) -> Message:
    """What a step of the film does, in one sentence; of the start, what there is."""
    if step is None:
        return _start(answer)
    return _SENTENCES[step.address.role](answer, step)


def _start(answer: Answer) -> Message:
    targets = answer.question.of
    if not targets:
        return message(
            mark("engine", "There is no number to ask about yet: add a node or type an expression.")
        )
    target = targets[0].node
    sources = [port.node for port in answer.question.wrt if answer.missing(port) is None]
    if not sources:
        return message(
            mark("engine", "Ready. The question: how does {y} change?"), y=name(answer, target)
        )
    return message(
        mark("engine", "The question: if {x} changes a little, how much does {y} change?"),
        x=enumerated([name(answer, id) for id in sources]),
        y=name(answer, target),
    )


def _value(answer: Answer, step: Step) -> Message:
    id = step.address.node
    error = answer.run.error(id)
    if error is not None:
        return message(
            mark("engine", "{name} cannot be computed: {reason}"),
            name=name(answer, id),
            reason=error,
        )
    node = answer.graph[id]
    known = formula.names_of(answer.graph, answer.values)
    written = formula.application(answer.graph, node, known)
    result = answer.value(OutPort(id))
    line = f"{name(answer, id)} = {written}"
    inputs = [answer.value(port) if port is not None else None for port in node.inputs]
    if all(array is not None and array.ndim == 0 for array in inputs):
        filled = formula.application(answer.graph, node, _numbers(answer))
        if filled != written:
            line += f" = {filled}"
    return message(mark("engine", "{line} = {result}"), line=line, result=array_words(result))


def _numbers(answer: Answer) -> formula.Known:
    def known(port: OutPort) -> str | None:
        array = answer.value(port)
        return None if array is None or array.ndim else digits.number(array)

    return known


def _seed(answer: Answer, step: Step) -> Message:
    y = name(answer, step.port.node)
    result = array_of(answer, step.result)
    if result is not None and result.ndim == 0 and float(result) == 1:
        text = mark(
            "engine",
            "Now backwards: if {y} itself rises a little, {y} rises just as much. Its gradient is 1.",
        )
        return message(text, y=y)
    if answer.diagram.query.seed is None and result is not None and result.ndim:
        text = mark(
            "engine",
            "Now backwards: {y} is not one number, so the sum of its cells is asked about. Each has the gradient 1.",
        )
        return message(text, y=y)
    return message(
        mark("engine", "Now backwards: {y} starts with the seed {g}."), y=y, g=array_words(result)
    )


def _contribution(answer: Answer, step: Step) -> Message:
    consumer, x = name(answer, step.address.node), name(answer, step.port.node)
    g = array_words(array_of(answer, step.amount))
    if step.rule:
        text = mark(
            "engine", "{consumer} passes its gradient back to {x}: {rule}, which gives {result}."
        )
        result = array_words(array_of(answer, step.result))
        return message(text, consumer=consumer, x=x, rule=rule_text(answer, step), result=result)
    if step.local == 1:
        return message(
            mark("engine", "{consumer} passes its gradient {g} on to {x} unchanged."),
            consumer=consumer,
            g=g,
            x=x,
        )
    if step.local == -1:
        text = mark(
            "engine", "{consumer} passes its gradient {g} on to {x} with the sign turned: {result}."
        )
        return message(
            text, consumer=consumer, g=g, x=x, result=array_words(array_of(answer, step.result))
        )
    text = mark(
        "engine",
        "{consumer} passes its gradient {g} back to {x}, multiplied by its local derivative {local}.",
    )
    local = array_of(answer, step.local)
    written = local_text(answer, step)
    if local is not None and local.ndim == 0 and written != digits.number(local):
        written = f"{written} = {digits.number(local)}"
    return message(text, consumer=consumer, g=g, x=x, local=written)


def _fit(answer: Answer, step: Step) -> Message:
    before, after = array_of(answer, step.amount), array_of(answer, step.result)
    x = name(answer, step.port.node)
    if before is not None and after is not None and before.shape != after.shape:
        text = mark(
            "engine",
            "{x} was copied forward ({old} → {new}), so what comes back is added up: {new} → {old}.",
        )
        return message(text, x=x, old=shape_words(after.shape), new=shape_words(before.shape))
    dtype = after.dtype if after is not None else "?"
    return message(
        mark("engine", "{x} is {dtype}, so its gradient is written as {dtype} too."),
        x=x,
        dtype=dtype,
    )


def _merge(answer: Answer, step: Step) -> Message:
    count = len(answer.gradient.arrived.get(step.port, ()))
    line = sum_line(answer, step.port)
    text = mark(
        "engine", "{x} is used {count} times, so what came back by each road is added: {line}."
    )
    return message(text, x=name(answer, step.port.node), count=count, line=line)


def _done(answer: Answer, step: Step) -> Message:
    parts = [_reported(answer, port) for port in answer.question.wrt[:NAMED]]
    if len(answer.question.wrt) > len(parts):
        parts.append("…")
    return message(
        mark("engine", "Done: {line}."), line=",  ".join(parts) or name(answer, step.port.node)
    )


def _reported(answer: Answer, port: OutPort) -> str:
    array = answer.result(port)
    return f"{partial(answer, port.node)} = {array_words(array) if array is not None else 'None'}"


_SENTENCES = {
    Role.VALUE: _value,
    Role.SEED: _seed,
    Role.CONTRIBUTION: _contribution,
    Role.FIT: _fit,
    Role.MERGE: _merge,
    Role.DONE: _done,
}


def step_label(answer: Answer, step: Step) -> str:
    """A word for the timeline: `sum`, `seed 1`, `→ X`, `Σ s`, `done`."""
    role, id = step.address.role, step.port.node
    if role is Role.VALUE:
        return name(answer, id)
    if role is Role.SEED:
        return (
            f"seed {array_words(array_of(answer, step.result))}"
            if _is_number(answer, step.result)
            else "seed"
        )
    if role is Role.MERGE:
        return f"Σ {name(answer, id)}"
    if role is Role.DONE:
        return str(mark("engine", "done"))
    return f"→ {name(answer, id)}" if role is Role.CONTRIBUTION else f"fit {name(answer, id)}"


def _is_number(answer: Answer, term: Term | None) -> bool:
    array = array_of(answer, term)
    return array is not None and array.ndim == 0
