"""Where the film halts; `engine.stops` reads what is written here."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace

from gradviz.engine.stops import ABOVE, NAN, bound_of, stopped_nodes, stops_at_nan
from gradviz.errors import InputError
from gradviz.graph.model import Diagram, freeze
from gradviz.text import mark


def toggle_breakpoint(diagram: Diagram, nodes: Collection[str]) -> Diagram:
    """Halt at all of these nodes; at none of them, if all had a breakpoint already."""
    ids = [diagram.graph[id].id for id in nodes]
    present = stopped_nodes(diagram)
    if present.issuperset(ids):
        return _with(diagram, [b for b in diagram.breakpoints if b.get("node") not in ids])
    return _with(
        diagram, [*diagram.breakpoints, *({"node": id} for id in ids if id not in present)]
    )


def stop_at_nan(diagram: Diagram, *, on: bool) -> Diagram:
    """Halt at the first number that is not finite, or no longer."""
    if on == stops_at_nan(diagram):
        return diagram
    kept = [b for b in diagram.breakpoints if b.get("when") != NAN]
    return _with(diagram, [*kept, {"when": NAN}] if on else kept)


def stop_above(diagram: Diagram, bound: float | None) -> Diagram:
    """Halt where a gradient gets larger than `bound`; None: no longer. Raises InputError for no positive number."""
    if bound == bound_of(diagram):
        return diagram
    kept = [b for b in diagram.breakpoints if b.get("when") != ABOVE]
    if bound is None:
        return _with(diagram, kept)
    if not (math.isfinite(bound) and bound > 0):
        raise InputError(mark("edit", "The bound of a gradient is a number above 0."))
    return _with(diagram, [*kept, {"when": ABOVE, "bound": float(bound)}])


def clear_breakpoints(diagram: Diagram) -> Diagram:
    """Halt nowhere."""
    return _with(diagram, []) if diagram.breakpoints else diagram


def _with(diagram: Diagram, stops: list[Mapping[str, object]]) -> Diagram:
    return replace(diagram, breakpoints=tuple(freeze(dict(stop)) for stop in stops))  # type: ignore[misc]
