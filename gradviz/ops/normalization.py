"""Layer, RMS, batch and group norm: numbers are brought to mean 0 and variance 1 over some axes, then scaled and shifted.

All share their steps: the normalised numbers x̂, what comes back to x, and what comes back to the scale. They work on as many
rows at a time as stay in the processor's cache, and find the statistics again on the way back instead of keeping an array.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from gradviz.errors import InputError, ShapeError
from gradviz.graph.model import Array
from gradviz.ops import shapes
from gradviz.ops.adjoint import sum_to, sum_to_axes
from gradviz.ops.calls import Calls, Dtype, computed, float_of, in_blocks, number, view
from gradviz.ops.composed import back
from gradviz.ops.elementwise import add, divide, multiply, sqrt, square, subtract
from gradviz.ops.neural import one_each
from gradviz.ops.op import GRADIENT, NEURAL, example, op
from gradviz.ops.reduction import mean, sum_
from gradviz.ops.reshaping import reshape
from gradviz.ops.shapes import Shape
from gradviz.ops.spec import Spec
from gradviz.text import mark, shape_words

Rule = tuple[Any, ...]
_X = [[1.0, 2.0, -0.5], [0.0, -1.0, 3.0]]
_G = [[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]]
_ROWS = [[[1.0, 2.0], [0.0, -1.0]], [[0.5, -3.0], [2.0, 1.5]], [[0.25, 1.0], [-1.0, 4.0]]]


class _Norm:
    """The steps of a normalisation over `axes`, written into arrays that are given."""

    def __init__(
        self, shape: Shape, dtype: Dtype, axes: Shape, eps: float, *, centred: bool
    ) -> None:
        self.axes = shapes.axes_of(tuple(axes), len(shape))
        self.centred = centred
        self._dtype = dtype
        self._cells = prod(shape[i] for i in self.axes)
        self._last = self.axes == tuple(range(len(shape) - len(self.axes), len(shape)))
        self._count, self._eps = number(float(self._cells), dtype), number(eps, dtype)
        self._one = number(1.0, dtype)
        self._ones = np.ones(self._cells if self._last else 0, dtype)

    def mean(self, x: Array, out: Array) -> Calls:
        """The mean. Of whole rows that is a product with ones, which takes less time than a sum."""
        if self._is_rows(x):
            flat = x.reshape(-1, self._cells)
            made: Calls = [(np.vecdot, (flat, self._ones, out.reshape(-1)))]
        else:
            made = [(np.add.reduce, (x, self.axes, self._dtype, out, True))]
        return [*made, (np.divide, (out, self._count, out))]

    def mean_product(self, x: Array, y: Array, between: Array, out: Array) -> Calls:
        """The mean of x × y; `between` may be written to."""
        if self._is_rows(x) and self._is_rows(y):
            flat = (-1, self._cells)
            made: Calls = [(np.vecdot, (x.reshape(flat), y.reshape(flat), out.reshape(-1)))]
            return [*made, (np.divide, (out, self._count, out))]
        return [(np.multiply, (x, y, between)), *self.mean(between, out)]

    def _is_rows(self, x: Array) -> bool:
        """Whether the cells that are taken together lie together."""
        return self._last and x.flags.c_contiguous and x.dtype == self._dtype and x.size > 0

    def centre(self, x: Array, out: Array, between: Array, m: Array, r: Array) -> Calls:
        """x - mean (x itself if it is not centred) in out, 1/sqrt(variance + eps) in r."""
        return [
            *(
                [*self.mean(x, m), (np.subtract, (x, m, out))]
                if self.centred
                else [(np.copyto, (out, x))]
            ),
            *self.mean_product(out, out, between, r),
            (np.add, (r, self._eps, r)),
            (np.sqrt, (r, r)),
            (np.divide, (self._one, r, r)),
        ]

    def normalise(self, x: Array, out: Array, between: Array, m: Array, r: Array) -> Calls:
        """x̂ in out, 1/sqrt(variance + eps) in r."""
        return [*self.centre(x, out, between, m, r), (np.multiply, (out, r, out))]


def _rows_of(scale: Array, part: slice, rank: int) -> Array:
    """The scale of some rows: cut where it has the rows' axis."""
    return scale[part] if scale.ndim == rank and scale.shape[0] != 1 else scale


