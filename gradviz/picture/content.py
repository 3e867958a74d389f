"""From an array to what a band shows of it: one number, a table of numbers, or a heatmap."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from gradviz import digits
from gradviz.picture import words
from gradviz.picture.look import Cells, Content, Floats, Form, Heat, Number, Room
from gradviz.text import Text, same

Array = npt.NDArray[np.generic]
Translate = Callable[[Text], str]

GRID_SIDE: Final = 6
"""A table up to this many rows and columns shows its numbers."""
HEAT_ROWS: Final = 24
HEAT_COLUMNS: Final = 32
OUTLIER: Final = 3.0
"""A heatmap's scale ends at so many root mean squares: one huge cell must not bleach the rest."""


def room(shape: tuple[int, ...], arrays: Iterable[Array] = ()) -> Room:
    """The room for arrays of `shape`; `arrays` are all that will ever be shown in it."""
    if not shape or 0 in shape:
        longest = max((len(digits.number(array)) for array in arrays if array.size), default=0)
        return Room(Form.NUMBER, characters=longest)
    rows, columns = math.prod(shape[:-1]), shape[-1]
    if rows > GRID_SIDE or columns > GRID_SIDE:
        lines = max((len(_summary(array)) for array in arrays), default=3)
        shown = min(rows, HEAT_ROWS), min(columns, HEAT_COLUMNS)
        return Room(Form.HEAT, *shown, 0, *_gaps(rows, columns), lines)
    cells = (cell for array in arrays for row in digits.grid(array) for cell in row)
    return Room(Form.GRID, rows, columns, max(map(len, cells), default=0))


def content(array: Array, translate: Translate = same) -> Content:
    """What is shown of `array`."""
    if not array.size:
        return Number(words.empty(translate))
    if not array.ndim:
        return Number(digits.number(array))
    rows = digits.as_rows(array)
    if max(rows.shape) <= GRID_SIDE:
        return _cells(array)
    return _heat(rows, _summary(array, translate))


def _summary(array: Array, translate: Translate = same) -> tuple[str, ...]:
    """Mean, ends, and what else there is, a line each."""
    facts = digits.facts(array, translate)
    return tuple(filter(None, (*facts[:2], " · ".join(facts[2:]))))


def _cells(array: Array) -> Cells:
    values = digits.as_rows(array).astype(np.float64)
    end = scale_end(values)
    every = array.shape[-2] if array.ndim > 2 else 0
    return Cells(digits.grid(array), values, end, _scale(end), every)


def _heat(rows: Array, lines: tuple[str, ...]) -> Heat:
    values = rows.astype(np.float64)
    end = scale_end(values, trimmed=True)
    row_gap, column_gap = _gaps(*rows.shape)
    if row_gap:
        values = np.concatenate([values[:row_gap], values[-row_gap:]])
    if column_gap:
        values = np.concatenate([values[:, :column_gap], values[:, -column_gap:]], axis=1)
    return Heat(values, end, _scale(end), row_gap, column_gap, lines)


def _gaps(rows: int, columns: int) -> tuple[int, int]:
    """The row and the column before which others are left out, 0 where all are shown."""
    return (
        HEAT_ROWS // 2 if rows > HEAT_ROWS else 0,
        HEAT_COLUMNS // 2 if columns > HEAT_COLUMNS else 0,
    )


def scale_end(values: Floats, *, trimmed: bool = False) -> float:
    """Where a scale centred at 0 ends: the largest finite size, rounded up to two digits."""
    finite = np.abs(values[np.isfinite(values)])
    end = float(finite.max()) if finite.size else 0.0
    if trimmed and 0 < end < 1e150:
        end = min(end, OUTLIER * math.sqrt(float(np.mean(np.square(finite)))))
    return _rounded_up(end)


def _rounded_up(end: float) -> float:
    if not 1e-300 < end < 1e300:
        return end
    unit = math.floor(math.log10(end)) - 1
    # Through text, so that 0.7 stays 0.7 and does not become 0.7000000000000001.
    return float(f"{math.ceil(end / 10.0**unit - 1e-9)}e{unit}")


def _scale(end: float) -> str:
    return f"±{digits.number(end)}" if end else ""
