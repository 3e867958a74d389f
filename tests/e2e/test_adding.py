"""Adding in the whole window: from the palette, and mathematics in the add box."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.gui.app import Application
from gradviz.gui.document import Selection
from gradviz.gui.main_window import MainWindow
from gradviz.ops import registry
from gradviz.picture import geometry
from tests.e2e.test_window import start
from tests.support.robot import Robot


@pytest.fixture
def window(qapp, qtbot):
    application = Application(qapp)
    yield start(application, qtbot, film=True)
    for each in list(application.windows):
        each.document._history.mark_clean()
        each.close()
    qapp.removeEventFilter(application)
    application.deleteLater()
    QApplication.processEvents()


def find(window: MainWindow, text: str) -> None:
    QTest.keyClicks(window.palette_panel.search, text)
    QTest.keyClick(window.palette_panel.search, Qt.Key.Key_Return)


def covered(window: MainWindow) -> list[tuple[str, str]]:
    looks = window.canvas.sight.frame().nodes
    return [
        (a.id, b.id)
        for number, a in enumerate(looks)
        for b in looks[number + 1 :]
        if geometry.card_rect(a).overlap(geometry.card_rect(b))
    ]


def test_the_palette_adds_in_view_again_and_again_and_covers_nothing(window: MainWindow) -> None:
    camera = window.canvas.camera
    before = window.document.diagram
    for typed, op in (("nn.ReLU", "relu"), ("torch.mm", "matmul"), ("@", "matmul")):
        find(window, typed)
        (only,) = window.document.selection.nodes
        assert window.document.diagram.graph[only].op == op
        assert window.document.undo_text == "Add"
        assert covered(window) == []
    assert window.canvas.camera == camera
    for _ in range(3):
        window.do("undo")
    assert window.document.diagram is before


def test_operations_of_every_category_can_be_added_in_view(window: MainWindow) -> None:
    for op in {op.category: op for op in registry.palette()}.values():
        window.canvas.adding.add_in_view(op.name)
        (only,) = window.document.selection.nodes
        assert window.document.diagram.graph[only].op == op.name
        window.do("undo")


def test_mathematics_typed_into_the_add_box_is_one_step(window: MainWindow) -> None:
    robot = Robot(window.canvas, window.player)
    before = window.document.diagram
    window.document.select(Selection())
    window.do("add")
    robot.type("z = sum(X*X) + 1")
    robot.key(Qt.Key.Key_Return)
    assert window.document.diagram.node_called("z").op == "add"
    assert window.document.undo_text == "Build the expression"
    assert covered(window) == []
    window.do("undo")
    assert window.document.diagram is before


def test_letters_are_commands_until_they_are_asked_to_add(window: MainWindow) -> None:
    robot = Robot(window.canvas, window.player)
    robot.move(robot.empty())
    window.document.select(Selection())
    camera = window.canvas.camera
    robot.key(Qt.Key.Key_F)
    assert window.canvas.entry.add_box is None
    window.canvas.camera = camera
    window.do("toggle_type_to_add")
    for letter in ("f", "c"):
        QTest.keyClick(window.canvas, letter)
        box = window.canvas.entry.add_box
        assert box is not None
        assert box.line.text() == letter
        robot.key(Qt.Key.Key_Escape)
    assert window.canvas.camera == camera
    assert window.settings.types_to_add
    robot.type("relu")
    robot.key(Qt.Key.Key_Return)
    (only,) = window.document.selection.nodes
    assert window.document.diagram.graph[only].op == "relu"
    window.do("toggle_type_to_add")
    QTest.keyClick(window.canvas, "f")
    assert window.canvas.entry.add_box is None
