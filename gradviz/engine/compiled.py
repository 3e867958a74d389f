"""Expressions compiled for repeated calls with other numbers.

    f = compile_gradients(y, [x])         # gv.compiled
    found = f(np.array(2.0))
    found.values, found.gradients         # of ys, of xs
    found[s], found.gradient(s)           # of any expression that y is computed from

What is returned lies in the buffers of the program and holds until the next call.
"""

from __future__ import annotations

import contextvars
import functools
import math
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, cast

import numpy as np

from gradviz.bulk import bulk
from gradviz.engine import scalar
from gradviz.engine.batch import BatchBuilder, Layout
from gradviz.engine.check import Specs
from gradviz.engine.gradient import Gradient, gradient
from gradviz.engine.kinds import Listing
from gradviz.engine.program import Builder, Program
from gradviz.errors import GradvizError, InputError, ShapeError
from gradviz.graph.model import Array, Node, OutPort
from gradviz.ops import registry
from gradviz.ops.expr import UNCOMPUTABLE, Collected, Expr, array_of, open_call
from gradviz.ops.spec import Spec
from gradviz.text import mark, shape_words

CALLS_BEFORE_SOURCE: Final = 20
"""Source pays for its compilation after so many calls, whatever the size."""


MISSING: Final = object()
"""Stands for an input that was not given."""


class Results:
    """What a call found; it holds until the next call.

    `values` are those of ys, `gradients` those by each of xs (None where nothing leads from it to ys): arrays, or Python
    numbers where a program of single numbers computes with them.
    """

    __slots__ = ("_compiled", "gradients", "values")

    def __init__(self, compiled: Compiled) -> None:
        self._compiled = compiled
        self.values: list[Any] = []
        self.gradients: list[Any] = []

    def __getitem__(self, expression: Expr) -> Array:
        return self._compiled.array(self._compiled.collected.port(expression))

    def gradient(self, expression: Expr) -> Array | None:
        """The gradient of an expression between xs and ys; None if there is none."""
        found = self._compiled.adjoints.get(self._compiled.collected.port(expression))
        return None if found is None else self._compiled.array(found)


