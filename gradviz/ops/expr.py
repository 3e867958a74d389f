"""Grow a graph by writing arithmetic.

An `Expr` is one output of a `Call`; a call holds op, attributes and input Exprs, and there is no hidden graph:
`collect` makes one from the Exprs it is given. Rules use the same class, with leaves bound to ports of a graph
that exists already.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import EllipsisType, MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gradviz.bulk import bulk
from gradviz.errors import GradvizError, IndexRangeError, InputError, ShapeError
from gradviz.graph.model import (
    EMPTY,
    Array,
    Graph,
    Node,
    OutPort,
    free_id,
    free_name,
    freeze,
    frozen_array,
)
from gradviz.ops import registry, shapes
from gradviz.ops.spec import BOOL, DTYPES, FLOAT64, INT64, WEAK, Spec
from gradviz.text import mark, shape_words

if TYPE_CHECKING:
    from gradviz.ops.op import Op


# What an op raises when the settings, or the numbers, it is given make no sense to it.
UNUSABLE = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
UNCOMPUTABLE = (*UNUSABLE, np.linalg.LinAlgError, MemoryError)


class Call:
    """One application of an op. `port` is set on a leaf that stands for a node of a graph.

    `measured` says that the specs are those of the numbers at hand: with others, the shape may be another.
    """

    __slots__ = ("attributes", "inputs", "measured", "name", "op", "outputs", "port", "specs")

    def __init__(
        self,
        op: Op | None,
        inputs: tuple[Expr, ...],
        attributes: Mapping[str, object],
        specs: tuple[Spec, ...],
        *,
        name: str = "",
        outputs: tuple[Array, ...] | None = None,
        port: str | None = None,
        measured: bool = False,
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.attributes = attributes
        self.specs = specs
        self.name = name
        self.outputs = outputs
        self.port = port
        self.measured = measured


class Expr:
    """A value that is known by how it is computed.

    Arithmetic, indexing and the functions of `gradviz` make new Exprs. `==` is identity; use `gradviz.equal` for
    the comparison cell by cell.
    """

    __slots__ = ("call", "index")
    __array_priority__ = 1000.0

    def __init__(self, call: Call, index: int = 0) -> None:
        self.call = call
        self.index = index

    @property
    def spec(self) -> Spec:
        """Shape and dtype."""
        return self.call.specs[self.index]

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis; `()` for one number."""
        return self.spec.shape

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """The dtype of `.value`."""
        return self.spec.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of cells."""
        product = 1
        for length in self.shape:
            product *= length
        return product

    @property
    def T(self) -> Expr:  # noqa: N802  NumPy's name
        """The transpose: all axes reversed."""
        return _make("transpose", self)

    @property
    def name(self) -> str:
        """The name it was given, or an empty string."""
        return self.call.name

    @name.setter
    def name(self, name: str) -> None:
        self.call.name = name

    @property
    def value(self) -> Array:
        """The value as a read-only NumPy array; computed once."""
        compute([self])
        assert self.call.outputs is not None
        return self.call.outputs[self.index]

    def leaf(self, name: str) -> Expr:
        """The variable, constant or random source called `name` that this is computed from."""
        leaves = [call for call in _calls([self]) if not call.inputs and call.name]
        for call in leaves:
            if call.name == name:
                return Expr(call)
        raise InputError(
            mark("ops", "There is no {name} here; the names are: {names}."),
            name=name,
            names=", ".join(call.name for call in leaves) or "none",
        )

    def __repr__(self) -> str:
        name = f"{self.name}: " if self.name else ""
        op = self.call.op.name if self.call.op else "port"
        return f"<{name}{op} {shape_words(self.shape)} {self.dtype}>"

    def __add__(self, other: object) -> Expr:
        return _make("add", self, other)

    def __radd__(self, other: object) -> Expr:
        return _make("add", other, self)

    def __sub__(self, other: object) -> Expr:
        return _make("subtract", self, other)

    def __rsub__(self, other: object) -> Expr:
        return _make("subtract", other, self)

    def __mul__(self, other: object) -> Expr:
        return _make("multiply", self, other)

    def __rmul__(self, other: object) -> Expr:
        return _make("multiply", other, self)

    def __truediv__(self, other: object) -> Expr:
        return _make("divide", self, other)

    def __rtruediv__(self, other: object) -> Expr:
        return _make("divide", other, self)

    def __pow__(self, other: object) -> Expr:
        if isinstance(other, int | float) and other == 2:
            return _make("square", self)
        return _make("power", self, other)

    def __rpow__(self, other: object) -> Expr:
        return _make("power", other, self)

    def __matmul__(self, other: object) -> Expr:
        return _make("matmul", self, other)

    def __rmatmul__(self, other: object) -> Expr:
        return _make("matmul", other, self)

    def __neg__(self) -> Expr:
        return _make("negative", self)

    def __pos__(self) -> Expr:
        return self

    def __round__(self, digits: int | None = None) -> Expr:
        if digits:
            raise InputError(mark("ops", "round works to whole numbers; multiply first."))
        return _make("round", self)

    def __floor__(self) -> Expr:
        return _make("floor", self)

    def __ceil__(self) -> Expr:
        return _make("ceil", self)

    def __trunc__(self) -> Expr:
        return _make("trunc", self)

    def __abs__(self) -> Expr:
        return _make("abs", self)

    def __mod__(self, other: object) -> Expr:
        return _make("remainder", self, other)

    def __rmod__(self, other: object) -> Expr:
        return _make("remainder", other, self)

    def __floordiv__(self, other: object) -> Expr:
        return _make("floor_divide", self, other)

    def __rfloordiv__(self, other: object) -> Expr:
        return _make("floor_divide", other, self)

    def __ge__(self, other: object) -> Expr:
        return _make("greater_equal", self, other)

    def __le__(self, other: object) -> Expr:
        return _make("less_equal", self, other)

    def __invert__(self) -> Expr:
        return _make("logical_not", self)

    def __and__(self, other: object) -> Expr:
        return _make("logical_and", self, other)

    def __or__(self, other: object) -> Expr:
        return _make("logical_or", self, other)

    def __gt__(self, other: object) -> Expr:
        return _make("greater", self, other)

    def __lt__(self, other: object) -> Expr:
        return _make("less", self, other)

    def __getitem__(self, index: object) -> Expr:
        if isinstance(index, Expr):
            # Truth values choose; whole numbers pick.
            return _make("masked_select" if index.dtype == BOOL else "take", self, index)
        return cast(Expr, registry.get("getitem")(self, index=index_items(index)))

    def __len__(self) -> int:
        if not self.shape:
            raise ShapeError(mark("ops", "One number has no length."))
        return self.shape[0]

    def __iter__(self) -> Iterator[Expr]:
        if not self.shape:
            raise ShapeError(mark("ops", "One number cannot be taken apart."))
        return (self[i] for i in range(self.shape[0]))

    def __bool__(self) -> bool:
        raise InputError(
            mark(
                "ops",
                "An expression is neither true nor false. Use gradviz.where(condition, a, b) to choose "
                "between values, or .value to look at the number.",
            )
        )

    def __array__(self, *_: object, **__: object) -> Array:
        raise InputError(
            mark("ops", "NumPy cannot read an expression. Use its .value, which is an array.")
        )

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **keywords: object
    ) -> Expr:
        op = registry.lookup(ufunc.__name__)
        if op is None or method != "__call__" or keywords:
            near = registry.nearest(ufunc.__name__)
            hint = near if near is not None else "none is near"
            raise InputError(
                mark(
                    "ops", "numpy.{name} does not work on an expression; of gradviz's own: {near}."
                ),
                name=ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}",
                near=f"gradviz.{hint}" if near else hint,
            )
        if op.name == "power" and isinstance(inputs[1], int | float):
            return cast(Expr, inputs[0]) ** inputs[1]
        return cast(Expr, op(*inputs))


def _make(op: str, *inputs: object) -> Expr:
    return cast(Expr, registry.get(op)(*inputs))


def variable(value: object, name: str = "", dtype: object = None) -> Expr:
    """A source to differentiate by. Integers become float64; `name` is what the window shows."""
    if isinstance(value, Expr):
        raise InputError(
            mark("ops", "A variable needs a value, not an expression; use its .value.")
        )
    given = array_of(value)
    wanted = dtype_of(dtype) if dtype is not None else None
    if wanted is not None and wanted.kind != "f":
        raise InputError(
            mark(
                "ops",
                "A variable holds float64 or float32, not {dtype}: only those have gradients.",
            ),
            dtype=wanted,
        )
    if wanted is None:
        wanted = given.dtype if given.dtype.kind == "f" else FLOAT64
    return _source("variable", frozen_array(given, wanted), name)


def constant(value: object, name: str = "", dtype: object = None) -> Expr:
    """A source that stays as it is. A plain Python number is weak: it takes the dtype of what it meets."""
    if isinstance(value, Expr):
        raise InputError(
            mark("ops", "A constant needs a value, not an expression; use its .value.")
        )
    if dtype is None and type(value) in (int, float):
        return literal(cast(float, value), name)
    given = array_of(value)
    return _source(
        "constant", frozen_array(given, dtype_of(dtype) if dtype is not None else given.dtype), name
    )


def literal(number: float, name: str = "") -> Expr:
    """A Python number as a weak constant."""
    op = registry.get("constant")
    try:
        value = frozen_array(float(number))
    except OverflowError as error:
        raise InputError(
            mark("ops", "{number} is larger than a float64 can hold."), number="The number"
        ) from error
    return Expr(Call(op, (), {"shape": (), "dtype": "weak"}, (WEAK,), name=name, outputs=(value,)))


def _source(op: str, value: Array, name: str) -> Expr:
    spec = shapes.checked(value.shape, value.dtype)
    attributes = {"shape": value.shape, "dtype": value.dtype.name}
    return Expr(Call(registry.get(op), (), attributes, (spec,), name=name, outputs=(value,)))


def array_of(value: object) -> Array:
    """`value` as an array of one of our dtypes; InputError for text, objects, complex and ragged lists."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(
            mark("ops", "The rows have different lengths, or hold no numbers.")
        ) from error
    kind = array.dtype.kind
    if kind in "iu":
        if kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
            raise InputError(mark("ops", "A whole number is too large for int64."))
        return array.astype(INT64)
    if kind == "b" or array.dtype in (np.float64, np.float32):
        return array
    if kind == "f":
        return array.astype(np.float32 if array.dtype.itemsize < 4 else FLOAT64)
    raise InputError(mark("ops", "{dtype} cannot be used: give numbers."), dtype=_kind_words(array))


