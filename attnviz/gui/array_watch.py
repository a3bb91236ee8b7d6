"""Looks now and then whether what a document is read from is still what it was, and says when it is not."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from attnviz.core.block_arrays import as_blocks, check_sources
from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Inputs

EVERY_MS = 2000
"""Time between two looks in ms; a look asks the system about a few files and reads none."""


class ArrayWatch(QObject):
    """Watches the files of the document shown; of one that is held in memory there is nothing to watch."""

    lost = Signal(object)
    """A LostArrayError, once: an array changed or vanished. What is shown stays."""
    found = Signal()
    """All that was lost is there again, as it was when it was opened."""

    def __init__(self, inputs: Inputs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY_MS)
        self._timer.timeout.connect(self.look)
        self._told = ""
        self.follow(inputs)

    def follow(self, inputs: Inputs) -> None:
        """Watch another document from now on."""
        arrays = [array for head in inputs.heads for array in (head.q, head.k, head.v)]
        self._arrays = [array for array in arrays if as_blocks(array) is not None]
        if self._arrays and not self._timer.isActive():
            self._timer.start()
        elif not self._arrays:
            self._timer.stop()
            self._told = ""

    def look(self) -> None:
        """Look at once."""
        try:
            check_sources(self._arrays)
        except AttnvizError as error:
            if str(error) != self._told:
                self._told = str(error)
                self.lost.emit(error)
        else:
            was_lost, self._told = bool(self._told), ""
            if was_lost:
                self.found.emit()

    def stop(self) -> None:
        """Look no more."""
        self._timer.stop()
