"""Shapes, dtypes and problems of a graph: a list, not an exception."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gradviz.errors import GradvizError
from gradviz.graph import walk
from gradviz.graph.model import Graph, Node, OutPort
from gradviz.ops import registry
from gradviz.ops.expr import UNUSABLE
from gradviz.ops.spec import Spec
from gradviz.text import Message, mark, message

Outputs = tuple[Spec | None, ...]
UNKNOWN: Outputs = (None,)


@dataclass(frozen=True, slots=True)
class Problem:
    """What keeps a node from being computed. `input` is the index of the input concerned, if it is one."""

    node: str
    message: Message
    input: int | None = None
    kind: str = "shape"


@dataclass(frozen=True, eq=False)
class Specs:
    """The specs of every port (`None` where unknown) and the problems found on the way.

    `open` are the nodes whose shape depends on the numbers; it is known only from a run (`engine.measure`).
    """

    graph: Graph
    order: tuple[str, ...]
    outputs: Mapping[str, Outputs]
    problems: Mapping[str, Problem] = field(default_factory=dict)
    open: frozenset[str] = frozenset()

    @property
    def measured(self) -> dict[str, Outputs]:
        """What a run told about the open nodes."""
        return {id: self.outputs[id] for id in self.open if self.outputs[id] != UNKNOWN}

    def __getitem__(self, port: OutPort) -> Spec | None:
        outputs = self.outputs.get(port.node, UNKNOWN)
        return outputs[port.index] if port.index < len(outputs) else None

    def is_float(self, port: OutPort) -> bool:
        """Whether a gradient can be asked for at this port."""
        spec = self[port]
        return spec is not None and spec.is_float


def infer(
    graph: Graph, previous: Specs | None = None, measured: Mapping[str, Outputs] | None = None
) -> Specs:
    """The specs of `graph`. With those of an earlier graph, only what changed is worked out again.

    `measured` are outputs that a run gave, for nodes whose shape depends on the numbers; such a node is unknown
    otherwise. Without it, what `previous` knows of an unchanged node is kept.
    Raises GraphError for a cycle.
    """
    order = walk.topological_order(graph)
    outputs: dict[str, Outputs] = {}
    problems: dict[str, Problem] = {}
    opened: set[str] = set()
    for id in order:
        node = graph[id]
        again = measured is not None and previous is not None and id in previous.open
        if previous is not None and not again and _unchanged(node, previous, outputs):
            if id in previous.open:
                opened.add(id)
            outputs[id] = previous.outputs[id]
            if id in previous.problems:
                problems[id] = previous.problems[id]
            continue
        found = _infer_node(node, outputs)
        if isinstance(found, Problem):
            problems[id] = found
            outputs[id] = UNKNOWN
        elif found is None:
            opened.add(id)
            outputs[id] = (measured or {}).get(id, UNKNOWN)
        else:
            outputs[id] = found
    return Specs(graph, order, outputs, problems, frozenset(opened))


def _unchanged(node: Node, previous: Specs, outputs: Mapping[str, Outputs]) -> bool:
    if previous.graph.nodes.get(node.id) is not node:
        return False
    return all(
        port is None or outputs.get(port.node) == previous.outputs.get(port.node)
        for port in node.inputs
    )


def _infer_node(node: Node, outputs: Mapping[str, Outputs]) -> Outputs | Problem | None:
    """Its outputs, what is wrong with it, or None if only the numbers can tell."""
    op = registry.find(node.op)
    if op is None:
        return Problem(
            node.id,
            message(mark("engine", "{op} is not known here."), op=node.op),
            None,
            "unknown-op",
        )
    if not op.takes(len(node.inputs)):
        text = mark("engine", "{op} takes {wanted} inputs, not {count}.")
        return Problem(
            node.id,
            message(text, op=op.name, wanted=op.counted, count=len(node.inputs)),
            None,
            "inputs",
        )
    specs: list[Spec] = []
    for index, port in enumerate(node.inputs):
        if port is None:
            text = mark("engine", "The input {name} has no wire.")
            return Problem(
                node.id, message(text, name=op.port_names(len(node.inputs))[index]), index, "open"
            )
        found = outputs[port.node]
        if port.index >= len(found):
            text = mark("engine", "The wire at {name} comes from an output that does not exist.")
            return Problem(
                node.id, message(text, name=op.port_names(len(node.inputs))[index]), index, "inputs"
            )
        spec = found[port.index]
        if spec is None:
            return UNKNOWN
        specs.append(spec)
    try:
        result = op.spec(*specs, **op.bind(node.attributes))
    except GradvizError as error:
        return Problem(node.id, error.message)
    except UNUSABLE as error:
        text = mark("engine", "The settings of {op} cannot be used: {reason}.")
        return Problem(node.id, message(text, op=op.name, reason=error), None, "settings")
    return (result,) if isinstance(result, Spec) else result


def outputs_of(node: Node, specs: Specs) -> tuple[OutPort, ...]:
    """The output ports of a node."""
    return tuple(OutPort(node.id, i) for i in range(len(specs.outputs.get(node.id, UNKNOWN))))
