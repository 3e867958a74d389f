"""The declaration of an operation: everything gradviz knows about it, in one place.

    @op(sign="×", category=ARITHMETIC, family="map", spec=shapes.elementwise, …)
    def multiply(x, y):
        return np.multiply(x, y)

    @multiply.local
    def _(out, x, y):
        return y, x

Inputs are the positional parameters of the function (one `*name` for any number of them; the last ones with the
default `None` may be left out, and rules then get no argument for them), attributes its keyword-only parameters; annotation and default of an attribute make its editor. `.local` gives the local
derivative by each input, in symbols, and is for element-wise ops; all others, and all gates, give `.vjp`.
Rules get and return `Expr`s (a plain number stands for itself, `None` for "no derivative"); they never sum over
broadcast axes and never add contributions: `engine.gradient` does that in one place.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np

from gradviz.errors import InputError
from gradviz.graph.model import Array, freeze
from gradviz.ops import expr, registry
from gradviz.ops.spec import Spec
from gradviz.text import Text, mark

Family = Literal["source", "map", "reduce", "spread", "move", "route", "gate", "contract", "solve"]
FRAMEWORKS: Final = ("numpy", "tf", "torch", "jax")
ALIASES: Final = (*FRAMEWORKS, "math")

VALUES: Final = mark("ops", "Values")
ARITHMETIC: Final = mark("ops", "Arithmetic")
FUNCTIONS: Final = mark("ops", "Functions")
COMPARISON: Final = mark("ops", "Comparing and choosing")
ACTIVATIONS: Final = mark("ops", "Activations")
REDUCTIONS: Final = mark("ops", "Reductions")
CUMULATIVE: Final = mark("ops", "Running totals")
SHAPE: Final = mark("ops", "Shape")
INDEXING: Final = mark("ops", "Picking and sorting")
LINEAR_ALGEBRA: Final = mark("ops", "Linear algebra")
NEURAL: Final = mark("ops", "Neural networks")
LOSSES: Final = mark("ops", "Losses")
GRADIENT: Final = mark("ops", "Gradient")
OWN: Final = mark("ops", "Own operations")
CATEGORIES: Final = (
    VALUES,
    ARITHMETIC,
    FUNCTIONS,
    ACTIVATIONS,
    REDUCTIONS,
    CUMULATIVE,
    LINEAR_ALGEBRA,
    NEURAL,
    LOSSES,
    SHAPE,
    INDEXING,
    COMPARISON,
    GRADIENT,
    OWN,
)

LOOSE, COMPARED, ADDED, DIVIDED, MULTIPLIED, NEGATED, RAISED, ATOM = range(8)

Forward = Callable[..., Any]
Rule = Callable[..., Sequence[Any]]
SpecRule = Callable[..., "Spec | tuple[Spec, ...] | None"]
KernelCall = tuple[Callable[..., Any], tuple[Any, ...]]
Kernel = Callable[..., Iterable[KernelCall]]


@dataclass(frozen=True, slots=True)
class Attribute:
    """A setting of a node: its name, the kind of editor it gets, and its default.

    `kind` is the annotation as written, such as `int`, `bool`, `Axis`, `Shape`, `Literal['mean', 'sum']`.
    """

    name: str
    kind: str
    default: object
    required: bool


@dataclass(frozen=True, slots=True)
class Example:
    """Inputs and attributes with which an op is shown in the help and tested."""

    inputs: tuple[object, ...]
    attributes: Mapping[str, object]


def example(*inputs: object, **attributes: object) -> Example:
    """`example([1.0, 2.0], axis=0)`; floats become float64, ints int64, bools bool."""
    return Example(inputs, attributes)


@dataclass(eq=False, kw_only=True, repr=False)
class Op:
    """One operation. Use it in symbols by calling it: `multiply(a, b)`."""

    name: str
    sign: str
    category: Text
    family: Family
    summary: Text
    text: str
    binding: int
    formula: str
    code: Mapping[str, str]
    aliases: Mapping[str, tuple[str, ...]]
    linear_in: tuple[str, ...]
    examples: tuple[Example, ...]
    spec: SpecRule
    forward: Forward
    inputs: tuple[str, ...]
    variadic: bool
    attributes: Mapping[str, Attribute]
    optional: int = 0
    helper: bool = False
    differentiable: bool = True
    local_rule: Rule | None = None
    vjp_rule: Rule | None = None
    kernel_rule: Kernel | None = None
    defaults: Mapping[str, object] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<{self.signature}: {self.summary}>"

    @property
    def signature(self) -> str:
        """How it is called in Python: `sum(x, axis=None, keepdims=False)`."""
        inputs = [*self.inputs[:-1], f"*{self.inputs[-1]}"] if self.variadic else [*self.inputs]
        inputs[self.fewest :] = [f"{n}=None" for n in inputs[self.fewest :]]
        settings = [
            a.name if a.required else f"{a.name}={a.default!r}" for a in self.attributes.values()
        ]
        return f"{self.name}({', '.join([*inputs, *settings])})"

    @property
    def fewest(self) -> int:
        """How many inputs it needs; those behind them may be left out."""
        return len(self.inputs) - self.optional

    @property
    def counted(self) -> str:
        """The number of inputs in words: `2`, `2 or more`, `2 to 3`."""
        most = len(self.inputs)
        if self.variadic:
            return f"{most} or more"
        return f"{self.fewest} to {most}" if self.optional else f"{most}"

    def takes(self, count: int) -> bool:
        """Whether it can have so many inputs."""
        return self.fewest <= count and (self.variadic or count <= len(self.inputs))

    def local(self, rule: Rule) -> Rule:
        """Declare the local derivatives: `rule(out, *inputs, **attributes)`, one entry per input."""
        self.local_rule = rule
        return rule

    def vjp(self, rule: Rule) -> Rule:
        """Declare the VJP: `rule(g, out, *inputs, **attributes)`, one cotangent per input.

        For an op with several outputs, `g` and `out` are tuples.
        """
        self.vjp_rule = rule
        return rule

    def kernel(self, rule: Kernel) -> Kernel:
        """Declare how the fast path computes the op: `rule(scratch, out, *inputs, **attributes)` gives NumPy calls.

        Each call is (function, arguments) and writes into `out` or into an array that `scratch(shape, dtype)` lends for
        this application. They must leave the bits in `out` that the forward function returns. An element-wise
        op needs none: its forward is traced (`engine.trace`); neither does a view. `out` is a tuple for several outputs.
        """
        self.kernel_rule = rule
        return rule

    @property
    def has_rule(self) -> bool:
        """Whether a gradient can pass through."""
        return self.local_rule is not None or self.vjp_rule is not None

    @property
    def is_source(self) -> bool:
        """Whether nodes of this op have no inputs."""
        return self.family == "source"

    def __call__(self, *inputs: object, **attributes: object) -> Any:
        """Apply the op in symbols: an `Expr`, or a tuple of them for several outputs.

        As in NumPy, attributes may follow the inputs (`reshape(x, (3, 2))`), and an op with any number of inputs takes
        them as one list too. An input that may be left out may also be given by its name, or as None.
        """
        if self.variadic and inputs and isinstance(inputs[0], list | tuple):
            inputs, rest = tuple(inputs[0]), inputs[1:]
        elif self.variadic:
            rest = ()
        else:
            inputs, rest = inputs[: len(self.inputs)], inputs[len(self.inputs) :]
            if len(inputs) >= self.fewest:
                left = self.inputs[len(inputs) :]
                inputs += tuple(attributes.pop(name) for name in left if name in attributes)
            while len(inputs) > self.fewest and inputs[-1] is None:
                inputs = inputs[:-1]
        if len(rest) > len(self.attributes):
            inputs, rest = (*inputs, *rest), ()
        return expr.apply(
            self, inputs, {**dict(zip(self.attributes, rest, strict=False)), **attributes}
        )

    def bind(self, attributes: Mapping[str, object]) -> dict[str, Any]:
        """`attributes` with the defaults of the others filled in.

        Raises InputError for an attribute the op does not have or that is missing.
        """
        for name in attributes:
            if name not in self.attributes:
                raise InputError(
                    mark("ops", "{op} has no setting {name}; it has: {names}."),
                    op=self.name,
                    name=name,
                    names=", ".join(self.attributes) or "none",
                )
        bound = {**self.defaults, **attributes}
        for name, attribute in self.attributes.items():
            if attribute.required and name not in bound:
                raise InputError(
                    mark("ops", "{op} needs the setting {name}."), op=self.name, name=name
                )
        return bound

    def trimmed(self, attributes: Mapping[str, object]) -> dict[str, object]:
        """The attributes that differ from their defaults, frozen: what a node stores."""
        self.bind(attributes)
        frozen = {name: freeze(plain(value)) for name, value in attributes.items()}
        return {
            name: value
            for name, value in frozen.items()
            if self.attributes[name].required or value != self.attributes[name].default
        }

    def port_names(self, count: int) -> tuple[str, ...]:
        """The names of `count` inputs: `xs0`, `xs1`, … for an op with any number of them."""
        if not self.variadic:
            return self.inputs[:count] if self.optional else self.inputs
        fixed, last = self.inputs[:-1], self.inputs[-1]
        return (*fixed, *(f"{last}{i}" for i in range(count - len(fixed))))

    def evaluate(
        self, inputs: Sequence[Array], specs: Sequence[Spec], attributes: Mapping[str, object]
    ) -> tuple[Array, ...]:
        """The outputs as read-only arrays; weak inputs enter as Python numbers.

        NumPy's floating-point warnings are the caller's to silence (once a run, not once an op).
        """
        arguments: list[Any] = [
            float(array) if spec.weak else array for array, spec in zip(inputs, specs, strict=True)
        ]
        settings = self.bind(attributes) if self.attributes or attributes else attributes
        result = self.forward(*arguments, **settings)
        # Small graphs spend their time here: most ops have one output, which is new and row after row.
        if not isinstance(result, tuple):
            return (_finished(np.asarray(result), inputs),)
        return tuple([_finished(np.asarray(output), inputs) for output in result])


def plain(value: object) -> object:
    """NumPy's numbers, arrays and dtypes as Python's: an attribute is plain data."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return np.dtype(value).name
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _finished(array: Array, inputs: Sequence[Array]) -> Array:
    """Read-only. What is new lies row after row, whatever it was made from: the order of a sum, and its bits, depend on it."""
    flags = array.flags
    if not (flags.c_contiguous or any(np.may_share_memory(array, given) for given in inputs)):
        array = np.ascontiguousarray(array)
        flags = array.flags
    if flags.writeable:
        flags.writeable = False
    return array


