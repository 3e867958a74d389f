"""The nodes of a program by number, what nodes of a kind have in common, and the NumPy calls of one application."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, Final, NamedTuple, cast

import numpy as np

from gradviz.engine.trace import Dtype, Literal, TracedCall, trace
from gradviz.graph.model import Array, Node, OutPort
from gradviz.ops import registry
from gradviz.ops.op import KernelCall, Op
from gradviz.ops.spec import Spec

# From so many cells on, `np.where` works on bits.
MASKED_SIZE: Final = 256
# Cells of an array that is large: memory costs more than calls.
LARGE: Final = 1 << 15
# An element-wise op of several calls works on so many bytes of its output at a time.
PART_BYTES: Final = 1 << 18
Shape = tuple[int, ...]
Nodes = Mapping[str, Node]
AllSpecs = Mapping[str, tuple[Spec | None, ...]]


class Kind(NamedTuple):
    """What nodes of the same op, settings and specs have in common.

    `simple` is the function of an op that is one ufunc of its inputs in their order.
    """

    op: Op
    attributes: Mapping[str, object]
    inputs: tuple[Spec, ...]
    outputs: tuple[Spec, ...]
    traced: tuple[TracedCall, ...] | None
    simple: Callable[..., Any] | None

    @property
    def may_be_view(self) -> bool:
        """Whether the forward may give a view of the input: it is worth a try."""
        return (
            self.op.kernel_rule is None
            and self.traced is None
            and len(self.inputs) == 1
            and len(self.outputs) == 1
            and bool(self.op.linear_in)
            and not self.inputs[0].weak
        )

    @property
    def is_sum(self) -> bool:
        """Whether it adds terms that are alike."""
        return self.op.name == "accumulate" and all(spec == self.outputs[0] for spec in self.inputs)


class Listing:
    """The nodes of `order` by number, and their ports by number: those of a node follow one another.

    `kinds` is None for a source. Every spec must be known.
    """

    def __init__(self, order: Sequence[str], nodes: Nodes, specs: AllSpecs) -> None:
        self.ids = order
        self.nodes = [nodes[id] for id in order]
        self.first: dict[str, int] = {}
        self.inputs: list[tuple[int, ...]] = []
        self.outputs: list[int] = []
        self.specs: list[Spec] = []
        self.kinds: list[Kind | None] = []
        self.owners: list[int] = []
        known: dict[object, Kind] = {}
        first, found, owners = self.first, self.specs, self.owners
        for number, node in enumerate(self.nodes):
            given = cast("tuple[Spec, ...]", specs[node.id])
            first[node.id] = len(found)
            self.outputs.append(len(found))
            if len(given) == 1:
                found.append(given[0])
                owners.append(number)
            else:
                found += given
                owners += [number] * len(given)
            if not node.inputs:
                self.inputs.append(())
                self.kinds.append(None)
                continue
            inputs = tuple([first[id] + index for id, index in node.inputs])  # type: ignore[misc]
            self.inputs.append(inputs)
            settings = repr(node.attributes) if node.attributes else ""
            taken = tuple([found[i] for i in inputs])
            key = node.op, settings, taken, given
            kind = known.get(key)
            if kind is None:
                kind = known[key] = _kind(node, taken, given)
            self.kinds.append(kind)

    def port(self, port: OutPort) -> int:
        """The number of a port."""
        return self.first[port.node] + port.index

    def ports(self, number: int) -> range:
        """The port numbers of a node's outputs."""
        start = self.outputs[number]
        end = self.outputs[number + 1] if number + 1 < len(self.outputs) else len(self.specs)
        return range(start, end)


def _kind(node: Node, inputs: tuple[Spec, ...], outputs: tuple[Spec, ...]) -> Kind:
    op = registry.get(node.op)
    # An op with a kernel is fused on purpose.
    traced = None if op.kernel_rule is not None else trace(op, inputs, node.attributes)
    simple = None
    if (
        traced is not None
        and len(traced) == 1
        and traced[0].function is not np.where
        and traced[0].operands == tuple(range(len(inputs)))
        and not any(isinstance(p, Literal) for p in traced[0].operands)
        and all(d == np.float64 for s, d in zip(inputs, traced[0].dtypes, strict=True) if s.weak)
    ):
        simple = POSITIONAL.get(traced[0].function, traced[0].function)
    return Kind(op, op.bind(node.attributes), inputs, outputs, traced, simple)


def _maximum(x: Array, y: Array, out: Array) -> None:
    # NumPy deprecates the positional out of these two.
    np.maximum(x, y, out=out)


