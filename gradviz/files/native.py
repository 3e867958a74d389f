"""The .gradviz file: one UTF-8 JSON document, whole or not at all.

`read` gives diagram and view, `load` the diagram; `save` writes both; `loads` and `dumps` do the
same with text (a paste is a small document). What is refused raises FileError with file, place and
what to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gradviz.errors import FileError
from gradviz.files.atomic import write_bytes
from gradviz.files.build import build, in_document
from gradviz.files.canonical import canonical
from gradviz.files.disk import AnyPath, path_words, read_bytes
from gradviz.files.migrate import migrate
from gradviz.files.parse import json_path, parse, place_of
from gradviz.files.records import DocumentRecord, convert
from gradviz.files.scan import checked_text
from gradviz.graph.fault import DiagramError
from gradviz.graph.model import Diagram
from gradviz.graph.plain import plain_fault
from gradviz.graph.validate import validate


class Loaded(NamedTuple):
    """A document: what undo restores, and beside it the view (camera, panels, film position)."""

    diagram: Diagram
    view: Mapping[str, object]


def load(path: AnyPath) -> Diagram:
    """The diagram in the file at `path`. Raises FileError."""
    return read(path).diagram


def read(path: AnyPath) -> Loaded:
    """Diagram and view in the file at `path`. Raises FileError."""
    return _loaded(read_bytes(path), path_words(path))


def loads(document: bytes | str, source: str = "") -> Diagram:
    """The diagram that `document` describes; messages name it `source`. Raises FileError."""
    return _loaded(document, source).diagram


def read_text(text: str) -> Loaded:
    """Diagram and view of a document that is at hand as text. Raises FileError."""
    return _loaded(text, "")


def dumps(diagram: Diagram, view: Mapping[str, object] | None = None) -> bytes:
    """The document of `diagram`, the same bytes for the same content.

    Raises DiagramError for a diagram that breaks a rule, FileError for one that is too large to be
    read again. Entries of `view` that are not plain data are left out: no camera may stand between
    a user and a saved file.
    """
    validate(diagram)
    kept = {key: item for key, item in (view or {}).items() if plain_fault({key: item}) is None}
    data = canonical(diagram, kept).encode()
    checked_text(data)
    return data


def save(path: AnyPath, diagram: Diagram, view: Mapping[str, object] | None = None) -> None:
    """Write `diagram` to `path`; the old file stays until the new one is safe. Raises FileError."""
    try:
        data = dumps(diagram, view)
    except DiagramError as error:
        raise FileError(
            error.message, path=path_words(path), place=json_path(error.place)
        ) from error
    except FileError as error:
        error.path = path_words(path)
        raise
    write_bytes(path, data)


def _loaded(document: bytes | str, source: str) -> Loaded:
    text = ""
    record: DocumentRecord | None = None
    try:
        data = document.encode("utf-8", "surrogatepass") if isinstance(document, str) else document
        text = checked_text(data)
        record = convert(migrate(parse(text)), DocumentRecord)
        diagram = build(record)
        validate(diagram)
    except FileError as error:
        error.path = source
        raise
    except DiagramError as error:
        way = error.place if record is None else in_document(error.place, record.graph)
        raise FileError(error.message, path=source, place=place_of(way, text)) from error
    return Loaded(diagram, record.view)
