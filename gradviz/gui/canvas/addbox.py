"""Type to add: a line and a list at the pointer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from gradviz.gui.translate import render, tr
from gradviz.ops import registry
from gradviz.ops.op import Op
from gradviz.ops.search import Fit, find

WIDTH: Final = 400
ROWS: Final = 8
ROW: Final = 24
SIGN: Final = 44
NAME, NUMBER, SIGN_TEXT, SUMMARY = (Qt.ItemDataRole.UserRole + i for i in range(4))
EXPRESSION: Final = "="
"""In place of the name of an op: what was typed is built as it stands."""
Offered = Callable[[Op], bool]


class AddBox(QFrame):
    """Offers the ops that fit; a number or a table in brackets offers a source, mathematics to be built.

    chosen(op, number)  `number` is the text of the source's numbers, else empty
    typed(text)         mathematics that is to be built
    closed()            gone, whatever was chosen
    """

    chosen = Signal(str, str)
    typed = Signal(str)
    closed = Signal()

    def __init__(
        self,
        parent: QWidget,
        at: QPoint,
        offered: Offered | None = None,
        text: str = "",
        recent: Sequence[str] = (),
    ) -> None:
        super().__init__(parent)
        self._parent = parent
        # From a wire only what fits is offered, and mathematics would not be wired to it.
        self._builds = offered is None
        self._offered = offered if offered is not None else _any_op
        self._recent = recent
        self._done = False
        self.setObjectName("addbox")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self._line = QLineEdit(self)
        self._line.setPlaceholderText(self.tr("Name, sign, or a number"))
        self._line.setAccessibleName(self.tr("Operation to add"))
        self._list = QListWidget(self)
        self._list.setAccessibleName(self.tr("Operations that fit"))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setUniformItemSizes(True)
        self._list.setItemDelegate(_Row(self._list))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(4)
        layout.addWidget(self._line)
        layout.addWidget(self._list)
        self._line.installEventFilter(self)
        self._line.setText(text)
        self._line.textChanged.connect(self._fill)
        self._list.itemClicked.connect(self._choose)
        self._fill(text)
        self._place(at)
        self.show()
        self.raise_()
        self._line.setFocus()

    @property
    def line(self) -> QLineEdit:
        """Where one types."""
        return self._line

    @property
    def offers(self) -> list[str]:
        """The names in the list, in its order."""
        items = (self._list.item(row) for row in range(self._list.count()))
        return [item.data(NAME) for item in items if item.data(NAME)]

    def _place(self, at: QPoint) -> None:
        # As long as when nothing was typed: it does not jump while one types.
        self._list.setFixedHeight(ROWS * ROW + 2 * self._list.frameWidth())
        self.resize(WIDTH, self.sizeHint().height())
        parent = self._parent
        x = min(max(at.x(), 8), max(parent.width() - self.width() - 8, 8))
        y = min(max(at.y(), 8), max(parent.height() - self.height() - 8, 8))
        self.move(x, y)

    def _fill(self, text: str) -> None:
        self._list.clear()
        typed = text.strip()
        if _are_numbers(typed):
            for name, summary in (
                ("constant", self.tr("a constant")),
                ("variable", self.tr("a variable that starts there")),
            ):
                if self._offered(registry.get(name)):
                    self._append(name, typed, "", summary, number=typed)
        elif self._builds and _is_mathematics(typed):
            self._append(EXPRESSION, typed, "=", self.tr("build this"), number=typed)
        found = [entry for entry in find(text, recent=self._recent) if self._offered(entry.op)]
        near = bool(found) and found[0].fit is Fit.NEAR and not self._list.count()
        if near or not (found or self._list.count()):
            self._tell(_nothing(self.tr, near=near, builds=self._builds))
        for entry in found:
            op, why = entry.op, entry.why
            summary = tr(op.summary) if why is None else f"{render(why)}. {tr(op.summary)}"
            self._append(op.name, op.name.replace("_", " "), op.sign, summary)
        # What is only near is never chosen by Enter alone.
        self._list.setCurrentRow(-1 if near else 0)

    def _tell(self, words: str) -> None:
        item = QListWidgetItem(words)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        self._list.addItem(item)

    def _append(self, name: str, words: str, sign: str, summary: str, number: str = "") -> None:
        item = QListWidgetItem(words)
        for role, data in ((NAME, name), (NUMBER, number), (SIGN_TEXT, sign), (SUMMARY, summary)):
            item.setData(role, data)
        item.setToolTip(summary)
        self._list.addItem(item)

    def _choose(self, item: QListWidgetItem | None) -> None:
        name = item.data(NAME) if item is not None else None
        if item is not None and name:
            number = item.data(NUMBER)
            self.close_box()
            if name == EXPRESSION:
                self.typed.emit(number)
            else:
                self.chosen.emit(name, number)

    def close_box(self) -> None:
        """Go away, once."""
        if not self._done:
            self._done = True
            if self._line.hasFocus():
                # Else hiding would hand the focus on as Tab does.
                self._parent.setFocus(Qt.FocusReason.OtherFocusReason)
            self.hide()
            self.deleteLater()
            self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self.close_box()
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._on_key(event)
        return False

    def _move(self, by: int) -> None:
        """Up or down, over what can be chosen."""
        row = min(max(self._list.currentRow() + by, 0), self._list.count() - 1)
        if not self._list.item(row).data(NAME):
            row = min(row + 1, self._list.count() - 1)
        if self._list.item(row).data(NAME):
            self._list.setCurrentRow(row)

    def _on_key(self, event: QKeyEvent) -> bool:
        moves = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: ROWS,
            Qt.Key.Key_PageUp: -ROWS,
        }
        key = Qt.Key(event.key())
        if key in moves:
            self._move(moves[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab):
            self._choose(self._list.currentItem())
        elif key == Qt.Key.Key_Escape:
            self.close_box()
        else:
            return False
        return True


class _Row(QStyledItemDelegate):
    """A row: the sign in a column of its own, the name, and what it does in grey."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(0, ROW)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        name = index.data(NAME)
        if not name:
            super().paint(painter, option, index)
            return
        # The style paints the row's ground, we the words on it.
        bare = QStyleOptionViewItem(option)
        self.initStyleOption(bare, index)
        words, bare.text = bare.text, ""
        style = bare.widget.style()
        style.drawControl(style.ControlElement.CE_ItemViewItem, bare, painter)
        ink, dim = _inks(option)
        middle, rect = Qt.AlignmentFlag.AlignVCenter, option.rect
        sign = QRect(rect.x(), rect.y(), SIGN, rect.height())
        painter.setPen(dim)
        painter.drawText(sign, middle | Qt.AlignmentFlag.AlignHCenter, index.data(SIGN_TEXT))
        rest = rect.adjusted(SIGN + 4, 0, -8, 0)
        painter.setPen(ink)
        painter.drawText(rest, middle, words)
        metrics = painter.fontMetrics()
        rest.adjust(metrics.horizontalAdvance(words) + 12, 0, 0, 0)
        summary = index.data(SUMMARY)
        painter.setPen(dim)
        painter.drawText(
            rest, middle, metrics.elidedText(summary, Qt.TextElideMode.ElideRight, rest.width())
        )


