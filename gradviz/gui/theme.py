"""Fusion with two palettes and one style sheet of our own, from the colours of the pictures.

Text takes its colour by role: a label with `role` "dim", a button with `flow` "backward". So a change of theme needs no
widget to do anything.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from gradviz.picture import fonts
from gradviz.picture.colours import DARK, LIGHT, Theme, ink_on, mixed
from gradviz.picture.look import Flow

TEXT_PIXELS: Final = 13
STYLE: Final = "Fusion"


def choose(app: QApplication, name: str) -> Theme:
    """The theme called `light` or `dark`; for `system`, the one the system reports, else light."""
    if name in (LIGHT.name, DARK.name):
        return DARK if name == DARK.name else LIGHT
    return DARK if app.styleHints().colorScheme() is Qt.ColorScheme.Dark else LIGHT


def apply(app: QApplication, name: str) -> Theme:
    """Dress the application; gives the theme for what is painted by hand."""
    theme = choose(app, name)
    fonts.load()
    app.setStyle(STYLE)
    app.setFont(fonts.text_font(TEXT_PIXELS))
    app.setPalette(palette(theme))
    app.setStyleSheet(style_sheet(theme))
    return theme


def palette(theme: Theme) -> QPalette:
    """The palette of a theme."""
    made = QPalette()
    for role, colour in _roles(theme).items():
        made.setColor(role, colour)
    grey = mixed(theme.dim, theme.panel, 0.45)
    for role in _TEXTS:
        made.setColor(QPalette.ColorGroup.Disabled, role, grey)
    made.setColor(QPalette.ColorGroup.Disabled, _R.Highlight, theme.line)
    return made


_R = QPalette.ColorRole
_TEXTS: Final = (_R.WindowText, _R.Text, _R.ButtonText, _R.HighlightedText)


def _roles(theme: Theme) -> dict[QPalette.ColorRole, QColor]:
    shade = mixed(theme.line, theme.ink, 0.3)
    return {
        _R.Window: theme.panel,
        _R.WindowText: theme.ink,
        _R.Base: theme.panel,
        _R.AlternateBase: theme.soft,
        _R.Text: theme.ink,
        _R.PlaceholderText: theme.dim,
        _R.Button: theme.panel,
        _R.ButtonText: theme.ink,
        _R.BrightText: theme.backward,
        _R.ToolTipBase: theme.panel,
        _R.ToolTipText: theme.ink,
        _R.Highlight: theme.forward,
        _R.HighlightedText: ink_on(theme.forward),
        _R.Accent: theme.forward,
        _R.Link: theme.forward,
        _R.LinkVisited: theme.forward,
        _R.Light: mixed(theme.panel, theme.line, 0.4),
        _R.Midlight: mixed(theme.panel, theme.line, 0.7),
        _R.Mid: theme.line,
        _R.Dark: shade,
        _R.Shadow: mixed(shade, theme.ink, 0.5),
    }


def style_sheet(theme: Theme) -> str:
    """What a palette cannot say: corners, spacing, and the colours of roles."""
    return _SHEET.format_map(
        {
            "window": theme.window.name(),
            "panel": theme.panel.name(),
            "soft": theme.soft.name(),
            "line": theme.line.name(),
            "frame": theme.frame.name(),
            "ink": theme.ink.name(),
            "dim": theme.dim.name(),
            "grey": mixed(theme.dim, theme.panel, 0.45).name(),
            "forward": theme.forward.name(),
            "backward": theme.backward.name(),
            "good": theme.output_text.name(),
            "note": theme.note.name(),
            "note_ground": theme.note_ground.name(),
            "note_line": mixed(theme.note_ground, theme.note, 0.45).name(),
            "backward_ground": theme.soft_flow(Flow.BACKWARD).name(),
            "backward_line": mixed(theme.panel, theme.backward, 0.6).name(),
            "pressed": mixed(theme.soft, theme.dim, 0.18).name(),
            "handle": mixed(theme.line, theme.dim, 0.35).name(),
        }
    )


_SHEET: Final = """
QMainWindow, QMainWindow::separator {{ background: {window}; }}
QMainWindow::separator {{ width: 4px; height: 4px; }}
QMainWindow::separator:hover {{ background: {line}; }}
QMenuBar {{ background: {panel}; padding: 2px 4px; }}
QMenuBar::item {{ background: transparent; padding: 4px 8px; border-radius: 6px; }}
QMenuBar::item:selected, QMenuBar::item:pressed {{ background: {soft}; }}
QMenu {{ background: {panel}; border: 1px solid {frame}; padding: 4px; }}
QMenu::item {{ padding: 4px 24px 4px 28px; border-radius: 4px; }}
QMenu::item:selected {{ background: {soft}; color: {ink}; }}
QMenu::item:disabled {{ color: {dim}; }}
QMenu::indicator {{ width: 16px; height: 16px; left: 6px; }}
QMenu::separator {{ height: 1px; background: {line}; margin: 4px 8px; }}
QToolTip {{ background: {panel}; color: {ink}; border: 1px solid {frame}; padding: 4px 8px; }}
QToolBar {{
    background: {panel}; border: none; border-bottom: 1px solid {line}; padding: 0px; spacing: 0px;
}}
QDockWidget {{ color: {dim}; font-size: 11px; }}
QDockWidget::title {{ background: {panel}; padding: 4px 12px; text-align: left; }}
QStatusBar {{ background: {panel}; border-top: 1px solid {line}; }}
QStatusBar::item {{ border: none; }}

