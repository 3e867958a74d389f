"""Two buttons with menus: whose gradients, and with respect to what. Choosing is one undoable edit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from gradviz.edit import edits
from gradviz.engine import explain
from gradviz.graph.model import OutPort
from gradviz.gui.document import Document
from gradviz.gui.panels.parts import hint, literal
from gradviz.gui.panels.sheet import CHOOSE_TARGET, CHOOSE_WRT
from gradviz.gui.translate import say
from gradviz.ops import registry
from gradviz.text import Text, mark

MOST: Final = 30
"""So many nodes of a kind stand in a menu."""
NAMED: Final = 12
WIDEST: Final = 132


class StayingMenu(QMenu):
    """Stays open while its checkable entries are clicked."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        action = self.actionAt(event.position().toPoint())
        if action is not None and action.isCheckable() and action.isEnabled():
            action.trigger()
        else:
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = self.activeAction()
        if event.key() == Qt.Key.Key_Space and action is not None and action.isCheckable():
            action.trigger()
        else:
            super().keyPressEvent(event)


class _Chooser(QToolButton):
    """What both buttons share: a menu of the float nodes, made when it opens."""

    def __init__(self, document: Document, menu: QMenu, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._compact = False
        menu.setParent(self, menu.windowFlags())
        self.setMenu(menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setProperty("flow", "backward")
        menu.aboutToShow.connect(self._fill)
        document.answered.connect(self.refresh)

    @property
    def compact(self) -> bool:
        """Whether the text is the short one."""
        return self._compact

    @compact.setter
    def compact(self, compact: bool) -> None:
        if compact != self._compact:
            self._compact = compact
            self.refresh()

    def refresh(self) -> None:
        """Show what is asked now."""
        raise NotImplementedError

    def _fill(self) -> None:
        raise NotImplementedError

    def _show(self, text: str, names: str) -> None:
        shown = self.fontMetrics().elidedText(names, Qt.TextElideMode.ElideRight, WIDEST)
        self.setText(literal(text.replace("{names}", shown)) + " ▾")
        whole = text.replace("{names}", names)
        self.setToolTip(hint(whole))
        self.setAccessibleName(whole)

    def _names(self, ports: Sequence[OutPort]) -> list[str]:
        names = [explain.name(self._document.answer, port.node) for port in ports[:NAMED]]
        return [*names, "…"] if len(ports) > NAMED else names

    def _floats(self) -> tuple[list[str], list[str]]:
        """The nodes that can have a gradient: sources (or ends), and all others."""
        raise NotImplementedError

    def _is_choice(self, id: str) -> bool:
        spec = self._document.answer.specs[OutPort(id)]
        return spec is not None and spec.is_float and not spec.weak

    def _add_nodes(self, ids: list[str], chosen: set[str], more: Text) -> None:
        for id in ids[:MOST]:
            action = self.menu().addAction(literal(explain.headline(self._document.answer, id)))
            self._check(action, checked=id in chosen)
            action.setData(id)
            action.triggered.connect(partial(self._choose, id))
        if len(ids) > MOST:
            rest = self.menu().addAction(say(more, count=len(ids) - MOST))
            rest.setEnabled(False)

    def _check(self, action: QAction, *, checked: bool) -> None:
        action.setCheckable(True)
        action.setChecked(checked)

    def _choose(self, id: str) -> None:
        raise NotImplementedError


class TargetChooser(_Chooser):
    """∇ Gradients of y ▾."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(document, QMenu(), parent)
        self.refresh()

    def refresh(self) -> None:
        targets = self._document.answer.question.of
        names = " + ".join(dict.fromkeys(self._names(targets))) or "?"
        self._show(
            self.tr("∇ {names}") if self._compact else self.tr("∇ Gradients of {names}"), names
        )

    def _fill(self) -> None:
        menu, answer = self.menu(), self._document.answer
        menu.clear()
        automatic = menu.addAction(self.tr("The last result, whatever it is"))
        self._check(automatic, checked=not answer.diagram.query.of)
        automatic.triggered.connect(partial(self._ask, ()))
        chosen = set(answer.diagram.query.of)
        more = mark("panels", "{count} more: select one and press T")
        for ids in self._floats():
            if ids:
                menu.addSeparator()
                self._add_nodes(ids, chosen, more)

    def _floats(self) -> tuple[list[str], list[str]]:
        answer = self._document.answer
        ids = [id for id in reversed(answer.specs.order) if self._is_choice(id)]
        ends = [id for id in ids if not answer.graph.consumers_of(id)]
        return ends, [id for id in ids if answer.graph.consumers_of(id)]

    def _choose(self, id: str) -> None:
        self._ask((id,))

    def _ask(self, ids: tuple[str, ...]) -> None:
        self._document.edit(CHOOSE_TARGET, edits.set_query, of=ids)


class WrtChooser(_Chooser):
    """with respect to X ▾; several can be chosen while the menu stays open."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(document, StayingMenu(), parent)
        self.refresh()

    def refresh(self) -> None:
        names = ", ".join(self._names(self._document.answer.question.wrt)) or "?"
        self._show(
            self.tr("by {names}") if self._compact else self.tr("with respect to {names}"), names
        )
        self._check_again()

    def _fill(self) -> None:
        menu = self.menu()
        menu.clear()
        automatic = menu.addAction(self.tr("All variables and random numbers"))
        self._check(automatic, checked=not self._document.answer.diagram.query.wrt)
        automatic.triggered.connect(partial(self._ask, ()))
        automatic.setData("")
        more = mark("panels", "{count} more: select one and press W")
        for ids in self._floats():
            if ids:
                menu.addSeparator()
                self._add_nodes(ids, self._asked(), more)

    def _asked(self) -> set[str]:
        return {port.node for port in self._document.answer.question.wrt}

    def _check_again(self) -> None:
        """The menu may still be open."""
        for action in self.menu().actions():
            id = action.data()
            if id == "":
                action.setChecked(not self._document.answer.diagram.query.wrt)
            elif isinstance(id, str):
                action.setChecked(id in self._asked())

    def _floats(self) -> tuple[list[str], list[str]]:
        answer = self._document.answer
        ids = [id for id in answer.specs.order if self._is_choice(id)]
        sources = [id for id in ids if _is_source(answer.graph[id].op)]
        return sources, [id for id in ids if not _is_source(answer.graph[id].op)]

    def _choose(self, id: str) -> None:
        """Add it to what is differentiated by, or take it away."""
        asked = [port.node for port in self._document.answer.question.wrt]
        wrt = [other for other in asked if other != id] if id in asked else [*asked, id]
        self._ask(tuple(wrt))
        self._check_again()

    def _ask(self, ids: tuple[str, ...]) -> None:
        self._document.edit(CHOOSE_WRT, edits.set_query, wrt=ids)
        self._check_again()


def _is_source(op: str) -> bool:
    found = registry.find(op)
    return found is not None and found.is_source
