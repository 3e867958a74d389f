"""Shape and dtype rules that several ops share. Each raises ShapeError in the user's words."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz import limits
from gradviz.errors import LimitError, ShapeError
from gradviz.ops.spec import BOOL, FLOAT64, Spec
from gradviz.text import mark, shape_words

Axis = int | tuple[int, ...] | None
Shape = tuple[int, ...]
SpecRule = Callable[..., Spec]


def checked(shape: Shape, dtype: np.dtype[np.generic], *, weak: bool = False) -> Spec:
    """The Spec, if an array of that shape may be made. Counted in Python integers, before allocation."""
    if len(shape) > limits.RANK:
        raise LimitError(
            mark("ops", "The result would have {rank} axes; at most {limit} are allowed."),
            rank=len(shape),
            limit=limits.RANK,
        )
    # Beside a length of 0 the others count too: NumPy cannot make an array of 0×2⁶³.
    if max(math.prod(shape), *shape, 0) > limits.ARRAY_ELEMENTS:
        raise LimitError(
            mark("ops", "The result would be {shape}, more than {limit} numbers."),
            shape=shape_words(shape),
            limit=f"{limits.ARRAY_ELEMENTS:,}",
        )
    return Spec(shape, dtype, weak)


def broadcast(*shapes: Shape, names: Sequence[str] = ("x", "y", "z")) -> Shape:
    """The shape that NumPy broadcasts these to."""
    rank = max(map(len, shapes))
    result: list[int] = []
    for axis in range(-rank, 0):
        lengths = [shape[axis] if -axis <= len(shape) else 1 for shape in shapes]
        length = next((n for n in lengths if n != 1), 1)
        if any(n not in (1, length) for n in lengths):
            raise ShapeError(
                mark(
                    "ops",
                    "{operands}: on axis {axis} (from the end) the lengths {lengths} must be equal, or 1.",
                ),
                operands=", ".join(
                    f"{n} is {shape_words(s)}" for n, s in zip(names, shapes, strict=False)
                ),
                axis=axis,
                lengths=" and ".join(str(n) for n in lengths),
            )
        result.append(length)
    return tuple(result)


def result_dtype(*specs: Spec) -> np.dtype[np.generic]:
    """NumPy's result dtype; a weak number takes the dtype of the others, weak numbers alone are float64."""
    strong = [spec.dtype for spec in specs if not spec.weak]
    if not strong:
        return FLOAT64
    found = np.result_type(*strong)
    return found if len(strong) == len(specs) or found.kind == "f" else np.dtype(FLOAT64)


def float_dtype(*specs: Spec) -> np.dtype[np.generic]:
    """`result_dtype`, where integers and truth values become float64."""
    found = result_dtype(*specs)
    return found if found.kind == "f" else FLOAT64


def elementwise(*specs: Spec) -> Spec:
    """Broadcast; dtype as NumPy gives it."""
    return checked(broadcast(*(s.shape for s in specs)), result_dtype(*specs))


def elementwise_float(*specs: Spec) -> Spec:
    """Broadcast; the result is always a float."""
    return checked(broadcast(*(s.shape for s in specs)), float_dtype(*specs))


def elementwise_number(*specs: Spec) -> Spec:
    """Broadcast; truth values are refused, as NumPy refuses them."""
    return elementwise(*numbers(*specs))


def elementwise_floats(*specs: Spec) -> Spec:
    """Broadcast; the result is always a float. Truth values alone are refused."""
    return elementwise_float(*numbers(*specs))


def numbers(*specs: Spec) -> tuple[Spec, ...]:
    """The specs; ShapeError if all of them are truth values."""
    if all(spec.dtype == BOOL for spec in specs):
        raise ShapeError(
            mark("ops", "This works on numbers, not on truth values; use where(condition, 1, 0).")
        )
    return specs


def cotangent(g: Spec) -> np.dtype[np.generic]:
    """The dtype of what is sent back, which is always a float."""
    if not g.is_float:
        raise ShapeError(mark("ops", "What is sent back is a float, not {dtype}."), dtype=g.dtype)
    return g.dtype


