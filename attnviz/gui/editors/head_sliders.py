"""The selected token's q in one head: a slider and a field for each number, or bars where they are many."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from attnviz.core.block_arrays import row_to_show
from attnviz.core.inputs import Head
from attnviz.gui.editors.elided_label import ElidedLabel
from attnviz.gui.editors.value_bars import ValueBars
from attnviz.gui.editors.value_slider import ValueSlider
from attnviz.gui.fonts import number_font, small_font, text_font
from attnviz.gui.number_field import NumberField
from attnviz.gui.plain_text import elided, tooltip, visible
from attnviz.gui.theme import LIGHT, SPACE, Theme

MOST_SLIDERS = 16
"""Up to so many dimensions each have a slider; beyond, bars."""


class GroupHeading(QAbstractButton):
    """The name of a head above its sliders; a click folds and unfolds them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._is_active = False
        self.setCheckable(True)
        self.setFont(small_font())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = theme
        self.update()

    def set_name(self, text: str, is_active: bool) -> None:
        """Show the head's name, bold where the head is the active one."""
        if text != self.text() or is_active != self._is_active:
            self.setText(text)
            self.setAccessibleName(text)
            self.setToolTip(tooltip(text))
            self._is_active = is_active
            self.setFont(small_font(bold=is_active))
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 24, 24)

    def minimumSizeHint(self) -> QSize:
        return QSize(48, 24)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = theme.text if self._is_active or self.underMouse() or self.hasFocus() else theme.muted
        x, y = 4.0, self.height() / 2
        arrow = [(x, y - 2), (x + 7, y - 2), (x + 3.5, y + 2.5)]
        if not self.isChecked():
            arrow = [(x + 1, y - 3.5), (x + 5.5, y), (x + 1, y + 3.5)]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in arrow]))
        painter.setPen(colour)
        area = self.rect().adjusted(16, 0, 0, 0)
        painter.drawText(
            area, Qt.AlignmentFlag.AlignVCenter, elided(self.text(), self.fontMetrics(), area.width())
        )
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(theme.border)
            painter.drawRoundedRect(self.rect().adjusted(0, 2, -1, -3), 3, 3)
        painter.end()


