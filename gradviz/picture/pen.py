"""Small strokes that all painters share."""

from __future__ import annotations

from enum import Enum
from typing import Final

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from gradviz.picture.boxes import CORNER
from gradviz.picture.colours import Theme, clear
from gradviz.picture.plane import Rect

HATCH_STEP: Final = 7.0
FULL_FROM: Final = 0.45
SWATCH_FROM: Final = 0.25


class Detail(Enum):
    """How much of a card is worth painting."""

    FULL = "full"
    SWATCH = "swatch"
    """No text; cells as colours, so that heatmaps still show gradients."""
    BOX = "box"
    """One rectangle a card."""


def detail_at(scale: float) -> Detail:
    """The detail for `scale` device-independent pixels a canvas pixel."""
    if scale >= FULL_FROM:
        return Detail.FULL
    return Detail.SWATCH if scale >= SWATCH_FROM else Detail.BOX


def qrect(rect: Rect) -> QRectF:
    return QRectF(*rect)


def line_pen(colour: QColor, width: float = 1.0) -> QPen:
    pen = QPen(colour, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def dashed_pen(colour: QColor, width: float, dash: float = 5.0, gap: float = 4.0) -> QPen:
    """A pen whose dashes are `dash` and `gap` pixels long, whatever its width."""
    pen = line_pen(colour, width)
    pen.setDashPattern([dash / width, gap / width])
    return pen


def fill(painter: QPainter, rect: Rect, colour: QColor, corner: float = 0.0) -> None:
    """A rectangle without a border."""
    if not corner:
        painter.fillRect(qrect(rect), colour)
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRoundedRect(qrect(rect), corner, corner)


def stroke(painter: QPainter, rect: Rect, pen: QPen, corner: float = 0.0) -> None:
    """A border, lying inside of `rect`."""
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    inside = qrect(rect.grown(-pen.widthF() / 2))
    if corner:
        painter.drawRoundedRect(inside, corner, corner)
    else:
        painter.drawRect(inside)


def top_rounded(rect: Rect, corner: float = CORNER) -> QPainterPath:
    """`rect` with its two upper corners rounded."""
    path = QPainterPath(QPointF(rect.x, rect.bottom))
    path.lineTo(rect.x, rect.y + corner)
    path.arcTo(rect.x, rect.y, 2 * corner, 2 * corner, 180, -90)
    path.lineTo(rect.right - corner, rect.y)
    path.arcTo(rect.right - 2 * corner, rect.y, 2 * corner, 2 * corner, 90, -90)
    path.lineTo(rect.right, rect.bottom)
    path.closeSubpath()
    return path


def hatch(painter: QPainter, rect: Rect, theme: Theme) -> None:
    """What is not computed yet: slanted lines never look like a number, nor like zero."""
    fill(painter, rect, theme.soft)
    painter.setPen(line_pen(theme.hatch))
    painter.drawLines(slanted_lines(rect, HATCH_STEP))


def slanted_lines(rect: Rect, step: float) -> list[QLineF]:
    """Slanted lines cut to `rect`: clipping would be slower, and is lost in SVG."""
    lines = []
    for k in range(1, int((rect.width + rect.height) / step) + 1):
        across = k * step
        low_x, low_y = max(across - rect.height, 0.0), min(across, rect.height)
        high_x, high_y = min(across, rect.width), max(across - rect.width, 0.0)
        lines.append(QLineF(rect.x + low_x, rect.y + low_y, rect.x + high_x, rect.y + high_y))
    return lines


def shadow(painter: QPainter, rect: Rect, theme: Theme, corner: float = CORNER) -> None:
    """A hint of height: lines in full colours, since painting with opacity costs ten times as much."""
    for grow, down, colour in ((1.0, 1.0, theme.far_shadow), (0.5, 0.5, theme.near_shadow)):
        under = rect.grown(grow).moved((0, down))
        stroke(painter, under, line_pen(colour, 1), corner + grow)


def glow(painter: QPainter, rect: Rect, colour: QColor, corner: float = CORNER) -> None:
    """Light around something that is active; wires shine through."""
    for grow, opacity in ((8.0, 0.06), (5.5, 0.09), (3.5, 0.12), (2.0, 0.16)):
        fill(painter, rect.grown(grow), clear(colour, opacity), corner + grow)
