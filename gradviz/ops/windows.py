"""What convolutions and pools compute with: where windows fit, and how they are laid out as columns of a matrix.

Windows are laid out for some examples at a time, and one matrix product does the rest. With a stride of 1 the rows of a
padded image are read as one long row: each offset of the kernel is then one slice of it, and the few columns between two
rows are computed for nothing.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from gradviz.errors import InputError, ShapeError
from gradviz.graph.model import Array
from gradviz.ops import shapes
from gradviz.ops.calls import BLOCK_BYTES, Calls, Dtype, view
from gradviz.ops.shapes import Shape
from gradviz.ops.spec import FLOAT64
from gradviz.text import mark, shape_words

Pads = int | tuple[int, ...] | tuple[tuple[int, int], ...]


class Geometry(NamedTuple):
    """Sizes of a convolution; spatial ones have two axes (the first of length 1 in one dimension)."""

    batch: int
    channels: int
    outputs: int
    groups: int
    image: Shape
    kernel: Shape
    result: Shape
    stride: Shape
    pads: tuple[tuple[int, int], ...]
    dilation: Shape


def each(value: Any, rank: int, name: str, least: int) -> Shape:
    """One whole number for each of `rank` axes; a single one stands for all. InputError for others."""
    given = tuple(value) if isinstance(value, tuple | list) else (value,) * rank
    if len(given) == 1:
        given *= rank
    right = all(isinstance(n, int) and not isinstance(n, bool) and n >= least for n in given)
    if len(given) != rank or not right:
        raise InputError(
            mark(
                "ops", "{name} is a whole number from {least} for each of {rank} axes, not {value}."
            ),
            name=name,
            least=least,
            rank=rank,
            value=repr(value)[:60],
        )
    return given


def pads_of(padding: Any, rank: int) -> tuple[tuple[int, int], ...]:
    """(before, after) for each axis; a number stands for both. InputError for others."""
    given = padding if isinstance(padding, tuple | list) else (padding,) * rank
    if len(given) == 1:
        given = tuple(given) * rank
    if len(given) != rank:
        each(given, rank, "padding", 0)
    pairs = [each(pair, 2, "padding", 0) for pair in given]
    return tuple((before, after) for before, after in pairs)


def windows(
    image: Shape, window: Shape, stride: Shape, pads: tuple[tuple[int, int], ...], dilation: Shape
) -> Shape:
    """How often a window fits into each axis. ShapeError where it does not."""
    found = []
    for n, k, s, (before, after), d in zip(image, window, stride, pads, dilation, strict=True):
        wide = d * (k - 1) + 1
        if k < 1 or n + before + after < wide:
            raise ShapeError(
                mark(
                    "ops",
                    "A window of {wide} does not fit into {length}, with the padding; use a smaller one or more padding.",
                ),
                wide=wide if k else "nothing",
                length=n + before + after,
            )
        found.append((n + before + after - wide) // s + 1)
    return tuple(found)


def geometry(x: Shape, w: Shape, stride: Any, padding: Any, dilation: Any, groups: Any) -> Geometry:
    """The sizes, checked. Raises ShapeError or InputError in the user's words."""
    rank = len(x) - 2
    if len(w) != len(x) or rank not in (1, 2):
        raise ShapeError(
            mark(
                "ops",
                "x is {x}, w is {w}: x needs the axes examples, channels, space, and w outputs, channels, space.",
            ),
            x=shape_words(x),
            w=shape_words(w),
        )
    if not isinstance(groups, int) or groups < 1 or x[1] % groups or w[0] % groups:
        raise InputError(
            mark(
                "ops",
                "{inputs} channels and {outputs} outputs cannot be shared out among {groups} groups equally.",
            ),
            inputs=x[1],
            outputs=w[0],
            groups=repr(groups)[:20],
        )
    if w[1] * groups != x[1]:
        raise ShapeError(
            mark(
                "ops",
                "x is {x}, w is {w}: w needs {wanted} channels (axis 1), as x has in each group.",
            ),
            x=shape_words(x),
            w=shape_words(w),
            wanted=x[1] // groups,
        )
    steps, wide = each(stride, rank, "stride", 1), each(dilation, rank, "dilation", 1)
    pads = pads_of(padding, rank)
    result = windows(x[2:], w[2:], steps, pads, wide)
    first = (1,) * (2 - rank)
    none = ((0, 0),) * (2 - rank)
    found = Geometry(
        x[0], x[1], w[0], groups, first + x[2:], first + w[2:], first + result, first + steps,
        none + pads, first + wide,
    )  # fmt: skip
    shapes.checked((*x[:2], *(n + sum(p) for n, p in zip(x[2:], pads, strict=True))), FLOAT64)
    return found


