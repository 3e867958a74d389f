"""A key that waits for a second one shows what that can be: a bar of choices over the canvas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QSizePolicy, QToolButton, QWidget

MARGIN, EDGE, SPACE = 12, 6, 4


class Choice(NamedTuple):
    """A letter, what it stands for, and the id of the action that does it."""

    key: str
    words: str
    id: str


class ChoiceBar(QFrame):
    """Open until a letter, a click, Esc, or until the focus goes elsewhere.

    chosen(id)  the action that was chosen
    """

    chosen = Signal(str)

    def __init__(self, title: str, choices: Sequence[Choice], parent: QWidget) -> None:
        super().__init__(parent)
        self._ids = {choice.key: choice.id for choice in choices}
        self._owner = parent
        self.setObjectName("choices")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        words = ", ".join(f"{choice.key} {choice.words}" for choice in choices)
        self.setAccessibleName(f"{title}: {words}")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(EDGE, EDGE, EDGE, EDGE)
        self._grid.setSpacing(SPACE)
        self._buttons = []
        for choice in choices:
            button = QToolButton(self)
            button.setText(f"{choice.key}  {choice.words}")
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            button.clicked.connect(partial(self._choose, choice.id))
            self._buttons.append(button)
        self.hide()

    def offer(self) -> None:
        """Show it at the upper edge, in as many rows as it needs, and wait for a key."""
        widest = max(button.sizeHint().width() for button in self._buttons) + SPACE
        across = max((self._owner.width() - 2 * (MARGIN + EDGE)) // widest, 1)
        rows = math.ceil(len(self._buttons) / across)
        across = math.ceil(len(self._buttons) / rows)
        for number, button in enumerate(self._buttons):
            self._grid.addWidget(button, *divmod(number, across))
        self._grid.activate()
        self.adjustSize()
        self.move(max((self._owner.width() - self.width()) // 2, 0), MARGIN)
        self.show()
        self.raise_()
        self.setFocus()

    def _choose(self, id: str) -> None:
        self._close()
        self.chosen.emit(id)

    def _close(self) -> None:
        self.hide()
        self._owner.setFocus()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShortcutOverride:
            # Letters mean something else now than they do on the canvas.
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        id = self._ids.get(event.text().upper()) or self._ids.get(_letter(event))
        if id is not None:
            self._choose(id)
        elif event.key() not in _HELD:
            # Esc, and whatever else: no choice.
            self._close()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.hide()


_HELD = (Qt.Key.Key_Alt, Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Meta, Qt.Key.Key_AltGr)


def _letter(event: QKeyEvent) -> str:
    """The letter on the key, whatever is held with it: Alt may still be down."""
    key = event.key()
    return chr(key) if Qt.Key.Key_A <= key <= Qt.Key.Key_Z else ""
