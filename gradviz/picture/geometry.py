"""Where the parts of a card are. Depends on its `Card` alone, so nothing moves while a film plays.

All rectangles are relative to the card's upper left corner, in canvas pixels, multiples of 4 apart.
`curve.py` has the geometry of wires, `hit.py` finds the part under a point, `labels.py` the room
beside wires.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Final

from gradviz.picture import text
from gradviz.picture.boxes import (
    GAP,
    GLOW,
    HEADER,
    LINE,
    PADDING,
    PORT_PITCH,
    SEAM,
    TAB_HEIGHT,
    Arrangement,
    BandBox,
    NoteBox,
)
from gradviz.picture.look import Card, Form, Kind, NodeLook, Note, Room
from gradviz.picture.plane import Point, Rect

ROW: Final = 24.0
CAPTION: Final = 20.0
SLOT: Final = 20.0
SLOT_GAP: Final = 4.0
SLOTS_SHOWN: Final = 5
NARROWEST: Final = 180.0
NOTE_WIDTH: Final = 232.0
WIDEST_NAME: Final = 208.0
WIDEST_CELL: Final = 80.0
HEAT_SIDE: Final = 192.0
PILL: Final = 32.0
GATE: Final = 52.0
MOST_SEEN: Final = 32768
_seen: dict[int, tuple[Card, Arrangement]] = {}
CHARACTERS: Final = (4, 7, 10, 12)
"""Numbers get room in these steps, so that one digit more rarely changes a card's size."""


def arrange(card: Card) -> Arrangement:
    """Where everything of `card` is."""
    # The hash of a card costs more than all else here, and most cards come back as they are.
    found = _seen.get(id(card))
    if found is not None and found[0] is card:
        return found[1]
    if len(_seen) >= MOST_SEEN:
        _seen.clear()
    arrangement = _arranged(card)
    _seen[id(card)] = (card, arrangement)
    return arrangement


@lru_cache(maxsize=16384)
def _arranged(card: Card) -> Arrangement:
    if card.kind is Kind.LITERAL:
        return _literal(card)
    if card.kind is Kind.GATE:
        return _gate(card)
    return _card(_even(card))


def card_rect(look: NodeLook) -> Rect:
    """The card of `look` on the canvas."""
    arrangement = arrange(look.card)
    return Rect(look.place.x, look.place.y, arrangement.width, arrangement.height)


def outer_rect(look: NodeLook) -> Rect:
    """All that painting `look` may touch: with ports, glow and tab."""
    rect = card_rect(look).grown(GLOW + 1)
    above = TAB_HEIGHT if look.tab else 0.0
    return Rect(rect.x, rect.y - above, rect.width, rect.height + above)


def input_point(look: NodeLook, index: int) -> Point:
    """Where the wire into input `index` ends, on the canvas."""
    return arrange(look.card).inputs[index].moved(look.place)


def output_point(look: NodeLook, index: int = 0) -> Point:
    """Where the wires from output `index` start, on the canvas."""
    return arrange(look.card).outputs[index].moved(look.place)


def _up(value: float, step: float = 4.0) -> float:
    """`value` rounded up to a multiple of `step`."""
    return math.ceil(value / step - 1e-6) * step


def _room_for(characters: int) -> int:
    return next((step for step in CHARACTERS if characters <= step), characters)


def number_width(characters: int, style: text.Style) -> float:
    """The width of so many digits."""
    return characters * text.width("0", style)


def _literal(card: Card) -> Arrangement:
    wide = max(text.width(card.title, text.BIG_NUMBER) + 24, text.width(card.words, text.PLAIN), 48)
    width = _up(wide)
    pill = Rect(0, 0, width, PILL)
    return _small(card, pill, width)


def _gate(card: Card) -> Arrangement:
    width = _up(max(text.width(card.words, text.PLAIN), GATE))
    return _small(card, Rect((width - GATE) / 2, 0, GATE, PILL), width)


def _small(card: Card, body: Rect, width: float) -> Arrangement:
    words = Rect(0, PILL + 4, width, LINE) if card.words else Rect(0, PILL, width, 0)
    middle = PILL / 2
    return Arrangement(
        width=width,
        height=words.bottom,
        body=body,
        header=None,
        title=body,
        words=words,
        tag=Rect(0, 0, 0, 0),
        value=None,
        gradient=None,
        slots=(),
        name=None,
        inputs=tuple(Point(body.x, middle) for _ in card.inputs),
        outputs=tuple(Point(body.right, middle) for _ in card.outputs),
        input_labels=tuple(Rect(body.x, middle, 0, 0) for _ in card.inputs),
        output_labels=tuple(Rect(body.right, middle, 0, 0) for _ in card.outputs),
    )


