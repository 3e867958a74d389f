"""The fast path: a flat list of NumPy calls over buffers that are allocated once.

Values and gradients that were asked for keep a buffer of their own; what lies between shares memory as soon as it is not
needed any more. A contribution to a sum is written, or added, into the sum as it comes, in the order in which the recorded
run adds. Views are views. Large inputs are used where they lie: the few calls that touch them are made again when another
array is given. The bits are those of the recorded run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from types import NoneType
from typing import Any, Final, NamedTuple

import numpy as np

from gradviz.engine.kinds import Kind, Listing, Scratch, Shape, calls_of, view_of
from gradviz.engine.merging import Merged
from gradviz.engine.trace import Dtype
from gradviz.graph.model import Array, OutPort
from gradviz.ops import registry
from gradviz.ops.op import KernelCall
from gradviz.ops.spec import Spec

# A smaller input is copied into its buffer; that takes less time than making calls again.
COPIED_SIZE: Final = 2048
# Smaller results are not worth the looking after.
POOLED_BYTES: Final = 4096


class Place(NamedTuple):
    """How a view lies in an array that is whole: its shape and dtype, and in bytes where it starts and its steps."""

    shape: Shape
    dtype: Dtype
    offset: int
    strides: tuple[int, ...]


def address(array: Array) -> int:
    """Where the first cell lies in memory."""
    found: int = array.__array_interface__["data"][0]
    return found


@dataclass(eq=False)
class Input:
    """A source whose array may be replaced: its buffer, or (`moves`) what is done for another array."""

    id: str
    spec: Spec
    array: Array
    moves: bool
    again: list[Callable[[], None]] = field(default_factory=list)
    # The views of `array` that operands are: where each lies, and each in the array of today.
    places: dict[Place, int] = field(default_factory=dict)
    views: list[Array] = field(default_factory=list)

    def place(self, operand: Array) -> int:
        """The number of the view that an operand is."""
        start = address(operand) - address(self.array)
        place = Place(operand.shape, operand.dtype, start, operand.strides)
        number = self.places.setdefault(place, len(self.views))
        if number == len(self.views):
            self.views.append(operand)
        return number

    def move(self, array: Array) -> None:
        """Use another array from now on."""
        self.array = array
        self.views[:] = [
            np.ndarray(shape, dtype, array, offset, strides)
            for shape, dtype, offset, strides in self.places
        ]
        for make in self.again:
            make()


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
            target.move(np.ascontiguousarray(array, target.spec.dtype))

    def run(self) -> None:
        """Make the calls; NumPy's floating-point warnings are the caller's to silence."""
        for function, arguments in self.calls:
            function(*arguments)


class Pool:
    """Memory that is used again: `take` lends an array until it is given back."""

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


class _Arrays(Mapping[OutPort, Array]):
    """The arrays by port."""

    def __init__(self, listing: Listing, arrays: list[Any]) -> None:
        self._listing = listing
        self._arrays = arrays

    def __getitem__(self, port: OutPort) -> Array:
        found: Array | None = self._arrays[self._listing.port(port)]
        if found is None:
            raise KeyError(port)
        return found

    def __iter__(self) -> Iterator[OutPort]:
        for number, id in enumerate(self._listing.ids):
            yield from (OutPort(id, i) for i in range(len(self._listing.ports(number))))

    def __len__(self) -> int:
        return len(self._arrays)


class Builder:
    """Makes the program of a listing: walks it once and gives every port an array.

    `values` are the numbers of the sources, `inputs` the sources that will be given others, `keep` the ports to be
    read afterwards, by number. `owners` tells, for each call, the node it belongs to.
    """

    def __init__(
        self,
        listing: Listing,
        values: Mapping[str, Array],
        inputs: Collection[str],
        keep: Collection[int],
    ) -> None:
        self.listing = listing
        self.arrays: list[Any] = [None] * len(listing.specs)
        self.calls: list[KernelCall] = []
        self.owners: list[int] = []
        # Where the calls made after each node end.
        self.ends: list[int] = []
        self.views: set[int] = set()
        self._kinds, self._inputs = listing.kinds, listing.inputs
        self.inputs: dict[str, Input] = {}
        self._values = values
        self.keep = set(keep)
        self._asked = set(inputs)
        self._pool = Pool()
        self._scratch = Scratch()
        # What an array moves with: the inputs that it is, or is a view of.
        self._moving: dict[int, tuple[Input, ...]] = {}
        # Pooled memory by port, the port whose memory a view lies in, and the position of the last use.
        self._memory: dict[int, Array] = {}
        self._root: dict[int, int] = {}
        self._last: list[int] = []
        # Sums that are added up as their terms come, and the additions due after a position: (the sum, which term).
        self._sums: set[int] = set()
        self._due: dict[int, list[tuple[int, int]]] = {}
        self._written_into: dict[int, int] = {}

    def build(self) -> Program:
        """The program."""
        listing, arrays, calls, owners = self.listing, self.arrays, self.calls, self.owners
        pooled = any(_is_large(spec) for spec in set(listing.specs))
        gone: Collection[int] = ()
        if pooled:
            merged = Merged(listing, self.keep)
            self._kinds, self._inputs, gone = merged.kinds, merged.inputs, merged.gone
            self._plan_lives(gone)
        for number, kind in enumerate(self._kinds):
            inputs = self._inputs[number]
            if number in gone:
                pass
            elif kind is None:
                self._source(number)
            elif kind.op.name == "full_like":
                self._filled(number, kind)
            elif kind.simple is not None and not pooled:
                shape, dtype, _ = kind.outputs[0]
                out = arrays[listing.outputs[number]] = np.empty(shape, dtype)
                calls.append((kind.simple, (*[arrays[i] for i in inputs], out)))
                owners.append(number)
            elif number not in self._sums:
                self._apply(number, kind, inputs)
            if pooled:
                touched = [] if number in gone else [*inputs, *listing.ports(number)]
                for total, term in self._due.get(number, ()):
                    self._add(total, term)
                    touched += self._operands(total, term)
                self._release(touched, number)
            self.ends.append(len(calls))
        return Program(calls, _Arrays(listing, arrays), self.inputs)

    def _plan_lives(self, gone: Collection[int]) -> None:
        """The last use of every port, and when the terms of a sum are added."""
        listing = self.listing
        uses = [0] * len(listing.specs)
        last = self._last = list(listing.owners)
        for number, kind in enumerate(self._kinds):
            if number in gone:
                continue
            inputs = self._inputs[number]
            if kind is not None and kind.is_sum and len(inputs) > 1 and _is_large(kind.outputs[0]):
                self._sums.add(number)
            for port in inputs:
                uses[port] += 1
                if number not in self._sums:
                    last[port] = number
        for number in sorted(self._sums):
            self._plan_sum(number, uses)

    def _plan_sum(self, number: int, uses: list[int]) -> None:
        """A term is added when it is there and those before it have been added: in the order of the recorded run."""
        listing = self.listing
        terms = self._inputs[number]
        at = listing.owners[terms[0]]
        for term in range(1, len(terms)):
            at = max(at, listing.owners[terms[term]])
            self._due.setdefault(at, []).append((number, term))
            for port in self._operands(number, term):
                self._last[port] = max(self._last[port], at)
        first = terms[0]
        maker = listing.owners[first]
        kind = self._kinds[maker]
        if (
            uses[first] == 1
            and first not in self.keep
            and kind is not None
            and len(kind.outputs) == 1
            and kind.op.name != "full_like"
            # A view costs nothing; the first addition reads what it looks at.
            and not kind.may_be_view
        ):
            self._written_into[first] = listing.outputs[number]

    def _operands(self, total: int, term: int) -> tuple[int, ...]:
        """The terms that are read when a sum gets one more: the first addition reads two."""
        terms = self._inputs[total]
        return terms[:2] if term == 1 else terms[term : term + 1]

    def _release(self, touched: Iterable[int], position: int) -> None:
        for port in touched:
            root = self._root.get(port, port)
            if self._last[root] <= position:
                memory = self._memory.pop(root, None)
                if memory is not None:
                    self._pool.give_back(memory)

    def _new(self, port: int) -> Array:
        """Memory for a port: its own if it is kept, that of a sum of which it is the first term, or from the pool."""
        total = self._written_into.get(port)
        if total is not None:
            self._root[port] = self._root.get(total, total)
            found: Array | None = self.arrays[total]
            array = self.arrays[port] = self._new(total) if found is None else found
            return array
        spec = self.listing.specs[port]
        if port in self.keep or not _is_large(spec):
            array = np.empty(spec.shape, spec.dtype)
        else:
            array, self._memory[port] = self._pool.take(spec.shape, spec.dtype)
        self.arrays[port] = array
        return array

    def _source(self, number: int) -> None:
        listing = self.listing
        node, port = listing.nodes[number], listing.outputs[number]
        spec = listing.specs[port]
        array = self._values.get(node.id)
        if array is None:
            (array,) = registry.get(node.op).evaluate((), (), node.attributes)
        if node.id in self._asked:
            moves = array.size >= COPIED_SIZE
            # Nobody else uses this memory: what lies in it is the input, or a view of it.
            own = np.empty(spec.shape, spec.dtype) if moves else np.array(array, spec.dtype)
            given = Input(node.id, spec, own, moves)
            self.inputs[node.id] = given
            array = given.array
            if moves:
                self._moving[port] = (given,)
                given.again.append(lambda: self.arrays.__setitem__(port, given.array))
        self.arrays[port] = array

    def _filled(self, number: int, kind: Kind) -> None:
        """A constant: one number, seen everywhere."""
        spec = kind.outputs[0]
        self.arrays[self.listing.outputs[number]] = np.broadcast_to(
            np.full((), kind.attributes["fill"], spec.dtype), spec.shape
        )

    def _add(self, total: int, term: int) -> None:
        port = self.listing.outputs[total]
        terms = self._inputs[total]
        arrays = self.arrays
        found: Array | None = arrays[port]
        out = self._new(port) if found is None else found

        def make() -> list[KernelCall]:
            return [(np.add, (arrays[terms[0]] if term == 1 else out, arrays[terms[term]], out))]

        self._emit(total, make, self._operands(total, term))

    def _apply(self, number: int, kind: Kind, inputs: tuple[int, ...]) -> None:
        if self._is_view(number, kind, inputs):
            return
        arrays = self.arrays
        ports = self.listing.ports(number)
        if not self._in_place(kind, inputs, ports[0], number):
            for port in ports:
                self._new(port)
        outs = tuple([arrays[port] for port in ports])

        def make() -> list[KernelCall]:
            return calls_of(kind, [arrays[i] for i in inputs], outs, self._scratch.begin())

        self._emit(number, make, inputs)

    def _emit(
        self, owner: int, make: Callable[[], list[KernelCall]], inputs: Iterable[int]
    ) -> None:
        """Append calls; where an operand moves with an input, they are made again with it."""
        start = len(self.calls)
        self.calls += make()
        end = len(self.calls)
        self.owners += [owner] * (end - start)
        if not self._moving:
            return
        moving = {id(i): i for port in inputs for i in self._moving.get(port, ())}
        for given in moving.values():
            given.again.append(self._moved(given, start, end, make))

    def _moved(
        self, given: Input, start: int, end: int, make: Callable[[], list[KernelCall]]
    ) -> Callable[[], None]:
        """What is to be done when an input moves that calls start … end read: exchange operands, or make the calls again."""
        calls = self.calls

        def again() -> None:
            calls[start:end] = make()

        if not all(_is_plain(given.array, *call) for call in calls[start:end]):
            return again
        places: list[tuple[int, int, int]] = [
            (number, position, given.place(operand))
            for number in range(start, end)
            for position, operand in enumerate(calls[number][1])
            if isinstance(operand, np.ndarray) and np.may_share_memory(operand, given.array)
        ]

        def exchange() -> None:
            views = given.views
            for number, position, place in places:
                function, arguments = calls[number]
                others = list(arguments)
                others[position] = views[place]
                calls[number] = function, tuple(others)

        return exchange

    def _is_view(self, number: int, kind: Kind, inputs: tuple[int, ...]) -> bool:
        """Whether the op only looks at its input in another way; then there is nothing to compute."""
        port = self.listing.outputs[number]
        if not kind.may_be_view or port in self._written_into:
            return False
        (source,) = inputs
        seen = view_of(kind, self.arrays[source])
        if seen is None:
            return False
        self.arrays[port] = seen
        self.views.add(number)
        if self._last:
            root = self._root[port] = self._root.get(source, source)
            # What is kept is looked at after the last position.
            until = len(self.listing.nodes) if port in self.keep else self._last[port]
            self._last[root] = max(self._last[root], until)
        moving = self._moving.get(source, ())
        if moving:
            # A view of a view of one input is a view of it.
            (given,) = self._moving[port] = moving
            number = given.place(seen)
            given.again.append(lambda: self.arrays.__setitem__(port, given.views[number]))
        return True

    def _in_place(self, kind: Kind, inputs: tuple[int, ...], out: int, position: int) -> bool:
        """Whether the output can take the memory of an operand that nobody needs any more."""
        if kind.simple is None or out in self.keep or out in self._written_into:
            return False
        due = [p for addition in self._due.get(position, ()) for p in self._operands(*addition)]
        for port, spec in zip(inputs, kind.inputs, strict=True):
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


def _is_plain(given: Array, function: Callable[..., Any], arguments: Iterable[Any]) -> bool:
    """Whether a call touches the array of an input only through its arguments."""
    owner = getattr(function, "__self__", None)
    if getattr(function, "__closure__", None) or not (
        owner is None
        or isinstance(owner, np.ufunc)
        or (isinstance(owner, np.ndarray) and not np.may_share_memory(owner, given))
    ):
        return False
    return all(
        isinstance(a, np.ndarray | np.generic | np.dtype | int | float | str | NoneType)
        or (isinstance(a, tuple) and all(isinstance(i, int) for i in a))
        for a in arguments
    )


def _is_large(spec: Spec) -> bool:
    return prod(spec.shape) * spec.dtype.itemsize >= POOLED_BYTES
