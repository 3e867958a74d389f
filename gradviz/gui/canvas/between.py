"""A card that is let go on a wire goes in between: which wire takes it is seen before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from gradviz.edit import edits
from gradviz.edit.wires import takes_inputs
from gradviz.engine.check import infer
from gradviz.errors import GradvizError
from gradviz.graph.model import Diagram, InPort
from gradviz.picture import curve
from gradviz.picture.boxes import Arrangement
from gradviz.picture.colours import clear
from gradviz.picture.pen import line_pen
from gradviz.picture.plane import Point, Rect
from gradviz.picture.wire import wire_path
from gradviz.text import Message

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

GLOW: Final = 12.0
RING: Final = 11.0
ALONE: Final = Qt.KeyboardModifier.AltModifier
"""While this key is held, a card goes on no wire."""


class Between:
    """For the node `id` of a diagram: the document's, or one in which the node is tried.

    `is_able` tells whether it can go on a wire at all: it has an input, and no wires. `end` is that of the wire it is
    over.
    """

    def __init__(self, canvas: Canvas, diagram: Diagram, id: str) -> None:
        self._canvas = canvas
        self._diagram = diagram
        self._id = id
        self._specs = infer(diagram.graph, canvas.document.answer.specs)
        self._known: dict[InPort, Message | None] = {}
        self.end: InPort | None = None
        node = diagram.graph[id]
        self.is_able = (
            takes_inputs(node) and not any(node.inputs) and not diagram.graph.consumers_of(id)
        )

    @property
    def taken(self) -> InPort | None:
        """The end of the wire that takes the card."""
        return self.end if self.end is not None and self.refusal(self.end) is None else None

    def arranged(self) -> Mapping[str, Arrangement]:
        """How the card will be arranged, as long as it has no wires."""
        return self._canvas.landing.arranged(self._diagram, {self._id})

    def refusal(self, end: InPort) -> Message | None:
        """Why the card cannot go into the wire that ends there; None if it can."""
        if end not in self._known:
            try:
                edits.insert_on_wire(self._diagram, self._id, end, self._specs)
                self._known[end] = None
            except GradvizError as error:
                self._known[end] = error.message
        return self._known[end]

    def seek(self, card: Rect, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Light the wire under the card; at a wire that cannot take it, say why. `at` is the pointer on the screen."""
        end = self._under(card, at) if self.is_able and not modifiers & ALONE else None
        if end != self.end:
            touched = [self._rect(self.end), self._rect(end)]
            self.end = end
            self._canvas.touch([rect for rect in touched if rect is not None])
        self._canvas.hint_at(at, self.refusal(end) if end is not None else None)

    def clear(self) -> None:
        """The card is let go, or the gesture is dropped."""
        self._canvas.hint_at(QPointF(), None)
        rect, self.end = self._rect(self.end), None
        self._canvas.touch([rect] if rect is not None else [])

    def _under(self, card: Rect, at: QPointF) -> InPort | None:
        """The wire under the pointer, else the one nearest to the middle that runs through the middle of the card."""
        sight, middle = self._canvas.sight, card.center
        end = sight.wire_at(at)
        if end is not None:
            return end
        down = Point(middle.x, card.y), Point(middle.x, card.bottom)
        along = Point(card.x, middle.y), Point(card.right, middle.y)
        found = [
            (abs(place.x - middle.x) + abs(place.y - middle.y), end)
            for line in (down, along)
            for end, place, _ in sight.crossed(*line)
        ]
        return min(found)[1] if found else None

    def _rect(self, end: InPort | None) -> Rect | None:
        wire = self._canvas.sight.wire(end) if end is not None else None
        return curve.bounds(wire.curve).grown(GLOW + RING) if wire is not None else None

    def paint(self, painter: QPainter) -> None:
        """The wire that takes the card is lit."""
        wire = self._canvas.sight.wire(self.taken) if self.taken is not None else None
        if wire is None:
            return
        colour, scale = self._canvas.theme.forward, self._canvas.camera.scale
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in (
            line_pen(clear(colour, 0.25), max(GLOW, 6 / scale)),
            line_pen(colour, max(3.0, 1.5 / scale)),
        ):
            painter.setPen(pen)
            painter.drawPath(wire_path(wire.curve))
        # Of a short wire, the card hides all but the ends.
        for point in (wire.start, wire.end):
            painter.drawEllipse(QPointF(*point), RING, RING)
