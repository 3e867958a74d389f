"""The reference cases: values and gradients that JAX, PyTorch and TensorFlow agree on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from gradviz.graph.model import Array, OutPort
from gradviz.ops import registry
from gradviz.ops.expr import Collected, Expr
from gradviz.ops.spec import Spec
from tests.support.symbols import (
    Built,
    built,
    close,
    differentiated,
    operand,
    seeded,
    slopes,
    weights,
)

# Found by iteration, or by way of a factorisation: the frameworks themselves agree to fewer digits.
ITERATED = {"svd", "eigh", "qr", "pinv", "expm"}
# Vectors that are known up to their signs, which come in pairs: each output that has them, and the axis along them.
PAIRED = {"svd": {0: -2, 2: -1}, "eigh": {1: -2}, "qr": {0: -2, 1: -1}}
FOLDER = Path(__file__).parent.parent / "data" / "vectors"
# A step of the differences would cross the bound: 1.0017 is clipped at 1. That of |x|^2.5 bends too sharply at 0.0035.
NEAR_A_KINK = {"clip/2x1x3_p0", "vector_norm/ord2.5_5_axisNone_drop"}
STORED = [
    (path.stem, case)
    for path in sorted(FOLDER.glob("*.json"))
    for case in json.loads(path.read_text(encoding="utf-8"))
]


def needed(case: dict[str, Any]) -> set[str]:
    """The ops a case is made of."""
    nodes = case["params"].get("nodes")
    return {node["op"] for node in nodes} if nodes is not None else {case["op"]}


CASES = [(family, case) for family, case in STORED if all(map(registry.find, needed(case)))]
SINGLE = [case for _, case in CASES if "nodes" not in case["params"]]
GRAPHS = [case for family, case in CASES if family == "graphs"]
SECOND = [case for family, case in CASES if family == "second_order"]


def cases(*chosen: list[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "case", [case for some in chosen for case in some], ids=lambda case: case["id"]
    )


def array(stored: dict[str, Any]) -> Array:
    flat = np.array(stored["data"], dtype=stored["dtype"])
    return flat.reshape(stored["shape"])


def agrees(found: Array, stored: dict[str, Any], case: dict[str, Any]) -> None:
    wanted = array(stored)
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    if wanted.dtype.kind != "f":
        assert np.array_equal(found, wanted)
        return
    finite = np.isfinite(wanted)
    largest = float(np.max(np.abs(wanted), where=finite, initial=0.0))
    loose = case["op"] in ITERATED or "extreme" in case["id"]
    bound = (1e-7 if loose else 1e-9) * largest + 1e-11
    assert np.array_equal(np.isnan(found), np.isnan(wanted))
    assert np.array_equal(found[~finite], wanted[~finite], equal_nan=True)
    assert np.all(np.abs(found[finite] - wanted[finite]) <= bound), (found, wanted)


def sources(case: dict[str, Any]) -> list[Expr]:
    names = case["params"].get("input_names") or [f"in{i}" for i in range(len(case["inputs"]))]
    return [operand(array(a), name) for a, name in zip(case["inputs"], names, strict=True)]


def stored_outputs(case: dict[str, Any]) -> list[dict[str, Any]]:
    """What comes out: one array, or several of an op with several outputs."""
    return case["outputs"] if "outputs" in case else [case["output"]]


def stored_seeds(case: dict[str, Any]) -> list[dict[str, Any] | None]:
    """What is sent back to each output."""
    return case["seeds"] if "seeds" in case else [case["seed"]]


def signs_beside(case: dict[str, Any], values: list[Array]) -> list[Array | None]:
    """For each output, the signs that make its vectors those of the case; `None` where there are none to choose."""
    axes = PAIRED.get(case["op"], {})
    if not axes:
        return [None] * len(values)
    first, axis = next(iter(axes.items()))
    along = np.sum(values[first] * array(stored_outputs(case)[first]), axis=axis)
    signs = np.where(along < 0, -1.0, 1.0)
    return [np.expand_dims(signs, axes[i]) if i in axes else None for i in range(len(values))]


def expressions(case: dict[str, Any], inputs: list[Expr]) -> dict[str, Expr]:
    """Every node of a case by its name; `output` for that of a single op."""
    parameters = case["params"]
    if "nodes" not in parameters:
        found = registry.get(case["op"])(*inputs, **parameters)
        return {"output": found}
    named = dict(zip(parameters["input_names"], inputs, strict=True))
    for node in parameters["nodes"]:
        operands = [named[name] for name in node["inputs"]]
        named[node["name"]] = registry.get(node["op"])(*operands, **node["params"])
    return named


def test_all_cases_are_there() -> None:
    assert len(SINGLE) >= 217
    assert len(GRAPHS) >= 19
    assert len(SECOND) >= 15


@cases(SINGLE)
def test_value_and_gradients(case: dict[str, Any]) -> None:
    inputs = sources(case)
    made: Any = expressions(case, inputs)["output"]
    outputs: list[Expr] = list(made) if isinstance(made, tuple) else [made]
    values = [o.value for o in outputs]
    signs = signs_beside(case, values)
    for value, wanted, sign in zip(values, stored_outputs(case), signs, strict=True):
        agrees(value if sign is None else value * sign, wanted, case)
    sent = [
        (o, array(s) if sign is None else array(s) * sign)
        for o, s, sign in zip(outputs, stored_seeds(case), signs, strict=True)
        if s is not None
    ]
    if not sent:
        return
    seeds = [operand(seed, f"seed{i}") for i, (_, seed) in enumerate(sent)]
    collected = Collected([*outputs, *inputs, *seeds])
    wrt = [collected.port(i) for i in inputs]
    after, found = differentiated(
        built(collected),
        [collected.port(output) for output, _ in sent],
        wrt,
        seeds=[collected.port(seed) for seed in seeds],
    )
    for answer, wanted in zip(found.answers, case["grads"], strict=True):
        if wanted is None:
            continue
        if answer is None:
            # A flat op: no gradient here, zeros there.
            assert case["op"] == "stop_gradient"
            assert not np.any(array(wanted))
        else:
            agrees(after.evaluate(answer)[0], wanted, case)


@cases(GRAPHS)
def test_every_node_of_a_graph(case: dict[str, Any]) -> None:
    inputs = sources(case)
    named = expressions(case, inputs)
    seed = operand(array(case["seed"]), "seed")
    output = named[case["params"]["output"]]
    collected = Collected([*named.values(), seed])
    graph = built(collected)
    asked = [collected.port(e) for e in named.values() if e.dtype.kind == "f"]
    after, found = differentiated(
        graph, [collected.port(output)], asked, seeds=[collected.port(seed)]
    )
    for name, wanted in case["node_values"].items():
        agrees(graph.evaluate(collected.port(named[name]))[0], wanted, case)
    for name, wanted in case["node_grads"].items():
        answer = found.adjoints.get(collected.port(named[name]))
        if wanted is not None:
            assert answer is not None, name
            agrees(after.evaluate(answer)[0], wanted, case)
    agrees(graph.evaluate(collected.port(output))[0], case["output"], case)
    for expression, connected, wanted in zip(inputs, case["connected"], case["grads"], strict=True):
        answer = found.adjoints.get(collected.port(expression))
        if connected is not None:
            assert (answer is not None) == connected
        if wanted is not None:
            assert answer is not None
            agrees(after.evaluate(answer)[0], wanted, case)


@cases(SECOND)
def test_second_order(case: dict[str, Any]) -> None:
    inputs = sources(case)
    named = expressions(case, inputs)
    x, y = named[case["params"]["wrt"]], named[case["params"]["output"]]
    collected = Collected([y, *inputs])
    port = collected.port(x)
    first, found = differentiated(built(collected), [collected.port(y)], [port])
    (slope,) = found.answers
    assert slope is not None
    agrees(first.evaluate(slope)[0], case["grads"][0], case)
    if case["op"] == "hvp":
        product = second(first, slope, port, array(case["vector"]))
        agrees(product, case["hvp"], case)
    else:
        rows = [second(first, slope, port, row) for row in one_hots(x.shape)]
        agrees(np.reshape(np.array(rows), x.shape + x.shape), case["hessian"], case)


def second(first: Built, of: OutPort, wrt: OutPort, seed: Array) -> Array:
    """The gradient of sum(seed × gradient): a row of the Hessian, or its product with a vector."""
    graph, start = seeded(first, of, seed)
    after, found = differentiated(graph, [of], [wrt], 2, seeds=[start])
    (answer,) = found.answers
    if answer is None:
        # The gradient is the same everywhere.
        return np.zeros(cast(Spec, graph.specs[wrt]).shape)
    return after.evaluate(answer)[0]


def one_hots(shape: tuple[int, ...]) -> list[Array]:
    size = int(np.prod(shape))
    return [np.reshape(row, shape) for row in np.eye(size)]


@cases(
    [
        case
        for case in SINGLE
        if case.get("seed") is not None
        and not any(word in case["id"] for word in ("extreme", "ties", "stop_gradient", "x_zero"))
        and case["id"] not in NEAR_A_KINK
        and all(np.isfinite(array(g)).all() for g in case["grads"] if g)
    ]
)
def test_the_gradients_own_gradient_agrees_with_differences(case: dict[str, Any]) -> None:
    """The cases hold few of second order; differences of the gradient, which agrees with them, hold the rest."""
    inputs = sources(case)
    output = expressions(case, inputs)["output"]
    collected = Collected([output, *inputs])
    graph, start = seeded(built(collected), collected.port(output), array(case["seed"]))
    wrt = [collected.port(i) for i, g in zip(inputs, case["grads"], strict=True) if g is not None]
    first, found = differentiated(graph, [collected.port(output)], wrt, seeds=[start])
    for number, slope in enumerate(found.answers):
        assert slope is not None
        seed = weights(first.specs[slope].shape, number)  # type: ignore[union-attr]
        second_seeded, again = seeded(first, slope, seed, "second seed")
        after, twice = differentiated(second_seeded, [slope], wrt, 2, seeds=[again])
        for port, answer in zip(wrt, twice.answers, strict=True):
            expected = slopes(first, slope, port, seed)
            found_slope = np.zeros(expected.shape) if answer is None else after.evaluate(answer)[0]
            assert close(found_slope, expected, 1e-6), (found_slope, expected)
