"""Where NaN and infinity begin: the cell, the rule, used or not; found by brute force on random graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import gradviz as gv
from gradviz.engine import explain
from gradviz.engine.answer import Answer, answer
from gradviz.engine.diagnose import Made
from gradviz.engine.diagnose.origin import is_elementwise, own_cell
from gradviz.engine.gradient import Role
from gradviz.graph.model import OutPort
from gradviz.ops import registry
from tests.engine.random_graphs import Recipe, recipes

INF, NAN = np.inf, np.nan


def ask(y: Any, *xs: Any) -> Answer:
    return answer(gv.diagram(y, list(xs)))


def var(*values: float, name: str = "x", dtype: object = None) -> Any:
    return gv.variable(list(values), name=name, dtype=dtype)


def lines(found: Answer, *about: str) -> list[str]:
    return [str(note.text) for note in explain.notes(found) if note.about in about]


FORWARD = {
    "given": (lambda x: x * 2, [1.0, NAN], "x", (1,), Made.GIVEN),
    "root of a negative": (gv.sqrt, [1.0, -2.0], "sqrt", (1,), Made.ROOT_OF_NEGATIVE),
    "log of 0": (gv.log, [1.0, 0.0], "log", (1,), Made.LOG_OF_ZERO),
    "log of a negative": (gv.log, [-1.0, 1.0], "log", (0,), Made.LOG_OF_NEGATIVE),
    "x/0": (lambda x: 1.0 / x, [1.0, 0.0], "divide", (1,), Made.BY_ZERO),
    "0/0": (lambda x: x / (x * 2), [1.0, 0.0], "divide", (1,), Made.ZERO_BY_ZERO),
    "0 to a negative power": (lambda x: x**-1.0, [0.0, 1.0], "power", (0,), Made.BY_ZERO),
    "a negative to a broken power": (lambda x: x**0.5, [-1.0, 1.0], "power", (0,), Made.ROOT_OF_NEGATIVE),
    "overflow of exp": (gv.exp, [1.0, 710.0], "exp", (1,), Made.OVERFLOW),
    "overflow of a product": (lambda x: x * x * x, [1e200, 1.0], "multiply", (0,), Made.OVERFLOW),
    "overflow of a square": (gv.square, [1.0, 1e200], "square", (1,), Made.OVERFLOW),
    "overflow of a sum": (lambda x: gv.sum(x) * 2, [1.7e308, 1.7e308], "sum", (), Made.OVERFLOW),
    "overflow of a division": (lambda x: x / 1e-200, [1e200, 1.0], "divide", (0,), Made.OVERFLOW),
}  # fmt: skip


@pytest.mark.parametrize(("make", "values", "node", "cell", "made"), FORWARD.values(), ids=FORWARD)
def test_what_made_a_value_not_finite(
    make: Any, values: Any, node: str, cell: Any, made: Made
) -> None:
    found = ask(gv.sum(make(var(*values))) * 1)
    first = found.troubles.forward[0]
    assert (first.port.node, first.cell, first.made, first.used) == (node, cell, made, True)
    array = found.value(first.port)
    assert array is not None
    assert np.array_equal(float(array[cell]), first.value, equal_nan=True)
    (line,) = lines(found, "value")
    assert "The first number that is not finite" in line


def test_infinities_that_become_nan_are_an_origin_of_their_own() -> None:
    x = var(0.0, 1.0)
    found = ask(gv.sum(gv.log(x) - gv.log(x)))
    assert [(o.port.node, o.made) for o in found.troubles.forward] == [
        ("log", Made.LOG_OF_ZERO),
        ("log_2", Made.LOG_OF_ZERO),
        ("subtract", Made.INFINITY_MINUS_INFINITY),
    ]
    found = ask(gv.sum(x * gv.log(x)))
    assert found.troubles.forward[1].made is Made.ZERO_TIMES_INFINITY
    assert [i.value for i in found.troubles.forward[1].inputs] == [0.0, -INF]
    ratio = gv.exp(x * 0 + 800) / gv.exp(x * 0 + 900)
    assert ask(gv.sum(ratio)).troubles.forward[-1].made is Made.INFINITY_BY_INFINITY


def test_what_many_cells_made() -> None:
    x = var(INF, -INF)
    assert ask(gv.sum(x)).troubles.forward[1].made is Made.INFINITY_MINUS_INFINITY
    matrix = gv.constant([[INF, 1.0]])
    assert ask(gv.sum(matrix @ var(0.0, 1.0))).troubles.forward[1].made is Made.ZERO_TIMES_INFINITY
    assert (
        ask(gv.mean(gv.variable(np.zeros(0), name="e"))).troubles.forward[0].made is Made.OF_NOTHING
    )
    assert ask(gv.sum(gv.softmax(var(-INF, -INF)))).troubles.forward[1].made is Made.FROM_INFINITY


def met(found: Answer, number: int = -1) -> list[tuple[str, Any, float]]:
    return [(i.port.node, i.cell, i.value) for i in found.troubles.forward[number].inputs]


def test_of_many_cells_those_that_matter_are_named() -> None:
    x = var(1.0, INF, 2.0, -INF)
    assert met(ask(gv.sum(x) * 1)) == [("x", (1,), INF), ("x", (3,), -INF)]
    assert met(ask(gv.sum(var(1.0, 1.7e308, 1.7e308)) * 1)) == [
        ("x", (1,), 1.7e308),
        ("x", (2,), 1.7e308),
    ]
    left = gv.variable([[1.0, 0.0], [1.0, 1.0]], name="A")
    right = gv.variable([[1.0, 1.0], [1.0, INF]], name="B")
    found = ask(gv.sum(left @ right))
    assert found.troubles.forward[1].cell == (0, 1)
    assert met(found) == [("B", (1, 1), INF), ("A", (0, 1), 0.0)]
    assert "0 × ∞ is no number (B[1, 1] = ∞, A[0, 1] = 0)" in str(
        explain.origin(found, found.troubles.forward[1])
    )


def test_the_numbers_that_met_are_named() -> None:
    x, y = gv.variable([[1.0, 0.0]], name="x"), gv.variable([[2.0], [0.0]], name="y")
    found = ask(gv.sum(x / y))
    first = found.troubles.forward[0]
    assert (first.cell, first.count) == ((1, 0), 2)
    assert [(i.port.node, i.cell, i.value) for i in first.inputs] == [
        ("x", (0, 0), 1.0),
        ("y", (1, 0), 0.0),
    ]
    assert (
        "divide[1, 0] is ∞, because the divisor is 0 (x[0, 0] = 1, y[1, 0] = 0)"
        in lines(found, "value")[0]
    )


def test_carriers_are_not_named() -> None:
    x = var(0.0, 1.0)
    y = gv.log(x)
    for _ in range(3):
        y = gv.exp(y * -1 + 3) * 0.5 - 1
    found = ask(gv.sum(y))
    assert [o.port.node for o in found.troubles.forward] == ["log"]


def test_a_bad_number_that_nobody_needs_is_told_apart() -> None:
    x = var(-1.0, 4.0)
    taken = gv.where(x > 0, gv.sqrt(x), 0.0)
    found = ask(gv.sum(taken), x)
    (origin,) = found.troubles.forward
    assert (origin.used, origin.stopped) == (False, "where")
    (line,) = lines(found, "value")
    assert (
        line
        == "sqrt[0] is NaN, because a negative number has no real root (x[0] = −1); where does not pass it on."
    )
    other = gv.log(x)
    other.name = "other"
    from dataclasses import replace

    both = gv.diagram([gv.sum(x), other])
    found = answer(replace(both))
    assert found.troubles.forward[0].used is False
    assert "nothing that is asked needs it" in lines(found, "value")[0]
    assert found.troubles.first is None


BACKWARD = {
    "an infinite slope": (lambda x: gv.sum(gv.sqrt(x)), [1.0, 0.0], "sqrt", (1,), Made.STEEP, (1.0, INF)),
    "0 × ∞": (lambda x: gv.sqrt(gv.sum(x**2)), [0.0, 0.0], "sqrt", (), Made.STEEP, (1.0, INF)),
    "a branch that is not taken": (
        lambda x: gv.sum(gv.where(x > 0, gv.sqrt(x), 0.0)), [4.0, 0.0], "sqrt", (1,), Made.ZERO_TIMES_INFINITY,
        (0.0, INF),
    ),
    "a NaN that is not taken": (
        lambda x: gv.sum(gv.where(x > 0, gv.sqrt(x), 0.0)), [4.0, -1.0], "sqrt", (1,), Made.ZERO_TIMES_NAN, (0.0, NAN),
    ),
    "a value that is not finite": (lambda x: gv.sum(gv.exp(x)), [0.0, 800.0], "exp", (1,), Made.FROM_VALUE, (1.0, INF)),
    "overflow": (
        lambda x: gv.sum(x * 1e200) * 1e200, [0.0, 1.0], "multiply", (0,), Made.OVERFLOW, (1e200, 1e200),
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("make", "values", "op", "cell", "made", "factors"), BACKWARD.values(), ids=BACKWARD
)
def test_what_made_a_gradient_not_finite(
    make: Any, values: Any, op: str, cell: Any, made: Made, factors: Any
) -> None:
    x = var(*values)
    found = ask(make(x), x)
    first = found.troubles.backward[0]
    assert first.step is not None
    assert (found.graph[first.step.address.node].op, first.cell, first.made) == (op, cell, made)
    assert np.array_equal([first.amount, first.local], factors, equal_nan=True)
    assert first.used
    (line,) = lines(found, "gradient")
    assert "The first gradient that is not finite" in line


def test_a_rule_without_a_product_names_the_node_inside_it() -> None:
    x = var(1000.0, 0.0)
    found = ask(gv.log(gv.softmax(x))[1], x)
    log, softmax = found.troubles.backward
    assert (log.made, softmax.made) == (Made.STEEP, Made.ZERO_TIMES_INFINITY)
    assert softmax.inner is not None
    assert found.gradient.graph[softmax.inner].op == "softmax_back"


def test_the_remedies() -> None:
    x = var(-1.0, 4.0)
    (line,) = lines(ask(gv.sum(gv.where(x > 0, gv.sqrt(x), 0.0)), x), "gradient")
    assert "let sqrt read where(condition, x, 1)" in line
    q = var(1000.0, 0.0)
    for line in lines(ask(gv.log(gv.softmax(q))[1], q), "value", "gradient"):
        assert "log_softmax computes" in line
    assert not any("computes" in line for line in lines(ask(gv.sum(gv.log(x)), x), "value"))


def test_a_gradient_that_nobody_asked_for() -> None:
    x, w = var(0.0, 1.0), var(1.0, 2.0, name="w")
    found = ask(gv.sum(gv.sqrt(x) + w), w)
    assert [o.used for o in found.troubles.backward] == [False]
    assert found.troubles.first is None


def test_seeds_and_sums_of_contributions() -> None:
    x = gv.variable(2.0, name="x")
    found = ask(x * 1e308 + x * 1.7e308, x)
    (origin,) = [o for o in found.troubles.backward if o.step and o.step.address.role is Role.MERGE]
    assert origin.made is Made.OVERFLOW
    assert origin.port == OutPort("x")


def brute_force(found: Answer, ids: Any) -> list[tuple[str, tuple[int, ...]]]:
    """The cells that are bad while no number that they were computed from is; NaN from infinities alone counts too."""
    graph, first = found.gradient.graph, []
    for id in ids:
        op = registry.get(graph[id].op)
        for out in found.run.records[id].outputs:
            if out.dtype.kind != "f":
                continue
            values = [found.run[p] for p in graph[id].inputs if p is not None]
            for cell in np.ndindex(out.shape):
                value = float(out[cell])
                if np.isfinite(value):
                    continue
                if op.is_source:
                    first.append((id, cell))
                    continue
                met = [float(a[own_cell(cell, a.shape)]) for a in values]
                if op.name == "where":
                    met = [met[1] if met[0] else met[2]]
                if np.isfinite(met).all() or (np.isnan(value) and not np.isnan(met).any()):
                    first.append((id, cell))
    return first


@settings(max_examples=150, deadline=None)
@given(recipes())
def test_brute_force_finds_the_same_origins(recipe: Recipe) -> None:
    """Cell by cell, on graphs whose ops work cell by cell (a sum and a softmax apart)."""
    found = recipe.answer()
    wide = ("sum", "softmax")
    ids = [id for id in found.specs.order if found.graph[id].op not in wide]
    expected = brute_force(found, ids)
    given = [o for o in found.troubles.forward if found.graph[o.port.node].op not in wide]
    firsts = list({id: (id, cell) for id, cell in reversed(expected)}.values())[::-1]
    assert [(o.port.node, o.cell) for o in given] == firsts[: len(given)]
    if len(found.troubles.forward) < 8:
        assert len(given) == len(firsts)
    for origin in given:
        assert origin.count == sum(id == origin.port.node for id, _ in expected)
    targets = [found.value(port) for port in found.question.of]
    bad = any(a is not None and not np.isfinite(a).all() for a in targets)
    if len(found.troubles.forward) < 8:
        assert any(o.used for o in found.troubles.forward) == bad


@settings(max_examples=150, deadline=None)
@given(recipes())
def test_the_backward_pass_has_an_origin_exactly_if_a_gradient_is_bad(recipe: Recipe) -> None:
    """Every bad gradient has an origin before it; a product's origin has what arrived and the derivative."""
    found = recipe.answer()
    reported = [found.adjoint(port) for port in found.question.wrt]
    bad = any(a is not None and not np.isfinite(a).all() for a in reported)
    origins = found.troubles.backward
    if bad:
        assert origins
    if len(origins) < 8:
        assert any(o.used for o in origins) == bad
    for origin in origins:
        assert origin.step is not None
        if origin.amount is not None and origin.local is not None:
            with np.errstate(all="ignore"):
                product = np.float64(origin.amount) * np.float64(origin.local)
            assert np.array_equal(product, origin.value, equal_nan=True)
    for note in explain.notes(found):
        assert str(note.text)


def test_elementwise_is_what_works_cell_by_cell() -> None:
    """A cell of an element-wise op does not change when another cell of its input does."""
    for op in registry.every():
        if not is_elementwise(op) or not op.examples or op.is_source:
            continue
        shown = op.examples[0]
        arrays = [np.asarray(v) for v in shown.inputs]
        for number, array in enumerate(arrays):
            if array.dtype.kind != "f" or array.size < 2:
                continue
            moved = [a.copy() for a in arrays]
            moved[number].flat[0] += 0.125
            with np.errstate(all="ignore"):
                before = np.asarray(op.forward(*arrays, **op.bind(shown.attributes)))
                after = np.asarray(op.forward(*moved, **op.bind(shown.attributes)))
            if before.shape == array.shape:
                assert np.array_equal(before.ravel()[1:], after.ravel()[1:]), op.name
