"""Any edits in any order: the diagram stays valid, and undo is exact to the last byte that is saved."""

import inspect
import re
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import gradviz as gv
from gradviz.edit import edits
from gradviz.edit.align import SIDES
from gradviz.edit.history import History
from gradviz.edit.layout import card_boxes
from gradviz.engine.check import infer
from gradviz.errors import GradvizError
from gradviz.files import native
from gradviz.graph.model import InPort, OutPort, Place
from gradviz.graph.validate import validate
from gradviz.ops import registry
from tests.edit.made import known, nine_sevens
from tests.files.diagrams import content

OPS = sorted(op.name for op in registry.every())
HOSTILE = st.one_of(
    st.sampled_from(
        ["y", "s", "", " ", "sum_2", "x" * 80, "x" * 81, "a\u0301", "\u00e1", "\u202e", "∂y/∂x"]
    ),
    st.text(max_size=90),
)
NUMBERS = st.floats(width=32) | st.integers(-(2**62), 2**62) | st.booleans()
VALUES = st.one_of(
    NUMBERS,
    st.lists(NUMBERS, max_size=3),
    st.lists(st.lists(st.floats(-9, 9), min_size=2, max_size=2), min_size=1, max_size=3),
    st.sampled_from(["text", None, [[1], [1, 2]], np.ones((2, 2), np.float32)]),
)
COORDINATES = st.integers(-400, 1600) | st.floats()
SETTINGS = st.dictionaries(
    st.sampled_from(["axis", "keepdims", "shape", "dtype", "seed", "index", "nonsense"]),
    st.sampled_from([0, 1, -1, 9, True, None, (2, 2), (3,), (), "float32", "int64", "weak", {}]),
    max_size=2,
)
NAMES = st.sampled_from(["y", "s", "z", "X", "B", "q"])
AROUND = (edits.pull_out, edits.delete_and_heal, edits.join)
WAYS = st.recursive(
    NAMES | st.integers(-2, 2),
    lambda parts: st.tuples(st.sampled_from(["add", "multiply", "sum", "exp"]), parts, parts),
    max_leaves=5,
)


