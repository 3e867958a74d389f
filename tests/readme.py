"""Writes the table of operations in the README: `python -m tests.readme`."""

from __future__ import annotations

import re
from pathlib import Path

from gradviz import reference
from gradviz.ops.op import OWN

README = Path(__file__).resolve().parent.parent / "README.md"
TABLE = re.compile(r"(?<=\n)\| \| \|\n\|---\|---\|\n(?:\|.*\|\n)+(?=\n## Adding an op)")


def table() -> str:
    """The operations by category."""
    rows = [
        f"| {category} | {', '.join(f'`{op.name}`' for op in ops)} |\n"
        for category, ops in reference.categories()
        if category != OWN
    ]
    return "".join(["| | |\n|---|---|\n", *rows])


def main() -> None:
    """Put the table of today where the old one is."""
    old = README.read_text(encoding="utf-8")
    README.write_text(TABLE.sub(lambda _: table(), old, count=1), encoding="utf-8")


if __name__ == "__main__":
    main()
