"""A part of a diagram as text: what copying writes, and what comes back from mail, chat and editors.

The text is a document as in a file. Beside the part, where a file has its view, it names the wires that led into it
from outside, so that they can be drawn again.

What programs do to a text on its way is undone, as long as only one reading is possible: line ends, `> ` before the
lines, blanks that do not break, typographic quotes, words around it. A text whose lines were broken is refused, with
the line: nobody can tell what stood at the break.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final, NamedTuple

from gradviz.errors import FileError
from gradviz.files import native
from gradviz.graph.model import Diagram, InPort, OutPort
from gradviz.text import mark

OUTER: Final = "outer"
_LINE_ENDS: Final = re.compile("\r\n|[\r\u2028\u2029\x85]")
_QUOTING: Final = re.compile(r"^(?:[ \t]*>)+", re.MULTILINE)
_BLANKS: Final = re.compile("[\ufeff\u00a0\u2007\u202f\u3000\u200b\u2060]")
_CURLY: Final = re.compile("[\u201c\u201d\u201e\u201f\u2033\uff02]")
_BEGINNING: Final = re.compile(r'\{\s*"gradviz"\s*:')
_KEY: Final = re.compile(r'"gradviz"\s*:')
_TOKEN: Final = re.compile(r'"(?:[^"\\\n]|\\[^\n])*+("?)|[{}]')


class Outer(NamedTuple):
    """A wire into a part from outside: where it ended, where it came from, what that node was."""

    end: InPort
    source: OutPort
    name: str
    op: str


class Fragment(NamedTuple):
    """A part of a diagram, and the wires that led into it."""

    part: Diagram
    outer: tuple[Outer, ...] = ()


def dumps(part: Diagram, outer: tuple[Outer, ...] = ()) -> str:
    """The text of a part."""
    wires = [
        {
            "node": wire.end.node,
            "input": wire.end.index,
            "from": wire.source.node,
            "output": wire.source.index,
            "name": wire.name,
            "op": wire.op,
        }
        for wire in outer
    ]
    return native.dumps(part, {OUTER: wires} if wires else None).decode("utf-8")


def loads(text: str) -> Fragment:
    """The part that `text` describes, byte for byte as `dumps` wrote it. Raises FileError."""
    found = native.read_text(text)
    return Fragment(found.diagram, tuple(_outer(found.diagram, found.view)))


def find(text: str) -> Fragment | None:
    """The part that stands somewhere in a text that may have travelled; None if there is none.

    Raises FileError, with the line in `text`, if it cannot be read.
    """
    plain = cleaned(text)
    return None if plain is None else loads(plain)


def cleaned(text: str) -> str | None:
    """The text of the part alone, at the lines and columns where it stands in `text`; None if there is none.

    Raises FileError for lines that were broken, and for more than one part.
    """
    plain = _LINE_ENDS.sub("\n", text)
    plain = _QUOTING.sub(lambda found: " " * len(found[0]), plain)
    plain = _BLANKS.sub(" ", plain)
    if '"' not in plain:
        plain = _CURLY.sub('"', plain)
    key = _KEY.search(plain)
    if key is None:
        return None
    begin = _BEGINNING.search(plain)
    # A person may have put another key first: the outermost bracket is then the first one.
    start = begin.start() if begin is not None else plain.find("{")
    if not 0 <= start < key.start():
        return None
    end = _end(plain, start)
    _check_alone(plain, end)
    _check_lines(plain, start, end)
    return re.sub(r"[^\n]", " ", plain[:start]) + plain[start:end]


def _end(plain: str, start: int) -> int:
    """Behind the bracket that closes the one at `start`; the end of the text if none does."""
    depth = 0
    for token in _TOKEN.finditer(plain, start):
        if token[0] == "{":
            depth += 1
        elif token[0] == "}":
            depth -= 1
            if not depth:
                return token.end()
        elif not token[1] and token.end() < len(plain):
            # No text goes on in another line.
            raise _broken(plain.count("\n", 0, token.end()) + 1)
    return len(plain)


def _check_alone(plain: str, end: int) -> None:
    second = _BEGINNING.search(plain, end)
    if second is not None:
        raise FileError(
            mark("files", "A second graph begins here; copy one at a time."),
            place=_line(plain, second.start()),
        )


def _check_lines(plain: str, start: int, end: int) -> None:
    """Refuse lines that begin in the midst of what is written on one line."""
    first = plain.count("\n", 0, start) + 1
    lines = plain[start:end].split("\n")
    # Where every indent is gone, or there is one line only, nothing tells where a line was broken.
    indented = any(_indent(line) for line in lines[1:])
    outermost = _indent(plain.split("\n")[first - 1]) if indented else -1
    for number, (before, line) in enumerate(pairwise(lines), first):
        outside = _indent(line) <= outermost and line.strip()[:1] not in ("{", "}", "")
        if outside or _breaks_off(before.rstrip(), line.strip()):
            raise _broken(number)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _breaks_off(before: str, line: str) -> bool:
    """Whether a line ends where none would: not behind a comma, a colon, an opening bracket, nor before a closing one."""
    return bool(before and line) and before[-1] not in ",:[{" and line[0] not in "]}"


def _broken(number: int) -> FileError:
    return FileError(
        mark("files", "Line {line} was broken in two on its way; copy it again as plain text."),
        place=f"line {number}",
        line=number,
    )


def _line(plain: str, offset: int) -> str:
    return f"line {plain.count(chr(10), 0, offset) + 1}"


def _outer(part: Diagram, view: Mapping[str, object]) -> Iterator[Outer]:
    """The wires beside the part, as far as they can be understood: it is as good without them."""
    wires = view.get(OUTER)
    for wire in wires if isinstance(wires, list | tuple) else ():
        match wire:
            case {
                "node": str(node),
                "input": int(index),
                "from": str(source),
                "output": int(output),
                "name": str(name),
                "op": str(op),
            } if node in part.graph and 0 <= index < len(part.graph[node].inputs):
                yield Outer(InPort(node, index), OutPort(source, output), name, op)
