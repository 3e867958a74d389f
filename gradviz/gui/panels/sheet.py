"""What the inspector says about what is selected, as plain records; nothing that is not known at this moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from gradviz import digits
from gradviz.engine import explain
from gradviz.engine.answer import Answer
from gradviz.engine.diagnose import State
from gradviz.engine.gradient import Address, Contribution, Role, Step
from gradviz.graph.model import Array, InPort, OutPort
from gradviz.gui.document import CellRef, Selection
from gradviz.gui.translate import render, say
from gradviz.ops import registry
from gradviz.picture.look import Arrival, Flow
from gradviz.text import Message, Text, mark

NAMES_SHOWN: Final = 12
ROADS_SHOWN: Final = 12
INPUTS_SHOWN: Final = 12
ANSWERS_SHOWN: Final = 12


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text. `role` is its colour, `size` "small", "normal" or "large"; `gap` is the space above."""

    text: str
    role: str = ""
    size: str = "normal"
    bold: bool = False
    mono: bool = False
    gap: int = 4
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """Begins a part."""

    text: str


@dataclass(frozen=True, slots=True)
class Road:
    """A contribution: by which road, the line of arithmetic once it is known, and where it is."""

    road: str
    line: str
    arrival: Arrival
    word: str


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Numbers, of a band of `node` or of a wire; equal if they are the same array under the same name."""

    array: Array
    name: str
    caption: str
    flow: Flow
    node: str = ""
    chosen: tuple[int, ...] | None = None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Table)
            and self.array is other.array
            and self._words == other._words
            and self.flow is other.flow
        )

    __hash__ = None  # type: ignore[assignment]  # compared, never looked up

    @property
    def _words(self) -> tuple[object, ...]:
        return self.name, self.caption, self.node, self.chosen


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and what they are, below each other."""

    rows: tuple[tuple[str, str, str], ...]
    """Name, value, and the role that colours it."""


class Remedy(NamedTuple):
    """A button that asks another question: the keywords for `edits.set_query`."""

    text: str
    step: Text
    query: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Absence:
    """A gradient that is missing, or anything else that is amiss: title, sentence, what to do, buttons."""

    title: str
    sentence: str
    advice: str = ""
    remedies: tuple[Remedy, ...] = ()
    show: tuple[tuple[str, str], ...] = field(default=())
    """Nodes to go to: words of the button, id."""


Block = Line | Heading | Road | Table | Facts | Absence


@dataclass(frozen=True, slots=True)
class Moment:
    """An answer at a position of the film. While a step is shown, what it brings is not known yet."""

    answer: Answer
    position: int
    rests: bool = True

    @property
    def known(self) -> int:
        """The position up to which everything is known."""
        return self.position if self.rests else self.position - 1

    @property
    def backwards(self) -> bool:
        """Whether the backward half has begun."""
        return self.position > self.answer.timeline.forward or not self._has_backward

    @property
    def _has_backward(self) -> bool:
        timeline = self.answer.timeline
        return len(timeline) > timeline.forward

    def value(self, port: OutPort) -> Array | None:
        """A value, once it is known."""
        return self.answer.timeline.value(port, self.known)

    def adjoint(self, port: OutPort) -> Array | None:
        """A gradient, once it is known."""
        return self.answer.timeline.adjoint(port, self.known)

    def step(self, node: str, input: int, role: Role) -> tuple[Step, int] | None:
        """A step of the film, and its position."""
        timeline = self.answer.timeline
        occurrence = 0 if role is Role.VALUE else self.answer.gradient.occurrence
        position = timeline.position(Address(node, input, role, occurrence))
        found = timeline.step(position) if position is not None else None
        return (found, position) if found is not None and position is not None else None


def sheet(selection: Selection, moment: Moment) -> list[Block]:
    """Everything the inspector shows, top to bottom."""
    graph = moment.answer.graph
    if selection.wire is not None and selection.wire.node in graph:
        return _wire(selection.wire, moment)
    nodes = [id for id in graph.nodes if id in selection.nodes]
    if len(nodes) == 1:
        return _node(nodes[0], selection.cell, moment)
    if nodes:
        return _several(nodes, moment)
    return _overview(moment)


