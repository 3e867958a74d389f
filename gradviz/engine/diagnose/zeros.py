"""Why a gradient that exists is exactly 0: for each of its cells the node that made it so, and how.

From the target back, each zero cell is either made at the node whose wire it came over, or carried: 0 arrived there
already. Which of the two follows from the rule's linearity (`again.Rule`), without knowing the op: a cell to which
even random cotangents bring 0 has no slope; one to which the cotangents that are not 0 bring something was cancelled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from gradviz.engine.diagnose.again import Changed, Rule, generic, only
from gradviz.engine.gradient import Address, Contribution, Role, Step
from gradviz.graph.model import Array, InPort, OutPort, frozen_array
from gradviz.ops import registry

if TYPE_CHECKING:
    from gradviz.engine.answer import Answer

CARRIED: Final = 32
"""So many different reasons are told apart in what arrives at one node; the rarest of more are taken together."""
NEAR: Final = 1e-6
ROOM: Final = 0.5
TRIED: Final = ((0.1, 0.9), (-0.9, -0.1), (1.1, 3.0), (-3.0, -1.1))

Mask = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.intp]


class Kind(StrEnum):
    """The kinds of zero."""

    GATED = "gated"
    MULTIPLIED = "multiplied"
    CANCELLED = "cancelled"
    FLAT = "flat"
    SATURATED = "saturated"
    NOT_SELECTED = "not-selected"
    UNDERFLOW = "underflow"
    SEED = "seed"


@dataclass(frozen=True, slots=True)
class Zero:
    """One reason: the kind, the node that made it, and over which wire it left (`None`: at the node itself).

    `by` are the nodes whose numbers it is multiplied by, or by which the roads came that cancel.
    """

    kind: Kind
    node: str
    wire: InPort | None = None
    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A reason, for how many cells it holds, and the first of them."""

    zero: Zero
    count: int
    first: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Zeros:
    """The zero cells of a port's gradient, and the reasons by number of cells. A cell has one per road it came by."""

    port: OutPort
    size: int
    count: int
    parts: tuple[Part, ...]
    codes: Codes
    reasons: tuple[frozenset[Zero], ...]

    @property
    def whole(self) -> bool:
        """Whether every cell is 0."""
        return self.count == self.size > 0

    def at(self, cell: tuple[int, ...]) -> frozenset[Zero]:
        """The reasons of one cell; empty where it is not 0."""
        return self.reasons[int(self.codes[cell])]


def zeros(answer: Answer, port: OutPort) -> Zeros | None:
    """The zeros of the gradient at `port`; None where there is no gradient."""
    total = answer.adjoint(port)
    if total is None:
        return None
    search = _Search(answer)
    with np.errstate(all="ignore"):
        search.follow(port)
    codes = search.codes[port]
    reasons = tuple(search.reasons)
    counted: Counter[Zero] = Counter()
    first: dict[Zero, tuple[int, ...]] = {}
    numbers, starts, counts = np.unique(codes, return_index=True, return_counts=True)
    for number, start, count in zip(numbers, starts, counts, strict=True):
        cell = tuple(int(i) for i in np.unravel_index(int(start), codes.shape))
        for zero in reasons[number]:
            counted[zero] += int(count)
            first[zero] = min(first.get(zero, cell), cell)
    order = {id: number for number, id in enumerate(answer.specs.order)}
    found = sorted(
        counted.items(), key=lambda item: (-item[1], first[item[0]], order[item[0].node])
    )
    parts = tuple(Part(zero, count, first[zero]) for zero, count in found)
    return Zeros(port, total.size, int(np.count_nonzero(total == 0)), parts, codes, reasons)


