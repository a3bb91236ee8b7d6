"""Where everything stands in the window: a row of tools, the tokens, three columns, and tabs below.

Placing only: nothing here is connected to a document.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QScrollArea,
    QTabWidget,
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
from attnviz.gui.editors.vector_table import VectorTable
from attnviz.gui.heads_page import HeadsPage
from attnviz.gui.layer_page import LayerPage
from attnviz.gui.lesson_panel import LessonPanel
from attnviz.gui.recovery_bar import RecoveryBar
from attnviz.gui.settings import Settings
from attnviz.gui.splitter import Line, Splitter
from attnviz.gui.theme import SPACE, Theme
from attnviz.gui.views.arithmetic_table import ArithmeticTable
from attnviz.gui.views.head_grid import HeadGrid
from attnviz.gui.views.head_outputs import HeadOutputs
from attnviz.gui.views.head_shares import HeadShares
from attnviz.gui.views.head_strip import HeadStrip
from attnviz.gui.views.layer_output import LayerOutput
from attnviz.gui.views.marginal_plot import MarginalPlot
from attnviz.gui.views.note_view import NoteView
from attnviz.gui.views.output_view import OutputView
from attnviz.gui.views.shape_view import ShapeView
from attnviz.gui.views.stage_grid import StageGrid
from attnviz.gui.views.summary_table import SummaryTable
from attnviz.gui.views.weight_bars import WeightBars

ROW = 28
"""Height of the controls in the row of tools, in px."""
_SHARES = {"columns": (19, 58, 23), "rows": (76, 24), "right": (80, 20)}
"""Hundredths of each splitter that its parts have at first."""
_LOW = 860
"""In a window lower than this, in px, the tabs leave a fifth of what is lacking to the stages."""
_LEAST_BESIDE = 168
"""The least width in px of what stands beside the stages: names, a slider or bar, and a number."""

View = (
    StageGrid
    | WeightBars
    | OutputView
    | ArithmeticTable
    | HeadStrip
    | HeadOutputs
    | LayerOutput
    | HeadShares
    | ShapeView
    | MarginalPlot
    | HeadGrid
    | SummaryTable
)


class WindowLayout(QWidget):
    """All editors and views of the window, in their places.

    Parameters
    ----------
    actions
        Those that have a button in the row of tools.
    """

    tab_changed = Signal()

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
        self.vectors = VectorTable()
        self.go_to = GoToBar()
        self.stages = StageGrid()
        self.marginals = MarginalPlot()
        self.weights = WeightBars()
        self.output = OutputView()
        self.arithmetic = ArithmeticTable()
        self.layer = layer = LayerPage()
        self.head_outputs = layer.head_outputs
        self.all_heads = HeadsPage()
        self.shapes = ShapeView()
        self.note = NoteView()
        self.editors: tuple[Editor, ...] = (
            self.heads, self.hide_future, self.scale_strength, self.token_editor, self.query_sliders,
            self.mask_panel, self.vectors, layer.output_map, self.go_to,
        )  # fmt: skip
        self.views: tuple[View, ...] = (
            self.stages,
            self.weights,
            self.output,
            self.arithmetic,
            layer.strip,
            layer.head_outputs,
            layer.output,
            layer.shares,
            self.shapes,
            self.marginals,
            self.all_heads.grid,
            self.all_heads.table,
        )
        self.stages.set_panel_tools("masked", self.mask_panel)
        self._note_page = _scrolling(self.note)
        self._scroll_bars = [bar for page in (*self.views, self._note_page) for bar in _slim_bars(page)]
        self.tabs = QTabWidget()
        self.tabs.setObjectName("tabs")
        self.tabs.setDocumentMode(True)
        for page in self.pages():
            self.tabs.addTab(page, "")
        self.tabs.currentChanged.connect(lambda index: self.tab_changed.emit())
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

    def pages(self) -> tuple[QWidget, ...]:
        """Give the pages that are always there, from left to right."""
        return self.arithmetic, self.vectors, self.layer, self.all_heads, self.shapes

    def _page_of(self, widget: QWidget) -> QWidget | None:
        """Give the page of the tabs that a widget is, or is in."""
        pages = (self.tabs.widget(index) for index in range(self.tabs.count()))
        return next((page for page in pages if page and (page is widget or page.isAncestorOf(widget))), None)

    def is_shown(self, widget: QWidget) -> bool:
        """Say whether a view or editor can be seen: not so in a tab that is not in front."""
        page = self._page_of(widget)
        return page is None or page is self.tabs.currentWidget()

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
        for page, text in (
            (self.arithmetic, self.tr("Arithmetic")),
            (self.vectors, self.tr("Vectors q k v")),
            (self.layer, self.tr("Heads and output")),
            (self.all_heads, self.tr("All heads")),
            (self.shapes, self.tr("Shapes")),
            (self._note_page, self.tr("Note")),
        ):
            index = self.tabs.indexOf(page)
            if index >= 0:
                self.tabs.setTabText(index, text)
        self.tabs.tabBar().setAccessibleName(self.tr("Tabs below the maps"))
        self._export.setText(self.tr("Export PNG"))
        self._export.setToolTip(self.tr("Export a picture, or the numbers of a stage"))

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
