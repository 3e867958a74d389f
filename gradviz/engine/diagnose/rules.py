"""Which rule of arithmetic made a NaN or an infinity, from the numbers that met there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Final

import numpy as np


class Made(StrEnum):
    """How a number that is not finite came to be."""

    GIVEN = "given"
    ZERO_TIMES_INFINITY = "zero-times-infinity"
    ZERO_TIMES_NAN = "zero-times-nan"
    INFINITY_MINUS_INFINITY = "infinity-minus-infinity"
    INFINITY_BY_INFINITY = "infinity-by-infinity"
    ZERO_BY_ZERO = "zero-by-zero"
    BY_ZERO = "by-zero"
    LOG_OF_ZERO = "log-of-zero"
    LOG_OF_NEGATIVE = "log-of-negative"
    ROOT_OF_NEGATIVE = "root-of-negative"
    OVERFLOW = "overflow"
    POLE = "pole"
    OUTSIDE = "outside"
    OF_NOTHING = "of-nothing"
    FROM_INFINITY = "from-infinity"
    STEEP = "steep"
    FROM_VALUE = "from-value"


SUMS: Final = ("add", "subtract", "accumulate")
LOGS: Final = {"log": 0.0, "log2": 0.0, "log10": 0.0, "log1p": 1.0}
ROOTS: Final = ("sqrt", "rsqrt")
QUOTIENTS: Final = ("divide", "reciprocal", "rsqrt")
LARGE: Final = 1e18
"""A value near a pole is smaller than this at a distance of about 1e-6; near an overflow it is far larger."""


def at_cell(
    op: str, values: Sequence[float], result: float, near: Callable[[], Sequence[float]]
) -> Made:
    """The rule behind `result` of an element-wise op with these inputs; `near` gives results of inputs close by."""
    named = _named(op, values, result)
    if named is not None:
        return named
    if np.isnan(result):
        return Made.FROM_INFINITY if np.isinf(values).any() else Made.OUTSIDE
    return infinite(near())


def infinite(near: Sequence[float]) -> Made:
    """Whether an infinity stands at one place only, or is one of many numbers that are too large."""
    finite = [abs(value) for value in near if np.isfinite(value)]
    return Made.POLE if finite and min(finite) < LARGE else Made.OVERFLOW


def _named(op: str, values: Sequence[float], result: float) -> Made | None:
    nan, infinities = bool(np.isnan(result)), int(np.isinf(values).sum())
    if op == "multiply" and nan and infinities:
        return Made.ZERO_TIMES_INFINITY
    if op in SUMS and nan and infinities:
        return Made.INFINITY_MINUS_INFINITY
    if op in QUOTIENTS:
        below = values[-1]
        if below == 0:
            return Made.ZERO_BY_ZERO if nan else Made.BY_ZERO
        if nan and infinities == 2:
            return Made.INFINITY_BY_INFINITY
    if op in LOGS:
        inside = values[0] + LOGS[op]
        if inside <= 0:
            return Made.LOG_OF_ZERO if inside == 0 else Made.LOG_OF_NEGATIVE
    if op in ROOTS and values[0] < 0:
        return Made.ROOT_OF_NEGATIVE
    if op == "power" and len(values) == 2:
        base, exponent = values
        if base == 0 and exponent < 0:
            return Made.BY_ZERO
        if nan and base < 0:
            return Made.ROOT_OF_NEGATIVE
    return None
