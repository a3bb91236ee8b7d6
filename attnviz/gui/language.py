"""The language of the window: which one, and the translations that speak it. Nothing here holds a text."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from attnviz.assets import resource_path


def system_language() -> str:
    """Give ``ja`` where the system speaks Japanese, else ``en``."""
    return "ja" if QLocale.system().language() == QLocale.Language.Japanese else "en"


class Language:
    """The translations installed in the application.

    Widgets hear of a change by QEvent.LanguageChange.
    """

    def __init__(self) -> None:
        self._name = "en"
        self._translators: list[QTranslator] = []

    @property
    def name(self) -> str:
        """``ja`` or ``en``."""
        return self._name

    def speak(self, name: str) -> None:
        """Speak ``ja`` or ``en``; anything else means the system's language."""
        name = name if name in ("ja", "en") else system_language()
        for translator in self._translators:
            QCoreApplication.removeTranslator(translator)
        self._name, self._translators = name, []
        if name == "en":
            return  # the language of the source
        qt = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
        for file in (qt / f"qtbase_{name}.qm", _own(name)):
            translator = QTranslator()
            if file is not None and translator.load(str(file)):
                QCoreApplication.installTranslator(translator)
                self._translators.append(translator)


def _own(name: str) -> Path | None:
    try:
        return resource_path("translations", f"attnviz_{name}.qm")
    except FileNotFoundError:  # a source tree in which translations have not been made yet
        return None
