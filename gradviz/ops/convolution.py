"""Convolution in one and two dimensions (cross-correlation, as networks use it), its transpose, and its ways back."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.errors import ShapeError
from gradviz.graph.model import Array
from gradviz.ops import shapes
from gradviz.ops.calls import Calls, computed, float_of
from gradviz.ops.neural import one_each
from gradviz.ops.op import GRADIENT, NEURAL, Op, example, op
from gradviz.ops.reduction import sum_
from gradviz.ops.shapes import Shape
from gradviz.ops.spec import Spec
from gradviz.ops.windows import (
    Geometry,
    Pads,
    conv_calls,
    each,
    geometry,
    input_back_calls,
    weight_back_calls,
)
from gradviz.text import mark, shape_words

Rule = tuple[Any, ...]


def _conv_spec(
    x: Spec, w: Spec, b: Spec | None = None,
    *, stride: Any, padding: Any, dilation: Any, groups: Any,
) -> Spec:  # fmt: skip
    of = geometry(x.shape, w.shape, stride, padding, dilation, groups)
    given = (x, w) if b is None else (x, w, b)
    shapes.numbers(*given)
    if b is not None:
        one_each(b, w.shape[0], "b")
    result = of.result[4 - len(x.shape) :]
    return shapes.checked((*x.shape[:1], w.shape[0], *result), shapes.float_dtype(*given))


def _with_rank(rank: int) -> Any:
    def spec(
        x: Spec, w: Spec, b: Spec | None = None,
        *, stride: Any, padding: Any, dilation: Any, groups: Any,
    ) -> Spec:  # fmt: skip
        if len(x.shape) != rank + 2:
            raise ShapeError(
                mark("ops", "x is {x}; it needs {rank} axes: examples, channels, then space."),
                x=shape_words(x.shape),
                rank=rank + 2,
            )
        return _conv_spec(x, w, b, stride=stride, padding=padding, dilation=dilation, groups=groups)

    return spec


PADS = (
    "(lambda p: p if np.ndim(p) == 2 else np.transpose([np.broadcast_to(p, {r})] * 2))({padding})"
)
# For each spatial axis: which cell (last axis) offset k (first) of window i (second) reads.
_CHOICES = (
    "*[(np.arange(k)[:, None, None] * d + np.arange((n + p[0] + p[1] - d * (k - 1) - 1) // s + 1)[:, None] * s - p[0] == "
    "np.arange(n)) * 1.0 for n, k, s, p, d in zip({image}[2:], {kernel}[2:], np.broadcast_to({stride}, {r}), "
    f"{PADS}, np.broadcast_to({{dilation}}, {{r}}))]"
)
_LETTERS = {
    "x": "ngc{p}",
    "w": "goc{k}",
    "y": "ngo{i}",
}


def _einsum(of: str, left: str, right: str, rank: str) -> str:
    """`np.einsum` of two of the three arrays, giving the third, for one or two spatial axes."""
    texts = {}
    for r in (1, 2):
        p, k, i = ("pq"[:r], "kl"[:r], "ij"[:r])
        full = {n: t.format(p=p, k=k, i=i) for n, t in _LETTERS.items()}
        chosen = ",".join(k[a] + i[a] + p[a] for a in range(r))
        texts[r] = f"{full[left]},{full[right]},{chosen}->{full[of]}"
    letters = repr(texts).replace("{", "{{").replace("}", "}}")
    return f"np.einsum({letters}[{rank}]"


def _split(name: str, axis: int) -> str:
    """An array with its groups as an axis of their own."""
    rest = f"{{{name}}}.shape[{axis + 1}:]"
    front = f"{{{name}}}.shape[:{axis}]"
    return f"{{{name}}}.reshape(*{front}, {{groups}}, -1, *{rest})"


def _conv_numpy(rank: int) -> str:
    choices = (
        _CHOICES.replace("{image}", "{x}.shape")
        .replace("{kernel}", "{w}.shape")
        .replace("{r}", str(rank))
    )
    product = f"{_einsum('y', 'x', 'w', str(rank))}, {_split('x', 1)}, {_split('w', 0)}, {choices})"
    ones = ", 1" * rank
    joined = f"(lambda y: y.reshape(y.shape[0], -1, *y.shape[3:]))({product})"
    return f"{joined} + (0 if {{b}} is None else np.reshape({{b}}, (-1{ones})))"


_TORCH_PAD = "torch.nn.functional.pad({x}, [n for p in reversed(%s) for n in ((p, p) if isinstance(p, int) else p)])"


def _conv_code(rank: int) -> dict[str, str]:
    pads = f"({{padding}} if isinstance({{padding}}, tuple) else ({{padding}},) * {rank})"
    jax_pads = f"[(p, p) if isinstance(p, int) else tuple(p) for p in {pads}]"
    full = f"(1,) * {rank}"

    def sizes(name: str) -> str:
        return (
            f"tuple(a * {{{name}}} for a in {full}) if isinstance({{{name}}}, int) else {{{name}}}"
        )

    space = ", ".join(str(a + 1) for a in range(1, rank + 1))
    kernel = ", ".join(str(a + 1) for a in range(1, rank + 1))
    back = ", ".join(str(a) for a in range(1, rank + 1))
    ones = ", 1" * rank
    return {
        "numpy": _conv_numpy(rank),
        "tf": f"tf.transpose(tf.nn.convolution(tf.transpose(tf.pad({{x}}, [(0, 0), (0, 0)] + {jax_pads}), "
        f"(0, {space}, 1)), tf.transpose({{w}}, ({kernel}, 1, 0)), {{stride}}, 'VALID', dilations={{dilation}}), "
        f"(0, {rank + 1}, {back})) + (0 if {{b}} is None else tf.reshape({{b}}, (-1{ones})))",
        "torch": f"torch.nn.functional.conv{rank}d({_TORCH_PAD % pads}, {{w}}, {{b}}, {{stride}}, 0, {{dilation}}, "
        "{groups})",
        "jax": f"jax.lax.conv_general_dilated({{x}}, {{w}}, {sizes('stride')}, {jax_pads}, rhs_dilation="
        f"{sizes('dilation')}, feature_group_count={{groups}}) + (0 if {{b}} is None else "
        f"jnp.reshape({{b}}, (-1{ones})))",
    }


_LINE = [[[1.0, 2.0, -0.5, 0.25, 3.0], [0.0, -1.0, 3.0, 1.0, -2.0]]]
_TAPS = [[[1.0, -0.5], [0.25, 2.0]], [[0.5, 1.0], [-1.0, 0.75]]]
_IMAGE = [[[[1.0, 2.0, -0.5], [0.0, -1.0, 3.0], [0.25, 1.5, -2.0]]]]
_PATCH = [[[[1.0, -0.5], [0.25, 2.0]]], [[[0.5, 1.0], [-1.0, 0.75]]]]


@op(
    sign="∗",
    category=NEURAL,
    family="contract",
    summary=mark(
        "ops", "Slides small windows of weights along each row of numbers and adds up the products."
    ),
    text="conv1d({x}, {w}, {b}{attributes})",
    formula=r"\sum_{c,k} w_{o,c,k} \, x_{n,c,i+k} + b_o",
    code=_conv_code(1),
    aliases={"tf": "conv1d", "torch": "conv1d Conv1d", "math": "convolve1d"},
    spec=_with_rank(1),
    linear_in=("x", "w", "b"),
    examples=[
        example(_LINE, _TAPS),
        example(_LINE, _TAPS, [0.5, -1.0], stride=2, padding=((1, 0),), dilation=2),
    ],
)
def conv1d(
    x: Any, w: Any, b: Any = None, *,
    stride: int | tuple[int, ...] = 1, padding: Pads = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Cross-correlation of x (examples, channels, length) with w (outputs, channels / groups, taps), plus b."""
    return _convolved(x, w, b, stride, padding, dilation, groups)


