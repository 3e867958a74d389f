"""gradviz from Python: write arithmetic, ask for gradients, get arrays.

import gradviz as gv

x = gv.variable(2.0, name="x")
y = x**2 + x - 1
(g,) = gv.gradients(y, x)
y.value, g.value            # 5.0, 5.0
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from gradviz.engine import explain
from gradviz.engine.answer import answer
from gradviz.engine.check import Specs
from gradviz.engine.gradient import Gradient, gradient
from gradviz.errors import InputError
from gradviz.graph import paths
from gradviz.graph.model import Diagram, Graph, Query
from gradviz.ops import registry
from gradviz.ops.expr import Call, Collected, Expr, as_expr, constant, variable
from gradviz.ops.spec import Spec
from gradviz.text import mark

Exprs = Expr | Sequence[Expr]


def random_normal(
    shape: Sequence[int] = (), seed: int = 0, dtype: object = "float64", name: str = ""
) -> Expr:
    """Random numbers from a bell curve (mean 0, spread 1); a pure function of shape, seed and dtype."""
    made = cast(
        Expr, registry.get("random_normal")(shape=tuple(shape), dtype=str(dtype), seed=seed)
    )
    made.name = name
    return made


def apply(op: str, *inputs: object, **attributes: object) -> Expr | tuple[Expr, ...]:
    """Any operation by its registered name: `apply("softmax", x, axis=-1)`. Several outputs give a tuple."""
    found = registry.lookup(op)
    if found is None:
        raise registry.unknown(op)
    return cast("Expr | tuple[Expr, ...]", found(*inputs, **attributes))


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
    targets, sources = _listed(ys), _listed(xs)
    stops = _listed(stop_gradients) if stop_gradients is not None else []
    seeds = _seeds(grad_ys, targets)
    collected = Collected(
        [*targets, *sources, *stops, *(seed for seed in seeds if seed is not None)]
    )
    found = gradient(
        _specs(collected),
        [collected.port(y) for y in targets],
        [collected.port(x) for x in sources],
        seeds=[None if seed is None else collected.port(seed) for seed in seeds],
        stop=[collected.port(s) for s in stops],
        unconnected=unconnected_gradients,
    )
    return _expressions(found, collected.calls)


def _listed(expressions: object) -> list[Expr]:
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


def _specs(collected: Collected) -> Specs:
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
    targets, (source,) = _listed(y), _listed(x)
    stops = _listed(stop_gradients) if stop_gradients is not None else []
    names = {"y": targets[0]} if len(targets) == 1 and not targets[0].name else {}
    if not source.name and source.call is not (targets[0].call if targets else None):
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


def diagram(ys: Exprs | Diagram, xs: Exprs | None = None) -> Diagram:
    """The diagram of expressions: what `save` writes and the window shows. The first of ys is the target."""
    if isinstance(ys, Diagram):
        return ys
    targets = _listed(ys)
    sources = _listed(xs) if xs is not None else []
    names = {"y": targets[0]} if targets and not targets[0].name else {}
    collected = Collected([*sources, *targets], names)
    query = Query(
        of=(collected.port(targets[0]).node,), wrt=tuple(collected.port(x).node for x in sources)
    )
    return Diagram(collected.graph, collected.values, (query,))


def expressions(source: Diagram | str | Path) -> dict[str, Expr]:
    """The named nodes of a diagram (or of the file it is in) as expressions; the first output of each."""
    shown = source if isinstance(source, Diagram) else load(source)
    from gradviz.engine.check import infer

    specs = infer(shown.graph)
    calls: dict[str, Call] = {}
    for id in specs.order:
        node = shown.graph[id]
        ready = [port for port in node.inputs if port is not None and port.node in calls]
        outputs = specs.outputs[id]
        if len(ready) < len(node.inputs) or any(spec is None for spec in outputs):
            continue
        inputs = tuple(Expr(calls[port.node], port.index) for port in ready)
        value = shown.values.get(id)
        calls[id] = Call(
            registry.find(node.op),
            inputs,
            node.attributes,
            cast("tuple[Spec, ...]", outputs),
            name=node.name,
            outputs=None if value is None else (value,),
        )
    return {call.name: Expr(call) for call in calls.values() if call.name}


def parse(text: str, values: Mapping[str, object] | None = None) -> Expr:
    """Typed mathematics: `parse("y = sum(X)**2 + sum(X) - 1", {"X": array})`; `.leaf("X")` gives the leaf.

    Raises ExpressionError, which knows where, for what cannot be read.
    """
    from gradviz.code.expression import evaluate

    return evaluate(text, values or {})


def load(path: str | Path) -> Diagram:
    """Read a .gradviz file. Raises FileError, which names the place."""
    from gradviz.files import native

    return native.load(path)


def save(path: str | Path | Exprs | Diagram, what: Exprs | Diagram | str | Path) -> None:
    """Write a diagram, or the diagram of expressions, to a .gradviz file: whole or not at all.

    Peers disagree about the order (`np.save(path, x)`, `torch.save(x, path)`), so both are read.
    Raises InputError if neither is a path, FileError if it cannot be written.
    """
    from gradviz.files import native

    if isinstance(what, str | Path) and not isinstance(path, str | Path):
        path, what = what, path
    if not isinstance(path, str | Path) or isinstance(what, str | Path):
        raise InputError(
            mark("api", "save takes a path and what to write there, such as save(path, y).")
        )
    native.save(path, diagram(what))


def show(what: Exprs | Diagram | str | Path) -> None:
    """Show expressions, a diagram or a file in the window.

    Returns when the window is closed in a plain script; at once where a Qt event loop runs already.
    """
    from gradviz.gui import app

    app.show(load(what) if isinstance(what, str | Path) else diagram(what))


__all__ = [
    "WhyNone",
    "apply",
    "constant",
    "diagram",
    "expressions",
    "gradients",
    "load",
    "parse",
    "random_normal",
    "save",
    "show",
    "variable",
    "why_none",
]
