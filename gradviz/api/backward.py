"""Gradients of expressions, and why one is missing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, cast

from gradviz.api import own
from gradviz.engine.check import Specs
from gradviz.engine.gradient import Gradient, Role, gradient
from gradviz.errors import InputError
from gradviz.graph.model import Diagram, Graph, Query
from gradviz.ops import registry
from gradviz.ops.expr import Call, Collected, Expr, as_expr
from gradviz.ops.own import OwnOp
from gradviz.ops.spec import Spec
from gradviz.text import mark

Exprs = Expr | Sequence[Expr]


def gradients(
    ys: Exprs,
    xs: Exprs,
    grad_ys: object = None,
    stop_gradients: Exprs | None = None,
    unconnected_gradients: str = "none",
) -> list[Expr | None]:
    """The gradient of the sum of all cells of `ys` by each of `xs`, as `tf.gradients` gives it.

    The answers are aligned with xs: an expression of the shape and dtype of x, which can be differentiated again, or
    `None` where nothing leads from x to ys (`why_none` says why). With `unconnected_gradients="zero"` those are zeros.
    `grad_ys` are the cotangents of ys (`None`: ones). Nothing flows through `stop_gradients`. A number or array among
    the xs is a new constant, from which nothing leads to ys.
    Raises ShapeError for a cotangent of the wrong shape, InputError for too few of them.
    """
    targets, sources = listed(ys), listed(xs)
    stops = listed(stop_gradients) if stop_gradients is not None else []
    seeds = _seeds(grad_ys, targets)
    collected = Collected(
        [*targets, *sources, *stops, *(seed for seed in seeds if seed is not None)]
    )
    found = gradient(
        specs_of(collected),
        [collected.port(y) for y in targets],
        [collected.port(x) for x in sources],
        seeds=[None if seed is None else collected.port(seed) for seed in seeds],
        stop=[collected.port(s) for s in stops],
        unconnected=unconnected_gradients,
    )
    ours = {id: call for id, call in collected.calls.items() if isinstance(call.op, OwnOp)}
    if ours:
        passed = dict.fromkeys(
            s.address.node for s in found.steps if s.address.role is Role.CONTRIBUTION
        )
        own.vouch(ours[id] for id in passed if id in ours)
    return _expressions(found, collected.calls)


def vjp(
    ys: Exprs,
    xs: Exprs,
    cotangents: object,
    stop_gradients: Exprs | None = None,
    unconnected_gradients: str = "none",
) -> list[Expr | None]:
    """What comes back to each of `xs` when `cotangents` start at the `ys`: cotangent × Jacobian, summed over the ys.

    The same as `gradients(ys, xs, grad_ys=cotangents)`, the counterpart of `jvp`.
    """
    return gradients(ys, xs, cotangents, stop_gradients, unconnected_gradients)


def listed(expressions: object) -> list[Expr]:
    """One expression, or several, as a list; numbers and arrays among them become constants."""
    several = isinstance(expressions, list | tuple)
    items = cast("Sequence[object]", expressions) if several else [expressions]
    return [as_expr(item) for item in items]


def _seeds(grad_ys: object, targets: list[Expr]) -> list[Expr | None]:
    if grad_ys is None:
        return [None] * len(targets)
    given = list(grad_ys) if isinstance(grad_ys, list | tuple) else [grad_ys]
    if len(given) != len(targets):
        raise InputError(
            mark("engine", "grad_ys has {given} entries, but there are {wanted} ys."),
            given=len(given),
            wanted=len(targets),
        )
    return [None if seed is None else as_expr(seed) for seed in given]


def specs_of(collected: Collected) -> Specs:
    """The specs of a collected graph, which its calls know already."""
    outputs = {id: call.specs for id, call in collected.calls.items()}
    return Specs(
        collected.graph, tuple(outputs), cast("dict[str, tuple[Spec | None, ...]]", outputs)
    )


def _expressions(found: Gradient, known: Mapping[str, Call]) -> list[Expr | None]:
    """The backward nodes as calls on the calls that were collected."""
    calls = dict(known)
    for id in found.specs:
        node = found.graph[id]
        inputs = tuple(
            Expr(calls[port.node], port.index) for port in node.inputs if port is not None
        )
        value = found.values.get(id)
        outputs = None if value is None else (value,)
        calls[id] = Call(
            registry.get(node.op), inputs, node.attributes, found.specs[id], outputs=outputs
        )
    return [None if port is None else Expr(calls[port.node], port.index) for port in found.answers]


class WhyNone(NamedTuple):
    """Why a gradient is None: a state (`no-path`, `swapped`, `stopped`, …), a sentence, and what to do.

    `path` is the way by which x leads to y (empty if none does); `from_x` are the named nodes that x leads to, `to_y` those
    that lead to y. Where they do not meet, a wire is missing.
    """

    state: str
    sentence: str
    remedy: str
    path: str = ""
    from_x: tuple[str, ...] = ()
    to_y: tuple[str, ...] = ()


def why_none(y: Exprs, x: Expr, stop_gradients: Exprs | None = None) -> WhyNone | None:
    """Why the gradient of y by x is None; `None` if it is not."""
    # Most programs never ask.
    from gradviz.engine import explain
    from gradviz.engine.answer import answer
    from gradviz.graph import paths

    targets, (source,) = listed(y), listed(x)
    stops = listed(stop_gradients) if stop_gradients is not None else []
    names = {"y": targets[0]} if len(targets) == 1 and not targets[0].name else {}
    given = source.call.op is not None and source.call.op.name == "constant"
    if not given and not source.name and source.call is not (targets[0].call if targets else None):
        names["x"] = source
    collected = Collected([source, *targets, *stops], names)
    query = Query(
        of=tuple(collected.port(t).node for t in targets),
        wrt=(collected.port(source).node,),
        stop_gradients=tuple(collected.port(s).node for s in stops),
    )
    if not targets:
        return WhyNone(
            "no-targets", "nothing was asked about: there is no target", "Give a target."
        )
    found = answer(Diagram(collected.graph, collected.values, (query,)))
    missing = found.missing(collected.port(source))
    if missing is None:
        return None
    why = explain.reason(found, missing)
    graph, x_id, y_id = (
        collected.graph,
        collected.port(source).node,
        collected.port(targets[0]).node,
    )
    return WhyNone(
        str(why.state),
        str(why.sentence),
        str(why.remedy),
        paths.path_words(graph, x_id, y_id),
        _names(graph, paths.reached(graph, x_id)),
        _names(graph, paths.reaching(graph, y_id)),
    )


def _names(graph: Graph, ids: Collection[str]) -> tuple[str, ...]:
    return tuple(node.name for node in graph if node.id in ids and node.name)
