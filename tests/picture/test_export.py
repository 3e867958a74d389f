"""Pictures for people without the app."""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree as ET

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtSvg import QSvgRenderer

from gradviz.picture.colours import DARK, LIGHT
from gradviz.picture.export import LARGEST_SIDE, to_image, to_svg
from gradviz.picture.labels import compose
from gradviz.picture.look import Cells, Number
from tests.picture import samples

pytestmark = pytest.mark.usefixtures("qapp")
FRAMES = pytest.mark.parametrize("name", samples.FRAMES)


def numbers(frame):
    """Every number a frame shows."""
    for node in frame.nodes:
        for band in (node.value, node.gradient):
            if isinstance(band.content, Number):
                yield band.content.text
            elif isinstance(band.content, Cells):
                yield from (cell for row in band.content.rows for cell in row)


def texts(svg):
    return [html.unescape(found) for found in re.findall(r">([^<>]+)</text>", svg.decode())]


@FRAMES
def test_the_svg_holds_every_number_as_text(name):
    frame = samples.FRAMES[name]()
    found = texts(to_svg(frame, LIGHT))
    for number in numbers(frame):
        assert number in found


@FRAMES
def test_the_svg_is_valid_and_as_large_as_the_picture(name):
    frame = samples.FRAMES[name]()
    svg = to_svg(frame, LIGHT)
    ET.fromstring(svg)
    image = to_image(frame, LIGHT)
    size = QSvgRenderer(QByteArray(svg)).viewBox().size()
    assert (size.width(), size.height()) == (image.width(), image.height())


def test_the_svg_names_generic_fonts_too():
    svg = to_svg(samples.done(), LIGHT)
    assert b"monospace" in svg
    assert b"sans-serif" in svg


def test_a_title_is_escaped():
    svg = to_svg(samples.start(), LIGHT, title="a < b & c")
    ET.fromstring(svg)


def test_an_image_has_the_pixels_that_were_asked_for():
    frame = samples.done()
    one, two = to_image(frame, DARK), to_image(frame, DARK, scale=2)
    assert (two.width(), two.height()) == (2 * one.width(), 2 * one.height())
    assert one.pixelColor(0, 0) == DARK.canvas


def test_the_margin_is_free():
    frame = samples.start()
    image = to_image(frame, LIGHT, margin=40)
    dots = {LIGHT.canvas.name(), LIGHT.line.name()}
    edge = {image.pixelColor(x, 20).name() for x in range(image.width())}
    assert LIGHT.canvas.name() in edge
    assert edge.isdisjoint({LIGHT.ink.name(), LIGHT.source.name()})
    assert len(edge - dots) <= 4  # smoothed dots


def test_an_empty_frame_gives_an_empty_picture():
    frame = compose(())
    assert not to_image(frame, LIGHT).isNull()
    ET.fromstring(to_svg(frame, LIGHT))


def test_a_huge_frame_becomes_a_smaller_picture():
    far = samples.NodeLook("far", samples.CARDS["one"], samples.Point(60_000, 0))
    near = samples.NodeLook("near", samples.CARDS["one"], samples.Point(0, 0))
    image = to_image(compose((near, far)), LIGHT)
    assert 0 < image.width() <= LARGEST_SIDE
