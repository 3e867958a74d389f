"""A program of its own: start, edit, delete, and quit in the midst of something. `python -m tests.e2e.quitting NUMBER`.

It quits as a user does, through the menu and the question; what goes wrong is printed, and the exit code tells.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

import gradviz as gv
from gradviz.edit import edits
from gradviz.graph.model import Place
from gradviz.gui import app
from gradviz.gui.main_window import MainWindow
from gradviz.text import mark
from tests.support.robot import Robot

KEY = Qt.Key


def at_rest(robot: Robot, window: MainWindow) -> None:
    pass


def with_an_editor(robot: Robot, window: MainWindow) -> None:
    robot.double_click(robot.value("X"))
    robot.type("12")


def with_the_add_box(robot: Robot, window: MainWindow) -> None:
    robot.double_click(robot.empty())
    robot.type("ma")


def drawing_a_wire(robot: Robot, window: MainWindow) -> None:
    robot.press(robot.output("B"))
    robot.move(QPoint(300, 300), QPoint(320, 330))


def moving_a_card(robot: Robot, window: MainWindow) -> None:
    robot.press(robot.header("B"))
    robot.move(QPoint(300, 300), QPoint(320, 330))


def playing(robot: Robot, window: MainWindow) -> None:
    QTest.keyClick(robot.canvas, KEY.Key_F5)


def checking(robot: Robot, window: MainWindow) -> None:
    QTest.keyClick(robot.canvas, KEY.Key_F7)


def computing(robot: Robot, window: MainWindow) -> None:
    y = x = gv.variable(0.5, name="x")
    for _ in range(3000):
        y = gv.sin(y)
    window.document.start(gv.diagram(y, x))
    window.document.edit(mark("edit", "Move"), edits.move, {"x": Place(4, 4)})


def deleted_under_an_editor(robot: Robot, window: MainWindow) -> None:
    with_an_editor(robot, window)
    window.document.edit(mark("edit", "Delete"), edits.delete, ["X"])


def with_all_undone(robot: Robot, window: MainWindow) -> None:
    for _ in range(9):
        window.do("undo")


MOMENTS: tuple[Callable[[Robot, MainWindow], None], ...] = (
    with_an_editor,
    computing,
    playing,
    at_rest,
    with_the_add_box,
    drawing_a_wire,
    moving_a_card,
    checking,
    deleted_under_an_editor,
    with_all_undone,
)


def use(number: int) -> None:
    qt = QApplication.instance()
    application = qt.findChild(app.Application)
    (window,) = application.windows
    robot = Robot(window.canvas, window.player)
    window.activateWindow()
    window.canvas.setFocus()
    robot.wire("B", "s")
    robot.add("exp")
    robot.type_value("X", "4")
    robot.click(robot.header("s"))
    robot.key(KEY.Key_Delete)
    assert "s" not in window.document.diagram.graph.id_of_name
    window.do("undo")
    robot.double_click(robot.value("B"))
    window.do("select_all" if number % 2 else "copy")
    robot.key(KEY.Key_Escape)
    robot.click(robot.header("y"))
    robot.key(KEY.Key_Delete)
    MOMENTS[number % len(MOMENTS)](robot, window)
    assert window.fault.isHidden(), window.fault.report
    QTimer.singleShot(0, discard)
    window._actions["quit" if number % 3 else "close"].trigger()


def discard() -> None:
    box = QApplication.activeModalWidget()
    if isinstance(box, QMessageBox):
        box.button(QMessageBox.StandardButton.Discard).click()


def run(number: int) -> None:
    try:
        use(number)
    except BaseException:  # noqa: BLE001  # the program must end, whatever it was
        traceback.print_exc()
        os._exit(9)


if __name__ == "__main__":
    app.qt_application()
    QTimer.singleShot(60, lambda: run(int(sys.argv[1])))
    sys.exit(app.main([], film=True))
