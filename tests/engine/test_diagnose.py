"""Why a gradient is missing: every state of decision 17, and the nodes it names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.engine.answer import Answer, answer
from gradviz.engine.diagnose import Missing, State
from gradviz.graph.model import Diagram, Graph, Node, OutPort, Query
from gradviz.ops import registry
from gradviz.ops.expr import Collected, Expr
from gradviz.ops.op import FRAMEWORKS, example, op
from gradviz.text import mark

X = gv.variable([1.0, 2.0], name="x")
CASES = {
    "no path": (lambda x: [gv.variable(3.0, name="w") * 2], State.NO_PATH, []),
    "no path, but a node between": (lambda x: [gv.sum(gv.variable([1.0], name="w")) + 1], State.NO_PATH, []),
    "stopped by an op": (lambda x: [named(gv.stop_gradient(x), "s") * 2], State.STOPPED, ["s"]),
    "stopped twice": (
        lambda x: [named(gv.stop_gradient(x), "s") * 2 + named(gv.stop_gradient(x * 3), "t")],
        State.STOPPED,
        ["s", "t"],
    ),
    "a comparison": (lambda x: [gv.where(named(x > 1.0, "c"), 1.0, 2.0)], State.NON_DIFFERENTIABLE_OP, ["c"]),
    "an array like another": (
        lambda x: [named(gv.apply("full_like", x, fill=2.0), "f") * 3],
        State.NON_DIFFERENTIABLE_OP,
        ["f"],
    ),
    "whole numbers on the path": (
        lambda x: [gv.apply("cast", named(gv.apply("cast", x * 2, dtype="int64"), "n"), dtype="float64")],
        State.INTEGER_ON_PATH,
        ["n"],
    ),
    "a whole target": (lambda x: [named(gv.apply("cast", x, dtype="int64"), "n")], State.INTEGER_TARGET, ["n"]),
    "truth values as a target": (lambda x: [named(x > 1.0, "c")], State.INTEGER_TARGET, ["c"]),
    "the first cut of several": (
        lambda x: [named(gv.stop_gradient(x), "s") + gv.where(named(x > 1.0, "c"), 1.0, 2.0)],
        State.STOPPED,
        ["s", "c"],
    ),
    "no rule": (lambda x: [named(gv.apply("unruly", x), "u") * 2], State.NO_RULE, ["u"]),
    "a rule that is silent": (lambda x: [named(gv.apply("silent", x), "q") * 2], State.NON_DIFFERENTIABLE_OP, ["q"]),
}  # fmt: skip


def named(expression: Any, name: str) -> Expr:
    expression.name = name
    return expression


@pytest.fixture(autouse=True)
def _ops():
    def declare(forward):
        return op(
            sign="t", category=mark("test", "Test"), family="map", summary=mark("test", "A test."), text="f({x})",
            formula="x", code=dict.fromkeys(FRAMEWORKS, "{x}"), aliases={}, spec=lambda x: x,
            examples=[example([1.0])],
        )(forward)  # fmt: skip

    def unruly(x):
        """No rule is declared."""
        return np.cbrt(x)

    def silent(x):
        """The rule has no derivative."""
        return np.round(x)

    declare(unruly)
    declare(silent).vjp(lambda g, out, x: (None,))
    yield
    registry.unregister("unruly")
    registry.unregister("silent")


def asked(of: list[Expr], wrt: Expr, **query: Any) -> tuple[Answer, OutPort, Collected]:
    collected = Collected([wrt, *of])
    question = Query(
        tuple(collected.port(y).node for y in of), (collected.port(wrt).node,), **query
    )
    found = answer(Diagram(collected.graph, collected.values, (question,)))
    return found, collected.port(wrt), collected


def names(found: Answer, missing: Missing) -> list[str]:
    return [found.graph[id].name for id in missing.nodes]


@pytest.mark.parametrize(("make", "state", "nodes"), CASES.values(), ids=CASES)
def test_state(make: Any, state: State, nodes: list[str]) -> None:
    found, port, _ = asked(make(X), X)
    missing = found.missing(port)
    assert missing is not None
    assert missing.state is state
    assert names(found, missing) == nodes
    assert missing.wrt == port.node
    assert found.adjoint(port) is None
    assert found.result(port) is None


def test_a_gradient_that_is_there_has_no_reason() -> None:
    found, port, _ = asked([X * 2], X)
    assert found.missing(port) is None


def test_zero_is_not_missing() -> None:
    found, port, _ = asked([X - X], X)
    assert found.missing(port) is None
    assert found.adjoint(port).tolist() == [0.0, 0.0]  # type: ignore[union-attr]


def test_swapped() -> None:
    found, port, _ = asked([X], named(gv.sum(X), "y"))
    missing = found.missing(port)
    assert missing is not None
    assert missing.state is State.SWAPPED


def test_stopped_by_the_question() -> None:
    inner = named(X * 3, "inner")
    y = inner * 2
    collected = Collected([X, y])
    port, stop = collected.port(X), collected.port(inner)
    query = Query((collected.port(y).node,), (port.node,), stop_gradients=(stop.node,))
    found = answer(Diagram(collected.graph, collected.values, (query,)))
    missing = found.missing(port)
    assert missing is not None
    assert (missing.state, names(found, missing)) == (State.STOPPED, ["inner"])
    assert found.adjoint(stop) is not None


def test_whole_numbers_as_x() -> None:
    n = gv.constant([1, 2], name="n")
    found, port, _ = asked([n * 1.5], n)
    missing = found.missing(port)
    assert missing is not None
    assert (missing.state, missing.nodes) == (State.INTEGER_SOURCE, (port.node,))


def test_no_targets() -> None:
    found = answer(
        Diagram(Graph({"n": Node("n", "constant", (), {"shape": (), "dtype": "int64"})}))
    )
    missing = found.missing(OutPort("n"))
    assert missing is not None
    assert missing.state is State.NO_TARGETS


def test_a_literal_was_not_asked_for() -> None:
    found, _, collected = asked([X * 3], X)
    literal = next(node.id for node in collected.graph if node.op == "constant")
    missing = found.missing(OutPort(literal))
    assert missing is not None
    assert missing.state is State.NOT_ASKED


def test_a_literal_that_was_asked_for_has_its_gradient() -> None:
    three = gv.constant(3.0)
    found, port, _ = asked([X * three], three)
    assert found.adjoint(port) == 3.0


def test_not_run() -> None:
    x, y = (
        Node("x", "variable", (), {"shape": (2,), "dtype": "float64"}),
        Node("y", "exp", (OutPort("x"),)),
    )
    found = answer(Diagram(Graph({"x": x, "y": y}), {}, (Query(("y",), ("x",)),)))
    missing = found.missing(OutPort("x"))
    assert missing is not None
    assert missing.state is State.NOT_RUN
    assert missing.nodes == ("x",)


@pytest.mark.parametrize("broken", ["open", "shape", "unknown"])
def test_what_cannot_be_computed_is_not_run_and_names_the_cause(broken: str) -> None:
    float2 = {"shape": (2,), "dtype": "float64"}
    nodes = {
        "x": Node("x", "variable", (), float2),
        "w": Node("w", "variable", (), {"shape": (3,), "dtype": "float64"}),
        "bad": {
            "open": Node("bad", "add", (OutPort("x"), None)),
            "shape": Node("bad", "add", (OutPort("x"), OutPort("w"))),
            "unknown": Node("bad", "conv9", (OutPort("x"),)),
        }[broken],
        "y": Node("y", "exp", (OutPort("bad"),)),
    }
    values = {"x": np.ones(2), "w": np.ones(3)}
    found = answer(Diagram(Graph(nodes), values, (Query(("y",), ("x",)),)))
    missing = found.missing(OutPort("x"))
    assert missing is not None
    assert missing.state is State.NOT_RUN
    assert missing.nodes == ("bad",)


def test_the_other_gradients_are_there_when_one_is_missing() -> None:
    w = gv.variable(2.0, name="w")
    y = gv.sum(X) * w + gv.sum(gv.stop_gradient(X))
    collected = Collected([X, w, y])
    found = answer(Diagram(collected.graph, collected.values, (Query((collected.port(y).node,)),)))
    assert found.question.wrt == (collected.port(X), collected.port(w))
    assert found.missing(collected.port(X)) is None
    assert found.adjoint(collected.port(w)) == 3.0


def test_zeros_are_reported_when_asked_for_and_the_reason_stays() -> None:
    w = gv.variable([[1.0], [2.0]], name="w")
    found, port, _ = asked([X * 2], w, unconnected="zero")
    assert found.result(port).tolist() == [[0.0], [0.0]]  # type: ignore[union-attr]
    assert found.adjoint(port) is None
    missing = found.missing(port)
    assert missing is not None
    assert missing.state is State.NO_PATH


def test_every_state_is_tested_here() -> None:
    tested = {state for _, state, _ in CASES.values()}
    others = {State.SWAPPED, State.INTEGER_SOURCE, State.NO_TARGETS, State.NOT_ASKED, State.NOT_RUN}
    assert tested | others == set(State)


def test_a_question_about_a_node_that_is_gone() -> None:
    found = Diagram(Graph(), {}, (Query(("y",)),))
    with pytest.raises(gv.GradvizError, match="not in the graph"):
        answer(found)
    assert answer(replace(found, queries=())).question.of == ()
