"""All that is known about one diagram: shapes, values, gradients, the film, and why a gradient is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gradviz import limits
from gradviz.bulk import bulk
from gradviz.engine import diagnose
from gradviz.engine.check import Specs, infer
from gradviz.engine.diagnose import Missing, State, Troubles, Zeros
from gradviz.engine.gradient import Address, Gradient, Step, gradient
from gradviz.engine.measure import measured
from gradviz.engine.plan import Plan, plan
from gradviz.engine.run import Cancelled, Run, run
from gradviz.engine.timeline import Timeline
from gradviz.errors import GradientError, InputError, LimitError
from gradviz.graph import walk
from gradviz.graph.model import Array, Diagram, Graph, Node, OutPort, Query, frozen_array
from gradviz.ops import registry
from gradviz.text import Message, mark, message

COINCIDENCE_NODES = 100


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, with the defaults filled in: ports, and how the target was chosen.

    `chosen` is "asked", "only" (the only float output), "last" (the last of several) or "none".
    """

    of: tuple[OutPort, ...]
    wrt: tuple[OutPort, ...]
    stop: tuple[OutPort, ...] = ()
    unconnected: str = "none"
    chosen: str = "asked"


@dataclass(frozen=True, eq=False)
class Setup:
    """What depends on the graph and the question but on no number: kept while numbers change.

    `failure` says why there is no gradient at all: a rule that cannot be used, or no room for all of them.
    """

    specs: Specs
    question: Question
    query: Query
    gradient: Gradient
    plan: Plan
    extended: Specs
    seeds: dict[str, Array]
    failure: Message | None = None


@dataclass(frozen=True, eq=False)
class Answer:
    """One diagram, computed. `setup` is shared by answers that differ in their numbers only."""

    diagram: Diagram
    setup: Setup
    run: Run

    @property
    def graph(self) -> Graph:
        """The graph the person drew."""
        return self.diagram.graph

    @property
    def specs(self) -> Specs:
        """Shapes, dtypes and problems."""
        return self.setup.specs

    @property
    def question(self) -> Question:
        """What was asked."""
        return self.setup.question

    @property
    def gradient(self) -> Gradient:
        """The backward graph."""
        return self.setup.gradient

    @cached_property
    def timeline(self) -> Timeline:
        """The film."""
        return Timeline(self.specs, self.gradient, self.run)

    @property
    def values(self) -> dict[str, Array]:
        """The numbers of sources, and the numbers that rules wrote down, by node id."""
        return {**self.gradient.values, **self.diagram.values}

    def value(self, port: OutPort) -> Array | None:
        """The value at a port, or None if it cannot be computed."""
        return self.run[port]

    def adjoint(self, port: OutPort) -> Array | None:
        """The gradient at a port, or None if there is none (`missing` says why)."""
        found = self.gradient.adjoints.get(port)
        return None if found is None else self.run[found]

    def result(self, port: OutPort) -> Array | None:
        """What is reported for a port of the question: its gradient; zeros when those were asked for; else None."""
        for asked, found in zip(self.gradient.wrt, self.gradient.answers, strict=True):
            if asked == port:
                return None if found is None else self.run[found]
        return self.adjoint(port)

    @cached_property
    def unusable(self) -> tuple[str, ...]:
        """The nodes of the op whose rule cannot be used (`Setup.failure`)."""
        failure = self.setup.failure
        op = None if failure is None else failure.values.get("op")
        return tuple(node.id for node in self.graph if node.op == op)

    @cached_property
    def _around(self) -> diagnose.Around:
        targets = dict.fromkeys(port.node for port in self.question.of)
        return diagnose.Around(self.specs, targets, self.diagram.values)

    def missing(self, port: OutPort) -> Missing | None:
        """Why a port has no gradient; None if it has one."""
        found = self.gradient.adjoints.get(port)
        if found is not None:
            return None if self.run[found] is not None else self._not_run(port)
        question = self.question
        if self.setup.failure is not None and port.node in self._around.leading:
            state = State.NO_RULE if self.unusable else State.NOT_RUN
            return Missing(state, tuple(p.node for p in question.of), port.node, self.unusable)
        why = diagnose.missing(
            self.specs,
            question.of,
            port,
            stop=question.stop,
            gradient=self.gradient,
            around=self._around,
        )
        # Only literals are never asked for: everything else that leads to the target is.
        if port not in self.gradient.wrt and why.state is State.NON_DIFFERENTIABLE_OP:
            return replace(why, state=State.NOT_ASKED, nodes=(), cuts=())
        return why

    @cached_property
    def coincidence(self) -> tuple[OutPort, OutPort] | None:
        """Target and wrt whose value and gradient are the same number here, but not elsewhere.

        Only looked for where one number is differentiated by one number; found by moving it by 1 and running again.
        """
        if len(self.question.of) != 1 or len(self.graph) > COINCIDENCE_NODES:
            return None
        (y,) = self.question.of
        for x in self.question.wrt:
            value, slope, at = self.value(y), self.adjoint(x), self.diagram.values.get(x.node)
            if (
                value is None
                or slope is None
                or at is None
                or x == y
                or value.ndim
                or slope.ndim
                or at.ndim
                or value != slope
            ):
                continue
            moved = frozen_array(float(at) + 1, at.dtype)
            elsewhere = run(self.setup.plan, {**self.values, **self.setup.seeds, x.node: moved})
            if elsewhere[y] != elsewhere[self.gradient.adjoints[x]]:
                return y, x
        return None

    @cached_property
    def troubles(self) -> Troubles:
        """Where numbers that are not finite begin, forward and backward."""
        return diagnose.troubles(self)

    def zeros(self, port: OutPort) -> Zeros | None:
        """Which cells of the gradient at `port` are exactly 0, and why; None where there is no gradient."""
        return diagnose.zeros(self, port)

    @cached_property
    def position(self) -> dict[str, int]:
        """The place of each node, backward ones too, in the order of the plan."""
        return {node.id: number for number, node in enumerate(self.setup.plan.nodes)}

    @cached_property
    def steps(self) -> dict[Address, Step]:
        """The steps of the backward pass by their address."""
        return {step.address: step for step in self.gradient.steps}

    def _not_run(self, port: OutPort) -> Missing:
        """A gradient that waits: for nodes of the graph, or for those behind whose wire a rule failed."""
        record = self.run.records.get(self.gradient.adjoints[port].node)
        origin = self.gradient.origin
        waiting = (record.waits_for or (record.node,)) if record is not None else ()
        found = dict.fromkeys(origin[id].node if id in origin else id for id in waiting)
        return Missing(
            State.NOT_RUN, tuple(p.node for p in self.question.of), port.node, tuple(found)
        )


