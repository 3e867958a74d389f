"""Typed mathematics cut into tokens. Places are offsets into the text as it was typed."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from gradviz import limits
from gradviz.errors import ExpressionError
from gradviz.graph.names import name_fault, shown
from gradviz.text import Text, mark

Kind = Literal["number", "name", "quoted", "sign", "power", "transpose", "newline", "end"]


class Token(NamedTuple):
    """A piece of the text; `spaced` says whether a blank stands before it.

    `text` is the spelling that counts: `-` for a true minus, digits for a superscript, no quotes.
    """

    kind: Kind
    text: str
    start: int
    end: int
    spaced: bool

    @property
    def number(self) -> int | float:
        """What a number token says; whole numbers stay whole."""
        if self.text.isdecimal():
            return int(self.text.lstrip("0") or "0")
        return float(self.text)

    def is_sign(self, *signs: str) -> bool:
        """Whether this is one of `signs`, and no quoted text of the same letters."""
        return self.kind == "sign" and self.text in signs


def fault(text: Text, start: int, end: int, **values: object) -> ExpressionError:
    """The error at the characters from `start` to `end`."""
    return ExpressionError(text, position=start, length=max(end - start, 1), **values)


# One character for one, so that places stay what they are.
_FULL_WIDTH: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_SPELLINGS: Final = _FULL_WIDTH | str.maketrans(
    {
        **dict.fromkeys("−–‐‑﹣", "-"),
        **dict.fromkeys("×·⋅∗∙•", "*"),
        **dict.fromkeys("÷∕⁄", "/"),
        **dict.fromkeys("‘’′", "'"),
        **dict.fromkeys("“”", '"'),
        **dict.fromkeys("\r\u2028\u2029\x85", "\n"),
        "；": "\n",
        ";": "\n",
        "、": ",",
        "…": "…",
    }
)
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SUBSCRIPTS: Final = frozenset("₀₁₂₃₄₅₆₇₈₉")
_LONE_NAMES: Final = frozenset("√∑∞")
_TRANSPOSE: Final = "ᵀ"

_TOKEN: Final = re.compile(
    r"""
      (?P<blank>(?:[^\S\n]|\#[^\n]*)+)
    | (?P<newline>\n)
    | (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    | (?P<power>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)
    | (?P<quoted>'[^'\n]*'|"[^"\n]*")
    | (?P<sign>\*\*|//|[=!<>]=|\.\.\.|…|[-+*/%^@()\[\],:=.<>])
    """,
    re.VERBOSE,
)
_ASCII_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def tokens(text: str) -> list[Token]:
    """All tokens of `text`, the last one an `end`. ExpressionError for what cannot be one."""
    if len(text) > limits.EXPRESSION_CHARACTERS:
        limit = limits.EXPRESSION_CHARACTERS
        raise fault(
            mark("code", "This text has {count} characters; at most {limit} are read."),
            limit,
            limit,
            count=f"{len(text):,}",
            limit=f"{limit:,}",
        )
    return list(_scan(text.translate(_SPELLINGS)))


def is_name(text: str) -> bool:
    """Whether `text` is read as one name, and as the same one."""
    if not text or text in _LONE_NAMES or unicodedata.normalize("NFC", text) != text:
        return False
    return name_fault(text) is None and _name_end(text, 0) == len(text)


def _scan(text: str) -> Iterator[Token]:
    position, spaced = 0, True
    after_value = False
    while position < len(text):
        token = _transpose(text, position) if after_value and not spaced else None
        if token is None:
            token = _token(text, position, spaced=spaced)
        if token is None:
            position, spaced = _blank_end(text, position), True
            continue
        after_value = token.kind not in ("sign", "newline") or token.text in (")", "]")
        position, spaced = token.end, False
        yield token
    yield Token("end", "", len(text), len(text), spaced)


def _blank_end(text: str, position: int) -> int:
    match = _TOKEN.match(text, position)
    assert match is not None
    return match.end()


def _transpose(text: str, position: int) -> Token | None:
    """`'` right after a value, where no quotation can begin."""
    if text[position] != "'":
        return None
    return Token("transpose", "'", position, position + 1, spaced=False)


def _token(text: str, position: int, *, spaced: bool) -> Token | None:
    """The token at `position`; `None` for a blank."""
    end = _name_end(text, position)
    if end > position:
        return _name(text, position, end, spaced=spaced)
    match = _TOKEN.match(text, position)
    if match is None:
        raise _no_token(text, position)
    kind, end = match.lastgroup, match.end()
    match kind:
        case "blank":
            return None
        case "number":
            return _number(match[0], position, end, spaced=spaced)
        case "quoted":
            return Token("quoted", match[0][1:-1], position, end, spaced)
        case "power":
            return Token("power", match[0].translate(_SUPERSCRIPTS), position, end, spaced)
        case "newline":
            return Token("newline", "\n", position, end, spaced)
    sign = {"^": "**", "…": "..."}.get(match[0], match[0])
    return Token("sign", sign, position, end, spaced)


def _number(text: str, start: int, end: int, *, spaced: bool) -> Token:
    if math.isinf(float(text)):
        raise fault(
            mark("code", "This number is larger than a float64 can hold (1.8e308)."), start, end
        )
    return Token("number", text, start, end, spaced)


def _name(text: str, start: int, end: int, *, spaced: bool) -> Token:
    found = unicodedata.normalize("NFC", text[start:end])
    if found == _TRANSPOSE:
        return Token("transpose", found, start, end, spaced)
    reason = name_fault(found)
    if reason is not None:
        raise fault(
            mark("code", 'The name "{name}" cannot be used: {reason}.'),
            start,
            end,
            name=shown(found),
            reason=reason,
        )
    return Token("name", found, start, end, spaced)


def _name_end(text: str, position: int) -> int:
    """Where the name that begins at `position` ends; `position` itself if none does."""
    match = _ASCII_NAME.match(text, position)
    if match is not None:
        position = match.end()
    elif text[position] in _LONE_NAMES or text[position] == _TRANSPOSE:
        return position + 1
    elif not text[position].isalpha():
        return position
    while position < len(text) and _continues_name(text[position]):
        position += 1
    return position


def _continues_name(character: str) -> bool:
    if character.isascii():
        return character.isalnum() or character == "_"
    if character.isalpha():
        return character != _TRANSPOSE
    return (
        character in _SUBSCRIPTS
        or character.isdecimal()
        or unicodedata.category(character)[0] == "M"
    )


def _no_token(text: str, position: int) -> ExpressionError:
    character = text[position]
    if character in "'\"":
        return fault(
            mark("code", "This quotation is never closed: add {sign}."),
            position,
            position + 1,
            sign=character,
        )
    return fault(
        mark("code", "{sign} cannot be read here."), position, position + 1, sign=shown(character)
    )
