"""The comparison with finite differences on every op: agree where smooth, kink where not, wrong where the rule is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.engine import explain, gradcheck, rulecheck
from gradviz.engine.answer import Answer, answer
from gradviz.graph.model import Diagram, Query
from gradviz.ops import registry
from gradviz.ops.expr import Collected, Expr
from gradviz.ops.op import Example, Op
from tests.support.symbols import applied, weights

CASES = [
    pytest.param(declared, shown, id=f"{declared.name}-{number}")
    for declared in registry.every()
    for number, shown in enumerate(declared.examples)
    if not declared.is_source and declared.has_rule
]


def about(y: Expr, xs: list[Expr]) -> Answer:
    collected = Collected([*xs, y])
    query = Query((collected.port(y).node,), tuple(collected.port(x).node for x in xs))
    return answer(Diagram(collected.graph, collected.values, (query,)))


def total(outputs: Any) -> Any:
    """One number of all outputs, in which no two cells weigh the same."""
    parts = [
        gv.apply("sum", gv.apply("multiply", out, weights(out.shape, number)))
        for number, out in enumerate(outputs)
        if out.spec.is_float
    ]
    y: Any = parts[0]
    for part in parts[1:]:
        y = gv.apply("add", y, part)
    return y


@pytest.mark.parametrize(("declared", "shown"), CASES)
def test_every_op_agrees_on_its_examples(declared: Op, shown: Example) -> None:
    inputs, outputs = applied(declared, shown)
    floats = [e for e in inputs if e.spec.is_float and not e.spec.weak]
    if not floats or not any(out.spec.is_float for out in outputs):
        pytest.skip("no floats")
    found = about(total(outputs), floats)
    for verdict in gradcheck.check(found):
        assert verdict.agrees, str(explain.verdict(found, verdict))
        assert verdict.checked + verdict.kinks + verdict.not_finite == verdict.total


def kink(op: str, *values: Any, **attributes: Any) -> Any:
    return pytest.param(op, values, attributes, id=f"{op} {values}")


# An op, its first input (that is moved) with every cell at a kink, a tie or a jump, and its other inputs.
KINKS = [
    kink("relu", [0.0, -0.0]),
    kink("abs", [0.0, -0.0]),
    kink("sign", [0.0, 0.0]),
    kink("floor", [1.0, -2.0, 0.0]),
    kink("ceil", [1.0, -2.0, 0.0]),
    kink("trunc", [1.0, -2.0, 3.0]),
    kink("round", [0.5, -1.5, 2.5]),
    kink("maximum", [1.0, 2.0], [1.0, 2.0]),
    kink("minimum", [1.0, 2.0], [1.0, 2.0]),
    kink("max", [3.0, 3.0]),
    kink("min", [1.0, 1.0]),
    kink("clip", [-1.0, 1.0], min=-1.0, max=1.0),
    kink("relu6", [0.0, 6.0]),
    kink("hard_tanh", [-1.0, 1.0]),
    kink("hard_sigmoid", [-3.0, 3.0]),
    kink("hard_swish", [-3.0, 3.0]),
    kink("leaky_relu", [0.0, 0.0]),
    kink("elu", [0.0, 0.0], alpha=0.5),
    kink("sort", [1.0, 1.0]),
    kink("cummax", [2.0, 2.0]),
    kink("median", [1.0, 1.0, 2.0, 2.0]),
    kink("max_pool2d", np.ones((1, 1, 2, 2)), window=(2, 2)),
    kink("remainder", [4.0, 6.0], [2.0, 3.0]),
    kink("floor_divide", [4.0, 6.0], [2.0, 3.0]),
    kink("l1_loss", [1.0, 2.0], [1.0, 2.0]),
    kink("hinge_loss", [1.0, -1.0], [1.0, -1.0]),
    kink("copysign", [0.0, 0.0], [1.0, -1.0]),
    kink("vector_norm", [0.0, 0.0]),
    kink("hypot", [0.0, 0.0], [0.0, 0.0]),
]


@pytest.mark.parametrize(("name", "values", "attributes"), KINKS)
def test_at_a_kink_it_says_kink(name: str, values: Any, attributes: dict[str, Any]) -> None:
    op = registry.find(name)
    if op is None or not set(attributes) <= set(op.attributes):
        pytest.skip("not an op, or not this setting")
    x = gv.variable(np.array(values[0]), name="x")
    found = op(x, *[gv.constant(np.array(v)) for v in values[1:]], **attributes)
    (verdict,) = gradcheck.check(about(total(found if isinstance(found, tuple) else (found,)), [x]))
    assert verdict.agrees
    assert (verdict.checked, verdict.kinks) == (0, verdict.total)


@pytest.mark.parametrize("make", [
    lambda x: gv.where(x > 1.0, x + 3.0, x), lambda x: gv.where(x > 1.0, 2.0, x * x),
    lambda x: gv.where(x > 1.0, x, -x), lambda x: gv.where(gv.equal(x, 1.0), 5.0, x),
])  # fmt: skip
def test_jumps_are_kinks(make: Any) -> None:
    x = gv.variable([1.0, 2.0, 0.5], name="x")
    (verdict,) = gradcheck.check(about(gv.sum(make(x)), [x]))
    assert (verdict.agrees, verdict.kinks, verdict.checked) == (True, 1, 2)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("make", [
    lambda x: x**2, lambda x: x**3, gv.sin, lambda x: (x - 0.3) ** 2 * 100, lambda x: gv.exp(-x * x),
    lambda x: gv.tanh(x * 30), lambda x: x * 0.0, lambda x: gv.sigmoid(x) * x, lambda x: (x**2 - 1) ** 2,
])  # fmt: skip
def test_what_is_smooth_is_no_kink_at_any_place(make: Any, size: float) -> None:
    random = np.random.RandomState(4)
    near = np.array([0.0, 0.3, 1.0, 1.0 + 2.0**-17, 0.3 - 2.0**-18])
    x = gv.variable(np.concatenate([near, random.randn(40)]) * size, name="x")
    (verdict,) = gradcheck.check(about(gv.sum(make(x * (1 / size))), [x]))
    assert verdict.agrees, verdict
    assert verdict.kinks == 0


@pytest.mark.parametrize(("declared", "shown"), CASES)
def test_a_wrong_rule_is_found_for_every_op(
    declared: Op, shown: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One input's derivative at a time is made too large by 1 in 100: op, input, cell and both numbers are told."""
    inputs, outputs = applied(declared, shown)
    if not any(out.spec.is_float for out in outputs):
        pytest.skip("no floats come out")
    kind = "local_rule" if declared.local_rule is not None else "vjp_rule"
    right: Any = getattr(declared, kind)
    names = declared.port_names(len(inputs))
    for number, operand in enumerate(inputs):
        target = _target(declared, outputs)
        exact = about(target, [operand]).adjoint(_port(operand, target))
        if not operand.spec.is_float or exact is None or not exact.any():
            continue

        def wrong(*arguments: Any, number: int = number, **attributes: Any) -> Any:
            terms = list(right(*arguments, **attributes))
            if terms[number] is not None:
                terms[number] = gv.apply("multiply", terms[number], 1.01)
            return tuple(terms)

        with monkeypatch.context() as patch:
            patch.setattr(declared, kind, wrong)
            found = about(target, [operand])
            if all(verdict.kinks == verdict.total for verdict in gradcheck.check(found)):
                continue
            assert not gradcheck.agree(gradcheck.check(found))
            error = rulecheck.culprit(found)
        assert error is not None
        assert (error.op, error.input) == (declared.name, names[number])
        if declared.name not in ("sum", "multiply", "add"):
            # Those three also stand in the sum that is differentiated.
            assert np.isclose(error.given, 1.01 * error.expected, rtol=1e-4)
        assert not np.isclose(error.given, error.expected, rtol=1e-3)
        assert f"The rule of {declared.name} is wrong for its input {names[number]}" in str(error)


def _target(declared: Op, outputs: Any) -> Any:
    return outputs[0] if declared.name in ("sum", "multiply", "add") else total(outputs)


def _port(operand: Expr, target: Any) -> Any:
    return Collected([operand, target]).port(operand)
