"""Wires of what is selected: cut, joined, led elsewhere; nodes taken out of theirs."""

from __future__ import annotations

from gradviz.edit import edits
from gradviz.gui.canvas.leading import add_point
from gradviz.gui.commands.base import Commands
from gradviz.gui.document import Selection
from gradviz.picture import curve
from gradviz.text import Text, mark, message


class Wiring(Commands):
    """Wires of what is selected: cut, joined, led elsewhere; nodes taken out of theirs."""

    def knife(self) -> None:
        """The next drag cuts the wires it crosses."""
        self.canvas.armed = "" if self.canvas.armed == "knife" else "knife"
        if self.canvas.armed:
            self.canvas.say(
                mark("canvas", "Drag across the wires to cut; Esc puts the knife away.")
            )

    def break_wires(self) -> None:
        """Remove the selected wire, or every wire of the selected nodes."""
        selection = self.document.selection
        ends = edits.wires_of(self.document.diagram.graph, selection.nodes)
        if selection.wire is not None:
            ends = (selection.wire,)
        if not ends:
            self._say(mark("canvas", "Select a wire, or nodes that have wires."))
            return
        text = mark("edit", "Remove wires") if len(ends) > 1 else mark("edit", "Remove a wire")
        kept = Selection(selection.nodes)
        self.document.edit(text, edits.cut, ends, select=kept)

    def pull_out(self) -> None:
        """Take the selected nodes out of their wires, which close behind them."""
        nodes = self.document.selection.nodes
        if not edits.wires_of(self.document.diagram.graph, nodes):
            self._say(mark("canvas", "Select nodes that have wires."))
            return
        before = self.document.diagram
        if self.document.edit(mark("edit", "Pull out of the wires"), edits.pull_out, nodes):
            opened = [
                end
                for end in edits.left_open(before, self.document.diagram)
                if end.node not in nodes
            ]
            self._say_open(len(opened))

    def delete_and_heal(self) -> None:
        """Delete the selected nodes; what fed them feeds what they fed, where that fits."""
        nodes = self.document.selection.nodes
        if not nodes:
            self.canvas.delete_selection()
            return
        before = self.document.diagram
        step = mark("edit", "Delete and close the gap")
        if self.document.edit(step, edits.delete_and_heal, nodes, select=Selection()):
            self._say_open(len(edits.left_open(before, self.document.diagram)))

    def _say_open(self, count: int) -> None:
        if count == 1:
            self._say(mark("canvas", "One input is open now: nothing that was left fits there."))
        elif count:
            said = mark("canvas", "{count} inputs are open now: nothing that was left fits there.")
            self.window.say(message(said, count=count))

    def join(self) -> None:
        """Wire the open inputs of the selected nodes to those on their left."""
        nodes = self.document.selection.nodes
        self.document.edit(mark("edit", "Join"), edits.join, nodes)

    def lead_wire(self) -> None:
        """Give the selected wire a point in its middle, to lead it by."""
        end = self.document.selection.wire
        wire = self.canvas.sight.wire(end) if end is not None else None
        if end is None or wire is None:
            self._say(mark("canvas", "Select the wire to lead elsewhere."))
            return
        add_point(self.canvas, end, curve.point_at(wire.curve, 0.5))
        self._say(mark("canvas", "Arrows move the points of the selected wire."))

    def straighten_wire(self) -> None:
        """Lead the selected wire, or those of the selected nodes, through no point any more."""
        selection = self.document.selection
        ends = edits.wires_of(self.document.diagram.graph, selection.nodes)
        if selection.wire is not None:
            ends = (selection.wire,)
        step = mark("edit", "Straighten wires")
        if not self.document.edit(step, edits.set_routes, dict.fromkeys(ends, ())):
            self._say(mark("canvas", "No selected wire is led through a point."))

    def _say(self, text: Text) -> None:
        self.canvas.say(text)
