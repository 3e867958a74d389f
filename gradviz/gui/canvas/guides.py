"""What cards line up with while they are moved: the grid, edges and centres of other cards, ports of their wires."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from PySide6.QtCore import QLineF, Qt
from PySide6.QtGui import QPainter

from gradviz.edit import grid
from gradviz.graph.model import InPort, OutPort
from gradviz.picture import geometry
from gradviz.picture.colours import clear
from gradviz.picture.pen import line_pen
from gradviz.picture.plane import Point, Rect

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

REACH: Final = 7.0
"""From so near, in pixels of the screen, a line is taken."""
BEYOND: Final = 8.0
"""By how much a line is longer than what it joins."""
MOST: Final = 200
"""With more cards in view there would be a line everywhere: only wires are straightened then."""


class Match(NamedTuple):
    """How far to go so that two things are in line, and the line: along the other axis, from here to there."""

    way: float
    at: float
    start: float
    end: float


class Guides:
    """For one drag: `lines` are those that hold at the moment, in canvas pixels."""

    def __init__(self, canvas: Canvas, moving: Collection[str]) -> None:
        self._canvas = canvas
        sight = canvas.sight
        looks = sight.looks(moving)
        self._body = Rect.around(geometry.card_rect(look) for look in looks)
        resting = [look for look in sight.in_view(sight.view()) if look.id not in moving]
        self._others = [geometry.card_rect(look) for look in resting] if looks else []
        if len(resting) > MOST:
            self._others = []
        self._wires = list(self._between(moving))
        self.lines: tuple[QLineF, ...] = ()

    def _between(self, moving: Collection[str]) -> Iterable[tuple[Point, Point]]:
        """The wires between what moves and what rests: the port that moves, the one that rests."""
        sight, graph = self._canvas.sight, self._canvas.document.diagram.graph
        for id in moving:
            for index, source in enumerate(graph[id].inputs):
                if source is not None and source.node not in moving:
                    yield sight.port_point(InPort(id, index)), sight.port_point(source)
            for end in graph.consumers_of(id):
                source = graph[end.node].inputs[end.index]
                if end.node not in moving and source is not None:
                    yield sight.port_point(OutPort(id, source.index)), sight.port_point(end)

    def way(self, by: Point, *, free: bool) -> Point:
        """How far to move when the pointer has moved by `by`: to a line near there, else to the grid; `free`: as it is."""
        x, y = float(round(by.x)), float(round(by.y))
        lines: list[QLineF] = []
        if not free:
            across, down = self._across(by), self._down(by)
            x = across[0].way if across else grid.nearest(by.x)
            y = down[0].way if down else grid.nearest(by.y)
            lines += [QLineF(m.at, m.start - BEYOND, m.at, m.end + BEYOND) for m in across]
            lines += [QLineF(m.start - BEYOND, m.at, m.end + BEYOND, m.at) for m in down]
        self._show(lines)
        return Point(x, y)

    def _across(self, by: Point) -> list[Match]:
        """The best lines from top to bottom."""
        body = self._body.moved(by)
        found = []
        for other in self._others:
            start, end = min(body.y, other.y), max(body.bottom, other.bottom)
            for mine, theirs in zip(_xs(self._body), _xs(other), strict=True):
                found.append(Match(theirs - mine, theirs, start, end))
        return self._best(found, by.x)

    def _down(self, by: Point) -> list[Match]:
        """The best lines from left to right; a wire that becomes straight comes before all others."""
        straight = [
            Match(rests.y - moves.y, rests.y, *sorted((moves.x + by.x, rests.x)))
            for moves, rests in self._wires
        ]
        best = self._best(straight, by.y)
        if best:
            return best
        body = self._body.moved(by)
        found = []
        for other in self._others:
            start, end = min(body.x, other.x), max(body.right, other.right)
            for mine, theirs in zip(_ys(self._body), _ys(other), strict=True):
                found.append(Match(theirs - mine, theirs, start, end))
        return self._best(found, by.y)

    def _best(self, found: list[Match], by: float) -> list[Match]:
        """Those nearest to where the pointer wants it, one for each line, as long as it needs."""
        reach = REACH / self._canvas.camera.scale
        near = min((abs(match.way - by) for match in found), default=reach)
        if near >= reach:
            return []
        way = next(match.way for match in found if abs(match.way - by) == near)
        same = sorted((match for match in found if match.way == way), key=lambda match: match.at)
        joined = []
        for at, group in groupby(same, key=lambda match: match.at):
            matches = list(group)
            start, end = min(m.start for m in matches), max(m.end for m in matches)
            joined.append(Match(way, at, start, end))
        return joined

    def _show(self, lines: list[QLineF]) -> None:
        before, self.lines = self.lines, tuple(lines)
        if before != self.lines:
            margin = 2 / self._canvas.camera.scale
            self._canvas.touch(_rect(line).grown(margin) for line in (*before, *self.lines))

    def hide(self) -> None:
        """The drag is over."""
        self._show([])

    def paint(self, painter: QPainter) -> None:
        """Thin lines, a little longer than what they join."""
        pen = line_pen(clear(self._canvas.theme.forward, 0.7), 1 / self._canvas.camera.scale)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.drawLines(self.lines)


def _xs(rect: Rect) -> tuple[float, float, float]:
    return rect.x, rect.center.x, rect.right


def _ys(rect: Rect) -> tuple[float, float, float]:
    return rect.y, rect.center.y, rect.bottom


def _rect(line: QLineF) -> Rect:
    return Rect(line.x1(), line.y1(), line.dx(), line.dy())
