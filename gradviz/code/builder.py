"""Trees into expressions. Equal parts become one; every fault is told at its place in the text."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

import numpy as np

from gradviz.code import syntax
from gradviz.code.syntax import SIGNS, Program, Tree, postorder
from gradviz.code.tokens import fault
from gradviz.errors import ExpressionError, GradvizError
from gradviz.graph.names import shown
from gradviz.ops import registry
from gradviz.ops.expr import Call, Expr, constant, index_items, literal
from gradviz.ops.op import Op
from gradviz.ops.search import search
from gradviz.text import mark

MODULES: Final = frozenset(
    [
        "np",
        "numpy",
        "tf",
        "tensorflow",
        "torch",
        "jnp",
        "jax",
        "math",
        "nn",
        "F",
        "functional",
        "linalg",
        "special",
        "scipy",
        "lax",
        "onp",
        "anp",
        "autograd",
        "compat",
        "v1",
        "ops",
        "gv",
        "gradviz",
    ]
)
CONSTANTS: Final[Mapping[str, object]] = {
    "e": math.e,
    "pi": math.pi,
    "π": math.pi,
    "inf": math.inf,
    "nan": math.nan,
    "∞": math.inf,
    "True": True,
    "False": False,
    "None": None,
    "newaxis": None,
}
SETTINGS: Final = {
    "dim": "axis",
    "keepdim": "keepdims",
    "keep_dims": "keepdims",
    "dims": "axes",
    "perm": "axes",
}
_DOTS: Final = object()
MakeLeaf = Callable[[str], Expr]


def build(
    program: Program, leaves: Mapping[str, Expr], make_leaf: MakeLeaf | None = None
) -> dict[str, Expr]:
    """The expression of each statement by its name, in order; a statement without one is `y`.

    `leaves` are the names that are known; for another, `make_leaf` is asked once, or ExpressionError raised.
    """
    return _Builder(program, leaves, make_leaf).results()


class _Builder:
    def __init__(
        self, program: Program, leaves: Mapping[str, Expr], make_leaf: MakeLeaf | None
    ) -> None:
        self._program = program
        self._names: dict[str, Expr] = dict(leaves)
        self._make_leaf = make_leaf
        self._made: dict[object, Expr] = {}
        self._defined = {statement.name for statement in program.statements if statement.name}

    def results(self) -> dict[str, Expr]:
        found: dict[str, Expr] = {}
        for statement in self._program.statements:
            for parameter in statement.parameters:
                if parameter not in self._names and self._make_leaf is not None:
                    self._names[parameter] = self._make_leaf(parameter)
            value = self._operand(statement.expression, self._value(statement.expression))
            name = statement.name or self._free("y")
            found[name] = self._names[name] = self._named(value, name)
        return found

    def _free(self, name: str) -> str:
        number = 1
        taken = self._names.keys() | self._defined
        while (name if number == 1 else f"{name}_{number}") in taken:
            number += 1
        return name if number == 1 else f"{name}_{number}"

    def _named(self, value: Expr, name: str) -> Expr:
        """The expression under that name; a leaf, and what has a name already, keep theirs."""
        call = value.call
        if call.port is not None or (not call.inputs and call.name):
            return value
        if not call.inputs:
            # A number that gets a name is no longer the number others share.
            value = Expr(Call(call.op, (), call.attributes, call.specs, outputs=call.outputs))
        elif call.name:
            value = Expr(Call(call.op, call.inputs, call.attributes, call.specs), value.index)
        value.name = name
        return value

    def _value(self, tree: Tree) -> object:
        values: dict[int, object] = {}
        for part in postorder(tree):
            try:
                values[id(part)] = self._part(part, values)
            except ExpressionError:
                raise
            except GradvizError as error:
                raise ExpressionError(
                    error.message, position=part.start, length=max(part.end - part.start, 1)
                ) from error
        return values[id(tree)]

    def _part(self, part: Tree, values: Mapping[int, object]) -> object:
        match part:
            case syntax.Number(value=value):
                return value
            case syntax.Quoted(text=text):
                return text
            case syntax.Dots():
                return _DOTS
            case syntax.Name():
                return self._name(part)
            case syntax.Negative(operand=operand):
                turned = values[id(operand)]
                if type(turned) in (int, float):
                    return -cast(float, turned)
                return self._apply("negative", self._operand(operand, turned))
            case syntax.Operation():
                return self._operation(part, values)
            case syntax.Items(items=items):
                return tuple(values[id(item)] for item in items)
            case syntax.Slice(parts=parts):
                return slice(*(None if p is None else self._whole(p, values[id(p)]) for p in parts))
            case syntax.Index(value=owner, items=items):
                found = [(item, values[id(item)]) for item in items]
                return self._index(owner, values[id(owner)], found)
            case syntax.Member(value=owner, name=name):
                return self._member(part, self._operand(owner, values[id(owner)]), name)
            case syntax.Call():
                return self._call(part, values)
        raise AssertionError(part)

    def _name(self, part: syntax.Name) -> object:
        parts = part.parts
        first = parts[0]
        if first in self._names:
            value: object = self._names[first]
            for name in parts[1:]:
                value = self._member(part, cast(Expr, value), name)
            return value
        if len(parts) == 1 and first in self._defined and self._make_leaf is None:
            text = mark("code", "{name} is used before it is defined.")
            raise fault(text, part.start, part.end, name=shown(first))
        last = parts[-1]
        if (len(parts) == 1 or first in MODULES) and last in CONSTANTS:
            return CONSTANTS[last]
        if len(parts) > 1:
            if first not in MODULES and self._make_leaf is not None:
                return self._member(part, self._leaf(first), parts[1])
            text = mark("code", "{name} is not known here.")
            raise fault(text, part.start, part.end, name=shown(".".join(parts)))
        if self._make_leaf is None:
            raise self._unknown(part, first)
        return self._leaf(first)

    def _leaf(self, name: str) -> Expr:
        assert self._make_leaf is not None
        self._names[name] = self._make_leaf(name)
        return self._names[name]

    def _unknown(self, part: Tree, name: str) -> ExpressionError:
        near = difflib.get_close_matches(name, self._names, 1, 0.5)
        if near:
            text = mark("code", "{name} has no value. Do you mean {near}?")
            return fault(text, part.start, part.end, name=shown(name), near=near[0])
        return fault(
            mark("code", "{name} has no value: give it one."),
            part.start,
            part.end,
            name=shown(name),
        )

    def _operand(self, part: Tree, value: object) -> Expr:
        if isinstance(value, Expr):
            return value
        if type(value) in (int, float):
            return self._literal(cast(float, value), part)
        if isinstance(value, bool):
            return constant(value)
        if isinstance(value, tuple):
            return self._table(part, value)
        raise fault(
            mark("code", "A number, a name or an expression is needed here."), part.start, part.end
        )

    def _literal(self, number: float, part: Tree) -> Expr:
        key = ("literal", repr(float(number)) if abs(number) < 1e308 else repr(number))
        if key not in self._made:
            try:
                self._made[key] = literal(number)
            except GradvizError as error:
                raise ExpressionError(
                    error.message, position=part.start, length=part.end - part.start
                ) from error
        return self._made[key]

    def _table(self, part: Tree, value: tuple[object, ...]) -> Expr:
        key = ("table", repr(value))
        if key not in self._made:
            try:
                array = np.array(value, dtype=np.float64)
            except (ValueError, TypeError) as error:
                text = mark("code", "A table is made of numbers in rows of equal length.")
                raise fault(text, part.start, part.end) from error
            self._made[key] = constant(array)
        return self._made[key]

    def _operation(self, part: syntax.Operation, values: Mapping[int, object]) -> Expr:
        infix = SIGNS[part.sign]
        right = values[id(part.right)]
        left = self._operand(part.left, values[id(part.left)])
        if infix.op == "power" and type(right) in (int, float) and right == 2:
            return self._apply("square", left)
        operands = (left, self._operand(part.right, right))
        return self._apply(infix.op, *operands)

    def _apply(self, op: str, *inputs: Expr, **attributes: object) -> Expr:
        return self._applied(registry.get(op), inputs, attributes)

    def _applied(
        self, op: Op, inputs: tuple[object, ...], attributes: Mapping[str, object]
    ) -> Expr:
        found = op(*inputs, **attributes)
        if isinstance(found, tuple):
            raise ExpressionError(
                mark("code", "{op} has several results; they cannot be written in one line."),
                op=op.name,
            )
        call = cast(Expr, found).call
        key = (
            op.name,
            tuple((id(e.call), e.index) for e in call.inputs),
            repr(sorted(call.attributes.items())),
        )
        # Ids stay true: what is made is kept.
        return self._made.setdefault(key, cast(Expr, found))

    def _member(self, part: Tree, value: Expr, name: str) -> Expr:
        if name in ("T", "mT", "H"):
            return self._apply("matrix_transpose" if name == "mT" else "transpose", value)
        text = mark("code", "{name} is not known here; as a function it needs brackets: {name}().")
        raise fault(text, part.start, part.end, name=shown(name))

    def _whole(self, part: Tree, value: object) -> int | None:
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        raise fault(mark("code", "An index needs whole numbers."), part.start, part.end)

    def _index(self, tree: Tree, value: object, items: list[tuple[Tree, object]]) -> Expr:
        if len(items) == 1 and isinstance(items[0][1], Expr):
            return self._operand(tree, value)[items[0][1]]
        index: list[object] = []
        for part, item in items:
            if item is _DOTS:
                index.append(Ellipsis)
            elif item is None or isinstance(item, slice):
                index.append(item)
            elif isinstance(item, tuple):
                index.append([self._whole(part, number) for number in item])
            else:
                index.append(self._whole(part, item))
        return self._apply("getitem", self._operand(tree, value), index=index_items(tuple(index)))

    def _call(self, part: syntax.Call, values: Mapping[int, object]) -> Expr:
        arguments = [(tree, values[id(tree)]) for tree in part.arguments]
        function = part.function
        if isinstance(function, syntax.Member):
            receiver = [(function.value, values[id(function.value)])]
            return self._called(part, function.name, receiver + arguments, values)
        parts = function.parts
        if len(parts) > 1 and parts[0] not in MODULES:
            known = parts[0] in self._names or self._make_leaf is not None
            if not known:
                raise self._unknown(part, parts[0])
            owner: object = (
                self._names[parts[0]] if parts[0] in self._names else self._leaf(parts[0])
            )
            for name in parts[1:-1]:
                owner = self._member(part, cast(Expr, owner), name)
            return self._called(part, parts[-1], [(function, owner), *arguments], values)
        return self._called(part, parts[-1], arguments, values)

    def _called(
        self,
        part: syntax.Call,
        name: str,
        arguments: list[tuple[Tree, object]],
        values: Mapping[int, object],
    ) -> Expr:
        op = registry.lookup(name)
        if op is None or op.is_source or (op.helper and name not in (op.name, *_names_of(op))):
            raise self._unknown_function(part, name)
        count = len(arguments) if op.variadic else len(op.inputs)
        keywords = dict(part.keywords)
        inputs: list[object] = []
        for tree, value in arguments[:count]:
            spread = (
                op.variadic
                and isinstance(value, tuple)
                and any(isinstance(item, Expr) for item in value)
            )
            inputs += (
                [self._operand(tree, item) for item in cast(Any, value)]
                if spread
                else [self._operand(tree, value)]
            )
        for missing in op.inputs[len(inputs) :]:
            if missing in keywords:
                tree = keywords.pop(missing)
                inputs.append(self._operand(tree, values[id(tree)]))
        rest = [self._setting(tree, value) for tree, value in arguments[count:]]
        if (
            len(rest) > 1
            and all(isinstance(n, int) for n in rest)
            and list(op.attributes) in (["shape"], ["axes"])
        ):
            # NumPy's methods take a shape as so many numbers too: X.reshape(3, 2).
            rest = [tuple(rest)]
        attributes = dict(zip(op.attributes, rest, strict=False))
        for setting, tree in keywords.items():
            attributes[SETTINGS.get(setting, setting)] = self._setting(tree, values[id(tree)])
        if len(rest) > len(op.attributes):
            text = mark("code", "{op} takes {count} inputs: {names}.")
            raise fault(
                text,
                part.start,
                part.end,
                op=op.name,
                count=len(op.inputs),
                names=", ".join(op.inputs),
            )
        return self._applied(op, tuple(inputs), attributes)

    def _setting(self, tree: Tree, value: object) -> object:
        if isinstance(value, Expr) or value is _DOTS or isinstance(value, slice):
            raise fault(
                mark("code", "A setting is a plain number, name or list."), tree.start, tree.end
            )
        return value

    def _unknown_function(self, part: syntax.Call, name: str) -> ExpressionError:
        function = part.function
        if name in self._names:
            text = mark(
                "code", "{name} is a value, not a function; for a product, write {name} * (…)."
            )
            return fault(text, function.start, function.end, name=shown(name))
        near = registry.nearest(name)
        if near is None:
            found = search(name)
            near = found[0].name if found else None
        if near is None:
            text = mark("code", "{name} is not a function gradviz knows.")
            return fault(text, function.start, function.end, name=shown(name))
        text = mark("code", "{name} is not a function gradviz knows. Do you mean {near}?")
        return fault(text, function.start, function.end, name=shown(name), near=near)


def _names_of(op: Op) -> set[str]:
    return {alias for names in op.aliases.values() for alias in names}
