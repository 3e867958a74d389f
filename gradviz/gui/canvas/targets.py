"""Which ports a wire may end at, asked once each while the wire is drawn."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.edit import edits
from gradviz.engine.check import infer
from gradviz.errors import GradvizError
from gradviz.graph.model import Diagram, InPort, OutPort, Place
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
        self.start = start
        self._known: dict[AnyPort, Message | None] = {}
        self._entries: dict[str, int | None] = {}

    def refusal(self, port: AnyPort) -> Message | None:
        """Why the wire cannot end at `port`; None if it can."""
        if port not in self._known:
            source, target = (
                (self.start, port) if isinstance(self.start, OutPort) else (port, self.start)
            )
            assert isinstance(source, OutPort)
            assert isinstance(target, InPort)
            self._known[port] = edits.refusal(self._diagram, source, target, self._specs)
        return self._known[port]

    def legal(self, ports: Iterable[AnyPort]) -> list[AnyPort]:
        """The ports the wire may end at."""
        return [port for port in ports if self.refusal(port) is None]

    def takes(self, op: Op) -> bool:
        """Whether a new node of that op could be wired to the start."""
        return self.entry(op.name) is not None

    def entry(self, op: str) -> int | None:
        """The port by which a new node of that op would be wired to the start, the first that fits."""
        if op not in self._entries:
            self._entries[op] = self._entry(op)
        return self._entries[op]

    def wired(self, diagram: Diagram, id: str) -> Diagram:
        """`diagram` with its new node wired to the start."""
        port = self.entry(diagram.graph[id].op) or 0
        if isinstance(self.start, InPort):
            return edits.connect(diagram, OutPort(id, port), self.start)
        return edits.connect(diagram, self.start, InPort(id, port))

    def _entry(self, op: str) -> int | None:
        try:
            trial, id = edits.add_node(self._diagram, op, Place(0, 0))
        except GradvizError:
            return None
        specs = infer(trial.graph, self._specs)
        ends: list[tuple[OutPort, InPort]]
        if isinstance(self.start, InPort):
            ends = [(OutPort(id), self.start)]
        else:
            ends = [(self.start, InPort(id, i)) for i in range(len(trial.graph[id].inputs))]
        fitting = (i for i, end in enumerate(ends) if edits.refusal(trial, *end, specs) is None)
        return next(fitting, None)
