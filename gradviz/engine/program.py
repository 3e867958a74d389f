"""The fast path: a flat list of NumPy calls over buffers that are allocated once.

Values and gradients that were asked for keep a buffer of their own; what lies between shares memory as soon as it is not
needed any more. A contribution to a sum is written, or added, into the sum as it comes, in the order in which the recorded
run adds. Views are views. Large inputs are used where they lie: the few calls that touch them are made again when another
array is given. The bits are those of the recorded run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Final, NamedTuple, cast

import numpy as np

from gradviz.engine.trace import Dtype, Literal, TracedCall, trace
from gradviz.graph.model import Array, Node, OutPort
from gradviz.ops import registry
from gradviz.ops.op import KernelCall, Op
from gradviz.ops.spec import Spec

# A smaller input is copied into its buffer; that takes less time than making calls again.
COPIED_SIZE: Final = 2048
# From so many cells on, `np.where` works on bits.
MASKED_SIZE: Final = 256
Shape = tuple[int, ...]
Nodes = Mapping[str, Node]
AllSpecs = Mapping[str, tuple[Spec | None, ...]]


class Kind(NamedTuple):
    """What nodes of the same op, settings and specs have in common."""

    op: Op
    attributes: Mapping[str, object]
    inputs: tuple[Spec, ...]
    outputs: tuple[Spec, ...]
    traced: tuple[TracedCall, ...] | None


class Kinds:
    """The kinds met so far."""

    def __init__(self, specs: AllSpecs) -> None:
        self.specs = specs
        self._known: dict[object, Kind] = {}

    def of(self, node: Node) -> Kind:
        specs = self.specs
        inputs = tuple([specs[port.node][port.index] for port in node.inputs])  # type: ignore[union-attr]
        settings = repr(node.attributes) if node.attributes else ""
        key = node.op, settings, inputs, specs[node.id]
        found = self._known.get(key)
        if found is None:
            op = registry.get(node.op)
            given = cast("tuple[Spec, ...]", inputs)
            # An op with a kernel is fused on purpose; accumulate is taken apart by whoever adds.
            traced = None if op.kernel_rule is not None else trace(op, given, node.attributes)
            found = self._known[key] = Kind(
                op,
                op.bind(node.attributes),
                given,
                cast("tuple[Spec, ...]", specs[node.id]),
                traced,
            )
        return found


@dataclass(eq=False)
class Input:
    """A source whose array may be replaced: its buffer, or (`moves`) what is made again for another array."""

    id: str
    spec: Spec
    array: Array
    moves: bool
    again: list[Callable[[], None]] = field(default_factory=list)


@dataclass(eq=False)
class Program:
    """`calls` in order; `arrays` holds, after a run, the array of each port that was to be kept."""

    calls: list[KernelCall]
    arrays: Mapping[OutPort, Array]
    inputs: dict[str, Input]

    def give(self, id: str, array: Array) -> None:
        """Replace the numbers of an input."""
        target = self.inputs[id]
        if not target.moves:
            np.copyto(target.array, array)
        elif array is not target.array:
            target.array = np.ascontiguousarray(array, target.spec.dtype)
            for make in target.again:
                make()

    def run(self) -> None:
        """Make the calls; NumPy's floating-point warnings are the caller's to silence."""
        for function, arguments in self.calls:
            function(*arguments)


def _maximum(x: Array, y: Array, out: Array) -> None:
    # NumPy deprecates the positional out of these two.
    np.maximum(x, y, out=out)


def _minimum(x: Array, y: Array, out: Array) -> None:
    np.minimum(x, y, out=out)


POSITIONAL: Final[Mapping[Any, Callable[..., Any]]] = {np.maximum: _maximum, np.minimum: _minimum}


class Pool:
    """Scratch memory: `take` lends an array until it is given back."""

    def __init__(self) -> None:
        self._free: dict[int, list[Array]] = {}

    def take(self, shape: Shape, dtype: Dtype) -> tuple[Array, Array]:
        """An array, and the memory behind it to give back."""
        size = prod(shape) * dtype.itemsize
        waiting = self._free.get(size)
        memory = waiting.pop() if waiting else np.empty(size, np.uint8)
        return memory.view(dtype).reshape(shape), memory

    def give_back(self, memory: Array) -> None:
        self._free.setdefault(memory.nbytes, []).append(memory)


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


class Builder:
    """Makes the program that computes the nodes of `order`: walks it once and gives every port an array.

    `values` are the numbers of the sources, `inputs` the sources that will be given others, `keep` the ports to be
    read afterwards. Every spec must be known. `owners` names, for each call, the node it belongs to.
    """

    def __init__(
        self,
        order: Sequence[str],
        nodes: Nodes,
        specs: AllSpecs,
        values: Mapping[str, Array],
        inputs: Collection[str],
        keep: Collection[OutPort],
    ) -> None:
        self.order = order
        self.nodes = nodes
        self.specs = specs
        self._values = values
        self._keep = set(keep)
        self.kinds = Kinds(specs)
        self._pool = Pool()
        self._scratch = Scratch()
        self.arrays: dict[OutPort, Array] = {}
        self.calls: list[KernelCall] = []
        self.owners: list[str] = []
        # Where the calls made after each position end.
        self.ends: list[int] = []
        self.views: set[str] = set()
        self.inputs: dict[str, Input] = {}
        self._asked = set(inputs)
        # What an array moves with: the inputs that it is, or is a view of.
        self._moving: dict[OutPort, tuple[Input, ...]] = {}
        # Pooled memory by port, the port whose memory a view lies in, and the position of the last use.
        self._memory: dict[OutPort, Array] = {}
        self._root: dict[OutPort, OutPort] = {}
        self._last: dict[OutPort, int] = {}
        # Sums by node, and the additions that are due after a position: (the sum, which term).
        self.sums: set[str] = set()
        self._due: dict[int, list[tuple[Node, int]]] = {}
        self._written_into: dict[OutPort, OutPort] = {}

    def build(self) -> Program:
        self._plan_lives()
        for position, id in enumerate(self.order):
            node = self.nodes[id]
            if not node.inputs:
                self._source(node)
            elif node.op == "full_like":
                self._filled(node)
            elif id not in self.sums:
                self._apply(node, position)
            touched = [*cast("tuple[OutPort, ...]", node.inputs), *self._ports(id)]
            for total, number in self._due.get(position, ()):
                self._add(total, number)
                touched += _operands(total, number)
            self._release(touched, position)
            self.ends.append(len(self.calls))
        return Program(self.calls, self.arrays, self.inputs)

    def _ports(self, id: str) -> Iterable[OutPort]:
        return (OutPort(id, i) for i in range(len(self.specs[id])))

    def _spec(self, port: OutPort) -> Spec:
        return cast(Spec, self.specs[port.node][port.index])

    def _plan_lives(self) -> None:
        """The last use of every port, and when the terms of a sum are added."""
        positions: dict[str, int] = {}
        uses: dict[OutPort, int] = {}
        last = self._last
        for position, id in enumerate(self.order):
            positions[id] = position
            node = self.nodes[id]
            ports = cast("tuple[OutPort, ...]", node.inputs)
            spec = self._spec(OutPort(id))
            adds = node.op == "accumulate" and all(self._spec(port) == spec for port in ports)
            if adds and len(ports) > 1:
                self.sums.add(id)
            for port in ports:
                uses[port] = uses.get(port, 0) + 1
                if id not in self.sums:
                    last[port] = position
            for port in self._ports(id):
                last[port] = position
        for id in self.sums:
            self._plan_sum(self.nodes[id], positions, uses)

    def _plan_sum(
        self, node: Node, positions: Mapping[str, int], uses: Mapping[OutPort, int]
    ) -> None:
        """A term is added when it is there and those before it have been added: in the order of the recorded run."""
        terms = cast("tuple[OutPort, ...]", node.inputs)
        at = positions[terms[0].node]
        for number, term in enumerate(terms[1:], 1):
            at = max(at, positions[term.node])
            self._due.setdefault(at, []).append((node, number))
            for port in _operands(node, number):
                self._last[port] = max(self._last[port], at)
        first = terms[0]
        if (
            uses[first] == 1
            and first not in self._keep
            and len(self.specs[first.node]) == 1
            and self.nodes[first.node].inputs
            and self.nodes[first.node].op != "full_like"
        ):
            self._written_into[first] = OutPort(node.id)

    def _release(self, touched: Iterable[OutPort], position: int) -> None:
        for port in touched:
            root = self._root.get(port, port)
            if self._last[root] <= position:
                memory = self._memory.pop(root, None)
                if memory is not None:
                    self._pool.give_back(memory)

    def _new(self, port: OutPort) -> Array:
        """Memory for a port: its own if it is kept, that of a sum of which it is the first term, or from the pool."""
        total = self._written_into.get(port)
        if total is not None:
            self._root[port] = self._root.get(total, total)
            array = self.arrays.get(total)
            array = self.arrays[port] = self._new(total) if array is None else array
            return array
        spec = self._spec(port)
        if port in self._keep:
            array = np.empty(spec.shape, spec.dtype)
        else:
            array, self._memory[port] = self._pool.take(spec.shape, spec.dtype)
        self.arrays[port] = array
        return array

    def _source(self, node: Node) -> None:
        port = OutPort(node.id)
        spec = self._spec(port)
        array = self._values.get(node.id)
        if array is None:
            (array,) = registry.get(node.op).evaluate((), (), node.attributes)
        if node.id in self._asked:
            moves = array.size >= COPIED_SIZE
            given = Input(node.id, spec, array if moves else np.array(array, spec.dtype), moves)
            self.inputs[node.id] = given
            array = given.array
            if moves:
                self._moving[port] = (given,)
                given.again.append(lambda: self.arrays.__setitem__(port, given.array))
        self.arrays[port] = array

    def _filled(self, node: Node) -> None:
        port = OutPort(node.id)
        spec = self._spec(port)
        attributes = self.kinds.of(node).attributes
        self.arrays[port] = np.broadcast_to(np.full((), attributes["fill"], spec.dtype), spec.shape)

    def _add(self, total: Node, number: int) -> None:
        port = OutPort(total.id)
        term = cast(OutPort, total.inputs[number])
        first = cast(OutPort, total.inputs[0])
        out = self.arrays.get(port)
        out = self._new(port) if out is None else out
        so_far = self.arrays[first] if number == 1 else out
        self._emit(
            total.id,
            lambda: [
                (np.add, (self.arrays[first] if number == 1 else out, self.arrays[term], out))
            ],
            (first, term) if number == 1 and so_far is not out else (term,),
        )

    def _apply(self, node: Node, position: int) -> None:
        kind = self.kinds.of(node)
        ports = cast("tuple[OutPort, ...]", node.inputs)
        if kind.op.kernel_rule is None and kind.traced is None and self._is_view(node, kind, ports):
            return
        if not self._in_place(kind, ports, OutPort(node.id), position):
            for port in self._ports(node.id):
                self._new(port)
        outs = tuple(self.arrays[port] for port in self._ports(node.id))
        self._emit(
            node.id,
            lambda: calls_of(kind, [self.arrays[p] for p in ports], outs, self._scratch.begin()),
            ports,
        )

    def _emit(
        self, owner: str, make: Callable[[], list[KernelCall]], ports: Iterable[OutPort]
    ) -> None:
        """Append calls; where an operand moves with an input, they are made again with it."""
        start = len(self.calls)
        self.calls += make()
        end = len(self.calls)
        self.owners += [owner] * (end - start)
        moving = {id(i): i for port in ports for i in self._moving.get(port, ())}
        if moving:

            def again() -> None:
                self.calls[start:end] = make()

            for given in moving.values():
                given.again.append(again)

    def _is_view(self, node: Node, kind: Kind, ports: tuple[OutPort, ...]) -> bool:
        """Whether the op only looks at its input in another way; then there is nothing to compute."""
        if (
            len(ports) != 1
            or not kind.op.linear_in
            or len(kind.outputs) != 1
            or kind.inputs[0].weak
        ):
            return False
        (source,) = ports
        port = OutPort(node.id)
        seen = view_of(kind, self.arrays[source])
        if seen is None or port in self._written_into:
            return False
        self.arrays[port] = seen
        self.views.add(node.id)
        root = self._root[port] = self._root.get(source, source)
        # What is kept is looked at after the last position.
        until = len(self.order) if port in self._keep else self._last[port]
        self._last[root] = max(self._last[root], until)
        moving = self._moving.get(source, ())
        if moving:
            self._moving[port] = moving

            def again() -> None:
                self.arrays[port] = cast(Array, view_of(kind, self.arrays[source]))

            for given in moving:
                given.again.append(again)
        return True

    def _in_place(self, kind: Kind, ports: Sequence[OutPort], out: OutPort, position: int) -> bool:
        """Whether the output can take the memory of an operand that nobody needs any more."""
        if kind.traced is None or len(kind.traced) != 1 or kind.traced[0].function is np.where:
            return False
        if out in self._keep or out in self._written_into:
            return False
        due = [p for addition in self._due.get(position, ()) for p in _operands(*addition)]
        for port, spec in zip(ports, kind.inputs, strict=True):
            if (
                spec == kind.outputs[0]
                and port in self._memory
                and self._last[port] <= position
                and port not in due
            ):
                self._memory[out] = self._memory.pop(port)
                self.arrays[out] = self.arrays[port]
                return True
        return False


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
        return traced_calls(kind, arrays, outs[0], scratch)
    given = [float(a) if spec.weak else a for a, spec in zip(arrays, kind.inputs, strict=True)]
    return [(_forward, (op.forward, given, kind.attributes, outs))]


def _operands(total: Node, number: int) -> tuple[OutPort, ...]:
    """The terms that are read when a sum gets its term `number`: the first addition reads two."""
    terms = cast("tuple[OutPort, ...]", total.inputs)
    return terms[:2] if number == 1 else terms[number : number + 1]


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
