"""Computation graphs and visible gradients.

Everything a user of the Python API needs is here; `gradviz.api` says how to begin. The window is only imported when
`show` is called.
"""

from gradviz import plugins as _plugins
from gradviz.api import (
    Checked,
    RuleWarning,
    WhyNone,
    apply,
    check,
    compiled,
    constant,
    diagram,
    example,
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
    variable,
    vjp,
    why_none,
)
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
from gradviz.networks import from_networkx, to_networkx
from gradviz.ops import registry as _registry
from gradviz.ops.expr import Expr
from gradviz.ops.op import Op

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


def _names() -> list[str]:
    return [each.name for each in _registry.palette()]


# Every op a person can place is a function here, under its own name; so is a user's own.
__all__ += [name for name in _names() if name not in __all__]


def __getattr__(name: str) -> Op:
    found = _registry.find(name)
    if found is None and not name.startswith("_"):
        _plugins.load_once()
        found = _registry.find(name)
    if found is None:
        near = _registry.nearest(name)
        hint = f"; do you mean {near}?" if near else ""
        raise AttributeError(f"module 'gradviz' has no attribute {name!r}{hint}", name=name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_names()})
