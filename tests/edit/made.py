"""Diagrams to edit, and names for what stands in them."""

import gradviz as gv
from gradviz.edit import edits
from gradviz.edit.layout import card_boxes
from gradviz.engine.check import infer
from gradviz.graph.model import Diagram, Graph, Node, OutPort, Place
from gradviz.graph.validate import validate
from gradviz.ops.expr import Expr, leaf

SEVENS = [[1.0, 0.0, -1.0], [2.0, 1.0, 0.0], [0.0, -1.0, 1.0]]
ORIGIN = Place(0, 0)


def nine_sevens():
    """Ids: X, s, square, add, c (the literal 1), y, B."""
    X = gv.variable(SEVENS, name="X")
    B = gv.variable([[1.0, 2.0], [3.0, 4.0]], name="B")
    s = gv.sum(X)
    s.name = "s"
    return edits.arrange(gv.diagram(s**2 + s - 1, [X, B]))


def known(diagram):
    """Every named node whose shape is known, as the parser gets it."""
    specs = infer(diagram.graph)
    return {
        node.name: Expr(leaf(node.id, specs.outputs[node.id]))
        for node in diagram.graph
        if node.name and None not in specs.outputs[node.id]
    }


def add(diagram, op, **options):
    """Add a node at the origin, check the diagram, give both."""
    diagram, id = edits.add_node(diagram, op, ORIGIN, **options)
    validate(diagram)
    return diagram, id


def wired(op, *sources, **attributes):
    """A diagram with a node "n" of that op, each input wired to a variable "a", "b", … of that shape."""
    diagram = Diagram()
    ids = []
    for name, value in zip("abcdef", sources, strict=False):
        diagram, id = add(diagram, "variable", value=value, name=name)
        ids.append(id)
    node = Node("n", op, tuple(map(OutPort, ids)), attributes, "n")
    return Diagram(Graph({**diagram.graph.nodes, "n": node}), diagram.values, places=diagram.places)


def inputs(diagram, id):
    """The ids that feed a node, None where nothing does."""
    return [port and port.node for port in diagram.graph[id].inputs]


def overlaps(diagram, sizes=None, gap=0):
    """Pairs of cards that are nearer to each other than `gap`."""
    boxes = sorted(card_boxes(diagram, sizes or {}).items(), key=lambda item: item[1].left)
    found = []
    for number, (a, first) in enumerate(boxes):
        for b, second in boxes[number + 1 :]:
            if second.left >= first.right + gap:
                break
            if second.top < first.bottom + gap and first.top < second.bottom + gap:
                found.append((a, b))
    return found
