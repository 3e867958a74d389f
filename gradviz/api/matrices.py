"""Jacobians and Hessians as arrays: one graph, run once for each row or column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np

from gradviz import limits
from gradviz.api.backward import Exprs, gradients, listed, specs_of
from gradviz.api.forward import jvp, one_number
from gradviz.engine.repeat import Repeated
from gradviz.errors import LimitError
from gradviz.graph.model import Array, frozen_array
from gradviz.ops.expr import Collected, Expr, constant
from gradviz.text import mark, shape_words

Matrix = Array | None
Row = list[Matrix]


@overload
def jacobian(y: Expr, x: Expr, stop_gradients: Exprs | None = ..., unconnected_gradients: str = ...) -> Matrix: ...  # fmt: skip
@overload
def jacobian(y: Expr, x: Sequence[Expr], stop_gradients: Exprs | None = ..., unconnected_gradients: str = ...) -> Row: ...  # fmt: skip
@overload
def jacobian(y: Sequence[Expr], x: Expr, stop_gradients: Exprs | None = ..., unconnected_gradients: str = ...) -> Row: ...  # fmt: skip
@overload
def jacobian(y: Sequence[Expr], x: Sequence[Expr], stop_gradients: Exprs | None = ..., unconnected_gradients: str = ...) -> list[Row]: ...  # fmt: skip
def jacobian(
    y: Exprs,
    x: Exprs,
    stop_gradients: Exprs | None = None,
    unconnected_gradients: str = "none",
) -> Matrix | Row | list[Row]:
    """Every cell of y by every cell of x, as an array of shape `y.shape + x.shape` and of x's dtype.

    With a list of xs, one per x; with a list of ys, one of those per y. `None` where nothing leads from x to y, zeros with
    `unconnected_gradients="zero"`. The graph is run once for each cell of y, or, if they are fewer, of the xs.
    Raises LimitError above `limits.JACOBIAN_CELLS`, and whatever keeps a node from being computed.
    """
    xs = listed(x)
    rows = [_row(each, xs, stop_gradients, unconnected_gradients) for each in listed(y)]
    found = rows if _several(x) else [row[0] for row in rows]
    return found if _several(y) else found[0]


@overload
def hessian(y: Expr, x: Expr, stop_gradients: Exprs | None = ..., unconnected_gradients: str = ...) -> Matrix: ...  # fmt: skip
@overload
def hessian(y: Expr, x: Sequence[Expr], stop_gradients: Exprs | None = ..., unconnected_gradients: str = ...) -> list[Row]: ...  # fmt: skip
def hessian(
    y: Expr,
    x: Exprs,
    stop_gradients: Exprs | None = None,
    unconnected_gradients: str = "none",
) -> Matrix | list[Row]:
    """The second derivatives of one number, as an array of shape `x.shape + x.shape`.

    With a list of xs, blocks: `hessian(y, [a, b])[0][1]` has the shape `a.shape + b.shape`. Zeros where y depends on both
    but they do not act on each other, `None` where nothing leads from one of them to y (zeros with
    `unconnected_gradients="zero"`).
    Raises ShapeError for a y of several numbers, LimitError above `limits.JACOBIAN_CELLS`.
    """
    xs = listed(x)
    slopes = gradients(one_number(y), xs, None, stop_gradients, unconnected_gradients)
    blocks: list[Row] = [
        list[Matrix]([None] * len(xs))
        if g is None
        else _zeroed(_row(g, xs, stop_gradients), xs, slopes, g)
        for g in slopes
    ]
    return blocks if _several(x) else blocks[0][0]


def _several(given: object) -> bool:
    return isinstance(given, list | tuple)


def _zeroed(row: Row, xs: list[Expr], slopes: Sequence[Expr | None], g: Expr) -> Row:
    """Zeros instead of None where y depends on x."""
    return [
        np.zeros(g.shape + x.shape, x.dtype) if block is None and slope is not None else block
        for block, x, slope in zip(row, xs, slopes, strict=True)
    ]


def _row(y: Expr, xs: list[Expr], stops: Exprs | None, unconnected: str = "none") -> Row:
    """The Jacobians of one y by each of xs."""
    columns = sum(x.size for x in xs)
    if max(y.size, 1) * columns > limits.JACOBIAN_CELLS:
        raise LimitError(
            mark(
                "api",
                "The Jacobian of {y} by {x} has {cells} cells, more than {limit}. Ask for fewer cells, or for its "
                "product with a vector (jvp, vjp, hvp).",
            ),
            y=shape_words(y.shape),
            x=" and ".join(shape_words(x.shape) for x in xs),
            cells=f"{y.size * columns:,}",
            limit=f"{limits.JACOBIAN_CELLS:,}",
        )
    if columns < y.size:
        found = [_by_columns(y, x, stops, unconnected) for x in xs]
    else:
        found = _by_rows(y, xs, stops, unconnected)
    return [
        None if block is None else block.reshape(y.shape + x.shape)
        for block, x in zip(found, xs, strict=True)
    ]


def _by_rows(y: Expr, xs: list[Expr], stops: Exprs | None, unconnected: str) -> Row:
    """Reverse mode: what one cell of y sends back is a row. Matrices of y.size × x.size."""
    seed = _source(y)
    back = gradients(y, xs, seed, stops, unconnected)
    reached = [i for i, g in enumerate(back) if g is not None]
    found = _rows(seed, [g for g in back if g is not None])
    blocks = dict(zip(reached, found, strict=True))
    return [blocks.get(i) for i in range(len(xs))]


def _by_columns(y: Expr, x: Expr, stops: Exprs | None, unconnected: str) -> Matrix:
    """Forward mode: how y moves with one cell of x is a column. A matrix of y.size × x.size, of x's dtype."""
    tangent = _source(x)
    (along,) = jvp(y, x, [tangent], stops, unconnected)
    if along is None:
        return None
    (found,) = _rows(tangent, [along])
    return found.T.astype(x.dtype)


def _source(like: Expr) -> Expr:
    return constant(np.zeros(like.shape, like.dtype))


def _rows(source: Expr, outputs: list[Expr]) -> list[Array]:
    """For each output a matrix whose rows are its values with a 1 in one cell of `source`, zeros elsewhere.

    A slope that is infinite or NaN meets those zeros, and 0·∞ is NaN in cells that have nothing to do with it. Where a
    cell does not depend on the cell of `source` at all, it is 0.
    """
    found = [np.zeros((source.size, e.size), e.dtype) for e in outputs]
    if not outputs or not source.size:
        return found
    collected = Collected([source, *outputs])
    node = collected.port(source).node
    again = Repeated(
        specs_of(collected), collected.values, [collected.port(e) for e in outputs], [node]
    )
    for number in range(source.size):
        hot = np.zeros(source.size, source.dtype)
        hot[number] = 1
        moved = {node: frozen_array(hot.reshape(source.shape))}
        rows = again(moved)
        for matrix, row in zip(found, rows, strict=True):
            matrix[number] = row.reshape(-1)
        if any(np.isnan(row).any() for row in rows):
            for matrix, row in zip(found, again.pattern(moved), strict=True):
                matrix[number, np.isnan(matrix[number]) & (row.reshape(-1) == 0)] = 0
    return found
