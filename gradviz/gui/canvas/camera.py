"""Which part of the canvas is in view, and how large."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from PySide6.QtCore import QPointF, QRect

from gradviz.picture.plane import Point, Rect

SMALLEST: Final = 0.05
LARGEST: Final = 8.0
MARGIN: Final = 20.0
FITTED: Final = 1.0
"""Fitting never enlarges beyond this: a graph of two cards shall not fill a screen."""


@dataclass(frozen=True, slots=True)
class Camera:
    """`scale` device-independent pixels per canvas pixel; the canvas point (`x`, `y`) is the upper left corner."""

    scale: float = 1.0
    x: float = 0.0
    y: float = 0.0

    def to_canvas(self, screen: QPointF) -> Point:
        return Point(self.x + screen.x() / self.scale, self.y + screen.y() / self.scale)

    def to_screen(self, point: tuple[float, float]) -> QPointF:
        return QPointF((point[0] - self.x) * self.scale, (point[1] - self.y) * self.scale)

    def view(self, width: float, height: float) -> Rect:
        """What a widget of that size shows of the canvas."""
        return Rect(self.x, self.y, width / self.scale, height / self.scale)

    def rect(self, screen: QRect) -> Rect:
        """The part of the canvas that a rectangle of the screen shows."""
        corner = self.to_canvas(screen.topLeft().toPointF())
        return Rect(*corner, screen.width() / self.scale, screen.height() / self.scale)

    def panned(self, dx: float, dy: float) -> Camera:
        """Moved by screen pixels."""
        return replace(self, x=self.x - dx / self.scale, y=self.y - dy / self.scale)

    def zoomed(self, factor: float, around: QPointF) -> Camera:
        """Larger by `factor`; the point under `around` stays there."""
        return self.zoomed_to(self.scale * factor, around)

    def zoomed_to(self, scale: float, around: QPointF) -> Camera:
        """At a scale; the point under `around` stays there."""
        scale = min(max(scale, SMALLEST), LARGEST)
        fixed = self.to_canvas(around)
        return Camera(scale, fixed.x - around.x() / scale, fixed.y - around.y() / scale)

    def fitted(self, rect: Rect, width: float, height: float) -> Camera:
        """Showing all of `rect`, centred."""
        if width <= 0 or height <= 0:
            return self
        around = rect.grown(MARGIN)
        scale = min(width / max(around.width, 1), height / max(around.height, 1), FITTED)
        scale = max(scale, SMALLEST)
        middle = around.center
        return Camera(scale, middle.x - width / scale / 2, middle.y - height / scale / 2)

    def shown(self, rect: Rect, width: float, height: float) -> Camera:
        """Moved as little as possible so that `rect` is in view; smaller only if it does not fit."""
        view = self.view(width, height)
        around = rect.grown(MARGIN / 2)
        if around.width > view.width or around.height > view.height:
            return self.fitted(rect, width, height)
        x = min(max(self.x, around.right - view.width), around.x)
        y = min(max(self.y, around.bottom - view.height), around.y)
        return replace(self, x=x, y=y)
