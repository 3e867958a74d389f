"""Which nodes of a diagram stand for what was typed."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable

import numpy as np

from gradviz.edit.columns import is_literal
from gradviz.edit.structure import Meaning
from gradviz.edit.typed import Typed
from gradviz.graph import walk
from gradviz.graph.model import Diagram, Node
from gradviz.ops import registry
from gradviz.ops.expr import Call


class Match:
    """The calls of a text beside the nodes of a diagram.

    own      the calls that need a node, without those that mean the same as one of them
    home     the node for a call; a call without one becomes a new node
    renamed  drawn nodes that get the name that was typed for them
    kept     nodes of changed calls, which stay because they stand in the same position
    slots    literals that stay, by the call and the input they are for
    heirs    the node whose place a call takes over, since it means now what that one meant
    gone     nodes that only served the old expressions, and serve no call
    """

    def __init__(self, diagram: Diagram, typed: Typed) -> None:
        self.diagram = diagram
        self.typed = typed
        self.home: dict[Call, str] = dict(typed.stand_ins)
        self.renamed: dict[str, str] = {}
        self.kept: set[str] = set()
        self.slots: dict[tuple[Call, int], str] = {}
        self.heirs: dict[Call, str] = {}
        self._same: dict[Call, Call] = {}
        codes: dict[object, int] = {}
        self._old = Meaning(diagram, codes=codes)
        self._new = Meaning(diagram, typed.targets, typed.stand_ins, typed.names, codes)
        self._join_equal()
        self.own = [call for call in typed.calls if typed.is_own(call) and call not in self._same]
        former = walk.ancestors(diagram.graph, typed.targets) - typed.targets.keys()
        self._find_homes(former)
        self.gone = former - self._needed(former)
        self._align()

    def one(self, call: Call) -> Call:
        """The call that stands for `call` and for all that mean the same."""
        return self._same.get(call, call)

    def _join_equal(self) -> None:
        typed = self.typed
        first: dict[int, Call] = {}
        for call in filter(typed.is_own, typed.calls):
            one = first.setdefault(self._new[call], call)
            if one is call or (call in typed.names and one in typed.names):
                continue
            self._same[call] = one
            if call in typed.names:
                typed.names[one] = typed.names.pop(call)
                typed.targets.update({t: one for t, c in typed.targets.items() if c is call})

    def _find_homes(self, former: set[str]) -> None:
        graph, typed = self.diagram.graph, self.typed
        self.home.update({call: target for target, call in typed.targets.items()})
        drawn: dict[int, str] = {}
        for id in sorted(graph.nodes, key=lambda id: id not in former):
            if id not in typed.targets and not is_literal(graph[id]):
                drawn.setdefault(self._new[id], id)
        for call in self.own:
            found = drawn.get(self._new[call])
            if found is None or call in self.home:
                continue
            if call not in typed.names:
                self.home[call] = found
            elif _named_after_op(graph[found]) and found not in self.renamed:
                self.home[call] = found
                self.renamed[found] = typed.names[call]

    def _needed(self, former: set[str]) -> set[str]:
        """The nodes that serve something else than the old expressions of the targets."""
        graph, targets = self.diagram.graph, self.typed.targets
        found = set(graph.nodes) - former
        found.update(self.home.values(), _asked(self.diagram))
        found.update(id for id in former if _may_be_missed(self.diagram, graph[id]))
        waiting = list(found)
        while waiting:
            id = waiting.pop()
            for port in graph[id].inputs if id not in targets else ():
                if port is not None and port.node not in found:
                    found.add(port.node)
                    waiting.append(port.node)
        return found

    def _align(self) -> None:
        """Let changed calls keep the nodes in their positions; what means the same comes first."""
        changed = [id for id in self.typed.targets if self._old[id] != self._new[id]]
        left = {self._old[id]: id for id in (*changed, *self.gone)}
        left.update({self._new[id]: id for id in self.gone})
        pairs: deque[tuple[Call, str]] = deque()
        for call in self.own:
            heir = left.get(self._new[call])
            if heir is not None and self.home.get(call) != heir:
                self.heirs[call] = heir
                pairs.append((call, heir))
        pairs.extend((call, target) for target, call in self.typed.targets.items())
        while pairs:
            call, id = pairs.popleft()
            ports = self.diagram.graph[id].inputs
            for index, (input, port) in enumerate(zip(call.inputs, ports, strict=False)):
                if port is None or port.node not in self.gone:
                    continue
                child = self.one(input.call)
                if self._takes(call, index, child, self.diagram.graph[port.node]):
                    self.gone.discard(port.node)
                    pairs.append((child, port.node))

    def _takes(self, call: Call, index: int, child: Call, node: Node) -> bool:
        if self.typed.is_number(child):
            free = is_literal(node) and (call, index) not in self.slots
            if free:
                self.slots[call, index] = node.id
            return free
        if child in self.home or child in self.typed.names or not child.inputs:
            return False
        if child.op is None or child.op.name != node.op:
            return False
        self.home[child] = node.id
        self.kept.add(node.id)
        return True


def _asked(diagram: Diagram) -> Iterable[str]:
    for query in diagram.queries:
        yield from (*query.of, *query.wrt, *query.stop_gradients)


def _may_be_missed(diagram: Diagram, node: Node) -> bool:
    """Whether the person gave the node a name, or numbers that are not all 0."""
    op = registry.find(node.op)
    if op is None or not op.is_source or op.name == "constant":
        return not _named_after_op(node)
    value = diagram.values.get(node.id)
    return value is None or bool(np.any(value != 0))


def _named_after_op(node: Node) -> bool:
    return not node.name or re.fullmatch(rf"{re.escape(node.op)}(_\d+)?", node.name) is not None
