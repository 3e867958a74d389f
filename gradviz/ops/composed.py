"""The rule of an op that is a composition of others: what comes back is found by going through them."""

from __future__ import annotations

from typing import Any

from gradviz.ops import adjoint
from gradviz.ops.expr import Call, Expr


def back(g: Expr, value: Expr, *inputs: Expr) -> tuple[Expr | None, ...]:
    """The cotangents of `inputs` when `g` arrives at `value`, an expression made of them by ops with one output."""
    order = _between(value, inputs)
    arrived: dict[tuple[int, int], Expr] = {(id(value.call), value.index): g}
    reached = {id(e.call) for e in inputs} | {id(call) for call in order}
    for call in reversed(order):
        amount = arrived.get((id(call), 0))
        if amount is None:
            continue
        for e, term in zip(call.inputs, _terms(call, amount), strict=True):
            if term is None or id(e.call) not in reached or not e.spec.is_float:
                continue
            place = id(e.call), e.index
            contribution = _fitted(term, e)
            so_far = arrived.get(place)
            arrived[place] = contribution if so_far is None else so_far + contribution
    return tuple(arrived.get((id(e.call), e.index)) for e in inputs)


def _between(value: Expr, inputs: tuple[Expr, ...]) -> list[Call]:
    """The calls that lie between, each after its inputs."""
    ends = {id(e.call) for e in inputs}
    found: dict[int, bool] = dict.fromkeys(ends, True)
    order: list[Call] = []
    stack = [(value.call, False)]
    while stack:
        call, ready = stack.pop()
        if id(call) in found:
            continue
        if not ready:
            stack.append((call, True))
            stack.extend((e.call, False) for e in call.inputs)
            continue
        found[id(call)] = any(found[id(e.call)] for e in call.inputs)
        if found[id(call)]:
            order.append(call)
    return order


def _terms(call: Call, g: Expr) -> tuple[Any, ...]:
    op, out = call.op, Expr(call)
    assert op is not None
    attributes = op.bind(call.attributes)
    if op.local_rule is not None:
        slopes = op.local_rule(out, *call.inputs, **attributes)
        return tuple(None if slope is None else _times(g, slope) for slope in slopes)
    if op.vjp_rule is None:
        return (None,) * len(call.inputs)
    return tuple(op.vjp_rule(g, out, *call.inputs, **attributes))


def _times(g: Expr, slope: Any) -> Expr:
    if isinstance(slope, Expr):
        return g * slope
    return g if slope == 1 else -g if slope == -1 else g * slope


def _fitted(cotangent: Any, value: Expr) -> Expr:
    if not isinstance(cotangent, Expr):
        cotangent = adjoint.full_like(value, fill=float(cotangent))
    if cotangent.shape != value.shape:
        cotangent = adjoint.sum_to(cotangent, shape=value.shape)
    if cotangent.dtype != value.dtype:
        cotangent = adjoint.cast(cotangent, dtype=value.dtype.name)
    return cotangent  # type: ignore[no-any-return]
