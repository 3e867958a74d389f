"""The clipboard, and doubles."""

from __future__ import annotations

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication

from gradviz.edit import edits
from gradviz.graph.model import Place
from gradviz.gui import copying, paste
from gradviz.gui.commands.base import Commands
from gradviz.gui.document import Selection
from gradviz.picture import geometry
from gradviz.picture.plane import ORIGIN, Rect
from gradviz.text import mark


class Copying(Commands):
    """The clipboard, and doubles."""

    def cut(self) -> None:
        """Copy nodes, then delete them: one step. Numbers are only copied."""
        nodes = self.document.selection.nodes
        if self.copy() and self.document.selection.cell is None:
            self.document.edit(mark("edit", "Cut"), edits.delete, nodes, select=Selection())

    def copy(self) -> bool:
        """Put the selection on the clipboard; False if there is nothing to copy."""
        if paste.copy(self.document):
            return True
        if self.document.selection.wire is not None:
            self.canvas.say(mark("paste", "A wire is copied with the nodes at both its ends."))
        else:
            self.canvas.say(mark("paste", "Select the nodes to copy."))
        return False

    def paste(self) -> None:
        """Put in what the clipboard holds, as decision 32 says."""
        self._paste()

    def paste_with_inputs(self) -> None:
        """Put nodes in, wired to what they read where they were copied."""
        self._paste(keep_inputs=True)

    def _paste(self, *, keep_inputs: bool = False) -> None:
        # Qt gives nothing at all for a clipboard that holds nothing.
        data = QGuiApplication.clipboard().mimeData() or QMimeData()
        self.canvas.paste(data, self.canvas.pointer.place, keep_inputs=keep_inputs)

    def duplicate(self) -> None:
        """The selected nodes once more."""
        self._duplicate()

    def duplicate_with_inputs(self) -> None:
        """The selected nodes once more, reading what the first ones read."""
        self._duplicate(keep_inputs=True)

    def _duplicate(self, *, keep_inputs: bool = False) -> None:
        nodes = self.document.selection.nodes
        looks = self.canvas.sight.looks(nodes)
        if not looks:
            self.canvas.say(mark("paste", "Select the nodes to duplicate."))
            return
        corner = Rect.around(map(geometry.card_rect, looks))[:2]
        copying.duplicate(
            self.document,
            nodes,
            lambda trial, new: self.canvas.landing.offset(
                trial, new, Place(*corner), lambda _: ORIGIN
            ),
            keep_inputs=keep_inputs,
        )
        self.canvas.say_if_out_of_view()
