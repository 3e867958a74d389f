"""One number in words: a sentence, the formula with names, the same with numbers, and its terms one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from gradviz import digits
from gradviz.engine import formula
from gradviz.engine.answer import Answer
from gradviz.engine.derive import Cell, Derivation, Kind, Region, Term
from gradviz.engine.derive.alone import under
from gradviz.engine.explain.said import CellWords, TermWords
from gradviz.engine.explain.sums import bracketed, cell_name, is_plain, line_of, some
from gradviz.engine.explain.typeset import (
    latex_cell,
    latex_line,
    latex_op,
    latex_term,
    latex_text,
)
from gradviz.engine.explain.wires import road
from gradviz.engine.explain.words import enumerated, joined, name, partial
from gradviz.engine.gradient import Address, Role
from gradviz.graph.model import OutPort
from gradviz.ops import registry
from gradviz.text import Message, mark, message


def cell_words(answer: Answer, found: Derivation) -> CellWords:
    """What is said about a number."""
    return _WORDS[found.kind](answer, found)


def _words(
    answer: Answer,
    found: Derivation,
    sentence: Message,
    terms: Sequence[TermWords] = (),
    right: str = "",
    numbers: str = "",
    latex: str = "",
    notes: Sequence[Message] = (),
) -> CellWords:
    title = cell_name(answer, found.cell)
    written = latex_cell(answer, found.cell)
    return CellWords(
        title,
        digits.full(found.total),
        sentence,
        f"{title} = {right}" if right else "",
        numbers,
        f"{written} = {latex}" if latex else "",
        tuple(terms),
        _left_out(found),
        (*notes, *_notes(answer, found)),
    )


def _left_out(found: Derivation) -> Message | None:
    more = found.count - len(found.terms)
    if more <= 0 or found.rest is None:
        return None
    text = mark("engine", "and {count} smaller terms, together {rest}")
    return message(text, count=more, rest=digits.number(found.rest))


def _notes(answer: Answer, found: Derivation) -> list[Message]:
    notes: list[Message] = []
    if not found.finite:
        text = mark(
            "engine", "Not every number here is finite. These terms are not: they make it {total}."
        )
        if not found.terms:
            text = mark(
                "engine", "It is {total}, though every term is finite: it was lost on the way."
            )
        notes.append(message(text, total=digits.number(found.total)))
    elif found.added is not None and not found.exact:
        text = mark(
            "engine",
            "The terms add up to {added}; {total} was computed in steps that each round.",
        )
        notes.append(
            message(text, added=digits.number(found.added, 7), total=digits.full(found.total))
        )
    if found.copied and found.finite:
        text = mark(
            "engine", "{x} was copied forward, so what comes back from each copy is added up."
        )
        notes.append(message(text, x=name(answer, found.cell.port.node)))
    if found.wide and found.added is not None and found.exact:
        notes.append(
            message(mark("engine", "It is float32; the terms are worked out in float64 (≈)."))
        )
    return notes


def _source(answer: Answer, found: Derivation) -> CellWords:
    node = answer.graph[found.node]
    x, total = cell_name(answer, found.cell), digits.number(found.total)
    if node.op == "random_normal":
        text = mark("engine", "{x} is {total}: drawn at random, with the seed {seed}.")
        op = registry.get(node.op)
        seed = op.bind(node.attributes).get("seed", 0)
        return _words(answer, found, message(text, x=x, total=total, seed=seed))
    if registry.find(node.op) is None:
        text = mark("engine", "{x} is {total}.")
    else:
        text = mark("engine", "{x} is {total}: a number that was typed in, or came with the file.")
    return _words(answer, found, message(text, x=x, total=total))


def _seed(answer: Answer, found: Derivation) -> CellWords:
    x, total = name(answer, found.cell.port.node), digits.number(found.total)
    if float(found.total) == 1 and answer.diagram.query.seed is None:
        text = mark(
            "engine",
            "The backward pass starts here: if {x} rises a little, {x} rises just as much.",
        )
    else:
        text = mark(
            "engine", "The backward pass starts here, with the weight {total} for this cell."
        )
    y = name(answer, found.cell.port.node)
    return _words(answer, found, message(text, x=x, y=y, total=total))


def _slots(answer: Answer, found: Derivation) -> CellWords:
    x = cell_name(answer, Cell(found.cell.port, "value", found.cell.index))
    text = mark("engine", "{x} is used {count} times: what came back by each road is added up.")
    arrived = answer.gradient.arrived[found.cell.port]
    terms = [
        TermWords(
            str(road(answer, arrived[t.cell.number])),
            digits.number(t.amount),
            digits.number(t.product),
            (t.cell,),
        )
        for t in found.terms
    ]
    line = line_of(found, [(t.amount,) for t in found.terms])
    right = " + ".join(some([term.names for term in terms]))
    latex = latex_line(
        found,
        [rf"\text{{{latex_text(t.names)}}}" for t in terms],
        [(t.amount,) for t in found.terms],
    )
    return _words(answer, found, message(text, x=x, count=found.count), terms, right, line, latex)


def _back(answer: Answer, found: Derivation) -> CellWords:
    x = cell_name(answer, Cell(found.cell.port, "value", found.cell.index))
    node = name(answer, found.node)
    values: dict[str, object] = {"x": x, "node": node, "count": found.count}
    if found.added is None and found.finite:
        text = mark(
            "engine",
            "It came back from {node}, which is too large or too special to be taken apart.",
        )
        return _words(answer, found, Message(text, values))
    if not found.count:
        text = mark("engine", "{x} moves no cell of {node} here: every slope is exactly 0.")
        return _words(answer, found, Message(text, values))
    terms, names = [], []
    for term in found.terms:
        slope = _slope(answer, found, term)
        g = cell_name(answer, term.cell)
        names.append(f"{g}·{slope}" if slope else g)
        terms.append(_term(term, names[-1]))
    if found.count == 1:
        values["cell"] = (
            cell_name(answer, Cell(_output(found), "value", found.terms[0].cell.index))
            if found.terms
            else node
        )
        text = mark("engine", "{x} moves one cell, {cell}: the gradient there times the slope.")
    else:
        text = mark(
            "engine",
            "{x} moves {count} cells of {node}: the gradient of each times its slope, added up.",
        )
    return _summed(answer, found, Message(text, values), terms, names)


def _output(found: Derivation) -> OutPort:
    """The output whose cells the terms of a derivation are of."""
    return found.terms[0].cell.port if found.terms else OutPort(found.node)


def _term(term: Term, names: str) -> TermWords:
    cells = (term.cell,) if term.partner is None else (term.cell, term.partner)
    plain = is_plain(term)
    numbers = (
        digits.number(term.amount)
        if plain
        else f"{digits.number(term.amount)}·{bracketed(digits.number(term.slope))}"
    )
    return TermWords(names, numbers, digits.number(term.product), cells)


def _summed(
    answer: Answer,
    found: Derivation,
    sentence: Message,
    terms: list[TermWords],
    names: list[str],
) -> CellWords:
    factors = [(t.amount,) if is_plain(t) else (t.amount, t.slope) for t in found.terms]
    right = " + ".join(some(names, more=found.count > len(names)))
    latex = latex_line(
        found,
        [latex_term(answer, found, t, n) for t, n in zip(found.terms, names, strict=True)],
        factors,
    )
    return _words(answer, found, sentence, terms, right, line_of(found, factors), latex)


def _slope(answer: Answer, found: Derivation, term: Term) -> str:
    """What the slope of a term is called: a cell, the local derivative at this cell, or `∂h[0]/∂x[2]`."""
    if term.partner is not None:
        text = cell_name(answer, term.partner)
        return text if term.sign > 0 else f"(−{text})"
    if term.slope == 1:
        return ""
    if term.slope == -1:
        return "(−1)"
    local = _local(answer, found, term)
    if local:
        return local
    top = cell_name(answer, Cell(term.cell.port, "value", term.cell.index))
    bottom = cell_name(answer, Cell(found.cell.port, "value", found.cell.index))
    return f"∂{top}/∂{bottom}"


def _local(answer: Answer, found: Derivation, term: Term) -> str:
    """The local derivative with the names of the cells it is made of, `2·s[1]`."""
    address = Address(found.node, found.input, Role.CONTRIBUTION, answer.gradient.occurrence)
    step = answer.steps.get(address)
    if step is None or step.rule or step.local is None:
        return ""
    if isinstance(step.local, float):
        return bracketed(digits.number(step.local))
    shape = answer.value(term.cell.port)
    if shape is None:
        return ""
    known = _cells_at(answer, shape.shape, term.cell.index)
    return formula.factor(answer.gradient.graph, step.local, known)


def _cells_at(answer: Answer, whole: tuple[int, ...], index: tuple[int, ...]) -> formula.Known:
    """Every node by the name of its cell at one place of an element-wise result."""
    named = formula.names_of(answer.graph, answer.values)

    def known(port: OutPort) -> str | None:
        text = named(port)
        array = answer.value(port) if port.node in answer.graph else None
        if text is None or array is None or not array.ndim:
            return text
        try:
            return cell_name(answer, Cell(port, "value", under(array.shape, whole, index)))
        except IndexError:
            return text

    return known


def _numbers_at(answer: Answer, whole: tuple[int, ...], index: tuple[int, ...]) -> formula.Known:
    def known(port: OutPort) -> str | None:
        array = answer.value(port)
        return None if array is None else digits.number(array[under(array.shape, whole, index)])

    return known


def _pick(answer: Answer, found: Derivation) -> CellWords:
    cell = cell_name(answer, found.terms[0].cell)
    text = mark("engine", "It is {cell}, which {node} hands on unchanged.")
    sentence = message(text, cell=cell, node=name(answer, found.node))
    return _summed(answer, found, sentence, [_term(found.terms[0], cell)], [cell])


def _linear(answer: Answer, found: Derivation) -> CellWords:
    terms, names = [], []
    for term in found.terms:
        slope = _factor(answer, term)
        cell = cell_name(answer, term.cell)
        names.append(f"{cell}·{slope}" if slope else cell)
        terms.append(_term(term, names[-1]))
    text = mark("engine", "{node} adds up {count} terms for this cell.")
    if found.count == 1:
        text = mark("engine", "{node} makes this cell from one number.")
    sentence = message(text, node=name(answer, found.node), count=found.count)
    return _summed(answer, found, sentence, terms, names)


def _factor(answer: Answer, term: Term) -> str:
    if term.partner is not None:
        text = cell_name(answer, term.partner)
        return text if term.sign > 0 else f"(−{text})"
    if term.slope == 1:
        return ""
    return bracketed(digits.number(term.slope))


def _formula(answer: Answer, found: Derivation) -> CellWords:
    node = answer.graph[found.node]
    op = registry.get(node.op)
    if found.parts:
        text = mark("engine", "{node} makes it in steps, from the cells that are outlined.")
        terms = [
            TermWords(f"{part} = {how}", "", digits.number(number), ())
            for part, how, number in found.parts
        ]
        known = formula.names_of(answer.graph, answer.values)
        written = formula.application(answer.graph, node, known)
        where = f"[{', '.join(map(str, found.cell.index))}]" if found.cell.index else ""
        return _words(
            answer,
            found,
            message(text, node=name(answer, found.node)),
            terms,
            f"{written}{where}",
            "",
            latex_op(answer, found),
        )
    array = answer.value(found.cell.port)
    shape = array.shape if array is not None else ()
    right = formula.application(answer.graph, node, _cells_at(answer, shape, found.cell.index))
    filled = formula.application(
        answer.graph, node, _numbers_at(answer, shape, found.cell.index)
    ).replace(f"+ {digits.MINUS}", f"{digits.MINUS} ")
    text = mark("engine", "{summary} This cell is made from those at its own place.")
    line = f"{filled} = {digits.number(found.total)}"
    latex = latex_op(answer, found)
    return _words(answer, found, message(text, summary=op.summary), (), right, line, latex)


def _together(answer: Answer, found: Derivation) -> CellWords:
    node = answer.graph[found.node]
    sources = [name(answer, id) for id in dict.fromkeys(r.port.node for r in found.reads)]
    values: dict[str, object] = {
        "node": name(answer, found.node),
        "total": digits.number(found.total),
    }
    if not found.reads:
        text = mark("engine", "No cell flows in here: {node} itself puts {total} in this place.")
        return _words(answer, found, Message(text, values))
    count = sum(len(region.flat) for region in found.reads)
    values |= {"sources": enumerated(sources).replace(" or ", " and "), "count": count}
    text = mark("engine", "{node} computes it together from {count} cells of {sources}.")
    if found.check is not None:
        text = mark("engine", "{node} is computed as one, from the whole of {sources}.")
    known = formula.names_of(answer.graph, answer.values)
    written = formula.application(answer.graph, node, known)
    where = f"[{', '.join(map(str, found.cell.index))}]" if found.cell.index else ""
    notes = []
    if found.check is not None:
        inputs = [name(answer, port.node) if port is not None else "?" for port in node.inputs]
        names = dict(zip("ab", inputs, strict=False)) | {"y": name(answer, found.node)}
        note = mark("engine", "What defines it: {equation}. Here it holds up to {residual}.")
        equation = found.check.equation.format_map(names)
        notes.append(
            message(note, equation=equation, residual=digits.number(found.check.residual, 2))
        )
    return _words(
        answer,
        found,
        Message(text, values),
        (),
        f"{written}{where}",
        "",
        latex_op(answer, found),
        notes,
    )


_WORDS: Final[dict[Kind, Callable[[Answer, Derivation], CellWords]]] = {
    Kind.SOURCE: _source,
    Kind.SEED: _seed,
    Kind.SLOTS: _slots,
    Kind.BACK: _back,
    Kind.PICK: _pick,
    Kind.LINEAR: _linear,
    Kind.FORMULA: _formula,
    Kind.TOGETHER: _together,
}


def outlined(answer: Answer, regions: Sequence[Region]) -> Message:
    """How many cells of which nodes contribute."""
    text = mark("engine", "{count} of {size} cells of {x}")
    parts: list[Message | str] = []
    for region in regions:
        array = answer.value(region.port)
        size = array.size if array is not None else 0
        x = (
            partial(answer, region.port.node)
            if region.band != "value"
            else name(answer, region.port.node)
        )
        parts.append(message(text, count=len(region.flat), size=size, x=x))
    return message(mark("engine", "Reads {parts}."), parts=joined(parts))
