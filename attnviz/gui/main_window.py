"""The window a person works in: it makes the parts and connects them.

editor ── edit_asked ──▶ Document ── inputs_changed ──▶ editors, Runner ── stages_ready ──▶ views
"""

from __future__ import annotations

from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QCloseEvent, QContextMenuEvent, QImage
from PySide6.QtWidgets import QWidget

from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Inputs
from attnviz.gui.actions import MOST_HEAD_KEYS
from attnviz.gui.appearance import Appearance
from attnviz.gui.array_watch import ArrayWatch
from attnviz.gui.background import Background
from attnviz.gui.bubble import Bubble
from attnviz.gui.dialogs import open_dialog
from attnviz.gui.document import Document
from attnviz.gui.engine_choice import EngineChoice
from attnviz.gui.files import Files
from attnviz.gui.language import Language
from attnviz.gui.later import Later
from attnviz.gui.lessons import Lessons, lesson_titles
from attnviz.gui.live_stages import LiveStages
from attnviz.gui.panel_deeds import PanelDeeds
from attnviz.gui.part_deeds import PartDeeds
from attnviz.gui.ready_text import ReadyText
from attnviz.gui.see_code import SeeTheCode
from attnviz.gui.settings import OPTIONS, Settings
from attnviz.gui.speech import say
from attnviz.gui.theme import Theme
from attnviz.gui.window_face import SIZE, WindowFace
from attnviz.io.presets import preset_names, preset_title

if TYPE_CHECKING:
    from attnviz.gui.exporting import Exporting
    from attnviz.gui.importing import Importing
    from attnviz.io.picture_wish import PictureWish


