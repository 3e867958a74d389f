"""Connecting and disconnecting."""

from __future__ import annotations

from dataclasses import replace

from gradviz.edit.misfit import new_problem
from gradviz.edit.routes import rewired
from gradviz.engine.check import Specs, infer
from gradviz.errors import GradvizError, GraphError, ShapeError
from gradviz.graph import paths, walk
from gradviz.graph.model import Diagram, Graph, InPort, Node, OutPort
from gradviz.ops import registry
from gradviz.text import Message, mark

FEWEST_INPUTS = 2
"""A node that may have any number of inputs keeps this many, wired or open."""


def connect(
    diagram: Diagram, source: OutPort, target: InPort, specs: Specs | None = None
) -> Diagram:
    """Wire source to target; a wire that ends there already is replaced.

    A target one beyond the last input of an op such as concat, or one that may have a bias, gives it one input more. Raises GraphError or
    ShapeError with the reason if the wire cannot be. `specs` of the graph save inferring them.
    """
    if _wire_at(diagram.graph, target) == source:
        return diagram
    fault = _fault(diagram.graph, source, target, specs)
    if fault is not None:
        raise fault
    changed = _wired(diagram.graph[target.node], target.index, source)
    return rewired(diagram, diagram.graph.with_nodes(changed))


def refusal(
    diagram: Diagram, source: OutPort, target: InPort, specs: Specs | None = None
) -> Message | None:
    """Why `connect` would refuse; None if it would not."""
    if _wire_at(diagram.graph, target) == source:
        return None
    fault = _fault(diagram.graph, source, target, specs)
    return None if fault is None else fault.message


def _fault(
    graph: Graph, source: OutPort, target: InPort, specs: Specs | None
) -> GradvizError | None:
    known = specs if specs is not None and specs.graph is graph else infer(graph)
    node = graph[target.node]
    if not 0 <= source.index < len(known.outputs[graph[source.node].id]):
        text = mark("edit", "{name} has no output {number}.")
        return GraphError(text, name=_called(graph, source.node), number=source.index + 1)
    if not 0 <= target.index < len(node.inputs) + _can_grow(node):
        text = mark("edit", "{name} has no input {number}.")
        return GraphError(text, name=_called(graph, target.node), number=target.index + 1)
    if walk.would_close_cycle(graph, source.node, target.node):
        return _cycle(graph, source.node, target.node)
    problem = new_problem(graph, _wired(node, target.index, source), known)
    return None if problem is None else ShapeError(problem.message)


def _cycle(graph: Graph, source: str, target: str) -> GraphError:
    if source == target:
        text = mark("edit", "This wire would close a cycle: {name} would be computed from itself.")
        return GraphError(text, name=_called(graph, source))
    text = mark("edit", "This wire would close a cycle: {path}.")
    return GraphError(text, path=paths.path_words(graph, target, source))


def _wired(node: Node, index: int, source: OutPort | None) -> Node:
    if index == len(node.inputs):
        return replace(node, inputs=(*node.inputs, source))
    return node.with_input(index, source)


def _wire_at(graph: Graph, target: InPort) -> OutPort | None:
    inputs = graph[target.node].inputs
    return inputs[target.index] if 0 <= target.index < len(inputs) else None


def _called(graph: Graph, id: str) -> str:
    return graph[id].name or graph[id].op


def _can_grow(node: Node) -> bool:
    """Whether there may be one input more."""
    op = registry.find(node.op)
    return op is not None and op.takes(len(node.inputs) + 1)


def takes_inputs(node: Node) -> bool:
    """Whether a wire can end at the node, now or ever."""
    return bool(node.inputs) or _can_grow(node)


def disconnect(diagram: Diagram, target: InPort) -> Diagram:
    """Remove the wire that ends at target."""
    if _wire_at(diagram.graph, target) is None:
        return diagram
    opened = trimmed_inputs(_wired(diagram.graph[target.node], target.index, None))
    return rewired(diagram, diagram.graph.with_nodes(opened))


def trimmed_inputs(node: Node) -> Node:
    """Without the open inputs at the end that a node may do without."""
    op = registry.find(node.op)
    if op is None or not (op.variadic or op.optional):
        return node
    count = len(node.inputs)
    fewest = FEWEST_INPUTS if op.variadic else op.fewest
    while count > fewest and node.inputs[count - 1] is None:
        count -= 1
    return node if count == len(node.inputs) else replace(node, inputs=node.inputs[:count])


def insert_on_wire(
    diagram: Diagram, id: str, target: InPort, specs: Specs | None = None
) -> Diagram:
    """Put a node into the wire that ends at target, by the first of its open inputs that fits.

    Raises GraphError or ShapeError with the reason if none does. `specs` of the graph save inferring them.
    """
    graph = diagram.graph
    source = _wire_at(graph, target)
    if source is None:
        raise GraphError(
            mark("edit", "There is no wire to put {name} into."), name=_called(graph, id)
        )
    node = graph[id]
    entries = [i for i, port in enumerate(node.inputs) if port is None]
    if _can_grow(node):
        entries.append(len(node.inputs))
    fault: GradvizError | None = None
    for index in entries:
        try:
            entered = connect(diagram, source, InPort(id, index), specs)
            return connect(entered, OutPort(id), target, infer(entered.graph, specs))
        except (GraphError, ShapeError) as error:
            fault = fault or error
    raise fault or GraphError(mark("edit", "{name} has no open input."), name=_called(graph, id))