def _scaled(
    scratch: Any, out: Array, x: Array, scale: Array, shift: Array | None, norm: _Norm
) -> Calls:
    """x̂ × scale + shift."""

    def block(part: slice, between: Array, m: Array, r: Array) -> Calls:
        into = out[part]
        calls = norm.normalise(x[part], into, between, m, r)
        calls.append((np.multiply, (into, scale, into)))
        return calls if shift is None else [*calls, (np.add, (into, shift, into))]

    return in_blocks(scratch, out.shape, out.dtype, norm.axes, (1, 2), block)


def _xhat(x: Any, axes: Shape, eps: float, centred: bool) -> tuple[Any, Any]:
    """x̂ and what x - mean was divided by, in symbols."""
    shifted = subtract(x, mean(x, axis=axes, keepdims=True)) if centred else x
    width = sqrt(add(mean(square(shifted), axis=axes, keepdims=True), eps))
    return divide(shifted, width), width


_C = "({x} - {centred} * np.mean({x}, axis={axes}, keepdims=True))"
_WIDTH = f"np.sqrt(np.mean({_C} ** 2, axis={{axes}}, keepdims=True) + {{eps}})"
_HAT = f"({_C} / {_WIDTH})"


def _in_words(text: str) -> dict[str, str]:
    """The NumPy text of a norm as the other frameworks write it."""
    tf = text.replace("np.mean", "tf.reduce_mean").replace("np.sum", "tf.reduce_sum")
    torch = text.replace("axis=", "dim=").replace("keepdims", "keepdim")
    return {
        "numpy": text,
        "tf": tf.replace("np.", "tf."),
        "torch": torch.replace("np.", "torch."),
        "jax": text.replace("np.", "jnp."),
    }


def _check(axes: Any, eps: float, x: Spec) -> None:
    shapes.axes_of(tuple(axes), len(x.shape))
    check_eps(eps)
    shapes.numbers(x)
    if not x.shape:
        raise ShapeError(mark("ops", "One number cannot be normalised: x needs at least one axis."))


def check_eps(eps: float) -> None:
    """InputError for a negative eps."""
    if not eps >= 0:
        raise InputError(mark("ops", "eps must not be negative, but it is {eps}."), eps=eps)


def _norm_back_spec(
    g: Spec, x: Spec, scale: Spec, *, axes: Shape, eps: float, centred: bool
) -> Spec:
    _check(axes, eps, x)
    shape = shapes.broadcast(x.shape, scale.shape, names=("x", "scale"))
    if g.shape != x.shape or shape != x.shape:
        raise ShapeError(
            mark("ops", "{given} does not fit {x}."),
            given=shape_words(g.shape),
            x=shape_words(x.shape),
        )
    return shapes.checked(x.shape, shapes.float_dtype(g, x, scale))


@op(
    sign="x̂′",
    category=GRADIENT,
    family="map",
    summary=mark(
        "ops", "Sends g back through a norm: each number also moved the mean and the variance."
    ),
    text="{g} × {scale} back through the norm of {x}",
    formula=r"\frac{1}{\sigma}\left(t - \bar t - \hat x \, \overline{t \hat x}\right),\; t = g \cdot scale,\; "
    r"\hat x = \frac{x - \bar x}{\sigma}",
    code=_in_words(
        f"({{g}} * {{scale}} - {{centred}} * np.mean({{g}} * {{scale}}, axis={{axes}}, keepdims=True) - {_HAT} * "
        f"np.mean({{g}} * {{scale}} * {_HAT}, axis={{axes}}, keepdims=True)) / {_WIDTH}"
    ),
    aliases={},
    spec=_norm_back_spec,
    linear_in=("g", "scale"),
    examples=[
        example(_G, _X, [1.0, 2.0, 0.5], axes=(1,)),
        example(_G, _X, [[1.0, 2.0, 0.5]], axes=(0,), eps=0.25),
        example(_G, _X, [1.0, 2.0, 0.5], axes=(1,), centred=False),
    ],
    helper=True,
)
def norm_back(
    g: Any, x: Any, scale: Any, *, axes: Shape, eps: float = 1e-5, centred: bool = True
) -> Any:
    """What comes back to x when g arrives at x̂ × scale (+ shift), x̂ being x normalised over `axes`."""
    settings: dict[str, Any] = {"axes": axes, "eps": eps, "centred": centred}
    return computed(_norm_back_calls, np.shape(x), float_of(g, x, scale), g, x, scale, **settings)


