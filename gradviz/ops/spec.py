"""Spec: what is known of an array before it is computed."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from gradviz.text import shape_words

FLOAT64: Final = np.dtype(np.float64)
FLOAT32: Final = np.dtype(np.float32)
INT64: Final = np.dtype(np.int64)
BOOL: Final = np.dtype(np.bool_)
DTYPES: Final = {dtype.name: dtype for dtype in (FLOAT64, FLOAT32, INT64, BOOL)}


class Spec(NamedTuple):
    """Shape and dtype of a port.

    A `weak` spec is a Python number: one float64 that takes the dtype of the float array it meets.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]
    weak: bool = False

    @property
    def is_float(self) -> bool:
        """Whether a gradient can flow here."""
        return self.dtype.kind == "f"

    def __str__(self) -> str:
        return f"{shape_words(self.shape)} {self.dtype}"


WEAK: Final = Spec((), FLOAT64, weak=True)
