"""The operations by category, found by typing; and the shipped examples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PySide6.QtCore import (
    QEvent,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QDrag, QFontMetrics, QIcon, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gradviz import resources
from gradviz.gui import icons
from gradviz.gui.panels.carried import card_picture
from gradviz.gui.panels.parts import NORMAL, SMALL, Panel, font, hint, label
from gradviz.gui.theme import palette
from gradviz.gui.translate import render, tr
from gradviz.ops import registry
from gradviz.ops.op import CATEGORIES, Op
from gradviz.ops.search import Fit, Found, find

OP_MIME: Final = "application/x-gradviz-op"
OP: Final = Qt.ItemDataRole.UserRole
FILE: Final = Qt.ItemDataRole.UserRole + 1
SIGN: Final = Qt.ItemDataRole.UserRole + 2
ROW: Final = 22
INDENT: Final = 18
ARROW: Final = 14
SIGN_GAP: Final = 8

Index = QModelIndex | QPersistentModelIndex


class Palette(Panel):
    """Add an operation by double click, Enter or drag.

    chosen(name)          add this operation
    example_chosen(path)  open this example
    """

    chosen = Signal(str)
    example_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.search = QLineEdit(self)
        self.tree = _Tree(self)
        self._nothing = label("", "dim", SMALL)
        self._clear = QAction(self)
        self._magnifier = QAction(self)
        self._build()
        self.search.textChanged.connect(self._fill)
        self.search.returnPressed.connect(self._choose_best)
        self.search.installEventFilter(self)
        self._clear.triggered.connect(self.search.clear)
        self.tree.itemActivated.connect(self._activate)
        self.tree.itemClicked.connect(self._toggle)
        self._fill("")
        self.recolour()

    def _build(self) -> None:
        self.search.setPlaceholderText(self.tr("Search operations (Tab)"))
        self.search.setFont(font(SMALL))
        self.search.setAccessibleName(self.tr("Search operations"))
        self.search.addAction(self._magnifier, QLineEdit.ActionPosition.LeadingPosition)
        self.search.addAction(self._clear, QLineEdit.ActionPosition.TrailingPosition)
        self._clear.setToolTip(self.tr("Show all operations"))
        self.tree.setAccessibleName(self.tr("Operations"))
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 4, 4)
        column.setSpacing(8)
        top = QVBoxLayout()
        top.setContentsMargins(0, 0, 8, 0)
        top.addWidget(self.search)
        top.addWidget(self._nothing)
        column.addLayout(top)
        column.addWidget(self.tree, 1)

    def sizeHint(self) -> QSize:
        return QSize(208, 480)

    def recolour(self) -> None:
        """The icons in the search line."""
        colours = palette(self._theme)
        self._magnifier.setIcon(icons.icon("search", colours, self._theme.dim))
        self._clear_icon = icons.icon("close", colours, self._theme.dim)
        self._show_clear()

    def _show_clear(self) -> None:
        typed = bool(self.search.text())
        self._clear.setVisible(typed)
        self._clear.setIcon(self._clear_icon if typed else QIcon())

    def _fill(self, typed: str) -> None:
        """All operations in their categories; what was typed finds them, best first."""
        self.tree.clear()
        self._show_clear()
        self._nothing.setVisible(False)
        if not typed.strip():
            self._fill_categories()
            return
        found = find(typed)
        near = bool(found) and found[0].fit is Fit.NEAR
        examples = [
            path
            for path in resources.example_files()
            if typed.lower() in resources.title_of(path).lower()
        ]
        for entry in found:
            self.tree.addTopLevelItem(_op_item(entry.op, entry))
        for path in examples:
            self.tree.addTopLevelItem(self._example_item(path))
        if (found and not near) or examples:
            self.tree.select_first()
        else:
            self._say_nothing(typed.strip(), near=near)

    def _say_nothing(self, typed: str, *, near: bool) -> None:
        text = self.tr("No operation is called {typed}.").replace("{typed}", typed)
        way = self.tr("Near it:") if near else self.tr("Try what it does, or Esc for all of them.")
        self._nothing.setText(f"{text} {way}")
        self._nothing.setVisible(True)

    def _fill_categories(self) -> None:
        ops = list(registry.palette())
        known = {str(category) for category in CATEGORIES}
        others = dict.fromkeys(op.category for op in ops if str(op.category) not in known)
        for category in (*CATEGORIES, *others):
            members = [_op_item(op) for op in ops if op.category == category]
            self._add_category(tr(category), members)
        self._add_category(
            self.tr("Examples"), [self._example_item(p) for p in resources.example_files()]
        )

    def _add_category(self, title: str, members: Sequence[QTreeWidgetItem]) -> None:
        if not members:
            return
        heading = QTreeWidgetItem([title])
        heading.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        heading.addChildren(members)
        self.tree.addTopLevelItem(heading)
        heading.setExpanded(True)

    def _example_item(self, path: Path) -> QTreeWidgetItem:
        item = QTreeWidgetItem([resources.title_of(path)])
        item.setData(0, FILE, path)
        item.setToolTip(0, self.tr("Double-click opens this example"))
        item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        return item

    def _activate(self, item: QTreeWidgetItem) -> None:
        name, path = item.data(0, OP), item.data(0, FILE)
        if name is not None:
            self.chosen.emit(name)
        elif path is not None:
            self.example_chosen.emit(path)

    def _toggle(self, item: QTreeWidgetItem) -> None:
        if item.childCount():
            item.setExpanded(not item.isExpanded())

    def _choose_best(self) -> None:
        # What is only near is never chosen by Enter alone.
        item = self.tree.currentItem()
        if item is None or not self.search.text().strip():
            return
        self._activate(item)
        self.search.clear()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            watched is self.search
            and event.type() is QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
        ):
            return self._search_key(event)
        return super().eventFilter(watched, event)

    def _search_key(self, event: QKeyEvent) -> bool:
        """↓ goes on in the list; Esc shows everything again."""
        if event.key() == Qt.Key.Key_Down and self.tree.topLevelItemCount():
            self.tree.setFocus()
            if self.tree.currentItem() is None:
                self.tree.select_first()
            return True
        if event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
            return True
        return False


def _op_item(op: Op, found: Found | None = None) -> QTreeWidgetItem:
    """A line for an operation; if it was found by an alias, that stands beside it in place of its sign."""
    item = QTreeWidgetItem([op.name.replace("_", " ")])
    item.setData(0, OP, op.name)
    why = found.why if found is not None else None
    beside = found.alias if found is not None and why is not None else op.sign
    item.setData(0, SIGN, beside if beside != op.name else "")
    summary = tr(op.summary)
    item.setToolTip(0, hint(summary if why is None else f"{render(why)}. {summary}"))
    flags = Qt.ItemFlag
    item.setFlags(flags.ItemIsEnabled | flags.ItemIsSelectable | flags.ItemIsDragEnabled)
    return item


class _Tree(QTreeWidget):
    """The list itself; an operation can be dragged onto the canvas."""

    def __init__(self, parent: Palette) -> None:
        super().__init__(parent)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setUniformRowHeights(True)
        self.setExpandsOnDoubleClick(False)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_Row(parent))
        self.setFont(font(NORMAL))

    def select_first(self) -> None:
        """Put the cursor on the first line."""
        first = self.topLevelItem(0)
        if first is not None:
            self.setCurrentItem(first)

    def mimeTypes(self) -> list[str]:
        return [OP_MIME]

    def mimeData(self, items: Sequence[QTreeWidgetItem]) -> QMimeData:
        data = QMimeData()
        for item in items:
            name = item.data(0, OP)
            if name is not None:
                data.setData(OP_MIME, name.encode())
        return data

    def startDrag(self, actions: Qt.DropAction) -> None:
        """The card that will be hangs on the pointer, held by its header as it will be let go."""
        item = self.currentItem()
        name = item.data(0, OP) if item is not None else None
        if item is None or name is None:
            return
        drag = QDrag(self)
        drag.setMimeData(self.mimeData([item]))
        picture = card_picture(name, self._panel.theme, self.devicePixelRatioF())
        if picture is not None:
            drag.setPixmap(picture.pixmap)
            drag.setHotSpot(picture.held)
        drag.exec(Qt.DropAction.CopyAction)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        first = self.topLevelItem(0)
        if event.key() == Qt.Key.Key_Up and self.currentItem() is first:
            self._panel.search.setFocus()
            return
        super().keyPressEvent(event)

    @property
    def _panel(self) -> Palette:
        panel = self.parent()
        assert isinstance(panel, Palette)
        return panel


class _Row(QStyledItemDelegate):
    """A category in bold with an arrow; an operation with its sign after it."""

    def __init__(self, panel: Palette) -> None:
        super().__init__(panel)
        self._palette = panel

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(64, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        shown = QStyleOptionViewItem(option)
        self.initStyleOption(shown, index)
        text, shown.text = shown.text, ""
        widget = shown.widget
        widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, shown, painter, widget)
        painter.save()
        model = index.model()
        if model.hasChildren(index):
            self._paint_heading(painter, shown, text)
        else:
            nested = index.parent().isValid()
            self._paint_entry(painter, shown.rect, text, str(index.data(SIGN) or ""), nested=nested)
        painter.restore()

    def _paint_heading(self, painter: QPainter, option: QStyleOptionViewItem, text: str) -> None:
        theme, rect = self._palette.theme, option.rect
        opened = bool(option.state & QStyle.StateFlag.State_Open)
        painter.setPen(theme.dim)
        painter.setFont(font(SMALL))
        arrow = QRect(rect.left() + 2, rect.top(), ARROW, rect.height())
        painter.drawText(arrow, Qt.AlignmentFlag.AlignVCenter, "▾" if opened else "▸")
        painter.setPen(theme.ink)
        painter.setFont(font(SMALL, bold=True))
        room = rect.adjusted(ARROW + 2, 0, -4, 0)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, _cut(painter, text, room.width()))

    def _paint_entry(
        self, painter: QPainter, rect: QRect, text: str, sign: str, *, nested: bool
    ) -> None:
        theme = self._palette.theme
        room = rect.adjusted(INDENT if nested else 6, 0, -4, 0)
        painter.setFont(font(NORMAL))
        painter.setPen(theme.ink)
        shown = _cut(painter, text, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, shown)
        after = QFontMetrics(painter.font()).horizontalAdvance(shown) + SIGN_GAP
        painter.setPen(theme.dim)
        beside = room.adjusted(after, 0, 0, 0)
        if painter.fontMetrics().horizontalAdvance(sign) <= beside.width():
            painter.drawText(beside, Qt.AlignmentFlag.AlignVCenter, sign)


def _cut(painter: QPainter, text: str, room: int) -> str:
    return painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)
