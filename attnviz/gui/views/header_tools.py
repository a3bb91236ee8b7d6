"""What stands at the right of the panels' headers: the sign for the code, and controls from outside."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from attnviz.core.stages import STAGE_NAMES
from attnviz.gui.theme import SPACE, Theme
from attnviz.gui.views.code_button import SIDE, CodeButton
from attnviz.gui.views.stage_board import StageBoard
from attnviz.gui.views.stage_panel import StagePanel

_LEAST = 48  # px that foreign controls get, or they are not shown
_LEAST_BESIDE = 96  # px that they are left before the sign for the code is shown


class HeaderTools:
    """Places widgets into the headers of a board.

    Parameters
    ----------
    board
        Whose headers they are.
    viewport
        What becomes their parent.
    ask_for_code
        Called with a stage whose code is to be seen.
    """

    def __init__(self, board: StageBoard, viewport: QWidget, ask_for_code: Callable[[str], None]) -> None:
        self._board, self._viewport = board, viewport
        self._tools: dict[str, QWidget] = {}
        self._code = {stage: CodeButton(f"code_of/{stage}", viewport) for stage in STAGE_NAMES}
        for stage, button in self._code.items():
            button.clicked.connect(lambda checked, stage=stage: ask_for_code(stage))

    def __contains__(self, widget: object) -> bool:
        return any(widget is tools for tools in self._tools.values())

    def add(self, stage: str, widget: QWidget) -> None:
        """Take a widget for the header of a stage; KeyError where there is no such stage."""
        if stage not in self._code:
            raise KeyError(stage)
        self._tools[stage] = widget
        widget.setParent(self._viewport)

    def place(self) -> None:
        """Put everything where the headers are now; what has no room is hidden."""
        visible = self._board.visible_panels()
        for stage, panel in self._board.panels.items():
            self._place(stage, panel, panel in visible)

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        for button in self._code.values():
            button.set_theme(theme)

    def retranslate(self) -> None:
        """Take the words of the present language."""
        self._code["scores"].say(QCoreApplication.translate("StageGrid", "Show the code of the scores"))
        self._code["scaled"].say(QCoreApplication.translate("StageGrid", "Show the code of the scaling"))
        self._code["masked"].say(QCoreApplication.translate("StageGrid", "Show the code of the mask"))
        self._code["weights"].say(QCoreApplication.translate("StageGrid", "Show the code of softmax"))

    def _least_beside(self, tools: QWidget | None) -> int:
        """Give the px that foreign controls need before the sign for the code comes."""
        return 0 if tools is None else max(_LEAST_BESIDE, tools.minimumSizeHint().width())

    def _place(self, stage: str, panel: StagePanel, is_shown: bool) -> None:
        header, tools, code = panel.place_now.header, self._tools.get(stage), self._code[stage]
        is_shown = is_shown and header.height() > 0
        room, right = header.width() - panel.title_width() - 2 * SPACE, header.right()
        has_code = is_shown and room >= SIDE + SPACE + self._least_beside(tools)
        code.setVisible(has_code)
        if has_code:
            code.move(int(right) - SIDE, int(header.top()))
            room, right = room - SIDE - SPACE, right - SIDE - SPACE
        if tools is not None:
            has_tools = is_shown and room >= min(tools.minimumSizeHint().width(), _LEAST)
            if has_tools:
                width = int(min(tools.sizeHint().width(), room))
                tools.setGeometry(int(right) - width, int(header.top()), width, SIDE)
                right -= width + SPACE
            tools.setVisible(has_tools)
        panel.header_used = header.right() - right
        panel.update()
