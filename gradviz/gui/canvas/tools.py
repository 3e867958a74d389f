"""The gestures: a class for each, alive from press to release, ending in one edit or in none. `wiring.py` has the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from gradviz.edit import edits
from gradviz.graph.model import InPort, Place
from gradviz.gui.canvas.between import Between
from gradviz.gui.canvas.guides import Guides
from gradviz.gui.document import Selection
from gradviz.picture import geometry
from gradviz.picture.hit import Hit
from gradviz.picture.look import NodeLook
from gradviz.picture.plane import Point
from gradviz.text import mark

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

DRAG_FROM: Final = 4.0
Modifiers = Qt.KeyboardModifier


class Tool:
    """A gesture. `move` and `release` get screen points; `cancel` leaves nothing behind."""

    cursor = Qt.CursorShape.ArrowCursor
    outlives_changes = False
    """Whether it goes on when the diagram changes, since it changes it itself."""
    pans_at_edge = True
    """Whether the view moves when it is dragged near the edge."""
    ends_by_click = False
    """Whether it goes on without a button held, until the next click."""
    is_everywhere = False
    """Whether it paints over all of the picture, from its beginning to its end."""

    def __init__(self, canvas: Canvas, press: QPointF) -> None:
        self.canvas = canvas
        self.press = press
        self.origin = canvas.camera.to_canvas(press)
        """The point of the canvas that was pressed: it stays when the view moves."""
        self.dragging = False

    def move(self, at: QPointF, modifiers: Modifiers) -> None:
        if not self.dragging and (at - self.press).manhattanLength() >= DRAG_FROM:
            self.dragging = True
        if self.dragging:
            self.drag(at, modifiers)

    def drag(self, at: QPointF, modifiers: Modifiers) -> None:
        """The pointer moved far enough to mean it."""

    def release(self, at: QPointF, modifiers: Modifiers) -> bool:
        """The end; False if the gesture goes on (a wire that is drawn by two clicks)."""
        return True

    def cancel(self) -> None:
        """Stop without a trace."""

    def paint(self, painter: QPainter) -> None:
        """What is painted over the picture, in canvas pixels."""


class Pan(Tool):
    """Move the view."""

    pans_at_edge = False
    cursor = Qt.CursorShape.ClosedHandCursor

    def __init__(self, canvas: Canvas, press: QPointF) -> None:
        super().__init__(canvas, press)
        self._start = canvas.camera

    def drag(self, at: QPointF, modifiers: Modifiers) -> None:
        by = at - self.press
        self.canvas.camera = self._start.panned(by.x(), by.y())

    def cancel(self) -> None:
        self.canvas.camera = self._start


class Move(Tool):
    """Press on a card: a click selects, a drag moves all selected cards."""

    def __init__(
        self, canvas: Canvas, press: QPointF, look: NodeLook, hit: Hit, modifiers: Modifiers
    ) -> None:
        super().__init__(canvas, press)
        self._look = look
        self._hit = hit
        self._guides: Guides | None = None
        self._between: Between | None = None
        document = canvas.document
        self._before = document.selection
        self._chosen = _chosen(document.selection.nodes, look.id, modifiers)
        if (
            look.id not in document.selection.nodes
            and not modifiers & Qt.KeyboardModifier.ControlModifier
        ):
            document.select(Selection(self._chosen))

    def drag(self, at: QPointF, modifiers: Modifiers) -> None:
        now = self.canvas.camera.to_canvas(at)
        places = self.canvas.document.diagram.places
        moving = self.canvas.document.selection.nodes | {self._look.id}
        if self._guides is None:
            self._guides = Guides(self.canvas, moving)
        free = bool(modifiers & Qt.KeyboardModifier.ControlModifier) or not self.canvas.snapping
        by = self._guides.way(Point(now.x - self.origin.x, now.y - self.origin.y), free=free)
        self.canvas.moved = {
            id: Place(place.x + by.x, place.y + by.y)
            for id in moving
            if (place := places.get(id)) is not None
        }
        self._seek(at, modifiers)

    def _seek(self, at: QPointF, modifiers: Modifiers) -> None:
        """A single card may go into the wire it is let go on."""
        if len(self.canvas.moved) != 1:
            return
        (id,) = self.canvas.moved
        if self._between is None:
            self._between = Between(self.canvas, self.canvas.document.diagram, id)
        look = self.canvas.sight.look(id)
        if look is not None:
            self._between.seek(geometry.card_rect(look), at, modifiers)

    def paint(self, painter: QPainter) -> None:
        if self._guides is not None:
            self._guides.paint(painter)
        if self._between is not None:
            self._between.paint(painter)

    def release(self, at: QPointF, modifiers: Modifiers) -> bool:
        self._hide_guides()
        end = self._let_go()
        moved, self.canvas.moved = self.canvas.moved, {}
        if end is not None:
            (id,) = moved
            self.canvas.landing.put_between(mark("edit", "Put on a wire"), id, moved[id], end)
        elif self.dragging:
            self.finish(moved)
        else:
            self.canvas.document.select(self._clicked())
        return True

    def _let_go(self) -> InPort | None:
        """The wire that takes the card; it is lit no more."""
        if self._between is None:
            return None
        end = self._between.taken
        self._between.clear()
        return end

    def finish(self, moved: Mapping[str, Place]) -> None:
        """The cards are let go."""
        self.canvas.document.edit(mark("edit", "Move"), edits.move, moved)

    def _clicked(self) -> Selection:
        cell = self.canvas.sight.cell_at(self._look, self._hit) if len(self._chosen) == 1 else None
        return Selection(self._chosen, None, cell if self._look.id in self._chosen else None)

    def cancel(self) -> None:
        self._hide_guides()
        self._let_go()
        self.canvas.moved = {}
        self.canvas.document.select(self._before)

    def _hide_guides(self) -> None:
        if self._guides is not None:
            self._guides.hide()


def _chosen(selected: frozenset[str], id: str, modifiers: Modifiers) -> frozenset[str]:
    """The selection after a click on a card."""
    if modifiers & Qt.KeyboardModifier.ControlModifier:
        return selected ^ {id}
    if modifiers & Qt.KeyboardModifier.ShiftModifier:
        return selected | {id}
    return frozenset({id})
