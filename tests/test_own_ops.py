"""Operations of the user's own: little to write, everything else by default, and no fault of theirs looks like ours."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz import cli, plugins
from gradviz.code import write
from gradviz.engine import explain
from gradviz.engine.answer import answer
from gradviz.engine.compiled import compile_gradients
from gradviz.graph.model import OutPort
from gradviz.ops import registry
from gradviz.ops.op import CATEGORIES, FUNCTIONS, OWN
from gradviz.ops.own import OwnOp
from gradviz.ops.spec import Spec


@pytest.fixture(autouse=True)
def _as_before():
    """Forgets the operations of the test."""
    before = {op.name for op in registry.every()}
    yield
    for name in {op.name for op in registry.every()} - before:
        registry.unregister(name)


def declare_cube(**fields: Any) -> OwnOp:
    @gv.op(**fields)
    def cube(x):
        """The third power, cell by cell."""
        return x**3

    @cube.local
    def _(out, x):
        return 3 * x**2

    return cube


def x_of(*numbers: float) -> gv.Expr:
    return gv.variable(list(numbers), name="x")


def test_a_function_and_its_derivative_are_enough() -> None:
    @gv.op
    def cube(x):
        """The third power, cell by cell."""
        return x**3

    @cube.local
    def _(out, x):
        return 3 * x**2

    x = x_of(1, 2)
    y = cube(x)
    assert (y.value.tolist(), y.shape, y.dtype) == ([1, 8], (2,), np.float64)
    assert gv.gradients(y, x)[0].value.tolist() == [3, 12]
    assert gv.hessian(gv.sum(y), x).tolist() == [[6, 0], [0, 12]]
    assert gv.jvp(y, x, [1.0, 1.0])[0].value.tolist() == [3, 12]
    assert gv.check(cube, [1.0, 2.0]) == (2, 0, 0)
    assert gv.check(y) == (2, 0, 0)
    assert gv.cube is cube


def test_everything_else_has_a_default() -> None:
    cube = declare_cube()
    assert (cube.category, cube.category in CATEGORIES, cube.family) == (OWN, True, "map")
    assert cube.summary == "The third power, cell by cell."
    assert cube.sign
    assert (cube.code, cube.aliases, cube.examples) == ({}, {}, ())
    assert repr(cube) == "<cube(x): The third power, cell by cell.>"
    assert cube.formula == r"\operatorname{cube}(x)"

    @gv.op
    def bare_one(x):
        return x

    assert str(bare_one.summary)
    assert r"\_" in bare_one.formula


def test_any_field_can_be_given() -> None:
    cube = declare_cube(
        name="third_power", sign="³", category=FUNCTIONS, summary="To the third.", text="{x}³", formula="x^3",
        code={"numpy": "{x} ** 3"}, aliases={"math": "cubed"}, spec=lambda x: x, family="solve", linear_in=(),
        examples=[gv.example([1.0, 2.0]), (3.0,), 4.0],
    )  # fmt: skip
    assert cube.name == "third_power"
    assert registry.lookup("cubed") is cube
    assert (cube.sign, cube.category, cube.text, cube.family) == ("³", FUNCTIONS, "{x}³", "solve")
    assert [shown.inputs for shown in cube.examples] == [([1.0, 2.0],), (3.0,), (4.0,)]
    assert cube(x_of(2)).value == [8]
    with pytest.raises(TypeError, match="colour"):
        gv.op(colour="red")(lambda x: x)


def test_settings_are_the_parameters_with_a_default() -> None:
    @gv.op
    def bump(x, width=1.0, *, times: int, flat=False, axis=None):
        return times * np.exp(-((x / width) ** 2))

    @bump.local
    def _(out, x, width, times, flat, axis):
        return -2 * x / width**2 * out

    assert bump.inputs == ("x",)
    assert {a.name: (a.kind, a.required) for a in bump.attributes.values()} == {
        "width": ("float", False),
        "times": ("int", True),
        "flat": ("bool", False),
        "axis": ("Axis", False),
    }
    assert repr(bump).startswith("<bump(x, width=1.0, times, flat=False, axis=None)")
    x = x_of(0.5)
    assert bump(x, 2.0, times=3).value == 3 * np.exp(-(0.25**2))
    assert gv.check(bump, [0.5, -1.0], width=2.0, times=3).agree == 2
    with pytest.raises(gv.InputError, match="needs the setting times"):
        bump(x)


def test_shape_and_dtype_are_found_by_trying_once() -> None:
    calls = []

    @gv.op
    def pairs(x, y):
        calls.append((np.shape(x), np.shape(y)))
        return np.stack([x + 0 * y, y + 0 * x])

    a, b = gv.variable(np.ones((2, 3))), gv.variable(np.ones(3))
    assert (pairs(a, b).shape, len(calls)) == ((2, 2, 3), 1)
    assert (pairs(a, b).shape, len(calls)) == ((2, 2, 3), 1)
    single = gv.variable(np.ones((2, 3)), dtype="float32")
    assert pairs(single, single).dtype == np.float32
    assert pairs(gv.constant([1, 2]), gv.constant([3, 4])).dtype == np.int64
    assert pairs(2.0, b).shape == (2, 3)
    with pytest.raises(gv.ShapeError, match=r"pairs cannot be used on 2×3 and 4 numbers\. The fun"):
        pairs(a, gv.variable(np.ones(4)))


def test_what_cannot_be_computed_everywhere_is_tried_where_it_can() -> None:
    @gv.op
    def inverse(x):
        return np.linalg.inv(x)

    @inverse.vjp
    def _(g, out, x):
        return -gv.matrix_transpose(out) @ g @ gv.matrix_transpose(out)

    assert inverse(gv.variable(np.ones((3, 3)))).shape == (3, 3)
    assert gv.check(inverse, [[2.0, 1.0], [0.5, 3.0]]).agree == 4
    with pytest.raises(gv.InputError, match="raised LinAlgError: Singular"):
        _ = inverse(gv.variable(np.ones((3, 3)))).value


def test_several_outputs_and_any_number_of_inputs() -> None:
    @gv.op
    def both(*xs):
        total = np.add.reduce([np.asarray(x) for x in xs])
        return total, total * total, np.argmax(total)

    @both.vjp
    def _(g, out, *xs):
        return [g[0] + 2 * out[0] * g[1]] * len(xs)

    a, b = x_of(1, 2), x_of(3, 4)
    total, squared, where = both(a, b)
    assert (squared.value.tolist(), where.value, where.dtype) == ([16, 36], 1, np.int64)
    assert gv.gradients(squared, [a, b])[1].value.tolist() == [8, 12]
    assert gv.jvp([total, squared, where], a, [1.0, 0.0])[1].value.tolist() == [8, 0]
    assert gv.check(both, [1.0, 2.0], [3.0, 4.0]).agree == 4


def test_declared_again_it_replaces_the_first() -> None:
    first = declare_cube(aliases={"math": "cubed"})
    x = x_of(2)
    old = first(x)
    second = declare_cube(sign="³")
    assert gv.cube is second
    assert registry.lookup("cubed") is None
    assert old.value == [8]
    with pytest.raises(gv.InputError, match="declared again"):
        gv.check(first, [1.0])
    with pytest.raises(gv.InputError, match="cube takes 1 inputs"):
        gv.check(second, [1.0], [2.0])


@pytest.mark.parametrize("name", ["exp", "sum", "variable", "full_like"])
def test_gradvizs_own_cannot_be_replaced(name: str) -> None:
    before = registry.get(name)
    with pytest.raises(gv.InputError, match=f"has an operation {name} of its own"):
        gv.op(name=name)(lambda x: x)
    assert registry.get(name) is before


def test_functions_that_cannot_be_read() -> None:
    with pytest.raises(gv.InputError, match="write def, or give name"):
        gv.op(lambda x: x)
    with pytest.raises(gv.InputError, match="parameters of dict cannot be read"):
        gv.op(dict)


def test_a_function_of_numpy_is_one() -> None:
    angle = gv.op(name="angle_of", examples=[(1.0, 2.0)])(np.arctan2)
    angle.local(lambda out, x, y: (y / (x**2 + y**2), -x / (x**2 + y**2)))
    assert angle.signature == "angle_of(x, y)"
    assert angle(x_of(1), 1.0).value == [np.pi / 4]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": "class"}, "class cannot be the name"),
        ({"name": "f" * 100}, "cannot be the name"),
        ({"name": "_f"}, "cannot be the name"),
        ({"text": "{z}"}, "may have {x}, {k} in braces, nothing else"),
        ({"text": "{"}, "in braces"),
        ({"code": {"numpy": "{z}"}}, "in braces"),
        ({"code": "np.f({x})"}, "code of f is a text for each of numpy, tf"),
        ({"code": {"excel": "f"}}, "code of f is a text for each"),
        ({"aliases": {"numpy": ["f"]}}, "aliases of f is a text for each of numpy, tf"),
        ({"linear_in": ["y"]}, "linear in y, which is not one of its inputs"),
        ({"examples": [(1.0, 2.0)]}, "An example of f has 2 inputs, not 1 (x)"),
    ],
)
def test_fields_that_would_only_fail_later(fields: dict[str, Any], said: str) -> None:
    def f(x, k=1.0):
        return k * x

    with pytest.raises(gv.InputError) as caught:
        gv.op(**fields)(f)
    assert said in str(caught.value)
    assert registry.find("f") is None


def test_settings_are_plain_data(tmp_path: Path) -> None:
    start = np.array([1.0, 2.0])
    f = gv.op(name="f")(lambda x, weights=start: x * np.array(weights))
    x = x_of(1, 1)
    assert f(x).value.tolist() == [1, 2]
    y = f(x, weights=np.array([3, 4]))
    gv.save(tmp_path / "f.gradviz", y)
    assert gv.expressions(tmp_path / "f.gradviz")["y"].value.tolist() == [3, 4]
    g = gv.op(name="g")(lambda x, function=np.sin: function(x))
    assert g(x, np.cos).value.tolist() == np.cos([1, 1]).tolist()
    with pytest.raises(gv.FileError, match="not plain data"):
        gv.save(tmp_path / "g.gradviz", g(x, np.cos))


def test_signatures_that_cannot_be() -> None:
    with pytest.raises(gv.InputError, match="has no inputs"):
        gv.op(name="nothing")(lambda: 1.0)
    with pytest.raises(gv.InputError, match=r"one by one: \*\*more"):
        gv.op(name="open")(lambda x, **more: x)
    with pytest.raises(gv.InputError, match="family of odd"):
        gv.op(name="odd", family="dance")(lambda x: x)
    assert registry.find("nothing") is None


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x: 1 / 0, "The function of f raised ZeroDivisionError: division by zero."),
        (lambda x: x.no_such, "raised AttributeError"),
        (lambda x: None, "returned nothing: is a return missing?"),
        (lambda x: "text", "cannot be used: text"),
        (lambda x: [[1], [2, 3]], "different lengths"),
        (lambda x: np.asarray(x) + 1j, "complex numbers"),
        (lambda x: gv.constant(1.0), "it gets arrays and returns arrays"),
        (lambda x: np.ones((2,) * 9), "9 axes"),
        (lambda x: (x, None), "returned nothing"),
    ],
)
def test_a_function_that_does_nonsense(function, said: str) -> None:
    made = gv.op(name="f")(function)
    with pytest.raises(gv.ShapeError, match=r"f cannot be used on 2 numbers\. ") as caught:
        made(x_of(1, 2))
    assert said in str(caught.value)


def test_a_function_whose_shape_depends_on_numbers() -> None:
    @gv.op
    def positive(x):
        return x[x > 0]

    with pytest.raises(gv.InputError, match="returned a list of 1 float64, but"):
        _ = positive(x_of(1, -2)).value
    graph = gv.diagram(positive(x_of(1, -2)))
    found = answer(graph)
    (node,) = [n.id for n in graph.graph if n.op == "positive"]
    assert "was expected" in str(found.run.error(node))


def test_a_function_cannot_change_what_it_is_given() -> None:
    @gv.op
    def doubled(x):
        x *= 2
        return x

    with pytest.raises(gv.GradvizError, match="read-only"):
        doubled(x_of(1))


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (lambda out, x, y: y, "gives one answer, but f has 2 inputs (x, y)"),
        (lambda out, x, y: (y,), "gives 1 answers, but f has 2 inputs (x, y)"),
        (lambda out, x, y: (y, x, x), "gives 3 answers"),
        (lambda out, x: (1, 1), "The rule of f raised TypeError"),
        (lambda out, x, y: (1 / 0, x), "The rule of f raised ZeroDivisionError"),
        (lambda out, x, y: (y @ x @ out @ y, x), "The rule of f raised ShapeError"),
        (lambda out, x, y: ("y", x), "The rule of f gives str for x"),
        (
            lambda out, x, y: (gv.constant(np.ones((5, 4))), x),
            "The rule of f gives 5×4 for x, but the output",
        ),
    ],
)
def test_a_rule_that_does_nonsense(rule, said: str) -> None:
    f = gv.op(name="f")(lambda x, y: x * y)
    f.local(rule)
    a, b = x_of(1, 2), x_of(3, 4)
    with pytest.raises(gv.GradvizError) as caught:
        gv.gradients(f(a, b), [a, b])
    assert said in str(caught.value)


def test_a_vjp_of_the_wrong_shape() -> None:
    f = gv.op(name="f")(lambda x, axis=None: np.sum(x, axis))
    f.vjp(lambda g, out, x: g)
    x = x_of(1, 2)
    with pytest.raises(gv.GradientError, match="The rule of f gives one number for an input of 2"):
        gv.gradients(f(x), x)
    f.local(lambda out, x: x)
    with pytest.raises(gv.GradientError, match=r"needs a \.vjp rule"):
        gv.gradients(f(x), x)


def test_a_rule_may_answer_with_numbers_arrays_and_none() -> None:
    f = gv.op(name="f")(lambda x, y, z: 2 * x + np.array([3.0, 4.0]) * y + np.floor(z))
    f.local(lambda out, x, y, z: (2, np.array([3.0, 4.0]), None))
    a, b, c = x_of(1, 2), x_of(3, 4), x_of(0.5, 0.5)
    found = gv.gradients(f(a, b, c), [a, b, c])
    assert [None if g is None else g.value.tolist() for g in found] == [[2, 2], [3, 4], None]
    assert gv.check(f, [1.0, 2.0], [3.0, 4.0], [0.5, 0.5]).agree == 6


def wrong() -> OwnOp:
    f = gv.op(name="wrong")(lambda x, y: x**2 * y)
    f.vjp(lambda g, out, x, y: (2 * x * y * g, x * g))
    return f


def test_a_wrong_rule_is_told_where() -> None:
    f = wrong()
    with pytest.raises(gv.RuleError) as caught:
        gv.check(f, [[1.0, 3.0]], 2.0)
    error = caught.value
    assert (error.op, error.input, error.cell, error.given) == ("wrong", "y", (), 4)
    assert error.expected == pytest.approx(10)
    assert str(error).startswith(
        "The rule of wrong is wrong for its input y: at y it gives 4, but finite differences give 10"
    )
    with pytest.raises(gv.RuleError, match=r"its input y: at y\[1\] it gives 3, but"):
        gv.check(f, [1.0, 3.0], [1.0, 1.0])
    x = x_of(1, 3)
    y = f(x, gv.variable([2.0, 2.0], name="z"))
    with pytest.warns(gv.RuleWarning, match="wrong for its input y"):
        gv.gradients(y, x)
    with pytest.raises(gv.RuleError, match="wrong for its input y"):
        gv.check(y, x)


def test_errors_that_cancel_in_the_sum_are_found() -> None:
    f = gv.op(name="f")(lambda x: np.stack([x[0], x[1]]))
    f.vjp(lambda g, out, x: g[::-1])
    with pytest.raises(gv.RuleError):
        gv.check(f, [1.0, 2.0])


def test_a_rule_is_looked_at_once_when_it_is_first_used() -> None:
    f, x = wrong(), x_of(1, 3)
    y = f(x, x)
    with pytest.warns(gv.RuleWarning) as caught:
        gv.gradients(y, x)
    gv.gradients(y, x)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    f.vjp(lambda g, out, x, y: (2 * x * y * g, g))
    with pytest.warns(gv.RuleWarning):
        gv.gradients(f(x, x), x)
    f.vjp(lambda g, out, x, y: (2 * x * y * g, x * x * g))
    gv.gradients(f(x, x), x)


def test_a_wrong_rule_is_refused_where_examples_show_it() -> None:
    f = gv.op(name="f", examples=[([1.0, 2.0],)])(lambda x: x**3)
    with pytest.raises(gv.RuleError, match=r"at x\[1\] it gives 8, but finite differences give 12"):
        f.local(lambda out, x: 2 * x**2)
    assert not f.has_rule
    f.local(lambda out, x: 3 * x**2)
    assert gv.check(f).agree == 2
    with pytest.raises(gv.InputError, match="has no examples to check"):
        gv.check(declare_cube())


def test_a_surrogate_is_wrong_on_purpose() -> None:
    f = gv.op(name="straight_through", surrogate=True, examples=[([0.4, 1.6],)])(
        lambda x: np.round(x, 0)
    )
    f.vjp(lambda g, out, x: g)
    x = x_of(0.4, 1.6)
    assert gv.gradients(f(x), x)[0].value.tolist() == [1, 1]
    with pytest.raises(gv.RuleError):
        gv.check(f)


def test_of_large_inputs_a_few_cells_are_checked_unasked() -> None:
    """Where cells stand for themselves; what a .vjp does with them is not known."""
    x, row = gv.variable(np.ones((40, 30))), gv.variable(np.full(30, 2.0), name="row")
    gv.gradients(wrong()(x, x), x)
    f = gv.op(name="f")(lambda x, y: x**2 * y)
    f.local(lambda out, x, y: (2 * x * y, x))
    with pytest.warns(gv.RuleWarning, match=r"input y: at y\[\d+\] it gives 3, but .* give 9"):
        gv.gradients(f(3 * x, row), row)


def test_without_a_rule_a_gradient_is_none_and_says_why() -> None:
    f = gv.op(name="f")(lambda x: x**2)
    x = x_of(1)
    y = f(x)
    assert gv.gradients(y, x) == [None]
    assert gv.why_none(y, x).state == "no-rule"


def test_built_in_ops_and_expressions_can_be_checked_too() -> None:
    assert gv.check(gv.tanh).agree
    assert gv.check(gv.sum, [[1.0, 2.0]], axis=0).agree == 2
    assert gv.check(gv.greater, 1.0, 2.0) == (0, 0, 0)
    x = gv.variable([0.0, 1.0], name="x")
    assert gv.check(gv.relu(x)) == (1, 1, 0)
    z = gv.variable(2.0, name="z")
    assert gv.check(gv.sum(x) * z, z).agree == 1


def test_whole_numbers_and_float32_come_out_as_they_are() -> None:
    cube = declare_cube()
    x = gv.variable([1.0, 2.0], name="x", dtype="float32")
    assert cube(x).value.dtype == np.float32
    assert gv.gradients(cube(x), x)[0].value.dtype == np.float32
    assert cube(gv.constant([2, 3])).value.dtype == np.int64
    half = gv.op(name="half")(lambda x: np.asarray(x, np.float16))
    assert half(x).value.dtype == np.float32


def test_typed_and_written_out_and_kept(tmp_path: Path) -> None:
    declare_cube()
    y = gv.parse("y = cube(x) + 1", {"x": [1.0, 2.0]})
    assert gv.gradients(y, y.leaf("x"))[0].value.tolist() == [3, 12]
    diagram = gv.diagram(y)
    ends = diagram.node_called("y").id
    assert write.expression(diagram.graph, ends, diagram.values) == "y = cube(x) + 1"
    path, again = tmp_path / "own.gradviz", tmp_path / "again.gradviz"
    gv.save(path, y)
    kept = gv.expressions(path)
    assert gv.gradients(kept["y"], kept["x"])[0].value.tolist() == [3, 12]
    registry.unregister("cube")
    unknown = gv.load(path)
    gv.save(again, unknown)
    assert again.read_bytes() == path.read_bytes()
    found = answer(unknown)
    assert "cube is not known here" in str(next(iter(found.specs.problems.values())).message)
    assert found.value(OutPort(unknown.node_called("x").id)).tolist() == [1, 2]
    declare_cube()
    assert gv.expressions(path)["y"].value.tolist() == [2, 9]


def test_the_command_line_checks_the_rule_where_it_stands(capsys, tmp_path: Path) -> None:
    f = wrong()
    path = tmp_path / "wrong.gradviz"
    gv.save(path, f(gv.variable([1.0, 3.0], name="a"), gv.variable([2.0, 2.0], name="b")))
    assert cli.main(["check", str(path)]) == 1
    out = capsys.readouterr().out
    assert "The rule of wrong is wrong for its input y: at y[1] it gives 3, but" in out


def test_a_rule_that_cannot_be_used_leaves_the_values(capsys, tmp_path: Path) -> None:
    f = gv.op(name="f")(lambda x: x * 2)
    f.local(lambda out, x: (1, 2))
    path = tmp_path / "unusable.gradviz"
    gv.save(path, gv.sum(f(x_of(1, 2))))
    found = answer(gv.load(path))
    x, y = (OutPort(found.diagram.node_called(name).id) for name in "xy")
    assert (found.value(y), found.adjoint(x)) == (6, None)
    missing = found.missing(x)
    assert missing is not None
    assert (missing.state, missing.nodes) == ("no-rule", ("f",))
    (note,) = [one for one in explain.notes(found) if one.about == "error"]
    assert (note.severity, note.nodes) == ("error", ("f",))
    said = "The rule of f gives 2 answers, but f has 1 inputs (x)"
    assert said in str(note.text)
    for command in ("run", "gradients", "check", "jacobian", "hessian"):
        assert cli.main([command, str(path)]) == 1
        assert said in capsys.readouterr().out
    with pytest.raises(gv.GradientError, match="gives 2 answers"):
        gv.check(f, [1.0])
    with pytest.raises(gv.GradientError, match="gives 2 answers"):
        gv.check(found.diagram)


def test_a_spec_of_ones_own() -> None:
    f = gv.op(name="f", spec=lambda x: Spec((3,), x.dtype))(lambda x: x[:3])
    assert f(x_of(1, 2, 3, 4)).shape == (3,)
    with pytest.raises(gv.InputError, match="but 3 numbers float64 was expected"):
        _ = f(x_of(1, 2)).value
    g = gv.op(name="g", spec=lambda x: x.shape)(lambda x: x)
    with pytest.raises(gv.InputError, match="gives a Spec for each output"):
        g(x_of(1, 2))
    h = gv.op(name="h", spec=lambda x: 1 / 0)(lambda x: x)
    with pytest.raises(gv.InputError, match="ZeroDivisionError"):
        h(x_of(1))


@pytest.mark.parametrize("value", [1.5, [1.5, -2.0]])
def test_the_fast_path_gives_the_same(value: Any) -> None:
    cube = declare_cube()
    x = gv.variable(value, name="x")
    y = gv.sum(gv.sin(cube(x)) * x)
    (slope,) = gv.gradients(y, x)
    compiled = compile_gradients(y, [x])
    for _ in range(100):
        found = compiled(x.value)
        assert found.values == [y.value]
        assert np.allclose(found.gradients[0], slope.value, rtol=1e-15)


PLUGIN = """
import gradviz as gv
import numpy as np

