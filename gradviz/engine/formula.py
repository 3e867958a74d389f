"""Terms of a graph as plain text: `2·s`, `g @ Wᵀ`, `g where x > 0, else 0`.

Nodes a person knows are written by name; the others are written out through their ops' text templates.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping

from gradviz import digits
from gradviz.graph.model import Array, Graph, Node, OutPort
from gradviz.ops import registry
from gradviz.ops.indexing import index_text
from gradviz.ops.op import ATOM, MULTIPLIED, NEGATED, RAISED, Op
from gradviz.text import shape_words

Known = Callable[[OutPort], str | None]
DEPTH = 12
_FORMATTER = string.Formatter()


def label(graph: Graph, id: str, values: Mapping[str, Array] | None = None) -> str:
    """What a person calls a node: its name; a literal by its number; else by its op."""
    node = graph[id]
    if node.name:
        return node.name
    if node.op == "constant" and values is not None and id in values and values[id].ndim == 0:
        return digits.number(values[id])
    return node.op


def term(graph: Graph, port: OutPort, known: Known, depth: int = DEPTH) -> str:
    """The value at `port` as text. `known` gives the name of a port that is not to be written out."""
    return _written(graph, port, known, depth)[0]


def application(graph: Graph, node: Node, known: Known) -> str:
    """One application of a node's op to the names of its inputs: `sum(X)`."""
    op = registry.find(node.op)
    if op is None:
        return node.op
    return _fill(op, node, [_named(known, port) for port in node.inputs])


def _named(known: Known, port: OutPort | None) -> tuple[str, int]:
    if port is None:
        return "?", ATOM
    name = known(port)
    return (name if name is not None else "?"), _binding_of_name(name or "")


def _binding_of_name(name: str) -> int:
    return NEGATED if name.startswith("−") else ATOM


def _written(graph: Graph, port: OutPort, known: Known, depth: int) -> tuple[str, int]:
    name = known(port)
    if name is not None:
        return name, _binding_of_name(name)
    node = graph[port.node]
    op = registry.find(node.op)
    if op is None or depth == 0:
        return "…", ATOM
    operands = [
        ("?", ATOM) if p is None else _written(graph, p, known, depth - 1) for p in node.inputs
    ]
    return _fill(op, node, operands), op.binding


def _fill(op: Op, node: Node, operands: list[tuple[str, int]]) -> str:
    if op.name == "accumulate":
        return " + ".join(_bracketed(text, binding, op.binding) for text, binding in operands)
    names = op.port_names(len(operands))
    filled: dict[str, str] = {}
    text = op.text
    for left_out in op.inputs[max(len(operands), op.fewest) :]:
        text = text.replace(f", {{{left_out}}}", "")
    delimited = _delimited(text)
    for position, (name, (operand, binding)) in enumerate(zip(names, operands, strict=False)):
        # The right operand of − and / and the base of a power need brackets at equal precedence too.
        strict = (position > 0 and op.name in ("subtract", "divide")) or (
            position == 0 and op.binding == RAISED
        )
        limit = op.binding + (1 if strict else 0)
        filled[name] = operand if name in delimited else _bracketed(operand, binding, limit)
    if op.variadic:
        filled[op.inputs[-1]] = ", ".join(operand for operand, _ in operands)
    for name, value in op.bind(node.attributes).items():
        filled[name] = _attribute(name, value)
    filled["attributes"] = "".join(
        f", {name}={_attribute(name, value)}" for name, value in node.attributes.items()
    )
    filled["name"] = node.name or node.op
    return text.format_map(filled)


def _bracketed(text: str, binding: int, limit: int) -> str:
    return f"({text})" if binding < limit else text


def _delimited(template: str) -> set[str]:
    """The operands that stand between brackets or commas of the template and need none of their own."""
    found = set()
    parts = list(_FORMATTER.parse(template))
    for number, (before, name, _, _) in enumerate(parts):
        after = parts[number + 1][0] if number + 1 < len(parts) else ""
        opened = before.endswith(("(", ", ", "["))
        closed = after.startswith((")", ",", "]")) or (after == "" and number + 1 < len(parts))
        if name and opened and closed:
            found.add(name)
    return found


def _attribute(name: str, value: object) -> str:
    if name == "shape" and isinstance(value, tuple):
        return shape_words(value)
    if name == "index":
        return index_text(value)
    if isinstance(value, float):
        return digits.number(value)
    if isinstance(value, tuple) and len(value) == 1:
        return str(value[0])
    return str(value)


def names_of(graph: Graph, values: Mapping[str, Array]) -> Known:
    """Every node of `graph` by its label; what is not in it is written out, its literals as numbers."""

    def known(port: OutPort) -> str | None:
        if port.node in graph:
            return label(graph, port.node, values)
        if port.node in values and values[port.node].ndim == 0:
            return digits.number(values[port.node])
        return None

    return known


def factor(graph: Graph, port: OutPort, known: Known) -> str:
    """`term`, in brackets where it could not stand beside a ×."""
    text, binding = _written(graph, port, known, DEPTH)
    return _bracketed(text, binding, MULTIPLIED)
