"""Diagrams as networkx graphs, for analysis with networkx, and back.

A node of the network is a node of the diagram, under its id, with `name`, `op`, `attributes`, `inputs` (how many),
`shapes` and `dtypes` (one per output, `None` where unknown), and where there are any `value` (an array) and `place`.
An edge is a wire: `output` and `input` are the numbers of its ports, `shape` and `dtype` what it carries. What else
a diagram holds lies in the attributes of the network itself, so the way back loses nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, cast

from gradviz.engine.check import infer
from gradviz.engine.measure import measured
from gradviz.errors import GraphError, InputError
from gradviz.graph.model import (
    Array,
    Attributes,
    Diagram,
    Graph,
    Node,
    OutPort,
    Place,
    Query,
    freeze,
    frozen_array,
)
from gradviz.graph.validate import validate
from gradviz.ops import registry
from gradviz.ops.expr import array_of
from gradviz.ops.spec import Spec
from gradviz.text import mark

if TYPE_CHECKING:
    import networkx as nx

Edge = tuple[str, str, Mapping[str, Any]]

BESIDE: Final = tuple(
    field.name for field in fields(Diagram) if field.name not in ("graph", "values", "places")
)


def to_networkx(diagram: Diagram) -> nx.MultiDiGraph:
    """The diagram as a MultiDiGraph; see `gradviz.networks` for what its nodes and edges carry."""
    import networkx as nx

    specs = measured(infer(diagram.graph), diagram.values)
    found = nx.MultiDiGraph(**{name: _thawed(getattr(diagram, name)) for name in BESIDE})
    for node in diagram.graph:
        outputs = specs.outputs[node.id]
        found.add_node(
            node.id,
            name=node.name,
            op=node.op,
            attributes=_thawed(node.attributes),
            inputs=len(node.inputs),
            shapes=[_shape(spec) for spec in outputs],
            dtypes=[_dtype(spec) for spec in outputs],
        )
        if node.id in diagram.values:
            found.nodes[node.id]["value"] = diagram.values[node.id]
        if node.id in diagram.places:
            found.nodes[node.id]["place"] = tuple(diagram.places[node.id])
    for node in diagram.graph:
        for index, port in enumerate(node.inputs):
            if port is not None:
                spec = specs[port]
                carried = {"shape": _shape(spec), "dtype": _dtype(spec)}
                found.add_edge(port.node, node.id, output=port.index, input=index, **carried)
    return found


def _shape(spec: Spec | None) -> tuple[int, ...] | None:
    return None if spec is None else spec.shape


def _dtype(spec: Spec | None) -> str | None:
    if spec is None:
        return None
    return "weak" if spec.weak else spec.dtype.name


def _thawed(value: object) -> object:
    """Plain data as lists and dicts of its own; a query stays what it is."""
    if isinstance(value, Query):
        return value
    if isinstance(value, Mapping):
        return {key: _thawed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_thawed(item) for item in value]
    return value


def from_networkx(graph: nx.DiGraph) -> Diagram:
    """The diagram of a directed graph with the attributes that `to_networkx` gives.

    Of a node only `op` is needed, and of a source its `value`; wires without `input` come in their order. Raises
    GraphError or InputError for what is no diagram.
    """
    if not graph.is_directed():
        text = mark(
            "networks", "The graph has no directions: a wire leads from one node to another."
        )
        raise InputError(text)
    values = {
        id: frozen_array(array_of(value))
        for id, value in graph.nodes(data="value")
        if value is not None
    }
    nodes = {
        id: _node(id, data, list(graph.in_edges(id, data=True)), values.get(id))
        for id, data in graph.nodes(data=True)
    }
    places = {id: Place(*place) for id, place in graph.nodes(data="place") if place is not None}
    beside = {name: freeze(graph.graph[name]) for name in BESIDE if name in graph.graph}
    diagram = Diagram(Graph(nodes), values=values, places=places, **cast("dict[str, Any]", beside))
    validate(diagram)
    return diagram


def _node(id: object, data: Mapping[str, Any], edges: list[Edge], value: Array | None) -> Node:
    attributes, name = data.get("attributes", {}), data.get("name", id)
    known = isinstance(data.get("op"), str) and isinstance(name, str)
    if not (isinstance(id, str) and known and isinstance(attributes, Mapping)):
        text = mark(
            "networks",
            "The node {id} cannot be read: its key, op and name must be texts, its attributes a dict.",
        )
        raise InputError(text, id=repr(id)[:60])
    if value is not None:
        attributes = {"shape": value.shape, "dtype": value.dtype.name, **attributes}
    inputs = _inputs(id, data, edges)
    return Node(id, data["op"], inputs, cast("Attributes", freeze(dict(attributes))), name)


def _inputs(id: str, data: Mapping[str, Any], edges: list[Edge]) -> tuple[OutPort | None, ...]:
    op = registry.find(data["op"])
    ends = [edge.get("input", number) for number, (_, _, edge) in enumerate(edges)]
    count = data.get("inputs", max([len(op.inputs) if op else 0, *(end + 1 for end in ends)]))
    inputs: list[OutPort | None] = [None] * count
    for end, (source, _, edge) in zip(ends, edges, strict=True):
        if not 0 <= end < count or inputs[end] is not None:
            text = mark(
                "networks", "Input {number} of {id} does not exist, or two wires end there."
            )
            raise GraphError(text, number=end + 1, id=id)
        inputs[end] = OutPort(source, edge.get("output", 0))
    return tuple(inputs)
