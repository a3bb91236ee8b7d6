"""A calm line above the tokens about documents that were not saved when attnviz ended."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, Qt, Signal, SignalInstance
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from attnviz.gui.fonts import load_fonts, text_font
from attnviz.gui.plain_text import visible
from attnviz.gui.theme import LIGHT, SPACE, Theme

EDGE = 3
"""Width in px of the accent at the left."""
BUTTON = 26
"""Height of the buttons in px."""


class RecoveryBar(QWidget):
    """Says that a document was recovered, or that there is another one; hidden where there is nothing to say.

    Signals
    -------
    kept(), discarded()
        What becomes of the recovered document that the window shows.
    opened(), postponed()
        What becomes of the other one.
    """

    kept = Signal()
    discarded = Signal()
    opened = Signal()
    postponed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        load_fonts()
        super().__init__(parent)
        self.setObjectName("recovery")
        self._theme = LIGHT
        self._title, self._when, self._count, self._is_detached = "", 0.0, 0, False
        self._text = QLabel()
        self._text.setObjectName("recovery/text")
        self._text.setFont(text_font())
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._buttons = {
            name: self._button(name, signal)
            for name, signal in (
                ("keep", self.kept),
                ("discard", self.discarded),
                ("open", self.opened),
                ("later", self.postponed),
            )
        }
        layout = QHBoxLayout(self)
        layout.setContentsMargins(EDGE + 2 * SPACE, SPACE, 2 * SPACE, SPACE)
        layout.setSpacing(2 * SPACE)
        layout.addWidget(self._text, 1)
        for button in self._buttons.values():
            layout.addWidget(button)
        self.retranslate()
        self.hide()

    def show_recovered(self, title: str, when: float, *, is_detached: bool) -> None:
        """Say that the window shows a recovered document.

        Parameters
        ----------
        title, when
            What it is called, and when it was kept (seconds since 1970).
        is_detached
            Whether its file has changed since, or is gone, so that saving asks where to.
        """
        self._title, self._when, self._count, self._is_detached = title, when, 0, is_detached
        self._show()

    def show_offer(self, title: str, when: float, count: int) -> None:
        """Say that there is another document, the first of ``count``."""
        self._title, self._when, self._count, self._is_detached = title, when, count, False
        self._show()

    def sentence(self) -> str:
        """Give what the bar says."""
        return self._text.text()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        self.update()

    def retranslate(self) -> None:
        """Say everything in the language that is now installed."""
        for name, text, tip in (
            ("keep", self.tr("Keep"), self.tr("Go on with the recovered document")),
            ("discard", self.tr("Discard"), self.tr("Go back to the document before; redo brings it back")),
            ("open", self.tr("Open"), self.tr("Show this document in place of the present one")),
            ("later", self.tr("Later"), self.tr("Offer it again at the next start")),
        ):
            self._buttons[name].setText(text)
            self._buttons[name].setToolTip(tip)
        self._text.setText(self._sentence())
        self.setAccessibleName(self._text.text())

    def _sentence(self) -> str:
        if self._count == 1:
            text = self.tr("There is one more unsaved document: “{name}”, {when}.")
        elif self._count:
            text = self.tr("There are {count} more unsaved documents; the latest is “{name}”, {when}.")
        elif self._is_detached:
            text = self.tr(
                "Recovered what was not saved of “{name}”, {when}. "
                "Its file has changed since; saving asks where to."
            )
        else:
            text = self.tr("Recovered what was not saved of “{name}”, {when}.")
        return text.format(name=visible(self._title), when=_moment(self._when), count=self._count)

    def _show(self) -> None:
        self.retranslate()
        is_offer = self._count > 0
        for name, button in self._buttons.items():
            button.setVisible((name in ("open", "later")) is is_offer)
        self.show()

    def _button(self, name: str, signal: SignalInstance) -> QToolButton:
        button = QToolButton()
        button.setObjectName(f"recovery/{name}")
        button.setFont(text_font())
        button.setFixedHeight(BUTTON)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(lambda is_checked: signal.emit())
        return button

    # Qt's overrides

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.raised)
        painter.fillRect(0, 0, EDGE, self.height(), self._theme.accent)
        painter.fillRect(0, self.height() - 1, self.width(), 1, self._theme.border)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()


def _moment(when: float) -> str:
    """Give the time of day, with the date where it is not today's, the same in every language."""
    moment = time.localtime(when)
    is_today = moment[:3] == time.localtime()[:3]
    return time.strftime("%H:%M" if is_today else "%Y-%m-%d %H:%M", moment)
