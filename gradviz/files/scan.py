"""One look at the bytes of a document before anything is built from them.

A few kilobytes can ask a JSON parser for a deep stack, a few megabytes for gigabytes of objects. So
depth and counts are bounded here, in one pass whose memory does not grow with what is nested.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
import numpy.typing as npt

from gradviz.errors import FileError
from gradviz.limits import DOCUMENT_BYTES, JSON_CONTAINERS, JSON_DEPTH, JSON_NUMBERS
from gradviz.text import Text, mark

Bytes = npt.NDArray[np.uint8]

CHUNK: Final = 2**20
# Keys included. The largest graph that the other limits allow has about 1.5 million.
TEXTS: Final = 2 * JSON_NUMBERS
_BOM: Final = b"\xef\xbb\xbf"
_HIGH: Final = rb"\\u[dD][89abAB][0-9a-fA-F]{2}"
_LOW: Final = rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_LONE_SURROGATE: Final = re.compile(rb"%b(?!%b)|(?<!%b)%b" % (_HIGH, _LOW, _HIGH, _LOW))


def checked_text(data: bytes) -> str:
    """The text of a document that is safe to parse. Raises FileError with the place."""
    if len(data) > DOCUMENT_BYTES:
        raise too_large(len(data))
    if data.startswith(_BOM):
        raise FileError(
            mark("files", "It starts with a byte order mark; save it as UTF-8 without one."),
            place=where(data, 0),
        )
    # First, while only the bytes are there: one emoji makes the text four times as large.
    _check_structure(data)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError(
            mark("files", "Byte 0x{byte} is not UTF-8 text; is this a gradviz file?"),
            place=where(data, error.start),
            byte=f"{data[error.start]:02x}",
        ) from None


def too_large(size: int) -> FileError:
    """The error for a document of `size` bytes."""
    return FileError(
        mark("files", "It has {size} bytes; a gradviz file has at most {limit}."),
        size=f"{size:,}",
        limit=f"{DOCUMENT_BYTES:,}",
    )


def where(data: bytes, offset: int) -> str:
    """`line 3, column 7`, both from 1; columns are characters."""
    start = data.rfind(b"\n", 0, offset) + 1
    line = data.count(b"\n", 0, offset) + 1
    return f"line {line}, column {len(data[start:offset].decode('utf-8', 'replace')) + 1}"


def _check_structure(data: bytes) -> None:
    # Once escaped backslashes and quotes are out of the way, every quote left opens or closes a
    # text. Both replacements keep the length, so offsets stay true.
    plain = data.replace(rb"\\", b"__")
    lone = _LONE_SURROGATE.search(plain) if b"\\u" in plain else None
    if lone is not None:
        raise FileError(
            mark("files", "This escape is half a character (a lone surrogate)."),
            place=where(data, lone.start()),
        )
    _Counter(data).count(plain.replace(rb"\"", b"__"))


def _table(**classes: bytes) -> Bytes:
    table = np.zeros(256, np.uint8)
    for value, characters in enumerate(classes.values(), 1):
        table[list(characters)] = value
    return table


_OPEN, _CLOSE, _SIGN, _DIGIT = 1, 2, 3, 4
_CLASS: Final = _table(open=b"[{", close=b"]}", sign=b"+.eE", digit=b"-0123456789")


class _Counter:
    """Depth and counts, chunk by chunk."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._inside = 0
        self._depth = 0
        self._containers = 0
        self._numbers = 0
        self._quotes = 0
        self._in_number = False

    def count(self, plain: bytes) -> None:
        for start in range(0, len(plain), CHUNK):
            chunk = np.frombuffer(plain, np.uint8, min(CHUNK, len(plain) - start), start)
            self._count_chunk(chunk, start)

    def _count_chunk(self, chunk: Bytes, start: int) -> None:
        quotes = chunk == ord('"')
        self._count_texts(quotes, start)
        inside = np.bitwise_xor.accumulate(quotes.view(np.uint8)) ^ self._inside
        self._inside = int(inside[-1])
        kind = _CLASS[chunk]
        kind[inside == 1] = 0
        self._count_containers(kind, start)
        self._count_numbers(kind, start)

    def _count_texts(self, quotes: npt.NDArray[np.bool_], start: int) -> None:
        before, self._quotes = self._quotes, self._quotes + int(quotes.sum())
        if self._quotes > 2 * TEXTS:
            text = mark("files", "It is too large: there are more than {limit} texts.")
            self._refuse(text, TEXTS, start + _nth(quotes, 2 * TEXTS - before))

    def _count_containers(self, kind: Bytes, start: int) -> None:
        opens = kind == _OPEN
        steps = opens.view(np.int8) - (kind == _CLOSE).view(np.int8)
        depth = np.cumsum(steps, dtype=np.int32)
        depth += self._depth
        if depth.max() > JSON_DEPTH:
            text = mark("files", "Lists and objects are nested more than {limit} levels deep.")
            self._refuse(text, JSON_DEPTH, start + int(np.argmax(depth > JSON_DEPTH)))
        self._depth = int(depth[-1])
        before, self._containers = self._containers, self._containers + int(opens.sum())
        if self._containers > JSON_CONTAINERS:
            text = mark("files", "It is too large: there are more than {limit} lists and objects.")
            self._refuse(text, JSON_CONTAINERS, start + _nth(opens, JSON_CONTAINERS - before))

    def _count_numbers(self, kind: Bytes, start: int) -> None:
        part = kind >= _SIGN
        begins = kind == _DIGIT
        begins[1:] &= ~part[:-1]
        begins[0] &= not self._in_number
        self._in_number = bool(part[-1])
        before, self._numbers = self._numbers, self._numbers + int(begins.sum())
        if self._numbers > JSON_NUMBERS:
            text = mark(
                "files", "It is too large: more than {limit} numbers; write large arrays as base64."
            )
            self._refuse(text, JSON_NUMBERS, start + _nth(begins, JSON_NUMBERS - before))

    def _refuse(self, text: Text, limit: int, offset: int) -> None:
        raise FileError(text, place=where(self._data, offset), limit=f"{limit:,}")


def _nth(flags: npt.NDArray[np.bool_], number: int) -> int:
    """The position of the flag before which `number` flags are set."""
    return int(np.flatnonzero(flags)[number])
