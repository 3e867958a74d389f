"""Numbers as people type and paste them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.code.numbers import parse_block, parse_number
from gradviz.errors import GradvizError, InputError


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.5", 0.5),
        ("0,5", 0.5),
        (" −4 ", -4),
        ("1/3", 1 / 3),
        ("2e-3", 0.002),
        (".5", 0.5),
        ("pi", math.pi),
        ("-inf", -math.inf),
        ("+7", 7),
        ("1,234", 1.234),
    ],
)
def test_one_number(text: str, number: float) -> None:
    assert parse_number(text) == number


def test_nan() -> None:
    assert math.isnan(parse_number("NaN"))


@pytest.mark.parametrize("text", ["1,234.5", "1.234,5", "1,234,567"])
def test_two_readings_are_refused_with_both(text: str) -> None:
    with pytest.raises(InputError, match="can be read as"):
        parse_number(text)


@pytest.mark.parametrize("text", ["", "abc", "1e", "3,", "1/0", "--1", "1 2", "0x10", "1_000"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_number(text)


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("[[1,2],[3,4]]", [[1, 2], [3, 4]]),
        ("np.array([[1., 2.], [3, 4]])", [[1, 2], [3, 4]]),
        ("X = torch.tensor([[1, 2]], dtype=torch.float32)", [[1, 2]]),
        ("1\t2\r\n3\t4\r\n", [[1, 2], [3, 4]]),
        ("0,5\t1\n2\t3,5", [[0.5, 1], [2, 3.5]]),
        ("1;2\n3;4", [[1, 2], [3, 4]]),
        ("1,2\n3,4", [[1, 2], [3, 4]]),
        ("1 2 3", [1, 2, 3]),
        ("(1, 2)", [1, 2]),
        ("[[[1]], [[2]]]", [[[1]], [[2]]]),
        ("5", 5),
    ],
)
def test_a_block(text: str, table: object) -> None:
    np.testing.assert_array_equal(parse_block(text), np.array(table, dtype=float))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[1,2],[3]]", "Row 2"),
        ("1 2\n3", "Row 2"),
        ("[1,2", "not closed"),
        ("[1]]", "do not match"),
        ("[1] 2", "do not match"),
        ("1 x", "x is not a number"),
        ("", "no numbers"),
        ("[" * 9 + "1" + "]" * 9, "8 axes"),
    ],
)
def test_a_block_that_is_none_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(GradvizError, match=words):
        parse_block(text)


@given(st.text(alphabet="0123456789.,;[]() \t\n-eEinfax/", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (parse_number, parse_block):
        try:
            read(text)
        except GradvizError as error:
            assert str(error)
