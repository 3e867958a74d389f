"""Adding: on a wire it goes in between; numbers and mathematics are typed where they shall be; nothing is covered."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent
from PySide6.QtWidgets import QApplication

from gradviz.edit import edits
from gradviz.graph.model import InPort, OutPort, Place
from gradviz.gui.actions import ACTIONS
from gradviz.gui.canvas.between import Between
from gradviz.gui.canvas.drops import OP_MIME
from gradviz.gui.canvas.keys import SIGNS
from gradviz.gui.canvas.tools import Move
from gradviz.gui.document import Selection
from gradviz.ops import registry
from gradviz.picture import curve, geometry
from gradviz.text import mark
from tests.support.robot import NONE, Robot

ALT = Qt.KeyboardModifier.AltModifier
KEY = Qt.Key


def card(robot: Robot, op: str, **options) -> str:
    """A card somewhere below everything, without wires; its name."""
    added: list[str] = []
    bottom = robot.canvas.sight.frame().bounds.bottom + 60

    def add(diagram):
        grown, id = edits.add_node(diagram, op, Place(0, bottom), **options)
        added.append(id)
        return grown

    robot.document.edit(mark("edit", "Add"), add)
    robot.canvas.fit_all()
    return robot.document.diagram.graph[added[0]].name


def wire(robot: Robot, target: str, index: int = 0) -> QPoint:
    """The middle of a wire on the screen."""
    look = robot.canvas.sight.wire(InPort(robot.id(target), index))
    assert look is not None
    return robot.screen(curve.point_at(look.curve, 0.5))


def feeds(robot: Robot, target: str, index: int = 0) -> str:
    port = robot.document.diagram.graph[robot.id(target)].inputs[index]
    return "" if port is None else robot.document.diagram.graph[port.node].name


def overlapping(robot: Robot) -> list[tuple[str, str]]:
    rects = [(look.id, geometry.card_rect(look)) for look in robot.canvas.sight.frame().nodes]
    return [
        (a, b)
        for number, (a, first) in enumerate(rects)
        for b, second in rects[number + 1 :]
        if first.overlap(second)
    ]


def dropped(op: str) -> QMimeData:
    data = QMimeData()
    data.setData(OP_MIME, op.encode())
    return data


def lit(robot: Robot) -> InPort | None:
    tool = robot.canvas.tool
    assert isinstance(tool, Move)
    return tool._between.taken if tool._between is not None else None


def test_a_card_let_go_on_a_wire_goes_in_between(robot: Robot) -> None:
    name = card(robot, "exp")
    before = robot.document.diagram
    start, end = robot.header(name), wire(robot, "s")
    robot.press(start)
    robot.move((start + end) / 2, end)
    assert lit(robot) == InPort(robot.id("s"), 0)
    robot.release(end)
    assert (feeds(robot, name), feeds(robot, "s")) == ("X", name)
    assert robot.document.undo_text == "Put on a wire"
    assert robot.document.selection.nodes == {robot.id(name)}
    assert overlapping(robot) == []
    robot.document.undo()
    assert robot.document.diagram is before


def test_the_wire_through_the_middle_of_a_card_takes_it_too(robot: Robot) -> None:
    name = card(robot, "exp")
    look = robot.canvas.sight.look(robot.id(name))
    assert look is not None
    middle = robot.screen(geometry.card_rect(look).center)
    by = wire(robot, "s") - middle
    start = robot.header(name)
    robot.drag(start, start + by)
    assert feeds(robot, "s") == name


def test_alt_keeps_a_card_off_the_wire(robot: Robot) -> None:
    name = card(robot, "exp")
    start, end = robot.header(name), wire(robot, "s")
    robot.press(start)
    robot.move(end)
    assert lit(robot) is not None
    tool = robot.canvas.tool
    assert tool is not None
    tool.move(QPointF(end), ALT)
    assert lit(robot) is None
    robot.release(end, ALT)
    assert feeds(robot, "s") == "X"
    assert robot.document.undo_text == "Move"


def test_what_does_not_fit_says_so_and_stays_beside(robot: Robot) -> None:
    name = card(robot, "cholesky")
    start, end = robot.header(name), wire(robot, "square")
    robot.press(start)
    robot.move((start + end) / 2, end)
    assert lit(robot) is None
    assert robot.canvas.refusal
    robot.release(end)
    assert not robot.canvas.refusal
    assert feeds(robot, "square") == "s"
    assert robot.document.undo_text == "Move"


def test_a_card_with_wires_and_one_without_inputs_are_only_moved(robot: Robot) -> None:
    for name in ("B", "y"):
        robot.drag(robot.header(name), wire(robot, "s"))
        assert robot.document.undo_text == "Move"
        assert feeds(robot, "s") == "X"
        robot.document.undo()


def test_escape_on_a_wire_leaves_no_trace(robot: Robot) -> None:
    name = card(robot, "exp")
    before = robot.document.diagram
    robot.press(robot.header(name))
    robot.move(wire(robot, "s"))
    robot.key(KEY.Key_Escape)
    robot.release(wire(robot, "s"))
    assert robot.document.diagram is before
    assert not robot.canvas.refusal


def test_neighbours_stay_unless_they_would_be_covered(robot: Robot) -> None:
    name = card(robot, "exp")
    places = robot.document.diagram.places
    robot.drag(robot.header(name), wire(robot, "s"))
    assert feeds(robot, "s") == name
    after = robot.document.diagram.places
    moved = {id for id in places if after[id] != places[id]} - {robot.id(name)}
    assert all(after[id].x > places[id].x and after[id].y == places[id].y for id in moved)
    assert not moved & {robot.id("X"), robot.id("B")}
    # Where there is room, nothing moves.
    robot.document.undo()
    far = {id: Place(p.x + (0 if id == robot.id("X") else 900), p.y) for id, p in places.items()}
    robot.document.edit(mark("edit", "Move"), edits.move, far)
    robot.canvas.fit_all()
    robot.drag(robot.header(name), wire(robot, "s"))
    assert feeds(robot, "s") == name
    for id, place in far.items():
        assert id == robot.id(name) or robot.document.diagram.places[id] == place


def test_cards_whose_numbers_become_longer_cover_nothing_either(robot: Robot) -> None:
    for target, index in (("square", 0), ("add", 0), ("add", 1), ("y", 0)):
        assert robot.drop(wire(robot, target, index), dropped("exp"))
        assert overlapping(robot) == []
        robot.document.undo()


def test_an_op_from_the_palette_goes_in_between(robot: Robot) -> None:
    at = wire(robot, "s")
    before = robot.document.diagram
    assert robot.drop(at, dropped("exp"))
    assert feeds(robot, "s") == "exp"
    assert overlapping(robot) == []
    robot.document.undo()
    assert robot.document.diagram is before


def test_a_drag_from_the_palette_lights_the_wire_and_leaves_it(robot: Robot) -> None:
    at, data = wire(robot, "s"), dropped("exp")
    action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    QApplication.sendEvent(robot.canvas, QDragEnterEvent(at, action, data, button, NONE))
    between = robot.canvas._drops._between
    assert isinstance(between, Between)
    assert between.taken == InPort(robot.id("s"), 0)
    shown = robot.canvas.grab().toImage()
    QApplication.sendEvent(robot.canvas, QDragMoveEvent(at, action, data, button, ALT))
    assert between.taken is None
    assert robot.canvas.grab().toImage() != shown
    QApplication.sendEvent(robot.canvas, QDragLeaveEvent())
    assert robot.canvas._drops._between is None
    assert robot.document.is_clean


def test_an_op_that_does_not_fit_is_added_beside_and_it_is_said(robot: Robot) -> None:
    hints: list[str] = []
    robot.canvas.status_hint.connect(hints.append)
    robot.drop(wire(robot, "square"), dropped("cholesky"))
    assert "cholesky" in robot.document.diagram.graph.id_of_name
    assert feeds(robot, "square") == "s"
    assert hints[0].startswith("It does not fit on the wire: ")
    assert overlapping(robot) == []


def test_the_add_box_on_a_wire_adds_in_between(robot: Robot) -> None:
    robot.move(wire(robot, "s"))
    robot.key(KEY.Key_Tab)
    robot.type("exp")
    robot.key(KEY.Key_Return)
    assert feeds(robot, "s") == "exp"
    assert overlapping(robot) == []


@pytest.mark.parametrize(
    ("typed", "starts_at_output"), [("cholesky", True), ("matmul", True), ("reduce_mean", False)]
)
def test_a_wire_let_go_on_nothing_is_taken_by_the_port_that_fits(
    robot: Robot, typed: str, starts_at_output: bool
) -> None:
    if not starts_at_output:
        end = InPort(robot.id("y"), 1)
        robot.document.edit(mark("edit", "Remove a wire"), edits.disconnect, end)
    before = robot.document.diagram
    robot.canvas.zoom_by(0.5)
    at = QPoint(600, 600)
    robot.drag(robot.output("X") if starts_at_output else robot.input("y", 1), at)
    box = robot.canvas.entry.add_box
    assert box is not None
    # Sources take no wire; any operation may lead to an input.
    sources = {op.name for op in registry.palette() if op.is_source}
    assert bool(sources & set(box.offers)) is not starts_at_output
    robot.type(typed)
    robot.key(KEY.Key_Return)
    (new,) = robot.document.selection.nodes
    if starts_at_output:
        node = robot.document.diagram.graph[new]
        port: OutPort | InPort = InPort(new, node.inputs.index(OutPort(robot.id("X"))))
    else:
        assert robot.document.diagram.graph[robot.id("y")].inputs[1] == OutPort(new)
        port = OutPort(new)
    reach = (robot.screen(robot.canvas.sight.port_point(port)) - at).manhattanLength()
    assert reach <= 8 * robot.canvas.camera.scale + 2
    assert [pair for pair in overlapping(robot) if new in pair] == []
    robot.document.undo()
    assert robot.document.diagram is before


@pytest.mark.parametrize(
    ("typed", "op", "value"),
    [
        ("3", "constant", 3.0),
        ("0.5", "constant", 0.5),
        ("-2e-3", "constant", -0.002),
        ("[1, 2]", "constant", [1, 2]),
        ("[[1, 2], [3, 4]]", "constant", [[1, 2], [3, 4]]),
    ],
)
def test_numbers_make_a_constant_where_they_are_typed(robot: Robot, typed, op, value) -> None:
    at = robot.empty()
    id = robot.add(typed, at)
    assert robot.document.diagram.graph[id].op == op
    assert robot.document.diagram.values[id].tolist() == value
    assert robot.document.undo_text == "Add"


def test_digits_open_the_add_box_and_one_row_below_is_a_variable(robot: Robot) -> None:
    robot.document.select(Selection())
    robot.move(robot.empty())
    robot.type("42")
    box = robot.canvas.entry.add_box
    assert box is not None
    assert box.line.text() == "42"
    assert box.offers[:2] == ["constant", "variable"]
    robot.key(KEY.Key_Down)
    robot.key(KEY.Key_Return)
    only = robot.document.selection.only
    assert only is not None
    assert robot.document.diagram.graph[only].op == "variable"
    assert robot.document.diagram.values[only] == 42


@pytest.mark.parametrize(("sign", "op"), [("@", "matmul"), ("+", "add"), ("*", "multiply")])
def test_a_sign_typed_on_the_canvas_adds_its_operation(robot: Robot, sign: str, op: str) -> None:
    robot.document.select(Selection())
    robot.move(robot.empty())
    robot.type(sign)
    robot.key(KEY.Key_Return)
    only = robot.document.selection.only
    assert only is not None
    assert robot.document.diagram.graph[only].op == op


def test_no_sign_that_adds_is_the_key_of_a_command() -> None:
    assert not SIGNS & {key for action in ACTIONS for key in action.keys}


def test_mathematics_in_the_add_box_is_built(robot: Robot, qtbot) -> None:
    robot.double_click(robot.empty())
    robot.type("s**2")
    with qtbot.waitSignal(robot.canvas.expression_typed) as typed:
        robot.key(KEY.Key_Return)
    assert typed.args == ["s**2"]
    # From a wire it is not offered: it would not be wired.
    robot.canvas.entry.offer(QPointF(robot.empty()), OutPort(robot.id("s")), "s**2")
    assert robot.canvas.entry.add_box is not None
    assert "=" not in robot.canvas.entry.add_box.offers
    robot.key(KEY.Key_Escape)


def test_the_add_box_for_a_selected_wire_adds_in_between(robot: Robot) -> None:
    robot.document.select(Selection(wire=InPort(robot.id("s"), 0)))
    robot.canvas.entry.offer()
    robot.type("nn.ReLU")
    robot.key(KEY.Key_Return)
    assert feeds(robot, "s") == "relu"


def test_what_was_added_last_is_offered_first(robot: Robot) -> None:
    for op in ("exp", "matmul", "exp"):
        robot.add(op)
    robot.canvas.entry.offer(QPointF(robot.empty()))
    box = robot.canvas.entry.add_box
    assert box is not None
    assert box.offers[:2] == ["exp", "matmul"]
    assert len(set(box.offers)) == len(box.offers)
    robot.key(KEY.Key_Escape)


def test_the_add_box_tells_whose_name_it_was_and_what_is_near(robot: Robot) -> None:
    robot.canvas.entry.offer(QPointF(robot.empty()), text="tf.reduce_sum")
    box = robot.canvas.entry.add_box
    assert box is not None
    assert box.offers[0] == "sum"
    first = box._list.item(0)
    assert first.toolTip().startswith("reduce_sum in TensorFlow. ")
    box.line.setText("sigggmoid")
    assert box._list.item(0).text() == "nothing is called that; near it:"
    count = len(robot.document.diagram.graph)
    robot.key(KEY.Key_Return)
    assert len(robot.document.diagram.graph) == count
    robot.key(KEY.Key_Down)
    robot.key(KEY.Key_Return)
    only = robot.document.selection.only
    assert only is not None
    assert robot.document.diagram.graph[only].op == "sigmoid"


@pytest.mark.parametrize("corner", [(0, 0), (1199, 0), (0, 719), (1199, 719)])
def test_the_add_box_is_never_off_the_canvas_and_goes_by_esc_click_or_focus(
    robot: Robot, corner: tuple[int, int]
) -> None:
    before = robot.document.diagram
    for go in (
        lambda: robot.key(KEY.Key_Escape),
        lambda: robot.click(robot.empty()),
        robot.canvas.setFocus,
    ):
        robot.canvas.entry.offer(QPointF(*corner), text="exp")
        box = robot.canvas.entry.add_box
        assert box is not None
        assert robot.canvas.rect().contains(box.geometry())
        go()
        assert robot.canvas.entry.add_box is None
    assert robot.document.diagram is before


OPS = ["exp", "matmul", "variable", "constant", "concat", "random_normal", "where", "conv2d"]


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from(OPS), st.integers(0, 1199), st.integers(0, 719)),
        min_size=1,
        max_size=5,
    )
)
def test_no_sequence_of_adds_covers_a_card(robot: Robot, adds) -> None:
    start = robot.document.diagram
    try:
        for op, x, y in adds:
            robot.drop(QPoint(x, y), dropped(op))
            new = robot.document.selection.only
            assert [pair for pair in overlapping(robot) if new in pair] == []
    finally:
        for _ in adds:
            robot.document.undo()
    assert robot.document.diagram is start
