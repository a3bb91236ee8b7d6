"""The look of the whole application: style, palette and fonts.

There is no style sheet: it would slow down every widget, and all that it could say a palette or a widget's
own painting says as well.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QToolTip

from attnviz.gui.fonts import load_fonts, text_font
from attnviz.gui.theme import DARK, LIGHT, Theme


class Appearance(QObject):
    """Light, dark, or as the system says; the application follows at once."""

    theme_changed = Signal(object)
    """The Theme from now on."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wish = "system"
        self._theme: Theme | None = None
        # A method and no lambda, which Qt would go on calling when the window of this object is gone.
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_system)

    @property
    def theme(self) -> Theme:
        """The Theme in use."""
        return self._theme or LIGHT

    def choose(self, wish: str) -> None:
        """Take ``light``, ``dark``, or anything else for what the system says."""
        self._wish = wish
        theme = {"light": LIGHT, "dark": DARK}.get(wish) or _system_theme()
        if theme is not self._theme:
            self._theme = theme
            _dress(theme)
            self.theme_changed.emit(theme)

    def _follow_system(self, scheme: Qt.ColorScheme) -> None:
        self.choose(self._wish)


def _system_theme() -> Theme:
    return DARK if QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark else LIGHT


def _dress(theme: Theme) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    load_fonts()
    app.setStyle("Fusion")  # the same measures on every system
    app.setFont(text_font())
    app.setPalette(theme.palette())
    QToolTip.setPalette(theme.palette())
    QToolTip.setFont(text_font())
