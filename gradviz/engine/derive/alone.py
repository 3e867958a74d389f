"""One application of an op on its own: how each cell of its outputs moves with each cell of its inputs.

There is no second rule for that, nor code for an op. What goes back, the VJP, is linear in what it starts from; so its
own gradient by that is the JVP (as in `gv.jvp`). One sweep from one cell of what an input gets back tells the slope of every output cell by
that cell, and which numbers those slopes are made of.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from gradviz.engine.check import Specs, infer
from gradviz.engine.gradient import Gradient, gradient, grown
from gradviz.engine.measure import measured
from gradviz.engine.plan import Plan, plan
from gradviz.engine.run import Run, run
from gradviz.errors import GradvizError
from gradviz.graph.model import Array, Graph, Node, OutPort, frozen_array
from gradviz.ops import registry
from gradviz.ops.spec import FLOAT64, Spec

Index = tuple[int, ...]
Floats = npt.NDArray[np.float64]
SELF = OutPort("op")


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """What one cell of an input does: the slope of each cell of each output, and what the result depends on besides.

    `slopes` has an entry per output, `uses` one per input: the derivative of the cell's gradient by that input's cells.
    `None` is what is not connected.
    """

    slopes: tuple[Floats | None, ...]
    uses: tuple[Floats | None, ...]


class Alone:
    """`node` with the arrays of its inputs and outputs. Everything is worked out in float64.

    Raises GradvizError where the op cannot be put together on its own.
    """

    def __init__(
        self, node: Node, inputs: Sequence[Array], outputs: Sequence[Array], weak: Sequence[bool]
    ) -> None:
        self.op = registry.get(node.op)
        self.inputs = tuple(_wide(array) for array in inputs)
        same = all(a.dtype == b.dtype for a, b in zip(inputs, self.inputs, strict=True))
        nodes = [
            _source(f"x{k}", array, weak=is_weak)
            for k, (array, is_weak) in enumerate(zip(self.inputs, weak, strict=True))
        ]
        ports = tuple(OutPort(f"x{k}") for k in range(len(inputs)))
        nodes.append(Node(SELF.node, node.op, ports, node.attributes))
        values = {f"x{k}": array for k, array in enumerate(self.inputs)}
        specs = measured(infer(Graph({node.id: node for node in nodes})), values)
        found = specs.outputs[SELF.node]
        if None in found:
            raise GradvizError(specs.problems[SELF.node].message)
        self.outputs = cast("tuple[Spec, ...]", found)
        self._floats = [o for o, spec in enumerate(self.outputs) if spec.is_float]
        seeds = [_like(f"g{o}", self.outputs[o]) for o in self._floats]
        tangents = [
            _like(f"t{k}", Spec(array.shape, FLOAT64))
            for k, array in enumerate(self.inputs)
            if array.dtype.kind == "f"
        ]
        probes = [_like(f"u{o}", self.outputs[o]) for o in self._floats]
        self.specs = infer(specs.graph.with_nodes(*seeds, *tangents, *probes), specs)
        self._values: dict[str, Any] = dict(values)
        if same:
            # What was computed is not computed again, and cannot come out otherwise.
            self._values[SELF.node] = tuple(outputs)
        self._first: dict[int, Gradient] = {}
        self._second: dict[int, Gradient | None] = {}
        self._third: dict[int, Gradient] = {}
        self._plans: dict[tuple[int, int], Plan] = {}

    @cached_property
    def _elementwise(self) -> bool:
        return self.op.local_rule is not None

    def back(self, k: int) -> Gradient:
        """The gradient of the outputs, started from `g0`, `g1`, …, by input `k`."""
        if k not in self._first:
            outs = [OutPort(SELF.node, o) for o in self._floats]
            seeds = [OutPort(f"g{o}") for o in self._floats]
            self._first[k] = gradient(self.specs, outs, [OutPort(f"x{k}")], seeds=seeds)
        return self._first[k]

    def _twice(self, k: int) -> Gradient | None:
        """The gradient of what input `k` gets back, by what it is made from: first the seeds, then the inputs."""
        if k not in self._second:
            found = self.back(k)
            if found.answers[0] is None:
                self._second[k] = None
            else:
                specs = grown(self.specs, found)
                wrt = [*(OutPort(f"g{o}") for o in self._floats), *self._float_inputs]
                self._second[k] = gradient(
                    specs, [found.answers[0]], wrt, seeds=[OutPort(f"t{k}")], occurrence=2
                )
        return self._second[k]

    @property
    def _float_inputs(self) -> list[OutPort]:
        return [OutPort(f"x{k}") for k, a in enumerate(self.inputs) if a.dtype.kind == "f"]

    def depends(self, k: int) -> frozenset[int]:
        """The inputs that the derivative by input `k` depends on: none where the op is linear in all of them together."""
        found = self._twice(k)
        if found is None:
            return frozenset()
        answers = dict(zip(found.wrt, found.answers, strict=True))
        return frozenset(
            int(port.node[1:]) for port in self._float_inputs if answers[port] is not None
        )

    def _is_linear_beside(self, k: int) -> bool:
        """Whether the slopes by input `k` may be numbers of another input: x in W @ x."""
        depends = self.depends(k)
        return bool(depends) and k not in depends and self.op.family != "solve"

    def row(self, output: int, index: Index) -> tuple[Floats | None, ...]:
        """The derivative of one cell of an output by every cell of each input; None for an input it does not depend on."""
        found: list[Floats | None] = []
        for k, array in enumerate(self.inputs):
            if array.dtype.kind != "f" or not self._floats:
                found.append(None)
                continue
            back = self.back(k)
            given = self._seeds({output: index})
            got = self._run(1, k, back, [back.answers[0]], given)[0]
            found.append(self._aligned(got, self.outputs[output].shape, index))
        return tuple(found)

    def column(self, k: int, index: Index, amounts: Sequence[Array | None]) -> Column | None:
        """What the cell `index` of input `k` does; `amounts` are the gradients of the outputs. None if nothing."""
        found = self._twice(k)
        if found is None:
            return None
        given = self._amounts(amounts)
        given[f"t{k}"] = one_hot(self.inputs[k].shape, index)
        got = self._run(2, k, found, found.answers, given)
        at = dict(zip(found.wrt, got, strict=True))
        shape = self.inputs[k].shape
        slopes = tuple(
            self._aligned(at.get(OutPort(f"g{o}")), shape, index, spec.shape)
            for o, spec in enumerate(self.outputs)
        )
        uses = tuple(at.get(OutPort(f"x{m}")) for m in range(len(self.inputs)))
        if self._elementwise and slopes[0] is not None:
            near = np.argwhere(_beside(self.outputs[0].shape, shape, index))
            uses = tuple(
                _only(use, self.outputs[0].shape, near) if use is not None else None for use in uses
            )
        return Column(slopes, uses)

    def partner(
        self, k: int, index: Index, output: int, at: Index, slope: float
    ) -> tuple[int, Index, int] | None:
        """The number that a slope is, up to its sign: an input, its cell, and ±1; None if it is no single number."""
        twice = self._twice(k)
        if twice is None or self._elementwise or not self._is_linear_beside(k):
            return None
        if k not in self._third:
            specs = grown(grown(self.specs, self.back(k)), twice)
            answers = dict(zip(twice.wrt, twice.answers, strict=True))
            of, seeds = [], []
            for o in self._floats:
                port = answers[OutPort(f"g{o}")]
                if port is not None:
                    of.append(port)
                    seeds.append(OutPort(f"u{o}"))
            self._third[k] = gradient(specs, of, self._float_inputs, seeds=seeds, occurrence=3)
        third = self._third[k]
        given: dict[str, Array] = {f"u{o}": np.zeros(self.outputs[o].shape) for o in self._floats}
        given[f"u{output}"] = one_hot(self.outputs[output].shape, at)
        given |= self._amounts([None] * len(self.outputs))
        given[f"t{k}"] = one_hot(self.inputs[k].shape, index)
        got = self._run(3, k, third, third.answers, given)
        found: list[tuple[int, Index, float]] = []
        for port, array in zip(third.wrt, got, strict=True):
            if array is None:
                continue
            m = int(port.node[1:])
            places = np.argwhere(array != 0)
            if len(places) + len(found) > 1:
                return None
            found += [(m, tuple(map(int, p)), float(array[tuple(p)])) for p in places]
        if len(found) != 1 or abs(found[0][2]) != 1:
            return None
        m, cell, sign = found[0]
        return (m, cell, int(sign)) if sign * float(self.inputs[m][cell]) == slope else None

    def _seeds(self, hot: Mapping[int, Index]) -> dict[str, Array]:
        return {
            f"g{o}": one_hot(self.outputs[o].shape, hot[o])
            if o in hot
            else np.zeros(self.outputs[o].shape)
            for o in self._floats
        }

    def _amounts(self, amounts: Sequence[Array | None]) -> dict[str, Array]:
        given: dict[str, Array] = {}
        for o in self._floats:
            array = amounts[o] if o < len(amounts) else None
            shape = self.outputs[o].shape
            given[f"g{o}"] = np.zeros(shape) if array is None else np.asarray(array, np.float64)
        return given

    def _run(
        self,
        order: int,
        k: int,
        found: Gradient,
        ports: Sequence[OutPort | None],
        given: Mapping[str, Array],
    ) -> list[Floats | None]:
        key = order, k
        if key not in self._plans:
            specs = grown(self._before(order, k), found)
            wanted = {port.node for port in ports if port is not None}
            self._plans[key] = plan(found.graph, specs.outputs, wanted)
        values: dict[str, Any] = dict(self._values)
        values |= self.back(k).values
        for later in (self._second.get(k), self._third.get(k)):
            if later is not None:
                values |= later.values
        dtypes = {f"g{o}": self.outputs[o].dtype for o in self._floats}
        dtypes |= {f"u{o}": self.outputs[o].dtype for o in self._floats}
        values |= {
            id: frozen_array(np.asarray(a, dtypes.get(id, FLOAT64))) for id, a in given.items()
        }
        done = run(self._plans[key], values)
        return [_found(done, port) for port in ports]

    def _before(self, order: int, k: int) -> Specs:
        specs = self.specs
        if order > 1:
            specs = grown(specs, self.back(k))
        if order > 2:
            specs = grown(specs, cast(Gradient, self._second[k]))
        return specs

    def _aligned(
        self, array: Floats | None, shape: Index, index: Index, whole: Index | None = None
    ) -> Floats | None:
        """Of an element-wise op, only the cells that lie at `index`: elsewhere 0 × ∞ would stand for what is not there."""
        if array is None or not self._elementwise:
            return array
        beside = (
            _beside(whole, shape, index) if whole is not None else _under(array.shape, shape, index)
        )
        return np.where(beside, array, 0.0)


def _only(use: Floats, whole: Index, near: npt.NDArray[np.intp]) -> Floats:
    kept = np.zeros(use.shape, bool)
    for at in near:
        kept |= _under(use.shape, whole, tuple(map(int, at)))
    return np.where(kept, use, 0.0)


def _beside(whole: Index, part: Index, index: Index) -> npt.NDArray[np.bool_]:
    """The cells of `whole` to which the cell `index` of an operand of shape `part` was copied."""
    found = np.zeros(whole, bool)
    lead = len(whole) - len(part)
    where = tuple(
        slice(None) if i < lead or (part[i - lead] == 1 and n != 1) else index[i - lead]
        for i, n in enumerate(whole)
    )
    found[where] = True
    return found


def _under(part: Index, whole: Index, index: Index) -> npt.NDArray[np.bool_]:
    """The cell of an operand of shape `part` that was copied to the cell `index` of `whole`."""
    found = np.zeros(part, bool)
    found[under(part, whole, index)] = True
    return found


def under(part: Index, whole: Index, index: Index) -> Index:
    """The index in an operand of shape `part` of what broadcasting copied to `index` of `whole`."""
    lead = len(whole) - len(part)
    return tuple(0 if n == 1 else index[lead + i] for i, n in enumerate(part))


def one_hot(shape: Index, index: Index) -> Floats:
    """Zeros with a 1 in one cell."""
    found = np.zeros(shape)
    found[index] = 1.0
    return found


def _found(done: Run, port: OutPort | None) -> Floats | None:
    array = done[port] if port is not None else None
    return None if array is None else np.asarray(array, np.float64)


def _wide(array: Array) -> Array:
    return frozen_array(array.astype(FLOAT64)) if array.dtype.kind == "f" else array


def _source(id: str, array: Array, *, weak: bool) -> Node:
    kind = "variable" if array.dtype.kind == "f" and not weak else "constant"
    dtype = "weak" if weak else array.dtype.name
    return Node(id, kind, (), {"shape": array.shape, "dtype": dtype})


def _like(id: str, spec: Spec) -> Node:
    return Node(id, "variable", (), {"shape": spec.shape, "dtype": spec.dtype.name})


def cells_of(found: Floats | npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """The flat positions of what is not exactly 0; NaN is not."""
    return np.flatnonzero(found)


def place(shape: Index, flat: int) -> Index:
    """The index of a flat position."""
    return tuple(map(int, np.unravel_index(flat, shape))) if shape else ()


def size(shape: Index) -> int:
    """How many cells a shape has."""
    return math.prod(shape)
