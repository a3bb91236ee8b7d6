"""The dialog in which a long text is written or pasted, and split bit by bit while the window goes on."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from attnviz.core.errors import AttnvizError, InputError
from attnviz.core.inputs import MAX_TOKENS
from attnviz.gui.fonts import number_font, text_font
from attnviz.gui.speech import say
from attnviz.gui.theme import SPACE
from attnviz.text.splitting import split_bit_by_bit

_TICK = 0.012
"""Seconds of splitting at a time, less than a frame."""
_LINE = 2000
"""Characters after which a line is broken: Qt lays out whole lines, and one of a megabyte takes a second."""
_BREAK = re.compile(r" (?=[^\n])|(?<=[。！？])(?=[^\n])")
_BROKEN = re.compile(r"(?<=[。！？])\n")


class SentenceDialog(QDialog):
    """Asks for a text and splits it.

    Parameters
    ----------
    title
        Whose sentence it is.
    text
        What is there to begin with.

    Signals
    -------
    split_up(str, tuple)
        The text and its tokens, once it has been split: who takes them accepts the dialog, or says by
        ``refuse`` why not.
    """

    split_up = Signal(str, object)

    def __init__(self, title: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sentence_dialog")
        self.setWindowTitle(title)
        self._steps: Iterator[tuple[int, list[str]]] | None = None
        self._given, self._splitting = text, ""
        self._tokens: list[str] = []
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._go_on)
        self.field = QPlainTextEdit(self)
        self.field.setObjectName("sentence_dialog/text")
        self.field.setAccessibleName(title)
        self.field.setFont(text_font())
        self.field.setTabChangesFocus(True)
        self.field.setPlaceholderText(self.tr("Write or paste a text of any length."))
        self.field.setPlainText(broken(text))
        self.field.textChanged.connect(self._count)
        self._words = QLabel(self)
        self._words.setObjectName("sentence_dialog/count")
        self._words.setFont(number_font(small=True))
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setWordWrap(True)
        self._progress = QProgressBar(self)
        self._progress.setObjectName("sentence_dialog/progress")
        self._progress.setAccessibleName(self.tr("Progress of the splitting"))
        self._progress.setTextVisible(False)
        self._progress.setFixedSize(120, 10)
        policy = self._progress.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._progress.setSizePolicy(policy)
        self._progress.hide()
        buttons = QDialogButtonBox(self)
        self._split = buttons.addButton(self.tr("Split into tokens"), QDialogButtonBox.ButtonRole.AcceptRole)
        self._split.setObjectName("sentence_dialog/split")
        cancel = buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        cancel.setObjectName("sentence_dialog/cancel")
        buttons.accepted.connect(self.split)
        buttons.rejected.connect(self.reject)
        below = QHBoxLayout()
        below.addWidget(self._words, 1)
        below.addWidget(self._progress)
        column = QVBoxLayout(self)
        column.setContentsMargins(4 * SPACE, 4 * SPACE, 4 * SPACE, 4 * SPACE)
        column.setSpacing(2 * SPACE)
        column.addWidget(self.field, 1)
        column.addLayout(below)
        column.addWidget(buttons)
        self.resize(640, 420)
        self._count()

    @property
    def is_splitting(self) -> bool:
        """Whether the text is being split now."""
        return self._steps is not None

    def split(self) -> None:
        """Begin to split the text; ``split_up`` is said at the end."""
        if self.is_splitting:
            return
        is_changed = self.field.document().isModified()
        self._splitting, self._tokens = joined(self.field.toPlainText()) if is_changed else self._given, []
        self._steps = split_bit_by_bit(self._splitting)
        self._set_splitting(True)
        self._timer.start()

    def reject(self) -> None:
        """Stop the splitting, or where there is none close the dialog."""
        if self.is_splitting:
            self._stop()
            self._count()
        else:
            super().reject()

    def _go_on(self) -> None:
        until, steps = time.monotonic() + _TICK, self._steps
        assert steps is not None
        for place, tokens in steps:
            self._tokens += tokens
            if len(self._tokens) > MAX_TOKENS:
                break
            if time.monotonic() > until:
                self._progress.setValue(place * 1000 // len(self._splitting))
                self._words.setText(self.tr("{n} tokens so far").format(n=f"{len(self._tokens):,}"))
                return
        self._stop()
        if len(self._tokens) > MAX_TOKENS:
            self.refuse(
                InputError(
                    "There are {got} tokens; at most {wanted} are possible.",
                    got=f"> {MAX_TOKENS}",
                    wanted=MAX_TOKENS,
                )
            )
        elif not self._tokens:
            self.refuse(InputError("The sentence is empty; write at least one word."))
        else:
            self.split_up.emit(self._splitting, tuple(self._tokens))

    def _stop(self) -> None:
        self._timer.stop()
        self._steps = None
        self._set_splitting(False)

    def _set_splitting(self, is_on: bool) -> None:
        self._progress.setRange(0, 1000)
        self._progress.setValue(0)
        self._progress.setVisible(is_on)
        self._split.setEnabled(not is_on)
        self.field.setReadOnly(is_on)

    def refuse(self, error: AttnvizError) -> None:
        """Say why the text cannot be taken; it stays, to be written otherwise."""
        self._words.setText(say(error))

    def _count(self) -> None:
        n = max(0, self.field.document().characterCount() - 1)
        self._words.setText(self.tr("{n} characters").format(n=f"{n:,}"))

    def done(self, result: int) -> None:
        self._timer.stop()
        super().done(result)


def broken(text: str) -> str:
    """Give a text in lines that can be laid out quickly, broken where that changes no token."""
    lines, start = [], 0
    while (place := _BREAK.search(text, start + _LINE)) is not None:
        lines.append(text[start : place.start()])
        start = place.end()
    return "\n".join([*lines, text[start:]])


def joined(lines: str) -> str:
    """Give lines as the one line a sentence is."""
    return _BROKEN.sub("", lines).replace("\n", " ")
