"""Arrays as JSON: nested lists a person can read while they are small, base64 beyond."""

from __future__ import annotations

import base64
import binascii
import itertools
import json
import math
from typing import Any, Final

import numpy as np

from gradviz.files.records import ArrayRecord, convert
from gradviz.graph.fault import DiagramError, Way
from gradviz.graph.model import Array, frozen_array
from gradviz.graph.names import shown
from gradviz.graph.values import STORED_AS, check_shape
from gradviz.limits import INLINE_ELEMENTS, RANK
from gradviz.text import Message, mark, message

NOT_FINITE: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_EXACT: Final = 2**53
_FLOATS: Final[set[type]] = {int, float}
_ALLOWED: Final[dict[str, set[type]]] = {"bool": {bool}, "int64": {int}}


def decode(data: object, dtype: str, way: Way) -> Array:
    """The array that stands at `way`. Raises DiagramError with the place.

    `dtype` is a key of `STORED_AS`.
    """
    if isinstance(data, dict):
        return _decode_bytes(convert(data, ArrayRecord, way), dtype, way)
    shape, leaves = _flatten(data, way)
    check_shape(shape, place=way)
    _check_leaves(leaves, dtype, shape, way)
    numbers = [NOT_FINITE[leaf] if type(leaf) is str else leaf for leaf in leaves]
    with np.errstate(over="ignore"):
        array = frozen_array(np.array(numbers, STORED_AS[dtype]).reshape(shape))
    _check_overflow(array, numbers, way)
    return array


