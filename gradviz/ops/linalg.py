"""The matrix product."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.ops import shapes
from gradviz.ops.op import LINEAR_ALGEBRA, MULTIPLIED, example, op
from gradviz.ops.reshaping import expand_dims, matrix_transpose, squeeze
from gradviz.text import mark

Rule = tuple[Any, ...]


@op(
    sign="@",
    category=LINEAR_ALGEBRA,
    family="contract",
    summary=mark("ops", "Matrix product: each cell is a row of a times a column of b, added up."),
    text="{a} @ {b}",
    binding=MULTIPLIED,
    formula="a b",
    code=dict.fromkeys(("numpy", "tf", "torch", "jax"), "{a} @ {b}"),
    aliases={
        "numpy": "matmul dot",
        "tf": "matmul",
        "torch": "matmul mm bmm",
        "jax": "matmul dot",
        "math": "@",
    },
    spec=shapes.matmul,
    linear_in=("a", "b"),
    examples=[
        example([[1.0, 2.0]], [[3.0, 5.0], [4.0, -1.0]]),
        example([1.0, 2.0], [[3.0, 5.0], [4.0, -1.0]]),
        example([[3.0, 5.0], [4.0, -1.0]], [1.0, 2.0]),
        example([1.0, 2.0], [3.0, 4.0]),
        example([[[1.0, 2.0]], [[0.5, 1.0]]], [[3.0], [4.0]]),
        example([1.0, 2.0], [[[3.0], [4.0]], [[1.0], [2.0]]]),
    ],
)
def matmul(a: Any, b: Any) -> Any:
    """a @ b, with NumPy's rules for vectors and batches."""
    return np.matmul(a, b)


@matmul.vjp
def _(g: Any, out: Any, a: Any, b: Any) -> Rule:
    if len(a.shape) == 1 and len(b.shape) == 1:
        return g * b, g * a
    if len(a.shape) == 1:
        row = expand_dims(g, axis=-2)
        return squeeze(matmul(row, matrix_transpose(b)), axis=-2), matmul(
            expand_dims(a, axis=-1), row
        )
    if len(b.shape) == 1:
        column = expand_dims(g, axis=-1)
        return matmul(column, expand_dims(b, axis=0)), squeeze(
            matmul(matrix_transpose(a), column), axis=-1
        )
    return matmul(g, matrix_transpose(b)), matmul(matrix_transpose(a), g)
