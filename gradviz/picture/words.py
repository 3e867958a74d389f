"""The words of the picture. Each takes the translation to use and gives the finished text."""

from __future__ import annotations

from collections.abc import Callable

from gradviz.text import Text, mark, message, same

Translate = Callable[[Text], str]


def value_caption(translate: Translate = same) -> str:
    return translate(mark("picture", "value"))


def gradient_caption(of: str = "", by: str = "", translate: Translate = same) -> str:
    """The word alone beside a number, "gradient ∂y/∂X" above a table."""
    word = translate(mark("picture", "gradient"))
    return f"{word} ∂{of}/∂{by}" if of and by else word


def named(name: str, translate: Translate = same) -> str:
    return message(mark("picture", "named {name}"), name=name).render(translate)


def output(name: str, translate: Translate = same) -> str:
    return message(mark("picture", "{name} · output"), name=name).render(translate)


def not_yet(translate: Translate = same) -> str:
    return translate(mark("picture", "not yet"))


def waits_for(name: str, translate: Translate = same) -> str:
    return message(mark("picture", "waits for {name}"), name=name).render(translate)


def road(name: str, translate: Translate = same) -> str:
    """The label of a slot: which node a contribution comes back from."""
    return message(mark("picture", "from {name}"), name=name).render(translate)


def more_roads(count: int, translate: Translate = same) -> str:
    return message(mark("picture", "and {count} more"), count=count).render(translate)


def constant(translate: Translate = same) -> str:
    return translate(mark("picture", "constant"))


def stop_gradient(translate: Translate = same) -> str:
    return translate(mark("picture", "stop gradient"))


def one_number(translate: Translate = same) -> str:
    return translate(mark("picture", "number"))


def target(translate: Translate = same) -> str:
    return translate(mark("picture", "target"))


def wrt(translate: Translate = same) -> str:
    return translate(mark("picture", "with respect to"))


def empty(translate: Translate = same) -> str:
    return translate(mark("picture", "empty"))


def open_input(translate: Translate = same) -> str:
    return translate(mark("picture", "needs a wire"))


def cannot(translate: Translate = same) -> str:
    return translate(mark("picture", "cannot be computed"))
