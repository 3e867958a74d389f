"""Sources: where a graph begins."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from gradviz.errors import InputError
from gradviz.graph.model import Array
from gradviz.ops import shapes
from gradviz.ops.op import VALUES, example, op
from gradviz.ops.shapes import Shape
from gradviz.ops.spec import DTYPES, FLOAT64, WEAK, Spec
from gradviz.text import mark

FloatName = Literal["float64", "float32"]
DtypeName = Literal["float64", "float32", "int64", "bool", "weak"]
_NO_CODE = "{value}"


def _declared(*, shape: Shape, dtype: str) -> Spec:
    if dtype == "weak":
        return WEAK
    if dtype not in DTYPES:
        raise InputError(mark("ops", "{dtype} is not a dtype a source can have."), dtype=dtype)
    return shapes.checked(shapes.shape_attribute(shape), DTYPES[dtype])


def _variable_spec(*, shape: Shape, dtype: str) -> Spec:
    spec = _declared(shape=shape, dtype=dtype)
    if not spec.is_float or spec.weak:
        raise InputError(
            mark("ops", "A variable holds float64 or float32: only those have gradients.")
        )
    return spec


@op(
    sign="",
    category=VALUES,
    family="source",
    summary=mark(
        "ops", "Numbers you choose and can ask about: how does the result change with them?"
    ),
    text="{name}",
    formula="x",
    code=dict.fromkeys(("numpy", "tf", "torch", "jax"), _NO_CODE),
    aliases={
        "tf": "Variable placeholder",
        "torch": "tensor parameter",
        "numpy": "array",
        "math": "input",
    },
    spec=_variable_spec,
    examples=[example(shape=(2, 2), dtype="float64")],
)
def variable(*, shape: Shape, dtype: FloatName = "float64") -> Array:
    """The number to differentiate by; its value lies beside the graph."""
    raise InputError(mark("ops", "This variable has no value yet."))


@op(
    sign="",
    category=VALUES,
    family="source",
    summary=mark("ops", "Numbers that stay as they are."),
    text="{name}",
    formula="c",
    code=dict.fromkeys(("numpy", "tf", "torch", "jax"), _NO_CODE),
    aliases={"tf": "constant convert_to_tensor", "math": "number"},
    spec=_declared,
    examples=[example(shape=(), dtype="weak"), example(shape=(3,), dtype="int64")],
)
def constant(*, shape: Shape = (), dtype: DtypeName = "weak") -> Array:
    """Fixed numbers; `weak` is a Python number, which takes the dtype of the float array it meets."""
    raise InputError(mark("ops", "This constant has no value yet."))


def _random_spec(*, shape: Shape, dtype: str, seed: int) -> Spec:
    if not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise InputError(
            mark("ops", "A seed is a whole number from 0 to 4294967295, not {seed}."), seed=seed
        )
    return _variable_spec(shape=shape, dtype=dtype)


@op(
    sign="⚂",
    category=VALUES,
    family="source",
    summary=mark(
        "ops",
        "Random numbers from a bell curve (mean 0, spread 1); the same ones until you draw again.",
    ),
    text="{name}",
    formula=r"x \sim \mathcal{N}(0, 1)",
    code={
        "numpy": "np.random.RandomState({seed}).standard_normal({shape}).astype({dtype})",
        "tf": "tf.constant(np.random.RandomState({seed}).standard_normal({shape}).astype({dtype}))",
        "torch": "torch.from_numpy(np.random.RandomState({seed}).standard_normal({shape}).astype({dtype}))",
        "jax": "jnp.asarray(np.random.RandomState({seed}).standard_normal({shape}).astype({dtype}))",
    },
    aliases={
        "numpy": "standard_normal normal",
        "tf": "random_normal normal",
        "torch": "randn",
        "jax": "normal",
    },
    spec=_random_spec,
    examples=[
        example(shape=(3, 3), dtype="float32", seed=7),
        example(shape=(), dtype="float64", seed=0),
    ],
)
def random_normal(*, shape: Shape = (), dtype: FloatName = "float64", seed: int = 0) -> Any:
    """Drawn in float64 from NumPy's kept stream, then cast: a pure function of its settings."""
    drawn = np.random.RandomState(seed).standard_normal(shape)
    return np.asarray(drawn, dtype=DTYPES.get(dtype, FLOAT64))
