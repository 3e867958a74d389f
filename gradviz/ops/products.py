"""Products of vectors, matrices and arrays of more axes, beside the matrix product."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.errors import InputError, ShapeError
from gradviz.ops import shapes
from gradviz.ops.adjoint import broadcast_to
from gradviz.ops.arranging import on_diagonal
from gradviz.ops.elementwise import multiply, negative
from gradviz.ops.linalg import matmul
from gradviz.ops.op import FRAMEWORKS, GRADIENT, LINEAR_ALGEBRA, example, op
from gradviz.ops.reduction import sum_
from gradviz.ops.reshaping import expand_dims, reshape, transpose
from gradviz.ops.shapes import Shape
from gradviz.ops.spec import Spec
from gradviz.text import mark, shape_words

Rule = tuple[Any, ...]
_A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
_B = [[0.5, -1.0, 2.0], [1.5, 0.25, -2.0]]


def _vecdot_spec(a: Spec, b: Spec, *, axis: int) -> Spec:
    shapes.numbers(a, b)
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise InputError(mark("ops", "An axis is a whole number, not {axis}."), axis=repr(axis))
    if not a.shape or not b.shape:
        raise ShapeError(mark("ops", "One number has no axis to multiply along; use ×."))
    rank = max(len(a.shape), len(b.shape))
    place = shapes.one_axis(axis, min(len(a.shape), len(b.shape))) if axis >= 0 else None
    lengths = [
        s[place if place is not None else len(s) + _negative(axis, len(s))]
        for s in (a.shape, b.shape)
    ]
    if lengths[0] != lengths[1]:
        raise ShapeError(
            mark(
                "ops", "a is {a}, b is {b}: the lengths {m} and {n} along the axis must be equal."
            ),
            a=shape_words(a.shape),
            b=shape_words(b.shape),
            m=lengths[0],
            n=lengths[1],
        )
    rest = [
        tuple(n for i, n in enumerate(s) if i != (place if place is not None else len(s) + axis))
        for s in (a.shape, b.shape)
    ]
    assert rank
    return shapes.checked(shapes.broadcast(*rest, names=("a", "b")), shapes.result_dtype(a, b))


def _negative(axis: int, rank: int) -> int:
    shapes.one_axis(axis, rank)
    return axis


@op(
    sign="a·b",
    category=LINEAR_ALGEBRA,
    family="contract",
    summary=mark("ops", "Multiplies two vectors cell by cell and adds up: the dot product."),
    text="vecdot({a}, {b}{attributes})",
    formula=r"\sum_i a_i b_i",
    code={
        "numpy": "np.vecdot({a}, {b}, axis={axis})",
        "tf": "tf.reduce_sum({a} * {b}, axis={axis})",
        "torch": "torch.linalg.vecdot({a}, {b}, dim={axis})",
        "jax": "jnp.vecdot({a}, {b}, axis={axis})",
    },
    aliases={
        "numpy": "vecdot inner",
        "tf": "vecdot",
        "torch": "vecdot",
        "jax": "vecdot",
        "math": "scalar_product",
    },
    spec=_vecdot_spec,
    linear_in=("a", "b"),
    examples=[example(_A, _B), example(_A, _B, axis=0), example([1.0, 2.0, 3.0], _B)],
)
def vecdot(a: Any, b: Any, *, axis: int = -1) -> Any:
    """The sum of a·b along an axis; the other axes broadcast."""
    product: Any = np.vecdot
    return product(np.asarray(a), np.asarray(b), axis=axis)


@vecdot.vjp
def _(g: Any, out: Any, a: Any, b: Any, *, axis: int) -> Rule:
    spread = expand_dims(g, axis=axis)
    return multiply(spread, b), multiply(spread, a)


def _outer_spec(a: Spec, b: Spec) -> Spec:
    shapes.numbers(a, b)
    return shapes.checked((math.prod(a.shape), math.prod(b.shape)), shapes.result_dtype(a, b))


@op(
    sign="⊗",
    category=LINEAR_ALGEBRA,
    family="contract",
    summary=mark("ops", "Every cell of the first times every cell of the second: a matrix."),
    text="outer({a}, {b})",
    formula="a b^{T}",
    code={
        "numpy": "np.outer({a}, {b})",
        "tf": "tf.tensordot(tf.reshape({a}, [-1]), tf.reshape({b}, [-1]), 0)",
        "torch": "torch.outer({a}.ravel(), {b}.ravel())",
        "jax": "jnp.outer({a}, {b})",
    },
    aliases={"numpy": "outer", "torch": "outer ger", "jax": "outer", "math": "outer ⊗"},
    spec=_outer_spec,
    linear_in=("a", "b"),
    examples=[example([1.0, 2.0], [3.0, 4.0, 5.0])],
)
def outer(a: Any, b: Any) -> Any:
    """The matrix a[i]·b[j]; arrays of more axes are read cell by cell."""
    return np.outer(a, b)


@outer.vjp
def _(g: Any, out: Any, a: Any, b: Any) -> Rule:
    down, across = reshape(a, shape=(-1,)), reshape(b, shape=(-1,))
    return (
        _as(matmul(g, across), a.shape),
        _as(matmul(transpose(g), down), b.shape),
    )


def _as(x: Any, shape: Shape) -> Any:
    return x if x.shape == shape else reshape(x, shape=shape)


def _trace_spec(x: Spec) -> Spec:
    shapes.numbers(x)
    if len(x.shape) < 2:
        raise ShapeError(mark("ops", "x is {x}: a trace needs a matrix."), x=shape_words(x.shape))
    return shapes.checked(x.shape[:-2], x.dtype)


@op(
    sign="tr",
    category=LINEAR_ALGEBRA,
    family="reduce",
    summary=mark("ops", "Adds up the diagonal of a matrix."),
    text="trace({x})",
    formula=r"\mathrm{tr}(x)",
    code={
        "numpy": "np.trace({x}, 0, -2, -1)",
        "tf": "tf.linalg.trace({x})",
        "torch": "torch.diagonal({x}, 0, -2, -1).sum(-1)",
        "jax": "jnp.trace({x}, 0, -2, -1)",
    },
    aliases={"numpy": "trace", "tf": "trace", "torch": "trace", "jax": "trace", "math": "trace tr"},
    spec=_trace_spec,
    linear_in=("x",),
    examples=[example([[1.0, 2.0], [3.0, 4.0]]), example([_A])],
)
def trace(x: Any) -> Any:
    """The sum of the diagonal of the last two axes."""
    return np.trace(np.asarray(x), 0, -2, -1)


@trace.vjp
def _(g: Any, out: Any, x: Any) -> Rule:
    length = min(x.shape[-2:])
    row = broadcast_to(expand_dims(g, axis=-1), shape=(*g.shape, length))
    return (on_diagonal(row, shape=x.shape),)


def _pairs(axes: Any, a: Shape, b: Shape) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of a and of b that are multiplied and added up."""
    if isinstance(axes, int) and not isinstance(axes, bool):
        if not 0 <= axes <= min(len(a), len(b)):
            raise ShapeError(
                mark("ops", "axes={axes} does not fit: a has {m} axes, b has {n}."),
                axes=axes,
                m=len(a),
                n=len(b),
            )
        return tuple(range(len(a) - axes, len(a))), tuple(range(axes))
    try:
        left, right = axes
    except (TypeError, ValueError) as error:
        raise InputError(
            mark("ops", "axes is a number, or a pair of lists of axes, not {axes}."),
            axes=repr(axes)[:60],
        ) from error
    found = tuple(
        tuple(
            shapes.one_axis(i, len(s))
            for i in (given if isinstance(given, tuple | list) else (given,))
        )
        for given, s in ((left, a), (right, b))
    )
    if len(found[0]) != len(found[1]) or any(len(set(f)) != len(f) for f in found):
        raise ShapeError(mark("ops", "axes must name as many different axes of a as of b."))
    return found[0], found[1]


