"""The sentences. Every number in them is the engine's."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv
from gradviz.engine import explain, gradcheck
from gradviz.engine.answer import Answer, answer
from gradviz.engine.diagnose import State
from gradviz.engine.explain import missing as explain_missing
from gradviz.engine.gradient import Address, Role, Step
from gradviz.graph.model import Diagram, Graph, InPort, Node, OutPort, Query


def sentences(found: Answer) -> list[str]:
    return [str(explain.sentence(found, step)) for step in found.timeline.steps]


def nine_sevens() -> Answer:
    X = gv.variable([[1, 0, -1], [2, 1, 0], [0, -1, 1]], name="X")
    B = gv.variable([[1, 2], [3, 4]], name="B")
    s = gv.sum(X)
    s.name = "s"
    return answer(gv.diagram(s**2 + s - 1, [X, B]))


def test_the_film_of_nine_sevens_in_words() -> None:
    found = nine_sevens()
    assert (
        str(explain.sentence(found, None))
        == "The question: if X changes a little, how much does y change?"
    )
    assert sentences(found) == [
        "s = sum(X) = 3",
        "square = s² = 3² = 9",
        "add = square + s = 9 + 3 = 12",
        "y = add − 1 = 12 − 1 = 11",
        "Now backwards: if y itself rises a little, y rises just as much. Its gradient is 1.",
        "y passes its gradient 1 on to add unchanged.",
        "add passes its gradient 1 on to square unchanged.",
        "add passes its gradient 1 on to s unchanged.",
        "square passes its gradient 1 back to s, multiplied by its local derivative 2·s = 6.",
        "s is used 2 times, so what came back by each road is added: 1 + 6 = 7.",
        "s passes its gradient back to X: spread 7 over 3×3, which gives 3×3, each 7.",
        "Done: ∂y/∂X = 3×3, each 7,  ∂y/∂B = None.",
    ]


def test_the_wire_shows_amount_times_local_derivative() -> None:
    found = nine_sevens()
    step = next(
        s
        for s in found.timeline.steps
        if s.address.node == "square" and s.address.role is Role.CONTRIBUTION
    )
    assert explain.wire(found, step).lines == ("1 × 2·s", "= 1 × 6", "= 6")


def test_rules_are_written_with_names() -> None:
    x = gv.variable([[1.0, 2.0]], name="x")
    W = gv.variable([[1.0], [2.0]], name="W")
    h = x @ W
    h.name = "h"
    r = gv.relu(h)
    r.name = "r"
    found = answer(gv.diagram(gv.sum(r)))
    rules = {
        (s.address.node, s.address.input): explain.rule_text(found, s)
        for s in found.timeline.steps
        if s.rule
    }
    assert rules["h", 0] == "g @ Wᵀ"
    assert rules["h", 1] == "xᵀ @ g"
    assert rules["r", 0] == "g where h > 0, else 0"


def test_a_division_in_a_product_stands_in_brackets() -> None:
    x = gv.variable(2.0, name="x")
    z = gv.variable(4.0, name="z")
    found = answer(gv.diagram(x / z))
    texts = [
        explain.local_text(found, s)
        for s in found.timeline.steps
        if s.address.role is Role.CONTRIBUTION
    ]
    assert texts == ["(1 / z)", "−(y / z)"]


@pytest.mark.parametrize(
    ("make", "state", "words"),
    [
        (lambda x: gv.variable(1.0, name="t"), State.NO_PATH, "nothing leads from x to t"),
        (lambda x: gv.stop_gradient(x) * 2, State.STOPPED, "stop_gradient"),
        (lambda x: gv.where(x > 0, 1.0, 2.0), State.NON_DIFFERENTIABLE_OP, "greater"),
    ],
)
def test_a_missing_gradient_has_a_state_and_a_sentence(make, state: State, words: str) -> None:
    x = gv.variable(1.0, name="x")
    found = answer(gv.diagram(make(x), x))
    missing = found.missing(OutPort("x"))
    assert missing is not None
    why = explain.reason(found, missing)
    assert why.state is state
    assert words in str(why.sentence)
    assert str(why.remedy)


def test_every_state_has_its_words() -> None:
    assert set(explain_missing._REASONS) == set(State)


def test_notes_name_errors_first() -> None:
    nodes = [
        Node("A", "variable", (), {"shape": (3, 4), "dtype": "float64"}, "A"),
        Node("p", "matmul", (OutPort("A"), OutPort("A")), {}, "p"),
        Node("q", "sum", (None,), {}, "q"),
        Node("u", "conv9", (OutPort("A"),), {}, "u"),
    ]
    found = answer(Diagram(Graph({n.id: n for n in nodes}), {"A": np.ones((3, 4))}))
    lines: dict[str, tuple[str, str]] = {}
    for note in explain.notes(found):
        lines.setdefault(note.nodes[0], (note.severity, str(note.text)))
    assert lines["p"] == ("error", "p: a is 3×4, b is 3×4: inner sizes 4 and 3 must be equal.")
    assert lines["q"] == ("warning", "q: The input x has no wire.")
    assert lines["u"][1] == "u: conv9 is not known here."


def test_a_target_that_is_not_one_number_says_so() -> None:
    x = gv.variable(np.ones((2, 3)), name="x")
    found = answer(gv.diagram(x * 2))
    assert any(
        "the gradient of the sum of its 6 cells" in str(note.text) for note in explain.notes(found)
    )


def test_the_last_of_several_results_is_taken_and_it_says_so() -> None:
    x = gv.variable(1.0, name="x")
    a, b = x * 2, x * 3
    b.name = "b"
    from dataclasses import replace

    diagram = gv.diagram([a, b])
    found = answer(replace(diagram, queries=()))
    assert found.question.chosen == "last"
    assert any("the last one, b, was taken" in str(note.text) for note in explain.notes(found))


def test_verdicts() -> None:
    found = nine_sevens()
    good, none = gradcheck.check(found)
    assert str(explain.verdict(found, good)).startswith(
        "∂y/∂X agrees with finite differences (9 entries"
    )
    assert (
        str(explain.verdict(found, none))
        == "∂y/∂B is None, and moving it changes nothing (4 entries)."
    )


def test_a_seed_is_named() -> None:
    x = gv.variable([1.0, 2.0], name="x")
    from dataclasses import replace

    diagram = gv.diagram(x * 2)
    diagram = replace(diagram, queries=(Query(of=("y",), seed=((1.0, 10.0),)),))
    found = answer(diagram)
    assert found.adjoint(OutPort("x")).tolist() == [2, 20]
    assert any("starts with the seed" in text for text in sentences(found))


def test_every_shown_number_is_the_engines() -> None:
    found = nine_sevens()
    assert explain.sum_line(found, OutPort("s")) == "1 + 6 = 7"
    assert found.run[found.gradient.adjoints[OutPort("s")]] == 7


def contribution(found: Answer, node: str, input: int = 0) -> Step:
    position = found.timeline.position(Address(node, input, Role.CONTRIBUTION))
    assert position is not None
    step = found.timeline.step(position)
    assert step is not None
    return step


def test_a_contribution_on_one_line() -> None:
    found = nine_sevens()
    assert explain.wire(found, contribution(found, "square")).line == "1 × 2·s = 6"
    assert explain.wire(found, contribution(found, "s")).line == "spread 7 over 3×3 = 3×3, each 7"


def test_the_derivative_of_one_step() -> None:
    found = nine_sevens()
    assert str(explain.derivative(found, contribution(found, "square"))) == "∂square/∂s = 2·s = 6"
    assert str(explain.derivative(found, contribution(found, "y"))) == "∂y/∂add = 1"
    assert explain.derivative(found, contribution(found, "s")) is None


def test_the_derivatives_of_a_number_times_itself_are_told_apart() -> None:
    x = gv.variable(3.0, name="x")
    found = answer(gv.diagram(x * x))
    lines = [str(explain.derivative(found, contribution(found, "y", i))) for i in (0, 1)]
    assert lines == ["∂y/∂x by the input x = x = 3", "∂y/∂x by the input y = x = 3"]


def test_the_g_of_a_rule_is_named() -> None:
    x = gv.variable([1.0, -2.0], name="x")
    r = gv.relu(x)
    r.name = "r"
    found = answer(gv.diagram(gv.sum(r)))
    assert str(explain.derivative(found, contribution(found, "r"))) == "g = ∂y/∂r"


def test_wires_have_names() -> None:
    found = nine_sevens()
    assert explain.wire_name(found, InPort("add", 1)) == "s → add"


def test_silent_wires_say_why() -> None:
    x = gv.variable([1.0, -2.0], name="x")
    chosen = gv.where(x > 0, x, 0.0)
    found = answer(gv.diagram(gv.sum(chosen)))
    assert "truth values" in str(explain.silence(found, InPort("where", 0)))
    assert explain.silence(found, InPort("where", 1)) is None
    assert explain.silence(found, InPort("where", 2)) is None


def test_the_size_of_a_graph() -> None:
    assert str(explain.size(nine_sevens())) == "7 nodes, 6 wires"
    assert str(explain.size(answer(gv.diagram(gv.variable(1.0, name="x"))))) == "1 node, 0 wires"


def test_all_verdicts_in_one_sentence() -> None:
    found = nine_sevens()
    both = gradcheck.check(found)
    said = str(explain.verdicts(found, both))
    assert said.startswith("All gradients agree with finite differences (largest difference")
    assert "∂y/∂X[" in said
    assert str(explain.verdicts(found, both[:1])) == str(explain.verdict(found, both[0]))
    assert str(explain.verdicts(found, ())) == "There is no gradient to compare."
    from dataclasses import replace

    wrong = replace(both[0], wrong=1)
    assert "WRONG" in str(explain.verdicts(found, (both[1], wrong)))


def test_the_first_number_that_is_not_finite_is_named() -> None:
    x = gv.variable([4.0, -1.0, 0.0], name="x")
    root = gv.sqrt(x)
    root.name = "root"
    found = answer(gv.diagram(gv.sum(root) * 2))
    (note,) = (n for n in explain.notes(found) if n.about == "value")
    assert note.nodes == ("root",)
    assert str(note.text) == (
        "The first number that is not finite: root[1] is NaN, because a negative number has no real root (x[1] = −1)."
    )


def test_a_graph_that_cannot_be_computed_says_what_its_gradient_waits_for() -> None:
    a = Node("a", "variable", (), {"shape": (3, 4), "dtype": "float64"}, "a")
    p = Node("p", "matmul", (OutPort("a"), OutPort("a")), {}, "p")
    found = answer(Diagram(Graph({"a": a, "p": p}), {"a": np.ones((3, 4))}))
    missing = found.missing(OutPort("a"))
    assert missing is not None
    assert missing.state is State.NOT_RUN
    assert "waits for p" in str(explain.reason(found, missing).sentence)


def test_very_many_are_not_all_named() -> None:
    xs = [gv.variable(float(i), name=f"x{i}") for i in range(40)]
    found = answer(gv.diagram(sum(xs[1:], xs[0]), xs))
    start, done = str(explain.sentence(found, None)), sentences(found)[-1]
    assert "if x0, x1, x2, x3, x4, x5, … or x39 changes" in start
    assert done.count("∂y/∂x") == 8
    assert done.endswith("….")


def test_a_sum_of_very_many_is_written_short() -> None:
    x = gv.variable(2.0, name="x")
    y = gv.sin(x)
    for _ in range(20):
        y = y + x
    found = answer(gv.diagram(y, x))
    line = explain.sum_line(found, OutPort("x"))
    assert line.startswith("1 + 1 + 1 + 1 + 1 + 1 + … + ")
    assert line.endswith(" = 19.58")
    assert "1 + 1" in sentences(found)[-2]


def test_a_verdict_counts_and_names_both_numbers() -> None:
    from dataclasses import replace

    x = gv.variable(np.linspace(0.5, 2.0, 5000), name="x", dtype="float32")
    found = answer(gv.diagram(gv.sum(gv.relu(x - 1)), x))
    (good,) = gradcheck.check(found)
    line = str(explain.verdict(found, good))
    assert f"({good.checked:,} of 5,000 entries; largest difference" in line
    assert "in float32 it is off by up to" in line
    worst = gradcheck.Entry((7,), 3.0, 2.5, 0.1)
    wrong = replace(good, worst=worst, wrong=1_200, checked=5_000, float32_error=None, kinks=2)
    assert str(explain.verdict(found, wrong)) == (
        "∂y/∂x is WRONG: at ∂y/∂x[7] the gradient is 3, but finite differences give 2.5 "
        "(1,200 of 5,000 entries are wrong); 2 at a kink."
    )
    lost = replace(wrong, connected=False)
    assert "it is None, but at ∂y/∂x[7] finite differences give 2.5" in str(
        explain.verdict(found, lost)
    )
