"""The command line: one command per verb; no argument, or files, opens the window."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from typing import Final, NoReturn, cast

import gradviz
from gradviz import plugins
from gradviz.cli import answers, matrices, ops, pictures
from gradviz.cli.codes import BAD_INPUT, CANCELLED, FINE, OUR_BUG
from gradviz.cli.question import declare_gradients, declare_matrix, declare_question
from gradviz.errors import GradvizError


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


_Command = tuple[
    Callable[[argparse.Namespace], int], str, Callable[[argparse.ArgumentParser], None]
]
_COMMANDS: Final[dict[str, _Command]] = {
    "open": (pictures.open_window, "open files in the window", pictures.declare_open),
    "run": (answers.run, "print the value of every node", declare_question),
    "gradients": (answers.gradients, "print gradients", declare_gradients),
    "jacobian": (matrices.jacobian, "print every cell of y by every cell of x", declare_matrix),
    "hessian": (matrices.hessian, "print the second derivatives of one number", declare_matrix),
    "validate": (answers.validate, "read a file and say whether it is sound", answers.declare_file),
    "check": (answers.check, "compare gradients with finite differences", declare_gradients),
    "render": (pictures.render, "draw the graph as PNG or SVG", pictures.declare_render),
    "ops": (ops.ops, "list the operations, or tell all about one", ops.declare),
    "examples": (pictures.examples, "list the shipped examples", pictures.declare_examples),
}
