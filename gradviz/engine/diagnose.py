"""Why a gradient is missing: facts, not sentences (`explain` writes those)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gradviz.engine.check import Specs, outputs_of
from gradviz.engine.gradient import Gradient, passes
from gradviz.graph import walk
from gradviz.graph.model import InPort, OutPort
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
class Missing:
    """A gradient that does not exist. `nodes` are those that cut the path, first in the order of the graph first."""

    state: State
    of: tuple[str, ...]
    wrt: str
    nodes: tuple[str, ...] = ()


def missing(
    specs: Specs,
    of: Sequence[OutPort],
    wrt: OutPort,
    *,
    stop: Collection[OutPort] = (),
    gradient: Gradient | None = None,
) -> Missing:
    """Why `wrt` has no gradient; call it only for a port that has none."""
    targets = tuple(dict.fromkeys(port.node for port in of))
    if not of:
        return Missing(State.NO_TARGETS, (), wrt.node)
    if specs[wrt] is None or all(specs[port] is None for port in of):
        return Missing(State.NOT_RUN, targets, wrt.node, _broken(specs, (wrt.node, *targets)))
    if not specs.is_float(wrt):
        return Missing(State.INTEGER_SOURCE, targets, wrt.node, (wrt.node,))
    leading = walk.ancestors(specs.graph, targets)
    if wrt.node not in leading:
        backwards = walk.ancestors(specs.graph, [wrt.node]) & set(targets)
        return Missing(State.SWAPPED if backwards else State.NO_PATH, targets, wrt.node)
    if not any(specs.is_float(port) for port in of):
        return Missing(State.INTEGER_TARGET, targets, wrt.node, targets)
    return _cut(specs, targets, wrt, leading, {port.node for port in stop}, gradient)


def _broken(specs: Specs, starts: Sequence[str]) -> tuple[str, ...]:
    needed = walk.ancestors(specs.graph, starts)
    return tuple(id for id in specs.order if id in needed and id in specs.problems)


def _cut(
    specs: Specs,
    targets: tuple[str, ...],
    wrt: OutPort,
    leading: set[str],
    stopped: set[str],
    gradient: Gradient | None,
) -> Missing:
    graph = specs.graph
    reached = walk.descendants(
        graph,
        [wrt.node],
        lambda source, end: end.node not in stopped and passes(graph, specs, source, end),
    )
    cuts: list[tuple[str, State]] = []
    for id in specs.order:
        if id in reached or id not in leading:
            continue
        if any(port is not None and port.node in reached for port in graph[id].inputs):
            cuts.append((id, _kind(specs, id, stopped)))
    if not cuts:
        # Every wire could carry a cotangent, but a rule has no derivative for the input it enters by.
        cuts = [
            (id, State.NON_DIFFERENTIABLE_OP) for id in _silent(specs, reached & leading, gradient)
        ]
    if not cuts:
        return Missing(State.NO_PATH, targets, wrt.node)
    return Missing(cuts[0][1], targets, wrt.node, tuple(id for id, _ in cuts))


def _kind(specs: Specs, id: str, stopped: set[str]) -> State:
    op = registry.find(specs.graph[id].op)
    if id in stopped or (op is not None and op.name == "stop_gradient"):
        return State.STOPPED
    if op is None:
        return State.NO_RULE
    if not op.differentiable:
        return State.NON_DIFFERENTIABLE_OP
    if not any(spec is not None and spec.is_float for spec in specs.outputs[id]):
        return State.INTEGER_ON_PATH
    return State.NO_RULE


def _silent(specs: Specs, nodes: set[str], gradient: Gradient | None) -> list[str]:
    """The nodes that got a cotangent and handed none on over a wire."""
    if gradient is None:
        return []
    told = {contribution.wire for found in gradient.arrived.values() for contribution in found}
    return [
        id
        for id in specs.order
        if id in nodes
        and any(port in gradient.adjoints for port in outputs_of(specs.graph[id], specs))
        and any(
            port is not None and port.node in nodes and InPort(id, i) not in told
            for i, port in enumerate(specs.graph[id].inputs)
        )
    ]
