"""What changed between two diagrams, by identity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gradviz.graph.model import Diagram


@dataclass(frozen=True, slots=True)
class Delta:
    """Ids of nodes added, removed, and changed (the node itself, its value, its place)."""

    added: frozenset[str]
    removed: frozenset[str]
    changed: frozenset[str]
    revalued: frozenset[str]
    moved: frozenset[str]


def delta(old: Diagram, new: Diagram) -> Delta:
    """What an observer of `old` must redraw to show `new`."""
    before, after = old.graph.nodes, new.graph.nodes
    if before is after:
        added = removed = changed = frozenset[str]()
    else:
        added = frozenset(after.keys() - before.keys())
        removed = frozenset(before.keys() - after.keys())
        changed = frozenset(id for id, node in after.items() if before.get(id, node) is not node)
    return Delta(
        added,
        removed,
        changed,
        _differences(old.values, new.values),
        frozenset(
            id for id, place in new.places.items() if old.places.get(id) != place and id in after
        ),
    )


def _differences(old: Mapping[str, object], new: Mapping[str, object]) -> frozenset[str]:
    if old is new:
        return frozenset()
    return frozenset(id for id in {*old, *new} if old.get(id) is not new.get(id))
