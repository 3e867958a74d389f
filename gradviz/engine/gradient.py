"""The backward pass as a graph.

`gradient` walks the graph from the target back, asks each op for its rule, and adds the nodes the rule is made of,
with a record for every wire that carries a cotangent: where it came from, what arrived, times what, gives what. Adding
contributions, and fitting them to the shape and dtype of the value, happens here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, cast

from gradviz.engine.check import Specs
from gradviz.errors import GradientError, ShapeError
from gradviz.graph import walk
from gradviz.graph.model import Array, Graph, InPort, Node, OutPort, frozen_array
from gradviz.ops import adjoint, registry
from gradviz.ops.elementwise import multiply, negative
from gradviz.ops.expr import Call, Expr, leaf
from gradviz.ops.op import Op
from gradviz.ops.spec import Spec
from gradviz.text import mark, shape_words


class Role(StrEnum):
    """What a step of the film shows."""

    VALUE = "value"
    SEED = "seed"
    CONTRIBUTION = "contribution"
    FIT = "fit"
    MERGE = "merge"
    DONE = "done"


class Address(NamedTuple):
    """A step of the film, by what it is about; it survives a rebuild of the graph.

    `input` is the input of `node` that the wire enters (an output index for seed and merge). `occurrence` counts
    backward passes: 1 is the gradient, 2 the gradient's gradient.
    """

    node: str
    input: int
    role: Role
    occurrence: int = 1


Term = OutPort | float


@dataclass(frozen=True, slots=True)
class Step:
    """One step: amount × local = result, each a port of the backward graph, a plain number, or absent.

    `nodes` are the backward nodes that compute it (none when nothing had to be computed), `port` the primal port whose
    gradient the result belongs to. `rule` is true when the op has a VJP instead of a local derivative.
    """

    address: Address
    port: OutPort
    nodes: tuple[str, ...] = ()
    amount: Term | None = None
    local: Term | None = None
    result: Term | None = None
    rule: bool = False


class Contribution(NamedTuple):
    """What came back to a port by one road: the wire's end (`None` for the seed) and the cotangent."""

    wire: InPort | None
    result: OutPort


@dataclass(frozen=True, eq=False)
class Gradient:
    """The graph with its backward nodes.

    `adjoints` gives, for each primal port that was reached, the port that carries its gradient; `arrived` the
    contributions it was added up from; `origin` the step each backward node was made for; `values` the numbers that
    rules wrote down. `answers` is aligned with `wrt`.
    """

    primal: Graph
    graph: Graph
    specs: Mapping[str, tuple[Spec, ...]]
    values: Mapping[str, Array]
    of: tuple[OutPort, ...]
    wrt: tuple[OutPort, ...]
    answers: tuple[OutPort | None, ...]
    adjoints: Mapping[OutPort, OutPort]
    arrived: Mapping[OutPort, tuple[Contribution, ...]]
    origin: Mapping[str, Address]
    steps: tuple[Step, ...]
    occurrence: int = 1


def passes(graph: Graph, specs: Specs, source: OutPort, end: InPort) -> bool:
    """Whether a cotangent can flow back over this wire, as far as the node it enters is concerned."""
    op = registry.find(graph[end.node].op)
    return (
        op is not None
        and op.has_rule
        and specs.is_float(source)
        and any(spec is not None and spec.is_float for spec in specs.outputs[end.node])
    )


def grown(specs: Specs, found: Gradient) -> Specs:
    """The specs of `found.graph`, so that the gradient can be differentiated again.

    `specs` are those `found` was built from; the next `gradient` takes the next `occurrence`.
    """
    return Specs(
        found.graph,
        (*specs.order, *found.specs),
        {**specs.outputs, **found.specs},
        specs.problems,
    )


