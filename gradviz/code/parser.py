"""Tokens into trees. Chains of signs are read in loops; only brackets nest, and they are counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from gradviz import limits
from gradviz.code.syntax import (
    SIGNS,
    Call,
    Dots,
    Index,
    Items,
    Member,
    Name,
    Negative,
    Number,
    Operation,
    Program,
    Quoted,
    Slice,
    Statement,
    Tree,
    spanning,
)
from gradviz.code.tokens import Token, fault, tokens
from gradviz.errors import ExpressionError
from gradviz.graph.names import shown
from gradviz.ops.op import MULTIPLIED, NEGATED, RAISED
from gradviz.text import mark

_CLOSERS: Final = {"(": ")", "[": "]"}


def parse(text: str) -> Program:
    """The program that `text` is; ExpressionError with the place of the first fault."""
    parser = _Parser(text)
    try:
        return parser.program()
    except RecursionError as error:
        raise parser.too_deep() from error


class _Pending(NamedTuple):
    """A sign that waits for its right operand; one without text turns the sign of it."""

    binding: int
    sign: str
    start: int


def _combine(operands: list[Tree], pending: _Pending) -> None:
    right = operands.pop()
    if not pending.sign:
        operands.append(Negative(pending.start, right.end, right))
        return
    left = operands.pop()
    operands.append(Operation(left.start, right.end, pending.sign, left, right))


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokens(text)
        self._at = 0
        self._depth = 0

    @property
    def _token(self) -> Token:
        return self._tokens[self._at]

    def _peek(self) -> Token:
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def _next(self) -> Token:
        token = self._token
        self._at = min(self._at + 1, len(self._tokens) - 1)
        self._skip_newlines_inside()
        return token

    def _skip_newlines_inside(self) -> None:
        while self._depth and self._token.kind == "newline":
            self._at += 1

    def program(self) -> Program:
        statements = []
        while True:
            while self._token.kind == "newline":
                self._at += 1
            if self._token.kind == "end":
                break
            statements.append(self._statement())
            if self._token.kind not in ("newline", "end"):
                raise self._unexpected()
        if not statements:
            raise fault(
                mark("code", "Type an expression, such as y = x**2 + x - 1."), 0, len(self._text)
            )
        return Program(self._text, tuple(statements))

    def _statement(self) -> Statement:
        start = self._token.start
        name, parameters = self._head()
        if self._token.kind in ("newline", "end"):
            raise fault(
                mark("code", "Something must stand after the =."),
                self._token.start,
                self._token.end,
            )
        expression = self._expression()
        return Statement(name, parameters, expression, start, expression.end)

    def _head(self) -> tuple[str, tuple[str, ...]]:
        """`name =` or `f(x, y) =`, if the statement begins so."""
        if self._token.kind != "name":
            return "", ()
        if self._peek().is_sign("="):
            name = self._next().text
            self._next()
            return name, ()
        end = self._at + 1
        if not self._tokens[end].is_sign("("):
            return "", ()
        while end < len(self._tokens) - 1 and not self._tokens[end].is_sign(")"):
            end += 1
        inside = self._tokens[self._at + 2 : end]
        names = inside[::2]
        commas = inside[1::2]
        if not self._tokens[min(end + 1, len(self._tokens) - 1)].is_sign("="):
            return "", ()
        if any(t.kind != "name" for t in names) or any(not t.is_sign(",") for t in commas):
            return "", ()
        name = self._token.text
        self._at = end + 2
        return name, tuple(t.text for t in names)

    def _expression(self) -> Tree:
        """Operands and signs with a stack, so that a bracket costs few frames and a chain none."""
        operands: list[Tree] = []
        pending: list[_Pending] = []
        while True:
            while self._token.is_sign("-", "+"):
                sign = self._next()
                if sign.text == "-":
                    pending.append(_Pending(NEGATED, "", sign.start))
            operands.append(self._operand())
            infix = self._infix(operands[-1])
            if infix is None:
                break
            sign_text, binding = infix
            # Powers group from the right, everything else from the left.
            while pending and (
                pending[-1].binding > binding or (pending[-1].binding == binding != RAISED)
            ):
                _combine(operands, pending.pop())
            pending.append(_Pending(binding, sign_text, 0))
        while pending:
            _combine(operands, pending.pop())
        return operands[0]

    def _infix(self, left: Tree) -> tuple[str, int] | None:
        """The sign that follows, read; or the product that `3x` and `2 sin(x) cos(x)` mean."""
        token = self._token
        found = SIGNS.get(token.text) if token.kind == "sign" else None
        if found is not None:
            self._next()
            return token.text, found.binding
        return ("*", MULTIPLIED) if self._is_factor(left) else None

    def _is_factor(self, left: Tree) -> bool:
        token = self._token
        if isinstance(left, Number):
            return token.kind == "name" or token.is_sign("(")
        bracketed = self._text[left.end - 1 : left.end] == ")"
        return bracketed and (token.kind == "name" or token.is_sign("("))

    def _operand(self) -> Tree:
        """A number, a name or a bracket, and what is written right after it."""
        tree = self._bracketed() if self._token.is_sign("(", "[") else self._atom()
        while True:
            token = self._token
            if token.is_sign("."):
                tree = self._member(tree)
            elif (
                token.is_sign("(")
                and isinstance(tree, Name | Member)
                and self._text[tree.end - 1] != ")"
            ):
                tree = self._call(tree)
            elif token.is_sign("[") and not token.spaced:
                tree = self._index(tree)
            elif token.kind == "power":
                self._next()
                power = Number(token.start, token.end, int(token.text))
                tree = Operation(tree.start, token.end, "**", tree, power)
            elif token.kind == "transpose":
                self._next()
                tree = Member(tree.start, token.end, tree, "T")
            else:
                return tree

    def _member(self, tree: Tree) -> Tree:
        self._next()
        token = self._token
        if token.kind != "name":
            raise fault(mark("code", "A name must stand after the point."), token.start, token.end)
        self._next()
        if isinstance(tree, Name):
            return Name(tree.start, token.end, (*tree.parts, token.text))
        return Member(tree.start, token.end, tree, token.text)

    def _atom(self) -> Tree:
        token = self._token
        if token.kind == "number":
            self._next()
            return Number(token.start, token.end, token.number)
        if token.kind == "name":
            self._next()
            return Name(token.start, token.end, (token.text,))
        if token.kind == "quoted":
            self._next()
            return Quoted(token.start, token.end, token.text)
        if token.is_sign("..."):
            self._next()
            return Dots(token.start, token.end)
        raise self._unexpected()

    def too_deep(self) -> ExpressionError:
        token = self._token
        text = mark("code", "Brackets may be nested {limit} deep.")
        return fault(text, token.start, token.end, limit=limits.EXPRESSION_DEPTH)

    def _open(self) -> Token:
        if self._depth >= limits.EXPRESSION_DEPTH:
            raise self.too_deep()
        self._depth += 1
        return self._next()

    def _close(self, opened: Token) -> Token:
        token = self._token
        closer = _CLOSERS[opened.text]
        if not token.is_sign(closer):
            if token.kind == "end":
                text = mark("code", "This bracket is never closed: add {closer}.")
                raise fault(text, opened.start, opened.end, closer=closer)
            raise self._unexpected(closer)
        self._depth -= 1
        return self._next()

    def _bracketed(self) -> Tree:
        opened = self._open()
        items, commas = self._items(_CLOSERS[opened.text], self._expression)
        closed = self._close(opened)
        if opened.text == "(" and len(items) == 1 and not commas:
            return spanning(items[0], opened.start, closed.end)
        if opened.text == "(" and not items:
            raise fault(
                mark("code", "There is nothing in these brackets."), opened.start, closed.end
            )
        return Items(opened.start, closed.end, tuple(items), in_parentheses=opened.text == "(")

    def _items(self, closer: str, read: Callable[[], Tree]) -> tuple[list[Tree], int]:
        items: list[Tree] = []
        commas = 0
        while not self._token.is_sign(closer) and self._token.kind != "end":
            items.append(read())
            if not self._token.is_sign(","):
                break
            self._next()
            commas += 1
        return items, commas

    def _call(self, function: Name | Member) -> Tree:
        opened = self._open()
        arguments: list[Tree] = []
        keywords: list[tuple[str, Tree]] = []
        while not self._token.is_sign(")") and self._token.kind != "end":
            if self._token.kind == "name" and self._peek().is_sign("="):
                name = self._next().text
                self._next()
                keywords.append((name, self._expression()))
            else:
                if keywords:
                    text = mark("code", "An input cannot stand after a setting.")
                    raise fault(text, self._token.start, self._token.end)
                arguments.append(self._expression())
            if not self._token.is_sign(","):
                break
            self._next()
        closed = self._close(opened)
        return Call(function.start, closed.end, function, tuple(arguments), tuple(keywords))

    def _index(self, tree: Tree) -> Tree:
        opened = self._open()
        items, _ = self._items("]", self._index_item)
        closed = self._close(opened)
        if not items:
            raise fault(mark("code", "An index is missing."), opened.start, closed.end)
        return Index(tree.start, closed.end, tree, tuple(items))

    def _index_item(self) -> Tree:
        start = self._token.start
        parts: list[Tree | None] = [self._slice_part()]
        while self._token.is_sign(":"):
            self._next()
            parts.append(self._slice_part())
        if len(parts) == 1:
            if parts[0] is None:
                raise self._unexpected()
            return parts[0]
        if len(parts) > 3:
            raise fault(mark("code", "A slice has at most three parts."), start, self._token.start)
        return Slice(start, self._token.start, tuple(parts))

    def _slice_part(self) -> Tree | None:
        if self._token.is_sign(":", ",", "]"):
            return None
        return self._expression()

    def _unexpected(self, wanted: str = "") -> ExpressionError:
        token = self._token
        if token.kind in ("end", "newline"):
            text = mark("code", "The text ends where something should follow.")
            return fault(text, token.start, token.end)
        previous = self._tokens[self._at - 1] if self._at else None
        if wanted:
            text = mark("code", "{found} cannot stand here; {wanted} was expected.")
            return fault(text, token.start, token.end, found=shown(token.text), wanted=wanted)
        if token.is_sign("="):
            return fault(
                mark("code", "Only a name can stand before a =; to compare, write ==."),
                token.start,
                token.end,
            )
        if (
            previous is not None
            and previous.kind in ("name", "number")
            and token.kind in ("name", "number")
        ):
            text = mark(
                "code",
                "A sign is missing before {found}: write * for cell by cell, @ for a matrix product.",
            )
            return fault(text, token.start, token.end, found=shown(token.text))
        return fault(
            mark("code", "{found} cannot stand here."),
            token.start,
            token.end,
            found=shown(token.text),
        )
