"""Functions and rules of a user's own run guarded.

What they raise, and what they return that nobody can use, becomes one error that names the operation and says what was
expected.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import numpy as np

from gradviz.errors import GradientError, GradvizError, InputError, ShapeError
from gradviz.graph.model import Array
from gradviz.ops import shapes
from gradviz.ops.expr import Expr, array_of, as_expr
from gradviz.ops.op import Forward, Op, Rule, SpecRule
from gradviz.ops.spec import Spec
from gradviz.text import mark, shape_words

REMEMBERED: Final = 10_000
# Numbers in which no function that is fine elsewhere is likely to fail: positive, different, never at a kink.
_TRIAL: Final = 0.5 + np.modf(np.arange(1.0, 1010.0) * 0.6180339887498949)[0]


def _raised(op: Op, error: Exception) -> InputError:
    reason = str(error) or "nothing said"
    return InputError(
        mark("ops", "The function of {op} raised {kind}: {reason}."),
        op=op.name,
        kind=type(error).__name__,
        reason=reason.rstrip("."),
    )


def answering(op: Op, forward: Forward) -> Forward:
    """`forward`, whose outputs are arrays gradviz can use."""

    @functools.wraps(forward)
    def guarded(*inputs: Any, **attributes: Any) -> Any:
        try:
            found = forward(*inputs, **attributes)
        except GradvizError:
            raise
        except Exception as error:
            # Somebody else's code may raise anything.
            raise _raised(op, error) from error
        if isinstance(found, tuple):
            return tuple(_usable(op, output) for output in found)
        return _usable(op, found)

    return guarded


def _usable(op: Op, output: object) -> Array:
    if output is None:
        raise InputError(
            mark("ops", "The function of {op} returned nothing: is a return missing?"), op=op.name
        )
    if isinstance(output, Expr):
        raise InputError(
            mark(
                "ops",
                "The function of {op} returned an expression: it gets arrays and returns arrays, as NumPy does.",
            ),
            op=op.name,
        )
    try:
        return array_of(output)
    except InputError as error:
        raise InputError(
            mark("ops", "What the function of {op} returned cannot be used: {reason}"),
            op=op.name,
            reason=error.message,
        ) from error


def as_specified(op: Op, forward: Forward) -> Forward:
    """`forward`, whose outputs are those that its spec rule announced."""

    @functools.wraps(forward)
    def guarded(*inputs: Any, **attributes: Any) -> Any:
        found = forward(*inputs, **attributes)
        # The rule of an own op always says the shape (`guarded_spec`).
        wanted = cast("Spec | tuple[Spec, ...]", op.spec(*map(_spec_of, inputs), **attributes))
        several = (
            wanted if isinstance(wanted, tuple) and not isinstance(wanted, Spec) else (wanted,)
        )
        outputs = found if isinstance(found, tuple) else (found,)
        given = tuple(Spec(output.shape, output.dtype) for output in outputs)
        if given != tuple(Spec(spec.shape, spec.dtype) for spec in several):
            raise InputError(
                mark(
                    "ops",
                    "The function of {op} returned {given}, but {wanted} was expected: shape and dtype may depend on "
                    "those of the inputs, never on their numbers.",
                ),
                op=op.name,
                given=" and ".join(map(str, given)),
                wanted=" and ".join(map(str, several)),
            )
        return found

    return guarded


def _spec_of(value: object) -> Spec:
    if type(value) is float:
        return Spec((), np.dtype(np.float64), weak=True)
    array = np.asarray(value)
    return Spec(array.shape, array.dtype)


def guarded_spec(op: Op, rule: SpecRule) -> SpecRule:
    """A spec rule of a user's own, which answers with a Spec for each output."""

    def guarded(*specs: Spec, **attributes: Any) -> Any:
        try:
            found: Any = rule(*specs, **attributes)
        except GradvizError:
            raise
        except Exception as error:
            raise _raised(op, error) from error
        several: Any = [found] if isinstance(found, Spec) else found
        if not isinstance(several, list | tuple) or not all(isinstance(s, Spec) for s in several):
            raise InputError(
                mark("ops", "The spec rule of {op} gives a Spec for each output, not {given}."),
                op=op.name,
                given=repr(found)[:60],
            )
        for spec in several:
            shapes.checked(spec.shape, spec.dtype)
        return found

    return guarded


