"""Systems with a triangular matrix, and the triangular factor of a positive definite one.

The rule of the Cholesky factor is I. Murray's, "Differentiation of the Cholesky decomposition" (2016), symmetrised.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.errors import InputError, ShapeError
from gradviz.ops.arranging import tril, triu
from gradviz.ops.linalg import matmul
from gradviz.ops.op import LINEAR_ALGEBRA, example, op
from gradviz.ops.reshaping import expand_dims, matrix_transpose, squeeze
from gradviz.ops.solving import solve_spec, square_matrices
from gradviz.ops.spec import Spec
from gradviz.text import mark

Rule = tuple[Any, ...]
_LOWER = [[2.0, 7.0, -5.0], [0.5, -1.0, 9.0], [1.0, 3.0, 4.0]]


def _triangular_spec(a: Spec, b: Spec, **settings: Any) -> Spec:
    for name, value in settings.items():
        if not isinstance(value, bool):
            raise ShapeError(
                mark("ops", "{name} is {value}: it is True or False."),
                name=name,
                value=repr(value)[:60],
            )
    return solve_spec(a, b)


@op(
    sign="◣\\",
    category=LINEAR_ALGEBRA,
    family="solve",
    summary=mark(
        "ops", "Solves a system with one triangle of a matrix, from one end to the other."
    ),
    text="triangular_solve({a}, {b}{attributes})",
    formula="a_{triangle}^{-1} b",
    code={
        "numpy": "(lambda t: np.linalg.solve(np.swapaxes(t, -1, -2) if {trans} else t, {b}))((np.tril if {lower} else "
        "np.triu)(np.where(np.eye(np.shape({a})[-1], dtype=bool) & {unit_diagonal}, np.ones_like({a}), {a})))",
        "tf": "tf.linalg.triangular_solve({a} if not {unit_diagonal} else tf.linalg.set_diag({a}, "
        "tf.ones_like(tf.linalg.diag_part({a}))), {b}, lower={lower}, adjoint={trans})",
        "torch": "torch.linalg.solve_triangular({a}.mT if {trans} else {a}, {b}, upper={lower} == {trans}, "
        "unitriangular={unit_diagonal})",
        "jax": "jax.scipy.linalg.solve_triangular({a}, {b}, trans=int({trans}), lower={lower}, "
        "unit_diagonal={unit_diagonal})",
    },
    aliases={
        "numpy": "solve_triangular",
        "tf": "triangular_solve",
        "torch": "solve_triangular",
        "jax": "solve_triangular",
    },
    spec=_triangular_spec,
    linear_in=("b",),
    examples=[
        example(_LOWER, [[1.0, -2.0], [3.0, 1.0], [0.5, 2.0]], lower=True),
        example(_LOWER, [1.0, -2.0, 0.5], lower=True, trans=True),
        example(_LOWER, [1.0, -2.0, 0.5], unit_diagonal=True),
        example([[[2.0, 1.0], [0.5, 3.0]], [[1.0, -2.0], [3.0, 1.0]]], [[1.0], [2.0]]),
    ],
)
def triangular_solve(
    a: Any, b: Any, *, lower: bool = False, trans: bool = False, unit_diagonal: bool = False
) -> Any:
    """x with t @ x = b (tᵀ @ x = b with `trans`), where t is the upper or lower triangle of a.

    The other triangle is not looked at, nor is the diagonal with `unit_diagonal`, which stands for ones.
    InputError for a 0 on the diagonal.
    """
    dtype = np.result_type(a, b)
    dtype = dtype if dtype.kind == "f" else np.dtype(np.float64)
    zeros = np.diagonal(a, axis1=-2, axis2=-1) == 0
    if not unit_diagonal and zeros.any():
        raise InputError(
            mark(
                "ops",
                "a has a 0 on its diagonal, at {index}, so the system has no solution, or many; change a.",
            ),
            index=", ".join(str(i) for i in (*np.argwhere(zeros)[0], np.argwhere(zeros)[0][-1])),
        )
    right = b[..., None] if b.ndim == 1 else b
    batch = np.broadcast_shapes(a.shape[:-2], right.shape[:-2])
    a = np.broadcast_to(a, (*batch, *a.shape[-2:])).astype(dtype, copy=False)
    right = np.broadcast_to(right, (*batch, *right.shape[-2:])).astype(dtype, copy=False)
    if right.size:
        from scipy.linalg import solve_triangular  # NumPy has no such kernel

        found = solve_triangular(
            a,
            right,
            lower=lower,
            trans=int(trans),
            unit_diagonal=unit_diagonal,
            check_finite=False,
        )
    else:
        found = np.zeros(right.shape, dtype)
    return found[..., 0] if b.ndim == 1 else found


@triangular_solve.vjp
def _(g: Any, out: Any, a: Any, b: Any, *, lower: bool, trans: bool, unit_diagonal: bool) -> Rule:
    vector = len(b.shape) == 1
    if vector:
        g, out = expand_dims(g, axis=-1), expand_dims(out, axis=-1)
    by_b = triangular_solve(a, g, lower=lower, trans=not trans, unit_diagonal=unit_diagonal)
    left, right = (out, by_b) if trans else (by_b, out)
    whole = -matmul(left, matrix_transpose(right))
    by_a = tril(whole, k=-int(unit_diagonal)) if lower else triu(whole, k=int(unit_diagonal))
    return by_a, squeeze(by_b, axis=-1) if vector else by_b


@op(
    sign="chol",
    category=LINEAR_ALGEBRA,
    family="solve",
    summary=mark(
        "ops",
        "The lower triangle whose product with its transpose is a, a positive definite matrix.",
    ),
    text="cholesky({a})",
    formula=r"\operatorname{chol} a",
    code={
        "numpy": "np.linalg.cholesky(({a} + np.swapaxes({a}, -1, -2)) / 2)",
        "tf": "tf.linalg.cholesky(({a} + tf.linalg.matrix_transpose({a})) / 2)",
        "torch": "torch.linalg.cholesky(({a} + {a}.mT) / 2)",
        "jax": "jnp.linalg.cholesky({a})",
    },
    aliases={
        "numpy": "cholesky",
        "tf": "cholesky",
        "torch": "cholesky",
        "jax": "cholesky",
        "math": "chol",
    },
    spec=square_matrices,
    examples=[
        example([[4.0, 1.0], [1.0, 3.0]]),
        example([[4.0, 1.0, 0.5], [2.0, 3.0, 1.0], [-1.0, 0.5, 2.0]]),
        example([[[4.0, 1.0], [1.0, 3.0]], [[2.0, -1.0], [-1.0, 1.0]]]),
    ],
)
def cholesky(a: Any) -> Any:
    """The Cholesky factor of (a + aᵀ)/2; InputError if that is not positive definite, NaN for a matrix with NaN."""
    a = symmetric(a)
    lost = ~np.isfinite(a).all(axis=(-2, -1), keepdims=True)
    known = np.where(lost, np.eye(a.shape[-1], dtype=a.dtype), a)
    try:
        found = np.linalg.cholesky(known)
    except np.linalg.LinAlgError:
        raise _not_definite(known) from None
    return np.where(lost, np.tril(np.full_like(a, np.nan)), found)


def symmetric(a: Any) -> Any:
    """(a + aᵀ)/2, in floats."""
    a = a if a.dtype.kind == "f" else a.astype(np.float64)
    # Halved first: the sum of two large cells may be too large.
    return a / 2 + np.swapaxes(a, -1, -2) / 2


def _not_definite(a: Any) -> InputError:
    """Names the first matrix of the stack that has a value ≤ 0 among its eigenvalues."""
    least = np.linalg.eigvalsh(a)[..., 0]
    # Where rounding alone hides it, the least one it is.
    place = np.unravel_index(
        np.argmax(least <= 0) if (least <= 0).any() else np.argmin(least), least.shape
    )
    if a.ndim == 2:
        return InputError(
            mark(
                "ops",
                "a is not positive definite: its least eigenvalue is {least}, and all must be above 0.",
            ),
            least=f"{least:.4g}",
        )
    return InputError(
        mark(
            "ops",
            "Matrix {index} of a is not positive definite: its least eigenvalue is {least}, and all must be above 0.",
        ),
        index=", ".join(str(int(i)) for i in place),
        least=f"{least[place]:.4g}",
    )


@cholesky.vjp
def _(g: Any, out: Any, a: Any) -> Rule:
    inner = matmul(matrix_transpose(out), g)
    # The lower triangle, with half of the diagonal.
    half = (tril(inner) + tril(inner, k=-1)) / 2
    left = triangular_solve(out, half, lower=True, trans=True)
    both = triangular_solve(out, matrix_transpose(left), lower=True, trans=True)
    return ((both + matrix_transpose(both)) / 2,)
