"""What layers and losses do at kinks, ties, singular points and in empty arrays: one row per convention."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.engine.compiled import compile_gradients
from gradviz.errors import GradvizError, IndexRangeError, InputError, LimitError, ShapeError
from gradviz.ops import registry
from gradviz.ops.expr import Expr, constant, variable
from tests.support.edges import INF, NAN, call, holds, op, row

LN2 = float(np.log(2.0))

SOFTMAX = [
    row("softmax of -inf alone", call("softmax"), [[-INF, -INF]], [NAN, NAN], [[NAN, NAN]]),
    row("softmax with a masked cell", call("softmax"), [[0.0, 0.0, -INF]], [0.5, 0.5, 0.0], [[0.0, 0.0, 0.0]]),
    row("softmax, fully masked row", call("softmax"), [[[-INF, -INF], [1.0, 1.0]]], [[NAN, NAN], [0.5, 0.5]],
        [[[NAN, NAN], [0.0, 0.0]]]),
    row("softmax of +inf", call("softmax"), [[INF, 0.0]], [NAN, NAN], [[NAN, NAN]]),
    row("softmax far away", call("softmax"), [[1e308, -1e308]], [1.0, 0.0], [[0.0, 0.0]]),
    row("softmax of no columns", call("softmax"), [np.zeros((2, 0))], np.zeros((2, 0)), [np.zeros((2, 0))]),
    row("softmax of no rows", call("softmax", axis=1), [np.zeros((0, 3))], np.zeros((0, 3)), [np.zeros((0, 3))]),
    row("log_softmax far away", lambda x: op("log_softmax", x)[1], [[1000.0, 0.0]], -1000.0, [[-1.0, 1.0]]),
    row("log_softmax of -inf alone", call("log_softmax"), [[-INF, -INF]], [NAN, NAN], [[NAN, NAN]]),
]  # fmt: skip

LAYERS = [
    row("linear of no rows", call("linear"), [np.zeros((0, 2)), np.ones((2, 3)), np.ones(3)], np.zeros((0, 3)),
        [np.zeros((0, 2)), np.zeros((2, 3)), np.zeros(3)]),
    row("linear of no inputs", call("linear"), [np.zeros((2, 0)), np.ones((0, 2)), [1.0, 2.0]], [[1.0, 2.0]] * 2,
        [np.zeros((2, 0)), np.zeros((0, 2)), [2.0, 2.0]]),
    row("linear with batch axes", call("linear"), [[[[1.0, 2.0]], [[3.0, 4.0]]], [[1.0], [1.0]]], [[[3.0]], [[7.0]]],
        [[[[1.0, 1.0]], [[1.0, 1.0]]], [[4.0], [6.0]]]),
    row("dropout selects", call("dropout", rate=0.5), [[INF, NAN, 3.0], [0.0, 0.0, 1.0]], [0.0, 0.0, 6.0],
        [[0.0, 0.0, 2.0], None]),
    row("dropout of nothing", call("dropout", rate=0.0), [[1.0, 2.0], [1.0, 1.0]], [1.0, 2.0], [[1.0, 1.0], None]),
    row("dropout, one mask for all rows", call("dropout"), [[[1.0, 2.0], [3.0, 4.0]], [1.0, 0.0]],
        [[2.0, 0.0], [6.0, 0.0]], [[[2.0, 0.0], [2.0, 0.0]], None]),
]  # fmt: skip

CELLS = [
    row("l1 at 0", call("l1_loss"), [[0.0], [0.0]], 0.0, [[0.0], [0.0]]),
    row("l1 of NaN", call("l1_loss"), [[NAN], [0.0]], NAN, [[NAN], [NAN]]),
    row("l1 of -0.0", call("l1_loss", reduction="none"), [[-0.0], [0.0]], [0.0], [[0.0], [0.0]]),
    row("l1 of one number", call("l1_loss"), [2.0, 5.0], 3.0, [-1.0, 1.0]),
    row("mse of nothing", call("mse_loss"), [np.zeros(0), np.zeros(0)], NAN, [np.zeros(0), np.zeros(0)]),
    row("mse sum of nothing", call("mse_loss", reduction="sum"), [np.zeros(0), np.zeros(0)], 0.0,
        [np.zeros(0), np.zeros(0)]),
    row("mse with one target", call("mse_loss", reduction="sum"), [[1.0, 2.0], 0.0], 5.0, [[2.0, 4.0], -6.0]),
    row("mse with a whole target", lambda x: op("mse_loss", x, np.array([1, 1])), [[1.0, 3.0]], 2.0, [[0.0, 2.0]]),
    row("huber at the bend", call("huber_loss", reduction="sum"), [[1.0, -1.0], [0.0, 0.0]], 1.0,
        [[1.0, -1.0], [-1.0, 1.0]]),
    row("huber far away", call("huber_loss"), [[1e200], [0.0]], 1e200, [[1.0], [-1.0]]),
    row("huber of infinity", call("huber_loss"), [[INF], [0.0]], INF, [[1.0], [-1.0]]),
    row("smooth l1 at 0", call("smooth_l1_loss"), [[0.0], [0.0]], 0.0, [[0.0], [0.0]]),
    row("smooth l1 at the bend", call("smooth_l1_loss", beta=0.5), [[0.5], [0.0]], 0.25, [[1.0], [-1.0]]),
    row("bce at p = 0, t = 1", call("binary_cross_entropy"), [[0.0], [1.0]], INF, [[-INF], [INF]]),
    row("bce at p = 1, t = 0", call("binary_cross_entropy"), [[1.0], [0.0]], INF, [[INF], [-INF]]),
    row("bce at p = 0, t = 0", call("binary_cross_entropy"), [[0.0], [0.0]], 0.0, [[1.0], [INF]]),
    row("bce at p = 1, t = 1", call("binary_cross_entropy"), [[1.0], [1.0]], 0.0, [[-1.0], [-INF]]),
    row("bce outside 0 to 1", lambda x: op("binary_cross_entropy", x, constant([1.0])), [[-1.0]], NAN, [[1.0]]),
    row("bce with logits at ±800", lambda x: op("binary_cross_entropy_with_logits", x, np.array([1.0, 1.0]),
        reduction="none"), [[800.0, -800.0]], [0.0, 800.0], [[0.0, -1.0]]),
    row("bce with logits at 0", call("binary_cross_entropy_with_logits"), [[0.0], [0.5]], LN2, [[0.0], [0.0]]),
    row("kl of a share of 0", call("kl_div", reduction="sum"), [[-1.0, -2.0], [0.0, 1.0]], 2.0,
        [[0.0, -1.0], [-INF, 3.0]]),
    row("hinge at the kink", call("hinge_loss"), [[1.0], [1.0]], 0.0, [[0.0], [0.0]]),
    row("hinge inside", call("hinge_loss"), [[0.5], [-1.0]], 1.5, [[1.0], [-0.5]]),
    row("cosine of a zero vector", call("cosine_similarity"), [[0.0, 0.0], [1.0, 2.0]], NAN,
        [[NAN, NAN], [NAN, NAN]]),
    row("cosine of parallels", call("cosine_similarity"), [[3.0, 4.0], [6.0, 8.0]], 1.0, [[0.0, 0.0], [0.0, 0.0]]),
    row("cosine, one vector for all", call("cosine_similarity"), [[[3.0, 4.0], [0.0, 2.0]], [0.0, 1.0]], [0.8, 1.0],
        [[[-0.096, 0.072], [0.0, 0.0]], [0.6, 0.0]]),
]  # fmt: skip

CLASSES = [
    row("cross entropy far away", lambda x: op("cross_entropy", x, np.array([1])), [[[1000.0, 0.0]]], 1000.0,
        [[[1.0, -1.0]]]),
    row("cross entropy of one row", lambda x: op("cross_entropy", x, np.array(0)), [[0.0, 0.0]], LN2, [[-0.5, 0.5]]),
    row("cross entropy of no rows", lambda x: op("cross_entropy", x, np.zeros(0, np.int64)), [np.zeros((0, 3))], NAN,
        [np.zeros((0, 3))]),
    row("cross entropy sum of no rows", lambda x: op("cross_entropy", x, np.zeros(0, np.int64), reduction="sum"),
        [np.zeros((0, 3))], 0.0, [np.zeros((0, 3))]),
    row("cross entropy, the right class impossible", lambda x: op("cross_entropy", x, np.array([1])),
        [[[0.0, -INF]]], INF, [[[1.0, -1.0]]]),
    row("nll", lambda x: op("nll_loss", x, np.array([1, 1])), [[[-1.0, -2.0], [-3.0, -4.0]]], 3.0,
        [[[0.0, -0.5], [0.0, -0.5]]]),
    row("nll of an unused NaN", lambda x: op("nll_loss", x, np.array([1])), [[[NAN, -2.0]]], 2.0, [[[0.0, -1.0]]]),
    row("target shares that do not add up to 1", call("softmax_cross_entropy"), [[[0.0, 0.0]], [[1.0, 3.0]]],
        4 * LN2, [[[1.0, -1.0]], [[LN2, LN2]]]),
]  # fmt: skip

WINDOWS = [
    row("max_pool tie", call("max_pool1d", window=2), [[[[1.0, 1.0]]]], [[[1.0]]], [[[[1.0, 0.0]]]]),
    row("max_pool2d tie", call("max_pool2d", window=2), [[[[[1.0, 3.0], [3.0, 3.0]]]]], [[[[3.0]]]],
        [[[[[0.0, 1.0], [0.0, 0.0]]]]]),
    row("max_pool tie in windows that overlap", call("max_pool1d", window=2, stride=1), [[[[2.0, 2.0, 1.0]]]],
        [[[2.0, 2.0]]], [[[[1.0, 1.0, 0.0]]]]),
    row("max_pool of -inf beside padding", call("max_pool1d", window=2, padding=1), [[[[-INF, 0.0]]]],
        [[[-INF, 0.0]]], [[[[1.0, 1.0]]]]),
    row("max_pool of NaN", call("max_pool1d", window=2), [[[[1.0, NAN, NAN, 2.0]]]], [[[NAN, NAN]]],
        [[[[0.0, 1.0, 1.0, 0.0]]]]),
    row("max_pool of NaN beside padding", call("max_pool1d", window=2, padding=1), [[[[NAN, 0.0]]]],
        [[[NAN, 0.0]]], [[[[1.0, 1.0]]]]),
    row("max_pool, a cell in no window", call("max_pool1d", window=2), [[[[1.0, 2.0, 9.0]]]], [[[2.0]]],
        [[[[0.0, 1.0, 0.0]]]]),
    row("max_pool of no examples", call("max_pool1d", window=2), [np.zeros((0, 1, 4))], np.zeros((0, 1, 2)),
        [np.zeros((0, 1, 4))]),
    row("avg_pool counts the padding", call("avg_pool1d", window=2, padding=1), [[[[1.0, 3.0]]]], [[[0.5, 1.5]]],
        [[[[0.5, 0.5]]]]),
    row("avg_pool of NaN", call("avg_pool1d", window=2), [[[[1.0, NAN, 1.0, 3.0]]]], [[[NAN, 2.0]]],
        [[[[0.5, 0.5, 0.5, 0.5]]]]),
    row("conv of no examples", call("conv1d"), [np.zeros((0, 1, 3)), np.ones((2, 1, 2))], np.zeros((0, 2, 2)),
        [np.zeros((0, 1, 3)), np.zeros((2, 1, 2))]),
    row("conv of no channels", call("conv1d"), [np.zeros((1, 0, 3)), np.ones((1, 0, 2)), [2.0]], [[[2.0, 2.0]]],
        [np.zeros((1, 0, 3)), np.zeros((1, 0, 2)), [2.0]]),
    row("conv of a whole window", call("conv2d"), [[[[[1.0, 2.0]]]], [[[[3.0, 4.0]]]], [1.0]], [[[[12.0]]]],
        [[[[[3.0, 4.0]]]], [[[[1.0, 2.0]]]], [1.0]]),
    row("conv with a stride that leaves cells out", call("conv1d", stride=2), [[[[1.0, 2.0, 3.0, 4.0]]], [[[1.0]]]],
        [[[1.0, 3.0]]], [[[[1.0, 0.0, 1.0, 0.0]]], [[[4.0]]]]),
    row("conv by groups", call("conv1d", groups=2), [[[[1.0], [2.0]]], [[[3.0]], [[4.0]]]], [[[3.0], [8.0]]],
        [[[[3.0], [4.0]]], [[[1.0]], [[2.0]]]]),
    row("conv of infinity", call("conv1d"), [[[[INF, 1.0]]], [[[2.0]]]], [[[INF, 2.0]]], [[[[2.0, 2.0]]], [[[INF]]]]),
    row("conv_transpose2d of one cell", call("conv_transpose2d"), [[[[[2.0]]]], [[[[1.0, 3.0]]]]], [[[[2.0, 6.0]]]],
        [[[[[4.0]]]], [[[[2.0, 2.0]]]]]),
]  # fmt: skip

ROOT = float(1 / np.sqrt(1e-5))
NORMS = [
    row("layer_norm of a constant row", call("layer_norm"), [[[3.0, 3.0]], [1.0, 2.0], [5.0, 6.0]], [[5.0, 6.0]],
        [[[-0.5 * ROOT, 0.5 * ROOT]], [0.0, 0.0], [1.0, 1.0]]),
    row("layer_norm of one number", call("layer_norm"), [[[3.0]], [1.0], [5.0]], [[5.0]], [[[0.0]], [0.0], [1.0]]),
    row("layer_norm, eps 0, constant row", call("layer_norm", eps=0.0), [[[3.0, 3.0]], [1.0, 1.0], [0.0, 0.0]],
        [[NAN, NAN]], [[[NAN, NAN]], [NAN, NAN], [1.0, 1.0]]),
    row("layer_norm of no rows", call("layer_norm"), [np.zeros((0, 2)), [1.0, 1.0], [0.0, 0.0]], np.zeros((0, 2)),
        [np.zeros((0, 2)), [0.0, 0.0], [0.0, 0.0]]),
    row("layer_norm of NaN in one row", call("layer_norm"), [[[NAN, 1.0], [2.0, 2.0]], [1.0, 1.0], [0.0, 0.0]],
        [[NAN, NAN], [0.0, 0.0]], [[[NAN, NAN], [0.0, 0.0]], [NAN, NAN], [2.0, 2.0]]),
    row("rms_norm of zeros", call("rms_norm", eps=0.25), [[[0.0, 0.0]], [1.0, 3.0]], [[0.0, 0.0]],
        [[[2.0, 6.0]], [0.0, 0.0]]),
    row("batch_norm of one example", call("batch_norm", eps=0.25), [[[3.0, 4.0]], [1.0, 2.0], [5.0, 6.0]],
        [[5.0, 6.0]], [[[0.0, 0.0]], [0.0, 0.0], [1.0, 1.0]]),
    row("batch_norm_inference of a variance of 0", call("batch_norm_inference", eps=0.25),
        [[[3.0]], [1.0], [0.0], [2.0], [0.5]], [[8.5]], [[[4.0]], [-4.0], [-16.0], [4.0], [1.0]]),
    row("group_norm, a group of one number", call("group_norm", groups=2), [[[3.0, 4.0]], [1.0, 2.0], [5.0, 6.0]],
        [[5.0, 6.0]], [[[0.0, 0.0]], [0.0, 0.0], [1.0, 1.0]]),
]  # fmt: skip

ATTENTION = [
    row("attention, fully masked row", lambda q, k, v: op("scaled_dot_product_attention", q, k, v, [[-INF], [0.0]]),
        [[[1.0], [2.0]], [[1.0]], [[3.0]]], [[NAN], [3.0]], [[[NAN], [0.0]], [[NAN]], [[NAN]]]),
    row("attention, masked cell", lambda q, k, v: op("scaled_dot_product_attention", q, k, v, [[0.0, -INF]]),
        [[[1.0]], [[1.0], [5.0]], [[3.0], [7.0]]], [[3.0]], [[[0.0]], [[0.0], [0.0]], [[1.0], [0.0]]]),
    row("attention, causal", call("scaled_dot_product_attention", causal=True),
        [[[0.0], [0.0]], [[1.0], [1.0]], [[3.0], [7.0]]], [[3.0], [5.0]],
        [[[0.0], [0.0]], [[0.0], [0.0]], [[1.5], [0.5]]]),
    row("attention, even", call("scaled_dot_product_attention"), [[[0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[2.0], [4.0]]],
        [[3.0]], [[[-0.5**1.5, 0.5**1.5]], [[0.0, 0.0], [0.0, 0.0]], [[0.5], [0.5]]]),
    row("attention, scores of ±1e4", call("scaled_dot_product_attention", scale=1e4), [[[1.0]], [[1.0], [-1.0]], [[2.0], [4.0]]],
        [[2.0]], [[[0.0]], [[0.0], [0.0]], [[1.0], [0.0]]]),
    row("attention, one q for all of v", call("scaled_dot_product_attention"),
        [[[0.0]], [[1.0], [1.0]], [[[2.0], [4.0]], [[1.0], [1.0]]]], [[[3.0]], [[1.0]]],
        [[[0.0]], [[0.0], [0.0]], [[[0.5], [0.5]], [[0.5], [0.5]]]]),
    row("attention over no rows", call("scaled_dot_product_attention"), [np.ones((1, 2)), np.ones((0, 2)), np.ones((0, 3))],
        np.zeros((1, 3)), [np.zeros((1, 2)), np.zeros((0, 2)), np.zeros((0, 3))]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "inputs", "value", "grads"),
    [*ATTENTION, *WINDOWS, *NORMS, *SOFTMAX, *LAYERS, *CELLS, *CLASSES],
)
def test_conventions(
    make: Callable[..., Expr], inputs: Sequence[Any], value: Any, grads: Sequence[Any]
) -> None:
    holds(make, inputs, value, grads)


X = variable([[1.0, 2.0, 3.0]])
LINE = variable([[[1.0, 2.0, 3.0]]])
REFUSED = [
    (lambda: op("softmax", X, axis=2), ShapeError, "no axis 2"),
    (lambda: op("softmax", variable(1.0)), ShapeError, "axis"),
    (lambda: op("linear", X, variable(np.ones((2, 3)))), ShapeError, "as many columns"),
    (lambda: op("linear", X, variable(np.ones((3, 2))), variable(np.ones(3))), ShapeError, "2 channels"),
    (lambda: op("linear", X), InputError, "2 to 3 inputs"),
    (lambda: op("dropout", X, X, rate=1.0), InputError, "below 1"),
    (lambda: op("dropout", X, variable(np.ones(2))), ShapeError, "mask"),
    (lambda: op("mse_loss", X, variable([1.0])), ShapeError, "same shape"),
    (lambda: op("mse_loss", X, X, reduction="all"), InputError, "mean, sum or none"),
    (lambda: op("huber_loss", X, X, delta=0.0), InputError, "larger than 0"),
    (lambda: op("conv2d", X, X), ShapeError, "4 axes"),
    (lambda: op("conv1d", LINE, np.ones((1, 1, 5))), ShapeError, "does not fit"),
    (lambda: op("conv1d", LINE, np.ones((1, 2, 2))), ShapeError, "needs 1 channels"),
    (lambda: op("conv1d", LINE, np.ones((1, 1, 2)), stride=0), InputError, "stride"),
    (lambda: op("conv1d", LINE, np.ones((1, 1, 2)), padding=-1), InputError, "padding"),
    (lambda: op("conv1d", LINE, np.ones((1, 1, 2)), groups=3), InputError, "groups"),
    (lambda: op("conv1d", LINE, np.ones((1, 1, 2)), padding=10**9), LimitError, "more than"),
    (lambda: op("max_pool1d", LINE, window=4), ShapeError, "does not fit"),
    (lambda: op("max_pool1d", LINE, window=0), InputError, "window"),
    (lambda: op("max_pool2d", LINE, window=1), ShapeError, "4 axes"),
    (lambda: op("layer_norm", X, np.ones(2), np.ones(3)), ShapeError, "needs the shape 3"),
    (lambda: op("layer_norm", X, np.ones(3), np.ones(3), naxes=0), ShapeError, "naxes"),
    (lambda: op("layer_norm", X, np.ones(3), np.ones(3), eps=-1.0), InputError, "negative"),
    (lambda: op("group_norm", X, np.ones(3), np.ones(3), groups=2), InputError, "groups"),
    (lambda: op("batch_norm", variable([1.0]), np.ones(1), np.ones(1)), ShapeError, "channels"),
    (lambda: op("scaled_dot_product_attention", X, LINE[0].T, X), ShapeError, "same length"),
    (lambda: op("scaled_dot_product_attention", X, X, np.ones((2, 3))), ShapeError, "one row for each"),
    (lambda: op("scaled_dot_product_attention", X, X, X, np.ones((4, 4))), ShapeError, "fit onto the scores"),
    (lambda: op("scaled_dot_product_attention", X, X, X, [[True]]), ShapeError, "-inf"),
    (lambda: op("scaled_dot_product_attention", X, X, X, scale="x"), InputError, "scale"),
    (lambda: op("cross_entropy", X, X), ShapeError, "softmax_cross_entropy"),
    (lambda: op("cross_entropy", X, np.array([1, 2])), ShapeError, "one class for each row"),
    (lambda: op("cross_entropy", X, np.array([3])).value, IndexRangeError, "class 3"),
    (lambda: op("cross_entropy", X, np.array([-1])).value, IndexRangeError, "class -1"),
    (lambda: op("nll_loss", X, np.array([5])).value, IndexRangeError, "class 5"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "kind", "words"), REFUSED)
def test_bad_input_is_told(make: Callable[[], Any], kind: type[GradvizError], words: str) -> None:
    with pytest.raises(kind, match=words):
        make()


def test_a_wrong_class_is_told_by_the_fast_path() -> None:
    """The check of the numbers is among the calls."""
    y = op("cross_entropy", X, constant(np.array([7])))
    with pytest.raises(IndexRangeError, match="class 7"):
        compile_gradients([y], [X])(X.value)


def test_a_bias_may_be_left_out() -> None:
    w, b = variable(np.ones((3, 2))), variable([1.0, 2.0], name="b")
    plain, biased = op("linear", X, w), op("linear", X, w, b=b)
    assert len(op("linear", X, w, None).call.inputs) == 2
    assert np.array_equal(biased.value - plain.value, [[1.0, 2.0]])
    assert gv.gradients(plain, b) == [None]
    assert registry.get("linear").signature == "linear(x, w, b=None)"


def test_what_is_asked_for_alone_is_built() -> None:
    """The gradient of x alone has no node for the weight's."""
    w, b = variable(np.ones((3, 2))), variable([1.0, 2.0])
    y = op("linear", X, w, b)
    (slope,) = gv.gradients(y, X)
    assert np.array_equal(slope.value, [[2.0, 2.0, 2.0]])
    assert slope.call.op.name == "matmul"


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape) + sum(shape)).normal(size=shape)


