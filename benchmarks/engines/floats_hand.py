"""The limit for graphs of single numbers: Python floats written by hand, every value and gradient returned."""

from __future__ import annotations

from typing import Any

from benchmarks.engines import base
from benchmarks.engines.numpy_hand import straight_line
from benchmarks.workloads import Workload, paired


class Engine(base.Engine):
    def convert(self, arrays: Any) -> list[float]:
        return [array if array.ndim else float(array) for array in arrays]

    def build(self, workload: Workload) -> base.Step:
        if not workload.scalar:
            raise base.UnsupportedError("floats hold one number")
        return getattr(self, workload.key.split("_")[0])(workload)

    def unpack(self, result: Any) -> Any:
        return result[0], result[1]

    def a(self, workload: Workload) -> base.Step:
        def step(x):
            square = x * x
            total = square + x
            g = 2.0 * x + 1.0
            return total - 1.0, (g,), square, total

        return step

    def c(self, workload: Workload) -> base.Step:
        lines, back = [], []
        last, g = "x", "1.0"
        for i, factor in enumerate(workload.detail):
            lines.append(
                (
                    f"v{i} = {last} * {factor!r}",
                    f"v{i} = {last} + {factor!r}",
                    f"v{i} = {last} if {last} > 0.0 else 0.0",
                )[i % 3]
            )
            last = f"v{i}"
        for i in reversed(range(len(workload.detail))):
            if i % 3 == 0:
                back.append(f"g{i} = {g} * {workload.detail[i]!r}")
            elif i % 3 == 2:
                back.append(f"g{i} = {g} if v{i} > 0.0 else 0.0")
            else:
                continue
            g = f"g{i}"
        names = [line.split(" ", 1)[0] for line in lines + back]
        return straight_line(lines + back, {}, "x", f"{last}, ({g},), [{', '.join(names)}]")

    def d(self, workload: Workload) -> base.Step:
        lines = [f"v{i} = x * {factor!r}" for i, factor in enumerate(workload.detail)]

        def pair(a: str, b: str) -> str:
            lines.append(f"v{len(lines)} = {a} + {b}")
            return f"v{len(lines) - 1}"

        last = paired([f"v{i}" for i in range(len(workload.detail))], pair)
        names = ", ".join(f"v{i}" for i in range(len(lines)))
        lines.append("g = 0.0")
        lines += [f"g += {factor!r}" for factor in workload.detail]
        return straight_line(lines, {}, "x", f"{last}, (g,), [{names}]")