def not_yet() -> Line:
    """What stands where something is still to come."""
    return Line(say(mark("panels", "not yet")), "dim", "small")


def _title(text: str) -> Line:
    return Line(text, size="large", bold=True, mono=True, gap=0)


def _dim(text: str, *, mono: bool = False, gap: int = 4) -> Line:
    return Line(text, "dim", "small", mono=mono, gap=gap)


def _number_line(text: str, role: str, detail: str = "") -> Line:
    return Line(text, role, bold=True, mono=True, gap=8, detail=detail)


def _node(id: str, cell: CellRef | None, moment: Moment) -> list[Block]:
    answer = moment.answer
    blocks: list[Block] = [
        _title(explain.headline(answer, id)),
        _dim(render(explain.summary(answer, id))),
        _dim(explain.spec_words(answer, id), mono=True),
    ]
    blocks += _trouble(id, moment)
    blocks += _value(id, cell, moment)
    blocks += _cell(id, "value", cell, moment)
    if answer.question.of:
        blocks += _arrivals(id, cell, moment)
        blocks += _cell(id, "gradient", cell, moment)
        blocks += _passed_on(id, moment)
    return blocks


def _cell(id: str, band: str, cell: CellRef | None, moment: Moment) -> list[Block]:
    """Value and gradient of the chosen cell, below the table it was chosen in."""
    if cell is None or cell.node != id or cell.band != band:
        return []
    answer, port = moment.answer, OutPort(id)
    where = f"[{', '.join(map(str, cell.index))}]" if cell.index else ""
    rows = []
    for array, name, role in (
        (moment.value(port), explain.name(answer, cell.node), "forward"),
        (moment.adjoint(port), explain.partial(answer, cell.node), "backward"),
    ):
        if array is not None and _has_cell(array, cell.index):
            rows.append((f"{name}{where}", digits.full(array[cell.index]), role))
    return [Facts(tuple(rows))] if rows else []


def _has_cell(array: Array, index: tuple[int, ...]) -> bool:
    return len(index) == array.ndim and all(
        0 <= i < n for i, n in zip(index, array.shape, strict=True)
    )


def _trouble(id: str, moment: Moment) -> list[Block]:
    """Why the node itself cannot be computed."""
    answer = moment.answer
    problem = answer.specs.problems.get(id)
    text = problem.message if problem is not None else answer.run.error(id)
    if text is None:
        return []
    return [Absence(say(mark("panels", "It cannot be computed")), render(text))]


def _chosen(id: str, band: str, cell: CellRef | None) -> tuple[int, ...] | None:
    found = cell is not None and cell.node == id and cell.band == band
    return cell.index if found and cell is not None else None


def _value(id: str, cell: CellRef | None, moment: Moment) -> list[Block]:
    answer, port = moment.answer, OutPort(id)
    array = moment.value(port)
    blocks: list[Block] = [Heading(say(mark("panels", "Value")))]
    if array is None:
        return [*blocks, not_yet()]
    found = moment.step(id, 0, Role.VALUE)
    if found is not None:
        line = render(explain.sentence(answer, found[0]))
        if array.ndim == 0:
            return [*blocks, _number_line(line, "forward", digits.full(array))]
        blocks.append(_dim(line, mono=True))
    name = explain.name(answer, id)
    return [*blocks, Table(array, name, "", Flow.FORWARD, id, _chosen(id, "value", cell))]


def _arrivals(id: str, cell: CellRef | None, moment: Moment) -> list[Block]:
    answer, port = moment.answer, OutPort(id)
    spec = answer.specs[port]
    if spec is not None and spec.weak:
        return []
    blocks: list[Block] = [Heading(say(mark("panels", "What arrives here")))]
    if port not in answer.timeline.gradient_at:
        return [*blocks, *_absent(port, moment)]
    arrived = answer.timeline.arrived(port, moment.known)
    blocks += _roads(port, moment)
    array = moment.adjoint(port)
    if array is None:
        return blocks
    blocks += _total(port, len(arrived), array, moment)
    if array.ndim:
        partial = explain.partial(answer, id)
        chosen = _chosen(id, "gradient", cell)
        blocks.append(Table(array, partial, partial, Flow.BACKWARD, id, chosen))
    return blocks


