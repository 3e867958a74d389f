"""Run one graph many times while a few of its sources change: what does not depend on them is computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gradviz.engine.check import Specs
from gradviz.engine.plan import plan
from gradviz.engine.run import Run, run
from gradviz.errors import GradvizError, InputError
from gradviz.graph import walk
from gradviz.graph.model import Array, OutPort, frozen_array
from gradviz.text import mark


class Repeated:
    """The values at `targets` for changing values of the sources `moving`.

    `values` are those of the sources, `moving` included. Raises LimitError for too large a run, and the error of the first
    node that cannot be computed.
    """

    def __init__(
        self,
        specs: Specs,
        values: Mapping[str, Array],
        targets: Sequence[OutPort],
        moving: Sequence[str],
    ) -> None:
        graph = specs.graph
        self._targets = tuple(targets)
        whole = plan(graph, specs.outputs, {port.node for port in targets})
        first = run(whole, values)
        _raise_first(first)
        moved = walk.descendants(graph, moving)
        again = [node for node in whole.nodes if node.id in moved]
        read = {port.node for node in again for port in node.inputs if port is not None}
        read |= {port.node for port in targets}
        nodes = tuple(node for node in whole.nodes if node.id in moved or node.id in read)
        self._plan = replace(whole, nodes=nodes)
        self._fixed = {
            node.id: first.records[node.id].outputs for node in nodes if node.id not in moved
        }

    def __call__(self, moved: Mapping[str, Array]) -> list[Array]:
        """The values at the targets with these values of the moving sources."""
        found = run(self._plan, {**self._fixed, **moved})
        _raise_first(found)
        values = [found[port] for port in self._targets]
        return [value for value in values if value is not None]

    def pattern(self, moved: Mapping[str, Array]) -> list[Array]:
        """The same with other numbers wherever floats do not change: exactly 0 where nothing leads from what moves.

        The targets must be linear in what moves. NaN where even that cannot be computed.
        """
        fixed = {
            id: tuple(map(_other_numbers, outputs)) if isinstance(outputs, tuple) else outputs
            for id, outputs in self._fixed.items()
        }
        found = run(self._plan, {**fixed, **moved})
        values = [found[port] for port in self._targets]
        return [np.array(np.nan) if value is None else value for value in values]


def _other_numbers(array: Array) -> Array:
    if array.dtype.kind != "f":
        return array
    other = np.random.RandomState(0).uniform(0.5, 1.5, array.shape)
    return frozen_array(other, array.dtype)


def _raise_first(found: Run) -> None:
    for record in found.records.values():
        if record.error is not None:
            raise GradvizError(record.error)
        if record.waiting:
            raise InputError(
                mark("engine", "{node} cannot be computed: an input has no value."),
                node=record.node,
            )
