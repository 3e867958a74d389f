"""What is written is read again, and looks the same each time."""

from pathlib import Path
from types import MappingProxyType

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

from gradviz.errors import FileError
from gradviz.files import native
from gradviz.graph.model import Diagram, Graph, Node, OutPort, Place, Query, freeze, frozen_array
from gradviz.graph.validate import validate
from tests.files.diagrams import chain, content, diagrams

EVERY_FEATURE = Path(__file__).with_name("every_feature.gradviz")
BY_HAND = """
{
  "gradviz": 1,
  "graph": {"nodes": [
    {"id": "y", "op": "subtract", "name": "y", "inputs": ["t", "c1"]},
    {"id": "t", "op": "multiply", "inputs": ["s", "parts:2"]},
    {"id": "parts", "op": "split", "inputs": ["X", null]},
    {"id": "X", "op": "variable", "name": "X", "attributes": {"dtype": "float32"}},
    {"id": "s", "op": "sum", "name": "s", "inputs": ["X"]},
    {"id": "c1", "op": "constant"}
  ]},
  "values": {"c1": 1, "X": [[1, 0, -1], [2, 0.1, 0], [0, "-Infinity", "NaN"]]}
}
"""


@hypothesis.given(diagrams())
def test_a_diagram_comes_back_as_it_was(diagram):
    validate(diagram)
    back = native.loads(native.dumps(diagram))
    assert content(back) == content(diagram)


@hypothesis.given(diagrams(), st.dictionaries(st.sampled_from("abc"), st.integers(), max_size=3))
def test_saving_what_was_loaded_gives_the_same_bytes(diagram, view):
    first = native.dumps(diagram, view)
    loaded = native._loaded(first, "")
    assert native.dumps(*loaded) == first


@hypothesis.given(diagrams(), st.randoms())
def test_bytes_do_not_depend_on_the_order_of_dictionaries(diagram, random):
    def shuffled(mapping):
        items = list(mapping.items())
        random.shuffle(items)
        return dict(items)

    other = Diagram(
        **{
            **{name: getattr(diagram, name) for name in diagram.__dataclass_fields__},
            "graph": Graph(
                {
                    id: Node(
                        id,
                        node.op,
                        node.inputs,
                        MappingProxyType(shuffled(node.attributes)),
                        node.name,
                    )
                    for id, node in shuffled(diagram.graph.nodes).items()
                }
            ),
            "values": shuffled(diagram.values),
            "places": shuffled(diagram.places),
            "ranges": shuffled(diagram.ranges),
        }
    )
    assert native.dumps(other) == native.dumps(diagram)


def test_the_document_with_every_feature_is_canonical():
    data = EVERY_FEATURE.read_bytes()
    diagram, view = native.read(EVERY_FEATURE)
    assert native.dumps(diagram, view) == data
    empty = [name for name in diagram.__dataclass_fields__ if not getattr(diagram, name)]
    assert empty == []
    assert view["camera"]["zoom"] == 1.25


def test_a_canonical_document_has_one_node_and_one_value_on_a_line():
    diagram = native.loads(BY_HAND)
    assert (
        native.dumps(diagram, {"zoom": 2}).decode()
        == """\
{
  "gradviz": 1,
  "graph": {
    "nodes": [
      {"id": "X", "op": "variable", "name": "X", "attributes": {"dtype": "float32", "shape": [3, 3]}},
      {"id": "c1", "op": "constant", "attributes": {"dtype": "float64", "shape": []}},
      {"id": "parts", "op": "split", "inputs": ["X", null]},
      {"id": "s", "op": "sum", "name": "s", "inputs": ["X"]},
      {"id": "t", "op": "multiply", "inputs": ["s", "parts:2"]},
      {"id": "y", "op": "subtract", "name": "y", "inputs": ["t", "c1"]}
    ]
  },
  "values": {
    "X": [[1, 0, -1], [2, 0.1, 0], [0, "-Infinity", "NaN"]],
    "c1": 1
  },
  "view": {
    "zoom": 2
  }
}
"""
    )


