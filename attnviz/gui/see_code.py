"""Opens the code window when it is asked for, and keeps it at the document's present moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QPushButton

from attnviz.gui.theme import LIGHT, Theme
from attnviz.gui.window_face import WindowFace

if TYPE_CHECKING:
    from attnviz.gui.code_dialog import CodeDialog


class SeeTheCode(QObject):
    """The way from the panels of a window to the code of their stages."""

    def __init__(self, face: WindowFace) -> None:
        super().__init__(face)
        self._face = face
        self._theme = LIGHT
        self._dialog: CodeDialog | None = None
        face.drawn.connect(self._follow)
        face.parts.stages.code_asked.connect(self.open)
        face.parts.output.code_asked.connect(self._open_output)

    def open(self, part: str) -> None:
        """Show the page of a part; the window stays as it is and can be worked in."""
        if self._face.stages is None:
            return
        if self._dialog is None:
            self._dialog = self._made()
        self._dialog.show_part(part)
        self._follow()
        self._dialog.show()
        self._dialog.activateWindow()

    def _open_output(self) -> None:
        from attnviz.core.stage_lines import OUTPUT  # with the code window, and not before

        self.open(OUTPUT)

    def close(self) -> None:
        """Put the code window away."""
        if self._dialog is not None:
            self._dialog.reject()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        if self._dialog is not None:
            self._dialog.set_theme(theme)

    def _made(self) -> CodeDialog:
        from attnviz.gui.code_dialog import CodeDialog  # only now: most people never ask

        dialog = CodeDialog(self._theme, self._face)
        for button in dialog.findChildren(QPushButton):
            button.setIcon(QIcon())  # as in every dialog
        dialog.finished.connect(self._forget)
        return dialog

    def _forget(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None

    def _follow(self) -> None:
        if self._dialog is not None and self._face.stages is not None:
            self._dialog.draw(self._face.stages, self._face.selection_drawn(), self._face.status.engine[1])
