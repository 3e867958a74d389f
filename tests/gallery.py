"""Render the window in the states that matter: `python -m tests.gallery OUT`.

One list of states; each issue adds its own. Every state is drawn at the sizes and pixel ratios given there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

RATIOS = (1, 2)


class State(NamedTuple):
    """A picture to look at. `prepare` brings the window into the state."""

    name: str
    prepare: Callable[..., None]
    theme: str = "light"
    size: tuple[int, int] = (1440, 860)
    ratios: tuple[int, ...] = (1,)


def first_minute(position: int | None, progress: float = 1.0) -> Callable[..., None]:
    """*Nine sevens* at a step of its film."""

    def prepare(window) -> None:
        open_example(window, "nine-sevens")
        timeline = window.player.timeline
        window.player.seek(len(timeline) if position is None else position)
        if progress < 1:
            window.player._progress = progress
            window.player.moved.emit()

    return prepare


def example(name: str, select: str = "", position: int | None = None) -> Callable[..., None]:
    """A shipped example, at rest at its end."""

    def prepare(window) -> None:
        open_example(window, name)
        if position is not None:
            window.player.seek(position)
        if select:
            select_node(window, select)

    return prepare


def open_example(window, name: str) -> None:
    from gradviz.resources import example_files

    window.open_example(next(path for path in example_files() if path.stem.endswith(name)))


def select_node(window, name: str) -> None:
    from gradviz.gui.document import Selection

    id = window.document.diagram.node_called(name).id
    window.document.select(Selection(frozenset({id})))


def selected(name: str, position: int) -> Callable[..., None]:
    """*Nine sevens* with a node in the inspector."""

    def prepare(window) -> None:
        first_minute(position)(window)
        select_node(window, name)

    return prepare


def shape_error(window) -> None:
    """A file whose matrix product does not fit."""
    import numpy as np

    from gradviz.graph.model import Diagram, Graph, Node, OutPort

    nodes = [
        Node("A", "variable", (), {"shape": (3, 4), "dtype": "float64"}, "A"),
        Node("W", "variable", (), {"shape": (3, 2), "dtype": "float64"}, "W"),
        Node("p", "matmul", (OutPort("A"), OutPort("W")), {}, "p"),
        Node("L", "sum", (OutPort("p"),), {}, "L"),
    ]
    values = {"A": np.ones((3, 4)), "W": np.ones((3, 2))}
    window.open_diagram(Diagram(Graph({node.id: node for node in nodes}), values))
    select_node(window, "p")


def large(window) -> None:
    """Arrays larger than their cards."""
    import gradviz as gv

    x = gv.random_normal((40, 60), seed=3, name="X")
    w = gv.random_normal((60, 12), seed=4, name="W")
    h = gv.relu(x @ w)
    window.open_diagram(gv.diagram(gv.mean(h * h)))
    select_node(window, "X")


def bad_numbers(window) -> None:
    """NaN and infinity."""
    import gradviz as gv

    x = gv.variable([4.0, 1.0, 0.0, -1.0], name="x")
    window.open_diagram(gv.diagram(gv.sum(gv.sqrt(x)) + gv.sum(gv.log(x))))
    select_node(window, "x")


def faulty_text(window) -> None:
    """Typed mathematics that cannot be read."""
    first_minute(None)(window)
    window.expression.line.setText("y = sum(X)**2 + sum(X")
    window.expression.submitted.emit(window.expression.line.text())


def halts(window) -> None:
    """A film that halts: at a node, at the first bad number, which it has reached."""
    from gradviz.edit import edits
    from gradviz.text import mark

    bad_numbers(window)
    step = mark("edit", "Breakpoint")
    window.document.edit(
        step, edits.toggle_breakpoint, [window.document.diagram.node_called("log").id]
    )
    window.document.edit(step, edits.stop_at_nan, on=True)
    window.player.to_start()
    window.player.to_next_stop()
    window.timeline.type_step()


def inside(window) -> None:
    """Gone into the rule of a matrix product, at its second moment."""
    open_example(window, "two-layer-network")
    steps = window.player.timeline.steps
    window.player.seek(
        next(i for i, step in enumerate(steps, 1) if step.rule and len(step.nodes) > 1)
    )
    window.player.into()
    window.player.forward()


def history(window) -> None:
    """Some steps, two of them undone, in the list."""
    from gradviz.edit import edits
    from gradviz.graph.model import Place
    from gradviz.text import mark

    first_minute(None)(window)
    document = window.document
    for number in range(3):
        document.edit(mark("edit", "Move"), edits.move, {"s": Place(300 + 40 * number, 320)})
    document.edit(mark("edit", "Change a value"), edits.set_cell, "X", (0, 0), 5.0)
    document.edit(mark("edit", "Delete"), edits.delete, ["B"])
    document.jump(3)
    window.do("show_history")


def lining_up(window) -> None:
    """A card that is dragged near the edge of another one, and one whose wire is straight."""
    from PySide6.QtCore import QPoint

    from tests.support.robot import Robot

    open_example(window, "nine-sevens")
    robot = Robot(window.canvas, window.player)
    start = robot.header("B")
    way = robot.header("s").x() - start.x()
    robot.press(start)
    robot.move(start + QPoint(way // 2, 10), start + QPoint(way + 2, 20))


def going_round(window) -> None:
    """A lasso, half drawn."""
    from PySide6.QtCore import QPoint, Qt

    from tests.support.robot import Robot

    open_example(window, "two-layer-network")
    robot = Robot(window.canvas, window.player)
    window.canvas.armed = "lasso"
    start = QPoint(200, 90)
    robot.press(start, Qt.KeyboardModifier.NoModifier)
    robot.move(*(start + QPoint(*by) for by in ((180, -30), (420, 60), (380, 260), (80, 300))))


def choosing(window) -> None:
    """The bar that waits for the second key."""
    from gradviz.gui.document import Selection

    open_example(window, "two-layer-network")
    window.document.select(Selection(frozenset(list(window.document.diagram.graph.nodes)[:4])))
    window.do("align")


def tidied(window) -> None:
    """Several heads of attention after L."""
    import gradviz as gv
    from gradviz.edit import layout
    from tests.layouts import heads

    diagram = gv.diagram(heads(2))
    window.open_diagram(diagram)
    sizes = window.canvas.sight.sizes()
    window.document.start(layout.arrange(diagram, sizes))
    window.canvas.fit_all()


def knife(window) -> None:
    """A stroke of the knife across three wires, one of which is led through points."""
    from PySide6.QtCore import QPointF

    from gradviz.edit import edits
    from gradviz.graph.model import InPort, Place
    from gradviz.gui.canvas.gestures import NONE
    from gradviz.gui.canvas.knife import Knife
    from gradviz.text import mark

    first_minute(None)(window)
    document = window.document
    square = document.diagram.node_called("square").id
    start, end = document.diagram.places["s"], document.diagram.places[square]
    points = (Place(end.x - 20, start.y - 120),)
    document.edit(mark("edit", "Lead a wire"), edits.set_route, InPort(square, 0), points)
    window.canvas.fit_all()
    camera = window.canvas.camera
    tool = Knife(window.canvas, camera.to_screen((end.x - 40, end.y - 80)))
    window.canvas.begin(tool)
    for share in (0.1, 0.4, 0.7, 1.0):
        at = camera.to_screen((end.x - 40 + 12 * share, end.y - 80 + 260 * share))
        tool.move(QPointF(at), NONE)


def replacing(window) -> None:
    """A wire that is drawn to a busy input."""
    from PySide6.QtCore import QPointF

    from gradviz.graph.model import InPort, OutPort
    from gradviz.gui.canvas.gestures import NONE
    from gradviz.gui.canvas.wiring import Wire

    first_minute(None)(window)
    window.canvas.fit_all()
    ids = {name: window.document.diagram.node_called(name).id for name in ("X", "square")}
    sight = window.canvas.sight
    start = sight.camera.to_screen(sight.port_point(OutPort(ids["X"])))
    tool = Wire(window.canvas, start, OutPort(ids["X"]))
    window.canvas.begin(tool)
    tool.move(QPointF(start.x() + 40, start.y()), NONE)
    tool.move(sight.camera.to_screen(sight.port_point(InPort(ids["square"], 0))), NONE)


def table(window) -> None:
    """The table of an array larger than its card, grabbed by itself."""
    large(window)
    window.do("open_table")


def slider(window) -> None:
    """One number with its slider and its handle."""
    from gradviz.edit import edits
    from gradviz.gui.document import CellRef, Selection
    from gradviz.text import mark

    open_example(window, "one-number")
    id = window.document.diagram.node_called("x").id
    window.document.edit(mark("edit", "Range"), edits.set_range, id, -4, 4)
    window.document.select(Selection(frozenset({id}), None, CellRef(id, "value", ())))


def handle(window) -> None:
    """The handle of a number in a table, and the settings of a sum."""
    from gradviz.gui.document import CellRef, Selection

    first_minute(None)(window)
    id = window.document.diagram.node_called("X").id
    window.document.select(Selection(frozenset({id}), None, CellRef(id, "value", (1, 0))))


def outline(window) -> None:
    """The outline beside a port that keys are for."""
    first_minute(None)(window)
    window.do("show_outline")
    select_node(window, "s")
    window.outline.view.expand(
        window.outline.model.row(window.document.diagram.node_called("s").id)
    )
    window.canvas.walk.next_port(1)
    window.canvas.walk.next_port(1)


def empty(window) -> None:
    """Nothing yet."""
    from gradviz.graph.model import Diagram

    window.open_diagram(Diagram())


def add_box(typed: str) -> Callable[..., None]:
    """The add box with something typed into it."""

    def prepare(window) -> None:
        from PySide6.QtCore import QPointF

        first_minute(None)(window)
        window.canvas.entry.offer(QPointF(300, 300), text=typed)

    return prepare


def on_a_wire(window) -> None:
    """A card over the wire that would take it."""
    from PySide6.QtCore import QPoint

    from gradviz.graph.model import InPort
    from gradviz.picture import curve
    from tests.support.robot import Robot

    first_minute(None)(window)
    robot = Robot(window.canvas, window.player)
    window.canvas.adding.drop("exp", window.canvas.camera.to_canvas(robot.empty().toPointF()), None)
    window.canvas.fit_all()
    wire = window.canvas.sight.wire(InPort(robot.id("add"), 1))
    assert wire is not None
    at = robot.screen(curve.point_at(wire.curve, 0.5))
    robot.press(robot.header("exp"))
    robot.move(at + QPoint(0, 40), at)


STATES = (
    State("first-minute-start", first_minute(0)),
    State("first-minute-forward", first_minute(2, 0.5)),
    State("first-minute-turn", first_minute(5)),
    State("first-minute-square", first_minute(9), ratios=(1, 2)),
    State("first-minute-packet", first_minute(9, 0.6)),
    State("first-minute-merge", selected("s", 10)),
    State("first-minute-end", first_minute(None), size=(1920, 1080)),
    State("first-minute-dark", first_minute(9), "dark", ratios=(1, 2)),
    State("small-window", selected("s", 9), size=(1280, 800)),
    State("small-window-dark", selected("B", 12), "dark", (1280, 800)),
    State("none", selected("B", 12)),
    State("unconnected", example("not-connected", "X")),
    State("one-number", example("one-number", "x")),
    State("two-roads", example("two-roads", "b")),
    State("random-matrix", example("random-matrix", "X", 9)),
    State("network", example("two-layer-network"), size=(1920, 1080)),
    State("network-dark", example("two-layer-network", "W1", 20), "dark", (1920, 1080)),
    State("shape-error", shape_error),
    State("faulty-text", faulty_text),
    State("large-arrays", large),
    State("bad-numbers", bad_numbers),
    State("halts", halts, size=(1280, 800), ratios=(1, 2)),
    State("halts-dark", halts, "dark", (1280, 800)),
    State("inside", inside),
    State("history", history, size=(1280, 800)),
    State("history-dark", history, "dark", (1280, 800)),
    State("knife", knife, size=(1280, 800)),
    State("knife-dark", knife, "dark", (1280, 800), (2,)),
    State("replacing", replacing, size=(1280, 800)),
    State("table", table, ratios=(1, 2)),
    State("table-dark", table, "dark"),
    State("slider", slider, size=(1280, 800)),
    State("slider-dark", slider, "dark", (1280, 800)),
    State("handle", handle, size=(1280, 800), ratios=(1, 2)),
    State("lining-up", lining_up, size=(1280, 800), ratios=(1, 2)),
    State("lining-up-dark", lining_up, "dark", (1280, 800)),
    State("lasso", going_round, size=(1280, 800)),
    State("lasso-dark", going_round, "dark", (1280, 800)),
    State("align", choosing, size=(1280, 800), ratios=(1, 2)),
    State("align-dark", choosing, "dark", (1280, 800)),
    State("tidied", tidied, size=(1920, 1080)),
    State("add-box", add_box("tf.reduce_")),
    State("add-box-dark", add_box("[1, 2]"), "dark"),
    State("on-a-wire", on_a_wire, ratios=(1, 2)),
    State("on-a-wire-dark", on_a_wire, "dark"),
    State("outline", outline, size=(1280, 800)),
    State("outline-dark", outline, "dark", (1280, 800)),
    State("empty", empty),
)


def draw(out: Path, ratio: int, wanted: list[str]) -> None:
    """All states of one pixel ratio; QT_SCALE_FACTOR has been set for it."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QSettings

    home = tempfile.mkdtemp(prefix="gradviz-gallery-")
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, home)
    from gradviz.gui.app import Application, qt_application

    qt = qt_application()
    application = Application(qt)
    for state in STATES:
        if ratio not in state.ratios or (wanted and state.name not in wanted):
            continue
        application._choose_theme(state.theme)
        # Every picture is of a window as it comes first.
        QSettings().remove("window")
        window = application.new_window()
        window.resize(*state.size)
        window.show()
        qt.processEvents()
        state.prepare(window)
        qt.processEvents()
        window.canvas.fit_all()
        qt.processEvents()
        suffix = "" if ratio == 1 else f"@{ratio}x"
        shown = window.command("open_table").__self__.tables[-1:] or [window]
        shown[0].grab().save(str(out / f"{state.name}{suffix}.png"))
        window.document._history.mark_clean()
        window.close()
        qt.processEvents()


def main(arguments: list[str]) -> int:
    """OUT [STATE…]; without states, all of them."""
    if not arguments:
        print("python -m tests.gallery OUT [STATE…]", file=sys.stderr)
        return 2
    out, wanted = Path(arguments[0]), arguments[1:]
    out.mkdir(parents=True, exist_ok=True)
    ratio = os.environ.get("GRADVIZ_GALLERY_RATIO")
    if ratio is not None:
        draw(out, int(ratio), wanted)
        return 0
    for each in RATIOS:
        environment = {
            **os.environ,
            "GRADVIZ_GALLERY_RATIO": str(each),
            "QT_SCALE_FACTOR": str(each),
        }
        subprocess.run(
            [sys.executable, "-m", "tests.gallery", str(out), *wanted], env=environment, check=True
        )
    print(f"{len(list(out.glob('*.png')))} pictures in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