@norm_back.kernel
def _norm_back_calls(
    scratch: Any, out: Array, g: Array, x: Array, scale: Array,
    *, axes: Shape, eps: float, centred: bool,
) -> Calls:  # fmt: skip
    norm = _Norm(x.shape, out.dtype, axes, eps, centred=centred)

    def block(part: slice, c: Array, between: Array, m: Array, r: Array, share: Array) -> Calls:
        into = out[part]
        # With c = x - mean: (t - mean(t) - c mean(t c) / variance) / σ, the variance with eps.
        calls = norm.centre(x[part], c, between, m, r)
        calls.append((np.multiply, (g[part], _rows_of(scale, part, x.ndim), into)))
        if centred:
            calls += norm.mean(into, m)
        calls += [
            *norm.mean_product(into, c, between, share),
            (np.multiply, (share, r, share)),
            (np.multiply, (share, r, share)),
            (np.multiply, (c, share, c)),
            (np.subtract, (into, c, into)),
        ]
        if centred:
            calls.append((np.subtract, (into, m, into)))
        return [*calls, (np.multiply, (into, r, into))]

    return in_blocks(scratch, out.shape, out.dtype, norm.axes, (2, 3), block)


@norm_back.vjp
def _(
    g: Any, out: Any, given: Any, x: Any, scale: Any, *, axes: Shape, eps: float, centred: bool
) -> Rule:
    hat, width = _xhat(x, axes, eps, centred)
    amount = multiply(given, scale)
    left = subtract(amount, mean(amount, axis=axes, keepdims=True)) if centred else amount
    moved = multiply(hat, mean(multiply(amount, hat), axis=axes, keepdims=True))
    return back(g, divide(subtract(left, moved), width), given, x, scale)


def _scale_back_spec(
    g: Spec, x: Spec, *, shape: Shape, axes: Shape, eps: float, centred: bool
) -> Spec:
    _check(axes, eps, x)
    wanted = shapes.shape_attribute(shape)
    if g.shape != x.shape or shapes.broadcast(x.shape, wanted, names=("x", "scale")) != x.shape:
        raise ShapeError(
            mark("ops", "{given} does not fit {x}."),
            given=shape_words(g.shape),
            x=shape_words(x.shape),
        )
    return shapes.checked(wanted, shapes.float_dtype(g, x))


@op(
    sign="Σgx̂",
    category=GRADIENT,
    family="reduce",
    summary=mark("ops", "What comes back to the scale of a norm: g times the normalised numbers."),
    text="{g} × normalised {x}, added up to {shape}",
    formula=r"\sum g \, \hat x,\; \hat x = \frac{x - \bar x}{\sigma}",
    code=_in_words(
        f"np.sum({{g}} * {_HAT}, axis=tuple(range(len({{x}}.shape) - len({{shape}}))) + tuple(i - len({{shape}}) "
        "for i, n in enumerate({shape}) if n == 1), keepdims=True).reshape({shape})"
    ),
    aliases={},
    spec=_scale_back_spec,
    linear_in=("g",),
    examples=[
        example(_G, _X, shape=(3,), axes=(1,)),
        example(_G, _X, shape=(1, 3), axes=(0,), eps=0.25),
        example(_G, _X, shape=(2, 1), axes=(1,), centred=False),
    ],
    helper=True,
)
def scale_back(
    g: Any, x: Any, *, shape: Shape, axes: Shape, eps: float = 1e-5, centred: bool = True
) -> Any:
    """What comes back to a scale of `shape` when g arrives at x̂ × scale: g × x̂, added up."""
    settings: dict[str, Any] = {"shape": shape, "axes": axes, "eps": eps, "centred": centred}
    return computed(_scale_back_calls, tuple(shape), float_of(g, x), g, x, **settings)


