"""Reading and saving where the POSIX-only calls are missing, as on Windows."""

import subprocess
import sys
from pathlib import Path

import pytest

from gradviz import platform

MASKED = """
import errno, os, sys, pathlib
import subprocess, random, tempfile, selectors   # the standard library may look for itself first
for name in (
    "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_NOFOLLOW", "O_DIRECTORY", "fchmod", "fchown", "chown",
    "mkfifo", "fork", "getuid", "geteuid", "getgid", "umask",
):
    if hasattr(os, name):
        delattr(os, name)
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
del errno.EDQUOT
from gradviz.files import native
path = pathlib.Path(sys.argv[1])
diagram = native.load(path)
native.save(path, diagram, {"zoom": 2})
assert native.read(path).view == {"zoom": 2}
assert native.dumps(native.load(path)) == native.dumps(diagram)
print("fine")
"""


def test_files_are_read_and_saved_without_posix(tmp_path):
    path = tmp_path / "d.gradviz"
    path.write_bytes(Path(__file__).with_name("every_feature.gradviz").read_bytes())
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", MASKED, path],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert (run.stdout, run.stderr) == ("fine\n", "")
    assert [entry.name for entry in tmp_path.iterdir()] == ["d.gradviz"]


def test_a_rename_is_tried_again_on_windows(tmp_path, monkeypatch):
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_text("new")
    renamed = Path.replace
    attempts = []

    def held(self, to):
        attempts.append(to)
        if len(attempts) < 3:
            raise PermissionError
        return renamed(self, to)

    monkeypatch.setattr(Path, "replace", held)
    monkeypatch.setattr(platform.time, "sleep", lambda _: None)
    with pytest.raises(PermissionError):
        platform.replace(source, target)
    monkeypatch.setattr(platform, "WINDOWS", True)
    platform.replace(source, target)
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_a_rename_that_stays_forbidden_is_given_up(tmp_path, monkeypatch):
    attempts = []

    def held(self, to):
        attempts.append(to)
        raise PermissionError

    monkeypatch.setattr(Path, "replace", held)
    monkeypatch.setattr(platform.time, "sleep", lambda _: None)
    monkeypatch.setattr(platform, "WINDOWS", True)
    with pytest.raises(PermissionError):
        platform.replace(tmp_path / "a", tmp_path / "b")
    assert len(attempts) == 10
