"""Paints a node's card: header, value band, gradient band, slots, ports."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QPainter

from gradviz.picture import node_text, text
from gradviz.picture.boxes import CORNER, HEADER, PORT_RADIUS, Arrangement, BandBox
from gradviz.picture.colours import Theme, clear
from gradviz.picture.geometry import arrange
from gradviz.picture.hit import Hit, Part, where
from gradviz.picture.look import (
    Arrival,
    Band,
    Cells,
    Flow,
    Form,
    Heat,
    Kind,
    NodeLook,
    Number,
    Port,
    Slot,
    State,
)
from gradviz.picture.matrix import cell_pieces, paint_array, paint_swatches
from gradviz.picture.pen import (
    Detail,
    dashed_pen,
    fill,
    glow,
    hatch,
    line_pen,
    qrect,
    shadow,
    slanted_lines,
    stroke,
    top_rounded,
)
from gradviz.picture.plane import Rect

DIMMED: Final = 0.45
FRAME: Final = 3.0
"""How far the outer line of a gradient's double frame lies outside."""
SLOT_THUMB: Final = 40.0


def paint_node(
    painter: QPainter, look: NodeLook, theme: Theme, detail: Detail = Detail.FULL
) -> None:
    """Paint `look` at its place."""
    arrangement = arrange(look.card)
    painter.translate(*look.place)
    if detail is Detail.BOX:
        fill(painter, arrangement.body, box_colour(look.card.kind, look.active, theme))
    elif look.card.kind in (Kind.LITERAL, Kind.GATE):
        _paint_small(painter, look, arrangement, theme, detail)
    elif detail is Detail.SWATCH:
        _paint_swatches(painter, look, arrangement, theme)
    else:
        _paint_card(painter, look, arrangement, theme)
    painter.translate(-look.place.x, -look.place.y)


def paint_selection(painter: QPainter, look: NodeLook, theme: Theme) -> None:
    """The ring around a selected node, painted over the picture."""
    arrangement = arrange(look.card)
    ring = arrangement.body.grown(4).moved(look.place)
    corner = CORNER if arrangement.header else ring.height / 2
    stroke(painter, ring, line_pen(theme.ink, 2), corner + 3)


def paint_part(painter: QPainter, look: NodeLook, part: Hit, colour: QColor) -> None:
    """A ring around a part of a card: the cell that is selected, the port under the pointer."""
    rect = where(look, part)
    round_part = part.part in (Part.INPUT, Part.OUTPUT)
    stroke(painter, rect.grown(1), line_pen(colour, 2), rect.height / 2 if round_part else 2)


def box_colour(kind: Kind, active: Flow | None, theme: Theme) -> QColor:
    """The colour of a card that is so far away that it is one rectangle."""
    return theme.flow(active) if active else theme.head(kind)


def _paint_card(painter: QPainter, look: NodeLook, arrangement: Arrangement, theme: Theme) -> None:
    _ground(painter, look, arrangement, theme)
    pieces = node_text.header(look, arrangement, theme)
    text.draw(painter, pieces)
    if look.dimmed:
        painter.setOpacity(painter.opacity() * DIMMED)
    _bands(painter, look, arrangement, theme)
    if look.dimmed:
        painter.setOpacity(painter.opacity() / DIMMED)
    _border(painter, look, arrangement.body, theme)
    _ports(painter, look, arrangement, theme)


def _ground(painter: QPainter, look: NodeLook, arrangement: Arrangement, theme: Theme) -> None:
    body = arrangement.body
    if look.active:
        glow(painter, body, theme.flow(look.active))
    else:
        shadow(painter, body, theme)
    if look.tab:
        _tab(painter, look, theme)
    fill(painter, body, theme.note_ground if node_text.has_note(look) else theme.panel, CORNER)
    header = arrangement.header or body
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.head(look.card.kind))
    painter.drawPath(top_rounded(header))
    if look.card.kind is Kind.OPAQUE:
        painter.setPen(line_pen(clear(theme.panel, 0.18), 2))
        painter.drawLines(slanted_lines(header.grown(-2), 8))


def _tab(painter: QPainter, look: NodeLook, theme: Theme) -> None:
    """A flag on the upper edge: this is what is differentiated, or by which."""
    rect = node_text.tab_rect(look)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.backward)
    painter.drawPath(top_rounded(rect, 5))
    if not look.target:
        painter.setBrush(theme.panel)
        painter.drawPath(top_rounded(Rect(rect.x + 1, rect.y + 1, rect.width - 2, rect.height), 4))


