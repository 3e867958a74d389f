"""Operations of the user's own: a function, a rule, and a default for everything else.

    @gv.op
    def cube(x):
        return x**3

    @cube.local
    def _(out, x):
        return 3 * x**2

Nothing that a user's function does may look like a fault of gradviz, so functions and rules run guarded: what they raise,
and what they return that nobody can use, becomes one error that names the operation and says what was expected.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast, get_args

import numpy as np

from gradviz.errors import GradientError, GradvizError, InputError, ShapeError
from gradviz.graph.model import Array, freeze
from gradviz.ops import registry, shapes
from gradviz.ops.expr import Expr, array_of, as_expr
from gradviz.ops.op import (
    ATOM,
    OWN,
    Example,
    Family,
    Forward,
    Op,
    Rule,
    SpecRule,
    example,
    signature_of,
)
from gradviz.ops.spec import Spec
from gradviz.text import Text, mark, shape_words

SIGN: Final = "ƒ"
REMEMBERED: Final = 10_000
# Numbers in which no function that is fine elsewhere is likely to fail: positive, different, never at a kink.
_TRIAL: Final = 0.5 + np.modf(np.arange(1.0, 1010.0) * 0.6180339887498949)[0]

Examine = Callable[["OwnOp"], None]


@dataclass(eq=False, kw_only=True, repr=False)
class OwnOp(Op):
    """An operation that a user or a plug-in declared.

    `surrogate` says that its rule is not its derivative on purpose. `examine` checks a rule on the examples as soon as it
    is declared; `vouched` is set when the rule was looked at.
    """

    examine: Examine
    surrogate: bool = False
    vouched: bool = False

    def local(self, rule: Rule) -> Rule:
        """Declare the local derivatives; raises RuleError if they are wrong on the examples."""
        return self._take(rule, _local(self, _guarded_rule(self, rule, leading=1)), None)

    def vjp(self, rule: Rule) -> Rule:
        """Declare the VJP; raises RuleError if it is wrong on the examples."""
        return self._take(rule, None, _guarded_rule(self, rule, leading=2))

    def _take(self, rule: Rule, local: Rule | None, vjp: Rule | None) -> Rule:
        before = self.local_rule, self.vjp_rule
        self.local_rule, self.vjp_rule = local, vjp
        try:
            if not self.surrogate:
                self.examine(self)
        except GradvizError:
            self.local_rule, self.vjp_rule = before
            raise
        self.vouched = False
        return rule


def declare(
    forward: Forward,
    *,
    examine: Examine,
    name: str = "",
    sign: str = SIGN,
    category: str = OWN,
    family: Family = "map",
    summary: str = "",
    text: str = "",
    formula: str = "",
    code: Mapping[str, str] | None = None,
    aliases: Mapping[str, str] | None = None,
    spec: SpecRule | None = None,
    examples: Sequence[object] = (),
    binding: int = ATOM,
    linear_in: Sequence[str] = (),
    differentiable: bool = True,
    surrogate: bool = False,
) -> OwnOp:
    """Register `forward` as an operation. One of the same name that was declared like this is replaced.

    The fields are those of `gradviz.ops.op.op`; an example may be a tuple of inputs. Parameters with a default are settings,
    the others inputs. Raises InputError for a name that gradviz uses itself or a function whose parameters cannot be read.
    """
    called = _name(forward, name)
    inputs, variadic, attributes = signature_of(_signature(forward, called))
    if not inputs:
        raise InputError(
            mark("ops", "{op} has no inputs: its parameters without a default are its inputs."),
            op=called,
        )
    if family not in get_args(Family):
        raise InputError(
            mark("ops", "The family of {op} is one of {names}, not {family}."),
            op=called,
            names=", ".join(get_args(Family)),
            family=family,
        )
    operands = ", ".join(f"{{{each}}}" for each in inputs)
    symbol = called.replace("_", r"\_")
    words = (inspect.getdoc(forward) or "").strip().split("\n")[0]
    declared = OwnOp(
        name=called,
        sign=sign,
        category=_text(category),
        family=family,
        summary=_text(summary or words or mark("ops", "An operation of your own.")),
        text=text or f"{called}({operands}{{attributes}})",
        binding=binding,
        formula=formula or rf"\operatorname{{{symbol}}}({', '.join(inputs)})",
        code=dict(code or {}),
        aliases={framework: tuple(names.split()) for framework, names in (aliases or {}).items()},
        linear_in=tuple(linear_in),
        examples=tuple(e if isinstance(e, Example) else _example(e) for e in examples),
        spec=shapes.checked,
        forward=forward,
        inputs=inputs,
        variadic=variadic,
        attributes=attributes,
        differentiable=differentiable,
        defaults={a.name: a.default for a in attributes.values() if not a.required},
        examine=examine,
        surrogate=surrogate,
    )
    plain = _answering(declared, forward)
    declared.spec = _guarded_spec(declared, spec) if spec is not None else _tried(declared, plain)
    declared.forward = _as_specified(declared, plain)
    before = registry.find(called)
    if before is not None and not isinstance(before, OwnOp):
        raise InputError(
            mark("ops", "gradviz has an operation {op} of its own: give yours another name."),
            op=called,
        )
    if before is not None:
        registry.unregister(called)
    registry.register(declared)
    return declared


def _name(forward: Forward, given: str) -> str:
    name = given or str(getattr(forward, "__name__", "")).rstrip("_")
    if not name.isidentifier() or name.startswith("_"):
        raise InputError(
            mark("ops", "{name} cannot be the name of an operation: write def, or give name=…."),
            name=name or "This",
        )
    return name


def _signature(forward: Forward, op: str) -> inspect.Signature:
    """The signature, with parameters that have a default as keyword-only ones, and kinds as the editors know them."""
    try:
        found = inspect.signature(forward)
    except (TypeError, ValueError) as error:
        raise InputError(
            mark("ops", "The parameters of {op} cannot be read: wrap it in a def."), op=op
        ) from error
    kinds = inspect.Parameter
    inputs, settings = [], []
    for each in found.parameters.values():
        if each.kind is kinds.VAR_KEYWORD or (
            each.kind is kinds.POSITIONAL_ONLY and each.default is not each.empty
        ):
            raise InputError(
                mark("ops", "{op} must name its settings one by one: {parameter} does not."),
                op=op,
                parameter=str(each),
            )
        if each.default is each.empty and each.kind is not kinds.KEYWORD_ONLY:
            inputs.append(each)
            continue
        default = each.default if each.default is each.empty else freeze(each.default)
        kind = _kind(each.annotation, default)
        settings.append(each.replace(kind=kinds.KEYWORD_ONLY, annotation=kind, default=default))
    return inspect.Signature([*inputs, *settings])


def _kind(annotation: object, default: object) -> str:
    if isinstance(annotation, str):
        return annotation
    if annotation is not inspect.Parameter.empty:
        if isinstance(annotation, type):
            return annotation.__name__
        return str(annotation).replace("typing.", "")
    if isinstance(default, bool | int | float | str):
        return type(default).__name__
    return "Axis" if isinstance(default, tuple) or default is None else "float"


def _text(given: str) -> Text:
    """What a user wrote: there is nothing to translate it by."""
    if isinstance(given, Text):
        return given
    found = Text(given)
    found.context = "own"
    return found


def _example(inputs: object) -> Example:
    return example(*inputs) if isinstance(inputs, tuple) else example(inputs)


def _raised(op: Op, error: Exception) -> InputError:
    reason = str(error) or "nothing said"
    return InputError(
        mark("ops", "The function of {op} raised {kind}: {reason}."),
        op=op.name,
        kind=type(error).__name__,
        reason=reason.rstrip("."),
    )


def _answering(op: Op, forward: Forward) -> Forward:
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


def _as_specified(op: Op, forward: Forward) -> Forward:
    """`forward`, whose outputs are those that its spec rule announced."""

    @functools.wraps(forward)
    def guarded(*inputs: Any, **attributes: Any) -> Any:
        found = forward(*inputs, **attributes)
        wanted = op.spec(*map(_spec_of, inputs), **attributes)
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


def _guarded_spec(op: Op, rule: SpecRule) -> SpecRule:
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


def _tried(op: Op, forward: Forward) -> SpecRule:
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


def _guarded_rule(op: Op, rule: Rule, leading: int) -> Rule:
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


def _local(op: Op, rule: Rule) -> Rule:
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
