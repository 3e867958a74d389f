"""What a worker asks of an engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.workloads import Workload

Step = Callable[..., Any]


class UnsupportedError(Exception):
    """The engine cannot say this workload."""


class Engine:
    """`build` gives a step that takes the leaves, runs forward and backward, and returns when both are done."""

    keeps = "every value and gradient"
    largest = 10**9
    """Graphs of more nodes are left out: it would compile them for minutes."""
    deep = False
    """It recurses over the graph and needs a deep stack."""

    def convert(self, arrays: Sequence[np.ndarray]) -> list[Any]:
        """The leaves as the engine wants them; not timed."""
        return list(arrays)

    def build(self, workload: Workload) -> Step:
        raise NotImplementedError

    def unpack(self, result: Any) -> tuple[Any, Sequence[Any]]:
        """Target (None if it is not computed) and the gradient of each leaf; not timed."""
        return result

    def facts(self) -> dict[str, Any]:
        """What else it has to tell about the last build."""
        return {}


def identity(value: Any) -> Any:
    return value
