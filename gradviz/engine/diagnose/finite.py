"""Where NaN and infinity begin, forward and backward, and whether they spoil what was asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gradviz.engine.diagnose.again import Rule
from gradviz.engine.diagnose.node import made_by, newly_made, origin_of
from gradviz.engine.diagnose.origin import (
    Cell,
    Input,
    Origin,
    Troubles,
    first_cell,
    is_bad,
    not_finite,
    own_cell,
)
from gradviz.engine.diagnose.rules import Made
from gradviz.engine.gradient import Role, Step
from gradviz.graph import walk
from gradviz.graph.model import Array, InPort, OutPort

if TYPE_CHECKING:
    from gradviz.engine.answer import Answer

REPORTED: Final = 8


def troubles(answer: Answer) -> Troubles:
    """Where numbers that are not finite begin, in the values and in the gradients."""
    with np.errstate(all="ignore"):
        return Troubles(_forward(answer), _backward(answer))


def _forward(answer: Answer) -> tuple[Origin, ...]:
    found = []
    for id in answer.specs.order:
        outputs = answer.run.records[id].outputs if id in answer.run.records else ()
        if any(map(is_bad, outputs)):
            for index, mask in enumerate(made_by(answer, id)):
                if mask.any():
                    origin = origin_of(answer, OutPort(id, index), mask)
                    used, stopped = _spoils_value(answer, id)
                    found.append(replace(origin, used=used, stopped=stopped))
        if len(found) >= REPORTED:
            break
    return tuple(found)


def _spoils_value(answer: Answer, id: str) -> tuple[bool, str | None]:
    """Whether what began at a node reaches a target; else the first node on the way there that is finite again."""
    targets = {port.node for port in answer.question.of}
    leading = walk.ancestors(answer.graph, targets)

    def bad(node: str) -> bool:
        return any(map(is_bad, answer.run.records[node].outputs))

    reached = walk.descendants(answer.graph, [id], lambda _, end: bad(end.node))
    if not targets or reached & targets:
        return True, None
    if not reached & leading:
        return False, None
    stops = (
        end.node
        for one in answer.specs.order
        if one in reached
        for end in answer.graph.consumers_of(one)
        if end.node in leading and end.node not in reached
    )
    return False, next(stops, None)


def _backward(answer: Answer) -> tuple[Origin, ...]:
    found: list[Origin] = []
    for step in answer.gradient.steps:
        result = answer.run[step.result] if isinstance(step.result, OutPort) else None
        if not is_bad(result):
            continue
        origin = _step_origin(answer, step, result)
        if origin is not None:
            found.append(replace(origin, used=_spoils_gradient(answer, step.port)))
        if len(found) >= REPORTED:
            break
    return tuple(found)


def _step_origin(answer: Answer, step: Step, result: Any) -> Origin | None:
    if step.address.role is Role.CONTRIBUTION:
        return _rule_origin(answer, step) if step.rule else _product_origin(answer, step, result)
    for id in step.nodes:
        mask = made_by(answer, id)[0]
        if mask.any():
            origin = origin_of(answer, OutPort(id), mask)
            return replace(origin, port=step.port, step=step, inner=id)
    return None


def _product_origin(answer: Answer, step: Step, result: Any) -> Origin | None:
    """Amount × local derivative: the cells where the product is bad though what arrived was not."""
    amount = np.broadcast_to(_number(answer, step.amount), result.shape)
    local = np.broadcast_to(_number(answer, step.local), result.shape)
    made = not_finite(result) & np.isfinite(amount)
    made |= np.isnan(result) & np.isinf(amount) & ~np.isnan(local)
    if not made.any():
        return None
    cell = first_cell(made)
    g, slope = float(amount[cell]), float(local[cell])
    inputs = tuple(_inputs_at(answer, step.address.node, cell))
    rule = _product_rule(answer, step, g, slope, cell)
    inner = step.local.node if isinstance(step.local, OutPort) else None
    count = int(np.count_nonzero(made))
    return Origin(step.port, cell, float(result[cell]), count, rule, inputs, step, g, slope, inner)


def _product_rule(answer: Answer, step: Step, amount: float, local: float, cell: Cell) -> Made:
    if np.isfinite(amount) and np.isfinite(local):
        return Made.OVERFLOW
    if np.isnan(local):
        if amount == 0:
            return Made.ZERO_TIMES_NAN
        out: Any = answer.value(OutPort(step.address.node))
        met = [one.value for one in _inputs_at(answer, step.address.node, cell)]
        return Made.OUTSIDE if np.isfinite([*met, float(out[cell])]).all() else Made.FROM_VALUE
    if amount == 0 or local == 0:
        return Made.ZERO_TIMES_INFINITY
    # A derivative that is a value of the graph is not steep: exp is its own.
    is_value = isinstance(step.local, OutPort) and step.local.node in answer.graph
    return Made.FROM_VALUE if is_value else Made.STEEP


def _inputs_at(answer: Answer, node: str, cell: Cell) -> Iterator[Input]:
    """The numbers that an element-wise node has at a cell."""
    for port in answer.graph[node].inputs:
        if port is not None:
            array: Any = answer.value(port)
            own = own_cell(cell, array.shape)
            yield Input(port, own, float(array[own]))


def _number(answer: Answer, term: Any) -> Any:
    return answer.run[term] if isinstance(term, OutPort) else np.asarray(term, np.float64)


def _rule_origin(answer: Answer, step: Step) -> Origin | None:
    """A rule without a product: the cells that are bad whatever arrives, or become NaN from infinities."""
    rule = Rule(answer, step)
    arriving = [answer.run[port] for port in rule.cotangents]
    result: Any = answer.run[step.result] if isinstance(step.result, OutPort) else None

    def evaluate(arrays: Sequence[Array]) -> Any:
        again = rule.result(dict(zip(rule.cotangents, arrays, strict=True)))
        return None if again is None else (again,)

    (made,) = newly_made(arriving, (result,), evaluate)
    if not made.any():
        return None
    cell = first_cell(made)
    inner, cause, inputs = _inner(answer, rule)
    node = answer.graph[rule.node]
    values = [answer.value(p) for p in node.inputs if p is not None]
    own = (*values, *answer.run.records[node.id].outputs)
    if any(map(is_bad, own)):
        zero = all(not np.any(a) for a in arriving if a is not None)
        cause = Made.ZERO_TIMES_NAN if zero else Made.FROM_VALUE
    first: Any = arriving[0] if len(arriving) == 1 else None
    amount = float(first[cell]) if first is not None and first.shape == result.shape else None
    count = int(np.count_nonzero(made))
    return Origin(
        step.port, cell, float(result[cell]), count, cause, inputs, step, amount, inner=inner
    )


def _inner(answer: Answer, rule: Rule) -> tuple[str | None, Made, tuple[Input, ...]]:
    """The first of a rule's backward nodes that makes a bad number."""
    for id in rule.inner:
        if any(map(is_bad, answer.run.records[id].outputs)):
            for index, mask in enumerate(made_by(answer, id)):
                if mask.any():
                    found = origin_of(answer, OutPort(id, index), mask)
                    return id, found.made, found.inputs
    return None, Made.FROM_VALUE, ()


def _spoils_gradient(answer: Answer, port: OutPort) -> bool:
    """Whether a bad number in the gradient of `port` reaches a gradient that is reported."""
    asked = {p.node for p in answer.question.wrt}
    leading = walk.descendants(answer.graph, asked)
    bad_wires = {
        road.wire
        for roads in answer.gradient.arrived.values()
        for road in roads
        if road.wire is not None and is_bad(answer.run[road.result])
    }
    found, waiting = {port.node}, [port.node]
    while waiting:
        id = waiting.pop()
        if id in asked:
            return True
        for index, source in enumerate(answer.graph[id].inputs):
            if source is None or source.node in found or source.node not in leading:
                continue
            if InPort(id, index) in bad_wires:
                found.add(source.node)
                waiting.append(source.node)
    return False
