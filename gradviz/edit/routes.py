"""Leading a wire through points. They belong to the wire: when it goes, they go. `graph.routes` reads them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from gradviz.edit.grid import checked_place
from gradviz.errors import GraphError
from gradviz.graph.model import Diagram, Graph, InPort, Place, freeze
from gradviz.graph.routes import Points, end_of, routes_of, source_of
from gradviz.text import mark


def set_route(diagram: Diagram, end: InPort, points: Iterable[Place]) -> Diagram:
    """Lead the wire that ends at `end` through `points`; through none: straight again.

    Raises GraphError without a wire, InputError for a point that is no number.
    """
    return set_routes(diagram, {end: tuple(points)})


def set_routes(diagram: Diagram, routes: Mapping[InPort, Points]) -> Diagram:
    """`set_route` for several wires."""
    for end in routes:
        if source_of(diagram.graph, end) is None:
            raise GraphError(mark("edit", "There is no wire to lead elsewhere."))
    present = routes_of(diagram)
    new = {end: tuple(map(checked_place, points)) for end, points in routes.items()}
    if all(present.get(end, ()) == points for end, points in new.items()):
        return diagram
    others = tuple(route for route in diagram.routes if end_of(route) not in new)
    added = (_route(end, points) for end, points in new.items() if points)
    return replace(diagram, routes=(*others, *added))


def _route(end: InPort, points: Points) -> Mapping[str, object]:
    plain = {"node": end.node, "input": end.index, "points": [list(point) for point in points]}
    frozen = freeze(plain)
    assert isinstance(frozen, Mapping)
    return frozen


def rewired(diagram: Diagram, graph: Graph) -> Diagram:
    """`diagram` with `graph` in place of its own: only wires that are still the same keep their points."""
    if not diagram.routes:
        return replace(diagram, graph=graph)
    old = diagram.graph
    kept = tuple(
        route
        for route in diagram.routes
        if (end := end_of(route)) is None
        or (source_of(graph, end) is not None and source_of(graph, end) == source_of(old, end))
    )
    return replace(diagram, graph=graph, routes=kept)


def among(diagram: Diagram, graph: Graph) -> tuple[Mapping[str, object], ...]:
    """The routes of the wires that a part of the graph has too."""
    return tuple(
        _route(end, points)
        for end, points in routes_of(diagram).items()
        if source_of(graph, end) == source_of(diagram.graph, end)
    )


def renamed(
    fragment: Diagram, new: Mapping[str, str], offset: Place
) -> tuple[Mapping[str, object], ...]:
    """The routes of a fragment whose nodes get new ids and move by `offset`."""
    return tuple(
        _route(
            InPort(new[end.node], end.index),
            tuple(checked_place(Place(p.x + offset.x, p.y + offset.y)) for p in points),
        )
        for end, points in routes_of(fragment).items()
    )


def moved_along(diagram: Diagram, moved: Mapping[str, Place]) -> dict[InPort, Points]:
    """The new points of the wires both ends of which move by the same way."""
    found = {}
    for end, points in routes_of(diagram).items():
        source = source_of(diagram.graph, end)
        way = _way(diagram, moved, end.node)
        if source is None or way is None or way != _way(diagram, moved, source.node):
            continue
        found[end] = tuple(Place(p.x + way[0], p.y + way[1]) for p in points)
    return found


def _way(diagram: Diagram, moved: Mapping[str, Place], id: str) -> tuple[float, float] | None:
    old, new = diagram.places.get(id), moved.get(id)
    return None if old is None or new is None else (new.x - old.x, new.y - old.y)


def straightened(diagram: Diagram, before: Diagram, ids: Collection[str]) -> Diagram:
    """`diagram` with wires between these nodes straight where their ends have not moved alike: points lie elsewhere."""
    led = routes_of(before)
    alike = moved_along(before, {id: diagram.places[id] for id in ids if id in diagram.places})
    bent = [
        end
        for end in led
        if end.node in ids
        and (source := source_of(before.graph, end)) is not None
        and source.node in ids
        and end not in alike
    ]
    return set_routes(diagram, dict.fromkeys(bent, ()))
