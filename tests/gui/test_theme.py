"""Two palettes on Fusion, icons in their inks, texts in the language of the window."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QTranslator
from PySide6.QtGui import QColor, QIcon, QPalette

from gradviz.gui import icons, theme
from gradviz.gui.translate import render, say, tr
from gradviz.picture.colours import DARK, LIGHT, contrast
from gradviz.text import mark, message

ROLE = QPalette.ColorRole


@pytest.fixture(autouse=True)
def _light_again(qapp):
    yield
    theme.apply(qapp, "light")


@pytest.mark.parametrize(("name", "expected"), [("light", LIGHT), ("dark", DARK)])
def test_a_theme_dresses_the_application(qapp, name, expected) -> None:
    assert theme.apply(qapp, name) is expected
    palette = qapp.palette()
    assert palette.color(ROLE.Accent) == expected.forward
    assert palette.color(ROLE.Window) == expected.panel
    assert palette.color(ROLE.WindowText) == expected.ink
    assert qapp.font().pixelSize() == theme.TEXT_PIXELS


def test_without_a_word_from_the_system_it_is_light(qapp) -> None:
    assert theme.choose(qapp, "system") is LIGHT


@pytest.mark.parametrize("made", [LIGHT, DARK], ids=lambda t: t.name)
def test_what_is_written_can_be_read(made) -> None:
    palette = theme.palette(made)
    for ink, ground in (
        (ROLE.WindowText, ROLE.Window),
        (ROLE.Text, ROLE.Base),
        (ROLE.ButtonText, ROLE.Button),
        (ROLE.PlaceholderText, ROLE.Base),
        (ROLE.HighlightedText, ROLE.Highlight),
        (ROLE.ToolTipText, ROLE.ToolTipBase),
    ):
        assert contrast(palette.color(ink), palette.color(ground)) >= 4.5, (ink, ground)


@pytest.mark.parametrize("made", [LIGHT, DARK], ids=lambda t: t.name)
def test_the_style_sheet_names_only_colours_of_the_theme(made) -> None:
    sheet = theme.style_sheet(made)
    assert "{" in sheet
    assert not re.search(r"\{\w+\}", sheet)
    assert made.forward.name() in sheet


@pytest.mark.parametrize("name", icons.NAMES)
def test_icons_take_the_ink_of_the_palette(qapp, name: str) -> None:
    for made in (LIGHT, DARK):
        palette = theme.palette(made)
        found = icons.icon(name, palette)
        normal = _strongest(found, QIcon.Mode.Normal)
        disabled = _strongest(found, QIcon.Mode.Disabled)
        grey = palette.color(QPalette.ColorGroup.Disabled, ROLE.ButtonText)
        assert (normal, disabled) == (made.ink.name(), grey.name())


def test_a_mirrored_icon_points_the_other_way(qapp) -> None:
    palette = theme.palette(LIGHT)
    forward, back = (
        icons.icon(name, palette).pixmap(16).toImage() for name in ("step-forward", "step-back")
    )
    assert forward.flipped().flipped() == forward
    assert back != forward


def _strongest(icon: QIcon, mode: QIcon.Mode) -> str:
    image = icon.pixmap(16, mode).toImage()
    pixels = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    found = max(pixels, key=QColor.alpha)
    assert found.alpha() == 255
    return found.name()


class Shouting(QTranslator):
    """A language of capitals."""

    def translate(self, context, source, disambiguation=None, n=-1) -> str:
        return source.upper() if context == "test" else source


def test_marked_texts_are_translated_in_their_context(qapp) -> None:
    greeting = mark("test", "hello {name}")
    nested = message(greeting, name=mark("other", "you"))
    assert render(nested) == "hello you"
    assert say(greeting, name="X") == "hello X"
    translator = Shouting(qapp)
    qapp.installTranslator(translator)
    try:
        assert tr(mark("test", "hello")) == "HELLO"
        assert tr(mark("other", "hello")) == "hello"
    finally:
        qapp.removeTranslator(translator)
