"""The diagnoses hold for every op of the registry: zeros against the op's whole Jacobian, bad numbers put in anywhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gradviz.engine import explain
from gradviz.engine.answer import Answer, answer
from gradviz.engine.diagnose import Kind
from gradviz.graph.model import Diagram, OutPort, Query
from gradviz.ops import registry
from gradviz.ops.expr import Collected
from gradviz.ops.op import Example, Op
from tests.support.symbols import applied, weights

CASES = [
    pytest.param(declared, shown, id=f"{declared.name}-{number}")
    for declared in registry.every()
    for number, shown in enumerate(declared.examples)
    if not declared.is_source
]
HERE = {Kind.GATED, Kind.NOT_SELECTED, Kind.MULTIPLIED, Kind.FLAT, Kind.SATURATED}


def asked(declared: Op, shown: Example) -> tuple[Diagram, OutPort, list[OutPort]] | None:
    """A diagram of the op alone, its first output, and its inputs that are floats; None if there is no gradient."""
    inputs, outputs = applied(declared, shown)
    collected = Collected([*outputs, *inputs])
    port = collected.port(outputs[0])
    floats = [collected.port(e) for e in inputs if e.spec.is_float]
    if not outputs[0].spec.is_float or not floats or port.index:
        return None
    query = Query((port.node,), tuple(p.node for p in floats))
    return Diagram(collected.graph, collected.values, (query,)), port, floats


def seeded(diagram: Diagram, seed: Any) -> Answer:
    (query,) = diagram.queries
    found = np.asarray(seed).tolist()
    return answer(replace(diagram, queries=(replace(query, seed=(found,)),)))


def jacobian(diagram: Diagram, port: OutPort, wrt: OutPort) -> Any:
    """∂out/∂wrt, a row for each cell of the output: the rule with one-hot cotangents."""
    shape = answer(diagram).value(port).shape  # type: ignore[union-attr]
    rows = []
    for cell in np.ndindex(shape):
        one = np.zeros(shape)
        one[cell] = 1.0
        rows.append(seeded(diagram, one).adjoint(wrt))
    return None if any(row is None for row in rows) else np.array(rows)


@pytest.mark.parametrize(("declared", "shown"), CASES)
def test_zeros_are_those_of_the_jacobian(declared: Op, shown: Example) -> None:
    found = asked(declared, shown)
    if found is None:
        return
    diagram, port, floats = found
    shape = answer(diagram).value(port).shape  # type: ignore[union-attr]
    random = np.random.RandomState(2)
    if int(np.prod(shape)) > 60:
        pytest.skip("the Jacobian is large")
    for g in (weights(shape) * (random.rand(*shape) < 0.5), np.zeros(shape), np.ones(shape)):
        asked_with = seeded(diagram, g)
        for wrt in floats:
            slope, whole = asked_with.adjoint(wrt), jacobian(diagram, port, wrt)
            if slope is None or whole is None:
                continue
            zero = asked_with.zeros(wrt)
            assert zero is not None
            assert ((zero.codes > 0) == (slope == 0)).all()
            terms = whole.reshape((-1, *slope.shape))
            reached = np.reshape(g != 0, (-1, *[1] * slope.ndim))
            for cell in np.ndindex(slope.shape):
                if slope[cell] != 0:
                    continue
                kinds = {one.kind for one in zero.at(cell)}
                here = terms[(slice(None), *cell)]
                if not here.any():
                    assert kinds <= HERE, (cell, kinds)
                elif (here[:, None] * reached.reshape(-1, 1)).any():
                    assert kinds <= {Kind.CANCELLED, Kind.UNDERFLOW}, (cell, kinds)
                else:
                    # Of a cell that was copied out, some copies may have no slope of their own.
                    assert Kind.SEED in kinds, (cell, kinds)
                    assert kinds <= HERE | {Kind.SEED}, (cell, kinds)
            assert str(explain.zeros(asked_with, zero))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 0.0, -3.0, 1e200])
@pytest.mark.parametrize(("declared", "shown"), CASES)
def test_bad_numbers_are_followed_to_where_they_were_made(
    declared: Op, shown: Example, bad: float
) -> None:
    found = asked(declared, shown)
    if found is None:
        return
    diagram, port, floats = found
    for wrt in floats:
        changed = np.array(diagram.values[wrt.node])
        if not changed.size:
            continue
        changed.flat[changed.size // 2] = bad
        done = answer(replace(diagram, values={**diagram.values, wrt.node: changed}))
        troubles = done.troubles
        value = done.value(port)
        if value is None:
            continue
        given = [o.port.node for o in troubles.forward if o.made.value == "given"]
        assert given == ([] if np.isfinite(bad) else [wrt.node])
        if np.isfinite(bad):
            made = [o for o in troubles.forward if o.port.node == port.node]
            assert bool(made) == (
                not all(
                    np.isfinite(a).all()
                    for a in done.run.records[port.node].outputs
                    if a.dtype.kind == "f"
                )
            )
            for origin in made:
                assert np.array_equal(
                    done.value(origin.port)[origin.cell], origin.value, equal_nan=True
                )  # type: ignore[index]
        spoiled = [
            p for p in floats if (g := done.adjoint(p)) is not None and not np.isfinite(g).all()
        ]
        assert bool(spoiled) == any(o.used for o in troubles.backward)
        for note in explain.notes(done):
            assert str(note.text)
