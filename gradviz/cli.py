"""The command line: one command per verb; no argument, or files, opens the window.

Exit codes: 0 fine, 1 the answer is bad (a difference, NaN, an error on a node), 2 bad input or use, 3 our own bug,
130 cancelled.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NoReturn, cast

import numpy as np

import gradviz
from gradviz import api, digits, plugins, resources
from gradviz.engine import explain, gradcheck, rulecheck
from gradviz.engine.answer import Answer, answer
from gradviz.errors import ExpressionError, GradvizError, InputError
from gradviz.graph.model import Array, Diagram, Node, OutPort, Query
from gradviz.ops.expr import Expr
from gradviz.text import mark

FINE: Final = 0
BAD_ANSWER: Final = 1
BAD_INPUT: Final = 2
OUR_BUG: Final = 3
CANCELLED: Final = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """The entry point of the command `gradviz`; the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    plugins.load_once()
    try:
        return _run(given)
    except GradvizError as error:
        print(f"gradviz: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        return CANCELLED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except Exception:  # noqa: BLE001  the last net: no traceback reaches a user
        return _report_bug()


def window_main() -> int:
    """The entry point of the desktop: always the window."""
    return main(["open", *sys.argv[1:]])


def _run(given: list[str]) -> int:
    parser = _parser()
    first = next((a for a in given if not a.startswith("-")), None)
    if first not in _COMMANDS and not {"-h", "--help", "--version"} & set(given):
        given = ["open", *given]
    options = parser.parse_args(given)
    return cast(int, options.command(options))


def _report_bug() -> int:
    with tempfile.NamedTemporaryFile(
        "w", prefix="gradviz-report-", suffix=".txt", delete=False, encoding="utf-8"
    ) as report:
        report.write(f"gradviz {gradviz.__version__}\n{traceback.format_exc()}")
    print(
        f"gradviz: this is a fault of gradviz, not yours. A report is in {report.name}",
        file=sys.stderr,
    )
    return OUR_BUG


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"gradviz: {message}. See: {self.prog} --help", file=sys.stderr)
        raise SystemExit(BAD_INPUT)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="gradviz",
        description="Computation graphs and visible gradients. Without a command, the window opens.",
    )
    parser.add_argument("--version", action="version", version=f"gradviz {gradviz.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    for name, (function, words, declare) in _COMMANDS.items():
        command = commands.add_parser(name, help=words, description=words)
        declare(command)
        command.set_defaults(command=function)
    return parser


def _declare_open(command: argparse.ArgumentParser) -> None:
    command.add_argument("files", nargs="*", metavar="FILE", help="files to open")
    command.add_argument("--no-film", action="store_true", help="start still")


def _declare_question(command: argparse.ArgumentParser) -> None:
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


def _declare_gradients(command: argparse.ArgumentParser) -> None:
    _declare_question(command)
    command.add_argument(
        "--wrt", action="append", default=[], metavar="NAME", help="by what; several: --wrt x,b"
    )
    command.add_argument(
        "--unconnected",
        choices=("none", "zero"),
        default=None,
        help="what to give where nothing leads from x to y",
    )


def _declare_file(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE")


def _declare_render(command: argparse.ArgumentParser) -> None:
    _declare_question(command)
    command.add_argument(
        "-o", "--output", required=True, metavar="PICTURE", help="a .png or .svg file"
    )
    command.add_argument("--dark", action="store_true", help="the dark palette")
    command.add_argument(
        "--scale", type=float, default=2.0, help="pixels of a PNG per canvas pixel (default 2)"
    )
    command.add_argument(
        "--step", type=int, default=None, help="the step of the film (default: the end)"
    )


def _declare_examples(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print JSON")


def _read(options: argparse.Namespace) -> Diagram:
    """The diagram that FILE_OR_EXPRESSION and --at mean."""
    what: str = options.what
    values = dict(_assignment(text) for text in options.at)
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


def _assignment(text: str) -> tuple[str, Array]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise InputError(
            mark("cli", "--at needs NAME=VALUE, such as x=2, not {given}."), given=text
        )
    if value.startswith("@"):
        from gradviz.models.arrays import read_npy

        return name.strip(), read_npy(Path(value[1:]))
    from gradviz.code.numbers import parse_block

    return name.strip(), np.asarray(parse_block(value))


def _with_value(diagram: Diagram, name: str, value: Array) -> Diagram:
    from gradviz.edit import edits

    return edits.set_value(diagram, diagram.node_called(name).id, value)


def _ask(diagram: Diagram, options: argparse.Namespace) -> Answer:
    query = diagram.query
    of = tuple(diagram.node_called(name).id for name in _names(options.of))
    wrt = tuple(diagram.node_called(name).id for name in _names(getattr(options, "wrt", [])))
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


def _names(given: list[str]) -> list[str]:
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


def _run_command(options: argparse.Namespace) -> int:
    found = _ask(_read(options), options)
    if options.json:
        print(_json(found, gradients=False))
    else:
        for node in _named(found):
            _print_array(found.value(OutPort(node.id)), node.name)
        _print_notes(found, "error", "value")
    return _verdict(found)


def _gradients_command(options: argparse.Namespace) -> int:
    found = _ask(_read(options), options)
    if options.json:
        print(_json(found, gradients=True))
        return _verdict(found)
    for port in found.question.of:
        _print_array(found.value(port), explain.name(found, port.node))
    for port in found.question.wrt:
        print()
        _print_gradient(found, port)
    _print_notes(found, "error", "value", "gradient", "zero", "remark")
    return _verdict(found)


def _print_gradient(found: Answer, port: OutPort) -> None:
    title = explain.partial(found, port.node)
    result = found.result(port)
    if result is not None:
        _print_array(result, title)
    else:
        print(f"{title} = None")
    missing = found.missing(port)
    if missing is not None:
        why = explain.reason(found, missing)
        sentence = str(why.sentence)
        print(f"  {sentence[:1].upper()}{sentence[1:]}.\n  {why.remedy}")


def _print_array(array: Array | None, name: str) -> None:
    if array is None:
        print(f"{name} = ?")
    else:
        print("\n".join(digits.lines(array, name)))


def _print_notes(found: Answer, *about: str) -> None:
    lines = [note.text for note in explain.notes(found) if note.about in about]
    if lines:
        print()
    for line in lines:
        print(f"note: {line}")


def _named(found: Answer) -> list[Node]:
    order = found.specs.order
    return [found.graph[id] for id in order if found.graph[id].name]


def _verdict(found: Answer) -> int:
    arrays = [found.value(OutPort(node.id)) for node in _named(found)]
    arrays += [found.result(port) for port in found.question.wrt]
    broken = any(
        found.run.error(id) is not None or id in found.specs.problems for id in found.specs.order
    )
    bad = any(a is not None and a.dtype.kind == "f" and bool(np.isnan(a).any()) for a in arrays)
    return BAD_ANSWER if broken or bad else FINE


def _json(found: Answer, *, gradients: bool) -> str:
    document: dict[str, Any] = {
        "of": [explain.name(found, port.node) for port in found.question.of],
        "values": {node.name: _plain(found.value(OutPort(node.id))) for node in _named(found)},
    }
    if gradients:
        names = {explain.name(found, port.node): port for port in found.question.wrt}
        document["gradients"] = {name: _plain(found.result(port)) for name, port in names.items()}
        document["reasons"] = {
            name: {"state": str(why.state), "sentence": str(why.sentence)}
            for name, port in names.items()
            if (missing := found.missing(port)) is not None
            for why in (explain.reason(found, missing),)
        }
    return json.dumps(document, ensure_ascii=False, allow_nan=False)


def _plain(array: Array | None) -> Any:
    """Nested lists without a bare NaN."""
    if array is None:
        return None
    if array.ndim:
        return [_plain(cast(Array, row)) for row in array]
    if array.dtype.kind != "f":
        return array.item()
    number = float(str(array)) if array.dtype == np.float32 else float(cast(Any, array))
    if np.isnan(number):
        return "NaN"
    return number if np.isfinite(number) else ("Infinity" if number > 0 else "-Infinity")


def _validate_command(options: argparse.Namespace) -> int:
    diagram = api.load(options.file)
    print(f"{options.file}: fine, {len(diagram.graph)} nodes")
    return FINE


def _check_command(options: argparse.Namespace) -> int:
    found = _ask(_read(options), options)
    verdicts = gradcheck.check(found)
    if not verdicts:
        print("There is nothing to check: no gradient was asked for, or nothing can be computed.")
    for verdict in verdicts:
        print(explain.verdict(found, verdict))
    for error in rulecheck.wrong_rules(found):
        print(error)
    _print_notes(found, "error", "value", "gradient")
    return FINE if gradcheck.agree(verdicts) and _verdict(found) == FINE else BAD_ANSWER


def _render_command(options: argparse.Namespace) -> int:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from gradviz.edit import layout
    from gradviz.picture import render
    from gradviz.picture.frame import Framer

    application = render.ready()
    found = _ask(_read(options), options)
    placed = layout.place_missing(found.diagram, Framer().sizes(found))
    render.to_file(
        answer(placed, found), Path(options.output), options.step, options.scale, dark=options.dark
    )
    del application
    print(options.output)
    return FINE


def _examples_command(options: argparse.Namespace) -> int:
    found = resources.example_files()
    if options.json:
        print(json.dumps({path.stem: str(path) for path in found}))
        return FINE
    for path in found:
        notes = api.load(path).notes
        print(f"{path.stem:<16} {notes[0].get('text', '') if notes else ''}\n{'':<16} {path}")
    return FINE


def _open_command(options: argparse.Namespace) -> int:
    from gradviz import display

    problem = display.problem()
    if problem is not None:
        print(f"gradviz: {problem}", file=sys.stderr)
        return BAD_INPUT
    from gradviz.gui import app

    return app.main([Path(file) for file in options.files], film=not options.no_film)


_Command = tuple[
    Callable[[argparse.Namespace], int], str, Callable[[argparse.ArgumentParser], None]
]
_COMMANDS: Final[dict[str, _Command]] = {
    "open": (_open_command, "open files in the window", _declare_open),
    "run": (_run_command, "print the value of every node", _declare_question),
    "gradients": (_gradients_command, "print gradients", _declare_gradients),
    "validate": (_validate_command, "read a file and say whether it is sound", _declare_file),
    "check": (_check_command, "compare gradients with finite differences", _declare_gradients),
    "render": (_render_command, "draw the graph as PNG or SVG", _declare_render),
    "examples": (_examples_command, "list the shipped examples", _declare_examples),
}
