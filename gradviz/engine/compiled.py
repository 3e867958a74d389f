"""Expressions compiled for repeated calls with other numbers.

    f = compile_gradients(y, [x])
    found = f(np.array(2.0))
    found.values, found.gradients         # of ys, of xs
    found[s], found.gradient(s)           # of any expression that y is computed from

What is returned lies in the buffers of the program and holds until the next call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from gradviz.bulk import bulk
from gradviz.engine import program
from gradviz.engine.check import Specs
from gradviz.engine.gradient import Gradient, gradient
from gradviz.engine.program import Program
from gradviz.graph.model import Array, OutPort
from gradviz.ops.expr import Collected, Expr


class Results:
    """The values of ys, the gradients of xs, and of whatever lies between; read-only views of the program's buffers."""

    __slots__ = ("_compiled",)

    def __init__(self, compiled: Compiled) -> None:
        self._compiled = compiled

    @property
    def values(self) -> list[Array]:
        """The value of each of ys."""
        compiled = self._compiled
        return [compiled.array(port) for port in compiled.targets]

    @property
    def gradients(self) -> list[Array | None]:
        """The gradient of each of xs; None where nothing leads from it to ys."""
        compiled = self._compiled
        return [None if port is None else compiled.array(port) for port in compiled.answers]

    def __getitem__(self, expression: Expr) -> Array:
        return self._compiled.array(self._compiled.collected.port(expression))

    def gradient(self, expression: Expr) -> Array | None:
        """The gradient of an expression between xs and ys; None if there is none."""
        found = self._compiled.adjoints.get(self._compiled.collected.port(expression))
        return None if found is None else self._compiled.array(found)


class Compiled:
    """A function of the values of some variables; `compile_gradients` and `compile_values` make it."""

    def __init__(
        self,
        collected: Collected,
        ys: Sequence[Expr],
        xs: Sequence[Expr],
        found: Gradient | None,
        every: bool,
    ) -> None:
        self.collected = collected
        self.targets = [collected.port(y) for y in ys]
        self.answers = list(found.answers) if found is not None else []
        self.adjoints = dict(found.adjoints) if found is not None else {}
        self.sources = [collected.port(x) for x in xs]
        specs = {id: call.specs for id, call in collected.calls.items()}
        order = tuple(specs)
        values = collected.values
        nodes = collected.graph.nodes
        keep = {*self.targets, *(port for port in self.answers if port is not None)}
        if every:
            keep |= {OutPort(id, i) for id, found_ in specs.items() for i in range(len(found_))}
            keep |= set(self.adjoints.values())
        if found is not None:
            order += tuple(found.specs)
            specs = {**specs, **found.specs}
            values = {**values, **found.values}
            nodes = found.graph.nodes
        self.specs = specs
        self.program: Program = program.build(
            order, nodes, specs, values, [port.node for port in self.sources], keep
        )
        self._results = Results(self)

    def array(self, port: OutPort) -> Array:
        """What is at a port after the last call."""
        return self.program.arrays[port]

    def __call__(self, *arrays: Any) -> Results:
        """Compute with these values of xs."""
        program = self.program
        for port, given in zip(self.sources, arrays, strict=True):
            program.give(port.node, given)
        program.run()
        return self._results


def compile_gradients(
    ys: Expr | Sequence[Expr], xs: Sequence[Expr], *, every: bool = True
) -> Compiled:
    """A function of the values of `xs`, which are variables, that gives ys and the gradient of their sum by each x.

    With `every`, the value and the gradient of each expression between are kept as well.
    """
    with bulk():
        targets = [ys] if isinstance(ys, Expr) else list(ys)
        collected = Collected([*targets, *xs])
        outputs = {id: call.specs for id, call in collected.calls.items()}
        specs = Specs(collected.graph, tuple(outputs), cast(Any, outputs))
        wrt = [collected.port(x) for x in xs]
        if every:
            known = set(wrt)
            wrt += [
                port
                for id, found in outputs.items()
                for i, spec in enumerate(found)
                if spec.is_float and not spec.weak and (port := OutPort(id, i)) not in known
            ]
        found = gradient(specs, [collected.port(y) for y in targets], wrt)
        compiled = Compiled(collected, targets, xs, found, every)
        compiled.answers = compiled.answers[: len(xs)]
        return compiled


def compile_values(ys: Expr | Sequence[Expr], xs: Sequence[Expr]) -> Compiled:
    """A function of the values of `xs` that gives the values of ys; only ys are kept."""
    with bulk():
        targets = [ys] if isinstance(ys, Expr) else list(ys)
        return Compiled(Collected([*targets, *xs]), targets, xs, None, every=False)
