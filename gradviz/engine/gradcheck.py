"""Compare a gradient with finite differences.

Both sides are computed on a float64 copy of the graph. Each entry of `wrt` is moved by ±h and ±h/2; the two central
differences give the derivative (extrapolated) and its error estimate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from gradviz import limits
from gradviz.engine.answer import Answer, prepare
from gradviz.engine.check import Specs
from gradviz.engine.plan import Plan, plan
from gradviz.engine.run import Cancelled, run
from gradviz.graph.model import Array, Diagram, Graph, OutPort, frozen_array
from gradviz.ops import registry

STEP = 2.0**-17
RELATIVE = 1e-6
ABSOLUTE = 1e-9
ESTIMATES = 10
FLOAT32_BOUND = 1e-4
EVALUATIONS_PER_ENTRY = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """One cell: its gradient, the difference quotient, and how far apart they may be."""

    cell: tuple[int, ...]
    gradient: float
    difference: float
    tolerance: float
    kink: bool = False

    @property
    def error(self) -> float:
        """How far apart they are."""
        return abs(self.gradient - self.difference)

    @property
    def agrees(self) -> bool:
        """Whether they are as close as the differences can tell."""
        return self.error <= self.tolerance


@dataclass(frozen=True, slots=True)
class Verdict:
    """The check of one wrt: how many of its entries were compared, and the worst.

    `kinks` and `not_finite` were left out of the comparison. `connected` is false for a wrt without a gradient, whose
    differences must all be 0. `float32_error` is the distance of the float32 gradient from the float64 one, relative to
    its largest entry; None where everything is float64.
    """

    wrt: OutPort
    checked: int
    total: int
    worst: Entry | None
    wrong: int
    kinks: int
    not_finite: int
    connected: bool
    float32_error: float | None = None

    @property
    def agrees(self) -> bool:
        """Whether every compared entry agrees."""
        return self.wrong == 0


def check(
    answer: Answer,
    wrt: Sequence[OutPort] | None = None,
    *,
    seed: int = 0,
    cancelled: Cancelled = lambda: False,
) -> tuple[Verdict, ...]:
    """A verdict for each wrt (those of the question by default) that has a value."""
    bench = _Bench(answer, cancelled)
    asked = answer.question.wrt if wrt is None else wrt
    ports = [port for port in dict.fromkeys(asked) if port in bench.start and answer.question.of]
    share = max(1, limits.CHECK_EVALUATIONS // EVALUATIONS_PER_ENTRY // max(1, len(ports)))
    return tuple(bench.verdict(port, share, seed) for port in ports if not cancelled())


class _Bench:
    """The float64 copy and what stays fixed while one entry moves."""

    def __init__(self, answer: Answer, cancelled: Cancelled) -> None:
        self._answer = answer
        self._cancelled = cancelled
        diagram = _in_float64(answer.diagram)
        self._setup = prepare(diagram, None)
        specs = self._setup.specs
        values: Mapping[str, Array] = {
            **self._setup.gradient.values,
            **self._setup.seeds,
            **diagram.values,
            **_drawn(answer),
        }
        values = {**values, **{id: _as_float64(array) for id, array in values.items()}}
        self._values = dict(values)
        self._run = run(self._setup.plan, self._values, cancelled)
        self._values.update(self._held(specs))
        self.start = {
            port: array for port in self._ports(specs) if (array := self._run[port]) is not None
        }
        self._plan: Plan = plan(specs.graph, specs.outputs, {p.node for p in answer.question.of})

    def _ports(self, specs: Specs) -> list[OutPort]:
        return [OutPort(id) for id in specs.order if specs.is_float(OutPort(id))]

    def _held(self, specs: Specs) -> dict[str, Array]:
        """The recorded values of nodes that no cotangent flows through: they do not move meanwhile."""
        stopped = {port.node for port in self._answer.question.stop}
        held = {}
        for node in specs.graph:
            cut = (
                node.op == "stop_gradient"
                or node.op == "cast"
                and not specs.is_float(OutPort(node.id))
            )
            array = self._run[OutPort(node.id)]
            if (cut or node.id in stopped) and array is not None:
                held[node.id] = array
        return held

    def verdict(self, wrt: OutPort, share: int, seed: int) -> Verdict:
        start = self.start[wrt]
        found = self._setup.gradient.adjoints.get(wrt)
        exact = self._run[found] if found is not None else None
        slope = np.zeros(start.shape) if exact is None else exact.astype(np.float64)
        cells = list(np.ndindex(start.shape))
        if len(cells) > share:
            chosen = np.random.RandomState(seed).choice(len(cells), share, replace=False)
            cells = [cells[i] for i in sorted(chosen)]
        largest = float(np.max(np.abs(slope), initial=0.0, where=np.isfinite(slope)))
        entries = [self._entry(wrt, start, cell, float(slope[cell]), largest) for cell in cells]
        compared = [e for e in entries if e is not None and not e.kink]
        return Verdict(
            wrt,
            len(compared),
            start.size,
            max(compared, key=lambda e: e.error - e.tolerance, default=None),
            sum(not e.agrees for e in compared),
            sum(e is not None and e.kink for e in entries),
            sum(e is None for e in entries),
            found is not None,
            self._float32_error(wrt, slope),
        )

    def _entry(
        self, wrt: OutPort, start: Array, cell: tuple[int, ...], slope: float, largest: float
    ) -> Entry | None:
        at = float(start[cell])
        h = STEP * max(1.0, abs(at))
        centre = self._target(wrt, start, cell, at)
        plus, minus = (self._target(wrt, start, cell, at + d) for d in (h, -h))
        plus2, minus2 = (self._target(wrt, start, cell, at + d) for d in (h / 2, -h / 2))
        if not np.isfinite([slope, centre, plus, minus, plus2, minus2]).all():
            return None
        wide, narrow = (plus - minus) / (2 * h), (plus2 - minus2) / h
        difference = (4 * narrow - wide) / 3
        noise = 4 * np.finfo(np.float64).eps * max(abs(centre), abs(plus), abs(minus)) / h
        estimate = abs(narrow - wide) + noise
        tolerance = RELATIVE * largest + ESTIMATES * estimate + ABSOLUTE
        kink = all(
            abs((p - centre) - (centre - m)) / step
            > 10 * (noise + ABSOLUTE) + 100 * step * (1 + abs(difference))
            for p, m, step in ((plus, minus, h), (plus2, minus2, h / 2))
        )
        agrees = abs(slope - difference) <= tolerance
        return Entry(cell, slope, difference, tolerance, kink and not agrees)

    def _target(self, wrt: OutPort, start: Array, cell: tuple[int, ...], at: float) -> float:
        """The number that is differentiated (the seeded sum of the targets) with one entry set to `at`."""
        moved = start.astype(np.float64)
        moved[cell] = at
        held = {**self._values, wrt.node: frozen_array(moved)}
        result = run(self._plan, held)
        total = 0.0
        for number, port in enumerate(self._answer.question.of):
            value = result[port]
            if value is None or value.dtype.kind != "f":
                continue
            seed = self._values.get(f"seed'{number}")
            total += float(np.sum(value if seed is None else value * seed))
        return total

    def _float32_error(self, wrt: OutPort, slope: Array) -> float | None:
        found = self._answer.adjoint(wrt)
        if found is None or found.dtype != np.float32:
            return None
        largest = float(np.max(np.abs(slope), initial=0.0)) or 1.0
        return float(np.max(np.abs(found.astype(np.float64) - slope), initial=0.0)) / largest


def _in_float64(diagram: Diagram) -> Diagram:
    nodes = {}
    for id, node in diagram.graph.nodes.items():
        single = node.attributes.get("dtype") == "float32"
        nodes[id] = node.with_attributes(dtype="float64") if single else node
    return replace(
        diagram, graph=Graph(nodes), values={id: _as_float64(a) for id, a in diagram.values.items()}
    )


def _as_float64(array: Array) -> Array:
    return frozen_array(array, np.float64) if array.dtype == np.float32 else array


def _drawn(answer: Answer) -> dict[str, Array]:
    """Random sources keep the numbers they have."""
    found = {}
    for node in answer.graph:
        op = registry.find(node.op)
        array = answer.value(OutPort(node.id))
        if op is not None and op.is_source and array is not None:
            found[node.id] = array
    return found


def agree(verdicts: Sequence[Verdict]) -> bool:
    """Whether all verdicts are good."""
    return all(verdict.agrees for verdict in verdicts)


def worst(verdicts: Sequence[Verdict]) -> Verdict | None:
    """The verdict with the entry that is farthest beyond (or nearest to) its tolerance."""
    with_entry = [v for v in verdicts if v.worst is not None]
    return max(
        with_entry,
        key=lambda v: cast(Entry, v.worst).error - cast(Entry, v.worst).tolerance,
        default=None,
    )
