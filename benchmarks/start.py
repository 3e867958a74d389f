"""What `import gradviz` costs over `import numpy`, in fresh processes, in turn.

python -m benchmarks.start [--json] [--rounds N]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

from benchmarks import machine, tables
from benchmarks.processes import ROOT

OVER_MS = 30.0
HEAVY = ("PySide6", "networkx", "scipy", "msgspec")
PROGRAM = (
    "import json, sys, time; start = time.process_time(); import {module}; "
    "spent = time.process_time() - start; "
    f"print(json.dumps([spent, [m for m in {HEAVY!r} if m in sys.modules]]))"
)


def measure(rounds: int) -> dict[str, Any]:
    """Milliseconds of processor time, and the heavy packages that came along."""
    spent: dict[str, list[float]] = {"numpy": [], "gradviz": []}
    loaded: set[str] = set()
    # As installed: compiled once. The first round reads from disk and compiles: it does not count.
    environment = machine.environment(1, ROOT)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    for number in range(rounds + 1):
        for module, into in spent.items():
            ran = subprocess.run(
                [sys.executable, "-c", PROGRAM.format(module=module)],
                capture_output=True,
                text=True,
                check=True,
                cwd=ROOT,
                env=environment,
            )
            seconds, heavy = json.loads(ran.stdout)
            if number:
                into.append(1e3 * seconds)
            loaded |= set(heavy)
    over = [own - other for own, other in zip(spent["gradviz"], spent["numpy"], strict=True)]
    return {
        "machine": machine.facts(1),
        "rounds": rounds,
        "numpy": machine.spread(spent["numpy"]),
        "gradviz": machine.spread(spent["gradviz"]),
        "over": machine.spread(over),
        "loaded": sorted(loaded),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    found = measure(options.rounds)
    if options.json:
        print(json.dumps(found, indent=1))
        return
    over = found["over"]
    fine = over["median"] <= OVER_MS and not found["loaded"]
    rows = [
        ["import numpy", "", tables.around(found["numpy"]), ""],
        ["import gradviz", "", tables.around(found["gradviz"]), ""],
        [
            "gradviz over numpy",
            f"≤ {OVER_MS:.0f}",
            tables.around(over),
            "pass" if fine else "**missed**",
        ],
    ]
    print(tables.table(["ms of processor time", "bar", "measured", ""], rows))
    print(f"\nLoaded with it: {', '.join(found['loaded']) or 'nothing heavy'}. {machine.busy()}")


if __name__ == "__main__":
    main()
