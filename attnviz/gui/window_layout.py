"""Where everything stands in the window: a row of tools, the tokens, three columns, and tabs below.

Placing only: nothing here is connected to a document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from attnviz.gui.actions import Actions
from attnviz.gui.editors.editor import Editor
from attnviz.gui.editors.go_to_bar import GoToBar
from attnviz.gui.editors.head_bar import HeadBar
from attnviz.gui.editors.hide_future import HideFuture
from attnviz.gui.editors.mask_panel import MaskPanel
from attnviz.gui.editors.query_sliders import QuerySliders
from attnviz.gui.editors.scale_strength import ScaleStrength
from attnviz.gui.editors.slim_scroll_bar import SlimScrollBar
from attnviz.gui.editors.token_editor import TokenEditor
from attnviz.gui.lesson_panel import LessonPanel
from attnviz.gui.recovery_bar import RecoveryBar
from attnviz.gui.settings import Settings
from attnviz.gui.splitter import Line, Splitter
from attnviz.gui.tab_pages import TabPages
from attnviz.gui.theme import SPACE, Theme
from attnviz.gui.views.marginal_plot import MarginalPlot
from attnviz.gui.views.note_view import NoteView
from attnviz.gui.views.output_view import OutputView
from attnviz.gui.views.stage_grid import StageGrid
from attnviz.gui.views.weight_bars import WeightBars

if TYPE_CHECKING:
    from attnviz.gui.editors.vector_table import VectorTable
    from attnviz.gui.heads_page import HeadsPage
    from attnviz.gui.layer_page import LayerPage
    from attnviz.gui.tab_pages import PageView
    from attnviz.gui.views.arithmetic_table import ArithmeticTable
    from attnviz.gui.views.head_outputs import HeadOutputs
    from attnviz.gui.views.shape_view import ShapeView

    View = StageGrid | WeightBars | OutputView | MarginalPlot | PageView

ROW = 28
"""Height of the controls in the row of tools, in px."""
_SHARES = {"columns": (19, 58, 23), "rows": (76, 24), "right": (80, 20)}
"""Hundredths of each splitter that its parts have at first."""
_LOW = 860
"""In a window lower than this, in px, the tabs leave a fifth of what is lacking to the stages."""
_LEAST_BESIDE = 168
"""The least width in px of what stands beside the stages: names, a slider or bar, and a number."""


class WindowLayout(QWidget):
    """All editors and views of the window, in their places.

    Parameters
    ----------
    actions
        Those that have a button in the row of tools.

    Signals
    -------
    tab_changed()
        Another page of the tabs is in front.
    page_made(QWidget)
        A page of the tabs has been made; its editors and views are among ``editors`` and ``views`` now.
    """

    tab_changed = Signal()
    page_made = Signal(object)

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.recovery = RecoveryBar()
        self.lesson = LessonPanel()
        self.heads = HeadBar()
        self.hide_future = HideFuture()
        self.scale_strength = ScaleStrength()
        self.token_editor = TokenEditor()
        self.query_sliders = QuerySliders()
        self.mask_panel = MaskPanel()
        self.go_to = GoToBar()
        self.stages = StageGrid()
        self.marginals = MarginalPlot()
        self.weights = WeightBars()
        self.output = OutputView()
        self.note = NoteView()
        self.tabs = TabPages()
        self.stages.set_panel_tools("masked", self.mask_panel)
        self._note_page = _scrolling(self.note)
        self._scroll_bars = [bar for page in (*self.views, self._note_page) for bar in _slim_bars(page)]
        self._theme: Theme | None = None
        self.tabs.page_made.connect(self._take_page)
        self.tabs.page_shown.connect(self.tab_changed)
        self._export = _menu_button(actions)
        self._tools = QWidget()
        self._middle = QWidget()
        self._right = Splitter(Qt.Orientation.Vertical, "right")
        self._columns = Splitter(Qt.Orientation.Horizontal, "columns")
        self._rows = Splitter(Qt.Orientation.Vertical, "rows")
        self._splitters = (self._columns, self._rows, self._right)
        self._heights: list[int] = []  # of the rows, before a lesson
        self._lay_out(actions)
        self.retranslate()

    def regions(self) -> tuple[QWidget, ...]:
        """Give the regions of the window in the order they are read."""
        left = (self.recovery, self._tools, self.token_editor, self.query_sliders)
        return (*left, self._middle, self._right, self.lesson, self.tabs)

    @property
    def editors(self) -> tuple[Editor, ...]:
        """All editors there are; those of a page of the tabs once it has been made."""
        above = (self.heads, self.hide_future, self.scale_strength, self.token_editor, self.query_sliders)
        return (*above, self.mask_panel, *self.tabs.editors, self.go_to)

    @property
    def views(self) -> tuple[View, ...]:
        """All views there are; those of a page of the tabs once it has been made."""
        return self.stages, self.weights, self.output, *self.tabs.views, self.marginals

    @property
    def arithmetic(self) -> ArithmeticTable:
        """The page of the arithmetic."""
        return self.tabs.arithmetic

    @property
    def vectors(self) -> VectorTable:
        """The page of q, k and v; like those below it is made when it is first asked for."""
        return self.tabs.vectors

    @property
    def layer(self) -> LayerPage:
        """The page from the heads to the output."""
        return self.tabs.layer

    @property
    def head_outputs(self) -> HeadOutputs:
        """The outputs of all heads, on that page."""
        return self.tabs.layer.head_outputs

    @property
    def all_heads(self) -> HeadsPage:
        """The page of all heads."""
        return self.tabs.all_heads

    @property
    def shapes(self) -> ShapeView:
        """The page of shapes."""
        return self.tabs.shapes

    def pages(self) -> tuple[QWidget, ...]:
        """Give the pages that are always there, from left to right, or what stands for one yet to be made."""
        return self.tabs.pages()

    def is_in_front(self, name: str) -> bool:
        """Say whether the page of this object name is in front."""
        return self.tabs.currentWidget().objectName() == name

    def _page_of(self, widget: QWidget) -> QWidget | None:
        """Give the page of the tabs that a widget is, or is in."""
        pages = (self.tabs.widget(index) for index in range(self.tabs.count()))
        return next((page for page in pages if page and (page is widget or page.isAncestorOf(widget))), None)

    def is_shown(self, widget: QWidget) -> bool:
        """Say whether a view or editor can be seen: not so in a tab that is not in front."""
        if not self.tabs.isAncestorOf(widget):  # most of them, and each is asked about with every edit
            return True
        page = self.tabs.currentWidget()
        return page is widget or page.isAncestorOf(widget)

    def show_tab(self, widget: QWidget) -> None:
        """Bring a tab, or the one that holds a widget, to the front."""
        page = self._page_of(widget)
        if page is not None:
            self.tabs.setCurrentWidget(page)

    def show_note(self, markdown: str) -> None:
        """Show a note in a tab of its own, in front; an empty one takes the tab away."""
        self.note.set_note(markdown)
        index = self.tabs.indexOf(self._note_page)
        if markdown and index < 0:
            self.tabs.insertTab(0, self._note_page, self.tr("Note"))
            self.tabs.setCurrentIndex(0)
        elif not markdown and index >= 0:
            self.tabs.removeTab(index)

    def show_lesson(self, is_shown: bool) -> None:
        """Show the lesson beside the tabs, or take it away and give the rows the heights they had before."""
        if is_shown and self.lesson.isHidden():
            self._heights = self._rows.sizes()
        self.lesson.setVisible(is_shown)
        if not is_shown and sum(self._heights) == sum(self._rows.sizes()):
            self._rows.setSizes(self._heights)

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        for editor in self.editors:
            editor.set_theme(theme)
        for view in self.views:
            view.set_theme(theme)
        self.note.set_theme(theme)
        self.recovery.set_theme(theme)
        self.lesson.set_theme(theme)
        for bar in self._scroll_bars:
            bar.set_theme(theme)

    def share_out(self, width: int, height: int) -> None:
        """Give all parts the sizes that suit a window of this width and height in px."""
        for splitter in self._splitters:
            name = splitter.objectName()
            whole = width if name == "columns" else height
            sizes = [whole * share // 100 for share in _SHARES[name]]
            if name == "rows":
                taken = max(0, _LOW - height) // 5
                sizes = [sizes[0] + taken, sizes[1] - taken]
            splitter.setSizes(sizes)

    def restore(self, settings: Settings) -> None:
        """Give all parts the sizes they had last, where there was a last time."""
        for splitter in self._splitters:
            sizes = settings.sizes(splitter.objectName())
            if len(sizes) == splitter.count():
                splitter.setSizes(sizes)
        for page in self.pages():
            if page.objectName() == settings.tab:
                self.tabs.setCurrentWidget(page)

    def remember(self, settings: Settings) -> None:
        """Keep the sizes of all parts for the next time."""
        for splitter in self._splitters:
            settings.set_sizes(splitter.objectName(), splitter.sizes())
        settings.tab = self.tabs.currentWidget().objectName()

    def retranslate(self) -> None:
        """Say all texts in the language that is now installed."""
        texts = {
            "arithmetic": self.tr("Arithmetic"),
            "vectors": self.tr("Vectors q k v"),
            "heads_to_output": self.tr("Heads and output"),
            "all_heads": self.tr("All heads"),
            "shapes": self.tr("Shapes"),
        }
        for index in range(self.tabs.count()):
            page = self.tabs.widget(index)
            self.tabs.setTabText(index, texts.get(page.objectName() if page else "", self.tr("Note")))
        self.tabs.tabBar().setAccessibleName(self.tr("Tabs below the maps"))
        self._export.setText(self.tr("Export PNG"))
        self._export.setToolTip(self.tr("Export a picture, or the numbers of a stage"))

    def _take_page(self, page: QWidget) -> None:
        """Let a page that has just been made look like all others."""
        views = [view for view in self.tabs.views if view is page or page.isAncestorOf(view)]
        editors = [editor for editor in self.tabs.editors if editor is page or page.isAncestorOf(editor)]
        bars = [bar for view in views for bar in _slim_bars(view)]
        self._scroll_bars += bars
        if self._theme is not None:
            for part in (*editors, *views, *bars):
                part.set_theme(self._theme)
        self.page_made.emit(page)

    def _lay_out(self, actions: Actions) -> None:
        tools = QHBoxLayout(self._tools)
        tools.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, SPACE)
        tools.setSpacing(3 * SPACE)
        history = QHBoxLayout()
        history.setSpacing(SPACE)
        for name in ("undo", "redo"):
            history.addWidget(_button(actions, name), 0, Qt.AlignmentFlag.AlignTop)
        tools.addLayout(history)
        tools.addWidget(self.heads, 1, Qt.AlignmentFlag.AlignTop)  # it keeps room for a scroll bar below
        for control in (self.hide_future, self.scale_strength, self._export):
            control.setFixedHeight(ROW)
            tools.addWidget(control, 0, Qt.AlignmentFlag.AlignTop)
        part: QWidget
        for part in (self.weights, self.output):
            page = QWidget()
            inner = QVBoxLayout(page)
            inner.setContentsMargins(SPACE, 2 * SPACE, 2 * SPACE, SPACE)
            inner.addWidget(part)
            self._right.addWidget(page)
        inner = QVBoxLayout(self._middle)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(0)
        inner.addWidget(self.go_to)
        maps = QHBoxLayout()
        maps.addWidget(self.stages, 1)
        maps.addWidget(self.marginals)
        inner.addLayout(maps, 1)
        self.marginals.follow(self.stages.row_span)
        self.stages.rows_moved.connect(self.marginals.rows_moved)
        for part in (self.query_sliders, self._middle, self._right):
            self._columns.addWidget(part)
        for part in (self.query_sliders, self._right):
            part.setMinimumWidth(_LEAST_BESIDE)
        self._rows.addWidget(self._columns)
        below = QWidget()
        beside = QHBoxLayout(below)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.setSpacing(0)
        beside.addWidget(self.lesson, 2)
        beside.addWidget(self.tabs, 3)
        self._rows.addWidget(below)
        for splitter, stretch in ((self._columns, (0, 1, 0)), (self._rows, (1, 0)), (self._right, (1, 0))):
            for index, factor in enumerate(stretch):
                splitter.setStretchFactor(index, factor)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.recovery)
        column.addWidget(self._tools)
        column.addWidget(Line())
        column.addWidget(self.token_editor)
        column.addWidget(Line())
        column.addWidget(self._rows, 1)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)


def _button(actions: Actions, name: str) -> QToolButton:
    button = QToolButton()
    button.setObjectName(name)
    button.setDefaultAction(actions[name])
    button.setAutoRaise(True)
    button.setFixedHeight(ROW)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def _menu_button(actions: Actions) -> QToolButton:
    """Give the button whose click exports the four stages, and whose menu holds all other exports."""
    button = QToolButton()
    button.setObjectName("export")
    menu = QMenu(button)
    for name in ("export_png", "export_panel", "export_window"):
        menu.addAction(actions[name])
    menu.addSeparator()
    menu.addAction(actions["export_table"])
    button.setMenu(menu)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
    button.clicked.connect(actions["export_png"].trigger)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


def _slim_bars(page: QWidget) -> list[SlimScrollBar]:
    """Give all that scrolls in a page the scroll bars of the editors."""
    areas = [page, *page.findChildren(QAbstractScrollArea)]
    bars = []
    for area in areas:
        if isinstance(area, QAbstractScrollArea) and not isinstance(area, QHeaderView):
            across, down = SlimScrollBar(Qt.Orientation.Horizontal), SlimScrollBar(Qt.Orientation.Vertical)
            area.setHorizontalScrollBar(across)
            area.setVerticalScrollBar(down)
            bars += [across, down]
    return bars


def _scrolling(widget: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setWidget(widget)
    return area
