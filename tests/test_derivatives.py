"""Jacobians, Hessians and products with them: against differences, each other, and the reference cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz import limits
from gradviz.api import matrices
from gradviz.engine.repeat import Repeated
from gradviz.ops import registry
from gradviz.ops.expr import _calls
from gradviz.ops.op import Example, Op
from tests.support.symbols import applied, close, operand, weights

CASES = [
    pytest.param(declared, shown, id=f"{declared.name}-{number}")
    for declared in registry.every()
    if not declared.is_source
    for number, shown in enumerate(declared.examples)
]
# A slope beyond this is a jump: a mask of the example stands at a tie.
JUMP = 1e3
every_case = pytest.mark.parametrize(("declared", "shown"), CASES)


def dot(block: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """A Jacobian times an array of x's shape."""
    return np.tensordot(block, vector, vector.ndim)


def moved(
    declared: Op, shown: Example, tangents: list[np.ndarray | None], shift: float
) -> list[np.ndarray]:
    inputs = [
        np.asarray(v) if t is None else np.asarray(v) + shift * t
        for v, t in zip(shown.inputs, tangents, strict=True)
    ]
    with np.errstate(all="ignore"):
        out = declared.forward(*inputs, **declared.bind(shown.attributes))
    return [np.asarray(o, np.float64) for o in (out if isinstance(out, tuple) else (out,))]


@every_case
def test_how_an_op_moves_agrees_with_differences(declared: Op, shown: Example) -> None:
    inputs, outputs = applied(declared, shown)
    tangents = [
        weights(e.shape, 30 + i) if e.dtype.kind == "f" else None for i, e in enumerate(inputs)
    ]
    found = gv.jvp(list(outputs), inputs, tangents)
    step = 1e-4
    at = {s: moved(declared, shown, tangents, s * step) for s in (-2, -1, 0, 1, 2)}
    for number, (output, answer) in enumerate(zip(outputs, found, strict=True)):
        if output.dtype.kind != "f" or declared.name == "stop_gradient":
            assert answer is None
            continue
        far, near = at[2][number] - at[-2][number], at[1][number] - at[-1][number]
        slope = (8 * near - far) / (12 * step)
        sides = np.abs(at[1][number] - 2 * at[0][number] + at[-1][number]) / step
        smooth = (sides < 0.1 + 1e-2 * np.abs(slope)) & (np.abs(slope) < JUMP)
        if answer is None:
            assert not np.any(slope[smooth])
            continue
        assert (answer.shape, answer.dtype) == (output.shape, output.dtype)
        bound = 1e-2 if declared.name == "cast" else 1e-7
        assert close(np.where(smooth, answer.value, 0), np.where(smooth, slope, 0), bound)


@every_case
def test_rows_and_columns_are_one_matrix(declared: Op, shown: Example) -> None:
    """Reverse mode, forward mode, and the products are about the same Jacobian."""
    inputs, outputs = applied(declared, shown)
    for output in outputs:
        blocks = matrices._by_rows(output, inputs, None, "none")
        columns = [matrices._by_columns(output, x, None, "none") for x in inputs]
        tangents = [weights(x.shape, 40 + i) for i, x in enumerate(inputs)]
        (along,) = gv.jvp(output, inputs, tangents)
        assert (along is None) == all(block is None for block in blocks)
        total = np.zeros(output.shape)
        for x, block, other, tangent in zip(inputs, blocks, columns, tangents, strict=True):
            assert (block is None) == (other is None)
            if block is not None:
                assert (block.shape, block.dtype) == ((output.size, x.size), x.dtype)
                assert close(other, block, 1e-6 if block.dtype == np.float32 else 1e-12)
                total = total + dot(block.reshape(output.shape + x.shape), tangent)
        if along is not None:
            assert close(along.value, total, 1e-6 if declared.name == "cast" else 1e-12)


