"""A copied part finds its way back from mail, chat and editors; what cannot be told is refused with its line."""

from __future__ import annotations

import json
import textwrap

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import gradviz as gv
from gradviz.errors import FileError
from gradviz.files import fragment
from gradviz.files.fragment import Outer
from gradviz.graph.model import Diagram, Graph, InPort, Node, OutPort, Place
from tests.files.diagrams import content, diagrams


def sample() -> str:
    X = gv.variable([[1.5, 0, -1], [2, 1, 0], [0, -1, 1]], name="my own X")
    part = gv.diagram(gv.reshape(gv.relu(X @ X), (9, 1)))
    return fragment.dumps(part)


TEXT = sample()
LINES = TEXT.splitlines()
PART = content(fragment.loads(TEXT).part)


def curly(text: str) -> str:
    parts = text.split('"')
    return "".join(
        piece + ("" if number == len(parts) - 1 else "“”"[number % 2])
        for number, piece in enumerate(parts)
    )


JOURNEYS = {
    "unchanged": TEXT,
    "without the last line end": TEXT.strip(),
    "CRLF": TEXT.replace("\n", "\r\n"),
    "old line ends": TEXT.replace("\n", "\r"),
    "quoted": textwrap.indent(TEXT, "> "),
    "quoted without a blank": textwrap.indent(TEXT, ">", lambda _: True),
    "quoted twice": textwrap.indent(TEXT, "> > ", lambda _: True),
    "quoted thrice, tightly": textwrap.indent(TEXT, ">>> ", lambda _: True),
    "non-breaking blanks": TEXT.replace(" ", "\u00a0"),
    "narrow blanks": TEXT.replace(": ", ":\u202f"),
    "trailing blanks": TEXT.replace("\n", "  \t\n"),
    "empty lines between": TEXT.replace("\n", "\n\n"),
    "a byte order mark": "\ufeff" + TEXT,
    "curly quotes": curly(TEXT),
    "no indents": "\n".join(line.strip() for line in LINES),
    "one line": json.dumps(json.loads(TEXT)),
    "another printer": json.dumps(json.loads(TEXT), indent=4),
    "another printer, sorted": json.dumps(json.loads(TEXT), indent=1, sort_keys=True),
    "in a fence": f"```json\n{TEXT}```\n",
    "amid prose": f"Hello Ann,\n\nhere {{it}} is:\n\n{TEXT}\nBye, Bob {{:-)}}",
    "amid prose on its line": f"Here: {TEXT.strip()} – that's all.",
    "all at once": "\ufeffOn Monday Bob wrote:\r\n"
    + textwrap.indent(curly(TEXT).replace(" ", "\u00a0"), "> > ", lambda _: True).replace(
        "\n", " \r\n"
    )
    + ">\r\n> Bye\r\n",
}


@pytest.mark.parametrize("journey", JOURNEYS)
def test_a_part_survives_its_journey(journey: str) -> None:
    found = fragment.find(JOURNEYS[journey])
    assert found is not None
    assert content(found.part) == PART


@given(diagrams())
def test_any_part_is_the_same_after_mail(part: Diagram) -> None:
    text = fragment.dumps(part)
    mail = "\ufeff" + textwrap.indent(text, "> ", lambda _: True).replace("\n", "\u00a0\r\n")
    found = fragment.find(mail)
    assert found is not None
    assert fragment.dumps(found.part) == fragment.dumps(fragment.loads(text).part)


@pytest.mark.parametrize("text", ["", "x**2", "[[1, 2]]", '{"a": 1}', "gradviz", '"gradviz": 1'])
def test_other_text_holds_no_part(text: str) -> None:
    assert fragment.find(text) is None


def wrapped(text: str, width: int) -> tuple[str, int]:
    """A text whose long lines were broken at blanks, and the number of the first of them."""
    lines, first = [], 0
    for number, line in enumerate(text.splitlines(), 1):
        pieces = textwrap.wrap(line, width, drop_whitespace=False, break_on_hyphens=False)
        first = first or (number if len(pieces) > 1 else 0)
        lines += [piece.strip() if i else piece for i, piece in enumerate(pieces)]
    return "\n".join(lines), first


@pytest.mark.parametrize("width", [32, 40, 60, 72])
@pytest.mark.parametrize("prefix", ["", "> "])
def test_a_hard_wrapped_text_is_refused_with_the_line(width: int, prefix: str) -> None:
    text, line = wrapped(TEXT, width)
    with pytest.raises(FileError, match=f"Line {line} was broken in two") as refused:
        fragment.find(textwrap.indent(text, prefix))
    assert refused.value.place == f"line {line}"


@given(st.integers(0, len(TEXT) - 1), st.sampled_from(["\n", "\r\n", "\n> "]))
def test_a_break_anywhere_is_harmless_or_refused(at: int, end: str) -> None:
    text = TEXT[:at] + end + TEXT[at:]
    try:
        found = fragment.find(text)
    except FileError as error:
        assert error.place.startswith("line ")
    else:
        # In the midst of the word that tells what this is, it is no part at all.
        assert found is None or content(found.part) == PART
        assert found is not None or at < TEXT.index(":")


def test_the_line_is_that_of_the_whole_text() -> None:
    faulty = TEXT.replace('"float64"', '"float65"')
    line = next(i for i, text in enumerate(faulty.splitlines(), 1) if "float65" in text)
    with pytest.raises(FileError) as refused:
        fragment.find(f"Hello,\n\nhere it is:\n{faulty}")
    assert refused.value.place.startswith(f"line {line + 3},")


def test_a_text_that_ends_too_early_is_refused() -> None:
    for cut in (len(TEXT) // 2, TEXT.index('"my own') + 4):
        with pytest.raises(FileError) as refused:
            fragment.find(TEXT[:cut])
        assert refused.value.place.startswith("line ")


def test_two_parts_are_one_too_many() -> None:
    with pytest.raises(FileError, match="A second graph begins here") as refused:
        fragment.find(TEXT + "\n" + TEXT)
    assert refused.value.place == f"line {len(LINES) + 2}"


def test_typographic_quotes_in_a_name_are_kept() -> None:
    x = Node("x", "variable", (), {"shape": (), "dtype": "float64"}, "the “x”")
    part = Diagram(Graph({"x": x}), {"x": np.zeros(())}, places={"x": Place(0, 0)})
    found = fragment.find(fragment.dumps(part))
    assert found is not None
    assert found.part.graph["x"].name == "the “x”"


def test_wires_from_outside_are_told_and_rubbish_among_them_is_not() -> None:
    node = Node("s", "sum", (None,), {}, "s")
    part = Diagram(Graph({"s": node}))
    wire = Outer(InPort("s", 0), OutPort("X"), "X", "variable")
    text = fragment.dumps(part, (wire,))
    assert fragment.loads(text).outer == (wire,)
    assert fragment.dumps(part) == fragment.dumps(part, ())
    for old, new in (('"input": 0', '"input": 7'), ('"from": "X"', '"from": 3'), ('"s"', '"t"')):
        changed = text.replace(old, new)
        if old != '"s"':
            assert fragment.loads(changed).outer == ()


def test_an_unknown_op_is_kept() -> None:
    found = fragment.find(TEXT.replace('"op": "relu"', '"op": "conv9"'))
    assert found is not None
    assert {node.op for node in found.part.graph} >= {"conv9"}
