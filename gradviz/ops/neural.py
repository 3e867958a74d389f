"""Softmax and its logarithm, the linear layer, dropout."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from gradviz.errors import InputError, ShapeError
from gradviz.graph.model import Array
from gradviz.ops import shapes
from gradviz.ops.calls import Calls, computed, float_of, in_blocks
from gradviz.ops.elementwise import divide, exp, multiply, subtract
from gradviz.ops.linalg import matmul
from gradviz.ops.op import GRADIENT, NEURAL, example, op
from gradviz.ops.reduction import sum_
from gradviz.ops.reshaping import reshape, transpose
from gradviz.ops.selection import equal, where
from gradviz.ops.spec import Spec
from gradviz.text import mark, shape_words

Rule = tuple[Any, ...]
_SHARES = [[0.25, 0.5, 0.25], [0.5, 0.125, 0.375]]
_EXAMPLES = [
    example([[1.0, 2.0, 0.5], [0.0, -1.0, 1.0]]),
    example([[1.0, 2.0], [0.5, -1.0]], axis=0),
]


def _along_axis(x: Spec, *, axis: int) -> Spec:
    shapes.one_axis(axis, len(x.shape))
    return shapes.elementwise_function(x)


@op(
    sign="p",
    category=NEURAL,
    family="map",
    summary=mark("ops", "Turns numbers into shares that add up to 1 along an axis."),
    text="softmax({x}{attributes})",
    formula=r"\frac{e^{x_i}}{\sum_j e^{x_j}}",
    code={
        "numpy": "np.exp({x} - np.max({x}, axis={axis}, keepdims=True)) / "
        "np.sum(np.exp({x} - np.max({x}, axis={axis}, keepdims=True)), axis={axis}, keepdims=True)",
        "tf": "tf.nn.softmax({x}, axis={axis})",
        "torch": "torch.softmax({x}, dim={axis})",
        "jax": "jax.nn.softmax({x}, axis={axis})",
    },
    aliases={"tf": "softmax", "torch": "softmax", "jax": "softmax", "math": "softmax"},
    spec=_along_axis,
    examples=_EXAMPLES,
)
def softmax(x: Any, *, axis: int = -1) -> Any:
    """exp(x) / sum(exp(x)), shifted by the maximum."""
    return computed(softmax_calls, np.shape(x), float_of(x), x, axis=axis)


@softmax.vjp
def _(g: Any, out: Any, x: Any, *, axis: int) -> Rule:
    return (softmax_back(g, out, axis=axis),)


@softmax.kernel
def softmax_calls(scratch: Any, out: Array, x: Array, *, axis: int) -> Calls:
    """The steps of softmax, on some rows at a time."""
    axis %= out.ndim

    def block(part: slice, total: Array) -> Calls:
        given, into = x[part], out[part]
        return [
            (np.maximum.reduce, (given, axis, None, total, True)),
            (np.subtract, (given, total, into)),
            (np.exp, (into, into)),
            (np.add.reduce, (into, axis, None, total, True)),
            (np.divide, (into, total, into)),
        ]

    return in_blocks(scratch, out.shape, out.dtype, (axis,), (0, 1), block)


@op(
    sign="p'",
    category=GRADIENT,
    family="map",
    summary=mark("ops", "Sends g back through softmax, whose shares y hang together."),
    text="{g} back through softmax {y}{attributes}",
    formula=r"y_i \left(g_i - \sum_j g_j y_j\right)",
    code={
        m: f"{{y}} * ({{g}} - {name}.{total}({{g}} * {{y}}, {axis}={{axis}}, {keep}=True))"
        for m, name, total, axis, keep in (
            ("numpy", "np", "sum", "axis", "keepdims"),
            ("tf", "tf", "reduce_sum", "axis", "keepdims"),
            ("torch", "torch", "sum", "dim", "keepdim"),
            ("jax", "jnp", "sum", "axis", "keepdims"),
        )
    },
    aliases={},
    spec=lambda g, y, *, axis: shapes.checked(y.shape, shapes.float_dtype(g, y)),
    linear_in=("g",),
    examples=[
        example([[1.0, 2.0, 0.5], [0.0, -1.0, 1.0]], _SHARES),
        example([[1.0, 2.0], [0.5, -1.0]], [[0.25, 0.5], [0.75, 0.5]], axis=0),
    ],
    helper=True,
)
def softmax_back(g: Any, y: Any, *, axis: int = -1) -> Any:
    """y × (g - sum(g × y)): what comes back to the numbers that became the shares y."""
    return computed(_softmax_back_calls, np.shape(y), float_of(g, y), g, y, axis=axis)


@softmax_back.kernel
def _softmax_back_calls(scratch: Any, out: Array, g: Array, y: Array, *, axis: int) -> Calls:
    axis %= out.ndim

    def block(part: slice, total: Array) -> Calls:
        amount, shares, into = g[part], y[part], out[part]
        return [
            (np.multiply, (amount, shares, into)),
            (np.add.reduce, (into, axis, None, total, True)),
            (np.subtract, (amount, total, into)),
            (np.multiply, (into, shares, into)),
        ]

    return in_blocks(scratch, out.shape, out.dtype, (axis,), (0, 1), block)


@softmax_back.vjp
def _(g: Any, out: Any, given: Any, y: Any, *, axis: int) -> Rule:
    centred = subtract(given, sum_(multiply(given, y), axis=axis, keepdims=True))
    share = sum_(multiply(g, y), axis=axis, keepdims=True)
    return (
        softmax_back(g, y, axis=axis),
        subtract(multiply(g, centred), multiply(given, share)),
    )


@op(
    sign="ln p",
    category=NEURAL,
    family="map",
    summary=mark("ops", "The logarithm of softmax, computed so that it does not overflow."),
    text="log_softmax({x}{attributes})",
    formula=r"x_i - \log \sum_j e^{x_j}",
    code={
        "numpy": "{x} - np.max({x}, axis={axis}, keepdims=True) - np.log(np.sum(np.exp("
        "{x} - np.max({x}, axis={axis}, keepdims=True)), axis={axis}, keepdims=True))",
        "tf": "tf.nn.log_softmax({x}, axis={axis})",
        "torch": "torch.log_softmax({x}, dim={axis})",
        "jax": "jax.nn.log_softmax({x}, axis={axis})",
    },
    aliases={
        "tf": "log_softmax",
        "torch": "log_softmax",
        "jax": "log_softmax",
        "math": "log_softmax",
    },
    spec=_along_axis,
    examples=_EXAMPLES,
)
def log_softmax(x: Any, *, axis: int = -1) -> Any:
    """x - log(sum(exp(x))), shifted by the maximum."""
    return computed(log_softmax_calls, np.shape(x), float_of(x), x, axis=axis)


@log_softmax.kernel
def log_softmax_calls(scratch: Any, out: Array, x: Array, *, axis: int) -> Calls:
    """The steps of log_softmax, on some rows at a time."""
    axis %= out.ndim

    def block(part: slice, raised: Array, total: Array) -> Calls:
        given, into = x[part], out[part]
        return [
            (np.maximum.reduce, (given, axis, None, total, True)),
            (np.subtract, (given, total, into)),
            (np.exp, (into, raised)),
            (np.add.reduce, (raised, axis, None, total, True)),
            (np.log, (total, total)),
            (np.subtract, (into, total, into)),
        ]

    return in_blocks(scratch, out.shape, out.dtype, (axis,), (1, 1), block)


@log_softmax.vjp
def _(g: Any, out: Any, x: Any, *, axis: int) -> Rule:
    return (subtract(g, multiply(exp(out), sum_(g, axis=axis, keepdims=True))),)


def _linear_spec(x: Spec, w: Spec, b: Spec | None = None) -> Spec:
    if not x.shape or len(w.shape) != 2 or x.shape[-1] != w.shape[0]:
        raise ShapeError(
            mark(
                "ops",
                "x is {x}, w is {w}: w needs two axes, (in, out), and x as many columns as w has rows.",
            ),
            x=shape_words(x.shape),
            w=shape_words(w.shape),
        )
    given = (x, w) if b is None else (x, w, b)
    shapes.numbers(*given)
    if b is not None:
        one_each(b, w.shape[1], "b")
    return shapes.checked((*x.shape[:-1], w.shape[1]), shapes.float_dtype(*given))


def one_each(given: Spec, count: int, name: str) -> None:
    """ShapeError unless `given` is a vector of one number for each of `count` channels."""
    if given.shape != (count,):
        raise ShapeError(
            mark("ops", "{name} is {given}; it needs one number for each of the {count} channels."),
            name=name,
            given=shape_words(given.shape),
            count=count,
        )


_BIAS = "(0 if {b} is None else {b})"


@op(
    sign="xW+b",
    category=NEURAL,
    family="contract",
    summary=mark("ops", "A layer of neurons: each output is a weighted sum of the inputs, plus b."),
    text="linear({x}, {w}, {b})",
    formula="x \\, w + b",
    code={
        "numpy": f"{{x}} @ {{w}} + {_BIAS}",
        "tf": f"tf.linalg.matvec({{w}}, {{x}}, transpose_a=True) + {_BIAS}",
        "torch": "torch.nn.functional.linear({x}, {w}.T, {b})",
        "jax": f"{{x}} @ {{w}} + {_BIAS}",
    },
    aliases={"torch": "linear", "tf": "dense", "math": "linear affine"},
    spec=_linear_spec,
    linear_in=("x", "w", "b"),
    examples=[
        example([[1.0, 2.0], [0.5, -1.0], [3.0, 0.25]], [[1.0, 0.5], [-2.0, 3.0]], [0.5, -1.0]),
        example([1.0, 2.0], [[1.0, 0.5], [-2.0, 3.0]]),
    ],
)
def linear(x: Any, w: Any, b: Any = None) -> Any:
    """x @ w + b, where w has one row for each input and one column for each output."""
    given = [a for a in (x, w, b) if a is not None]
    shape = (*np.shape(x)[:-1], np.shape(w)[1])
    return computed(_linear_calls, shape, float_of(*given), *given)


@linear.kernel
def _linear_calls(scratch: Any, out: Array, x: Array, w: Array, b: Array | None = None) -> Calls:
    calls: Calls = [(np.matmul, (x, w, out))]
    return calls if b is None else [*calls, (np.add, (out, b, out))]


@linear.vjp
def _(g: Any, out: Any, x: Any, w: Any, b: Any = None) -> Rule:
    rows = prod(x.shape[:-1])
    flat = x if x.ndim == 2 else reshape(x, shape=(rows, w.shape[0]))
    arrived = g if x.ndim == 2 else reshape(g, shape=(rows, w.shape[1]))
    terms = matmul(g, transpose(w)), matmul(transpose(flat), arrived), g
    return terms[: 2 if b is None else 3]


def _dropout_spec(x: Spec, mask: Spec, *, rate: float) -> Spec:
    if not 0 <= rate < 1:
        raise InputError(
            mark("ops", "The rate is the share that is dropped: at least 0, below 1; not {rate}."),
            rate=rate,
        )
    shape = shapes.broadcast(x.shape, mask.shape, names=("x", "mask"))
    if shape != x.shape:
        raise ShapeError(
            mark("ops", "x is {x}, mask is {mask}: the mask must fit onto x."),
            x=shape_words(x.shape),
            mask=shape_words(mask.shape),
        )
    shapes.numbers(x)
    return shapes.checked(shape, shapes.float_dtype(x))


@op(
    sign="⊘",
    category=NEURAL,
    family="gate",
    summary=mark(
        "ops", "Drops the cells where the mask is 0, and enlarges the others to make up for it."
    ),
    text="dropout({x}, {mask}{attributes})",
    formula=r"\frac{x \cdot mask}{1 - rate}",
    code={
        m: f"{name}.where({{mask}} == 0, 0.0, {{x}} / (1 - {{rate}}))"
        for m, name in (("numpy", "np"), ("tf", "tf"), ("torch", "torch"), ("jax", "jnp"))
    },
    aliases={"tf": "dropout", "torch": "dropout", "math": "dropout"},
    spec=_dropout_spec,
    linear_in=("x",),
    examples=[
        example([1.0, 2.0, -3.0], [1.0, 0.0, 1.0], rate=0.25),
        example([[1.0, 2.0], [4.0, -3.0]], [[True, False], [False, True]]),
    ],
)
def dropout(x: Any, mask: Any, *, rate: float = 0.5) -> Any:
    """x / (1 - rate) where the mask is not 0, else 0."""
    return np.where(np.equal(mask, 0), 0.0, np.divide(x, 1.0 - rate))


@dropout.vjp
def _(g: Any, out: Any, x: Any, mask: Any, *, rate: float) -> Rule:
    return where(equal(mask, 0), 0, divide(g, 1.0 - rate)), None
