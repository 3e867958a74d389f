"""gradient(): what tf.gradients means, and what is kept of the way."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradviz as gv
from gradviz.engine.check import infer
from gradviz.engine.gradient import Gradient, Role, gradient, grown
from gradviz.errors import GradientError, ShapeError
from gradviz.graph.model import Array, Graph, InPort, Node, OutPort
from gradviz.ops import registry
from gradviz.ops.expr import Collected, Expr
from gradviz.ops.op import FRAMEWORKS, example, op
from gradviz.text import mark
from tests.support.symbols import Built, built, close, differentiated, ops_of, slopes

FLOAT = {"shape": (), "dtype": "float64"}


def apply(name: str, *inputs: Any, **attributes: Any) -> Any:
    return gv.apply(name, *inputs, **attributes)


def numbers(found: Sequence[Expr | None]) -> list[Any]:
    return [None if g is None else g.value.tolist() for g in found]


def answers(
    ys: Sequence[Expr], xs: Sequence[Expr], **options: Any
) -> tuple[Built, Gradient, Collected]:
    collected = Collected([*ys, *xs])
    after, found = differentiated(
        built(collected),
        [collected.port(y) for y in ys],
        [collected.port(x) for x in xs],
        **options,
    )
    return after, found, collected


class TestArguments:
    """Engine research, section 1.2."""

    def setup_method(self) -> None:
        self.x = gv.variable(2.0, name="x")
        self.y = self.x**2 + self.x - 1

    def test_several_targets_are_added(self) -> None:
        assert numbers(gv.gradients([self.y, 7 * self.x], self.x)) == [12.0]

    def test_a_target_listed_twice_counts_twice(self) -> None:
        assert numbers(gv.gradients([self.y, self.y], self.x)) == [10.0]
        assert numbers(gv.gradients([self.y] * 3, self.x, grad_ys=[None, 2.0, None])) == [20.0]

    def test_a_target_listed_twice_is_one_step(self) -> None:
        _, found, _ = answers([self.y, self.y], [self.x])
        seeds = [step for step in found.steps if step.address.role is Role.SEED]
        assert len(seeds) == 1
        assert len(found.graph[seeds[0].nodes[0]].inputs) == 1

    def test_a_target_that_is_not_one_number_is_summed(self) -> None:
        x = gv.variable([1.0, 2.0, 3.0])
        assert numbers(gv.gradients(x**2, x)) == [[2.0, 4.0, 6.0]]
        m = gv.variable([[1.0, 2.0]])
        assert numbers(gv.gradients([x * 3.0, gv.sum(m) * x], [x, m])) == [[6.0] * 3, [[6.0, 6.0]]]

    def test_seeds(self) -> None:
        x = self.x
        assert numbers(gv.gradients([x, 2 * x, x**2], x, grad_ys=[1, 10, 100])) == [421.0]
        assert numbers(gv.gradients([x, 2 * x], x, grad_ys=[None, 10])) == [21.0]

    def test_a_seed_may_depend_on_x_and_is_differentiated_again(self) -> None:
        x = self.x
        (first,) = gv.gradients(x**2, x, grad_ys=x)
        assert numbers(gv.gradients(first, x)) == [8.0]

    @pytest.mark.parametrize("seed", [[1.0], [[1.0, 2.0, 3.0]], 1.0])
    def test_a_seed_of_the_wrong_shape_is_told_by_both_shapes(self, seed: object) -> None:
        x = gv.variable([1.0, 2.0, 3.0])
        with pytest.raises(
            ShapeError, match=r"^The seed is .*, but the target is 3 numbers: they must"
        ):
            gv.gradients(x * 2, x, grad_ys=[gv.constant(seed)])
        other = gv.variable(1.0)
        with pytest.raises(ShapeError):
            gv.gradients(x * 2, other, grad_ys=[gv.constant(seed)])

    def test_stop_gradients(self) -> None:
        a = gv.variable(0.0)
        b = 2 * a
        assert numbers(gv.gradients(a + b, [a, b])) == [3.0, 1.0]
        assert numbers(gv.gradients(a + b, [a, b], stop_gradients=[a, b])) == [1.0, 1.0]
        assert numbers(gv.gradients(a + b, [a, b], stop_gradients=[b])) == [1.0, 1.0]

    def test_a_target_that_is_stopped_passes_nothing_on(self) -> None:
        assert numbers(gv.gradients(self.y, [self.y, self.x], stop_gradients=[self.y])) == [
            1.0,
            None,
        ]

    def test_unconnected(self) -> None:
        other = gv.variable([[1.0, 2.0], [3.0, 4.0]], dtype="float32")
        assert gv.gradients(self.y, other) == [None]
        (zeros,) = gv.gradients(self.y, other, unconnected_gradients="zero")
        assert zeros is not None
        assert (zeros.dtype, zeros.value.tolist()) == (np.float32, [[0.0, 0.0], [0.0, 0.0]])
        whole = gv.constant([1, 2])
        (zeros,) = gv.gradients(self.y, whole, unconnected_gradients="zero")
        assert zeros is not None
        assert (zeros.dtype, zeros.value.tolist()) == (np.int64, [0, 0])
        with pytest.raises(GradientError, match='"none" or "zero"'):
            gv.gradients(self.y, other, unconnected_gradients="nil")

    def test_zeros_are_not_given_where_there_is_a_gradient(self) -> None:
        assert numbers(gv.gradients(self.y, self.x, unconnected_gradients="zero")) == [5.0]

    def test_x_may_be_any_node(self) -> None:
        c = gv.constant(3.0, name="c", dtype="float64")
        inner = self.x * c
        assert numbers(gv.gradients(inner**2, [c, inner, self.x])) == [24.0, 12.0, 36.0]

    def test_x_may_be_a_literal(self) -> None:
        three = gv.constant(3.0)
        assert numbers(gv.gradients(self.x * three, three)) == [2.0]

    def test_x_may_be_y(self) -> None:
        assert numbers(gv.gradients(self.y, self.y)) == [1.0]
        assert numbers(gv.gradients(self.x, self.x)) == [1.0]
        m = gv.variable([1.0, 2.0])
        assert numbers(gv.gradients([m, m * 2], m)) == [[3.0, 3.0]]

    def test_a_repeated_x_gets_the_whole_gradient_each_time(self) -> None:
        assert numbers(gv.gradients(self.y, [self.x, self.x])) == [5.0, 5.0]

    def test_empty_lists(self) -> None:
        assert gv.gradients([], [self.x]) == [None]
        assert gv.gradients(self.y, []) == []

    def test_swapped(self) -> None:
        assert gv.gradients(self.x, self.y) == [None]

    def test_a_target_before_another_gets_both(self) -> None:
        inner = self.x**2
        assert numbers(gv.gradients([inner, inner * 3], [inner, self.x])) == [4.0, 16.0]

    def test_whole_numbers_have_no_gradient(self) -> None:
        n = gv.constant([1, 2])
        assert gv.gradients(n * 2, n) == [None]
        assert gv.gradients(gv.sum(n * 1.5), n) == [None]
        assert gv.gradients([self.x > 1.0, self.y], self.x) != [None]


class TestWhatIsKept:
    def test_contributions_by_wire_add_up(self) -> None:
        x = gv.variable([[1.0, 2.0], [3.0, 4.0]], name="x")
        y = gv.sum(x**2) + gv.sum(x * x[0]) + gv.sum(gv.exp(x) * 0.1)
        after, found, collected = answers([y], [x])
        for port, contributions in found.arrived.items():
            wires = [c.wire for c in contributions]
            assert len(set(wires)) == len(wires)
            for wire in wires:
                assert wire is None or found.graph[wire.node].inputs[wire.index] == port
            total = sum(after.evaluate(c.result)[0] for c in contributions)
            assert np.allclose(total, after.evaluate(found.adjoints[port])[0])
        assert len(found.arrived[collected.port(x)]) == 4

    def test_both_ends_of_a_product_with_itself(self) -> None:
        x = gv.variable(3.0, name="x")
        after, found, collected = answers([x * x], [x])
        wires = [c.wire for c in found.arrived[collected.port(x)]]
        assert wires == [InPort("multiply", 0), InPort("multiply", 1)]
        assert after.evaluate(found.answers[0])[0] == 6.0  # type: ignore[arg-type]

    def test_every_cotangent_has_shape_and_dtype_of_its_value(self) -> None:
        x = gv.variable([1.0, 2.0], name="x", dtype="float32")
        w = gv.variable([[1.0], [2.0]], name="w")
        after, found, _ = answers([gv.sum(gv.tanh(x * w) / 2)], [x, w])
        for port, adjoint in found.adjoints.items():
            assert after.specs[port] is not None
            assert after.specs[adjoint][:2] == after.specs[port][:2]  # type: ignore[index]
            for contribution in found.arrived[port]:
                assert after.specs[contribution.result][:2] == after.specs[port][:2]  # type: ignore[index]

    def test_every_step_is_amount_times_local(self) -> None:
        x = gv.variable([0.5, 2.0], name="x")
        y = gv.exp(-x) / (x + 3) - gv.sin(x) * x**3
        after, found, _ = answers([y], [x])
        seen = 0
        for step in found.steps:
            if step.address.role is Role.CONTRIBUTION and not step.rule:
                terms = [
                    t if isinstance(t, float) else after.evaluate(t)[0]  # type: ignore[arg-type]
                    for t in (step.amount, step.local, step.result)
                ]
                assert np.allclose(terms[0] * terms[1], terms[2])
                seen += 1
        assert seen >= 8

    def test_addresses_are_unique(self) -> None:
        x = gv.variable([[0.5, 2.0]], name="x")
        y = gv.softmax(x @ gv.transpose(x)) * x + x[0] - gv.sum(x)
        for ys in ([y], [y, y, x]):
            first, found, collected = answers(ys, [x])
            assert max(Counter(step.address for step in found.steps).values()) == 1
            _, again = differentiated(first, [found.answers[0]], [collected.port(x)], 2)  # type: ignore[list-item]
            both = Counter(step.address for step in (*found.steps, *again.steps))
            assert max(both.values()) == 1

    def test_every_backward_node_knows_its_step(self) -> None:
        x = gv.variable([0.5, 2.0], name="x")
        _, found, _ = answers([gv.softmax(x) * x], [x])
        assert (
            set(found.specs)
            == set(found.origin)
            == set(found.graph.nodes) - set(found.primal.nodes)
        )
        addresses = {step.address for step in found.steps}
        assert set(found.origin.values()) <= addresses

    def test_the_graph_it_was_asked_about_is_untouched(self) -> None:
        x = gv.variable(1.0, name="x")
        _, found, collected = answers([x * 3 + x], [x])
        assert found.primal is collected.graph
        assert all(found.graph[node.id] is node for node in collected.graph)


class TestNoNodeForNothing:
    def ops(self, y: Expr, *xs: Expr) -> Counter[str]:
        _, found, _ = answers([y], xs)
        return Counter(found.graph[id].op for id in found.specs)

    def test_times_one(self) -> None:
        x = gv.variable(2.0)
        assert self.ops(x + x, x) == {"full_like": 1, "accumulate": 1}

    def test_times_minus_one(self) -> None:
        x = gv.variable(2.0)
        assert self.ops(1 - x, x) == {"full_like": 1, "negative": 1}

    def test_equal_shapes_are_not_fitted(self) -> None:
        x = gv.variable([1.0, 2.0])
        assert "sum_to" not in self.ops(x * x + x, x)

    @pytest.mark.parametrize(
        "make",
        [
            lambda x: gv.sum(x, axis=(0,), keepdims=True),
            lambda x: gv.mean(x, axis=0, keepdims=True),
            lambda x: gv.reshape(x, (1, 2)),
            lambda x: gv.squeeze(gv.transpose(x, axes=(0, 1))),
            lambda x: gv.concat([x], axis=1),
            lambda x: apply("broadcast_to", x, shape=(1, 2)),
            lambda x: apply("cast", x, dtype="float64"),
            lambda x: gv.expand_dims(x, axis=()),
        ],
    )
    def test_an_op_that_changed_nothing(self, make: Any) -> None:
        x = gv.variable([[1.0, 2.0]])
        assert set(self.ops(make(x), x)) <= {"full_like", "reshape"}

    def test_nobody_asked(self) -> None:
        x, w = gv.variable([[1.0, 2.0]]), gv.variable([[3.0], [4.0]])
        assert self.ops(x @ w, x) == {"full_like": 1, "matmul": 1, "matrix_transpose": 1}
        assert self.ops(gv.sum(x @ w) + gv.sum(gv.exp(w)), x) == {
            "full_like": 1,
            "spread": 1,
            "matmul": 1,
            "matrix_transpose": 1,
        }

    def test_no_path_no_node(self) -> None:
        x, other = gv.variable(1.0), gv.variable(2.0)
        assert not self.ops(x * 3, other)
        _, found, _ = answers([x * 3], [other])
        assert found.steps == ()

    def test_a_constant_exponent_has_no_logarithm(self) -> None:
        x = gv.variable(-2.0)
        assert "power_log" not in self.ops(x**3, x)

    def test_a_literal_is_one_node(self) -> None:
        x = gv.variable(2.0)
        _, found, _ = answers([x**2 + (x + 1) ** 2 + (x - 1) ** 2], [x])
        literals = [id for id in found.specs if found.graph[id].op == "constant"]
        assert len(literals) == 1

    def test_literals_of_different_dtypes_are_two_nodes(self) -> None:
        """A whole exponent takes a whole 1; the 1 of 1/y is a float."""
        x, y = gv.variable(2.0), gv.variable(3.0)
        after, found, _ = answers([1 / x * apply("power", y, gv.constant(3))], [x, y])
        again = infer(found.graph)
        assert not again.problems
        assert all(again.outputs[id] == after.specs.outputs[id] for id in found.specs)


class TestSecondOrder:
    def test_by_the_graph(self) -> None:
        x = gv.variable(2.0, name="x")
        first, found, collected = answers([x**2 + x - 1], [x])
        second, again = differentiated(first, [found.answers[0]], [collected.port(x)], 2)  # type: ignore[list-item]
        assert second.evaluate(again.answers[0])[0] == 2.0  # type: ignore[arg-type]
        assert again.occurrence == 2
        assert all(step.address.occurrence == 2 for step in again.steps)

    def test_third_order(self) -> None:
        x = gv.variable(2.0)
        y: Expr | None = gv.exp(x) * x**3
        for _ in range(3):
            assert y is not None
            (y,) = gv.gradients(y, x)
        assert y is not None
        assert np.isclose(y.value, np.exp(2) * (8 + 9 * 4 + 18 * 2 + 6))

    def test_the_same_expression_twice_gives_the_same(self) -> None:
        """Runs never accumulate."""
        x = gv.variable(2.0)
        y = x**2
        assert numbers(gv.gradients(y, x)) == numbers(gv.gradients(y, x)) == [4.0]


class TestFloat32:
    @pytest.mark.parametrize("seed", range(20))
    def test_the_second_case(self, seed: int) -> None:
        X = gv.random_normal((3, 3), seed=seed, dtype="float32", name="X")
        s = gv.sum(X)
        (g,) = gv.gradients(s**2 + s - 1, X)
        assert g is not None
        exact = np.float32(2) * s.value + np.float32(1)
        assert exact.dtype == np.float32
        assert g.dtype == np.float32
        assert g.shape == (3, 3)
        assert (g.value == exact).all()

    @pytest.mark.parametrize("seed", range(20))
    def test_with_a_product(self, seed: int) -> None:
        X = gv.random_normal((3, 3), seed=seed, dtype="float32")
        s = gv.sum(X)
        (g,) = gv.gradients(s * s + s - 1, X)
        assert g is not None
        exact: Any = np.float32(2) * s.value + np.float32(1)
        assert (np.abs(g.value - exact) <= 2 * np.spacing(np.abs(exact))).all()


class TestLength:
    """Loops only: no recursion limit, no time that grows with the number of paths."""

    def test_a_chain_of_20_000(self) -> None:
        assert sys.getrecursionlimit() < 20_000
        x = gv.variable(0.5)
        y = x
        for _ in range(20_000):
            y = y * 1.0001
        (g,) = gv.gradients(y, x)
        assert g is not None
        assert np.isclose(g.value, 1.0001**20_000)

    def test_a_chain_of_20_000_as_a_graph(self) -> None:
        nodes = {"n0": Node("n0", "variable", (), FLOAT)}
        for i in range(1, 20_000):
            nodes[f"n{i}"] = Node(f"n{i}", "sin", (OutPort(f"n{i - 1}"),))
        specs = infer(Graph(nodes))
        found = gradient(specs, [OutPort("n19999")], [OutPort("n0")])
        assert len(found.specs) == 2 * 19_999 + 1
        assert len(found.steps) == 19_999 + 2

    def test_doublings(self) -> None:
        x = gv.variable(1.0)
        y = x
        for _ in range(20):
            y = y + y
        after, found, _ = answers([y], [x])
        assert after.evaluate(found.answers[0])[0] == 2.0**20  # type: ignore[arg-type]
        assert len(found.specs) <= 2 * 20 + 1


def mlp() -> tuple[Expr, list[Expr]]:
    rng = np.random.RandomState(0)
    X, T = gv.constant(rng.randn(4, 3), name="X"), gv.constant(np.eye(3)[[0, 2, 1, 0]], name="T")
    w1, b1 = gv.variable(rng.randn(3, 5), name="W1"), gv.variable(rng.randn(5), name="b1")
    w2, b2 = gv.variable(rng.randn(5, 3), name="W2"), gv.variable(rng.randn(3), name="b2")
    hidden = gv.tanh(X @ w1 + b1)
    return gv.softmax_cross_entropy(hidden @ w2 + b2, T), [w1, b1, w2, b2]


def attention() -> tuple[Expr, list[Expr]]:
    rng = np.random.RandomState(1)
    q, k, v = (gv.variable(rng.randn(4, 3), name=n) for n in "qkv")
    weights = gv.softmax(q @ gv.transpose(k) / np.sqrt(3.0))
    return gv.sum((weights @ v) ** 2), [q, k, v]


class TestBudget:
    """Decision 13: how many backward nodes there may be for each forward node, and that all are known ops."""

    @pytest.mark.parametrize("network", [mlp, attention])
    def test_nodes(self, network: Any) -> None:
        y, xs = network()
        first, found, collected = answers([y], xs)
        forward = len(found.primal)
        assert len(found.specs) <= 4 * forward
        _, again = differentiated(
            first, [a for a in found.answers if a is not None], [collected.port(x) for x in xs], 2
        )
        assert len(found.specs) + len(again.specs) <= 12 * forward
        names = {declared.name for declared in registry.every()}
        assert ops_of(grown(first.specs, again)) <= names

    @pytest.mark.parametrize("network", [mlp, attention])
    def test_numbers(self, network: Any) -> None:
        y, xs = network()
        after, found, collected = answers([y], xs)
        graph = built(collected)
        for x, answer in zip(xs, found.answers, strict=True):
            assert answer is not None
            expected = slopes(graph, collected.port(y), collected.port(x))
            assert close(after.evaluate(answer)[0], expected, 1e-8)


def declare(name: str, outputs: Any, forward: Any, **more: Any) -> Any:
    """An op of this test's own."""
    forward.__name__ = name
    forward.__doc__ = "An op of a test."
    return op(
        sign="t", category=mark("test", "Test"), family="map", summary=mark("test", "A test."), text=f"{name}({{x}})",
        formula="x", code=dict.fromkeys(FRAMEWORKS, "{x}"), aliases={}, spec=outputs, examples=[example([1.0])], **more,
    )(forward)  # fmt: skip


