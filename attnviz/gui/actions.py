"""All actions of the window by name, with their keys and their words; what they do is connected elsewhere.

An action called ``save`` has the object name ``action/save``.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QWidget

from attnviz.core.summaries import MEASURES

MOST_HEAD_KEYS = 9
"""Ctrl+1 … Ctrl+9 choose a head."""

_KEYS: dict[str, tuple[str, ...]] = {
    "new": ("Ctrl+N",),
    "open": ("Ctrl+O",),
    "save": ("Ctrl+S",),
    "save_as": ("Ctrl+Shift+S",),
    "import_arrays": ("Ctrl+I",),
    "export_png": ("Ctrl+E",),
    "close": ("Ctrl+Q", "Ctrl+W"),
    "undo": ("Ctrl+Z",),
    "redo": ("Ctrl+Shift+Z", "Ctrl+Y"),
    "copy": ("Ctrl+C",),
    "edit_sentence": ("Ctrl+L",),
    "edit_key_sentence": ("Ctrl+Shift+L",),
    "toggle_mask": ("Ctrl+M",),
    "code": ("Ctrl+K",),
    "go_to": ("Ctrl+G",),
    "find": ("Ctrl+F",),
    "refine": ("F5",),
    "keys": ("F1",),
}
_PLAIN = (
    "new", "open", "save", "save_as", "forget_recent", "import_arrays", "export_png", "export_panel",
    "export_window", "export_table", "open_lesson", "close", "undo", "redo", "copy", "edit_sentence",
    "edit_key_sentence", "cross_attention", "toggle_mask", "whole_matrix", "go_to", "find", "refine", "code",
    "keys", "about",
)  # fmt: skip
_CHOICES: dict[str, tuple[str, ...]] = {
    "language": ("ja", "en"),
    "theme": ("system", "light", "dark"),
    "engine": ("auto", "cpu", "cuda"),
    "weights_range": ("one", "largest"),
    "mask_panel": ("scores", "m"),
    "bars": ("by_token", "by_weight"),
    "pooling": ("peak", "mean"),
    "summary": ("none", *MEASURES),
}
"""Groups of which one is chosen, such as ``theme/dark``."""


class Actions(QObject):
    """The actions of one window.

    Parameters
    ----------
    window
        The window whose keys they are.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._actions: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        for name in _PLAIN:
            self._add(window, name)
        for group, choices in _CHOICES.items():
            self._groups[group] = QActionGroup(self)
            for choice in choices:
                action = self._add(window, f"{group}/{choice}")
                action.setCheckable(True)
                action.setData(choice)
                self._groups[group].addAction(action)
        for head in range(MOST_HEAD_KEYS):
            self._add(window, f"head/{head}").setShortcut(QKeySequence(f"Ctrl+{head + 1}"))
        for name, keys in _KEYS.items():
            self[name].setShortcuts([QKeySequence(key) for key in keys])
        for name in ("toggle_mask", "cross_attention"):
            self[name].setCheckable(True)
        window.installEventFilter(self)
        self.retranslate()

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def on(self, name: str, act: Callable[[], object]) -> None:
        """Do something when an action is triggered."""
        self[name].triggered.connect(lambda checked=False: act())

    def on_choice(self, group: str, act: Callable[[str], object]) -> None:
        """Do something with the choice made in a group."""
        self._groups[group].triggered.connect(lambda action: act(action.data()))

    def choices(self, group: str) -> list[QAction]:
        """Give the actions of a group in the order of a menu."""
        return self._groups[group].actions()

    def choice(self, group: str) -> str:
        """Give what is chosen in a group."""
        return str(self._groups[group].checkedAction().data())

    def show_choice(self, group: str, choice: str) -> None:
        """Check one action of a group without triggering it."""
        self[f"{group}/{choice}"].setChecked(True)

    def retranslate(self) -> None:
        """Say all texts in the language that is now installed."""
        for name, text in self._texts().items():
            self[name].setText(text)
        for head in range(MOST_HEAD_KEYS):
            self[f"head/{head}"].setText(self.tr("Show head {number}").format(number=head + 1))
        for name in ("undo", "redo"):
            key = self[name].shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            self[name].setToolTip(f"{self[name].text().replace('&', '')} ({key})")

    def _texts(self) -> dict[str, str]:
        return {
            "new": self.tr("&New"),
            "open": self.tr("&Open…"),
            "save": self.tr("&Save"),
            "save_as": self.tr("Save &as…"),
            "forget_recent": self.tr("Clear this list"),
            "import_arrays": self.tr("&Import arrays…"),
            "export_png": self.tr("Export the four stages as PNG…"),
            "export_panel": self.tr("Export one panel as PNG…"),
            "export_window": self.tr("Export the window as PNG…"),
            "export_table": self.tr("Export numbers as CSV, NPZ or JSON…"),
            "open_lesson": self.tr("&Open a lesson…"),
            "close": self.tr("&Quit"),
            "undo": self.tr("Undo"),
            "redo": self.tr("Redo"),
            "copy": self.tr("&Copy"),
            "edit_sentence": self.tr("Edit the &sentence"),
            "edit_key_sentence": self.tr("Edit the sentence of the &keys"),
            "cross_attention": self.tr("C&ross attention"),
            "toggle_mask": self.tr("Hide the &future"),
            "whole_matrix": self.tr("Show the whole matrix"),
            "go_to": self.tr("&Go to…"),
            "find": self.tr("&Find a token…"),
            "refine": self.tr("&Refine a coarse picture"),
            "code": self.tr("Show the &code"),
            "keys": self.tr("&Keys"),
            "about": self.tr("&About attnviz"),
            "language/ja": "日本語",  # each language in its own words, whatever is spoken now
            "language/en": "English",
            "theme/system": self.tr("As the system"),
            "theme/light": self.tr("Light"),
            "theme/dark": self.tr("Dark"),
            "engine/auto": self.tr("Automatic"),
            "engine/cpu": self.tr("CPU"),
            "engine/cuda": self.tr("CUDA"),
            "weights_range/one": self.tr("0 to 1"),
            "weights_range/largest": self.tr("0 to the largest weight"),
            "mask_panel/scores": self.tr("Masked scores"),
            "mask_panel/m": self.tr("M itself (0 and the mask value)"),
            "bars/by_token": self.tr("In token order"),
            "bars/by_weight": self.tr("By weight"),
            "pooling/peak": self.tr("The largest of its weights"),
            "pooling/mean": self.tr("The mean of its weights"),
            "summary/none": self.tr("Nothing"),
            "summary/entropy": self.tr("Entropy of each row"),
            "summary/effective_keys": self.tr("Effective keys of each row"),
            "summary/on_first": self.tr("Weight on the first token"),
            "summary/on_itself": self.tr("Weight on the token itself"),
            "summary/on_previous": self.tr("Weight on the token before"),
            "summary/on_window": self.tr("Weight within a window"),
        }

    def _add(self, window: QWidget, name: str) -> QAction:
        action = QAction(self)
        action.setObjectName(f"action/{name}")
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        window.addAction(action)
        self._actions[name] = action
        return action

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        return False
