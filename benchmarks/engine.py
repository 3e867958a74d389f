"""The engine beside hand-written NumPy and other libraries, in one run.

    python -m benchmarks.engine [--json] [--rounds N] [--workloads a,b] [--engines gradviz,torch] [--threads 1|2]
                                [--peers FOLDER] [--no-memory]

Each engine has a process of its own. For each workload all build its graph; what they compute is compared with the
hand-written figures; then they are timed in turn, A B C A B C, and each round gives a ratio to hand-written NumPy.
A figure is the median over the rounds, in brackets the quartiles. With one thread the clock is processor time, and
every process is kept on one core where the system can.

Peers are looked for beside gradviz and in the virtual environments in FOLDER; those that are nowhere are named.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import edits, machine, tables, workloads
from benchmarks.processes import EVERY, REFERENCE, Contestant, Process, pythons
from benchmarks.workloads import Workload

ROUNDS = 15
SLOT = 0.03 if machine.FINE_CLOCK else 1.0
"""Seconds each engine gets in a round."""
SLOW, SLOW_ROUNDS = 0.3, 4
LIMIT = 300.0
MEASURED_MEMORY = (REFERENCE, "gradviz")


class Race:
    """The engines that were found, and their processes."""

    def __init__(self, wanted: Sequence[Contestant], peers: Path | None, threads: int) -> None:
        self.threads = threads
        self.python = pythons(wanted, peers)
        self.absent = [each.title for each in wanted if each.key not in self.python]
        self.contestants = {each.key: each for each in wanted if each.key in self.python}
        self.processes = {key: self.start(key) for key in self.contestants}
        self.versions: dict[str, str] = {}
        for key, process in self.processes.items():
            if not process.hello.get("fine"):
                machine.say(f"{key}: {process.hello}")
            self.versions |= process.hello.get("versions", {})

    def start(self, key: str) -> Process:
        return Process(self.contestants[key], self.python[key], self.threads)

    def run(self, workload: Workload, rounds: int, folder: Path) -> dict[str, dict[str, Any]]:
        """Everything measured of one workload, by engine."""
        found: dict[str, dict[str, Any]] = {}
        expected: dict[str, np.ndarray] = {}
        for key in self.processes:
            # One that was ended over the last workload begins anew.
            if not self.processes[key].alive:
                self.processes[key] = self.start(key)
            process = self.processes[key]
            if not process.hello.get("fine"):
                found[key] = process.hello
                continue
            path = folder / f"{key}.npz"
            found[key] = process.ask(LIMIT, "build", workload=workload.key, into=str(path))
            if found[key]["fine"]:
                computed = dict(np.load(path))
                if key == REFERENCE:
                    expected = computed
                wrong = difference(computed, expected, workload.tolerance)
                if wrong:
                    found[key] = {"fine": False, "wrong": wrong}
        running = [key for key, each in found.items() if each["fine"]]
        for key in running:
            found[key]["rounds"] = []
        for number in range(rounds):
            for key in list(running):
                each = found[key]
                if each["steady"] > SLOW and number >= SLOW_ROUNDS:
                    continue
                calls = max(1, min(50_000, int(SLOT / max(each["steady"], 1e-9))))
                timed = self.processes[key].ask(LIMIT, "time", calls=calls)
                if timed["fine"]:
                    each["rounds"].append(timed["cpu" if self.threads == 1 else "wall"])
                else:
                    found[key] = timed
                    running.remove(key)
        return found

    def memory(self, workload: Workload, found: dict[str, dict[str, Any]]) -> None:
        """Peak memory, in a process that has done nothing else."""
        for key in MEASURED_MEMORY:
            if found.get(key, {}).get("fine"):
                process = self.start(key)
                found[key]["memory"] = process.ask(LIMIT, "memory", workload=workload.key)
                process.end()

    def end(self) -> None:
        for process in self.processes.values():
            process.end()


def difference(
    computed: dict[str, np.ndarray], expected: dict[str, np.ndarray], tolerance: float
) -> str:
    """What differs from the hand-written result, as words; empty if nothing does."""
    for name, wanted in expected.items():
        if name == "target" and name not in computed:
            continue
        got = computed.get(name)
        if got is None or got.size != wanted.size:
            return f"{name} is missing or has another size"
        apart = np.abs(got.reshape(wanted.shape).astype(float) - wanted).max()
        if not apart <= tolerance * max(float(np.abs(wanted).max()), 1e-30):
            return f"{name} differs by {apart:.3g}"
    return ""


def summarise(found: dict[str, dict[str, Any]]) -> None:
    """Add median and quartiles of seconds, and of the ratio to hand-written NumPy round by round."""
    reference = found.get(REFERENCE, {}).get("rounds")
    for each in found.values():
        if each["fine"]:
            each["seconds"] = machine.spread(each["rounds"])
            if reference:
                pairs = zip(each["rounds"], reference, strict=False)
                each["ratio"] = machine.spread([own / hand for own, hand in pairs])


def measure(options: argparse.Namespace) -> dict[str, Any]:
    known = {each.key: each for each in EVERY}
    chosen = options.engines.split(",") if options.engines else list(known)
    wanted = [known[key] for key in known if key in chosen or key == REFERENCE]
    everything = workloads.every()
    keys = options.workloads.split(",") if options.workloads else list(everything)
    # `--workloads a,e` is enough.
    graphs = [w for w in everything.values() if any(w.key.startswith(key) for key in keys)]
    race = Race(wanted, options.peers, options.threads)
    results: dict[str, Any] = {}
    try:
        with tempfile.TemporaryDirectory() as folder:
            for workload in graphs:
                machine.say(f"{workload.key} {machine.busy()}")
                found = race.run(workload, options.rounds, Path(folder))
                if options.memory and workload.key[0] in "efgh":
                    race.memory(workload, found)
                summarise(found)
                results[workload.key] = found
    finally:
        race.end()
    report: dict[str, Any] = {
        "machine": machine.facts(options.threads),
        "versions": race.versions,
        "rounds": options.rounds,
        "absent": race.absent,
        "engines": {key: each.title for key, each in race.contestants.items()},
        "workloads": {
            workload.key: {
                "title": workload.title,
                "bar": workload.bar,
                "nodes": workload.nodes,
                "scalar": workload.scalar,
            }
            for workload in graphs
        },
        "results": results,
    }
    if "gradviz" in race.contestants:
        report["edits"] = edits.measure()
    return report


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.engine",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--workloads", default="", help="keys or their beginnings: a,e_mlp_f32")
    parser.add_argument("--engines", default="", help=", ".join(each.key for each in EVERY))
    parser.add_argument("--threads", type=int, choices=(1, 2), default=1)
    parser.add_argument("--peers", type=Path, help="a folder of virtual environments")
    parser.add_argument("--no-memory", dest="memory", action="store_false")
    options = parser.parse_args()
    report = measure(options)
    print(json.dumps(report, indent=1) if options.json else tables.engine(report))
    wrong = [
        f"{workload}: {key}: {each['wrong']}"
        for workload, found in report["results"].items()
        for key, each in found.items()
        if "wrong" in each
    ]
    for line in wrong:
        machine.say(f"WRONG {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
