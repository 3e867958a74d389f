"""Typed mathematics: what it means, where it is wrong, and that no text does worse than an ExpressionError."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradviz as gv
from gradviz.code import expression
from gradviz.code.write import expression as written
from gradviz.graph.model import Graph
from gradviz.ops.expr import Expr, variable

DATA = json.loads(
    (Path(__file__).parent.parent / "data" / "expressions.json").read_text(encoding="utf-8")
)
X = np.arange(9.0).reshape(3, 3)


@pytest.mark.parametrize("case", DATA["items"], ids=lambda case: case["text"])
def test_value_and_gradients(case: dict) -> None:
    y = gv.parse(case["text"], case["leaves"])
    np.testing.assert_allclose(y.value, case["value"], rtol=1e-9)
    for name, expected in case["grads"].items():
        (g,) = gv.gradients(y, y.leaf(name))
        assert g is not None
        np.testing.assert_allclose(g.value, expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-x^2", -4.0),
        ("2^-x", 0.25),
        ("2^3^x", 2.0**9),
        ("-x*3", -6.0),
        ("x - 3 - 4", -5.0),
        ("x / 4 / 2", 0.25),
        ("x**2/4", 1.0),
        ("x²", 4.0),
        ("x·3 − 1", 5.0),
        ("(x)(x + 1)", 6.0),
        ("3x", 6.0),
        ("np.exp(x) / math.exp(x)", 1.0),
        ("tf.reduce_sum(X)", 36.0),
        ("X.sum()", 36.0),
        ("X[1, 2]", 5.0),
        ("X[-1].sum()", 21.0),
        ("X.T[0, 1]", 3.0),
        ("sum(X @ X)", float((X @ X).sum())),
        ("[[1, 2], [3, 4]][1, 0]", 3.0),
        ("s = sum(X); s - 30", 6.0),
        ("a = x\nb = a + 1", 3.0),
        ("where(x > 1, x, 0)", 2.0),
        ("where(1 < x, x, 0)", 2.0),
        ("max(X) - pi", 8 - np.pi),
        ("torch.sum(X, dim=1, keepdim=True)[2, 0]", 21.0),
        ("sum(\n  X,\n  axis=0,\n)[0]", 9.0),
        ("X.reshape(9)[4]", 4.0),
        ("sum(X[X > 6])", 15.0),
        ("sum(X[argmax(X[0])])", float(X[2].sum())),
        ("concat([X, X], axis=1)[0, 5]", 2.0),
    ],
)
def test_what_a_text_means(text: str, expected: float) -> None:
    assert gv.parse(text, {"x": 2.0, "X": X}).value == pytest.approx(expected)


def test_e_is_a_number_unless_it_is_a_name() -> None:
    assert gv.parse("e * x", {"x": 1.0}).value == pytest.approx(np.e)
    assert gv.parse("e * x", {"x": 1.0, "e": 3.0}).value == 3


def test_equal_parts_are_one_node_and_a_square_is_a_square() -> None:
    y = gv.parse("y = sum(X)**2 + sum(X) - 1", {"X": X})
    ops = sorted(node.op for node in gv.diagram(y).graph)
    assert ops == ["add", "constant", "square", "subtract", "sum", "variable"]
    assert y.name == "y"


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("y = x +* 2", 7, "cannot stand"),
        ("y = (x + 1", 4, "never closed"),
        ("y = foo(x)", 4, "not a function"),
        ("np.summ(X)", 0, "Do you mean sum"),
        ("x**2 +", 6, "ends"),
        ("x y", 2, "write * "),
        ("sum(X, axis=7)", 0, "no axis 7"),
        ("x)", 1, "cannot stand"),
        ("x = = 2", 4, "=="),
        ("", 0, "Type an expression"),
        ("y =", 3, "after the ="),
        ("z + 1", 0, "z has no value"),
        ("XX + 1", 0, "Do you mean X"),
        ("1e999", 0, "larger"),
        ("X @ [1, 2]", 0, "inner sizes"),
        ("[1, [2]] + x", 0, "rows of equal length"),
        ("softmax(X, axes=1)", 0, "axis"),
        ("x(x + 1)", 0, "not a function; for a product"),
        ("X[0.5]", 2, "whole numbers"),
    ],
)
def test_a_fault_has_its_place_and_its_words(text: str, position: int, words: str) -> None:
    with pytest.raises(gv.ExpressionError) as caught:
        gv.parse(text, {"x": 2.0, "X": X})
    assert caught.value.position == position
    assert words in str(caught.value)


def test_the_caret_points_at_the_fault() -> None:
    text = "a = x\nb = a +* 2"
    with pytest.raises(gv.ExpressionError) as caught:
        gv.parse(text, {"x": 1.0})
    assert expression.caret(text, caught.value) == "b = a +* 2\n       ^"


def test_long_chains_and_deep_brackets() -> None:
    assert gv.parse("x" + "+x" * 20_000, {"x": 1.0}).value == 20_001
    assert gv.parse("-" * 5_000 + "x", {"x": 1.0}).value == 1
    assert gv.parse("x" + "^1" * 3_000, {"x": 2.0}).value == 2
    assert gv.parse("(" * 150 + "x" + ")" * 150, {"x": 2.0}).value == 2
    with pytest.raises(gv.ExpressionError, match="200 deep"):
        gv.parse("(" * 5_000 + "x" + ")" * 5_000, {"x": 2.0})


def test_a_leaf_is_made_once_per_name() -> None:
    made: list[str] = []

    def make(name: str) -> Expr:
        made.append(name)
        return variable(1.0, name=name)

    built = expression.build(expression.parse("y = a*a + b"), {}, make)
    assert made == ["a", "b"]
    assert list(built) == ["y"]


@given(st.text(alphabet="xyX 0123456789.+-*/^@()[],=:;\n'Tesumxp_²ᵀ−", max_size=40))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    try:
        gv.parse(text, {"x": 2.0, "X": X})
    except gv.GradvizError as error:
        assert str(error)


@given(st.text(max_size=30))
def test_any_unicode_is_read_or_refused_in_words(text: str) -> None:
    try:
        gv.parse(text, {"x": 2.0})
    except gv.GradvizError as error:
        assert str(error)


LEAVES = st.sampled_from(["x", "X", "2", "0.5", "(-3)"])


def _combine(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(children, st.sampled_from(["+", "-", "*", "/"]), children)
    return st.one_of(
        pair.map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        children.map(lambda t: f"-{t}" if not t.startswith("-") else f"({t})"),
        children.map(lambda t: f"({t})**2"),
        children.map(lambda t: f"({t})**3"),
        children.map(lambda t: f"sum({t})"),
        children.map(lambda t: f"exp({t})"),
        children.map(lambda t: f"({t} > 1)").map(lambda c: f"where({c}, 1, x)"),
    )


@given(st.recursive(LEAVES, _combine, max_leaves=8))
def test_writing_and_reading_again_gives_the_same_graph(text: str) -> None:
    y = gv.parse(f"y = {text} + x", {"x": 2.0, "X": X})
    diagram = gv.diagram(y)
    line = written(diagram.graph, diagram.query.of[0], diagram.values)
    if line is None:
        return
    again = gv.diagram(gv.parse(line, {"x": 2.0, "X": X}))
    assert _shape_of(again.graph) == _shape_of(diagram.graph)


def _shape_of(graph: Graph) -> list[tuple[str, tuple[str, ...]]]:
    ops = {node.id: node.op for node in graph}
    return sorted((n.op, tuple(ops[p.node] for p in n.inputs if p is not None)) for n in graph)


def test_what_has_no_textual_form_is_none() -> None:
    big = gv.constant(np.arange(20.0))
    diagram = gv.diagram(gv.sum(big))
    assert written(diagram.graph, "y", diagram.values) == "y = sum(constant)"
    y = x = gv.variable(1.0, name="x")
    for _ in range(80):
        y = gv.sin(y)
    long = gv.diagram(y, x)
    assert written(long.graph, "y", long.values) is None
    odd = gv.diagram(gv.variable(1.0, name="two words") * 2)
    assert written(odd.graph, "y", odd.values) is None
