"""The dialog in which a long text is written or pasted; who splits it says how far that is."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from attnviz.core.errors import AttnvizError
from attnviz.gui.fonts import number_font, text_font
from attnviz.gui.speech import say
from attnviz.gui.text_page import TextPage
from attnviz.gui.theme import SPACE

_STEPS = 1000  # of the bar of progress


class SentenceDialog(QDialog):
    """Asks for a text.

    Parameters
    ----------
    title
        Whose sentence it is.
    text
        What is there to begin with.

    Signals
    -------
    split_asked(str, bool)
        The text is to be split and taken; True: it is in the lines it was shown in, and to be ``joined``. Who
        does it says how far that is (``show_progress``), and accepts the dialog or says why not (``refuse``).
    stop_asked()
        The splitting is to be stopped, since a person does not want it any more.
    """

    split_asked = Signal(object, bool)  # an object: Qt has no lone surrogates
    stop_asked = Signal()

    def __init__(self, title: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sentence_dialog")
        self.setWindowTitle(title)
        self._given = text
        self._is_splitting = self._is_split_wanted = False
        self.field = TextPage(self)
        self.field.setObjectName("sentence_dialog/text")
        self.field.setAccessibleName(title)
        self.field.setFont(text_font())
        self.field.setPlaceholderText(self.tr("Write or paste a text of any length."))
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
        self._progress.setRange(0, _STEPS)
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
        self.field.filled.connect(self._split_if_wanted)
        self.field.show_text(text)
        self.field.textChanged.connect(self._count)
        self._count()

    @property
    def is_splitting(self) -> bool:
        """Whether the text is being split now."""
        return self._is_splitting

    def split(self) -> None:
        """Ask for the text to be split, once all of it is there."""
        if self._is_splitting:
            return
        self._is_split_wanted = self.field.is_filling
        if self._is_split_wanted:
            return
        is_changed = self.field.document().isModified()
        self._set_splitting(True)
        self.split_asked.emit(self.field.toPlainText() if is_changed else self._given, is_changed)

    def show_progress(self, fraction: float) -> None:
        """Show how far the splitting is, from 0 to 1."""
        if self._is_splitting:
            self._progress.setValue(int(fraction * _STEPS))
            self._words.setText(self.tr("Splitting: {n}%").format(n=int(fraction * 100)))

    def refuse(self, error: AttnvizError) -> None:
        """Say why the text cannot be taken; it stays, to be written otherwise."""
        self._set_splitting(False)
        self._words.setText(say(error))

    def stop(self) -> None:
        """Show that the splitting has ended without anything; the text stays."""
        if self._is_splitting:
            self._set_splitting(False)
            self._count()

    def reject(self) -> None:
        """Stop the splitting, or where there is none close the dialog."""
        if self._is_splitting:
            self.stop()
            self.stop_asked.emit()
        else:
            super().reject()

    def _set_splitting(self, is_on: bool) -> None:
        self._is_splitting = is_on
        self._progress.setValue(0)
        self._progress.setVisible(is_on)
        self._split.setEnabled(not is_on)
        self.field.setReadOnly(is_on)

    def _split_if_wanted(self) -> None:
        if self._is_split_wanted:
            self.split()

    def _count(self) -> None:
        n = max(0, self.field.document().characterCount() - 1)
        if self.field.is_filling:
            n = max(n, len(self._given))
        self._words.setText(self.tr("{n} characters").format(n=f"{n:,}"))

    def done(self, result: int) -> None:
        self.field.stop()
        if self._is_splitting:
            self._is_splitting = False
            self.stop_asked.emit()
        super().done(result)
