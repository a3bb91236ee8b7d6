"""Eyes: what a person sees of the window: numbers as they are written, words, and pixels."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QLabel, QLineEdit, QTableView, QTabWidget, QWidget

from attnviz.gui.editors.head_button import HeadButton
from attnviz.gui.editors.token_chip import TokenChip
from attnviz.gui.editors.token_line import TokenLine
from attnviz.gui.main_window import MainWindow
from attnviz.gui.views.bar_list import BarList
from attnviz.gui.views.panel_handle import PanelHandle

KEY, K, SCORE, SCALED, WEIGHT = range(5)
"""Columns of the arithmetic table."""


class Eyes:
    """Two eyes before one window."""

    window: MainWindow

    def panel(self, stage: str) -> PanelHandle:
        """Give the handle of a stage's panel, which says what is written where."""
        return self.window.findChild(PanelHandle, f"stage/{stage}")

    def cells(self, stage: str, query: int) -> list[str]:
        """Read one row of a panel, up to its last number."""
        texts = [self.panel(stage).shown_number(query, key) for key in range(len(self.keys()))]
        while texts and not texts[-1]:
            texts.pop()
        return texts

    def bars(self) -> list[str]:
        """Read the percentages beside the bars, from top to bottom."""
        bars = self.window.findChild(BarList, "weights_of_query/bars")
        return [bars.shown_value(item) for item in bars.order()]

    def largest_bar(self) -> str:
        """Say which token has the longest bar, measured as drawn."""
        bars = self.window.findChild(BarList, "weights_of_query/bars")
        return self.keys()[max(bars.order(), key=lambda item: bars.bar_rect(item).width())]

    def bar_pixels(self, key: int) -> int:
        """Count how many pixels of a bar's line have a colour, in a picture of the screen."""
        bars = self.window.findChild(BarList, "weights_of_query/bars")
        row = bars.row_rect(key)
        image = bars.viewport().grab(row.toRect()).toImage()
        y = image.height() // 2
        return sum(image.pixelColor(x, y).hsvSaturation() > 90 for x in range(image.width()))

    def arithmetic(self, column: int) -> list[str]:
        """Read a column of the arithmetic table, from top to bottom."""
        model = self._table("arithmetic/table").model()
        return [str(model.index(row, column).data()) for row in range(model.rowCount())]

    def terms(self) -> str:
        """Read how the selected weight comes about."""
        terms = self.window.parts.arithmetic.terms
        assert terms.isVisible()
        return terms.text()

    def output(self) -> list[str]:
        """Read the output of the selected query."""
        bars = self.window.findChild(BarList, "output_of_query/bars")
        return [bars.shown_value(dim) for dim in bars.order()]

    def vectors(self, which: str) -> list[list[str]]:
        """Read a table of the vectors' tab."""
        model = self._table(f"vectors/{which}").model()
        columns = range(model.columnCount())
        return [[model.index(row, column).data() for column in columns] for row in range(model.rowCount())]

    def dimensions(self, which: str) -> list[str]:
        """Read the names of the dimensions above a table of the vectors' tab."""
        model = self._table(f"vectors/{which}").model()
        across = Qt.Orientation.Horizontal
        return [model.headerData(column, across) for column in range(model.columnCount())]

    def tokens(self) -> list[str]:
        """Read the chips, from left to right."""
        return self._read(self.window.parts.token_editor.chips)

    def keys(self) -> list[str]:
        """Read the chips of the keys, which are those of the tokens where keys have none of their own."""
        editor = self.window.parts.token_editor
        return self._read(editor.key_chips if editor.key_chips.isVisible() else editor.chips)

    def selected_token(self) -> str:
        """Say which chip is filled."""
        return self._chosen(self.window.parts.token_editor.chips)

    def selected_key(self) -> str:
        """Say which chip of the keys is outlined."""
        return self._chosen(self.window.parts.token_editor.key_chips)

    def heads(self) -> list[str]:
        """Read the names of the heads, from left to right."""
        return [button.text() for button in self._head_buttons()]

    def head_in_front(self) -> str:
        """Say which head is underlined."""
        return next(button.text() for button in self._head_buttons() if button.isChecked())

    def field(self, name: str) -> str:
        """Read a line of text or a number in a field."""
        return self.window.findChild(QLineEdit, name).text()

    def message(self) -> str:
        """Read the status line."""
        return self.window.status.currentMessage()

    def refusal(self) -> str:
        """Read the bubble that says why something was refused; nothing where there is none."""
        bubble = self.window.findChild(QLabel, "refusal")
        return bubble.text() if bubble.isVisible() else ""

    def tab(self) -> str:
        """Say which tab is in front."""
        return self.window.findChild(QTabWidget, "tabs").currentWidget().objectName()

    def picture(self, widget: QWidget | None = None) -> QImage:
        """Take a picture of the window, or of a part of it."""
        return (widget or self.window).grab().toImage()

    def ground(self) -> QColor:
        """Give the colour of the window where nothing stands."""
        return self.picture().pixelColor(self.window.width() - 3, self.window.height() // 2)

    def _read(self, line: TokenLine) -> list[str]:
        chips = line.viewport().findChildren(TokenChip)
        return [chip.token for chip in sorted(chips, key=lambda chip: chip.index) if chip.index >= 0]

    def _chosen(self, line: TokenLine) -> str:
        chips = line.viewport().findChildren(TokenChip)
        return next(chip.token for chip in chips if chip.is_selected)

    def _head_buttons(self) -> list[HeadButton]:
        buttons = self.window.findChildren(HeadButton)
        return sorted(buttons, key=lambda button: int(button.objectName().removeprefix("head/")))

    def _table(self, name: str) -> QTableView:
        table = self.window.findChild(QTableView, name)
        assert table.isVisible(), f"{name} lies in a tab behind"
        return table
