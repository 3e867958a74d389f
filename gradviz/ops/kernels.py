"""How the fast path computes ops that are not element-wise: the NumPy calls of their forwards, writing into buffers.

Each gives the bits of the forward it stands for; `tests/engine/test_compiled.py` compares all of them. Ops with many steps
(softmax, convolution) keep theirs beside their forward.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.graph.model import Array
from gradviz.ops.adjoint import cast, sum_to, sum_to_axes
from gradviz.ops.linalg import matmul
from gradviz.ops.op import KernelCall
from gradviz.ops.reduction import count_of, max_, mean, sum_
from gradviz.ops.shapes import Axis, Shape

Calls = list[KernelCall]


@sum_.kernel
def _(scratch: Any, out: Array, x: Array, *, axis: Axis, keepdims: bool) -> Calls:
    return [(np.add.reduce, (x, axis, out.dtype, out, keepdims))]


@mean.kernel
def _(scratch: Any, out: Array, x: Array, *, axis: Axis, keepdims: bool) -> Calls:
    count = np.asarray(float(count_of(x.shape, axis)), out.dtype)
    return [
        (np.add.reduce, (x, axis, out.dtype, out, keepdims)),
        (np.divide, (out, count, out)),
    ]


@max_.kernel
def _(scratch: Any, out: Array, x: Array, *, axis: Axis, keepdims: bool) -> Calls:
    return [(np.maximum.reduce, (x, axis, None, out, keepdims))]


@sum_to.kernel
def _(scratch: Any, out: Array, g: Array, *, shape: Shape) -> Calls:
    axes = sum_to_axes(g.shape, tuple(shape))
    kept = tuple(1 if i in axes else n for i, n in enumerate(g.shape))
    return [(np.add.reduce, (g, axes, None, out.reshape(kept), True))]


@cast.kernel
def _(scratch: Any, out: Array, x: Array, *, dtype: str) -> Calls:
    return [(np.copyto, (out, x, "unsafe"))]


@matmul.kernel
def _(scratch: Any, out: Array, a: Array, b: Array) -> Calls:
    return [(np.matmul, (a, b, out))]