@gv.op(examples=[([0.0, 1.0],)], summary="A bell.")
def bell(x, width=1.0):
    return np.exp(-((x / width) ** 2))

@bell.local
def _(out, x, width):
    return -2 * x / width**2 * out
"""
BROKEN = """
import gradviz as gv

@gv.op(examples=[([1.0],)])
def half_done(x):
    return x**2

@half_done.local
def _(out, x):
    return x
"""


def install(site: Path, name: str, source: str) -> None:
    """A distribution as pip would leave it: a module, and what describes it."""
    module = f"gradviz_{name}_test"
    (site / f"{module}.py").write_text(source)
    info = site / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[gradviz.ops]\n{name} = {module}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "site"
    found.mkdir()
    install(found, "bell", PLUGIN)
    install(found, "broken", BROKEN)
    monkeypatch.setenv("PYTHONPATH", str(found), prepend=os.pathsep)
    return found


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)


def test_an_installed_plugin_on_the_command_line(site: Path, tmp_path: Path) -> None:
    found = python("-m", "gradviz", "gradients", "y = bell(x, width=2)", "--at", "x=2")
    assert found.returncode == 0, found.stderr
    assert "∂y/∂x = −0.3679" in found.stdout
    assert "The plug-in broken (gradviz_broken_test) is skipped" in found.stderr
    assert "at x[0] it gives 1, but finite differences give 2" in found.stderr
    found = python("-m", "gradviz", "gradients", "half_done(x)", "--at", "x=2")
    assert found.returncode == 2
    picture = tmp_path / "bell.svg"
    found = python("-m", "gradviz", "render", "bell(x)", "--at", "x=[1,2]", "-o", str(picture))
    assert found.returncode == 0, found.stderr
    assert picture.stat().st_size > 5000


def test_an_installed_plugin_from_python(site: Path, tmp_path: Path) -> None:
    path = tmp_path / "bell.gradviz"
    script = f"""
