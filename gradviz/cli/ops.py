"""The command that lists the operations and tells all about one."""

from __future__ import annotations

import argparse
import json

from gradviz import reference
from gradviz.cli.codes import FINE
from gradviz.ops import registry
from gradviz.ops.op import Op
from gradviz.ops.search import search


def declare(command: argparse.ArgumentParser) -> None:
    """The options of `ops`."""
    command.add_argument(
        "name", nargs="?", metavar="NAME", help="an operation by any of its names, or a part of one"
    )
    command.add_argument("--json", action="store_true", help="print JSON")


def ops(options: argparse.Namespace) -> int:
    """All operations by category; for a name, that operation; for a part of one, those that fit."""
    if options.name is None:
        listed = dict(reference.categories())
    else:
        exact = registry.lookup(options.name)
        if exact is not None:
            print(
                json.dumps(_facts(exact), ensure_ascii=False)
                if options.json
                else "\n".join(reference.lines(exact))
            )
            return FINE
        found = search(options.name)
        if not found:
            raise registry.unknown(options.name)
        listed = {
            c: members
            for c, all_ in reference.categories()
            if (members := [op for op in all_ if op in found])
        }
    if options.json:
        print(json.dumps({str(c): [op.name for op in members] for c, members in listed.items()}))
        return FINE
    for number, (category, members) in enumerate(listed.items()):
        print(f"{chr(10) if number else ''}{category} ({len(members)})")
        for op in members:
            print(f"  {op.name:<24} {op.summary}")
    return FINE


def _facts(op: Op) -> dict[str, object]:
    return {
        "name": op.name,
        "sign": op.sign,
        "category": str(op.category),
        "signature": op.signature,
        "summary": str(op.summary),
        "formula": op.formula,
        "code": dict(op.code),
        "aliases": {framework: list(names) for framework, names in op.aliases.items()},
    }
