"""The gesture that draws a wire, from either end, by drag, by two clicks or by keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from gradviz.edit import edits
from gradviz.engine.formula import label
from gradviz.graph import routes
from gradviz.graph.model import Diagram, InPort, OutPort
from gradviz.gui.canvas.targets import AnyPort, Targets
from gradviz.gui.canvas.tools import Modifiers, Tool
from gradviz.picture import curve, geometry
from gradviz.picture.boxes import CORNER, PORT_RADIUS
from gradviz.picture.colours import clear
from gradviz.picture.pen import Detail, dashed_pen, detail_at, fill, line_pen
from gradviz.picture.plane import Point, Rect
from gradviz.picture.wire import wire_path
from gradviz.text import Message, mark, message

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

LIT: Final = 11.0
CHOSEN: Final = 14.0
DIMMED: Final = 0.6


class Wire(Tool):
    """Draw a wire, or move the end of one that is there. Every port in view shows whether it may end there."""

    ends_by_click = True
    cursor = Qt.CursorShape.CrossCursor
    is_everywhere = True

    def __init__(self, canvas: Canvas, press: QPointF, start: AnyPort, *, clicks: int = 0) -> None:
        super().__init__(canvas, press)
        self.picked: InPort | None = None
        if isinstance(start, InPort):
            inputs = canvas.document.diagram.graph[start.node].inputs
            source = inputs[start.index] if start.index < len(inputs) else None
            if source is not None:
                # The end of a wire that is there comes off, and is to be put elsewhere.
                self.picked, start = start, source
        self.start = start
        self.targets = Targets(canvas.document, start, self.picked)
        self.over: AnyPort | None = None
        self._at = canvas.camera.to_canvas(press)
        self._clicks = clicks

    @property
    def _wants_input(self) -> bool:
        return isinstance(self.start, OutPort)

    def move(self, at: QPointF, modifiers: Modifiers) -> None:
        super().move(at, modifiers)
        self._follow(at)

    def _follow(self, at: QPointF) -> None:
        over = self.canvas.sight.port_at(at, wants_input=self._wants_input)
        self._go(self.canvas.camera.to_canvas(at), over)
        why = self.targets.refusal(over) if over is not None else self._portless(at)
        self.canvas.hint_at(at, why if why is not None else self._replaces(over))

    def _replaces(self, over: AnyPort | None) -> Message | None:
        """Which wire would go, if the one that is drawn ended at a busy input."""
        end = self.start if isinstance(self.start, InPort) else over
        if over is None or not isinstance(end, InPort) or end == self.picked:
            return None
        diagram = self.canvas.document.diagram
        source = routes.source_of(diagram.graph, end)
        if source is None:
            return None
        names = (label(diagram.graph, id, diagram.values) for id in (source.node, end.node))
        return message(mark("canvas", "replaces {wire}"), wire=" → ".join(names))

    def _portless(self, at: QPointF) -> Message | None:
        """Why a wire cannot end at the card under a point, if it has no port for it."""
        found = self.canvas.sight.node_at(at)
        if found is None or found[0].id == self.start.node:
            return None
        if self._wants_input:
            text = mark("canvas", "{name} is not computed from anything: no wire can end there.")
        else:
            text = mark("canvas", "{name} has no output.")
        return message(text, name=self.canvas.sight.name(found[0]))

    def _go(self, at: Point, over: AnyPort | None) -> None:
        before = self._painted()
        self._at, self.over = at, over
        self.canvas.touch([before, self._painted()])

    def choose(self, by: int) -> bool:
        """By keys: the next (or previous) port that can be wired; False if there is none."""
        legal = self.targets.legal(self.canvas.sight.visible_ports(wants_input=self._wants_input))
        if not legal:
            return False
        number = legal.index(self.over) + by if self.over in legal else (0 if by > 0 else -1)
        over = legal[number % len(legal)]
        self.canvas.hint_at(self.press, None)
        self._go(self.canvas.sight.port_point(over), over)
        return True

    def release(self, at: QPointF, modifiers: Modifiers) -> bool:
        self._follow(at)
        self._clicks += 1
        if not self.dragging and self._clicks == 1:
            # A click, not a drag: the wire follows the pointer until the next click.
            return False
        if self.over is None and self.picked is None:
            self._drop(at)
        else:
            self.finish()
        return True

    def _drop(self, at: QPointF) -> None:
        """On nothing, offer what could take the wire; on a card that cannot, say why."""
        self.canvas.hint_at(at, None)
        why = self._portless(at)
        if why is not None:
            self.canvas.say(why)
        elif self.canvas.sight.node_at(at) is None:
            self.canvas.entry.offer(at, self.start)

    def finish(self) -> None:
        """Connect to the port that was chosen; a wire whose end came off and is nowhere now is removed."""
        self.canvas.hint_at(self.press, None)
        if self.over is not None:
            self._connect(self.over)
        elif self.picked is not None:
            self.canvas.document.edit(mark("edit", "Remove a wire"), edits.disconnect, self.picked)

    def _connect(self, over: AnyPort) -> None:
        if self.picked is not None and over == self.picked:
            return
        ends = (self.start, over) if self._wants_input else (over, self.start)
        text = mark("edit", "Move a wire") if self.picked is not None else mark("edit", "Connect")
        self.canvas.document.edit(text, _rewired, *ends, self.picked)

    def cancel(self) -> None:
        self.canvas.hint_at(self.press, None)

    def _ends(self) -> tuple[Point, Point]:
        sight = self.canvas.sight
        fixed = sight.port_point(self.start)
        end = sight.port_point(self.over) if self.over is not None else self._at
        return (fixed, end) if self._wants_input else (end, fixed)

    def _painted(self) -> Rect:
        """All that the half-drawn wire and the ring around its end touch."""
        return curve.bounds(curve.curve(*self._ends())).grown(CHOSEN + 2)

    def paint(self, painter: QPainter) -> None:
        theme, scale = self.canvas.theme, self.canvas.camera.scale
        if detail_at(scale) is not Detail.BOX:
            self._paint_targets(painter)
        refused = self.over is not None and self.targets.refusal(self.over) is not None
        colour = theme.backward if refused else theme.forward
        width = max(2.5, 1.5 / scale)
        painter.setPen(dashed_pen(colour, width) if refused else line_pen(colour, width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(wire_path(curve.curve(*self._ends())))
        if self.over is not None:
            at = QPointF(*self.canvas.sight.port_point(self.over))
            painter.setPen(line_pen(colour, width))
            painter.drawEllipse(at, CHOSEN, CHOSEN)

    def _paint_targets(self, painter: QPainter) -> None:
        """Ports that take the wire are lit; the others, and cards without any that does, are dimmed."""
        theme, sight = self.canvas.theme, self.canvas.sight
        veil = clear(theme.canvas, DIMMED)
        for look in sight.in_view(sight.view()):
            ports = sight.ports_of(look, wants_input=self._wants_input)
            legal = self.targets.legal(ports)
            if not legal and look.id != self.start.node:
                fill(painter, geometry.card_rect(look).grown(PORT_RADIUS + 1), veil, CORNER)
            painter.setPen(line_pen(theme.line))
            painter.setBrush(theme.canvas)
            for port in set(ports) - set(legal):
                at = QPointF(*sight.port_point(port))
                painter.drawEllipse(at, PORT_RADIUS - 1, PORT_RADIUS - 1)
            for port in legal:
                at = QPointF(*sight.port_point(port))
                painter.setPen(line_pen(theme.forward, 1.5))
                painter.setBrush(clear(theme.forward, 0.22))
                painter.drawEllipse(at, LIT, LIT)
                painter.setBrush(theme.forward)
                painter.drawEllipse(at, PORT_RADIUS, PORT_RADIUS)


def _rewired(diagram: Diagram, source: OutPort, target: InPort, picked: InPort | None) -> Diagram:
    if picked is not None:
        diagram = edits.disconnect(diagram, picked)
    return edits.connect(diagram, source, target)
