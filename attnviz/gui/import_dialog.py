"""The dialog that says what arrays of a file become, explains what does not fit, and shows what will be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from attnviz.core.errors import AttnvizError
from attnviz.core.import_edits import Names, import_arrays
from attnviz.core.import_joined import taken_apart
from attnviz.core.import_parts import JOINED, Part
from attnviz.core.inputs import MAX_HEADS, Inputs
from attnviz.core.numbers import shorten
from attnviz.gui.fonts import small_font
from attnviz.gui.import_entries import (
    SHARED,
    entries_of,
    first_choice,
    first_how,
    layers_of,
    parts_of,
    usual_shares,
)
from attnviz.gui.import_row import ImportRow
from attnviz.gui.number_field import NumberField
from attnviz.gui.plain_text import visible
from attnviz.gui.speech import say
from attnviz.gui.theme import SPACE, Theme
from attnviz.io.array_files import ArrayFile

_SIZE = QSize(760, 500)
_RESULT_LINES = 4
_SPLITS_TOLD = 1  # the matrix; its bias is split alike
_SHOWN_NAMES = 12
_SOON_TRIED = 100_000
"""Numbers in a file that are tried in a few ms."""

Aside = Callable[[Callable[[], None], Callable[[], object]], None]


class ImportDialog(QDialog):
    """Asks what arrays become, and gives the edit.

    Parameters
    ----------
    file
        What was read.
    inputs, head
        The document as it is, and the head that is selected.
    join
        Gives the sentence of new tokens.
    aside
        Does work beside the window and then calls back; None: everything is done at once.
    """

    wished = Signal(object)
    """An edit, Inputs -> Inputs, that fits the document."""

    def __init__(
        self,
        file: ArrayFile,
        inputs: Inputs,
        head: int,
        join: Callable[[Sequence[str]], str],
        theme: Theme,
        parent: QWidget | None = None,
        aside: Aside | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("import_dialog")
        self.setWindowTitle(self.tr("Import arrays from “{name}”").format(name=visible(file.name)))
        self._file, self._inputs, self._join, self._theme = file, inputs, join, theme
        self._aside = aside if _numbers_in(file) > _SOON_TRIED else None
        self._looks = 0  # number of the last try; answers of earlier ones are dropped
        self._after: Inputs | None = None
        self.finished.connect(self._stop_looking)
        self._entries, self._computed, self._left_out = entries_of(file)
        self._rows: list[ImportRow] = []
        self._how = self._choose_how()
        self._layer = self._choose_layer()
        self._shares = NumberField(self, minimum=1, maximum=MAX_HEADS, step=1, whole=True, widest="000")
        self._shares.setObjectName("import/shares")
        self._shares.setAccessibleName(self.tr("Heads side by side in columns"))
        self._shares.set_value(usual_shares(self._entries, inputs.n_heads))
        self._tokens = QCheckBox(self.tr("Take the tokens of the file"), self)
        self._tokens.setObjectName("import/tokens")
        has_tokens = file.tokens is not None or file.key_tokens is not None
        self._tokens.setChecked(has_tokens)
        self._tokens.setEnabled(has_tokens)
        self._result = QLabel(self)
        self._result.setObjectName("import/result")
        self._result.setWordWrap(True)
        self._result.setTextFormat(Qt.TextFormat.PlainText)
        self._result.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._result.setFixedHeight(_RESULT_LINES * self._result.fontMetrics().lineSpacing() + 2)
        self._buttons = QDialogButtonBox(self)
        self._import = self._buttons.addButton(self.tr("Import"), QDialogButtonBox.ButtonRole.AcceptRole)
        self._import.setObjectName("import/import")
        self._import.setDefault(True)
        self._buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self._selected_head = head
        self._lay_out()
        self.resize(_SIZE)
        for row in self._rows:
            row.changed.connect(self._look)
        self._how.currentIndexChanged.connect(self._look)
        self._tokens.toggled.connect(self._look)
        self._shares.value_entered.connect(self._share)
        self._shares.refused.connect(lambda error: self._say(say(error), is_refusal=True))
        self._buttons.accepted.connect(self._finish)
        self._buttons.rejected.connect(self.reject)
        self._look()

    def result_text(self) -> str:
        """Give what is said below: what will be, or what does not fit."""
        return self._result.text()

    def _choose_how(self) -> QComboBox:
        box = QComboBox(self)
        box.setObjectName("import/how")
        box.setAccessibleName(self.tr("Heads"))
        for how, text in (
            ("change", self.tr("change the heads there are")),
            ("replace", self.tr("replace all heads")),
            ("add", self.tr("add new heads")),
        ):
            box.addItem(text, how)
        box.setCurrentIndex(box.findData(first_how(self._entries, self._inputs)))
        return box

    def _choose_layer(self) -> QComboBox:
        """Offer the layers of a model; hidden where there are not several."""
        box = QComboBox(self)
        box.setObjectName("import/layer")
        box.setAccessibleName(self.tr("Layer of the model"))
        for layer in layers_of(self._entries):
            box.addItem(shorten(visible(layer), 48), layer)
        box.currentIndexChanged.connect(self._take_layer)
        return box

    def _head(self) -> int:
        """Give the head that a lone table is taken for at first."""
        return self._selected_head if self._how.currentData() == "change" else 0

    def _take_layer(self) -> None:
        """Choose the arrays of one layer, and none of the others."""
        layer = self._layer.currentData()
        for row in self._rows:
            if row.entry.layer:
                row.take(first_choice(row.entry, self._entries, self._head(), layer))
        self._look()

    def _lay_out(self) -> None:
        inside = QWidget(self)
        grid = QGridLayout(inside)
        grid.setContentsMargins(0, 0, 2 * SPACE, 0)
        grid.setHorizontalSpacing(3 * SPACE)
        grid.setVerticalSpacing(SPACE)
        titles = (
            self.tr("Array"),
            self.tr("Shape"),
            self.tr("Becomes"),
            self.tr("Head"),
            self.tr("transposed"),
        )
        for column, title in enumerate(titles):
            label = QLabel(title, inside)
            label.setFont(small_font())
            grid.addWidget(label, 0, column)
        names = [each.name for each in self._inputs.heads]
        for number, entry in enumerate(self._entries):
            choice = first_choice(entry, self._entries, self._head(), self._layer.currentData() or "")
            self._rows.append(ImportRow(number, entry, choice, names, grid, inside))
        grid.setColumnStretch(0, 1)
        grid.setRowStretch(len(self._entries) + 1, 1)
        scroll = QScrollArea(self)
        scroll.setWidget(inside)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.viewport().setAutoFillBackground(False)
        inside.setAutoFillBackground(False)
        layers = QHBoxLayout()
        layers.setSpacing(2 * SPACE)
        of_model: list[QWidget] = [QLabel(self.tr("Layer of the model"), self), self._layer]
        for widget in of_model:
            layers.addWidget(widget)
            widget.setVisible(self._layer.count() > 0)
        layers.addStretch(1)
        options = QHBoxLayout()
        options.setSpacing(2 * SPACE)
        for part in (
            QLabel(self.tr("Heads"), self),
            self._how,
            QLabel(self.tr("side by side"), self),
            self._shares,
        ):
            options.addWidget(part)
        options.addStretch(1)
        options.addWidget(self._tokens)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4 * SPACE, 4 * SPACE, 4 * SPACE, 4 * SPACE)
        layout.setSpacing(3 * SPACE)
        if self._layer.count():
            layout.addLayout(layers)
        layout.addWidget(scroll, 1)
        if note := self._note():
            label = QLabel(note, self)
            label.setObjectName("import/left_out")
            label.setFont(small_font())
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            layout.addWidget(label)
        layout.addLayout(options)
        layout.addWidget(self._result)
        layout.addWidget(self._buttons)
        stops: list[QWidget] = [field for row in self._rows for field in (row.role, row.head, row.turned)]
        stops[:0] = [self._layer] if self._layer.count() else []
        stops += [self._how, self._shares, self._tokens, self._import]
        for before, after in pairwise(stops):  # as they are read, not as they were made
            self.setTabOrder(before, after)
        stops[0].setFocus()

    def _note(self) -> str:
        """Give what is said of arrays that are not offered."""
        notes = []
        if self._computed:
            names = ", ".join(visible(name) for name in self._computed[:_SHOWN_NAMES])
            if len(self._computed) > _SHOWN_NAMES:
                names += ", …"
            notes.append(self.tr("Computed from the others, and not imported: {names}.").format(names=names))
        if self._left_out:
            notes.append(self.tr("{count} more arrays are not offered.").format(count=self._left_out))
        return " ".join(notes)

    def _share(self, value: float) -> None:
        self._shares.set_value(value)
        self._look()

    def _look(self) -> None:
        """Try what is chosen, and say what comes of it."""
        choices = [row.choice() for row in self._rows]
        self._shares.setEnabled(any(choice.head == SHARED and choice.role for choice in choices))
        how, shares = self._how.currentData(), round(self._shares.value)
        parts = parts_of([row.entry for row in self._rows], choices, shares, how)
        file = self._file
        takes = self._tokens.isChecked()
        tokens = (file.tokens, file.key_tokens) if takes else (None, None)
        names = Names(*tokens, file.head_names, file.x_names)
        self._looks += 1
        look, inputs = self._looks, self._inputs
        found: list[Inputs | AttnvizError] = []

        def try_it() -> None:
            if look != self._looks:  # something else has been chosen since
                return
            try:
                found.append(import_arrays(inputs, parts, how, names, self._join))
            except AttnvizError as error:
                found.append(error)
            except MemoryError:
                found.append(AttnvizError("There is not enough memory for this."))

        if self._aside is None:
            try_it()
            self._show(found[0], parts)
            return
        self._after = None
        self._import.setEnabled(False)
        self._say(self.tr("Looking whether it fits…"), is_refusal=False)

        def show() -> None:
            if look == self._looks:
                self._show(found[0], parts)

        self._aside(try_it, show)

    def _stop_looking(self) -> None:
        self._looks += 1

    def _show(self, found: Inputs | AttnvizError, parts: Sequence[Part]) -> None:
        """Say what has come of a try."""
        self._after = found if isinstance(found, Inputs) else None
        if isinstance(found, Inputs):
            self._say("\n".join([*self._splits(parts), self._preview(found)]), is_refusal=False)
        else:
            self._say(say(found), is_refusal=bool(parts))
        self._import.setEnabled(self._after is not None)

    def _say(self, sentence: str, *, is_refusal: bool) -> None:
        self._result.setText(sentence)
        self._result.setAccessibleName(sentence)
        palette = self.palette()
        if is_refusal:
            palette.setColor(palette.ColorRole.WindowText, self._theme.danger)
        self._result.setPalette(palette)

    def _splits(self, parts: Sequence[Part]) -> list[str]:
        """Say of each array that holds what is q's, k's and v's how it is split."""
        told = []
        for part in sorted(parts, key=lambda part: part.role == "b_qkv"):  # the matrix first
            if part.role not in JOINED:
                continue
            try:
                singles = taken_apart([part])
            except AttnvizError:  # it is said in place of all this
                continue
            first = singles[0].array
            shape = first.shape[::-1] if part.is_transposed and first.ndim == 2 else first.shape
            words = self.tr("“{name}”, {size}, is split into {roles} of {each} each.")
            told.append(
                words.format(
                    name=visible(part.name),
                    size=_unbroken(part.array.shape),
                    roles=", ".join(single.shown_role for single in singles),
                    each=_unbroken(shape),
                )
            )
        return told[:_SPLITS_TOLD]

    def _preview(self, after: Inputs) -> str:
        """Give the shapes that the document will have."""
        first = after.heads[0]
        rows = [("q", first.q.shape), ("k", first.k.shape), ("v", first.v.shape)]
        rows += [("x", after.x.shape)] if after.x is not None else []
        maps = first.projection
        rows += [("W_Q", maps.w_q.shape), ("W_K", maps.w_k.shape), ("W_V", maps.w_v.shape)] if maps else []
        rows += [("W_O", after.w_o.shape)] if after.w_o is not None else []
        shapes = ", ".join(f"{name}\xa0{_unbroken(shape)}" for name, shape in rows)
        parts = [
            self.tr("1 head") if after.n_heads == 1 else self.tr("{n} heads").format(n=after.n_heads),
            self.tr("1 token ({names})") if after.n_tokens == 1 else self.tr("{n} tokens ({names})"),
        ]
        parts[1] = parts[1].format(n=after.n_tokens, names=_first(after.tokens))
        if after.key_tokens is not None:
            keys = self.tr("1 key ({names})") if after.n_key == 1 else self.tr("{n} keys ({names})")
            parts.append(keys.format(n=after.n_key, names=_first(after.key_tokens)))
        words = self.tr("The document will have {parts}; head 0: {shapes}.")
        return words.format(parts=", ".join(parts), shapes=shapes)

    def _finish(self) -> None:
        before, after = self._inputs, self._after
        if after is None:
            return
        self.accept()
        # The dialog is modal, so that the document is the one that was asked about.
        self.wished.emit(lambda inputs: after if inputs is before else inputs)


def _first(tokens: Sequence[str]) -> str:
    names = [visible(token) for token in tokens[:_SHOWN_NAMES]]
    return ", ".join([*names, *(["…"] if len(tokens) > _SHOWN_NAMES else [])])


def _unbroken(shape: Sequence[int]) -> str:
    """Give a shape that no line ends in the middle of."""
    return "\xa0×\xa0".join(map(str, shape))


def _numbers_in(file: ArrayFile) -> int:
    return sum(array.array.size for array in file.arrays if array.array is not None)
