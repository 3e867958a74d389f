"""What is computed: inputs, and one description of each computation for every engine. NumPy only.

A program is written over `F`, the engine's vocabulary (sum, tanh, matmul by `@`, …). `keep(value)` is called on every
result, so that an engine that must be told can hold its gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]
HEADS = 4
LAYERS = (784, 256, 10)
BATCH = 128
CONVOLVED = (8, 16, 32, 32)
DAG_LEAVES = 16


@dataclass(frozen=True, eq=False)
class Workload:
    """One graph: `inputs(seed)` gives its leaves in order, `program(F, leaves, constants)` its target.

    `nodes` counts its operations, `bar` is the ratio to hand-written NumPy it is held to. With `directions` the result
    wanted is not the gradient but the Hessian's product with them, by leaf.
    """

    key: str
    title: str
    bar: float
    nodes: int
    inputs: Callable[[int], Arrays]
    program: Callable[[Any, Mapping[str, Any], Mapping[str, Any]], Any]
    constants: Arrays = field(default_factory=dict)
    directions: Arrays | None = None
    scalar: bool = False
    tolerance: float = 1e-9
    detail: Any = None


def polynomial(F: Any, leaves: Mapping[str, Any], constants: Mapping[str, Any]) -> Any:
    x, keep = leaves["x"], F.keep
    return keep(keep(keep(x**2) + x) - 1.0)


def seed_matrix(F: Any, leaves: Mapping[str, Any], constants: Mapping[str, Any]) -> Any:
    keep = F.keep
    s = keep(F.sum(leaves["X"]))
    return keep(keep(keep(s**2) + s) - 1.0)


def chain(factors: Sequence[float]) -> Callable[..., Any]:
    """Times, plus, relu in turn."""

    def program(F: Any, leaves: Mapping[str, Any], constants: Mapping[str, Any]) -> Any:
        value, keep = leaves["x"], F.keep
        for number, factor in enumerate(factors):
            kind = number % 3
            if kind == 0:
                value = keep(value * factor)
            elif kind == 1:
                value = keep(value + factor)
            else:
                value = keep(F.relu(value))
        return value

    return program


def fan_out(factors: Sequence[float]) -> Callable[..., Any]:
    """One leaf, many consumers; what they give is added in pairs, a tree."""

    def program(F: Any, leaves: Mapping[str, Any], constants: Mapping[str, Any]) -> Any:
        x, keep = leaves["x"], F.keep
        return paired([keep(x * factor) for factor in factors], lambda a, b: keep(a + b))

    return program


def paired(values: list[Any], add: Callable[[Any, Any], Any]) -> Any:
    """The sum as a tree of pairs; an odd one waits for the next level."""
    while len(values) > 1:
        odd = values[-1:] if len(values) % 2 else []
        values = [add(a, b) for a, b in zip(values[::2], values[1::2], strict=False)] + odd
    return values[0]


def mlp(F: Any, leaves: Mapping[str, Any], constants: Mapping[str, Any]) -> Any:
    keep = F.keep
    hidden = keep(F.relu(keep(keep(leaves["x"] @ leaves["W1"]) + leaves["b1"])))
    logits = keep(keep(hidden @ leaves["W2"]) + leaves["b2"])
    return keep(F.cross_entropy(logits, constants["labels"]))


def tanh_mlp(F: Any, leaves: Mapping[str, Any], constants: Mapping[str, Any]) -> Any:
    keep = F.keep
    hidden = keep(F.tanh(keep(keep(constants["x"] @ leaves["W1"]) + leaves["b1"])))
    logits = keep(keep(hidden @ leaves["W2"]) + leaves["b2"])
    return keep(F.cross_entropy(logits, constants["labels"]))


def attention(F: Any, leaves: Mapping[str, Any], constants: Mapping[str, Any]) -> Any:
    keep = F.keep
    length, width = constants["T"].shape
    each = width // HEADS

    def heads(weights: Any) -> Any:
        split = keep(F.reshape(keep(leaves["x"] @ weights), (length, HEADS, each)))
        return keep(F.transpose(split, (1, 0, 2)))

    q, k, v = heads(leaves["Wq"]), heads(leaves["Wk"]), heads(leaves["Wv"])
    scores = keep(keep(q @ keep(F.transpose(k, (0, 2, 1)))) * each**-0.5)
    mixed = keep(keep(F.softmax(scores)) @ v)
    joined = keep(F.reshape(keep(F.transpose(mixed, (1, 0, 2))), (length, width)))
    return keep(F.sum(keep(keep(joined @ leaves["Wo"]) * constants["T"])))


def normalised_gelu(F: Any, leaves: Mapping[str, Any], constants: Mapping[str, Any]) -> Any:
    keep = F.keep
    y = keep(F.gelu(keep(F.layer_norm(leaves["x"], leaves["gamma"], leaves["beta"]))))
    return keep(keep(F.sum(keep(y * y))) * (1.0 / 1024**2))


def convolution(F: Any, leaves: Mapping[str, Any], constants: Mapping[str, Any]) -> Any:
    keep = F.keep
    mapped = keep(F.conv2d(leaves["x"], leaves["W"], leaves["b"]))
    y = keep(F.max_pool2d(keep(F.relu(mapped))))
    return keep(keep(F.sum(keep(y * y))) * (1.0 / (8 * 16 * 16 * 16)))


@dataclass(frozen=True)
class Dag:
    """A random graph: steps (op, input, input or −1) over the leaves and earlier steps, and the ends nobody reads."""

    steps: list[tuple[str, int, int]]
    ends: list[int]

    def program(self, F: Any, leaves: Mapping[str, Any], constants: Mapping[str, Any]) -> Any:
        keep = F.keep
        values = list(leaves.values())
        for op, a, b in self.steps:
            first = values[a]
            if op == "add":
                values.append(keep(first + values[b]))
            elif op == "subtract":
                values.append(keep(first - values[b]))
            elif op == "multiply":
                values.append(keep(first * values[b]))
            else:
                values.append(keep(getattr(F, op)(first)))
        total = values[self.ends[0]]
        for end in self.ends[1:]:
            total = keep(total + values[end])
        return keep(F.sum(total))


def random_dag(nodes: int, width: int = 128) -> Dag:
    """`nodes` element-wise steps, about `width` of them open at any time, every one used."""
    random = np.random.default_rng(5)
    ops = ("add", "subtract", "multiply", "sin", "tanh")
    unread = list(range(DAG_LEAVES))
    steps = []
    for number in range(DAG_LEAVES, DAG_LEAVES + nodes):
        op = ops[random.choice(5, p=(0.15, 0.1, 0.15, 0.3, 0.3))]
        inputs = []
        for _ in range(1 if op in ("sin", "tanh") else 2):
            oldest = len(unread) > width
            inputs.append(
                unread[0] if oldest else int(random.integers(max(0, number - 2 * width), number))
            )
            if inputs[-1] in unread:
                unread.remove(inputs[-1])
        steps.append((op, inputs[0], inputs[1] if len(inputs) > 1 else -1))
        unread.append(number)
    return Dag(steps, unread)


def _normal(seed: int, dtype: str, shapes: Mapping[str, tuple[Sequence[int], float]]) -> Arrays:
    random = np.random.default_rng(seed)
    return {
        name: (random.standard_normal(tuple(shape)) * scale).astype(dtype)
        for name, (shape, scale) in shapes.items()
    }


def _mlp_inputs(seed: int, dtype: str) -> Arrays:
    into, hidden, out = LAYERS
    shapes = {
        "x": ((BATCH, into), 1.0),
        "W1": ((into, hidden), 0.05),
        "b1": ((hidden,), 0.1),
        "W2": ((hidden, out), 0.05),
        "b2": ((out,), 0.1),
    }
    return _normal(10 + seed, dtype, shapes)


def _attention_inputs(seed: int) -> Arrays:
    weights = dict.fromkeys(("Wq", "Wk", "Wv", "Wo"), ((64, 64), 0.125))
    return _normal(20 + seed, "float32", {"x": ((128, 64), 1.0), **weights})


def _norm_inputs(seed: int) -> Arrays:
    shapes = {"x": ((1024, 1024), 1.0), "gamma": ((1024,), 0.5), "beta": ((1024,), 1.0)}
    return _normal(30 + seed, "float32", shapes)


def _convolution_inputs(seed: int) -> Arrays:
    shapes = {"x": (CONVOLVED, 1.0), "W": ((16, 16, 3, 3), 1 / 12), "b": ((16,), 0.1)}
    return _normal(40 + seed, "float32", shapes)


def _dag_inputs(seed: int) -> Arrays:
    random = np.random.default_rng(50 + seed)
    return {f"l{i}": random.uniform(-1, 1, (8, 8)) for i in range(DAG_LEAVES)}


def _factors(seed: int, low: float, high: float, count: int) -> list[float]:
    return [float(f) for f in np.random.default_rng(seed).uniform(low, high, count)]


def _scalar(start: float) -> Callable[[int], Arrays]:
    return lambda seed: {"x": np.asarray(start + 0.001 * seed)}


def _chain(key: str, count: int, bar: float) -> Workload:
    factors = _factors(0, 0.9, 1.1, count)
    title = f"scalar chain of {count:,}"
    start = _scalar(1.0)
    return Workload(key, title, bar, count, start, chain(factors), scalar=True, detail=factors)


def _mlp(key: str, dtype: str, tolerance: float) -> Workload:
    labels = np.random.default_rng(2).integers(0, LAYERS[-1], BATCH)
    return Workload(
        key,
        f"MLP 784-256-10, batch 128, {dtype}",
        1.05,
        6,
        lambda seed: _mlp_inputs(seed, dtype),
        mlp,
        {"labels": labels},
        tolerance=tolerance,
    )


def _hessian() -> Workload:
    def inputs(seed: int) -> Arrays:
        found = _mlp_inputs(seed, "float32")
        del found["x"]
        return found

    labels = np.random.default_rng(2).integers(0, LAYERS[-1], BATCH)
    directions = _normal(
        99, "float32", {name: (array.shape, 1.0) for name, array in inputs(0).items()}
    )
    constants = {"labels": labels, "x": _mlp_inputs(0, "float32")["x"]}
    return Workload(
        "j_hvp",
        "Hessian-vector product, tanh MLP",
        1.00,
        6,
        inputs,
        tanh_mlp,
        constants,
        directions,
        tolerance=1e-3,
    )


def every() -> dict[str, Workload]:
    """All workloads by key, in the order of the table."""
    factors = _factors(1, -1, 1, 10_000)
    dag = random_dag(10_000)
    single = 1e-3
    target = np.random.default_rng(3).standard_normal((128, 64)).astype("float32")
    found = [
        Workload("a_polynomial", "y = x² + x − 1", 0.20, 3, _scalar(2.0), polynomial, scalar=True),
        Workload(
            "b_matrix",
            "the 3×3 case",
            0.60,
            4,
            lambda seed: {"X": np.arange(9.0).reshape(3, 3) / 9 + 0.001 * seed},
            seed_matrix,
        ),
        _chain("c_chain1k", 1_000, 0.09),
        _chain("c_chain10k", 10_000, 0.04),
        Workload(
            "d_fanout10k",
            "one leaf, 10,000 consumers",
            0.01,
            19_999,
            _scalar(1.5),
            fan_out(factors),
            scalar=True,
            detail=factors,
        ),
        _mlp("e_mlp_f32", "float32", single),
        _mlp("e_mlp_f64", "float64", 1e-9),
        Workload(
            "f_attention",
            "attention, 128×64, 4 heads",
            1.05,
            19,
            _attention_inputs,
            attention,
            {"T": target},
            tolerance=single,
        ),
        Workload(
            "g_norm_gelu",
            "LayerNorm + GELU of 1,024²",
            1.00,
            5,
            _norm_inputs,
            normalised_gelu,
            tolerance=single,
        ),
        Workload(
            "h_convolution",
            "convolution + pooling",
            1.00,
            6,
            _convolution_inputs,
            convolution,
            tolerance=single,
        ),
        Workload(
            "i_dag10k",
            "random DAG, 10,000 nodes of 8×8",
            0.70,
            10_000 + len(dag.ends),
            _dag_inputs,
            dag.program,
            detail=dag,
        ),
        _hessian(),
    ]
    return {workload.key: workload for workload in found}