def _any_op(op: Op) -> bool:
    return True


def _inks(option: QStyleOptionViewItem) -> tuple[QColor, QColor]:
    """The colours of the name and of the rest, on the ground of a row."""
    roles = QPalette.ColorRole
    if option.state & QStyle.StateFlag.State_Selected:
        ink = option.palette.color(roles.HighlightedText)
        return ink, ink
    return option.palette.color(roles.Text), option.palette.color(roles.PlaceholderText)


def _nothing(tr: Callable[[str], str], *, near: bool, builds: bool) -> str:
    if near:
        return tr("nothing is called that; near it:")
    return tr("nothing is called that") if builds else tr("nothing of that name fits this wire")


def _are_numbers(text: str) -> bool:
    """Whether it is one number, or a table in brackets."""
    from gradviz.code.numbers import parse_block, parse_number
    from gradviz.errors import GradvizError

    try:
        if text.startswith("["):
            parse_block(text)
        else:
            parse_number(text)
    except GradvizError:
        return False
    return True


def _is_mathematics(text: str) -> bool:
    """Whether it is more than a name or a sign, and can be read."""
    from gradviz.code import expression
    from gradviz.errors import GradvizError

    if not any(sign in text for sign in "+-*/@(=^") or not any(map(str.isalnum, text)):
        return False
    try:
        expression.parse(text)
    except GradvizError:
        return False
    return True