def _tensordot_spec(a: Spec, b: Spec, *, axes: Any) -> Spec:
    shapes.numbers(a, b)
    left, right = _pairs(axes, a.shape, b.shape)
    for i, j in zip(left, right, strict=True):
        if a.shape[i] != b.shape[j]:
            raise ShapeError(
                mark(
                    "ops",
                    "a is {a}, b is {b}: axis {i} of a and axis {j} of b differ: {m} and {n}.",
                ),
                a=shape_words(a.shape),
                b=shape_words(b.shape),
                i=i,
                j=j,
                m=a.shape[i],
                n=b.shape[j],
            )
    rest = [n for i, n in enumerate(a.shape) if i not in left]
    rest += [n for j, n in enumerate(b.shape) if j not in right]
    return shapes.checked(tuple(rest), shapes.result_dtype(a, b))


@op(
    sign="⊙",
    category=LINEAR_ALGEBRA,
    family="contract",
    summary=mark("ops", "Multiplies along chosen axes of two arrays and adds up over them."),
    text="tensordot({a}, {b}{attributes})",
    formula=r"\sum_{axes} a\, b",
    code={
        "numpy": "np.tensordot({a}, {b}, {axes})",
        "tf": "tf.tensordot({a}, {b}, {axes})",
        "torch": "torch.tensordot({a}, {b}, {axes})",
        "jax": "jnp.tensordot({a}, {b}, {axes})",
    },
    aliases={
        "numpy": "tensordot",
        "tf": "tensordot",
        "torch": "tensordot",
        "jax": "tensordot",
        "math": "tensordot",
    },
    spec=_tensordot_spec,
    linear_in=("a", "b"),
    examples=[
        example(_A, _B, axes=((0, 1), (0, 1))),
        example(_A, _B, axes=((1,), (1,))),
        example(_A, [1.0, 2.0, 3.0], axes=1),
    ],
)
def tensordot(a: Any, b: Any, *, axes: int | tuple[Shape, Shape] = 2) -> Any:
    """The product summed over pairs of axes; the rest of a's axes come first, then the rest of b's."""
    left, right = np.asarray(a), np.asarray(b)
    return np.tensordot(left, right, _pairs(axes, left.shape, right.shape))


