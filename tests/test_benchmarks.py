"""What the benchmark times is right: gradviz and the hand-written programs compute the same. Nothing here is timed."""

import numpy as np
import pytest

from benchmarks import graph, tables, workloads
from benchmarks.engine import difference
from benchmarks.engines import floats_hand, gradviz_fast, gradviz_recorded, numpy_hand
from gradviz.graph import walk

EVERY = workloads.every()
ENGINES = (gradviz_fast, gradviz_recorded)


def computed(module, workload):
    engine = module.Engine()
    step = engine.build(workload)
    for seed in range(2):
        result = step(*engine.convert(list(workload.inputs(seed).values())))
    target, gradients = engine.unpack(result)
    return {"target": np.array(target)} | {f"g{i}": np.array(g) for i, g in enumerate(gradients)}


@pytest.mark.parametrize(
    "key",
    ["a_polynomial", "b_matrix", "c_chain1k", "e_mlp_f32", "e_mlp_f64", "f_attention", "j_hvp"],
)
def test_gradviz_computes_what_is_written_by_hand(key):
    workload = EVERY[key]
    expected = computed(numpy_hand, workload)
    engines = (*ENGINES, floats_hand) if workload.scalar else ENGINES
    for module in engines:
        assert difference(computed(module, workload), expected, workload.tolerance) == ""


def test_a_wrong_engine_is_found():
    right = {"target": np.array(2.0), "g0": np.ones(3)}
    assert difference(right, right, 1e-9) == ""
    assert "g0 differs by 1" in difference({**right, "g0": np.array([1.0, 2.0, 1.0])}, right, 1e-9)
    assert "g0 differs" in difference({**right, "g0": np.full(3, np.nan)}, right, 1e-9)
    assert "missing" in difference({"target": np.array(2.0)}, right, 1e-9)


def test_a_missed_bar_is_said():
    spread = {"median": 2.0, "low": 1.0, "high": 3.0}
    fast = {"fine": True, "ratio": spread, "seconds": spread, "first": 1.0}
    report = {
        "workloads": {"a": {"title": "small", "bar": 1.0, "nodes": 3}},
        "results": {"a": {"gradviz": fast}},
    }
    assert list(tables.bars(report)) == [("small", "≤ 1.00", "2 (1 to 3)", False)]


def test_the_graph_benchmark_asks_everybody_the_same():
    drawn = graph.random_graph(200)
    plain = {node.id: [port.node for port in node.inputs if port] for node in drawn}
    order = graph.plain_order(plain)
    assert sorted(order) == sorted(drawn.nodes)
    for legal in (True, False):
        for source, target in graph.wires(200, legal):
            closes = walk.would_close_cycle(drawn, source, target)
            assert closes == graph.plain_check(plain, source, target)
            assert not (closes and legal)
