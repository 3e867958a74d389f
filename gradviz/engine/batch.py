"""The fast path of wide graphs of small arrays: what is alike and does not wait for each other is one NumPy call.

Nodes are put on levels; those of one level with the same op, settings and specs form a group. All arrays of one shape and
dtype lie in one arena, a row each; the rows of a group follow one another, so that the group writes one slice. Operands are
slices too where their rows are evenly spaced, else they are gathered. A sum adds its terms in the order of the recorded run.
What is computed last waits least: what nobody keeps is computed on the level before it is needed, and its rows are
used again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Final, cast

import numpy as np
import numpy.typing as npt

from gradviz.engine.kinds import (
    Kind,
    Listing,
    Scratch,
    Shape,
    calls_of,
    literal,
    traced_calls,
    view_of,
)
from gradviz.engine.program import Input, Program
from gradviz.engine.trace import Dtype, Literal
from gradviz.graph.model import Array, OutPort
from gradviz.ops import registry
from gradviz.ops.op import KernelCall
from gradviz.ops.spec import Spec

LEAST_NODES: Final = 200
LARGEST_ARRAY: Final = 1024
"""Cells; above that a call costs more than calling."""
LEAST_GROUP: Final = 3.0
"""Nodes in a group, on average, from which batching pays."""
FEW_TERMS: Final = 8
# Rounded correctly, however an array lies in memory. Other functions have loops of their own for arrays without gaps, whose
# last bits may differ; they are only batched where the recorded run takes that loop too.
EXACT: Final = frozenset(
    {
        np.add,
        np.subtract,
        np.multiply,
        np.divide,
        np.negative,
        np.positive,
        np.square,
        np.absolute,
        np.sqrt,
        np.reciprocal,
        np.sign,
        np.floor,
        np.ceil,
        np.rint,
        np.trunc,
        np.maximum,
        np.minimum,
        np.greater,
        np.greater_equal,
        np.less,
        np.less_equal,
        np.equal,
        np.not_equal,
        np.logical_and,
        np.logical_or,
        np.logical_not,
        np.isnan,
        np.isfinite,
        np.where,
    }
)
Place = tuple[Shape, Dtype]
Integers = npt.NDArray[np.int64]


@dataclass(slots=True, eq=False)
class Group:
    """Nodes, by number, that are computed together; alone, a node is called as it is."""

    kind: Kind
    level: int
    alone: bool
    kept: bool
    nodes: list[int] = field(default_factory=list)


class Layout:
    """Levels and groups of a listing; `pays` tells whether batching is worth it. `keep` are ports by number."""

    def __init__(
        self, listing: Listing, values: Mapping[str, Array], keep: Collection[int]
    ) -> None:
        self.listing = listing
        self.values = values
        self.groups: list[Group] = []
        self.kept = {listing.owners[port] for port in keep}
        self._ways: dict[int, tuple[bool, bool, bool]] = {}
        computed = sum(kind is not None for kind in listing.kinds)
        small = all(prod(spec.shape) <= LARGEST_ARRAY for spec in set(listing.specs))
        self.pays = len(listing.nodes) >= LEAST_NODES and small
        if self.pays:
            levels = self._levels()
            # There is a group on every level at least.
            self.pays = computed >= LEAST_GROUP * max(levels)
        if self.pays:
            self._group(levels)
            self.pays = computed >= LEAST_GROUP * len(self.groups)

    def _levels(self) -> list[int]:
        """As early as can be for what is kept, as late as can be for the rest."""
        owners, inputs = self.listing.owners, self.listing.inputs
        sources = [[owners[port] for port in ports] for ports in inputs]
        levels = [0] * len(sources)
        for number, found in enumerate(sources):
            if found:
                levels[number] = 1 + max([levels[source] for source in found])
        latest = [1 << 60] * len(sources)
        kept = self.kept
        for number in range(len(sources) - 1, -1, -1):
            found = sources[number]
            if not found:
                continue
            level = latest[number]
            if number in kept or level == 1 << 60:
                level = levels[number]
            else:
                levels[number] = level
            for source in found:
                if latest[source] >= level:
                    latest[source] = level - 1
        return levels

    def _group(self, levels: Sequence[int]) -> None:
        found: dict[object, Group] = {}
        kept = self.kept
        for number, kind in enumerate(self.listing.kinds):
            if kind is None or kind.op.name == "full_like":
                continue
            level = levels[number]
            alone, apart, is_sum = self._way(kind)
            if is_sum and len(kind.inputs) > FEW_TERMS:
                alone = True
            keeps = number in kept
            key: object
            if alone:
                key = number
            elif apart:
                key = level, id(kind), keeps, self._numbers(number, kind)
            else:
                key = level, id(kind), keeps
            group = found.get(key)
            if group is None:
                group = found[key] = Group(kind, level, alone, keeps)
            group.nodes.append(number)
        self.groups = sorted(found.values(), key=lambda group: group.level)

    def _way(self, kind: Kind) -> tuple[bool, bool, bool]:
        """Of a kind: whether each node is alone; whether different Python numbers are kept apart; whether it adds."""
        way = self._ways.get(id(kind))
        if way is None:
            is_sum = kind.is_sum
            weak = any(spec.weak for spec in kind.inputs)
            many = kind.traced is not None and (len(kind.traced) > 1 or not _is_exact(kind))
            alone = not is_sum and not _is_alike(kind)
            way = self._ways[id(kind)] = alone, weak and many, is_sum
        return way

    def _numbers(self, number: int, kind: Kind) -> tuple[float, ...]:
        listing = self.listing
        return tuple(
            self.number(port)
            for port, spec in zip(listing.inputs[number], kind.inputs, strict=True)
            if spec.weak
        )

    def number(self, port: int) -> float:
        """The Python number at a port."""
        return float(self.values[self.listing.nodes[self.listing.owners[port]].id])


def _is_exact(kind: Kind) -> bool:
    return kind.traced is not None and all(call.function in EXACT for call in kind.traced)


def _is_alike(kind: Kind) -> bool:
    """Whether many applications in one call have the bits of one application."""
    shapes = {spec.shape for spec in (*kind.inputs, *kind.outputs) if not spec.weak}
    return kind.traced is not None and (len(shapes) == 1 or _is_exact(kind))


class _Rows:
    """The rows of one arena: those of what is kept, then those that are used again and again."""

    def __init__(self, next_kept: int, kept: int) -> None:
        self._next_kept = next_kept
        self._free: list[tuple[int, int]] = [(kept, 1 << 60)]
        self.count = kept

    def keep(self, count: int) -> int:
        first = self._next_kept
        self._next_kept += count
        return first

    def take(self, count: int) -> int:
        """The first of `count` rows in a line."""
        for k, (first, length) in enumerate(self._free):
            if length >= count:
                self._free[k] = (first + count, length - count)
                self.count = max(self.count, first + count)
                return first
        raise AssertionError

    def give_back(self, first: int, count: int) -> None:
        spans = sorted([*self._free, (first, count)])
        joined = [spans[0]]
        for start, length in spans[1:]:
            last, size = joined[-1]
            if last + size == start:
                joined[-1] = (last, size + length)
            else:
                joined.append((start, length))
        self._free = [span for span in joined if span[1]]


class _Arrays(Mapping[OutPort, Array]):
    """The array of each port: its row, looked up when it is asked for."""

    def __init__(self, listing: Listing, rows: Integers, arenas: Mapping[Place, Array]) -> None:
        self._listing = listing
        self._rows = rows
        self._arenas = arenas

    def __getitem__(self, port: OutPort) -> Array:
        number = self._listing.port(port)
        shape, dtype, _ = self._listing.specs[number]
        return self._arenas[shape, dtype][self._rows[number], ...]

    def __iter__(self) -> Iterator[OutPort]:
        for number, id in enumerate(self._listing.ids):
            yield from (OutPort(id, i) for i in range(len(self._listing.ports(number))))

    def __len__(self) -> int:
        return len(self._rows)


class _Lent:
    """Scratch for one group at a time, cut from buffers that are large enough for every group."""

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self._buffers: list[Array] = []
        self._lent = 0

    def begin(self) -> _Lent:
        self._lent = 0
        return self

    def __call__(self, shape: Shape, dtype: Dtype) -> Array:
        if self._lent == len(self._buffers):
            self._buffers.append(np.empty(self._largest, np.uint8))
        buffer = self._buffers[self._lent]
        self._lent += 1
        size = prod(shape) * dtype.itemsize
        return buffer[:size].view(dtype).reshape(shape)


class BatchBuilder:
    """Makes the program of a layout; `inputs` are the sources that will be given other numbers."""

    def __init__(self, layout: Layout, inputs: Collection[str]) -> None:
        self._layout = layout
        self._listing = layout.listing
        self._asked = set(inputs)
        self._rows = np.zeros(len(layout.listing.specs), np.int64)
        self._arenas: dict[Place, Array] = {}
        self._calls: list[KernelCall] = []
        self._inputs: dict[str, Input] = {}
        self._scratch = _Lent(0)

    def build(self) -> Program:
        """Rows first, so that it is known how large the arenas are; then sources and calls."""
        standing = [
            number
            for number, kind in enumerate(self._listing.kinds)
            if kind is None or kind.op.name == "full_like"
        ]
        self._give_rows(standing)
        for number in standing:
            self._fill(number)
        for group in self._layout.groups:
            self._emit(group)
        return Program(self._calls, _Arrays(self._listing, self._rows, self._arenas), self._inputs)

    def _give_rows(self, standing: Sequence[int]) -> None:
        listing, groups = self._listing, self._layout.groups
        kept: dict[Place, int] = {}
        for number in standing:
            spec = listing.specs[listing.outputs[number]]
            place = spec.shape, spec.dtype
            self._rows[listing.outputs[number]] = kept.get(place, 0)
            kept[place] = kept.get(place, 0) + 1
        first_kept = dict(kept)
        for group in groups:
            if group.kept:
                for spec in group.kind.outputs:
                    place = spec.shape, spec.dtype
                    kept[place] = kept.get(place, 0) + len(group.nodes)
        rows = {place: _Rows(first_kept.get(place, 0), count) for place, count in kept.items()}
        last = self._last_uses()
        dying: dict[int, list[tuple[Place, int, int]]] = {}
        largest = 0
        for number, group in enumerate(groups):
            count = len(group.nodes)
            ports = np.array([listing.outputs[node] for node in group.nodes])
            for index, spec in enumerate(group.kind.outputs):
                place = spec.shape, spec.dtype
                arena = rows.setdefault(place, _Rows(0, 0))
                first = arena.keep(count) if group.kept else arena.take(count)
                self._rows[ports + index] = np.arange(first, first + count)
                if not group.kept:
                    end = max(number, *[last[node] for node in group.nodes])
                    dying.setdefault(end, []).append((place, first, count))
            cells = max(prod(spec.shape) for spec in (*group.kind.inputs, *group.kind.outputs))
            terms = len(group.kind.inputs) if group.alone else 1
            largest = max(largest, count * terms * cells * 8)
            for place, first, length in dying.pop(number, ()):
                rows[place].give_back(first, length)
        self._arenas = {
            place: np.empty((arena.count, *place[0]), place[1]) for place, arena in rows.items()
        }
        self._scratch = _Lent(largest)

    def _last_uses(self) -> list[int]:
        last = [-1] * len(self._listing.nodes)
        owners, inputs = self._listing.owners, self._listing.inputs
        for number, group in enumerate(self._layout.groups):
            for node in group.nodes:
                for port in inputs[node]:
                    last[owners[port]] = number
        return last

    def _row(self, port: int) -> Array:
        shape, dtype, _ = self._listing.specs[port]
        return self._arenas[shape, dtype][self._rows[port], ...]

    def _fill(self, number: int) -> None:
        node, port = self._listing.nodes[number], self._listing.outputs[number]
        kind = self._listing.kinds[number]
        array = self._row(port)
        if kind is not None:
            array[...] = cast(float, kind.attributes["fill"])
            return
        value = self._layout.values.get(node.id)
        if value is None:
            (value,) = registry.get(node.op).evaluate((), (), node.attributes)
        array[...] = value
        if node.id in self._asked:
            self._inputs[node.id] = Input(node.id, self._listing.specs[port], array, moves=False)

    def _emit(self, group: Group) -> None:
        kind = group.kind
        scratch = cast(Scratch, self._scratch.begin())
        if kind.is_sum:
            if group.alone:
                self._add_many(group.nodes[0])
            else:
                self._add_few(group)
        elif group.alone:
            (number,) = group.nodes
            arrays = [self._row(port) for port in self._listing.inputs[number]]
            outs = tuple([self._row(port) for port in self._listing.ports(number)])
            seen = view_of(kind, arrays[0]) if kind.may_be_view else None
            if seen is not None:
                self._calls.append((np.copyto, (outs[0], seen)))
            else:
                self._calls += calls_of(kind, arrays, outs, scratch)
        else:
            self._apply(group)

    def _apply(self, group: Group) -> None:
        kind = group.kind
        rank, spaced = len(kind.outputs[0].shape), _is_exact(kind)
        operands: list[Array] = []
        specs: list[Spec] = []
        for number, spec in enumerate(kind.inputs):
            if spec.weak:
                operand, spec = self._numbers(group, number)  # noqa: PLW2901
            else:
                operand = self._operand(group, number, rank, spaced)
            operands.append(operand)
            specs.append(spec)
        out = self._out(group)
        if kind.simple is not None and tuple(specs) == kind.inputs:
            self._calls.append((kind.simple, (*operands, out)))
            return
        kind = kind._replace(inputs=tuple(specs))
        self._calls += traced_calls(kind, operands, out, cast(Scratch, self._scratch))

    def _out(self, group: Group) -> Array:
        port = self._listing.outputs[group.nodes[0]]
        shape, dtype, _ = self._listing.specs[port]
        first = self._rows[port]
        return self._arenas[shape, dtype][first : first + len(group.nodes)]

    def _numbers(self, group: Group, number: int) -> tuple[Array, Spec]:
        """A Python number that all nodes share as it is; different ones as an array of the dtype they are used in."""
        inputs = self._listing.inputs
        values = np.array([self._layout.number(inputs[node][number]) for node in group.nodes])
        spec = group.kind.inputs[number]
        if len(set(values.view(np.int64).tolist())) == 1:
            return literal(values[0], spec.dtype), spec
        (call,) = group.kind.traced or ()
        places = [
            i for i, p in enumerate(call.operands) if not isinstance(p, Literal) and p == number
        ]
        dtype = call.dtypes[places[0]]
        rank = len(group.kind.outputs[0].shape)
        return values.astype(dtype).reshape(-1, *(1,) * rank), Spec((), dtype)

    def _operand(self, group: Group, number: int, rank: int, spaced: bool = True) -> Array:
        inputs = self._listing.inputs
        return self._gathered([inputs[node][number] for node in group.nodes], rank, spaced)

    def _gathered(self, ports: Sequence[int], rank: int, spaced: bool = True) -> Array:
        """The rows of `ports`, one after the other: a slice if they are evenly spaced, else collected in scratch.

        With `spaced` false, only rows without gaps are used where they lie. Axes of length 1 are put in, so that rows
        broadcast to arrays of `rank` axes.
        """
        shape, dtype, _ = self._listing.specs[ports[0]]
        arena = self._arenas[shape, dtype]
        rows = self._rows[np.array(ports)]
        first = int(rows[0])
        step = int(rows[1]) - first if len(rows) > 1 else 1
        if (spaced or step == 1) and (len(rows) < 3 or not (np.diff(rows) - step).any()):
            if step == 0:
                return _widened(arena[first : first + 1], rank)
            end = first + step * len(rows)
            return _widened(arena[first : end if end >= 0 else None : step], rank)
        buffer = self._scratch((len(rows), *shape), dtype)
        self._calls.append((arena.take, (rows, 0, buffer, "clip")))
        return _widened(buffer, rank)

    def _add_few(self, group: Group) -> None:
        out = self._out(group)
        rank = out.ndim - 1
        first = self._operand(group, 0, rank)
        self._calls.append((np.add, (first, self._operand(group, 1, rank), out)))
        for number in range(2, len(group.kind.inputs)):
            self._scratch.begin()
            self._calls.append((np.add, (out, self._operand(group, number, rank), out)))

    def _add_many(self, number: int) -> None:
        """One after the other: `add.reduce` along the first of several axes does so, on one axis it adds in pairs."""
        out = self._row(self._listing.outputs[number])
        ports = self._listing.inputs[number]
        terms = np.broadcast_to(self._gathered(ports, out.ndim), (len(ports), *out.shape))
        if out.size > 1:
            self._calls.append((np.add.reduce, (terms, 0, None, out)))
            return
        sums = self._scratch(terms.shape, out.dtype)
        self._calls += [
            (np.add.accumulate, (terms, 0, None, sums)),
            (np.copyto, (out, sums[-1, ...])),
        ]


def _widened(rows: Array, rank: int) -> Array:
    lacking = rank - rows.ndim + 1
    return rows[(slice(None), *(None,) * lacking)] if lacking else rows
