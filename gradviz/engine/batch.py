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

from gradviz.engine.program import (
    AllSpecs,
    Input,
    Kind,
    Kinds,
    Nodes,
    Program,
    Scratch,
    Shape,
    calls_of,
    literal,
    traced_calls,
    view_of,
)
from gradviz.engine.trace import Dtype, Literal
from gradviz.graph.model import Array, Node, OutPort
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


@dataclass(slots=True)
class Group:
    """Nodes that are computed together: their kind, level, and the first of the rows they write."""

    kind: Kind
    level: int
    single: bool
    kept: bool
    nodes: list[Node] = field(default_factory=list)


class Layout:
    """Levels and groups of the nodes of `order`; `pays` tells whether batching is worth it."""

    def __init__(
        self,
        order: Sequence[str],
        nodes: Nodes,
        specs: AllSpecs,
        values: Mapping[str, Array],
        keep: Collection[OutPort],
    ) -> None:
        self.values = values
        self.order = order
        self.nodes = nodes
        self.specs = specs
        self.keep = {port.node for port in keep}
        self.kinds = Kinds(specs)
        self.groups: list[Group] = []
        self.pays = len(order) >= LEAST_NODES and self._is_small()
        if self.pays:
            self._group(self._levels())
            computed = sum(len(group.nodes) for group in self.groups)
            self.pays = computed >= LEAST_GROUP * len(self.groups)

    def _is_small(self) -> bool:
        found = {spec for id in self.order for spec in self.specs[id]}
        return all(spec is not None and prod(spec.shape) <= LARGEST_ARRAY for spec in found)

    def _levels(self) -> dict[str, int]:
        """As early as can be for what is kept, as late as can be for the rest."""
        levels: dict[str, int] = {}
        nodes = self.nodes
        for id in self.order:
            inputs = nodes[id].inputs
            levels[id] = 1 + max([levels[port.node] for port in inputs]) if inputs else 0  # type: ignore[union-attr]
        latest: dict[str, int] = {}
        for id in reversed(self.order):
            node = nodes[id]
            if not node.inputs:
                continue
            if id not in self.keep and id in latest:
                levels[id] = latest[id]
            before = levels[id] - 1
            for port in node.inputs:
                source = port.node  # type: ignore[union-attr]
                if latest.get(source, before) >= before:
                    latest[source] = before
        return levels

    def _group(self, levels: Mapping[str, int]) -> None:
        found: dict[object, Group] = {}
        for id in self.order:
            node = self.nodes[id]
            if not node.inputs or node.op == "full_like":
                continue
            kind = self.kinds.of(node)
            level, kept = levels[id], id in self.keep
            alone = len(node.inputs) > FEW_TERMS if _is_sum(kind) else not _is_alike(kind)
            key: object = (
                (level, id)
                if alone
                else (level, builtins_id(kind), kept, self._numbers(node, kind))
            )
            group = found.get(key)
            if group is None:
                group = found[key] = Group(kind, level, alone, kept)
            group.nodes.append(node)
        self.groups = sorted(found.values(), key=lambda group: group.level)

    def _numbers(self, node: Node, kind: Kind) -> tuple[float, ...]:
        """The Python numbers among the inputs, where nodes with different ones cannot share calls."""
        if kind.traced is None or (len(kind.traced) == 1 and _is_exact(kind)):
            return ()
        return tuple(
            float(self.values[port.node])  # type: ignore[union-attr]
            for port, spec in zip(node.inputs, kind.inputs, strict=True)
            if spec.weak
        )


def _is_sum(kind: Kind) -> bool:
    return kind.op.name == "accumulate" and all(spec == kind.outputs[0] for spec in kind.inputs)


def _is_exact(kind: Kind) -> bool:
    return kind.traced is not None and all(call.function in EXACT for call in kind.traced)


def _is_alike(kind: Kind) -> bool:
    """Whether many applications in one call have the bits of one application."""
    shapes = {spec.shape for spec in (*kind.inputs, *kind.outputs) if not spec.weak}
    return kind.traced is not None and (len(shapes) == 1 or _is_exact(kind))


