"""What is said about one number, as records: plain text, Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from gradviz.engine.derive import Cell
from gradviz.text import Message


@dataclass(frozen=True, slots=True)
class TermWords:
    """A term: its factors by name, `∂y/∂h[0, 1] · x[0, 2]`, with numbers, what it comes to, and the cells to go to."""

    names: str
    numbers: str
    product: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class CellWords:
    """All that is said about a number. `title` is what it is called, `left_out` the terms that are not shown."""

    title: str
    total: str
    sentence: Message
    names: str = ""
    numbers: str = ""
    latex: str = ""
    terms: tuple[TermWords, ...] = ()
    left_out: Message | None = None
    notes: tuple[Message, ...] = ()

    def text(self, translate: Callable[..., str]) -> str:
        """As plain text."""
        return "\n".join(self._lines(translate))

    def markdown(self, translate: Callable[..., str]) -> str:
        """As Markdown, the formula typeset."""
        lines = [
            f"**{_escaped(self.title)} = {self.total}**",
            "",
            _escaped(self.sentence.render(translate)),
        ]
        if self.latex:
            lines += ["", f"$${self.latex}$$"]
        if self.terms:
            lines += ["", "| | | |", "|---|---|---:|"]
            lines += [
                f"| {_escaped(t.names)} | {_escaped(t.numbers)} | {t.product} |" for t in self.terms
            ]
        tail = [*([self.left_out] if self.left_out is not None else []), *self.notes]
        for note in tail:
            lines += ["", _escaped(note.render(translate))]
        return "\n".join(lines)

    def _lines(self, translate: Callable[..., str]) -> list[str]:
        lines = [f"{self.title} = {self.total}", self.sentence.render(translate)]
        lines += [line for line in (self.names, self.numbers) if line]
        if len(self.terms) > 1:
            lines += [f"  {t.names} = {t.product}" for t in self.terms]
        if self.left_out is not None:
            lines.append(f"  {self.left_out.render(translate)}")
        return [*lines, *(note.render(translate) for note in self.notes)]


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>|#$])", r"\\\1", text)
