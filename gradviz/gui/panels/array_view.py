"""An array in a panel: a number, a table of numbers or a heatmap, painted as on the cards."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip, QWidget

from gradviz import digits
from gradviz.graph.model import Array
from gradviz.gui.panels.parts import Panel, hint
from gradviz.gui.translate import tr
from gradviz.picture import content, matrix, text
from gradviz.picture.boxes import LINE, SEAM, BandBox
from gradviz.picture.geometry import number_width
from gradviz.picture.look import Cells, Flow, Form, Heat, Number
from gradviz.picture.pen import line_pen, stroke
from gradviz.picture.plane import Point, Rect
from gradviz.picture.text import Align, Piece

Index = tuple[int, ...]
CAPTION: Final = 20.0
NUMBER: Final = 24.0
CELL: Final = 24.0
WIDEST_CELL: Final = 80.0
WIDEST_SWATCH: Final = 12.0
HIGHEST_HEAT: Final = 192.0
COPIED_CELLS: Final = 100_000


class ArrayView(Panel):
    """`name` is what it is called, such as `X` or `∂y/∂X`; a `caption` stands in its place above a table.

    cell_clicked(index)  a cell was chosen by mouse or keys
    """

    cell_clicked = Signal(object)

    def __init__(
        self,
        array: Array,
        name: str,
        caption: str = "",
        flow: Flow = Flow.FORWARD,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._array = array
        self._name = name
        self._caption = caption or name
        self._flow = flow
        self._content = content.content(array, tr)
        self._room = content.room(array.shape, (array,))
        self._chosen: Index | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)
        self.setAccessibleDescription(digits.summary(array, tr))

    @property
    def array(self) -> Array:
        """The numbers."""
        return self._array

    @property
    def chosen(self) -> Index | None:
        """The cell that is framed."""
        return self._chosen

    @chosen.setter
    def chosen(self, index: Index | None) -> None:
        self._chosen = index
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if isinstance(self._content, Number):
            return int(NUMBER)
        band = self._band(width)
        bottom = band.summary[-1].bottom if band.summary else band.box.bottom
        return int(bottom) + 2

    def sizeHint(self) -> QSize:
        return QSize(240, self.heightForWidth(240))

    def minimumSizeHint(self) -> QSize:
        if isinstance(self._content, Number):
            return QSize(64, int(NUMBER))
        least = self._room.columns * self._narrowest() if self._room.form is Form.GRID else 96.0
        return QSize(int(least), self.heightForWidth(int(least)))

    def _narrowest(self) -> float:
        """The width at which the numbers of a cell can just be read."""
        return number_width(self._room.characters, text.SMALL_NUMBER) + 4

    def _band(self, width: float) -> BandBox:
        room = self._room
        cell = self._cell(width)
        seams = SEAM if room.column_gap else 0.0, SEAM if room.row_gap else 0.0
        box = Rect(1, CAPTION, room.columns * cell[0] + seams[0], room.rows * cell[1] + seams[1])
        lines = self._content.lines if isinstance(self._content, Heat) else ()
        below = tuple(Rect(0, box.bottom + 4 + LINE * i, width, LINE) for i in range(len(lines)))
        caption = Rect(0, 0, width, CAPTION)
        scale = Rect(0, 0, min(max(box.width, 96.0), width), CAPTION)
        return BandBox(room, caption, scale, box, cell, below)

    def _cell(self, width: float) -> tuple[float, float]:
        room = self._room
        if room.form is Form.GRID:
            share = (width - 2) // max(room.columns, 1)
            return max(min(share, WIDEST_CELL), self._narrowest()), CELL
        side = min((width - 2) // room.columns, HIGHEST_HEAT // room.rows, WIDEST_SWATCH)
        side = max(side, 2.0)
        return side, max(side, min(CELL, 2 * CELL // room.rows))

    def paintEvent(self, event: QPaintEvent) -> None:
        # Ended whatever happens: a traceback that keeps an active painter ends the process later.
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if isinstance(self._content, Number):
                colour = self._theme.flow(self._flow)
                box = Rect(0, 0, self.width(), NUMBER)
                text.draw(painter, [Piece(self._content.text, box, text.BIG_NUMBER, colour)])
            else:
                self._paint_table(painter, self._content)
            if self.hasFocus():
                stroke(
                    painter, Rect(0, 0, self.width(), self.height()), line_pen(self._theme.line), 4
                )

    def _paint_table(self, painter: QPainter, shown: Cells | Heat) -> None:
        band = self._band(self.width())
        dim = self._theme.dim
        pieces = [
            Piece(self._caption, band.caption, text.PLAIN, dim),
            Piece(shown.scale, band.scale, text.NUMBER, dim, Align.RIGHT),
        ]
        matrix.paint_array(painter, band, shown, self._theme)
        if isinstance(shown, Cells):
            pieces += matrix.cell_pieces(band, shown, self._theme)
        else:
            lines = zip(shown.lines, band.summary, strict=True)
            pieces += [Piece(line, box, text.PLAIN, dim) for line, box in lines]
        stroke(painter, band.box.grown(1), line_pen(self._theme.frame))
        frame = self._place_of(self._chosen)
        if frame is not None:
            stroke(painter, frame.grown(1), line_pen(self._theme.flow(self._flow), 2))
        text.draw(painter, pieces)

    def _place_of(self, index: Index | None) -> Rect | None:
        """Where a cell is shown; None for one that was left out."""
        if index is None or len(index) != self._array.ndim or not index:
            return None
        row = int(np.ravel_multi_index(index[:-1], self._array.shape[:-1])) if index[:-1] else 0
        rows, columns = digits.as_rows(self._array).shape
        room = self._room
        shown = _shown(row, rows, room.rows, room.row_gap)
        across = _shown(index[-1], columns, room.columns, room.column_gap)
        if shown is None or across is None:
            return None
        return self._band(self.width()).cell_rect(shown, across)

    def index_at(self, point: QPointF) -> Index | None:
        """The cell under a point; an empty index for the one number of a 0-d array."""
        if isinstance(self._content, Number):
            return () if self._array.size else None
        found = self._band(self.width()).cell_at(Point(point.x(), point.y()))
        if found is None:
            return None
        rows, columns = digits.as_rows(self._array).shape
        room = self._room
        row = found[0] + (rows - room.rows if room.row_gap and found[0] >= room.row_gap else 0)
        column = found[1]
        if room.column_gap and column >= room.column_gap:
            column += columns - room.columns
        lead = np.unravel_index(row, self._array.shape[:-1]) if self._array.ndim > 1 else ()
        return (*map(int, lead), column)

    def cell_text(self, index: Index) -> str:
        """`X[1, 2] = 0.14862…`, in full."""
        where = f"[{', '.join(map(str, index))}]" if index else ""
        return f"{self._name}{where} = {digits.full(self._array[index])}"

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.index_at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and index is not None:
            self.cell_clicked.emit(index)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self.index_at(QPointF(event.pos()))
            if index is None:
                QToolTip.hideText()
            else:
                near = QRect(event.pos().x() - 4, event.pos().y() - 4, 8, 8)
                QToolTip.showText(event.globalPos(), hint(self.cell_text(index)), self, near)
            return True
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            # Ctrl+C copies these numbers, not the nodes selected on the canvas.
            event.setAccepted(event.matches(QKeySequence.StandardKey.Copy))
            return event.isAccepted()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: -self._array.shape[-1] if self._array.ndim else 0,
            Qt.Key.Key_Down: self._array.shape[-1] if self._array.ndim else 0,
        }
        step = steps.get(Qt.Key(event.key()))
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy(self._chosen)
        elif step and self._array.size:
            self._walk(step)
        else:
            super().keyPressEvent(event)

    def _walk(self, step: int) -> None:
        shape = self._array.shape
        if self._chosen is None or len(self._chosen) != len(shape):
            self.cell_clicked.emit((0,) * len(shape))
            return
        at = int(np.ravel_multi_index(self._chosen, shape)) + step
        if 0 <= at < self._array.size:
            self.cell_clicked.emit(tuple(map(int, np.unravel_index(at, shape))))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        for action in self.copy_actions(self.index_at(QPointF(event.pos()))):
            action.setParent(menu)
            menu.addAction(action)
        menu.exec(event.globalPos())
        menu.deleteLater()

    def copy_actions(self, index: Index | None) -> list[QAction]:
        """What can be copied at a cell."""
        actions = []
        if index is not None:
            one = QAction(self.tr("Copy this number"))
            one.triggered.connect(lambda: self._copy(index))
            actions.append(one)
        if self._array.ndim:
            every = QAction(self.tr("Copy all numbers"))
            every.triggered.connect(lambda: self._copy(None))
            actions.append(every)
        return actions

    def _copy(self, index: Index | None) -> None:
        if index is not None and len(index) == self._array.ndim:
            copied = _ascii(digits.full(self._array[index]))
        else:
            copied = table_text(self._array)
        QGuiApplication.clipboard().setText(copied)


def table_text(array: Array) -> str:
    """All numbers in full, as a spreadsheet takes them; at most 100,000 of them."""
    rows = digits.as_rows(array)
    most = max(COPIED_CELLS // max(rows.shape[1], 1), 1)
    return "\n".join("\t".join(_ascii(digits.full(x)) for x in row) for row in rows[:most])


def _ascii(number: str) -> str:
    return number.replace(digits.MINUS, "-").replace("∞", "inf")


def _shown(number: int, total: int, shown: int, gap: int) -> int | None:
    """Where row (or column) `number` of `total` is shown, if it is."""
    if not gap or number < gap:
        return number
    from_end = total - number
    return shown - from_end if from_end <= shown - gap else None