def _minimum(x: Array, y: Array, out: Array) -> None:
    np.minimum(x, y, out=out)


POSITIONAL: Final[Mapping[Any, Callable[..., Any]]] = {np.maximum: _maximum, np.minimum: _minimum}


class Scratch:
    """Lends arrays for one application at a time; every application gets the same ones."""

    def __init__(self) -> None:
        self.arrays: dict[tuple[Shape, Dtype, int], Array] = {}
        self._lent: dict[tuple[Shape, Dtype], int] = {}

    def begin(self) -> Scratch:
        """Everything that was lent is free again."""
        self._lent.clear()
        return self

    def __call__(self, shape: Shape, dtype: Dtype) -> Array:
        number = self._lent.get((shape, dtype), 0)
        self._lent[shape, dtype] = number + 1
        key = shape, dtype, number
        found = self.arrays.get(key)
        if found is None:
            found = self.arrays[key] = np.empty(shape, dtype)
        return found


def literal(value: float, dtype: Dtype) -> Array:
    """A number as the 0-d array that a ufunc of that dtype takes as it is."""
    return np.asarray(value, dtype)


def traced_calls(
    kind: Kind, inputs: Sequence[Array], out: Array, scratch: Scratch
) -> list[KernelCall]:
    """The calls of an element-wise op on buffers; results between are in scratch, or in the output's buffer."""
    traced = cast("tuple[TracedCall, ...]", kind.traced)
    if any(spec.weak for spec in kind.inputs):
        # A Python number takes the dtype of each call it is in.
        numbers = {p: Literal(inputs[p]) for p, spec in enumerate(kind.inputs) if spec.weak}
        traced = tuple(
            call._replace(
                operands=tuple(
                    p if isinstance(p, Literal) else numbers.get(int(p), p) for p in call.operands
                )
            )
            for call in traced
        )
    if len(traced) == 1:
        return _applied(traced[0], inputs, out, scratch)
    count = len(inputs)
    arrays: list[Array] = list(inputs)
    last = {
        int(p): i
        for i, call in enumerate(traced)
        for p in call.operands
        if not isinstance(p, Literal)
    }
    # The output's buffer may hold results between, unless an input lies there, or np.where would read it while it writes.
    whole = all(call.function is not np.where for call in traced)
    free = [out] if whole and not any(np.may_share_memory(out, a) for a in inputs) else []
    calls: list[KernelCall] = []
    for i, call in enumerate(traced):
        places = [int(p) for p in call.operands if not isinstance(p, Literal)]
        done = [arrays[p] for p in set(places) if p >= count and last[p] == i]
        if call.function is not np.where:
            free += done
        shape = np.broadcast_shapes(*(arrays[p].shape for p in places))
        result = out if i == len(traced) - 1 else _lend(free, shape, call.dtype, scratch)
        calls += _applied(call, arrays, result, scratch)
        arrays.append(result)
        if call.function is np.where:
            free += done
    return calls


def _lend(free: list[Array], shape: Shape, dtype: Dtype, scratch: Scratch) -> Array:
    for k, array in enumerate(free):
        if array.shape == shape and array.dtype == dtype:
            return free.pop(k)
    return scratch(shape, dtype)


def _applied(
    call: TracedCall, arrays: Sequence[Array], out: Array, scratch: Scratch
) -> list[KernelCall]:
    operands = [
        literal(place, dtype) if isinstance(place, Literal) else arrays[int(place)]
        for place, dtype in zip(call.operands, call.dtypes, strict=True)
    ]
    if call.function is np.where:
        condition, x, y = operands
        return _chosen(condition, x, y, out, scratch)
    return [(POSITIONAL.get(call.function, call.function), (*operands, out))]


def _chosen(condition: Array, x: Array, y: Array, out: Array, scratch: Scratch) -> list[KernelCall]:
    """`np.where`. In a large array it is done on the bits: a test in each cell costs twenty times as much."""
    if out.size < MASKED_SIZE or not x.dtype == y.dtype == out.dtype or out.dtype.kind != "f":
        return [(np.copyto, (out, y)), (np.copyto, (out, x, "same_kind", condition))]
    bits = np.dtype(f"i{out.dtype.itemsize}")
    mask = scratch(condition.shape, bits)
    into = out.view(bits)
    a, b = x.view(bits), y.view(bits)
    # All bits are set where the condition holds.
    made: list[KernelCall] = [
        (np.multiply, (condition.view(np.int8), np.asarray(-1, np.int8), mask))
    ]
    if y.ndim == 0 and not b.any():
        return [*made, (np.bitwise_and, (a, mask, into))]
    return [
        *made,
        (np.bitwise_xor, (a, b, into)),
        (np.bitwise_and, (into, mask, into)),
        (np.bitwise_xor, (into, b, into)),
    ]


