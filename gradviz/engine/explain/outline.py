"""A node in lines of text: what the outline and a screen reader say of it, the same as its card shows."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz import digits
from gradviz.engine.answer import Answer
from gradviz.engine.explain.missing import reason
from gradviz.engine.explain.words import array_words, name, partial, spec_words
from gradviz.graph.model import Array, InPort, Node, OutPort
from gradviz.ops import registry
from gradviz.text import Message, mark, message, shape_words


@dataclass(frozen=True, slots=True)
class OutlineLine:
    """One line; `target` is what it is about: a node to go to, or a wire by its end."""

    text: Message
    node: str = ""
    wire: InPort | None = None


def node_line(answer: Answer, id: str) -> Message:
    """`s: value 3, gradient 7; sum, one number`; for a node that cannot be computed, why."""
    node, port = answer.graph[id], OutPort(id)
    value, gradient = answer.value(port), answer.adjoint(port)
    words = {"name": name(answer, id), "op": _op(node), "spec": spec_words(answer, id)}
    if value is None:
        return message(mark("engine", "{name}: no value; {op}, {spec}"), **words)
    if gradient is None:
        text = mark("engine", "{name}: value {value}; {op}, {spec}")
        return message(text, **words, value=short(value))
    text = mark("engine", "{name}: value {value}, gradient {gradient}; {op}, {spec}")
    return message(text, **words, value=short(value), gradient=short(gradient))


def node_lines(answer: Answer, id: str) -> tuple[OutlineLine, ...]:
    """Value, gradient or why there is none, what is wrong, and every wire in and out."""
    node, port = answer.graph[id], OutPort(id)
    found = [OutlineLine(_value(answer, id))]
    gradient = answer.adjoint(port)
    missing = answer.missing(port) if gradient is None and answer.question.of else None
    if gradient is not None:
        text = mark("engine", "gradient {partial} = {words}")
        line = message(text, partial=partial(answer, id), words=short(gradient))
        found.append(OutlineLine(line))
    elif missing is not None:
        why = reason(answer, missing)
        text = mark("engine", "no gradient: {title}. {sentence}")
        found.append(OutlineLine(message(text, title=why.title, sentence=why.sentence)))
    op = registry.find(node.op)
    names = op.port_names(len(node.inputs)) if op is not None else ()
    for index, source in enumerate(node.inputs):
        called = names[index] if index < len(names) else str(index + 1)
        found.append(_input(answer, InPort(id, index), source, called))
    for end in answer.graph.consumers_of(id):
        line = message(mark("engine", "goes to {name}"), name=name(answer, end.node))
        found.append(OutlineLine(line, end.node, end))
    return tuple(found)


def _op(node: Node) -> str:
    return node.op.replace("_", " ")


def _value(answer: Answer, id: str) -> Message:
    value = answer.value(OutPort(id))
    if value is not None:
        return message(mark("engine", "value = {words}"), words=short(value))
    problem = answer.specs.problems.get(id)
    why = problem.message if problem is not None else answer.run.error(id)
    if why is not None:
        return message(mark("engine", "it cannot be computed: {why}"), why=why)
    return message(mark("engine", "no value yet"))


def _input(answer: Answer, end: InPort, source: OutPort | None, called: str) -> OutlineLine:
    if source is None:
        return OutlineLine(message(mark("engine", "input {input}: open"), input=called))
    line = message(
        mark("engine", "input {input}: from {name}"), input=called, name=name(answer, source.node)
    )
    return OutlineLine(line, source.node, end)


def short(array: Array) -> str:
    """A number; a few numbers; of more of them the shape, and how they lie."""
    if array.ndim == 0 or array.size > 9:
        return array_words(array) if array.ndim == 0 else digits.summary(array)
    rows = digits.grid(array)
    return f"{shape_words(array.shape)} [{'; '.join(', '.join(row) for row in rows)}]"
