"""Scaled dot-product attention."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from gradviz.errors import InputError, ShapeError
from gradviz.graph.model import Array
from gradviz.ops import shapes
from gradviz.ops.adjoint import sum_to
from gradviz.ops.calls import Calls, computed, float_of, number
from gradviz.ops.elementwise import multiply
from gradviz.ops.linalg import matmul
from gradviz.ops.neural import softmax_back, softmax_calls
from gradviz.ops.op import GRADIENT, NEURAL, example, op
from gradviz.ops.reshaping import transpose
from gradviz.ops.shapes import Shape
from gradviz.ops.spec import BOOL, Spec
from gradviz.text import mark, shape_words

Rule = tuple[Any, ...]
_Q, _K = [[1.0, 0.5], [-1.0, 2.0]], [[0.5, 1.0], [2.0, -0.5], [0.0, 1.5]]
_V = [[1.0, 2.0], [-1.0, 0.5], [3.0, 1.0]]
_MASK = [[0.0, -1.0, 0.5], [1.0, 0.0, -2.0]]


def _scores(q: Shape, k: Shape) -> Shape:
    """The shape of q kᵀ. ShapeError where that cannot be."""
    if len(q) < 2 or len(k) < 2 or q[-1] != k[-1] or not q[-1]:
        raise ShapeError(
            mark(
                "ops",
                "q is {q}, k is {k}: each needs rows (one for each place) of the same length, at least 1.",
            ),
            q=shape_words(q),
            k=shape_words(k),
        )
    batch = shapes.broadcast(q[:-2], k[:-2], names=("the batch of q", "the batch of k"))
    return (*batch, q[-2], k[-2])


def _weights_spec(
    q: Spec, k: Spec, mask: Spec | None = None, *, causal: bool, scale: float | None
) -> Spec:
    if scale is not None and (isinstance(scale, bool) or not isinstance(scale, int | float)):
        raise InputError(
            mark("ops", "scale is a number, or None for 1/√d; not {scale}."), scale=repr(scale)[:40]
        )
    shape = _scores(q.shape, k.shape)
    given = (q, k) if mask is None else (q, k, mask)
    if any(each.dtype == BOOL for each in given):
        raise ShapeError(
            mark(
                "ops",
                "The mask is added to the scores: 0 where allowed, -inf where not; no truth values.",
            )
            if mask is not None and mask.dtype == BOOL
            else mark(
                "ops", "This works on numbers, not on truth values; use where(condition, 1, 0)."
            )
        )
    if mask is not None:
        wanted = shapes.broadcast(shape, mask.shape, names=("q kᵀ", "mask"))
        if wanted != shape:
            raise ShapeError(
                mark("ops", "The mask is {mask}; it must fit onto the scores, {scores}."),
                mask=shape_words(mask.shape),
                scores=shape_words(shape),
            )
    return shapes.checked(shape, shapes.float_dtype(*given))


def _factor(q: Any, scale: float | None) -> float:
    return 1.0 / sqrt(q.shape[-1]) if scale is None else float(scale)


def _score_text(m: str) -> str:
    causal = f"{m}.where({m}.tril({m}.ones(({{q}}.shape[-2], {{k}}.shape[-2]))) > 0, 0.0, -{m}.inf)"
    turned = f"{m}.swapaxes({{k}}, -1, -2)"
    return (
        f"{{q}} @ {turned} * (1 / {{q}}.shape[-1] ** 0.5 if {{scale}} == None else {{scale}}) + "
        f"(0 if {{mask}} is None else {{mask}}) + ({causal} if {{causal}} else 0)"
    )


_NUMPY = (
    f"(lambda s: np.exp(s - np.max(s, -1, keepdims=True)) / np.sum(np.exp(s - np.max(s, -1, keepdims=True)), -1, "
    f"keepdims=True))({_score_text('np')})"
)
_TF = "tf.nn.softmax(" + _score_text("tf.experimental.numpy") + ")"
_TORCH = "torch.softmax(" + _score_text("torch") + ", -1)"
_JAX = "jax.nn.softmax(" + _score_text("jnp") + ")"


@op(
    sign="pqk",
    category=GRADIENT,
    family="contract",
    summary=mark("ops", "How much each place looks at each other one: the shares of its scores."),
    text="attention_weights({q}, {k}, {mask}{attributes})",
    formula=r"\mathrm{softmax}\left(scale \; q \, k^T + mask\right)",
    code={"numpy": _NUMPY, "tf": _TF, "torch": _TORCH, "jax": _JAX},
    aliases={},
    spec=_weights_spec,
    examples=[example(_Q, _K), example(_Q, _K, _MASK, causal=True, scale=0.5)],
    helper=True,
)
def attention_weights(
    q: Any, k: Any, mask: Any = None, *, causal: bool = False, scale: float | None = None
) -> Any:
    """softmax(q kᵀ × scale + mask); with `causal`, no place looks at a later one."""
    given = [a for a in (q, k, mask) if a is not None]
    shape = _scores(np.shape(q), np.shape(k))
    return computed(_weights_calls, shape, float_of(*given), *given, causal=causal, scale=scale)


@attention_weights.kernel
def _weights_calls(
    scratch: Any, out: Array, q: Array, k: Array, mask: Array | None = None,
    *, causal: bool, scale: float | None,
) -> Calls:  # fmt: skip
    calls: Calls = [
        (np.matmul, (q, k.swapaxes(-1, -2), out)),
        (np.multiply, (out, number(_factor(q, scale), out.dtype), out)),
    ]
    if mask is not None:
        calls.append((np.add, (out, mask, out)))
    if causal:
        later = np.triu(np.ones(out.shape[-2:], BOOL), 1)
        calls.append((np.copyto, (out, number(-np.inf, out.dtype), "same_kind", later)))
    return [*calls, *softmax_calls(scratch, out, out, axis=-1)]


@attention_weights.vjp
def _(
    g: Any, out: Any, q: Any, k: Any, mask: Any = None, *, causal: bool, scale: float | None
) -> Rule:
    arrived = softmax_back(g, out)
    scores = multiply(arrived, _factor(q, scale))
    terms = matmul(scores, k), matmul(_turned(scores), q)
    return terms if mask is None else (*terms, arrived)


def _turned(x: Any) -> Any:
    """The last two axes, exchanged."""
    return transpose(x, axes=(*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def _attention_spec(
    q: Spec, k: Spec, v: Spec, mask: Spec | None = None, *, causal: bool, scale: float | None
) -> Spec:
    given = () if mask is None else (mask,)
    weights = _weights_spec(q, k, *given, causal=causal, scale=scale)
    if len(v.shape) < 2 or v.shape[-2] != k.shape[-2]:
        raise ShapeError(
            mark("ops", "k is {k}, v is {v}: v needs one row for each row of k."),
            k=shape_words(k.shape),
            v=shape_words(v.shape),
        )
    shapes.numbers(v)
    return shapes.matmul(weights, Spec(v.shape, shapes.float_dtype(weights, v)))


@op(
    sign="Attn",
    category=NEURAL,
    family="contract",
    summary=mark(
        "ops", "Each place mixes the rows of v, in shares that say how well its q meets each k."
    ),
    text="scaled_dot_product_attention({q}, {k}, {v}, {mask}{attributes})",
    formula=r"\mathrm{softmax}\left(scale \; q \, k^T + mask\right) v",
    code={
        "numpy": f"{_NUMPY} @ {{v}}",
        "tf": f"{_TF} @ {{v}}",
        "torch": f"{_TORCH} @ {{v}}",
        "jax": f"{_JAX} @ {{v}}",
    },
    aliases={
        "tf": "MultiHeadAttention",
        "torch": "scaled_dot_product_attention",
        "jax": "dot_product_attention",
        "math": "attention",
    },
    spec=_attention_spec,
    linear_in=("v",),
    examples=[example(_Q, _K, _V), example(_Q, _K, _V, _MASK, causal=True, scale=0.5)],
)
def scaled_dot_product_attention(
    q: Any, k: Any, v: Any, mask: Any = None, *, causal: bool = False, scale: float | None = None
) -> Any:
    """softmax(q kᵀ × scale + mask) v; scale is 1/√d if None; with `causal`, no place looks at a later one."""
    given = [a for a in (q, k, v, mask) if a is not None]
    scores = _scores(np.shape(q), np.shape(k))
    batch = np.broadcast_shapes(scores[:-2], np.shape(v)[:-2])
    shape = (*batch, scores[-2], np.shape(v)[-1])
    return computed(_attention_calls, shape, float_of(*given), *given, causal=causal, scale=scale)


@scaled_dot_product_attention.kernel
def _attention_calls(
    scratch: Any, out: Array, q: Array, k: Array, v: Array, mask: Array | None = None,
    *, causal: bool, scale: float | None,
) -> Calls:  # fmt: skip
    weights = scratch(_scores(q.shape, k.shape), out.dtype)
    calls = _weights_calls(scratch, weights, q, k, mask, causal=causal, scale=scale)
    return [*calls, (np.matmul, (weights, v, out))]


@scaled_dot_product_attention.vjp
def _(
    g: Any, out: Any, q: Any, k: Any, v: Any, mask: Any = None,
    *, causal: bool, scale: float | None,
) -> Rule:  # fmt: skip
    given = () if mask is None else (mask,)
    weights = attention_weights(q, k, *given, causal=causal, scale=scale)
    share = matmul(g, _turned(v))
    if share.shape != weights.shape:
        # v has batch axes that q and k have not.
        share = sum_to(share, shape=weights.shape)
    arrived = softmax_back(share, weights)
    scores = multiply(arrived, _factor(q, scale))
    terms = matmul(scores, k), matmul(_turned(scores), q), matmul(_turned(weights), g)
    return terms if mask is None else (*terms, arrived)
