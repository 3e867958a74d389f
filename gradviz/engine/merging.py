"""What need not be computed, or not be written out, when arrays are large: it is told from the listing alone.

A node that repeats another takes its result. An element-wise node that only another element-wise node reads becomes part of
it: their calls are made on a piece of the arrays after the other, and what lies between never leaves the cache.
"""

from __future__ import annotations

from collections.abc import Collection
from math import prod
from typing import Final, cast

from gradviz.engine.kinds import LARGE, Kind, Listing
from gradviz.engine.trace import Literal, TracedCall

MOST_CALLS: Final = 40


class Merged:
    """Kinds and inputs of a listing's nodes after merging, by number; `gone` are the nodes that are not computed."""

    def __init__(self, listing: Listing, keep: Collection[int]) -> None:
        self.kinds = list(listing.kinds)
        self.inputs = list(listing.inputs)
        self.gone: set[int] = set()
        self._listing = listing
        self._keep = keep
        self._drop_repeated()
        self._fuse()

    def _drop_repeated(self) -> None:
        known: dict[object, int] = {}
        instead: dict[int, int] = {}
        for number, kind in enumerate(self.kinds):
            if instead:
                self.inputs[number] = tuple([instead.get(p, p) for p in self.inputs[number]])
            if kind is None or not _is_large(kind):
                continue
            port = self._listing.outputs[number]
            first = known.setdefault((id(kind), self.inputs[number]), port)
            if first != port and port not in self._keep:
                instead[port] = first
                self.gone.add(number)

    def _fuse(self) -> None:
        uses = [0] * len(self._listing.specs)
        for number, inputs in enumerate(self.inputs):
            if number not in self.gone:
                for port in inputs:
                    uses[port] += 1
        for number, kind in enumerate(self.kinds):
            if kind is None or number in self.gone or not _is_element_wise(kind):
                continue
            for port in self.inputs[number]:
                maker = self._listing.owners[port]
                before, after = self.kinds[maker], cast(Kind, self.kinds[number])
                if (
                    uses[port] == 1
                    and port not in self._keep
                    and before is not None
                    and _is_element_wise(before)
                    and before.outputs == after.outputs
                    and len(_calls(before)) + len(_calls(after)) <= MOST_CALLS
                ):
                    place = self.inputs[number].index(port)
                    others = [p for p in self.inputs[number] if p != port]
                    self.inputs[number] = (*self.inputs[maker], *others)
                    self.kinds[number] = _composed(before, after, place)
                    self.gone.add(maker)


def _calls(kind: Kind) -> tuple[TracedCall, ...]:
    return kind.traced or ()


def _is_large(kind: Kind) -> bool:
    return len(kind.outputs) == 1 and prod(kind.outputs[0].shape) >= LARGE


def _is_element_wise(kind: Kind) -> bool:
    """Whether it is calls on large arrays of one shape, and numbers."""
    return (
        kind.traced is not None
        and _is_large(kind)
        and kind.op.name != "accumulate"
        and all(spec.shape in ((), kind.outputs[0].shape) for spec in kind.inputs)
    )


def _composed(before: Kind, after: Kind, place: int) -> Kind:
    """The calls of both; the result of `before` is the input of `after` at `place`."""
    first, own = len(before.inputs), len(after.inputs)
    count, made = first + own - 1, len(_calls(before))

    def moved_before(p: float) -> int | float:
        return p if isinstance(p, Literal) or p < first else p + count - first

    def moved_after(p: float) -> int | float:
        if isinstance(p, Literal):
            return p
        if p == place:
            return count + made - 1
        if p < own:
            return first + p - (p > place)
        return p - own + count + made

    traced = [
        call._replace(operands=tuple(move(p) for p in call.operands))
        for kind, move in ((before, moved_before), (after, moved_after))
        for call in _calls(kind)
    ]
    others = [spec for i, spec in enumerate(after.inputs) if i != place]
    return after._replace(inputs=(*before.inputs, *others), traced=tuple(traced), simple=None)