def answer(
    diagram: Diagram, previous: Answer | None = None, cancelled: Cancelled = lambda: False
) -> Answer:
    """Compute a diagram. With the answer to an earlier one, only what changed is worked out again.

    Raises GraphError for a cycle, InputError for a question that cannot be asked, LimitError for too large a run.
    """
    setup = previous.setup if previous is not None else None
    if setup is None or setup.specs.graph is not diagram.graph or setup.query != diagram.query:
        setup = prepare(diagram, setup.specs if setup is not None else None, cancelled)
    elif setup.specs.open:
        specs = measured(setup.specs, diagram.values, cancelled)
        if specs.outputs != setup.specs.outputs:
            setup = _prepared(diagram, specs)
    values = {**setup.gradient.values, **setup.seeds, **diagram.values}
    return Answer(diagram, setup, run(setup.plan, values, cancelled))


@bulk()
def prepare(
    diagram: Diagram, previous: Specs | None = None, cancelled: Cancelled = lambda: False
) -> Setup:
    """Shapes, question, gradient and plan of a diagram: no numbers yet, but for shapes that depend on them."""
    return _prepared(diagram, measured(infer(diagram.graph, previous), diagram.values, cancelled))


def _prepared(diagram: Diagram, specs: Specs) -> Setup:
    query = diagram.query
    question = ask(specs, query)
    extended, seeds, ports = _with_seeds(specs, question, query)
    wrt = _everything(specs, question)
    options: dict[str, Any] = {"stop": question.stop, "unconnected": question.unconnected}
    failure = None
    try:
        found = gradient(extended, question.of, wrt, seeds=ports, **options)
    except (GradientError, LimitError) as error:
        # One rule that cannot be used does not end a run: the values are known.
        failure = error.message
        found = gradient(extended, (), (), unconnected=question.unconnected)
    order = _plan(extended, found)
    if failure is None and order.bytes > limits.ALIVE_BYTES:
        # Nor do gradients for which there is no room.
        failure = message(
            mark(
                "engine",
                "With all gradients this would need {needed} MiB, and at most {limit} MiB are allowed: only the values are computed.",
            ),
            needed=order.bytes // 2**20,
            limit=limits.ALIVE_BYTES // 2**20,
        )
        found = gradient(extended, (), (), unconnected=question.unconnected)
        order = _plan(extended, found)
    return Setup(specs, question, query, found, order, extended, seeds, failure)


