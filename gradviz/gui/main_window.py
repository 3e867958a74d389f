"""The window of one document: it makes the views, joins their signals, and does what the actions say."""

from __future__ import annotations

import secrets
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeySequence,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QFileDialog,
    QMainWindow,
    QMenu,
    QMessageBox,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

import gradviz
from gradviz import resources
from gradviz.edit import edits, layout
from gradviz.engine import gradcheck
from gradviz.errors import ExpressionError, GradvizError
from gradviz.files import native
from gradviz.graph.model import Diagram, OutPort
from gradviz.gui import paste
from gradviz.gui.actions import ACTIONS, MENUS, RUN, Action
from gradviz.gui.canvas.view import Canvas
from gradviz.gui.document import CellRef, Document, Selection
from gradviz.gui.help import KeysDialog
from gradviz.gui.panels.expression_bar import ExpressionBar
from gradviz.gui.panels.inspector import Inspector
from gradviz.gui.panels.palette import Palette
from gradviz.gui.panels.problems import Problems
from gradviz.gui.panels.timeline import Timeline
from gradviz.gui.player import Player
from gradviz.gui.reports import FaultBar
from gradviz.gui.settings import Settings
from gradviz.gui.tasks import Task
from gradviz.gui.translate import render, tr
from gradviz.picture import render as pictures
from gradviz.picture.colours import Theme
from gradviz.picture.frame import Framer
from gradviz.text import Message, Text, mark

FILM_DELAY_MS = 2000
FILE_FILTER = "gradviz (*.gradviz)"