class Editing(RuleBasedStateMachine):
    """Edits as a document makes them."""

    def __init__(self):
        super().__init__()
        self.first = nine_sevens()
        self.history = History(self.first, frozenset())
        self.contents = [(self.first, content(self.first))]
        self.steps = [native.dumps(self.first)]
        self.put_by = []
        self.said = []

    @property
    def diagram(self):
        return self.history.diagram

    def edit(self, function, *arguments, merge=None, **options):
        """One step; a refused edit is none."""
        before = self.diagram
        try:
            made = function(before, *arguments, **options)
        except GradvizError as error:
            self.said.append(str(error))
            return
        after = made[0] if isinstance(made, tuple) else made
        cursor = self.history.cursor
        assert self.history.push(function.__name__, after, 0, 0, merge) == (after is not before)
        if after is before:
            return
        self.contents.append((after, content(after)))
        self.note(cursor, self.history.cursor, native.dumps(after))

    def note(self, before, now, saved):
        """One step more; or as many, if it was merged; or one less, if that led back to where it began."""
        if self.history.diagram is self.contents[-1][0]:
            assert now in (before, before + 1)
            if now > before:
                self.put_by = self.steps[now:]
            self.steps[now:] = [saved]
        else:
            assert now in (before - 1, before)
            assert saved == self.steps[now]
            if now < before:
                self.steps[now + 1 :] = self.put_by

    def some(self, data, count=1):
        ids = list(self.diagram.graph.nodes)
        return data.draw(st.lists(st.sampled_from(ids), max_size=count)) if ids else []

    def one(self, data):
        return data.draw(st.sampled_from([*self.diagram.graph.nodes, "nobody"]))

    def input(self, data):
        return InPort(self.one(data), data.draw(st.integers(-1, 3)))

    @rule(op=st.sampled_from(OPS), name=st.none() | HOSTILE, x=COORDINATES, y=COORDINATES)
    def add(self, op, name, x, y):
        self.edit(edits.add_node, op, Place(x, y), name=name)

    @rule(
        value=VALUES,
        settings=SETTINGS,
        op=st.sampled_from(["variable", "constant", "random_normal"]),
    )
    def add_source(self, op, value, settings):
        self.edit(edits.add_node, op, Place(0, 0), value=value, attributes=settings)

    @rule(data=st.data())
    def delete(self, data):
        self.edit(edits.delete, self.some(data, 3))

    @rule(data=st.data(), output=st.integers(0, 1))
    def connect(self, data, output):
        source, target = OutPort(self.one(data), output), self.input(data)
        try:
            said = edits.refusal(self.diagram, source, target)
        except GradvizError as error:
            said = error.message
        before = self.diagram
        self.edit(edits.connect, source, target)
        if said is not None:
            assert self.diagram is before

    @rule(data=st.data())
    def disconnect(self, data):
        self.edit(edits.disconnect, self.input(data))

    @rule(data=st.data())
    def insert_on_wire(self, data):
        self.edit(edits.insert_on_wire, self.one(data), self.input(data))

    @rule(data=st.data())
    def cut(self, data):
        self.edit(edits.cut, [self.input(data) for _ in range(data.draw(st.integers(0, 3)))])

    @rule(data=st.data())
    def move_wires(self, data):
        self.edit(edits.move_wires, OutPort(self.one(data)), OutPort(self.one(data)))

    @rule(data=st.data(), function=st.sampled_from(AROUND))
    def rewire(self, data, function):
        self.edit(function, self.some(data, 3))

    @rule(data=st.data(), points=st.lists(st.builds(Place, COORDINATES, COORDINATES), max_size=2))
    def lead_wires(self, data, points):
        ends = edits.wires_of(self.diagram.graph, self.diagram.graph.nodes)
        end = data.draw(st.sampled_from([InPort("nobody", 0), *ends]))
        if data.draw(st.booleans()):
            self.edit(edits.set_route, end, points)
        else:
            self.edit(edits.set_routes, dict.fromkeys(ends[:2], tuple(points)))

    @rule(data=st.data())
    def halt(self, data):
        self.edit(edits.toggle_breakpoint, self.some(data, 2))

    @rule(bound=st.none() | st.floats(), on=st.booleans())
    def halt_where(self, bound, on):
        self.edit(edits.stop_above, bound)
        self.edit(edits.stop_at_nan, on=on)

    @rule()
    def halt_nowhere(self):
        self.edit(edits.clear_breakpoints)

    @rule(data=st.data(), x=COORDINATES, y=COORDINATES, merge=st.sampled_from([None, "drag"]))
    def move(self, data, x, y, merge):
        self.edit(edits.move, dict.fromkeys(self.some(data, 3), Place(x, y)), merge=merge)

    @rule(data=st.data(), name=HOSTILE)
    def rename(self, data, name):
        self.edit(edits.rename, self.one(data), name)

    @rule(data=st.data(), value=VALUES, merge=st.sampled_from([None, "typing"]))
    def set_value(self, data, value, merge):
        self.edit(edits.set_value, self.one(data), value, merge=merge)

    @rule(data=st.data(), number=NUMBERS, cell=st.lists(st.integers(-1, 2), max_size=2))
    def set_cell(self, data, number, cell):
        self.edit(edits.set_cell, self.one(data), cell, number)

    @rule(data=st.data(), kind=st.sampled_from(sorted(edits.FILLS)), number=st.floats(width=32))
    def fill(self, data, kind, number):
        self.edit(edits.fill, self.one(data), kind)
        self.edit(edits.fill_number, self.one(data), number)

    @rule(data=st.data(), low=st.floats(width=32), high=st.floats(width=32))
    def slide(self, data, low, high):
        self.edit(edits.set_range, self.one(data), low, high)
        self.edit(edits.clear_range, self.one(data))

    @rule(data=st.data(), settings=SETTINGS)
    def set_attributes(self, data, settings):
        self.edit(edits.set_attributes, self.one(data), **settings)

    @rule(data=st.data(), seed=st.integers(-1, 2**32))
    def draw_again(self, data, seed):
        self.edit(edits.draw_again, self.one(data), seed)

    @rule(data=st.data(), seed=st.none() | st.lists(NUMBERS | st.none(), max_size=2))
    def set_query(self, data, seed):
        of, wrt = self.some(data, 2), self.some(data, 2)
        self.edit(edits.set_query, of=of, wrt=wrt, seed=seed)

    @rule(name=NAMES, way=WAYS)
    def build(self, name, way):
        try:
            expression = self.expression(way, known(self.diagram))
        except GradvizError:
            return
        places = dict(self.diagram.places)
        self.edit(edits.build_expression, {name: expression})
        for id in self.diagram.places.keys() - places.keys():
            boxes = card_boxes(self.diagram, {})
            assert not any(covers(boxes[id], box) for other, box in boxes.items() if other != id)

    def expression(self, way, leaves):
        if isinstance(way, str):
            return leaves.get(way) or gv.variable(0.0, name=way)
        if isinstance(way, int):
            return gv.constant(way)
        op, a, b = way
        operands = [self.expression(part, leaves) for part in (a, b)]
        return gv.apply(op, *operands[: len(registry.get(op).inputs)])

    @rule(data=st.data(), keep=st.booleans(), by=st.integers(-100, 100))
    def duplicate(self, data, keep, by):
        if len(self.diagram.graph) < 40:
            self.edit(edits.duplicate, self.some(data, 4), Place(by, by), keep_inputs=keep)

    @rule(data=st.data(), by=st.integers(-100, 100))
    def paste(self, data, by):
        if len(self.diagram.graph) < 40:
            part = native.loads(native.dumps(edits.cut_out(self.diagram, self.some(data, 3))))
            self.edit(edits.insert, part, Place(by, by))

    @rule()
    def arrange(self):
        self.edit(edits.arrange)

    @rule(data=st.data())
    def arrange_some(self, data):
        self.edit(edits.arrange, {}, self.some(data, 3))

    @rule(data=st.data(), side=st.sampled_from(sorted(SIDES)))
    def align(self, data, side):
        self.edit(edits.align, self.some(data, 4), side)

    @rule(data=st.data(), across=st.booleans())
    def distribute(self, data, across):
        self.edit(edits.distribute, self.some(data, 4), across=across)

    @rule()
    def place_missing(self):
        self.edit(edits.place_missing)

    @rule()
    def undo(self):
        self.history.undo()

    @rule()
    def redo(self):
        self.history.redo()

    @rule(data=st.data())
    def jump(self, data):
        self.history.jump(data.draw(st.integers(0, len(self.history.entries))))

    @rule()
    def save(self):
        self.history.mark_clean()
        assert self.history.is_clean

    @rule()
    def reopen(self):
        saved = native.dumps(self.diagram)
        self.first = native.loads(saved)
        self.history = History(self.first, frozenset())
        self.contents.append((self.first, content(self.first)))
        self.steps = [saved]

    @precondition(lambda self: self.history.entries)
    @rule()
    def all_the_way_back_and_again(self):
        present, cursor = self.diagram, self.history.cursor
        self.history.jump(len(self.history.entries))
        for wanted in reversed(self.steps):
            assert native.dumps(self.diagram) == wanted
            self.history.undo()
        assert self.diagram is self.first
        for wanted in self.steps:
            assert native.dumps(self.diagram) == wanted
            self.history.redo()
        self.history.jump(cursor)
        assert self.diagram is present

    @invariant()
    def exact(self):
        assert native.dumps(self.diagram) == self.steps[self.history.cursor]
        assert len(self.steps) == len(self.history.entries) + 1

    @invariant()
    def valid(self):
        validate(self.diagram)
        infer(self.diagram.graph)
        assert not any(array.flags.writeable for array in self.diagram.values.values())
        assert set(self.diagram.places) == set(self.diagram.graph.nodes)

    def teardown(self):
        assert all(self.said)
        for diagram, held in self.contents:
            assert content(diagram) == held


def test_every_edit_is_one_of_the_actions():
    """Whoever adds an edit adds a rule for it above."""
    used = set(re.findall(r"edits\.(\w+)", Path(__file__).read_text(encoding="utf-8")))
    functions = {name: f for name in edits.__all__ if callable(f := getattr(edits, name))}
    returned = {name: inspect.signature(f).return_annotation for name, f in functions.items()}
    changing = {name for name, kind in returned.items() if re.match(r"(tuple\[)?Diagram", kind)}
    assert changing - used == set()


def covers(a, b):
    """Whether two boxes have a point in common."""
    return a.left < b.right and b.left < a.right and a.top < b.bottom and b.top < a.bottom


TestEditing = Editing.TestCase
TestEditing.settings = settings(max_examples=40, stateful_step_count=25)


@pytest.mark.long
@pytest.mark.timeout(1800)
class TestManyEdits(Editing.TestCase):
    """The full figure: up to 50,000 actions."""

    settings = settings(max_examples=1000, stateful_step_count=50)
