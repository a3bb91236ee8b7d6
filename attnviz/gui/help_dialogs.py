"""The dialogs of the Help menu: all keys at a glance, and what this program is."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from attnviz.gui.theme import SPACE


class KeysDialog(QDialog):
    """All keys, in groups."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("keys_dialog")
        self.setWindowTitle(self.tr("Keys"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(6 * SPACE)
        grid.setVerticalSpacing(SPACE)
        for row, (keys, text) in enumerate(self._keys()):
            for column, words in enumerate((keys, text)):
                label = QLabel(words, self)
                label.setTextFormat(Qt.TextFormat.PlainText)
                grid.addWidget(label, row % 17, column + 3 * (row // 17))
        grid.setColumnMinimumWidth(2, 6 * SPACE)
        _finish(self, grid)

    def _keys(self) -> list[tuple[str, str]]:
        return [
            ("Ctrl+N", self.tr("new document")),
            ("Ctrl+O", self.tr("open")),
            ("Ctrl+S", self.tr("save")),
            ("Ctrl+Shift+S", self.tr("save as")),
            ("Ctrl+E", self.tr("export as PNG")),
            ("Ctrl+I", self.tr("import arrays")),
            ("Ctrl+Z", self.tr("undo")),
            ("Ctrl+Shift+Z, Ctrl+Y", self.tr("redo")),
            ("Ctrl+C", self.tr("copy what has the focus")),
            ("Ctrl+L", self.tr("edit the sentence; Enter splits it")),
            ("Ctrl+Shift+L", self.tr("edit the sentence of the keys")),
            ("Ctrl+M", self.tr("hide the future or not")),
            ("Ctrl+K", self.tr("show the code of the stages")),
            ("Ctrl+G", self.tr("go to a query, a key or a token")),
            ("Ctrl+F", self.tr("find a token by its text")),
            ("F5", self.tr("refine a coarse picture")),
            ("Ctrl+1 … Ctrl+9", self.tr("show a head")),
            ("Ctrl+Shift+←, →", self.tr("move the head")),
            ("F1", self.tr("this overview")),
            ("←, →", self.tr("in the tokens: select another token")),
            ("F2", self.tr("in the tokens: rename")),
            ("Del", self.tr("in the tokens: remove")),
            ("Alt+←, →", self.tr("in the tokens: move")),
            ("←, →, ↑, ↓", self.tr("in the panels: select another cell")),
            ("PgUp, PgDown", self.tr("in the panels: a page of queries, with Shift of keys")),
            ("End", self.tr("in the panels: the last key the query sees")),
            ("Ctrl+Home, End", self.tr("in the panels: the first cell, the last cell")),
            ("+, −", self.tr("in the panels: zoom")),
            ("Home, 0", self.tr("in the panels: the whole matrix")),
            ("Esc", self.tr("in the panels: all four again")),
            (self.tr("double-click"), self.tr("in the panels: one panel alone")),
            ("Ctrl+PgUp, PgDown", self.tr("in the code: another stage")),
            ("Ctrl+V", self.tr("in the vectors: paste from a spreadsheet")),
            ("Tab", self.tr("to the next control")),
            ("Ctrl+Q, Ctrl+W", self.tr("quit")),
        ]


class AboutDialog(QDialog):
    """What this program is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("about_dialog")
        self.setWindowTitle(self.tr("About attnviz"))
        grid = QGridLayout()
        words = self.tr("Shows scaled dot-product attention at work and lets you change any number in it.")
        for row, text in enumerate(
            ("attnviz", words, "softmax(QKᵀ / √d_k) V — Vaswani et al., Attention Is All You Need (2017)")
        ):
            label = QLabel(text, self)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setMinimumWidth(500)
            grid.addWidget(label, row, 0)
        grid.setVerticalSpacing(3 * SPACE)
        _finish(self, grid)


def _finish(dialog: QDialog, content: QGridLayout) -> None:
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, dialog)
    buttons.rejected.connect(dialog.reject)
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(6 * SPACE, 5 * SPACE, 6 * SPACE, 4 * SPACE)
    layout.setSpacing(5 * SPACE)
    layout.addLayout(content)
    layout.addWidget(buttons)