@tensordot.vjp
def _(g: Any, out: Any, a: Any, b: Any, *, axes: Any) -> Rule:
    left, right = _pairs(axes, a.shape, b.shape)
    rest_a = [i for i in range(len(a.shape)) if i not in left]
    rest_b = [j for j in range(len(b.shape)) if j not in right]
    of_a = tuple(range(len(rest_a)))
    of_b = tuple(range(len(rest_a), len(rest_a) + len(rest_b)))
    # What is left of b, or of a, is in the order of its own axes.
    order_a = [*rest_a, *(left[right.index(j)] for j in sorted(right))]
    order_b = [*(right[left.index(i)] for i in sorted(left)), *rest_b]
    return (
        _ordered(tensordot(g, b, axes=(of_b, tuple(rest_b))), order_a),
        _ordered(tensordot(a, g, axes=(tuple(rest_a), of_a)), order_b),
    )


def _ordered(x: Any, order: Sequence[int]) -> Any:
    """x, whose axes are those numbered in `order`, with its axes in their own order."""
    axes = tuple(order.index(i) for i in range(len(order)))
    return x if axes == tuple(range(len(axes))) else transpose(x, axes=axes)


def _kron_spec(a: Spec, b: Spec) -> Spec:
    shapes.numbers(a, b)
    rank = max(len(a.shape), len(b.shape))
    wide = [(1,) * (rank - len(s)) + s for s in (a.shape, b.shape)]
    return shapes.checked(
        tuple(m * n for m, n in zip(*wide, strict=True)), shapes.result_dtype(a, b)
    )


