"""Arrays from files and to files: joins the formats with the reading of text."""

from __future__ import annotations

from pathlib import Path

from gradviz.code.csv_text import CsvTable, csv_text, parse_csv
from gradviz.errors import FileError, GradvizError
from gradviz.files.atomic import write_bytes
from gradviz.files.disk import path_words, read_bytes
from gradviz.files.npy import read_npy, write_npy
from gradviz.graph.model import Array
from gradviz.text import mark

SUFFIXES = (".npy", ".csv", ".tsv", ".txt")


def read(path: Path) -> CsvTable:
    """The numbers of a `.npy` file, or of rows of text. Raises FileError, with the line for text."""
    if path.suffix.lower() == ".npy":
        return CsvTable(read_npy(path))
    try:
        text = read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        said = mark("files", "It is not text in UTF-8: byte {byte} cannot be read.")
        raise FileError(said, path=path_words(path), byte=error.start) from error
    try:
        return parse_csv(text)
    except FileError:
        raise
    except GradvizError as error:
        raise FileError(error.message, path=path_words(path)) from error


def write(path: Path, array: Array) -> Path:
    """Write `.csv`, or else `.npy`; the path with its ending. Raises FileError, or InputError for too many axes."""
    if path.suffix.lower() in (".csv", ".txt"):
        write_bytes(path, csv_text(array).encode())
        return path
    target = path if path.suffix.lower() == ".npy" else path.with_name(path.name + ".npy")
    write_npy(target, array)
    return target
