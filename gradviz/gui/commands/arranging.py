"""Where cards are."""

from __future__ import annotations

from gradviz.edit import layout
from gradviz.gui.commands.base import Commands
from gradviz.text import mark


class Arranging(Commands):
    """Where cards are."""

    def arrange(self) -> None:
        """Lay out the whole graph."""
        sizes = self.window.framer.sizes(self.document.answer)
        if self.document.edit(mark("edit", "Arrange"), layout.arrange, sizes):
            self.canvas.fit_all()
