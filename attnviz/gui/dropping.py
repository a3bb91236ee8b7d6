"""Files dropped on the window, anywhere: what would become of them is shown during the drag."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from attnviz.gui.fonts import text_font
from attnviz.gui.plain_text import visible
from attnviz.gui.speech import say
from attnviz.gui.theme import SPACE, Theme
from attnviz.io.errors import FileError, shown
from attnviz.io.lessons import is_lesson

DOCUMENTS = (".attnviz", ".png")
ARRAYS = (".npz", ".npy", ".csv", ".tsv", ".json", ".zarr")
TITLE_PX = 20
"""Height in px of what is written over the window during a drag."""
_VEIL = 225  # of 255: the window shows through

_DRAGS = (QEvent.Type.DragEnter, QEvent.Type.DragMove)


class Dropping(QObject):
    """Takes files that are dragged over a window, before any control in it can take them for text.

    Parameters
    ----------
    window
        It must have been shown: what the system sends goes to its handle.
    theme
        Asked for the look whenever the hint is drawn.
    """

    opened = Signal(object)
    """The Path of a document, a plain text or a lesson that was dropped."""
    arrays_dropped = Signal(object)
    """The Path of a file of arrays that was dropped."""
    failed = Signal(object)
    """An AttnvizError: why what was dropped cannot be opened."""

    def __init__(self, window: QMainWindow, theme: Callable[[], Theme]) -> None:
        super().__init__(window)
        self.hint = DropHint(window, theme)
        window.setAcceptDrops(True)
        handle = window.windowHandle()
        if handle is not None:
            handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in _DRAGS and isinstance(event, QDragMoveEvent | QDragEnterEvent):
            if not self._is_meant(event):
                return False
            if kind == QEvent.Type.DragEnter:
                self.hint.show_for(event.mimeData())
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            return True
        if kind == QEvent.Type.DragLeave and self.hint.isVisible():
            self.hint.hide()
            return True
        if kind == QEvent.Type.Drop and isinstance(event, QDropEvent) and self._is_meant(event):
            self.hint.hide()
            self._take(event.mimeData())
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            return True
        return False

    def _take(self, data: QMimeData) -> None:
        try:
            path = file_in(data)
        except FileError as error:
            self.failed.emit(error)
        else:
            (self.arrays_dropped if _holds_arrays(path) else self.opened).emit(path)

    def _is_meant(self, event: QDropEvent) -> bool:
        return event.mimeData().hasUrls() and QApplication.activeModalWidget() is None


class DropHint(QWidget):
    """A veil over the whole window that says what dropping would do."""

    def __init__(self, window: QWidget, theme: Callable[[], Theme]) -> None:
        super().__init__(window)
        self.setObjectName("drop_hint")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._window, self._theme = window, theme
        self._sentence, self._is_refusal = "", False
        self.hide()

    def show_for(self, data: QMimeData) -> None:
        """Say what would become of something that is dragged."""
        try:
            path = file_in(data)
            words = (
                self.tr("Drop to import arrays from “{name}”")
                if _holds_arrays(path)
                else self.tr("Drop to open “{name}”")
            )
            self._sentence, self._is_refusal = words.format(name=visible(path.name)), False
        except FileError as error:
            self._sentence, self._is_refusal = say(error), True
        self.setAccessibleName(self._sentence)
        self.setGeometry(QRect(QPoint(0, 0), self._window.size()))
        self.raise_()
        self.show()

    def sentence(self) -> str:
        """Give what the hint says."""
        return self._sentence

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme()
        colour = theme.danger if self._is_refusal else theme.accent
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(_VEIL / 255)
        painter.fillRect(self.rect(), theme.ground)
        painter.setOpacity(1.0)
        edge = self.rect().adjusted(3 * SPACE, 3 * SPACE, -3 * SPACE, -3 * SPACE)
        painter.setPen(QPen(colour, 2))
        painter.drawRoundedRect(edge, 2 * SPACE, 2 * SPACE)
        font = text_font()
        font.setPixelSize(TITLE_PX)
        painter.setFont(font)
        painter.setPen(colour if self._is_refusal else theme.text)
        inside = QRect(edge).adjusted(6 * SPACE, 0, -6 * SPACE, 0)
        painter.drawText(inside, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._sentence)
        painter.end()


def file_in(data: QMimeData) -> Path:
    """Give the one file that is dragged: a document, a text, or arrays.

    Raises
    ------
    FileError
        When there are several files, or it is none on this machine, or neither by its name.
    """
    urls = data.urls()
    if len(urls) != 1:
        raise FileError("{got} files were dropped; drop one at a time.", got=len(urls))
    name = urls[0].toLocalFile()
    if not name:
        raise FileError("“{path}” is not a file on this machine.", path=shown(urls[0].toString()))
    from attnviz.io.text_files import SUFFIXES as TEXTS  # only now: most people drop nothing

    path = Path(name)
    if path.suffix.lower() not in DOCUMENTS + TEXTS + ARRAYS:
        raise FileError(
            "“{path}” cannot be opened here; drop a document (.attnviz, .png), a text (.txt, .md) or arrays "
            "(.npz, .npy, .csv, .tsv, .json, .zarr).",
            path=shown(path.name),
        )
    return path


def _holds_arrays(path: Path) -> bool:
    return path.suffix.lower() in ARRAYS and not is_lesson(path)
