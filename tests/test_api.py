"""gradviz from Python: the three cases it began with, and the promises of the public API."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import gradviz as gv
from gradviz.ops import registry


def test_one_number() -> None:
    x = gv.variable(2.0, name="x")
    y = x**2 + x - 1
    (g,) = gv.gradients(y, x)
    assert g is not None
    assert (y.value, g.value) == (5.0, 5.0)
    assert g.shape == ()
    assert g.dtype == np.float64


def test_the_gradient_can_be_differentiated_again() -> None:
    x = gv.variable(2.0, name="x")
    (g,) = gv.gradients(x**2 + x - 1, x)
    (h,) = gv.gradients(g, x)
    assert h is not None
    assert h.value == 2.0


@pytest.mark.parametrize("seed", range(20))
def test_a_random_matrix_in_float32(seed: int) -> None:
    X = gv.random_normal((3, 3), seed=seed, dtype="float32", name="X")
    s = gv.sum(X)
    (g,) = gv.gradients(s**2 + s - 1, X)
    assert g is not None
    expected = np.float32(2) * s.value + np.float32(1)
    assert g.value.dtype == np.float32
    assert g.shape == (3, 3)
    assert (g.value == expected).all()


@pytest.mark.parametrize("seed", range(20))
def test_a_random_matrix_with_a_product(seed: int) -> None:
    X = gv.random_normal((3, 3), seed=seed, dtype="float32", name="X")
    s = gv.sum(X)
    (g,) = gv.gradients(s * s + s - 1, X)
    assert g is not None
    np.testing.assert_array_max_ulp(
        g.value, np.full((3, 3), np.float32(2) * s.value + np.float32(1)), 2
    )


def test_nine_sevens() -> None:
    X = gv.variable([[1, 0, -1], [2, 1, 0], [0, -1, 1]], name="X")
    B = gv.variable([[1, 2], [3, 4]], name="B")
    y = gv.parse("y = sum(X)**2 + sum(X) - 1", {"X": X.value})
    gX, gB = gv.gradients(y, [y.leaf("X"), B])
    assert gX is not None
    assert y.value == 11
    assert (gX.value == 7).all()
    assert gB is None


def test_not_connected() -> None:
    X = gv.variable(np.ones((3, 3)), name="X")
    y = gv.variable(np.ones((2, 2)), name="y")
    assert gv.gradients(y, X) == [None]
    why = gv.why_none(y, X)
    assert why is not None
    assert why.state == "no-path"
    assert why.sentence == "nothing leads from X to y, so changing X cannot change y"
    assert why.remedy
    (zeros,) = gv.gradients(y, X, unconnected_gradients="zero")
    assert zeros is not None
    assert zeros.shape == (3, 3)
    assert not zeros.value.any()


def test_swapped() -> None:
    X = gv.variable(np.ones((3, 3)), name="X")
    y = gv.sum(X)
    y.name = "y"
    assert gv.gradients(X, y) == [None]
    why = gv.why_none(X, y)
    assert why is not None
    assert why.state == "swapped"
    assert "swapped" in why.sentence
    assert (why.path, why.from_x, why.to_y) == ("", (), ())
    assert gv.why_none(y, X) is None


def test_a_number_among_the_xs_is_a_new_constant() -> None:
    x = gv.variable(2.0)
    assert gv.gradients(x * x, [2.0, x])[0] is None


def test_weights_and_several_targets() -> None:
    x = gv.variable(2.0, name="x")
    (g,) = gv.gradients([x, 2 * x, x**2], x, grad_ys=[1, 10, 100])
    assert g is not None
    assert g.value == 421
    with pytest.raises(gv.InputError, match="grad_ys has 1 entries, but there are 2 ys"):
        gv.gradients([x, x], x, grad_ys=[1])


def test_stop_gradients() -> None:
    a = gv.variable(1.0, name="a")
    b = 2 * a
    full = gv.gradients(a + b, [a, b])
    stopped = gv.gradients(a + b, [a, b], stop_gradients=[a, b])
    assert [g.value for g in full if g is not None] == [3, 1]
    assert [g.value for g in stopped if g is not None] == [1, 1]


def test_unknown_option() -> None:
    x = gv.variable(2.0)
    with pytest.raises(gv.GradientError, match="none"):
        gv.gradients(x, x, unconnected_gradients="maybe")


def test_an_expression_is_not_a_truth_value() -> None:
    x = gv.variable(2.0)
    with pytest.raises(gv.GradvizError, match="where"):
        bool(x > 1)
    with pytest.raises(gv.GradvizError, match="value"):
        np.asarray(x)
    assert x == x  # noqa: PLR0124  identity is what == means
    assert x != gv.variable(2.0)


def test_numpy_functions_build_operations() -> None:
    x = gv.variable([1.0, 2.0], name="x")
    assert isinstance(np.exp(x), gv.Expr)
    assert isinstance(np.ones(2) + x, gv.Expr)
    np.testing.assert_array_equal(np.exp(x).value, np.exp(x.value))
    np.testing.assert_array_equal((np.ones(2) - x).value, 1 - x.value)
    with pytest.raises(gv.GradvizError, match="nextafter"):
        np.nextafter(x, x)


def test_indexing_and_iterating() -> None:
    x = gv.variable([[1.0, 2.0], [3.0, 4.0]], name="x")
    assert len(x) == 2
    assert [row.value.tolist() for row in x] == [[1, 2], [3, 4]]
    assert x[0, 1].value == 2
    assert x[:, 0].value.tolist() == [1, 3]
    assert x[..., None].shape == (2, 2, 1)
    with pytest.raises(IndexError):
        x[2]
    with pytest.raises(gv.GradvizError):
        x["a"]


def test_apply_by_name() -> None:
    x = gv.variable([[1.0, 2.0]], name="x")
    soft = gv.apply("softmax", x, axis=-1)
    assert isinstance(soft, gv.Expr)
    assert soft.value.sum() == pytest.approx(1)
    with pytest.raises(gv.GradvizError, match="softmax"):
        gv.apply("sotfmax", x)
    with pytest.raises(gv.GradvizError, match="axis"):
        gv.apply("softmax", x, axes=1)


def test_every_palette_op_is_a_function() -> None:
    sources = {"variable", "constant", "random_normal"}
    missing = [
        op.name for op in registry.palette() if op.name not in sources and not hasattr(gv, op.name)
    ]
    assert not missing
    assert callable(gv.variable)
    assert callable(gv.constant)
    assert callable(gv.random_normal)


def test_all_names_what_exists() -> None:
    assert all(hasattr(gv, name) for name in gv.__all__)


@pytest.mark.parametrize(
    "cause",
    [
        lambda: gv.variable("text"),
        lambda: gv.variable([[1], [2, 3]]),
        lambda: gv.variable(1j),
        lambda: gv.variable(None),
        lambda: gv.variable(1.0, dtype="int64"),
        lambda: gv.variable(1.0, dtype="no such"),
        lambda: gv.constant({1: 2}),
        lambda: gv.variable(np.ones(2)) + np.ones(3),
        lambda: gv.variable(np.ones((3, 4))) @ gv.variable(np.ones((3, 2))),
        lambda: gv.sum(gv.variable(np.ones(2)), axis=1),
        lambda: gv.reshape(gv.variable(np.ones(4)), (3, -1)),
        lambda: gv.reshape(gv.variable(np.ones(4)), "ab"),
        gv.sum,
        lambda: gv.random_normal((2,), seed=-1),
        lambda: gv.random_normal((10**5, 10**5)),
        lambda: gv.max(gv.variable(np.ones((0, 2))), axis=0),
        lambda: gv.variable(1.0) + object(),
        lambda: gv.load("no such file.gradviz"),
        lambda: gv.parse("y = "),
        lambda: gv.parse("y = x"),
        lambda: gv.where(gv.variable(1.0), 1.0, 2.0),
        lambda: gv.variable(10**400),
        lambda: gv.variable(1.0) * 10**400,
        lambda: gv.variable(gv.variable(1.0)),
        lambda: gv.variable(2.0).leaf("z"),
        lambda: gv.concat([gv.variable(1.0), gv.variable(2.0)]),
        lambda: gv.transpose(gv.variable(np.ones((2, 2))), axes=(0, 0)),
        lambda: gv.softmax(gv.variable(1.0)),
        lambda: gv.gradients(gv.variable(1.0), gv.variable(1.0), grad_ys=np.ones(3)),
    ],
)
def test_every_error_a_user_can_cause_is_a_gradviz_error(cause) -> None:
    with pytest.raises(gv.GradvizError) as caught:
        cause()
    assert len(str(caught.value)) > 10


def test_two_raised_matrix_says_both_shapes() -> None:
    with pytest.raises(gv.ShapeError) as caught:
        gv.variable(np.ones((3, 4)), name="a") @ gv.variable(np.ones((3, 2)), name="b")
    assert str(caught.value) == "a is 3×4, b is 3×2: inner sizes 4 and 3 must be equal."


def test_save_and_load(tmp_path) -> None:
    x = gv.variable(2.0, name="x")
    y = x**2 + x - 1
    path = tmp_path / "one.gradviz"
    gv.save(path, y)
    found = gv.expressions(gv.load(path))
    (g,) = gv.gradients(found["y"], found["x"])
    assert g is not None
    assert g.value == 5


def test_values_are_read_only_and_computed_once() -> None:
    x = gv.variable([1.0, 2.0])
    y = gv.exp(x)
    assert y.value is y.value
    with pytest.raises(ValueError, match="read-only"):
        y.value[0] = 3


def test_a_callers_array_is_copied() -> None:
    array = np.array([1.0, 2.0])
    x = gv.variable(array)
    array[0] = 9
    assert x.value[0] == 1


def test_public_functions_have_docstrings() -> None:
    for name in gv.__all__:
        assert inspect.getdoc(getattr(gv, name)), name


def test_save_reads_both_orders_and_says_what_it_takes(tmp_path) -> None:
    x = gv.variable(2.0, name="x")
    gv.save(tmp_path / "a.gradviz", x * 2)
    gv.save(x * 2, tmp_path / "b.gradviz")
    assert (tmp_path / "a.gradviz").read_bytes() == (tmp_path / "b.gradviz").read_bytes()
    for given in ((x, x * 2), ("one", "two")):
        with pytest.raises(gv.GradvizError, match="a path and what to write"):
            gv.save(*given)
