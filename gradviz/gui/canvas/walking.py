"""Going from card to card, and from port to port, by keys."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from gradviz.engine import explain
from gradviz.graph.model import InPort, OutPort
from gradviz.graph.routes import source_of
from gradviz.gui.canvas.targets import AnyPort
from gradviz.gui.document import Selection
from gradviz.picture import geometry
from gradviz.picture.look import NodeLook
from gradviz.text import Message, mark, message, shape_words

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas

ASIDE: Final = 2.5
"""How much more a card that lies aside of the way counts than one that lies on it."""


class Walk:
    """`port` is the port of the selected card that keys are for; None for the card itself."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._document = canvas.document
        self._port: AnyPort | None = None
        self._document.selected.connect(self._check)

    @property
    def port(self) -> AnyPort | None:
        """The port that keys are for."""
        return self._port

    def _check(self) -> None:
        """Another card is selected: its ports are gone to anew."""
        port, selection = self._port, self._document.selection
        if port is None or selection.only == port.node:
            return
        if selection.wire is None or selection.wire not in self._wires(port):
            self.leave_port()

    def leave_port(self) -> bool:
        """Keys are for the card again; False if they were."""
        if self._port is None:
            return False
        self._port = None
        self._canvas.update()
        return True

    def to_nearest(self, by: tuple[int, int], *, extend: bool) -> None:
        """Select the card nearest in a direction (rows, columns); from nowhere, the one nearest to the middle."""
        sight = self._canvas.sight
        looks = sight.looks(self._document.diagram.graph.nodes)
        here = sight.looks(self._document.selection.nodes)
        if not here:
            middle = sight.view().center
            best = min(looks, key=lambda look: math.dist(_middle(look), middle), default=None)
        else:
            start = _middle(here[-1])
            chosen = self._document.selection.nodes
            best, least = None, math.inf
            for look in looks:
                cost = _cost(start, _middle(look), by)
                if look.id not in chosen and cost < least:
                    best, least = look, cost
        if best is not None:
            self._go(best.id, extend=extend)

    def along_wire(self, *, forward: bool, extend: bool) -> None:
        """Select what feeds the card, or what it feeds: the uppermost that is not selected yet."""
        only = self._document.selection.nodes
        graph, sight = self._document.diagram.graph, self._canvas.sight
        ids = [
            other
            for id in graph.nodes
            if id in only
            for other in (
                [end.node for end in graph.consumers_of(id)]
                if forward
                else [port.node for port in graph[id].inputs if port is not None]
            )
        ]
        looks = [look for look in sight.looks(dict.fromkeys(ids)) if look.id not in only]
        if looks:
            self._go(min(looks, key=lambda look: look.place.y).id, extend=extend)
        else:
            self._canvas.say(
                mark("canvas", "No wire leads on from here.")
                if forward
                else mark("canvas", "No wire leads back from here.")
            )

    def _go(self, id: str, *, extend: bool) -> None:
        nodes = self._document.selection.nodes if extend else frozenset()
        self._document.select(Selection(nodes | {id}))
        self._canvas.ensure_visible([id])
        self._canvas.say(explain.node_line(self._document.answer, id))

    def next_port(self, by: int) -> None:
        """The next port of the selected card, round at the end."""
        only = self._document.selection.only
        look = self._canvas.sight.look(only) if only is not None else None
        if look is None:
            self._canvas.say(mark("canvas", "Select a card to go to its ports."))
            return
        ports: list[AnyPort] = [
            *self._canvas.sight.ports_of(look, wants_input=True),
            *self._canvas.sight.ports_of(look, wants_input=False),
        ]
        if not ports:
            return
        # As tuples, the first input and the first output of a card are equal.
        kinds = [(type(port), port) for port in ports]
        now = (type(self._port), self._port)
        at = kinds.index(now) + by if now in kinds else (0 if by > 0 else -1)
        self._port = ports[at % len(ports)]
        self._canvas.update()
        self._canvas.say(self._words(self._port))

    def _words(self, port: AnyPort) -> Message:
        answer = self._document.answer
        if isinstance(port, OutPort):
            spec = answer.specs[port] if port.node in answer.graph else None
            words = shape_words(spec.shape) if spec is not None else "?"
            text = mark("canvas", "Output {number}, {words}: C draws a wire, Enter adds what fits.")
            return message(text, number=port.index + 1, words=words)
        node = self._document.diagram.graph[port.node]
        source = node.inputs[port.index] if port.index < len(node.inputs) else None
        if source is None:
            text = mark("canvas", "Input {number}, open: C draws a wire, Enter adds what fits.")
            return message(text, number=port.index + 1)
        text = mark("canvas", "Input {number}, from {name}: C moves the wire, Del removes it.")
        return message(text, number=port.index + 1, name=explain.name(answer, source.node))

    def wire(self) -> None:
        """Select the wire of the port, or the next of several."""
        port = self._port
        if port is None:
            self._canvas.say(mark("canvas", "P goes to the ports of the selected card first."))
            return
        ends = self._wires(port)
        if not ends:
            self._canvas.say(mark("canvas", "There is no wire at this port."))
            return
        now = self._document.selection.wire
        number = ends.index(now) + 1 if now in ends else 0
        self._document.select(Selection(wire=ends[number % len(ends)]))

    def _wires(self, port: AnyPort) -> tuple[InPort, ...]:
        """The ends of the wires at a port."""
        graph = self._document.diagram.graph
        if port.node not in graph:
            return ()
        if isinstance(port, OutPort):
            return graph.ends_of(port)
        return (port,) if source_of(graph, port) is not None else ()


def _middle(look: NodeLook) -> tuple[float, float]:
    return geometry.card_rect(look).center


def _cost(start: tuple[float, float], end: tuple[float, float], by: tuple[int, int]) -> float:
    """How far a card is in a direction; infinite for what lies the other way."""
    across, down = end[0] - start[0], end[1] - start[1]
    ahead = across * by[1] + down * by[0]
    aside = abs(across * by[0]) + abs(down * by[1])
    return ahead + ASIDE * aside if ahead > max(1.0, aside / ASIDE) else math.inf
