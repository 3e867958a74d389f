"""What is in sight: the picture of the present moment, the camera, and what lies under a point."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF

from gradviz.graph.model import Array, InPort, OutPort, Place
from gradviz.gui.canvas import cells
from gradviz.gui.canvas.camera import Camera
from gradviz.gui.canvas.targets import AnyPort
from gradviz.gui.document import BandName, CellRef, Document
from gradviz.gui.player import Player
from gradviz.picture import curve, geometry
from gradviz.picture import hit as hits
from gradviz.picture.frame import Framer, wire_end
from gradviz.picture.hit import Hit, Part
from gradviz.picture.look import Frame, NodeLook, WireLook
from gradviz.picture.plane import Point, Rect

WIRE_REACH: Final = 7.0
PORT_REACH: Final = 18.0


class Sight:
    """The frame that is shown, made when it is asked for; `moved` are the places of cards being dragged.

    Points of the screen are relative to the canvas widget, `size` is the widget's.
    """

    def __init__(self, document: Document, player: Player, framer: Framer) -> None:
        self._document = document
        self._player = player
        self._framer = framer
        self._frame = Frame()
        self._stale = True
        self._rects: npt.NDArray[np.float64] = np.zeros((0, 4))
        self._rects_of: object = None
        self.camera = Camera()
        self.moved: Mapping[str, Place] = {}
        self.size = (0, 0)

    def invalidate(self) -> None:
        """The moment is another one."""
        self._stale = True

    def view(self) -> Rect:
        """The part of the canvas that is in view."""
        return self.camera.view(*self.size)

    def sizes(self) -> dict[str, tuple[float, float]]:
        """The size of every card."""
        return self._framer.sizes(self._document.answer)

    def frame(self) -> Frame:
        """The picture of the present moment."""
        if self._stale:
            document = self._document
            self._frame = self._framer.frame(
                document.answer,
                self._player.position,
                self._player.progress,
                dimmed=document.computing,
                moved=self.moved or None,
            )
            self._stale = False
        return self._frame

    def _node_rects(self) -> npt.NDArray[np.float64]:
        """Left, top, right, bottom of every card with its glow, one row a card."""
        nodes = self.frame().nodes
        if self._rects_of is not nodes:
            rects = [geometry.outer_rect(look) for look in nodes]
            self._rects = np.array([(r.x, r.y, r.right, r.bottom) for r in rects]).reshape(-1, 4)
            self._rects_of = nodes
        return self._rects

    def in_view(self, view: Rect) -> list[NodeLook]:
        """The cards that touch a rectangle of the canvas."""
        rects = self._node_rects()
        seen = (
            (rects[:, 0] < view.right)
            & (rects[:, 2] > view.x)
            & (rects[:, 1] < view.bottom)
            & (rects[:, 3] > view.y)
        )
        nodes = self.frame().nodes
        return [nodes[i] for i in np.flatnonzero(seen)]

    def looks(self, ids: Iterable[str]) -> list[NodeLook]:
        """The cards of some nodes."""
        wanted = set(ids)
        return [look for look in self.frame().nodes if look.id in wanted]

    def look(self, id: str) -> NodeLook | None:
        """The card of a node."""
        return next(iter(self.looks([id])), None)

    def nodes_in(self, rect: Rect) -> list[str]:
        """The ids of the cards that a rectangle touches."""
        return [look.id for look in self.in_view(rect) if geometry.card_rect(look).touches(rect)]

    def node_at(self, screen: QPointF) -> tuple[NodeLook, Hit] | None:
        """The uppermost card under a point of the screen, and its part."""
        at = self.camera.to_canvas(screen)
        near = Rect(at.x - PORT_REACH, at.y - PORT_REACH, 2 * PORT_REACH, 2 * PORT_REACH)
        for look in reversed(self.in_view(near)):
            found = hits.hit(look, at)
            if found is not None:
                return look, found
        return None

    def wire_at(self, screen: QPointF) -> InPort | None:
        """The end of the wire under a point of the screen."""
        at = self.camera.to_canvas(screen)
        reach = WIRE_REACH / self.camera.scale
        best: tuple[float, WireLook] | None = None
        for wire in self.frame().wires:
            path = curve.curve(wire.start, wire.end)
            if curve.bounds(path).grown(reach).contains(at):
                distance = curve.distance(path, at)
                if distance <= reach and (best is None or distance < best[0]):
                    best = (distance, wire)
        return wire_end(best[1].id) if best is not None else None

    def visible_ports(self, *, wants_input: bool) -> list[AnyPort]:
        """The inputs (or outputs) of the cards in view."""
        found: list[AnyPort] = []
        for look in self.in_view(self.view()):
            ports = look.card.inputs if wants_input else look.card.outputs
            found += [(InPort if wants_input else OutPort)(look.id, i) for i in range(len(ports))]
        return found

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
