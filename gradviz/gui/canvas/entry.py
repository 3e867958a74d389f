"""Typing on the canvas: adding by name, values and names in place."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QPointF, QRect, Qt
from shiboken6 import isValid

from gradviz import digits
from gradviz.edit import edits
from gradviz.graph.model import Array, Diagram, InPort, OutPort, Place
from gradviz.gui.canvas import cells
from gradviz.gui.canvas.addbox import AddBox
from gradviz.gui.canvas.editor import Editor, refusal_sheet
from gradviz.gui.canvas.targets import AnyPort, Targets
from gradviz.gui.document import CellRef, Selection
from gradviz.ops.op import Op
from gradviz.picture import geometry
from gradviz.picture import hit as hits
from gradviz.picture.look import NodeLook
from gradviz.picture.plane import Rect
from gradviz.text import mark, message

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

USUAL_SIZE: Final = (180.0, 116.0)


class Entry:
    """What is typed into at the moment: `editor` over a cell or a name, or `add_box`."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._sight = canvas.sight
        self._document = canvas.document
        self.editor: Editor | None = None
        self.add_box: AddBox | None = None

    def offer(self, at: QPointF | None = None, port: AnyPort | None = None, text: str = "") -> None:
        """Offer operations at a point (the pointer's, if none is given); from a port, only what fits."""
        self._canvas.cancel_gesture()
        screen = (
            at if at is not None else self._sight.camera.to_screen(self._canvas.pointer_place())
        )
        point = self._sight.camera.to_canvas(screen)
        targets = Targets(self._document, port) if port is not None else None
        offered = _any_op if targets is None else targets.takes
        box = AddBox(self._canvas, screen.toPoint(), offered, text)
        box.chosen.connect(
            lambda op, number: self.add(op, number, Place(point.x, point.y - 14), port)
        )
        box.closed.connect(partial(self._box_closed, box))
        self.add_box = box

    def _box_closed(self, box: AddBox) -> None:
        # A window that is closed takes the focus from the box after the canvas is gone.
        if self.add_box is box and isValid(self._canvas):
            self.add_box = None
            self._canvas.setFocus(Qt.FocusReason.OtherFocusReason)
            self._canvas.update()

    def add_in_view(self, op: str) -> None:
        """Add a node in the middle of the view, where there is room."""
        middle = self._sight.view().center
        self.add(op, "", Place(middle.x - USUAL_SIZE[0] / 2, middle.y - USUAL_SIZE[1] / 2), None)

    def add(self, op: str, number: str, place: Place, port: AnyPort | None) -> None:
        value: object = None
        if number:
            from gradviz.code.numbers import parse_number

            value = parse_number(number)
        sizes = self._sight.sizes()
        if port is not None and isinstance(port, InPort):
            place = Place(place.x - USUAL_SIZE[0], place.y)
        added: list[str] = []

        def build(diagram: Diagram) -> Diagram:
            free = edits.free_place(diagram, place, USUAL_SIZE, sizes)
            found, id = edits.add_node(diagram, op, free, value=value)
            added.append(id)
            if isinstance(port, OutPort):
                return edits.connect(found, port, InPort(id, 0))
            return edits.connect(found, OutPort(id), port) if port is not None else found

        if self._document.edit(mark("edit", "Add"), build):
            self._document.select(Selection(frozenset(added)))
            self._canvas.ensure_visible(added)

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
        if cell is None:
            return
        if cell.node not in self._document.diagram.values or cell.band != "value":
            self._say_computed(cell)
            return
        found = self._sight.hit_of_cell(look, cell)
        rect = hits.where(look, found) if found is not None else geometry.card_rect(look)
        array = self._document.diagram.values[cell.node]
        text = typed if typed is not None else _plain(array, cell.index)
        self._document.select(Selection(frozenset({cell.node}), None, cell))
        self._open_editor(rect, text, partial(self._set_cell, cell), selected=typed is None)
        assert self.editor is not None
        self.editor.closed.connect(partial(self._go_on, cell))

    def _say_computed(self, cell: CellRef) -> None:
        name = self._document.diagram.graph[cell.node].name or cell.node
        if cell.band == "gradient":
            self._canvas.say(
                message(
                    mark("canvas", "The gradient of {name} is computed; change a source instead."),
                    name=name,
                )
            )
        elif self._document.diagram.graph[cell.node].op == "random_normal":
            self._canvas.say(
                message(
                    mark("canvas", "{name} is drawn at random; press R to draw again."), name=name
                )
            )
        else:
            self._canvas.say(
                message(
                    mark("canvas", "{name} is computed from its inputs; change a source instead."),
                    name=name,
                )
            )

    def _set_cell(self, cell: CellRef, text: str) -> bool:
        from gradviz.code.numbers import parse_block, parse_number

        # A table in brackets replaces the whole value, and may change its shape.
        if "[" in text or "\t" in text or "\n" in text:
            value = parse_block(text)
            return self._edit_value(partial(edits.set_value, id=cell.node, value=value))
        number = parse_number(text)
        return self._edit_value(
            partial(edits.set_cell, id=cell.node, cell=cell.index, number=number)
        )

    def _edit_value(self, function: Any) -> bool:
        # Refusals must reach the editor, so the edit is tried before it is made.
        function(self._document.diagram)
        return self._document.edit(mark("edit", "Change a value"), function)

    def _go_on(self, cell: CellRef, moved: str) -> None:
        self.editor = None
        self._canvas.setFocus(Qt.FocusReason.OtherFocusReason)
        array = self._document.diagram.values.get(cell.node)
        if (
            moved not in ("next", "previous")
            or array is None
            or len(cell.index) != array.ndim
            or not array.ndim
        ):
            return
        index = cells.following(array.shape, cell.index, 1 if moved == "next" else -1)
        look = self._sight.look(cell.node)
        if look is not None:
            self.edit_cell(look, CellRef(cell.node, "value", index))

    def edit_header(self, look: NodeLook) -> None:
        node = self._document.diagram.graph[look.id]
        if look.id in self._document.diagram.values and not node.name:
            self.edit_cell(look, CellRef(look.id, "value", ()))
            return
        header = geometry.arrange(look.card).header
        rect = header.moved(look.place) if header is not None else geometry.card_rect(look)
        self._document.select(Selection(frozenset({look.id})))
        self._open_editor(rect, node.name, partial(self._rename, look.id))
        assert self.editor is not None
        self.editor.closed.connect(self._editor_closed)

    def _rename(self, id: str, text: str) -> bool:
        edits.rename(self._document.diagram, id, text)
        return self._document.edit(mark("edit", "Rename"), edits.rename, id, text)

    def _editor_closed(self, moved: str) -> None:
        self.editor = None
        self._canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def _open_editor(self, rect: Rect, text: str, commit: Any, *, selected: bool = True) -> None:
        if self.editor is not None:
            self.editor.cancel()
        corner, end = (
            self._sight.camera.to_screen(rect[:2]),
            self._sight.camera.to_screen((rect.right, rect.bottom)),
        )
        box = QRect(corner.toPoint(), end.toPoint())
        self.editor = Editor(
            self._canvas, box, text, commit, refusal_sheet(self._canvas.theme), selected=selected
        )


def _any_op(op: Op) -> bool:
    return True


def _plain(array: Array, index: tuple[int, ...]) -> str:
    """A number as it is typed: in full, without typographic signs."""
    return digits.full(array[index]).replace("−", "-").replace("∞", "inf").replace("NaN", "nan")