def gradient(
    specs: Specs,
    of: Sequence[OutPort],
    wrt: Sequence[OutPort],
    *,
    seeds: Sequence[OutPort | None] | None = None,
    stop: Collection[OutPort] = (),
    unconnected: str = "none",
    occurrence: int = 1,
) -> Gradient:
    """The gradient of the sum of all cells of `of` by each port of `wrt`, as `tf.gradients` defines it.

    `seeds` gives a cotangent per target (`None`: ones); a target listed twice counts twice. Nothing flows through the
    ports of `stop`. With `unconnected="zero"`, a port without a gradient is answered with zeros of its shape.
    Raises GradientError for another `unconnected`, ShapeError for a seed of the wrong shape.
    """
    if unconnected not in ("none", "zero"):
        raise GradientError(
            mark("engine", 'unconnected_gradients is "none" or "zero", not {given}.'),
            given=repr(unconnected),
        )
    backward = _Backward(specs, stop, occurrence)
    backward.sweep(of, seeds or (None,) * len(of), wrt)
    answers = tuple(backward.answer(port, unconnected) for port in wrt)
    backward.finish(of)
    return Gradient(
        specs.graph,
        Graph(backward.nodes),
        backward.specs,
        backward.values,
        tuple(of),
        tuple(wrt),
        answers,
        backward.adjoints,
        {port: tuple(found) for port, found in backward.arrived.items()},
        backward.origin,
        tuple(backward.steps),
        occurrence,
    )


