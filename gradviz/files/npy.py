"""Arrays in `.npy` files: read with bounds, before anything is allocated; never pickled."""

from __future__ import annotations

import io
import math
import tokenize
from typing import Final, Literal

import numpy as np
from numpy.lib import format as npy

from gradviz.errors import FileError
from gradviz.files.atomic import write_bytes
from gradviz.files.disk import AnyPath, path_words, read_bytes
from gradviz.graph.model import Array, frozen_array
from gradviz.limits import ARRAY_ELEMENTS, RANK
from gradviz.text import Text, mark, shape_words

HEADER_BYTES: Final = 10_000
_DAMAGED: Final = (
    *(ValueError, TypeError, SyntaxError, EOFError),
    *(MemoryError, RecursionError, tokenize.TokenError),
)
"""What NumPy's reading of a header may end in."""
KEPT_AS: Final = {
    ("f", 2): "float32",
    ("f", 4): "float32",
    ("f", 8): "float64",
    ("b", 1): "bool",
    **{(kind, size): "int64" for kind in "iu" for size in (1, 2, 4, 8)},
}
"""Kind and bytes of what can be read, and the dtype a source keeps it in."""


def read_npy(path: AnyPath) -> Array:
    """The array of a file. Raises FileError for what is no `.npy`, no numbers, or too large."""
    data = read_bytes(path)
    try:
        return _read(data)
    except FileError as error:
        error.path = path_words(path)
        raise


def _read(data: bytes) -> Array:
    stream = io.BytesIO(data)
    try:
        version = npy.read_magic(stream)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, in_columns, dtype = read(stream, max_header_size=HEADER_BYTES)
    except _DAMAGED as error:
        text = mark("files", "This is not an .npy file, or its beginning is damaged.")
        raise FileError(text) from error
    if any(length < 0 for length in shape):
        raise FileError(
            mark("files", "Its beginning is damaged: an axis cannot have {shape} cells."),
            shape=min(shape),
        )
    kept = KEPT_AS.get((dtype.kind, dtype.itemsize))
    if dtype.hasobject or kept is None:
        raise FileError(
            mark("files", "It holds {dtype}; only numbers and booleans can be read."),
            dtype=str(dtype)[:40],
        )
    _check_size(shape, dtype, len(data) - stream.tell())
    order: Literal["F", "C"] = "F" if in_columns else "C"
    given = np.frombuffer(data, dtype, math.prod(shape), stream.tell())
    if kept == "int64" and dtype.kind == "u" and np.any(given > np.iinfo(np.int64).max):
        raise FileError(mark("files", "It holds whole numbers larger than int64 has room for."))
    return frozen_array(given.reshape(shape, order=order), kept)


def _check_size(shape: tuple[int, ...], dtype: np.dtype[np.generic], left: int) -> None:
    """That the numbers are all there, and not too many. Plain integers cannot overflow."""
    text: Text | None = None
    if len(shape) > RANK or math.prod(shape) > ARRAY_ELEMENTS:
        text = mark("files", "{shape} is too large: at most {limit} numbers and {rank} axes.")
    elif math.prod(shape) * dtype.itemsize > left:
        text = mark("files", "It ends before its {shape} numbers do: the file is cut off.")
    if text is not None:
        words = (
            shape_words(shape) if len(shape) <= RANK else "×".join(map(str, shape[:RANK])) + "×…"
        )
        raise FileError(text, shape=words, limit=ARRAY_ELEMENTS, rank=RANK)


def write_npy(path: AnyPath, array: Array) -> None:
    """Write a file, whole or not at all. Raises FileError."""
    stream = io.BytesIO()
    npy.write_array(stream, np.asarray(array), allow_pickle=False)
    write_bytes(path, stream.getvalue())
