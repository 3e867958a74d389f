"""The rectangles of what a frame shows, kept in arrays from one frame to the next: what is in view, what has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from gradviz.picture import curve, geometry
from gradviz.picture.look import Frame, NodeLook, PacketLook, WireLook
from gradviz.picture.matrix import thumb_size
from gradviz.picture.plane import Rect

WIRE_EDGE: Final = 8.0
"""How far the halo of an active wire and its arrow head lie outside of its curve."""
LABEL_EDGE: Final = 4.0
PACKET_EDGE: Final = 8.0
MOST_KEPT: Final = 400
"""With more changes than this, all has changed."""

Item = TypeVar("Item")


class Boxes(Generic[Item]):
    """One row (left, top, right, bottom) per item; items that are the same object keep theirs."""

    def __init__(self, rect_of: Callable[[Item], Rect]) -> None:
        self._rect_of = rect_of
        self._items: Sequence[Item] = ()
        self._rows: npt.NDArray[np.float64] = np.zeros((0, 4))
        self._changed: list[Rect] | None = []

    def use(self, items: Sequence[Item]) -> None:
        """From now on, these items; where they differ from the last ones is remembered."""
        if items is self._items:
            return
        if len(items) != len(self._items):
            self._rows = np.array([_row(self._rect_of(item)) for item in items]).reshape(-1, 4)
            self._changed = None
        else:
            others = [
                (number, new)
                for number, (old, new) in enumerate(zip(self._items, items, strict=True))
                if old is not new and old != new
            ]
            if len(others) > MOST_KEPT:
                numbers = [number for number, _ in others]
                self._rows[numbers] = [_row(self._rect_of(new)) for _, new in others]
                self._changed = None
            else:
                for number, new in others:
                    self._change(number, new)
        self._items = items

    def _change(self, number: int, new: Item) -> None:
        rect = self._rect_of(new)
        if self._changed is not None:
            left, top, right, bottom = self._rows[number].tolist()
            self._changed += [Rect(left, top, right - left, bottom - top), rect]
            if len(self._changed) > MOST_KEPT:
                self._changed = None
        self._rows[number] = _row(rect)

    def take_changes(self) -> list[Rect] | None:
        """Where items have changed since this was asked last; None if all of them may have."""
        changed, self._changed = self._changed, []
        return changed

    def touching(self, rects: Iterable[Rect]) -> list[Item]:
        """The items that touch one of the rectangles, in their order."""
        seen = np.zeros(len(self._rows), dtype=bool)
        left, top, right, bottom = self._rows.T
        for rect in rects:
            seen |= (left < rect.right) & (right > rect.x) & (top < rect.bottom) & (bottom > rect.y)
        return [self._items[number] for number in np.flatnonzero(seen).tolist()]


def _row(rect: Rect) -> tuple[float, float, float, float]:
    return rect.x, rect.y, rect.right, rect.bottom


def wire_rect(look: WireLook) -> Rect:
    """All that painting a wire may touch, with its label."""
    rect = curve.bounds(look.curve).grown(WIRE_EDGE)
    if look.label is None or look.label.place is None:
        return rect
    return Rect.around([rect, look.label.place.grown(LABEL_EDGE)])


def packet_rects(packets: Iterable[PacketLook], wires: Iterable[WireLook]) -> list[Rect]:
    """Where packets are."""
    travelling = {packet.wire for packet in packets}
    by_id = {wire.id: wire for wire in wires if wire.id in travelling} if travelling else {}
    found = []
    for packet in packets:
        wire = by_id.get(packet.wire)
        if wire is not None:
            x, y = curve.point_at(wire.curve, packet.along).moved(packet.offset)
            width, height = (side * max(packet.size, 1.0) for side in thumb_size(packet.content))
            found.append(Rect(x - width / 2, y - height / 2, width, height).grown(PACKET_EDGE))
    return found


class Changes:
    """Tells, frame after frame, where the picture has become another one."""

    def __init__(self) -> None:
        self.nodes: Boxes[NodeLook] = Boxes(geometry.outer_rect)
        self.wires: Boxes[WireLook] = Boxes(wire_rect)
        self._packets: list[Rect] = []
        self._notes: object = ()

    def use(self, frame: Frame) -> None:
        """From now on, this frame."""
        self.nodes.use(frame.nodes)
        self.wires.use(frame.wires)

    def take(self, frame: Frame) -> list[Rect] | None:
        """Where `frame` differs from the one that was asked about last; None for everywhere."""
        self.use(frame)
        nodes, wires = self.nodes.take_changes(), self.wires.take_changes()
        packets, self._packets = self._packets, packet_rects(frame.packets, frame.wires)
        notes, self._notes = self._notes, frame.notes
        if nodes is None or wires is None or notes != frame.notes:
            return None
        return [*nodes, *wires, *packets, *self._packets]


def part_of(frame: Frame, seen: Changes, rects: Sequence[Rect]) -> Frame:
    """What of `frame` must be painted for some rectangles of it."""
    travelling = {packet.wire for packet in frame.packets}
    wires = seen.wires.touching(rects)
    if travelling:
        known = {wire.id for wire in wires}
        wires += [wire for wire in frame.wires if wire.id in travelling and wire.id not in known]
    return Frame(
        tuple(seen.nodes.touching(rects)),
        tuple(wires),
        frame.packets,
        tuple(note for note in frame.notes if any(note.place.grown(2).touches(r) for r in rects)),
        (),
        frame.bounds,
    )