def op(
    *,
    sign: str,
    category: Text,
    family: Family,
    summary: Text,
    text: str,
    formula: str,
    code: Mapping[str, str],
    aliases: Mapping[str, str],
    spec: SpecRule,
    examples: Sequence[Example],
    binding: int = ATOM,
    linear_in: Sequence[str] = (),
    helper: bool = False,
    differentiable: bool = True,
) -> Callable[[Forward], Op]:
    """Declare the operation whose forward is the decorated function.

    sign           what a card shows before the name
    category       the heading in the palette
    family         how the film shows it (`picture.film`)
    summary        one sentence for a beginner
    text           one application in plain characters, `{input}` for an operand; `binding` is its precedence
    formula        the same in LaTeX, with the names of inputs and attributes as they are
    code           one application per framework, `{name}` for an input (a name, or in brackets) or an attribute (as
                   Python writes it; an index as it stands between brackets)
    aliases        other names by framework, separated by spaces; those of `math` are infix signs or names
    spec           `rule(*specs, **attributes)` gives the Spec of the output, or one per output; None where the shape
                   depends on the numbers: it is then known once they are computed
    linear_in      the inputs in which the op is linear
    examples       inputs and attributes for the help and the tests
    helper         emitted by rules; not in the palette
    differentiable False for an op that has no gradient by nature (a comparison)
    """

    def declare(forward: Forward) -> Op:
        inputs, optional, variadic, attributes = parameters_of(forward)
        declared = Op(
            name=forward.__name__.rstrip("_"),
            sign=sign,
            category=category,
            family=family,
            summary=summary,
            text=text,
            binding=binding,
            formula=formula,
            code=dict(code),
            aliases={framework: tuple(names.split()) for framework, names in aliases.items()},
            linear_in=tuple(linear_in),
            examples=tuple(examples),
            spec=spec,
            forward=forward,
            inputs=inputs,
            variadic=variadic,
            attributes=attributes,
            optional=optional,
            helper=helper,
            differentiable=differentiable,
            defaults={a.name: a.default for a in attributes.values() if not a.required},
        )
        registry.register(declared)
        return declared

    return declare