def _roads(port: OutPort, moment: Moment) -> list[Block]:
    """The first contributions, and the one that is just arriving."""
    found = moment.answer.timeline.arrived(port, moment.known)
    shown = [
        _road(port, contribution, here, moment)
        for number, (contribution, here) in enumerate(found)
        if number < ROADS_SHOWN or _is_now(port, contribution, moment)
    ]
    return [*shown, *_more(len(found) - len(shown))]


def _more(count: int) -> list[Block]:
    return [_dim(say(mark("panels", "and {count} more"), count=count))] if count > 0 else []


def _total(port: OutPort, roads: int, array: Array, moment: Moment) -> list[Block]:
    """How the contributions were added up."""
    answer = moment.answer
    added = explain.sum_line(answer, port)
    if not added:
        if array.ndim:
            return []
        text = f"{explain.partial(answer, port.node)} = {explain.array_words(array)}"
        return [_number_line(text, "backward", digits.full(array))]
    line = say(mark("panels", "gradient = {line}"), line=added)
    blocks: list[Block] = [
        _number_line(line, "backward", digits.full(array) if array.ndim == 0 else "")
    ]
    merge = moment.step(port.node, port.index, Role.MERGE)
    if merge is not None:
        blocks.append(_dim(render(explain.sentence(answer, merge[0]))))
    return blocks


def _road(port: OutPort, contribution: Contribution, arrived: bool, moment: Moment) -> Road:
    answer = moment.answer
    road = render(explain.road(answer, contribution))
    now = _is_now(port, contribution, moment)
    if not arrived and not now:
        return Road(road, "", Arrival.PENDING, say(mark("panels", "not yet")))
    word = say(mark("panels", "now") if now else mark("panels", "arrived"))
    line = _contribution_line(contribution, moment)
    return Road(road, line, Arrival.NOW if now else Arrival.ARRIVED, word)


def _is_now(port: OutPort, contribution: Contribution, moment: Moment) -> bool:
    step = moment.answer.timeline.step(moment.position)
    if step is None or step.port != port:
        return False
    role, wire = step.address.role, contribution.wire
    if wire is None:
        return role is Role.SEED
    brings = role in (Role.CONTRIBUTION, Role.FIT)
    return brings and (step.address.node, step.address.input) == wire


def _contribution_line(contribution: Contribution, moment: Moment) -> str:
    answer, wire = moment.answer, contribution.wire
    if wire is None:
        return explain.array_words(answer.run[contribution.result])
    found = moment.step(wire.node, wire.index, Role.CONTRIBUTION)
    return explain.wire(answer, found[0]).line if found is not None else ""


def _absent(port: OutPort, moment: Moment) -> list[Block]:
    """A gradient that does not exist: silent until the backward half has begun."""
    answer = moment.answer
    if not moment.backwards:
        return [not_yet()]
    missing = answer.missing(port)
    if missing is None:
        return []
    why = explain.reason(answer, missing)
    asked = port in answer.question.wrt
    zeros = answer.result(port) if asked else None
    blocks: list[Block] = []
    if zeros is not None:
        name = explain.partial(answer, port.node)
        blocks.append(Table(zeros, name, name, Flow.BACKWARD, port.node))
        shown = _none_again()
        blocks.append(Absence(render(why.title), _sentence(why.sentence), "", (shown,)))
        return blocks
    title = f"{explain.partial(answer, port.node)} = None"
    remedies = _remedies(port, why.state, asked=asked, moment=moment)
    show = tuple(
        (say(mark("panels", "Go to {name}"), name=explain.name(answer, id)), id)
        for id in missing.nodes[:3]
        if id != port.node and id in answer.graph
    )
    title = f"{title}  ·  {render(why.title)}"
    return [Absence(title, _sentence(why.sentence), render(why.remedy), remedies, show)]


