"""Computation graphs and visible gradients.

Everything a user of the Python API needs is here; `gradviz.api` says how to begin. The window is only imported when
`show` is called.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from gradviz.errors import (
    ExpressionError,
    FileError,
    GradientError,
    GradvizError,
    GraphError,
    IndexRangeError,
    InputError,
    LimitError,
    RuleError,
    ShapeError,
)
from gradviz.ops import registry as _registry
from gradviz.ops.expr import Expr, constant, variable
from gradviz.ops.op import Op, example

if _TYPE_CHECKING:
    # Loaded when the first of these names is asked for: they bring the engine with them.
    from gradviz.api import (
        Checked,
        RuleWarning,
        WhyNone,
        apply,
        check,
        compiled,
        diagram,
        expressions,
        gradients,
        hessian,
        hvp,
        jacobian,
        jvp,
        load,
        op,
        parse,
        random_normal,
        save,
        show,
        vjp,
        why_none,
    )
    from gradviz.networks import from_networkx, to_networkx

__version__ = "0.1.0"

__all__ = [
    "Checked",
    "Expr",
    "ExpressionError",
    "FileError",
    "GradientError",
    "GradvizError",
    "GraphError",
    "IndexRangeError",
    "InputError",
    "LimitError",
    "Op",
    "RuleError",
    "RuleWarning",
    "ShapeError",
    "WhyNone",
    "apply",
    "check",
    "compiled",
    "constant",
    "diagram",
    "example",
    "expressions",
    "from_networkx",
    "gradients",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "load",
    "op",
    "parse",
    "random_normal",
    "save",
    "show",
    "to_networkx",
    "variable",
    "vjp",
    "why_none",
]


_LATE = frozenset(name for name in __all__ if name not in globals())


def _names() -> list[str]:
    return [each.name for each in _registry.palette()]


# Every op a person can place is a function here, under its own name; so is a user's own.
__all__ += [name for name in _names() if name not in __all__]


def __getattr__(name: str) -> _Any:
    if name in _LATE:
        return _load(name)
    found = _registry.find(name)
    if found is None and not name.startswith("_") and not _is_module(name):
        from gradviz.plugins import load_once

        load_once()
        found = _registry.find(name)
    if found is None:
        near = _registry.nearest(name)
        hint = f"; do you mean {near}?" if near else ""
        raise AttributeError(f"module 'gradviz' has no attribute {name!r}{hint}", name=name)
    return found


def _is_module(name: str) -> bool:
    """Whether `from gradviz import name` asks for a module: it looks here before it imports one."""
    from importlib.util import find_spec

    return find_spec(f"gradviz.{name}") is not None


def _load(name: str) -> object:
    """A name of `__all__` that is not there yet; it is from now on."""
    from importlib import import_module

    module = "gradviz.networks" if name.endswith("_networkx") else "gradviz.api"
    found: object = getattr(import_module(module), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_names()})
