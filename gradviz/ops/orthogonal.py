"""The QR factorisation. Its rule is S. Walter and L. Lehmann's, "Algorithmic differentiation of linear algebra functions" (2010)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.ops import shapes
from gradviz.ops.adjoint import full_like
from gradviz.ops.arranging import tril
from gradviz.ops.linalg import matmul
from gradviz.ops.op import LINEAR_ALGEBRA, example, op
from gradviz.ops.reshaping import concat, matrix_transpose
from gradviz.ops.solving import matrices
from gradviz.ops.spec import Spec
from gradviz.ops.spectra import arrives
from gradviz.ops.triangular import triangular_solve
from gradviz.text import mark

Rule = tuple[Any, ...]


def _qr_spec(a: Spec) -> tuple[Spec, Spec]:
    dtype = matrices(a).dtype
    *batch, rows, columns = a.shape
    k = min(rows, columns)
    return shapes.checked((*batch, rows, k), dtype), shapes.checked((*batch, k, columns), dtype)


@op(
    sign="q r",
    category=LINEAR_ALGEBRA,
    family="solve",
    summary=mark("ops", "Takes a matrix apart: orthogonal columns, times an upper triangle."),
    text="qr({a})",
    formula=r"q,\ r \text{ of } a",
    code={
        "numpy": "np.linalg.qr({a})",
        "tf": "tf.linalg.qr({a})",
        "torch": "torch.linalg.qr({a})",
        "jax": "jnp.linalg.qr({a})",
    },
    aliases={"numpy": "qr", "tf": "qr", "torch": "qr", "jax": "qr"},
    spec=_qr_spec,
    examples=[
        example([[4.0, 1.0], [2.0, -3.0]]),
        example([[1.0, 2.0], [3.0, -1.0], [0.5, 1.0]]),
        example([[1.0, 0.5, 2.0], [-1.0, 3.0, 1.0]]),
        example([[[4.0, 1.0], [2.0, 3.0]], [[1.0, -2.0], [0.5, 3.0]]]),
    ],
)
def qr(a: Any) -> Any:
    """Q with orthogonal columns and R, an upper triangle, with a = Q R; reduced, signs as LAPACK gives them."""
    return tuple(np.linalg.qr(a if a.dtype.kind == "f" else a.astype(np.float64)))


@qr.vjp
def _(g: Any, out: Any, a: Any) -> Rule:
    (q, r), (by_q, by_r) = out, g
    rows, columns = a.shape[-2:]
    if columns <= rows:
        return (_back(by_q, by_r, q, r),)
    if not arrives(by_r):
        own = _back(by_q, by_r[..., :rows], q, r[..., :rows], by_triangle=False)
        return (concat(own, full_like(a[..., rows:], fill=0.0), axis=-1),)
    # The first columns make q; the others are turned by it.
    by_rest = by_r[..., rows:]
    by_q = by_q + matmul(a[..., rows:], matrix_transpose(by_rest))
    own = _back(by_q, by_r[..., :rows], q, r[..., :rows])
    return (concat(own, matmul(q, by_rest), axis=-1),)


def _back(by_q: Any, by_r: Any, q: Any, r: Any, by_triangle: bool = True) -> Any:
    """What comes back to a matrix with as many rows as columns, or more."""
    whole = None
    if arrives(by_q):
        turned = matmul(matrix_transpose(q), by_q)
        # A column turns with those before it alone, exactly: what is above the diagonal is left out, not subtracted.
        whole = matmul(q, tril(turned - matrix_transpose(turned), k=-1))
        if q.shape[-2] > q.shape[-1]:
            whole = whole + (by_q - matmul(q, turned))
    if by_triangle and arrives(by_r):
        inner = matmul(r, matrix_transpose(by_r))
        mirrored = tril(inner) + matrix_transpose(tril(inner, k=-1))
        product = matmul(q, mirrored)
        whole = product if whole is None else whole + product
    return matrix_transpose(triangular_solve(r, matrix_transpose(whole)))
