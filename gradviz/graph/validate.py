"""The one validator of a diagram: file, paste, undo and Python all end here.

It knows nothing of ops: how many inputs one takes and which shapes fit is for `engine/check.py` to
say, and a node whose op is not known is kept. Time and memory grow with the diagram; no recursion.

The first fault is raised as a DiagramError (a GraphError) whose `place` says where. An edit that
touches one node can ask `check_node`, `check_name` or `check_value` alone.
"""

from __future__ import annotations

from typing import Final

from gradviz.graph.annotations import check_annotations
from gradviz.graph.fault import DiagramError, DiagramLimitError, Way, check_exists, check_id
from gradviz.graph.model import Diagram, Graph, Node, Query
from gradviz.graph.names import look_alike, name_fault, shown
from gradviz.graph.plain import plain_fault
from gradviz.graph.values import called, check_shape, check_value, check_values, whole_numbers
from gradviz.graph.walk import cycle_words, find_cycle
from gradviz.limits import PLACE, RANK
from gradviz.text import mark

__all__ = [
    "DiagramError",
    "DiagramLimitError",
    "check_id",
    "check_name",
    "check_node",
    "check_value",
    "validate",
    "validate_graph",
]

UNCONNECTED: Final = ("none", "zero")
OUTPUTS: Final = 100_000
_NODES: Final = ("graph", "nodes")


def validate(diagram: Diagram, *, derived_ids: bool = False) -> None:
    """Raise DiagramError for the first rule that `diagram` breaks.

    With `derived_ids`, ids may hold `/` and `'`, as in expanded and backward graphs.
    """
    validate_graph(diagram.graph, derived_ids=derived_ids)
    check_values(diagram.values, diagram.graph)
    _check_queries(diagram)
    _check_places(diagram)
    check_annotations(diagram)


def validate_graph(graph: Graph, *, derived_ids: bool = False) -> None:
    """Raise DiagramError for the first rule that the nodes and wires break."""
    names: dict[str, Node] = {}
    for id, node in graph.nodes.items():
        place = (*_NODES, id)
        check_id(node.id, derived=derived_ids, place=(*place, "id"))
        if id != node.id:
            raise DiagramError(
                mark("graph", 'The node "{id}" is filed under "{key}".'),
                place=place,
                id=node.id,
                key=shown(str(id)),
            )
        check_node(node)
        _check_wires(node, graph)
        first = names.setdefault(look_alike(node.name), node) if node.name else node
        if first is not node:
            raise DiagramError(
                mark("graph", 'Two nodes are called "{name}" (ids {first}, {second}); rename one.'),
                place=(*place, "name"),
                name=shown(node.name),
                first=first.id,
                second=id,
            )
    cycle = find_cycle(graph)
    if cycle:
        raise DiagramError(
            mark("graph", "The wires form a cycle: {path}. Take one of them away."),
            place=(*_NODES, cycle[0], "inputs"),
            path=cycle_words(graph, cycle),
        )


def check_node(node: Node) -> None:
    """Raise DiagramError for an op, a name or attributes that no node may have."""
    place = (*_NODES, node.id)
    fault = name_fault(node.op)
    if fault is not None:
        raise DiagramError(
            mark("graph", '"{op}" cannot be an op: {fault}.'),
            place=(*place, "op"),
            op=shown(node.op),
            fault=fault,
        )
    check_name(node.name, place=(*place, "name"))
    found = plain_fault(node.attributes)
    if found is not None:
        raise DiagramError(
            mark("graph", "The attributes of {node} cannot be kept: {fault}."),
            place=(*place, "attributes", *found[1]),
            node=called(node),
            fault=found[0],
        )
    # What else a shape may be is for the op to say; an unknown op may mean anything by it.
    shape = whole_numbers(node.attributes.get("shape"))
    if shape is not None:
        check_shape(shape, place=(*place, "attributes", "shape"))


def check_name(name: str, *, place: Way = ()) -> None:
    """Raise DiagramError unless `name` can be shown (an empty name is none, and fine)."""
    fault = name_fault(name) if name else None
    if fault is not None:
        raise DiagramError(
            mark("graph", '"{name}" cannot be a name: {fault}.'),
            place=place,
            name=shown(name),
            fault=fault,
        )


def _check_wires(node: Node, graph: Graph) -> None:
    place = (*_NODES, node.id, "inputs")
    for index, source in enumerate(node.inputs):
        if source is None:
            continue
        if source.node not in graph:
            raise DiagramError(
                mark("graph", 'Input {number} of {node} comes from "{id}": there is no such node.'),
                place=(*place, index),
                number=index + 1,
                node=called(node),
                id=shown(str(source.node)),
            )
        if type(source.index) is not int or not 0 <= source.index < OUTPUTS:
            raise DiagramError(
                mark("graph", "Input {number} of {node} comes from output {output} of {source}."),
                place=(*place, index),
                number=index + 1,
                node=called(node),
                output=shown(str(source.index)),
                source=called(graph[source.node]),
            )


def _check_queries(diagram: Diagram) -> None:
    if not 0 <= diagram.current < max(1, len(diagram.queries)):
        raise DiagramError(
            mark("graph", "The current question is number {number}, but there are {count}."),
            place=("queries",),
            number=diagram.current + 1,
            count=len(diagram.queries),
        )
    for index, query in enumerate(diagram.queries):
        place = ("queries", index)
        ids = {"of": query.of, "wrt": query.wrt, "stop_gradients": query.stop_gradients}
        for part, named in ids.items():
            for number, id in enumerate(named):
                check_exists(id, diagram.graph, (*place, part, number))
        if query.unconnected not in UNCONNECTED:
            raise DiagramError(
                mark("graph", '"{given}" is not known here; write {names}.'),
                place=(*place, "unconnected"),
                given=shown(str(query.unconnected)),
                names=" or ".join(f'"{name}"' for name in UNCONNECTED),
            )
        _check_seed(query, (*place, "seed"))


def _check_seed(query: Query, place: Way) -> None:
    """A seed holds for each target `None` (ones), a number, or lists of numbers."""
    if query.seed is None:
        return
    if query.of and len(query.seed) != len(query.of):
        raise DiagramError(
            mark("graph", "There are {seeds} seeds for {targets} targets; give one for each."),
            place=place,
            seeds=len(query.seed),
            targets=len(query.of),
        )
    waiting: list[tuple[object, Way]] = [(item, (i,)) for i, item in enumerate(query.seed)]
    while waiting:
        item, way = waiting.pop()
        if isinstance(item, list | tuple) and len(way) <= RANK:
            waiting.extend((part, (*way, i)) for i, part in enumerate(item))
        elif type(item) not in (int, float) and not (item is None and len(way) == 1):
            raise DiagramError(
                mark("graph", "A seed is a number or lists of numbers; this is neither."),
                place=(*place, *way),
            )


def _check_places(diagram: Diagram) -> None:
    for id, corner in diagram.places.items():
        check_exists(id, diagram.graph, ("places", id))
        # Written so that NaN does not pass.
        if not (len(corner) == 2 and all(-PLACE <= axis <= PLACE for axis in corner)):
            raise DiagramError(
                mark("graph", "{node} lies off the canvas: both numbers must be within ±{limit}."),
                place=("places", id),
                node=called(diagram.graph[id]),
                limit=f"{PLACE:,}",
            )
