"""Changing a number by dragging the handle of its cell, or by keys."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QPointF, Qt

from gradviz.edit import edits
from gradviz.gui.canvas.tools import Modifiers, Tool
from gradviz.gui.document import CellRef
from gradviz.text import mark

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

PIXELS: Final = 6.0
"""By so many pixels of the screen a number changes by one step."""
FINE, COARSE = 0.1, 10.0
CHANGE: Final = mark("edit", "Change a value")


def step_of(number: float, *, whole: bool) -> float:
    """What a step is worth: a tenth of the number's leading digit, or 1 for whole numbers."""
    if whole:
        return 1.0
    size = abs(number) if math.isfinite(number) else 1.0
    return float(10.0 ** (math.floor(math.log10(size)) - 1)) if size >= 1e-300 else 0.1


def stepped(start: float, steps: float, step: float, *, whole: bool) -> float:
    """`start` and so many steps, on the grid of the steps, without the dust of binary fractions."""
    value = start + round(steps) * step
    if whole:
        return float(round(value))
    digits = max(0, 2 - math.floor(math.log10(step)))
    return round(value, min(digits, 300))


def factor(modifiers: Modifiers) -> float:
    """Shift is fine, Ctrl is coarse."""
    if modifiers & Qt.KeyboardModifier.ShiftModifier:
        return FINE
    return COARSE if modifiers & Qt.KeyboardModifier.ControlModifier else 1.0


def is_draggable(canvas: Canvas, cell: CellRef | None) -> bool:
    """Whether a cell holds a number that is typed, and that there is more and less of."""
    if cell is None or cell.band != "value":
        return False
    array = canvas.document.diagram.values.get(cell.node)
    inside = array is not None and len(cell.index) == array.ndim
    return (
        inside
        and array is not None
        and array.dtype.kind in "fi"
        and _number(array, cell) is not None
    )


def _number(array: np.ndarray, cell: CellRef) -> float | None:
    if any(not 0 <= i < n for i, n in zip(cell.index, array.shape, strict=True)):
        return None
    return float(array[cell.index])


class DragNumber(Tool):
    """Sideways from the handle: every change recomputes at once, and all of it is one step to undo."""

    cursor = Qt.CursorShape.SizeHorCursor
    pans_at_edge = False
    outlives_changes = True

    def __init__(self, canvas: Canvas, press: QPointF, cell: CellRef) -> None:
        super().__init__(canvas, press)
        self._cell = cell
        self._before = canvas.document.diagram
        array = self._before.values[cell.node]
        self._start = float(array[cell.index])
        self._whole = array.dtype.kind == "i"
        self._step = step_of(self._start, whole=self._whole)
        self._merge = ("drag", cell, id(self))

    def drag(self, at: QPointF, modifiers: Modifiers) -> None:
        if self._cell.node not in self.canvas.document.diagram.values:
            return
        steps = (at.x() - self.press.x()) / PIXELS
        scale = factor(modifiers)
        step = self._step if self._whole else self._step * scale
        value = stepped(self._start, steps * (scale if self._whole else 1), step, whole=self._whole)
        self.canvas.document.edit(
            CHANGE,
            edits.set_cell,
            self._cell.node,
            self._cell.index,
            _typed(value, whole=self._whole),
            merge=self._merge,
        )

    def release(self, at: QPointF, modifiers: Modifiers) -> bool:
        if self.dragging:
            self.drag(at, modifiers)
        self.canvas.document.seal()
        return True

    def cancel(self) -> None:
        # The very diagram of before: then no step is left.
        if self.dragging:
            self.canvas.document.edit(CHANGE, lambda _: self._before, merge=self._merge)
        self.canvas.document.seal()


def _typed(value: float, *, whole: bool) -> float | int:
    return int(value) if whole else value


def step_number(canvas: Canvas, cell: CellRef, by: int, modifiers: Modifiers) -> None:
    """By a key: one step more or less; steps in a row are one to undo."""
    array = canvas.document.diagram.values[cell.node]
    number, whole = float(array[cell.index]), array.dtype.kind == "i"
    scale = factor(modifiers)
    step = step_of(number, whole=whole) * (scale if not whole else max(scale, 1.0))
    value = stepped(number, by, step, whole=whole)
    canvas.document.edit(
        CHANGE,
        edits.set_cell,
        cell.node,
        cell.index,
        _typed(value, whole=whole),
        merge=("step", cell),
    )
