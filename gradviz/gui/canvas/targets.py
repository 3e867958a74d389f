"""Which ports a wire may end at, asked once each while the wire is drawn."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.edit import edits
from gradviz.engine.check import infer
from gradviz.errors import GradvizError
from gradviz.graph.model import InPort, OutPort, Place
from gradviz.gui.document import Document
from gradviz.ops.op import Op
from gradviz.text import Message

AnyPort = OutPort | InPort


class Targets:
    """For a wire that starts at `start`; `picked` is the input it was taken off."""

    def __init__(self, document: Document, start: AnyPort, picked: InPort | None = None) -> None:
        diagram = document.diagram
        self._diagram = edits.disconnect(diagram, picked) if picked is not None else diagram
        self._specs = infer(self._diagram.graph, document.answer.specs)
        self._start = start
        self._known: dict[AnyPort, Message | None] = {}

    def refusal(self, port: AnyPort) -> Message | None:
        """Why the wire cannot end at `port`; None if it can."""
        if port not in self._known:
            self._known[port] = self._refusal(port)
        return self._known[port]

    def _refusal(self, port: AnyPort) -> Message | None:
        source, target = (
            (self._start, port) if isinstance(self._start, OutPort) else (port, self._start)
        )
        if not isinstance(source, OutPort) or not isinstance(target, InPort):
            return None
        return edits.refusal(self._diagram, source, target, self._specs)

    def legal(self, ports: Iterable[AnyPort]) -> list[AnyPort]:
        """The ports the wire may end at."""
        return [port for port in ports if self.refusal(port) is None]

    def takes(self, op: Op) -> bool:
        """Whether a new node of that op could be wired to the start."""
        if isinstance(self._start, InPort):
            return True
        if op.is_source:
            return False
        try:
            trial, id = edits.add_node(self._diagram, op.name, Place(0, 0))
        except GradvizError:
            return False
        return edits.refusal(trial, self._start, InPort(id, 0)) is None
