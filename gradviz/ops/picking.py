"""Picking with whole numbers that are themselves computed, and putting back what was picked.

An index below 0 counts from the end, as in NumPy; one that is outside is an error of the node.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.errors import IndexRangeError, ShapeError
from gradviz.ops import shapes
from gradviz.ops.adjoint import full_like
from gradviz.ops.op import GRADIENT, INDEXING, example, op
from gradviz.ops.shapes import Shape
from gradviz.ops.spec import INT64, Spec
from gradviz.text import mark, shape_words

Rule = tuple[Any, ...]
_ROWS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
_ALL = "(slice(None),) * ({axis} % len({shape}))"


def whole(indices: Spec) -> None:
    """ShapeError unless these are whole numbers, or one plain number."""
    if indices.dtype != INT64 and not indices.weak:
        raise ShapeError(
            mark("ops", "Indices are whole numbers, not {dtype}."), dtype=indices.dtype
        )


def within(indices: Any, length: int) -> Any:
    """The indices counted from 0; IndexRangeError if one is outside an axis of that length."""
    found = np.asarray(indices)
    if found.dtype != INT64:
        if not np.all(found == np.floor(found)):
            raise IndexRangeError(
                mark("ops", "An index is a whole number, not {index}."), index=found
            )
        found = found.astype(INT64)
    outside = (found < -length) | (found >= length)
    if outside.any():
        raise IndexRangeError(
            mark(
                "ops",
                "There is no entry {index}: the axis has {length} entries, counted from 0.",
            ),
            index=int(found[outside].flat[0]),
            length=length,
        )
    return np.where(found < 0, found + length, found)


def _taken(x: Shape, indices: Shape, axis: int) -> Shape:
    place = shapes.one_axis(axis, len(x))
    return (*x[:place], *indices, *x[place + 1 :])


def _take_spec(x: Spec, indices: Spec, *, axis: int) -> Spec:
    whole(indices)
    return shapes.checked(_taken(x.shape, indices.shape, axis), x.dtype)


@op(
    sign="[i]",
    category=INDEXING,
    family="move",
    summary=mark(
        "ops", "Picks entries along an axis by their number; one picked twice counts twice."
    ),
    text="take({x}, {indices}{attributes})",
    formula="x_{indices}",
    code={
        "numpy": "np.take({x}, {indices}, axis={axis})",
        "tf": "tf.gather({x}, {indices}, axis={axis})",
        "torch": "{x}[(slice(None),) * ({axis} % {x}.ndim) + ({indices},)]",
        "jax": "jnp.take({x}, {indices}, axis={axis})",
    },
    aliases={"numpy": "take", "tf": "gather", "torch": "index_select", "jax": "take"},
    spec=_take_spec,
    linear_in=("x",),
    examples=[
        example([1.0, 2.0, 3.0], [2, 0, 2]),
        example(_ROWS, [[0, 2], [1, 1]], axis=1),
        example(_ROWS, 1),
    ],
)
def take(x: Any, indices: Any, *, axis: int = 0) -> Any:
    """The entries of x at `indices` along the axis."""
    array = np.asarray(x)
    return np.take(array, within(indices, array.shape[axis]), axis=axis)


@take.vjp
def _(g: Any, out: Any, x: Any, indices: Any, *, axis: int) -> Rule:
    return put_taken(g, indices, axis=axis, shape=x.shape), None


def _cells(picked: str) -> dict[str, str]:
    """Code that adds g up at the cells that `picked` picks from an array of the cells' numbers."""
    size = "np.prod({shape}, dtype=int)"
    numbers = {
        "np": f"np.arange({size}).reshape({{shape}})",
        "tf": f"tf.reshape(tf.range({size}), {{shape}})",
        "torch": f"torch.arange(int({size})).reshape({{shape}})",
        "jnp": f"jnp.arange({size}).reshape({{shape}})",
    }
    cells = {m: picked.replace("{m}", m).replace("{cells}", text) for m, text in numbers.items()}
    return {
        "numpy": f"np.bincount(np.ravel({cells['np']}), np.ravel({{g}}), {size}).reshape({{shape}})"
        ".astype(np.result_type({g}))",
        "tf": f"tf.reshape(tf.scatter_nd(tf.reshape({cells['tf']}, [-1, 1]), tf.reshape({{g}}, [-1]), [{size}]), {{shape}})",
        "torch": f"torch.zeros(int({size}), dtype={{g}}.dtype).index_add(0, {cells['torch']}.ravel(), {{g}}.ravel())"
        ".reshape({shape})",
        "jax": f"jnp.zeros({size}, {{g}}.dtype).at[jnp.ravel({cells['jnp']})].add(jnp.ravel({{g}})).reshape({{shape}})",
    }


