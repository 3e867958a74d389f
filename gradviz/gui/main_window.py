"""The window of one document: it makes the views, joins their signals, and does what the actions say."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QCloseEvent,
    QDesktopServices,
    QDragEnterEvent,
    QDropEvent,
    QKeySequence,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QDockWidget,
    QMainWindow,
    QMenu,
    QMessageBox,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from gradviz import resources
from gradviz.edit import layout
from gradviz.errors import ExpressionError, GradvizError
from gradviz.files import native
from gradviz.files.atomic import write_bytes
from gradviz.graph.model import Diagram
from gradviz.gui import arrays, keymap, paste
from gradviz.gui.actions import ACTIONS, MENUS, RUN, Action
from gradviz.gui.canvas.view import Canvas
from gradviz.gui.commands import COMMANDS
from gradviz.gui.document import CellRef, Document, Selection
from gradviz.gui.panels.expression_bar import ExpressionBar
from gradviz.gui.panels.history_list import HistoryList
from gradviz.gui.panels.inspector import Inspector
from gradviz.gui.panels.outline import Outline
from gradviz.gui.panels.palette import Palette
from gradviz.gui.panels.problems import Problems
from gradviz.gui.panels.timeline import Timeline
from gradviz.gui.player import Player
from gradviz.gui.reports import FaultBar
from gradviz.gui.settings import Settings
from gradviz.gui.translate import render, tr
from gradviz.picture.colours import Theme
from gradviz.picture.frame import Framer
from gradviz.text import Message, Text

FILM_DELAY_MS = 2000
TABS = {"history": "inspector", "outline": "palette"}
"""Panels that are hidden at first, and with which one they share a place."""


class MainWindow(QMainWindow):
    """One document. `closed` says that it is gone; `asked_new` and `asked_open` are for the application."""

    closed = Signal(object)
    asked_new = Signal()
    asked_open = Signal(object)
    theme_chosen = Signal(str)
    keys_chosen = Signal(str)

    def __init__(self, theme: Theme, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.settings = settings
        self.theme = theme
        self.document = Document(self)
        self.player = Player(self.document, self)
        self.player.reduced_motion = settings.reduced_motion
        self.framer = Framer(tr)
        self.is_opening = False
        self._opening = QTimer(self)
        self._opening.setSingleShot(True)
        self._opening.timeout.connect(self._play_opening)
        self._first = Diagram()
        self.canvas = Canvas(self.document, self.player, self.framer, self)
        self.expression = ExpressionBar(self.document, self.player, self)
        self.palette_panel = Palette(self)
        self.inspector = Inspector(self.document, self.player, self)
        self.timeline = Timeline(self.document, self.player, self)
        self.outline = Outline(self.document, self)
        self.history = HistoryList(self.document, self)
        self.problems = Problems(self.document, self.player, self)
        self.fault = FaultBar(self)
        self._commands = [make(self) for make in COMMANDS]
        self._actions: dict[str, QAction] = {}
        self.keys_in_use: keymap.Keys = keymap.preset("gradviz")
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
        self._docks["history"] = self._dock(
            "history", self.tr("History"), self.history, Qt.DockWidgetArea.RightDockWidgetArea
        )
        self._docks["outline"] = self._dock(
            "outline", self.tr("Outline"), self.outline, Qt.DockWidgetArea.LeftDockWidgetArea
        )
        for name, beside in TABS.items():
            # Hidden before they share a place: else Qt leaves the bar of their tabs somewhere.
            self._docks[name].hide()
            self.tabifyDockWidget(self._docks[beside], self._docks[name])
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
            menu = menus[action.menu]
            if action.within is not None:
                if action.within not in menus:
                    menus[action.within] = menu.addMenu(tr(action.within))
                menu = menus[action.within]
            self._add_action(action, menu)
        self._fill_examples(menus["learn"])
        self._fill_view(menus["&View"])

    def _add_action(self, action: Action, menu: QMenu) -> None:
        if action.separated:
            menu.addSeparator()
        # What stands behind a tab is shown where the keys are.
        item = QAction("\t".join(filter(None, (tr(action.text), action.strokes))), self)
        item.setShortcuts([QKeySequence(key) for key in action.keys if key != "Space"])
        if action.context == "canvas":
            # Space plays on release, so that it can pan: the canvas says so itself.
            item.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            self.canvas.addAction(item)
            if action.menu == RUN:
                self.timeline.addAction(item)
        item.triggered.connect(self.command(action.id))
        menu.addAction(item)
        self._actions[action.id] = item

    def command(self, id: str) -> Callable[..., object]:
        """What the action of that id does."""
        owner = next(commands for commands in self._commands if id in vars(type(commands)))
        found: Callable[..., object] = getattr(owner, id)
        return found

    def do(self, id: str) -> object:
        """Do what the action of that id does."""
        return self.command(id)()

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
            item.setChecked(name == self.settings.theme)
            item.triggered.connect(partial(self.theme_chosen.emit, name))
            group.addAction(item)

        self._fill_keys(menu.addMenu(self.tr("&Keys")))
        motion = menu.addAction(self.tr("&Less motion"))
        motion.setCheckable(True)
        motion.setChecked(self.settings.reduced_motion)
        motion.toggled.connect(self._choose_motion)

    def _fill_keys(self, menu: QMenu) -> None:
        group = QActionGroup(menu)
        choices = (
            ("gradviz", self.tr("gradviz")),
            ("blender", self.tr("Blender-like")),
            (keymap.OWN, self.tr("My own, from a file")),
        )
        for name, text in choices:
            item = menu.addAction(text)
            item.setCheckable(True)
            item.setData(name)
            item.setChecked(name == self.settings.keys)
            item.triggered.connect(partial(self.keys_chosen.emit, name))
            group.addAction(item)
        menu.addSeparator()
        menu.addAction(self.tr("Open the file of keys…")).triggered.connect(self._open_keys_file)
        self.apply_keys()

    def apply_keys(self) -> None:
        """Give every command the keys that were chosen; what is wrong in the file is said."""
        chosen = self.settings.keys
        if chosen == keymap.OWN:
            found = keymap.read(self.settings.keys_file)
        else:
            found = keymap.Keymap(keymap.preset(chosen))
        self.keys_in_use = found.keys
        for id, action in self._actions.items():
            keys = [key for key in found.keys.get(id, ()) if key != "Space"]
            action.setShortcuts([QKeySequence(key) for key in keys])
        for menu in self.menuBar().findChildren(QMenu):
            for item in menu.actions():
                if item.data() in (*keymap.PRESETS, keymap.OWN):
                    item.setChecked(item.data() == chosen)
        if found.faults:
            more = len(found.faults) - 1
            said = render(found.faults[0])
            if more:
                words = self.tr("({count} more faults)").replace("{count}", str(more))
                said = f"{said} {words}"
            self.problems.show_hint(said)

    def _open_keys_file(self) -> None:
        """Make the file if there is none, and open it in the system's editor."""
        path = self.settings.keys_file
        if not path.exists():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_bytes(path, keymap.template().encode())
            except (OSError, GradvizError) as error:
                self.warn(self.tr("The file of keys was not written"), str(error))
                return
        self.problems.show_hint(
            self.tr("{path}: choose My own, from a file, once it is saved.").replace(
                "{path}", str(path)
            )
        )
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

    def _choose_motion(self, reduced: bool) -> None:
        self.settings.reduced_motion = reduced
        self.player.reduced_motion = reduced

    def _connect(self) -> None:
        document, player = self.document, self.player
        document.status.connect(self._show_status)
        document.refused.connect(self.say)
        self.canvas.space_tapped.connect(self.command("play"))
        self.canvas.status_hint.connect(self.problems.show_hint)
        self.canvas.expression_typed.connect(self._build_expression)
        self.canvas.context_requested.connect(self._show_context)
        self.expression.submitted.connect(self._build_expression)
        self.expression.run_requested.connect(self.command("run"))
        self.expression.check_requested.connect(self.command("check"))
        self.expression.export_requested.connect(self.command("export"))
        self.palette_panel.chosen.connect(self._add_from_palette)
        self.palette_panel.example_chosen.connect(self.asked_open.emit)
        self.problems.node_requested.connect(self._go_to)
        self.inspector.node_requested.connect(self._go_to)
        self.outline.node_requested.connect(self._go_to)
        self.outline.value_requested.connect(self._edit_selected)
        self.outline.delete_requested.connect(self.command("delete"))
        player.played.connect(self._on_played)

    def _show_context(self, at: QPoint) -> None:
        """The menu of what was pointed at."""
        selection = self.document.selection
        names = ["add", "paste", "arrange", "fit_all", "select_all"]
        if selection.wire is not None:
            names = ["lead_wire", "straighten_wire", "", "delete"]
        elif selection.nodes:
            names = [
                "rename",
                "make_target",
                "toggle_wrt",
                "run_to_here",
                "toggle_breakpoint",
                "",
                "open_table",
                "import_numbers",
                "export_numbers",
                "",
                "cut",
                "copy",
                "duplicate",
                "delete",
                "delete_and_heal",
                "",
                "join",
                "pull_out",
                "break_wires",
                "",
                "select_upstream",
                "select_downstream",
                "arrange",
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

    def show_dock(self, name: str) -> None:
        """Bring a panel to the front."""
        self._docks[name].show()
        self._docks[name].raise_()

    def say(self, message: Message) -> None:
        """A line at the foot of the window."""
        self.problems.show_hint(render(message))

    def warn(self, title: str, text: str) -> None:
        """Tell what could not be done, and why."""
        box = QMessageBox(
            QMessageBox.Icon.Warning, title, title, QMessageBox.StandardButton.Ok, self
        )
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setInformativeText(text)
        box.exec()

    def set_theme(self, theme: Theme) -> None:
        """Paint in the colours of `theme`."""
        self.theme = theme
        for view in (
            self.canvas,
            self.expression,
            self.palette_panel,
            self.inspector,
            self.timeline,
            self.history,
            self.outline,
            self.problems,
        ):
            view.theme = theme

    def _restore(self) -> None:
        geometry, state = self.settings.window("geometry"), self.settings.window("state")
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

        return layout.place_missing(diagram, self.framer.sizes(answer(diagram)))

    def open_file(self, path: Path) -> bool:
        """Show a file; False, after a message, if it cannot be read."""
        try:
            found = native.read(path)
        except GradvizError as error:
            self.warn(self.tr("This file cannot be opened"), str(error))
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
            self.say(document.failure)

    def _warn(self, title: str, text: str) -> None:
        box = QMessageBox(
            QMessageBox.Icon.Warning, title, title, QMessageBox.StandardButton.Ok, self
        )
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setInformativeText(text)
        box.exec()

    def _build_expression(self, text: str) -> None:
        try:
            built = paste.build_expression(self.document, text, self.framer.sizes)
        except ExpressionError as error:
            self.expression.show_error(error)
            return
        except GradvizError as error:
            self.say(error.message)
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

    def _edit_selected(self) -> None:
        self.canvas.ensure_visible(self.document.selection.nodes)
        self.canvas.setFocus()
        self.canvas.entry.edit_selection()

    def _add_from_palette(self, op: str) -> None:
        self.canvas.adding.add_in_view(op)
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
                self._take_file(Path(url.toLocalFile()))

    def _take_file(self, path: Path) -> None:
        """A file that was dropped here: numbers go into the graph, documents are opened."""
        if path.suffix.lower() in arrays.SUFFIXES:
            self.command("import_file")(path)
        else:
            self.asked_open.emit(path)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._may_close():
            event.ignore()
            return
        self.settings.keep_window("geometry", self.saveGeometry())
        self.settings.keep_window("state", self.saveState())
        self.end_opening()
        self.player.pause()
        for commands in self._commands:
            commands.stop()
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
            return bool(self.do("save"))
        return choice == buttons.Discard
