"""What one node hands back over one wire, computed once more with other numbers.

A rule is linear in what arrives, so a few evaluations with chosen cotangents tell which cells it connects, for every
op alike and for all cells at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gradviz.engine.gradient import Role, Step
from gradviz.engine.plan import Plan
from gradviz.engine.run import run
from gradviz.graph.model import Array, OutPort, frozen_array

if TYPE_CHECKING:
    from gradviz.engine.answer import Answer

Changed = Mapping[OutPort, Array]


class Rule:
    """The rule behind the contribution of `step`: the backward nodes from the cotangents of its node to its result."""

    def __init__(self, answer: Answer, step: Step) -> None:
        assert isinstance(step.result, OutPort)
        self._answer = answer
        self._result = step.result
        self.node = step.address.node
        gradient = answer.gradient
        outputs = answer.specs.outputs[self.node]
        arriving = (gradient.adjoints.get(OutPort(self.node, i)) for i in range(len(outputs)))
        self.cotangents = tuple(dict.fromkeys(port for port in arriving if port is not None))
        sources = answer.graph[self.node].inputs
        self.inputs = tuple(
            dict.fromkeys(p for p in sources if p is not None and answer.specs.is_float(p))
        )
        self._inner = self._between()

    def _between(self) -> list[str]:
        """The nodes made for this rule that the result needs, each after those it reads."""
        gradient = self._answer.gradient
        found: set[str] = set()
        waiting = [self._result.node]
        while waiting:
            id = waiting.pop()
            origin = gradient.origin.get(id)
            made_here = (
                origin is not None
                and origin.node == self.node
                and origin.role is Role.CONTRIBUTION
                and id not in gradient.values
            )
            if made_here and id not in found:
                found.add(id)
                waiting.extend(p.node for p in gradient.graph[id].inputs if p is not None)
        return sorted(found, key=self._answer.position.__getitem__)

    @property
    def inner(self) -> tuple[str, ...]:
        """The ids of those nodes, in order."""
        return tuple(self._inner)

    def result(self, changed: Changed, *, forward: bool = False) -> Any:
        """The contribution if the ports of `changed` held these numbers; None if it cannot be computed.

        With `forward`, the node itself is computed again first, from its changed inputs.
        """
        nodes = [self.node, *self._inner] if forward else self._inner
        return recomputed(self._answer, nodes, changed, self._result)


def recomputed(answer: Answer, nodes: list[str], changed: Changed, at: OutPort) -> Any:
    """The value at `at` after computing `nodes`, in this order, with other numbers at `changed`; else as recorded."""
    planned = answer.setup.plan.nodes
    computing = set(nodes)
    read = {p.node for id in nodes for p in answer.gradient.graph[id].inputs if p is not None}
    given = (read | {at.node}) - computing
    values: dict[str, tuple[Array, ...]] = {}
    for id in given:
        outputs = answer.run.records[id].outputs
        values[id] = tuple(changed.get(OutPort(id, i), array) for i, array in enumerate(outputs))
    order = sorted(given, key=answer.position.__getitem__) + nodes
    part = Plan(answer.gradient.graph, tuple(planned[answer.position[id]] for id in order), 0)
    return run(part, values)[at]


def generic(array: Array, salt: int = 0) -> Array:
    """Random numbers of its shape and dtype, none of them 0 or special: what cancels by chance does not cancel here."""
    random = np.random.RandomState(11 + salt)
    signs = np.where(random.rand(*array.shape) < 0.5, -1.0, 1.0)
    return frozen_array(random.uniform(1.0, 2.0, array.shape) * signs, array.dtype)


def only(array: Array, where: Array) -> Array:
    """The array where the mask holds, else 0."""
    return frozen_array(np.where(where, array, np.zeros((), array.dtype)), array.dtype)


def filled(array: Array, where: Array, number: float) -> Array:
    """The array with a number in place of some of its cells."""
    return frozen_array(np.where(where, cast(Any, array).dtype.type(number), array), array.dtype)
