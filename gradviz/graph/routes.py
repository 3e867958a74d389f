"""The points a wire is led through, as they are kept beside the graph.

`Diagram.routes` holds them as plain data, `{"node": id, "input": 0, "points": [[x, y], …]}` in canvas pixels, from the wire's
start to its end. What else stands there is kept and leads nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from gradviz.graph.model import Diagram, Graph, InPort, OutPort, Place
from gradviz.limits import PLACE

Points = tuple[Place, ...]


def routes_of(diagram: Diagram) -> dict[InPort, Points]:
    """The points of every wire that has some, by the wire's end."""
    found = {}
    for route in diagram.routes:
        end, points = end_of(route), _points(route)
        if end is not None and points and source_of(diagram.graph, end) is not None:
            found[end] = points
    return found


def end_of(route: Mapping[str, object]) -> InPort | None:
    """The end of the wire that an entry is about."""
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


def source_of(graph: Graph, end: InPort) -> OutPort | None:
    """Where the wire that ends there comes from; None if there is no such wire, or no such end."""
    node = graph.nodes.get(end.node)
    if node is None or not 0 <= end.index < len(node.inputs):
        return None
    return node.inputs[end.index]
