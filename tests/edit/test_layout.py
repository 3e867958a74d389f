"""Cards stand in columns, on nothing else, where their wires want them."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradviz as gv
from gradviz.edit import edits, layout
from gradviz.edit.layout import card_boxes
from gradviz.graph.model import Diagram, Graph, InPort, Node, OutPort, Place
from gradviz.graph.validate import validate
from tests.edit.made import add, nine_sevens, overlaps, wired

SIZES = {"X": (180, 244), "s": (180, 192), "y": (180, 116), "c": (48, 32), "B": (256, 196)}


def any_graph(count, seed=0, reach=15):
    """Nodes that read two earlier ones, mostly near, and every fifth a source."""
    choose = random.Random(seed)
    nodes = {}
    for number in range(count):
        id = f"n{number}"
        if number < 3 or choose.random() < 0.2:
            nodes[id] = Node(id, "variable", (), {"shape": (), "dtype": "float64"})
            continue
        inputs = tuple(
            OutPort(f"n{max(0, number - 1 - int(choose.expovariate(1 / reach)))}") for _ in range(2)
        )
        nodes[id] = Node(id, "add", inputs)
    return Graph(nodes)


def test_nine_sevens_stand_as_they_are_read():
    diagram = edits.arrange(nine_sevens(), SIZES)
    box = card_boxes(diagram, SIZES)
    lefts = [box[id].left for id in ("X", "s", "square", "add", "y")]
    assert lefts == sorted(set(lefts))
    assert box["s"].wires == box["add"].wires == box["y"].wires
    # The wire from s to add passes below the square.
    assert box["square"].bottom < box["s"].wires
    assert box["c"].right < box["y"].left
    assert box["y"].left - box["c"].right <= 76
    assert box["c"].top > box["y"].bottom
    assert box["B"].left == box["X"].left
    assert box["B"].top > box["X"].bottom
    assert overlaps(diagram, SIZES, gap=32) == []


def test_a_literal_that_comes_first_stands_above():
    x = gv.variable(2.0, name="x")
    diagram = edits.arrange(gv.diagram(2 * x))
    places = diagram.places
    assert places["c"].y < places["y"].y
    assert places["x"].y == places["y"].y


def test_weights_hang_below_a_straight_line():
    x = gv.variable(np.ones((2, 3)), name="x")
    h = x
    for number in range(4):
        h = gv.relu(h @ gv.variable(np.ones((3, 3)), name=f"W{number}"))
    diagram = edits.arrange(gv.diagram(h))
    line = {diagram.places[node.id].y for node in diagram.graph if node.inputs}
    assert len(line) == 1
    assert diagram.places["W3"].x == diagram.places["relu_3"].x
    assert diagram.places["W3"].y > line.pop()


@given(st.integers(1, 40), st.integers(0, 10**6), st.data())
def test_cards_keep_their_distance_and_lie_on_the_grid(count, seed, data):
    graph = any_graph(count, seed, reach=4)
    side = st.integers(20, 300).map(float)
    sizes = {id: (data.draw(side), data.draw(side)) for id in graph.nodes}
    diagram = edits.arrange(Diagram(graph), sizes)
    validate(diagram)
    box = card_boxes(diagram, sizes)
    assert overlaps(diagram, sizes) == []
    assert min(b.left for b in box.values()) >= 0
    assert min(b.top for b in box.values()) >= 0
    assert all(axis % 4 == 0 for place in diagram.places.values() for axis in place)
    for a in box.values():
        for b in box.values():
            if a.left < b.right and b.left < a.right and a.top < b.top:
                assert b.top - a.bottom >= 32
    for node in graph:
        for port in node.inputs:
            assert box[node.id].left - box[port.node].right >= 64


def test_the_same_graph_is_laid_out_the_same():
    graph = any_graph(80)
    diagram = edits.arrange(Diagram(graph))
    assert edits.arrange(diagram) is diagram


def test_a_thousand_nodes():
    """Here only that it works without depth or overlap."""
    for graph in (any_graph(1000), chain(1000, 1), chain(600, 300)):
        diagram = edits.arrange(Diagram(graph))
        assert len(diagram.places) == len(graph)
        assert overlaps(diagram, gap=30) == []


def chain(count, back):
    """Each node reads the one before it and one that many before that."""
    nodes = {"n0": Node("n0", "variable", (), {"shape": (), "dtype": "float64"})}
    for number in range(1, count):
        inputs = OutPort(f"n{number - 1}"), OutPort(f"n{max(0, number - 1 - back)}")
        nodes[f"n{number}"] = Node(f"n{number}", "add", inputs)
    return Graph(nodes)


def test_a_very_long_chain_stays_within_reach():
    diagram = edits.arrange(Diagram(chain(9000, 0)))
    validate(diagram)
    assert overlaps(diagram) == []


def test_many_unwired_nodes_make_a_block():
    nodes = {f"n{i}": Node(f"n{i}", "exp", (None,)) for i in range(400)}
    diagram = edits.arrange(Diagram(Graph(nodes)))
    assert max(place.y for place in diagram.places.values()) < 10_000
    assert overlaps(diagram, gap=32) == []
    few = edits.arrange(Diagram(Graph(dict(list(nodes.items())[:3]))))
    assert {place.x for place in few.places.values()} == {0}


def test_crossings_are_few():
    """Two rows wired straight through, given in reverse order."""
    nodes = {f"a{i}": Node(f"a{i}", "variable", (), {"shape": ()}) for i in range(6)}
    for i in reversed(range(6)):
        nodes[f"b{i}"] = Node(f"b{i}", "exp", (OutPort(f"a{i}"),))
    nodes["c"] = Node("c", "concat", tuple(OutPort(f"b{i}") for i in range(6)))
    places = edits.arrange(Diagram(Graph(nodes))).places
    for row in "ab":
        heights = [places[f"{row}{i}"].y for i in range(6)]
        assert heights == sorted(heights)


def test_a_free_place_is_the_wanted_one_if_nothing_is_there():
    diagram = nine_sevens()
    far = Place(4000, 4000)
    assert edits.free_place(diagram, far, (100, 100)) == far


@given(st.floats(-500, 1500), st.floats(-500, 800), st.integers(10, 400), st.integers(10, 400))
def test_a_free_place_covers_no_card(x, y, width, height):
    diagram, size = nine_sevens(), (float(width), float(height))
    place = edits.free_place(diagram, Place(x, y), size)
    assert place.x % 4 == place.y % 4 == 0
    diagram, id = edits.add_node(diagram, "exp", place)
    assert [pair for pair in overlaps(diagram, {id: size}, gap=31) if id in pair] == []


def test_missing_places_are_found_beside_what_the_nodes_are_wired_to():
    diagram = nine_sevens()
    without = replace(diagram, places={k: v for k, v in diagram.places.items() if k != "square"})
    after = edits.place_missing(without)
    assert overlaps(after) == []
    assert after.places["square"].x == diagram.places["square"].x
    assert {k: v for k, v in after.places.items() if k != "square"} == without.places
    assert edits.place_missing(diagram) is diagram


def test_a_literal_finds_its_place_below_left_of_its_consumer():
    diagram = nine_sevens()
    without = replace(diagram, places={k: v for k, v in diagram.places.items() if k != "c"})
    box = card_boxes(edits.place_missing(without), {})
    assert box["c"].right < box["y"].left
    assert box["c"].top > box["y"].bottom


def test_new_nodes_without_wires_come_below_everything():
    diagram, id = add(nine_sevens(), "exp")
    diagram = replace(diagram, places={k: v for k, v in diagram.places.items() if k != id})
    after = edits.place_missing(diagram)
    bottom = max(box.bottom for name, box in card_boxes(after, {}).items() if name != id)
    assert after.places[id].y > bottom


def test_a_file_without_places_is_laid_out():
    diagram = nine_sevens()
    assert edits.place_missing(replace(diagram, places={})).places == diagram.places
    assert edits.place_missing(Diagram()).places == {}


def test_a_new_consumer_stands_right_of_what_it_reads():
    diagram = wired("add", 1.0, 2.0)
    diagram = edits.arrange(diagram)
    diagram, id = add(diagram, "exp")
    diagram = edits.connect(diagram, OutPort("n"), InPort(id))
    diagram = replace(diagram, places={k: v for k, v in diagram.places.items() if k != id})
    box = card_boxes(edits.place_missing(diagram), {})
    assert box[id].left - box["n"].right == pytest.approx(72)
    assert box[id].wires == box["n"].wires


def test_a_card_that_grew_pushes_down_what_it_covers_and_nothing_else() -> None:
    diagram, a = edits.add_node(Diagram(), "variable", Place(0, 0))
    diagram, b = edits.add_node(diagram, "variable", Place(0, 120))
    diagram, c = edits.add_node(diagram, "variable", Place(400, 40))
    small = dict.fromkeys((a, b, c), (180.0, 100.0))
    assert layout.push_apart(diagram, small) is diagram
    grown = layout.push_apart(diagram, {**small, a: (180.0, 300.0)})
    assert grown.places[b].y >= 300
    assert (grown.places[a], grown.places[c]) == (diagram.places[a], diagram.places[c])


def test_new_nodes_do_not_cover_notes() -> None:
    note = {"text": "hello", "place": (0.0, 0.0, 400.0, 100.0)}
    diagram = Diagram(notes=(note,))
    place = layout.free_place(diagram, Place(40, 40), (180.0, 100.0))
    assert place.y >= 100 or place.x >= 400 or place.y <= -100 or place.x <= -180
