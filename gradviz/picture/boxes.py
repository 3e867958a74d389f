"""The parts of a card as rectangles: given by `geometry.arrange`, read by painters and hit tests.

All are relative to the card's upper left corner, in canvas pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gradviz.picture.look import Room
from gradviz.picture.plane import Point, Rect

HEADER: Final = 28.0
PADDING: Final = 12.0
GAP: Final = 8.0
LINE: Final = 16.0
SEAM: Final = 4.0
"""The gap in a heatmap where rows or columns are left out."""
CORNER: Final = 8.0
PORT_RADIUS: Final = 5.0
PORT_PITCH: Final = 24.0
TAB_HEIGHT: Final = 18.0
GLOW: Final = 8.0


@dataclass(frozen=True, slots=True)
class NoteBox:
    """Where a note's title, its lines and its actions stand."""

    title: Rect
    lines: tuple[tuple[str, Rect], ...]
    actions: tuple[tuple[str, Rect], ...]


@dataclass(frozen=True, slots=True)
class BandBox:
    """Where a value or a gradient stands; `cell` is a cell's size, `scale` holds "±2"."""

    room: Room
    caption: Rect
    scale: Rect
    box: Rect
    cell: tuple[float, float]
    summary: tuple[Rect, ...] = ()
    note: NoteBox | None = None

    def cell_rect(self, row: int, column: int) -> Rect:
        width, height = self.cell
        x, y = self.box.x + column * width, self.box.y + row * height
        if self.room.column_gap and column >= self.room.column_gap:
            x += SEAM
        if self.room.row_gap and row >= self.room.row_gap:
            y += SEAM
        return Rect(x, y, width, height)

    def cell_at(self, point: Point) -> tuple[int, int] | None:
        """Row and column under `point`."""
        if not self.box.contains(point):
            return None
        row = _index(point.y - self.box.y, self.cell[1], self.room.row_gap)
        column = _index(point.x - self.box.x, self.cell[0], self.room.column_gap)
        return min(row, self.room.rows - 1), min(column, self.room.columns - 1)


def _index(offset: float, side: float, gap: int) -> int:
    """The number of the cell at `offset`; a seam belongs to the cell after it."""
    if gap and offset >= gap * side:
        return max(gap, int((offset - SEAM) // side))
    return int(offset // side)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """All rectangles of a card. `body` is what is filled: for pills and gates not the whole."""

    width: float
    height: float
    body: Rect
    header: Rect | None
    title: Rect
    words: Rect
    tag: Rect
    value: BandBox | None
    gradient: BandBox | None
    slots: tuple[Rect, ...]
    name: Rect | None
    inputs: tuple[Point, ...]
    outputs: tuple[Point, ...]
    input_labels: tuple[Rect, ...]
    output_labels: tuple[Rect, ...]

    @property
    def size(self) -> tuple[float, float]:
        return self.width, self.height
