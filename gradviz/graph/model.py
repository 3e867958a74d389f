"""Node, Graph, Diagram: frozen values, compared by identity.

A wire is an entry in its target's `inputs`, so a dangling wire cannot be written down. Values and places
lie beside the graph: changing a number or moving a card leaves `diagram.graph` the same object.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from gradviz.bulk import bulk
from gradviz.errors import GraphError
from gradviz.graph import kept
from gradviz.graph.ports import InPort as InPort  # noqa: PLC0414  # both are names of the model
from gradviz.graph.ports import OutPort as OutPort  # noqa: PLC0414
from gradviz.text import mark

Array = npt.NDArray[np.generic]
Attributes = Mapping[str, object]
EMPTY: Final[Mapping[str, object]] = MappingProxyType({})


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """One box of the graph.

    `inputs` has one entry per input: the port its wire comes from, or `None` while it is open.
    `attributes` are the settings that are not inputs (axis, shape, …), frozen plain data.
    """

    id: str
    op: str
    inputs: tuple[OutPort | None, ...] = ()
    attributes: Attributes = field(default_factory=lambda: EMPTY)
    name: str = ""

    def with_input(self, index: int, source: OutPort | None) -> Node:
        """This node with the wire at input `index` replaced."""
        inputs = list(self.inputs)
        inputs[index] = source
        return replace(self, inputs=tuple(inputs))

    def with_attributes(self, **attributes: object) -> Node:
        """This node with some attributes changed."""
        return replace(self, attributes=MappingProxyType({**self.attributes, **attributes}))


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes by id; the order of the mapping is the order of the file."""

    nodes: Mapping[str, Node] = field(default_factory=dict)

    def __getitem__(self, node: str) -> Node:
        found = self.nodes.get(node)
        if found is None:
            raise GraphError(mark("graph", "There is no node with the id {id}."), id=node)
        return found

    def __contains__(self, node: object) -> bool:
        return node in self.nodes

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes.values())

    def __len__(self) -> int:
        return len(self.nodes)

    def with_nodes(self, *nodes: Node) -> Graph:
        """This graph with nodes added or replaced (by id)."""
        edited = Graph({**self.nodes, **{node.id: node for node in nodes}})
        if "index" in self.__dict__ and self._is_worth_keeping(len(nodes)):
            distinct = {node.id: node for node in nodes}.values()
            index = kept.edited_index(self.index, self.nodes, distinct)
            edited.__dict__["index"] = index
            order = self.__dict__.get("order")
            if order is not None:
                edited.__dict__["order"] = kept.edited_order(
                    order, self.index, self.nodes, index, edited.nodes, distinct
                )
        return edited

    def _is_worth_keeping(self, changes: int) -> bool:
        """Whether updating the index costs less than building it, and few of its places are of nodes that are gone."""
        return changes <= kept.MANY and self.index.size <= 2 * len(self) + kept.MANY

    def without(self, ids: Iterable[str]) -> Graph:
        """This graph without some nodes; the wires that came from them are gone too."""
        gone = {id for id in ids if id in self.nodes}
        if not gone:
            return self
        nodes = {**self.nodes}
        for id in {port.node for node in gone for port in self.consumers_of(node)} - gone:
            node = nodes[id]
            inputs = tuple(None if p is not None and p.node in gone else p for p in node.inputs)
            nodes[id] = replace(node, inputs=inputs)
        for id in gone:
            del nodes[id]
        edited = Graph(nodes)
        edited.__dict__["index"] = kept.reduced_index(self.index, self.nodes, gone)
        if self.__dict__.get("order") is not None:
            # With fewer wires the order still holds.
            edited.__dict__["order"] = self.order
        return edited

    @cached_property
    def index(self) -> kept.Index:
        """Where the wires end; built once, and taken over by the graphs made from this one."""
        with bulk():
            return kept.index_of(self.nodes)

    @cached_property
    def order(self) -> kept.Order | None:
        """An order in which the nodes can be computed, kept likewise; None if the wires form a cycle."""
        return kept.order_of(self.nodes, self.index)

    @cached_property
    def consumers(self) -> Mapping[OutPort, tuple[InPort, ...]]:
        """For each port that has wires: where they end, in file order."""
        found: dict[OutPort, list[InPort]] = {}
        for ends in self.index.ends.values():
            for end in ends:
                source = self.nodes[end.node].inputs[end.index]
                if source is not None:
                    found.setdefault(source, []).append(end)
        return {port: tuple(ends) for port, ends in found.items()}

    def ends_of(self, port: OutPort) -> tuple[InPort, ...]:
        """Where the wires that leave `port` end, in file order."""
        ends = self.index.ends.get(port.node, ())
        return tuple(end for end in ends if self.nodes[end.node].inputs[end.index] == port)

    def consumers_of(self, node: str) -> tuple[InPort, ...]:
        """Where the wires that leave `node`, from any of its outputs, end, in file order."""
        return self.index.ends.get(node, ())

    @cached_property
    def id_of_name(self) -> Mapping[str, str]:
        """Node ids by name."""
        return {node.name: node.id for node in self.nodes.values() if node.name}


