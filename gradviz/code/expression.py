"""Typed mathematics in: `parse`, `build`, `evaluate`, and the caret under a fault."""

from __future__ import annotations

from collections.abc import Mapping

from gradviz.code.builder import build
from gradviz.code.parser import parse
from gradviz.code.syntax import Program
from gradviz.errors import ExpressionError
from gradviz.ops.expr import Expr, variable

__all__ = ["Program", "build", "caret", "evaluate", "parse"]


def evaluate(text: str, values: Mapping[str, object]) -> Expr:
    """The last statement of `text`, with a variable (or the Expr given) for each name in `values`.

    Raises ExpressionError for what cannot be read, InputError for a value that cannot be used.
    """
    leaves = {
        name: value if isinstance(value, Expr) else variable(value, name=name)
        for name, value in values.items()
    }
    built = build(parse(text), leaves)
    return list(built.values())[-1]


def caret(text: str, error: ExpressionError) -> str:
    """The line with the fault, and a line that points at it."""
    position = min(max(error.position, 0), len(text))
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line = text[start : end if end >= 0 else len(text)]
    length = max(1, min(error.length, start + len(line) - position))
    return f"{line}\n{' ' * (position - start)}{'^' * length}"
