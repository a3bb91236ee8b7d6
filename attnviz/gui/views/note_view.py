"""A note that belongs to a document, such as a preset's explanation: simple Markdown that can be put away."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from attnviz.gui.fonts import load_fonts, text_font
from attnviz.gui.theme import LIGHT, SPACE, Theme


class NoteView(QWidget):
    """Shows a note, or nothing.

    Signals
    -------
    dismissed()
        The person put the note away; it is hidden already.
    """

    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        load_fonts()
        super().__init__(parent)
        self.setObjectName("note")
        self._theme = LIGHT
        self._source = ""
        self._label = QLabel()
        self._label.setObjectName("note/text")
        self._label.setFont(text_font())
        self._label.setTextFormat(Qt.TextFormat.MarkdownText)
        self._label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._label.setWordWrap(True)
        self._label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._close = QToolButton()
        self._close.setObjectName("note/close")
        self._close.setText("×")
        self._close.setAutoRaise(True)
        self._close.clicked.connect(self._dismiss)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(3 * SPACE, 2 * SPACE, SPACE, 2 * SPACE)
        layout.setSpacing(2 * SPACE)
        layout.addWidget(self._label, 1)
        layout.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self.retranslate()
        self.hide()

    def set_note(self, markdown: str) -> None:
        """Show a note; an empty one hides the view."""
        self._source = markdown
        self._label.setText(markdown)
        self.setVisible(bool(markdown))

    def note(self) -> str:
        """Give the note's Markdown."""
        return self._source

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        self.update()

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self.setAccessibleName(self.tr("Note"))
        self._label.setAccessibleName(self.tr("Note"))
        self._close.setAccessibleName(self.tr("Put the note away"))
        self._close.setToolTip(self.tr("Put the note away"))

    def _dismiss(self) -> None:
        self.hide()
        self.dismissed.emit()

    # Qt's overrides

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QPen(self._theme.border, 1.0))
        painter.setBrush(self._theme.raised)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), SPACE, SPACE)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
