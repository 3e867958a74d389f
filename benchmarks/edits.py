"""What an edit costs in a graph of 1,000 nodes: one number, one wire."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import gradviz as gv
from benchmarks import machine, workloads
from benchmarks.engines.gradviz_fast import Words
from gradviz.edit.wires import connect
from gradviz.engine.answer import answer
from gradviz.engine.compiled import compile_gradients
from gradviz.graph.model import InPort, OutPort, frozen_array

NODES = 1_000
TIMES = 9


def measure() -> dict[str, Any]:
    """Milliseconds of processor time, median and quartiles."""
    leaves = {
        name: gv.variable(array, name=name)
        for name, array in workloads.every()["i_dag10k"].inputs(0).items()
    }
    y = workloads.random_dag(NODES).program(Words(), leaves, {})
    diagram = gv.diagram(y, list(leaves.values()))
    before = answer(diagram)
    named = diagram.node_called("l0").id
    compiled = compile_gradients(y, list(leaves.values()))
    arrays = [leaf.value for leaf in leaves.values()]
    for _ in range(5):
        compiled(*arrays)
    # A wire from a leaf to a node in the middle closes no cycle.
    ends = [node for node in diagram.graph if len(node.inputs) == 2]
    target = ends[len(ends) // 2]
    found: dict[str, list[float]] = {"steady": [], "number": [], "recorded": [], "wire": []}
    for number in range(TIMES):
        moved = frozen_array(leaves["l0"].value + number + 1.0)
        timed(found["steady"], lambda: compiled(*arrays))
        timed(found["number"], lambda moved=moved: compiled(moved, *arrays[1:]))
        changed = replace(diagram, values={**diagram.values, named: moved})
        timed(found["recorded"], lambda changed=changed: answer(changed, before))
        end = InPort(target.id, number % 2)
        timed(
            found["wire"],
            lambda end=end: answer(connect(diagram, OutPort(named), end, before.specs), before),
        )
    return {key: machine.spread([1e3 * second for second in each]) for key, each in found.items()}


def timed(into: list[float], work: Any) -> None:
    start = time.process_time()
    work()
    into.append(time.process_time() - start)
