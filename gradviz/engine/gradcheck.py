"""Compare a gradient with finite differences.

Both sides are computed on a float64 copy of the graph. Each entry of `wrt` is moved by ±h and ±h/2; the two central
differences give the derivative (extrapolated) and its error estimate.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from gradviz import limits
from gradviz.engine.answer import Answer, prepare
from gradviz.engine.plan import Plan, plan
from gradviz.engine.run import Cancelled, run
from gradviz.graph import walk
from gradviz.graph.model import Array, Diagram, Graph, OutPort, frozen_array
from gradviz.ops import registry

STEP = 2.0**-17
RELATIVE = 1e-6
ABSOLUTE = 1e-9
ESTIMATES = 10
GROWS = 1.5
"""Where the step is halved, a quotient over a jump doubles; one over a smooth place or a kink does not grow."""
FLOAT32_BOUND = 1e-4
EVALUATIONS_PER_ENTRY = 4
SMALLEST = 2.0**-100

Floats = npt.NDArray[np.float64]
Outputs = tuple[Array, ...]


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
    """A verdict for each wrt (those of the question by default) that has a value.

    At most `limits.CHECK_EVALUATIONS` evaluations are made; above that, a sample of the entries chosen by `seed`.
    When cancelled, the verdicts that are complete; none where there is no gradient to check.
    """
    if answer.setup.failure is not None:
        return ()
    bench = _Bench(answer, cancelled)
    asked = answer.question.wrt if wrt is None else wrt
    ports = [port for port in dict.fromkeys(asked) if port in bench.start and answer.question.of]
    verdicts: list[Verdict] = []
    shares = _shares([(bench.start[port].size, bench.evaluations(port)) for port in ports])
    for port, share in zip(ports, shares, strict=True):
        try:
            verdicts.append(bench.verdict(port, share, seed))
        except _CancelledError:
            break
    return tuple(verdicts)


def _shares(wanted: Sequence[tuple[int, int]]) -> list[int]:
    """How many entries of each array may be checked, given its size and what an entry costs.

    What small arrays do not need goes to the large ones.
    """
    left = limits.CHECK_EVALUATIONS - len(wanted)
    shares = [0] * len(wanted)
    order = sorted(range(len(wanted)), key=lambda number: wanted[number][0] * wanted[number][1])
    for done, number in enumerate(order):
        size, cost = wanted[number]
        shares[number] = max(min(size, left // (len(wanted) - done) // cost), 0)
        left -= shares[number] * cost
    return shares


class _CancelledError(Exception):
    """The check was cancelled in the middle of an entry."""


class _Quotients(NamedTuple):
    """What one entry shows at the step h: forward and backward quotients at h and h/2, and their rounding error."""

    forward: float
    backward: float
    forward2: float
    backward2: float
    noise: float

    @property
    def difference(self) -> float:
        """The derivative: both central differences, extrapolated to a step of 0."""
        return (4 * self._narrow - self._wide) / 3

    @property
    def estimate(self) -> float:
        """How far from the derivative that may be."""
        return abs(self._narrow - self._wide) + self.noise

    @property
    def kink(self) -> bool:
        """Whether the two sides differ by more than the step explains, at both steps; or whether there is a jump.

        A one-sided quotient is off by half of what it changes when the step is halved: where the function is smooth,
        the sides approach each other as fast as that.
        """
        change = abs(self.forward - self.forward2) + abs(self.backward - self.backward2)
        bound = ESTIMATES * (change + self.noise) + ABSOLUTE
        return min(self._gaps) > bound or self._jump

    @property
    def _jump(self) -> bool:
        """Whether quotients grow as the step shrinks: the sides part, or both grow alike (a step through the middle)."""
        bound = ESTIMATES * self.noise + ABSOLUTE
        wide, narrow = self._gaps
        parting = narrow > bound and narrow > GROWS * wide
        growing = abs(self._narrow) > GROWS * abs(self._wide)
        return parting or (growing and abs(self._narrow - self._wide) > bound)

    @property
    def _gaps(self) -> tuple[float, float]:
        return abs(self.forward - self.backward), abs(self.forward2 - self.backward2)

    @property
    def _wide(self) -> float:
        return (self.forward + self.backward) / 2

    @property
    def _narrow(self) -> float:
        return (self.forward2 + self.backward2) / 2


class _Moved(NamedTuple):
    """The applications between wrt and the targets, and the recorded outputs they read."""

    wrt: OutPort
    plan: Plan
    fixed: Mapping[str, Outputs]


class _Bench:
    """The float64 copy and what stays fixed while one entry moves."""

    def __init__(self, answer: Answer, cancelled: Cancelled) -> None:
        self._answer = answer
        self._cancelled = cancelled
        diagram = _in_float64(answer.diagram)
        self._setup = prepare(diagram, None)
        values: Mapping[str, Array] = {
            **self._setup.gradient.values,
            **self._setup.seeds,
            **diagram.values,
            **_drawn(answer),
        }
        self._run = run(
            self._setup.plan, {id: _as_float64(a) for id, a in values.items()}, cancelled
        )
        self._recorded = {
            id: record.outputs for id, record in self._run.records.items() if record.outputs
        }
        self._held = self._cuts()
        self.start = {
            port: cast(Floats, array)
            for port in self._ports()
            if (array := self._run[port]) is not None
        }

    def _ports(self) -> list[OutPort]:
        ports = (
            OutPort(id, index)
            for id in self._setup.specs.order
            for index in range(len(self._setup.specs.outputs[id]))
        )
        return [port for port in ports if self._setup.specs.is_float(port)]

    def _cuts(self) -> set[str]:
        """The nodes that no cotangent flows through: they do not move meanwhile."""
        stopped = {port.node for port in self._answer.question.stop}
        return stopped | {
            node.id
            for node in self._setup.specs.graph
            if node.op == "stop_gradient"
            or (node.op == "cast" and not self._setup.specs.is_float(OutPort(node.id)))
        }

    def verdict(self, wrt: OutPort, share: int, seed: int) -> Verdict:
        start = self.start[wrt]
        found = self._setup.gradient.adjoints.get(wrt)
        exact = self._run[found] if found is not None else None
        slope = np.zeros(start.shape) if exact is None else cast(Floats, exact)
        cells = list(np.ndindex(start.shape))
        if len(cells) > share:
            chosen = np.random.RandomState(seed).choice(len(cells), share, replace=False)
            cells = [cells[i] for i in sorted(chosen)]
        entries = self._entries(wrt, cells, slope)
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

    def _entries(
        self, wrt: OutPort, cells: Sequence[tuple[int, ...]], slope: Floats
    ) -> list[Entry | None]:
        """One entry per cell; None where a number is not finite."""
        if not cells:
            return []
        moved = self._moved_by(wrt)
        centre = self._target(moved)
        largest = _largest(slope)
        return [self._entry(moved, cell, float(slope[cell]), centre, largest) for cell in cells]

    def _entry(
        self, moved: _Moved, cell: tuple[int, ...], slope: float, centre: float, largest: float
    ) -> Entry | None:
        found: Entry | None = None
        for scale in self._scales(moved.wrt):
            h = STEP * max(scale, abs(float(self.start[moved.wrt][cell])))
            tried = self._entry_at(moved, cell, h, slope, centre, largest)
            if tried is not None and not tried.kink and tried.agrees:
                return tried
            if found is None or found.kink or (tried and tried.tolerance < found.tolerance):
                found = tried or found
        return found

    def _scales(self, wrt: OutPort) -> tuple[float, ...]:
        """Steps are as large as 1 asks for; where an array is small and that step is no good, as its numbers ask for."""
        largest = _largest(self.start[wrt])
        return (1.0, max(largest, SMALLEST)) if 0 < largest < 1 else (1.0,)

    def evaluations(self, wrt: OutPort) -> int:
        """How many evaluations an entry may take."""
        return EVALUATIONS_PER_ENTRY * len(self._scales(wrt))

    def _entry_at(
        self,
        moved: _Moved,
        cell: tuple[int, ...],
        h: float,
        slope: float,
        centre: float,
        largest: float,
    ) -> Entry | None:
        plus, minus, plus2, minus2 = (
            self._target(moved, cell, shift) for shift in (h, -h, h / 2, -h / 2)
        )
        if not np.isfinite([slope, centre, plus, minus, plus2, minus2]).all():
            return None
        quotients = _Quotients(
            (plus - centre) / h,
            (centre - minus) / h,
            (plus2 - centre) / (h / 2),
            (centre - minus2) / (h / 2),
            4 * float(np.finfo(np.float64).eps) * max(abs(centre), abs(plus), abs(minus)) / h,
        )
        tolerance = RELATIVE * largest + ESTIMATES * quotients.estimate + ABSOLUTE
        return Entry(cell, slope, quotients.difference, tolerance, quotients.kink)

    def _moved_by(self, wrt: OutPort) -> _Moved:
        """What is computed again when wrt moves; the rest keeps what was recorded."""
        graph = self._setup.specs.graph
        ends = {port.node for port in self._answer.question.of}
        needed = walk.ancestors(graph, ends)
        moved = walk.descendants(
            graph, [wrt.node], lambda _, end: end.node not in self._held and end.node in needed
        )
        read = {port.node for id in moved for port in graph[id].inputs if port is not None} | ends
        whole = plan(graph, self._setup.specs.outputs, needed | {wrt.node})
        nodes = tuple(node for node in whole.nodes if node.id in moved | read)
        fixed = {id: self._recorded[id] for id in read - moved if id in self._recorded}
        return _Moved(wrt, replace(whole, nodes=nodes), fixed)

    def _target(self, moved: _Moved, cell: tuple[int, ...] = (), shift: float = 0.0) -> float:
        """The number that is differentiated (the seeded sum of the targets) with one entry moved."""
        if self._cancelled():
            raise _CancelledError
        outputs = list(self._recorded[moved.wrt.node])
        if shift:
            other = self.start[moved.wrt].copy()
            other[cell] += shift
            outputs[moved.wrt.index] = frozen_array(other)
        result = run(moved.plan, {**moved.fixed, moved.wrt.node: tuple(outputs)})
        total = 0.0
        for number, port in enumerate(self._answer.question.of):
            value: Any = result[port]
            if value is None and self._run[port] is not None:
                # With this number, a shape is another: there is nothing to compare.
                return math.nan
            if value is None or value.dtype.kind != "f":
                continue
            seed = self._setup.seeds.get(f"seed'{number}")
            total += float(np.sum(value if seed is None else value * seed))
        return total

    def _float32_error(self, wrt: OutPort, slope: Floats) -> float | None:
        found: Any = self._answer.adjoint(wrt)
        if found is None or found.dtype != np.float32:
            return None
        both = np.isfinite(found) & np.isfinite(slope)
        apart = np.abs(np.subtract(found, slope, where=both, out=np.zeros(slope.shape)))
        return float(np.max(apart, initial=0.0)) / (_largest(slope) or 1.0)


def _largest(slope: Floats) -> float:
    return float(np.max(np.abs(slope), initial=0.0, where=np.isfinite(slope)))


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
