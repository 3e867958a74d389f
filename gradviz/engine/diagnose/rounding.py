"""A gradient that would be 0 if numbers had all their digits: terms that cancel, up to rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gradviz.engine.diagnose.again import Rule, generic
from gradviz.engine.diagnose.zeros import Kind, Zero
from gradviz.engine.gradient import Address, Role
from gradviz.graph.model import OutPort, frozen_array

if TYPE_CHECKING:
    from gradviz.engine.answer import Answer

UNITS: Final = 64
"""What is left of a sum that cancels is at most so many units in the last place of its terms."""
SMALL: Final = 1e-9


def rounding(answer: Answer, port: OutPort) -> tuple[Zero, ...]:
    """The nodes at which everything that leads to the gradient at `port` cancels up to rounding; empty if it does not.

    Only a gradient that is small and not exactly 0 is looked at.
    """
    slope: Any = answer.adjoint(port)
    if slope is None or not slope.size or not slope.any() or not (np.abs(slope) < SMALL).all():
        return ()
    found: dict[Zero, None] = {}
    seen, waiting = {port}, [port]
    with np.errstate(all="ignore"):
        while waiting:
            one = waiting.pop()
            if _adds_up(answer, one):
                roads = (road.wire for road in answer.gradient.arrived[one])
                by = tuple(dict.fromkeys(wire.node for wire in roads if wire is not None))
                found[Zero(Kind.CANCELLED, one.node, None, by)] = None
                continue
            for road in answer.gradient.arrived.get(one, ()):
                if road.wire is None:
                    return ()
                if _cancels(
                    answer, Address(*road.wire, Role.CONTRIBUTION, answer.gradient.occurrence)
                ):
                    found[Zero(Kind.CANCELLED, road.wire.node, road.wire)] = None
                    continue
                outputs = range(len(answer.specs.outputs[road.wire.node]))
                after = [OutPort(road.wire.node, i) for i in outputs]
                new = [p for p in after if p not in seen and answer.adjoint(p) is not None]
                seen.update(new)
                waiting.extend(new)
    return tuple(found)


def _is_left(rest: Any, terms: Any) -> bool:
    """Whether nothing but rounding is left of terms of this size."""
    return bool((np.abs(rest) <= UNITS * np.finfo(rest.dtype).eps * np.abs(terms)).all())


def _adds_up(answer: Answer, port: OutPort) -> bool:
    arrays = [answer.run[road.result] for road in answer.gradient.arrived.get(port, ())]
    if len(arrays) < 2 or any(a is None for a in arrays):
        return False
    sizes: Any = [np.abs(a) for a in arrays]  # type: ignore[arg-type]
    return _is_left(answer.adjoint(port), sum(sizes))


def _cancels(answer: Answer, address: Address) -> bool:
    """Whether the rule gives next to nothing for what arrives, but something for the same with random weights."""
    step = answer.steps[address]
    result = answer.run[step.result] if isinstance(step.result, OutPort) else None
    if not step.rule or result is None:
        return False
    rule = Rule(answer, step)
    arriving: Any = {p: answer.run[p] for p in rule.cotangents}
    mixed = {
        p: frozen_array(g * generic(g, i), g.dtype) for i, (p, g) in enumerate(arriving.items())
    }
    usual = rule.result(mixed)
    return usual is not None and bool(np.any(usual)) and _is_left(result, np.max(np.abs(usual)))
