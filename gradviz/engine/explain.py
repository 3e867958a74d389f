"""The sentences: for a step, a wire, a missing gradient, a node. The only author of them.

Window, command line and Python all ask here, so that they say the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

import numpy as np

from gradviz import digits
from gradviz.engine import formula, gradcheck
from gradviz.engine.answer import Answer
from gradviz.engine.diagnose import Missing, State
from gradviz.engine.gradcheck import Verdict
from gradviz.engine.gradient import Contribution, Role, Step, Term
from gradviz.graph.model import Array, InPort, OutPort
from gradviz.ops import registry
from gradviz.text import Message, Text, mark, message, shape_words

NAMED: Final = 8
"""A sentence names at most so many things."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a gradient is missing: the state's title, the sentence, and what to do."""

    state: State
    title: Text
    sentence: Message
    remedy: Message


@dataclass(frozen=True, slots=True)
class Note:
    """One line of the problems bar. `severity` is "info", "warning" or "error"; `nodes` are those it is about."""

    severity: str
    text: Message
    nodes: tuple[str, ...] = ()


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
        return " + ".join(_ends([str(road(answer, c)) for c in found]))
    if len(found) <= NAMED:
        return str(digits.true_sum(cast("list[Array]", terms), total))
    numbers = _ends([digits.number(term) for term in cast("list[Array]", terms)])
    return f"{' + '.join(numbers)} = {digits.number(total)}"


def _ends(parts: list[str]) -> list[str]:
    """The parts, or of very many the first ones and the last one."""
    return parts if len(parts) <= NAMED else [*parts[: NAMED - 2], "…", parts[-1]]


def wire(answer: Answer, step: Step) -> WireWords:
    """What the wire of a contribution shows (decision 12)."""
    result = _array(answer, step.result)
    shown = array_words(result)
    if step.rule:
        return WireWords(rule_text(answer, step), "", f"= {shown}")
    amount, local = _array(answer, step.amount), _array(answer, step.local)
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
        amount = _array(answer, step.amount)
        if amount is None or not amount.ndim:
            return None
        g = partial(answer, step.address.node)
        return message(mark("engine", "g = {partial}"), partial=g)
    written, local = local_text(answer, step), _array(answer, step.local)
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
    known = _known(answer, cast("OutPort | None", step.amount), _amount_word(answer, step))
    return formula.term(answer.gradient.graph, step.result, known)


def _amount_word(answer: Answer, step: Step) -> str:
    amount = _array(answer, step.amount)
    return digits.number(amount) if amount is not None and amount.ndim == 0 else "g"


def _known(answer: Answer, amount: OutPort | None = None, word: str = "g") -> formula.Known:
    named = formula.names_of(answer.graph, answer.values)

    def known(port: OutPort) -> str | None:
        return word if amount is not None and port == amount else named(port)

    return known


def _array(answer: Answer, term: Term | None) -> Array | None:
    if isinstance(term, OutPort):
        return answer.run[term]
    return None if term is None else np.asarray(float(term))


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
        x=_enumerated([name(answer, id) for id in sources]),
        y=name(answer, target),
    )


def _enumerated(names: list[str]) -> str:
    shown = _ends(names)
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


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
    result = _array(answer, step.result)
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
    g = array_words(_array(answer, step.amount))
    if step.rule:
        text = mark(
            "engine", "{consumer} passes its gradient back to {x}: {rule}, which gives {result}."
        )
        result = array_words(_array(answer, step.result))
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
            text, consumer=consumer, g=g, x=x, result=array_words(_array(answer, step.result))
        )
    text = mark(
        "engine",
        "{consumer} passes its gradient {g} back to {x}, multiplied by its local derivative {local}.",
    )
    local = _array(answer, step.local)
    written = local_text(answer, step)
    if local is not None and local.ndim == 0 and written != digits.number(local):
        written = f"{written} = {digits.number(local)}"
    return message(text, consumer=consumer, g=g, x=x, local=written)


def _fit(answer: Answer, step: Step) -> Message:
    before, after = _array(answer, step.amount), _array(answer, step.result)
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
            f"seed {array_words(_array(answer, step.result))}"
            if _is_number(answer, step.result)
            else "seed"
        )
    if role is Role.MERGE:
        return f"Σ {name(answer, id)}"
    if role is Role.DONE:
        return str(mark("engine", "done"))
    return f"→ {name(answer, id)}" if role is Role.CONTRIBUTION else f"fit {name(answer, id)}"


def _is_number(answer: Answer, term: Term | None) -> bool:
    array = _array(answer, term)
    return array is not None and array.ndim == 0


def reason(answer: Answer, missing: Missing) -> Reason:
    """State, sentence and remedy of a missing gradient."""
    x = name(answer, missing.wrt)
    y = _enumerated([name(answer, id) for id in missing.of]) if missing.of else "?"
    at = _enumerated([name(answer, id) for id in missing.nodes[:3]]) if missing.nodes else "?"
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


def verdict(answer: Answer, found: Verdict) -> Message:
    """What the comparison with finite differences says of one wrt."""
    x = partial(answer, found.wrt.node)
    counted = message(mark("engine", "{count} entries"), count=found.total)
    if found.checked < found.total:
        counted = message(
            mark("engine", "{count} of {total} entries"), count=found.checked, total=found.total
        )
    apart = _left_out(found)
    if not found.connected and found.agrees:
        text = mark("engine", "{x} is None, and moving it changes nothing ({counted}){apart}.")
        return message(text, x=x, counted=counted, apart=apart)
    if found.worst is None:
        return message(mark("engine", "{x} cannot be compared{apart}."), x=x, apart=apart)
    worst = found.worst
    values = {
        "x": x,
        "counted": counted,
        "apart": apart,
        "cell": f"[{', '.join(map(str, worst.cell))}]" if worst.cell else "",
        "gradient": digits.number(worst.gradient, 7),
        "difference": digits.number(worst.difference, 7),
        "error": digits.number(worst.error, 2),
    }
    if found.agrees:
        text = mark(
            "engine",
            "{x} agrees with finite differences ({counted}; largest difference {error} at {x}{cell}){apart}.",
        )
        return Message(text, values)
    text = mark(
        "engine",
        "{x} is WRONG: at {x}{cell} the gradient is {gradient}, but finite differences give {difference}{apart}.",
    )
    return Message(text, values)


def verdicts(answer: Answer, found: Sequence[Verdict]) -> Message:
    """What the comparison says of all wrt together: the first that is wrong, or how well they agree."""
    wrong = next((one for one in found if not one.agrees), None)
    if wrong is not None or len(found) == 1:
        return verdict(answer, wrong or found[0])
    if not found:
        return message(mark("engine", "There is no gradient to compare."))
    largest = gradcheck.worst([one for one in found if one.connected])
    if largest is None or largest.worst is None:
        return message(mark("engine", "All gradients agree with finite differences."))
    text = mark(
        "engine",
        "All gradients agree with finite differences (largest difference {error} at {x}{cell}).",
    )
    cell = f"[{', '.join(map(str, largest.worst.cell))}]" if largest.worst.cell else ""
    x, error = partial(answer, largest.wrt.node), digits.number(largest.worst.error, 2)
    return message(text, error=error, x=x, cell=cell)


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


def _left_out(found: Verdict) -> Message | str:
    parts = []
    if found.kinks:
        parts.append(message(mark("engine", "; {count} at a kink"), count=found.kinks))
    if found.not_finite:
        parts.append(message(mark("engine", "; {count} with NaN or ∞"), count=found.not_finite))
    return "".join(map(str, parts))
