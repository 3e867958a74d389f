"""What only some systems can do, each with its fallback; nothing else asks which system it is on."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Final

WINDOWS: Final = os.name == "nt"

# Flags a system does not have are 0. Opening never waits (a FIFO without a writer), never makes a
# terminal ours, never hands the file to a child, and on Windows never changes line ends.
READ_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
CREATE_FLAGS: Final = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_FOLDER_FLAGS: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_REPLACE_ATTEMPTS: Final = 10
_REPLACE_PAUSE: Final = 0.02


def keep_owner_and_mode(descriptor: int, like: os.stat_result) -> None:
    """Give an open file the owner (where allowed) and permissions of the file it will replace."""
    if hasattr(os, "fchown"):
        # Only root may give a file away; everybody else keeps being its owner.
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, like.st_uid, like.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, like.st_mode & 0o7777)


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` survive a power cut, where the system lets folders be synced."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, _FOLDER_FLAGS)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace(source: Path, target: Path) -> None:
    """A rename over what is there; tried again on Windows while a virus scanner or an indexer holds the file."""
    attempts = _REPLACE_ATTEMPTS if WINDOWS else 1
    for attempt in range(attempts):
        try:
            source.replace(target)
        except PermissionError:
            if attempt == attempts - 1:
                raise
            time.sleep(_REPLACE_PAUSE * (attempt + 1))
        else:
            return
