"""Importing arrays: the file is asked for, read beside the window, and what it holds is asked about."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from attnviz.core.edits import Edit
from attnviz.gui.background import Background
from attnviz.gui.dialogs import open_dialog
from attnviz.gui.document import Document
from attnviz.gui.import_dialog import ImportDialog
from attnviz.gui.settings import Settings
from attnviz.gui.theme import Theme
from attnviz.io.array_files import SUFFIXES, ArrayFile, read_arrays
from attnviz.io.errors import shown
from attnviz.io.reading import Watch
from attnviz.io.zarr_stores import MARKS
from attnviz.text.joining import join


class Importing(QObject):
    """What *Import arrays* does to one document: one step of undo.

    Parameters
    ----------
    theme
        Asked for the look of the dialog.
    """

    told = Signal(str)
    """A sentence about what was done."""

    def __init__(
        self,
        window: QWidget,
        document: Document,
        background: Background,
        settings: Settings,
        theme: Callable[[], Theme],
    ) -> None:
        super().__init__(window)
        self._window, self._document, self._background = window, document, background
        self._settings, self._theme = settings, theme

    def ask_for_file(self) -> None:
        """Ask for a file and import from it."""
        dialog = QFileDialog(self._window, self.tr("Import arrays"), str(self._settings.folder))
        dialog.setObjectName("file_dialog")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptOpen)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        patterns = " ".join([*(f"*{suffix}" for suffix in SUFFIXES), *MARKS])
        dialog.setNameFilters([self.tr("arrays ({patterns})").format(patterns=patterns)])
        dialog.fileSelected.connect(lambda name: self.import_file(Path(name)))
        open_dialog(dialog)

    def import_file(self, path: Path) -> None:
        """Read a file without holding the window up, and ask what its arrays become."""
        words = self.tr("Reading {path} …").format(path=shown(path))
        self._background.do(
            lambda watch: read_arrays(path, watch), lambda file: self._ask(path, file), words=words
        )

    def _ask(self, path: Path, file: ArrayFile) -> None:
        self._settings.folder = path.absolute().parent
        for older in self._window.findChildren(ImportDialog):  # of a file that was dropped just before
            older.reject()
        dialog = ImportDialog(
            file,
            self._document.inputs,
            self._document.selection.head,
            join,
            self._theme(),
            self._window,
            self._do_aside,
        )
        dialog.wished.connect(lambda edit: self._take(edit, path))
        open_dialog(dialog)

    def _do_aside(self, work: Callable[[], None], then: Callable[[], object]) -> None:
        def do(watch: Watch) -> None:
            work()

        self._background.do(do, lambda done: then(), words=self.tr("Looking whether it fits…"))

    def _take(self, edit: Edit, path: Path) -> None:
        before = self._document.inputs
        self._document.apply(edit)
        words = self.tr("Imported {path}; undo takes it back.")
        if self._document.inputs is before:
            words = self.tr("{path} holds what the document holds already; nothing has changed.")
        self.told.emit(words.format(path=shown(path)))
