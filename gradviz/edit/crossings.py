"""How the wires between the columns of a picture cross, and how they cross less.

Items are numbered by column: an `Order` has for each column the numbers of its items from top to bottom. A link joins
two items of neighbouring columns; it ends at the height of its input port.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]
Order = list[Numbers]
Stop = Callable[[], None]
"""Called before each piece of work; raises an exception to end it."""

WIDE: Final = 600
"""Longer columns are not sifted: the table of all pairs would take too long."""


class Links(NamedTuple):
    """Those between a column and the next: their left items, their right items, and how high their ports are there.

    A height is between −½, the first input, and ½, the last one.
    """

    left: Numbers
    right: Numbers
    height: Floats


def ranks(column: Numbers) -> Floats:
    """For each item of a column how many stand above it."""
    found = np.empty(len(column))
    found[column] = np.arange(len(column))
    return found


def count(order: Order, links: Sequence[Links], stop: Stop) -> int:
    """How many pairs of links cross."""
    total = 0
    left = ranks(order[0])
    for column, (starts, ends, height) in zip(order[1:], links, strict=True):
        stop()
        right = ranks(column)
        keys = right[ends] + height
        above: list[float] = []
        for key in keys[np.lexsort((keys, left[starts]))].tolist():
            total += len(above) - bisect_right(above, key)
            insort(above, key)
        left = right
    return total


def sweep(order: Order, links: Sequence[Links], *, forth: bool, swap: bool) -> None:
    """Sort each column by the mean height of what its items are linked to, one column after the other.

    `swap`: items with the same mean change sides.
    """
    if forth:
        for number, (starts, ends, _) in enumerate(links, 1):
            heights = ranks(order[number - 1])[starts]
            order[number] = _by_mean(order[number], ends, heights, swap=swap)
        return
    for number, (starts, ends, height) in reversed(list(enumerate(links))):
        heights = ranks(order[number + 1])[ends] + height
        order[number] = _by_mean(order[number], starts, heights, swap=swap)


def _by_mean(column: Numbers, items: Numbers, heights: Floats, *, swap: bool) -> Numbers:
    """The column sorted; items without a link keep their rank."""
    number = np.bincount(items, minlength=len(column))
    total = np.bincount(items, heights, len(column))
    linked = np.flatnonzero(number[column])
    listed = column[linked[::-1] if swap else linked]
    found = column.copy()
    found[linked] = listed[np.argsort(total[listed] / number[listed], kind="stable")]
    return found


def sift(
    order: Order,
    links: Sequence[Links],
    stop: Stop,
    turns: int,
    movable: Sequence[Numbers] | None = None,
) -> None:
    """Move items to where in their column they cross less, until none gains, or each column had so many turns.

    `movable` are those that may move, by column; without it all.
    """
    heights = [ranks(column) for column in order]
    waiting = [1 < len(column) <= WIDE for column in order]
    for turn in range(turns):
        if not any(waiting):
            break
        for number in range(len(order)) if turn % 2 else reversed(range(len(order))):
            if not waiting[number]:
                continue
            stop()
            waiting[number] = False
            table = _pairs(number, heights, links)
            movers = order[number].copy() if movable is None else movable[number]
            if _sift(order[number], movers, table - table.T):
                heights[number] = ranks(order[number])
                for beside in (number - 1, number + 1):
                    if 0 <= beside < len(order):
                        waiting[beside] = 1 < len(order[beside]) <= WIDE


def thread(
    order: Order, links: Sequence[Links], stop: Stop, movable: Sequence[Numbers], *, forth: bool
) -> None:
    """Move items, column by column, to where they cross least with what comes from the column before (or after)."""
    last = len(order) - 1
    for number in range(1, last + 1) if forth else range(last - 1, -1, -1):
        size = len(order[number])
        if 1 < size <= WIDE and len(movable[number]):
            stop()
            heights = ranks(order[number - 1 if forth else number + 1])
            table = (_before if forth else _after)(links[number - forth], heights, size)
            _sift(order[number], movable[number], table - table.T)


def _pairs(number: int, heights: Sequence[Floats], links: Sequence[Links]) -> Floats:
    """Cell [a, b]: how often the links of a and b cross while a stands above b."""
    size = len(heights[number])
    found = np.zeros((size, size))
    if number:
        found += _before(links[number - 1], heights[number - 1], size)
    if number < len(links):
        found += _after(links[number], heights[number + 1], size)
    return found


def _before(links: Links, heights: Floats, size: int) -> Floats:
    return _crossing(links.right, heights[links.left], size)


def _after(links: Links, heights: Floats, size: int) -> Floats:
    return _crossing(links.left, heights[links.right] + links.height, size)


def _crossing(items: Numbers, keys: Floats, size: int) -> Floats:
    places, at = np.unique(keys, return_inverse=True)
    found = np.zeros((size, len(places)))
    np.add.at(found, (items, at), 1.0)
    above: Floats = found @ (np.cumsum(found, axis=1) - found).T
    return above


def _sift(column: Numbers, movers: Numbers, gain: Floats) -> bool:
    """Change `column` in place; whether anything moved. Cell [a, b] of `gain`: what crosses more with a above b."""
    moved = False
    while True:
        # All at once, as if each were the only one to move: most want to stay.
        at = ranks(column)[movers].astype(np.intp)
        below = gain[movers[:, None], column].cumsum(axis=1)
        here = below[np.arange(len(movers)), at]
        unhappy = movers[np.maximum(below.max(axis=1), 0) > here]
        if not len(unhappy):
            return moved
        moved = True
        for item in unhappy:
            rank = int(np.flatnonzero(column == item)[0])
            # How much less crosses, up to a constant, with so many of the others above.
            less = np.concatenate([[0.0], gain[item, column].cumsum()])
            best = int(less.argmax())
            if less[best] > less[rank]:
                if best > rank:
                    column[rank : best - 1] = column[rank + 1 : best]
                    column[best - 1] = item
                else:
                    column[best + 1 : rank + 1] = column[best:rank]
                    column[best] = item
