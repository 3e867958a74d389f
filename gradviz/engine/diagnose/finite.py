"""Where NaN and infinity begin, forward and backward, told apart from where they only pass through.

A number was made by a node if the numbers it was computed from are finite; or if it is NaN and none of them is, as
∞ − ∞. For element-wise ops those are the same cells of the inputs. For all others, what is not finite (what is NaN)
among the inputs is replaced by ordinary numbers: what comes out bad all the same was made there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from gradviz.engine.diagnose import rules
from gradviz.engine.diagnose.again import Rule, filled
from gradviz.engine.diagnose.rules import Made
from gradviz.engine.gradient import Role, Step
from gradviz.errors import GradvizError
from gradviz.graph import walk
from gradviz.graph.model import Array, InPort, OutPort, frozen_array
from gradviz.ops import registry
from gradviz.ops.expr import UNCOMPUTABLE
from gradviz.ops.op import Op

if TYPE_CHECKING:
    from gradviz.engine.answer import Answer

ORDINARY: Final = (0.5, 2.0)
"""Where one of them is outside a function's domain (acosh of 0.5, a root of a negative number), the other is not."""
NEAR: Final = 1e-6
REPORTED: Final = 8

Mask = npt.NDArray[np.bool_]
Cell = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Input:
    """A number that met others where something not finite was made."""

    port: OutPort
    cell: Cell
    value: float


@dataclass(frozen=True, slots=True)
class Origin:
    """Where numbers that are not finite begin: the port, the first such cell, how many, and the rule that made it.

    `inputs` are the numbers that met at the cell, where they can be told. In the backward pass, `step` is the step of
    the film, `port` the primal port whose gradient got the number, `amount` what arrived at the cell and `local` the
    local derivative there (`None` where the rule has no such factors), and `inner` the backward node that made it.
    `used` says whether it spoils what was asked: the target, or a reported gradient; `stopped` is the first node on the
    way there whose value is finite again.
    """

    port: OutPort
    cell: Cell
    value: float
    count: int
    made: Made
    inputs: tuple[Input, ...] = ()
    step: Step | None = None
    amount: float | None = None
    local: float | None = None
    inner: str | None = None
    used: bool = True
    stopped: str | None = None


@dataclass(frozen=True, slots=True)
class Troubles:
    """The origins in the order in which the film meets them; of very many the first ones."""

    forward: tuple[Origin, ...] = ()
    backward: tuple[Origin, ...] = ()

    @property
    def first(self) -> Origin | None:
        """The first forward origin that spoils the target, else the first of the backward pass that spoils a result."""
        return next((o for o in (*self.forward, *self.backward) if o.used), None)


def troubles(answer: Answer) -> Troubles:
    """Where numbers that are not finite begin, in the values and in the gradients."""
    with np.errstate(all="ignore"):
        return Troubles(_forward(answer), _backward(answer))


def is_bad(array: Any) -> bool:
    """Whether an array of floats holds a NaN or an infinity."""
    return array is not None and array.dtype.kind == "f" and not np.isfinite(array).all()


def _forward(answer: Answer) -> tuple[Origin, ...]:
    found = []
    for id in answer.specs.order:
        outputs = answer.run.records[id].outputs if id in answer.run.records else ()
        if any(map(is_bad, outputs)):
            for index, mask in enumerate(_made_by(answer, id)):
                if mask.any():
                    origin = _origin(answer, OutPort(id, index), mask)
                    used, stopped = _spoils_value(answer, id)
                    found.append(replace(origin, used=used, stopped=stopped))
        if len(found) >= REPORTED:
            break
    return tuple(found)


def _inputs(answer: Answer, id: str) -> list[Any]:
    ports = answer.gradient.graph[id].inputs
    return [None if port is None else answer.run[port] for port in ports]


def _made_by(answer: Answer, id: str) -> list[Mask]:
    """For each output of a node, the cells that are not finite and that the node itself made so."""
    planned = answer.setup.plan.nodes[answer.position[id]]
    outputs = answer.run.records[id].outputs
    inputs = _inputs(answer, id)
    if planned.op is not None and is_elementwise(planned.op) and planned.op.family != "gate":
        (output,) = outputs
        bad = _any_of(inputs, _not_finite, output.shape)
        nan = _any_of(inputs, _is_nan, output.shape)
        return [(_not_finite(output) & ~bad) | (_is_nan(output) & ~nan)]

    def evaluate(arrays: Sequence[Array]) -> Sequence[Any] | None:
        assert planned.op is not None
        specs: Any = planned.specs
        try:
            return planned.op.evaluate(arrays, specs, planned.attributes)
        except (GradvizError, *UNCOMPUTABLE):
            return None

    return newly_made(inputs, outputs, evaluate)