def inline_cost(array: Array) -> int:
    """How many numbers and lists `array` takes as nested lists; 0 if it cannot be written so."""
    if array.size == 0:
        return 1 if array.shape == (0,) else 0
    lists = sum(math.prod(array.shape[:axis]) for axis in range(array.ndim))
    return array.size + lists if max(array.size, lists // 2) <= INLINE_ELEMENTS else 0


def nested(array: Array) -> str:
    """`array` as nested lists of the shortest numbers that give the same bits again."""
    texts = _texts(array)
    for axis in reversed(range(array.ndim)):
        size = array.shape[axis]
        count = math.prod(array.shape[:axis])
        texts = ["[" + ", ".join(texts[i * size : (i + 1) * size]) + "]" for i in range(count)]
    return texts[0]


def encoded(array: Array) -> str:
    """`array` as an object with base64."""
    name = array.dtype.name
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    content = base64.b64encode(little.tobytes()).decode("ascii")
    return f'{{"dtype": "{name}", "shape": {list(array.shape)}, "base64": "{content}"}}'


def _texts(array: Array) -> list[str]:
    if array.dtype.kind == "b":
        return ["true" if item else "false" for item in array.ravel().tolist()]
    if array.dtype.kind == "i":
        return [str(item) for item in array.ravel().tolist()]
    if array.dtype == np.float32:
        return [_float32_text(np.float32(item)) for item in array.ravel().tolist()]
    return [float_text(item) for item in array.ravel().tolist()]


def float_text(number: float) -> str:
    """The shortest text for `number`: `1`, `0.1`, `-0.0`, `1e+22`, `"NaN"`."""
    if math.isfinite(number):
        return _short(float.__repr__(number))
    return '"NaN"' if math.isnan(number) else '"Infinity"' if number > 0 else '"-Infinity"'


def _float32_text(number: np.float32) -> str:
    # NumPy finds the fewest digits, Python writes them, so that both widths look alike. Read back,
    # they become float64 first; should that round the other way, all digits are kept.
    short = float(str(number))
    return float_text(short if np.float32(short) == number else float(number))


def _short(text: str) -> str:
    return text[:-2] if text.endswith(".0") and text != "-0.0" else text


def _decode_bytes(record: ArrayRecord, dtype: str, way: Way) -> Array:
    stored = STORED_AS[dtype]
    if record.dtype != stored:
        raise DiagramError(
            mark("files", "These bytes are {given}, but the node declares {wanted}."),
            place=(*way, "dtype"),
            given=shown(record.dtype, 24),
            wanted=dtype,
        )
    shape = tuple(record.shape)
    if any(axis < 0 for axis in shape):
        raise DiagramError(mark("files", "A size cannot be negative."), place=(*way, "shape"))
    check_shape(shape, place=(*way, "shape"))
    little = np.dtype(stored).newbyteorder("<")
    content = _bytes(record.base64, (*way, "base64"))
    if len(content) != math.prod(shape) * little.itemsize:
        raise DiagramError(
            mark("files", "Shape and dtype need {wanted} bytes, but there are {given}."),
            place=(*way, "base64"),
            wanted=f"{math.prod(shape) * little.itemsize:,}",
            given=f"{len(content):,}",
        )
    if stored == "bool" and content.strip(b"\0\1"):
        raise DiagramError(
            mark("files", "The bytes of truth values must be 0 or 1."), place=(*way, "base64")
        )
    return frozen_array(np.frombuffer(content, little).reshape(shape), stored)


def _bytes(text: str, place: Way) -> bytes:
    try:
        return binascii.a2b_base64(text.encode("ascii"), strict_mode=True) if text else b""
    except (binascii.Error, UnicodeEncodeError):
        raise DiagramError(mark("files", "This is not base64."), place=place) from None


def _flatten(data: object, way: Way) -> tuple[tuple[int, ...], list[Any]]:
    """Shape and numbers of nested lists. Raises DiagramError where rows differ in length."""
    shape: tuple[int, ...] = ()
    level: list[Any] = [data]
    while level and isinstance(level[0], list):
        if len(shape) == RANK:
            check_shape((*shape, 1), place=way)
        size = len(level[0])
        odd = next(
            (i for i, row in enumerate(level) if type(row) is not list or len(row) != size), -1
        )
        if odd >= 0:
            raise DiagramError(
                mark("files", "The rows differ in length: {wanted} expected here."),
                place=_cell(odd, shape, way),
                wanted=size,
            )
        shape = (*shape, size)
        level = list(itertools.chain.from_iterable(level))
    return shape, level


def _cell(position: int, shape: tuple[int, ...], way: Way) -> Way:
    return (*way, *(int(i) for i in np.unravel_index(position, shape))) if shape else way


def _check_leaves(leaves: list[Any], dtype: str, shape: tuple[int, ...], way: Way) -> None:
    allowed = _ALLOWED.get(dtype, _FLOATS)
    kinds = set(map(type, leaves))
    if kinds <= allowed and (dtype in _ALLOWED or int not in kinds):
        return
    for position, leaf in enumerate(leaves):
        fault = _leaf_fault(leaf, dtype, allowed)
        if fault is not None:
            raise DiagramError(fault, place=_cell(position, shape, way))


def _leaf_fault(leaf: object, dtype: str, allowed: set[type]) -> Message | None:
    if isinstance(leaf, str) and leaf in NOT_FINITE and dtype not in _ALLOWED:
        return None
    if type(leaf) not in allowed:
        return message(_WANTED.get(dtype, _NUMBER), given=shown(_as_written(leaf), 24), dtype=dtype)
    if (
        dtype not in _ALLOWED
        and type(leaf) is int
        and abs(leaf) > _EXACT
        and int(float(leaf)) != leaf
    ):
        return message(
            mark("files", "{number} cannot be held exactly in {dtype}; declare int64."),
            number=leaf,
            dtype=dtype,
        )
    return None


def _as_written(leaf: object) -> str:
    if isinstance(leaf, list | dict):
        return "[…]" if isinstance(leaf, list) else "{…}"
    return json.dumps(leaf, ensure_ascii=False)


def _check_overflow(array: Array, numbers: list[Any], way: Way) -> None:
    if array.dtype == np.float32 and np.isinf(array).any():
        for position, (stored, number) in enumerate(zip(array.ravel(), numbers, strict=True)):
            if np.isinf(stored) and not math.isinf(number):
                raise DiagramError(
                    mark("files", "{number} is too large for float32 (about 3.4e38)."),
                    place=_cell(position, array.shape, way),
                    number=number,
                )


_NUMBER: Final = mark(
    "files", 'Here stands {given}, but a number is expected ("NaN", "Infinity" in quotes).'
)
_WANTED: Final = {
    "bool": mark(
        "files", "Here stands {given}, but this node is {dtype}: true or false is expected."
    ),
    "int64": mark(
        "files", "Here stands {given}, but this node is {dtype}: a whole number is expected."
    ),
}
