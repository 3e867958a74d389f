"""Between expressions, diagrams, files and the window."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from gradviz import plugins
from gradviz.api.backward import Exprs, listed
from gradviz.engine.check import infer
from gradviz.engine.measure import measured
from gradviz.errors import InputError
from gradviz.graph.model import Diagram, Query
from gradviz.ops import registry
from gradviz.ops.expr import Call, Collected, Expr
from gradviz.ops.spec import Spec
from gradviz.text import mark


def diagram(ys: Exprs | Diagram, xs: Exprs | None = None) -> Diagram:
    """The diagram of expressions: what `save` writes and the window shows. The first of ys is the target."""
    if isinstance(ys, Diagram):
        return ys
    targets = listed(ys)
    sources = listed(xs) if xs is not None else []
    names = {"y": targets[0]} if targets and not targets[0].name else {}
    collected = Collected([*sources, *targets], names)
    query = Query(
        of=(collected.port(targets[0]).node,), wrt=tuple(collected.port(x).node for x in sources)
    )
    return Diagram(collected.graph, collected.values, (query,))


def expressions(source: Diagram | str | Path) -> dict[str, Expr]:
    """The named nodes of a diagram (or of the file it is in) as expressions; the first output of each."""
    made = nodes(source if isinstance(source, Diagram) else load(source))
    return {found.name: found for found in made.values() if found.name}


def nodes(shown: Diagram) -> dict[str, Expr]:
    """The first outputs of a diagram's nodes, by id, as expressions; without those that cannot be computed."""
    specs = measured(infer(shown.graph), shown.values)
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
            measured=id in specs.open,
        )
    return {id: Expr(call) for id, call in calls.items()}


def load(path: str | Path) -> Diagram:
    """Read a .gradviz file. Raises FileError, which names the place."""
    from gradviz.files import native

    found = native.load(path)
    if any(registry.find(node.op) is None for node in found.graph):
        plugins.load_once()
    return found


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

    plugins.load_once()
    app.show(load(what) if isinstance(what, str | Path) else diagram(what))
