"""Operations, importers and exporters of other packages, by entry points; a broken one is logged and skipped.

A package declares, for example,

    [project.entry-points."gradviz.ops"]
    mine = "my_package.ops"

and importing `my_package.ops` declares its operations with `@gradviz.op`. The command line and the window load what is
installed at their start; Python does when it first meets a name it does not know, so that `import gradviz` stays cheap.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from gradviz.ops import registry
from gradviz.ops.op import Op

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUPS: Final = ("gradviz.ops", "gradviz.importers", "gradviz.exporters")
_LOG: Final = logging.getLogger(__name__)


def load(entry_points: Iterable[EntryPoint] | None = None) -> tuple[str, ...]:
    """Load what is installed (or the entry points given); the names of those that were loaded."""
    found = _installed() if entry_points is None else entry_points
    loaded = []
    for entry_point in found:
        before = {op.name: op for op in registry.every()}
        try:
            entry_point.load()
        except Exception:  # noqa: BLE001
            # Somebody else's code may raise anything, and must not keep gradviz from starting.
            _restore(before)
            _LOG.exception("The plug-in %s (%s) is skipped", entry_point.name, entry_point.value)
            continue
        loaded.append(entry_point.name)
        for name in _replaced(before):
            _LOG.warning(
                "The plug-in %s replaces the operation %s of another", entry_point.name, name
            )
    return tuple(loaded)


def _replaced(before: Mapping[str, Op]) -> list[str]:
    return [name for name, op in before.items() if registry.find(name) is not op]


def _restore(before: Mapping[str, Op]) -> None:
    """Forget what a plug-in declared before it failed."""
    for op in registry.every():
        if before.get(op.name) is not op:
            registry.unregister(op.name)
    for name in _replaced(before):
        registry.register(before[name])


@functools.cache
def load_once() -> tuple[str, ...]:
    """Load what is installed, the first time this is called."""
    return load()


def _installed() -> list[EntryPoint]:
    # Its import costs more than all of gradviz's own.
    from importlib import metadata

    return [entry for group in GROUPS for entry in metadata.entry_points(group=group)]
