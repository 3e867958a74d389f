"""What all commands are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from gradviz.gui.main_window import MainWindow


class Commands(QObject):
    """The commands of one field: the action `undo` does what the method `undo` of one of these classes does."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window = window
        self.document = window.document
        self.canvas = window.canvas
        self.player = window.player

    def stop(self) -> None:
        """The window goes: stop what runs."""
