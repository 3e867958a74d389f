"""Which item of a column stands above which: few crossings, and among equal orders the one that the user made.

What counts is the order of the cards: between them the lanes find their way, always the same one. So an order that was
found here and is read off the picture again is as good as any, and stays.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice, pairwise
from typing import Final

import numpy as np

from gradviz.edit.columns import Columns, Item
from gradviz.edit.crossings import Links, Order, Stop, count, sift, sweep, thread

WORTH: Final = 1.1
"""So many times the crossings of the best order are borne for the sake of the one that is there."""
WORK: Final = 24_000
"""How many items are sifted, about, in the search for an order."""
FEWEST_TRIALS: Final = 3
MOST_TRIALS: Final = 60
TRIALS: Final = 6
"""For each order that the search begins with."""
THREADINGS: Final = 4
TURNS: Final = 12
"""So often lanes look for a way, and so often each column is sifted at most."""
MANY: Final = 8_000
"""With more items, cards and lanes, the search contents itself with less, so that it takes seconds, not minutes."""


def order(columns: Columns, heights: Mapping[str, float], stop: Stop) -> None:
    """Sort every column in place. `heights` says how high cards stand on the canvas, if they do."""
    found = _Search(columns, stop).found(_seen(columns, heights) if heights else None)
    for column, numbers in zip(columns, found, strict=True):
        column[:] = [column[number] for number in numbers]


def _seen(columns: Columns, heights: Mapping[str, float]) -> Order:
    """The order in the picture; cards that are not in it stand where what they are wired to stands."""
    order = []
    for column in columns:
        wished = [_height(item, heights) for item in column]
        order.append(np.array(sorted(range(len(column)), key=wished.__getitem__), np.intp))
    return order


def _height(item: Item, heights: Mapping[str, float]) -> float:
    found = heights.get(item.id)
    if found is None:
        beside = [heights[end.id] for end, _ in (*item.before, *item.after) if end.id in heights]
        found = sum(beside) / len(beside) if beside else math.inf
    return found


class _Search:
    """The search for the order of one connected part."""

    def __init__(self, columns: Columns, stop: Stop) -> None:
        stop()
        self._columns = columns
        self._links = _links(columns)
        stop()
        self._is_card = [np.array([bool(item.id) for item in column]) for column in columns]
        self._lanes = [np.flatnonzero(~cards) for cards in self._is_card]
        self._stop = stop
        items = sum(len(column) for column in columns)
        self._trials = min(max(WORK // items, FEWEST_TRIALS), MOST_TRIALS)
        self._patient = items <= MANY
        self._turns = TURNS if self._patient else 2

    def found(self, seen: Order | None) -> Order:
        """The order to take: `seen`, a little better, as long as no other one is much better."""
        best = self._settled(self._fresh())
        order, worth = (best, 1.0) if seen is None else (self._settled(seen), WORTH)
        while True:
            if self._patient:
                tried = self._settled(self._tried(order, min(self._trials, TRIALS)))
                best = min(best, tried, key=self._count)
            if self._count(order) <= worth * self._count(best):
                return order
            order = best

    def _fresh(self) -> Order:
        """The best order to be found without one to begin with."""
        starts = max(1, self._trials // TRIALS)
        tried = [
            self._tried(start, self._trials // starts) for start in islice(self._starts(), starts)
        ]
        return min(tried, key=self._count)

    def _starts(self) -> Iterator[Order]:
        walk = _Walk(self._columns)
        for deep in (False, True):
            for forth in (True, False):
                self._stop()
                yield walk.order(forth=forth, deep=deep)
        # Always the same ones: tidying twice gives the same picture.
        shuffled = np.random.default_rng(0)
        while True:
            yield [shuffled.permutation(len(column)) for column in self._columns]

    def _tried(self, start: Order, trials: int) -> Order:
        """The best order that sweeps and sifting lead to from `start`."""
        order = [column.copy() for column in start]
        best, fewest = order, self._count(order)
        for trial in range(trials):
            if not fewest:
                break
            self._stop()
            sweep(order, self._links, forth=bool(trial % 2), swap=trial % 3 == 2)
            sifted = [column.copy() for column in order]
            sift(sifted, self._links, self._stop, self._turns)
            crossings = self._count(sifted)
            if crossings < fewest:
                best, fewest = sifted, crossings
            if trial % 4 == 3:
                order = [column.copy() for column in sifted]
        return best

    def _settled(self, order: Order) -> Order:
        """An order that does not change when its cards are read off the picture and it is settled again."""
        found = self._threaded(order)
        fewest = self._count(found)
        while fewest and self._patient:
            sifted = [column.copy() for column in found]
            sift(sifted, self._links, self._stop, self._turns)
            threaded = self._threaded(sifted)
            crossings = self._count(threaded)
            if crossings >= fewest:
                break
            found, fewest = threaded, crossings
        return found

    def _threaded(self, order: Order) -> Order:
        """The cards in this order, and the lanes where they cross least between them."""
        found = []
        for column, cards, lanes in zip(order, self._is_card, self._lanes, strict=True):
            found.append(np.concatenate([column[cards[column]], lanes]))
        tried = []
        for turn in range(THREADINGS if self._patient else 1):
            thread(found, self._links, self._stop, self._lanes, forth=not turn % 2)
            threaded = [column.copy() for column in found]
            sift(threaded, self._links, self._stop, self._turns, self._lanes)
            tried.append(threaded)
        return min(tried, key=self._count)

    def _count(self, order: Order) -> int:
        return count(order, self._links, self._stop)


class _Walk:
    """Walks along the links, that come to items near each other one after the other."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._spot = {
            id(item): (number, rank)
            for number, column in enumerate(columns)
            for rank, item in enumerate(column)
        }

    def order(self, *, forth: bool, deep: bool) -> Order:
        """The items in the order of a walk that begins at the left or at the right, deep first or wide first."""
        found: list[list[int]] = [[] for _ in self._columns]
        seen: set[int] = set()
        for column in self._columns if forth else reversed(self._columns):
            for root in column:
                waiting = deque([root])
                while waiting:
                    item = waiting.pop() if deep else waiting.popleft()
                    if id(item) in seen:
                        continue
                    seen.add(id(item))
                    number, rank = self._spot[id(item)]
                    found[number].append(rank)
                    near = [end for end, _ in (*item.after, *item.before)]
                    waiting.extend(reversed(near) if deep else near)
        return [np.array(column, np.intp) for column in found]


def _links(columns: Columns) -> list[Links]:
    found = []
    for left, right in pairwise(columns):
        numbers = {id(item): number for number, item in enumerate(right)}
        # A wire that got no lanes links columns that are no neighbours.
        ends = [
            (number, numbers[id(end)], height)
            for number, item in enumerate(left)
            for end, height in item.after
            if id(end) in numbers
        ]
        starts, stops, heights = zip(*ends, strict=True) if ends else ((), (), ())
        found.append(Links(np.array(starts, np.intp), np.array(stops, np.intp), np.array(heights)))
    return found