QPushButton, QToolButton {{
    background: {panel}; color: {ink}; border: 1px solid {frame}; border-radius: 6px;
    padding: 1px 12px; min-height: 22px;
}}
QPushButton:hover, QToolButton:hover {{ background: {soft}; }}
QPushButton:pressed, QToolButton:pressed, QToolButton:checked {{ background: {pressed}; }}
QPushButton:focus, QToolButton:focus {{ border-color: {forward}; }}
QPushButton:disabled, QToolButton:disabled {{ color: {grey}; border-color: {line}; }}
QPushButton:default {{ border-color: {forward}; }}
QToolButton::menu-indicator {{ image: none; }}
QToolButton[flow="forward"] {{ color: {forward}; font-weight: bold; }}
QToolButton[flow="backward"] {{ color: {backward}; font-weight: bold; }}
QToolButton[flow="forward"]:disabled, QToolButton[flow="backward"]:disabled {{ color: {grey}; }}
QToolButton[strong="true"] {{ font-weight: bold; padding-right: 4px; }}
QToolButton[quiet="true"] {{
    background: transparent; border-color: transparent; color: {dim}; padding: 2px 8px;
}}
QToolButton[quiet="true"]:hover {{ background: {soft}; }}
QToolButton[quiet="true"]:focus {{ border-color: {forward}; }}
QToolButton[quiet="true"][tone="note"] {{ color: {note}; }}
QToolButton[quiet="true"][tone="good"] {{ color: {good}; }}
QToolButton[quiet="true"][tone="bad"] {{ color: {backward}; font-weight: bold; }}
QToolButton[transport="true"] {{ background: {soft}; padding: 4px 8px; }}
QToolButton[transport="true"]:hover {{ background: {pressed}; }}
QToolButton[transport="true"]:focus {{ border-color: {forward}; }}

QLineEdit {{
    background: {soft}; color: {ink}; border: 1px solid {line}; border-radius: 6px; padding: 0px 6px;
    min-height: 27px; selection-background-color: {forward}; selection-color: {panel};
}}
QLineEdit QToolButton {{
    background: transparent; border: none; padding: 0px; min-height: 0px;
}}
QLineEdit:focus {{ background: {panel}; border-color: {forward}; }}
QLineEdit:read-only, QLineEdit:disabled {{ color: {dim}; }}
QLineEdit[faulty="true"] {{ border-color: {note}; }}
QSlider::groove:horizontal {{ height: 4px; background: {line}; border-radius: 2px; }}
QSlider::sub-page:horizontal {{ background: {forward}; border-radius: 2px; }}
QSlider::handle:horizontal {{
    width: 14px; height: 14px; margin: -6px 0px; border-radius: 8px; background: {panel};
    border: 2px solid {forward};
}}
QSlider::handle:horizontal:focus {{ background: {forward}; }}
QCheckBox {{ spacing: 8px; }}
QCheckBox::indicator {{
    width: 14px; height: 14px; border: 1px solid {handle}; border-radius: 4px; background: {soft};
}}
QCheckBox::indicator:checked {{ background: {forward}; border-color: {forward}; }}
QCheckBox::indicator:focus {{ border-color: {forward}; }}

QTreeView, QListView {{ background: {panel}; color: {ink}; border: none; outline: none; }}
QTreeView::item, QListView::item {{ padding: 2px 4px; border-radius: 4px; }}
QTreeView::item {{ color: {ink}; }}
QTreeView::item:hover, QListView::item:hover {{ background: {soft}; }}
QTreeView::item:selected, QListView::item:selected {{ background: {pressed}; color: {ink}; }}
#addbox {{ background: {panel}; border: 1px solid {frame}; border-radius: 6px; }}
QTabBar {{ background: transparent; }}
QTabBar::tab {{
    background: transparent; color: {dim}; border: none; border-top: 2px solid transparent;
    padding: 4px 12px 6px 12px;
}}
QTabBar::tab:hover {{ color: {ink}; }}
QTabBar::tab:selected {{ color: {ink}; border-top-color: {forward}; }}
QTabBar::tab:focus {{ background: {soft}; }}
QScrollArea {{ background: {panel}; border: none; }}
QScrollBar {{ background: transparent; border: none; }}
QScrollBar:vertical {{ width: 12px; }}
QScrollBar:horizontal {{ height: 12px; }}
QScrollBar::handle {{ background: {handle}; border-radius: 4px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 28px; }}
QScrollBar::handle:horizontal {{ min-width: 28px; }}
QScrollBar::handle:hover {{ background: {dim}; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{
    background: transparent; border: none; width: 0px; height: 0px;
}}

QLabel[role="dim"] {{ color: {dim}; }}
QLabel[role="note"] {{ color: {note}; }}
QLabel[role="good"] {{ color: {good}; }}
QLabel[role="forward"] {{ color: {forward}; }}
QLabel[role="backward"] {{ color: {backward}; }}
QFrame[box="line"] {{ background: {line}; border: none; }}
QFrame[box="soft"] {{ background: {soft}; border: 1px solid {line}; border-radius: 6px; }}
QFrame[box="now"] {{
    background: {backward_ground}; border: 1px solid {backward_line}; border-radius: 6px;
}}
QFrame[box="waiting"] {{
    background: transparent; border: 1px dashed {frame}; border-radius: 6px;
}}
QFrame[box="note"] {{
    background: {note_ground}; border: 1px solid {note_line}; border-radius: 6px;
}}
#fault {{ background: {note_ground}; border-top: 1px solid {note_line}; }}
"""
