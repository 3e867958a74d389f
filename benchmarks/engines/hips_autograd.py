"""HIPS autograd: its tape made anew at each call."""

from __future__ import annotations

from typing import Any

import autograd
import autograd.numpy as anp
from autograd.differential_operators import make_hvp

from benchmarks.engines import base
from benchmarks.engines.kernels import CUBIC, ROOT
from benchmarks.workloads import Workload


class F:
    keep = staticmethod(base.identity)
    sum, tanh, sin, reshape, transpose = anp.sum, anp.tanh, anp.sin, anp.reshape, anp.transpose

    @staticmethod
    def relu(x: Any) -> Any:
        return anp.maximum(x, 0.0)

    @staticmethod
    def softmax(x: Any) -> Any:
        e = anp.exp(x - anp.max(x, axis=-1, keepdims=True))
        return e / anp.sum(e, axis=-1, keepdims=True)

    @staticmethod
    def cross_entropy(z: Any, labels: Any) -> Any:
        z = z - anp.max(z, axis=-1, keepdims=True)
        chosen = z[anp.arange(len(labels)), labels]
        return anp.mean(anp.log(anp.sum(anp.exp(z), axis=-1)) - chosen)

    @staticmethod
    def layer_norm(x: Any, gamma: Any, beta: Any) -> Any:
        centred = x - anp.mean(x, axis=-1, keepdims=True)
        variance = anp.mean(centred * centred, axis=-1, keepdims=True)
        return centred / anp.sqrt(variance + 1e-5) * gamma + beta

    @staticmethod
    def gelu(x: Any) -> Any:
        return 0.5 * x * (1.0 + anp.tanh(ROOT * (x + CUBIC * x * x * x)))

    @staticmethod
    def conv2d(x: Any, w: Any, b: Any) -> Any:
        count, _, height, width = x.shape
        padded = anp.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), "constant")
        shifted = [padded[:, :, i : i + height, j : j + width] for i in range(3) for j in range(3)]
        columns = anp.reshape(anp.concatenate(shifted, axis=1), (count, -1, height * width))
        weights = anp.reshape(anp.transpose(w, (0, 2, 3, 1)), (len(w), -1))
        return anp.reshape(anp.matmul(weights, columns), (count, len(w), height, width)) + (
            anp.reshape(b, (-1, 1, 1))
        )

    @staticmethod
    def max_pool2d(x: Any) -> Any:
        upper = anp.maximum(x[:, :, ::2, ::2], x[:, :, ::2, 1::2])
        return anp.maximum(upper, anp.maximum(x[:, :, 1::2, ::2], x[:, :, 1::2, 1::2]))


class Engine(base.Engine):
    keeps = "leaf gradients"

    def build(self, workload: Workload) -> base.Step:
        names = list(workload.inputs(0))

        def target(leaves: Any) -> Any:
            return workload.program(F, dict(zip(names, leaves, strict=True)), workload.constants)

        if workload.directions is not None:
            directions = tuple(workload.directions.values())

            def product(*leaves):
                return None, make_hvp(target)(leaves)[0](directions)

            return product
        both = autograd.value_and_grad(target)

        def step(*leaves):
            return both(tuple(leaf if leaf.ndim else float(leaf) for leaf in leaves))

        return step
