"""The canvas as a screen reader meets it: a list with one item for each card in view, made when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

from PySide6.QtCore import QObject, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface, QWindow
from shiboken6 import isValid

from gradviz.engine import explain
from gradviz.gui.translate import render
from gradviz.picture import geometry
from gradviz.picture.look import NodeLook

if TYPE_CHECKING:
    from gradviz.gui.canvas.view import Canvas


class CardInterface(QAccessibleInterface):
    """One card: its name, value, gradient and state as text."""

    def __init__(self, canvas: Canvas, id: str) -> None:
        super().__init__()
        # Qt keeps what it was given; a window that is closed must go all the same.
        self._held = ref(canvas)
        self.id = id

    @property
    def _canvas(self) -> Canvas | None:
        canvas = self._held()
        return canvas if canvas is not None and isValid(canvas) else None

    def _look(self) -> NodeLook | None:
        canvas = self._canvas
        return canvas.sight.look(self.id) if canvas is not None else None

    def isValid(self) -> bool:
        return self._look() is not None

    def object(self) -> QObject:
        return None  # type: ignore[return-value]  # Qt asks whether there is one

    def window(self) -> QWindow:
        canvas = self._canvas
        return canvas.window().windowHandle() if canvas is not None else None  # type: ignore[return-value]

    def childCount(self) -> int:
        return 0

    def child(self, index: int) -> QAccessibleInterface:
        return None  # type: ignore[return-value]

    def childAt(self, x: int, y: int) -> QAccessibleInterface:
        return None  # type: ignore[return-value]

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return -1

    def parent(self) -> QAccessibleInterface:
        return QAccessible.queryAccessibleInterface(self._canvas)  # type: ignore[arg-type]  # None is answered with None

    def text(self, kind: QAccessible.Text) -> str:
        canvas = self._canvas
        if canvas is None or self.id not in canvas.document.answer.graph:
            return ""
        answer = canvas.document.answer
        if kind is QAccessible.Text.Name:
            return render(explain.node_line(answer, self.id))
        if kind is QAccessible.Text.Description:
            lines = (render(line.text) for line in explain.node_lines(answer, self.id))
            return "; ".join(lines)
        return ""

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """Names are changed by F2."""

    def rect(self) -> QRect:
        look, canvas = self._look(), self._canvas
        if look is None or canvas is None:
            return QRect()
        camera, rect = canvas.camera, geometry.card_rect(look)
        corner, end = camera.to_screen(rect[:2]), camera.to_screen((rect.right, rect.bottom))
        shown = QRect(corner.toPoint(), end.toPoint())
        return shown.translated(canvas.mapToGlobal(canvas.rect().topLeft()))

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.ListItem

    def state(self) -> QAccessible.State:
        state, canvas = QAccessible.State(), self._canvas
        if canvas is None:
            state.invalid = True
            return state
        chosen = canvas.document.selection
        state.selectable = True
        state.selected = self.id in chosen.nodes
        state.focusable = True
        state.focused = canvas.hasFocus() and chosen.only == self.id
        return state


class CanvasInterface(CardInterface):
    """The canvas itself."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas, "")
        self._cards: dict[str, CardInterface] = {}

    def isValid(self) -> bool:
        return self._canvas is not None

    def object(self) -> QObject:
        return self._canvas  # type: ignore[return-value]

    def _ids(self) -> list[str]:
        canvas = self._canvas
        if canvas is None:
            return []
        return [look.id for look in canvas.sight.in_view(canvas.sight.view())]

    def _card(self, id: str) -> CardInterface:
        canvas = self._canvas
        if id not in self._cards and canvas is not None:
            self._cards[id] = CardInterface(canvas, id)
        return self._cards[id]

    def childCount(self) -> int:
        return len(self._ids())

    def child(self, index: int) -> QAccessibleInterface:
        ids = self._ids()
        if not 0 <= index < len(ids):
            return None  # type: ignore[return-value]
        return self._card(ids[index])

    def childAt(self, x: int, y: int) -> QAccessibleInterface:
        for id in reversed(self._ids()):
            if self._card(id).rect().contains(x, y):
                return self._card(id)
        return None  # type: ignore[return-value]

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        ids = self._ids()
        return ids.index(child.id) if isinstance(child, CardInterface) and child.id in ids else -1

    def focusChild(self) -> QAccessibleInterface:
        canvas = self._canvas
        only = canvas.document.selection.only if canvas is not None else None
        return self._card(only) if only is not None else None  # type: ignore[return-value]

    def parent(self) -> QAccessibleInterface:
        canvas = self._canvas
        parent: QObject | None = canvas.parentWidget() if canvas is not None else None
        return QAccessible.queryAccessibleInterface(parent)  # type: ignore[arg-type]  # None for a window

    def text(self, kind: QAccessible.Text) -> str:
        canvas = self._canvas
        if canvas is not None and kind is QAccessible.Text.Name:
            return canvas.accessibleName()
        if canvas is not None and kind is QAccessible.Text.Description:
            return canvas.accessibleDescription()
        return ""

    def rect(self) -> QRect:
        canvas = self._canvas
        if canvas is None:
            return QRect()
        return QRect(canvas.mapToGlobal(canvas.rect().topLeft()), canvas.size())

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.List

    def state(self) -> QAccessible.State:
        state, canvas = QAccessible.State(), self._canvas
        state.focusable = True
        state.focused = canvas is not None and canvas.hasFocus()
        return state


_made: WeakKeyDictionary[Canvas, CanvasInterface] = WeakKeyDictionary()
_installed: list[bool] = []


def _interface(key: str, thing: Any) -> QAccessibleInterface | None:
    from gradviz.gui.canvas.view import Canvas

    if not isinstance(thing, Canvas):
        return None
    if thing not in _made:
        _made[thing] = CanvasInterface(thing)
    return _made[thing]


def install() -> None:
    """Let Qt ask us about canvases, once."""
    if not _installed:
        QAccessible.installFactory(_interface)
        _installed.append(True)
