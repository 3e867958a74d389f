"""Whole frames are painted in every theme, size and detail, and leave the painter as it was."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage, QPainter

from gradviz.picture import geometry, labels, scene
from gradviz.picture.colours import DARK, LIGHT
from gradviz.picture.content import content
from gradviz.picture.hit import Hit, Part
from gradviz.picture.look import Band, Flow, State
from gradviz.picture.node import paint_node, paint_part, paint_selection
from gradviz.picture.pen import Detail, detail_at, slanted_lines
from gradviz.picture.plane import Rect
from tests.picture import samples

pytestmark = pytest.mark.usefixtures("qapp")


def painted(paint, size=(400, 400), ground="white"):
    image = QImage(*size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(ground))
    painter = QPainter(image)
    before = painter.transform(), painter.opacity()
    paint(painter)
    assert (painter.transform(), painter.opacity()) == before
    painter.end()
    return image


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("scale", [0.1, 0.3, 1.0, 1.5])
@pytest.mark.parametrize("name", samples.FRAMES)
def test_a_frame_is_painted_at_every_scale(name, theme, scale):
    def paint(painter):
        painter.save()
        painter.scale(scale, scale)
        scene.paint_frame(painter, samples.FRAMES[name](), theme)
        painter.restore()

    image = painted(paint)
    colours = {image.pixelColor(x, y).name() for x in range(0, 400, 3) for y in range(0, 400, 3)}
    assert len(colours) > 3


def test_less_detail_is_painted_from_farther_away():
    assert [detail_at(scale) for scale in (1.0, 0.45, 0.44, 0.25, 0.24)] == [
        Detail.FULL,
        Detail.FULL,
        Detail.SWATCH,
        Detail.SWATCH,
        Detail.BOX,
    ]


def test_only_what_is_visible_is_painted(monkeypatch):
    painted_ids = []
    monkeypatch.setattr(scene, "paint_node", lambda _p, node, *_: painted_ids.append(node.id))
    frame = samples.done()
    target = next(node for node in frame.nodes if node.id == "B")
    painted(lambda p: scene.paint_frame(p, frame, LIGHT, geometry.card_rect(target)))
    assert painted_ids == ["B"]


def test_a_new_look_repaints_only_inside_of_its_outer_rectangle():
    node = next(node for node in samples.through_square().nodes if node.id == "sum")
    outer = geometry.outer_rect(node).moved((-node.place.x + 20, -node.place.y + 40))
    at = dataclasses.replace(node, place=samples.Point(20, 40))
    image = painted(lambda p: paint_node(p, at, LIGHT))
    for x in range(0, 400, 3):
        for y in range(0, 400, 3):
            if not outer.grown(1).contains((x, y)):
                assert image.pixelColor(x, y) == QColor("white"), (x, y)


def test_zero_nan_and_infinity_differ_without_colour():
    cells = []
    for value in (0.0, 1e-9, np.nan, np.inf, -np.inf):
        array = np.full((20, 1), value)
        array[1] = 1.0
        card = samples.op_card("", "x", 1, value=samples.room((20, 1), [array]))
        look = samples.NodeLook(
            "x", card, samples.Point(0, 0), value=Band(State.KNOWN, content(array))
        )
        image = painted(lambda p, look=look: paint_node(p, look, LIGHT))
        box = geometry.arrange(card).value.cell_rect(0, 0)
        grey = image.convertToFormat(QImage.Format.Format_Grayscale8)
        cells.append(
            tuple(
                grey.pixelColor(int(box.x + x), int(box.y + y)).value()
                for x in range(int(box.width))
                for y in range(int(box.height))
            )
        )
    assert len(set(cells)) == len(cells)


def test_not_yet_never_looks_like_zero():
    frame = samples.start()
    node = next(node for node in frame.nodes if node.id == "X")
    zero = dataclasses.replace(node, gradient=samples.known(np.zeros((3, 3))))
    box = geometry.arrange(node.card).gradient.box.moved(node.place)

    def colours(look):
        image = painted(lambda p: paint_node(p, look, LIGHT))
        return {
            image.pixelColor(int(box.x + x), int(box.y + 3 + x % 5)).name() for x in range(8, 60)
        }

    assert colours(node).isdisjoint({LIGHT.panel.name()})
    assert LIGHT.panel.name() in colours(zero)


def test_selection_and_parts_are_painted_over_a_look():
    node = dataclasses.replace(samples.start().nodes[0], place=samples.Point(40, 40))
    plain = painted(lambda p: paint_node(p, node, LIGHT))

    def chosen(painter):
        paint_node(painter, node, LIGHT)
        paint_selection(painter, node, LIGHT)
        paint_part(painter, node, Hit(Part.VALUE, 0, 1, 1), LIGHT.ink)
        paint_part(painter, node, Hit(Part.OUTPUT, 0), LIGHT.ink)

    assert painted(chosen) != plain


def test_arrows_are_painted_with_their_names():
    arrow = labels.edge_arrow(Rect(0, 0, 400, 400), Rect(900, 100, 10, 10), Flow.BACKWARD, "sum")
    image = painted(lambda p: scene.paint_arrow(p, arrow, LIGHT))
    assert image != painted(lambda _p: None)


def test_hatching_stays_in_its_rectangle():
    rect = Rect(10, 20, 55, 33)
    for line in slanted_lines(rect, 7):
        for x, y in ((line.x1(), line.y1()), (line.x2(), line.y2())):
            assert rect.grown(1e-6).contains((x, y))