@every_case
def test_how_the_gradient_moves_agrees_with_differences(declared: Op, shown: Example) -> None:
    inputs, outputs = applied(declared, shown)
    floats = [x for x in inputs if x.dtype.kind == "f"]
    output = outputs[0]
    if output.dtype.kind != "f" or declared.name in ("cast", "stop_gradient"):
        return
    # Squared, so that ops that are linear have a second derivative too.
    y = gv.sum(gv.constant(weights(output.shape)) * output**2)
    vectors = [weights(x.shape, 50 + i) for i, x in enumerate(floats)]
    products = gv.hvp(y, floats, vectors)
    step = 1e-4

    def slopes(shift: float) -> list[np.ndarray]:
        by = iter(vectors)
        again = [
            gv.variable(x.value + shift * next(by)) if x.dtype.kind == "f" else x for x in inputs
        ]
        out = declared(*again, **shown.attributes)
        out = out[0] if isinstance(out, tuple) else out
        back = gv.gradients(
            gv.sum(gv.constant(weights(output.shape)) * out**2),
            [x for x in again if x.dtype.kind == "f"],
            unconnected_gradients="zero",
        )
        return [g.value for g in back if g is not None]

    at = {s: slopes(s * step) for s in (-2, -1, 0, 1, 2)}
    for number, product in enumerate(products):
        if product is None:
            continue
        far, near = at[2][number] - at[-2][number], at[1][number] - at[-1][number]
        slope = (8 * near - far) / (12 * step)
        sides = np.abs(at[1][number] - 2 * at[0][number] + at[-1][number]) / step
        smooth = (sides < 0.1 + 1e-2 * np.abs(slope)) & (np.abs(slope) < JUMP)
        assert close(np.where(smooth, product.value, 0), np.where(smooth, slope, 0), 1e-6)


STORED: list[dict[str, Any]] = [
    case
    for case in json.loads(
        (Path(__file__).parent / "data" / "vectors" / "second_order.json").read_text("utf-8")
    )
    if all(registry.find(node["op"]) for node in case["params"]["nodes"])
]


def array(stored: dict[str, Any]) -> np.ndarray:
    return np.array(stored["data"], dtype=stored["dtype"]).reshape(stored["shape"])


@pytest.mark.parametrize("case", STORED, ids=lambda case: case["id"])
def test_the_reference_cases(case: dict[str, Any]) -> None:
    parameters = case["params"]
    named: dict[str, Any] = {
        name: operand(array(a), name)
        for name, a in zip(parameters["input_names"], case["inputs"], strict=True)
    }
    for node in parameters["nodes"]:
        inputs = [named[name] for name in node["inputs"]]
        named[node["name"]] = gv.apply(node["op"], *inputs, **node["params"])
    y, x = named[parameters["output"]], named[parameters["wrt"]]
    if case["op"] == "hessian":
        assert close(gv.hessian(y, x), array(case["hessian"]), 1e-9)
        vector = weights(x.shape)
        (product,) = gv.hvp(y, x, [vector])
        assert close(product.value, dot(array(case["hessian"]), vector), 1e-9)
    else:
        (product,) = gv.hvp(y, x, [array(case["vector"])])
        assert close(product.value, array(case["hvp"]), 1e-9)
        assert close(dot(gv.hessian(y, x), array(case["vector"])), array(case["hvp"]), 1e-9)


def test_shapes_follow_lists() -> None:
    a, b = gv.variable([1.0, 2.0], name="a"), gv.variable(np.ones((2, 3)), name="b")
    y = a @ b
    assert gv.jacobian(y, a).shape == (3, 2)
    assert [j.shape for j in gv.jacobian(y, [a, b])] == [(3, 2), (3, 2, 3)]
    assert [j.shape for j in gv.jacobian([y, a], a)] == [(3, 2), (2, 2)]
    assert [[j is None for j in row] for row in gv.jacobian([y, a], [a, b])] == [
        [False, False],
        [False, True],
    ]
    s = gv.sum(y)
    assert gv.hessian(s, a).shape == (2, 2)
    blocks = gv.hessian(s, [a, b])
    assert [[block.shape for block in row] for row in blocks] == [
        [(2, 2), (2, 2, 3)],
        [(2, 3, 2), (2, 3, 2, 3)],
    ]
    assert not blocks[0][0].any()
    assert (blocks[0][1] == np.transpose(blocks[1][0], (2, 0, 1))).all()


def test_of_one_number_by_one_number() -> None:
    x = gv.variable(3.0, name="x")
    y = x**3
    assert gv.jacobian(y, x).shape == ()
    assert gv.jacobian(y, x) == 27
    assert gv.hessian(y, x) == 18
    assert gv.hvp(y, x, 2.0)[0].value == 36
    assert gv.jvp(y, x, 2.0)[0].value == 54
    assert gv.vjp(y, x, 2.0)[0].value == 54