@op(
    sign="∗",
    category=NEURAL,
    family="contract",
    summary=mark(
        "ops", "Slides small windows of weights over each image and adds up the products."
    ),
    text="conv2d({x}, {w}, {b}{attributes})",
    formula=r"\sum_{c,k,l} w_{o,c,k,l} \, x_{n,c,i+k,j+l} + b_o",
    code=_conv_code(2),
    aliases={
        "tf": "conv2d",
        "torch": "conv2d Conv2d",
        "jax": "conv conv_general_dilated",
        "math": "convolve",
    },
    spec=_with_rank(2),
    linear_in=("x", "w", "b"),
    examples=[
        example(_IMAGE, _PATCH, [0.5, -1.0], padding=1),
        example(_IMAGE, _PATCH, stride=(2, 1), padding=((1, 0), (0, 1)), dilation=(1, 2)),
        example([[[[1.0, 2.0]], [[-1.0, 0.5]]]], _PATCH, padding=((1, 0), (0, 0)), groups=2),
    ],
)
def conv2d(
    x: Any, w: Any, b: Any = None, *,
    stride: int | tuple[int, ...] = 1, padding: Pads = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Cross-correlation of x (examples, channels, rows, columns) with w (outputs, channels / groups, rows, columns), plus b."""
    return _convolved(x, w, b, stride, padding, dilation, groups)


def _convolved(
    x: Any, w: Any, b: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    given = [a for a in (x, w, b) if a is not None]
    of = geometry(np.shape(x), np.shape(w), stride, padding, dilation, groups)
    shape = (of.batch, of.outputs, *of.result[4 - np.ndim(x) :])
    return computed(
        conv_calls, shape, float_of(*given), *given,
        stride=stride, padding=padding, dilation=dilation, groups=groups,
    )  # fmt: skip


for _op in (conv1d, conv2d):
    _op.kernel(conv_calls)


def _conv_rule(g: Any, out: Any, x: Any, w: Any, b: Any = None, **settings: Any) -> Rule:
    terms = (
        conv_input_back(g, w, shape=x.shape, **settings),
        conv_weight_back(g, x, shape=w.shape, **settings),
    )
    return terms if b is None else (*terms, sum_(g, axis=(0, *range(2, x.ndim))))


for _op in (conv1d, conv2d):
    _op.vjp(_conv_rule)


def _of_rank(x: Any) -> Op:
    return conv1d if x.ndim == 3 else conv2d


def _back_spec(left: Spec, right: Spec, wanted: Shape, expected: Shape) -> Spec:
    if left.shape != expected:
        raise ShapeError(
            mark("ops", "{given} does not fit {wanted}."),
            given=shape_words(left.shape),
            wanted=shape_words(expected),
        )
    return shapes.checked(wanted, shapes.float_dtype(left, right))


def _arriving(of: Geometry, rank: int) -> Shape:
    return (of.batch, of.outputs, *of.result[2 - rank :])


def _input_back_spec(
    g: Spec, w: Spec, *, shape: Shape, stride: Any, padding: Any, dilation: Any, groups: Any
) -> Spec:
    wanted = shapes.shape_attribute(shape)
    of = geometry(wanted, w.shape, stride, padding, dilation, groups)
    return _back_spec(g, w, wanted, _arriving(of, len(wanted) - 2))


def _weight_back_spec(
    g: Spec, x: Spec, *, shape: Shape, stride: Any, padding: Any, dilation: Any, groups: Any
) -> Spec:
    wanted = shapes.shape_attribute(shape)
    of = geometry(x.shape, wanted, stride, padding, dilation, groups)
    return _back_spec(g, x, wanted, _arriving(of, len(wanted) - 2))


_RANK = "(len({shape}) - 2)"


def _back_numpy(of: str, right: str, axis: int) -> str:
    image, kernel = ("{shape}", "{w}.shape") if of == "x" else ("{x}.shape", "{shape}")
    choices = _CHOICES.replace("{image}", image).replace("{kernel}", kernel).replace("{r}", _RANK)
    product = (
        f"{_einsum(of, 'y', right, _RANK)}, {_split('g', 1)}, {_split(right, axis)}, {choices})"
    )
    return f"({product}).reshape({{shape}})"


def _back_code(of: str, other: str, numpy: str) -> dict[str, str]:
    """The way back in frameworks that differentiate themselves: the gradient of the convolution by one operand."""
    operands = "a, {w}" if of == "x" else "{x}, a"
    conv = (
        f"jax.lax.conv_general_dilated({operands}, np.broadcast_to({{stride}}, {_RANK}), np.broadcast_to({{padding}}, "
        f"({_RANK}, 2)), rhs_dilation=np.broadcast_to({{dilation}}, {_RANK}), feature_group_count={{groups}})"
    )
    name = "input" if of == "x" else "weight"
    order = "{shape}, {w}, {g}" if of == "x" else "{x}, {shape}, {g}"
    return {
        "numpy": numpy,
        "tf": f"tf.numpy_function(lambda g, {other}: {numpy.replace('{g}', 'g').replace('{' + other + '}', other)}, "
        f"[{{g}}, {{{other}}}], {{g}}.dtype)",
        "torch": f"getattr(torch.nn.grad, f'conv{{{{len({{shape}}) - 2}}}}d_{name}')({order}, {{stride}}, {{padding}}, "
        "{dilation}, {groups})",
        "jax": f"jax.vjp(lambda a: {conv}, jnp.zeros({{shape}}))[1]({{g}})[0]",
    }


@op(
    sign="∗ᵀ",
    category=GRADIENT,
    family="contract",
    summary=mark(
        "ops", "Sends g back through a convolution: each window's share to the cells it read."
    ),
    text="{g} back through {w} to {shape}",
    formula=r"\sum_{o,k} g_{n,o,i-k} \, w_{o,c,k}",
    code=_back_code("x", "w", _back_numpy("x", "w", 0)),
    aliases={},
    spec=_input_back_spec,
    linear_in=("g", "w"),
    examples=[
        example([[[1.0, -2.0], [0.5, 3.0]]], _TAPS, shape=(1, 2, 3)),
        example(
            [[[[1.0, -2.0], [0.5, 3.0]], [[2.0, 0.25], [-1.0, 1.0]]]], _PATCH, shape=(1, 1, 3, 3)
        ),
        example([[[[1.0, -2.0]], [[2.0, 0.25]]]], _PATCH, shape=(1, 2, 2, 4), stride=2, groups=2),
    ],
    helper=True,
)
def conv_input_back(
    g: Any, w: Any, *, shape: Shape,
    stride: int | tuple[int, ...] = 1, padding: Pads = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """What comes back to an input of `shape` when g arrives at its convolution with w."""
    return computed(
        input_back_calls, tuple(shape), float_of(g, w), g, w,
        shape=shape, stride=stride, padding=padding, dilation=dilation, groups=groups,
    )  # fmt: skip


conv_input_back.kernel(input_back_calls)


@conv_input_back.vjp
def _(g: Any, out: Any, given: Any, w: Any, *, shape: Shape, **settings: Any) -> Rule:
    return (
        _of_rank(g)(g, w, **settings),
        conv_weight_back(given, g, shape=w.shape, **settings),
    )


@op(
    sign="∗ₓ",
    category=GRADIENT,
    family="contract",
    summary=mark(
        "ops", "What comes back to the weights of a convolution: g times what each weight met."
    ),
    text="{g} times what {x} held, for weights of {shape}",
    formula=r"\sum_{n,i} g_{n,o,i} \, x_{n,c,i+k}",
    code=_back_code("w", "x", _back_numpy("w", "x", 1)),
    aliases={},
    spec=_weight_back_spec,
    linear_in=("g", "x"),
    examples=[
        example([[[1.0, -2.0, 0.5, 3.0]]], _LINE, shape=(1, 2, 2)),
        example(
            [[[[1.0, -2.0], [0.5, 3.0]], [[2.0, 0.25], [-1.0, 1.0]]]], _IMAGE, shape=(2, 1, 2, 2)
        ),
    ],
    helper=True,
)
def conv_weight_back(
    g: Any, x: Any, *, shape: Shape,
    stride: int | tuple[int, ...] = 1, padding: Pads = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """What comes back to weights of `shape` when g arrives at x's convolution with them."""
    return computed(
        weight_back_calls, tuple(shape), float_of(g, x), g, x,
        shape=shape, stride=stride, padding=padding, dilation=dilation, groups=groups,
    )  # fmt: skip


conv_weight_back.kernel(weight_back_calls)


@conv_weight_back.vjp
def _(g: Any, out: Any, given: Any, x: Any, *, shape: Shape, **settings: Any) -> Rule:
    return (
        _of_rank(x)(x, g, **settings),
        conv_input_back(given, g, shape=x.shape, **settings),
    )


def _transposed(x: Shape, w: Shape, stride: Any, padding: Any) -> Shape:
    """(in - 1) stride - 2 padding + kernel for each axis; ShapeError where that is nothing."""
    if len(x) != 4 or len(w) != 4 or x[1] != w[0]:
        raise ShapeError(
            mark(
                "ops",
                "x is {x}, w is {w}: x needs (examples, inputs, rows, columns) and w (inputs, outputs, rows, columns).",
            ),
            x=shape_words(x),
            w=shape_words(w),
        )
    steps, pads = each(stride, 2, "stride", 1), each(padding, 2, "padding", 0)
    space = tuple(
        (n - 1) * s - 2 * p + k for n, s, p, k in zip(x[2:], steps, pads, w[2:], strict=True)
    )
    if min(space) < 1:
        raise ShapeError(
            mark("ops", "x is {x}, w is {w}: with this padding nothing is left of the result."),
            x=shape_words(x),
            w=shape_words(w),
        )
    return (x[0], w[1], *space)


def _as_conv(stride: Any, padding: Any) -> dict[str, Any]:
    """The settings of the convolution whose way back it is."""
    return {
        "stride": stride,
        "padding": tuple((p, p) for p in each(padding, 2, "padding", 0)),
        "dilation": 1,
        "groups": 1,
    }


def _transpose_spec(x: Spec, w: Spec, *, stride: Any, padding: Any) -> Spec:
    shapes.numbers(x, w)
    shape = _transposed(x.shape, w.shape, stride, padding)
    return shapes.checked(shape, shapes.float_dtype(x, w))


@op(
    sign="∗ᵀ",
    category=NEURAL,
    family="contract",
    summary=mark(
        "ops", "Spreads each cell over a window, times its weights: a convolution run backwards."
    ),
    text="conv_transpose2d({x}, {w}{attributes})",
    formula=r"\sum_{c,k,l} x_{n,c,i-k,j-l} \, w_{c,o,k,l}",
    code={
        "numpy": "(lambda x, w, s, p: (lambda a, b: np.einsum('nchw,cokl,khi,lwj->noij', x, w, a, b))(*[("
        "np.arange(k)[:, None, None] + np.arange(n)[:, None] * t - q == np.arange((n - 1) * t - 2 * q + k)) * 1.0 "
        "for n, k, t, q in zip(x.shape[2:], w.shape[2:], s, p)]))({x}, {w}, np.broadcast_to({stride}, 2), "
        "np.broadcast_to({padding}, 2))",
        "tf": "tf.transpose(tf.keras.ops.conv_transpose(tf.transpose({x}, (0, 2, 3, 1)), tf.transpose({w}, "
        "(2, 3, 1, 0)), {stride}, 'valid' if not {padding} else 'same'), (0, 3, 1, 2))",
        "torch": "torch.nn.functional.conv_transpose2d({x}, {w}, None, {stride}, {padding})",
        "jax": "jax.vjp(lambda a: jax.lax.conv(a, {w}, {stride}, {padding}), {x})[1]({x})[0]",
    },
    aliases={
        "tf": "conv2d_transpose",
        "torch": "conv_transpose2d ConvTranspose2d",
        "jax": "conv_transpose",
    },
    spec=_transpose_spec,
    linear_in=("x", "w"),
    examples=[
        example([[[[1.0, -2.0], [0.5, 3.0]], [[2.0, 0.25], [-1.0, 1.0]]]], _PATCH),
        example(
            [[[[1.0, -2.0], [0.5, 3.0]], [[2.0, 0.25], [-1.0, 1.0]]]],
            _PATCH,
            stride=2,
            padding=(1, 0),
        ),
    ],
)
def conv_transpose2d(
    x: Any, w: Any, *, stride: int | tuple[int, ...] = 1, padding: int | tuple[int, ...] = 0
) -> Any:
    """The adjoint of conv2d: x (examples, inputs, rows, columns), w (inputs, outputs, rows, columns)."""
    shape = _transposed(np.shape(x), np.shape(w), stride, padding)
    return computed(_transpose_calls, shape, float_of(x, w), x, w, stride=stride, padding=padding)


@conv_transpose2d.kernel
def _transpose_calls(
    scratch: Any, out: Array, x: Array, w: Array, *, stride: Any, padding: Any
) -> Calls:
    return input_back_calls(scratch, out, x, w, shape=out.shape, **_as_conv(stride, padding))


@conv_transpose2d.vjp
def _(g: Any, out: Any, x: Any, w: Any, *, stride: Any, padding: Any) -> Rule:
    settings = _as_conv(stride, padding)
    return (
        conv2d(g, w, **settings),
        conv_weight_back(x, g, shape=w.shape, **settings),
    )
