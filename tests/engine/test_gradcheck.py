"""The finite-difference check: what it finds, what it counts apart, what it holds, how much it computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz import limits
from gradviz.engine import gradcheck
from gradviz.engine.answer import Answer, answer
from gradviz.graph.model import Diagram, OutPort, Query
from gradviz.ops import registry
from gradviz.ops.expr import Collected, Expr
from gradviz.ops.op import FRAMEWORKS, example, op
from gradviz.text import mark


def check(y: Any, *xs: Expr, **options: Any) -> tuple[gradcheck.Verdict, ...]:
    return gradcheck.check(asked(y, *xs), **options)


def asked(y: Any, *xs: Expr, seed: Any = None, stop: Any = (), **query: Any) -> Answer:
    ys = y if isinstance(y, list) else [y]
    collected = Collected([*xs, *ys])
    question = Query(
        tuple(collected.port(y).node for y in ys),
        tuple(collected.port(x).node for x in xs),
        seed,
        tuple(collected.port(s).node for s in stop),
        **query,
    )
    return answer(Diagram(collected.graph, collected.values, (question,)))


@pytest.fixture
def wrong_op():
    def cubed(x):
        """The rule is wrong where x > 2."""
        return np.power(x, 3)

    made = op(
        sign="t", category=mark("test", "Test"), family="map", summary=mark("test", "A test."), text="f({x})",
        formula="x", code=dict.fromkeys(FRAMEWORKS, "{x}"), aliases={}, spec=lambda x: x, examples=[example([1.0])],
    )(cubed)  # fmt: skip
    made.vjp(lambda g, out, x: (g * gv.where(x > 2.0, 3.0, 3.0 * x**2),))
    yield made
    registry.unregister("cubed")


def test_a_wrong_rule_is_found_and_the_worst_entry_named(wrong_op: Any) -> None:
    x = gv.variable([[1.0, 3.0], [2.5, 0.5]], name="x")
    (verdict,) = check(gv.sum(wrong_op(x)), x)
    assert not verdict.agrees
    assert (verdict.checked, verdict.total, verdict.wrong) == (4, 4, 2)
    assert verdict.worst is not None
    assert verdict.worst.cell == (0, 1)
    assert verdict.worst.gradient == 3.0
    assert np.isclose(verdict.worst.difference, 27.0)
    assert not verdict.worst.agrees
    assert not gradcheck.agree([verdict])


def test_the_worst_of_several(wrong_op: Any) -> None:
    x, w = gv.variable([1.5, 2.5], name="x"), gv.variable(2.0, name="w")
    verdicts = check(gv.sum(wrong_op(x)) * w, w, x)
    assert [v.agrees for v in verdicts] == [True, False]
    assert gradcheck.worst(verdicts) is verdicts[1]
    assert gradcheck.worst([]) is None


@pytest.mark.parametrize("factor", [1 + 1e-4, 1 - 1e-4, 1 + 3e-6])
def test_a_small_mistake_is_found(factor: float, wrong_op: Any) -> None:
    wrong_op.vjp(lambda g, out, x: (g * (3.0 * factor) * x**2,))
    x = gv.variable([0.5, 1.5], name="x")
    (verdict,) = check(gv.sum(wrong_op(x)), x)
    assert not verdict.agrees


def test_what_is_right_agrees() -> None:
    rng = np.random.RandomState(3)
    x, w = gv.variable(rng.randn(4, 3), name="x"), gv.variable(rng.randn(3, 2), name="w")
    y = gv.softmax_cross_entropy(gv.tanh(x @ w) * 5, gv.constant([[0.0, 1.0]] * 4))
    verdicts = check(y + gv.mean(gv.exp(w)), x, w)
    assert gradcheck.agree(verdicts)
    assert [(v.checked, v.kinks, v.not_finite) for v in verdicts] == [(12, 0, 0), (6, 0, 0)]


@pytest.mark.parametrize("size", [1e-8, 1e-4, 1.0, 1e4, 1e8])
def test_numbers_of_any_size(size: float) -> None:
    x = gv.variable([size, -2 * size, 0.5 * size], name="x")
    for y in (gv.sum(x**2), gv.sum(x**3 / size), gv.sum(gv.sin(x / size)), gv.max(x) * 3):
        assert gradcheck.agree(check(y, x))


def test_kinks_are_counted_apart() -> None:
    x = gv.variable([0.0, 1.0, -1.0, 0.0], name="x")
    (verdict,) = check(gv.sum(gv.relu(x)), x)
    assert verdict.agrees
    assert (verdict.checked, verdict.total, verdict.kinks, verdict.not_finite) == (2, 4, 2, 0)
    (verdict,) = check(gv.max(gv.variable([1.0, 3.0, 3.0], name="m") * 1.0), x)
    assert not verdict.connected


@pytest.mark.parametrize("y", [gv.max, lambda x: gv.maximum(x, 3.0) * 2])
def test_ties_are_kinks_though_half_is_in_the_middle(y: Any) -> None:
    x = gv.variable([1.0, 3.0, 3.0], name="x")
    (verdict,) = check(gv.sum(y(x)), x)
    assert (verdict.kinks, verdict.agrees) == (2, True)


@pytest.mark.parametrize("make", [
    lambda x: x**2, lambda x: x**3, gv.exp, lambda x: 1 / x, lambda x: 1000 * x**2, gv.sqrt,
    lambda x: gv.sin(100 * x), lambda x: gv.sigmoid(50 * (x - 0.4)), lambda x: x * 0.0,
])  # fmt: skip
def test_what_is_smooth_has_no_kink(make: Any) -> None:
    x = gv.variable([0.25, 0.4, 1.0, 3.0], name="x")
    (verdict,) = check(gv.sum(make(x)), x)
    assert (verdict.kinks, verdict.checked, verdict.agrees) == (0, 4, True)


def test_a_kink_within_reach_is_not_called_wrong() -> None:
    x = gv.variable([1e-6, -3e-6, 5e-6, 1e-8, 7e-6], name="x")
    (verdict,) = check(gv.sum(gv.relu(x) * 2), x)
    assert verdict.agrees


def test_entries_without_a_number_are_counted_apart() -> None:
    x = gv.variable([0.0, -1.0, 4.0, np.nan], name="x")
    (verdict,) = check(gv.sum(gv.sqrt(x) * [0.0, 0.0, 1.0, 0.0]), x)
    # One NaN makes the sum NaN: nothing can be compared.
    assert (verdict.checked, verdict.not_finite, verdict.agrees) == (0, 4, True)
    assert verdict.worst is None
    x = gv.variable([0.0, 1.0, 4.0], name="x")
    (verdict,) = check(gv.sum(gv.sqrt(x)), x)
    assert (verdict.checked, verdict.not_finite, verdict.agrees) == (2, 1, True)


def test_stopped_nodes_keep_their_value() -> None:
    x = gv.variable([1.0, 2.0], name="x")
    (verdict,) = check(gv.sum(x * gv.stop_gradient(x)), x)
    assert verdict.agrees
    assert verdict.worst is not None
    assert verdict.worst.gradient in (1.0, 2.0)


def test_stopped_by_the_question() -> None:
    a = gv.variable(3.0, name="a")
    b = 2 * a
    found = asked(a * b, a, b, stop=[a, b])
    verdicts = gradcheck.check(found)
    assert [v.worst.gradient for v in verdicts if v.worst] == [6.0, 3.0]
    assert gradcheck.agree(verdicts)


def test_whole_numbers_keep_their_value() -> None:
    x = gv.variable([1.0, 2.0], name="x")
    whole = gv.apply("cast", gv.apply("cast", x * 1e9, dtype="int64"), dtype="float64")
    (verdict,) = check(gv.sum(whole * x), x)
    assert verdict.agrees


def test_without_a_gradient_the_differences_must_be_zero() -> None:
    x, w = gv.variable([1.0, 2.0], name="x"), gv.variable([[1.0]], name="w")
    (verdict,) = check(gv.sum(x**2), w)
    assert (verdict.connected, verdict.agrees, verdict.checked) == (False, True, 1)
    assert verdict.worst is not None
    assert verdict.worst.difference == 0.0


def test_a_rule_that_forgets_a_path_is_found(wrong_op: Any) -> None:
    wrong_op.vjp(lambda g, out, x: (None,))
    x = gv.variable([1.0, 2.0], name="x")
    (verdict,) = check(gv.sum(wrong_op(x)), x)
    assert (verdict.connected, verdict.agrees, verdict.wrong) == (False, False, 2)


def test_seeds_and_several_targets() -> None:
    x = gv.variable([1.0, 2.0], name="x")
    y = named(x**2, "y")
    found = asked([y, x * 3], x, seed=([10.0, -1.0], None))
    (verdict,) = gradcheck.check(found)
    assert verdict.agrees
    assert found.adjoint(OutPort("x")).tolist() == [23.0, -1.0]  # type: ignore[union-attr]
    assert gradcheck.agree(check([y, y], x))


def named(expression: Any, name: str) -> Expr:
    expression.name = name
    return expression


def test_inner_nodes_can_be_moved_too() -> None:
    x = gv.variable([1.0, 2.0], name="x")
    inner = named(gv.sin(x), "inner")
    found = asked(gv.sum(inner * inner * x), x)
    (verdict,) = gradcheck.check(found, [OutPort("inner")])
    assert (verdict.agrees, verdict.checked) == (True, 2)


def test_one_output_of_several_can_be_moved() -> None:
    def both(x):
        """Sine and cosine."""
        return np.sin(x), np.cos(x)

    made = op(
        sign="t", category=mark("test", "Test"), family="map", summary=mark("test", "A test."), text="f({x})",
        formula="x", code=dict.fromkeys(FRAMEWORKS, "{x}"), aliases={}, spec=lambda x: (x, x),
        examples=[example([1.0])],
    )(both)  # fmt: skip
    made.vjp(lambda g, out, x: (g[0] * out[1] - g[1] * out[0],))
    try:
        x = gv.variable([0.5, 1.0], name="x")
        sine, cosine = made(x)
        found = asked(gv.sum(sine * cosine * cosine), x)
        verdicts = gradcheck.check(found, [OutPort("x"), OutPort("both", 0), OutPort("both", 1)])
        assert gradcheck.agree(verdicts)
        assert [v.checked for v in verdicts] == [2, 2, 2]
    finally:
        registry.unregister("both")


class TestFloat32:
    def test_both_sides_are_compared_in_float64(self) -> None:
        X = gv.random_normal((3, 3), seed=5, dtype="float32", name="X")
        s = gv.sum(X)
        (verdict,) = check(s**2 + s - 1, X)
        assert (verdict.agrees, verdict.checked) == (True, 9)
        assert verdict.float32_error is not None
        assert verdict.float32_error < gradcheck.FLOAT32_BOUND

    def test_a_distance_is_reported_and_never_wrong(self) -> None:
        """1 + 10⁻⁹ is 1 in float32, so the gradient there is 0; in float64 it is about −1.1."""
        x = gv.variable([1e-9], name="x", dtype="float32")
        y = gv.sum(gv.log((1 + x) - 1 + 1e-9))
        (verdict,) = check(y / 1e9, x)
        assert verdict.agrees
        assert verdict.float32_error is not None
        assert verdict.float32_error > gradcheck.FLOAT32_BOUND

    def test_in_float64_there_is_no_distance(self) -> None:
        x = gv.variable([1.0], name="x")
        (verdict,) = check(gv.sum(x**2), x)
        assert verdict.float32_error is None


class TestEffort:
    @pytest.fixture(autouse=True)
    def _count(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.runs = 0
        self.nodes = 0
        whole = gradcheck.run

        def counted(plan, *arguments):
            self.runs += 1
            self.nodes += len(plan.nodes)
            return whole(plan, *arguments)

        monkeypatch.setattr(gradcheck, "run", counted)

    def test_a_sample_is_taken_above_the_limit(self) -> None:
        x = gv.variable(np.linspace(0.5, 2.0, 5000), name="x")
        found = asked(gv.sum(x**2), x)
        (verdict,) = gradcheck.check(found)
        assert verdict.agrees
        assert (verdict.checked, verdict.total) == (499, 5000)
        # One more run is the gradient itself.
        assert self.runs <= limits.CHECK_EVALUATIONS + 1

    def test_a_step_may_be_tried_twice_where_an_array_is_small(self) -> None:
        x = gv.variable(np.linspace(0.5, 0.9, 5000), name="x")
        (verdict,) = check(gv.sum(gv.relu(x - 0.7) * x), x)
        assert (verdict.checked + verdict.kinks, verdict.agrees) == (249, True)
        assert self.runs <= limits.CHECK_EVALUATIONS + 1

    def test_the_sample_is_the_seeds(self) -> None:
        x = gv.variable(np.linspace(0.5, 2.0, 3000), name="x")
        found = asked(gv.sum(x**3 * np.arange(3000.0)), x)
        worst = [gradcheck.check(found, seed=seed)[0].worst for seed in (1, 1, 2)]
        assert worst[0] == worst[1] != worst[2]

    def test_small_arrays_are_checked_whole_beside_a_large_one(self) -> None:
        x, b = (
            gv.variable(np.linspace(0.5, 2.0, 3000), name="x"),
            gv.variable([1.0, 2.0, 3.0], name="b"),
        )
        verdicts = check(gv.sum(x**2) * gv.sum(b), x, b)
        assert [v.checked for v in verdicts] == [496, 3]
        assert self.runs <= limits.CHECK_EVALUATIONS + 1

    def test_more_arrays_than_evaluations(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(limits, "CHECK_EVALUATIONS", 200)
        xs = [gv.variable(1.0, name=f"x{i}") for i in range(70)]
        y = xs[0]
        for x in xs[1:]:
            y = y + x * x
        verdicts = check(y, *xs)
        assert len(verdicts) == 70
        assert 0 < sum(v.checked for v in verdicts) < 70
        assert self.runs <= limits.CHECK_EVALUATIONS + 1

    def test_only_what_moves_is_computed_again(self) -> None:
        w, x = gv.variable([1.0, 2.0], name="w"), gv.variable(2.0, name="x")
        long = gv.sum(w)
        for _ in range(200):
            long = gv.sin(long)
        found = asked(long * x, x)
        self.nodes = 0
        gradcheck.check(found)
        backward = len(found.gradient.graph)
        assert self.nodes <= backward + 5 * 3

    def test_it_can_be_cancelled(self) -> None:
        x, w = gv.variable(np.ones(400), name="x"), gv.variable(1.0, name="w")
        found = asked(gv.sum(x**2) * w, w, x)
        verdicts = gradcheck.check(found, cancelled=lambda: self.runs > 50)
        assert [v.wrt.node for v in verdicts] == ["w"]
        assert self.runs < 60


def test_nothing_to_check() -> None:
    n = gv.constant([1, 2], name="n")
    assert gradcheck.check(answer(Diagram())) == ()
    assert gradcheck.check(asked(n * 1.5, n)) == ()
    empty = gv.variable(np.zeros(0), name="e")
    (verdict,) = check(gv.sum(empty), empty)
    assert (verdict.checked, verdict.total, verdict.agrees) == (0, 0, True)
