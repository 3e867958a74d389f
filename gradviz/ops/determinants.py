"""The determinant, with a gradient that is exact where the matrix is singular too.

The gradient is the matrix of cofactors, which exists everywhere; dividing det(a) by a singular matrix does not. It is
found from a = U S Vᵀ, in which no singular value is divided by: the cofactors of a are det(U) det(V) U C Vᵀ, with C
diagonal, each entry the product of the other singular values. Their derivative is made of products that leave out two.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.ops import shapes
from gradviz.ops.composed import back
from gradviz.ops.linalg import matmul
from gradviz.ops.op import GRADIENT, LINEAR_ALGEBRA, example, op
from gradviz.ops.reduction import sum_
from gradviz.ops.reshaping import expand_dims, matrix_transpose
from gradviz.ops.solving import inv, square_matrices
from gradviz.ops.spec import Spec
from gradviz.text import mark

Rule = tuple[Any, ...]


@op(
    sign="det",
    category=LINEAR_ALGEBRA,
    family="contract",
    summary=mark("ops", "The determinant: by how much the matrix scales areas and volumes."),
    text="det({a})",
    formula=r"\det a",
    code={
        "numpy": "np.linalg.det({a})",
        "tf": "tf.linalg.det({a})",
        "torch": "torch.linalg.det({a})",
        "jax": "jnp.linalg.det({a})",
    },
    aliases={"numpy": "det", "tf": "det matrix_determinant", "torch": "det", "jax": "det"},
    spec=lambda a: shapes.checked(square_matrices(a).shape[:-2], shapes.float_dtype(a)),
    examples=[
        example([[4.0, 1.0], [2.0, 3.0]]),
        example([[1.0, 2.0], [2.0, 4.0]]),
        example([[[2.0, 1.0, 0.5], [0.5, 3.0, 1.0], [1.0, -1.0, 2.0]]]),
    ],
)
def det(a: Any) -> Any:
    """The determinant of each matrix of a; 1 for a matrix without cells."""
    # With a NaN, elimination may find a pivot of 0 and answer 0.
    found, lost = np.linalg.det(a), np.isnan(a).any(axis=(-2, -1))
    return np.where(lost, np.nan, found).astype(found.dtype, copy=False) if lost.any() else found


@det.vjp
def _(g: Any, out: Any, a: Any) -> Rule:
    return (expand_dims(g, axis=(-2, -1)) * cofactors(a),)


@op(
    sign="log|det|",
    category=LINEAR_ALGEBRA,
    family="contract",
    summary=mark(
        "ops", "The sign of the determinant, and the logarithm of its size, which cannot overflow."
    ),
    text="slogdet({a})",
    formula=r"\operatorname{sign}\det a,\ \log\left|\det a\right|",
    code={
        "numpy": "np.linalg.slogdet({a})",
        "tf": "tf.linalg.slogdet({a})",
        "torch": "torch.linalg.slogdet({a})",
        "jax": "jnp.linalg.slogdet({a})",
    },
    aliases={
        "numpy": "slogdet",
        "tf": "slogdet log_matrix_determinant",
        "torch": "slogdet",
        "jax": "slogdet",
        "math": "logdet",
    },
    spec=lambda a: (shapes.checked(square_matrices(a).shape[:-2], shapes.float_dtype(a)),) * 2,
    examples=[
        example([[4.0, 1.0], [2.0, 3.0]]),
        example([[[2.0, 1.0], [0.5, 3.0]], [[1.0, 2.0], [3.0, 1.0]]]),
    ],
)
def slogdet(a: Any) -> Any:
    """Sign and logarithm of the size of each determinant; 0 and −∞ for a singular matrix."""
    sign, size = np.linalg.slogdet(a)
    lost = np.isnan(a).any(axis=(-2, -1))
    if lost.any():
        sign, size = (
            np.where(lost, np.nan, found).astype(found.dtype, copy=False) for found in (sign, size)
        )
    return sign, size


@slogdet.vjp
def _(g: Any, out: Any, a: Any) -> Rule:
    # The sign is flat.
    return (expand_dims(g[1], axis=(-2, -1)) * log_cofactors(a),)


@op(
    sign="cof/det",
    category=GRADIENT,
    family="contract",
    summary=mark("ops", "By how much the logarithm of the determinant changes with each cell."),
    text="log_cofactors({a})",
    formula="a^{-T}",
    code={
        "numpy": "np.swapaxes(np.linalg.inv({a}), -1, -2)",
        "tf": "tf.linalg.matrix_transpose(tf.linalg.inv({a}))",
        "torch": "torch.linalg.inv({a}).mT",
        "jax": "jnp.swapaxes(jnp.linalg.inv({a}), -1, -2)",
    },
    aliases={},
    spec=square_matrices,
    helper=True,
    examples=[
        example([[4.0, 1.0], [2.0, 3.0]]),
        example([[[2.0, 1.0], [0.5, 3.0]], [[1.0, 2.0], [3.0, 1.0]]]),
    ],
)
def log_cofactors(a: Any) -> Any:
    """The inverse, transposed; for a singular matrix ±∞, and 0 where the cell does not change the determinant."""
    a = a if a.dtype.kind == "f" else a.astype(np.float64)
    singular = (np.linalg.slogdet(a)[0] == 0)[..., None, None]
    # With a NaN, elimination may find a pivot of 0.
    lost = np.isnan(a).any(axis=(-2, -1), keepdims=True)
    unit = np.eye(a.shape[-1], dtype=a.dtype)
    found = np.swapaxes(np.linalg.inv(np.where(singular | lost, unit, a)), -1, -2)
    if singular.any():
        slopes = cofactors.forward(a)
        # Not for what rounding leaves of a 0.
        largest = np.abs(a).max(axis=(-2, -1), keepdims=True, initial=0) ** (a.shape[-1] - 1)
        still = np.abs(slopes) <= 16 * np.finfo(a.dtype).eps * largest
        found = np.where(singular, np.where(still, 0, np.copysign(np.inf, slopes)), found)
    return np.where(lost, np.nan, found).astype(a.dtype, copy=False)


@log_cofactors.vjp
def _(g: Any, out: Any, a: Any) -> Rule:
    return (-matmul(matmul(out, matrix_transpose(g)), out),)


def _factors(a: Any) -> tuple[Any, Any, Any, Any]:
    """U, the singular values and Vᵀ of each matrix, and the sign of det(U) det(V)."""
    u, values, turned = np.linalg.svd(a)
    sign = np.sign(np.linalg.det(u) * np.linalg.det(turned))
    return u, values, turned, sign[..., None, None]


def _others(values: Any) -> Any:
    """For each number of the last axis, the product of the others, without a division."""
    one = np.ones_like(values[..., :1])
    before = np.cumprod(np.concatenate([one, values[..., :-1]], axis=-1), axis=-1)
    behind = np.concatenate([one, values[..., :0:-1]], axis=-1)
    return before * np.cumprod(behind, axis=-1)[..., ::-1]


def _all_finite(a: Any) -> Any:
    """For each matrix, whether it has numbers only: LAPACK finds no singular values of others."""
    return np.asarray(np.isfinite(a).all(axis=(-2, -1), keepdims=True))


@op(
    sign="cof",
    category=GRADIENT,
    family="contract",
    summary=mark("ops", "The cofactors: by how much the determinant changes with each cell."),
    text="cofactors({a})",
    formula=r"\operatorname{cof} a",
    code={
        "numpy": "(lambda u, s, v: np.linalg.det(u)[..., None, None] * np.linalg.det(v)[..., None, None] * (u * np.where("
        "np.eye(s.shape[-1], dtype=bool), 1, s[..., None, :]).prod(-1)[..., None, :]) @ v)(*np.linalg.svd({a}))",
        "tf": "tf.gradients(tf.linalg.det({a}), {a})[0]",
        "torch": "torch.func.grad(lambda a: torch.linalg.det(a).sum())({a})",
        "jax": "jax.grad(lambda a: jnp.linalg.det(a).sum())({a})",
    },
    aliases={},
    spec=square_matrices,
    helper=True,
    examples=[
        example([[2.0, 1.0, 0.5], [0.5, 3.0, 1.0], [1.0, -1.0, 2.0]]),
        example([[[1.0, 0.5, 2.0], [-1.0, 1.0, 0.0], [2.0, 1.0, 1.0]]]),
    ],
)
def cofactors(a: Any) -> Any:
    """The matrix of cofactors of each matrix of a: the transposed adjugate; NaN for one with NaN or ∞ in it."""
    a = a if a.dtype.kind == "f" else a.astype(np.float64)
    finite = _all_finite(a)
    u, values, turned, sign = _factors(np.where(finite, a, 0))
    found = sign * ((u * _others(values)[..., None, :]) @ turned)
    return np.where(finite, found, a.dtype.type(np.nan))


@cofactors.vjp
def _(g: Any, out: Any, a: Any) -> Rule:
    return (cofactors_back(g, a),)


def _back_spec(g: Spec, a: Spec) -> Spec:
    shapes.cotangent(g)
    square_matrices(a)
    return shapes.checked(shapes.broadcast(g.shape, a.shape, names="ga"), shapes.float_dtype(g, a))


@op(
    sign="cof′",
    category=GRADIENT,
    family="contract",
    summary=mark(
        "ops", "What comes back through the cofactors, which is also how they change along g."
    ),
    text="cofactors_back({g}, {a})",
    formula=r"D\operatorname{cof}(a)\,[g]",
    code={
        "numpy": "(lambda b, g: np.linalg.det({a})[..., None, None] * ((b * g).sum((-2, -1), keepdims=True) * b"
        " - b @ np.swapaxes(g, -1, -2) @ b))(np.swapaxes(np.linalg.inv({a}), -1, -2), {g})",
        "tf": "(lambda b, g: tf.linalg.det({a})[..., None, None] * (tf.reduce_sum(b * g, (-2, -1), keepdims=True) * b"
        " - b @ tf.linalg.matrix_transpose(g) @ b))(tf.linalg.matrix_transpose(tf.linalg.inv({a})), {g})",
        "torch": "(lambda b, g: torch.linalg.det({a})[..., None, None] * ((b * g).sum((-2, -1), keepdim=True) * b"
        " - b @ g.mT @ b))(torch.linalg.inv({a}).mT, {g})",
        "jax": "(lambda b, g: jnp.linalg.det({a})[..., None, None] * ((b * g).sum((-2, -1), keepdims=True) * b"
        " - b @ jnp.swapaxes(g, -1, -2) @ b))(jnp.swapaxes(jnp.linalg.inv({a}), -1, -2), {g})",
    },
    aliases={},
    spec=_back_spec,
    linear_in=("g",),
    helper=True,
    examples=[
        example(
            [
                [1.0, -1.0, 0.5, 2.0],
                [2.0, 0.25, 1.0, 0.5],
                [0.5, 1.0, -2.0, 1.0],
                [1.0, 0.5, 0.5, -1.0],
            ],
            [
                [2.0, 1.0, 0.5, 0.25],
                [0.5, 3.0, 1.0, -1.0],
                [1.0, -1.0, 2.0, 0.5],
                [0.5, 1.0, -0.5, 2.0],
            ],
        )
    ],
)
def cofactors_back(g: Any, a: Any) -> Any:
    """The derivative of the cofactors of a along g, a symmetric map of g; exact at every rank."""
    dtype = np.result_type(g, a)
    a = a.astype(dtype, copy=False)
    finite = _all_finite(a)
    u, values, turned, sign = _factors(np.where(finite, a, 0))
    one = np.eye(a.shape[-1], dtype=bool)
    # Without the singular value i, and then without each other: what is left of the product of all.
    slopes = np.where(one, 0, _others(np.where(one, 1, values[..., None, :])))
    inner = np.swapaxes(u, -1, -2) @ g @ np.swapaxes(turned, -1, -2)
    own = slopes @ np.diagonal(inner, axis1=-2, axis2=-1)[..., None]
    changed = np.where(one, own, -slopes * np.swapaxes(inner, -1, -2))
    return np.where(finite, sign * (u @ changed @ turned), dtype.type(np.nan))


@cofactors_back.vjp
def _(g: Any, out: Any, g_: Any, a: Any) -> Rule:
    # The third derivative of det is written with the inverse: at a singular matrix the node says so.
    flat = matrix_transpose(inv(a))
    whole = sum_(flat * g_, axis=(-2, -1), keepdims=True)
    along = whole * flat - matmul(matmul(flat, matrix_transpose(g_)), flat)
    (by_a,) = back(g, expand_dims(det(a), axis=(-2, -1)) * along, a)
    return cofactors_back(g, a), by_a
