"""Ops that `engine.gradient` itself inserts: seeds, sums of contributions, fits to the value's shape and dtype."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from gradviz.errors import InputError, ShapeError
from gradviz.ops import shapes
from gradviz.ops.op import ADDED, GRADIENT, SHAPE, example, op
from gradviz.ops.shapes import Shape
from gradviz.ops.spec import DTYPES, Spec
from gradviz.text import mark

Rule = tuple[Any, ...]
DtypeName = Literal["float64", "float32", "int64", "bool"]


@op(
    sign="1",
    category=GRADIENT,
    family="spread",
    summary=mark("ops", "An array like another, filled with one number."),
    text="{fill} like {x}",
    formula="fill",
    code={
        "numpy": "np.full_like({x}, {fill})",
        "tf": "tf.fill(tf.shape({x}), {fill})",
        "torch": "torch.full_like({x}, {fill})",
        "jax": "jnp.full_like({x}, {fill})",
    },
    aliases={
        "numpy": "full_like ones_like zeros_like",
        "tf": "ones_like zeros_like",
        "torch": "full_like",
    },
    spec=lambda x, *, fill: shapes.checked(x.shape, x.dtype),
    examples=[example([[1.0, 2.0]], fill=1.0)],
    helper=True,
    differentiable=False,
)
def full_like(x: Any, *, fill: float = 1.0) -> Any:
    """Of x's shape and dtype; x's numbers do not matter."""
    return np.full_like(x, fill)


@op(
    sign="+",
    category=GRADIENT,
    family="map",
    summary=mark("ops", "Adds up the contributions that came back by several roads."),
    text="{gs}",
    binding=ADDED,
    formula=r"\sum gs",
    code=dict.fromkeys(("numpy", "tf", "torch", "jax"), "sum([{gs}])"),
    aliases={},
    spec=shapes.elementwise,
    linear_in=("gs",),
    examples=[example([1.0, 2.0], [3.0, 4.0], [5.0, 6.0])],
    helper=True,
)
def accumulate(*gs: Any) -> Any:
    """g0 + g1 + …, from left to right."""
    total = gs[0]
    for g in gs[1:]:
        total = np.add(total, g)
    return total


@accumulate.vjp
def _(g: Any, out: Any, *gs: Any) -> Rule:
    return (g,) * len(gs)


# Code for the axes along which broadcasting made copies; {{shape}} is filled in by whoever writes the code.
_STRETCHED = (
    "tuple(i for i, n in enumerate((1,) * ({rank} - len({{shape}})) + tuple({{shape}})) if n == 1)"
)


def sum_to_axes(old: Shape, new: Shape) -> tuple[int, ...]:
    """The axes along which broadcasting from `new` to `old` made copies."""
    lead = len(old) - len(new)
    return tuple(range(lead)) + tuple(
        i + lead for i, n in enumerate(new) if n == 1 and old[i + lead] != 1
    )


def _sum_to_spec(g: Spec, *, shape: Shape) -> Spec:
    if shapes.broadcast(g.shape, tuple(shape)) != g.shape:
        raise ShapeError(
            mark("ops", "{given} cannot be added up to {shape}."), given=g.shape, shape=shape
        )
    return shapes.checked(tuple(shape), shapes.cotangent(g))


@op(
    sign="Σ→",
    category=GRADIENT,
    family="reduce",
    summary=mark(
        "ops", "Adds up the copies that broadcasting made: copied forward, added backward."
    ),
    text="{g} added up to {shape}",
    formula=r"\sum_{copies} g",
    code={
        "numpy": f"np.sum({{g}}, axis={_STRETCHED.format(rank='np.ndim({g})')}).reshape({{shape}})",
        "tf": f"tf.reshape(tf.reduce_sum({{g}}, axis={_STRETCHED.format(rank='len({g}.shape)')}), {{shape}})",
        "torch": "{g}.sum_to_size({shape})",
        "jax": f"jnp.sum({{g}}, axis={_STRETCHED.format(rank='jnp.ndim({g})')}).reshape({{shape}})",
    },
    aliases={},
    spec=_sum_to_spec,
    linear_in=("g",),
    examples=[
        example([[1.0, 2.0], [3.0, 4.0]], shape=(2,)),
        example([[1.0, 2.0], [3.0, 4.0]], shape=(2, 1)),
    ],
    helper=True,
)
def sum_to(g: Any, *, shape: Shape) -> Any:
    """The reverse of broadcasting to g's shape from `shape`."""
    array = np.asarray(g)
    axes = sum_to_axes(array.shape, tuple(shape))
    return np.reshape(np.sum(array, axis=axes, keepdims=True), tuple(shape))


