"""Help."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox

import gradviz
from gradviz.gui.commands.base import Commands
from gradviz.gui.help import KeysDialog


class Helping(Commands):
    """Help."""

    def show_keys(self) -> None:
        """Keys, the rules of typed mathematics, and limits."""
        KeysDialog(self.window, self.window.keys_in_use).exec()

    def about(self) -> None:
        """What this is."""
        text = self.tr("Build a computation graph, run it, and watch how the gradient is computed.")
        self._inform(f"gradviz {gradviz.__version__}", text)

    def _inform(self, title: str, text: str) -> None:
        box = QMessageBox(
            QMessageBox.Icon.NoIcon, title, title, QMessageBox.StandardButton.Ok, self.window
        )
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setInformativeText(text)
        box.exec()
