"""The recorded run behind the interface of the fast path: `f(*arrays)` computes the plan node by node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import numpy as np

from gradviz import Expr
from gradviz.engine.check import Specs
from gradviz.engine.gradient import gradient
from gradviz.engine.plan import plan
from gradviz.engine.run import Run, run
from gradviz.graph.model import OutPort
from gradviz.ops.expr import Call, Collected


def _listed(of: Expr | Sequence[Expr]) -> list[Expr]:
    return [of] if isinstance(of, Expr) else list(of)


def _specs(collected: Collected) -> Specs:
    outputs = {id: call.specs for id, call in collected.calls.items()}
    return Specs(collected.graph, tuple(outputs), cast(Any, outputs))


def calls(y: Expr, leaves: Iterable[Expr]) -> list[Call]:
    """Every application in the graph of y."""
    return list(Collected([y, *leaves]).calls.values())


class Results:
    """Arrays of one run: `values` of the targets, `gradients` of the sources."""

    def __init__(
        self, found: Run, ys: Sequence[OutPort], answers: Sequence[OutPort | None]
    ) -> None:
        self.values = [found[port] for port in ys]
        self.gradients = [None if port is None else found[port] for port in answers]


def compile_gradients(
    ys: Expr | Sequence[Expr], xs: Sequence[Expr], *, every: bool = True
) -> Callable[..., Results]:
    """Check, gradient and plan now; each call of the result is one recorded run."""
    targets = _listed(ys)
    collected = Collected([*targets, *xs])
    specs = _specs(collected)
    of, wrt = [collected.port(y) for y in targets], [collected.port(x) for x in xs]
    asked = list(wrt)
    if every:
        known = set(wrt)
        asked += [
            port
            for id, outputs in specs.outputs.items()
            for number, spec in enumerate(outputs)
            if spec is not None and spec.is_float and (port := OutPort(id, number)) not in known
        ]
    found = gradient(specs, of, asked)
    steps = plan(found.graph, {**specs.outputs, **found.specs})
    fixed = {**found.values, **collected.values}
    return _runner(steps, fixed, of, wrt, found.answers[: len(wrt)])


def compile_values(exprs: Sequence[Expr], xs: Sequence[Expr]) -> Callable[..., Results]:
    """The same for values alone."""
    collected = Collected([*exprs, *xs])
    steps = plan(collected.graph, _specs(collected).outputs)
    ports = [collected.port(e) for e in exprs]
    return _runner(steps, collected.values, ports, [collected.port(x) for x in xs], ())


def _runner(
    steps: Any, fixed: Any, of: Sequence[OutPort], wrt: Sequence[OutPort], answers: Sequence[Any]
) -> Callable[..., Results]:
    def step(*arrays: np.ndarray) -> Results:
        given = {port.node: array for port, array in zip(wrt, arrays, strict=True)}
        return Results(run(steps, {**fixed, **given}), of, answers)

    return step
