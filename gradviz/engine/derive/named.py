"""Softmax, norms and spreads: the sums in the midst of them, by name; and for what is computed as a whole, its equation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from gradviz.engine.derive.facts import Check, Index
from gradviz.graph.model import Array
from gradviz.ops import registry

Floats = npt.NDArray[np.float64]
Part = tuple[str, str, float]
"""A name, how it is written in terms of the inputs, and its number."""
Settings = Mapping[str, Any]


def parts(op: str, inputs: Sequence[Array], index: Index, settings: Settings) -> tuple[Part, ...]:
    """The named numbers from which the cell at `index` is made; none where there is no such formula."""
    found = _PARTS.get(op)
    if found is None:
        return ()
    with np.errstate(all="ignore"):
        return found([np.asarray(a, np.float64) for a in inputs], index, settings)


def check(
    op: str, inputs: Sequence[Array], outputs: Sequence[Array], settings: Settings
) -> Check | None:
    """The defining equation of a result that is computed as a whole, and the largest number by which it is missed."""
    found = _EQUATIONS.get(op)
    if found is None:
        return None
    xs = [np.asarray(a, np.float64) for a in inputs]
    ys = [np.asarray(a, np.float64) for a in outputs]
    try:
        with np.errstate(all="ignore"):
            equation, difference = found(xs, ys, settings)
    except (np.linalg.LinAlgError, ValueError):
        return None
    return Check(equation, float(np.max(np.abs(difference), initial=0.0)))


def _line(x: Floats, index: Index, axis: int) -> tuple[Floats, int]:
    """The cells along an axis that the one at `index` lies in, and its place among them."""
    at = axis % x.ndim
    where: list[Any] = list(index)
    where[at] = slice(None)
    return x[tuple(where)], index[at]


def _softmax(xs: list[Floats], index: Index, settings: Settings) -> tuple[Part, ...]:
    line, at = _line(xs[0], index, settings.get("axis", -1))
    top = float(line.max())
    powers = np.exp(line - top)
    return (
        ("m", "max x", top),
        ("e", "exp(x − m)", float(powers[at])),
        ("Σ", "Σ exp(x − m)", float(powers.sum())),
        ("softmax", "e / Σ", float(powers[at] / powers.sum())),
    )


def _log_softmax(xs: list[Floats], index: Index, settings: Settings) -> tuple[Part, ...]:
    line, at = _line(xs[0], index, settings.get("axis", -1))
    top = float(line.max())
    total = float(np.exp(line - top).sum())
    return (
        ("m", "max x", top),
        ("Σ", "Σ exp(x − m)", total),
        ("log_softmax", "x − m − log Σ", float(line[at] - top - np.log(total))),
    )


def _group(xs: list[Floats], index: Index, settings: Settings) -> Floats:
    return _reduced(
        xs[0], index, settings.get("axis"), keepdims=bool(settings.get("keepdims", False))
    )


def _reduced(x: Floats, index: Index, axis: Any, *, keepdims: bool) -> Floats:
    """The cells that a reduction puts into the cell at `index` of its result."""
    if axis is None:
        return x.ravel()
    axes = {a % x.ndim for a in (axis if isinstance(axis, tuple | list) else (axis,))}
    rest = iter(index)
    where: list[Any] = []
    for i in range(x.ndim):
        if i in axes:
            where.append(slice(None))
            if keepdims:
                next(rest)
        else:
            where.append(next(rest))
    return np.ravel(x[tuple(where)])


def _logsumexp(xs: list[Floats], index: Index, settings: Settings) -> tuple[Part, ...]:
    line = _group(xs, index, settings)
    top = float(line.max())
    total = float(np.exp(line - top).sum())
    return (
        ("m", "max x", top),
        ("Σ", "Σ exp(x − m)", total),
        ("logsumexp", "m + log Σ", float(top + np.log(total))),
    )


def _spread(root: bool) -> Callable[[list[Floats], Index, Settings], tuple[Part, ...]]:
    def found(xs: list[Floats], index: Index, settings: Settings) -> tuple[Part, ...]:
        line = _group(xs, index, settings)
        mean = float(line.mean())
        squares = float(np.sum((line - mean) ** 2))
        less = line.size - int(settings.get("ddof", settings.get("correction", 0)) or 0)
        var = squares / less if less else float("nan")
        shown: list[Part] = [
            ("μ", "mean x", mean),
            ("Σ", "Σ (x − μ)²", squares),
            ("var", f"Σ / {less}", var),
        ]
        if root:
            shown.append(("std", "√var", float(np.sqrt(var))))
        return tuple(shown)

    return found


def _normalised(
    line: Floats, x: float, scale: float, shift: float | None, settings: Settings
) -> tuple[Part, ...]:
    """Mean and variance of the cells in `line` (for `shift` None: only their mean square), and what they make of x."""
    eps = float(settings["eps"])
    if shift is None:
        square = float(np.mean(line**2))
        hat = x / float(np.sqrt(square + eps))
        return (
            ("r²", "mean x²", square),
            ("x̂", "x / √(r² + ε)", hat),
            ("y", "x̂·γ", hat * scale),
        )
    mean = float(line.mean())
    var = float(np.mean((line - mean) ** 2))
    hat = (x - mean) / float(np.sqrt(var + eps))
    return (
        ("μ", "mean x", mean),
        ("σ²", "mean (x − μ)²", var),
        ("x̂", "(x − μ) / √(σ² + ε)", hat),
        ("y", "x̂·γ + β", hat * scale + shift),
    )


def _layer_norm(xs: list[Floats], index: Index, settings: Settings) -> tuple[Part, ...]:
    x, gamma, beta = xs
    last = int(settings["naxes"])
    at = index[len(index) - last :]
    line = x[index[: len(index) - last]].ravel()
    return _normalised(line, float(x[index]), float(gamma[at]), float(beta[at]), settings)


def _rms_norm(xs: list[Floats], index: Index, settings: Settings) -> tuple[Part, ...]:
    x, gamma = xs
    return _normalised(x[index[:-1]], float(x[index]), float(gamma[index[-1]]), None, settings)


def _batch_norm(xs: list[Floats], index: Index, settings: Settings) -> tuple[Part, ...]:
    x, gamma, beta = xs
    channel = index[1]
    line = x[:, channel].ravel()
    return _normalised(line, float(x[index]), float(gamma[channel]), float(beta[channel]), settings)


def _group_norm(xs: list[Floats], index: Index, settings: Settings) -> tuple[Part, ...]:
    x, gamma, beta = xs
    channel, each = index[1], x.shape[1] // int(settings["groups"])
    first = channel // each * each
    line = x[index[0], first : first + each].ravel()
    return _normalised(line, float(x[index]), float(gamma[channel]), float(beta[channel]), settings)


_PARTS: Final[Mapping[str, Callable[[list[Floats], Index, Settings], tuple[Part, ...]]]] = {
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "logsumexp": _logsumexp,
    "var": _spread(root=False),
    "std": _spread(root=True),
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "batch_norm": _batch_norm,
    "group_norm": _group_norm,
}


def _t(a: Floats) -> Floats:
    return np.swapaxes(a, -1, -2)


def _of(a: Floats, b: Floats) -> Floats:
    """a @ b, where b may be one column."""
    return np.asarray(a @ b)


def _even(a: Floats) -> Floats:
    """What the ops for symmetric matrices read of a matrix."""
    return (a + _t(a)) / 2


def _triangle(x: list[Floats], y: list[Floats], settings: Settings) -> tuple[str, Floats]:
    a = np.tril(x[0]) if settings["lower"] else np.triu(x[0])
    if settings["unit_diagonal"]:
        n = a.shape[-1]
        a = a * (1 - np.eye(n)) + np.eye(n)
    turned = bool(settings["trans"])
    return ("T({a})ᵀ @ {y} = {b}" if turned else "T({a}) @ {y} = {b}"), _of(
        _t(a) if turned else a, y[0]
    ) - x[1]


def _power(x: list[Floats], y: list[Floats], settings: Settings) -> tuple[str, Floats]:
    n = int(settings["n"])
    if n >= 0:
        return f"{{y}} = {{a}}^{n}", np.linalg.matrix_power(x[0], n) - y[0]
    return f"{{a}}^{-n} @ {{y}} = I", np.linalg.matrix_power(x[0], -n) @ y[0] - np.eye(
        x[0].shape[-1]
    )


def _eigenvalues(x: list[Floats], y: list[Floats], settings: Settings) -> tuple[str, Floats]:
    """Of a matrix less its eigenvalue, the smallest singular value is 0."""
    n = x[0].shape[-1]
    less = _even(x[0])[..., None, :, :] - y[0][..., :, None, None] * np.eye(n)
    return "det({a} − λ·I) = 0", np.asarray(
        np.linalg.svd(less, compute_uv=False)[..., -1], np.float64
    )


def _singular(x: list[Floats], y: list[Floats], settings: Settings) -> tuple[str, Floats]:
    return "Σ σ² = Σ {a}²", np.sum(y[0] ** 2, axis=-1) - np.sum(x[0] ** 2, axis=(-2, -1))


def _factors(x: list[Floats], y: list[Floats], settings: Settings) -> tuple[str, Floats]:
    return "U @ diag(σ) @ Vᵀ = {a}", (y[0] * y[1][..., None, :]) @ y[2] - x[0]


Equation = Callable[[list[Floats], list[Floats], Settings], tuple[str, Floats]]

_EQUATIONS: Final[Mapping[str, Equation]] = {
    "inv": lambda x, y, s: ("{a} @ {y} = I", x[0] @ y[0] - np.eye(x[0].shape[-1])),
    "solve": lambda x, y, s: ("{a} @ {y} = {b}", _of(x[0], y[0]) - x[1]),
    "pinv": lambda x, y, s: ("{a} @ {y} @ {a} = {a}", x[0] @ y[0] @ x[0] - x[0]),
    "lstsq": lambda x, y, s: (
        "{a}ᵀ @ ({a} @ {y} − {b}) = 0",
        _of(_t(x[0]), _of(x[0], y[0]) - x[1]),
    ),
    "triangular_solve": _triangle,
    "cholesky": lambda x, y, s: ("{y} @ {y}ᵀ = {a}", y[0] @ _t(y[0]) - _even(x[0])),
    "eigvalsh": _eigenvalues,
    "eigh": lambda x, y, s: ("{a} @ v = λ·v", _even(x[0]) @ y[1] - y[1] * y[0][..., None, :]),
    "svdvals": _singular,
    "svd": _factors,
    "matrix_power": _power,
    "expm": lambda x, y, s: (
        "exp({a}) @ exp(−{a}) = I",
        y[0] @ registry.get("expm").forward(-x[0]) - np.eye(x[0].shape[-1]),
    ),
    "qr": lambda x, y, s: ("Q @ R = {a}", y[0] @ y[1] - x[0]),
}
