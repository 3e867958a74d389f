"""Our own icons: small drawings of one colour, so that they follow the palette and are sharp at any size.

Each is drawn in a square of 16 units. Ready-made icons stay dark on a dark ground.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPalette, QPen, QPixmap, QPolygonF

SIDE: Final = 16
RATIOS: Final = (1.0, 2.0, 3.0)
STROKE: Final = 1.75

Drawing = Callable[[QPainterPath], None]


def _polygon(path: QPainterPath, *points: tuple[float, float]) -> None:
    path.addPolygon(QPolygonF([QPointF(x, y) for x, y in points]))
    path.closeSubpath()


def _line(path: QPainterPath, *points: tuple[float, float]) -> None:
    path.moveTo(*points[0])
    for point in points[1:]:
        path.lineTo(*point)


def _play(path: QPainterPath) -> None:
    _polygon(path, (4.5, 2.5), (13.5, 8), (4.5, 13.5))


def _pause(path: QPainterPath) -> None:
    path.addRoundedRect(QRectF(3.5, 3, 3.2, 10), 0.8, 0.8)
    path.addRoundedRect(QRectF(9.3, 3, 3.2, 10), 0.8, 0.8)


def _step(path: QPainterPath) -> None:
    path.addRoundedRect(QRectF(3, 3.5, 2, 9), 0.6, 0.6)
    _polygon(path, (7, 3.5), (13.5, 8), (7, 12.5))


def _end(path: QPainterPath) -> None:
    _polygon(path, (2, 3.5), (7, 8), (2, 12.5))
    _polygon(path, (7, 3.5), (12, 8), (7, 12.5))
    path.addRoundedRect(QRectF(12, 3.5, 2, 9), 0.6, 0.6)


def _over(path: QPainterPath) -> None:
    _polygon(path, (2, 3.5), (8, 8), (2, 12.5))
    _polygon(path, (8, 3.5), (14, 8), (8, 12.5))


def _check(path: QPainterPath) -> None:
    _line(path, (3, 8.5), (6.5, 12), (13, 4.5))


def _export(path: QPainterPath) -> None:
    _line(path, (8, 2), (8, 10))
    _line(path, (4.5, 6.8), (8, 10.2), (11.5, 6.8))
    _line(path, (2.5, 11), (2.5, 13.8), (13.5, 13.8), (13.5, 11))


def _search(path: QPainterPath) -> None:
    path.addEllipse(QPointF(6.8, 6.8), 4.2, 4.2)
    _line(path, (10, 10), (13.5, 13.5))


def _down(path: QPainterPath) -> None:
    _line(path, (4, 6.2), (8, 10.2), (12, 6.2))


def _close(path: QPainterPath) -> None:
    _line(path, (4, 4), (12, 12))
    _line(path, (12, 4), (4, 12))


def _again(path: QPainterPath) -> None:
    path.arcMoveTo(QRectF(3, 3, 10, 10), 60)
    path.arcTo(QRectF(3, 3, 10, 10), 60, 290)
    _line(path, (10.5, 1.6), (10.6, 4), (8.1, 4.4))


def _copy(path: QPainterPath) -> None:
    path.addRoundedRect(QRectF(5.5, 5.5, 8, 8), 1.5, 1.5)
    _line(path, (3.6, 10.5), (2.5, 10.5), (2.5, 2.5), (10.5, 2.5), (10.5, 3.6))


FILLED: Final[Mapping[str, Drawing]] = {
    "play": _play,
    "run": _play,
    "pause": _pause,
    "step-forward": _step,
    "step-over": _over,
    "to-end": _end,
}
DRAWN: Final[Mapping[str, Drawing]] = {
    "check": _check,
    "export": _export,
    "search": _search,
    "down": _down,
    "close": _close,
    "again": _again,
    "copy": _copy,
}
MIRRORED: Final[Mapping[str, str]] = {
    "step-back": "step-forward",
    "step-under": "step-over",
    "to-start": "to-end",
}
NAMES: Final = (*FILLED, *DRAWN, *MIRRORED)


def icon(name: str, palette: QPalette, colour: QColor | None = None) -> QIcon:
    """The icon in the ink of `palette` (or in `colour`), and in its disabled ink where it is disabled."""
    made = QIcon()
    group = QPalette.ColorGroup
    ink = palette.color(group.Active, QPalette.ColorRole.ButtonText) if colour is None else colour
    grey = palette.color(group.Disabled, QPalette.ColorRole.ButtonText)
    for ratio in RATIOS:
        made.addPixmap(_pixmap(name, ink, ratio), QIcon.Mode.Normal)
        made.addPixmap(_pixmap(name, grey, ratio), QIcon.Mode.Disabled)
    return made


def _pixmap(name: str, colour: QColor, ratio: float) -> QPixmap:
    pixmap = QPixmap(round(SIDE * ratio), round(SIDE * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    paint(painter, name, QRectF(0, 0, SIDE, SIDE), colour)
    painter.end()
    return pixmap


def paint(painter: QPainter, name: str, rect: QRectF, colour: QColor) -> None:
    """Draw an icon into a square."""
    drawn = MIRRORED.get(name, name)
    path = QPainterPath()
    (FILLED.get(drawn) or DRAWN[drawn])(path)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.topLeft())
    painter.scale(rect.width() / SIDE, rect.height() / SIDE)
    if name in MIRRORED:
        painter.translate(SIDE, 0)
        painter.scale(-1, 1)
    if drawn in FILLED:
        painter.fillPath(path, colour)
    else:
        caps, joins = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
        painter.setPen(QPen(colour, STROKE, Qt.PenStyle.SolidLine, caps, joins))
        painter.drawPath(path)
    painter.restore()
