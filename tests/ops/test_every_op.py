"""Every op of the registry, held to its own declaration."""

from __future__ import annotations

import contextlib
import itertools
import string
from typing import Literal, get_args

import numpy as np
import pytest
import scipy.special

import gradviz.ops  # noqa: F401  registers the ops
from gradviz.engine import formula
from gradviz.engine.check import infer
from gradviz.errors import GradvizError, InputError
from gradviz.graph.model import EMPTY, Array, Graph, Node, OutPort
from gradviz.ops import registry
from gradviz.ops.expr import Collected, Expr, constant, variable
from gradviz.ops.op import ALIASES, CATEGORIES, FRAMEWORKS, Example, Family, Op, example, op
from gradviz.ops.spec import DTYPES, Spec
from gradviz.text import Text
from tests.support.symbols import (
    ORDER_ONE,
    ORDER_TWO,
    Built,
    applied,
    built,
    close,
    code_of,
    differentiated,
    operand,
    ops_of,
    seeded,
    slopes,
    weights,
)

OPS = {declared.name: declared for declared in registry.every()}
CASES = [
    pytest.param(declared, shown, id=f"{declared.name}-{number}")
    for declared in OPS.values()
    for number, shown in enumerate(declared.examples)
]
SOURCES = {name for name, declared in OPS.items() if declared.is_source}
every_op = pytest.mark.parametrize("declared", OPS.values(), ids=OPS)
every_case = pytest.mark.parametrize(("declared", "shown"), CASES)
every_computed_case = pytest.mark.parametrize(
    ("declared", "shown"), [case for case in CASES if case.values[0].name not in SOURCES]
)


@every_op
def test_every_field_is_filled(declared: Op) -> None:
    assert declared.name.isidentifier()
    assert isinstance(declared.summary, Text)
    assert declared.summary.endswith((".", "?"))
    assert len(declared.summary) > 15
    assert declared.category in CATEGORIES
    assert declared.family in get_args(Family)
    assert declared.sign or declared.name in ("variable", "constant")
    for part in (declared.text, declared.formula):
        assert part.strip()
    assert set(declared.code) == set(FRAMEWORKS)
    assert all(text.strip() for text in declared.code.values())
    assert set(declared.aliases) <= set(ALIASES)
    assert declared.aliases or declared.helper
    assert all(names for names in declared.aliases.values())
    assert declared.examples
    assert callable(declared.spec)
    assert declared.forward.__doc__
    assert bool(declared.inputs) != declared.is_source
    assert set(declared.linear_in) <= set(declared.inputs)
    assert (declared.local_rule is None) or (declared.vjp_rule is None)


@every_op
def test_what_has_no_rule_says_that_it_has_no_gradient(declared: Op) -> None:
    assert declared.has_rule == (declared.differentiable and not declared.is_source)


@every_op
def test_attributes_have_a_kind(declared: Op) -> None:
    assert all(attribute.kind not in ("", "Any") for attribute in declared.attributes.values())


@every_op
def test_aliases_lead_to_the_op(declared: Op) -> None:
    for name in (
        declared.name,
        declared.name.upper(),
        *itertools.chain(*declared.aliases.values()),
    ):
        assert registry.lookup(name) is declared, name


@every_op
def test_the_formula_names_every_input(declared: Op) -> None:
    words = (
        declared.formula.replace(r"\_", " ").replace("_", " ").replace("{", " ").replace("}", " ")
    )
    for name in declared.inputs:
        if (declared.name, name) not in {
            ("full_like", "x"),
            ("max_share", "y"),
            ("max_share_like", "y"),
        }:
            assert name.replace("_", " ") in words, name


def test_a_missing_field_is_noticed() -> None:
    """The declaration refuses to be made without a field; empty ones are found by the test above."""
    fields = {
        "sign": "x", "category": CATEGORIES[0], "family": "map", "summary": CATEGORIES[0], "text": "{x}",
        "formula": "x", "code": {}, "aliases": {}, "spec": lambda x: x, "examples": [],
    }  # fmt: skip
    for left_out in fields:
        given = {name: value for name, value in fields.items() if name != left_out}
        with pytest.raises(TypeError, match=left_out):
            op(**given)  # type: ignore[arg-type]


@every_case
def test_the_spec_is_what_comes_out(declared: Op, shown: Example) -> None:
    if declared.name in ("variable", "constant"):
        assert isinstance(declared.spec(**declared.bind(shown.attributes)), Spec)
        return
    _, outputs = applied(declared, shown)
    for output in outputs:
        assert (output.value.shape, output.value.dtype) == (output.shape, output.dtype)
        assert not output.value.flags.writeable


KINDS = (*DTYPES, "weak")


