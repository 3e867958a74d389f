"""The film: the sentence of the present step, the transport, the speed, and the strip."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from gradviz.engine import explain
from gradviz.gui import icons
from gradviz.gui.document import Document
from gradviz.gui.panels.film_strip import FilmStrip
from gradviz.gui.panels.halts import HaltButton
from gradviz.gui.panels.inside_sheet import inside_sentence
from gradviz.gui.panels.parts import NORMAL, Panel, hint, label, set_property
from gradviz.gui.panels.step_number import StepNumber
from gradviz.gui.player import SPEEDS, Player
from gradviz.gui.theme import palette
from gradviz.gui.translate import render

SENTENCE_HEIGHT: Final = 36
"""Two lines: the strip must not move when a sentence is long."""


class Timeline(Panel):
    """Connects to the player only; nobody has to call it."""

    def __init__(self, document: Document, player: Player, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._player = player
        self.number = StepNumber(player, self)
        self._halts = HaltButton(document, self)
        self._phase = label(bold=True, wrap=False)
        self._sentence = label(pixels=NORMAL, select=True)
        self.strip = FilmStrip(document, player, self)
        self._to_start = self._button("to-start", self.tr("To the start (Ctrl+Home)"))
        self._under = self._button("step-under", self.tr("Back over an operation (Ctrl+F9)"))
        self._back = self._button("step-back", self.tr("One step back ( , )"))
        self._play = self._button("play", self.tr("Play (Space)"))
        self._forward = self._button("step-forward", self.tr("One step on ( . )"))
        self._over = self._button("step-over", self.tr("Over the next operation (Ctrl+F10)"))
        self._to_end = self._button("to-end", self.tr("To the end (Ctrl+End)"))
        self._speed = QToolButton(self)
        self._build()
        self._connect()
        self._show_state()
        self._say()

    def _button(self, icon: str, text: str) -> QToolButton:
        button = QToolButton(self)
        button.setProperty("transport", "true")
        button.setProperty("icon-name", icon)
        button.setIconSize(QSize(icons.SIDE, icons.SIDE))
        button.setToolTip(text)
        button.setAccessibleName(text)
        return button

    def _build(self) -> None:
        words = QHBoxLayout()
        words.setSpacing(16)
        top = Qt.AlignmentFlag.AlignVCenter
        for piece in (self.number, self._phase):
            words.addWidget(piece, 0, top)
        self._sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        words.addWidget(self._sentence, 1, top)
        self._sentence.setMinimumHeight(SENTENCE_HEIGHT)
        row = QHBoxLayout()
        row.setSpacing(4)
        for button in self._buttons:
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addSpacing(8)
        row.addWidget(self._speed, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._halts, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addSpacing(8)
        row.addWidget(self.strip, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 4, 8, 4)
        column.setSpacing(0)
        column.addLayout(words)
        column.addLayout(row)
        column.addStretch(1)
        self._build_speeds()

    @property
    def _buttons(self) -> tuple[QToolButton, ...]:
        return (
            self._to_start,
            self._under,
            self._back,
            self._play,
            self._forward,
            self._over,
            self._to_end,
        )

    def _build_speeds(self) -> None:
        menu = QMenu(self._speed)
        for speed in SPEEDS:
            action = menu.addAction(_speed_text(speed))
            action.setCheckable(True)
            action.setData(speed)
            action.triggered.connect(partial(self._choose_speed, speed))
        self._speed.setMenu(menu)
        self._speed.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._speed.setProperty("quiet", "true")
        self._speed.setToolTip(self.tr("Speed of the film"))
        self._speed.setAccessibleName(self.tr("Speed"))

    def _connect(self) -> None:
        player = self._player
        actions: tuple[tuple[QToolButton, Callable[[], None]], ...] = (
            (self._to_start, player.to_start),
            (self._under, player.under),
            (self._back, player.back),
            (self._play, player.toggle),
            (self._forward, player.forward),
            (self._over, player.over),
            (self._to_end, player.to_end),
        )
        for button, action in actions:
            button.clicked.connect(lambda _=False, act=action: act())
        self.strip.digit_typed.connect(self.type_step)
        self.number.left.connect(self.strip.setFocus)
        player.arrived.connect(self._say)
        player.arrived.connect(self._show_state)
        player.played.connect(self._show_state)

    def type_step(self, begun: str = "") -> None:
        """Type the number of a step, of which `begun` was typed already."""
        self.number.type(begun)

    def _choose_speed(self, speed: float) -> None:
        self._player.speed = speed

    def recolour(self) -> None:
        """Icons and strip in the colours of the theme."""
        colours = palette(self._theme)
        for button in self._buttons:
            button.setIcon(icons.icon(str(button.property("icon-name")), colours))
        self.strip.theme = self._theme

    def _show_state(self) -> None:
        player = self._player
        name = "pause" if player.playing else "play"
        text = self.tr("Pause (Space)") if player.playing else self.tr("Play (Space)")
        if self._play.property("icon-name") != name or self._play.icon().isNull():
            self._play.setProperty("icon-name", name)
            self.recolour()
        self._play.setToolTip(text)
        self._play.setAccessibleName(text)
        length, here = len(player.timeline), player.position
        self._enable(self._play, possible=length > 0)
        self._enable(self._to_start, possible=here > 0)
        self._enable(self._under, possible=here > 0)
        self._enable(self._back, possible=here > 0)
        self._enable(self._forward, possible=here < length)
        self._enable(self._over, possible=here < length)
        self._enable(self._to_end, possible=here < length)
        self._speed.setText(f"{_speed_text(player.speed)} ▾")
        for action in self._speed.menu().actions():
            action.setChecked(action.data() == player.speed)

    def _enable(self, button: QToolButton, *, possible: bool) -> None:
        if not possible and button.hasFocus():
            self.strip.setFocus()
        button.setEnabled(possible)

    def _say(self) -> None:
        """The sentence of the present step."""
        player, answer = self._player, self._document.answer
        if player.inside:
            sentence = inside_sentence(player.inside, player.inner_count)
        else:
            sentence = render(explain.sentence(answer, player.step))
        self._sentence.setText(sentence)
        self._sentence.setToolTip(hint(sentence))
        here = player.position
        backward = here > player.timeline.forward
        self._phase.setText(self._phase_text(backward=backward) if here else "")
        self._phase.setVisible(bool(here))
        set_property(self._phase, "role", "backward" if backward else "forward")
        self._announce(sentence)

    def _phase_text(self, *, backward: bool) -> str:
        return self.tr("Backward") if backward else self.tr("Forward")

    def _announce(self, sentence: str) -> None:
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))


def _speed_text(speed: float) -> str:
    return f"{speed:g}×"
