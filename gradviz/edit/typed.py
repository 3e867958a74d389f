"""What was typed, its names found in the diagram."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gradviz.edit.naming import checked_name
from gradviz.edit.structure import calls_of
from gradviz.edit.values import holds_numbers
from gradviz.errors import GraphError, InputError
from gradviz.graph.model import Array, Diagram, Graph, Node
from gradviz.graph.names import look_alike
from gradviz.ops import registry
from gradviz.ops.expr import Call, Expr
from gradviz.text import mark


@dataclass(eq=False)
class Typed:
    """The calls of a text, in the order of computation.

    names      calls that get a name
    targets    nodes that get another definition, and the call that is it
    stand_ins  calls that stand for a node that exists
    numbers    sources that only get other numbers
    """

    calls: list[Call]
    names: dict[Call, str] = field(default_factory=dict)
    targets: dict[str, Call] = field(default_factory=dict)
    stand_ins: dict[Call, str] = field(default_factory=dict)
    numbers: dict[str, Array] = field(default_factory=dict)

    def is_number(self, call: Call) -> bool:
        """Whether the call is a number in the middle of the text."""
        return is_written(call) and call.specs[0].weak and call not in self.names

    def is_own(self, call: Call) -> bool:
        """Whether the call needs a node, new or drawn already."""
        return call not in self.stand_ins and not self.is_number(call)


def is_written(call: Call) -> bool:
    """Whether the call is numbers that stand in the text."""
    return call.op is not None and call.op.name == "constant" and call.outputs is not None


def read(diagram: Diagram, exprs: Mapping[str, Expr]) -> Typed:
    """Find the names; raises InputError or GraphError for one that cannot be given."""
    graph = diagram.graph
    ids = {look_alike(node.name): node.id for node in graph if node.name}
    typed = Typed(calls_of(exprs.values()))
    for name, expression in exprs.items():
        _read_target(typed, checked_name(name), expression.call, ids, graph)
    for call in typed.calls:
        if call.port is not None:
            typed.stand_ins[call] = graph[call.port].id
        elif call.name and call not in typed.names:
            _read_name(typed, checked_name(call.name), call, ids)
    seen: set[str] = set()
    for name in typed.names.values():
        if name in seen:
            raise GraphError(mark("edit", "{name} would be computed from itself."), name=name)
        seen.add(name)
    return typed


def _read_target(typed: Typed, name: str, call: Call, ids: Mapping[str, str], graph: Graph) -> None:
    existing = ids.get(name)
    if call.port is not None and call.port == existing:
        return
    other = _other_name(typed, name, call, graph)
    if other is not None:
        text = mark("edit", "{other} is there already; {name} would only be another name for it.")
        raise InputError(text, name=name, other=other)
    typed.names[call] = name
    if existing is None:
        return
    if is_written(call) and _can_hold(graph[existing]):
        assert call.outputs is not None
        typed.numbers[existing] = call.outputs[0]
        typed.stand_ins[call] = existing
    else:
        typed.targets[existing] = call


def _other_name(typed: Typed, name: str, call: Call, graph: Graph) -> str | None:
    """The name that what `call` stands for has already."""
    if call.port is not None:
        return graph[call.port].name or graph[call.port].op
    if call in typed.names:
        return typed.names[call]
    return call.name if not call.inputs and call.name and call.name != name else None


def _can_hold(node: Node) -> bool:
    op = registry.find(node.op)
    return op is not None and holds_numbers(op)


def _read_name(typed: Typed, name: str, call: Call, ids: Mapping[str, str]) -> None:
    existing = ids.get(name)
    if existing is not None and not call.inputs:
        typed.stand_ins[call] = existing
        return
    typed.names[call] = name
    if existing is not None:
        typed.targets[existing] = call
