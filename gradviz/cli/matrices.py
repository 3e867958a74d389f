"""The commands that print Jacobians, Hessians, and their products with vectors."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from gradviz import api, digits, limits
from gradviz.api.diagrams import nodes
from gradviz.cli.codes import BAD_ANSWER, FINE
from gradviz.cli.printing import plain, print_array, print_notes, print_reason, verdict
from gradviz.cli.question import ask, assignment, read
from gradviz.engine import explain
from gradviz.engine.answer import Answer
from gradviz.errors import InputError, LimitError
from gradviz.graph.model import Array
from gradviz.ops.expr import Expr
from gradviz.text import mark, shape_words

SHOWN: Final = 20
ENDS: Final = 3
BETWEEN: Final = " │ "


@dataclass(frozen=True)
class _Asked:
    """The question as expressions by name, in the order asked for."""

    answer: Answer
    ys: dict[str, Expr]
    xs: dict[str, Expr]
    stops: list[Expr]
    unconnected: str
    as_json: bool

    @property
    def options(self) -> dict[str, Any]:
        return {"stop_gradients": self.stops, "unconnected_gradients": self.unconnected}


def jacobian(options: argparse.Namespace) -> int:
    """Every cell of y by every cell of x, or its product with a vector from either side."""
    asked = _asked(options)
    if asked is None:
        return BAD_ANSWER
    ys, xs = list(asked.ys.values()), list(asked.xs.values())
    vectors = _vectors(options, asked)
    if not vectors:
        _refuse_too_many(asked, sum(y.size for y in ys) * sum(x.size for x in xs))
        rows = api.jacobian(ys, xs, **asked.options)
        return _print_blocks(asked, "jacobian", asked.ys, rows)
    if set(vectors) <= set(asked.xs):
        found = api.jvp(ys, xs, [vectors.get(name) for name in asked.xs], **asked.options)
        titles = {y: [(f"∂{y}/∂{x}", x) for x in vectors] for y in asked.ys}
    else:
        _refuse_others(vectors, asked.ys)
        moved = [asked.ys[name] for name in vectors]
        found = api.vjp(moved, xs, list(vectors.values()), **asked.options)
        titles = {x: [(f"∂{y}/∂{x}", y) for y in vectors] for x in asked.xs}
    return _print_products(asked, titles, found, left=not set(vectors) <= set(asked.xs))


def hessian(options: argparse.Namespace) -> int:
    """The second derivatives of one number, or their product with a vector."""
    asked = _asked(options)
    if asked is None:
        return BAD_ANSWER
    xs = list(asked.xs.values())
    if len(asked.ys) != 1:
        raise InputError(mark("cli", "A Hessian is that of one number: name one with --of."))
    (name, y), *_ = asked.ys.items()
    vectors = _vectors(options, asked)
    if not vectors:
        _refuse_too_many(asked, sum(x.size for x in xs) ** 2)
        blocks = api.hessian(y, xs, **asked.options)
        return _print_blocks(asked, "hessian", asked.xs, blocks, second=name)
    _refuse_others(vectors, asked.xs)
    found = api.hvp(y, xs, [vectors.get(x) for x in asked.xs], **asked.options)
    titles = {x: [(f"∂²{name}/{_below(x, by)}", by) for by in vectors] for x in asked.xs}
    return _print_products(asked, titles, found)


def _asked(options: argparse.Namespace) -> _Asked | None:
    """The question; None, with what is wrong printed, if a node in it cannot be computed."""
    found = ask(read(options), options)
    made = nodes(found.diagram)
    question = found.question
    if not question.of:
        raise InputError(mark("cli", "There is nothing to differentiate: name it with --of."))
    wanted = (*question.of, *question.wrt)
    broken = any(found.run.error(id) is not None for id in found.specs.order)
    if broken or any(port.node not in made or found.value(port) is None for port in wanted):
        for port in question.of:
            print(f"{explain.name(found, port.node)} cannot be computed.")
        print_notes(found, "error", "value")
        return None
    if found.setup.failure is not None:
        print(found.setup.failure)
        return None
    names = {port: explain.name(found, port.node) for port in wanted}
    return _Asked(
        found,
        {names[port]: made[port.node] for port in question.of},
        {names[port]: made[port.node] for port in question.wrt},
        [made[port.node] for port in question.stop if port.node in made],
        question.unconnected,
        options.json,
    )


def _vectors(options: argparse.Namespace, asked: _Asked) -> dict[str, Array]:
    found = dict(assignment(text, "--vector") for text in options.vector)
    _refuse_others(found, {**asked.ys, **asked.xs})
    return found


def _refuse_others(given: dict[str, Array], known: dict[str, Expr]) -> None:
    for name in given:
        if name not in known:
            raise InputError(
                mark(
                    "cli",
                    "--vector goes with one of {names} here, not with {name}: all vectors are of the xs, or all of the "
                    "ys.",
                ),
                names=", ".join(known) or "none",
                name=name,
            )


def _refuse_too_many(asked: _Asked, cells: int) -> None:
    if asked.as_json and cells > limits.JSON_NUMBERS:
        raise LimitError(
            mark(
                "cli",
                "The answer has {cells} numbers, more than {limit} can be printed. Ask for fewer with --of and --wrt, or "
                "for a product with --vector.",
            ),
            cells=f"{cells:,}",
            limit=f"{limits.JSON_NUMBERS:,}",
        )


def _below(row: str, column: str) -> str:
    return f"∂{row}²" if row == column else f"∂{row}∂{column}"


def _print_blocks(
    asked: _Asked,
    kind: str,
    rows: dict[str, Expr],
    blocks: Sequence[Sequence[Array | None]],
    second: str = "",
) -> int:
    """A block for each pair of names; of a Hessian those of the lower half are left out, being the same."""
    of = [explain.name(asked.answer, port.node) for port in asked.answer.question.of]
    pairs = [
        (row, column, block)
        for row, found in zip(rows, blocks, strict=True)
        for column, block in zip(asked.xs, found, strict=True)
    ]
    if asked.as_json:
        document: dict[str, Any] = {"of": of, kind: {row: {} for row in rows}}
        for row, column, block in pairs:
            document[kind][row][column] = plain(block)
        print(json.dumps(document, ensure_ascii=False, allow_nan=False))
    else:
        order = list(asked.xs)
        shown = [
            pair for pair in pairs if not second or order.index(pair[0]) <= order.index(pair[1])
        ]
        for number, (row, column, block) in enumerate(shown):
            if number:
                print()
            title = f"∂²{second}/{_below(row, column)}" if second else f"∂{row}/∂{column}"
            _print_block(title, block, rows[row].shape, row, column)
            if block is None:
                _print_why(asked, row if second else column, column)
        print_notes(asked.answer, "error", "value")
    return _code(asked, [block for _, _, block in pairs])


def _print_why(asked: _Asked, *names: str) -> None:
    for port in asked.answer.question.wrt:
        if explain.name(asked.answer, port.node) in names and print_reason(asked.answer, port):
            return


def _print_products(
    asked: _Asked,
    titles: dict[str, list[tuple[str, str]]],
    found: Sequence[Expr | None],
    *,
    left: bool = False,
) -> int:
    """A product for each name; its title is the sum of matrices, each times the vector of the name beside it.

    `left` says that the vectors stand on the left.
    """
    arrays = [None if product is None else product.value for product in found]
    if asked.as_json:
        products = {name: plain(array) for name, array in zip(titles, arrays, strict=True)}
        print(json.dumps({"product": products}, ensure_ascii=False, allow_nan=False))
    else:
        for parts, array in zip(titles.values(), arrays, strict=True):
            vectors = ["v" if len(parts) == 1 else f"v_{name}" for _, name in parts]
            title = " + ".join(
                f"{v}·{part}" if left else f"{part}·{v}"
                for v, (part, _) in zip(vectors, parts, strict=True)
            )
            if array is None:
                print(f"{title} = None")
            else:
                print_array(array, title)
    return _code(asked, arrays)


def _code(asked: _Asked, arrays: Sequence[Array | None]) -> int:
    bad = any(a is not None and bool(np.isnan(np.asarray(a, np.float64)).any()) for a in arrays)
    return BAD_ANSWER if bad else max(FINE, verdict(asked.answer))


def _print_block(
    title: str, block: Array | None, rows: tuple[int, ...], row: str, column: str
) -> None:
    """One number, one list, or a table: a line for each cell of y, in it a group of columns for each row of x."""
    if block is None:
        print(f"{title} = None")
        return
    columns = block.shape[len(rows) :]
    if not rows or not columns or not block.size:
        print_array(block, title)
        return
    shapes = dict.fromkeys((f"{row} is {shape_words(rows)}", f"{column} is {shape_words(columns)}"))
    print(f"{title}: {', '.join(shapes)}")
    for line in table(block.reshape(math.prod(rows), -1), rows, columns, row, column):
        print(line)


def table(
    matrix: Array, rows: tuple[int, ...], columns: tuple[int, ...], row: str, column: str
) -> list[str]:
    """The lines of a matrix with the cells of y and x written at its sides; both ends of what is too long.

    A blank line ends each row of y, a bar each row of x: what lies between is one cell of y by one row of x.
    """
    down, across = _ends(len(matrix)), _ends(matrix.shape[1])
    cells = [[""] + ["…" if c is None else _cell(column, columns, c) for c in across]]
    for r in down:
        if r is None:
            cells.append(["…"] * (len(across) + 1))
            continue
        numbers = ["…" if c is None else digits.number(matrix[r, c]) for c in across]
        cells.append([_cell(row, rows, r), *numbers])
    lines: list[str] = []
    width = max(len(line[0]) for line in cells)
    shown = _columns([line[1:] for line in cells])
    for number, (line, numbers) in enumerate(zip(cells, shown, strict=True)):
        r = down[number - 1] if number else None
        if len(rows) > 1 and r is not None and r and r % rows[-1] == 0:
            lines.append("")
        parts = ""
        for c, text in zip(across, numbers, strict=True):
            ends = len(columns) > 1 and c is not None and c and c % columns[-1] == 0
            parts += (BETWEEN if ends else "  ") + text
        lines.append(f"{line[0].ljust(width)} {parts}".rstrip())
    return lines


def _columns(cells: list[list[str]]) -> list[list[str]]:
    """The header, whose labels end where the numbers below them end, and the rows."""
    numbers = digits.aligned(cells[1:])
    widths = [max(len(head), len(first)) for head, first in zip(cells[0], numbers[0], strict=True)]
    return [
        [text.rjust(width) for text, width in zip(line, widths, strict=True)]
        for line in (cells[0], *numbers)
    ]


def _ends(count: int) -> list[int | None]:
    """The numbers of the lines that are shown; None for those left out."""
    if count <= SHOWN:
        return list(range(count))
    return [*range(ENDS), None, *range(count - ENDS, count)]


def _cell(name: str, shape: tuple[int, ...], number: int) -> str:
    return f"{name}[{','.join(str(i) for i in np.unravel_index(number, shape))}]"
