"""gradviz from Python: write arithmetic, ask for gradients, get arrays.

import gradviz as gv

x = gv.variable(2.0, name="x")
y = x**2 + x - 1
(g,) = gv.gradients(y, x)
y.value, g.value            # 5.0, 5.0
"""

from gradviz.api.backward import WhyNone, gradients, vjp, why_none
from gradviz.api.checking import check
from gradviz.api.diagrams import diagram, expressions, load, save, show
from gradviz.api.forward import hvp, jvp
from gradviz.api.making import apply, parse, random_normal
from gradviz.api.matrices import hessian, jacobian
from gradviz.api.own import RuleWarning, op
from gradviz.engine.checked import Checked
from gradviz.engine.compiled import compile_gradients as compiled
from gradviz.ops.expr import constant, variable
from gradviz.ops.op import example

__all__ = [
    "Checked",
    "RuleWarning",
    "WhyNone",
    "apply",
    "check",
    "compiled",
    "constant",
    "diagram",
    "example",
    "expressions",
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
    "variable",
    "vjp",
    "why_none",
]
