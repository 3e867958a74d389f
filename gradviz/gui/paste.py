"""What copying, pasting and the expression bar do: joins text, graph and edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

import numpy as np
from PySide6.QtGui import QGuiApplication

from gradviz import digits
from gradviz.edit import clipboard, edits, layout
from gradviz.engine.answer import Answer, answer
from gradviz.errors import ExpressionError, GradvizError
from gradviz.files import native
from gradviz.graph.model import Diagram, OutPort, Place
from gradviz.gui.document import Document, Selection
from gradviz.ops.expr import Expr, leaf, variable
from gradviz.ops.spec import Spec
from gradviz.text import Message, mark, message

Sizes = Callable[[Answer], Mapping[str, tuple[float, float]]]


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
    found = edits.build_expression(diagram, built, place)
    last = list(built)[-1]
    target = found.graph.id_of_name.get(last)
    if target is None or found.query.of == (target,):
        return found
    return edits.set_query(found, of=(target,))


def _known(document: Document) -> dict[str, Expr]:
    """The named nodes of the diagram, as leaves."""
    specs = document.answer.specs
    found = {}
    for node in document.diagram.graph:
        outputs = specs.outputs.get(node.id, (None,))
        if node.name and all(spec is not None for spec in outputs):
            found[node.name] = Expr(leaf(node.id, cast("tuple[Spec, ...]", outputs)))
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
    part = clipboard.cut_out(document.diagram, selection.nodes)
    QGuiApplication.clipboard().setText(native.dumps(part).decode("utf-8"))
    return True


def paste(document: Document, at: Place, sizes: Sizes) -> Message | None:
    """Put in what the clipboard holds; a message if nothing in it can be used."""
    text = QGuiApplication.clipboard().text()
    if not text.strip():
        return message(mark("paste", "The clipboard holds no text."))
    for attempt in (_paste_fragment, _paste_numbers, _paste_expression):
        try:
            if attempt(document, text, at, sizes):
                return None
        except GradvizError:
            continue
    return message(
        mark("paste", "This was not understood: neither nodes, nor numbers, nor one expression.")
    )


def _paste_fragment(document: Document, text: str, at: Place, sizes: Sizes) -> bool:
    if not text.lstrip().startswith("{"):
        return False
    part = native.loads(text)
    left = min((place.x for place in part.places.values()), default=0.0)
    top = min((place.y for place in part.places.values()), default=0.0)
    before = set(document.diagram.graph.nodes)
    offset = Place(round((at.x - left) / 4) * 4, round((at.y - top) / 4) * 4)
    if not document.edit(mark("edit", "Paste"), _inserted, part, offset):
        return False
    document.select(Selection(frozenset(set(document.diagram.graph.nodes) - before)))
    return True


def _inserted(diagram: Diagram, part: Diagram, offset: Place) -> Diagram:
    return clipboard.insert(diagram, part, offset)[0]


def _paste_numbers(document: Document, text: str, at: Place, sizes: Sizes) -> bool:
    from gradviz.code.numbers import parse_block

    value = np.asarray(parse_block(text))
    only = document.selection.only
    if only is not None and only in document.diagram.values:
        return document.edit(mark("edit", "Paste numbers"), edits.set_value, only, value)

    def add(diagram: Diagram) -> Diagram:
        place = layout.free_place(diagram, at, (200.0, 240.0), sizes(document.answer))
        return edits.add_node(diagram, "variable", place, value=value)[0]

    return document.edit(mark("edit", "Paste numbers"), add)


def _paste_expression(document: Document, text: str, at: Place, sizes: Sizes) -> bool:
    try:
        return bool(build_expression(document, text, sizes))
    except ExpressionError:
        return False