def _card(card: Card) -> Arrangement:
    left, right = _gutter(card.inputs), _gutter(card.outputs)
    inner = _inner_width(card, left + right)
    width = inner + left + right
    stack = _Stack(left, HEADER + GAP, inner)
    value = stack.band(card.value, card.value_caption, card.value_note, column=_column(card))
    gradient, slots = _gradient(card, stack)
    name = stack.take(LINE, gap=4.0) if card.name else None
    middle = value.box.center.y
    inputs = tuple(Point(0, y) for y in _port_heights(len(card.inputs), middle))
    outputs = tuple(Point(width, y) for y in _port_heights(len(card.outputs), middle))
    lowest = max((point.y for point in (*inputs, *outputs)), default=0.0) + PORT_PITCH / 2
    height = _up(max(stack.y + (GAP if card.name else PADDING), lowest))
    tag = text.width(card.tag, text.NUMBER)
    title = Rect(PADDING, 0, min(text.width(heading(card), text.TITLE), WIDEST_NAME), HEADER)
    return Arrangement(
        width=width,
        height=height,
        body=Rect(0, 0, width, height),
        header=Rect(0, 0, width, HEADER),
        title=title,
        words=Rect(title.right + GAP, 0, text.width(card.words, text.PLAIN), HEADER),
        tag=Rect(width - PADDING - tag, 0, tag, HEADER),
        value=value,
        gradient=gradient,
        slots=slots,
        name=name,
        inputs=inputs,
        outputs=outputs,
        input_labels=tuple(Rect(10, p.y - LINE / 2, left - 20, LINE) for p in inputs),
        output_labels=tuple(
            Rect(width - right + 10, p.y - LINE / 2, right - 20, LINE) for p in outputs
        ),
    )


def heading(card: Card) -> str:
    """Sign and title as they head the card."""
    return f"{card.sign}  {card.title}" if card.sign else card.title


def _even(card: Card) -> Card:
    """Value and gradient get columns of the same width, whichever has the longer numbers."""
    value, gradient = card.value, card.gradient
    if gradient is None or value.form is not gradient.form:
        return card
    longest = max(value.characters, gradient.characters)
    rooms = (replace(room, characters=longest) for room in (value, gradient))
    return replace(card, value=next(rooms), gradient=next(rooms))


def _gutter(labels: tuple[str, ...]) -> float:
    """The space left or right of the bands: wider where ports have labels."""
    widest = max((text.width(label, text.NUMBER) for label in labels), default=0.0)
    return _up(widest + 10 + PADDING) + GAP if widest else PADDING


def _port_heights(count: int, middle: float) -> list[float]:
    """Ports stand around the middle of the value, but never beside the header."""
    first = max(HEADER + LINE, middle - PORT_PITCH * (count - 1) / 2)
    return [first + PORT_PITCH * i for i in range(count)]


def _column(card: Card) -> float:
    """The width of the captions beside numbers."""
    captions = (card.value_caption, card.gradient_caption if card.gradient else "")
    return _up(max(text.width(caption, text.PLAIN) for caption in captions) + GAP)


def _inner_width(card: Card, gutters: float) -> float:
    """The width of the bands: what the widest part needs, and a whole number of cells."""
    needs = [NARROWEST - gutters, _header_width(card) - gutters]
    needs.append(min(text.width(card.name, text.PLAIN), WIDEST_NAME))
    rooms = [(card.value, card.value_caption)]
    if card.gradient:
        rooms.append((card.gradient, card.gradient_caption))
    needs += [_band_width(room, caption, _column(card)) for room, caption in rooms]
    needs += [NOTE_WIDTH for note in (card.value_note, card.gradient_note) if note]
    needs += _slots_width(card)
    inner = _up(max(needs))
    grids = [room for room, _ in rooms if room.form is Form.GRID]
    return max([inner, *(_cell_width(room, inner) * room.columns for room in grids)])


def _header_width(card: Card) -> float:
    title = min(text.width(heading(card), text.TITLE), WIDEST_NAME)
    words = text.width(card.words, text.PLAIN) + GAP if card.words else 0.0
    tag = text.width(card.tag, text.NUMBER) + LINE if card.tag else 0.0
    return 2 * PADDING + title + words + tag


def _band_width(room: Room, caption: str, column: float) -> float:
    if room.form is Form.NUMBER:
        return column + number_width(_room_for(room.characters), text.BIG_NUMBER) + LINE
    beside = _beside_scale(caption)
    if room.form is Form.HEAT:
        return max(beside, HEAT_SIDE)
    return max(beside, _narrowest_cell(room) * room.columns)


def _beside_scale(caption: str) -> float:
    """The width of a caption and the end of a scale, beside each other."""
    return text.width(caption, text.PLAIN) + LINE + number_width(7, text.NUMBER)


