"""New nodes: where they are asked for, wired to what asks for them, on nothing else; each is one step."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from gradviz.edit import edits
from gradviz.errors import GradvizError
from gradviz.graph.model import Diagram, InPort, Place
from gradviz.gui import copying
from gradviz.gui.canvas.between import Between
from gradviz.gui.canvas.landing import Grip
from gradviz.gui.canvas.targets import Targets
from gradviz.ops import registry
from gradviz.picture.boxes import Arrangement
from gradviz.picture.plane import Point
from gradviz.text import Message, mark, message

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

ORIGIN: Final = Place(0, 0)
TITLE_HEIGHT: Final = 14
RECENT: Final = 5
ADD: Final = mark("edit", "Add")


class Adding:
    """Adds a node of an op, from the palette, the add box or a drop."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._document = canvas.document
        self.recent: list[str] = []
        """The operations that were added last, the newest first."""

    def add_in_view(self, op: str) -> None:
        """Add a node in the middle of the view, where there is room."""
        self.add(op, self._canvas.sight.view().center, grip=_middle)

    def drop(self, op: str, at: Point, end: InPort | None) -> None:
        """Add a node that was dragged here, into the wire that ends at `end`, if it was let go on one."""
        if registry.find(op) is not None:
            self.add(op, at, grip=middle_of_header, end=end)

    def add(
        self,
        op: str,
        at: Point,
        number: str = "",
        *,
        targets: Targets | None = None,
        grip: Grip | None = None,
        end: InPort | None = None,
    ) -> None:
        """Add a node at a point, or where there is room near it, and wire it to where `targets` start; one step.

        On a wire (which ends at `end`) it goes in between, if it fits; else it is said why not.
        """
        value = _value(number) if number else None
        self.recent = [op, *(name for name in self.recent if name != op)][:RECENT]
        if end is not None and self._is_put_between(op, at, end, grip):
            return

        def put(diagram: Diagram, offset: Place = ORIGIN) -> tuple[Diagram, dict[str, str]]:
            grown, id = edits.add_node(diagram, op, offset, value=value)
            return targets.wired(grown, id) if targets is not None else grown, {id: id}

        if targets is not None:
            grip = partial(_port, targets.entry(op) or 0, isinstance(targets.start, InPort))
        hold = grip if grip is not None else _corner_of_header
        landing = self._canvas.landing
        copying.put_in(
            self._document,
            ADD,
            put,
            lambda trial, new: landing.offset(trial, new, Place(*at), hold),
        )
        self._canvas.say_if_out_of_view()

    def tried(self, op: str) -> Between | None:
        """On which wire a new node could go; None if there can be none."""
        try:
            trial, id = edits.add_node(self._document.diagram, op, ORIGIN)
        except GradvizError:
            return None
        return Between(self._canvas, trial, id)

    def _is_put_between(self, op: str, at: Point, end: InPort, grip: Grip | None) -> bool:
        """Put a new node into a wire; False, after a word about it, if it does not fit there."""
        between = self.tried(op)
        if between is None or not between.is_able:
            return False
        why = between.refusal(end)
        if why is not None:
            self._canvas.say(_beside(why))
            return False

        def put(diagram: Diagram) -> tuple[Diagram, str]:
            grown, id = edits.add_node(diagram, op, ORIGIN)
            return edits.insert_on_wire(grown, id, end), id

        return self._canvas.landing.new_between(ADD, put, Place(*at), grip or _on_line)


def _beside(why: Message) -> Message:
    return message(mark("canvas", "It does not fit on the wire: {why}"), why=why)


def _value(text: str) -> object:
    from gradviz.code.numbers import parse_block, parse_number

    return parse_block(text) if "[" in text else parse_number(text)


def only(arranged: Mapping[str, Arrangement]) -> Arrangement:
    """The one card."""
    (found,) = arranged.values()
    return found


def _middle(arranged: Mapping[str, Arrangement]) -> Point:
    width, height = only(arranged).size
    return Point(width / 2, height / 2)


def middle_of_header(arranged: Mapping[str, Arrangement]) -> Point:
    """Where a card that is dragged from elsewhere is held."""
    return Point(only(arranged).width / 2, TITLE_HEIGHT)


def _corner_of_header(arranged: Mapping[str, Arrangement]) -> Point:
    return Point(0, TITLE_HEIGHT)


def _on_line(arranged: Mapping[str, Arrangement]) -> Point:
    """The middle of the card, at the height of the wires."""
    found = only(arranged)
    ports = (*found.inputs[:1], *found.outputs[:1])
    return Point(found.width / 2, sum(port.y for port in ports) / len(ports))


def _port(number: int, is_output: bool, arranged: Mapping[str, Arrangement]) -> Point:
    """The port that a wire which was let go ends at: it comes to lie under the pointer."""
    found = only(arranged)
    ports = found.outputs if is_output else found.inputs
    return ports[min(number, len(ports) - 1)]