class MainWindow(WindowFace):
    """One document in one window.

    Parameters
    ----------
    document
        What is shown and edited.
    settings, appearance, language
        What is remembered, and what the whole application has in common.
    engine
        The engine wished for in this run, see ``EngineChoice``; None: the one remembered.
    """

    closed = Signal()
    """The window is closed for good."""
    discarded = Signal()
    """A person has said that what is not saved may go with the window; it closes next."""
    live: LiveStages | None = None

    def __init__(
        self,
        document: Document,
        settings: Settings,
        appearance: Appearance,
        language: Language,
        engine: str | None = None,
    ) -> None:
        super().__init__(
            lambda: settings.recent_files, lambda: _preset_titles(language), lambda: lesson_titles(language)
        )
        self.document, self._settings = document, settings
        self._appearance, self._language = appearance, language
        document.setParent(self)
        self.engine_choice = EngineChoice(self, settings, engine)
        self.runner = self.engine_choice.runner
        self.live = LiveStages(self, document, self.runner)
        self.background = Background(self)
        self.files = Files(self, document, self.background, settings, language)
        self.lessons = Lessons(self, settings, language)
        self._bubble = Bubble(self)
        self._code = SeeTheCode(self)
        self.closed.connect(self._code.close)
        self._panels = PanelDeeds(self, lambda: appearance.theme)
        self._is_agreed = False
        self.later = Later(self)
        self._connect_document()
        self._connect_parts()
        self._connect_actions()
        self._restore()
        self._show_title()
        self.live.start()
        self._put_off()
        ReadyText(document, self.later, self)

    def picture(self, wish: PictureWish) -> QImage:
        """Draw a picture of what the window shows now."""
        from attnviz.gui.shown_picture import plan_picture  # here and below: most starts draw none

        return plan_picture(self, wish).drawn()

    @cached_property
    def exporting(self) -> Exporting:
        """What the export menu does; made when it is first asked for, since most starts never do."""
        from attnviz.gui.exporting import Exporting
        from attnviz.gui.shown_picture import plan_picture

        exporting = Exporting(
            self,
            self.document,
            self.runner,
            self.background,
            self._settings,
            partial(plan_picture, self),
        )
        exporting.told.connect(self.status.tell)
        exporting.failed.connect(self.refuse)
        return exporting

    @cached_property
    def importing(self) -> Importing:
        """What *Import arrays* does; made when it is first asked for."""
        from attnviz.gui.importing import Importing

        theme = self._appearance
        importing = Importing(self, self.document, self.background, self._settings, lambda: theme.theme)
        importing.told.connect(self.status.tell)
        return importing

    def import_file(self, path: Path) -> None:
        """Ask what the arrays of a file shall become."""
        self.importing.import_file(path)

    def refuse(self, error: AttnvizError, beside: QWidget | None = None) -> None:
        """Say why something was refused, beside a field and in the status line."""
        sentence = say(error)
        self.status.tell(sentence)
        self._bubble.say(sentence, beside if beside is not None else self.menus)

    def abandon(self) -> None:
        """Close the window without asking about unsaved changes."""
        self._is_agreed = True
        self.close()

    def _leave(self) -> None:
        self.discarded.emit()
        self.abandon()

    def _connect_document(self) -> None:
        document, deeds = self.document, self.deeds
        document.inputs_changed.connect(self._follow)
        document.clean_changed.connect(lambda is_clean: self._show_title())
        document.path_changed.connect(lambda path: self._show_title())
        for name in ("undo", "redo"):
            deeds.on(name, getattr(document, name))
            deeds[name].setEnabled(False)
            getattr(document, f"can_{name}_changed").connect(deeds[name].setEnabled)
        for teller in (self.runner, self.background, self.engine_choice, self.lessons):
            teller.failed.connect(self.refuse)
        self.lessons.told.connect(self.status.tell)
        for worker in (self.runner, self.background):
            worker.cancelled.connect(lambda: self.status.tell(self.tr("Cancelled.")))
        self.background.busy_changed.connect(self.status.set_busy_with_files)
        self.background.begun.connect(self.status.set_work_with_files)
        self.background.progress.connect(self.status.set_progress_of_files)
        self.status.cancel_asked.connect(self.background.cancel)
        self._watch = ArrayWatch(document.inputs, self)
        document.inputs_changed.connect(self._watch.follow)
        self._watch.lost.connect(self.refuse)
        self._watch.found.connect(lambda: self.status.tell(self.tr("What was missing is there again.")))
        self._watch.found.connect(self.deeds["refine"].trigger)
        self.files.told.connect(self.status.tell)
        self.files.failed.connect(self.refuse)
        self.files.note_changed.connect(self.parts.show_note)

    def _connect_parts(self) -> None:
        parts, deeds = self.parts, PartDeeds(self)
        deeds.option_chosen.connect(self._choose_option)
        deeds.window_chosen.connect(self._choose_window)
        deeds.order_chosen.connect(self._choose_order)
        deeds.summaries_asked.connect(lambda: self._ask_for_table("summaries"))
        parts.page_made.connect(lambda page: self._show_window())
        parts.weights.order_shown.connect(lambda is_on: self.deeds.show_choice("bars", _order(is_on)))
        self._panels.picture_asked.connect(self._ask_for_picture)
        self._panels.code_asked.connect(self._code.open)

    def _put_off(self) -> None:
        """Leave what cannot be seen at first until the window can be."""
        for name in self.parts.tabs.lacking():
            self.later.add(partial(self.parts.tabs.make, name))
        self.later.add(self.menus.list_titles)
        self.later.add(partial(import_module, "attnviz.text.splitting"))  # for the first text that is entered

    def _connect_actions(self) -> None:
        deeds, files, settings = self.deeds, self.files, self._settings
        for name in ("new", "open", "save", "save_as"):
            deeds.on(name, getattr(files, name))
        deeds.on("forget_recent", settings.forget_recent_files)
        deeds.on("open_lesson", self.lessons.ask)
        deeds.on("close", self.close)
        for name, panel in (
            ("export_png", "stages"),
            ("export_panel", "weights"),
            ("export_window", "window"),
        ):
            deeds.on(name, partial(self._ask_for_picture, panel))
        deeds.on("export_table", self._ask_for_table)
        deeds.on("import_arrays", self._ask_what_to_import)
        deeds.on("copy", self._panels.copy)
        deeds.on("edit_sentence", self.parts.token_editor.edit_sentence)
        deeds.on("edit_key_sentence", partial(self.parts.token_editor.edit_sentence, "key"))
        deeds.on("cross_attention", self.parts.token_editor.toggle_cross)
        deeds.on("toggle_mask", self.parts.hide_future.toggle)
        deeds.on("whole_matrix", self.parts.stages.reset_zoom)
        deeds.on("go_to", self.parts.go_to.ask)
        deeds.on("find", self.parts.token_editor.find_token)
        deeds.on("code", lambda: self._code.open(self._panels.meant()))
        deeds.on("keys", lambda: self._show_dialog("KeysDialog"))
        deeds.on("about", lambda: self._show_dialog("AboutDialog"))
        for head in range(MOST_HEAD_KEYS):
            deeds.on(f"head/{head}", partial(self._choose_head, head))
        deeds.on_choice("language", self._choose_language)
        deeds.on_choice("theme", self._choose_theme)
        for group in OPTIONS:
            deeds.on_choice(group, partial(self._choose_option, group))
        self.menus.preset_chosen.connect(files.open_preset)
        self.menus.lesson_chosen.connect(self.lessons.begin_named)
        self.menus.recent_file_chosen.connect(files.open_file)
        self._appearance.theme_changed.connect(self._take_theme)

    def _restore(self) -> None:
        settings, deeds = self._settings, self.deeds
        deeds.show_choice("language", self._language.name)
        deeds.show_choice("theme", settings.theme)
        for group in OPTIONS:
            self.show_option(group, settings.option(group))
        self._choose_window(settings.window)
        self._take_theme(self._appearance.theme)
        if not self.restoreGeometry(settings.geometry):
            room = self.screen().availableSize()
            self.resize(min(SIZE[0], room.width()), min(SIZE[1], room.height()))
        self.parts.share_out(self.width(), self.height())
        self.parts.restore(settings)

    def _follow(self, inputs: Inputs) -> None:
        self.status.clearMessage()
        if self.document.path is None:
            self._show_title()

    def _show_title(self) -> None:
        self.setWindowTitle(f"{self.files.document_name()}[*] — attnviz")
        if self.isWindowModified() == self.document.is_clean:
            self.setWindowModified(not self.document.is_clean)

    def _take_theme(self, theme: Theme) -> None:
        self.set_theme(theme)
        self._bubble.set_theme(theme)
        self._code.set_theme(theme)

    def _choose_language(self, name: str) -> None:
        self._settings.language = name
        self._language.speak(name)
        self.files.speak_other_language()
        self.lessons.speak_other_language()

    def _choose_theme(self, name: str) -> None:
        self._settings.theme = name
        self._appearance.choose(name)

    def _choose_option(self, group: str, choice: str) -> None:
        self._settings.set_option(group, choice)
        self.show_option(group, choice)

    def _choose_order(self, by_weight: bool) -> None:
        """Remember the order of the bars; that of very many is a matter of the document."""
        if self.parts.weights.has_many_keys():
            self.deeds.show_choice("bars", _order(by_weight))
        else:
            self._choose_option("bars", _order(by_weight))

    def _choose_window(self, width: int) -> None:
        self._settings.window = width
        self._show_window()
        if self.live is not None:
            self.live.set_window(width)

    def _show_window(self) -> None:
        """Show the width of the window of the summaries wherever it can be chosen by now."""
        self.parts.marginals.show_window(self._settings.window)
        if "all_heads" not in self.parts.tabs.lacking():
            self.parts.all_heads.show_window(self._settings.window)

    def _choose_head(self, head: int) -> None:
        if head < self.document.inputs.n_heads:
            self.document.select_head(head)

    def _ask_for_picture(self, panel: str) -> None:
        self.exporting.ask_for_picture(panel, self._appearance.theme.name)

    def _ask_what_to_import(self) -> None:
        self.importing.ask_for_file()

    def _ask_for_table(self, stage: str = "weights") -> None:
        self.exporting.ask_for_table(stage, self._settings.window)

    def _show_dialog(self, name: str) -> None:
        from attnviz.gui import help_dialogs  # only now: most people never ask

        open_dialog(getattr(help_dialogs, name)(self))

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if self.live is not None:
            self.live.clock.painted(event)
        if event.type() == QEvent.Type.UpdateRequest and self.stages is not None:
            self.later.begin()
        return done

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._show_title()
        super().changeEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._panels.open_menu(event.globalPos())

    def closeEvent(self, event: QCloseEvent) -> None:
        self.lessons.put_back()
        if not (self._is_agreed or self.document.is_clean):
            event.ignore()
            self.files.ask_about_changes(self._leave)
            return
        self._settings.geometry = self.saveGeometry()
        self.parts.remember(self._settings)
        self.later.drop()
        self._watch.stop()
        self.background.close()
        self.runner.close()
        event.accept()
        self.closed.emit()


def _order(by_weight: bool) -> str:
    return "by_weight" if by_weight else "by_token"


def _preset_titles(language: Language) -> list[tuple[str, str]]:
    return [(name, preset_title(name, language.name)) for name in preset_names()]
