"""Settings as text and back."""

from __future__ import annotations

import pytest

from gradviz.errors import InputError
from gradviz.gui.panels.settings_text import choices, is_editable, text_of, value_of
from gradviz.ops import registry


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("int", -1, "−1"),
        ("int", 7, "7"),
        ("Axis", None, "all"),
        ("Axis", -2, "−2"),
        ("Axis", (0, 1), "0, 1"),
        ("Axis", (-1,), "(−1,)"),
        ("Shape", (), "()"),
        ("Shape", (3,), "3"),
        ("Shape", (3, 4), "3×4"),
        ("Shape", (-1, 2), "−1×2"),
        ("Shape | None", None, "none"),
        ("Shape | None", (1, 0), "1, 0"),
        ("Index", (0,), "0"),
        ("Index", (1, {"slice": (None, 2, None)}), "1, :2"),
        ("Index", ({"slice": (1, None, 2)}, "ellipsis", "newaxis"), "1::2, ..., None"),
    ],
)
def test_there_and_back(kind: str, value: object, text: str) -> None:
    assert text_of(kind, value) == text
    assert value_of(kind, text) == value
    assert is_editable(kind, value)


@pytest.mark.parametrize(
    ("kind", "typed", "value"),
    [
        ("Shape", "3x3", (3, 3)),
        ("Shape", "(2, 3, 4)", (2, 3, 4)),
        ("Shape", "2 3", (2, 3)),
        ("Shape", "", ()),
        ("Axis", "", None),
        ("Axis", "None", None),
        ("Axis", "(0, 1)", (0, 1)),
        ("Axis", "[1]", (1,)),
        ("int", " +3 ", 3),
        ("Index", "[0, 1]", (0, 1)),
    ],
)
def test_other_ways_to_write_it(kind: str, typed: str, value: object) -> None:
    assert value_of(kind, typed) == value


@pytest.mark.parametrize(
    ("kind", "typed"),
    [
        ("int", ""),
        ("int", "1.5"),
        ("int", "9" * 40),
        ("Axis", "left"),
        ("Shape", "3×three"),
        ("Index", "1:2:3:4"),
        ("Index", "a"),
        ("Index", "__import__('os')"),
        ("int", "1" * 300),
    ],
)
def test_nonsense_is_refused_in_words(kind: str, typed: str) -> None:
    with pytest.raises(InputError):
        value_of(kind, typed)


def test_an_index_of_arrays_is_shown_and_not_typed() -> None:
    assert not is_editable("Index", ({"array": (0, 2)},))


def test_words_to_choose_from() -> None:
    assert choices(registry.get("softmax_cross_entropy"), "reduction") == ("mean", "sum", "none")
    assert choices(registry.get("variable"), "dtype") == ("float64", "float32")
    assert choices(registry.get("sum"), "axis") == ()


def test_the_settings_of_every_operation_have_an_editor() -> None:
    for op in registry.palette():
        for example in op.examples:
            for name, value in op.bind(dict(example.attributes)).items():
                kind = op.attributes[name].kind
                if not choices(op, name) and kind != "bool":
                    assert text_of(kind, value)
