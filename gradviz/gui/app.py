"""The application: its windows, theme, settings, and what it shows at start."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QThread, QTimer
from PySide6.QtGui import QGuiApplication, QIcon, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QLineEdit

import gradviz
from gradviz import display, resources
from gradviz.errors import InputError
from gradviz.graph.model import Diagram
from gradviz.gui import theme as themes
from gradviz.gui.main_window import MainWindow
from gradviz.gui.reports import Reporter
from gradviz.gui.settings import Settings
from gradviz.picture import fonts

FIRST_EXAMPLE = "nine-sevens"
_BEGINNINGS = (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)


class Application(QObject):
    """All windows of one process."""

    def __init__(self, qt: QApplication) -> None:
        super().__init__(qt)
        self._qt = qt
        self.settings = Settings()
        self.windows: list[MainWindow] = []
        self._reporter = Reporter(self)
        self._reporter.happened.connect(self._show_fault)
        fonts.load()
        self.theme = themes.apply(qt, self.settings.theme)
        qt.styleHints().colorSchemeChanged.connect(self._follow_system)
        qt.installEventFilter(self)

    def install_reporter(self) -> None:
        """Exceptions nobody caught become one line in the window."""
        self._reporter.install()

    def new_window(self) -> MainWindow:
        """An empty window."""
        window = MainWindow(self.theme, self.settings)
        window.closed.connect(self._forget)
        window.asked_new.connect(self._new)
        window.asked_open.connect(self.open)
        window.theme_chosen.connect(self._choose_theme)
        window.keys_chosen.connect(self._choose_keys)
        self.windows.append(window)
        return window

    def start(self, files: Sequence[Path], *, film: bool = True) -> None:
        """What is shown at start: the files given; else, the first time, the film; else those of last time."""
        first = not self.settings.started_before
        self.settings.note_start()
        for file in files or (() if first else self.settings.files):
            self.open(file)
        if not self.windows:
            window = self.new_window()
            window.show()
            if first or not files:
                self._open_first(window, film=film and first)

    def _open_first(self, window: MainWindow, *, film: bool) -> None:
        path = next((p for p in resources.example_files() if p.stem.endswith(FIRST_EXAMPLE)), None)
        if path is None or (not film and self.settings.files):
            return
        window.open_example(path)
        if film:
            window.play_soon()

    def open(self, path: Path) -> None:
        """Open a file in the untouched window, or in a new one; a shipped example as an untitled copy."""
        path = Path(path)
        for window in self.windows:
            if window.document.path is not None and _same_file(window.document.path, path):
                window.raise_()
                window.activateWindow()
                return
        window = self._untouched_window() or self.new_window()
        window.end_opening()
        window.show()
        if path.parent == resources.path("examples"):
            window.open_example(path)
        elif not window.open_file(path) and window.is_untouched and len(self.windows) > 1:
            window.close()

    def _new(self) -> None:
        window = self._untouched_window()
        if window is None:
            window = self.new_window()
            window.show()
        window.end_opening()
        window.open_diagram(Diagram())

    def _untouched_window(self) -> MainWindow | None:
        active = self._qt.activeWindow()
        candidates = sorted(self.windows, key=lambda window: window is not active)
        return next((window for window in candidates if window.is_untouched), None)

    def _forget(self, window: MainWindow) -> None:
        if len(self.windows) == 1 or window.document.path is not None:
            open_paths = [w.document.path for w in self.windows if w.document.path is not None]
            self.settings.files = open_paths
        self.windows.remove(window)
        window.deleteLater()

    def _choose_keys(self, name: str) -> None:
        self.settings.keys = name
        for window in self.windows:
            window.apply_keys()

    def _choose_theme(self, name: str) -> None:
        self.settings.theme = name
        self._follow_system()

    def _follow_system(self) -> None:
        self.theme = themes.apply(self._qt, self.settings.theme)
        for window in self.windows:
            window.set_theme(self.theme)

    def _show_fault(self, report: str) -> None:
        active = self._qt.activeWindow()
        for window in sorted(self.windows, key=lambda w: w is not active)[:1]:
            window.fault.show_report(report)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The first key or click pauses the film that started by itself; a line leaves undo to the document."""
        if event.type() in _BEGINNINGS:
            for window in self.windows:
                if window.is_opening:
                    playing = window.player.playing
                    window.end_opening()
                    if playing and isinstance(event, QKeyEvent) and event.text() == " ":
                        return True
        if event.type() == QEvent.Type.ShortcutOverride and _nothing_to_undo_in(watched, event):
            event.ignore()
            return True
        return False


def _nothing_to_undo_in(watched: QObject, event: QEvent) -> bool:
    """Undo and redo are for what is typed in a line; with nothing typed there, they are for the document."""
    if not isinstance(watched, QLineEdit) or not isinstance(event, QKeyEvent):
        return False
    if event.matches(QKeySequence.StandardKey.Undo):
        return not watched.isUndoAvailable()
    return event.matches(QKeySequence.StandardKey.Redo) and not watched.isRedoAvailable()


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return one == other


def qt_application() -> QApplication:
    """The QApplication, made if there is none."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    qt = QApplication(sys.argv[:1])
    qt.setApplicationName("gradviz")
    qt.setOrganizationName("gradviz")
    qt.setApplicationVersion(gradviz.__version__)
    QGuiApplication.setDesktopFileName("gradviz")
    icon = resources.path("icons", "gradviz.svg")
    if icon.exists():
        qt.setWindowIcon(QIcon(str(icon)))
    return qt


def main(files: Sequence[Path] = (), *, film: bool = True) -> int:
    """Show the window until it is closed; the exit code."""
    qt = qt_application()
    application = Application(qt)
    application.install_reporter()
    QTimer.singleShot(0, lambda: application.start(files, film=film))
    return qt.exec()


def show(diagram: Diagram) -> None:
    """Show a diagram. Blocks until the window is closed, unless a Qt event loop runs already.

    Raises InputError where there is no screen.
    """
    problem = display.problem()
    if problem is not None:
        raise InputError(problem)
    qt = qt_application()
    # An interactive Python runs Qt's loop while it waits for input.
    running = QThread.currentThread().loopLevel() > 0 or hasattr(sys, "ps1")
    application = qt.findChild(Application) or Application(qt)
    window = application.new_window()
    window.show()
    window.open_diagram(diagram)
    if not running:
        qt.exec()
