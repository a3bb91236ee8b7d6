"""What editors and views ask for, and where that goes: the document, another field, a sentence of refusal.

editor ── edit_asked ──▶ Document.apply;  view ── cell_chosen, term_chosen … ──▶ selection, field

Editors and views of a page of the tabs are connected when the page is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from attnviz.core.edits import Edit
from attnviz.gui.editors.editor import Editor
from attnviz.gui.source_notice import SourceNotice
from attnviz.gui.views.plain_table import PlainTable

if TYPE_CHECKING:
    from attnviz.gui.heads_page import HeadsPage
    from attnviz.gui.main_window import MainWindow
    from attnviz.gui.views.marginal_plot import MarginalPlot


class PartDeeds(QObject):
    """Connects the parts of a window with its document, and knows which of them asked.

    Signals
    -------
    option_chosen(group, choice)
        A choice of the View menu was made beside the views.
    window_chosen(width)
        The summaries are to be of a window of another width.
    order_chosen(by_weight)
        The bars are to stand in another order.
    summaries_asked()
        What sums up the rows of all heads is to be exported.
    """

    option_chosen = Signal(str, str)
    window_chosen = Signal(int)
    order_chosen = Signal(bool)
    summaries_asked = Signal()

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._document, self._parts = window, window.document, window.parts
        self._asking: QWidget = window
        self._notice = SourceNotice(window)
        self._notice.told.connect(window.status.tell)
        self._document.refused.connect(lambda error: window.refuse(error, self._field_of(self._asking)))
        for editor in self._parts.editors:
            self._connect_editor(editor)
        for page in self._parts.pages():
            self._connect_page(page)
        self._parts.page_made.connect(self._take_page)
        self._connect_views()

    def _take_page(self, page: QWidget) -> None:
        for editor in self._parts.editors:
            if editor is page or page.isAncestorOf(editor):
                self._connect_editor(editor)
        self._connect_page(page)

    def _connect_editor(self, editor: Editor) -> None:
        document = self._document
        editor.edit_asked.connect(lambda edit, gesture: self._apply(editor, edit, gesture))
        editor.refused.connect(lambda error: self._window.refuse(error, self._field_of(editor)))
        editor.query_chosen.connect(document.select_query)
        editor.key_chosen.connect(document.select_key)
        editor.head_chosen.connect(document.select_head)

    def _connect_page(self, page: QWidget) -> None:
        """Connect the views of a page of the tabs; one that stands for what is yet to come has none."""
        document, tabs = self._document, self._parts.tabs
        if tabs.is_made(page, "arithmetic"):
            tabs.arithmetic.cell_chosen.connect(document.select_cell)
            tabs.arithmetic.term_chosen.connect(self._go_to_field)
        elif tabs.is_made(page, "heads_to_output"):
            layer = tabs.layer
            for table in (layer.head_outputs, layer.output):
                table.query_chosen.connect(document.select_query)
            for heads in (layer.head_outputs, layer.strip):
                heads.head_chosen.connect(document.select_head)
        elif tabs.is_made(page, "all_heads"):
            self._connect_measures(tabs.all_heads)
            tabs.all_heads.export_asked.connect(self.summaries_asked)
            for heads_view in (tabs.all_heads.grid, tabs.all_heads.table):
                heads_view.head_chosen.connect(document.select_head)
        for plain_table in page.findChildren(PlainTable):
            plain_table.told.connect(self._window.status.tell)

    def _connect_views(self) -> None:
        document, parts = self._document, self._parts
        parts.stages.cell_chosen.connect(document.select_cell)
        parts.stages.query_chosen.connect(document.select_query)
        for finder in (parts.go_to, parts.token_editor):
            finder.cell_asked.connect(self._go_to_cell)
        parts.token_editor.text_asked.connect(self._edit_long_text)
        parts.stages.mask_painted.connect(parts.mask_panel.paint)
        parts.stages.mask_toggled.connect(parts.mask_panel.toggle)
        parts.mask_panel.painting_changed.connect(parts.stages.set_painting)
        self._connect_measures(parts.marginals)
        parts.marginals.query_chosen.connect(document.select_query)
        parts.weights.cell_chosen.connect(document.select_cell)
        parts.weights.order_chosen.connect(self.order_chosen)
        parts.output.term_chosen.connect(self._go_to_field)
        parts.note.dismissed.connect(lambda: parts.show_note(""))

    def _connect_measures(self, chooser: MarginalPlot | HeadsPage) -> None:
        chooser.measure_chosen.connect(lambda measure: self.option_chosen.emit("summary", measure))
        chooser.window_chosen.connect(self.window_chosen)
        chooser.refused.connect(lambda error: self._window.refuse(error, self._field_of(chooser)))

    def _apply(self, who: Editor, edit: Edit, gesture: str) -> None:
        self._asking = who
        before = self._document.inputs
        self._document.apply(edit, gesture)
        self._notice.compare(before, self._document.inputs, gesture)
        self._asking = self._window

    def _field_of(self, who: QWidget) -> QWidget:
        """Give the field within an editor that a person is at, or the editor."""
        focus = self._window.focusWidget()
        return focus if focus is not None and who.isAncestorOf(focus) else who

    def _edit_long_text(self, which: Literal["query", "key"], text: str) -> None:
        """Let a text be edited that is too long for a line."""
        from attnviz.gui.long_text import edit_long_text  # only now: most people never write so much

        window, editor = self._window, self._parts.token_editor
        edit_long_text(window, self._document, window.background, editor, which, text)

    def _go_to_cell(self, query: int, key: int) -> None:
        """Select a cell and bring it into the middle of the panels."""
        self._document.select_cell(query, key)
        self._parts.stages.show_cell(query, key)

    def _go_to_field(self, which: str, token: int, dim: int) -> None:
        """Lead to the field where a number of q, k or v is edited: a slider's, or a cell of the table.

        A number derived from x is led to where it is derived.
        """
        selection, parts = self._document.selection, self._parts
        is_derived = self._document.inputs.heads[selection.head].projection is not None
        field = parts.query_sliders.findChild(QWidget, f"q/{selection.head}/{dim}/number")
        at_slider = which == "q" and token == selection.query and not is_derived
        if at_slider and field is not None and field.isVisible():
            field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        vectors = parts.vectors
        parts.show_tab(vectors)
        vectors.focus_cell(which, token, dim)
