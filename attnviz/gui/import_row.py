"""One line of the import dialog: an array's name and shape, and the fields for what it becomes."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QLabel, QSizePolicy, QWidget

from attnviz.core.import_parts import OF_HEADS, ROLES, ROWS, SYMBOLS
from attnviz.core.numbers import shorten
from attnviz.gui.editors.elided_label import ElidedLabel
from attnviz.gui.import_entries import ALL, SHARED, Choice, Entry
from attnviz.gui.speech import say

_TURNS = (*OF_HEADS, "w_o", "x", "x_keys", "mask")


class ImportRow(QObject):
    """The fields of one entry, laid into a row of a grid.

    Parameters
    ----------
    number
        The row, from 0; it stands in the fields' names.
    heads
        Names of the heads there are to choose from.
    """

    changed = Signal()

    def __init__(
        self,
        number: int,
        entry: Entry,
        choice: Choice,
        heads: list[str],
        grid: QGridLayout,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.entry, self._heads = entry, heads
        name = ElidedLabel(parent, least=160)
        name.set_text(entry.name)
        shape = QLabel(" × ".join(map(str, entry.shape)), parent)
        if entry.is_group:
            shape.setText(self.tr("{count} of {shape}").format(count=len(entry.arrays), shape=shape.text()))
        grid.addWidget(name, number + 1, 0)
        self.role = self._box("role", number, parent)
        self.head = self._box("head", number, parent)
        self.turned = QCheckBox(parent)
        self.turned.setObjectName(f"import/{number}/transposed")
        self.turned.setToolTip(self.tr("Rows and columns are the other way round, as in torch"))
        self.turned.setAccessibleName(self.tr("Rows and columns of {name} swapped").format(name=entry.name))
        self.role.setAccessibleName(self.tr("What {name} becomes").format(name=entry.name))
        self.head.setAccessibleName(self.tr("Of which head {name} is").format(name=entry.name))
        self.role.addItem(self.tr("not imported"), "")
        texts = {"x_keys": self.tr("x of the keys"), "mask": self.tr("mask")}
        for role in ROLES:
            self.role.addItem(texts.get(role, SYMBOLS.get(role, role)), role)
        self.role.setCurrentIndex(self.role.findData(choice.role))
        self.turned.setChecked(choice.is_transposed)
        if entry.why_not is not None:
            reason = ElidedLabel(parent, least=80)
            reason.set_text(say(entry.why_not))
            reason.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            grid.addWidget(reason, number + 1, 1, 1, 4)
            for field in (self.role, self.head, self.turned):
                field.hide()
            shape.hide()
            return
        for column, part in enumerate((shape, self.role, self.head, self.turned), 1):
            grid.addWidget(part, number + 1, column)
        self._offer_heads(choice.head)
        self.role.currentIndexChanged.connect(self._follow_role)
        self.head.currentIndexChanged.connect(self.changed)
        self.turned.toggled.connect(self.changed)

    def choice(self) -> Choice:
        """Give what is chosen."""
        head = self.head.currentData()
        role = self.role.currentData()
        is_turned = self.turned.isChecked() and role in _TURNS and role not in ROWS
        return Choice(role, ALL if head is None else head, is_turned)

    def take(self, choice: Choice) -> None:
        """Choose something else, as if a person had, without a word of it."""
        for field in (self.role, self.turned):
            field.blockSignals(True)
        self.role.setCurrentIndex(self.role.findData(choice.role))
        self.turned.setChecked(choice.is_transposed)
        self._offer_heads(choice.head)
        for field in (self.role, self.turned):
            field.blockSignals(False)

    def _follow_role(self) -> None:
        now = self.head.currentData()
        self._offer_heads(0 if now is None or now == ALL else now)
        self.changed.emit()

    def _offer_heads(self, head: int) -> None:
        """Offer the heads that an array of the chosen role can be of."""
        role, entry, box = self.role.currentData(), self.entry, self.head
        box.blockSignals(True)
        box.clear()
        if role in OF_HEADS and entry.is_stack(role):
            count = entry.heads(role)
            words = self.tr("the only head") if count == 1 else self.tr("all {count} heads")
            box.addItem(words.format(count=count), ALL)
        elif role in OF_HEADS:
            for index, name in enumerate(self._heads):
                box.addItem(
                    self.tr("head {number}: {name}").format(number=index, name=shorten(name, 20)), index
                )
            if head >= len(self._heads):
                box.addItem(self.tr("head {number}").format(number=head), head)
            box.addItem(self.tr("all heads, side by side"), SHARED)
        else:
            box.addItem("—", ALL)
        box.setCurrentIndex(max(0, box.findData(head)))
        box.setEnabled(box.count() > 1)
        self.turned.setEnabled(role in _TURNS and role not in ROWS)
        box.blockSignals(False)

    def _box(self, name: str, number: int, parent: QWidget) -> QComboBox:
        box = QComboBox(parent)
        box.setObjectName(f"import/{number}/{name}")
        box.setMinimumContentsLength(12 if name == "role" else 18)
        return box
