"""The command line: what it prints, its exit codes, and that no traceback reaches a user."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gradviz as gv
from gradviz import cli


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, what was printed, and what was complained about."""
    try:
        code = cli.main(arguments)
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def nine_sevens(tmp_path: Path) -> Path:
    X = gv.variable([[1, 0, -1], [2, 1, 0], [0, -1, 1]], name="X")
    B = gv.variable([[1, 2], [3, 4]], name="B")
    s = gv.sum(X)
    s.name = "s"
    path = tmp_path / "nine.gradviz"
    gv.save(path, gv.diagram(s**2 + s - 1, [X, B]))
    return path


def test_one_number(capsys) -> None:
    code, out, err = run(capsys, "gradients", "y = x**2 + x - 1", "--wrt", "x", "--at", "x=2")
    assert (code, err) == (0, "")
    assert out.split("\n")[:4] == ["y = 5", "", "∂y/∂x = 5", ""]
    assert "a coincidence" in out


def test_an_unnamed_expression_is_y(capsys) -> None:
    code, out, _ = run(capsys, "gradients", "x**2 + x - 1", "--at", "x=3")
    assert code == 0
    assert "y = 11" in out
    assert "∂y/∂x = 7" in out


def test_nine_sevens_from_a_file(capsys, nine_sevens: Path) -> None:
    code, out, _ = run(capsys, "gradients", str(nine_sevens))
    assert code == 0
    assert "y = 11" in out
    assert out.count("7  7  7") == 3
    assert "∂y/∂B = None" in out
    assert "Nothing leads from B to y, so changing B cannot change y." in out


def test_json(capsys, nine_sevens: Path) -> None:
    code, out, _ = run(capsys, "gradients", str(nine_sevens), "--json")
    document = json.loads(out)
    assert code == 0
    assert document["of"] == ["y"]
    assert document["values"]["y"] == 11
    assert document["gradients"] == {"X": [[7.0] * 3] * 3, "B": None}
    assert document["reasons"] == {
        "B": {
            "state": "no-path",
            "sentence": "nothing leads from B to y, so changing B cannot change y",
        }
    }


def test_zeros_on_request(capsys, nine_sevens: Path) -> None:
    code, out, _ = run(
        capsys, "gradients", str(nine_sevens), "--wrt", "B", "--unconnected", "zero", "--json"
    )
    assert code == 0
    assert json.loads(out)["gradients"]["B"] == [[0, 0], [0, 0]]


def test_two_matrices_that_nothing_connects(capsys, tmp_path: Path) -> None:
    X = gv.variable(np.ones((3, 3)), name="X")
    y = gv.variable(np.ones((2, 2)), name="y")
    path = tmp_path / "apart.gradviz"
    gv.save(path, gv.diagram(y, X))
    _, out, _ = run(capsys, "gradients", str(path))
    assert "∂y/∂X = None" in out
    assert "Nothing leads from X to y" in out


def test_swapped(capsys, nine_sevens: Path) -> None:
    _, out, _ = run(capsys, "gradients", str(nine_sevens), "--of", "X", "--wrt", "y")
    assert "swapped" in out


def test_run_prints_every_named_node(capsys, nine_sevens: Path) -> None:
    code, out, _ = run(capsys, "run", str(nine_sevens))
    assert code == 0
    assert "s = 3" in out
    assert "y = 11" in out


def test_a_value_replaces_that_of_the_file(capsys, nine_sevens: Path) -> None:
    _, out, _ = run(
        capsys, "run", str(nine_sevens), "--at", "X=[[1, 1, 1], [0, 0, 0], [0, 0, 0]]", "--json"
    )
    assert json.loads(out)["values"]["s"] == 3
    code, _, err = run(capsys, "run", str(nine_sevens), "--at", "Z=1")
    assert code == 2
    assert "Z" in err


