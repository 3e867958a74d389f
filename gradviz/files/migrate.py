"""Older versions of the format, brought up to this one.

One small function per version, from the plain data of version n to that of version n + 1; each is
tested on a kept file of its version. Version 1 is the first, so there is none yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from gradviz.graph.fault import DiagramError
from gradviz.graph.names import shown
from gradviz.text import mark

Document = dict[str, Any]
Step = Callable[[Document], Document]

VERSION: Final = 1
VERSION_KEY: Final = "gradviz"
STEPS: Final[Mapping[int, Step]] = {}


def migrate(
    document: object, steps: Mapping[int, Step] = STEPS, version: int = VERSION
) -> Document:
    """`document` in format `version`; it is not changed itself.

    Raises DiagramError, with the way to the fault, for what is no document and for versions not
    known.
    """
    if not isinstance(document, dict):
        raise DiagramError(mark("files", "This is not a gradviz file: it must be one object {…}."))
    if VERSION_KEY not in document:
        raise DiagramError(
            mark(
                "files",
                'This is not a gradviz file: the key "{key}", with the version, is missing.',
            ),
            key=VERSION_KEY,
        )
    found = document[VERSION_KEY]
    if type(found) is not int or not min(steps, default=version) <= found <= version:
        raise _unknown(found, version)
    for number in range(found, version):
        document = {**steps[number](document), VERSION_KEY: number + 1}
    return document


def _unknown(found: object, version: int) -> DiagramError:
    place = (VERSION_KEY,)
    if type(found) is int and found > version:
        return DiagramError(
            mark(
                "files",
                "It has format {found}; this gradviz reads up to {version}. Get a newer one.",
            ),
            place=place,
            found=found,
            version=version,
        )
    return DiagramError(
        mark("files", "{found} is not a version of the format; this gradviz writes {version}."),
        place=place,
        found=shown(repr(found), 24),
        version=version,
    )
