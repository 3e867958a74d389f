"""New nodes and new numbers."""

from __future__ import annotations

import secrets

from gradviz.edit import edits
from gradviz.graph.model import Diagram
from gradviz.gui.commands.base import Commands
from gradviz.text import mark


class Building(Commands):
    """New nodes and new numbers."""

    def add(self) -> None:
        """Type the name of an operation to add at the pointer."""
        self.canvas.entry.offer()

    def type_expression(self) -> None:
        """Go to the expression bar."""
        self.window.expression.focus()

    def draw_again(self) -> None:
        """New random numbers for the selected random nodes, or for all of them."""
        graph = self.document.diagram.graph
        chosen = [id for id in self.document.selection.nodes if graph[id].op == "random_normal"]
        chosen = chosen or [node.id for node in graph if node.op == "random_normal"]
        if not chosen:
            self.window.problems.show_hint(self.tr("There are no random numbers to draw again."))
            return
        self.document.edit(mark("edit", "Draw again"), _drawn_again, chosen)


def _drawn_again(diagram: Diagram, ids: list[str]) -> Diagram:
    for id in ids:
        diagram = edits.draw_again(diagram, id, secrets.randbelow(2**32))
    return diagram
