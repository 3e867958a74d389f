"""What a name may be, and how somebody else's text is shown."""

import string

import hypothesis
import hypothesis.strategies as st
import pytest

from gradviz.graph.names import escaped, look_alike, name_fault, shown

GOOD = [
    "x",
    "grad_X",
    "layer 1",
    "∂y/∂X",
    "中文",
    "é",
    "שלום",
    "a" * 80,
    "\\",
    "<b>",
    "😀",
    "{0}",
    "%s",
]
BAD = {
    "empty": "",
    "long": "a" * 81,
    "line end": "a\nb",
    "NUL": "\0",
    "escape": "\x1b[31m",
    "C1": "a\x9b",
    "delete": "\x7f",
    "soft hyphen": "a\xad",
    "hard blank": "a\xa0b",
    "only blanks": "  ",
    "blank before": " a",
    "blank after": "a ",
    "ideographic blank": "a\u3000b",
    "zero width": "a\u200bb",
    "joiner": "a\u200d",
    "word joiner": "\u2060",
    "byte order mark": "\ufeffa",
    "right to left override": "\u202etxt",
    "isolate": "\u2066a\u2069",
    "arabic letter mark": "\u061c",
    "line separator": "a\u2028b",
    "filler": "\u3164",
    "braille blank": "\u2800",
    "variation selector": "x\ufe0f",
    "tag": "x\U000e0041",
    "lone surrogate": "a\ud800",
    "noncharacter": "\uffff",
    "plane end": "\U0001fffe",
    "mark alone": "\u0301",
}


@pytest.mark.parametrize("name", GOOD)
def test_a_name_that_can_be_seen_is_fine(name):
    assert name_fault(name) is None
    assert escaped(name) == name


@pytest.mark.parametrize("name", BAD.values(), ids=BAD)
def test_a_name_that_cannot_be_seen_or_told_apart_is_none(name):
    assert str(name_fault(name))


@hypothesis.given(st.text(st.characters()))
def test_escaped_text_is_one_line_that_every_terminal_shows(text):
    line = escaped(text)
    line.encode()
    assert len(line.splitlines()) <= 1
    assert all(character.isprintable() or character.isspace() is False for character in line)
    assert "\x1b" not in line
    assert "\u202e" not in line


@hypothesis.given(st.text(string.printable), st.integers(5, 60))
def test_shown_text_is_never_longer_than_asked(text, limit):
    assert len(shown(text, limit)) <= limit
    if len(escaped(text)) <= limit:
        assert shown(text, limit) == escaped(text)


def test_a_long_text_is_cut_with_a_sign():
    assert shown("a" * 10**6, 10) == "aaaaaaaaa…"


def test_two_spellings_of_one_letter_look_alike():
    assert look_alike("e\u0301") == look_alike("é")
    assert look_alike("E") != look_alike("e")
