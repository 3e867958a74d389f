"""Pictures of a frame for people without the app: pixels, and SVG whose text is text."""

from __future__ import annotations

import re
from typing import Final

from PySide6.QtCore import QBuffer, QIODevice, QRectF, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from gradviz.picture import fonts
from gradviz.picture.colours import Theme
from gradviz.picture.look import Frame
from gradviz.picture.plane import Rect
from gradviz.picture.scene import paint_frame

LARGEST_SIDE: Final = 20_000
FALLBACK: Final = {fonts.TEXT_FAMILY: "sans-serif", fonts.MONO_FAMILY: "monospace"}


def to_image(frame: Frame, theme: Theme, scale: float = 1.0, margin: float = 24) -> QImage:
    """`frame` as pixels, `scale` of them for each canvas pixel."""
    view = _view(frame, margin)
    # A huge diagram becomes a smaller picture rather than none.
    scale = min(scale, LARGEST_SIDE / max(view.width, view.height, 1))
    image = QImage(
        max(round(view.width * scale), 1),
        max(round(view.height * scale), 1),
        QImage.Format.Format_ARGB32_Premultiplied,
    )
    image.fill(theme.canvas)
    painter = QPainter(image)
    painter.scale(scale, scale)
    painter.translate(-view.x, -view.y)
    paint_frame(painter, frame, theme, view)
    painter.end()
    return image


def to_svg(frame: Frame, theme: Theme, margin: float = 24, title: str = "gradviz") -> bytes:
    """`frame` as SVG; every number in it is one text element, to be selected and searched."""
    view = _view(frame, margin)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(round(view.width), round(view.height)))
    generator.setViewBox(QRectF(0, 0, round(view.width), round(view.height)))
    generator.setTitle(title)
    painter = QPainter(generator)
    painter.translate(-view.x, -view.y)
    paint_frame(painter, frame, theme, view)
    painter.end()
    return _with_fallback_fonts(bytes(buffer.data().data()))


def _view(frame: Frame, margin: float) -> Rect:
    """Whole pixels around the frame, so that lines stay as sharp as on the canvas."""
    view = frame.bounds.grown(margin)
    x, y = view.x // 1, view.y // 1
    return Rect(x, y, -(-view.right // 1) - x, -(-view.bottom // 1) - y)


def _with_fallback_fonts(svg: bytes) -> bytes:
    """Name a generic family after each of ours, for readers who do not have it."""

    def named(match: re.Match[bytes]) -> bytes:
        family = match[1].decode()
        generic = FALLBACK.get(family)
        return f"font-family=\"'{family}', {generic}\"".encode() if generic else match[0]

    return re.sub(rb'font-family="([^"]*)"', named, svg)
