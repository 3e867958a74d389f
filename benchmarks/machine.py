"""What of the machine the measurements need, where the system offers it."""

from __future__ import annotations

import os
import platform
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

FINE_CLOCK = time.get_clock_info("process_time").resolution < 1e-4
"""Windows counts processor time in ticks of 16 ms."""
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def pin(core: int | None) -> bool:
    """Keep this process on one core, where the system can."""
    if core is None or not hasattr(os, "sched_setaffinity"):
        return False
    os.sched_setaffinity(0, {core})
    return True


def last_core() -> int | None:
    """The last core this process may run on."""
    return max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


def resident(field: str) -> int | None:
    """Bytes of memory: `VmRSS` now, `VmHWM` at most; None where the system does not tell."""
    if not _STATUS.exists():
        return None
    for line in _STATUS.read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    return None


def forget_peak() -> None:
    """Let `VmHWM` begin anew."""
    if _CLEAR.exists():
        _CLEAR.write_text("5")


def environment(threads: int, root: Path) -> dict[str, str]:
    """The variables of a worker: so many threads for every library, and this repository on its path."""
    found = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS_")}
    for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM"):
        found[f"{name}_NUM_THREADS"] = str(threads)
    found["XLA_FLAGS"] = f"--xla_cpu_multi_thread_eigen={'true' if threads > 1 else 'false'}"
    found["JAX_PLATFORMS"] = "cpu"
    found["PYTHONPATH"] = str(root)
    return found


def facts(threads: int) -> dict[str, object]:
    """What a table says about where it was measured."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "threads": threads,
        "clock": "process CPU time" if threads == 1 else "wall time",
        "pinned": threads == 1 and last_core() is not None,
    }


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median and quartiles."""
    if len(values) < 2:
        return dict.fromkeys(("median", "low", "high"), values[0])
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return {"median": median, "low": low, "high": high}


def busy() -> str:
    """A warning when others want the processor; empty when not, or when the system does not tell."""
    if not hasattr(os, "getloadavg"):
        return ""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    return f"load {load:.1f} on {cores} cores: figures are noisy" if load > cores else ""


def say(text: str) -> None:
    """Progress, beside the table."""
    print(text, file=sys.stderr, flush=True)
