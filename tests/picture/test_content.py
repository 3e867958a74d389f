"""What a band shows of an array."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gradviz.picture.content import content, room, scale_end
from gradviz.picture.look import Cells, Form, Heat, Number

shapes = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=9)


@given(arrays.arrays(np.float64, shapes))
def test_every_array_has_a_content_that_its_room_expects(array):
    expected = room(array.shape, [array])
    shown = content(array)
    form = {Number: Form.NUMBER, Cells: Form.GRID, Heat: Form.HEAT}[type(shown)]
    assert expected.form is form
    if isinstance(shown, Cells | Heat):
        assert shown.values.shape == (expected.rows, expected.columns)
    if isinstance(shown, Heat):
        assert len(shown.lines) == expected.lines
        assert (shown.row_gap, shown.column_gap) == (expected.row_gap, expected.column_gap)


def test_a_table_shows_its_numbers_and_where_its_scale_ends():
    shown = content(np.array([[5.893, -0.1747], [0.0, 1.0]]))
    assert shown.rows == (("5.893", "−0.1747"), ("0", "1"))
    assert shown.end == 5.9
    assert shown.scale == "±5.9"


def test_zeros_have_no_scale():
    assert content(np.zeros((2, 2))).scale == ""


def test_a_large_array_keeps_both_ends_and_a_summary():
    array = np.arange(100.0 * 90).reshape(100, 90)
    shown = content(array)
    assert shown.values[0, 0] == array[0, 0]
    assert shown.values[-1, -1] == array[-1, -1]
    assert shown.values[0, -1] == array[0, -1]
    assert shown.row_gap == 12
    assert "mean" in shown.lines[0]


def test_one_huge_cell_does_not_bleach_the_others():
    array = np.ones((20, 20))
    array[0, 0] = 1000.0
    assert content(array).end < 200


@pytest.mark.parametrize("end", [2.0, 0.7, 1e-300, 1e300, 5e-324, 0.1, 7.0])
def test_round_ends_stay_as_they_are(end):
    assert scale_end(np.array([end])) == end


@given(st.floats(1e-200, 1e200))
def test_the_scale_reaches_the_largest_number(x):
    end = scale_end(np.array([-x, x / 2, np.nan, np.inf]))
    assert x * (1 - 1e-9) <= end <= x * 1.11


def test_slices_of_a_higher_rank_stay_together():
    assert content(np.zeros((2, 2, 3))).every == 2
    assert content(np.zeros((2, 3))).every == 0


def test_words_and_truth_values():
    assert content(np.zeros((0, 3))) == Number("empty")
    assert content(np.array(True)) == Number("True")
    assert content(np.array([True, False])).rows == (("True", "False"),)
