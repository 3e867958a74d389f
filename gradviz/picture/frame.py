"""Looks from an answer: the only module that knows both what was computed and how it is shown.

A `Framer` keeps what does not change: cards while an answer stays, contents while an array stays, and the previous look
of each node and wire, which is returned again where nothing about it changed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from gradviz import digits
from gradviz.engine import explain
from gradviz.engine.answer import Answer
from gradviz.engine.check import outputs_of
from gradviz.engine.gradient import Contribution, Role, Step
from gradviz.engine.timeline import Timeline
from gradviz.graph.model import Array, InPort, Node, OutPort, Place
from gradviz.graph.routes import routes_of
from gradviz.ops import registry
from gradviz.ops.op import Op
from gradviz.ops.spec import Spec
from gradviz.picture import content, film, geometry, labels, words
from gradviz.picture.boxes import Arrangement
from gradviz.picture.look import (
    Arrival,
    Band,
    Card,
    Content,
    Flow,
    Frame,
    Kind,
    Label,
    NodeLook,
    Note,
    NoteLook,
    Number,
    PacketLook,
    Phase,
    Port,
    Room,
    Slot,
    State,
    WireLook,
)
from gradviz.picture.plane import Point, Rect
from gradviz.picture.words import Translate
from gradviz.text import Message, same, shape_words

_PLAIN_INPUTS: Final = frozenset({"x", "y", "a", "b", "xs", "g", "gs"})
_NUMBERED: Final = re.compile(r"(.+)_\d+")


class Framer:
    """Makes frames; keep one per view."""

    def __init__(self, translate: Translate = same) -> None:
        self._translate = translate
        self._answer: Answer | None = None
        self._cards: dict[str, Card] = {}
        self._contents: dict[int, tuple[Array, Content]] = {}
        self._nodes: dict[str, NodeLook] = {}
        self._wires: dict[str, WireLook] = {}
        self._still: tuple[Answer, int, bool, bool] | None = None

    def sizes(self, answer: Answer) -> dict[str, tuple[float, float, float]]:
        """Width and height of every card, and how far down its output is, in canvas pixels: what the layout needs."""
        return {id: (*card.size, card.outputs[0].y) for id, card in self.arranged(answer).items()}

    def arranged(self, answer: Answer) -> dict[str, Arrangement]:
        """How every card is arranged, from its own upper left corner on."""
        self._use(answer)
        return {id: geometry.arrange(card) for id, card in self._cards.items()}

    def frame(
        self,
        answer: Answer,
        position: int,
        progress: float = 1.0,
        *,
        dimmed: bool = False,
        moved: Mapping[str, Place] | None = None,
    ) -> Frame:
        """The picture at a position of the film; `moved` are the places of cards that are being dragged."""
        self._use(answer)
        moment = _Moment(answer, position, progress)
        # While a packet travels, nothing changes but the packet.
        still = None if moved or moment.merging else (answer, position, progress >= 1, dimmed)
        if still is None or still != self._still:
            self._nodes = {
                node.id: self._node(node, moment, moved or {}, dimmed=dimmed)
                for node in answer.graph
            }
            self._wires = self._wire_looks(answer, moment, self._nodes)
            self._still = still
        packets = self._packets(moment, self._wires)
        notes = tuple(look for note in answer.diagram.notes if (look := _note(note)) is not None)
        return labels.compose(
            tuple(self._nodes.values()), tuple(self._wires.values()), packets, notes
        )

    def _use(self, answer: Answer) -> None:
        if answer is self._answer:
            return
        self._answer = answer
        self._cards = {
            node.id: _Carder(answer, self._translate).card(node) for node in answer.graph
        }
        alive = {
            id(record) for records in answer.run.records.values() for record in records.outputs
        }
        self._contents = {key: kept for key, kept in self._contents.items() if key in alive}

    def _content(self, array: Array) -> Content:
        kept = self._contents.get(id(array))
        if kept is None or kept[0] is not array:
            kept = self._contents[id(array)] = (array, content.content(array, self._translate))
        return kept[1]

    def _node(
        self, node: Node, moment: _Moment, moved: Mapping[str, Place], *, dimmed: bool
    ) -> NodeLook:
        answer = moment.answer
        card = self._cards[node.id]
        place = moved.get(node.id) or answer.diagram.places.get(node.id) or Place(0, 0)
        port = OutPort(node.id)
        question = answer.question
        look = NodeLook(
            node.id,
            card,
            Point(place.x, place.y),
            value=self._value(card, node, moment),
            gradient=self._gradient(card, port, moment),
            slots=self._slots(card, port, moment),
            sum=explain.sum_line(answer, port)
            if card.slots and moment.adjoint(port) is not None
            else "",
            merge=moment.progress if moment.merges(port) else 0.0,
            inputs=tuple(self._input(node, index, moment) for index in range(len(node.inputs))),
            outputs=tuple(_output(answer, p, moment) for p in outputs_of(node, answer.specs))
            or (Port(),),
            active=moment.active(node.id),
            target=port in question.of,
            wrt=port in question.wrt,
            tab=words.target(self._translate) if port in question.of else "",
            dimmed=dimmed,
        )
        before = self._nodes.get(node.id)
        return before if before == look else look

    def _value(self, card: Card, node: Node, moment: _Moment) -> Band:
        if card.value_note is not None:
            return Band(State.ERROR)
        array = moment.value(OutPort(node.id))
        if array is not None:
            return Band(State.KNOWN, self._content(array))
        return Band(State.WAITING, words=self._waiting_for_value(node, moment))

    def _waiting_for_value(self, node: Node, moment: _Moment) -> str:
        problem = moment.answer.specs.problems.get(node.id)
        if problem is not None and problem.kind == "open":
            return words.open_input(self._translate)
        for port in node.inputs:
            if port is not None and moment.answer.value(port) is None:
                return words.waits_for(explain.name(moment.answer, port.node), self._translate)
        return words.not_yet(self._translate)

    def _gradient(self, card: Card, port: OutPort, moment: _Moment) -> Band:
        if card.gradient is None:
            return Band()
        array = moment.adjoint(port)
        if array is not None:
            return Band(State.KNOWN, self._content(array))
        if port not in moment.timeline.gradient_at and moment.backwards:
            if card.gradient_note is not None:
                return Band(State.NONE)
            zeros = moment.answer.result(port) if port in moment.answer.question.wrt else None
            return Band(State.KNOWN, self._content(zeros) if zeros is not None else Number("None"))
        return Band(State.WAITING, words=self._waiting_for_gradient(port, moment))

    def _waiting_for_gradient(self, port: OutPort, moment: _Moment) -> str:
        if moment.backwards:
            for contribution, arrived in moment.arrived(port):
                if not arrived and contribution.wire is not None:
                    return words.waits_for(
                        explain.name(moment.answer, contribution.wire.node), self._translate
                    )
        return words.not_yet(self._translate)

    def _slots(self, card: Card, port: OutPort, moment: _Moment) -> tuple[Slot, ...]:
        if not card.slots:
            return ()
        found = []
        for contribution, arrived in moment.arrived(port):
            array = moment.answer.run[contribution.result]
            now = moment.delivers(contribution.wire, port)
            if array is None or not (arrived or now):
                found.append(Slot())
            else:
                shown = self._content(array) if arrived else None
                found.append(Slot(Arrival.NOW if now else Arrival.ARRIVED, shown))
        return tuple(found[: geometry.SLOTS_SHOWN])

    def _input(self, node: Node, index: int, moment: _Moment) -> Port:
        wired = node.inputs[index] is not None
        return Port(wired, moment.flow(InPort(node.id, index)) if wired else None)

    def _wire_looks(
        self, answer: Answer, moment: _Moment, nodes: Mapping[str, NodeLook]
    ) -> dict[str, WireLook]:
        found = {}
        led = {
            end: tuple(Point(*p) for p in points)
            for end, points in routes_of(answer.diagram).items()
        }
        for node in answer.graph:
            for index, source in enumerate(node.inputs):
                if source is None or source.index >= len(nodes[source.node].outputs):
                    continue
                end = InPort(node.id, index)
                look = WireLook(
                    wire_id(end),
                    geometry.output_point(nodes[source.node], source.index),
                    geometry.input_point(nodes[node.id], index),
                    moment.phase(end),
                    _label(moment, end),
                    led.get(end, ()),
                )
                before = self._wires.get(look.id)
                found[look.id] = before if before == look else look
        return found

    def _packets(self, moment: _Moment, wires: Mapping[str, WireLook]) -> tuple[PacketLook, ...]:
        if moment.step is None or moment.progress >= 1:
            return ()
        found: list[PacketLook] = []
        for end, before, after, flow in moment.travelling():
            if wire_id(end) in wires and before is not None and after is not None:
                shown = self._content(before), self._content(after)
                found += film.packets(moment.family, flow, wire_id(end), *shown, moment.progress)
        return tuple(found)


def _note(note: Mapping[str, object]) -> NoteLook | None:
    """A note that has a place on the canvas: `{"text": …, "place": [x, y, width, height]}`."""
    text, place = note.get("text"), note.get("place")
    if not isinstance(text, str) or not isinstance(place, tuple) or len(place) != len(Rect._fields):
        return None
    if not all(isinstance(number, int | float) for number in place):
        return None
    return NoteLook(Rect(*place), text)


def wire_id(end: InPort) -> str:
    """The id of a wire's look: a wire is known by its end."""
    return f"{end.node}:{end.index}"