def _slots_width(card: Card) -> list[float]:
    if not card.slots or not card.gradient:
        return []
    characters = _room_for(card.gradient.characters)
    labels = [text.width(label, text.PLAIN) for label in (*card.slots, card.more)]
    slot = min(max(labels), WIDEST_NAME) + number_width(characters, text.STRONG_NUMBER) + ROW
    return [slot, min(number_width(card.sum_characters, text.STRONG_NUMBER) + LINE, NOTE_WIDTH)]


def _narrowest_cell(room: Room) -> float:
    return max(_up(number_width(_room_for(room.characters), text.NUMBER) + 8), 36.0)


def _cell_width(room: Room, inner: float) -> float:
    """Cells share the width of the card, up to a point."""
    return max(_narrowest_cell(room), min(_up(inner / room.columns), WIDEST_CELL))


def _gradient(card: Card, stack: _Stack) -> tuple[BandBox | None, tuple[Rect, ...]]:
    """The gradient's band; contributions stand above it like the numbers of a written addition."""
    if card.gradient is None:
        return None, ()
    if not card.slots:
        gap = SLOT_GAP if card.gradient.form is Form.NUMBER else PADDING
        stack.skip(gap)
        column = _column(card)
        return stack.band(card.gradient, card.gradient_caption, card.gradient_note, column), ()
    stack.skip(GAP)
    caption = stack.take(CAPTION)
    slots = tuple(
        stack.take(SLOT, gap=SLOT_GAP if i else 0.0)
        for i in range(min(len(card.slots), SLOTS_SHOWN) + bool(card.more))
    )
    stack.skip(SLOT_GAP + 2)
    words = card.gradient_caption
    return stack.content(card.gradient, words, caption, card.gradient_note), slots


class _Stack:
    """Hands out rectangles from the top down."""

    def __init__(self, x: float, y: float, width: float) -> None:
        self.x, self.y, self.width = x, y, width

    def skip(self, gap: float) -> None:
        self.y += gap

    def take(self, height: float, gap: float = 0.0) -> Rect:
        rect = Rect(self.x, self.y + gap, self.width, height)
        self.y = rect.bottom
        return rect

    def band(self, room: Room, caption: str, note: Note | None, column: float) -> BandBox:
        """A caption and what it is about: beside a number, above everything else."""
        if note or room.form is not Form.NUMBER:
            return self.content(room, caption, self.take(CAPTION if caption else 0.0), note)
        row = self.take(ROW)
        beside = Rect(row.x, row.y, column, row.height)
        box = Rect(row.x + column, row.y, row.width - column, row.height)
        return BandBox(room, beside, Rect(row.right, row.y, 0, row.height), box, box[2:])

    def content(self, room: Room, words: str, caption: Rect, note: Note | None) -> BandBox:
        """What stands below the `caption` that says `words`."""
        if note:
            box, placed = self._note(note)
            return BandBox(room, caption, caption, box, box[2:], note=placed)
        if room.form is Form.NUMBER:
            row = self.take(ROW)
            return BandBox(room, caption, caption, row, row[2:])
        cell = self._cell(room)
        seams = (SEAM if room.column_gap else 0.0, SEAM if room.row_gap else 0.0)
        width, height = room.columns * cell[0] + seams[0], room.rows * cell[1] + seams[1]
        taken = self.take(height)
        box = Rect(taken.x, taken.y, width, height)
        beside = _beside_scale(words)
        scale = Rect(caption.x, caption.y, min(max(width, beside), self.width), caption.height)
        self.skip(4.0 if room.lines else 0.0)
        summary = tuple(self.take(LINE) for _ in range(room.lines))
        return BandBox(room, caption, scale, box, cell, summary)

    def _cell(self, room: Room) -> tuple[float, float]:
        if room.form is Form.GRID:
            return _cell_width(room, self.width), ROW
        side = min(self.width // room.columns, HEAT_SIDE * 0.75 // room.rows, PADDING)
        # A strip of one or two rows is made high enough to be seen.
        return side, max(side, min(ROW, 2 * ROW // room.rows))

    def _note(self, note: Note) -> tuple[Rect, NoteBox]:
        start = self.y
        title = self.take(ROW)
        lines = tuple(
            (line, self.take(LINE)) for line in text.wrap(note.sentence, text.PLAIN, self.width)
        )
        self.skip(4.0 if note.actions else 0.0)
        actions = self._actions(note.actions)
        box = Rect(self.x, start, self.width, self.y - start)
        return box, NoteBox(title, lines, actions)

    def _actions(self, actions: tuple[str, ...]) -> tuple[tuple[str, Rect], ...]:
        """Actions beside each other, as many as fit on a line."""
        placed: list[tuple[str, Rect]] = []
        x = self.x
        for action in actions:
            width = text.width(action, text.STRONG)
            if not placed or x + width > self.x + self.width:
                line, x = self.take(SLOT), self.x
            placed.append((action, Rect(x, line.y, width, SLOT)))
            x += width + LINE
        return tuple(placed)
