"""Choosing cards."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gradviz.graph import walk
from gradviz.graph.model import Graph
from gradviz.gui.commands.base import Commands
from gradviz.gui.document import Selection
from gradviz.text import mark


class Selecting(Commands):
    """Choosing cards."""

    def select_all(self) -> None:
        """Select every node."""
        self.document.select(Selection(frozenset(self.document.diagram.graph.nodes)))

    def select_none(self) -> None:
        """Select nothing."""
        self.document.select(Selection())

    def invert_selection(self) -> None:
        """Select what is not selected, and nothing else."""
        every = frozenset(self.document.diagram.graph.nodes)
        self.document.select(Selection(every - self.document.selection.nodes))

    def select_upstream(self) -> None:
        """Select what the selected nodes are computed from, too."""
        self._reach(walk.ancestors)

    def select_downstream(self) -> None:
        """Select what is computed from the selected nodes, too."""
        self._reach(walk.descendants)

    def _reach(self, reached: Callable[[Graph, Iterable[str]], set[str]]) -> None:
        selection = self.document.selection
        graph = self.document.diagram.graph
        nodes = selection.nodes
        if selection.wire is not None:
            source = graph[selection.wire.node].inputs[selection.wire.index]
            ends = {selection.wire.node} | ({source.node} if source is not None else set())
            nodes = frozenset(ends)
        if not nodes:
            self.window.problems.show_hint(self.tr("Select a node, or a wire, to start from."))
            return
        self.document.select(Selection(frozenset(reached(graph, nodes))))

    def lasso(self) -> None:
        """The next drag selects what it goes round."""
        self.canvas.armed = "" if self.canvas.armed == "lasso" else "lasso"
        if self.canvas.armed:
            self.canvas.say(mark("canvas", "Drag round the cards to select; Esc puts it away."))
