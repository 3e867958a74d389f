"""Operations of the user's own."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, overload

import numpy as np

from gradviz.errors import GradvizError, RuleError
from gradviz.graph.model import Array
from gradviz.ops import own
from gradviz.ops.expr import Call, Expr
from gradviz.ops.op import Forward
from gradviz.ops.own import OwnOp

# So much is compared unasked, when a rule is first used: what takes a few milliseconds.
UNASKED_CELLS: Final = 50


class RuleWarning(UserWarning):
    """The rule of one of the user's own operations is not its derivative."""


@overload
def op(forward: Forward, /) -> OwnOp: ...
@overload
def op(**fields: Any) -> Callable[[Forward], OwnOp]: ...
def op(forward: Forward | None = None, /, **fields: Any) -> OwnOp | Callable[[Forward], OwnOp]:
    """Declare an operation of your own: `@gv.op` above a function of arrays, then `@name.local` or `@name.vjp`.

    Parameters without a default are inputs, the others settings. `@gv.op(...)` takes any field of `gradviz.ops.op.op`
    (sign, category, family, summary, text, formula, code, aliases, spec, examples, …) and `name`; `surrogate=True` says that
    the rule is not the derivative on purpose. Shape and dtype are found by calling the function once for each kind of
    inputs. The same name declared again replaces the first; gradviz's own operations cannot be replaced.

    A rule is compared with finite differences: on the examples when it is declared (RuleError), at the numbers it first
    meets in `gradients` (RuleWarning; a `.vjp` only on up to 50 numbers), and whenever `check` is called.
    Raises InputError for a name, parameters or fields that cannot be used.
    """
    if forward is not None:
        return own.declare(forward, examine=_examine)
    return lambda function: own.declare(function, examine=_examine, **fields)


def _examine(declared: OwnOp) -> None:
    from gradviz.engine.rulecheck import check_examples

    check_examples(declared)


def vouch(calls: Iterable[Call]) -> None:
    """Look once at the rule of each own op that a gradient was asked through, at the numbers it meets; warn if it is wrong."""
    from gradviz.engine.rulecheck import check_op

    for call in calls:
        declared = call.op
        if not isinstance(declared, OwnOp) or declared.vouched or declared.surrogate:
            continue
        declared.vouched = True
        try:
            values = _few(call.inputs, declared)
            if values is not None:
                check_op(declared, values, call.attributes)
        except RuleError as error:
            warnings.warn(str(error), RuleWarning, stacklevel=3)
        except GradvizError:
            # It cannot be computed here: whoever asks for the value is told.
            continue


def _few(inputs: Sequence[Expr], declared: OwnOp) -> list[Array] | None:
    """The values of the inputs if they are small; of an element-wise op's the first cells; else None."""
    small = sum(e.size for e in inputs) <= UNASKED_CELLS
    if not small and declared.local_rule is None:
        return None
    values = [e.value for e in inputs]
    share = UNASKED_CELLS // len(values)
    return values if small else [a.reshape(-1)[:share] for a in np.broadcast_arrays(*values)]
