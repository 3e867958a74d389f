"""Undo is exact: what comes back is the very object that was there."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.edit.history import History
from gradviz.graph.model import Diagram, Graph, Node, Place


def other(number=0):
    """A diagram that is no other one."""
    return Diagram(places={"a": Place(number, 0)})


def pushed(count):
    """A history of that many steps, and its diagrams from the first on."""
    diagrams = [other(number) for number in range(count + 1)]
    history = History(diagrams[0], "at first")
    for number, diagram in enumerate(diagrams[1:], 1):
        history.push(f"step {number}", diagram, f"before {number}", f"after {number}")
    return history, diagrams


@given(st.integers(0, 12), st.lists(st.sampled_from(["undo", "redo"]), max_size=40))
def test_any_undos_and_redos_show_the_very_diagrams(count, moves):
    history, diagrams = pushed(count)
    at = count
    for move in moves:
        moved = getattr(history, move)()
        wanted = at + (1 if move == "redo" else -1)
        if 0 <= wanted <= count:
            at = wanted
            assert moved == (f"after {at}" if move == "redo" else f"before {at + 1}")
        else:
            assert moved is None
        assert history.diagram is diagrams[at]
        assert history.cursor == at
    assert len(history.entries) == count


@given(st.integers(1, 12), st.data())
def test_a_jump_is_that_many_undos_or_redos(count, data):
    start, end = (data.draw(st.integers(0, count)) for _ in range(2))
    jumping, _ = pushed(count)
    walking, _ = pushed(count)
    jumping.jump(start)
    walking.jump(start)
    selection = jumping.jump(end)
    said = None
    for _ in range(abs(end - start)):
        said = walking.undo() if end < start else walking.redo()
    assert selection == said
    assert jumping.cursor == walking.cursor
    assert (jumping.undo_text, jumping.redo_text) == (walking.undo_text, walking.redo_text)


def test_a_jump_to_where_no_step_is_does_nothing():
    history, diagrams = pushed(3)
    assert history.jump(4) is None
    assert history.jump(-1) is None
    assert history.diagram is diagrams[3]


def test_undo_at_the_bottom_does_nothing():
    history, diagrams = pushed(0)
    assert history.undo() is None
    assert history.undo_text is None
    assert history.redo_text is None
    assert history.diagram is diagrams[0]


def test_an_edit_that_changes_nothing_is_no_step():
    history, diagrams = pushed(2)
    history.undo()
    assert not history.push("nothing", diagrams[1], "a", "b")
    assert history.redo_text == "step 2"
    assert history.cursor == 1


def test_a_new_step_drops_what_was_undone():
    history, diagrams = pushed(3)
    history.jump(1)
    assert history.push("new", new := other(), "a", "b")
    assert history.redo() is None
    assert [entry.text for entry in history.entries] == ["step 1", "new"]
    assert history.diagram is new
    history.undo()
    assert history.diagram is diagrams[1]


def test_steps_of_a_gesture_are_one():
    first = other()
    history = History(first, "none")
    for number in range(5):
        history.push("drag", last := other(number), f"before {number}", f"after {number}", "drag X")
    assert len(history.entries) == 1
    assert history.diagram is last
    assert history.undo() == "before 0"
    assert history.diagram is first
    assert history.redo() == "after 4"
    assert history.diagram is last


@pytest.mark.parametrize("between", ["seal", "mark_clean", "undo and redo", "another"])
def test_what_comes_between_keeps_steps_apart(between):
    history = History(other(), "")
    history.push("drag", other(1), "", "", "drag X")
    if between == "undo and redo":
        history.undo()
        history.redo()
    elif between == "another":
        history.push("type", other(2), "", "", "type X")
    else:
        getattr(history, between)()
    before = len(history.entries)
    history.push("drag", other(3), "", "", "drag X")
    assert len(history.entries) == before + 1


def test_steps_without_a_key_never_merge():
    history = History(other(), "")
    history.push("a", other(1), "", "")
    history.push("b", other(2), "", "")
    assert len(history.entries) == 2


def test_a_gesture_back_to_where_it_began_leaves_no_step():
    history = History(first := other(), "")
    history.push("drag", other(1), "", "", "drag")
    assert history.push("drag", first, "", "", "drag")
    assert history.entries == ()
    assert history.diagram is first
    assert history.is_clean
    history.push("drag", other(2), "", "", "drag")
    assert len(history.entries) == 1


def test_the_clean_mark_follows_the_steps():
    history, _ = pushed(0)
    assert history.is_clean
    history.push("a", other(1), "", "")
    assert not history.is_clean
    history.mark_clean()
    history.push("b", other(2), "", "")
    assert not history.is_clean
    history.undo()
    assert history.is_clean
    history.undo()
    assert not history.is_clean
    history.redo()
    assert history.is_clean


def test_a_saved_diagram_that_can_no_longer_be_reached_is_never_clean():
    history, _ = pushed(2)
    history.mark_clean()
    history.undo()
    history.push("new", other(), "", "")
    for cursor in range(3):
        history.jump(cursor)
        assert not history.is_clean


def holding(array, **more):
    """A diagram with that value."""
    return Diagram(values={"a": array, **more})


def test_a_shared_array_counts_once():
    big = np.zeros(10**5)
    history = History(holding(big), "")
    once = history.bytes
    for _ in range(10):
        history.push("move", holding(big), "", "")
    assert history.bytes < once + 10**4


def test_the_oldest_steps_go_when_there_are_too_many_bytes():
    history = History(holding(np.zeros(1000)), "", limit=50_000)
    for number in range(20):
        history.push(f"step {number}", holding(np.zeros(1000)), "", "")
    assert history.bytes <= 50_000
    assert [entry.text for entry in history.entries] == [f"step {n}" for n in range(15, 20)]
    assert not history.is_clean
    while history.undo() is not None:
        pass
    assert history.cursor == 0
    assert not history.is_clean
    assert len(history.entries) == 5


def test_the_last_step_can_always_be_undone():
    first = holding(np.zeros(10**5))
    history = History(first, "", limit=1000)
    history.push("large", holding(np.zeros(10**5)), "", "")
    assert history.undo() is not None
    assert history.diagram is first


@given(st.lists(st.tuples(st.sampled_from(["push", "merge", "undo", "redo"]), st.integers(0, 3))))
def test_the_bytes_are_those_of_what_is_held(moves):
    arrays = [np.zeros(100 * (number + 1)) for number in range(4)]
    history = History(Diagram(), "")
    for move, number in moves:
        if move in ("undo", "redo"):
            getattr(history, move)()
        else:
            graph = Graph({"a": Node("a", "exp")})
            new = replace(history.diagram, values={"a": arrays[number]}, graph=graph)
            history.push(move, new, "", "", "key" if move == "merge" else None)
    fresh = History(history._all[0].diagram, "")
    for entry in history.entries:
        fresh.push("", entry.diagram, "", "")
    assert history.bytes == fresh.bytes


def test_a_gesture_that_was_given_up_leaves_what_can_be_redone():
    history, diagrams = pushed(3)
    history.mark_clean()
    history.jump(1)
    history.push("drag", other(7), "", "", "drag")
    assert history.redo_text is None
    history.push("drag", diagrams[1], "", "", "drag")
    assert history.cursor == 1
    assert history.redo_text == "step 2"
    history.jump(3)
    assert history.diagram is diagrams[3]
    assert history.is_clean


def test_a_step_after_one_that_led_back_is_its_own():
    history = History(first := other(), "")
    history.push("drag", one := other(1), "", "", "drag")
    history.seal()
    for diagram in (other(2), one, other(3)):
        history.push("drag", diagram, "", "", "drag")
    assert len(history.entries) == 2
    history.undo()
    assert history.diagram is one
    history.undo()
    assert history.diagram is first
