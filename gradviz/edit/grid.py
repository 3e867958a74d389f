"""The grid that cards lie on."""

from __future__ import annotations

import math
from typing import Final

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
