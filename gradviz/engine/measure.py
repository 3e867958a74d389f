"""Shapes that depend on the numbers: computed first, then known."""

from __future__ import annotations

from collections.abc import Mapping

from gradviz.engine.check import Specs, infer
from gradviz.engine.plan import plan
from gradviz.engine.run import Cancelled, run
from gradviz.errors import LimitError
from gradviz.graph.model import Array
from gradviz.ops.spec import Spec


def measured(
    specs: Specs, values: Mapping[str, Array], cancelled: Cancelled = lambda: False
) -> Specs:
    """The specs with those of the open nodes, and of all behind them, for these numbers of the sources.

    What cannot be computed stays unknown; why is told by the run that follows.
    """
    if not specs.open:
        return specs
    static = infer(specs.graph, specs, {})
    try:
        found = run(plan(specs.graph, static.outputs, static.open), values, cancelled)
    except LimitError:
        return static
    given = {id: record.outputs for id in static.open if (record := found.records.get(id))}
    return infer(
        specs.graph,
        static,
        {
            id: tuple(Spec(a.shape, a.dtype) for a in outputs)
            for id, outputs in given.items()
            if outputs
        },
    )