def _bands(painter: QPainter, look: NodeLook, arrangement: Arrangement, theme: Theme) -> None:
    _gutters(painter, look, arrangement, theme)
    pieces = node_text.captions(look, arrangement, theme)
    for number, rect in enumerate(arrangement.slots):
        slot = node_text.slot_at(look, number)
        _slot(painter, slot, rect, theme)
        if isinstance(slot.content, Cells | Heat) and look.merge < 1:
            moved = node_text.sliding(rect, look.merge, arrangement)
            _slot_thumb(painter, slot.content, moved, theme)
    for box, band, flow in (
        (arrangement.value, look.value, Flow.FORWARD),
        (arrangement.gradient, look.gradient, Flow.BACKWARD),
    ):
        if box and node_text.merging(look, flow):
            _double_frame(painter, box, theme, known=True)
        elif box:
            _band(painter, box, band, flow, theme)
            content = band.content
            if band.state is State.KNOWN and isinstance(content, Cells):
                pieces += cell_pieces(box, content, theme)
    text.draw(painter, pieces)


def _gutters(painter: QPainter, look: NodeLook, arrangement: Arrangement, theme: Theme) -> None:
    """A line between the names of ports and the bands."""
    body = arrangement.body
    edges = []
    if any(look.card.inputs):
        edges.append(arrangement.input_labels[0].right + 6)
    if any(look.card.outputs):
        edges.append(arrangement.output_labels[0].x - 6)
    painter.setPen(line_pen(theme.line))
    for x in edges:
        painter.drawLine(QLineF(x + 0.5, HEADER + 8, x + 0.5, body.bottom - 8))


def _band(painter: QPainter, box: BandBox, band: Band, flow: Flow, theme: Theme) -> None:
    if band.state in (State.NONE, State.ERROR):
        return
    known = band.state is State.KNOWN
    if not known:
        hatch(painter, _content_rect(box, flow), theme)
        if band.words:
            fill(painter, node_text.waiting_ground(box, band), theme.soft)
    elif isinstance(band.content, Cells | Heat):
        paint_array(painter, box, band.content, theme)
    if flow is Flow.BACKWARD:
        _double_frame(painter, box, theme, known=known)
    elif box.room.form is not Form.NUMBER:
        stroke(painter, box.box.grown(1), line_pen(theme.frame))


def _content_rect(box: BandBox, flow: Flow) -> Rect:
    """Where a band is hatched: inside of the frame, for numbers a little lower than the row."""
    if box.room.form is not Form.NUMBER or box.note:
        return box.box
    rect = box.box
    inset = FRAME if flow is Flow.BACKWARD else 2.0
    return Rect(rect.x + inset, rect.y + inset, rect.width - 2 * inset, rect.height - 2 * inset)


def _double_frame(painter: QPainter, box: BandBox, theme: Theme, *, known: bool) -> None:
    """What tells gradients from values, also without colour."""
    rect = box.box
    number = box.room.form is Form.NUMBER
    colour = theme.backward if known else theme.frame
    outer = rect if number and not box.note else rect.grown(FRAME)
    stroke(painter, outer, line_pen(theme.faded(colour, 0.45) if known else colour), 4)
    stroke(painter, outer.grown(-2), line_pen(colour), 2.5)


def _slot(painter: QPainter, slot: Slot, rect: Rect, theme: Theme) -> None:
    if slot.arrival is Arrival.PENDING:
        stroke(painter, rect, dashed_pen(theme.frame, 1), 4)
    elif slot.arrival is Arrival.NOW:
        fill(painter, rect, theme.soft_flow(Flow.BACKWARD), 4)
        stroke(painter, rect, line_pen(theme.backward, 1.5), 4)
    else:
        fill(painter, rect, theme.soft, 4)


def _slot_thumb(painter: QPainter, content: Cells | Heat, rect: Rect, theme: Theme) -> None:
    rows, columns = content.values.shape
    side = min((rect.height - 6) / rows, SLOT_THUMB / columns)
    width, height = max(columns * side, 6), max(rows * side, 4)
    thumb = Rect(rect.right - 6 - width, rect.center.y - height / 2, width, height)
    paint_swatches(painter, thumb, content.values, content.end, theme, marks=False)
    stroke(painter, thumb.grown(1), line_pen(theme.backward))


