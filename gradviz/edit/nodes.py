"""Adding, deleting, moving and naming nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, TypeVar

import numpy as np

from gradviz.edit import values
from gradviz.edit.grid import checked_place
from gradviz.edit.naming import Ids, Names, checked_name
from gradviz.edit.routes import moved_along, rewired, set_routes
from gradviz.edit.wires import trimmed_inputs
from gradviz.errors import GradvizError, InputError
from gradviz.graph.model import Array, Diagram, Graph, Node, Place, Query, frozen_array
from gradviz.graph.validate import check_node
from gradviz.ops import registry
from gradviz.ops.expr import array_of
from gradviz.ops.op import Op
from gradviz.ops.spec import DTYPES, FLOAT64, Spec
from gradviz.text import mark

FIRST_SETTINGS: Final[Mapping[str, object]] = {"Shape": (-1,), "Axis": 0, "Index": (0,)}
"""What a setting without a default starts with, by its kind, where the op takes that: it fits any input."""
OPEN_INPUTS: Final = 2
"""With how many inputs a node starts that may have any number of them."""
RANDOM_SHAPE: Final = (3, 3)

T = TypeVar("T")


def add_node(
    diagram: Diagram,
    op_name: str,
    place: Place,
    *,
    value: object = None,
    attributes: Mapping[str, object] | None = None,
    name: str | None = None,
) -> tuple[Diagram, str]:
    """Add a node with open inputs; also gives its id.

    Without `value`, a variable is 0 and a constant 1, in the shape of their settings; a random source is 3×3, and
    its caller draws the seed. `layout.free_place` finds a `place` that covers nothing.
    """
    op = registry.get(op_name)
    settings = {**_first_settings(op), **values.checked_attributes(attributes or {})}
    numbers = None
    if values.holds_numbers(op):
        numbers, settings["dtype"] = _first_numbers(op, settings, value)
        settings["shape"] = numbers.shape
    elif value is not None:
        text = mark("edit", "{op} computes its numbers; it cannot be given any.")
        raise InputError(text, op=op.name)
    values.check_source(op, settings)
    # A source writes its defaults out: its value is checked against them without asking the op.
    stored = settings if numbers is not None else op.trimmed(settings)
    node = _new_node(diagram.graph, op, stored, name)
    check_node(node)
    return _with_node(diagram, node, numbers, checked_place(place)), node.id


def _new_node(graph: Graph, op: Op, settings: Mapping[str, object], name: str | None) -> Node:
    given = checked_name(name) if name is not None else _default_name(op, settings)
    unique = Names(graph).free(given) if given else ""
    count = max(op.fewest, OPEN_INPUTS) if op.variadic else op.fewest
    id = Ids(graph).free(unique or op.name)
    return Node(id, op.name, (None,) * count, MappingProxyType(dict(settings)), unique)


def _default_name(op: Op, settings: Mapping[str, object]) -> str:
    # A literal is shown by its number.
    return "" if values.is_weak(op, settings) else op.name


def _with_node(diagram: Diagram, node: Node, numbers: Array | None, place: Place) -> Diagram:
    held = diagram.values
    if numbers is not None:
        held = values.checked_values({**held, node.id: frozen_array(numbers)})
    return replace(
        diagram,
        graph=diagram.graph.with_nodes(node),
        values=held,
        places={**diagram.places, node.id: place},
    )


def _first_numbers(op: Op, settings: Mapping[str, object], value: object) -> tuple[Array, str]:
    """The numbers a new source holds, and its dtype."""
    asked = settings.get("dtype")
    if value is None:
        shape = values.checked_shape(settings.get("shape", ()))
        number = 1.0 if op.name == "constant" else 0.0
        dtype = str(asked or ("weak" if op.name == "constant" and not shape else "float64"))
        return values.cast_to(dtype, np.full(shape, number)), dtype
    given = array_of(value)
    if asked is not None:
        dtype = str(asked)
    elif op.name == "constant":
        # As in NumPy, a plain Python number takes the dtype of what it meets.
        dtype = "weak" if type(value) in (int, float) else given.dtype.name
    else:
        dtype = given.dtype.name if given.dtype.kind == "f" else FLOAT64.name
    return values.cast_to(dtype, given), dtype


def _first_settings(op: Op) -> dict[str, object]:
    if "seed" in op.attributes:
        return {"shape": RANDOM_SHAPE}
    if op.is_source or not any(attribute.required for attribute in op.attributes.values()):
        return {}
    example = op.examples[0]
    shown = {a.name: example.attributes[a.name] for a in op.attributes.values() if a.required}
    usual = {
        name: FIRST_SETTINGS.get(op.attributes[name].kind, value) for name, value in shown.items()
    }
    specs = (Spec(a.shape, DTYPES[a.dtype.name]) for a in map(array_of, example.inputs))
    try:
        op.spec(*specs, **op.bind(usual))
    except (GradvizError, TypeError, ValueError):
        return dict(shown)
    return usual


def delete(diagram: Diagram, ids: Iterable[str]) -> Diagram:
    """Remove nodes with their wires, numbers and places, and whatever else speaks of them."""
    gone = {diagram.graph[id].id for id in ids}
    if not gone:
        return diagram
    touched = {end.node for id in gone for end in diagram.graph.consumers_of(id)} - gone
    graph = diagram.graph.without(gone)
    graph = graph.with_nodes(*(trimmed_inputs(graph[id]) for id in touched)) if touched else graph
    return forget(rewired(diagram, graph), gone)


def forget(diagram: Diagram, gone: Collection[str]) -> Diagram:
    """`diagram` where nothing beside the graph speaks of the nodes `gone` any more."""
    return replace(
        diagram,
        values=_without(diagram.values, gone),
        places=_without(diagram.places, gone),
        ranges=_without(diagram.ranges, gone),
        queries=tuple(_query_without(query, gone) for query in diagram.queries),
        routes=tuple(r for r in diagram.routes if r.get("node") not in gone),
        breakpoints=tuple(b for b in diagram.breakpoints if b.get("node") not in gone),
        groups=tuple(_annotation_without(group, gone) for group in diagram.groups),
        notes=tuple(_annotation_without(note, gone) for note in diagram.notes),
    )


def _without(table: Mapping[str, T], gone: Collection[str]) -> Mapping[str, T]:
    if not any(id in table for id in gone):
        return table
    return {id: entry for id, entry in table.items() if id not in gone}


def _query_without(query: Query, gone: Collection[str]) -> Query:
    kept = [number for number, id in enumerate(query.of) if id not in gone]
    return replace(
        query,
        of=tuple(query.of[number] for number in kept),
        wrt=tuple(id for id in query.wrt if id not in gone),
        seed=_seed_without(query, kept),
        stop_gradients=tuple(id for id in query.stop_gradients if id not in gone),
    )


def _seed_without(query: Query, kept: list[int]) -> tuple[object, ...] | None:
    if query.seed is None or len(kept) == len(query.of):
        return query.seed
    return tuple(query.seed[number] for number in kept if number < len(query.seed)) or None


def _annotation_without(item: Mapping[str, object], gone: Collection[str]) -> Mapping[str, object]:
    """A note or a group stays, without its nodes that are gone."""
    kept = {key: value for key, value in item.items() if key != "node" or value not in gone}
    for key in ("nodes", "members"):
        ids = kept.get(key)
        if isinstance(ids, list | tuple):
            kept[key] = tuple(id for id in ids if id not in gone)
    return item if kept == dict(item) else MappingProxyType(kept)


def move(diagram: Diagram, places: Mapping[str, Place]) -> Diagram:
    """Put cards elsewhere; the others stay where they are. Points of wires between cards that move alike move along."""
    moved = {
        diagram.graph[id].id: checked
        for id, place in places.items()
        if (checked := checked_place(place)) != diagram.places.get(id)
    }
    if not moved:
        return diagram
    led = set_routes(diagram, moved_along(diagram, moved))
    return replace(led, places={**diagram.places, **moved})


def rename(diagram: Diagram, id: str, name: str) -> Diagram:
    """Call a node `name`; `name_2` if another one is called that. A literal may lose its name."""
    node = diagram.graph[id]
    wanted = name.strip()
    if wanted == node.name:
        return diagram
    if wanted or not _is_literal(node):
        names = Names(diagram.graph)
        names.release(node.name)
        wanted = names.free(checked_name(wanted))
    if wanted == node.name:
        return diagram
    return replace(diagram, graph=diagram.graph.with_nodes(replace(node, name=wanted)))


def _is_literal(node: Node) -> bool:
    op = registry.find(node.op)
    return op is not None and values.is_weak(op, node.attributes)
