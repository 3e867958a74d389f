"""Ops that compute in one go what overflows or divides by 0 in pieces, found by the shape of the graph."""

from __future__ import annotations

from typing import Final, NamedTuple

from gradviz.graph.model import Graph
from gradviz.ops import registry


class Stable(NamedTuple):
    """The op that says the same, and the last node of the pieces."""

    op: str
    node: str


# An op and the ops of some of its inputs, in any order; the first entry is tried on the node itself.
_Pattern = tuple[str, tuple["_Pattern", ...]]


def _p(op: str, *inputs: _Pattern) -> _Pattern:
    return op, inputs


PATTERNS: Final[tuple[tuple[str, _Pattern], ...]] = (
    ("log_softmax", _p("log", _p("softmax"))),
    ("log_sigmoid", _p("log", _p("sigmoid"))),
    ("logsumexp", _p("log", _p("sum", _p("exp")))),
    ("logaddexp", _p("log", _p("add", _p("exp"), _p("exp")))),
    ("softplus", _p("log", _p("add", _p("exp"), _p("constant")))),
    ("xlogy", _p("multiply", _p("log"))),
    ("softmax", _p("divide", _p("exp"), _p("sum", _p("exp")))),
    ("sigmoid", _p("divide", _p("constant"), _p("add", _p("exp"), _p("constant")))),
    ("sinc", _p("divide", _p("sin"))),
    ("vector_norm", _p("sqrt", _p("sum", _p("square")))),
    ("vector_norm", _p("sqrt", _p("sum", _p("power")))),
    ("vector_norm", _p("sqrt", _p("sum", _p("multiply")))),
    ("hypot", _p("sqrt", _p("add", _p("square"), _p("square")))),
)


def stable(graph: Graph, id: str) -> Stable | None:
    """The stable op for pieces of which the node is one; None if none is known."""
    around = [id]
    for _ in range(2):
        around += [end.node for one in around for end in graph.consumers_of(one)]
    for name, pattern in PATTERNS:
        if registry.find(name) is None:
            continue
        for root in dict.fromkeys(around):
            if _matches(graph, root, pattern) and id in _pieces(graph, root, pattern):
                return Stable(name, root)
    return None


def _matches(graph: Graph, id: str, pattern: _Pattern) -> bool:
    op, inputs = pattern
    if graph[id].op != op:
        return False
    left = [port.node for port in graph[id].inputs if port is not None]
    for wanted in inputs:
        found = next((node for node in left if _matches(graph, node, wanted)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def _pieces(graph: Graph, id: str, pattern: _Pattern) -> set[str]:
    """The nodes of a match, apart from constants."""
    found = {id}
    for port in graph[id].inputs:
        for inner in pattern[1]:
            if port is not None and inner[0] != "constant" and _matches(graph, port.node, inner):
                found |= _pieces(graph, port.node, inner)
    return found
