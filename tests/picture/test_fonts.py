import os
import subprocess
import sys

import pytest
from PySide6.QtGui import QFontInfo, QFontMetricsF, QRawFont

from gradviz import resources
from gradviz.ops import registry
from gradviz.picture import fonts

SIGNS = "∂∇ΣΠ∑∏√∞≈≡≤≥≠∈∅·×÷−±⋅∘⊙→←↑↓…½′⟨⟩‖│"
RAISED = "ᵀ⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"
LOWERED = "₀₁₂₃₄₅₆₇₈₉ₓₙᵢⱼₖ"
GREEK = "αβγδεθλμσφΔ"
GLYPHS = "▸▾◂▶◀■□●○◆▲▼✓✗✕⚠"
KEYS = "⇧⌘⌥⌃⏎"
LATIN = "".join(map(chr, range(0x20, 0x7F))) + "äöüßéèñç«»„“”–—’"


@pytest.mark.parametrize("file", fonts.FILES)
def test_the_shipped_fonts_hold_every_character_of_signs_formulas_and_glyphs(qapp, file):
    font = QRawFont(str(resources.path("fonts", file)), 16)
    assert font.isValid()
    wanted = SIGNS + RAISED + LOWERED + GREEK + GLYPHS + KEYS + LATIN
    assert [sign for sign in wanted if not font.supportsCharacter(ord(sign))] == []


@pytest.mark.parametrize("file", fonts.FILES)
def test_the_shipped_fonts_hold_every_character_of_the_ops(qapp, file):
    font = QRawFont(str(resources.path("fonts", file)), 16)
    texts = {op.name: f"{op.sign}{op.text}{op.summary}" for op in registry.every()}
    missing = {
        name: [sign for sign in text if not font.supportsCharacter(ord(sign))]
        for name, text in texts.items()
    }
    assert {name: signs for name, signs in missing.items() if signs} == {}


@pytest.mark.parametrize("bold", [False, True])
def test_qt_picks_the_shipped_faces(qapp, bold):
    for font, family in (
        (fonts.text_font(14, bold), fonts.TEXT_FAMILY),
        (fonts.mono_font(14, bold), fonts.MONO_FAMILY),
    ):
        chosen = QFontInfo(font)
        assert (chosen.family(), chosen.pixelSize(), chosen.bold()) == (family, 14, bold)


def test_digits_and_signs_of_numbers_are_equally_wide(qapp):
    metrics = QFontMetricsF(fonts.mono_font(13))
    assert len({metrics.horizontalAdvance(sign) for sign in "0123456789.−+e ∞"}) == 1


def test_bold_is_not_made_up_from_the_plain_face(qapp):
    plain = QFontMetricsF(fonts.text_font(20)).horizontalAdvance("gradient")
    assert QFontMetricsF(fonts.text_font(20, bold=True)).horizontalAdvance("gradient") > plain + 5


def test_a_font_is_made_once(qapp):
    assert fonts.text_font(12) is fonts.text_font(12)


BARE = """
from PySide6.QtGui import QColor, QFontInfo, QGuiApplication, QImage, QPainter
app = QGuiApplication([])
from gradviz.ops import registry
from gradviz.picture import fonts
def drawn(font, text):
    assert QFontInfo(font).family() == font.family(), QFontInfo(font).family()
    image = QImage(60, 30, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    painter.setFont(font)
    painter.drawText(5, 22, text)
    painter.end()
    return bytes(image.constBits())
for font in fonts.text_font(16), fonts.mono_font(16, bold=True):
    pictures = {drawn(font, sign) for sign in "∂∇Σᵀ7 "}
    assert len(pictures) == 6, "some signs look alike: boxes"
print("drawn")
"""


def test_text_is_drawn_on_a_machine_without_fonts_and_without_a_font_configuration(tmp_path):
    nowhere = tmp_path / "no_fonts"
    nowhere.mkdir()
    environment = os.environ | {
        "QT_QPA_PLATFORM": "offscreen",
        "FONTCONFIG_FILE": str(nowhere / "none.conf"),
        "FONTCONFIG_PATH": str(nowhere),
        "QT_QPA_FONTDIR": str(nowhere),
    }
    done = subprocess.run(
        [sys.executable, "-c", BARE], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "drawn\n"), done.stderr
