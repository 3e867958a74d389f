"""Where new cards land: measured as they will be shown, and put where they are wanted, in view, on nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final

from gradviz.edit import clipboard, landing
from gradviz.edit.layout import Box
from gradviz.engine.answer import Answer, answer
from gradviz.errors import GradvizError
from gradviz.graph.model import Diagram, Place
from gradviz.gui.canvas.sight import Sight
from gradviz.gui.document import WORKER_NODES, Document
from gradviz.gui.translate import tr
from gradviz.picture.boxes import Arrangement
from gradviz.picture.frame import Framer
from gradviz.picture.plane import Point, Rect

EDGE: Final = 12.0
"""As near to the edge of the view, in pixels of the screen, new cards come."""
Sizes = Mapping[str, tuple[float, float]]
Grip = Callable[[Mapping[str, Arrangement]], Point]
"""Which point of the new card shall lie under the pointer, told by how it is arranged."""


class Landing:
    """Asks how large new cards are, and where there is room for them."""

    def __init__(self, document: Document, sight: Sight) -> None:
        self._document = document
        self._sight = sight
        self._framer = Framer(tr)

    def at(self, wanted: Place) -> Callable[[Diagram, Collection[str]], Place]:
        """How far to move new cards of a diagram so that the middle of them is at a place, or near it."""
        return lambda trial, ids: self.offset(trial, ids, wanted)

    def offset(
        self, trial: Diagram, ids: Collection[str], at: Place, grip: Grip | None = None
    ) -> Place:
        """How far to move the cards `ids` of a diagram; the point that is held is then at `at`, or near it."""
        arranged = self._arranged(trial, ids)
        known = self._sight.sizes()
        sizes = {**known, **{id: found.size for id, found in arranged.items()}}
        body = landing.block(trial, ids, sizes)
        held = (
            grip(arranged)
            if grip is not None and arranged
            else Point(body.width / 2, body.height / 2)
        )
        corner = Place(at.x - held.x, at.y - held.y)
        return landing.offset(trial, ids, corner, sizes, self._view())

    def _view(self) -> Box:
        view: Rect = self._sight.view().grown(-EDGE / self._sight.camera.scale)
        return Box(*view)

    def _arranged(self, trial: Diagram, ids: Collection[str]) -> Mapping[str, Arrangement]:
        """How the new cards will be arranged; in a large graph, as if they were alone."""
        for diagram in (trial, clipboard.cut_out(trial, ids)):
            found = self._answer(diagram) if len(diagram.graph) <= WORKER_NODES else None
            if found is not None:
                arranged = self._framer.arranged(found)
                return {id: arranged[id] for id in ids if id in arranged}
        return {}

    def _answer(self, diagram: Diagram) -> Answer | None:
        try:
            return answer(diagram, self._document.answer)
        except GradvizError:
            return None
