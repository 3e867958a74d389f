"""The picture of a card that hangs on the pointer while an operation is dragged."""

from __future__ import annotations

from typing import Final, NamedTuple

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPainter, QPixmap

from gradviz.edit import edits
from gradviz.engine.answer import answer
from gradviz.errors import GradvizError
from gradviz.graph.model import Diagram, Place
from gradviz.gui.translate import tr
from gradviz.picture.colours import Theme
from gradviz.picture.frame import Framer
from gradviz.picture.geometry import card_rect, outer_rect
from gradviz.picture.node import paint_node

OPACITY: Final = 0.6
"""What lies under it can be seen: the wire that takes it."""
HEADER_MIDDLE: Final = 14


class Picture(NamedTuple):
    """What is painted, and which of its pixels lies under the pointer."""

    pixmap: QPixmap
    held: QPoint


def card_picture(op: str, theme: Theme, ratio: float) -> Picture | None:
    """A new card of an operation, held by the middle of its header; None if there can be none."""
    try:
        # Alone, it would be the target: another node is asked about.
        asked, other = edits.add_node(Diagram(), "variable", Place(0, 0))
        diagram, id = edits.add_node(edits.set_query(asked, of=(other,)), op, Place(0, 0))
        frame = Framer(tr).frame(answer(diagram), 0)
    except GradvizError:
        return None
    look = next(look for look in frame.nodes if look.id == id)
    around, card = outer_rect(look), card_rect(look)
    pixmap = QPixmap(round(around.width * ratio), round(around.height * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(OPACITY)
        painter.translate(-around.x, -around.y)
        paint_node(painter, look, theme)
    finally:
        painter.end()
    held = QPoint(round(card.center.x - around.x), round(card.y + HEADER_MIDDLE - around.y))
    return Picture(pixmap, held)