def _kind_words(array: Array) -> str:
    return {"c": "complex numbers", "U": "text", "S": "bytes", "O": "a mixture of objects"}.get(
        array.dtype.kind, str(array.dtype)
    )


def dtype_of(dtype: object) -> np.dtype[np.generic]:
    """One of float64, float32, int64, bool; InputError for another."""
    try:
        found = np.dtype(cast(Any, dtype))
    except TypeError as error:
        raise InputError(mark("ops", "{dtype} is not a dtype."), dtype=dtype) from error
    if found.name not in DTYPES:
        raise InputError(
            mark("ops", "The dtype {dtype} is not supported; use one of {names}."),
            dtype=found,
            names=", ".join(DTYPES),
        )
    return DTYPES[found.name]


def as_expr(value: object) -> Expr:
    """An Expr as it is; a Python number as a weak constant, an array as a constant."""
    return value if isinstance(value, Expr) else constant(value)


def apply(
    op: Op, inputs: Sequence[object], attributes: Mapping[str, object]
) -> Expr | tuple[Expr, ...]:
    """`op` in symbols. Raises ShapeError or InputError, in the user's words, when it does not fit."""
    count = len(inputs)
    if not op.takes(count):
        raise InputError(
            mark("ops", "{op} takes {wanted} inputs ({names}), not {count}."),
            op=op.name,
            wanted=op.counted,
            names=", ".join(op.inputs),
            count=count,
        )
    expressions = _operands(inputs)
    stored = op.trimmed(attributes)
    try:
        specs = op.spec(*(e.spec for e in expressions), **op.bind(stored))
    except GradvizError:
        raise
    except UNUSABLE as error:
        raise InputError(
            mark("ops", "The settings of {op} cannot be used: {reason}."), op=op.name, reason=error
        ) from error
    if specs is None:
        return _computed(op, expressions, stored)
    several = not isinstance(specs, Spec)
    call = Call(op, expressions, stored, cast("tuple[Spec, ...]", specs if several else (specs,)))
    return tuple(Expr(call, i) for i in range(len(call.specs))) if several else Expr(call)


