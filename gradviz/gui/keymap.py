"""Which keys do what: two presets, and a file in which a person may say otherwise.

The file is TOML: `preset = "gradviz"`, and a table `[keys]` in which a command's name has a key or a list of keys. What is wrong
in it is told with its line; the rest of it counts.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PySide6.QtGui import QKeySequence

from gradviz.errors import FileError
from gradviz.files.disk import read_bytes
from gradviz.gui.actions import ACTIONS
from gradviz.text import Message, mark, message

Keys = Mapping[str, tuple[str, ...]]
FILE_NAME: Final = "keys.toml"
OWN: Final = "own"
TAKEN: Final = frozenset({"P", "Shift+P", "C", "Esc", "Return", "Enter", "Tab"})
"""What the canvas itself answers to."""
BLENDER: Final[Keys] = {
    "select_all": ("A",),
    "select_none": ("Alt+A",),
    "invert_selection": ("Ctrl+I",),
    "delete": ("X", "Del", "Backspace"),
    "delete_and_heal": ("Ctrl+X",),
    "cut": ("Ctrl+Shift+X",),
    "duplicate": ("Shift+D", "Ctrl+D"),
    "duplicate_with_inputs": ("Ctrl+Shift+D",),
    "align": ("Ctrl+Alt+A",),
    "add": ("Shift+A",),
    "carry": ("G",),
    "join": ("J", "F"),
    "fit_selection": ("Ctrl+Shift+F",),
    "pull_out": ("Alt+D",),
}
"""Where people of Blender's node editor expect other keys than ours."""


@dataclass(frozen=True, slots=True)
class Keymap:
    """The keys of every command, and what was wrong in the file they came from."""

    keys: Keys
    faults: tuple[Message, ...] = ()


def preset(name: str) -> Keys:
    """The keys of a preset: "gradviz" or "blender"."""
    own = {action.id: action.keys for action in ACTIONS}
    if name != "blender":
        return own
    return {**own, **{id: keys for id, keys in BLENDER.items() if id in own}}


PRESETS: Final = ("gradviz", "blender")


def read(path: Path) -> Keymap:
    """The keys of a file; what cannot be used in it is among the faults."""
    usual = preset("gradviz")
    try:
        text = read_bytes(path).decode("utf-8")
        data = tomllib.loads(text)
    except FileError as error:
        return Keymap(usual, (error.message,))
    except UnicodeDecodeError:
        return Keymap(usual, (message(mark("keys", "The keys file is not text in UTF-8.")),))
    except tomllib.TOMLDecodeError as error:
        text_of = mark("keys", "The keys file cannot be read: {why}.")
        return Keymap(usual, (message(text_of, why=str(error)),))
    faults: list[Message] = []
    name = data.get("preset", "gradviz")
    if name not in PRESETS:
        faults.append(
            message(
                mark("keys", "There is no preset {name}; there are {known}."),
                name=str(name)[:40],
                known=", ".join(PRESETS),
            )
        )
    keys = dict(preset(str(name)))
    table = data.get("keys", {})
    for id, given in table.items() if isinstance(table, dict) else ():
        found = _keys(given)
        line = _line(text, id)
        if id not in keys:
            known = mark("keys", "Line {line}: there is no command {id}.")
            faults.append(message(known, line=line, id=str(id)[:40]))
        elif found is None:
            said = mark("keys", "Line {line}: {given} is no key for {id}.")
            faults.append(message(said, line=line, given=str(given)[:40], id=id))
        else:
            keys[id] = found
    return Keymap(*_without_doubles(keys, usual, text, faults))


def _keys(given: object) -> tuple[str, ...] | None:
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list) or not all(isinstance(key, str) for key in listed):
        return None
    found = tuple(key.strip() for key in listed if key.strip())
    return found if all(_is_key(key) for key in found) else None


def _is_key(key: str) -> bool:
    sequence = QKeySequence(key)
    return sequence.count() == 1 and bool(sequence.toString())


def _line(text: str, id: str) -> int:
    lines = text.splitlines()
    return next((n for n, line in enumerate(lines, 1) if line.strip().strip('"').startswith(id)), 1)


def _without_doubles(
    keys: dict[str, tuple[str, ...]], usual: Keys, text: str, faults: list[Message]
) -> tuple[Keys, tuple[Message, ...]]:
    """One key does one thing: of two commands, the one that had it all along loses it, or the later one."""
    owners: dict[str, str] = {}
    for id in sorted(keys, key=lambda id: keys[id] == usual.get(id)):
        kept = []
        for key in keys[id]:
            plain = QKeySequence(key).toString()
            if plain in TAKEN:
                said = mark("keys", "Line {line}: {key} belongs to the canvas.")
                faults.append(message(said, line=_line(text, id), key=key))
            elif plain in owners:
                line, other = _line(text, id), owners[plain]
                said = mark("keys", "Line {line}: {key} is the key of {other} already.")
                if keys[id] == usual.get(id):
                    line, other = _line(text, owners[plain]), id
                    said = mark("keys", "Line {line}: {key} was the key of {other}, which lost it.")
                faults.append(message(said, line=line, key=key, other=other))
            else:
                owners[plain] = id
                kept.append(key)
        keys[id] = tuple(kept)
    return keys, tuple(faults)


def template() -> str:
    """A file to begin with: every command with its keys, commented out."""
    lines = [
        "# The keys of gradviz. Take the # away before a line to change it; several keys stand in brackets.",
        '# preset = "blender"',
        "",
        "[keys]",
    ]
    for action in ACTIONS:
        keys = ", ".join(f'"{key}"' for key in action.keys)
        lines.append(f"# {action.id} = [{keys}]")
    return "\n".join(lines) + "\n"
