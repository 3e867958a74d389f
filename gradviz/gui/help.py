"""The help: keys, operations, typed mathematics, the file format, limits.

The one place with rich text. All of it is our own but the words of operations that a user or a plug-in declared, in which
`gradviz.reference` lets no character mean anything to Markdown.
"""

from __future__ import annotations

from typing import Any

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
from gradviz.gui.translate import tr
from gradviz.limits import LIMITS
from gradviz.ops import registry
from gradviz.ops.search import search

OP = Qt.ItemDataRole.UserRole


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


class KeysDialog(QDialog):
    """Help ▸ Keys, operations, rules and limits."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Help"))
        tabs = QTabWidget(self)
        tabs.addTab(HelpPage(keys_page()), self.tr("Keys"))
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


def keys_page() -> str:
    """The table of actions, as Markdown."""
    lines = []
    for menu in MENUS:
        rows = [action for action in ACTIONS if action.menu == menu and _keys(action)]
        lines += ["", f"| {_plain(tr(menu))} | |", "|---|---|"]
        for action in rows:
            words = f"{tr(action.within)}: {tr(action.text)}" if action.within else tr(action.text)
            keys = "  or  ".join(f"`{key}`" for key in _keys(action))
            lines.append(f"| {_plain(words)} | {keys} |")
    return "\n".join(lines)


def _keys(action: Action) -> list[str]:
    """What is pressed for an action, as this system writes it."""
    native = QKeySequence.SequenceFormat.NativeText
    keys = [QKeySequence(key).toString(native) for key in action.keys]
    return [*keys, action.strokes] if action.strokes else keys


def _plain(text: str) -> str:
    return text.replace("&", "")


def limits_page() -> str:
    """The table of limits, as Markdown."""
    rows = [f"| {limit.name} | {limit.value:,} {limit.unit} | {limit.reason} |" for limit in LIMITS]
    return "\n".join(["| | at most | because |", "|---|---|---|", *rows])
