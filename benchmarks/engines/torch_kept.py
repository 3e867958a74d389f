"""PyTorch with `retain_grad` on every result: as much as gradviz keeps."""

from __future__ import annotations

from typing import Any

from benchmarks.engines import base, torch_eager
from benchmarks.workloads import Workload


class Kept(torch_eager.F):
    def __init__(self) -> None:
        self.results: list[Any] = []

    def keep(self, value: Any) -> Any:
        value.retain_grad()
        self.results.append(value)
        return value


class Engine(torch_eager.Engine):
    keeps = "every value and gradient"

    def words(self) -> Any:
        self._words = Kept()
        return self._words

    def build(self, workload: Workload) -> base.Step:
        if workload.directions is not None:
            raise base.UnsupportedError("the same as torch")
        step = super().build(workload)
        words = self._words

        def kept(*leaves):
            words.results.clear()
            return step(*leaves)

        return kept
