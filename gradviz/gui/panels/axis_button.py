"""Choosing axes: a menu of those that the input has and the operation takes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from gradviz.edit import edits
from gradviz.errors import GradvizError
from gradviz.graph.model import Node
from gradviz.gui.document import Document
from gradviz.ops.op import Attribute

_NAMES: Final = ("axis", "axes", "axis1", "axis2")
_KINDS: Final = ("Axis", "int", "int | None")


def is_axis(attribute: Attribute) -> bool:
    """Whether a setting names axes of the input."""
    return attribute.kind == "Axis" or (attribute.name in _NAMES and attribute.kind in _KINDS)


class AxisButton(QToolButton):
    """Its menu is made when it opens, from the shape that the input has then; it offers nothing that would be refused."""

    def __init__(
        self,
        document: Document,
        attribute: Attribute,
        choose: Callable[[object], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._attribute = attribute
        self._choose = choose
        self._node = ""
        self._value: object = None
        menu = QMenu(self)
        menu.aboutToShow.connect(self._fill)
        self.setMenu(menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def show_value(self, node: Node, value: object) -> None:
        """What the node has now."""
        self._node, self._value = node.id, value
        self.setText(f"{self._words(value)} ▾")

    def _words(self, value: object) -> str:
        if value is None:
            return self.tr("all") if self._attribute.kind == "Axis" else self.tr("none: flattened")
        chosen = value if isinstance(value, tuple) else (value,)
        return ", ".join(str(axis).replace("-", "−") for axis in chosen)

    def _shape(self) -> tuple[int, ...] | None:
        node = self._document.diagram.graph.nodes.get(self._node)
        source = next((port for port in node.inputs if port is not None), None) if node else None
        specs = self._document.answer.specs
        spec = specs[source] if source is not None and source.node in specs.graph else None
        return None if spec is None else spec.shape

    def _fill(self) -> None:
        menu, shape = self.menu(), self._shape()
        menu.clear()
        if shape is None:
            menu.addAction(self.tr("wire the input first: its axes are not known")).setEnabled(
                False
            )
            return
        if self._attribute.kind != "int":
            self._offer(self._words(None), None, chosen=self._value is None)
        present = self._axes(len(shape))
        # Where a new axis is put, there is one place more than there are axes.
        for axis in range(len(shape) + 1):
            words = self.tr("axis {axis}").replace("{axis}", str(axis))
            if axis < len(shape):
                length = self.tr("{count} long").replace("{count}", str(shape[axis]))
                words = f"{words}  ·  {length}"
            self._offer(words, self._toggled(axis, present), chosen=axis in present)

    def _axes(self, rank: int) -> frozenset[int]:
        value = self._value
        chosen = value if isinstance(value, tuple) else () if value is None else (value,)
        return frozenset(axis % rank if rank else 0 for axis in chosen if isinstance(axis, int))

    def _toggled(self, axis: int, present: frozenset[int]) -> object:
        """What choosing an axis means: that one; where there may be several, it is added or taken away."""
        if self._attribute.kind != "Axis" or not self._takes((0, 1)):
            return axis
        found = sorted(present ^ {axis})
        return tuple(found) if len(found) > 1 else found[0] if found else None

    def _offer(self, words: str, value: object, *, chosen: bool) -> None:
        if not chosen and not self._takes(value):
            return
        action = self.menu().addAction(words)
        action.setCheckable(True)
        action.setChecked(chosen)
        action.triggered.connect(partial(self._take, value))

    def _take(self, value: object, _: bool = False) -> None:
        self._choose(value)

    def _takes(self, value: object) -> bool:
        """Whether the edit would be accepted."""
        try:
            edits.set_attributes(
                self._document.diagram, self._node, **{self._attribute.name: value}
            )
        except GradvizError:
            return False
        return True
