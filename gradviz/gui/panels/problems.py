"""The bottom line: what a person should know about the answer, what the check said, what was just done, the keys."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QIcon, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from gradviz.engine import explain
from gradviz.engine.answer import Answer
from gradviz.engine.explain import Note
from gradviz.engine.gradcheck import Verdict
from gradviz.gui.document import Document
from gradviz.gui.panels.parts import (
    SMALL,
    ElidedButton,
    ElidedLabel,
    Panel,
    font,
    label,
    literal,
    quiet_button,
    set_property,
)
from gradviz.gui.player import Player
from gradviz.gui.translate import render, say
from gradviz.picture.colours import Theme
from gradviz.text import mark

SHOWN: Final = 2
"""So many notes stand on the line; the menu has more of them."""
LISTED: Final = 40
HINT_MS: Final = 8000
DOT: Final = 8


class Problems(Panel):
    """Errors, missing gradients and remarks, each clickable.

    node_requested(ids)  show these nodes
    """

    node_requested = Signal(object)

    def __init__(self, document: Document, player: Player, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._player = player
        self._notes: tuple[Note, ...] = ()
        self._wrong: tuple[str, ...] = ()
        self._count = quiet_button(parent=self)
        self._buttons = [ElidedButton(self) for _ in range(SHOWN)]
        self._verdict = ElidedButton(self)
        self._hint = ElidedLabel(parent=self)
        self._keys = label("", "dim", SMALL, wrap=False)
        self._steps = label("", "dim", SMALL, wrap=False)
        self._fading = QTimer(self)
        self._fading.setSingleShot(True)
        self._fading.timeout.connect(partial(self.show_hint, ""))
        self._build()
        document.answered.connect(self._refresh)
        document.changed.connect(self._on_changed)
        self._refresh()
        self.set_verdict("")

    def _build(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 12, 2)
        row.setSpacing(4)
        self._count.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._count.setMenu(QMenu(self._count))
        self._count.setToolTip(self.tr("All notes"))
        self._count.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._count.setIconSize(QSize(DOT, DOT))
        for button in (self._count, *self._buttons, self._verdict):
            button.setFont(font(SMALL))
            row.addWidget(button)
        for number, button in enumerate(self._buttons):
            button.clicked.connect(partial(self._request_note, number))
        self._verdict.clicked.connect(self._request_wrong)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._hint.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row.addWidget(self._hint, 1)
        self._keys.setText(self.tr("Space plays  ·  , . step  ·  F fits  ·  Tab adds  ·  F1 keys"))
        row.addWidget(self._keys)
        row.addSpacing(12)
        row.addWidget(self._steps)

    def recolour(self) -> None:
        """The dot before the count, in the colour of the worst note."""
        self._count.setIcon(_dot(self._theme, _worst(self._notes)))

    def _on_changed(self) -> None:
        """A large graph is computed beside the window; its notes come with the answer."""
        if self._document.computing:
            self._count.setText(self.tr("computing…"))

    def _refresh(self) -> None:
        self._notes = self._all_notes()
        for number, button in enumerate(self._buttons):
            note = self._notes[number] if number < len(self._notes) else None
            button.setVisible(note is not None)
            if note is not None:
                button.show_text(render(note.text))
                set_property(button, "tone", _TONES.get(note.severity, ""))
        self._count.setText(f" {self._counted()}")
        self._fill_menu()
        self._steps.setText(self._counted_steps())
        self.recolour()
        self._share_room()

    def _all_notes(self) -> tuple[Note, ...]:
        failure = self._document.failure
        found = explain.notes(self._document.answer)
        return found if failure is None else (Note("error", failure), *found)

    def _counted(self) -> str:
        count = len(self._notes)
        if not count:
            return self.tr("No problems")
        return (
            self.tr("1 note") if count == 1 else say(mark("panels", "{count} notes"), count=count)
        )

    def _counted_steps(self) -> str:
        count = len(self._player.timeline)
        return (
            self.tr("1 step") if count == 1 else say(mark("panels", "{count} steps"), count=count)
        )

    def _fill_menu(self) -> None:
        menu = self._count.menu()
        menu.clear()
        for number, note in enumerate(self._notes[:LISTED]):
            action = menu.addAction(literal(render(note.text)))
            action.triggered.connect(partial(self._request_note, number))
        if len(self._notes) > LISTED:
            more = mark("panels", "and {count} more")
            menu.addAction(say(more, count=len(self._notes) - LISTED)).setEnabled(False)
        self._count.setEnabled(bool(self._notes))

    def _request_note(self, number: int, _checked: bool = False) -> None:
        if number < len(self._notes) and self._notes[number].nodes:
            self.node_requested.emit(self._notes[number].nodes)

    def _request_wrong(self) -> None:
        if self._wrong:
            self.node_requested.emit(self._wrong)

    def set_verdict(self, text: str, tone: str = "") -> None:
        """What the check says; an empty text takes it away. `tone` is "good", "bad" or neither."""
        self._wrong = ()
        self._verdict.show_text(text)
        self._verdict.setVisible(bool(text))
        set_property(self._verdict, "tone", tone)
        self._share_room()

    def show_verdicts(self, answer: Answer, found: Sequence[Verdict]) -> None:
        """What the check found, in one sentence; each of its parts is in the tool tip."""
        wrong = tuple(verdict.wrt.node for verdict in found if not verdict.agrees)
        sign = "✗" if wrong else "✓"
        sentence = render(explain.verdicts(answer, found))
        self.set_verdict(f"{sign}  {sentence}", "bad" if wrong else "good")
        self._wrong = wrong or tuple(verdict.wrt.node for verdict in found)
        if found:
            lines = (render(explain.verdict(answer, verdict)) for verdict in found)
            self._verdict.show_details("\n".join(lines))

    def show_hint(self, text: str) -> None:
        """Say what was just done, or why it was not, in place of the keys; for a while."""
        self._hint.show_text(text)
        self._hint.setAccessibleName(text)
        self._share_room()
        self._fading.stop()
        if text:
            self._fading.start(HINT_MS)

    def _share_room(self) -> None:
        """The keys stand there only while nothing else needs their place."""
        buttons = (self._count, *self._buttons, self._verdict, self._steps, self._keys)
        needed = sum(
            b.sizeHint().width() + 6 for b in buttons if b is self._keys or not b.isHidden()
        )
        self._keys.setVisible(not self._hint.text() and needed + 32 <= self.width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    @property
    def hint(self) -> str:
        """What is said at the moment."""
        return self._hint.text()


_TONES: Final = {"error": "bad", "warning": "note"}
_ORDER: Final = ("error", "warning", "info")


def _worst(notes: Sequence[Note]) -> str:
    return min((note.severity for note in notes), key=_ORDER.index, default="none")


def _dot(theme: Theme, severity: str) -> QIcon:
    """A square for an error, a triangle for a warning, else a ring or a disc: shapes, not colours alone."""
    colour = {"error": theme.backward, "warning": theme.note, "info": theme.dim}.get(
        severity, theme.output_text
    )
    icon = QIcon()
    for ratio in (1, 2, 3):
        pixmap = QPixmap(DOT * ratio, DOT * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        if severity == "error":
            painter.drawRect(1, 1, DOT - 2, DOT - 2)
        elif severity == "warning":
            painter.drawPolygon([QPointF(DOT / 2, 0.5), QPointF(DOT, DOT), QPointF(0, DOT)])
        else:
            painter.drawEllipse(QPointF(DOT / 2, DOT / 2), DOT / 2 - 0.5, DOT / 2 - 0.5)
        painter.end()
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Disabled):
            icon.addPixmap(pixmap, mode)
    return icon
