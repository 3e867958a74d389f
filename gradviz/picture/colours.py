"""All colours: two themes, and the diverging scale of numbers.

Direction is teal (forward) and red (backward), sign is blue (positive) and orange (negative): the
two pairs never mix, so cells are never teal or red, wires and frames never blue or orange.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor

from gradviz.picture.look import Flow, Kind

STEPS: Final = 256
CENTRE: Final = STEPS // 2
STRONGEST: Final = 0.86
"""How far the ends of the scale go towards the pure colour: numbers must stay readable on it."""
BLACK: Final = QColor("#000000")
WHITE: Final = QColor("#ffffff")


def mixed(a: QColor, b: QColor, share: float) -> QColor:
    """`a` with `share` (0 to 1) of `b`."""
    return QColor.fromRgbF(
        a.redF() + (b.redF() - a.redF()) * share,
        a.greenF() + (b.greenF() - a.greenF()) * share,
        a.blueF() + (b.blueF() - a.blueF()) * share,
    )


def clear(colour: QColor, opacity: float) -> QColor:
    """`colour`, seen through."""
    copy = QColor(colour)
    copy.setAlphaF(colour.alphaF() * opacity)
    return copy


def luminance(colour: QColor) -> float:
    """Relative luminance as WCAG 2 defines it."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (colour.redF(), colour.greenF(), colour.blueF())
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: QColor, b: QColor) -> float:
    """The WCAG contrast ratio, 1 to 21."""
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def ink_on(ground: QColor) -> QColor:
    """Black or white, whichever reads better on `ground`."""
    return BLACK if contrast(BLACK, ground) >= contrast(WHITE, ground) else WHITE


class Scale:
    """256 colours from negative over zero to positive, and for each the ink that reads on it."""

    def __init__(self, negative: QColor, zero: QColor, positive: QColor) -> None:
        self.colours: tuple[QColor, ...] = tuple(
            self._colour(i, negative, zero, positive) for i in range(STEPS)
        )
        self.inks = tuple(ink_on(colour) for colour in self.colours)
        self.rgb: npt.NDArray[np.uint32] = np.array([c.rgb() for c in self.colours], np.uint32)

    @staticmethod
    def _colour(i: int, negative: QColor, zero: QColor, positive: QColor) -> QColor:
        t = (i - CENTRE) / (CENTRE - 1)
        end = positive if t > 0 else negative
        # A little more than linear near zero, so that small numbers still differ from none.
        return mixed(zero, end, STRONGEST * min(abs(t), 1.0) ** 0.85)

    @staticmethod
    def index(values: npt.NDArray[np.float64], end: float) -> npt.NDArray[np.uint8]:
        """For each value its place on the scale that ends at ±`end`. NaN gets the centre."""
        if not end:
            end = 1.0
        with np.errstate(invalid="ignore", over="ignore"):
            place = np.clip(values / end, -1.0, 1.0) * (CENTRE - 1) + CENTRE
        return np.where(np.isnan(place), CENTRE, np.rint(place)).astype(np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Theme:
    """The colours of one appearance, by role. Compared by identity: it is part of cache keys."""

    name: str
    dark: bool
    window: QColor
    panel: QColor
    canvas: QColor
    soft: QColor
    line: QColor
    ink: QColor
    dim: QColor
    forward: QColor
    backward: QColor
    source: QColor
    op: QColor
    output: QColor
    output_text: QColor
    note: QColor
    note_ground: QColor
    positive: QColor
    negative: QColor
    scale: Scale = field(init=False)

    def __post_init__(self) -> None:
        zero = mixed(self.panel, self.soft, 0.5) if self.dark else self.panel
        object.__setattr__(self, "scale", Scale(self.negative, zero, self.positive))

    def flow(self, flow: Flow | None) -> QColor:
        """The colour of a direction; without one, the colour of wires at rest."""
        if flow is None:
            return self.wire
        return self.forward if flow is Flow.FORWARD else self.backward

    def head(self, kind: Kind) -> QColor:
        """The ground of a card's header."""
        return {Kind.SOURCE: self.source, Kind.OUTPUT: self.output}.get(kind, self.op)

    @property
    def wire(self) -> QColor:
        return _mixed(self.line, self.dim, 0.55)

    @property
    def frame(self) -> QColor:
        """The border of cards: a little stronger than a line between panels."""
        return _mixed(self.line, self.dim, 0.2)

    @property
    def hatch(self) -> QColor:
        return _mixed(self.soft, self.dim, 0.22)

    @property
    def near_shadow(self) -> QColor:
        return _mixed(self.canvas, BLACK, 0.4 if self.dark else 0.1)

    @property
    def far_shadow(self) -> QColor:
        return _mixed(self.canvas, BLACK, 0.25 if self.dark else 0.05)

    def faded(self, colour: QColor, share: float) -> QColor:
        """`colour` as it looks through `share` of the panel's."""
        return _mixed(colour, self.panel, share)

    def soft_flow(self, flow: Flow) -> QColor:
        """A ground that only hints at a direction."""
        return _mixed(self.panel, self.flow(flow), 0.16 if self.dark else 0.08)


@lru_cache(maxsize=64)
def _cached_mix(a: int, b: int, share: float) -> QColor:
    return mixed(QColor.fromRgba(a), QColor.fromRgba(b), share)


def _mixed(a: QColor, b: QColor, share: float) -> QColor:
    return _cached_mix(a.rgba(), b.rgba(), share)


LIGHT: Final = Theme(
    name="light",
    dark=False,
    window=QColor("#f6f7f9"),
    panel=QColor("#ffffff"),
    canvas=QColor("#fbfbfc"),
    soft=QColor("#eef1f5"),
    line=QColor("#d9dde3"),
    ink=QColor("#1d2430"),
    dim=QColor("#5d6980"),
    forward=QColor("#1b7083"),
    backward=QColor("#c43a4d"),
    source=QColor("#3d5a98"),
    op=QColor("#4a5568"),
    output=QColor("#2a7a53"),
    output_text=QColor("#2a7a53"),
    note=QColor("#8f5c0f"),
    note_ground=QColor("#fffaf0"),
    positive=QColor("#2f7fd1"),
    negative=QColor("#e07b2a"),
)

DARK: Final = Theme(
    name="dark",
    dark=True,
    window=QColor("#15181e"),
    panel=QColor("#1c2027"),
    canvas=QColor("#13161b"),
    soft=QColor("#242a33"),
    line=QColor("#303743"),
    ink=QColor("#e6eaf0"),
    dim=QColor("#9aa6b8"),
    forward=QColor("#55b8cb"),
    backward=QColor("#f0808e"),
    source=QColor("#4a68b0"),
    op=QColor("#4d5a70"),
    output=QColor("#2a7a53"),
    output_text=QColor("#57c08e"),
    note=QColor("#e0a83f"),
    note_ground=QColor("#2a2418"),
    positive=QColor("#3d8fe0"),
    negative=QColor("#e07b2a"),
)