def _any_of(inputs: Sequence[Any], which: Callable[[Any], Mask], shape: Cell) -> Mask:
    """The cells where some input is so."""
    found = np.zeros(shape, np.bool_)
    for array in inputs:
        found |= which(array)
    return found


def newly_made(
    inputs: Sequence[Any], outputs: Sequence[Any], evaluate: Callable[[Sequence[Array]], Any]
) -> list[Mask]:
    """For each output, the cells that `evaluate` makes not finite by itself; `inputs` are the numbers it was given."""
    found = [_not_finite(output) for output in outputs]
    if not any(map(is_bad, inputs)):
        return found
    clean = _replaced(inputs, outputs, _not_finite, evaluate)
    nothing = [np.zeros(output.shape, np.bool_) for output in outputs]
    made = [bad & left for bad, left in zip(found, clean or nothing, strict=True)]
    if any(a is not None and a.dtype.kind == "f" and np.isinf(a).any() for a in inputs):
        still = _replaced(inputs, outputs, _is_nan, evaluate, _is_nan)
        nans = [
            _is_nan(output) & left for output, left in zip(outputs, still or nothing, strict=True)
        ]
        made = [m | n for m, n in zip(made, nans, strict=True)]
    return made


def _replaced(
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    which: Callable[[Any], Mask],
    evaluate: Callable[[Sequence[Array]], Any],
    left: Callable[[Any], Mask] | None = None,
) -> list[Mask] | None:
    """The cells of each output that stay bad with ordinary numbers in place of some inputs' cells."""
    stay = [np.ones(output.shape, np.bool_) for output in outputs]
    for number in ORDINARY:
        again = evaluate(
            [filled(a, which(a), number) if a.dtype.kind == "f" else a for a in inputs]
        )
        if again is None:
            return None
        stay = [s & (left or _not_finite)(a) for s, a in zip(stay, again, strict=True)]
    return stay


def _not_finite(array: Any) -> Mask:
    if array.dtype.kind != "f":
        return np.zeros(array.shape, np.bool_)
    return np.asarray(~np.isfinite(array))


def _is_nan(array: Any) -> Mask:
    if array.dtype.kind != "f":
        return np.zeros(array.shape, np.bool_)
    return np.asarray(np.isnan(array))


def _origin(answer: Answer, port: OutPort, mask: Mask) -> Origin:
    """The facts about numbers that the node of `port` made, in the primal or in the backward graph."""
    cell = first_cell(mask)
    array: Any = answer.run[port]
    value, count = float(array[cell]), int(np.count_nonzero(mask))
    node = answer.gradient.graph[port.node]
    op = registry.get(node.op)
    if op.is_source:
        return Origin(port, cell, value, count, Made.GIVEN)
    arrays = _inputs(answer, port.node)
    if is_elementwise(op):
        inputs = tuple(
            Input(source, own, float(a[own]))
            for source, a in zip(node.inputs, arrays, strict=True)
            if source is not None
            for own in (own_cell(cell, a.shape),)
        )
        numbers = [one.value for one in inputs]

        def near() -> list[float]:
            return _near(op, node.attributes, [np.float64(n) for n in numbers], ())

        return Origin(
            port, cell, value, count, rules.at_cell(op.name, numbers, value, near), inputs
        )
    return Origin(port, cell, value, count, _whole(answer, port, op, arrays, value, cell))


def _whole(
    answer: Answer, port: OutPort, op: Op, arrays: Sequence[Any], value: float, cell: Cell
) -> Made:
    """The rule where a cell comes from many others."""
    floats = [a for a in arrays if a is not None and a.dtype.kind == "f"]
    attributes = answer.gradient.graph[port.node].attributes
    if any(a.size == 0 for a in floats):
        return Made.OF_NOTHING
    if any(np.isinf(a).any() for a in floats):
        if np.isnan(value) and len(floats) > 1:
            ones = [filled(a, a == 0, 1.0) for a in floats]
            again = _near(op, attributes, ones, cell, moved=False)
            if again and not np.isnan(again[0]):
                return Made.ZERO_TIMES_INFINITY
        return Made.INFINITY_MINUS_INFINITY if op.linear_in else Made.FROM_INFINITY
    if op.linear_in:
        return Made.OVERFLOW
    near = _near(op, attributes, floats, cell) if len(floats) == len(arrays) else []
    if np.isnan(value):
        return Made.ZERO_BY_ZERO if np.isfinite(near).any() else Made.OUTSIDE
    return rules.infinite(near)


