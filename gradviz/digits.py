"""Numbers as text: the one author for window, command line and explanations. No Qt.

A shown number never hides what it is: only an exact zero reads 0, a rounded number keeps its
trailing zeros (`2.000` is near 2, `2` is 2), and nothing is ever cut off with an ellipsis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, localcontext
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from gradviz.text import Text, mark, message, same, shape_words

Scalar = bool | int | float | np.generic
Array = npt.NDArray[np.generic]
Translate = Callable[[Text], str]

WHOLE_BELOW: Final = 10**15
MINUS: Final = "\u2212"
DIGITS: Final = 4
MORE_DIGITS: Final = 7
PLAIN_BELOW: Final = 10**6
NOT_FINITE: Final = ("NaN", "∞")
FIXED_EXPONENTS: Final = range(-3, 4)
ROWS: Final = 20
COLUMNS: Final = 10
ENDS: Final = 3
GAP: Final = "\u2026"


def number(x: Scalar | Array, digits: int = DIGITS) -> str:
    """`x` as it is shown: `digits` significant digits, scientific outside 1e-3 … 1e4.

    Integers are plain up to six digits. A number that needs fewer digits is shown with just those.
    """
    if isinstance(x, np.ndarray):
        x = x[()]
    if isinstance(x, bool | np.bool_):
        return str(bool(x))
    if isinstance(x, int | np.integer):
        return _integer(int(x), digits)
    # A float32 means its own shortest form: 0.1, not the 0.10000000149 that a float64 makes of it.
    value = float(str(x)) if isinstance(x, np.floating) else float(x)
    if not math.isfinite(value):
        return _not_finite(value)
    if value.is_integer() and abs(value) < PLAIN_BELOW:
        return str(int(value)).replace("-", MINUS)
    short = f"{value:.{digits - 1}e}"
    return _shown(value, short, exact=float(short) == value)


def full(x: Scalar | Array) -> str:
    """`x` in as many digits as bring it back exactly in its own dtype, for hovering and copying."""
    if isinstance(x, np.ndarray):
        x = x[()]
    if isinstance(x, bool | np.bool_):
        return str(bool(x))
    if isinstance(x, int | np.integer):
        return str(int(x)).replace("-", MINUS)
    if not math.isfinite(float(x)):
        return _not_finite(float(x))
    value = float(x)
    # NumPy writes a float32 of seven digits with an exponent already; the wide form may be the shorter one.
    whole = value.is_integer() and 0 < abs(value) < WHOLE_BELOW
    text = str(int(value)) if whole else min(str(x), str(value), key=len)
    return text.removesuffix(".0").replace("-", MINUS)


def _integer(value: int, digits: int) -> str:
    if abs(value) < PLAIN_BELOW:
        return str(value).replace("-", MINUS)
    short = format(Decimal(value), f".{digits - 1}e")
    return _scientific(short, exact=Decimal(short) == value)


def _not_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "∞" if value > 0 else f"{MINUS}∞"


def _shown(value: float, short: str, *, exact: bool) -> str:
    mantissa, exponent = short.split("e")
    power = int(exponent)
    if power not in FIXED_EXPONENTS:
        return _scientific(short, exact=exact)
    if exact:
        mantissa = mantissa.rstrip("0").rstrip(".")
    decimals = len(mantissa.lstrip("-").replace(".", "")) - 1 - power
    return f"{value:.{max(decimals, 0)}f}".replace("-", MINUS)


def _scientific(short: str, *, exact: bool) -> str:
    mantissa, exponent = short.split("e")
    if exact and "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}e{int(exponent):+03d}".replace("-", MINUS)


class Shown(NamedTuple):
    """A line of arithmetic as it is shown. `exact` is false where it only nearly comes true."""

    parts: tuple[str, ...]
    result: str
    exact: bool
    operator: str

    @property
    def equals(self) -> str:
        """`=`, or `≈` where the shown digits do not come out."""
        return "=" if self.exact else "≈"

    @property
    def left(self) -> str:
        """The side before the sign of equality: `6 + 1`, `6 − 1`, `1 × 6`."""
        text = f" {self.operator} ".join(self.parts)
        return text.replace(f"+ {MINUS}", f"{MINUS} ") if self.operator == "+" else text

    def __str__(self) -> str:
        return f"{self.left} {self.equals} {self.result}"


def true_sum(terms: Sequence[Scalar | Array], total: Scalar | Array) -> Shown:
    """The line `terms = total`, with as many digits as make it come true for who adds it up."""
    return _true_line(terms, total, "+", _sum)


def true_product(a: Scalar | Array, b: Scalar | Array, result: Scalar | Array) -> Shown:
    """The line `a × b = result`, with as many digits as make it come true."""
    return _true_line((a, b), result, "×", _product)


def true_terms(terms: Sequence[Sequence[Scalar | Array]], total: Scalar | Array) -> Shown:
    """The line `a·b + c·d = total` with as many digits as make it come true; each part is one product, `a·b`."""
    counts = [len(factors) for factors in terms]

    def combine(numbers: Iterable[Decimal]) -> Decimal:
        rest = list(numbers)
        found = Decimal(0)
        for count in counts:
            found += math.prod(rest[:count], start=Decimal(1))
            rest = rest[count:]
        return found

    line = _true_line([x for factors in terms for x in factors], total, "+", combine)
    parts, at = [], 0
    for count in counts:
        parts.append("·".join(line.parts[at : at + count]))
        at += count
    return line._replace(parts=tuple(parts))


def _true_line(
    parts: Sequence[Scalar | Array],
    result: Scalar | Array,
    operator: str,
    combine: Callable[[Iterable[Decimal]], Decimal],
) -> Shown:
    finite = not any(number(x).strip(MINUS) in NOT_FINITE for x in (*parts, result))
    for digits in range(DIGITS, MORE_DIGITS + 1):
        shown = tuple(number(x, digits) for x in parts)
        total = number(result, digits)
        if not finite or _comes_true(shown, total, digits, combine):
            return Shown(shown, total, True, operator)
    shown = tuple(number(x) for x in parts)
    return Shown(shown, number(result), False, operator)


def _comes_true(
    shown: Sequence[str], total: str, digits: int, combine: Callable[[Iterable[Decimal]], Decimal]
) -> bool:
    """Whether the shown parts give the shown result, rounded as the result is."""
    with localcontext() as context:
        context.prec = 80
        result = _decimal(total)
        unit = _exponent(result)
        if result:
            unit = min(unit, result.adjusted() - digits + 1)
        return abs(combine(map(_decimal, shown)) - result) * 2 <= Decimal(1).scaleb(unit)


def _decimal(text: str) -> Decimal:
    return Decimal({"True": "1", "False": "0"}.get(text, text.replace(MINUS, "-")))


def _exponent(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def _sum(parts: Iterable[Decimal]) -> Decimal:
    return sum(parts, Decimal(0))


def _product(parts: Iterable[Decimal]) -> Decimal:
    return math.prod(parts, start=Decimal(1))


def grid(array: Array, digits: int = DIGITS) -> tuple[tuple[str, ...], ...]:
    """Rows of numbers as text, laid out as `as_rows` does."""
    rows = as_rows(array)
    # Python floats are formatted several times faster; other dtypes need their own shortest form.
    cells = rows.tolist() if rows.dtype == np.float64 else rows
    return tuple(tuple(number(x, digits) for x in row) for row in cells)


def as_rows(array: Array) -> Array:
    """`array` as a table: a vector is one row; all axes but the last one become rows."""
    if array.ndim == 2:
        return array
    return array.reshape(math.prod(array.shape[:-1]), array.shape[-1] if array.ndim else 1)


def lines(array: Array, name: str = "", digits: int = DIGITS) -> list[str]:
    """How a person reads an array in a terminal: aligned columns, both ends of what is too long.

    X = [ 1   0  −1 ]
        [ 2   1   0 ]
    """
    start = f"{name} = " if name else ""
    if not array.ndim or not array.size:
        empty = f"{mark('digits', 'empty')} {shape_words(array.shape)}"
        return [start + (number(array, digits) if array.size else empty)]
    rows = _aligned(_both_ends(array, digits))
    if array.ndim == 1:
        return [f"{start}[{rows[0]}]"]
    after_block = max(array.shape[-2], 1) if array.ndim > 2 else 0
    found = [
        (start if not i else " " * len(start)) + (f"[ {row} ]" if row else f"  {GAP}")
        for i, row in enumerate(rows)
    ]
    return _with_blank_lines(found, after_block) if len(rows) == len(as_rows(array)) else found


def _with_blank_lines(rows: list[str], every: int) -> list[str]:
    if not every:
        return rows
    spaced: list[str] = []
    for i, row in enumerate(rows):
        if i and i % every == 0:
            spaced.append("")
        spaced.append(row)
    return spaced


def _both_ends(array: Array, digits: int) -> list[list[str]]:
    """Rows of strings; a left out column is a cell `…`, left out rows are one empty list."""
    rows = as_rows(array)
    long = len(rows) > ROWS
    if long:
        rows = np.concatenate([rows[:ENDS], rows[-ENDS:]])
    if rows.shape[1] > (ROWS if array.ndim == 1 else COLUMNS):
        rows = np.concatenate([rows[:, :ENDS], rows[:, -ENDS:]], axis=1)
        cells = [[*row[:ENDS], GAP, *row[ENDS:]] for row in grid(rows, digits)]
    else:
        cells = [list(row) for row in grid(rows, digits)]
    return [*cells[:ENDS], [], *cells[ENDS:]] if long else cells


def _aligned(cells: list[list[str]]) -> list[str]:
    """Each row as one string, the decimal points of a column below each other."""
    return ["  ".join(row) for row in aligned(cells)]


def aligned(cells: list[list[str]]) -> list[list[str]]:
    """Each cell as wide as its column, the decimal points of a column below each other; an empty row stays empty."""
    full_rows = [row for row in cells if row]
    widths = [
        (max(len(_head(row[c])) for row in full_rows), max(len(_tail(row[c])) for row in full_rows))
        for c in range(len(full_rows[0]))
    ]
    return [list(map(_padded, row, widths)) for row in cells]


def _padded(cell: str, widths: tuple[int, int]) -> str:
    return _head(cell).rjust(widths[0]) + _tail(cell).ljust(widths[1])


def _head(cell: str) -> str:
    """What stands before the decimal point (or the exponent)."""
    return cell[: _point(cell)]


def _tail(cell: str) -> str:
    return cell[_point(cell) :]


def _point(cell: str) -> int:
    for i, character in enumerate(cell):
        if character in ".e" and cell[0] not in "TF":
            return i
    return len(cell)


def summary(array: Array, translate: Translate = same) -> str:
    """One line: dtype, shape, mean ± std, min, max, and how many zeros, NaN and ∞ there are."""
    shape = "×".join(map(str, array.shape)) or shape_words(())
    return " · ".join((f"{array.dtype} {shape}", *facts(array, translate)))


def facts(array: Array, translate: Translate = same) -> tuple[str, ...]:
    """The parts of `summary` after dtype and shape. Mean and std are those of the finite cells."""
    if not array.size:
        return (translate(mark("digits", "empty")),)
    if array.ndim == 0:
        return (number(array),)
    if array.dtype == np.bool_:
        true = int(np.count_nonzero(array))
        text = mark("digits", "{true} true, {false} false")
        return (message(text, true=true, false=array.size - true).render(translate),)
    values = array.astype(np.float64, copy=False)
    finite = values[np.isfinite(values)]
    return (*_moments(finite, array.dtype, translate), *_counts(values, translate))


def _moments(
    finite: npt.NDArray[np.float64], dtype: np.dtype[np.generic], translate: Translate
) -> tuple[str, ...]:
    if not finite.size:
        return (translate(mark("digits", "no finite number")),)
    with np.errstate(all="ignore"):
        mean, spread = float(finite.mean()), float(finite.std())
    low, high = (dtype.type(x) for x in (finite.min(), finite.max()))
    average = mark("digits", "mean {mean} ± {spread}")
    ends = mark("digits", "{low} to {high}")
    return (
        message(average, mean=number(mean, 3), spread=number(spread, 3)).render(translate),
        message(ends, low=number(low), high=number(high)).render(translate),
    )


def _counts(values: npt.NDArray[np.float64], translate: Translate) -> tuple[str, ...]:
    found = (
        (values == 0, mark("digits", "1 zero"), mark("digits", "{count} zeros")),
        (np.isnan(values), mark("digits", "1 NaN"), mark("digits", "{count} NaN")),
        (np.isinf(values), mark("digits", "1 ∞"), mark("digits", "{count} ∞")),
    )
    counted = [(int(np.count_nonzero(cells)), one, many) for cells, one, many in found]
    return tuple(
        message(one if count == 1 else many, count=count).render(translate)
        for count, one, many in counted
        if count
    )
