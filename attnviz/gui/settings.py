"""What the program remembers between runs, typed; a value that makes no sense counts as never written.

Nothing of a document lies here, and nothing here knows a widget.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from attnviz.core.errors import InputError
from attnviz.core.summaries import MEASURES, WINDOW, checked_window

LANGUAGES = ("system", "ja", "en")
THEMES = ("system", "light", "dark")
ENGINES = ("auto", "cpu", "cuda")
OPTIONS = {
    "weights_range": ("one", "largest"),
    "mask_panel": ("scores", "m"),
    "bars": ("by_token", "by_weight"),
    "pooling": ("peak", "mean"),
    "summary": ("none", *MEASURES),
}
"""What views show, each by choice: the end of the map of weights, the mask panel, the order of bars, what a
pixel of a long document stands for, what sums up the rows beside the map."""
MOST_RECENT = 8
"""How many files are remembered."""


class Settings:
    """Choices of a person, kept by Qt in the place the system has for such things.

    Parameters
    ----------
    store
        Where they lie; None: the user's own settings of attnviz.
    """

    def __init__(self, store: QSettings | None = None) -> None:
        self._store = QSettings("attnviz", "attnviz") if store is None else store

    @property
    def language(self) -> str:
        """One of LANGUAGES."""
        return self._one_of("view/language", LANGUAGES)

    @language.setter
    def language(self, name: str) -> None:
        self._store.setValue("view/language", name)

    @property
    def theme(self) -> str:
        """One of THEMES."""
        return self._one_of("view/theme", THEMES)

    @theme.setter
    def theme(self, name: str) -> None:
        self._store.setValue("view/theme", name)

    @property
    def engine(self) -> str:
        """One of ENGINES."""
        return self._one_of("view/engine", ENGINES)

    @engine.setter
    def engine(self, name: str) -> None:
        self._store.setValue("view/engine", name)

    def option(self, group: str) -> str:
        """Give the choice made in one of OPTIONS."""
        return self._one_of(f"view/{group}", OPTIONS[group])

    def set_option(self, group: str, choice: str) -> None:
        """Remember the choice made in one of OPTIONS."""
        self._store.setValue(f"view/{group}", choice)

    @property
    def window(self) -> int:
        """The width of the window of the summaries."""
        value = self._store.value("view/window")
        try:
            return checked_window(int(value)) if isinstance(value, int | str) else WINDOW
        except (ValueError, InputError):
            return WINDOW

    @window.setter
    def window(self, width: int) -> None:
        self._store.setValue("view/window", width)

    @property
    def tab(self) -> str:
        """Object name of the tab in front, or an empty text."""
        value = self._store.value("window/tab")
        return value if isinstance(value, str) else ""

    @tab.setter
    def tab(self, name: str) -> None:
        self._store.setValue("window/tab", name)

    @property
    def geometry(self) -> QByteArray:
        """What QWidget.saveGeometry gave, or nothing."""
        value = self._store.value("window/geometry")
        return value if isinstance(value, QByteArray) else QByteArray()

    @geometry.setter
    def geometry(self, state: QByteArray) -> None:
        self._store.setValue("window/geometry", state)

    @property
    def recent_files(self) -> list[Path]:
        """The files opened or saved last, the latest first."""
        value = self._store.value("files/recent")
        names = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        return [Path(name) for name in names if isinstance(name, str) and name][:MOST_RECENT]

    def add_recent_file(self, path: Path) -> None:
        """Put a file first in the list of recent files."""
        path = path.absolute()
        files = [path, *(known for known in self.recent_files if known != path)][:MOST_RECENT]
        self._store.setValue("files/recent", [str(file) for file in files])

    def forget_recent_files(self) -> None:
        """Empty the list of recent files."""
        self._store.remove("files/recent")

    @property
    def folder(self) -> Path:
        """The folder a file was last chosen in, if it is still there, else the person's own."""
        value = self._store.value("files/folder")
        folder = Path(value) if isinstance(value, str) and value else Path.home()
        try:
            return folder if folder.is_dir() else Path.home()
        except (OSError, ValueError):
            return Path.home()

    @folder.setter
    def folder(self, folder: Path) -> None:
        self._store.setValue("files/folder", str(folder.absolute()))

    def sizes(self, splitter: str) -> list[int]:
        """Give the widths or heights in px that a splitter's parts had, or an empty list."""
        value = self._store.value(f"window/{splitter}")
        try:
            sizes = [int(part) for part in value] if isinstance(value, list) else []
        except (TypeError, ValueError):
            return []
        return sizes if all(0 <= size < 100_000 for size in sizes) and sum(sizes) > 0 else []

    def set_sizes(self, splitter: str, sizes: list[int]) -> None:
        """Remember the widths or heights in px of a splitter's parts."""
        self._store.setValue(f"window/{splitter}", sizes)

    def _one_of(self, key: str, names: tuple[str, ...]) -> str:
        value = self._store.value(key)
        return value if isinstance(value, str) and value in names else names[0]