class _Backward:
    """The state of one sweep."""

    def __init__(self, specs: Specs, stop: Collection[OutPort], occurrence: int) -> None:
        self._primal = specs
        self._graph = specs.graph
        self._stopped = {port.node for port in stop}
        self._occurrence = occurrence
        self.nodes: dict[str, Node] = dict(specs.graph.nodes)
        self.specs: dict[str, tuple[Spec, ...]] = {}
        self.values: dict[str, Array] = {}
        self.adjoints: dict[OutPort, OutPort] = {}
        self.arrived: dict[OutPort, list[Contribution]] = {}
        self.origin: dict[str, Address] = {}
        self.steps: list[Step] = []
        self._calls: dict[str, Call] = {}
        self._grown: dict[int, str] = {}
        self._keep: list[Call] = []
        self._literals: dict[tuple[Spec, bytes], str] = {}
        self._count: dict[str, int] = {}

    def sweep(
        self, of: Sequence[OutPort], seeds: Sequence[OutPort | None], wrt: Sequence[OutPort]
    ) -> None:
        """Seed the targets, and visit the nodes that lie between wrt and of, last first."""
        asked = walk.descendants(self._graph, {port.node for port in wrt}, self._carries)
        active = asked & walk.ancestors(self._graph, {port.node for port in of})
        self._seed(of, seeds, active)
        for id in reversed([id for id in self._primal.order if id in active]):
            outputs = [OutPort(id, i) for i in range(len(self._primal.outputs[id]))]
            if any(port in self.arrived for port in outputs):
                self._merge(outputs)
                if id not in self._stopped:
                    self._pass_on(id, outputs, active, wrt)

    def _seed(
        self, of: Sequence[OutPort], seeds: Sequence[OutPort | None], active: Collection[str]
    ) -> None:
        """One step per target; a target that is listed twice starts with the sum of its seeds."""
        given: dict[OutPort, list[OutPort | None]] = {}
        for port, seed in zip(of, seeds, strict=True):
            spec = self._primal[port]
            if spec is None or not spec.is_float:
                continue
            shape = spec.shape if seed is None else cast(Spec, self._primal[seed]).shape
            if shape != spec.shape:
                raise ShapeError(
                    mark(
                        "engine",
                        "The seed is {seed}, but the target is {target}: they must have the same shape.",
                    ),
                    seed=shape_words(shape),
                    target=shape_words(spec.shape),
                )
            given.setdefault(port, []).append(seed)
        for port, found in given.items():
            if port.node in active:
                address = Address(port.node, port.index, Role.SEED, self._occurrence)
                cotangent, made = self._grow(self._start(port, found), address)
                self.arrived[port] = [Contribution(None, cotangent)]
                self.steps.append(Step(address, port, made, result=cotangent))

    def _start(self, port: OutPort, seeds: Sequence[OutPort | None]) -> Expr:
        ones = seeds.count(None)
        terms = [
            self._fitted(self._expr(s), cast(Spec, self._primal[port]))
            for s in seeds
            if s is not None
        ]
        if ones:
            terms.insert(0, cast(Expr, adjoint.full_like(self._expr(port), fill=float(ones))))
        return terms[0] if len(terms) == 1 else cast(Expr, adjoint.accumulate(*terms))

    def _carries(self, source: OutPort, end: InPort) -> bool:
        return end.node not in self._stopped and passes(self._graph, self._primal, source, end)

    def _merge(self, outputs: Iterable[OutPort]) -> None:
        for port in outputs:
            found = self.arrived.get(port, ())
            if len(found) == 1:
                self.adjoints[port] = found[0].result
            elif found:
                address = Address(port.node, port.index, Role.MERGE, self._occurrence)
                total = adjoint.accumulate(*(self._expr(c.result) for c in found))
                self.adjoints[port], made = self._grow(total, address)
                self.steps.append(Step(address, port, made, result=self.adjoints[port]))

    def _pass_on(
        self, id: str, outputs: Sequence[OutPort], active: set[str], wrt: Collection[OutPort]
    ) -> None:
        node = self._graph[id]
        op = registry.get(node.op)
        wanted = [
            (index, source)
            for index, source in enumerate(node.inputs)
            if source is not None
            and source.node in active
            and self._carries(source, InPort(id, index))
            and self._is_wanted(source, active, wrt)
        ]
        if not wanted:
            return
        terms = self._rule(op, node, outputs)
        for index, source in wanted:
            if terms[index] is not None:
                self._contribute(op, node, index, source, terms[index])

    def _is_wanted(self, port: OutPort, active: set[str], wrt: Collection[OutPort]) -> bool:
        """Whether anybody asked for the gradient of an active node's port: wrt did, or a node before it."""
        if len(self._primal.outputs[port.node]) == 1 or port in wrt:
            return True
        return any(
            source is not None
            and source.node in active
            and self._carries(source, InPort(port.node, i))
            for i, source in enumerate(self._graph[port.node].inputs)
        )

    def _rule(self, op: Op, node: Node, outputs: Sequence[OutPort]) -> Sequence[Any]:
        inputs = [self._expr(cast(OutPort, port)) for port in node.inputs]
        out: Any = tuple(self._expr(port) for port in outputs)
        attributes = op.bind(node.attributes)
        single = len(out) == 1
        if op.local_rule is not None:
            terms = op.local_rule(out[0], *inputs, **attributes)
        else:
            assert op.vjp_rule is not None
            g: Any = tuple(self._cotangent(port) for port in outputs)
            terms = op.vjp_rule(
                g[0] if single else g, out[0] if single else out, *inputs, **attributes
            )
        if len(terms) != len(inputs):
            raise GradientError(
                mark("engine", "The rule of {op} does not answer for each input."), op=op.name
            )
        return terms

    def _cotangent(self, port: OutPort) -> Expr | None:
        if port in self.adjoints:
            return self._expr(self.adjoints[port])
        if not self._primal.is_float(port):
            return None
        return cast(Expr, adjoint.full_like(self._expr(port), fill=0.0))

    def _contribute(self, op: Op, node: Node, index: int, source: OutPort, term: Any) -> None:
        address = Address(node.id, index, Role.CONTRIBUTION, self._occurrence)
        amount = self.adjoints.get(OutPort(node.id), None)
        local: Term | None = None
        if op.local_rule is not None:
            assert amount is not None
            local, result, made = self._times(amount, term, address)
        else:
            value = self._expr(source)
            cotangent = term if isinstance(term, Expr) else adjoint.full_like(value, fill=term)
            result, made = self._grow(cast(Expr, cotangent), address)
        spec = cast(Spec, self._primal[source])
        step = Step(address, source, made, amount, local, result, op.local_rule is None)
        fit = Address(node.id, index, Role.FIT, self._occurrence)
        try:
            fitted, fitting = self._grow(self._fitted(self._expr(result), spec), fit)
        except ShapeError as error:
            raise GradientError(
                mark("engine", "The rule of {op} gives {given} for an input of {shape}."),
                op=op.name,
                given=shape_words(self._expr(result).shape),
                shape=shape_words(spec.shape),
            ) from error
        self.steps.append(step)
        if fitting:
            self.steps.append(Step(fit, source, fitting, amount=result, result=fitted))
        self.arrived.setdefault(source, []).append(Contribution(InPort(node.id, index), fitted))

    def _times(
        self, amount: OutPort, local: Any, address: Address
    ) -> tuple[Term, OutPort, tuple[str, ...]]:
        """Amount × local derivative; ×1 needs no node."""
        g = self._expr(amount)
        if not isinstance(local, Expr):
            if local == 1:
                return 1.0, amount, ()
            result, made = self._grow(negative(g) if local == -1 else multiply(g, local), address)
            return float(local), result, made
        factor, first = self._grow(local, address)
        result, second = self._grow(multiply(g, self._expr(factor)), address)
        return factor, result, first + second

    def _fitted(self, cotangent: Expr, spec: Spec) -> Expr:
        """A cotangent has the shape and dtype of its value."""
        if cotangent.shape != spec.shape:
            cotangent = cast(Expr, adjoint.sum_to(cotangent, shape=spec.shape))
        if cotangent.dtype != spec.dtype:
            cotangent = cast(Expr, adjoint.cast(cotangent, dtype=spec.dtype.name))
        return cotangent

    def answer(self, port: OutPort, unconnected: str) -> OutPort | None:
        found = self.adjoints.get(port)
        if found is not None or unconnected == "none" or self._primal[port] is None:
            return found
        address = Address(port.node, port.index, Role.DONE, self._occurrence)
        return self._grow(adjoint.full_like(self._expr(port), fill=0.0), address)[0]

    def finish(self, of: Sequence[OutPort]) -> None:
        if self.steps:
            port = of[0]
            address = Address(port.node, port.index, Role.DONE, self._occurrence)
            self.steps.append(Step(address, port))

    def _expr(self, port: OutPort) -> Expr:
        call = self._calls.get(port.node)
        if call is None:
            specs = self.specs.get(port.node) or cast(
                "tuple[Spec, ...]", self._primal.outputs[port.node]
            )
            call = self._calls[port.node] = leaf(port.node, specs)
        return Expr(call, port.index)

    def _grow(self, expression: Expr, address: Address) -> tuple[OutPort, tuple[str, ...]]:
        """Make nodes of an expression's calls that are not in the graph yet."""
        made: list[str] = []
        stack = [(expression.call, False)]
        while stack:
            call, ready = stack.pop()
            if call.port is not None or id(call) in self._grown:
                continue
            if not ready:
                stack.append((call, True))
                stack.extend((e.call, False) for e in reversed(call.inputs))
                continue
            self._grown[id(call)] = self._node_of(call, address, made)
            # Ids of objects are only unique while the objects live.
            self._keep.append(call)
        return self._port(expression), tuple(made)

    def _port(self, expression: Expr) -> OutPort:
        call = expression.call
        return OutPort(
            call.port if call.port is not None else self._grown[id(call)], expression.index
        )

    def _node_of(self, call: Call, address: Address, made: list[str]) -> str:
        assert call.op is not None
        if call.outputs is not None and not call.inputs:
            return self._literal(call, address)
        id = self._fresh(address.node)
        inputs = tuple(self._port(e) for e in call.inputs)
        self.nodes[id] = Node(id, call.op.name, inputs, call.attributes)
        self.specs[id] = call.specs
        self.origin[id] = address
        made.append(id)
        return id

    def _literal(self, call: Call, address: Address) -> str:
        """A constant of a rule; equal ones are one node."""
        assert call.op is not None
        assert call.outputs is not None
        number = (call.specs[0], call.outputs[0].tobytes())
        if number not in self._literals:
            id = self._fresh("c")
            self.nodes[id] = Node(id, call.op.name, (), call.attributes)
            self.specs[id] = call.specs
            self.values[id] = frozen_array(call.outputs[0])
            self.origin[id] = address
            self._literals[number] = id
        return self._literals[number]

    def _fresh(self, stem: str) -> str:
        mark_ = "'" * self._occurrence
        number = self._count.get(stem, 0) + 1
        while f"{stem}{mark_}{number}" in self.nodes:
            number += 1
        self._count[stem] = number
        return f"{stem}{mark_}{number}"
