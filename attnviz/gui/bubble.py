"""A bubble beside a field that says in one sentence why something was refused; gone with the next input."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from attnviz.gui.fonts import text_font
from attnviz.gui.theme import LIGHT, SPACE, Theme

MAX_WIDTH = 360
_INPUT = (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)


class Bubble(QLabel):
    """A sentence over the window, next to what it speaks of."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setObjectName("refusal")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setFont(text_font())
        self.setContentsMargins(3 * SPACE, 2 * SPACE, 3 * SPACE, 2 * SPACE)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._theme = LIGHT
        self.hide()

    def say(self, sentence: str, beside: QWidget) -> None:
        """Show a sentence below a widget, or above it where there is no room below."""
        self.setText(sentence)
        wide = self.fontMetrics().horizontalAdvance(sentence) + 6 * SPACE + 2
        width = min(wide, MAX_WIDTH, self._window.width() - 2 * SPACE)
        self.setFixedSize(width, self.heightForWidth(width))
        self.move(self._place(beside))
        self.setAccessibleName(sentence)
        self.show()
        self.raise_()
        QTimer.singleShot(0, self, self._listen)  # what is being dealt with now is not the next input
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        palette = self.palette()
        palette.setColor(palette.ColorRole.WindowText, theme.danger)
        self.setPalette(palette)

    def _listen(self) -> None:
        _application().installEventFilter(self)

    def _place(self, beside: QWidget) -> QPoint:
        window = self._window
        below = beside.mapTo(window, QPoint(0, beside.height() + SPACE))
        if below.y() + self.height() > window.height():
            below = beside.mapTo(window, QPoint(0, -self.height() - SPACE))
        return QPoint(
            max(SPACE, min(below.x(), window.width() - self.width() - SPACE)),
            max(SPACE, min(below.y(), window.height() - self.height() - SPACE)),
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _INPUT:
            _application().removeEventFilter(self)
            self.hide()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.danger, 1))
        painter.setBrush(self._theme.surface)
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), SPACE, SPACE)
        painter.end()
        super().paintEvent(event)


def _application() -> QCoreApplication:
    app = QApplication.instance()
    assert app is not None  # there is a widget
    return app
