"""Numbers as text never lie: what is shown is near what is meant, and only zero reads 0."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gradviz import digits

finite = st.floats(allow_nan=False, allow_infinity=False)
ordinary = st.floats(-1e6, 1e6)


def read(text: str) -> Decimal:
    return Decimal(text.replace(digits.MINUS, "-"))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (7.0, "7"),
        (-1, "−1"),
        (123456.0, "123456"),
        (1234567, "1.235e+06"),
        (10**400, "1e+400"),
        (0.5, "0.5"),
        (22.901, "22.90"),
        (2.0000001, "2.000"),
        (0.1 + 0.2, "0.3000"),
        (np.float32(0.1), "0.1"),
        (np.float16(0.1), "0.1"),
        (9999.6, "1.000e+04"),
        (0.001, "0.001"),
        (1.2344e-5, "1.234e−05"),
        (6.9e-6, "6.9e−06"),
        (float("nan"), "NaN"),
        (float("inf"), "∞"),
        (-np.float32("inf"), "−∞"),
        (True, "True"),
        (np.bool_(False), "False"),
        (np.array(3.5), "3.5"),
        (np.int64(-42), "−42"),
    ],
)
def test_a_number_is_shown_as_a_person_writes_it(value: object, shown: str) -> None:
    assert digits.number(value) == shown  # type: ignore[arg-type]


@given(finite, st.integers(3, 9))
def test_a_shown_number_is_within_half_a_unit_of_its_last_digit(x: float, wanted: int) -> None:
    shown = read(digits.number(x, wanted))
    unit = Decimal(1).scaleb(shown.as_tuple().exponent)
    assert abs(shown - Decimal(x)) * 2 <= max(
        unit, Decimal(1).scaleb(shown.adjusted() - wanted + 1)
    )


@given(finite)
def test_only_zero_reads_zero(x: float) -> None:
    assert (read(digits.number(x)) == 0) == (x == 0)


@given(finite)
def test_a_shown_number_has_no_ellipsis_and_few_characters(x: float) -> None:
    shown = digits.number(x)
    assert "…" not in shown
    assert "-" not in shown
    assert len(shown) <= 11


@given(finite)
def test_full_brings_the_number_back(x: float) -> None:
    assert float(read(digits.full(x))) == x


@example(1000000.5)
@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_full_is_the_shortest_form_of_its_own_dtype(x: float) -> None:
    value = np.float32(x)
    assert np.float32(digits.full(value).replace(digits.MINUS, "-")) == value
    assert len(digits.full(value)) <= len(digits.full(float(value)))


def test_full_has_no_point_where_none_is_needed() -> None:
    assert digits.full(2.0) == "2"
    assert digits.full(np.float32(0.1)) == "0.1"
    assert digits.full(-np.inf) == "−∞"


def test_a_sum_of_integers_is_shown_as_it_is() -> None:
    assert str(digits.true_sum([6, 1], 7)) == "6 + 1 = 7"
    assert str(digits.true_sum([6.0, -1.0], 5.0)) == "6 − 1 = 5"


def test_a_sum_gets_as_many_digits_as_make_it_true() -> None:
    assert str(digits.true_sum([1.2346, 1.2346], 2.4692)) == "1.2346 + 1.2346 = 2.4692"
    assert str(digits.true_sum([18.588, 4.3114], 22.8994)) == "18.59 + 4.311 = 22.90"


def test_a_line_that_cannot_come_true_says_so() -> None:
    shown = digits.true_sum([1, 1], 3)
    assert shown.equals == "≈"
    assert str(shown) == "1 + 1 ≈ 3"


def test_lines_with_nan_and_infinity_stay_as_they_are() -> None:
    assert str(digits.true_product(0.0, np.inf, np.nan)) == "0 × ∞ = NaN"


@given(st.lists(ordinary, min_size=2, max_size=5))
def test_a_shown_sum_that_claims_to_be_equal_is(terms: list[float]) -> None:
    shown = digits.true_sum(terms, sum(terms))
    total = sum(map(read, shown.parts), Decimal(0))
    result = read(shown.result)
    if shown.exact and result:
        unit = Decimal(1).scaleb(min(result.adjusted() - 3, result.as_tuple().exponent))
        assert abs(total - result) * 2 <= unit


@given(ordinary, ordinary)
def test_a_shown_product_uses_at_most_seven_digits(a: float, b: float) -> None:
    for part in (*(shown := digits.true_product(a, b, a * b)).parts, shown.result):
        assert len(part.split("e")[0].replace(".", "").strip("−0")) <= digits.MORE_DIGITS


def test_the_columns_of_a_printed_matrix_are_aligned() -> None:
    array = np.array([[1, 0, -1], [2, 1, 0], [0, -1, 1]], dtype=float)
    assert digits.lines(array, "X") == [
        "X = [ 1   0  −1 ]",
        "    [ 2   1   0 ]",
        "    [ 0  −1   1 ]",
    ]


def test_decimal_points_stand_below_each_other() -> None:
    rows = digits.lines(np.array([[1.5, 10.25], [-22.75, 3.0]]))
    assert rows == ["[   1.5   10.25 ]", "[ −22.75   3    ]"]


def test_other_ranks_are_printed_too() -> None:
    assert digits.lines(np.array(5.0), "y") == ["y = 5"]
    assert digits.lines(np.arange(3.0), "v") == ["v = [0  1  2]"]
    assert digits.lines(np.zeros((0, 3)), "e") == ["e = empty 0×3"]
    assert digits.lines(np.zeros((2, 2, 1))) == ["[ 0 ]", "[ 0 ]", "", "[ 0 ]", "[ 0 ]"]


def test_a_large_array_keeps_both_ends() -> None:
    rows = digits.lines(np.arange(900.0).reshape(30, 30))
    assert len(rows) == 2 * digits.ENDS + 1
    assert rows[0].split()[1] == "0"
    assert rows[-1].split()[-2] == "899"
    assert rows[digits.ENDS].strip() == "…"
    assert len({len(row) for row in rows if row.strip() != "…"}) == 1


def test_the_summary_counts_what_the_mean_leaves_out() -> None:
    array = np.array([[1.0, np.nan, 0.0], [np.inf, -np.inf, 3.0]])
    assert digits.summary(array) == (
        "float64 2×3 · mean 1.33 ± 1.25 · 0 to 3 · 1 zero · 1 NaN · 2 ∞"
    )


def test_the_summary_of_odd_arrays() -> None:
    assert digits.summary(np.array(3.0)) == "float64 one number · 3"
    assert digits.summary(np.array([True, False])) == "bool 2 · 1 true, 1 false"
    assert digits.summary(np.array([np.nan, np.nan])) == "float64 2 · no finite number · 2 NaN"
    assert digits.summary(np.zeros((0, 2))) == "float64 0×2 · empty"
    assert digits.summary(np.array([1e308, 1e308])).startswith("float64 2 · mean")
