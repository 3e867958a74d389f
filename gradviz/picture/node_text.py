"""The texts of a card, each with the box it must fit. `node.py` paints what is around them."""

from __future__ import annotations

import re
from typing import Final

from PySide6.QtGui import QColor

from gradviz.picture import film, text
from gradviz.picture.boxes import PADDING, TAB_HEIGHT, Arrangement, BandBox
from gradviz.picture.colours import WHITE, Theme, clear, ink_on
from gradviz.picture.geometry import heading
from gradviz.picture.look import (
    Arrival,
    Band,
    Cells,
    Flow,
    Heat,
    Kind,
    NodeLook,
    Note,
    Number,
    Slot,
    State,
)
from gradviz.picture.plane import Rect
from gradviz.picture.text import Align, Piece

INSET: Final = 8.0
"""Between a number and the frame around it."""
SUM_RESULT: Final = re.compile(r"(.*[=≈] )(.+)", re.DOTALL)
FAR_PIXELS: Final = 10.0
"""The size of a title on the screen when a card is too small for other text."""


def has_note(look: NodeLook) -> bool:
    """Whether a note is showing: the card turns amber."""
    return _noted(look.value) or _noted(look.gradient)


def _noted(band: Band) -> bool:
    return band.state in (State.NONE, State.ERROR)


def tab_rect(look: NodeLook) -> Rect:
    """Where the tab above the card is, relative to the card."""
    width = text.width(look.tab, text.STRONG) + 2 * INSET
    return Rect(PADDING, -TAB_HEIGHT, width, TAB_HEIGHT + 1)


def header(look: NodeLook, arrangement: Arrangement, theme: Theme) -> list[Piece]:
    """What stands in the header, and on the tab."""
    card = look.card
    faint = clear(WHITE, 0.85)
    title = text.elide(heading(card), text.TITLE, arrangement.title.width)
    pieces = [Piece(title, arrangement.title, text.TITLE, WHITE)]
    if card.words:
        pieces.append(Piece(card.words, arrangement.words, text.PLAIN, faint))
    if card.tag:
        pieces.append(Piece(card.tag, arrangement.tag, text.NUMBER, faint, Align.RIGHT))
    if look.tab:
        colour = ink_on(theme.backward) if look.target else theme.backward
        pieces.append(Piece(look.tab, tab_rect(look), text.STRONG, colour, Align.CENTER))
    return pieces


def far_title(look: NodeLook, box: Rect, scale: float) -> Piece:
    """The title as it is read from far out: about as large on the screen as it is near by."""
    style = text.Style(min(round(FAR_PIXELS / scale), round(box.height) - 4), bold=True)
    room = box.grown(-6)
    return Piece(text.elide(heading(look.card), style, room.width), room, style, WHITE)


def small(look: NodeLook, arrangement: Arrangement, theme: Theme) -> list[Piece]:
    """The number of a literal, and the words under a pill or gate."""
    pieces = []
    if look.card.kind is Kind.LITERAL:
        ink = theme.forward
        pieces.append(Piece(look.card.title, arrangement.body, text.BIG_NUMBER, ink, Align.CENTER))
    if look.card.words:
        pieces.append(
            Piece(look.card.words, arrangement.words, text.PLAIN, theme.dim, Align.CENTER)
        )
    return pieces


def captions(look: NodeLook, arrangement: Arrangement, theme: Theme) -> list[Piece]:
    """Everything below the header except the numbers of tables."""
    card = look.card
    pieces = []
    for box, band, caption, note, flow in (
        (arrangement.value, look.value, card.value_caption, card.value_note, Flow.FORWARD),
        (
            arrangement.gradient,
            look.gradient,
            card.gradient_caption,
            card.gradient_note,
            Flow.BACKWARD,
        ),
    ):
        if box:
            total = look.sum if flow is Flow.BACKWARD else ""
            pieces += _caption(box, band, caption, theme)
            if not merging(look, flow):
                pieces += _band(box, band, note, theme, theme.flow(flow), total)
    pieces += _slots(look, arrangement, theme)
    pieces += _labels(look, arrangement, theme)
    if arrangement.name and card.name:
        colour = theme.output_text if card.kind is Kind.OUTPUT else theme.dim
        style = text.STRONG if card.kind is Kind.OUTPUT else text.PLAIN
        name = text.elide(card.name, style, arrangement.name.width)
        pieces.append(Piece(name, arrangement.name, style, colour))
    return pieces


def merging(look: NodeLook, flow: Flow) -> bool:
    """Whether contributions are sliding into the gradient right now."""
    return flow is Flow.BACKWARD and 0 < look.merge < 1


def _caption(box: BandBox, band: Band, caption: str, theme: Theme) -> list[Piece]:
    pieces = [Piece(caption, box.caption, text.PLAIN, theme.dim)] if caption else []
    content = band.content
    if band.state is State.KNOWN and isinstance(content, Cells | Heat) and content.scale:
        pieces.append(Piece(content.scale, box.scale, text.NUMBER, theme.dim, Align.RIGHT))
    return pieces


