"""Typed mathematics becomes nodes: Enter in the expression bar.

The parser makes `Expr`s; where they mention a node that exists, it is a leaf whose `port` is that node's id. What is
typed is compared with what is drawn by structure, so that what means the same is the same node:

- An application (op, settings, inputs) that is drawn already is used, with its place and its name.
- A target keeps the node of its name, and with it the wires that leave it and the questions about it.
- A changed application keeps the node in its position if the op is the same: `2·x + 1` → `3·x + 1` changes a number.
- A number in the text is a node of its own wherever it stands.
- `x = 3` gives the source x that number; without an x, it makes a variable.
- What only served the old expressions of the targets goes. What the person may miss stays: nodes and constants with a
  name of their own, variables that are not all zeros, random numbers, and what a question names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeVar, cast

from gradviz.edit import values
from gradviz.edit.layout import place_missing
from gradviz.edit.matching import Match
from gradviz.edit.naming import Ids, Names
from gradviz.edit.nodes import forget
from gradviz.edit.typed import is_written, read
from gradviz.graph.model import (
    Array,
    Attributes,
    Diagram,
    Graph,
    Node,
    OutPort,
    Place,
    freeze,
    frozen_array,
)
from gradviz.ops import registry
from gradviz.ops.expr import Call, Expr
from gradviz.ops.op import Op
from gradviz.ops.spec import FLOAT64

Placing = Callable[[Diagram], Diagram]
T = TypeVar("T")


def build_expression(
    diagram: Diagram, exprs: Mapping[str, Expr], place_for: Placing = place_missing
) -> Diagram:
    """The diagram in which each name of `exprs` is computed as its expression says.

    `place_for` places the nodes that have no place yet: `layout.place_missing` with the sizes of the cards. Raises
    GraphError for a target that would be computed from itself, InputError for a name that cannot be given.
    """
    typed = read(diagram, exprs)
    built = _Builder(Match(diagram, typed)).diagram(place_for)
    for id, numbers in typed.numbers.items():
        built = values.set_value(built, id, numbers)
    return built


class _Builder:
    """Makes the nodes that the calls of a match still lack, and those that changed."""

    def __init__(self, match: Match) -> None:
        self._match = match
        self._diagram = match.diagram
        self._ids = Ids(self._diagram.graph)
        self._nodes: dict[str, Node] = {}
        self._numbers: dict[str, Array] = {}
        self._unplaced: set[str] = set()
        self._places: dict[str, Place] = {}
        # A node that stays in its position keeps its place, whatever else means the same now.
        self._heirs = {c: id for c, id in match.heirs.items() if id not in match.kept}
        self._given_up = set(self._heirs.values())
        self._literals = set(match.slots.values())

    def diagram(self, place_for: Placing) -> Diagram:
        """The diagram with everything typed in it; the old one if that was in it before."""
        names = self._names()
        for call in self._match.own:
            id = self._match.home[call]
            if id in names or id in self._match.typed.targets or id in self._match.kept:
                self._build(call, id, names.get(id))
        for id, name in self._match.renamed.items():
            self._nodes[id] = replace(self._diagram.graph[id], name=name)
        changed = self._assembled()
        return place_for(changed) if self._unplaced else changed

    def _names(self) -> dict[str, str]:
        """Names for the new nodes, which get their ids here; what the person wrote comes first."""
        match, names = self._match, Names(self._diagram.graph)
        for id in match.gone:
            names.release(self._diagram.graph[id].name)
        for name in match.renamed.values():
            names.free(name)
        given: dict[str, str] = {}
        new = [call for call in match.own if call not in match.home]
        for call in sorted(new, key=lambda call: call not in match.typed.names):
            name = names.free(match.typed.names.get(call) or _op(call).name)
            match.home[call] = id = self._ids.free(name)
            given[id] = name
            self._unplaced.add(id)
        return given

    def _build(self, call: Call, id: str, name: str | None) -> None:
        old = self._diagram.graph.nodes.get(id)
        op, attributes = _op(call), call.attributes
        numbers = call.outputs[0] if call.outputs and values.holds_numbers(op) else None
        if numbers is not None and is_written(call) and call in self._match.typed.names:
            # Numbers with a name are there to be changed.
            op = registry.get("variable")
            numbers = numbers.astype(FLOAT64)
            attributes = {"shape": numbers.shape, "dtype": FLOAT64.name}
        if numbers is not None:
            self._numbers[id] = frozen_array(numbers)
        inputs = tuple(self._input(call, index, e) for index, e in enumerate(call.inputs))
        self._place(call, id, inputs)
        node = Node(id, op.name, inputs, _frozen(attributes), name or (old.name if old else ""))
        self._nodes[id] = old if old is not None and _alike(old, node, op) else node

    def _input(self, call: Call, index: int, input: Expr) -> OutPort:
        child = self._match.one(input.call)
        if not self._match.typed.is_number(child):
            return OutPort(self._match.home[child], input.index)
        id = self._match.slots.get((call, index))
        if id is None:
            id = self._ids.free("c")
            self._nodes[id] = Node(id, "constant", (), _frozen(child.attributes))
            self._unplaced.add(id)
        self._numbers[id] = cast("tuple[Array, ...]", child.outputs)[0]
        return OutPort(id)

    def _place(self, call: Call, id: str, inputs: tuple[OutPort, ...]) -> None:
        """Take over a place, or give one up that would lie left of what is new before it."""
        heir = self._diagram.places.get(self._heirs.get(call, ""))
        if heir is not None:
            self._places[id] = heir
            self._unplaced.discard(id)
        elif id in self._given_up or any(
            port.node in self._unplaced and self._nodes[port.node].inputs for port in inputs
        ):
            self._unplaced.add(id)
            self._unplaced.update(p.node for p in inputs if p.node in self._literals)

    def _assembled(self) -> Diagram:
        old, gone = self._diagram, self._match.gone
        nodes = {
            id: self._nodes.pop(id, node) for id, node in old.graph.nodes.items() if id not in gone
        }
        nodes.update(self._nodes)
        computed = [id for id in old.values if id in nodes and not _may_hold(nodes[id])]
        held = {id: array for id, array in old.values.items() if id not in computed}
        for id, numbers in self._numbers.items():
            if not values.same_numbers(held.get(id), numbers):
                held[id] = numbers
        places = {**old.places, **self._places}
        for id in self._unplaced:
            places.pop(id, None)
        changed = replace(
            old,
            graph=_unless_same(old.graph, Graph(nodes)),
            values=values.checked_values(_unless_equal(old.values, held)),
            places=_unless_equal(old.places, places),
        )
        same = all(
            getattr(changed, part) is getattr(old, part) for part in ("graph", "values", "places")
        )
        if same:
            return old
        return forget(changed, gone) if gone else changed


def _op(call: Call) -> Op:
    assert call.op is not None  # a leaf stands for a node that exists
    return call.op


def _frozen(attributes: Attributes) -> Attributes:
    return MappingProxyType({name: freeze(value) for name, value in attributes.items()})


def _alike(old: Node, new: Node, op: Op) -> bool:
    if (old.op, old.inputs, old.name) != (new.op, new.inputs, new.name):
        return False
    return values.settings_of(op, old.attributes) == values.settings_of(op, new.attributes)


def _may_hold(node: Node) -> bool:
    op = registry.find(node.op)
    return op is None or values.holds_numbers(op)


def _unless_equal(old: Mapping[str, T], new: Mapping[str, T]) -> Mapping[str, T]:
    """The old table if the new one holds the same things."""
    if old.keys() == new.keys() and all(new[id] is thing for id, thing in old.items()):
        return old
    return new


def _unless_same(old: Graph, new: Graph) -> Graph:
    return old if _unless_equal(old.nodes, new.nodes) is old.nodes else new
