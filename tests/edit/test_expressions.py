"""Enter in the expression bar: what stays, what changes, what goes."""

from dataclasses import replace

import numpy as np
import pytest

import gradviz as gv
from gradviz.edit import edits
from gradviz.edit.expressions import build_expression
from gradviz.engine.answer import answer
from gradviz.errors import GraphError, InputError
from gradviz.graph.model import Diagram, OutPort, Place
from gradviz.graph.validate import validate
from gradviz.ops.expr import Expr
from tests.edit.made import SEVENS, add, inputs, known, nine_sevens, overlaps
from tests.files.diagrams import content


def build(diagram, **exprs):
    """Build, and check what must always hold: it is valid, and pressing Enter again changes nothing."""
    after = build_expression(diagram, exprs)
    validate(after)
    assert build_expression(after, _again(after, exprs)) is after
    return after


def _again(diagram, exprs):
    """The expressions as the parser gives them once the diagram holds their names."""
    leaves = known(diagram)

    def fresh(e):
        if e.call.port is not None:
            return Expr(leaves[diagram.graph[e.call.port].name].call, e.index)
        if not e.call.inputs and e.call.name:
            return leaves[e.call.name]
        if not e.call.inputs:
            return e
        return gv.apply(e.call.op.name, *map(fresh, e.call.inputs), **e.call.attributes)

    return {
        name: leaves[name] if not e.call.inputs and name in leaves else fresh(e)
        for name, e in exprs.items()
    }


def value(diagram, name="y"):
    """What a node is computed to."""
    return answer(diagram).value(OutPort(diagram.node_called(name).id))


def test_the_first_expression_makes_its_variables():
    X = gv.variable(np.zeros((3, 3)), name="X")
    diagram = build(Diagram(), y=gv.sum(X) ** 2 + gv.sum(X) - 1)
    names = sorted(node.name or "1" for node in diagram.graph)
    assert names == ["1", "X", "add", "square", "sum", "y"]
    assert set(diagram.places) == set(diagram.graph.nodes)
    assert value(edits.set_value(diagram, diagram.node_called("X").id, SEVENS)) == 11


def test_an_unchanged_text_changes_nothing():
    diagram = nine_sevens()
    X, s = known(diagram)["X"], known(diagram)["s"]
    assert build(diagram, y=s**2 + s - 1) is diagram
    # Written without the name, it means the same.
    assert build(diagram, y=gv.sum(X) ** 2 + gv.sum(X) - 1) is diagram
    assert build(diagram, y=known(diagram)["y"]) is diagram


def test_another_number_changes_that_number_only():
    diagram = nine_sevens()
    s = known(diagram)["s"]
    after = build(diagram, y=s**2 + s - 2)
    assert after.graph is diagram.graph
    assert after.places is diagram.places
    assert after.values["c"] == 2


def test_a_number_deep_inside_leaves_all_nodes_where_they_are():
    x = gv.variable(3.0, name="x")
    before = build(Diagram(), y=gv.sin(2 * x + 1) + x)
    x = known(before)["x"]
    after = build(before, y=gv.sin(5 * x + 1) + x)
    assert after.graph is before.graph
    assert after.places is before.places
    assert value(after) == np.sin(16) + 3


def test_another_operation_at_the_top_keeps_name_place_and_questions():
    diagram = nine_sevens()
    s = known(diagram)["s"]
    after = build(diagram, y=s**2 + s + 1)
    assert after.graph["y"].op == "add"
    assert inputs(after, "y") == ["add", "c"]
    assert after.places == diagram.places
    assert after.query == diagram.query
    assert after.graph["add"] is diagram.graph["add"]


def test_an_operation_inside_is_exchanged_in_its_place():
    diagram = edits.rename(nine_sevens(), "s", "sum")
    X = known(diagram)["X"]
    after = build(diagram, y=gv.mean(X) ** 2 + gv.mean(X) - 1)
    mean = after.node_called("mean").id
    assert inputs(after, "square") == [mean]
    assert "s" not in after.graph
    assert after.places["square"] == diagram.places["square"]
    assert after.places["y"] == diagram.places["y"]
    assert after.places[mean] == diagram.places["s"]


