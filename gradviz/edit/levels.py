"""Which column each node stands in: right of all that it reads, and so that all wires together are short.

Wires that span one column are tight. A forest of tight wires is cut at the wire that most wires would thank for; what
hangs there moves until another wire becomes tight, and so on: the idea of the network simplex, many cuts at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from gradviz.edit.crossings import Stop
from gradviz.graph import paths
from gradviz.graph.model import Graph

WORK: Final = 400_000
"""How many nodes are visited, about, while the wires get shorter."""
FEWEST_PASSES: Final = 20
MOST_PASSES: Final = 200
IDLE: Final = 4
"""So many forests in a row without a gain: each grows in another order."""


def levels(graph: Graph, stop: Stop) -> dict[str, int]:
    """The column of each node. Those of parts that no wire joins have nothing to do with each other."""
    order = [id for ids in paths.generations(graph) for id in ids]
    number = {id: n for n, id in enumerate(order)}
    columns = _Columns(
        [[number[port.node] for port in graph[id].inputs if port is not None] for id in order],
        [[number[end.node] for end in graph.consumers_of(id)] for id in order],
        stop,
    )
    passes = min(max(WORK // max(len(order), 1), FEWEST_PASSES), MOST_PASSES)
    idle = turn = 0
    while turn < passes and idle < IDLE:
        idle = 0 if columns.shorten(turn) else idle + 1
        turn += 1
    columns.even_out()
    return dict(zip(order, columns.of, strict=True))


class _Forest(NamedTuple):
    """Trees of tight wires. `order` has each node before what hangs on it; `parents` and `ends` are places in it.

    What hangs on the node at a place, itself included, stands from there to its end.
    """

    order: list[int]
    parents: list[int]
    ends: list[int]


class _Columns:
    """`of` has the column of each node."""

    def __init__(
        self,
        sources: Sequence[Sequence[int]],
        consumers: Sequence[Sequence[int]],
        stop: Stop,
    ) -> None:
        self._stop = stop
        self._sources = sources
        self._consumers = consumers
        self.of: list[int] = []
        for before in sources:
            self.of.append(max((self.of[source] + 1 for source in before), default=0))

    def shorten(self, turn: int) -> bool:
        """Make wires shorter; whether that was possible with the forest of this turn."""
        self._stop()
        forest = self._forest(turn)
        moved = [False] * len(forest.order)
        gained = False
        for _, place, way in sorted(self._gains(forest)):
            end = forest.ends[place]
            if any(moved[place:end]):
                continue
            self._stop()
            hanging = forest.order[place:end]
            room = self._room(hanging, way)
            if room:
                for node in hanging:
                    self.of[node] += way * room
                moved[place:end] = [True] * (end - place)
                gained = True
        return gained

    def even_out(self) -> None:
        """Move what no wire gets longer by to the column with the fewest nodes."""
        tall = Counter(self.of)
        for node in sorted(range(len(self.of)), key=self.of.__getitem__):
            before, after = self._sources[node], self._consumers[node]
            if before and len(before) == len(after):
                first = max(self.of[other] for other in before) + 1
                last = min(self.of[other] for other in after)
                tall[self.of[node]] -= 1
                self.of[node] = min(range(first, last), key=tall.__getitem__)
                tall[self.of[node]] += 1

    def _gains(self, forest: _Forest) -> list[tuple[int, int, int]]:
        """What would gain by moving: minus the gain, its place in the forest, and the way, 1 to the right."""
        order, parents, _ = forest
        # How many more wires leave what hangs on each node than end there.
        pulls = [len(self._consumers[node]) - len(self._sources[node]) for node in order]
        for place in range(len(order) - 1, -1, -1):
            if parents[place] >= 0:
                pulls[parents[place]] += pulls[place]
        found = []
        for place, (node, parent, pull) in enumerate(zip(order, parents, pulls, strict=True)):
            way = 1 if pull > 0 else -1
            if pull and (parent < 0 or way * (self.of[node] - self.of[order[parent]]) > 0):
                found.append((-abs(pull), place, way))
        return found

    def _room(self, nodes: Sequence[int], way: int) -> int:
        """How far these nodes can move before one of their wires is tight."""
        inside = set(nodes)
        room = -1
        for node in nodes:
            for other in (self._consumers if way > 0 else self._sources)[node]:
                if other not in inside:
                    free = way * (self.of[other] - self.of[node]) - 1
                    if not free:
                        return 0
                    room = free if room < 0 else min(room, free)
        return max(room, 0)

    def _forest(self, turn: int) -> _Forest:
        count = len(self.of)
        seen = [False] * count
        order: list[int] = []
        parents: list[int] = []
        for root in range(count) if turn % 2 else range(count - 1, -1, -1):
            waiting = [(root, -1)]
            while waiting:
                node, parent = waiting.pop()
                if seen[node]:
                    continue
                seen[node] = True
                place = len(order)
                order.append(node)
                parents.append(parent)
                level = self.of[node]
                near = [n for n in self._consumers[node] if self.of[n] == level + 1]
                near += [n for n in self._sources[node] if self.of[n] == level - 1]
                if turn % 4 > 1:
                    near.reverse()
                waiting.extend((n, place) for n in near if not seen[n])
        ends = list(range(1, count + 1))
        for place in range(count - 1, -1, -1):
            if parents[place] >= 0:
                ends[parents[place]] = max(ends[parents[place]], ends[place])
        return _Forest(order, parents, ends)