class Place(NamedTuple):
    """The upper left corner of a card, in canvas pixels."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Query:
    """A question: the gradient of `of` by each of `wrt`.

    Ids of nodes. Empty `of` or `wrt` means: the default of decision 17. `seed` gives each target's cotangent
    as nested lists, or `None` for ones.
    """

    of: tuple[str, ...] = ()
    wrt: tuple[str, ...] = ()
    seed: tuple[object, ...] | None = None
    stop_gradients: tuple[str, ...] = ()
    unconnected: str = "none"


@dataclass(frozen=True, eq=False)
class Diagram:
    """All that undo restores: the graph, and beside it values, questions, places and annotations.

    `values` holds the read-only array of each source node. `current` is the index of the current query.
    `groups`, `definitions`, `routes`, `ranges`, `sources` and `breakpoints` are kept as plain data and have no
    function yet.
    """

    graph: Graph = field(default_factory=Graph)
    values: Mapping[str, Array] = field(default_factory=dict)
    queries: tuple[Query, ...] = ()
    current: int = 0
    places: Mapping[str, Place] = field(default_factory=dict)
    notes: tuple[Mapping[str, object], ...] = ()
    groups: tuple[Mapping[str, object], ...] = ()
    definitions: tuple[Mapping[str, object], ...] = ()
    routes: tuple[Mapping[str, object], ...] = ()
    ranges: Mapping[str, object] = field(default_factory=dict)
    sources: tuple[Mapping[str, object], ...] = ()
    breakpoints: tuple[Mapping[str, object], ...] = ()

    @property
    def query(self) -> Query:
        """The current question."""
        return self.queries[self.current] if self.queries else Query()

    def node_called(self, name: str) -> Node:
        """The node with that name (or, failing that, that id)."""
        id = self.graph.id_of_name.get(name, name)
        if id not in self.graph:
            raise GraphError(mark("graph", "There is no node called {name}."), name=name)
        return self.graph[id]


_TAKEN = re.compile(r"(.*?)_(\d+)\Z")


Taken = Mapping[str, object] | set[str]


def free_name(wanted: str, taken: Taken, used: dict[str, int] | None = None) -> str:
    """`wanted`, or `wanted_2`, `wanted_3`, … if it is taken.

    `used` remembers the last number given per stem, so that many names in a row do not search from 2 each time.
    """
    if wanted not in taken:
        return wanted
    match = _TAKEN.fullmatch(wanted)
    stem = match[1] if match else wanted
    number = int(match[2]) + 1 if match else 2
    if used is not None:
        number = max(number, used.get(stem, 0) + 1)
    while f"{stem}_{number}" in taken:
        number += 1
    if used is not None:
        used[stem] = number
    return f"{stem}_{number}"


def free_id(wanted: str, taken: Taken, used: dict[str, int] | None = None) -> str:
    """An id like `wanted`, made of `[A-Za-z0-9_-]`, that is not taken; `used` as for `free_name`."""
    return free_name(re.sub(r"[^A-Za-z0-9_-]", "_", wanted)[:56] or "node", taken, used)


def freeze(value: object) -> object:
    """Plain data made immutable: lists become tuples, dicts become read-only mappings."""
    if isinstance(value, list | tuple):
        return tuple(freeze(item) for item in value)
    if isinstance(value, dict):
        return MappingProxyType({key: freeze(item) for key, item in value.items()})
    return value


def frozen_array(value: npt.ArrayLike, dtype: npt.DTypeLike | None = None) -> Array:
    """A read-only copy of `value`, row after row in memory: sums have the same bits however it was laid out."""
    array = np.array(value, dtype=dtype, order="C")
    array.flags.writeable = False
    return array
