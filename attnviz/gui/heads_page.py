"""The tab of all heads: their maps side by side, and the means of what sums up their rows."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from attnviz.gui.fonts import small_font
from attnviz.gui.theme import SPACE
from attnviz.gui.views.head_grid import HeadGrid
from attnviz.gui.views.measure_choice import MeasureChoice, window_field
from attnviz.gui.views.measure_words import NONE
from attnviz.gui.views.summary_table import SummaryTable


class HeadsPage(QWidget):
    """All of the tab, in its place; nothing here is connected to a document.

    Signals
    -------
    measure_chosen(measure)
        What is to be drawn beside the map: one of ``MEASURES``, or ``none``.
    window_chosen(width)
        Another width of the window is wanted.
    refused(InputError)
        What was typed as the width is none.
    export_asked()
        The summaries are to be written to a file.
    """

    measure_chosen = Signal(str)
    window_chosen = Signal(int)
    refused = Signal(object)
    export_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("all_heads")
        self.grid = HeadGrid()
        self.table = SummaryTable()
        self._beside_label, self._window_label = QLabel(), QLabel()
        self.beside = MeasureChoice("all_heads/beside")
        self.beside.chosen.connect(self.measure_chosen)
        self.width_field = window_field("all_heads/window")
        self.width_field.value_entered.connect(lambda width: self.window_chosen.emit(round(width)))
        self.width_field.refused.connect(self.refused)
        self.export = QToolButton()
        self.export.setObjectName("all_heads/export")
        self.export.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.export.clicked.connect(self.export_asked)
        tools = QHBoxLayout()
        tools.setContentsMargins(0, SPACE, 0, SPACE)
        tools.setSpacing(SPACE)
        for label, field in ((self._beside_label, self.beside), (self._window_label, self.width_field)):
            label.setBuddy(field)
            label.setFont(small_font())
            tools.addWidget(label)
            tools.addWidget(field)
            tools.addSpacing(2 * SPACE)
        tools.addStretch(1)
        tools.addWidget(self.export)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addLayout(tools)
        right.addWidget(self.table, 1)
        self._side = QWidget()
        self._side.setLayout(right)
        right.setContentsMargins(0, 0, 0, 0)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE, 0, SPACE, 0)
        row.setSpacing(3 * SPACE)
        row.addWidget(self.grid, 1)
        row.addWidget(self._side)
        self.show_measure(NONE)
        self.retranslate()

    def show_measure(self, measure: str) -> None:
        """Show what is drawn beside the map."""
        self.beside.show_choice(measure)

    def show_window(self, width: int) -> None:
        """Show the width of the window."""
        self.width_field.set_value(width)

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self._beside_label.setText(self.tr("Beside the map"))
        self.beside.name_choices(self.tr("nothing"))
        self.beside.setAccessibleName(self.tr("What is drawn beside the map"))
        self.beside.setToolTip(self.tr("Draw a number of every row beside the map, at the height of the row"))
        self._window_label.setText(self.tr("Window"))
        self.width_field.setAccessibleName(self.tr("Width of the window in tokens"))
        self.export.setText(self.tr("Export…"))
        self.export.setToolTip(self.tr("Write the summaries of every row of every head to a file"))

    # Qt's overrides

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)  # the stages above need the height more; all here scrolls

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
