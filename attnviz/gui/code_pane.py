"""Lines of a program to read, select and copy: with their own numbers and colours, never to be changed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from attnviz.gui.code_colours import CodeColours
from attnviz.gui.editors.slim_scroll_bar import SlimScrollBar
from attnviz.gui.fonts import code_font
from attnviz.gui.theme import LIGHT, SPACE, Theme


class CodePane(QPlainTextEdit):
    """Shows lines of code.

    Parameters
    ----------
    language
        ``cuda`` or ``python``.
    has_numbers
        Whether lines have their numbers beside them; without, long lines are wrapped.
    """

    def __init__(self, language: str, *, has_numbers: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._first = 1
        self._marked: tuple[tuple[int, int], ...] = ()
        self._has_numbers = has_numbers
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(code_font())
        self.document().setDocumentMargin(2 * SPACE)
        mode = self.LineWrapMode.NoWrap if has_numbers else self.LineWrapMode.WidgetWidth
        self.setLineWrapMode(mode)
        self._bars = [SlimScrollBar(which) for which in (Qt.Orientation.Horizontal, Qt.Orientation.Vertical)]
        self.setHorizontalScrollBar(self._bars[0])
        self.setVerticalScrollBar(self._bars[1])
        self._colours = CodeColours(self.document(), language)
        self._margin = _Numbers(self)
        self._margin.setVisible(has_numbers)
        self.updateRequest.connect(self._follow_scrolling)

    def show_lines(
        self, lines: Sequence[str], *, first: int = 1, marked: Sequence[tuple[int, int]] = ()
    ) -> None:
        """Show lines of a file.

        Parameters
        ----------
        lines
            Without line ends.
        first
            The number of the first one in its file.
        marked
            (first, last) numbers of lines that stand out; the first of them is brought into view.
        """
        marked = tuple(marked)
        if (self.shown_lines(), self._first, self._marked) == (list(lines), first, marked):
            return
        self._first, self._marked = first, marked
        self.setPlainText("\n".join(lines))
        self._margin.setFixedWidth(self.margin_width())
        self.setViewportMargins(self.margin_width() if self._has_numbers else 0, 0, 0, 0)
        self._show_marks()
        self.horizontalScrollBar().setValue(0)
        self._bring_into_view()

    def shown_lines(self) -> list[str]:
        """Give the lines as they are shown."""
        return self.toPlainText().split("\n")

    def first_number(self) -> int:
        """Give the number of the first line in its file."""
        return self._first

    def marked_lines(self) -> list[str]:
        """Give the lines that stand out."""
        lines = self.shown_lines()
        return [
            line
            for first, last in self._marked
            for line in lines[first - self._first : last - self._first + 1]
        ]

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Base, theme.surface)
        palette.setColor(QPalette.ColorRole.Text, theme.text)
        self.setPalette(palette)
        self._colours.set_theme(theme)
        for bar in self._bars:
            bar.set_theme(theme)
        self._show_marks()
        self._margin.update()

    def margin_width(self) -> int:
        """Give the width of the line numbers in px."""
        digits = max(3, len(str(self._first + self.blockCount())))
        return round(QFontMetricsF(self.font()).horizontalAdvance("0") * digits) + 3 * SPACE

    def fitting_height(self) -> int:
        """Give the height in px that shows every line, wrapped or not."""
        document = self.document()
        rows = sum(
            max(1, document.findBlockByNumber(number).layout().lineCount())
            for number in range(self.blockCount())
        )
        return round(rows * QFontMetricsF(self.font()).lineSpacing()) + 4 * SPACE + 2

    def paint_numbers(self, painter: QPainter, area: QRect) -> None:
        """Paint the line numbers that lie within an area of the margin."""
        theme, block = self._theme, self.firstVisibleBlock()
        painter.fillRect(area, theme.surface)
        place = self.blockBoundingGeometry(block).translated(self.contentOffset())
        width, height = self._margin.width(), QFontMetricsF(self.font()).lineSpacing()
        while block.isValid() and place.top() <= area.bottom():
            number = self._first + block.blockNumber()
            is_marked = any(first <= number <= last for first, last in self._marked)
            if is_marked:
                painter.fillRect(QRectF(0, place.top(), width, height), theme.raised)
                painter.fillRect(QRectF(0, place.top(), 3, height), theme.muted)
            painter.setPen(theme.text if is_marked else theme.muted)
            painter.drawText(
                QRectF(0, place.top(), width - 2 * SPACE, height),
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                str(number),
            )
            block = block.next()
            place = self.blockBoundingGeometry(block).translated(self.contentOffset())

    def _show_marks(self) -> None:
        selections = []
        for first, last in self._marked:
            for number in range(first - self._first, last - self._first + 1):
                mark = QTextEdit.ExtraSelection()
                mark.cursor = QTextCursor(self.document().findBlockByNumber(number))
                mark.format.setBackground(QColor(self._theme.raised))
                mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
                selections.append(mark)
        self.setExtraSelections(selections)

    def _bring_into_view(self) -> None:
        """Show the marked lines with some lines above, the head of the kernel as well where there is room."""
        rows = max(1, int(self.viewport().height() / QFontMetricsF(self.font()).lineSpacing()) - 1)
        last = self._marked[0][1] - self._first if self._marked else 0
        first = self._marked[0][0] - self._first if self._marked else 0
        self.verticalScrollBar().setValue(max(0, min(first - 2, last + 3 - rows)))

    def _follow_scrolling(self, area: QRect, dy: int) -> None:
        if dy:
            self._margin.scroll(0, dy)
        else:
            self._margin.update(0, area.y(), self._margin.width(), area.height())

    # Qt's overrides

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        area = self.contentsRect()
        self._margin.setGeometry(area.left(), area.top(), self.margin_width(), area.height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_margin"):
            self._margin.update()


class _Numbers(QWidget):
    """The margin that holds the numbers of the lines."""

    def __init__(self, pane: CodePane) -> None:
        super().__init__(pane)
        self._pane = pane
        self.setFont(pane.font())

    def sizeHint(self) -> QSize:
        return QSize(self._pane.margin_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._pane.paint_numbers(painter, event.rect())
        painter.end()
