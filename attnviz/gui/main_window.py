"""The window a person works in: it makes the parts and connects them.

editor ── edit_asked ──▶ Document ── inputs_changed ──▶ editors, Runner ── stages_ready ──▶ views
"""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QCloseEvent, QContextMenuEvent, QImage
from PySide6.QtWidgets import QWidget

from attnviz.core.edits import Edit
from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Inputs
from attnviz.gui.actions import MOST_HEAD_KEYS
from attnviz.gui.appearance import Appearance
from attnviz.gui.array_watch import ArrayWatch
from attnviz.gui.background import Background
from attnviz.gui.bubble import Bubble
from attnviz.gui.dialogs import open_dialog
from attnviz.gui.document import Document
from attnviz.gui.editors.editor import Editor
from attnviz.gui.engine_choice import EngineChoice
from attnviz.gui.files import Files
from attnviz.gui.language import Language
from attnviz.gui.lessons import Lessons, lesson_titles
from attnviz.gui.live_stages import LiveStages
from attnviz.gui.panel_deeds import PanelDeeds
from attnviz.gui.see_code import SeeTheCode
from attnviz.gui.settings import OPTIONS, Settings
from attnviz.gui.shown_picture import plan_picture
from attnviz.gui.source_notice import SourceNotice
from attnviz.gui.speech import say
from attnviz.gui.theme import Theme
from attnviz.gui.views.plain_table import PlainTable
from attnviz.gui.window_face import SIZE, WindowFace
from attnviz.io.picture_wish import PictureWish
from attnviz.io.presets import preset_names, preset_title

