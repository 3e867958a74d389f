"""Find an operation by what a person types: its name, sign or an alias in any framework."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gradviz.ops import registry
from gradviz.ops.op import Op

EXACT, START, WORD, INSIDE, SCATTERED = range(5)
_NONE: Final = 99


def search(typed: str, ops: Iterable[Op] | None = None) -> list[Op]:
    """The ops that fit what was typed, best first; all of them, in their order, for nothing typed."""
    candidates = list(registry.palette() if ops is None else ops)
    wanted = typed.strip().rsplit(".", 1)[-1]
    if not wanted:
        return candidates
    ranked = [(rank(wanted, op), number, op) for number, op in enumerate(candidates)]
    return [op for score, _, op in sorted(ranked, key=lambda entry: entry[:2]) if score < _NONE]


def rank(wanted: str, op: Op) -> int:
    """How well a text fits: smaller is better, the op's own sign and name before its aliases."""
    if wanted == op.sign:
        return EXACT
    wanted = wanted.lower()
    own = _rank(wanted, op.name)
    others = [op.sign, *(alias for names in op.aliases.values() for alias in names)]
    return min(2 * own, min((2 * _rank(wanted, name) + 1 for name in others), default=_NONE))


def _rank(wanted: str, name: str) -> int:
    text = name.lower()
    if not text:
        return _NONE
    if text == wanted:
        return EXACT
    if text.startswith(wanted):
        return START
    if any(word.startswith(wanted) for word in text.split("_")):
        return WORD
    if wanted in text:
        return INSIDE
    letters = iter(text)
    return SCATTERED if len(wanted) > 1 and all(letter in letters for letter in wanted) else _NONE
