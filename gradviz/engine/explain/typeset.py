"""Formulas in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gradviz import digits
from gradviz.engine.answer import Answer
from gradviz.engine.derive import Cell, Derivation, Kind, Term
from gradviz.engine.derive.alone import under
from gradviz.engine.explain.sums import is_plain, line_of, some
from gradviz.engine.explain.words import name
from gradviz.ops import registry


def latex_name(text: str) -> str:
    """A name in LaTeX: one letter as it is, a word upright."""
    return text if len(text) == 1 and text.isalpha() else rf"\mathrm{{{latex_text(text)}}}"


def latex_text(text: str) -> str:
    return re.sub(r"([\\_#$%&{}^~])", r"\\\1", text).replace(digits.MINUS, "-")


def latex_cell(answer: Answer, cell: Cell) -> str:
    r"""`W_{2,1}`; `\frac{\partial y}{\partial W_{2,1}}`."""
    below = ",".join(map(str, cell.index))
    node = latex_name(name(answer, cell.port.node))
    if cell.port.index:
        node = f"{node}^{{({cell.port.index})}}"
    written = f"{node}_{{{below}}}" if below else node
    if cell.band == "value":
        return written
    top = "+".join(latex_name(name(answer, port.node)) for port in answer.question.of)
    return rf"\frac{{\partial {top}}}{{\partial {written}}}"


def _number(text: str) -> str:
    text = text.replace(digits.MINUS, "-").replace("∞", r"\infty").replace("NaN", r"\mathrm{NaN}")
    return re.sub(r"e([+-]\d+)", lambda m: rf"\cdot 10^{{{int(m[1])}}}", text)


def latex_term(answer: Answer, found: Derivation, term: Term, names: str) -> str:
    first = latex_cell(answer, term.cell)
    if is_plain(term):
        return first
    if term.partner is not None:
        other = latex_cell(answer, term.partner)
        return rf"{first} \cdot {other}" if term.sign > 0 else rf"{first} \cdot (-{other})"
    if found.kind is Kind.BACK and term.slope != -1:
        top = latex_cell(answer, Cell(term.cell.port, "value", term.cell.index))
        bottom = latex_cell(answer, Cell(found.cell.port, "value", found.cell.index))
        return rf"{first} \cdot \frac{{\partial {top}}}{{\partial {bottom}}}"
    return rf"{first} \cdot {_bracketed(term.slope)}"


def _bracketed(x: float) -> str:
    number = _number(digits.number(x))
    return f"({number})" if number.startswith("-") else number


def latex_line(
    found: Derivation, names: Sequence[str], factors: Sequence[tuple[float, ...]]
) -> str:
    """Names, then numbers, then the result."""
    left = " + ".join(some(list(names), more=found.count > len(names))).replace("…", r"\dots")
    numbers = line_of(found, factors)
    if not numbers:
        return f"{left} = {_number(digits.number(found.total))}" if found.finite else left
    for sign, command in (("·", r" \cdot "), ("≈", r"\approx")):
        numbers = numbers.replace(sign, command)
    numbers = _number(numbers)
    return f"{left} = {numbers}"


def latex_op(answer: Answer, found: Derivation) -> str:
    """The op's own formula, with the cells (or the names) of its inputs in it."""
    node = answer.graph[found.node]
    op = registry.get(node.op)
    array = answer.value(found.cell.port)
    written = op.formula
    names: dict[str, str] = {}
    for port, source in zip(op.port_names(len(node.inputs)), node.inputs, strict=False):
        if source is None or array is None:
            continue
        given = answer.value(source)
        pointwise = found.kind is Kind.FORMULA and not found.parts and given is not None
        if pointwise and given is not None:
            names[port] = latex_cell(
                answer, Cell(source, "value", under(given.shape, array.shape, found.cell.index))
            )
        else:
            names[port] = latex_name(name(answer, source.node))
    if not names:
        return ""
    ports = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    written = re.sub(rf"(?<![\\A-Za-z])({ports})(?![A-Za-z])", lambda m: names[m[1]], written)
    return f"{written} = {_number(digits.number(found.total))}"
