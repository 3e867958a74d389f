"""The reference of operations, on the command line and in the help of the window."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import gradviz as gv
from gradviz import cli, reference
from gradviz.ops import registry
from gradviz.ops.op import CATEGORIES, FRAMEWORKS, Op
from tests import readme

every_op = pytest.mark.parametrize("op", list(registry.every()), ids=lambda op: op.name)


@pytest.fixture
def own():
    made = gv.op(name="own_one", summary="A *bold* | <b>one</b>.", examples=[([1.0, 2.0],)])(
        lambda x: x * 2
    )
    made.local(lambda out, x: 2)
    yield made
    registry.unregister("own_one")


@every_op
def test_every_op_has_its_page(op: Op) -> None:
    lines = "\n".join(reference.lines(op))
    page = reference.markdown(op)
    assert lines.startswith(op.signature)
    for text in (lines, page):
        assert str(op.summary)[:12] in text.replace("\\", "")
        for framework in FRAMEWORKS:
            assert reference.TITLES[framework] in text
    for name in (n for names in op.aliases.values() for n in names):
        assert name in lines
    assert "{" not in reference.written(op).replace("{…}", "")


@every_op
def test_examples_are_shown_with_their_numbers(op: Op) -> None:
    shown = reference.examples(op)
    assert len(shown) == (0 if op.is_source else len(op.examples))
    for each, example in zip(shown, op.examples, strict=False):
        assert each.outputs
        for (_, array), given in zip(each.inputs, example.inputs, strict=True):
            assert np.array_equal(array, given)
        slopes = {name for name, _ in each.gradients}
        assert slopes <= {name for name, array in each.inputs if array.dtype.kind == "f"}


def test_the_numbers_are_right() -> None:
    first = reference.examples(registry.get("square"))[0]
    ((_, x),) = first.inputs
    ((title, value),) = first.outputs
    ((name, slope),) = first.gradients
    assert (title, name) == ("square(x)", "x")
    assert np.array_equal(value, np.square(x))
    assert np.array_equal(slope, 2 * x)


def test_every_op_of_the_palette_is_listed_once() -> None:
    listed = [op.name for _, ops in reference.categories() for op in ops]
    assert sorted(listed) == sorted(op.name for op in registry.palette())


def test_an_op_of_ones_own(own: Op) -> None:
    assert reference.code(own, "tf") == "no TensorFlow form given"
    assert "own_one(x) = [2  4]" in reference.lines(own)[-2]
    assert r"\*bold\* \| \<b\>one" in reference.markdown(own)
    assert [str(c) for c, ops in reference.categories() if own in ops] == ["Own operations"]
    bare = reference.lines(gv.op(name="own_two")(lambda x: x))
    registry.unregister("own_two")
    assert "  It has no rule, so no gradient passes through it." in bare


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(["ops", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_ops_on_the_command_line(capsys, own: Op) -> None:
    code, out, _ = run(capsys)
    assert code == 0
    assert "Own operations (1)\n  own_one" in out
    assert all(f"\n  {op.name} " in out for op in registry.palette())
    code, listed, _ = run(capsys, "--json")
    assert json.loads(listed)["Own operations"] == ["own_one"]
    for name in ("sum", "reduce_sum", "Σ"):
        code, out, _ = run(capsys, name)
        assert (code, out.splitlines()[0]) == (0, "sum(x, axis=None, keepdims=False)")
    code, out, _ = run(capsys, "soft")
    assert "softmax" in out
    assert "matmul" not in out
    _, out, _ = run(capsys, "tanh", "--json")
    assert json.loads(out)["signature"] == "tanh(x)"
    code, out, err = run(capsys, "zzzz")
    assert (code, out) == (2, "")
    assert "zzzz is not an operation" in err


def test_the_readme_says_what_there_is() -> None:
    readme = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
    (section,) = re.findall(r"## Operations\n(.*?)\n## ", readme, re.DOTALL)
    rows = dict(re.findall(r"^\| ([^|`]+?) \| (`.*?) \|$", section, re.MULTILINE))
    assert set(rows) <= {str(category) for category in CATEGORIES}
    for text in rows.values():
        for name in re.findall(r"`(\w+)`", text):
            assert registry.find(name) is not None, name


@pytest.mark.long
def test_the_readme_lists_every_op() -> None:
    """Where this fails: python -m tests.readme."""
    assert readme.table() in readme.README.read_text("utf-8")


def test_the_table_of_the_readme_is_found() -> None:
    assert len(readme.TABLE.findall(readme.README.read_text("utf-8"))) == 1