if TYPE_CHECKING:
    from attnviz.gui.exporting import Exporting
    from attnviz.gui.importing import Importing


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
        self._source_notice = SourceNotice(self)
        self._code = SeeTheCode(self)
        self.closed.connect(self._code.close)
        self._asking: QWidget = self
        self._panels = PanelDeeds(self, lambda: appearance.theme)
        self._is_agreed = False
        self._connect_document()
        self._connect_parts()
        self._connect_actions()
        self._restore()
        self._show_title()
        self.live.start()

    def picture(self, wish: PictureWish) -> QImage:
        """Draw a picture of what the window shows now."""
        return plan_picture(self, wish).drawn()

    @cached_property
    def exporting(self) -> Exporting:
        """What the export menu does; made when it is first asked for, since most starts never do."""
        from attnviz.gui.exporting import Exporting

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
        document.refused.connect(lambda error: self.refuse(error, self._field_of(self._asking)))
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
        self._source_notice.told.connect(self.status.tell)
        self._watch = ArrayWatch(document.inputs, self)
        document.inputs_changed.connect(self._watch.follow)
        self._watch.lost.connect(self.refuse)
        self._watch.found.connect(lambda: self.status.tell(self.tr("What was missing is there again.")))
        self._watch.found.connect(self.deeds["refine"].trigger)
        self.files.told.connect(self.status.tell)
        self.files.failed.connect(self.refuse)
        self.files.note_changed.connect(self.parts.show_note)

    def _connect_parts(self) -> None:
        document, parts = self.document, self.parts
        for editor in parts.editors:
            editor.edit_asked.connect(lambda edit, gesture, who=editor: self._apply(who, edit, gesture))
            editor.refused.connect(lambda error, who=editor: self.refuse(error, self._field_of(who)))
            editor.query_chosen.connect(document.select_query)
            editor.key_chosen.connect(document.select_key)
            editor.head_chosen.connect(document.select_head)
        self._panels.picture_asked.connect(self._ask_for_picture)
        self._panels.code_asked.connect(self._code.open)
        parts.stages.cell_chosen.connect(document.select_cell)
        parts.stages.query_chosen.connect(document.select_query)
        for finder in (parts.go_to, parts.token_editor):
            finder.cell_asked.connect(self._go_to_cell)
        parts.token_editor.text_asked.connect(self._edit_long_text)
        parts.stages.mask_painted.connect(parts.mask_panel.paint)
        parts.stages.mask_toggled.connect(parts.mask_panel.toggle)
        parts.mask_panel.painting_changed.connect(parts.stages.set_painting)
        parts.weights.cell_chosen.connect(document.select_cell)
        parts.arithmetic.cell_chosen.connect(document.select_cell)
        for chooser in (parts.marginals, parts.all_heads):
            chooser.measure_chosen.connect(partial(self._choose_option, "summary"))
            chooser.window_chosen.connect(self._choose_window)
            chooser.refused.connect(lambda error, who=chooser: self.refuse(error, self._field_of(who)))
        parts.marginals.query_chosen.connect(document.select_query)
        parts.all_heads.export_asked.connect(lambda: self._ask_for_table("summaries"))
        for table in (parts.layer.head_outputs, parts.layer.output):
            table.query_chosen.connect(document.select_query)
        all_heads = parts.all_heads
        for heads in (parts.layer.head_outputs, parts.layer.strip, all_heads.grid, all_heads.table):
            heads.head_chosen.connect(document.select_head)
        for view in (parts.arithmetic, parts.output):
            view.term_chosen.connect(self._go_to_field)
        for plain_table in parts.findChildren(PlainTable):
            plain_table.told.connect(self.status.tell)
        parts.note.dismissed.connect(lambda: parts.show_note(""))
        parts.weights.order_chosen.connect(self._choose_order)
        parts.weights.order_shown.connect(lambda is_on: self.deeds.show_choice("bars", _order(is_on)))

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

    def _apply(self, who: Editor, edit: Edit, gesture: str) -> None:
        self._asking = who
        before = self.document.inputs
        self.document.apply(edit, gesture)
        self._source_notice.compare(before, self.document.inputs, gesture)
        self._asking = self

    def _field_of(self, who: QWidget) -> QWidget:
        """Give the field within an editor that a person is at, or the editor."""
        focus = self.focusWidget()
        return focus if focus is not None and who.isAncestorOf(focus) else who

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
        for part in (self.parts.marginals, self.parts.all_heads):
            part.show_window(width)
        if self.live is not None:
            self.live.set_window(width)

    def _choose_head(self, head: int) -> None:
        if head < self.document.inputs.n_heads:
            self.document.select_head(head)

    def _ask_for_picture(self, panel: str) -> None:
        self.exporting.ask_for_picture(panel, self._appearance.theme.name)

    def _ask_what_to_import(self) -> None:
        self.importing.ask_for_file()

    def _ask_for_table(self, stage: str = "weights") -> None:
        self.exporting.ask_for_table(stage, self._settings.window)

    def _edit_long_text(self, which: Literal["query", "key"], text: str) -> None:
        """Let a text be edited that is too long for a line."""
        from attnviz.gui.long_text import edit_long_text  # only now: most people never write so much

        edit_long_text(self, self.document, self.parts.token_editor, which, text)

    def _go_to_cell(self, query: int, key: int) -> None:
        """Select a cell and bring it into the middle of the panels."""
        self.document.select_cell(query, key)
        self.parts.stages.show_cell(query, key)

    def _go_to_field(self, which: str, token: int, dim: int) -> None:
        """Lead to the field where a number of q, k or v is edited: a slider's, or a cell of the table.

        A number derived from x is led to where it is derived.
        """
        selection, vectors = self.document.selection, self.parts.vectors
        is_derived = self.document.inputs.heads[selection.head].projection is not None
        field = self.parts.query_sliders.findChild(QWidget, f"q/{selection.head}/{dim}/number")
        at_slider = which == "q" and token == selection.query and not is_derived
        if at_slider and field is not None and field.isVisible():
            field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        self.parts.show_tab(vectors)
        vectors.focus_cell(which, token, dim)

    def _show_dialog(self, name: str) -> None:
        from attnviz.gui import help_dialogs  # only now: most people never ask

        open_dialog(getattr(help_dialogs, name)(self))

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if self.live is not None:
            self.live.clock.painted(event)
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
        self._watch.stop()
        self.background.close()
        self.runner.close()
        event.accept()
        self.closed.emit()


def _order(by_weight: bool) -> str:
    return "by_weight" if by_weight else "by_token"


def _preset_titles(language: Language) -> list[tuple[str, str]]:
    return [(name, preset_title(name, language.name)) for name in preset_names()]
