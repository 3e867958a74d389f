"""The film: its steps in order, what is known at each moment, and addresses that survive a rebuild."""

from __future__ import annotations

import numpy as np

import gradviz as gv
from gradviz.engine.answer import Answer, answer
from gradviz.engine.gradient import Role
from gradviz.graph.model import OutPort


def nine_sevens() -> Answer:
    X = gv.variable([[1, 0, -1], [2, 1, 0], [0, -1, 1]], name="X")
    B = gv.variable([[1, 2], [3, 4]], name="B")
    s = gv.sum(X)
    s.name = "s"
    return answer(gv.diagram(s**2 + s - 1, [X, B]))


def test_the_steps_of_nine_sevens() -> None:
    film = nine_sevens().timeline
    assert film.forward == 4
    assert [(step.address.node, step.address.role) for step in film.steps] == [
        ("s", Role.VALUE),
        ("square", Role.VALUE),
        ("add", Role.VALUE),
        ("y", Role.VALUE),
        ("y", Role.SEED),
        ("y", Role.CONTRIBUTION),
        ("add", Role.CONTRIBUTION),
        ("add", Role.CONTRIBUTION),
        ("square", Role.CONTRIBUTION),
        ("s", Role.MERGE),
        ("s", Role.CONTRIBUTION),
        ("y", Role.DONE),
    ]


def test_sources_are_known_from_the_start_and_nothing_else() -> None:
    film = nine_sevens().timeline
    assert film.value(OutPort("X"), 0) is not None
    assert film.value(OutPort("B"), 0) is not None
    assert film.value(OutPort("s"), 0) is None
    assert film.value(OutPort("s"), 1) == 3


def test_a_merge_waits_for_all_its_contributions() -> None:
    film = nine_sevens().timeline
    s = OutPort("s")
    merge = next(i for i, step in enumerate(film.steps, 1) if step.address.role is Role.MERGE)
    assert film.adjoint(s, merge - 1) is None
    assert film.adjoint(s, merge) == 7
    assert [arrived for _, arrived in film.arrived(s, merge - 1)] == [True, True]
    assert [arrived for _, arrived in film.arrived(s, merge - 2)] == [True, False]


def test_before_backward_no_gradient_is_known() -> None:
    found = nine_sevens()
    film = found.timeline
    assert not any(film.adjoint(OutPort(id), film.forward) is not None for id in found.specs.order)


def test_addresses_are_positions_and_survive_other_numbers() -> None:
    found = nine_sevens()
    film = found.timeline
    for position, step in enumerate(film.steps, 1):
        assert film.position(step.address) == position
    from dataclasses import replace

    values = {**found.diagram.values, "X": np.ones((3, 3))}
    again = answer(replace(found.diagram, values=values), found)
    assert [step.address for step in again.timeline.steps] == [step.address for step in film.steps]
    assert again.setup is found.setup


def test_a_broadcast_is_fitted_in_a_step_of_its_own() -> None:
    x = gv.variable(np.ones((2, 3)), name="x")
    b = gv.variable([1.0, 2.0, 3.0], name="b")
    film = answer(gv.diagram(gv.sum(x + b))).timeline
    fit = next(step for step in film.steps if step.address.role is Role.FIT)
    assert fit.port == OutPort("b")
    assert film.step(film.position(fit.address)) is fit


def test_a_graph_of_sources_only_has_a_film() -> None:
    X = gv.variable(np.ones((3, 3)), name="X")
    y = gv.variable(np.ones((2, 2)), name="y")
    film = answer(gv.diagram(y, X)).timeline
    assert [step.address.role for step in film.steps] == [Role.SEED, Role.DONE]


def test_an_empty_diagram_has_an_empty_film() -> None:
    from gradviz.graph.model import Diagram

    assert len(answer(Diagram()).timeline) == 0
