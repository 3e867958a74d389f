"""The application, and its windows closed afterwards."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from gradviz.gui.app import Application


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