def _computed(
    op: Op, inputs: tuple[Expr, ...], attributes: Mapping[str, object]
) -> Expr | tuple[Expr, ...]:
    """The op where its shape depends on the numbers: it is computed now."""
    if any(call.op is None and call.outputs is None for call in _calls(inputs)):
        raise InputError(
            mark("ops", "The shape of {op} depends on the numbers, which are not known here."),
            op=op.name,
        )
    call = Call(op, inputs, attributes, (), measured=True)
    compute([Expr(call)])
    assert call.outputs is not None
    call.specs = tuple(shapes.checked(a.shape, a.dtype) for a in call.outputs)
    return (
        tuple(Expr(call, i) for i in range(len(call.specs))) if len(call.specs) > 1 else Expr(call)
    )


def open_call(outputs: Iterable[Expr]) -> Call | None:
    """The first call the outputs need whose shape depends on the numbers, if there is one."""
    return next((call for call in _calls(outputs) if call.measured), None)


def _operands(inputs: Sequence[object]) -> tuple[Expr, ...]:
    integers = [e for e in inputs if isinstance(e, Expr) and e.dtype.kind in "ib"]
    if integers and len(integers) == sum(isinstance(e, Expr) for e in inputs):
        # Beside integers, a whole Python number stays whole, as in NumPy.
        inputs = [constant(e, dtype=INT64) if type(e) is int else e for e in inputs]
    return tuple(e if isinstance(e, Expr) else as_expr(e) for e in inputs)


