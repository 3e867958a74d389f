"""The help: keys, typed mathematics, the file format, limits. The one place with rich text, all of it our own."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QTabWidget,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gradviz import resources
from gradviz.gui.actions import ACTIONS, MENUS
from gradviz.gui.translate import tr
from gradviz.limits import LIMITS


class HelpPage(QTextBrowser):
    """One page; it loads nothing and opens nothing."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.setMarkdown(text)

    def loadResource(self, kind: int, url: QUrl | str) -> Any:
        return None


class KeysDialog(QDialog):
    """Help ▸ Keys, rules and limits."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Help"))
        tabs = QTabWidget(self)
        tabs.addTab(HelpPage(keys_page()), self.tr("Keys"))
        tabs.addTab(HelpPage(_page("mouse")), self.tr("Mouse"))
        tabs.addTab(HelpPage(_page("expressions")), self.tr("Typed mathematics"))
        tabs.addTab(HelpPage(_page("files")), self.tr("Files"))
        tabs.addTab(HelpPage(limits_page()), self.tr("Limits"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(tabs)
        layout.addWidget(buttons)
        self.resize(720, 560)


def _page(name: str) -> str:
    return resources.path("help", f"{name}.md").read_text(encoding="utf-8")


def keys_page() -> str:
    """The table of actions, as Markdown."""
    lines = []
    for menu in MENUS:
        rows = [action for action in ACTIONS if action.menu == menu and action.keys]
        lines += ["", f"| {_plain(tr(menu))} | |", "|---|---|"]
        for action in rows:
            shown = (
                QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
                for key in action.keys
            )
            lines.append(
                f"| {_plain(tr(action.text))} | {'  or  '.join(f'`{key}`' for key in shown)} |"
            )
    return "\n".join(lines)


def _plain(text: str) -> str:
    return text.replace("&", "")


def limits_page() -> str:
    """The table of limits, as Markdown."""
    rows = [f"| {limit.name} | {limit.value:,} {limit.unit} | {limit.reason} |" for limit in LIMITS]
    return "\n".join(["| | at most | because |", "|---|---|---|", *rows])
