"""Operations of the user's own: a function, a rule, and a default for everything else.

    @gv.op
    def cube(x):
        return x**3

    @cube.local
    def _(out, x):
        return 3 * x**2

Nothing that a user's function or rule does may look like a fault of gradviz: they run guarded (`guard`).
"""

from __future__ import annotations

import inspect
import keyword
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, get_args

import numpy as np

from gradviz import limits
from gradviz.errors import GradvizError, InputError
from gradviz.graph.model import freeze
from gradviz.ops import guard, registry, shapes
from gradviz.ops.op import (
    ALIASES,
    ATOM,
    FRAMEWORKS,
    OWN,
    Example,
    Family,
    Forward,
    Op,
    Rule,
    SpecRule,
    example,
    plain,
    signature_of,
)
from gradviz.text import Text, mark

SIGN: Final = "ƒ"

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
        return self._take(rule, guard.local(self, guard.guarded_rule(self, rule, leading=1)), None)

    def vjp(self, rule: Rule) -> Rule:
        """Declare the VJP; raises RuleError if it is wrong on the examples."""
        return self._take(rule, None, guard.guarded_rule(self, rule, leading=2))

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
    helper: bool = False,
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
        sign=sign or SIGN,
        category=_text(category),
        family=family,
        summary=_text(summary or words or mark("ops", "An operation of your own.")),
        text=text or f"{called}({operands}{{attributes}})",
        binding=binding,
        formula=formula or rf"\operatorname{{{symbol}}}({', '.join(inputs)})",
        code=_by_framework(called, "code", code or {}, FRAMEWORKS),
        aliases={
            framework: tuple(names.split())
            for framework, names in _by_framework(called, "aliases", aliases or {}, ALIASES).items()
        },
        linear_in=tuple(linear_in),
        examples=tuple(e if isinstance(e, Example) else _example(e) for e in examples),
        spec=shapes.checked,
        forward=forward,
        inputs=inputs,
        variadic=variadic,
        attributes=attributes,
        helper=helper,
        differentiable=differentiable,
        defaults={a.name: a.default for a in attributes.values() if not a.required},
        examine=examine,
        surrogate=surrogate,
    )
    _refuse_faults(declared)
    usable = guard.answering(declared, forward)
    declared.spec = (
        guard.guarded_spec(declared, spec) if spec is not None else guard.tried(declared, usable)
    )
    declared.forward = guard.as_specified(declared, usable)
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


def _by_framework(
    op: str, field: str, given: Mapping[str, str], known: Sequence[str]
) -> dict[str, str]:
    if not isinstance(given, Mapping) or not all(
        key in known and isinstance(text, str) for key, text in given.items()
    ):
        raise InputError(
            mark("ops", "The {field} of {op} is a text for each of {names}, such as {example}."),
            field=field,
            op=op,
            names=", ".join(known),
            example="{'numpy': '…'}",
        )
    return dict(given)


def _refuse_faults(op: OwnOp) -> None:
    """Raise InputError for a field that would only fail later, on a card or in the help."""
    known = {*op.inputs, *op.attributes, "attributes", "name"}
    for template in (op.text, *op.code.values()):
        try:
            fields = {field for _, field, _, _ in string.Formatter().parse(template)} - {None}
        except (ValueError, TypeError):
            fields = {str(template)}
        if not fields <= known:
            raise InputError(
                mark(
                    "ops", "The text {template} of {op} may have {names} in braces, nothing else."
                ),
                template=repr(template)[:60],
                op=op.name,
                names=", ".join(f"{{{name}}}" for name in (*op.inputs, *op.attributes)),
            )
    for name in op.linear_in:
        if name not in op.inputs:
            raise InputError(
                mark("ops", "{op} is said to be linear in {name}, which is not one of its inputs."),
                op=op.name,
                name=name,
            )
    for shown in op.examples:
        count, wanted = len(shown.inputs), len(op.inputs)
        if count != wanted and not (op.variadic and count >= wanted):
            raise InputError(
                mark("ops", "An example of {op} has {count} inputs, not {wanted} ({names})."),
                op=op.name,
                count=count,
                wanted=wanted,
                names=", ".join(op.inputs),
            )


def _name(forward: Forward, given: str) -> str:
    name = given or str(getattr(forward, "__name__", "")).rstrip("_")
    fits = name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")
    if not fits or len(name) > limits.NAME_CHARACTERS:
        raise InputError(
            mark("ops", "{name} cannot be the name of an operation: write def, or give name=…."),
            name=name or "This",
        )
    return name


def _signature(forward: Forward, op: str) -> inspect.Signature:
    """The signature, with parameters that have a default as keyword-only ones, and kinds as the editors know them."""
    kinds = inspect.Parameter
    if isinstance(forward, np.ufunc):
        # Its other parameters are about memory, not about what is computed.
        return inspect.Signature(
            [kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in ("x", "y", "z")[: forward.nin]]
        )
    try:
        found = inspect.signature(forward)
    except (TypeError, ValueError) as error:
        raise InputError(
            mark("ops", "The parameters of {op} cannot be read: wrap it in a def."), op=op
        ) from error
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
        default = each.default if each.default is each.empty else freeze(plain(each.default))
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
