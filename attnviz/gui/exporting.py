"""Exporting pictures and numbers: the dialogs, the files, and what is said about them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QWidget

from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Inputs
from attnviz.core.masks import CustomMask
from attnviz.core.stages import Stages
from attnviz.engine.base import Engine, Progress
from attnviz.gui.background import Background
from attnviz.gui.dialogs import open_dialog
from attnviz.gui.document import Document
from attnviz.gui.export_image import finished, png_bytes
from attnviz.gui.picture_dialog import PictureDialog
from attnviz.gui.runner import Runner
from attnviz.gui.settings import Settings
from attnviz.gui.shown_picture import PlannedPicture
from attnviz.gui.table_dialog import TableDialog, TableWish
from attnviz.io.atomic import write_bytes
from attnviz.io.errors import shown
from attnviz.io.export import request_for, write_stages
from attnviz.io.picture_wish import PictureWish
from attnviz.io.reading import Watch

_SOON_PACKED = 100_000
"""Numbers that are packed in a few ms."""
_SOON_DRAWN = 4_000_000
"""Px of a picture that is packed in a tenth of a second."""


class Exporting(QObject):
    """What the export menu does.

    Parameters
    ----------
    plan
        Gives what a picture of a wish will show, which is what the window shows now.
    """

    told = Signal(str)
    """A sentence about what was written."""
    failed = Signal(object)
    """An AttnvizError; nothing was written."""

    def __init__(
        self,
        window: QWidget,
        document: Document,
        runner: Runner,
        background: Background,
        settings: Settings,
        plan: Callable[[PictureWish], PlannedPicture],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._document = document
        self._runner, self._background = runner, background
        self._settings = settings
        self._plan = plan

    def ask_for_picture(self, panel: str, theme: str) -> None:
        """Ask how a picture shall be, and then where to write it."""
        dialog = PictureDialog(panel, theme, self._plan, self._window)
        dialog.wished.connect(self._ask_where_to_draw)
        dialog.copy_wished.connect(self._copy)
        open_dialog(dialog)

    def ask_for_table(self, stage: str, window: int) -> None:
        """Ask which numbers to write, a stage offered first, and then where.

        ``window`` is the width of the window of the summaries.
        """
        inputs, selection = self._document.inputs, self._document.selection
        dialog = TableDialog(inputs, selection, self._window, stage=stage, window=window)
        dialog.wished.connect(self._ask_where_to_write)
        open_dialog(dialog)

    def write_picture(self, path: Path, wish: PictureWish) -> None:
        """Draw a picture and write it as PNG, whole or not at all.

        Of a long document it is computed for its own px first, beside the window, as large pictures and
        documents are packed.
        """
        self._compute(wish, shown(path), lambda plan, stages: self._draw_and_write(path, plan, stages))

    def _compute(
        self, wish: PictureWish, name: str, then: Callable[[PlannedPicture, Stages | None], object]
    ) -> None:
        """Get the answer that a picture needs to be exact, None where it needs none."""
        try:
            plan = self._plan(wish)
            request = plan.request
        except AttnvizError as error:
            self.failed.emit(error)
            return
        if request is None:
            then(plan, None)
            return
        answers: list[Stages] = []

        def errand(engine: Engine, progress: Progress) -> bool:
            stages = engine.compute(request, None, lambda done, partial: progress(done, None))
            if stages is not None:
                answers.append(stages)
            return stages is not None

        self.told.emit(
            self.tr("Computing {name} for its own {width} × {height} pixels …").format(
                name=name, width=wish.size[0], height=wish.size[1]
            )
        )
        self._runner.run_errand(errand, lambda: then(plan, answers.pop()), gives_way=True)

    def _draw_and_write(self, path: Path, plan: PlannedPicture, stages: Stages | None) -> None:
        self._draw(plan, stages, lambda image: self._write(path, plan, image))

    def _draw(self, plan: PlannedPicture, stages: Stages | None, then: Callable[[QImage], object]) -> None:
        """Draw a picture, a large one over several turns of the event loop, and go on with it."""
        drawing, timer = plan.drawing(stages), QTimer(self)
        timer.setSingleShot(True)  # what fails is not gone on with
        is_large = plan.wish.size[0] * plan.wish.size[1] > _SOON_DRAWN

        def go_on() -> None:
            try:
                if is_large:
                    next(drawing)
                    timer.start(0)
                    return
                image = finished(drawing)
            except StopIteration as done:
                image = done.value
            except (AttnvizError, MemoryError) as error:
                timer.deleteLater()
                is_told = isinstance(error, AttnvizError)
                self.failed.emit(error if is_told else AttnvizError("There is not enough memory for this."))
                return
            timer.deleteLater()
            then(image)

        timer.timeout.connect(go_on)
        if is_large:
            timer.start(0)
        else:
            go_on()

    def _write(self, path: Path, plan: PlannedPicture, image: QImage) -> None:
        wish, inputs, selection = plan.wish, plan.inputs, plan.selection

        def write(watch: Watch | None = None) -> bool:
            from attnviz.io.picture_session import with_session  # only now, for a quick start

            png = png_bytes(image)
            whole = with_session(png, inputs, selection, watch) if wish.carries_document else None
            write_bytes(path, png if whole is None else whole)
            return whole is not None

        def done(carries_document: bool) -> None:
            self._tell_of_picture(path, wish, carries_document=carries_document)

        is_large = wish.size[0] * wish.size[1] > _SOON_DRAWN
        if is_large or (wish.carries_document and _numbers_in(inputs) > _SOON_PACKED):
            words = self.tr("Writing {path} …").format(path=shown(path))
            self._background.do(write, done, words=words)
            return
        try:
            carries_document = write()
        except AttnvizError as error:
            self.failed.emit(error)
        else:
            done(carries_document)

    def _tell_of_picture(self, path: Path, wish: PictureWish, *, carries_document: bool) -> None:
        self._settings.folder = path.absolute().parent
        width, height = wish.size
        if not wish.carries_document:
            words = self.tr("Wrote {path}, {width} × {height} pixels.")
        elif carries_document:
            words = self.tr("Wrote {path}, {width} × {height} pixels, with the document inside.")
        else:
            words = self.tr(
                "Wrote {path}, {width} × {height} pixels, without the document: it is too large for that."
            )
        self.told.emit(words.format(path=shown(path), width=width, height=height))

    def write_table(self, path: Path, wish: TableWish) -> None:
        """Compute the heads wanted and write their numbers, without holding the window up."""
        inputs, query = self._document.inputs, self._document.selection.query
        heads = range(inputs.n_heads) if wish.head is None else [wish.head]

        def errand(engine: Engine, progress: Progress) -> bool:
            answers = []
            for number, head in enumerate(heads):

                def told(done: float, _partial: object, number: int = number) -> bool:
                    return progress((number + done) / len(heads), None)

                stages = engine.compute(request_for(wish.stage, inputs, head, query, wish.window), None, told)
                if stages is None:
                    return False
                answers.append(stages)
            write_stages(path, answers, wish.stage, one_head=wish.head is not None)
            return True

        def done() -> None:
            self._settings.folder = path.absolute().parent
            self.told.emit(self.tr("Wrote {path}.").format(path=shown(path)))

        self._runner.run_errand(errand, done)

    def _copy(self, wish: PictureWish) -> None:
        self._compute(wish, self.tr("the picture"), self._draw_and_copy)

    def _draw_and_copy(self, plan: PlannedPicture, stages: Stages | None) -> None:
        def put(image: QImage) -> None:
            QGuiApplication.clipboard().setImage(image)
            self.told.emit(self.tr("Copied the picture."))

        self._draw(plan, stages, put)

    def _ask_where_to_draw(self, wish: PictureWish) -> None:
        self._ask_where(wish.panel, ".png", lambda path: self.write_picture(path, wish))

    def _ask_where_to_write(self, wish: TableWish) -> None:
        self._ask_where(wish.stage, wish.suffix, lambda path: self.write_table(path, wish))

    def _ask_where(self, name: str, suffix: str, then: Callable[[Path], object]) -> None:
        dialog = QFileDialog(self._window, self.tr("Save as"), str(self._settings.folder))
        dialog.setObjectName("file_dialog")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([f"{suffix[1:].upper()} (*{suffix})"])
        dialog.setDefaultSuffix(suffix[1:])
        dialog.selectFile(f"{name}{suffix}")
        dialog.fileSelected.connect(lambda chosen: then(Path(chosen)))
        open_dialog(dialog)


def _numbers_in(inputs: Inputs) -> int:
    """Count what is packed: vectors of queries and keys, of the layer, and the cells of an own mask."""
    of_layer = (part for part in (inputs.x, inputs.x_keys, inputs.w_o) if part is not None)
    of_heads = (part for head in inputs.heads for part in (head.q, head.k, head.v))
    cells = inputs.n_query * inputs.n_key if isinstance(inputs.mask, CustomMask) else 0
    return cells + sum(part.size for part in (*of_layer, *of_heads))