@scale_back.kernel
def _scale_back_calls(
    scratch: Any, out: Array, g: Array, x: Array,
    *, shape: Shape, axes: Shape, eps: float, centred: bool,
) -> Calls:  # fmt: skip
    calls: Calls = [(out.fill, (0.0,))]
    axes = shapes.axes_of(tuple(axes), x.ndim)
    over = sum_to_axes(x.shape, tuple(shape))
    if x.size and axes == tuple(range(len(over), x.ndim)) and over == tuple(range(len(over))):
        # One scale for all rows: as matrices.
        flat = (prod(x.shape[: len(over)]), prod(x.shape[len(over) :]))
        g, x = view(calls, scratch, g, flat), view(calls, scratch, x, flat)
        axes, over = (1,), (0,)
    by_rows = x.ndim == 2 and axes == (1,) and over == (0,)
    norm = _Norm(x.shape, out.dtype, axes, eps, centred=centred)
    kept = tuple(1 if i in over else n for i, n in enumerate(x.shape))
    total, sums = out.reshape(kept), scratch(kept, out.dtype)

    def block(part: slice, c: Array, between: Array, m: Array, r: Array) -> Calls:
        into, found = (total, sums) if 0 in over else (total[part], sums[part])
        made = norm.centre(x[part], c, between, m, r)
        made.append((np.multiply, (c, g[part], c)))
        if by_rows:
            made.append((np.matmul, (r.reshape(1, -1), c, found)))
        else:
            made += [
                (np.multiply, (c, r, c)),
                (np.add.reduce, (c, over, None, found, True)),
            ]
        return [*made, (np.add, (into, found, into))]

    return [*calls, *in_blocks(scratch, x.shape, out.dtype, norm.axes, (2, 2), block)]


@scale_back.vjp
def _(
    g: Any, out: Any, given: Any, x: Any,
    *, shape: Shape, axes: Shape, eps: float, centred: bool,
) -> Rule:  # fmt: skip
    hat, _ = _xhat(x, axes, eps, centred)
    return back(g, sum_to(multiply(given, hat), shape=tuple(shape)), given, x)


def _layer_norm_spec(x: Spec, gamma: Spec, beta: Spec, *, naxes: int, eps: float) -> Spec:
    count = shapes.one_axis(naxes, len(x.shape) + 1)
    if naxes < 1:
        raise ShapeError(
            mark(
                "ops", "naxes is how many of the last axes are normalised: 1 or more, not {naxes}."
            ),
            naxes=naxes,
        )
    _check((), eps, x)
    wanted = x.shape[len(x.shape) - count :]
    for name, given in (("gamma", gamma), ("beta", beta)):
        if given.shape != wanted:
            raise ShapeError(
                mark("ops", "x is {x}, {name} is {given}: {name} needs the shape {wanted}."),
                x=shape_words(x.shape),
                name=name,
                given=shape_words(given.shape),
                wanted=shape_words(wanted),
            )
    return shapes.checked(x.shape, shapes.float_dtype(x, gamma, beta))


def _last(x: Any, count: int) -> Shape:
    return tuple(range(np.ndim(x) - count, np.ndim(x)))


_LAST = "tuple(range(-{naxes}, 0))"


def _code_of(axes: str, scale: str, shift: str, centred: int = 1) -> dict[str, str]:
    """The code of a norm over `axes`."""
    hat = _HAT.replace("{axes}", axes).replace("{centred} * ", "" if centred else "0 * ")
    return _in_words(f"{hat} * {scale}{shift}")


@op(
    sign="LN",
    category=NEURAL,
    family="map",
    summary=mark(
        "ops", "Brings each row to mean 0 and variance 1, then scales by gamma and adds beta."
    ),
    text="layer_norm({x}, {gamma}, {beta}{attributes})",
    formula=r"\frac{x - \bar x}{\sqrt{\mathrm{var}(x) + eps}} \, gamma + beta",
    code={
        **_code_of(_LAST, "{gamma}", " + {beta}"),
        "torch": "torch.nn.functional.layer_norm({x}, {gamma}.shape, {gamma}, {beta}, {eps})",
    },
    aliases={"tf": "LayerNormalization", "torch": "layer_norm LayerNorm", "jax": "standardize"},
    spec=_layer_norm_spec,
    linear_in=("gamma",),
    examples=[
        example(_X, [1.0, 2.0, 0.5], [0.0, 0.0, 0.0]),
        example(_ROWS, [[1.0, 2.0], [0.5, -1.0]], [[0.0, 0.0], [0.0, 0.0]], naxes=2, eps=0.25),
    ],
)
def layer_norm(x: Any, gamma: Any, beta: Any, *, naxes: int = 1, eps: float = 1e-5) -> Any:
    """(x - mean) / sqrt(variance + eps) over the last `naxes` axes, × gamma + beta; variance divides by the count."""
    dtype = float_of(x, gamma, beta)
    return computed(_layer_norm_calls, np.shape(x), dtype, x, gamma, beta, naxes=naxes, eps=eps)