@every_computed_case
def test_the_spec_holds_for_every_dtype_or_refuses_it(declared: Op, shown: Example) -> None:
    """Each input in each dtype, and as a plain number where it is one."""
    tried = 0
    for kinds in itertools.product(KINDS, repeat=len(shown.inputs)):
        if any(k == "weak" and np.ndim(v) for k, v in zip(kinds, shown.inputs, strict=True)):
            continue
        inputs = [_as(v, k) for v, k in zip(shown.inputs, kinds, strict=True)]
        try:
            found = declared(*inputs, **shown.attributes)
        except GradvizError:
            assert not _only_floats(shown, kinds), kinds
            continue
        tried += 1
        for output in found if isinstance(found, tuple) else (found,):
            assert (output.value.shape, output.value.dtype) == (output.shape, output.dtype), kinds
    assert tried


def listed(found: Expr | tuple[Expr, ...]) -> list[Expr]:
    """The outputs of an op of one or of several."""
    return list(found) if isinstance(found, tuple) else [found]


def _as(value: object, kind: str) -> Expr:
    array = np.asarray(value)
    if kind == "weak":
        return constant(float(array))
    # No negative whole numbers: NumPy refuses to raise to them.
    return constant(np.abs(array).astype(kind) if kind == "int64" else array.astype(kind))


def _only_floats(shown: Example, kinds: tuple[str, ...]) -> bool:
    """Whether every input keeps its kind of number."""
    floats = ("float64", "float32", "weak")
    return all(
        k in floats if np.asarray(v).dtype.kind == "f" else k == np.asarray(v).dtype.name
        for v, k in zip(shown.inputs, kinds, strict=True)
    )


@every_computed_case
def test_float32_stays_float32(declared: Op, shown: Example) -> None:
    """With every float input in float32, or a plain number, the result and the gradients are float32."""
    if declared.name == "cast" or any(o.dtype.kind != "f" for o in applied(declared, shown)[1]):
        return
    inputs = [
        _as(v, "float32" if np.asarray(v).dtype.kind == "f" else str(np.asarray(v).dtype))
        for v in shown.inputs
    ]
    exact, _ = applied(declared, shown)
    outputs = listed(declared(*inputs, **shown.attributes))
    for output, wide in zip(outputs, listed(declared(*exact, **shown.attributes)), strict=True):
        assert output.dtype == np.float32
        assert np.allclose(output.value, wide.value, rtol=1e-5, atol=1e-6)
    collected = Collected([*outputs, *inputs])
    wrt = [collected.port(i) for i in inputs if i.dtype.kind == "f"]
    after, found = differentiated(built(collected), [collected.port(o) for o in outputs], wrt)
    for port, answer in zip(wrt, found.answers, strict=True):
        if answer is not None:
            (value,) = after.evaluate(answer)
            assert (value.dtype, value.shape) == (np.float32, after.specs[port].shape)


@every_computed_case
def test_gradients_agree_with_differences(declared: Op, shown: Example) -> None:
    """Those of the inputs, and those of each gradient's own graph by the inputs and by what arrives."""
    inputs, outputs = applied(declared, shown)
    collected = Collected([*outputs, *inputs])
    wrt = [collected.port(i) for i in inputs]
    for output in outputs:
        of = collected.port(output)
        start = weights(output.shape)
        graph, seed = seeded(built(collected), of, start)
        after, found = differentiated(graph, [of], wrt, seeds=[seed])
        for port, answer in zip(wrt, found.answers, strict=True):
            if graph.specs.is_float(port) and graph.specs.is_float(of):
                _compare(declared, after, answer, slopes(graph, of, port, start), ORDER_ONE)
            else:
                assert answer is None
        for number, answer in enumerate(a for a in found.answers if a is not None):
            _compare_second(declared, after, answer, number)


def _compare_second(declared: Op, first: Built, answer: OutPort, number: int) -> None:
    start = weights(first.specs[answer].shape, 20 + number)
    graph, seed = seeded(first, answer, start, "second seed")
    sources = first.sources()
    after, found = differentiated(graph, [answer], sources, 2, seeds=[seed])
    for source, second in zip(sources, found.answers, strict=True):
        expected = slopes(first, answer, source, start)
        _compare(declared, after, second, expected, ORDER_TWO)


def _compare(
    declared: Op, graph: Built, answer: OutPort | None, expected: Array, tolerance: float
) -> None:
    if declared.name == "stop_gradient":
        assert answer is None
    elif answer is None:
        # Nothing arrives where the op is flat; a jump at a tie of the example is no slope.
        assert ((np.abs(expected) < 1e-9) | (np.abs(expected) > 30)).all(), expected
    else:
        (value,) = graph.evaluate(answer)
        # In float32, a difference shows little.
        assert close(value, expected, 1e-3 if declared.name == "cast" else tolerance)