def test_values_from_a_numpy_file(capsys, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(4.0))
    code, out, _ = run(
        capsys, "gradients", "sum(X**2)", "--at", f"X=@{tmp_path / 'x.npy'}", "--json"
    )
    assert code == 0
    assert json.loads(out)["gradients"]["X"] == [0, 2, 4, 6]
    (tmp_path / "bad.npy").write_bytes(b"no array")
    code, _, err = run(capsys, "run", "sum(X)", "--at", f"X=@{tmp_path / 'bad.npy'}")
    assert code == 2
    assert "bad.npy" in err


def test_check(capsys, nine_sevens: Path) -> None:
    code, out, _ = run(capsys, "check", str(nine_sevens))
    assert code == 0
    assert "∂y/∂X agrees with finite differences (9 entries" in out
    assert "∂y/∂B is None, and moving it changes nothing" in out


def test_validate(capsys, nine_sevens: Path, tmp_path: Path) -> None:
    code, out, _ = run(capsys, "validate", str(nine_sevens))
    assert code == 0
    assert "fine" in out
    bad = tmp_path / "bad.gradviz"
    bad.write_text('{"gradviz": 99}')
    code, out, err = run(capsys, "validate", str(bad))
    assert (code, out) == (2, "")
    assert "bad.gradviz" in err
    assert err.count("\n") == 1


def test_nan_is_a_bad_answer(capsys) -> None:
    code, out, _ = run(capsys, "gradients", "log(x)", "--at", "x=-1", "--json")
    assert code == 1
    assert json.loads(out)["values"]["y"] == "NaN"


def test_an_error_on_a_node_is_a_bad_answer(capsys, tmp_path: Path) -> None:
    path = tmp_path / "open.gradviz"
    path.write_text(
        '{"gradviz": 1, "graph": {"nodes": [{"id": "s", "op": "sum", "name": "s", "inputs": [null]}]}, "values": {}}'
    )
    code, out, _ = run(capsys, "run", str(path))
    assert code == 1
    assert "s: The input x has no wire." in out or "s = ?" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gradients", "y = x**2 +", "--at", "x=1"], "^"),
        (["gradients", "y = x**2", "--wrt", "x"], "x"),
        (["gradients", "y = x**2", "--at", "x=1", "--wrt", "z"], "z"),
        (["gradients", "y = x**2", "--at", "x"], "--at"),
        (["gradients", "y = x**2", "--at", "x=[[1,2],[3]]"], "row"),
        (["gradients", "missing.gradviz"], "missing.gradviz"),
        (["gradients"], "--help"),
        (["gradients", "x", "--no-such-option"], "--no-such-option"),
    ],
)
def test_bad_use_says_what_is_wrong(
    capsys, tmp_path: Path, monkeypatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["picture.bmp"], ".png or a .svg"), (["picture.png", "--step", "99"], "99")],
)
def test_bad_use_of_render_says_what_is_wrong(
    capsys, tmp_path: Path, monkeypatch, qapp, arguments: list[str], said: str
) -> None:
    """With a whole application: one without widgets, made here, would be that of all tests behind."""
    test_bad_use_says_what_is_wrong(
        capsys, tmp_path, monkeypatch, ["render", "x**2", "--at", "x=1", "-o", *arguments], said
    )