class TestSeveralOutputs:
    """Decision 14."""

    @pytest.fixture(autouse=True)
    def _op(self):
        def split(x):
            return np.sin(x), np.argsort(x), np.cos(x)

        def outputs(x):
            return x, x._replace(dtype=np.dtype(np.int64)), x

        made = declare("sin_order_cos", outputs, split)
        self.cotangents: list[Any] = []

        @made.vjp
        def rule(g, out, x):
            self.cotangents.append(g)
            return (g[0] * out[2] - g[2] * out[0],)

        yield
        registry.unregister("sin_order_cos")

    def test_a_missing_cotangent_is_zeros_and_whole_numbers_have_none(self) -> None:
        x = gv.variable([0.5, 2.0], name="x")
        sine, order, cosine = apply("sin_order_cos", x)
        assert order.value.tolist() == [0, 1]
        (g,) = gv.gradients(sine * 3, x)
        assert g is not None
        assert np.allclose(g.value, 3 * np.cos([0.5, 2.0]))
        _, middle, last = self.cotangents[-1]
        assert middle is None
        assert last.call.op.name == "full_like"
        assert last.call.attributes["fill"] == 0.0
        (g,) = gv.gradients([sine, cosine * 2], x)
        assert g is not None
        assert np.allclose(g.value, np.cos([0.5, 2.0]) - 2 * np.sin([0.5, 2.0]))
        assert gv.gradients(order, x) == [None]

    def test_one_output_as_x(self) -> None:
        x = gv.variable([0.5, 2.0], name="x")
        sine, _, cosine = apply("sin_order_cos", x)
        y = sine * cosine
        assert numbers(gv.gradients(y, [cosine])) == [sine.value.tolist()]
        _, found, collected = answers([y], [cosine])
        assert set(found.adjoints) == {collected.port(y), collected.port(cosine)}

    def test_second_order(self) -> None:
        x = gv.variable([0.5, 2.0], name="x")
        sine, _, cosine = apply("sin_order_cos", x)
        (g,) = gv.gradients(sine * cosine, x)
        assert g is not None
        (h,) = gv.gradients(g, x)
        assert h is not None
        assert np.allclose(h.value, -2 * np.sin([1.0, 4.0]))

    def test_each_output_has_its_own_steps(self) -> None:
        x = gv.variable([0.5, 2.0], name="x")
        sine, _, cosine = apply("sin_order_cos", x)
        _, found, _ = answers([sine, cosine, sine * cosine + sine], [x])
        assert max(Counter(step.address for step in found.steps).values()) == 1


