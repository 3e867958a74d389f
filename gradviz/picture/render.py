"""A picture file of a diagram, at any step of its film, without a window."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from gradviz.engine.answer import Answer
from gradviz.errors import FileError, InputError
from gradviz.picture import export, fonts
from gradviz.picture.colours import DARK, LIGHT, Theme
from gradviz.picture.frame import Framer
from gradviz.picture.look import Frame
from gradviz.text import mark

FORMATS = (".png", ".svg")


def ready() -> QGuiApplication:
    """Fonts need an application, even where nothing is shown; keep what is returned."""
    application = QGuiApplication.instance() or QGuiApplication(sys.argv[:1])
    fonts.load()
    assert isinstance(application, QGuiApplication)
    return application


def to_file(answer: Answer, path: Path, step: int | None, scale: float, *, dark: bool) -> None:
    """Draw the answer at `step` (None: the end) into a .png or .svg file.

    Raises InputError for another kind of file or a step there is not, FileError if it cannot be written.
    """
    steps = len(answer.timeline)
    if step is not None and not 0 <= step <= steps:
        raise InputError(
            mark("picture", "There is no step {step}: the film has {steps}."),
            step=step,
            steps=steps,
        )
    if not 0.1 <= scale <= 16:
        raise InputError(
            mark("picture", "The scale must be from 0.1 to 16, not {scale}."), scale=scale
        )
    frame = Framer().frame(answer, steps if step is None else step)
    write(frame, path, DARK if dark else LIGHT, scale)


def write(frame: Frame, path: Path, theme: Theme, scale: float = 2.0) -> None:
    """Write a frame as .png or .svg; by the ending of `path`."""
    kind = path.suffix.lower()
    if kind not in FORMATS:
        raise InputError(
            mark("picture", "A picture is a .png or a .svg file, not {name}."), name=path.name
        )
    try:
        if kind == ".svg":
            path.write_bytes(export.to_svg(frame, theme))
        elif not export.to_image(frame, theme, scale).save(str(path)):
            raise OSError("the folder does not exist or cannot be written")
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(
            mark("picture", "The picture cannot be written: {reason}."),
            path=str(path),
            reason=reason,
        ) from error