class _Search:
    """The reasons of the cells of every port that was looked at, as numbers into `reasons`; 0 is no reason."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.reasons: list[frozenset[Zero]] = [frozenset()]
        self._numbers: dict[frozenset[Zero], int] = {frozenset(): 0}
        self.codes: dict[OutPort, Codes] = {}

    def follow(self, port: OutPort) -> None:
        """Work out the codes of `port`, and first those of the ports its zeros may have come from."""
        order = {id: number for number, id in enumerate(self._answer.specs.order)}
        for one in sorted(self._needed(port), key=lambda p: order[p.node], reverse=True):
            self.codes[one] = self._port(one)

    def _needed(self, port: OutPort) -> set[OutPort]:
        found = {port}
        waiting = [port]
        while waiting:
            for contribution in self._answer.gradient.arrived.get(waiting.pop(), ()):
                if contribution.wire is None or not np.any(self._value(contribution.result) == 0):
                    continue
                for after in self._outputs(contribution.wire.node):
                    if after not in found:
                        found.add(after)
                        waiting.append(after)
        return found

    def _outputs(self, node: str) -> list[OutPort]:
        ports = (OutPort(node, i) for i in range(len(self._answer.specs.outputs[node])))
        return [port for port in ports if self._answer.adjoint(port) is not None]

    def _value(self, port: OutPort) -> Any:
        array = self._answer.run[port]
        return np.full((), np.nan) if array is None else array

    def _number(self, reasons: frozenset[Zero]) -> int:
        if reasons not in self._numbers:
            self._numbers[reasons] = len(self.reasons)
            self.reasons.append(reasons)
        return self._numbers[reasons]

    def _one(self, zero: Zero) -> int:
        return self._number(frozenset((zero,)))

    def _port(self, port: OutPort) -> Codes:
        total = self._answer.adjoint(port)
        assert total is not None
        zero = np.asarray(total == 0)
        roads = self._answer.gradient.arrived[port]
        told = [self._road(port, road) for road in roads]
        if len(told) == 1:
            return np.where(zero, told[0], 0)
        codes = self._union(total.shape, told)
        something = np.zeros(total.shape, np.bool_)
        for road in roads:
            something |= self._value(road.result) != 0
        nodes = tuple(dict.fromkeys(r.wire.node for r in roads if r.wire is not None))
        cancelled = self._one(Zero(Kind.CANCELLED, port.node, None, nodes))
        return np.where(zero, np.where(something, cancelled, codes), 0)

    def _union(self, shape: tuple[int, ...], told: Sequence[Codes]) -> Codes:
        """The reasons of all of them, cell by cell."""
        if not told:
            return np.zeros(shape, np.intp)
        stacked = np.stack([np.broadcast_to(codes, shape).ravel() for codes in told], axis=-1)
        rows, index = np.unique(stacked, axis=0, return_inverse=True)
        numbers = [self._number(frozenset().union(*(self.reasons[i] for i in row))) for row in rows]
        return np.array(numbers, np.intp)[np.ravel(index)].reshape(shape)

    def _road(self, port: OutPort, road: Contribution) -> Codes:
        """The codes of what one road brought."""
        after = self._value(road.result)
        if road.wire is None:
            return np.where(after == 0, self._one(Zero(Kind.SEED, port.node)), 0)
        step = self._step(road.wire)
        before = self._value(step.result if isinstance(step.result, OutPort) else road.result)
        codes = self._made(step, road.wire, before)
        small = self._one(Zero(Kind.UNDERFLOW, road.wire.node, road.wire))
        if before.shape == after.shape:
            return np.where(after == 0, np.where(before == 0, codes, small), 0)
        return np.where(after == 0, self._added(road.wire, codes, before, after.shape), 0)

    def _added(self, wire: InPort, codes: Codes, before: Array, shape: tuple[int, ...]) -> Codes:
        """The codes of copies that were added up: those of all copies, or that they cancel."""
        lead = before.ndim - len(shape)
        axes = (
            *range(lead),
            *(lead + i for i, n in enumerate(shape) if n != before.shape[lead + i]),
        )
        something = np.any(before != 0, axis=axes).reshape(shape)
        cancelled = self._one(Zero(Kind.CANCELLED, wire.node, wire))
        masks = [
            np.where(np.any(codes == number, axis=axes).reshape(shape), number, 0)
            for number in self._often(codes)
        ]
        return np.where(something, cancelled, self._union(shape, masks))

    def _often(self, codes: Codes) -> list[int]:
        numbers, counts = np.unique(codes[codes != 0], return_counts=True)
        return [int(numbers[i]) for i in np.argsort(-counts, kind="stable")][:CARRIED]

    def _step(self, wire: InPort) -> Step:
        address = Address(
            wire.node, wire.index, Role.CONTRIBUTION, self._answer.gradient.occurrence
        )
        return self._answer.steps[address]

    def _made(self, step: Step, wire: InPort, result: Any) -> Codes:
        """The codes of a contribution before it is fitted."""
        zero: Mask = np.asarray(result == 0)
        if not zero.any():
            return np.zeros(result.shape, np.intp)
        if not step.rule:
            return self._product(step, wire, zero)
        rule = Rule(self._answer, step)
        arriving = {port: self._value(port) for port in rule.cotangents}
        probes = {port: generic(g, i) for i, (port, g) in enumerate(arriving.items())}
        slope = rule.result(probes)
        if slope is None:
            return np.zeros(result.shape, np.intp)
        steep: Mask = np.asarray(slope != 0)
        codes = np.zeros(result.shape, np.intp)
        if (zero & ~steep).any():
            codes = np.where(zero & ~steep, self._flat(rule, wire, probes), 0)
        live = rule.result({p: only(probes[p], arriving[p] != 0) for p in probes})
        left = zero & steep
        lost = left & np.asarray(live != 0)
        if lost.any():
            codes = np.where(lost, self._cancelled(rule, wire, arriving), codes)
        carried = left & ~lost
        if carried.any():
            codes = np.where(carried, self._carried(rule, probes, result.shape), codes)
        return codes

    def _product(self, step: Step, wire: InPort, zero: Mask) -> Codes:
        """The codes of amount × local derivative, cell by cell."""
        amount, local = (
            self._value(term) if isinstance(term, OutPort) else np.asarray(term)
            for term in (step.amount, step.local)
        )
        small = self._one(Zero(Kind.UNDERFLOW, wire.node, wire))
        codes = np.where(amount == 0, self.codes.get(OutPort(wire.node), 0), small)
        flat = zero & (local == 0)
        if flat.any():
            rule = Rule(self._answer, step)
            probes = {p: generic(self._value(p), i) for i, p in enumerate(rule.cotangents)}
            codes = np.where(flat, self._flat(rule, wire, probes), codes)
        return np.where(zero, codes, 0)

    def _cancelled(self, rule: Rule, wire: InPort, arriving: Changed) -> Codes:
        """Terms that are there and add up to 0, or whose products are too small to be told from 0."""
        scaled = {}
        for port, g in arriving.items():
            found: Any = g
            largest = float(np.max(np.abs(found), initial=0.0, where=np.isfinite(found)))
            room = int(np.finfo(found.dtype).maxexp * ROOM) - int(np.frexp(largest)[1])
            scaled[port] = frozen_array(np.ldexp(found, room), found.dtype)
        again = rule.result(scaled)
        tiny = np.asarray(np.isfinite(again) & (again != 0))
        node = rule.node
        return np.where(
            tiny,
            self._one(Zero(Kind.UNDERFLOW, node, wire)),
            self._one(Zero(Kind.CANCELLED, node, wire)),
        )

    def _carried(self, rule: Rule, probes: Changed, shape: tuple[int, ...]) -> Codes:
        """The reasons of the zeros that arrived and lead to each cell."""
        primal = {self._answer.gradient.adjoints[p]: p for p in self._outputs(rule.node)}
        present = {p: self.codes.get(primal[p]) for p in probes}
        numbers: Counter[int] = Counter()
        for codes in present.values():
            if codes is not None:
                values, counts = np.unique(codes[codes != 0], return_counts=True)
                numbers.update(dict(zip(map(int, values), map(int, counts), strict=True)))
        common = [number for number, _ in numbers.most_common(CARRIED)]
        groups = [(number, [number]) for number in common]
        rare = [number for number in numbers if number not in common]
        if rare:
            together = self._number(frozenset().union(*(self.reasons[i] for i in rare)))
            groups.append((together, rare))
        if len(groups) == 1:
            return np.full(shape, groups[0][0], np.intp)
        told = []
        for number, members in groups:
            chosen = {
                p: only(probes[p], np.isin(0 if codes is None else codes, members))
                for p, codes in present.items()
            }
            found = rule.result(chosen)
            told.append(np.where(np.asarray(found != 0), number, 0))
        return self._union(shape, told)

    def _flat(self, rule: Rule, wire: InPort, probes: Changed) -> Codes | int:
        """The code of cells where the node has no slope by this input."""
        node = self._answer.graph[rule.node]
        op = registry.get(node.op)
        name = op.inputs[min(wire.index, len(op.inputs) - 1)]
        if op.family == "gate":
            return self._one(Zero(Kind.GATED, rule.node, wire))
        if op.family in ("route", "move"):
            return self._one(Zero(Kind.NOT_SELECTED, rule.node, wire))
        beside = (p for i, p in enumerate(node.inputs) if i != wire.index and p in rule.inputs)
        others = tuple(dict.fromkeys(p.node for p in beside if p is not None))
        if name in op.linear_in and not others:
            return self._one(Zero(Kind.NOT_SELECTED, rule.node, wire))
        times = self._one(Zero(Kind.MULTIPLIED, rule.node, wire, others))
        if name in op.linear_in:
            return times
        near = self._steep_somewhere(rule, probes, (_moved(1), _moved(-1)))
        everywhere = self._steep_somewhere(
            rule, probes, tuple(_drawn(low, high) for low, high in TRIED)
        )
        flat = self._one(Zero(Kind.FLAT, rule.node, wire))
        saturated = self._one(Zero(Kind.SATURATED, rule.node, wire))
        return np.where(near, times, np.where(everywhere, saturated, flat))

    def _steep_somewhere(
        self, rule: Rule, probes: Changed, moves: Sequence[Callable[[Array], Array]]
    ) -> Any:
        """Where a slope appears when the node's inputs are moved so."""
        found: Any = False
        for move in moves:
            inputs = {port: move(self._value(port)) for port in rule.inputs}
            slope = rule.result({**inputs, **probes}, forward=True)
            if slope is not None:
                found = found | (np.isfinite(slope) & (slope != 0))
        return found


def _moved(sign: int) -> Callable[[Array], Array]:
    def move(array: Any) -> Array:
        return frozen_array(array + sign * NEAR * np.maximum(1, np.abs(array)), array.dtype)

    return move


def _drawn(low: float, high: float) -> Callable[[Array], Array]:
    def move(array: Any) -> Array:
        return frozen_array(np.random.RandomState(5).uniform(low, high, array.shape), array.dtype)

    return move
