"""Names and numbers in words: what the other sentences are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from gradviz import digits
from gradviz.engine import formula
from gradviz.engine.answer import Answer
from gradviz.engine.gradient import Term
from gradviz.graph.model import Array, OutPort
from gradviz.ops import registry
from gradviz.text import Message, Text, mark, message, shape_words

NAMED: Final = 8


def name(answer: Answer, id: str) -> str:
    """What a person calls a node."""
    return formula.label(answer.graph, id, answer.values)


def array_words(array: Array | None) -> str:
    """`7`; `3×3, each 7`; `3×3`."""
    if array is None:
        return "?"
    if array.ndim == 0:
        return digits.number(array)
    same = array.size and bool(np.all(array == array.flat[0]))
    each = f", each {digits.number(array.flat[0])}" if same and array.size > 1 else ""
    return f"{shape_words(array.shape)}{each}"


def headline(answer: Answer, id: str) -> str:
    """`X_sum = sum(X)`; a source by its name alone."""
    node = answer.graph[id]
    op = registry.find(node.op)
    if op is None or op.is_source:
        return name(answer, id)
    known = formula.names_of(answer.graph, answer.values)
    return f"{name(answer, id)} = {formula.application(answer.graph, node, known)}"


def summary(answer: Answer, id: str) -> Text | Message:
    """What the node's op does, in a sentence."""
    op = registry.find(answer.graph[id].op)
    if op is None:
        return message(
            mark("engine", "{op} is not known here: it cannot be computed."), op=answer.graph[id].op
        )
    return op.summary


def spec_words(answer: Answer, id: str) -> str:
    """`3×3 float32`; `one number`; words where it is unknown."""
    spec = answer.specs[OutPort(id)]
    if spec is None:
        return str(mark("engine", "shape not known yet"))
    return shape_words(spec.shape) if spec.weak else f"{shape_words(spec.shape)}  {spec.dtype}"


def partial(answer: Answer, id: str) -> str:
    """`∂y/∂X`."""
    targets = answer.question.of
    if not targets:
        return f"∂?/∂{name(answer, id)}"
    top = "+".join(dict.fromkeys(name(answer, port.node) for port in targets))
    return f"∂({top})/∂{name(answer, id)}" if len(targets) > 1 else f"∂{top}/∂{name(answer, id)}"


def size(answer: Answer) -> Message:
    """`7 nodes, 7 wires`."""
    nodes, wires = len(answer.graph), sum(p is not None for n in answer.graph for p in n.inputs)
    one = message(mark("engine", "1 node"))
    many = message(mark("engine", "{count} nodes"), count=nodes)
    one_wire = message(mark("engine", "1 wire"))
    many_wires = message(mark("engine", "{count} wires"), count=wires)
    return message(
        mark("engine", "{nodes}, {wires}"),
        nodes=one if nodes == 1 else many,
        wires=one_wire if wires == 1 else many_wires,
    )


def ends(parts: list[str]) -> list[str]:
    """The parts, or of very many the first ones and the last one."""
    return parts if len(parts) <= NAMED else [*parts[: NAMED - 2], "…", parts[-1]]


def joined(parts: Sequence[Message | str]) -> Message | str:
    """The parts with semicolons between them, each still to be translated."""
    if not parts:
        return ""
    text = mark("engine", "{first}; {rest}")
    found = parts[-1]
    for part in reversed(parts[:-1]):
        found = message(text, first=part, rest=found)
    return found


def enumerated(names: list[str]) -> str:
    shown = ends(names)
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def array_of(answer: Answer, term: Term | None) -> Array | None:
    if isinstance(term, OutPort):
        return answer.run[term]
    return None if term is None else np.asarray(float(term))
