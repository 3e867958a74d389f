"""One engine in one process: reads a request a line, answers a line, both JSON.

    python -m benchmarks.worker MODULE CORE

`build` makes the graph of a workload and runs it, `time` calls it again and again, `memory` does the first call under
the eyes of tracemalloc. Arrays go through a file of NumPy's.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import statistics
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from typing import Any, TextIO

import numpy as np

from benchmarks import machine, workloads
from benchmarks.engines.base import Engine, UnsupportedError

BUILDS = 3
QUICK = 0.5
BATCHES = 5


class Worker:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.workloads = workloads.every()
        self.step: Callable[..., Any] | None = None
        self.leaves: list[list[Any]] = []
        # What an engine loads or compiles for its first graph of all is not this graph's cost.
        for key in ("a_polynomial", "b_matrix"):
            try:
                self._first(self.workloads[key])
            except UnsupportedError:
                continue

    def _first(self, workload: workloads.Workload) -> tuple[float, Any]:
        """Seconds from nothing to the first result."""
        self.step = None
        self.leaves = [
            self.engine.convert(list(workload.inputs(seed).values())) for seed in range(3)
        ]
        gc.collect()
        start = time.process_time()
        self.step = self.engine.build(workload)
        result = self.step(*self.leaves[0])
        return time.process_time() - start, result

    def build(self, workload: str, into: str) -> dict[str, Any]:
        """Build, run, and write target and gradients of the second inputs to `into`."""
        wanted = self.workloads[workload]
        if wanted.nodes > self.engine.largest:
            raise UnsupportedError(f"more than {self.engine.largest} nodes")
        firsts = [self._first(wanted)[0]]
        if firsts[0] < QUICK:
            firsts += [self._first(wanted)[0] for _ in range(BUILDS - 1)]
        facts = self.engine.facts()
        assert self.step is not None
        target, gradients = self.engine.unpack(self.step(*self.leaves[1]))
        named = {} if target is None else {"target": np.asarray(target)}
        named |= {f"g{i}": np.asarray(g) for i, g in enumerate(gradients)}
        np.savez(into, **named)
        steady = min(seconds for seconds, _ in self._calls(3 if firsts[0] < QUICK else 1))
        return {"first": statistics.median(firsts), "steady": steady, "facts": facts}

    def time(self, calls: int) -> dict[str, Any]:
        """Seconds a call: the median batch by processor time, the best one by the clock on the wall."""
        found = self._calls(calls)
        return {
            "cpu": statistics.median(cpu for cpu, _ in found),
            "wall": min(wall for _, wall in found),
        }

    def _calls(self, calls: int) -> list[tuple[float, float]]:
        assert self.step is not None
        step, count = self.step, max(1, calls // BATCHES)
        inputs = [self.leaves[i % len(self.leaves)] for i in range(count)]
        found = []
        for _ in range(min(calls, BATCHES)):
            cpu, wall = time.process_time(), time.perf_counter()
            for leaves in inputs:
                step(*leaves)
            found.append(
                ((time.process_time() - cpu) / count, (time.perf_counter() - wall) / count)
            )
        return found

    def memory(self, workload: str) -> dict[str, Any]:
        """Peak bytes of build and two calls over what there was before."""
        wanted = self.workloads[workload]
        self.step = None
        self.leaves = [self.engine.convert(list(wanted.inputs(0).values()))]
        gc.collect()
        machine.forget_peak()
        before = machine.resident("VmRSS")
        tracemalloc.start()
        start, _ = tracemalloc.get_traced_memory()
        self.step = self.engine.build(wanted)
        for _ in range(2):
            self.step(*self.leaves[0])
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        after = machine.resident("VmHWM")
        over = None if before is None or after is None else after - before
        return {"traced": peak - start, "resident": over, "facts": self.engine.facts()}


def answer(worker: Worker, request: dict[str, Any]) -> dict[str, Any]:
    kind = request.pop("do")
    try:
        return {"fine": True, **getattr(worker, kind)(**request)}
    except UnsupportedError as error:
        return {"fine": False, "unsupported": str(error)}
    except Exception as error:  # noqa: BLE001  told to the one who asked
        return {"fine": False, "error": f"{type(error).__name__}: {error}"[:300]}


def serve(engine: Engine, out: TextIO) -> None:
    worker = Worker(engine)
    tell(out, fine=True, keeps=engine.keeps, versions=versions())
    for line in sys.stdin:
        tell(out, **answer(worker, json.loads(line)))


def tell(out: TextIO, **what: Any) -> None:
    out.write(json.dumps(what) + "\n")
    out.flush()


def versions() -> dict[str, str]:
    """What is loaded here of the libraries that are compared."""
    names = ("numpy", "gradviz", "autograd", "torch", "jax", "tensorflow", "micrograd")
    return {
        name: str(getattr(sys.modules[name], "__version__", "?"))
        for name in names
        if name in sys.modules
    }


def main() -> None:
    module, core = sys.argv[1], sys.argv[2]
    machine.pin(int(core) if core != "none" else None)
    # Libraries print; the channel of the answers stays clean.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        engine = importlib.import_module(f"benchmarks.engines.{module}").Engine()
    except ImportError as error:
        tell(out, fine=False, absent=str(error))
        return
    if engine.deep:
        sys.setrecursionlimit(1_000_000)
        threading.stack_size(512 * 2**20)
        thread = threading.Thread(target=serve, args=(engine, out))
        thread.start()
        thread.join()
    else:
        serve(engine, out)


if __name__ == "__main__":
    main()
