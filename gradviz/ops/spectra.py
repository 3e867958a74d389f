"""Eigenvalues and singular values, with their vectors, and the rules that pass through both.

With vectors, a rule divides by the gaps between the values: where two are equal, the vectors have no derivative, and NaN
says so. The values alone need no division. Sources: M. Giles, "An extended collection of matrix derivative results" (2008);
J. Townsend, "Differentiating the singular value decomposition" (2016).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.errors import ShapeError
from gradviz.ops import shapes
from gradviz.ops.adjoint import full_like
from gradviz.ops.expr import Expr
from gradviz.ops.linalg import matmul
from gradviz.ops.op import GRADIENT, LINEAR_ALGEBRA, example, op
from gradviz.ops.reduction import sum_
from gradviz.ops.reshaping import expand_dims, matrix_transpose
from gradviz.ops.solving import matrices, square_matrices
from gradviz.ops.spec import Spec
from gradviz.ops.triangular import symmetric
from gradviz.text import mark

Rule = tuple[Any, ...]
_TALL = [[1.0, 2.0], [3.0, -1.0], [0.5, 1.0]]
_WIDE = [[1.0, 0.5, 2.0], [-1.0, 3.0, 1.0]]
_STACK = [[[4.0, 1.0], [2.0, 3.0]], [[1.0, -2.0], [0.5, 3.0]]]


def arrives(g: Expr) -> bool:
    """Whether something is sent back to this output: it counts as zeros where nobody asked."""
    return g.call.op is not full_like or g.call.attributes.get("fill") != 0


def finite_only(a: Any) -> tuple[Any, Any]:
    """a with zeros for each matrix that has NaN or ∞ in it, and which those are (…×1×1): LAPACK gives up on them."""
    lost = ~np.isfinite(a).all(axis=(-2, -1), keepdims=True)
    return (np.where(lost, a.dtype.type(0), a) if lost.any() else a), lost


def _unknown(lost: Any, found: Any) -> Any:
    """The found arrays (…×k or …×m×k), with NaN for the lost matrices."""
    if not lost.any():
        return tuple(found)
    axes = lost.ndim
    return tuple(
        np.where(lost if x.ndim == axes else lost[..., 0], x.dtype.type(np.nan), x) for x in found
    )


def _gaps_spec(values: Spec) -> Spec:
    shapes.numbers(values)
    if not values.shape:
        raise ShapeError(mark("ops", "Gaps are between the numbers of a list, not of one number."))
    return shapes.checked((*values.shape, values.shape[-1]), shapes.float_dtype(values))


@op(
    sign="1/Δ",
    category=GRADIENT,
    family="spread",
    summary=mark("ops", "One over the gap between each two numbers; NaN where they are equal."),
    text="one_over_gaps({values})",
    formula=r"\frac{1}{values_j - values_i}",
    code={
        "numpy": "(lambda d: np.where(np.eye(d.shape[-1], dtype=bool), np.zeros_like(d), 1 / np.where(d == 0, "
        "np.full_like(d, np.nan), d)))({values}[..., None, :] - {values}[..., :, None])",
        "tf": "(lambda d: tf.linalg.set_diag(1 / tf.where(d == 0, np.nan, d), tf.zeros_like({values})))"
        "({values}[..., None, :] - {values}[..., :, None])",
        "torch": "(lambda d: torch.where(torch.eye(d.shape[-1], dtype=bool), 0, 1 / torch.where(d == 0, np.nan, d)))"
        "({values}[..., None, :] - {values}[..., :, None])",
        "jax": "(lambda d: jnp.where(jnp.eye(d.shape[-1], dtype=bool), 0, 1 / jnp.where(d == 0, jnp.nan, d)))"
        "({values}[..., None, :] - {values}[..., :, None])",
    },
    aliases={},
    spec=_gaps_spec,
    helper=True,
    examples=[example([1.0, -0.5, 2.5]), example([[1.0, 2.0], [3.0, 0.5]])],
)
def one_over_gaps(values: Any) -> Any:
    """1 / (values[j] − values[i]) at row i and column j, 0 on the diagonal."""
    values = values if values.dtype.kind == "f" else values.astype(np.float64)
    found = values[..., None, :] - values[..., :, None]
    found[found == 0] = np.nan
    np.divide(1, found, out=found)
    own = np.arange(found.shape[-1])
    found[..., own, own] = 0
    return found


@one_over_gaps.vjp
def _(g: Any, out: Any, values: Any) -> Rule:
    moved = -g * out * out
    return (sum_(moved, axis=-2) - sum_(moved, axis=-1),)


@op(
    sign="λ",
    category=LINEAR_ALGEBRA,
    family="solve",
    summary=mark("ops", "The eigenvalues of a symmetric matrix, ascending."),
    text="eigvalsh({a})",
    formula=r"\lambda(a)",
    code={
        "numpy": "np.linalg.eigvalsh(({a} + np.swapaxes({a}, -1, -2)) / 2)",
        "tf": "tf.linalg.eigvalsh(({a} + tf.linalg.matrix_transpose({a})) / 2)",
        "torch": "torch.linalg.eigvalsh(({a} + {a}.mT) / 2)",
        "jax": "jnp.linalg.eigvalsh({a})",
    },
    aliases={
        "numpy": "eigvalsh",
        "tf": "eigvalsh self_adjoint_eigvals",
        "torch": "eigvalsh",
        "jax": "eigvalsh",
        "math": "eigenvalues",
    },
    spec=lambda a: shapes.checked(square_matrices(a).shape[:-1], shapes.float_dtype(a)),
    examples=[
        example([[2.0, 0.5], [1.5, -1.0]]),
        example([[4.0, 1.0, 0.5], [2.0, 3.0, 1.0], [-1.0, 0.5, 2.0]]),
        example(_STACK),
    ],
)
def eigvalsh(a: Any) -> Any:
    """The eigenvalues of (a + aᵀ)/2; NaN for a matrix with NaN or ∞."""
    known, lost = finite_only(symmetric(a))
    return _unknown(lost, [np.linalg.eigvalsh(known)])[0]


@eigvalsh.vjp
def _(g: Any, out: Any, a: Any) -> Rule:
    _, vectors = eigh(a)
    return (matmul(vectors * expand_dims(g, axis=-2), matrix_transpose(vectors)),)


@op(
    sign="λ, v",
    category=LINEAR_ALGEBRA,
    family="solve",
    summary=mark(
        "ops", "The eigenvalues of a symmetric matrix, ascending, and its eigenvectors as columns."
    ),
    text="eigh({a})",
    formula=r"\lambda(a),\ v(a)",
    code={
        "numpy": "np.linalg.eigh(({a} + np.swapaxes({a}, -1, -2)) / 2)",
        "tf": "tf.linalg.eigh(({a} + tf.linalg.matrix_transpose({a})) / 2)",
        "torch": "torch.linalg.eigh(({a} + {a}.mT) / 2)",
        "jax": "jnp.linalg.eigh({a})",
    },
    aliases={
        "numpy": "eigh",
        "tf": "eigh self_adjoint_eig",
        "torch": "eigh",
        "jax": "eigh",
        "math": "eigenvectors",
    },
    spec=lambda a: (
        shapes.checked(square_matrices(a).shape[:-1], shapes.float_dtype(a)),
        square_matrices(a),
    ),
    examples=[
        example([[2.0, 0.5], [1.5, -1.0]]),
        example([[4.0, 1.0, 0.5], [2.0, 1.0, 1.0], [-1.0, 0.5, -2.0]]),
        example(_STACK),
    ],
)
def eigh(a: Any) -> Any:
    """Eigenvalues and eigenvectors of (a + aᵀ)/2, signs as LAPACK gives them; NaN for a matrix with NaN or ∞."""
    known, lost = finite_only(symmetric(a))
    return _unknown(lost, np.linalg.eigh(known))


@eigh.vjp
def _(g: Any, out: Any, a: Any) -> Rule:
    values, vectors = out
    by_values, by_vectors = g
    turned = matrix_transpose(vectors)
    found = []
    if arrives(by_values):
        found.append(matmul(vectors * expand_dims(by_values, axis=-2), turned))
    if arrives(by_vectors):
        inner = one_over_gaps(values) * matmul(turned, by_vectors)
        inner = matmul(matmul(vectors, inner), turned)
        found.append((inner + matrix_transpose(inner)) / 2)
    return (sum(found[1:], start=found[0]),)


def _fewest(a: Spec) -> int:
    return min(matrices(a).shape[-2:])


@op(
    sign="σ",
    category=LINEAR_ALGEBRA,
    family="solve",
    summary=mark("ops", "The singular values: by how much a matrix stretches, largest first."),
    text="svdvals({a})",
    formula=r"\sigma(a)",
    code={
        "numpy": "np.linalg.svdvals({a})",
        "tf": "tf.linalg.svd({a}, compute_uv=False)",
        "torch": "torch.linalg.svdvals({a})",
        "jax": "jnp.linalg.svdvals({a})",
    },
    aliases={
        "numpy": "svdvals",
        "torch": "svdvals",
        "jax": "svdvals",
        "math": "singular_values",
    },
    spec=lambda a: shapes.checked((*a.shape[:-2], _fewest(a)), shapes.float_dtype(a)),
    examples=[example([[4.0, 1.0], [2.0, -3.0]]), example(_TALL), example(_WIDE), example(_STACK)],
)
def svdvals(a: Any) -> Any:
    """The singular values of each matrix of a; NaN for one with NaN or ∞."""
    known, lost = finite_only(a if a.dtype.kind == "f" else a.astype(np.float64))
    return _unknown(lost, [np.linalg.svd(known, compute_uv=False)])[0]


@svdvals.vjp
def _(g: Any, out: Any, a: Any) -> Rule:
    left, _, right = svd(a)
    return (matmul(left * expand_dims(g, axis=-2), right),)


def _svd_spec(a: Spec) -> tuple[Spec, ...]:
    k, dtype = _fewest(a), shapes.float_dtype(a)
    *batch, rows, columns = a.shape
    return tuple(
        shapes.checked((*batch, *shape), dtype) for shape in ((rows, k), (k,), (k, columns))
    )


@op(
    sign="u σ vᵀ",
    category=LINEAR_ALGEBRA,
    family="solve",
    summary=mark(
        "ops", "Takes a matrix apart: a turn, a stretch along axes, and another turn (thin SVD)."
    ),
    text="svd({a})",
    formula=r"u,\ \sigma,\ v^{T} \text{ of } a",
    code={
        "numpy": "np.linalg.svd({a}, full_matrices=False)",
        "tf": "(lambda s, u, v: (u, s, tf.linalg.matrix_transpose(v)))(*tf.linalg.svd({a}))",
        "torch": "torch.linalg.svd({a}, full_matrices=False)",
        "jax": "jnp.linalg.svd({a}, full_matrices=False)",
    },
    aliases={"numpy": "svd", "tf": "svd", "torch": "svd", "jax": "svd"},
    spec=_svd_spec,
    examples=[example([[4.0, 1.0], [2.0, -3.0]]), example(_TALL), example(_WIDE), example(_STACK)],
)
def svd(a: Any) -> Any:
    """U, the singular values and Vᵀ with a = U diag(s) Vᵀ, signs as LAPACK gives them; NaN for a matrix with NaN or ∞."""
    known, lost = finite_only(a if a.dtype.kind == "f" else a.astype(np.float64))
    return _unknown(lost, np.linalg.svd(known, full_matrices=False))


@svd.vjp
def _(g: Any, out: Any, a: Any) -> Rule:
    left, values, right = out
    by_left, by_values, by_right = g
    found = []
    if arrives(by_values):
        found.append(matmul(left * expand_dims(by_values, axis=-2), right))
    if arrives(by_left) or arrives(by_right):
        row, column = expand_dims(values, axis=-2), expand_dims(values, axis=-1)
        gaps = one_over_gaps(values * values)
        if arrives(by_left):
            turned = matmul(matrix_transpose(left), by_left)
            inner = gaps * (turned - matrix_transpose(turned)) * row
            if a.shape[-2] > a.shape[-1]:
                # What turns out of the columns of a.
                outside = (by_left - matmul(left, turned)) / row
                found.append(matmul(outside + matmul(left, inner), right))
            else:
                found.append(matmul(matmul(left, inner), right))
        if arrives(by_right):
            turned = matmul(right, matrix_transpose(by_right))
            inner = column * gaps * (turned - matrix_transpose(turned))
            if a.shape[-1] > a.shape[-2]:
                outside = (by_right - matmul(matrix_transpose(turned), right)) / column
                found.append(matmul(left, outside + matmul(inner, right)))
            else:
                found.append(matmul(left, matmul(inner, right)))
    return (sum(found[1:], start=found[0]),)
