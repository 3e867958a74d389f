"""What an edit does not mean, it does not touch: undo of it brings back that, and nothing else."""

from __future__ import annotations

import pytest

from gradviz.edit import edits
from gradviz.edit.history import History
from gradviz.files import native
from gradviz.files.canonical import plain
from gradviz.graph.model import Diagram, InPort, OutPort, Place
from gradviz.ops import registry
from tests.edit.made import ORIGIN, nine_sevens

TOUCHED = {
    "move": (lambda d: edits.move(d, {"s": Place(7, 8)}), {"s"}),
    "rename": (lambda d: edits.rename(d, "B", "bias"), {"B"}),
    "set_cell": (lambda d: edits.set_cell(d, "X", (0, 0), 9.0), {"X"}),
    "set_value": (lambda d: edits.set_value(d, "B", 1.5), {"B"}),
    "set_attributes": (lambda d: edits.set_attributes(d, "s", axis=0), {"s"}),
    "connect": (lambda d: edits.connect(d, OutPort("B"), InPort("square", 0)), {"square"}),
    "disconnect": (lambda d: edits.disconnect(d, InPort("add", 1)), {"add"}),
    "delete": (lambda d: edits.delete(d, ["square"]), {"square", "add"}),
    "delete_and_heal": (lambda d: edits.delete_and_heal(d, ["square"]), {"square", "add"}),
    "set_route": (lambda d: edits.set_route(d, InPort("add", 0), [Place(3, 4)]), set()),
    "toggle_breakpoint": (lambda d: edits.toggle_breakpoint(d, ["s"]), set()),
    "set_query": (lambda d: edits.set_query(d, of=("s",)), set()),
    "duplicate": (lambda d: edits.duplicate(d, ["s", "square"])[0], {"s_2", "square_2"}),
}


def of_node(diagram: Diagram, id: str) -> object:
    """All that a file keeps of one node."""
    node = diagram.graph.nodes.get(id)
    if node is None:
        return None
    array = diagram.values.get(id)
    return (
        (node.op, node.name, node.inputs, repr(plain(node.attributes))),
        None if array is None else (array.dtype, array.shape, array.tobytes()),
        repr(diagram.places.get(id)),
    )


@pytest.mark.parametrize("name", TOUCHED)
def test_undo_changes_only_what_the_step_changed(name):
    edit, touched = TOUCHED[name]
    first = nine_sevens()
    second = edit(first)
    assert second is not first
    ids = [*first.graph.nodes, *(id for id in second.graph.nodes if id not in first.graph)]
    assert {id for id in ids if of_node(first, id) != of_node(second, id)} == touched
    history = History(first, frozenset())
    history.push(name, second, frozenset(), frozenset())
    saved = {0: native.dumps(first), 1: native.dumps(second)}
    assert saved[0] != saved[1]
    for move in ("undo", "redo", "undo"):
        getattr(history, move)()
        assert native.dumps(history.diagram) == saved[history.cursor]


@pytest.mark.parametrize("op", sorted(op.name for op in registry.every()))
def test_delete_and_undo_of_every_operation(op):
    """As it came from a file: a node that was deleted and brought back is the one that was there."""
    before, id = edits.add_node(nine_sevens(), op, ORIGIN)
    saved = native.dumps(before)
    history = History(native.loads(saved), frozenset())
    history.push("Delete", edits.delete(history.diagram, [id]), frozenset({id}), frozenset())
    assert id not in history.diagram.graph
    assert history.undo() == {id}
    assert native.dumps(history.diagram) == saved
    assert native.dumps(native.loads(saved)) == saved


def test_steps_that_lead_back_leave_no_step():
    history = History(first := nine_sevens(), "")
    for x in (4, 8, 4, 0):
        place = first.places["s"]
        moved = edits.move(history.diagram, {"s": Place(place.x + x, place.y)})
        history.push("Move", moved, "before", "after", merge="nudge")
    assert history.entries == ()
    assert history.diagram is first
    assert history.is_clean
    history.push("Move", edits.move(first, {"s": Place(1, 1)}), "before", "after", merge="nudge")
    assert len(history.entries) == 1


@pytest.mark.parametrize("typed", [(2.0, 1.0), (0.0, -0.0)])
def test_a_number_that_is_dragged_back_is_no_step_and_minus_zero_is_another_number(typed):
    history = History(first := edits.set_cell(nine_sevens(), "X", (0, 0), typed[0]), "")
    for number in (3.0, typed[0]):
        history.push("x", edits.set_cell(history.diagram, "X", (0, 0), number), "", "", merge="d")
    assert history.diagram is first
    for number in (3.0, typed[1]):
        history.push("x", edits.set_cell(history.diagram, "X", (0, 0), number), "", "", merge="d")
    assert len(history.entries) == 1
    assert native.dumps(history.diagram) != native.dumps(first)