def _check_put(g: Spec, wanted: Shape) -> None:
    if g.shape != wanted:
        raise ShapeError(
            mark("ops", "{given} cannot be put where {wanted} was picked."),
            given=shape_words(g.shape),
            wanted=shape_words(wanted),
        )


def _put_taken_spec(g: Spec, indices: Spec, *, axis: int, shape: Shape) -> Spec:
    whole(indices)
    lengths = shapes.shape_attribute(shape)
    _check_put(g, _taken(lengths, indices.shape, axis))
    return shapes.checked(lengths, shapes.cotangent(g))


@op(
    sign="⇥[i]",
    category=GRADIENT,
    family="move",
    summary=mark(
        "ops", "Adds numbers up at the entries of an axis they were picked from; others get 0."
    ),
    text="put {g} at {indices} of axis {axis} of {shape}",
    formula=r"\mathrm{put}_{indices}(g)",
    code=_cells(f"{{cells}}[{_ALL} + ({{indices}},)]")
    | {
        "tf": _cells("tf.gather({cells}, {indices}, axis={axis})")["tf"],
    },
    aliases={},
    spec=_put_taken_spec,
    linear_in=("g",),
    examples=[
        example([1.0, 2.0, 3.0], [2, 0, 2], axis=0, shape=(4,)),
        example([[1.0, 2.0], [3.0, 4.0]], [1, 2], axis=1, shape=(2, 3)),
    ],
    helper=True,
)
def put_taken(g: Any, indices: Any, *, axis: int = 0, shape: Shape) -> Any:
    """Zeros of `shape` with g added at `indices` along the axis; an entry named twice gets both."""
    array = np.asarray(g)
    result = np.zeros(tuple(shape), array.dtype)
    place = axis % len(shape)
    np.add.at(result, (*(slice(None),) * place, within(indices, shape[place])), array)
    return result


@put_taken.vjp
def _(g: Any, out: Any, given: Any, indices: Any, *, axis: int, shape: Shape) -> Rule:
    return take(g, indices, axis=axis), None


