"""The commands that show: the window, a picture, the examples."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from gradviz import api, resources
from gradviz.cli.codes import BAD_INPUT, FINE
from gradviz.cli.question import ask, declare_question, read
from gradviz.engine.answer import answer


def declare_open(command: argparse.ArgumentParser) -> None:
    command.add_argument("files", nargs="*", metavar="FILE", help="files to open")
    command.add_argument("--no-film", action="store_true", help="start still")


def declare_render(command: argparse.ArgumentParser) -> None:
    declare_question(command)
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


def declare_examples(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print JSON")


def render(options: argparse.Namespace) -> int:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from gradviz.edit import layout
    from gradviz.picture import render as painting
    from gradviz.picture.frame import Framer

    application = painting.ready()
    found = ask(read(options), options)
    placed = layout.place_missing(found.diagram, Framer().sizes(found))
    painting.to_file(
        answer(placed, found), Path(options.output), options.step, options.scale, dark=options.dark
    )
    del application
    print(options.output)
    return FINE


def examples(options: argparse.Namespace) -> int:
    found = resources.example_files()
    if options.json:
        print(json.dumps({path.stem: str(path) for path in found}))
        return FINE
    for path in found:
        notes = api.load(path).notes
        print(f"{path.stem:<16} {notes[0].get('text', '') if notes else ''}\n{'':<16} {path}")
    return FINE


def open_window(options: argparse.Namespace) -> int:
    from gradviz import display

    problem = display.problem()
    if problem is not None:
        print(f"gradviz: {problem}", file=sys.stderr)
        return BAD_INPUT
    from gradviz.gui import app

    return app.main([Path(file) for file in options.files], film=not options.no_film)
