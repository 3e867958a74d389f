"""Comparisons and logic: they give truth values and have no gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.errors import ShapeError
from gradviz.ops import shapes
from gradviz.ops.op import COMPARED, COMPARISON, FRAMEWORKS, Forward, Op, example, op
from gradviz.ops.spec import BOOL, Spec
from gradviz.text import Text, mark


def _comparison(
    sign: str, summary: Text, formula: str, python: str, math: str, torch: str
) -> Callable[[Forward], Op]:
    def declare(forward: Forward) -> Op:
        name = forward.__name__
        return op(
            sign=sign,
            category=COMPARISON,
            family="map",
            summary=summary,
            text=f"{{x}} {sign} {{y}}",
            binding=COMPARED,
            formula=formula,
            code=dict.fromkeys(FRAMEWORKS, f"{{x}} {python} {{y}}"),
            aliases={"numpy": name, "tf": name, "torch": torch, "jax": name, "math": math},
            spec=shapes.comparison,
            examples=[example([1.0, 2.0, 3.0], 2.0)],
            differentiable=False,
        )(forward)

    return declare


@_comparison(
    "≥",
    mark("ops", "True where the first is larger or equal. A comparison has no gradient."),
    r"x \ge y",
    ">=",
    ">= ≥",
    "ge",
)
def greater_equal(x: Any, y: Any) -> Any:
    """x >= y."""
    return np.greater_equal(x, y)


@_comparison(
    "<",
    mark("ops", "True where the first is smaller. A comparison has no gradient."),
    "x < y",
    "<",
    "<",
    "lt",
)
def less(x: Any, y: Any) -> Any:
    """x < y."""
    return np.less(x, y)


@_comparison(
    "≤",
    mark("ops", "True where the first is smaller or equal. A comparison has no gradient."),
    r"x \le y",
    "<=",
    "<= ≤",
    "le",
)
def less_equal(x: Any, y: Any) -> Any:
    """x <= y."""
    return np.less_equal(x, y)


@_comparison(
    "≠",
    mark("ops", "True where both differ. A comparison has no gradient."),
    r"x \ne y",
    "!=",
    "!= ≠",
    "ne",
)
def not_equal(x: Any, y: Any) -> Any:
    """x != y; a NaN differs from itself."""
    return np.not_equal(x, y)


def _truths(*specs: Spec) -> Spec:
    for spec in specs:
        if spec.dtype != BOOL:
            raise ShapeError(
                mark(
                    "ops",
                    "This works on truth values, not on {dtype}; compare first, for example with >.",
                ),
                dtype=spec.dtype,
            )
    return shapes.checked(shapes.broadcast(*(spec.shape for spec in specs)), BOOL)


def _logic(
    sign: str, summary: Text, formula: str, text: str, examples: list[Any]
) -> Callable[[Forward], Op]:
    def declare(forward: Forward) -> Op:
        name = forward.__name__
        arguments = ", ".join(f"{{{p}}}" for p in ("x", "y") if f"{{{p}}}" in text)
        return op(
            sign=sign,
            category=COMPARISON,
            family="map",
            summary=summary,
            text=text,
            formula=formula,
            code={
                "numpy": f"np.{name}({arguments})",
                "tf": f"tf.{name}({arguments})",
                "torch": f"torch.{name}({arguments})",
                "jax": f"jnp.{name}({arguments})",
            },
            aliases={"numpy": name, "math": name.removeprefix("logical_")},
            spec=_truths,
            examples=examples,
            differentiable=False,
        )(forward)

    return declare


@_logic(
    "∧",
    mark("ops", "True where both are true. It has no gradient."),
    r"x \land y",
    "logical_and({x}, {y})",
    [example([True, True, False], [True, False, False])],
)
def logical_and(x: Any, y: Any) -> Any:
    """x and y."""
    return np.logical_and(x, y)


@_logic(
    "∨",
    mark("ops", "True where one of both is true, or both are. It has no gradient."),
    r"x \lor y",
    "logical_or({x}, {y})",
    [example([True, True, False], [True, False, False])],
)
def logical_or(x: Any, y: Any) -> Any:
    """x or y."""
    return np.logical_or(x, y)


@_logic(
    "¬",
    mark("ops", "True where it is false, and the other way round. It has no gradient."),
    r"\lnot x",
    "logical_not({x})",
    [example([True, False])],
)
def logical_not(x: Any) -> Any:
    """not x."""
    return np.logical_not(x)
