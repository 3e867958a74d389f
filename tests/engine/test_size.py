"""Long chains and many paths: whatever walks a graph takes time by its nodes, and does not recurse."""

import sys
import time

import pytest

import gradviz as gv
from gradviz.edit.wires import refusal
from gradviz.engine.answer import answer
from gradviz.graph.model import InPort, OutPort

SHALLOW = 200
"""How deep the stack may go beyond where it stands: recursion along a graph would go deeper at once."""


def chain(length):
    """y is computed from x by `length` ops in a row; its derivative by x is 1 or -1."""
    x = gv.variable(0.5, name="x")
    y = x
    for number in range(length):
        y = y + 1.0 if number % 2 else gv.negative(y)
    return x, y


def doubled(times):
    """2^times paths lead from x to y."""
    x = gv.variable(2.0**-times, name="x")
    y = x
    for _ in range(times):
        y = y + y
    return x, y


def every_way(x, y, value, slope, folder):
    """Value and derivative of y by x: as expressions, compiled, as a diagram, as a diagram read from a file."""
    deep = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(len(_frames()) + SHALLOW)
        assert y.value == value
        (found,) = gv.gradients(y, [x])
        assert found.value == slope
        compiled = gv.compiled(y, [x])
        for _ in range(2):
            results = compiled(x.value)
            assert results.values[0] == value
            assert results.gradients[0] == slope
        drawn = gv.diagram(y, [x])
        gv.save(drawn, folder / "large.gradviz")
        for diagram in (drawn, gv.load(folder / "large.gradviz")):
            told = answer(diagram)
            (of,), (wrt,) = told.question.of, told.question.wrt
            assert told.value(of) == value
            assert told.adjoint(wrt) == slope
            second = diagram.graph.consumers_of(wrt.node)[0]
            back = refusal(diagram, OutPort(of.node), InPort(second.node, 0), told.specs)
            assert "close a cycle" in str(back)
    finally:
        sys.setrecursionlimit(deep)


def _frames():
    found, frame = [], sys._getframe()
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return found


def value_of_chain(length):
    value = 0.5
    for number in range(length):
        value = value + 1.0 if number % 2 else -value
    return value


@pytest.mark.parametrize(
    "length", [3_001, pytest.param(100_000, marks=pytest.mark.long)], ids="{:,}".format
)
def test_a_chain(length, tmp_path):
    x, y = chain(length)
    every_way(x, y, value_of_chain(length), (-1.0) ** ((length + 1) // 2), tmp_path)


@pytest.mark.parametrize("times", [20, 1_000])
def test_a_doubling_chain(times, tmp_path):
    x, y = doubled(times)
    every_way(x, y, 1.0, 2.0**times, tmp_path)


@pytest.mark.long
def test_ten_times_the_nodes_take_about_ten_times_as_long(tmp_path):
    spent = []
    for length in (10_001, 100_001):
        start = time.process_time()
        x, y = chain(length)
        every_way(x, y, value_of_chain(length), (-1.0) ** ((length + 1) // 2), tmp_path)
        spent.append(time.process_time() - start)
    print(f"10,001 and 100,001 nodes: {spent[0]:.1f} and {spent[1]:.1f} s")
    assert spent[1] < 30 * spent[0]
