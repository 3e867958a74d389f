"""Undo without Qt: diagrams in a row and a cursor. A diagram never changes, so an undone one is exact."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Final, Generic, TypeVar

import numpy as np

from gradviz.graph.model import Diagram
from gradviz.text import Text

UNDO_BYTES: Final = 256 * 2**20
NODE_BYTES: Final = 400
"""What another version of a graph costs per node: its table and its indexes, not the nodes it shares."""

S = TypeVar("S")


@dataclass(frozen=True, eq=False, slots=True)
class Entry(Generic[S]):
    """One step: its name, the diagram after it, what was selected before and after it, its merge key."""

    text: Text | str
    diagram: Diagram
    before: S
    after: S
    merge: object = None


class History(Generic[S]):
    """The steps of one document: `entries[:cursor]` are done, `entries[cursor:]` undone.

    Selections are only kept and handed back. Beyond `limit` bytes the oldest steps go, the last one never;
    `forgotten` counts them.
    """

    def __init__(self, diagram: Diagram, selection: S, limit: int = UNDO_BYTES) -> None:
        # Entry 0 is no step: it holds the first diagram, or the oldest that is still known.
        self._all = [Entry("", diagram, selection, selection)]
        self._at = 0
        self._clean: int | None = 0
        self._merging = False
        self._put_by: tuple[list[Entry[S]], int | None] | None = None
        self._limit = limit
        self.forgotten = 0
        self._holders: Counter[int] = Counter()
        self.bytes = 0
        self._hold(diagram)

    @property
    def diagram(self) -> Diagram:
        """The present diagram."""
        return self._all[self._at].diagram

    @property
    def entries(self) -> tuple[Entry[S], ...]:
        """The steps, oldest first, with those that were undone."""
        return tuple(self._all[1:])

    def __len__(self) -> int:
        return len(self._all) - 1

    def text(self, number: int) -> Text | str:
        """The name of a step, counted from 1."""
        return self._all[number].text

    def is_clean_at(self, number: int) -> bool:
        """Whether the diagram after so many steps is the one that was marked."""
        return self._clean == number

    @property
    def cursor(self) -> int:
        """How many of the entries are done."""
        return self._at

    @property
    def undo_text(self) -> Text | str | None:
        """The name of the step that undo takes back."""
        return self._all[self._at].text if self._at else None

    @property
    def redo_text(self) -> Text | str | None:
        """The name of the step that redo does again."""
        return self._all[self._at + 1].text if self._at + 1 < len(self._all) else None

    @property
    def is_clean(self) -> bool:
        """Whether the present diagram is the one that was marked."""
        return self._clean == self._at

    def mark_clean(self) -> None:
        """The present diagram is saved."""
        self._clean = self._at
        self.seal()

    def seal(self) -> None:
        """End a run of merging steps: the next one stands for itself."""
        self._merging = False
        self._put_by = None

    def push(
        self, text: Text | str, diagram: Diagram, before: S, after: S, merge: object = None
    ) -> bool:
        """Add a step; False for one that changes nothing. What was undone can no longer be redone.

        A step with the merge key (not None) of the one before becomes one with it; if the two lead back to where
        they began, there is none, and the diagram before is the present one again.
        """
        if diagram is self.diagram:
            return False
        last = self._all[self._at]
        if self._at and self._merging and merge is not None and merge == last.merge:
            before = last.before
            self._at -= 1
        else:
            self._put_by = self._all[self._at + 1 :], self._clean
        self._drop_undone()
        self._merging = not _same(diagram, self.diagram)
        if self._merging:
            self._all.append(Entry(text, diagram, before, after, merge))
            self._at += 1
            self._hold(diagram)
        elif self._put_by is not None:
            # Steps that led back to where they began leave none, and take none away.
            undone, self._clean = self._put_by
            self._all += undone
            for entry in undone:
                self._hold(entry.diagram)
        self._forget()
        return True

    def undo(self) -> S | None:
        """Go back one step; what was selected before it, or None at the bottom."""
        return self.jump(self._at - 1)

    def redo(self) -> S | None:
        """Do an undone step again; what was selected after it, or None at the top."""
        return self.jump(self._at + 1)

    def jump(self, cursor: int) -> S | None:
        """Undo or redo until `cursor` steps are done; the selection to show, or None if nothing moves."""
        if cursor == self._at or not 0 <= cursor < len(self._all):
            return None
        undone = cursor < self._at
        selection = self._all[cursor + 1].before if undone else self._all[cursor].after
        self._at = cursor
        self.seal()
        return selection

    def _drop_undone(self) -> None:
        for entry in self._all[self._at + 1 :]:
            self._release(entry.diagram)
        del self._all[self._at + 1 :]
        if self._clean is not None and self._clean > self._at:
            self._clean = None

    def _forget(self) -> None:
        while self.bytes > self._limit and self._at > 1:
            self._release(self._all.pop(0).diagram)
            self._at -= 1
            self._put_by = None
            self.forgotten += 1
            if self._clean is not None:
                self._clean = self._clean - 1 if self._clean else None

    def _hold(self, diagram: Diagram) -> None:
        for part, size in _parts(diagram):
            self._holders[part] += 1
            self.bytes += size if self._holders[part] == 1 else 0

    def _release(self, diagram: Diagram) -> None:
        for part, size in _parts(diagram):
            self._holders[part] -= 1
            if not self._holders[part]:
                del self._holders[part]
                self.bytes -= size


def _same(one: Diagram, other: Diagram) -> bool:
    """Whether two diagrams of one graph hold the same, to the last bit."""
    if one is other:
        return True
    if one.graph is not other.graph:
        return False
    parts = ((getattr(one, f.name), getattr(other, f.name)) for f in fields(Diagram))
    return all(a is b or _equal(a, b) for a, b in parts)


def _equal(a: object, b: object) -> bool:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return list(a) == list(b) and all(a[key] is b[key] or _equal(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    # 0 and −0 are equal to Python, and not in a file.
    return repr(a) == repr(b)


def _parts(diagram: Diagram) -> Iterator[tuple[int, int]]:
    """What a diagram is made of, by identity, with its bytes: what two diagrams share counts once."""
    yield id(diagram.graph), NODE_BYTES * len(diagram.graph)
    for table in (diagram.values, diagram.places):
        yield id(table), sys.getsizeof(table)
    for array in {id(array): array for array in diagram.values.values()}.values():
        yield id(array), array.nbytes
