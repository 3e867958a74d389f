"""What a person types finds the operation, whatever the framework they come from."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradviz as gv
from gradviz.ops import registry
from gradviz.ops.search import PREFIXES, Fit, find, search

OPS = list(registry.palette())
NAMES = [
    (op.name, text)
    for op in OPS
    for text in dict.fromkeys(
        [op.name, op.sign, *(a for names in op.aliases.values() for a in names)]
    )
    if text
]
SHARED = Counter(text for _, text in NAMES)


def names(typed: str) -> list[str]:
    return [op.name for op in search(typed)]


def test_every_name_sign_and_alias_finds_its_op() -> None:
    lost = []
    for op, text in NAMES:
        # A text that several ops go by finds each of them before all others; an op's own name comes first.
        first = 1 if SHARED[text] == 1 or text == op else max(3, SHARED[text])
        if op not in names(text)[:first]:
            lost.append((op, text, names(text)[:3]))
    assert lost == []


@pytest.mark.parametrize(
    ("typed", "best"),
    [
        ("tf.reduce_sum", "sum"),
        ("tf.reduce_sum(", "sum"),
        ("torch.mm", "matmul"),
        ("np.dot", "matmul"),
        ("nn.ReLU", "relu"),
        ("nn.LeakyReLU", "leaky_relu"),
        ("nn.functional.softmax", "softmax"),
        ("F.relu", "relu"),
        ("x.sum()", "sum"),
        ("x.detach()", "stop_gradient"),
        ("np.linalg.inv", "inv"),
        ("jnp.where", "where"),
        ("tf.keras.layers.LayerNormalization", "layer_norm"),
        ("np.maximum.accumulate", "cummax"),
        ("REDUCE_MEAN", "mean"),
        ("leaky relu", "leaky_relu"),
        ("matrix norm", "matrix_norm"),
        ("norm matrix", "matrix_norm"),
        ("@", "matmul"),
        ("**", "power"),
        ("+", "add"),
        ("*", "multiply"),
        ("//", "floor_divide"),
        ("Σ", "sum"),
        ("√", "sqrt"),
        ("max", "max"),
        ("min", "min"),
        ("sigmod", "sigmoid"),
        ("tahn", "tanh"),
        ("sofmax", "softmax"),
        ("matmull", "matmul"),
        ("sfmx", "softmax"),
        ("reducesum", "sum"),
    ],
)
def test_what_people_type(typed: str, best: str) -> None:
    assert names(typed)[0] == best


def test_a_framework_before_the_point_decides_between_names() -> None:
    assert set(PREFIXES.values()) <= {"numpy", "tf", "torch", "jax"}
    found = find("tf.reduce_max")[0]
    assert (found.op.name, str(found.why)) == (
        "max",
        "reduce_max in TensorFlow",
    )


def test_the_alias_that_matched_is_told_and_a_name_of_its_own_is_not() -> None:
    assert str(find("concatenate")[0].why) == "concatenate in NumPy, JAX"
    assert str(find("torch.cat")[0].why) == "cat in PyTorch"
    assert str(find("rectifier")[0].why) == "also called rectifier"
    assert find("sum")[0].why is None
    assert find("Σ")[0].why is None


def test_better_fits_come_first() -> None:
    fits = [found.fit for found in find("max")]
    assert fits == sorted(fits)
    assert fits[0] is Fit.EXACT


def test_summary_and_category_come_last() -> None:
    found = names("running totals")
    assert "cumsum" in found
    assert find("running totals")[0].fit is Fit.ABOUT


def test_nothing_typed_gives_all_with_the_recent_first() -> None:
    assert search("") == OPS
    assert search("  ") == OPS
    recent = [found.op.name for found in find("", recent=["exp", "matmul"])]
    assert recent[:2] == ["exp", "matmul"]
    assert len(recent) == len(OPS) == len(set(recent))


def test_what_is_nowhere_near_finds_nothing_and_what_is_near_is_offered() -> None:
    assert find("qwxzy") == []
    near = find("sigggmoid")
    assert near[0].op.name == "sigmoid"
    assert near[0].fit is Fit.NEAR
    assert search("sigggmoid") == []


def test_an_operation_of_ones_own_is_found_like_any_other() -> None:
    @gv.op
    def thrice_over(x):
        return 3 * x

    try:
        assert names("thrice over")[0] == "thrice_over"
        assert names("thirce_over")[0] == "thrice_over"
        assert registry.get("thrice_over") in [found.op for found in find("")]
    finally:
        registry.unregister("thrice_over")


@given(st.text(max_size=12))
def test_any_text_is_answered_in_a_stable_order(typed: str) -> None:
    found = find(typed)
    assert found == find(typed)
    assert len({entry.op.name for entry in found}) == len(found)
