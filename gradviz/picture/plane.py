"""Points and rectangles of the canvas, in canvas pixels, y downwards: values, as Qt's are not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, Self


class Point(NamedTuple):
    """A place on the canvas."""

    x: float
    y: float

    def moved(self, by: tuple[float, float]) -> Point:
        return Point(self.x + by[0], self.y + by[1])


class Rect(NamedTuple):
    """An upright rectangle: upper left corner and size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def center(self) -> Point:
        return Point(self.x + self.width / 2, self.y + self.height / 2)

    def moved(self, by: tuple[float, float]) -> Rect:
        return Rect(self.x + by[0], self.y + by[1], self.width, self.height)

    def grown(self, by: float) -> Rect:
        """Larger by `by` on each side (smaller, if it is negative)."""
        return Rect(self.x - by, self.y - by, self.width + 2 * by, self.height + 2 * by)

    def contains(self, point: tuple[float, float]) -> bool:
        return self.x <= point[0] < self.right and self.y <= point[1] < self.bottom

    def contains_rect(self, other: Rect) -> bool:
        """Whether all of `other` lies inside."""
        return (
            self.x <= other.x
            and other.right <= self.right
            and self.y <= other.y
            and other.bottom <= self.bottom
        )

    def overlap(self, other: Rect) -> float:
        """The area that both cover."""
        width = min(self.right, other.right) - max(self.x, other.x)
        height = min(self.bottom, other.bottom) - max(self.y, other.y)
        return width * height if width > 0 and height > 0 else 0.0

    def touches(self, other: Rect) -> bool:
        return (
            self.x < other.right
            and other.x < self.right
            and self.y < other.bottom
            and other.y < self.bottom
        )

    @classmethod
    def around(cls, rects: Iterable[Rect]) -> Self:
        """The smallest rectangle that holds all of `rects`."""
        all_rects = list(rects)
        if not all_rects:
            return cls(0, 0, 0, 0)
        x, y = min(r.x for r in all_rects), min(r.y for r in all_rects)
        right, bottom = max(r.right for r in all_rects), max(r.bottom for r in all_rects)
        return cls(x, y, right - x, bottom - y)


ORIGIN: Final = Point(0, 0)
NOWHERE: Final = Rect(0, 0, 0, 0)
