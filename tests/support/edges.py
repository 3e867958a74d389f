"""Rows of conventions: what happens at kinks, ties, singular points and in empty arrays, for the tables in tests/ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from gradviz.graph.model import Array
from gradviz.ops import registry
from gradviz.ops.expr import Collected, Expr
from tests.support.symbols import built, differentiated, operand

NAN, INF = np.nan, np.inf


def op(name: str, *inputs: Any, **attributes: Any) -> Any:
    return registry.get(name)(*inputs, **attributes)


def gradients(make: Callable[..., Expr], *values: Any) -> tuple[Array, list[Array | None]]:
    """The value, and the gradient of the sum of its cells by each argument."""
    inputs = [v if isinstance(v, Expr) else operand(v, f"in{i}") for i, v in enumerate(values)]
    output = make(*inputs)
    collected = Collected([output, *inputs])
    after, found = differentiated(
        built(collected), [collected.port(output)], [collected.port(i) for i in inputs]
    )
    return output.value, [None if a is None else after.evaluate(a)[0] for a in found.answers]


def call(name: str, **attributes: Any) -> Callable[..., Expr]:
    return lambda *inputs: op(name, *inputs, **attributes)


def row(
    title: str, make: Callable[..., Expr], inputs: Sequence[Any], value: Any, grads: Sequence[Any]
) -> Any:
    return pytest.param(make, inputs, value, grads, id=title)


def holds(
    make: Callable[..., Expr], inputs: Sequence[Any], value: Any, grads: Sequence[Any]
) -> None:
    """Value and gradients are those of the row; `None` is no gradient."""
    found, slopes = gradients(make, *inputs)
    _same(found, value)
    assert len(slopes) == len(grads)
    for slope, wanted in zip(slopes, grads, strict=True):
        if wanted is None:
            assert slope is None
        else:
            assert slope is not None
            _same(slope, wanted)


def _same(found: Array, wanted: Any) -> None:
    assert found.shape == np.shape(wanted)
    assert np.allclose(found, wanted, rtol=1e-12, atol=1e-12, equal_nan=True), (found, wanted)
