"""Nodes whose shape depends on the numbers: unknown before a run, known after it, and followed as the numbers change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.engine.answer import Answer, answer, prepare
from gradviz.engine.check import UNKNOWN, infer
from gradviz.engine.gradcheck import check
from gradviz.engine.plan import plan
from gradviz.engine.run import run
from gradviz.errors import InputError
from gradviz.graph.model import Diagram, Graph, Node, OutPort, Query, frozen_array
from gradviz.networks import to_networkx

X, PICKED, LOSS = OutPort("x"), OutPort("picked"), OutPort("loss")


def positives(*numbers: float) -> Diagram:
    """loss = sum(x[x > 0]²)."""
    nodes = [
        Node("x", "variable", (), {"shape": (len(numbers),)}, "x"),
        Node("zero", "constant", (), {"shape": (), "dtype": "weak"}),
        Node("mask", "greater", (X, OutPort("zero"))),
        Node("picked", "masked_select", (X, OutPort("mask"))),
        Node("squares", "square", (PICKED,)),
        Node("loss", "sum", (OutPort("squares"),)),
    ]
    values = {"x": frozen_array(numbers), "zero": frozen_array(0.0)}
    return Diagram(Graph({node.id: node for node in nodes}), values)


def with_numbers(diagram: Diagram, *numbers: float) -> Diagram:
    return replace(diagram, values={**diagram.values, "x": frozen_array(numbers)})


def gradient_of(found: Answer) -> Any:
    slope = found.adjoint(X)
    assert slope is not None
    return slope.tolist()


def test_before_a_run_the_shape_is_unknown_and_that_is_no_problem() -> None:
    specs = infer(positives(1.0, -2.0).graph)
    assert not specs.problems
    assert specs.open == {"picked"}
    assert [specs.outputs[id] for id in ("picked", "squares", "loss")] == [UNKNOWN] * 3


def test_a_run_works_the_shapes_out() -> None:
    diagram = positives(1.0, -2.0, 3.0)
    found = run(plan(diagram.graph, infer(diagram.graph).outputs), diagram.values)
    assert found[PICKED].tolist() == [1.0, 3.0]  # type: ignore[union-attr]
    assert found[LOSS] == 10.0


def test_an_answer_knows_the_shapes_and_the_gradient() -> None:
    found = answer(positives(1.0, -2.0, 3.0))
    assert found.specs[PICKED].shape == (2,)  # type: ignore[union-attr]
    assert found.question.of == (LOSS,)
    assert gradient_of(found) == [2.0, 0.0, 6.0]
    assert found.missing(X) is None


def test_other_numbers_give_other_shapes() -> None:
    first = answer(positives(1.0, -2.0, 3.0))
    same = answer(with_numbers(first.diagram, 5.0, -1.0, 2.0), first)
    assert same.setup is first.setup
    assert gradient_of(same) == [10.0, 0.0, 4.0]
    more = answer(with_numbers(first.diagram, 5.0, 1.0, 2.0), same)
    assert more.specs[PICKED].shape == (3,)  # type: ignore[union-attr]
    assert gradient_of(more) == [10.0, 2.0, 4.0]
    none = answer(with_numbers(first.diagram, -5.0, -1.0, -2.0), more)
    assert none.value(LOSS) == 0.0
    assert gradient_of(none) == [0.0, 0.0, 0.0]


def test_a_changed_graph_is_measured_again() -> None:
    first = answer(positives(1.0, -2.0, 3.0))
    least = replace(first.diagram, values={**first.diagram.values, "zero": frozen_array(2.0)})
    nodes = least.graph.with_nodes(Node("root", "sqrt", (LOSS,)))
    found = answer(replace(least, graph=nodes), first)
    assert found.specs[PICKED].shape == (1,)  # type: ignore[union-attr]
    assert gradient_of(found) == [0.0, 0.0, 1.0]


def test_a_seed_is_laid_on_the_measured_shape() -> None:
    query = Query(of=("picked",), wrt=("x",), seed=([10.0, 20.0],))
    found = answer(replace(positives(1.0, -2.0, 3.0), queries=(query,)))
    assert gradient_of(found) == [10.0, 0.0, 20.0]


def test_what_fits_no_longer_says_so() -> None:
    diagram = positives(1.0, -2.0, 3.0)
    pair = Node("two", "constant", (), {"shape": (2,), "dtype": "float64"})
    nodes = diagram.graph.with_nodes(pair, Node("total", "add", (PICKED, OutPort("two"))))
    values = {**diagram.values, "two": frozen_array([1.0, 2.0])}
    first = answer(replace(diagram, graph=nodes, values=values))
    assert first.value(OutPort("total")).tolist() == [2.0, 5.0]  # type: ignore[union-attr]
    second = answer(with_numbers(first.diagram, 1.0, 2.0, 3.0), first)
    assert second.value(OutPort("total")) is None
    assert "x is 3 numbers, y is 2 numbers" in str(second.specs.problems["total"].message)
    assert second.value(PICKED).tolist() == [1.0, 2.0, 3.0]  # type: ignore[union-attr]
    # A plan of the first numbers refuses the second.
    stale = run(first.setup.plan, {**first.values, "x": frozen_array([1.0, 2.0, 3.0])})
    assert "3 numbers" in str(stale.error("picked"))


def test_what_cannot_be_computed_leaves_the_shape_open() -> None:
    diagram = positives(1.0, -2.0)
    broken = diagram.graph.with_nodes(Node("mask", "greater", (X, None)))
    found = answer(replace(diagram, graph=broken))
    assert found.value(PICKED) is None
    assert found.specs.outputs["loss"] == UNKNOWN
    assert set(found.specs.problems) == {"mask"}


def test_gradients_are_checked_though_a_step_changes_the_shape() -> None:
    verdicts = check(answer(positives(1.0, -2.0, 0.0)))
    assert [v.agrees for v in verdicts if v.wrt == X] == [True]


def test_in_expressions_the_shape_is_that_of_the_numbers_at_hand() -> None:
    x = gv.variable([1.0, -2.0, 3.0], "x")
    y = x[x > 0]
    assert y.shape == (2,)
    assert gv.gradients(gv.sum(y**2), [x])[0].value.tolist() == [2.0, 0.0, 6.0]
    assert gv.hessian(gv.sum(y**3), x).diagonal().tolist() == [6.0, 0.0, 18.0]  # type: ignore[union-attr]
    assert gv.jacobian(y, x).tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]  # type: ignore[union-attr]
    shown = gv.diagram(gv.sum(y**2))
    assert prepare(shown).specs.open
    assert to_networkx(shown).nodes["masked_select"]["shapes"] == [(2,)]


def test_a_changing_shape_is_not_compiled() -> None:
    x = gv.variable([1.0, -2.0], "x")
    with pytest.raises(InputError, match="The shape of masked_select depends on the numbers"):
        gv.compiled(gv.sum(x[x > 0]), [x])


def test_a_mask_of_another_shape_is_told() -> None:
    diagram = positives(1.0, -2.0)
    wide = Node("mask", "constant", (), {"shape": (3,), "dtype": "bool"})
    found = infer(diagram.graph.with_nodes(wide))
    assert "the mask is 3 numbers" in str(found.problems["picked"].message)
    assert np.array_equal(list(found.problems), ["picked"])
