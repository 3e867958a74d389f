"""Where new cards land: measured as they will be shown, and put where they are wanted, in view, on nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from gradviz.edit import clipboard, edits, grid, landing, layout
from gradviz.edit.layout import Box
from gradviz.engine.answer import Answer, answer
from gradviz.errors import GradvizError
from gradviz.graph.model import Diagram, InPort, Place
from gradviz.gui.canvas.sight import Sight
from gradviz.gui.document import WORKER_NODES, Document
from gradviz.gui.translate import tr
from gradviz.picture.boxes import Arrangement
from gradviz.picture.frame import Framer
from gradviz.picture.plane import Point, Rect
from gradviz.text import Text

EDGE: Final = 12.0
"""As near to the edge of the view, in pixels of the screen, new cards come."""
Sizes = Mapping[str, tuple[float, ...]]
Grip = Callable[[Mapping[str, Arrangement]], Point]
"""Which point of the new card shall lie under the pointer, told by how it is arranged."""


class Landing:
    """Asks how large new cards are, and where there is room for them."""

    def __init__(self, document: Document, sight: Sight) -> None:
        self._document = document
        self._sight = sight
        self._framer = Framer(tr)
        document.settle = self.settled

    def at(self, wanted: Place) -> Callable[[Diagram, Collection[str]], Place]:
        """How far to move new cards of a diagram so that the middle of them is at a place, or near it."""
        return lambda trial, ids: self.offset(trial, ids, wanted)

    def offset(
        self, trial: Diagram, ids: Collection[str], at: Place, grip: Grip | None = None
    ) -> Place:
        """How far to move the cards `ids` of a diagram; the point that is held is then at `at`, or near it."""
        arranged = self._measured(trial, ids)
        sizes = self._sizes(arranged)
        body = landing.block(trial, ids, sizes)
        return landing.offset(
            trial, ids, _corner(_of(arranged, ids), body, at, grip), sizes, self._view()
        )

    def put_between(self, text: Text, id: str, place: Place, end: InPort) -> bool:
        """Put a card of the document at a place, into the wire that ends at `end`; what it would cover makes way."""

        def put(diagram: Diagram) -> Diagram:
            moved = edits.move(diagram, {id: place})
            put_in = edits.insert_on_wire(moved, id, end)
            return self._with_room(put_in, id, self._sizes(self._measured(put_in, {id})))

        return self._document.edit(text, put)

    def new_between(
        self, text: Text, put: Callable[[Diagram], tuple[Diagram, str]], at: Place, grip: Grip
    ) -> bool:
        """Add a card that `put` puts into a wire, held at `at`; what it would cover makes way. It is selected."""

        def build(diagram: Diagram) -> Diagram:
            grown, id = put(diagram)
            arranged = self._measured(grown, {id})
            sizes = self._sizes(arranged)
            body = landing.block(grown, {id}, sizes)
            placed = edits.move(grown, {id: _corner(_of(arranged, [id]), body, at, grip)})
            return self._with_room(placed, id, sizes)

        return self._document.edit(text, build, select_new=True)

    def settled(self, diagram: Diagram) -> Diagram:
        """What a card that grew has come to cover goes below it; all others stay."""
        arranged = self._measured(diagram, ())
        known = self._sight.sizes()
        grown = [
            id
            for id, found in arranged.items()
            if id in known and (found.width > known[id][0] or found.height > known[id][1])
        ]
        return layout.push_apart(diagram, self._sizes(arranged)) if grown else diagram

    def _with_room(self, diagram: Diagram, id: str, sizes: Sizes) -> Diagram:
        """What the card covers makes way, and what others cover that grew: their numbers may be longer now."""
        grown = {
            other
            for other, size in self._sight.sizes().items()
            if other in diagram.places and (sizes[other][0] > size[0] or sizes[other][1] > size[1])
        }
        return landing.make_way(landing.make_room(diagram, id, sizes), grown - {id}, sizes)

    def _sizes(self, arranged: Mapping[str, Arrangement]) -> Sizes:
        return {**self._sight.sizes(), **{id: found.size for id, found in arranged.items()}}

    def _view(self) -> Box:
        view: Rect = self._sight.view().grown(-EDGE / self._sight.camera.scale)
        return Box(*view)

    def arranged(self, trial: Diagram, ids: Collection[str]) -> Mapping[str, Arrangement]:
        """How the new cards `ids` will be arranged."""
        return _of(self._measured(trial, ids), ids)

    def _measured(self, trial: Diagram, ids: Collection[str]) -> Mapping[str, Arrangement]:
        """How all cards will be arranged; in a large graph the new ones, as if they were alone."""
        for diagram in (trial, clipboard.cut_out(trial, ids)):
            found = self._answer(diagram) if len(diagram.graph) <= WORKER_NODES else None
            if found is not None:
                return self._framer.arranged(found)
        return {}

    def _answer(self, diagram: Diagram) -> Answer | None:
        try:
            return answer(diagram, self._document.answer)
        except GradvizError:
            return None


def _corner(arranged: Mapping[str, Arrangement], body: Box, at: Place, grip: Grip | None) -> Place:
    """The corner of cards that are held at `at`: by the point that `grip` tells, else by their middle."""
    middle = Point(body.width / 2, body.height / 2)
    held = grip(arranged) if grip is not None and arranged else middle
    return Place(grid.nearest(at.x - held.x), grid.nearest(at.y - held.y))


def _of(arranged: Mapping[str, Arrangement], ids: Iterable[str]) -> Mapping[str, Arrangement]:
    return {id: arranged[id] for id in ids if id in arranged}
