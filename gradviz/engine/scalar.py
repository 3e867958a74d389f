"""Python source for the parts of a program that compute with single numbers.

NumPy's cheapest call on one number takes twenty times as long as Python's own arithmetic. So what is 0-d and float64
is written as straight lines of Python on floats; calls on arrays stand between them as they are. The text is made of
the table below and of numbered names, nothing else. `engine.compiled` executes it.

Python's arithmetic gives NumPy's bits for + − × ÷ and √, and raises where NumPy gives ∞ or NaN for a division or a function;
functions may differ in the last places. Whoever calls the source repeats the run on the buffers when it raises, or when a
result is not finite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

import numpy as np

from gradviz.engine.kinds import Kind
from gradviz.engine.program import Builder
from gradviz.engine.trace import Literal, TracedCall
from gradviz.graph.model import Array
from gradviz.ops.spec import BOOL, FLOAT64, Spec

EXPRESSIONS: Final[Mapping[Any, str]] = {
    np.add: "{0} + {1}",
    np.subtract: "{0} - {1}",
    np.multiply: "{0} * {1}",
    np.divide: "{0} / {1}",
    np.negative: "-{0}",
    np.positive: "{0}",
    np.square: "{0} * {0}",
    np.reciprocal: "1.0 / {0}",
    np.absolute: "abs({0})",
    np.sqrt: "sqrt({0})",
    np.exp: "exp({0})",
    np.expm1: "expm1({0})",
    np.log: "log({0})",
    np.log1p: "log1p({0})",
    np.sin: "sin({0})",
    np.cos: "cos({0})",
    np.tan: "tan({0})",
    np.tanh: "tanh({0})",
    np.sinh: "sinh({0})",
    np.cosh: "cosh({0})",
    np.arctan: "atan({0})",
    np.power: "pow({0}, {1})",
    # A NaN wins, as in NumPy.
    np.maximum: "({0} if {0} >= {1} or {0} != {0} else {1})",
    np.minimum: "({0} if {0} <= {1} or {0} != {0} else {1})",
    np.greater: "{0} > {1}",
    np.greater_equal: "{0} >= {1}",
    np.less: "{0} < {1}",
    np.less_equal: "{0} <= {1}",
    np.equal: "{0} == {1}",
    np.not_equal: "{0} != {1}",
    np.where: "({1} if {0} else {2})",
}
# With a number on the right, which is no NaN, one comparison does.
WITH_NUMBER: Final[Mapping[Any, str]] = {
    np.maximum: "({1} if {0} < {1} else {0})",
    np.minimum: "({1} if {0} > {1} else {0})",
}
NUMBER: Final = Spec((), FLOAT64)
CHUNK: Final = 300
"""Statements in a function; a longer one runs slower than several."""
TERMS: Final = 40
"""Terms of a sum in one statement."""
SMALL: Final = 64
"""A program of so few calls is written as source whatever it computes with."""


class Source(NamedTuple):
    """The text of the program, what its names mean, and where each number (by port) is kept afterwards: (chunk, place)."""

    text: str
    names: Mapping[str, Any]
    places: Mapping[int, tuple[int, int]]
    chunks: int
    calls_arrays: bool


def worth_it(builder: Builder) -> bool:
    """Whether the program is mostly arithmetic on single numbers, or so small that every call counts."""
    numbers = len(numbers_of(builder))
    return numbers * 2 >= len(builder.calls) or (numbers > 0 and len(builder.calls) <= SMALL)


def numbers_of(builder: Builder) -> set[int]:
    """The nodes that are written as Python arithmetic."""
    listing = builder.listing
    plain: dict[int, bool] = {}
    found = set()
    for number, kind in enumerate(listing.kinds):
        if kind is None:
            continue
        written = plain.get(id(kind))
        if written is None:
            written = plain[id(kind)] = _can_write(kind)
        if written or (number in builder.views and _is_number(kind)):
            found.add(number)
    return found


def _can_write(kind: Kind) -> bool:
    if kind.op.name == "full_like":
        return kind.outputs[0] == NUMBER
    if not all(_is_scalar(spec) for spec in (*kind.inputs, *kind.outputs)):
        return False
    if kind.is_sum:
        return kind.outputs[0] == NUMBER
    return kind.traced is not None and all(_can_write_call(call) for call in kind.traced)


def _is_number(kind: Kind) -> bool:
    return kind.inputs == kind.outputs == (NUMBER,)


def _is_scalar(spec: Spec) -> bool:
    return spec.shape == () and spec.dtype in (FLOAT64, BOOL)


def _can_write_call(call: TracedCall) -> bool:
    if call.function not in EXPRESSIONS or call.dtype not in (FLOAT64, BOOL):
        return False
    numbers = call.dtypes[1:] if call.function is np.where else call.dtypes
    return all(dtype == FLOAT64 for dtype in numbers)


def write(
    builder: Builder,
    inputs: Sequence[str],
    values: Sequence[int],
    gradients: Sequence[int | None],
) -> Source:
    """A function `step` of the values of `inputs`, which sets `found.values` and `found.gradients`.

    These are looked at for what is not finite. Beside the names given in `names`, the text expects `again` (called with the inputs when the run has to be
    repeated on the buffers), `kept` (a list, one entry a chunk), `arrays` (those of the builder), `missing` (an input
    that was not given) and `found` (what `step` returns).
    """
    return _Writer(builder, inputs, values, gradients).write()


class _Chunk:
    """A function in the making: its lines, what it defines, and what it reads that another chunk defined."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.defined: list[str] = []
        self.read: dict[str, None] = {}
        # What outlives the function, and its place.
        self.kept: dict[str, int] = {}