@op(
    sign="[w]",
    category=INDEXING,
    family="move",
    summary=mark(
        "ops", "Looks up a row of a table for every number; a row used twice learns twice."
    ),
    text="embedding({table}, {ids})",
    formula="table_{ids}",
    code={
        "numpy": "np.take({table}, {ids}, axis=0)",
        "tf": "tf.nn.embedding_lookup({table}, {ids})",
        "torch": "torch.nn.functional.embedding({ids}, {table})",
        "jax": "jnp.take({table}, {ids}, axis=0)",
    },
    aliases={"tf": "embedding_lookup", "torch": "embedding Embedding", "math": "lookup"},
    spec=lambda table, ids: _take_spec(table, ids, axis=0),
    linear_in=("table",),
    examples=[
        example([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [2, 0, 2]),
        example(_ROWS, [[0], [1]]),
    ],
)
def embedding(table: Any, ids: Any) -> Any:
    """The rows of the table with these numbers."""
    return take.forward(table, ids)


@embedding.vjp
def _(g: Any, out: Any, table: Any, ids: Any) -> Rule:
    return put_taken(g, ids, axis=0, shape=table.shape), None


def _beside(x: Shape, indices: Shape, axis: int) -> Shape:
    """The shape of what indices of that shape pick along the axis, beside each other on the other axes."""
    place = shapes.one_axis(axis, len(x))
    if len(indices) != len(x):
        raise ShapeError(
            mark("ops", "x is {x}, the indices are {indices}: both need as many axes."),
            x=shape_words(x),
            indices=shape_words(indices),
        )
    others = shapes.broadcast(
        (*x[:place], 1, *x[place + 1 :]),
        (*indices[:place], 1, *indices[place + 1 :]),
        names=("x", "indices"),
    )
    return (*others[:place], indices[place], *others[place + 1 :])


def _along_spec(x: Spec, indices: Spec, *, axis: int) -> Spec:
    whole(indices)
    return shapes.checked(_beside(x.shape, indices.shape, axis), x.dtype)


@op(
    sign="[i]",
    category=INDEXING,
    family="move",
    summary=mark("ops", "Picks along an axis by numbers of their own for each row."),
    text="take_along_axis({x}, {indices}{attributes})",
    formula="x_{j, indices_j}",
    code={
        "numpy": "np.take_along_axis({x}, {indices}, axis={axis})",
        "tf": "tf.experimental.numpy.take_along_axis({x}, {indices}, axis={axis})",
        "torch": "torch.take_along_dim({x}, {indices}, dim={axis})",
        "jax": "jnp.take_along_axis({x}, {indices}, axis={axis})",
    },
    aliases={
        "numpy": "take_along_axis",
        "torch": "take_along_dim",
        "jax": "take_along_axis",
    },
    spec=_along_spec,
    linear_in=("x",),
    examples=[
        example([1.0, 2.0, 3.0], [2, 0, 2]),
        example(_ROWS, [[0, 2], [1, 2]], axis=1),
        example(_ROWS, [[0, 1, 1]], axis=0),
        example([[1.0, 2.0]], [[0], [1], [1]]),
    ],
)
def take_along_axis(x: Any, indices: Any, *, axis: int = -1) -> Any:
    """x[…, indices, …] row by row; axes of length 1 go with every row of the other."""
    array = np.asarray(x)
    return np.take_along_axis(array, within(indices, array.shape[axis]), axis=axis)


@take_along_axis.vjp
def _(g: Any, out: Any, x: Any, indices: Any, *, axis: int) -> Rule:
    return put_along(g, indices, axis=axis, shape=x.shape), None


def _put_along_spec(g: Spec, indices: Spec, *, axis: int, shape: Shape) -> Spec:
    whole(indices)
    lengths = shapes.shape_attribute(shape)
    _check_put(g, _beside(lengths, indices.shape, axis))
    return shapes.checked(lengths, shapes.cotangent(g))


@op(
    sign="⇥[i]",
    category=GRADIENT,
    family="move",
    summary=mark("ops", "Adds numbers up, row by row, at the entries they were picked from."),
    text="put {g} at {indices} along axis {axis} of {shape}",
    formula=r"\mathrm{put}_{indices}(g)",
    code=_cells("{m}.take_along_axis({cells}, {indices}, {axis})")
    | {
        "tf": _cells("tf.experimental.numpy.take_along_axis({cells}, {indices}, {axis})")["tf"],
        "torch": _cells("torch.take_along_dim({cells}, {indices}, {axis})")["torch"],
    },
    aliases={},
    spec=_put_along_spec,
    linear_in=("g",),
    examples=[
        example([1.0, 2.0, 3.0], [2, 0, 2], axis=0, shape=(4,)),
        example([[1.0, 2.0], [3.0, 4.0]], [[1, 2], [0, 0]], axis=1, shape=(2, 3)),
        example([[1.0], [2.0]], [[1], [1]], axis=1, shape=(1, 3)),
    ],
    helper=True,
)
def put_along(g: Any, indices: Any, *, axis: int = -1, shape: Shape) -> Any:
    """The reverse of `take_along_axis`: zeros of `shape` with g added at what it picked."""
    array = np.asarray(g)
    lengths = tuple(shape)
    place = axis % len(lengths)
    chosen = within(indices, lengths[place])
    # The numbers of the cells: those of the row, which are the same on an axis of length 1, and the place in it.
    flat = np.zeros((), INT64)
    for i, length in enumerate(lengths):
        stride = math.prod(lengths[i + 1 :])
        own = np.arange(length).reshape((length,) + (1,) * (len(lengths) - i - 1))
        flat = flat + stride * (chosen if i == place else own)
    found = np.zeros(math.prod(lengths), array.dtype)
    np.add.at(found, np.broadcast_to(flat, array.shape).ravel(), array.ravel())
    return found.reshape(lengths)


@put_along.vjp
def _(g: Any, out: Any, given: Any, indices: Any, *, axis: int, shape: Shape) -> Rule:
    return take_along_axis(g, indices, axis=axis), None


def _scatter_spec(x: Spec, indices: Spec, updates: Spec) -> Spec:
    whole(indices)
    rows = _taken(x.shape, indices.shape, 0)
    if shapes.broadcast(rows, updates.shape, names=("x at the indices", "updates")) != rows:
        raise ShapeError(
            mark("ops", "The updates are {updates}; at the indices x has {rows}."),
            updates=shape_words(updates.shape),
            rows=shape_words(rows),
        )
    return shapes.checked(x.shape, shapes.result_dtype(x, updates))


_SCATTERED = [
    example([1.0, 2.0, 3.0], [2, 0], [10.0, 20.0]),
    example([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [2, 0], [[10.0, 20.0], [30.0, 40.0]]),
]


@op(
    sign="[i]+",
    category=INDEXING,
    family="move",
    summary=mark(
        "ops", "Adds numbers to the rows of x that the indices name; twice is added twice."
    ),
    text="scatter_add({x}, {indices}, {updates})",
    formula="x_{indices} + updates",
    code={
        "numpy": "{x} + np.sum([np.where(np.arange(len({x})).reshape((-1,) + (1,) * (np.ndim({x}) - 1)) == i % len({x}), u, 0) "
        "for i, u in zip(np.ravel({indices}), np.reshape(np.broadcast_to({updates}, np.shape({indices}) + {x}.shape[1:]), "
        "(-1,) + {x}.shape[1:]))], axis=0)",
        "tf": "tf.tensor_scatter_nd_add({x}, {indices}[..., None], {updates})",
        "torch": "torch.index_add({x}, 0, {indices}, {updates})",
        "jax": "{x}.at[{indices}].add({updates})",
    },
    aliases={
        "numpy": "add.at",
        "tf": "tensor_scatter_nd_add scatter_nd_add",
        "torch": "index_add scatter_add",
        "jax": "scatter_add",
    },
    spec=_scatter_spec,
    linear_in=("x", "updates"),
    examples=[*_SCATTERED, example([1.0, 2.0, 3.0], [1, 1, 0], [10.0, 20.0, 30.0])],
)
def scatter_add(x: Any, indices: Any, updates: Any) -> Any:
    """A copy of x with the updates added at the indices of its first axis."""
    result = np.array(x, dtype=np.result_type(x, updates))
    np.add.at(result, within(indices, len(result)), updates)
    return result


@scatter_add.vjp
def _(g: Any, out: Any, x: Any, indices: Any, updates: Any) -> Rule:
    return g, None, take(g, indices, axis=0)


@op(
    sign="[i]=",
    category=INDEXING,
    family="move",
    summary=mark("ops", "Replaces the rows of x that the indices name; of several the last stays."),
    text="scatter_set({x}, {indices}, {updates})",
    formula="x_{indices} = updates",
    code={
        "numpy": "(lambda y, i, u: (y.__setitem__(i, u), y)[1])({x} + 0 * np.sum({updates}), {indices}, {updates})",
        "tf": "tf.tensor_scatter_nd_update({x}, {indices}[..., None], {updates})",
        "torch": "torch.index_copy({x}, 0, {indices}, {updates})",
        "jax": "{x}.at[{indices}].set({updates})",
    },
    aliases={
        "tf": "tensor_scatter_nd_update",
        "torch": "index_copy index_put",
        "jax": "scatter",
    },
    spec=_scatter_spec,
    linear_in=("x", "updates"),
    examples=_SCATTERED,
)
def scatter_set(x: Any, indices: Any, updates: Any) -> Any:
    """A copy of x with the updates at the indices of its first axis."""
    result = np.array(x, dtype=np.result_type(x, updates))
    result[within(indices, len(result))] = updates
    return result


@scatter_set.vjp
def _(g: Any, out: Any, x: Any, indices: Any, updates: Any) -> Rule:
    return scatter_set(g, indices, 0.0), None, take_set(g, indices)


@op(
    sign="⇤[i]",
    category=GRADIENT,
    family="move",
    summary=mark("ops", "Picks what belongs to the rows that were set, 0 for those set over."),
    text="take {g} at {indices}, once each",
    formula="g_{indices}",
    code={
        framework: f"{m}.where({m}.asarray([i not in list({{indices}})[n + 1:] for n, i in enumerate({{indices}})])"
        ".reshape((-1,) + (1,) * (len({g}.shape) - 1)), {g}[{indices}], 0.0)"
        for framework, m in (("numpy", "np"), ("torch", "torch"), ("jax", "jnp"))
    }
    | {"tf": "tf.gather({g}, {indices})"},
    aliases={},
    spec=lambda g, indices: _take_spec(g, indices, axis=0),
    linear_in=("g",),
    examples=[
        example([1.0, 2.0, 3.0], [2, 0]),
        example([[1.0, 2.0], [3.0, 4.0]], [1, 0, 1]),
    ],
    helper=True,
)
def take_set(g: Any, indices: Any) -> Any:
    """g at the indices of its first axis; where one comes again later, 0."""
    array = np.asarray(g)
    chosen = within(indices, len(array))
    last = np.empty(len(array), INT64)
    order = np.arange(chosen.size).reshape(chosen.shape)
    last[chosen] = order
    stays = (last[chosen] == order).reshape(chosen.shape + (1,) * (array.ndim - 1))
    return np.where(stays, array[chosen], np.zeros((), array.dtype))


@take_set.vjp
def _(g: Any, out: Any, given: Any, indices: Any) -> Rule:
    return scatter_set(full_like(given, fill=0.0), indices, g), None