def test_what_a_hand_writes_may_leave_out_shape_and_dtype():
    diagram = native.loads(BY_HAND)
    assert diagram.graph["X"].attributes == {"dtype": "float32", "shape": (3, 3)}
    assert diagram.graph["c1"].attributes == {"dtype": "float64", "shape": ()}
    assert diagram.values["X"].dtype == np.float32
    assert diagram.graph["t"].inputs == (OutPort("s"), OutPort("parts", 2))
    assert diagram.graph["parts"].inputs == (OutPort("X"), None)


def test_nodes_keep_the_order_of_the_file():
    assert list(native.loads(BY_HAND).graph.nodes) == ["y", "t", "parts", "X", "s", "c1"]


def test_values_and_attributes_cannot_be_changed():
    diagram = native.loads(BY_HAND)
    assert not diagram.values["X"].flags.writeable
    with pytest.raises(TypeError):
        diagram.graph["X"].attributes["shape"] = ()


def test_an_empty_diagram_is_a_document():
    data = native.dumps(Diagram())
    assert data.decode() == '{\n  "gradviz": 1,\n  "graph": {\n    "nodes": []\n  }\n}\n'
    assert len(native.loads(data).graph) == 0


def test_an_unknown_op_survives_with_all_it_has():
    attributes = freeze(
        {"kernel": [3, 3], "mode": "same", "gain": 1.0, "deep": {"a": [None, True]}}
    )
    node = Node("u", "conv9", (None, None), attributes, "u")
    back = native.loads(native.dumps(Diagram(Graph({"u": node})))).graph["u"]
    assert (back.op, back.inputs, back.attributes) == ("conv9", (None, None), attributes)
    assert type(back.attributes["gain"]) is float


def test_the_current_question_is_kept():
    queries = (Query(of=("x",)), Query(wrt=("x",), unconnected="zero"), Query())
    node = Node("x", "variable")
    back = native.loads(native.dumps(Diagram(Graph({"x": node}), queries=queries, current=1)))
    assert back.queries == queries
    assert back.current == 1


def test_characters_that_cannot_be_seen_are_written_as_escapes():
    note = {"text": "a\u202eb\x1b[31m\u200b\U000e0041 é 中"}
    data = native.dumps(Diagram(notes=(note,)))
    assert '"a\\u202eb\\u001b[31m\\u200b\\udb40\\udc41 é 中"'.encode() in data
    assert native.loads(data).notes[0]["text"] == note["text"]


def test_a_view_that_cannot_be_kept_does_not_stop_a_save():
    data = native.dumps(Diagram(), {"zoom": float("nan"), "panels": object(), "x": 1})
    assert native._loaded(data, "").view == {"x": 1}


def test_a_chain_of_a_hundred_thousand_nodes_is_saved_and_read(tmp_path):
    diagram = chain(100_000)
    native.save(tmp_path / "chain.gradviz", diagram)
    back = native.load(tmp_path / "chain.gradviz")
    assert len(back.graph) == 100_000
    assert back.places["n99999"] == Place(99_999.0, 2.5)


def test_nodes_are_sorted_by_topology_then_id():
    nodes = [
        Node("b", "x"),
        Node("a", "x", (OutPort("z"),)),
        Node("z", "x"),
        Node("c", "x", (None,)),
    ]
    text = native.dumps(Diagram(Graph({node.id: node for node in nodes}))).decode()
    assert [text.index(f'"id": "{id}"') for id in "bcza"] == sorted(
        text.index(f'"id": "{id}"') for id in "bcza"
    )


def test_text_and_bytes_are_read_alike():
    assert content(native.loads(BY_HAND)) == content(native.loads(BY_HAND.encode()))


def test_a_paste_names_its_source():
    with pytest.raises(FileError, match=r"^the clipboard, line 1, column 1: This is not JSON"):
        native.loads("x = 1", source="the clipboard")


def test_a_diagram_that_breaks_a_rule_is_not_saved(tmp_path):
    path = tmp_path / "d.gradviz"
    path.write_text("old")
    bad = Diagram(values={"x": frozen_array(1.0)})
    with pytest.raises(FileError, match=r"d\.gradviz, \$\.values\.x: There is no node"):
        native.save(path, bad)
    assert path.read_text() == "old"
