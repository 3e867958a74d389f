"""The application with a window, and somebody who uses it."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtWidgets import QApplication

from gradviz.gui.app import Application
from gradviz.gui.main_window import MainWindow
from tests.support.robot import Robot


@pytest.fixture
def application(qapp, qtbot):
    made = Application(qapp)
    yield made
    for window in list(made.windows):
        window.document._history.mark_clean()
        window.close()
    qapp.removeEventFilter(made)
    made.deleteLater()
    QApplication.processEvents()


@pytest.fixture
def window(application: Application, qtbot) -> MainWindow:
    """*Nine sevens*, still."""
    application.start((), film=False)
    found = application.windows[0]
    with qtbot.waitActive(found):
        found.activateWindow()
    found.canvas.setFocus()
    QApplication.processEvents()
    return found


@pytest.fixture
def robot(window: MainWindow) -> Robot:
    return Robot(window.canvas, window.player)


@pytest.fixture
def capture_faults(monkeypatch) -> list[type[BaseException]]:
    """The exceptions that nobody caught from now on; they fail no test."""
    found: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: found.append(kind))
    return found
