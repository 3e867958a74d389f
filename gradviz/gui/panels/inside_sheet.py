"""What the inspector shows of a step that was gone into: its moments so far, each with its numbers."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.engine.explain import Inner
from gradviz.gui.panels.sheet import Block, Heading, Line, Table
from gradviz.gui.translate import render, say
from gradviz.picture.look import Flow
from gradviz.text import mark


def inside_blocks(shown: Sequence[Inner], count: int) -> list[Block]:
    """The moments that have been shown, the present one first and with its table."""
    blocks: list[Block] = []
    if not shown:
        return blocks
    title = say(mark("panels", "Inside this step: {here} of {count}"), here=len(shown), count=count)
    blocks.append(Line(title, size="large", bold=True, gap=0))
    for number, inner in reversed(list(enumerate(shown, 1))):
        now = number == len(shown)
        blocks.append(Line(inner.line, "backward" if now else "dim", bold=now, mono=True, gap=8))
        if not now:
            continue
        blocks.append(Line(render(inner.what), "dim", "small"))
        if inner.array is not None and inner.array.ndim:
            name = inner.name or say(mark("panels", "result"))
            blocks.append(Table(inner.array, name, "", Flow.BACKWARD, "", None))
    blocks.append(Heading(say(mark("panels", "The node"))))
    return blocks


def inside_sentence(shown: Sequence[Inner], count: int) -> str:
    """The present moment as a sentence, such as `Inside, 2 of 3: t₂ = sum(t₁) = 3`."""
    return say(
        mark("panels", "Inside, {here} of {count}:  {line}"),
        here=len(shown),
        count=count,
        line=shown[-1].line,
    )
