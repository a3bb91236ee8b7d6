"""The menu bar: which actions stand in which menu, the presets, and the files opened last."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, Signal, SignalInstance
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from attnviz.gui.actions import Actions


class Menus(QMenuBar):
    """The menu bar of the window.

    Parameters
    ----------
    actions
        What the menus offer.
    recent_files
        Asked for the files opened last, each time their menu is about to be shown.
    presets, lessons
        Asked for (name, title) of each in the language of the window, each time that changes.
    """

    preset_chosen = Signal(str)
    lesson_chosen = Signal(str)
    recent_file_chosen = Signal(object)
    """A Path."""

    def __init__(
        self,
        actions: Actions,
        recent_files: Callable[[], list[Path]],
        presets: Callable[[], list[tuple[str, str]]],
        lessons: Callable[[], list[tuple[str, str]]] = list,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._actions = actions
        self._menus = {
            name: self._menu(name, parent_name)
            for name, parent_name in (
                ("file", ""),
                ("recent", "file"),
                ("edit", ""),
                ("view", ""),
                ("language", "view"),
                ("theme", "view"),
                ("engine", "view"),
                ("weights_range", "view"),
                ("mask_panel", "view"),
                ("bars", "view"),
                ("pooling", "view"),
                ("summary", "view"),
                ("presets", ""),
                ("lessons", ""),
                ("help", ""),
            )
        }
        self._fill("file", "new", "open", "recent", "", "save", "save_as", "", "import_arrays")
        self._fill("file", "export_png", "export_panel", "export_window", "export_table", "", "close")
        self._fill("edit", "undo", "redo", "", "copy", "", "edit_sentence", "edit_key_sentence")
        self._fill("edit", "find", "", "cross_attention", "toggle_mask")
        self._fill(
            "view", "language", "theme", "engine", "", "weights_range", "mask_panel", "bars", "pooling"
        )
        self._fill("view", "summary")
        self._fill("view", "", "whole_matrix", "go_to", "refine", "", "code")
        self._fill("help", "keys", "about")
        choices = ("language", "theme", "engine", "weights_range", "mask_panel", "bars", "pooling", "summary")
        for group in choices:
            for action in actions.choices(group):
                self._menus[group].addAction(action)
        self._recent_files, self._presets, self._lessons = recent_files, presets, lessons
        self._menus["recent"].aboutToShow.connect(self._list_recent)
        self._has_titles = False
        for name in ("presets", "lessons"):
            self._menus[name].aboutToShow.connect(self._list_titles_once)
        self.retranslate()

    def menu(self, name: str) -> QMenu:
        """Give one of the menus: file, recent, edit, view, language, …, presets, lessons, help."""
        return self._menus[name]

    def retranslate(self) -> None:
        """Say all texts in the language that is now installed."""
        for name, text in (
            ("file", self.tr("&File")),
            ("recent", self.tr("Open &recent")),
            ("edit", self.tr("&Edit")),
            ("view", self.tr("&View")),
            ("language", self.tr("&Language")),
            ("theme", self.tr("&Theme")),
            ("engine", self.tr("&Engine")),
            ("weights_range", self.tr("Colours of the &weights")),
            ("mask_panel", self.tr("The &mask panel shows")),
            ("bars", self.tr("&Bars of the weights")),
            ("pooling", self.tr("A p&ixel of a long document shows")),
            ("summary", self.tr("Beside the ma&p")),
            ("presets", self.tr("&Presets")),
            ("lessons", self.tr("&Lessons")),
            ("help", self.tr("&Help")),
        ):
            self._menus[name].setTitle(text)
        self._list_recent()
        if self._has_titles:
            self.list_titles()

    @property
    def has_titles(self) -> bool:
        """Whether presets and lessons stand in their menus, whose files are not read before."""
        return self._has_titles

    def _list_titles_once(self) -> None:
        if not self._has_titles:
            self.list_titles()

    def list_titles(self) -> None:
        """Let presets and lessons stand in their menus, which happens by itself before one of these opens."""
        self._has_titles = True
        self._list("presets", "preset", self._presets(), self.preset_chosen)
        self._list("lessons", "lesson", self._lessons(), self.lesson_chosen)
        self._menus["lessons"].addSeparator()
        self._fill("lessons", "open_lesson")

    def _menu(self, name: str, parent_name: str) -> QMenu:
        menu = QMenu(self)
        menu.setObjectName(f"menu/{name}")
        if not parent_name:
            self.addMenu(menu)
        return menu

    def _fill(self, menu: str, *names: str) -> None:
        for name in names:
            if not name:
                self._menus[menu].addSeparator()
            elif name in self._menus:
                self._menus[menu].addMenu(self._menus[name])
            else:
                self._menus[menu].addAction(self._actions[name])

    def _list_recent(self) -> None:
        menu, files = self._menus["recent"], self._recent_files()
        menu.clear()
        for path in files:
            action = menu.addAction(f"{path.name} — {path.parent}".replace("&", "&&"))
            action.triggered.connect(lambda checked=False, path=path: self.recent_file_chosen.emit(path))
        if files:
            menu.addSeparator()
            menu.addAction(self._actions["forget_recent"])
        else:
            menu.addAction(self.tr("No file has been opened yet")).setEnabled(False)

    def _list(self, menu: str, kind: str, titles: list[tuple[str, str]], chosen: SignalInstance) -> None:
        self._menus[menu].clear()
        for name, title in titles:
            action = self._menus[menu].addAction(title.replace("&", "&&"))
            action.setObjectName(f"action/{kind}/{name}")
            action.triggered.connect(lambda checked=False, name=name: chosen.emit(name))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
