"""The processes the engines live in."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import machine

ROOT = Path(__file__).resolve().parent.parent
START = 240.0


@dataclass(frozen=True)
class Contestant:
    """An engine by its module in `benchmarks.engines`; `package` is the peer it needs."""

    key: str
    title: str
    module: str
    package: str = "numpy"

    @property
    def is_peer(self) -> bool:
        return self.package not in ("numpy", "gradviz")


EVERY = (
    Contestant("numpy_hand", "NumPy by hand", "numpy_hand"),
    Contestant("floats_hand", "floats by hand", "floats_hand"),
    Contestant("gradviz", "gradviz", "gradviz_fast", "gradviz"),
    Contestant("gradviz_recorded", "gradviz, recorded", "gradviz_recorded", "gradviz"),
    Contestant("autograd", "autograd", "hips_autograd", "autograd"),
    Contestant("torch", "PyTorch", "torch_eager", "torch"),
    Contestant("torch_kept", "PyTorch, all kept", "torch_kept", "torch"),
    Contestant("jax", "JAX, jitted", "jax_jit", "jax"),
    Contestant("micrograd", "micrograd", "micrograd_floats", "micrograd"),
    Contestant("tensorflow", "tf.function", "tensorflow_graph", "tensorflow"),
)
REFERENCE = "numpy_hand"


class Process:
    """One worker. `ask` answers in time or ends it."""

    def __init__(self, contestant: Contestant, python: str, threads: int) -> None:
        core = machine.last_core() if threads == 1 else None
        self._child = subprocess.Popen(
            [python, "-m", "benchmarks.worker", contestant.module, str(core).lower()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=machine.environment(threads, ROOT),
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._complaints: list[str] = []
        for stream, take in (
            (self._child.stdout, self._lines.put),
            (self._child.stderr, self._complaints.append),
        ):
            threading.Thread(target=self._read, args=(stream, take), daemon=True).start()
        self.hello = self._answer(START)

    def _read(self, stream: Any, take: Any) -> None:
        for line in stream:
            take(line)
        if stream is self._child.stdout:
            self._lines.put("")

    def _answer(self, seconds: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            self.end()
            return {"fine": False, "error": f"no answer in {seconds:g} s"}
        if line:
            return json.loads(line)
        # Whoever asks again is told at once.
        self._lines.put("")
        last = self._complaints[-1].strip() if self._complaints else "no words"
        return {"fine": False, "error": f"the process ended: {last}"[:300]}

    @property
    def alive(self) -> bool:
        return self._child.poll() is None

    def ask(self, seconds: float, do: str, **request: Any) -> dict[str, Any]:
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(json.dumps({"do": do, **request}) + "\n")
            self._child.stdin.flush()
        except OSError:
            return {"fine": False, "error": "the process ended"}
        return self._answer(seconds)

    def end(self) -> None:
        self._child.kill()
        self._child.wait()


def pythons(wanted: Sequence[Contestant], peers: Path | None) -> dict[str, str]:
    """For each contestant a Python that has what it needs: this one, or one of a folder of virtual environments."""
    found = {each.key: sys.executable for each in wanted if not each.is_peer}
    candidates = [sys.executable]
    if peers is not None:
        places = ("bin/python", "Scripts/python.exe")
        candidates += [
            str(folder / place)
            for folder in sorted(peers.iterdir())
            for place in places
            if (folder / place).exists()
        ]
    packages = sorted({each.package for each in wanted if each.is_peer})
    look = (
        "import importlib.util as u, sys;"
        "print(*[p for p in sys.argv[1:] if u.find_spec(p) is not None])"
    )
    for python in candidates if packages else ():
        seen = subprocess.run(
            [python, "-c", look, *packages], capture_output=True, text=True, check=False
        )
        for each in wanted:
            if each.package in seen.stdout.split():
                found.setdefault(each.key, python)
    return found
