"""The recorded run: every node that can be computed is, the others say why not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.engine.answer import answer
from gradviz.engine.check import infer
from gradviz.engine.plan import plan
from gradviz.engine.run import Run, run
from gradviz.errors import LimitError
from gradviz.graph.model import Diagram, Graph, Node, OutPort, Query, frozen_array
from gradviz.ops.expr import Collected

FLOAT2: dict[str, object] = {"shape": (2,), "dtype": "float64"}


def node(id: str, op: str, *inputs: str | None, **attributes: Any) -> Node:
    ports = tuple(None if port is None else OutPort(port) for port in inputs)
    return Node(id, op, ports, attributes)


def executed(*nodes: Node, **values: Any) -> Run:
    graph = Graph({node.id: node for node in nodes})
    arrays = {id: frozen_array(value) for id, value in values.items()}
    return run(plan(graph, infer(graph).outputs), arrays)


def test_an_error_stays_on_its_node() -> None:
    found = executed(
        Node("n", "constant", (), {"shape": (2,), "dtype": "int64"}),
        node("bad", "power", "n", "n"),
        node("after", "sin", "bad"),
        node("beside", "sin", "n"),
        n=[-1, 2],
    )
    assert "negative integer power" in str(found.error("bad"))
    assert found.records["after"].waiting
    assert found.error("after") is None
    assert found[OutPort("after")] is None
    assert found[OutPort("beside")] is not None


def test_a_source_without_a_value_says_so() -> None:
    found = executed(Node("x", "variable", (), FLOAT2), node("y", "sin", "x"))
    assert "no value yet" in str(found.error("x"))
    assert found.records["y"].waiting


def test_an_unknown_op_says_so() -> None:
    found = executed(Node("x", "variable", (), FLOAT2), node("y", "conv9", "x"), x=[1.0, 2.0])
    assert "not known here" in str(found.error("y"))


@pytest.mark.parametrize("faulty", [
    node("y", "where", "x", "x", "x"),  # NumPy would take numbers for a condition
    node("y", "squeeze", "x", axis=()),
    node("y", "broadcast_to", "x", shape=(10**7, 2)),  # 160 MB
    node("y", "add", "x", None),
    node("y", "sin", "x", "x"),
])  # fmt: skip
def test_what_was_refused_is_not_tried(faulty: Node) -> None:
    graph = Graph({"x": Node("x", "variable", (), FLOAT2), "y": faulty})
    specs = infer(graph)
    found = run(plan(graph, specs.outputs), {"x": frozen_array([1.0, 2.0])})
    assert (found[OutPort("y")] is None) == ("y" in specs.problems)
    assert found.error("y") is None


def test_infinities_and_nan_are_values() -> None:
    found = executed(Node("x", "variable", (), FLOAT2), node("y", "log", "x"), x=[0.0, -1.0])
    assert np.array_equal(found[OutPort("y")], [-np.inf, np.nan], equal_nan=True)  # type: ignore[arg-type]
    assert found.error("y") is None


def test_results_cannot_be_written_to() -> None:
    x = gv.variable([[1.0, 2.0], [3.0, 4.0]], name="x")
    y = gv.sum(gv.transpose(x)[0] + gv.reshape(x, (4,))[1:3] * gv.stop_gradient(x)[1])
    found = answer(gv.diagram(y, [x]))
    for record in found.run.records.values():
        for array in record.outputs:
            assert not array.flags.writeable
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0


def test_only_what_the_targets_need_is_planned() -> None:
    graph = Graph({n.id: n for n in (
        Node("x", "variable", (), FLOAT2), node("a", "sin", "x"), node("b", "exp", "a"), node("c", "exp", "x"),
    )})  # fmt: skip
    order = plan(graph, infer(graph).outputs, ["a"])
    assert [n.id for n in order.nodes] == ["x", "a"]
    assert order.bytes == 2 * 16


def test_a_run_that_does_not_fit_is_refused_before_it_starts() -> None:
    nodes = {"x": Node("x", "random_normal", (), {"shape": (10**7,), "dtype": "float64"})}
    nodes |= {f"n{i}": node(f"n{i}", "exp", "x") for i in range(7)}
    graph = Graph(nodes)
    seen: list[int] = []
    with pytest.raises(LimitError, match="610 MiB; at most 512 MiB"):
        run(plan(graph, infer(graph).outputs), {}, progress=lambda done, all_: seen.append(done))
    assert seen == []


def test_progress_and_cancelling() -> None:
    graph = Graph({"x": Node("x", "variable", (), FLOAT2), **{
        f"n{i}": node(f"n{i}", "sin", f"n{i - 1}" if i else "x") for i in range(9)
    }})  # fmt: skip
    seen: list[tuple[int, int]] = []
    order = plan(graph, infer(graph).outputs)
    values = {"x": frozen_array([1.0, 2.0])}
    whole = run(order, values, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(i, 10) for i in range(10)]
    assert not whole.cancelled
    part = run(
        order, values, cancelled=lambda: len(seen) >= 14, progress=lambda d, t: seen.append((d, t))
    )
    assert part.cancelled
    assert len(part.records) == 4


def test_a_node_may_be_held() -> None:
    found = executed(
        Node("x", "variable", (), FLOAT2), node("y", "sin", "x"), node("z", "exp", "y"),
        x=[1.0, 2.0], y=[0.0, 0.0],
    )  # fmt: skip
    assert found[OutPort("z")].tolist() == [1.0, 1.0]  # type: ignore[union-attr]


def test_random_numbers_are_a_function_of_their_settings() -> None:
    attributes = {"shape": (3, 3), "dtype": "float32", "seed": 7}
    first, again = (executed(Node("x", "random_normal", (), attributes)) for _ in range(2))
    other = executed(Node("x", "random_normal", (), {**attributes, "seed": 8}))
    expected = np.random.RandomState(7).standard_normal((3, 3)).astype(np.float32)
    assert np.array_equal(first[OutPort("x")], expected)  # type: ignore[arg-type]
    assert np.array_equal(again[OutPort("x")], expected)  # type: ignore[arg-type]
    assert not np.array_equal(other[OutPort("x")], expected)  # type: ignore[arg-type]


class TestAnswer:
    """The question with its defaults (decision 17), and what is kept from one answer to the next."""

    def diagram(self, **options: Any) -> Diagram:
        x, w = gv.variable([1.0, 2.0], name="x"), gv.variable(3.0, name="w")
        n, r = gv.constant([1, 2], name="n"), gv.random_normal((2,), seed=1, name="r")
        y = gv.sum(x * w * n + r)
        y.name = "y"
        z = x > 1.0
        z.name = "z"
        collected = Collected([y, z])
        return Diagram(collected.graph, collected.values, **options)

    def test_defaults(self) -> None:
        found = answer(self.diagram())
        assert found.question.chosen == "only"
        assert [p.node for p in found.question.of] == ["y"]
        assert [p.node for p in found.question.wrt] == ["x", "w", "r"]

    def test_every_float_node_before_the_target_has_its_gradient(self) -> None:
        found = answer(self.diagram(queries=(Query(("y",), ("w",)),)))
        assert [p.node for p in found.question.wrt] == ["w"]
        floats = [id for id in found.specs.order if found.specs.is_float(OutPort(id))]
        assert all(found.adjoint(OutPort(id)) is not None for id in floats if id != "c")

    def test_seeds_of_a_question(self) -> None:
        found = answer(self.diagram(queries=(Query(("y", "x"), ("x",), (2.0, [10.0, "NaN"])),)))
        slope = found.adjoint(OutPort("x"))
        assert np.array_equal(slope, [16.0, np.nan], equal_nan=True)  # type: ignore[arg-type]

    @pytest.mark.parametrize("seed", [([1.0, 2.0],), ([[1.0], [2.0, 3.0]],), ("x",)])
    def test_seeds_that_cannot_be(self, seed: Any) -> None:
        with pytest.raises(gv.GradvizError, match="seed"):
            answer(self.diagram(queries=(Query(("y",), ("x",), seed),)))

    def test_another_number_keeps_the_set_up(self) -> None:
        before = self.diagram()
        first = answer(before)
        moved = Diagram(before.graph, {**before.values, "w": frozen_array(5.0)})
        second = answer(moved, first)
        assert second.setup is first.setup
        assert second.adjoint(OutPort("x")).tolist() == [5.0, 10.0]  # type: ignore[union-attr]
        assert first.adjoint(OutPort("x")).tolist() == [3.0, 6.0]  # type: ignore[union-attr]

    def test_another_question_keeps_the_shapes(self) -> None:
        before = self.diagram()
        first = answer(before)
        asked = Diagram(before.graph, before.values, (Query(("y",), ("w",)),))
        second = answer(asked, first)
        assert second.setup is not first.setup
        assert second.adjoint(OutPort("w")) == 5.0

    def test_zeros_when_asked_for(self) -> None:
        found = answer(self.diagram(queries=(Query(("x",), ("w", "n"), unconnected="zero"),)))
        assert found.result(OutPort("w")) == 0.0
        assert found.result(OutPort("n")).tolist() == [0, 0]  # type: ignore[union-attr]
