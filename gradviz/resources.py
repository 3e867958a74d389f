"""Where the shipped files lie: fonts, examples, lessons, icons, translations, help."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).resolve().parent


def path(*parts: str) -> Path:
    """`path("fonts", "DejaVuSans.ttf")`: a shipped file or folder, whether or not it exists.

    An installed wheel carries them inside the package, as `_resources`; a checkout, also one
    installed with `pip install -e`, has them at its top level, as `resources`.
    """
    installed = _PACKAGE / "_resources"
    root = installed if installed.is_dir() else _PACKAGE.parent / "resources"
    return root.joinpath(*parts)


def example_files() -> list[Path]:
    """The shipped examples, in the order of their file names."""
    return sorted(path("examples").glob("*.gradviz"))


def title_of(file: Path) -> str:
    """`1_nine-sevens.gradviz` as `Nine sevens`."""
    words = file.stem.split("_", 1)[-1].replace("-", " ")
    return words[:1].upper() + words[1:]
