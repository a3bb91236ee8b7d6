"""What tests of the window share: documents, settings in a file of their own, a real engine's answers."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QSettings

from attnviz.core.inputs import Head, Inputs
from attnviz.gui.app import create_application, open_window
from attnviz.gui.language import Language
from attnviz.gui.settings import Settings
from attnviz.gui.window_face import SIZE


@pytest.fixture
def small_inputs() -> Inputs:
    """Four tokens, two heads, d_k 2; v = k in the second head."""
    numbers = np.arange(8, dtype=np.float32).reshape(4, 2) / 4
    plain = Head("plain", numbers, numbers + 1, numbers * 2)
    linked = Head("linked", numbers, -numbers, -numbers, v_is_k=True)
    return Inputs("abcd", tuple("abcd"), (plain, linked))


@pytest.fixture
def settings_file(tmp_path) -> QSettings:
    """Settings that nobody else reads or writes."""
    return QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def make_window(qtbot, settings_file, tmp_path):
    """Opens windows as the application does, in English and light, and closes them without a question."""
    languages, windows = [], []
    create_application()

    def made(inputs: Inputs | None = None, language: str = "en"):
        settings = Settings(settings_file)
        settings.folder = tmp_path
        if settings_file.value("view/theme") is None:
            settings.theme = "light"
        languages.append(Language())
        languages[-1].speak(language)
        window = open_window(settings, languages[-1], inputs)
        windows.append(window)
        window.resize(*SIZE)  # the offscreen screen is small
        window.parts.share_out(*SIZE)
        qtbot.waitUntil(lambda: window.stages is not None and window.engine_choice.is_settled)
        qtbot.waitUntil(lambda: window.is_complete and not window.runner.is_busy)
        return window

    yield made
    for window in windows:
        window.abandon()
        window.deleteLater()
    for language in languages:
        language.speak("en")


@pytest.fixture
def window(make_window):
    """A window on the first example."""
    return make_window()
