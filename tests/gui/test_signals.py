"""Rules of signals and steps that no type checker sees, read from the source of the window."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import gradviz

GUI = Path(gradviz.__file__).parent / "gui"
CONTAINERS = {"dict", "list", "tuple", "set", "frozenset"}
LASTING = {"document", "player", "settings", "application", "qt", "clipboard"}
"""What lives longer than what listens to it."""


def calls() -> Iterator[tuple[str, ast.Call]]:
    for path in sorted(GUI.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield f"{path.relative_to(GUI)}:{node.lineno}", node


def name_of(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def test_no_signal_carries_a_container_of_qt():
    """Qt makes its own of a dict with keys that are no text, and it arrives empty: an object arrives as it is."""
    declared = [(where, call) for where, call in calls() if name_of(call.func) == "Signal"]
    assert len(declared) > 20
    found = [
        where
        for where, call in declared
        if any(isinstance(kind, ast.Name) and kind.id in CONTAINERS for kind in call.args)
    ]
    assert found == []


def test_no_lambda_listens_to_what_outlives_it():
    """Qt ends the connection of a method with its object; a lambda keeps a dead widget and calls it."""
    connected = [
        (where, call)
        for where, call in calls()
        if isinstance(call.func, ast.Attribute) and call.func.attr == "connect" and call.args
    ]
    assert len(connected) > 100
    found = []
    for where, call in connected:
        names = {name_of(part) for part in ast.walk(call.func) if isinstance(part, ast.expr)}
        if isinstance(call.args[0], ast.Lambda) and {n.lstrip("_") for n in names} & LASTING:
            found.append(where)
    assert found == []


def test_every_step_has_a_name_that_can_be_translated():
    """`document.edit(mark("edit", …), …)`: the context tells translators that the Edit menu shows it."""
    steps = [
        (where, call)
        for where, call in calls()
        if isinstance(call.func, ast.Attribute)
        and call.func.attr == "edit"
        and "document" in ast.unparse(call.func.value)
    ]
    assert len(steps) > 15
    contexts = {
        where: call.args[0].args[0].value
        for where, call in steps
        if isinstance(call.args[0], ast.Call) and name_of(call.args[0].func) == "mark"
    }
    assert {where for where, context in contexts.items() if context != "edit"} == set()
    written = [where for where, call in steps if isinstance(call.args[0], ast.Constant)]
    assert written == []
