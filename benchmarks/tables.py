"""Reports as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

FIRST_PER_NODE = 25e-6
NUMBER_MS, WIRE_MS = 1.0, 25.0
RECORDED = 2.0
NONE = "–"


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *map(list, rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def figure(number: float) -> str:
    """Three digits that count."""
    if number >= 100:
        return f"{number:,.0f}"
    return f"{number:.3g}" if number else "0"


def seconds(number: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if number >= size:
            return f"{figure(number / size)} {unit}"
    return f"{figure(number / 1e-9)} ns"


def around(spread: Mapping[str, float]) -> str:
    return f"{figure(spread['median'])} ({figure(spread['low'])} to {figure(spread['high'])})"


def cell(each: Mapping[str, Any] | None, key: str = "ratio") -> str:
    """A figure, or why there is none."""
    if each is None:
        return NONE
    if "wrong" in each:
        return f"WRONG: {each['wrong']}"
    if not each["fine"]:
        return NONE if "unsupported" in each else f"failed: {each.get('error', '?')}"
    return around(each[key]) if key in each else NONE


def engine(report: Mapping[str, Any]) -> str:
    """The tables of `benchmarks.engine`."""
    graphs, results, engines = report["workloads"], report["results"], report["engines"]
    where = ", ".join(f"{key} {value}" for key, value in report["machine"].items())
    versions = ", ".join(f"{key} {value}" for key, value in sorted(report["versions"].items()))
    parts = [
        f"Measured with {versions}; {where}; {report['rounds']} rounds. Medians, in brackets the quartiles.",
    ]
    if report["absent"]:
        parts.append(f"Absent: {', '.join(report['absent'])}.")
    titles = [graph["title"] for graph in graphs.values()]
    parts += [
        "## Steady calls: ratio to NumPy by hand",
        table(
            ["", *titles],
            [
                [title, *(cell(results[graph].get(key)) for graph in graphs)]
                for key, title in engines.items()
            ],
        ),
        "## Steady calls: time",
        table(
            ["", *titles],
            [
                [
                    title,
                    *(
                        seconds(each["seconds"]["median"])
                        if (each := results[graph].get(key)) and "seconds" in each
                        else NONE
                        for graph in graphs
                    ),
                ]
                for key, title in engines.items()
            ],
        ),
        "## First call: from nothing to the first result",
        table(["", *titles], [_firsts(key, report) for key in engines]),
    ]
    if "gradviz" in engines:
        lines = list(bars(report))
        parts += [
            "## Bars",
            table(
                ["what", "bar", "measured", ""],
                [
                    [what, bar, got, "pass" if fine else "**missed**"]
                    for what, bar, got, fine in lines
                ],
            ),
            f"{sum(fine for *_, fine in lines)} of {len(lines)} bars are met.",
        ]
    return "\n\n".join(parts)


def _firsts(key: str, report: Mapping[str, Any]) -> list[str]:
    cells = [report["engines"][key]]
    for graph, facts in report["workloads"].items():
        each = report["results"][graph].get(key)
        if each is None or not each["fine"]:
            cells.append(NONE)
        elif facts["nodes"] >= 1000:
            per = each["first"] / facts["nodes"]
            cells.append(f"{seconds(each['first'])}, {figure(per * 1e6)} µs a node")
        else:
            cells.append(seconds(each["first"]))
    return cells


def bars(report: Mapping[str, Any]) -> Iterable[tuple[str, str, str, bool]]:
    """What is measured, its bar, the figure, and whether it is met."""
    for key, graph in report["workloads"].items():
        each = report["results"][key].get("gradviz")
        if each is None:
            continue
        title = graph["title"]
        if "ratio" not in each:
            yield title, f"≤ {graph['bar']:.2f}", cell(each), False
            continue
        ratio = each["ratio"]
        yield title, f"≤ {graph['bar']:.2f}", around(ratio), ratio["median"] <= graph["bar"]
    for key, graph in report["workloads"].items():
        each = report["results"][key].get("gradviz", {})
        if graph["nodes"] >= 1000 and "ratio" in each:
            # What it takes to write the expressions is not part of it; the table above has both.
            written = each["facts"]["written"]
            over = each["first"] - written - each["seconds"]["median"]
            per = over / graph["nodes"]
            yield (
                f"first call (check, gradient, plan, run), {graph['title']}",
                f"≤ {FIRST_PER_NODE * 1e6:.0f} µs a node + a steady call",
                f"{figure(per * 1e6)} µs a node ({seconds(each['first'] - written)})",
                per <= FIRST_PER_NODE,
            )
    for key, graph in report["workloads"].items():
        each = report["results"][key].get("gradviz", {})
        slow = report["results"][key].get("gradviz_recorded", {})
        if "ratio" in each and "ratio" in slow and key[0] in "efghij":
            times = slow["ratio"]["median"] / each["ratio"]["median"]
            what = f"recorded ÷ fast, {graph['title']}"
            yield what, f"≤ {RECORDED:.0f}", figure(times), times <= RECORDED
    for key, graph in report["workloads"].items():
        memory = report["results"][key].get("gradviz", {}).get("memory", {})
        if memory.get("fine") and "kept" in memory["facts"]:
            facts = memory["facts"]
            allowed = facts["kept"] + 2 * facts["largest"]
            yield (
                f"peak memory, {graph['title']}",
                f"≤ {megabytes(allowed)}",
                f"{megabytes(memory['traced'])} (process: {megabytes(memory['resident'])})",
                memory["traced"] <= allowed,
            )
    if "edits" in report:
        found = report["edits"]
        steady, recorded = found["steady"]["median"], found["recorded"]["median"]
        number, wire = found["number"]["median"], found["wire"]["median"]
        yield (
            "one number of 1,000 nodes, called again",
            f"≤ {NUMBER_MS:.0f} ms + a steady call ({figure(steady)} ms)",
            f"{figure(number)} ms",
            number - steady <= NUMBER_MS,
        )
        yield (
            "one wire of 1,000 nodes: edit, check, gradient, plan, recorded run",
            f"≤ {WIRE_MS:.0f} ms + a recorded run ({figure(recorded)} ms)",
            f"{figure(wire)} ms",
            wire - recorded <= WIRE_MS,
        )


def megabytes(count: int | None) -> str:
    return "unknown" if count is None else f"{count / 1e6:,.1f} MB"
