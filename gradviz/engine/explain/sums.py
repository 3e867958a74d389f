"""Sums of products in numbers, as many digits as make the line come true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from gradviz import digits
from gradviz.engine.answer import Answer
from gradviz.engine.derive import Cell, Derivation, Term
from gradviz.engine.explain.words import name, partial

WRITTEN: Final = 6
"""So many terms stand in a formula; the others are an ellipsis."""


def cell_name(answer: Answer, cell: Cell) -> str:
    """`W[2, 1]`; `∂y/∂W[2, 1]`; of a slot, `∂y/∂s by square`."""
    node = name(answer, cell.port.node)
    if cell.port.index:
        node = f"{node}.{cell.port.index}"
    where = f"[{', '.join(map(str, cell.index))}]" if cell.index else ""
    if cell.band == "value":
        return f"{node}{where}"
    grad = partial(answer, cell.port.node)
    if cell.port.index:
        grad = f"{grad}.{cell.port.index}"
    return f"{grad}{where}"


def bracketed(number: str) -> str:
    return f"({number})" if number.startswith(digits.MINUS) else number


def some(parts: list[str], *, more: bool = False) -> list[str]:
    if len(parts) <= WRITTEN:
        return [*parts, "…"] if more else parts
    return [*parts[:WRITTEN], "…"]


def line_of(found: Derivation, factors: Sequence[tuple[float, ...]]) -> str:
    """The sum in numbers: with its shown terms, and the others as one number."""
    if not found.finite or not factors:
        return ""
    shown = [*factors[:WRITTEN]]
    rest = sum(float(np.prod(f)) for f in factors[WRITTEN:]) + (found.rest or 0.0)
    whole: list[tuple[float, ...]] = [*shown]
    if len(factors) > WRITTEN or found.rest is not None:
        whole.append((rest,))
    line = digits.true_terms(whole, found.total)
    parts = ["·".join(map(_after_the_first, enumerate(part.split("·")))) for part in line.parts]
    left = " + ".join(parts).replace(f"+ {digits.MINUS}", f"{digits.MINUS} ")
    if left == line.result:
        return ""
    equals = line.equals if found.exact and not found.wide else "≈"
    return left + f" {equals} {line.result}"


def _after_the_first(numbered: tuple[int, str]) -> str:
    return numbered[1] if numbered[0] == 0 else bracketed(numbered[1])


def is_plain(term: Term) -> bool:
    """Whether a term is its amount as it is, once."""
    return term.slope == 1 and term.partner is None
