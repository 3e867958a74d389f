"""Products with the Jacobian and with the Hessian, as expressions: neither matrix is ever made.

There are no second rules for forward mode. What goes back, the VJP, is linear in the cotangent it starts from; so its own
VJP by that cotangent is the JVP. Only what lies between the cotangent and the answer is built, and the cotangent itself
is left behind, since what is linear in it does not depend on its numbers any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from gradviz.api.backward import Exprs, gradients, listed
from gradviz.errors import InputError, ShapeError
from gradviz.ops import adjoint
from gradviz.ops.expr import Expr, as_expr
from gradviz.text import mark, shape_words


def jvp(
    ys: Exprs,
    xs: Exprs,
    tangents: object,
    stop_gradients: Exprs | None = None,
    unconnected_gradients: str = "none",
) -> list[Expr | None]:
    """How each of `ys` moves when the `xs` move along `tangents`: Jacobian × tangent, summed over the xs.

    One answer per y, an expression of its shape and dtype. A tangent has the shape of its x; `None` is an x that does not
    move. The answer is `None` (zeros with `unconnected_gradients="zero"`) where no x that moves leads to y.
    Raises InputError for the wrong number of tangents, ShapeError for one of the wrong shape.
    """
    targets, sources = listed(ys), listed(xs)
    moving = _paired(tangents, sources, "tangents")
    moved = [x for x, _ in moving]
    seeds = [zeros_like(y) for y in targets]
    back = gradients(targets, moved, grad_ys=seeds, stop_gradients=stop_gradients)
    met = [(g, t) for g, (_, t) in zip(back, moving, strict=True) if g is not None]
    found = gradients([g for g, _ in met], seeds, grad_ys=[t for _, t in met])
    return [
        answer if answer is not None else _flat(y, moved, stop_gradients, unconnected_gradients)
        for y, answer in zip(targets, found, strict=True)
    ]


def _flat(y: Expr, xs: list[Expr], stops: Exprs | None, unconnected: str) -> Expr | None:
    """Zeros where a gradient exists that does not depend on what arrives, or where they were asked for."""
    connected = any(g is not None for g in gradients(y, xs, None, stops, unconnected))
    return zeros_like(y) if connected and y.spec.is_float else None


def hvp(
    y: Expr,
    xs: Exprs,
    vectors: object,
    stop_gradients: Exprs | None = None,
    unconnected_gradients: str = "none",
) -> list[Expr | None]:
    """Hessian × vector: how the gradient of y by each x changes when the `xs` move along `vectors`.

    y is one number. One answer per x, an expression of its shape and dtype; a vector has the shape of its x, `None` is an x
    that does not move. Where y depends on x but its gradient does not change, the answer is zeros; where nothing leads
    from x to y it is `None` (zeros with `unconnected_gradients="zero"`).
    Raises ShapeError for a y of several numbers or a vector of the wrong shape, InputError for the wrong number of them.
    """
    sources = listed(xs)
    slopes = gradients(one_number(y), sources, None, stop_gradients, unconnected_gradients)
    moving = dict(enumerate(_vectors(vectors, sources, "vectors")))
    met = [(g, moving[i]) for i, g in enumerate(slopes) if g is not None and moving[i] is not None]
    # The Hessian is symmetric: its product with v is the gradient of the gradient, started from v.
    found = gradients([g for g, _ in met], sources, [v for _, v in met], stop_gradients)
    return [
        zeros_like(x) if answer is None and slope is not None else answer
        for x, slope, answer in zip(sources, slopes, found, strict=True)
    ]


def one_number(y: object) -> Expr:
    """y as an expression of one cell, as a Hessian needs it."""
    given = listed(y)
    if len(given) != 1 or given[0].size != 1:
        raise ShapeError(
            mark(
                "api",
                "A Hessian is that of one number, but y is {shape}: add it up first, as in sum(y).",
            ),
            shape=shape_words(given[0].shape) if len(given) == 1 else f"{len(given)} expressions",
        )
    return given[0]


def zeros_like(x: Expr) -> Expr:
    """Zeros of x's shape and dtype."""
    return cast(Expr, adjoint.full_like(x, fill=0.0))


def _paired(given: object, xs: list[Expr], name: str) -> list[tuple[Expr, Expr]]:
    vectors = _vectors(given, xs, name)
    return [(x, v) for x, v in zip(xs, vectors, strict=True) if v is not None]


def _vectors(given: object, xs: list[Expr], name: str) -> list[Expr | None]:
    """One per x, each of x's shape. A single x takes its vector without a list around it, even a list of numbers."""
    several = isinstance(given, list | tuple)
    items: Sequence[object] = list(cast("Sequence[object]", given)) if several else [given]
    if len(xs) == 1 and (len(items) != 1 or not _fits(items[0], xs[0])):
        items = [given]
    if len(items) != len(xs):
        raise InputError(
            mark("api", "{name} has {given} entries, but there are {wanted} xs."),
            name=name,
            given=len(items),
            wanted=len(xs),
        )
    vectors = [None if item is None else as_expr(item) for item in items]
    for x, vector in zip(xs, vectors, strict=True):
        if vector is not None and vector.shape != x.shape:
            raise ShapeError(
                mark(
                    "api",
                    "One of the {name} is {given}, but its x is {wanted}: they must have the same shape.",
                ),
                name=name,
                given=shape_words(vector.shape),
                wanted=shape_words(x.shape),
            )
    return vectors


def _fits(item: object, x: Expr) -> bool:
    return item is None or as_expr(item).shape == x.shape
