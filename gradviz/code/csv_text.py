"""Tables as text: rows of numbers from a spreadsheet's export, and back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gradviz import digits, limits
from gradviz.code.numbers import parse_number
from gradviz.errors import InputError, LimitError
from gradviz.graph.model import Array, frozen_array
from gradviz.text import mark


class CsvTable(NamedTuple):
    """The numbers, and the words of a first line that holds names instead of numbers."""

    array: Array
    header: tuple[str, ...] = ()


def parse_csv(text: str) -> CsvTable:
    """Rows of numbers split at tabs, else semicolons, else commas, spaces last (decision 33).

    A first line without any number is taken for names. One row or one column is a vector. Raises InputError with the line
    for what is no number and for rows of different lengths.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    rows = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not rows:
        raise InputError(mark("code", "There are no numbers here."))
    separator = _separator([line for _, line in rows])
    cells = [(number, _split(line, separator)) for number, line in rows]
    header: tuple[str, ...] = ()
    if len(cells) > 1 and not any(_is_number(cell) for cell in cells[0][1]):
        header = tuple(cells.pop(0)[1])
    columns = len(cells[0][1])
    if columns * len(cells) > limits.ARRAY_ELEMENTS:
        text_of = mark("code", "This table is too large: at most {limit} numbers.")
        raise LimitError(text_of, limit=limits.ARRAY_ELEMENTS)
    table = np.empty((len(cells), columns))
    for row, (number, line) in enumerate(cells):
        if len(line) != columns:
            raise InputError(
                mark("code", "Line {number} has {found} numbers, line {first} has {columns}."),
                number=number,
                found=len(line),
                first=cells[0][0],
                columns=columns,
            )
        for column, cell in enumerate(line):
            table[row, column] = _number(cell, number, column + 1)
    shape = tuple(length for length in table.shape if length > 1)
    return CsvTable(frozen_array(table if len(shape) > 1 else table.reshape(shape)), header)


def _separator(lines: list[str]) -> str | None:
    for sign in ("\t", ";", ","):
        if any(sign in line for line in lines):
            return sign
    return None


def _split(line: str, separator: str | None) -> list[str]:
    if separator is None:
        return line.split()
    cells = [cell.strip().strip('"') for cell in line.split(separator)]
    return cells[:-1] if len(cells) > 1 and not cells[-1] else cells


def _is_number(cell: str) -> bool:
    try:
        parse_number(cell)
    except InputError:
        return False
    return True


def _number(cell: str, line: int, column: int) -> float:
    try:
        return float(cell)
    except ValueError:
        pass
    try:
        return parse_number(cell)
    except InputError as error:
        raise InputError(
            mark("code", "Line {line}, column {column}: {why}"),
            line=line,
            column=column,
            why=error.message if cell.strip() else mark("code", "a number is missing."),
        ) from error


def csv_text(array: Array) -> str:
    """The array as rows with commas, each number in as many digits as bring it back exactly.

    Raises InputError for more than two axes.
    """
    if array.ndim > 2:
        raise InputError(
            mark("code", "A table of text has rows and columns; {rank} axes fit an .npy file."),
            rank=array.ndim,
        )
    rows = np.atleast_2d(array)
    plain = ([digits.full(cell).replace("−", "-") for cell in row] for row in rows)
    return "".join(",".join(cells).replace("∞", "inf") + "\n" for cells in plain)