def wire_end(id: str) -> InPort:
    """The end of the wire whose look has that id."""
    node, index = id.rsplit(":", 1)
    return InPort(node, int(index))


def _output(answer: Answer, port: OutPort, moment: _Moment) -> Port:
    ends = answer.graph.ends_of(port)
    flows = [moment.flow(end) for end in ends]
    backward = Flow.BACKWARD if Flow.BACKWARD in flows else None
    return Port(bool(ends), backward or (Flow.FORWARD if Flow.FORWARD in flows else None))


def _label(moment: _Moment, end: InPort) -> Label | None:
    step = moment.step
    if step is None or (step.address.node, step.address.input) != end:
        return None
    if step.address.role is Role.CONTRIBUTION:
        return Label(explain.wire(moment.answer, step).lines)
    if step.address.role is Role.FIT:
        return Label((explain.rule_text(moment.answer, step),))
    return None


class _Moment:
    """What is known, and what moves, at a position of the film."""

    def __init__(self, answer: Answer, position: int, progress: float) -> None:
        self.answer = answer
        self.timeline: Timeline = answer.timeline
        self.progress = progress
        self.step: Step | None = self.timeline.step(position)
        # What a step brings is there when its picture has come to an end.
        self._known = position if progress >= 1 else position - 1
        self.backwards = position > self.timeline.forward
        self._role = self.step.address.role if self.step is not None else None

    def value(self, port: OutPort) -> Array | None:
        return self.timeline.value(port, self._known)

    def adjoint(self, port: OutPort) -> Array | None:
        return self.timeline.adjoint(port, self._known)

    def arrived(self, port: OutPort) -> tuple[tuple[Contribution, bool], ...]:
        return self.timeline.arrived(port, self._known)

    @property
    def merging(self) -> bool:
        return self._role is Role.MERGE and self.progress < 1

    def merges(self, port: OutPort) -> bool:
        return self._role is Role.MERGE and self.step is not None and self.step.port == port

    def delivers(self, wire: InPort | None, port: OutPort) -> bool:
        """Whether the present step brings the contribution of that wire."""
        step = self.step
        if step is None or step.port != port:
            return False
        if wire is None:
            return self._role is Role.SEED
        return (
            self._role in (Role.CONTRIBUTION, Role.FIT)
            and (step.address.node, step.address.input) == wire
        )

    def active(self, id: str) -> Flow | None:
        """How the node takes part in the present step."""
        if self.step is None or self._role is Role.DONE:
            return None
        if self._role is Role.VALUE:
            return Flow.FORWARD if self.step.address.node == id else None
        return Flow.BACKWARD if self.step.port.node == id else None

    def phase(self, end: InPort) -> Phase:
        step = self.step
        if step is not None and self._role is Role.VALUE and step.address.node == end.node:
            return Phase.FORWARD_ACTIVE
        if (
            step is not None
            and self._role in (Role.CONTRIBUTION, Role.FIT)
            and step.address[:2] == end
        ):
            return Phase.BACKWARD_ACTIVE
        flow = self.flow(end)
        if flow is Flow.BACKWARD:
            return Phase.BACKWARD_DONE
        return Phase.FORWARD_DONE if flow is Flow.FORWARD else Phase.IDLE

    def flow(self, end: InPort) -> Flow | None:
        """What the wire carried last."""
        back = self.timeline.back_at.get(end)
        if back is not None and back <= self._known:
            return Flow.BACKWARD
        at = self.timeline.value_at.get(end.node)
        return Flow.FORWARD if at is not None and at <= self._known else None

    @property
    def family(self) -> str:
        """The family of the op whose step is shown; fitting a gradient to its value has a motion of its own."""
        assert self.step is not None
        if self._role is Role.FIT:
            return film.FIT
        op = registry.find(self.answer.graph[self.step.address.node].op)
        return op.family if op is not None else "map"

    def travelling(self) -> list[tuple[InPort, Array | None, Array | None, Flow]]:
        """What is on the wires: where the wire ends, what leaves, what arrives, and which way it goes."""
        step = self.step
        if step is None:
            return []
        if self._role is Role.VALUE:
            return self._travelling_forward(self.answer.graph[step.address.node])
        if self._role in (Role.CONTRIBUTION, Role.FIT) and isinstance(step.result, OutPort):
            end = InPort(step.address.node, step.address.input)
            after = self.answer.run[step.result]
            before = self.answer.run[step.amount] if isinstance(step.amount, OutPort) else after
            return [(end, before, after, Flow.BACKWARD)]
        return []

    def _travelling_forward(
        self, node: Node
    ) -> list[tuple[InPort, Array | None, Array | None, Flow]]:
        result = self.answer.value(OutPort(node.id))
        found = []
        for index, port in enumerate(node.inputs):
            if port is not None:
                before = self.answer.value(port)
                # One input becomes the result on its way; of several, each arrives as it is.
                after = result if len(node.inputs) == 1 else before
                found.append((InPort(node.id, index), before, after, Flow.FORWARD))
        return found


