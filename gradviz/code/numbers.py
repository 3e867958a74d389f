"""Numbers as people type and paste them (decision 33)."""

from __future__ import annotations

import math
import re
from typing import Final

import numpy as np

from gradviz import limits
from gradviz.errors import InputError, LimitError
from gradviz.graph.model import Array, frozen_array
from gradviz.graph.names import shown
from gradviz.text import mark

_DECIMAL: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\Z")
_COMMA: Final = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?\Z")
_GROUPED: Final = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?\Z")
_WORDS: Final = {
    "pi": math.pi,
    "π": math.pi,
    "inf": math.inf,
    "infinity": math.inf,
    "∞": math.inf,
    "nan": math.nan,
}
_CALL: Final = re.compile(
    r"\s*(?:\w+\s*=\s*)?(?:[A-Za-z_]\w*\.)*(?:array|asarray|tensor|constant|Variable|matrix)\s*\((.*)\)\s*\Z",
    re.DOTALL,
)
_DTYPE: Final = re.compile(r",\s*(?:dtype\s*=\s*)?[\w.]*(?:float|int|bool)\w*\s*\Z")
_ROW_ENDS: Final = re.compile(r"[\r\n]+")


def parse_number(text: str) -> float:
    """One number: `0.5`, `0,5`, `1/3`, `2e-3`, `pi`, `inf`, `nan`, with a typographic minus too.

    Raises InputError, with both readings for what can be read in two ways.
    """
    plain = text.strip().replace("−", "-").replace("\u00a0", "")
    if not plain:
        raise InputError(mark("code", "Type a number."))
    whole, slash, part = plain.partition("/")
    if slash:
        below = _simple(part.strip(), text)
        if below == 0:
            raise InputError(mark("code", "{given} divides by zero."), given=shown(text))
        return _simple(whole.strip(), text) / below
    return _simple(plain, text)


def _simple(plain: str, whole: str) -> float:
    if _GROUPED.fullmatch(plain) and ("." in plain or plain.count(",") > 1):
        raise _two_readings(plain)
    if _COMMA.fullmatch(plain):
        return float(plain.replace(",", "."))
    if "," in plain and "." in plain:
        raise _two_readings(plain)
    if _DECIMAL.fullmatch(plain):
        return float(plain)
    sign = -1.0 if plain.startswith("-") else 1.0
    word = plain.lstrip("+-").lower()
    if word in _WORDS and len(plain) - len(word) <= 1:
        return sign * _WORDS[word]
    raise InputError(mark("code", "{given} is not a number."), given=shown(whole) or "?")


def _two_readings(plain: str) -> InputError:
    text = mark(
        "code", "{given} can be read as {grouped} or as {decimal}; type it without the commas."
    )
    grouped = plain.replace(",", "")
    decimal = plain.replace(".", "").replace(",", ".", 1).replace(",", "")
    return InputError(text, given=plain, grouped=grouped, decimal=decimal)


def parse_block(text: str) -> Array:
    """One number or a table: `[[1, 2], [3, 4]]`, `np.array([…])`, or rows from a spreadsheet. Float64, read-only.

    Raises InputError for rows of different lengths (and says which) or for what is no number.
    """
    if len(text) > limits.EXPRESSION_CHARACTERS * 10:
        raise LimitError(mark("code", "This is too much text for one value."))
    body = text.strip()
    call = _CALL.fullmatch(body)
    if call:
        body = _DTYPE.sub("", call[1]).strip()
    if body.startswith(("[", "(")):
        return _checked(_Brackets(body).read())
    rows = [row for row in _ROW_ENDS.split(body) if row.strip()]
    if not rows:
        raise InputError(mark("code", "There are no numbers here."))
    separator = _separator(rows)
    table = [[parse_number(cell) for cell in _cells(row, separator)] for row in rows]
    if len(table) == 1 and len(table[0]) == 1:
        return frozen_array(table[0][0])
    return _checked(table if len(table) > 1 else table[0])


def _separator(rows: list[str]) -> str | None:
    """Tabs, else semicolons, else commas (one number alone may have a decimal comma), spaces last."""
    if any("\t" in row for row in rows):
        return "\t"
    if any(";" in row for row in rows):
        return ";"
    lone = len(rows) == 1 and _COMMA.fullmatch(rows[0].strip().replace("−", "-"))
    return "," if any("," in row for row in rows) and not lone else None


def _cells(row: str, separator: str | None) -> list[str]:
    if separator is None:
        return row.split()
    cells = [cell.strip() for cell in row.split(separator)]
    return cells[:-1] if len(cells) > 1 and not cells[-1] else cells


def _checked(table: object) -> Array:
    flat: list[object] = table if isinstance(table, list) else [table]
    lengths = [len(row) if isinstance(row, list) else 0 for row in flat]
    if len(set(lengths)) > 1:
        number = next(i for i, length in enumerate(lengths) if length != lengths[0])
        text = mark("code", "Row {number} has {found} numbers, the first row has {first}.")
        found, first = max(lengths[number], 1), max(lengths[0], 1)
        raise InputError(text, number=number + 1, found=found, first=first)
    try:
        array = np.array(table, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise InputError(mark("code", "The rows have different lengths.")) from error
    if array.size > limits.ARRAY_ELEMENTS or array.ndim > limits.RANK:
        raise LimitError(
            mark("code", "This table is too large: at most {limit} numbers."),
            limit=limits.ARRAY_ELEMENTS,
        )
    return frozen_array(array)


class _Brackets:
    """Nested lists of numbers, read with a stack: depth costs nothing."""

    def __init__(self, text: str) -> None:
        self._text = text

    def read(self) -> object:
        stack: list[list[object]] = []
        for piece in re.findall(r"[\[\](),;]|[^\[\](),;\s]+", self._text):
            if piece in "[(":
                if len(stack) >= limits.RANK:
                    raise LimitError(
                        mark("code", "A table has at most {limit} axes."), limit=limits.RANK
                    )
                stack.append([])
            elif piece in "])":
                if not stack:
                    raise InputError(mark("code", "A bracket is closed that was not opened."))
                done = stack.pop()
                if not stack:
                    return self._whole(done, piece)
                stack[-1].append(done)
            elif piece not in ",;":
                if not stack:
                    raise InputError(
                        mark("code", "{given} stands outside of the brackets."), given=shown(piece)
                    )
                stack[-1].append(parse_number(piece))
        raise InputError(mark("code", "A bracket is not closed."))

    def _whole(self, done: list[object], piece: str) -> object:
        rest = self._text[self._text.rstrip(" \t\r\n,;").rfind(piece) + 1 :].strip(" \t\r\n,;")
        closing = self._text.count("[") + self._text.count("(")
        if rest or closing != self._text.count("]") + self._text.count(")"):
            raise InputError(mark("code", "The brackets do not match."))
        return done