class _Layout:
    """Scratch arrays for some examples at a time, and the views between which numbers are copied."""

    def __init__(self, scratch: Any, of: Geometry, dtype: Dtype) -> None:
        self.of = of
        tall, wide = (n + sum(p) for n, p in zip(of.image, of.pads, strict=True))
        rows, columns = of.result
        reach = (of.kernel[1] - 1) * of.dilation[1]
        self.long = of.stride == (1, 1)
        self.cells = (rows * wide,) if self.long else (rows, columns)
        self.offsets = prod(of.kernel)
        bytes_each = of.channels * self.offsets * prod(self.cells) * dtype.itemsize
        self.some = max(1, min(of.batch, 2 * BLOCK_BYTES // max(1, bytes_each)))
        count = self.some
        flat = scratch((count, of.channels, tall * wide + reach), dtype)
        image = flat[:, :, : tall * wide].reshape(count, of.channels, tall, wide)
        (top, _), (left, _) = of.pads
        self.flat = flat
        self.inside = image[:, :, top : top + of.image[0], left : left + of.image[1]]
        self.shifted = [self._shifted(flat, image, i, j) for i, j in np.ndindex(of.kernel)]
        self.columns = scratch((count, of.channels, self.offsets, *self.cells), dtype)
        wide_cells = (rows, wide) if self.long else (rows, columns)
        self.arrived = scratch((count, of.outputs, *wide_cells), dtype)
        self.narrow = self.arrived[:, :, :, :columns]

    def _shifted(self, flat: Array, image: Array, i: int, j: int) -> Array:
        of = self.of
        down, right = i * of.dilation[0], j * of.dilation[1]
        if self.long:
            start = down * image.shape[3] + right
            return flat[:, :, start : start + self.cells[0]]
        (rows, columns), (s, t) = of.result, of.stride
        return image[
            :, :, down : down + (rows - 1) * s + 1 : s, right : right + (columns - 1) * t + 1 : t
        ]

    def blocks(self) -> list[tuple[slice, int]]:
        """The examples of each block, and how many."""
        starts = range(0, self.of.batch, self.some)
        ends = [min(self.of.batch, start + self.some) for start in starts]
        return [(slice(a, b), b - a) for a, b in zip(starts, ends, strict=True)]

    def unfolded(self, x: Array, count: int) -> Calls:
        """x into columns."""
        return [
            (np.copyto, (self.inside[:count], x)),
            *[
                (np.copyto, (self.columns[:count, :, k], shifted[:count]))
                for k, shifted in enumerate(self.shifted)
            ],
        ]

    def folded(self, x: Array, count: int) -> Calls:
        """The columns, added up where they came from, into x."""
        calls: Calls = [(self.flat.fill, (0.0,))]
        for k, shifted in enumerate(self.shifted):
            into = shifted[:count]
            calls.append((np.add, (into, self.columns[:count, :, k], into)))
        return [*calls, (np.copyto, (x, self.inside[:count]))]

    def matrix(self, count: int) -> Array:
        """The columns as one matrix for each example and group."""
        of = self.of
        found: Array = self.columns[:count].reshape(
            count, of.groups, of.channels // of.groups * self.offsets, prod(self.cells)
        )
        return found

    def results(self, count: int) -> Array:
        """The outputs as one matrix for each example and group."""
        of = self.of
        found: Array = self.arrived[:count].reshape(count, of.groups, of.outputs // of.groups, -1)
        return found


def _kernels(calls: Calls, scratch: Any, w: Array, of: Geometry) -> Array:
    """w as one matrix for each group."""
    columns = of.channels // of.groups * prod(of.kernel)
    return view(calls, scratch, w, (of.groups, of.outputs // of.groups, columns))


def _image(calls: Calls, scratch: Any, x: Array) -> Array:
    """x with two spatial axes."""
    return x if x.ndim == 4 else view(calls, scratch, x, (*x.shape[:2], 1, x.shape[2]))


def conv_calls(
    scratch: Any, out: Array, x: Array, w: Array, b: Array | None = None,
    *, stride: Any, padding: Any, dilation: Any, groups: int,
) -> Calls:  # fmt: skip
    """x with w, plus b: windows into columns, then one product for each example."""
    of = geometry(x.shape, w.shape, stride, padding, dilation, groups)
    calls: Calls = []
    if not out.size:
        return calls
    layout = _Layout(scratch, of, out.dtype)
    x, weights = _image(calls, scratch, x), _kernels(calls, scratch, w, of)
    result = out.reshape(of.batch, of.outputs, *of.result)
    calls.append((layout.flat.fill, (0.0,)))
    for part, count in layout.blocks():
        narrow = layout.narrow[:count]
        calls += layout.unfolded(x[part], count)
        calls.append((np.matmul, (weights, layout.matrix(count), layout.results(count))))
        if b is None:
            calls.append((np.copyto, (result[part], narrow)))
        else:
            calls.append((np.add, (narrow, b[:, None, None], result[part])))
    return calls


def input_back_calls(
    scratch: Any, out: Array, g: Array, w: Array,
    *, shape: Shape, stride: Any, padding: Any, dilation: Any, groups: int,
) -> Calls:  # fmt: skip
    """What comes back to the input: one product, and the columns added up where they came from."""
    of = geometry(tuple(shape), w.shape, stride, padding, dilation, groups)
    calls: Calls = []
    if not out.size:
        return calls
    layout = _Layout(scratch, of, out.dtype)
    g, weights = _image(calls, scratch, g), _kernels(calls, scratch, w, of)
    into = out.reshape(of.batch, of.channels, *of.image)
    calls.append((layout.arrived.fill, (0.0,)))
    for part, count in layout.blocks():
        calls += [
            (np.copyto, (layout.narrow[:count], g[part])),
            (np.matmul, (weights.transpose(0, 2, 1), layout.results(count), layout.matrix(count))),
            *layout.folded(into[part], count),
        ]
    return calls


def weight_back_calls(
    scratch: Any, out: Array, g: Array, x: Array,
    *, shape: Shape, stride: Any, padding: Any, dilation: Any, groups: int,
) -> Calls:  # fmt: skip
    """What comes back to the weights: a product for each example, added up."""
    of = geometry(x.shape, tuple(shape), stride, padding, dilation, groups)
    calls: Calls = [(out.fill, (0.0,))]
    if not g.size or not out.size:
        return calls
    layout = _Layout(scratch, of, out.dtype)
    x, g = _image(calls, scratch, x), _image(calls, scratch, g)
    into = out.reshape(of.groups, of.outputs // of.groups, -1)
    products = scratch((layout.some, *into.shape), out.dtype)
    total = scratch(into.shape, out.dtype)
    calls += [(layout.flat.fill, (0.0,)), (layout.arrived.fill, (0.0,))]
    for part, count in layout.blocks():
        columns = layout.matrix(count).transpose(0, 1, 3, 2)
        calls += [
            *layout.unfolded(x[part], count),
            (np.copyto, (layout.narrow[:count], g[part])),
            (np.matmul, (layout.results(count), columns, products[:count])),
            (np.add.reduce, (products[:count], 0, None, total)),
            (np.add, (into, total, into)),
        ]
    return calls
