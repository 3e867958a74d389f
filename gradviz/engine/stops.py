"""Where a film that plays should halt: at a node, at the first bad number, at a gradient beyond a bound.

`Diagram.breakpoints` holds them as plain data: `{"node": id}`, `{"when": "nan"}`, `{"when": "above", "bound": 10.0}`. What
else stands there is kept and stops nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Final

import numpy as np

from gradviz.engine.answer import Answer
from gradviz.engine.gradient import Role
from gradviz.engine.timeline import Timeline
from gradviz.graph.model import Array, Diagram, OutPort

NAN: Final = "nan"
ABOVE: Final = "above"
_Test = Callable[[Array], bool]


def stopped_nodes(diagram: Diagram) -> frozenset[str]:
    """The nodes with a breakpoint."""
    return frozenset(
        node for stop in diagram.breakpoints if isinstance(node := stop.get("node"), str)
    )


def stops_at_nan(diagram: Diagram) -> bool:
    """Whether the film halts at the first number that is not finite."""
    return any(stop.get("when") == NAN for stop in diagram.breakpoints)


def bound_of(diagram: Diagram) -> float | None:
    """The size of a gradient at which the film halts, if it does."""
    return next(
        (found for stop in diagram.breakpoints if (found := _bound(stop)) is not None), None
    )


def _bound(stop: Mapping[str, object]) -> float | None:
    bound = stop.get("bound")
    if stop.get("when") != ABOVE or isinstance(bound, bool) or not isinstance(bound, int | float):
        return None
    return float(bound)


class Stops:
    """The positions of `answer`'s film at which it halts, found when asked for."""

    def __init__(self, answer: Answer) -> None:
        self._timeline: Timeline = answer.timeline
        self._diagram = answer.diagram
        self._run = answer.run

    @cached_property
    def positions(self) -> tuple[int, ...]:
        """All of them, in order."""
        found = {at for node in stopped_nodes(self._diagram) for at in self.of_node(node)}
        bound = bound_of(self._diagram)
        if stops_at_nan(self._diagram) and self.first_bad is not None:
            found.add(self.first_bad)
        if bound is not None and (at := self.first_above(bound)) is not None:
            found.add(at)
        return tuple(sorted(found))

    def of_node(self, node: str) -> tuple[int, ...]:
        """Where a node's value, and each of its gradients, is complete."""
        value = self._timeline.value_at.get(node, 0)
        gradients = [at for port, at in self._timeline.gradient_at.items() if port.node == node]
        return tuple(at for at in sorted([value, *gradients]) if at)

    @cached_property
    def first_bad(self) -> int | None:
        """Where NaN or infinity first appears in what a step brings."""
        return self._first(lambda array: not np.all(np.isfinite(array)))

    def first_above(self, bound: float) -> int | None:
        """Where a gradient first has an entry larger in size than `bound` (NaN is larger than nothing)."""
        forward = self._timeline.forward
        return self._first(lambda array: bool(np.any(np.abs(array) > bound)), forward)

    def _first(self, is_so: _Test, after: int = 0) -> int | None:
        for position, step in enumerate(self._timeline.steps[after:], after + 1):
            if step.address.role is Role.DONE or step.result is None:
                continue
            result = step.result
            array: Array | None
            array = self._run[result] if isinstance(result, OutPort) else np.asarray(result)
            if array is not None and array.dtype.kind in "fc" and is_so(array):
                return position
        return None

    def after(self, position: int) -> int | None:
        """The next one behind a position."""
        at = bisect_right(self.positions, position)
        return self.positions[at] if at < len(self.positions) else None

    def before(self, position: int) -> int | None:
        """The last one before a position."""
        at = bisect_left(self.positions, position)
        return self.positions[at - 1] if at else None
