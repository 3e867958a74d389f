"""What the canvas costs per frame and per edit, beside a QGraphicsView that paints the same looks.

python -m benchmarks.canvas [--json] [--nodes 1000 10000] [--rounds N] [--only SCENARIO]

The yardstick: a QGraphicsScene with an item a card, painted by the same functions at the same level of detail, and a path item
a wire, updated when an end moves; minimal viewport updates, Qt's index, the better of no item cache and Qt's device cache for
each scenario. Both paint into a view of 1440×900 in software; figures are processor time, the best of the rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from benchmarks import tables

SIZE: Final = (1440, 900)
BARS: Final = {
    "fit repaint": 1 / 3,
    "fit zoom step": 1 / 3,
    "select all and drag": 1 / 8,
    "drag one": 1.3,
    "pan": 1.3,
}
"""The most that a scenario may cost, in parts of the yardstick."""
LIMITS: Final = {
    "hover hit test": {1_000: 0.1, 10_000: 0.1},
    "connect": {1_000: 16.0, 10_000: 50.0},
    "delete": {1_000: 16.0, 10_000: 50.0},
    "undo": {1_000: 16.0, 10_000: 50.0},
    "open": {10_000: 2000.0},
}
"""The most that a scenario without a yardstick may cost, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement; `limit` is a number of milliseconds, or a share of the yardstick."""

    scenario: str
    nodes: int
    ms: float
    yardstick_ms: float | None = None

    @property
    def share(self) -> float | None:
        return self.ms / self.yardstick_ms if self.yardstick_ms else None

    @property
    def bar(self) -> float | None:
        if self.yardstick_ms is not None:
            return BARS.get(self.scenario)
        return LIMITS.get(self.scenario, {}).get(self.nodes)

    @property
    def is_met(self) -> bool | None:
        found = self.share if self.yardstick_ms is not None else self.ms
        return None if self.bar is None or found is None else found <= self.bar


def grid_of(count: int) -> Any:
    """A square of additions of 2×2 matrices, each reading its left and its upper left neighbour."""
    import numpy as np

    from gradviz.graph.model import Diagram, Graph, Node, OutPort, Place, frozen_array

    side = max(2, round(count**0.5))
    nodes, places, values = {}, {}, {}
    for i in range(count):
        row, column = divmod(i, side)
        id = f"n{i}"
        places[id] = Place(column * 260.0, row * 280.0)
        if not column:
            settings = {"shape": (2, 2), "dtype": "float64"}
            nodes[id] = Node(id, "variable", (), settings, f"v{i}")
            values[id] = frozen_array(np.array([[1.0, 2.0], [3.0, i % 7]]))
        else:
            left = f"n{i - 1}"
            above = f"n{i - side - 1}" if row else left
            nodes[id] = Node(id, "maximum", (OutPort(left), OutPort(above)), {}, f"a{i}")
    return Diagram(Graph(nodes), values, places=places)


def cpu(action: Callable[[], object], rounds: int) -> float:
    """Milliseconds of processor time, the best of the rounds."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return best * 1000


class Ours:
    """The canvas of gradviz."""

    def __init__(self, diagram: Any) -> None:
        from gradviz.gui.canvas.view import Canvas
        from gradviz.gui.document import Document
        from gradviz.gui.player import Player
        from gradviz.picture.frame import Framer

        self.document = Document()
        self.player = Player(self.document)
        self.canvas = Canvas(self.document, self.player, Framer())
        self.canvas.resize(*SIZE)
        self.canvas.show()
        self.document.start(diagram)
        self.settle()
        self.fit()
        self._turn = 0

    def settle(self) -> None:
        """Wait for the answer of a large graph."""
        from PySide6.QtCore import QEventLoop
        from PySide6.QtWidgets import QApplication

        while self.document.computing:
            # Waiting costs nothing: the thread of the run is what is measured.
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        QApplication.processEvents()

    def fit(self) -> None:
        self.canvas.fit_all()
        self.canvas.repaint()

    def near(self) -> None:
        self.canvas.zoom_to(1.0)
        for _ in range(3):
            self.canvas.repaint()

    def repaint(self) -> None:
        self.canvas.repaint()

    def pan(self) -> None:
        self._turn += 1
        by = 24 if self._turn % 2 else -24
        self.canvas.camera = self.canvas.camera.panned(by, by / 2)
        self.canvas.repaint()

    def zoom(self) -> None:
        self._turn += 1
        self.canvas.zoom_by(1.15 if self._turn % 2 else 1 / 1.15)
        self.canvas.repaint()

    def drag(self, ids: list[str]) -> None:
        from PySide6.QtWidgets import QApplication

        from gradviz.graph.model import Place

        self._turn += 1
        by = 4.0 * (1 + self._turn % 5)
        places = self.document.diagram.places
        self.canvas.moved = {id: Place(places[id].x + by, places[id].y + by) for id in ids}
        QApplication.processEvents()

    def end_drag(self) -> None:
        self.canvas.moved = {}
        self.canvas.repaint()

    def middle(self) -> str:
        """The id of a card in the middle of the view."""
        from gradviz.picture import geometry

        view = self.canvas.sight.view().center
        looks = self.canvas.sight.frame().nodes
        best = min(
            looks,
            key=lambda look: (
                abs(geometry.card_rect(look).center.x - view.x)
                + abs(geometry.card_rect(look).center.y - view.y)
            ),
        )
        return best.id

    def close(self) -> None:
        self.document.close()
        self.canvas.close()


