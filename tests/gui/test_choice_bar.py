"""The bar of choices fits what it lies on."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QToolButton, QWidget

from gradviz.gui.choice_bar import Choice, ChoiceBar

CHOICES = [
    Choice(key, word, word) for key, word in zip("LRTBCMHV", ["Some words"] * 8, strict=True)
]


@pytest.mark.parametrize("width", [3000, 700, 300, 240])
def test_it_takes_as_many_rows_as_it_needs(qtbot, width) -> None:
    ground = QWidget()
    qtbot.addWidget(ground)
    ground.resize(width, 600)
    bar = ChoiceBar("Align", CHOICES, ground)
    ground.show()
    bar.offer()
    heights = {button.y() for button in bar.findChildren(QToolButton)}
    assert (len(heights) == 1) == (width == 3000)
    assert ground.rect().contains(bar.geometry())
    assert "L Some words" in bar.accessibleName()
