"""From a document's records to a Diagram."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, cast

from gradviz.files.arrays import NOT_FINITE, decode
from gradviz.files.records import (
    DefinitionRecord,
    DocumentRecord,
    GraphRecord,
    QueryRecord,
    convert,
)
from gradviz.graph.fault import DiagramError, Way, check_exists
from gradviz.graph.model import (
    EMPTY,
    Array,
    Diagram,
    Graph,
    Node,
    OutPort,
    Place,
    Query,
    freeze,
)
from gradviz.graph.names import shown
from gradviz.graph.validate import validate_graph
from gradviz.graph.values import STORED_AS
from gradviz.text import mark

# One wire: the id of the node it comes from; ":1" for output 1.
_WIRE: Final = re.compile(r"([^:]*)(?::(0|[1-9][0-9]{0,4}))?")
# mypy does not take a generic alias for a type.
_PAIR: Final[type[tuple[float, float]]] = cast(Any, tuple[float, float])
DEFAULT_DTYPE: Final = "float64"


def build(record: DocumentRecord) -> Diagram:
    """The diagram that a document describes; `validate` has still to look at it.

    A source with a value may leave out `dtype` (float64, whatever the op) and `shape` (the
    value's); the node of the diagram has both. Raises DiagramError with the way in the document.
    """
    nodes = _nodes(record.graph, ("graph", "nodes"))
    values: dict[str, Array] = {}
    for id, data in record.values.items():
        check_exists(id, Graph(nodes), ("values", id))
        nodes[id], values[id] = _source(nodes[id], data)
    return Diagram(
        graph=Graph(nodes),
        values=values,
        queries=tuple(_query(query, ("queries", i)) for i, query in enumerate(record.queries)),
        current=_current(record.queries),
        places=_places(record.places),
        notes=_frozen(record.notes),
        groups=_frozen(record.groups),
        definitions=_definitions(record.definitions),
        routes=_frozen(record.routes),
        ranges={key: freeze(item) for key, item in record.ranges.items()},
        sources=_frozen(record.sources),
        breakpoints=_frozen(record.breakpoints),
    )


def in_document(way: Way, record: GraphRecord) -> Way:
    """A way through a diagram as one through its document, where nodes are a list."""
    if way[:2] == ("graph", "nodes") and len(way) > 2 and isinstance(way[2], str):
        ids = [line.id for line in record.nodes]
        if way[2] in ids:
            return ("graph", "nodes", ids.index(way[2]), *way[3:])
    return way


def _nodes(record: GraphRecord, way: Way) -> dict[str, Node]:
    nodes: dict[str, Node] = {}
    for index, line in enumerate(record.nodes):
        place = (*way, index)
        if line.id in nodes:
            raise DiagramError(
                mark("files", 'Two nodes have the id "{id}" (the other is {first}); change one.'),
                place=(*place, "id"),
                id=shown(line.id),
                first=f"nodes[{list(nodes).index(line.id)}]",
            )
        inputs = tuple(
            None if wire is None else _port(wire, (*place, "inputs", number))
            for number, wire in enumerate(line.inputs)
        )
        attributes = freeze(line.attributes) if line.attributes else EMPTY
        assert isinstance(attributes, Mapping)
        nodes[line.id] = Node(line.id, line.op, inputs, attributes, line.name)
    return nodes


def _port(wire: str, place: Way) -> OutPort:
    found = _WIRE.fullmatch(wire)
    if found is None:
        raise DiagramError(
            mark("files", '"{wire}" names no output: write "id", or "id:1" for output 1.'),
            place=place,
            wire=shown(wire),
        )
    return OutPort(found[1], int(found[2] or 0))


def _source(node: Node, data: object) -> tuple[Node, Array]:
    """The node with dtype and shape spelt out, and its value."""
    dtype = node.attributes.get("dtype", _own_dtype(data))
    if not isinstance(dtype, str) or dtype not in STORED_AS:
        raise DiagramError(
            mark("files", "A value cannot be {dtype}; write one of {names}."),
            place=("graph", "nodes", node.id, "attributes", "dtype"),
            dtype=shown(str(dtype), 24),
            names=", ".join(STORED_AS),
        )
    value = decode(data, dtype, ("values", node.id))
    if "dtype" in node.attributes and "shape" in node.attributes:
        return node, value
    attributes = {"dtype": dtype, "shape": value.shape, **node.attributes}
    return replace(node, attributes=MappingProxyType(attributes)), value


def _own_dtype(data: object) -> str:
    """The dtype that the value itself tells: that of its bytes, else the default."""
    given = data.get("dtype") if isinstance(data, dict) else None
    return given if isinstance(given, str) and STORED_AS.get(given) == given else DEFAULT_DTYPE


def _query(record: QueryRecord, way: Way) -> Query:
    seed = None
    if record.seed is not None:
        seed = tuple(_seed(item, (*way, "seed", i)) for i, item in enumerate(record.seed))
    return Query(
        of=tuple(record.of),
        wrt=tuple(record.wrt),
        seed=seed,
        stop_gradients=tuple(record.stop_gradients),
        unconnected=record.unconnected,
    )


def _seed(item: object, way: Way) -> object:
    """Nested lists as tuples, "NaN" as a number; what is no number is left for the validator."""
    if isinstance(item, list):
        return tuple(_seed(part, (*way, i)) for i, part in enumerate(item))
    return NOT_FINITE.get(item, item) if isinstance(item, str) else item


def _current(records: list[QueryRecord]) -> int:
    marked = [index for index, record in enumerate(records) if record.current]
    if len(marked) > 1:
        raise DiagramError(
            mark("files", "Two questions are marked as current; keep one of the marks."),
            place=("queries", marked[1], "current"),
        )
    return marked[0] if marked else 0


def _places(section: dict[str, Any]) -> dict[str, Place]:
    return {id: Place(*convert(xy, _PAIR, ("places", id))) for id, xy in section.items()}


def _definitions(section: list[dict[str, Any]]) -> tuple[Mapping[str, object], ...]:
    for index, item in enumerate(section):
        way = ("definitions", index)
        record = convert(item, DefinitionRecord, way)
        graph = Graph(_nodes(record.graph, (*way, "graph", "nodes")))
        try:
            validate_graph(graph)
        except DiagramError as error:
            place = (*way, *in_document(error.place, record.graph))
            raise DiagramError(error.message, place=place) from None
        for part, ids in (("inputs", record.inputs), ("outputs", record.outputs)):
            for number, id in enumerate(ids):
                check_exists(id, graph, (*way, part, number))
    return _frozen(section)


def _frozen(section: list[dict[str, Any]]) -> tuple[Mapping[str, object], ...]:
    return tuple(MappingProxyType({key: freeze(item[key]) for key in item}) for item in section)