@every_computed_case
def test_gradients_are_made_of_registered_ops(declared: Op, shown: Example) -> None:
    inputs, outputs = applied(declared, shown)
    collected = Collected([*outputs, *inputs])
    graph = built(collected)
    after, _ = differentiated(graph, [collected.port(o) for o in outputs], graph.sources())
    twice, _ = differentiated(
        after,
        [a for a in map(OutPort, after.specs.order) if after.specs.is_float(a)],
        graph.sources(),
        2,
    )
    assert ops_of(twice.specs) <= set(OPS)
    again = infer(twice.specs.graph, measured=twice.specs.outputs)
    assert not again.problems
    assert again.outputs == twice.specs.outputs


@every_case
def test_the_numpy_text_gives_the_value(declared: Op, shown: Example) -> None:
    if declared.name in ("variable", "constant"):
        return
    inputs, outputs = applied(declared, shown)
    names = {f"v{i}": e.value for i, e in enumerate(inputs)}
    for dtype in (np.float64, np.float32):
        given = {n: v.astype(dtype) if v.dtype.kind == "f" else v for n, v in names.items()}
        text = code_of(declared, "numpy", given, shown.attributes)
        found = eval(text, {"np": np, "scipy": scipy, **given})
        results = found if len(outputs) > 1 else (found,)
        tolerance = 1e-14 if dtype == np.float64 else 1e-6
        for result, output in zip(results, outputs, strict=True):
            assert np.shape(result) == output.shape
            assert np.allclose(result, output.value, rtol=tolerance, atol=tolerance), text


@every_op
def test_the_code_texts_can_be_filled(declared: Op) -> None:
    for shown in declared.examples:
        names = [f"v{i}" for i in range(len(shown.inputs))]
        for framework in FRAMEWORKS:
            if not declared.is_source or declared.name == "random_normal":
                text = code_of(declared, framework, names, shown.attributes)
                assert all(n in text for n in names[: 1 if "share" in declared.name else None])
                compile(text, declared.name, "eval")


@every_case
def test_the_plain_text_can_be_filled(declared: Op, shown: Example) -> None:
    ports = tuple(OutPort(f"v{i}") for i in range(len(shown.inputs)))
    attributes = declared.trimmed(shown.attributes)
    node = Node("n", declared.name, ports, attributes, "named")  # type: ignore[arg-type]
    text = formula.application(Graph({"n": node}), node, lambda port: port.node)
    assert text
    assert not set(text) & set("{}")
    assert all(port.node in text for port in ports if _is_written(declared, port.node))


def _is_written(declared: Op, name: str) -> bool:
    number = int(name[1:])
    fields = {field for _, field, _, _ in string.Formatter().parse(declared.text)}
    return declared.variadic or declared.inputs[number] in fields


@every_op
def test_the_plain_text_names_its_inputs(declared: Op) -> None:
    fields = {field for _, field, _, _ in string.Formatter().parse(declared.text) if field}
    allowed = {*declared.inputs, *declared.attributes, "attributes", "name"}
    assert fields <= allowed
    unnamed = set(declared.inputs) - fields
    # Which is the largest is said by x itself.
    assert unnamed <= ({"y"} if "share" in declared.name else set())


@every_computed_case
def test_linear_in_what_it_says(declared: Op, shown: Example) -> None:
    """f(2·a − 3·b) = 2·f(a) − 3·f(b) in the inputs it is linear in, and in no other."""
    for number, name in enumerate(declared.port_names(len(shown.inputs))):
        said = declared.inputs[min(number, len(declared.inputs) - 1)] in declared.linear_in
        if np.asarray(shown.inputs[number]).dtype.kind != "f":
            assert not said
            continue
        assert _is_linear(declared, shown, number) == said, name


def _is_linear(declared: Op, shown: Example, number: int) -> bool:
    base = [np.asarray(v) for v in shown.inputs]
    others = range(len(base))
    a, b = base[number], base[number] + weights(base[number].shape, 3)

    def apply(value, zeroed: bool):
        # Affine in one of several summands: the others are 0 then.
        inputs = [value if i == number else base[i] * (not zeroed) for i in others]
        found = declared.forward(*inputs, **declared.bind(shown.attributes))
        return (
            np.concatenate([np.ravel(part) for part in found])
            if isinstance(found, tuple)
            else found
        )

    zeroed = declared.name in (
        "add", "subtract", "concat", "accumulate", "where", "stack", "scatter_add", "scatter_set",
    )  # fmt: skip
    if "b" in declared.inputs[declared.fewest :]:
        # A bias is a summand, what it is added to the other.
        biased = declared.inputs.index("b")
        base = [v * 0 if (i == biased) != (number == biased) else v for i, v in enumerate(base)]
    if zeroed and declared.name == "where":
        zeroed = False
        base = [base[0], *(v * 0 if i + 1 != number else v for i, v in enumerate(base[1:]))]
    try:
        with np.errstate(all="ignore"):
            left = apply(2 * a - 3 * b, zeroed)
            right = 2 * np.asarray(apply(a, zeroed), float) - 3 * np.asarray(
                apply(b, zeroed), float
            )
    except InputError:
        # What is linear takes every number; this one wants, say, a positive definite matrix.
        return False
    bound = 1e-6 if declared.name == "cast" else 1e-12
    # Where all is NaN, nothing is shown.
    close = np.allclose(left, right, rtol=bound, atol=bound, equal_nan=True)
    return bool(close and not np.isnan(left).all())