class TestFaultyRules:
    def test_a_rule_that_does_not_answer_for_each_input(self) -> None:
        made = declare("short_rule", lambda x: x, lambda x: x)
        made.vjp(lambda g, out, x: ())
        try:
            x = gv.variable(1.0)
            with pytest.raises(GradientError, match="short_rule does not answer for each input"):
                gv.gradients(apply("short_rule", x), x)
        finally:
            registry.unregister("short_rule")

    def test_a_rule_that_gives_another_shape_is_named(self) -> None:
        made = declare("wide_rule", lambda x: x, lambda x: x)
        made.vjp(lambda g, out, x: (gv.concat([g, g, g]),))
        try:
            x = gv.variable([1.0, 2.0])
            with pytest.raises(
                GradientError, match="wide_rule gives 6 numbers for an input of 2 numbers"
            ):
                gv.gradients(apply("wide_rule", x), x)
        finally:
            registry.unregister("wide_rule")

    def test_a_plain_number_from_a_rule_stands_for_itself(self) -> None:
        made = declare("flat_rule", lambda x: x, lambda x: np.round(x, 1))
        made.vjp(lambda g, out, x: (0.0,))
        try:
            x = gv.variable([1.0, 2.0], dtype="float32")
            (g,) = gv.gradients(apply("flat_rule", x), x)
            assert g is not None
            assert (g.dtype, g.value.tolist()) == (np.float32, [0.0, 0.0])
        finally:
            registry.unregister("flat_rule")


