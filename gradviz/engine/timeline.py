"""The film of a run: its steps in order, and what was known at each moment.

A position counts the steps that have been shown: 0 is before the first, `len(steps)` is the end. Stepping back is
looking at an earlier position; nothing is computed again.
"""

from __future__ import annotations

from collections.abc import Mapping

from gradviz.engine.check import Specs
from gradviz.engine.gradient import Address, Contribution, Gradient, Role, Step
from gradviz.engine.run import Run
from gradviz.graph.model import Array, InPort, OutPort
from gradviz.ops import registry


class Timeline:
    """`steps` and, for each value, gradient and contribution, the position from which it is known.

    `back_at`: the first position at which something has come back over a wire, by its end.
    """

    def __init__(self, specs: Specs, gradient: Gradient, run: Run) -> None:
        self.run = run
        self.gradient = gradient
        forward = tuple(
            Step(Address(id, 0, Role.VALUE, 0), OutPort(id), result=OutPort(id))
            for id in specs.order
            if _is_shown(specs, id)
            and (run.records[id].outputs or run.records[id].error is not None)
        )
        self.steps = forward + gradient.steps
        self.forward = len(forward)
        self.value_at: Mapping[str, int] = {
            **{id: 0 for id in specs.order if not _is_shown(specs, id)},
            **{step.address.node: i for i, step in enumerate(forward, 1)},
        }
        self._positions = {step.address: i for i, step in enumerate(self.steps, 1)}
        self.back_at: Mapping[InPort, int] = {
            InPort(step.address.node, step.address.input): position
            for position, step in reversed(list(enumerate(self.steps, 1)))
            if step.address.role in (Role.CONTRIBUTION, Role.FIT)
        }
        self.arrivals: dict[OutPort, tuple[tuple[Contribution, int], ...]] = {}
        self.gradient_at: dict[OutPort, int] = {}
        self._find_arrivals()

    def _find_arrivals(self) -> None:
        for port, contributions in self.gradient.arrived.items():
            found = tuple((c, self._arrival(port, c)) for c in contributions)
            self.arrivals[port] = found
            merge = self._positions.get(self._address(port, Role.MERGE))
            self.gradient_at[port] = merge or found[0][1]

    def _arrival(self, port: OutPort, contribution: Contribution) -> int:
        if contribution.wire is None:
            return self._positions[self._address(port, Role.SEED)]
        fit = self._positions.get(self._address(contribution.wire, Role.FIT))
        return fit or self._positions[self._address(contribution.wire, Role.CONTRIBUTION)]

    def _address(self, port: InPort | OutPort, role: Role) -> Address:
        return Address(port[0], port[1], role, self.gradient.occurrence)

    def __len__(self) -> int:
        return len(self.steps)

    def step(self, position: int) -> Step | None:
        """The step that leads to `position`; None at the start."""
        return self.steps[position - 1] if 0 < position <= len(self.steps) else None

    def position(self, address: Address) -> int | None:
        """The position just after the step at `address`."""
        return self._positions.get(address)

    def over(self, position: int) -> int:
        """The end of the operation that comes next: what a node computes, or all it passes back."""
        end = min(position + 1, len(self.steps))
        while end < len(self.steps) and _operation(self.steps[end]) == _operation(
            self.steps[end - 1]
        ):
            end += 1
        return end

    def under(self, position: int) -> int:
        """Where the operation began that led to a position."""
        start = max(position - 1, 0)
        while start and _operation(self.steps[start - 1]) == _operation(self.steps[start]):
            start -= 1
        return start

    def value(self, port: OutPort, position: int) -> Array | None:
        """The value at a primal port, if it is known at `position`."""
        known = self.value_at.get(port.node)
        return self.run[port] if known is not None and known <= position else None

    def adjoint(self, port: OutPort, position: int) -> Array | None:
        """The gradient at a primal port, if it is known at `position`."""
        known = self.gradient_at.get(port)
        if known is None or known > position:
            return None
        return self.run[self.gradient.adjoints[port]] if port in self.gradient.adjoints else None

    def arrived(self, port: OutPort, position: int) -> tuple[tuple[Contribution, bool], ...]:
        """The contributions of a port, each with whether it has arrived at `position`."""
        return tuple((c, at <= position) for c, at in self.arrivals.get(port, ()))


def _operation(step: Step) -> tuple[str, str]:
    """What a step is a part of: a node computing its value, a node passing back, a gradient being added up."""
    address = step.address
    passes_back = address.role in (Role.CONTRIBUTION, Role.FIT)
    return address.node, "back" if passes_back else address.role


def _is_shown(specs: Specs, id: str) -> bool:
    op = registry.find(specs.graph[id].op)
    return op is None or not op.is_source
