"""Arrays as text: short, exact, and read back with the same bits."""

import base64
import json

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

from gradviz.files import arrays, native
from gradviz.graph.model import Diagram, Graph, Node, frozen_array
from tests.files.diagrams import arrays as any_arrays


def read_back(text, dtype):
    return arrays.decode(json.loads(text), dtype, ("values", "x"))


def same_bits(one, other):
    return (
        one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    )


@pytest.mark.parametrize(
    ("numbers", "dtype", "text"),
    [
        ([[1, 0, -1], [2, 1, 0]], "float64", "[[1, 0, -1], [2, 1, 0]]"),
        (0.1, "float64", "0.1"),
        ([0.1, 1e-30, 16777216, 3.4028235e38], "float32", "[0.1, 1e-30, 16777216, 3.4028235e+38]"),
        ([-0.0, 5e-324, 1e16, 1e22], "float64", "[-0.0, 5e-324, 1e+16, 1e+22]"),
        ([np.nan, np.inf, -np.inf], "float32", '["NaN", "Infinity", "-Infinity"]'),
        ([True, False], "bool", "[true, false]"),
        ([2**63 - 1, -(2**63)], "int64", "[9223372036854775807, -9223372036854775808]"),
        ([], "float64", "[]"),
        ([[[1]]], "int64", "[[[1]]]"),
    ],
)
def test_small_arrays_are_nested_lists(numbers, dtype, text):
    array = np.array(numbers, dtype)
    assert arrays.nested(array) == text
    assert same_bits(read_back(text, dtype), array)


@hypothesis.given(any_arrays())
def test_any_array_comes_back_from_both_forms(made):
    array, dtype = made
    if arrays.inline_cost(array):
        back = read_back(arrays.nested(array), dtype)
        assert np.array_equal(back, array, equal_nan=array.dtype.kind == "f")
        assert np.array_equal(np.signbit(back[back == 0]), np.signbit(array[array == 0])) or (
            array.dtype.kind != "f"
        )
    assert same_bits(read_back(arrays.encoded(array), dtype), array)


def test_float32_numbers_come_back_bit_for_bit_and_are_short():
    bits = np.random.default_rng(1).integers(0, 2**32, 100_000, np.uint32)
    numbers = bits.view(np.float32)
    numbers = numbers[np.isfinite(numbers)]
    texts = json.loads(arrays.nested(numbers))
    back = arrays.decode(texts, "float32", ())
    assert same_bits(back, numbers)
    assert max(len(arrays.nested(numbers[i : i + 1])) for i in range(1000)) <= 20


@hypothesis.given(st.floats())
def test_float64_numbers_come_back(number):
    back = read_back(arrays.nested(np.array(number)), "float64")
    assert str(back.item()) == str(number)


def test_bytes_are_little_endian_in_c_order():
    array = np.array([[1, 2], [3, 4]], ">i8").T
    record = json.loads(arrays.encoded(array))
    assert record["dtype"] == "int64"
    content = base64.b64decode(record["base64"])
    assert np.frombuffer(content, "<i8").tolist() == [1, 3, 2, 4]


@pytest.mark.parametrize(
    ("shape", "inline"),
    [((1000,), True), ((1001,), False), ((1000, 1), True), ((1000, 1, 1), False), ((0,), True),
     ((0, 3), False), ((1000, 1000, 0), False), ((1, 1, 1, 1, 1, 1, 1, 1), True), ((), True)],
)  # fmt: skip
def test_up_to_a_thousand_numbers_are_nested_lists(shape, inline):
    node = Node("x", "variable", (), {"dtype": "float64", "shape": shape})
    diagram = Diagram(Graph({"x": node}), {"x": frozen_array(np.zeros(shape))})
    data = native.dumps(diagram)
    assert (b"base64" not in data) is inline
    assert native.loads(data).values["x"].shape == shape


def test_a_large_array_needs_no_declared_dtype_or_shape():
    text = arrays.encoded(np.arange(3))
    document = (
        f'{{"gradviz":1,"graph":{{"nodes":[{{"id":"x","op":"f"}}]}},"values":{{"x":{text}}}}}'
    )
    diagram = native.loads(document)
    assert diagram.graph["x"].attributes == {"dtype": "int64", "shape": (3,)}
