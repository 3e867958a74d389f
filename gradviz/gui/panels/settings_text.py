"""Settings of a node as text a person types, and back."""

from __future__ import annotations

import re
import typing
from typing import Final

from gradviz.errors import InputError
from gradviz.ops.indexing import index_text
from gradviz.ops.op import Op
from gradviz.text import mark

LONGEST: Final = 200
ONE_NUMBER: Final = "()"
NOTHING: Final = "none"
ALL: Final = "all"
_WHOLE: Final = re.compile(r"[-−+]?\d{1,18}")
_SPLIT: Final = re.compile(r"[\s,;×x*]+")
_NONE_WORDS: Final = ("", NOTHING, ALL)
_ELLIPSES: Final = ("...", "…")


def choices(op: Op, name: str) -> tuple[str, ...]:
    """The words a setting can be, if it is one of a few."""
    try:
        hinted = typing.get_type_hints(op.forward).get(name)
    except (NameError, TypeError):
        # An op of a plug-in may be annotated with what cannot be found here.
        return ()
    if typing.get_origin(hinted) is not typing.Literal:
        return ()
    return tuple(option for option in typing.get_args(hinted) if isinstance(option, str))


def text_of(kind: str, value: object) -> str:
    """A setting as it is typed."""
    if kind == "Index":
        return index_text(value)
    if value is None:
        return ALL if kind == "Axis" else NOTHING
    if isinstance(value, tuple):
        return _tuple_text(kind, value).replace("-", "−")
    return str(value).replace("-", "−")


def _tuple_text(kind: str, value: tuple[object, ...]) -> str:
    if not value:
        return ONE_NUMBER
    if kind == "Shape":
        return "×".join(map(str, value))
    listed = ", ".join(map(str, value))
    # Without brackets, one axis would be read as a number.
    return f"({listed},)" if kind == "Axis" and len(value) == 1 else listed


def value_of(kind: str, text: str) -> object:
    """What was typed as the setting; InputError in words for what is none."""
    typed = text.strip()
    if len(typed) > LONGEST:
        raise InputError(mark("panels", "This is too long for a setting."))
    if kind == "Index":
        return _index(typed)
    if kind == "int":
        return _whole(typed)
    if kind == "Axis":
        return _axis(typed)
    if kind.endswith("| None") and typed.lower() in _NONE_WORDS:
        return None
    if kind.startswith("Shape"):
        return _shape(typed)
    if kind == "float":
        return _float(typed)
    return typed


def _whole(typed: str) -> int:
    if _WHOLE.fullmatch(typed) is None:
        raise InputError(
            mark("panels", "This must be a whole number, not {typed}."), typed=_shown(typed)
        )
    return int(typed.replace("−", "-"))


def _float(typed: str) -> float:
    try:
        return float(typed.replace("−", "-"))
    except ValueError as error:
        raise InputError(
            mark("panels", "This must be a number, not {typed}."), typed=_shown(typed)
        ) from error


def _shown(typed: str) -> str:
    return f"“{typed[:40]}”"


def _numbers(typed: str) -> tuple[int, ...]:
    parts = [part for part in _SPLIT.split(typed.strip("()[] ")) if part]
    return tuple(_whole(part) for part in parts)


def _shape(typed: str) -> tuple[int, ...]:
    if any(character not in "0123456789-−+,;×x* ()[]" for character in typed):
        text = mark("panels", "A shape is written 3×3 or 2, 3, 4; () is one number.")
        raise InputError(text)
    return _numbers(typed)


def _axis(typed: str) -> int | tuple[int, ...] | None:
    if typed.lower() in _NONE_WORDS:
        return None
    numbers = _numbers(typed)
    is_tuple = typed.startswith(("(", "[")) or len(numbers) != 1
    return numbers if is_tuple else numbers[0]


def _index(typed: str) -> tuple[object, ...]:
    inside = typed.removeprefix("[").removesuffix("]") if typed.count("[") < 2 else typed
    return tuple(_index_item(part.strip()) for part in inside.split(",") if part.strip())


def _index_item(part: str) -> object:
    if part in _ELLIPSES:
        return "ellipsis"
    if part.lower() in ("none", "newaxis"):
        return "newaxis"
    if ":" in part:
        bounds = part.split(":")
        if len(bounds) > 3:
            raise InputError(
                mark("panels", "A slice has at most two colons: {typed}."), typed=_shown(part)
            )
        ends = [_whole(bound.strip()) if bound.strip() else None for bound in bounds]
        return {"slice": (*ends, *(None,) * (3 - len(ends)))}
    return _whole(part)


def is_editable(kind: str, value: object) -> bool:
    """Whether typing can bring the setting back exactly as it is."""
    try:
        return bool(_plain(value_of(kind, text_of(kind, value))) == _plain(value))
    except InputError:
        return False


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "items"):
        return {key: _plain(item) for key, item in value.items()}
    return value
