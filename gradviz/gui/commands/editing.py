"""Undo, the clipboard, deleting, renaming."""

from __future__ import annotations

from gradviz.gui import paste
from gradviz.gui.commands.base import Commands


class Editing(Commands):
    """Undo, the clipboard, deleting, renaming."""

    def undo(self) -> None:
        """Take back the last step; during a gesture, the gesture only."""
        if not self.canvas.cancel_gesture():
            self.document.undo()

    def redo(self) -> None:
        """Do the step again that was taken back; during a gesture, drop the gesture only."""
        if not self.canvas.cancel_gesture():
            self.document.redo()

    def show_history(self) -> None:
        """The list of all steps, to go to any of them."""
        self.window.show_dock("history")
        self.window.history.view.setFocus()

    def cut(self) -> None:
        """Copy, then delete."""
        if self.copy():
            self.canvas.delete_selection()

    def copy(self) -> bool:
        """Put the selection on the clipboard; False if there is nothing to copy."""
        return paste.copy(self.document)

    def paste(self) -> None:
        """Put in what the clipboard holds, as decision 32 says."""
        said = paste.paste(self.document, self.canvas.pointer.place, self.window.framer.sizes)
        if said is not None:
            self.window.say(said)

    def delete(self) -> None:
        """Delete the selection."""
        self.canvas.delete_selection()

    def rename(self) -> None:
        """Edit the selected cell, or the name of the selected node."""
        self.canvas.entry.edit_selection(name=True)
