"""Cutting out a part of a diagram, and putting one in with fresh ids and names.

A part is a whole, valid diagram by itself: wires from outside are open in it. `outer_inputs` remembers those for who
wants to keep them. Text and the system's clipboard are not known here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Final

from gradviz.edit import routes
from gradviz.edit.grid import checked_place
from gradviz.edit.naming import Ids, Names
from gradviz.edit.part import part
from gradviz.edit.values import checked_values
from gradviz.graph.model import Diagram, Graph, InPort, Node, OutPort, Place

NOT_MOVED: Final = Place(0, 0)


def cut_out(diagram: Diagram, ids: Iterable[str]) -> Diagram:
    """The nodes `ids` as a diagram of their own, with their numbers and places and the wires between them."""
    wanted = {diagram.graph[id].id for id in ids}
    graph = part(diagram.graph, wanted)
    return Diagram(
        graph,
        values={id: diagram.values[id] for id in graph.nodes if id in diagram.values},
        places={id: diagram.places[id] for id in graph.nodes if id in diagram.places},
        ranges={id: diagram.ranges[id] for id in graph.nodes if id in diagram.ranges},
        routes=routes.among(diagram, graph),
    )


def outer_inputs(diagram: Diagram, ids: Collection[str]) -> dict[InPort, OutPort]:
    """The wires that lead from other nodes into the nodes `ids`: what `cut_out` leaves open."""
    wanted = set(ids)
    return {
        InPort(id, index): port
        for id in ids
        for index, port in enumerate(diagram.graph[id].inputs)
        if port is not None and port.node not in wanted
    }


def insert(
    diagram: Diagram,
    fragment: Diagram,
    offset: Place = NOT_MOVED,
    inputs: Mapping[InPort, OutPort] | None = None,
) -> tuple[Diagram, dict[str, str]]:
    """Put `fragment` into `diagram`, its places moved by `offset`; also gives the new id of each of its nodes.

    `inputs` are wires from nodes of `diagram` to open inputs of the fragment, as `outer_inputs` gives them; those
    whose node is gone stay open.
    """
    if not len(fragment.graph):
        return diagram, {}
    ids, names = Ids(diagram.graph), Names(diagram.graph)
    new = {node.id: ids.free(node.id) for node in fragment.graph}
    wires = {end: port for end, port in (inputs or {}).items() if port.node in diagram.graph}
    nodes = [_renewed(node, new, names, wires) for node in fragment.graph]
    moved = {
        new[id]: checked_place(Place(place.x + offset.x, place.y + offset.y))
        for id, place in fragment.places.items()
    }
    values = {new[id]: array for id, array in fragment.values.items()}
    return replace(
        diagram,
        graph=Graph({**diagram.graph.nodes, **{node.id: node for node in nodes}}),
        values=checked_values({**diagram.values, **values}) if values else diagram.values,
        places={**diagram.places, **moved} if moved else diagram.places,
        ranges={**diagram.ranges, **{new[id]: range for id, range in fragment.ranges.items()}},
        routes=(*diagram.routes, *routes.renamed(fragment, new, offset)),
    ), new


def _renewed(
    node: Node, new: Mapping[str, str], names: Names, wires: Mapping[InPort, OutPort]
) -> Node:
    inputs = tuple(
        wires.get(InPort(node.id, index)) if port is None else OutPort(new[port.node], port.index)
        for index, port in enumerate(node.inputs)
    )
    name = names.free(node.name) if node.name else ""
    return replace(node, id=new[node.id], inputs=inputs, name=name)


def duplicate(
    diagram: Diagram,
    ids: Collection[str],
    offset: Place = NOT_MOVED,
    *,
    keep_inputs: bool = False,
) -> tuple[Diagram, dict[str, str]]:
    """The nodes `ids` once more; with `keep_inputs` they read what the first ones read."""
    inputs = outer_inputs(diagram, ids) if keep_inputs else None
    return insert(diagram, cut_out(diagram, ids), offset, inputs)