def _sentence(said: Message) -> str:
    text = render(said)
    return f"{text[:1].upper()}{text[1:]}."


CHOOSE_WRT: Final = mark("edit", "Choose what to differentiate by")
CHOOSE_TARGET: Final = mark("edit", "Choose the target")
CHOOSE_ZEROS: Final = mark("edit", "Show missing gradients as zeros")
CHOOSE_NONE: Final = mark("edit", "Show missing gradients as None")


def _query(**keywords: object) -> Mapping[str, object]:
    return MappingProxyType(keywords)


def _none_again() -> Remedy:
    return Remedy(say(mark("panels", "Show None again")), CHOOSE_NONE, _query(unconnected="none"))


_ZEROS_HELP: Final = frozenset(State) - {State.NO_TARGETS, State.NOT_ASKED, State.NOT_RUN}


def _remedies(port: OutPort, state: State, *, asked: bool, moment: Moment) -> tuple[Remedy, ...]:
    """The buttons that do what the advice says; only those that work."""
    question, id = moment.answer.question, port.node
    found = []
    if state is State.SWAPPED and len(question.of) == 1:
        query = _query(of=(id,), wrt=(question.of[0].node,))
        found.append(Remedy(say(mark("panels", "Swap them")), CHOOSE_TARGET, query))
    if asked and state in _ZEROS_HELP:
        query = _query(unconnected="zero")
        found.append(Remedy(say(mark("panels", "Use zeros")), CHOOSE_ZEROS, query))
    if not asked and state is State.NOT_ASKED:
        wrt = (*(p.node for p in question.wrt), id)
        name = explain.name(moment.answer, id)
        text = say(mark("panels", "Differentiate by {name}"), name=name)
        found.append(Remedy(text, CHOOSE_WRT, _query(wrt=wrt)))
    return tuple(found)


def _passed_on(id: str, moment: Moment) -> list[Block]:
    answer = moment.answer
    ends = [InPort(id, i) for i, port in enumerate(answer.graph[id].inputs) if port is not None]
    parts = [(end, _passed_to(end, moment)) for end in ends[:INPUTS_SHOWN]]
    parts = [(end, blocks) for end, blocks in parts if blocks]
    if not parts:
        return []
    if len(parts) == 1:
        name = _source_name(parts[0][0], answer)
        return [
            Heading(say(mark("panels", "What it passes on to {name}"), name=name)),
            *parts[0][1],
        ]
    blocks: list[Block] = [Heading(say(mark("panels", "What it passes on")))]
    for end, lines in parts:
        text = say(mark("panels", "to {name}"), name=_source_name(end, answer))
        blocks += [Line(text, size="small", bold=True, gap=8), *lines]
    return [*blocks, *_more(len(ends) - INPUTS_SHOWN)]


def _source_name(end: InPort, answer: Answer) -> str:
    source = answer.graph[end.node].inputs[end.index]
    return explain.name(answer, source.node) if source is not None else "?"


def _passed_to(end: InPort, moment: Moment) -> list[Block]:
    """What goes back over one wire."""
    answer = moment.answer
    found = moment.step(end.node, end.index, Role.CONTRIBUTION)
    if found is None:
        silence = explain.silence(answer, end) if moment.backwards else None
        return [_dim(render(silence))] if silence is not None else []
    step, position = found
    if position > moment.position:
        return [not_yet()]
    blocks: list[Block] = []
    derivative = explain.derivative(answer, step)
    if derivative is not None:
        blocks.append(_dim(render(derivative), mono=True))
    blocks.append(_number_line(explain.wire(answer, step).line, "backward"))
    blocks += _result(step, position, moment)
    fit = moment.step(end.node, end.index, Role.FIT)
    if fit is not None and fit[1] <= moment.position:
        blocks.append(_dim(render(explain.sentence(answer, fit[0]))))
        blocks += _result(*fit, moment)
    return blocks


def _result(step: Step, position: int, moment: Moment) -> list[Block]:
    """The array a step brings, once it is there; a number stands in its line already."""
    array = moment.answer.run[step.result] if isinstance(step.result, OutPort) else None
    if array is None or not array.ndim or position > moment.known:
        return []
    name = explain.step_label(moment.answer, step)
    return [Table(array, name, "", Flow.BACKWARD)]


