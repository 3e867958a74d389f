"""What happens inside a step: the nodes a rule is made of, one after another. Derived on demand, never recorded."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.engine import formula
from gradviz.engine.answer import Answer
from gradviz.engine.explain.wires import amount_word
from gradviz.engine.explain.words import array_words
from gradviz.engine.gradient import Step
from gradviz.graph.model import Array, OutPort
from gradviz.ops import registry
from gradviz.text import Message, mark, message

_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True, slots=True, eq=False)
class Inner:
    """One moment inside a step: what is computed (`port`), how it is written, and what comes out.

    `name` is what later moments call it: `t₁`; empty for the last, which is the step's result.
    """

    port: OutPort
    name: str
    written: str
    array: Array | None
    what: Message

    @property
    def line(self) -> str:
        """`t₂ = sum(t₁) = 3`."""
        parts = [self.name, self.written, array_words(self.array)]
        return " = ".join(part for part in parts if part)


def inside(answer: Answer, step: Step | None) -> tuple[Inner, ...]:
    """The moments inside a step, if there are several."""
    if step is None or len(step.nodes) < 2:
        return ()
    graph = answer.gradient.graph
    known = formula.names_of(answer.graph, answer.values)
    made = {node: f"t{str(i).translate(_LOWERED)}" for i, node in enumerate(step.nodes[:-1], 1)}
    word = amount_word(answer, step)

    def named(port: OutPort) -> str | None:
        if port == step.amount:
            return word
        return made.get(port.node) or known(port) or formula.term(graph, port, known)

    found = []
    for id in step.nodes:
        node = graph[id]
        op = registry.get(node.op)
        found.append(
            Inner(
                OutPort(id),
                made.get(id, ""),
                formula.application(graph, node, named),
                answer.run[OutPort(id)],
                message(op.summary),
            )
        )
    return tuple(found)


def nothing_inside(answer: Answer, step: Step | None) -> Message:
    """Why a step cannot be entered."""
    if step is None:
        return message(mark("engine", "The film is at its start: there is no step to go into."))
    return message(mark("engine", "This step is one operation: there is nothing inside it."))
