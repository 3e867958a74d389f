"""The one bridge between core and window: the current diagram, its history, its answer, its file."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal

from gradviz.edit.history import History
from gradviz.engine.answer import Answer, answer, prepare
from gradviz.engine.run import Run
from gradviz.errors import GradvizError
from gradviz.files import native
from gradviz.graph.model import Diagram, InPort
from gradviz.text import Message, Text

WORKER_NODES = 300
BandName = Literal["value", "gradient"]


@dataclass(frozen=True, slots=True)
class CellRef:
    """One cell of a node's value or gradient; `index` has one entry per axis."""

    node: str
    band: BandName
    index: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """What is selected: nodes, or one wire (by its end), or one cell (whose node is in `nodes` too)."""

    nodes: frozenset[str] = frozenset()
    wire: InPort | None = None
    cell: CellRef | None = None

    @property
    def only(self) -> str | None:
        """The one node that is selected."""
        return next(iter(self.nodes)) if len(self.nodes) == 1 else None


class Document(QObject):
    """What the window shows. Every change goes through `edit`, `undo`, `redo`, `new` or `open`.

    changed(old, new)  the diagram is another one
    answered()         `answer` belongs to the present diagram (after `changed`, at once for small graphs)
    selected()         `selection` is another one
    status()           path, clean mark, undo and redo texts or `failure` may have changed
    refused(message)   an edit was refused; nothing changed
    """

    changed = Signal(object, object)
    answered = Signal()
    selected = Signal()
    status = Signal()
    refused = Signal(object)
    _computed = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        empty = Diagram()
        self._history: History[Selection] = History(empty, Selection())
        self._selection = Selection()
        self._answer = answer(empty)
        self._failure: Message | None = None
        self._worker = ThreadPoolExecutor(1, "gradviz-run")
        self._cancel = Event()
        self._computed.connect(self._receive)
        self.settle: Callable[[Diagram], Diagram] | None = None
        """Makes room where a source has got another shape, and its card grew; a part of the same step."""
        self.path: Path | None = None
        self.title: Text | str = ""
        self.view: dict[str, Any] = {}

    @property
    def diagram(self) -> Diagram:
        """The present diagram."""
        return self._history.diagram

    @property
    def answer(self) -> Answer:
        """The last answer; it is of the present diagram unless `computing`."""
        return self._answer

    @property
    def computing(self) -> bool:
        """Whether the answer is still that of an earlier diagram."""
        return self._answer.diagram is not self.diagram

    @property
    def failure(self) -> Message | None:
        """Why the present diagram could not be computed at all."""
        return self._failure

    @property
    def selection(self) -> Selection:
        """What is selected now."""
        return self._selection

    @property
    def is_clean(self) -> bool:
        """Whether the file holds the present diagram."""
        return self._history.is_clean

    @property
    def history(self) -> History[Selection]:
        """The steps, for showing them; they change through this document only."""
        return self._history

    @property
    def undo_text(self) -> Text | str | None:
        """The name of the step that undo takes back."""
        return self._history.undo_text

    @property
    def redo_text(self) -> Text | str | None:
        """The name of the step that redo does again."""
        return self._history.redo_text

    def select(self, selection: Selection) -> None:
        """Select; ids that are not in the graph are left out."""
        known = self._known(selection)
        if known != self._selection:
            self._selection = known
            self.seal()
            self.selected.emit()

    def _known(self, selection: Selection) -> Selection:
        graph = self.diagram.graph
        nodes = frozenset(id for id in selection.nodes if id in graph)
        wire = selection.wire
        if wire is not None and (
            wire.node not in graph or wire.index >= len(graph[wire.node].inputs)
        ):
            wire = None
        cell = (
            selection.cell if selection.cell is not None and selection.cell.node in nodes else None
        )
        return Selection(nodes, wire, cell)

    def edit(
        self,
        text: Text,
        function: Callable[..., Diagram],
        *arguments: Any,
        merge: object = None,
        select: Selection | None = None,
        select_new: bool = False,
        **keywords: Any,
    ) -> bool:
        """Apply an edit as one undoable step called `text`; False if it was refused or changes nothing.

        Steps with an equal `merge` key (not None) in a row are one, until something else is selected. `select` is the
        selection afterwards; with `select_new`, the nodes are that were not there before. Redo brings it back.
        """
        try:
            new = function(self.diagram, *arguments, **keywords)
        except GradvizError as error:
            self.refused.emit(error.message)
            return False
        old = self.diagram
        if new is old:
            return False
        if self.settle is not None and _reshaped(old, new):
            new = self.settle(new)
        before = self._selection
        after = select if select is not None else before
        if select_new:
            after = Selection(frozenset(new.graph.nodes.keys() - old.graph.nodes.keys()))
        self._history.push(text, new, before, after, merge)
        self._show(old, self.diagram, after)
        return True

    def undo(self) -> None:
        """Show the diagram before the last step; at the bottom, nothing happens."""
        self._travel(self._history.undo)

    def redo(self) -> None:
        """Show the diagram after the step that was undone."""
        self._travel(self._history.redo)

    def jump(self, cursor: int) -> None:
        """Undo or redo until so many steps are done."""
        self._travel(lambda: self._history.jump(cursor))

    def _travel(self, move: Callable[[], Selection | None]) -> None:
        old = self.diagram
        selection = move()
        if selection is not None:
            self._show(old, self.diagram, selection)

    def seal(self) -> None:
        """End a run of merging steps: the next one stands for itself."""
        self._history.seal()

    def start(
        self, diagram: Diagram, path: Path | None = None, view: dict[str, Any] | None = None
    ) -> None:
        """Begin anew with a diagram: no history, clean."""
        old = self.diagram
        self._history = History(diagram, Selection())
        self.path = path
        self.view = dict(view or {})
        self._show(old, diagram, Selection())

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all; raises FileError."""
        native.save(path, self.diagram, self.view)
        self.path = path
        self._history.mark_clean()
        self.status.emit()

    def _show(self, old: Diagram, new: Diagram, selection: Selection) -> None:
        try:
            self._compute(new)
        finally:
            # Whatever goes wrong in computing: what is shown is what undo and save go by.
            self._tell(old, new, selection)

    def _tell(self, old: Diagram, new: Diagram, selection: Selection) -> None:
        self._selection = self._known(selection)
        self.changed.emit(old, new)
        if not self.computing:
            self.answered.emit()
        self.selected.emit()
        self.status.emit()

    def _compute(self, diagram: Diagram) -> None:
        self._cancel.set()
        self._cancel = cancel = Event()
        if len(diagram.graph) <= WORKER_NODES:
            self._take(diagram, *_answer(diagram, self._answer, cancel))
            return
        future = self._worker.submit(_answer, diagram, self._answer, cancel)
        future.add_done_callback(lambda done: self._announce(diagram, done))

    def _announce(self, diagram: Diagram, done: Future[tuple[Answer, Message | None]]) -> None:
        if not done.cancelled():
            self._computed.emit(diagram, done)

    def _receive(self, diagram: Diagram, done: Future[tuple[Answer, Message | None]]) -> None:
        if diagram is self.diagram:
            self._take(diagram, *done.result())
            self.answered.emit()
            self.status.emit()

    def _take(self, diagram: Diagram, found: Answer, failure: Message | None) -> None:
        self._answer = found
        self._failure = failure

    def close(self) -> None:
        """Stop what runs; call it before the window goes."""
        self._cancel.set()
        self._worker.shutdown(wait=True, cancel_futures=True)


def _reshaped(old: Diagram, new: Diagram) -> bool:
    """Whether a source that was there has got another shape."""
    if old.values is new.values:
        return False
    return any(
        id in old.values and old.values[id].shape != array.shape for id, array in new.values.items()
    )


def _answer(diagram: Diagram, previous: Answer, cancel: Event) -> tuple[Answer, Message | None]:
    """The answer; for a diagram that cannot be computed at all, one without numbers, and why."""
    try:
        return answer(diagram, previous, cancel.is_set), None
    except GradvizError as error:
        failure = error.message
    try:
        return Answer(diagram, prepare(diagram), Run({})), failure
    except GradvizError:
        return Answer(diagram, prepare(replace(diagram, queries=())), Run({})), failure
