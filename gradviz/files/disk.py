"""Reading bytes from the disk: regular files of bounded size, without waiting for anything."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Final

from gradviz import platform
from gradviz.errors import FileError
from gradviz.files.scan import too_large
from gradviz.graph.names import escaped
from gradviz.limits import DOCUMENT_BYTES
from gradviz.text import Text, mark

AnyPath = str | os.PathLike[str]


def read_bytes(path: AnyPath) -> bytes:
    """The content of a regular file of at most `DOCUMENT_BYTES`. Raises FileError."""
    try:
        # Looked at before it is opened, since opening a device may do things; and again once it is
        # open, since another file may lie there by then.
        check_regular(Path(path).stat())
        with os.fdopen(os.open(path, platform.READ_FLAGS), "rb") as file:
            status = os.fstat(file.fileno())
            check_regular(status)
            if status.st_size > DOCUMENT_BYTES:
                raise too_large(status.st_size)
            return file.read(DOCUMENT_BYTES + 1)
    except (OSError, ValueError) as error:
        raise FileError(
            mark("files", "It cannot be read: {cause}."),
            path=path_words(path),
            cause=cause_words(error),
        ) from error
    except FileError as error:
        error.path = path_words(path)
        raise


def path_words(path: AnyPath) -> str:
    """A path as messages show it: on one line, with what cannot be seen escaped."""
    return escaped(os.fspath(path))


def check_regular(status: os.stat_result) -> None:
    """Raise FileError (without a path) for a directory, device, pipe or socket."""
    if stat.S_ISDIR(status.st_mode):
        raise FileError(mark("files", "This is a directory, not a file."))
    if not stat.S_ISREG(status.st_mode):
        raise FileError(mark("files", "This is not a regular file but a device, pipe or socket."))


def cause_words(error: OSError | ValueError) -> Text:
    """What the system reports, in plain words."""
    if isinstance(error, OSError):
        words = _CAUSES.get(error.errno or 0)
        return words or Text(escaped(error.strerror or str(error)))
    return _CAUSES[errno.EINVAL]


_DENIED: Final = mark("files", "permission is denied")
_CAUSES: Final = {
    errno.ENOENT: mark("files", "there is no such file or folder"),
    errno.ENOTDIR: mark("files", "a part of its path is not a directory"),
    errno.EISDIR: mark("files", "this is a directory"),
    errno.EACCES: _DENIED,
    errno.EPERM: _DENIED,
    errno.ELOOP: mark("files", "its links lead in a loop"),
    errno.ENXIO: mark("files", "nothing answers at this device or socket"),
    errno.ENAMETOOLONG: mark("files", "its name is too long for this system"),
    errno.ENOSPC: mark("files", "the disk is full"),
    errno.EFBIG: mark("files", "it is larger than the system lets a file be"),
    errno.EROFS: mark("files", "the disk can only be read"),
    errno.EIO: mark("files", "the disk reports a fault"),
    errno.EINVAL: mark("files", "the system does not accept this name"),
    errno.EMFILE: mark("files", "too many files are open"),
    # Windows has no shares of a disk.
    getattr(errno, "EDQUOT", -1): mark("files", "your share of the disk is full"),
}
