"""The ops by name and by alias; built-in and plug-in ops enter by the same call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gradviz.errors import InputError
from gradviz.text import mark

if TYPE_CHECKING:
    from gradviz.ops.op import Op

_OPS: dict[str, Op] = {}
_ALIASES: dict[str, Op] = {}
# By lower case; apart, since Σ in lower case is σ, which is another op.
_FOLDED: dict[str, Op] = {}


def register(op: Op) -> None:
    """Add an op; its name must be new."""
    if op.name in _OPS:
        raise InputError(mark("ops", "There is an operation {name} already."), name=op.name)
    _OPS[op.name] = op
    for names in op.aliases.values():
        for alias in names:
            _ALIASES.setdefault(alias, op)
            _FOLDED.setdefault(alias.lower(), op)


def unregister(name: str) -> None:
    """Remove an op (a plug-in that is switched off, a test's own op)."""
    gone = _OPS.pop(name)
    for names in (_ALIASES, _FOLDED):
        for alias in [alias for alias, op in names.items() if op is gone]:
            del names[alias]


def find(name: str) -> Op | None:
    """The op registered under `name`, or None."""
    return _OPS.get(name)


def get(name: str) -> Op:
    """The op registered under `name`; InputError with the nearest name if there is none."""
    found = _OPS.get(name)
    if found is None:
        raise unknown(name)
    return found


def lookup(name: str) -> Op | None:
    """The op of that name or alias (`reduce_sum`, `mm`, `@`), upper and lower case alike."""
    folded = name.lower()
    return _OPS.get(name) or _ALIASES.get(name) or _OPS.get(folded) or _FOLDED.get(folded)


def nearest(name: str) -> str | None:
    """The name or alias of an op that is most like `name`."""
    # Only ever needed for an error, and not cheap to load.
    import difflib

    candidates = [*(op.name for op in palette()), *_FOLDED]
    matches = difflib.get_close_matches(name.lower(), candidates, 1, 0.6)
    return matches[0] if matches else None


def unknown(name: str) -> InputError:
    """The error for an op that is not known, with the nearest name."""
    near = nearest(name)
    if near is None:
        return InputError(mark("ops", "{name} is not an operation gradviz knows."), name=name)
    return InputError(
        mark("ops", "{name} is not an operation gradviz knows. Do you mean {near}?"),
        name=name,
        near=near,
    )


def every() -> Iterator[Op]:
    """All ops, in the order of their declaration."""
    return iter(tuple(_OPS.values()))


def palette() -> Iterator[Op]:
    """The ops a person can place."""
    return (op for op in every() if not op.helper)
