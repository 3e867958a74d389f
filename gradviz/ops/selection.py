"""Comparing and choosing. Gates select with `where` and never multiply by a mask: 0 × ∞ is not 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.errors import InputError, ShapeError
from gradviz.ops import shapes
from gradviz.ops.elementwise import negative
from gradviz.ops.op import (
    ACTIVATIONS,
    COMPARED,
    COMPARISON,
    FUNCTIONS,
    GRADIENT,
    LOOSE,
    example,
    op,
)
from gradviz.ops.spec import BOOL, Spec
from gradviz.text import mark

Rule = tuple[Any, ...]


@op(
    sign=">",
    category=COMPARISON,
    family="map",
    summary=mark("ops", "True where the first is larger. A comparison has no gradient."),
    text="{x} > {y}",
    binding=COMPARED,
    formula="x > y",
    code=dict.fromkeys(("numpy", "tf", "torch", "jax"), "{x} > {y}"),
    aliases={
        "numpy": "greater",
        "tf": "greater",
        "torch": "gt greater",
        "jax": "greater",
        "math": "> gt",
    },
    spec=shapes.comparison,
    examples=[example([1.0, 2.0, 3.0], 2.0)],
    differentiable=False,
)
def greater(x: Any, y: Any) -> Any:
    """x > y."""
    return np.greater(x, y)


@op(
    sign="=",
    category=COMPARISON,
    family="map",
    summary=mark("ops", "True where both are equal. A comparison has no gradient."),
    text="{x} = {y}",
    binding=COMPARED,
    formula="x = y",
    code=dict.fromkeys(("numpy", "tf", "torch", "jax"), "{x} == {y}"),
    aliases={"numpy": "equal", "tf": "equal", "torch": "eq", "jax": "equal", "math": "== eq"},
    spec=shapes.comparison,
    examples=[example([1.0, 2.0, 3.0], 2.0)],
    differentiable=False,
)
def equal(x: Any, y: Any) -> Any:
    """x == y."""
    return np.equal(x, y)


def _where_spec(condition: Spec, x: Spec, y: Spec) -> Spec:
    if condition.dtype != BOOL:
        raise ShapeError(
            mark(
                "ops",
                "The condition must hold truth values, not {dtype}; compare first, for example with >.",
            ),
            dtype=condition.dtype,
        )
    shape = shapes.broadcast(condition.shape, x.shape, y.shape, names=("condition", "x", "y"))
    return shapes.checked(shape, shapes.result_dtype(x, y))


@op(
    sign="?",
    category=COMPARISON,
    family="gate",
    summary=mark("ops", "Takes the cell of x where the condition holds, else the cell of y."),
    text="{x} where {condition}, else {y}",
    binding=LOOSE,
    formula=r"\begin{cases} x & condition \\ y & otherwise \end{cases}",
    code={
        "numpy": "np.where({condition}, {x}, {y})",
        "tf": "tf.where({condition}, {x}, {y})",
        "torch": "torch.where({condition}, {x}, {y})",
        "jax": "jnp.where({condition}, {x}, {y})",
    },
    aliases={
        "numpy": "where",
        "tf": "where",
        "torch": "where",
        "jax": "where select",
        "math": "if choose",
    },
    spec=_where_spec,
    linear_in=("x", "y"),
    examples=[example([True, False, True], [1.0, 2.0, 3.0], [10.0, 20.0, 30.0])],
)
def where(condition: Any, x: Any, y: Any) -> Any:
    """x where condition, else y."""
    return np.where(condition, x, y)


@where.vjp
def _(g: Any, out: Any, condition: Any, x: Any, y: Any) -> Rule:
    return None, where(condition, g, 0), where(condition, 0, g)


@op(
    sign="⌐",
    category=ACTIVATIONS,
    family="gate",
    summary=mark("ops", "Lets positive cells through and shuts the others to 0."),
    text="relu({x})",
    formula=r"\max(x, 0)",
    code={
        "numpy": "np.maximum({x}, 0)",
        "tf": "tf.nn.relu({x})",
        "torch": "torch.relu({x})",
        "jax": "jax.nn.relu({x})",
    },
    aliases={"tf": "relu", "torch": "relu", "jax": "relu", "math": "relu rectifier"},
    spec=shapes.elementwise_number,
    examples=[example([1.5, -2.0, 0.25])],
)
def relu(x: Any) -> Any:
    """max(x, 0); NaN stays NaN."""
    return np.maximum(x, 0)


@relu.vjp
def _(g: Any, out: Any, x: Any) -> Rule:
    return (where(greater(x, 0), g, 0),)


@op(
    sign="max",
    category=COMPARISON,
    family="route",
    summary=mark(
        "ops", "The larger of two, cell by cell; of two equal ones each gets half the gradient."
    ),
    text="maximum({x}, {y})",
    formula=r"\max(x, y)",
    code={
        "numpy": "np.maximum({x}, {y})",
        "tf": "tf.maximum({x}, {y})",
        "torch": "torch.maximum({x}, {y})",
        "jax": "jnp.maximum({x}, {y})",
    },
    aliases={
        "numpy": "maximum fmax",
        "tf": "maximum",
        "torch": "maximum",
        "jax": "maximum",
        "math": "maximum",
    },
    spec=shapes.elementwise,
    examples=[example([1.0, 5.0], [[2.0], [3.0]])],
)
def maximum(x: Any, y: Any) -> Any:
    """max(x, y); NaN wins."""
    return np.maximum(x, y)


@maximum.vjp
def _(g: Any, out: Any, x: Any, y: Any) -> Rule:
    return maximum_share(g, x, y), maximum_share(g, y, x)


@op(
    sign="min",
    category=COMPARISON,
    family="route",
    summary=mark(
        "ops", "The smaller of two, cell by cell; of two equal ones each gets half the gradient."
    ),
    text="minimum({x}, {y})",
    formula=r"\min(x, y)",
    code={
        "numpy": "np.minimum({x}, {y})",
        "tf": "tf.minimum({x}, {y})",
        "torch": "torch.minimum({x}, {y})",
        "jax": "jnp.minimum({x}, {y})",
    },
    aliases={
        "numpy": "minimum fmin",
        "tf": "minimum",
        "torch": "minimum",
        "jax": "minimum",
        "math": "minimum",
    },
    spec=shapes.elementwise,
    examples=[example([1.0, 5.0], [[2.0], [3.0]])],
)
def minimum(x: Any, y: Any) -> Any:
    """min(x, y); NaN wins."""
    return np.minimum(x, y)


@minimum.vjp
def _(g: Any, out: Any, x: Any, y: Any) -> Rule:
    below, above = negative(x), negative(y)
    return maximum_share(g, below, above), maximum_share(g, above, below)


def _clip_spec(x: Spec, *, min: float | None, max: float | None) -> Spec:
    if min is None and max is None:
        raise InputError(mark("ops", "clip needs a bound: min, max or both."))
    if min is not None and max is not None and min > max:
        raise InputError(
            mark("ops", "The lower bound {min} is above the upper bound {max}."), min=min, max=max
        )
    return shapes.elementwise_function(x)


@op(
    sign="clip",
    category=FUNCTIONS,
    family="gate",
    summary=mark("ops", "Holds every cell between two bounds; either may be left out."),
    text="clip({x}{attributes})",
    formula=r"\min(\max(x, min), max)",
    code={
        "numpy": "np.clip({x}, {min}, {max})",
        "tf": "tf.clip_by_value({x}, *((-np.inf, np.inf)[i] if b is None else b for i, b in enumerate(({min}, {max}))))",
        "torch": "torch.clamp({x}, {min}, {max})",
        "jax": "jnp.clip({x}, {min}, {max})",
    },
    aliases={
        "numpy": "clip",
        "tf": "clip_by_value",
        "torch": "clamp clip",
        "jax": "clip",
        "math": "clip clamp",
    },
    spec=_clip_spec,
    examples=[
        example([0.5, -1.5, 2.0], min=-1.0, max=1.0),
        example([0.5, -1.5], min=0.25),
        example([0.5, -1.5], max=0.25),
    ],
)
def clip(x: Any, *, min: float | None = None, max: float | None = None) -> Any:
    """x between the bounds, else the bound; the slope at a bound is 1, of NaN 0."""
    held = x if min is None else np.maximum(x, float(min))
    return held if max is None else np.minimum(held, float(max))


@clip.vjp
def _(g: Any, out: Any, x: Any, *, min: float | None, max: float | None) -> Rule:
    inside = g if max is None else where(greater(x, float(max)), 0, g)
    inside = inside if min is None else where(greater(float(min), x), 0, inside)
    return (where(equal(x, x), inside, 0),)


@op(
    sign="⇠",
    category=GRADIENT,
    family="route",
    summary=mark(
        "ops", "Sends g to x where x is the larger, half of it where both are equal, else 0."
    ),
    text="{g} where {x} is the larger (half if equal)",
    binding=LOOSE,
    formula=r"g \cdot [x > y] + \tfrac{1}{2} g \cdot [x = y]",
    code={
        "numpy": "np.where(np.greater({x}, {y}), {g}, np.where(np.equal({x}, {y}), np.multiply({g}, 0.5), 0.0))",
        "tf": "tf.where({x} > {y}, {g}, tf.where({x} == {y}, {g} / 2, 0.0))",
        "torch": "torch.where({x} > {y}, {g}, torch.where({x} == {y}, {g} / 2, 0.0))",
        "jax": "jnp.where({x} > {y}, {g}, jnp.where({x} == {y}, {g} / 2, 0.0))",
    },
    aliases={},
    spec=lambda g, x, y: shapes.checked(
        shapes.broadcast(g.shape, x.shape, y.shape, names=("g", "x", "y")), shapes.cotangent(g)
    ),
    linear_in=("g",),
    examples=[example([1.0, 2.0, 3.0], [1.0, 5.0, 2.0], [2.0, 5.0, 1.0])],
    helper=True,
)
def maximum_share(g: Any, x: Any, y: Any) -> Any:
    """The share of g that belongs to x; a NaN takes it all, two NaNs half each."""
    nan_x, nan_y = np.isnan(x), np.isnan(y)
    whole = np.greater(x, y) | (nan_x & ~nan_y)
    half = np.equal(x, y) | (nan_x & nan_y)
    zero = np.zeros((), np.asarray(g).dtype)
    return np.where(whole, g, np.where(half, np.multiply(g, 0.5), zero))


@maximum_share.vjp
def _(g: Any, out: Any, given: Any, x: Any, y: Any) -> Rule:
    return maximum_share(g, x, y), None, None


@op(
    sign="⊣",
    category=COMPARISON,
    family="gate",
    summary=mark("ops", "Passes the value on and stops the gradient."),
    text="stop_gradient({x})",
    formula=r"\mathrm{stop}(x)",
    code={
        "numpy": "np.asarray({x})",
        "tf": "tf.stop_gradient({x})",
        "torch": "{x}.detach()",
        "jax": "jax.lax.stop_gradient({x})",
    },
    aliases={"tf": "stop_gradient", "torch": "detach", "jax": "stop_gradient", "math": "stop"},
    spec=lambda x: Spec(x.shape, x.dtype),
    linear_in=("x",),
    examples=[example([1.0, 2.0])],
    differentiable=False,
)
def stop_gradient(x: Any) -> Any:
    """x; nothing flows back."""
    return np.asarray(x)
