"""The expression bar from text to nodes and back."""

import numpy as np
import pytest

from gradviz.code import expression, write
from gradviz.edit.expressions import build_expression
from gradviz.engine.answer import answer
from gradviz.errors import GraphError
from gradviz.graph.model import Diagram, OutPort
from gradviz.graph.validate import validate
from gradviz.ops.expr import variable
from tests.edit.made import known, nine_sevens


def enter(diagram, text):
    """What the window does: a lower case name is one number, an upper case one a table."""
    new = {}

    def leaf(name):
        return new.setdefault(name, variable(np.zeros((3, 3)) if name[0].isupper() else 0.0, name))

    built = build_expression(
        diagram, expression.build(expression.parse(text), known(diagram), leaf)
    )
    validate(built)
    return built


def shown(diagram, name="y"):
    """What the bar shows for a node."""
    return write.expression(diagram.graph, diagram.node_called(name).id, diagram.values)


TEXTS = [
    "y = sum(X)**2 + sum(X) - 1",
    "y = sum(X)**2 + sum(X) - 2",
    "y = (sum(X)**2 + sum(X) - 1) * 2",
    "y = mean(X @ W, axis=0)",
    "y = relu(x * 3 + 1) / 2",
    "y = where(X > 0, X, 0.1 * X)",
    "y = X[0, 1] - B[0]",
]


@pytest.mark.parametrize("first", TEXTS)
@pytest.mark.parametrize("second", TEXTS)
def test_one_text_after_the_other(first, second):
    diagram = enter(Diagram(), first)
    after = enter(diagram, second)
    alone = enter(Diagram(), second)
    assert shown(after) == shown(alone)
    assert enter(after, second) is after
    # Nothing of the first text is left but what may be missed.
    assert len(after.graph) == len(alone.graph)
    assert set(after.places) == set(after.graph.nodes)


def test_what_the_bar_shows_changes_nothing():
    diagram = nine_sevens()
    for name in ("y", "s", "square", "add"):
        assert enter(diagram, shown(diagram, name)) is diagram


def test_several_lines():
    diagram = enter(Diagram(), "h = relu(X @ W + b)\nz = sum(h @ V)")
    after = enter(diagram, "h = tanh(X @ W + b)\nz = sum(h @ V)")
    assert after.places == diagram.places
    assert {id for id in after.graph.nodes if after.graph[id] is not diagram.graph[id]} == {"h"}
    assert answer(after).value(OutPort("z")) == 0


def test_a_line_that_reads_itself():
    with pytest.raises(GraphError, match="from itself"):
        enter(Diagram(), "x = x + 1")
    with pytest.raises(GraphError, match="y → y"):
        enter(nine_sevens(), "y = y + 1")