def test_nothing_leads_there() -> None:
    x, z = gv.variable([1.0, 2.0], name="x"), gv.variable(1.0, name="z")
    y = gv.sum(x)
    assert gv.jacobian(y, z) is None
    assert gv.jvp(y, z, 1.0) == [None]
    assert gv.hvp(y, [x, z], [np.ones(2), 1.0])[1] is None
    assert gv.hessian(y, [x, z])[0][1] is None
    zero = {"unconnected_gradients": "zero"}
    assert gv.jacobian(y, z, **zero) == 0
    assert gv.jvp(y, z, 1.0, **zero)[0].value == 0
    assert [g.value.tolist() for g in gv.hvp(y, [x, z], [np.ones(2), 1.0], **zero)] == [[0, 0], 0]
    assert gv.hessian(y, [x, z], **zero)[1][0].tolist() == [0, 0]
    with pytest.raises(gv.GradientError, match="none"):
        gv.jacobian(y, z, unconnected_gradients="perhaps")


def test_what_is_linear_has_a_hessian_of_zeros() -> None:
    """y depends on x, and its slope is the same everywhere: that is known, and it is not None."""
    x = gv.variable([1.0, 2.0], name="x")
    assert gv.hessian(gv.sum(x), x).tolist() == [[0, 0], [0, 0]]
    assert gv.hvp(gv.sum(x), x, [1.0, 1.0])[0].value.tolist() == [0, 0]


def test_nothing_flows_through_what_is_stopped() -> None:
    x = gv.variable([1.0, 2.0], name="x")
    h = x * x
    y = gv.sum(h * x)
    stopped = {"stop_gradients": h}
    assert gv.jacobian(y, x, **stopped).tolist() == [1, 4]
    assert not gv.hessian(y, x, **stopped).any()
    assert gv.jvp(y, x, [1.0, 1.0], **stopped)[0].value == 5
    assert gv.hvp(y, x, [1.0, 1.0], **stopped)[0].value.tolist() == [0, 0]


def test_an_x_that_does_not_move() -> None:
    x, z = gv.variable(2.0, name="x"), gv.variable(3.0, name="z")
    y = x * z
    assert gv.jvp(y, [x, z], [None, 1.0])[0].value == 2
    assert gv.jvp(y, [x, z], [None, None]) == [None]
    assert [g.value for g in gv.hvp(y, [x, z], [None, 1.0])] == [1, 0]


def test_infinite_slopes_stay_with_their_own_variable() -> None:
    x, z = gv.variable([1.0, 2.0], name="x"), gv.variable([0.0, 4.0], name="z")
    y = x**2 + gv.sqrt(z)
    for block in (
        gv.jacobian(y, [x, z])[0],
        matrices._by_columns(y, x, None, "none"),
    ):
        assert block.tolist() == [[2, 0], [0, 4]]


@pytest.mark.parametrize("copies", [1, 2])
def test_slopes_that_are_not_finite_stay_in_their_own_cell(copies: int) -> None:
    """Other cells do not depend on it: 0, not 0·∞. With two copies, y has more cells than x."""
    x = gv.variable([0.0, 4.0, -1.0], name="x")
    y = gv.concat([gv.sqrt(x)] * copies)
    expected = np.array([[np.inf, 0, 0], [0, 0.25, 0], [0, 0, np.nan]])
    found = gv.jacobian(y, x)
    assert np.array_equal(found, np.concatenate([expected] * copies), equal_nan=True)
    hessian = gv.hessian(gv.sum(y), x)
    assert np.array_equal(hessian != 0, np.eye(3, dtype=bool))
    # What the cell does depend on stays what gradients say it is.
    z = gv.variable([0.0, 4.0], name="z")
    (slope,) = gv.gradients(gv.sum(z * gv.sqrt(z)), z)
    assert np.array_equal(gv.jacobian(gv.sum(z * gv.sqrt(z)), z), slope.value, equal_nan=True)


def test_products_can_be_differentiated_again() -> None:
    x = gv.variable(2.0, name="x")
    (along,) = gv.jvp(x**4, x, 1.0)
    (third,) = gv.hvp(along, x, 1.0)
    assert third.value == 48
    (curved,) = gv.hvp(x**4, x, 1.0)
    (again,) = gv.gradients(curved, x)
    assert again.value == 48


