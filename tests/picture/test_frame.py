"""From an answer to looks: every shown number is the engine's, and one step remakes only what it touches."""

from __future__ import annotations

import re

import numpy as np
import pytest

import gradviz as gv
from gradviz import digits
from gradviz.engine.answer import Answer, answer
from gradviz.graph.model import OutPort, Place
from gradviz.picture import export
from gradviz.picture.colours import LIGHT
from gradviz.picture.frame import Framer
from gradviz.picture.geometry import arrange
from gradviz.picture.look import Cells, Flow, Kind, NodeLook, Number, Phase, State

PLACES = {
    "X": Place(0, 68),
    "B": Place(0, 352),
    "s": Place(224, 68),
    "square": Place(448, 0),
    "add": Place(672, 68),
    "c": Place(808, 232),
    "y": Place(904, 68),
}


@pytest.fixture
def found(qapp) -> Answer:
    from dataclasses import replace

    X = gv.variable([[1.25, 0, -1], [2, 1, 0], [0, -1, 1]], name="X")
    B = gv.variable([[1, 2], [3, 4]], name="B")
    s = gv.sum(X)
    s.name = "s"
    return answer(replace(gv.diagram(s**2 + s - 1, [X, B]), places=PLACES))


def looks(found: Answer, position: int, progress: float = 1.0) -> dict[str, NodeLook]:
    return {look.id: look for look in Framer().frame(found, position, progress).nodes}


def test_before_backward_nothing_is_known_of_gradients(found: Answer) -> None:
    for position in range(found.timeline.forward + 1):
        for look in looks(found, position).values():
            assert look.gradient.state is State.WAITING or look.card.gradient is None


def test_a_value_appears_when_its_step_has_come_to_its_end(found: Answer) -> None:
    assert looks(found, 0)["s"].value.state is State.WAITING
    assert looks(found, 1, 0.5)["s"].value.state is State.WAITING
    assert looks(found, 1)["s"].value.content == Number("3.25")


def test_at_the_end_every_band_says_what_the_engine_computed(found: Answer) -> None:
    for id, look in looks(found, len(found.timeline)).items():
        for band, array in (
            (look.value, found.value(OutPort(id))),
            (look.gradient, found.adjoint(OutPort(id))),
        ):
            if isinstance(band.content, Number) and array is not None:
                assert band.content.text == digits.number(array)
            if isinstance(band.content, Cells):
                assert band.content.rows == digits.grid(array)
                np.testing.assert_array_equal(band.content.values, array)


def test_none_is_a_note_and_no_number(found: Answer) -> None:
    look = looks(found, len(found.timeline))["B"]
    assert look.gradient.state is State.NONE
    assert look.card.gradient_note is not None
    assert look.card.gradient_note.title == "∂y/∂B = None"
    assert (
        look.card.gradient_note.sentence
        == "Nothing leads from B to y, so changing B cannot change y."
    )


def test_cards_do_not_change_their_size_while_the_film_plays(found: Answer) -> None:
    framer = Framer()
    sizes = framer.sizes(found)
    for position in range(len(found.timeline) + 1):
        for progress in (0.0, 0.4, 1.0):
            for look in framer.frame(found, position, progress).nodes:
                assert arrange(look.card).size == sizes[look.id][:2]


def test_one_step_makes_new_looks_for_the_touched_cards_only(found: Answer) -> None:
    framer = Framer()
    before = {look.id: look for look in framer.frame(found, 8).nodes}
    after = {look.id: look for look in framer.frame(found, 9).nodes}
    changed = {id for id in after if after[id] is not before[id]}
    assert changed == {"s", "square", "add"} - ({"add"} if after["add"] is before["add"] else set())
    assert after["X"] is before["X"]
    assert after["B"] is before["B"]
    assert after["y"] is before["y"]


def test_while_a_packet_travels_no_card_is_made_anew(found: Answer) -> None:
    framer = Framer()
    first = framer.frame(found, 9, 0.2)
    second = framer.frame(found, 9, 0.7)
    assert all(a is b for a, b in zip(first.nodes, second.nodes, strict=True))
    assert first.packets != second.packets


def test_slots_are_labelled_and_their_sum_comes_true(found: Answer) -> None:
    look = looks(found, len(found.timeline))["s"]
    assert look.card.slots == ("from add", "from square")
    assert look.sum == "1 + 6.5 = 7.5"
    assert [slot.content for slot in look.slots] == [Number("1"), Number("6.5")]


def test_the_active_wire_shows_amount_times_local_derivative(found: Answer) -> None:
    (active,) = [w for w in Framer().frame(found, 9).wires if w.phase is Phase.BACKWARD_ACTIVE]
    assert active.id == "square:0"
    assert active.label is not None
    assert active.label.lines == ("1 × 2·s", "= 1 × 6.5", "= 6.5")


def test_packets_go_forward_and_back(found: Answer) -> None:
    forward = Framer().frame(found, 2, 0.3).packets
    backward = Framer().frame(found, 9, 0.3).packets
    assert {p.flow for p in forward} == {Flow.FORWARD}
    assert {p.flow for p in backward} == {Flow.BACKWARD}
    assert not Framer().frame(found, 9).packets


def test_literals_gates_and_unknown_ops_have_their_own_kinds(qapp) -> None:
    x = gv.variable(1.0, name="x")
    found = answer(gv.diagram(gv.stop_gradient(x) * 2))
    kinds = {look.card.kind for look in Framer().frame(found, 0).nodes}
    assert kinds == {Kind.SOURCE, Kind.GATE, Kind.LITERAL, Kind.OUTPUT}


def test_every_number_in_an_svg_is_the_engines(found: Answer) -> None:
    svg = export.to_svg(Framer().frame(found, len(found.timeline)), LIGHT).decode()
    texts = [
        re.sub(r"<[^>]+>", "", t).strip()
        for t in re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL)
    ]
    arrays = [
        a
        for id in found.graph.nodes
        for a in (found.value(OutPort(id)), found.adjoint(OutPort(id)))
        if a is not None
    ]
    known = {digits.number(cell) for array in arrays for cell in np.atleast_1d(array).flat}
    numbers = [t for t in texts if re.fullmatch(r"−?\d[\d.]*(e[+−]\d+)?", t)]
    assert len(numbers) > 25
    assert set(numbers) <= known | {"6.5"}


def test_a_large_array_is_a_heatmap_with_its_summary(qapp) -> None:
    x = gv.random_normal((40, 50), name="x")
    found = answer(gv.diagram(gv.sum(x)))
    (look,) = [n for n in Framer().frame(found, 2).nodes if n.id == "x"]
    assert not isinstance(look.value.content, Number | Cells)