@sum_to.vjp
def _(g: Any, out: Any, given: Any, *, shape: Shape) -> Rule:
    return (broadcast_to(g, shape=given.shape),)


def _broadcast_to_spec(x: Spec, *, shape: Shape) -> Spec:
    wanted = shapes.shape_attribute(shape)
    if shapes.broadcast(x.shape, wanted, names=("x", "the shape")) != wanted:
        raise ShapeError(
            mark("ops", "{given} cannot be copied out to {shape}."), given=x.shape, shape=wanted
        )
    return shapes.checked(wanted, x.dtype)


@op(
    sign="⇲",
    category=SHAPE,
    family="spread",
    summary=mark("ops", "Copies rows, columns or one number out to a larger shape."),
    text="broadcast_to({x}, {shape})",
    formula=r"\mathrm{broadcast}(x)",
    code={
        "numpy": "np.broadcast_to({x}, {shape})",
        "tf": "tf.broadcast_to({x}, {shape})",
        "torch": "torch.broadcast_to({x}, {shape})",
        "jax": "jnp.broadcast_to({x}, {shape})",
    },
    aliases={
        "numpy": "broadcast_to",
        "tf": "broadcast_to",
        "torch": "broadcast_to expand",
        "jax": "broadcast_to",
    },
    spec=_broadcast_to_spec,
    linear_in=("x",),
    examples=[example([1.0, 2.0], shape=(3, 2)), example([[1.0], [2.0]], shape=(2, 2))],
)
def broadcast_to(x: Any, *, shape: Shape) -> Any:
    """NumPy's broadcasting, as an operation of its own."""
    return np.broadcast_to(x, tuple(shape))


@broadcast_to.vjp
def _(g: Any, out: Any, x: Any, *, shape: Shape) -> Rule:
    # Adding up the copies is gradient()'s work.
    return (g,)


def _cast_spec(x: Spec, *, dtype: str) -> Spec:
    if dtype not in DTYPES:
        raise InputError(
            mark("ops", "The dtype {dtype} is not supported; use one of {names}."),
            dtype=dtype,
            names=", ".join(DTYPES),
        )
    return Spec(x.shape, DTYPES[dtype])


@op(
    sign="⇄",
    category=GRADIENT,
    family="map",
    summary=mark("ops", "The same numbers in another dtype."),
    text="{x} as {dtype}",
    formula="x",
    code={
        "numpy": "np.asarray({x}).astype({dtype})",
        "tf": "tf.cast({x}, {dtype})",
        "torch": "{x}.to(getattr(torch, {dtype}))",
        "jax": "jnp.asarray({x}, {dtype})",
    },
    aliases={"numpy": "astype", "tf": "cast", "torch": "to type", "jax": "astype"},
    spec=_cast_spec,
    linear_in=("x",),
    examples=[example([1.5, 2.0], dtype="float32")],
    helper=True,
)
def cast(x: Any, *, dtype: DtypeName) -> Any:
    """x in another dtype."""
    return np.asarray(x).astype(DTYPES[dtype])


@cast.vjp
def _(g: Any, out: Any, x: Any, *, dtype: DtypeName) -> Rule:
    # Fitting to the value's own dtype is gradient()'s work.
    return (g,)