@layer_norm.kernel
def _layer_norm_calls(
    scratch: Any, out: Array, x: Array, gamma: Array, beta: Array, *, naxes: int, eps: float
) -> Calls:
    norm = _Norm(x.shape, out.dtype, _last(x, naxes), eps, centred=True)
    return _scaled(scratch, out, x, gamma, beta, norm)


@layer_norm.vjp
def _(g: Any, out: Any, x: Any, gamma: Any, beta: Any, *, naxes: int, eps: float) -> Rule:
    axes = tuple(range(x.ndim - naxes, x.ndim))
    return (
        norm_back(g, x, gamma, axes=axes, eps=eps),
        scale_back(g, x, shape=gamma.shape, axes=axes, eps=eps),
        g,
    )


def _rms_norm_spec(x: Spec, gamma: Spec, *, eps: float) -> Spec:
    _check((), eps, x)
    one_each(gamma, x.shape[-1], "gamma")
    return shapes.checked(x.shape, shapes.float_dtype(x, gamma))


@op(
    sign="RMS",
    category=NEURAL,
    family="map",
    summary=mark("ops", "Divides each row by the root of its mean square, then scales by gamma."),
    text="rms_norm({x}, {gamma}{attributes})",
    formula=r"\frac{x}{\sqrt{\overline{x^2} + eps}} \, gamma",
    code={
        **_code_of("-1", "{gamma}", "", 0),
        "torch": "torch.nn.functional.rms_norm({x}, {gamma}.shape, {gamma}, {eps})",
    },
    aliases={"tf": "RMSNormalization", "torch": "rms_norm RMSNorm", "math": "rms_norm"},
    spec=_rms_norm_spec,
    linear_in=("gamma",),
    examples=[example(_X, [1.0, 2.0, 0.5]), example([1.0, 2.0, -0.5], [1.0, 2.0, 0.5], eps=0.25)],
)
def rms_norm(x: Any, gamma: Any, *, eps: float = 1e-6) -> Any:
    """x / sqrt(mean(x²) + eps) × gamma, over the last axis."""
    return computed(_rms_norm_calls, np.shape(x), float_of(x, gamma), x, gamma, eps=eps)


@rms_norm.kernel
def _rms_norm_calls(scratch: Any, out: Array, x: Array, gamma: Array, *, eps: float) -> Calls:
    norm = _Norm(x.shape, out.dtype, _last(x, 1), eps, centred=False)
    return _scaled(scratch, out, x, gamma, None, norm)


@rms_norm.vjp
def _(g: Any, out: Any, x: Any, gamma: Any, *, eps: float) -> Rule:
    settings: dict[str, Any] = {"axes": (x.ndim - 1,), "eps": eps, "centred": False}
    return (
        norm_back(g, x, gamma, **settings),
        scale_back(g, x, shape=gamma.shape, **settings),
    )


def _channels(x: Spec) -> int:
    if len(x.shape) < 2:
        raise ShapeError(
            mark("ops", "x is {x}: it needs an axis of examples and one of channels, (N, C, …)."),
            x=shape_words(x.shape),
        )
    return x.shape[1]


def _batch_norm_spec(x: Spec, *given: Spec, eps: float) -> Spec:
    check_eps(eps)
    shapes.numbers(x)
    names = ("gamma", "beta") if len(given) == 2 else ("mean", "var", "gamma", "beta")
    for name, each in zip(names, given, strict=True):
        one_each(each, _channels(x), name)
    return shapes.checked(x.shape, shapes.float_dtype(x, *given))


def _wide(shape: Shape) -> Shape:
    """The shape in which one number for each channel meets x."""
    return (shape[1], *(1 for _ in shape[2:]))


_OTHERS = "tuple(i for i in range(len({x}.shape)) if i != 1)"
_PER_CHANNEL = "{%s}.reshape((1, -1) + (1,) * (len({x}.shape) - 2))"


def _per_channel(name: str) -> str:
    return _PER_CHANNEL % name


