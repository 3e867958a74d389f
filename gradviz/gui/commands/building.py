"""New nodes and new numbers."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from gradviz.edit import edits
from gradviz.graph.model import Diagram
from gradviz.gui.commands.base import Commands
from gradviz.text import mark

if TYPE_CHECKING:
    from gradviz.gui.main_window import MainWindow


class Building(Commands):
    """New nodes and new numbers."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.canvas.types_to_add = window.settings.types_to_add

    def add(self) -> None:
        """Type the name of an operation to add at the pointer."""
        self.canvas.entry.offer()

    def toggle_type_to_add(self) -> None:
        """Let letters typed on the canvas add, or be commands."""
        types = not self.canvas.types_to_add
        self.canvas.types_to_add = self.window.settings.types_to_add = types
        if types:
            self.canvas.say(mark("canvas", "Letters typed on the canvas now add an operation."))
        else:
            self.canvas.say(mark("canvas", "Letters typed on the canvas are commands again."))

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
