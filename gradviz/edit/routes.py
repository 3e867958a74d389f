"""The points a wire is led through. They belong to the wire: when it goes, they go.

`Diagram.routes` holds them as plain data, `{"node": id, "input": 0, "points": [[x, y], …]}` in canvas pixels, from the wire's
start to its end. What else stands there is kept and leads nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from gradviz.errors import GraphError
from gradviz.graph.model import Diagram, Graph, InPort, OutPort, Place, freeze
from gradviz.limits import PLACE
from gradviz.text import mark

Points = tuple[Place, ...]


def routes_of(diagram: Diagram) -> dict[InPort, Points]:
    """The points of every wire that has some, by the wire's end."""
    found = {}
    for route in diagram.routes:
        end, points = _end(route), _points(route)
        if end is not None and points and _source(diagram.graph, end) is not None:
            found[end] = points
    return found


def _end(route: Mapping[str, object]) -> InPort | None:
    node, index = route.get("node"), route.get("input")
    if not isinstance(node, str) or not isinstance(index, int) or isinstance(index, bool):
        return None
    return InPort(node, index)


def _points(route: Mapping[str, object]) -> Points:
    points = route.get("points")
    if not isinstance(points, list | tuple):
        return ()
    return tuple(place for point in points if (place := _place(point)) is not None)


def _place(point: object) -> Place | None:
    if not isinstance(point, list | tuple) or len(point) != len(Place._fields):
        return None
    if not all(isinstance(n, int | float) and math.isfinite(n) and abs(n) <= PLACE for n in point):
        return None
    return Place(float(point[0]), float(point[1]))


def _source(graph: Graph, end: InPort) -> OutPort | None:
    node = graph.nodes.get(end.node)
    if node is None or not 0 <= end.index < len(node.inputs):
        return None
    return node.inputs[end.index]


def set_route(diagram: Diagram, end: InPort, points: Iterable[Place]) -> Diagram:
    """Lead the wire that ends at `end` through `points`; through none: straight again. GraphError without a wire."""
    return set_routes(diagram, {end: tuple(points)})


def set_routes(diagram: Diagram, routes: Mapping[InPort, Points]) -> Diagram:
    """`set_route` for several wires."""
    for end in routes:
        if _source(diagram.graph, end) is None:
            raise GraphError(mark("edit", "There is no wire to lead elsewhere."))
    present = routes_of(diagram)
    new = {end: tuple(map(_kept_in, points)) for end, points in routes.items()}
    if all(present.get(end, ()) == points for end, points in new.items()):
        return diagram
    others = tuple(route for route in diagram.routes if _end(route) not in new)
    added = (_route(end, points) for end, points in new.items() if points)
    return replace(diagram, routes=(*others, *added))


def _kept_in(place: Place) -> Place:
    return Place(*(min(max(float(n), -PLACE), PLACE) for n in place))


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
        if (end := _end(route)) is None
        or (_source(graph, end) is not None and _source(graph, end) == _source(old, end))
    )
    return replace(diagram, graph=graph, routes=kept)


def among(diagram: Diagram, graph: Graph) -> tuple[Mapping[str, object], ...]:
    """The routes of the wires that a part of the graph has too."""
    return tuple(
        _route(end, points)
        for end, points in routes_of(diagram).items()
        if _source(graph, end) == _source(diagram.graph, end)
    )


def renamed(
    fragment: Diagram, new: Mapping[str, str], offset: Place
) -> tuple[Mapping[str, object], ...]:
    """The routes of a fragment whose nodes get new ids and move by `offset`."""
    return tuple(
        _route(
            InPort(new[end.node], end.index),
            tuple(_kept_in(Place(p.x + offset.x, p.y + offset.y)) for p in points),
        )
        for end, points in routes_of(fragment).items()
    )


def moved_along(diagram: Diagram, moved: Mapping[str, Place]) -> dict[InPort, Points]:
    """The new points of the wires both ends of which move by the same way."""
    found = {}
    for end, points in routes_of(diagram).items():
        source = _source(diagram.graph, end)
        way = _way(diagram, moved, end.node)
        if source is None or way is None or way != _way(diagram, moved, source.node):
            continue
        found[end] = tuple(Place(p.x + way[0], p.y + way[1]) for p in points)
    return found


def _way(diagram: Diagram, moved: Mapping[str, Place], id: str) -> tuple[float, float] | None:
    old, new = diagram.places.get(id), moved.get(id)
    return None if old is None or new is None else (new.x - old.x, new.y - old.y)
