"""The film."""

from __future__ import annotations

from gradviz.edit import edits
from gradviz.engine import explain
from gradviz.gui.commands.base import Commands
from gradviz.text import mark


class Playing(Commands):
    """The film."""

    def play(self) -> None:
        """Play or pause."""
        self.player.toggle()

    def step_forward(self) -> None:
        """One step on."""
        self.player.forward()

    def step_back(self) -> None:
        """One step back."""
        self.player.back()

    def play_backwards(self) -> None:
        """Play towards the start, or pause."""
        self.player.toggle(backwards=True)

    def step_over(self) -> None:
        """To the end of the next operation."""
        self.player.over()

    def step_back_over(self) -> None:
        """To where the present operation began."""
        self.player.under()

    def step_into(self) -> None:
        """Go into the present step: the operations its rule is made of."""
        if not self.player.into() and not self.player.inside:
            self.window.say(explain.nothing_inside(self.document.answer, self.player.step))

    def step_out(self) -> None:
        """Back to the step as a whole."""
        self.player.out()

    def go_to_step(self) -> None:
        """Type the number of a step."""
        self.window.timeline.type_step()

    def run_to_here(self) -> None:
        """To where the selected node has its value or, later, its gradient."""
        only = self.document.selection.only
        if only is None:
            self.window.problems.show_hint(self.tr("Select the node to run to."))
        elif not self.player.run_to(only):
            self.window.problems.show_hint(self.tr("No step of the film is about this node."))

    def toggle_breakpoint(self) -> None:
        """Halt at the selected nodes, or no longer."""
        nodes = self.document.selection.nodes
        if not nodes:
            self.window.problems.show_hint(self.tr("Select the nodes to halt at."))
            return
        self.document.edit(mark("edit", "Breakpoint"), edits.toggle_breakpoint, nodes)

    def next_stop(self) -> None:
        """To the next place where the film halts."""
        if not self.player.to_next_stop():
            self._say_no_stop()

    def last_stop(self) -> None:
        """To the place before where the film halts."""
        if not self.player.to_last_stop():
            self._say_no_stop()

    def _say_no_stop(self) -> None:
        if self.player.stops.positions:
            text = self.tr("The film halts nowhere beyond here.")
        else:
            text = self.tr("The film halts nowhere yet: B sets a breakpoint, Halt at… has more.")
        self.window.problems.show_hint(text)

    def to_start(self) -> None:
        """Before the first step."""
        self.player.to_start()

    def to_boundary(self) -> None:
        """Between forward and backward."""
        self.player.to_boundary()

    def to_end(self) -> None:
        """After the last step."""
        self.player.to_end()

    def run(self) -> None:
        """Play the whole film."""
        self.player.to_start()
        self.player.play()
