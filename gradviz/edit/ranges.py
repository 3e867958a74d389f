"""Between which numbers a source is slid.

`Diagram.ranges` holds plain data by node: `{"min": -1.0, "max": 1.0, "step": 0.1}`. What else stands there is kept and does
nothing.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from gradviz.errors import InputError
from gradviz.graph.model import Diagram, freeze
from gradviz.text import mark

STEPS = 100
"""Into how many steps a range is cut that does not say."""


class Range(NamedTuple):
    """From `low` to `high` by `step`."""

    low: float
    high: float
    step: float


def range_of(diagram: Diagram, id: str) -> Range | None:
    """The range of a source, if it has a usable one."""
    kept = diagram.ranges.get(id)
    if not hasattr(kept, "get"):
        return None
    numbers = [kept.get(name) for name in ("min", "max", "step")]
    if not all(_is_number(number) for number in numbers[:2]):
        return None
    low, high = float(numbers[0]), float(numbers[1])
    step = float(numbers[2]) if _is_number(numbers[2]) else (high - low) / STEPS
    return Range(low, high, step) if low < high and 0 < step <= high - low else None


def _is_number(number: object) -> bool:
    return (
        isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number)
    )


def set_range(
    diagram: Diagram, id: str, low: float, high: float, step: float | None = None
) -> Diagram:
    """Let a source that is one number be slid; InputError for ends or a step that are none."""
    node = diagram.graph[id]
    value = diagram.values.get(id)
    if value is None or value.ndim or value.dtype.kind not in "fi":
        text = mark("edit", "Only a source that is one number can be slid; {name} is not.")
        raise InputError(text, name=node.name or node.op)
    wanted = Range(low, high, (high - low) / STEPS if step is None else step)
    if not all(map(math.isfinite, wanted)):
        raise InputError(mark("edit", "The ends of a range are finite numbers."))
    if not low < high:
        raise InputError(mark("edit", "The lower end of a range lies below the upper one."))
    if not 0 < wanted.step <= high - low:
        raise InputError(mark("edit", "The step of a range is above 0 and fits into it."))
    if range_of(diagram, id) == wanted:
        return diagram
    kept = freeze({"min": wanted.low, "max": wanted.high, "step": wanted.step})
    return replace(diagram, ranges={**diagram.ranges, id: kept})


def clear_range(diagram: Diagram, id: str) -> Diagram:
    """No slider any more."""
    if id not in diagram.ranges:
        return diagram
    return replace(diagram, ranges={key: r for key, r in diagram.ranges.items() if key != id})