def _flat_parts(
    traced: Sequence[TracedCall], inputs: Sequence[Array], out: Array
) -> Iterator[tuple[Sequence[Array], Array]]:
    """Inputs and output piece by piece: of several calls on large arrays, what lies between stays in the cache.

    Pieces are cut where cells follow one another in memory, at whole cache lines: no bit depends on it.
    """
    step = PART_BYTES // out.itemsize
    if len(traced) == 1 or out.size <= step or not out.flags.c_contiguous:
        yield inputs, out
        return
    # One number that is seen everywhere is a number.
    inputs = [a if any(a.strides) else a[(0,) * a.ndim + (...,)] for a in inputs]
    if not all(a.shape == out.shape and a.flags.c_contiguous for a in inputs if a.ndim):
        yield inputs, out
        return
    flat = [a.reshape(-1) if a.ndim else a for a in inputs]
    into = out.reshape(-1)
    for start in range(0, out.size, step):
        part = slice(start, start + step)
        yield [a[part] if a.ndim else a for a in flat], into[part]


def calls_of(
    kind: Kind, arrays: Sequence[Array], outs: tuple[Array, ...], scratch: Scratch
) -> list[KernelCall]:
    """The calls that compute one application into `outs`: by its kernel, its trace, or its forward as it is."""
    op = kind.op
    if op.kernel_rule is not None:
        operands = [
            literal(float(a), outs[0].dtype) if spec.weak else a
            for a, spec in zip(arrays, kind.inputs, strict=True)
        ]
        out = outs if len(outs) > 1 else outs[0]
        return list(op.kernel_rule(scratch, out, *operands, **kind.attributes))
    if kind.traced is not None:
        return [
            call
            for given, out in _flat_parts(kind.traced, arrays, outs[0])
            for call in traced_calls(kind, given, out, scratch.begin())
        ]
    if op.name == "reshape" and outs[0].flags.c_contiguous:
        # An array that lies in pieces is copied once, where it goes.
        return [(np.copyto, (outs[0].reshape(arrays[0].shape), arrays[0]))]
    given = [float(a) if spec.weak else a for a, spec in zip(arrays, kind.inputs, strict=True)]
    return [(_forward, (op.forward, given, kind.attributes, outs))]


def made_of_calls(
    op: Op,
    arrays: Sequence[Array],
    inputs: tuple[Spec, ...],
    outputs: tuple[Spec, ...],
    attributes: Mapping[str, object],
) -> Array | None:
    """A large element-wise result, read-only, computed by the calls of the fast path; None for anything else.

    They take less time than the forward: they stay in the cache, and choose without a test in each cell.
    """
    if op.kernel_rule is not None or len(outputs) != 1 or prod(outputs[0].shape) < LARGE:
        return None
    try:
        traced = _traced(op, inputs, tuple(attributes.items()), repr(attributes))
    except TypeError:
        # An attribute that cannot be looked up: a list.
        return None
    if traced is None or (len(traced) == 1 and traced[0].function is not np.where):
        return None
    out = np.empty(outputs[0].shape, outputs[0].dtype)
    kind = Kind(op, op.bind(attributes), inputs, outputs, traced, None)
    for function, arguments in calls_of(kind, arrays, (out,), Scratch()):
        function(*arguments)
    out.flags.writeable = False
    return out


@functools.lru_cache(maxsize=256)
def _traced(
    op: Op, inputs: tuple[Spec, ...], attributes: tuple[tuple[str, object], ...], _: str
) -> tuple[TracedCall, ...] | None:
    # The text tells apart what is equal: 0.0 and -0.0.
    return trace(op, inputs, dict(attributes))


def _forward(
    forward: Callable[..., Any],
    inputs: Sequence[Any],
    attributes: Mapping[str, object],
    outs: tuple[Array, ...],
) -> None:
    result = forward(*inputs, **attributes)
    for out, array in zip(outs, result if isinstance(result, tuple) else (result,), strict=True):
        np.copyto(out, array)


def view_of(kind: Kind, array: Array) -> Array | None:
    """The output as a view of the input, or None if it is something new."""
    with np.errstate(all="ignore"):
        result = kind.op.forward(array, **kind.attributes)
    if isinstance(result, np.ndarray) and np.may_share_memory(result, array):
        return result
    return None