def test_more_around_the_old_expression_goes_to_its_right():
    diagram = nine_sevens()
    s = known(diagram)["s"]
    after = build(diagram, y=(s**2 + s - 1) * 2)
    inner = after.node_called("subtract").id
    assert inputs(after, inner) == ["add", "c"]
    assert after.places[inner] == diagram.places["y"]
    assert after.places["y"].x > after.places[inner].x
    assert after.query == diagram.query
    s = known(after)["s"]
    back = build(after, y=s**2 + s - 1)
    assert content(back) == content(diagram)


def test_what_reads_the_target_goes_on_reading_it():
    diagram = nine_sevens()
    diagram = build(diagram, z=known(diagram)["y"] * 3)
    s = known(diagram)["s"]
    after = build(diagram, y=s + 1)
    z = after.node_called("z").id
    assert after.graph[z] is diagram.graph[z]
    assert value(after, "z") == 12


def test_nodes_outside_the_expression_stay():
    diagram, lonely = add(nine_sevens(), "exp")
    after = build(diagram, y=known(diagram)["s"] + 1)
    assert after.graph["B"] is diagram.graph["B"]
    assert after.graph[lonely] is diagram.graph[lonely]


def test_only_what_served_the_old_expression_goes():
    diagram = nine_sevens()
    diagram = build(diagram, z=known(diagram)["s"] ** 2)
    after = build(diagram, y=known(diagram)["X"][0, 0] * 1.5)
    names = {node.name for node in after.graph if node.name}
    assert names == {"X", "B", "s", "z", "y", "getitem"}


def test_what_has_a_name_of_its_own_stays():
    diagram = nine_sevens()
    after = build(diagram, y=gv.mean(known(diagram)["X"]))
    assert after.graph["s"] is diagram.graph["s"]
    assert "square" not in after.graph


def test_a_variable_that_holds_something_stays_and_a_mistyped_one_goes():
    diagram = nine_sevens()
    typo = build(diagram, y=known(diagram)["s"] + gv.variable(0.0, name="ss"))
    after = build(typo, y=known(typo)["B"][0, 0] + 1)
    assert "ss" not in after.graph.id_of_name
    assert after.values["X"] is diagram.values["X"]


def test_what_a_question_names_stays():
    diagram = edits.set_query(nine_sevens(), of=["s"], wrt=["X"])
    after = build(diagram, y=known(diagram)["B"][0, 0] + 1)
    assert after.graph["s"] is diagram.graph["s"]


def test_equal_sub_expressions_become_one_node():
    x = gv.variable(2.0, name="x")
    diagram = build(Diagram(), y=(x + 1) * (x + 1))
    y = diagram.node_called("y").id
    first, second = inputs(diagram, y)
    assert first == second
    assert len(diagram.graph) == 4


def test_numbers_are_nodes_of_their_own():
    x = gv.variable(2.0, name="x")
    diagram = build(Diagram(), y=x**3 + 3)
    assert [node.op for node in diagram.graph].count("constant") == 2


def test_a_named_part_is_shared_with_what_means_the_same():
    X = gv.variable(SEVENS, name="X")
    diagram = build(Diagram(), s=gv.sum(X), y=gv.sum(X) ** 2 + 1)
    assert inputs(diagram, diagram.node_called("square").id) == [diagram.node_called("s").id]


def test_two_names_for_the_same_are_two_nodes():
    x = gv.variable(2.0, name="x")
    diagram = build(Diagram(), a=x + 1, b=x + 1)
    assert diagram.node_called("a").id != diagram.node_called("b").id


def test_a_new_name_takes_over_a_node_that_is_only_named_after_its_op():
    diagram = nine_sevens()
    X = known(diagram)["X"]
    after = build(diagram, t=gv.square(gv.sum(X)))
    assert after.graph["square"].name == "t"
    assert len(after.graph) == len(diagram.graph)
    # What the person has named is not renamed.
    after = build(diagram, t=gv.sum(X))
    assert after.graph["s"].name == "s"
    assert after.node_called("t").op == "sum"


