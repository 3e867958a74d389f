"""Ranges of sliders."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gradviz.edit import edits
from gradviz.edit.ranges import Range, range_of
from gradviz.errors import InputError
from gradviz.files import native
from gradviz.graph.model import Diagram
from gradviz.graph.validate import validate
from tests.edit.made import add, nine_sevens


def one_number() -> tuple[Diagram, str]:
    return add(nine_sevens(), "variable", value=2.0, name="x")


def test_a_range_is_set_kept_and_taken_away() -> None:
    diagram, x = one_number()
    ranged = edits.set_range(diagram, x, -1, 1, 0.25)
    validate(ranged)
    assert range_of(ranged, x) == Range(-1, 1, 0.25)
    assert edits.set_range(ranged, x, -1, 1, 0.25) is ranged
    assert range_of(native.loads(native.dumps(ranged)), x) == Range(-1, 1, 0.25)
    assert edits.clear_range(ranged, x).ranges == {}
    assert edits.clear_range(diagram, x) is diagram
    assert edits.delete(ranged, [x]).ranges == {}
    assert range_of(edits.set_range(diagram, x, 0, 10), x) == Range(0, 10, 0.1)


@pytest.mark.parametrize(
    ("low", "high", "step", "words"),
    [
        (1, 1, None, "below the upper"),
        (2, 1, None, "below the upper"),
        (0, float("inf"), None, "finite"),
        (float("nan"), 1, None, "finite"),
        (0, 1, 0, "step"),
        (0, 1, -1, "step"),
        (0, 1, 2, "step"),
    ],
)
def test_what_is_no_range_is_refused_in_words(low, high, step, words) -> None:
    diagram, x = one_number()
    with pytest.raises(InputError, match=words):
        edits.set_range(diagram, x, low, high, step)


def test_only_one_number_can_be_slid() -> None:
    diagram, x = one_number()
    for id in ("X", "s"):
        with pytest.raises(InputError, match="one number"):
            edits.set_range(diagram, id, 0, 1)
    strange = replace(diagram, ranges={x: {"min": True, "max": 3}, "X": ("words",)})
    assert range_of(strange, x) is None
    assert range_of(strange, "X") is None
