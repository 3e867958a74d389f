"""Why a gradient is missing: the state, and every node that cuts a path."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from gradviz.engine.check import Specs
from gradviz.engine.gradient import Gradient, passes
from gradviz.graph import walk
from gradviz.graph.model import Array, Graph, InPort, Node, OutPort
from gradviz.ops import registry


class State(StrEnum):
    """The kinds of missing gradient."""

    NO_PATH = "no-path"
    SWAPPED = "swapped"
    STOPPED = "stopped"
    NON_DIFFERENTIABLE_OP = "non-differentiable-op"
    INTEGER_ON_PATH = "integer-on-path"
    INTEGER_SOURCE = "integer-source"
    INTEGER_TARGET = "integer-target"
    NO_RULE = "no-rule"
    NO_TARGETS = "no-targets"
    NOT_ASKED = "not-asked"
    NOT_RUN = "not-run"


@dataclass(frozen=True, slots=True)
class Cut:
    """One node that cuts a path, and how. `asked` is true for a stop that the question set, not the graph."""

    node: str
    state: State
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """A gradient that does not exist.

    `nodes` are those that cut the path, first in the order of the graph first, each with its kind in `cuts`. `twin` is
    the node on the way to the target that looks the same as `wrt`, which is not: wrt is a copy. `ends` are the results
    that wrt leads to instead of the target; none if nothing uses it.
    """

    state: State
    of: tuple[str, ...]
    wrt: str
    nodes: tuple[str, ...] = ()
    cuts: tuple[Cut, ...] = ()
    twin: str | None = None
    ends: tuple[str, ...] = ()


class Around:
    """What is the same for every missing gradient of one question: asked about once, and only if it is needed."""

    def __init__(
        self, specs: Specs, targets: Collection[str], values: Mapping[str, Array] | None = None
    ) -> None:
        self._specs = specs
        self._targets = tuple(targets)
        self.values = values or {}

    @cached_property
    def leading(self) -> set[str]:
        """The nodes that lead to a target."""
        return walk.ancestors(self._specs.graph, self._targets)

    @cached_property
    def following(self) -> set[str]:
        """The nodes that a target leads to."""
        return walk.descendants(self._specs.graph, self._targets)

    @cached_property
    def kinds(self) -> Mapping[str, int]:
        """Equal for nodes that look the same: the same application of lookalikes, or the same numbers."""
        looks: dict[object, int] = {}
        kinds: dict[str, int] = {}
        for id in self._specs.order:
            look = _look(self._specs, self._specs.graph[id], kinds, self.values)
            kinds[id] = looks.setdefault(look, len(looks))
        return kinds

    @cached_property
    def first_of_kind(self) -> Mapping[int, str]:
        """The first node of each kind that leads to a target."""
        found: dict[int, str] = {}
        for id in self._specs.order:
            if id in self.leading:
                found.setdefault(self.kinds[id], id)
        return found


def missing(
    specs: Specs,
    of: Sequence[OutPort],
    wrt: OutPort,
    *,
    stop: Collection[OutPort] = (),
    gradient: Gradient | None = None,
    values: Mapping[str, Array] | None = None,
    around: Around | None = None,
) -> Missing:
    """Why `wrt` has no gradient; call it only for a port that has none. `values` are those of the sources.

    Who asks about many ports of one question keeps `around`.
    """
    targets = tuple(dict.fromkeys(port.node for port in of))
    if not of:
        return Missing(State.NO_TARGETS, (), wrt.node)
    if specs[wrt] is None or all(specs[port] is None for port in of):
        return Missing(State.NOT_RUN, targets, wrt.node, _broken(specs, (wrt.node, *targets)))
    if not specs.is_float(wrt):
        return Missing(State.INTEGER_SOURCE, targets, wrt.node, (wrt.node,))
    known = around if around is not None else Around(specs, targets, values)
    leading = known.leading
    if wrt.node not in leading:
        return _apart(specs, targets, wrt.node, known)
    if not any(specs.is_float(port) for port in of):
        return Missing(State.INTEGER_TARGET, targets, wrt.node, targets)
    return _cut(specs, targets, wrt, leading, {port.node for port in stop}, gradient)


def _broken(specs: Specs, starts: Sequence[str]) -> tuple[str, ...]:
    needed = walk.ancestors(specs.graph, starts)
    return tuple(id for id in specs.order if id in needed and id in specs.problems)


def _apart(specs: Specs, targets: tuple[str, ...], wrt: str, around: Around) -> Missing:
    """No wires lead from wrt to a target."""
    graph = specs.graph
    if wrt in around.following:
        return Missing(State.SWAPPED, targets, wrt)
    after = walk.descendants(graph, [wrt])
    ends = tuple(id for id in specs.order if id in after and not graph.consumers_of(id))
    twin = _twin(specs, wrt, around)
    return Missing(State.NO_PATH, targets, wrt, twin=twin, ends=ends if ends != (wrt,) else ())


def _twin(specs: Specs, wrt: str, around: Around) -> str | None:
    """A node of `leading` that looks the same as wrt: the same application of lookalikes, or the same numbers.

    Variables of the same numbers are lookalikes only of a constant: two variables are two on purpose.
    """
    leading, values = around.leading, around.values
    numbers = _numbers(specs, wrt, values)
    if specs.graph[wrt].op == "constant" and numbers:
        sources = [id for id in specs.order if id in leading and not specs.graph[id].inputs]
        found = [id for id in sources if _numbers(specs, id, values) == numbers]
        variables = (id for id in found if specs.graph[id].op != "constant")
        return next(variables, next(iter(found), None))
    return around.first_of_kind.get(around.kinds[wrt])


def _look(
    specs: Specs, node: Node, kinds: Mapping[str, int], values: Mapping[str, Array]
) -> object:
    if node.inputs:
        inputs = tuple(None if p is None else (kinds[p.node], p.index) for p in node.inputs)
        return node.op, repr(node.attributes), inputs
    numbers = _numbers(specs, node.id, values)
    return (node.op, numbers) if node.op == "constant" and numbers else node.id


def _numbers(specs: Specs, id: str, values: Mapping[str, Array]) -> object:
    """What tells one source's numbers from another's, apart from their dtype."""
    array = values.get(id)
    spec = specs[OutPort(id)]
    if array is None or spec is None:
        return None
    return array.shape, array.astype("float64").tobytes()


def _cut(
    specs: Specs,
    targets: tuple[str, ...],
    wrt: OutPort,
    leading: set[str],
    stopped: set[str],
    gradient: Gradient | None,
) -> Missing:
    graph = specs.graph
    silent = _silent(graph, gradient)

    def open_(source: OutPort, end: InPort) -> bool:
        return end.node not in stopped and end not in silent and passes(graph, specs, source, end)

    reached = walk.descendants(graph, [wrt.node], open_)
    found: dict[str, Cut] = {}
    for id in specs.order:
        if id not in leading:
            continue
        for index, port in enumerate(graph[id].inputs):
            end = InPort(id, index)
            if port is None or port.node not in reached or open_(port, end):
                continue
            at = _kind(specs, port, end, stopped, wrt)
            found.setdefault(at.node, at)
    cuts = tuple(found[id] for id in specs.order if id in found)
    if not cuts:
        return Missing(State.NO_PATH, targets, wrt.node)
    return Missing(cuts[0].state, targets, wrt.node, tuple(cut.node for cut in cuts), cuts)


def _kind(specs: Specs, source: OutPort, end: InPort, stopped: set[str], wrt: OutPort) -> Cut:
    op = registry.find(specs.graph[end.node].op)
    if end.node in stopped:
        return Cut(end.node, State.STOPPED, asked=True)
    if op is not None and op.name == "stop_gradient":
        return Cut(end.node, State.STOPPED)
    if not specs.is_float(source) and source != wrt:
        # One output of several holds whole numbers: its node is what cuts, not who reads it.
        return Cut(source.node, State.INTEGER_ON_PATH)
    if op is None:
        return Cut(end.node, State.NO_RULE)
    if not op.differentiable:
        return Cut(end.node, State.NON_DIFFERENTIABLE_OP)
    if not any(spec is not None and spec.is_float for spec in specs.outputs[end.node]):
        return Cut(end.node, State.INTEGER_ON_PATH)
    return Cut(end.node, State.NON_DIFFERENTIABLE_OP if op.has_rule else State.NO_RULE)


def _silent(graph: Graph, gradient: Gradient | None) -> set[InPort]:
    """The wires of nodes that got a cotangent and handed none on over them: their rule has no derivative there."""
    if gradient is None:
        return set()
    told = {contribution.wire for found in gradient.arrived.values() for contribution in found}
    return {
        InPort(id, index)
        for id in {port.node for port in gradient.adjoints}
        for index in range(len(graph[id].inputs))
        if InPort(id, index) not in told
    }
