"""Nothing larger than the limits is made, or even begun: sizes are worked out in Python's whole numbers first."""

from __future__ import annotations

import itertools
import math
import tracemalloc
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import pytest

import gradviz as gv
from gradviz import limits
from gradviz.engine.check import Specs, infer
from gradviz.engine.gradient import gradient
from gradviz.engine.plan import plan
from gradviz.engine.run import run
from gradviz.errors import GradvizError, LimitError
from gradviz.graph.model import Graph, Node, OutPort, frozen_array
from gradviz.ops import registry
from gradviz.ops.expr import UNUSABLE
from gradviz.ops.op import Example, Op
from gradviz.ops.spec import Spec

OPS = [declared for declared in registry.every() if not declared.is_source]
CASES = [
    pytest.param(declared, shown, id=f"{declared.name}-{number}")
    for declared in OPS
    for number, shown in enumerate(declared.examples)
]
ROOM = 2 * 2**20
"""Bytes that may be used meanwhile: Python's own, never an array of the sizes tried here."""
FACTORS = (10**3, 10**4, 10**5, 10**6, 3 * 10**6)


class Measured:
    """The peak of memory used inside a `with`."""

    def __enter__(self) -> Self:
        tracemalloc.start()
        tracemalloc.reset_peak()
        return self

    def __exit__(self, *_: object) -> None:
        self.peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()


def enlarged(shown: Example, factor: int) -> Iterator[list[Spec]]:
    """The example's specs with every length greater than 1, or only one of the lengths, so many times as large.

    Equal lengths stay equal. Only inputs that are within the limits themselves: others cannot be.
    """
    arrays = [np.asarray(value) for value in shown.inputs]
    lengths = {n for a in arrays for n in a.shape if n > 1}
    for chosen in (lengths, *({n} for n in lengths)):
        shapes = [tuple(n * factor if n in chosen else n for n in a.shape) for a in arrays]
        specs = [Spec(shape, a.dtype) for shape, a in zip(shapes, arrays, strict=True)]
        if all(map(is_within, specs)):
            yield specs


def is_within(spec: Spec) -> bool:
    return (
        max(math.prod(spec.shape), *spec.shape, 0) <= limits.ARRAY_ELEMENTS
        and len(spec.shape) <= limits.RANK
    )


def spec_or_error(declared: Op, specs: list[Spec], attributes: Any) -> tuple[Spec, ...] | Exception:
    """What inference says of the op for these inputs."""
    try:
        found = declared.spec(*specs, **declared.bind(attributes))
    except (GradvizError, *UNUSABLE) as error:
        return error
    # Where only the numbers tell the shape, there is no output to look at.
    return (found,) if isinstance(found, Spec) else found or ()


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize(("declared", "shown"), CASES)
def test_large_inputs(declared: Op, shown: Example, factor: int) -> None:
    for specs in enlarged(shown, factor):
        with Measured() as memory:
            found = spec_or_error(declared, specs, shown.attributes)
        assert memory.peak < ROOM, ([s.shape for s in specs], memory.peak)
        if isinstance(found, tuple):
            assert all(map(is_within, found)), ([s.shape for s in specs], found)
        else:
            assert isinstance(found, GradvizError), found


@pytest.mark.parametrize("number", [10**5, 10**9, 10**18, -(10**9)])
@pytest.mark.parametrize(("declared", "shown"), CASES)
def test_large_numbers_in_settings(declared: Op, shown: Example, number: int) -> None:
    specs = next(enlarged(shown, 1))
    for name in declared.attributes:
        given = declared.bind(shown.attributes)[name]
        for attributes in ({**shown.attributes, name: value} for value in _numbered(given, number)):
            with Measured() as memory:
                found = spec_or_error(declared, specs, attributes)
            assert memory.peak < ROOM, (attributes, memory.peak)
            if isinstance(found, tuple):
                assert all(map(is_within, found)), (attributes, found)


def _numbered(value: Any, number: int) -> list[Any]:
    """The value with a number in place of its whole numbers: all of them, and each."""
    if isinstance(value, bool) or value is None:
        return [number, (number, number)] if value is None else []
    if isinstance(value, int):
        return [number]
    if isinstance(value, tuple) and value:
        return [
            (*value[:i], inner, *value[i + 1 :])
            for i, item in enumerate(value)
            for inner in _numbered(item, number)
        ] + [tuple(number if type(item) is int else item for item in value)]
    return []


