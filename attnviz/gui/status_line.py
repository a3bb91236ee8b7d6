"""The status line: what was just done, the engine, the times, the size of the document, and long work."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QSizePolicy, QStatusBar, QToolButton, QWidget

from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Inputs
from attnviz.core.numbers import format_fixed
from attnviz.core.selection import Selection
from attnviz.gui.editors.elided_label import ElidedLabel
from attnviz.gui.fonts import number_font, small_font
from attnviz.gui.speech import say, say_engine
from attnviz.gui.theme import SPACE, Theme

MESSAGE_MS = 15_000
"""How long a message stays, unless something newer is to be said."""
BUSY_MS = 100
"""Work that takes longer shows its progress."""


class StatusLine(QStatusBar):
    """The line at the bottom of the window."""

    cancel_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("status")
        self.setSizeGripEnabled(False)
        self.setFont(small_font())
        self.setContentsMargins(2 * SPACE, 0, 2 * SPACE, 0)
        self._engine = ""
        self._why: AttnvizError | None = None
        self._compute: float | None = None
        self._to_screen: float | None = None
        self._size: tuple[int, int | None, int, int] | None = None
        self._widest = ""  # that the times may become
        self._engine_label = ElidedLabel(self)
        self._engine_label.setObjectName("status/engine")
        self._work = QLabel(self)
        self._work.setObjectName("status/work")
        self._work.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._is_refining = self._is_computing = self._is_at_files = False
        self._files_words = ""
        self._times = QLabel(self)
        self._times.setObjectName("status/times")
        self._times.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._progress = QProgressBar(self)
        self._progress.setObjectName("status/progress")
        self._progress.setRange(0, 1000)
        self._progress.setTextVisible(False)
        self._progress.setFixedSize(120, 10)
        self._cancel = QToolButton(self)
        self._cancel.setObjectName("status/cancel")
        self._cancel.setAutoRaise(True)
        self._cancel.clicked.connect(self.cancel_asked)
        for label in (self._engine_label, self._work, self._times):
            label.setFont(number_font(small=True))
        self._engine_label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.addWidget(self._engine_label, 1)
        for widget in (self._work, self._progress, self._cancel, self._times):
            self.addPermanentWidget(widget)
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(BUSY_MS)
        self._delay.timeout.connect(lambda: self._show_progress(True))
        for part in (self._work, self._progress, self._cancel):
            part.hide()
        self.retranslate()

    def tell(self, sentence: str) -> None:
        """Say what was done or why not."""
        self.showMessage(sentence, MESSAGE_MS)

    def set_engine(self, name: str, why: AttnvizError | None) -> None:
        """Name the engine, and why no better one is used, if so."""
        self._engine, self._why = name, why
        self._show_engine()

    @property
    def engine(self) -> tuple[str, AttnvizError | None]:
        """Name of the engine, and why no better one is used, if so."""
        return self._engine, self._why

    def set_compute_time(self, seconds: float) -> None:
        """Show how long the engine took."""
        self._compute = seconds
        self._show_times()

    def set_screen_time(self, seconds: float) -> None:
        """Show how long it took from the edit to the screen."""
        self._to_screen = seconds
        self._show_times()

    def show_size(self, inputs: Inputs, selection: Selection) -> None:
        """Show how large the document is."""
        n_key = inputs.n_key if inputs.is_cross else None
        size = (inputs.n_query, n_key, inputs.n_heads, inputs.heads[selection.head].d_k)
        if size != self._size:
            self._size = size
            self._show_times()

    def set_busy(self, is_busy: bool) -> None:
        """Show progress once a computation has taken a while."""
        self._is_computing = is_busy
        self._follow_work()

    def set_busy_with_files(self, is_busy: bool) -> None:
        """Show progress once work with files has taken a while, before that of a computation."""
        self._is_at_files = is_busy
        self._files_words = ""
        self._progress.setValue(0)
        self._name_progress()
        self._follow_work()
        self._show_work()

    def set_work_with_files(self, words: str) -> None:
        """Know what the work with files is that has begun, in words for a person."""
        self._files_words = words
        self._progress.setValue(0)
        self._name_progress()

    def set_progress(self, fraction: float) -> None:
        """Show how far the computation is."""
        if not self._is_at_files:
            self._progress.setValue(round(fraction * 1000))
            self._show_work()

    def set_progress_of_files(self, fraction: float) -> None:
        """Show how far the work with files is."""
        self._progress.setValue(round(fraction * 1000))

    def set_refining(self, is_refining: bool) -> None:
        """Say in words that a coarse picture is being refined, beside the progress of that."""
        if is_refining != self._is_refining:
            self._is_refining = is_refining
            self._progress.setValue(0)
            self._name_progress()
            self._show_work()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        palette = self.palette()
        palette.setColor(palette.ColorRole.WindowText, theme.muted)
        for label in (self._times, self._work):
            label.setPalette(palette)
        self._engine_label.set_colour(theme.muted)

    def retranslate(self) -> None:
        """Say all texts in the language that is now installed."""
        self._cancel.setText(self.tr("Cancel"))
        self._name_progress()
        words = self.tr("refining {percent} %").format(percent=100)
        self._work.setFixedWidth(self._work.fontMetrics().horizontalAdvance(words) + SPACE)
        self._show_work()
        self._show_engine()
        self._widest = ""
        self._show_times()

    def _name_progress(self) -> None:
        """Say whose progress the bar shows."""
        if self._is_at_files and self._files_words:
            name = self.tr("Progress: {work}").format(work=self._files_words)
        elif self._is_at_files:
            name = self.tr("Progress of the work with files")
        elif self._is_refining:
            name = self.tr("Progress of refining the picture")
        else:
            name = self.tr("Progress of the computation")
        self._progress.setAccessibleName(name)

    def _follow_work(self) -> None:
        if not (self._is_computing or self._is_at_files):
            self._delay.stop()
            self._show_progress(False)
        elif self._progress.isHidden() and not self._delay.isActive():
            self._delay.start()

    def _show_work(self) -> None:
        is_shown = self._is_refining and not (self._is_at_files or self._progress.isHidden())
        if is_shown:
            percent = self._progress.value() // 10
            self._work.setText(self.tr("refining {percent} %").format(percent=percent))
        if is_shown == self._work.isHidden():
            self._work.setVisible(is_shown)

    def _show_engine(self) -> None:
        engine = say_engine(self._engine)
        why = "" if self._why is None else say(self._why).rstrip("。")
        text = self.tr("{engine} ({why})").format(engine=engine, why=why) if why else engine
        self._engine_label.set_text(text)
        self._engine_label.setToolTip(text)

    def _show_times(self) -> None:
        queries, keys, heads, d_k = self._size or (0, None, 0, 0)
        size = self.tr("{tokens} × {heads}, d_k {d_k}").format(
            tokens=self._tokens_text(queries, keys),
            heads=self.tr("1 head") if heads == 1 else self.tr("{n} heads").format(n=heads),
            d_k=d_k,
        )
        words = self.tr("compute {compute} ms · to screen {screen} ms · {size}")
        widest = words.format(compute="000.0", screen="000", size=size)
        compute, screen = _milliseconds(self._compute, 1), _milliseconds(self._to_screen, 0)
        text = words.format(compute=compute, screen=screen, size=size)
        if self._to_screen is None:  # nothing was edited yet
            text = self.tr("compute {compute} ms · {size}").format(compute=compute, size=size)
        widest = max(widest, text, key=len)
        if widest != self._widest:
            # A fixed size, for another text would otherwise lay the whole window out again with every edit.
            self._widest = widest
            width = self._times.fontMetrics().horizontalAdvance(widest)
            self._times.setFixedSize(width, self._cancel.sizeHint().height())
        self._times.setText(text)

    def _tokens_text(self, queries: int, keys: int | None) -> str:
        """Give how many tokens there are; queries × keys where the keys are tokens of their own."""
        if keys is not None:
            return self.tr("{queries} × {keys} tokens").format(queries=queries, keys=keys)
        return self.tr("1 token") if queries == 1 else self.tr("{n} tokens").format(n=queries)

    def _show_progress(self, is_shown: bool) -> None:
        if is_shown == (not self._progress.isHidden()):
            return  # every edit ends here
        self._progress.setValue(0)
        self._progress.setVisible(is_shown)
        self._cancel.setVisible(is_shown)
        self._show_work()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)


def _milliseconds(seconds: float | None, decimals: int) -> str:
    return "–" if seconds is None else format_fixed(seconds * 1000, decimals)
