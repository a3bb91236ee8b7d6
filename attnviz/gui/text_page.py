"""A field of many lines that takes a whole book without holding the window up.

Qt lays out whole lines, and half a megabyte in one of them takes half a second with every letter. So a long
text is broken into lines where that changes no token, and comes in some thousand letters at a time.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from PySide6.QtCore import QMimeData, QTimer, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

_LINE = 2000
"""Characters after which a line is broken."""
_MOST_IN_LINE = 4 * _LINE
"""Characters after which a line is broken wherever it is, with a mark that tells so."""
_PART = 8192
"""Characters that are put into the field at once, some ms of work."""
_TICK = 0.012
"""Seconds of that at a time, less than a frame."""
_BREAK = re.compile(r" (?=[^\n])|(?<=[。！？])(?=[^\n])")
_WITHIN = "\u2060\n"
"""A line end where there is no space: after a word joiner, which is not seen."""


class TextPage(QPlainTextEdit):
    """The field.

    Signals
    -------
    filled()
        All of a text that was given or pasted is there.
    """

    filled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTabChangesFocus(True)
        self._parts: Iterator[str] = iter(())
        self._cursor = QTextCursor(self.document())
        self._is_given = False
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._go_on)

    @property
    def is_filling(self) -> bool:
        """Whether some of a text is still to come."""
        return self._timer.isActive()

    def show_text(self, text: str) -> None:
        """Show a text; a person cannot take it back, and it counts as unchanged."""
        self.clear()
        self.setUndoRedoEnabled(False)
        self._is_given = True
        self._begin(text, QTextCursor(self.document()))

    def stop(self) -> None:
        """Leave out what is still to come."""
        self._timer.stop()
        self._parts = iter(())

    def _begin(self, text: str, cursor: QTextCursor) -> None:
        self._cursor, self._parts = cursor, _parts_of(text)
        self.setReadOnly(True)
        self._timer.start()
        self._go_on()

    def _go_on(self) -> None:
        until = time.monotonic() + _TICK
        for part in self._parts:
            if self._is_given:
                self._cursor.insertText(part)
            else:
                self._cursor.joinPreviousEditBlock()
                self._cursor.insertText(part)
                self._cursor.endEditBlock()
            if time.monotonic() > until:
                return
        self._timer.stop()
        self.setReadOnly(False)
        if self._is_given:
            self._is_given = False
            self.setUndoRedoEnabled(True)
            self.document().setModified(False)
        else:
            self.setTextCursor(self._cursor)
        self.filled.emit()

    # Qt's overrides

    def insertFromMimeData(self, source: QMimeData) -> None:
        text = source.text()
        if len(text) <= _PART or self.is_filling:
            super().insertFromMimeData(source)
            return
        cursor = self.textCursor()
        cursor.beginEditBlock()
        cursor.removeSelectedText()
        cursor.insertText(" ")  # what the parts that follow are joined to, one step to take back
        cursor.deletePreviousChar()
        cursor.endEditBlock()
        self._begin(text, cursor)


def _parts_of(text: str) -> Iterator[str]:
    """Give a text in lines that can be laid out quickly, a little at a time."""
    start = 0
    while start < len(text):
        end = min(start + 4 * _PART, len(text))
        if end < len(text):  # not between two characters that belong together
            place = max(text.rfind(sign, start, end) for sign in (" ", "\n", "。"))
            end = place + 1 if place > start else end
        lines = broken(text[start:end])
        for at in range(0, len(lines), _PART):
            yield lines[at : at + _PART]
        start = end


def broken(text: str) -> str:
    """Give a text in lines that can be laid out quickly, broken where that changes no token."""
    return "\n".join([line if len(line) <= _LINE else _broken_line(line) for line in text.split("\n")])


def _broken_line(line: str) -> str:
    parts, start = [], 0
    while len(line) - start > _LINE:
        place = _BREAK.search(line, start + _LINE, start + _MOST_IN_LINE)
        if place is not None:
            parts.append(line[start : place.start()] + ("\n" if place[0] else _WITHIN))
            start = place.end()
        elif len(line) - start > _MOST_IN_LINE:
            parts.append(line[start : start + _MOST_IN_LINE] + _WITHIN)
            start += _MOST_IN_LINE
        else:
            break
    return "".join([*parts, line[start:]])


def joined(lines: str) -> str:
    """Give lines as the one line a sentence is."""
    return lines.replace(_WITHIN, "").replace("\n", " ")
