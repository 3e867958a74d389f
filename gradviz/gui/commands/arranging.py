"""Where cards are."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QTimer

from gradviz.edit import edits, layout
from gradviz.graph.model import Diagram
from gradviz.gui.choice_bar import Choice, ChoiceBar
from gradviz.gui.commands.base import Commands
from gradviz.gui.tasks import Task
from gradviz.picture import geometry
from gradviz.text import mark, message

if TYPE_CHECKING:
    from gradviz.gui.main_window import MainWindow

PATIENCE_MS: Final = 150
"""What takes longer says so, and how to stop it."""


class Arranging(Commands):
    """Where cards are. Tidying runs in a thread; what it finds counts only for the diagram it was asked for."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.tidying = Task(self)
        self.tidying.done.connect(self._show_tidy)
        self.tidying.failed.connect(self._tidying_failed)
        self.tidying.changed.connect(self._on_tidying)
        self.document.changed.connect(self._on_changed)
        self.canvas.gives_up.append(self._give_up)
        self.canvas.snapping = window.settings.snapping
        self.canvas.snapping_changed.connect(self._keep_snapping)
        self._choices = self._bar()
        self._began = 0.0
        self._waiting = QTimer(self)
        self._waiting.setInterval(PATIENCE_MS)
        self._waiting.timeout.connect(self._show_progress)

    def _bar(self) -> ChoiceBar:
        choices = (
            Choice("L", self.tr("Left"), "align_left"),
            Choice("R", self.tr("Right"), "align_right"),
            Choice("T", self.tr("Top"), "align_top"),
            Choice("B", self.tr("Bottom"), "align_bottom"),
            Choice("C", self.tr("Centre"), "align_centre"),
            Choice("M", self.tr("Middle"), "align_middle"),
            Choice("H", self.tr("Even, across"), "distribute_across"),
            Choice("V", self.tr("Even, down"), "distribute_down"),
        )
        bar = ChoiceBar(self.tr("Align"), choices, self.canvas)
        bar.chosen.connect(self.window.do)
        return bar

    def stop(self) -> None:
        self.tidying.close()

    def arrange(self) -> None:
        """Tidy the selected cards, or all."""
        nodes = self.document.selection.nodes
        self._tidy(nodes if len(nodes) > 1 else None)

    def arrange_all(self) -> None:
        """Tidy all cards."""
        self._tidy(None)

    def align(self) -> None:
        """Wait for a second key that says how to line up the selected cards."""
        if self._has_cards(2):
            self._choices.offer()

    def align_left(self) -> None:
        """Put the left edges of the selected cards in line."""
        self._align("left")

    def align_right(self) -> None:
        """Put the right edges of the selected cards in line."""
        self._align("right")

    def align_top(self) -> None:
        """Put the upper edges of the selected cards in line."""
        self._align("top")

    def align_bottom(self) -> None:
        """Put the lower edges of the selected cards in line."""
        self._align("bottom")

    def align_centre(self) -> None:
        """Put the selected cards in a column, centre below centre."""
        self._align("centre")

    def align_middle(self) -> None:
        """Put the selected cards in a row, middle beside middle."""
        self._align("middle")

    def distribute_across(self) -> None:
        """Leave the same room between the selected cards from left to right."""
        self._distribute(across=True)

    def distribute_down(self) -> None:
        """Leave the same room between the selected cards from top to bottom."""
        self._distribute(across=False)

    def _align(self, side: str) -> None:
        if self._has_cards(2):
            self.canvas.cancel_gesture()
            nodes, sizes = self.document.selection.nodes, self.canvas.sight.sizes()
            if not self.document.edit(mark("edit", "Align"), edits.align, nodes, side, sizes):
                self.window.problems.show_hint(self.tr("They are in line already."))

    def _distribute(self, *, across: bool) -> None:
        if self._has_cards(3):
            self.canvas.cancel_gesture()
            nodes, sizes = self.document.selection.nodes, self.canvas.sight.sizes()
            text = mark("edit", "Distribute")
            if not self.document.edit(text, edits.distribute, nodes, across=across, sizes=sizes):
                self.window.problems.show_hint(
                    self.tr("The room between them is the same already.")
                )

    def _has_cards(self, fewest: int) -> bool:
        """Whether enough is selected; if not, say what is needed."""
        if len(self.document.selection.nodes) >= fewest:
            return True
        two, three = self.tr("Select two cards or more."), self.tr("Select three cards or more.")
        self.window.problems.show_hint(two if fewest == 2 else three)
        return False

    def carry(self) -> None:
        """The selected cards follow the pointer and the arrow keys until a click or Enter."""
        if not self.document.selection.nodes:
            self.window.problems.show_hint(self.tr("Select the cards to move."))
            return
        self.canvas.setFocus()
        self.canvas.carry()
        self.canvas.say(
            mark(
                "canvas",
                "Move the pointer or press arrows; a click or Enter ends it, Esc drops it.",
            )
        )

    def toggle_snapping(self) -> None:
        """Cards that are moved take the grid and line up with others, or no longer."""
        self.canvas.snapping = not self.canvas.snapping

    def _keep_snapping(self, on: bool) -> None:
        self.window.settings.snapping = on
        self.canvas.say(
            mark("canvas", "Cards take the grid and line up again.")
            if on
            else mark("canvas", "Cards go where they are dragged; Shift+Tab brings the grid back.")
        )

    def _tidy(self, ids: frozenset[str] | None) -> None:
        self.canvas.cancel_gesture()
        diagram = self.document.diagram
        sizes = self.window.framer.sizes(self.document.answer)
        self._began = time.monotonic()
        self.tidying.start(
            lambda cancelled: (diagram, layout.arrange(diagram, sizes, ids, cancelled))
        )

    def _on_tidying(self) -> None:
        if self.tidying.running:
            self._waiting.start()
        else:
            self._waiting.stop()

    def _show_progress(self) -> None:
        seconds = int(time.monotonic() - self._began)
        text = self.tr("Tidying… Esc stops it.")
        if seconds:
            text = self.tr("Tidying for {seconds} s… Esc stops it.").format(seconds=seconds)
        self.window.problems.show_hint(text)

    def _give_up(self) -> bool:
        if not self.tidying.running:
            return False
        self.tidying.cancel()
        self.window.problems.show_hint(self.tr("Tidying was stopped; nothing has moved."))
        return True

    def _on_changed(self, old: Diagram, new: Diagram) -> None:
        self.tidying.cancel()

    def _show_tidy(self, found: Any) -> None:
        asked, tidy = found
        if asked is not self.document.diagram:
            return
        if tidy is asked:
            self.window.say(message(mark("canvas", "This is tidy already.")))
            return
        seen = self._in_view(tidy.places)
        self.document.edit(mark("edit", "Tidy"), _taken, tidy)
        # The view moves only so that what the user looked at stays in it.
        if not seen <= self._in_view(seen):
            self.canvas.ensure_visible(seen)
        self.window.say(message(mark("canvas", "Tidied. Undo puts everything back.")))

    def _in_view(self, ids: Iterable[str]) -> set[str]:
        """Those whose whole card is in view."""
        view = self.canvas.sight.view()
        return {
            look.id
            for look in self.canvas.sight.looks(ids)
            if view.contains_rect(geometry.card_rect(look))
        }

    def _tidying_failed(self, error: BaseException) -> None:
        raise error


def _taken(diagram: Diagram, tidy: Diagram) -> Diagram:
    """What the thread has made of the diagram."""
    return tidy
