"""Rules for what lies beside the graph without being computed: notes, groups, routes, ….

Their content is free plain data for now. What holds already: an annotation names a node under
`node`, several under `nodes` or `members` (where groups may stand too); the keys of `ranges` are
ids of nodes; an `id` stands once in its section.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from gradviz.graph.fault import DiagramError, Way, check_exists, check_id
from gradviz.graph.model import Diagram, Graph
from gradviz.graph.plain import plain_fault
from gradviz.limits import EXPRESSION_CHARACTERS, NOTE_CHARACTERS
from gradviz.text import mark

LISTS: Final = ("notes", "groups", "definitions", "routes", "sources", "breakpoints")
# Pasted code and the graphs of composite ops.
_LONG_TEXTS: Final = ("definitions", "sources")
# A definition's nodes are in a graph of its own; a source is the text something was made from.
_REFERRING: Final = ("notes", "groups", "routes", "breakpoints")


def check_annotations(diagram: Diagram) -> None:
    """Raise DiagramError for the first annotation that cannot be kept or names no node."""
    groups = {item.get("id") for item in diagram.groups if isinstance(item.get("id"), str)}
    for section in LISTS:
        items: tuple[Mapping[str, object], ...] = getattr(diagram, section)
        _check_plain(section, items)
        _check_ids(section, items)
        if section in _REFERRING:
            for index, item in enumerate(items):
                _check_references(item, (section, index), diagram.graph, groups)
    _check_plain("ranges", diagram.ranges)
    for id in diagram.ranges:
        check_exists(id, diagram.graph, ("ranges", id))


def _check_plain(section: str, content: object) -> None:
    characters = EXPRESSION_CHARACTERS if section in _LONG_TEXTS else NOTE_CHARACTERS
    found = plain_fault(content, characters=characters)
    if found is not None:
        raise DiagramError(
            mark("graph", "This cannot be kept: {fault}."),
            place=(section, *found[1]),
            fault=found[0],
        )


def _check_ids(section: str, items: tuple[Mapping[str, object], ...]) -> None:
    seen: set[str] = set()
    for index, item in enumerate(items):
        if "id" not in item:
            continue
        id = item["id"]
        place = (section, index, "id")
        check_id(id, place=place)
        assert isinstance(id, str)
        if id in seen:
            raise DiagramError(
                mark("graph", 'Two of these have the id "{id}"; change one.'), place=place, id=id
            )
        seen.add(id)


def _check_references(
    item: Mapping[str, object], place: Way, graph: Graph, groups: Collection[object]
) -> None:
    if "node" in item:
        check_exists(item["node"], graph, (*place, "node"))
    for key in ("nodes", "members"):
        ids = item.get(key, ())
        if not isinstance(ids, list | tuple):
            raise DiagramError(
                mark("graph", '"{key}" must be a list of ids.'), place=(*place, key), key=key
            )
        for number, id in enumerate(ids):
            if not isinstance(id, str) or id not in groups:
                check_exists(id, graph, (*place, key, number))
