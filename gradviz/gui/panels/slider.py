"""A slider for a source that is one number, with its range."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QGridLayout, QLineEdit, QSlider, QToolButton, QWidget

from gradviz import digits
from gradviz.edit import edits, ranges
from gradviz.edit.ranges import Range
from gradviz.errors import GradvizError
from gradviz.gui.document import Document
from gradviz.gui.panels.parts import SMALL, label, quiet_button, set_property
from gradviz.gui.translate import render
from gradviz.text import Message, mark

RANGE = mark("edit", "Change a range")
VALUE = mark("edit", "Change a value")


class ValueSlider(QWidget):
    """Shown for a source that is one number. Sliding is one step to undo; the range is saved with the document."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._id: str | None = None
        self._range = Range(-1.0, 1.0, 0.01)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setMinimumHeight(24)
        self.low, self.high = QLineEdit(self), QLineEdit(self)
        self._fault = label("", "note", SMALL)
        self.add = quiet_button(self.tr("Slider…"), self)
        self.remove = quiet_button(self.tr("No slider"), self)
        self._build()
        document.changed.connect(self._follow)

    def _build(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 4, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.addWidget(self.add, 0, 0, 1, 3, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(self.slider, 1, 0, 1, 3)
        words = ((self.low, self.tr("from"), 0), (self.high, self.tr("to"), 2))
        for line, text, column in words:
            line.setMaximumWidth(88)
            line.setAccessibleName(text)
            line.editingFinished.connect(self._take_range)
            grid.addWidget(line, 2, column)
        grid.addWidget(self.remove, 2, 1, Qt.AlignmentFlag.AlignCenter)
        grid.addWidget(self._fault, 3, 0, 1, 3)
        self.slider.setAccessibleName(self.tr("Value"))
        self.slider.valueChanged.connect(self._slide)
        self.slider.sliderReleased.connect(self._document.seal)
        self.add.clicked.connect(self._begin)
        self.remove.clicked.connect(self._end)
        self._fault.hide()

    @property
    def _parts(self) -> tuple[QSlider, QLineEdit, QLineEdit, QToolButton]:
        return self.slider, self.low, self.high, self.remove

    def show_node(self, id: str | None) -> None:
        """The source to slide; None for nothing."""
        value = self._document.diagram.values.get(id) if id is not None else None
        is_one = value is not None and not value.ndim and value.dtype.kind in "fi"
        if id != self._id:
            self._fault.hide()
        self._id = id if is_one else None
        self.setVisible(self._id is not None)
        self._follow()

    def _follow(self) -> None:
        diagram = self._document.diagram
        value = diagram.values.get(self._id) if self._id is not None else None
        if self._id is None or value is None or value.ndim:
            return
        found = ranges.range_of(diagram, self._id)
        for part in self._parts:
            part.setVisible(found is not None)
        self.add.setVisible(found is None)
        if found is None:
            return
        self._range = found
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, round((found.high - found.low) / found.step))
            self.slider.setPageStep(max(1, self.slider.maximum() // 10))
            self.slider.setValue(round((float(value) - found.low) / found.step))
        for line, number in ((self.low, found.low), (self.high, found.high)):
            if not (line.hasFocus() and line.isModified()):
                line.setText(digits.number(number))
                set_property(line, "faulty", "false")

    def _slide(self, place: int) -> None:
        low, high, step = self._range
        value = min(low + place * step, high)
        if self._id is not None:
            plain = float(f"{value:.12g}")
            self._document.edit(VALUE, edits.set_value, self._id, plain, merge=("slide", self._id))

    def _begin(self) -> None:
        """A range around the present number."""
        value = self._document.diagram.values.get(self._id or "")
        if self._id is None or value is None:
            return
        reach = max(1.0, 2 * abs(float(value)))
        if self._document.edit(RANGE, edits.set_range, self._id, -reach, reach):
            self.slider.setFocus()

    def _end(self) -> None:
        if self._id is not None:
            self._document.edit(RANGE, edits.clear_range, self._id)

    def _take_range(self) -> None:
        from gradviz.code.numbers import parse_number

        if self._id is None or not (self.low.isModified() or self.high.isModified()):
            return
        self._fault.hide()
        ends = []
        for line in (self.low, self.high):
            try:
                ends.append(parse_number(line.text()))
            except GradvizError as error:
                self._refuse(line, error.message)
                return
        try:
            edits.set_range(self._document.diagram, self._id, *ends)
        except GradvizError as error:
            self._refuse(self.low, error.message)
            return
        for line in (self.low, self.high):
            line.setModified(False)
        self._document.edit(RANGE, edits.set_range, self._id, *ends)
        self._follow()

    def _refuse(self, line: QLineEdit, why: Message) -> None:
        set_property(line, "faulty", "true")
        self._fault.setText(render(why))
        self._fault.show()
