"""Cards in line with each other, or with the same room between them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final

from gradviz.edit.columns import Sizes
from gradviz.edit.layout import UNKNOWN, Box, around, card_boxes
from gradviz.edit.nodes import move
from gradviz.graph.model import Diagram, Place

SIDES: Final[Mapping[str, Callable[[Box, Box], Place]]] = {
    "left": lambda card, all: Place(all.left, card.top),
    "right": lambda card, all: Place(all.right - card.width, card.top),
    "top": lambda card, all: Place(card.left, all.top),
    "bottom": lambda card, all: Place(card.left, all.bottom - card.height),
    "centre": lambda card, all: Place(all.left + (all.width - card.width) / 2, card.top),
    "middle": lambda card, all: Place(card.left, all.top + (all.height - card.height) / 2),
}
"""Where a card goes in the smallest rectangle round all of them."""


def align(diagram: Diagram, ids: Collection[str], side: str, sizes: Sizes = UNKNOWN) -> Diagram:
    """Put one edge, or the centres, of these cards in line: `left`, `right`, `centre` across, `top`, `bottom`, `middle` down."""
    boxes = _boxes(diagram, ids, sizes)
    if len(boxes) < 2:
        return diagram
    everything = around(boxes.values())
    return move(diagram, {id: SIDES[side](box, everything) for id, box in boxes.items()})


def distribute(
    diagram: Diagram, ids: Collection[str], *, across: bool, sizes: Sizes = UNKNOWN
) -> Diagram:
    """Make the room between neighbours the same, from left to right (`across`) or down; the first and the last stay.

    Where there is less room than the cards need, their centres are at the same distances.
    """
    boxes = _boxes(diagram, ids, sizes)
    if len(boxes) < 3:
        return diagram
    start, length = (0, 2) if across else (1, 3)
    row = sorted(boxes.items(), key=lambda item: (item[1][start] + item[1][length] / 2, item[0]))
    (_, first), *between, (_, last) = row
    gaps = len(row) - 1
    needed = sum(box[length] for _, box in between)
    room = (last[start] - first[start] - first[length] - needed) / gaps
    step = (last[start] + last[length] / 2 - first[start] - first[length] / 2) / gaps
    places = {}
    end = first[start] + first[length]
    for number, (id, box) in enumerate(between, 1):
        at = end + room
        if room < 0:
            at = first[start] + first[length] / 2 + number * step - box[length] / 2
        end = at + box[length]
        places[id] = Place(at, box.top) if across else Place(box.left, at)
    return move(diagram, places)


def _boxes(diagram: Diagram, ids: Collection[str], sizes: Sizes) -> dict[str, Box]:
    return {id: box for id, box in card_boxes(diagram, sizes).items() if id in ids}
