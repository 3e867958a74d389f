"""The curve of a wire: cubic Béziers that leave to the right and enter from the left."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import lru_cache
from itertools import pairwise
from typing import Final

from gradviz.picture.plane import Point, Rect

SAMPLES: Final = 24
"""Straight pieces per Bézier when lengths and distances are measured."""
SHORTEST_HANDLE: Final = 32.0
LOOP: Final = 56.0
"""How far a wire that runs backwards swings out before it turns."""

Curve = tuple[Point, ...]
"""A start, then two handles and an end for each Bézier."""


@lru_cache(maxsize=16384)
def curve(start: Point, end: Point, via: tuple[Point, ...] = ()) -> Curve:
    """The curve from an output port at `start` to an input port at `end`, through the points of `via`."""
    if via:
        return _through((start, *via, end))
    across = end.x - start.x
    if across >= 0:
        handle = max(SHORTEST_HANDLE, across / 2)
        return (start, Point(start.x + handle, start.y), Point(end.x - handle, end.y), end)
    return _backwards(start, end)


def _through(places: tuple[Point, ...]) -> Curve:
    """Out to the right, smoothly through all of them, and in from the left.

    At a point in between, the wire has the direction from the point before to the one behind.
    """
    points = [places[0]]
    last = len(places) - 1
    for number, (a, b) in enumerate(pairwise(places)):
        reach = math.dist(a, b) / 3
        if number == 0:
            first = Point(a.x + max(reach, SHORTEST_HANDLE / 2), a.y)
        else:
            first = _towards(a, places[number - 1], b, reach)
        if number + 1 == last:
            second = Point(b.x - max(reach, SHORTEST_HANDLE / 2), b.y)
        else:
            second = _towards(b, places[number + 2], a, reach)
        points += [first, second, b]
    return tuple(points)


def _towards(at: Point, other: Point, near: Point, reach: float) -> Point:
    """`reach` away from `at`, in the direction from `other` to `near`."""
    length = math.dist(other, near)
    if not length:
        return at
    return Point(
        at.x + (near.x - other.x) / length * reach, at.y + (near.y - other.y) / length * reach
    )


def _backwards(start: Point, end: Point) -> Curve:
    """Out to the right, round, straight back, round, and in from the left."""
    down = end.y - start.y
    # Wires between ports of nearly the same height pass below the cards between them.
    lane = start.y + down / 2 if abs(down) > 3 * LOOP else max(start.y, end.y) + 2 * LOOP
    middle = Point((start.x + end.x) / 2, lane)
    reach = min(LOOP + (start.x - end.x) / 8, 2 * LOOP)
    return (
        start,
        Point(start.x + reach, start.y),
        Point(start.x + reach, lane),
        middle,
        Point(end.x - reach, lane),
        Point(end.x - reach, end.y),
        end,
    )


@lru_cache(maxsize=4096)
def polyline(curve: Curve) -> tuple[Point, ...]:
    """Points along the curve, close enough to stand for it."""
    points = [curve[0]]
    for i in range(0, len(curve) - 1, 3):
        a, b, c, d = curve[i : i + 4]
        points += [_bezier(a, b, c, d, k / SAMPLES) for k in range(1, SAMPLES + 1)]
    return tuple(points)


def _bezier(a: Point, b: Point, c: Point, d: Point, t: float) -> Point:
    s = 1 - t
    wa, wb, wc, wd = s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t
    return Point(
        wa * a.x + wb * b.x + wc * c.x + wd * d.x, wa * a.y + wb * b.y + wc * c.y + wd * d.y
    )


@lru_cache(maxsize=4096)
def _lengths(curve: Curve) -> tuple[float, ...]:
    lengths = [0.0]
    for a, b in pairwise(polyline(curve)):
        lengths.append(lengths[-1] + math.dist(a, b))
    return tuple(lengths)


def point_at(curve: Curve, share: float) -> Point:
    """The point after `share` (0 to 1) of the curve's length: packets keep an even speed."""
    points, i, rest = _piece_at(curve, share)
    a, b = points[i], points[i + 1]
    return Point(a.x + (b.x - a.x) * rest, a.y + (b.y - a.y) * rest)


def angle_at(curve: Curve, share: float) -> float:
    """The direction of travel there, in degrees; 0 is to the right, 90 downwards."""
    points, i, _ = _piece_at(curve, share)
    a, b = points[i], points[i + 1]
    return math.degrees(math.atan2(b.y - a.y, b.x - a.x))


def _piece_at(curve: Curve, share: float) -> tuple[tuple[Point, ...], int, float]:
    """The polyline, the number of the piece that holds the point, and how far into it."""
    points, lengths = polyline(curve), _lengths(curve)
    wanted = min(max(share, 0.0), 1.0) * lengths[-1]
    i = min(max(bisect_left(lengths, wanted), 1), len(points) - 1) - 1
    piece = lengths[i + 1] - lengths[i]
    return points, i, (wanted - lengths[i]) / piece if piece else 0.0


def distance(curve: Curve, point: Point) -> float:
    """How far `point` is from the curve: for hitting wires and for keeping labels off them."""
    return min(_distance(a, b, point) for a, b in pairwise(polyline(curve)))


def nearest(curve: Curve, point: Point) -> int:
    """The number of the Bézier that is nearest to `point`."""
    pieces = [_distance(a, b, point) for a, b in pairwise(polyline(curve))]
    return pieces.index(min(pieces)) // SAMPLES


def crossing(curve: Curve, a: Point, b: Point) -> tuple[Point, int] | None:
    """Where the curve first crosses the line from `a` to `b`, and in which Bézier."""
    for number, (c, d) in enumerate(pairwise(polyline(curve))):
        found = _meeting(a, b, c, d)
        if found is not None:
            return found, number // SAMPLES
    return None


def _meeting(a: Point, b: Point, c: Point, d: Point) -> Point | None:
    """The point that two lines have in common, if they cross."""
    across = (b.x - a.x) * (d.y - c.y) - (b.y - a.y) * (d.x - c.x)
    if not across:
        return None
    t = ((c.x - a.x) * (d.y - c.y) - (c.y - a.y) * (d.x - c.x)) / across
    u = ((c.x - a.x) * (b.y - a.y) - (c.y - a.y) * (b.x - a.x)) / across
    if not (0 <= t <= 1 and 0 <= u <= 1):
        return None
    return Point(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t)


def _distance(a: Point, b: Point, p: Point) -> float:
    dx, dy = b.x - a.x, b.y - a.y
    square = dx * dx + dy * dy
    t = min(max(((p.x - a.x) * dx + (p.y - a.y) * dy) / square, 0.0), 1.0) if square else 0.0
    return math.hypot(p.x - a.x - t * dx, p.y - a.y - t * dy)


def bounds(curve: Curve) -> Rect:
    """A rectangle that surely holds the curve: that of its handles."""
    xs, ys = zip(*curve, strict=True)
    left, top = min(xs), min(ys)
    return Rect(left, top, max(xs) - left, max(ys) - top)