@op(
    sign="⊠",
    category=LINEAR_ALGEBRA,
    family="contract",
    summary=mark("ops", "A copy of the second for every cell of the first, times that cell."),
    text="kron({a}, {b})",
    formula=r"a \otimes b",
    code={
        "numpy": "np.kron({a}, {b})",
        "tf": "tf.experimental.numpy.kron({a}, {b})",
        "torch": "torch.kron({a}, {b})",
        "jax": "jnp.kron({a}, {b})",
    },
    aliases={"numpy": "kron", "torch": "kron", "jax": "kron", "math": "kron"},
    spec=_kron_spec,
    linear_in=("a", "b"),
    examples=[example(_A, [[1.0, -1.0]]), example([1.0, 2.0], [[1.0], [3.0]])],
)
def kron(a: Any, b: Any) -> Any:
    """The Kronecker product; missing axes are put in front."""
    return np.kron(np.asarray(a), np.asarray(b))


@kron.vjp
def _(g: Any, out: Any, a: Any, b: Any) -> Rule:
    rank = len(out.shape)
    if rank == 0:
        return multiply(g, b), multiply(g, a)
    wide_a, wide_b = ((1,) * (rank - len(s)) + s for s in (a.shape, b.shape))
    apart = tuple(n for pair in zip(wide_a, wide_b, strict=True) for n in pair)
    blocks = reshape(g, shape=apart)
    of_a = reshape(a, shape=tuple(n for m in wide_a for n in (m, 1)))
    of_b = reshape(b, shape=tuple(n for m in wide_b for n in (1, m)))
    firsts, seconds = tuple(range(0, 2 * rank, 2)), tuple(range(1, 2 * rank, 2))
    return (
        _as(sum_(multiply(blocks, of_b), axis=seconds), a.shape),
        _as(sum_(multiply(blocks, of_a), axis=firsts), b.shape),
    )


def _cross_spec(a: Spec, b: Spec, *, axis: int) -> Spec:
    shapes.numbers(a, b)
    for name, spec in (("a", a), ("b", b)):
        if not spec.shape or spec.shape[shapes.one_axis(axis, len(spec.shape))] != 3:
            raise ShapeError(
                mark(
                    "ops",
                    "{name} is {shape}: a cross product needs vectors of 3 numbers along the axis.",
                ),
                name=name,
                shape=shape_words(spec.shape),
            )
    shape = shapes.broadcast(a.shape, b.shape, names=("a", "b"))
    if shape[shapes.one_axis(axis, len(shape))] != 3:
        raise ShapeError(
            mark("ops", "The axis means different axes of a and b; count it from the end.")
        )
    return shapes.checked(shape, shapes.result_dtype(a, b))


@op(
    sign="a×b",
    category=LINEAR_ALGEBRA,
    family="contract",
    summary=mark("ops", "The vector that stands on two vectors of 3 numbers."),
    text="cross({a}, {b}{attributes})",
    formula=r"a \times b",
    code={
        "numpy": "np.cross({a}, {b}, axis={axis})",
        "tf": "tf.linalg.cross({a}, {b})",
        "torch": "torch.linalg.cross({a}, {b}, dim={axis})",
        "jax": "jnp.cross({a}, {b}, axis={axis})",
    },
    aliases={"numpy": "cross", "tf": "cross", "torch": "cross", "jax": "cross", "math": "cross"},
    spec=_cross_spec,
    linear_in=("a", "b"),
    examples=[example([1.0, 2.0, 3.0], [0.5, -1.0, 2.0]), example(_A, [0.5, -1.0, 2.0])],
)
def cross(a: Any, b: Any, *, axis: int = -1) -> Any:
    """The cross product along an axis of length 3; the other axes broadcast."""
    return np.cross(np.asarray(a), np.asarray(b), axis=axis)