class Compiled:
    """A function of the values of some variables; `compile_gradients` and `compile_values` make it."""

    # Called as it is, without a method in between: on a graph of three nodes that would be a third of the time.
    __call__: Any = property(operator.attrgetter("_run"))

    def __init__(
        self,
        collected: Collected,
        ys: Sequence[Expr],
        xs: Sequence[Expr],
        found: Gradient | None,
        every: bool,
    ) -> None:
        self.collected = collected
        self.targets = [collected.port(y) for y in ys]
        self.answers = list(found.answers[: len(xs)]) if found is not None else []
        self.adjoints = dict(found.adjoints) if found is not None else {}
        self.sources = [collected.port(x) for x in xs]
        self._count = len(xs)
        self._pending: Builder | None = None
        self.program = self._build(found, every)
        self._context = contextvars.copy_context()
        self._context.run(np.seterr, all="ignore")
        self._results = Results(self)
        self._places: Mapping[int, tuple[int, int]] = {}
        self._port: Callable[[OutPort], int] = lambda port: 0
        # What source keeps: a tuple of numbers for each of its functions; None when the last run was by the list.
        self._kept: list[Any] = [None]
        self._calls = 0
        self._moves = any(given.moves for given in self.program.inputs.values())
        self._arrays: tuple[list[Array], list[Array | None]] | None = None
        self._run: Callable[..., Results] = self._by_list

    def _build(self, found: Gradient | None, every: bool) -> Program:
        specs = {id: call.specs for id, call in self.collected.calls.items()}
        order = tuple(specs)
        values: Mapping[str, Array] = self.collected.values
        nodes: Mapping[str, Node] = self.collected.graph.nodes
        keep = {*self.targets, *(port for port in self.answers if port is not None)}
        if every:
            keep |= {OutPort(id, i) for id, outputs in specs.items() for i in range(len(outputs))}
            keep |= set(self.adjoints.values())
        if found is not None:
            order += tuple(found.specs)
            specs = {**specs, **found.specs}
            values = {**values, **found.values}
            nodes = found.graph.nodes
        inputs = [port.node for port in self.sources]
        if not every or any(
            id not in inputs and not specs[id][0].weak for id in self.collected.values
        ):
            nodes, values = _settled(order, nodes, specs, values, inputs)
            order = _needed(order, nodes, {port.node for port in (*keep, *self.sources)})
        listing = Listing(order, nodes, specs)
        kept = {listing.port(port) for port in keep}
        layout = Layout(listing, values, kept)
        if layout.pays:
            return BatchBuilder(layout, inputs).build()
        self._pending = Builder(listing, values, inputs, kept)
        return self._pending.build()

    def array(self, port: OutPort) -> Array:
        """What is at a port after the last call."""
        if self._kept[0] is not None:
            place = self._places.get(self._port(port))
            if place is not None:
                return np.asarray(self._kept[place[0]][place[1]])
        found = self.program.arrays.get(port)
        if found is None:
            raise InputError(
                mark(
                    "engine",
                    "{name} was not kept: compile with every=True to read what lies between.",
                ),
                name=self.collected.graph[port.node].name or port.node,
            )
        return found

    def _by_list(self, *arrays: Any) -> Results:
        self._give(arrays)
        try:
            self._context.run(self.program.run)
        except GradvizError:
            raise
        except UNCOMPUTABLE as error:
            raise InputError(
                mark("engine", "It cannot be computed: {reason}."), reason=error
            ) from error
        self._hand_over()
        self._calls += 1
        if self._pending is not None and self._calls >= CALLS_BEFORE_SOURCE:
            if scalar.worth_it(self._pending):
                self._compile(self._pending)
            self._pending = None
        return self._results

    def _again(self, *arrays: Any) -> Results:
        """What source asks for when it meets an exception, or a result that is not finite."""
        self._give(arrays)
        with np.errstate(all="ignore"):
            self.program.run()
        self._hand_over()
        return self._results

    def _hand_over(self) -> None:
        """The arrays of the program as results; they stay the same unless they move with an input."""
        self._kept[0] = None
        if self._arrays is None or self._moves:
            arrays = self.program.arrays
            self._arrays = (
                [arrays[port] for port in self.targets],
                [None if port is None else arrays[port] for port in self.answers],
            )
        self._results.values, self._results.gradients = self._arrays

    def _give(self, arrays: Sequence[Any]) -> None:
        arrays = [array for array in arrays if array is not MISSING]
        if len(arrays) != self._count:
            raise InputError(
                mark("engine", "This takes {wanted} arrays, not {count}."),
                wanted=self._count,
                count=len(arrays),
            )
        for port, given in zip(self.sources, arrays, strict=True):
            shape = self.program.inputs[port.node].spec.shape
            array = array_of(given)
            if array.shape != shape:
                raise ShapeError(
                    mark("engine", "{name} is {wanted}; an array of {given} was given."),
                    name=self.collected.graph[port.node].name,
                    wanted=shape_words(shape),
                    given=shape_words(array.shape),
                )
            self.program.give(port.node, array)

    def _compile(self, builder: Builder) -> None:
        """From now on, single numbers are computed by Python source."""
        listing = builder.listing
        source = scalar.write(
            builder,
            [port.node for port in self.sources],
            [listing.port(port) for port in self.targets],
            [None if port is None else listing.port(port) for port in self.answers],
        )
        self._port = listing.port
        self._places = source.places
        self._kept = [None] * source.chunks
        names = {
            **FUNCTIONS,
            **source.names,
            "calls": self.program.calls,
            "arrays": builder.arrays,
            "give": self.program.give,
            "again": self._again,
            "kept": self._kept,
            "found": self._results,
            "missing": MISSING,
        }
        exec(compile(source.text, "<gradviz>", "exec"), names)  # noqa: S102  the text is made of a table and numbers
        step = names["step"]
        self._run = functools.partial(self._context.run, step) if source.calls_arrays else step


# What source may call, besides the functions of the program.
FUNCTIONS: Final[Mapping[str, Any]] = {
    "__builtins__": {"float": float, "abs": abs, "Exception": Exception, "ValueError": ValueError},
    "ndarray": np.ndarray,
    "copyto": np.copyto,
    **{
        name: getattr(math, name)
        for name in [
            "sqrt",
            "exp",
            "expm1",
            "log",
            "log1p",
            "sin",
            "cos",
            "tan",
            "tanh",
            "sinh",
            "cosh",
            "atan",
            "pow",
        ]
    },
}


