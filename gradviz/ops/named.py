"""Short forms of the declaration for functions that look alike in every framework."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradviz.ops import shapes
from gradviz.ops.op import FRAMEWORKS, FUNCTIONS, Example, Family, Forward, Op, example, op
from gradviz.text import Text

_CALL = re.compile(r"(?:\w+\.)*(\w+)\(\{x\}\)")


def aliases_of(code: Mapping[str, str], math: str) -> dict[str, str]:
    """The names under which people look for an op: those of the functions its code calls."""
    calls = {framework: _CALL.fullmatch(text) for framework, text in code.items()}
    found = {framework: match[1] for framework, match in calls.items() if match is not None}
    return {**found, **({"math": math} if math else {})}


def called(names: str, arguments: str) -> dict[str, str]:
    """Code that calls one function per framework, in the order NumPy, TensorFlow, PyTorch, JAX."""
    return {
        framework: f"{name}({arguments})"
        for framework, name in zip(FRAMEWORKS, names.split(), strict=True)
    }


def function(
    sign: str,
    summary: Text,
    formula: str,
    code: str | Mapping[str, str],
    *,
    math: str = "",
    at: Sequence[float] = (0.5, -1.0, 2.0),
    category: Text = FUNCTIONS,
    family: Family = "map",
    spec: Callable[..., Any] = lambda x, **_: shapes.elementwise_function(x),
    text: str = "",
    linear_in: Sequence[str] = (),
    aliases: Mapping[str, str] | None = None,
    examples: Sequence[Example] = (),
    helper: bool = False,
) -> Callable[[Forward], Op]:
    """Declare an element-wise function of one array.

    `code` is a text per framework, or the four names of the function separated by spaces; its aliases are these names
    and those of `math`. `at` are the cells of the example.
    """

    def declare(forward: Forward) -> Op:
        name = forward.__name__.rstrip("_")
        written = called(code, "{x}") if isinstance(code, str) else code
        found = aliases_of(written, math) if aliases is None else aliases
        return op(
            sign=sign,
            category=category,
            family=family,
            summary=summary,
            text=text or f"{name}({{x}})",
            formula=formula,
            code=written,
            aliases=found,
            spec=spec,
            linear_in=linear_in,
            examples=examples or [example(list(at))],
            helper=helper,
        )(forward)

    return declare