def _band(
    box: BandBox, band: Band, note: Note | None, theme: Theme, colour: QColor, total: str
) -> list[Piece]:
    if _noted(band):
        return _note(box, note, theme)
    if band.state is State.WAITING:
        return _waiting(box, band, theme)
    if isinstance(band.content, Number):
        return _number(box, band.content.text, total, colour)
    if isinstance(band.content, Heat):
        lines = zip(band.content.lines, box.summary, strict=False)
        return [Piece(line, rect, text.PLAIN, theme.dim) for line, rect in lines]
    return []


def _waiting(box: BandBox, band: Band, theme: Theme) -> list[Piece]:
    words = _fitted(box, band)
    return [Piece(words, box.box, text.PLAIN, theme.dim, Align.CENTER)] if words else []


def _fitted(box: BandBox, band: Band) -> str:
    return text.elide(band.words, text.PLAIN, box.box.width - INSET)


def waiting_ground(box: BandBox, band: Band) -> Rect:
    """A plain ground behind words on hatching."""
    width = min(text.width(_fitted(box, band), text.PLAIN) + INSET, box.box.width - INSET)
    x, y = box.box.center
    return Rect(x - width / 2, y - 8, width, 16)


def _number(box: BandBox, number: str, total: str, colour: QColor) -> list[Piece]:
    room = Rect(box.box.x + INSET, box.box.y, box.box.width - 2 * INSET, box.box.height)
    pieces = [Piece(number, room, text.BIG_NUMBER, colour, Align.RIGHT)]
    match = SUM_RESULT.fullmatch(total)
    left = room.width - text.width(number, text.BIG_NUMBER)
    if match and match[2] == number and text.width(match[1], text.NUMBER) <= left:
        before = Rect(room.x, room.y, left, room.height)
        pieces.append(Piece(match[1], before, text.NUMBER, colour, Align.RIGHT))
    return pieces


def _note(box: BandBox, note: Note | None, theme: Theme) -> list[Piece]:
    if not note or not box.note:
        return []
    pieces = [Piece(note.title, box.note.title, text.BIG_NUMBER, theme.note)]
    pieces += [Piece(line, rect, text.PLAIN, theme.ink) for line, rect in box.note.lines]
    pieces += [Piece(word, rect, text.STRONG, theme.forward) for word, rect in box.note.actions]
    return pieces


def slot_at(look: NodeLook, number: int) -> Slot:
    """The slot in that row; one that nothing was said about is pending."""
    return look.slots[number] if number < len(look.slots) else Slot()


def _slots(look: NodeLook, arrangement: Arrangement, theme: Theme) -> list[Piece]:
    pieces: list[Piece] = []
    back = 0.0
    for row in reversed(range(len(arrangement.slots))):
        slot, rect = slot_at(look, row), arrangement.slots[row]
        last = bool(look.card.more) and row == len(arrangement.slots) - 1
        inside = Rect(rect.x + INSET, rect.y, rect.width - 2 * INSET, rect.height)
        number = slot.content.text if isinstance(slot.content, Number) and not last else ""
        pieces.append(_slot_label(look, row, inside, number, theme, last=last))
        if number:
            moved = sliding(inside, look.merge, arrangement, back)
            style, colour = text.STRONG_NUMBER, theme.backward
            pieces.append(Piece(number, moved, style, colour, Align.RIGHT))
            back += text.width(f"{number} + ", style)
    return pieces


def _slot_label(
    look: NodeLook, row: int, inside: Rect, number: str, theme: Theme, *, last: bool
) -> Piece:
    label = look.card.more if last else look.card.slots[row]
    pending = slot_at(look, row).arrival is Arrival.PENDING and not last
    room = inside.width - (text.width(number, text.STRONG_NUMBER) + INSET if number else 0.0)
    ink = theme.dim if pending else theme.ink
    return Piece(text.elide(label, text.PLAIN, room), inside, text.PLAIN, ink)


def sliding(rect: Rect, merge: float, arrangement: Arrangement, back: float = 0.0) -> Rect:
    """Where a contribution is while the slots merge: on its way down into the line of the sum.

    `back` is how far from the right it will stand there.
    """
    if not arrangement.gradient or not 0 < merge < 1:
        return rect
    share, goal = film.ease(merge), arrangement.gradient.box.center.y
    back = min(back, rect.width / 2)
    return rect.moved((-back * share, (goal - rect.center.y) * share))


def _labels(look: NodeLook, arrangement: Arrangement, theme: Theme) -> list[Piece]:
    """The names of ports, where they need some."""
    inputs = zip(look.card.inputs, arrangement.input_labels, strict=True)
    outputs = zip(look.card.outputs, arrangement.output_labels, strict=True)
    return [
        *(Piece(label, rect, text.NUMBER, theme.dim) for label, rect in inputs if label),
        *(
            Piece(label, rect, text.NUMBER, theme.dim, Align.RIGHT)
            for label, rect in outputs
            if label
        ),
    ]