def _labels(x: Expr) -> Expr:
    return op("cross_entropy", x, np.arange(x.shape[0]) % x.shape[1])


LARGE = [
    ("conv2d", lambda x, w: op("conv2d", x, w, padding=((1, 2), (0, 1))), [(9, 4, 31, 29), (6, 4, 3, 3)]),
    ("strided", lambda x, w: op("conv2d", x, w, stride=(2, 3), dilation=2), [(9, 4, 31, 29), (6, 4, 3, 3)]),
    ("turned", lambda x, w: op("conv2d", op("transpose", x, axes=(0, 1, 3, 2)), w), [(9, 4, 31, 29), (6, 4, 3, 3)]),
    ("transposed", lambda x, w: op("conv_transpose2d", x, w, stride=2), [(5, 4, 16, 17), (4, 3, 3, 3)]),
    ("max_pool", lambda x: op("max_pool2d", x, window=3, stride=2, padding=1), [(40, 5, 31, 29)]),
    ("max_pool apart", lambda x: op("max_pool2d", x, window=2), [(40, 5, 31, 29)]),
    ("max_pool turned", lambda x: op("max_pool2d", op("transpose", x, axes=(1, 0, 3, 2)), window=2), [(40, 5, 31, 29)]),
    ("avg_pool", lambda x: op("avg_pool2d", x, window=3, stride=2, padding=1), [(40, 5, 31, 29)]),
    ("layer_norm", call("layer_norm"), [(400, 300), (300,), (300,)]),
    ("layer_norm turned", lambda x, g, b: op("layer_norm", x.T, g, b), [(300, 400), (300,), (300,)]),
    ("layer_norm of 3 axes", call("layer_norm", naxes=2), [(90, 30, 40), (30, 40), (30, 40)]),
    ("rms_norm", call("rms_norm"), [(4, 200, 300), (300,)]),
    ("batch_norm", call("batch_norm"), [(90, 7, 31, 29), (7,), (7,)]),
    ("group_norm", call("group_norm", groups=3), [(90, 6, 31, 29), (6,), (6,)]),
    ("group_norm turned", lambda x, g, b: op("group_norm", op("transpose", x, axes=(0, 2, 1)), g, b, groups=3),
     [(90, 50, 6), (6,), (6,)]),
    ("softmax", call("softmax"), [(500, 300)]),
    ("softmax of columns", call("softmax", axis=0), [(500, 300)]),
    ("attention", call("scaled_dot_product_attention", causal=True), [(8, 60, 32), (8, 60, 32), (8, 60, 32)]),
    ("cross entropy", _labels, [(700, 200)]),
    ("linear", call("linear"), [(8, 60, 32), (32, 50), (50,)]),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("make", "shapes"), [pytest.param(m, s, id=i) for i, m, s in LARGE])
