"""What is asked on the command line: a file or an expression, values, targets, and by what."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from gradviz import api
from gradviz.engine.answer import Answer, answer
from gradviz.errors import ExpressionError, InputError
from gradviz.graph.model import Array, Diagram, Query
from gradviz.ops.expr import Expr
from gradviz.text import mark


def declare_question(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "what",
        metavar="FILE_OR_EXPRESSION",
        help="a .gradviz file, or mathematics such as 'y = x**2 + x - 1'",
    )
    command.add_argument(
        "--at",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a value: x=2, X=[[1,2],[3,4]], X=@file.npy",
    )
    command.add_argument(
        "--of", action="append", default=[], metavar="NAME", help="what to differentiate"
    )
    command.add_argument("--json", action="store_true", help="print JSON")


def declare_gradients(command: argparse.ArgumentParser) -> None:
    declare_question(command)
    command.add_argument(
        "--wrt", action="append", default=[], metavar="NAME", help="by what; several: --wrt x,b"
    )
    command.add_argument(
        "--unconnected",
        choices=("none", "zero"),
        default=None,
        help="what to give where nothing leads from x to y",
    )


def declare_matrix(command: argparse.ArgumentParser) -> None:
    """The options of `jacobian` and `hessian`."""
    declare_gradients(command)
    command.add_argument(
        "--vector",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="the product with a vector instead: of x's shape by the name of an x, of y's by that of a y",
    )


def read(options: argparse.Namespace) -> Diagram:
    """The diagram that FILE_OR_EXPRESSION and --at mean."""
    what: str = options.what
    values = dict(assignment(text) for text in options.at)
    if what.endswith(".gradviz") or Path(what).exists():
        diagram = api.load(what)
        for name, value in values.items():
            diagram = _with_value(diagram, name, value)
        return diagram
    try:
        expression = api.parse(
            what, {name: _as_leaf(value, name) for name, value in values.items()}
        )
    except ExpressionError as error:
        raise InputError(
            mark("cli", "{error}\n{caret}"), error=error, caret=_caret(what, error)
        ) from error
    unused = [name for name in values if not _has_leaf(expression, name)]
    return api.diagram(expression, [_as_leaf(values[name], name) for name in unused] or None)


def _caret(text: str, error: ExpressionError) -> str:
    from gradviz.code.expression import caret

    return "\n".join(f"  {line}" for line in caret(text, error).splitlines())


def _as_leaf(value: Array, name: str) -> Expr:
    return api.variable(value, name=name)


def _has_leaf(expression: Expr, name: str) -> bool:
    try:
        expression.leaf(name)
    except InputError:
        return False
    return True


def assignment(text: str, option: str = "--at") -> tuple[str, Array]:
    """The name and the value of NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise InputError(
            mark("cli", "{option} needs NAME=VALUE, such as x=2, not {given}."),
            option=option,
            given=text,
        )
    if value.startswith("@"):
        from gradviz.models.arrays import read_npy

        return name.strip(), read_npy(Path(value[1:]))
    from gradviz.code.numbers import parse_block

    return name.strip(), np.asarray(parse_block(value))


def _with_value(diagram: Diagram, name: str, value: Array) -> Diagram:
    from gradviz.edit import edits

    return edits.set_value(diagram, diagram.node_called(name).id, value)


def ask(diagram: Diagram, options: argparse.Namespace) -> Answer:
    query = diagram.query
    of = tuple(diagram.node_called(name).id for name in names(options.of))
    wrt = tuple(diagram.node_called(name).id for name in names(getattr(options, "wrt", [])))
    unconnected = getattr(options, "unconnected", None) or query.unconnected
    if of or wrt or unconnected != query.unconnected:
        asked = Query(
            of or query.of,
            wrt or query.wrt,
            query.seed if not of else None,
            query.stop_gradients,
            unconnected,
        )
        diagram = replace(diagram, queries=(asked,), current=0)
    return answer(diagram)


def names(given: list[str]) -> list[str]:
    return [name.strip() for text in given for name in text.split(",") if name.strip()]
