"""The steps of a computation, in order, for chosen targets."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gradviz.graph import walk
from gradviz.graph.model import Attributes, Graph, OutPort
from gradviz.ops import registry
from gradviz.ops.op import Op
from gradviz.ops.spec import Spec


class PlannedNode(NamedTuple):
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
    order: Sequence[str] | None = None,
) -> Plan:
    """A plan for all nodes, or for the targets and what they need; `order` is one that is known already."""
    needed = None if targets is None else walk.ancestors(graph, targets)
    nodes = []
    total = 0
    sizes: dict[Spec, int] = {}
    for id in walk.topological_order(graph) if order is None else order:
        if needed is not None and id not in needed:
            continue
        node = graph[id]
        inputs = tuple(
            [
                None
                if port is None or port.index >= len(specs[port.node])
                else specs[port.node][port.index]
                for port in node.inputs
            ]
        )
        outputs = specs[id]
        nodes.append(
            PlannedNode(id, registry.find(node.op), node.inputs, inputs, node.attributes, outputs)
        )
        for spec in outputs:
            if spec is not None:
                size = sizes.get(spec)
                if size is None:
                    size = sizes[spec] = math.prod(spec.shape) * spec.dtype.itemsize
                total += size
    return Plan(graph, tuple(nodes), total)
