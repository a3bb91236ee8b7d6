"""The list of key tokens from which those are chosen that nobody may attend to."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from attnviz.gui.fonts import text_font
from attnviz.gui.plain_text import visible
from attnviz.gui.theme import SPACE

_ROWS = 10
_WIDTH = 168  # px


class PaddingList(QFrame):
    """Pops up below a button; a tick is a hidden token. Space or a click changes one, Esc closes.

    Signals
    -------
    toggled(token, hidden)
        A person wants a token hidden, or seen again.
    """

    toggled = Signal(int, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("mask/padding")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._list = QListWidget(self)
        self._list.setObjectName("mask/padding/tokens")
        self._list.setFont(text_font())
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._list.setUniformItemSizes(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.itemChanged.connect(self._tell)
        self._tokens: tuple[str, ...] = ()
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE, SPACE, SPACE, SPACE)
        column.addWidget(self._list)

    def say(self, name: str) -> None:
        """Take a name for assistive tools."""
        self._list.setAccessibleName(name)

    def show_tokens(self, tokens: tuple[str, ...], hidden: tuple[int, ...]) -> None:
        """Show which tokens are hidden; says nothing."""
        with QSignalBlocker(self._list):
            if tokens != self._tokens:
                self._list.clear()
                self._list.addItems([f"{index}  {visible(token)}" for index, token in enumerate(tokens)])
                self._tokens = tokens
            chosen = set(hidden)
            for row in range(self._list.count()):
                item = self._list.item(row)
                state = Qt.CheckState.Checked if row in chosen else Qt.CheckState.Unchecked
                if item.data(Qt.ItemDataRole.CheckStateRole) != state:
                    item.setCheckState(state)

    def pop_up(self, below: QWidget) -> None:
        """Open below a control, or above it where the screen ends."""
        rows = min(_ROWS, self._list.count())
        height = max(1, rows) * max(self._list.sizeHintForRow(0), 1) + 2 * SPACE + 4
        self.resize(_WIDTH, height)
        screen = below.screen().availableGeometry()
        place = below.mapToGlobal(below.rect().bottomLeft())
        if place.y() + height > screen.bottom():
            place = below.mapToGlobal(below.rect().topLeft())
            place.setY(max(screen.top(), place.y() - height))
        place.setX(max(screen.left(), min(place.x(), screen.right() - _WIDTH)))
        self.move(place)
        if self._list.currentRow() < 0:
            self._list.setCurrentRow(0)
        self.show()
        self._list.setFocus(Qt.FocusReason.PopupFocusReason)

    def _tell(self, item: QListWidgetItem) -> None:
        self.toggled.emit(self._list.row(item), item.checkState() == Qt.CheckState.Checked)