def test_float32_stays_float32() -> None:
    x = gv.variable([1.0, 2.0], name="x", dtype="float32")
    y = gv.sin(x)
    assert gv.jacobian(y, x).dtype == np.float32
    assert gv.hessian(gv.sum(y), x).dtype == np.float32
    assert gv.jvp(y, x, [1.0, 1.0])[0].dtype == np.float32
    assert gv.hvp(gv.sum(y), x, [1.0, 1.0])[0].value.dtype == np.float32


def test_only_what_is_needed_is_built() -> None:
    x, w = gv.variable([[1.0, 2.0]], name="x"), gv.variable(np.ones((2, 2)), name="w")
    h = x @ w
    (along,) = gv.jvp(h, x, [[1.0, 0.0]])
    primal = {id(call) for call in _calls([h])}
    made = [call.op.name for call in _calls([along]) if id(call) not in primal and call.inputs]
    assert made == ["matrix_transpose", "matrix_transpose", "matmul"]
    x = gv.variable([1.0, 2.0], name="x")
    (along,) = gv.jvp(3 * (x + 1), x, [1.0, 0.0])
    made = [call.op.name for call in _calls([along]) if call.inputs]
    assert made == ["multiply"]
    (along,) = gv.jvp(gv.reshape(x, (2, 1)), x, [1.0, 0.0])
    assert [call.op.name for call in _calls([along]) if call.inputs] == ["reshape"]


def test_the_cheaper_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    call = Repeated.__call__
    monkeypatch.setattr(
        Repeated, "__call__", lambda self, moved: (runs.append(1), call(self, moved))[1]
    )
    x = gv.variable(np.arange(5.0), name="x")
    s = gv.sum(x**2)
    assert gv.jacobian(s, x).tolist() == [0, 2, 4, 6, 8]
    assert len(runs) == 1
    runs.clear()
    assert gv.jacobian(s * gv.constant(np.ones(7)), s).tolist() == [1] * 7
    assert len(runs) == 1


def test_empty_arrays() -> None:
    x = gv.variable(np.zeros((0, 2)), name="x")
    assert gv.jacobian(x * 2, x).shape == (0, 2, 0, 2)
    assert gv.jacobian(gv.sum(x), x).shape == (0, 2)
    assert gv.hessian(gv.sum(x**2), x).shape == (0, 2, 0, 2)
    assert gv.jacobian(gv.constant(np.ones(3)) * gv.sum(x), x).shape == (3, 0, 2)


def test_a_long_chain() -> None:
    x = gv.variable(1.0, name="x")
    y = x
    for _ in range(5000):
        y = y * 1.0001
    (along,) = gv.jvp(y, x, 1.0)
    assert along.value == pytest.approx(1.0001**5000)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda x: gv.hessian(x, x), "add it up first"),
        (lambda x: gv.hvp(x, x, x), "add it up first"),
        (lambda x: gv.hvp([gv.sum(x), gv.sum(x)], x, x), "2 expressions"),
        (lambda x: gv.jvp(x, x, [1.0, 2.0, 3.0]), "tangents is 3 numbers, but its x is 2 numbers"),
        (lambda x: gv.jvp(x, [x, x], [x]), "tangents has 1 entries, but there are 2 xs"),
        (lambda x: gv.hvp(gv.sum(x), x, [[1.0]]), "vectors is 1×1"),
        (lambda x: gv.vjp(x, x, np.ones(3)), "same shape"),
        (lambda x: gv.jvp(x, x, ["a"]), "cannot be used"),
        (lambda _: gv.jacobian(large(), large()), "more than 10,000,000"),
    ],
)
def test_bad_questions(asked, said: str) -> None:
    with pytest.raises(gv.GradvizError, match=said):
        asked(gv.variable([1.0, 2.0], name="x"))


def large() -> gv.Expr:
    return gv.random_normal((3200,), name="large")


def test_the_limit_is_asked_before_anything_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "JACOBIAN_CELLS", 8)
    x = gv.variable(np.ones(3), name="x")
    with pytest.raises(gv.LimitError, match=r"has 9 cells, more than 8\. Ask for"):
        gv.jacobian(x, x)
    assert gv.jacobian(gv.sum(x), x).tolist() == [1, 1, 1]
