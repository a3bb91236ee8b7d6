"""See the code: a line of numpy and the kernel that says the same, for every stage of the document as it is.

It blocks nothing and follows the document; it edits nothing.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFont, QGuiApplication, QKeySequence, QPalette, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import DENSE_TOKENS
from attnviz.core.selection import Selection
from attnviz.core.stage_lines import PARTS, stage_line
from attnviz.core.stages import Stages
from attnviz.engine.kernel_sources import KernelText
from attnviz.engine.launches import PLAIN_KEYS
from attnviz.engine.stage_kernels import KERNELS, LONG_KERNELS, StageKernel
from attnviz.gui import code_words
from attnviz.gui.code_pane import CodePane
from attnviz.gui.editors.slim_scroll_bar import SlimScrollBar
from attnviz.gui.fonts import number_font, small_font, text_font
from attnviz.gui.splitter import Line, Splitter
from attnviz.gui.theme import SPACE, Theme

SIZE = QSize(1180, 780)
"""Width and height in px at first, where the screen has room."""
_LEAST = QSize(640, 400)
_EXPLAINED = 380
"""Width in px of the column of words at first."""


class CodeDialog(QDialog):
    """One page per stage, and one for the output.

    Parameters
    ----------
    theme
        The look to begin with.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("code")
        self.setModal(False)
        self.setSizeGripEnabled(False)
        self.setMinimumSize(_LEAST)
        self._theme = theme
        self._moment: tuple[Stages, Selection, AttnvizError | None] | None = None
        self._chosen: dict[str, str] = {}  # the kernel a person wants to see of a part
        self._texts: dict[tuple[str, str], KernelText] = {}
        self._parts = QTabBar(self)
        self._parts.setObjectName("code/parts")
        self._parts.setExpanding(False)
        self._parts.setDrawBase(False)
        self._parts.setUsesScrollButtons(True)
        for _ in PARTS:
            self._parts.addTab("")
        self._formula = self._label("formula", text_font(bold=True))
        self._meaning = self._label("meaning", text_font())
        self._numpy = CodePane("python", has_numbers=False)
        self._numpy.setObjectName("code/numpy")
        self._numpy.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._shapes = self._label("shapes", number_font(small=True))
        self._numbers = self._label("numbers", number_font())
        self._cell_name = self._label("cell/name", number_font())
        self._cell = self._label("cell", number_font())
        self._engine = self._label("engine", text_font())
        self._launch = self._label("launch", number_font())
        self._headings = {name: self._heading() for name in ("numpy", "numbers", "cell", "engine", "launch")}
        self._kernels = QButtonGroup(self)
        self._kernel_buttons = [
            self._kernel_button(number) for number in range(max(map(len, KERNELS.values())))
        ]
        self._file = self._label("file", number_font(small=True))
        self._file.setWordWrap(False)
        self._use = self._label("use", small_font())
        self._kernel = CodePane("cuda", has_numbers=True)
        self._kernel.setObjectName("code/kernel")
        self._copy = QPushButton(self)
        self._copy.setObjectName("code/copy")
        self._copy.clicked.connect(self.copy)
        self._close = QPushButton(self)
        self._close.setObjectName("code/close")
        self._close.clicked.connect(self.reject)
        for button in (self._copy, self._close):
            button.setAutoDefault(False)
        self._lay_out()
        self._parts.currentChanged.connect(lambda index: self._write())
        self._kernels.idClicked.connect(self._choose_kernel)
        for keys, step in (("Ctrl+PgDown", 1), ("Ctrl+PgUp", -1)):
            QShortcut(QKeySequence(keys), self, lambda step=step: self._turn(step))
        self.set_theme(theme)
        self.retranslate()
        self._parts.setFocus()

    @property
    def part(self) -> str:
        """The part whose page is shown."""
        return PARTS[self._parts.currentIndex()]

    def show_part(self, part: str) -> None:
        """Turn to the page of a part."""
        self._parts.setCurrentIndex(PARTS.index(part))

    def draw(self, stages: Stages, selection: Selection, why: AttnvizError | None) -> None:
        """Follow the document: stages, the selected cell, and why no better engine computed them."""
        self._moment = (stages, selection, why)
        self._write()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        for pane in (self._numpy, self._kernel):
            pane.set_theme(theme)
        for bar in self._bars:
            bar.set_theme(theme)
        for label in (*self._headings.values(), self._shapes, self._file, self._use):
            palette = QPalette(theme.palette())
            palette.setColor(QPalette.ColorRole.WindowText, theme.muted)
            label.setPalette(palette)

    def copy(self) -> None:
        """Put the numpy line and the kernel's lines on the clipboard."""
        where = self._file.text()
        text = "\n".join([*self._numpy.shown_lines(), "", f"// {where}", *self._kernel.shown_lines(), ""])
        QGuiApplication.clipboard().setText(text)

    def retranslate(self) -> None:
        """Say all texts in the language that is now installed."""
        self.setWindowTitle(self.tr("The code of each stage"))
        self._parts.setAccessibleName(self.tr("Stage"))
        for index, part in enumerate(PARTS):
            self._parts.setTabText(index, code_words.title(part))
        self._numpy.setAccessibleName(self.tr("The line of numpy"))
        self._kernel.setAccessibleName(self.tr("The CUDA kernel"))
        for name, text in (
            ("numpy", self.tr("In numpy")),
            ("numbers", self.tr("In this document")),
            ("cell", self.tr("The selected cell")),
            ("engine", self.tr("What computes now")),
            ("launch", self.tr("How CUDA runs it")),
        ):
            self._headings[name].setText(text)
        self._copy.setText(self.tr("Copy the code"))
        self._close.setText(self.tr("Close"))
        self._write()

    def _write(self) -> None:
        """Write the page anew."""
        if self._moment is None:
            return
        stages, selection, why = self._moment
        part = self.part
        line = stage_line(stages, part)
        name, worked = code_words.cell(stages, selection, part)
        for label, text in (
            (self._formula, code_words.formula(stages, part)),
            (self._meaning, code_words.meaning(part)),
            (self._shapes, code_words.shapes(line)),
            (
                self._numbers,
                "\n".join(f"{what}  {value}" for what, value in code_words.numbers(stages, part)),
            ),
            (self._cell_name, name),
            (self._cell, worked),
            (self._engine, code_words.engine(stages, why)),
            (self._launch, code_words.launch(stages, selection, part)),
        ):
            if label.text() != text:
                label.setText(text)
        self._numpy.show_lines([line.code])
        self._fit_numpy()
        self._write_kernel(part, code_words.runs_here(stages, selection, part))

    def _write_kernel(self, part: str, running: tuple[str, ...]) -> None:
        kernels = KERNELS[part]
        names = [kernel.name for kernel in kernels]
        chosen = self._chosen.get(part, running[0])
        for button, number in zip(self._kernel_buttons, range(len(self._kernel_buttons)), strict=True):
            button.setVisible(number < len(names))
            if number < len(names):
                button.setText(names[number])
                button.setChecked(names[number] == chosen)
                button.setToolTip(self._said_of(names[number], running))
                button.setAccessibleDescription(self._said_of(names[number], running))
        kernel = kernels[names.index(chosen)]
        text = self._text(kernel)
        meant_for, use = self._meant_for(chosen, names.index(chosen)), self._said_of(chosen, running)
        self._use.setText(self.tr("{kernel} {use}").format(kernel=meant_for, use=use))
        last = text.first_line + len(text.lines) - 1
        where = self.tr("cuda/{file}, lines {first} to {last}")
        self._file.setText(
            where.format(file=text.file.removeprefix("cuda/"), first=text.first_line, last=last)
        )
        self._kernel.show_lines(text.lines, first=text.first_line, marked=marked_lines(kernel, text))

    def _said_of(self, name: str, running: tuple[str, ...]) -> str:
        whole, row = running
        if name == whole == row:
            return self.tr("It runs for this document.")
        if name == whole:
            return self.tr("It runs for this document in a whole pass.")
        if name == row:
            return self.tr("It runs for this document after an edit of one query.")
        return self.tr("It does not run for this document.")

    def _meant_for(self, name: str, number: int) -> str:
        if name in LONG_KERNELS:
            return self.tr("The kernel for more than {most} tokens.").format(most=DENSE_TOKENS)
        if number == 0:
            return self.tr("The plain kernel.")
        if number == 1:
            return self.tr("The kernel for more than {most} keys.").format(most=PLAIN_KEYS)
        return self.tr("The kernel for a few rows of more than {most} keys.").format(most=PLAIN_KEYS)

    def _text(self, kernel: StageKernel) -> KernelText:
        if (kernel.name, kernel.above) not in self._texts:
            self._texts[kernel.name, kernel.above] = kernel.text()
        return self._texts[kernel.name, kernel.above]

    def _choose_kernel(self, number: int) -> None:
        self._chosen[self.part] = KERNELS[self.part][number].name
        self._write()

    def _turn(self, step: int) -> None:
        self._parts.setCurrentIndex((self._parts.currentIndex() + step) % len(PARTS))

    def _fit_numpy(self) -> None:
        """Give the line of numpy as many rows as it takes."""
        self._numpy.setFixedHeight(self._numpy.fitting_height())

    def _label(self, name: str, font: QFont) -> QLabel:
        label = QLabel(self)
        label.setObjectName(f"code/{name}")
        label.setFont(font)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        return label

    def _heading(self) -> QLabel:
        label = QLabel(self)
        label.setFont(small_font(bold=True))
        label.setContentsMargins(0, 3 * SPACE, 0, 0)
        return label

    def _kernel_button(self, number: int) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(f"code/kernel/{number}")
        button.setCheckable(True)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._kernels.addButton(button, number)
        return button

    def _lay_out(self) -> None:
        words = QWidget()
        column = QVBoxLayout(words)
        column.setContentsMargins(4 * SPACE, 2 * SPACE, 3 * SPACE, 3 * SPACE)
        column.setSpacing(SPACE)
        column.addWidget(self._formula)
        column.addWidget(self._meaning)
        for name, parts in (
            ("numpy", (self._numpy, self._shapes)),
            ("numbers", (self._numbers,)),
            ("cell", (self._cell_name, self._cell)),
            ("launch", (self._launch,)),
            ("engine", (self._engine,)),
        ):
            column.addWidget(self._headings[name])
            for part in parts:
                column.addWidget(part)
        column.addStretch(1)
        scrolled = QScrollArea()
        scrolled.setFrameShape(QFrame.Shape.NoFrame)
        scrolled.setWidgetResizable(True)
        scrolled.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._bars = [SlimScrollBar(Qt.Orientation.Vertical)]
        scrolled.setVerticalScrollBar(self._bars[0])
        scrolled.setWidget(words)
        scrolled.setMinimumWidth(240)
        scrolled.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        chooser = QHBoxLayout()
        chooser.setContentsMargins(3 * SPACE, 2 * SPACE, 2 * SPACE, 0)
        chooser.setSpacing(SPACE)
        for button in self._kernel_buttons:
            chooser.addWidget(button)
        chooser.addStretch(1)
        told = QHBoxLayout()
        told.setContentsMargins(4 * SPACE, SPACE, 2 * SPACE, SPACE)
        told.setSpacing(3 * SPACE)
        told.addWidget(self._use, 1)
        told.addWidget(self._file)
        kernel = QWidget()
        side = QVBoxLayout(kernel)
        side.setContentsMargins(0, 0, 0, 0)
        side.setSpacing(0)
        side.addLayout(chooser)
        side.addLayout(told)
        side.addWidget(self._kernel, 1)
        beside = Splitter(Qt.Orientation.Horizontal, "code/columns")
        beside.addWidget(scrolled)
        beside.addWidget(kernel)
        beside.setStretchFactor(1, 1)
        beside.setSizes([_EXPLAINED, SIZE.width() - _EXPLAINED])
        beside.splitterMoved.connect(lambda place, index: self._fit_numpy())
        bottom = QGridLayout()
        bottom.setContentsMargins(4 * SPACE, 2 * SPACE, 3 * SPACE, 2 * SPACE)
        bottom.setColumnStretch(0, 1)
        bottom.setHorizontalSpacing(2 * SPACE)
        bottom.addWidget(self._copy, 0, 1)
        bottom.addWidget(self._close, 0, 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2 * SPACE, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._parts)
        layout.addWidget(Line())
        layout.addWidget(beside, 1)
        layout.addWidget(Line())
        layout.addLayout(bottom)

    # Qt's overrides

    def sizeHint(self) -> QSize:
        return SIZE.boundedTo(self.screen().availableSize() - QSize(24, 48)).expandedTo(_LEAST)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit_numpy()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_numpy()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()


def marked_lines(kernel: StageKernel, text: KernelText) -> list[tuple[int, int]]:
    """Give (first, last) numbers of the kernel's lines that compute a part."""
    marked, at = [], 0
    for start, end in kernel.marks:
        first = next(number for number in range(at, len(text.lines)) if start in text.lines[number])
        last = next(number for number in range(first, len(text.lines)) if end in text.lines[number])
        marked.append((text.first_line + first, text.first_line + last))
        at = last
    return marked