def test_the_palette_has_the_ops_of_the_first_day() -> None:
    day_one = {
        "variable", "constant", "random_normal", "add", "subtract", "multiply", "divide", "power", "negative",
        "square", "sqrt", "exp", "log", "sin", "tanh", "sigmoid", "relu", "maximum", "where", "greater", "equal",
        "sum", "mean", "max", "reshape", "transpose", "expand_dims", "squeeze", "concat", "getitem", "matmul",
        "softmax", "softmax_cross_entropy", "stop_gradient",
    }  # fmt: skip
    assert day_one <= {declared.name for declared in registry.palette()}


def test_names_and_aliases_do_not_collide() -> None:
    """An alias means one op; a name is never the alias of another."""
    meanings: dict[str, set[str]] = {}
    for declared in OPS.values():
        for alias in {declared.name, *itertools.chain(*declared.aliases.values())}:
            meanings.setdefault(alias, set()).add(declared.name)
    assert {alias: ops for alias, ops in meanings.items() if len(ops) > 1} == {}
    assert registry.lookup("Σ") is OPS["sum"]
    assert registry.lookup("σ") is OPS["sigmoid"]


JUNK: list[object] = [
    None, -1, 2.5, "x", (), (1, "y"), ((1,),), {"slice": (0, 1)}, ({"slice": (0, 1)},), ({"array": ((1,), (2, 3))},),
    True, float("nan"), 10**30, (10**30,), (0, 10**30), "float64", b"x", ({"slice": (None, None, 0)},), (2, 2, 2) * 5,
]  # fmt: skip


@every_op
def test_nonsense_in_a_setting_is_told_in_words(declared: Op) -> None:
    """From a file or from Python: a GradvizError, or a value."""
    shown = declared.examples[0]
    inputs = [operand(v, f"in{i}") for i, v in enumerate(shown.inputs)]
    for name, junk in itertools.product(declared.attributes, JUNK):
        attributes = {**shown.attributes, name: junk}
        with contextlib.suppress(GradvizError):
            found = declared(*inputs, **attributes)
            if not declared.is_source or declared.name == "random_normal":
                assert all(isinstance(output.value, np.ndarray) for output in listed(found))
        collected = Collected(inputs)
        node = Node("n", declared.name, tuple(map(collected.port, inputs)), attributes)
        specs = infer(Graph({**collected.graph.nodes, "n": node}))
        assert specs.outputs["n"]


def test_too_many_arguments_are_counted() -> None:
    x = variable([1.0, 2.0])
    with pytest.raises(InputError, match="takes 1 inputs"):
        OPS["sum"](x, 0, True, 5)
    with pytest.raises(InputError, match="takes 2 inputs"):
        OPS["add"](x, x, x)


def test_numpy_settings_are_plain_data() -> None:
    x = variable([[1.0, 2.0]])
    made = OPS["reshape"](x, np.array([2, 1]))
    assert made.call.attributes == {"shape": (2, 1)}
    assert type(OPS["sum"](x, axis=np.int64(1)).call.attributes["axis"]) is int
    assert OPS["cast"](x, dtype=np.float32).dtype == np.float32
    assert OPS["sum"](x, axis=None).call.attributes == EMPTY


def test_an_op_of_ones_own_can_come_and_go() -> None:
    shown = example([1.0])
    declare = op(
        sign="t", category=CATEGORIES[0], family="map", summary=CATEGORIES[0], text="{x}", formula="x",
        code=dict.fromkeys(FRAMEWORKS, "{x}"), aliases={"math": "thrice_of"}, spec=lambda x: x, examples=[shown],
    )  # fmt: skip

    def thrice(x, *, how: Literal["a", "b"] = "a"):
        """Three times x."""
        return 3 * x

    try:
        made = declare(thrice)
        assert made.attributes["how"].kind == "Literal['a', 'b']"
        assert registry.lookup("thrice_of") is made
        with pytest.raises(InputError):
            declare(thrice)
    finally:
        registry.unregister("thrice")
    assert registry.lookup("thrice_of") is None
