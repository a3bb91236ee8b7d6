"""What the Engine menu says below its choices: the engine in use, and why it is not CUDA."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QLabel, QMenu, QWidgetAction

from attnviz.core.errors import AttnvizError
from attnviz.engine.select import cuda_obstacle
from attnviz.gui.fonts import small_font
from attnviz.gui.speech import say, say_engine
from attnviz.gui.theme import SPACE

WIDTH = 340
"""Width of the text in px; long reasons go on several lines."""


class EngineNotice(QObject):
    """Text at the end of the Engine menu, renewed each time the menu opens.

    Parameters
    ----------
    menu
        The menu that it stands in.
    engine
        Asked for the name of the engine in use, and why no better one is.
    """

    def __init__(self, menu: QMenu, engine: Callable[[], tuple[str, AttnvizError | None]]) -> None:
        super().__init__(menu)
        self._menu, self._engine = menu, engine
        self._action: QWidgetAction | None = None
        menu.addSeparator()
        menu.aboutToShow.connect(self._renew)
        self._renew()

    def text(self) -> str:
        """Give what the menu says now."""
        name, why = self._engine()
        parts = [self.tr("In use: {engine}").format(engine=say_engine(name))]
        reasons = [why] if why is not None else []
        obstacle = cuda_obstacle() if why is not None else None
        if obstacle is not None and str(obstacle) != str(why):  # the CPU was asked for, and CUDA is not there
            reasons.append(obstacle)
        return "\n".join([*parts, *map(say, reasons)])

    def _renew(self) -> None:
        if self._action is not None:  # a menu does not notice when a label in it grows
            self._menu.removeAction(self._action)
            self._action.deleteLater()
        label = QLabel(self.text())
        label.setObjectName("engine_notice")
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setFont(small_font())
        label.setWordWrap(True)
        label.setFixedWidth(WIDTH)
        label.setContentsMargins(6 * SPACE, SPACE, 3 * SPACE, 2 * SPACE)
        self._action = QWidgetAction(self)
        self._action.setDefaultWidget(label)
        self._action.setEnabled(False)
        self._menu.addAction(self._action)
