"""A missing gradient names every node that cuts a path, how each cuts it, and the original of a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.engine import explain
from gradviz.engine.answer import Answer, answer
from gradviz.engine.diagnose import Missing, State
from gradviz.graph.model import Diagram, OutPort, Query
from gradviz.ops import registry
from gradviz.ops.expr import Collected, Expr
from gradviz.ops.op import FRAMEWORKS, example, op
from gradviz.ops.spec import INT64, Spec
from gradviz.text import mark

S, N, W, R = State.STOPPED, State.NON_DIFFERENTIABLE_OP, State.INTEGER_ON_PATH, State.NO_RULE


def named(expression: Any, name: str) -> Any:
    expression.name = name
    return expression


def asked(y: Any, x: Expr, stop: tuple[Expr, ...] = ()) -> tuple[Answer, Missing]:
    if not y.name:
        named(y, "y")
    collected = Collected([x, y, *stop])
    stops = tuple(collected.port(s).node for s in stop)
    query = Query((collected.port(y).node,), (collected.port(x).node,), stop_gradients=stops)
    found = answer(Diagram(collected.graph, collected.values, (query,)))
    missing = found.missing(collected.port(x))
    assert missing is not None
    return found, missing


def told(y: Any, x: Expr, stop: tuple[Expr, ...] = ()) -> str:
    found, missing = asked(y, x, stop)
    return str(explain.reason(found, missing).sentence)


@pytest.fixture(autouse=True)
def _ops():
    def declare(forward, spec=lambda x: x):
        return op(
            sign="t", category=mark("test", "Test"), family="map", summary=mark("test", "A test."), text="f({x})",
            formula="x", code=dict.fromkeys(FRAMEWORKS, "{x}"), aliases={}, spec=spec, examples=[example([1.0])],
        )(forward)  # fmt: skip

    def unruly(x):
        """No rule is declared."""
        return np.cbrt(x)

    def silent(x):
        """The rule has no derivative."""
        return np.round(x)

    def ranked(x):
        """The numbers in order, and where they stood."""
        return np.sort(x), np.argsort(x)

    declare(unruly)
    declare(silent).vjp(lambda g, out, x: (None,))
    both = declare(ranked, lambda x: (x, Spec(x.shape, INT64)))
    both.vjp(lambda g, out, x: (g[0],))
    yield
    for name in ("unruly", "silent", "ranked"):
        registry.unregister(name)


def whole(x: Any) -> Any:
    return gv.apply("cast", x, dtype="int64")


def back(x: Any) -> Any:
    return gv.apply("cast", x, dtype="float64")


CUTS = {
    "each path by another node": (
        lambda x: (
            named(gv.stop_gradient(x), "s") + gv.where(named(x > 1.0, "c"), 1.0, 2.0)
            + back(named(whole(x), "n")) + named(gv.apply("unruly", x), "u") + named(gv.apply("silent", x), "q")
        ),
        {"s": S, "c": N, "n": W, "u": R, "q": N},
    ),
    "the nearest cut of one path": (lambda x: gv.stop_gradient(named(gv.stop_gradient(x), "s") * 2), {"s": S}),
    "silent, then stopped": (lambda x: named(gv.stop_gradient(gv.apply("silent", x)), "s") * 2, {"s": S}),
    "silent beside stopped": (
        lambda x: named(gv.apply("silent", x), "q") * named(gv.stop_gradient(x), "s"), {"q": N, "s": S},
    ),
    "behind a fork": (
        lambda x: named(gv.stop_gradient(x * 2), "s") * named(gv.stop_gradient(gv.sin(x * 2)), "t"), {"s": S, "t": S},
    ),
    "a whole output of several": (lambda x: back(named(gv.apply("ranked", x)[1], "r")) * 2, {"r": W}),
}  # fmt: skip


@pytest.mark.parametrize(("make", "cuts"), CUTS.values(), ids=CUTS)
def test_every_cut_is_named_with_its_kind(make: Any, cuts: dict[str, State]) -> None:
    x = gv.variable([1.0, 2.0], name="x")
    found, missing = asked(make(x), x)
    assert {found.graph[cut.node].name: cut.state for cut in missing.cuts} == cuts
    assert missing.nodes == tuple(cut.node for cut in missing.cuts)
    assert missing.state is missing.cuts[0].state
    sentence = str(explain.reason(found, missing).sentence)
    assert all(name in sentence for name in cuts)


def test_several_cuts_in_one_sentence() -> None:
    x = gv.variable([1.0, 2.0], name="x")
    y = named(gv.stop_gradient(x), "s") + gv.where(named(x > 1.0, "c"), 1.0, 2.0)
    assert told(y, x) == (
        "every way from x to y is cut: the gradient is stopped at s; c has no derivative"
    )


def test_a_stop_of_the_question_is_told_apart_from_one_of_the_graph() -> None:
    x = gv.variable([1.0, 2.0], name="x")
    inner = named(x * 2, "inner")
    found, missing = asked(inner + 1, x, (inner,))
    assert (missing.state, missing.cuts[0].asked) == (S, True)
    why = explain.reason(found, missing)
    assert (
        str(why.sentence) == "the question stops the gradient at inner, on the only way from x to y"
    )
    assert "Take inner out" in str(why.remedy)
    assert "the gradient is stopped at s; the question stops the gradient at inner" in told(
        inner * named(gv.stop_gradient(x), "s"), x, (inner,)
    )


class TestCopies:
    def test_a_number_is_a_new_constant(self) -> None:
        x = gv.variable(2.0, name="x")
        found, missing = asked(x**2 + x - 1, gv.constant(2.0))
        assert missing.state is State.NO_PATH
        assert missing.twin is not None
        assert found.graph[missing.twin].name == "x"
        why = explain.reason(found, missing)
        assert str(why.sentence) == "this 2 is a new constant, not the x that y uses"
        assert str(why.remedy).startswith("Did you mean x?")
        assert (
            told(gv.sin(2 * x), gv.constant(2.0))
            == "this 2 is a new constant, not the x that y uses"
        )

    def test_from_python(self) -> None:
        x = gv.variable([1.0, 2.0], name="x")
        why = gv.why_none(gv.sum(x**2), gv.constant(np.array([1.0, 2.0])))
        assert why is not None
        assert (why.state, why.remedy[:15]) == ("no-path", "Did you mean x?")
        assert (
            why.sentence == "this constant holds the same numbers, but it is not the x that y uses"
        )
        number = gv.why_none(gv.sum(x**2), gv.constant(3.0))
        assert number is not None
        assert number.sentence.startswith("nothing leads from 3 to y")

    def test_an_expression_that_was_made_again(self) -> None:
        x = gv.variable([1.0, 2.0], name="x")
        inside = named(gv.sum(x * 2), "inside")
        found, missing = asked(inside**2, gv.sum(x * 2))
        assert missing.twin is not None
        assert found.graph[missing.twin].name == "inside"
        assert "looks like inside, which y uses, but it is another node" in told(
            inside**2, gv.sum(x * 2)
        )

    @pytest.mark.parametrize("other", [
        lambda x: gv.constant([1.0, 3.0]), lambda x: gv.constant([[1.0, 2.0]]), lambda x: gv.sum(x * 3),
        lambda x: gv.variable([1.0, 2.0], name="w"), lambda x: gv.mean(x * 2),
    ])  # fmt: skip
    def test_what_only_resembles_is_no_copy(self, other: Any) -> None:
        x = gv.variable([1.0, 2.0], name="x")
        _, missing = asked(gv.sum(x * 2) ** 2, other(x))
        assert (missing.state, missing.twin) == (State.NO_PATH, None)


def test_where_it_leads_instead() -> None:
    x, w = gv.variable(1.0, name="x"), gv.variable(2.0, name="w")
    other, target = named(x * 2, "other"), named(w * 2, "y")
    collected = Collected([x, target, other])
    query = Query(("y",), ("x",))
    found = answer(Diagram(collected.graph, collected.values, (query,)))
    missing = found.missing(OutPort("x"))
    assert missing is not None
    assert missing.ends == ("other",)
    why = explain.reason(found, missing)
    assert (
        str(why.sentence)
        == "nothing leads from x to y (it leads to other only), so changing x cannot change y"
    )
    unused = asked(w * 2, x)
    assert unused[1].ends == ()
    assert "an if that went another way" in str(explain.reason(*unused).remedy)


def test_whole_numbers_and_truth_values_are_told_apart() -> None:
    n, b = gv.constant([1, 2], name="n"), gv.constant([True, False], name="b")
    assert "n holds whole numbers" in told(gv.sum(n * 1.5), n)
    assert "b holds truth values" in told(gv.where(b, 1.0, 2.0), b)
