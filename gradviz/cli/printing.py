"""How answers are printed: for people in aligned columns, for programs as JSON without a bare NaN."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from gradviz import digits
from gradviz.cli.codes import BAD_ANSWER, FINE
from gradviz.engine import explain
from gradviz.engine.answer import Answer
from gradviz.graph.model import Array, Node, OutPort


def print_gradient(found: Answer, port: OutPort) -> None:
    title = explain.partial(found, port.node)
    result = found.result(port)
    if result is not None:
        print_array(result, title)
    else:
        print(f"{title} = None")
    print_reason(found, port)


def print_reason(found: Answer, port: OutPort) -> bool:
    """Print why a gradient is missing, and what to do; whether it is."""
    missing = found.missing(port)
    if missing is None:
        return False
    why = explain.reason(found, missing)
    sentence = str(why.sentence)
    print(f"  {sentence[:1].upper()}{sentence[1:]}.\n  {why.remedy}")
    return True


def print_array(array: Array | None, name: str) -> None:
    if array is None:
        print(f"{name} = ?")
    else:
        print("\n".join(digits.lines(array, name)))


def print_notes(found: Answer, *about: str) -> None:
    lines = [note.text for note in explain.notes(found) if note.about in about]
    if lines:
        print()
    for line in lines:
        print(f"note: {line}")


def named(found: Answer) -> list[Node]:
    order = found.specs.order
    return [found.graph[id] for id in order if found.graph[id].name]


def verdict(found: Answer) -> int:
    arrays = [found.value(OutPort(node.id)) for node in named(found)]
    arrays += [found.result(port) for port in found.question.wrt]
    broken = found.setup.failure is not None or any(
        found.run.error(id) is not None or id in found.specs.problems for id in found.specs.order
    )
    bad = any(a is not None and a.dtype.kind == "f" and bool(np.isnan(a).any()) for a in arrays)
    return BAD_ANSWER if broken or bad else FINE


def plain(array: Array | None) -> Any:
    """Nested lists without a bare NaN."""
    if array is None:
        return None
    if array.ndim:
        return [plain(cast(Array, row)) for row in array]
    if array.dtype.kind != "f":
        return array.item()
    number = float(str(array)) if array.dtype == np.float32 else float(cast(Any, array))
    if np.isnan(number):
        return "NaN"
    return number if np.isfinite(number) else ("Infinity" if number > 0 else "-Infinity")
