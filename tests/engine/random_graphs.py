"""Random graphs for the tests of the diagnoses: expressions of a few kinds of ops with many zeros and poles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import gradviz as gv
from gradviz.engine.answer import Answer, answer
from gradviz.ops.expr import Expr

NUMBERS = (0.0, -1.0, 1.0, 2.0, -0.0, 0.5, 800.0, -800.0, 1e200)
UNARY = ("negative", "square", "sqrt", "exp", "log", "relu", "tanh", "sigmoid", "softmax", "stop")
BINARY = ("add", "subtract", "multiply", "divide", "maximum", "where", "power")


@dataclass(frozen=True)
class Recipe:
    """Ops with the numbers of the nodes they read (0 and 1 are the variables x and w); the last is added up."""

    x: tuple[float, ...]
    w: tuple[float, ...]
    steps: tuple[tuple[str, int, int], ...]
    weights: tuple[float, ...]

    def answer(self) -> Answer:
        """The answer about the weighted sum of the last node, by both variables."""
        nodes: list[Any] = [
            gv.variable(list(self.x), name="x"),
            gv.variable(list(self.w), name="w"),
        ]
        for op, a, b in self.steps:
            nodes.append(_apply(op, nodes[a], nodes[b]))
        return answer(gv.diagram(gv.sum(nodes[-1] * np.array(self.weights)), nodes[:2]))


@st.composite
def recipes(draw: Any, size: int = 3, steps: int = 7) -> Recipe:
    """Recipes with arrays of `size` numbers and at most so many steps."""
    numbers = st.tuples(*[st.sampled_from(NUMBERS)] * size)
    count = draw(st.integers(1, steps))
    chosen = tuple(
        (
            draw(st.sampled_from(UNARY + BINARY)),
            draw(st.integers(0, 1 + i)),
            draw(st.integers(0, 1 + i)),
        )
        for i in range(count)
    )
    weights = draw(st.sampled_from(((1.0, 1.0, 1.0), (1.0, 0.0, -2.0))))
    return Recipe(draw(numbers), draw(numbers), chosen, weights)


def _apply(op: str, a: Expr, b: Expr) -> Any:
    if op == "stop":
        return gv.stop_gradient(a)
    if op == "where":
        return gv.where(b > 0, a, 1.5)
    return gv.apply(op, a) if op in UNARY else gv.apply(op, a, b)
