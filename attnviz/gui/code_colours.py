"""Calm colours for lines of CUDA and Python: comments step back; the language's words and numbers differ."""

from __future__ import annotations

import re

from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from attnviz.gui.theme import LIGHT, Theme

_CUDA_WORDS = (
    "__device__|__forceinline__|__global__|__launch_bounds__|__restrict__|__shared__|__align__|bool|char|const|"
    "continue|else|extern|false|float|float2|float4|for|if|int|return|size_t|struct|true|unsigned|void|while|"
    "reinterpret_cast|threadIdx|blockIdx|blockDim|gridDim"
)
_PYTHON_WORDS = "and|for|if|in|is|lambda|not|or|True|False|None|axis|keepdims|dtype"
_NUMBER = r"(?<![\w.])(?:0[xX][0-9a-fA-F]+u?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fu]?)(?![\w])"
_IN_COMMENT = 1


class CodeColours(QSyntaxHighlighter):
    """Colours one document of code.

    Parameters
    ----------
    document
        What is coloured; it owns the colours.
    language
        ``cuda`` or ``python``.
    """

    def __init__(self, document: QTextDocument, language: str) -> None:
        super().__init__(document)
        self._is_cuda = language == "cuda"
        comment = r"//.*" if self._is_cuda else r"#.*"
        words = _CUDA_WORDS if self._is_cuda else _PYTHON_WORDS
        self._pattern = re.compile(
            rf"(?P<comment>{comment})|(?P<open>/\*)|(?P<literal>\"[^\"]*\"|{_NUMBER})"
            rf"|(?P<keyword>\b(?:{words})\b|^\s*#\w+)"
        )
        self._theme = LIGHT

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme
        self.rehighlight()

    def colour_of(self, kind: str) -> QColor:
        """Give the colour of a ``comment``, a ``keyword`` or a ``literal``."""
        theme = self._theme
        return {"comment": theme.muted, "keyword": theme.keyword, "literal": theme.literal}[kind]

    def _paint(self, start: int, end: int, kind: str) -> None:
        form = QTextCharFormat()
        form.setForeground(self.colour_of(kind))
        self.setFormat(start, end - start, form)

    # Qt's overrides

    def highlightBlock(self, text: str) -> None:
        at = 0
        self.setCurrentBlockState(0)
        if self.previousBlockState() == _IN_COMMENT:
            at = self._comment(text, 0, 0)
        while (found := self._pattern.search(text, at)) is not None:
            kind = found.lastgroup
            if kind == "open" and self._is_cuda:
                at = self._comment(text, found.start(), found.end())
                continue
            if kind is not None and kind != "open":
                self._paint(found.start(), found.end(), kind)
            at = max(found.end(), at + 1)

    def _comment(self, text: str, start: int, inside: int) -> int:
        """Colour a comment that may go on in the next line; give where it ends in this one."""
        end = text.find("*/", inside)
        if end < 0:
            self.setCurrentBlockState(_IN_COMMENT)
            end = len(text)
        else:
            end += 2
        self._paint(start, end, "comment")
        return end
