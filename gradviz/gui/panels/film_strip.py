"""The film as a strip: one piece a step, the forward half teal, the backward half red, and a knob on the present step."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gradviz.engine import explain
from gradviz.engine.answer import Answer
from gradviz.engine.gradient import Role
from gradviz.gui.document import Document
from gradviz.gui.panels.parts import SMALL, Panel, font, hint
from gradviz.gui.player import Player
from gradviz.gui.translate import render
from gradviz.picture.colours import mixed

MARGIN: Final = 14.0
CAPTION: Final = 16.0
BAR: Final = 10.0
GAP: Final = 3.0
LABEL_GAP: Final = 12.0
LABEL: Final = 16.0
HEIGHT: Final = CAPTION + 4 + BAR + LABEL_GAP + LABEL
KNOB: Final = 7.0
PIECES_FROM: Final = 8.0
"""Steps narrower than this become one bar."""
WIDEST_LABEL: Final = 96.0
LABEL_APART: Final = 6.0
MERGES_APART: Final = 6.0
LEAP: Final = 10
STOP: Final = 3.5


class FilmStrip(Panel):
    """Click or drag to go anywhere; ← → Home End M with the keys.

    digit_typed(text)  the number of a step is being typed
    """

    digit_typed = Signal(str)

    def __init__(self, document: Document, player: Player, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._player = player
        self._answer: Answer | None = None
        self._labels: dict[int, str] = {}
        self._merges: tuple[int, ...] = ()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(self.tr("Film"))
        player.moved.connect(self.update)
        player.arrived.connect(self._describe)
        self._describe()

    def sizeHint(self) -> QSize:
        return QSize(480, int(HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(160, int(HEIGHT))

    def _describe(self) -> None:
        if self._answer is not self._document.answer:
            self._answer = self._document.answer
            self._labels.clear()
            steps = enumerate(self._player.timeline.steps, 1)
            self._merges = tuple(n for n, step in steps if step.address.role is Role.MERGE)
        sentence = render(explain.sentence(self._document.answer, self._player.step))
        self.setAccessibleDescription(sentence)
        self.update()

    @property
    def _count(self) -> int:
        return len(self._player.timeline)

    @property
    def _room(self) -> float:
        return max(self.width() - 2 * MARGIN, 1.0)

    @property
    def _pitch(self) -> float:
        return self._room / max(self._count, 1)

    def _left(self, step: int) -> float:
        """Where step number `step` (from 1) begins."""
        return MARGIN + (step - 1) * self._pitch

    def place_of(self, position: int) -> QPointF:
        """Where the knob stands at `position`."""
        x = MARGIN - 4 if position <= 0 else self._left(position) + self._pitch / 2
        return QPointF(x, CAPTION + 4 + BAR / 2)

    def position_at(self, x: float) -> int:
        """The position whose step is at `x`; left of the first step, the start."""
        if x < MARGIN:
            return 0
        return min(int((x - MARGIN) / self._pitch) + 1, self._count)

    def label(self, position: int) -> str:
        """The word for the step that leads to `position`."""
        if position not in self._labels:
            answer, step = self._document.answer, self._player.timeline.step(position)
            self._labels[position] = explain.step_label(answer, step) if step is not None else ""
        return self._labels[position]

    def shown_labels(self) -> dict[int, QRectF]:
        """The steps that are labelled, and where: the present one always, others as far as there is room."""
        here = self._player.position
        own = self._label_box(here) if here else QRectF()
        free = own.adjusted(-LABEL_APART, 0, LABEL_APART, 0)
        found = {step: box for step, box in self._all_labels().items() if not box.intersects(free)}
        return {**found, here: own} if here else found

    def _all_labels(self) -> dict[int, QRectF]:
        """As many labels as fit beside each other, the same ones wherever the knob is."""
        stride = max(1, int(LABEL_APART * 2 / self._pitch))
        found, last = {}, 0.0
        for step in range(1, self._count + 1, stride):
            box = self._label_box(step)
            if box.left() >= last:
                found[step] = box
                last = box.right() + LABEL_APART
        return found

    def _label_box(self, step: int) -> QRectF:
        width = QFontMetricsF(font(SMALL, bold=True)).horizontalAdvance(self.label(step)) + 2
        width = min(width, max(self._pitch - LABEL_APART, WIDEST_LABEL))
        left = self.place_of(step).x() - width / 2
        left = max(2.0, min(left, self.width() - width - 2))
        return QRectF(left, CAPTION + 4 + BAR + LABEL_GAP, width, LABEL)

    def paintEvent(self, event: QPaintEvent) -> None:
        # Ended whatever happens: a traceback that keeps an active painter ends the process later.
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if not self._count:
                self._paint_nothing(painter)
                return
            self._paint_captions(painter)
            if self._pitch >= PIECES_FROM:
                self._paint_pieces(painter)
            else:
                self._paint_bars(painter)
            self._paint_merges(painter)
            self._paint_stops(painter)
            self._paint_labels(painter)
            self._paint_knob(painter)

    def _paint_nothing(self, painter: QPainter) -> None:
        bar = QRectF(MARGIN, CAPTION + 4, self._room, BAR)
        self._piece(painter, bar, self._theme.soft)
        painter.setFont(font(SMALL))
        painter.setPen(self._theme.dim)
        below = bar.translated(0, BAR + LABEL_GAP)
        below.setHeight(LABEL)
        painter.drawText(below, int(Qt.AlignmentFlag.AlignLeft), self.tr("Nothing to play yet"))

    def _paint_captions(self, painter: QPainter) -> None:
        painter.setFont(font(SMALL, bold=True))
        forward = self._player.timeline.forward
        captions = []
        if forward:
            captions.append((1, forward, self.tr("forward"), self._theme.forward))
        if self._count > forward:
            captions.append((forward + 1, self._count, self.tr("backward"), self._theme.backward))
        for first, last, text, colour in captions:
            width = QFontMetricsF(painter.font()).horizontalAdvance(text) + 2
            left = min(self._left(first), self.width() - width)
            if (last - first + 1) * self._pitch < width and first == 1:
                continue
            painter.setPen(colour)
            painter.drawText(QRectF(left, 0, width, CAPTION), text)

    def _colour(self, step: int) -> QColor:
        backward = step > self._player.timeline.forward
        colour = self._theme.backward if backward else self._theme.forward
        return colour if step <= self._player.position else self._faint(colour)

    def _faint(self, colour: QColor) -> QColor:
        return mixed(self._theme.panel, colour, 0.24)

    def _piece(self, painter: QPainter, rect: QRectF, colour: QColor) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(rect, min(3.0, rect.width() / 2), 3.0)

    def _paint_pieces(self, painter: QPainter) -> None:
        for step in range(1, self._count + 1):
            left = self._left(step)
            rect = QRectF(left, CAPTION + 4, self._pitch - GAP, BAR)
            self._piece(painter, rect, self._colour(step))

    def _paint_bars(self, painter: QPainter) -> None:
        """The halves as two bars, each with what has been shown in full colour."""
        forward, here = self._player.timeline.forward, self._player.position
        for first, last in ((1, forward), (forward + 1, self._count)):
            if last < first:
                continue
            colour = self._colour_of_half(first)
            width = (last - first + 1) * self._pitch - (GAP if last < self._count else 0)
            whole = QRectF(self._left(first), CAPTION + 4, max(width, 1.0), BAR)
            self._piece(painter, whole, self._faint(colour))
            shown = QRectF(whole)
            shown.setRight(min(whole.right(), self._left(here + 1)))
            if shown.width() > 0:
                self._piece(painter, shown, colour)

    def _colour_of_half(self, first: int) -> QColor:
        backward = first > self._player.timeline.forward
        return self._theme.backward if backward else self._theme.forward

    def _paint_merges(self, painter: QPainter) -> None:
        """A dot above each step where roads meet."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.backward)
        before = -MERGES_APART
        for number in self._merges:
            x = self._left(number) + self._pitch / 2
            if x - before >= MERGES_APART:
                painter.drawEllipse(QPointF(x, CAPTION), 2.0, 2.0)
                before = x

    def _paint_stops(self, painter: QPainter) -> None:
        """Below the bar: a diamond where the film halts, a cross where the first bad number comes up."""
        stops = self._player.stops
        y = CAPTION + 4 + BAR + LABEL_GAP / 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.ink)
        before = -MERGES_APART
        for number in stops.positions:
            x = self._left(number) + self._pitch / 2
            if x - before >= MERGES_APART and number != stops.first_bad:
                corners = ((0, -STOP), (STOP, 0), (0, STOP), (-STOP, 0))
                painter.drawPolygon(QPolygonF([QPointF(x + a, y + b) for a, b in corners]))
                before = x
        if stops.first_bad is not None:
            x = self._left(stops.first_bad) + self._pitch / 2
            painter.setPen(QPen(self._theme.note, 2))
            for up in (STOP, -STOP):
                painter.drawLine(QPointF(x - STOP, y - up), QPointF(x + STOP, y + up))

    def _paint_labels(self, painter: QPainter) -> None:
        here = self._player.position
        for step, box in self.shown_labels().items():
            chosen = font(SMALL, bold=step == here)
            painter.setFont(chosen)
            painter.setPen(self._theme.ink if step == here else self._theme.dim)
            text = QFontMetricsF(chosen).elidedText(
                self.label(step), Qt.TextElideMode.ElideRight, box.width()
            )
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)

    def _paint_knob(self, painter: QPainter) -> None:
        here = self._player.position
        at, before = self.place_of(here), self.place_of(here - 1)
        moved = before + (at - before) * self._player.progress
        colour = self._colour_of_half(max(here, 1))
        painter.setPen(QPen(colour, 2.5))
        painter.setBrush(self._theme.panel)
        painter.drawEllipse(moved, KNOB, KNOB)
        if self.hasFocus():
            painter.setPen(QPen(mixed(self._theme.panel, colour, 0.5), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(moved, KNOB + 3, KNOB + 3)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._player.pause()
            self._player.seek(self.position_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._player.seek(self.position_at(event.position().x()))

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self._show_hint(event)
            return True
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            # Home fits the canvas; while the strip has the focus, it is the start of the film.
            event.setAccepted(event.key() in self._keys() and not event.modifiers())
            return event.isAccepted()
        return super().event(event)

    def _show_hint(self, event: QHelpEvent) -> None:
        position = self.position_at(event.pos().x())
        step = self._player.timeline.step(position)
        sentence = render(explain.sentence(self._document.answer, step))
        text = f"{position}  {sentence}" if position else sentence
        left = int(self._left(max(position, 1)))
        QToolTip.showText(event.globalPos(), hint(text), self, self.rect().adjusted(left, 0, 0, 0))

    def _keys(self) -> dict[int, int]:
        """Where each key leads."""
        here, keys = self._player.position, Qt.Key
        return {
            keys.Key_Left: here - 1,
            keys.Key_Right: here + 1,
            keys.Key_PageUp: here - LEAP,
            keys.Key_PageDown: here + LEAP,
            keys.Key_Home: 0,
            keys.Key_End: self._count,
            keys.Key_M: self._player.timeline.forward,
        }

    def keyPressEvent(self, event: QKeyEvent) -> None:
        found = self._keys().get(event.key())
        if event.key() == Qt.Key.Key_Space:
            self._player.toggle()
        elif event.text().isascii() and event.text().isdigit():
            self.digit_typed.emit(event.text())
        elif found is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Right:
            self._player.forward()
        else:
            self._player.pause()
            self._player.seek(found)
