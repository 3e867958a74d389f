"""Ids, names, and how a piece of somebody else's text is shown."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from gradviz.limits import ID_CHARACTERS, NAME_CHARACTERS
from gradviz.text import Message, mark, message

ID: Final = re.compile(rf"[A-Za-z0-9_-]{{1,{ID_CHARACTERS}}}")
# Expanded and backward graphs name their nodes after the nodes they were made for, so they grow.
DERIVED_ID: Final = re.compile(r"[A-Za-z0-9_/'-]{1,1024}")

# Control, bidi, zero-width and filler characters, blanks that look like a space, and code points
# that Unicode keeps for itself.
_INVISIBLE: Final = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f"
    "\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    + "".join(chr(plane * 0x10000 + last) for plane in range(1, 17) for last in (0xFFFE, 0xFFFF))
    + "]"
)


def name_fault(name: str) -> Message | None:
    """Why `name` cannot be shown to a person as a name; `None` if it can.

    Names are typed in expressions and told apart by eye: what cannot be seen is no part of one.
    """
    if not name:
        return message(mark("graph", "it is empty"))
    if len(name) > NAME_CHARACTERS:
        return message(
            mark("graph", "it has {count} characters; at most {limit} are allowed"),
            count=len(name),
            limit=NAME_CHARACTERS,
        )
    if name.isascii() and name.isprintable() and name[0] != " " != name[-1]:
        return None
    return _odd_name_fault(name)


def _odd_name_fault(name: str) -> Message | None:
    found = _INVISIBLE.search(name)
    if found:
        return message(
            mark("graph", "it holds a character that cannot be seen (U+{code})"),
            code=f"{ord(found[0]):04X}",
        )
    if name[0] == " " or name[-1] == " ":
        return message(mark("graph", "it starts or ends with a blank"))
    if unicodedata.category(name[0]).startswith("M"):
        return message(mark("graph", "it starts with a mark that belongs to another letter"))
    return None


def look_alike(name: str) -> str:
    """Equal for two names that look the same and are only spelt differently."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def escaped(text: str) -> str:
    """`text` on one line, with everything that cannot be seen written as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return _INVISIBLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def shown(text: str, limit: int = 60) -> str:
    """`escaped`, cut to `limit` characters: how a message quotes a piece of a file or a name."""
    cut = escaped(text[: limit + 1])
    return cut if len(cut) <= limit else cut[: limit - 1] + "…"
