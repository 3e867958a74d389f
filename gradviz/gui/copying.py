"""Nodes on the system's clipboard: as a type of our own, and as text that a person can read and mail."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Final

from PySide6.QtCore import QMimeData

from gradviz.edit import clipboard, edits
from gradviz.errors import GradvizError
from gradviz.files import fragment
from gradviz.files.fragment import Fragment, Outer
from gradviz.graph.model import Diagram, InPort, OutPort, Place
from gradviz.gui.document import Document
from gradviz.text import Message, Text, mark, message

FRAGMENT_MIME: Final = "application/x-gradviz-fragment"
Land = Callable[[Diagram, Collection[str]], Place]
"""How far to move the new nodes of a diagram so that they are where they are wanted, and cover nothing."""


def nodes_data(diagram: Diagram, ids: Collection[str]) -> QMimeData:
    """Nodes for the clipboard. Plain bytes: they outlive the window they were copied in."""
    outer = tuple(
        Outer(end, source, diagram.graph[source.node].name, diagram.graph[source.node].op)
        for end, source in clipboard.outer_inputs(diagram, sorted(ids)).items()
    )
    text = fragment.dumps(clipboard.cut_out(diagram, ids), outer)
    data = QMimeData()
    data.setData(FRAGMENT_MIME, text.encode())
    data.setText(text)
    return data


def fragment_in(data: QMimeData) -> Fragment | None:
    """The nodes on the clipboard; None if there are none. Raises FileError if they cannot be read."""
    if data.hasFormat(FRAGMENT_MIME):
        return fragment.loads(bytes(data.data(FRAGMENT_MIME).data()).decode("utf-8", "replace"))
    return fragment.find(data.text()) if data.hasText() else None


def paste_fragment(
    document: Document, found: Fragment, land: Land, *, keep_inputs: bool = False
) -> Message | None:
    """Put nodes in, as one step, and select them; with `keep_inputs`, wired to what they read, if it is here."""
    if not len(found.part.graph):
        return message(mark("paste", "There are no nodes in this text."))
    inputs, lost = _inputs(document.diagram, found) if keep_inputs else ({}, 0)
    put = partial(clipboard.insert, fragment=found.part, inputs=inputs)
    put_in(document, mark("edit", "Paste"), put, land)
    if lost:
        text = mark("paste", "{lost} of {all} wires from outside could not be drawn again.")
        return message(text, lost=lost, all=len(found.outer))
    return None


def duplicate(
    document: Document, ids: Collection[str], land: Land, *, keep_inputs: bool = False
) -> None:
    """Put nodes in once more, as one step, and select the new ones."""
    inputs = clipboard.outer_inputs(document.diagram, ids) if keep_inputs else {}
    part = clipboard.cut_out(document.diagram, ids)
    put = partial(clipboard.insert, fragment=part, inputs=inputs)
    put_in(document, mark("edit", "Duplicate"), put, land)


def put_in(
    document: Document,
    text: Text,
    put: Callable[..., tuple[Diagram, Mapping[str, str]]],
    land: Land,
) -> bool:
    """Add what `put` adds, moved to where it lands; what is new is selected."""

    def build(diagram: Diagram) -> Diagram:
        trial, new = put(diagram)
        return put(diagram, offset=land(trial, set(new.values())))[0]

    return document.edit(text, build, select_new=True)


def _inputs(diagram: Diagram, found: Fragment) -> tuple[dict[InPort, OutPort], int]:
    """The wires from outside that can be drawn here: their node is known by id and name, and it fits. How many cannot."""
    trial, new = clipboard.insert(diagram, found.part)
    kept = {}
    for wire in found.outer:
        node = diagram.graph.nodes.get(wire.source.node)
        if node is None or (node.name, node.op) != (wire.name, wire.op):
            continue
        try:
            end = InPort(new[wire.end.node], wire.end.index)
            trial = edits.connect(trial, wire.source, end)
        except GradvizError:
            continue
        kept[wire.end] = wire.source
    return kept, len(found.outer) - len(kept)
