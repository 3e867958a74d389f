"""Compare the rule of one operation with finite differences, input by input, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import numpy as np

from gradviz import digits
from gradviz.engine import gradcheck
from gradviz.engine.answer import Answer, answer
from gradviz.engine.checked import NOTHING, Checked
from gradviz.errors import GradientError, GradvizError, InputError, RuleError
from gradviz.graph import walk
from gradviz.graph.model import Diagram, Node, Query
from gradviz.ops import registry
from gradviz.ops.expr import Collected, Expr, array_of, constant, variable
from gradviz.ops.op import Op
from gradviz.ops.own import OwnOp
from gradviz.text import mark

SUSPECTS: Final = 200


def check_op(op: Op, inputs: Sequence[object], attributes: Mapping[str, object]) -> Checked:
    """Check an op's rule at these inputs; whole numbers and truth values stay as they are.

    What is differentiated is the sum of all its cells, so that the numbers are derivatives a person knows, and then their
    sum with different weights, so that no two errors cancel.
    Raises RuleError where the rule is wrong, and what the op itself raises.
    """
    if registry.find(op.name) is not op:
        # The graph knows ops by name.
        raise InputError(mark("engine", "{op} was declared again: check the new one."), op=op.name)
    _check(op, inputs, attributes, weighted=False)
    return _check(op, inputs, attributes, weighted=True)


def _check(
    op: Op, inputs: Sequence[object], attributes: Mapping[str, object], *, weighted: bool
) -> Checked:
    if len(inputs) != len(op.inputs) and not op.variadic:
        op(*inputs, **attributes)  # raises
    names = op.port_names(len(inputs))
    operands = [_operand(value, name) for value, name in zip(inputs, names, strict=True)]
    found = op(*operands, **attributes)
    outputs = [e for e in (found if isinstance(found, tuple) else (found,)) if e.spec.is_float]
    if not outputs or not op.has_rule:
        return NOTHING
    target = _sum(outputs, weighted=weighted)
    collected = Collected([target, *operands])
    ports = [collected.port(e) for e in operands]
    floats = [port for port, e in zip(ports, operands, strict=True) if e.spec.is_float]
    query = Query((collected.port(target).node,), tuple(port.node for port in floats))
    asked = answer(Diagram(collected.graph, collected.values, (query,)))
    node = collected.port(outputs[0]).node
    problem = asked.run.error(node)
    if problem is not None:
        raise InputError(problem)
    if asked.setup.failure is not None:
        raise GradientError(asked.setup.failure)
    total = NOTHING
    for verdict in gradcheck.check(asked):
        if not verdict.agrees:
            _complain(op, names[ports.index(verdict.wrt)], cast(gradcheck.Entry, verdict.worst))
        total = total.plus(Checked(verdict.checked, verdict.kinks, verdict.not_finite))
    return total


def _complain(op: Op, input: str, worst: gradcheck.Entry) -> None:
    cell = f"{input}[{', '.join(map(str, worst.cell))}]" if worst.cell else input
    raise RuleError(
        mark(
            "engine",
            "The rule of {op} is wrong for its input {input}: at {where} it gives {gradient}, but finite differences "
            "give {difference}.",
        ),
        op=op.name,
        input=input,
        cell=worst.cell,
        given=worst.gradient,
        expected=worst.difference,
        where=cell,
        gradient=digits.number(worst.gradient, 7),
        difference=digits.number(worst.difference, 7),
    )


def check_examples(op: Op) -> Checked:
    """Check an op's rule on its examples. Raises as `check_op` does."""
    total = NOTHING
    for shown in op.examples:
        total = total.plus(check_op(op, shown.inputs, shown.attributes))
    return total


def wrong_rules(found: Answer) -> list[RuleError]:
    """What is wrong with the rules of the user's own ops in a diagram, at the numbers they meet there."""
    own = (node for node in found.graph if isinstance(registry.find(node.op), OwnOp))
    return [error for node in own if (error := _wrong(found, node)) is not None]


def culprit(found: Answer) -> RuleError | None:
    """The wrong rule behind a gradient that finite differences contradict: the one nearest the target.

    Each op is checked at the numbers it meets; of a very large graph, only the ops nearest the target.
    """
    leading = walk.ancestors(found.graph, {port.node for port in found.question.of})
    back = [id for id in reversed(found.specs.order) if id in leading]
    for id in back[:SUSPECTS]:
        op = registry.find(found.graph[id].op)
        error = _wrong(found, found.graph[id]) if op is not None and op.has_rule else None
        if error is not None:
            return error
    return None


def _wrong(found: Answer, node: Node) -> RuleError | None:
    op = registry.find(node.op)
    inputs = [None if port is None else found.value(port) for port in node.inputs]
    if op is None or any(array is None for array in inputs):
        return None
    try:
        check_op(op, inputs, node.attributes)
    except RuleError as error:
        return error
    except GradvizError:
        return None
    return None


def _operand(value: object, name: str) -> Expr:
    array = array_of(value)
    return variable(array, name) if array.dtype.kind == "f" else constant(array, name)


def _sum(outputs: Sequence[Expr], *, weighted: bool) -> Expr:
    """The sum of all cells; ones as weights too, so that a rule finds the whole shape in its cotangent."""
    total: Any = None
    for number, output in enumerate(outputs):
        weights = np.ones(output.shape)
        if weighted:
            random = np.random.RandomState(number)
            weights = random.uniform(0.5, 1.5, output.shape)
            weights *= np.where(random.uniform(size=output.shape) < 0.5, -1, 1)
        part = registry.get("sum")(output * constant(np.asarray(weights)))
        total = part if total is None else total + part
    return cast(Expr, total)
