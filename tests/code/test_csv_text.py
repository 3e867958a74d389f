"""Rows of numbers as text."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gradviz.code.csv_text import csv_text, parse_csv
from gradviz.errors import InputError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,2\n3,4\n", [[1, 2], [3, 4]]),
        ("1;2\r\n3;4", [[1, 2], [3, 4]]),
        ("0,5;1,5\n2;3", [[0.5, 1.5], [2, 3]]),
        ("1\t2\n3\t4\n\n", [[1, 2], [3, 4]]),
        ("1 2  3\n4 5 6", [[1, 2, 3], [4, 5, 6]]),
        ("\ufeff1,2\n", [1, 2]),
        ("1\n2\n3\n", [1, 2, 3]),
        ("7", 7),
        ('"1","2"\n"3","4"', [[1, 2], [3, 4]]),
        ("1,2,\n3,4,\n", [[1, 2], [3, 4]]),
        ("nan,inf\n−1,1e-3", [[np.nan, np.inf], [-1, 1e-3]]),
    ],
)
def test_tables_as_they_come(text: str, expected: object) -> None:
    np.testing.assert_array_equal(parse_csv(text).array, expected)


def test_a_first_line_of_names_is_left_out_and_told() -> None:
    found = parse_csv("height,weight\n1,2\n3,4\n")
    assert found.header == ("height", "weight")
    assert found.array.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no numbers"),
        (" \n\n", "no numbers"),
        ("a,b", "Line 1, column 1: a is not a number"),
        ("1,2\n3\n", "Line 2 has 1 numbers, line 1 has 2"),
        ("1,2\n\n3,4\n5,6,7", "Line 4 has 3 numbers, line 1 has 2"),
        ("1,2\n3,x", "Line 2, column 2: x is not a number"),
        ("1,2\n3,,", "Line 2, column 2: a number is missing"),
        ("x,1\n2,3", "Line 1, column 1"),
    ],
)
def test_faults_are_told_with_their_line(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_csv(text)


@given(
    arrays.arrays("float64", arrays.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=4))
)
def test_what_is_written_comes_back_bit_for_bit(array: np.ndarray) -> None:
    np.testing.assert_array_equal(parse_csv(csv_text(array)).array, array)


@given(st.text(alphabet='0123456789.,;\t\n e-+xnaif"', max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(InputError):
        parse_csv(text)


def test_more_axes_than_two_need_another_format() -> None:
    with pytest.raises(InputError, match="npy"):
        csv_text(np.zeros((2, 2, 2)))
