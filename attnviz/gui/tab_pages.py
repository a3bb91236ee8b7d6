"""The tabs below the maps, and their pages, each made when it is first looked at or asked for.

Until then an empty page of the same object name stands in its place. Nothing here is connected to a document.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QTabWidget, QWidget

from attnviz.gui.editors.editor import Editor
from attnviz.gui.views.arithmetic_table import ArithmeticTable

if TYPE_CHECKING:
    from attnviz.gui.editors.vector_table import VectorTable
    from attnviz.gui.heads_page import HeadsPage
    from attnviz.gui.layer_page import LayerPage
    from attnviz.gui.views.head_grid import HeadGrid
    from attnviz.gui.views.head_outputs import HeadOutputs
    from attnviz.gui.views.head_shares import HeadShares
    from attnviz.gui.views.head_strip import HeadStrip
    from attnviz.gui.views.layer_output import LayerOutput
    from attnviz.gui.views.shape_view import ShapeView
    from attnviz.gui.views.summary_table import SummaryTable

    PageView = (
        ArithmeticTable
        | HeadGrid
        | HeadOutputs
        | HeadShares
        | HeadStrip
        | LayerOutput
        | ShapeView
        | SummaryTable
    )

_Page = TypeVar("_Page", bound=QWidget)

PAGES = {
    "arithmetic": "arithmetic",
    "vectors": "vectors",
    "heads_to_output": "layer",
    "all_heads": "all_heads",
    "shapes": "shapes",
}
"""The pages that are always there, by object name, from left to right, and what they are called here."""

LEAST = 96
"""Least height in px of a page, that of the highest: what stands for it has it too, so that nothing moves."""


class TabPages(QTabWidget):
    """The tabs; each page is an attribute, which makes the page when it is first asked for.

    Signals
    -------
    page_made(QWidget)
        A page has been made and stands in its place; what it holds is in ``editors`` and ``views`` now.
    page_shown()
        Another page is in front, and it has been made.
    """

    page_made = Signal(object)
    page_shown = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tabs")
        self.setDocumentMode(True)
        self.editors: list[Editor] = []
        self.views: list[PageView] = []
        for name in PAGES:
            place = QWidget()
            place.setObjectName(name)
            place.setMinimumHeight(LEAST)
            self.addTab(place, "")
        self.currentChanged.connect(self._show)
        self.make("arithmetic")

    @cached_property
    def arithmetic(self) -> ArithmeticTable:
        """The page of the arithmetic, in front at first."""
        page = ArithmeticTable()
        self.views.append(page)
        return self._placed(page)

    @cached_property
    def vectors(self) -> VectorTable:
        """The page of q, k and v."""
        from attnviz.gui.editors.vector_table import VectorTable  # here and below: not before it is wanted

        page = VectorTable()
        self.editors.append(page)
        return self._placed(page)

    @cached_property
    def layer(self) -> LayerPage:
        """The page from the heads to the output."""
        from attnviz.gui.layer_page import LayerPage

        page = LayerPage()
        self.editors.append(page.output_map)
        self.views += [page.strip, page.head_outputs, page.output, page.shares]
        return self._placed(page)

    @cached_property
    def all_heads(self) -> HeadsPage:
        """The page of all heads."""
        from attnviz.gui.heads_page import HeadsPage

        page = HeadsPage()
        self.views += [page.grid, page.table]
        return self._placed(page)

    @cached_property
    def shapes(self) -> ShapeView:
        """The page of shapes."""
        from attnviz.gui.views.shape_view import ShapeView

        page = ShapeView()
        self.views.append(page)
        return self._placed(page)

    def make(self, name: str) -> None:
        """Make the page of an object name, where it has not been made and is one of PAGES."""
        if name in PAGES:
            getattr(self, PAGES[name])

    def is_made(self, page: QWidget, name: str) -> bool:
        """Say whether a widget is the page of an object name, and not what stands for it."""
        return page is vars(self).get(PAGES[name])

    def lacking(self) -> list[str]:
        """Give the object names of the pages that have not been made."""
        return [name for name, attribute in PAGES.items() if attribute not in vars(self)]

    def pages(self) -> tuple[QWidget, ...]:
        """Give the pages that are always there, from left to right, or what stands for one yet to be made."""
        widgets = (self.widget(index) for index in range(self.count()))
        return tuple(page for page in widgets if page is not None and page.objectName() in PAGES)

    def _placed(self, page: _Page) -> _Page:
        """Put a page into the place that was kept for it; what is in front stays so."""
        place = next(each for each in self.pages() if each.objectName() == page.objectName())
        index, is_in_front = self.indexOf(place), self.currentWidget() is place
        with QSignalBlocker(self):
            self.insertTab(index, page, self.tabText(index))
            if is_in_front:
                self.setCurrentIndex(index)
            self.removeTab(index + 1)
        place.deleteLater()
        vars(self)[PAGES[page.objectName()]] = page  # before anybody hears of it and asks for it
        self.page_made.emit(page)
        return page

    def _show(self) -> None:
        page = self.currentWidget()
        if page is not None:
            self.make(page.objectName())
        self.page_shown.emit()
