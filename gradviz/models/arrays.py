"""NumPy's .npy files: one array, read within limits and without pickle."""

from __future__ import annotations

import ast
import math
import stat
from pathlib import Path
from typing import BinaryIO, Final, cast

import numpy as np

from gradviz import limits
from gradviz.errors import FileError
from gradviz.graph.model import Array, frozen_array
from gradviz.text import Message, Text, mark, shape_words

HEADER_BYTES: Final = 10_000
_MAGIC: Final = b"\x93NUMPY"


def read_npy(path: Path) -> Array:
    """The array in a .npy file, read-only; float64, float32, whole numbers as int64, or bool.

    Raises FileError for anything else, before memory is taken for it.
    """
    try:
        with path.open("rb") as file:
            if not stat.S_ISREG(path.stat().st_mode):
                raise _fault(path, mark("models", "It is not a regular file."))
            return _read(path, file, path.stat().st_size)
    except OSError as error:
        raise _fault(
            path, mark("models", "It cannot be read: {reason}."), reason=error.strerror or error
        ) from error


def _read(path: Path, file: BinaryIO, size: int) -> Array:
    head = file.read(10)
    if head[:6] != _MAGIC or len(head) < 10:
        raise _fault(path, mark("models", "It is not a NumPy .npy file."))
    wide = head[6] >= 2
    length = int.from_bytes(head[8:] + file.read(2) if wide else head[8:], "little")
    if length > HEADER_BYTES:
        raise _fault(
            path, mark("models", "Its header is longer than {limit} bytes."), limit=HEADER_BYTES
        )
    shape, dtype, fortran = _header(path, file.read(length))
    start = length + (12 if wide else 10)
    if math.prod(shape) > limits.ARRAY_ELEMENTS or len(shape) > limits.RANK:
        text = mark(
            "models", "Its array is {shape}; at most {limit} numbers and {rank} axes are allowed."
        )
        raise _fault(
            path,
            text,
            shape=shape_words(shape),
            limit=f"{limits.ARRAY_ELEMENTS:,}",
            rank=limits.RANK,
        )
    if math.prod(shape) * dtype.itemsize != size - start:
        text = mark("models", "It says {shape} {dtype}, but holds another number of bytes.")
        raise _fault(path, text, shape=shape_words(shape), dtype=dtype)
    flat = np.frombuffer(file.read(), dtype)
    array = flat.reshape(shape, order="F" if fortran else "C")
    return frozen_array(array, _kept(dtype))


def _header(path: Path, text: bytes) -> tuple[tuple[int, ...], np.dtype[np.generic], bool]:
    try:
        header = ast.literal_eval(text.decode("latin-1").strip())
        shape, name, fortran = header["shape"], header["descr"], header["fortran_order"]
    except (ValueError, SyntaxError, KeyError, TypeError, MemoryError, RecursionError) as error:
        raise _fault(path, mark("models", "Its header cannot be read.")) from error
    whole = isinstance(shape, tuple) and all(type(n) is int and n >= 0 for n in shape)
    if not whole or not isinstance(name, str) or not isinstance(fortran, bool):
        raise _fault(path, mark("models", "Its header cannot be read."))
    try:
        dtype = np.dtype(name)
    except TypeError as error:
        raise _fault(path, mark("models", "Its header cannot be read.")) from error
    if dtype.kind not in "fiub":
        raise _fault(
            path,
            mark("models", "It holds {dtype}; only numbers and truth values can be read."),
            dtype=dtype,
        )
    return cast("tuple[int, ...]", shape), dtype, fortran


def _kept(dtype: np.dtype[np.generic]) -> np.dtype[np.generic]:
    if dtype.kind == "f":
        return np.dtype(np.float32 if dtype.itemsize <= 4 else np.float64)
    return np.dtype(np.bool_ if dtype.kind == "b" else np.int64)


def _fault(path: Path, text: Text, **values: object) -> FileError:
    return FileError(Message(text, values), path=str(path))
