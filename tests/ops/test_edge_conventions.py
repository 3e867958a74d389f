"""Every row of the measured edge table, by its title: inputs from the data, value and gradients as gradviz has them.

Where JAX, PyTorch and TensorFlow agree, so does gradviz, apart from the rows whose comment says why not. No row can be
forgotten: the titles of the data and of this table are compared.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from gradviz.errors import GradvizError
from gradviz.ops import registry
from gradviz.ops.expr import Expr, constant, variable
from tests.support.edges import INF, NAN, gradients, op

DATA = Path(__file__).parents[1] / "data" / "edge_conventions.json"
RAW = {raw["case"]: raw for raw in json.loads(DATA.read_text(encoding="utf-8"))["rows"]}


class Wanted(NamedTuple):
    """What a row should give: value and gradients (`None`: no gradient); `needs` are the ops beyond the first ones."""

    make: Callable[..., Any]
    value: Any
    grads: list[Any]
    needs: tuple[str, ...] = ()


class Refused(NamedTuple):
    """A row that is an error, told in words."""

    make: Callable[..., Any]
    words: str
    needs: tuple[str, ...] = ()


def named(name: str, **attributes: Any) -> Callable[..., Any]:
    return lambda *inputs: op(name, *inputs, **attributes)


def unary(name: str, value: Any, grads: list[Any], **attributes: Any) -> Wanted:
    return Wanted(named(name, **attributes), value, grads, (name,))


def masked_attention(x: Expr) -> Any:
    return op("softmax", op("where", [[False, False]], x, -INF))


def no_nan_quotient(x: Expr, y: Expr) -> Any:
    zero = op("equal", y, 0.0)
    return op("where", zero, 0.0, x / op("where", zero, 1.0, y))


def safe_root(x: Expr) -> Any:
    return op("where", x > 0, op("sqrt", op("where", x > 0, x, 1.0)), 0.0)


def first_of(found: Any) -> Any:
    return found[0] if isinstance(found, tuple) else found


def steps(x: Expr) -> Any:
    return op("floor", x) + op("round", x) + op("ceil", x)


def at_largest(x: Expr) -> Any:
    return op("sum", op("take", x, op("argmax", x, axis=0), axis=0))


def pooled(x: Expr) -> Any:
    row = op("reshape", x, shape=(1, 1, 2))
    return op("reshape", op("max_pool1d", row, window=2, stride=2), shape=(1,))


def normed(x: Expr) -> Any:
    return op("layer_norm", x, np.ones(3), np.zeros(3), naxes=1, eps=1e-5) * [1.0, 2.0, 3.0]


_SYMMETRIC = [[0.30369415388032645, 0.24929618356473637], [0.24929618356473637, 0.5212860351426869]]

TABLE: dict[str, Wanted | Refused] = {
    "relu at 0": unary("relu", [0.0], [[0.0]]),
    "maximum(x, 0) at 0": Wanted(lambda x: op("maximum", x, 0.0), [0.0], [[0.5]]),
    "where(x>0, x, 0) at 0": Wanted(lambda x: op("where", x > 0, x, 0.0), [0.0], [[0.0]]),
    "relu6 at 0 and 6": unary("relu6", [0.0, 6.0], [[0.0, 0.0]]),
    "leaky_relu(0.1) at 0": unary("leaky_relu", [0.0], [[0.1]], alpha=0.1),
    "elu at 0": unary("elu", [0.0], [[1.0]]),
    "abs at 0": unary("abs", [0.0], [[0.0]]),
    "abs at -0.0": unary("abs", [0.0], [[0.0]]),
    "sign at 0": unary("sign", [0.0], [[0.0]]),
    "floor / round / ceil at 0.5 (sum)": Wanted(steps, [1.0], [[0.0]], ("floor", "round", "ceil")),
    "maximum tie (elementwise)": unary("maximum", [1.0], [[0.5], [0.5]]),
    "minimum tie (elementwise)": unary("minimum", [1.0], [[0.5], [0.5]]),
    # The peers disagree; the NaN operand is what would have to change.
    "maximum with NaN in x": unary("maximum", [NAN], [[1.0], [0.0]]),
    "max over all, ties (amax / reduce_max)": unary("max", 3.0, [[0.0, 0.5, 0.5]]),
    "max over all, ties (torch x.max())": unary("max", 3.0, [[0.0, 0.5, 0.5]]),
    "max over axis, ties (torch.max(dim))": unary("max", 3.0, [[0.0, 0.5, 0.5]], axis=0),
    "x[argmax(x)] ties": Wanted(at_largest, 3.0, [[0.0, 1.0, 0.0]], ("take", "argmax")),
    "min over all, ties": unary("min", 1.0, [[0.5, 0.5, 0.0]]),
    "max with NaN": unary("max", NAN, [[NAN, NAN, NAN]]),
    "max_pool 1x2 tie": Wanted(pooled, [3.0], [[1.0, 0.0]], ("max_pool1d",)),
    "sort with ties, weights [1,10,100]": Wanted(
        lambda x: op("sort", x) * [1.0, 10.0, 100.0], [1.0, 10.0, 200.0], [[100.0, 1.0, 10.0]], ("sort",)
    ),
    "stable sort with ties, weights [1,10,100]": Wanted(
        lambda x: op("sort", x, axis=0) * [1.0, 10.0, 100.0], [1.0, 10.0, 200.0], [[100.0, 1.0, 10.0]], ("sort",)
    ),
    "top_k(2) with ties, weights [1,10]": Wanted(
        lambda x: first_of(op("top_k", x, k=2)) * [1.0, 10.0], [3.0, 30.0], [[0.0, 1.0, 10.0]], ("top_k",)
    ),
    "median of 4 (tie-free)": unary("median", 2.5, [[0.0, 0.0, 0.5, 0.5]]),
    "sqrt at 0": unary("sqrt", [0.0], [[INF]]),
    "sqrt at -1": unary("sqrt", [NAN], [[NAN]]),
    "sqrt(sum(x**2)) at zeros": Wanted(lambda x: op("sqrt", op("sum", x**2)), 0.0, [[NAN, NAN]]),
    "linalg.norm at zeros": unary("vector_norm", 0.0, [[0.0, 0.0]]),
    "linalg.norm squared at zeros": Wanted(lambda x: op("vector_norm", x) ** 2, 0.0, [[0.0, 0.0]], ("vector_norm",)),
    "1-norm with a zero": unary("vector_norm", 2.0, [[0.0, 1.0]], ord=1),
    "inf-norm with tie": unary("vector_norm", 3.0, [[0.5, -0.5, 0.0]], ord="inf"),
    "std of constant vector": unary("std", 0.0, [[0.0, 0.0, 0.0]]),
    "var of one element, correction 1": unary("var", NAN, [[NAN]], correction=1),
    "x**0 at 0 (python int exponent)": Wanted(lambda x: op("power", x, 0.0), [1.0], [[0.0]]),
    "x**2 at 0 (python int)": Wanted(lambda x: x**2, [0.0], [[0.0]]),
    "x**1 at 0 (python int)": Wanted(lambda x: x**1, [0.0], [[1.0]]),
    "pow(x, y) at (0, 0)": unary("power", [1.0], [[0.0], [0.0]]),
    "pow(x, y) at (0, 2)": unary("power", [0.0], [[0.0], [0.0]]),
    "pow(x, y) at (0, 1)": unary("power", [0.0], [[1.0], [0.0]]),
    "pow(x, y) at (0, 0.5)": unary("power", [0.0], [[INF], [0.0]]),
    "pow(x, y) at (0, -1)": unary("power", [INF], [[-INF], [-INF]]),
    "pow(x, y) at (-2, 2)": unary("power", [4.0], [[-4.0], [NAN]]),
    "pow(x, y) at (-2, 0.5)": unary("power", [NAN], [[NAN], [NAN]]),
    "pow(x, y) at (1, 3)": unary("power", [1.0], [[3.0], [0.0]]),
    "log at 0": unary("log", [-INF], [[INF]]),
    "log at -1": unary("log", [NAN], [[-1.0]]),
    "x*log(x) at 0": Wanted(lambda x: x * op("log", x), [NAN], [[NAN]]),
    "xlogy(x, x) at 0": Wanted(lambda x: op("xlogy", x, x), [0.0], [[0.0]], ("xlogy",)),
    "xlogy(x, y) at (0, 0)": unary("xlogy", [0.0], [[0.0], [0.0]]),
    "1/x at 0": Wanted(lambda x: 1.0 / x, [INF], [[-INF]]),
    "x/y at (0, 0)": unary("divide", [NAN], [[INF], [NAN]]),
    "x/y at (1, 0)": unary("divide", [INF], [[INF], [-INF]]),
    "divide_no_nan at (1, 0)": Wanted(no_nan_quotient, [0.0], [[0.0], [0.0]]),
    "where(x>0, sqrt(x), 0) at -1,0,4": Wanted(
        lambda x: op("where", x > 0, op("sqrt", x), 0.0), [0.0, 0.0, 2.0], [[NAN, NAN, 0.25]]
    ),
    "double-where sqrt at -1,0,4": Wanted(safe_root, [0.0, 0.0, 2.0], [[0.0, 0.0, 0.25]]),
    "where(x==0, 0, sin(x)/x) at 0": Wanted(
        lambda x: op("where", op("equal", x, 0.0), 0.0, op("sin", x) / x), [0.0], [[NAN]]
    ),
    "where with NaN constant branch untaken": Wanted(lambda x: op("where", x > 0, x, NAN), [1.0], [[1.0]]),
    "x * 0 * (1/x) at 0 (0*inf)": Wanted(lambda x: x * 0.0 * (1.0 / x), [NAN], [[NAN]]),
    "clip(x,-1,1) at bounds and beyond": unary(
        "clip", [-1.0, -1.0, 0.0, 1.0, 1.0], [[0.0, 1.0, 1.0, 1.0, 0.0]], min=-1.0, max=1.0
    ),
    "hard_tanh at bounds": unary("hard_tanh", [-1.0, 1.0], [[1.0, 1.0]]),
    "clip NaN": unary("clip", [NAN], [[0.0]], min=-1.0, max=1.0),
    "l1 loss |x-y| at 0": unary("l1_loss", [0.0], [[0.0], [0.0]], reduction="none"),
    "huber at |d| = delta = 1": unary("huber_loss", [0.5], [[1.0], [-1.0]], delta=1.0, reduction="none"),
    "hinge relu(1-x) at 1": Wanted(lambda x: op("relu", 1.0 - x), [0.0], [[0.0]]),
    "prod with one zero": unary("prod", 0.0, [[0.0, 6.0, 0.0]]),
    "prod with two zeros": unary("prod", 0.0, [[0.0, 0.0, 0.0]]),
    "cumprod with a zero": unary("cumprod", [2.0, 0.0, 0.0], [[1.0, 8.0, 0.0]], axis=0),
    "atan2(0, 0)": unary("atan2", [0.0], [[0.0], [0.0]]),
    "hypot(0, 0)": unary("hypot", [0.0], [[0.0], [0.0]]),
    "asin at 1": unary("asin", [np.pi / 2], [[INF]]),
    "tan near pi/2": unary("tan", [1.633123935319537e16], [[2.6670937881135714e32]]),
    "sinc at 0": unary("sinc", [1.0], [[0.0]]),
    "cosine similarity with zero vector": unary("cosine_similarity", NAN, [[NAN, NAN], [NAN, NAN]]),
    "det of singular rank n-1": unary("det", 0.0, [[[4.0, -2.0], [-2.0, 1.0]]]),
    "det of zero matrix": unary("det", 0.0, [[[0.0, 0.0], [0.0, 0.0]]]),
    # The determinant approaches 0 from neither side: infinite, with the signs of the adjugate; no NaN.
    "logabsdet singular": Wanted(lambda a: op("slogdet", a)[1], -INF, [[[INF, -INF], [-INF, INF]]], ("slogdet",)),
    "inv of singular": Refused(named("inv"), "singular", ("inv",)),
    "cholesky not PD": Refused(named("cholesky"), "positive", ("cholesky",)),
    "cholesky of asymmetric input": unary(
        "cholesky", [[1.4142135623730951, 0.0], [0.282842712474619, 0.9591663046625439]], [_SYMMETRIC]
    ),
    "eigvalsh repeated eigenvalues": Wanted(
        lambda a: op("eigvalsh", a) * [1.0, 2.0], [1.0, 2.0], [[[1.0, 0.0], [0.0, 2.0]]], ("eigvalsh",)
    ),
    "eigh vectors, repeated eigenvalues": Wanted(
        lambda a: op("eigh", a)[1], [[1.0, 0.0], [0.0, 1.0]], [[[NAN, NAN], [NAN, NAN]]], ("eigh",)
    ),
    "svdvals of zero matrix": unary("svdvals", [0.0, 0.0], [[[1.0, 0.0], [0.0, 1.0]]]),
    "sigmoid at +-800": unary("sigmoid", [0.0, 1.0], [[0.0, 0.0]]),
    "1/(1+exp(-x)) at +-800": Wanted(lambda x: 1.0 / (1.0 + op("exp", -x)), [0.0, 1.0], [[NAN, 0.0]]),
    "log(sigmoid(x)) at -800": Wanted(lambda x: op("log", op("sigmoid", x)), [-INF], [[NAN]]),
    "log_sigmoid at -800": unary("log_sigmoid", [-800.0], [[1.0]]),
    "softplus at -800, 0, 800": unary("softplus", [0.0, np.log(2.0), 800.0], [[0.0, 0.5, 1.0]]),
    "softplus at 25 (torch threshold 20)": unary("softplus", [25.000000000013888], [[0.9999999999861124]]),
    "log(1+exp(x)) at 800": Wanted(lambda x: op("log", 1.0 + op("exp", x)), [INF], [[NAN]]),
    "logsumexp at 1000,1000": unary("logsumexp", 1000.0 + np.log(2.0), [[0.5, 0.5]]),
    "log(sum(exp(x))) at 1000,1000": Wanted(lambda x: op("log", op("sum", op("exp", x))), INF, [[NAN, NAN]]),
    "logsumexp all -inf": unary("logsumexp", -INF, [[NAN, NAN]]),
    "logaddexp(-inf,-inf)": unary("logaddexp", [-INF], [[NAN], [NAN]]),
    "logaddexp tie": unary("logaddexp", [1.0 + np.log(2.0)], [[0.5], [0.5]]),
    "softmax at 1000,0 (weights 1,2)": Wanted(lambda x: op("softmax", x) * [1.0, 2.0], [1.0, 0.0], [[0.0, 0.0]]),
    "softmax all -inf": unary("softmax", [NAN, NAN], [[NAN, NAN]]),
    "log(softmax(x))[1] at 1000,0": Wanted(lambda x: op("log", op("softmax", x))[1], -INF, [[NAN, NAN]]),
    "log_softmax(x)[1] at 1000,0": Wanted(lambda x: op("log_softmax", x)[1], -1000.0, [[-1.0, 1.0]]),
    "bce(prob=0, target=1)": Wanted(
        lambda p: op("binary_cross_entropy", p, [1.0], reduction="none"), [INF], [[-INF]], ("binary_cross_entropy",)
    ),
    "exp at 710 (overflow)": unary("exp", [INF], [[INF]]),
    "exp at 89 f32": unary("exp", [INF], [[INF]]),
    "sum 1e8 + 1 f32": unary("sum", np.float32(1e8), [[1.0, 1.0]]),
    "0.1+0.2 f32 (x+y)": unary("add", [np.float32(0.1) + np.float32(0.2)], [[1.0], [1.0]]),
    "tanh at 20 f32": unary("tanh", [1.0], [[0.0]]),
    # Whole numbers are allowed and have no gradient.
    "int input x*x": Wanted(lambda x: x * x, [9], [None]),
    "int/int divide value": unary("divide", [1.5], [None, None]),
    "sum of empty": unary("sum", 0.0, [[]]),
    "mean of empty": unary("mean", NAN, [[]]),
    "max of empty": Refused(named("max"), "nothing"),
    "prod of empty": unary("prod", 1.0, [[]]),
    "sum of 0-d, axis None": unary("sum", 2.0, [1.0]),
    "sum of 0-d, axis 0": Refused(named("sum", axis=0), "no axis 0"),
    "broadcast (1,) with (0,)": unary("add", [], [[0.0], []]),
    "broadcast (3,1)+(1,2)": unary("add", [[2.0, 2.0]] * 3, [[[2.0]] * 3, [[3.0, 3.0]]]),
    "broadcast (2,)+(3,)": Refused(named("add"), "on axis -1"),
    "matmul (2,0)@(0,2)": Wanted(
        lambda a, b: op("matmul", op("reshape", a, shape=(2, 0)), op("reshape", b, shape=(0, 2))),
        [[0.0, 0.0], [0.0, 0.0]], [np.zeros((2, 0)), []], ("matmul",),
    ),
    "reshape 0-d to (1,)": unary("reshape", [2.0], [1.0], shape=(1,)),
    "take out of range index 5 of 3": Refused(lambda x: op("take", x, constant([5]), axis=0), "5", ("take",)),
    "take negative index -1": Wanted(
        lambda x: op("take", x, constant([-1]), axis=0), [3.0], [[0.0, 0.0, 1.0]], ("take",)
    ),
    "x[[1,1]] duplicates accumulate": Wanted(lambda x: x[[1, 1]], [2.0, 2.0], [[0.0, 2.0, 0.0]]),
    "remainder(x, y) at exact multiple (4,2)": unary("remainder", [0.0], [[1.0], [-2.0]]),
    "erf large": unary("erf", [1.0], [[0.0]]),
    "layer_norm of constant row, eps 1e-5": Wanted(
        normed, [0.0, 0.0, 0.0], [[-316.2277660168379, 0.0, 316.2277660168379]], ("layer_norm",)
    ),
    "attention row fully masked": Wanted(masked_attention, [[NAN, NAN]], [[[0.0, 0.0]]]),
}  # fmt: skip


def test_no_row_is_forgotten() -> None:
    assert list(TABLE) == list(RAW)


@pytest.mark.parametrize("title", TABLE)
def test_edge(title: str) -> None:
    wanted, raw = TABLE[title], RAW[title]
    absent = [name for name in wanted.needs if registry.find(name) is None]
    if absent:
        pytest.skip(f"{', '.join(absent)} is not an op yet")
    dtype = "int64" if title.startswith("int") else raw["dtype"]
    inputs = [_operand(value, dtype, f"in{i}") for i, value in enumerate(raw["inputs"])]
    if isinstance(wanted, Refused):
        with pytest.raises(GradvizError, match=wanted.words):
            _ = wanted.make(*inputs).value
        return
    value, slopes = gradients(wanted.make, *inputs)
    _same(value, wanted.value)
    assert len(slopes) == len(wanted.grads)
    for operand, slope, expected in zip(inputs, slopes, wanted.grads, strict=True):
        if expected is None:
            assert slope is None
        else:
            assert slope is not None
            assert (slope.shape, slope.dtype) == (operand.shape, operand.dtype)
            _same(slope, np.reshape(expected, slope.shape))


def _operand(value: Any, dtype: str, name: str) -> Expr:
    if dtype == "int64":
        return constant(np.array(value, dtype), name)
    return variable(np.array(_numbers(value), np.float64), name, dtype)


def _numbers(value: Any) -> Any:
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    return float(value)


def _same(found: Any, wanted: Any) -> None:
    assert np.shape(found) == np.shape(wanted)
    near = 1e-6 if found.dtype == np.float32 else 1e-12
    assert np.allclose(found, wanted, rtol=near, atol=1e-12, equal_nan=True), (found, wanted)