UNARY = ("negative", "square", "sin", "tanh", "sigmoid", "exp", "softmax", "transpose")
BINARY = ("add", "subtract", "multiply", "maximum", "divide")


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Expr, list[Expr]]:
    """A random graph of small arrays that broadcast, some stopped, some reduced, some used often."""
    shapes = [(), (3,), (2, 3), (2, 1), (1, 3)]
    seed = draw(st.integers(0, 10_000))
    rng = np.random.RandomState(seed)
    leaves = [
        gv.variable(rng.uniform(-1.5, 1.5, draw(st.sampled_from(shapes))), name=f"x{i}")
        for i in range(draw(st.integers(1, 3)))
    ]
    pool: list[Expr] = list(leaves)
    for _ in range(draw(st.integers(1, 12))):
        a = pool[draw(st.integers(0, len(pool) - 1))]
        kind = draw(st.sampled_from(("unary", "binary", "binary", "reduce", "index", "where")))
        b = pool[draw(st.integers(0, len(pool) - 1))]
        if kind == "unary":
            name = draw(st.sampled_from(UNARY[:6] if a.ndim == 0 else UNARY))
            a = gv.tanh(a) if name == "exp" else a
            made = apply(name, a)
            fits = name != "transpose" or a.ndim < 2
            pool.append(made if fits else gv.sum(made * made, axis=0))
        elif kind == "binary":
            name = draw(st.sampled_from(BINARY))
            b = gv.square(b) + 1.5 if name == "divide" else b
            b = b if _broadcasts(a, b) else gv.sum(b)
            pool.append(gv.tanh(apply(name, a, b)))
        elif kind == "reduce":
            name = draw(st.sampled_from(("sum", "mean", "max")))
            pool.append(apply(name, a, axis=draw(st.sampled_from((None, -1))) if a.ndim else None))
        elif kind == "index" and a.ndim:
            pool.append(a[..., draw(st.sampled_from((0, [-1, 0, -1], slice(None, None, -1))))])
        elif kind == "where":
            # Not the held value itself: its tie with what moves would be a kink.
            held = gv.stop_gradient(b if _broadcasts(a, b) else gv.sum(b))
            pool.append(gv.where(a > 0.1, a, held * 0.9 + 0.05))
    return _sum(pool[len(leaves) :] or pool), leaves


