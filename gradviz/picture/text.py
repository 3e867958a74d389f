"""Alone draws characters: glyph runs where pixels are painted, `drawText` where text stays text.

A glyph run needs no layout, so a card's worth of numbers costs a fraction of what `drawText` takes;
an SVG or a PDF gets each string whole, so that it can be selected, searched and compared.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGlyphRun, QPaintEngine, QPainter, QRawFont

from gradviz.picture import fonts
from gradviz.picture.plane import Rect

ELLIPSIS: Final = "…"
PIXEL_ENGINES: Final = frozenset(
    {QPaintEngine.Type.Raster, QPaintEngine.Type.OpenGL2, QPaintEngine.Type.Direct2D}
)


class Style(NamedTuple):
    """A size and cut of one of the two fonts."""

    pixels: int
    bold: bool = False
    mono: bool = False


TITLE: Final = Style(13, bold=True)
HEADING: Final = Style(16, bold=True)
PLAIN: Final = Style(11)
STRONG: Final = Style(11, bold=True)
BIG_NUMBER: Final = Style(13, bold=True, mono=True)
NUMBER: Final = Style(11, mono=True)
SMALL_NUMBER: Final = Style(9, mono=True)
"""Only where a number outgrew its cell while it was being changed."""
STRONG_NUMBER: Final = Style(11, bold=True, mono=True)


class Align(Enum):
    """Where a text stands in its box; upright it is always centred."""

    LEFT = 0.0
    CENTER = 0.5
    RIGHT = 1.0


class Piece(NamedTuple):
    """A text, and the box it must fit."""

    text: str
    box: Rect
    style: Style
    colour: QColor
    align: Align = Align.LEFT


class _Face:
    """A font with its glyphs looked up once. QRawFont belongs to one thread, and so does this."""

    def __init__(self, style: Style) -> None:
        self.font = font(style)
        self.raw = QRawFont.fromFont(self.font)
        self.metrics = QFontMetricsF(self.font)
        self.cap_height = self.raw.capHeight()
        self.glyphs: dict[str, tuple[int, float]] = {}

    def glyph(self, character: str) -> tuple[int, float]:
        """Glyph number (0: this font has none) and advance."""
        found = self.glyphs.get(character)
        if found is None:
            number = (self.raw.glyphIndexesForString(character) or [0])[0]
            advance = self.raw.advancesForGlyphIndexes([number])[0].x() if number else 0.0
            found = self.glyphs[character] = (number, advance)
        return found

    def width(self, text: str) -> float:
        glyphs = [self.glyph(character) for character in text]
        if all(number for number, _ in glyphs):
            return sum(advance for _, advance in glyphs)
        return self.metrics.horizontalAdvance(text)


class _Faces(threading.local):
    def __init__(self) -> None:
        self.by_style: dict[Style, _Face] = {}

    def __getitem__(self, style: Style) -> _Face:
        face = self.by_style.get(style)
        if face is None:
            face = self.by_style[style] = _Face(style)
        return face


_faces = _Faces()


def font(style: Style) -> QFont:
    make = fonts.mono_font if style.mono else fonts.text_font
    return make(style.pixels, style.bold)


@lru_cache(maxsize=8192)
def width(text: str, style: Style) -> float:
    """How wide `text` is drawn, in canvas pixels."""
    return _faces[style].width(text)


def elide(text: str, style: Style, room: float) -> str:
    """A name cut to `room` with an ellipsis. Never for numbers: their boxes are made to fit."""
    if width(text, style) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if width(text[:middle].rstrip() + ELLIPSIS, style) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + ELLIPSIS


def wrap(text: str, style: Style, room: float) -> tuple[str, ...]:
    """`text` in lines no wider than `room`; breaks at spaces, inside words only where it must."""
    lines = [""]
    for word in _words(text):
        if width((lines[-1] + word).rstrip(), style) <= room:
            lines[-1] += word
            continue
        lines.append("")
        for character in word:
            if lines[-1] and width(lines[-1] + character, style) > room:
                lines.append("")
            lines[-1] += character
    return tuple(line.rstrip() for line in lines if line.strip())


def _words(text: str) -> list[str]:
    """Pieces that belong together, with the space after each; ideographs stand for themselves."""
    words = [""]
    for character in text:
        words[-1] += character
        if character == " " or "\u2e80" <= character <= "\uffef":
            words.append("")
    return words


def is_vector(painter: QPainter) -> bool:
    """Whether `painter` writes to a document (SVG, PDF, QPicture) instead of pixels."""
    return painter.paintEngine().type() not in PIXEL_ENGINES


def draw(painter: QPainter, pieces: Iterable[Piece]) -> None:
    """Draw texts, in as few calls as their styles and colours allow."""
    if is_vector(painter):
        for piece in pieces:
            _draw_text(painter, piece)
        return
    runs: dict[tuple[Style, int], tuple[QColor, list[int], list[QPointF]]] = {}
    for piece in pieces:
        _, _, style, colour, _ = piece
        _, numbers, places = runs.setdefault((style, colour.rgba()), (colour, [], []))
        if not _append(piece, numbers, places):
            _draw_text(painter, piece)
    for (style, _), (colour, numbers, places) in runs.items():
        if numbers:
            painter.setPen(colour)
            painter.drawGlyphRun(QPointF(0, 0), _run(style, numbers, places))


def _run(style: Style, numbers: list[int], places: list[QPointF]) -> QGlyphRun:
    run = QGlyphRun()
    run.setRawFont(_faces[style].raw)
    run.setGlyphIndexes(numbers)
    run.setPositions(places)
    return run


def _append(piece: Piece, numbers: list[int], places: list[QPointF]) -> bool:
    """Append the glyphs of `piece`; false if this font lacks one."""
    face = _faces[piece.style]
    glyphs = [face.glyph(character) for character in piece.text]
    if not all(number for number, _ in glyphs):
        return False
    x, y = _baseline(piece, face)
    for number, advance in glyphs:
        numbers.append(number)
        places.append(QPointF(x, y))
        x += advance
    return True


def _draw_text(painter: QPainter, piece: Piece) -> None:
    painter.setFont(font(piece.style))
    painter.setPen(piece.colour)
    painter.drawText(QPointF(*_baseline(piece, _faces[piece.style])), piece.text)


def _baseline(piece: Piece, face: _Face) -> tuple[float, float]:
    """Where the first character stands: capitals are centred, on a whole pixel to be sharp."""
    box, free = piece.box, piece.box.width - width(piece.text, piece.style)
    return (
        box.x + free * piece.align.value,
        float(round(box.y + (box.height + face.cap_height) / 2)),
    )
