"""What all panels are made of: labels of plain text, hints, quiet buttons."""

from __future__ import annotations

import html
from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QToolButton, QWidget

from gradviz.picture import fonts
from gradviz.picture.colours import LIGHT, Theme

SMALL: Final = 11
NORMAL: Final = 13
LARGE: Final = 16


class Panel(QWidget):
    """A panel; `theme` is for what it paints itself."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self.setAutoFillBackground(True)

    @property
    def theme(self) -> Theme:
        """The colours it paints in."""
        return self._theme

    @theme.setter
    def theme(self, theme: Theme) -> None:
        self._theme = theme
        self.recolour()
        self.update()

    def recolour(self) -> None:
        """Make anew what was made in the colours of another theme, such as icons."""


def hint(text: str) -> str:
    """`text` as a tool tip: Qt would read names that look like tags as rich text."""
    if "<" not in text and "&" not in text:
        return text
    return f"<span>{html.escape(text).replace(chr(10), '<br>')}</span>"


def literal(text: str) -> str:
    """`text` for a menu or a button, where & would underline a letter."""
    return text.replace("&", "&&")


def font(pixels: int = NORMAL, *, bold: bool = False, mono: bool = False) -> QFont:
    """One of the fonts of the window."""
    make = fonts.mono_font if mono else fonts.text_font
    return make(pixels, bold)


def label(
    text: str = "",
    role: str = "",
    pixels: int = NORMAL,
    *,
    bold: bool = False,
    mono: bool = False,
    wrap: bool = True,
    select: bool = False,
) -> QLabel:
    """A label of plain text; `role` gives its colour (`theme.style_sheet`)."""
    made = QLabel()
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setText(text)
    made.setFont(font(pixels, bold=bold, mono=mono))
    made.setWordWrap(wrap)
    made.setProperty("role", role)
    if select:
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        made.setCursor(Qt.CursorShape.IBeamCursor)
    return made


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Change a property that the style sheet asks about."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def line() -> QFrame:
    """A thin line between two parts of a panel."""
    made = QFrame()
    made.setProperty("box", "line")
    made.setFixedHeight(1)
    return made


def quiet_button(text: str = "", parent: QWidget | None = None) -> QToolButton:
    """A button that looks like text until it is pointed at."""
    made = QToolButton(parent)
    made.setProperty("quiet", "true")
    made.setText(text)
    return made


class ElidedButton(QToolButton):
    """A quiet button whose text is cut where there is no room; the whole of it is its tool tip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole = ""
        self.setProperty("quiet", "true")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(40)

    @property
    def whole(self) -> str:
        """The text that is not cut."""
        return self._whole

    def show_text(self, text: str) -> None:
        """Show `text`, as much of it as there is room for."""
        self._whole = text
        self.setToolTip(hint(text))
        self.setAccessibleName(text)
        self._cut()
        self.updateGeometry()

    def show_details(self, text: str) -> None:
        """Another tool tip than the whole text."""
        self.setToolTip(hint(text))

    def sizeHint(self) -> QSize:
        hinted = super().sizeHint()
        metrics = self.fontMetrics()
        around = hinted.width() - metrics.horizontalAdvance(self.text().replace("&&", "&"))
        return QSize(metrics.horizontalAdvance(self._whole) + max(around, 20) + 2, hinted.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(40, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._cut()

    def _cut(self) -> None:
        room = max(self.width() - 22, 8)
        cut = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, room)
        self.setText(literal(cut))


class ElidedLabel(QLabel):
    """One line of plain text that is cut where there is no room; the whole of it is its tool tip."""

    def __init__(self, role: str = "", pixels: int = SMALL, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(font(pixels))
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def show_text(self, text: str) -> None:
        """Show `text`, as much of it as there is room for."""
        self.setText(text)
        self.setToolTip(hint(text))

    def paintEvent(self, event: QPaintEvent) -> None:
        # Ended whatever happens: a traceback that keeps an active painter ends the process later.
        with QPainter(self) as painter:
            shown = self.fontMetrics().elidedText(
                self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width()
            )
            painter.setPen(self.palette().color(self.foregroundRole()))
            painter.drawText(
                self.contentsRect(), int(self.alignment() | Qt.TextFlag.TextSingleLine), shown
            )

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self.update()
