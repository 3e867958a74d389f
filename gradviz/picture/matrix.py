"""Paints arrays: tables of numbers, heatmaps, and the thumbnails that travel.

Sign is blue or orange; and without colour: a dot is an exact zero, × is NaN, ∞ is infinity.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Final

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from gradviz.picture import text
from gradviz.picture.boxes import SEAM, BandBox
from gradviz.picture.colours import Scale, Theme, clear, ink_on
from gradviz.picture.geometry import number_width
from gradviz.picture.look import Cells, Content, Floats, Heat, Number, PacketLook
from gradviz.picture.pen import fill, line_pen, qrect, stroke
from gradviz.picture.plane import Rect
from gradviz.picture.text import Align, Piece

MARK_FROM: Final = 5.0
"""Cells smaller than this carry no dots and crosses."""
EDGED_FROM: Final = 8.0
"""Blinds lower than this have no edge: it would hide the cells around."""
THUMB_TEXT: Final = 3
"""Thumbnails show numbers of at most so many characters."""
THUMB_CELL: Final = (26.0, 18.0)
THUMB_SWATCH: Final = 10.0
THUMB_SIDE: Final = 48.0


def paint_array(painter: QPainter, band: BandBox, content: Cells | Heat, theme: Theme) -> None:
    """The cells of a band, without their numbers and without a frame around them."""
    if isinstance(content, Heat):
        _heat(painter, band, content, theme)
        return
    fill(painter, band.box, theme.line)
    index = Scale.index(content.values, content.end)
    for row, column in product(range(len(content.rows)), range(len(content.rows[0]))):
        cell = _inside_lines(band.cell_rect(row, column), row, column)
        fill(painter, cell, _ground(content.values[row, column], int(index[row, column]), theme))
        if content.values[row, column] == 0:
            _dot(painter, QPointF(cell.center.x, cell.bottom - 3.5), theme)
    _slices(painter, band, content, theme)


def _slices(painter: QPainter, band: BandBox, content: Cells, theme: Theme) -> None:
    """Stronger lines between the slices of an array of higher rank."""
    if content.every:
        for row in range(content.every, len(content.rows), content.every):
            y = band.cell_rect(row, 0).y - 1
            fill(painter, Rect(band.box.x, y, band.box.width, 3), theme.dim)


def _inside_lines(cell: Rect, row: int, column: int) -> Rect:
    """The cell without the lines at its left and top."""
    left, top = 1.0 if column else 0.0, 1.0 if row else 0.0
    return Rect(cell.x + left, cell.y + top, cell.width - left, cell.height - top)


def _ground(value: np.float64, index: int, theme: Theme) -> QColor:
    return theme.ink if math.isnan(value) else theme.scale.colours[index]


def _dot(painter: QPainter, at: QPointF, theme: Theme) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.faded(theme.dim, 0.3))
    painter.drawEllipse(at, 1.4, 1.4)


def cell_pieces(band: BandBox, content: Cells, theme: Theme) -> list[Piece]:
    """The numbers of a table, each in its cell."""
    index = Scale.index(content.values, content.end)
    longest = max(len(cell) for row in content.rows for cell in row)
    fits = number_width(longest, text.NUMBER) <= band.cell[0]
    style = text.NUMBER if fits else text.SMALL_NUMBER
    return [
        Piece(
            content.rows[row][column],
            band.cell_rect(row, column),
            style,
            _ink(content.values[row, column], int(index[row, column]), theme),
            Align.CENTER,
        )
        for row, column in product(range(len(content.rows)), range(len(content.rows[0])))
    ]


def _ink(value: np.float64, index: int, theme: Theme) -> QColor:
    return theme.panel if math.isnan(value) else theme.scale.inks[index]


def _heat(painter: QPainter, band: BandBox, heat: Heat, theme: Theme) -> None:
    rows, columns = heat.values.shape
    for top, bottom in _blocks(rows, heat.row_gap):
        for left, right in _blocks(columns, heat.column_gap):
            first, last = band.cell_rect(top, left), band.cell_rect(bottom - 1, right - 1)
            rect = Rect(first.x, first.y, last.right - first.x, last.bottom - first.y)
            paint_swatches(painter, rect, heat.values[top:bottom, left:right], heat.end, theme)
    _seams(painter, band, theme)


def _blocks(count: int, gap: int) -> list[tuple[int, int]]:
    return [(0, gap), (gap, count)] if gap else [(0, count)]


def _seams(painter: QPainter, band: BandBox, theme: Theme) -> None:
    """A dotted line where rows or columns are left out."""
    pen = QPen(theme.dim, 1.2)
    pen.setDashPattern([1, 2.5])
    painter.setPen(pen)
    box, room = band.box, band.room
    if room.row_gap:
        y = band.cell_rect(room.row_gap, 0).y - SEAM / 2
        painter.drawLine(QLineF(box.x, y, box.right, y))
    if room.column_gap:
        x = band.cell_rect(0, room.column_gap).x - SEAM / 2
        painter.drawLine(QLineF(x, box.y, x, box.bottom))


def paint_swatches(
    painter: QPainter, rect: Rect, values: Floats, end: float, theme: Theme, *, marks: bool = True
) -> None:
    """`values` as plain colours that fill `rect`; `marks` are those of zero, NaN and infinity."""
    index = Scale.index(values, end)
    if text.is_vector(painter):
        _rectangles(painter, rect, values, index, theme)
    else:
        _image(painter, rect, values, index, theme)
    side = min(rect.width / values.shape[1], rect.height / values.shape[0])
    if marks and side >= MARK_FROM:
        _marks(painter, rect, values, index, theme, side)


def _image(painter: QPainter, rect: Rect, values: Floats, index: np.ndarray, theme: Theme) -> None:
    """One image, stretched: pixels stay hard-edged since smoothing is off."""
    pixels = np.ascontiguousarray(theme.scale.rgb[index])
    pixels[np.isnan(values)] = theme.ink.rgb()
    rows, columns = pixels.shape
    image = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32)
    painter.drawImage(qrect(rect), image)


def _rectangles(
    painter: QPainter, rect: Rect, values: Floats, index: np.ndarray, theme: Theme
) -> None:
    """One call a colour: a document names its colour once for all of them."""
    rows, columns = values.shape
    width, height = rect.width / columns, rect.height / rows
    by_colour: dict[int, list[QRectF]] = {}
    for row, column in product(range(rows), range(columns)):
        colour = _ground(values[row, column], int(index[row, column]), theme).rgb()
        cell = QRectF(rect.x + column * width, rect.y + row * height, width, height)
        by_colour.setdefault(colour, []).append(cell)
    painter.setPen(Qt.PenStyle.NoPen)
    for colour, cells in by_colour.items():
        painter.setBrush(QColor.fromRgb(colour))
        painter.drawRects(cells)


def _marks(
    painter: QPainter,
    rect: Rect,
    values: Floats,
    index: np.ndarray,
    theme: Theme,
    side: float,
) -> None:
    rows, columns = values.shape
    width, height = rect.width / columns, rect.height / rows

    def centres(chosen: np.ndarray) -> list[QPointF]:
        return [
            QPointF(rect.x + (column + 0.5) * width, rect.y + (row + 0.5) * height)
            for row, column in np.argwhere(chosen)
        ]

    zeros = centres(values == 0)
    if zeros:
        pen = QPen(clear(theme.dim, 0.75), 1.8)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawPoints(zeros)
    _crosses(painter, centres(np.isnan(values)), side * 0.28, theme)
    for sign, ground in ((1, theme.scale.inks[-1]), (-1, theme.scale.inks[1])):
        _infinities(painter, centres(values == sign * np.inf), sign, side, ground)


def _crosses(painter: QPainter, at: list[QPointF], reach: float, theme: Theme) -> None:
    if not at:
        return
    painter.setPen(line_pen(theme.panel, 1.2))
    painter.drawLines(
        [
            QLineF(p.x() - reach, p.y() - s * reach, p.x() + reach, p.y() + s * reach)
            for p in at
            for s in (1, -1)
        ]
    )


def _infinities(painter: QPainter, at: list[QPointF], sign: int, side: float, ink: QColor) -> None:
    """A lying eight made of two rings; a bar before it if it is negative."""
    painter.setPen(line_pen(ink, 1.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    ring = max(side * 0.16, 1.0)
    for p in at:
        for shift in (-ring, ring):
            painter.drawEllipse(QPointF(p.x() + shift, p.y()), ring, ring)
        if sign < 0:
            y = p.y() - 2.2 * ring
            painter.drawLine(QLineF(p.x() - ring, y, p.x() + ring, y))


def thumb_size(content: Content) -> tuple[float, float]:
    """How large a packet with this content is."""
    if isinstance(content, Number):
        return max(text.width(content.text, text.STRONG_NUMBER) + 14, 24.0), 20.0
    rows, columns = content.values.shape
    if isinstance(content, Cells) and _readable(content):
        return columns * THUMB_CELL[0] + 4, rows * THUMB_CELL[1] + 4
    side = min(THUMB_SWATCH, THUMB_SIDE / max(rows, columns))
    return max(columns * side, 8.0) + 4, max(rows * side, 8.0) + 4


def _readable(cells: Cells) -> bool:
    longest = max((len(cell) for row in cells.rows for cell in row), default=0)
    return longest <= THUMB_TEXT and max(cells.values.shape) <= 4


def paint_thumb(painter: QPainter, packet: PacketLook, theme: Theme) -> None:
    """The picture a packet carries, around the origin, in a frame of its direction's colour."""
    content = packet.content
    width, height = thumb_size(content)
    rect = Rect(-width / 2, -height / 2, width, height)
    colour = theme.flow(packet.flow)
    if isinstance(content, Number):
        fill(painter, rect, colour, height / 2)
        ink = ink_on(colour)
        text.draw(painter, [Piece(content.text, rect, text.STRONG_NUMBER, ink, Align.CENTER)])
        return
    rows = max(1, math.ceil(len(content.values) * packet.reveal))
    shown = Rect(rect.x, rect.y, rect.width, 4 + (rect.height - 4) * rows / len(content.values))
    fill(painter, shown, theme.panel, 4)
    inside = shown.grown(-2)
    if packet.spread < 1:
        _flying(painter, inside, content, packet.spread, theme)
    else:
        numbers = isinstance(content, Cells) and _readable(content)
        values = content.values[:rows]
        paint_swatches(painter, inside, values, content.end, theme, marks=not numbers)
        if isinstance(content, Cells) and numbers:
            text.draw(painter, _thumb_pieces(content, inside, rows, theme))
        _shutters(painter, inside, content, packet, theme)
    stroke(painter, shown, line_pen(colour, 2), 4)


