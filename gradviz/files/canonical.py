"""The one way a diagram is written: for one content, one sequence of bytes.

One node, value, place per line, in topological order, by id where that leaves it open; keys sorted;
what is empty left out. So two versions of a file can be compared line by line.
"""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from gradviz.files.arrays import encoded, float_text, inline_cost, nested
from gradviz.files.migrate import VERSION
from gradviz.graph.model import Array, Diagram, Graph, Node, OutPort, Query
from gradviz.graph.names import escaped
from gradviz.limits import INLINE_ELEMENTS, JSON_NUMBERS

# Nested lists may take a quarter of the numbers a document can hold; places and attributes need
# room.
INLINE_TOTAL: Final = JSON_NUMBERS // 4


def canonical(diagram: Diagram, view: Mapping[str, object]) -> str:
    """The text of a document. `diagram` is valid, `view` plain data."""
    order = canonical_order(diagram.graph)
    sections = {
        "values": _object(_values(diagram.values, order)),
        "queries": _list(_queries(diagram)),
        "places": _object(
            (id, f"[{float_text(float(corner[0]))}, {float_text(float(corner[1]))}]")
            for id in order
            if (corner := diagram.places.get(id)) is not None
        ),
        "notes": _list(map(plain, diagram.notes)),
        "groups": _list(map(plain, diagram.groups)),
        "definitions": _list(map(plain, diagram.definitions)),
        "routes": _list(map(plain, diagram.routes)),
        "ranges": _object((id, plain(diagram.ranges[id])) for id in order if id in diagram.ranges),
        "sources": _list(map(plain, diagram.sources)),
        "breakpoints": _list(map(plain, diagram.breakpoints)),
        "view": _object((key, plain(view[key])) for key in sorted(view)),
    }
    parts = [
        f'  "gradviz": {VERSION}',
        f'  "graph": {{\n    "nodes": {_nodes(diagram.graph, order)}\n  }}',
    ]
    parts += [f'  "{name}": {text}' for name, text in sections.items() if text]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def canonical_order(graph: Graph) -> list[str]:
    """All ids, each after the nodes it reads, the smallest id first where several may come."""
    missing = {node.id: len({p.node for p in node.inputs if p is not None}) for node in graph}
    ready = [id for id, count in missing.items() if count == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        id = heapq.heappop(ready)
        order.append(id)
        for consumer in {port.node for port in graph.consumers_of(id)}:
            missing[consumer] -= 1
            if missing[consumer] == 0:
                heapq.heappush(ready, consumer)
    return order


def plain(data: object) -> str:
    """Plain data on one line, keys sorted. Recursion is bounded: `validate` bounds its depth."""
    if isinstance(data, str):
        return quoted(data)
    if data is None or isinstance(data, bool):
        return {None: "null", True: "true", False: "false"}[data]
    if isinstance(data, int):
        return int.__repr__(data)
    if isinstance(data, float):
        return float.__repr__(data)
    if isinstance(data, Mapping):
        return "{" + ", ".join(f"{quoted(key)}: {plain(data[key])}" for key in sorted(data)) + "}"
    assert isinstance(data, list | tuple)
    return "[" + ", ".join(map(plain, data)) + "]"


def quoted(text: str) -> str:
    """A JSON string; what cannot be seen is escaped, so that an editor shows what is there."""
    if _SIMPLE.fullmatch(text):
        return f'"{text}"'
    return _HIDDEN.sub(_json_escape, json.dumps(text, ensure_ascii=False))


_SIMPLE: Final = re.compile(r"[ !#-\[\]-~]*")
_HIDDEN: Final = re.compile(r"[^ -~]")


def _json_escape(found: re.Match[str]) -> str:
    character = found[0]
    return character if escaped(character) == character else json.dumps(character)[1:-1]


def _nodes(graph: Graph, order: list[str]) -> str:
    lines = [_node(graph[id]) for id in order]
    return "[\n      " + ",\n      ".join(lines) + "\n    ]" if lines else "[]"


def _node(node: Node) -> str:
    parts = [f'"id": "{node.id}"', f'"op": {quoted(node.op)}']
    if node.name:
        parts.append(f'"name": {quoted(node.name)}')
    if node.inputs:
        parts.append(f'"inputs": [{", ".join(map(_wire, node.inputs))}]')
    if node.attributes:
        parts.append(f'"attributes": {plain(node.attributes)}')
    return "{" + ", ".join(parts) + "}"


def _wire(source: OutPort | None) -> str:
    if source is None:
        return "null"
    return f'"{source.node}:{source.index}"' if source.index else f'"{source.node}"'


def _values(values: Mapping[str, Array], order: list[str]) -> Iterable[tuple[str, str]]:
    written = _inline_limit(values)
    for id in order:
        if id in values:
            cost = inline_cost(values[id])
            yield id, nested(values[id]) if 0 < cost <= written else encoded(values[id])


def _inline_limit(values: Mapping[str, Array]) -> int:
    """The largest cost of an array that is written as nested lists.

    With very many small arrays the larger of them become base64, so that the file can be read
    again.
    """
    costs = np.array([inline_cost(value) for value in values.values()], np.int64)
    for limit in (3 * INLINE_ELEMENTS, 100, 10, 1):
        if costs[costs <= limit].sum() <= INLINE_TOTAL:
            return limit
    return 0


def _queries(diagram: Diagram) -> Iterable[str]:
    for index, query in enumerate(diagram.queries):
        parts = [f'"{key}": {text}' for key, text in _query_parts(query) if text]
        if index == diagram.current != 0:
            parts.append('"current": true')
        yield "{" + ", ".join(parts) + "}"


def _query_parts(query: Query) -> Iterable[tuple[str, str]]:
    yield "of", plain(query.of) if query.of else ""
    yield "wrt", plain(query.wrt) if query.wrt else ""
    yield "seed", "" if query.seed is None else _seed(query.seed)
    yield "stop_gradients", plain(query.stop_gradients) if query.stop_gradients else ""
    yield "unconnected", "" if query.unconnected == "none" else quoted(query.unconnected)


def _seed(seed: object) -> str:
    if isinstance(seed, list | tuple):
        return "[" + ", ".join(map(_seed, seed)) + "]"
    if isinstance(seed, float) and not np.isfinite(seed):
        return float_text(seed)
    return plain(seed)


def _object(items: Iterable[tuple[str, str]]) -> str:
    lines = [f"    {quoted(key)}: {text}" for key, text in items]
    return "{\n" + ",\n".join(lines) + "\n  }" if lines else ""


def _list(items: Iterable[str]) -> str:
    lines = [f"    {text}" for text in items]
    return "[\n" + ",\n".join(lines) + "\n  ]" if lines else ""
