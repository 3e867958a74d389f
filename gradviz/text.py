"""Translatable text without Qt.

A text that a user can see is written as `mark("context", "…")`; the window finds its translation by
context and text. A `Message` keeps the text and the values that fill it apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


class Text(str):
    """A string that knows its translation context."""

    __slots__ = ("context",)

    context: str


def mark(context: str, text: str) -> Text:
    """Mark `text` for translation in `context`; both must be literals."""
    marked = Text(text)
    marked.context = context
    return marked


def same(text: Text) -> str:
    """The translation into English: the text itself."""
    return text


@dataclass(frozen=True, slots=True)
class Message:
    """A text and the values that fill its `{placeholders}`; a value may be a message or a text again."""

    text: Text
    values: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.render(same)

    def render(self, translate: Callable[[Text], str]) -> str:
        """The sentence in the language of `translate`."""
        filled = {key: _render(value, translate) for key, value in self.values.items()}
        return translate(self.text).format_map(filled) if filled else translate(self.text)


def _render(value: object, translate: Callable[[Text], str]) -> str:
    if isinstance(value, Message):
        return value.render(translate)
    if isinstance(value, Text):
        return translate(value)
    return str(value)


def message(text: Text, **values: object) -> Message:
    """`message(mark("engine", "{name} is empty"), name="X")`."""
    return Message(text, values)


def shape_words(shape: tuple[int, ...]) -> str:
    """`3×3`; `4 numbers`; for a 0-d array, `one number`."""
    if not shape:
        return "one number"
    if shape == (1,):
        return "a list of 1"
    return f"{shape[0]} numbers" if len(shape) == 1 else "×".join(map(str, shape))
