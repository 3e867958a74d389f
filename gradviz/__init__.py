"""Computation graphs and visible gradients.

Everything a user of the Python API needs is here; `gradviz.api` says how to begin. The window is only imported when
`show` is called.
"""

from gradviz import ops as _ops
from gradviz.api import (
    WhyNone,
    apply,
    constant,
    diagram,
    expressions,
    gradients,
    load,
    parse,
    random_normal,
    save,
    show,
    variable,
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
    ShapeError,
)
from gradviz.networks import from_networkx, to_networkx
from gradviz.ops.adjoint import broadcast_to
from gradviz.ops.elementwise import (
    add,
    cos,
    divide,
    exp,
    log,
    multiply,
    negative,
    power,
    sigmoid,
    sin,
    sqrt,
    square,
    subtract,
    tanh,
)
from gradviz.ops.expr import Expr
from gradviz.ops.indexing import getitem
from gradviz.ops.linalg import matmul
from gradviz.ops.loss import softmax_cross_entropy
from gradviz.ops.neural import log_softmax, softmax
from gradviz.ops.reduction import max_ as max
from gradviz.ops.reduction import mean
from gradviz.ops.reduction import sum_ as sum
from gradviz.ops.reshaping import (
    concat,
    expand_dims,
    matrix_transpose,
    reshape,
    squeeze,
    transpose,
)
from gradviz.ops.selection import equal, greater, maximum, relu, stop_gradient, where

__version__ = "0.1.0"

__all__ = [
    "Expr",
    "ExpressionError",
    "FileError",
    "GradientError",
    "GradvizError",
    "GraphError",
    "IndexRangeError",
    "InputError",
    "LimitError",
    "ShapeError",
    "WhyNone",
    "add",
    "apply",
    "broadcast_to",
    "concat",
    "constant",
    "cos",
    "diagram",
    "divide",
    "equal",
    "exp",
    "expand_dims",
    "expressions",
    "from_networkx",
    "getitem",
    "gradients",
    "greater",
    "load",
    "log",
    "log_softmax",
    "matmul",
    "matrix_transpose",
    "max",
    "maximum",
    "mean",
    "multiply",
    "negative",
    "parse",
    "power",
    "random_normal",
    "relu",
    "reshape",
    "save",
    "show",
    "sigmoid",
    "sin",
    "softmax",
    "softmax_cross_entropy",
    "sqrt",
    "square",
    "squeeze",
    "stop_gradient",
    "subtract",
    "sum",
    "tanh",
    "to_networkx",
    "transpose",
    "variable",
    "where",
    "why_none",
]
del _ops