def yardstick_class() -> Any:
    """Made late: Qt's widgets are only imported where something is measured."""
    from PySide6.QtCore import QRectF
    from PySide6.QtGui import QPainter
    from PySide6.QtWidgets import (
        QGraphicsItem,
        QGraphicsPathItem,
        QGraphicsScene,
        QGraphicsView,
    )

    from gradviz.picture import curve, geometry
    from gradviz.picture.colours import LIGHT
    from gradviz.picture.node import paint_node
    from gradviz.picture.pen import detail_at
    from gradviz.picture.plane import ORIGIN, Point
    from gradviz.picture.wire import wire_path, wire_pen

    class Card(QGraphicsItem):
        def __init__(self, look: Any) -> None:
            from dataclasses import replace

            super().__init__()
            self.look = replace(look, place=ORIGIN)
            self.wires: list[tuple[Wire, bool]] = []
            self._bounds = QRectF(*geometry.outer_rect(self.look))
            self.setPos(*look.place)
            self.setZValue(1)
            self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemSendsGeometryChanges)

        def boundingRect(self) -> QRectF:  # noqa: N802
            return self._bounds

        def paint(self, painter: QPainter, option: Any, widget: Any = None) -> None:
            paint_node(painter, self.look, LIGHT, detail_at(painter.worldTransform().m11()))

        def itemChange(self, change: Any, value: Any) -> Any:  # noqa: N802
            if change == QGraphicsItem.GraphicsItemChange.ItemPositionHasChanged:
                for wire, at_start in self.wires:
                    wire.follow(self.pos(), at_start)
            return super().itemChange(change, value)

    class Wire(QGraphicsPathItem):
        def __init__(self, look: Any, start: Any, end: Any) -> None:
            super().__init__(wire_path(look.curve))
            self.setPen(wire_pen(look.phase, LIGHT))
            self._ends = [look.start, look.end]
            self._offsets = [
                Point(look.start.x - start.pos().x(), look.start.y - start.pos().y()),
                Point(look.end.x - end.pos().x(), look.end.y - end.pos().y()),
            ]
            start.wires.append((self, True))
            end.wires.append((self, False))

        def follow(self, place: Any, at_start: bool) -> None:
            which = 0 if at_start else 1
            by = self._offsets[which]
            self._ends[which] = Point(place.x() + by.x, place.y() + by.y)
            self.setPath(wire_path(curve.curve(*self._ends)))

    class Yardstick:
        def __init__(self, frame: Any, graph: Any, *, cached: bool) -> None:
            self.scene = QGraphicsScene()
            self.items = {look.id: Card(look) for look in frame.nodes}
            for item in self.items.values():
                if cached:
                    item.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
                self.scene.addItem(item)
            from gradviz.picture.frame import wire_end

            for look in frame.wires:
                end = wire_end(look.id)
                source = graph[end.node].inputs[end.index]
                self.scene.addItem(Wire(look, self.items[source.node], self.items[end.node]))
            self.view = QGraphicsView(self.scene)
            self.view.setRenderHint(QPainter.RenderHint.Antialiasing)
            self.view.setFrameShape(self.view.Shape.NoFrame)
            self.view.resize(*SIZE)
            self.view.show()
            self._flush()
            self._turn = 0
            self._starts = {id: item.pos() for id, item in self.items.items()}

        def fit(self) -> None:
            from PySide6.QtCore import Qt

            self.view.fitInView(self.scene.itemsBoundingRect(), Qt.AspectRatioMode.KeepAspectRatio)
            self.repaint()

        def near(self) -> None:
            self.view.resetTransform()
            for _ in range(3):
                self.repaint()

        def repaint(self) -> None:
            self.view.viewport().repaint()

        def pan(self) -> None:
            self._turn += 1
            by = 24 if self._turn % 2 else -24
            for bar, part in (
                (self.view.horizontalScrollBar(), by),
                (self.view.verticalScrollBar(), by // 2),
            ):
                bar.setValue(bar.value() + part)
            self._flush()

        def zoom(self) -> None:
            self._turn += 1
            factor = 1.15 if self._turn % 2 else 1 / 1.15
            self.view.scale(factor, factor)
            self.repaint()

        def drag(self, ids: list[str]) -> None:
            self._turn += 1
            by = 4.0 * (1 + self._turn % 5)
            for id in ids:
                start = self._starts[id]
                self.items[id].setPos(start.x() + by, start.y() + by)
            self._flush()

        def end_drag(self) -> None:
            for id, start in self._starts.items():
                self.items[id].setPos(start)
            self.repaint()

        def _flush(self) -> None:
            from PySide6.QtWidgets import QApplication

            QApplication.processEvents()

        def close(self) -> None:
            self.view.close()
            self.scene.clear()

    return Yardstick


def measure(nodes: int, rounds: int, only: str = "") -> list[Figure]:
    """All scenarios at one size."""
    ours = Ours(grid_of(nodes))
    graph = ours.document.answer.graph
    frame = ours.canvas.sight.frame()
    made = yardstick_class()
    peers = [made(frame, graph, cached=cached) for cached in (False, True)]
    everyone = list(graph.nodes)
    one = [ours.middle()]

    def pair(name: str, setup: str, action: str, *given: Any, ending: str = "") -> Figure | None:
        if only and only not in name:
            return None
        figures = []
        for side in (ours, *peers):
            getattr(side, setup)()
            getattr(side, action)(*given)
            getattr(side, action)(*given)
            figures.append(cpu(lambda side=side: getattr(side, action)(*given), rounds))
            if ending:
                getattr(side, ending)()
        return Figure(name, nodes, figures[0], min(figures[1:]))

    found = [
        pair("fit repaint", "fit", "repaint"),
        pair("fit zoom step", "fit", "zoom"),
        pair("select all and drag", "fit", "drag", everyone, ending="end_drag"),
        pair("pan", "near", "pan"),
        pair("drag one", "near", "drag", one, ending="end_drag"),
    ]
    for peer in peers:
        peer.close()
    figures = [figure for figure in found if figure is not None]
    figures += alone(ours, nodes, rounds, only)
    ours.close()
    return figures


def alone(ours: Ours, nodes: int, rounds: int, only: str) -> list[Figure]:
    """What has no yardstick: hit tests, and edits with their views, the run apart."""
    from PySide6.QtCore import QPointF

    from gradviz.edit import edits
    from gradviz.graph.model import InPort, OutPort
    from gradviz.text import mark

    figures = []
    if not only or only in "hover hit test":
        ours.near()
        points = [QPointF(x, y) for x in range(40, 1400, 90) for y in range(40, 860, 90)]
        ours.canvas.sight.node_at(points[0])
        took = cpu(lambda: [ours.canvas.sight.node_at(point) for point in points], rounds)
        figures.append(Figure("hover hit test", nodes, took / len(points)))
    if only and only not in ("connect", "delete", "undo"):
        return figures
    document, graph = ours.document, ours.document.diagram.graph
    ids = list(graph.nodes)
    node = next(graph[id] for id in reversed(ids) if graph[id].inputs)
    source = OutPort(ids[len(ids) // 2])
    step = mark("edit", "x")

    def edited(action: Callable[[], object]) -> float:
        """An edit and the paint after it; the run in its thread is not waited for."""
        start = time.thread_time()
        action()
        ours.canvas.repaint()
        return (time.thread_time() - start) * 1000

    best: dict[str, float] = {}
    for _ in range(rounds):
        for name, action in (
            ("connect", lambda: document.edit(step, edits.connect, source, InPort(node.id, 0))),
            ("undo", document.undo),
            ("delete", lambda: document.edit(step, edits.delete, [ids[len(ids) // 2]])),
            ("undo", document.undo),
        ):
            took = edited(action)
            ours.settle()
            best[name] = min(best.get(name, float("inf")), took)
    figures += [Figure(name, nodes, took) for name, took in best.items()]
    return figures


def opening(nodes: int) -> Figure:
    """Reading a file, answering, and the first frame: processor time of the whole process."""
    import tempfile
    from pathlib import Path

    from gradviz.files import native

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.gradviz"
        native.save(path, grid_of(nodes))
        start = time.process_time()
        ours = Ours(native.read(path).diagram)
        ours.canvas.repaint()
        took = (time.process_time() - start) * 1000
        ours.close()
    return Figure("open", nodes, took)


def table(figures: list[Figure]) -> str:
    """The figures in words."""
    rows = []
    for figure in figures:
        against = f"{figure.yardstick_ms:.2f}" if figure.yardstick_ms is not None else "–"
        share = f"{figure.share:.2f}" if figure.share is not None else "–"
        bar = f"{figure.bar:.3g}" if figure.bar is not None else "–"
        met = {True: "met", False: "missed", None: ""}[figure.is_met]
        rows.append(
            (figure.scenario, f"{figure.nodes:,}", f"{figure.ms:.2f}", against, share, bar, met)
        )
    head = ("scenario", "nodes", "ms", "yardstick ms", "share", "bar", "")
    return tables.table(head, rows)


def main(arguments: list[str]) -> int:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.canvas")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="")
    options = parser.parse_args(arguments)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from gradviz.gui.app import qt_application

    application = qt_application()
    figures: list[Figure] = []
    for nodes in options.nodes:
        if not options.only or options.only == "open":
            figures.append(opening(nodes))
        figures += measure(nodes, options.rounds, options.only)
    application.processEvents()
    if options.json:
        rows = [
            {
                "scenario": f.scenario,
                "nodes": f.nodes,
                "ms": f.ms,
                "yardstick_ms": f.yardstick_ms,
            }
            for f in figures
        ]
        print(json.dumps(rows, indent=2))
    else:
        print(table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
