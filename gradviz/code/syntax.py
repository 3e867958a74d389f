"""The tree of typed mathematics, and the signs between its parts.

Trees may be very deep (a sum of 20,000 terms leans to the left), so nothing here walks them by recursion; nodes are
compared by identity and have no generated `repr`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from gradviz.ops.op import ADDED, COMPARED, MULTIPLIED, RAISED


class Infix(NamedTuple):
    """A sign between two operands: its op and how strongly it binds."""

    op: str
    binding: int
    to_the_right: bool = False


# Between − (`NEGATED`) and the products stands nothing: -x*y is (-x)*y, and -x^2 is -(x^2).
SIGNS: Final[Mapping[str, Infix]] = {
    ">": Infix("greater", COMPARED),
    ">=": Infix("greater_equal", COMPARED),
    "<": Infix("less", COMPARED),
    "<=": Infix("less_equal", COMPARED),
    "==": Infix("equal", COMPARED),
    "!=": Infix("not_equal", COMPARED),
    "+": Infix("add", ADDED),
    "-": Infix("subtract", ADDED),
    "*": Infix("multiply", MULTIPLIED),
    "/": Infix("divide", MULTIPLIED),
    "//": Infix("floor_divide", MULTIPLIED),
    "%": Infix("remainder", MULTIPLIED),
    "@": Infix("matmul", MULTIPLIED),
    "**": Infix("power", RAISED, to_the_right=True),
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tree:
    """A part of the text, from `start` to `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Number(Tree):
    """`2`, `1e-3`."""

    value: int | float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Quoted(Tree):
    """`'mean'`: the value of a setting."""

    text: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dots(Tree):
    """`...` in an index."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Name(Tree):
    """`x`, or a dotted one: `np.linalg.norm`, `X.T`."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Negative(Tree):
    """`-x`."""

    operand: Tree


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Operation(Tree):
    """Two operands and one of `SIGNS` between them."""

    sign: str
    left: Tree
    right: Tree


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Member(Tree):
    """`.T` or `.sum` after anything but a name."""

    value: Tree
    name: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Call(Tree):
    """`sum(X, axis=0)`, `X.sum(0)`."""

    function: Name | Member
    arguments: tuple[Tree, ...]
    keywords: tuple[tuple[str, Tree], ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Items(Tree):
    """`[1, 2]` or `(1, 2)`."""

    items: tuple[Tree, ...]
    in_parentheses: bool


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Slice(Tree):
    """`1:3` in an index; a part that was left out is `None`."""

    parts: tuple[Tree | None, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Index(Tree):
    """`X[0, 1:3]`."""

    value: Tree
    items: tuple[Tree, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Statement:
    """`name = expression`, `f(x, y) = expression`, or an expression alone (then `name` is empty)."""

    name: str
    parameters: tuple[str, ...]
    expression: Tree
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Program:
    """At least one statement; the last one is the output."""

    text: str
    statements: tuple[Statement, ...]


def spanning(tree: Tree, start: int, end: int) -> Tree:
    """`tree` with the brackets around it."""
    return replace(tree, start=start, end=end)


def children(tree: Tree) -> tuple[Tree, ...]:
    """The parts of `tree` in the order of the text. The name of a function is no part."""
    match tree:
        case Operation(left=left, right=right):
            return (left, right)
        case Negative(operand=operand):
            return (operand,)
        case Call(function=function, arguments=arguments, keywords=keywords):
            receiver = (function.value,) if isinstance(function, Member) else ()
            return (*receiver, *arguments, *(value for _, value in keywords))
        case Member(value=value):
            return (value,)
        case Index(value=value, items=items):
            return (value, *items)
        case Items(items=items):
            return items
        case Slice(parts=parts):
            return tuple(part for part in parts if part is not None)
    return ()


def postorder(tree: Tree) -> list[Tree]:
    """`tree` and everything in it, each after its parts."""
    found: list[Tree] = []
    waiting = [tree]
    while waiting:
        current = waiting.pop()
        found.append(current)
        waiting.extend(children(current))
    found.reverse()
    return found
