"""Expressions from numbers, names and typed mathematics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from gradviz import plugins
from gradviz.errors import ExpressionError
from gradviz.ops import registry
from gradviz.ops.expr import Expr


def random_normal(
    shape: Sequence[int] = (), seed: int = 0, dtype: object = "float64", name: str = ""
) -> Expr:
    """Random numbers from a bell curve (mean 0, spread 1); a pure function of shape, seed and dtype."""
    made = cast(
        Expr, registry.get("random_normal")(shape=tuple(shape), dtype=str(dtype), seed=seed)
    )
    made.name = name
    return made


def apply(op: str, *inputs: object, **attributes: object) -> Expr | tuple[Expr, ...]:
    """Any operation by its registered name: `apply("softmax", x, axis=-1)`. Several outputs give a tuple."""
    found = registry.lookup(op)
    if found is None:
        plugins.load_once()
        found = registry.lookup(op)
    if found is None:
        raise registry.unknown(op)
    return cast("Expr | tuple[Expr, ...]", found(*inputs, **attributes))


def parse(text: str, values: Mapping[str, object] | None = None) -> Expr:
    """Typed mathematics: `parse("y = sum(X)**2 + sum(X) - 1", {"X": array})`; `.leaf("X")` gives the leaf.

    Raises ExpressionError, which knows where, for what cannot be read.
    """
    from gradviz.code.expression import evaluate

    try:
        return evaluate(text, values or {})
    except ExpressionError:
        if not plugins.load_once():
            raise
        return evaluate(text, values or {})
