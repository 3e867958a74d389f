"""Pictures whose wires are counted where they cross, and what Graphviz dot made of them.

One counter for both: each wire is a straight line from the output of its source to the input it ends in. Two wires
count once if they cross between their ends.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gradviz.edit.columns import Sizes
from gradviz.graph.model import Diagram, Graph, Node, OutPort, Place

STORED = Path(__file__).resolve().parent.parent / "data" / "layouts.json"


@dataclass(frozen=True)
class Picture:
    """A graph to lay out: the sizes of its cards, and how far below the upper edge each port is."""

    graph: Graph
    sizes: Sizes
    outputs: Mapping[str, float]
    inputs: Mapping[str, tuple[float, ...]]
    dot: int = 0
    """The crossings that Graphviz dot leaves."""

    @property
    def diagram(self) -> Diagram:
        return Diagram(self.graph)

    def crossings(self, places: Mapping[str, Place]) -> int:
        """How many pairs of wires cross when the cards stand at `places`."""
        wires = [
            (
                places[port.node].x + self.sizes[port.node][0],
                places[port.node].y + self.outputs[port.node],
                places[node.id].x,
                places[node.id].y + self.inputs[node.id][index],
            )
            for node in self.graph
            for index, port in enumerate(node.inputs)
            if port is not None
        ]
        return crossing_pairs(np.array(wires)) if wires else 0


def crossing_pairs(lines: np.ndarray) -> int:
    """How many pairs of the lines, rows of (x, y, x, y), have a point in common that is no end of either."""
    start, end = lines[:, :2], lines[:, 2:]

    def side(point: np.ndarray) -> np.ndarray:
        """On which side of each line (rows) each point (columns) lies."""
        way, to = (end - start)[:, None], point[None] - start[:, None]
        return np.sign(way[..., 0] * to[..., 1] - way[..., 1] * to[..., 0])

    apart = side(start) * side(end) < 0
    return int(np.count_nonzero(np.triu(apart & apart.T)))


def stored() -> dict[str, Picture]:
    """The pictures in `tests/data/layouts.json`."""
    return {name: _read(found) for name, found in json.loads(STORED.read_text("utf-8")).items()}


def _read(found: dict) -> Picture:
    nodes, sizes, outputs, inputs = {}, {}, {}, {}
    for id, op, size, output, ends in found["cards"]:
        ports = tuple(OutPort(source) if source else None for source, _ in ends)
        nodes[id] = Node(id, op, ports)
        sizes[id] = tuple(size)
        outputs[id] = output
        inputs[id] = tuple(height for _, height in ends)
    return Picture(Graph(nodes), sizes, outputs, inputs, found["dot"])


def write(pictures: Mapping[str, Picture]) -> None:
    """Store pictures, one card a line."""
    texts = []
    for name, picture in pictures.items():
        cards = ",\n".join(json.dumps(card) for card in _cards(picture))
        texts.append(f'{json.dumps(name)}: {{"dot": {picture.dot}, "cards": [\n{cards}\n]}}')
    STORED.write_text("{\n" + ",\n".join(texts) + "\n}\n", "utf-8")


def _cards(picture: Picture) -> list[object]:
    return [
        [
            node.id,
            node.op,
            list(picture.sizes[node.id]),
            picture.outputs[node.id],
            [
                [port.node if port is not None else "", height]
                for port, height in zip(node.inputs, picture.inputs[node.id], strict=True)
            ],
        ]
        for node in picture.graph
    ]