def elementwise_function(x: Spec) -> Spec:
    """The shape of x; the result is always a float. NumPy's of truth values would be float16: refused."""
    return elementwise_float(*numbers(x))


def comparison(x: Spec, y: Spec) -> Spec:
    """Broadcast; the result is truth values."""
    return checked(broadcast(x.shape, y.shape), BOOL)


def axes_of(axis: Axis, rank: int) -> tuple[int, ...]:
    """The axes as sorted non-negative numbers; `None` means all of them."""
    if axis is None:
        return tuple(range(rank))
    given = axis if isinstance(axis, tuple | list) else (axis,)
    found = tuple(one_axis(a, rank) for a in given)
    if len(set(found)) != len(found):
        raise ShapeError(mark("ops", "The axes {axes} name one axis twice."), axes=given)
    return tuple(sorted(found))


def one_axis(axis: Any, rank: int) -> int:
    """A (possibly negative) axis as a number from 0."""
    try:
        number = operator.index(axis)
    except TypeError as error:
        raise ShapeError(
            mark("ops", "An axis is a whole number, not {axis}."), axis=repr(axis)
        ) from error
    if not -rank <= number < rank:
        raise ShapeError(
            mark("ops", "There is no axis {axis}: the array has {rank} axes, counted from 0."),
            axis=number,
            rank=rank,
        )
    return number % rank


def reduced(shape: Shape, axis: Axis, keepdims: bool) -> Shape:
    """The shape after a reduction."""
    gone = axes_of(axis, len(shape))
    if keepdims:
        return tuple(1 if i in gone else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in gone)


def shape_attribute(shape: Any) -> Shape:
    """A shape as given by a user: whole numbers, none negative."""
    try:
        lengths = tuple(
            operator.index(n) for n in (shape if isinstance(shape, tuple | list) else (shape,))
        )
    except TypeError as error:
        raise ShapeError(
            mark("ops", "A shape is a list of whole numbers, not {shape}."), shape=repr(shape)[:60]
        ) from error
    if any(n < 0 for n in lengths):
        raise ShapeError(mark("ops", "The shape {shape} has a negative length."), shape=lengths)
    return lengths


def reshaped(old: Shape, wanted: Any) -> Shape:
    """The shape after a reshape; one -1 is worked out."""
    try:
        lengths = [
            operator.index(n) for n in (wanted if isinstance(wanted, tuple | list) else (wanted,))
        ]
    except TypeError as error:
        raise ShapeError(
            mark("ops", "A shape is a list of whole numbers, not {shape}."), shape=repr(wanted)[:60]
        ) from error
    total = math.prod(old)
    if lengths.count(-1) == 1:
        rest = math.prod(n for n in lengths if n != -1)
        if rest and total % rest == 0:
            lengths[lengths.index(-1)] = total // rest
    if any(n < 0 for n in lengths) or math.prod(lengths) != total:
        raise ShapeError(
            mark("ops", "{old} has {total} cells; it cannot become {wanted}."),
            old=shape_words(old),
            total=total,
            wanted="×".join(map(str, lengths)) or "one number",
        )
    return tuple(lengths)


def matmul(a: Spec, b: Spec) -> Spec:
    """NumPy's matrix product: vectors count as one row or one column, leading axes broadcast."""
    if not a.shape or not b.shape:
        raise ShapeError(
            mark(
                "ops",
                "a is {a}, b is {b}: a matrix product needs matrices or vectors; use × for one number.",
            ),
            a=shape_words(a.shape),
            b=shape_words(b.shape),
        )
    inner = a.shape[-1], b.shape[-2] if len(b.shape) > 1 else b.shape[0]
    if inner[0] != inner[1]:
        raise ShapeError(
            mark("ops", "a is {a}, b is {b}: inner sizes {left} and {right} must be equal."),
            a=shape_words(a.shape),
            b=shape_words(b.shape),
            left=inner[0],
            right=inner[1],
        )
    batch = broadcast(a.shape[:-2], b.shape[:-2], names=("the batch of a", "the batch of b"))
    rows = a.shape[-2:-1] if len(a.shape) > 1 else ()
    columns = b.shape[-1:] if len(b.shape) > 1 else ()
    return checked((*batch, *rows, *columns), result_dtype(a, b))
