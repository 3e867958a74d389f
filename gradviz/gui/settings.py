"""What is remembered between starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QSettings, QStandardPaths


class Settings:
    """A typed view of QSettings; unreadable entries count as absent."""

    def __init__(self) -> None:
        self._store = QSettings()

    @property
    def started_before(self) -> bool:
        """Whether gradviz has run here before."""
        return bool(self._store.value("started", defaultValue=False, type=bool))

    def note_start(self) -> None:
        """From now on it has."""
        self._store.setValue("started", True)

    @property
    def theme(self) -> str:
        """`system`, `light` or `dark`."""
        found = self._store.value("theme", "system")
        return found if found in ("system", "light", "dark") else "system"

    @theme.setter
    def theme(self, theme: str) -> None:
        self._store.setValue("theme", theme)

    @property
    def keys(self) -> str:
        """Whose keys: `gradviz`, `blender`, or `own` for those of `keys_file`."""
        found = self._store.value("keys", "gradviz")
        return found if found in ("gradviz", "blender", "own") else "gradviz"

    @keys.setter
    def keys(self, name: str) -> None:
        self._store.setValue("keys", name)

    @property
    def keys_file(self) -> Path:
        """Where a person says which keys do what."""
        place = QStandardPaths.StandardLocation.AppConfigLocation
        return Path(QStandardPaths.writableLocation(place)) / "keys.toml"

    @property
    def reduced_motion(self) -> bool:
        """Whether the film cuts from step to step instead of moving."""
        return bool(self._store.value("reduced-motion", defaultValue=False, type=bool))

    @reduced_motion.setter
    def reduced_motion(self, reduced: bool) -> None:
        self._store.setValue("reduced-motion", reduced)

    @property
    def snapping(self) -> bool:
        """Whether cards that are moved take the grid and line up with others."""
        return bool(self._store.value("snapping", defaultValue=True, type=bool))

    @snapping.setter
    def snapping(self, snapping: bool) -> None:
        self._store.setValue("snapping", snapping)

    @property
    def types_to_add(self) -> bool:
        """Whether a letter typed on the canvas adds, and is no command."""
        return bool(self._store.value("types-to-add", defaultValue=False, type=bool))

    @types_to_add.setter
    def types_to_add(self, types: bool) -> None:
        self._store.setValue("types-to-add", types)

    @property
    def files(self) -> list[Path]:
        """The files that were open when gradviz was closed, those that still exist."""
        found: Any = self._store.value("files", [])
        names = [found] if isinstance(found, str) else found if isinstance(found, list) else []
        return [Path(name) for name in names if isinstance(name, str) and Path(name).is_file()]

    @files.setter
    def files(self, files: list[Path]) -> None:
        self._store.setValue("files", [str(file) for file in files])

    @property
    def folder(self) -> str:
        """Where the last file dialog was."""
        found = self._store.value("folder", "")
        return found if isinstance(found, str) and Path(found).is_dir() else str(Path.home())

    @folder.setter
    def folder(self, folder: str) -> None:
        self._store.setValue("folder", folder)

    def window(self, name: str) -> QByteArray | None:
        """Geometry or panels as they were left."""
        found = self._store.value(f"window/{name}")
        return found if isinstance(found, QByteArray) else None

    def keep_window(self, name: str, state: QByteArray) -> None:
        """Remember geometry or panels."""
        self._store.setValue(f"window/{name}", state)
