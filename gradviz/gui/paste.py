"""What copying, pasting and the expression bar do: joins text, graph and edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, cast

import numpy as np
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication

from gradviz import digits, limits
from gradviz.edit import edits, layout
from gradviz.engine.answer import Answer, answer
from gradviz.errors import FileError, GradvizError, InputError
from gradviz.graph.model import Array, Diagram, OutPort, Place
from gradviz.gui import copying
from gradviz.gui.copying import Land
from gradviz.gui.document import CellRef, Document
from gradviz.ops.expr import Expr, leaf, variable
from gradviz.ops.spec import Spec
from gradviz.text import Message, mark, message, shape_words

ORIGIN: Final = Place(0, 0)
Sizes = Callable[[Answer], Mapping[str, tuple[float, ...]]]


def build_expression(document: Document, text: str, sizes: Sizes) -> list[str]:
    """Build what was typed, as one step; the ids of what is new. Raises ExpressionError with the place of a fault."""
    from gradviz.code import expression

    program = expression.parse(text)
    known = _known(document)
    new: dict[str, Expr] = {}

    def make_leaf(name: str) -> Expr:
        # A lower case name is one number, an upper case one a table.
        value = np.zeros((3, 3)) if name[:1].isupper() else 0.0
        return new.setdefault(name, variable(value, name=name))

    built = expression.build(program, known, make_leaf)
    last = program.statements[-1]
    if not last.name and list(built.values())[-1].call.port is not None:
        # A known name alone asks nothing new.
        return []
    before = set(document.diagram.graph.nodes)

    def place(diagram: Diagram) -> Diagram:
        # The sizes of cards that are new are known once they are computed.
        known = sizes(answer(diagram))
        return layout.push_apart(layout.place_missing(diagram, known), known)

    if not document.edit(mark("edit", "Build the expression"), _built, built, place):
        return []
    made = [id for id in document.diagram.graph.nodes if id not in before]
    return made or [document.diagram.query.of[0]] if document.diagram.query.of else made


def _built(
    diagram: Diagram, built: Mapping[str, Expr], place: Callable[[Diagram], Diagram]
) -> Diagram:
    """Asked before it is placed: a card is as high as what is asked about it makes it."""
    asked = partial(_asked, before=diagram, target=list(built)[-1])
    return asked(edits.build_expression(diagram, built, lambda grown: place(asked(grown))))


def _asked(diagram: Diagram, *, before: Diagram, target: str) -> Diagram:
    """The question turns to what was typed; where the leaves were chosen, the new ones join them."""
    graph, query = diagram.graph, diagram.query
    of, wrt = query.of, query.wrt
    if target in graph.id_of_name:
        of = (graph.id_of_name[target],)
    if wrt:
        new = (n.id for n in graph if n.op == "variable" and n.id not in before.graph)
        wrt = (*wrt, *(id for id in new if id not in wrt))
    return edits.set_query(diagram, of=of, wrt=wrt)


def _known(document: Document) -> dict[str, Expr]:
    """The named nodes of the diagram, as leaves, with what they hold: a shape may depend on it."""
    specs, records = document.answer.specs, document.answer.run.records
    found = {}
    for node in document.diagram.graph:
        outputs = specs.outputs.get(node.id, (None,))
        if node.name and all(spec is not None for spec in outputs):
            call = leaf(node.id, cast("tuple[Spec, ...]", outputs))
            if node.id in records and records[node.id].outputs:
                call.outputs = records[node.id].outputs
            found[node.name] = Expr(call)
    return found


def copy(document: Document) -> bool:
    """Put the selected cell, value or nodes on the clipboard as text; False if nothing is selected."""
    selection = document.selection
    if selection.cell is not None:
        port = OutPort(selection.cell.node)
        band = selection.cell.band
        array = document.answer.value(port) if band == "value" else document.answer.adjoint(port)
        if array is None:
            return False
        QGuiApplication.clipboard().setText(
            digits.full(array[selection.cell.index]).replace("−", "-")
        )
        return True
    if not selection.nodes:
        return False
    data = copying.nodes_data(document.diagram, selection.nodes)
    QGuiApplication.clipboard().setMimeData(data)
    return True


def paste(
    document: Document, data: QMimeData, land: Land, sizes: Sizes, *, keep_inputs: bool = False
) -> Message | None:
    """Put in what was copied or dropped; a message if nothing in it can be used, or not all of it.

    With `keep_inputs`, nodes are wired to what they read where they were copied.
    """
    try:
        found = copying.fragment_in(data)
    except FileError as error:
        text = mark("paste", "Nothing was put in. {place}: {why}")
        return message(text, place=error.place, why=error.message)
    if found is not None:
        return copying.paste_fragment(document, found, land, keep_inputs=keep_inputs)
    return paste_text(document, data.text(), land, sizes)


def paste_text(document: Document, text: str, land: Land, sizes: Sizes) -> Message | None:
    """Put in numbers or one line of mathematics; a message if it is nothing of these."""
    if not text.strip():
        return message(mark("paste", "There is no text to put in."))
    if len(text) > limits.EXPRESSION_CHARACTERS:
        return message(
            mark("paste", "This is too much text: at most {limit} characters."),
            limit=limits.EXPRESSION_CHARACTERS,
        )
    why: GradvizError | None = None
    for attempt in (_paste_numbers, _paste_expression):
        try:
            if attempt(document, text, land, sizes):
                return None
        except GradvizError as error:
            why = error
    tried = mark("paste", "These are neither nodes nor numbers.")
    if why is None or "\n" in text.strip():
        return message(tried)
    return message(
        mark("paste", "These are neither nodes nor numbers, and as mathematics: {why}"),
        why=why.message,
    )


def _paste_numbers(document: Document, text: str, land: Land, sizes: Sizes) -> bool:
    from gradviz.code.numbers import parse_block

    value = np.asarray(parse_block(text))
    step = mark("edit", "Paste numbers")
    cell, only = document.selection.cell, document.selection.only
    if only is not None and only in document.diagram.values:
        if cell is not None and cell.band == "value" and "[" not in text:
            document.edit(step, set_cells, cell, value)
        else:
            document.edit(step, edits.set_value, only, value)
        return True

    def add(diagram: Diagram, offset: Place = ORIGIN) -> tuple[Diagram, dict[str, str]]:
        grown, id = edits.add_node(diagram, "variable", offset, value=value)
        return grown, {id: id}

    copying.put_in(document, step, add, land)
    return True


def set_cells(diagram: Diagram, cell: CellRef, block: Array) -> Diagram:
    """Put a block of numbers into a source from a cell on; from its first cell on, a larger block replaces it."""
    old = diagram.values[cell.node]
    if block.ndim > 2:
        return edits.set_value(diagram, cell.node, block)
    if block.ndim == 0 and len(cell.index) == old.ndim:
        return edits.set_cell(diagram, cell.node, cell.index, block)
    table = np.atleast_2d(block)
    if old.ndim and _has_room(old, cell.index, table):
        rows = table if old.ndim > 1 else table[0]
        lead = old.ndim - rows.ndim
        ends = zip(cell.index[lead:], rows.shape, strict=True)
        new = old.astype(np.result_type(old.dtype, block.dtype))
        new[cell.index[:lead]][tuple(slice(i, i + n) for i, n in ends)] = rows
        return edits.set_value(diagram, cell.node, new)
    if any(cell.index):
        node = diagram.graph[cell.node]
        raise InputError(
            mark("paste", "{block} numbers have no room in {name} ({shape}) from this cell on."),
            block=shape_words(table.shape),
            name=node.name or node.op,
            shape=shape_words(old.shape),
        )
    return edits.set_value(diagram, cell.node, block)


def _has_room(old: Array, index: tuple[int, ...], table: Array) -> bool:
    if len(index) != old.ndim or (old.ndim == 1 and len(table) > 1):
        return False
    ends = zip(index[-2:], table.shape[-len(index[-2:]) :], old.shape[-2:], strict=True)
    return all(start + length <= room for start, length, room in ends)


def _paste_expression(document: Document, text: str, land: Land, sizes: Sizes) -> bool:
    build_expression(document, text, sizes)
    return True
