"""The gestures: a class for each, alive from press to release, ending in one edit or in none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from gradviz.edit import edits
from gradviz.graph.model import Diagram, InPort, OutPort, Place
from gradviz.gui.canvas.targets import Targets
from gradviz.gui.document import Selection
from gradviz.picture.boxes import PORT_RADIUS
from gradviz.picture.colours import clear
from gradviz.picture.curve import curve
from gradviz.picture.hit import Hit
from gradviz.picture.look import NodeLook
from gradviz.picture.pen import dashed_pen, line_pen
from gradviz.picture.plane import Rect
from gradviz.picture.wire import wire_path
from gradviz.text import mark

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

DRAG_FROM: Final = 4.0
GRID: Final = 4
Modifiers = Qt.KeyboardModifier


class Tool:
    """A gesture. `move` and `release` get screen points; `cancel` leaves nothing behind."""

    cursor = Qt.CursorShape.ArrowCursor

    def __init__(self, canvas: Canvas, press: QPointF) -> None:
        self.canvas = canvas
        self.press = press
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
        document = canvas.document
        self._before = document.selection
        self._chosen = _chosen(document.selection.nodes, look.id, modifiers)
        if (
            look.id not in document.selection.nodes
            and not modifiers & Qt.KeyboardModifier.ControlModifier
        ):
            document.select(Selection(self._chosen))

    def drag(self, at: QPointF, modifiers: Modifiers) -> None:
        by = (at - self.press) / self.canvas.camera.scale
        step = 1 if modifiers & Qt.KeyboardModifier.ControlModifier else GRID
        dx, dy = (round(by.x() / step) * step, round(by.y() / step) * step)
        places = self.canvas.document.diagram.places
        moving = self.canvas.document.selection.nodes | {self._look.id}
        self.canvas.moved = {
            id: Place(place.x + dx, place.y + dy)
            for id in moving
            if (place := places.get(id)) is not None
        }

    def release(self, at: QPointF, modifiers: Modifiers) -> bool:
        moved, self.canvas.moved = self.canvas.moved, {}
        if self.dragging:
            self.canvas.document.edit(mark("edit", "Move"), edits.move, moved)
        else:
            self.canvas.document.select(self._clicked())
        return True

    def _clicked(self) -> Selection:
        cell = self.canvas.sight.cell_at(self._look, self._hit) if len(self._chosen) == 1 else None
        return Selection(self._chosen, None, cell if self._look.id in self._chosen else None)

    def cancel(self) -> None:
        self.canvas.moved = {}
        self.canvas.document.select(self._before)


def _chosen(selected: frozenset[str], id: str, modifiers: Modifiers) -> frozenset[str]:
    """The selection after a click on a card."""
    if modifiers & Qt.KeyboardModifier.ControlModifier:
        return selected ^ {id}
    if modifiers & Qt.KeyboardModifier.ShiftModifier:
        return selected | {id}
    return frozenset({id})


class Box(Tool):
    """Drag on empty ground: select what the rectangle touches. Shift adds, Ctrl toggles."""

    def __init__(self, canvas: Canvas, press: QPointF, modifiers: Modifiers) -> None:
        super().__init__(canvas, press)
        self._before = canvas.document.selection
        self._rect = Rect(0, 0, 0, 0)
        kept = modifiers & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        if not kept:
            canvas.document.select(Selection())

    def drag(self, at: QPointF, modifiers: Modifiers) -> None:
        a, b = (self.canvas.camera.to_canvas(p) for p in (self.press, at))
        self._rect = Rect(min(a.x, b.x), min(a.y, b.y), abs(a.x - b.x), abs(a.y - b.y))
        found = frozenset(self.canvas.sight.nodes_in(self._rect))
        before = self._before.nodes
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            found = before ^ found
        elif modifiers & Qt.KeyboardModifier.ShiftModifier:
            found = before | found
        self.canvas.document.select(Selection(found))
        self.canvas.update()

    def cancel(self) -> None:
        self.canvas.document.select(self._before)

    def paint(self, painter: QPainter) -> None:
        colour = self.canvas.theme.forward
        painter.setPen(line_pen(colour, 1 / self.canvas.camera.scale))
        painter.setBrush(clear(colour, 0.08))
        painter.drawRect(QRectF(*self._rect))


class Wire(Tool):
    """Draw a wire from either end, by drag or by two clicks; move the end of one that is there."""

    cursor = Qt.CursorShape.CrossCursor

    def __init__(
        self, canvas: Canvas, press: QPointF, start: OutPort | InPort, *, keyed: bool = False
    ) -> None:
        super().__init__(canvas, press)
        graph = canvas.document.diagram.graph
        self.picked: InPort | None = None
        if isinstance(start, InPort):
            source = (
                graph[start.node].inputs[start.index]
                if start.index < len(graph[start.node].inputs)
                else None
            )
            if source is not None:
                # The end of a wire that is there comes off, and is to be put elsewhere.
                self.picked, start = start, source
        self.start = start
        self.targets = Targets(canvas.document, start, self.picked)
        self.over: OutPort | InPort | None = None
        self._at = canvas.camera.to_canvas(press)
        self._clicks = 0
        self._keyed = keyed

    def move(self, at: QPointF, modifiers: Modifiers) -> None:
        super().move(at, modifiers)
        self._follow(at)

    def _follow(self, at: QPointF) -> None:
        self._at = self.canvas.camera.to_canvas(at)
        self.over = self.canvas.sight.port_at(at, wants_input=isinstance(self.start, OutPort))
        why = self.targets.refusal(self.over) if self.over is not None else None
        self.canvas.hint_at(at, why)
        self.canvas.update()

    def choose(self, by: int) -> None:
        """By keys: the next (or previous) port that can be wired."""
        legal = self.targets.legal(
            self.canvas.sight.visible_ports(wants_input=isinstance(self.start, OutPort))
        )
        if not legal:
            self.canvas.say(mark("canvas", "There is nothing this can be wired to."))
            return
        number = legal.index(self.over) + by if self.over in legal else (0 if by > 0 else -1)
        self.over = legal[number % len(legal)]
        self._at = self.canvas.sight.port_point(self.over)
        self.canvas.update()

    def release(self, at: QPointF, modifiers: Modifiers) -> bool:
        if not self._keyed:
            self._follow(at)
        self._clicks += 1
        if not self.dragging and self._clicks == 1 and not self._keyed:
            # A click, not a drag: the wire follows the pointer until the next click.
            return False
        self.canvas.hint_at(at, None)
        if self.over is not None:
            self._connect(self.over)
        elif self.picked is not None:
            self.canvas.document.edit(mark("edit", "Remove a wire"), edits.disconnect, self.picked)
        elif not self._keyed:
            self.canvas.entry.offer(at, self.start)
        return True

    def _connect(self, over: OutPort | InPort) -> None:
        if self.picked is not None and over == self.picked:
            return
        source, target = (
            (self.start, over) if isinstance(self.start, OutPort) else (over, self.start)
        )
        assert isinstance(source, OutPort)
        assert isinstance(target, InPort)
        text = mark("edit", "Move a wire") if self.picked is not None else mark("edit", "Connect")
        self.canvas.document.edit(text, _rewired, source, target, self.picked)

    def cancel(self) -> None:
        self.canvas.hint_at(self.press, None)

    def paint(self, painter: QPainter) -> None:
        theme = self.canvas.theme
        self._paint_targets(painter)
        fixed = self.canvas.sight.port_point(self.start)
        end = self.canvas.sight.port_point(self.over) if self.over is not None else self._at
        a, b = (fixed, end) if isinstance(self.start, OutPort) else (end, fixed)
        refused = self.over is not None and self.targets.refusal(self.over) is not None
        pen = line_pen(theme.backward if refused else theme.forward, 2.5)
        painter.setPen(dashed_pen(pen.color(), 2.5) if refused else pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(wire_path(curve(a, b)))

    def _paint_targets(self, painter: QPainter) -> None:
        """Legal ports are lit, the others dimmed."""
        theme = self.canvas.theme
        painter.setPen(Qt.PenStyle.NoPen)
        for port in self.canvas.sight.visible_ports(wants_input=isinstance(self.start, OutPort)):
            at = QPointF(*self.canvas.sight.port_point(port))
            if self.targets.refusal(port) is None:
                painter.setBrush(clear(theme.forward, 0.28))
                painter.drawEllipse(at, 11, 11)
            else:
                painter.setBrush(theme.line)
                painter.drawEllipse(at, PORT_RADIUS, PORT_RADIUS)


def _rewired(diagram: Diagram, source: OutPort, target: InPort, picked: InPort | None) -> Diagram:
    if picked is not None:
        diagram = edits.disconnect(diagram, picked)
    return edits.connect(diagram, source, target)
