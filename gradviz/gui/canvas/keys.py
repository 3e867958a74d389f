"""The keys of the canvas that are no commands of the menus: Esc, arrows, Enter, Space, C, and typing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from gradviz.edit import edits
from gradviz.graph.model import InPort, OutPort, Place
from gradviz.graph.routes import routes_of
from gradviz.gui.canvas import cells
from gradviz.gui.canvas.carry import Carry
from gradviz.gui.canvas.dragging import is_draggable, step_number
from gradviz.gui.canvas.targets import AnyPort
from gradviz.gui.canvas.wiring import Wire
from gradviz.gui.document import CellRef, Selection
from gradviz.text import mark

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

NUDGE: Final = 4
FAR_NUDGE: Final = 40
PORT_AWAY: Final = 60.0
"""How far from a port, in pixels of the screen, what is added by a key goes."""
PAUSE_S: Final = 1.0
"""What arrows change so far apart is a step of its own."""
ARROWS: Final = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}
BEGINS_A_NUMBER: Final = frozenset("0123456789-−+.[(iInNpPπ")
SIGNS: Final = frozenset("@+-−*/×÷^=<>≤≥≠√Σ∂[|")
"""What no command is called by, and operations are."""
_TRAVELS: Final = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)
_ENTER: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_CTRL: Final = Qt.KeyboardModifier.ControlModifier
_ALT: Final = Qt.KeyboardModifier.AltModifier
_SHIFT: Final = Qt.KeyboardModifier.ShiftModifier
_COMMANDS: Final = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


KEYS: Final = (
    (
        mark("keys", "Move the selected cards; the chosen cell; nothing selected: the view"),
        "Arrows",
    ),
    (mark("keys", "The same, ten times as far"), "Shift+Arrows"),
    (mark("keys", "Select the nearest card that way (with Shift: too)"), "Alt+Arrows"),
    (
        mark("keys", "Select what feeds the card, or what it feeds (with Shift: too)"),
        "Ctrl+Left, Right",
    ),
    (mark("keys", "Change the chosen number (Shift fine, Ctrl coarse)"), "Alt+Up, Down"),
    (mark("keys", "Go to the next port of the selected card"), "P"),
    (mark("keys", "Select the wire at that port, or the next one"), "Shift+P"),
    (
        mark("keys", "Draw a wire from the port, or from the selected card; arrows choose its end"),
        "C",
    ),
    (mark("keys", "At a port, add what fits; else edit the value"), "Enter"),
    (
        mark("keys", "Begin to type a number into the chosen cell; on nothing, add a constant"),
        "0–9 . −",
    ),
    (mark("keys", "Add, if the pointer moved last; else leave the canvas"), "Tab"),
    (mark("keys", "Give up a gesture, an editor, a port, the selection"), "Esc"),
    (mark("keys", "The menu of what is selected"), "Menu, Shift+F10"),
)
"""What the canvas itself answers to, for the help."""


class Keys:
    """What a key does; `press` and `release` tell whether it did something."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._document = canvas.document
        self.clock: Callable[[], float] = time.monotonic
        self._space_held = False
        self._space_panned = False
        self._arrowed = -PAUSE_S

    def panned(self) -> None:
        """Space was for panning: releasing it does not play."""
        self._space_panned = True

    def forget(self) -> None:
        """The canvas has lost the focus; the release of a key will not be heard."""
        self._space_held = False
        self._canvas.armed = ""

    def adds(self, event: QKeyEvent) -> bool:
        """Whether a key is a letter that adds, where letters do, instead of the command it is called by."""
        text = event.text()
        return (
            self._canvas.types_to_add
            and self._canvas.tool is None
            and self._document.selection.cell is None
            and not event.modifiers()
            and len(text) == 1
            and text.isalpha()
        )

    def press(self, event: QKeyEvent) -> bool:
        if self.adds(event):
            self._canvas.entry.offer(text=event.text())
            return True
        key = Qt.Key(event.key())
        tool = self._canvas.tool
        if isinstance(tool, Wire) and self._wire_key(tool, key):
            return True
        if isinstance(tool, Carry) and self._carry_key(tool, key, event.modifiers()):
            return True
        if any(map(event.matches, _TRAVELS)):
            # The window undoes, where there is a step to undo; where there is none, a gesture may still be.
            return self._canvas.cancel_gesture()
        if key is Qt.Key.Key_Escape:
            if self._canvas.armed:
                self._canvas.armed = ""
            elif any(stop() for stop in self._canvas.gives_up):
                pass
            elif not self._canvas.cancel_gesture() and not self._canvas.walk.leave_port():
                self._document.select(Selection())
        elif key is Qt.Key.Key_Space:
            self._hold_space(event)
        elif key in ARROWS:
            self._arrow(ARROWS[key], event.modifiers())
        elif key in _ENTER:
            self._enter()
        elif key is Qt.Key.Key_P and not event.modifiers() & _COMMANDS:
            if event.modifiers() & _SHIFT:
                self._canvas.walk.wire()
            else:
                self._canvas.walk.next_port(1)
        elif key is Qt.Key.Key_C and not event.modifiers():
            self._wire()
        else:
            return self._type(event)
        return True

    def release(self, event: QKeyEvent) -> bool:
        if event.key() != Qt.Key.Key_Space or event.isAutoRepeat() or not self._space_held:
            return False
        self._space_held = False
        self._canvas.armed = ""
        if not self._space_panned:
            self._canvas.space_tapped.emit()
        return True

    def _hold_space(self, event: QKeyEvent) -> None:
        if not event.isAutoRepeat() and not self._space_held:
            self._space_held = True
            # In the midst of another gesture, Space is no wish to play.
            self._space_panned = self._canvas.tool is not None
            self._canvas.armed = "pan"

    def _wire_key(self, tool: Wire, key: Qt.Key) -> bool:
        if key in ARROWS:
            tool.choose(sum(ARROWS[key]))
        elif key in _ENTER:
            self._canvas.finish_gesture()
        elif key in (Qt.Key.Key_Tab, Qt.Key.Key_Insert):
            self._canvas.entry.offer()
        else:
            return False
        return True

    def _carry_key(self, tool: Carry, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> bool:
        if key in ARROWS:
            down, right = ARROWS[key]
            step = FAR_NUDGE if modifiers & _SHIFT else NUDGE
            tool.nudge(right * step, down * step)
        elif key in _ENTER:
            self._canvas.end(self._canvas.pointer.point, modifiers)
        else:
            return False
        return True

    def _enter(self) -> None:
        """At a port, add what fits there; else edit what is selected."""
        port = self._canvas.walk.port
        if port is None:
            self._canvas.entry.edit_selection()
            return
        at = self._canvas.sight.camera.to_screen(self._canvas.sight.port_point(port))
        away = PORT_AWAY if isinstance(port, OutPort) else -PORT_AWAY
        self._canvas.entry.offer(at + QPointF(away, 0), port)

    def _wire(self) -> None:
        only = self._document.selection.only
        if only is None:
            self._canvas.say(
                mark("canvas", "Select the node a wire shall start from, then press C.")
            )
            return
        if self._canvas.sight.look(only) is None:
            return
        focused = self._canvas.walk.port
        start: AnyPort = focused if focused is not None else OutPort(only)
        at = self._canvas.sight.camera.to_screen(self._canvas.sight.port_point(start))
        tool = Wire(self._canvas, at, start, clicks=1)
        self._canvas.begin(tool)
        if tool.choose(1):
            text = mark(
                "canvas",
                "Arrows choose where the wire ends, Enter connects, Tab adds what fits, Esc drops it.",
            )
        else:
            text = mark(
                "canvas", "Nothing in view takes this wire. Tab adds what fits, Esc drops it."
            )
        self._canvas.say(text)

    def _arrow(self, by: tuple[int, int], modifiers: Qt.KeyboardModifier) -> None:
        self._canvas.pointer.is_last = False
        now = self.clock()
        if now - self._arrowed >= PAUSE_S:
            self._document.seal()
        self._arrowed = now
        selection = self._document.selection
        extend = bool(modifiers & _SHIFT)
        if modifiers & _CTRL and by[1]:
            self._canvas.walk.along_wire(forward=by[1] > 0, extend=extend)
        elif modifiers & _ALT and by[0] and is_draggable(self._canvas, selection.cell):
            assert selection.cell is not None
            step_number(self._canvas, selection.cell, -by[0], modifiers)
        elif modifiers & _ALT:
            self._canvas.walk.to_nearest(by, extend=extend)
        elif selection.cell is not None:
            self._to_cell(selection.cell, by)
        elif selection.wire is not None and selection.wire in routes_of(self._document.diagram):
            self._nudge_points(selection.wire, by, FAR_NUDGE if modifiers & _SHIFT else NUDGE)
        elif selection.nodes:
            self._nudge(selection.nodes, by, FAR_NUDGE if modifiers & _SHIFT else NUDGE)
        else:
            camera = self._canvas.camera
            self._canvas.camera = camera.panned(-by[1] * FAR_NUDGE, -by[0] * FAR_NUDGE)

    def _to_cell(self, cell: CellRef, by: tuple[int, int]) -> None:
        array = self._canvas.sight.array(cell.node, cell.band)
        if array is not None and array.ndim == len(cell.index):
            index = cells.neighbour(array.shape, cell.index, by)
            found = CellRef(cell.node, cell.band, index)
            self._document.select(Selection(frozenset({cell.node}), None, found))

    def _nudge(self, nodes: frozenset[str], by: tuple[int, int], step: int) -> None:
        places = self._document.diagram.places
        moved = {
            id: Place(places[id].x + by[1] * step, places[id].y + by[0] * step)
            for id in nodes
            if id in places
        }
        self._document.edit(mark("edit", "Move"), edits.move, moved, merge=("nudge", nodes))

    def _nudge_points(self, end: InPort, by: tuple[int, int], step: int) -> None:
        points = routes_of(self._document.diagram)[end]
        moved = tuple(Place(p.x + by[1] * step, p.y + by[0] * step) for p in points)
        text = mark("edit", "Lead a wire")
        self._document.edit(text, edits.set_route, end, moved, merge=("nudge", end))

    def _type(self, event: QKeyEvent) -> bool:
        """Typing into a selected source cell edits it; digits and signs on the canvas open the add box."""
        text = event.text()
        if not text or not text.isprintable() or event.modifiers() & _COMMANDS:
            return False
        cell = self._document.selection.cell
        look = self._canvas.sight.look(cell.node) if cell is not None else None
        if look is not None and text in BEGINS_A_NUMBER:
            self._canvas.entry.edit_cell(look, cell, text)
        elif look is None and (text.isdigit() or text in SIGNS):
            self._canvas.entry.offer(text=text)
        else:
            return False
        return True
