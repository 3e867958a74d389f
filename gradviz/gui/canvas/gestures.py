"""What a press of the pointer begins: one table, by what is under it, the button, the keys that are held.

The first row that fits and begins something wins. The help lists the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, Qt

from gradviz.graph.model import InPort, OutPort
from gradviz.gui.canvas.bundle import Bundle, PullOut
from gradviz.gui.canvas.dragging import DragNumber
from gradviz.gui.canvas.knife import Knife, Thread
from gradviz.gui.canvas.leading import Lead, add_point, remove_point
from gradviz.gui.canvas.selecting import Box, Lasso
from gradviz.gui.canvas.tools import Move, Pan, Tool
from gradviz.gui.canvas.wiring import Wire
from gradviz.gui.document import CellRef, Selection
from gradviz.picture.hit import Hit, Part
from gradviz.picture.look import NodeLook
from gradviz.text import Text, mark

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

LEFT, MIDDLE, RIGHT = (
    Qt.MouseButton.LeftButton,
    Qt.MouseButton.MiddleButton,
    Qt.MouseButton.RightButton,
)
SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
NONE: Final = Qt.KeyboardModifier.NoModifier
_PORTS: Final = (Part.INPUT, Part.OUTPUT)


class Ground(Enum):
    """What can be under the pointer."""

    NOTHING = "nothing"
    WIRE = "wire"
    PIN = "pin"
    """A point that a wire is led through."""
    HANDLE = "handle"
    """The handle of the selected number."""
    PORT = "port"
    CARD = "card"


EVERYWHERE: Final = frozenset(Ground)


@dataclass(frozen=True, slots=True)
class Press:
    """A press of a button: where, which, with which keys, on which card or wire."""

    at: QPointF
    button: Qt.MouseButton
    modifiers: Qt.KeyboardModifier
    found: tuple[NodeLook, Hit] | None
    wire: InPort | None
    pin: tuple[InPort, int] | None = None
    handle: CellRef | None = None

    @property
    def ground(self) -> Ground:
        """What is under it."""
        if self.handle is not None:
            return Ground.HANDLE
        if self.found is not None:
            return Ground.PORT if self.found[1].part in _PORTS else Ground.CARD
        if self.pin is not None:
            return Ground.PIN
        return Ground.WIRE if self.wire is not None else Ground.NOTHING

    @property
    def port(self) -> OutPort | InPort | None:
        """The port under it."""
        if self.found is None or self.found[1].part not in _PORTS:
            return None
        look, hit = self.found
        kind = OutPort if hit.part is Part.OUTPUT else InPort
        return kind(look.id, hit.number)


@dataclass(frozen=True, slots=True)
class Gesture:
    """A row: `begin` does what a click does at once, and gives the tool for the drag, if there is one.

    `modifiers`: exactly those that must be held; None for any. `armed`: the mode a key has put the canvas in.
    """

    text: Text
    ground: frozenset[Ground]
    begin: Callable[[Canvas, Press], Tool | None]
    button: Qt.MouseButton = LEFT
    modifiers: Qt.KeyboardModifier | None = None
    armed: str = ""

    def fits(self, press: Press, armed: str) -> bool:
        """Whether it is this one that the press asks for."""
        return (
            press.button is self.button
            and (armed if press.button is LEFT else "") == self.armed
            and press.ground in self.ground
            and (self.modifiers is None or press.modifiers == self.modifiers)
        )


def _pan(canvas: Canvas, press: Press) -> Tool:
    canvas.panned()
    return Pan(canvas, press.at)


def _wire(canvas: Canvas, press: Press) -> Tool | None:
    return Wire(canvas, press.at, press.port) if press.port is not None else None


def _move(canvas: Canvas, press: Press) -> Tool | None:
    return Move(canvas, press.at, *press.found, press.modifiers) if press.found else None


def _choose_wire(canvas: Canvas, press: Press) -> None:
    canvas.document.select(Selection(wire=press.wire))


def _box(canvas: Canvas, press: Press) -> Tool:
    return Box(canvas, press.at, press.modifiers)


def _lasso(canvas: Canvas, press: Press) -> Tool:
    return Lasso(canvas, press.at, press.modifiers)


def _knife(canvas: Canvas, press: Press) -> Tool:
    return Knife(canvas, press.at)


def _thread(canvas: Canvas, press: Press) -> Tool:
    return Thread(canvas, press.at)


def _lead(canvas: Canvas, press: Press) -> Tool | None:
    return Lead(canvas, press.at, *press.pin) if press.pin is not None else None


def _drag_number(canvas: Canvas, press: Press) -> Tool | None:
    return DragNumber(canvas, press.at, press.handle) if press.handle is not None else None


def _pull_out(canvas: Canvas, press: Press) -> Tool | None:
    return PullOut(canvas, press.at, *press.found, NONE) if press.found else None


def _bundle(canvas: Canvas, press: Press) -> Tool | None:
    port = press.port
    if isinstance(port, OutPort) and canvas.document.diagram.graph.ends_of(port):
        return Bundle(canvas, press.at, port)
    return _wire(canvas, press)


def _break(canvas: Canvas, press: Press) -> None:
    """The wires of a port, the wire, or the point that was pressed on go."""
    if press.pin is not None:
        remove_point(canvas, *press.pin)
    elif press.port is not None:
        canvas.break_wires(
            canvas.document.diagram.graph.ends_of(press.port)
            if isinstance(press.port, OutPort)
            else [press.port]
        )
    elif press.wire is not None:
        canvas.break_wires([press.wire])


PAN: Final = mark("gestures", "Move the view")
CUT: Final = mark("gestures", "Cut the wires that are crossed")
LASSO: Final = mark("gestures", "Select with a lasso")
GESTURES: Final = (
    Gesture(PAN, EVERYWHERE, _pan, armed="pan"),
    Gesture(CUT, EVERYWHERE, _knife, armed="knife"),
    Gesture(CUT, EVERYWHERE, _knife, RIGHT, CTRL),
    Gesture(CUT, EVERYWHERE, _knife, LEFT, ALT | SHIFT),
    Gesture(
        mark("gestures", "Lead the wires that are crossed through a point there"),
        EVERYWHERE,
        _thread,
        RIGHT,
        SHIFT,
    ),
    Gesture(LASSO, EVERYWHERE, _lasso, armed="lasso"),
    Gesture(LASSO, EVERYWHERE, _lasso, LEFT, CTRL | ALT),
    Gesture(
        mark("gestures", "Select with a lasso too"), EVERYWHERE, _lasso, LEFT, CTRL | ALT | SHIFT
    ),
    Gesture(PAN, EVERYWHERE, _pan, MIDDLE),
    Gesture(PAN, EVERYWHERE, _pan, RIGHT),
    Gesture(
        mark("gestures", "Change the selected number: Shift fine, Ctrl coarse"),
        frozenset({Ground.HANDLE}),
        _drag_number,
    ),
    Gesture(
        mark("gestures", "Break a wire, all wires of a port; remove a point"),
        frozenset({Ground.WIRE, Ground.PORT, Ground.PIN}),
        _break,
        LEFT,
        ALT,
    ),
    Gesture(
        mark("gestures", "Pull cards out of their wires"),
        frozenset({Ground.CARD}),
        _pull_out,
        LEFT,
        ALT,
    ),
    Gesture(
        mark("gestures", "Move all wires of a port"),
        frozenset({Ground.PORT}),
        _bundle,
        LEFT,
        CTRL,
    ),
    Gesture(mark("gestures", "Lead a wire elsewhere"), frozenset({Ground.PIN}), _lead),
    Gesture(mark("gestures", "Draw a wire"), frozenset({Ground.PORT}), _wire),
    Gesture(
        mark("gestures", "Select a card; move the selection, or a card without wires onto a wire"),
        frozenset({Ground.CARD}),
        _move,
    ),
    Gesture(mark("gestures", "Select a wire"), frozenset({Ground.WIRE}), _choose_wire),
    Gesture(mark("gestures", "Select with a rectangle"), frozenset({Ground.NOTHING}), _box),
)


def begin(canvas: Canvas, press: Press) -> Tool | None:
    """Do what a press asks for; the gesture it begins, if it begins one."""
    for gesture in GESTURES:
        if gesture.fits(press, canvas.armed):
            return gesture.begin(canvas, press)
    return None


def double_click(canvas: Canvas, press: Press) -> None:
    """Add on nothing; edit what is on a card; on a wire, a point to lead it by comes or goes."""
    if press.found is None:
        if press.pin is not None:
            remove_point(canvas, *press.pin)
        elif press.wire is not None:
            add_point(canvas, press.wire, canvas.camera.to_canvas(press.at))
        else:
            canvas.entry.offer(press.at)
        return
    look, hit = press.found
    if hit.part is Part.VALUE:
        canvas.entry.edit_cell(look, canvas.sight.cell_at(look, hit))
    elif hit.part in (Part.HEADER, Part.BODY):
        canvas.entry.edit_header(look)
