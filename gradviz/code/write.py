"""The way back: an output as one line that `expression.parse` reads again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gradviz.code.tokens import is_name
from gradviz.graph.model import Array, Graph, Node, OutPort
from gradviz.ops import registry
from gradviz.ops.indexing import index_text
from gradviz.ops.op import ADDED, ATOM, COMPARED, DIVIDED, MULTIPLIED, NEGATED, RAISED, Op

LONGEST: Final = 200
DEEPEST: Final = 60
CELLS: Final = 6
_INFIX: Final = {
    "add": (" + ", ADDED),
    "subtract": (" - ", ADDED),
    "multiply": (" * ", MULTIPLIED),
    "divide": (" / ", MULTIPLIED),
    "matmul": (" @ ", MULTIPLIED),
    "greater": (" > ", COMPARED),
    "equal": (" == ", COMPARED),
}
assert DIVIDED < MULTIPLIED < NEGATED < RAISED < ATOM


class _NoTextError(Exception):
    """The output has no form in one line."""


def expression(graph: Graph, id: str, values: Mapping[str, Array]) -> str | None:
    """`y = sum(X)**2 + sum(X) - 1`; None for what has no textual form or a longer one than a line."""
    node = graph[id]
    try:
        text, _ = _Writer(graph, values).written(OutPort(id), 0, whole=True)
    except _NoTextError:
        return None
    if node.name and is_name(node.name) and node.inputs:
        text = f"{node.name} = {text}"
    return text if len(text) <= LONGEST else None


class _Writer:
    def __init__(self, graph: Graph, values: Mapping[str, Array]) -> None:
        self._graph = graph
        self._values = values
        self._known: dict[OutPort, tuple[str, int]] = {}

    def written(self, port: OutPort | None, depth: int, *, whole: bool = False) -> tuple[str, int]:
        """The text of a port and how strongly it binds."""
        if port is None or depth > DEEPEST or port.index:
            raise _NoTextError
        if port not in self._known:
            self._known[port] = self._write(self._graph[port.node], depth)
            if len(self._known[port][0]) > LONGEST:
                raise _NoTextError
        return self._known[port]

    def _write(self, node: Node, depth: int) -> tuple[str, int]:
        op = registry.find(node.op)
        if op is None:
            raise _NoTextError
        if op.is_source:
            return self._source(node)
        operands = [self.written(port, depth + 1) for port in node.inputs]
        if node.op in _INFIX and not node.attributes:
            sign, binding = _INFIX[node.op]
            # Signs group from the left: the right operand needs brackets at equal strength.
            left, right = _bracketed(operands[0], binding), _bracketed(operands[1], binding + 1)
            return f"{left}{sign}{right}", binding
        if node.op == "square":
            return f"{_bracketed(operands[0], ATOM)}**2", RAISED
        if node.op == "power" and operands[1][0] != "2":
            return f"{_bracketed(operands[0], ATOM)}**{_bracketed(operands[1], NEGATED)}", RAISED
        if node.op == "negative" and operands[0][1] >= RAISED and not operands[0][0][0].isdigit():
            return f"-{operands[0][0]}", NEGATED
        if node.op == "transpose" and not node.attributes:
            return f"{_bracketed(operands[0], ATOM)}.T", ATOM
        if node.op == "getitem":
            return f"{_bracketed(operands[0], ATOM)}[{index_text(node.attributes['index'])}]", ATOM
        return self._call(op, node, [text for text, _ in operands]), ATOM

    def _call(self, op: Op, node: Node, operands: list[str]) -> str:
        settings = [f"{name}={_setting(value)}" for name, value in node.attributes.items()]
        return f"{op.name}({', '.join([*operands, *settings])})"

    def _source(self, node: Node) -> tuple[str, int]:
        if node.name:
            if not is_name(node.name):
                raise _NoTextError
            return node.name, ATOM
        array = self._values.get(node.id)
        if node.op != "constant" or array is None or array.size > CELLS or array.size == 0:
            raise _NoTextError
        if node.attributes.get("dtype") not in ("weak", "float64"):
            raise _NoTextError
        if array.ndim:
            return str(array.tolist()), ATOM
        if node.attributes.get("dtype") != "weak":
            raise _NoTextError
        number = float(array)
        text = str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
        return text, NEGATED if number < 0 else ATOM


def _bracketed(operand: tuple[str, int], limit: int) -> str:
    text, binding = operand
    return text if binding >= limit else f"({text})"


def _setting(value: object) -> str:
    if isinstance(value, tuple):
        return str(list(value)) if len(value) != 1 else f"[{value[0]}]"
    return repr(value)
