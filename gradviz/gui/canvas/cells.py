"""Between a cell that is shown and the cell of the array it stands for."""

from __future__ import annotations

import math

from gradviz.picture.hit import Hit, Part
from gradviz.picture.look import Room


def index_of(shape: tuple[int, ...], room: Room, row: int, column: int) -> tuple[int, ...]:
    """The index, one entry per axis, of the cell shown at a row and a column of a band."""
    if not shape:
        return ()
    rows, columns = math.prod(shape[:-1]), shape[-1]
    if room.row_gap and row >= room.row_gap:
        row = rows - (room.rows - row)
    if room.column_gap and column >= room.column_gap:
        column = columns - (room.columns - column)
    lead = []
    for length in reversed(shape[:-1]):
        row, part = divmod(row, length)
        lead.append(part)
    return (*reversed(lead), column)


def hit_of(shape: tuple[int, ...], room: Room, index: tuple[int, ...], part: Part) -> Hit | None:
    """Where a cell is shown; None if it was left out."""
    if not shape:
        return Hit(part)
    row = 0
    for length, position in zip(shape[:-1], index[:-1], strict=True):
        row = row * length + position
    column = index[-1]
    rows, columns = math.prod(shape[:-1]), shape[-1]
    shown_row = _shown(row, rows, room.rows, room.row_gap)
    shown_column = _shown(column, columns, room.columns, room.column_gap)
    if shown_row is None or shown_column is None:
        return None
    return Hit(part, 0, shown_row, shown_column)


def _shown(number: int, total: int, shown: int, gap: int) -> int | None:
    if not gap or number < gap:
        return number if number < shown else None
    from_end = total - number
    return shown - from_end if from_end <= shown - gap else None


def neighbour(
    shape: tuple[int, ...], index: tuple[int, ...], by: tuple[int, int]
) -> tuple[int, ...]:
    """The cell `by` (rows, columns) away; the same one at an edge."""
    if not index:
        return index
    moved = list(index)
    moved[-1] = min(max(moved[-1] + by[1], 0), shape[-1] - 1)
    if len(moved) > 1:
        moved[-2] = min(max(moved[-2] + by[0], 0), shape[-2] - 1)
    return tuple(moved)


def following(shape: tuple[int, ...], index: tuple[int, ...], by: int) -> tuple[int, ...]:
    """The next cell in reading order (or the one before); round at the ends."""
    if not index:
        return index
    flat = 0
    for length, position in zip(shape, index, strict=True):
        flat = flat * length + position
    flat = (flat + by) % math.prod(shape)
    found = []
    for length in reversed(shape):
        flat, part = divmod(flat, length)
        found.append(part)
    return tuple(reversed(found))