def _broadcasts(a: Expr, b: Expr) -> bool:
    return all(m == n or 1 in (m, n) for m, n in zip(a.shape[::-1], b.shape[::-1], strict=False))


def _sum(parts: list[Expr]) -> Expr:
    total: Expr = gv.sum(parts[0])
    for part in parts[1:]:
        total = total + gv.mean(part)
    return total


@given(graphs())
def test_random_graphs_agree_with_differences(made: tuple[Expr, list[Expr]]) -> None:
    y, xs = made
    collected = Collected([y, *xs])
    held = _held(collected)
    after, found = differentiated(
        built(collected), [collected.port(y)], [collected.port(x) for x in xs]
    )
    for x, answer in zip(xs, found.answers, strict=True):
        wide, narrow = (
            slopes(held, collected.port(y), collected.port(x), step=h) for h in (1e-4, 1e-5)
        )
        value = np.zeros(x.shape) if answer is None else after.evaluate(answer)[0]
        # Where two steps disagree, a kink lies within reach of the larger one.
        smooth = np.abs(wide - narrow) <= 1e-6 * (1 + np.abs(wide))
        assert np.all(~smooth | (np.abs(value - wide) <= 1e-6 * (1 + np.abs(wide))))
        assert not after.specs.problems


def _held(collected: Collected) -> Built:
    """The graph with what stop_gradient passes on held at its value, as the gradient sees it."""
    nodes = dict(collected.graph.nodes)
    values: dict[str, Array] = dict(collected.values)
    for id, call in collected.calls.items():
        if call.op is not None and call.op.name == "stop_gradient":
            values[id] = Expr(call).value
    graph = built(collected)
    return Built(graph.specs, {id: values[id] for id in nodes if id in values})
