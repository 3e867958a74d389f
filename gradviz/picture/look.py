"""Looks: frozen records that fully describe one moment of the picture.

Places are canvas pixels, numbers are the strings that appear, words are already translated.
`frame.py` alone makes looks from a run; painters know nothing else. A `Card` says what never
changes while a film plays, and alone decides a node's size; a `NodeLook` adds the moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np
import numpy.typing as npt

from gradviz.picture.curve import Curve, curve
from gradviz.picture.plane import NOWHERE, ORIGIN, Point, Rect

Floats = npt.NDArray[np.float64]


class Kind(Enum):
    """How a node is drawn."""

    SOURCE = "source"
    OP = "op"
    OUTPUT = "output"
    OPAQUE = "opaque"
    """An op that is not known here: kept, but it cannot run."""
    LITERAL = "literal"
    """A number in the mathematics: a pill with `title` in it and `words` under it."""
    GATE = "gate"
    """Stop gradient, drawn as a gate on the wire with `words` under it."""


class Flow(Enum):
    """Which way something travels: values forward (teal), gradients backward (red)."""

    FORWARD = "forward"
    BACKWARD = "backward"


class Form(Enum):
    """How an array is shown: one number, a table of numbers, or a heatmap."""

    NUMBER = "number"
    GRID = "grid"
    HEAT = "heat"


@dataclass(frozen=True, slots=True)
class Room:
    """The room a band keeps free, made by `content.room`.

    `characters`: of the longest number ever shown in it; `lines`: of the longest summary. Gaps as
    in `Heat`.
    """

    form: Form = Form.NUMBER
    rows: int = 1
    columns: int = 1
    characters: int = 7
    row_gap: int = 0
    column_gap: int = 0
    lines: int = 0


@dataclass(frozen=True, slots=True)
class Number:
    """One number as text."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """A table of numbers. `values` (same shape as `rows`) tint it, on a scale that ends at ±`end`.

    `scale` is that end as text, `±2`. `every`: so many rows belong together (a slice of a higher
    rank).
    """

    rows: tuple[tuple[str, ...], ...]
    values: Floats
    end: float
    scale: str
    every: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Heat:
    """An array larger than a card, as colours. `values` are the cells shown, both ends kept.

    `row_gap` and `column_gap`: the row and column of `values` before which others were left out
    (0: none). `lines` is the summary, in at most three short lines.
    """

    values: Floats
    end: float
    scale: str
    row_gap: int = 0
    column_gap: int = 0
    lines: tuple[str, ...] = ()


Content = Number | Cells | Heat


@dataclass(frozen=True, slots=True)
class Note:
    """An explanation on amber ground inside a card: why a gradient is None, why a value cannot be.

    `title` is set in the font of numbers (`∂y/∂Z = None`), `sentence` is wrapped, `actions` can be
    clicked.
    """

    title: str
    sentence: str = ""
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """All of a node that stays while a film plays. Equal cards have equal size.

    `sign` and `title` head the card ("Σ", "sum"), `words` follow in regular weight ("variable"),
    `tag` stands at the right ("3×3 f32"), `name` at the foot ("named s"). `inputs` and `outputs`
    have one label per port, empty where none is needed. `gradient` is `None` for a node that never
    has one. `slots` names the roads by which contributions come back ("from square"), empty unless
    there are several; `more` stands for those beyond `geometry.SLOTS_SHOWN`; `sum_characters` is
    the length of the longest sum ever shown. A note keeps its room from the start and appears when
    its band says `NONE` or `ERROR`.
    """

    kind: Kind
    title: str
    sign: str = ""
    words: str = ""
    tag: str = ""
    name: str = ""
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ("",)
    value: Room = Room()
    gradient: Room | None = Room()
    value_caption: str = ""
    gradient_caption: str = ""
    slots: tuple[str, ...] = ()
    more: str = ""
    sum_characters: int = 0
    value_note: Note | None = None
    gradient_note: Note | None = None


class State(Enum):
    """What a band knows."""

    WAITING = "waiting"
    """Nothing yet: hatched, with `words` such as "not yet" or "waits for sum"."""
    KNOWN = "known"
    NONE = "none"
    """There is no gradient, and the card's `gradient_note` says why."""
    ERROR = "error"
    """It cannot be computed, and the card's `value_note` or `gradient_note` says why."""


@dataclass(frozen=True, slots=True)
class Band:
    """A value or a gradient at one moment."""

    state: State = State.WAITING
    content: Content | None = None
    words: str = ""


class Arrival(Enum):
    """Where a contribution to a gradient is."""

    PENDING = "pending"
    NOW = "now"
    ARRIVED = "arrived"


