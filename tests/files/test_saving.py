"""A save is whole or not at all, whichever step fails."""

import errno
import os
import stat
from pathlib import Path

import pytest

from gradviz.errors import FileError
from gradviz.files import atomic, native
from gradviz.files.atomic import Disk, write_bytes
from gradviz.graph.model import Diagram, Graph, Node

posix = pytest.mark.skipif(os.name == "nt", reason="needs links and modes")
STEPS = ["create", "keep_owner_and_mode", "write", "sync", "close", "read", "replace"]
FAULTS = [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT]


class FailingDisk(Disk):
    """Fails at one step, in the middle of it if it can be done by half."""

    def __init__(self, step, fault):
        self.step = step
        self.fault = fault
        self.calls = []

    def __getattribute__(self, name):
        method = super().__getattribute__(name)
        if name.startswith("_") or not callable(method):
            return method
        self.calls.append(name)
        if name != self.step:
            return method

        def failing(*arguments):
            if name == "write":
                method(arguments[0], arguments[1][:10])
            if name == "close":
                method(*arguments)
            raise self.fault

        return failing


def folder_of(path):
    return sorted(entry.name for entry in path.parent.iterdir())


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "d.gradviz"
    found.write_bytes(b"old")
    return found


@pytest.mark.parametrize("number", FAULTS)
@pytest.mark.parametrize("step", STEPS)
def test_a_failing_step_leaves_the_old_file_and_no_temporary_one(path, step, number):
    with pytest.raises(FileError) as caught:
        write_bytes(path, b"new" * 1000, FailingDisk(step, OSError(number, os.strerror(number))))
    assert path.read_bytes() == b"old"
    assert folder_of(path) == ["d.gradviz"]
    assert caught.value.path == str(path)
    assert "It was not saved, and what was there is untouched: " in str(caught.value)


def test_the_cause_is_named(path):
    with pytest.raises(FileError, match="untouched: the disk is full"):
        write_bytes(path, b"new", FailingDisk("write", OSError(errno.ENOSPC, "")))


def test_an_interrupt_leaves_no_temporary_file(path):
    with pytest.raises(KeyboardInterrupt):
        write_bytes(path, b"new", FailingDisk("sync", KeyboardInterrupt()))
    assert (path.read_bytes(), folder_of(path)) == (b"old", ["d.gradviz"])


def test_what_reads_back_differently_is_not_put_in_place(path):
    disk = Disk()
    disk.read = lambda _: b"nfw"
    with pytest.raises(FileError, match="reads back differently"):
        write_bytes(path, b"new", disk)
    assert (path.read_bytes(), folder_of(path)) == (b"old", ["d.gradviz"])


def test_a_temporary_file_that_cannot_be_removed_does_not_hide_the_cause(path):
    disk = FailingDisk("write", OSError(errno.EIO, ""))
    disk.remove = lambda _: (_ for _ in ()).throw(OSError(errno.EROFS, ""))
    with pytest.raises(FileError, match="the disk reports a fault"):
        write_bytes(path, b"new", disk)


def test_a_failing_folder_says_that_the_file_is_saved(path):
    with pytest.raises(FileError, match="It is saved, but might not survive a power cut"):
        write_bytes(path, b"new", FailingDisk("sync_folder", OSError(errno.EIO, "")))
    assert (path.read_bytes(), folder_of(path)) == (b"new", ["d.gradviz"])


def test_a_folder_that_cannot_be_synced_is_no_fault(path):
    write_bytes(path, b"new", FailingDisk("sync_folder", OSError(errno.EINVAL, "")))
    assert path.read_bytes() == b"new"


def test_short_writes_are_continued(path):
    class SlowDisk(Disk):
        def write(self, descriptor, data):
            return super().write(descriptor, data[:7])

    write_bytes(path, bytes(range(256)), SlowDisk())
    assert path.read_bytes() == bytes(range(256))


def test_the_file_is_synced_before_it_is_put_in_place_and_the_folder_after(path):
    disk = FailingDisk("", None)
    write_bytes(path, b"new", disk)
    kept = [step for step in disk.calls if step not in ("write", "close")]
    assert kept == ["create", "keep_owner_and_mode", "sync", "read", "replace", "sync_folder"]


def test_a_new_file_is_made(tmp_path):
    write_bytes(tmp_path / "new.gradviz", b"new")
    assert folder_of(tmp_path / "new.gradviz") == ["new.gradviz"]


def test_a_name_as_long_as_the_system_allows(tmp_path):
    write_bytes(tmp_path / ("n" * 247 + ".gradviz"), b"new")
    assert (tmp_path / ("n" * 247 + ".gradviz")).read_bytes() == b"new"


@posix
def test_a_new_file_obeys_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        write_bytes(tmp_path / "new.gradviz", b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.gradviz").stat().st_mode) == 0o640


@posix
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o755])
def test_the_mode_is_kept(path, mode):
    path.chmod(mode)
    write_bytes(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
def test_a_link_stays_and_its_target_is_written(tmp_path, path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    link = folder / "link.gradviz"
    link.symlink_to("../d.gradviz")
    write_bytes(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert folder_of(link) == ["link.gradviz"]


@posix
def test_a_link_to_nothing_yet_makes_its_target(tmp_path):
    (tmp_path / "link").symlink_to("made.gradviz")
    write_bytes(tmp_path / "link", b"new")
    assert (tmp_path / "made.gradviz").read_bytes() == b"new"


@posix
def test_only_regular_files_are_replaced(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "loop").symlink_to("loop")
    for name, words in (("fifo", "not a regular file"), ("", "a directory"), ("loop", "in a loop")):
        with pytest.raises(FileError, match=words) as caught:
            write_bytes(tmp_path / name, b"new")
        assert "untouched" in str(caught.value)
    assert stat.S_ISFIFO((tmp_path / "fifo").stat().st_mode)


def test_a_missing_folder(tmp_path):
    with pytest.raises(FileError, match="there is no such file or folder"):
        write_bytes(tmp_path / "none" / "d.gradviz", b"new")


def test_a_read_only_file_is_not_replaced(path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write all
    with pytest.raises(FileError, match="permission is denied"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"old"


def test_a_full_device(tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")

    class FullDisk(Disk):
        def write(self, descriptor, data):
            with Path("/dev/full").open("wb", buffering=0) as full:
                return full.write(data)

    with pytest.raises(FileError, match="the disk is full"):
        write_bytes(tmp_path / "d.gradviz", b"new", FullDisk())
    assert list(tmp_path.iterdir()) == []


def test_temporary_files_can_be_told_by_their_name(path):
    seen = []

    class WatchingDisk(Disk):
        def replace(self, source, target):
            seen.append(source.name)
            super().replace(source, target)

    write_bytes(path, b"new", WatchingDisk())
    assert seen[0].startswith(atomic.TEMPORARY_PREFIX)
    assert seen[0].endswith(atomic.TEMPORARY_SUFFIX)


def test_save_and_load(tmp_path):
    diagram = Diagram(Graph({"x": Node("x", "conv9", name="x")}))
    native.save(tmp_path / "d.gradviz", diagram, {"zoom": 2})
    loaded = native.read(tmp_path / "d.gradviz")
    assert loaded.view == {"zoom": 2}
    assert loaded.diagram.graph["x"].name == "x"
