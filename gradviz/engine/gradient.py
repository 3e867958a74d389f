"""The backward pass as a graph.

`gradient` walks the graph from the target back, asks each op for its rule, and adds the nodes the rule is made of
(`template` expands a rule once per kind of node), with a record for every wire that carries a cotangent: where it came
from, what arrived, times what, gives what. Adding contributions, and fitting them to the shape and dtype of the value,
happens in these two places and nowhere else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, cast

from gradviz.bulk import bulk
from gradviz.engine.check import Specs
from gradviz.engine.template import Made, Slot, Template, expand
from gradviz.errors import GradientError, ShapeError
from gradviz.graph.model import (
    EMPTY,
    Array,
    Attributes,
    Graph,
    InPort,
    Node,
    OutPort,
    frozen_array,
)
from gradviz.ops import adjoint, registry
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


class Step(NamedTuple):
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
    with bulk():
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
        self._templates: dict[object, Template] = {}
        self._literals: dict[tuple[Spec, bytes], OutPort] = {}
        self._count: dict[str, int] = {}
        self._mark = "'" * occurrence

    def sweep(
        self, of: Sequence[OutPort], seeds: Sequence[OutPort | None], wrt: Sequence[OutPort]
    ) -> None:
        """Seed the targets, and visit the nodes that lie between wrt and of, last first."""
        passing = self._passing()
        active = self._active(of, wrt, passing)
        self._seed(of, seeds, active)
        asked = set(wrt)
        for id in reversed(self._primal.order):
            if id not in active:
                continue
            outputs = self._primal.outputs[id]
            if len(outputs) == 1:
                port = OutPort(id)
                if port in self.arrived:
                    self._merge(port)
                    if id in passing:
                        self._pass_on(id, (port,), active, asked)
                continue
            ports = tuple(OutPort(id, i) for i in range(len(outputs)))
            if any(port in self.arrived for port in ports):
                for port in ports:
                    if port in self.arrived:
                        self._merge(port)
                if id in passing:
                    self._pass_on(id, ports, active, asked)

    def _passing(self) -> set[str]:
        """The nodes that hand on what arrives (`passes`, but for the wire's own dtype)."""
        able: dict[str, bool] = {}
        found: set[str] = set()
        outputs = self._primal.outputs
        for id, node in self._graph.nodes.items():
            rule = able.get(node.op)
            if rule is None:
                op = registry.find(node.op)
                rule = able[node.op] = op is not None and op.has_rule
            if rule and any(spec is not None and spec.is_float for spec in outputs[id]):
                found.add(id)
        return found - self._stopped

    def _active(self, of: Sequence[OutPort], wrt: Sequence[OutPort], passing: set[str]) -> set[str]:
        """The nodes on a way from wrt to of along which a cotangent can flow."""
        nodes, is_float = self._graph.nodes, self._primal.is_float
        reached = {port.node for port in wrt}
        for id in self._primal.order:
            if id in passing and id not in reached:
                for port in nodes[id].inputs:
                    if port is not None and port.node in reached and is_float(port):
                        reached.add(id)
                        break
        leading = {port.node for port in of}
        for id in reversed(self._primal.order):
            if id in leading:
                leading.update(port.node for port in nodes[id].inputs if port is not None)
        return reached & leading

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
                made: list[str] = []
                cotangent = self._start(port, found, address, made)
                self.arrived[port] = [Contribution(None, cotangent)]
                self.steps.append(Step(address, port, tuple(made), result=cotangent))

    def _start(
        self, port: OutPort, seeds: Sequence[OutPort | None], address: Address, made: list[str]
    ) -> OutPort:
        spec = cast(Spec, self._primal[port])
        ones = seeds.count(None)
        terms = []
        if ones:
            terms.append(self._filled(port, float(ones), address, made))
        for seed in seeds:
            if seed is not None and cast(Spec, self._primal[seed]).dtype != spec.dtype:
                attributes = {"dtype": spec.dtype.name}
                seed = self._add("cast", (seed,), attributes, spec, address, made)  # noqa: PLW2901
            if seed is not None:
                terms.append(seed)
        if len(terms) == 1:
            return terms[0]
        return self._add("accumulate", tuple(terms), EMPTY, spec, address, made)

    def _filled(self, like: OutPort, fill: float, address: Address, made: list[str]) -> OutPort:
        spec = cast(Spec, self._primal[like])._replace(weak=False)
        attributes = adjoint.full_like.trimmed({"fill": fill})
        return self._add("full_like", (like,), attributes, spec, address, made)

    def _merge(self, port: OutPort) -> None:
        found = self.arrived[port]
        if len(found) == 1:
            self.adjoints[port] = found[0].result
            return
        address = Address(port.node, port.index, Role.MERGE, self._occurrence)
        made: list[str] = []
        spec = cast(Spec, self._primal[port])
        inputs = tuple(c.result for c in found)
        total = self.adjoints[port] = self._add("accumulate", inputs, EMPTY, spec, address, made)
        self.steps.append(Step(address, port, tuple(made), result=total))

    def _pass_on(
        self, id: str, outputs: tuple[OutPort, ...], active: set[str], asked: set[OutPort]
    ) -> None:
        node = self._graph.nodes[id]
        specs = self._primal.outputs
        wanted = []
        inputs = []
        for index, source in enumerate(cast("tuple[OutPort, ...]", node.inputs)):
            spec = specs[source.node][source.index]
            inputs.append(spec)
            if (
                source.node in active
                and cast(Spec, spec).dtype.kind == "f"
                and (len(specs[source.node]) == 1 or self._is_wanted(source, active, asked))
            ):
                wanted.append(index)
        if not wanted:
            return
        template = self._template(node, inputs, outputs, tuple(wanted))
        adjoints = self.adjoints
        ports = [
            *cast("tuple[OutPort, ...]", node.inputs),
            *outputs,
            *[adjoints.get(port, port) for port in outputs],
        ]
        amount = adjoints.get(outputs[0])
        rule = not template.local
        for number, made_, factor, result_, fit_, fitted_ in template.roads:
            source = ports[number]
            address = Address(id, number, Role.CONTRIBUTION, self._occurrence)
            made = self._make(made_, ports, address) if made_ else ()
            result = fitted = _port(ports, result_)
            local: Term | None = (
                factor if factor is None or isinstance(factor, float) else _port(ports, factor)
            )
            self.steps.append(Step(address, source, made, amount, local, result, rule))
            if fit_:
                fit = Address(id, number, Role.FIT, self._occurrence)
                made = self._make(fit_, ports, fit)
                fitted = _port(ports, fitted_)
                self.steps.append(Step(fit, source, made, amount=result, result=fitted))
            contribution = Contribution(InPort(id, number), fitted)
            arrived = self.arrived.get(source)
            if arrived is None:
                self.arrived[source] = [contribution]
            else:
                arrived.append(contribution)

    def _is_wanted(self, port: OutPort, active: set[str], asked: set[OutPort]) -> bool:
        """Whether anybody asked for the gradient of an active node's port: wrt did, or a node before it."""
        if port in asked:
            return True
        node = self._graph[port.node]
        return any(
            source is not None
            and source.node in active
            and node.id not in self._stopped
            and passes(self._graph, self._primal, source, InPort(node.id, index))
            for index, source in enumerate(node.inputs)
        )

    def _template(
        self,
        node: Node,
        inputs: Sequence[Spec | None],
        outputs: tuple[OutPort, ...],
        wanted: tuple[int, ...],
    ) -> Template:
        """The expansion of a node's rule, which nodes of the same kind share."""
        specs = self._primal.outputs[node.id]
        known = None if len(outputs) == 1 else tuple([port in self.adjoints for port in outputs])
        # Written out, 1 is not 1.0 and 0.0 is not −0.0.
        settings = repr(node.attributes) if node.attributes else ""
        kind = node.op, settings, tuple(inputs), specs, known, wanted
        found = self._templates.get(kind)
        if found is None:
            found = self._templates[kind] = expand(
                registry.get(node.op),
                node.attributes,
                cast("Sequence[Spec]", inputs),
                cast("tuple[Spec, ...]", specs),
                known or (True,),
                wanted,
            )
        return found

    def _make(
        self, template: Sequence[Made], ports: list[OutPort], address: Address
    ) -> tuple[str, ...]:
        """Copy the applications of a template; their ports are added to `ports`."""
        made: list[str] = []
        nodes, stem = self.nodes, address.node + self._mark
        for op, attributes, slots, specs, value in template:
            if value is not None:
                ports.append(self._literal(op, attributes, specs, value, address))
                continue
            id = self._fresh(stem)
            inputs = tuple([ports[s] if type(s) is int else _port(ports, s) for s in slots])
            nodes[id] = Node(id, op, inputs, attributes)
            self.specs[id] = specs
            self.origin[id] = address
            made.append(id)
            ports.append(OutPort(id))
        return tuple(made)

    def _add(
        self,
        op: str,
        inputs: tuple[OutPort, ...],
        attributes: Attributes,
        spec: Spec,
        address: Address,
        made: list[str],
    ) -> OutPort:
        id = self._fresh(address.node + self._mark)
        self.nodes[id] = Node(id, op, inputs, attributes)
        self.specs[id] = (spec,)
        self.origin[id] = address
        made.append(id)
        return OutPort(id)

    def _literal(
        self,
        op: str,
        attributes: Attributes,
        specs: tuple[Spec, ...],
        value: Array,
        address: Address,
    ) -> OutPort:
        """A constant of a rule; equal ones are one node."""
        number = specs[0], value.tobytes()
        found = self._literals.get(number)
        if found is None:
            id = self._fresh("c" + self._mark)
            self.nodes[id] = Node(id, op, (), attributes)
            self.specs[id] = specs
            self.values[id] = frozen_array(value)
            self.origin[id] = address
            found = self._literals[number] = OutPort(id)
        return found

    def _fresh(self, stem: str) -> str:
        number = self._count.get(stem, 0) + 1
        while (id := f"{stem}{number}") in self.nodes:
            number += 1
        self._count[stem] = number
        return id

    def answer(self, port: OutPort, unconnected: str) -> OutPort | None:
        found = self.adjoints.get(port)
        if found is not None or unconnected == "none" or self._primal[port] is None:
            return found
        address = Address(port.node, port.index, Role.DONE, self._occurrence)
        return self._filled(port, 0.0, address, [])

    def finish(self, of: Sequence[OutPort]) -> None:
        if self.steps:
            port = of[0]
            address = Address(port.node, port.index, Role.DONE, self._occurrence)
            self.steps.append(Step(address, port))


def _port(ports: Sequence[OutPort], slot: Slot) -> OutPort:
    if isinstance(slot, int):
        return ports[slot]
    return OutPort(ports[slot[0]].node, slot[1])
