"""Plain data: what attributes, annotations and the view are made of.

`None`, truth values, whole numbers of 64 bits, finite numbers, texts, lists, mappings by text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Final

from gradviz.graph.fault import Way
from gradviz.graph.names import name_fault, shown
from gradviz.limits import JSON_DEPTH, NOTE_CHARACTERS
from gradviz.text import Message, mark, message

# Sections lie at most this deep in a document, so what is accepted here can be saved and read.
DEPTH: Final = JSON_DEPTH - 16
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def plain_fault(data: object, *, characters: int = NOTE_CHARACTERS) -> tuple[Message, Way] | None:
    """The first thing in `data` that is not plain data, and the way to it; `None` if all is.

    Texts longer than `characters` are a fault. A loop: data from Python may be nested without end.
    """
    waiting: list[tuple[object, Way]] = [(data, ())]
    while waiting:
        item, place = waiting.pop()
        fault = _own_fault(item, place, characters)
        if fault is not None:
            return fault, place
        # Only what holds more is kept waiting: a list of a million numbers costs nothing here.
        for key, part in _parts(item):
            if isinstance(part, Mapping | list | tuple):
                waiting.append((part, (*place, key)))
            elif (fault := _leaf_fault(part, characters)) is not None:
                return fault, (*place, key)
    return None


def _own_fault(item: object, place: Way, characters: int) -> Message | None:
    if len(place) > DEPTH:
        return message(mark("graph", "it is nested more than {limit} levels deep"), limit=DEPTH)
    if isinstance(item, Mapping):
        return _key_fault(item)
    return None if isinstance(item, list | tuple) else _leaf_fault(item, characters)


def _parts(item: object) -> Iterable[tuple[str | int, object]]:
    if isinstance(item, Mapping):
        return item.items()
    return enumerate(item) if isinstance(item, list | tuple) else ()


def text_fault(text: str, characters: int = NOTE_CHARACTERS) -> Message | None:
    """Why a text cannot be kept; `None` if it can. Odd characters may: they are shown escaped."""
    if len(text) > characters:
        return message(
            mark("graph", "this text has {count} characters; at most {limit} are allowed"),
            count=len(text),
            limit=characters,
        )
    found = _UNSTORABLE.search(text)
    if found:
        return message(
            mark("graph", "this text holds U+{code}, which cannot be stored"),
            code=f"{ord(found[0]):04X}",
        )
    return None


def _leaf_fault(item: object, characters: int) -> Message | None:
    if item is None or isinstance(item, bool):
        return None
    if isinstance(item, str):
        return text_fault(item, characters)
    if isinstance(item, int):
        return None if -(2**63) <= item < 2**63 else message(_TOO_LARGE)
    if isinstance(item, float):
        return None if math.isfinite(item) else message(_NOT_FINITE, number=item)
    return message(_NOT_PLAIN, kind=type(item).__name__)


def _key_fault(item: Mapping[object, object]) -> Message | None:
    for key in item:
        if not isinstance(key, str):
            return message(mark("graph", "a key is not a text"))
        fault = name_fault(key)
        if fault is not None:
            return message(
                mark("graph", 'the key "{key}" cannot be used: {fault}'),
                key=shown(key),
                fault=fault,
            )
    return None


_TOO_LARGE: Final = mark("graph", "this whole number needs more than 64 bits")
_NOT_FINITE: Final = mark("graph", "{number} cannot stand here; give a finite number")
_NOT_PLAIN: Final = mark("graph", "{kind} is not plain data: give numbers, texts, lists")