def _wire(end: InPort, moment: Moment) -> list[Block]:
    answer = moment.answer
    source = answer.graph[end.node].inputs[end.index] if end.node in answer.graph else None
    if source is None:
        return _overview(moment)
    blocks: list[Block] = [
        _title(explain.wire_name(answer, end)),
        _dim(
            say(
                mark("panels", "A wire. It carries {spec}."),
                spec=explain.spec_words(answer, source.node),
            )
        ),
        Heading(say(mark("panels", "Forward"))),
    ]
    array = moment.value(source)
    name = explain.name(answer, source.node)
    blocks.append(not_yet() if array is None else Table(array, name, "", Flow.FORWARD))
    if not answer.question.of:
        return blocks
    backward = _passed_to(end, moment)
    if moment.step(end.node, end.index, Role.CONTRIBUTION) is None and not backward:
        backward = [_dim(say(mark("panels", "Nothing comes back over this wire.")))]
    return [*blocks, Heading(say(mark("panels", "Backward"))), *backward]


def _several(nodes: list[str], moment: Moment) -> list[Block]:
    names = [explain.name(moment.answer, id) for id in nodes[:NAMES_SHOWN]]
    rest = len(nodes) - len(names)
    listed = ", ".join(names)
    if rest:
        listed = say(mark("panels", "{names} and {count} more"), names=listed, count=rest)
    return [
        _title(say(mark("panels", "{count} nodes selected"), count=len(nodes))),
        Line(listed, gap=8),
        _dim(say(mark("panels", "Select one alone to see where its numbers come from."))),
    ]


def _overview(moment: Moment) -> list[Block]:
    answer = moment.answer
    if not len(answer.graph):
        return _nothing()
    blocks: list[Block] = [
        Line(say(mark("panels", "The graph")), size="large", bold=True, gap=0),
        _dim(render(explain.size(answer))),
        Line(render(explain.sentence(answer, None)), gap=12),
    ]
    if answer.question.of:
        blocks += [Heading(say(mark("panels", "The answer"))), *_answers(moment)]
    blocks.append(
        Line(
            say(
                mark("panels", "Click a card, a cell or a wire to see where its numbers come from.")
            ),
            "dim",
            "small",
            gap=16,
        )
    )
    return blocks


def _answers(moment: Moment) -> list[Block]:
    answer = moment.answer
    blocks: list[Block] = []
    for port in answer.question.wrt[:ANSWERS_SHOWN]:
        name = explain.partial(answer, port.node)
        array = moment.adjoint(port)
        if array is not None and array.ndim:
            blocks.append(Table(array, name, name, Flow.BACKWARD, port.node))
        elif array is not None:
            text = f"{name} = {explain.array_words(array)}"
            blocks.append(_number_line(text, "backward", digits.full(array)))
        elif port in answer.timeline.gradient_at or not moment.backwards:
            blocks += [_dim(name, mono=True, gap=8), not_yet()]
        else:
            blocks += _absent(port, moment)
    blocks += _more(len(answer.question.wrt) - ANSWERS_SHOWN)
    return blocks or [_dim(say(mark("panels", "There is no variable to differentiate by.")))]


def _nothing() -> list[Block]:
    """An empty canvas: three ways to begin."""
    return [
        Line(say(mark("panels", "Nothing here yet")), size="large", bold=True, gap=0),
        Line(say(mark("panels", "Type an expression above, such as")), gap=12),
        Line("y = sum(X)**2 + sum(X) - 1", "forward", mono=True, bold=True),
        Line(say(mark("panels", "or press Tab over the canvas and type an operation,")), gap=12),
        Line(say(mark("panels", "or open an example from the list at the left.")), gap=12),
    ]


def has_settings(answer: Answer, selection: Selection) -> str | None:
    """The node whose name and settings can be edited."""
    only = selection.only if selection.wire is None else None
    if only is None or only not in answer.graph:
        return None
    return only if registry.find(answer.graph[only].op) is not None else None