@cross.vjp
def _(g: Any, out: Any, a: Any, b: Any, *, axis: int) -> Rule:
    return cross(b, g, axis=axis), negative(cross(a, g, axis=axis))


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _labels(subscripts: Any, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The labels of every operand and of the output, with those of an ellipsis written out."""
    if not isinstance(subscripts, str):
        raise InputError(
            mark("ops", "subscripts is a text such as 'ij,jk->ik', not {given}."),
            given=repr(subscripts)[:60],
        )
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    parts = left.split(",")
    if len(parts) != len(ranks):
        raise InputError(
            mark("ops", "'{given}' is for {wanted} operands; there are {count}."),
            given=subscripts[:60],
            wanted=len(parts),
            count=len(ranks),
        )
    spare = [c for c in _LETTERS if c not in text]
    hidden = [rank - len(part.replace("...", "")) for part, rank in zip(parts, ranks, strict=True)]
    widest = max((h for part, h in zip(parts, hidden, strict=True) if "..." in part), default=0)
    stand_in = "".join(spare[: max(widest, 0)])
    found = []
    for part, h in zip(parts, hidden, strict=True):
        if (
            (h != 0 and "..." not in part)
            or h < 0
            or not set(part.replace("...", "")) <= set(_LETTERS)
        ):
            raise InputError(
                mark("ops", "'{part}' does not fit an operand with {rank} axes."),
                part=part[:40],
                rank=h + len(part.replace("...", "")),
            )
        found.append(part.replace("...", stand_in[len(stand_in) - h :]))
    if not arrow:
        once = sorted(c for c in set(left) & set(_LETTERS) if left.count(c) == 1)
        return found, stand_in + "".join(once)
    output = right.replace("...", stand_in)
    known = set("".join(found))
    if len(set(output)) != len(output) or not set(output) <= known:
        raise InputError(
            mark("ops", "The output '{output}' must name labels of the operands, each once."),
            output=right[:40],
        )
    return found, output


def _lengths(labels: Sequence[str], given: Sequence[Shape]) -> dict[str, int]:
    found: dict[str, int] = {}
    for part, shape in zip(labels, given, strict=True):
        for label, n in zip(part, shape, strict=True):
            known = found.setdefault(label, n)
            if known == 1:
                found[label] = n
            elif n not in (1, known):
                raise ShapeError(
                    mark("ops", "The label {label} stands for axes of {m} and of {n}."),
                    label=label,
                    m=known,
                    n=n,
                )
    return found


def _einsum_spec(*operands: Spec, subscripts: str) -> Spec:
    shapes.numbers(*operands)
    labels, output = _labels(subscripts, [len(o.shape) for o in operands])
    lengths = _lengths(labels, [o.shape for o in operands])
    for part, o in zip(labels, operands, strict=True):
        for label in set(part):
            if part.count(label) > 1:
                same = {n for c, n in zip(part, o.shape, strict=True) if c == label}
                if len(same) > 1:
                    raise ShapeError(
                        mark(
                            "ops",
                            "The label {label} names axes of different lengths of one operand.",
                        ),
                        label=label,
                    )
    return shapes.checked(tuple(lengths[c] for c in output), shapes.result_dtype(*operands))


@op(
    sign="Σᵢ",
    category=LINEAR_ALGEBRA,
    family="contract",
    summary=mark("ops", "Any product and sum over named axes, written as 'ij,jk->ik'."),
    text="einsum({operands}{attributes})",
    formula=r"\sum operands",
    code={
        "numpy": "np.einsum({subscripts}, {operands})",
        "tf": "tf.einsum({subscripts}, {operands})",
        "torch": "torch.einsum({subscripts}, {operands})",
        "jax": "jnp.einsum({subscripts}, {operands})",
    },
    aliases={
        "numpy": "einsum",
        "tf": "einsum",
        "torch": "einsum",
        "jax": "einsum",
        "math": "einsum",
    },
    spec=_einsum_spec,
    linear_in=("operands",),
    examples=[
        example(_A, _B, subscripts="ij,kj->ik"),
        example([[1.0, 2.0], [3.0, 4.0]], subscripts="ii->i"),
        example(_A, [1.0, -1.0], [0.5, 2.0, 1.0], subscripts="ij,i,j"),
        example([_A], _B, subscripts="...ij,ij->...j"),
        example(_A, subscripts="ij->j"),
    ],
)
def einsum(*operands: Any, subscripts: str) -> Any:
    """The product of the operands, summed over the labels that the output does not name."""
    arrays = [np.asarray(o) for o in operands]
    return np.einsum(subscripts.replace(" ", ""), *arrays)


@einsum.vjp
def _(g: Any, out: Any, *operands: Any, subscripts: str) -> Rule:
    given = [o.shape for o in operands]
    labels, output = _labels(subscripts, [len(s) for s in given])
    return tuple(
        _einsum_back(g, operands, labels, output, number) for number in range(len(operands))
    )


def _einsum_back(
    g: Any, operands: Sequence[Any], labels: Sequence[str], output: str, number: int
) -> Any:
    """What comes back to one operand: g times the others, summed over what this operand does not name."""
    own = labels[number]
    distinct = "".join(dict.fromkeys(own))
    others = [i for i in range(len(operands)) if i != number]
    known = set(output).union(*(labels[i] for i in others))
    kept = "".join(c for c in distinct if c in known)
    text = ",".join([output, *(labels[i] for i in others)]) + "->" + kept
    found = (
        g
        if text == f"{output}->{output}"
        else einsum(g, *(operands[i] for i in others), subscripts=text)
    )
    shape = operands[number].shape
    length = dict(zip(own, shape, strict=True))
    alone = [c for c in distinct if c not in known]
    if alone:
        # A label of this operand alone was added up: each of its cells gets the same.
        place = [c if c in known else "" for c in distinct]
        found = reshape(found, shape=tuple(found.shape[kept.index(c)] if c else 1 for c in place))
        wide = tuple(found.shape[i] if c else length[distinct[i]] for i, c in enumerate(place))
        found = broadcast_to(found, shape=wide)
    if distinct != own:
        found = on_diagonals(found, labels=own, shape=shape)
    return found


def _on_diagonals_spec(g: Spec, *, labels: str, shape: Shape) -> Spec:
    length = dict(zip(labels, shape, strict=True))
    wanted = tuple(length[c] for c in dict.fromkeys(labels))
    if g.shape != wanted:
        raise ShapeError(
            mark("ops", "{given} does not fit on the diagonals '{labels}' of {shape}."),
            given=shape_words(g.shape),
            labels=labels,
            shape=shape_words(tuple(shape)),
        )
    return shapes.checked(tuple(shape), g.dtype)


@op(
    sign="╲…",
    category=GRADIENT,
    family="move",
    summary=mark("ops", "Zeros with the given cells where the axes of the same label meet."),
    text="{g} where the axes {labels} meet",
    formula=r"\mathrm{einsum}^{T}(g)",
    code=dict.fromkeys(
        FRAMEWORKS,
        "(lambda z: (np.einsum({labels} + '->' + ''.join(dict.fromkeys({labels})), z).__setitem__(..., {g}), z)[1])"
        "(np.zeros({shape}))",
    ),
    aliases={},
    spec=_on_diagonals_spec,
    linear_in=("g",),
    examples=[
        example([1.0, 2.0], labels="ii", shape=(2, 2)),
        example([[1.0, 2.0], [3.0, 4.0]], labels="iji", shape=(2, 2, 2)),
    ],
    helper=True,
)
def on_diagonals(g: Any, *, labels: str, shape: Shape) -> Any:
    """The reverse of picking a diagonal with a label that is named twice."""
    array = np.asarray(g)
    result = np.zeros(tuple(shape), array.dtype)
    distinct = "".join(dict.fromkeys(labels))
    np.einsum(f"{labels}->{distinct}", result)[...] = array
    return result


@on_diagonals.vjp
def _(g: Any, out: Any, given: Any, *, labels: str, shape: Shape) -> Rule:
    return (einsum(g, subscripts=f"{labels}->{''.join(dict.fromkeys(labels))}"),)
