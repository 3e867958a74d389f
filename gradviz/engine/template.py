"""What the rule of a node expands to.

A rule only sees the specs and attributes of its node, so nodes of a kind share one expansion: the rule is run once, on
placeholders, and what it writes is kept as a list of applications that `gradient` copies for each node. Fitting a
cotangent to the shape and dtype of its value belongs to the expansion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from gradviz.errors import GradientError, ShapeError
from gradviz.graph.model import Array, Attributes
from gradviz.ops import adjoint
from gradviz.ops.elementwise import multiply, negative
from gradviz.ops.expr import Call, Expr, leaf
from gradviz.ops.op import Op
from gradviz.ops.spec import Spec
from gradviz.text import mark, shape_words

Slot = int | tuple[int, int]
"""Where an operand is: a number in the list of ports (inputs, outputs, adjoints of the outputs, then what was made);
with a second number, that output of what was made."""


class Made(NamedTuple):
    """One application of the expansion, or one of its numbers (`value`)."""

    op: str
    attributes: Attributes
    inputs: tuple[Slot, ...]
    specs: tuple[Spec, ...]
    value: Array | None = None


class Road(NamedTuple):
    """The way back over one input: what is made for the contribution, then what fits it to the value."""

    input: int
    made: tuple[Made, ...]
    local: Slot | float | None
    result: Slot
    fit: tuple[Made, ...]
    fitted: Slot


class Template(NamedTuple):
    """The expansion of a rule: one road per input that was asked for and has a derivative."""

    roads: tuple[Road, ...]
    local: bool


def expand(
    op: Op,
    attributes: Attributes,
    inputs: Sequence[Spec],
    outputs: tuple[Spec, ...],
    known: Sequence[bool],
    wanted: Sequence[int],
) -> Template:
    """Run a rule on placeholders. `known` says which outputs have an adjoint; the others count as zeros.

    Raises GradientError for a rule that does not answer for each input, or answers with the wrong shape.
    """
    return _Expansion(op, attributes, inputs, outputs, known).template(wanted)


class _Expansion:
    """The placeholders, and what was made so far."""

    def __init__(
        self,
        op: Op,
        attributes: Attributes,
        inputs: Sequence[Spec],
        outputs: tuple[Spec, ...],
        known: Sequence[bool],
    ) -> None:
        self._op = op
        self._attributes = attributes
        self._slots: dict[int, int] = {}
        self._keep: list[Call] = []
        self._inputs = [self._placeholder((spec,)) for spec in inputs]
        self._outputs = [self._placeholder((spec,)) for spec in outputs]
        # The adjoint of an output nobody asked about has a slot too, but no port.
        adjoints = [self._placeholder((spec,)) for spec in outputs]
        self._amounts = [
            self._cotangent(*pair) for pair in zip(adjoints, known, self._outputs, strict=True)
        ]

    def _placeholder(self, specs: tuple[Spec, ...]) -> Expr:
        call = leaf("", specs)
        self._remember(call)
        return Expr(call)

    def _remember(self, call: Call) -> int:
        # Ids of objects are only unique while the objects live.
        self._keep.append(call)
        return self._slots.setdefault(id(call), len(self._slots))

    def _cotangent(self, adjoint_: Expr, known: bool, output: Expr) -> Expr | None:
        if known:
            return adjoint_
        return cast(Expr, adjoint.full_like(output, fill=0.0)) if output.spec.is_float else None

    def template(self, wanted: Sequence[int]) -> Template:
        terms = self._terms()
        if len(terms) != len(self._inputs):
            raise GradientError(
                mark("engine", "The rule of {op} does not answer for each input."), op=self._op.name
            )
        return Template(
            tuple(self._road(i, terms[i]) for i in wanted if terms[i] is not None),
            self._op.local_rule is not None,
        )

    def _terms(self) -> Sequence[Any]:
        attributes = self._op.bind(self._attributes)
        single = len(self._outputs) == 1
        out: Any = self._outputs[0] if single else tuple(self._outputs)
        if self._op.local_rule is not None:
            return self._op.local_rule(out, *self._inputs, **attributes)
        assert self._op.vjp_rule is not None
        g: Any = self._amounts[0] if single else tuple(self._amounts)
        return self._op.vjp_rule(g, out, *self._inputs, **attributes)

    def _road(self, index: int, term: Any) -> Road:
        made: list[Made] = []
        value = self._inputs[index]
        local: Slot | float | None = None
        if self._op.local_rule is not None:
            local, cotangent = self._times(term, made)
        else:
            cotangent = (
                term
                if isinstance(term, Expr)
                else cast(Expr, adjoint.full_like(value, fill=float(term)))
            )
        result = self._grow(cotangent, made)
        fit: list[Made] = []
        try:
            fitted = self._grow(_fitted(cotangent, value.spec), fit)
        except ShapeError as error:
            raise GradientError(
                mark("engine", "The rule of {op} gives {given} for an input of {shape}."),
                op=self._op.name,
                given=shape_words(cotangent.shape),
                shape=shape_words(value.shape),
            ) from error
        return Road(index, tuple(made), local, result, tuple(fit), fitted)

    def _times(self, local: Any, made: list[Made]) -> tuple[Slot | float, Expr]:
        """Amount × local derivative; ×1 needs no node."""
        amount = cast(Expr, self._amounts[0])
        if isinstance(local, Expr):
            return self._grow(local, made), cast(Expr, multiply(amount, local))
        if local == 1:
            return 1.0, amount
        product = negative(amount) if local == -1 else multiply(amount, local)
        return float(local), cast(Expr, product)

    def _grow(self, expression: Expr, made: list[Made]) -> Slot:
        """Add an expression's calls that are not there yet, each after its inputs."""
        stack = [(expression.call, False)]
        while stack:
            call, ready = stack.pop()
            if id(call) in self._slots:
                continue
            if not ready:
                stack.append((call, True))
                stack.extend((e.call, False) for e in reversed(call.inputs))
                continue
            made.append(self._made(call))
            self._remember(call)
        return self._slot(expression)

    def _slot(self, expression: Expr) -> Slot:
        slot = self._slots[id(expression.call)]
        return (slot, expression.index) if expression.index else slot

    def _made(self, call: Call) -> Made:
        assert call.op is not None
        value = call.outputs[0] if call.outputs is not None and not call.inputs else None
        inputs = tuple(self._slot(e) for e in call.inputs)
        return Made(call.op.name, call.attributes, inputs, call.specs, value)


def _fitted(cotangent: Expr, spec: Spec) -> Expr:
    """A cotangent has the shape and dtype of its value."""
    if cotangent.shape != spec.shape:
        cotangent = cast(Expr, adjoint.sum_to(cotangent, shape=spec.shape))
    if cotangent.dtype != spec.dtype:
        cotangent = cast(Expr, adjoint.cast(cotangent, dtype=spec.dtype.name))
    return cotangent
