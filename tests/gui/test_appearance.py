"""The look follows the system as long as there is a window, and not a moment longer."""

import gc
import weakref

import pytest
import shiboken6
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication

from attnviz.gui import appearance as room
from attnviz.gui.appearance import Appearance
from attnviz.gui.theme import DARK, LIGHT


@pytest.fixture
def system(qapp, monkeypatch):
    """Let the system change its mind."""

    def says(theme, scheme):
        monkeypatch.setattr(room, "_system_theme", lambda: theme)
        QGuiApplication.styleHints().colorSchemeChanged.emit(scheme)

    yield says
    room._dress(LIGHT)


def test_the_look_follows_the_system_unless_one_was_chosen(system):
    look, themes = Appearance(), []
    look.theme_changed.connect(themes.append)
    look.choose("system")
    system(DARK, Qt.ColorScheme.Dark)
    assert look.theme is DARK
    look.choose("light")
    system(DARK, Qt.ColorScheme.Dark)
    assert look.theme is LIGHT
    assert themes[-2:] == [DARK, LIGHT]
    shiboken6.delete(look)


def test_a_look_whose_window_is_gone_hears_nothing_and_is_not_kept(system):
    window = QObject()
    look = Appearance(window)
    look.choose("light")
    known = weakref.ref(look)
    shiboken6.delete(window)
    del look, window
    gc.collect()
    assert known() is None
    system(DARK, Qt.ColorScheme.Dark)
