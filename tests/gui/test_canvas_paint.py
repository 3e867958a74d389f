"""What is painted again, and that it is never less than what has changed."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QImage, QPaintEvent
from PySide6.QtWidgets import QApplication

from gradviz.edit import edits
from gradviz.graph.model import Diagram, InPort, Place
from gradviz.gui.canvas import view
from gradviz.gui.document import Selection
from gradviz.picture import geometry
from gradviz.picture.colours import DARK
from gradviz.text import mark
from tests.support.robot import Robot


class Watch(QObject):
    """Listens to what is painted."""

    def __init__(self, canvas: view.Canvas) -> None:
        super().__init__()
        self.rects: list[QRect] = []
        QApplication.processEvents()
        canvas.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if isinstance(event, QPaintEvent):
            self.rects.append(event.region().boundingRect())
        return False


def far(a: QImage, b: QImage) -> int:
    """How many pixels differ by more than the rounding of an edge, which is another one where it is cut."""
    pixels = []
    for image in (a, b):
        plain = image.convertToFormat(QImage.Format.Format_RGB32)
        flat = np.frombuffer(plain.constBits(), np.uint8)
        pixels.append(flat.reshape(plain.height(), plain.width(), 4)[..., :3].astype(int))
    # On a screen of high resolution, Qt's offscreen platform grabs the upper left part only.
    height, width = np.minimum(pixels[0].shape, pixels[1].shape)[:2]
    first, second = (image[:height, :width] for image in pixels)
    return int((abs(first - second).max(axis=2) > 64).sum())


def assert_up_to_date(robot: Robot) -> None:
    assert far(robot.shown(), robot.canvas.grab().toImage()) == 0


def show(robot: Robot, progress: float) -> None:
    """A moment of the step under way, whatever the clock says."""
    robot.player._timer.stop()
    robot.player._progress = progress
    robot.player.moved.emit()


@pytest.mark.parametrize("scale", [None, 0.35, 0.15, 2.0])
def test_the_screen_follows_a_drag(robot: Robot, scale: float | None) -> None:
    if scale is not None:
        robot.canvas.zoom_to(scale)
    assert_up_to_date(robot)
    start = robot.screen(geometry.card_rect(robot.canvas.sight.look("s")).center)
    robot.press(start)
    for step in range(1, 6):
        robot.move(start + QPoint(9 * step, 7 * step))
        assert_up_to_date(robot)
    robot.key(Qt.Key.Key_Escape)
    assert_up_to_date(robot)
    robot.release(start)


def test_the_screen_follows_every_moment_of_the_film(robot: Robot) -> None:
    film = robot.player
    robot.canvas.zoom_by(1.5)
    for position in range(len(film.timeline) + 1):
        film.seek(position)
        assert_up_to_date(robot)
    for position in range(len(film.timeline)):
        film.seek(position)
        film.forward()
        for progress in (0.0, 0.2, 0.5, 0.8, 1.0):
            show(robot, progress)
            assert_up_to_date(robot)


def test_the_screen_follows_selecting_hovering_and_wiring(robot: Robot) -> None:
    for name in ("s", "X", "B"):
        robot.click(robot.header(name), Qt.KeyboardModifier.ControlModifier)
        assert_up_to_date(robot)
    robot.click(robot.header("B"))
    assert_up_to_date(robot)
    robot.click(robot.value("X", 1, 1))
    assert_up_to_date(robot)
    robot.key(Qt.Key.Key_Right)
    assert_up_to_date(robot)
    robot.document.select(Selection(wire=InPort("square", 0)))
    assert_up_to_date(robot)
    robot.move(robot.output("B"))
    assert_up_to_date(robot)
    robot.press(robot.output("B"))
    for at in (QPoint(400, 300), robot.input("square"), QPoint(700, 30), robot.input("s")):
        robot.move(at)
        assert_up_to_date(robot)
    robot.key(Qt.Key.Key_Escape)
    assert_up_to_date(robot)
    robot.release(QPoint(5, 5))
    robot.press(QPoint(2, 2))
    for at in (QPoint(300, 500), QPoint(900, 300), QPoint(100, 700), QPoint(1190, 710)):
        robot.move(at)
        assert_up_to_date(robot)
    robot.release(QPoint(1190, 710))
    assert_up_to_date(robot)


def test_a_drag_paints_the_card_and_its_wires_only(robot: Robot) -> None:
    start = robot.header("B")
    robot.press(start)
    robot.move(start + QPoint(12, 8))
    watch = Watch(robot.canvas)
    robot.move(start + QPoint(16, 8))
    QApplication.processEvents()
    card = geometry.outer_rect(robot.canvas.sight.look("B"))
    (painted,) = watch.rects
    assert painted.width() < card.width * 1.3
    assert painted.height() < card.height * 1.3
    robot.release(start)


def test_a_step_of_the_film_paints_what_takes_part(robot: Robot, monkeypatch) -> None:
    film = robot.player
    film.seek(2)
    QApplication.processEvents()
    painted: list[int] = []
    paint = view.paint_frame
    monkeypatch.setattr(
        view, "paint_frame", lambda *a: (painted.append(len(a[1].nodes)), paint(*a))
    )
    film.forward()
    show(robot, 0.4)
    QApplication.processEvents()
    assert painted
    assert max(painted) < len(robot.document.diagram.graph)


def test_hovering_over_cards_paints_nothing(robot: Robot) -> None:
    robot.move(robot.header("s"))
    watch = Watch(robot.canvas)
    robot.move(robot.header("X"), robot.value("X"), robot.empty())
    QApplication.processEvents()
    assert not watch.rects
    robot.move(robot.output("X"))
    QApplication.processEvents()
    assert len(watch.rects) == 1
    assert watch.rects[0].width() < 40


def test_an_edit_makes_one_frame(robot: Robot, monkeypatch) -> None:
    QApplication.processEvents()
    made: list[object] = []
    framer = robot.canvas.sight._framer
    make = framer.frame
    monkeypatch.setattr(
        framer, "frame", lambda *a, **k: (made.append(a), make(*a, **k))[1], raising=True
    )
    robot.document.edit(mark("edit", "x"), edits.set_value, "X", [[1.0, 2.0]])
    assert_up_to_date(robot)
    assert len(made) == 1


def test_what_is_out_of_view_is_not_painted(robot: Robot, monkeypatch) -> None:
    diagram = robot.document.diagram
    for number in range(200):
        diagram, _ = edits.add_node(diagram, "exp", Place(5000.0, 200.0 * number))
    robot.document.start(diagram)
    robot.canvas.zoom_to(1.0)
    painted: list[int] = []
    paint = view.paint_frame
    monkeypatch.setattr(
        view, "paint_frame", lambda *a: (painted.append(len(a[1].nodes)), paint(*a))
    )
    robot.canvas.grab()
    assert painted == [7]


def test_an_arrow_at_the_edge_is_as_large_at_every_zoom(robot: Robot) -> None:
    robot.player.seek(3)
    for scale in (0.1, 0.5, 2.0):
        robot.canvas.zoom_to(scale)
        robot.canvas.camera = robot.canvas.camera.panned(-9000, 0)
        (arrow,) = view.arrows(robot.canvas.sight)
        assert 0 <= arrow.point.x <= 40
        assert 0 <= arrow.point.y <= robot.canvas.height()
        assert_up_to_date(robot)


def test_a_fault_while_painting_leaves_no_painter_behind(robot: Robot, monkeypatch) -> None:
    def fault(*_: object) -> None:
        raise ValueError("on purpose")

    robot.press(robot.output("B"))
    monkeypatch.setattr(robot.canvas.tool, "paint", fault)
    with pytest.raises(ValueError, match="on purpose") as kept:
        robot.canvas.repaint()
    painters = [frame.frame.f_locals.get("painter") for frame in kept.traceback]
    used = [painter for painter in painters if painter is not None]
    assert used
    assert not any(painter.isActive() for painter in used)
    robot.key(Qt.Key.Key_Escape)
    robot.release(QPoint(5, 5))
    assert_up_to_date(robot)


def test_dark_and_light_are_painted_in_full(robot: Robot) -> None:
    light = robot.shown()
    robot.canvas.theme = DARK
    assert_up_to_date(robot)
    assert robot.shown() != light
    robot.document.start(Diagram())
    assert_up_to_date(robot)
