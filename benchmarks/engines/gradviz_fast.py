"""gradviz as a user writes it: expressions, then `compile_gradients`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import gradviz as gv
from benchmarks.engines import base, recorded
from benchmarks.workloads import Workload
from gradviz.engine.compiled import compile_gradients, compile_values


class Words:
    """gradviz's own functions under the names of the programs."""

    keep = staticmethod(base.identity)

    def __getattr__(self, name: str) -> Any:
        return getattr(gv, name)

    def conv2d(self, x: gv.Expr, w: gv.Expr, b: gv.Expr) -> gv.Expr:
        return gv.conv2d(x, w, b, padding=1)

    def max_pool2d(self, x: gv.Expr) -> gv.Expr:
        return gv.max_pool2d(x, window=2)

    def gelu(self, x: gv.Expr) -> gv.Expr:
        return gv.gelu(x, approximate=True)


class Engine(base.Engine):
    compile_gradients: Callable[..., Any] = staticmethod(compile_gradients)
    compile_values: Callable[..., Any] = staticmethod(compile_values)

    def build(self, workload: Workload) -> base.Step:
        start = time.process_time()
        leaves = {name: gv.variable(a, name=name) for name, a in workload.inputs(0).items()}
        constants = {name: gv.constant(a, name=name) for name, a in workload.constants.items()}
        y = workload.program(Words(), leaves, constants)
        self._second = workload.directions is not None
        self._y, self._leaves = y, list(leaves.values())
        if workload.directions is not None:
            wanted = hessian_product(y, leaves, workload.directions)
        self._written = time.process_time() - start
        if self._second:
            compiled = self.compile_values([y, *wanted], self._leaves)
            step = products(compiled)
        else:
            compiled = self.compile_gradients(y, self._leaves)
            step = gradients(compiled)
        self._compiled = time.process_time() - start - self._written
        return step

    def facts(self) -> dict[str, Any]:
        facts = {"written": self._written, "compiled": self._compiled}
        return facts if self._second else {**facts, **kept_bytes(self._y, self._leaves)}


def gradients(compiled: Callable[..., Any]) -> base.Step:
    """Run, and read the target and the gradients."""

    def step(*leaves):
        found = compiled(*leaves)
        return found.values[0], found.gradients

    return step


def products(compiled: Callable[..., Any]) -> base.Step:
    def step(*leaves):
        values = compiled(*leaves).values
        return values[0], values[1:]

    return step


def hessian_product(
    y: gv.Expr, leaves: Mapping[str, gv.Expr], directions: Mapping[str, np.ndarray]
) -> list[gv.Expr]:
    """The Hessian of y times the directions: the gradient of g · v."""
    slopes = gv.gradients(y, list(leaves.values()))
    along = None
    for g, name in zip(slopes, leaves, strict=True):
        term = gv.sum(g * gv.constant(directions[name], name=f"v_{name}"))
        along = term if along is None else along + term
    return gv.gradients(along, list(leaves.values()))


def kept_bytes(y: gv.Expr, leaves: Sequence[gv.Expr]) -> dict[str, Any]:
    """Bytes of all values and gradients of the graph, and of its largest array: what the bar on memory allows."""
    sizes = [
        math.prod(spec.shape) * spec.dtype.itemsize
        for call in recorded.calls(y, leaves)
        for spec in call.specs
        if spec.is_float and not (call.op is not None and call.op.name == "constant")
    ]
    return {"kept": 2 * sum(sizes), "largest": max(sizes)}
