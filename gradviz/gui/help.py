"""The help: keys, operations, typed mathematics, the file format, limits.

The one place with rich text. All of it is our own but the words of operations that a user or a plug-in declared, in which
`gradviz.reference` lets no character mean anything to Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLineEdit,
    QTabWidget,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gradviz import reference, resources
from gradviz.gui.actions import ACTIONS, MENUS, Action
from gradviz.gui.canvas.gestures import GESTURES, Gesture
from gradviz.gui.canvas.keys import KEYS as CANVAS_KEYS
from gradviz.gui.translate import tr
from gradviz.limits import LIMITS
from gradviz.ops import registry
from gradviz.ops.search import search
from gradviz.text import mark

OP = Qt.ItemDataRole.UserRole
Keys = Mapping[str, tuple[str, ...]]
ON_CANVAS: Final = mark("help", "On the canvas")
BY_POINTER: Final = mark("help", "With the pointer")
NO_KEY: Final = mark("help", "No key and no gesture has these words.")
LEFT_DRAG: Final = mark("help", "left")
RIGHT_DRAG: Final = mark("help", "right drag")
MIDDLE_DRAG: Final = mark("help", "middle drag")


class HelpPage(QTextBrowser):
    """One page; it loads nothing and opens nothing."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.setMarkdown(text)

    def loadResource(self, kind: int, url: QUrl | str) -> Any:
        return None


class OperationsPage(QWidget):
    """Every operation by category; all about the one that is chosen, made when it is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Search operations"))
        self.search.setAccessibleName(self.tr("Search operations"))
        self.search.setClearButtonEnabled(True)
        self.list = QTreeWidget(self)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setAccessibleName(self.tr("Operations"))
        self.page = HelpPage("", self)
        left = QVBoxLayout()
        left.addWidget(self.search)
        left.addWidget(self.list)
        row = QHBoxLayout(self)
        row.addLayout(left, 1)
        row.addWidget(self.page, 3)
        self.search.textChanged.connect(self._fill)
        self.list.currentItemChanged.connect(self._show)
        self._fill("")

    def _fill(self, typed: str) -> None:
        """All of them, or those that fit what was typed; the first is shown."""
        found = {op.name for op in search(typed)}
        self.list.clear()
        for category, ops in reference.categories():
            members = [op for op in ops if op.name in found]
            if not members:
                continue
            heading = QTreeWidgetItem(self.list, [f"{tr(category)} ({len(members)})"])
            heading.setFlags(Qt.ItemFlag.ItemIsEnabled)
            for op in members:
                QTreeWidgetItem(heading, [op.name]).setData(0, OP, op.name)
        self.list.expandAll()
        self._show(None)
        best = search(typed)[:1] if typed.strip() else []
        self._choose(best[0].name if best else "")

    def _choose(self, name: str) -> None:
        """Put the cursor on an operation; without a name, on the first."""
        for i in range(self.list.topLevelItemCount()):
            heading = self.list.topLevelItem(i)
            for j in range(heading.childCount() if heading is not None else 0):
                item = heading.child(j) if heading is not None else None
                if item is not None and (not name or item.data(0, OP) == name):
                    self.list.setCurrentItem(item)
                    return

    def _show(self, item: QTreeWidgetItem | None) -> None:
        op = None if item is None else registry.find(item.data(0, OP) or "")
        self.page.setMarkdown("" if op is None else reference.markdown(op))


class KeysPage(QWidget):
    """Every key and gesture, or those that fit what is typed."""

    def __init__(self, keys: Keys | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._keys = keys
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Search keys: a word or a key"))
        self.search.setAccessibleName(self.tr("Search keys"))
        self.search.setClearButtonEnabled(True)
        self.page = HelpPage("", self)
        column = QVBoxLayout(self)
        column.addWidget(self.search)
        column.addWidget(self.page)
        self.search.textChanged.connect(self._fill)
        self._fill("")

    def _fill(self, typed: str) -> None:
        self.page.setMarkdown(keys_page(self._keys, typed))


class KeysDialog(QDialog):
    """Help ▸ Keys, operations, rules and limits. `keys` are those in use, if they are not the usual ones."""

    def __init__(self, parent: QWidget | None = None, keys: Keys | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Help"))
        tabs = QTabWidget(self)
        tabs.addTab(KeysPage(keys), self.tr("Keys"))
        tabs.addTab(HelpPage(_page("mouse")), self.tr("Mouse"))
        tabs.addTab(OperationsPage(), self.tr("Operations"))
        tabs.addTab(HelpPage(_page("expressions")), self.tr("Typed mathematics"))
        tabs.addTab(HelpPage(_page("files")), self.tr("Files"))
        tabs.addTab(HelpPage(limits_page()), self.tr("Limits"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(tabs)
        layout.addWidget(buttons)
        self.resize(820, 600)


def _page(name: str) -> str:
    return resources.path("help", f"{name}.md").read_text(encoding="utf-8")


def keys_page(keys: Keys | None = None, wanted: str = "") -> str:
    """The tables of commands, of the canvas' own keys and of its gestures, as Markdown."""
    bound = keys if keys is not None else {action.id: action.keys for action in ACTIONS}
    tables: list[tuple[str, list[tuple[str, str]]]] = []
    for menu in MENUS:
        rows = [
            (_words(action), "  or  ".join(_keys(action, bound.get(action.id, ()))))
            for action in ACTIONS
            if action.menu == menu
        ]
        tables.append((_plain(tr(menu)), rows))
    tables.append((tr(ON_CANVAS), [(tr(text), keys) for text, keys in CANVAS_KEYS]))
    tables.append((tr(BY_POINTER), [(tr(g.text), _gesture(g)) for g in GESTURES]))
    lines: list[str] = []
    for title, rows in tables:
        kept = [row for row in rows if row[1] and _fits(wanted, *row)]
        if kept:
            lines += ["", f"| {title} | |", "|---|---|"]
            lines += [f"| {_plain(text)} | {_code(shown)} |" for text, shown in kept]
    return "\n".join(lines) if lines else tr(NO_KEY)