def _flying(
    painter: QPainter, rect: Rect, content: Cells | Heat, spread: float, theme: Theme
) -> None:
    """The cells that are not 0, on their way from the middle to their places."""
    values = content.values
    index = Scale.index(values, content.end)
    cell = rect.width / values.shape[1], rect.height / values.shape[0]
    painter.setPen(Qt.PenStyle.NoPen)
    for row, column in np.argwhere(values != 0).tolist():
        x = rect.x + column * cell[0]
        y = rect.y + row * cell[1]
        from_x, from_y = rect.center.x - cell[0] / 2, rect.center.y - cell[1] / 2
        place = QRectF(
            from_x + (x - from_x) * spread, from_y + (y - from_y) * spread, cell[0], cell[1]
        )
        painter.fillRect(place, _ground(values[row, column], int(index[row, column]), theme))


def _shutters(
    painter: QPainter, rect: Rect, content: Cells | Heat, packet: PacketLook, theme: Theme
) -> None:
    """A blind over each cell that does not pass, let down as far as it is closed."""
    if not packet.shutter:
        return
    rows, columns = content.values.shape
    width, height = rect.width / columns, rect.height / rows
    for row, column in packet.shut:
        blind = QRectF(
            rect.x + column * width, rect.y + row * height, width, height * packet.shutter
        )
        painter.fillRect(blind, theme.soft)
        if height >= EDGED_FROM:
            painter.setPen(line_pen(theme.dim, 1.0))
            painter.drawLine(blind.bottomLeft(), blind.bottomRight())


def _thumb_pieces(content: Cells, inside: Rect, rows: int, theme: Theme) -> list[Piece]:
    index = Scale.index(content.values, content.end)
    width, height = THUMB_CELL
    return [
        Piece(
            content.rows[row][column],
            Rect(inside.x + column * width, inside.y + row * height, width, height),
            text.NUMBER,
            _ink(content.values[row, column], int(index[row, column]), theme),
            Align.CENTER,
        )
        for row, column in product(range(rows), range(content.values.shape[1]))
    ]