def _border(painter: QPainter, look: NodeLook, body: Rect, theme: Theme) -> None:
    pen = line_pen(theme.frame)
    if look.active:
        pen = line_pen(theme.flow(look.active), 2)
    elif node_text.has_note(look):
        pen = line_pen(theme.note, 1.5)
    elif look.card.kind is Kind.OPAQUE:
        pen = dashed_pen(theme.dim, 1.2)
    stroke(painter, body, pen, CORNER)


def _ports(painter: QPainter, look: NodeLook, arrangement: Arrangement, theme: Theme) -> None:
    for points, ports in (
        (arrangement.inputs, look.inputs),
        (arrangement.outputs, look.outputs),
    ):
        for i, point in enumerate(points):
            port = ports[i] if i < len(ports) else Port()
            colour = theme.flow(port.flow) if port.connected else theme.wire
            painter.setPen(line_pen(colour, 2 if port.connected else 1.4))
            painter.setBrush(theme.panel if port.connected else theme.canvas)
            radius = PORT_RADIUS if port.connected else PORT_RADIUS - 1
            painter.drawEllipse(QPointF(*point), radius, radius)


def _paint_small(
    painter: QPainter,
    look: NodeLook,
    arrangement: Arrangement,
    theme: Theme,
    detail: Detail,
) -> None:
    """A literal's pill, or the gate of a stopped gradient."""
    body = arrangement.body
    corner = CORNER if look.card.kind is Kind.LITERAL else body.height / 2
    if look.active:
        glow(painter, body, theme.flow(look.active), corner)
    elif detail is Detail.FULL:
        shadow(painter, body, theme, corner)
    fill(painter, body, theme.panel, corner)
    border = theme.flow(look.active) if look.active else theme.frame
    stroke(painter, body, line_pen(border, 2 if look.active else 1), corner)
    if look.card.kind is Kind.GATE:
        _gate(painter, body, theme)
    if detail is Detail.FULL:
        text.draw(painter, node_text.small(look, arrangement, theme))
        _ports(painter, look, arrangement, theme)


def _gate(painter: QPainter, body: Rect, theme: Theme) -> None:
    """Values pass to the right; what comes back from there runs against a bar."""
    x, y = body.center
    painter.setPen(line_pen(theme.forward, 2))
    painter.drawLine(QLineF(x - 8, y - 4, x + 8, y - 4))
    painter.drawPolyline([QPointF(x + 5, y - 7), QPointF(x + 8, y - 4), QPointF(x + 5, y - 1)])
    painter.setPen(line_pen(theme.backward, 2))
    painter.drawLine(QLineF(x + 8, y + 5, x - 4, y + 5))
    painter.setPen(line_pen(theme.backward, 3))
    painter.drawLine(QLineF(x - 6, y, x - 6, y + 10))


def _paint_swatches(
    painter: QPainter, look: NodeLook, arrangement: Arrangement, theme: Theme
) -> None:
    """The card with no text but its title, large enough to be read: colours tell the rest."""
    fill(painter, arrangement.body, theme.panel)
    fill(painter, arrangement.header or arrangement.body, theme.head(look.card.kind))
    for box, band, flow in (
        (arrangement.value, look.value, Flow.FORWARD),
        (arrangement.gradient, look.gradient, Flow.BACKWARD),
    ):
        if box:
            _band_swatch(painter, box, band, flow, theme)
    pen = line_pen(theme.flow(look.active), 3) if look.active else line_pen(theme.frame)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(qrect(arrangement.body))
    if arrangement.header:
        text.draw(
            painter, [node_text.far_title(look, arrangement.header, painter.transform().m11())]
        )


def _band_swatch(painter: QPainter, box: BandBox, band: Band, flow: Flow, theme: Theme) -> None:
    if band.state is not State.KNOWN:
        known = theme.note_ground if band.state in (State.NONE, State.ERROR) else theme.soft
        fill(painter, box.box, known)
    elif isinstance(band.content, Number):
        fill(painter, box.box.grown(-4), clear(theme.flow(flow), 0.55))
    elif band.content:
        paint_swatches(painter, box.box, band.content.values, band.content.end, theme, marks=False)
    if flow is Flow.BACKWARD and band.state is State.KNOWN:
        stroke(painter, box.box.grown(2), line_pen(theme.backward, 2))
