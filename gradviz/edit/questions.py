"""What is asked: the gradient of which nodes, by which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import EllipsisType
from typing import Final

from gradviz.errors import InputError
from gradviz.graph.model import Diagram, Graph, Query, freeze
from gradviz.ops.expr import array_of
from gradviz.ops.spec import BOOL
from gradviz.text import mark

UNCONNECTED: Final = ("none", "zero")


def set_query(
    diagram: Diagram,
    *,
    of: Iterable[str] | None = None,
    wrt: Iterable[str] | None = None,
    seed: Sequence[object] | EllipsisType | None = ...,
    stop_gradients: Iterable[str] | None = None,
    unconnected: str | None = None,
) -> Diagram:
    """Change the current question.

    What is not given stays; an empty `of` or `wrt` means the default. `seed` has one entry per target, and is
    forgotten with the targets it belonged to.
    """
    old = diagram.query
    targets = old.of if of is None else _known(diagram.graph, of)
    if seed is ...:
        seeds = old.seed if targets == old.of else None
    else:
        seeds = _checked_seed(seed, targets)
    new = Query(
        targets,
        old.wrt if wrt is None else _known(diagram.graph, wrt),
        seeds,
        old.stop_gradients if stop_gradients is None else _known(diagram.graph, stop_gradients),
        old.unconnected if unconnected is None else _checked_choice(unconnected),
    )
    if new == old:
        return diagram
    if not diagram.queries:
        return replace(diagram, queries=(new,), current=0)
    queries = list(diagram.queries)
    queries[diagram.current] = new
    return replace(diagram, queries=tuple(queries))


def _known(graph: Graph, ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(graph[id].id for id in ids))


def _checked_seed(
    seed: Sequence[object] | None, targets: tuple[str, ...]
) -> tuple[object, ...] | None:
    if seed is None:
        return None
    if len(seed) != len(targets):
        text = mark("edit", "{count} seeds were given for {targets} targets.")
        raise InputError(text, count=len(seed), targets=len(targets))
    return tuple(None if item is None else _numbers(item) for item in seed)


def _numbers(item: object) -> object:
    array = array_of(item)
    if array.dtype == BOOL:
        raise InputError(mark("edit", "A seed is made of numbers."))
    return freeze(array.tolist())


def _checked_choice(unconnected: str) -> str:
    if unconnected not in UNCONNECTED:
        text = mark("edit", "A missing gradient is shown as {choices}, not as {choice}.")
        raise InputError(text, choices=" or ".join(UNCONNECTED), choice=unconnected)
    return unconnected
