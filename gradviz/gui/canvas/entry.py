"""Typing on the canvas: adding by name, values and names in place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, QRect, Qt
from shiboken6 import isValid

from gradviz import digits
from gradviz.edit import edits
from gradviz.graph.model import Array, Diagram, InPort, Place
from gradviz.gui.canvas import cells
from gradviz.gui.canvas.addbox import AddBox
from gradviz.gui.canvas.editor import Commit, Editor, refusal_sheet
from gradviz.gui.canvas.targets import AnyPort, Targets
from gradviz.gui.document import CellRef, Selection
from gradviz.picture import geometry
from gradviz.picture import hit as hits
from gradviz.picture.curve import point_at
from gradviz.picture.look import Form, NodeLook
from gradviz.picture.plane import Rect
from gradviz.text import mark, message

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

ORIGIN: Final = Place(0, 0)
TITLE_HEIGHT: Final = 14
STEPS: Final = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


class Entry:
    """What is typed into at the moment: `editor` over a cell or a name, or `add_box`."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._sight = canvas.sight
        self._document = canvas.document
        self._rect = Rect(0, 0, 0, 0)
        self.editor: Editor | None = None
        self.add_box: AddBox | None = None

    def settle(self) -> bool:
        """Use what is typed into an open editor; False if it cannot be used and the editor stays."""
        return self.editor is None or self.editor.take()

    def cancel(self) -> bool:
        """Close the editor and the add box, using nothing; True if one was open."""
        editor, box = self.editor, self.add_box
        if editor is not None and editor.is_open:
            editor.cancel()
        if box is not None:
            box.close_box()
        return editor is not None or box is not None

    def on_changed(self) -> None:
        """The diagram is another one, and not by what is typed here: what is open may ask about what is gone."""
        if self.editor is None or self.editor.is_open:
            self.cancel()

    def follow(self) -> None:
        """The camera moved: the editor stays over what it edits."""
        if self.editor is not None:
            self.editor.follow(self._screen(self._rect))

    def offer(self, at: QPointF | None = None, port: AnyPort | None = None, text: str = "") -> None:
        """Offer operations at a point (the pointer's, if none is given); from a port, only what fits.

        While a wire is being drawn, that wire is what the operation shall take.
        """
        if not self.settle():
            return
        drawn = self._canvas.take_wire()
        self.cancel()
        port = port if port is not None else drawn
        end = None
        if port is None and at is None:
            # On a wire, or for the one that is selected: what is added goes in between.
            end = self._document.selection.wire
            at = self._middle_of(end)
        screen = at if at is not None else self._canvas.pointer.point
        end = end or (self._sight.wire_at(screen) if port is None else None)
        point = self._sight.camera.to_canvas(screen)
        targets = Targets(self._document, port) if port is not None else None
        offered = targets.takes if targets is not None else None
        box = AddBox(self._canvas, screen.toPoint(), offered, text, self._canvas.adding.recent)
        box.chosen.connect(
            lambda op, value: self._canvas.adding.add(op, point, value, targets=targets, end=end)
        )
        box.typed.connect(self._canvas.expression_typed)
        box.closed.connect(partial(self._box_closed, box))
        self.add_box = box

    def _middle_of(self, end: InPort | None) -> QPointF | None:
        wire = self._sight.wire(end) if end is not None else None
        return self._sight.camera.to_screen(point_at(wire.curve, 0.5)) if wire is not None else None

    def _box_closed(self, box: AddBox) -> None:
        # A window that is closed takes the focus from the box after the canvas is gone.
        if self.add_box is box and isValid(self._canvas):
            self.add_box = None
            self._canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def edit_selection(self, *, name: bool = False) -> None:
        """Edit the selected cell; without one, the value of the selected source, or the node's name."""
        selection = self._document.selection
        look = self._sight.look(selection.only) if selection.only is not None else None
        if look is None:
            self._canvas.say(mark("canvas", "Select a card or a cell to edit."))
        elif selection.cell is not None:
            self.edit_cell(look, selection.cell)
        elif not name and look.id in self._document.diagram.values:
            array = self._document.diagram.values[look.id]
            self.edit_cell(look, CellRef(look.id, "value", (0,) * array.ndim))
        else:
            self.edit_header(look)

    def edit_cell(self, look: NodeLook, cell: CellRef | None, typed: str | None = None) -> None:
        """Open an editor over a cell of a source, with what was `typed` or its number; elsewhere, say why not."""
        if cell is None or not self.settle():
            return
        room = look.card.value if cell.band == "value" else look.card.gradient
        if room is not None and room.form is Form.HEAT:
            self._canvas.table_requested.emit(cell)
            return
        array = self._document.diagram.values.get(cell.node)
        if array is None or cell.band != "value":
            self._say_computed(cell)
            return
        if not _is_inside(cell.index, array):
            cell = CellRef(cell.node, "value", (0,) * array.ndim)
        found = self._sight.hit_of_cell(look, cell)
        rect = hits.where(look, found) if found is not None else geometry.card_rect(look)
        text = typed if typed is not None else _plain(array, cell.index)
        self._document.select(Selection(frozenset({cell.node}), None, cell))
        editor = self._open_editor(rect, text, partial(self._set_cell, cell))
        editor.among_cells(begun=typed is not None)
        editor.closed.connect(partial(self._go_on, cell))

    def _say_computed(self, cell: CellRef) -> None:
        node = self._document.diagram.graph.nodes.get(cell.node)
        if node is None:
            return
        if cell.band == "gradient":
            text = mark("canvas", "The gradient of {name} is computed; change a source instead.")
        elif node.op == "random_normal":
            text = mark("canvas", "{name} is drawn at random; press R to draw again.")
        else:
            text = mark("canvas", "{name} is computed from its inputs; change a source instead.")
        self._canvas.say(message(text, name=node.name or node.op))

    def _set_cell(self, cell: CellRef, text: str) -> bool:
        from gradviz.code.numbers import parse_block, parse_number

        # A table in brackets, or rows from a spreadsheet, replace the whole value, and may change its shape.
        if any(sign in text for sign in "[\t\r\n"):
            value = parse_block(text)
            return self._edit_value(partial(edits.set_value, id=cell.node, value=value))
        number = parse_number(text)
        return self._edit_value(
            partial(edits.set_cell, id=cell.node, cell=cell.index, number=number)
        )

    def _edit_value(self, function: Callable[[Diagram], Diagram]) -> bool:
        # Refusals must reach the editor, so the edit is tried before it is made.
        function(self._document.diagram)
        return self._document.edit(mark("edit", "Change a value"), function)

    def _go_on(self, cell: CellRef, moved: str) -> None:
        """After a cell: Tab edits the next one, Enter and arrows select the one there."""
        self._editor_closed()
        array = self._document.diagram.values.get(cell.node)
        look = self._sight.look(cell.node)
        if not moved or look is None or array is None or len(cell.index) != array.ndim:
            return
        if moved in STEPS:
            index = cells.neighbour(array.shape, cell.index, STEPS[moved])
            found = CellRef(cell.node, "value", index)
            self._document.select(Selection(frozenset({cell.node}), None, found))
        elif array.ndim:
            index = cells.following(array.shape, cell.index, 1 if moved == "next" else -1)
            self.edit_cell(look, CellRef(cell.node, "value", index))

    def edit_header(self, look: NodeLook) -> None:
        """Edit the name of a node; a number without a name is edited itself."""
        node = self._document.diagram.graph.nodes.get(look.id)
        if node is None or not self.settle():
            return
        if look.id in self._document.diagram.values and not node.name:
            self.edit_cell(look, CellRef(look.id, "value", ()))
            return
        header = geometry.arrange(look.card).header
        rect = header.moved(look.place) if header is not None else geometry.card_rect(look)
        self._document.select(Selection(frozenset({look.id})))
        editor = self._open_editor(rect, node.name, partial(self._rename, look.id))
        editor.setAccessibleName(editor.tr("Name"))
        editor.closed.connect(self._editor_closed)

    def _rename(self, id: str, text: str) -> bool:
        edits.rename(self._document.diagram, id, text)
        return self._document.edit(mark("edit", "Rename"), edits.rename, id, text)

    def _editor_closed(self, moved: str = "") -> None:
        self.editor = None
        self._canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def _screen(self, rect: Rect) -> QRect:
        camera = self._sight.camera
        corner, end = camera.to_screen(rect[:2]), camera.to_screen((rect.right, rect.bottom))
        return QRect(corner.toPoint(), end.toPoint())

    def _open_editor(self, rect: Rect, text: str, commit: Commit) -> Editor:
        self._rect = rect
        sheet = refusal_sheet(self._canvas.theme)
        self.editor = Editor(self._canvas, self._screen(rect), text, commit, sheet)
        return self.editor


def _is_inside(index: tuple[int, ...], array: Array) -> bool:
    return len(index) == array.ndim and all(i < n for i, n in zip(index, array.shape, strict=True))


def _plain(array: Array, index: tuple[int, ...]) -> str:
    """A number as it is typed: in full, without typographic signs; nothing for a cell that is not there."""
    if not _is_inside(index, array):
        return ""
    return digits.full(array[index]).replace("−", "-").replace("∞", "inf").replace("NaN", "nan")
