"""A document with *Nine sevens*, a player whose time stands still, and panels on the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QLabel, QToolTip, QWidget

import gradviz as gv
from gradviz.graph.model import Diagram, Query
from gradviz.gui import theme
from gradviz.gui.document import Document
from gradviz.gui.player import Player


class Clock:
    """Time that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def nine_sevens() -> Diagram:
    X = gv.variable([[1, 0, -1], [2, 1, 0], [0, -1, 1]], name="X")
    B = gv.variable([[1, 2], [3, 4]], name="B")
    s = gv.sum(X)
    s.name = "s"
    made = gv.diagram(s**2 + s - 1, [X, B])
    return replace(made, queries=(Query(("y",), ("X", "B")),))


@pytest.fixture
def document(qtbot) -> Iterator[Document]:
    made = Document()
    made.start(nine_sevens())
    yield made
    made.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def player(document: Document, clock: Clock) -> Player:
    return Player(document, clock=clock)


@pytest.fixture
def show(qtbot, qapp) -> Callable[..., QWidget]:
    """Put a panel on the screen, as the active window."""
    theme.apply(qapp, "light")

    def shown(panel: QWidget, width: int = 376, height: int = 640) -> QWidget:
        qtbot.addWidget(panel)
        panel.resize(width, height)
        with qtbot.waitActive(panel):
            panel.show()
            panel.activateWindow()
        return panel

    return shown


def texts(widget: QWidget) -> list[str]:
    """What the visible labels of a panel say, top to bottom."""
    QApplication.processEvents()
    labels = [label for label in widget.findChildren(QLabel) if label.isVisible() and label.text()]
    places = [(label.mapTo(widget, label.rect().center()), label) for label in labels]
    lines = sorted(places, key=lambda found: (found[0].y() // 12, found[0].x()))
    return [label.text() for _, label in lines]


def tip_at(widget: QWidget, point: QPoint) -> str:
    """The tool tip at a point."""
    event = QHelpEvent(QEvent.Type.ToolTip, point, widget.mapToGlobal(point))
    QApplication.sendEvent(widget, event)
    return QToolTip.text()
