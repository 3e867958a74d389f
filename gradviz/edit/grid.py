"""Places: those a card or a point of a wire can have, and the grid that cards lie on."""

from __future__ import annotations

import math
from typing import Final

from gradviz.errors import InputError
from gradviz.graph.model import Place
from gradviz.limits import PLACE
from gradviz.text import mark

GRID: Final = 4


def nearest(x: float) -> float:
    """The number on the grid nearest to `x`."""
    return float(round(x / GRID) * GRID)


def up(x: float) -> float:
    """The first number on the grid that is not below `x`."""
    return float(math.ceil(x / GRID) * GRID)


def down(x: float) -> float:
    """The last number on the grid that is not above `x`."""
    return float(math.floor(x / GRID) * GRID)


def checked_place(place: Place) -> Place:
    """`place`, not further from the origin than a card can be found again; InputError for what is no number."""
    x, y = (float(number) for number in place)
    if not (math.isfinite(x) and math.isfinite(y)):
        raise InputError(mark("edit", "A place needs two finite numbers."))
    return Place(min(max(x, -PLACE), PLACE), min(max(y, -PLACE), PLACE))