@pytest.mark.parametrize(("declared", "shown"), CASES)
def test_the_gradient_of_large_arrays_is_built_without_making_one(
    declared: Op, shown: Example
) -> None:
    """Forward values near the limit: the backward graph is made of specs, and each of its nodes is within the limits."""
    choices = [specs for factor in FACTORS for specs in enlarged(shown, factor)]
    for specs in choices[-3:]:
        _check_gradient(declared, shown, specs)


def _check_gradient(declared: Op, shown: Example, specs: list[Spec]) -> None:
    ports = tuple(OutPort(f"s{i}") for i in range(len(specs)))
    nodes = {
        p.node: Node(p.node, "variable", (), {"shape": s.shape})
        for p, s in zip(ports, specs, strict=True)
    }
    nodes["n"] = Node("n", declared.name, ports, declared.trimmed(shown.attributes))  # type: ignore[arg-type]
    found = spec_or_error(declared, specs, shown.attributes)
    if not isinstance(found, tuple):
        assert isinstance(found, GradvizError)
        return
    outputs: dict[str, tuple[Spec | None, ...]] = {
        p.node: (s,) for p, s in zip(ports, specs, strict=True)
    }
    graph = Specs(Graph(nodes), tuple(nodes), {**outputs, "n": found})
    with Measured() as memory:
        try:
            backward = gradient(graph, [OutPort("n")], ports)
        except LimitError:
            return
    assert memory.peak < ROOM, memory.peak
    for spec in itertools.chain(*backward.specs.values()):
        assert is_within(spec)


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("broadcast_to", {"shape": (10**9, 2)}),
        ("broadcast_to", {"shape": (10**7, 2)}),
        ("tile", {"reps": (10**6, 10**6)}),
        ("repeat", {"repeats": 10**12}),
        ("pad", {"pad_width": ((10**9, 0),)}),
        ("expand_dims", {"axis": tuple(range(9))}),
        ("random_normal", {"shape": (10**5, 10**5)}),
        ("getitem", {"index": ({"array": ((0,),) * 5000}, {"array": (0,) * 5000})}),
    ],
)  # fmt: skip
def test_what_would_be_too_large_is_told_before_the_run(name: str, attributes: Any) -> None:
    op = registry.find(name)
    if op is None or not set(attributes) <= set(op.attributes):
        pytest.skip("not an op, or not this setting")
    shape = (2, 2) if name == "getitem" else (2,)
    x = Node("x", "variable", (), {"shape": shape, "dtype": "float64"})
    inputs = () if op.is_source else (OutPort("x"),)
    graph = Graph({"x": x, "y": Node("y", name, inputs, attributes)})
    with Measured() as memory:
        specs = infer(graph)
        result = run(plan(graph, specs.outputs), {"x": frozen_array(np.ones(shape))})
    assert memory.peak < ROOM
    assert result[OutPort("y")] is None
    assert (
        "more than 10,000,000 numbers" in str(specs.problems["y"].message) or name == "expand_dims"
    )


@pytest.mark.parametrize("index", [
    ({"array": (0,) * 6000},), ({"slice": (None, None, None)}, {"array": ((0, 1),) * 1100}),
    ({"array": ((0, 1),) * 3000}, "newaxis", "ellipsis"), ({"array": ((0,),) * 4000}, {"array": (0,) * 4000}),
])  # fmt: skip
def test_lists_of_indices_are_counted_before_they_pick(index: Any) -> None:
    spec = Spec((5000, 2000), np.dtype(np.float64))
    with Measured() as memory:
        found = spec_or_error(registry.get("getitem"), [spec], {"index": index})
    assert memory.peak < ROOM
    assert isinstance(found, LimitError)


def test_lists_of_indices_beside_empty_axes() -> None:
    x = gv.variable(np.zeros((0, 3)), name="x")
    assert x[:, [0, 1, 1]].shape == (0, 3)
    assert x[[]].shape == (0, 3)
    assert gv.variable(np.zeros((2, 0)), name="w")[[0, 1, 1]].shape == (3, 0)
