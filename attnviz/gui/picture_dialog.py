"""The dialog that asks what picture to export: which part, how many pixels, which scale, light or dark."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from attnviz.core.errors import AttnvizError
from attnviz.gui.bubble import Bubble
from attnviz.gui.fonts import small_font
from attnviz.gui.number_field import NumberField
from attnviz.gui.shown_picture import PlannedPicture
from attnviz.gui.speech import say
from attnviz.gui.theme import SPACE, theme_named
from attnviz.io.picture_wish import MAX_SCALE, MAX_SIDE, MIN_SCALE, PANELS, PictureWish, usual_size

_PREVIEW = QSize(360, 300)
_PREVIEW_MS = 150  # so that stepping through sizes does not draw one picture per step


class PictureDialog(QDialog):
    """Asks for a PictureWish and shows what it would look like.

    Parameters
    ----------
    panel, theme
        What is chosen first.
    plan
        Gives what a picture of a wish will show.
    """

    wished = Signal(object)
    """A PictureWish: the person wants to save it."""
    copy_wished = Signal(object)
    """A PictureWish: the person wants it in the clipboard."""

    def __init__(
        self,
        panel: str,
        theme: str,
        plan: Callable[[PictureWish], PlannedPicture],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("picture_dialog")
        self.setWindowTitle(self.tr("Export a picture"))
        self._plan = plan
        self._panel = QComboBox(self)
        self._panel.setObjectName("picture/panel")
        for name, text in zip(PANELS, self._panel_texts(), strict=True):
            self._panel.addItem(text, name)
        self._scale = NumberField(self, minimum=MIN_SCALE, maximum=MAX_SCALE, step=0.5, widest="0.0000")
        self._width, self._height = (
            NumberField(self, minimum=1, maximum=MAX_SIDE, step=1, whole=True, widest="00000")
            for _ in range(2)
        )
        for field, name in ((self._scale, "scale"), (self._width, "width"), (self._height, "height")):
            field.setObjectName(f"picture/{name}")
            field.value_entered.connect(field.set_value)
            field.refused.connect(lambda error, field=field: self._refuse(error, field))
        self._scale.set_value(MIN_SCALE)
        self._bubble = Bubble(self)
        self._bubble.set_theme(theme_named(theme))
        self._theme = QComboBox(self)
        self._theme.setObjectName("picture/theme")
        self._theme.addItem(self.tr("Light"), "light")
        self._theme.addItem(self.tr("Dark"), "dark")
        self._theme.setCurrentIndex(self._theme.findData(theme))
        self._carries = QCheckBox(self.tr("With the document inside"), self)
        self._carries.setObjectName("picture/document")
        self._carries.setChecked(True)
        self._carries_note = QLabel(
            self.tr("Whoever has the picture can open the document, with all its tokens and numbers."), self
        )
        self._carries_note.setFont(small_font())
        self._carries_note.setWordWrap(True)
        self._carries.setAccessibleDescription(self._carries_note.text())
        self._cells = QLabel(self)
        self._cells.setObjectName("picture/cells")
        self._cells.setFont(small_font())
        self._cells.setWordWrap(True)
        self._cells.setTextFormat(Qt.TextFormat.PlainText)
        self._cells.setMinimumHeight(2 * self._cells.fontMetrics().lineSpacing())
        self._cells.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._cells.hide()
        self._preview = QLabel(self)
        self._preview.setObjectName("picture/preview")
        self._preview.setFixedSize(_PREVIEW)
        self._preview.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._preview.setWordWrap(True)
        self._preview.setTextFormat(Qt.TextFormat.PlainText)
        self._preview.setAccessibleName(self.tr("Preview"))
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(_PREVIEW_MS)
        self._delay.timeout.connect(self._show_preview)
        self._lay_out()
        self._panel.setCurrentIndex(self._panel.findData(panel))
        self._take_usual_size()
        self._panel.currentIndexChanged.connect(self._take_usual_size)
        self._scale.value_entered.connect(self._take_usual_size)
        for side in (self._width, self._height):
            side.value_entered.connect(self._delay.start)
        self._theme.currentIndexChanged.connect(lambda index: self._delay.start())
        self.finished.connect(self._delay.stop)
        self._show_preview()

    def wish(self) -> PictureWish:
        """Give what is chosen."""
        return PictureWish(
            self._panel.currentData(),
            (round(self._width.value), round(self._height.value)),
            self._scale.value,
            self._theme.currentData(),
            self._carries.isChecked(),
        )

    def _panel_texts(self) -> tuple[str, ...]:
        return (self.tr("The four stages"), "QKᵀ", "÷√d_k", self.tr("mask"), "softmax", self.tr("The window"))

    def _lay_out(self) -> None:
        size = QHBoxLayout()
        size.setSpacing(SPACE)
        for part in (self._width, QLabel("×", self), self._height, QLabel("px", self)):
            size.addWidget(part)
        size.addStretch(1)
        scale = QHBoxLayout()
        scale.setSpacing(SPACE)
        for part in (self._scale, QLabel("×", self)):
            scale.addWidget(part)
        scale.addStretch(1)
        form = QFormLayout()
        form.setSpacing(2 * SPACE)
        form.addRow(self.tr("Picture of"), self._panel)
        form.addRow(self.tr("Size of text and lines"), scale)
        form.addRow(self.tr("Size of the file"), size)
        form.addRow(self._cells)
        form.addRow(self.tr("Theme"), self._theme)
        form.addRow(self._carries)
        form.addRow(self._carries_note)
        for field, name in (
            (self._panel, self.tr("Picture of")),
            (self._scale, self.tr("Size of text and lines")),
            (self._width, self.tr("Width of the file in pixels")),
            (self._height, self.tr("Height of the file in pixels")),
            (self._theme, self.tr("Theme")),
        ):
            field.setAccessibleName(name)
        buttons = QDialogButtonBox(self)
        save = buttons.addButton(self.tr("Save as…"), QDialogButtonBox.ButtonRole.AcceptRole)
        copy = buttons.addButton(self.tr("Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        save.setObjectName("picture/save")
        save.setDefault(True)
        copy.setObjectName("picture/copy")
        copy.clicked.connect(self._copy)
        buttons.accepted.connect(self._save)
        buttons.rejected.connect(self.reject)
        beside = QHBoxLayout()
        beside.setSpacing(4 * SPACE)
        beside.addLayout(form)
        beside.addWidget(self._preview)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4 * SPACE, 4 * SPACE, 4 * SPACE, 4 * SPACE)
        layout.setSpacing(4 * SPACE)
        layout.addLayout(beside)
        layout.addWidget(buttons)

    def _take_usual_size(self) -> None:
        width, height = usual_size(self._panel.currentData(), self._scale.value)
        self._width.set_value(width)
        self._height.set_value(height)
        self._delay.start()

    def _show_preview(self) -> None:
        wish = self.wish()
        shrunk = max(wish.size[0] / _PREVIEW.width(), wish.size[1] / _PREVIEW.height(), 1.0)
        size = (max(1, round(wish.size[0] / shrunk)), max(1, round(wish.size[1] / shrunk)))
        ratio = self.devicePixelRatioF()
        try:
            plan = self._plan(wish)
            self._say_cells(plan)
            if wish.panel == "window" or wish.size[0] * wish.size[1] <= 4_000_000:
                image = plan.drawn()
            else:  # a huge picture is drawn small from the start
                small = PictureWish(wish.panel, size, max(wish.scale / shrunk, 0.1), wish.theme)
                image = self._plan(small).drawn()
        except AttnvizError as error:
            self._preview.setText(say(error))
            return
        pixmap = QPixmap.fromImage(image).scaled(
            QSize(*size) * ratio,
            Qt.AspectRatioMode.IgnoreAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        pixmap.setDevicePixelRatio(ratio)
        self._preview.setPixmap(pixmap)

    def _say_cells(self, plan: PlannedPicture) -> None:
        """Say of a long document what its px will show, which are not those of the screen."""
        if not plan.inputs.is_long:
            return
        try:
            rows, columns = (plan.request or plan.stages.request).region.bins
        except AttnvizError as error:
            words = say(error)
        else:
            words = self.tr("Computed for these pixels: each shows {rows} × {columns} cells.")
            if (rows, columns) == (1, 1):
                words = self.tr("Computed for these pixels: every cell is shown.")
            words = words.format(rows=rows, columns=columns)
        self._cells.setText(words)
        self._cells.setAccessibleName(words)
        self._cells.show()

    def _refuse(self, error: AttnvizError, field: NumberField) -> None:
        self._bubble.say(say(error), field)

    def _save(self) -> None:
        self._finish(self.wished)

    def _copy(self) -> None:
        self._finish(self.copy_wished)

    def _finish(self, said: SignalInstance) -> None:
        if self._bubble.isVisible():
            return  # the press that asked for the picture also left a field, whose number was refused
        wish = self.wish()
        self.accept()
        said.emit(wish)
