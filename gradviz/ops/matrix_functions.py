"""Functions of a whole matrix: powers, the exponential, norms.

The exponential's rule is its Fréchet derivative, read off the exponential of a matrix of twice the size: N. Higham,
Functions of Matrices (2008), section 3.2.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np

from gradviz.errors import InputError, ShapeError
from gradviz.ops import shapes
from gradviz.ops.adjoint import full_like
from gradviz.ops.composed import back
from gradviz.ops.functions import abs_
from gradviz.ops.linalg import matmul
from gradviz.ops.op import LINEAR_ALGEBRA, example, op
from gradviz.ops.reduction import max_, sum_
from gradviz.ops.reshaping import concat, expand_dims, matrix_transpose
from gradviz.ops.selection import equal, where
from gradviz.ops.solving import inv, matrices, square_matrices
from gradviz.ops.spec import Spec
from gradviz.ops.spectra import finite_only, svdvals
from gradviz.text import mark, shape_words

Rule = tuple[Any, ...]
Order = Literal["fro", "nuc", "inf", "-inf", 1, -1, 2, -2]
ORDERS: Final = ("fro", "nuc", "inf", "-inf", 1, -1, 2, -2)
LARGEST_POWER: Final = 10**9


def _power_spec(a: Spec, *, n: int) -> Spec:
    found = square_matrices(a)
    if isinstance(n, bool) or not isinstance(n, int):
        raise ShapeError(
            mark("ops", "n is {n}: a matrix power needs a whole number."), n=repr(n)[:60]
        )
    if abs(n) > LARGEST_POWER:
        raise ShapeError(
            mark("ops", "n is at most {limit} here, either way."), limit=f"{LARGEST_POWER:,}"
        )
    return found


@op(
    sign="aⁿ",
    category=LINEAR_ALGEBRA,
    family="solve",
    summary=mark("ops", "A matrix times itself, n times; for a negative n, its inverse instead."),
    text="matrix_power({a}{attributes})",
    formula="a^{n}",
    code={
        "numpy": "np.linalg.matrix_power({a}, {n})",
        "tf": "tf.foldl(lambda p, _: p @ ({a} if {n} >= 0 else tf.linalg.inv({a})), tf.range(abs({n})), "
        "tf.eye(tf.shape({a})[-1], batch_shape=tf.shape({a})[:-2], dtype={a}.dtype))",
        "torch": "torch.linalg.matrix_power({a}, {n})",
        "jax": "jnp.linalg.matrix_power({a}, {n})",
    },
    aliases={"numpy": "matrix_power", "torch": "matrix_power", "jax": "matrix_power"},
    spec=_power_spec,
    examples=[
        example([[4.0, 1.0], [2.0, 3.0]], n=2),
        example([[0.5, 1.0], [-1.0, 1.5]], n=5),
        example([[4.0, 1.0], [2.0, 3.0]], n=-1),
        example([[[2.0, 1.0], [0.5, 3.0]], [[1.0, -2.0], [3.0, 1.0]]], n=-2),
    ],
)
def matrix_power(a: Any, *, n: int) -> Any:
    """a @ a @ … n times; the identity for n = 0. InputError for a singular matrix and a negative n."""
    a = a if a.dtype.kind == "f" else a.astype(np.float64)
    return np.linalg.matrix_power(a if n >= 0 else inv.forward(a), abs(n))


@matrix_power.vjp
def _(g: Any, out: Any, a: Any, *, n: int) -> Rule:
    if n == 0:
        return (full_like(a, fill=0.0),)
    if n == 1:
        return (g,)
    return back(g, _product(a if n > 0 else inv(a), abs(n)), a)


def _product(a: Any, n: int) -> Any:
    """a to the n ≥ 1 by squaring, so that a power of a thousand has a gradient of some twenty products."""
    found = None
    while n:
        if n % 2:
            found = a if found is None else matmul(found, a)
        n //= 2
        if n:
            a = matmul(a, a)
    return found


@op(
    sign="eᵃ",
    category=LINEAR_ALGEBRA,
    family="solve",
    summary=mark("ops", "The matrix exponential: the sum of 1, a, a²/2, a³/6 and so on."),
    text="expm({a})",
    formula=r"\exp a",
    code={
        "numpy": "scipy.linalg.expm({a})",
        "tf": "tf.linalg.expm({a})",
        "torch": "torch.linalg.matrix_exp({a})",
        "jax": "jax.scipy.linalg.expm({a})",
    },
    aliases={"numpy": "expm", "tf": "expm", "torch": "matrix_exp", "jax": "expm"},
    spec=square_matrices,
    examples=[
        example([[0.5, 1.0], [-1.0, 0.25]]),
        example([[[0.0, 1.0], [0.0, 0.0]], [[0.5, -0.25], [1.0, 0.5]]]),
    ],
)
def expm(a: Any) -> Any:
    """The exponential of each matrix of a; NaN for one with NaN or ∞."""
    from scipy.linalg import expm as exponential  # NumPy has no such kernel

    a = a if a.dtype.kind == "f" else a.astype(np.float64)
    known, lost = finite_only(a)
    found = exponential(known) if a.size else np.zeros_like(a)
    return np.where(lost, np.nan, found).astype(a.dtype, copy=False)


@expm.vjp
def _(g: Any, out: Any, a: Any) -> Rule:
    n, turned = a.shape[-1], matrix_transpose(a)
    upper = concat(turned, g, axis=-1)
    lower = concat(full_like(a, fill=0.0), turned, axis=-1)
    return (expm(concat(upper, lower, axis=-2))[..., :n, n:],)


def _norm_spec(a: Spec, *, ord: Any, keepdims: bool) -> Spec:
    found = matrices(a)
    if isinstance(ord, bool) or ord not in ORDERS:
        raise InputError(
            mark("ops", "There is no matrix norm {ord} here; there are: {names}."),
            ord=repr(ord)[:60],
            names=", ".join(map(repr, ORDERS)),
        )
    rows, columns = a.shape[-2:]
    chosen_from = {1: columns, "inf": rows, 2: min(rows, columns)}
    key = ord.lstrip("-") if isinstance(ord, str) else abs(ord)
    if not chosen_from.get(key, 1):
        raise ShapeError(
            mark(
                "ops", "a is {a}: there are no numbers of which this norm is the largest or least."
            ),
            a=shape_words(a.shape),
        )
    return shapes.checked(shapes.reduced(a.shape, (-2, -1), keepdims), found.dtype)


@op(
    sign="‖a‖",
    category=LINEAR_ALGEBRA,
    family="reduce",
    summary=mark("ops", "The norm of a matrix: how large it is, in one of eight senses."),
    text="matrix_norm({a}{attributes})",
    formula=r"\left\Vert a \right\Vert_{ord}",
    code={
        "numpy": "np.linalg.norm({a}, {ord} if {ord} in ('fro', 'nuc') else float({ord}), (-2, -1), {keepdims})",
        "tf": "(lambda r: r[..., None, None] if {keepdims} else r)((lambda k, a: tf.norm(a, axis=(-2, -1)) if k == 'fro' "
        "else (tf.reduce_sum if k == 'nuc' else tf.reduce_min if k[0] == '-' else tf.reduce_max)"
        "(tf.linalg.svd(a, compute_uv=False) if k in ('nuc', '2', '-2') else "
        "tf.reduce_sum(tf.abs(a), -2 if k in ('1', '-1') else -1), -1))(str({ord}), {a}))",
        "torch": "torch.linalg.matrix_norm({a}, {ord} if {ord} in ('fro', 'nuc') else float({ord}), (-2, -1), {keepdims})",
        "jax": "jnp.linalg.norm({a}, {ord} if {ord} in ('fro', 'nuc') else float({ord}), (-2, -1), {keepdims})",
    },
    aliases={"numpy": "matrix_norm", "torch": "matrix_norm", "jax": "matrix_norm"},
    spec=_norm_spec,
    examples=[
        example([[4.0, 1.0], [2.0, -2.5]], ord=order, keepdims=order in ("nuc", 1))
        for order in ORDERS
    ]
    + [example([[[4.0, 1.0, 0.5], [2.0, -3.0, 1.0]], [[1.0, -2.0, 0.5], [3.0, 1.0, 2.5]]], ord=2)],
)
def matrix_norm(a: Any, *, ord: Order = "fro", keepdims: bool = False) -> Any:
    """The norm over the last two axes.

    Frobenius, nuclear, largest and least of singular values (±2), of sums of columns (±1) and of rows (±inf). 0 has the
    gradient 0; ties share theirs.
    """
    a = a if a.dtype.kind == "f" else a.astype(np.float64)
    if ord == "fro":
        return _frobenius(a, keepdims)
    values = (
        svdvals.forward(a)
        if ord in ("nuc", 2, -2)
        else np.sum(np.abs(a), axis=-2 if ord in (1, -1) else -1)
    )
    choose = np.sum if ord == "nuc" else np.max if ord in (1, 2, "inf") else np.min
    found = np.asarray(choose(values, axis=-1))
    return found[..., None, None] if keepdims else found


def _frobenius(a: Any, keepdims: bool) -> Any:
    """The root of the sum of squares, which may be beyond the largest float, or below the least, where the root is not."""
    found = np.sqrt(np.sum(a * a, axis=(-2, -1), keepdims=True))
    limits = np.finfo(a.dtype)
    unsafe = np.isinf(found) | (found < np.sqrt(limits.tiny) / limits.eps)
    if unsafe.any():
        largest = np.max(np.abs(a), axis=(-2, -1), keepdims=True, initial=0)
        unsafe &= np.isfinite(largest) & (largest > 0)
        scale = np.where(unsafe, largest, a.dtype.type(1))
        scaled = scale * np.sqrt(np.sum((a / scale) ** 2, axis=(-2, -1), keepdims=True))
        found = np.where(unsafe, scaled, found)
    return found if keepdims else found[..., 0, 0]


@matrix_norm.vjp
def _(g: Any, out: Any, a: Any, *, ord: Any, keepdims: bool) -> Rule:
    if ord == "fro":
        if not keepdims:
            g, out = expand_dims(g, axis=(-2, -1)), expand_dims(out, axis=(-2, -1))
        nothing = equal(out, 0.0)
        return (where(nothing, 0.0, g / where(nothing, 1.0, out)) * a,)
    if ord in ("nuc", 2, -2):
        values = svdvals(a)
    else:
        values = sum_(abs_(a), axis=-2 if ord in (1, -1) else -1)
    if ord == "nuc":
        # The size of a value of 0 has a kink there.
        found = sum_(abs_(values), axis=-1)
    elif ord in (1, 2, "inf"):
        found = max_(values, axis=-1)
    else:
        found = -max_(-values, axis=-1)
    return back(g, expand_dims(found, axis=(-2, -1)) if keepdims else found, a)