def _near(
    op: Op, attributes: Any, arrays: Sequence[Any], cell: Cell, *, moved: bool = True
) -> list[float]:
    """What the op gives at the cell for inputs close by."""
    found = []
    random = np.random.RandomState(3)
    for sign in (1, -1) if moved else (0,):
        inputs = []
        for a in arrays:
            shift = sign * NEAR * random.uniform(0.5, 1, np.shape(a)) * np.maximum(1, np.abs(a))
            inputs.append(frozen_array(np.where(np.isfinite(a), a + shift, a)))
        try:
            result: Any = op.forward(*inputs, **op.bind(attributes))
            found.append(float(np.asarray(result)[cell]))
        except (GradvizError, *UNCOMPUTABLE):
            continue
    return found


def is_elementwise(op: Op) -> bool:
    """Whether a cell of the result comes from the same cell of each input."""
    return op.local_rule is not None or op.family == "gate" or op.name == "accumulate"


def own_cell(cell: Cell, shape: tuple[int, ...]) -> Cell:
    """The cell of a broadcast array that stands at `cell` of the result."""
    own = cell[len(cell) - len(shape) :]
    return tuple(0 if length == 1 else i for i, length in zip(own, shape, strict=True))


def first_cell(mask: Mask) -> Cell:
    """The first cell where it holds, row by row."""
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(mask)), mask.shape))


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
    made = (_made_by(answer, id)[0] for id in step.nodes)
    for id, mask in zip(step.nodes, made, strict=True):
        if mask.any():
            return replace(_origin(answer, OutPort(id), mask), port=step.port, step=step, inner=id)
    return None


def _product_origin(answer: Answer, step: Step, result: Any) -> Origin | None:
    """Amount × local derivative: the cells where the product is bad though what arrived was not."""
    amount = np.broadcast_to(_number(answer, step.amount), result.shape)
    local = np.broadcast_to(_number(answer, step.local), result.shape)
    made = _not_finite(result) & np.isfinite(amount)
    made |= np.isnan(result) & np.isinf(amount) & ~np.isnan(local)
    if not made.any():
        return None
    cell = first_cell(made)
    g, slope = float(amount[cell]), float(local[cell])
    node = answer.graph[step.address.node]
    arrays = [answer.value(p) for p in (*(i for i in node.inputs if i), OutPort(node.id))]
    if not np.isfinite(g):
        rule = Made.ZERO_TIMES_INFINITY
    elif np.isnan(slope):
        rule = Made.ZERO_TIMES_NAN if g == 0 else Made.FROM_VALUE
        if g != 0 and not any(not np.isfinite(_at(a, cell)) for a in arrays):
            rule = Made.OUTSIDE
    elif np.isinf(slope):
        rule = Made.ZERO_TIMES_INFINITY if g == 0 else Made.STEEP
        if g != 0 and isinstance(step.local, OutPort) and step.local.node in answer.graph:
            # The derivative is a value of the graph: exp is its own.
            rule = Made.FROM_VALUE
    else:
        rule = Made.OVERFLOW
    inputs = tuple(
        Input(p, own, float(a[own]))
        for p in node.inputs
        if p is not None
        for a in (_floats(answer.value(p)),)
        for own in (own_cell(cell, a.shape),)
    )
    inner = step.local.node if isinstance(step.local, OutPort) else None
    return Origin(
        step.port, cell, float(result[cell]), int(made.sum()), rule, inputs, step, g, slope, inner
    )


def _floats(array: Any) -> Any:
    return np.asarray(array)


def _at(array: Any, cell: Cell) -> float:
    return float(array[own_cell(cell, array.shape)])


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
    return Origin(
        step.port,
        cell,
        float(result[cell]),
        int(made.sum()),
        cause,
        inputs,
        step,
        amount,
        None,
        inner,
    )


def _inner(answer: Answer, rule: Rule) -> tuple[str | None, Made, tuple[Input, ...]]:
    """The first of a rule's backward nodes that makes a bad number."""
    for id in rule.inner:
        if any(map(is_bad, answer.run.records[id].outputs)):
            for index, mask in enumerate(_made_by(answer, id)):
                if mask.any():
                    found = _origin(answer, OutPort(id, index), mask)
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