import sys, gradviz as gv
assert "gradviz_bell_test" not in sys.modules
x = gv.variable([0.0, 1.0], name="x")
gv.save({str(path)!r}, gv.bell(x))
assert not hasattr(gv, "half_done")
"""
    found = python("-c", script)
    assert found.returncode == 0, found.stderr
    for use in (f"gv.expressions({str(path)!r})['y'].value", "gv.apply('bell', 0.0).value",
                "gv.parse('bell(0.0)').value"):  # fmt: skip
        found = python("-c", f"import gradviz as gv; print({use})")
        assert found.returncode == 0, found.stderr
        assert "1." in found.stdout


def test_plugins_that_declare_the_same_op(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    head = "import gradviz as gv\n@gv.op\ndef twice_there(x):\n    return {} * x\n"
    for number, tail in enumerate(["", "", "1 / 0\n"], 1):
        (tmp_path / f"plugin_{number}_test.py").write_text(head.format(number) + tail)
    (tmp_path / "plugin_4_test.py").write_text(head.format(4).replace("twice_there", "exp"))
    monkeypatch.syspath_prepend(tmp_path)
    entries = [EntryPoint(f"p{i}", f"plugin_{i}_test", "gradviz.ops") for i in (1, 2, 3, 4)]
    assert plugins.load(entries) == ("p1", "p2")
    assert "p2 replaces the operation twice_there of another" in caplog.text
    assert "p3 (plugin_3_test) is skipped" in caplog.text
    assert "gradviz has an operation exp of its own" in caplog.text
    assert gv.twice_there(x_of(1)).value == [2]
    assert gv.exp(0.0).value == 1
    for i in (1, 2, 3, 4):
        sys.modules.pop(f"plugin_{i}_test", None)


def test_no_warning_for_a_right_rule() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = x_of(1, 2)
        gv.gradients(declare_cube()(x), x)
