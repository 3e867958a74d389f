"""Text fits its box, names are cut and numbers never."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QImage, QPainter, QPicture

from gradviz.picture import geometry, labels, matrix, node_text, scene, text, wire
from gradviz.picture.colours import LIGHT
from gradviz.picture.look import Cells, Number
from gradviz.picture.plane import Rect
from tests.picture import samples

pytestmark = pytest.mark.usefixtures("qapp")
FRAMES = pytest.mark.parametrize("name", samples.FRAMES)


def node_pieces(node):
    arrangement = geometry.arrange(node.card)
    if not arrangement.header:
        return node_text.small(node, arrangement, LIGHT)
    pieces = node_text.header(node, arrangement, LIGHT)
    pieces += node_text.captions(node, arrangement, LIGHT)
    for box, band in ((arrangement.value, node.value), (arrangement.gradient, node.gradient)):
        if box and isinstance(band.content, Cells):
            pieces += matrix.cell_pieces(box, band.content, LIGHT)
    return pieces


def all_pieces(frame):
    pieces = [piece for node in frame.nodes for piece in node_pieces(node)]
    for look in frame.wires:
        if look.label:
            pieces += wire.label_pieces(look.label, look, LIGHT)
    for note in frame.notes:
        pieces += scene.note_pieces(note, LIGHT)
    return pieces


@FRAMES
def test_every_text_fits_its_box(name):
    for piece in all_pieces(samples.FRAMES[name]()):
        assert text.width(piece.text, piece.style) <= piece.box.width + 0.01, piece
        assert piece.style.pixels <= piece.box.height, piece


@FRAMES
def test_texts_of_a_card_do_not_overlap(name):
    for node in samples.FRAMES[name]().nodes:
        placed = []
        for piece in node_pieces(node):
            width = text.width(piece.text, piece.style)
            x = piece.box.x + (piece.box.width - width) * piece.align.value
            placed.append(Rect(x, piece.box.center.y - 5, width, 10))
        if not 0 < node.merge < 1:
            for i, a in enumerate(placed):
                assert not any(a.overlap(b) > 0.5 for b in placed[:i]), node.id


@FRAMES
def test_numbers_appear_whole(name):
    for node in samples.FRAMES[name]().nodes:
        shown = [piece.text for piece in node_pieces(node)]
        for band in (node.value, node.gradient):
            if isinstance(band.content, Number) and not 0 < node.merge < 1 and node.card.gradient:
                assert band.content.text in shown
            elif isinstance(band.content, Cells):
                assert all(cell in shown for row in band.content.rows for cell in row)


def test_a_name_is_cut_to_its_room_and_keeps_its_start():
    name = "a_name_that_goes_on_for_ever"
    short = text.elide(name, text.PLAIN, 80)
    assert short.endswith("…")
    assert name.startswith(short[:-1])
    assert text.width(short, text.PLAIN) <= 80
    assert text.elide("x", text.PLAIN, 80) == "x"


def test_sentences_wrap_at_spaces_and_lose_no_word():
    sentence = "Nothing leads from B to y, so changing B cannot change y."
    lines = text.wrap(sentence, text.PLAIN, 120)
    assert " ".join(lines) == sentence
    assert all(text.width(line, text.PLAIN) <= 120 for line in lines)


def test_what_has_no_spaces_wraps_too():
    for sentence in ("没有导线从这里通向那里所以改变它不能改变结果", "x" * 90):
        lines = text.wrap(sentence, text.PLAIN, 100)
        assert "".join(lines) == sentence
        assert all(text.width(line, text.PLAIN) <= 100 for line in lines)


def test_digits_have_one_width():
    for style in (text.NUMBER, text.BIG_NUMBER, text.STRONG_NUMBER):
        widths = {text.width(character, style) for character in "0123456789.e−∞"}
        assert len(widths) == 1


def test_pixels_get_glyph_runs_and_documents_get_text():
    image = QImage(10, 10, QImage.Format.Format_ARGB32_Premultiplied)
    for device, vector in ((image, False), (QPicture(), True)):
        painter = QPainter(device)
        assert text.is_vector(painter) is vector
        painter.end()


def test_both_ways_of_drawing_put_text_in_the_same_place():
    """Compared by the rectangle of what was painted, a pixel of smoothing apart."""
    piece = text.Piece("−1.234e−05", Rect(10, 10, 120, 24), text.NUMBER, QColor("black"))
    boxes = []
    for draw in (text.draw, lambda painter, pieces: text._draw_text(painter, pieces[0])):
        image = QImage(140, 44, QImage.Format.Format_Grayscale8)
        image.fill(255)
        painter = QPainter(image)
        draw(painter, [piece])
        painter.end()
        dark = [
            (x, y) for x in range(140) for y in range(44) if image.pixelColor(x, y).value() < 128
        ]
        xs, ys = zip(*dark, strict=True)
        boxes.append((min(xs), min(ys), max(xs), max(ys)))
    assert all(abs(a - b) <= 1 for a, b in zip(*boxes, strict=True))


def test_a_character_the_font_lacks_is_still_drawn():
    image = QImage(60, 30, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor("white"))
    painter = QPainter(image)
    piece = text.Piece("梯度 X", Rect(0, 0, 60, 30), text.PLAIN, QColor("black"))
    text.draw(painter, [piece])
    painter.end()
    assert any(image.pixelColor(x, 15).value() < 200 for x in range(60))


def test_labels_are_as_large_as_their_lines():
    width, height = labels.label_size(("1 × 2·s", "= 6"))
    assert width > text.width("1 × 2·s", text.NUMBER)
    assert height >= 2 * labels.LINE
