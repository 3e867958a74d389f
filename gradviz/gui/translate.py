"""Core texts in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from gradviz.text import Message, Text, message


def tr(text: Text) -> str:
    """The translation of a marked text."""
    return QCoreApplication.translate(text.context, str(text))


def render(said: Message | Text) -> str:
    """A message of the core as a sentence; it may hold names from files, so show it as plain text."""
    return said.render(tr) if isinstance(said, Message) else tr(said)


def say(text: Text, **values: object) -> str:
    """A marked text with its placeholders filled."""
    return message(text, **values).render(tr)
