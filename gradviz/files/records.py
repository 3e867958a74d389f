"""The format as types, and what a document that does not fit them is told."""

from __future__ import annotations

import difflib
import re
from typing import Any, Final, TypeVar

import msgspec

from gradviz.graph.fault import DiagramError, Way
from gradviz.graph.names import shown
from gradviz.text import Message, Text, mark, message


class NodeRecord(msgspec.Struct, forbid_unknown_fields=True):
    """One line of `graph.nodes`. An input is "id" (output 0), "id:1", or null while open."""

    id: str
    op: str
    name: str = ""
    inputs: list[str | None] = []
    attributes: dict[str, Any] = {}


class GraphRecord(msgspec.Struct, forbid_unknown_fields=True):
    """Nodes in any order."""

    nodes: list[NodeRecord]


class QueryRecord(msgspec.Struct, forbid_unknown_fields=True):
    """A question; `current` marks the one that is asked (else the first)."""

    of: list[str] = []
    wrt: list[str] = []
    seed: list[Any] | None = None
    stop_gradients: list[str] = []
    unconnected: str = "none"
    current: bool = False


class DefinitionRecord(msgspec.Struct, forbid_unknown_fields=True):
    """A composite op: a graph of its own, and which of its nodes are inputs and outputs."""

    name: str
    graph: GraphRecord
    inputs: list[str] = []
    outputs: list[str] = []


class ArrayRecord(msgspec.Struct, forbid_unknown_fields=True):
    """A large array: the bytes of its numbers, little-endian, C order."""

    dtype: str
    shape: list[int]
    base64: str


class DocumentRecord(msgspec.Struct, forbid_unknown_fields=True):
    """A whole document. Only version and graph are always there; empty sections are not written."""

    gradviz: int
    graph: GraphRecord
    values: dict[str, Any] = {}
    queries: list[QueryRecord] = []
    places: dict[str, Any] = {}
    notes: list[dict[str, Any]] = []
    groups: list[dict[str, Any]] = []
    definitions: list[dict[str, Any]] = []
    routes: list[dict[str, Any]] = []
    ranges: dict[str, Any] = {}
    sources: list[dict[str, Any]] = []
    breakpoints: list[dict[str, Any]] = []
    view: dict[str, Any] = {}


T = TypeVar("T")


def convert(data: object, kind: type[T], way: Way = ()) -> T:
    """`data`, which lies at `way` in the document, as a `kind`. Raises DiagramError."""
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        problem, inner = _split(str(error))
        raise DiagramError(_words(problem, inner, way), place=(*way, *inner)) from None


def _split(text: str) -> tuple[str, Way]:
    """msgspec's "problem - at `$.graph.nodes[3].id`" taken apart."""
    found = re.fullmatch(r"(.*?)(?: - at `(\$[^`]*)`)?", text, re.DOTALL)
    assert found is not None
    steps = re.findall(r"\.(\w+)|\[(\d+)\]", found[2] or "")
    return found[1], tuple(int(index) if index else str(key) for key, index in steps)


def _words(problem: str, inner: Way, way: Way) -> Message:
    missing = re.fullmatch(r"Object missing required field `(.*)`", problem)
    if missing:
        return message(mark("files", 'The key "{key}" is missing.'), key=missing[1])
    unknown = re.fullmatch(r"Object contains unknown field `(.*)`", problem, re.DOTALL)
    if unknown:
        return _unknown_words(unknown[1], (*way, *inner))
    types = re.fullmatch(r"Expected `([^`]*)`, got `([^`]*)`", problem)
    if types and types[1].split(" | ")[0] in _TYPES and types[2] in _TYPES:
        return message(
            mark("files", "Here stands {given}, but {wanted} is expected."),
            given=_TYPES[types[2]],
            wanted=_TYPES[types[1].split(" | ")[0]],
        )
    length = re.fullmatch(r"Expected `array` of length (\d+), got (\d+)", problem)
    if length:
        return message(
            mark("files", "Here stand {given} entries, but {wanted} are expected."),
            given=length[2],
            wanted=length[1],
        )
    return message(mark("files", "This cannot be read: {problem}."), problem=shown(problem))


def _unknown_words(key: str, place: Way) -> Message:
    known = next((kind.__struct_fields__ for kind in _OBJECTS if _fits(place, kind)), ())
    near = difflib.get_close_matches(key[:40], known, 1)
    if near:
        return message(
            mark("files", 'The key "{key}" is not known here; is "{near}" meant?'),
            key=shown(key, 40),
            near=near[0],
        )
    return message(
        mark("files", 'The key "{key}" is not known here; known are: {known}.'),
        key=shown(key, 40),
        known=", ".join(known),
    )


def _fits(place: Way, kind: type[msgspec.Struct]) -> bool:
    inner = place[2:] if place[:1] == ("definitions",) and len(place) > 2 else place
    pattern = _OBJECTS[kind]
    return len(pattern) == len(inner) and all(
        wanted in (None, step) for wanted, step in zip(pattern, inner, strict=True)
    )


# Where each kind of object stands, `None` for any index or key.
_OBJECTS: Final[dict[type[msgspec.Struct], tuple[str | None, ...]]] = {
    DocumentRecord: (),
    GraphRecord: ("graph",),
    NodeRecord: ("graph", "nodes", None),
    QueryRecord: ("queries", None),
    ArrayRecord: ("values", None),
    DefinitionRecord: ("definitions", None),
}
_TYPES: Final[dict[str, Text]] = {
    "object": mark("files", "an object {…}"),
    "array": mark("files", "a list […]"),
    "str": mark("files", "a text in quotes"),
    "int": mark("files", "a whole number"),
    "float": mark("files", "a number"),
    "bool": mark("files", "a truth value (true, false)"),
    "null": mark("files", "null"),
}
