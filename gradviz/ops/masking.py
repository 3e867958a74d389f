"""Choosing cells by truth values. How many are chosen is known only when the truth values are computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.errors import ShapeError
from gradviz.ops import shapes
from gradviz.ops.op import GRADIENT, INDEXING, example, op
from gradviz.ops.shapes import Shape
from gradviz.ops.spec import BOOL, Spec
from gradviz.text import mark, shape_words

Rule = tuple[Any, ...]
_ROWS = [[1.0, 2.0], [3.0, 4.0]]


def _rest(x: Shape, mask: Spec) -> Shape:
    """The axes of x behind those of the mask."""
    if mask.dtype != BOOL:
        raise ShapeError(
            mark(
                "ops",
                "The mask holds truth values, not {dtype}; compare first, for example with >.",
            ),
            dtype=mask.dtype,
        )
    rank = len(mask.shape)
    if mask.shape != x[:rank]:
        raise ShapeError(
            mark(
                "ops", "x is {x}, the mask is {mask}: it needs a truth value for each cell or row."
            ),
            x=shape_words(x),
            mask=shape_words(mask.shape),
        )
    return x[rank:]


def _select_spec(x: Spec, mask: Spec) -> None:
    """None: the number of cells depends on the truth values."""
    _rest(x.shape, mask)


@op(
    sign="[?]",
    category=INDEXING,
    family="move",
    summary=mark("ops", "Keeps the cells, or rows, at which the mask is true, one after another."),
    text="{x}[{mask}]",
    formula="x_{mask}",
    code={
        "numpy": "{x}[{mask}]",
        "tf": "tf.boolean_mask({x}, {mask})",
        "torch": "{x}[{mask}]",
        "jax": "{x}[{mask}]",
    },
    aliases={
        "numpy": "extract compress",
        "tf": "boolean_mask",
        "torch": "masked_select",
        "math": "filter",
    },
    spec=_select_spec,
    linear_in=("x",),
    examples=[
        example([1.0, 2.0, 3.0], [True, False, True]),
        example(_ROWS, [[False, True], [True, True]]),
        example(_ROWS, [False, True]),
    ],
)
def masked_select(x: Any, mask: Any) -> Any:
    """x[mask]; a mask with fewer axes than x chooses rows."""
    return np.asarray(x)[np.asarray(mask)]


@masked_select.vjp
def _(g: Any, out: Any, x: Any, mask: Any) -> Rule:
    return put_masked(g, mask, shape=x.shape), None


def _put_spec(g: Spec, mask: Spec, *, shape: Shape) -> Spec:
    lengths = shapes.shape_attribute(shape)
    if g.shape[1:] != _rest(lengths, mask) or not g.shape:
        raise ShapeError(
            mark("ops", "{given} cannot be put into {shape}."),
            given=shape_words(g.shape),
            shape=shape_words(lengths),
        )
    return shapes.checked(lengths, shapes.cotangent(g))


@op(
    sign="⇥[?]",
    category=GRADIENT,
    family="move",
    summary=mark("ops", "Puts numbers back to the cells the mask chose; the other cells get 0."),
    text="put {g} where {mask} into {shape}",
    formula=r"\mathrm{put}_{mask}(g)",
    code={
        "numpy": "(lambda y: (y.__setitem__({mask}, {g}), y)[1])(np.zeros({shape}, np.result_type({g})))",
        "tf": "tf.scatter_nd(tf.where({mask}), {g}, {shape})",
        "torch": "torch.zeros({shape}, dtype={g}.dtype).index_put(torch.where({mask}), {g})",
        "jax": "jnp.zeros({shape}, {g}.dtype).at[{mask}].set({g})",
    },
    aliases={},
    spec=_put_spec,
    linear_in=("g",),
    examples=[
        example([1.0, 2.0], [True, False, True], shape=(3,)),
        example([[1.0, 2.0]], [False, True], shape=(2, 2)),
    ],
    helper=True,
)
def put_masked(g: Any, mask: Any, *, shape: Shape) -> Any:
    """Zeros of `shape` with the rows of g where the mask is true."""
    array = np.asarray(g)
    result = np.zeros(tuple(shape), array.dtype)
    result[np.asarray(mask)] = array
    return result


@put_masked.vjp
def _(g: Any, out: Any, given: Any, mask: Any, *, shape: Shape) -> Rule:
    return take_masked(g, mask, count=given.shape[0]), None


@op(
    sign="[?]",
    category=GRADIENT,
    family="move",
    summary=mark("ops", "Keeps the cells at which the mask is true; how many is known."),
    text="{x}[{mask}]",
    formula="x_{mask}",
    code=masked_select.code,
    aliases={},
    spec=lambda x, mask, *, count: shapes.checked(
        (*shapes.shape_attribute(count), *_rest(x.shape, mask)), x.dtype
    ),
    linear_in=("x",),
    examples=[example([1.0, 2.0, 3.0], [True, False, True], count=2)],
    helper=True,
)
def take_masked(x: Any, mask: Any, *, count: int) -> Any:
    """x[mask], whose length is `count`."""
    return masked_select.forward(x, mask)


@take_masked.vjp
def _(g: Any, out: Any, x: Any, mask: Any, *, count: int) -> Rule:
    return put_masked(g, mask, shape=x.shape), None
