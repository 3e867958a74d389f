"""What is in sight: the picture of the present moment, the camera, and what lies under a point."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QRegion

from gradviz.engine.answer import Answer
from gradviz.graph.model import Array, InPort, OutPort, Place
from gradviz.gui.canvas import cells
from gradviz.gui.canvas.camera import Camera
from gradviz.gui.canvas.culling import Changes, part_of
from gradviz.gui.canvas.dragged import Resting, with_led
from gradviz.gui.canvas.targets import AnyPort
from gradviz.gui.document import BandName, CellRef, Document
from gradviz.gui.player import Player
from gradviz.picture import curve, geometry
from gradviz.picture import hit as hits
from gradviz.picture.frame import Framer, wire_end, wire_id
from gradviz.picture.hit import Hit, Part
from gradviz.picture.look import Frame, NodeLook, WireLook
from gradviz.picture.plane import Point, Rect

WIRE_REACH: Final = 7.0
PORT_REACH: Final = 18.0
PIN_REACH: Final = 8.0


EDGE: Final = 3
"""Pixels of the screen by which a part that is painted again is larger than what changed in it."""
MOST_PARTS: Final = 40
"""Of more parts than this the whole view is painted again."""


class Sight:
    """The frame that is shown, made when it is asked for; `moved` are the places of cards being dragged.

    Points of the screen are relative to the canvas widget, `size` is the widget's.
    """

    def __init__(self, document: Document, player: Player, framer: Framer) -> None:
        self._document = document
        self._player = player
        self._framer = framer
        self._made: Frame | None = None
        self._resting: Resting | None = None
        self._frame: Frame | None = None
        self._numbers: tuple[Sequence[NodeLook], dict[str, int]] = ((), {})
        self._changes = Changes()
        self._moved: Mapping[str, Place] = {}
        self._led: Mapping[InPort, Sequence[Place]] = {}
        self.camera = Camera()
        self.size = (0, 0)

    @property
    def moved(self) -> Mapping[str, Place]:
        """Where the cards that are being dragged are now."""
        return self._moved

    @moved.setter
    def moved(self, places: Mapping[str, Place]) -> None:
        self._moved = places
        self._frame = None

    @property
    def led(self) -> Mapping[InPort, Sequence[Place]]:
        """Other points that wires are led through, while one of them is dragged."""
        return self._led

    @led.setter
    def led(self, routes: Mapping[InPort, Sequence[Place]]) -> None:
        self._led = routes
        self._frame = None

    def invalidate(self) -> None:
        """The moment is another one."""
        self._made = None
        self._frame = None

    def view(self) -> Rect:
        """The part of the canvas that is in view."""
        return self.camera.view(*self.size)

    def sizes(self, answer: Answer | None = None) -> dict[str, tuple[float, float, float]]:
        """The size of every card, as the layout needs it, of the answer that is shown if no other is given."""
        return self._framer.sizes(answer if answer is not None else self._document.answer)

    def frame(self) -> Frame:
        """The picture of the present moment."""
        if self._frame is None:
            document = self._document
            if self._made is None:
                self._made = self._framer.frame(
                    document.answer,
                    self._player.position,
                    self._player.progress,
                    dimmed=document.computing,
                )
            elsewhere = {**self._ahead(), **self._moved}
            self._frame = self._with_moved(self._made, elsewhere) if elsewhere else self._made
            if self._led:
                self._frame = with_led(self._frame, self._led)
        return self._frame

    def _with_moved(self, made: Frame, places: Mapping[str, Place]) -> Frame:
        if self._resting is None or self._resting.frame is not made:
            self._resting = Resting(made, self._document.answer.graph)
        return self._resting.with_moved(places)

    def _ahead(self) -> dict[str, Place]:
        """Cards that were moved since the answer that is shown was asked for."""
        shown, present = self._document.answer.diagram.places, self._document.diagram.places
        if shown is present:
            return {}
        return {id: place for id, place in present.items() if id in shown and place != shown[id]}

    def changes(self) -> list[Rect] | None:
        """Where the picture has changed since this was asked last; None for everywhere."""
        return self._changes.take(self.frame())

    def part(self, rects: Sequence[Rect]) -> Frame:
        """What must be painted for some rectangles of the canvas."""
        frame = self.frame()
        self._changes.use(frame)
        return part_of(frame, self._changes, rects)

    def region(self, rects: Iterable[Rect]) -> QRegion | None:
        """These rectangles of the canvas on the screen; None if they are as good as all of it."""
        view = QRect(0, 0, *self.size)
        parts = QRegion()
        area = count = 0
        for rect in rects:
            corner, end = (
                self.camera.to_screen(rect[:2]),
                self.camera.to_screen((rect.right, rect.bottom)),
            )
            shown = QRectF(corner, end).toAlignedRect().adjusted(-EDGE, -EDGE, EDGE, EDGE) & view
            if not shown.isEmpty():
                parts += shown
                area += shown.width() * shown.height()
                count += 1
        if count > MOST_PARTS or 2 * area > view.width() * view.height():
            return None
        return parts

    def in_view(self, view: Rect) -> list[NodeLook]:
        """The cards that touch a rectangle of the canvas."""
        self._changes.use(self.frame())
        return self._changes.nodes.touching([view])

    def looks(self, ids: Iterable[str]) -> list[NodeLook]:
        """The cards of some nodes."""
        return [look for id in ids if (look := self.look(id)) is not None]

    def look(self, id: str) -> NodeLook | None:
        """The card of a node."""
        nodes = self.frame().nodes
        number = self._places_of(nodes).get(id)
        return nodes[number] if number is not None else None

    def name(self, look: NodeLook) -> str:
        """What the node of a card is called."""
        node = self._document.answer.graph.nodes.get(look.id)
        return node.name if node is not None and node.name else look.card.title

    def _places_of(self, nodes: Sequence[NodeLook]) -> dict[str, int]:
        """The number of each card in the frame; nodes keep theirs until some come or go."""
        known, numbers = self._numbers
        if known is not nodes:
            same = len(known) == len(nodes) and all(
                a.id == b.id for a, b in zip(known, nodes, strict=True)
            )
            if not same:
                numbers = {look.id: number for number, look in enumerate(nodes)}
            self._numbers = (nodes, numbers)
        return numbers

    def wire(self, end: InPort) -> WireLook | None:
        """The wire that ends at an input."""
        wanted = wire_id(end)
        return next((wire for wire in self.frame().wires if wire.id == wanted), None)

    def nodes_in(self, rect: Rect) -> list[str]:
        """The ids of the cards that a rectangle touches."""
        return [
            look.id
            for look in self.in_view(rect)
            if self._is_present(look) and geometry.card_rect(look).touches(rect)
        ]

    def _is_present(self, look: NodeLook) -> bool:
        """Whether a card that is shown is still in the graph: while an answer is computed, it may be gone."""
        return look.id in self._document.diagram.graph

    def node_at(self, screen: QPointF) -> tuple[NodeLook, Hit] | None:
        """The uppermost card under a point of the screen, and its part."""
        at = self.camera.to_canvas(screen)
        near = Rect(at.x - PORT_REACH, at.y - PORT_REACH, 2 * PORT_REACH, 2 * PORT_REACH)
        for look in reversed(self.in_view(near)):
            found = hits.hit(look, at)
            if found is not None and self._is_present(look):
                return look, found
        return None

    def wire_at(self, screen: QPointF) -> InPort | None:
        """The end of the wire under a point of the screen."""
        at = self.camera.to_canvas(screen)
        reach = WIRE_REACH / self.camera.scale
        best: tuple[float, WireLook] | None = None
        self._changes.use(self.frame())
        near = Rect(at.x - reach, at.y - reach, 2 * reach, 2 * reach)
        for wire in self._changes.wires.touching([near]):
            distance = curve.distance(wire.curve, at)
            if distance <= reach and (best is None or distance < best[0]):
                best = (distance, wire)
        if best is None:
            return None
        end = wire_end(best[1].id)
        return end if self._has_wire(end) else None

    def crossed(self, a: Point, b: Point) -> list[tuple[InPort, Point, int]]:
        """The wires that a line crosses: their ends, where, and between which of their points (the number of the next)."""
        self._changes.use(self.frame())
        around = Rect(min(a.x, b.x), min(a.y, b.y), abs(a.x - b.x), abs(a.y - b.y)).grown(1)
        found = []
        for wire in self._changes.wires.touching([around]):
            met, end = curve.crossing(wire.curve, a, b), wire_end(wire.id)
            if met is not None and self._has_wire(end):
                found.append((end, met[0], met[1] if wire.via else 0))
        return found

    def _has_wire(self, end: InPort) -> bool:
        """Whether a wire that is shown is still in the graph."""
        node = self._document.diagram.graph.nodes.get(end.node)
        return (
            node is not None and end.index < len(node.inputs) and node.inputs[end.index] is not None
        )

    def pin_at(self, screen: QPointF) -> tuple[InPort, int] | None:
        """The point under a point of the screen that a wire is led through: the wire's end, and which."""
        at = self.camera.to_canvas(screen)
        reach = PIN_REACH / self.camera.scale
        self._changes.use(self.frame())
        near = Rect(at.x - reach, at.y - reach, 2 * reach, 2 * reach)
        for wire in self._changes.wires.touching([near]):
            for number, place in enumerate(wire.via):
                if math.dist(place, at) <= reach and self._has_wire(wire_end(wire.id)):
                    return wire_end(wire.id), number
        return None

    def visible_ports(self, *, wants_input: bool) -> list[AnyPort]:
        """The inputs (or outputs) of the cards in view."""
        return [
            port
            for look in self.in_view(self.view())
            for port in self.ports_of(look, wants_input=wants_input)
        ]

    def ports_of(self, look: NodeLook, *, wants_input: bool) -> list[AnyPort]:
        """The inputs (or outputs) of a card."""
        if not self._is_present(look):
            return []
        if wants_input:
            return [InPort(look.id, index) for index in range(len(look.card.inputs))]
        return [OutPort(look.id, index) for index in range(len(look.card.outputs))]

    def port_point(self, port: AnyPort) -> Point:
        """Where a port is, in canvas pixels."""
        look = self.look(port.node)
        if look is None:
            return Point(0, 0)
        if isinstance(port, InPort):
            count = len(look.card.inputs)
            return geometry.input_point(look, min(port.index, count - 1))
        return geometry.output_point(look, port.index)

    def port_at(self, screen: QPointF, *, wants_input: bool) -> AnyPort | None:
        """The nearest input (or output) within reach of a point; a card with one is reached anywhere."""
        at = self.camera.to_canvas(screen)
        reach = PORT_REACH / self.camera.scale
        ports = self.visible_ports(wants_input=wants_input)
        near = [(math.dist(self.port_point(port), at), number) for number, port in enumerate(ports)]
        distance, number = min(near, default=(reach + 1, -1))
        if distance <= reach:
            return ports[number]
        under = self.node_at(screen)
        if under is None:
            return None
        own = [port for port in ports if port.node == under[0].id]
        return min(own, key=lambda port: math.dist(self.port_point(port), at), default=None)

    def cell_at(self, look: NodeLook, found: Hit) -> CellRef | None:
        """The cell of a value or gradient that a part of a card stands for."""
        if found.part not in (Part.VALUE, Part.GRADIENT):
            return None
        band: BandName = "value" if found.part is Part.VALUE else "gradient"
        array = self.array(look.id, band)
        room = look.card.value if found.part is Part.VALUE else look.card.gradient
        if array is None or room is None or not array.size:
            return None
        return CellRef(look.id, band, cells.index_of(array.shape, room, found.row, found.column))

    def hit_of_cell(self, look: NodeLook, cell: CellRef) -> Hit | None:
        """The part of a card where a cell is shown; None if it was left out."""
        array = self.array(cell.node, cell.band)
        part = Part.VALUE if cell.band == "value" else Part.GRADIENT
        room = look.card.value if cell.band == "value" else look.card.gradient
        if array is None or room is None or len(cell.index) != array.ndim:
            return None
        return cells.hit_of(array.shape, room, cell.index, part)

    def array(self, node: str, band: str) -> Array | None:
        """What a band shows at the present moment."""
        timeline, position = self._player.timeline, self._player.position
        port = OutPort(node)
        return (
            timeline.value(port, position) if band == "value" else timeline.adjoint(port, position)
        )
