"""What nodes and typed expressions mean, as codes: equal for two that are built alike from the same sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from gradviz.edit.columns import is_literal
from gradviz.edit.values import holds_numbers, settings_of
from gradviz.errors import GraphError
from gradviz.graph.model import Array, Attributes, Diagram, Node
from gradviz.ops import registry
from gradviz.ops.expr import Call, Expr
from gradviz.ops.op import Op
from gradviz.text import mark

Thing = str | Call
"""A node, by its id, or an application that was typed."""


def calls_of(expressions: Iterable[Expr]) -> list[Call]:
    """Every call the expressions need, each after its inputs."""
    order: dict[Call, None] = {}
    waiting = [(e.call, False) for e in reversed(list(expressions))]
    while waiting:
        call, ready = waiting.pop()
        if call in order:
            continue
        if ready:
            order[call] = None
            continue
        waiting.append((call, True))
        waiting.extend((e.call, False) for e in reversed(call.inputs) if e.call not in order)
    return list(order)


@dataclass(eq=False)
class Meaning:
    """The codes of the nodes of `diagram`, where those in `defined` mean what was typed for them.

    `stand_ins` are calls that stand for a node, `named` those with a name of their own. Codes of two meanings can
    be compared if they share `codes`.
    """

    diagram: Diagram
    defined: Mapping[str, Call] = field(default_factory=dict)
    stand_ins: Mapping[Call, str] = field(default_factory=dict)
    named: Mapping[Call, str] = field(default_factory=dict)
    codes: dict[object, int] = field(default_factory=dict)
    _found: dict[Thing, int] = field(default_factory=dict)

    def __getitem__(self, thing: Thing) -> int:
        """The code; GraphError if a node would be computed from itself."""
        if thing not in self._found:
            self._find(thing)
        return self._found[thing]

    def _find(self, thing: Thing) -> None:
        waiting = [(thing, False)]
        begun: dict[Thing, None] = {}
        while waiting:
            now, ready = waiting.pop()
            if ready:
                del begun[now]
                self._found[now] = self._code(now)
            elif now in begun:
                raise self._cycle(list(begun), now)
            elif now not in self._found:
                begun[now] = None
                waiting.append((now, True))
                waiting.extend((s, False) for s in self._sources(now) if s not in self._found)

    def _sources(self, thing: Thing) -> Iterator[Thing]:
        other = self._other(thing)
        if other is not None:
            yield other
        elif isinstance(thing, str):
            yield from (p.node for p in self.diagram.graph[thing].inputs if p is not None)
        else:
            yield from (e.call for e in thing.inputs)

    def _other(self, thing: Thing) -> Thing | None:
        """What `thing` merely stands for."""
        return self.defined.get(thing) if isinstance(thing, str) else self.stand_ins.get(thing)

    def _code(self, thing: Thing) -> int:
        other = self._other(thing)
        if other is not None:
            return self._found[other]
        described = (
            self._of_node(self.diagram.graph[thing])
            if isinstance(thing, str)
            else self._of_call(thing)
        )
        return self.codes.setdefault(described, len(self.codes))

    def _of_node(self, node: Node) -> tuple[object, ...]:
        op = registry.find(node.op)
        if op is None:
            return "node", node.id
        if holds_numbers(op):
            value = self.diagram.values.get(node.id)
            if op.name != "constant" or value is None:
                return "node", node.id
            return _of_number(value) if is_literal(node) else _of_array(op, node.attributes, value)
        inputs = (p and (self._found[p.node], p.index) for p in node.inputs)
        return op.name, settings_of(op, node.attributes), *inputs

    def _of_call(self, call: Call) -> tuple[object, ...]:
        assert call.op is not None  # a leaf stands for a node
        if holds_numbers(call.op):
            if call.op.name != "constant" or call.outputs is None or call in self.named:
                return "call", call
            value = call.outputs[0]
            return (
                _of_number(value)
                if call.specs[0].weak
                else _of_array(call.op, call.attributes, value)
            )
        inputs = ((self._found[e.call], e.index) for e in call.inputs)
        return call.op.name, settings_of(call.op, call.attributes), *inputs

    def _cycle(self, begun: list[Thing], again: Thing) -> GraphError:
        ids = [t for t in reversed(begun[begun.index(again) :]) if isinstance(t, str)]
        first = next(i for i, id in enumerate(ids) if id in self.defined)
        graph = self.diagram.graph
        names = [graph[id].name or graph[id].op for id in (*ids[first:], *ids[: first + 1])]
        text = mark("edit", "{name} would be computed from itself: {path}.")
        return GraphError(text, name=names[0], path=" → ".join(names))


def _of_number(value: Array) -> tuple[object, ...]:
    return "number", value.tobytes()


def _of_array(op: Op, attributes: Attributes, value: Array) -> tuple[object, ...]:
    return "array", settings_of(op, attributes), value.tobytes()