def _plan(extended: Specs, found: Gradient) -> Plan:
    """Forward in the order that is known, then backward in the order in which the nodes were made."""
    order = (*extended.order, *found.specs)
    return plan(found.graph, {**extended.outputs, **found.specs}, order=order)


def ask(specs: Specs, query: Query) -> Question:
    """The question of a query, its defaults filled in as decision 17 says."""
    graph = specs.graph
    for id in (*query.of, *query.wrt, *query.stop_gradients):
        if id not in graph:
            raise InputError(
                mark("engine", "The question names {id}, which is not in the graph."), id=id
            )
    of, chosen = (query.of, "asked") if query.of else _default_target(specs)
    wrt = query.wrt or tuple(
        n.id
        for n in graph
        if n.op in ("variable", "random_normal") and specs.is_float(OutPort(n.id))
    )
    return Question(
        tuple(map(OutPort, of)),
        tuple(map(OutPort, wrt)),
        tuple(map(OutPort, query.stop_gradients)),
        query.unconnected,
        chosen,
    )


def _default_target(specs: Specs) -> tuple[tuple[str, ...], str]:
    """The only float output; else the last of them; else what cannot be differentiated, so that it can be said why."""
    graph = specs.graph
    ends = [
        node.id
        for node in graph
        if not graph.consumers_of(node.id) and not _is_literal(specs, node.id)
    ]
    computed = [id for id in ends if not _is_source(graph[id])]
    floats = [id for id in computed if specs.is_float(OutPort(id))]
    found = floats or computed or [id for id in ends if specs.is_float(OutPort(id))]
    if not found:
        return (), "none"
    return (found[-1],), "only" if len(found) == 1 else "last"


def _is_source(node: Node) -> bool:
    op = registry.find(node.op)
    return op is not None and op.is_source


def _everything(specs: Specs, question: Question) -> tuple[OutPort, ...]:
    """The ports that are reported first, then every other float port from which the target can be reached."""
    leading = walk.ancestors(specs.graph, {port.node for port in question.of})
    others = (
        OutPort(id, index)
        for id in specs.order
        if id in leading and not _is_literal(specs, id)
        for index, spec in enumerate(specs.outputs[id])
        if spec is not None and spec.is_float
    )
    return tuple(dict.fromkeys((*question.wrt, *others)))


def _is_literal(specs: Specs, id: str) -> bool:
    spec = specs.outputs[id][0]
    return spec is not None and spec.weak


def _with_seeds(
    specs: Specs, question: Question, query: Query
) -> tuple[Specs, dict[str, Array], Sequence[OutPort | None] | None]:
    """The graph with a constant for each seed of the query."""
    if query.seed is None:
        return specs, {}, None
    nodes: list[Node] = []
    values: dict[str, Array] = {}
    ports: list[OutPort | None] = []
    for number, (port, seed) in enumerate(zip(question.of, query.seed, strict=False)):
        spec = specs[port]
        if seed is None or spec is None:
            ports.append(None)
            continue
        try:
            value = frozen_array(np.array(seed, dtype=spec.dtype))
        except (ValueError, TypeError) as error:
            raise InputError(
                mark("engine", "The seed is not made of numbers in equal rows.")
            ) from error
        id = f"seed'{number}"
        nodes.append(Node(id, "constant", (), {"shape": value.shape, "dtype": spec.dtype.name}))
        values[id] = value
        ports.append(OutPort(id))
    ports += [None] * (len(question.of) - len(ports))
    return infer(specs.graph.with_nodes(*nodes), specs), values, ports
