"""What a path may lead to. Nothing here may wait, and nothing but a regular file is read."""

import errno
import os
import socket
import sys

import pytest

from gradviz.errors import FileError
from gradviz.files import native
from gradviz.graph.model import Diagram
from gradviz.limits import DOCUMENT_BYTES

GOOD = native.dumps(Diagram())
posix = pytest.mark.skipif(os.name == "nt", reason="needs links, pipes and modes")


def refusal(path):
    with pytest.raises(FileError) as caught:
        native.load(path)
    assert caught.value.path
    assert str(caught.value).isprintable()
    return str(caught.value)


def test_a_missing_file(tmp_path):
    path = tmp_path / "none.gradviz"
    assert refusal(path) == f"{path}: It cannot be read: there is no such file or folder."


def test_a_path_through_a_file(tmp_path):
    (tmp_path / "a").write_bytes(GOOD)
    assert "cannot be read" in refusal(tmp_path / "a" / "b")


def test_a_directory(tmp_path):
    assert refusal(tmp_path).endswith("This is a directory, not a file.")


def test_a_text_path(tmp_path):
    path = tmp_path / "d.gradviz"
    path.write_bytes(GOOD)
    assert len(native.load(str(path)).graph) == 0


def test_odd_paths_are_shown_escaped(tmp_path):
    text = refusal(tmp_path / "a\n\x1b[2J\u202eb.gradviz")
    assert "a\\n\\x1b[2J\\u202eb.gradviz" in text


def test_a_path_no_system_accepts():
    assert "does not accept this name" in refusal("a\0b")
    assert "cannot be read" in refusal("a" * 5000)


@posix
def test_a_fifo_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    assert "not a regular file but a device, pipe or socket" in refusal(tmp_path / "fifo")


@posix
def test_a_device_is_refused(tmp_path):
    (tmp_path / "zero").symlink_to("/dev/zero")
    assert "not a regular file" in refusal(tmp_path / "zero")


@posix
def test_a_socket_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket")
        assert "not a regular file" in refusal("socket")


@posix
def test_what_replaces_the_file_between_looking_and_opening_is_refused_too(tmp_path, monkeypatch):
    path = tmp_path / "d.gradviz"
    path.write_bytes(GOOD)
    opened = os.open

    def swapped(name, flags):
        path.unlink()
        os.mkfifo(path)
        return opened(name, flags)

    monkeypatch.setattr(os, "open", swapped)
    assert "not a regular file" in refusal(path)


@posix
def test_links_are_followed_to_regular_files_only(tmp_path):
    (tmp_path / "good.gradviz").write_bytes(GOOD)
    (tmp_path / "link").symlink_to("good.gradviz")
    assert len(native.load(tmp_path / "link").graph) == 0
    (tmp_path / "loop").symlink_to("loop")
    assert "links lead in a loop" in refusal(tmp_path / "loop")
    (tmp_path / "dangling").symlink_to("nothing")
    assert "no such file" in refusal(tmp_path / "dangling")


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_nobody_may_read(tmp_path):
    path = tmp_path / "d.gradviz"
    path.write_bytes(GOOD)
    path.chmod(0)
    assert "permission is denied" in refusal(path)


def test_a_huge_file_is_refused_by_its_size(tmp_path, monkeypatch):
    path = tmp_path / "huge.gradviz"
    with path.open("wb") as file:
        file.truncate(2**32)
    monkeypatch.setattr(os, "read", None)
    assert "It has 4,294,967,296 bytes; a gradviz file has at most 33,554,432." in refusal(path)


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "d.gradviz"
    path.write_bytes(b" " * (DOCUMENT_BYTES + 10))
    status = os.stat_result((0o100644, 0, 0, 1, 0, 0, 5, 0, 0, 0))
    monkeypatch.setattr(os, "fstat", lambda _: status)
    assert "at most 33,554,432" in refusal(path)


@pytest.mark.parametrize("number", [errno.EIO, errno.EMFILE, errno.EACCES, 12345])
def test_what_the_system_reports_is_told_in_words(number, tmp_path, monkeypatch):
    path = tmp_path / "d.gradviz"
    path.write_bytes(GOOD)

    def failing(*_):
        raise OSError(number, "odd\x07 cause")

    monkeypatch.setattr(os, "open", failing)
    assert "It cannot be read: " in refusal(path)


def test_a_large_document_is_read_within_its_memory():
    """A document of 32 MiB that asks for much more is refused before it is built."""
    tracemalloc = pytest.importorskip("tracemalloc")
    document = b"[" + b"[]," * (DOCUMENT_BYTES // 3 - 1) + b"1]"
    tracemalloc.start()
    try:
        with pytest.raises(FileError, match="600,000 lists and objects"):
            native.loads(document)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * len(document)
    assert sys.getrecursionlimit() == 1000