def _settled(
    order: Sequence[str],
    nodes: Mapping[str, Node],
    specs: Mapping[str, tuple[Spec, ...]],
    values: Mapping[str, Array],
    inputs: Collection[str],
) -> tuple[Mapping[str, Node], Mapping[str, Array]]:
    """What depends on no input is computed now, once: to the program it is a constant."""
    moving = set(inputs)
    known: dict[str, Array] = dict(values)
    found: dict[str, Node] = {}
    with np.errstate(all="ignore"):
        for id in order:
            node = nodes[id]
            if node.op == "full_like":
                # Of the input, only the shape matters.
                (spec,) = specs[id]
                fill = np.full((), registry.get(node.op).bind(node.attributes)["fill"], spec.dtype)
                known[id] = np.broadcast_to(fill, spec.shape)
                found[id] = Node(id, "constant")
                continue
            sources = cast("tuple[OutPort, ...]", node.inputs)
            if any(port.node in moving for port in sources):
                moving.add(id)
            elif sources and len(specs[id]) == 1 and all(p.node in known for p in sources):
                given = [known[port.node] for port in sources]
                kinds = [specs[port.node][port.index] for port in sources]
                (known[id],) = registry.get(node.op).evaluate(given, kinds, node.attributes)
                found[id] = Node(id, "constant")
    return ({**nodes, **found}, known) if found else (nodes, values)


def _needed(order: Sequence[str], nodes: Mapping[str, Node], wanted: set[str]) -> tuple[str, ...]:
    """The nodes that lead to what is wanted, in their order."""
    found = set(wanted)
    for id in reversed(order):
        if id in found:
            found.update(port.node for port in nodes[id].inputs if port is not None)
    return tuple(id for id in order if id in found)


def compile_gradients(
    ys: Expr | Sequence[Expr], xs: Sequence[Expr], *, every: bool = True
) -> Compiled:
    """A function of the values of `xs`, which are variables, that gives ys and the gradient of their sum by each x.

    It is called with an array for each of xs, of the same shape; what it returns lies in its buffers and holds until the
    next call. With `every`, the value and the gradient of each expression between are kept as well.
    Raises InputError for an x that is computed from others, or for a shape that depends on the numbers.
    """
    targets = _checked(ys, xs)
    with bulk():
        collected = Collected([*targets, *xs])
        outputs = {id: call.specs for id, call in collected.calls.items()}
        specs = Specs(collected.graph, tuple(outputs), cast(Any, outputs))
        wrt = [collected.port(x) for x in xs]
        if every:
            known = set(wrt)
            wrt += [
                port
                for id, found in outputs.items()
                for i, spec in enumerate(found)
                if spec.is_float and not spec.weak and (port := OutPort(id, i)) not in known
            ]
        found = gradient(specs, [collected.port(y) for y in targets], wrt)
        return Compiled(collected, targets, xs, found, every)


def compile_values(ys: Expr | Sequence[Expr], xs: Sequence[Expr]) -> Compiled:
    """A function of the values of `xs` that gives the values of ys; only ys are kept."""
    targets = _checked(ys, xs)
    with bulk():
        return Compiled(Collected([*targets, *xs]), targets, xs, None, every=False)


def _checked(ys: Expr | Sequence[Expr], xs: Sequence[Expr]) -> list[Expr]:
    """ys as a list, if the two can be compiled."""
    targets = [ys] if isinstance(ys, Expr) else list(ys)
    for expression in (*targets, *xs):
        if not isinstance(expression, Expr):
            raise InputError(
                mark(
                    "engine", "Give expressions, not {what}: what is compiled, and the variables."
                ),
                what=type(expression).__name__,
            )
    for x in xs:
        if x.call.inputs or x.call.outputs is None or x.spec.weak:
            raise InputError(
                mark(
                    "engine", "{x} is computed from others: name the variables it is computed from."
                ),
                x=x.name or repr(x),
            )
    changing = open_call(targets)
    if changing is not None and changing.op is not None:
        raise InputError(
            mark(
                "engine",
                "The shape of {op} depends on the numbers, so it cannot be compiled for others; use where(mask, x, 0) "
                "in its place, or compute it afresh each time.",
            ),
            op=changing.op.name,
        )
    return targets