class _Rows:
    """The rows of one arena: those of what is kept, then those that are used again and again."""

    def __init__(self, kept: int) -> None:
        self._next_kept = 0
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

    def __init__(
        self, places: Mapping[OutPort, tuple[Place, int]], arenas: Mapping[Place, Array]
    ) -> None:
        self._places = places
        self._arenas = arenas

    def __getitem__(self, port: OutPort) -> Array:
        place, row = self._places[port]
        return self._arenas[place][row, ...]

    def __iter__(self) -> Iterator[OutPort]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


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
    """Makes the program of a layout."""

    def __init__(self, layout: Layout, inputs: Collection[str]) -> None:
        self._layout = layout
        self._asked = set(inputs)
        self._places: dict[OutPort, tuple[Place, int]] = {}
        self._arenas: dict[Place, Array] = {}
        self._calls: list[KernelCall] = []
        self._inputs: dict[str, Input] = {}
        self._scratch = _Lent(0)

    def build(self) -> Program:
        """Rows first, so that it is known how large the arenas are; then sources and calls."""
        self._give_rows()
        for id in self._layout.order:
            node = self._layout.nodes[id]
            if not node.inputs or node.op == "full_like":
                self._fill(node)
        for group in self._layout.groups:
            self._emit(group)
        return Program(self._calls, _Arrays(self._places, self._arenas), self._inputs)

    def _specs(self, id: str) -> Sequence[Spec]:
        return cast("Sequence[Spec]", self._layout.specs[id])

    def _give_rows(self) -> None:
        layout = self._layout
        kept: dict[Place, int] = {}
        standing = [
            id
            for id in layout.order
            if not layout.nodes[id].inputs or layout.nodes[id].op == "full_like"
        ]
        for id in [*standing, *(n.id for g in layout.groups if g.kept for n in g.nodes)]:
            for spec in self._specs(id):
                place = spec.shape, spec.dtype
                kept[place] = kept.get(place, 0) + 1
        rows: dict[Place, _Rows] = {}
        for id in standing:
            self._keep_row(id, rows, kept)
        last = self._last_uses()
        dying: dict[int, list[tuple[Place, int, int]]] = {}
        largest = 0
        for number, group in enumerate(layout.groups):
            count = len(group.nodes)
            for index, spec in enumerate(group.kind.outputs):
                place = spec.shape, spec.dtype
                arena = rows.setdefault(place, _Rows(kept.get(place, 0)))
                first = arena.keep(count) if group.kept else arena.take(count)
                for k, node in enumerate(group.nodes):
                    self._places[OutPort(node.id, index)] = place, first + k
                if not group.kept:
                    end = max(last.get(node.id, number) for node in group.nodes)
                    dying.setdefault(end, []).append((place, first, count))
            cells = max(prod(spec.shape) for spec in (*group.kind.inputs, *group.kind.outputs))
            terms = len(group.kind.inputs) if group.single else 1
            largest = max(largest, count * terms * cells * 8)
            for place, first, length in dying.pop(number, ()):
                rows[place].give_back(first, length)
        self._arenas = {
            place: np.empty((arena.count, *place[0]), place[1]) for place, arena in rows.items()
        }
        self._scratch = _Lent(largest)

    def _keep_row(self, id: str, rows: dict[Place, _Rows], kept: Mapping[Place, int]) -> None:
        for index, spec in enumerate(self._specs(id)):
            place = spec.shape, spec.dtype
            arena = rows.setdefault(place, _Rows(kept.get(place, 0)))
            self._places[OutPort(id, index)] = place, arena.keep(1)

    def _last_uses(self) -> dict[str, int]:
        last: dict[str, int] = {}
        for number, group in enumerate(self._layout.groups):
            for node in group.nodes:
                for port in node.inputs:
                    last[port.node] = number  # type: ignore[union-attr]
        return last

    def _row(self, port: OutPort) -> Array:
        place, row = self._places[port]
        return self._arenas[place][row, ...]

    def _fill(self, node: Node) -> None:
        array = self._row(OutPort(node.id))
        if node.op == "full_like":
            array[...] = cast(float, self._layout.kinds.of(node).attributes["fill"])
            return
        value = self._layout.values.get(node.id)
        if value is None:
            (value,) = registry.get(node.op).evaluate((), (), node.attributes)
        array[...] = value
        if node.id in self._asked:
            self._inputs[node.id] = Input(node.id, self._specs(node.id)[0], array, moves=False)

    def _emit(self, group: Group) -> None:
        kind, nodes = group.kind, group.nodes
        scratch = self._scratch.begin()
        if _is_sum(kind):
            if group.single:
                self._add_many(nodes[0], kind)
            else:
                self._add_few(group)
        elif group.single:
            (node,) = nodes
            arrays = [self._row(cast(OutPort, port)) for port in node.inputs]
            outs = tuple(self._row(OutPort(node.id, i)) for i in range(len(kind.outputs)))
            seen = view_of(kind, arrays[0]) if _may_be_view(kind) else None
            if seen is not None:
                self._calls.append((np.copyto, (outs[0], seen)))
            else:
                self._calls += calls_of(kind, arrays, outs, cast(Scratch, scratch))
        else:
            self._apply(group)

    def _apply(self, group: Group) -> None:
        kind = group.kind
        out = self._out(group)
        operands: list[Array] = []
        specs: list[Spec] = []
        for number, spec in enumerate(kind.inputs):
            if spec.weak:
                operand, spec = self._numbers(group, number)  # noqa: PLW2901
            else:
                operand = self._operand(group, number, len(kind.outputs[0].shape), _is_exact(kind))
            operands.append(operand)
            specs.append(spec)
        kind = kind._replace(inputs=tuple(specs))
        self._calls += traced_calls(kind, operands, out, cast(Scratch, self._scratch))

    def _out(self, group: Group) -> Array:
        place, first = self._places[OutPort(group.nodes[0].id)]
        return self._arenas[place][first : first + len(group.nodes)]

    def _numbers(self, group: Group, number: int) -> tuple[Array, Spec]:
        """A Python number that all nodes share as it is; different ones as an array of the dtype they are used in."""
        ports = [cast(OutPort, node.inputs[number]) for node in group.nodes]
        values = np.array([float(self._layout.values[port.node]) for port in ports])
        spec = group.kind.inputs[number]
        if np.array_equal(values, np.full_like(values, values[0]), equal_nan=True) and (
            values[0] != 0 or len(set(np.signbit(values))) == 1
        ):
            return literal(values[0], spec.dtype), spec
        (call,) = group.kind.traced or ()
        place = next(
            i for i, p in enumerate(call.operands) if not isinstance(p, Literal) and p == number
        )
        dtype = call.dtypes[place]
        rank = len(group.kind.outputs[0].shape)
        return values.astype(dtype).reshape(-1, *(1,) * rank), Spec((), dtype)

    def _operand(self, group: Group, number: int, rank: int, spaced: bool = True) -> Array:
        return self._gathered([node.inputs[number] for node in group.nodes], rank, spaced)

    def _gathered(self, ports: Sequence[OutPort | None], rank: int, spaced: bool = True) -> Array:
        """The rows of `ports`, one after the other: a slice if they are evenly spaced, else collected in scratch.

        With `spaced` false, only rows without gaps are used where they lie.

        Axes of length 1 are put in, so that rows broadcast to arrays of `rank` axes.
        """
        found = [self._places[cast(OutPort, port)] for port in ports]
        place = found[0][0]
        arena = self._arenas[place]
        rows = np.array([row for _, row in found])
        shape = (len(rows), *(1,) * (rank - len(place[0])), *place[0])
        steps = np.diff(rows)
        first, step = int(rows[0]), int(steps[0]) if len(steps) else 1
        if (steps == step).all() and (spaced or step == 1):
            if step == 0:
                return arena[first : first + 1].reshape(1, *shape[1:])
            end = first + step * len(rows)
            taken = arena[first : end if end >= 0 else None : step]
            return taken.reshape(shape) if len(place[0]) == rank else _widened(taken, rank)
        buffer = self._scratch((len(rows), *place[0]), place[1])
        self._calls.append((arena.take, (rows, 0, buffer, "clip")))
        return buffer.reshape(shape)

    def _add_few(self, group: Group) -> None:
        out = self._out(group)
        rank = out.ndim - 1
        first = self._operand(group, 0, rank)
        self._calls.append((np.add, (first, self._operand(group, 1, rank), out)))
        for number in range(2, len(group.kind.inputs)):
            self._scratch.begin()
            self._calls.append((np.add, (out, self._operand(group, number, rank), out)))

    def _add_many(self, node: Node, kind: Kind) -> None:
        """One after the other: `add.reduce` along the first of several axes does so, on one axis it adds in pairs."""
        out = self._row(OutPort(node.id))
        terms = np.broadcast_to(
            self._gathered(node.inputs, out.ndim), (len(node.inputs), *out.shape)
        )
        if out.size > 1:
            self._calls.append((np.add.reduce, (terms, 0, None, out)))
            return
        sums = self._scratch(terms.shape, out.dtype)
        self._calls += [
            (np.add.accumulate, (terms, 0, None, sums)),
            (np.copyto, (out, sums[-1, ...])),
        ]


def _widened(rows: Array, rank: int) -> Array:
    return rows[(slice(None), *(None,) * (rank - rows.ndim + 1))]


def _may_be_view(kind: Kind) -> bool:
    return (
        kind.op.kernel_rule is None
        and kind.traced is None
        and len(kind.inputs) == 1
        and bool(kind.op.linear_in)
        and not kind.inputs[0].weak
    )


def builtins_id(value: object) -> int:
    """The identity of an object (`id` is a node's here)."""
    return id(value)