class _Writer:
    def __init__(
        self,
        builder: Builder,
        inputs: Sequence[str],
        values: Sequence[int],
        gradients: Sequence[int | None],
    ) -> None:
        self._builder = builder
        self._inputs = inputs
        self._values = values
        self._gradients = gradients
        self._names: dict[str, Any] = {"inf": np.inf, "nan": np.nan}
        self._chunks = [_Chunk()]
        self._home: dict[str, int] = {}
        self._number: dict[int, str] = {}
        self._named: dict[int, str] = {}
        self._direct: dict[int, str] = {}
        self._calls_arrays = False
        # The comparison that the next node writes into its own expression.
        self._open = False
        self._listing = builder.listing
        self._numbers = numbers_of(builder)
        self._uses = [0] * len(self._listing.specs)
        for ports in self._listing.inputs:
            for port in ports:
                self._uses[port] += 1
        asked = {self._listing.first[id] for id in inputs}
        # Numbers that calls on arrays read have to be in their buffers.
        self._stored = {
            port
            for number, kind in enumerate(self._listing.kinds)
            if kind is not None and number not in self._numbers
            for port in self._listing.inputs[number]
            if self._listing.owners[port] in self._numbers or port in asked
        }

    def write(self) -> Source:
        self._read_inputs()
        start = 0
        for number, end in enumerate(self._builder.ends):
            for place in range(start, end):
                if self._builder.owners[place] not in self._numbers:
                    self._call(place)
            start = end
            if number in self._numbers:
                self._write_number(number)
            if len(self._chunks[-1].lines) >= CHUNK and not self._open:
                self._chunks.append(_Chunk())
        self._choose_kept()
        results = dict.fromkeys((*self._values, *self._gradients))
        looked_at = [p for p in results if p is not None and self._number.get(p) in self._home]
        text = self._text(looked_at)
        places = {
            port: (home, self._chunks[home].kept[name])
            for port, name in self._number.items()
            if (home := self._home.get(name)) is not None and name in self._chunks[home].kept
        }
        return Source(text, self._names, places, len(self._chunks), self._calls_arrays)

    def _choose_kept(self) -> None:
        """What somebody reads afterwards, and what another function reads."""
        wanted = {name for p in self._builder.keep if (name := self._number.get(p)) is not None}
        wanted.update(name for chunk in self._chunks for name in chunk.read)
        for chunk in self._chunks:
            names = [name for name in chunk.defined if name in wanted]
            chunk.kept = {name: place for place, name in enumerate(names)}

    def _read_inputs(self) -> None:
        for number, id in enumerate(self._inputs):
            given = self._builder.inputs[id]
            port = self._listing.first[id]
            if given.moves:
                self._line(f"give({id!r}, x{number})")
            elif given.spec == NUMBER:
                self._define(port, f"float(x{number})")
                if port in self._stored:
                    self._line(f"{self._constant(given.array)}[()] = {self._number[port]}")
            elif self._is_used_directly(given.array):
                check = f"x{number}.__class__ is not ndarray or x{number}.dtype is not "
                check += (
                    f"{self._constant(given.spec.dtype)} or x{number}.shape != {given.spec.shape}"
                )
                self._line(f"if {check} or not x{number}.flags.c_contiguous: raise ValueError")
                self._define(port, f"x{number}")
                self._direct[id_of(given.array)] = self._number[port]
            else:
                self._line(f"copyto({self._constant(given.array)}, x{number})")

    def _is_used_directly(self, array: Array) -> bool:
        """Whether every call that touches an input's buffer takes the buffer itself, not a view of it."""
        for _, arguments in self._builder.calls:
            for argument in arguments:
                if (
                    isinstance(argument, np.ndarray)
                    and argument is not array
                    and np.may_share_memory(argument, array)
                ):
                    return False
                if isinstance(argument, list | tuple) and any(a is array for a in argument):
                    return False
        return True

    def _call(self, place: int) -> None:
        self._calls_arrays = True
        function, arguments = self._builder.calls[place]
        if any(given.moves and given.again for given in self._builder.inputs.values()):
            # Calls are made again when another array is given: what they are is looked up each time.
            self._line(f"f, a = calls[{place}]; f(*a)")
            return
        written = ", ".join(map(self._argument, arguments))
        self._line(f"{self._constant(function)}({written})")

    def _argument(self, argument: Any) -> str:
        direct = self._direct.get(id_of(argument))
        if direct is not None:
            return self._use(direct)
        if argument is None or isinstance(argument, bool | int):
            return repr(argument)
        return self._constant(argument)

    def _constant(self, value: Any) -> str:
        """A name for an object that stays the same; the names keep it alive, so its id is its own."""
        name = self._named.get(id_of(value))
        if name is None:
            name = self._named[id_of(value)] = f"k{len(self._named)}"
            self._names[name] = value
        return name

    def _write_number(self, number: int) -> None:
        listing = self._listing
        self._open = False
        kind = cast(Kind, listing.kinds[number])
        port, sources = listing.outputs[number], listing.inputs[number]
        if kind.op.name == "full_like":
            self._number[port] = _literal(float(kind.attributes["fill"]))  # type: ignore[arg-type]
        elif number in self._builder.views:
            self._number[port] = self._operand(sources[0])
        elif kind.is_sum:
            terms = [self._operand(source) for source in sources]
            name = self._define(port, " + ".join(terms[:TERMS]))
            for first in range(TERMS, len(terms), TERMS):
                self._line(f"{name} = {' + '.join((name, *terms[first : first + TERMS]))}")
        else:
            self._write_traced(port, cast("tuple[TracedCall, ...]", kind.traced), sources)
        if port in self._stored:
            array = self._builder.arrays[port]
            self._line(f"{self._constant(array)}[()] = {self._use(self._number[port])}")

    def _write_traced(
        self, port: int, traced: Sequence[TracedCall], sources: Sequence[int]
    ) -> None:
        operands = [self._operand(source) for source in sources]
        for number, call in enumerate(traced):
            given = [
                _literal(float(p)) if isinstance(p, Literal) else operands[int(p)]
                for p in call.operands
            ]
            form = EXPRESSIONS[call.function]
            if call.function in WITH_NUMBER and _is_plain(given[1]):
                form = WITH_NUMBER[call.function]
            if call.function is np.multiply and "1.0" in given:
                # Times 1 is the same number, to the last bit.
                operands.append(given[1] if given[0] == "1.0" else given[0])
                if number == len(traced) - 1:
                    self._number[port] = operands[-1]
            elif number == len(traced) - 1 and call.dtype == BOOL and self._is_next(port):
                self._open = True
                self._number[port] = f"({form.format(*given)})"
                return
            elif number == len(traced) - 1:
                self._define(port, form.format(*given))
            else:
                name = f"t{len(operands)}"
                self._line(f"{name} = {form.format(*given)}")
                operands.append(name)

    def _is_next(self, port: int) -> bool:
        """Whether the next node alone reads a comparison, which nobody keeps: it is written there."""
        listing = self._listing
        number = listing.owners[port]
        following = number + 1
        return (
            port not in self._builder.keep
            and self._uses[port] == 1
            and following in self._numbers
            and port in listing.inputs[following]
        )

    def _operand(self, port: int) -> str:
        """A number as the current chunk can read it."""
        name = self._number.get(port)
        if name is None:
            array = self._builder.arrays[port]
            if self._listing.kinds[self._listing.owners[port]] is None and array.dtype == FLOAT64:
                name = self._number[port] = _literal(float(array))
            else:
                name = self._define(port, f"{self._constant(array)}.item()")
        return self._use(name)

    def _use(self, name: str) -> str:
        home = self._home.get(name)
        if home is not None and home != len(self._chunks) - 1:
            self._chunks[-1].read[name] = None
        return name

    def _define(self, port: int, expression: str) -> str:
        name = f"v{len(self._home)}"
        chunk = self._chunks[-1]
        self._line(f"{name} = {expression}")
        self._number[port] = name
        self._home[name] = len(self._chunks) - 1
        chunk.defined.append(name)
        return name

    def _line(self, line: str) -> None:
        self._chunks[-1].lines.append(line)

    def _text(self, looked_at: Sequence[int]) -> str:
        """One function for a single chunk, so that nothing is called in between; else one each, and one that calls them."""
        arguments = ", ".join(f"x{i}" for i in range(len(self._inputs)))
        signature = "".join(f"x{i}=missing, " for i in range(len(self._inputs))) + "*more"
        repeat = f"return again({arguments}{', ' if arguments else ''}*more)"
        start = [f"if more: {repeat}"]
        bodies = [self._body(number) for number in range(len(self._chunks))]
        end = [*_check([self._read(p) for p in looked_at], repeat), *self._handed_over()]
        if len(bodies) == 1:
            return _function("step", signature, [*start, *bodies[0], *end], repeat)
        parts = []
        calls = []
        for number, body in enumerate(bodies):
            given = arguments if number == 0 else ""
            parts.append(
                "\n".join([f"def chunk{number}({given}):", *(f"    {line}" for line in body)])
            )
            calls.append(f"chunk{number}({given})")
        parts.append(_function("step", signature, [*start, *calls, *end], repeat))
        return "\n".join(parts)

    def _handed_over(self) -> list[str]:
        values, gradients = (
            "".join(f"{self._read(p)}, " for p in ports)
            for ports in (self._values, self._gradients)
        )
        return [f"found.values = [{values}]", f"found.gradients = [{gradients}]"]

    def _read(self, port: int | None) -> str:
        """A result as the end of `step` reads it."""
        if port is None:
            return "None"
        name = self._number.get(port)
        if name is None:
            given = [i for i in self._builder.inputs.values() if i.moves]
            if given:
                return f"arrays[{port}]"
            return self._constant(self._builder.arrays[port])
        home = self._home.get(name)
        if home is None or len(self._chunks) == 1:
            return name
        return f"kept[{home}][{self._chunks[home].kept[name]}]"

    def _body(self, number: int) -> list[str]:
        chunk = self._chunks[number]
        lines: list[str] = []
        wanted: dict[int, list[str]] = {}
        for name in chunk.read:
            wanted.setdefault(self._home[name], []).append(name)
        for home, names in wanted.items():
            places = self._chunks[home].kept
            if len(names) * 4 > len(places):
                lines.append(f"{', '.join(places)}, = kept[{home}]")
            else:
                lines.append(f"k = kept[{home}]")
                lines += [f"{name} = k[{places[name]}]" for name in names]
        kept = "".join(f"{name}, " for name in chunk.kept)
        return [*lines, *chunk.lines, f"kept[{number}] = ({kept})"]


def _function(name: str, arguments: str, lines: Sequence[str], repeat: str) -> str:
    inside = "\n".join(f"        {line}" for line in lines)
    return (
        f"def {name}({arguments}):\n    try:\n{inside}\n"
        f"    except Exception: {repeat}\n    return found"
    )


def _check(results: Sequence[str], repeat: str) -> list[str]:
    """Infinity minus itself is NaN, which is not 0."""
    terms = " + ".join(f"({name} - {name})" for name in results)
    return [f"if {terms} != 0.0: {repeat}"] if terms else []


def id_of(value: Any) -> int:
    """The identity of an object."""
    return id(value)


def _is_plain(text: str) -> bool:
    """Whether an operand is written as a number that is no NaN."""
    return text[0] not in "vtn"


def _literal(number: float) -> str:
    return repr(number) if np.isfinite(number) else ("nan" if np.isnan(number) else f"({number})")
