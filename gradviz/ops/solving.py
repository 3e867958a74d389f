"""Inverses and linear systems. A singular matrix is an error of its node, in the user's words, not of the run.

Rules are made of matrix products and of the op itself, so that they can be shown and differentiated again:
J. R. Magnus and H. Neudecker, Matrix Differential Calculus, chapter 8; for the pseudoinverse G. H. Golub and
V. Pereyra, SIAM J. Numer. Anal. 10 (1973) 413.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.errors import InputError, ShapeError
from gradviz.ops import shapes
from gradviz.ops.composed import back
from gradviz.ops.linalg import matmul
from gradviz.ops.op import LINEAR_ALGEBRA, example, op
from gradviz.ops.reshaping import expand_dims, matrix_transpose, squeeze
from gradviz.ops.spec import Spec
from gradviz.text import mark, shape_words

Rule = tuple[Any, ...]


def matrices(a: Spec) -> Spec:
    """The spec of a stack of matrices of floats; ShapeError if `a` is none."""
    shapes.numbers(a)
    if len(a.shape) < 2:
        raise ShapeError(
            mark("ops", "a is {a}: this needs a matrix, or a stack of matrices."),
            a=shape_words(a.shape),
        )
    return shapes.checked(a.shape, shapes.float_dtype(a))


def square_matrices(a: Spec) -> Spec:
    """The spec of a stack of square matrices of floats; ShapeError if `a` is none."""
    found = matrices(a)
    if a.shape[-1] != a.shape[-2]:
        raise ShapeError(
            mark("ops", "a is {a}: this needs a square matrix, with as many rows as columns."),
            a=shape_words(a.shape),
        )
    return found


def _singular(a: Any) -> InputError:
    """Names the first singular matrix of the stack, by the elimination that failed."""
    if a.ndim == 2:
        return InputError(
            mark(
                "ops",
                "a is singular (its determinant is 0), so it has no inverse; change a, or use pinv.",
            )
        )
    signs = np.linalg.slogdet(a)[0]
    return InputError(
        mark(
            "ops",
            "Matrix {index} of a is singular (its determinant is 0), so it has no inverse; change it, or use pinv.",
        ),
        index=", ".join(str(i) for i in np.argwhere(signs == 0)[0]),
    )


def _numbers_only(a: Any) -> tuple[Any, Any]:
    """a with the identity for each matrix that has a NaN, and which those are (…×1×1).

    With a NaN, elimination may find a pivot of 0 and call the matrix singular, which it is not known to be.
    """
    lost = np.isnan(a).any(axis=(-2, -1), keepdims=True)
    return (np.where(lost, np.eye(a.shape[-1], dtype=a.dtype), a) if lost.any() else a), lost


@op(
    sign="⁻¹",
    category=LINEAR_ALGEBRA,
    family="solve",
    summary=mark("ops", "The inverse: the matrix that gives the identity when multiplied by a."),
    text="inv({a})",
    formula="a^{-1}",
    code={
        "numpy": "np.linalg.inv({a})",
        "tf": "tf.linalg.inv({a})",
        "torch": "torch.linalg.inv({a})",
        "jax": "jnp.linalg.inv({a})",
    },
    aliases={"numpy": "inv", "tf": "inv matrix_inverse", "torch": "inv", "jax": "inv"},
    spec=square_matrices,
    examples=[
        example([[4.0, 1.0], [2.0, 3.0]]),
        example([[[2.0, 1.0], [0.5, 3.0]], [[1.0, -2.0], [3.0, 1.0]]]),
    ],
)
def inv(a: Any) -> Any:
    """The inverse of each matrix of a; InputError if one is singular."""
    a, lost = _numbers_only(a)
    try:
        found = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        raise _singular(a) from None
    found[np.broadcast_to(lost, found.shape)] = np.nan
    return found


@inv.vjp
def _(g: Any, out: Any, a: Any) -> Rule:
    turned = matrix_transpose(out)
    return (-matmul(matmul(turned, g), turned),)


def solve_spec(a: Spec, b: Spec) -> Spec:
    """The spec of a solution: b is one vector, or a stack of matrices with as many rows as a."""
    square_matrices(a)
    if not b.shape:
        raise ShapeError(
            mark("ops", "b is one number: the right-hand side is a vector or a matrix.")
        )
    rows = b.shape[0] if len(b.shape) == 1 else b.shape[-2]
    if rows != a.shape[-1]:
        raise ShapeError(
            mark(
                "ops",
                "a is {a}, b is {b}: b must have {wanted} rows, as a has. (With more than one axis, b is a stack of matrices.)",
            ),
            a=shape_words(a.shape),
            b=shape_words(b.shape),
            wanted=a.shape[-1],
        )
    dtype = shapes.float_dtype(a, b)
    if len(b.shape) == 1:
        return shapes.checked(a.shape[:-1], dtype)
    batch = shapes.broadcast(a.shape[:-2], b.shape[:-2], names=("the batch of a", "the batch of b"))
    return shapes.checked((*batch, *b.shape[-2:]), dtype)


@op(
    sign="\\",
    category=LINEAR_ALGEBRA,
    family="solve",
    summary=mark("ops", "Solves a linear system: the x for which a times x is b."),
    text="solve({a}, {b})",
    formula="a^{-1} b",
    code={
        "numpy": "np.linalg.solve({a}, {b})",
        "tf": "tf.linalg.solve({a}, {b})",
        "torch": "torch.linalg.solve({a}, {b})",
        "jax": "jnp.linalg.solve({a}, {b})",
    },
    aliases={"numpy": "solve", "tf": "solve matrix_solve", "torch": "solve", "jax": "solve"},
    spec=solve_spec,
    linear_in=("b",),
    examples=[
        example([[4.0, 1.0], [2.0, 3.0]], [1.0, -2.0]),
        example([[4.0, 1.0], [2.0, 3.0]], [[1.0, -2.0, 0.5], [3.0, 1.0, 2.0]]),
        example([[[2.0, 1.0], [0.5, 3.0]], [[1.0, -2.0], [3.0, 1.0]]], [1.0, 2.0]),
        example([[4.0, 1.0], [2.0, 3.0]], [[[1.0], [2.0]], [[0.5], [-1.0]]]),
    ],
)
def solve(a: Any, b: Any) -> Any:
    """x with a @ x = b; b is one vector, or a stack of matrices. InputError if a matrix of a is singular."""
    # NumPy's own choice for truth values beside float32 would be float64.
    dtype = np.result_type(a, b)
    a, lost = _numbers_only(a)
    try:
        found = np.linalg.solve(a, b.astype(dtype, copy=False))
    except np.linalg.LinAlgError:
        raise _singular(a) from None
    found[np.broadcast_to(lost if b.ndim > 1 else lost[..., 0], found.shape)] = np.nan
    return found


@solve.vjp
def _(g: Any, out: Any, a: Any, b: Any) -> Rule:
    turned = matrix_transpose(a)
    if len(b.shape) > 1:
        by_b = solve(turned, g)
        return -matmul(by_b, matrix_transpose(out)), by_b
    by_b = solve(turned, expand_dims(g, axis=-1))
    return -matmul(by_b, expand_dims(out, axis=-2)), squeeze(by_b, axis=-1)


def _pinv_spec(a: Spec) -> Spec:
    found = matrices(a)
    return shapes.checked((*a.shape[:-2], a.shape[-1], a.shape[-2]), found.dtype)


@op(
    sign="⁺",
    category=LINEAR_ALGEBRA,
    family="solve",
    summary=mark(
        "ops", "The pseudoinverse: the best inverse that any matrix has (Moore and Penrose)."
    ),
    text="pinv({a})",
    formula="a^{+}",
    code={
        "numpy": "np.linalg.pinv({a}, rtol=None)",
        "tf": "tf.linalg.pinv({a})",
        "torch": "torch.linalg.pinv({a})",
        "jax": "jnp.linalg.pinv({a})",
    },
    aliases={"numpy": "pinv", "tf": "pinv", "torch": "pinv pinverse", "jax": "pinv"},
    spec=_pinv_spec,
    examples=[
        example([[1.0, 2.0], [3.0, -1.0], [0.5, 1.0]]),
        example([[1.0, 0.5, 2.0], [-1.0, 3.0, 1.0]]),
        example([[[4.0, 1.0], [2.0, 3.0]], [[1.0, -2.0], [3.0, 1.0]]]),
    ],
)
def pinv(a: Any) -> Any:
    """The pseudoinverse of each matrix of a, by singular values; its gradient assumes that the rank stays."""
    a = a if a.dtype.kind == "f" else a.astype(np.float64)
    # LAPACK finds no singular values of a matrix with NaN or ∞ in it.
    finite = np.isfinite(a).all(axis=(-2, -1), keepdims=True)
    # What is no larger than rounding, in a's own precision, counts as 0.
    found = np.linalg.pinv(np.where(finite, a, 0), rtol=None)  # type: ignore[call-overload]
    return np.where(finite, found, a.dtype.type(np.nan))


@pinv.vjp
def _(g: Any, out: Any, a: Any) -> Rule:
    turned, sent = matrix_transpose(out), matrix_transpose(g)
    inner = matmul(matmul(turned, g), turned)
    # What lies outside the columns, and outside the rows, of a.
    left = matmul(matmul(sent, out), turned)
    right = matmul(matmul(turned, out), sent)
    outside = left - matmul(a, matmul(out, left)) + right - matmul(matmul(right, out), a)
    return (outside - inner,)


def _lstsq_spec(a: Spec, b: Spec) -> Spec:
    matrices(a)
    rows = b.shape[0] if len(b.shape) == 1 else b.shape[-2] if b.shape else -1
    if rows != a.shape[-2]:
        raise ShapeError(
            mark(
                "ops",
                "a is {a}, b is {b}: b is a vector, or a stack of matrices, with {wanted} rows, as a has.",
            ),
            a=shape_words(a.shape),
            b=shape_words(b.shape) or "one number",
            wanted=a.shape[-2],
        )
    turned = Spec((*a.shape[:-2], a.shape[-1], a.shape[-2]), shapes.float_dtype(a, b))
    return shapes.matmul(turned, Spec(b.shape, turned.dtype))


@op(
    sign="≈\\",
    category=LINEAR_ALGEBRA,
    family="solve",
    summary=mark(
        "ops", "Least squares: the x for which a times x is nearest to b, the shortest of several."
    ),
    text="lstsq({a}, {b})",
    formula="a^{+} b",
    code={
        "numpy": "np.linalg.pinv({a}, rtol=None) @ {b}",
        "tf": "(lambda p, b: tf.linalg.matvec(p, b) if len(b.shape) == 1 else p @ b)(tf.linalg.pinv({a}), {b})",
        "torch": "torch.linalg.pinv({a}) @ {b}",
        "jax": "jnp.linalg.pinv({a}) @ {b}",
    },
    aliases={
        "numpy": "lstsq",
        "tf": "lstsq matrix_solve_ls",
        "torch": "lstsq",
        "jax": "lstsq",
        "math": "least_squares",
    },
    spec=_lstsq_spec,
    linear_in=("b",),
    examples=[
        example([[1.0, 2.0], [3.0, -1.0], [0.5, 1.0]], [1.0, -2.0, 0.5]),
        example([[1.0, 0.5, 2.0], [-1.0, 3.0, 1.0]], [[1.0, 2.0], [0.5, -1.0]]),
        example([[[4.0], [2.0]], [[1.0], [3.0]]], [[1.0], [2.0]]),
    ],
)
def lstsq(a: Any, b: Any) -> Any:
    """The x of least |a @ x − b|, and of those the one of least |x|; its gradient assumes that the rank stays."""
    dtype = np.result_type(a, b)
    dtype = dtype if dtype.kind == "f" else np.dtype(np.float64)
    return np.matmul(pinv.forward(a.astype(dtype, copy=False)), b.astype(dtype, copy=False))


@lstsq.vjp
def _(g: Any, out: Any, a: Any, b: Any) -> Rule:
    return back(g, matmul(pinv(a), b), a, b)