def _fits(wanted: str, text: str, keys: str) -> bool:
    typed = wanted.strip().lower()
    return typed in _plain(text).lower() or typed in keys.lower()


def _words(action: Action) -> str:
    return f"{tr(action.within)}: {tr(action.text)}" if action.within else tr(action.text)


def _keys(action: Action, bound: Iterable[str]) -> list[str]:
    """What is pressed for an action, as this system writes it."""
    native = QKeySequence.SequenceFormat.NativeText
    keys = [QKeySequence(key).toString(native) for key in bound]
    return [*keys, action.strokes] if action.strokes else keys


def _code(shown: str) -> str:
    return "  or  ".join(f"`{part}`" for part in shown.split("  or  "))


def _gesture(gesture: Gesture) -> str:
    """`Ctrl + right drag`."""
    held = [
        word
        for flag, word in (
            (Qt.KeyboardModifier.ControlModifier, "Ctrl"),
            (Qt.KeyboardModifier.AltModifier, "Alt"),
            (Qt.KeyboardModifier.ShiftModifier, "Shift"),
        )
        if gesture.modifiers is not None and gesture.modifiers & flag
    ]
    button = {
        Qt.MouseButton.LeftButton: tr(LEFT_DRAG),
        Qt.MouseButton.RightButton: tr(RIGHT_DRAG),
        Qt.MouseButton.MiddleButton: tr(MIDDLE_DRAG),
    }[gesture.button]
    armed = {"pan": ["Space"], "knife": ["K"]}.get(gesture.armed, [])
    return " + ".join([*armed, *held, button])


def _plain(text: str) -> str:
    return text.replace("&", "")


def limits_page() -> str:
    """The table of limits, as Markdown."""
    rows = [f"| {limit.name} | {limit.value:,} {limit.unit} | {limit.reason} |" for limit in LIMITS]
    return "\n".join(["| | at most | because |", "|---|---|---|", *rows])
