"""Unexpected exceptions: one line in the window with a report that can be copied; the document stays usable."""

from __future__ import annotations

import platform
import sys
import traceback
from pathlib import Path
from types import TracebackType

import PySide6
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

import gradviz


class Reporter(QObject):
    """Takes the place of `sys.excepthook`."""

    happened = Signal(str)

    def install(self) -> None:
        """From now on an exception that nobody caught becomes a report."""
        sys.excepthook = self._report

    def _report(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QGuiApplication.quit()
            return
        self.happened.emit(report(error, trace))


def report(error: BaseException, trace: TracebackType | None) -> str:
    """What happened, for a developer; no personal paths."""
    lines = traceback.format_exception(type(error), error, trace)
    head = (
        f"gradviz {gradviz.__version__}, Python {platform.python_version()}, PySide6 {PySide6.__version__}, "
        f"{platform.system()} {platform.machine()}\n"
    )
    return (head + "".join(lines)).replace(str(Path.home()), "~")


class FaultBar(QWidget):
    """One line: something went wrong that is not the user's fault."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._report = ""
        self._count = 0
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        copy = QPushButton(self.tr("Copy report"), self)
        copy.clicked.connect(self._copy)
        hide = QPushButton(self.tr("Hide"), self)
        hide.clicked.connect(self._dismiss)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 4, 16, 4)
        layout.addWidget(self._label, 1)
        layout.addWidget(copy)
        layout.addWidget(hide)
        self.setObjectName("fault")
        self.hide()

    @property
    def report(self) -> str:
        """The first report since the bar was hidden."""
        return self._report

    def show_report(self, report: str) -> None:
        """Say that something went wrong; further faults are counted, not piled up."""
        self._count += 1
        if self._count == 1:
            self._report = report
        text = self.tr(
            "Something went wrong inside gradviz. Your document is unharmed and can be saved."
        )
        self._label.setText(text if self._count == 1 else f"{text} ({self._count}×)")
        self.show()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._report)

    def _dismiss(self) -> None:
        self._count = 0
        self.hide()
