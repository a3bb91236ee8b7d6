"""The q of the selected token: one group per head, one slider and one field per dimension."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from attnviz.core import edits
from attnviz.core.inputs import Head, Inputs
from attnviz.core.selection import Selection
from attnviz.gui.editors.editor import Editor
from attnviz.gui.editors.elided_label import ElidedLabel
from attnviz.gui.editors.head_sliders import HeadSliders
from attnviz.gui.editors.slim_scroll_bar import THICKNESS, SlimScrollBar
from attnviz.gui.fonts import text_font
from attnviz.gui.plain_text import visible
from attnviz.gui.theme import SPACE, Theme

MOST_UNFOLDED = 3
"""Up to so many heads are unfolded from the start; of more, only the active one is."""
_LEAST_SLIDER = 72
_FIELD = 76


class QuerySliders(Editor):
    """Sliders for the q of the selected token, in every head.

    Notes
    -----
    A change in another head than the active one chooses that head first, so that the panels show it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("query_sliders")
        self._groups: list[HeadSliders] = []
        self._folds: dict[int, bool] = {}
        self._place: tuple[int, str] | None = None
        self._shown_head = 0
        self._is_choosing = False  # by a hand in a group, which must not move under it
        self._title = ElidedLabel(self)
        self._title.setObjectName("query_sliders/title")
        self._title.setFont(text_font(bold=True))
        self._inner = QWidget()
        self._column = QVBoxLayout(self._inner)
        self._column.setContentsMargins(0, 0, SPACE, SPACE)
        self._column.setSpacing(SPACE)
        self._column.addStretch(1)
        self._area = QScrollArea(self)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._bar = SlimScrollBar(Qt.Orientation.Vertical)
        self._area.setVerticalScrollBar(self._bar)
        self._area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.viewport().setAutoFillBackground(False)
        self._inner.setAutoFillBackground(False)
        self._area.setWidget(self._inner)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, SPACE, 0)
        layout.setSpacing(SPACE)
        layout.addWidget(self._title)
        layout.addWidget(self._area, 1)
        self.retranslate()

    def refresh(self, inputs: Inputs, selection: Selection) -> None:
        super().refresh(inputs, selection)
        place = (selection.query, inputs.tokens[selection.query])
        afresh = self._place is None or self._place[0] != selection.query
        is_another = selection.head != self._shown_head or len(self._groups) != inputs.n_heads
        self._shown_head = selection.head
        if place != self._place:
            self._place = place
            self._show_title()
        if len(self._groups) != inputs.n_heads:
            self._set_group_count(inputs.n_heads)
        changed = False
        for index, (group, head) in enumerate(zip(self._groups, inputs.heads, strict=True)):
            unfolded = self._folds.get(index, inputs.n_heads <= MOST_UNFOLDED or index == selection.head)
            changed |= group.show_head(
                head,
                selection.query,
                is_active=index == selection.head,
                is_unfolded=unfolded,
                afresh=afresh,
                title=self._head_title(head),
            )
        if changed:
            self._name_controls()
            self._share_widths()
        if is_another and not self._is_choosing:
            self._bring_into_view(self._groups[selection.head])

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._bar.set_theme(theme)
        self._title.set_colour(theme.text)
        for group in self._groups:
            group.set_theme(theme)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Query sliders"))
        self._show_title()
        if self._inputs is not None:
            self._name_controls()
            self.refresh(self._inputs, self._selection)

    def _head_title(self, head: Head) -> str:
        title = self.tr("head {name}").format(name=visible(head.name))
        return title if head.projection is None else f"{title}  x · W"

    def _show_title(self) -> None:
        if self._place is not None:
            self._title.set_text(self.tr("q of “{token}”").format(token=visible(self._place[1])))

    def _name_controls(self) -> None:
        assert self._inputs is not None
        for group, head in zip(self._groups, self._inputs.heads, strict=True):
            name = visible(head.name)
            group.name_controls(
                self.tr("q, head {head}, dimension {dimension}").replace("{head}", name),
                self.tr("q, head {head}: left and right choose a dimension, up and down change it").replace(
                    "{head}", name
                ),
            )

    def _set_group_count(self, count: int) -> None:
        while len(self._groups) > count:
            group = self._groups.pop()
            self._folds.pop(len(self._groups), None)
            group.hide()
            group.setParent(None)
            group.deleteLater()
        while len(self._groups) < count:
            head = len(self._groups)
            group = HeadSliders(head, self._inner)
            group.set_theme(self._theme)
            group.value_asked.connect(lambda dim, value, run, head=head: self._ask(head, dim, value, run))
            group.touched.connect(lambda head=head: self._choose(head))
            group.folded.connect(lambda folded, head=head: self._fold(head, folded))
            group.refused.connect(self.refused)
            self._column.insertWidget(head, group)
            group.show()
            self._groups.append(group)

    def _choose(self, head: int) -> None:
        if head != self._selection.head:
            # Unfolded or not, the group under the hand must not fold while the choice is made.
            self._folds.setdefault(head, self._groups[head].is_unfolded)
            self._is_choosing = True
            try:
                self.head_chosen.emit(head)
            finally:
                self._is_choosing = False

    def _bring_into_view(self, group: HeadSliders) -> None:
        """Scroll to a head's sliders, to their beginning where there is no room for all."""
        self._column.activate()
        QCoreApplication.sendEvent(self._area, QEvent(QEvent.Type.LayoutRequest))  # now, not soon
        top, bottom = group.y(), group.y() + group.height()
        room, at = self._area.viewport().height(), self._bar.value()
        if not at <= top <= bottom <= at + room:
            self._bar.setValue(top if top < at or bottom - top > room else bottom - room)

    def _fold(self, head: int, folded: bool) -> None:
        self._folds[head] = not folded
        if self._inputs is not None:
            self.refresh(self._inputs, self._selection)

    def _ask(self, head: int, dim: int, value: float, run: str) -> None:
        token = self._selection.query
        gesture = f"q/{head}/{dim}@{token}#{run}" if run else ""
        self.edit_asked.emit(
            lambda inputs: edits.set_vector_value(inputs, head, "q", token, dim, value), gesture
        )

    def _share_widths(self) -> None:
        wanted = max((group.label_width_wanted() for group in self._groups), default=0)
        room = self.width() - 4 * SPACE - THICKNESS
        beside = wanted <= min(room // 2, room - _LEAST_SLIDER - _FIELD - 2 * SPACE)
        for group in self._groups:
            group.set_label_width(wanted if beside else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_widths()
