"""Run one graph many times while a few of its sources change: what does not depend on them is computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradviz.engine.check import Specs
from gradviz.engine.plan import plan
from gradviz.engine.run import Run, run
from gradviz.errors import GradvizError, InputError
from gradviz.graph import walk
from gradviz.graph.model import Array, OutPort
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


def _raise_first(found: Run) -> None:
    for record in found.records.values():
        if record.error is not None:
            raise GradvizError(record.error)
        if record.waiting:
            raise InputError(
                mark("engine", "{node} cannot be computed: an input has no value."),
                node=record.node,
            )
