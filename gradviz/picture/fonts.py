"""The two shipped fonts, so that pictures are the same on every machine, also on one without fonts.

What they lack (Chinese, Japanese, Korean) Qt takes from the fonts of the system.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from PySide6.QtGui import QFont, QFontDatabase

from gradviz import resources
from gradviz.errors import FileError
from gradviz.text import mark

TEXT_FAMILY: Final = "DejaVu Sans"
MONO_FAMILY: Final = "DejaVu Sans Mono"
FILES: Final = (
    "DejaVuSans.ttf",
    "DejaVuSans-Bold.ttf",
    "DejaVuSansMono.ttf",
    "DejaVuSansMono-Bold.ttf",
)


@cache
def load() -> None:
    """Make the shipped fonts known to Qt; once, after the application object was made."""
    for name in FILES:
        file = resources.path("fonts", name)
        if QFontDatabase.addApplicationFont(str(file)) == -1:
            raise FileError(mark("picture", "This font cannot be loaded."), path=str(file))


@cache
def text_font(pixels: int, bold: bool = False) -> QFont:
    """The font of words, `pixels` high. Shared: copy it before changing it."""
    return _font(TEXT_FAMILY, pixels, bold, QFont.StyleHint.SansSerif)


@cache
def mono_font(pixels: int, bold: bool = False) -> QFont:
    """The font of numbers and code, `pixels` high. Shared: copy it before changing it."""
    return _font(MONO_FAMILY, pixels, bold, QFont.StyleHint.Monospace)


def _font(family: str, pixels: int, bold: bool, hint: QFont.StyleHint) -> QFont:
    load()
    font = QFont([family])
    font.setPixelSize(pixels)
    font.setBold(bold)
    font.setStyleHint(hint)
    # Full hinting rounds advances to whole pixels: columns of digits would drift while zooming.
    font.setHintingPreference(QFont.HintingPreference.PreferVerticalHinting)
    return font
