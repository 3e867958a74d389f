"""JAX, compiled; it returns the gradients of the leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax import lax, nn
from jax import numpy as jnp

from benchmarks.engines import base
from benchmarks.workloads import Workload

jax.config.update("jax_enable_x64", True)


class F:
    keep = staticmethod(base.identity)
    sum, tanh, sin, reshape, transpose = jnp.sum, jnp.tanh, jnp.sin, jnp.reshape, jnp.transpose
    relu, softmax, gelu = nn.relu, nn.softmax, nn.gelu

    @staticmethod
    def cross_entropy(z: Any, labels: Any) -> Any:
        return -jnp.mean(jnp.take_along_axis(nn.log_softmax(z), labels[:, None], 1))

    @staticmethod
    def layer_norm(x: Any, gamma: Any, beta: Any) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        variance = (centred * centred).mean(-1, keepdims=True)
        return centred * lax.rsqrt(variance + 1e-5) * gamma + beta

    @staticmethod
    def conv2d(x: Any, w: Any, b: Any) -> Any:
        layout = ("NCHW", "OIHW", "NCHW")
        return (
            lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=layout)
            + b[:, None, None]
        )

    @staticmethod
    def max_pool2d(x: Any) -> Any:
        window = (1, 1, 2, 2)
        return lax.reduce_window(x, -jnp.inf, lax.max, window, window, "VALID")


class Engine(base.Engine):
    keeps = "leaf gradients"
    largest = 900

    def convert(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        return [jnp.asarray(array) for array in arrays]

    def build(self, workload: Workload) -> base.Step:
        names = list(workload.inputs(0))
        constants = {name: jnp.asarray(a) for name, a in workload.constants.items()}

        def target(leaves: Sequence[Any]) -> Any:
            return workload.program(F, dict(zip(names, leaves, strict=True)), constants)

        both = jax.value_and_grad(target)
        if workload.directions is None:
            compiled = jax.jit(both)
        else:
            directions = tuple(jnp.asarray(a) for a in workload.directions.values())

            def product(leaves: Any) -> Any:
                (y, _), (_, found) = jax.jvp(both, (leaves,), (directions,))
                return y, found

            compiled = jax.jit(product)

        def step(*leaves):
            return jax.block_until_ready(compiled(leaves))

        return step
