"""The reference of operations, made from their declarations: for the command line and for the help of the window."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from gradviz import digits
from gradviz.engine.answer import Answer, answer
from gradviz.graph.model import Array, Diagram, OutPort, Query
from gradviz.ops import registry
from gradviz.ops.expr import Collected, Expr, array_of, constant, variable
from gradviz.ops.indexing import index_text
from gradviz.ops.op import CATEGORIES, FRAMEWORKS, Example, Op
from gradviz.text import Text, mark, message

TITLES: Final = {
    "numpy": "NumPy",
    "tf": "TensorFlow",
    "torch": "PyTorch",
    "jax": "JAX",
    "math": "typed",
}
BAR: Final = "\\|"
NO_FORM: Final = mark("reference", "no {framework} form given")
NO_GRADIENT: Final = mark("reference", "It has no gradient, by nature.")
NO_RULE: Final = mark("reference", "It has no rule, so no gradient passes through it.")


class Shown(NamedTuple):
    """One example: what is applied to what, its outputs, and the gradients of the sum of their cells."""

    application: str
    inputs: tuple[tuple[str, Array], ...]
    outputs: tuple[tuple[str, Array], ...]
    gradients: tuple[tuple[str, Array], ...]


def categories() -> Iterator[tuple[Text, list[Op]]]:
    """The ops a person can place, by category, in the order of the palette."""
    ops = list(registry.palette())
    known = {str(category) for category in CATEGORIES}
    others = dict.fromkeys(op.category for op in ops if str(op.category) not in known)
    for category in (*CATEGORIES, *others):
        members = [op for op in ops if op.category == category]
        if members:
            yield category, members


def code(op: Op, framework: str) -> str:
    """How a framework writes the op, with the names of its inputs and settings; a sentence if there is no such form."""
    template = op.code.get(framework)
    if not template:
        return str(message(NO_FORM, framework=TITLES[framework]))
    names = {name: name for name in (*op.inputs, *op.attributes)}
    if op.variadic:
        names[op.inputs[-1]] = f"{op.inputs[-1]}0, {op.inputs[-1]}1"
    return string.Formatter().vformat(template, (), _Names(names))


class _Names(dict[str, str]):
    """What a template asks for and nobody knows stands for itself."""

    def __missing__(self, name: str) -> str:
        return name


def aliases(op: Op) -> str:
    """The other names of an op by framework: `NumPy: absolute; TensorFlow: abs`."""
    return "; ".join(
        f"{TITLES[framework]}: {', '.join(names)}" for framework, names in op.aliases.items()
    )


def remark(op: Op) -> Text | None:
    """Why no gradient passes through an op, if none does."""
    if op.has_rule or op.is_source:
        return None
    return NO_RULE if op.differentiable else NO_GRADIENT


def examples(op: Op) -> list[Shown]:
    """The examples of an op with their numbers."""
    return [] if op.is_source else [_shown(op, example) for example in op.examples]


def _shown(op: Op, example: Example) -> Shown:
    names = op.port_names(len(example.inputs))
    operands = [_operand(value, name) for value, name in zip(example.inputs, names, strict=True)]
    made: Any = op(*operands, **example.attributes)
    outputs: tuple[Expr, ...] = made if isinstance(made, tuple) else (made,)
    collected = Collected([*outputs, *operands])
    floats = [e for e in operands if e.spec.is_float]
    of = tuple(collected.port(e) for e in outputs if e.spec.is_float)
    query = Query(
        tuple(port.node for port in of[:1]), tuple(collected.port(e).node for e in floats)
    )
    found = answer(Diagram(collected.graph, collected.values, (query,)))
    node = collected.port(outputs[0]).node
    title = _application(op, names, example.attributes)
    return Shown(
        title,
        tuple((name, e.value) for name, e in zip(names, operands, strict=True)),
        _values(found, node, title, len(outputs)),
        _gradients(found, [collected.port(e) for e in floats], [e.name for e in floats]),
    )


def _operand(value: object, name: str) -> Expr:
    array = array_of(value)
    return variable(array, name) if array.dtype.kind == "f" else constant(np.asarray(array), name)


def _application(op: Op, names: tuple[str, ...], attributes: Mapping[str, object]) -> str:
    settings = [
        f"{name}=[{index_text(value)}]" if name == "index" else f"{name}={value!r}"
        for name, value in op.trimmed(attributes).items()
    ]
    return f"{op.name}({', '.join([*names, *settings])})"


def _values(found: Answer, node: str, title: str, count: int) -> tuple[tuple[str, Array], ...]:
    arrays = [found.value(OutPort(node, i)) for i in range(count)]
    names = [title] if count == 1 else [f"{title}[{i}]" for i in range(count)]
    return tuple((n, a) for n, a in zip(names, arrays, strict=True) if a is not None)


def _gradients(
    found: Answer, ports: list[OutPort], names: list[str]
) -> tuple[tuple[str, Array], ...]:
    arrays = [found.adjoint(port) for port in ports]
    return tuple((n, a) for n, a in zip(names, arrays, strict=True) if a is not None)


def lines(op: Op) -> list[str]:
    """All that is known about an op, for a terminal."""
    found = [op.signature, f"  {op.summary}"]
    said = remark(op)
    if said is not None:
        found.append(f"  {said}")
    found += ["", f"  {'category':<11} {op.category}", f"  {'sign':<11} {op.sign}"]
    found.append(f"  {'written':<11} {written(op)}")
    found.append(f"  {'formula':<11} {op.formula}")
    found += [f"  {TITLES[name]:<11} {code(op, name)}" for name in FRAMEWORKS]
    if op.aliases:
        found.append(f"  {'found by':<11} {aliases(op)}")
    for shown in examples(op):
        found += ["", *(f"  {line}" for line in example_lines(shown))]
    return [line.rstrip() for line in found]


def written(op: Op) -> str:
    """One application as the window writes it."""
    names = {name: name for name in (*op.inputs, *op.attributes)} | {
        "attributes": "",
        "name": op.name,
    }
    return string.Formatter().vformat(op.text, (), _Names(names))


def example_lines(shown: Shown) -> list[str]:
    """An example: inputs, value, and the gradient by each input of the sum of all cells."""
    found: list[str] = []
    for name, array in (*shown.inputs, *shown.outputs):
        found += digits.lines(array, name)
    for name, array in shown.gradients:
        found += digits.lines(array, f"gradient by {name}")
    return found


def markdown(op: Op) -> str:
    """All that is known about an op, as a page of the help."""
    rows = [("written", _code(written(op))), ("formula", _code(op.formula))]
    rows += [
        (TITLES[name], _code(code(op, name)) if op.code.get(name) else code(op, name))
        for name in FRAMEWORKS
    ]
    rows += [("found by", _plain(aliases(op)))] if op.aliases else []
    found = [f"## {_plain(op.name)} {_plain(op.sign)}", "", _plain(op.summary)]
    said = remark(op)
    if said is not None:
        found += ["", said]
    found += ["", f"| called | {_code(op.signature)} |", "|---|---|"]
    found += [f"| {name} | {text} |" for name, text in rows]
    shown = "\n\n".join("\n".join(example_lines(each)) for each in examples(op))
    return "\n".join([*found, *(["", "```", shown, "```"] if shown else [])])


def _code(text: str) -> str:
    """Code in a cell of a table, where a bar would begin the next."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text.replace('|', BAR)}{fence}"


def _plain(text: str) -> str:
    """Text in which no character means anything to Markdown."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|~^&" else c for c in text)