class HeadSliders(QWidget):
    """One head's group. Widgets exist only while it is unfolded and are kept as long as their number fits.

    Signals
    -------
    value_asked(int, float, str)
        A dimension is to have a number; the gesture is "" for a typed one.
    refused(AttnvizError)
        What was typed is no number.
    folded(bool)
        A person folded (True) or unfolded the group.
    touched()
        A person begins to change something here.
    """

    value_asked = Signal(int, float, str)
    refused = Signal(object)
    folded = Signal(bool)
    touched = Signal()

    def __init__(self, head: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._head = head
        self._theme = LIGHT
        self._names: tuple[str, ...] = ()
        self._label_width = 48
        self._values: NDArray[np.float32] = np.zeros(0, np.float32)
        self._labels: list[ElidedLabel] = []
        self._sliders: list[ValueSlider] = []
        self._fields: list[NumberField] = []
        self._bars: ValueBars | None = None
        self._caption: ElidedLabel | None = None
        self._heading = GroupHeading(self)
        self._heading.setObjectName(f"q/{head}/heading")
        self._heading.clicked.connect(lambda checked: self.folded.emit(not checked))
        self._body: QWidget | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACE)
        self._column.addWidget(self._heading)

    @property
    def is_unfolded(self) -> bool:
        """True while its numbers are shown."""
        return self._body is not None

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of another theme."""
        self._theme = theme
        self._heading.set_theme(theme)
        for slider in self._sliders:
            slider.set_theme(theme)
        for label in self._labels:
            label.set_colour(theme.text)
        if self._bars is not None and self._caption is not None:
            self._bars.set_theme(theme)
            self._caption.set_colour(theme.text)

    def set_label_width(self, width: int) -> None:
        """Give the names a width, the same in all groups so that sliders stand in line; 0: names above."""
        self._label_width = width
        grid = self._body.layout() if self._body is not None else None
        if not isinstance(grid, QGridLayout):
            return
        for dim, label in enumerate(self._labels):
            _, _, _, columns = cast(tuple[int, int, int, int], grid.getItemPosition(grid.indexOf(label)))
            is_above = columns > 1
            if is_above != (width == 0):
                for widget in (label, self._sliders[dim], self._fields[dim]):
                    grid.removeWidget(widget)
                self._place_row(grid, dim)
            elif width:
                label.setFixedWidth(width)

    def _place_row(self, grid: QGridLayout, dim: int) -> None:
        label, slider, field = self._labels[dim], self._sliders[dim], self._fields[dim]
        if self._label_width:
            label.setFixedWidth(self._label_width)
            label.setFont(text_font())
            grid.addWidget(label, 2 * dim + 1, 0)
            grid.addWidget(slider, 2 * dim + 1, 1)
        else:
            label.setMinimumWidth(0)
            label.setMaximumWidth(16_777_215)
            label.setFont(small_font())
            grid.addWidget(label, 2 * dim, 0, 1, 3)
            grid.addWidget(slider, 2 * dim + 1, 0, 1, 2)
        grid.addWidget(field, 2 * dim + 1, 2)

    def label_width_wanted(self) -> int:
        """Give the width in px that the longest name needs; 0 where there are no sliders."""
        metrics = QFontMetrics(text_font())
        return max((metrics.horizontalAdvance(visible(label.text)) + 2 for label in self._labels), default=0)

    def show_head(
        self, head: Head, token: int, *, is_active: bool, is_unfolded: bool, afresh: bool, title: str
    ) -> bool:
        """Show the q of a token; ``afresh`` where it is another token than before.

        Returns
        -------
        bool
            Whether widgets came, went or were renamed, so that widths must be found anew.
        """
        self._heading.set_name(title, is_active)
        self._heading.setChecked(is_unfolded)
        values = row_to_show(head.q, token)
        # What cannot be read cannot be moved.
        is_unfolded = is_unfolded and not np.isnan(values).any()
        rebuilt = (self._body is not None) != is_unfolded or (
            is_unfolded and len(values) != len(self._values)
        )
        if rebuilt:
            self._drop_body()
            if is_unfolded:
                self._build_body(len(values))
        self._values = values
        if not is_unfolded:
            return rebuilt
        names = head.names_of("q")
        renamed = rebuilt or names != self._names
        self._names = names
        if self._bars is not None:
            self._bars.set_values(values, afresh=afresh or rebuilt)
            self._show_caption(self._bars.pointed)
            return rebuilt
        for dim, number in enumerate(values.tolist()):
            self._sliders[dim].set_exact(number, afresh=afresh)
            self._fields[dim].set_value(number)
            if renamed:
                self._labels[dim].set_text(names[dim])
        return renamed

    def name_controls(self, slider_name: str, bars_name: str) -> None:
        """Set accessible names; ``{dimension}`` in ``slider_name`` stands for the dimension's name."""
        for dim, (slider, field) in enumerate(zip(self._sliders, self._fields, strict=False)):
            name = slider_name.replace("{dimension}", visible(self._names[dim]))
            slider.setAccessibleName(name)
            field.setAccessibleName(name)
        if self._bars is not None:
            self._bars.setAccessibleName(bars_name)
            self._fields[0].setAccessibleName(
                slider_name.replace("{dimension}", visible(self._names[self._bars.pointed]))
            )

    def _drop_body(self) -> None:
        if self._body is not None:
            self._body.hide()
            self._body.setParent(None)
            self._body.deleteLater()
        self._body = self._bars = self._caption = None
        self._labels, self._sliders, self._fields = [], [], []

    def _build_body(self, count: int) -> None:
        body = QWidget(self)
        if count <= MOST_SLIDERS:
            self._build_sliders(body, count)
        else:
            self._build_bars(body)
        self._body = body
        self._column.addWidget(body)
        self.set_theme(self._theme)
        body.show()

    def _build_sliders(self, body: QWidget, count: int) -> None:
        grid = QGridLayout(body)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACE)
        grid.setVerticalSpacing(SPACE // 2)
        grid.setColumnStretch(1, 1)
        for dim in range(count):
            label, slider, field = ElidedLabel(body), ValueSlider(body), NumberField(body)
            slider.setObjectName(f"q/{self._head}/{dim}")
            slider.value_asked.connect(lambda value, gesture, dim=dim: self._ask(dim, value, gesture))
            field.setObjectName(f"q/{self._head}/{dim}/number")
            field.setFont(number_font())
            field.value_entered.connect(
                lambda value, dim=dim, field=field: self._ask(dim, value, field.gesture)
            )
            field.refused.connect(self.refused)
            self._labels.append(label)
            self._sliders.append(slider)
            self._fields.append(field)
            self._place_row(grid, dim)

    def _build_bars(self, body: QWidget) -> None:
        self._bars, self._caption, field = ValueBars(body), ElidedLabel(body), NumberField(body)
        bars = self._bars
        bars.setObjectName(f"q/{self._head}")
        bars.value_asked.connect(self._ask)
        bars.current_changed.connect(self._show_caption)
        field.setObjectName(f"q/{self._head}/number")
        field.setFont(number_font())
        field.value_entered.connect(lambda value: self._ask(bars.current, value, field.gesture))
        field.refused.connect(self.refused)
        self._fields.append(field)
        line = QHBoxLayout()
        line.setSpacing(SPACE)
        line.addWidget(self._caption, 1)
        line.addWidget(field)
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        column.addWidget(bars)
        column.addLayout(line)

    def _show_caption(self, dim: int) -> None:
        if self._bars is None or self._caption is None or dim >= len(self._values) or dim >= len(self._names):
            return
        self._caption.set_text(self._names[dim])
        self._fields[0].set_value(float(self._values[dim]))
        self._bars.setAccessibleDescription(f"{visible(self._names[dim])}: {self._fields[0].shown}")

    def _ask(self, dim: int, value: float, gesture: str) -> None:
        self.touched.emit()
        self.value_asked.emit(dim, value, gesture)
