"""The quick look at a forward function finds what `inspect` finds."""

import inspect

import pytest

from gradviz.ops import registry
from gradviz.ops.op import parameters_of, signature_of


@pytest.mark.parametrize("op", list(registry.every()), ids=lambda op: op.name)
def test_every_op_has_the_parameters_of_its_function(op):
    signature = inspect.signature(op.forward)
    inputs, variadic, attributes = signature_of(signature)
    left_out = sum(signature.parameters[name].default is None for name in inputs)
    assert parameters_of(op.forward) == (inputs, left_out, variadic, attributes)
    assert (op.inputs, op.optional, op.variadic) == (inputs, left_out, variadic)
    assert dict(op.attributes) == attributes


def _forward(x, *xs, axis, keepdims: bool = False):
    return x, xs, axis, keepdims


def test_an_attribute_needs_its_kind():
    with pytest.raises(KeyError, match="axis"):
        parameters_of(_forward)
