"""Whether any, whether all, and how many: reductions of truth values. They have no gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.ops import shapes
from gradviz.ops.op import REDUCTIONS, example, op
from gradviz.ops.shapes import Axis
from gradviz.ops.spec import BOOL, INT64, Spec
from gradviz.text import mark

_TRUTHS = [[True, False, True], [True, False, False]]
_EXAMPLES = [
    example(_TRUTHS),
    example(_TRUTHS, axis=0),
    example([[0.0, 2.0], [-1.0, 0.5]], axis=(-1,), keepdims=True),
]


def _truth_spec(x: Spec, *, axis: Axis, keepdims: bool) -> Spec:
    return shapes.checked(shapes.reduced(x.shape, axis, keepdims), BOOL)


def _code(name: str, tf: str, torch: str) -> dict[str, str]:
    return {
        "numpy": f"np.{name}({{x}}, axis={{axis}}, keepdims={{keepdims}})",
        "tf": f"tf.{tf}(tf.cast({{x}}, bool), axis={{axis}}, keepdims={{keepdims}})",
        "torch": torch,
        "jax": f"jnp.{name}({{x}}, axis={{axis}}, keepdims={{keepdims}})",
    }


@op(
    sign="∃",
    category=REDUCTIONS,
    family="reduce",
    summary=mark("ops", "True if at least one entry is true, or not 0. It has no gradient."),
    text="any({x}{attributes})",
    formula=r"\exists x",
    code=_code("any", "reduce_any", "torch.any({x}, dim={axis}, keepdim={keepdims})"),
    aliases={"numpy": "any", "tf": "reduce_any", "torch": "any", "jax": "any", "math": "exists"},
    spec=_truth_spec,
    examples=_EXAMPLES,
    differentiable=False,
)
def any_(x: Any, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """Whether an entry along the axes is not 0; of nothing, False."""
    return np.any(x, axis=axis, keepdims=keepdims)


@op(
    sign="∀",
    category=REDUCTIONS,
    family="reduce",
    summary=mark("ops", "True if every entry is true, or not 0. It has no gradient."),
    text="all({x}{attributes})",
    formula=r"\forall x",
    code=_code("all", "reduce_all", "torch.all({x}, dim={axis}, keepdim={keepdims})"),
    aliases={"numpy": "all", "tf": "reduce_all", "torch": "all", "jax": "all", "math": "every"},
    spec=_truth_spec,
    examples=_EXAMPLES,
    differentiable=False,
)
def all_(x: Any, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """Whether every entry along the axes is not 0; of nothing, True."""
    return np.all(x, axis=axis, keepdims=keepdims)


@op(
    sign="#",
    category=REDUCTIONS,
    family="reduce",
    summary=mark(
        "ops", "How many entries are true, or not 0. A number of entries has no gradient."
    ),
    text="count_nonzero({x}{attributes})",
    formula=r"\#\{x \ne 0\}",
    code=_code(
        "count_nonzero",
        "math.count_nonzero",
        "torch.sum({x} != 0, dim={axis}, keepdim={keepdims})",
    ),
    aliases={
        "numpy": "count_nonzero",
        "tf": "count_nonzero",
        "torch": "count_nonzero",
        "jax": "count_nonzero",
        "math": "count",
    },
    spec=lambda x, *, axis, keepdims: Spec(
        _truth_spec(x, axis=axis, keepdims=keepdims).shape, INT64
    ),
    examples=_EXAMPLES,
    differentiable=False,
)
def count_nonzero(x: Any, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """The number of entries along the axes that are not 0; NaN counts."""
    return np.sum(np.not_equal(x, 0), axis=axis, keepdims=keepdims, dtype=INT64)
