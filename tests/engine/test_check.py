"""Shapes and dtypes of a whole graph: what is wrong is a list, and what did not change is not looked at again."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from gradviz.engine.check import Specs, infer
from gradviz.errors import GraphError
from gradviz.graph.model import Graph, Node, OutPort
from gradviz.ops import registry
from gradviz.ops.op import FRAMEWORKS, example, op
from gradviz.ops.spec import FLOAT64, Spec
from gradviz.text import mark

FLOAT3: dict[str, object] = {"shape": (3,), "dtype": "float64"}


def graph(*nodes: Node) -> Graph:
    return Graph({node.id: node for node in nodes})


def source(id: str, **attributes: Any) -> Node:
    return Node(id, "variable", (), {**FLOAT3, **attributes})


def node(id: str, op: str, *inputs: str | None, **attributes: Any) -> Node:
    ports = tuple(None if port is None else OutPort(port) for port in inputs)
    return Node(id, op, ports, attributes)


@pytest.mark.parametrize(
    ("faulty", "kind", "index", "words"),
    [
        (node("n", "conv9", "x"), "unknown-op", None, "conv9 is not known here"),
        (node("n", "add", "x"), "inputs", None, "add takes 2 inputs, not 1"),
        (node("n", "add", "x", "x", "x"), "inputs", None, "add takes 2 inputs, not 3"),
        (node("n", "concat"), "inputs", None, "concat takes 1 or more inputs, not 0"),
        (node("n", "add", "x", None), "open", 1, "The input y has no wire"),
        (node("n", "concat", "x", None, "x"), "open", 1, "The input xs1 has no wire"),
        (Node("n", "sin", (OutPort("x", 1),)), "inputs", 0, "an output that does not exist"),
        (node("n", "add", "x", "w"), "shape", None, "on axis -1"),
        (node("n", "sum", "x", axis=3), "shape", None, "no axis 3"),
        (node("n", "sum", "x", axe=3), "shape", None, "no setting axe"),
        (node("n", "reshape", "x"), "shape", None, "needs the setting shape"),
        (node("n", "broadcast_to", "x", shape=(10**8, 3)), "shape", None, "more than 10,000,000 numbers"),
        (node("n", "spread", "x", shape=7), "settings", None, "settings of spread cannot be used"),
    ],
)  # fmt: skip
def test_a_problem_is_told_and_ends_nothing(
    faulty: Node, kind: str, index: int | None, words: str
) -> None:
    specs = infer(
        graph(
            source("x"),
            source("w", shape=(2,)),
            faulty,
            node("after", "exp", "n"),
            node("beside", "exp", "x"),
        )
    )
    assert list(specs.problems) == ["n"]
    problem = specs.problems["n"]
    assert (problem.kind, problem.input) == (kind, index)
    assert words in str(problem.message)
    assert specs[OutPort("n")] is None
    assert specs[OutPort("after")] is None
    assert specs[OutPort("beside")] == Spec((3,), FLOAT64)
    assert not specs.is_float(OutPort("after"))


def test_a_port_that_does_not_exist_is_unknown() -> None:
    specs = infer(graph(source("x")))
    assert specs[OutPort("x", 4)] is None
    assert specs[OutPort("nowhere")] is None


def test_a_cycle_is_an_error() -> None:
    with pytest.raises(GraphError, match="cycle"):
        infer(graph(node("a", "sin", "b"), node("b", "sin", "a")))


class TestReuse:
    """Decision 1: an edit looks again at what lies downstream of it, and stops where nothing changes."""

    @pytest.fixture(autouse=True)
    def _op(self):
        self.calls: Counter[tuple[int, ...]] = Counter()

        def looked_at(x):
            """Counts how often its shape is asked for."""
            return x

        def spec(x: Spec) -> Spec:
            self.calls[x.shape] += 1
            return Spec((), FLOAT64) if x.shape == (0,) else x

        op(
            sign="t", category=mark("test", "Test"), family="map", summary=mark("test", "A test."), text="f({x})",
            formula="x", code=dict.fromkeys(FRAMEWORKS, "{x}"), aliases={}, spec=spec, examples=[example([1.0])],
        )(looked_at)  # fmt: skip
        yield
        registry.unregister("looked_at")

    def chain(self) -> Graph:
        nodes = [source("x"), source("w")]
        for i in range(5):
            nodes.append(node(f"a{i}", "looked_at", f"a{i - 1}" if i else "x"))
            nodes.append(node(f"b{i}", "looked_at", f"b{i - 1}" if i else "w"))
        return graph(*nodes)

    def again(self, changed: Graph, before: Specs) -> int:
        self.calls.clear()
        after = infer(changed, before)
        fresh = infer(changed)
        assert after.outputs == fresh.outputs
        assert after.problems.keys() == fresh.problems.keys()
        self.calls.clear()
        infer(changed, before)
        return sum(self.calls.values())

    def test_the_same_graph_is_not_looked_at(self) -> None:
        before = infer(self.chain())
        assert sum(self.calls.values()) == 10
        assert self.again(self.chain().with_nodes(), before) == 10  # other nodes, though equal
        self.calls.clear()
        assert self.again(before.graph.with_nodes(), before) == 0

    def test_another_shape_goes_downstream_only(self) -> None:
        before = infer(self.chain())
        changed = before.graph.with_nodes(source("x", shape=(7,)))
        assert self.again(changed, before) == 5

    def test_a_changed_wire_in_the_middle(self) -> None:
        before = infer(self.chain())
        changed = before.graph.with_nodes(node("a2", "looked_at", "w"))
        # The shape is the same as before, so nothing after it is looked at.
        assert self.again(changed, before) == 1
        changed = before.graph.with_nodes(source("w", shape=(7,)), node("a2", "looked_at", "w"))
        assert self.again(changed, before) == 5 + 3

    def test_a_deleted_node(self) -> None:
        before = infer(self.chain())
        changed = before.graph.without(["a1"])
        assert self.again(changed, before) == 0
        assert infer(changed, before)[OutPort("a4")] is None
        assert infer(changed, before).problems["a2"].kind == "open"

    def test_a_new_node(self) -> None:
        before = infer(self.chain())
        changed = before.graph.with_nodes(node("c", "looked_at", "b4"))
        assert self.again(changed, before) == 1

    def test_problems_are_kept_and_go(self) -> None:
        faulty = self.chain().with_nodes(node("n", "sum", "a4", axis=3), node("m", "exp", "n"))
        before = infer(faulty)
        after = infer(faulty.with_nodes(node("c", "looked_at", "b4")), before)
        assert list(after.problems) == ["n"]
        mended = infer(faulty.with_nodes(node("n", "sum", "a4", axis=0)), after)
        assert not mended.problems
        assert mended[OutPort("m")] == Spec((), FLOAT64)


def test_weak_numbers_take_the_dtype_they_meet() -> None:
    specs = infer(
        graph(
            source("x", dtype="float32"),
            Node("c", "constant", (), {"shape": (), "dtype": "weak"}),
            node("y", "add", "x", "c"),
            node("z", "add", "c", "c"),
        )
    )
    assert specs[OutPort("y")] == Spec((3,), np.dtype(np.float32))
    assert specs[OutPort("z")] == Spec((), FLOAT64)
    assert specs[OutPort("c")] == Spec((), FLOAT64, weak=True)