@op(
    sign="BN",
    category=NEURAL,
    family="map",
    summary=mark(
        "ops",
        "Brings each channel to mean 0 and variance 1 over the batch, then scales and shifts.",
    ),
    text="batch_norm({x}, {gamma}, {beta}{attributes})",
    formula=r"\frac{x - \bar x}{\sqrt{\mathrm{var}(x) + eps}} \, gamma + beta",
    code={
        **_code_of(_OTHERS, _per_channel("gamma"), f" + {_per_channel('beta')}"),
        "torch": "torch.nn.functional.batch_norm({x}, None, None, {gamma}, {beta}, True, 0.0, {eps})",
    },
    aliases={"tf": "BatchNormalization", "torch": "batch_norm BatchNorm1d BatchNorm2d"},
    spec=_batch_norm_spec,
    linear_in=("gamma",),
    examples=[
        example(_X, [1.0, 2.0, 0.5], [0.0, 0.0, 0.0], eps=0.25),
        example(_ROWS, [1.0, 2.0], [0.0, 0.0]),
    ],
)
def batch_norm(x: Any, gamma: Any, beta: Any, *, eps: float = 1e-5) -> Any:
    """(x - mean) / sqrt(variance + eps) for each channel (axis 1), × gamma + beta; variance divides by the count."""
    dtype = float_of(x, gamma, beta)
    return computed(_batch_norm_calls, np.shape(x), dtype, x, gamma, beta, eps=eps)


def _except_channels(rank: int) -> Shape:
    return tuple(i for i in range(rank) if i != 1)


@batch_norm.kernel
def _batch_norm_calls(
    scratch: Any, out: Array, x: Array, gamma: Array, beta: Array, *, eps: float
) -> Calls:
    norm = _Norm(x.shape, out.dtype, _except_channels(x.ndim), eps, centred=True)
    calls: Calls = []
    scale, shift = (view(calls, scratch, each, _wide(x.shape)) for each in (gamma, beta))
    return calls + _scaled(scratch, out, x, scale, shift, norm)


@batch_norm.vjp
def _(g: Any, out: Any, x: Any, gamma: Any, beta: Any, *, eps: float) -> Rule:
    axes, wide = _except_channels(x.ndim), _wide(x.shape)
    scale = gamma if x.ndim == 2 else reshape(gamma, shape=wide)
    scaled = scale_back(g, x, shape=wide, axes=axes, eps=eps)
    return (
        norm_back(g, x, scale, axes=axes, eps=eps),
        scaled if x.ndim == 2 else reshape(scaled, shape=gamma.shape),
        sum_(g, axis=axes),
    )


@op(
    sign="BN",
    category=NEURAL,
    family="map",
    summary=mark(
        "ops", "Batch norm with a mean and a variance that were stored: a line for each channel."
    ),
    text="batch_norm_inference({x}, {mean}, {var}, {gamma}, {beta}{attributes})",
    formula=r"\frac{x - mean}{\sqrt{var + eps}} \, gamma + beta",
    code={
        **_in_words(
            f"({{x}} - {_per_channel('mean')}) / np.sqrt({_per_channel('var')} + {{eps}}) * "
            f"{_per_channel('gamma')} + {_per_channel('beta')}"
        ),
        "torch": "torch.nn.functional.batch_norm({x}, {mean}, {var}, {gamma}, {beta}, False, 0.0, {eps})",
    },
    aliases={"tf": "batch_normalization", "math": "batch_norm_inference"},
    spec=_batch_norm_spec,
    linear_in=("gamma",),
    examples=[
        example(_X, [0.5, 0.25, 1.0], [1.0, 2.0, 0.5], [1.0, 2.0, 0.5], [0.0, 0.0, 0.0]),
        example(_ROWS, [0.5, 0.25], [1.0, 2.0], [1.0, 2.0], [0.0, 0.0], eps=0.25),
    ],
)
def batch_norm_inference(
    x: Any, mean: Any, var: Any, gamma: Any, beta: Any, *, eps: float = 1e-5
) -> Any:
    """(x - mean) / sqrt(var + eps) × gamma + beta, with one number of each for a channel (axis 1)."""
    dtype = float_of(x, mean, var, gamma, beta)
    wide = _wide(np.shape(x))
    m, v, scale, shift = (np.reshape(np.asarray(a, dtype), wide) for a in (mean, var, gamma, beta))
    hat = np.divide(np.subtract(x, m), np.sqrt(np.add(v, eps)))
    return np.add(np.multiply(hat, scale), shift)