def tried(op: Op, forward: Forward) -> SpecRule:
    """The spec rule of an op that has none: what comes out is tried once for inputs of that kind, and remembered."""
    known: dict[tuple[tuple[Spec, ...], str], Spec | tuple[Spec, ...]] = {}

    def spec(*specs: Spec, **attributes: Any) -> Spec | tuple[Spec, ...]:
        key = specs, repr(sorted(attributes.items()))
        if key not in known:
            if len(known) >= REMEMBERED:
                known.clear()
            known[key] = _outcome(op, forward, specs, attributes)
        return known[key]

    return spec


def _outcome(
    op: Op, forward: Forward, specs: Sequence[Spec], attributes: Mapping[str, object]
) -> Spec | tuple[Spec, ...]:
    problem: GradvizError | None = None
    for whole in (1, 0):
        try:
            with np.errstate(all="ignore"):
                found = forward(*(_trial(spec, whole) for spec in specs), **attributes)
            outputs = tuple(shapes.checked(o.shape, o.dtype) for o in _tuple(found))
            return outputs if isinstance(found, tuple) else outputs[0]
        except GradvizError as error:
            problem = problem or error
    assert problem is not None
    raise ShapeError(
        mark("ops", "{op} cannot be used on {inputs}. {reason}"),
        op=op.name,
        inputs=" and ".join(shape_words(spec.shape) for spec in specs),
        reason=problem.message,
    ) from problem


def _tuple(found: Any) -> tuple[Array, ...]:
    return found if isinstance(found, tuple) else (found,)


def _trial(spec: Spec, whole: int) -> Any:
    if spec.weak:
        return float(_TRIAL[0])
    if spec.is_float:
        array = np.resize(_TRIAL, spec.shape).astype(spec.dtype)
    else:
        array = np.full(spec.shape, whole, spec.dtype)
    array.flags.writeable = False
    return array


def guarded_rule(op: Op, rule: Rule, leading: int) -> Rule:
    """`rule`, which answers with an expression, a number or None for each input, and names the settings it needs."""
    parameters = inspect.signature(rule).parameters
    takes_all = any(each.kind is each.VAR_KEYWORD for each in parameters.values())

    @functools.wraps(rule)
    def guarded(*arguments: Any, **attributes: Any) -> Sequence[Any]:
        needed = {n: a for n, a in attributes.items() if takes_all or n in parameters}
        try:
            found = rule(*arguments, **needed)
        except Exception as error:
            said = error.message if isinstance(error, GradvizError) else str(error)
            raise GradientError(
                mark("ops", "The rule of {op} raised {kind}: {reason}"),
                op=op.name,
                kind=type(error).__name__,
                reason=said,
            ) from error
        names = op.port_names(len(arguments) - leading)
        alone = len(names) == 1 and not isinstance(found, tuple | list)
        terms = (found,) if alone else found
        if not isinstance(terms, tuple | list) or len(terms) != len(names):
            raise GradientError(
                mark(
                    "ops",
                    "The rule of {op} gives {given}, but {op} has {count} inputs ({names}): give one answer for each, "
                    "None where there is no gradient.",
                ),
                op=op.name,
                given=f"{len(terms)} answers" if isinstance(terms, tuple | list) else "one answer",
                count=len(names),
                names=", ".join(names),
            )
        return tuple(_answer(op, name, term) for name, term in zip(names, terms, strict=True))

    return guarded


def local(op: Op, rule: Rule) -> Rule:
    """`rule`, whose answers are one number for each cell of the output."""

    @functools.wraps(rule)
    def guarded(out: Expr, *inputs: Expr, **attributes: Any) -> Sequence[Any]:
        terms = rule(out, *inputs, **attributes)
        for name, term in zip(op.port_names(len(inputs)), terms, strict=True):
            if isinstance(term, Expr) and not _fits(term.shape, out.shape):
                raise GradientError(
                    mark(
                        "ops",
                        "The rule of {op} gives {given} for {name}, but the output is {wanted}. A .local rule gives one "
                        "number for each cell of the output; an op that is not element-wise needs a .vjp rule.",
                    ),
                    op=op.name,
                    given=shape_words(term.shape),
                    name=name,
                    wanted=shape_words(out.shape),
                )
        return terms

    return guarded


def _fits(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    try:
        return shapes.broadcast(shape, wanted) == wanted
    except ShapeError:
        return False


def _answer(op: Op, name: str, term: object) -> Expr | float | None:
    if term is None or isinstance(term, Expr):
        return term
    if isinstance(term, int | float) and not isinstance(term, bool):
        return term
    try:
        return as_expr(cast(Any, term))
    except InputError as error:
        raise GradientError(
            mark("ops", "The rule of {op} gives {given} for {name}: an expression is needed."),
            op=op.name,
            given=type(term).__name__,
            name=name,
        ) from error
