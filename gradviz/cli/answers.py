"""The commands that print values, gradients and what is wrong with them."""

from __future__ import annotations

import argparse
import json
from typing import Any

from gradviz import api
from gradviz.cli.codes import BAD_ANSWER, FINE
from gradviz.cli.printing import named, plain, print_array, print_gradient, print_notes, verdict
from gradviz.cli.question import ask, read
from gradviz.engine import explain, gradcheck, rulecheck
from gradviz.engine.answer import Answer
from gradviz.graph.model import OutPort


def declare_file(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE")


def run(options: argparse.Namespace) -> int:
    found = ask(read(options), options)
    if options.json:
        print(as_json(found, gradients=False))
    else:
        for node in named(found):
            print_array(found.value(OutPort(node.id)), node.name)
        print_notes(found, "error", "value")
    return verdict(found)


def gradients(options: argparse.Namespace) -> int:
    found = ask(read(options), options)
    if options.json:
        print(as_json(found, gradients=True))
        return verdict(found)
    for port in found.question.of:
        print_array(found.value(port), explain.name(found, port.node))
    for port in found.question.wrt:
        print()
        print_gradient(found, port)
    print_notes(found, "error", "value", "gradient", "zero", "remark")
    return verdict(found)


def as_json(found: Answer, *, gradients: bool) -> str:
    document: dict[str, Any] = {
        "of": [explain.name(found, port.node) for port in found.question.of],
        "values": {node.name: plain(found.value(OutPort(node.id))) for node in named(found)},
    }
    if gradients:
        names = {explain.name(found, port.node): port for port in found.question.wrt}
        document["gradients"] = {name: plain(found.result(port)) for name, port in names.items()}
        document["reasons"] = {
            name: {"state": str(why.state), "sentence": str(why.sentence)}
            for name, port in names.items()
            if (missing := found.missing(port)) is not None
            for why in (explain.reason(found, missing),)
        }
    return json.dumps(document, ensure_ascii=False, allow_nan=False)


def validate(options: argparse.Namespace) -> int:
    diagram = api.load(options.file)
    print(f"{options.file}: fine, {len(diagram.graph)} nodes")
    return FINE


def check(options: argparse.Namespace) -> int:
    found = ask(read(options), options)
    verdicts = gradcheck.check(found)
    if not verdicts:
        print("There is nothing to check: no gradient was asked for, or nothing can be computed.")
    for each in verdicts:
        print(explain.verdict(found, each))
    errors = rulecheck.wrong_rules(found)
    if not errors and not gradcheck.agree(verdicts):
        errors = [error for error in (rulecheck.culprit(found),) if error is not None]
    for error in errors:
        print(error)
    print_notes(found, "error", "value", "gradient")
    return FINE if gradcheck.agree(verdicts) and verdict(found) == FINE else BAD_ANSWER
