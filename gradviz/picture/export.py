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
CSS_RESOLUTION: Final = 96
"""Pixels an inch for the size Qt writes: with that of CSS, a canvas pixel is one on the page."""
EMPTY_GROUP: Final = re.compile(rb"<g [^>]*>\s*</g>\s*")
FALLBACK: Final = {fonts.TEXT_FAMILY: "sans-serif", fonts.MONO_FAMILY: "monospace"}
STYLE: Final = "".join(
    f'text[font-family="{family}"]{{font-family:"{family}",{generic}}}'
    for family, generic in FALLBACK.items()
)
"""For readers without our fonts. As a style, since Qt's own reader knows no lists in attributes."""


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
    generator.setResolution(CSS_RESOLUTION)
    generator.setSize(QSize(round(view.width), round(view.height)))
    generator.setViewBox(QRectF(0, 0, round(view.width), round(view.height)))
    generator.setTitle(title)
    painter = QPainter(generator)
    painter.translate(-view.x, -view.y)
    paint_frame(painter, frame, theme, view)
    painter.end()
    svg = bytes(buffer.data().data())
    # Qt opens a group at each change of pen, also where nothing is drawn with it.
    svg = EMPTY_GROUP.sub(b"", svg)
    return svg.replace(b"<defs>", f"<style>{STYLE}</style>\n<defs>".encode(), 1)


def _view(frame: Frame, margin: float) -> Rect:
    """Whole pixels around the frame, so that lines stay as sharp as on the canvas."""
    view = frame.bounds.grown(margin)
    x, y = view.x // 1, view.y // 1
    return Rect(x, y, -(-view.right // 1) - x, -(-view.bottom // 1) - y)
