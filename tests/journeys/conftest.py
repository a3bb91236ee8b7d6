"""A person before an open window, with settings of their own."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QSettings
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication

from attnviz.core.inputs import Inputs
from attnviz.gui.app import create_application, open_window
from attnviz.gui.language import Language
from attnviz.gui.settings import Settings
from attnviz.gui.window_face import SIZE
from tests.journeys.window_eyes import Eyes
from tests.journeys.window_hands import Hands


class Person(Hands, Eyes):
    """Someone who works with a window and looks at it."""


@pytest.fixture
def sit_down(qapp, qtbot, tmp_path):
    """Open a window as the application does, and put a person before it."""
    create_application()
    settings_file = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    people: list[Person] = []
    language = Language()

    def sit(
        inputs: Inputs | None = None,
        *,
        speaks: str = "en",
        size: tuple[int, int] = SIZE,
        theme: str = "light",
        engine: str | None = None,
    ) -> Person:
        settings = Settings(settings_file)
        settings.folder = tmp_path
        settings.theme = theme
        language.speak(speaks)
        window = open_window(settings, language, inputs, engine)
        person = Person(qtbot, window)
        people.append(person)
        window.resize(*size)
        person.until(window.windowHandle().isExposed)
        person.until(lambda: (window.width(), window.height()) == size)
        window.parts.share_out(*size)
        QCursor.setPos(window.mapToGlobal(QPoint(2, 2)))  # over nothing
        person.until(lambda: window.engine_choice.is_settled)
        person.settle()
        person.attend()
        return person

    yield sit
    for person in people:
        if popup := QApplication.activePopupWidget():
            popup.close()
        person.window.abandon()
        person.window.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    language.speak("en")


@pytest.fixture
def person(sit_down) -> Person:
    """Someone before the Japanese example in an English window."""
    return sit_down()
