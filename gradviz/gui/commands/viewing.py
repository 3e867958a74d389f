"""What of the canvas is in view."""

from __future__ import annotations

from gradviz.gui.commands.base import Commands


class Viewing(Commands):
    """What of the canvas is in view."""

    def fit_all(self) -> None:
        """Bring everything into view."""
        self.canvas.fit_all()

    def fit_selection(self) -> None:
        """Bring the selection into view; without one, everything."""
        self.canvas.fit_selection()

    def show_outline(self) -> None:
        """The graph as a tree of text."""
        self.window.show_dock("outline")
        self.window.outline.view.setFocus()

    def zoom_100(self) -> None:
        """One canvas pixel per pixel."""
        self.canvas.zoom_to(1.0)

    def zoom_in(self) -> None:
        """Larger."""
        self.canvas.zoom_by(1.25)

    def zoom_out(self) -> None:
        """Smaller."""
        self.canvas.zoom_by(0.8)
