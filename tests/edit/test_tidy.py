"""Tidying: few crossings, the user's order where it is as good, the rest in place, and an end when nobody waits."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.edit import edits
from gradviz.edit.crossings import Links, count, sift, sweep
from gradviz.edit.layout import card_boxes
from gradviz.edit.levels import levels
from gradviz.graph.model import Diagram, Graph, Node, OutPort, Place
from tests import layouts
from tests.edit.made import nine_sevens, overlaps
from tests.support.crossings import crossing_pairs, stored

PICTURES = stored()


@pytest.mark.parametrize("name", PICTURES)
def test_crossings_are_at_most_1_3_times_those_of_dot(name):
    picture = PICTURES[name]
    diagram = edits.arrange(picture.diagram, picture.sizes)
    assert overlaps(diagram, picture.sizes, gap=30) == []
    assert picture.crossings(diagram.places) <= 1.3 * picture.dot


@pytest.mark.parametrize(
    "name", [name for name, picture in PICTURES.items() if len(picture.graph) <= 130]
)
def test_tidying_what_is_tidy_changes_nothing(name):
    picture = PICTURES[name]
    tidy = edits.arrange(picture.diagram, picture.sizes)
    assert edits.arrange(tidy, picture.sizes) is tidy
    # Nor elsewhere on the canvas.
    there = {id: Place(x - 400, y + 1200) for id, (x, y) in tidy.places.items()}
    moved = replace(tidy, places=there)
    assert edits.arrange(moved, picture.sizes) is moved


def test_lines_that_share_an_end_do_not_cross():
    lines = [(0, 0, 10, 10), (0, 10, 10, 0), (0, 0, 10, 0), (0, 20, 10, 20)]
    assert crossing_pairs(np.array(lines, float)) == 1


def test_the_order_of_the_user_stays_where_it_is_as_good():
    """Four rows that nothing joins but their end may stand in any order."""
    nodes = {}
    for row in "abcd":
        nodes[row] = Node(row, "variable", (), {"shape": ()})
        nodes[row + row] = Node(row + row, "exp", (OutPort(row),))
    nodes["end"] = Node("end", "stack", tuple(OutPort(row + row) for row in "abcd"))
    for order in ("abcd", "dbca"):
        # The ports of `end` have an order: only without it all orders are equally good.
        graph = Graph({id: node for id, node in nodes.items() if id != "end"})
        heights = {row: 200.0 * rank for rank, row in enumerate(order)}
        places = {id: Place(0, heights[id[0]]) for id in graph.nodes}
        after = edits.arrange(Diagram(graph, places=places)).places
        assert sorted("abcd", key=lambda row: after[row].y) == list(order)
        assert all(after[row].y == after[row + row].y for row in order)


def test_two_sources_of_one_sum_keep_the_order_that_crosses_nothing():
    nodes = {id: Node(id, "variable", (), {"shape": ()}) for id in "ab"}
    nodes["s"] = Node("s", "add", (OutPort("a"), OutPort("b")))
    upside_down = {"a": Place(0, 400), "b": Place(0, 0), "s": Place(400, 200)}
    after = edits.arrange(Diagram(Graph(nodes), places=upside_down)).places
    assert after["a"].y < after["b"].y


def test_a_small_edit_turns_nothing_upside_down():
    picture = PICTURES["local 100"]
    tidy = edits.arrange(picture.diagram, picture.sizes)
    new = [
        Node("p", "variable", (), {"shape": ()}),
        Node("q", "add", (OutPort("n50"), OutPort("p"))),
    ]
    after = edits.arrange(replace(tidy, graph=tidy.graph.with_nodes(*new)), picture.sizes)
    level = levels(tidy.graph, lambda: None)
    pairs = [
        (a, b)
        for a in tidy.places
        for b in tidy.places
        if level[a] == level[b] and tidy.places[a].y < tidy.places[b].y
    ]
    turned = [pair for pair in pairs if after.places[pair[0]].y > after.places[pair[1]].y]
    assert len(turned) <= len(pairs) / 20


def test_most_cards_stay_near_where_they_were():
    diagram = nine_sevens()
    far = {id: Place(x + 3000, y - 5000) for id, (x, y) in diagram.places.items()}
    shaken = {**far, "square": Place(far["square"].x + 40, far["square"].y + 24)}
    assert edits.arrange(replace(diagram, places=shaken)).places == far


@given(st.sets(st.sampled_from(["X", "s", "square", "add", "c", "y", "B"]), min_size=1), st.data())
def test_a_selection_is_tidied_and_the_rest_stays(ids, data):
    diagram = nine_sevens()
    spot = st.builds(Place, *[st.integers(-300, 300).map(lambda n: 4.0 * n)] * 2)
    shaken = {id: data.draw(spot) if id in ids else place for id, place in diagram.places.items()}
    before = replace(diagram, places=shaken)
    after = edits.arrange(before, {}, ids)
    assert {id: p for id, p in after.places.items() if id not in ids} == {
        id: p for id, p in before.places.items() if id not in ids
    }
    assert [pair for pair in overlaps(after, gap=31) if ids & {*pair}] == []
    assert edits.arrange(after, {}, ids) is after


def test_what_no_wire_joins_stays_where_it_is():
    """Two chosen cards with nothing in between that is chosen; and a third one that covers another."""
    diagram = nine_sevens()
    assert edits.arrange(diagram, {}, {"X", "y", "B"}) is diagram
    covering = replace(diagram, places={**diagram.places, "B": diagram.places["add"]})
    after = edits.arrange(covering, {}, {"X", "y", "B"})
    assert after.places == {**diagram.places, "B": after.places["B"]}
    assert overlaps(after, gap=31) == []


def test_a_tidied_selection_makes_way_for_notes():
    diagram = nine_sevens()
    box = card_boxes(diagram, {})["y"]
    note = {"text": "hello", "place": (box.left, box.top, 100.0, 100.0)}
    after = edits.arrange(replace(diagram, notes=(note,)), {}, {"y"})
    y = card_boxes(after, {})["y"]
    assert y.top >= box.top + 100 or y.bottom <= box.top or y.left >= box.left + 100


def test_nothing_chosen_is_nothing_to_do():
    diagram = nine_sevens()
    assert edits.arrange(diagram, {}, ()) is diagram
    assert edits.arrange(Diagram()).places == {}


@pytest.mark.parametrize("after", [0, 1, 10, 100, 1000])
def test_a_cancelled_layout_leaves_the_diagram_as_it_is(after):
    diagram = Diagram(layouts.rows(300, 1))
    asked = []

    def cancelled():
        asked.append(None)
        return len(asked) > after

    assert edits.arrange(diagram, {}, None, cancelled) is diagram
    # It is asked no more once it said so.
    assert len(asked) == after + 1


def test_cards_stand_right_of_what_they_read_and_wires_are_short():
    graph = layouts.local(200, 3, 15)
    level = levels(graph, lambda: None)
    spans = [level[node.id] - level[port.node] for node in graph for port in node.inputs if port]
    assert min(spans) == 1
    # Nobody could be moved alone so that its wires become shorter.
    for node in graph:
        before = [level[port.node] for port in node.inputs if port]
        after = [level[end.node] for end in graph.consumers_of(node.id)]
        if len(after) > len(before):
            assert level[node.id] == min(after) - 1
        if len(before) > len(after):
            assert level[node.id] == max(before) + 1


def crossing(order, links):
    """Pair by pair."""
    total = 0
    for (left, right), (starts, ends, height) in zip(itertools.pairwise(order), links, strict=True):
        ranks = [
            (list(left).index(a), list(right).index(b) + h)
            for a, b, h in zip(starts, ends, height, strict=False)
        ]
        total += sum((a - c) * (b - d) < 0 for i, (a, b) in enumerate(ranks) for c, d in ranks[:i])
    return total


@given(st.integers(0, 10**6))
def test_sifting_never_adds_crossings_and_counts_are_right(seed):
    choose = np.random.default_rng(seed)
    sizes = choose.integers(1, 7, 4)
    links = []
    for left, right in itertools.pairwise(sizes):
        number = int(choose.integers(1, 12))
        ends = choose.integers(0, left, number), choose.integers(0, right, number)
        links.append(Links(*ends, choose.integers(-2, 3, number) / 5))
    order = [choose.permutation(size) for size in sizes]
    before = count(order, links, lambda: None)
    assert before == crossing(order, links)
    sift(order, links, lambda: None, 12)
    assert count(order, links, lambda: None) <= before
    # No item alone could do better.
    for column in order:
        for item in list(column):
            fewest = count(order, links, lambda: None)
            kept = column.copy()
            rest = [other for other in kept if other != item]
            for rank in range(len(kept)):
                column[:] = [*rest[:rank], item, *rest[rank:]]
                assert count(order, links, lambda: None) >= fewest
            column[:] = kept
    for forth in (True, False):
        sweep(order, links, forth=forth, swap=forth)
        assert [sorted(column) for column in order] == [list(range(size)) for size in sizes]
