"""A fault while a panel paints must not leave its painter active: that ends the process later."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap

from gradviz.gui.panels import array_view, film_strip


class PaintError(Exception):
    """What goes wrong while painting."""


@pytest.mark.parametrize(
    ("module", "widget"), [(array_view, "ArrayView"), (film_strip, "FilmStrip")]
)
def test_a_fault_ends_the_painter(module, widget, qtbot, monkeypatch) -> None:
    made = []

    class Painter(QPainter):
        def __init__(self, device: object) -> None:
            self.sheet = QPixmap(8, 8)
            super().__init__(self.sheet)
            made.append(self)

        def setRenderHint(self, *args: object) -> None:  # noqa: N802
            raise PaintError

    monkeypatch.setattr(module, "QPainter", Painter)
    kind = getattr(module, widget)
    target = kind.__new__(kind)
    super(kind, target).__init__()
    qtbot.addWidget(target)
    with pytest.raises(PaintError):
        kind.paintEvent(target, QPaintEvent(target.rect()))
    assert made
    assert not made[0].isActive()
