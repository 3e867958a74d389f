"""Choosing cards."""

from __future__ import annotations

from gradviz.gui.commands.base import Commands
from gradviz.gui.document import Selection


class Selecting(Commands):
    """Choosing cards."""

    def select_all(self) -> None:
        """Select every node."""
        self.document.select(Selection(frozenset(self.document.diagram.graph.nodes)))