def test_our_own_bug_is_reported_and_not_shown(capsys, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(cli.answers, "ask", lambda *_: 1 / 0)
    code, _, err = run(capsys, "run", "x", "--at", "x=1")
    assert code == 3
    assert "Traceback" not in err
    (report,) = tmp_path.glob("gradviz-report-*")
    assert "ZeroDivisionError" in report.read_text()


def test_examples_are_listed_and_run(capsys) -> None:
    code, out, _ = run(capsys, "examples", "--json")
    examples = json.loads(out)
    assert code == 0
    assert len(examples) == 6
    for path in examples.values():
        assert run(capsys, "check", path)[0] == 0, path


def test_help_and_version(capsys) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert all(
        verb in out for verb in ("run", "gradients", "validate", "check", "render", "examples")
    )
    code, out, _ = run(capsys, "--version")
    assert (code, out.strip()) == (0, f"gradviz {gv.__version__}")


def test_without_a_screen_the_window_says_so(tmp_path: Path) -> None:
    environment = {
        k: v
        for k, v in os.environ.items()
        if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    found = subprocess.run(
        [sys.executable, "-m", "gradviz"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 2
    assert "no screen" in found.stderr


@pytest.mark.parametrize("name", ["picture.png", "picture.svg"])
def test_render(nine_sevens: Path, tmp_path: Path, name: str) -> None:
    command = [
        sys.executable,
        "-m",
        "gradviz",
        "render",
        str(nine_sevens),
        "-o",
        str(tmp_path / name),
    ]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")
    assert (tmp_path / name).stat().st_size > 5000


@pytest.mark.parametrize("command", ["run", "gradients", "check"])
def test_where_a_nan_began_is_printed(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([command, "y = sum(log(x))", "--at", "x=[1, -1]"]) == 1
    out = capsys.readouterr().out
    assert "log[1] is NaN, because a negative number has no real logarithm (x[1] = −1)" in out


def test_why_a_gradient_is_zero_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["gradients", "y = sum(relu(x))", "--at", "x=[-2, -1]"]) == 0
    assert "∂y/∂x is 0 in every cell: relu lets nothing through there." in capsys.readouterr().out


def test_a_jacobian_is_a_grid_of_grids(capsys) -> None:
    code, out, err = run(
        capsys, "jacobian", "Y = X @ W", "--wrt", "X", "--at", "X=[[1,2]]", "--at", "W=[[1,0.5],[0,3]]"
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "∂Y/∂X: Y is 1×2, X is 1×2",
        "         X[0,0]  X[0,1]",
        "Y[0,0]      1         0",
        "Y[0,1]      0.5       3",
    ]
    _, out, _ = run(capsys, "jacobian", "Y = X * 2", "--at", "X=[[1,2],[3,4]]")
    assert out.splitlines()[1:] == [
        "         X[0,0]  X[0,1] │ X[1,0]  X[1,1]",
        "Y[0,0]        2       0 │      0       0",
        "Y[0,1]        0       2 │      0       0",
        "",
        "Y[1,0]        0       0 │      2       0",
        "Y[1,1]        0       0 │      0       2",
    ]


def test_a_long_jacobian_shows_both_ends(capsys) -> None:
    numbers = ",".join(map(str, range(30)))
    _, out, _ = run(capsys, "jacobian", "y = x * 1.5", "--at", f"x=[{numbers}]")
    lines = out.splitlines()
    assert lines[1].split() == ["x[0]", "x[1]", "x[2]", "…", "x[27]", "x[28]", "x[29]"]
    assert lines[2].split() == ["y[0]", "1.5", "0", "0", "…", "0", "0", "0"]
    assert set(lines[5]) <= {" ", "…"}
    assert lines[8].split() == ["y[29]", "0", "0", "0", "…", "0", "0", "1.5"]


def test_jacobians_of_one_number_or_by_one_number(capsys) -> None:
    for expression, at, printed in [
        ("y = x**2", "x=3", "∂y/∂x = 6"),
        ("y = x * [1, 2]", "x=3", "∂y/∂x = [1  2]"),
        ("y = sum(x**2)", "x=[1,2]", "∂y/∂x = [2  4]"),
    ]:
        assert run(capsys, "jacobian", expression, "--at", at) == (0, f"{printed}\n", "")


def test_a_jacobian_as_json(capsys) -> None:
    _, out, _ = run(capsys, "jacobian", "x * z", "--at", "x=[1,2]", "--at", "z=3", "--json")
    assert json.loads(out) == {"of": ["y"], "jacobian": {"y": {"x": [[3, 0], [0, 3]], "z": [1, 2]}}}
    code, out, _ = run(capsys, "jacobian", "sqrt(x)", "--at", "x=-1", "--json")
    assert (code, json.loads(out)["jacobian"]["y"]["x"]) == (1, "NaN")


def test_a_hessian_has_a_block_for_each_pair(capsys) -> None:
    arguments = ("y = sum(x**3) * b", "--at", "x=[1,2]", "--at", "b=2")
    code, out, err = run(capsys, "hessian", *arguments)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "∂²y/∂x²: x is 2 numbers",
        "       x[0]  x[1]",
        "x[0]     12     0",
        "x[1]      0    24",
        "",
        "∂²y/∂x∂b = [3  12]",
        "",
        "∂²y/∂b² = 0",
    ]
    _, out, _ = run(capsys, "hessian", *arguments, "--json")
    assert json.loads(out)["hessian"]["b"] == {"x": [3, 12], "b": 0}


def test_products_with_vectors(capsys) -> None:
    at = ("--at", "x=[1,2]")
    for command, expression, vectors, printed in [
        ("jacobian", "y = x**2", ["x=[1,0]"], "∂y/∂x·v = [2  0]"),
        ("jacobian", "y = x**2", ["y=[1,10]"], "v·∂y/∂x = [2  40]"),
        ("hessian", "y = sum(x**3)", ["x=[1,10]"], "∂²y/∂x²·v = [6  120]"),
        ("jacobian", "y = x * z", ["x=[1,0]", "z=1"], "∂y/∂x·v_x + ∂y/∂z·v_z = [4  2]"),
    ]:
        more = ("--at", "z=3") if "z" in expression else ()
        given = [part for vector in vectors for part in ("--vector", vector)]
        assert run(capsys, command, expression, *at, *more, *given) == (0, f"{printed}\n", "")
    code, out, _ = run(capsys, "hessian", "sum(x**3)", *at, "--vector", "x=[1,0]", "--json")
    assert (code, json.loads(out)) == (0, {"product": {"x": [6, 0]}})


def test_a_jacobian_that_is_not_there_says_why(capsys, nine_sevens: Path) -> None:
    code, out, _ = run(capsys, "jacobian", str(nine_sevens), "--wrt", "B")
    assert code == 0
    assert out.startswith("∂y/∂B = None\n  Nothing leads from B to y")
    code, out, _ = run(capsys, "hessian", str(nine_sevens), "--unconnected", "zero", "--json")
    assert code == 0
    blocks = json.loads(out)["hessian"]
    assert np.shape(blocks["B"]["X"]) == (2, 2, 3, 3)
    assert (np.array(blocks["X"]["X"]) == 2).all()


def test_a_jacobian_through_what_cannot_be_computed(capsys, tmp_path: Path) -> None:
    path = tmp_path / "open.gradviz"
    path.write_text(
        '{"gradviz": 1, "graph": {"nodes": [{"id": "s", "op": "sum", "name": "s", "inputs": [null]}]}, "values": {}}'
    )
    code, out, _ = run(capsys, "jacobian", str(path))
    assert code == 1
    assert "note: s: The input x has no wire." in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["hessian", "x**2", "--at", "x=[1,2]"], "add it up first"),
        (["hessian", "y = x**2", "--at", "x=2", "--of", "x,y"], "name one with --of"),
        (["hessian", "y = x**2", "--at", "x=2", "--vector", "y=1"], "one of x here, not with y"),
        (["jacobian", "y = x**2", "--at", "x=2", "--vector", "z=1"], "one of y, x here"),
        (["jacobian", "y = x**2", "--at", "x=2", "--vector", "x"], "--vector needs NAME=VALUE"),
        (
            ["jacobian", "y = x**2", "--at", "x=2", "--vector", "x=[1,2]"],
            "must have the same shape",
        ),
        (["jacobian", "x", "--at", "x=1", "--wrt", "q"], "q"),
    ],
)
def test_bad_questions_about_matrices(capsys, arguments: list[str], said: str) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert said in err


def test_what_is_too_large_to_print_is_refused(capsys, monkeypatch) -> None:
    monkeypatch.setattr("gradviz.limits.JSON_NUMBERS", 8)
    code, _, err = run(capsys, "jacobian", "x * 2", "--at", "x=[1,2,3]", "--json")
    assert code == 2
    assert "The answer has 9 numbers, more than 8 can be printed" in err
    monkeypatch.setattr("gradviz.limits.JACOBIAN_CELLS", 8)
    code, _, err = run(capsys, "jacobian", "x * 2", "--at", "x=[1,2,3]")
    assert code == 2
    assert "has 9 cells, more than 8" in err
