"""A calm card beside the tabs: one step of a lesson, what to do and what to see, and how the lesson ends."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from attnviz.gui.editors.elided_label import ElidedLabel
from attnviz.gui.editors.slim_scroll_bar import SlimScrollBar
from attnviz.gui.fonts import load_fonts, text_font
from attnviz.gui.theme import LIGHT, SPACE, Theme

BUTTON = 26
"""Height of the buttons in px."""
LEAST = (360, 196)
"""The least width and height in px: a step of six lines stands in it whole."""
MOST = 640
"""The greatest width in px; longer lines are hard to read."""
OPEN, SEEN = "○", "✓"
"""The mark before what is to be seen, and the one once it has been seen."""


@dataclass(frozen=True)
class Card:
    """What stands on the card of a lesson.

    Attributes
    ----------
    title
        What the lesson is called.
    at, count
        The step, from 0, and how many there are; at the end they are the same.
    task, sight
        What to do, and what to see.
    can_do
        Whether there is anything that can be done for the person.
    is_seen
        Whether it has been seen.
    """

    title: str = ""
    at: int = 0
    count: int = 0
    task: str = ""
    sight: str = ""
    can_do: bool = False
    is_seen: bool = False

    @property
    def is_end(self) -> bool:
        """Whether it asks what becomes of what was changed."""
        return self.at == self.count


class LessonPanel(QWidget):
    """One step of a lesson, or its end; hidden where there is no lesson.

    Signals
    -------
    done()
        The step is to be done for the person.
    went(int)
        To the next step (1) or back (−1).
    kept(), put_back()
        How the lesson ends.
    """

    done = Signal()
    went = Signal(int)
    kept = Signal()
    put_back = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        load_fonts()
        super().__init__(parent)
        self.setObjectName("lesson")
        self.setMinimumSize(*LEAST)
        self.setMaximumWidth(MOST)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self._theme = LIGHT
        self._card = Card()
        self._title = ElidedLabel(least=80)
        self._title.setObjectName("lesson/title")
        bold = text_font()
        bold.setBold(True)
        self._title.setFont(bold)
        self._place = self._label("place")
        self._task = self._label("task")
        self._mark = self._label("mark")
        self._sight = self._label("sight")
        for label in (self._task, self._sight):
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._mark.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._end = self._button("end")
        self._end.setText("×")
        self._end.setAutoRaise(True)
        self._back, self._do, self._next = (self._button(name) for name in ("back", "do", "next"))
        self._put_back, self._keep = self._button("put_back"), self._button("keep")
        self._end.clicked.connect(lambda is_checked: self._ask_to_end())
        self._back.clicked.connect(lambda is_checked: self._ask_to_go(-1))
        self._do.clicked.connect(self._ask_to_do)
        self._next.clicked.connect(lambda is_checked: self._ask_to_go(1))
        self._put_back.clicked.connect(lambda is_checked: self.put_back.emit())
        self._keep.clicked.connect(lambda is_checked: self.kept.emit())
        self._scroll_bar = SlimScrollBar(Qt.Orientation.Vertical)
        self._lay_out()
        self.retranslate()
        self.hide()

    def show_card(self, card: Card) -> None:
        """Show a step, or the end."""
        old, self._card = self._card, card
        self._title.set_text(card.title)
        self._show()
        if card.is_seen and (old.is_seen, old.at) == (False, card.at):
            QAccessible.updateAccessibility(QAccessibleEvent(self._sight, QAccessible.Event.Alert))

    def card(self) -> Card | None:
        """Give what is shown; None where there is no lesson."""
        return None if self.isHidden() else self._card

    def take_focus(self) -> None:
        """Give the keyboard to what is next."""
        button = self._put_back if self._card.is_end else self._do if self._do.isEnabled() else self._next
        button.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        self._scroll_bar.set_theme(theme)
        self._colour()
        self.update()

    def retranslate(self) -> None:
        """Say everything but the lesson's own words in the language that is now installed."""
        for button, text, tip in (
            (self._back, self.tr("Back"), self.tr("To the step before; the document stays as it is")),
            (self._do, self.tr("Do it for me"), self.tr("Bring the document to where this step leads")),
            (
                self._put_back,
                self.tr("Put everything back"),
                self.tr("Show the document again that was there before the lesson"),
            ),
            (self._keep, self.tr("Keep what I changed"), self.tr("Go on with the document of the lesson")),
        ):
            button.setText(text)
            button.setToolTip(tip)
        self._next.setToolTip(self.tr("The document stays as it is"))
        self._end.setAccessibleName(self.tr("End the lesson"))
        self._end.setToolTip(self.tr("End the lesson"))
        self._show()

    def _show(self) -> None:
        card, is_end = self._card, self._card.is_end
        place = self.tr("end") if is_end else self.tr("step {number} of {count}")
        self._place.setText(place.format(number=card.at + 1, count=card.count))
        end = self.tr(
            "Put everything back, and your document is as it was before the lesson. Or keep what you "
            "changed, and go on with the document of the lesson."
        )
        self._task.setText(end if is_end else card.task)
        self._sight.setText(card.sight)
        self._do.setEnabled(card.can_do)
        self._sight.setVisible(not is_end)
        self._mark.setText("" if is_end else SEEN if card.is_seen else OPEN)
        for button in (self._do, self._next):
            button.setVisible(not is_end)
        self._end.setEnabled(not is_end)
        for button in (self._put_back, self._keep):
            button.setVisible(is_end)
        self._back.setEnabled(card.at > 0)
        self._next.setText(self.tr("Finish") if card.at == card.count - 1 else self.tr("Next"))
        self.setAccessibleName(self.tr("Lesson: {title}").format(title=card.title))
        self._task.setAccessibleName(self.tr("What to do: {text}").format(text=self._task.text()))
        sight = self.tr("Seen: {text}") if card.is_seen else self.tr("What to see: {text}")
        self._sight.setAccessibleName(sight.format(text=self._sight.text()))
        self._do.setAccessibleDescription(self._task.text())
        self._next.setAccessibleDescription(self._sight.text())
        self._colour()

    def _ask_to_do(self) -> None:
        self.done.emit()
        self._next.setFocus(Qt.FocusReason.OtherFocusReason)

    def _ask_to_go(self, by: int) -> None:
        self.went.emit(by)
        self.take_focus()

    def _ask_to_end(self) -> None:
        self._ask_to_go(self._card.count - self._card.at)

    def _colour(self) -> None:
        """Let what is to be seen step back until it has been seen."""
        is_far = not (self._card.is_seen or self._card.is_end)
        for label, colour in (
            (self._place, self._theme.muted),
            (self._mark, self._theme.text),
            (self._task, self._theme.text),
            (self._sight, self._theme.muted if is_far else self._theme.text),
        ):
            palette = label.palette()
            palette.setColor(QPalette.ColorRole.WindowText, colour)
            label.setPalette(palette)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(2 * SPACE)
        head.addWidget(self._title, 1)
        head.addWidget(self._place)
        head.addWidget(self._end)
        inside = QWidget()
        grid = QGridLayout(inside)
        grid.setContentsMargins(0, 0, SPACE, 0)
        grid.setHorizontalSpacing(SPACE)
        grid.setVerticalSpacing(2 * SPACE)
        grid.setColumnStretch(1, 1)
        grid.setColumnMinimumWidth(0, 4 * SPACE)
        grid.addWidget(self._task, 0, 0, 1, 2)
        grid.addWidget(self._mark, 1, 0)
        grid.addWidget(self._sight, 1, 1)
        grid.setRowStretch(2, 1)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setVerticalScrollBar(self._scroll_bar)
        area.setWidget(inside)
        for part in (area, area.viewport(), inside):
            part.setAutoFillBackground(False)
        foot = QHBoxLayout()
        foot.setSpacing(2 * SPACE)
        foot.addWidget(self._back)
        foot.addWidget(self._do)
        foot.addWidget(self._put_back)
        foot.addWidget(self._keep)
        foot.addStretch(1)
        foot.addWidget(self._next)
        column = QVBoxLayout(self)
        column.setContentsMargins(3 * SPACE, SPACE, 3 * SPACE, 2 * SPACE)
        column.setSpacing(SPACE)
        column.addLayout(head)
        column.addWidget(area, 1)
        column.addLayout(foot)

    def _label(self, name: str) -> QLabel:
        label = QLabel()
        label.setObjectName(f"lesson/{name}")
        label.setFont(text_font())
        label.setTextFormat(Qt.TextFormat.PlainText)
        return label

    def _button(self, name: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName(f"lesson/{name}")
        button.setFont(text_font())
        button.setFixedHeight(BUTTON)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    # Qt's overrides

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.raised)
        painter.fillRect(self.width() - 1, 0, 1, self.height(), self._theme.border)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