def index_items(index: object) -> tuple[object, ...]:
    """A Python index as the plain data a file can hold: ints, {"slice"}, "ellipsis", "newaxis", {"array"}."""
    items = index if isinstance(index, tuple) else (index,)
    return tuple(_index_item(item) for item in items)


def _index_item(item: object) -> object:
    if isinstance(item, int | np.integer) and not isinstance(item, bool | np.bool_):
        return int(item)
    if isinstance(item, slice):
        return freeze({"slice": [_bound(b) for b in (item.start, item.stop, item.step)]})
    if isinstance(item, EllipsisType):
        return "ellipsis"
    if item is None:
        return "newaxis"
    if isinstance(item, list | np.ndarray):
        array = np.asarray(item)
        if array.dtype.kind in "ib" or array.size == 0:
            array = array.astype(INT64) if array.dtype != BOOL else array
            return freeze({"array": array.tolist()})
    raise IndexRangeError(
        mark(
            "ops",
            "{item} cannot be an index: use whole numbers, slices, lists of whole numbers, None or ….",
        ),
        item=repr(item)[:60],
    )


def _bound(bound: object) -> int | None:
    if bound is None:
        return None
    if isinstance(bound, int | np.integer):
        return int(bound)
    raise IndexRangeError(
        mark("ops", "A slice needs whole numbers, not {bound}."), bound=repr(bound)[:60]
    )


def _calls(outputs: Iterable[Expr]) -> list[Call]:
    """Every call the outputs need, each after its inputs. A loop: chains may be very long."""
    done: set[int] = set()
    order: list[Call] = []
    stack: list[tuple[Call, bool]] = [(e.call, False) for e in reversed(list(outputs))]
    while stack:
        call, ready = stack.pop()
        if id(call) in done:
            continue
        if ready:
            done.add(id(call))
            order.append(call)
            continue
        stack.append((call, True))
        stack.extend((e.call, False) for e in reversed(call.inputs) if id(e.call) not in done)
    return order


