"""Files and pictures: new, open, save, export."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication, QFileDialog

from gradviz.errors import GradvizError
from gradviz.gui.commands.base import Commands
from gradviz.picture import render as pictures

FILE_FILTER = "gradviz (*.gradviz)"


class Files(Commands):
    """Files and pictures: new, open, save, export."""

    def new(self) -> None:
        """An empty document, in this window if nothing was done here."""
        self.window.asked_new.emit()

    def open(self) -> None:
        """Choose files and open them."""
        names, _ = QFileDialog.getOpenFileNames(
            self.window, self.tr("Open"), self.window.settings.folder, FILE_FILTER
        )
        for name in names:
            self.window.settings.folder = str(Path(name).parent)
            self.window.asked_open.emit(Path(name))

    def save(self) -> bool:
        """Save to the document's file, or ask for one; False if it was not saved."""
        path = self.document.path
        return self._save_to(path) if path is not None else self.save_as()

    def save_as(self) -> bool:
        """Ask for a file and save to it."""
        start = Path(self.window.settings.folder) / (
            self.document.path.name if self.document.path else self._file_name()
        )
        name, _ = QFileDialog.getSaveFileName(
            self.window, self.tr("Save as"), str(start), FILE_FILTER
        )
        if not name:
            return False
        path = Path(name)
        self.window.settings.folder = str(path.parent)
        return self._save_to(path if path.suffix else path.with_suffix(".gradviz"))

    def _file_name(self) -> str:
        stem = str(self.document.title or self.tr("untitled")).lower().replace(" ", "-")
        return f"{stem}.gradviz"

    def _save_to(self, path: Path) -> bool:
        self.document.view = self.canvas.view_state()
        try:
            self.document.save(path)
        except GradvizError as error:
            self.window.warn(self.tr("The document was not saved"), str(error))
            return False
        self.window.problems.show_hint(self.tr("Saved {name}").replace("{name}", path.name))
        return True

    def export_png(self) -> None:
        """The canvas as pixels."""
        self.export("png")

    def export_svg(self) -> None:
        """The canvas as vectors."""
        self.export("svg")

    def export(self, kind: str) -> None:
        """The canvas as a picture of a kind, `png` or `svg`."""
        stem = (
            Path(self._file_name()).stem if self.document.path is None else self.document.path.stem
        )
        start = Path(self.window.settings.folder) / f"{stem}.{kind}"
        name, _ = QFileDialog.getSaveFileName(
            self.window, self.tr("Export"), str(start), f"{kind.upper()} (*.{kind})"
        )
        if not name:
            return
        path = Path(name) if Path(name).suffix.lower() == f".{kind}" else Path(f"{name}.{kind}")
        try:
            pictures.write(self.canvas.sight.frame(), path, self.window.theme)
        except GradvizError as error:
            self.window.warn(self.tr("The picture was not written"), str(error))
            return
        self.window.problems.show_hint(self.tr("Exported {name}").replace("{name}", path.name))

    def close(self) -> None:
        """Close this window."""
        self.window.close()

    def quit(self) -> None:
        """Close every window."""
        QApplication.closeAllWindows()