class MainWindow(QMainWindow):
    """One document. `closed` says that it is gone; `asked_new` and `asked_open` are for the application."""

    closed = Signal(object)
    asked_new = Signal()
    asked_open = Signal(object)
    theme_chosen = Signal(str)

    def __init__(self, theme: Theme, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._theme = theme
        self.document = Document(self)
        self.player = Player(self.document, self)
        self._framer = Framer(tr)
        self.is_opening = False
        self._opening = QTimer(self)
        self._opening.setSingleShot(True)
        self._opening.timeout.connect(self._play_opening)
        self._first = Diagram()
        self._checker = Task(self)
        self.canvas = Canvas(self.document, self.player, self._framer, self)
        self.expression = ExpressionBar(self.document, self.player, self)
        self.palette_panel = Palette(self)
        self.inspector = Inspector(self.document, self.player, self)
        self.timeline = Timeline(self.document, self.player, self)
        self.problems = Problems(self.document, self.player, self)
        self.fault = FaultBar(self)
        self._actions: dict[str, QAction] = {}
        self._build()
        self._make_actions()
        self._connect()
        self.set_theme(theme)
        self._restore()
        self._show_status()

    def _build(self) -> None:
        # The bar belongs to the whole window: it lies above the docks.
        bar = QToolBar(self.tr("Expression"), self)
        bar.setObjectName("expression")
        bar.setMovable(False)
        bar.setFloatable(False)
        bar.toggleViewAction().setVisible(False)
        bar.addWidget(self.expression)
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, bar)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setCentralWidget(self.canvas)
        self._docks = {
            "palette": self._dock(
                "palette",
                self.tr("Operations"),
                self.palette_panel,
                Qt.DockWidgetArea.LeftDockWidgetArea,
            ),
            "inspector": self._dock(
                "inspector",
                self.tr("Inspector"),
                self.inspector,
                Qt.DockWidgetArea.RightDockWidgetArea,
            ),
            "timeline": self._dock(
                "timeline", self.tr("Film"), self.timeline, Qt.DockWidgetArea.BottomDockWidgetArea
            ),
        }
        bottom = QWidget(self)
        foot = QVBoxLayout(bottom)
        foot.setContentsMargins(0, 0, 0, 0)
        foot.setSpacing(0)
        foot.addWidget(self.fault)
        foot.addWidget(self.problems)
        self.statusBar().setSizeGripEnabled(False)
        self.statusBar().addWidget(bottom, 1)
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(True)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.BottomDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.BottomDockWidgetArea)
        room = self.screen().availableSize()
        self.resize(min(1600, int(room.width() * 0.95)), min(960, int(room.height() * 0.95)))

    def _dock(self, name: str, title: str, panel: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        dock.setWidget(panel)
        self.addDockWidget(area, dock)
        return dock

    def _make_actions(self) -> None:
        bar = self.menuBar()
        menus: dict[str, QMenu] = {}
        for title in MENUS:
            if title == MENUS[-1]:
                menus["learn"] = bar.addMenu(self.tr("&Learn"))
            menus[title] = bar.addMenu(tr(title))
        for action in ACTIONS:
            self._add_action(action, menus[action.menu])
        self._fill_examples(menus["learn"])
        self._fill_view(menus["&View"])

    def _add_action(self, action: Action, menu: QMenu) -> None:
        if action.separated:
            menu.addSeparator()
        item = QAction(tr(action.text), self)
        item.setShortcuts([QKeySequence(key) for key in action.keys if key != "Space"])
        if action.context == "canvas":
            # Space plays on release, so that it can pan: the canvas says so itself.
            item.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            self.canvas.addAction(item)
            if action.menu == RUN:
                self.timeline.addAction(item)
        item.triggered.connect(getattr(self, action.id))
        menu.addAction(item)
        self._actions[action.id] = item

    def _fill_examples(self, menu: QMenu) -> None:
        for path in resources.example_files():
            item = menu.addAction(resources.title_of(path))
            item.triggered.connect(partial(self.asked_open.emit, path))

    def _fill_view(self, menu: QMenu) -> None:
        menu.addSeparator()
        for dock in self._docks.values():
            menu.addAction(dock.toggleViewAction())
        themes = menu.addMenu(self.tr("Colours"))
        group = QActionGroup(themes)
        choices = (
            ("system", self.tr("As the system")),
            ("light", self.tr("Light")),
            ("dark", self.tr("Dark")),
        )
        for name, text in choices:
            item = themes.addAction(text)
            item.setCheckable(True)
            item.setChecked(name == self._settings.theme)
            item.triggered.connect(partial(self.theme_chosen.emit, name))
            group.addAction(item)

    def _connect(self) -> None:
        document, player = self.document, self.player
        document.status.connect(self._show_status)
        document.changed.connect(self._on_changed)
        document.refused.connect(self._say)
        self.canvas.space_tapped.connect(self.play)
        self.canvas.status_hint.connect(self.problems.show_hint)
        self.canvas.context_requested.connect(self._show_context)
        self.expression.submitted.connect(self._build_expression)
        self.expression.run_requested.connect(self.run)
        self.expression.check_requested.connect(self.check)
        self.expression.export_requested.connect(self._export)
        self.palette_panel.chosen.connect(self._add_from_palette)
        self.palette_panel.example_chosen.connect(self.asked_open.emit)
        self.problems.node_requested.connect(self._go_to)
        self.inspector.node_requested.connect(self._go_to)
        self._checker.done.connect(self._show_verdicts)
        self._checker.failed.connect(self._check_failed)
        player.played.connect(self._on_played)

    def _show_context(self, at: QPoint) -> None:
        """The menu of what was pointed at."""
        selection = self.document.selection
        names = ["add", "paste", "arrange", "fit_all", "select_all"]
        if selection.wire is not None:
            names = ["delete"]
        elif selection.nodes:
            names = [
                "rename",
                "make_target",
                "toggle_wrt",
                "",
                "cut",
                "copy",
                "delete",
                "",
                "fit_selection",
            ]
            graph = self.document.diagram.graph
            if any(graph[id].op == "random_normal" for id in selection.nodes):
                names.insert(1, "draw_again")
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name in names:
            if name:
                menu.addAction(self._actions[name])
            else:
                menu.addSeparator()
        menu.popup(at)

    def _say(self, message: Message) -> None:
        self.problems.show_hint(render(message))

    def set_theme(self, theme: Theme) -> None:
        """Paint in the colours of `theme`."""
        self._theme = theme
        for view in (
            self.canvas,
            self.expression,
            self.palette_panel,
            self.inspector,
            self.timeline,
            self.problems,
        ):
            view.theme = theme

    def _restore(self) -> None:
        geometry, state = self._settings.window("geometry"), self._settings.window("state")
        if geometry is not None:
            self.restoreGeometry(geometry)
        if state is not None:
            self.restoreState(state)
        else:
            # The canvas comes first: on a small screen the panels are as narrow as they can be read.
            sides = [self._docks["palette"], self._docks["inspector"]]
            widths = [min(max(self.width() // 8, 204), 220), min(max(self.width() // 4, 300), 380)]
            self.resizeDocks(sides, widths, Qt.Orientation.Horizontal)
            self.resizeDocks([self._docks["timeline"]], [128], Qt.Orientation.Vertical)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.canvas.setFocus()

    def open_diagram(
        self,
        diagram: Diagram,
        path: Path | None = None,
        view: dict[str, Any] | None = None,
        title: str = "",
    ) -> None:
        """Show a diagram; nodes without a place get one, and the whole of it is brought into view."""
        self.document.title = title
        self.document.start(self._placed(diagram), path, view)
        self._first = self.document.diagram
        self._show_status()
        self.canvas.restore(view or {})
        self.canvas.setFocus()

    def _placed(self, diagram: Diagram) -> Diagram:
        if all(id in diagram.places for id in diagram.graph.nodes):
            return diagram
        from gradviz.engine.answer import answer

        return layout.place_missing(diagram, self._framer.sizes(answer(diagram)))

    def open_file(self, path: Path) -> bool:
        """Show a file; False, after a message, if it cannot be read."""
        try:
            found = native.read(path)
        except GradvizError as error:
            self._warn(self.tr("This file cannot be opened"), str(error))
            return False
        self.open_diagram(found.diagram, path, dict(found.view))
        return True

    def open_example(self, path: Path) -> None:
        """Show an example as an untitled copy."""
        found = native.read(path)
        self.open_diagram(found.diagram, None, dict(found.view), resources.title_of(path))

    def play_soon(self) -> None:
        """The first minute: the film starts by itself; the first key or click pauses it."""
        self.player.to_start()
        self.is_opening = True
        self._opening.start(FILM_DELAY_MS)

    def _play_opening(self) -> None:
        self.player.play()
        self.problems.show_hint(self.tr("Any key or click pauses; Space goes on."))

    def _on_played(self) -> None:
        # A film that has come to its end by itself is no longer the opening.
        if self.is_opening and not self._opening.isActive() and not self.player.playing:
            self.is_opening = False

    def end_opening(self) -> None:
        """The user has begun to do something: what started by itself pauses."""
        if self.is_opening:
            self.is_opening = False
            self._opening.stop()
            self.player.pause()
            self.problems.show_hint(
                self.tr("Paused. Space plays, . and , step; change a number, or draw a wire.")
            )

    @property
    def is_untouched(self) -> bool:
        """An untitled document in which nothing was built or changed."""
        return self.document.path is None and not self.has_changes

    @property
    def has_changes(self) -> bool:
        """Whether closing would lose something. In an untitled copy, choosing a question is no change."""
        if self.document.is_clean:
            return False
        now, first = self.document.diagram, self._first
        same = (
            now.graph is first.graph
            and now.values is first.values
            and now.places is first.places
            and now.notes is first.notes
        )
        return self.document.path is not None or not same

    def _on_changed(self, old: Diagram, new: Diagram) -> None:
        self._checker.cancel()
        self.problems.set_verdict("")

    def _show_status(self) -> None:
        document = self.document
        name = (
            document.path.name
            if document.path is not None
            else (document.title or self.tr("untitled"))
        )
        self.setWindowTitle(f"{name}[*] – gradviz")
        self.setWindowModified(self.has_changes)
        for id, text, words in (
            ("undo", document.undo_text, self.tr("&Undo")),
            ("redo", document.redo_text, self.tr("&Redo")),
        ):
            shown = tr(text) if isinstance(text, Text) else text
            self._actions[id].setText(f"{words} {shown}" if shown else words)
            self._actions[id].setEnabled(bool(shown))
        if document.failure is not None:
            self._say(document.failure)

    def new(self) -> None:
        """An empty document, in this window if nothing was done here."""
        self.asked_new.emit()

    def open(self) -> None:
        """Choose files and open them."""
        names, _ = QFileDialog.getOpenFileNames(
            self, self.tr("Open"), self._settings.folder, FILE_FILTER
        )
        for name in names:
            self._settings.folder = str(Path(name).parent)
            self.asked_open.emit(Path(name))

    def save(self) -> bool:
        """Save to the document's file, or ask for one; False if it was not saved."""
        path = self.document.path
        return self._save_to(path) if path is not None else self.save_as()

    def save_as(self) -> bool:
        """Ask for a file and save to it."""
        start = Path(self._settings.folder) / (
            self.document.path.name if self.document.path else self._file_name()
        )
        name, _ = QFileDialog.getSaveFileName(self, self.tr("Save as"), str(start), FILE_FILTER)
        if not name:
            return False
        path = Path(name)
        self._settings.folder = str(path.parent)
        return self._save_to(path if path.suffix else path.with_suffix(".gradviz"))

    def _file_name(self) -> str:
        stem = str(self.document.title or self.tr("untitled")).lower().replace(" ", "-")
        return f"{stem}.gradviz"

    def _save_to(self, path: Path) -> bool:
        self.document.view = self.canvas.view_state()
        try:
            self.document.save(path)
        except GradvizError as error:
            self._warn(self.tr("The document was not saved"), str(error))
            return False
        self.problems.show_hint(self.tr("Saved {name}").replace("{name}", path.name))
        return True

    def _warn(self, title: str, text: str) -> None:
        box = QMessageBox(
            QMessageBox.Icon.Warning, title, title, QMessageBox.StandardButton.Ok, self
        )
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setInformativeText(text)
        box.exec()

    def export_png(self) -> None:
        """The canvas as pixels."""
        self._export("png")

    def export_svg(self) -> None:
        """The canvas as vectors."""
        self._export("svg")

    def _export(self, kind: str) -> None:
        stem = (
            Path(self._file_name()).stem if self.document.path is None else self.document.path.stem
        )
        start = Path(self._settings.folder) / f"{stem}.{kind}"
        name, _ = QFileDialog.getSaveFileName(
            self, self.tr("Export"), str(start), f"{kind.upper()} (*.{kind})"
        )
        if not name:
            return
        path = Path(name) if Path(name).suffix.lower() == f".{kind}" else Path(f"{name}.{kind}")
        try:
            pictures.write(self.canvas.sight.frame(), path, self._theme)
        except GradvizError as error:
            self._warn(self.tr("The picture was not written"), str(error))
            return
        self.problems.show_hint(self.tr("Exported {name}").replace("{name}", path.name))

    def quit(self) -> None:
        """Close every window."""
        QApplication.closeAllWindows()

    def undo(self) -> None:
        """Take back the last step; during a gesture, the gesture only."""
        if not self.canvas.cancel_gesture():
            self.document.undo()

    def redo(self) -> None:
        """Do the step again that was taken back."""
        self.document.redo()

    def cut(self) -> None:
        """Copy, then delete."""
        if self.copy():
            self.canvas.delete_selection()

    def copy(self) -> bool:
        """Put the selection on the clipboard; False if there is nothing to copy."""
        return paste.copy(self.document)

    def paste(self) -> None:
        """Put in what the clipboard holds, as decision 32 says."""
        said = paste.paste(self.document, self.canvas.pointer_place(), self._framer.sizes)
        if said is not None:
            self._say(said)

    def delete(self) -> None:
        """Delete the selection."""
        self.canvas.delete_selection()

    def select_all(self) -> None:
        """Select every node."""
        self.document.select(Selection(frozenset(self.document.diagram.graph.nodes)))

    def rename(self) -> None:
        """Edit the selected cell, or the name of the selected node."""
        self.canvas.entry.edit_selection(name=True)

    def fit_all(self) -> None:
        """Bring everything into view."""
        self.canvas.fit_all()

    def fit_selection(self) -> None:
        """Bring the selection into view; without one, everything."""
        self.canvas.fit_selection()

    def zoom_100(self) -> None:
        """One canvas pixel per pixel."""
        self.canvas.zoom_to(1.0)

    def zoom_in(self) -> None:
        """Larger."""
        self.canvas.zoom_by(1.25)

    def zoom_out(self) -> None:
        """Smaller."""
        self.canvas.zoom_by(0.8)

    def add(self) -> None:
        """Type the name of an operation to add at the pointer."""
        self.canvas.entry.offer()

    def type_expression(self) -> None:
        """Go to the expression bar."""
        self.expression.focus()

    def arrange(self) -> None:
        """Lay out the whole graph."""
        sizes = self._framer.sizes(self.document.answer)
        if self.document.edit(mark("edit", "Arrange"), layout.arrange, sizes):
            self.canvas.fit_all()

    def draw_again(self) -> None:
        """New random numbers for the selected random nodes, or for all of them."""
        graph = self.document.diagram.graph
        chosen = [id for id in self.document.selection.nodes if graph[id].op == "random_normal"]
        chosen = chosen or [node.id for node in graph if node.op == "random_normal"]
        if not chosen:
            self.problems.show_hint(self.tr("There are no random numbers to draw again."))
            return
        self.document.edit(mark("edit", "Draw again"), _drawn_again, chosen)

    def make_target(self) -> None:
        """Ask for the gradients of the selected node."""
        only = self.document.selection.only
        if only is None:
            self.problems.show_hint(self.tr("Select the node whose gradients you want."))
            return
        if not self.document.answer.specs.is_float(OutPort(only)):
            self.problems.show_hint(self.tr("Only a float can be differentiated."))
            return
        self.document.edit(mark("edit", "Choose the target"), edits.set_query, of=(only,))

    def toggle_wrt(self) -> None:
        """Differentiate by the selected nodes too, or no longer."""
        chosen = self.document.selection.nodes
        if not chosen:
            self.problems.show_hint(self.tr("Select the nodes to differentiate by."))
            return
        present = [port.node for port in self.document.answer.question.wrt]
        if chosen <= set(present):
            wrt = tuple(id for id in present if id not in chosen)
        else:
            wrt = (
                *present,
                *(
                    id
                    for id in self.document.diagram.graph.nodes
                    if id in chosen and id not in present
                ),
            )
        self.document.edit(
            mark("edit", "Choose what to differentiate by"), edits.set_query, wrt=wrt
        )

    def play(self) -> None:
        """Play or pause."""
        self.player.toggle()

    def step_forward(self) -> None:
        """One step on."""
        self.player.forward()

    def step_back(self) -> None:
        """One step back."""
        self.player.back()

    def to_start(self) -> None:
        """Before the first step."""
        self.player.to_start()

    def to_boundary(self) -> None:
        """Between forward and backward."""
        self.player.to_boundary()

    def to_end(self) -> None:
        """After the last step."""
        self.player.to_end()

    def run(self) -> None:
        """Play the whole film."""
        self.player.to_start()
        self.player.play()

    def check(self) -> None:
        """Compare the gradients with finite differences; again, while it runs, cancels."""
        if self._checker.running:
            self._checker.cancel()
            self.problems.set_verdict("")
            return
        answer = self.document.answer
        self.problems.set_verdict(self.tr("checking… (F7 cancels)"))
        self._checker.start(
            lambda cancelled: (answer, gradcheck.check(answer, cancelled=cancelled))
        )

    def _show_verdicts(self, found: Any) -> None:
        answer, verdicts = found
        if answer.diagram is self.document.diagram:
            self.problems.show_verdicts(answer, verdicts)

    def _check_failed(self, error: BaseException) -> None:
        self.problems.set_verdict("")
        raise error

    def show_keys(self) -> None:
        """Keys, the rules of typed mathematics, and limits."""
        KeysDialog(self).exec()

    def about(self) -> None:
        """What this is."""
        text = self.tr("Build a computation graph, run it, and watch how the gradient is computed.")
        self._inform(f"gradviz {gradviz.__version__}", text)

    def _inform(self, title: str, text: str) -> None:
        box = QMessageBox(
            QMessageBox.Icon.NoIcon, title, title, QMessageBox.StandardButton.Ok, self
        )
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setInformativeText(text)
        box.exec()

    def _build_expression(self, text: str) -> None:
        try:
            built = paste.build_expression(self.document, text, self._framer.sizes)
        except ExpressionError as error:
            self.expression.show_error(error)
            return
        except GradvizError as error:
            self._say(error.message)
            return
        if built:
            self.canvas.ensure_visible(built)
        self.canvas.setFocus()
        self._open_new_table(built)

    def _open_new_table(self, built: list[str]) -> None:
        """A table that a typed name has made is open for its first number."""
        values = self.document.diagram.values
        tables = [
            id for id in built if id in values and values[id].ndim == 2 and not values[id].any()
        ]
        look = self.canvas.sight.look(tables[0]) if tables else None
        if look is not None:
            self.canvas.entry.edit_cell(look, CellRef(look.id, "value", (0, 0)))

    def _add_from_palette(self, op: str) -> None:
        self.canvas.entry.add_in_view(op)
        self.canvas.setFocus()

    def _go_to(self, nodes: Any) -> None:
        self.document.select(Selection(frozenset(nodes)))
        self.canvas.ensure_visible(nodes)
        self.canvas.setFocus()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        for url in event.mimeData().urls():
            if url.isLocalFile():
                self.asked_open.emit(Path(url.toLocalFile()))

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._may_close():
            event.ignore()
            return
        self._settings.keep_window("geometry", self.saveGeometry())
        self._settings.keep_window("state", self.saveState())
        self.end_opening()
        self.player.pause()
        self._checker.close()
        self.document.close()
        event.accept()
        self.closed.emit(self)

    def _may_close(self) -> bool:
        """Ask about changes that would be lost."""
        if not self.has_changes:
            return True
        self.canvas.cancel_gesture()
        buttons = QMessageBox.StandardButton
        box = QMessageBox(
            QMessageBox.Icon.Question,
            self.tr("Close"),
            self.tr("Save the changes before closing?"),
            buttons.Save | buttons.Discard | buttons.Cancel,
            self,
        )
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setDefaultButton(buttons.Save)
        choice = box.exec()
        if choice == buttons.Save:
            return self.save()
        return choice == buttons.Discard


def _drawn_again(diagram: Diagram, ids: list[str]) -> Diagram:
    for id in ids:
        diagram = edits.draw_again(diagram, id, secrets.randbelow(2**32))
    return diagram