def compute(outputs: Iterable[Expr]) -> None:
    """Compute the values of the outputs and of everything they need, once each."""
    missing = [e for e in outputs if e.call.outputs is None]
    with np.errstate(all="ignore"):
        for call in _calls(missing) if missing else ():
            if call.outputs is None:
                assert call.op is not None
                arrays = [cast("tuple[Array, ...]", e.call.outputs)[e.index] for e in call.inputs]
                specs = [e.spec for e in call.inputs]
                try:
                    call.outputs = call.op.evaluate(arrays, specs, call.attributes)
                except GradvizError:
                    raise
                except UNCOMPUTABLE as error:
                    raise InputError(
                        mark("ops", "{op} cannot be computed: {reason}"),
                        op=call.op.name,
                        reason=error,
                    ) from error


def _numbered(stem: str, taken: Mapping[str, object] | set[str], used: dict[str, int]) -> str:
    """`stem`, `stem_2`, …: the first that is free."""
    number = used.get(stem, 0) + 1
    name = stem if number == 1 else f"{stem}_{number}"
    while name in taken:
        number += 1
        name = f"{stem}_{number}"
    used[stem] = number
    return name


def _frozen(attributes: Mapping[str, object]) -> Mapping[str, object]:
    """Read-only; what an application holds is frozen already, but for the mapping itself."""
    if not attributes:
        return EMPTY
    return attributes if isinstance(attributes, MappingProxyType) else MappingProxyType(attributes)


class Collected:
    """A graph made of Exprs: `graph`, `values` of its sources, and where each Expr went."""

    @bulk()
    def __init__(self, outputs: Iterable[Expr], names: Mapping[str, Expr] | None = None) -> None:
        """`names` are the names a caller wants to give; an unnamed node is named after its op."""
        given = {id(e.call): name for name, e in (names or {}).items()}
        self.values: dict[str, Array] = {}
        self.calls: dict[str, Call] = {}
        self._ids: dict[int, str] = {}
        nodes: dict[str, Node] = {}
        calls = _calls(outputs)
        taken = {call.name for call in calls if call.name} | set(given.values())
        seen: set[str] = set()
        used_names: dict[str, int] = {}
        used_ids: dict[str, int] = {}
        ids = self._ids
        for call in calls:
            assert call.op is not None
            wanted = given.get(id(call)) or call.name
            if wanted and wanted not in seen:
                name = wanted
                node_id = free_id(name, nodes, used_ids)
            elif call.specs[0].weak and not call.inputs:
                name = ""
                node_id = _numbered("c", nodes, used_ids)
            elif wanted:
                name = free_name(wanted, taken, used_names)
                node_id = free_id(name, nodes, used_ids)
            else:
                # The name of an op is an id as it is.
                name = node_id = _numbered(call.op.name, taken, used_names)
                if node_id in nodes:
                    node_id = free_id(name, nodes, used_ids)
            seen.add(name)
            taken.add(name)
            inputs = tuple([OutPort(ids[id(e.call)], e.index) for e in call.inputs])
            nodes[node_id] = Node(node_id, call.op.name, inputs, _frozen(call.attributes), name)
            ids[id(call)] = node_id
            self.calls[node_id] = call
            if not call.inputs and call.outputs is not None and call.op.name != "random_normal":
                self.values[node_id] = call.outputs[0]
        self.graph = Graph(nodes)

    def port(self, expression: Expr) -> OutPort:
        """The port of an Expr that was collected."""
        return OutPort(self._ids[id(expression.call)], expression.index)

    def __contains__(self, expression: Expr) -> bool:
        return id(expression.call) in self._ids


def leaf(port: str, specs: tuple[Spec, ...]) -> Call:
    """A call that stands for a node of an existing graph: what rules get as inputs and outputs."""
    return Call(None, (), {}, specs, port=port)
