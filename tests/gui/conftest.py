"""A canvas with *Nine sevens* on it, and somebody who uses it."""

from __future__ import annotations

import pytest

import gradviz as gv
from gradviz.edit import layout
from gradviz.graph.model import Diagram
from gradviz.gui.canvas.view import Canvas
from gradviz.gui.document import Document
from gradviz.gui.player import Player
from gradviz.picture.frame import Framer
from tests.support.robot import Robot


def nine_sevens() -> Diagram:
    X = gv.variable([[1, 0, -1], [2, 1, 0], [0, -1, 1]], name="X")
    B = gv.variable([[1, 2], [3, 4]], name="B")
    s = gv.sum(X)
    s.name = "s"
    return gv.diagram(s**2 + s - 1, [X, B])


@pytest.fixture
def robot(qtbot):
    document = Document()
    player = Player(document)
    framer = Framer()
    canvas = Canvas(document, player, framer)
    qtbot.addWidget(canvas)
    canvas.resize(1200, 720)
    # Time stands still: a drag near the edge moves the view only where a test says so.
    canvas.edge_pan.clock = lambda: 0.0
    with qtbot.waitActive(canvas):
        canvas.show()
        canvas.activateWindow()
    canvas.setFocus()
    document.start(nine_sevens())
    document.start(layout.arrange(document.diagram, framer.sizes(document.answer)))
    canvas.fit_all()
    yield Robot(canvas, player)
    document.close()
