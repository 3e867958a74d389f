"""The question: the gradients of what, by what; and whether they are right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradviz.edit import edits
from gradviz.engine import gradcheck
from gradviz.graph.model import Diagram, OutPort
from gradviz.gui.commands.base import Commands
from gradviz.gui.tasks import Task
from gradviz.text import mark

if TYPE_CHECKING:
    from gradviz.gui.main_window import MainWindow


class Asking(Commands):
    """The question: the gradients of what, by what; and whether they are right."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.checker = Task(self)
        self.checker.done.connect(self._show_verdicts)
        self.checker.failed.connect(self._check_failed)
        self.document.changed.connect(self._on_changed)

    def stop(self) -> None:
        self.checker.close()

    def _on_changed(self, old: Diagram, new: Diagram) -> None:
        self.checker.cancel()
        self.window.problems.set_verdict("")

    def make_target(self) -> None:
        """Ask for the gradients of the selected node."""
        only = self.document.selection.only
        if only is None:
            self.window.problems.show_hint(self.tr("Select the node whose gradients you want."))
            return
        if not self.document.answer.specs.is_float(OutPort(only)):
            self.window.problems.show_hint(self.tr("Only a float can be differentiated."))
            return
        self.document.edit(mark("edit", "Choose the target"), edits.set_query, of=(only,))

    def toggle_wrt(self) -> None:
        """Differentiate by the selected nodes too, or no longer."""
        chosen = self.document.selection.nodes
        if not chosen:
            self.window.problems.show_hint(self.tr("Select the nodes to differentiate by."))
            return
        present = [port.node for port in self.document.answer.question.wrt]
        if chosen <= set(present):
            wrt = tuple(id for id in present if id not in chosen)
        else:
            wrt = (
                *present,
                *(
                    id
                    for id in self.document.diagram.graph.nodes
                    if id in chosen and id not in present
                ),
            )
        self.document.edit(
            mark("edit", "Choose what to differentiate by"), edits.set_query, wrt=wrt
        )

    def check(self) -> None:
        """Compare the gradients with finite differences; again, while it runs, cancels."""
        if self.checker.running:
            self.checker.cancel()
            self.window.problems.set_verdict("")
            return
        answer = self.document.answer
        self.window.problems.set_verdict(self.tr("checking… (F7 cancels)"))
        self.checker.start(lambda cancelled: (answer, gradcheck.check(answer, cancelled=cancelled)))

    def _show_verdicts(self, found: Any) -> None:
        answer, verdicts = found
        if answer.diagram is self.document.diagram:
            self.window.problems.show_verdicts(answer, verdicts)

    def _check_failed(self, error: BaseException) -> None:
        self.window.problems.set_verdict("")
        raise error
