"""Forwards that are a list of NumPy calls: the recorded run makes them on new arrays, the fast path on its buffers.

So that both give the same bits, an op with many steps writes them down once, as its kernel (`Op.kernel`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any, Final

import numpy as np

from gradviz.graph.model import Array
from gradviz.ops.op import Kernel, KernelCall
from gradviz.ops.shapes import Shape
from gradviz.ops.spec import FLOAT64

Calls = list[KernelCall]
Dtype = np.dtype[np.generic]
# Whole rows of so many bytes are worked on together: they stay in the processor's cache from call to call.
BLOCK_BYTES: Final = 1 << 19


def computed(
    kernel: Kernel, shape: Shape, dtype: Dtype, /, *inputs: Any, **attributes: object
) -> Array:
    """What the calls of `kernel` leave in a new array of that shape and dtype."""
    out = np.empty(shape, dtype)
    operands = [np.asarray(x, dtype) if isinstance(x, float | int) else x for x in inputs]
    for function, arguments in kernel(np.empty, out, *operands, **attributes):
        function(*arguments)
    return out


def float_of(*inputs: Any) -> Dtype:
    """The dtype of a float result: NumPy's, float64 for whole numbers and truth values."""
    found = np.result_type(*inputs)
    return found if found.kind == "f" else FLOAT64


def number(value: float, dtype: Dtype) -> Array:
    """A number that ufuncs take as it is."""
    return np.asarray(value, dtype)


def maximum(x: Array, y: Array, out: Array) -> None:
    """`np.maximum`, whose positional out NumPy deprecates."""
    np.maximum(x, y, out=out)


def view(calls: Calls, scratch: Any, x: Array, shape: Shape) -> Array:
    """x in another shape; an array that lies in pieces is copied each time the calls are made."""
    if not x.flags.c_contiguous:
        copied = scratch(x.shape, x.dtype)
        calls.append((np.copyto, (copied, x)))
        x = copied
    return x.reshape(shape)


def blocks(shape: Shape, axes: tuple[int, ...], dtype: Dtype) -> Iterator[slice]:
    """Slices of the first axis that fit into the cache; all of it at once where the axes are worked on together."""
    rows = shape[0] if shape else 0
    if not shape or 0 in axes or not prod(shape):
        yield slice(None)
        return
    step = max(1, BLOCK_BYTES // max(1, prod(shape[1:]) * dtype.itemsize))
    for start in range(0, rows, step):
        yield slice(start, min(rows, start + step))


def in_blocks(
    scratch: Any,
    shape: Shape,
    dtype: Dtype,
    axes: tuple[int, ...],
    lent: tuple[int, int],
    block: Callable[..., Calls],
) -> Calls:
    """The calls of `block(part, *arrays)`, for some rows of an array of that shape after the other.

    `part` is a slice of the first axis. `lent` says how many scratch arrays of a block's shape it gets, and how many with one
    number where `axes`, which are worked on together, have many.
    """
    if not prod(shape):
        return []
    parts = list(blocks(shape, axes, dtype))
    rows = len(range(*parts[0].indices(shape[0])))
    whole = (rows, *shape[1:])
    kept = tuple(1 if i in axes else n for i, n in enumerate(whole))
    arrays = [
        scratch(s, dtype)
        for s, count in zip((whole, kept), lent, strict=True)
        for _ in range(count)
    ]
    calls: Calls = []
    for part in parts:
        count = len(range(*part.indices(shape[0])))
        calls += block(part, *(a if a.shape[0] == 1 else a[:count] for a in arrays))
    return calls