@batch_norm_inference.vjp
def _(g: Any, out: Any, x: Any, mean: Any, var: Any, gamma: Any, beta: Any, *, eps: float) -> Rule:
    wide = _wide(x.shape)
    m, v, scale, shift = (reshape(a, shape=wide) for a in (mean, var, gamma, beta))
    hat = divide(subtract(x, m), sqrt(add(v, eps)))
    return back(g, add(multiply(hat, scale), shift), x, mean, var, gamma, beta)


def _group_norm_spec(x: Spec, gamma: Spec, beta: Spec, *, groups: int, eps: float) -> Spec:
    channels = _channels(x)
    if not isinstance(groups, int) or groups < 1 or channels % groups:
        raise InputError(
            mark("ops", "{channels} channels cannot be shared out among {groups} groups equally."),
            channels=channels,
            groups=groups,
        )
    return _batch_norm_spec(x, gamma, beta, eps=eps)


def _grouped(shape: Shape, groups: int) -> Shape:
    """(N, groups, channels of a group, all that follows)."""
    return shape[0], groups, shape[1] // groups, prod(shape[2:])


_GROUPED = "{x}.reshape({x}.shape[0], {groups}, {x}.shape[1] // {groups}, -1)"


@op(
    sign="GN",
    category=NEURAL,
    family="map",
    summary=mark(
        "ops",
        "Brings each group of channels of each example to mean 0 and variance 1, then scales.",
    ),
    text="group_norm({x}, {gamma}, {beta}{attributes})",
    formula=r"\frac{x - \bar x}{\sqrt{\mathrm{var}(x) + eps}} \, gamma + beta",
    code={
        framework: "("
        + _in_words(_HAT.replace("{axes}", "(2, 3)").replace("{centred} * ", ""))[
            framework
        ].replace("{x}", _GROUPED)
        + f").reshape({{x}}.shape) * {_per_channel('gamma')} + {_per_channel('beta')}"
        for framework in ("numpy", "tf", "jax")
    }
    | {"torch": "torch.nn.functional.group_norm({x}, {groups}, {gamma}, {beta}, {eps})"},
    aliases={
        "tf": "GroupNormalization",
        "torch": "group_norm GroupNorm InstanceNorm2d instance_norm",
    },
    spec=_group_norm_spec,
    linear_in=("gamma",),
    examples=[
        example(_ROWS, [1.0, 2.0], [0.0, 0.0], groups=1, eps=0.25),
        example(_ROWS, [1.0, 2.0], [0.0, 0.0], groups=2, eps=0.25),
    ],
)
def group_norm(x: Any, gamma: Any, beta: Any, *, groups: int, eps: float = 1e-5) -> Any:
    """Normalised over a group's channels and all axes behind them, × gamma + beta; as many groups as channels: instance norm."""
    dtype = float_of(x, gamma, beta)
    return computed(_group_norm_calls, np.shape(x), dtype, x, gamma, beta, groups=groups, eps=eps)


@group_norm.kernel
def _group_norm_calls(
    scratch: Any, out: Array, x: Array, gamma: Array, beta: Array, *, groups: int, eps: float
) -> Calls:
    shape = _grouped(x.shape, groups)
    calls: Calls = []
    x = view(calls, scratch, x, shape)
    scale, shift = (view(calls, scratch, a, (*shape[1:3], 1)) for a in (gamma, beta))
    norm = _Norm(shape, out.dtype, (2, 3), eps, centred=True)
    return calls + _scaled(scratch, out.reshape(shape), x, scale, shift, norm)


@group_norm.vjp
def _(g: Any, out: Any, x: Any, gamma: Any, beta: Any, *, groups: int, eps: float) -> Rule:
    shape = _grouped(x.shape, groups)
    amount, values = reshape(g, shape=shape), reshape(x, shape=shape)
    wide = (*shape[1:3], 1)
    moved = norm_back(amount, values, reshape(gamma, shape=wide), axes=(2, 3), eps=eps)
    scaled = scale_back(amount, values, shape=wide, axes=(2, 3), eps=eps)
    return (
        reshape(moved, shape=x.shape),
        reshape(scaled, shape=gamma.shape),
        sum_(g, axis=_except_channels(x.ndim)),
    )
