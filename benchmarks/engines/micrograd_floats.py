"""micrograd: single numbers, plus, times, power, relu."""

from __future__ import annotations

from typing import Any

import numpy as np
from micrograd.engine import Value

from benchmarks.engines import base
from benchmarks.workloads import Workload


class F:
    keep = staticmethod(base.identity)

    @staticmethod
    def relu(x: Value) -> Value:
        return x.relu()

    @staticmethod
    def sum(x: np.ndarray) -> Value:
        total, *rest = x.flat
        for value in rest:
            total = total + value
        return total


class Engine(base.Engine):
    deep = True

    def build(self, workload: Workload) -> base.Step:
        if not workload.scalar and workload.key != "b_matrix":
            raise base.UnsupportedError("single numbers, + × ** relu")

        def step(leaf):
            if leaf.ndim:
                cells = [Value(cell) for cell in leaf.ravel().tolist()]
                x = np.array(cells, dtype=object).reshape(leaf.shape)
            else:
                x = Value(float(leaf))
            y = workload.program(F, {"X" if leaf.ndim else "x": x}, {})
            y.backward()
            return y, x

        return step

    def unpack(self, result: Any) -> tuple[Any, Any]:
        y, x = result
        if isinstance(x, Value):
            return y.data, [x.grad]
        return y.data, [np.array([value.grad for value in x.flat]).reshape(x.shape)]
