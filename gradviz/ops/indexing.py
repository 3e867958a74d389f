"""Picking cells, and putting cotangents back where the cells came from.

An index is kept as plain data: a tuple of whole numbers, `{"slice": (start, stop, step)}`, "ellipsis", "newaxis" and
`{"array": […]}` (whole numbers or truth values).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from gradviz.errors import IndexRangeError
from gradviz.ops import shapes
from gradviz.ops.op import GRADIENT, INDEXING, example, op
from gradviz.ops.shapes import Shape
from gradviz.ops.spec import BOOL, INT64, Spec
from gradviz.text import mark, shape_words

Rule = tuple[Any, ...]
Index = tuple[Any, ...]


def numpy_index(index: Any) -> tuple[Any, ...]:
    """The index as NumPy takes it; IndexRangeError for what is no index."""
    items = index if isinstance(index, tuple | list) else (index,)
    return tuple(_numpy_item(item) for item in items)


def _numpy_item(item: Any) -> Any:
    if isinstance(item, int) and not isinstance(item, bool):
        return item
    if item == "ellipsis":
        return Ellipsis
    if item == "newaxis":
        return None
    if isinstance(item, Mapping) and set(item) == {"slice"}:
        bounds = item["slice"]
        if len(bounds) == 3 and all(
            b is None or (isinstance(b, int) and not isinstance(b, bool)) for b in bounds
        ):
            if bounds[2] == 0:
                raise IndexRangeError(mark("ops", "The step of a slice cannot be 0."))
            return slice(*bounds)
    if isinstance(item, Mapping) and set(item) == {"array"}:
        try:
            array = np.array(item["array"])
        except ValueError as error:
            raise IndexRangeError(
                mark("ops", "The rows of an index have different lengths.")
            ) from error
        if array.dtype == BOOL:
            return array
        if array.dtype.kind == "i" or array.size == 0:
            return array.astype(INT64)
    raise IndexRangeError(mark("ops", "{item} cannot be an index."), item=str(item)[:60])


def _picked_shape(shape: Shape, index: Any) -> Shape:
    # A broadcast zero is as large as one number, whatever its shape.
    stand_in = np.broadcast_to(np.zeros((), BOOL), shape)
    items = numpy_index(index)
    _refuse_large(stand_in, items)
    try:
        return cast("Shape", stand_in[items].shape)
    except (IndexError, ValueError) as error:
        raise IndexRangeError(
            mark("ops", "The index does not fit an array of {shape}: {reason}."),
            shape=shape_words(shape),
            reason=str(error).rstrip("."),
        ) from error


def _refuse_large(stand_in: Any, items: tuple[Any, ...]) -> None:
    """LimitError if lists of indices would pick too much; what does not fit is told by indexing itself."""
    parts: list[Any] = []
    for item in items:
        chosen = isinstance(item, np.ndarray) and item.dtype == BOOL and item.ndim > 0
        parts.extend(item.nonzero() if chosen else (item,))
    arrays = [part for part in parts if isinstance(part, np.ndarray)]
    try:
        many = np.broadcast_shapes(*(array.shape for array in arrays))
        # Lists without an entry pick nothing, but show which axes are left beside them.
        none = np.zeros((0,) * len(many), INT64)
        rest = stand_in[tuple(none if isinstance(p, np.ndarray) else p for p in parts)].shape
    except (IndexError, ValueError):
        return
    if many and rest.count(0) == len(many):
        shapes.checked((*many, *(n for n in rest if n)), BOOL)


def index_text(index: Any) -> str:
    """The index as Python writes it between the brackets."""
    items = index if isinstance(index, tuple | list) else (index,)
    return ", ".join(_item_text(item) for item in items) or "()"


def _item_text(item: Any) -> str:
    if item == "ellipsis":
        return "..."
    if item == "newaxis":
        return "None"
    if isinstance(item, Mapping) and "slice" in item:
        start, stop, step = ("" if b is None else str(b) for b in item["slice"])
        return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"
    if isinstance(item, Mapping):
        return str(np.array(item["array"]).tolist())
    return str(item)


@op(
    sign="[ ]",
    category=INDEXING,
    family="move",
    summary=mark(
        "ops", "Picks cells, rows or columns by their number; one picked twice counts twice."
    ),
    text="{x}[{index}]",
    formula="x_{index}",
    code=dict.fromkeys(("numpy", "tf", "torch", "jax"), "{x}[{index}]"),
    aliases={"tf": "strided_slice slice", "torch": "narrow", "math": "[] index"},
    spec=lambda x, *, index: shapes.checked(_picked_shape(x.shape, index), x.dtype),
    linear_in=("x",),
    examples=[
        example([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], index=(1,)),
        example([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], index=("ellipsis", {"slice": (0, 2, None)})),
        example([1.0, 2.0, 3.0], index=({"array": (1, 1, -1)},)),
    ],
)
def getitem(x: Any, *, index: Index) -> Any:
    """x[index], as NumPy indexes."""
    return np.asarray(x)[numpy_index(index)]


@getitem.vjp
def _(g: Any, out: Any, x: Any, *, index: Index) -> Rule:
    return (put(g, index=index, shape=x.shape),)


def _put_spec(g: Spec, *, index: Index, shape: Shape) -> Spec:
    wanted = _picked_shape(tuple(shape), index)
    if g.shape != wanted:
        raise IndexRangeError(
            mark("ops", "{given} cannot be put where {wanted} was picked."),
            given=g.shape,
            wanted=wanted,
        )
    return shapes.checked(tuple(shape), g.dtype)


@op(
    sign="⇥[ ]",
    category=GRADIENT,
    family="move",
    summary=mark(
        "ops", "Puts numbers back to the cells they were picked from; the other cells get 0."
    ),
    text="put {g} at [{index}] of {shape}",
    formula=r"\mathrm{put}(g)",
    code={
        "numpy": "np.bincount(np.ravel(np.arange(np.prod({shape}, dtype=int)).reshape({shape})[{index}]), "
        "np.ravel({g}), np.prod({shape}, dtype=int)).reshape({shape}).astype(np.result_type({g}))",
        "tf": "tf.reshape(tf.scatter_nd(tf.reshape(tf.reshape(tf.range(np.prod({shape}, dtype=int)), {shape})[{index}], "
        "[-1, 1]), tf.reshape({g}, [-1]), [np.prod({shape}, dtype=int)]), {shape})",
        "torch": "torch.zeros(int(np.prod({shape})), dtype={g}.dtype).index_add(0, torch.arange(int(np.prod({shape})))"
        ".reshape({shape})[{index}].ravel(), {g}.ravel()).reshape({shape})",
        "jax": "jnp.zeros({shape}, {g}.dtype).at[{index}].add({g})",
    },
    aliases={},
    spec=_put_spec,
    linear_in=("g",),
    examples=[
        example(5.0, index=(1,), shape=(3,)),
        example([1.0, 2.0], index=({"array": (0, 0)},), shape=(3,)),
    ],
    helper=True,
)
def put(g: Any, *, index: Index, shape: Shape) -> Any:
    """Zeros of `shape` with g added at `index`; a cell named twice gets both."""
    array = np.asarray(g)
    result = np.zeros(tuple(shape), array.dtype)
    where = numpy_index(index)
    if any(isinstance(item, np.ndarray) for item in where):
        np.add.at(result, where, array)
    else:
        result[where] = array
    return result


@put.vjp
def _(g: Any, out: Any, given: Any, *, index: Index, shape: Shape) -> Rule:
    return (getitem(g, index=index),)
