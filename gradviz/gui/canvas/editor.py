"""Typing on the canvas: a real line edit over a cell, a value or a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from gradviz.errors import GradvizError
from gradviz.gui.translate import render
from gradviz.picture import fonts
from gradviz.picture.colours import Theme

Commit = Callable[[str], bool]
NARROWEST: Final = 96
_ENTER: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_ACROSS: Final = {Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right"}
_ALONG: Final = {Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down"}


def refusal_sheet(theme: Theme) -> str:
    """How a sentence that refuses something looks."""
    return (
        f"background: {theme.note_ground.name()}; color: {theme.ink.name()}; border: 1px solid {theme.note.name()};"
        "border-radius: 6px; padding: 4px 8px;"
    )


class Editor(QLineEdit):
    """Open until its text is taken, or Esc. A text that cannot be used stays, with the reason under it.

    closed(moved)  `moved` tells where to go on: "next" or "previous" by Tab, "down" by Enter, else the arrow; or ""
    """

    closed = Signal(str)

    def __init__(
        self, parent: QWidget, rect: QRect, text: str, commit: Commit, sheet: str = ""
    ) -> None:
        super().__init__(text, parent)
        self._parent = parent
        self._commit = commit
        self._open = True
        self._in_table = False
        self._begun = False
        self._reason = QLabel(parent)
        self._reason.setTextFormat(Qt.TextFormat.PlainText)
        self._reason.setStyleSheet(sheet)
        self._reason.setWordWrap(True)
        self._reason.hide()
        self.setFont(fonts.mono_font(13))
        self.setAccessibleName(self.tr("Value"))
        self.follow(rect)
        self.textEdited.connect(self._reason.hide)
        self.show()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.selectAll()

    def among_cells(self, *, begun: bool) -> None:
        """It edits a cell of a table: up and down leave it, and left and right too if typing has `begun` it."""
        self._in_table = True
        self._begun = begun
        if begun:
            self.setCursorPosition(len(self.text()))

    def follow(self, rect: QRect) -> None:
        """Lie over `rect`, as far as that is in view."""
        width = max(rect.width(), NARROWEST)
        height = max(rect.height(), self.sizeHint().height())
        parent = self._parent
        x = min(max(rect.center().x() - width // 2, 0), max(parent.width() - width, 0))
        y = min(max(rect.center().y() - height // 2, 0), max(parent.height() - height, 0))
        self.setGeometry(x, y, width, height)
        self._place_reason()

    def take(self, moved: str = "") -> bool:
        """Use the text; False, with the reason shown, if it cannot be used."""
        if not self._open:
            return True
        self._open = False
        taken = False
        try:
            self._commit(self.text())
            taken = True
        except GradvizError as error:
            self._refuse(render(error.message))
            return False
        finally:
            # A text that was not taken can be corrected, or given up, whatever stood in its way.
            self._open = not taken
        self._close(moved)
        return True

    @property
    def is_open(self) -> bool:
        """Whether the text is still to be used; not while it is."""
        return self._open

    @property
    def reason(self) -> str:
        """Why the text cannot be used, as it is shown."""
        return "" if self._reason.isHidden() else self._reason.text()

    def cancel(self) -> None:
        """Close without using the text."""
        self._open = False
        self._close("")

    def _close(self, moved: str) -> None:
        self._reason.hide()
        self._reason.deleteLater()
        if self.hasFocus():
            # Else hiding would hand the focus on as Tab does.
            self._parent.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()
        self.deleteLater()
        self.closed.emit(moved)

    def _refuse(self, words: str) -> None:
        self._reason.setText(words)
        self._place_reason()
        self._reason.show()
        self._reason.raise_()
        self.setFocus()

    def _place_reason(self) -> None:
        """Under the text; over it, where there is no room."""
        self._reason.setFixedWidth(min(360, self._parent.width() - 16))
        self._reason.adjustSize()
        x = min(self.x(), self._parent.width() - self._reason.width() - 8)
        y = self.geometry().bottom() + 4
        if y + self._reason.height() > self._parent.height():
            y = self.y() - self._reason.height() - 4
        self._reason.move(max(x, 8), max(y, 4))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key is Qt.Key.Key_Escape:
            self.cancel()
        elif key in _ENTER:
            self.take("down")
        elif self._in_table and key in _ALONG:
            self.take(_ALONG[key])
        elif self._begun and key in _ACROSS and not event.modifiers():
            self.take(_ACROSS[key])
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        self.take("next" if forward else "previous")
        return True

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        # A menu or another window only borrows the focus.
        if (
            event.reason() in (Qt.FocusReason.MouseFocusReason, Qt.FocusReason.TabFocusReason)
            and not self.take()
        ):
            self.setFocus()