@dataclass(frozen=True, slots=True)
class Slot:
    """The contribution of one road; its label is in `Card.slots`."""

    arrival: Arrival = Arrival.PENDING
    content: Content | None = None


@dataclass(frozen=True, slots=True)
class Port:
    """A port. `flow` is what its wire carried last, `None` before anything came by."""

    connected: bool = False
    flow: Flow | None = None


@dataclass(frozen=True, slots=True)
class NodeLook:
    """A node at one moment; `place` is the upper left corner of its card.

    `sum` is the addition that gave the gradient ("6 + 1 = 7"), shown once the slots have merged;
    `merge` is how far they are on the way (0 to 1). `active` makes the card glow. `target` and
    `wrt` mark the ends of the question; `tab` is the word for it above the card. `dimmed`: the
    numbers are old ones. Selection is painted over a look and is no part of it.
    """

    id: str
    card: Card
    place: Point
    value: Band = Band()
    gradient: Band = Band()
    slots: tuple[Slot, ...] = ()
    sum: str = ""
    merge: float = 0.0
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    active: Flow | None = None
    target: bool = False
    wrt: bool = False
    tab: str = ""
    dimmed: bool = False


class Phase(Enum):
    """What a wire is doing."""

    IDLE = "idle"
    OFFERED = "offered"
    """Not there yet: while it is drawn, or proposed. Dashed."""
    FORWARD_ACTIVE = "forward active"
    FORWARD_DONE = "forward done"
    BACKWARD_PENDING = "backward pending"
    """The other end already waits for what comes back this way. Dashed."""
    BACKWARD_ACTIVE = "backward active"
    BACKWARD_DONE = "backward done"

    @property
    def flow(self) -> Flow | None:
        """The direction of what travels here, if anything does."""
        return FLOW_OF_PHASE.get(self)

    @property
    def active(self) -> bool:
        return self in (Phase.FORWARD_ACTIVE, Phase.BACKWARD_ACTIVE)

    @property
    def dashed(self) -> bool:
        return self in (Phase.OFFERED, Phase.BACKWARD_PENDING)


FLOW_OF_PHASE: Final = {
    Phase.FORWARD_ACTIVE: Flow.FORWARD,
    Phase.FORWARD_DONE: Flow.FORWARD,
    Phase.BACKWARD_PENDING: Flow.BACKWARD,
    Phase.BACKWARD_ACTIVE: Flow.BACKWARD,
    Phase.BACKWARD_DONE: Flow.BACKWARD,
}


@dataclass(frozen=True, slots=True)
class Label:
    """Lines beside a wire, the last one in bold: "1 × 2·s", "= 1 × 6", "= 6".

    `place` may stay empty: `labels.compose` finds a free one. `anchor` is the point of the wire it
    speaks of.
    """

    lines: tuple[str, ...]
    place: Rect | None = None
    anchor: Point | None = None


@dataclass(frozen=True, slots=True)
class WireLook:
    """A wire from an output port to an input port, led through the points of `via`."""

    id: str
    start: Point
    end: Point
    phase: Phase = Phase.IDLE
    label: Label | None = None
    via: tuple[Point, ...] = ()

    @property
    def curve(self) -> Curve:
        """Its way, through the points of `via`."""
        return curve(self.start, self.end, self.via)


@dataclass(frozen=True, slots=True)
class PacketLook:
    """A thumbnail of an array on its way along a wire; `film.packets` makes them.

    `along` is the place between the wire's start (0) and its end (1), whichever way it goes.
    `reveal` is the share of rows that are unfolded, `turn` the width of a sheet that is being
    turned over (1: flat), `spread` how far cells that are not 0 have flown from the middle to their
    places. `shut` names cells behind a shutter (row, column) and `shutter` how far it is closed.
    """

    wire: str
    content: Content
    along: float
    flow: Flow
    offset: Point = ORIGIN
    opacity: float = 1.0
    size: float = 1.0
    reveal: float = 1.0
    turn: float = 1.0
    spread: float = 1.0
    shut: tuple[tuple[int, int], ...] = ()
    shutter: float = 0.0


@dataclass(frozen=True, slots=True)
class NoteLook:
    """A note that a person put on the canvas."""

    place: Rect
    text: str


@dataclass(frozen=True, slots=True)
class Arrow:
    """At the edge of the view: an active node lies out of it, at `angle` degrees (0 is right)."""

    point: Point
    angle: float
    flow: Flow
    text: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One whole moment, in painting order; `labels.compose` makes it and computes `bounds`."""

    nodes: tuple[NodeLook, ...] = ()
    wires: tuple[WireLook, ...] = ()
    packets: tuple[PacketLook, ...] = ()
    notes: tuple[NoteLook, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    bounds: Rect = NOWHERE
