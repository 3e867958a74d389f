"""PyTorch, its tape made anew at each call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from benchmarks.engines import base
from benchmarks.workloads import Workload


class F:
    keep = staticmethod(base.identity)
    sum, relu, tanh, sin = torch.sum, torch.relu, torch.tanh, torch.sin
    reshape, transpose = torch.reshape, torch.permute
    cross_entropy = staticmethod(functional.cross_entropy)

    @staticmethod
    def softmax(x: Any) -> Any:
        return torch.softmax(x, -1)

    @staticmethod
    def layer_norm(x: Any, gamma: Any, beta: Any) -> Any:
        return functional.layer_norm(x, x.shape[-1:], gamma, beta, 1e-5)

    @staticmethod
    def gelu(x: Any) -> Any:
        return functional.gelu(x, approximate="tanh")

    @staticmethod
    def conv2d(x: Any, w: Any, b: Any) -> Any:
        return functional.conv2d(x, w, b, padding=1)

    @staticmethod
    def max_pool2d(x: Any) -> Any:
        return functional.max_pool2d(x, 2)


class Engine(base.Engine):
    keeps = "leaf gradients"

    def convert(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        return [torch.from_numpy(np.array(array)).requires_grad_(True) for array in arrays]

    def words(self) -> Any:
        return F

    def build(self, workload: Workload) -> base.Step:
        names = list(workload.inputs(0))
        constants = {name: torch.from_numpy(a) for name, a in workload.constants.items()}
        words = self.words()

        def target(leaves: Sequence[Any]) -> Any:
            return workload.program(words, dict(zip(names, leaves, strict=True)), constants)

        def step(*leaves):
            for leaf in leaves:
                leaf.grad = None
            y = target(leaves)
            y.backward()
            return y, [leaf.grad for leaf in leaves]

        if workload.directions is None:
            return step
        directions = [torch.from_numpy(a) for a in workload.directions.values()]

        def product(*leaves):
            y = target(leaves)
            gradients = torch.autograd.grad(y, leaves, create_graph=True)
            return y, torch.autograd.grad(gradients, leaves, grad_outputs=directions)

        return product

    def unpack(self, result: Any) -> tuple[Any, Sequence[Any]]:
        y, gradients = result
        return y.detach().numpy(), [gradient.numpy() for gradient in gradients]
