"""Saving that is whole or not at all.

The new content goes to a temporary file beside the old one, is made safe on the disk and read back;
only then does it take the old file's name, in one step. `open(path, "w")` would lose both when the
program or the power ends in between.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from pathlib import Path
from typing import Final

from gradviz import platform
from gradviz.errors import FileError
from gradviz.files.disk import AnyPath, cause_words, check_regular, path_words
from gradviz.text import Message, mark, message

# What is left by a save that was killed; a later start may clean up what carries this name.
TEMPORARY_PREFIX: Final = ".gradviz-"
TEMPORARY_SUFFIX: Final = ".tmp"


class Disk:
    """Every file step of a save, so that a test can let each one fail."""

    def create(self, path: Path) -> int:
        return os.open(path, platform.CREATE_FLAGS, 0o666)

    def keep_owner_and_mode(self, descriptor: int, like: os.stat_result) -> None:
        platform.keep_owner_and_mode(descriptor, like)

    def write(self, descriptor: int, data: memoryview) -> int:
        return os.write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        os.fsync(descriptor)

    def close(self, descriptor: int) -> None:
        os.close(descriptor)

    def read(self, path: Path) -> bytes:
        return path.read_bytes()

    def replace(self, source: Path, target: Path) -> None:
        platform.replace(source, target)

    def sync_folder(self, folder: Path) -> None:
        platform.sync_folder(folder)

    def remove(self, path: Path) -> None:
        path.unlink()


DISK: Final = Disk()


def write_bytes(path: AnyPath, data: bytes, disk: Disk = DISK) -> None:
    """Put `data` at `path`, through links, keeping the file's mode.

    Raises FileError; the old file is then untouched, unless the message says that it is saved.
    """
    try:
        target = _target(path)
        before = _replaced(target)
        name = f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}{TEMPORARY_SUFFIX}"
        temporary = target.with_name(name)
        try:
            _write_temporary(temporary, data, before, disk)
            disk.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                disk.remove(temporary)
            raise
    except (OSError, ValueError) as error:
        raise _not_saved(path, message(cause_words(error))) from error
    except FileError as error:
        raise _not_saved(path, error.message) from error
    _sync_folder(path, target.parent, disk)


def _target(path: AnyPath) -> Path:
    """The file that `path` leads to, links followed; it need not exist yet."""
    try:
        return Path(os.path.realpath(path, strict=True))
    except FileNotFoundError:
        return Path(os.path.realpath(path))


def _replaced(target: Path) -> os.stat_result | None:
    """What is known of the file to be replaced; `None` if there is none yet."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return None
    check_regular(status)
    if not os.access(target, os.W_OK):
        # A rename would not ask: only the folder's permission counts for it.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return status


def _write_temporary(
    temporary: Path, data: bytes, before: os.stat_result | None, disk: Disk
) -> None:
    descriptor = disk.create(temporary)
    try:
        if before is not None:
            disk.keep_owner_and_mode(descriptor, before)
        rest = memoryview(data)
        while rest:
            rest = rest[disk.write(descriptor, rest) :]
        disk.sync(descriptor)
    finally:
        disk.close(descriptor)
    if disk.read(temporary) != data:
        raise FileError(mark("files", "what was written reads back differently"))


def _sync_folder(path: AnyPath, folder: Path, disk: Disk) -> None:
    try:
        disk.sync_folder(folder)
    except OSError as error:
        if error.errno in _NO_FOLDER_SYNC:
            return
        raise FileError(
            mark("files", "It is saved, but might not survive a power cut: {cause}."),
            path=path_words(path),
            cause=cause_words(error),
        ) from error


# Some file systems do not sync folders, and a folder may be written but not read.
_NO_FOLDER_SYNC: Final = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES, errno.EPERM)


def _not_saved(path: AnyPath, cause: Message) -> FileError:
    return FileError(
        mark("files", "It was not saved, and what was there is untouched: {cause}."),
        path=path_words(path),
        cause=_inside(cause),
    )


def _inside(cause: Message) -> Message | str:
    """A sentence as a part of another: without its full stop."""
    return cause if not str(cause).endswith(".") else str(cause)[:-1]
