"""From text to plain Python data, strictly, and from a place in the data back to its line.

Python's `json` keeps the last of two equal keys, reads NaN, and turns 1e400 into infinity; here
each is refused. Its hooks do not know where they are, so the place of a fault is looked up
afterwards.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Final, NoReturn

from gradviz.errors import FileError
from gradviz.graph.fault import Way
from gradviz.graph.names import shown
from gradviz.text import Message, Text, mark, message

NUMBER_CHARACTERS: Final = 400
# Looking up a line takes about a second for this much text; larger documents get the JSON path
# alone.
_LOOKED_UP: Final = 4 * 2**20
_BLANK: Final = re.compile(r"[ \t\r\n]*+")
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{},:]|[^\s\[\]{},:"]++', re.DOTALL)


class _NumberError(Exception):
    """`literal` cannot be read as a number."""

    def __init__(self, literal: str, text: Text) -> None:
        super().__init__()
        self.literal = literal
        self.text = text


class _DuplicateKeyError(Exception):
    """An object has one key twice."""


def parse(text: str) -> object:
    """The data that `text` describes. Raises FileError with line and column."""
    if _BLANK.fullmatch(text):
        raise FileError(mark("files", "The file is empty."))
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=_int,
        )
    except json.JSONDecodeError as error:
        raise FileError(_syntax_words(error), place=_line(text, error.pos)) from None
    except _NumberError as fault:
        token = next(_tokens_like(text, fault.literal), None)
        raise FileError(
            fault.text,
            place="" if token is None else _line(text, token),
            number=shown(fault.literal, 24),
            count=f"{len(fault.literal):,}",
        ) from None
    except _DuplicateKeyError:
        _raise_duplicate(text)


def json_path(way: Way) -> str:
    """`$.graph.nodes[3].id`; keys that could be misread are quoted."""
    steps = [
        f"[{step}]"
        if isinstance(step, int)
        else f".{step}"
        if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", step)
        else f'["{shown(step, 40)}"]'
        for step in way
    ]
    return "$" + "".join(steps)


def place_of(way: Way, text: str) -> str:
    """`line 12, $.graph.nodes[3].id`; without the line where it cannot be told."""
    if len(text) > _LOOKED_UP:
        return json_path(way)
    for steps, _, start in _walk(text):
        if len(steps) == len(way) and tuple(steps) == way:
            return f"line {text.count(chr(10), 0, start) + 1}, {json_path(way)}"
    return json_path(way)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _DuplicateKeyError
    return found


def _constant(literal: str) -> NoReturn:
    raise _NumberError(
        literal, mark("files", '{number} is not JSON; in an array, write it in quotes: "{number}".')
    )


def _float(literal: str) -> float:
    _check_length(literal)
    number = float(literal)
    if math.isinf(number):
        raise _NumberError(
            literal, mark("files", "The number {number} is too large for 64 bits (about 1.8e308).")
        )
    return number


def _int(literal: str) -> int:
    _check_length(literal)
    number = int(literal)
    if not -(2**63) <= number < 2**63:
        raise _NumberError(
            literal, mark("files", "The whole number {number} needs more than 64 bits.")
        )
    return number


def _check_length(literal: str) -> None:
    if len(literal) > NUMBER_CHARACTERS:
        raise _NumberError(
            literal, mark("files", "The number {number} has {count} digits; 17 tell it exactly.")
        )


def _walk(text: str) -> Iterator[tuple[list[str | int], bool, int]]:
    """(the way to it, whether it is a key, its offset) for each key and value, as far as it is JSON.

    The list is the same each time, so that a long document costs nothing but time.
    """
    steps: list[str | int] = []
    kinds: list[str] = []
    wants_key = False
    for token in _TOKEN.finditer(text):
        first = text[token.start()]
        if first in "]}":
            if not kinds:
                return
            kinds.pop()
            steps.pop()
        elif first == ",":
            wants_key = kinds[-1:] == ["{"]
            if kinds and not wants_key and isinstance(steps[-1], int):
                steps[-1] += 1
        elif first == ":":
            wants_key = False
        elif wants_key:
            steps[-1] = token[0]
            yield steps, True, token.start()
            steps[-1] = _key(token[0])
        else:
            yield steps, False, token.start()
            if first in "[{":
                kinds.append(first)
                steps.append(0)
                wants_key = first == "{"


def _key(token: str) -> str:
    try:
        return str(json.loads(token, strict=False))
    except ValueError:
        return token


def _tokens_like(text: str, literal: str) -> Iterator[int]:
    return (token.start() for token in _TOKEN.finditer(text) if token[0] == literal)


def _raise_duplicate(text: str) -> NoReturn:
    seen: list[set[str]] = []
    for steps, is_key, start in _walk(text):
        del seen[len(steps) :]
        if is_key:
            if len(seen) < len(steps):
                seen.extend(set() for _ in range(len(steps) - len(seen)))
            key = _key(str(steps[-1]))
            if key in seen[-1]:
                raise FileError(
                    mark("files", 'The key "{key}" stands twice in one object; keep one.'),
                    place=_line(text, start),
                    key=shown(key, 40),
                )
            seen[-1].add(key)
    raise FileError(mark("files", "A key stands twice in one object; keep one."))


def _line(text: str, offset: int) -> str:
    line = text.count("\n", 0, offset) + 1
    return f"line {line}, column {offset - text.rfind(chr(10), 0, offset)}"


def _syntax_words(error: json.JSONDecodeError) -> Message:
    if _BLANK.fullmatch(error.doc, error.pos) and error.msg.startswith("Expecting"):
        return message(mark("files", "The file ends too early: something is missing here."))
    for start, text in _SYNTAX.items():
        if error.msg.startswith(start):
            return message(text)
    return message(mark("files", "This is not JSON: {fault}."), fault=error.msg)


_SYNTAX: Final = {
    "Expecting value": mark("files", "This is not JSON: a value is missing or misspelt here."),
    "Expecting property name": mark(
        "files", "This is not JSON: a key in double quotes is missing."
    ),
    "Expecting ':'": mark("files", "This is not JSON: a colon is missing after the key."),
    "Expecting ','": mark("files", "This is not JSON: a comma or a closing bracket is missing."),
    "Illegal trailing comma": mark(
        "files", "This is not JSON: take away the comma before the bracket."
    ),
    "Unterminated string": mark("files", "This is not JSON: the text that starts here never ends."),
    "Invalid control": mark(
        "files", "This is not JSON: a control character must be written as \\u00XX."
    ),
    "Invalid \\": mark("files", "This is not JSON: this escape is not known."),
    "Extra data": mark("files", "The document is over here, but more follows; take it away."),
}
