"""Rules and gradients compared with finite differences."""

from __future__ import annotations

from typing import Any, cast

from gradviz.api.diagrams import diagram
from gradviz.engine.checked import NOTHING, Checked
from gradviz.errors import GradientError, InputError, RuleError
from gradviz.graph.model import Diagram
from gradviz.ops.expr import Expr
from gradviz.ops.op import Op
from gradviz.text import mark


def check(what: Op | Expr | Diagram, *inputs: object, **attributes: object) -> Checked:
    """Compare with finite differences: the rule of an op, or the gradients of an expression or a diagram.

    An op is tried at `inputs` and `attributes`, without them on its examples. For an expression, `inputs` are the xs (by
    default everything it depends on that has a gradient). Returns how many entries agree, how many stand at a kink, and
    how many are not finite.
    Raises RuleError, which knows op, input, cell and both numbers, where they do not agree.
    """
    from gradviz.engine import explain, gradcheck
    from gradviz.engine.answer import answer
    from gradviz.engine.rulecheck import check_examples, check_op, culprit, wrong_rules

    if isinstance(what, Op):
        if inputs:
            return check_op(what, inputs, attributes)
        if not what.examples:
            raise InputError(
                mark(
                    "api",
                    "{op} has no examples to check: give inputs, as in gradviz.check({op}, [1.0, 2.0]).",
                ),
                op=what.name,
            )
        return check_examples(what)
    found = answer(diagram(what, cast(Any, list(inputs)) or None))
    if found.setup.failure is not None:
        raise GradientError(found.setup.failure)
    for error in wrong_rules(found):
        raise error
    total = NOTHING
    for verdict in gradcheck.check(found):
        if not verdict.agrees and verdict.worst is not None:
            raise culprit(found) or RuleError(
                explain.verdict(found, verdict),
                input=explain.name(found, verdict.wrt.node),
                cell=verdict.worst.cell,
                given=verdict.worst.gradient,
                expected=verdict.worst.difference,
            )
        total = total.plus(Checked(verdict.checked, verdict.kinks, verdict.not_finite))
    return total
