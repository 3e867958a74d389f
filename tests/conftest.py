"""What every test lives in: no screen needed, a home of its own, no window left behind.

Qt is only looked at here when it is there already, so that the core is tested as it runs: without.
"""

from __future__ import annotations

import gc
import itertools
import locale
import os
import sys

import hypothesis
import pytest

CHOSEN_BY_HAND = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
if sys.platform == "linux" and not CHOSEN_BY_HAND:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Qt warns about any other encoding, and warnings fail.
if sys.platform == "linux" and locale.getencoding().upper() != "UTF-8":
    os.environ["LC_ALL"] = "C.UTF-8"

hypothesis.settings.register_profile(
    "gradviz",
    deadline=None,  # time is measured in benchmarks/, never here
    max_examples=50,
    derandomize=bool(os.environ.get("CI")),  # what lands is judged by the same examples each time
    print_blob=True,
)
hypothesis.settings.load_profile("gradviz")


@pytest.fixture(scope="session")
def _homes(tmp_path_factory):
    base = tmp_path_factory.mktemp("homes")
    return (base / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def home(_homes, monkeypatch):
    """An empty home for this test: settings, state, caches and recovery files land in it."""
    folder = next(_homes)
    places = {
        "HOME": folder,
        "USERPROFILE": folder,
        "APPDATA": folder / "config",
        "LOCALAPPDATA": folder / "data",
        "XDG_CONFIG_HOME": folder / "config",
        "XDG_DATA_HOME": folder / "data",
        "XDG_STATE_HOME": folder / "state",
        "XDG_CACHE_HOME": folder / "cache",
        "XDG_RUNTIME_DIR": folder / "runtime",
    }
    for name, place in places.items():
        place.mkdir(parents=True, exist_ok=True)
        monkeypatch.setenv(name, str(place))
    places["XDG_RUNTIME_DIR"].chmod(0o700)  # Qt warns about a wider one
    core = sys.modules.get("PySide6.QtCore")
    if core is not None:
        # QSettings reads the environment only once; this is how it is told again.
        for form in (core.QSettings.Format.NativeFormat, core.QSettings.Format.IniFormat):
            core.QSettings.setPath(form, core.QSettings.Scope.UserScope, str(folder / "config"))
    return folder


@pytest.fixture(autouse=True)
def _no_window_left_behind():
    """Fails a test whose windows outlive it; its clipboard is emptied."""
    before = _windows()
    yield
    application = _application()
    if application is None:
        return
    application.clipboard().clear()
    if _new_windows(before):
        gc.collect()  # a window in a reference cycle is as good as gone
    left = _new_windows(before)
    names = [f"{type(window).__name__} {window.windowTitle()!r}" for window in left]
    _delete(left)
    assert not names, f"windows left behind: {', '.join(names)}"


def _application():
    widgets = sys.modules.get("PySide6.QtWidgets")
    found = None if widgets is None else widgets.QApplication.instance()
    return found if widgets is not None and isinstance(found, widgets.QApplication) else None


def _windows():
    """The windows that are left once what was to be deleted is deleted."""
    application = _application()
    if application is None:
        return []
    core = sys.modules["PySide6.QtCore"]
    application.sendPostedEvents(None, core.QEvent.Type.DeferredDelete)
    return [
        window
        for window in application.topLevelWidgets()
        if window.metaObject().className() != "QTipLabel"  # Qt keeps one for all tool tips
    ]


def _new_windows(before):
    return [window for window in _windows() if not any(window is old for old in before)]


def _delete(windows):
    for window in windows:
        window.close()
        window.deleteLater()
    _windows()


def pytest_sessionfinish():
    """No widget may be alive when the interpreter goes: that crashes at random."""
    _delete(_windows())
    gc.collect()
