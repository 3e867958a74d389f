"""Undo, deleting, renaming."""

from __future__ import annotations

from gradviz.gui.commands.base import Commands


class Editing(Commands):
    """Undo, deleting, renaming."""

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

    def delete(self) -> None:
        """Delete the selection."""
        self.canvas.delete_selection()

    def rename(self) -> None:
        """Edit the selected cell, or the name of the selected node."""
        self.canvas.entry.edit_selection(name=True)
