"""What the validator raises."""

from __future__ import annotations

from gradviz.errors import GraphError, LimitError
from gradviz.graph.model import Graph
from gradviz.graph.names import DERIVED_ID, ID, shown
from gradviz.text import Message, Text, mark

# The way from a diagram to a part of it: ("graph", "nodes", id, "inputs", 1), ("values", id), …
Way = tuple[str | int, ...]


class DiagramError(GraphError):
    """A diagram that breaks a rule; `place` is the way to the fault."""

    def __init__(self, text: Text | Message, *, place: Way = (), **values: object) -> None:
        super().__init__(text, **values)
        self.place = place


class DiagramLimitError(DiagramError, LimitError):
    """A diagram, or something in it, that is larger than `gradviz.limits` allows."""


def check_id(id: object, *, derived: bool = False, place: Way = ()) -> None:
    """Raise DiagramError unless `id` can identify a node."""
    if not isinstance(id, str) or not (DERIVED_ID if derived else ID).fullmatch(id):
        raise DiagramError(
            mark("graph", '"{id}" cannot be an id: use 1 to 64 of the characters A-Z a-z 0-9 _ -'),
            place=place,
            id=shown(str(id)),
        )


def check_exists(id: object, graph: Graph, place: Way) -> None:
    """Raise DiagramError unless `id` is the id of a node."""
    if not isinstance(id, str) or id not in graph:
        raise DiagramError(
            mark("graph", 'There is no node with the id "{id}".'), place=place, id=shown(str(id))
        )