def test_the_fast_path_gives_the_recorded_bits_in_blocks(
    make: Callable[..., Expr], shapes: list[tuple[int, ...]], dtype: str
) -> None:
    """Arrays of many blocks, arrays that lie in pieces, and new inputs."""
    first = [variable(_random(*shape), dtype=dtype) for shape in shapes]
    fast = compile_gradients([op("square", make(*first))], first)
    for factor in (1.0, -0.5):
        given = [np.asarray(x.value * factor, dtype) for x in first]
        found = fast(*given)
        inputs = [variable(x) for x in given]
        y = op("square", make(*inputs))
        assert np.array_equal(found.values[0], y.value)
        for slope, wanted in zip(found.gradients, gv.gradients(y, inputs), strict=True):
            assert slope is not None
            assert np.array_equal(slope, wanted.value)


def test_blocks_are_the_whole() -> None:
    """Windows over many blocks of examples, against one example at a time."""
    x, w = _random(9, 4, 31, 29), _random(6, 4, 3, 3)
    whole = op("conv2d", variable(x), variable(w), padding=1).value
    for one, wanted in zip(x, whole, strict=True):
        found = op("conv2d", variable(one[None]), variable(w), padding=1).value[0]
        assert np.allclose(found, wanted, rtol=1e-12, atol=1e-12)
