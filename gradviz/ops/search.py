"""Find an operation by what a person types: its name, sign or an alias in any framework, roughly spelt.

Palette, add box, help and command line ask here, so that the same text finds the same everywhere.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Final, NamedTuple

from gradviz.ops import registry
from gradviz.ops.op import Op
from gradviz.text import Message, mark, message

FRAMEWORK_NAMES: Final = {"numpy": "NumPy", "tf": "TensorFlow", "torch": "PyTorch", "jax": "JAX"}
PREFIXES: Final = {
    "np": "numpy",
    "numpy": "numpy",
    "scipy": "numpy",
    "tf": "tf",
    "tensorflow": "tf",
    "keras": "tf",
    "torch": "torch",
    "nn": "torch",
    "F": "torch",
    "jnp": "jax",
    "jax": "jax",
    "lax": "jax",
}
"""What stands before the point, and whose names stand behind it."""
TYPO_FROM: Final = 4
"""In shorter texts, one letter more or less makes another word."""
WORD_FROM: Final = 3
NEAR: Final = 3
_CALL: Final = re.compile(r"\(.*\Z", re.DOTALL)
_WORDS: Final = re.compile(r"[a-z0-9]+")


class Fit(IntEnum):
    """How well a text fits a name, the best first."""

    EXACT = 0
    FOLDED = 1
    START = 2
    WORD = 3
    INSIDE = 4
    SCATTERED = 5
    TYPO = 6
    ABOUT = 7
    NEAR = 8
    NONE = 9


class Found(NamedTuple):
    """An op, how well it fits, and the alias by which it was found; empty for its own name or sign."""

    op: Op
    fit: Fit
    alias: str = ""
    frameworks: tuple[str, ...] = ()

    @property
    def why(self) -> Message | None:
        """Whose name the alias is; None if the op was found by its own."""
        if not self.alias:
            return None
        names = [FRAMEWORK_NAMES[name] for name in self.frameworks if name in FRAMEWORK_NAMES]
        if not names:
            return message(mark("ops", "also called {alias}"), alias=self.alias)
        text = mark("ops", "{alias} in {frameworks}")
        return message(text, alias=self.alias, frameworks=", ".join(names))


class _Name(NamedTuple):
    """A name of an op; `rank` tells its own name from its sign and these from aliases."""

    text: str
    rank: int
    frameworks: tuple[str, ...] = ()


def search(typed: str, ops: Iterable[Op] | None = None) -> list[Op]:
    """The ops that fit what was typed, best first; all of them, in their order, for nothing typed."""
    return [found.op for found in find(typed, ops) if found.fit < Fit.NEAR]


def find(typed: str, ops: Iterable[Op] | None = None, recent: Sequence[str] = ()) -> list[Found]:
    """The ops that fit, best first, and why; where none does, those whose names are nearest.

    For nothing typed, all of them: those used of late (`recent`) first, the others in their order.
    """
    candidates = list(registry.palette() if ops is None else ops)
    texts, framework = _texts(typed.strip())
    if not texts:
        first = {name: number for number, name in enumerate(recent)}
        candidates.sort(key=lambda op: first.get(op.name, len(first)))
        return [Found(op, Fit.EXACT) for op in candidates]
    ranked = []
    for number, op in enumerate(candidates):
        key, found = _best(op, texts, framework)
        if found.fit is not Fit.NONE:
            ranked.append((key, number, found))
    ranked.sort(key=lambda entry: entry[:2])
    return [found for _, _, found in ranked] or _nearest(texts[-1], candidates)


def _texts(typed: str) -> tuple[list[str], str]:
    """What may be meant: all of it, or what stands behind a point; and the framework that is named before."""
    plain = _CALL.sub("", typed) if typed[:1].isalnum() else typed
    parts = plain.split(".")
    texts = [typed, *(".".join(parts[start:]) for start in range(len(parts)))]
    before = (PREFIXES[part] for part in parts[:-1] if part in PREFIXES)
    return list(dict.fromkeys(text for text in texts if text)), next(before, "")


def _best(op: Op, texts: Sequence[str], framework: str) -> tuple[tuple[int, ...], Found]:
    best: tuple[int, ...] = (int(Fit.NONE),)
    chosen = Found(op, Fit.NONE)
    for name in _names(op):
        fit, place = min((_fit(text, name.text), place) for place, text in enumerate(texts))
        strange = int(bool(framework) and framework not in name.frameworks)
        key = (int(fit), place, strange if fit <= Fit.FOLDED else 0, name.rank)
        if key < best:
            alias = name.text if name.rank == _ALIAS else ""
            best, chosen = key, Found(op, fit, alias, _of(name, framework))
    if chosen.fit is Fit.NONE and _is_about(op, texts[-1]):
        return (int(Fit.ABOUT),), Found(op, Fit.ABOUT)
    return best, chosen


def _of(name: _Name, framework: str) -> tuple[str, ...]:
    return (framework,) if framework in name.frameworks else name.frameworks


_OWN, _SIGN, _ALIAS = range(3)


def _names(op: Op) -> Iterator[_Name]:
    yield _Name(op.name, _OWN, tuple(f for f, names in op.aliases.items() if op.name in names))
    if op.sign:
        yield _Name(op.sign, _SIGN)
    others = dict.fromkeys(alias for names in op.aliases.values() for alias in names)
    for alias in others:
        if alias not in (op.name, op.sign):
            yield _Name(
                alias, _ALIAS, tuple(f for f, names in op.aliases.items() if alias in names)
            )


def _fit(typed: str, name: str) -> Fit:
    if typed == name:
        return Fit.EXACT
    wanted, text = _folded(typed), _folded(name)
    if wanted == text:
        return Fit.FOLDED
    if text.startswith(wanted):
        return Fit.START
    words, asked = _WORDS.findall(name.lower()), _WORDS.findall(typed.lower())
    if asked and all(any(word.startswith(part) for word in words) for part in asked):
        return Fit.WORD
    if len(wanted) > 1 and wanted in text:
        return Fit.INSIDE
    if len(wanted) > 1 and wanted[0] == text[0] and _is_scattered(wanted, text):
        return Fit.SCATTERED
    return Fit.TYPO if len(wanted) >= TYPO_FROM and _is_one_slip(wanted, text) else Fit.NONE


@lru_cache(maxsize=4096)
def _folded(text: str) -> str:
    """Without case and what joins words: `leaky relu` is `LeakyReLU`. A sign stays as it is."""
    folded = re.sub(r"[\s_-]", "", text).lower() if text.isascii() else text
    return folded or text


def _is_scattered(wanted: str, text: str) -> bool:
    letters = iter(text)
    return all(letter in letters for letter in wanted)


def _is_one_slip(a: str, b: str) -> bool:
    """Whether one letter was left out, added, mistaken, or swapped with the next."""
    if abs(len(a) - len(b)) > 1:
        return False
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    a, b = a[start:], b[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


def _is_about(op: Op, typed: str) -> bool:
    """Whether every word typed begins one of the summary or the category."""
    asked = _WORDS.findall(typed.lower())
    words = _WORDS.findall(f"{op.summary} {op.category}".lower())
    return bool(asked) and all(
        len(part) >= WORD_FROM and any(word.startswith(part) for word in words) for part in asked
    )


def _nearest(typed: str, ops: Iterable[Op]) -> list[Found]:
    """The ops whose names are most like what was typed."""
    names: dict[str, tuple[Op, _Name]] = {}
    for op in ops:
        for name in _names(op):
            names.setdefault(name.text.lower(), (op, name))
    near = difflib.get_close_matches(typed.lower(), names, NEAR, 0.6)
    found: dict[str, Found] = {}
    for op, name in (names[text] for text in near):
        alias = name.text if name.rank == _ALIAS else ""
        found.setdefault(op.name, Found(op, Fit.NEAR, alias, name.frameworks))
    return list(found.values())