class _Carder:
    """Cards: what of a node stays while the film plays."""

    def __init__(self, answer: Answer, translate: Translate) -> None:
        self._answer = answer
        self._translate = translate

    def card(self, node: Node) -> Card:
        op = registry.find(node.op)
        if op is None:
            return self._opaque(node)
        if (
            node.op == "constant"
            and not node.name
            and self._spec(node) is not None
            and self._is_literal(node)
        ):
            return self._literal(node)
        if node.op == "stop_gradient":
            text = words.stop_gradient(self._translate)
            return Card(Kind.GATE, op.sign, words=text, inputs=("",), gradient=None)
        return self._full(node, op)

    def _is_literal(self, node: Node) -> bool:
        spec = self._spec(node)
        return spec is not None and spec.weak and OutPort(node.id) not in self._answer.question.wrt

    def _literal(self, node: Node) -> Card:
        array = self._answer.value(OutPort(node.id))
        shown = digits.number(array) if array is not None else "?"
        return Card(Kind.LITERAL, shown, words=words.constant(self._translate), gradient=None)

    def _opaque(self, node: Node) -> Card:
        return Card(
            Kind.OPAQUE,
            node.op,
            sign="?",
            name=self._foot(node, None),
            inputs=("",) * len(node.inputs),
            gradient=None,
            value_note=self._error(node),
        )

    def _full(self, node: Node, op: Op) -> Card:
        answer, port = self._answer, OutPort(node.id)
        target = port in answer.question.of
        slots = self._roads(port)
        shown = slots[: geometry.SLOTS_SHOWN]
        extra = len(slots) - len(shown)
        return Card(
            Kind.OUTPUT
            if target and not op.is_source
            else Kind.SOURCE
            if op.is_source
            else Kind.OP,
            node.name or node.op if op.is_source else op.name,
            sign=op.sign,
            words=op.name.replace("_", " ") if op.is_source else "",
            tag=self._tag(node),
            name=self._foot(node, op),
            inputs=tuple(self._input_names(node, op)),
            outputs=("",) * max(1, len(answer.specs.outputs[node.id])),
            value=self._room(port, answer.value(port)),
            gradient=self._gradient_room(port),
            value_caption=words.value_caption(self._translate),
            gradient_caption=self._gradient_caption(port),
            slots=shown,
            more=words.more_roads(extra, self._translate) if extra else "",
            sum_characters=len(explain.sum_line(answer, port)) if slots else 0,
            value_note=self._error(node),
            gradient_note=self._none_note(port),
        )

    def _spec(self, node: Node) -> Spec | None:
        return self._answer.specs[OutPort(node.id)]

    def _tag(self, node: Node) -> str:
        spec = self._spec(node)
        if spec is None:
            return "?"
        shape = shape_words(spec.shape) if spec.shape else words.one_number(self._translate)
        short = {"float32": " f32", "int64": " int", "bool": " bool"}.get(spec.dtype.name, "")
        return shape + short if not spec.weak else shape

    def _foot(self, node: Node, op: Op | None) -> str:
        if op is not None and op.is_source:
            return ""
        if op is not None and OutPort(node.id) in self._answer.question.of:
            return words.output(node.name or node.op, self._translate)
        match = _NUMBERED.fullmatch(node.name)
        automatic = node.name in ("", node.op) or (match is not None and match[1] == node.op)
        return "" if automatic else words.named(node.name, self._translate)

    def _input_names(self, node: Node, op: Op) -> list[str]:
        names = op.port_names(len(node.inputs))[: len(node.inputs)]
        names = (*names, *("" for _ in range(len(node.inputs) - len(names))))
        telling = any(name not in _PLAIN_INPUTS for name in op.inputs) and len(op.inputs) > 1
        return [name if telling else "" for name in names]

    def _room(self, port: OutPort, array: Array | None) -> Room:
        spec = self._answer.specs[port]
        if spec is None:
            return Room()
        return content.room(spec.shape, () if array is None else (array,))

    def _gradient_room(self, port: OutPort) -> Room | None:
        answer = self._answer
        if not answer.specs.is_float(port) or not answer.question.of:
            return None
        array = answer.adjoint(port)
        if array is None and answer.missing(port) is not None and answer.result(port) is None:
            return Room()
        return self._room(port, array)

    def _gradient_caption(self, port: OutPort) -> str:
        spec = self._answer.specs[port]
        word = words.gradient_caption(translate=self._translate)
        if spec is None or not spec.shape or len(self._answer.question.of) != 1:
            return word
        return f"{word}  {explain.partial(self._answer, port.node)}"

    def _roads(self, port: OutPort) -> tuple[str, ...]:
        found = self._answer.gradient.arrived.get(port, ())
        if len(found) < 2:
            return ()
        return tuple(
            self._render(explain.road(self._answer, contribution)) for contribution in found
        )

    def _error(self, node: Node) -> Note | None:
        problem = self._answer.specs.problems.get(node.id)
        if problem is not None and problem.kind == "open":
            return None
        text = problem.message if problem is not None else self._answer.run.error(node.id)
        if text is None:
            return None
        return Note(words.cannot(self._translate), self._render(text))

    def _none_note(self, port: OutPort) -> Note | None:
        answer = self._answer
        if port not in answer.question.wrt or answer.result(port) is not None:
            return None
        missing = answer.missing(port)
        if missing is None:
            return None
        sentence = self._render(explain.reason(answer, missing).sentence)
        title = f"{explain.partial(answer, port.node)} = None"
        return Note(title, f"{sentence[:1].upper()}{sentence[1:]}.")

    def _render(self, message: Message) -> str:
        return message.render(self._translate)
