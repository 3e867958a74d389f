"""What edits of a large graph cost: its order, the cycle check of a wire, the edit; beside a plain dict walk and networkx.

python -m benchmarks.graph [--json] [--rounds N]
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from typing import Any, Final

import networkx as nx

from benchmarks import machine, tables
from gradviz.graph.model import Graph, Node, OutPort
from gradviz.graph.walk import topological_order, would_close_cycle

SIZES: Final = (1_000, 10_000, 100_000)
CHECKS: Final = 20
LARGEST: Final = SIZES[-1]
CHECK_US, EDIT_MS = 10.0, 3.0
"""The bars at the largest size: the check of a legal wire, and the edit."""

Edge = tuple[str, str]


def random_graph(count: int, seed: int = 0) -> Graph:
    """A node reads up to two of the hundred before it."""
    draw = random.Random(seed)
    nodes = {}
    for i in range(count):
        sources = [draw.randrange(max(0, i - 100), i) for _ in range(min(i, 2))]
        nodes[f"n{i}"] = Node(f"n{i}", "f", tuple(OutPort(f"n{s}") for s in sources))
    return Graph(nodes)


def wires(count: int, legal: bool) -> list[Edge]:
    """Forward ones of any length; backward ones from a thousandth of the graph behind the target."""
    draw = random.Random(1)
    found = []
    for _ in range(CHECKS):
        first, last = sorted(draw.sample(range(count), 2))
        if legal:
            found.append((f"n{first}", f"n{last}"))
        else:
            found.append((f"n{min(first + max(1, count // 1000), count - 1)}", f"n{first}"))
    return found


def measure(rounds: int) -> dict[str, Any]:
    """Milliseconds (of one order, one edit) and microseconds (of one check) of processor time."""
    return {
        "machine": machine.facts(1),
        "rounds": rounds,
        "sizes": {str(count): _measure_size(count, rounds) for count in SIZES},
    }


def _measure_size(count: int, rounds: int) -> dict[str, Any]:
    graph = random_graph(count)
    plain = {
        node.id: [port.node for port in node.inputs if port is not None]
        for node in graph.nodes.values()
    }
    net = nx.DiGraph()
    net.add_nodes_from(plain)
    net.add_edges_from((source, id) for id, sources in plain.items() for source in sources)
    found: dict[str, dict[str, list[float]]] = {}

    def timed(task: str, who: str, scale: float, work: Callable[[], object]) -> None:
        start = time.process_time()
        made = work()
        into = found.setdefault(task, {}).setdefault(who, [])
        into.append(scale * (time.process_time() - start))
        # Undo keeps what was made: to free it is no part of the edit.
        del made

    for number in range(rounds):
        fresh = Graph(graph.nodes)
        timed("index", "gradviz", 1e3, lambda fresh=fresh: fresh.index)
        timed("order", "gradviz", 1e3, lambda fresh=fresh: topological_order(fresh))
        timed("order", "dict", 1e3, lambda: plain_order(plain))
        timed("order", "networkx", 1e3, lambda: list(nx.topological_sort(net)))
        for task, legal in (("check, legal", True), ("check, backward", False)):
            asked = wires(count, legal)
            each = 1e6 / CHECKS
            timed(
                task,
                "gradviz",
                each,
                lambda asked=asked, fresh=fresh: [would_close_cycle(fresh, *e) for e in asked],
            )
            timed(task, "dict", each, lambda asked=asked: [plain_check(plain, *e) for e in asked])
            timed(
                task,
                "networkx",
                each,
                lambda asked=asked: [nx.has_path(net, target, source) for source, target in asked],
            )
        source, target = wires(count, True)[number % CHECKS]
        wired = fresh[target].with_input(0, OutPort(source))
        timed("wire", "gradviz", 1e3, lambda fresh=fresh, wired=wired: fresh.with_nodes(wired))
        added = Node("new", "f", (OutPort(source),))
        timed("add", "gradviz", 1e3, lambda fresh=fresh, added=added: fresh.with_nodes(added))
        timed("delete", "gradviz", 1e3, lambda fresh=fresh, target=target: fresh.without([target]))
    return {
        task: {who: machine.spread(spent) for who, spent in by.items()}
        for task, by in found.items()
    }


def plain_order(plain: dict[str, list[str]]) -> list[str]:
    """Kahn's algorithm over a dict of lists."""
    missing = {id: len(set(sources)) for id, sources in plain.items()}
    readers: dict[str, list[str]] = {id: [] for id in plain}
    for id, sources in plain.items():
        for source in set(sources):
            readers[source].append(id)
    ready = [id for id, left in missing.items() if not left]
    for id in ready:
        for reader in readers[id]:
            missing[reader] -= 1
            if not missing[reader]:
                ready.append(reader)
    return ready


def plain_check(plain: dict[str, list[str]], source: str, target: str) -> bool:
    """Whether `source` is computed from `target`, by walking all that it is computed from."""
    seen, waiting = {source}, [source]
    while waiting:
        id = waiting.pop()
        if id == target:
            return True
        for other in plain[id]:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return False


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.graph")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    found = measure(options.rounds)
    if options.json:
        print(json.dumps(found, indent=1))
        return
    rows = []
    for count in SIZES:
        for task, by in found["sizes"][str(count)].items():
            bar = _bar(task) if count == LARGEST else None
            rows.append(
                [
                    f"{count:,}",
                    task,
                    "µs" if task.startswith("check") else "ms",
                    *(
                        tables.around(by[w]) if w in by else ""
                        for w in ("gradviz", "dict", "networkx")
                    ),
                    "" if bar is None else f"≤ {bar:g}",
                    ""
                    if bar is None
                    else "pass"
                    if by["gradviz"]["median"] <= bar
                    else "**missed**",
                ]
            )
    heads = ["nodes", "task", "", "gradviz", "dict walk", "networkx", "bar", ""]
    print(tables.table(heads, rows))
    print(f"\n{machine.busy()}")


def _bar(task: str) -> float | None:
    if task in ("wire", "add", "delete"):
        return EDIT_MS
    return CHECK_US if task == "check, legal" else None


if __name__ == "__main__":
    main()
