"""PySide6 6.12.0 loses a reference to None in every call that returns nothing.

Where None is mortal (Python 3.11) the process aborts after some thousand such calls, while it
paints. Run this before lifting the pin in pyproject.toml.
"""

import sys

import pytest
from PySide6.QtCore import QObject, QRectF, QTimer
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QLabel

CALLS = 1_000


@pytest.fixture
def room():
    """References to spare, so that a faulty PySide6 fails this test instead of ending it."""
    return [None] * 20 * CALLS


def _lost(call):
    call()
    before = sys.getrefcount(None)
    for _ in range(CALLS):
        call()
    return before - sys.getrefcount(None)


def test_void_calls_of_values_keep_none(room, qapp):
    path, pen, font, color = QPainterPath(), QPen(), QFont(), QColor("red")
    calls = {
        "QPainterPath.clear": path.clear,
        "QPainterPath.addRect": lambda: path.addRect(QRectF(0, 0, 1, 1)),
        "QPen.setWidthF": lambda: pen.setWidthF(1),
        "QFont.setPixelSize": lambda: font.setPixelSize(9),
        "QColor.setRgb": lambda: color.setRgb(1, 2, 3),
    }
    lost = {name: _lost(call) for name, call in calls.items()}
    assert {name: count for name, count in lost.items() if count > CALLS // 10} == {}


def test_void_calls_of_a_painter_keep_none(room, qapp):
    image = QImage(8, 8, QImage.Format.Format_ARGB32)
    painter, pen, path = QPainter(image), QPen(), QPainterPath()
    calls = {
        "setPen": lambda: painter.setPen(pen),
        "setOpacity": lambda: painter.setOpacity(1),
        "save": lambda: (painter.save(), painter.restore()),
        "drawPath": lambda: painter.drawPath(path),
        "fillRect": lambda: painter.fillRect(0, 0, 2, 2, QColor("red")),
        "QImage.fill": lambda: image.fill(0),
    }
    lost = {name: _lost(call) for name, call in calls.items()}
    painter.end()
    assert {name: count for name, count in lost.items() if count > CALLS // 10} == {}


def test_void_calls_of_objects_and_widgets_keep_none(room, qtbot):
    label, timer, thing = QLabel(), QTimer(), QObject()
    qtbot.addWidget(label)
    calls = {
        "QLabel.setText": lambda: label.setText("a"),
        "QWidget.update": label.update,
        "QTimer.setInterval": lambda: timer.setInterval(5),
        "QObject.setObjectName": lambda: thing.setObjectName("a"),
    }
    lost = {name: _lost(call) for name, call in calls.items()}
    assert {name: count for name, count in lost.items() if count > CALLS // 10} == {}
