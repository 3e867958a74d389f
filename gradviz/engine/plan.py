"""The steps of a computation, in order, for chosen targets."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from gradviz.graph import walk
from gradviz.graph.model import Attributes, Graph, OutPort
from gradviz.ops import registry
from gradviz.ops.op import Op
from gradviz.ops.spec import Spec


@dataclass(frozen=True, slots=True)
class PlannedNode:
    """One application: the op (`None` if unknown), its input ports, their specs and its own (`None` if unknown)."""

    id: str
    op: Op | None
    inputs: tuple[OutPort | None, ...]
    specs: tuple[Spec | None, ...]
    attributes: Attributes
    outputs: tuple[Spec | None, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The applications in an order in which each finds its inputs ready, and the bytes their results need."""

    graph: Graph
    nodes: tuple[PlannedNode, ...]
    bytes: int


def plan(
    graph: Graph,
    specs: Mapping[str, tuple[Spec | None, ...]],
    targets: Collection[str] | None = None,
) -> Plan:
    """A plan for all nodes, or for the targets and what they need."""
    needed = None if targets is None else walk.ancestors(graph, targets)
    nodes = []
    total = 0
    for id in walk.topological_order(graph):
        if needed is not None and id not in needed:
            continue
        node = graph[id]
        inputs = tuple(
            None
            if port is None or port.index >= len(specs[port.node])
            else specs[port.node][port.index]
            for port in node.inputs
        )
        nodes.append(
            PlannedNode(id, registry.find(node.op), node.inputs, inputs, node.attributes, specs[id])
        )
        total += sum(math.prod(s.shape) * s.dtype.itemsize for s in specs[id] if s is not None)
    return Plan(graph, tuple(nodes), total)