def parameters_of(
    forward: Forward,
) -> tuple[tuple[str, ...], int, bool, dict[str, Attribute]]:
    """As `signature_of`, of a plain function, and how many inputs may be left out.

    Read off the function itself: `inspect.signature` for every op would be a third of `import gradviz`.
    """
    code = forward.__code__
    named, only = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    variadic = bool(code.co_flags & inspect.CO_VARARGS)
    inputs = code.co_varnames[:named]
    if variadic:
        inputs = (*inputs, code.co_varnames[only])
    kinds, defaults = forward.__annotations__, forward.__kwdefaults__ or {}
    attributes = {
        name: Attribute(name, str(kinds[name]), defaults.get(name), name not in defaults)
        for name in code.co_varnames[named:only]
    }
    optional = sum(default is None for default in forward.__defaults__ or ())
    return inputs, optional, variadic, attributes


def signature_of(
    signature: inspect.Signature,
) -> tuple[tuple[str, ...], bool, dict[str, Attribute]]:
    """The names of the inputs, whether the last stands for any number of them, and the attributes."""
    inputs: list[str] = []
    variadic = False
    attributes: dict[str, Attribute] = {}
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY:
            required = parameter.default is parameter.empty
            attributes[parameter.name] = Attribute(
                parameter.name,
                str(parameter.annotation),
                None if required else parameter.default,
                required,
            )
        else:
            inputs.append(parameter.name)
            variadic = variadic or parameter.kind is parameter.VAR_POSITIONAL
    return tuple(inputs), variadic, attributes
