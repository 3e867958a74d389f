"""A part cut out and put in again is the same part."""

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.edit import edits, landing
from gradviz.edit.layout import Box
from gradviz.errors import GraphError, LimitError
from gradviz.graph.model import Diagram, InPort, OutPort, Place
from gradviz.graph.validate import validate
from gradviz.networks import to_networkx
from tests.edit.made import inputs, nine_sevens, overlaps
from tests.files.diagrams import content

IDS = sorted(nine_sevens().graph.nodes)


def test_a_part_is_a_diagram_by_itself():
    part = edits.cut_out(nine_sevens(), ["s", "square", "c"])
    validate(part)
    assert inputs(part, "s") == [None]
    assert inputs(part, "square") == ["s"]
    assert set(part.values) == {"c"}
    assert set(part.places) == {"s", "square", "c"}
    with pytest.raises(GraphError):
        edits.cut_out(nine_sevens(), ["nobody"])


@given(st.sets(st.sampled_from(IDS), min_size=1))
def test_what_is_put_in_is_isomorphic_to_what_was_cut_out(ids):
    diagram = nine_sevens()
    part = edits.cut_out(diagram, ids)
    after, new = edits.insert(diagram, part, Place(1000, 1000))
    validate(after)
    assert set(new) == ids
    assert not set(new.values()) & set(diagram.graph.nodes)
    pasted = edits.cut_out(after, new.values())
    same = nx.is_isomorphic(
        to_networkx(part),
        to_networkx(pasted),
        node_match=lambda a, b: (a["op"], a["attributes"]) == (b["op"], b["attributes"]),
        edge_match=lambda a, b: list(a.values()) == list(b.values()),
    )
    assert same
    for old, id in new.items():
        assert after.places[id] == (part.places[old].x + 1000, part.places[old].y + 1000)
        assert after.values.get(id) is part.values.get(old)
    for id in diagram.graph.nodes:
        assert after.graph[id] is diagram.graph[id]


def test_names_are_fresh_and_literals_stay_unnamed():
    after, new = edits.duplicate(nine_sevens(), ["s", "c"])
    assert after.graph[new["s"]].name == "s_2"
    assert after.graph[new["c"]].name == ""


def test_outer_wires_are_dropped_or_kept():
    diagram = nine_sevens()
    after, new = edits.duplicate(diagram, ["add", "y"])
    assert inputs(after, new["add"]) == [None, None]
    assert inputs(after, new["y"]) == [new["add"], None]
    after, new = edits.duplicate(diagram, ["add", "y"], keep_inputs=True)
    validate(after)
    assert inputs(after, new["add"]) == ["square", "s"]
    assert inputs(after, new["y"]) == [new["add"], "c"]
    assert edits.outer_inputs(diagram, ["y"]) == {
        InPort("y", 0): OutPort("add"),
        InPort("y", 1): OutPort("c"),
    }


def test_inputs_whose_node_is_gone_stay_open():
    diagram = nine_sevens()
    part, outer = edits.cut_out(diagram, ["y"]), edits.outer_inputs(diagram, ["y"])
    after, new = edits.insert(edits.delete(diagram, ["c"]), part, inputs=outer)
    validate(after)
    assert inputs(after, new["y"]) == ["add", None]


def test_cut_and_put_back_elsewhere():
    diagram = nine_sevens()
    part = edits.cut_out(diagram, diagram.graph.nodes)
    after, new = edits.insert(Diagram(), part)
    assert content(after)["nodes"] == content(diagram)["nodes"]
    assert set(new) == set(new.values())


def test_nothing_put_in_is_no_edit():
    diagram = nine_sevens()
    assert edits.insert(diagram, Diagram()) == (diagram, {})


def test_too_many_numbers_are_not_put_in():
    large, _ = edits.add_node(Diagram(), "variable", Place(0, 0), value=[0.0] * 2**20)
    diagram, _ = edits.insert(large, large)
    with pytest.raises(LimitError):
        edits.insert(diagram, large)


def test_a_part_lands_near_the_pointer_on_nothing():
    diagram = nine_sevens()
    part = edits.cut_out(diagram, ["s", "square", "add"])
    corner = Place(300, 100)
    trial, new = edits.insert(diagram, part)
    offset = landing.offset(trial, set(new.values()), corner, {})
    after, _ = edits.insert(diagram, part, offset)
    assert overlaps(after, gap=30) == []


def test_a_part_lands_at_the_wanted_corner_where_nothing_is_there():
    part = edits.cut_out(nine_sevens(), ["s", "square", "add"])
    offset = landing.offset(part, set(part.graph.nodes), Place(300, 100), {})
    body = landing.block(part, part.graph.nodes, {})
    assert (body.left + offset.x, body.top + offset.y) == (300, 100)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(-400, 900),
            st.integers(-300, 700),
            st.sampled_from(["exp", "matmul", "variable"]),
        ),
        min_size=1,
        max_size=14,
    ),
    st.booleans(),
)
def test_any_sequence_of_adds_covers_no_card(adds, in_view):
    view = Box(-100, -100, 1200, 800) if in_view else landing.EVERYWHERE
    diagram = nine_sevens()
    for x, y, op in adds:
        trial, id = edits.add_node(diagram, op, Place(0, 0))
        by = landing.offset(trial, {id}, Place(x, y), {}, view)
        diagram, _ = edits.add_node(diagram, op, by)
    assert overlaps(diagram) == []
