"""What stands on a wire: amount × local derivative, a rule with names, or why nothing comes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from gradviz import digits
from gradviz.engine import formula
from gradviz.engine.answer import Answer
from gradviz.engine.explain.missing import reason
from gradviz.engine.explain.words import NAMED, array_of, array_words, ends, name, partial
from gradviz.engine.gradient import Contribution, Step
from gradviz.graph.model import Array, InPort, OutPort
from gradviz.ops import registry
from gradviz.text import Message, mark, message


@dataclass(frozen=True, slots=True)
class WireWords:
    """What stands on the wire: amount × local = contribution in names, then in numbers; or the rule in names."""

    names: str
    numbers: str
    result: str

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that say something, first to last."""
        return tuple(line for line in (self.names, self.numbers, self.result) if line)

    @property
    def line(self) -> str:
        """Names and result alone, on one line: `1 × 2·s = 6`."""
        return " ".join(part for part in (self.names, self.result) if part)


def road(answer: Answer, contribution: Contribution) -> Message:
    """By which road a contribution came: `from square`; with the input, if both roads come from one node."""
    wire = contribution.wire
    if wire is None:
        return message(mark("engine", "start"))
    node = answer.graph[wire.node]
    source = node.inputs[wire.index]
    op = registry.find(node.op)
    if node.inputs.count(source) > 1 and op is not None:
        port = op.port_names(len(node.inputs))[wire.index]
        text = mark("engine", "from {name} ({input})")
        return message(text, name=name(answer, wire.node), input=port)
    return message(mark("engine", "from {name}"), name=name(answer, wire.node))


def sum_line(answer: Answer, port: OutPort) -> str:
    """`6 + 1 = 7` for a port whose contributions are single numbers; in words for arrays; empty for one road.

    Of very many terms the first ones and the last one are written.
    """
    found = answer.gradient.arrived.get(port, ())
    terms = [answer.run[c.result] for c in found]
    total = answer.adjoint(port)
    if len(found) < 2 or total is None or any(t is None for t in terms):
        return ""
    if total.ndim:
        return " + ".join(ends([str(road(answer, c)) for c in found]))
    if len(found) <= NAMED:
        return str(digits.true_sum(cast("list[Array]", terms), total))
    numbers = ends([digits.number(term) for term in cast("list[Array]", terms)])
    return f"{' + '.join(numbers)} = {digits.number(total)}"


def wire(answer: Answer, step: Step) -> WireWords:
    """What the wire of a contribution shows (decision 12)."""
    result = array_of(answer, step.result)
    shown = array_words(result)
    if step.rule:
        return WireWords(rule_text(answer, step), "", f"= {shown}")
    amount, local = array_of(answer, step.amount), array_of(answer, step.local)
    if amount is None or local is None or result is None:
        return WireWords("", "", shown)
    written = local_text(answer, step)
    scalars = amount.ndim == 0 and local.ndim == 0 and result.ndim == 0
    first = digits.number(amount) if amount.ndim == 0 else "g"
    names = f"{first} × {written}"
    if not scalars:
        return WireWords(names, "", f"= {shown}")
    line = digits.true_product(amount, local, result)
    if isinstance(step.local, float):
        return WireWords(f"{line.left} {line.equals} {line.result}", "", "")
    return WireWords(names, f"{line.equals} {line.left}", f"{line.equals} {line.result}")


def local_text(answer: Answer, step: Step) -> str:
    """The local derivative in names: `2·s`, `1`, `y`; in brackets where it is a sum."""
    if isinstance(step.local, OutPort):
        return formula.factor(answer.gradient.graph, step.local, _known(answer))
    return digits.number(step.local) if step.local is not None else ""


def derivative(answer: Answer, step: Step) -> Message | None:
    """What a contribution is multiplied by, `∂square/∂s = 2·s = 6`; for a rule, what its g is: `g = ∂y/∂h`."""
    if step.rule or step.local is None:
        amount = array_of(answer, step.amount)
        if amount is None or not amount.ndim:
            return None
        g = partial(answer, step.address.node)
        return message(mark("engine", "g = {partial}"), partial=g)
    written, local = local_text(answer, step), array_of(answer, step.local)
    if local is not None and local.ndim == 0 and written != digits.number(local):
        written = f"{written} = {digits.number(local)}"
    node = answer.graph[step.address.node]
    line = f"∂{name(answer, node.id)}/∂{name(answer, step.port.node)}"
    if node.inputs.count(step.port) == 1:
        return message(mark("engine", "{partial} = {local}"), partial=line, local=written)
    text = mark("engine", "{partial} by the input {port} = {local}")
    port = registry.get(node.op).port_names(len(node.inputs))[step.address.input]
    return message(text, partial=line, port=port, local=written)


def wire_name(answer: Answer, end: InPort) -> str:
    """`s → square`."""
    source = answer.graph[end.node].inputs[end.index]
    return f"{name(answer, source.node) if source is not None else '?'} → {name(answer, end.node)}"


def silence(answer: Answer, end: InPort) -> Message | None:
    """Why nothing comes back over a wire; None where something does, or where nothing could."""
    source = answer.graph[end.node].inputs[end.index]
    if source is None or any(c.wire == end for c in answer.gradient.arrived.get(source, ())):
        return None
    spec = answer.specs[source]
    if spec is not None and spec.weak:
        return None
    found = answer.missing(source)
    if found is not None:
        line = message(
            mark("engine", "Nothing comes back: {reason}."), reason=reason(answer, found).sentence
        )
        return line if OutPort(end.node) in answer.gradient.adjoints else None
    return message(
        mark("engine", "{node} passes nothing back to {x}."),
        node=name(answer, end.node),
        x=name(answer, source.node),
    )


def rule_text(answer: Answer, step: Step) -> str:
    """The rule with names: `g @ Wᵀ`, `spread g over 3×3`, `g where x > 0, else 0`; g as a number if it is one."""
    if not isinstance(step.result, OutPort):
        return ""
    known = _known(answer, cast("OutPort | None", step.amount), amount_word(answer, step))
    return formula.term(answer.gradient.graph, step.result, known)


def amount_word(answer: Answer, step: Step) -> str:
    amount = array_of(answer, step.amount)
    return digits.number(amount) if amount is not None and amount.ndim == 0 else "g"


def _known(answer: Answer, amount: OutPort | None = None, word: str = "g") -> formula.Known:
    named = formula.names_of(answer.graph, answer.values)

    def known(port: OutPort) -> str | None:
        return word if amount is not None and port == amount else named(port)

    return known
