"""Writes tests/data/layouts.json: graphs of several kinds, and how many crossings dot leaves in each.

`python -m tests.layouts` needs Graphviz; the tests need only what is stored. dot lays each graph out twice, as plain
boxes and as records whose ports have an order; the better of the two counts.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable
from dataclasses import replace

import numpy as np

import gradviz as gv
from gradviz import resources
from gradviz.engine.answer import answer
from gradviz.files import native
from gradviz.graph.model import Diagram, Graph, Node, OutPort, Place
from gradviz.ops.expr import Expr
from tests.support.crossings import Picture, write

INCH = 72.0


def mlp(layers: int, width: int = 4) -> Expr:
    h = gv.variable(np.ones((2, width)), name="x")
    for number in range(layers):
        weight = gv.variable(np.ones((width, width)), name=f"W{number}")
        h = gv.tanh(h @ weight + gv.variable(np.ones(width), name=f"b{number}"))
    return gv.mean((h - gv.constant(np.zeros((2, width)), name="t")) ** 2)


def attention(x: Expr, name: str) -> Expr:
    """One head, written out."""
    q, k, v = (x @ gv.variable(np.ones((4, 4)), name=f"{which}{name}") for which in "QKV")
    scores = gv.softmax(q @ gv.transpose(k) / 2.0)
    return scores @ v


def heads(count: int) -> Expr:
    x = gv.variable(np.ones((3, 4)), name="x")
    joined = gv.concat(*(attention(x, str(number)) for number in range(count)), axis=-1)
    y = x + joined @ gv.variable(np.ones((4 * count, 4)), name="O")
    h = gv.relu(y @ gv.variable(np.ones((4, 8)), name="W1"))
    return gv.sum(y + h @ gv.variable(np.ones((8, 4)), name="W2"))


def residual(blocks: int) -> Expr:
    h = gv.variable(np.ones((2, 4)), name="x")
    for number in range(blocks):
        inner = gv.relu(h @ gv.variable(np.ones((4, 4)), name=f"A{number}"))
        h = h + inner @ gv.variable(np.ones((4, 4)), name=f"B{number}")
    return gv.sum(h)


def lstm(steps: int) -> Expr:
    h, c = gv.variable(np.zeros((1, 3)), name="h"), gv.variable(np.zeros((1, 3)), name="c")
    gates = [gv.variable(np.ones((3, 3)), name=f"U{gate}") for gate in "ifog"]
    for step in range(steps):
        x = gv.variable(np.ones((1, 3)), name=f"x{step}")
        i, f, o, g = ((h + x) @ U for U in gates)
        c = gv.sigmoid(f) * c + gv.sigmoid(i) * gv.tanh(g)
        h = gv.sigmoid(o) * gv.tanh(c)
    return gv.sum(h)


def fan(count: int) -> Expr:
    """One variable used by many."""
    x = gv.variable(2.0, name="x")
    signs = [gv.sin, gv.cos, gv.exp, gv.tanh]
    parts = [signs[i % 4](x * float(i + 2)) for i in range(count)]
    return gv.sum(gv.stack(*parts))


def butterfly(bits: int) -> Graph:
    """Each row reads the one before it at two places that differ in one bit."""
    width = 2**bits
    nodes = {f"r0_{i}": _source(f"r0_{i}") for i in range(width)}
    for row in range(bits):
        for i in range(width):
            inputs = OutPort(f"r{row}_{i}"), OutPort(f"r{row}_{i ^ (1 << row)}")
            nodes[f"r{row + 1}_{i}"] = Node(f"r{row + 1}_{i}", "add", inputs)
    return Graph(nodes)


def local(count: int, seed: int, reach: float) -> Graph:
    """Nodes that read two earlier ones, mostly near; every fifth is a source."""
    choose = random.Random(seed)
    nodes: dict[str, Node] = {}
    for number in range(count):
        id = f"n{number}"
        if number < 3 or choose.random() < 0.2:
            nodes[id] = _source(id)
            continue
        back = [min(number, 1 + int(choose.expovariate(1 / reach))) for _ in range(2)]
        nodes[id] = Node(id, "add", tuple(OutPort(f"n{number - b}") for b in back))
    return Graph(nodes)


def rows(count: int, seed: int) -> Graph:
    """Nodes in rows that read one or two of a row before them, mostly those near their own place in it."""
    choose = random.Random(seed)
    width = max(3, round(count**0.5 / 1.2))
    nodes: dict[str, Node] = {}
    for number in range(count):
        row, place = divmod(number, width)
        id = f"n{number}"
        sources = []
        for _ in range(choose.choice((1, 2, 2))):
            back = 1 if choose.random() < 0.8 else choose.randint(2, 4)
            at = min(width - 1, max(0, place + choose.randint(-2, 2)))
            if row >= back:
                sources.append(OutPort(f"n{(row - back) * width + at}"))
        op = ("variable", "exp", "add")[len(sources)]
        nodes[id] = Node(id, op, tuple(sources))
    return _mixed(nodes, choose)


def _mixed(nodes: dict[str, Node], choose: random.Random) -> Graph:
    """The same graph in an order that says nothing about the picture."""
    order = list(nodes)
    choose.shuffle(order)
    return Graph({id: nodes[id] for id in order})


def _source(id: str) -> Node:
    return Node(id, "variable", (), {"shape": (), "dtype": "float64"})


def of_graph(graph: Graph, seed: int = 7) -> Picture:
    """Cards of different sizes, ports 20 apart."""
    choose = random.Random(seed)
    sizes = {
        id: (choose.choice((120.0, 180.0, 260.0)), choose.choice((92.0, 116.0, 196.0)))
        for id in graph.nodes
    }
    inputs = {
        node.id: tuple(
            46.0 + 20 * (i - (len(node.inputs) - 1) / 2) for i in range(len(node.inputs))
        )
        for node in graph
    }
    return Picture(graph, sizes, dict.fromkeys(graph.nodes, 46.0), inputs)


def of_diagram(diagram: Diagram) -> Picture:
    """The cards as the canvas shows them."""
    from gradviz.picture import geometry, render
    from gradviz.picture.frame import Framer

    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    application = render.ready()
    looks = Framer().frame(answer(diagram), 0).nodes
    found = {look.id: geometry.arrange(look.card) for look in looks}
    del application
    graph = diagram.graph
    return Picture(
        Graph({node.id: Node(node.id, node.op, node.inputs, {}, node.name) for node in graph}),
        {id: card.size for id, card in found.items()},
        {id: card.outputs[0].y for id, card in found.items()},
        {id: tuple(point.y for point in card.inputs) for id, card in found.items()},
    )


def pictures() -> dict[str, Picture]:
    """All of them, by name."""
    made: dict[str, Picture] = {}
    for number in (3, 8):
        made[f"mlp {number}"] = of_diagram(gv.diagram(mlp(number)))
    for count in (1, 3, 8):
        made[f"attention {count}"] = of_diagram(gv.diagram(heads(count)))
    made["residual 8"] = of_diagram(gv.diagram(residual(8)))
    made["lstm 3"] = of_diagram(gv.diagram(lstm(3)))
    made["fan-out 40"] = of_diagram(gv.diagram(fan(40)))
    made["butterfly 16"] = of_graph(butterfly(4))
    for count, seed in ((20, 1), (60, 2), (120, 3), (300, 4)):
        made[f"rows {count}"] = of_graph(rows(count, seed))
    for count, seed, reach in ((30, 1, 4), (100, 2, 6), (200, 3, 15)):
        made[f"local {count}"] = of_graph(local(count, seed, reach))
    for path in resources.example_files():
        made[f"example {path.stem}"] = of_diagram(native.load(path))
    return made


def by_dot(picture: Picture, *, records: bool) -> dict[str, Place]:
    """Where dot puts the cards."""
    lines = ["digraph { rankdir=LR; nodesep=0.5; ranksep=1; splines=line; node [fixedsize=true]"]
    for node in picture.graph:
        width, height, *_ = picture.sizes[node.id]
        look = 'shape=box, label=""'
        if records:
            ports = "|".join(f"<i{index}>" for index in range(len(node.inputs))) or " "
            look = f'shape=record, label="{{{{{ports}}}|<o>}}"'
        size = f"width={width / INCH:.4f}, height={height / INCH:.4f}"
        lines.append(f'"{node.id}" [{look}, {size}]')
        for index, port in enumerate(node.inputs):
            if port is not None:
                ends = f'"{port.node}":o:e -> "{node.id}":i{index}:w'
                lines.append(ends if records else f'"{port.node}" -> "{node.id}"')
    asked = "\n".join([*lines, "}"])
    plain = subprocess.run(
        ["dot", "-Tplain", "-y"], input=asked, capture_output=True, text=True, check=True
    ).stdout
    places = {}
    for line in plain.splitlines():
        if line.startswith("node "):
            _, id, x, y, *_ = line.split()
            id = id.strip('"')
            width, height, *_ = picture.sizes[id]
            places[id] = Place(float(x) * INCH - width / 2, float(y) * INCH - height / 2)
    return places


def measured(picture: Picture) -> Picture:
    """With the crossings that dot leaves."""
    counts = [picture.crossings(by_dot(picture, records=records)) for records in (False, True)]
    return replace(picture, dot=min(counts))


def main(show: Callable[[str], None] = print) -> None:
    """Make and store all."""
    found = {name: measured(picture) for name, picture in pictures().items()}
    for name, picture in found.items():
        show(f"{name}: {len(picture.graph)} cards, {picture.dot} crossings")
    write(found)


if __name__ == "__main__":
    main()
