"""Graphs of one op or of many, their gradients, and the gradients of their gradients, for tests of the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

import gradviz.ops  # noqa: F401  registers the ops
from gradviz.engine.check import Specs, infer
from gradviz.engine.gradient import Gradient, gradient, grown
from gradviz.engine.plan import plan
from gradviz.engine.run import run
from gradviz.graph.model import Array, Node, OutPort
from gradviz.ops.expr import Collected, Expr, constant, variable
from gradviz.ops.indexing import index_text
from gradviz.ops.op import Example, Op
from gradviz.ops.spec import Spec

ORDER_ONE = 1e-8
ORDER_TWO = 1e-7


@dataclass(frozen=True)
class Built:
    """A graph with the values of its sources."""

    specs: Specs
    values: Mapping[str, Array]

    def evaluate(self, *ports: OutPort, at: Mapping[str, Array] | None = None) -> list[Array]:
        """The values at `ports`, with those of some sources replaced."""
        order = plan(self.specs.graph, self.specs.outputs, {port.node for port in ports})
        result = run(order, {**self.values, **(at or {})})
        found = [result[port] for port in ports]
        for port, value in zip(ports, found, strict=True):
            assert value is not None, (port, {r.node: r.error for r in result.records.values()})
        return cast("list[Array]", found)

    def sources(self) -> list[OutPort]:
        """The sources of floats with a value, without literals."""
        return [
            OutPort(id)
            for id in self.specs.order
            if id in self.values
            and self.specs.is_float(OutPort(id))
            and not self.specs[OutPort(id)].weak
        ]


def built(collected: Collected) -> Built:
    """A collected graph with its specs."""
    outputs: Any = {id: call.specs for id, call in collected.calls.items()}
    return Built(Specs(collected.graph, tuple(outputs), outputs), collected.values)


def differentiated(
    graph: Built,
    of: Sequence[OutPort],
    wrt: Sequence[OutPort],
    occurrence: int = 1,
    **options: Any,
) -> tuple[Built, Gradient]:
    """The graph with its backward nodes, ready to be differentiated again."""
    found = gradient(graph.specs, of, wrt, occurrence=occurrence, **options)
    return Built(grown(graph.specs, found), {**graph.values, **found.values}), found


def seeded(graph: Built, of: OutPort, seed: Array, id: str = "seed") -> tuple[Built, OutPort]:
    """The graph with a constant to start from at `of`."""
    spec = cast(Spec, graph.specs[of])
    node = Node(id, "constant", (), {"shape": spec.shape, "dtype": spec.dtype.name})
    specs = infer(graph.specs.graph.with_nodes(node), graph.specs)
    return Built(specs, {**graph.values, id: seed}), OutPort(id)


def operand(value: object, name: str, dtype: object = None) -> Expr:
    """A variable for floats, a constant for whole numbers and truth values."""
    array = np.asarray(value)
    if array.dtype.kind == "f":
        return variable(array, name, dtype)
    return constant(array, name)


def applied(op: Op, example: Example) -> tuple[list[Expr], tuple[Expr, ...]]:
    """An op applied to its example: the inputs and the outputs."""
    names = op.port_names(len(example.inputs))
    inputs = [operand(v, f"in_{n}") for v, n in zip(example.inputs, names, strict=True)]
    found = op(*inputs, **example.attributes)
    return inputs, found if isinstance(found, tuple) else (found,)


def weights(shape: tuple[int, ...], salt: int = 0) -> Array:
    """Numbers of mixed sign and different size: a cotangent that hides nothing."""
    return np.random.RandomState(7 + salt).uniform(0.3, 1.7, shape) * np.where(
        np.random.RandomState(9 + salt).rand(*shape) < 0.4, -1.0, 1.0
    )


def slopes(graph: Built, of: OutPort, wrt: OutPort, seed: Any = 1.0, step: float = 1e-3) -> Array:
    """The gradient of the sum of `seed * of` by a source, from central differences of fourth order."""
    start = graph.values[wrt.node]
    found = np.zeros(start.shape)
    for cell in np.ndindex(start.shape):

        def at(shift: float, cell: tuple[int, ...] = cell) -> float:
            moved = np.array(start)
            moved[cell] += shift
            return float(np.sum(graph.evaluate(of, at={wrt.node: moved})[0] * seed))

        near, far = at(step) - at(-step), at(2 * step) - at(-2 * step)
        found[cell] = (8 * near - far) / (12 * step)
    return found


def close(left: Array, right: Array, tolerance: float) -> bool:
    """Whether two arrays agree relative to the largest entry, NaN and infinities at the same places."""
    left, right = np.asarray(left, np.float64), np.asarray(right, np.float64)
    if left.shape != right.shape:
        return False
    finite = np.isfinite(right)
    largest = float(np.max(np.abs(right), where=finite, initial=0.0))
    bound = tolerance * largest + tolerance / 100
    same = np.where(finite, np.abs(np.where(finite, left - right, 0)) <= bound, left == right)
    return bool(np.all(same | (np.isnan(left) & np.isnan(right))))


def ops_of(specs: Specs) -> set[str]:
    """The names of the ops of a graph."""
    return {node.op for node in specs.graph}


def code_of(op: Op, framework: str, operands: Iterable[str], attributes: Mapping[str, Any]) -> str:
    """One application of an op as a framework writes it."""
    names = list(operands)
    filled: dict[str, str] = dict(zip(op.port_names(len(names)), names, strict=True))
    filled |= dict.fromkeys(op.inputs[max(len(names), op.fewest) :], "None")
    if op.variadic:
        filled[op.inputs[-1]] = ", ".join(names[len(op.inputs) - 1 :])
    for name, value in op.bind(op.trimmed(attributes)).items():
        filled[name] = index_text(value) if name == "index" else repr(value)
    return op.code[framework].format_map(filled)