def test_a_target_that_reads_itself_is_refused():
    diagram = nine_sevens()
    diagram = build(diagram, z=known(diagram)["y"] * 2)
    leaves = known(diagram)
    with pytest.raises(GraphError, match="y would be computed from itself: y → y"):
        build_expression(diagram, {"y": leaves["y"] * 2})
    with pytest.raises(GraphError, match="y would be computed from itself: y → z → y"):
        build_expression(diagram, {"y": leaves["z"] + 1})
    with pytest.raises(GraphError, match="from itself"):
        build_expression(Diagram(), {"x": gv.variable(0.0, name="x") + 1})


def test_another_name_for_the_same_thing_is_refused():
    diagram = nine_sevens()
    with pytest.raises(InputError, match="X is there already; y would only"):
        build_expression(diagram, {"y": known(diagram)["X"]})
    with pytest.raises(InputError, match="q is there already"):
        build_expression(diagram, {"y": gv.variable(0.0, name="q")})
    both = known(diagram)["s"] + 1
    with pytest.raises(InputError, match="a is there already"):
        build_expression(diagram, {"a": both, "b": both})


def test_a_number_for_a_source_is_its_value():
    diagram = nine_sevens()
    after = build(diagram, X=gv.constant(3))
    assert after.graph["X"].op == "variable"
    assert after.values["X"] == 3
    assert build(nine_sevens(), X=gv.constant(SEVENS)).values["X"].tolist() == SEVENS


def test_a_number_for_a_new_name_is_a_variable():
    diagram = build(Diagram(), x=gv.constant(3))
    assert diagram.node_called("x").op == "variable"
    assert value(diagram, "x") == 3
    assert value(diagram, "x").dtype == np.float64


def test_a_number_for_a_computed_node_makes_it_a_variable():
    diagram = nine_sevens()
    after = build(diagram, s=gv.constant(5))
    assert after.graph["s"].op == "variable"
    assert inputs(after, "square") == ["s"]
    assert value(after) == 29


def test_a_computed_variable_loses_its_numbers():
    diagram = nine_sevens()
    after = build(diagram, B=known(diagram)["s"] * 2)
    assert "B" not in after.values
    assert value(after, "B") == 6


def test_a_text_with_several_names():
    x = gv.variable(2.0, name="x")
    a = x + 1
    diagram = build(Diagram(), a=a, y=a * x)
    x = known(diagram)["x"]
    a = x + 2
    after = build(diagram, a=a, y=a * x)
    assert after.graph is diagram.graph
    assert value(after) == 8
    a = known(after)["x"] ** 3
    after = build(after, a=a, z=a + 1)
    assert value(after) == 16
    assert value(after, "z") == 9


def test_an_array_in_the_text_is_a_constant():
    diagram = nine_sevens()
    after = build(diagram, y=known(diagram)["B"] * gv.constant([[1.0, 2.0], [3.0, 4.0]]))
    assert after.node_called("constant").op == "constant"
    assert value(after).tolist() == [[1, 4], [9, 16]]


def test_new_nodes_land_on_nothing():
    diagram = nine_sevens()
    leaves = known(diagram)
    after = build(diagram, z=leaves["s"] * leaves["B"] + gv.exp(leaves["y"]) / 3)
    assert overlaps(after) == []


def test_places_come_from_whoever_knows_the_sizes():
    asked = []

    def place_for(diagram):
        asked.append([id for id in diagram.graph.nodes if id not in diagram.places])
        return replace(diagram, places={id: Place(0, 0) for id in diagram.graph.nodes})

    diagram = nine_sevens()
    build_expression(diagram, {"y": known(diagram)["s"] ** 2 + known(diagram)["s"]}, place_for)
    assert asked == []
    build_expression(diagram, {"z": known(diagram)["s"] + 1}, place_for)
    assert [sorted(ids) for ids in asked] == [["c_2", "z"]]


def test_a_name_that_cannot_be_given_is_refused():
    with pytest.raises(InputError):
        build_expression(Diagram(), {"a\nb": gv.variable(1.0, name="x") + 1})


def test_long_texts_are_no_deeper_than_short_ones():
    e = x = gv.variable(1.0, name="x")
    for _ in range(5000):
        e = gv.sin(e) + x
    diagram = build_expression(Diagram(), {"y": e}, lambda diagram: diagram)
    validate(diagram)
    assert len(diagram.graph) == 10001
