"""Moving the view while something is dragged near its edge."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, Qt, QTimer

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

EDGE: Final = 32.0
"""How near to the edge, in pixels of the screen."""
FASTEST: Final = 900.0
"""Pixels a second at the edge and beyond."""
TICK_MS: Final = 16
LONGEST_S: Final = 0.05
"""What one tick may stand for: after a pause, the view must not leap."""


class EdgePan:
    """As long as the gesture at work wants it and the pointer is near an edge, the view moves that way."""

    def __init__(self, canvas: Canvas, clock: Callable[[], float] = time.monotonic) -> None:
        self._canvas = canvas
        self.clock = clock
        self._timer = QTimer(canvas)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self.tick)
        self._at = QPointF()
        self._modifiers = Qt.KeyboardModifier.NoModifier
        self._last = 0.0

    @property
    def is_on(self) -> bool:
        """Whether the view is being moved."""
        return self._timer.isActive()

    def follow(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """The pointer of a gesture is there."""
        self._at, self._modifiers = at, modifiers
        tool = self._canvas.tool
        wanted = tool is not None and tool.pans_at_edge and tool.dragging and any(self._speed())
        if wanted and not self.is_on:
            self._last = self.clock()
            self._timer.start()
        elif not wanted:
            self._timer.stop()

    def stop(self) -> None:
        """The gesture is over."""
        self._timer.stop()

    def _speed(self) -> tuple[float, float]:
        return (
            _pull(self._at.x(), self._canvas.width()),
            _pull(self._at.y(), self._canvas.height()),
        )

    def tick(self) -> None:
        """Move the view by what the time that went by is worth; the gesture follows. The timer calls it."""
        tool = self._canvas.tool
        if tool is None:
            self.stop()
            return
        now = self.clock()
        passed, self._last = min(now - self._last, LONGEST_S), now
        x, y = self._speed()
        self._canvas.camera = self._canvas.camera.panned(
            -x * FASTEST * passed, -y * FASTEST * passed
        )
        tool.move(self._at, self._modifiers)


def _pull(at: float, length: float) -> float:
    """−1 to 1: how hard the edges of an axis pull."""
    if at < EDGE:
        return -min((EDGE - at) / EDGE, 1.0)
    if at > length - EDGE:
        return min((at - length + EDGE) / EDGE, 1.0)
    return 0.0
